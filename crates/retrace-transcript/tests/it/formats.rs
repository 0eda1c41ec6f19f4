//! The other formats, each on a small file.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::needless_pass_by_value)] // tests

use super::support;
use super::support::samples::{
    chat_messages, codex, codex_message, codex_session, copilot_session, gemini_chat, history,
    opencode_session, pair, tokens,
};
use super::support::session;
use retrace_transcript::{
    BlockKind, Cause, Format, Origin, Reading, ResultPart, Role, Summariser, Transcript, read,
};
use serde_json::{Value, json};

fn reading(bytes: &[u8]) -> Reading {
    let reading = read(bytes).unwrap();
    for transcript in &reading.transcripts {
        assert_eq!(support::check(transcript), Vec::<String>::new());
    }
    assert_eq!(reading.account.bytes, bytes.len() as u64);
    reading
}

fn main_of(document: &Value) -> Transcript {
    reading(document.to_string().as_bytes()).transcripts.remove(0)
}

fn shape(transcript: &Transcript) -> Vec<(usize, Option<usize>)> {
    transcript.requests.iter().map(|request| (request.upto, request.response)).collect()
}

#[test]
fn a_request_holds_the_calls_before_it() {
    let transcript = main_of(&json!({"model": "claude-opus-4-6", "max_tokens": 9, "system": "Be brief.",
        "tools": [{"name": "Read", "input_schema": {}}], "messages": history(),
        "context_management": {"edits": []}}));
    assert_eq!(transcript.format, Format::MessagesRequest);
    assert_eq!(shape(&transcript), [(1, Some(1)), (3, None)]);
    let last = &transcript.requests[1];
    assert_eq!(last.parameters, json!({"max_tokens": 9, "context_management": {"edits": []}}));
    assert_eq!(last.preamble, Some(0));
    assert_eq!(transcript.preambles[0].system, ["Be brief."]);
    assert_eq!(transcript.preambles[0].tools[0].name, "Read");
    assert_eq!(transcript.messages[2].origin, Origin::ToolResults);
    assert_eq!(transcript.session.title.as_deref(), Some("Look"));
}

#[test]
fn a_stored_history_ends_where_it_ends() {
    let mut messages = history();
    messages.as_array_mut().unwrap().push(json!({"role": "assistant", "content": "Done"}));
    assert_eq!(shape(&main_of(&messages)), [(1, Some(1)), (3, Some(3))]);
    assert_eq!(shape(&main_of(&history())), [(1, Some(1))]);
}

#[test]
fn a_response_is_a_call_of_unknown_messages() {
    let transcript = main_of(&json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
        "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn",
        "usage": {"input_tokens": 5, "output_tokens": 2},
        "context_management": {"applied_edits": []}}));
    assert_eq!(transcript.format, Format::MessagesResponse);
    let request = &transcript.requests[0];
    assert_eq!((request.id.as_str(), request.upto, request.response), ("msg_1", 0, Some(0)));
    assert_eq!(request.applied_edits, Some(Vec::new()));
    assert!(request.output_is_final);
}

#[test]
fn pairs_that_go_on_share_a_segment() {
    let first = json!([{"role": "user", "content": "Look"}]);
    let answer = json!({"headers": {"request-id": "req_1"}, "body": {"id": "msg_1", "role": "assistant",
        "content": [{"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "tool_use", "id": "t1", "name": "Read", "input": {"p": "a"}}],
        "usage": {"input_tokens": 10, "output_tokens": 4}, "stop_reason": "tool_use"}});
    let stream = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_2\",\"role\":\"assistant\",\"usage\":{\"input_tokens\":30}}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Done\"}}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":7}}\n\n";
    let other = json!([{"role": "user", "content": "A title, please"}]);
    let bytes = session(&[
        pair(&first, answer),
        pair(
            &other,
            json!({"body": {"id": "msg_t", "role": "assistant", "content": [{"type": "text", "text": "T"}]}}),
        ),
        pair(&history(), json!({"body_raw": stream})),
        json!({"request": {"url": "https://api.anthropic.com/v1/messages/count_tokens", "body": {"messages": []}},
            "response": {"body": {"input_tokens": 3}}}),
        pair(&first, json!({"status_code": 529, "body": {"type": "error"}})),
    ]);
    let found = reading(&bytes);
    let transcript = &found.transcripts[0];
    assert_eq!(transcript.format, Format::ProxyLog);
    let ids: Vec<&str> = transcript.requests.iter().map(|request| request.id.as_str()).collect();
    assert_eq!(ids[..3], ["msg_1", "msg_t", "msg_2"]);
    assert_eq!(transcript.requests.iter().map(|request| request.segment).collect::<Vec<_>>(), [0, 1, 0, 2]);
    assert_eq!(transcript.requests[2].upto, 3);
    assert_eq!(transcript.requests[2].usage.as_ref().map(|usage| (usage.input, usage.output)), Some((30, 7)));
    assert_eq!(transcript.requests[0].request_id.as_deref(), Some("req_1"));
    assert_eq!(transcript.segments[1].cause, Cause::Replaced);
    assert_eq!(transcript.segments[2].messages, [0], "a call made again shares its messages");
    assert_eq!(transcript.messages.len(), 6);
    assert_eq!(found.account.without_context["count_tokens"], 1);
    assert_eq!(found.account.oddities[&retrace_transcript::Oddity::CallWithoutAnAnswer], 1);
    assert_eq!(transcript.requests[0].at.unwrap().to_rfc3339(), "2026-02-02T02:40:00.500000Z");
}

