//! Kinds of memory files, the instruction files beside a store, and the snapshots of agents.

use retrace_api::{commands, wire};
use retrace_tests::World;
use std::path::{Path, PathBuf};

/// Writes a file in the world and makes its directory.
fn write(world: &World, path: &str, content: &str) -> PathBuf {
    let target = world.path(path);
    std::fs::create_dir_all(target.parent().expect("a parent")).expect("directories");
    std::fs::write(&target, content).expect("a file");
    target
}

fn add(world: &World, root: &str, kind: &str, name: &str) {
    let request = wire::AddStore {
        root: world.path(root).to_string_lossy().into_owned(),
        kind: Some(kind.to_owned()),
        name: Some(name.to_owned()),
    };
    commands::add_store(&world.app, request).expect("the store is added");
}

/// A kind in a line: class, type, scope, agent and day, as far as there are any.
fn line(kind: &wire::MemoryKind) -> String {
    let more = [&kind.memory_type, &kind.scope.map(|scope| scope.to_string()), &kind.agent, &kind.day];
    let words = more.into_iter().flatten().map(String::as_str);
    std::iter::once(kind.class.as_str()).chain(words).collect::<Vec<_>>().join(" ")
}

fn kinds(world: &World, store: &str) -> Vec<String> {
    let request = wire::MemoriesReq { store: store.to_owned(), ..wire::MemoriesReq::default() };
    let memories = commands::memories(&world.app, request).expect("memories").memories;
    let path = |memory: &wire::Memory| memory.path.clone().unwrap_or_default();
    memories.iter().map(|memory| format!("{}: {}", path(memory), line(&memory.kind))).collect()
}

#[test]
fn memories_and_items_say_what_kind_they_are() {
    let world = World::new();
    for (path, text) in [
        ("MEMORY.md", "- [Tone](tone.md) — how to answer\n"),
        ("tone.md", "---\nname: tone\ndescription: short\nmetadata:\n  type: feedback\n---\nShort.\n"),
        ("team/release.md", "---\nname: release\ntype: project\n---\nOn Tuesdays.\n"),
        ("logs/2026/03/2026-03-01.md", "Walked the dog.\n"),
        ("notes.txt", "---\ntype: user\n---\n"),
        ("broken.md", "---\ntype: [\n---\n"),
    ] {
        write(&world, &format!("home/.claude/projects/-app/memory/{path}"), text);
    }
    add(&world, "home/.claude/projects/-app/memory", "claude-auto", "auto");
    assert_eq!(
        kinds(&world, "auto"),
        [
            "MEMORY.md: index project",
            "broken.md: topic project",
            "logs/2026/03/2026-03-01.md: daily_log project 2026-03-01",
            "notes.txt: other project",
            "team/release.md: topic project team",
            "tone.md: topic feedback project",
        ]
    );
    // The type is that of the version: an item says what it became, and a deleted one what it was.
    let memory = "home/.claude/projects/-app/memory";
    write(&world, &format!("{memory}/tone.md"), "---\nname: tone\ntype: user\n---\nLong.\n");
    std::fs::remove_file(world.path(&format!("{memory}/team/release.md"))).expect("it was there");
    world.scan();
    let inbox = commands::inbox(&world.app, wire::InboxReq::default()).expect("the inbox");
    let mut items: Vec<String> = inbox
        .groups
        .iter()
        .flat_map(|group| &group.items)
        .map(|item| format!("{} {}: {}", item.verb, item.path.as_deref().unwrap_or("-"), line(&item.kind)))
        .collect();
    items.sort();
    assert_eq!(items, ["changed tone.md: topic user project", "deleted team/release.md: topic project team"]);
}

#[test]
fn agents_are_known_by_their_directory() {
    let world = World::new();
    for (root, name) in [
        ("home/.claude/agent-memory/reviewer", "user"),
        ("app/.claude/agent-memory/reviewer", "project"),
        ("app/.claude/agent-memory-local/reviewer", "local"),
    ] {
        write(&world, &format!("{root}/MEMORY.md"), "- Nothing yet\n");
        add(&world, root, "claude-agent", name);
        assert_eq!(kinds(&world, name), [format!("MEMORY.md: index agent_{name} reviewer")]);
    }
}

fn instructions(world: &World, store: Option<&str>, project: Option<&Path>) -> wire::Instructions {
    let request = wire::InstructionsReq {
        store: store.map(str::to_owned),
        project: project.map(|path| path.to_string_lossy().into_owned()),
    };
    commands::instructions(&world.app, request).expect("instructions")
}

