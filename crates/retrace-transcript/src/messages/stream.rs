//! The events of a streamed response, put together to the message they tell.

use serde_json::{Map, Value, json};

/// The message of a stream of server-sent events. `None` if none begins in it.
pub(super) fn message(events: &str) -> Option<Value> {
    let mut message: Option<Value> = None;
    let mut blocks: Vec<Value> = Vec::new();
    let mut inputs: Vec<String> = Vec::new();
    for line in events.lines() {
        let Some(data) = line.strip_prefix("data:") else { continue };
        let Ok(event) = serde_json::from_str::<Value>(data) else { continue };
        match event["type"].as_str() {
            Some("message_start") => message = Some(event["message"].clone()).filter(Value::is_object),
            Some("content_block_start") => {
                blocks.push(event["content_block"].clone());
                inputs.push(String::new());
            }
            Some("content_block_delta") => {
                if let (Some(block), Some(input)) = (blocks.last_mut(), inputs.last_mut()) {
                    grow(block, input, &event["delta"]);
                }
            }
            Some("message_delta") => {
                if let Some(message) = message.as_mut().and_then(Value::as_object_mut) {
                    end(message, &event);
                }
            }
            _ => {}
        }
    }
    for (block, input) in blocks.iter_mut().zip(inputs) {
        if let (false, Some(block)) = (input.is_empty(), block.as_object_mut()) {
            let input = serde_json::from_str(&input).unwrap_or(Value::String(input));
            block.insert("input".to_owned(), input);
        }
    }
    let mut message = message?;
    message.as_object_mut()?.insert("content".to_owned(), Value::Array(blocks));
    Some(message)
}

fn grow(block: &mut Value, input: &mut String, delta: &Value) {
    let Some(block) = block.as_object_mut() else { return };
    let field = match delta["type"].as_str() {
        Some("text_delta") => "text",
        Some("thinking_delta") => "thinking",
        Some("signature_delta") => "signature",
        Some("compaction_delta") => "content",
        Some("input_json_delta") => {
            input.push_str(delta["partial_json"].as_str().unwrap_or_default());
            return;
        }
        _ => return,
    };
    let more = delta[field].as_str().unwrap_or_default();
    match block.get_mut(field) {
        Some(Value::String(known)) => known.push_str(more),
        _ => {
            block.insert(field.to_owned(), json!(more));
        }
    }
}

/// `message_delta`: why it stopped, and the usage at the end of the stream, which wins where it is told.
fn end(message: &mut Map<String, Value>, event: &Value) {
    for field in ["stop_reason", "stop_sequence"] {
        if !event["delta"][field].is_null() {
            message.insert(field.to_owned(), event["delta"][field].clone());
        }
    }
    for edits in [&event["context_management"], &event["delta"]["context_management"]] {
        if !edits.is_null() {
            message.insert("context_management".to_owned(), edits.clone());
        }
    }
    let usage = message.entry("usage").or_insert_with(|| json!({}));
    if let (Some(usage), Some(last)) = (usage.as_object_mut(), event["usage"].as_object()) {
        usage.extend(
            last.iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(key, value)| (key.clone(), value.clone())),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_make_a_message() {
        let events = r#"event: message_start
data: {"type":"message_start","message":{"id":"m","role":"assistant","usage":{"input_tokens":9,"output_tokens":1}}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}}
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"Read","input":{}}}
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\""}}
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":":1}"}}
data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":20},"context_management":{"applied_edits":[]}}
data: nonsense
"#;
        let message = message(events).unwrap();
        assert_eq!(message["content"][0]["text"], "Hello");
        assert_eq!(message["content"][1]["input"], json!({"a": 1}));
        assert_eq!(message["usage"], json!({"input_tokens": 9, "output_tokens": 20}));
        assert_eq!(message["stop_reason"], "tool_use");
        assert_eq!(super::message("data: {}"), None);
    }
}
