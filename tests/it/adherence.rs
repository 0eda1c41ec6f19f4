//! Rules that memories state: confirming, judging sessions, wordings of a line, checking one call.

use retrace_api::commands;
use retrace_api::wire::{self, Code, RuleOutcome};
use retrace_tests::World;
use serde_json::{Value, json};

/// A session of `cwd` below the world's home, with its first line at a time to the second, and a line a millisecond.
fn session(world: &World, id: &str, start: &str, prompt: &str, commands: &[&str]) {
    let folder = world.path("home/.claude/projects/-home-ada-app");
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut lines: Vec<String> = Vec::new();
    let mut line = |fields: Value| {
        let number = lines.len();
        let mut row = json!({"uuid": format!("u{number}"), "sessionId": id, "cwd": "/home/ada/app", "version": "2.1.181",
            "parentUuid": (number > 0).then(|| format!("u{}", number - 1)), "isSidechain": false,
            "timestamp": format!("{start}.{number:03}Z")});
        let fields = fields.as_object().expect("fields").clone();
        row.as_object_mut().expect("a row").extend(fields);
        lines.push(row.to_string());
    };
    line(json!({"type": "user", "message": {"role": "user", "content": prompt}}));
    for (number, command) in commands.iter().enumerate() {
        let call = format!("{id}-{number}");
        line(
            json!({"type": "assistant", "message": {"id": format!("msg_{call}"), "role": "assistant", "model": "claude-opus-5",
            "content": [{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}],
            "usage": {"input_tokens": 5, "output_tokens": 5}}}),
        );
        let shown = command.strip_prefix("cat ").map(|path| std::fs::read_to_string(path).expect("a file"));
        line(json!({"type": "user", "message": {"role": "user", "content":
            [{"type": "tool_result", "tool_use_id": call, "content": shown.as_deref().unwrap_or("ok")}]}}));
    }
    std::fs::write(folder.join(format!("{id}.jsonl")), lines.join("\n") + "\n").expect("a transcript");
}

fn add(world: &World, rule: Value) -> wire::MemoryRule {
    commands::add_memory_rule(&world.app, wire::AddMemoryRule { rule, dismissed: false }).expect("a rule")
}

fn ledger(world: &World, rule: &str) -> wire::RuleLedger {
    let request =
        wire::AdherenceReq { rule: Some(rule.to_owned()), cases: true, ..wire::AdherenceReq::default() };
    commands::adherence(&world.app, request).expect("a ledger").rules.remove(0)
}

fn never_npm(source: &str) -> Value {
    json!({"kind": "command_never", "program": "npm", "sentence": "Use pnpm, never npm.", "source": source})
}

#[test]
fn what_was_done_before_the_rule_stood_there_does_not_count() {
    let world = World::new();
    session(&world, "aaaa", "2026-11-20T08:00:00", "Set it up.", &["npm ci", "npm test"]);
    world.record("build.md", "# Build\n- Use pnpm, never npm.\n");
    session(&world, "bbbb", "2026-11-20T12:00:00", "Go on.", &["cd x && npm ci", "echo npm", "pnpm run npm"]);
    session(&world, "cccc", "2026-11-20T13:00:00", "Use npm this once.", &["npm ci"]);
    session(&world, "dddd", "2026-11-20T14:00:00", "Go on.", &["if npm; then"]);
    let rule = add(&world, never_npm("notes:build.md:2"));
    let found = ledger(&world, &rule.rule_id);
    let counts = (
        found.opportunities,
        found.followed,
        found.broken,
        found.excepted,
        found.predates,
        found.undecidable,
    );
    assert_eq!(counts, (3, 0, 1, 1, 2, 1));
    assert_eq!(found.sessions, 3);
    assert_eq!(
        found.broken,
        found.broken_present + found.broken_absent.values().sum::<u64>() + found.broken_unknown
    );
    let broken: Vec<_> = found.cases.iter().filter(|case| case.outcome == RuleOutcome::Broken).collect();
    assert_eq!(
        (broken[0].what.as_str(), broken[0].session.as_str(), broken[0].turn),
        ("npm ci", "bbbb", Some(1))
    );
}

#[test]
fn a_break_says_whether_the_rule_was_before_the_model() {
    let world = World::new();
    let written = world.record("build.md", "# Build\n- Use pnpm, never npm.\n");
    let read = format!("cat {}", world.path("notes/build.md").display());
    session(
        &world,
        "aaaa",
        &written.created_at[..19],
        "Set it up.",
        &["npm ci", &read, "npm test", "ls", "npm run x"],
    );
    let rule = add(&world, never_npm("notes:build.md:2"));
    let found = ledger(&world, &rule.rule_id);
    assert_eq!((found.broken, found.broken_present), (3, 2), "{found:?}");
    let cases: Vec<_> = found.cases.iter().map(|case| (case.what.as_str(), case.present)).collect();
    assert_eq!(cases[..2], [("npm run x", Some(true)), ("npm test", Some(true))]);
    assert_ne!(cases[2].1, Some(true));
    assert_eq!(found.broken_absent.values().sum::<u64>() + found.broken_unknown, 1);
}

#[test]
fn each_wording_of_the_line_has_its_own_counts_and_the_line_is_followed() {
    let world = World::new();
    world.record("build.md", "- Use npm.\n");
    session(&world, "aaaa", "2026-11-20T09:30:00", "Go on.", &["npm ci"]);
    let second = world.record("build.md", "- Use pnpm, never npm.\n");
    session(&world, "bbbb", &second.created_at[..19], "Go on.", &["npm ci", "npm test"]);
    let rule = add(&world, never_npm("notes:build.md:1"));
    let found = ledger(&world, &rule.rule_id);
    assert_eq!((found.broken, found.predates), (2, 1));
    // Lines before it, and other words for the same: the rule goes with its line.
    world.record("build.md", "# Build\n\nA new line.\n- Please never run npm here, use pnpm.\n");
    let wordings = ledger(&world, &rule.rule_id).by_version;
    let lines: Vec<_> = wordings.iter().map(|wording| (wording.number, wording.broken)).collect();
    assert_eq!(lines, [(None, 1), (Some(1), 2), (Some(4), 0)]);
}

#[test]
fn a_rule_taken_off_the_list_stays_in_the_log_and_can_be_put_back() {
    let world = World::new();
    let rule = add(&world, json!({"kind": "order", "before": "npm run lint", "after": "git commit"}));
    let list =
        |removed| commands::memory_rules(&world.app, wire::MemoryRulesReq { removed }).expect("rules").rules;
    let set = |put_back| {
        let request = wire::ListMemoryRule { rule: rule.rule_id.clone(), put_back };
        commands::list_memory_rule(&world.app, request).expect("set")
    };
    assert!(set(false).removed_at.is_some());
    assert_eq!((list(false).len(), list(true).len()), (0, 1));
    assert_eq!(set(true), rule);
    assert_eq!(list(false), [rule]);
    let unknown = wire::ListMemoryRule { rule: "rule_9".to_owned(), put_back: false };
    assert_eq!(commands::list_memory_rule(&world.app, unknown).expect_err("unknown").code, Code::NotFound);
}

