use super::*;
use crate::{Effect, Replacement};
use serde_json::json;

fn line(kind: &str, uuid: &str, parent: Option<&str>, message: &Value, more: &Value) -> String {
    let mut line = json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s-1", "cwd": "/srv/p",
        "timestamp": format!("2026-01-02T10:00:{:02}Z", uuid.len()), "version": "2.1.181", "message": message});
    for (key, value) in more.as_object().into_iter().flatten() {
        line[key] = value.clone();
    }
    format!("{line}\n")
}

fn call(uuid: &str, parent: &str, id: &str, tool: &str, input: &Value) -> String {
    let message = json!({"id": format!("msg_{uuid}"), "role": "assistant", "model": "claude-x", "usage": {"input_tokens": 1},
        "content": [{"type": "tool_use", "id": id, "name": tool, "input": input}]});
    line("assistant", uuid, Some(parent), &message, &json!({}))
}

fn answer(uuid: &str, parent: &str, id: &str, is_error: bool, result: &Value) -> String {
    let message = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "done", "is_error": is_error}]});
    line("user", uuid, Some(parent), &message, &json!({"toolUseResult": result}))
}

fn typed(uuid: &str, parent: Option<&str>, text: &str) -> String {
    line("user", uuid, parent, &json!({"role": "user", "content": text}), &json!({}))
}

#[test]
fn a_prompt_that_was_typed_while_the_agent_worked_is_the_prompt() {
    let queued =
        json!({"attachment": {"type": "queued_command", "commandMode": "prompt", "prompt": "Port 9090"}});
    let write = |uuid: &str, parent: &str, id: &str| {
        call(uuid, parent, id, "Write", &json!({"file_path": "/m/a.md", "content": "x\n"}))
    };
    let text = [
        typed("u", None, "Remember the port"),
        write("aa", "u", "t1"),
        answer("uuu", "aa", "t1", false, &json!({})),
        line("attachment", "qqqq", Some("uuu"), &Value::Null, &queued),
        write("aaaaa", "qqqq", "t2"),
        answer("uuuuuu", "aaaaa", "t2", false, &json!({})),
    ]
    .concat();
    let found = writes(text.as_bytes()).unwrap();
    let prompts: Vec<_> =
        found.iter().map(|write| write.prompt.as_ref().map(|prompt| &*prompt.text)).collect();
    assert_eq!(prompts, [Some("Remember the port"), Some("Port 9090")]);
}

