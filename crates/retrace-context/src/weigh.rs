//! Weighing: every text of a transcript is counted once, then framed as the API frames it.
//!
//! The two steps are apart because they differ in cost. [`Counts`] holds the token counts of texts; it is where the time
//! goes, works message by message on as many threads as it is given, and keeps what it has when a transcript grew.
//! [`Counts::weights`] adds the frames, the thinking and the sums of requests, and costs next to nothing.
//!
//! Frames and their sources are in `weigh/framing.rs`. A call is counted as one text: the tool's name, then the name and
//! the value of each parameter, joined by line feeds; strings as they are, other values as JSON. What is not in a
//! transcript is not made up: system prompt and tools weigh nothing where a format does not keep them.

mod count;
mod files;
mod framing;
mod media;
mod preambles;
mod requests;
#[cfg(test)]
pub(crate) mod story;
mod thinking;

pub(crate) use count::preamble_range;
pub use files::{Embedded, Repeated, added, class_of_path, embedded, in_prompt, repeated};
pub use framing::Framing;
pub use preambles::PreambleCounter;
pub(crate) use thinking::{keeps_earlier_turns, version};

use crate::outcome::BlockAt;
use crate::weight::{
    BlockWeight, FileClass, FileSource, FileWeight, Margin, PreambleCount, PreambleWeight, PromptFile,
    Weights,
};
use count::count_message;
use retrace_tokens::{Counter, Family};
use retrace_transcript::{BlockKind, Message, Origin, Preamble, Request, Role, Transcript};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the tokens of a text as a part of a conversation, without any frame.
pub trait TextCounter: Sync {
    /// Tokens of `text`; 0 for the empty text, which is not sent.
    fn content(&self, text: &str) -> u64;
}

impl TextCounter for Counter {
    fn content(&self, text: &str) -> u64 {
        Self::content(self, text)
    }
}

/// A [`TextCounter`] from a function, such as one that counts characters.
#[derive(Clone, Copy, Debug)]
pub struct CountBy<F>(pub F);

impl<F: Fn(&str) -> u64 + Sync> TextCounter for CountBy<F> {
    fn content(&self, text: &str) -> u64 {
        (self.0)(text)
    }
}

/// Options of weighing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weighing<'a> {
    /// Name of the tokenizer family, as in [`Family::name`].
    pub family: &'static str,
    /// True if the family was assumed because the model is not known.
    pub family_assumed: bool,
    /// Tokens around the whole request: [`Family::frame`].
    pub frame: u64,
    /// Framing of texts.
    pub framing: Framing,
    /// The text that a cleared result is replaced by.
    pub placeholder: &'a str,
}

impl<'a> Weighing<'a> {
    /// As `family` does it.
    #[must_use]
    pub fn of(family: Family, assumed: bool, placeholder: &'a str) -> Self {
        Self {
            family: family.name(),
            family_assumed: assumed,
            frame: family.frame(),
            framing: Framing::of(family),
            placeholder,
        }
    }
}

/// Weighs a transcript on this thread. `weights.messages` has the shape of `transcript.messages`.
#[must_use]
pub fn weigh(transcript: &Transcript, counter: &dyn TextCounter, weighing: &Weighing<'_>) -> Weights {
    let mut counts = Counts::default();
    counts.update(transcript, counter, weighing, 1);
    counts.weights(transcript, weighing)
}

/// A figure with its range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Estimate {
    pub low: u64,
    pub middle: u64,
    pub high: u64,
}

impl Estimate {
    fn add(&mut self, other: Self) {
        self.low = self.low.saturating_add(other.low);
        self.middle = self.middle.saturating_add(other.middle);
        self.high = self.high.saturating_add(other.high);
    }
}

/// Token counts of the texts of one block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct BlockCount {
    /// Tokens of its text; for a call, of what it is called with.
    text: u64,
    /// For a call: tokens of the tool's name.
    name: u64,
    /// For a call: how many parameters it has.
    parameters: u64,
    /// For thinking: characters of its text.
    characters: u64,
    /// For media, of its own or within a result: what they are estimated at.
    media: Estimate,
    /// For an attachment or a text: the files in it.
    files: Vec<FileCount>,
    /// Parts of readings that the client repeats in it.
    repeats: Vec<RepeatCount>,
}

/// A part of a reading that the client repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
enum RepeatCount {
    /// What was called, where it reads a memory or instruction file.
    Called(Option<files::Read>),
    /// What it answered.
    Answered { tokens: u64 },
}

/// Tokens of a memory or instruction file within a block.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FileCount {
    path: String,
    class: FileClass,
    source: FileSource,
    tokens: u64,
    partial: bool,
}

