//! The rules of Claude Code sessions, each on a small session.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::needless_pass_by_value)] // tests

use super::support;
use super::support::{answer, call, line, result, session, text, typed};
use retrace_transcript::{
    AppliedEdit, BlockKind, Cause, Message, Origin, Reading, ResultPart, Summariser, Transcript, read,
};
use serde_json::{Value, json};

fn reading(lines: &[Value]) -> Reading {
    let reading = read(&session(lines)).unwrap();
    for transcript in &reading.transcripts {
        assert_eq!(support::check(transcript), Vec::<String>::new());
    }
    reading
}

fn main_of(lines: &[Value]) -> Transcript {
    reading(lines).transcripts.remove(0)
}

/// Messages that request `number` sent, by uuid.
fn sent(transcript: &Transcript, number: usize) -> Vec<&str> {
    transcript.sent(&transcript.requests[number]).map(|(_, message)| uuid(message)).collect()
}

fn uuid(message: &Message) -> &str {
    message.uuid.as_deref().unwrap()
}

/// As 2.1.330 copies an answer behind a compaction into a fork.
#[test]
fn usage_that_is_all_zero_is_not_recorded() {
    let mut copied = answer("a1", "u1", "m1", text("Kept."), 100);
    copied["message"]["usage"] = json!({"input_tokens": 0, "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0, "output_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 5387, "ephemeral_1h_input_tokens": 7}});
    let lines = [typed("u1", None, "On"), copied, typed("u2", Some("a1"), "And?")];
    let transcript = main_of(&lines);
    assert_eq!(transcript.requests[0].usage, None);
    let mut summariser = Summariser::new();
    summariser.feed(&session(&lines));
    let summary = summariser.summary();
    let tokens = summary.models.values().map(|used| used.tokens.context()).sum::<u64>();
    assert_eq!((summary.peak_context, tokens), (0, 0));
}

