//! Rules against real Claude Code: a script breaks each kind of rule and does what only looks like it; the ledger counts the
//! former alone, and says of each break whether the rule's line was in what was sent.

use super::presence::{add_memory, index_of, lines_in, reads};
use super::{MODELS, Rig, rig_with, runs, says};
use retrace_api::{commands, wire};
use retrace_model::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

const FIRST: &str = "00000000-0000-4000-8000-000000000301";
const SECOND: &str = "00000000-0000-4000-8000-000000000302";

fn writes(path: &Path) -> Value {
    json!({"type": "tool_use", "name": "Write", "input": {"file_path": path, "content": "changed\n"}})
}

/// Programs of the project that do nothing and succeed.
pub(super) fn programs(project: &Path, names: &[&str]) {
    use std::os::unix::fs::PermissionsExt as _;
    for name in names {
        let path = project.join(name);
        std::fs::write(&path, "#!/bin/sh\nexit 0\n").expect("a program");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("its mode");
    }
}

/// The rules, each with the line that says it: `MEMORY.md` is loaded up to line 200, `topic.md` when it is read.
fn rules() -> Vec<(&'static str, u32, Value)> {
    vec![
        ("MEMORY.md", 5, json!({"kind": "command_never", "program": "npm"})),
        ("MEMORY.md", 230, json!({"kind": "command_never", "program": "git", "arguments": ["stash"]})),
        (
            "topic.md",
            12,
            json!({"kind": "command_form", "program": "git", "arguments": ["commit"], "form": "!Co-Authored-By"}),
        ),
        ("MEMORY.md", 6, json!({"kind": "order", "before": "lint", "after": "ship"})),
        ("topic.md", 40, json!({"kind": "path_never", "paths": ["generated"]})),
        ("MEMORY.md", 7, json!({"kind": "at_end", "program": "preflight"})),
        ("MEMORY.md", 240, json!({"kind": "ask_first", "program": "merge"})),
    ]
}

impl Rig {
    /// The lines of what was sent for a request of a session.
    fn sent_for(&self, id: &str, turn: u64) -> std::collections::BTreeSet<String> {
        let request =
            self.show(&self.session(id)).requests[usize::try_from(turn - 1).expect("small")].id.clone();
        let log = self.api.log();
        let place = log.usage.iter().position(|(answer, _)| *answer == request).expect("it was answered");
        lines_in(&log.bodies[place])
    }
}

