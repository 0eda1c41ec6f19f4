//! Rules while real clients run: what the script breaks is told, what only looks like it is not.

use super::rules::programs;
use super::{MODELS, opencode, rig_with, runs, says};
use retrace_api::wire::{self, Event};
use retrace_api::{App, commands};
use retrace_model::Timestamp;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::Receiver;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Longer than anything takes; nothing is measured.
const PATIENCE: Duration = Duration::from_secs(120);

fn confirm(app: &App, rule: Value) {
    commands::add_memory_rule(app, wire::AddMemoryRule { rule, dismissed: false }).expect("a rule");
}

fn broken(app: &App) -> Vec<wire::BrokenRule> {
    commands::broken_rules(app, wire::BrokenRulesReq { seen: true, limit: None }).expect("breaks").broken
}

/// Waits until these are what was broken, the newest first.
fn wait_until(app: &App, events: &Receiver<Event>, expected: &[&str]) {
    loop {
        let found = broken(app);
        if found.iter().map(|one| one.what.as_str()).eq(expected.iter().copied()) {
            return;
        }
        assert!(events.recv_timeout(PATIENCE).is_ok(), "{found:?}");
    }
}

/// What the ledger counts as broken.
fn ledger(app: &App) -> Vec<String> {
    let request = wire::AdherenceReq { cases: true, ..wire::AdherenceReq::default() };
    let rules = commands::adherence(app, request).expect("a ledger").rules;
    let cases = rules.into_iter().flat_map(|rule| rule.cases);
    cases.filter(|case| case.outcome == wire::RuleOutcome::Broken).map(|case| case.what).collect()
}

#[test]
fn a_call_of_opencode_that_breaks_a_rule_is_told_before_it_ends() {
    let Some(rig) = opencode::rig() else { return };
    let app = &rig.world.app;
    confirm(app, json!({"kind": "command_never", "program": "npm", "sentence": "Use pnpm, never npm."}));
    let events = app.subscribe();
    let recording = app.record(&[]).expect("it records");
    let go = rig.world.path("go");
    let shell = |command: &str| json!({"type": "tool_use", "name": "bash", "input": {"command": command, "description": "Run it"}});
    let waits = format!("npm --version; while [ ! -e {} ]; do sleep 0.1; done", go.display());
    rig.api.play(vec![
        vec![shell("echo npm; true # npm ci")],
        vec![says("I look."), shell(&waits)],
        vec![shell("npm ls || true"), shell("echo pnpm ci")],
        vec![says("Finished.")],
    ]);
    let mut client = rig.command(&["Look at the project"]);
    let mut client = client.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    wait_until(app, &events, &["npm --version"]);
    assert!(client.try_wait().expect("its state").is_none(), "its call has not ended");
    std::fs::write(&go, "").expect("a file");
    assert!(client.wait().expect("it ends").success());
    wait_until(app, &events, &["npm ls", "npm --version"]);
    assert_eq!(ledger(app), ["npm ls", "npm --version"]);
    let turns: Vec<_> = broken(app).iter().map(|one| one.turn).collect();
    assert_eq!(turns, [Some(3), Some(2)]);
    // Another session in the same database, and what is done in the first one later.
    let first = broken(app)[0].session.clone();
    rig.api.play(vec![vec![shell("npm audit || true")], vec![says("Finished.")]]);
    rig.run(&["Look again"]);
    rig.api.play(vec![vec![shell("npm fund || true")], vec![says("Finished.")]]);
    rig.run(&["--session", &first, "Go on"]);
    wait_until(app, &events, &["npm fund", "npm audit", "npm ls", "npm --version"]);
    let sessions: Vec<_> = broken(app).into_iter().map(|one| one.session).collect();
    assert!(sessions[0] == first && sessions[1] != first && sessions[2] == first, "{sessions:?}");
    recording.stop();
}

fn writes(path: &Path) -> Value {
    json!({"type": "tool_use", "name": "Write", "input": {"file_path": path, "content": "changed\n"}})
}

#[test]
fn the_end_of_a_session_of_claude_code_is_known_when_its_process_ends() {
    const FIRST: &str = "00000000-0000-4000-8000-000000000401";
    const SECOND: &str = "00000000-0000-4000-8000-000000000402";
    let now = || {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    };
    let Some(rig) = rig_with(|options| options.engine.clock = std::sync::Arc::new(now)) else { return };
    let (app, project) = (&rig.world.app, rig.project());
    confirm(
        app,
        json!({"kind": "at_end", "program": "preflight", "sentence": "Run preflight before you stop."}),
    );
    programs(&project, &["preflight"]);
    // The client ran here before: a directory that comes is watched when all of them are listed again.
    for folder in ["sessions", "projects"] {
        std::fs::create_dir_all(rig.world.path("agent/.claude").join(folder)).expect("a folder");
    }
    let events = app.subscribe();
    let recording = app.record(&[]).expect("it records");
    let script = |last: Vec<Value>| {
        let mut turns = vec![vec![writes(&project.join("one.txt"))], vec![runs("sleep 1; echo preflight")]];
        turns.extend([last, vec![says("Done.")]]);
        turns
    };
    // One that does what it must, and one that does not.
    rig.api.play(script(vec![runs("./preflight")]));
    rig.run(&["-p", "Go on with the work", "--session-id", FIRST, "--model", MODELS[0]]);
    rig.api.play(script(vec![runs("echo nothing")]));
    rig.run(&["-p", "Go on with the work", "--session-id", SECOND, "--model", MODELS[0]]);
    wait_until(app, &events, &["preflight"]);
    let found = broken(app);
    let end = &found[0];
    assert_eq!((end.session.as_str(), end.at_end, end.quiet_minutes), (SECOND, true, None));
    assert_eq!(ledger(app), ["preflight"]);
    // It is resumed, and does it then.
    rig.api.play(vec![vec![runs("./preflight")], vec![says("Done.")]]);
    rig.run(&["-p", "You forgot it.", "--resume", SECOND, "--model", MODELS[0]]);
    wait_until(app, &events, &[]);
    assert!(ledger(app).is_empty());
    recording.stop();
}
