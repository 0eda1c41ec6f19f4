//! A session as a story: what it was asked, what it wrote after each prompt, what it had and why.

use super::origins::Machine;
use retrace_api::{LoadTold, commands, wire};
use retrace_model::Timestamp;
use serde_json::{Value, json};

fn session(machine: &Machine, id: &str) -> wire::Session {
    let request = wire::SessionRef { session: id.to_owned() };
    commands::session(&machine.world.app, request).expect("a session")
}

/// Paths of the versions that stand behind a prompt.
fn paths(session: &wire::Session, versions: &[String]) -> Vec<String> {
    let path = |id: &String| {
        let written = session.writes.versions.iter().find(|written| written.version.id == *id);
        written.and_then(|written| written.version.path.clone()).expect("a version of the session")
    };
    versions.iter().map(path).collect()
}

fn file<'s>(session: &'s wire::Session, path: &str) -> &'s wire::SessionFile {
    session.files.iter().find(|file| file.path.ends_with(path)).unwrap_or_else(|| panic!("{path} was loaded"))
}

fn reasons(file: &wire::SessionFile) -> Vec<wire::LoadReason> {
    file.loads.iter().map(|load| load.reason).collect()
}

#[test]
fn prompts_stand_with_what_was_written_after_them() {
    let machine = Machine::new();
    let mut agent = machine.agent("aaaa-1");
    agent.asked("Remember the port.\nIt is 8080.");
    agent.writes("MEMORY.md", "- port 8080\n");
    machine.scan();
    agent.writes("host.md", "- localhost\n");
    machine.scan();
    agent.asked("And nothing else.");
    agent.asked("It is 9090 now.");
    agent.writes("MEMORY.md", "- port 9090\n");
    machine.scan();

    let told = session(&machine, "aaaa");
    assert_eq!(told.first_prompt.as_deref(), Some("Remember the port."));
    assert_eq!(told.writes.session_id, "aaaa-1");
    assert_eq!((told.requests, told.main_requests, told.problem.as_ref()), (3, 3, None));
    let prompts: Vec<(u64, Option<u64>, Vec<String>)> = told
        .prompts
        .iter()
        .map(|prompt| (prompt.requests, prompt.request, paths(&told, &prompt.versions)))
        .collect();
    assert_eq!(
        prompts,
        [
            (2, Some(0), vec!["MEMORY.md".to_owned(), "host.md".to_owned()]),
            (0, None, vec![]),
            (1, Some(2), vec!["MEMORY.md".to_owned()]),
        ]
    );
    let priced: f64 = told.prompts.iter().filter_map(|prompt| prompt.cost_usd).sum();
    assert!((priced - told.cost_usd.expect("a price")).abs() < 1e-9, "the prompts add up to the session");
    assert!(told.other_versions.is_empty());
    // The newest version of each memory is left to review.
    assert_eq!(paths(&told, &told.unreviewed), ["host.md", "MEMORY.md"]);
    let approve = wire::ReviewReq {
        versions: told.unreviewed,
        verdict: "approve".into(),
        ..wire::ReviewReq::default()
    };
    commands::review(&machine.world.app, approve).expect("a review");
    assert!(session(&machine, "aaaa-1").unreviewed.is_empty());
}

#[test]
fn a_session_without_a_transcript_has_the_prompts_that_its_writer_told() {
    let machine = Machine::new();
    std::fs::create_dir_all(machine.world.path("tool")).expect("a directory");
    for (turn, (prompt, path)) in
        [("Note the port.", "a"), ("Note the port.", "b"), ("And the host.", "c")].into_iter().enumerate()
    {
        let request = wire::MemoryToolReq {
            root: Some(machine.world.path("tool").to_string_lossy().into_owned()),
            session: Some("sdk-1".to_owned()),
            turn: Some(turn as u64 + 1),
            prompt: Some(prompt.to_owned()),
            input: json!({"command": "create", "path": format!("/memories/{path}.md"), "file_text": "x\n"}),
            ..wire::MemoryToolReq::default()
        };
        assert!(!commands::memory_tool(&machine.world.app, request).expect("an answer").is_error);
        machine.pass(1);
    }
    let told = session(&machine, "sdk-1");
    assert_eq!(told.first_prompt.as_deref(), Some("Note the port."));
    let prompts: Vec<Vec<String>> =
        told.prompts.iter().map(|prompt| paths(&told, &prompt.versions)).collect();
    assert_eq!(prompts, [vec!["a.md".to_owned(), "b.md".to_owned()], vec!["c.md".to_owned()]]);
    assert!(told.problem.is_some() && told.files.is_empty());
    let unknown = commands::session(&machine.world.app, wire::SessionRef { session: "nobody".to_owned() });
    assert_eq!(unknown.expect_err("unknown").code, wire::Code::NotFound);
}