/// The counts of one message, and what tells whether it is still the same message.
#[derive(Clone, Debug, Default)]
struct MessageCount {
    fingerprint: u64,
    blocks: Vec<BlockCount>,
}

/// Token counts of all texts of a transcript. Update it when the transcript grew: messages that are as they were are not
/// counted again.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    family: &'static str,
    messages: Vec<MessageCount>,
    preambles: Vec<PreambleWeight>,
    tools: Vec<Vec<u64>>,
    prompt_files: Vec<Vec<PromptFile>>,
    reminder: u64,
    dropped_result: u64,
    placeholder: u64,
}

impl Counts {
    /// Counts what is new, on up to `threads` threads, and answers how many messages were counted. After a change of the
    /// family everything is new.
    pub fn update(
        &mut self,
        transcript: &Transcript,
        counter: &dyn TextCounter,
        weighing: &Weighing<'_>,
        threads: usize,
    ) -> usize {
        if self.family != weighing.family {
            *self = Self { family: weighing.family, ..Self::default() };
        }
        self.messages.truncate(transcript.messages.len());
        let fingerprints: Vec<u64> = transcript.messages.iter().map(count::fingerprint).collect();
        let new: Vec<usize> = (0..transcript.messages.len())
            .filter(|&index| {
                self.messages.get(index).is_none_or(|count| count.fingerprint != fingerprints[index])
            })
            .collect();
        let framing = &weighing.framing;
        let counted = count_all(&transcript.messages, &new, counter, framing, threads);
        self.messages.resize_with(transcript.messages.len(), MessageCount::default);
        for (index, blocks) in counted {
            self.messages[index] = MessageCount { fingerprint: fingerprints[index], blocks };
        }
        // There are few preambles, and one may have been filled in since.
        self.set_preambles(transcript.preambles.iter().map(|Preamble { system, tools }| {
            let tools = tools.iter().map(|tool| counter.content(&tool.definition.to_string()));
            count::preamble(count::system(system, counter), tools.collect(), framing)
        }));
        self.reminder = counter.content(framing.reminder);
        self.dropped_result = counter.content(framing::DROPPED_RESULT);
        self.placeholder = counter.content(weighing.placeholder);
        new.len()
    }

    /// Takes the counts of preambles whose texts the transcript does not hold any more, in its order.
    pub fn set_preambles(&mut self, counted: impl IntoIterator<Item = PreambleCount>) {
        (self.preambles, self.tools, self.prompt_files) = (Vec::new(), Vec::new(), Vec::new());
        for PreambleCount { weight, tools, files } in counted {
            self.preambles.push(weight);
            self.tools.push(tools);
            self.prompt_files.push(files);
        }
    }

    /// The weights of `transcript`, which is the one these counts were last updated with.
    #[must_use]
    pub fn weights(&self, transcript: &Transcript, weighing: &Weighing<'_>) -> Weights {
        let mut weights = Weights {
            family: weighing.family,
            family_assumed: weighing.family_assumed,
            messages: Vec::with_capacity(transcript.messages.len()),
            preambles: self.preambles.clone(),
            tools: self.tools.clone(),
            prompt_files: self.prompt_files.clone(),
            placeholder: self.placeholder,
            dropped_result: self.dropped_result,
            ..Weights::default()
        };
        let empty = MessageCount::default();
        let answers = answers(transcript);
        let mut reads = HashMap::new();
        let mut repeated = None;
        let mut is_first_text = true;
        for (index, message) in transcript.messages.iter().enumerate() {
            let counts = self.messages.get(index).unwrap_or(&empty);
            let mut framer = Framer {
                index,
                reminder: self.reminder,
                typed: if is_first_text { weighing.frame } else { weighing.framing.typed_text },
                framing: &weighing.framing,
                family: Family::parse(weighing.family),
                weights: &mut weights,
                reads: &mut reads,
                repeated: &mut repeated,
            };
            is_first_text &= !framer.message(message, counts, answers.get(&index).copied());
        }
        requests::sum_up(transcript, &mut weights);
        weights
    }
}

/// The request that each answer answers.
fn answers(transcript: &Transcript) -> HashMap<usize, &Request> {
    transcript.requests.iter().filter_map(|request| Some((request.response?, request))).collect()
}

/// Number of messages a thread takes at a time: enough that taking them costs nothing, few enough that none waits long.
const MESSAGES_AT_A_TIME: usize = 16;