#[test]
fn a_rule_that_cannot_be_used_is_refused_and_changes_nothing() {
    let world = World::new();
    for rule in [
        json!(1),
        json!({"kind": "x"}),
        json!({"kind": "path_never"}),
        json!({"kind": "order", "before": "a"}),
    ] {
        let error = commands::add_memory_rule(
            &world.app,
            wire::AddMemoryRule { rule: rule.clone(), dismissed: false },
        );
        assert_eq!(error.expect_err("refused").code, Code::Invalid, "{rule}");
    }
    let rules = commands::memory_rules(&world.app, wire::MemoryRulesReq { removed: true }).expect("rules");
    assert!(rules.rules.is_empty());
}

#[test]
fn sentences_are_proposed_with_their_line_until_they_are_confirmed() {
    let world = World::new();
    world.record("build.md", "# Build\n\n- Use pnpm, never npm.\n- It takes a minute.\n");
    let propose = || {
        let request =
            wire::ProposeRulesReq { store: Some("notes".to_owned()), ..wire::ProposeRulesReq::default() };
        commands::propose_rules(&world.app, request).expect("proposals").rules
    };
    let found = propose();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].source.as_deref(), Some("notes:build.md:3"));
    let rule = serde_json::to_value(&found[0]).expect("JSON");
    let dismissed = wire::AddMemoryRule { rule: rule.clone(), dismissed: true };
    assert!(commands::add_memory_rule(&world.app, dismissed).expect("dismissed").removed_at.is_some());
    assert_eq!(propose(), [], "what was dismissed is not proposed again");
    world.record("other.md", "- Never use yarn.\n");
    assert_eq!(propose().len(), 1);
    add(&world, serde_json::to_value(&propose()[0]).expect("JSON"));
    assert_eq!(propose(), []);
}

#[test]
fn one_call_is_judged_before_it_is_made() {
    let world = World::new();
    world.record("build.md", "# Build\n- Use pnpm, never npm.\n");
    add(&world, never_npm("notes:build.md"));
    add(&world, json!({"kind": "path_never", "paths": ["migrations"]}));
    let check = |tool: &str, input: Value| {
        let request = wire::CheckRuleReq {
            rule: None,
            tool: tool.to_owned(),
            input,
            directory: Some("/w".to_owned()),
            transcript: None,
        };
        let found = commands::check_memory_rule(&world.app, request).expect("an answer").broken;
        found.into_iter().map(|rule| rule.rule_id).collect::<Vec<_>>()
    };
    assert_eq!(check("Bash", json!({"command": "cd x && npm ci"})), ["rule_1"]);
    assert_eq!(check("Bash", json!({"command": "echo npm > migrations/a.sql"})), ["rule_2"]);
    assert_eq!(check("Write", json!({"file_path": "db/migrations/1.sql", "content": "x"})), ["rule_2"]);
    assert_eq!(check("Bash", json!({"command": "git commit -m 'npm never'"})), Vec::<String>::new());
    assert_eq!(check("Read", json!({"file_path": "migrations/1.sql"})), Vec::<String>::new());
}

#[test]
fn a_redacted_secret_leaves_the_rules() {
    let world = World::new();
    let secret = format!("{}_{}", "ghp", "q7Rt2mZx9Lk4Vb8Nw3Ys6Jd1Hf5Gc0PaTeUo");
    world.record("build.md", format!("- Never run `npm` with {secret}.\n"));
    let rule = json!({"kind": "command_never", "program": "npm", "sentence": format!("Never run `npm` with {secret}."),
        "source": "notes:build.md:1"});
    add(&world, rule);
    let redact = wire::RedactReq { find: Some(secret.clone()), live: true, ..wire::RedactReq::default() };
    commands::redact(&world.app, redact).expect("a redaction");
    let rules = commands::memory_rules(&world.app, wire::MemoryRulesReq::default()).expect("rules").rules;
    assert_eq!(rules.len(), 1, "the rule itself stays");
    assert!(!rules[0].rule.sentence.contains(&secret), "{}", rules[0].rule.sentence);
}

/// The words of presence and of the ledger for the same: who could have had a memory.
#[test]
fn presence_and_the_ledger_count_the_same_sessions() {
    for in_project in [false, true] {
        let world = World::new();
        if in_project {
            // Work on the project of the store: where it runs, and in a place below it.
            std::fs::create_dir_all(world.path("notes/.git")).expect("a folder");
        }
        let written = world.record("build.md", "# Build\n- Use pnpm, never npm.\n");
        let at = &written.created_at[..19];
        session(&world, "aaaa", at, "Go on.", &["npm ci"]);
        session(
            &world,
            "bbbb",
            at,
            "Go on.",
            &[&format!("cat {}", world.path("notes/build.md").display()), "npm ci"],
        );
        let rule = add(&world, never_npm("notes:build.md:2"));
        let found = ledger(&world, &rule.rule_id);
        let request = wire::ReachReq { target: "notes:build.md".to_owned(), ..wire::ReachReq::default() };
        let reach = commands::reach(&world.app, request).expect("a reach");
        assert_eq!(found.sessions, reach.sessions, "in a project: {in_project}");
        let expected = if in_project { (1, 1, 0) } else { (2, 1, 1) };
        let absent = found.broken_absent.get("not_opened").copied().unwrap_or(0);
        assert_eq!((found.broken, found.broken_present, absent), expected, "in a project: {in_project}");
        assert_eq!(reach.elsewhere, u64::from(in_project));
        assert!(
            reach.absent.iter().all(|absent| absent.cause == wire::PresenceCause::NotOpened),
            "{reach:?}"
        );
    }
}

/// A file below the world that states the rule, as its source.
fn stated(world: &World, file: &str) -> String {
    let file = world.path(file);
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    std::fs::write(&file, "# Build\n- Use pnpm, never npm.\n").expect("a file");
    format!("{}:2", file.display())
}

/// What a hook is asked before a call of a shell.
fn asked(world: &World, rule: &str, command: &str, directory: &str) -> Vec<String> {
    asked_in(world, rule, command, directory, "/home/ada/.claude/projects/-w/s.jsonl")
}

/// The same, of a session with this transcript.
fn asked_in(world: &World, rule: &str, command: &str, directory: &str, transcript: &str) -> Vec<String> {
    let request = wire::CheckRuleReq {
        rule: Some(rule.to_owned()),
        tool: "Bash".to_owned(),
        input: json!({"command": command}),
        directory: Some(directory.to_owned()),
        transcript: Some(transcript.to_owned()),
    };
    let options = retrace_tests::options_of(&world.path("."), 0);
    let found = retrace_api::check_call(&options.engine, &request).expect("an answer").broken;
    found.into_iter().map(|rule| rule.rule_id).collect()
}

fn guard(world: &World, request: wire::GuardRule) -> wire::GuardedRule {
    commands::guard_rule(&world.app, request).expect("a guard")
}

