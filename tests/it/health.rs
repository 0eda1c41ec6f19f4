//! Health, expiry and acts on single entries: what is measured, what is proposed, and that both files of a move change
//! together or not at all.

use retrace_api::{LoadTold, commands, wire};
use retrace_model::{Sha256, Timestamp};
use retrace_tests::World;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A world whose store `notes` is memory of Claude Code, with an index over the limit.
fn with_long_index() -> World {
    let world = World::new();
    commands::remove_store(&world.app, wire::StoreRef { store: "notes".to_owned() }).expect("removed");
    let root = world.path("claude/memory");
    std::fs::create_dir_all(&root).expect("a directory");
    std::fs::remove_dir(world.path("notes")).expect("it is empty");
    std::os::unix::fs::symlink(&root, world.path("notes")).expect("a link");
    let request = wire::AddStore {
        root: root.to_string_lossy().into_owned(),
        kind: Some("claude-auto".to_owned()),
        name: Some("claude".to_owned()),
    };
    commands::add_store(&world.app, request).expect("the store is added");
    let mut index = String::from("# Memory\n\n- [Tides](tides.md): when to sail\n");
    for number in 4..=206 {
        let _ = writeln!(index, "- fact {number}");
    }
    world.write("MEMORY.md", index);
    world.write("tides.md", "# Tides\n\n- rounded to five minutes\n");
    world.scan();
    world
}

fn health(world: &World, store: Option<&str>) -> wire::Health {
    let request = wire::HealthReq { store: store.map(str::to_owned), loads: false };
    commands::health(&world.app, request).expect("health")
}

fn move_entry(line: u32, end_line: Option<u32>, to: &str) -> wire::MoveEntryReq {
    wire::MoveEntryReq {
        store: "claude".to_owned(),
        path: "MEMORY.md".to_owned(),
        line,
        end_line,
        to: to.to_owned(),
        ..wire::MoveEntryReq::default()
    }
}

fn document(world: &World, path: &str) -> wire::Document {
    let request = wire::DocumentReq { target: format!("claude:{path}"), highlight: false };
    commands::document(&world.app, request).expect("a document")
}

#[test]
fn sizes_are_measured_as_agents_measure_and_badges_are_rows() {
    let world = with_long_index();
    let health = health(&world, None);
    let store = &health.stores[0];
    assert_eq!((store.name.as_str(), store.files, store.problems.len()), ("claude", 2, 0));
    let index = &store.indexes[0];
    assert_eq!((index.lines, index.cut_line, index.lost_lines), (206, Some(201), 6));
    assert_eq!((index.each_session, store.index_tokens), (true, index.tokens));
    assert!(index.tokens > 500, "{index:?}");
    let cut = document(&world, "MEMORY.md").cut.expect("the document says the same");
    assert_eq!((cut.line, cut.lost, cut.limit.as_str(), cut.size), (201, 6, "lines", 200));
    let rows =
        |severity: &str| health.findings.iter().filter(|one| one.finding.severity == severity).count() as u64;
    assert_eq!(
        (rows("error"), rows("warning"), rows("note")),
        (health.errors, health.warnings, health.notes)
    );
    let found = health.findings.iter().find(|one| one.finding.rule == "limits/index-cut").expect("a finding");
    assert_eq!((found.finding.line, found.memory_id.is_some()), (201, true));
    assert!(store.groups.iter().any(|group| group.group == "limits" && group.warnings >= 1));
    assert!(store.last_write_at.is_some() && store.last_review_at.is_none());
    assert!(store.unreviewed > 0);
}