fn count_all(
    messages: &[Message],
    new: &[usize],
    counter: &dyn TextCounter,
    framing: &Framing,
    threads: usize,
) -> Vec<(usize, Vec<BlockCount>)> {
    let count = |&index: &usize| (index, count_message(&messages[index], counter, framing));
    let threads = threads.min(new.len() / MESSAGES_AT_A_TIME);
    if threads < 2 {
        return new.iter().map(count).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut counted = Vec::new();
        while let Some(some) = new.chunks(MESSAGES_AT_A_TIME).nth(next.fetch_add(1, Ordering::Relaxed)) {
            counted.extend(some.iter().map(count));
        }
        counted
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut counted = work();
        for other in others {
            match other.join() {
                Ok(some) => counted.extend(some),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        counted
    })
}

/// Adds frames to the counts of one message.
struct Framer<'w> {
    index: usize,
    reminder: u64,
    typed: u64,
    framing: &'w Framing,
    /// The family that texts were counted with, where it is one that is known by its name.
    family: Option<Family>,
    weights: &'w mut Weights,
    /// By id of the call: the memory or instruction file it reads.
    reads: &'w mut HashMap<String, files::Read>,
    /// The reading that the client repeats and whose answer is still to come: it may stand in the next message.
    repeated: &'w mut Option<files::Read>,
}

impl Framer<'_> {
    /// Answers whether the frame of a typed text was used.
    fn message(&mut self, message: &Message, counts: &MessageCount, request: Option<&Request>) -> bool {
        let framing = self.framing;
        let mut calls = 0;
        let mut typed = opens_a_turn(message);
        // The first text of any other message: an answer's, or one that was put in.
        let mut other =
            if message.role == Role::Assistant { framing.answer_text } else { framing.added_text };
        let mut beside_calls =
            message.blocks.iter().any(|block| matches!(block.kind, BlockKind::ToolUse { .. }));
        let mut blocks = Vec::with_capacity(message.blocks.len());
        let nothing = BlockCount::default();
        for (block, of) in message.blocks.iter().enumerate() {
            let count = counts.blocks.get(block).unwrap_or(&nothing);
            let at = BlockAt { message: self.index, block };
            let mut weight = BlockWeight { content: count.text, frame: 0 };
            match &of.kind {
                BlockKind::ToolUse { id, name, input, .. } => {
                    calls += 1;
                    let parameters = count.parameters.saturating_mul(framing.parameter);
                    weight.content = count.text.saturating_add(parameters);
                    weight.frame = count.name.saturating_add(framing.call(calls));
                    if let Some(file) = files::read_by(name, input) {
                        self.reads.insert(id.clone(), file);
                    }
                }
                BlockKind::ToolResult { tool_use_id, is_error, .. } => {
                    weight.frame = framing.result
                        + if *is_error { framing.error } else { 0 }
                        + if *count == nothing { framing.no_content } else { 0 };
                    if let Some(files::Read { path, class, partial }) =
                        self.reads.remove(tool_use_id).filter(|_| !is_error)
                    {
                        // What the client put behind the answer is no part of the file.
                        let added = count.files.iter().map(|file| file.tokens).fold(0, u64::saturating_add);
                        let (source, tokens) = (FileSource::ReadByTool, count.text.saturating_sub(added));
                        self.weights.files.push(FileWeight { at, path, class, source, tokens, partial });
                    }
                }
                // What is rendered has the client's words around it.
                BlockKind::Attachment { rendered: Some(_), .. } => {}
                BlockKind::Attachment { .. } => weight.frame = self.reminder,
                BlockKind::Text { .. } if typed => {
                    weight.frame = self.typed;
                    typed = false;
                }
                BlockKind::Text { .. } if beside_calls => {
                    weight.frame = framing.text_beside_calls;
                    (beside_calls, other) = (false, 0);
                }
                BlockKind::Text { .. } if !opens_a_turn(message) => {
                    weight.frame = std::mem::take(&mut other);
                }
                _ => {}
            }
            self.add_files(at, count);
            self.add_media(at, count, &mut weight);
            blocks.push(weight);
        }
        let used = opens_a_turn(message) && !typed;
        self.add_thinking(message, counts, &mut blocks, request);
        self.add_ranges(&blocks);
        self.weights.messages.push(blocks);
        used
    }

    fn add_files(&mut self, at: BlockAt, count: &BlockCount) {
        self.weights.files.extend(count.files.iter().map(|file| FileWeight {
            at,
            path: file.path.clone(),
            class: file.class,
            source: file.source,
            tokens: file.tokens,
            partial: file.partial,
        }));
        for repeat in &count.repeats {
            match repeat {
                RepeatCount::Called(read) => self.repeated.clone_from(read),
                RepeatCount::Answered { tokens } => {
                    self.weights.files.extend(self.repeated.take().map(|read| FileWeight {
                        at,
                        path: read.path,
                        class: read.class,
                        source: FileSource::Attached,
                        tokens: *tokens,
                        partial: read.partial,
                    }));
                }
            }
        }
    }

    fn add_media(&mut self, at: BlockAt, count: &BlockCount, weight: &mut BlockWeight) {
        if count.media.high > 0 {
            let of = |media: u64| weight.content.saturating_add(media);
            self.weights.margins.push(Margin { at, low: of(count.media.low), high: of(count.media.high) });
            weight.content = of(count.media.middle);
        }
    }

    /// Thinking goes by what is recorded of it, or by its characters where it is stored as it was; else it is what the
    /// other blocks leave of a final output, on the first block that has no other figure.
    fn add_thinking(
        &mut self,
        message: &Message,
        counts: &MessageCount,
        blocks: &mut [BlockWeight],
        request: Option<&Request>,
    ) {
        let thinking: Vec<usize> = (0..message.blocks.len())
            .filter(|&block| matches!(message.blocks[block].kind, BlockKind::Thinking { .. }))
            .collect();
        if thinking.is_empty() {
            return;
        }
        let characters = |block: usize| counts.blocks.get(block).map_or(0, |count| count.characters);
        let model = request.and_then(|request| request.model.as_deref()).unwrap_or_default();
        let all: u64 = thinking.iter().map(|&block| characters(block)).sum();
        let rest = request
            .filter(|request| request.output_is_final)
            .and_then(|request| request.usage.as_ref())
            .map(|usage| usage.output.saturating_sub(output_without_thinking(message, blocks)));
        let reasoning = request.and_then(|request| request.usage.as_ref()).and_then(|usage| usage.reasoning);
        for (number, &block) in thinking.iter().enumerate() {
            if let Some(recorded) = reasoning {
                blocks[block].content = share(recorded, characters(block), all, number);
                blocks[block].frame = self.framing.thinking;
                continue;
            }
            let estimate = match rest {
                _ if thinking::is_stored_whole(model) && characters(block) > 0 => {
                    thinking::stored(characters(block))
                }
                Some(rest) => thinking::rest(share(rest, characters(block), all, number)),
                None => thinking::summarised(characters(block)),
            };
            blocks[block].content = estimate.middle;
            let at = BlockAt { message: self.index, block };
            self.weights.margins.push(Margin { at, low: estimate.low, high: estimate.high });
        }
    }

    /// Where the family is estimated, every block has a range: the wider of it and the block's own. Puts the message's ranges
    /// in order.
    fn add_ranges(&mut self, blocks: &[BlockWeight]) {
        let index = self.index;
        let from = self.weights.margins.partition_point(|margin| margin.at.message < index);
        let of_message = self.weights.margins.split_off(from);
        let mut ranges: BTreeMap<BlockAt, (u64, u64)> =
            of_message.into_iter().map(|margin| (margin.at, (margin.low, margin.high))).collect();
        for (block, weight) in blocks.iter().enumerate().filter(|(_, weight)| weight.content > 0) {
            if let Some((low, high)) = self.family.and_then(|family| family.range(weight.content)) {
                let range = ranges.entry(BlockAt { message: index, block }).or_insert((low, high));
                *range = (range.0.min(low), range.1.max(high));
            }
        }
        self.weights.margins.extend(ranges.into_iter().map(|(at, (low, high))| Margin { at, low, high }));
    }
}