#[test]
fn a_guard_is_back_tested_previewed_put_in_and_taken_off_without_a_trace() {
    let world = World::new();
    session(&world, "aaaa", "2026-11-20T08:00:00", "Set it up.", &["npm ci && npm test"]);
    world.record("build.md", "# Build\n- Use pnpm, never npm.\n");
    session(&world, "bbbb", "2026-11-20T12:00:00", "Go on.", &["cd x && npm ci", "ls", "echo npm"]);
    session(&world, "cccc", "2026-11-20T13:00:00", "Use npm this once.", &["npm ci"]);
    let rule = add(&world, never_npm("notes:build.md:2")).rule_id;
    let request = wire::GuardRule { rule: rule.clone(), ..wire::GuardRule::default() };
    let preview = guard(&world, wire::GuardRule { dry_run: true, ..request.clone() });
    let file = world.path("home/.claude/settings.json");
    assert_eq!((preview.from_sha256.as_str(), file.exists()), ("absent", false));
    let test = preview.back_test.expect("a back-test");
    let counts = (test.sessions, test.calls, test.fired, test.broken, test.wrongly, test.predates);
    assert_eq!(counts, (3, 5, 3, 1, 1, 1));

    let text = "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n";
    std::fs::write(&file, text).expect("settings");
    let stale = wire::GuardRule { expect: Some(preview.from_sha256), ..request.clone() };
    let refused = commands::guard_rule(&world.app, stale).expect_err("they changed meanwhile");
    assert_eq!(refused.code, Code::HeadMoved);
    assert_eq!(std::fs::read_to_string(&file).expect("settings"), text);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).expect("a mode");
    }
    let preview = guard(&world, wire::GuardRule { dry_run: true, ..request.clone() });
    let done = guard(&world, wire::GuardRule { expect: Some(preview.from_sha256), ..request.clone() });
    assert_eq!((done.to_sha256.as_str(), done.rule.guards.len()), (preview.to_sha256.as_str(), 1));
    let written = std::fs::read_to_string(&file).expect("settings");
    let value: Value = serde_json::from_str(&written).expect("JSON");
    assert_eq!(value["hooks"]["PreToolUse"][0]["hooks"][0]["command"], json!(done.command));
    assert_eq!((&value["model"], &value["hooks"]["Stop"]), (&json!("opus"), &json!([])));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&file).expect("settings").permissions().mode() & 0o777, 0o640);
    }
    let listed = || {
        let rules = commands::memory_rules(&world.app, wire::MemoryRulesReq::default()).expect("rules").rules;
        rules[0].guards.iter().map(|guard| (guard.in_place, guard.remind)).collect::<Vec<_>>()
    };
    assert_eq!(listed(), [(true, false)]);
    assert_eq!(ledger(&world, &rule).guards.len(), 1);

    // Another answer takes the place of the first; another file has a guard of its own.
    guard(&world, wire::GuardRule { remind: true, ..request.clone() });
    assert_eq!(listed(), [(true, true)]);
    std::fs::create_dir_all(world.path("app")).expect("a project");
    let project = Some(world.path("app").display().to_string());
    let other = guard(&world, wire::GuardRule { project: project.clone(), ..request.clone() });
    assert!(other.settings.ends_with("app/.claude/settings.local.json"), "{}", other.settings);
    assert_eq!(other.back_test.map(|test| test.sessions), Some(0), "no session ran there");
    guard(&world, wire::GuardRule { remove: true, project, ..request.clone() });
    assert!(!world.path("app/.claude/settings.local.json").exists(), "it was made for the hook");

    guard(&world, wire::GuardRule { remove: true, ..request.clone() });
    assert_eq!(std::fs::read_to_string(&file).expect("settings"), text);
    assert_eq!(listed(), []);
    let again = commands::guard_rule(&world.app, wire::GuardRule { remove: true, ..request });
    assert_eq!(again.expect_err("there is none").code, Code::NotFound);
}

#[test]
fn a_hook_judges_calls_of_the_projects_that_have_the_rule() {
    let world = World::new();
    let rule = add(&world, never_npm(&stated(&world, "app/.claude/rules/build.md"))).rule_id;
    let asked = |command: &str, directory: &str| {
        asked(&world, &rule, command, &world.path(directory).display().to_string())
    };
    assert_eq!(asked("cd x && npm ci", "app/web"), std::slice::from_ref(&rule));
    assert!(asked("npm ci", "other").is_empty());
    assert!(asked("pnpm ci", "app").is_empty());
    let request = wire::ListMemoryRule { rule: rule.clone(), put_back: false };
    commands::list_memory_rule(&world.app, request).expect("off the list");
    assert!(asked("npm ci", "app").is_empty(), "it is off the list");
    let order = json!({"kind": "at_end", "program": "make", "sentence": "Run make before you stop."});
    let rule = add(&world, order).rule_id;
    let refused = commands::guard_rule(&world.app, wire::GuardRule { rule, ..wire::GuardRule::default() });
    assert_eq!(refused.expect_err("not of one call").code, Code::Invalid);
}

#[test]
fn a_hook_knows_the_memory_of_a_repository_below_it_and_in_its_worktrees() {
    let world = World::new();
    let text = |path: &std::path::Path| path.display().to_string();
    let (app, second, other) = (world.path("app"), world.path("second"), world.path("other"));
    let administration = app.join(".git/worktrees/second");
    for directory in [&administration, &app.join("web"), &second, &other.join(".git")] {
        std::fs::create_dir_all(directory).expect("a folder");
    }
    std::fs::write(second.join(".git"), format!("gitdir: {}\n", text(&administration))).expect("a file");
    std::fs::write(administration.join("commondir"), "../..\n").expect("a file");
    let projects = world.path("home/.claude/projects");
    let memory = format!("home/.claude/projects/{}/memory/MEMORY.md", retrace_sources::slug(&text(&app)));
    let rule = add(&world, never_npm(&stated(&world, &memory))).rule_id;
    for directory in [&app, &app.join("web"), &second, &second.join("web")] {
        let transcript = projects.join(retrace_sources::slug(&text(directory))).join("s.jsonl");
        let found = asked_in(&world, &rule, "npm ci", &text(directory), &text(&transcript));
        assert_eq!(found, std::slice::from_ref(&rule), "{}", directory.display());
        // The session went elsewhere meanwhile; its transcript says where it began.
        std::fs::create_dir_all(transcript.parent().expect("a folder")).expect("a folder");
        std::fs::write(&transcript, format!("{{\"type\": \"mode\"}}\n{}\n", json!({"cwd": text(directory)})))
            .expect("a transcript");
        let found = asked_in(&world, &rule, "npm ci", "/elsewhere", &text(&transcript));
        assert_eq!(found, std::slice::from_ref(&rule), "{}", directory.display());
    }
    let transcript = projects.join(retrace_sources::slug(&text(&other))).join("s.jsonl");
    assert!(asked_in(&world, &rule, "npm ci", &text(&other), &text(&transcript)).is_empty());
}

#[test]
fn what_is_kept_for_the_user_counts_and_guards_everywhere() {
    let world = World::new();
    // Its project lies beside the home.
    session(&world, "aaaa", "2026-11-20T12:00:00", "Go on.", &["npm ci"]);
    for place in ["CLAUDE.md", "rules/build.md", "agent-memory/reviewer/MEMORY.md"] {
        let rule = add(&world, never_npm(&stated(&world, &format!("home/.claude/{place}")))).rule_id;
        assert_eq!(ledger(&world, &rule).broken, 1, "{place}");
        assert_eq!(asked(&world, &rule, "npm ci", "/home/ada/app"), [rule], "{place}");
    }
}

