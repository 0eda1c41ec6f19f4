//! Calls that carry their whole history, put together to one transcript.
//!
//! A call whose messages go on from those of an earlier one, its answer included, shares that one's segment; any other
//! begins a new one, which shares the messages of their common beginning. A message of the model inside a history is the
//! answer of an earlier call of which nothing else is known.

use crate::{
    AppliedEdit, Block, BlockKind, Cause, Format, Message, MessageIndex, Origin, Preamble, Request, Role,
    Segment, Session, Transcript, Usage,
};
use retrace_model::Timestamp;
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;

/// Number of the latest segments a call is compared with. Clients have a few conversations at once.
const SEGMENTS_TRIED: usize = 64;

/// A message of a history.
#[derive(Debug)]
pub(crate) struct NewMessage {
    pub role: Role,
    pub origin: Origin,
    pub blocks: Vec<BlockKind>,
    pub id: Option<String>,
}

/// Answer of the model to a call.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub id: Option<String>,
    pub request_id: Option<String>,
    pub model: Option<String>,
    pub blocks: Vec<BlockKind>,
    pub usage: Option<Usage>,
    pub stop_reason: Option<String>,
    pub applied_edits: Option<Vec<AppliedEdit>>,
}

/// One call as recorded.
#[derive(Debug, Default)]
pub(crate) struct Call {
    /// Line of the file; 0 where it is not made of lines.
    pub line: u32,
    pub at: Option<Timestamp>,
    pub model: Option<String>,
    pub preamble: Option<Preamble>,
    pub parameters: Value,
    pub messages: Vec<NewMessage>,
    pub answer: Option<Answer>,
    /// True if the call itself was recorded, rather than only its answer or a history.
    pub is_recorded: bool,
}

pub(crate) struct History {
    transcript: Transcript,
    ids: HashSet<String>,
}

impl History {
    pub(crate) fn new(format: Format, session: Session) -> Self {
        let transcript = Transcript {
            format,
            session,
            preambles: Vec::new(),
            messages: Vec::new(),
            segments: Vec::new(),
            requests: Vec::new(),
            done: Vec::new(),
            folded: Vec::new(),
        };
        Self { transcript, ids: HashSet::new() }
    }

    pub(crate) fn call(&mut self, call: Call) {
        let session = &mut self.transcript.session;
        session.started_at = session.started_at.or(call.at);
        session.ended_at = call.at.or(session.ended_at);
        let preamble = call.preamble.map(|preamble| self.preamble(preamble));
        let (segment, known) = self.segment(&call.messages);
        let ends_with_answer =
            call.answer.is_none() && call.messages.last().is_some_and(|last| last.role == Role::Assistant);
        for new_message in call.messages.into_iter().skip(known) {
            let is_answer = new_message.role == Role::Assistant;
            let id = new_message.id.clone();
            let upto = self.transcript.segments[segment].messages.len();
            let index = self.push(segment, new_message, None, call.line);
            if is_answer {
                let request = Request {
                    model: call.model.clone(),
                    response: Some(index),
                    preamble,
                    ..self.request(id, segment, upto)
                };
                self.transcript.requests.push(request);
            }
        }
        if call.answer.is_none() && (ends_with_answer || !call.is_recorded) {
            return;
        }
        let upto = self.transcript.segments[segment].messages.len();
        let answer = call.answer.unwrap_or_default();
        let has_answer = !answer.blocks.is_empty() || answer.id.is_some();
        let response = has_answer.then(|| {
            let new_message = NewMessage {
                role: Role::Assistant,
                origin: Origin::Model,
                blocks: answer.blocks,
                id: answer.id.clone(),
            };
            self.push(segment, new_message, call.at, call.line)
        });
        let request = Request {
            request_id: answer.request_id,
            at: call.at,
            model: answer.model.or(call.model),
            response,
            preamble,
            // A recorded response is written once it is whole.
            output_is_final: answer.usage.is_some() && answer.stop_reason.is_some(),
            usage: answer.usage,
            stop_reason: answer.stop_reason,
            applied_edits: answer.applied_edits,
            parameters: call.parameters,
            ..self.request(answer.id, segment, upto)
        };
        self.transcript.requests.push(request);
    }

    pub(crate) fn finish(mut self) -> Transcript {
        if self.transcript.segments.is_empty() {
            self.begin(Vec::new());
        }
        self.transcript
    }