/// The part of `rest` that falls to one of several blocks of thinking: by characters, all to the first where none has any.
/// The parts add up to `rest`, but for what rounding loses.
fn share(rest: u64, characters: u64, all: u64, number: usize) -> u64 {
    if all == 0 {
        return if number == 0 { rest } else { 0 };
    }
    let part = u128::from(rest) * u128::from(characters) / u128::from(all);
    u64::try_from(part).unwrap_or(u64::MAX)
}

/// Tokens of the output that are not thinking: text, and calls with what stands around them there.
fn output_without_thinking(message: &Message, blocks: &[BlockWeight]) -> u64 {
    message
        .blocks
        .iter()
        .zip(blocks)
        .filter(|(block, _)| !matches!(block.kind, BlockKind::Thinking { .. } | BlockKind::ToolResult { .. }))
        .fold(0, |sum, (_, weight)| sum.saturating_add(weight.total()))
}

/// True if a person speaks in this message: it is theirs, and no answer of a tool.
pub(crate) fn opens_a_turn(message: &Message) -> bool {
    message.role == Role::User
        && matches!(message.origin, Origin::Typed | Origin::Unsaid | Origin::Summary)
        && !message.blocks.iter().any(|block| matches!(block.kind, BlockKind::ToolResult { .. }))
}

#[cfg(test)]
mod tests;
