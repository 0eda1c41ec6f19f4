//! Recognising a file by its content.

use crate::lenient::{Link, List, Raw, Text, lenient_object};
use crate::lines::trim;
use crate::{Format, ReadError};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

/// Format that one line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineFormat {
    /// A line of a format made of lines.
    Lines(Format),
    /// A whole JSON document of a known format, or the beginning of a document that goes on in the next line.
    Document,
    /// Neither.
    Unknown,
}

/// Type of a value, without the value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    #[default]
    Absent,
    Null,
    Text,
    Object,
    List,
    Other,
}

impl<'de> serde::Deserialize<'de> for Shape {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::{Error, MapAccess, SeqAccess, Visitor};
        struct ShapeVisitor;
        impl<'de> Visitor<'de> for ShapeVisitor {
            type Value = Shape;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("anything")
            }
            fn visit_bool<E: Error>(self, _: bool) -> Result<Shape, E> {
                Ok(Shape::Other)
            }
            fn visit_i64<E: Error>(self, _: i64) -> Result<Shape, E> {
                Ok(Shape::Other)
            }
            fn visit_u64<E: Error>(self, _: u64) -> Result<Shape, E> {
                Ok(Shape::Other)
            }
            fn visit_f64<E: Error>(self, _: f64) -> Result<Shape, E> {
                Ok(Shape::Other)
            }
            fn visit_str<E: Error>(self, _: &str) -> Result<Shape, E> {
                Ok(Shape::Text)
            }
            fn visit_unit<E: Error>(self) -> Result<Shape, E> {
                Ok(Shape::Null)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Shape, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Shape::List)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shape, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Shape::Object)
            }
        }
        deserializer.deserialize_any(ShapeVisitor)
    }
}

lenient_object! {
    /// The keys by which formats are told apart.
    struct Probe<'a> {
        kind: Text<'a> = "type",
        session_id: Text<'a> = "sessionId",
        sdk_session_id: Text<'a> = "session_id",
        project_hash: Text<'a> = "projectHash",
        tokens: Shape = "tokens",
        calls: Shape = "toolCalls",
        parent_uuid: Link<'a> = "parentUuid",
        leaf_uuid: Text<'a> = "leafUuid",
        snapshot: Shape = "snapshot",
        message: Shape = "message",
        uuid: Text<'a> = "uuid",
        payload: Shape = "payload",
        info: ProbeInfo<'a> = "info",
        parts: Shape = "parts",
        data: Shape = "data",
        role: Text<'a> = "role",
        content: Shape = "content",
        model: Text<'a> = "model",
        messages: Option<List<ProbeMessage<'a>>> = "messages",
        tools: List<ProbeTool<'a>> = "tools",
        choices: Shape = "choices",
        input: Shape = "input",
        output: Shape = "output",
        object: Text<'a> = "object",
        request: Raw<'a> = "request",
        response: Raw<'a> = "response",
        body: Raw<'a> = "body",
    }
}

lenient_object! {
    struct ProbeInfo<'a> {
        id: Text<'a> = "id",
        role: Text<'a> = "role",
    }
}

lenient_object! {
    struct ProbeMessage<'a> {
        role: Text<'a> = "role",
        content: Shape = "content",
        tool_calls: Shape = "tool_calls",
        function_call: Shape = "function_call",
    }
}

lenient_object! {
    struct ProbeTool<'a> {
        function: Shape = "function",
    }
}

/// Types of a Codex rollout's lines.
const CODEX_TYPES: [&str; 7] = [
    "session_meta",
    "turn_context",
    "response_item",
    "event_msg",
    "compacted",
    "world_state",
    "token_usage_record",
];

/// Checks that a line is JSON.
///
/// # Errors
/// Why it is not, without its content.
pub(crate) fn is_json(line: &[u8]) -> Result<(), retrace_message::Message> {
    serde_json::from_slice::<IgnoredAny>(line)
        .map(|_| ())
        .map_err(|error| crate::account::json_reason(&error))
}

/// Format that one line shows, if it is not blank shows.
pub(crate) fn line_format(line: &[u8]) -> LineFormat {
    if !matches!(line.first(), Some(b'{' | b'[')) {
        return LineFormat::Unknown;
    }
    match of_json(line) {
        Ok(Some(
            format @ (Format::ClaudeCode
            | Format::CodexRollout
            | Format::CopilotEvents
            | Format::GeminiChat
            | Format::Opencode),
        )) => LineFormat::Lines(format),
        Ok(Some(_)) => LineFormat::Document,
        Ok(None) => LineFormat::Unknown,
        Err(()) => LineFormat::Document,
    }
}

/// The format of one JSON value; an error where it is none.
fn of_json(json: &[u8]) -> Result<Option<Format>, ()> {
    if json.first() == Some(&b'[') {
        let list: Vec<&RawValue> = serde_json::from_slice(json).map_err(|_| ())?;
        return Ok(of_list(&list));
    }
    let probe: Probe<'_> = serde_json::from_slice(json).map_err(|_| ())?;
    Ok(of_object(&probe))
}

