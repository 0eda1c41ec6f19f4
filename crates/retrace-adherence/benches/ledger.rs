//! The ledger of 50 rules over many sessions: the first time, and again.
//!
//! `cargo bench -p retrace-adherence --bench ledger [-- SESSIONS]`

#![allow(clippy::print_stdout, reason = "figures are printed")]

use retrace_adherence::{DEEDS_FILE, Rules, add_memory_rule, adherence};
use retrace_engine::stores::add_store;
use retrace_engine::{Engine, EngineOptions};
use retrace_lab::{KeyInMemory, Lab};
use retrace_wire::{AddMemoryRule, AddStore, AdherenceReq};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Instant;

#[path = "../../retrace-lab/benches/support/sessions.rs"]
mod sessions;

/// Sessions where no number is said: 700 MB of them.
const SESSIONS: usize = 1_000;

/// Rules of every kind; `number` makes each another one.
fn rule(number: usize) -> Value {
    let source = format!("shop:MEMORY.md:{}", number * 5 + 1);
    let mut rule = match number % 10 {
        0 => json!({"kind": "command_never", "program": "npm"}),
        1 => json!({"kind": "command_never", "program": "git", "arguments": ["stash"]}),
        2 => json!({"kind": "command_never", "program": "*", "arguments": ["--no-verify"]}),
        3 => json!({"kind": "command_form", "program": "tsc", "form": "npx tsc --noEmit"}),
        4 => {
            json!({"kind": "command_form", "program": "git", "arguments": ["commit"], "form": "!Co-Authored-By"})
        }
        5 => json!({"kind": "order", "before": "cargo test", "after": "git commit"}),
        6 => json!({"kind": "path_never", "paths": [format!("src/part_{number}.rs"), "migrations"]}),
        7 => json!({"kind": "at_end", "program": "git", "arguments": ["push"]}),
        8 => json!({"kind": "ask_first", "program": "gh", "arguments": ["pr", "merge"]}),
        _ => {
            json!({"kind": "command_never", "program": "rm", "arguments": ["-rf", format!("part_{number}")]})
        }
    };
    rule["sentence"] = format!("fact number {} of the index", number * 5 + 1).into();
    rule["source"] = source.into();
    rule
}

fn main() {
    let asked = std::env::args().skip(1).find_map(|it| it.parse().ok());
    let sessions = asked.unwrap_or(SESSIONS);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let home = directory.path().join("home");
    let (memory, bytes) = sessions::home(&home, sessions).expect("room for the sessions");
    println!("{sessions} sessions of {} requests, {:.0} MB", sessions::REQUESTS, bytes as f64 / 1e6);
    let rules = || {
        let mut options =
            EngineOptions::for_this_machine(Some(directory.path().join("data"))).expect("options");
        options.surroundings.home.clone_from(&home);
        options.surroundings.env = Default::default();
        // The memory was there before the sessions, so that no verdict predates its rule.
        options.clock = Arc::new(|| retrace_model::Timestamp::from_micros(1_700_000_000_000_000));
        let engine = Engine::open(options).expect("an engine");
        let lab = Arc::new(Lab::new(Arc::clone(&engine), Arc::new(KeyInMemory::default())));
        Arc::new(Rules::new(engine, lab))
    };
    let first = rules();
    let root = memory.display().to_string();
    let store = AddStore { root, kind: Some("claude-auto".to_owned()), name: Some("shop".to_owned()) };
    add_store(&first, store).expect("a store");
    for number in 0..50 {
        let add = AddMemoryRule { rule: rule(number), dismissed: false };
        add_memory_rule(&first, add).expect("a rule");
    }
    let ask = |rules: &Arc<Rules>| {
        let ledger = adherence(rules, AdherenceReq::default()).expect("a ledger");
        let sum = |of: &dyn Fn(&retrace_wire::RuleLedger) -> u64| ledger.rules.iter().map(of).sum::<u64>();
        println!(
            "  {} rules, {} opportunities, {} broken, {} of them present",
            ledger.rules.len(),
            sum(&|rule| rule.opportunities),
            sum(&|rule| rule.broken),
            sum(&|rule| rule.broken_present)
        );
    };
    timed("the ledger, nothing known of the sessions", || ask(&first));
    timed("again", || ask(&first));
    drop(first);
    for _ in 0..3 {
        let rules = rules();
        timed("the ledger, in a process that knows nothing but the files", || ask(&rules));
    }
    let data = directory.path().join("data");
    std::fs::remove_file(data.join(DEEDS_FILE)).expect("it was kept");
    let rules = rules();
    timed("the ledger, where presence is known and nothing of what was done", || ask(&rules));
    let kept = std::fs::metadata(data.join(DEEDS_FILE)).map_or(0, |file| file.len());
    println!("the index of deeds has {:.1} MB", kept as f64 / 1e6);
}

fn timed(what: &str, work: impl FnOnce()) {
    let begun = Instant::now();
    work();
    println!("{what}: {:.1?}", begun.elapsed());
}
