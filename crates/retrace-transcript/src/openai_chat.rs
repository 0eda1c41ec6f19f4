//! OpenAI chat completions: requests, responses, pairs of both, and histories.

use crate::account::{count, odd};
use crate::documents::each_document;
use crate::history::{Answer, Call, History, NewMessage, parameters};
use crate::items::{arguments, content_part};
use crate::lenient::{Count, List, Raw, Text, lenient_object};
use crate::messages::tool;
use crate::{
    Account, BlockKind, Format, Oddity, Origin, Preamble, Reading, ResultPart, Role, Session, Usage,
};
use retrace_model::Timestamp;
use serde_json::value::RawValue;

lenient_object! {
    /// A request, a response, a pair of both, or a history.
    struct RawDocument<'a> {
        model: Text<'a> = "model",
        id: Text<'a> = "id",
        created: Count = "created",
        messages: Option<List<RawMessage<'a>>> = "messages",
        tools: List<Raw<'a>> = "tools",
        functions: List<Raw<'a>> = "functions",
        choices: Option<List<RawChoice<'a>>> = "choices",
        usage: Option<RawChatUsage<'a>> = "usage",
        request: Raw<'a> = "request",
        response: Raw<'a> = "response",
        body: Raw<'a> = "body",
    }
}

lenient_object! {
    struct RawChoice<'a> {
        message: Option<RawMessage<'a>> = "message",
        finish_reason: Text<'a> = "finish_reason",
    }
}

lenient_object! {
    struct RawMessage<'a> {
        role: Text<'a> = "role",
        content: Raw<'a> = "content",
        reasoning: Text<'a> = "reasoning_content",
        refusal: Text<'a> = "refusal",
        tool_calls: List<RawToolCall<'a>> = "tool_calls",
        function_call: Option<RawFunction<'a>> = "function_call",
        tool_call_id: Text<'a> = "tool_call_id",
        name: Text<'a> = "name",
    }
}

lenient_object! {
    struct RawToolCall<'a> {
        id: Text<'a> = "id",
        function: RawFunction<'a> = "function",
        custom: RawFunction<'a> = "custom",
    }
}

lenient_object! {
    struct RawFunction<'a> {
        name: Text<'a> = "name",
        arguments: Raw<'a> = "arguments",
        input: Raw<'a> = "input",
    }
}

lenient_object! {
    struct RawChatUsage<'a> {
        input: Count = "prompt_tokens",
        output: Count = "completion_tokens",
        input_details: RawDetails<'a> = "prompt_tokens_details",
        output_details: RawDetails<'a> = "completion_tokens_details",
    }
}

lenient_object! {
    struct RawDetails<'a> {
        cached: Count = "cached_tokens",
        reasoning: Count = "reasoning_tokens",
    }
}

/// Fields of a request that are not parameters.
const NOT_PARAMETERS: [&str; 4] = ["model", "messages", "tools", "functions"];

pub(crate) fn read(bytes: &[u8]) -> Reading {
    let mut account = Account::default();
    let mut history = History::new(Format::OpenAiChat, Session::default());
    each_document(bytes, &mut account, |line, document, account| match call(line, document, account) {
        Some(call) => history.call(call),
        None => count(&mut account.unknown, "document"),
    });
    let mut transcript = history.finish();
    transcript.session.title = crate::title(&transcript.messages);
    Reading { transcripts: vec![transcript], account }
}

fn call(line: u32, document: &RawValue, account: &mut Account) -> Option<Call> {
    if document.get().starts_with('[') {
        let messages: List<RawMessage<'_>> = serde_json::from_str(document.get()).ok()?;
        let messages = messages.0.into_iter().map(|raw| new_message(raw, account)).collect();
        return Some(Call { line, messages, ..Call::default() });
    }
    let raw: RawDocument<'_> = serde_json::from_str(document.get()).ok()?;
    if let Some(request) = raw.request.0 {
        let request = body(request);
        let mut call = call_of_request(line, request, serde_json::from_str(request.get()).ok()?, account)?;
        let answered = raw.response.0.and_then(|response| {
            let answered: RawDocument<'_> = serde_json::from_str(body(response).get()).ok()?;
            let at = answered.created;
            Some((answer(answered, account)?, at))
        });
        if let Some((answer, at)) = answered {
            call.at = instant(at);
            call.answer = Some(answer);
        }
        return Some(call);
    }
    if raw.messages.is_some() {
        return call_of_request(line, document, raw, account);
    }
    let at = instant(raw.created);
    answer(raw, account).map(|answer| Call { line, at, answer: Some(answer), ..Call::default() })
}

/// Removes a proxy's envelope of a request or response.
fn body(outer: &RawValue) -> &RawValue {
    let raw: RawDocument<'_> = serde_json::from_str(outer.get()).unwrap_or_default();
    raw.body.0.unwrap_or(outer)
}

