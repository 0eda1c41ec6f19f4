#![allow(clippy::needless_pass_by_value, reason = "a test reads better with the values in place")]

use crate::judge::{Outcome, judge};
use crate::rule::{Pattern, Rule};
use serde_json::{Value, json};

fn rule(rule: Value) -> Pattern {
    Rule::from_json(&rule).expect("a rule").pattern
}

/// A rollout of Codex: what the person says, then calls, each with what the client tells of its end.
fn rollout(calls: &[Vec<Value>]) -> Vec<u8> {
    let item = |payload: Value| json!({"type": "response_item", "payload": payload});
    let mut lines = vec![
        json!({"type": "session_meta", "payload": {"id": "c-1", "cwd": "/home/u/w", "cli_version": "0.169.0"}}),
        item(
            json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Fix it"}]}),
        ),
    ];
    lines.extend(calls.iter().flatten().cloned());
    lines.push(item(json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]})));
    let line = |(at, line): (usize, &Value)| {
        let mut line = line.clone();
        line["timestamp"] = json!(format!("2026-01-02T10:{:02}:00Z", at));
        format!("{line}\n")
    };
    lines.iter().enumerate().map(line).collect::<String>().into_bytes()
}

fn call(payload: Value, output: &Value) -> Vec<Value> {
    let mut payload = payload;
    let id = format!("call-{payload}");
    payload["call_id"] = json!(id);
    let output_type = format!("{}_output", payload["type"].as_str().expect("one"));
    vec![
        json!({"type": "response_item", "payload": payload}),
        json!({"type": "response_item", "payload": {"type": output_type, "call_id": id, "output": output}}),
    ]
}

fn run(command: &str, code: i32) -> Vec<Value> {
    let arguments = json!({"cmd": command}).to_string();
    let output = format!("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\n");
    call(json!({"type": "function_call", "name": "exec_command", "arguments": arguments}), &json!(output))
}

fn patch(path: &str, output: &str) -> Vec<Value> {
    let input = format!("*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch\n");
    call(json!({"type": "custom_tool_call", "name": "apply_patch", "input": input}), &json!(output))
}

fn patched(path: &str) -> Vec<Value> {
    patch(path, "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.")
}

/// Code that runs commands, each with its exit code.
fn code(commands: &[(&str, i32)]) -> Vec<Value> {
    let input: String = commands
        .iter()
        .map(|(command, _)| format!("await tools.exec_command({});", json!({"cmd": command})))
        .collect();
    let output =
        json!([{"type": "input_text", "text": "Script completed\nWall time 0.1 seconds\nOutput:\n"}]);
    let mut lines = call(
        json!({"type": "custom_tool_call", "name": "exec", "input": input.replace("\"cmd\"", "cmd")}),
        &output,
    );
    let done = commands.iter().enumerate().map(|(at, (command, code))| {
        json!({"type": "event_msg", "payload": {"type": "item_completed", "item": {"type": "CommandExecution", "id": format!("exec-{at}"),
            "command": ["/bin/bash", "-lc", command], "cwd": "file:///home/u/w", "exit_code": code,
            "status": if *code == 0 { "completed" } else { "failed" }}}})
    });
    lines.splice(1..1, done);
    lines
}

fn outcomes(pattern: &Pattern, calls: &[Vec<Value>]) -> Vec<Outcome> {
    let bytes = rollout(calls);
    let reading = retrace_transcript::read(&bytes).expect("one");
    let deeds = super::deeds(&reading, &retrace_origin::of_reading(&reading, &bytes, |_| true));
    judge(pattern, &deeds).into_iter().map(|verdict| verdict.outcome).collect()
}

#[test]
fn a_command_of_codex_that_failed_is_no_act() {
    use Outcome::{Broken, Followed};
    let order = rule(json!({"kind": "order", "before": "make lint", "after": "git commit"}));
    let end = rule(json!({"kind": "at_end", "program": "git", "arguments": "push"}));
    for (last, outcome) in [(0, Followed), (2, Broken)] {
        let lint = run("make lint", last);
        assert_eq!(outcomes(&order, &[patched("a"), lint, run("git commit -m x", 0)]), [outcome], "{last}");
        assert_eq!(outcomes(&end, &[patched("a"), run("git push", last)]), [outcome], "{last}");
    }
    // Code says it of each of its commands.
    for (codes, outcome) in [((0, 0), Followed), ((2, 0), Broken), ((0, 2), Followed)] {
        let both = code(&[("make lint", codes.0), ("ls", codes.1)]);
        assert_eq!(
            outcomes(&order, &[patched("a"), both, run("git commit -m x", 0)]),
            [outcome],
            "{codes:?}"
        );
        let alone = code(&[("make lint", codes.0), ("git commit -m x", codes.1)]);
        assert_eq!(outcomes(&order, &[patched("a"), alone]), [outcome], "{codes:?}");
        let pushed = code(&[("git push", codes.0), ("git status", codes.1)]);
        assert_eq!(outcomes(&end, &[patched("a"), pushed]), [outcome], "{codes:?}");
    }
}

#[test]
fn a_patch_of_codex_that_failed_wrote_nothing() {
    use Outcome::{Broken, Followed};
    let failed = "apply_patch verification failed: Failed to find expected lines in /home/u/w/.env:\na";
    let never = rule(json!({"kind": "path_never", "paths": [".env"]}));
    let order = rule(json!({"kind": "order", "before": "make lint", "after": "git commit"}));
    let end = rule(json!({"kind": "at_end", "program": "git", "arguments": "push"}));
    let by_shell = |output: &str| {
        let command =
            "apply_patch <<'X'\n*** Begin Patch\n*** Update File: .env\n@@\n-a\n+b\n*** End Patch\nX";
        let arguments = json!({"cmd": command}).to_string();
        call(json!({"type": "function_call", "name": "exec_command", "arguments": arguments}), &json!(output))
    };
    let applied = "Wall time: 0.0 seconds\nOutput:\nExit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.";
    for (write, is_write) in [
        (patched(".env"), true),
        (by_shell(applied), true),
        (patch(".env", failed), false),
        (by_shell(failed), false),
        (patch(".env", "unsupported custom tool call: apply_patch"), false),
        (patch(".env", "patch rejected by user"), false),
    ] {
        let broken = if is_write { vec![Broken] } else { vec![] };
        assert_eq!(outcomes(&never, std::slice::from_ref(&write)), broken, "{write:?}");
        let before = [run("make lint", 0), write.clone(), run("git commit -m x", 0)];
        assert_eq!(outcomes(&order, &before), [if is_write { Broken } else { Followed }], "{write:?}");
        assert_eq!(outcomes(&end, &[write]), broken);
    }
}