#[test]
fn a_response_over_several_lines_is_one_message() {
    let mut second = answer("a2", "a1", "m1", call("t1"), 100);
    second["message"]["usage"]["output_tokens"] = json!(40);
    second["message"]["usage"]["cache_creation"] =
        json!({"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 10});
    second["message"]["stop_reason"] = json!("tool_use");
    second["message"]["context_management"] = json!({"applied_edits": [{"type": "clear_tool_uses_20250919",
        "cleared_tool_uses": 2, "cleared_input_tokens": 900}]});
    let transcript = main_of(&[
        typed("u1", None, "Look at a.rs"),
        answer("a1", "u1", "m1", text("I will."), 100),
        second,
        result("r1", "a2", "t1", "fn main() {}"),
        answer("a3", "r1", "m2", text("It is empty."), 180),
    ]);
    assert_eq!(transcript.requests.len(), 2);
    let first = &transcript.requests[0];
    assert_eq!((first.id.as_str(), first.request_id.as_deref()), ("m1", Some("req_m1")));
    let usage = first.usage.as_ref().unwrap();
    assert_eq!((usage.output, usage.cache_creation, usage.context()), (40, 30, 130));
    assert_eq!(first.stop_reason.as_deref(), Some("tool_use"));
    assert!(!first.output_is_final, "2.1.39 leaves a placeholder");
    let edit = AppliedEdit {
        edit: "clear_tool_uses_20250919".into(),
        cleared_tool_uses: Some(2),
        cleared_thinking_turns: None,
        cleared_input_tokens: 900,
    };
    assert_eq!(first.applied_edits, Some(vec![edit]));
    assert_eq!(transcript.requests[1].applied_edits, None);
    assert_eq!(transcript.messages[1].blocks.len(), 2);
    assert_eq!(transcript.messages[1].blocks[1].line, 3);
    assert_eq!(sent(&transcript, 0), ["u1"]);
    assert_eq!(sent(&transcript, 1), ["u1", "a1", "r1"]);
}

#[test]
fn the_plan_that_the_client_adds_to_a_call_is_distinguished_from_what_was_sent() {
    let input = json!({"plan": "1. Look. 2. Write.", "allowedPrompts": [], "planFilePath": "/p/plans/a.md"});
    let of = |version: &str, name: &str, input: &Value| {
        let call = json!({"type": "tool_use", "id": "t1", "name": name, "input": input});
        let mut line = answer("a1", "u1", "m1", call, 100);
        line["version"] = json!(version);
        let transcript = main_of(&[typed("u1", None, "Plan it"), line]);
        let kind = transcript.messages[1].blocks[0].kind.clone();
        let BlockKind::ToolUse { input, added, .. } = &kind else { panic!("a call") };
        assert!(input.get("plan").is_some());
        (added.clone(), kind.sent_input().unwrap().into_owned())
    };
    let sent = json!({"allowedPrompts": []});
    let both = vec!["plan".to_owned(), "planFilePath".to_owned()];
    assert_eq!(of("2.1.49", "ExitPlanMode", &input), (both.clone(), sent.clone()));
    assert_eq!(of("1.0.80", "ExitPlanMode", &input), (both, sent));
    // Before the plan was a file, the model wrote it into the call.
    let written = json!({"plan": "1. Look."});
    assert_eq!(of("1.0.80", "ExitPlanMode", &written), (vec![], written.clone()));
    assert_eq!(of("2.1.49", "Other", &written), (vec![], written));
}

#[test]
fn fast_mode_is_reported_by_every_reading() {
    let mut fast = answer("a1", "u1", "m1", text("Quick."), 100);
    fast["message"]["usage"]["speed"] = json!("fast");
    let mut standard = answer("a2", "a1", "m2", text("Slow."), 120);
    standard["message"]["usage"]["speed"] = json!("standard");
    let lines = [typed("u1", None, "go"), fast, standard, answer("a3", "a2", "m3", text("As ever."), 130)];
    let reading = reading(&lines);
    let reported: Vec<bool> =
        reading.transcripts[0].requests.iter().map(|it| it.usage.as_ref().unwrap().is_fast()).collect();
    assert_eq!(reported, [true, false, false]);
    let mut summariser = Summariser::new();
    summariser.feed(&session(&lines));
    let reported: Vec<bool> = summariser.summary().message_ids.iter().map(|used| used.fast).collect();
    assert_eq!(reported, [true, false, false]);
}

#[test]
fn parallel_calls_and_interleaved_results_are_no_rewind() {
    let transcript = main_of(&[
        typed("u1", None, "Look"),
        answer("a1", "u1", "m1", call("t1"), 100),
        result("r1", "a1", "t1", "one"),
        answer("a2", "a1", "m1", call("t2"), 100),
        result("r2", "a2", "t2", "two"),
        answer("a3", "r2", "m2", text("Done"), 160),
    ]);
    assert_eq!(transcript.segments.len(), 1);
    assert_eq!(sent(&transcript, 1), ["u1", "a1", "r1", "r2"]);
    assert_eq!(transcript.messages[1].blocks.len(), 2);
}

#[test]
fn progress_lines_hold_the_chain_together_and_nest_no_turns() {
    let nested = json!({"type": "agent_progress", "message": {"type": "assistant", "message": {"id": "inner",
        "content": [text("not mine")], "usage": {"input_tokens": 9}}}});
    let found = reading(&[
        line("progress", "p0", None, json!({"data": {"type": "hook_progress"}})),
        typed("u1", Some("p0"), "Go"),
        line("progress", "p1", Some("u1"), json!({"data": nested})),
        answer("a1", "p1", "m1", text("Gone"), 50),
        typed("u2", Some("a1"), "Again"),
        answer("a2", "u2", "m2", text("Gone again"), 60),
    ]);
    assert_eq!(found.account.without_context["progress"], 2);
    let transcript = &found.transcripts[0];
    assert_eq!(transcript.segments.len(), 1);
    assert_eq!(sent(transcript, 1), ["u1", "a1", "u2"]);
}

#[test]
fn a_rewind_copies_what_is_kept() {
    let transcript = main_of(&[
        typed("u1", None, "One"),
        answer("a1", "u1", "m1", text("1"), 50),
        typed("u2", Some("a1"), "Two"),
        answer("a2", "u2", "m2", text("2"), 60),
        typed("u3", Some("a1"), "Two, but better"),
        answer("a3", "u3", "m3", text("2!"), 61),
    ]);
    assert_eq!(transcript.segments.len(), 2);
    assert_eq!(transcript.segments[1].cause, Cause::Rewound);
    assert_eq!(sent(&transcript, 1), ["u1", "a1", "u2"]);
    assert_eq!(sent(&transcript, 2), ["u1", "a1", "u3"]);
}

#[test]
fn what_was_taken_back_before_it_was_asked_is_in_no_request() {
    let transcript = main_of(&[
        typed("u1", None, "One"),
        answer("a1", "u1", "m1", text("1"), 50),
        typed("u2", Some("a1"), "Tow"),
        typed("u3", Some("a1"), "Two"),
        answer("a3", "u3", "m3", text("2"), 61),
    ]);
    assert_eq!(transcript.segments.len(), 1);
    assert_eq!(transcript.messages.len(), 5);
    assert_eq!(sent(&transcript, 1), ["u1", "a1", "u3"]);
}

#[test]
fn two_sessions_in_one_file_keep_to_their_own() {
    let transcript = main_of(&[
        typed("u1", None, "One"),
        answer("a1", "u1", "m1", text("1"), 50),
        typed("x2", Some("a1"), "This way"),
        answer("x3", "x2", "mx1", text("x"), 60),
        typed("y2", Some("a1"), "That way"),
        answer("y3", "y2", "my1", text("y"), 61),
        typed("x4", Some("x3"), "On"),
        typed("y4", Some("y3"), "On"),
        answer("y5", "y4", "my2", text("y"), 71),
        answer("x5", "x4", "mx2", text("x"), 70),
    ]);
    assert_eq!(transcript.segments.len(), 2);
    assert_eq!(sent(&transcript, 3), ["u1", "a1", "y2", "y3", "y4"]);
    assert_eq!(sent(&transcript, 4), ["u1", "a1", "x2", "x3", "x4"]);
}

#[test]
fn a_compaction_begins_with_its_summary() {
    let boundary = |metadata: Value| {
        line(
            "system",
            "b1",
            None,
            json!({"subtype": "compact_boundary", "logicalParentUuid": "a2",
            "content": "Conversation compacted", "compactMetadata": metadata}),
        )
    };
    let summary = line(
        "user",
        "s1",
        Some("b1"),
        json!({"isCompactSummary": true, "isVisibleInTranscriptOnly": true,
        "message": {"role": "user", "content": "So far: two questions."}}),
    );
    let before = [
        typed("u1", None, "One"),
        answer("a1", "u1", "m1", text("1"), 50),
        typed("u2", Some("a1"), "Two"),
        answer("a2", "u2", "m2", text("2"), 60),
    ];
    let after = [typed("u3", Some("s1"), "Three"), answer("a3", "u3", "m3", text("3"), 30)];
    let with = |metadata: Value| {
        let mut lines = before.to_vec();
        lines.extend([boundary(metadata), summary.clone()]);
        lines.extend(after.to_vec());
        main_of(&lines)
    };
    let transcript = with(json!({"trigger": "auto", "preTokens": 155_301, "postTokens": 900}));
    let Cause::Compacted(compaction) = &transcript.segments[1].cause else { panic!("no compaction") };
    assert_eq!(compaction.trigger.as_deref(), Some("auto"));
    assert_eq!((compaction.tokens_before, compaction.tokens_after), (Some(155_301), Some(900)));
    assert_eq!((compaction.line, compaction.summary), (5, Some(4)));
    assert_eq!(transcript.messages[4].origin, Origin::Summary);
    assert_eq!(sent(&transcript, 2), ["s1", "u3"]);

    let kept = json!({"preservedSegment": {"headUuid": "u2", "anchorUuid": "s1", "tailUuid": "a2"}});
    assert_eq!(sent(&with(kept), 2), ["s1", "u2", "a2", "u3"]);
    let kept = json!({"preservedSegment": {"headUuid": "u1", "anchorUuid": "b1", "tailUuid": "a1"}});
    assert_eq!(sent(&with(kept), 2), ["u1", "a1", "s1", "u3"]);
    let kept = json!({"preservedMessages": {"anchorUuid": "s1", "uuids": ["a2", "gone"]}});
    assert_eq!(sent(&with(kept), 2), ["s1", "a2", "u3"]);
    let sdk = json!({"trigger": "manual", "pre_tokens": 7});
    let mut lines = before.to_vec();
    lines.push(line("system", "b1", None, json!({"subtype": "compact_boundary", "compact_metadata": sdk})));
    let transcript = main_of(&lines);
    assert!(matches!(&transcript.segments[1].cause, Cause::Compacted(c) if c.tokens_before == Some(7)));
}

#[test]
fn a_microcompaction_drops_results_in_place() {
    let transcript = main_of(&[
        typed("u1", None, "Look"),
        line(
            "attachment",
            "n1",
            Some("u1"),
            json!({"attachment": {"type": "nested_memory", "path": "/proj/app/CLAUDE.md",
            "content": {"type": "Project", "content": "Tabs."}}}),
        ),
        answer("a1", "n1", "m1", call("t1"), 100),
        result("r1", "a1", "t1", "long"),
        line(
            "system",
            "b1",
            Some("r1"),
            json!({"subtype": "microcompact_boundary", "microcompactMetadata":
            {"trigger": "auto", "preTokens": 78_208, "tokensSaved": 38_535, "compactedToolIds": ["t1"],
            "clearedAttachmentUUIDs": ["n1"]}}),
        ),
        answer("a2", "b1", "m2", text("Done"), 60),
    ]);
    let segment = &transcript.segments[1];
    assert_eq!(
        segment.cause,
        Cause::Microcompacted { tokens_before: Some(78_208), tokens_saved: Some(38_535) }
    );
    assert!(segment.dropped_results.contains("t1"));
    assert!(transcript.segments[0].dropped_results.is_empty());
    assert_eq!(sent(&transcript, 0), ["u1", "n1"]);
    assert_eq!(sent(&transcript, 1), ["u1", "a1", "r1"]);
}

#[test]
fn sidechains_are_transcripts_of_their_own() {
    let side = |mut line: Value| {
        line["isSidechain"] = json!(true);
        line
    };
    let lines = [
        typed("u1", None, "Ask an agent"),
        answer("a1", "u1", "m1", call("t1"), 100),
        side(typed("s1", None, "You are an agent")),
        side(answer("s2", "s1", "ms", text("Yes"), 20)),
        side(typed("q1", None, "You are another")),
        side(answer("s3", "s2", "ms2", text("Still"), 25)),
        result("r1", "a1", "t1", "It says yes"),
        answer("a2", "r1", "m2", text("Yes"), 120),
    ];
    let found = reading(&lines);
    assert_eq!(found.transcripts.len(), 3);
    assert_eq!(sent(&found.transcripts[0], 1), ["u1", "a1", "r1"]);
    assert_eq!(found.transcripts[1].session.agent.as_deref(), Some("s1"));
    assert_eq!(found.transcripts[1].requests.len(), 2);
    assert_eq!(found.transcripts[2].requests.len(), 0);
    let mut own = lines[2..4].to_vec();
    own.iter_mut().for_each(|line| line["agentId"] = json!("ab12"));
    let found = reading(&own);
    assert_eq!(found.transcripts.len(), 1);
    assert_eq!(found.transcripts[0].session.agent.as_deref(), Some("ab12"));
    assert_eq!(found.transcripts[0].session.title.as_deref(), Some("You are an agent"));
}

#[test]
fn what_the_client_writes_is_distinguished() {
    let mut synthetic = answer("y1", "c1", "m9", text("No response requested."), 50);
    synthetic["message"]["model"] = json!("<synthetic>");
    let mut failed = answer("y2", "y1", "m8", text("API Error"), 50);
    failed["message"]["model"] = json!("<synthetic>");
    failed["isApiErrorMessage"] = json!(true);
    let found = reading(&[
        line("custom-title", "", None, json!({"customTitle": "Mine"})),
        line("user", "c0", None, json!({"isMeta": true, "message": {"role": "user", "content": "Caveat"}})),
        typed("c1", Some("c0"), "<command-name>/exit</command-name>"),
        synthetic,
        failed,
        typed("u1", Some("y2"), "Go on"),
        answer("a1", "u1", "m1", text("On"), 70),
        line("queue-operation", "", None, json!({"operation": "enqueue"})),
        line("from-the-future", "f", Some("a1"), json!({})),
    ]);
    let transcript = &found.transcripts[0];
    assert_eq!(transcript.requests.len(), 1);
    assert_eq!(sent(transcript, 0), ["c0", "c1", "y1", "u1"]);
    let origins: Vec<Origin> = transcript.messages.iter().map(|message| message.origin).collect();
    use Origin::{Client, Model, Synthetic, Typed};
    assert_eq!(origins, [Client, Client, Synthetic, Synthetic, Typed, Model]);
    assert_eq!(transcript.session.title.as_deref(), Some("Mine"));
    assert_eq!(transcript.session.first_prompt.as_deref(), Some("Go on"));
    assert_eq!(found.account.unknown["from-the-future"], 1);
    assert_eq!(found.account.without_context["queue-operation"], 1);
}

#[test]
fn what_waited_and_was_given_to_the_model_is_the_persons() {
    let queue = |operation: &str, content: Option<&str>| {
        let mut queue = line("queue-operation", "", None, json!({"operation": operation}));
        if let Some(content) = content {
            queue["content"] = content.into();
        }
        queue
    };
    let transcript = main_of(&[
        typed("u1", None, "Build it"),
        answer("a1", "u1", "m1", call("t1"), 100),
        queue("enqueue", Some("use npm")),
        queue("enqueue", Some("<task-notification>x</task-notification>")),
        queue("enqueue", Some("and push it")),
        queue("enqueue", Some("no, wait")),
        queue("popAll", Some("no, wait")),
        result("r1", "a1", "t1", "ok"),
        queue("remove", None),
        answer("a2", "r1", "m2", text("Done."), 180),
        queue("dequeue", None),
        typed("u2", Some("a2"), "and push it"),
        answer("a3", "u2", "m3", text("Pushed."), 190),
    ]);
    let said: Vec<(u32, BlockKind)> = transcript
        .messages
        .iter()
        .filter(|message| message.origin == Origin::Typed)
        .map(|message| (message.line, message.blocks[0].kind.clone()))
        .collect();
    let words = |text: &str| BlockKind::Text { text: text.into() };
    assert_eq!(said, [(1, words("Build it")), (9, words("use npm")), (12, words("and push it"))]);
    assert_eq!(sent(&transcript, 1), ["u1", "a1", "r1"]);
}

#[test]
fn what_a_person_typed_while_the_agent_worked_is_theirs() {
    let queued = |uuid: &str, after: &str, mode: &str, prompt: &str| {
        let mut queued = line("attachment", uuid, Some(after), json!({}));
        queued["attachment"] = json!({"type": "queued_command", "commandMode": mode, "prompt": prompt});
        queued["rendered"] =
            json!([{"content": format!("<system-reminder>\nSaid meanwhile: {prompt}\n</system-reminder>")}]);
        queued
    };
    let transcript = main_of(&[
        typed("u1", None, "Build it"),
        answer("a1", "u1", "m1", call("t1"), 100),
        result("r1", "a1", "t1", "ok"),
        queued("q1", "r1", "prompt", "use npm"),
        queued("q2", "q1", "task-notification", "a task ended"),
        answer("a2", "q2", "m2", text("Done."), 180),
    ]);
    let said: Vec<(u32, BlockKind)> = transcript
        .messages
        .iter()
        .filter(|message| message.origin == Origin::Typed)
        .map(|message| (message.line, message.blocks[0].kind.clone()))
        .collect();
    let words = |text: &str| BlockKind::Text { text: text.into() };
    assert_eq!(said, [(1, words("Build it")), (4, words("use npm"))]);
    // What was sent is the client's message with the person's words in it.
    assert_eq!(sent(&transcript, 1), ["u1", "a1", "r1", "q1", "q2"]);
}

#[test]
fn results_and_images_are_what_the_model_saw() {
    let png = "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAUCAYAAAA=";
    let content = json!([{"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": [
        {"type": "text", "text": "<persisted-output>a stub</persisted-output>"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": png}}]}]);
    let transcript = main_of(&[
        typed("u1", None, "Look"),
        answer("a1", "u1", "m1", call("t1"), 100),
        line(
            "user",
            "r1",
            Some("a1"),
            json!({"message": {"role": "user", "content": content},
            "toolUseResult": {"stdout": "all of it"}}),
        ),
    ]);
    let BlockKind::ToolResult { content, is_error: true, .. } = &transcript.messages[2].blocks[0].kind else {
        panic!("no result")
    };
    assert_eq!(content[0], ResultPart::Text("<persisted-output>a stub</persisted-output>".into()));
    assert!(matches!(&content[1], ResultPart::Media(media) if media.pixels == Some((10, 20))));
}

#[test]
fn odd_trees_are_read_and_reported() {
    let mut clash = typed("u1", Some("a1"), "Another with its uuid");
    let first = typed("u1", None, "One");
    let found = reading(&[
        first.clone(),
        answer("a1", "u1", "m1", text("1"), 50),
        first,
        clash.take(),
        typed("k1", Some("k2"), "A circle"),
        typed("k2", Some("k1"), "Closed"),
        typed("self", Some("self"), "Its own parent"),
        typed("lost", Some("nowhere"), "No parent"),
        answer("a2", "lost", "m2", text("2"), 90),
        typed("new", None, "A second beginning"),
        answer("a3", "new", "m3", text("3"), 40),
    ]);
    let oddities = &found.account.oddities;
    assert_eq!(oddities[&retrace_transcript::Oddity::LineRepeated], 1);
    assert_eq!(oddities[&retrace_transcript::Oddity::TwoLinesWithOneUuid], 1);
    assert_eq!(oddities[&retrace_transcript::Oddity::CycleAmongParents], 2);
    assert_eq!(oddities[&retrace_transcript::Oddity::ParentNotBeforeItsChild], 3);
    let transcript = &found.transcripts[0];
    assert_eq!(sent(transcript, 1), ["u1", "a1", "u1", "k1", "k2", "self", "lost"]);
    assert_eq!(transcript.segments[1].cause, Cause::Replaced);
    assert_eq!(sent(transcript, 2), ["new"]);
}

#[test]
fn damaged_lines_are_counted_and_a_cut_one_is_not_damaged() {
    let mut bytes = b"\xff\xfe not text\n".to_vec();
    bytes.extend(session(&[typed("u1", None, "One"), answer("a1", "u1", "m1", text("1"), 50)]));
    bytes.extend(b"{\"type\":\"user\",\"sessionId\":\n[1,2]\n{\"type\":\"user\",\"mess");
    let found = read(&bytes).unwrap();
    assert_eq!(found.transcripts[0].requests.len(), 1);
    let lines: Vec<u64> = found.account.malformed.iter().map(|malformed| malformed.line).collect();
    assert_eq!(lines, [1, 4]);
    assert!(found.account.last_line_cut);
    assert_eq!(found.account.unknown[""], 1, "a list is a line of no type");
    assert_eq!((found.account.bytes, found.account.lines), (bytes.len() as u64, 6));
}

#[test]
fn the_stream_of_the_sdk_keeps_subagents_apart() {
    let message = |kind: &str, id: &str, under: Option<&str>| {
        json!({"type": kind, "session_id": "5e55", "uuid": id, "parent_tool_use_id": under, "message": {"id": id,
            "role": kind, "model": "claude-opus-4-6", "content": [text("On")], "usage": {"input_tokens": 5}}})
    };
    let lines = [
        json!({"type": "system", "subtype": "init", "session_id": "5e55", "cwd": "/proj/app"}),
        message("user", "u1", None),
        message("assistant", "a1", None),
        message("user", "s1", Some("t1")),
        message("assistant", "s2", Some("t1")),
        message("assistant", "a2", None),
    ];
    let found = reading(&lines);
    assert_eq!(found.transcripts.len(), 2);
    assert_eq!(sent(&found.transcripts[0], 1), ["u1", "a1"]);
    assert_eq!(found.transcripts[1].session.agent.as_deref(), Some("t1"));
    let mut summariser = Summariser::new();
    summariser.feed(&session(&lines));
    let summary = summariser.summary();
    assert_eq!((summary.subagents, summary.requests, summary.session.agent), (1, 3, None));
}

#[test]
fn what_is_only_a_record_is_no_part_of_the_context() {
    let attachment = |uuid: &str, parent: &str, extra: Value| {
        let mut value = line("attachment", uuid, Some(parent), extra);
        value["version"] = json!("2.1.330");
        value
    };
    let snapshot = json!({"attachment": {"type": "prompt_snapshot", "systemPrompt": ["long"], "tools": [{"name": "Read"}]}});
    let date = json!({"attachment": {"type": "date", "date": "2026-11-23"}, "renderedRole": "system",
        "rendered": [{"content": "<system-reminder>\nToday's date is 2026-11-23.\n</system-reminder>"}]});
    let instructions = json!({"attachment": {"type": "instructions",
        "files": [{"path": "/p/CLAUDE.md", "type": "Project", "content": "Tabs."}]},
        "rendered": [{"content": "Contents of /p/CLAUDE.md:\n\nTabs."}]});
    let lines = [
        typed("u1", None, "Look"),
        attachment("n1", "u1", snapshot.clone()),
        attachment("n2", "n1", date),
        attachment("n3", "n2", instructions),
        attachment("n4", "n3", json!({"attachment": {"type": "hook_success", "content": "seen"}})),
        answer("a1", "n4", "m1", call("t1"), 100),
        result("r1", "a1", "t1", "long"),
        attachment("n5", "r1", snapshot),
        answer("a2", "n5", "m2", text("Done."), 120),
    ];
    let transcript = main_of(&lines);
    assert_eq!(sent(&transcript, 1), ["u1", "n2", "n3", "a1", "r1"]);
    let texts: Vec<_> = transcript.messages[1..3]
        .iter()
        .map(|message| message.blocks[0].kind.attached_text().unwrap().into_owned())
        .collect();
    assert_eq!(texts[1], "Contents of /p/CLAUDE.md:\n\nTabs.");
    assert!(texts[0].contains("Today's date"));
    let account = reading(&lines).account;
    assert_eq!(account.without_context["attachment/prompt_snapshot"], 2);
    assert_eq!(account.without_context["attachment/hook_success"], 1);
    assert!(account.unknown.is_empty());
}

#[test]
fn lines_that_record_requests_are_understood() {
    let of = |kind: &str| json!({"type": kind, "sessionId": "s"});
    let kinds =
        ["api-request", "api-request-blob", "api-request-shape", "tools-used", "cost-state", "atis-latch"];
    let mut lines = vec![typed("u1", None, "Look"), answer("a1", "u1", "m1", text("Yes."), 100)];
    lines.extend(kinds.map(of));
    let account = reading(&lines).account;
    assert!(account.unknown.is_empty());
    let mut summariser = Summariser::new();
    summariser.feed(&session(&lines));
    let summary = summariser.summary();
    assert!(summary.account.unknown.is_empty());
    for kind in kinds {
        assert_eq!((account.without_context[kind], summary.account.without_context[kind]), (1, 1), "{kind}");
    }
}

#[test]
fn the_record_says_which_calls_were_never_carried_out() {
    let denied = |kind: Option<&str>| {
        let mut result = result("r1", "a1", "t1", "no");
        if let Some(kind) = kind {
            result["toolDenialKind"] = json!(kind);
        }
        let lines = [typed("u1", None, "Install it."), answer("a1", "u1", "m1", call("t1"), 100), result];
        let transcript = main_of(&lines);
        let mut blocks = transcript.messages.iter().flat_map(|message| &message.blocks);
        blocks.any(|block| matches!(block.kind, BlockKind::ToolResult { denied: true, .. }))
    };
    for kind in ["user-rejected", "permission-rule", "automode-blocked", "automode-parsing-error"] {
        assert!(denied(Some(kind)), "{kind}");
    }
    for kind in [None, Some("interrupted"), Some("cancelled"), Some("")] {
        assert!(!denied(kind), "{kind:?}");
    }
}
