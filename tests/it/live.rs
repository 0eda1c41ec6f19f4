//! Rules while sessions run: a break is found as its transcript grows, once, and is seen or put back.

use retrace_api::App;
use retrace_api::commands;
use retrace_api::wire::{self, Event};
use retrace_tests::World;
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;
use std::time::Duration;

mod database;
mod ending;
mod subagents;

/// Longer than anything takes; nothing is measured.
const PATIENCE: Duration = Duration::from_secs(120);

/// A session that goes on after everything else, by the clock of its client.
struct Session {
    file: PathBuf,
    id: String,
    directory: String,
    lines: usize,
}

impl Session {
    fn new(world: &World, id: &str) -> Self {
        Self::in_directory(world, id, "/home/ada/app")
    }

    fn in_directory(world: &World, id: &str, directory: &str) -> Self {
        let folder = world.path("home/.claude/projects").join(retrace_sources::slug(directory));
        std::fs::create_dir_all(&folder).expect("a folder");
        let (id, directory) = (id.to_owned(), directory.to_owned());
        Self { file: folder.join(format!("{id}.jsonl")), id, directory, lines: 0 }
    }

    fn line(&mut self, fields: &Value) -> String {
        let number = self.lines;
        self.lines += 1;
        let mut row = json!({"uuid": format!("{}-{number}", self.id), "sessionId": self.id, "cwd": self.directory,
            "version": "2.1.181", "isSidechain": false,
            "parentUuid": (number > 0).then(|| format!("{}-{}", self.id, number - 1)),
            "timestamp": format!("2026-11-20T23:{:02}:{:02}.000Z", number / 60, number % 60)});
        row.as_object_mut().expect("a row").extend(fields.as_object().expect("fields").clone());
        format!("{row}\n")
    }

    fn says(&mut self, text: &str) -> String {
        self.line(&json!({"type": "user", "message": {"role": "user", "content": text}}))
    }

    fn runs(&mut self, command: &str) -> String {
        let call = format!("{}-call-{}", self.id, self.lines);
        let message = json!({"id": format!("msg_{call}"), "role": "assistant", "model": "claude-opus-5",
            "content": [{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}],
            "usage": {"input_tokens": 5, "output_tokens": 5}});
        self.line(&json!({"type": "assistant", "message": message}))
    }

    fn answers(&mut self, block: &Value) -> String {
        let message = json!({"id": format!("msg_{}-{}", self.id, self.lines), "role": "assistant",
            "model": "claude-opus-5", "content": [block], "usage": {"input_tokens": 5, "output_tokens": 5}});
        self.line(&json!({"type": "assistant", "message": message}))
    }

    fn tells(&mut self, text: &str) -> String {
        self.answers(&json!({"type": "text", "text": text}))
    }

    fn writes(&mut self, path: &str) -> String {
        let call = format!("{}-call-{}", self.id, self.lines);
        let input = json!({"file_path": path, "content": "changed\n"});
        self.answers(&json!({"type": "tool_use", "id": call, "name": "Write", "input": input}))
    }

    fn append(&self, text: &str) {
        let mut file = OpenOptions::new().append(true).create(true).open(&self.file).expect("the transcript");
        file.write_all(text.as_bytes()).expect("a line");
    }
}

fn never_npm(world: &World) -> wire::MemoryRule {
    world.record("build.md", "# Build\n- Use pnpm, never npm.\n");
    let rule = json!({"kind": "command_never", "program": "npm", "sentence": "Use pnpm, never npm.",
        "source": "notes:build.md:2"});
    commands::add_memory_rule(&world.app, wire::AddMemoryRule { rule, dismissed: false }).expect("a rule")
}

fn broken(app: &App, seen: bool) -> Vec<wire::BrokenRule> {
    commands::broken_rules(app, wire::BrokenRulesReq { seen, limit: None }).expect("breaks").broken
}

/// Waits until so many breaks are known, told by events alone.
fn wait_for(app: &App, events: &Receiver<Event>, count: usize) -> Vec<wire::BrokenRule> {
    loop {
        let found = broken(app, true);
        if found.len() >= count {
            assert_eq!(found.len(), count, "{found:?}");
            return found;
        }
        while events.recv_timeout(PATIENCE).expect("a break is told") != Event::Broken {}
    }
}

fn calls(found: &[wire::BrokenRule]) -> Vec<&str> {
    found.iter().map(|broken| broken.what.as_str()).collect()
}

