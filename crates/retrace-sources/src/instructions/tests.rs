//! A home with instruction files, as a session would see it.

use super::*;
use crate::testing::Home;

/// Lines of `state path` for one agent, below the home; the imports under the file that names them are indented.
fn reported(home: &Home, found: &Instructions, agent: InstructionAgent) -> Vec<String> {
    let root = home.root();
    let of_agent = found.files.iter().filter(|file| file.agent == agent);
    of_agent
        .map(|file| {
            let path = file.path.strip_prefix(&root).unwrap_or(&file.path).display().to_string();
            format!("{}{} {path}", "  ".repeat(file.depth), file.state.as_str())
        })
        .collect()
}

fn claude(home: &Home, directory: &str) -> Vec<String> {
    let found = instructions(&home.surroundings(), Some(&home.path(directory)));
    reported(home, &found, InstructionAgent::ClaudeCode)
}

#[test]
fn the_hierarchy_in_load_order() {
    let home = Home::new();
    home.repository("work/app");
    home.write("managed/CLAUDE.md", "From the administrator.\n");
    home.write("managed/managed-settings.json", r#"{"claudeMd": "Short."}"#);
    home.write(".claude/CLAUDE.md", "Mine.\n");
    home.write(".claude/rules/b/two.md", "Two.\n");
    home.write(".claude/rules/a.md", "---\npaths:\n  - '**/*.rs'\n---\nRust only.\n");
    home.write("work/CLAUDE.md", "Above.\n");
    home.write("work/app/CLAUDE.md", "App.\n");
    home.write("work/app/.claude/CLAUDE.md", "App too.\n");
    home.write("work/app/.claude/rules/style.md", "Style.\n");
    home.write("work/app/CLAUDE.local.md", "Mine here.\n");
    home.write("work/app/sub/CLAUDE.md", "Below.\n");
    home.write("work/app/sub/.claude/CLAUDE.md", "Below too.\n");
    home.write("work/app/node_modules/x/CLAUDE.md", "Not ours.\n");
    assert_eq!(
        claude(&home, "work/app"),
        [
            "loaded managed/managed-settings.json",
            "loaded managed/CLAUDE.md",
            "loaded .claude/CLAUDE.md",
            "on_demand .claude/rules/a.md",
            "loaded .claude/rules/b/two.md",
            "loaded work/CLAUDE.md",
            "loaded work/app/CLAUDE.md",
            "loaded work/app/.claude/CLAUDE.md",
            "loaded work/app/.claude/rules/style.md",
            "loaded work/app/CLAUDE.local.md",
            "on_demand work/app/sub/CLAUDE.md",
            "on_demand work/app/sub/.claude/CLAUDE.md",
        ]
    );
}

#[test]
fn imports_are_followed_four_times_and_never_round_in_circles() {
    let home = Home::new();
    home.repository("app");
    home.write("app/CLAUDE.md", "@one.md @gone.md and @nobody <!-- x -->\n<!-- @hidden.md -->\n");
    for (number, next) in [("one", "two"), ("two", "three"), ("three", "four"), ("four", "five")] {
        home.write(&format!("app/{number}.md"), &format!("@{next}.md @one.md\n"));
    }
    home.write("app/five.md", "Too far.\n");
    home.write("app/hidden.md", "Never.\n");
    assert_eq!(
        claude(&home, "app"),
        [
            "loaded app/CLAUDE.md",
            "  loaded app/one.md",
            "    loaded app/two.md",
            "      loaded app/three.md",
            "        loaded app/four.md",
            "          too_deep app/five.md",
            "          too_deep app/one.md",
            "        cycle app/one.md",
            "      cycle app/one.md",
            "    cycle app/one.md",
            "  missing app/gone.md",
        ]
    );
    let found = instructions(&home.surroundings(), Some(&home.path("app")));
    assert_eq!(found.files[0].loaded().as_deref(), Some("@one.md @gone.md and @nobody <!-- x -->"));
    assert_eq!(found.files[1].imported_by, Some(0));
    assert!(
        found.files[1].reason.text().ends_with("app/CLAUDE.md names it in line 1."),
        "{}",
        found.files[1].reason
    );
}

#[test]
fn what_lies_outside_needs_approval() {
    let home = Home::new();
    home.repository("app");
    home.write("notes.md", "Private.\n");
    home.write(".claude/CLAUDE.md", "@~/notes.md\n");
    home.write("app/CLAUDE.md", "@../notes.md and @~/other.md\n");
    home.write("other.md", "Other.\n");
    let state = |approved| {
        let app = home.path("app");
        let state = serde_json::json!({"projects": {(app.to_str().unwrap()): {
            "hasClaudeMdExternalIncludesApproved": approved}}});
        home.write(".claude.json", &state.to_string());
        claude(&home, "app").split_off(2)
    };
    let before = state(false);
    assert_eq!(before, ["loaded app/CLAUDE.md", "  not_approved notes.md", "  not_approved other.md"]);
    assert_eq!(state(true), ["loaded app/CLAUDE.md", "  already_loaded notes.md", "  loaded other.md"]);
    let found = instructions(&home.surroundings(), None);
    assert_eq!(
        reported(&home, &found, InstructionAgent::ClaudeCode),
        ["loaded .claude/CLAUDE.md", "  loaded notes.md"]
    );
}

#[cfg(unix)]
#[test]
fn links_are_followed_as_the_agent_does_and_say_where_they_lead() {
    let home = Home::new();
    home.repository("app");
    home.write("app/docs/rules.md", "Rules.\n@beside.md\n");
    home.write("app/docs/beside.md", "Beside.\n");
    home.write("elsewhere.md", "Elsewhere.\n");
    home.make_directory("app/.claude/rules");
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, home.path(at)).unwrap();
    link("docs/rules.md", "app/CLAUDE.md");
    link("../elsewhere.md", "app/CLAUDE.local.md");
    link("nowhere", "app/.claude/rules/gone.md");
    link("../../../elsewhere.md", "app/.claude/rules/out.md");
    link("../../..", "app/.claude/rules/round");
    let found = instructions(&home.surroundings(), Some(&home.path("app")));
    let app = home.path("app");
    let of_claude = found.files.iter().filter(|file| file.agent == InstructionAgent::ClaudeCode);
    let rows: Vec<_> = of_claude
        .filter_map(|file| {
            let path = file.path.strip_prefix(&app).unwrap().to_str().unwrap();
            (!path.contains("round")).then(|| (path, file.state, file.leads_to.clone()))
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("CLAUDE.md", InstructionState::Loaded, Some(home.path("app/docs/rules.md"))),
            ("docs/beside.md", InstructionState::Loaded, None),
            (".claude/rules/gone.md", InstructionState::Unreadable, Some(PathBuf::from("nowhere"))),
            (".claude/rules/out.md", InstructionState::NotApproved, Some(home.path("elsewhere.md"))),
            ("CLAUDE.local.md", InstructionState::Loaded, Some(home.path("elsewhere.md"))),
        ]
    );
    // What is not loaded is not read either.
    let barred = found.files.iter().find(|file| file.state == InstructionState::NotApproved).unwrap();
    assert_eq!(barred.text, None);
}

