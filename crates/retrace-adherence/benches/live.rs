//! What following ten running sessions costs: processor time of all that records, while each session makes a call every few
//! seconds, with 50 rules. Told for rules that nobody breaks, and for rules that are broken now and then.
//!
//! `cargo bench -p retrace-adherence --bench live [-- SECONDS]`; it reads `/proc`, and so runs on Linux alone.

#![allow(clippy::print_stdout, reason = "figures are printed")]

use retrace_adherence::{LiveUpkeep, Rules, add_memory_rule, broken_rules};
use retrace_engine::stores::add_store;
use retrace_engine::{Engine, EngineOptions};
use retrace_lab::{KeyInMemory, Lab};
use retrace_model::Timestamp;
use retrace_wire::{AddMemoryRule, AddStore, BrokenRulesReq};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[path = "../../retrace-lab/benches/support/sessions.rs"]
mod sessions;

/// Sessions that run.
const SESSIONS: usize = 10;

/// Each makes a call so often.
const CALL_EVERY: Duration = Duration::from_secs(5);

/// Seconds that are measured where no number is said.
const SECONDS: u64 = 60;

/// Bytes of the answer to a call.
const ANSWER: usize = 4_000;

/// Rules of every kind that a running session is judged by; `program` names what they forbid.
fn rule(number: usize, program: &str) -> Value {
    let mut rule = match number % 6 {
        0 => {
            json!({"kind": "command_never", "program": program, "arguments": [format!("part-{}", number % 3)]})
        }
        1 => json!({"kind": "command_never", "program": "*", "arguments": ["--no-verify"]}),
        2 => {
            json!({"kind": "command_form", "program": "git", "arguments": ["commit"], "form": "!Co-Authored-By"})
        }
        3 => json!({"kind": "order", "before": "cargo test", "after": "git push"}),
        4 => json!({"kind": "path_never", "paths": [format!("generated_{number}"), "migrations"]}),
        _ => json!({"kind": "ask_first", "program": "gh", "arguments": ["pr", "merge"]}),
    };
    rule["sentence"] = format!("fact number {} of the index", number * 4 + 1).into();
    rule["source"] = format!("shop:MEMORY.md:{}", number * 4 + 1).into();
    rule
}

fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

/// A call and its answer, as two lines.
fn call(session: usize, number: usize, command: &str) -> String {
    let id = format!("toolu_live_{session}_{number}");
    let line = |kind: &str, part: &str, message: Value| {
        let fields = json!({"type": kind, "uuid": format!("{part}{session}_{number}"), "sessionId": format!("s{session}"),
            "cwd": "/home/ada/shop", "version": "2.1.330", "isSidechain": false, "timestamp": now().to_rfc3339(),
            "message": message});
        format!("{fields}\n")
    };
    let tool = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}});
    let answer = json!({"type": "tool_result", "tool_use_id": id, "content": "x".repeat(ANSWER)});
    line(
        "assistant",
        "c",
        json!({"id": format!("msg_{session}_{number}"), "role": "assistant", "model": "claude-opus-4-8", "content": [tool]}),
    ) + &line("user", "r", json!({"role": "user", "content": [answer]}))
}

/// Processor time of this process so far without its first thread, which writes the transcripts: everything that records.
fn spent() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("the times of this process");
    let behind_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: u64 =
        behind_name.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    let first = format!("/proc/self/task/{}/schedstat", std::process::id());
    let first = std::fs::read_to_string(first).expect("the times of the first thread");
    let own = first.split_whitespace().next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0);
    // Linux tells them in hundredths of a second.
    Duration::from_millis(ticks * 10).saturating_sub(Duration::from_nanos(own))
}

fn measure(seconds: u64, program: &str, what: &str) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let home = directory.path().join("home");
    let (memory, bytes) = sessions::home(&home, SESSIONS).expect("room for the sessions");
    let mut options = EngineOptions::for_this_machine(Some(directory.path().join("data"))).expect("options");
    options.surroundings.home.clone_from(&home);
    options.surroundings.env = Default::default();
    let engine = Engine::open(options).expect("an engine");
    let lab = Arc::new(Lab::new(Arc::clone(&engine), Arc::new(KeyInMemory::default())));
    let rules = Arc::new(Rules::new(Arc::clone(&engine), lab));
    let root = memory.display().to_string();
    add_store(&rules, AddStore { root, kind: Some("claude-auto".to_owned()), name: Some("shop".to_owned()) })
        .expect("a store");
    for number in 0..50 {
        let add = AddMemoryRule { rule: rule(number, program), dismissed: false };
        add_memory_rule(&rules, add).expect("a rule");
    }
    let recording =
        engine.record(&[], vec![Box::new(LiveUpkeep::new(Arc::clone(&rules)))]).expect("it records");
    let files: Vec<PathBuf> = (0..SESSIONS)
        .map(|number| {
            home.join(format!(".claude/projects/-home-ada-shop/00000000-0000-4000-8000-{number:012}.jsonl"))
        })
        .collect();
    // The first call of each session has its file read whole; that is no part of running.
    let mut number = 0;
    let mut write = |session: usize, files: &[PathBuf]| {
        number += 1;
        // Every twentieth call is one that rules may be about.
        let command = match number % 20 {
            0 => format!("npm part-{}", number % 3),
            _ => format!("cargo test -p shop --lib case_{number} 2>&1 | tail -20"),
        };
        append(&files[session], &call(session, number, &command));
    };
    (0..SESSIONS).for_each(|session| write(session, &files));
    std::thread::sleep(Duration::from_secs(5));
    let (begun, before) = (Instant::now(), spent());
    let mut calls = 0_u32;
    while begun.elapsed() < Duration::from_secs(seconds) {
        write(calls as usize % SESSIONS, &files);
        calls += 1;
        let next = begun + CALL_EVERY / SESSIONS as u32 * calls;
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    let (took, spent) = (begun.elapsed(), spent().saturating_sub(before));
    let found = broken_rules(&rules, BrokenRulesReq::default()).expect("breaks").total;
    println!(
        "{what}: {calls} calls of {SESSIONS} sessions ({:.1} MB before) in {:.0} s: {:.0} ms of processor time, {:.2} % of a core; {found} breaks",
        bytes as f64 / 1e6,
        took.as_secs_f64(),
        spent.as_secs_f64() * 1e3,
        spent.as_secs_f64() / took.as_secs_f64() * 100.0
    );
    recording.stop();
}

fn append(path: &Path, text: &str) {
    let mut file = OpenOptions::new().append(true).open(path).expect("the transcript");
    file.write_all(text.as_bytes()).expect("a line");
}

fn main() {
    let asked = std::env::args().skip(1).find_map(|it| it.parse().ok());
    let seconds = asked.unwrap_or(SECONDS);
    measure(seconds, "nobody-calls-this", "50 rules that nobody breaks");
    measure(seconds, "npm", "50 rules, of which some are broken by every twentieth call");
}
