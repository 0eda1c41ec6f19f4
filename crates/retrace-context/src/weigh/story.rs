//! Small transcripts for tests, told step by step. Tokens are characters there.

use super::{CountBy, Framing, TextCounter, Weighing, weigh};
use crate::weight::Weights;
use retrace_transcript::{
    Block, BlockKind, Cause, Format, Message, Origin, Request, ResultPart, Role, Segment, Session,
    Transcript, Usage,
};
use serde_json::Value;

/// A transcript being told.
pub(crate) struct Story {
    pub transcript: Transcript,
    model: String,
}

/// Weighing of the stories: a token a character, no frame around the request, `[cleared]` in place of results.
pub(crate) const WEIGHING: Weighing<'static> = Weighing {
    family: "characters",
    family_assumed: false,
    frame: 6,
    framing: Framing::CLAUDE,
    placeholder: "[cleared]",
};

/// Counts characters.
pub(crate) fn characters() -> impl TextCounter {
    CountBy(|text: &str| text.chars().count() as u64)
}

impl Story {
    pub(crate) fn new(model: &str) -> Self {
        let transcript = Transcript {
            format: Format::MessagesRequest,
            session: Session::default(),
            preambles: Vec::new(),
            messages: Vec::new(),
            segments: vec![segment(Vec::new(), Cause::Start)],
            requests: Vec::new(),
            done: Vec::new(),
            folded: Vec::new(),
        };
        Self { transcript, model: model.to_owned() }
    }

    /// A message with these blocks at the end of the segment.
    pub(crate) fn says(&mut self, role: Role, origin: Origin, blocks: Vec<BlockKind>) -> &mut Self {
        let line = self.transcript.messages.len() as u32 + 1;
        let blocks = blocks.into_iter().map(|kind| Block { kind, line }).collect();
        let index = self.transcript.messages.len();
        let message = Message { role, origin, blocks, uuid: None, api_id: None, at: None, line };
        self.transcript.messages.push(message);
        self.transcript.segments.last_mut().expect("a segment").messages.push(index);
        self
    }

    pub(crate) fn types(&mut self, text: &str) -> &mut Self {
        self.says(Role::User, Origin::Typed, vec![words(text)])
    }

    pub(crate) fn results(&mut self, results: &[(&str, &str)]) -> &mut Self {
        let blocks = results.iter().map(|(id, text)| result(id, text)).collect();
        self.says(Role::User, Origin::ToolResults, blocks)
    }

    /// A request over what was said so far, and its answer.
    pub(crate) fn answers(&mut self, usage: Option<Usage>, blocks: Vec<BlockKind>) -> &mut Self {
        let segment = self.transcript.segments.len() - 1;
        let upto = self.transcript.segments[segment].messages.len();
        let response = self.transcript.messages.len();
        self.says(Role::Assistant, Origin::Model, blocks);
        self.transcript.requests.push(Request {
            id: format!("msg_{}", self.transcript.requests.len()),
            request_id: None,
            at: None,
            model: Some(self.model.clone()),
            segment,
            upto,
            response: Some(response),
            preamble: None,
            usage,
            output_is_final: true,
            stop_reason: None,
            applied_edits: None,
            parameters: Value::Null,
        });
        self
    }

    /// A new segment with these messages.
    pub(crate) fn begins_again(&mut self, messages: Vec<usize>, cause: Cause) -> &mut Self {
        self.transcript.segments.push(segment(messages, cause));
        self
    }

    pub(crate) fn weights(&self) -> Weights {
        weigh(&self.transcript, &characters(), &WEIGHING)
    }
}

fn segment(messages: Vec<usize>, cause: Cause) -> Segment {
    Segment { messages, cause, dropped_results: Default::default() }
}

pub(crate) fn words(text: &str) -> BlockKind {
    BlockKind::Text { text: text.to_owned() }
}

pub(crate) fn thinks(text: &str) -> BlockKind {
    BlockKind::Thinking { text: text.to_owned(), signature_bytes: 0, redacted: false }
}

pub(crate) fn calls(id: &str, name: &str, input: Value) -> BlockKind {
    BlockKind::ToolUse { id: id.to_owned(), name: name.to_owned(), input, server: false, added: Vec::new() }
}

pub(crate) fn result(id: &str, text: &str) -> BlockKind {
    BlockKind::ToolResult {
        tool_use_id: id.to_owned(),
        content: vec![ResultPart::Text(text.to_owned())],
        is_error: false,
        denied: false,
        server: false,
    }
}

/// Usage that says how large the context was and how much came out.
pub(crate) fn used(context: u64, output: u64) -> Usage {
    Usage { input: context, output, ..Usage::default() }
}