#[test]
fn a_codex_rollout_is_read_call_by_call() {
    let mut lines = codex_session();
    lines.extend([
        codex(
            "compacted",
            json!({"message": "", "replacement_history": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Look at a.rs"}]},
            {"type": "compaction", "encrypted_content": "yyyy"}]}),
        ),
        codex_message("user", "Go on"),
        codex_message("assistant", "On"),
        tokens(300, 60, 0),
        codex("event_msg", json!({"type": "thread_rolled_back", "num_turns": 1})),
        codex_message("user", "Go elsewhere"),
        codex_message("assistant", "There"),
    ]);
    let bytes = session(&lines);
    let found = reading(&bytes);
    let transcript = &found.transcripts[0];
    assert_eq!(transcript.format, Format::CodexRollout);
    assert_eq!(shape(transcript), [(3, Some(3)), (5, Some(5)), (3, Some(10)), (3, Some(12))]);
    let usage = transcript.requests[0].usage.as_ref().unwrap();
    assert_eq!((usage.input, usage.cache_read, usage.output, usage.reasoning), (60, 40, 5, Some(2)));
    assert_eq!(transcript.requests[1].usage.as_ref().unwrap().context(), 130);
    assert_eq!(transcript.requests[0].model.as_deref(), Some("gpt-5.5"));
    assert_eq!(transcript.preambles[0].system, ["You are an agent."]);
    assert_eq!(transcript.session.context_window, Some(258_400));
    assert!(matches!(&transcript.segments[1].cause, Cause::Compacted(c) if c.summary == Some(8)));
    assert_eq!(transcript.segments[2].cause, Cause::Rewound);
    let roles: Vec<Role> = transcript.messages[..3].iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::System, Role::User, Role::User]);
    assert_eq!(transcript.messages[1].origin, Origin::Client);
    assert!(matches!(&transcript.messages[3].blocks[1].kind,
        BlockKind::ToolUse { input, .. } if input["cmd"] == "cat a.rs"));
    assert!(found.account.unknown.is_empty());

    let mut summariser = Summariser::new();
    bytes.chunks(7).for_each(|chunk| summariser.feed(chunk));
    let summary = summariser.summary();
    assert_eq!(
        (summary.format, summary.requests, summary.peak_context),
        (Some(Format::CodexRollout), 4, 130)
    );
    assert_eq!(summary.memory_writes[0].path, "/home/a/.codex/memories/notes.md");
    assert_eq!(summary.models["gpt-5.5"].tokens.context(), 290);
}

/// A message as Codex 0.169 labels its blocks.
fn labelled(role: &str, blocks: &[(&str, &str)]) -> Value {
    let content: Vec<Value> =
        blocks.iter().map(|(_, text)| json!({"type": "input_text", "text": text})).collect();
    let kinds: Vec<&str> = blocks.iter().map(|(kind, _)| *kind).collect();
    json!({"type": "message", "role": role, "content": content,
        "internal_chat_message_metadata_passthrough": {"content_item_kinds": kinds}})
}

fn usage_record(id: &str, input: u64) -> Value {
    let usage = json!({"input_tokens": input, "cached_input_tokens": 40, "cache_write_input_tokens": 10,
        "output_tokens": 5, "reasoning_output_tokens": 2});
    codex("token_usage_record", json!({"response_id": id, "usage": usage}))
}

#[test]
fn a_codex_rollout_of_today_is_read() {
    let agents = "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nTabs.\n</INSTRUCTIONS>";
    let memory =
        "Below `/h/.codex/memories_v2/x/`.\n== MEMORY_SUMMARY BEGINS ==\nv1\n== MEMORY_SUMMARY ENDS ==";
    let lines = [
        codex(
            "session_meta",
            json!({"id": "0b", "session_id": "0a", "parent_thread_id": "0a", "cwd": "/w", "cli_version": "0.169.0",
                "source": {"subagent": {"thread_spawn": {"parent_thread_id": "0a", "depth": 1}}},
                "base_instructions": {"text": "Base."}}),
        ),
        codex(
            "response_item",
            json!({"type": "additional_tools", "role": "developer", "tools": [
                {"type": "namespace", "name": "functions", "tools": [{"type": "custom", "name": "exec"}]},
                {"type": "function", "name": "wait"}]}),
        ),
        codex("response_item", labelled("developer", &[("model.base_instructions", "Base.")])),
        codex(
            "response_item",
            labelled("developer", &[("memories.instructions", memory), ("permissions.instructions", "All.")]),
        ),
        codex("response_item", labelled("user", &[("agents_md.instructions", agents)])),
        codex(
            "world_state",
            json!({"full": true, "state": {"agents_md": {"directory": "/w", "text": "Tabs."}}}),
        ),
        codex("turn_context", json!({"model": "gpt-6.1-terra"})),
        codex("response_item", labelled("user", &[("user.text", "# AGENTS.md instructions: write them")])),
        codex(
            "response_item",
            json!({"type": "custom_tool_call", "name": "exec", "call_id": "c1", "input": "await 1"}),
        ),
        usage_record("resp_1", 100),
        codex(
            "event_msg",
            json!({"type": "item_completed", "item": {"type": "FileChange", "id": "exec-9",
            "status": "completed", "changes": {"/h/.codex/memories_v2/a.md": {"type": "add", "content": "x"}}}}),
        ),
        codex("response_item", json!({"type": "custom_tool_call_output", "call_id": "c1", "output": "ok"})),
        tokens(105, 100, 40),
        codex_message("assistant", "Compacting"),
        usage_record("resp_2", 130),
        codex(
            "compacted",
            json!({"message": "In short.", "replacement_history": [
            labelled("user", &[("user.text", "Write")]), labelled("user", &[("compaction.summary", "In short.")])]}),
        ),
        usage_record("resp_3", 90),
        codex_message("assistant", "Done"),
        usage_record("resp_3", 95),
    ];
    let bytes = session(&lines);
    let found = reading(&bytes);
    let transcript = &found.transcripts[0];
    assert!(found.account.unknown.is_empty() && found.account.oddities.is_empty(), "{:?}", found.account);
    assert_eq!(
        (transcript.session.id.as_deref(), transcript.session.agent.as_deref()),
        (Some("0a"), Some("0b"))
    );
    let ids: Vec<&str> = transcript.requests.iter().map(|request| request.id.as_str()).collect();
    assert_eq!(ids, ["resp_1", "resp_2", "resp_3", "request-3"]);
    assert_eq!(shape(transcript), [(4, Some(4)), (6, Some(6)), (2, None), (2, Some(9))]);
    let usage = transcript.requests[0].usage.as_ref().unwrap();
    assert_eq!((usage.input, usage.cache_read, usage.cache_creation, usage.context()), (50, 40, 10, 100));
    // The base instructions stand among the messages, the tools before them.
    let preamble = &transcript.preambles[transcript.requests[0].preamble.unwrap()];
    assert!(preamble.system.is_empty());
    let names: Vec<&str> = preamble.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["functions.exec", "wait"]);
    let origins: Vec<Origin> = transcript.messages.iter().map(|message| message.origin).collect();
    assert_eq!(origins[..4], [Origin::Client, Origin::Client, Origin::Client, Origin::Typed]);
    let files: Vec<(&str, &str)> = transcript.messages[..4]
        .iter()
        .flat_map(|message| &message.blocks)
        .filter_map(|block| match &block.kind {
            BlockKind::Attachment { files, .. } => Some(files),
            _ => None,
        })
        .flatten()
        .map(|file| (file.path.as_str(), file.content.as_str()))
        .collect();
    assert_eq!(files, [("/h/.codex/memories_v2/memory_summary.md", "v1"), ("/w/AGENTS.md", "Tabs.")]);
    assert!(matches!(&transcript.segments[1].cause, Cause::Compacted(c) if c.summary == Some(8)));
    assert_eq!(transcript.done.len(), 1);
    assert_eq!(transcript.done[0].call, "c1");
    let mut summariser = Summariser::new();
    summariser.feed(&bytes);
    let summary = summariser.summary();
    assert_eq!((summary.requests, summary.peak_context), (4, 130));
    assert_eq!(summary.memory_writes[0].path, "/h/.codex/memories_v2/a.md");
    assert_eq!(summary.session.id.as_deref(), Some("0a"));
}