    fn begin(&mut self, messages: Vec<MessageIndex>) -> usize {
        let cause = if self.transcript.segments.is_empty() { Cause::Start } else { Cause::Replaced };
        self.transcript.segments.push(Segment { messages, cause, dropped_results: Arc::default() });
        self.transcript.segments.len() - 1
    }

    /// The segment a history belongs to, and how many of its messages that already has.
    fn segment(&mut self, history: &[NewMessage]) -> (usize, usize) {
        let segments = &self.transcript.segments;
        let mut best: Option<(usize, usize)> = None;
        for (number, segment) in segments.iter().enumerate().rev().take(SEGMENTS_TRIED) {
            let common = self.common(segment, history);
            if common == segment.messages.len() && (common > 0 || history.is_empty()) {
                return (number, common);
            }
            if best.is_none_or(|(_, most)| common > most) {
                best = Some((number, common));
            }
        }
        let (source, common) = best.unwrap_or((0, 0));
        let shared =
            segments.get(source).map(|segment| segment.messages[..common].to_vec()).unwrap_or_default();
        (self.begin(shared), common)
    }

    fn common(&self, segment: &Segment, history: &[NewMessage]) -> usize {
        segment
            .messages
            .iter()
            .zip(history)
            .take_while(|&(&index, new_message)| is_same(&self.transcript.messages[index], new_message))
            .count()
    }

    fn push(
        &mut self,
        segment: usize,
        new_message: NewMessage,
        at: Option<Timestamp>,
        line: u32,
    ) -> MessageIndex {
        let index = self.transcript.messages.len();
        let is_model = new_message.role == Role::Assistant;
        self.transcript.messages.push(Message {
            role: new_message.role,
            origin: new_message.origin,
            blocks: new_message.blocks.into_iter().map(|kind| Block { kind, line }).collect(),
            uuid: None,
            api_id: new_message.id.filter(|_| is_model),
            at,
            line,
        });
        self.transcript.segments[segment].messages.push(index);
        index
    }

    fn preamble(&mut self, preamble: Preamble) -> usize {
        let preambles = &mut self.transcript.preambles;
        // The latest is nearly always the same again.
        preambles.iter().rposition(|known| *known == preamble).unwrap_or_else(|| {
            preambles.push(preamble);
            preambles.len() - 1
        })
    }

    /// A request of which nothing is known but what it sent.
    fn request(&mut self, id: Option<String>, segment: usize, upto: usize) -> Request {
        let number = self.transcript.requests.len();
        let id = id.filter(|id| !self.ids.contains(id));
        let mut unique = id.unwrap_or_else(|| format!("request-{number}"));
        while !self.ids.insert(unique.clone()) {
            unique.push('\'');
        }
        Request {
            id: unique,
            request_id: None,
            at: None,
            model: None,
            segment,
            upto,
            response: None,
            preamble: None,
            usage: None,
            output_is_final: false,
            stop_reason: None,
            applied_edits: None,
            parameters: Value::Null,
        }
    }
}

/// True if a message of a history is one that is known. Clients may leave thinking out of an answer they send back.
fn is_same(message: &Message, new_message: &NewMessage) -> bool {
    fn spoken<'b>(kinds: impl Iterator<Item = &'b BlockKind>) -> impl Iterator<Item = &'b BlockKind> {
        kinds.filter(|kind| !matches!(kind, BlockKind::Thinking { .. }))
    }
    message.role == new_message.role
        && if message.role == Role::Assistant {
            spoken(message.blocks.iter().map(|block| &block.kind)).eq(spoken(new_message.blocks.iter()))
        } else {
            message.blocks.iter().map(|block| &block.kind).eq(new_message.blocks.iter())
        }
}

/// The fields of a recorded request but for those kept elsewhere. Null if there are none.
pub(crate) fn parameters(request: &serde_json::value::RawValue, kept_elsewhere: &[&str]) -> Value {
    use serde_json::value::RawValue;
    let fields: std::collections::BTreeMap<String, &RawValue> =
        serde_json::from_str(request.get()).unwrap_or_default();
    let rest: serde_json::Map<String, Value> = fields
        .into_iter()
        .filter(|(name, _)| !kept_elsewhere.contains(&name.as_str()))
        .filter_map(|(name, value)| Some((name, serde_json::from_str(value.get()).ok()?)))
        .collect();
    if rest.is_empty() { Value::Null } else { Value::Object(rest) }
}
