//! Whole conversations of the official SDKs' tool runners over the back ends in `examples`, with a model that follows a script:
//! what they wrote is recorded with session, turn and prompt.
//!
//! Skipped where the SDKs are not installed: `scripts/oracles DIRECTORY memory-tool` installs them, below `target/oracles`;
//! `RETRACE_ORACLE_MEMORY_TOOL` names another place.

#![cfg(unix)]
#![allow(clippy::print_stdout, reason = "a test that is skipped says why")]

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_retrace");

fn sdks() -> Option<PathBuf> {
    let named = std::env::var_os("RETRACE_ORACLE_MEMORY_TOOL").map(PathBuf::from);
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let home = named.unwrap_or_else(|| tree.join("target/oracles/memory-tool"));
    if home.join("installed").is_file() {
        return Some(home);
    }
    println!("skipped: no SDKs at {}; scripts/oracles installs them", home.display());
    None
}

fn script() -> Value {
    let file = "/memories/shop/refunds.md";
    json!([
        {"prompt": "Refunds over 50 € want a second pair of eyes.", "calls": [
            {"command": "view", "path": "/memories"},
            {"command": "create", "path": file, "file_text": "# Refunds\n\n- Over 50 €: ask.\n"},
            {"command": "create", "path": file, "file_text": "again\n"},
        ]},
        {"prompt": "Make it 80 €, and say whom to ask.", "calls": [
            {"command": "str_replace", "path": file, "old_str": "50", "new_str": "80"},
            {"command": "insert", "path": file, "insert_line": 3, "insert_text": "- Ask the shift lead.\n"},
            {"command": "view", "path": file, "view_range": [3, 4]},
            {"command": "rename", "old_path": file, "new_path": "/memories/refunds.md"},
        ]},
    ])
}

fn at_home<'c>(command: &'c mut Command, folder: &Path) -> &'c mut Command {
    command.env("RETRACE_DATA_DIR", folder.join("data")).env("HOME", folder)
}

/// Output of the program.
fn retrace(folder: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = at_home(Command::new(PROGRAM).args(arguments), folder).output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Holds one conversation; answers what the model was told, and the versions recorded, oldest first.
fn converse(
    command: &mut Command,
    program: &str,
    last: Option<&Path>,
) -> (tempfile::TempDir, Value, Vec<Value>) {
    let folder = tempfile::tempdir().expect("a folder");
    let script_file = folder.path().join("script.json");
    std::fs::write(&script_file, script().to_string()).expect("the script");
    let oracles = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/oracles");
    command
        .arg(oracles.join(program))
        .arg(PROGRAM)
        .arg(folder.path().join("memories"))
        .arg(script_file)
        .args(last);
    at_home(command, folder.path());
    let output = command.output().expect("the conversation is held");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let reported = serde_json::from_slice(&output.stdout).expect("JSON");
    let log = retrace(folder.path(), &["--json", "log"]);
    let lines = String::from_utf8(log).expect("text");
    let versions = lines.lines().rev().map(|line| serde_json::from_str(line).expect("a version")).collect();
    (folder, reported, versions)
}

fn check(session: &str, (folder, reported, versions): (tempfile::TempDir, Value, Vec<Value>)) {
    let memories = folder.path().join("memories");
    let text = std::fs::read_to_string(memories.join("refunds.md")).expect("the memory");
    assert_eq!(text, "# Refunds\n\n- Over 80 €: ask.\n- Ask the shift lead.\n");

    let results = reported["results"].as_array().expect("results");
    assert_eq!(results.len(), 7, "{reported}");
    for (place, result) in results.iter().enumerate() {
        assert_eq!(result["is_error"], place == 2, "{result}");
    }
    let printed = |place: usize| results[place]["content"].as_str().expect("a text");
    assert_eq!(printed(1), "File created successfully at: /memories/shop/refunds.md");
    assert!(printed(2).contains("already exists"), "{}", printed(2));
    assert!(printed(5).contains("Ask the shift lead."), "{}", printed(5));
    assert_eq!(reported["final"], "Done: Make it 80 €, and say whom to ask.");

    let seen: Vec<(&str, &str)> = versions
        .iter()
        .map(|version| {
            assert_eq!(version["created_by"]["session_id"], session);
            assert_eq!(version["created_by"]["evidence"], "stated");
            let text = |name: &str| version[name].as_str().expect("a text");
            (text("operation"), text("path"))
        })
        .collect();
    for (place, version) in versions.iter().enumerate() {
        let id = version["id"].as_str().expect("an id");
        let origin = retrace(folder.path(), &["--json", "origin", id]);
        let origin: Value = serde_json::from_slice(&origin).expect("JSON");
        let turn = if place == 0 { 1 } else { 2 };
        assert_eq!(origin["note"]["session_id"], session);
        assert_eq!(origin["note"]["turn"], turn, "{origin}");
        assert_eq!(origin["prompt"], script()[turn - 1]["prompt"], "{origin}");
    }
    let expected = [
        ("created", "shop/refunds.md"),
        ("modified", "shop/refunds.md"),
        ("modified", "shop/refunds.md"),
        ("modified", "refunds.md"),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn the_python_runner_keeps_its_memory_here() {
    let Some(sdks) = sdks() else { return };
    check(
        "conversation-py",
        converse(&mut Command::new(sdks.join("py/bin/python")), "conversation.py", None),
    );
}

#[test]
fn the_asynchronous_python_runner_keeps_its_memory_here() {
    let Some(sdks) = sdks() else { return };
    let last = Some(Path::new("async"));
    check(
        "conversation-py",
        converse(&mut Command::new(sdks.join("py/bin/python")), "conversation.py", last),
    );
}

/// Calls of an application beside the runner.
#[test]
fn all_memory_is_cleared_by_the_class_and_recorded() {
    let Some(sdks) = sdks() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(sdks.join("py/bin/python"));
    command
        .arg(tree.join("tests/oracles/clear_all_memory.py"))
        .arg(PROGRAM)
        .arg(folder.path().join("memories"));
    let output = at_home(&mut command, folder.path()).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let log = String::from_utf8(retrace(folder.path(), &["--json", "log"])).expect("text");
    let versions: Vec<Value> =
        log.lines().map(|line| serde_json::from_str(line).expect("a version")).collect();
    let deleted = versions.iter().filter(|version| version["operation"] == "deleted");
    assert_eq!((versions.len(), deleted.count()), (8, 4), "{log}");
    assert!(versions.iter().all(|version| version["created_by"]["session_id"] == "clearing"), "{log}");
}

#[test]
fn the_typescript_runner_keeps_its_memory_here() {
    let Some(sdks) = sdks() else { return };
    let conversation = converse(&mut Command::new("node"), "conversation.mjs", Some(&sdks.join("ts")));
    check("conversation-ts", conversation);
}