#[test]
fn every_kind_of_rule_is_broken_where_the_script_broke_it_and_nowhere_else() {
    let now = || {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    };
    // The client dates its lines by the clock of the machine, and a rule counts from when it stood there.
    let Some(rig) = rig_with(|options| options.engine.clock = std::sync::Arc::new(now)) else { return };
    let memory = add_memory(&rig, &index_of(260));
    let project = rig.project();
    programs(&project, &["lint", "ship", "preflight", "merge"]);
    let line = |file: &str, number: u32| match file {
        "MEMORY.md" => format!("fact number {number} of the index"),
        _ => format!("topic line {number} of sixty"),
    };
    let ids: Vec<String> = rules()
        .into_iter()
        .map(|(file, number, mut rule)| {
            rule["sentence"] = line(file, number).into();
            rule["source"] = format!("memory:{file}:{number}").into();
            let add = wire::AddMemoryRule { rule, dismissed: false };
            commands::add_memory_rule(&rig.world.app, add).expect("a rule").rule_id
        })
        .collect();

    rig.api.play(vec![
        // Calls of npm, and what only names it.
        vec![runs("mkdir -p x; cd x && npm ci")],
        vec![runs("CI=1 npm test")],
        vec![runs("sh -c 'npm ls'"), runs("/usr/bin/npm --version")],
        vec![runs("echo npm"), runs("pnpm run npm")],
        vec![runs("git commit -m 'npm never'"), runs("git stash")],
        vec![runs("git commit -m 'Fix it' -m 'Co-Authored-By: A Model <a@example.com>'")],
        vec![writes(&project.join("one.txt"))],
        vec![runs("./ship")],
        vec![runs("./lint")],
        vec![runs("./ship")],
        vec![reads(&memory.join("topic.md"), None)],
        vec![writes(&project.join("generated/a.txt")), runs("cat generated/a.txt")],
        vec![runs("./merge"), runs("echo merge preflight")],
        vec![says("Done.")],
    ]);
    rig.run(&["-p", "Go on with the work", "--session-id", FIRST, "--model", MODELS[0]]);
    rig.api.play(vec![
        vec![writes(&project.join("two.txt"))],
        vec![runs("./preflight")],
        vec![says("It passes. Shall I bring it in?")],
    ]);
    rig.run(&["-p", "Go on with the work", "--session-id", SECOND, "--model", MODELS[0]]);
    rig.api.play(vec![vec![runs("./merge")], vec![says("Done.")]]);
    rig.run(&["-p", "Yes.", "--resume", SECOND, "--model", MODELS[0]]);

    let request = wire::AdherenceReq { cases: true, ..wire::AdherenceReq::default() };
    let found = commands::adherence(&rig.world.app, request).expect("a ledger");
    assert!(found.problems.is_empty(), "{:?}", found.problems);
    let by_id: BTreeMap<&str, &wire::RuleLedger> =
        found.rules.iter().map(|row| (row.rule_id.as_str(), row)).collect();
    // Opportunities, followed, broken; of those with the rule before the model.
    let expected =
        [(4, 0, 4, 4), (3, 2, 1, 0), (2, 1, 1, 0), (2, 1, 1, 1), (3, 2, 1, 1), (2, 1, 1, 1), (2, 1, 1, 0)];
    let mut checked = 0;
    for ((id, expected), (file, number, _)) in ids.iter().zip(expected).zip(rules()) {
        let row = by_id[id.as_str()];
        let counts = (row.opportunities, row.followed, row.broken, row.broken_present);
        assert_eq!(counts, expected, "{file}:{number} {:?}", row.cases);
        assert_eq!((row.excepted, row.predates, row.undecidable, row.broken_unknown), (0, 0, 0, 0));
        for case in row.cases.iter().filter(|case| case.outcome == wire::RuleOutcome::Broken) {
            let sent = rig.sent_for(&case.session, case.turn.expect("a turn"));
            let was_sent = sent.iter().any(|sent| sent.contains(&line(file, number)));
            assert_eq!(case.present, Some(was_sent), "{file}:{number}: {case:?}");
            checked += 1;
        }
    }
    assert_eq!(checked, 10);
    let cause = |at: usize| by_id[ids[at].as_str()].broken_absent.keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        (cause(1), cause(2), cause(6)),
        (vec!["cut".into()], vec!["not_opened".into()], vec!["cut".into()])
    );
}

/// Instruction files of which no version is kept: what stands there now is looked for in what was sent.
#[test]
fn a_rule_of_an_instruction_file_that_no_store_holds_is_judged_by_what_was_sent() {
    let Some(rig) = rig_with(|_| ()) else { return };
    let project = rig.project();
    programs(&project, &["ship"]);
    let (root, nested) = (project.join("CLAUDE.md"), project.join("sub/CLAUDE.md"));
    std::fs::create_dir_all(project.join("sub")).expect("a directory");
    std::fs::write(project.join("sub/a.txt"), "a\n").expect("a file");
    std::fs::write(&nested, "- Never call ship from here.\n").expect("a file");
    std::fs::write(&root, "# Project\n- Tests lie beside the code.\n").expect("a file");
    rig.api.play(vec![vec![runs("npm ci")], vec![says("Done.")]]);
    rig.run(&["-p", "Go on with the work", "--session-id", FIRST, "--model", MODELS[0]]);
    std::fs::write(&root, "# Project\n- Tests lie beside the code.\n- Never run npm in here.\n")
        .expect("a file");
    rig.api.play(vec![
        vec![runs("npm ci"), runs("./ship")],
        vec![reads(&project.join("sub/a.txt"), None)],
        vec![runs("./ship")],
        vec![says("Done.")],
    ]);
    rig.run(&["-p", "Go on with the work", "--session-id", SECOND, "--model", MODELS[0]]);

    let add = |program: &str, file: &Path, line: u32, sentence: &str| {
        let source = format!("{}:{line}", file.display());
        let rule =
            json!({"kind": "command_never", "program": program, "sentence": sentence, "source": source});
        let add = wire::AddMemoryRule { rule, dismissed: false };
        commands::add_memory_rule(&rig.world.app, add).expect("a rule").rule_id
    };
    let rules = [
        (add("npm", &root, 3, "Never run npm in here."), "Never run npm in here.", 2),
        (add("ship", &nested, 1, "Never call ship from here."), "Never call ship from here.", 2),
    ];
    let request = wire::AdherenceReq { cases: true, ..wire::AdherenceReq::default() };
    let found = commands::adherence(&rig.world.app, request).expect("a ledger");
    for ((rule, words, breaks), cause) in rules.iter().zip(["other_version", "not_opened"]) {
        let row = found.rules.iter().find(|row| row.rule_id == *rule).expect("the rule");
        assert_eq!((row.broken, row.broken_present, row.broken_unknown), (*breaks, 1, 0), "{:?}", row.cases);
        assert_eq!(row.broken_absent.keys().collect::<Vec<_>>(), [cause]);
        for case in &row.cases {
            let sent = rig.sent_for(&case.session, case.turn.expect("a turn"));
            assert_eq!(case.present, Some(sent.iter().any(|sent| sent.contains(words))), "{case:?}");
        }
    }
}