/// A list of messages, or of pairs.
fn of_list(list: &[&RawValue]) -> Option<Format> {
    let first: Probe<'_> = serde_json::from_str(list.first()?.get()).ok()?;
    if let Some(pair) = of_pair(&first) {
        // Only logs of Messages pairs come as lists.
        return (pair == Format::ProxyLog).then_some(pair);
    }
    first.role.as_str()?;
    let messages: Vec<ProbeMessage<'_>> =
        list.iter().filter_map(|json| serde_json::from_str(json.get()).ok()).collect();
    Some(of_messages(&messages))
}

fn of_object(probe: &Probe<'_>) -> Option<Format> {
    if probe.session_id.as_str().is_some() && probe.project_hash.as_str().is_some() {
        return Some(Format::GeminiChat);
    }
    let has_parts = probe.parts == Shape::List && probe.info.role.as_str().is_some();
    if probe.info.id.or_empty().starts_with("ses_") || has_parts {
        return Some(Format::Opencode);
    }
    if let Some(kind) = probe.kind.as_str() {
        if kind == "gemini" && (probe.tokens == Shape::Object || probe.calls == Shape::List) {
            return Some(Format::GeminiChat);
        }
        if is_claude_code(probe) {
            return Some(Format::ClaudeCode);
        }
        if CODEX_TYPES.contains(&kind) && probe.payload == Shape::Object {
            return Some(Format::CodexRollout);
        }
        if kind.contains('.') && probe.data == Shape::Object {
            return Some(Format::CopilotEvents);
        }
    }
    if let Some(pair) = of_pair(probe) {
        return Some(pair);
    }
    if let Some(messages) = &probe.messages {
        let messages = &messages.0;
        let has_roles = messages.iter().any(|message| message.role.as_str().is_some());
        // An empty list is a request only by its model.
        if !has_roles && (!messages.is_empty() || probe.model.as_str().is_none()) {
            return None;
        }
        let has_functions = probe.tools.0.iter().any(|tool| tool.function == Shape::Object);
        return Some(if has_functions { Format::OpenAiChat } else { of_messages(messages) });
    }
    if probe.choices == Shape::List {
        return Some(Format::OpenAiChat);
    }
    if probe.output == Shape::List
        && (probe.object.as_str() == Some("response") || probe.model.as_str().is_some())
    {
        return Some(Format::OpenAiResponses);
    }
    if matches!(probe.input, Shape::List | Shape::Text) && probe.model.as_str().is_some() {
        return Some(Format::OpenAiResponses);
    }
    let is_answer = probe.role.as_str() == Some("assistant") && probe.content == Shape::List;
    is_answer.then_some(Format::MessagesResponse)
}

