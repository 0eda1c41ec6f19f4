//! Shared by the tests of this crate.
#![allow(dead_code)]

pub(crate) mod samples;

use retrace_transcript::Transcript;
use std::collections::BTreeSet;

/// Invariants of the model that a transcript breaks; empty if none.
pub(crate) fn check(transcript: &Transcript) -> Vec<String> {
    let mut broken = Vec::new();
    let messages = transcript.messages.len();
    for (number, segment) in transcript.segments.iter().enumerate() {
        let distinct: BTreeSet<_> = segment.messages.iter().collect();
        if distinct.len() != segment.messages.len() {
            broken.push(format!("segment {number} names a message twice"));
        }
        if segment.messages.iter().any(|&index| index >= messages) {
            broken.push(format!("segment {number} names a message that is not there"));
        }
    }
    let mut ids = BTreeSet::new();
    for (number, request) in transcript.requests.iter().enumerate() {
        if !ids.insert(&request.id) {
            broken.push(format!("request {number} has the id of another"));
        }
        let Some(segment) = transcript.segments.get(request.segment) else {
            broken.push(format!("request {number} names a segment that is not there"));
            continue;
        };
        if request.upto > segment.messages.len() {
            broken.push(format!("request {number} sent more than its segment has"));
        }
        if let Some(response) = request.response {
            if response >= messages {
                broken.push(format!("request {number} has an answer that is not there"));
            }
            if transcript.sent(request).any(|(index, _)| index == response) {
                broken.push(format!("request {number} sent its own answer"));
            }
        }
        if request.preamble.is_some_and(|preamble| preamble >= transcript.preambles.len()) {
            broken.push(format!("request {number} names a preamble that is not there"));
        }
    }
    broken
}

/// A line of a Claude Code session: `fields` laid over what every line has.
pub(crate) fn line(
    kind: &str,
    uuid: &str,
    parent: Option<&str>,
    fields: serde_json::Value,
) -> serde_json::Value {
    let mut line = serde_json::json!({
        "parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": "/proj/app",
        "sessionId": "5e55", "version": "2.1.39", "gitBranch": "main", "type": kind, "uuid": uuid,
        "timestamp": "2026-02-01T10:00:00.000Z",
    });
    for (key, value) in fields.as_object().expect("fields") {
        line[key] = value.clone();
    }
    line
}

/// A line of a person.
pub(crate) fn typed(uuid: &str, parent: Option<&str>, text: &str) -> serde_json::Value {
    line("user", uuid, parent, serde_json::json!({"message": {"role": "user", "content": text}}))
}

/// A line with the result of a tool.
pub(crate) fn result(uuid: &str, parent: &str, call: &str, text: &str) -> serde_json::Value {
    let content = serde_json::json!([{"type": "tool_result", "tool_use_id": call, "content": text}]);
    line(
        "user",
        uuid,
        Some(parent),
        serde_json::json!({"message": {"role": "user", "content": content}, "toolUseResult": {"stdout": "client's copy"}}),
    )
}

/// One line of a response: a block, and a context of `context` tokens.
pub(crate) fn answer(
    uuid: &str,
    parent: &str,
    id: &str,
    block: serde_json::Value,
    context: u64,
) -> serde_json::Value {
    line(
        "assistant",
        uuid,
        Some(parent),
        serde_json::json!({"requestId": format!("req_{id}"), "message": {"id": id, "type": "message",
            "role": "assistant", "model": "claude-opus-4-6", "stop_reason": null, "content": [block],
            "usage": {"input_tokens": 3, "cache_creation_input_tokens": 0, "cache_read_input_tokens": context - 3,
                "output_tokens": 1}}}),
    )
}

/// A text block.
pub(crate) fn text(text: &str) -> serde_json::Value {
    serde_json::json!({"type": "text", "text": text})
}

/// A call of a tool.
pub(crate) fn call(id: &str) -> serde_json::Value {
    serde_json::json!({"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": "/proj/app/a.rs"}})
}

/// JSON lines.
pub(crate) fn session(lines: &[serde_json::Value]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}
