//! Raw Messages API JSON: requests, responses, arrays of messages, and logs of pairs.

mod stream;

use crate::account::{count, odd};
use crate::blocks::blocks;
use crate::claude_code::RawContextManagement;
use crate::documents::each_document;
use crate::history::{Answer, Call, History, NewMessage, parameters};
use crate::lenient::{Content, List, Raw, Text, lenient_object};
use crate::usage::RawUsage;
use crate::{Account, Block, BlockKind, Format, Oddity, Origin, Preamble, Reading, Role, Session, Tool};
use retrace_model::Timestamp;
use serde_json::Value;
use serde_json::value::RawValue;

lenient_object! {
    /// A request.
    struct RawRequest<'a> {
        model: Text<'a> = "model",
        system: Content<'a> = "system",
        tools: List<Raw<'a>> = "tools",
        messages: Option<List<RawMessage<'a>>> = "messages",
    }
}

lenient_object! {
    /// A message of a request, or a response.
    struct RawMessage<'a> {
        id: Text<'a> = "id",
        role: Text<'a> = "role",
        content: Content<'a> = "content",
        model: Text<'a> = "model",
        stop_reason: Text<'a> = "stop_reason",
        usage: RawUsage<'a> = "usage",
        context_management: RawContextManagement<'a> = "context_management",
    }
}

lenient_object! {
    /// A pair in a proxy's log.
    struct RawPair<'a> {
        request: RawHttpRequest<'a> = "request",
        response: RawHttpResponse<'a> = "response",
        logged_at: Text<'a> = "logged_at",
    }
}

lenient_object! {
    struct RawHttpRequest<'a> {
        timestamp: Raw<'a> = "timestamp",
        url: Text<'a> = "url",
        body: Raw<'a> = "body",
    }
}

lenient_object! {
    struct RawHttpResponse<'a> {
        headers: RawHeaders<'a> = "headers",
        body: Raw<'a> = "body",
        stream: Text<'a> = "body_raw",
    }
}

lenient_object! {
    struct RawHeaders<'a> {
        request_id: Text<'a> = "request-id",
    }
}

/// Fields of a request that are not parameters.
const NOT_PARAMETERS: [&str; 4] = ["model", "messages", "system", "tools"];

/// Reads requests, responses and arrays of messages.
pub(crate) fn read(format: Format, bytes: &[u8]) -> Reading {
    let mut account = Account::default();
    let mut history = History::new(format, Session::default());
    each_document(bytes, &mut account, |line, document, account| {
        if let Some(call) = document_call(line, document, account) {
            history.call(call);
        } else {
            count(&mut account.unknown, "document");
        }
    });
    Reading { transcripts: vec![titled(history)], account }
}

/// Reads a log of pairs.
pub(crate) fn read_log(bytes: &[u8]) -> Reading {
    let mut account = Account::default();
    let mut history = History::new(Format::ProxyLog, Session::default());
    each_document(bytes, &mut account, |line, document, account| {
        for pair in items(document) {
            log_pair(line, pair, &mut history, account);
        }
    });
    Reading { transcripts: vec![titled(history)], account }
}

/// A list's items, or the document itself.
fn items(document: &RawValue) -> Vec<&RawValue> {
    if document.get().starts_with('[') {
        serde_json::from_str(document.get()).unwrap_or_default()
    } else {
        vec![document]
    }
}

fn document_call(line: u32, document: &RawValue, account: &mut Account) -> Option<Call> {
    if document.get().starts_with('[') {
        let messages: List<RawMessage<'_>> = serde_json::from_str(document.get()).ok()?;
        let messages = new_message(messages.0, line, account);
        return Some(Call { line, messages, ..Call::default() });
    }
    request_call(line, document, account).or_else(|| {
        let answer = answer(document, line, account)?;
        Some(Call { line, answer: Some(answer), ..Call::default() })
    })
}

/// `None` for what has no messages.
fn request_call(line: u32, document: &RawValue, account: &mut Account) -> Option<Call> {
    let raw: RawRequest<'_> = serde_json::from_str(document.get()).ok()?;
    let messages = raw.messages?;
    let system: Vec<String> = system_texts(raw.system, account);
    let tools: Vec<Tool> = raw.tools.0.iter().filter_map(|tool| self::tool(tool.0?)).collect();
    let has_preamble = !(system.is_empty() && tools.is_empty());
    Some(Call {
        line,
        at: None,
        // A history kept without its model is no recorded call.
        is_recorded: raw.model.as_str().is_some(),
        model: raw.model.into_string(),
        preamble: has_preamble.then_some(Preamble { system, tools }),
        parameters: parameters(document, &NOT_PARAMETERS),
        messages: new_message(messages.0, line, account),
        answer: None,
    })
}