#[test]
fn prompts_are_those_that_were_typed_however_they_were_sent() {
    let machine = Machine::new();
    let folder =
        machine.memory("MEMORY.md").parent().and_then(std::path::Path::parent).expect("a folder").to_owned();
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("feed0002.jsonl");
    std::fs::write(&path, crate::requests::interrupted().join("\n") + "\n").expect("a transcript");
    // By its id, and by the path of its transcript.
    for name in ["feed0002".to_owned(), path.display().to_string()] {
        let told = session(&machine, &name);
        let prompts: Vec<(&str, u64, Option<u64>)> = told
            .prompts
            .iter()
            .map(|prompt| (prompt.text.as_str(), prompt.requests, prompt.request))
            .collect();
        assert_eq!(
            prompts,
            [("Tidy up.", 1, Some(0)), ("Use npm.", 1, Some(1)), ("And be quick.", 1, Some(2))],
            "{name}"
        );
    }
}

#[test]
fn a_file_is_told_to_have_been_brought_by_one_that_it_is_for() {
    let machine = Machine::new();
    let mut agent = machine.agent("cccc-1");
    agent.asked("Look at both.");
    agent.call("Read", &json!({"file_path": "/w/pkg/a.py"}), &Value::Null);
    agent.call("Read", &json!({"file_path": "/w/pic.png"}), &Value::Null);
    for (path, globs) in [
        ("/w/pkg/CLAUDE.md", json!(null)),
        ("/w/.claude/rules/py.md", json!(["**/*.py"])),
        ("/w/.claude/rules/names.md", json!(["*.py"])),
        ("/w/.claude/rules/folder.md", json!(["pkg/"])),
        ("/w/.claude/rules/ts.md", json!(["**/*.ts"])),
        ("/w/lib/CLAUDE.md", json!(null)),
    ] {
        let payload = json!({"type": "nested_memory", "path": path,
            "content": {"type": "Project", "content": "Be brief.", "globs": globs}});
        agent.line("attachment", Value::Null, &attachment(&payload));
    }
    agent.writes("topic.md", "- a fact\n");
    machine.scan();
    let told = session(&machine, "cccc-1");
    let by = |path: &str| file(&told, path).loads[0].by.clone();
    for path in ["pkg/CLAUDE.md", "py.md", "names.md", "folder.md"] {
        assert_eq!(by(path).as_deref(), Some("/w/pkg/a.py"), "{path}");
    }
    assert_eq!(
        (by("ts.md"), by("lib/CLAUDE.md")),
        (None, None),
        "nothing that was read is what they are for"
    );
}

fn attachment(payload: &Value) -> Value {
    json!({"attachment": payload})
}