/// Codex 0.169 tells the end of an aborted command after its answer, and after the end of the turn.
#[test]
fn the_end_of_an_aborted_call_of_codex_belongs_to_it() {
    let call = |id: &str| {
        codex(
            "response_item",
            json!({"type": "function_call", "name": "exec_command", "call_id": id, "arguments": "{\"cmd\":\"sleep 1\"}"}),
        )
    };
    let output = |id: &str| {
        codex("response_item", json!({"type": "function_call_output", "call_id": id, "output": "aborted"}))
    };
    let ended = |id: &str| {
        codex(
            "event_msg",
            json!({"type": "item_completed", "item": {"type": "CommandExecution", "id": id,
                "command": ["/bin/bash", "-lc", "sleep 1"], "status": "failed"}}),
        )
    };
    let lines = [
        codex("session_meta", json!({"id": "0a", "cwd": "/w", "cli_version": "0.169.0"})),
        codex_message("user", "Go"),
        call("c1"),
        call("c2"),
        output("c1"),
        ended("c1"),
        output("c2"),
        codex("event_msg", json!({"type": "turn_aborted"})),
        // An item of code has an id of its own.
        ended("exec-7"),
        ended("c1"),
    ];
    let found = reading(&session(&lines));
    assert!(found.account.oddities.is_empty(), "{:?}", found.account);
    let calls: Vec<&str> = found.transcripts[0].done.iter().map(|done| done.call.as_str()).collect();
    assert_eq!(calls, ["c1", "c2", "c1"]);
}

