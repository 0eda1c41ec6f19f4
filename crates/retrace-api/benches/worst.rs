//! One megabyte of the worst of each kind, through the calls that the window and the terminal make, each in an app that has read
//! nothing yet: the inbox with it as an item, its difference with words and colour, blame, the content itself, and the check of
//! its store. The promise is 300 ms in each; what takes longer is marked, and then the status is 1.
//!
//! `cargo bench -p retrace-api --bench worst [-- KIND]`; `make worst` measures what the window renders as well.

#![allow(clippy::print_stdout, reason = "figures are printed")]

#[path = "../../retrace-findings/benches/worst_texts/mod.rs"]
mod worst_texts;

use retrace_api::{App, AppOptions, commands, wire};
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Times each call is made; the middle one counts.
const RUNS: usize = 3;

/// What each may take.
const GOAL: Duration = Duration::from_millis(300);

/// Bytes between two changes.
const STRIDE: usize = 4096;

/// Reads one view of the memory.
type View = fn(&App);

/// What is measured.
const VIEWS: [(&str, View); 5] =
    [("inbox", inbox), ("diff", diff), ("blame", blame), ("content", document), ("check", check)];

fn main() -> ExitCode {
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    println!("{:32}{}", "", VIEWS.map(|(name, _)| format!("{name:>12}")).concat());
    let mut slow = 0;
    for kind in worst_texts::names().filter(|kind| only.as_ref().is_none_or(|only| kind.contains(only))) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        record(directory.path(), &worst_texts::text(kind));
        print!("{kind:32}");
        for (_, view) in VIEWS {
            let mut took: Vec<Duration> = (0..RUNS)
                .map(|_| {
                    let app = open(directory.path());
                    let begun = Instant::now();
                    view(&app);
                    begun.elapsed()
                })
                .collect();
            took.sort_unstable();
            let middle = took[RUNS / 2];
            let mark = if middle > GOAL { "!" } else { " " };
            slow += u32::from(middle > GOAL);
            print!("{:>8} ms{mark}", middle.as_millis());
        }
        println!();
    }
    println!("{slow} above {} ms", GOAL.as_millis());
    if slow == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn open(directory: &Path) -> App {
    let mut options = AppOptions::for_this_machine(Some(directory.join("data"))).expect("options");
    options.surroundings.home = directory.join("home");
    App::open(options).expect("an app")
}

/// A store whose one memory was the text, and was changed every few thousand bytes.
fn record(directory: &Path, text: &str) {
    let (app, root) = (open(directory), directory.join("notes"));
    fs::create_dir_all(&root).expect("a directory");
    fs::write(root.join("notes.md"), text).expect("a memory");
    let store = wire::AddStore { root: root.to_string_lossy().into_owned(), ..wire::AddStore::default() };
    commands::add_store(&app, store).expect("a store");
    let mut changed = String::with_capacity(text.len() + text.len() / STRIDE + 1);
    let mut next = STRIDE;
    for (at, letter) in text.char_indices() {
        if at >= next {
            changed.push('x');
            next += STRIDE;
        }
        changed.push(letter);
    }
    fs::write(root.join("notes.md"), changed).expect("a memory");
    commands::scan(&app, wire::ScanReq::default()).expect("a scan");
}

fn inbox(app: &App) {
    let request = wire::InboxReq { limit: Some(40), ..wire::InboxReq::default() };
    assert_eq!(commands::inbox(app, request).expect("the inbox").total, 1);
}

fn newest(app: &App) -> Vec<String> {
    let page = commands::log(app, wire::LogReq::default()).expect("the log");
    page.versions.into_iter().map(|version| version.id).collect()
}

fn diff(app: &App) {
    let versions = newest(app);
    let request = wire::DiffReq {
        a: versions[1].clone(),
        b: Some(versions[0].clone()),
        words: true,
        highlight: true,
        ..wire::DiffReq::default()
    };
    drop(commands::diff(app, request).expect("a difference"));
}

fn blame(app: &App) {
    let request = wire::BlameReq { target: "notes:notes.md".to_owned(), ..wire::BlameReq::default() };
    drop(commands::blame(app, request).expect("blame"));
}

fn document(app: &App) {
    let request = wire::DocumentReq { target: "notes:notes.md".to_owned(), highlight: true };
    drop(commands::document(app, request).expect("a content"));
}

fn check(app: &App) {
    let request = wire::FindingsReq { store: "notes".to_owned(), ..wire::FindingsReq::default() };
    drop(commands::findings(app, request).expect("findings"));
}
