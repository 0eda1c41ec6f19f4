//! Presence against real Codex, Gemini CLI and opencode: each line of each file is present exactly where its text is in what was sent.

use super::presence::tells;
use super::rig::{add_store, sessions, shown};
use super::{codex, gemini, opencode};
use retrace_api::commands;
use retrace_api::wire::{Presence, PresenceCause, PresenceReq, PresenceSource, ShowReq};
use retrace_tests::World;
use retrace_tests::model_api::{Answered, ModelApi};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Every line of every text in a request, also of texts that are JSON themselves, and lines that carry a number, a path or a sign of
/// a patch before them.
fn lines_in(body: &Value) -> BTreeSet<String> {
    let (mut lines, mut values) = (BTreeSet::new(), vec![body.clone()]);
    while let Some(value) = values.pop() {
        match value {
            Value::String(text) => {
                if let Ok(inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(&text) {
                    values.push(inner);
                }
                // What stands in a program stands there as a literal.
                let literals = text.replace("\\n", "\n");
                for line in text.lines().chain(literals.lines()).map(str::trim_end) {
                    let bare = line.trim_start().trim_start_matches(|letter: char| letter.is_ascii_digit());
                    lines.extend(bare.strip_prefix('\t').or(bare.strip_prefix(": ")).map(str::to_owned));
                    lines.extend(line.strip_prefix(['+', ' ']).map(str::to_owned));
                    lines.extend(line.strip_prefix("Output: ").map(str::to_owned));
                    if let Some((_, found)) = line.split_once(".md:") {
                        let number = found.trim_start_matches(|letter: char| letter.is_ascii_digit());
                        lines.insert(number.strip_prefix(':').unwrap_or(found).to_owned());
                    }
                    lines.insert(line.to_owned());
                }
            }
            Value::Array(items) => values.extend(items),
            Value::Object(fields) => values.extend(fields.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
    lines
}

/// Lines of the version that a source tells.
fn lines_of(world: &World, source: &PresenceSource) -> Vec<String> {
    let text = match &source.version_id {
        Some(version) => {
            let request = ShowReq { version: version.clone(), content: true };
            commands::show(&world.app, request).expect("a version").content.expect("its text")
        }
        None => fs::read_to_string(&source.file).expect("the file"),
    };
    text.lines().map(str::to_owned).collect()
}

/// Holds every line of every source against the request that was sent, of each answer of a session; how many were.
fn held_against(world: &World, transcript: &str, answers: &[Answered]) -> usize {
    let rows = shown(world, transcript).requests;
    let mut checked = 0;
    for row in &rows {
        let output = row.recorded.as_ref().map(|usage| usage.output);
        // An answer is known by its id, or by the tokens it reported, of which no two have as many.
        let is_it = |answer: &&Answered| {
            answer.id == row.id
                || Some(
                    answer.usage["totalTokenCount"].as_u64().unwrap_or(0)
                        - answer.usage["promptTokenCount"].as_u64().unwrap_or(0),
                ) == output
        };
        let answer = answers.iter().find(is_it).unwrap_or_else(|| panic!("{transcript}: {row:?}"));
        let sent = lines_in(&answer.body);
        let request = PresenceReq { session: transcript.to_owned(), at: Some(row.index), spans: false };
        for source in &commands::presence(&world.app, request).expect("an answer").sources {
            for (line, text) in (1_u32..).zip(lines_of(world, source)).filter(|(_, text)| tells(text)) {
                let is_present = source.lines.iter().any(|(from, to)| (*from..=*to).contains(&line));
                let cause = source.absent.iter().find(|one| (one.lines.0..=one.lines.1).contains(&line));
                let which =
                    format!("{transcript} at {}: {}:{line} {text:?} {cause:?}", row.index, source.file);
                // What is not known is not claimed.
                if cause.is_none_or(|cause| cause.cause != PresenceCause::Unknown) {
                    assert_eq!(is_present, sent.contains(text.trim_end()), "{which}");
                }
                assert_eq!(is_present, cause.is_none(), "{which}");
                checked += 1;
            }
        }
    }
    assert!(!rows.is_empty(), "{transcript}");
    checked
}

fn facts(name: &str, lines: usize) -> String {
    (1..=lines).map(|line| format!("fact number {line} of {name}\n")).collect()
}

pub(super) fn at(world: &World, transcript: &str, at: u64) -> Presence {
    let request = PresenceReq { session: transcript.to_owned(), at: Some(at), spans: false };
    commands::presence(&world.app, request).expect("an answer")
}

/// What a presence says of a file: its lines, and why the first of the others is absent.
fn of_file(presence: &Presence, name: &str) -> (Vec<(u32, u32)>, Option<PresenceCause>) {
    let found = presence.sources.iter().find(|source| source.file.ends_with(name));
    let source = found.unwrap_or_else(|| panic!("{name}: {:?}", presence.sources));
    (source.lines.clone(), source.absent.first().map(|absent| absent.cause))
}

fn answers(api: &ModelApi) -> Vec<Answered> {
    api.log().answered.iter().filter(|answer| answer.is_turn).cloned().collect()
}

pub(super) fn write(path: PathBuf, content: &str) {
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(path, content).expect("a file");
}

#[test]
fn every_line_is_present_where_codex_sent_it() {
    let Some(rig) = codex::rig() else { return };
    let project = rig.world.path("project");
    let memory = rig.home().join("memories_v2");
    let note = |name: &str| memory.join("extensions/ad_hoc/notes").join(name);
    write(rig.home().join("AGENTS.md"), "# Home\nBe brief in all answers.\n");
    write(project.join("AGENTS.md"), "# Rules of the project\nUse tabs.\n\nNo dashes in names.\n");
    write(memory.join("MEMORY.md"), &facts("the index", 40));
    write(note("whole.md"), &facts("a note", 12));
    write(note("found.md"), &facts("a note that a search finds", 12));
    write(note("never.md"), "a note that nobody opens\n");
    add_store(&rig.world, &memory, "memory");

    let index = memory.join("MEMORY.md");
    let (index, notes) = (index.display(), note(""));
    let patch = format!(
        "*** Begin Patch\n*** Add File: {}\n+written one\n+written two\n*** End Patch",
        note("new.md").display()
    );
    let change = format!(
        "*** Begin Patch\n*** Update File: {}\n@@\n written one\n-written two\n+WRITTEN TWO\n*** End Patch",
        note("new.md").display()
    );
    let shell = |command: String| json!({"call": "exec_command", "args": {"cmd": command}});
    let plain = vec![
        vec![shell(format!("sed -n '30,33p' {index}; head -3 {index}"))],
        vec![shell(format!("cat {}", note("whole.md").display()))],
        vec![shell(format!("nl -ba {index} | sed -n '20,25p'"))],
        vec![shell(format!("grep -rn 'number 1' {}", notes.display()))],
        vec![shell(format!("apply_patch <<'X'\n{patch}\nX"))],
        vec![shell(format!("apply_patch <<'X'\n{change}\nX"))],
        vec![shell(format!("cat >> {} <<'X'\nadded by the shell\nX", note("new.md").display()))],
        vec![json!("Finished.")],
    ];
    let script = |source: &str| json!({"custom": "exec", "input": source});
    let argument = json!({"cmd": format!("sed -n '5,8p' {index}")});
    let code = vec![
        vec![script(&format!("text((await tools.exec_command({argument})).output)"))],
        vec![script(&format!(
            "text(JSON.stringify(await tools.apply_patch({})))",
            json!(patch.replace("new.md", "code.md").replace("written", "typed"))
        ))],
        vec![json!("Finished.")],
    ];
    let mut checked = 0;
    let mut known = BTreeSet::new();
    for (model, turns) in codex::MODELS.into_iter().zip([plain, code]) {
        rig.api.play(turns);
        rig.run(model, false, &["Look at the memory"]);
        rig.world.scan();
        let rows = sessions(&rig.world, "codex").into_iter();
        let new: Vec<String> = rows.map(|row| row.id).filter(|id| known.insert(id.clone())).collect();
        let [id] = &new[..] else { panic!("one session: {new:?}") };
        checked += held_against(&rig.world, id, &answers(&rig.api));
    }
    let id = known.first().expect("a session").clone();
    rig.api.play(vec![vec![shell(format!("head -2 {index}"))], vec![json!("Finished.")]]);
    rig.run(codex::MODELS[0], false, &["resume", &id, "Go on"]);
    rig.world.scan();
    checked += held_against(&rig.world, &id, &answers(&rig.api));
    assert!(checked > 700, "{checked}");
}

#[test]
fn every_line_is_present_where_gemini_cli_sent_it() {
    let Some(rig) = gemini::rig() else { return };
    let project = rig.world.path("project");
    let memory = rig.memory();
    let file = |name: &str| memory.join(name);
    write(project.join("GEMINI.md"), "# Rules of the project\nUse tabs.\n\nNo dashes in names.\n");
    write(project.join("sub/GEMINI.md"), "# Sub\nUse spaces in here.\n");
    write(project.join("sub/a.rs"), "fn main() {}\n");
    write(file("MEMORY.md"), &facts("the index", 40));
    write(file("whole.md"), &facts("a note", 12));
    write(file("found.md"), &facts("a note that a search finds", 12));
    write(file("never.md"), "a note that nobody opens\n");
    add_store(&rig.world, &memory, "memory");
    let call = |name: &str, args: Value| json!({"call": name, "args": args});
    let shell =
        |command: String| call("run_shell_command", json!({"command": command, "description": "Look"}));
    let reads = |path: &Path, part: Value| {
        let mut args = part;
        args["file_path"] = json!(path);
        call("read_file", args)
    };
    rig.api.play(vec![
        vec![reads(&file("whole.md"), json!({}))],
        vec![reads(&file("MEMORY.md"), json!({"start_line": 5, "end_line": 8}))],
        vec![reads(&project.join("sub/a.rs"), json!({}))],
        vec![shell(format!("sed -n '30,33p' {0}; head -3 {0}", file("MEMORY.md").display()))],
        vec![shell(format!("grep -rn 'number 1' {}", memory.display()))],
        vec![call(
            "write_file",
            json!({"file_path": file("new.md"), "content": "written one\nwritten two\n"}),
        )],
        vec![call(
            "replace",
            json!({"file_path": file("new.md"), "old_string": "written two",
            "new_string": "WRITTEN TWO", "instruction": "Shout"}),
        )],
        vec![json!("Finished.")],
    ]);
    rig.run("Look at the memory", &[]);
    rig.world.scan();
    let rows = sessions(&rig.world, "gemini");
    let [row] = &rows[..] else { panic!("one session: {rows:?}") };
    let checked = held_against(&rig.world, &row.id, &answers(&rig.api));
    assert!(checked > 400, "{checked}");
}

#[test]
fn every_line_is_present_where_opencode_sent_it() {
    let Some(rig) = opencode::rig() else { return };
    let project = rig.world.path("project");
    // What lies outside of the project it asks for.
    let memory = project.join("memory");
    let file = |name: &str| memory.join(name);
    write(rig.config().join("AGENTS.md"), "# Home\nBe brief in all answers.\n");
    write(project.join("AGENTS.md"), "# Rules of the project\nUse tabs.\n\nNo dashes in names.\n");
    write(project.join("sub/AGENTS.md"), "# Sub\nUse spaces in here.\n");
    write(project.join("sub/a.rs"), "fn main() {}\n");
    write(file("index.md"), &facts("the index", 40));
    write(file("whole.md"), &facts("a note", 12));
    write(file("found.md"), &facts("a note that a search finds", 12));
    write(file("never.md"), "a note that nobody opens\n");
    add_store(&rig.world, &memory, "memory");
    let call = |name: &str, input: Value| json!({"type": "tool_use", "name": name, "input": input});
    let shell = |command: String| call("bash", json!({"command": command, "description": "Look"}));
    let reads = |path: PathBuf, part: Value| {
        let mut input = part;
        input["filePath"] = json!(path);
        call("read", input)
    };
    rig.api.play(vec![
        vec![reads(file("whole.md"), json!({}))],
        vec![reads(file("index.md"), json!({"offset": 5, "limit": 4}))],
        vec![reads(project.join("sub/a.rs"), json!({}))],
        vec![shell(format!("sed -n '30,33p' {0}; head -3 {0}", file("index.md").display()))],
        vec![shell(format!("grep -rn 'number 1' {}", memory.display()))],
        vec![call("write", json!({"filePath": file("new.md"), "content": "written one\nwritten two\n"}))],
        vec![call(
            "edit",
            json!({"filePath": file("new.md"), "oldString": "written two", "newString": "WRITTEN TWO"}),
        )],
        // It is in the system prompt already, which opencode does not record.
        vec![reads(project.join("AGENTS.md"), json!({"offset": 2, "limit": 1}))],
        vec![json!({"type": "text", "text": "Finished."})],
    ]);
    rig.run(&["Look at the memory"]);
    rig.world.scan();
    let rows = sessions(&rig.world, "opencode");
    let [row] = &rows[..] else { panic!("one session: {rows:?}") };
    let id = row.id.clone();
    let answers = || rig.answered();
    let checked = held_against(&rig.world, &id, &answers());
    assert!(checked > 400, "{checked}");
    assert_eq!(of_file(&at(&rig.world, &id, 2), "index.md"), (vec![(5, 8)], Some(PresenceCause::NotOpened)));
    assert_eq!(of_file(&at(&rig.world, &id, 3), "sub/AGENTS.md"), (vec![(1, 2)], None));
    let last = at(&rig.world, &id, 8);
    assert_eq!(of_file(&last, "project/AGENTS.md"), (vec![(2, 2)], Some(PresenceCause::Unknown)));
    // Resumed, it has all of that still.
    rig.api.play(vec![
        vec![reads(file("found.md"), json!({"offset": 12}))],
        vec![json!({"type": "text", "text": "Finished."})],
    ]);
    rig.run(&["--session", &id, "Go on"]);
    rig.world.scan();
    let more = held_against(&rig.world, &id, &answers());
    assert!(more > checked, "{more}");
    assert_eq!(of_file(&at(&rig.world, &id, 10), "whole.md"), (vec![(1, 12)], None));
}

#[test]
fn what_a_compaction_of_codex_takes_is_known() {
    let Some(rig) = codex::rig() else { return };
    let project = rig.world.path("project");
    let memory = rig.world.path("memory");
    write(project.join("AGENTS.md"), "# Rules of the project\nUse tabs.\n\nNo dashes in names.\n");
    write(memory.join("whole.md"), &facts("a note", 12));
    write(memory.join("later.md"), &facts("a note that is read afterwards", 12));
    add_store(&rig.world, &memory, "memory");
    let shell = |command: String| json!({"call": "exec_command", "args": {"cmd": command}});
    let cat = |name: &str| shell(format!("cat {}", memory.join(name).display()));
    rig.api.play(vec![
        vec![cat("whole.md")],
        vec![shell("echo before".to_owned()), json!({"prompt_tokens": 150_000})],
        vec![json!("The summary of it.")],
        vec![cat("later.md")],
        vec![json!("Finished.")],
    ]);
    let limit = ["-c", "model_auto_compact_token_limit=100000", "Look at the memory"];
    rig.run(codex::MODELS[0], false, &limit);
    rig.world.scan();
    let rows = sessions(&rig.world, "codex");
    let [row] = &rows[..] else { panic!("one session: {rows:?}") };
    let checked = held_against(&rig.world, &row.id, &answers(&rig.api));
    assert!(checked > 60, "{checked}");
    let last = at(&rig.world, &row.id, shown(&rig.world, &row.id).requests.len() as u64 - 1);
    assert_eq!(last.compactions.len(), 1, "it was compacted");
    assert_eq!(of_file(&last, "whole.md"), (vec![], Some(PresenceCause::Compacted)));
    assert_eq!(of_file(&last, "later.md"), (vec![(1, 12)], None));
    assert_eq!(of_file(&last, "AGENTS.md"), (vec![(1, 4)], None));
}

#[test]
fn what_a_compression_of_gemini_cli_takes_is_known() {
    let Some(rig) = gemini::rig() else { return };
    let project = rig.world.path("project");
    let memory = rig.world.path("memory");
    write(project.join("GEMINI.md"), "# Rules of the project\nUse tabs.\n\nNo dashes in names.\n");
    write(memory.join("whole.md"), &facts("a note", 60));
    write(memory.join("later.md"), &facts("a note that is read afterwards", 12));
    add_store(&rig.world, &memory, "memory");
    let call = |name: &str, args: Value| json!({"call": name, "args": args});
    let shell =
        |command: String| call("run_shell_command", json!({"command": command, "description": "Look"}));
    let cat = |name: &str| shell(format!("cat {}", memory.join(name).display()));
    // It compresses between two prompts alone, and what it reports of a request decides.
    let few = || json!({"prompt_tokens": 10});
    rig.api.play(vec![
        vec![cat("whole.md"), few()],
        vec![shell("seq 300".to_owned()), few()],
        vec![json!("Finished."), few()],
    ]);
    rig.run("Look at the memory", &[]);
    rig.world.scan();
    let rows = sessions(&rig.world, "gemini");
    let [row] = &rows[..] else { panic!("one session: {rows:?}") };
    let id = row.id.clone();
    rig.compress_above(0.0003);
    rig.api.play(vec![vec![cat("later.md"), few()], vec![json!("Finished."), few()]]);
    rig.run("Go on", &["--resume", &id]);
    rig.world.scan();
    let checked = held_against(&rig.world, &id, &answers(&rig.api));
    assert!(checked > 300, "{checked}");
    let last = at(&rig.world, &id, shown(&rig.world, &id).requests.len() as u64 - 1);
    assert_eq!(last.compactions, [3], "it was compressed");
    assert_eq!(of_file(&last, "whole.md"), (vec![], Some(PresenceCause::Compacted)));
    assert_eq!(of_file(&last, "later.md"), (vec![(1, 12)], None));
}

/// Takes back the message that says `prompt` and all behind it, with the line that `/rewind` of Gemini CLI writes (its source,
/// 0.61.0); it has that command in its terminal alone.
fn take_back(chats: &Path, prompt: &str) {
    for chat in fs::read_dir(chats).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let Ok(text) = fs::read_to_string(&chat) else { continue };
        let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut asked =
            messages.filter(|message| message["type"] == "user" && message.to_string().contains(prompt));
        if let Some(id) = asked.find_map(|message| message["id"].as_str().map(str::to_owned)) {
            fs::write(&chat, text + &json!({"$rewindTo": id}).to_string() + "\n").expect("a file");
            return;
        }
    }
    panic!("nobody asked {prompt:?} in {}", chats.display());
}

#[test]
fn what_resumes_and_a_rewind_of_gemini_cli_leave_is_known() {
    let Some(rig) = gemini::rig() else { return };
    let project = rig.world.path("project");
    let memory = rig.world.path("memory");
    write(project.join("GEMINI.md"), "# Rules of the project\nUse tabs.\n\nNo dashes in names.\n");
    let names = ["first.md", "second.md", "taken-back.md", "third.md", "last.md"];
    for name in names {
        write(memory.join(name), &facts(name, 30));
    }
    add_store(&rig.world, &memory, "memory");
    // It compresses between two prompts alone, and what it reports of a request decides.
    let few = || json!({"prompt_tokens": 10});
    let turn = |name: &str| {
        let command = format!("cat {}", memory.join(name).display());
        let call = json!({"call": "run_shell_command", "args": {"command": command, "description": "Look"}});
        vec![vec![call, few()], vec![json!(format!("Read {name}.")), few()]]
    };
    rig.api.play(turn("first.md"));
    rig.run("Look at the first", &[]);
    rig.world.scan();
    let rows = sessions(&rig.world, "gemini");
    let [row] = &rows[..] else { panic!("one session: {rows:?}") };
    let id = row.id.clone();
    let last = || at(&rig.world, &id, shown(&rig.world, &id).requests.len() as u64 - 1);
    let held = || {
        rig.world.scan();
        held_against(&rig.world, &id, &answers(&rig.api))
    };
    let goes_on = |prompt: &str, name: &str| {
        rig.api.play(turn(name));
        rig.run(prompt, &["--resume", &id]);
        held()
    };
    goes_on("Look at the second", "second.md");
    goes_on("Look at what is taken back", "taken-back.md");
    let before = last();
    for name in ["first.md", "second.md", "taken-back.md"] {
        assert_eq!(of_file(&before, name), (vec![(1, 30)], None), "{name}");
    }
    take_back(&rig.memory().with_file_name("chats"), "Look at what is taken back");
    goes_on("Look at the third", "third.md");
    let after = last();
    for name in ["first.md", "second.md", "third.md"] {
        assert_eq!(of_file(&after, name), (vec![(1, 30)], None), "{name}");
    }
    assert_eq!(of_file(&after, "taken-back.md"), (vec![], Some(PresenceCause::NotOpened)));
    assert_eq!(after.compactions, Vec::<u64>::new());
    // Compressed between two resumes, behind the rewind.
    rig.compress_above(0.0003);
    let checked = goes_on("Look at the last", "last.md");
    assert!(checked > 400, "{checked}");
    let end = last();
    assert_eq!(end.compactions.len(), 1, "it was compressed once");
    assert_eq!(of_file(&end, "last.md"), (vec![(1, 30)], None));
    assert_eq!(of_file(&end, "first.md"), (vec![], Some(PresenceCause::Compacted)));
    assert_eq!(of_file(&end, "taken-back.md"), (vec![], Some(PresenceCause::NotOpened)));
}

#[test]
fn what_a_compaction_of_opencode_takes_is_known() {
    let Some(rig) = opencode::rig() else { return };
    let project = rig.world.path("project");
    let memory = project.join("memory");
    let file = |name: &str| memory.join(name);
    write(file("whole.md"), &facts("a note", 12));
    write(file("long.md"), &facts("a note that is long", 200));
    write(file("kept.md"), &facts("a note that is kept", 12));
    write(file("later.md"), &facts("a note that is read afterwards", 12));
    add_store(&rig.world, &memory, "memory");
    let reads = |name: &str| json!({"type": "tool_use", "name": "read", "input": {"filePath": file(name)}});
    let says = |text: &str| json!({"type": "text", "text": text});
    let full = json!({"type": "usage", "usage": {"input_tokens": 190_000, "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0, "output_tokens": 777}});
    // With room for the last calls of a turn, the messages that are kept come behind the summary.
    rig.compact(&json!({"preserve_recent_tokens": 700}));
    rig.api.play(vec![
        vec![reads("whole.md"), reads("long.md")],
        vec![says("Enough."), reads("kept.md"), full],
        vec![reads("later.md")],
        vec![says("Finished.")],
    ]);
    rig.run(&["Look at the memory"]);
    rig.api.play(vec![vec![says("Nothing.")]]);
    let rows = sessions(&rig.world, "opencode");
    let [row] = &rows[..] else { panic!("one session: {rows:?}") };
    let id = row.id.clone();
    rig.run(&["--session", &id, "Go on"]);
    rig.world.scan();
    let checked = held_against(&rig.world, &id, &rig.answered());
    assert!(checked > 300, "{checked}");
    let last = at(&rig.world, &id, shown(&rig.world, &id).requests.len() as u64 - 1);
    assert_eq!(last.compactions.len(), 1, "it was compacted");
    assert_eq!(of_file(&last, "whole.md"), (vec![], Some(PresenceCause::Compacted)));
    assert_eq!(of_file(&last, "kept.md"), (vec![(1, 12)], None));
    assert_eq!(of_file(&last, "later.md"), (vec![(1, 12)], None));
}