#[test]
fn a_break_is_found_as_its_line_is_written_and_can_be_seen_and_put_back() {
    let world = World::new();
    let rule = never_npm(&world);
    let events = world.app.subscribe();
    let recording = world.app.record(&[]).expect("it records");
    let mut session = Session::new(&world, "aaaa");
    let first = session.says("Set it up.") + &session.runs("echo npm") + &session.runs("npm ci");
    session.append(&first);
    let found = wait_for(&world.app, &events, 1);
    let one = &found[0];
    assert_eq!((one.rule_id.as_str(), one.what.as_str()), (rule.rule_id.as_str(), "npm ci"));
    assert_eq!((one.session.as_str(), one.turn, one.line), ("aaaa", Some(2), 3));
    assert_eq!(one.source.as_deref(), Some("notes:build.md:2"));
    assert_eq!(one.sentence, "Use pnpm, never npm.");
    // A partial line waits for its end.
    let next = session.runs("npm test");
    let (head, tail) = next.split_at(next.len() / 2);
    session.append(head);
    session.append(tail);
    let found = wait_for(&world.app, &events, 2);
    assert_eq!(calls(&found), ["npm test", "npm ci"]);
    // The ledger over the whole file says the same.
    let request = wire::AdherenceReq { cases: true, ..wire::AdherenceReq::default() };
    let ledger = commands::adherence(&world.app, request).expect("a ledger").rules.remove(0);
    let cases: Vec<_> =
        ledger.cases.iter().filter(|case| case.outcome == wire::RuleOutcome::Broken).collect();
    let told =
        |found: &wire::BrokenRule| (found.what.clone(), found.turn, found.line, found.present, found.cause);
    let counted =
        |case: &&wire::RuleCase| (case.what.clone(), case.turn, case.line, case.present, case.cause);
    assert_eq!(found.iter().map(told).collect::<Vec<_>>(), cases.iter().map(counted).collect::<Vec<_>>());

    let triage = || commands::triage(&world.app, wire::TriageReq::default()).expect("a triage");
    let status = || commands::status(&world.app, wire::Nothing {}).expect("a status").broken_rules;
    assert_eq!(
        (triage().broken_total, calls(&triage().broken), status()),
        (2, vec!["npm test", "npm ci"], 2)
    );
    let see = |put_back| {
        let request = wire::SeeBrokenRules { broken: vec![one.id.clone()], put_back };
        commands::see_broken_rules(&world.app, request).expect("it is there").broken.remove(0)
    };
    let seen = see(false);
    assert!(seen.seen_at.is_some() && seen.seen_by.is_some(), "{seen:?}");
    assert_eq!((calls(&triage().broken), status()), (vec!["npm test"], 1));
    assert_eq!(broken(&world.app, true).len(), 2);
    assert!(see(true).seen_at.is_none());
    assert_eq!(triage().broken_total, 2);
    // Both acts are undone, the newest first.
    let undo = || {
        let request = wire::UndoReq { operation_seq: None, dry_run: false };
        let undone = commands::undo(&world.app, request).expect("it is undone").rule_act.expect("an act");
        assert_eq!(undone.broken, std::slice::from_ref(&one.id));
        (undone.becomes, triage().broken_total)
    };
    assert_eq!([undo(), undo()], [(wire::RuleStanding::Seen, 1), (wire::RuleStanding::Unseen, 2)]);
    let unknown = wire::SeeBrokenRules { broken: vec!["break_9".to_owned()], put_back: false };
    assert_eq!(commands::see_broken_rules(&world.app, unknown).expect_err("none").code, wire::Code::NotFound);
    // A rule that is taken off the list needs nobody.
    let off = wire::ListMemoryRule { rule: rule.rule_id, put_back: false };
    commands::list_memory_rule(&world.app, off).expect("a rule");
    assert_eq!((triage().broken_total, status()), (0, 0));
    recording.stop();
    world.verify();
}

#[test]
fn what_is_written_while_nothing_records_is_found_once_when_it_does() {
    let world = World::new();
    let mut session = Session::new(&world, "bbbb");
    let first = session.says("Set it up.") + &session.runs("npm ci");
    session.append(&first);
    never_npm(&world);
    let events = world.app.subscribe();
    let recording = world.app.record(&[]).expect("it records");
    wait_for(&world.app, &events, 1);
    recording.stop();
    let more = session.runs("npm test") + &session.runs("pnpm test");
    session.append(&more);
    // A session that began meanwhile, and a subagent's.
    let mut other = Session::new(&world, "cccc");
    let text = other.says("Go on.") + &other.runs("npm run lint");
    other.append(&text);
    let recording = world.app.record(&[]).expect("it records");
    let found = wait_for(&world.app, &events, 3);
    let mut told = calls(&found);
    told.sort_unstable();
    assert_eq!(told, ["npm ci", "npm run lint", "npm test"]);
    recording.stop();
    // Without what is kept beside the log nothing is told again.
    std::fs::remove_file(world.path("data/live.index")).expect("it was kept");
    let recording = world.app.record(&[]).expect("it records");
    let last = session.runs("npm run build");
    session.append(&last);
    let found = wait_for(&world.app, &events, 4);
    assert_eq!(found[0].what, "npm run build");
    recording.stop();
}