/// Messages in the shape of chat completions have roles or fields that those of the Messages API have not.
fn of_messages(messages: &[ProbeMessage<'_>]) -> Format {
    let is_chat = messages.iter().any(|message| {
        matches!(message.role.or_empty(), "system" | "developer" | "tool" | "function")
            || message.tool_calls != Shape::Absent
            || message.function_call != Shape::Absent
    });
    if is_chat { Format::OpenAiChat } else { Format::MessagesRequest }
}

/// A pair of request and response, with or without what a proxy wrote around them.
fn of_pair(probe: &Probe<'_>) -> Option<Format> {
    let request: Probe<'_> = serde_json::from_str(probe.request.0?.get()).ok()?;
    let Some(body) = request.body.0 else {
        return of_object_flat(&request);
    };
    let body: Probe<'_> = serde_json::from_str(body.get()).unwrap_or_default();
    match of_object_flat(&body) {
        Some(Format::MessagesRequest) | None => Some(Format::ProxyLog),
        reported => reported,
    }
}

/// A request that is no pair itself. Keeps pairs within pairs from being followed down.
fn of_object_flat(request: &Probe<'_>) -> Option<Format> {
    let flat = request.messages.is_some() || matches!(request.input, Shape::List | Shape::Text);
    (flat && request.request.0.is_none()).then(|| of_object(request)).flatten().map(|format| match format {
        Format::OpenAiChat | Format::OpenAiResponses => format,
        _ => Format::MessagesRequest,
    })
}

fn is_claude_code(probe: &Probe<'_>) -> bool {
    probe.session_id.as_str().is_some()
        || probe.sdk_session_id.as_str().is_some()
        || probe.leaf_uuid.as_str().is_some()
        || probe.snapshot == Shape::Object
        || (probe.parent_uuid != Link::Absent && probe.uuid.as_str().is_some())
        || (probe.uuid.as_str().is_some() && probe.message == Shape::Object)
}

/// The format of a whole file.
///
/// # Errors
/// [`ReadError`] with what it looks like instead.
pub(crate) fn detect(bytes: &[u8]) -> Result<Format, ReadError> {
    let bytes = trim(bytes);
    if bytes.is_empty() {
        return Err(ReadError::Empty);
    }
    let mut is_first = true;
    for line in bytes.split(|&byte| byte == b'\n') {
        let line = trim(line);
        if !matches!(line.first(), Some(b'{' | b'[')) {
            is_first &= line.is_empty();
            continue;
        }
        match of_json(line) {
            Ok(Some(format)) => return Ok(format),
            // The first line is the beginning of a document, or damaged.
            Err(()) if is_first && line.len() < bytes.len() => {
                if let Ok(Some(format)) = of_json(bytes) {
                    return Ok(format);
                }
            }
            Ok(None) | Err(()) => {}
        }
        is_first = false;
    }
    Err(ReadError::Unrecognised { looks_like: looks_like(bytes) })
}

/// Describes a file of no known format, in a few words.
fn looks_like(bytes: &[u8]) -> retrace_message::Message {
    let head = &bytes[..bytes.len().min(4096)];
    let is_text = |bytes: &[u8]| match std::str::from_utf8(bytes) {
        Ok(_) => true,
        // The head may end within a character.
        Err(error) => error.error_len().is_none() && error.valid_up_to() + 4 > bytes.len(),
    };
    if head.contains(&0) || !is_text(head) {
        say::binary_data()
    } else if is_json(bytes).is_ok() {
        say::json_without_messages_known_shape()
    } else if matches!(bytes.first(), Some(b'{' | b'[')) {
        say::damaged_json_or_json_lines()
    } else {
        say::text_not_json()
    }
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "detect";
    binary_data() => "binary data",
    json_without_messages_known_shape() => "JSON without messages of a known shape",
    damaged_json_or_json_lines() => "damaged JSON, or JSON lines of types that are not known",
    text_not_json() => "text that is not JSON",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_known_by_their_content() {
        for (text, format) in [
            (r#"{"type":"user","sessionId":"s","message":{}}"#, Format::ClaudeCode),
            (r#"{"type":"summary","summary":"x","leafUuid":"y"}"#, Format::ClaudeCode),
            (r#"{"type":"file-history-snapshot","messageId":"a","snapshot":{}}"#, Format::ClaudeCode),
            ("\n{\"cut\n{\"type\":\"user\",\"sessionId\":\"s\"}", Format::ClaudeCode),
            (r#"{"timestamp":"t","type":"session_meta","payload":{}}"#, Format::CodexRollout),
            (r#"{"sessionId":"x","projectHash":"y","kind":"main"}"#, Format::GeminiChat),
            (r#"{"id":"a","type":"gemini","content":"x","tokens":{"input":1}}"#, Format::GeminiChat),
            ("{\n\"sessionId\":\"x\",\n\"projectHash\":\"y\",\"messages\":[]}", Format::GeminiChat),
            (r#"{"info":{"id":"ses_1"},"messages":[]}"#, Format::Opencode),
            (r#"{"info":{"id":"msg_1","role":"user"},"parts":[]}"#, Format::Opencode),
            (r#"{"type":"session.start","data":{"sessionId":"x"}}"#, Format::CopilotEvents),
            (
                "{\n\"model\":\"m\",\n\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}",
                Format::MessagesRequest,
            ),
            (r#"[{"role":"user","content":"x"},{"role":"assistant","content":[]}]"#, Format::MessagesRequest),
            (
                r#"{"id":"m","type":"message","role":"assistant","content":[],"usage":{}}"#,
                Format::MessagesResponse,
            ),
            (r#"{"request":{"body":{"messages":[{"role":"user"}]}},"response":{}}"#, Format::ProxyLog),
            (r#"[{"request":{"body":{"messages":[]}},"response":{}}]"#, Format::ProxyLog),
            (r#"{"messages":[{"role":"system","content":"x"}]}"#, Format::OpenAiChat),
            (r#"[{"role":"assistant","tool_calls":[]}]"#, Format::OpenAiChat),
            (r#"{"id":"c","object":"chat.completion","choices":[]}"#, Format::OpenAiChat),
            (r#"{"request":{"messages":[{"role":"tool"}]},"response":{"choices":[]}}"#, Format::OpenAiChat),
            (r#"{"model":"m","input":"hello"}"#, Format::OpenAiResponses),
            (r#"{"object":"response","output":[]}"#, Format::OpenAiResponses),
            (r#"{"request":{"body":{"model":"m","input":[]}}}"#, Format::OpenAiResponses),
        ] {
            assert_eq!(detect(text.as_bytes()), Ok(format), "{text}");
        }
    }

    #[test]
    fn other_files_are_refused_with_a_reason() {
        assert_eq!(detect(b" \n "), Err(ReadError::Empty));
        for (bytes, reason) in [
            (&b"\x7fELF\0\0"[..], "binary data"),
            (b"# Notes\n- one", "text that is not JSON"),
            (b"{\"name\":\"retrace\"}", "JSON without messages of a known shape"),
            (b"{\"name\":", "damaged JSON, or JSON lines of types that are not known"),
            (b"{\"a\":1}\n{\"b\":2}", "damaged JSON, or JSON lines of types that are not known"),
            (b"[]", "JSON without messages of a known shape"),
            (b"{\"messages\":[1,2]}", "JSON without messages of a known shape"),
        ] {
            assert_eq!(
                detect(bytes),
                Err(ReadError::Unrecognised { looks_like: looks_like(bytes) }),
                "{reason}"
            );
            assert_eq!(looks_like(bytes), reason);
        }
    }
}