#[test]
fn files_are_told_with_when_and_why_they_were_loaded() {
    let machine = Machine::new();
    let mut agent = machine.agent("bbbb-1");
    let memory = machine.memory("MEMORY.md").to_string_lossy().into_owned();
    agent.asked("Look at the parser.");
    agent.line(
        "attachment",
        Value::Null,
        &attachment(&json!({"type": "instructions", "files": [
        {"path": "/w/CLAUDE.md", "type": "Project", "content": "Use tabs. @more.md"},
        {"path": "/w/more.md", "type": "Project", "content": "More."},
        {"path": memory, "type": "AutoMem", "content": "- port 8080"}]})),
    );
    agent.call("Read", &json!({"file_path": "/w/src/a.rs"}), &Value::Null);
    agent.line(
        "attachment",
        Value::Null,
        &attachment(&json!({"type": "nested_memory", "path": "/w/src/CLAUDE.md",
        "content": {"type": "Project", "content": "Spaces."}})),
    );
    agent.line(
        "attachment",
        Value::Null,
        &attachment(&json!({"type": "nested_memory", "path": "/w/.claude/rules/rust.md",
        "content": {"type": "Project", "content": "No unwrap.", "globs": ["**/*.rs"], "isRule": true}})),
    );
    agent.line(
        "attachment",
        Value::Null,
        &attachment(&json!({"type": "hook_additional_context", "hookEvent": "PostToolUse",
        "content": ["Contents of /w/pkg/AGENTS.md:\n\nOne module a directory.\n"]})),
    );
    agent.line(
        "attachment",
        Value::Null,
        &attachment(&json!({"type": "instructions", "reason": "memory_resumed", "files": [
        {"path": memory, "type": "AutoMem", "content": "- port 9090"}]})),
    );
    agent.writes("topic.md", "- a fact\n");
    machine.scan();

    use wire::LoadReason as Reason;
    let told = session(&machine, "bbbb-1");
    assert_eq!(reasons(file(&told, "/w/CLAUDE.md")), [Reason::SessionStart]);
    assert_eq!(file(&told, "/w/CLAUDE.md").requests, [(0, 1)]);
    assert_eq!(reasons(file(&told, "/w/src/CLAUDE.md")), [Reason::NestedTraversal]);
    assert_eq!(reasons(file(&told, "rust.md")), [Reason::PathGlobMatch]);
    assert_eq!(reasons(file(&told, "/w/pkg/AGENTS.md")), [Reason::Hook]);
    for path in ["/w/src/CLAUDE.md", "rust.md", "/w/pkg/AGENTS.md"] {
        let had = file(&told, path);
        assert_eq!((had.requests.as_slice(), had.class.as_str()), (&[(1, 1)][..], "instructions"), "{path}");
        let load = &had.loads[0];
        assert_eq!((load.by.as_deref(), load.request), (Some("/w/src/a.rs"), Some(1)), "{path}");
    }
    let index = file(&told, "MEMORY.md");
    assert_eq!((index.class.as_str(), index.kind.as_deref()), ("memory", Some("AutoMem")));
    assert_eq!((index.store_path.as_deref(), index.store_id.is_some()), (Some("MEMORY.md"), true));
    assert_eq!(reasons(index), [Reason::SessionStart, Reason::Refresh]);
    assert_eq!(index.loads[1].told.as_deref(), Some("memory_resumed"));

    // What the hook says is better: who imported it, and what the transcript does not tell.
    for event in [
        json!({"session_id": "bbbb-1", "hook_event_name": "InstructionsLoaded", "file_path": "/w/more.md", "memory_type": "Project",
            "load_reason": "include", "parent_file_path": "/w/CLAUDE.md"}),
        json!({"session_id": "bbbb-1", "hook_event_name": "InstructionsLoaded", "file_path": "/etc/claude/CLAUDE.md",
            "memory_type": "Managed", "load_reason": "session_start"}),
        json!({"session_id": "other", "hook_event_name": "InstructionsLoaded", "file_path": "/w/x.md", "load_reason": "include"}),
    ] {
        let told =
            LoadTold::of_event(event.to_string().as_bytes(), Timestamp::from_micros(0)).expect("an event");
        told.keep(&machine.world.path("data")).expect("kept");
    }
    let told = session(&machine, "bbbb-1");
    let more = file(&told, "/w/more.md");
    let load = &more.loads[0];
    assert_eq!(
        (load.reason, load.by.as_deref(), load.witness),
        (Reason::Include, Some("/w/CLAUDE.md"), wire::LoadWitness::Hook)
    );
    assert_eq!((more.loads.len(), more.requests.as_slice()), (1, &[(0, 1)][..]));
    assert_eq!(file(&told, "/etc/claude/CLAUDE.md").requests, []);
    assert!(told.files.iter().all(|file| file.path != "/w/x.md"));

    // Each memory's use says why as well.
    let prices =
        commands::context_memory(&machine.world.app, wire::MemoryPricesReq::default()).expect("prices");
    let price = prices.files.iter().find(|file| file.path == memory).expect("the index");
    let counts: Vec<(Reason, u64)> =
        price.reasons.iter().map(|count| (count.reason, count.sessions)).collect();
    assert_eq!(counts, [(Reason::SessionStart, 1), (Reason::Refresh, 1)]);
}

/// Cause of each row of requests of a whole memory in one session, with the first and the last.
fn reach(machine: &Machine, path: &str, session: &str) -> Vec<(u64, u64, u32, Option<wire::PresenceCause>)> {
    let request = wire::ReachReq { target: format!("memory:{path}"), ..wire::ReachReq::default() };
    let reach = commands::reach(&machine.world.app, request).expect("a reach");
    let row = reach.rows.iter().find(|row| row.transcript == session).expect("the session");
    row.spans.iter().map(|span| (span.from, span.to, span.lines, span.cause)).collect()
}