/// As in a public project whose rule came late: 26 of 29 opportunities lie before its line stood in the file.
#[test]
fn a_session_is_judged_by_the_version_that_was_in_force() {
    let world = World::new();
    session(&world, "aaaa", "2026-11-20T08:00:00", "Go on.", &["go test ./..."; 20]);
    world.record("testing.md", "# Tests\n- Tests lie beside the code.\n");
    session(&world, "bbbb", "2026-11-20T09:30:00", "Go on.", &["go test ./cmd/..."; 6]);
    let line = "- Always `go test -race`.";
    let second = world.record("testing.md", format!("# Tests\n- Tests lie beside the code.\n{line}\n"));
    session(&world, "cccc", &second.created_at[..19], "Go on.", &["go test -race ./..."; 3]);
    let rule = json!({"kind": "command_form", "program": "go", "arguments": ["test"], "form": "go test -race",
        "sentence": line.trim_start_matches("- "), "source": "notes:testing.md:3"});
    let found = ledger(&world, &add(&world, rule).rule_id);
    assert_eq!(
        (found.opportunities, found.followed, found.broken, found.predates),
        (3, 3, 0, 26),
        "{found:?}"
    );
    let by_version: Vec<_> =
        found.by_version.iter().map(|row| (row.number, row.followed, row.broken)).collect();
    assert_eq!(by_version, [(None, 0, 26), (Some(3), 3, 0)]);
}

#[test]
fn what_a_redaction_took_out_leaves_what_is_kept_of_sessions_and_stays_out() {
    let world = World::new();
    let secret = format!("{}_{}", "ghp", "q7Rt2mZx9Lk4Vb8Nw3Ys6Jd1Hf5Gc0PaTeUo");
    let (deeds, presence) = (world.path("data/deeds.index"), world.path("data/presence.index"));
    world.record("build.md", format!("- Never run npm with {secret}.\n"));
    let read = format!("cat {}", world.path("notes/build.md").display());
    // What is read again in no time is not kept.
    let long = world.path("long.txt");
    std::fs::write(&long, "x".repeat(9 << 20)).expect("a file");
    let read_long = format!("cat {}", long.display());
    let command = format!("npm publish --token {secret}");
    session(&world, "aaaa", "2026-11-20T12:00:00", "Publish it.", &[&read, &read_long, &command]);
    let rule = add(&world, never_npm("notes:build.md:1"));
    let count = || ledger(&world, &rule.rule_id).broken;
    let holds = |file: &std::path::Path| {
        std::fs::read(file).expect("it is kept").windows(secret.len()).any(|part| part == secret.as_bytes())
    };
    assert_eq!(count(), 1);
    assert!(holds(&deeds), "what was done is kept with its commands");
    assert!(presence.exists() && !holds(&presence), "what was present is kept without texts");
    let redact = wire::RedactReq { find: Some(secret.clone()), live: true, ..wire::RedactReq::default() };
    commands::redact(&world.app, redact).expect("a redaction");
    assert!(!deeds.exists() && !presence.exists());
    // The transcript still holds it: what is made anew from it does not.
    assert_eq!(count(), 1);
    assert!(presence.exists() && !holds(&presence));
    assert!(!deeds.exists() || !holds(&deeds));
    assert!(!retrace_tests::holds_bytes(&world.path("data"), secret.as_bytes()));
}

#[test]
fn the_report_has_the_ledger_and_runs_and_prints_nothing_it_must_not() {
    let world = World::new();
    let written = world.record("build.md", "# Build\n- Use pnpm, never npm.\n");
    let key = format!("AKIA{}", "QYLPMN5HFIQR7XYA");
    let calls = ["npm ci --x '<script>alert(1)</script>'", &format!("npm publish --key {key}"), "pnpm ci"];
    session(&world, "aaaa", &written.created_at[..19], "Set it up.", &calls);
    add(&world, never_npm("notes:build.md:2"));
    let report = |store: Option<&str>| {
        let store = store.map(str::to_owned);
        let request = wire::ReviewReportReq { store, ..wire::ReviewReportReq::default() };
        commands::review_report(&world.app, request).expect("a report").text
    };
    let text = report(Some("notes"));
    assert!(text.contains("<h2>Rules</h2>") && text.contains("<h3>Use pnpm, never npm.</h3>"), "{text}");
    assert!(text.contains("2 broken: 0 with the rule before the model"), "{text}");
    assert!(text.contains("&lt;script&gt;") && !text.contains("<script"), "{text}");
    assert!(!text.contains(&key) && text.contains("not printed"), "{text}");
    let rules =
        |text: &str| text.split("<section>").find(|part| part.contains("<h2>Rules</h2>")).map(str::to_owned);
    assert_eq!(rules(&report(None)), rules(&text));
}

fn undo(world: &World, dry_run: bool) -> Result<wire::ActResult, wire::ApiError> {
    commands::undo(&world.app, wire::UndoReq { operation_seq: None, dry_run })
}

#[test]
fn acts_on_rules_and_their_breaks_are_undone_as_any_act_the_newest_first() {
    let world = World::new();
    world.record("build.md", "# Build\n- Use pnpm, never npm.\n");
    let proposed = || {
        let request = wire::ProposeRulesReq::default();
        let found = commands::propose_rules(&world.app, request).expect("proposals").rules;
        found.first().map(|rule| serde_json::to_value(rule).expect("JSON"))
    };
    let proposal = proposed().expect("a proposal");
    let rules = |removed| {
        let found = commands::memory_rules(&world.app, wire::MemoryRulesReq { removed }).expect("the rules");
        found.rules.len()
    };
    // A proposal that was dismissed is one act, and is proposed again once that is undone.
    let dismiss = wire::AddMemoryRule { rule: proposal.clone(), dismissed: true };
    commands::add_memory_rule(&world.app, dismiss).expect("it is dismissed");
    assert!(proposed().is_none());
    let done = undo(&world, false).expect("it is undone").rule_act.expect("an act on a rule");
    assert_eq!(done.becomes, wire::RuleStanding::OffList);
    assert_eq!((proposed(), rules(false)), (Some(proposal), 0));

    // On the list, off it, and back by two undos; the third takes it off for good.
    let rule = add(&world, never_npm("notes:build.md:2")).rule_id;
    let off = wire::ListMemoryRule { rule: rule.clone(), put_back: false };
    commands::list_memory_rule(&world.app, off).expect("it is off the list");
    let done = undo(&world, false).expect("it is undone").rule_act.expect("an act on a rule");
    assert_eq!((done.becomes, done.rule_id), (wire::RuleStanding::OnList, Some(rule.clone())));
    assert_eq!(rules(false), 1);
    let done = undo(&world, false).expect("it is undone").rule_act.expect("an act on a rule");
    assert_eq!((done.becomes, done.rule_id), (wire::RuleStanding::OffList, Some(rule)));
    assert_eq!(rules(false), 0);
    assert_eq!(undo(&world, false).expect_err("nothing is left").code, Code::NotFound);
    world.verify();
}

