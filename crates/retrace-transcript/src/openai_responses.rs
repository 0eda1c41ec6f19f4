//! OpenAI responses: requests, responses, and pairs of both.

use crate::account::count;
use crate::documents::each_document;
use crate::history::{Answer, Call, History, NewMessage, parameters};
use crate::items::{Item, RawItemUsage, item};
use crate::lenient::{Count, List, Raw, Text, lenient_object};
use crate::messages::tool;
use crate::{Account, BlockKind, Format, Origin, Preamble, Reading, Role, Session};
use retrace_model::Timestamp;
use serde_json::value::RawValue;

lenient_object! {
    /// A request, a response, or a pair of both.
    struct RawDocument<'a> {
        id: Text<'a> = "id",
        model: Text<'a> = "model",
        created_at: Count = "created_at",
        instructions: Text<'a> = "instructions",
        input: Raw<'a> = "input",
        tools: List<Raw<'a>> = "tools",
        output: Option<List<Raw<'a>>> = "output",
        status: Text<'a> = "status",
        usage: RawItemUsage<'a> = "usage",
        request: Raw<'a> = "request",
        response: Raw<'a> = "response",
        body: Raw<'a> = "body",
    }
}

/// Fields of a request that are not parameters.
const NOT_PARAMETERS: [&str; 4] = ["model", "input", "instructions", "tools"];

pub(crate) fn read(bytes: &[u8]) -> Reading {
    let mut account = Account::default();
    let mut history = History::new(Format::OpenAiResponses, Session::default());
    each_document(bytes, &mut account, |line, document, account| match call(line, document, account) {
        Some(call) => history.call(call),
        None => count(&mut account.unknown, "document"),
    });
    let mut transcript = history.finish();
    transcript.session.title = crate::title(&transcript.messages);
    Reading { transcripts: vec![transcript], account }
}

fn call(line: u32, document: &RawValue, account: &mut Account) -> Option<Call> {
    let raw: RawDocument<'_> = serde_json::from_str(document.get()).ok()?;
    if let Some(request) = raw.request.0 {
        let request = body(request);
        let mut call = call_of_request(line, request, account)?;
        if let Some((answer, at)) = raw.response.0.and_then(|response| answer(body(response), account)) {
            call.answer = Some(answer);
            call.at = at;
        }
        return Some(call);
    }
    if raw.input.0.is_some() {
        return call_of_request(line, document, account);
    }
    let (answer, at) = answer(document, account)?;
    Some(Call { line, at, answer: Some(answer), ..Call::default() })
}

/// Removes a proxy's envelope of a request or response.
fn body(outer: &RawValue) -> &RawValue {
    let raw: RawDocument<'_> = serde_json::from_str(outer.get()).unwrap_or_default();
    raw.body.0.unwrap_or(outer)
}

fn call_of_request(line: u32, document: &RawValue, account: &mut Account) -> Option<Call> {
    let raw: RawDocument<'_> = serde_json::from_str(document.get()).ok()?;
    let input = raw.input.0?;
    let mut given = Vec::new();
    let messages = if input.get().starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(input.get()).unwrap_or_default();
        let mut items: Vec<Item> = items.into_iter().map(|json| item(json, account)).collect();
        items.retain_mut(|item| {
            given.append(&mut item.tools);
            !item.is_tools
        });
        joined(items.into_iter())
    } else {
        let text = serde_json::from_str(input.get()).unwrap_or_default();
        vec![NewMessage {
            role: Role::User,
            origin: Origin::Unsaid,
            blocks: vec![BlockKind::Text { text }],
            id: None,
        }]
    };
    let system: Vec<String> = raw.instructions.into_string().into_iter().collect();
    let tools: Vec<_> = raw.tools.0.iter().filter_map(|raw| tool(raw.0?)).chain(given).collect();
    let has_preamble = !(system.is_empty() && tools.is_empty());
    Some(Call {
        line,
        is_recorded: true,
        model: raw.model.into_string(),
        preamble: has_preamble.then_some(Preamble { system, tools }),
        parameters: parameters(document, &NOT_PARAMETERS),
        messages,
        ..Call::default()
    })
}

fn answer(document: &RawValue, account: &mut Account) -> Option<(Answer, Option<Timestamp>)> {
    let raw: RawDocument<'_> = serde_json::from_str(document.get()).ok()?;
    let items = raw.output?.0;
    let blocks = items.iter().filter_map(|json| Some(item(json.0?, account).blocks)).flatten().collect();
    let seconds = raw.created_at.0.and_then(|seconds| i64::try_from(seconds).ok());
    let at = seconds.map(|seconds| Timestamp::from_micros(seconds.saturating_mul(1_000_000)));
    let answer = Answer {
        id: raw.id.into_string(),
        request_id: None,
        model: raw.model.into_string(),
        blocks,
        usage: raw.usage.is_recorded().then(|| raw.usage.to_usage()),
        stop_reason: raw.status.into_string(),
        applied_edits: None,
    };
    Some((answer, at))
}

/// Items of the model that follow each other are one message.
fn joined(items: impl Iterator<Item = Item>) -> Vec<NewMessage> {
    let mut messages: Vec<NewMessage> = Vec::new();
    for item in items {
        match messages.last_mut() {
            Some(last) if last.role == Role::Assistant && item.role == Role::Assistant => {
                last.blocks.extend(item.blocks);
            }
            _ => messages.push(NewMessage {
                role: item.role,
                origin: item.origin,
                blocks: item.blocks,
                // An item's id is not its response's.
                id: None,
            }),
        }
    }
    messages
}