/// As Codex 0.169 writes the rollout of an agent that was spawned with all turns of the one above.
#[test]
fn a_call_of_codex_that_failed_is_an_error() {
    let call = |id: &str, name: &str, arguments: Value| json!({"type": "response_item", "payload": {"type": "function_call", "call_id": id, "name": name, "arguments": arguments.to_string()}});
    let answer = |id: &str, output: Value| json!({"type": "response_item", "payload": {"type": "function_call_output", "call_id": id, "output": output}});
    let event = |payload: Value| json!({"type": "event_msg", "payload": payload});
    let run = |id: &str| call(id, "exec_command", json!({"cmd": "make lint"}));
    let exited = |code: i32| {
        json!(format!("Chunk ID: 1\nWall time: 1 seconds\nProcess exited with code {code}\nOutput:\n"))
    };
    let runs = json!("Chunk ID: 2\nWall time: 1 seconds\nProcess running with session ID 86246\nOutput:\n");
    let on = |id: &str| call(id, "write_stdin", json!({"session_id": 86246, "chars": ""}));
    let ended = json!({"type": "item_completed", "item": {"type": "CommandExecution", "id": "a", "status": "failed",
        "command": ["/bin/bash", "-lc", "make lint"], "exit_code": 2}});
    for (name, lines, failed) in [
        ("it says so", vec![run("a"), answer("a", exited(2))], vec!["a"]),
        ("it says that it did not", vec![run("a"), answer("a", exited(0))], vec![]),
        ("as an object", vec![run("a"), answer("a", json!({"content": "no", "success": false}))], vec!["a"]),
        (
            "as JSON",
            vec![run("a"), answer("a", json!("{\"output\":\"\",\"metadata\":{\"exit_code\":1}}"))],
            vec!["a"],
        ),
        (
            "a patch",
            vec![
                call("a", "apply_patch", json!({})),
                answer("a", json!("apply_patch verification failed: x")),
            ],
            vec!["a"],
        ),
        (
            "a later call",
            vec![run("a"), answer("a", runs.clone()), on("b"), answer("b", exited(1))],
            vec!["a", "b"],
        ),
        (
            "a later call that goes well",
            vec![run("a"), answer("a", runs.clone()), on("b"), answer("b", exited(0))],
            vec![],
        ),
        ("an item behind the answer", vec![run("a"), answer("a", runs), event(ended)], vec!["a"]),
        (
            "the end of a command",
            vec![
                run("a"),
                event(json!({"type": "exec_command_end", "call_id": "a", "exit_code": -1})),
                answer("a", json!("x")),
            ],
            vec!["a"],
        ),
        (
            "the end of a patch",
            vec![
                run("a"),
                event(json!({"type": "patch_apply_end", "call_id": "a", "success": false})),
                answer("a", json!("x")),
            ],
            vec!["a"],
        ),
        ("nothing says so", vec![run("a"), answer("a", json!("Plan updated"))], vec![]),
    ] {
        let mut all = codex_session()[..1].to_vec();
        all.extend(lines);
        let transcript = reading(&session(&all)).transcripts.remove(0);
        let blocks = transcript.messages.iter().flat_map(|message| &message.blocks);
        let errors: Vec<&str> = blocks
            .filter_map(|block| match &block.kind {
                BlockKind::ToolResult { tool_use_id, is_error: true, .. } => Some(tool_use_id.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(errors, failed, "{name}");
    }
}

#[test]
fn a_codex_agent_inherits_messages_and_no_calls() {
    let call =
        |id: &str| json!({"type": "custom_tool_call", "name": "exec", "call_id": id, "input": "await 1"});
    let output = |id: &str| json!({"type": "custom_tool_call_output", "call_id": id, "output": "ok"});
    let told = |kind: &str, part: Value| {
        let text = format!("Message Type: {kind}\nPayload:\n");
        codex(
            "response_item",
            json!({"type": "agent_message", "author": "/root", "recipient": "/root/t",
                "content": [{"type": "input_text", "text": text}, part]}),
        )
    };
    let source = json!({"subagent": {"thread_spawn": {"parent_thread_id": "0a", "depth": 1}}});
    let mut lines = vec![
        codex(
            "session_meta",
            json!({"id": "0b", "session_id": "0a", "forked_from_id": "0a", "source": source}),
        ),
        codex("session_meta", json!({"id": "0a", "session_id": "0a", "source": "exec"})),
        codex("world_state", json!({"full": true})),
        codex("response_item", labelled("user", &[("user.text", "Go")])),
        codex("response_item", call("c1")),
        codex("response_item", call("c2")),
        codex("response_item", output("c1")),
        codex("response_item", output("c2")),
        codex_message("assistant", "Said above"),
        codex("event_msg", json!({"type": "thread_settings_applied", "thread_id": "0b"})),
        codex("inter_agent_communication_metadata", json!({"trigger_turn": true})),
        told("NEW_TASK", json!({"type": "encrypted_content", "encrypted_content": "AAAA"})),
        codex("response_item", call("c3")),
        // The answer of another agent comes in the middle of a response.
        told("FINAL_ANSWER", json!({"type": "input_text", "text": "Done"})),
        codex_message("assistant", "Said here"),
        usage_record("resp_1", 100),
    ];
    let found = reading(&session(&lines));
    let transcript = &found.transcripts[0];
    assert!(found.account.unknown.is_empty() && found.account.oddities.is_empty(), "{:?}", found.account);
    let ids: Vec<&str> = transcript.requests.iter().map(|request| request.id.as_str()).collect();
    assert_eq!(ids, ["resp_1"]);
    assert_eq!(shape(transcript), [(6, Some(6))]);
    let roles: Vec<(Role, Origin)> =
        transcript.messages.iter().map(|message| (message.role, message.origin)).collect();
    assert_eq!(
        roles,
        [
            (Role::User, Origin::Typed),
            (Role::Assistant, Origin::Model),
            (Role::User, Origin::ToolResults),
            (Role::User, Origin::ToolResults),
            (Role::Assistant, Origin::Model),
            (Role::User, Origin::Client),
            (Role::Assistant, Origin::Model),
            (Role::User, Origin::Client),
        ]
    );
    assert!(matches!(
        transcript.messages[5].blocks[1].kind,
        BlockKind::Thinking { signature_bytes: 4, redacted: true, .. }
    ));
    // Stopped before it began.
    lines.truncate(9);
    assert_eq!(shape(&reading(&session(&lines)).transcripts[0]), []);
    // Older files do not say where their own begins.
    lines.remove(2);
    assert_eq!(shape(&reading(&session(&lines)).transcripts[0]).len(), 2);
}

#[test]
fn the_tags_around_an_image_are_no_title() {
    let part = |text: &str| json!({"type": "input_text", "text": text});
    let image = json!({"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="});
    let opening = "<image name=[Image #1] path=\"/w/i.png\">";
    let content = json!([part(opening), image, part("</image>"), part("Look here")]);
    let lines = [
        codex("session_meta", json!({"id": "0a", "cwd": "/w"})),
        codex("response_item", json!({"type": "message", "role": "user", "content": content})),
        codex_message("assistant", "Yes"),
    ];
    let title = |lines: &[Value]| reading(&session(lines)).transcripts[0].session.title.clone();
    assert_eq!(title(&lines).as_deref(), Some("Look here"));
    // A person may write one.
    let typed = [lines[0].clone(), codex_message("user", opening), lines[2].clone()];
    assert_eq!(title(&typed).as_deref(), Some(opening));
}

#[test]
fn a_gemini_chat_is_read() {
    let bytes = session(&gemini_chat());
    let found = reading(&bytes);
    let transcript = &found.transcripts[0];
    assert!(found.account.unknown.is_empty() && found.account.oddities.is_empty(), "{:?}", found.account);
    assert_eq!(transcript.format, Format::GeminiChat);
    assert_eq!(shape(transcript), [(2, Some(2)), (4, Some(4)), (6, Some(7))]);
    let ids: Vec<&str> = transcript.requests.iter().map(|request| request.id.as_str()).collect();
    assert_eq!(ids, ["m2", "m4", "m7"]);
    let usage = transcript.requests[0].usage.as_ref().unwrap();
    assert_eq!((usage.input, usage.cache_read, usage.output, usage.reasoning), (61, 40, 8, Some(3)));
    assert_eq!(transcript.session.project.as_deref(), Some("/w"));
    assert_eq!(transcript.session.title.as_deref(), Some("Remember the port"));
    // A resume tells the same messages again; the one of the client is another one.
    assert_eq!(transcript.segments.len(), 2);
    assert_eq!(transcript.segments[1].messages, [5, 1, 2, 3, 4, 6, 7]);
    assert_eq!(transcript.segments[1].cause, Cause::Replaced);
    assert!(matches!(&transcript.messages[0].blocks[0].kind,
        BlockKind::Attachment { files, .. } if files[0].path == "/w/GEMINI.md" && files[0].content == "Tabs."));
    assert_eq!(transcript.messages[0].origin, Origin::Client);
    assert_eq!(transcript.messages[3].origin, Origin::ToolResults);
    let failed = |block: usize| matches!(&transcript.messages[3].blocks[block].kind, BlockKind::ToolResult { is_error, .. } if *is_error);
    assert_eq!([failed(0), failed(1), failed(2)], [false, false, true]);
    let done: Vec<(&str, Option<bool>)> =
        transcript.done.iter().map(|done| (done.call.as_str(), done.succeeded)).collect();
    assert_eq!(done, [("c1", Some(true)), ("c2", Some(false))]);
    // As one document, with the last list of messages.
    let document =
        json!({"sessionId": "g1", "projectHash": "h", "messages": gemini_chat()[9]["$set"]["messages"]});
    let whole = serde_json::to_vec_pretty(&document).unwrap();
    assert_eq!(shape(&reading(&whole).transcripts[0]), [(2, Some(2)), (4, Some(4))]);
}

/// As Gemini CLI 0.61.0 writes it: the header, the client's first message, then all of them.
#[test]
fn a_resumed_gemini_chat_is_no_way_back() {
    let header = json!({"sessionId": "g1", "projectHash": "h", "startTime": "2026-11-20T10:00:00.000Z"});
    let said = |id: &str, text: &str| json!({"id": id, "timestamp": "2026-11-20T10:00:01.000Z", "type": "user", "content": [{"text": text}]});
    let answered = |id: &str| {
        json!({"id": id, "timestamp": "2026-11-20T10:00:02.000Z", "type": "gemini", "content": "Yes.",
        "tokens": {"input": 10, "output": 5}, "model": "gemini-3"})
    };
    let first = said("m0", "Where you are.");
    let begins = json!({"$set": {"messages": [first]}});
    let lines = [
        header.clone(),
        begins.clone(),
        said("m1", "Go."),
        answered("m2"),
        header,
        begins.clone(),
        json!({"$set": {"messages": [first, said("m1", "Go."), answered("m2")]}}),
        said("m3", "On."),
        answered("m4"),
    ];
    let transcript = reading(&session(&lines)).transcripts.remove(0);
    assert!(
        transcript.segments.iter().all(|segment| segment.cause != Cause::Rewound),
        "{:?}",
        transcript.segments
    );
    let last = transcript.requests.last().unwrap();
    assert_eq!(transcript.sent(last).count(), 4);
    // A person who goes back does so in the middle of a run.
    let back = [lines[..4].to_vec(), vec![begins, said("m5", "Else."), answered("m6")]].concat();
    let transcript = reading(&session(&back)).transcripts.remove(0);
    assert!(transcript.segments.iter().any(|segment| segment.cause == Cause::Rewound));
}

#[test]
fn a_compressed_history_of_gemini_is_a_compaction() {
    let user = |id: &str, text: &str| json!({"id": id, "timestamp": "2026-11-20T10:00:00.000Z", "type": "user", "content": [{"text": text}]});
    let answer = |id: &str, text: &str| {
        json!({"id": id, "timestamp": "2026-11-20T10:00:01.000Z", "type": "gemini", "content": text,
            "tokens": {"input": 10, "output": 5}, "model": "gemini-3"})
    };
    let thanks = json!({"id": "t", "timestamp": "2026-11-20T10:00:02.000Z", "type": "gemini",
        "content": "Got it. Thanks for the additional context!"});
    let set = |messages: &[serde_json::Value]| json!({"$set": {"messages": messages}});
    let compressed = [user("s", "The summary."), thanks];
    let lines = [
        json!({"sessionId": "g1", "projectHash": "h", "startTime": "2026-11-20T10:00:00.000Z", "kind": "main"}),
        user("m1", "Look."),
        answer("m2", "I looked."),
        set(&compressed),
        user("m3", "Go on."),
        answer("m4", "Done."),
        // A resume tells it again.
        set(&[user("c", "Context.")]),
        set(&[&[user("c", "Context.")][..], &compressed, &[user("m3", "Go on."), answer("m4", "Done.")]]
            .concat()),
    ];
    let found = reading(&session(&lines));
    let transcript = &found.transcripts[0];
    let ids: Vec<&str> = transcript.requests.iter().map(|request| request.id.as_str()).collect();
    assert_eq!(ids, ["m2", "m4"]);
    let compactions: Vec<_> = transcript
        .segments
        .iter()
        .filter_map(|segment| match &segment.cause {
            Cause::Compacted(compaction) => Some((compaction.summary, segment.messages.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(compactions, [(Some(2), vec![2, 3, 4, 5])]);
    let origins: Vec<Origin> = transcript.messages[2..4].iter().map(|message| message.origin).collect();
    assert_eq!(origins, [Origin::Summary, Origin::Client]);
    assert_eq!(transcript.requests[1].segment, 1);
    // What the client keeps of the history comes under new ids and without tokens: no call gave it.
    let mut kept = answer("k", "I looked.");
    kept.as_object_mut().unwrap().remove("tokens");
    let rewritten = [&compressed[..], &[user("u", "Look."), kept]].concat();
    let lines = [&lines[..3], &[set(&rewritten), user("m3", "Go on."), answer("m4", "Done.")]].concat();
    let transcript = reading(&session(&lines)).transcripts.remove(0);
    let ids: Vec<&str> = transcript.requests.iter().map(|request| request.id.as_str()).collect();
    assert_eq!(ids, ["m2", "m4"]);
    assert_eq!(transcript.sent(&transcript.requests[1]).count(), 5);
}

#[test]
fn an_opencode_session_is_read() {
    let bytes = session(&opencode_session());
    let found = reading(&bytes);
    let transcript = &found.transcripts[0];
    assert!(found.account.unknown.is_empty() && found.account.oddities.is_empty(), "{:?}", found.account);
    assert_eq!(transcript.format, Format::Opencode);
    assert_eq!(shape(transcript), [(1, Some(1)), (3, Some(3)), (5, Some(5)), (6, Some(6))]);
    let ids: Vec<&str> = transcript.requests.iter().map(|request| request.id.as_str()).collect();
    assert_eq!(ids, ["msg_2", "msg_2/1", "msg_3", "msg_4"]);
    let usage = transcript.requests[0].usage.as_ref().unwrap();
    assert_eq!((usage.input, usage.cache_creation, usage.cache_read, usage.output), (100, 10, 40, 8));
    assert_eq!(transcript.requests[2].usage.as_ref().unwrap().context(), 12);
    assert_eq!(transcript.requests[0].parameters["cost_usd"], 0.5);
    let facts = &transcript.session;
    assert_eq!((facts.id.as_deref(), facts.agent.as_deref()), (Some("ses_1"), None));
    assert_eq!((facts.title.as_deref(), facts.project.as_deref()), (Some("A port"), Some("/w")));
    assert_eq!(
        (facts.client_version.as_deref(), facts.client_cost),
        (Some("1.18.33"), retrace_transcript::MicroDollars::of(1.25))
    );
    let results = |message: usize| transcript.messages[message].blocks.len();
    assert_eq!((results(2), results(4)), (2, 1));
    assert_eq!(transcript.done.len(), 1);
    assert_eq!((transcript.done[0].call.as_str(), transcript.done[0].succeeded), ("t2", Some(false)));
    let mut summariser = Summariser::new();
    summariser.feed(&bytes);
    assert_eq!(summariser.summary().memory_writes[0].path, "/w/memory/a.md");
    // As it is exported.
    let lines = opencode_session();
    let mut document = lines[0].clone();
    document["info"]["parentID"] = "ses_0".into();
    document["messages"] = lines[1..].into();
    let whole = serde_json::to_vec_pretty(&document).unwrap();
    let exported = &reading(&whole).transcripts[0];
    assert_eq!(shape(exported), shape(transcript));
    assert_eq!(
        (exported.session.id.as_deref(), exported.session.agent.as_deref()),
        (Some("ses_0"), Some("ses_1"))
    );
}

/// Texts before the model at a request.
fn sent_texts(transcript: &Transcript, request: usize) -> Vec<String> {
    let sent = transcript.sent(&transcript.requests[request]);
    sent.flat_map(|(_, message)| &message.blocks)
        .filter_map(|block| match &block.kind {
            BlockKind::Text { text } => Some(text.clone()),
            BlockKind::ToolUse { id, .. } => Some(id.clone()),
            BlockKind::ToolResult { content, .. } => match content.first() {
                Some(ResultPart::Text(text)) => Some(text.chars().take(2012).collect()),
                _ => None,
            },
            _ => None,
        })
        .collect()
}

#[test]
fn a_compaction_of_opencode_leaves_a_summary_and_what_was_kept() {
    let time = |at: u64| json!({"created": 1_795_443_632_000_u64 + at});
    let user = |at: u64, id: &str, part: Value| json!({"info": {"id": id, "role": "user", "time": time(at)}, "parts": [part]});
    let says = |text: &str| json!({"type": "text", "text": text});
    let answer = |at: u64, id: &str, parent: &str, more: Value, parts: Vec<Value>| {
        let tokens = json!({"input": at, "output": 4, "reasoning": 0, "cache": {"read": 0, "write": 0}});
        let mut info = json!({"id": id, "role": "assistant", "parentID": parent, "modelID": "claude-sonnet-4-5",
            "time": time(at), "tokens": tokens, "finish": "stop"});
        more.as_object().unwrap().iter().for_each(|(name, value)| info[name] = value.clone());
        json!({"info": info, "parts": parts})
    };
    let long = "é".repeat(3000);
    let tool = |id: &str, output: &str| {
        json!({"type": "tool", "tool": "read", "callID": id,
            "state": {"status": "completed", "input": {}, "output": output, "time": {"compacted": null}}})
    };
    let asks = |tail: Value| json!({"type": "compaction", "auto": true, "tail_start_id": tail});
    let summary = json!({"summary": true});
    let mut lines = vec![
        opencode_session()[0].clone(),
        user(1, "u1", says("one")),
        answer(2, "a1", "u1", json!({}), vec![tool("t1", &long)]),
        // One that failed is not sent again.
        answer(3, "a2", "u1", json!({"error": {"name": "APIError"}}), vec![says("half")]),
        answer(4, "a3", "u1", json!({}), vec![says("first")]),
        user(5, "u2", says("two")),
        answer(6, "a4", "u2", json!({}), vec![says("second")]),
        user(7, "c1", asks(json!("u2"))),
        answer(8, "s1", "c1", summary.clone(), vec![says("summary 1")]),
        user(9, "u3", says("three")),
        answer(10, "a5", "u3", json!({}), vec![tool("t2", "short")]),
        answer(11, "a6", "u3", json!({}), vec![says("third")]),
    ];
    let found = reading(&session(&lines));
    let transcript = &found.transcripts[0];
    assert!(found.account.unknown.is_empty(), "{:?}", found.account.unknown);
    let ids: Vec<&str> = transcript.requests.iter().map(|request| request.id.as_str()).collect();
    assert_eq!(ids, ["a1", "a2", "a3", "a4", "s1", "a5", "a6"]);
    assert_eq!(sent_texts(transcript, 2), ["one", "t1", &long[..2012 * 2]]);
    let cut = format!("{}\n[truncated]", &long[..2000 * 2]);
    assert_eq!(sent_texts(transcript, 4), ["one", "t1", &cut, "first"]);
    let question = "What did we do so far?";
    let after = ["two", "second", "three"];
    assert_eq!(sent_texts(transcript, 5), [&[question, "summary 1"][..], &after].concat());
    assert_eq!(sent_texts(transcript, 6), [&[question, "summary 1"][..], &after, &["t2", "short"]].concat());
    let compactions = |transcript: &Transcript| {
        let of = |segment: &retrace_transcript::Segment| match &segment.cause {
            Cause::Compacted(compaction) => {
                Some((compaction.trigger.clone().unwrap(), compaction.summary.unwrap()))
            }
            _ => None,
        };
        transcript.segments.iter().filter_map(of).collect::<Vec<_>>()
    };
    let made = compactions(transcript);
    assert_eq!((made.len(), made[0].0.as_str()), (1, "auto"));
    assert_eq!(transcript.messages[made[0].1].origin, Origin::Summary);
    // A second one, which sums up the first one's summary, and one that failed.
    lines.extend([
        user(12, "c2", asks(Value::Null)),
        answer(13, "s2", "c2", json!({"summary": true, "error": {"name": "APIError"}}), vec![says("no")]),
        user(14, "c3", asks(Value::Null)),
        answer(15, "s3", "c3", summary, vec![says("summary 3")]),
        user(16, "u4", says("four")),
        answer(17, "a7", "u4", json!({}), vec![says("fourth")]),
    ]);
    let transcript = &reading(&session(&lines)).transcripts[0];
    let before = [&["summary 1"][..], &after, &["t2", "short", "third"]].concat();
    assert_eq!(sent_texts(transcript, 7), before);
    assert_eq!(sent_texts(transcript, 8), [&before[..], &[question]].concat());
    assert_eq!(sent_texts(transcript, 9), [question, "summary 3", "four"]);
    assert_eq!(compactions(transcript).len(), 2);
    // A result that the client took out is gone from the first request after that.
    lines[10]["parts"][0]["state"]["time"]["compacted"] = json!(1_795_443_632_011_u64);
    let transcript = &reading(&session(&lines)).transcripts[0];
    let dropped = |request: usize| {
        let segment = &transcript.segments[transcript.requests[request].segment];
        segment.dropped_results.iter().cloned().collect::<Vec<_>>()
    };
    assert_eq!((dropped(5), dropped(6)), (vec![], vec!["t2".to_owned()]));
}

#[test]
fn a_result_of_gemini_with_the_id_of_its_answer_is_no_other_answer() {
    // As a resume of 0.61.0 writes it: each result once more, under the id of the answer that called.
    let call = json!([{"functionCall": {"id": "c1", "name": "read_file", "args": {}}}]);
    let result =
        json!([{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "words"}}}]);
    let tokens = json!({"input": 9, "output": 1, "cached": 0});
    let user = |id: &str, content: &Value| json!({"id": id, "type": "user", "content": content});
    let answer =
        |id: &str, content: &Value| json!({"id": id, "type": "gemini", "content": content, "tokens": tokens});
    let first = [
        user("u1", &json!("Begin")),
        answer("a1", &call),
        user("r1", &result),
        answer("a2", &json!("Done.")),
    ];
    let listed = [
        user("u1", &json!("Begin")),
        answer("a1", &call),
        user("a1", &result),
        user("r1", &result),
        answer("a2", &json!("Done.")),
    ];
    let header = json!({"sessionId": "s", "projectHash": "h", "startTime": "2026-11-27T18:00:00.000Z", "kind": "main"});
    let mut lines = vec![header];
    lines.extend(first);
    lines.extend([json!({"$set": {"sessionId": "s"}}), json!({"$set": {"messages": listed}})]);
    lines.extend([user("u2", &json!("Go on")), answer("a3", &json!("Once more.")), answer("a1", &call)]);
    let transcript = &reading(&session(&lines)).transcripts[0];
    let ids: Vec<&str> = transcript.requests.iter().map(|request| request.id.as_str()).collect();
    assert_eq!(ids, ["a1", "a2", "a3"]);
    assert_eq!(sent_texts(transcript, 2), ["Begin", "c1", "words", "words", "Done.", "Go on"]);
    // The answer itself is the same message as before.
    let calls = transcript.messages.iter().flat_map(|message| &message.blocks);
    assert_eq!(calls.filter(|block| matches!(block.kind, BlockKind::ToolUse { .. })).count(), 1);
}

#[test]
fn a_rewind_of_gemini_takes_messages_away() {
    let mut lines = gemini_chat();
    let known = lines.len();
    let gone = reading(&session(&lines)).transcripts[0].requests.len();
    lines.extend([
        json!({"$rewindTo": "m5"}),
        json!({"id": "m8", "type": "user", "content": "Another way"}),
        json!({"id": "m9", "type": "gemini", "content": "Done.", "tokens": {"input": 9, "output": 1, "cached": 0}}),
    ]);
    let found = reading(&session(&lines));
    assert!(found.account.unknown.is_empty(), "{:?}", found.account.unknown);
    let transcript = &found.transcripts[0];
    assert_eq!(transcript.requests.len(), gone + 1);
    assert_eq!(transcript.segments.last().unwrap().cause, Cause::Rewound);
    let texts = sent_texts(transcript, gone);
    assert!(
        texts.contains(&"Another way".to_owned()) && !texts.contains(&"And the host".to_owned()),
        "{texts:?}"
    );
    // To a message that is not there: nothing is left.
    lines[known] = json!({"$rewindTo": "elsewhere"});
    let transcript = &reading(&session(&lines)).transcripts[0];
    assert_eq!(sent_texts(transcript, gone), ["Another way"]);
}

#[test]
fn copilot_events_are_read() {
    let found = reading(&session(&copilot_session()));
    let transcript = &found.transcripts[0];
    assert_eq!(transcript.format, Format::CopilotEvents);
    assert_eq!(shape(transcript), [(1, Some(1)), (3, Some(3)), (2, Some(6))]);
    assert_eq!(transcript.requests[0].parameters, json!({"output_tokens": 17}));
    assert_eq!(transcript.requests[0].model.as_deref(), Some("claude-sonnet-4.6"));
    assert_eq!(transcript.preambles[0].system, ["You are an assistant."]);
    assert!(
        matches!(&transcript.messages[0].blocks[0].kind, BlockKind::Text { text } if text == "<now/>\nLook")
    );
    assert!(matches!(&transcript.segments[1].cause, Cause::Compacted(c) if c.tokens_before == Some(900)));
    assert_eq!(transcript.session.title.as_deref(), Some("Look"));
    assert_eq!(found.transcripts[1].session.agent.as_deref(), Some("t1"));
    assert!(found.account.unknown.is_empty());
}

#[test]
fn chat_completions_are_read() {
    let request = json!({"model": "gpt-5", "messages": chat_messages(), "temperature": 1,
        "tools": [{"type": "function", "function": {"name": "read"}}]});
    let transcript = main_of(&request);
    assert_eq!(transcript.format, Format::OpenAiChat);
    assert_eq!(shape(&transcript), [(2, Some(2)), (4, None)]);
    assert_eq!(transcript.messages[0].role, Role::System);
    assert_eq!(transcript.preambles[0].tools[0].name, "read");
    assert!(
        matches!(&transcript.messages[2].blocks[0].kind, BlockKind::ToolUse { input, .. } if input["p"] == "a")
    );
    assert!(matches!(&transcript.messages[3].blocks[0].kind,
        BlockKind::ToolResult { content, .. } if content == &[ResultPart::Text("words".into())]));
    let response = json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1_770_000_000, "model": "gpt-5-1",
        "choices": [{"message": {"role": "assistant", "content": "Done"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 50, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 20}}});
    assert_eq!(shape(&main_of(&response)), [(0, Some(0))]);
    let transcript = main_of(&json!({"request": request, "response": response}));
    assert_eq!(shape(&transcript), [(2, Some(2)), (4, Some(4))]);
    let usage = transcript.requests[1].usage.as_ref().unwrap();
    assert_eq!((usage.input, usage.cache_read, usage.output), (30, 20, 9));
    let plain = main_of(&json!({"messages": chat_messages()}));
    assert_eq!(shape(&plain), [(2, Some(2))]);
}

#[test]
fn responses_are_read() {
    let request = json!({"model": "gpt-5", "instructions": "Be brief.", "input": [
        {"role": "user", "content": "Look"}, {"type": "reasoning", "summary": [], "encrypted_content": "q"},
        {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "not json"},
        {"type": "function_call_output", "call_id": "c1", "output": "words"}]});
    let response = json!({"id": "resp_1", "object": "response", "status": "completed", "model": "gpt-5",
        "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done"}]},
            {"type": "web_search_call", "id": "w", "action": {"query": "x"}}, {"type": "from_the_future"}],
        "usage": {"input_tokens": 50, "input_tokens_details": {"cached_tokens": 20}, "output_tokens": 9,
            "output_tokens_details": {"reasoning_tokens": 4}}});
    let found =
        reading(json!({"request": {"body": request}, "response": {"body": response}}).to_string().as_bytes());
    let transcript = &found.transcripts[0];
    assert_eq!(transcript.format, Format::OpenAiResponses);
    assert_eq!(shape(transcript), [(1, Some(1)), (3, Some(3))]);
    assert_eq!(transcript.messages[1].blocks.len(), 2);
    assert!(matches!(&transcript.messages[1].blocks[1].kind,
        BlockKind::ToolUse { input, .. } if input == "not json"));
    let usage = transcript.requests[1].usage.as_ref().unwrap();
    assert_eq!((usage.context(), usage.cache_read, usage.reasoning), (50, 20, Some(4)));
    assert_eq!(found.account.unknown["item/from_the_future"], 1);
    assert_eq!(shape(&main_of(&json!({"model": "m", "input": "Hello"}))), [(1, None)]);
    assert_eq!(shape(&main_of(&response)), [(0, Some(0))]);
}