#[test]
fn memory_that_an_agent_keeps_for_a_project_is_compared_with_that_project() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().canonicalize().expect("a path");
    let project = home.join("src/my app");
    std::fs::create_dir_all(project.join(".git")).expect("a repository");
    std::fs::write(project.join("package.json"), r#"{"scripts":{"test":"x"}}"#).expect("a file");
    std::fs::write(project.join("retrace.toml"), "[rules]\nlinks = \"off\"\n").expect("a file");
    let slug = retrace_sources::slug(&project.to_string_lossy());
    let kept = home.join(".claude/projects").join(slug);
    std::fs::create_dir_all(kept.join("memory")).expect("a folder");
    let cwd = serde_json::json!({ "type": "user", "cwd": project, "sessionId": "s" });
    std::fs::write(kept.join("s.jsonl"), format!("{cwd}\n")).expect("a file");
    let text = "Run `npm run test`, then `npm run gone`. See [it](package.md).\n";
    std::fs::write(kept.join("memory/MEMORY.md"), text).expect("a file");
    let surroundings = retrace_sources::Surroundings::new(home, retrace_sources::Platform::Linux);
    let world = World::with(|options| options.surroundings = surroundings);
    let root = kept.join("memory").to_string_lossy().into_owned();
    let added = commands::add_store(&world.app, wire::AddStore { root, kind: None, name: None });
    let added = added.expect("the store is added");
    assert_eq!((added.kind.as_str(), added.name.as_str()), ("claude-auto", "my app · auto memory"));
    let found = health(&world, Some(&added.id)).findings;
    let rules: Vec<&str> = found.iter().map(|one| one.finding.rule.as_str()).collect();
    // The project's own settings are for the memory that lies in it.
    assert_eq!(rules, ["links/missing-file", "truth/script"]);
    let request = wire::CheckReq { target: added.id, ..wire::CheckReq::default() };
    let checked = commands::check(&world.app, request).expect("a check");
    assert_eq!((checked.findings.len(), checked.repository.as_deref()), (2, project.to_str()));
}

#[test]
fn a_store_that_cannot_be_read_is_a_row_with_the_reason() {
    let world = with_long_index();
    let kept = world.path("gone");
    std::fs::rename(world.path("claude/memory"), &kept).expect("a rename");
    let health = health(&world, Some("claude"));
    assert_eq!((health.stores[0].files, health.stores[0].problems.len()), (0, 1));
    assert!(health.stores[0].last_write_at.is_some());
    std::fs::rename(kept, world.path("claude/memory")).expect("back");
}

#[test]
fn a_review_is_reported_per_store() {
    let world = with_long_index();
    let request = wire::ReviewUpToReq { up_to: world.cursor().to_string(), ..wire::ReviewUpToReq::default() };
    commands::review_up_to(&world.app, request).expect("a review");
    let store = health(&world, Some("claude")).stores.remove(0);
    assert_eq!((store.last_review_at.is_some(), store.unreviewed), (true, 0));
}

#[test]
fn a_rule_that_a_person_switched_off_is_off_everywhere_but_at_the_gate() {
    let world = with_long_index();
    let set = |setting: Option<&str>| {
        let request =
            wire::SetFindingRule { rule: "limits/index-cut".to_owned(), setting: setting.map(str::to_owned) };
        commands::set_finding_rule(&world.app, request).expect("it is set")
    };
    let is_found = || health(&world, None).findings.iter().any(|one| one.finding.rule == "limits/index-cut");
    let checked = |target: &str| {
        let request = wire::CheckReq { target: target.to_owned(), ..wire::CheckReq::default() };
        let checked = commands::check(&world.app, request).expect("a check");
        checked.findings.iter().any(|finding| finding.rule == "limits/index-cut")
    };
    assert!(is_found() && checked("claude"));
    let rules = set(Some("off"));
    let own = rules.rules.iter().find(|rule| rule.id == "limits/index-cut").expect("listed");
    assert_eq!((own.own.as_deref(), own.on), (Some("off"), true));
    let directory = world.path("claude/memory");
    // A setting that an agent writes into the directory does not switch it on again.
    world.write("retrace.toml", "[rules]\n\"limits/index-cut\" = \"error\"\n");
    assert!(!is_found() && !checked("claude"));
    assert!(checked(&directory.to_string_lossy()), "a gate is the same for everybody");
    set(Some("note"));
    let found = health(&world, None).findings;
    let found = found.iter().find(|one| one.finding.rule == "limits/index-cut").expect("a finding");
    assert_eq!(found.finding.severity, "note");
    world.remove("retrace.toml");
    set(None);
    assert!(is_found());
    let wrong = wire::SetFindingRule { rule: "no/rule".to_owned(), setting: None };
    assert!(commands::set_finding_rule(&world.app, wrong).is_err());
    world.scan();
}

