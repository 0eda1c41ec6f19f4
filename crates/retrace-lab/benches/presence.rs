//! Presence of a line over many sessions: the first time, when nothing is known of them, and again.
//!
//! `cargo bench -p retrace-lab --bench presence [-- SESSIONS]`

#![allow(clippy::print_stdout, reason = "figures are printed")]

use retrace_engine::stores::add_store;
use retrace_engine::{Engine, EngineOptions};
use retrace_lab::{KeyInMemory, Lab, presence, reach};
use retrace_wire::{AddStore, PresenceReq, ReachReq};
use sessions::REQUESTS;
use std::fs::File;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

/// Sessions where no number is said: 700 MB of them.
const SESSIONS: usize = 1_000;

#[path = "support/sessions.rs"]
mod sessions;

fn main() {
    let asked = std::env::args().skip(1).find_map(|it| it.parse().ok());
    let sessions = asked.unwrap_or(SESSIONS);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let home = directory.path().join("home");
    let (memory, bytes) = sessions::home(&home, sessions).expect("room for the sessions");
    let project = memory.parent().expect("it lies in the project's folder").to_path_buf();
    println!("{sessions} sessions of {REQUESTS} requests, {:.0} MB", bytes as f64 / 1e6);

    let lab = || {
        let mut options =
            EngineOptions::for_this_machine(Some(directory.path().join("data"))).expect("options");
        options.surroundings.home.clone_from(&home);
        options.surroundings.env = Default::default();
        let engine = Engine::open(options).expect("an engine");
        Arc::new(Lab::new(engine, Arc::new(KeyInMemory::default())))
    };
    let first = lab();
    let root = memory.display().to_string();
    let store = AddStore { root, kind: Some("claude-auto".to_owned()), name: Some("shop".to_owned()) };
    add_store(&first, store).expect("a store");
    let ask = |lab: &Arc<Lab>, line: u32| {
        let request =
            ReachReq { target: "shop:MEMORY.md".to_owned(), from: Some(line), ..ReachReq::default() };
        let reach = reach(lab, request).expect("an answer");
        assert_eq!(reach.sessions, sessions as u64);
        assert_eq!(reach.present, if line <= 200 { sessions as u64 } else { 0 });
        assert_eq!(reach.requests.unknown + reach.requests.inferred, 0);
    };
    timed("the transcripts are listed", || {
        first.index().update(&first);
    });
    timed("a line over all, nothing known of them", || ask(&first, 214));
    timed("the same again", || ask(&first, 214));
    timed("another line", || ask(&first, 14));
    drop(first);
    for _ in 0..3 {
        let lab = lab();
        timed("a line, in a process that knows nothing but the files", || ask(&lab, 214));
    }
    let grown = project.join("00000000-0000-4000-8000-000000000000.jsonl");
    let mut file = File::options().append(true).open(&grown).expect("a session");
    writeln!(file, "{{\"type\":\"mode\"}}").expect("a line more");
    let lab = lab();
    timed("after one session grew, in such a process", || ask(&lab, 214));
    let session = grown.display().to_string();
    timed("one session at its last request", || {
        let request = PresenceReq { session, at: None, spans: true };
        assert!(presence(&lab, request).expect("an answer").sources.len() >= 2);
    });
    let kept = std::fs::metadata(directory.path().join("data/presence.index")).map_or(0, |file| file.len());
    println!("the index has {:.1} MB", kept as f64 / 1e6);
}

fn timed(what: &str, work: impl FnOnce()) {
    let begun = Instant::now();
    work();
    println!("{what}: {:.1?}", begun.elapsed());
}