#[test]
fn the_instructions_of_a_stores_project_are_listed_shown_and_not_recorded() {
    let world = World::new();
    let app = world.path("app");
    std::fs::create_dir_all(app.join(".git")).expect("a repository");
    write(&world, "home/.claude/CLAUDE.md", "Answer shortly.\n");
    write(&world, "app/CLAUDE.md", "# App\n\n<!-- for people -->\nSee @docs/build.md and @docs/gone.md\n");
    write(&world, "app/docs/build.md", "Run make.\n");
    write(&world, "app/AGENTS.md", "See CLAUDE.md.\n");
    // A transcript says which directory the folder stands for.
    let folder: String = app
        .to_string_lossy()
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .collect();
    let cwd = serde_json::json!({"type": "user", "cwd": app, "sessionId": "s"});
    write(&world, &format!("home/.claude/projects/{folder}/s.jsonl"), &format!("{cwd}\n"));
    write(&world, &format!("home/.claude/projects/{folder}/memory/MEMORY.md"), "- Nothing yet\n");
    add(&world, &format!("home/.claude/projects/{folder}/memory"), "claude-auto", "auto");
    let found = instructions(&world, Some("auto"), None);
    assert_eq!(found.directory.as_deref(), app.to_str());
    assert_eq!(found.because.as_deref(), Some("Claude Code keeps this memory for that directory."));
    let rows: Vec<String> = found
        .files
        .iter()
        .map(|file| {
            let path = Path::new(&file.path).strip_prefix(world.path("")).expect("in the world").display();
            format!("{} {} {path}", file.agent, file.state)
        })
        .collect();
    assert_eq!(
        rows,
        [
            "claude-code loaded home/.claude/CLAUDE.md",
            "claude-code loaded app/CLAUDE.md",
            "claude-code loaded app/docs/build.md",
            "claude-code missing app/docs/gone.md",
            "claude-code shadowed app/AGENTS.md",
            "codex loaded app/AGENTS.md",
            "opencode loaded home/.claude/CLAUDE.md",
            "opencode loaded app/AGENTS.md",
            "opencode shadowed app/CLAUDE.md",
        ]
    );
    let seen: Vec<_> =
        found.agents.iter().map(|rules| format!("{} {}", rules.agent, rules.seen_with)).collect();
    assert_eq!(seen, ["claude-code 2.1.330", "codex 0.169.0", "opencode 1.18.33"]);
    let clients = commands::clients(&world.app, wire::Nothing {}).expect("clients");
    let [claude] = &clients.clients[..] else { panic!("one agent has files here: {clients:?}") };
    assert_eq!((claude.agent.as_str(), claude.version.as_deref()), ("claude-code", None));
    assert!(
        claude.parts.iter().any(|part| part.part == "requests" && part.since.as_deref() == Some("2.1.300"))
    );
    assert!(found.files.iter().all(|file| file.store_id.is_none()));
    let tokens: u64 = found.files[..3].iter().filter_map(|file| file.tokens).sum();
    assert_eq!(found.totals[0].tokens, tokens);
    // The file is shown as it stands, comments and all; what is not listed is not served.
    let show = |path: &Path| {
        let path = path.to_string_lossy().into_owned();
        let request = wire::InstructionReq { store: Some("auto".to_owned()), path, ..Default::default() };
        commands::instruction(&world.app, request)
    };
    let document = show(&app.join("CLAUDE.md")).expect("a document");
    assert_eq!(document.lines[2].text, "<!-- for people -->");
    assert_eq!(document.version.map(|version| version.id), None);
    for path in [app.join("docs/gone.md"), app.join(".git/config"), PathBuf::from("/etc/hostname")] {
        let refused = show(&path).expect_err("it is not listed with a text");
        assert_eq!(refused.code, wire::Code::NotFound, "{}", path.display());
    }
    // A store that covers it is named.
    add(&world, "app/docs", "plain", "docs");
    let found = instructions(&world, None, Some(&app));
    let build = found.files.iter().find(|file| file.path.ends_with("build.md")).expect("it is listed");
    assert_eq!(build.store_path.as_deref(), Some("build.md"));
    assert!(build.store_id.is_some());
}

