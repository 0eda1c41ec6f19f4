//! A recorded request as the API would take it, to have it counted.
//!
//! Transcripts do not keep everything: thinking without its signature, images without their bytes, calls without an answer.
//! A block that cannot be rebuilt is left out and named. The forecast is made of exactly what is rebuilt, so that the
//! two can be compared with each other. A history in which a result does not follow its call at once is left to the API
//! to refuse.

use crate::lab::loaded::Loaded;
use retrace_message::AsMessage;
use retrace_transcript::{
    Block, BlockKind, Cause, Message, Origin, Request, ResultPart, Role, Segment, Transcript,
};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashSet};

/// A request that was rebuilt.
pub(crate) struct Rebuilt {
    /// `model`, `messages`, and where they are recorded `system` and `tools`.
    pub body: Map<String, Value>,
    /// The same as a transcript of one request.
    pub transcript: Transcript,
    /// Blocks that were left out, with how many of each.
    pub left_out: BTreeMap<NotRebuilt, u64>,
}

/// What of a request is not rebuilt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error, AsMessage)]
#[message("not_rebuilt")]
pub(crate) enum NotRebuilt {
    /// Thinking, whose signature is not kept.
    #[error("thinking, whose signature is not kept")]
    Thinking,
    /// Images and documents, whose bytes are not kept.
    #[error("images and documents, whose bytes are not kept")]
    Media,
    /// Calls of tools that the server ran, and their results.
    #[error("calls of tools that the server ran, and their results")]
    ServerTools,
    /// Calls without a result and results without a call.
    #[error("calls without a result and results without a call")]
    Unpaired,
    /// Blocks of unknown types.
    #[error("blocks of unknown types")]
    Unknown,
    /// Instructions within the messages.
    #[error("instructions within the messages")]
    Instructions,
    /// Attachments, which are counted as plain text.
    #[error("attachments, which are counted as plain text")]
    Attached,
    /// Messages before the first of the user.
    #[error("messages before the first of the user")]
    Leading,
}

/// Rebuilds what a request sent. `None` where nothing of it can be.
pub(crate) fn rebuild(transcript: &Transcript, request: &Request, model: &str) -> Option<Rebuilt> {
    let mut left_out = BTreeMap::new();
    let sent: Vec<&Message> = transcript.sent(request).map(|(_, message)| message).collect();
    let paired = paired(&sent);
    let mut messages: Vec<Message> = Vec::new();
    for message in sent {
        if message.role == Role::System {
            *left_out.entry(NotRebuilt::Instructions).or_default() += 1;
            continue;
        }
        let mut blocks = Vec::new();
        for block in &message.blocks {
            if let BlockKind::Compaction { content: Some(_) } = &block.kind {
                // Messages before it are ignored on input.
                messages.clear();
            }
            blocks.extend(kept(block, &paired, &mut left_out));
        }
        take(&mut messages, message, blocks);
    }
    let leading = messages.iter().take_while(|message| message.role != Role::User).count();
    if leading > 0 {
        *left_out.entry(NotRebuilt::Leading).or_default() += leading as u64;
        messages.drain(..leading);
    }
    results_first(&mut messages);
    if messages.is_empty() {
        return None;
    }
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    body.insert("messages".to_owned(), messages.iter().map(json_message).collect());
    let preamble = request.preamble.and_then(|index| transcript.preambles.get(index));
    if let Some(preamble) = preamble {
        let system = preamble.system.iter().filter(|text| !text.is_empty());
        let system: Vec<Value> = system.map(|text| json!({"type": "text", "text": text})).collect();
        if !system.is_empty() {
            body.insert("system".to_owned(), system.into());
        }
        if !preamble.tools.is_empty() {
            body.insert(
                "tools".to_owned(),
                preamble.tools.iter().map(|tool| tool.definition.clone()).collect(),
            );
        }
    }
    let one = Request {
        model: Some(model.to_owned()),
        segment: 0,
        upto: messages.len(),
        response: None,
        preamble: preamble.map(|_| 0),
        usage: None,
        applied_edits: None,
        parameters: Value::Null,
        ..request.clone()
    };
    let segment = Segment {
        messages: (0..messages.len()).collect(),
        cause: Cause::Start,
        dropped_results: std::sync::Arc::default(),
    };
    let transcript = Transcript {
        format: transcript.format,
        session: transcript.session.clone(),
        preambles: preamble.cloned().into_iter().collect(),
        messages,
        segments: vec![segment],
        requests: vec![one],
        done: Vec::new(),
        folded: Vec::new(),
    };
    Some(Rebuilt { body, transcript, left_out })
}

