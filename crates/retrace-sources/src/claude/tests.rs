use crate::testing::Home;
use crate::{AgentScope, Discovery, MAX_SLUG_CHARS, Problem, RefusedPath, discover, slug};
use retrace_model::StoreKind;
use std::path::Path;

/// A discovery in which the user named one project.
fn discover_named(home: &Home, project: &str) -> Discovery {
    let mut surroundings = home.surroundings();
    surroundings.projects = vec![home.path(project)];
    discover(&surroundings)
}

fn trust(home: &Home, projects: &[&str]) {
    let trusted: serde_json::Map<String, serde_json::Value> = projects
        .iter()
        .map(|project| {
            (home.path(project).display().to_string(), serde_json::json!({"hasTrustDialogAccepted": true}))
        })
        .collect();
    home.write(".claude.json", &serde_json::json!({ "projects": trusted }).to_string());
}

fn names(discovery: &Discovery) -> Vec<&str> {
    discovery.found.iter().map(|found| found.name.as_str()).collect()
}

#[test]
fn an_empty_home_has_nothing_and_no_problem() {
    assert_eq!(Home::new().discover(), Discovery::default());
}

#[test]
fn auto_memory_of_a_project_at_its_default_place() {
    let home = Home::new();
    let memory = home.project("work/app");
    home.write(".claude/projects/x/session.jsonl", "not json\n");
    let discovery = home.discover();
    assert_eq!(names(&discovery), ["app · auto memory"]);
    let found = discovery.at(&memory);
    assert_eq!(
        (found.kind, found.exists, found.enabled, found.files),
        (StoreKind::ClaudeAuto, true, true, 2)
    );
    assert_eq!(found.project, Some(home.path("work/app")));
    assert_eq!(found.reason, "Auto memory is on by default.");
    assert!(found.tells("default place") && found.tells("MEMORY.md") && found.tells("was recorded in"));
    assert_eq!(discovery.problems, []);
}

#[test]
fn memory_without_a_known_project_is_listed_under_its_folder() {
    let home = Home::new();
    let memory = home.auto_memory("work/app");
    let discovery = home.discover();
    let found = discovery.at(&memory);
    let name = home.folder("work/app");
    assert_eq!(found.name, format!("{} · auto memory", name.trim_start_matches('-')), "no option's look");
    assert_eq!((found.project.as_deref(), found.enabled), (None, true));
    assert!(found.tells("no transcript and no setting names its project"));
}

#[test]
fn the_state_file_names_a_project_that_has_no_transcript() {
    let home = Home::new();
    let memory = home.auto_memory("work/app");
    home.write(".claude.json", &format!("{{\"projects\": {{{:?}: {{}}}}}}", home.path("work/app")));
    let discovery = home.discover();
    assert_eq!(discovery.at(&memory).project, Some(home.path("work/app")));
    assert!(discovery.at(&memory).tells(".claude.json lists"));
}

#[test]
fn a_session_that_moved_below_its_project_still_names_it() {
    let home = Home::new();
    let memory = home.auto_memory("work/my.app");
    home.transcript(&home.folder("work/my.app"), &home.path("work/my.app/src/deep"));
    assert_eq!(home.discover().at(&memory).project, Some(home.path("work/my.app")));
}

#[test]
fn a_project_of_another_platform_is_named_and_not_searched_for() {
    let home = Home::new();
    home.transcript("C--work-app", Path::new("C:\\work\\app\\src"));
    home.write(".claude/projects/C--work-app/memory/MEMORY.md", "x");
    let discovery = home.discover();
    assert_eq!(names(&discovery), ["app · auto memory"]);
    assert_eq!(discovery.found[0].project.as_deref(), Some(Path::new("C:\\work\\app")));
}

#[test]
fn worktrees_and_subdirectories_share_the_memory_of_the_repository() {
    let home = Home::new();
    home.repository("work/app");
    let worktree = home.worktree("work/app", "work/app-fix", "fix");
    let unseen = home.worktree("work/app", "work/app-unseen", "unseen");
    home.transcript(&home.folder("work/app-fix"), &worktree);
    home.transcript(&home.folder("work/app/sub"), &home.path("work/app/sub"));
    let memory = home.auto_memory("work/app");
    let discovery = home.discover();
    assert_eq!(names(&discovery), ["app · auto memory"]);
    let found = discovery.at(&memory);
    assert_eq!(found.project, Some(home.path("work/app")));
    for place in [worktree, home.path("work/app/sub"), unseen] {
        assert!(found.tells(&format!("{} shares it", place.display())), "{place:?} in {:#?}", found.evidence);
    }
}