#[test]
fn acts_on_a_guard_are_undone_as_any_act_the_newest_first() {
    let world = World::new();
    let version = world.record("build.md", "# Build\n- Use pnpm, never npm.\n");
    world.record("build.md", "# Build\n- Use pnpm, never ever npm.\n");
    world.rollback("build.md", &version).expect("it is put back");
    let rule = add(&world, never_npm("notes:build.md:2")).rule_id;
    let file = world.path("home/.claude/settings.json");
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    let (text, read) =
        ("{\n  \"model\": \"opus\"\n}\n", || std::fs::read_to_string(&file).expect("settings"));
    std::fs::write(&file, text).expect("settings");
    let request = wire::GuardRule { rule: rule.clone(), ..wire::GuardRule::default() };
    guard(&world, request.clone());
    let guarded = read();
    guard(&world, wire::GuardRule { remove: true, ..request.clone() });
    assert_eq!(read(), text);

    // The newest act took the hook out; a preview changes nothing.
    let preview = undo(&world, true).expect("a preview").guard.expect("an edit of settings");
    assert!(preview.dry_run && preview.lines.iter().any(|line| line.text.contains("rule check")));
    assert_eq!(read(), text);
    let done = undo(&world, false).expect("it is undone").guard.expect("an edit of settings");
    assert_eq!((done.rule.guards.len(), read()), (1, guarded));
    // Then the act that put it in, though the settings changed otherwise.
    let changed = read().replace("opus", "sonnet");
    std::fs::write(&file, &changed).expect("settings");
    let done = undo(&world, false).expect("it is undone").guard.expect("an edit of settings");
    assert_eq!((done.rule.guards.len(), read()), (0, text.replace("opus", "sonnet")));
    // Then the rule, and then what was done before it.
    let listed = |world: &World| {
        let request = wire::MemoryRulesReq { removed: false };
        commands::memory_rules(&world.app, request).expect("the rules").rules.len()
    };
    let preview = undo(&world, true).expect("a preview").rule_act.expect("an act on a rule");
    let expected = (wire::RuleStanding::OffList, Some(rule.clone()));
    assert_eq!((preview.becomes, preview.rule_id.clone(), listed(&world)), (expected.0, expected.1, 1));
    let done = undo(&world, false).expect("it is undone").rule_act.expect("an act on a rule");
    assert_eq!((done, listed(&world)), (preview, 0));
    let result = undo(&world, true).expect("a preview");
    let undoes = result.undoes.map(|act| act.operation_seq);
    assert!(
        result.guard.is_none() && result.rule_act.is_none() && undoes == Some(world.cursor()),
        "{undoes:?}"
    );
    let restored = wire::ListMemoryRule { rule: rule.clone(), put_back: true };
    commands::list_memory_rule(&world.app, restored).expect("it is on the list again");

    // Another answer in the place of a first one is one act.
    guard(&world, request.clone());
    guard(&world, wire::GuardRule { remind: true, ..request.clone() });
    let done = undo(&world, false).expect("it is undone").guard.expect("an edit of settings");
    assert_eq!((done.rule.guards.len(), done.rule.guards[0].remind), (1, false));
    // A hook that somebody took out by hand is a conflict.
    std::fs::write(&file, text).expect("settings");
    assert_eq!(undo(&world, false).expect_err("it is gone").code, Code::HeadMoved);
    assert_eq!(read(), text);
    world.verify();
}

#[test]
fn an_undone_guard_leaves_what_a_person_made_of_the_settings() {
    let world = World::new();
    world.record("build.md", "# Build\n- Use pnpm, never npm.\n");
    let rule = add(&world, never_npm("notes:build.md:2")).rule_id;
    let file = world.path("settings.json");
    let settings = Some(file.display().to_string());
    let request = wire::GuardRule { rule, settings, ..wire::GuardRule::default() };
    let read = || std::fs::read_to_string(&file).expect("settings");
    let acts = || {
        let listed = commands::memory_rules(&world.app, wire::MemoryRulesReq::default()).expect("rules");
        listed.rules[0].guards.iter().map(|guard| guard.in_place).collect::<Vec<_>>()
    };
    // A hook that somebody gave another time, or other tools, is theirs.
    for (from, to) in [("\"timeout\": 10", "\"timeout\": 20"), ("Bash|PowerShell", "Bash")] {
        std::fs::write(&file, "{}\n").expect("settings");
        guard(&world, request.clone());
        let (made, changed) = (read(), read().replace(from, to));
        std::fs::write(&file, &changed).expect("settings");
        for dry_run in [true, false] {
            assert_eq!(undo(&world, dry_run).expect_err("it is changed").code, Code::HeadMoved, "{to}");
        }
        assert_eq!(read(), changed);
        std::fs::write(&file, made).expect("settings");
        undo(&world, false).expect("it is undone");
        assert_eq!((read().as_str(), acts()), ("{}\n", vec![]));
    }
    // To put it in again where it is there is no act.
    guard(&world, request.clone());
    let made = read();
    assert!(guard(&world, request.clone()).lines.is_empty());
    assert_eq!((read(), acts()), (made, vec![true]));
    undo(&world, false).expect("it is undone");
    assert_eq!((read().as_str(), acts()), ("{}\n", vec![]));
    // Taken out by hand and put in again, it comes out with one undo. What was taken out by hand is a conflict then.
    guard(&world, request.clone());
    std::fs::write(&file, "{}\n").expect("settings");
    assert_eq!(acts(), [false]);
    guard(&world, request);
    assert_eq!(acts(), [true]);
    undo(&world, false).expect("it is undone");
    assert_eq!((read().as_str(), acts()), ("{}\n", vec![false]));
    assert_eq!(undo(&world, false).expect_err("it is gone").code, Code::HeadMoved);
    world.verify();
}

#[test]
fn a_rule_follows_its_line_to_another_name_of_its_memory() {
    let world = World::new();
    let first = world.record("rules.md", "# Build\n- Use pnpm, never npm.\n");
    let read = |id: &str, at: &str, path: &str| {
        let shown = format!("cat {}", world.path("notes").join(path).display());
        session(&world, id, &at[..19], "Go on.", &[&shown, "npm ci"]);
    };
    read("aaaa", &first.created_at, "rules.md");
    let rule = add(&world, never_npm("notes:rules.md:2"));
    assert_eq!(ledger(&world, &rule.rule_id).broken_present, 1, "{first:?}");
    std::fs::rename(world.path("notes/rules.md"), world.path("notes/style.md")).expect("it is renamed");
    world.scan();
    let found = ledger(&world, &rule.rule_id);
    assert_eq!((found.broken, found.broken_present, found.broken_unknown), (1, 1, 0), "{found:?}");
    assert_eq!(found.rule.source.as_deref(), Some("notes:style.md:2"));
    let listed = commands::memory_rules(&world.app, wire::MemoryRulesReq::default()).expect("rules").rules;
    assert_eq!(listed[0].rule.source.as_deref(), Some("notes:style.md:2"));
    // It is the same rule, and is not proposed anew.
    assert_eq!(add(&world, never_npm("notes:style.md:2")).rule_id, rule.rule_id);
    let proposed = commands::propose_rules(&world.app, wire::ProposeRulesReq::default()).expect("proposals");
    assert_eq!(proposed.rules, []);
    read("bbbb", &world.log("style.md").remove(0).created_at, "style.md");
    let found = ledger(&world, &rule.rule_id);
    assert_eq!((found.broken, found.broken_present), (2, 2), "{found:?}");
    let request =
        wire::MemoryWorthReq { memory: Some("notes:style.md".to_owned()), ..wire::MemoryWorthReq::default() };
    let worth = commands::memory_worth(&world.app, request).expect("what it is worth").memories.remove(0);
    assert_eq!(worth.rules.len(), 1);
    // Another memory under the old name is not the rule's; without its line it stands no more.
    world.record("rules.md", "# Nothing\n");
    let gone = world.record("style.md", "# Build\n");
    session(&world, "cccc", "2026-11-20T23:50:00", "Go on.", &["npm ci"]);
    let found = ledger(&world, &rule.rule_id);
    assert_eq!((found.broken, found.predates), (2, 1), "{gone:?} {found:?}");
}