/// What a client recorded of a request, where that is proved: nothing is left out.
pub(crate) fn recorded(loaded: &Loaded, index: usize, model: &str) -> Option<Rebuilt> {
    let recorded = loaded.proved(index)?;
    let rebuilt = loaded.requests().rebuild(recorded, &mut loaded.lines().ok()?).ok()?;
    let Value::Object(mut body) = rebuilt.body else { return None };
    body.remove("context_management");
    body.insert("model".to_owned(), model.into());
    let transcript = loaded.transcript();
    let request = transcript.requests.get(index)?;
    let messages: Vec<Message> = transcript.sent(request).map(|(_, message)| message.clone()).collect();
    let one = Request {
        model: Some(model.to_owned()),
        segment: 0,
        upto: messages.len(),
        response: None,
        preamble: Some(0),
        usage: None,
        applied_edits: None,
        ..request.clone()
    };
    let segment = Segment {
        messages: (0..messages.len()).collect(),
        cause: Cause::Start,
        dropped_results: std::sync::Arc::default(),
    };
    let transcript = Transcript {
        format: transcript.format,
        session: transcript.session.clone(),
        preambles: vec![loaded.preamble(index)?],
        messages,
        segments: vec![segment],
        requests: vec![one],
        done: Vec::new(),
        folded: Vec::new(),
    };
    Some(Rebuilt { body, transcript, left_out: BTreeMap::new() })
}

/// Ids of calls that have a result among the messages, run by the client.
fn paired(messages: &[&Message]) -> HashSet<String> {
    let blocks = || messages.iter().flat_map(|message| &message.blocks);
    let results: HashSet<&str> = blocks()
        .filter_map(|block| match &block.kind {
            BlockKind::ToolResult { tool_use_id, server: false, .. } => Some(tool_use_id.as_str()),
            _ => None,
        })
        .collect();
    blocks()
        .filter_map(|block| match &block.kind {
            BlockKind::ToolUse { id, input, server: false, .. }
                if results.contains(id.as_str())
                    && (input.is_object() || input.is_string())
                    && !id.is_empty() =>
            {
                Some(id.clone())
            }
            _ => None,
        })
        .collect()
}

/// Part of a block that can be sent.
fn kept(block: &Block, paired: &HashSet<String>, left_out: &mut BTreeMap<NotRebuilt, u64>) -> Option<Block> {
    let text = |text: String| (!text.trim().is_empty()).then_some(BlockKind::Text { text });
    let mut count = |what: NotRebuilt| *left_out.entry(what).or_default() += 1;
    let kind = match &block.kind {
        BlockKind::Text { text: shown } => text(shown.clone()),
        BlockKind::Thinking { .. } => {
            count(NotRebuilt::Thinking);
            None
        }
        BlockKind::ToolUse { server: true, .. } | BlockKind::ToolResult { server: true, .. } => {
            count(NotRebuilt::ServerTools);
            None
        }
        BlockKind::ToolUse { id, .. } if !paired.contains(id) => {
            count(NotRebuilt::Unpaired);
            None
        }
        BlockKind::ToolResult { tool_use_id, .. } if !paired.contains(tool_use_id) => {
            count(NotRebuilt::Unpaired);
            None
        }
        BlockKind::ToolUse { .. } => Some(block.kind.clone()),
        BlockKind::ToolResult { tool_use_id, content, is_error, denied, server } => {
            let mut parts = Vec::new();
            for part in content {
                match part {
                    ResultPart::Text(text) => parts.push(ResultPart::Text(text.clone())),
                    ResultPart::Media(_) => count(NotRebuilt::Media),
                    ResultPart::Other(_) => count(NotRebuilt::Unknown),
                }
            }
            Some(BlockKind::ToolResult {
                tool_use_id: tool_use_id.clone(),
                content: parts,
                is_error: *is_error,
                denied: *denied,
                server: *server,
            })
        }
        BlockKind::Media(_) => {
            count(NotRebuilt::Media);
            None
        }
        BlockKind::Attachment { rendered: Some(rendered), .. } => text(rendered.clone()),
        BlockKind::Attachment { files, text: shown, .. } => {
            count(NotRebuilt::Attached);
            let files = files.iter().map(|file| format!("Contents of {}:\n{}", file.path, file.content));
            text(files.chain(Some(shown.clone())).collect::<Vec<_>>().join("\n"))
        }
        BlockKind::Compaction { content } => content.clone().and_then(text),
        BlockKind::Unknown { .. } => {
            count(NotRebuilt::Unknown);
            None
        }
    };
    kind.map(|kind| Block { kind, line: block.line })
}

/// Adds a message, to the one before where the same side speaks again.
fn take(messages: &mut Vec<Message>, message: &Message, blocks: Vec<Block>) {
    if blocks.is_empty() {
        return;
    }
    match messages.last_mut() {
        Some(last) if last.role == message.role => last.blocks.extend(blocks),
        _ => messages.push(Message { blocks, origin: origin(message), ..message.clone() }),
    }
}

/// The files' distinctions are of no use here; who typed is.
const fn origin(message: &Message) -> Origin {
    match message.role {
        Role::Assistant => Origin::Model,
        _ => Origin::Unsaid,
    }
}

/// The API wants the results of calls at the head of the message that answers them.
fn results_first(messages: &mut [Message]) {
    for message in messages {
        message.blocks.sort_by_key(|block| !matches!(block.kind, BlockKind::ToolResult { .. }));
    }
}

