//! Facts that every simulation of one transcript needs, worked out once: flat arrays of numbers instead of messages.

use super::marks::RequestMarks;
use crate::edits::{A_TURN_SPANS_ITS_TOOL_CALLS, TINY_RESULT_BYTES};
use crate::fit::Fit;
use crate::outcome::BlockAt;
use crate::settings::CLEAR_THINKING;
use crate::weight::{Basis, Weights};
use retrace_model::Timestamp;
use retrace_transcript::{
    AppliedEdit, BlockKind, Cause, Message, MessageIndex, Origin, Request, ResultPart, Role, Segment,
    Transcript, Usage,
};
use serde_json::Value;
use std::collections::HashMap;

/// A transcript and its weights, ready for any number of simulations. Owns what it needs and can be shared by threads.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(super) requests: Vec<RequestFacts>,
    pub(super) stretches: Vec<Stretch>,
    /// Names of tools; [`Use::tool`] points here.
    pub(super) tools: Vec<String>,
    /// Ids of tool uses; [`Use::id`] points here.
    pub(super) ids: Vec<String>,
    /// Models as recorded; [`RequestFacts::model`] points here.
    pub(super) models: Vec<String>,
    pub(super) placeholder: u64,
    /// True if the run caches.
    pub(super) caching: bool,
    /// True if more was written to the cache for an hour than for five minutes.
    pub(super) writes_for_an_hour: bool,
    /// True if the context of any request is recorded.
    recorded: bool,
    thinking: bool,
}

/// One request in numbers.
#[derive(Clone, Debug)]
pub(super) struct RequestFacts {
    pub(super) stretch: usize,
    /// Messages of the stretch that it sent.
    pub(super) upto: usize,
    /// Of these, how many the request before sent too, at the same places.
    pub(super) shared: usize,
    /// Context without any edit.
    pub(super) before: u64,
    /// Of that, what the server reported to have cleared when it ran, where its context is recorded.
    pub(super) cleared: u64,
    /// Tool uses and turns of thinking that it reported to have cleared.
    pub(super) reported: (u64, u64),
    /// Fit that brings its counted parts down to it.
    pub(super) fit: Fit,
    pub(super) basis: Basis,
    pub(super) model: Option<usize>,
    pub(super) at: Option<Timestamp>,
    pub(super) usage: Option<UsageFacts>,
    pub(super) output: u64,
    pub(super) refused: bool,
    /// The turn is not over: it has to be resumed before anything else is asked.
    pub(super) paused: bool,
    /// A call of the last answer has no result yet.
    pub(super) open_calls: bool,
    /// True if a `clear_thinking` edit was in force, so that the model's default was not.
    pub(super) thinking_edited: bool,
    /// Contexts at the starts of the sampling passes, where the response tells more than one.
    pub(super) passes: Vec<u64>,
    /// Its marks for the cache, where they are known.
    pub(super) marks: Option<RequestMarks>,
}

/// Recorded usage in numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UsageFacts {
    pub(super) read: u64,
    pub(super) write: u64,
    /// Of `write`, what lives for an hour.
    pub(super) write_1h: u64,
    pub(super) uncached: u64,
    /// True if the split of `write` by life was told.
    pub(super) reported_life: bool,
    pub(super) batch: bool,
    /// Served in fast mode.
    pub(super) fast: bool,
    /// Compactions by the server within the response, which its usage leaves out: input, written, read, output.
    pub(super) compactions: [u64; 4],
}

/// A segment in numbers. "Place" is a position in its list of messages.
#[derive(Clone, Debug, Default)]
pub(super) struct Stretch {
    pub(super) goes_on: bool,
    /// By place, and one more: tokens of all messages before it.
    pub(super) offset: Vec<u64>,
    pub(super) uses: Vec<Use>,
    /// By place, and one more: uses in all messages before it.
    pub(super) uses_before: Vec<u32>,
    /// By place, and one more: the use that owns the newest result before it.
    pub(super) newest: Vec<Option<u32>>,
    pub(super) thinking: Vec<Thought>,
    /// By place, and one more: blocks of thinking in all messages before it.
    pub(super) thinking_before: Vec<u32>,
    /// By block of thinking, and one more: tokens of all before it, and how much less and more that may be.
    pub(super) thinking_tokens: Vec<[u64; 3]>,
    /// By place, and one more: where the history begins after the last compaction by the server before it.
    pub(super) begins: Vec<u32>,
    /// System, tools and what is not recorded, as of its first request.
    pub(super) base: u64,
}