#[test]
fn agents_md_where_no_claude_md_applies() {
    let home = Home::new();
    home.repository("app");
    home.write("AGENTS.md", "Mine.\n");
    home.write(".claude/CLAUDE.md", "The user's does not count.\n");
    home.write("app/CLAUDE.md", "<!-- nothing -->\n");
    home.write("app/AGENTS.md", "App. @more.md\n");
    home.write("app/more.md", "More.\n");
    home.write("app/.claude/rules/a.md", "A rule does not count.\n");
    home.write("app/sub/AGENTS.md", "Sub.\n");
    home.write("app/two/AGENTS.md", "Two.\n");
    home.write("app/two/CLAUDE.md", "Two too.\n");
    let expected = [
        "loaded .claude/CLAUDE.md",
        "empty app/CLAUDE.md",
        "loaded app/.claude/rules/a.md",
        "loaded AGENTS.md",
        "loaded app/AGENTS.md",
        "  loaded app/more.md",
        "on_demand app/sub/AGENTS.md",
        "on_demand app/two/CLAUDE.md",
        "shadowed app/two/AGENTS.md",
    ];
    assert_eq!(claude(&home, "app"), expected);
    // One file of the project's own is enough to do without all of them.
    home.write("app/CLAUDE.local.md", "Here.\n");
    let with_local = claude(&home, "app");
    assert!(with_local.contains(&"shadowed AGENTS.md".to_owned()), "{with_local:?}");
    assert!(with_local.contains(&"shadowed app/AGENTS.md".to_owned()), "{with_local:?}");
    assert!(with_local.contains(&"shadowed app/sub/AGENTS.md".to_owned()), "{with_local:?}");
    // Versions before 2.1.300 know nothing of it.
    std::fs::remove_file(home.path("app/CLAUDE.local.md")).unwrap();
    home.write(".claude/projects/-app/s.jsonl", "{\"version\":\"2.1.280\"}\n");
    let before = claude(&home, "app");
    assert!(before.contains(&"not_in_version app/AGENTS.md".to_owned()), "{before:?}");
    assert!(before.contains(&"shadowed app/sub/AGENTS.md".to_owned()), "{before:?}");
    let found = instructions(&home.surroundings(), Some(&home.path("app")));
    assert_eq!(found.version_of(InstructionAgent::ClaudeCode), Some("2.1.280"));
}