#[test]
fn a_write_tells_session_turn_model_prompt_and_outcome() {
    let text = [
        typed("u", None, "Remember the port"),
        call("aa", "u", "t1", "Write", &json!({"file_path": "/m/a.md", "content": "x\n"})),
        answer("uuu", "aa", "t1", false, &json!({"type": "create", "filePath": "/m/a.md", "content": "x\n"})),
        call(
            "aaaa",
            "uuu",
            "t2",
            "Edit",
            &json!({"file_path": "/m/a.md", "old_string": "x", "new_string": "y"}),
        ),
        answer(
            "uuuuu",
            "aaaa",
            "t2",
            false,
            &json!({"originalFile": "x\n", "oldString": "x", "newString": "y", "replaceAll": false}),
        ),
        call("aaaaaa", "uuuuu", "t3", "Bash", &json!({"command": "rm notes.md"})),
        answer("uuuuuuu", "aaaaaa", "t3", true, &json!("Error")),
    ]
    .concat();
    let found = writes(text.as_bytes()).unwrap();
    let shapes: Vec<_> =
        found.iter().map(|write| (write.path.as_str(), write.turn, write.succeeded, write.line)).collect();
    assert_eq!(
        shapes,
        [
            ("/m/a.md", Some(1), Some(true), 2),
            ("/m/a.md", Some(2), Some(true), 4),
            ("/srv/p/notes.md", Some(3), Some(false), 6)
        ]
    );
    let first = &found[0];
    assert_eq!(
        (first.session.as_deref(), first.model.as_deref(), first.role),
        (Some("s-1"), Some("claude-x"), Role::Main)
    );
    assert_eq!(first.prompt.as_ref().map(|prompt| &*prompt.text), Some("Remember the port"));
    assert!(first.reported.was_absent);
    assert_eq!(found[1].reported.after.as_deref(), Some("y\n"));
    let hunk =
        json!({"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 2, "lines": ["-x", "+stamp", "+y"]});
    let patched =
        text.replace("\"replaceAll\":false", &format!("\"replaceAll\":false,\"structuredPatch\":[{hunk}]"));
    let found_patched = writes(patched.as_bytes()).unwrap();
    assert_eq!(found_patched[1].reported.after.as_deref(), Some("stamp\ny\n"));
    assert_eq!(found[1].answered_at, Timestamp::parse("2026-01-02T10:00:05Z").ok());
    assert_eq!(found[1].effect, Effect::Edit(Replacement { old: "x".into(), new: "y".into(), all: false }));
    let wanted = read_where(text.as_bytes(), |path| path.starts_with("/srv")).unwrap();
    assert_eq!(wanted.writes.len(), 1);
}

#[test]
fn a_sidechain_is_a_subagent_and_an_agent_with_a_reason_is_the_clients_own() {
    let side = json!({"isSidechain": true, "agentId": "a1b2c3"});
    let message = json!({"id": "msg_1", "role": "assistant", "model": "m", "content": [
        {"type": "tool_use", "id": "t", "name": "Write", "input": {"file_path": "/m/a.md", "content": "x"}}]});
    let text = typed("u", None, "Go") + &line("assistant", "a", None, &message, &side);
    assert_eq!(writes(text.as_bytes()).unwrap()[0].role, Role::Subagent);
    for (agent, background) in [
        ("acompact-0a1b2c3d", true),
        ("aextract_memories-0a1b2c", true),
        ("a0b1c2d3", false),
        ("agent-a", false),
        ("", false),
    ] {
        assert_eq!(role_of_agent(agent) == Role::Background, background, "{agent}");
    }
}

#[test]
fn a_read_shows_the_whole_file_or_a_part_of_it() {
    let file = |lines: u64| json!({"type": "text", "file": {"filePath": "/m/a.md", "content": "x\ny\n", "startLine": 1, "numLines": lines, "totalLines": 3}});
    for (lines, whole) in [(3, true), (2, false)] {
        let text = [
            typed("u", None, "Look"),
            call("aa", "u", "t1", "Read", &json!({"file_path": "/m/a.md"})),
            answer("uuu", "aa", "t1", false, &file(lines)),
        ]
        .concat();
        let found = read(text.as_bytes()).unwrap();
        assert_eq!(
            (found.shown[0].text.as_str(), found.shown[0].is_whole, found.shown[0].end_is_known),
            ("x\ny\n", whole, true)
        );
        assert_eq!((found.shown[0].turn, found.shown[0].session.as_deref()), (Some(1), Some("s-1")));
        assert!(found.writes.is_empty());
    }
}

#[test]
fn numbers_of_lines_are_taken_off() {
    let arrow = "Here's the content of /memories/a with line numbers:\n     1\tone\n     2\t2\tx\n\n<system-reminder>no</system-reminder>";
    assert_eq!(without_numbers(arrow), Some(("one\n2\tx".to_owned(), 1)));
    assert_eq!(without_numbers("    7→a\n    8→"), Some(("a\n".to_owned(), 7)));
    assert_eq!(without_numbers("1\ta\n9\tb"), None);
    assert_eq!(without_numbers("plain"), None);
}

#[test]
fn codex_says_in_its_answer_whether_it_succeeded() {
    let rollout = |output: &str| {
        [
            json!({"timestamp": "2026-01-02T10:00:00Z", "type": "session_meta", "payload": {"id": "c-1", "cwd": "/w", "cli_version": "0.142.0"}}),
            json!({"timestamp": "2026-01-02T10:00:01Z", "type": "turn_context", "payload": {"model": "gpt-x", "cwd": "/w"}}),
            json!({"timestamp": "2026-01-02T10:00:02Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Note it"}]}}),
            json!({"timestamp": "2026-01-02T10:00:03Z", "type": "response_item", "payload": {"type": "custom_tool_call", "call_id": "k", "name": "apply_patch",
                "input": "*** Begin Patch\n*** Add File: memories/a.md\n+x\n*** End Patch"}}),
            json!({"timestamp": "2026-01-02T10:00:04Z", "type": "response_item", "payload": {"type": "custom_tool_call_output", "call_id": "k", "output": output}}),
        ]
        .map(|line| format!("{line}\n"))
        .concat()
    };
    for (output, succeeded) in [
        ("Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.", Some(true)),
        ("Exit code: 1\nOutput:\n", Some(false)),
        ("{\"output\":\"x\",\"metadata\":{\"exit_code\":0}}", Some(true)),
        ("fine", None),
    ] {
        let found = writes(rollout(output).as_bytes()).unwrap();
        assert_eq!((found[0].path.as_str(), found[0].succeeded), ("/w/memories/a.md", succeeded), "{output}");
        assert_eq!(found[0].was_run, succeeded == Some(false), "{output}");
        assert_eq!((found[0].session.as_deref(), found[0].model.as_deref()), (Some("c-1"), Some("gpt-x")));
        assert_eq!(found[0].prompt.as_ref().map(|prompt| &*prompt.text), Some("Note it"));
    }
}