/// A use of a tool within a stretch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub(super) id: u32,
    pub(super) tool: u32,
    pub(super) server: bool,
    pub(super) at: BlockAt,
    pub(super) place: u32,
    pub(super) offset: u64,
    pub(super) input: u64,
    pub(super) result: Option<UseResult>,
}

/// The result of a use within a stretch.
#[derive(Clone, Copy, Debug)]
pub(super) struct UseResult {
    pub(super) at: BlockAt,
    pub(super) place: u32,
    pub(super) offset: u64,
    pub(super) content: u64,
    /// Amount `content` may be less, where it is estimated.
    pub(super) below: u64,
    /// Amount it may be more.
    pub(super) above: u64,
    pub(super) tiny: bool,
}

/// A block of thinking within a stretch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thought {
    pub(super) at: BlockAt,
    pub(super) place: u32,
    pub(super) offset: u64,
    pub(super) tokens: u64,
    /// Amount `tokens` may be less, where it is estimated.
    pub(super) below: u64,
    /// Amount it may be more.
    pub(super) above: u64,
    /// Number of its assistant turn among those that hold thinking.
    pub(super) turn: u32,
}

impl Prepared {
    /// Works out the arrays. `weights` are those of `transcript`; what they lack weighs nothing.
    #[must_use]
    pub fn new(transcript: &Transcript, weights: &Weights) -> Self {
        let mut names = Names::default();
        let mut stretches: Vec<Stretch> = transcript
            .segments
            .iter()
            .map(|segment| stretch(transcript, weights, segment, &mut names))
            .collect();
        let mut prepared = Self {
            requests: Vec::with_capacity(transcript.requests.len()),
            stretches: Vec::new(),
            tools: names.tools.list,
            ids: names.ids.list,
            models: Vec::new(),
            placeholder: weights.placeholder,
            caching: false,
            writes_for_an_hour: false,
            recorded: weights.bases.contains(&Basis::Recorded),
            thinking: false,
        };
        let mut models = Interned::default();
        for (index, request) in transcript.requests.iter().enumerate() {
            let mut facts = request_facts(transcript, weights, index, request, &stretches, &mut models);
            // A request of no segment sent nothing.
            if facts.stretch >= stretches.len() {
                facts.stretch = stretches.len();
            }
            facts.shared = shared(transcript, prepared.requests.last(), &facts);
            prepared.requests.push(facts);
        }
        prepared.models = models.list;
        stretches.push(Stretch { thinking_tokens: vec![[0; 3]], ..Stretch::default() });
        set_bases(&mut stretches, &prepared.requests, transcript, weights);
        prepared.thinking = stretches.iter().any(|stretch| !stretch.thinking.is_empty())
            || transcript.requests.iter().any(asks_for_thinking);
        prepared.stretches = stretches;
        prepared.note_caching();
        prepared
    }

    /// Number of requests.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.requests.len()
    }

    /// True if a request counts for the peak: where contexts are recorded, those alone do, so that the largest that is
    /// recorded is the peak of a run without a setting.
    pub(super) fn counts_for_peak(&self, facts: &RequestFacts) -> bool {
        !self.recorded || facts.basis == Basis::Recorded
    }

    /// True if the requests have thinking on: one asks for it, or thinking is there.
    #[must_use]
    pub fn has_thinking(&self) -> bool {
        self.thinking
    }

    /// Names of the tools that are called, in order of appearance.
    #[must_use]
    pub fn tools(&self) -> &[String] {
        &self.tools
    }

    /// Model of most requests.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        let mut counts = vec![0_usize; self.models.len()];
        for request in &self.requests {
            if let Some(count) = request.model.and_then(|model| counts.get_mut(model)) {
                *count += 1;
            }
        }
        let most = (0..counts.len()).max_by_key(|&index| (counts[index], std::cmp::Reverse(index)))?;
        self.models.get(most).map(String::as_str)
    }

    /// Id of a tool use, by the number a [`super::NewlyCleared`] carries.
    #[must_use]
    pub fn tool_use_id(&self, number: u32) -> &str {
        self.ids.get(number as usize).map_or("", String::as_str)
    }

    fn note_caching(&mut self) {
        let recorded = || self.requests.iter().filter_map(|request| request.usage.as_ref());
        let (mut any, mut cached, mut hour, mut minutes) = (false, false, 0_u64, 0_u64);
        for usage in recorded() {
            any = true;
            cached |= usage.read > 0 || usage.write > 0;
            hour = hour.saturating_add(usage.write_1h);
            minutes = minutes.saturating_add(usage.write - usage.write_1h.min(usage.write));
        }
        // Nothing recorded: a conversation of several requests would be sent with the cache on.
        self.caching = if any { cached } else { self.requests.len() > 1 };
        self.writes_for_an_hour = hour > minutes;
    }
}