#[test]
fn memory_of_a_worktree_from_before_they_were_shared_is_left_behind() {
    let home = Home::new();
    home.repository("work/app");
    home.worktree("work/app", "work/app-fix", "fix");
    let old = home.project("work/app-fix");
    let shared = home.auto_memory("work/app");
    let discovery = home.discover();
    assert_eq!(names(&discovery), ["app · auto memory", "app-fix · former auto memory"]);
    let found = discovery.at(&old);
    assert!(!found.enabled && found.reason.contains(&shared.display().to_string()), "{}", found.reason);
    assert_eq!(found.project, Some(home.path("work/app-fix")));
}

#[test]
fn names_that_collide_do_not_choose_a_project_unless_one_alone_is_there() {
    let home = Home::new();
    let memory = home.project("work/my.app");
    home.transcript(&home.folder("work/my.app"), &home.path("work/my_application").with_file_name("my_app"));
    home.make_directory("work/my.app");
    home.make_directory("work/my_app");
    home.write(
        ".claude.json",
        &format!(
            "{{\"projects\": {{{:?}: {{}}, {:?}: {{}}}}}}",
            home.path("work/my.app"),
            home.path("work/my_app")
        ),
    );
    let discovery = home.discover();
    let found = discovery.at(&memory);
    assert_eq!(found.project, None);
    assert!(found.tells("stands for more than one project"));
    std::fs::remove_dir_all(home.path("work/my_app")).unwrap();
    assert_eq!(home.discover().at(&memory).project, Some(home.path("work/my.app")));
}

#[test]
fn a_long_path_is_recognised_by_the_beginning_of_its_folder() {
    let home = Home::new();
    let project = home.path(&format!("work/{}", "long-".repeat(60)));
    let folder = format!("{}-h4sh", slug(project.to_str().unwrap()));
    assert!(folder.len() > MAX_SLUG_CHARS);
    home.write(&format!(".claude/projects/{folder}/memory/MEMORY.md"), "x");
    home.transcript(&folder, &project);
    let discovery = home.discover();
    assert_eq!(discovery.at(&home.path(&format!(".claude/projects/{folder}/memory"))).project, Some(project));
}

#[test]
fn long_paths_with_one_beginning_are_distinguished_by_their_transcripts() {
    let home = Home::new();
    let long = format!("work/{}", "long-".repeat(60));
    for (name, hash) in [("one", "h1"), ("two", "h2")] {
        let project = home.path(&format!("{long}/{name}"));
        let folder = format!("{}-{hash}", slug(project.to_str().unwrap()));
        home.write(&format!(".claude/projects/{folder}/memory/MEMORY.md"), "x");
        home.transcript(&folder, &project);
    }
    let discovery = home.discover();
    assert_eq!(names(&discovery), ["one · auto memory", "two · auto memory"]);
    assert!(discovery.found[0].root.to_string_lossy().contains("-h1/"));
}

#[test]
fn a_folder_with_a_free_name_belongs_to_what_its_transcripts_say() {
    let home = Home::new();
    home.transcript("sample", &home.path("work/app"));
    let memory = home.write(".claude/projects/sample/memory/MEMORY.md", "x");
    let discovery = home.discover();
    let found = discovery.at(memory.parent().unwrap());
    assert_eq!((found.name.as_str(), found.enabled), ("app · auto memory", true));
    assert!(found.tells("not named after"));
}

#[test]
fn a_named_project_is_listed_before_its_first_memory() {
    let home = Home::new();
    home.make_directory("work/app");
    let discovery = discover_named(&home, "work/app");
    assert_eq!(names(&discovery), ["app · auto memory"]);
    assert!(!discovery.found[0].exists && discovery.found[0].enabled);
}

#[test]
fn team_memory_is_part_of_the_store() {
    let home = Home::new();
    let memory = home.project("work/app");
    home.write(&format!(".claude/projects/{}/memory/team/MEMORY.md", home.folder("work/app")), "x");
    let discovery = home.discover();
    assert_eq!(discovery.found.len(), 1);
    assert!(discovery.at(&memory).tells("team/") && discovery.at(&memory).files == 3);
}

