//! Cost of the inbox with ten thousand changes left to review, through the same calls the window makes:
//!
//! - the first page of 100 items, the first time (contents are read, counted and compared) and again;
//! - the page after next, and the badge;
//! - all of it as triage, the first time and again, and one difference for a cluster;
//! - approving one item, and everything up to a point.
//!
//! `cargo bench -p retrace-api --bench inbox [-- ITEMS]`

#![allow(clippy::print_stdout, reason = "figures are printed")]

use retrace_api::{App, AppOptions, commands, wire};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Items where none are said.
const ITEMS: usize = 10_000;

/// Times each short call is made.
const RUNS: usize = 40;

fn main() {
    let items = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(ITEMS);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let root = directory.path().join("memories");
    let mut options = AppOptions::for_this_machine(Some(directory.path().join("data"))).expect("options");
    options.surroundings.home = directory.path().join("home");
    let app = App::open(options).expect("an app");
    write_all(&root, items, false);
    let store = wire::AddStore { root: root.to_string_lossy().into_owned(), ..wire::AddStore::default() };
    commands::add_store(&app, store).expect("a store");
    write_all(&root, items, true);
    commands::scan(&app, wire::ScanReq::default()).expect("a scan");

    let (first, page) = timed(|| inbox(&app, None));
    assert_eq!(page.total, items as u64);
    println!("first page of 100 of {items} items, the first time: {first:.1?}");
    report("first page again", || drop(inbox(&app, None)));
    let (kinds, counted) =
        timed(|| commands::inbox_kinds(&app, wire::InboxKindsReq::default()).expect("kinds"));
    println!("how many are of which kind ({} kinds), the first time: {kinds:.1?}", counted.kinds.len());
    report("the same again", || {
        drop(commands::inbox_kinds(&app, wire::InboxKindsReq::default()).expect("kinds"));
    });
    report("first page of topics", || {
        let request =
            wire::InboxReq { kind: Some("topic".to_owned()), limit: Some(100), ..wire::InboxReq::default() };
        drop(commands::inbox(&app, request).expect("the inbox"));
    });
    report("the page after it", || drop(inbox(&app, page.next_before.clone())));
    report("the badge (`status`)", || drop(commands::status(&app, wire::Nothing {}).expect("a status")));
    let triage = || commands::triage(&app, wire::TriageReq::default()).expect("the triage");
    let (first, rows) = timed(triage);
    println!(
        "triage: {} rows for {} changes, the first time: {first:.1?}",
        rows.needs.len() + rows.routine.len(),
        rows.total
    );
    report("triage again", || drop(triage()));
    let edit = rows.routine.into_iter().next().expect("a row");
    report(&format!("one difference for {} changes", edit.versions.len()), || {
        let request = wire::ClusterDifferenceReq { versions: edit.versions.clone() };
        drop(commands::cluster_difference(&app, request).expect("a difference"));
    });
    let mut left = inbox(&app, None).groups.into_iter().flat_map(|group| group.items);
    report("approving one item", || {
        let item = left.next().expect("an item is left on the page");
        let request = wire::ReviewReq {
            versions: vec![item.version_id],
            verdict: "approve".to_owned(),
            ..wire::ReviewReq::default()
        };
        let reviewed = commands::review(&app, request).expect("a review");
        assert_eq!(reviewed.done.len(), 1);
    });
    let newest = inbox(&app, None).groups.remove(0).items.remove(0).version_id;
    let request = wire::ReviewUpToReq { up_to: newest, ..wire::ReviewUpToReq::default() };
    let (all, reviewed) = timed(|| commands::review_up_to(&app, request).expect("a review"));
    println!("{} items reviewed up to a point: {all:.1?}", reviewed.done.len());
}

/// A directory of notes; `later` changes a line of each and adds one.
fn write_all(root: &Path, notes: usize, later: bool) {
    for number in 0..notes {
        let folder = root.join(format!("{:02}", number % 100));
        fs::create_dir_all(&folder).expect("a folder");
        let line = |at: usize| match (later, at) {
            (true, 4) => format!("- Line 4 of note {number} says something else now.\n- And one more.\n"),
            _ => format!("- Line {at} of note {number} says what was decided then.\n"),
        };
        let text: String = (0..12).map(line).collect();
        fs::write(folder.join(format!("note-{number}.md")), text).expect("a note");
    }
}

fn inbox(app: &App, before: Option<String>) -> wire::Inbox {
    let request = wire::InboxReq { before, limit: Some(100), ..wire::InboxReq::default() };
    commands::inbox(app, request).expect("the inbox")
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begun = Instant::now();
    let answer = work();
    (begun.elapsed(), answer)
}

fn report(what: &str, mut work: impl FnMut()) {
    let mut times: Vec<Duration> = (0..RUNS).map(|_| timed(&mut work).0).collect();
    times.sort_unstable();
    println!("{what}: p50 {:.1?}, p95 {:.1?}", times[RUNS / 2], times[RUNS * 95 / 100]);
}