#[test]
fn an_entry_moves_in_one_operation_and_comes_back_in_one() {
    let world = with_long_index();
    let (index, topic) = (world.read("MEMORY.md"), world.read("tides.md"));
    let mut request = move_entry(201, Some(206), "tides.md");
    request.dry_run = true;
    let preview = commands::move_entry(&world.app, request.clone()).expect("a preview");
    assert_eq!((preview.writes.len(), preview.operation_seq), (2, None));
    let diff = |path: &str| {
        let write = preview.writes.iter().find(|write| write.path == path).expect("a write");
        let diff = write.diff.as_ref().expect("a difference that no version holds yet");
        (diff.added, diff.removed)
    };
    assert_eq!((diff("MEMORY.md"), diff("tides.md")), ((0, 6), (6, 0)));
    assert_eq!((world.read("MEMORY.md"), world.read("tides.md")), (index.clone(), topic.clone()));
    request.dry_run = false;
    let done = commands::move_entry(&world.app, request).expect("it moves");
    assert_eq!((done.writes.len(), done.warnings.len(), done.conflicts.len()), (2, 0, 0));
    assert!(world.read("tides.md").expect("a file").ends_with("- fact 205\n- fact 206\n"));
    assert_eq!(document(&world, "MEMORY.md").cut, None);
    let seq = done.operation_seq.expect("an operation");
    let log = world.log("");
    assert_eq!(log.iter().filter(|version| version.operation_seq == seq).count(), 2);
    assert_eq!(log[0].note.as_deref(), Some("moved lines 201-206 of MEMORY.md to tides.md"));
    assert_eq!(world.scan(), 0, "the log says what the disk says");
    commands::undo(&world.app, wire::UndoReq::default()).expect("it comes back");
    assert_eq!((world.read("MEMORY.md"), world.read("tides.md")), (index, topic));
}

#[test]
fn a_new_topic_file_is_made_and_linked_where_sessions_load_it() {
    let world = with_long_index();
    let done = commands::move_entry(&world.app, move_entry(203, None, "more/facts.md")).expect("it moves");
    assert_eq!(done.warnings, ["The index is still cut, at line 201."]);
    let topic = world.read("more/facts.md").expect("it is made");
    assert!(topic.starts_with("---\nname: \"facts\"\n") && topic.ends_with("---\n\n- fact 203\n"), "{topic}");
    let index = world.read("MEMORY.md").expect("the index");
    assert_eq!(index.lines().nth(199), Some("- [Facts](more/facts.md)"));
    commands::undo(&world.app, wire::UndoReq::default()).expect("it comes back");
    assert_eq!(world.read("more/facts.md"), None);
}

#[test]
fn a_file_that_moved_on_stops_a_move_as_a_whole() {
    let world = with_long_index();
    let seen = Sha256::of(world.read("tides.md").expect("a file").as_bytes()).to_hex();
    world.write("tides.md", "written meanwhile\n");
    let before = world.read("MEMORY.md");
    let stopped = commands::move_entry(&world.app, move_entry(201, None, "tides.md")).expect("an answer");
    assert_eq!((stopped.conflicts.len(), stopped.operation_seq), (1, None));
    assert_eq!((stopped.conflicts[0].path.as_str(), world.read("MEMORY.md")), ("tides.md", before.clone()));
    // The present file is recorded, so that repeating it works; but not for who saw something else.
    let mut request = move_entry(201, None, "tides.md");
    request.expect_to = Some(seen);
    let stopped = commands::move_entry(&world.app, request.clone()).expect("an answer");
    assert_eq!((stopped.conflicts.len(), world.read("MEMORY.md")), (1, before));
    request.expect_to = None;
    assert!(commands::move_entry(&world.app, request).expect("it moves").operation_seq.is_some());
    world.write("new.md", "nobody knows it yet\n");
    let stopped = commands::move_entry(&world.app, move_entry(201, None, "new.md")).expect("an answer");
    assert_eq!(stopped.conflicts.len(), 1, "a file that is not recorded is not overwritten");
    assert_eq!(world.read("new.md").as_deref(), Some("nobody knows it yet\n"));
}