/// A session whose client loaded a file with this content, before it makes a call.
fn loaded(world: &World, id: &str, start: &str, file: &str, content: &str, command: &str) {
    session(world, id, start, "Go on.", &[command]);
    let transcript = world.path("home/.claude/projects/-home-ada-app").join(format!("{id}.jsonl"));
    let text = std::fs::read_to_string(&transcript).expect("a transcript");
    let path = world.path("notes").join(file).display().to_string();
    let attached = json!({"type": "attachment", "uuid": "loaded", "parentUuid": "u0", "sessionId": id, "cwd": "/home/ada/app",
        "version": "2.1.330", "isSidechain": false, "timestamp": format!("{start}.000Z"), "renderedRole": "user",
        "attachment": {"type": "instructions", "files": [{"path": path, "type": "AutoMem", "content": content}]},
        "rendered": [{"content": content}]});
    let text = text.replace("\"parentUuid\":\"u0\"", "\"parentUuid\":\"loaded\"");
    let (first, rest) = text.split_once('\n').expect("a line");
    std::fs::write(transcript, format!("{first}\n{attached}\n{rest}")).expect("a transcript");
}

#[test]
fn what_comes_under_the_old_name_of_a_memory_is_another_memory_s() {
    let world = World::new();
    let old = "# Build\n- Use pnpm, never npm.\n";
    let first = world.record("rules.md", old);
    let rule = add(&world, never_npm("notes:rules.md:2"));
    loaded(&world, "aaaa", &first.created_at[..19], "rules.md", old, "npm ci");
    std::fs::rename(world.path("notes/rules.md"), world.path("notes/style.md")).expect("it is renamed");
    world.scan();
    let renamed = world.log("style.md").remove(0).created_at;
    // Another one is loaded under the old name before anybody recorded it, and again once it is recorded.
    let new = "# Index\n- style.md says how to build\n";
    loaded(&world, "bbbb", &renamed[..19], "rules.md", new, "npm ci");
    let recorded = world.record("rules.md", new);
    loaded(&world, "cccc", &recorded.created_at[..19], "rules.md", new, "npm ci");
    // What is loaded under the new name is the memory, and what the old one said under the old name was not the new one.
    loaded(&world, "dddd", &recorded.created_at[..19], "style.md", old, "npm ci");
    let reach = |target: &str| {
        let request =
            wire::ReachReq { target: target.to_owned(), from: Some(2), ..wire::ReachReq::default() };
        let mut rows = commands::reach(&world.app, request).expect("a reach").rows;
        rows.sort_by(|one, other| one.session.cmp(&other.session));
        rows.into_iter().map(|row| (row.present, row.cause)).collect::<Vec<_>>()
    };
    let not_opened = (false, Some(wire::PresenceCause::NotOpened));
    let there = (true, None);
    assert_eq!(reach("notes:style.md"), [there, not_opened, not_opened, there]);
    let of_new = reach("notes:rules.md").into_iter().map(|row| row.0).collect::<Vec<_>>();
    assert_eq!(of_new, [false, true, true, false]);
    for id in ["bbbb", "cccc"] {
        let request = wire::PresenceReq { session: id.to_owned(), ..wire::PresenceReq::default() };
        let sources = commands::presence(&world.app, request).expect("presence").sources;
        let of = |path: &str| sources.iter().find(|source| source.path == path).expect("a source");
        assert_eq!(of("rules.md").absent, []);
        assert!(of("rules.md").version_id.is_some());
        let absent = &of("style.md").absent;
        assert!(absent.iter().all(|one| one.cause == wire::PresenceCause::NotOpened), "{id} {absent:?}");
        assert_eq!(of("style.md").lines, []);
    }
    // Each costs what was loaded of it, whatever it was called then.
    let worth =
        commands::memory_worth(&world.app, wire::MemoryWorthReq::default()).expect("an answer").memories;
    let tokens =
        |path: &str| worth.iter().find(|memory| memory.path == path).map(|memory| memory.tokens_per_session);
    let counted = |text: &str| {
        let request = wire::MemoryPricesReq::default();
        let files = commands::context_memory(&world.app, request).expect("prices").files;
        files.iter().find(|file| file.path.ends_with(text)).and_then(|file| file.loaded_tokens_per_session)
    };
    // Under the new name the old one was loaded alone.
    assert_eq!(tokens("style.md"), counted("/style.md"));
    assert!(tokens("rules.md").is_some_and(|tokens| tokens > 0 && Some(tokens) != counted("/rules.md")));
    let found = ledger(&world, &rule.rule_id);
    let absent: Vec<_> = found.broken_absent.iter().map(|(cause, count)| (cause.as_str(), *count)).collect();
    assert_eq!((found.broken, found.broken_present, absent), (4, 2, vec![("not_opened", 2)]), "{found:?}");
}

#[test]
fn what_was_done_after_a_line_was_gone_is_no_time_before_it() {
    let world = World::new();
    session(&world, "aaaa", "2026-11-20T08:00:00", "Go on.", &["npm ci"]);
    let first = world.record("rules.md", "# Build\n");
    session(&world, "bbbb", &first.created_at[..19], "Go on.", &["npm ci"]);
    let second = world.record("rules.md", "# Build\n- Use pnpm, never npm.\n");
    session(&world, "cccc", &second.created_at[..19], "Go on.", &["npm ci"]);
    let rule = add(&world, never_npm("notes:rules.md:2"));
    let gone = world.record("rules.md", "# Build\n");
    session(&world, "dddd", &gone.created_at[..19], "Go on.", &["npm ci"; 5]);
    let back = world.record("rules.md", "# Build\n- Use pnpm, never npm.\n");
    session(&world, "eeee", &back.created_at[..19], "Go on.", &["npm ci"; 2]);
    let found = ledger(&world, &rule.rule_id);
    assert_eq!((found.broken, found.predates), (3, 7), "{found:?}");
    let rows: Vec<_> = found.by_version.iter().map(|row| (row.number, row.broken)).collect();
    assert_eq!(rows, [(None, 2), (Some(2), 1), (Some(2), 2)]);
    let request =
        wire::MemoryWorthReq { memory: Some("notes:rules.md".to_owned()), ..wire::MemoryWorthReq::default() };
    let worth = commands::memory_worth(&world.app, request).expect("what it is worth").memories.remove(0);
    assert_eq!((worth.rules[0].before.broken, worth.rules[0].after.broken), (2, 3));
}