#[test]
fn a_transcript_that_is_written_anew_is_read_from_its_beginning() {
    let world = World::new();
    never_npm(&world);
    let events = world.app.subscribe();
    let recording = world.app.record(&[]).expect("it records");
    let mut session = Session::new(&world, "dddd");
    let first = session.says("Set it up.") + &session.runs("npm ci");
    session.append(&first);
    wait_for(&world.app, &events, 1);
    // Replaced by a longer one that begins otherwise, then cut.
    let mut anew = Session::new(&world, "dddd");
    anew.lines = 100;
    let text = anew.says("Something else, and at greater length than before.")
        + &first
        + &anew.runs("npm test")
        + &anew.runs("true");
    let aside = session.file.with_extension("new");
    std::fs::write(&aside, &text).expect("a file");
    std::fs::rename(&aside, &session.file).expect("it is replaced");
    let found = wait_for(&world.app, &events, 2);
    assert_eq!(found[0].what, "npm test");
    let cut = anew.says("Again.") + &anew.runs("npm audit");
    std::fs::write(&session.file, &cut).expect("it is written anew");
    let found = wait_for(&world.app, &events, 3);
    assert_eq!(found[0].what, "npm audit");
    recording.stop();
}

/// The memory of a repository is that of all below it and of its worktrees, and who read a memory had it wherever they ran: what
/// is told while sessions run is what the ledger counts of them.
#[test]
fn breaks_are_told_of_all_sessions_that_the_ledger_counts() {
    let world = World::new();
    let (app, second) = (world.path("app"), world.path("second"));
    let administration = app.join(".git/worktrees/second");
    for directory in [&administration, &app.join("web"), &second] {
        std::fs::create_dir_all(directory).expect("a folder");
    }
    std::fs::write(second.join(".git"), format!("gitdir: {}\n", administration.display())).expect("a file");
    std::fs::write(administration.join("commondir"), "../..\n").expect("a file");
    let folder = world.path("home/.claude/projects").join(retrace_sources::slug(&app.display().to_string()));
    let memory = folder.join("memory");
    std::fs::create_dir_all(&memory).expect("a folder");
    std::fs::write(memory.join("MEMORY.md"), "# Build\n- Use pnpm, never npm.\n").expect("a memory");
    let request = wire::AddStore {
        root: memory.display().to_string(),
        kind: Some("claude-auto".to_owned()),
        name: Some("memory".to_owned()),
    };
    commands::add_store(&world.app, request).expect("a store");
    world.scan();
    let rule = json!({"kind": "command_never", "program": "npm", "sentence": "Use pnpm, never npm.",
        "source": "memory:MEMORY.md:2"});
    commands::add_memory_rule(&world.app, wire::AddMemoryRule { rule, dismissed: false }).expect("a rule");
    let events = world.app.subscribe();
    let recording = world.app.record(&[]).expect("it records");
    let text = |path: &std::path::Path| path.display().to_string();
    let elsewhere = text(&world.path("elsewhere"));
    for (id, directory) in [("eeee", text(&app)), ("ffff", text(&app.join("web"))), ("gggg", text(&second))] {
        let mut session = Session::in_directory(&world, id, &directory);
        let lines = session.says("Set it up.") + &session.runs("npm ci");
        session.append(&lines);
    }
    let mut other = Session::in_directory(&world, "hhhh", &elsewhere);
    let lines = other.says("Set it up.") + &other.runs("npm test");
    other.append(&lines);
    let found = wait_for(&world.app, &events, 3);
    let mut sessions: Vec<&str> = found.iter().map(|broken| broken.session.as_str()).collect();
    sessions.sort_unstable();
    assert_eq!(sessions, ["eeee", "ffff", "gggg"]);
    let request = wire::AdherenceReq::default();
    assert_eq!(commands::adherence(&world.app, request).expect("a ledger").rules[0].broken, 3);
    recording.stop();
}

#[test]
fn a_call_that_a_hook_refused_is_no_break() {
    let world = World::new();
    never_npm(&world);
    let events = world.app.subscribe();
    let recording = world.app.record(&[]).expect("it records");
    let mut session = Session::new(&world, "iiii");
    let lines = session.says("Set it up.") + &session.runs("npm ci");
    session.append(&lines);
    wait_for(&world.app, &events, 1);
    let result = json!({"type": "tool_result", "tool_use_id": "iiii-call-1", "is_error": true,
        "content": "PreToolUse:Bash hook error: Use pnpm, never npm."});
    let refused = session.line(&json!({"type": "user", "message": {"role": "user", "content": [result]}}));
    session.append(&refused);
    while !broken(&world.app, true).is_empty() {
        events.recv_timeout(PATIENCE).expect("it is withdrawn");
    }
    let request = wire::AdherenceReq::default();
    let ledger = commands::adherence(&world.app, request).expect("a ledger").rules.remove(0);
    assert_eq!((ledger.broken, ledger.opportunities), (0, 0));
    recording.stop();
}