fn instant(created: Count) -> Option<Timestamp> {
    let seconds = i64::try_from(created.0?).ok()?;
    Some(Timestamp::from_micros(seconds.saturating_mul(1_000_000)))
}

fn call_of_request(
    line: u32,
    document: &RawValue,
    raw: RawDocument<'_>,
    account: &mut Account,
) -> Option<Call> {
    let messages = raw.messages?.0.into_iter().map(|raw| new_message(raw, account)).collect();
    let tools: Vec<_> = raw.tools.0.iter().chain(&raw.functions.0).filter_map(|raw| tool(raw.0?)).collect();
    Some(Call {
        line,
        is_recorded: raw.model.as_str().is_some(),
        model: raw.model.into_string(),
        preamble: (!tools.is_empty()).then_some(Preamble { system: Vec::new(), tools }),
        parameters: parameters(document, &NOT_PARAMETERS),
        messages,
        ..Call::default()
    })
}

fn answer(raw: RawDocument<'_>, account: &mut Account) -> Option<Answer> {
    let mut choices = raw.choices?.0.into_iter();
    let choice = choices.next().unwrap_or_default();
    if choices.next().is_some() {
        odd(account, Oddity::FurtherChoicesLeftOut);
    }
    let blocks = choice.message.map(|message| new_message(message, account).blocks).unwrap_or_default();
    Some(Answer {
        id: raw.id.into_string(),
        request_id: None,
        model: raw.model.into_string(),
        blocks,
        usage: raw.usage.as_ref().map(usage),
        stop_reason: choice.finish_reason.into_string(),
        applied_edits: None,
    })
}

/// Prompt tokens include those read from the cache.
fn usage(raw: &RawChatUsage<'_>) -> Usage {
    let cached = raw.input_details.cached.or_zero();
    Usage {
        input: raw.input.or_zero().saturating_sub(cached),
        cache_read: cached,
        output: raw.output.or_zero(),
        reasoning: raw.output_details.reasoning.0,
        ..Usage::default()
    }
}

fn new_message(raw: RawMessage<'_>, account: &mut Account) -> NewMessage {
    let parts = raw.content.0.map(|content| parts(content, account)).unwrap_or_default();
    let (role, origin) = match raw.role.or_empty() {
        "assistant" => (Role::Assistant, Origin::Model),
        "system" | "developer" => (Role::System, Origin::Client),
        "tool" | "function" => (Role::User, Origin::ToolResults),
        _ => (Role::User, Origin::Unsaid),
    };
    if origin == Origin::ToolResults {
        let id = raw.tool_call_id.or_empty();
        let tool_use_id = if id.is_empty() { raw.name.or_empty() } else { id }.to_owned();
        let content = parts.into_iter().map(result_part).collect();
        let result =
            BlockKind::ToolResult { tool_use_id, content, is_error: false, denied: false, server: false };
        return NewMessage { role, origin, blocks: vec![result], id: None };
    }
    let mut blocks = Vec::new();
    if let Some(text) = raw.reasoning.into_string().filter(|text| !text.is_empty()) {
        blocks.push(BlockKind::Thinking { text, signature_bytes: 0, redacted: false });
    }
    blocks.extend(parts);
    if let Some(text) = raw.refusal.into_string().filter(|text| !text.is_empty()) {
        blocks.push(BlockKind::Text { text });
    }
    for call in raw.tool_calls.0 {
        let function = if call.function.name.as_str().is_some() { call.function } else { call.custom };
        blocks.push(tool_use(call.id.or_empty(), &function));
    }
    if let Some(function) = raw.function_call {
        // The old form has no ids; its result names the function.
        blocks.push(tool_use(function.name.or_empty(), &function));
    }
    NewMessage { role, origin, blocks, id: None }
}

fn tool_use(id: &str, function: &RawFunction<'_>) -> BlockKind {
    let input = function.arguments.0.or(function.input.0).map(arguments).unwrap_or_default();
    BlockKind::ToolUse {
        id: id.to_owned(),
        name: function.name.or_empty().to_owned(),
        input,
        server: false,
        added: Vec::new(),
    }
}

fn parts(content: &RawValue, account: &mut Account) -> Vec<BlockKind> {
    let json = content.get();
    match json.as_bytes().first() {
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
            items.into_iter().map(|item| content_part(item, account)).collect()
        }
        Some(b'"' | b'{') => match content_part(content, account) {
            BlockKind::Text { text } if text.is_empty() => Vec::new(),
            part => vec![part],
        },
        _ => Vec::new(),
    }
}

fn result_part(kind: BlockKind) -> ResultPart {
    match kind {
        BlockKind::Text { text } => ResultPart::Text(text),
        BlockKind::Media(media) => ResultPart::Media(media),
        BlockKind::Unknown { json, .. } => ResultPart::Other(json),
        other => ResultPart::Other(format!("{other:?}")),
    }
}
