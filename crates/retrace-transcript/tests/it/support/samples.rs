//! Small files of our own in every format.

use super::{answer, call, line, result, session, text, typed};
use serde_json::{Value, json};

/// Messages of an open call.
pub(crate) fn history() -> Value {
    json!([{"role": "user", "content": "Look"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"p": "a"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "words",
            "cache_control": {"type": "ephemeral"}}]}])
}

/// A pair of a proxy log.
pub(crate) fn pair(messages: &Value, response: Value) -> Value {
    json!({"request": {"timestamp": 1_770_000_000.5, "method": "POST", "url": "https://api.anthropic.com/v1/messages",
        "body": {"model": "claude-opus-4-6", "system": [{"type": "text", "text": "S"}], "messages": messages}},
        "response": response, "logged_at": "2026-02-02T00:00:00Z"})
}

/// A line of a Codex rollout.
pub(crate) fn codex(kind: &str, payload: Value) -> Value {
    json!({"timestamp": "2026-06-01T00:00:00.000Z", "type": kind, "payload": payload})
}

/// The tokens of a Codex call.
pub(crate) fn tokens(total: u64, input: u64, cached: u64) -> Value {
    codex(
        "event_msg",
        json!({"type": "token_count", "info": {"total_token_usage": {"total_tokens": total},
        "last_token_usage": {"input_tokens": input, "cached_input_tokens": cached, "output_tokens": 5,
        "reasoning_output_tokens": 2}, "model_context_window": 258_400}}),
    )
}

/// A message of a Codex rollout.
pub(crate) fn codex_message(role: &str, text: &str) -> Value {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    codex(
        "response_item",
        json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]}),
    )
}

/// A Codex rollout of two calls.
pub(crate) fn codex_session() -> Vec<Value> {
    vec![
        codex(
            "session_meta",
            json!({"id": "0a", "cwd": "/proj/app", "cli_version": "0.142.4",
            "git": {"branch": "main"}, "base_instructions": {"text": "You are an agent."}}),
        ),
        codex_message("developer", "Permissions"),
        codex_message("user", "# AGENTS.md instructions for /proj/app"),
        codex("turn_context", json!({"model": "gpt-5.5", "effort": "high"})),
        codex_message("user", "Look at a.rs"),
        codex(
            "response_item",
            json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}],
            "encrypted_content": "xxxx"}),
        ),
        codex(
            "response_item",
            json!({"type": "function_call", "name": "exec_command", "call_id": "c1",
            "arguments": "{\"cmd\":\"cat a.rs\"}"}),
        ),
        codex("response_item", json!({"type": "function_call_output", "call_id": "c1", "output": "fn main"})),
        tokens(105, 100, 40),
        tokens(105, 100, 40),
        codex(
            "response_item",
            json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": "c2",
            "input": "*** Begin Patch\n*** Update File: /home/a/.codex/memories/notes.md\n"}),
        ),
        codex("response_item", json!({"type": "custom_tool_call_output", "call_id": "c2", "output": "ok"})),
        tokens(235, 130, 100),
    ]
}

/// A chat of Gemini CLI: two calls, one of whose messages is told again, and a resume with its list of messages.
pub(crate) fn gemini_chat() -> Vec<Value> {
    let tokens = |input: u64| json!({"input": input, "output": 5, "cached": 40, "thoughts": 3, "tool": 1, "total": input + 9});
    let message = |id: &str, kind: &str, content: Value| json!({"id": id, "timestamp": "2026-11-23T10:00:00.000Z", "type": kind, "content": content});
    let answer = |id: &str, content: Value, input: u64, calls: Option<Value>| {
        let mut answer = message(id, "gemini", content);
        answer["model"] = "gemini-3.1-pro-preview".into();
        answer["tokens"] = tokens(input);
        answer["thoughts"] = json!([{"subject": "Port", "description": "hm"}]);
        if let Some(calls) = calls {
            answer["toolCalls"] = calls;
        }
        answer
    };
    let context = |files: &str| {
        let text = format!(
            "<session_context>\n- **Workspace Directories:**\n  - /w\n{files}\n<loaded_context>\n\
             --- Context from: /w/GEMINI.md ---\nTabs.\n--- End of Context from: /w/GEMINI.md ---\n</session_context>"
        );
        message("m0", "user", json!([{"text": text}]))
    };
    let calls = json!([{"id": "c1", "name": "write_file", "args": {"file_path": "/h/.gemini/tmp/w/memory/a.md", "content": "8081\n"},
            "status": "success", "timestamp": "2026-11-23T10:00:03.000Z", "result": [],
            "resultDisplay": {"filePath": "/h/.gemini/tmp/w/memory/a.md", "originalContent": "8080\n", "newContent": "8081\n", "isNewFile": false}},
        {"id": "c2", "name": "run_shell_command", "args": {"command": "false", "dir_path": "sub"}, "status": "success",
            "result": [{"functionResponse": {"response": {"output": "Exit Code: 1"}}}]},
        {"id": "c3", "name": "read_file", "args": {"file_path": "x"}, "status": "error"}]);
    let response = |id: &str, response: Value| json!({"functionResponse": {"id": id, "name": "t", "response": response}});
    let results = message(
        "m3",
        "user",
        json!([
            response("c1", json!({"output": "Written"})),
            response("c2", json!({"output": "Exit Code: 1"})),
            response("c3", json!({"error": "absent"}))
        ]),
    );
    let typed = message("m1", "user", json!([{"text": "Remember the port"}]));
    let told = json!([{"text": "Writing."}, {"functionCall": {"id": "c1", "name": "write_file",
        "args": {"file_path": "/h/.gemini/tmp/w/memory/a.md", "content": "8081\n"}}}]);
    vec![
        json!({"sessionId": "g1", "projectHash": "h", "startTime": "2026-11-23T10:00:00.000Z", "kind": "main"}),
        json!({"$set": {"messages": [context("")], "lastUpdated": "2026-11-23T10:00:00.000Z"}}),
        typed.clone(),
        json!({"$set": {"lastUpdated": "2026-11-23T10:00:00.000Z"}}),
        answer("m2", json!("Writing."), 100, None),
        answer("m2", json!("Writing."), 100, Some(calls.clone())),
        results.clone(),
        answer("m4", json!("Done."), 130, None),
        json!({"$set": {"sessionId": "g1"}}),
        json!({"$set": {"messages": [context("a.md"), typed, answer("m2", told, 100, Some(calls)), results,
            answer("m4", json!([{"text": "Done."}]), 130, None)]}}),
        message("m5", "user", json!("And the host")),
        message("m6", "info", json!("Update available")),
        answer("m7", json!("Asked."), 160, None),
    ]
}