#[test]
fn what_cannot_be_moved_says_why() {
    let world = with_long_index();
    world.record("image.md", [0_u8, 159, 146, 150]);
    for (line, to) in [
        (0, "tides.md"),
        (900, "tides.md"),
        (4, "MEMORY.md"),
        (4, "x.txt"),
        (4, "../x.md"),
        (4, ".x.md"),
        (4, "image.md"),
    ] {
        let refused = commands::move_entry(&world.app, move_entry(line, None, to));
        assert!(refused.is_err(), "{line} {to}");
    }
    let mut from_topic = move_entry(1, None, "x.md");
    from_topic.path = "tides.md".to_owned();
    assert!(commands::move_entry(&world.app, from_topic).is_err());
}

#[test]
fn a_comment_allows_a_finding_and_costs_the_index_nothing() {
    let world = with_long_index();
    world.record("links.md", "see [[nothing]]\n");
    let found = |world: &World| {
        let findings = health(world, None).findings;
        findings.iter().any(|one| one.finding.rule == "links/wiki")
    };
    assert!(found(&world));
    let request = wire::AllowFindingReq {
        store: "claude".to_owned(),
        path: "links.md".to_owned(),
        line: Some(1),
        rule: "links/wiki".to_owned(),
        reason: Some("it comes next week".to_owned()),
        ..wire::AllowFindingReq::default()
    };
    commands::allow_finding(&world.app, request.clone()).expect("it is allowed");
    assert_eq!(
        world.read("links.md").as_deref(),
        Some("<!-- retrace-allow: links/wiki it comes next week -->\nsee [[nothing]]\n")
    );
    let after = health(&world, None);
    assert!(!found(&world) && after.stores[0].allowed == 1);
    assert!(!after.findings.iter().any(|one| one.finding.rule == "hidden/comment"), "{:?}", after.findings);
    for wrong in [
        wire::AllowFindingReq { rule: "no/rule".to_owned(), ..request.clone() },
        wire::AllowFindingReq { rule: "events/race".to_owned(), ..request.clone() },
        wire::AllowFindingReq { reason: Some("--> hidden".to_owned()), ..request.clone() },
        wire::AllowFindingReq { path: "none.md".to_owned(), ..request },
    ] {
        assert!(commands::allow_finding(&world.app, wrong).is_err());
    }
    commands::undo(&world.app, wire::UndoReq::default()).expect("it comes back");
    assert!(found(&world));
}

fn proposals(world: &World) -> Vec<wire::ExpiryProposal> {
    commands::expiry(&world.app, wire::ExpiryReq::default()).expect("proposals").proposals
}

