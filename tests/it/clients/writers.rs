//! Writers of memories against real Claude Code, which keeps lines of its own in a memory's front matter.

use super::presence::reads;
use super::{MODELS, rig_with, runs, says};
use retrace_api::commands;
use retrace_api::wire::{self, AddStore};
use retrace_model::Timestamp;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

const SESSION: &str = "00000000-0000-4000-8000-000000000501";

fn edits(path: &Path, old: &str, new: &str) -> Value {
    json!({"type": "tool_use", "name": "Edit", "input": {"file_path": path, "old_string": old, "new_string": new}})
}

fn writes(path: &Path, content: &str) -> Value {
    json!({"type": "tool_use", "name": "Write", "input": {"file_path": path, "content": content}})
}

#[test]
fn writes_and_edits_of_memories_with_front_matter_are_known_exactly() {
    let now = || {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    };
    let Some(rig) = rig_with(|options| options.engine.clock = std::sync::Arc::new(now)) else { return };
    let slug = retrace_sources::slug(&rig.project().display().to_string());
    let memory = rig.world.path("agent/.claude/projects").join(slug).join("memory");
    std::fs::create_dir_all(&memory).expect("a folder");
    let note = |text: &str| format!("---\nname: a\ndescription: Decided\ntype: project\n---\n\n{text}\nEnd.");
    let [edited, twice, written, failed] =
        ["edited.md", "twice.md", "written.md", "failed.md"].map(|name| memory.join(name));
    for path in [&edited, &twice] {
        std::fs::write(path, note("Use pnpm.")).expect("a memory");
    }
    let root = memory.display().to_string();
    let store = AddStore { root, kind: Some("claude-auto".to_owned()), name: Some("memory".to_owned()) };
    commands::add_store(&rig.world.app, store).expect("the store is added");
    rig.api.play(vec![
        vec![reads(&edited, None), reads(&twice, None)],
        vec![edits(&edited, "pnpm", "pnpm 9")],
        vec![edits(&twice, "pnpm", "pnpm 8")],
        vec![edits(&twice, "pnpm 8", "pnpm 10")],
        vec![writes(&written, &note("Deploy on Monday."))],
        // A command that writes and then fails.
        vec![runs(&format!("echo 'Ask first.' > {}; false", failed.display()))],
        vec![says("Done.")],
    ]);
    rig.run(&["-p", "Pin pnpm", "--session-id", SESSION, "--model", MODELS[0]]);
    rig.world.scan();
    let session = wire::SessionRef { session: SESSION.to_owned() };
    let found = commands::session_writes(&rig.world.app, session).expect("a session").versions;
    let mut known: Vec<_> = found
        .iter()
        .map(|one| (one.version.path.as_deref().unwrap_or_default(), one.confidence.as_str()))
        .collect();
    known.sort();
    let expected = ["edited.md", "failed.md", "twice.md", "written.md"];
    assert_eq!(known, expected.map(|name| (name, "exact_content")));
}