fn json_message(message: &Message) -> Value {
    let role = if message.role == Role::Assistant { "assistant" } else { "user" };
    json!({ "role": role, "content": message.blocks.iter().filter_map(json_block).collect::<Vec<_>>() })
}

fn json_block(block: &Block) -> Option<Value> {
    Some(match &block.kind {
        BlockKind::Text { text } => json!({"type": "text", "text": text}),
        // A tool that takes a text alone, such as Codex's `exec` in code mode: here an input has fields.
        BlockKind::ToolUse { id, name, input: Value::String(text), .. } => {
            json!({"type": "tool_use", "id": id, "name": name, "input": {"input": text}})
        }
        BlockKind::ToolUse { id, name, .. } => {
            json!({"type": "tool_use", "id": id, "name": name, "input": block.kind.sent_input()})
        }
        BlockKind::ToolResult { tool_use_id, content, is_error, .. } => {
            let parts = content.iter().filter_map(|part| match part {
                ResultPart::Text(text) if !text.is_empty() => Some(json!({"type": "text", "text": text})),
                _ => None,
            });
            let mut result = json!({
                "type": "tool_result",
                "tool_use_id": tool_use_id,
                "content": parts.collect::<Vec<_>>(),
            });
            if *is_error {
                result["is_error"] = true.into();
            }
            result
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Transcript {
        retrace_transcript::read(text.as_bytes()).unwrap().transcripts.remove(0)
    }

    #[test]
    fn calls_of_a_tool_that_takes_a_text_are_in_the_request() {
        let line = |kind: &str, payload: Value| {
            json!({"timestamp": "2026-11-20T10:00:00.000Z", "type": kind, "payload": payload}).to_string()
        };
        let item = |payload: Value| line("response_item", payload);
        let text = |role: &str, kind: &str, text: &str| {
            item(json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]}))
        };
        let usage = json!({"input_tokens": 10, "output_tokens": 2, "total_tokens": 12});
        let count = line(
            "event_msg",
            json!({"type": "token_count", "info": {"last_token_usage": usage, "total_token_usage": usage}}),
        );
        let lines = [
            line("session_meta", json!({"id": "s", "timestamp": "2026-11-20T10:00:00.000Z", "cwd": "/p"})),
            text("user", "input_text", "hello"),
            item(json!({"type": "custom_tool_call", "call_id": "c1", "name": "exec", "input": "run('ls')"})),
            count.clone(),
            item(json!({"type": "custom_tool_call_output", "call_id": "c1", "output": "a.txt"})),
            text("assistant", "output_text", "done"),
            count,
        ];
        let transcript = read(&lines.join("\n"));
        let rebuilt = rebuild(&transcript, transcript.requests.last().unwrap(), "gpt-6.1-terra").unwrap();
        let body = Value::Object(rebuilt.body).to_string();
        assert!(body.contains(r#""input":{"input":"run('ls')"}"#) && body.contains("a.txt"), "{body}");
    }

    #[test]
    fn a_request_is_rebuilt_as_it_was_but_for_what_is_not_kept() {
        let body = json!({
            "model": "claude-opus-4-6", "max_tokens": 10,
            "system": [{"type": "text", "text": "Be brief."}],
            "tools": [{"name": "read", "input_schema": {"type": "object"}}],
            "messages": [
                {"role": "user", "content": "Look."},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                    {"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "a"}},
                    {"type": "tool_use", "id": "t2", "name": "read", "input": {"path": "b"}},
                ]},
                {"role": "user", "content": [
                    {"type": "text", "text": "Also this."},
                    {"type": "tool_result", "tool_use_id": "t1", "content": "one", "is_error": true},
                ]},
            ],
        });
        let transcript = read(&body.to_string());
        let rebuilt = rebuild(&transcript, transcript.requests.last().unwrap(), "claude-opus-4-6").unwrap();
        assert_eq!(
            Value::Object(rebuilt.body),
            json!({
                "model": "claude-opus-4-6",
                "system": [{"type": "text", "text": "Be brief."}],
                "tools": [{"name": "read", "input_schema": {"type": "object"}}],
                "messages": [
                    {"role": "user", "content": [{"type": "text", "text": "Look."}]},
                    {"role": "assistant", "content": [
                        {"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "a"}},
                    ]},
                    {"role": "user", "content": [
                        {"type": "tool_result", "tool_use_id": "t1", "is_error": true,
                         "content": [{"type": "text", "text": "one"}]},
                        {"type": "text", "text": "Also this."},
                    ]},
                ],
            })
        );
        assert_eq!(rebuilt.left_out, BTreeMap::from([(NotRebuilt::Thinking, 1), (NotRebuilt::Unpaired, 1)]));
        assert_eq!(rebuilt.transcript.requests.len(), 1);
        assert_eq!(rebuilt.transcript.messages.len(), 3);
    }

    #[test]
    fn nothing_can_be_rebuilt_of_nothing() {
        let transcript = read(r#"{"model":"m","messages":[{"role":"assistant","content":"Hi."}]}"#);
        for request in &transcript.requests {
            assert!(rebuild(&transcript, request, "m").is_none());
        }
    }
}
