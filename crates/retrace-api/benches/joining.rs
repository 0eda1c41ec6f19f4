//! Cost of finding out who wrote 20,000 versions from 500 MB of transcripts, through the same call that a person's
//! question makes: the first pass with nothing known, and a pass after one more version and one transcript that has grown.
//!
//! `cargo bench -p retrace-api --bench joining [-- FILES STEPS MEGABYTES]`

#![allow(clippy::print_stdout, reason = "figures are printed")]

use retrace_api::{App, AppOptions, commands, wire};
use retrace_model::Timestamp;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

/// 2026-11-20T10:00:00Z, in seconds.
const START: i64 = 1_795_168_800;

/// Seconds between two steps, each of which is one session's work.
const STEP: i64 = 600;

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let [files, steps, megabytes] = match numbers.as_slice() {
        [files, steps, megabytes] => [*files, *steps, *megabytes],
        _ => [200, 100, 500],
    };
    let directory = tempfile::tempdir().expect("a temporary directory");
    let now = Arc::new(AtomicI64::new(START));
    let app = open(directory.path(), &now);
    let project = directory.path().join("home/.claude/projects/-home-ada-app");
    let memory = project.join("memory");
    fs::create_dir_all(&memory).expect("a directory");
    let request = wire::AddStore { root: memory.to_string_lossy().into_owned(), ..wire::AddStore::default() };
    commands::add_store(&app, request).expect("a store");
    let filler = "what a tool answered, line after line of it\n".repeat(1_500);
    for step in 0..steps {
        now.store(START + STEP * step as i64, Ordering::SeqCst);
        let session = work(&memory, step, files, &now);
        let padded = padded(session, &filler, megabytes * (1 << 20) / steps);
        fs::write(project.join(format!("{step:08}-0000.jsonl")), padded).expect("a transcript");
        now.fetch_add(5, Ordering::SeqCst);
        commands::scan(&app, wire::ScanReq::default()).expect("a scan");
    }
    let versions =
        commands::log(&app, wire::LogReq { limit: Some(1), ..wire::LogReq::default() }).expect("the log");
    let newest = versions.versions.into_iter().next().expect("a version");
    let bytes: u64 = fs::read_dir(&project)
        .expect("a folder")
        .flatten()
        .filter_map(|entry| entry.metadata().ok())
        .map(|of| of.len())
        .sum();
    println!("{} versions, {} sessions, {} MB of transcripts", newest.seq, steps, bytes >> 20);
    let (seconds, origin) = ask(&app, &newest.id);
    println!("first pass: {seconds:.2} s ({}, turn {:?})", origin.note.confidence, origin.note.turn);
    let sure = wire::LogReq {
        actor: Some("00000000-0000".to_owned()),
        limit: Some(1000),
        ..wire::LogReq::default()
    };
    println!(
        "of the first session's {files} writes {} are found by its name",
        commands::log(&app, sure).expect("the log").versions.len()
    );
    now.fetch_add(STEP, Ordering::SeqCst);
    let more = work(&memory, steps, 1, &now);
    let path = project.join(format!("{:08}-0000.jsonl", steps - 1));
    let mut text = fs::read(&path).expect("a transcript");
    text.extend_from_slice(more.as_bytes());
    fs::write(&path, text).expect("a transcript");
    now.fetch_add(5, Ordering::SeqCst);
    commands::scan(&app, wire::ScanReq::default()).expect("a scan");
    let log =
        commands::log(&app, wire::LogReq { limit: Some(1), ..wire::LogReq::default() }).expect("the log");
    let (seconds, origin) = ask(&app, &log.versions[0].id);
    println!("one version more, one transcript grown: {seconds:.3} s ({})", origin.note.confidence);
    let (seconds, _) = ask(&app, &log.versions[0].id);
    println!("asked again: {seconds:.3} s");
}

fn open(directory: &Path, now: &Arc<AtomicI64>) -> App {
    let mut options = AppOptions::for_this_machine(Some(directory.join("data"))).expect("options");
    options.surroundings.home = directory.join("home");
    options.surroundings.env.clear();
    let clock = Arc::clone(now);
    options.clock = Arc::new(move || Timestamp::from_micros(clock.load(Ordering::SeqCst) * 1_000_000));
    App::open(options).expect("an app")
}

/// The seconds that a question takes, and its answer.
fn ask(app: &App, version: &str) -> (f64, wire::Origin) {
    let begun = Instant::now();
    let request = wire::OriginReq { version: version.to_owned(), around: None };
    let origin = commands::origin(app, request).expect("an origin");
    (begun.elapsed().as_secs_f64(), origin)
}

/// A session that changes every file, and its transcript.
fn work(memory: &Path, step: usize, files: usize, now: &AtomicI64) -> String {
    let id = format!("{step:08}-0000");
    let at = Timestamp::from_micros(now.load(Ordering::SeqCst) * 1_000_000).to_rfc3339();
    let mut text = String::new();
    let mut parent = Value::Null;
    let mut line = |kind: &str, uuid: String, message: Value, result: Value| {
        let line = json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": id, "timestamp": at,
            "cwd": "/home/ada/app", "version": "2.1.181", "message": message, "toolUseResult": result});
        parent = uuid.into();
        writeln!(text, "{line}").expect("a string takes it");
    };
    line(
        "user",
        format!("u{step}"),
        json!({"role": "user", "content": format!("Step {step}.")}),
        Value::Null,
    );
    for file in 0..files {
        let path = memory.join(format!("note_{file}.md"));
        let named = path.to_string_lossy();
        let call = format!("toolu_{step}_{file}");
        let before = fs::read_to_string(&path).ok();
        let (tool, input, after) = match &before {
            None => {
                let content = format!("# Note {file}\n- step {step}\n{}", "- a line that stays\n".repeat(60));
                ("Write", json!({"file_path": named, "content": content}), content)
            }
            Some(before) => {
                let (old, new) = (format!("- step {}\n", step - 1), format!("- step {step}\n"));
                let after = before.replacen(&old, &new, 1);
                ("Edit", json!({"file_path": named, "old_string": old, "new_string": new}), after)
            }
        };
        fs::write(&path, &after).expect("a file");
        let message = json!({"id": format!("msg_{step}_{file}"), "role": "assistant", "model": "claude-opus-4-6",
            "content": [{"type": "tool_use", "id": call, "name": tool, "input": input}]});
        line("assistant", format!("a{step}_{file}"), message, Value::Null);
        let message = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": "done"}]});
        line("user", format!("r{step}_{file}"), message, Value::Null);
    }
    text
}

/// The transcript with answers of tools after it, up to a size.
fn padded(mut session: String, filler: &str, size: usize) -> String {
    let mut number = 0;
    while session.len() < size {
        let message = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": format!("pad_{number}"), "content": filler}]});
        let line =
            json!({"type": "user", "uuid": format!("pad_{number}_{}", session.len()), "message": message});
        writeln!(session, "{line}").expect("a string takes it");
        number += 1;
    }
    session
}