/// Words numbered in order of appearance.
#[derive(Default)]
struct Interned {
    list: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Interned {
    fn number(&mut self, word: &str) -> u32 {
        if let Some(&number) = self.numbers.get(word) {
            return number;
        }
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push(word.to_owned());
        self.numbers.insert(word.to_owned(), number);
        number
    }
}

#[derive(Default)]
struct Names {
    tools: Interned,
    ids: Interned,
}

/// Places and counts fit: a file of 2^32 blocks is not read.
fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn stretch(transcript: &Transcript, weights: &Weights, segment: &Segment, names: &mut Names) -> Stretch {
    let mut making = Making {
        stretch: Stretch { goes_on: goes_on(&segment.cause), ..Stretch::default() },
        by_id: HashMap::new(),
        turn: 0,
        turn_has_thinking: false,
        newest: None,
        begins: 0,
        offset: 0,
    };
    for (place, &index) in segment.messages.iter().enumerate() {
        making.close();
        if let Some(message) = transcript.messages.get(index) {
            making.message(segment, weights, names, place, index, message);
        }
    }
    making.close();
    making.finish()
}

/// True if what a segment holds goes on from the one before it, so that a compaction within the common part still stands.
const fn goes_on(cause: &Cause) -> bool {
    matches!(cause, Cause::Microcompacted { .. } | Cause::Rewound)
}

/// A stretch in the making.
struct Making {
    stretch: Stretch,
    by_id: HashMap<String, u32>,
    turn: u32,
    turn_has_thinking: bool,
    newest: Option<u32>,
    begins: u32,
    offset: u64,
}

impl Making {
    /// Notes the counts before a place.
    fn close(&mut self) {
        self.stretch.offset.push(self.offset);
        self.stretch.uses_before.push(small(self.stretch.uses.len()));
        self.stretch.newest.push(self.newest);
        self.stretch.thinking_before.push(small(self.stretch.thinking.len()));
        self.stretch.begins.push(self.begins);
    }