#[test]
fn what_a_session_says_of_its_extraction_is_a_write_in_the_background() {
    let lines = [
        serde_json::json!({
            "type": "user", "uuid": "u1", "parentUuid": null, "sessionId": "s1", "isSidechain": false,
            "timestamp": "2026-03-01T10:00:00Z", "message": {"role": "user", "content": "Go on"},
        }),
        serde_json::json!({
            "type": "system", "subtype": "memory_saved", "uuid": "u2", "parentUuid": "u1", "sessionId": "s1",
            "timestamp": "2026-03-01T10:05:00Z", "writtenPaths": ["/m/MEMORY.md", "/m/a.md"],
        }),
    ];
    let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let found = crate::read_where(text.join("\n").as_bytes(), |path| path == "/m/a.md").unwrap();
    let [write] = found.writes.as_slice() else { panic!("{found:?}") };
    assert!(write.is_saying());
    assert_eq!((write.path.as_str(), write.part, write.line), ("/m/a.md", 1, 2));
    assert_eq!((write.role, write.session.as_deref()), (crate::Role::Background, Some("s1")));
    assert_eq!((write.at, write.answered_at.is_some()), (None, true));
    assert_eq!(write.effect, crate::Effect::Unparsed);
}

#[test]
fn what_codex_carried_out_counts_rather_than_the_call() {
    let line = |kind: &str, payload: Value| {
        format!("{}\n", json!({"timestamp": "2026-11-23T10:00:00Z", "type": kind, "payload": payload}))
    };
    let completed = |item: Value| line("event_msg", json!({"type": "item_completed", "item": item}));
    let call = |id: &str, input: &str| {
        line(
            "response_item",
            json!({"type": "custom_tool_call", "name": "exec", "call_id": id, "input": input}),
        )
    };
    let output = |id: &str| {
        line("response_item", json!({"type": "custom_tool_call_output", "call_id": id, "output": "Done"}))
    };
    let text = [
        line("session_meta", json!({"id": "0a", "cwd": "/w"})),
        line("turn_context", json!({"model": "gpt-6.1-terra"})),
        call("c1", "await tools.apply_patch(patch); await tools.exec_command({cmd: name})"),
        completed(json!({"type": "FileChange", "id": "exec-1", "status": "completed", "changes": {
            "/m/a.md": {"type": "add", "content": "one\ntwo\n"},
            "/m/b.md": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-x\n+y\n", "move_path": "/m/c.md"},
            "/m/d.md": {"type": "delete", "content": "gone\n"}}})),
        completed(json!({"type": "CommandExecution", "id": "exec-2", "status": "failed", "exit_code": 1,
            "command": ["/bin/bash", "-lc", "echo x > e.md; false"], "cwd": "file:///w/sub"})),
        output("c1"),
        call("c2", "await tools.apply_patch(wrong)"),
        output("c2"),
    ]
    .concat();
    let found = writes(text.as_bytes()).expect("a rollout");
    let shapes: Vec<_> = found
        .iter()
        .map(|write| (write.path.as_str(), write.part, write.turn, write.succeeded, write.tool.as_str()))
        .collect();
    assert_eq!(
        shapes,
        [
            ("/m/a.md", 0, Some(1), Some(true), "exec"),
            ("/m/b.md", 1, Some(1), Some(true), "exec"),
            ("/m/d.md", 2, Some(1), Some(true), "exec"),
            ("/w/sub/e.md", 3, Some(1), Some(false), "exec"),
        ]
    );
    // It wrote, and failed then.
    assert_eq!(found.iter().map(|write| write.was_run).collect::<Vec<_>>(), [false, false, false, true]);
    assert_eq!(apply(&found[0], None).as_deref(), Some(&b"one\ntwo\n"[..]));
    assert_eq!(apply(&found[1], Some(b"x\n")).as_deref(), Some(&b"y\n"[..]));
    assert!(matches!(&found[1].effect, Effect::Patch(patch) if patch.moved_to.as_deref() == Some("/m/c.md")));
    assert_eq!(found[2].effect, Effect::Delete);
    assert_eq!(found[0].model.as_deref(), Some("gpt-6.1-terra"));
}

