//! Cost of the largest requests that a person may ask for, through the same calls the window makes:
//!
//! - `memories` over a store of many Markdown files, the first time (each is read once for its kind) and again;
//! - `blame` of a memory of many lines, and of one with many versions.
//!
//! `cargo bench -p retrace-api --bench large [-- MEMORIES LINES VERSIONS]`

#![allow(clippy::print_stdout, reason = "figures are printed")]

use retrace_api::store_api::{StoreRequest, StoreService};
use retrace_api::{App, AppOptions, commands, wire};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Memories, lines and versions where none are said: lines as many as `blame` shows.
const SIZES: [usize; 3] = [20_000, 100_000, 10_000];

/// Lines of the memory with many versions.
const LINES: usize = 40;

/// Times each call is made again.
const RUNS: usize = 5;

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let size = |at: usize| sizes.get(at).copied().unwrap_or(SIZES[at]);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let root = directory.path().join("memories");
    let mut options = AppOptions::for_this_machine(Some(directory.path().join("data"))).expect("options");
    options.surroundings.home = directory.path().join("home");
    let app = App::open(options).expect("an app");
    write_all(&root, size(0), size(1));
    let store = wire::AddStore {
        root: root.to_string_lossy().into_owned(),
        name: Some("large".to_owned()),
        ..wire::AddStore::default()
    };
    commands::add_store(&app, store).expect("a store");
    write_lines(&root, size(1), "another");
    commands::scan(&app, wire::ScanReq::default()).expect("a scan");

    let memories = || {
        let request = wire::MemoriesReq { store: "large".to_owned(), ..wire::MemoriesReq::default() };
        commands::memories(&app, request).expect("memories")
    };
    let (first, found) = timed(memories);
    assert!(found.memories.len() >= size(0));
    println!("memories of a store of {}, the first time: {first:.1?}", found.memories.len());
    report("memories again", memories);

    let blame = |target: &str| {
        let request = wire::BlameReq { target: target.to_owned(), ..wire::BlameReq::default() };
        commands::blame(&app, request).expect("a blame")
    };
    let (first, found) = timed(|| blame("large:lines.md"));
    println!("blame of {} lines, two versions, the first time: {first:.1?}", found.lines.len());
    report("blame of many lines again", || blame("large:lines.md"));

    let begun = Instant::now();
    let target = write_versions(&app, size(2));
    println!("({} versions written in {:.1?})", size(2), begun.elapsed());
    let (first, found) = timed(|| blame(&target));
    println!("blame of {} lines over {} versions, the first time: {first:.1?}", found.lines.len(), size(2));
    report("blame over many versions again", || blame(&target));
}

/// Notes with front matter, and one memory of many lines.
fn write_all(root: &Path, notes: usize, lines: usize) {
    for number in 0..notes {
        let folder = root.join(format!("{:02}", number % 100));
        fs::create_dir_all(&folder).expect("a folder");
        let body: String =
            (0..24).map(|at| format!("- Line {at} of note {number} says what was decided then.\n")).collect();
        let text = format!("---\nname: note-{number}\nmetadata:\n  type: project\n---\n\n{body}");
        fs::write(folder.join(format!("note-{number}.md")), text).expect("a note");
    }
    write_lines(root, lines, "one");
}

/// Every hundredth line differs from one `word` to another.
fn write_lines(root: &Path, lines: usize, word: &str) {
    let line = |at: usize| match at % 100 {
        0 => format!("- Line {at} says {word} thing.\n"),
        _ => format!("- Line {at} says what was decided then.\n"),
    };
    fs::write(root.join("lines.md"), (0..lines).map(line).collect::<String>()).expect("a file");
}

/// Writes a memory of a store that lives in the log alone again and again, each time another line; answers its newest version.
fn write_versions(app: &App, versions: usize) -> String {
    let service = StoreService::start(app.served(), false).expect("a service");
    let ask = |tail: &str, body: &Value| -> Value {
        let answer = service.answer(&StoreRequest {
            method: "POST".to_owned(),
            path: format!("/v1/memory_stores{tail}"),
            body: body.to_string().into_bytes(),
            betas: vec!["agent-memory-2026-07-22".to_owned()],
            key_id: "apikey_bench".to_owned(),
            ..StoreRequest::default()
        });
        assert_eq!(answer.status, 200);
        serde_json::from_slice(&answer.body).expect("JSON")
    };
    let text = |value: &Value, field: &str| value[field].as_str().expect("a text").to_owned();
    let store = text(&ask("", &json!({ "name": "versions" })), "id");
    let mut lines: Vec<String> = (0..LINES).map(|at| format!("- Line {at} as it was first.\n")).collect();
    let new = json!({ "path": "/note.md", "content": lines.concat() });
    let mut memory = ask(&format!("/{store}/memories"), &new);
    let tail = format!("/{store}/memories/{}", text(&memory, "id"));
    for number in 1..versions {
        lines[number * 7 % LINES] = format!("- A line as of version {number}.\n");
        memory = ask(&tail, &json!({ "content": lines.concat() }));
    }
    text(&memory, "memory_version_id")
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begun = Instant::now();
    let answer = work();
    (begun.elapsed(), answer)
}

fn report<T>(what: &str, mut work: impl FnMut() -> T) {
    let mut times: Vec<Duration> = (0..RUNS).map(|_| timed(&mut work).0).collect();
    times.sort_unstable();
    println!("{what}: median {:.1?}, longest {:.1?}", times[RUNS / 2], times[RUNS - 1]);
}