#[test]
fn the_configuration_root_moves_with_its_variable() {
    let home = Home::new();
    home.project("work/app");
    let other = home.path("other");
    home.write("other/projects/-srv-site/memory/MEMORY.md", "x");
    home.write("other/agent-memory/reviewer/MEMORY.md", "x");
    home.write("other/.claude.json", r#"{"projects": {"/srv/site": {}}}"#);
    let discovery = home.discover_with(&[("CLAUDE_CONFIG_DIR", other.to_str().unwrap())]);
    assert_eq!(names(&discovery), ["site · auto memory", "reviewer agent (user)"]);
}

#[test]
fn a_folder_name_for_all_projects_needs_a_configuration_root() {
    let home = Home::new();
    let other = home.path("other");
    home.write("other/projects/shared/memory/MEMORY.md", "x");
    home.write("other/projects/-srv-site/memory/MEMORY.md", "x");
    home.write("other/.claude.json", r#"{"projects": {"/srv/site": {}}}"#);
    let root = ("CLAUDE_CONFIG_DIR", other.to_str().unwrap());
    let discovery = home.discover_with(&[root, ("CLAUDE_CODE_PROJECT_DIR_NAME", "shared")]);
    assert_eq!(names(&discovery), ["All projects · auto memory", "site · former auto memory"]);
    assert_eq!(discovery.found.iter().map(|found| found.enabled).collect::<Vec<_>>(), [true, false]);

    for variables in
        [vec![("CLAUDE_CODE_PROJECT_DIR_NAME", "x")], vec![root, ("CLAUDE_CODE_PROJECT_DIR_NAME", "a/b")]]
    {
        let problems = home.discover_with(&variables).problems;
        assert!(matches!(&problems[..], [Problem::Variable { .. }]), "{problems:?}");
    }
}

#[test]
fn a_remote_memory_directory_replaces_the_root_for_memory() {
    let home = Home::new();
    let old = home.project("work/app");
    let folder = home.folder("work/app");
    let lasting = home.write(&format!("mount/projects/{folder}/memory/MEMORY.md"), "x");
    let mount = home.path("mount");
    let variables = [("CLAUDE_CODE_REMOTE", "1"), ("CLAUDE_CODE_REMOTE_MEMORY_DIR", mount.to_str().unwrap())];
    let discovery = home.discover_with(&variables);
    assert!(discovery.at(lasting.parent().unwrap()).enabled);
    assert!(!discovery.at(&old).enabled);
}

#[test]
fn the_whole_path_override_comes_first() {
    let home = Home::new();
    home.write(".claude/settings.json", r#"{"autoMemoryDirectory": "~/elsewhere/memory"}"#);
    let place = home.path("cowork/memory");
    let discovery = home.discover_with(&[("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", place.to_str().unwrap())]);
    assert_eq!(names(&discovery), ["All projects · auto memory"]);
    assert!(!discovery.at(&place).exists);
    let discovery = home.discover_with(&[("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", "/")]);
    let refused = RefusedPath::NearRoot("/".to_owned());
    assert_eq!(
        discovery.problems,
        [Problem::Refused {
            place: retrace_message::Message::verbatim("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"),
            refused
        }]
    );
}

#[test]
fn a_directory_in_user_settings_holds_for_every_project_and_leaves_the_old_one_behind() {
    let home = Home::new();
    let old = home.project("work/app");
    home.write(".claude/settings.json", r#"{"autoMemoryDirectory": "~/vault/memory/"}"#);
    home.write("vault/memory/MEMORY.md", "x");
    let discovery = home.discover();
    assert_eq!(names(&discovery), ["All projects · auto memory", "app · former auto memory"]);
    let vault = discovery.at(&home.path("vault/memory"));
    assert!(vault.enabled && vault.exists && vault.project.is_none() && vault.tells("autoMemoryDirectory"));
    let old = discovery.at(&old);
    assert!(!old.enabled && old.reason.starts_with("Not used now"), "{}", old.reason);
}

#[test]
fn one_project_that_turns_shared_memory_off_does_not_turn_it_off_for_all() {
    let home = Home::new();
    home.write(".claude/settings.json", r#"{"autoMemoryDirectory": "~/vault/memory"}"#);
    home.transcript(&home.folder("work/app"), &home.path("work/app"));
    home.write("work/app/.claude/settings.json", r#"{"autoMemoryEnabled": false}"#);
    let discovery = home.discover();
    let vault = discovery.at(&home.path("vault/memory"));
    assert!(vault.enabled && vault.tells("known here that use it: 1"), "{vault:#?}");
    assert!(
        vault.reason.contains(&format!("Off for {}", home.path("work/app").display())),
        "{}",
        vault.reason
    );
}

#[test]
fn managed_goes_before_local_before_project_before_user() {
    let home = Home::new();
    home.project("work/app");
    trust(&home, &["work/app"]);
    let files = [
        (".claude/settings.json", "user"),
        ("work/app/.claude/settings.json", "project"),
        ("work/app/.claude/settings.local.json", "local"),
        ("managed/managed-settings.json", "managed"),
        ("managed/managed-settings.d/10-a.json", "drop-in"),
    ];
    for (file, name) in files {
        home.write(file, &format!("{{\"autoMemoryDirectory\": \"~/vault/{name}\"}}"));
        let discovery = home.discover();
        let used = discovery.at(&home.path(&format!("vault/{name}")));
        assert!(used.tells(&format!("{} names it", home.path(file).display())), "{used:#?}");
    }
}

#[test]
fn a_directory_in_a_project_needs_trust() {
    let home = Home::new();
    let default = home.project("work/app");
    home.write("work/app/.claude/settings.json", r#"{"autoMemoryDirectory": "~/vault/app"}"#);
    let discovery = home.discover();
    let found = discovery.at(&default);
    assert!(found.enabled && found.reason.contains("ignored, because the trust dialog"), "{}", found.reason);
    assert!(!discovery.has(&home.path("vault/app")));

    for trusted in ["work/app", "work"] {
        trust(&home, &[trusted]);
        let discovery = home.discover();
        let found = discovery.at(&home.path("vault/app"));
        assert_eq!(
            (found.name.as_str(), found.project.clone()),
            ("app · auto memory", Some(home.path("work/app")))
        );
        assert!(!discovery.at(&default).enabled);
    }
}

#[test]
fn a_refused_directory_is_a_problem_and_the_default_stays() {
    let home = Home::new();
    let default = home.project("work/app");
    for (value, refused) in [
        ("memory", RefusedPath::Relative("memory".to_owned())),
        ("/", RefusedPath::NearRoot("/".to_owned())),
        ("//server/share", RefusedPath::Network("//server/share".to_owned())),
        ("C:\\\\", RefusedPath::BareDrive("C:\\".to_owned())),
        ("a\\u0000b", RefusedPath::Nul("a\0b".to_owned())),
        ("~/", RefusedPath::HoldsHome("~/".to_owned())),
    ] {
        let file = home.write(".claude/settings.json", &format!("{{\"autoMemoryDirectory\": \"{value}\"}}"));
        let discovery = home.discover();
        let place = format!("autoMemoryDirectory in {}", file.display());
        let [Problem::Refused { place: named, refused: why }] = &discovery.problems[..] else {
            panic!("{:?}", discovery.problems)
        };
        assert_eq!((named.text(), why), (place.as_str(), &refused));
        assert!(discovery.at(&default).enabled && discovery.at(&default).reason.contains("is refused"));
    }
}

#[test]
fn a_directory_of_another_platform_is_never_there() {
    let home = Home::new();
    home.write(".claude/settings.json", r#"{"autoMemoryDirectory": "C:\\Users\\me\\memory"}"#);
    let discovery = home.discover();
    let found = discovery.at(Path::new("C:\\Users\\me\\memory"));
    assert!(cfg!(windows) || !found.exists);
}

#[test]
fn damaged_settings_cost_only_themselves() {
    let home = Home::new();
    let memory = home.project("work/app");
    type Expected = fn(&Problem) -> bool;
    let cases: [(&str, Expected); 6] = [
        ("{", |problem| matches!(problem, Problem::Damaged { .. })),
        ("[]", |problem| matches!(problem, Problem::WrongType { found, .. } if *found == "a list")),
        (
            r#"{"autoMemoryEnabled": "no"}"#,
            |problem| matches!(problem, Problem::WrongType { found, .. } if *found == "text"),
        ),
        (
            r#"{"autoMemoryDirectory": 7}"#,
            |problem| matches!(problem, Problem::WrongType { found, .. } if *found == "a number"),
        ),
        (
            r#"{"env": []}"#,
            |problem| matches!(problem, Problem::WrongType { found, .. } if *found == "a list"),
        ),
        (r#"{"env": {"CLAUDE_CODE_SIMPLE": 1}}"#, |problem| matches!(problem, Problem::WrongType { .. })),
    ];
    for (content, expected) in cases {
        home.write(".claude/settings.json", content);
        let discovery = home.discover();
        assert!(
            matches!(&discovery.problems[..], [problem] if expected(problem)),
            "{content}: {:?}",
            discovery.problems
        );
        assert!(discovery.at(&memory).enabled, "{content}");
    }
    std::fs::write(home.path(".claude/settings.json"), b"\xff\xfe").unwrap();
    home.write(".claude.json", "nonsense");
    let discovery = home.discover();
    assert_eq!(discovery.problems.len(), 2);
    assert!(discovery.at(&memory).enabled);
}

#[test]
fn on_or_off_first_match_wins() {
    let home = Home::new();
    let memory = home.project("work/app");
    let off = r#"{"autoMemoryEnabled": false}"#;
    type Variables = &'static [(&'static str, &'static str)];
    let cases: [(&str, Variables, bool, &str); 13] = [
        ("{}", &[], true, "by default"),
        (off, &[], false, "autoMemoryEnabled is false"),
        (off, &[("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "0")], true, "forces auto memory on"),
        ("{}", &[("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "true")], false, "turns auto memory off"),
        ("{}", &[("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "FALSE"), ("CLAUDE_CODE_SIMPLE", "1")], true, "forces"),
        ("{}", &[("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "")], true, "by default"),
        ("{}", &[("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "maybe")], true, "by default"),
        ("{}", &[("CLAUDE_CODE_SIMPLE", "1")], false, "bare mode"),
        ("{}", &[("CLAUDE_CODE_SAFE_MODE", "1")], false, "safe mode"),
        ("{}", &[("CLAUDE_CODE_DISABLE_CLAUDE_MDS", "1")], false, "instruction files"),
        ("{}", &[("CLAUDE_CODE_REMOTE", "1")], false, "remote run"),
        (r#"{"env": {"CLAUDE_CODE_SIMPLE": "1"}}"#, &[], false, "env of"),
        (r#"{"env": {"CLAUDE_CODE_SIMPLE": "0"}}"#, &[("CLAUDE_CODE_SIMPLE", "1")], true, "by default"),
    ];
    for (settings, variables, on, reason) in cases {
        home.write(".claude/settings.json", settings);
        let discovery = home.discover_with(variables);
        let found = discovery.at(&memory);
        assert_eq!(found.enabled, on, "{settings} {variables:?}: {}", found.reason);
        assert!(found.reason.contains(reason), "{settings} {variables:?}: {}", found.reason);
    }
}

#[test]
fn a_project_turns_its_own_memory_off() {
    let home = Home::new();
    let (app, site) = (home.project("work/app"), home.project("work/site"));
    home.write(".claude/settings.json", r#"{"autoMemoryEnabled": true}"#);
    home.write("work/app/.claude/settings.local.json", r#"{"autoMemoryEnabled": false}"#);
    let discovery = home.discover();
    assert!(!discovery.at(&app).enabled && discovery.at(&app).reason.contains("settings.local.json"));
    assert!(discovery.at(&site).enabled);
    assert_eq!(names(&discovery), ["site · auto memory", "app · auto memory"]);
}

#[test]
fn variables_in_the_settings_of_an_untrusted_project_are_not_taken() {
    let home = Home::new();
    let memory = home.project("work/app");
    home.write("work/app/.claude/settings.json", r#"{"env": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}}"#);
    assert!(home.discover().at(&memory).enabled);
    trust(&home, &["work/app"]);
    assert!(!home.discover().at(&memory).enabled);
}

#[test]
fn subagents_have_memory_in_three_scopes() {
    let home = Home::new();
    home.transcript(&home.folder("work/app"), &home.path("work/app"));
    let user = home.write(".claude/agent-memory/reviewer/MEMORY.md", "x");
    let project = home.write("work/app/.claude/agent-memory/reviewer/MEMORY.md", "x");
    let local = home.write("work/app/.claude/agent-memory-local/planner/notes.md", "x");
    let discovery = home.discover();
    for (file, name, scope, of) in [
        (&user, "reviewer agent (user)", AgentScope::User, None),
        (&project, "app · reviewer agent", AgentScope::Project, Some(home.path("work/app"))),
        (&local, "app · planner agent (local)", AgentScope::Local, Some(home.path("work/app"))),
    ] {
        let found = discovery.at(file.parent().unwrap());
        assert_eq!((found.name.as_str(), found.scope, &found.project), (name, Some(scope), &of));
        assert!(found.enabled && found.kind == StoreKind::ClaudeAgent);
    }
    let discovery = home.discover_with(&[("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1")]);
    assert_eq!(discovery.found.len(), 3);
    assert!(
        discovery
            .found
            .iter()
            .all(|found| !found.enabled && found.reason.contains("together with auto memory"))
    );
}

#[test]
fn a_home_that_is_a_project_does_not_repeat_the_memory_of_the_user() {
    let home = Home::new();
    home.transcript(&slug(home.root().to_str().unwrap()), &home.root());
    home.write(".claude/agent-memory/reviewer/MEMORY.md", "x");
    home.write(".claude/agent-memory-local/planner/MEMORY.md", "x");
    let discovery = home.discover();
    assert_eq!(names(&discovery), ["me · planner agent (local)", "reviewer agent (user)"]);
    assert_eq!(discovery.found[1].scope, Some(AgentScope::User));
}

#[test]
fn memory_kept_in_the_repository_by_a_setting_is_listed_once() {
    let home = Home::new();
    home.transcript(&home.folder("work/app"), &home.path("work/app"));
    home.write("work/app/.claude/memory/MEMORY.md", "- [A](a.md)\n");
    home.write("work/app/.claude/settings.json", r#"{"autoMemoryDirectory": "~/work/app/.claude/memory"}"#);
    trust(&home, &["work/app"]);
    let discovery = home.discover();
    assert_eq!(names(&discovery), ["app · auto memory"]);
    assert!(discovery.found[0].tells("autoMemoryDirectory") && discovery.found[0].tells("links to files"));
}

#[cfg(unix)]
#[test]
fn a_memory_directory_that_is_a_link_is_reported() {
    let home = Home::new();
    home.transcript(&home.folder("work/app"), &home.path("work/app"));
    home.write("private/notes.md", "x");
    let link = home.path(&format!(".claude/projects/{}/memory", home.folder("work/app")));
    std::os::unix::fs::symlink(home.path("private"), &link).unwrap();
    let discovery = home.discover();
    assert_eq!((discovery.found, discovery.problems), (vec![], vec![Problem::Link { path: link }]));
}

#[cfg(unix)]
#[test]
fn links_of_the_user_on_the_way_to_projects_are_followed() {
    let home = Home::new();
    home.transcript(&home.folder("work/app"), &home.path("work/app"));
    home.auto_memory("work/app");
    home.make_directory("work/app");
    home.make_directory("disk");
    std::fs::rename(home.path(".claude/projects"), home.path("disk/projects")).unwrap();
    std::os::unix::fs::symlink(home.path("disk/projects"), home.path(".claude/projects")).unwrap();
    std::os::unix::fs::symlink(home.path("work/app"), home.path("app")).unwrap();
    let discovery = discover_named(&home, "app");
    assert_eq!(names(&discovery), ["app · auto memory"]);
    assert!(discovery.found[0].exists && discovery.found[0].tells("the user named"));
    assert_eq!(discovery.problems, []);
}

#[test]
fn a_named_project_that_is_not_there_is_a_problem() {
    let home = Home::new();
    let problems = discover_named(&home, "work/app").problems;
    assert!(
        matches!(&problems[..], [Problem::Unreadable { path, .. }] if *path == home.path("work/app")),
        "{problems:?}"
    );
}

#[test]
fn a_relative_project_directory_is_a_problem() {
    let mut surroundings = Home::new().surroundings();
    surroundings.projects = vec!["work/app".into()];
    let problems = discover(&surroundings).problems;
    assert!(
        matches!(&problems[..], [Problem::Refused { refused: RefusedPath::Relative(_), .. }]),
        "{problems:?}"
    );
}