fn presence(machine: &Machine, session: &str, at: u64) -> wire::Presence {
    let request = wire::PresenceReq { session: session.to_owned(), at: Some(at), spans: false };
    commands::presence(&machine.world.app, request).expect("presence")
}

#[test]
fn a_memory_is_there_from_the_call_that_wrote_it_however_late_it_was_recorded() {
    use wire::PresenceCause::{DidNotExist, NotOpened};
    let machine = Machine::new();
    let mut before = machine.agent("aaaa-9");
    before.asked("Look.");
    before.runs("true");
    machine.pass(60);
    let mut writer = machine.agent("bbbb-9");
    writer.asked("Note it.");
    writer.runs("true");
    writer.writes("notes.md", "- one\n- two\n");
    writer.runs("true");
    let path = machine.memory("notes.md");
    writer.runs(&format!("printf '%s\\n' '- three' >> '{}'", path.display()));
    writer.runs("true");
    machine.pass(60);
    let mut after = machine.agent("cccc-9");
    after.asked("Look.");
    after.runs("true");
    machine.pass(3_600);
    // The store is recorded only now, and nobody asked who wrote what.
    machine.scan();
    assert_eq!(reach(&machine, "notes.md", "aaaa-9"), [(0, 0, 0, Some(DidNotExist))]);
    assert_eq!(reach(&machine, "notes.md", "cccc-9"), [(0, 0, 0, Some(NotOpened))]);
    assert_eq!(
        reach(&machine, "notes.md", "bbbb-9"),
        [(0, 1, 0, Some(DidNotExist)), (2, 3, 2, Some(DidNotExist)), (4, 4, 3, None)]
    );
    // Both doors say the same.
    for (session, at, lines, absent) in [
        ("aaaa-9", 0, vec![], vec![((1, 3), DidNotExist)]),
        ("cccc-9", 0, vec![], vec![((1, 3), NotOpened)]),
        ("bbbb-9", 1, vec![], vec![((1, 3), DidNotExist)]),
        ("bbbb-9", 2, vec![(1, 2)], vec![((3, 3), DidNotExist)]),
        ("bbbb-9", 4, vec![(1, 3)], vec![]),
    ] {
        let told = presence(&machine, session, at);
        let source = told.sources.iter().find(|source| source.path == "notes.md").expect("the memory");
        let causes: Vec<_> = source.absent.iter().map(|absent| (absent.lines, absent.cause)).collect();
        assert_eq!((&source.lines, &causes), (&lines, &absent), "{session} {at}");
    }
    // A session had what its requests held, also what it wrote itself.
    let told = session(&machine, "bbbb-9");
    let notes = file(&told, "notes.md");
    assert_eq!((notes.requests.as_slice(), notes.store_path.as_deref()), (&[(2, 4)][..], Some("notes.md")));
    assert!(session(&machine, "cccc-9").files.is_empty());
}

#[test]
fn a_copied_session_is_asked_for() {
    let machine = Machine::new();
    let mut agent = machine.agent("dddd-9");
    agent.asked("Note it.");
    agent.writes("notes.md", "- one\n");
    machine.scan();
    let own = machine.project().join("dddd-9.jsonl");
    let other = machine.world.path("home/.claude/projects/-home-ada-other");
    std::fs::create_dir_all(&other).expect("a folder");
    let copy = other.join("dddd-9.jsonl");
    std::fs::copy(&own, &copy).expect("a copy");
    for name in ["dddd-9", "dddd"] {
        let request = wire::SessionRef { session: name.to_owned() };
        let error = commands::session(&machine.world.app, request).expect_err("which one");
        assert_eq!(error.code, wire::Code::Invalid);
        let hint = error.hint.to_string();
        assert!(hint.contains(&*own.to_string_lossy()) && hint.contains(&*copy.to_string_lossy()), "{hint}");
    }
    for path in [own, copy] {
        let told = session(&machine, &path.to_string_lossy());
        assert_eq!(told.writes.session_id, "dddd-9");
        assert_eq!(told.writes.transcript.as_deref(), Some(&*path.to_string_lossy()));
    }
}