#[test]
fn a_rule_off_the_list_is_made_no_guard() {
    let world = World::new();
    let rule =
        add(&world, json!({"kind": "command_never", "program": "npm", "sentence": "Use pnpm, never npm."}));
    let list = |put_back| {
        let request = wire::ListMemoryRule { rule: rule.rule_id.clone(), put_back };
        commands::list_memory_rule(&world.app, request).expect("a rule")
    };
    let request = wire::GuardRule { rule: rule.rule_id.clone(), ..wire::GuardRule::default() };
    list(false);
    for dry_run in [true, false] {
        let request = wire::GuardRule { dry_run, ..request.clone() };
        let refused = commands::guard_rule(&world.app, request).expect_err("it is off the list");
        assert_eq!(refused.code, Code::Invalid);
        assert!(refused.hint.contains("retrace rule restore"), "{:?}", refused.hint);
    }
    assert!(!world.path("home/.claude/settings.json").exists());
    list(true);
    guard(&world, request.clone());
    // A guard whose rule comes off the list is told, and can be taken out.
    assert!(list(false).guards[0].in_place);
    guard(&world, wire::GuardRule { remove: true, ..request });
    let all =
        commands::memory_rules(&world.app, wire::MemoryRulesReq { removed: true }).expect("rules").rules;
    assert_eq!(all[0].guards, []);
}

#[test]
fn a_session_and_its_subagents_are_judged_as_one() {
    let world = World::new();
    let push =
        add(&world, json!({"kind": "at_end", "program": "git", "arguments": ["push"], "sentence": "Push."}));
    let lint = json!({"kind": "order", "before": "npm run lint", "after": "git commit", "sentence": "Lint."});
    let lint = add(&world, lint);
    let both: [(&str, &[&str], &[&str]); 2] = [
        ("aaaa", &["npm run lint"], &["touch /home/ada/app/a", "git push"]),
        ("bbbb", &["touch /home/ada/app/a", "git push"], &["npm run lint"]),
    ];
    for (id, before, subagent) in both {
        let at = "2026-11-20T12:00:01";
        session(&world, "agent-a1", at, "Do it.", subagent);
        let folder = world.path("home/.claude/projects/-home-ada-app");
        let of_session = folder.join(id).join("subagents");
        std::fs::create_dir_all(&of_session).expect("a folder");
        std::fs::rename(folder.join("agent-a1.jsonl"), of_session.join(format!("agent-{id}.jsonl")))
            .expect("a file");
        // What comes later stands behind the same beginning.
        session(&world, id, "2026-11-20T12:00:02", "Go on.", &["git commit -m x"]);
        let text =
            |id: &str| std::fs::read_to_string(folder.join(format!("{id}.jsonl"))).expect("a transcript");
        let later = text(id);
        session(&world, id, "2026-11-20T12:00:00", "Go on.", before);
        let later = later.replace(&format!("{id}-0"), &format!("{id}-later"));
        let later = (0..3).fold(later, |text, at| text.replace(&format!("\"u{at}\""), &format!("\"v{at}\"")));
        std::fs::write(folder.join(format!("{id}.jsonl")), text(id) + &later).expect("a transcript");
    }
    let outcomes = |rule: &wire::MemoryRule| {
        let mut cases = ledger(&world, &rule.rule_id).cases;
        cases.sort_by(|one, other| one.session.cmp(&other.session));
        cases.into_iter().map(|case| (case.session, case.subagent, case.outcome)).collect::<Vec<_>>()
    };
    let of = |id: &str, outcome| (id.to_owned(), false, outcome);
    assert_eq!(outcomes(&push), [of("aaaa", RuleOutcome::Followed), of("bbbb", RuleOutcome::Followed)]);
    assert_eq!(outcomes(&lint), [of("aaaa", RuleOutcome::Broken), of("bbbb", RuleOutcome::Followed)]);
}

/// A fork of a session as Claude Code makes one: the lines of the session, as they are but for its id, behind a first line of its own.
fn fork(world: &World, of: &str, id: &str, at: &str, command: &str) {
    let folder = world.path("home/.claude/projects/-home-ada-app");
    let own = std::fs::read_to_string(folder.join(format!("{of}.jsonl"))).expect("the session");
    session(world, id, at, "Another way.", &[command]);
    let file = folder.join(format!("{id}.jsonl"));
    let new = std::fs::read_to_string(&file).expect("the fork");
    let new = (0..3)
        .fold(new, |text, number| text.replace(&format!("\"u{number}\""), &format!("\"{id}{number}\"")));
    let last: Value = serde_json::from_str(own.lines().last().expect("a line")).expect("JSON");
    let new = new.replace("\"parentUuid\":null", &format!("\"parentUuid\":{}", last["uuid"]));
    let first = json!({"type": "queue-operation", "operation": "enqueue", "sessionId": id, "timestamp": format!("{at}.000Z")});
    let copies: Vec<String> = own
        .lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).expect("JSON");
            if line["type"] == "assistant" {
                line["requestSessionId"] = line["sessionId"].clone();
            }
            line["sessionId"] = id.into();
            line.to_string()
        })
        .collect();
    std::fs::write(file, format!("{first}\n{}\n{new}", copies.join("\n"))).expect("a transcript");
}

#[test]
fn what_a_fork_repeats_counts_once_in_the_session_that_did_it() {
    let world = World::new();
    world.record("build.md", "# Build\n- Use pnpm, never npm.\n");
    session(
        &world,
        "mmmm",
        "2026-11-20T12:00:00",
        "Go on.",
        &["npm ci", "touch /home/ada/app/a", "make lint", "git commit"],
    );
    // One before the original by its name, one behind it, and a fork of a fork.
    fork(&world, "mmmm", "aaaa", "2026-11-20T13:00:00", "git commit --amend");
    fork(&world, "mmmm", "zzzz", "2026-11-20T14:00:00", "npm test");
    fork(&world, "zzzz", "bbbb", "2026-11-20T15:00:00", "npm run x");
    let npm = add(&world, never_npm("notes:build.md:2"));
    let order = json!({"kind": "order", "before": "make lint", "after": "git commit", "sentence": "Lint."});
    let order = add(&world, order);
    let push = json!({"kind": "at_end", "program": "git", "arguments": ["push"], "sentence": "Push."});
    let push = add(&world, push);
    let cases = |rule: &wire::MemoryRule| {
        let cases = ledger(&world, &rule.rule_id).cases.into_iter();
        let mut cases: Vec<_> = cases.map(|case| (case.session, case.what, case.outcome)).collect();
        cases.sort_by(|one, other| one.0.cmp(&other.0));
        cases
    };
    let case = |session: &str, what: &str, outcome| (session.to_owned(), what.to_owned(), outcome);
    assert_eq!(
        cases(&npm),
        [
            case("bbbb", "npm run x", RuleOutcome::Broken),
            case("mmmm", "npm ci", RuleOutcome::Broken),
            case("zzzz", "npm test", RuleOutcome::Broken)
        ]
    );
    // What a fork repeats was done before what it did itself.
    assert_eq!(
        cases(&order),
        [
            case("aaaa", "git commit --amend", RuleOutcome::Followed),
            case("mmmm", "git commit", RuleOutcome::Followed)
        ]
    );
    let ends: Vec<_> = cases(&push).into_iter().map(|(session, ..)| session).collect();
    assert_eq!(ends, ["mmmm"]);
    let found = ledger(&world, &npm.rule_id);
    assert_eq!((found.broken, found.by_version.iter().map(|one| one.broken).sum::<u64>()), (3, 3));
    let test = guard(
        &world,
        wire::GuardRule { rule: npm.rule_id.clone(), dry_run: true, ..wire::GuardRule::default() },
    );
    let test = test.back_test.expect("a back-test");
    assert_eq!((test.calls, test.fired), (7, 3));
    // Where the session is gone, the first fork stands for it.
    std::fs::remove_file(world.path("home/.claude/projects/-home-ada-app/mmmm.jsonl")).expect("it is gone");
    let ledgers = cases(&npm);
    assert_eq!(ledgers.iter().filter(|case| case.1 == "npm ci").count(), 1, "{ledgers:?}");
    assert_eq!(ledgers.len(), 3);
}

