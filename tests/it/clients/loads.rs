//! What Claude Code loaded, and why: by the attachments of its transcripts, and by its hook `InstructionsLoaded`.

use super::{MODELS, rig, says};
use retrace_api::{LoadTold, commands, wire};
use retrace_model::Timestamp;
use serde_json::{Value, json};
use std::path::Path;

fn reads(path: &Path) -> Value {
    json!({"type": "tool_use", "name": "Read", "input": {"file_path": path}})
}

#[test]
fn loads_are_told_as_claude_code_reports_them_to_its_hook() {
    let Some(rig) = rig() else { return };
    let (project, id) = (rig.project(), "00000000-0000-4000-8000-000000000201");
    let events = rig.world.path("events");
    for folder in
        [&events, &project.join("pkg"), &project.join(".claude/rules"), &rig.world.path("agent/.claude")]
    {
        std::fs::create_dir_all(folder).expect("a folder");
    }
    let write = |path: &Path, text: &str| std::fs::write(path, text).expect("a file");
    write(&project.join("pkg/AGENTS.md"), "One module a directory.\n");
    write(&project.join("pkg/notes.txt"), "Nothing.\n");
    write(&project.join(".claude/rules/rust.md"), "---\npaths:\n  - \"**/*.rs\"\n---\nNo unwrap.\n");
    let agents = project.join("pkg/AGENTS.md");
    let context = json!({"hookSpecificOutput": {"hookEventName": "PostToolUse",
        "additionalContext": format!("Contents of {}:\n\nOne module a directory.\n", agents.display())}});
    write(&rig.world.path("context.json"), &context.to_string());
    let runs = |command: String| json!([{"hooks": [{"type": "command", "command": command}]}]);
    let settings = json!({"hooks": {
        "InstructionsLoaded": runs(format!("cat > {}/$$.json", events.display())),
        "PostToolUse": runs(format!("grep -q notes.txt && cat {}; true", rig.world.path("context.json").display())),
    }});
    write(&rig.world.path("agent/.claude/settings.json"), &settings.to_string());
    rig.api.play(vec![
        vec![reads(&project.join("sub/a.rs"))],
        vec![reads(&project.join("pkg/notes.txt"))],
        vec![says("Done.")],
    ]);
    rig.run(&["-p", "Look at the project", "--session-id", id, "--model", MODELS[0]]);

    let session = || {
        let request = wire::SessionRef { session: id.to_owned() };
        commands::session(&rig.world.app, request).expect("a session")
    };
    let load = |session: &wire::Session, name: &str| {
        let path = project.join(name);
        let file = session.files.iter().find(|file| Path::new(&file.path) == path);
        let file = file.unwrap_or_else(|| panic!("{name} was loaded"));
        (file.loads[0].reason, file.loads[0].by.clone(), file.requests.clone())
    };
    use wire::LoadReason as Reason;
    let told = session();
    assert_eq!(told.first_prompt.as_deref(), Some("Look at the project"));
    assert_eq!((told.main_requests, told.proved_requests), (3, 3));
    assert!(told.prompts[0].at.is_some());
    let read = |name: &str| Some(project.join(name).display().to_string());
    assert_eq!(load(&told, "CLAUDE.md"), (Reason::SessionStart, None, vec![(0, 2)]));
    assert_eq!(
        load(&told, "more.md").0,
        Reason::SessionStart,
        "the transcript does not say that it was imported"
    );
    assert_eq!(load(&told, "sub/CLAUDE.md"), (Reason::NestedTraversal, read("sub/a.rs"), vec![(1, 2)]));
    assert_eq!(load(&told, ".claude/rules/rust.md"), (Reason::PathGlobMatch, read("sub/a.rs"), vec![(1, 2)]));
    assert_eq!(load(&told, "pkg/AGENTS.md").2, [(2, 2)]);
    let by_hook = told.files.iter().find(|file| Path::new(&file.path) == agents).expect("it came");
    assert!(by_hook.loads.iter().any(|load| load.reason == Reason::Hook), "{:?}", by_hook.loads);

    let mut kept = 0;
    for event in std::fs::read_dir(&events).expect("events").flatten() {
        let event = std::fs::read(event.path()).expect("an event");
        let told = LoadTold::of_event(&event, Timestamp::from_micros(0)).expect("an event of the hook");
        told.keep(&rig.world.path("data")).expect("kept");
        kept += 1;
    }
    assert!(kept >= 4, "{kept} events");
    let told = session();
    assert_eq!(load(&told, "more.md"), (Reason::Include, read("CLAUDE.md"), vec![(0, 2)]));
    assert_eq!(load(&told, "sub/CLAUDE.md"), (Reason::NestedTraversal, read("sub/a.rs"), vec![(1, 2)]));
    // What the transcript says of why is what the client told its hook.
    for file in told.files.iter().filter(|file| !file.requests.is_empty() && file.class == "instructions") {
        assert_eq!(file.loads.iter().filter(|load| load.reason == Reason::Refresh).count(), 0, "{file:?}");
    }
}
