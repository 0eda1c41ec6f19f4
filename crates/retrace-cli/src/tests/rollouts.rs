//! What is told of sessions of Codex: who wrote what, and what a fork goes on from.

use super::{Machine, START_MICROS, file};
use crate::Exit;
use retrace_model::Timestamp;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A machine whose clock moves five minutes at each look, and its directory of memories, which is recorded.
fn slow() -> Machine {
    let mut machine = Machine::with_notes(&[]);
    let now = AtomicI64::new(START_MICROS + 600_000_000);
    machine.options.clock =
        Arc::new(move || Timestamp::from_micros(now.fetch_add(300_000_000, Ordering::SeqCst)));
    machine
}

#[allow(clippy::needless_pass_by_value, reason = "values are written where they are used")]
fn line(ordinal: u64, kind: &str, payload: Value) -> String {
    let at = format!("2026-11-20T10:01:{ordinal:02}.000Z");
    format!("{}\n", json!({"timestamp": at, "ordinal": ordinal, "type": kind, "payload": payload}))
}

/// Writes a rollout of these lines, numbered from an ordinal.
fn rollout(machine: &Machine, id: &str, first: u64, lines: Vec<(&str, Value)>) -> PathBuf {
    let folder = machine.folder.path().join("home/.codex/sessions/2026/11/20");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(format!("rollout-2026-11-20T10-01-00-{id}.jsonl"));
    let text: String = lines
        .into_iter()
        .zip(first..)
        .map(|((kind, payload), ordinal)| line(ordinal, kind, payload))
        .collect();
    std::fs::write(&path, text).expect("a rollout");
    path
}

fn meta(machine: &Machine, id: &str, from: Option<(&str, u64)>) -> (&'static str, Value) {
    let mut meta =
        json!({"id": id, "session_id": id, "cwd": machine.folder.path(), "cli_version": "0.169.0"});
    if let Some((thread, before)) = from {
        meta["forked_from_id"] = thread.into();
        meta["forked_from_ordinal_exclusive"] = before.into();
    }
    ("session_meta", meta)
}

fn said(role: &str, label: &str, text: &str) -> (&'static str, Value) {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    let message = json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}],
        "internal_chat_message_metadata_passthrough": {"content_item_kinds": [label]}});
    ("response_item", message)
}

fn used(response: &str) -> (&'static str, Value) {
    let usage = json!({"input_tokens": 200, "output_tokens": 9, "total_tokens": 209});
    ("token_usage_record", json!({"response_id": response, "usage": usage}))
}

/// A command, what came of it and the usage of its response.
fn ran(id: &str, command: &str, code: i64) -> Vec<(&'static str, Value)> {
    let status = if code == 0 { "completed" } else { "failed" };
    let item = json!({"type": "CommandExecution", "id": id, "command": ["/bin/bash", "-lc", command], "cwd": "file:///w",
        "status": status, "exit_code": code});
    let call = json!({"type": "function_call", "name": "exec_command", "call_id": id,
        "arguments": json!({"cmd": command}).to_string()});
    vec![
        ("response_item", call),
        ("event_msg", json!({"type": "item_completed", "item": item})),
        ("response_item", json!({"type": "function_call_output", "call_id": id, "output": "Done"})),
        used(&format!("resp_{id}")),
    ]
}

#[test]
fn what_shells_wrote_long_before_it_was_recorded_has_a_writer_wherever_the_rollout_lies() {
    let machine = slow();
    let notes = machine.notes().display().to_string();
    let mut lines = vec![
        meta(&machine, "t-1", None),
        ("turn_context", json!({"model": "gpt-5.1-codex", "cwd": "/w"})),
        said("user", "user.text", "Note it"),
    ];
    lines.extend(ran("c1", &format!("echo one > {notes}/good.md"), 0));
    lines.extend(ran("c2", &format!("echo two > {notes}/fails.md; false"), 1));
    let path = rollout(&machine, "t-1", 0, lines);
    for (name, text) in [("good.md", "one\n"), ("fails.md", "two\n"), ("other.md", "mine\n")] {
        std::fs::write(machine.notes().join(name), text).expect("a file");
    }
    assert_eq!(machine.run(&["record", "--once"]).exit, Exit::DONE);
    let mut written: Vec<(String, Value, Value)> = machine
        .run(&["log", "--json"])
        .lines()
        .iter()
        .map(|row| {
            let path = row["path"].as_str().unwrap_or_default().to_owned();
            (path, row["origin"]["session_id"].clone(), row["origin"]["confidence"].clone())
        })
        .collect();
    written.sort_by(|one, other| one.0.cmp(&other.0));
    let by = |path: &str| written.iter().find(|row| row.0 == path).map(|row| (row.1.clone(), row.2.clone()));
    let exact = Some((json!("t-1"), json!("exact_content")));
    assert_eq!((by("fails.md"), by("good.md")), (exact.clone(), exact), "{written:?}");
    assert_ne!(by("other.md").map(|row| row.1), Some(json!("exact_content")));
    let archived = machine.folder.path().join("home/.codex/archived_sessions");
    std::fs::create_dir_all(&archived).expect("a folder");
    std::fs::rename(&path, archived.join(path.file_name().expect("a name"))).expect("moved");
    let session = machine.run(&["session", "t-1"]).stdout;
    assert!(session.contains("good.md") && !session.contains("without a version"), "{session}");
}