#[test]
fn what_could_go_is_proposed_with_evidence_and_goes_only_when_chosen() {
    let world = with_long_index();
    // The test clock stands at 20 November 2026.
    world.write("logs/2026/01/2026-01-05.md", "a day\n");
    world.write("logs/2026/11/2026-11-19.md", "yesterday; due 2026-11-01\n");
    world.write("freeze.md", "Merge freeze until 2026-03-05.\n");
    world.write("copy.md", "# Tides\n\n- rounded to five minutes\n");
    let index = "- [Tides](tides.md)\n- [Freeze](freeze.md)\n- [Both](freeze.md) and [Tides](tides.md)\n";
    world.write("MEMORY.md", index);
    world.scan();
    let versions = world.log("").len();
    let found = proposals(&world);
    let reported: Vec<(&str, &str)> =
        found.iter().map(|one| (one.path.as_str(), one.reasons[0].kind.as_str())).collect();
    assert_eq!(
        reported,
        [("copy.md", "duplicate"), ("freeze.md", "date_past"), ("logs/2026/01/2026-01-05.md", "old_log")]
    );
    assert_eq!(found[1].index_lines.len(), 1);
    assert_eq!((found[1].reasons[0].line, found[1].index_lines[0].line), (Some(1), 2));
    assert_eq!(health(&world, None).stores[0].expiry, 3);
    assert!(world.read("freeze.md").is_some() && world.log("").len() == versions, "nothing goes by itself");
    let mut request = wire::ExpireReq {
        store: "claude".to_owned(),
        memories: found
            .iter()
            .map(|one| wire::ExpireMemory {
                path: one.path.clone(),
                expect: Some(one.content_sha256.clone()),
            })
            .collect(),
        dry_run: true,
    };
    let preview = commands::expire(&world.app, request.clone()).expect("a preview");
    assert_eq!((preview.deletes.len(), preview.writes.len(), preview.warnings.len()), (3, 1, 1));
    request.dry_run = false;
    let done = commands::expire(&world.app, request.clone()).expect("they go");
    assert!(done.operation_seq.is_some());
    assert_eq!(
        world.read("MEMORY.md").as_deref(),
        Some("- [Tides](tides.md)\n- [Both](freeze.md) and [Tides](tides.md)\n")
    );
    assert_eq!((world.read("freeze.md"), world.read("copy.md")), (None, None));
    assert_eq!(proposals(&world).len(), 0);
    assert!(commands::expire(&world.app, request).is_err(), "what is gone cannot go again");
    commands::undo(&world.app, wire::UndoReq::default()).expect("all of it comes back");
    assert_eq!(world.read("MEMORY.md").as_deref(), Some(index));
    assert_eq!(proposals(&world).len(), 3);
}

#[test]
fn what_changed_since_it_was_proposed_stays() {
    let world = with_long_index();
    world.record("freeze.md", "Merge freeze until 2026-03-05.\n");
    let found = proposals(&world).remove(0);
    world.record("freeze.md", "Merge freeze until 2026-03-05. Again from January on.\n");
    let request = wire::ExpireReq {
        store: "claude".to_owned(),
        memories: vec![wire::ExpireMemory { path: found.path, expect: Some(found.content_sha256) }],
        dry_run: false,
    };
    let stopped = commands::expire(&world.app, request).expect("an answer");
    assert_eq!((stopped.conflicts.len(), stopped.operation_seq), (1, None));
    assert!(world.read("freeze.md").is_some());
    for path in ["MEMORY.md", "CLAUDE.md", "none.md"] {
        let memories = vec![wire::ExpireMemory { path: path.to_owned(), expect: None }];
        let request = wire::ExpireReq { store: "claude".to_owned(), memories, dry_run: true };
        assert!(commands::expire(&world.app, request).is_err(), "{path}");
    }
}

/// A session that ran on a day of 2026 and told that these memories were loaded.
fn loading(id: &str, month_and_day: &str, paths: &[String]) -> String {
    let files: Vec<_> = paths
        .iter()
        .map(|path| serde_json::json!({ "path": path, "type": "AutoMem", "content": "what it holds" }))
        .collect();
    let attachment = serde_json::json!({
        "type": "attachment", "uuid": "m0", "parentUuid": "u0", "sessionId": id, "isSidechain": false,
        "timestamp": "2026-11-20T10:00:00.500Z", "version": "2.1.160",
        "attachment": { "type": "instructions", "files": files },
    });
    let text = crate::context::session(id, 2, 40);
    let (first, rest) = text.split_once('\n').expect("lines");
    let rest = rest.replacen("\"parentUuid\":\"u0\"", "\"parentUuid\":\"m0\"", 1);
    format!("{first}\n{attachment}\n{rest}").replace("2026-11-20T", &format!("2026-{month_and_day}T"))
}