/// The terminal program of this build, which the hook runs. It is no part of the tests, and so may not be built.
fn retrace() -> Option<std::path::PathBuf> {
    let named = std::env::var_os("RETRACE_PROGRAM").map(std::path::PathBuf::from);
    let beside = || std::env::current_exe().ok()?.parent()?.parent().map(|folder| folder.join("retrace"));
    let program = named.or_else(beside).filter(|program| program.is_file());
    if program.is_none() {
        println!(
            "skipped: retrace is not built; `cargo build -p retrace-cli` builds it (RETRACE_PROGRAM names another)"
        );
    }
    program
}

#[test]
fn an_exported_hook_stops_the_call_that_breaks_the_rule_and_no_other() {
    const SENTENCE: &str = "Use pnpm, never npm: the lock file is that of pnpm.";
    const THIRD: &str = "00000000-0000-4000-8000-000000000303";
    let Some(program) = retrace() else { return };
    let Some(rig) = rig_with(|options| options.engine.program = program) else { return };
    let rule = json!({"kind": "command_never", "program": "npm", "sentence": SENTENCE});
    let add = wire::AddMemoryRule { rule, dismissed: false };
    let rule = commands::add_memory_rule(&rig.world.app, add).expect("a rule").rule_id;
    let settings = rig.world.path("agent/.claude/settings.json");
    let guard = |remind: bool| {
        let settings = Some(settings.display().to_string());
        let request = wire::GuardRule { rule: rule.clone(), remind, settings, ..wire::GuardRule::default() };
        commands::guard_rule(&rig.world.app, request).expect("a guard")
    };
    let is_there = |name: &str| rig.project().join(name).exists();
    // What came back to the model for its calls.
    let answers = || {
        let log = rig.api.log();
        let messages =
            log.bodies.last().expect("a request")["messages"].as_array().cloned().unwrap_or_default();
        let blocks = messages.iter().filter_map(|message| message["content"].as_array().cloned()).flatten();
        blocks
            .filter(|block| block["type"] == "tool_result")
            .map(|block| block.to_string())
            .collect::<Vec<_>>()
    };

    guard(false);
    rig.api.play(vec![
        vec![runs("touch innocent && echo npm")],
        vec![runs("touch forbidden && npm ci")],
        vec![says("Done.")],
    ]);
    rig.run(&["-p", "Go on with the work", "--session-id", FIRST, "--model", MODELS[0]]);
    assert!(is_there("innocent") && !is_there("forbidden"));
    let found = answers();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(!found[0].contains(SENTENCE) && found[1].contains(SENTENCE), "{found:?}");

    // A guard that reminds lets the call be made, and the model reads the rule.
    guard(true);
    rig.api.play(vec![vec![runs("touch reminded && npm --version")], vec![says("Done.")]]);
    rig.run(&["-p", "Go on with the work", "--session-id", SECOND, "--model", MODELS[0]]);
    assert!(is_there("reminded"));
    let told = rig.api.log().bodies.last().expect("a request").to_string();
    assert!(told.contains(&format!("Rule: {SENTENCE}")), "{told}");

    // Undone twice, nothing stops it.
    for _ in 0..2 {
        let undo = wire::UndoReq { operation_seq: None, dry_run: false };
        assert!(commands::undo(&rig.world.app, undo).expect("it is undone").guard.is_some());
    }
    rig.api.play(vec![vec![runs("touch forbidden && npm --version")], vec![says("Done.")]]);
    rig.run(&["-p", "Go on with the work", "--session-id", THIRD, "--model", MODELS[0]]);
    assert!(is_there("forbidden"));
}