#[test]
fn a_fork_has_what_its_original_sent_before() {
    let machine = Machine::with_notes(&[]);
    let folder = machine.folder.path().display().to_string();
    let rules =
        format!("# AGENTS.md instructions for {folder}\n\n<INSTRUCTIONS>\nUse tabs.\n\n</INSTRUCTIONS>");
    let one = rollout(
        &machine,
        "t-1",
        0,
        vec![
            meta(&machine, "t-1", None),
            ("turn_context", json!({"model": "gpt-5.1-codex"})),
            said("user", "agents_md.instructions", &rules),
            said("user", "user.text", "Before the fork"),
            said("assistant", "unknown", "Yes"),
            used("resp_1"),
        ],
    );
    let lines = vec![
        meta(&machine, "t-2", Some(("t-1", 6))),
        ("turn_context", json!({"model": "gpt-5.1-codex"})),
        said("user", "user.text", "In the fork"),
        said("assistant", "unknown", "Yes"),
        used("resp_2"),
    ];
    let fork = rollout(&machine, "t-2", 6, lines);
    let texts = |machine: &Machine| {
        let request = machine.run(&["context", "request", "t-2", "--at", "0", "--json"]).lines().remove(0);
        (request["body"]["messages"].to_string(), request["reason"].to_string())
    };
    let (sent, _) = texts(&machine);
    for text in ["Use tabs.", "Before the fork", "In the fork"] {
        assert!(sent.contains(text), "{sent}");
    }
    let session = machine.run(&["session", "t-2"]).stdout;
    assert!(session.contains(&format!("{folder}/AGENTS.md  in every request")), "{session}");
    assert!(!session.contains("Before the fork") && session.contains("1 prompt"), "{session}");
    let listed = machine.run(&["context", "transcripts", "--json"]).lines();
    let requests: Vec<u64> = listed.iter().filter_map(|row| row["requests"].as_u64()).collect();
    assert_eq!(requests, [1, 1], "each answer is one session's");
    // Without the original it is said.
    std::fs::remove_file(one).expect("gone");
    let touched = std::fs::read(&fork).expect("bytes");
    std::fs::write(&fork, [touched, b"\n".to_vec()].concat()).expect("written");
    let (sent, reason) = texts(&machine);
    assert!(!sent.contains("Before the fork") && reason.contains("is not found on this machine"), "{reason}");
    let session = machine.run(&["session", "t-2"]).stdout;
    assert!(session.contains("is not found on this machine"), "{session}");
}

#[test]
fn instructions_that_were_changed_before_a_resume_are_one_file_of_every_request() {
    let machine = Machine::with_notes(&[]);
    let folder = machine.folder.path().display().to_string();
    file(machine.folder.path(), "AGENTS.md", b"# Rules\nSpaces.\n");
    let text = |inside: &str| {
        format!("# AGENTS.md instructions for {folder}\n\n<INSTRUCTIONS>\n{inside}\n\n</INSTRUCTIONS>")
    };
    let replaces = "These AGENTS.md instructions replace others.";
    let lines = vec![
        meta(&machine, "t-1", None),
        ("turn_context", json!({"model": "gpt-5.1-codex"})),
        said("user", "agents_md.instructions", &text("# Rules\nTabs.")),
        said("user", "user.text", "One"),
        said("assistant", "unknown", "Yes"),
        used("resp_1"),
        said("user", "agents_md.instructions", &text(&format!("{replaces}\n\n# Rules\nSpaces."))),
        said("user", "user.text", "Two"),
        said("assistant", "unknown", "Yes"),
        used("resp_2"),
    ];
    rollout(&machine, "t-1", 0, lines);
    let session = machine.run(&["session", "t-1"]).stdout;
    assert!(session.contains(&format!("{folder}/AGENTS.md  in every request")), "{session}");
    assert_eq!(session.matches("AGENTS.md").count(), 1, "{session}");
}
