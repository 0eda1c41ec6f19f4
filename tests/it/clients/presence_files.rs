//! Instruction files that a client does not send as they are: one that it cuts, one that imports another, one that was edited.

use super::presence_elsewhere::{at, write};
use super::rig::{add_store, sessions};
use super::{codex, gemini, opencode};
use retrace_api::commands;
use retrace_api::wire::{PresenceCause, PresenceSource, SessionRef};
use retrace_tests::World;
use serde_json::{Value, json};

/// Lines of the file that Codex cuts: 47 KB of 2,200 lines of one length.
const LINES: u32 = 2_200;
/// The last of them that is whole within 32 KiB.
const WHOLE: u32 = 32 * 1024 / 21;

/// The one session of a client.
fn only(world: &World, client: &str) -> String {
    world.scan();
    let rows = sessions(world, client);
    let [row] = &rows[..] else { panic!("one session: {rows:?}") };
    row.id.clone()
}

fn source(world: &World, session: &str, request: u64, name: &str) -> Option<PresenceSource> {
    at(world, session, request).sources.into_iter().find(|source| source.file.ends_with(name))
}

#[test]
fn what_codex_cuts_of_a_file_is_cut_and_the_files_behind_it_are_not_named() {
    for is_in_store in [false, true] {
        let Some(rig) = codex::rig() else { return };
        let project = rig.world.path("project");
        let text: String = (1..=LINES).map(|line| format!("- rule {line:4} is plain\n")).collect();
        write(project.join("AGENTS.md"), &text);
        write(project.join("c/AGENTS.md"), "Inner plain dropped.\n");
        write(rig.home().join("AGENTS.md"), "# Home\nBe brief in all answers.\n");
        if is_in_store {
            add_store(&rig.world, &project, "project");
        }
        rig.api.play(vec![vec![json!("Finished.")]]);
        let inner = project.join("c").display().to_string();
        rig.run(codex::MODELS[0], false, &["-C", &inner, "Look"]);
        let id = only(&rig.world, "codex");
        let root = source(&rig.world, &id, 0, "project/AGENTS.md").expect("the file is told");
        let absent: Vec<_> = root.absent.iter().map(|absent| (absent.lines, absent.cause)).collect();
        assert_eq!(root.lines, [(1, WHOLE)], "{is_in_store}");
        assert_eq!((absent, root.total_lines), (vec![((WHOLE + 1, LINES), PresenceCause::Cut)], LINES));
        assert_eq!(root.version_id.is_some(), is_in_store);
        let dropped = source(&rig.world, &id, 0, "c/AGENTS.md");
        assert!(dropped.is_none_or(|dropped| dropped.lines.is_empty()));
        // A file of the home is one file, however the transcript names it.
        let request = SessionRef { session: id.clone() };
        let files = commands::session(&rig.world.app, request).expect("a session").files;
        let of_home =
            files.iter().filter(|file| file.path.contains("AGENTS.md") && !file.path.contains("project"));
        let of_home: Vec<_> = of_home.map(|file| file.path.clone()).collect();
        assert_eq!(of_home, [rig.home().join("AGENTS.md").display().to_string()], "{files:?}");
    }
}

#[test]
fn a_file_that_gemini_cli_imports_is_a_file_of_its_own() {
    for is_in_store in [false, true] {
        let Some(rig) = gemini::rig() else { return };
        let project = rig.world.path("project");
        let notes = project.join("notes");
        write(project.join("GEMINI.md"), "# Rules\n@notes/inc.md\nUse tabs everywhere.\n");
        write(notes.join("inc.md"), "Imported one.\nImported two.\n");
        if is_in_store {
            add_store(&rig.world, &notes, "imported");
        }
        rig.api.play(vec![vec![json!("Finished.")]]);
        rig.run("Look", &[]);
        let id = only(&rig.world, "gemini");
        for (name, lines) in [("GEMINI.md", 3), ("inc.md", 2)] {
            let file = source(&rig.world, &id, 0, name).unwrap_or_else(|| panic!("{name} is told"));
            assert_eq!((file.lines, file.total_lines), (vec![(1, lines)], lines), "{name}");
            assert_eq!(file.store_id.is_some(), is_in_store && name == "inc.md");
        }
    }
}

#[test]
fn an_edit_of_opencode_leaves_the_other_lines_of_the_file() {
    let Some(rig) = opencode::rig() else { return };
    let project = rig.world.path("project");
    let file = project.join("AGENTS.md");
    write(file.clone(), "# Rules of it\nUse tabs everywhere.\nNo dashes in names.\n");
    let call = |name: &str, input: Value| json!({"type": "tool_use", "name": name, "input": input});
    rig.api.play(vec![
        vec![call("bash", json!({"command": "cat AGENTS.md", "description": "Look"}))],
        vec![call(
            "edit",
            json!({"filePath": file, "oldString": "# Rules of it", "newString": "# Rules of them"}),
        )],
        vec![json!({"type": "text", "text": "Finished."})],
    ]);
    rig.run(&["Change it"]);
    let id = only(&rig.world, "opencode");
    let told = source(&rig.world, &id, 2, "AGENTS.md").expect("the file is told");
    assert_eq!((told.lines, told.total_lines), (vec![(1, 3)], 3));
}