    fn message(
        &mut self,
        segment: &Segment,
        weights: &Weights,
        names: &mut Names,
        place: usize,
        index: MessageIndex,
        message: &Message,
    ) {
        if begins_a_turn(message) && self.turn_has_thinking {
            self.turn += 1;
            self.turn_has_thinking = false;
        }
        for (block_index, block) in message.blocks.iter().enumerate() {
            let at = BlockAt { message: index, block: block_index };
            let weight = weights.messages.get(index).and_then(|blocks| blocks.get(block_index));
            let weight = weight.copied().unwrap_or_default();
            let mut content = weight.content;
            let (below, above) = margin(weights, at, content);
            match &block.kind {
                BlockKind::ToolUse { id, name, server, .. } => {
                    self.call(names, place, at, id, name, *server, weight.content);
                }
                BlockKind::ToolResult { tool_use_id, content: parts, .. } => {
                    let dropped = segment.dropped_results.contains(tool_use_id);
                    if dropped {
                        content = content.min(weights.dropped_result);
                    }
                    let tiny = dropped || is_tiny(parts);
                    let result = UseResult {
                        at,
                        place: small(place),
                        offset: self.offset,
                        content,
                        below,
                        above,
                        tiny,
                    };
                    self.result(tool_use_id, result);
                }
                BlockKind::Thinking { .. } => {
                    self.turn_has_thinking = true;
                    self.stretch.thinking.push(Thought {
                        at,
                        place: small(place),
                        offset: self.offset,
                        tokens: content,
                        below,
                        above,
                        turn: self.turn,
                    });
                }
                BlockKind::Compaction { content: Some(_) } => self.begins = small(place),
                _ => {}
            }
            self.offset = self.offset.saturating_add(content).saturating_add(weight.frame);
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the fields of one use")]
    fn call(
        &mut self,
        names: &mut Names,
        place: usize,
        at: BlockAt,
        id: &str,
        name: &str,
        server: bool,
        input: u64,
    ) {
        // The API refuses two calls of one id; the first stands.
        if self.by_id.contains_key(id) {
            return;
        }
        self.by_id.insert(id.to_owned(), small(self.stretch.uses.len()));
        self.stretch.uses.push(Use {
            id: names.ids.number(id),
            tool: names.tools.number(name),
            server,
            at,
            place: small(place),
            offset: self.offset,
            input,
            result: None,
        });
    }

    fn result(&mut self, id: &str, result: UseResult) {
        self.newest = self.by_id.get(id).copied();
        if let Some(each) = self.newest.and_then(|index| self.stretch.uses.get_mut(index as usize)) {
            each.result = Some(result);
        }
    }

    fn finish(mut self) -> Stretch {
        let mut sums = [0_u64; 3];
        self.stretch.thinking_tokens.push(sums);
        for thought in &self.stretch.thinking {
            for (sum, part) in sums.iter_mut().zip([thought.tokens, thought.below, thought.above]) {
                *sum = sum.saturating_add(part);
            }
            self.stretch.thinking_tokens.push(sums);
        }
        self.stretch
    }
}

/// Amounts that a block may weigh less and more than is said.
fn margin(weights: &Weights, at: BlockAt, content: u64) -> (u64, u64) {
    let margin = weights.margins.binary_search_by_key(&at, |margin| margin.at);
    margin.map_or((0, 0), |index| {
        let margin = weights.margins[index];
        (content.saturating_sub(margin.low), margin.high.saturating_sub(content))
    })
}

/// True if a message ends the assistant's turn before it: a person speaks. What the client adds, and messages that carry
/// results, belong to the turn.
fn begins_a_turn(message: &Message) -> bool {
    let carries_results =
        || message.blocks.iter().any(|block| matches!(block.kind, BlockKind::ToolResult { .. }));
    match message.role {
        Role::Assistant => !A_TURN_SPANS_ITS_TOOL_CALLS,
        Role::System => false,
        Role::User => match message.origin {
            Origin::ToolResults | Origin::Client => false,
            _ => !carries_results(),
        },
    }
}

fn is_tiny(parts: &[ResultPart]) -> bool {
    let mut bytes = 0_usize;
    for part in parts {
        match part {
            ResultPart::Text(text) => bytes = bytes.saturating_add(text.len()),
            ResultPart::Media(_) | ResultPart::Other(_) => return false,
        }
    }
    (1..=TINY_RESULT_BYTES).contains(&bytes)
}

fn request_facts(
    transcript: &Transcript,
    weights: &Weights,
    index: usize,
    request: &Request,
    stretches: &[Stretch],
    models: &mut Interned,
) -> RequestFacts {
    let stretch = stretches.get(request.segment);
    let places = stretch.map_or(0, |stretch| stretch.offset.len().saturating_sub(1));
    let upto = request.upto.min(places);
    let basis = weights.bases.get(index).copied().unwrap_or(Basis::Counted);
    let context = weights.contexts.get(index).copied().unwrap_or(0);
    let passes = passes(request.usage.as_ref());
    let (context, passes) = match passes.last() {
        // The usage of several passes is their sum; the context is that of the last.
        Some(&last) if basis == Basis::Recorded && passes.len() > 1 => (last, passes),
        _ => (context, Vec::new()),
    };
    let reported = request.applied_edits.iter().flatten();
    let cleared: u64 = match basis {
        Basis::Recorded => {
            reported.clone().map(|edit| edit.cleared_input_tokens).fold(0, u64::saturating_add)
        }
        _ => 0,
    };
    let sum = |count: fn(&AppliedEdit) -> Option<u64>| {
        reported.clone().filter_map(count).fold(0, u64::saturating_add)
    };
    let counts = (sum(|edit| edit.cleared_tool_uses), sum(|edit| edit.cleared_thinking_turns));
    let thinking_edited =
        reported.into_iter().any(|edit| edit.edit == CLEAR_THINKING) || sent_edit(request, CLEAR_THINKING);
    let stop = request.stop_reason.as_deref();
    let before = context.saturating_add(cleared);
    RequestFacts {
        stretch: request.segment,
        upto,
        shared: 0,
        before,
        cleared,
        reported: counts,
        fit: Fit::of(weights.weighed.get(index).copied().unwrap_or(0), before),
        basis,
        model: request.model.as_deref().map(|model| models.number(model) as usize),
        at: request.at,
        usage: request.usage.as_ref().map(usage_facts),
        output: output(weights, request),
        refused: stop == Some("refusal"),
        paused: matches!(stop, Some("pause_turn" | "compaction")),
        open_calls: open_calls(transcript, stretch, request, upto),
        thinking_edited,
        passes,
        marks: None,
    }
}

/// Contexts of the sampling passes that answered, as the response tells them.
fn passes(usage: Option<&Usage>) -> Vec<u64> {
    let iterations = usage.map_or(&[][..], |usage| &usage.iterations);
    iterations
        .iter()
        .filter(|iteration| iteration.kind == "message")
        .map(|pass| pass.input.saturating_add(pass.cache_creation).saturating_add(pass.cache_read))
        .collect()
}

fn sent_edit(request: &Request, name: &str) -> bool {
    request
        .parameters
        .pointer("/context_management/edits")
        .and_then(Value::as_array)
        .is_some_and(|edits| edits.iter().any(|edit| edit.get("type").is_some_and(|edit| edit == name)))
}

fn asks_for_thinking(request: &Request) -> bool {
    request
        .parameters
        .pointer("/thinking/type")
        .and_then(Value::as_str)
        .is_some_and(|thinking| thinking != "disabled")
}

/// Output as recorded where that is final, else the larger of it and what was weighed.
fn output(weights: &Weights, request: &Request) -> u64 {
    let recorded = request.usage.as_ref().map_or(0, |usage| usage.output);
    if request.usage.is_some() && request.output_is_final {
        return recorded;
    }
    let response = request.response.and_then(|message| weights.messages.get(message));
    let weighed = response.map_or(0, |blocks| blocks.iter().map(|block| block.total()).sum());
    recorded.max(weighed)
}

fn usage_facts(usage: &Usage) -> UsageFacts {
    let mut compactions = [0_u64; 4];
    for iteration in usage.iterations.iter().filter(|iteration| iteration.kind == "compaction") {
        let parts = [iteration.input, iteration.cache_creation, iteration.cache_read, iteration.output];
        for (sum, part) in compactions.iter_mut().zip(parts) {
            *sum = sum.saturating_add(part);
        }
    }
    UsageFacts {
        read: usage.cache_read,
        write: usage.cache_creation,
        write_1h: usage.cache_creation_1h.unwrap_or(0).min(usage.cache_creation),
        uncached: usage.input,
        reported_life: usage.cache_creation_1h.is_some() || usage.cache_creation_5m.is_some(),
        batch: usage.service_tier.as_deref() == Some("batch"),
        fast: usage.is_fast(),
        compactions,
    }
}

/// True if a call of the last answer that was sent has no result among what was sent.
fn open_calls(transcript: &Transcript, stretch: Option<&Stretch>, request: &Request, upto: usize) -> bool {
    let Some((segment, stretch)) = transcript.segments.get(request.segment).zip(stretch) else {
        return false;
    };
    let is_answer = |index: &MessageIndex| {
        transcript.messages.get(*index).is_some_and(|message| message.role == Role::Assistant)
    };
    let sent = segment.messages.get(..upto).unwrap_or_default();
    let Some(last) = sent.iter().rposition(is_answer) else { return false };
    let from = stretch.uses_before.get(last).map_or(0, |&uses| uses as usize);
    let uses = stretch.uses.get(from..).unwrap_or_default();
    uses.iter()
        .take_while(|each| each.place as usize <= last)
        .any(|each| !each.server && each.result.is_none_or(|result| result.place as usize >= upto))
}

/// Number of messages that two requests send alike.
fn shared(transcript: &Transcript, previous: Option<&RequestFacts>, request: &RequestFacts) -> usize {
    let Some(previous) = previous else { return 0 };
    let sent = |facts: &RequestFacts| {
        let messages = transcript.segments.get(facts.stretch).map_or(&[][..], |segment| &segment.messages);
        messages[..facts.upto.min(messages.len())].iter()
    };
    if previous.stretch == request.stretch {
        return previous.upto.min(request.upto);
    }
    sent(previous).zip(sent(request)).take_while(|(left, right)| left == right).count()
}

/// Sets the tokens before the messages at the first request of each stretch: all of its context that its messages do
/// not explain, and at least what its preamble weighs.
fn set_bases(
    stretches: &mut [Stretch],
    requests: &[RequestFacts],
    transcript: &Transcript,
    weights: &Weights,
) {
    let mut known = vec![false; stretches.len()];
    for (facts, request) in requests.iter().zip(&transcript.requests) {
        let Some((stretch, known)) = stretches.get_mut(facts.stretch).zip(known.get_mut(facts.stretch))
        else {
            continue;
        };
        if std::mem::replace(known, true) {
            continue;
        }
        let preamble = request.preamble.and_then(|preamble| weights.preambles.get(preamble));
        let least = preamble.map_or(0, |preamble| preamble.system.saturating_add(preamble.tools));
        let begins = stretch.begins.get(facts.upto).map_or(0, |&place| place as usize);
        let explained = stretch.tokens(begins, facts.upto);
        stretch.base = facts.before.saturating_sub(explained).max(least).min(facts.before);
    }
}

impl Stretch {
    /// Tokens of the messages from one place to another.
    pub(super) fn tokens(&self, from: usize, to: usize) -> u64 {
        let before = |place: usize| self.offset.get(place).copied().unwrap_or(0);
        before(to).saturating_sub(before(from))
    }
}
