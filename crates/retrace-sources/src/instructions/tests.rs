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

#[cfg(unix)]
#[test]
fn a_setting_leaves_out_names_and_not_what_a_link_leads_to() {
    let home = Home::new();
    home.repository("app");
    let link = |to: &str, at: &str| {
        let path = home.path(at);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(to, path).unwrap();
    };
    home.write("app/AGENTS.md", "@one.md\n");
    link("AGENTS.md", "app/CLAUDE.md");
    home.write("app/lib/one.md", "One.\n");
    link("lib/one.md", "app/one.md");
    home.write("app/lib/rule.md", "Rule.\n");
    link("../../lib/rule.md", "app/.claude/rules/r.md");
    home.write("app/lib/sub.md", "Sub.\n");
    link("../lib/sub.md", "app/sub/CLAUDE.md");
    let excludes = serde_json::json!({"claudeMdExcludes": ["**/AGENTS.md", "**/lib/**"]});
    home.write(".claude/settings.json", &excludes.to_string());
    assert_eq!(
        claude(&home, "app"),
        [
            "loaded app/CLAUDE.md",
            "  loaded app/one.md",
            // A rule is known by where it really is.
            "excluded app/.claude/rules/r.md",
            "on_demand app/sub/CLAUDE.md",
        ]
    );
}

#[test]
fn codex_settings_hold_and_name_instructions() {
    let home = Home::new();
    home.repository("app");
    home.make_directory("app/sub");
    home.write(".codex/mine.md", "Mine.\n");
    home.write("app/.codex/mi.md", "App.\n");
    let rows = |own: &str, app: &str, level: &str| {
        let trust = format!("[projects.{:?}]\ntrust_level = {level:?}\n", home.path("app"));
        home.write(".codex/config.toml", &format!("{own}\n{trust}"));
        home.write("app/.codex/config.toml", app);
        let found = instructions(&home.surroundings(), Some(&home.path("app/sub")));
        let texts = found.files.iter().filter_map(|file| file.text.clone()).collect::<Vec<_>>();
        (reported(&home, &found, InstructionAgent::Codex), texts.join("|"))
    };
    let one = |row: &str, text: &str| (vec![row.to_owned()], text.to_owned());
    let held = one("loaded .codex/config.toml", "x");
    assert_eq!(rows("instructions = \"x\"", "", "trusted"), held);
    let tilde = "model_instructions_file = \"~/.codex/mine.md\"";
    assert_eq!(rows(tilde, "", "trusted"), one("loaded .codex/mine.md", "Mine.\n"));
    // The project's go before the home's, where it is trusted.
    let named = "model_instructions_file = \"mi.md\"\ndeveloper_instructions = \"y\"";
    let both = (
        vec!["loaded app/.codex/config.toml".to_owned(), "loaded app/.codex/mi.md".to_owned()],
        "y|App.\n".to_owned(),
    );
    assert_eq!(rows(&format!("{tilde}\ndeveloper_instructions = \"x\""), named, "trusted"), both);
    assert_eq!(rows(tilde, named, "untrusted"), one("loaded .codex/mine.md", "Mine.\n"));
    let none = (Vec::new(), String::new());
    assert_eq!(rows("developer_instructions = \"x\"", "developer_instructions = \"\"", "trusted"), none);
    // A file stands in for the instructions.
    let (states, _) = rows(&format!("instructions = \"x\"\n{tilde}"), "", "trusted");
    assert_eq!(states, ["shadowed .codex/config.toml", "loaded .codex/mine.md"]);
}

#[test]
fn codex_takes_names_and_no_paths() {
    let home = Home::new();
    home.repository("app");
    home.write("TEAM.md", "Above.\n");
    home.write("app/TEAM.md", "App.\n");
    home.write("app/docs/T.md", "Docs.\n");
    let listed = |names: &str| {
        home.write(".codex/config.toml", &format!("project_doc_fallback_filenames = [{names}]\n"));
        let found = instructions(&home.surroundings(), Some(&home.path("app")));
        reported(&home, &found, InstructionAgent::Codex)
    };
    let paths = r#""docs/T.md", "./TEAM.md", "../TEAM.md", "..", ".", "TEAM.md/", " ""#;
    assert_eq!(listed(paths), [""; 0]);
    assert_eq!(listed("\"TEAM.md\""), ["loaded app/TEAM.md"]);
    assert_eq!(listed("\" TEAM.md \""), ["loaded app/TEAM.md"]);
}