/// A session of opencode: a prompt, a message of two calls, one with an answer alone.
pub(crate) fn opencode_session() -> Vec<Value> {
    let info = |id: &str, role: &str| {
        json!({"id": id, "role": role, "modelID": "claude-sonnet-4-5", "time": {"created": 1_795_443_632_343_i64},
            "tokens": {"input": 9, "output": 4, "reasoning": 0, "cache": {"read": 1, "write": 2}}, "cost": 0.25})
    };
    let finish = |input: u64| {
        json!({"type": "step-finish", "reason": "tool-calls", "cost": 0.5,
            "tokens": {"input": input, "output": 5, "reasoning": 3, "cache": {"read": 40, "write": 10}}})
    };
    let tool = |id: &str, name: &str, status: &str, input: Value, exit: u64| {
        json!({"type": "tool", "tool": name, "callID": id, "state": {"status": status, "input": input, "output": "Done",
            "error": "absent", "metadata": {"exit": exit}, "time": {"start": 1_795_443_637_000_i64, "end": 1_795_443_637_500_i64}}})
    };
    vec![
        json!({"info": {"id": "ses_1", "parentID": null, "rootID": null, "directory": "/w", "title": "A port", "version": "1.18.33",
            "cost": 1.25, "time": {"created": 1_795_443_632_129_i64, "updated": 1_795_443_638_932_i64}}}),
        json!({"info": info("msg_1", "user"), "parts": [{"type": "text", "text": "Remember the port"},
            {"type": "file", "mime": "image/png", "url": "file:///w/a.png"}]}),
        json!({"info": info("msg_2", "assistant"), "parts": [
            {"type": "step-start"}, {"type": "reasoning", "text": "hm"}, {"type": "text", "text": "Writing."},
            tool("t1", "write", "completed", json!({"filePath": "/w/memory/a.md", "content": "8080\n"}), 0),
            tool("t2", "bash", "completed", json!({"command": "echo x >> memory/b.md; false", "workdir": "sub"}), 1),
            finish(100),
            {"type": "step-start"}, tool("t3", "read", "error", json!({"filePath": "/w/x"}), 0),
            tool("t4", "bash", "running", json!({"command": "sleep 9"}), 0), finish(130), {"type": "patch", "files": []}]}),
        json!({"info": info("msg_3", "assistant"), "parts": [{"type": "text", "text": "Done."}]}),
        json!({"info": info("msg_4", "assistant"), "parts": []}),
    ]
}

/// An event of a Copilot session.
pub(crate) fn copilot(kind: &str, data: Value) -> Value {
    json!({"type": kind, "data": data, "id": "e", "timestamp": "2026-06-25T01:50:34.403Z", "parentId": null})
}