/// A world whose clock goes on by a second each time it is asked, with an empty auto memory: its clock, the project's folder, the
/// memory's.
fn auto_memory(begin: &str) -> (World, Arc<AtomicI64>, PathBuf, PathBuf) {
    let now = Arc::new(AtomicI64::new(Timestamp::parse(begin).expect("a time").micros()));
    let clock = Arc::clone(&now);
    let world = World::with(|options| {
        options.clock =
            Arc::new(move || Timestamp::from_micros(clock.fetch_add(1_000_000, Ordering::SeqCst)));
    });
    let project = world.path("home/.claude/projects/-home-ada-app");
    let root = project.join("memory");
    std::fs::create_dir_all(&root).expect("a folder");
    (world, now, project, root)
}

#[test]
fn a_memory_that_no_session_loads_is_found_and_proposed() {
    let (world, now, project, root) = auto_memory("2026-06-01T00:00:00Z");
    std::fs::write(root.join("MEMORY.md"), "- [Used](used.md)\n- [Idle](idle.md)\n").expect("a file");
    std::fs::write(root.join("used.md"), "Tides are rounded.\n").expect("a file");
    std::fs::write(root.join("idle.md"), "Ships leave at noon.\n").expect("a file");
    let path = |name: &str| root.join(name).to_string_lossy().into_owned();
    let request = wire::AddStore {
        root: path("."),
        kind: Some("claude-auto".to_owned()),
        name: Some("claude".to_owned()),
    };
    commands::add_store(&world.app, request).expect("the store is added");
    now.store(Timestamp::parse("2026-11-20T00:00:00Z").expect("a time").micros(), Ordering::SeqCst);
    let session = |number: usize, paths: &[String]| {
        let id = format!("cccc{number:04}");
        let text = loading(&id, &format!("10-{:02}", number + 1), paths);
        std::fs::write(project.join(format!("{id}.jsonl")), text).expect("a transcript");
    };
    let read_health = || {
        let request = wire::HealthReq { store: Some("claude".to_owned()), loads: true };
        let health = commands::health(&world.app, request).expect("health");
        let found: Vec<String> = health.findings.into_iter().map(|one| one.finding.path).collect();
        (health.stores.into_iter().next().expect("the store").loads.expect("they were asked for"), found)
    };
    for number in 0..9 {
        session(number, &[path("MEMORY.md"), path("used.md")]);
    }
    let (loads, found) = read_health();
    assert_eq!((loads.sessions, loads.never_loaded), (9, 1));
    assert!(found.is_empty(), "{found:?}");
    session(9, &[path("MEMORY.md")]);
    let (loads, found) = read_health();
    assert_eq!((loads.sessions, loads.never_loaded), (10, 1));
    assert!(found.is_empty(), "no session of the last 30 days: {found:?}");
    let request = wire::ExpiryReq { loads: true, ..wire::ExpiryReq::default() };
    let proposed = commands::expiry(&world.app, request).expect("proposals").proposals;
    let proposed: Vec<_> = proposed.iter().map(|one| (&*one.path, &*one.reasons[0].kind)).collect();
    assert_eq!(proposed, [("idle.md", "unloaded")]);
    assert!(health(&world, Some("claude")).findings.is_empty(), "not without reading transcripts");
}