#[test]
fn a_file_in_a_directory_without_a_repository_is_of_the_sessions_below_it() {
    let world = World::new();
    session(&world, "aaaa", "2026-11-20T12:00:00", "Go on.", &["npm ci"]);
    let project = world.path("p3");
    let of_project = |id: &str, directory: &str| {
        session(&world, id, "2026-11-20T13:00:00", "Go on.", &["npm test"]);
        let file = world.path("home/.claude/projects/-home-ada-app").join(format!("{id}.jsonl"));
        let text = std::fs::read_to_string(&file).expect("a transcript");
        std::fs::write(file, text.replace("/home/ada/app", directory)).expect("a transcript");
    };
    let text = |path: &std::path::Path| path.display().to_string();
    of_project("bbbb", &text(&project.join("sub")));
    of_project("cccc", &text(&world.path("p33")));
    for name in ["CLAUDE.md", "AGENTS.md"] {
        let rule = add(&world, never_npm(&stated(&world, &format!("p3/{name}")))).rule_id;
        let found = ledger(&world, &rule);
        assert_eq!((found.broken, found.cases[0].session.as_str()), (1, "bbbb"), "{name}");
        assert_eq!(found.project, Some(text(&project)));
        assert_eq!(asked(&world, &rule, "npm ci", &text(&project.join("sub"))), std::slice::from_ref(&rule));
        for other in ["p33", "proj2"] {
            assert!(asked(&world, &rule, "npm ci", &text(&world.path(other))).is_empty(), "{other}");
        }
    }
    // What a person tells each session of a client is of them all.
    for own in [
        "home/.codex/AGENTS.md",
        "home/.gemini/GEMINI.md",
        "home/.config/opencode/AGENTS.md",
        "home/.claude/CLAUDE.md",
    ] {
        std::fs::create_dir_all(world.path("home/.claude/projects")).expect("a folder");
        let rule = add(&world, never_npm(&stated(&world, own))).rule_id;
        assert_eq!(ledger(&world, &rule).broken, 3, "{own}");
        assert_eq!(asked(&world, &rule, "npm ci", "/anywhere"), [rule], "{own}");
    }
}

#[test]
fn a_rule_is_shown_with_the_line_where_its_sentence_stands_now() {
    let world = World::new();
    world.record("build.md", "# Build\n- Use pnpm, never npm.\n");
    let file = world.path("CLAUDE.md");
    std::fs::write(&file, "- Use pnpm, never npm.\n").expect("a file");
    session(&world, "aaaa", "2026-11-20T23:00:00", "Go on.", &["npm ci"]);
    let of_memory = add(&world, never_npm("notes:build.md:2"));
    let of_file = add(&world, never_npm(&format!("{}:1", file.display())));
    let shown = || {
        let listed =
            commands::memory_rules(&world.app, wire::MemoryRulesReq::default()).expect("rules").rules;
        let listed: Vec<_> = listed.into_iter().filter_map(|rule| rule.rule.source).collect();
        let of_ledger = [&of_memory, &of_file].map(|rule| ledger(&world, &rule.rule_id).rule.source);
        assert_eq!(listed, of_ledger.into_iter().flatten().collect::<Vec<_>>());
        listed
    };
    assert_eq!(shown(), ["notes:build.md:2".to_owned(), format!("{}:1", file.display())]);
    world.record("build.md", "# Build\n\nMore.\n\n- Use pnpm, never npm.\n");
    std::fs::write(&file, "# Rules\n\n- Use pnpm, never npm.\n").expect("a file");
    assert_eq!(shown(), ["notes:build.md:5".to_owned(), format!("{}:3", file.display())]);
    // By either line it is the same rule.
    for line in [2, 5] {
        assert_eq!(add(&world, never_npm(&format!("notes:build.md:{line}"))).rule_id, of_memory.rule_id);
    }
    // Without the sentence it is where it stood last.
    world.record("build.md", "# Build\n");
    assert_eq!(shown()[0], "notes:build.md:5");
}

#[test]
fn a_rule_that_is_not_what_was_meant_is_refused_and_none_of_its_list_is_added() {
    let world = World::new();
    world.record("build.md", "# Build\n- Use pnpm, never npm.\n");
    let file = world.path("CLAUDE.md");
    std::fs::write(&file, "Use pnpm, never npm.\n").expect("a file");
    let with = |field: &str, value: Value| {
        let mut rule = never_npm("notes:build.md:2");
        rule[field] = value;
        rule
    };
    for (rule, code) in [
        (with("args", json!(["ci"])), Code::Invalid),
        (with("paths", json!(["a/**"])), Code::Invalid),
        (never_npm("nostore:build.md:2"), Code::NotFound),
        (never_npm("notes:none.md:2"), Code::NotFound),
        (never_npm("notes:build.md:999"), Code::Invalid),
        (never_npm("notes:build.md:0"), Code::Invalid),
        (never_npm("CLAUDE.md"), Code::NotFound),
        (never_npm("/nope/CLAUDE.md:1"), Code::NotFound),
        (never_npm(&world.path(".").display().to_string()), Code::NotFound),
        (never_npm(&world.path("notes").display().to_string()), Code::NotFound),
        (never_npm(&format!("{}:7", file.display())), Code::Invalid),
    ] {
        let rules = vec![never_npm("notes:build.md:2"), rule.clone()];
        let refused = commands::add_memory_rules(&world.app, wire::AddMemoryRules { rules });
        assert_eq!(refused.map(|added| added.rules).expect_err("it is refused").code, code, "{rule}");
        let listed = commands::memory_rules(&world.app, wire::MemoryRulesReq { removed: true });
        assert!(listed.expect("the rules").rules.is_empty(), "{rule}");
    }
    // What a list of rules has may be given again, and empty fields say nothing.
    let first = add(&world, with("paths", json!([])));
    let again = add(&world, serde_json::to_value(&first).expect("JSON"));
    assert_eq!(again.rule_id, first.rule_id);
    add(&world, never_npm(&format!("{}:1", file.display())));
    add(&world, never_npm(&file.display().to_string()));
}