#[cfg(unix)]
#[test]
fn codex_sends_none_of_the_project_where_it_cannot_tell_what_is_there() {
    use std::os::unix::fs::symlink;
    let home = Home::new();
    home.repository("app");
    home.write(".codex/AGENTS.md", "Home.\n");
    home.write("app/AGENTS.md", "App.\n");
    home.write("app/sub/AGENTS.md", "Sub.\n");
    home.write("app/sub/file", "");
    let listed = |limit: &str| {
        home.write(".codex/config.toml", &format!("project_doc_max_bytes = {limit}\n"));
        let found = instructions(&home.surroundings(), Some(&home.path("app/sub")));
        reported(&home, &found, InstructionAgent::Codex)
    };
    let all = ["loaded .codex/AGENTS.md", "loaded app/AGENTS.md", "loaded app/sub/AGENTS.md"];
    assert_eq!(listed("100"), all);
    let own = home.path("app/sub/AGENTS.override.md");
    for leads_to in ["AGENTS.override.md", "file/below.md"] {
        symlink(leads_to, &own).unwrap();
        let row = "unreadable app/sub/AGENTS.override.md";
        assert_eq!(listed("100"), [all[0], "off app/AGENTS.md", row, "off app/sub/AGENTS.md"]);
        // With no room it looks for nothing.
        assert_eq!(listed("0"), [all[0], "over_limit app/AGENTS.md", row, "over_limit app/sub/AGENTS.md"]);
        std::fs::remove_file(&own).unwrap();
    }
    // A link that leads nowhere is no file.
    symlink("nowhere", &own).unwrap();
    assert_eq!(listed("100"), [all[0], all[1], "unreadable app/sub/AGENTS.override.md", all[2]]);
    std::fs::remove_file(&own).unwrap();
    // One behind the first file of its directory is not looked at.
    std::fs::remove_file(home.path("app/AGENTS.md")).unwrap();
    home.write("app/AGENTS.override.md", "App.\n");
    symlink("AGENTS.md", home.path("app/AGENTS.md")).unwrap();
    assert_eq!(listed("100")[1..], ["loaded app/AGENTS.override.md", "unreadable app/AGENTS.md", all[2]]);
    // The marker of the root is looked for as the files are.
    symlink(".git", home.path("app/sub/.git")).unwrap();
    assert_eq!(
        listed("100")[1..],
        ["off app/AGENTS.override.md", "unreadable app/AGENTS.md", "off app/sub/AGENTS.md"]
    );
}

#[test]
fn codex_keeps_trust_for_repositories() {
    let home = Home::new();
    home.repository("main");
    home.worktree("main", "tree", "tree");
    home.write("tree/AGENTS.md", "Tree.\n");
    home.write("module/.git", "gitdir: /nowhere\n");
    home.write("module/AGENTS.md", "Module.\n");
    home.write("module/sub/.codex/config.toml", "project_doc_max_bytes = 3\n");
    home.write("TOP", "");
    let state = |named: &str, level: &str, start: &str, more: &str| {
        let place = if named.is_empty() { home.root() } else { home.path(named) };
        let trust = format!("[projects.{place:?}]\ntrust_level = {level:?}\n");
        home.write(".codex/config.toml", &format!("{more}\n{trust}"));
        home.make_directory(start);
        let found = instructions(&home.surroundings(), Some(&home.path(start)));
        reported(&home, &found, InstructionAgent::Codex).concat()
    };
    // All working trees of a repository are one.
    assert_eq!(state("main", "untrusted", "tree", ""), "untrusted tree/AGENTS.md");
    // A `.git` file of another kind stands for no repository.
    assert_eq!(state("module", "untrusted", "module/sub", ""), "loaded module/AGENTS.md");
    assert_eq!(state("module", "untrusted", "module", ""), "untrusted module/AGENTS.md");
    let markers = "project_root_markers = [\"TOP\"]";
    assert_eq!(state("module", "trusted", "module/sub", markers), "loaded module/AGENTS.md");
    assert_eq!(state("module/sub", "trusted", "module/sub", markers), "cut module/AGENTS.md");
    // Markers of a root say whose settings count, not whose files.
    assert_eq!(state("", "untrusted", "module", markers), "loaded module/AGENTS.md");
    assert_eq!(state("", "trusted", "module/sub", markers), "cut module/AGENTS.md");
}