#[test]
fn a_store_without_a_project_has_the_users_own_instructions() {
    let world = World::new();
    write(&world, "home/.claude/CLAUDE.md", "Answer shortly.\n");
    let found = instructions(&world, Some("notes"), None);
    assert_eq!((found.directory, found.files.len()), (None, 2));
    for (project, code) in [("relative", wire::Code::Invalid), ("/not/there", wire::Code::NotFound)] {
        let request = wire::InstructionsReq { store: None, project: Some(project.to_owned()) };
        assert_eq!(commands::instructions(&world.app, request).expect_err("refused").code, code);
    }
}

#[test]
fn a_snapshot_is_previewed_before_the_agent_takes_it() {
    let world = World::new();
    let (memory, snapshot) =
        ("app/.claude/agent-memory-local/reviewer", "app/.claude/agent-memory-snapshots/reviewer");
    write(&world, &format!("{snapshot}/snapshot.json"), r#"{"updatedAt": "2026-03-02T00:00:00Z"}"#);
    write(&world, &format!("{snapshot}/MEMORY.md"), "- [Style](style.md)\n");
    write(&world, &format!("{snapshot}/style.md"), "Short lines.\n");
    std::fs::create_dir_all(world.path(memory)).expect("a directory");
    add(&world, memory, "claude-agent", "reviewer");
    let of = |store: &str| commands::agent_snapshot(&world.app, wire::StoreRef { store: store.to_owned() });
    let reported = |found: &wire::AgentSnapshot| -> Vec<String> {
        let [snapshot] = &found.snapshots[..] else { panic!("one snapshot: {found:?}") };
        let change = |change: &wire::SnapshotChange| {
            let lines = change.diff.as_ref().map(|diff| format!(" +{} -{}", diff.added, diff.removed));
            format!("{} {}{}", change.change, change.path, lines.unwrap_or_default())
        };
        std::iter::once(snapshot.state.to_string()).chain(snapshot.changes.iter().map(change)).collect()
    };
    let found = of("reviewer").expect("snapshots");
    assert_eq!((found.agent.as_str(), found.scope.as_str()), ("reviewer", "local"));
    assert_eq!(reported(&found), ["initialise", "added MEMORY.md +1 -0", "added style.md +1 -0"]);
    write(&world, &format!("{memory}/MEMORY.md"), "- [Style](style.md)\n- [Mine](mine.md)\n");
    write(&world, &format!("{memory}/mine.md"), "Mine.\n");
    write(&world, &format!("{memory}/style.md"), "Short lines.\n");
    write(&world, &format!("{memory}/list.txt"), "No memory.\n");
    let found = of("reviewer").expect("snapshots");
    assert_eq!(
        reported(&found),
        ["ask", "changed MEMORY.md +0 -1", "kept list.txt", "deleted mine.md +0 -1", "same style.md"]
    );
    // Looking does nothing.
    assert_eq!(std::fs::read_to_string(world.path(memory).join("mine.md")).expect("it is there"), "Mine.\n");
    assert!(!world.path(memory).join(".snapshot-synced.json").exists());
    assert_eq!(of("notes").expect_err("no agent's").code, wire::Code::Invalid);
}

#[test]
fn a_report_of_a_review_is_one_file_without_secrets() {
    let world = World::new();
    world.record("a.md", "one\n");
    let kept = world.record("b.md", "kept\n");
    let approved = wire::ReviewReq {
        versions: vec![kept.id],
        verdict: "approve".to_owned(),
        note: Some("as <agreed>".to_owned()),
        ..wire::ReviewReq::default()
    };
    commands::review(&world.app, approved).expect("a review");
    let secret = ["ghp", "_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    world.record("c.md", format!("# Keys\n\ntoken {secret}\n<script>x</script>\n"));
    let report = |since: Option<&str>, store: Option<&str>| {
        let request =
            wire::ReviewReportReq { store: store.map(str::to_owned), since: since.map(str::to_owned) };
        commands::review_report(&world.app, request)
    };
    let text = report(None, Some("notes")).expect("a report").text;
    assert!(
        text.contains("approved") && text.contains("as &lt;agreed&gt;") && text.contains("created c.md"),
        "{text}"
    );
    assert!(text.contains("&lt;script&gt;") && text.contains("secret/github"));
    assert!(!text.contains(&secret) && !text.contains("<script"));
    let later = report(Some("2027-01-01T00:00:00Z"), None).expect("a report").text;
    assert!(later.contains("Nothing was decided.") && later.contains("Nothing is left to review."));
    assert_eq!(report(Some("soon"), None).expect_err("no time").code, wire::Code::Invalid);
    assert_eq!(report(None, Some("none")).expect_err("no store").code, wire::Code::NotFound);
}