#[test]
fn a_memory_tells_which_sessions_loaded_it_and_why() {
    let (world, _, project, root) = auto_memory("2026-06-01T00:00:00Z");
    std::fs::write(root.join("MEMORY.md"), "- [Used](used.md)\n").expect("a file");
    std::fs::write(root.join("used.md"), "Tides are rounded.\n").expect("a file");
    let path = |name: &str| root.join(name).to_string_lossy().into_owned();
    let request = wire::AddStore {
        root: path("."),
        kind: Some("claude-auto".to_owned()),
        name: Some("claude".to_owned()),
    };
    commands::add_store(&world.app, request).expect("the store is added");
    for (number, files) in
        [vec!["MEMORY.md", "used.md"], vec!["MEMORY.md"], vec!["MEMORY.md", "used.md"]].iter().enumerate()
    {
        let id = format!("dddd{number:04}");
        let files: Vec<String> = files.iter().map(|name| path(name)).collect();
        let text = loading(&id, &format!("10-{:02}", number + 1), &files);
        std::fs::write(project.join(format!("{id}.jsonl")), text).expect("a transcript");
    }
    let loads =
        |memory: &str| commands::memory_loads(&world.app, wire::MemoryLoadsReq { memory: memory.to_owned() });
    let found = loads("claude:used.md").expect("an answer");
    assert_eq!((found.sessions, found.loaded, found.cancelled), (3, 2, false));
    let ids: Vec<&str> = found.rows.iter().map(|row| &*row.session).collect();
    assert_eq!(ids, ["dddd0002", "dddd0000"], "the newest first");
    assert!(found.rows.iter().all(|row| !row.reasons.is_empty() && !row.hook), "{found:?}");
    assert_eq!(found.reasons[0].sessions, 2);

    // The hook tells of a session that has no transcript here, and better of one that has; a subagent is no session.
    let told = |session: &str, agent: Option<&str>| {
        let event = serde_json::json!({"session_id": session, "hook_event_name": "InstructionsLoaded", "agent_id": agent,
            "file_path": path("used.md"), "load_reason": "nested_traversal"});
        let at = Timestamp::parse("2026-10-20T08:00:00Z").expect("a time");
        let told = LoadTold::of_event(event.to_string().as_bytes(), at).expect("an event");
        told.keep(&world.app.data_dir()).expect("it is kept");
    };
    told("dddd0000", None);
    told("elsewhere", None);
    told("dddd0001", Some("a subagent"));
    let found = loads("claude:used.md").expect("an answer");
    assert_eq!((found.sessions, found.loaded), (4, 3));
    let hooked: Vec<&str> = found.rows.iter().filter(|row| row.hook).map(|row| &*row.session).collect();
    assert_eq!(hooked, ["dddd0000", "elsewhere"]);
    assert_eq!(found.rows[0].at.as_deref(), Some("2026-10-20T08:00:00.000000Z"));
    assert!(found.rows[0].reasons.contains(&wire::LoadReason::NestedTraversal));

    assert_eq!(loads("claude").expect_err("no memory").code, wire::Code::Invalid);
    assert_eq!(loads("nobody:used.md").expect_err("no store").code, wire::Code::NotFound);
}

/// A session of a day that was given the index as its client loads it, and read these files.
fn reading(id: &str, day: &str, index: &Path, files: &[PathBuf]) -> String {
    let text = std::fs::read_to_string(index).expect("an index");
    let shown: String = text.lines().take(200).map(|line| format!("{line}\n")).collect();
    let shown =
        format!("{shown}\n> WARNING: MEMORY.md is 204 lines (limit: 200). Only part of it was loaded.");
    let mut lines: Vec<String> = Vec::new();
    let mut line = |fields: serde_json::Value| {
        let number = lines.len();
        let mut row = serde_json::json!({"uuid": format!("u{number}"), "sessionId": id, "cwd": "/home/ada/app",
            "version": "2.1.181", "parentUuid": (number > 0).then(|| format!("u{}", number - 1)), "isSidechain": false,
            "timestamp": format!("{day}T10:00:{number:02}Z")});
        let fields = fields.as_object().expect("fields").clone();
        row.as_object_mut().expect("a row").extend(fields);
        lines.push(row.to_string());
    };
    line(serde_json::json!({"type": "user", "message": {"role": "user", "content": "Go on."}}));
    line(serde_json::json!({"type": "attachment", "attachment": { "type": "instructions",
        "files": [{ "path": index, "type": "AutoMem", "content": shown }] }}));
    for (number, file) in files.iter().enumerate() {
        let call = format!("{id}-{number}");
        line(
            serde_json::json!({"type": "assistant", "message": {"id": format!("msg_{call}"), "role": "assistant",
            "model": "claude-opus-5", "content": [{"type": "tool_use", "id": call, "name": "Read",
            "input": {"file_path": file}}], "usage": {"input_tokens": 5, "output_tokens": 5}}}),
        );
        let content = std::fs::read_to_string(file).expect("a file");
        let numbered: Vec<String> =
            content.lines().enumerate().map(|(at, line)| format!("{:6}\t{line}", at + 1)).collect();
        line(serde_json::json!({"type": "user", "message": {"role": "user", "content":
            [{"type": "tool_result", "tool_use_id": call, "content": numbered.join("\n")}]}}));
    }
    line(serde_json::json!({"type": "assistant", "message": {"id": format!("msg_{id}"), "role": "assistant",
        "model": "claude-opus-5", "content": [{"type": "text", "text": "Done."}],
        "usage": {"input_tokens": 5, "output_tokens": 5}}}));
    lines.join("\n") + "\n"
}