#[test]
fn extensions_of_gemini_that_are_linked_or_switched_off() {
    let home = Home::new();
    home.repository("work/app");
    let root = home.root().display().to_string();
    home.write("own/ext/gemini-extension.json", r#"{"name": "lnk", "version": "1"}"#);
    home.write("own/ext/GEMINI.md", "Linked.\n");
    let link = serde_json::json!({"source": home.path("own/ext"), "type": "link"});
    home.write(".gemini/extensions/lnk/.gemini-extension-install.json", &link.to_string());
    home.write(".gemini/extensions/e/gemini-extension.json", r#"{"name": "e", "version": "1"}"#);
    home.write(".gemini/extensions/e/GEMINI.md", "Mine.\n");
    let state = |rules: &[&str]| {
        let rules: Vec<String> = rules.iter().map(|rule| rule.replace("HOME", &root)).collect();
        let switches = serde_json::json!({"e": {"overrides": rules}});
        home.write(".gemini/extensions/extension-enablement.json", &switches.to_string());
        let found = instructions(&home.surroundings(), Some(&home.path("work/app")));
        let mut rows = reported(&home, &found, InstructionAgent::Gemini);
        assert_eq!(rows.pop().as_deref(), Some("loaded own/ext/GEMINI.md"));
        rows.concat()
    };
    for rules in [
        &[][..],
        &["!HOME/work/"],
        &["!HOME/work/ap/*"],
        &["!HOME/work/app/sub/*"],
        &["!HOME/*", "HOME/work/*"],
        &["!/*", "HOME/work/app/"],
        &["!"],
    ] {
        assert_eq!(state(rules), "loaded .gemini/extensions/e/GEMINI.md", "{rules:?}");
    }
    for rules in [
        &["!HOME/*"][..],
        &["!/*"],
        &["!HOME/work/app/"],
        &["!HOME/work/app/*"],
        &["!HOME/work/ap*"],
        &["!HOME/*/app/"],
        &["HOME/work/*", "!HOME/*"],
    ] {
        assert_eq!(state(rules), "excluded .gemini/extensions/e/GEMINI.md", "{rules:?}");
    }
}

#[test]
fn settings_that_an_agent_does_not_start_with_load_nothing() {
    let home = Home::new();
    home.repository("app");
    home.write("app/AGENTS.md", "App.\n");
    home.write("app/GEMINI.md", "App.\n");
    let states = |agent: InstructionAgent| {
        let found = instructions(&home.surroundings(), Some(&home.path("app")));
        let own =
            found.files.iter().find(|file| file.agent == agent && file.path.starts_with(home.path("app")));
        own.map(|row| (row.state, row.reason.to_string())).expect("a file")
    };
    let codex = |config: &str| {
        home.write(".codex/config.toml", config);
        states(InstructionAgent::Codex)
    };
    assert_eq!(codex("project_doc_max_bytes = 12\n").0, InstructionState::Loaded);
    let (state, reason) = codex("project_doc_max_bytes = \"12\"\n");
    assert_eq!(state, InstructionState::Off);
    assert!(
        reason.starts_with("Codex does not start: it refuses project_doc_max_bytes = \"12\" in "),
        "{reason}"
    );
    home.write(".codex/mine.md", "\n");
    let (state, reason) = codex("model_instructions_file = \"mine.md\"\n");
    assert_eq!(state, InstructionState::Off);
    assert!(reason.ends_with("which model_instructions_file names, is empty."), "{reason}");
    let gemini = |settings: &str| {
        home.write(".gemini/settings.json", settings);
        states(InstructionAgent::Gemini)
    };
    for taken in ["{}", "{ // one, /* \n \"a\": \"//, \\\" /*\", /* two */ \"b\": 1 }"] {
        assert_eq!(gemini(taken).0, InstructionState::Loaded, "{taken}");
    }
    let (state, reason) = gemini("{\"a\": 1,}");
    assert_eq!(state, InstructionState::Off);
    assert!(reason.starts_with("Gemini CLI does not start: "), "{reason}");
}

#[test]
fn an_extension_of_gemini_names_files_of_its_folder_alone() {
    let home = Home::new();
    home.repository("work/app");
    let extension = r#"{"name": "e", "version": "1", "contextFileName": ["../../out.md", "/in/own.md"]}"#;
    home.write(".gemini/extensions/e/gemini-extension.json", extension);
    home.write(".gemini/extensions/e/in/own.md", "Mine.\n");
    home.write(".gemini/out.md", "Out.\n");
    let found = instructions(&home.surroundings(), Some(&home.path("work/app")));
    let rows = reported(&home, &found, InstructionAgent::Gemini);
    assert_eq!(rows, ["loaded .gemini/extensions/e/in/own.md"]);
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

/// What is loaded for an agent with some variables set.
fn loaded_with(home: &Home, agent: InstructionAgent, variables: &[(&str, String)]) -> Vec<String> {
    let mut surroundings = home.surroundings();
    surroundings.env.extend(variables.iter().map(|(name, value)| ((*name).to_owned(), value.into())));
    let found = instructions(&surroundings, Some(&home.path("work/app")));
    let rows = reported(home, &found, agent).into_iter();
    rows.filter_map(|row| row.strip_prefix("loaded ").map(str::to_owned)).collect()
}

#[test]
fn settings_of_gemini_from_every_layer_and_with_variables() {
    let home = Home::new();
    home.repository("work/app");
    let settings = |name: &str, place: &str| {
        serde_json::json!({"context": {"fileName": [name], "includeDirectories": [place]}}).to_string()
    };
    home.write(".gemini/settings.json", &settings("NONE.md", "~/one"));
    home.write("work/app/.gemini/settings.json", &settings("${TEAM}.md", "$ELSEWHERE/two"));
    for place in ["one", "two", "work/app"] {
        home.write(&format!("{place}/TEAM.md"), "Of the team.\n");
    }
    for (name, extension) in [
        ("good", r#"{"name": "good", "version": "1"}"#),
        ("unversioned", r#"{"name": "unversioned"}"#),
        ("spaced", r#"{"name": "two words", "version": "1"}"#),
    ] {
        home.write(&format!(".gemini/extensions/{name}/gemini-extension.json"), extension);
        home.write(&format!(".gemini/extensions/{name}/GEMINI.md"), "Of an extension.\n");
    }
    let root = home.root().display().to_string();
    let variables = [("TEAM", "TEAM".to_owned()), ("ELSEWHERE", root)];
    let mut loaded = loaded_with(&home, InstructionAgent::Gemini, &variables);
    loaded.sort();
    let expected = [".gemini/extensions/good/GEMINI.md", "one/TEAM.md", "two/TEAM.md", "work/app/TEAM.md"];
    assert_eq!(loaded, expected);
    assert_eq!(loaded_with(&home, InstructionAgent::Gemini, &[]), [".gemini/extensions/good/GEMINI.md"]);
}

#[test]
fn the_system_prompt_of_gemini_is_named_by_a_variable() {
    let home = Home::new();
    home.repository("work/app");
    home.write(".gemini/GEMINI.md", "Mine.\n");
    home.write("work/app/.gemini/system.md", "You are.\n");
    home.write("mine.md", "You are mine.\n");
    let state = |variable: Option<&str>| {
        let mut surroundings = home.surroundings();
        surroundings.env.extend(variable.map(|value| ("GEMINI_SYSTEM_MD".to_owned(), value.into())));
        let found = instructions(&surroundings, Some(&home.path("work/app")));
        let rows = reported(&home, &found, InstructionAgent::Gemini);
        let scope =
            found.files.iter().find(|file| file.agent == InstructionAgent::Gemini).map(|file| file.scope);
        (rows[..rows.len() - 1].concat(), scope.unwrap())
    };
    let user = |row: &str| (row.to_owned(), InstructionScope::User);
    let own = "loaded work/app/.gemini/system.md";
    assert_eq!(state(None), user(""));
    for off in ["", "0", " False"] {
        assert_eq!(state(Some(off)), user(""), "{off}");
    }
    for on in ["1", "TRUE"] {
        assert_eq!(state(Some(on)), user(own), "{on}");
    }
    assert_eq!(state(Some("~/mine.md")), user("loaded mine.md"));
    assert_eq!(state(Some("../../mine.md")), user("loaded mine.md"));
    assert_eq!(state(Some("gone.md")), user("missing work/app/gone.md"));
    // Of the files of variables the first counts, and the environment goes before it.
    home.write(".env", "GEMINI_SYSTEM_MD=~/mine.md\n");
    assert_eq!(state(None), user("loaded mine.md"));
    home.write("work/.env", "# GEMINI_SYSTEM_MD=x\nexport GEMINI_SYSTEM_MD = \"1\" # why\n");
    assert_eq!(state(None), (own.to_owned(), InstructionScope::Project));
    assert_eq!(state(Some("")), user(""));
    home.write(".gemini/settings.json", r#"{"advanced": {"ignoreLocalEnv": true}}"#);
    assert_eq!(state(None), user("loaded mine.md"));
    home.write("work/app/.gemini/.env", "GEMINI_SYSTEM_MD=0\n");
    assert_eq!(state(None), user(""));
    // A project that is not trusted has no say.
    let trust = serde_json::json!({home.path("work/app").to_str().unwrap(): "DO_NOT_TRUST"});
    home.write(".gemini/trustedFolders.json", &trust.to_string());
    assert_eq!(state(None), user(""));
    // Without a directory, an absolute path alone is known.
    let mut surroundings = home.surroundings();
    surroundings.env.insert("GEMINI_SYSTEM_MD".to_owned(), "1".into());
    assert_eq!(
        reported(&home, &instructions(&surroundings, None), InstructionAgent::Gemini),
        ["loaded .gemini/GEMINI.md"]
    );
}

#[test]
fn the_private_memory_of_gemini_is_found_by_its_marker_alone() {
    let home = Home::new();
    home.repository("work/app");
    let place = home.path("work/app").display().to_string();
    home.write(".gemini/tmp/any/.project_root", &place);
    home.write(".gemini/tmp/any/memory/MEMORY.md", "Private.\n");
    home.write(".gemini/tmp/app/memory/MEMORY.md", "Of a folder of its name.\n");
    let loaded = || loaded_with(&home, InstructionAgent::Gemini, &[]);
    assert_eq!(loaded(), [".gemini/tmp/any/memory/MEMORY.md"]);
    // What is registered goes before it, unless a marker says that the folder is another's.
    home.write(
        ".gemini/projects.json",
        &serde_json::json!({"projects": {place.as_str(): "app"}}).to_string(),
    );
    assert_eq!(loaded(), [".gemini/tmp/app/memory/MEMORY.md"]);
    home.write(".gemini/tmp/app/.project_root", "/elsewhere");
    assert_eq!(loaded(), [".gemini/tmp/any/memory/MEMORY.md"]);
}

#[test]
fn settings_of_opencode_in_other_places_and_with_texts_put_in() {
    let home = Home::new();
    home.repository("work/app");
    home.write(".config/opencode/AGENTS.md", "Of the user.\n");
    home.write("other/AGENTS.md", "In its place.\n");
    for name in ["a", "b", "c", "d", "e"] {
        home.write(&format!("work/app/{name}.md"), "Named.\n");
    }
    home.write("other/opencode.json", r#"{"instructions": ["a.md"]}"#);
    home.write(".opencode/opencode.json", r#"{"instructions": ["b.md"]}"#);
    home.write(
        "work/app/opencode.json",
        r#"{"instructions": ["{env:WHICH}.md", "{file:./which}.md", "{x}.md"]}"#,
    );
    home.write("work/app/which", "d\n");
    let loaded = |variables: &[(&str, String)]| loaded_with(&home, InstructionAgent::Opencode, variables);
    let other = home.path("other").display().to_string();
    let content = r#"{"instructions": ["e.md"]}"#.to_owned();
    let mut found = loaded(&[
        ("OPENCODE_CONFIG_DIR", other),
        ("OPENCODE_CONFIG_CONTENT", content),
        ("WHICH", "c".to_owned()),
    ]);
    found.sort();
    let named = ["a", "b", "c", "d", "e"].map(|name| format!("work/app/{name}.md"));
    assert_eq!(found, [&["other/AGENTS.md".to_owned()][..], &named].concat());
    let mut found = loaded(&[]);
    found.sort();
    assert_eq!(found, [".config/opencode/AGENTS.md", "work/app/b.md", "work/app/d.md"]);
}