#[test]
fn codex_cuts_what_is_too_much() {
    let home = Home::new();
    home.repository("app");
    home.write(".codex/AGENTS.override.md", " \n");
    home.write(".codex/AGENTS.md", "Mine, which no limit cuts.\n");
    home.write(
        ".codex/config.toml",
        "project_doc_max_bytes = 10\nproject_doc_fallback_filenames = [\"TEAM.md\"]\n",
    );
    home.write("app/AGENTS.md", "1234\n");
    home.write("app/sub/TEAM.md", "ab\u{e9}defgh\n");
    home.write("app/sub/deep/AGENTS.md", "Late.\n");
    let found = instructions(&home.surroundings(), Some(&home.path("app/sub/deep")));
    assert_eq!(
        reported(&home, &found, InstructionAgent::Codex),
        [
            "empty .codex/AGENTS.override.md",
            "loaded .codex/AGENTS.md",
            "loaded app/AGENTS.md",
            "cut app/sub/TEAM.md",
            "over_limit app/sub/deep/AGENTS.md",
        ]
    );
    let cut = found.files.iter().find(|file| file.state == InstructionState::Cut).unwrap();
    assert_eq!((cut.cut_at, cut.loaded().as_deref()), (Some(5), Some("ab\u{e9}d")));
    assert!(cut.reason.text().starts_with("It is cut at byte 5:"), "{}", cut.reason.text());
    home.write(
        ".codex/config.toml",
        &format!("[projects.{:?}]\ntrust_level = \"untrusted\"\n", home.path("app")),
    );
    let found = instructions(&home.surroundings(), Some(&home.path("app/sub")));
    assert!(reported(&home, &found, InstructionAgent::Codex).contains(&"untrusted app/AGENTS.md".to_owned()));
}

#[test]
fn settings_leave_files_out() {
    let home = Home::new();
    home.repository("app");
    home.write("app/CLAUDE.md", "@one.md\n");
    home.write("app/one.md", "One.\n");
    home.write("app/sub/CLAUDE.md", "Below.\n");
    home.write("managed/CLAUDE.md", "Stays.\n");
    home.write("app/.claude/settings.json", r#"{"claudeMdExcludes": ["**/CLAUDE.md"]}"#);
    home.write(".claude/settings.json", r#"{"claudeMdExcludes": ["[", 4]}"#);
    let expected = ["loaded managed/CLAUDE.md", "excluded app/CLAUDE.md", "excluded app/sub/CLAUDE.md"];
    assert_eq!(claude(&home, "app"), expected);
    let mut surroundings = home.surroundings();
    surroundings.env.insert("CLAUDE_CODE_DISABLE_CLAUDE_MDS".to_owned(), "1".into());
    let found = instructions(&surroundings, Some(&home.path("app")));
    assert_eq!(reported(&home, &found, InstructionAgent::ClaudeCode)[0], "off managed/CLAUDE.md");
    assert_eq!(
        found.switched_off.as_ref().map(retrace_message::Message::text),
        Some("CLAUDE_CODE_DISABLE_CLAUDE_MDS is 1 in the environment.")
    );
}

#[test]
fn other_agents_files() {
    let home = Home::new();
    home.repository("work/app");
    home.write(".codex/AGENTS.md", "Mine.\n");
    home.write("work/AGENTS.md", "Above the repository.\n");
    home.write("work/app/AGENTS.md", "App.\n");
    home.write("work/app/sub/AGENTS.override.md", "Instead.\n");
    home.write("work/app/sub/AGENTS.md", "Not read.\n");
    home.write(".gemini/GEMINI.md", "Mine.\n");
    home.write("work/app/GEMINI.md", "App.\n");
    let found = instructions(&home.surroundings(), Some(&home.path("work/app/sub")));
    assert_eq!(
        reported(&home, &found, InstructionAgent::Codex),
        [
            "loaded .codex/AGENTS.md",
            "loaded work/app/AGENTS.md",
            "loaded work/app/sub/AGENTS.override.md",
            "shadowed work/app/sub/AGENTS.md",
        ]
    );
    assert_eq!(
        reported(&home, &found, InstructionAgent::Gemini),
        ["loaded .gemini/GEMINI.md", "loaded work/app/GEMINI.md"]
    );
    assert_eq!(
        reported(&home, &found, InstructionAgent::Opencode),
        ["loaded work/app/sub/AGENTS.md", "loaded work/app/AGENTS.md"]
    );
}

#[test]
fn nothing_is_nothing() {
    let home = Home::new();
    assert_eq!(instructions(&home.surroundings(), None), Instructions::default());
    let found = instructions(&home.surroundings(), Some(Path::new("relative")));
    assert_eq!(found, Instructions::default());
}

#[test]
fn too_large_and_bytes_that_are_no_text() {
    let home = Home::new();
    home.make_directory("app");
    std::fs::write(home.path("app/CLAUDE.md"), [0xff, 0xfe, b'x']).unwrap();
    std::fs::write(home.path("app/CLAUDE.local.md"), vec![b'a'; 4 * 1024 * 1024 + 1]).unwrap();
    assert_eq!(claude(&home, "app"), ["loaded app/CLAUDE.md", "too_large app/CLAUDE.local.md"]);
}