#[test]
fn lines_that_no_session_of_late_had_are_found_with_the_cause() {
    let (world, now, project, root) = auto_memory("2026-10-01T00:00:00Z");
    let mut index: String = (1..=202).map(|number| format!("- Fact {number}.\n")).collect();
    index += "- [Used](used.md)\n- [Idle](idle.md)\n";
    std::fs::write(root.join("MEMORY.md"), index).expect("a file");
    std::fs::write(root.join("used.md"), "Tides are rounded.\n").expect("a file");
    std::fs::write(root.join("idle.md"), "Ships leave at noon.\n").expect("a file");
    let request = wire::AddStore {
        root: root.to_string_lossy().into_owned(),
        kind: Some("claude-auto".to_owned()),
        name: Some("claude".to_owned()),
    };
    commands::add_store(&world.app, request).expect("the store is added");
    let found = || {
        let request = wire::HealthReq { store: Some("claude".to_owned()), loads: true };
        let health = commands::health(&world.app, request).expect("health");
        let mut found: Vec<wire::Finding> = health.findings.into_iter().map(|one| one.finding).collect();
        found.retain(|one| one.rule == "use/never-present");
        found
    };
    now.store(Timestamp::parse("2026-11-20T00:00:00Z").expect("a time").micros(), Ordering::SeqCst);
    assert!(found().is_empty(), "nothing is known without sessions");
    let write = |id: &str, day: &str, files: &[PathBuf]| {
        let text = reading(id, day, &root.join("MEMORY.md"), files);
        std::fs::write(project.join(format!("{id}.jsonl")), text).expect("a transcript");
    };
    // The one that read it all is too long ago.
    write("cccc0001", "2026-10-02", &["MEMORY.md", "used.md", "idle.md"].map(|path| root.join(path)));
    assert!(found().is_empty(), "no session of the last 30 days");
    write("cccc0002", "2026-11-18", &[root.join("used.md")]);
    write("cccc0003", "2026-11-19", &[]);
    let found = found();
    let told: Vec<_> = found.iter().map(|one| (&*one.path, one.line, one.end_line, &*one.message)).collect();
    assert_eq!(found.len(), 2, "{told:?}");
    assert_eq!((&*found[0].path, found[0].line, found[0].end_line), ("MEMORY.md", 201, Some(204)));
    assert!(found[0].message.text().contains("it was cut, behind what is loaded (2 of 2)"), "{told:?}");
    assert_eq!(found[0].remedies[0], wire::Remedy::MoveLines { from: 200, to: 204 });
    assert_eq!(found[0].remedies[1], wire::Remedy::Reach { from: 201, to: 204 });
    assert_eq!((&*found[1].path, found[1].start), ("idle.md", None));
    assert!(found[1].message.text().contains("nobody opened it (2 of 2)"), "{told:?}");
    // The same sessions, with what each memory costs.
    let worth = commands::memory_worth(&world.app, wire::MemoryWorthReq::default()).expect("an answer");
    let told: Vec<_> = worth.memories.iter().map(|one| (&*one.path, one.present, one.sessions)).collect();
    assert_eq!(told, [("MEMORY.md", 3, 3), ("used.md", 2, 3), ("idle.md", 1, 3)]);
    assert!(worth.memories.iter().all(|one| one.tokens_per_session > 0), "{worth:?}");
}