/// A Copilot session.
pub(crate) fn copilot_session() -> Vec<Value> {
    vec![
        copilot(
            "session.start",
            json!({"sessionId": "10fb", "copilotVersion": "1.0.64",
            "context": {"cwd": "/proj/app", "branch": "main"}}),
        ),
        copilot("session.model_change", json!({"newModel": "claude-sonnet-4.6"})),
        copilot("system.message", json!({"role": "system", "content": "You are an assistant."})),
        copilot("user.message", json!({"content": "Look", "transformedContent": "<now/>\nLook"})),
        copilot(
            "assistant.message",
            json!({"messageId": "1", "content": "", "reasoningText": "hm",
            "reasoningOpaque": "zz", "outputTokens": 17, "requestId": "A0",
            "toolRequests": [{"toolCallId": "t1", "name": "bash", "arguments": {"command": "ls"}}]}),
        ),
        copilot("tool.execution_start", json!({"toolCallId": "t1"})),
        copilot(
            "tool.execution_complete",
            json!({"toolCallId": "t1", "success": true, "result": {"content": "a.rs"}}),
        ),
        copilot("assistant.message", json!({"messageId": "2", "content": "One file."})),
        copilot("assistant.message", json!({"messageId": "9", "content": "Inner", "parentToolCallId": "t1"})),
        copilot(
            "session.compaction_complete",
            json!({"success": true, "preCompactionTokens": 900,
            "summaryContent": "Looked."}),
        ),
        copilot("user.message", json!({"content": "On"})),
        copilot("assistant.message", json!({"messageId": "3", "content": "Off."})),
    ]
}

/// Messages of chat completions.
pub(crate) fn chat_messages() -> Value {
    json!([{"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "Look"},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}]},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function",
            "function": {"name": "read", "arguments": "{\"p\":\"a\"}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "words"}])
}

/// A Claude Code session with every kind of line.
pub(crate) fn claude_code() -> Vec<Value> {
    let mut side = typed("s1", None, "You are an agent");
    side["isSidechain"] = json!(true);
    vec![
        line("progress", "p0", None, json!({"data": {"type": "hook_progress"}})),
        typed("u1", Some("p0"), "Look at a.rs"),
        line(
            "attachment",
            "n1",
            Some("u1"),
            json!({"attachment": {"type": "nested_memory", "path": "/proj/app/CLAUDE.md",
            "content": {"type": "Project", "content": "Tabs."}}}),
        ),
        answer("a1", "n1", "msg_1", text("I will."), 100),
        answer("a2", "a1", "msg_1", call("t1"), 100),
        result("r1", "a2", "t1", "fn main() {}"),
        side,
        line(
            "system",
            "b0",
            Some("r1"),
            json!({"subtype": "microcompact_boundary", "microcompactMetadata":
            {"preTokens": 7, "compactedToolIds": ["t1"], "clearedAttachmentUUIDs": ["n1"]}}),
        ),
        answer("a3", "b0", "msg_2", text("Empty."), 150),
        typed("u2", Some("a3"), "Go on"),
        answer("a4", "u2", "msg_3", call("t2"), 170),
        typed("u3", Some("a3"), "Rather this"),
        answer("a5", "u3", "msg_4", text("This."), 172),
        line(
            "system",
            "b1",
            None,
            json!({"subtype": "compact_boundary", "logicalParentUuid": "a5",
            "compactMetadata": {"trigger": "auto", "preTokens": 180,
                "preservedSegment": {"headUuid": "u3", "anchorUuid": "s2", "tailUuid": "a5"}}}),
        ),
        line(
            "user",
            "s2",
            Some("b1"),
            json!({"isCompactSummary": true, "message": {"role": "user", "content": "So far"}}),
        ),
        answer(
            "a6",
            "s2",
            "msg_5",
            json!({"type": "tool_use", "id": "t3", "name": "Write",
            "input": {"file_path": "/home/a/.claude/projects/x/memory/notes.md", "content": "n"}}),
            40,
        ),
        json!({"type": "summary", "summary": "Looking", "leafUuid": "a6"}),
    ]
}

/// One file of every format.
pub(crate) fn all() -> Vec<Vec<u8>> {
    let chat = json!({"request": {"model": "gpt-5", "messages": chat_messages()}, "response": {"id": "c",
        "choices": [{"message": {"role": "assistant", "content": "Done"}}], "usage": {"prompt_tokens": 5}}});
    let responses = json!({"request": {"model": "gpt-5", "input": [{"role": "user", "content": "Look"}]},
        "response": {"id": "r", "output": [{"type": "reasoning", "summary": []}], "usage": {"input_tokens": 5}}});
    let request = json!({"model": "claude-opus-4-6", "system": "Be brief.", "messages": history()});
    let response = json!({"id": "msg_1", "type": "message", "role": "assistant", "content": [text("Hi")],
        "usage": {"input_tokens": 5}, "context_management": {"applied_edits": [{"type": "x"}]}});
    vec![
        session(&claude_code()),
        session(&codex_session()),
        session(&copilot_session()),
        session(&gemini_chat()),
        session(&opencode_session()),
        session(&[
            pair(&json!([{"role": "user", "content": "Look"}]), json!({"body": response})),
            pair(
                &history(),
                json!({"body_raw": "data: {\"type\":\"message_start\",\"message\":{\"role\":\"assistant\"}}\n"}),
            ),
        ]),
        chat.to_string().into_bytes(),
        responses.to_string().into_bytes(),
        serde_json::to_vec_pretty(&request).unwrap(),
        response.to_string().into_bytes(),
    ]
}