#[test]
fn commands_that_failed_in_other_clients_were_run() {
    let was_run = |text: &str| -> Vec<(Option<bool>, bool)> {
        let found = writes(text.as_bytes()).expect("a transcript");
        found.iter().map(|write| (write.succeeded, write.was_run)).collect()
    };
    let gemini = |status: &str, result: &str| {
        let answer = json!([{"functionResponse": {"id": "c1", "name": "run_shell_command", "response": {"output": result}}}]);
        [
            json!({"sessionId": "g-1", "projectHash": "0", "kind": "main", "startTime": "2026-11-23T10:00:00Z"}),
            json!({"id": "m1", "type": "gemini", "content": "", "model": "g", "timestamp": "2026-11-23T10:00:00Z",
                "tokens": {"input": 1, "output": 1, "total": 2},
                "toolCalls": [{"id": "c1", "name": "run_shell_command", "status": status, "timestamp": "2026-11-23T10:00:01Z",
                    "args": {"command": "echo x > /m/a.md; false"}, "result": answer}]}),
        ]
        .map(|line| format!("{line}\n"))
        .concat()
    };
    let failed =
        "<untrusted_context>\nOutput: (empty)\nExit Code: 1\nProcess Group PGID: 7\n</untrusted_context>";
    assert_eq!(was_run(&gemini("success", failed)), [(Some(false), true)]);
    assert_eq!(was_run(&gemini("success", "Output: x")), [(Some(true), false)]);
    assert_eq!(was_run(&gemini("cancelled", "[Operation Cancelled]")), [(Some(false), false)]);
    let opencode = |state: Value| {
        [
            json!({"info": {"id": "ses_1", "directory": "/w"}}),
            json!({"info": {"id": "msg_1", "role": "assistant", "modelID": "m", "time": {"created": 1, "completed": 2}, "tokens": {"input": 1, "output": 1}},
                "parts": [{"type": "tool", "callID": "c1", "tool": "bash", "state": state}]}),
        ]
        .map(|line| format!("{line}\n"))
        .concat()
    };
    let state = |status: &str, exit: Value| json!({"status": status, "input": {"command": "echo x > /m/a.md; false"}, "output": "", "error": "x", "metadata": {"exit": exit}});
    assert_eq!(was_run(&opencode(state("completed", json!(1)))), [(Some(false), true)]);
    assert_eq!(was_run(&opencode(state("completed", json!(0)))), [(Some(true), false)]);
    assert_eq!(was_run(&opencode(state("error", Value::Null))), [(Some(false), false)]);
}