fn system_texts(system: Content<'_>, account: &mut Account) -> Vec<String> {
    let texts = blocks(system, 0, account).into_iter().filter_map(|block| match block.kind {
        BlockKind::Text { text } => Some(text),
        BlockKind::Unknown { json, .. } => Some(json),
        _ => None,
    });
    texts.collect()
}

/// A tool's definition; OpenAI's form holds the name a level down.
pub(crate) fn tool(definition: &RawValue) -> Option<Tool> {
    let mut definition: Value = serde_json::from_str(definition.get()).ok()?;
    if let Some(fields) = definition.as_object_mut() {
        // Where the cache breaks is no part of the tool.
        fields.remove("cache_control");
    }
    let name = [&definition["name"], &definition["function"]["name"], &definition["type"]];
    let name = name.into_iter().find_map(Value::as_str).unwrap_or_default().to_owned();
    Some(Tool { name, definition })
}

fn new_message(messages: Vec<RawMessage<'_>>, line: u32, account: &mut Account) -> Vec<NewMessage> {
    let new_message = messages.into_iter().map(|raw| {
        let blocks = blocks(raw.content, line, account);
        let role = match raw.role.or_empty() {
            "assistant" => Role::Assistant,
            "system" => Role::System,
            _ => Role::User,
        };
        let origin = origin(role, &blocks);
        let blocks = blocks.into_iter().map(|block| block.kind).collect();
        NewMessage { role, origin, blocks, id: raw.id.into_string() }
    });
    new_message.collect()
}

fn origin(role: Role, blocks: &[Block]) -> Origin {
    if role == Role::Assistant {
        return Origin::Model;
    }
    let is_result = |block: &Block| matches!(block.kind, BlockKind::ToolResult { .. });
    if blocks.iter().any(is_result) { Origin::ToolResults } else { Origin::Unsaid }
}

/// A response. `None` for what is none, an error among them.
fn answer(document: &RawValue, line: u32, account: &mut Account) -> Option<Answer> {
    let raw: RawMessage<'_> = serde_json::from_str(document.get()).ok()?;
    raw.role.as_str().filter(|&role| role == "assistant")?;
    if matches!(raw.content, Content::Absent) {
        return None;
    }
    let blocks = blocks(raw.content, line, account).into_iter().map(|block| block.kind).collect();
    Some(Answer {
        id: raw.id.into_string(),
        request_id: None,
        model: raw.model.into_string(),
        blocks,
        usage: raw.usage.is_recorded().then(|| raw.usage.into_usage()),
        stop_reason: raw.stop_reason.into_string(),
        applied_edits: raw.context_management.into_edits(),
    })
}

fn log_pair(line: u32, document: &RawValue, history: &mut History, account: &mut Account) {
    let raw: RawPair<'_> = serde_json::from_str(document.get()).unwrap_or_default();
    if raw.request.url.or_empty().contains("count_tokens") {
        count(&mut account.without_context, "count_tokens");
        return;
    }
    let call = raw.request.body.0.and_then(|body| request_call(line, body, account));
    let Some(mut call) = call else {
        count(&mut account.without_context, "another call");
        return;
    };
    call.at = raw.request.timestamp.0.and_then(instant);
    call.at = call.at.or_else(|| Timestamp::parse(raw.logged_at.or_empty()).ok());
    call.answer = response(&raw.response, line, account);
    if call.answer.is_none() {
        odd(account, Oddity::CallWithoutAnAnswer);
    }
    history.call(call);
}

/// Seconds since 1970, or RFC 3339.
fn instant(value: &RawValue) -> Option<Timestamp> {
    match serde_json::from_str(value.get()).ok()? {
        Value::String(text) => Timestamp::parse(&text).ok(),
        Value::Number(seconds) => {
            let micros = seconds.as_f64()? * 1e6;
            #[allow(clippy::cast_possible_truncation)] // `as` saturates
            Some(Timestamp::from_micros(micros as i64))
        }
        _ => None,
    }
}

fn response(raw: &RawHttpResponse<'_>, line: u32, account: &mut Account) -> Option<Answer> {
    let request_id = raw.headers.request_id.as_str().map(str::to_owned);
    let body = raw.body.0;
    let from_stream = |text: &str, account: &mut Account| {
        let message = stream::message(text)?;
        let message = serde_json::value::to_raw_value(&message).ok()?;
        answer(&message, line, account)
    };
    let answer = match body {
        Some(body) if body.get().starts_with('"') => {
            let text: String = serde_json::from_str(body.get()).ok()?;
            from_stream(&text, account)
        }
        Some(body) => answer(body, line, account),
        None => None,
    };
    let answer = answer.or_else(|| from_stream(raw.stream.as_str()?, account))?;
    Some(Answer { request_id, ..answer })
}

fn titled(history: History) -> crate::Transcript {
    let mut transcript = history.finish();
    transcript.session.title = crate::title(&transcript.messages);
    transcript
}
