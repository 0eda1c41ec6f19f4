//! Transcripts for tests, told in a few words; weights are given, not counted.

use crate::weight::{Basis, BlockWeight, PreambleWeight, Weights};
use retrace_model::Timestamp;
use retrace_transcript::{
    Block, BlockKind, Cause, Format, Message, Origin, Preamble, Request, ResultPart, Role, Segment, Session,
    Transcript, Usage,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Tokens of system and tools.
pub(super) const BASE: u64 = 1_000;

/// A transcript in the making. Each answer is a request whose context is recorded, unless said otherwise.
#[derive(Debug)]
pub(super) struct Story {
    pub(super) transcript: Transcript,
    pub(super) weights: Weights,
    model: String,
    clock: i64,
    read: u64,
}

impl Story {
    pub(super) fn new(model: &str) -> Self {
        let transcript = Transcript {
            format: Format::ClaudeCode,
            session: Session::default(),
            preambles: vec![Preamble::default()],
            messages: Vec::new(),
            segments: vec![segment(Cause::Start, Vec::new())],
            requests: Vec::new(),
            done: Vec::new(),
            folded: Vec::new(),
        };
        let preambles = vec![PreambleWeight { system: BASE, tools: 0 }];
        let weights = Weights { preambles, placeholder: 10, ..Weights::default() };
        Self { transcript, weights, model: model.to_owned(), clock: 0, read: 0 }
    }

    fn push(&mut self, role: Role, origin: Origin, blocks: Vec<(BlockKind, u64)>) -> usize {
        let index = self.transcript.messages.len();
        let (kinds, weights): (Vec<_>, Vec<_>) = blocks.into_iter().unzip();
        let blocks = kinds.into_iter().map(|kind| Block { kind, line: 0 }).collect();
        let message = Message { role, origin, blocks, uuid: None, api_id: None, at: None, line: 0 };
        self.transcript.messages.push(message);
        let weigh = |content| BlockWeight { content, frame: 5 };
        self.weights.messages.push(weights.into_iter().map(weigh).collect());
        self.segment().messages.push(index);
        index
    }

    fn segment(&mut self) -> &mut Segment {
        self.transcript.segments.last_mut().expect("a segment")
    }

    /// A person types.
    pub(super) fn typed(mut self, tokens: u64) -> Self {
        self.push(Role::User, Origin::Typed, vec![(text(), tokens)]);
        self
    }

    /// The model thinks and calls tools; `calls` are ids with names.
    pub(super) fn calls(self, thinking: u64, calls: &[(&str, &str)]) -> Self {
        let mut blocks: Vec<(BlockKind, u64)> = Vec::new();
        if thinking > 0 {
            let kind = BlockKind::Thinking { text: String::new(), signature_bytes: 0, redacted: false };
            blocks.push((kind, thinking));
        }
        for (id, name) in calls {
            let input = json!({"path": id});
            let (id, name) = ((*id).to_owned(), (*name).to_owned());
            blocks.push((BlockKind::ToolUse { id, name, input, server: false, added: Vec::new() }, 20));
        }
        self.answer(blocks)
    }

    /// The model answers with text.
    pub(super) fn says(self, tokens: u64) -> Self {
        self.answer(vec![(text(), tokens)])
    }

    /// Tools answer; each with its bytes and as many tokens.
    pub(super) fn results(mut self, results: &[(&str, usize)]) -> Self {
        let blocks = results
            .iter()
            .map(|(id, bytes)| {
                let kind = BlockKind::ToolResult {
                    tool_use_id: (*id).to_owned(),
                    content: vec![ResultPart::Text("x".repeat(*bytes))],
                    is_error: false,
                    denied: false,
                    server: false,
                };
                (kind, *bytes as u64)
            })
            .collect();
        self.push(Role::User, Origin::ToolResults, blocks);
        self
    }

    /// A new segment that begins with the first `keep` messages of the one before.
    pub(super) fn segment_from(mut self, cause: Cause, keep: usize) -> Self {
        let messages = self.segment().messages[..keep].to_vec();
        self.transcript.segments.push(segment(cause, messages));
        self
    }

    /// Time goes by.
    pub(super) fn minutes(mut self, minutes: i64) -> Self {
        self.clock += minutes * 60_000_000;
        self
    }

    /// Forgets what was recorded: contexts are then sums.
    pub(super) fn unrecorded(mut self) -> Self {
        for request in &mut self.transcript.requests {
            request.usage = None;
        }
        self.weights.bases.fill(Basis::Counted);
        self
    }

    fn answer(mut self, blocks: Vec<(BlockKind, u64)>) -> Self {
        let output = blocks.iter().map(|(_, tokens)| tokens + 5).sum();
        let upto = self.segment().messages.len();
        let sent: u64 = self.segment().messages.clone().iter().map(|&index| self.message(index)).sum();
        let context = BASE + sent;
        let response = self.push(Role::Assistant, Origin::Model, blocks);
        let read = self.read.min(context);
        self.read = context;
        self.clock += 1_000_000;
        let usage = Usage { cache_read: read, cache_creation: context - read, output, ..Usage::default() };
        self.weights.contexts.push(context);
        self.weights.weighed.push(context);
        self.weights.bases.push(Basis::Recorded);
        self.transcript.requests.push(Request {
            id: format!("msg_{}", self.transcript.requests.len()),
            request_id: None,
            at: Some(Timestamp::from_micros(self.clock)),
            model: Some(self.model.clone()),
            segment: self.transcript.segments.len() - 1,
            upto,
            response: Some(response),
            preamble: Some(0),
            usage: Some(usage),
            output_is_final: true,
            stop_reason: None,
            applied_edits: None,
            parameters: Value::Null,
        });
        self
    }

    fn message(&self, index: usize) -> u64 {
        self.weights.messages[index].iter().map(|block| block.total()).sum()
    }

    pub(super) fn prepared(&self) -> super::Prepared {
        super::Prepared::new(&self.transcript, &self.weights)
    }
}

fn text() -> BlockKind {
    BlockKind::Text { text: String::new() }
}

fn segment(cause: Cause, messages: Vec<usize>) -> Segment {
    Segment { messages, cause, dropped_results: Arc::new(BTreeSet::new()) }
}

/// A run of `rounds` calls, each answered with `bytes`.
pub(super) fn rounds(model: &str, rounds: usize, bytes: usize) -> Story {
    let mut story = Story::new(model).typed(100);
    for round in 0..rounds {
        let id = format!("t{round}");
        story = story.calls(0, &[(&id, "read")]).results(&[(&id, bytes)]);
    }
    story.says(50)
}
