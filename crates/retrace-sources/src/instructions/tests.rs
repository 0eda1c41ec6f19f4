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
            "on_demand work/app/sub/.claude/CLAUDE.md",
            "on_demand work/app/sub/CLAUDE.md",
        ]
    );
}

#[test]
fn imports_are_followed_four_times_and_never_round_in_circles() {
    let home = Home::new();
    home.repository("app");
    home.write("app/CLAUDE.md", "@one.md, @gone.md and @nobody; <!-- x -->\n<!-- @hidden.md -->\n");
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
    assert_eq!(found.files[0].loaded().as_deref(), Some("@one.md, @gone.md and @nobody; <!-- x -->\n"));
    assert_eq!(found.files[1].imported_by, Some(0));
    assert!(
        found.files[1].reason.ends_with("app/CLAUDE.md names it in line 1."),
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
fn links_say_where_they_lead() {
    let home = Home::new();
    home.repository("app");
    home.write("app/docs/rules.md", "Rules.\n");
    home.write("secret.txt", "Not for anybody.\n");
    home.make_directory("app/.claude/rules");
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, home.path(at)).unwrap();
    link("docs/rules.md", "app/CLAUDE.md");
    link("../secret.txt", "app/CLAUDE.local.md");
    link("nowhere", "app/.claude/rules/gone.md");
    link("../../..", "app/.claude/rules/round");
    let found = instructions(&home.surroundings(), Some(&home.path("app")));
    let app = home.path("app");
    let rows: Vec<_> = found
        .files
        .iter()
        .map(|file| {
            (file.path.strip_prefix(&app).unwrap().to_str().unwrap(), file.state, file.leads_to.clone())
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("CLAUDE.md", InstructionState::Loaded, Some(home.path("app/docs/rules.md"))),
            (".claude/rules/gone.md", InstructionState::Unreadable, Some(PathBuf::from("nowhere"))),
            ("CLAUDE.local.md", InstructionState::Outside, Some(home.path("secret.txt"))),
        ]
    );
    assert!(found.files.iter().all(|file| file.text.as_deref().is_none_or(|text| text == "Rules.\n")));
    assert_eq!(found.problems, [Problem::Link { path: home.path("app/.claude/rules/round") }]);
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
        found.switched_off.as_deref(),
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
}

#[test]
fn nothing_is_nothing() {
    let home = Home::new();
    assert_eq!(instructions(&home.surroundings(), None), Instructions::default());
    let found = instructions(&home.surroundings(), Some(Path::new("relative")));
    assert_eq!(found, Instructions::default());
}

#[test]
fn too_large_and_no_text() {
    let home = Home::new();
    home.make_directory("app");
    std::fs::write(home.path("app/CLAUDE.md"), [0xff, 0xfe, b'x']).unwrap();
    std::fs::write(home.path("app/CLAUDE.local.md"), vec![b'a'; 4 * 1024 * 1024 + 1]).unwrap();
    assert_eq!(claude(&home, "app"), ["unreadable app/CLAUDE.md", "too_large app/CLAUDE.local.md"]);
}
