//! One request in detail.

use super::{Classes, compose_of};
use crate::fit::{Fit, apportion};
use crate::outcome::BlockAt;
use crate::weight::{Basis, FileClass, FileSource, PromptFile, Weights};
use retrace_transcript::{BlockKind, Transcript};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// The name for results whose call is not in the transcript.
const CALL_UNKNOWN: &str = "?";

/// Number of characters of a call's telling value in its label.
const LABEL_LENGTH: usize = 80;

/// Tokens under a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Name of a tool, path of a file.
    pub name: String,
    /// Number of them.
    pub count: u64,
    /// Their tokens.
    pub tokens: u64,
}

/// A file in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileIn {
    /// Its path as recorded.
    pub path: String,
    /// Instructions or memory.
    pub class: FileClass,
    /// Way it came in. Tokens of a file that a tool read are among the tool results.
    pub source: FileSource,
    /// Its tokens, each time it stands there.
    pub tokens: u64,
    /// Number of times it stands there.
    pub count: u64,
}

/// A block that takes much room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Large {
    /// Label, such as `Read src/main.rs`.
    pub label: String,
    /// Where it is.
    pub at: BlockAt,
    /// Its tokens.
    pub tokens: u64,
    /// Index of the first request that carried it.
    pub since_request: usize,
}

/// Composition of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composition {
    /// Size of its context.
    pub context: u64,
    /// Basis of `context`.
    pub basis: Basis,
    /// By class; the sum is `context`.
    pub classes: Classes,
    /// Memory and instruction files, the largest first.
    pub files: Vec<FileIn>,
    /// Results by tool, the largest first. They add up to the class.
    pub tool_results: Vec<Named>,
    /// Inputs by tool, the largest first. They add up to the class.
    pub tool_inputs: Vec<Named>,
    /// Tokens of the system prompt, where the request holds it, without memory and instruction files in it. A part of the class `system`.
    pub system_prompt: u64,
    /// Definitions of tools, the largest first. With the prompt, and what the API adds to tools, they are the class `system`.
    pub tools: Vec<Named>,
    /// What the client put in, by kind, the largest first; instructions and memory among them.
    pub attachments: Vec<Named>,
    /// The largest blocks, the largest first.
    pub largest: Vec<Large>,
}

/// Composition of the request of that index was made of, with its `largest` largest blocks; `None` where there is no
/// such request.
#[must_use]
pub fn compose_request(
    transcript: &Transcript,
    weights: &Weights,
    index: usize,
    largest: usize,
) -> Option<Composition> {
    let request = transcript.requests.get(index)?;
    let context = weights.contexts.get(index).copied().unwrap_or_default();
    let fit = Fit::of(weights.weighed.get(index).copied().unwrap_or_default(), context);
    let classes = compose_of(transcript, weights, index);
    let blocks = sent_blocks(transcript, weights, index);
    let labels = Labels::new(transcript);
    let mut results = Tally::default();
    let mut inputs = Tally::default();
    let mut attachments = Tally::default();
    for sent in &blocks {
        match &transcript.messages[sent.at.message].blocks[sent.at.block].kind {
            BlockKind::ToolUse { name, .. } => inputs.add(name, sent.tokens),
            BlockKind::ToolResult { tool_use_id, .. } => results.add(labels.tool(tool_use_id), sent.tokens),
            BlockKind::Attachment { attachment, .. } => attachments.add(attachment, sent.tokens),
            _ => {}
        }
    }
    let mut by_size: Vec<&SentBlock> = blocks.iter().collect();
    by_size.sort_by(|a, b| b.tokens.cmp(&a.tokens).then_with(|| a.at.cmp(&b.at)));
    let largest = by_size
        .into_iter()
        .take(largest)
        .map(|sent| Large {
            label: labels.of(transcript, sent.at),
            at: sent.at,
            tokens: fit.part(sent.tokens),
            since_request: first_to_carry(transcript, request.segment, sent.position).unwrap_or(index),
        })
        .collect();
    let mut tools = Tally::default();
    let mut system_prompt = 0;
    if let Some(preamble) = request.preamble {
        let weighed = weights.tools.get(preamble).into_iter().flatten();
        let named = transcript.preambles.get(preamble).into_iter().flat_map(|preamble| &preamble.tools);
        named.zip(weighed).for_each(|(tool, &tokens)| tools.add(&tool.name, fit.part(tokens)));
        let of_files =
            weights.in_prompt(request).iter().fold(0, |sum: u64, file| sum.saturating_add(file.tokens));
        let prompt = weights.preambles.get(preamble).map_or(0, |preamble| preamble.system);
        system_prompt = fit.part(prompt.saturating_sub(of_files));
    }
    Some(Composition {
        context,
        basis: weights.bases.get(index).copied().unwrap_or(Basis::Counted),
        classes,
        files: files_in(weights, weights.in_prompt(request), &blocks, fit),
        tool_results: results.sorted(classes.tool_results),
        tool_inputs: inputs.sorted(classes.tool_inputs),
        system_prompt,
        tools: tools.sorted(i64::MAX),
        attachments: attachments.fitted(fit),
        largest,
    })
}

/// A block as a request sent it.
struct SentBlock {
    at: BlockAt,
    /// Of its message in the segment.
    position: usize,
    tokens: u64,
}

fn sent_blocks(transcript: &Transcript, weights: &Weights, index: usize) -> Vec<SentBlock> {
    let request = &transcript.requests[index];
    let dropped = transcript.segments.get(request.segment).map(|segment| &segment.dropped_results);
    let mut blocks: Vec<SentBlock> = Vec::new();
    for (position, (message, reported)) in transcript.sent(request).enumerate() {
        for (block, of) in reported.blocks.iter().enumerate() {
            let Some(weight) = weights.messages.get(message).and_then(|blocks| blocks.get(block)) else {
                continue;
            };
            if matches!(of.kind, BlockKind::Compaction { content: Some(_) }) {
                blocks.clear();
            }
            let mut tokens = weight.total();
            if let BlockKind::ToolResult { tool_use_id, .. } = &of.kind
                && dropped.is_some_and(|dropped| dropped.contains(tool_use_id))
            {
                tokens -= weight.content.saturating_sub(weights.dropped_result);
            }
            blocks.push(SentBlock { at: BlockAt { message, block }, position, tokens });
        }
    }
    blocks
}

fn first_to_carry(transcript: &Transcript, segment: usize, position: usize) -> Option<usize> {
    transcript.requests.iter().position(|request| request.segment == segment && request.upto > position)
}

fn files_in(weights: &Weights, in_prompt: &[PromptFile], sent: &[SentBlock], fit: Fit) -> Vec<FileIn> {
    let mut files: BTreeMap<(&str, FileSource), FileIn> = BTreeMap::new();
    for file in in_prompt {
        let source = FileSource::Embedded;
        let entry = files.entry((&file.path, source)).or_insert_with(|| FileIn {
            path: file.path.clone(),
            class: file.class,
            source,
            tokens: 0,
            count: 0,
        });
        entry.tokens = entry.tokens.saturating_add(file.tokens);
        entry.count += 1;
    }
    for block in sent {
        let from = weights.files.partition_point(|file| file.at < block.at);
        for file in weights.files[from..].iter().take_while(|file| file.at == block.at) {
            let entry = files.entry((&file.path, file.source)).or_insert_with(|| FileIn {
                path: file.path.clone(),
                class: file.class,
                source: file.source,
                tokens: 0,
                count: 0,
            });
            // A dropped result holds less than the file.
            entry.tokens = entry.tokens.saturating_add(file.tokens.min(block.tokens));
            entry.count += 1;
        }
    }
    let mut files: Vec<FileIn> = files.into_values().collect();
    files.iter_mut().for_each(|file| file.tokens = fit.part(file.tokens));
    files.sort_by(|a, b| b.tokens.cmp(&a.tokens).then_with(|| a.path.cmp(&b.path)));
    files
}

#[derive(Default)]
struct Tally<'a>(BTreeMap<&'a str, (u64, u64)>);

impl<'a> Tally<'a> {
    fn add(&mut self, name: &'a str, tokens: u64) {
        let (count, sum) = self.0.entry(name).or_default();
        *count += 1;
        *sum = sum.saturating_add(tokens);
    }

    /// Each brought down where the counts came out too high.
    fn fitted(mut self, fit: Fit) -> Vec<Named> {
        self.0.values_mut().for_each(|(_, tokens)| *tokens = fit.part(*tokens));
        self.sorted(i64::MAX)
    }

    /// Adding up to the class, which is less where the counts came out too high.
    fn sorted(self, class: i64) -> Vec<Named> {
        let mut tokens: Vec<u64> = self.0.values().map(|&(_, tokens)| tokens).collect();
        apportion(&mut tokens, u64::try_from(class).unwrap_or(0));
        let mut named: Vec<Named> = self
            .0
            .into_iter()
            .zip(tokens)
            .map(|((name, (count, _)), tokens)| Named { name: name.to_owned(), count, tokens })
            .collect();
        named.sort_by(|a, b| b.tokens.cmp(&a.tokens).then_with(|| a.name.cmp(&b.name)));
        named
    }
}

/// Short names for blocks: `Read src/main.rs` for a call and its result.
#[derive(Debug)]
pub struct Labels<'t> {
    calls: HashMap<&'t str, (&'t str, &'t Value)>,
}

impl<'t> Labels<'t> {
    /// For the calls of `transcript`.
    #[must_use]
    pub fn new(transcript: &'t Transcript) -> Self {
        let mut calls = HashMap::new();
        for block in transcript.messages.iter().flat_map(|message| &message.blocks) {
            if let BlockKind::ToolUse { id, name, input, .. } = &block.kind {
                calls.insert(id.as_str(), (name.as_str(), input));
            }
        }
        Self { calls }
    }

    /// Name of the tool that was called under this id; `?` where the call is not in the transcript.
    #[must_use]
    pub fn tool(&self, tool_use_id: &str) -> &'t str {
        self.calls.get(tool_use_id).map_or(CALL_UNKNOWN, |call| call.0)
    }

    /// Name of the tool and what it was called on, cut to a line.
    #[must_use]
    pub fn call(&self, tool_use_id: &str) -> String {
        self.calls.get(tool_use_id).map_or_else(|| CALL_UNKNOWN.to_owned(), |call| label(call.0, call.1))
    }

    /// Label of the block at this place is, in a few words.
    #[must_use]
    pub fn of(&self, transcript: &Transcript, at: BlockAt) -> String {
        let block = transcript.messages.get(at.message).and_then(|message| message.blocks.get(at.block));
        let Some(block) = block else { return CALL_UNKNOWN.to_owned() };
        match &block.kind {
            BlockKind::Text { text } => one_line(text),
            BlockKind::Thinking { .. } => "thinking".to_owned(),
            BlockKind::ToolUse { name, input, .. } => label(name, input),
            BlockKind::ToolResult { tool_use_id, .. } => self.call(tool_use_id),
            BlockKind::Media(media) => one_line(&media.media_type),
            BlockKind::Attachment { attachment, files, .. } => match files.first() {
                Some(file) => one_line(&format!("{attachment} {}", file.path)),
                None => one_line(attachment),
            },
            BlockKind::Compaction { .. } => "compaction".to_owned(),
            BlockKind::Unknown { type_name, .. } => one_line(type_name),
        }
    }
}

/// Parameters that tell best what a call was about, in order.
const TELLING: [&str; 9] =
    ["file_path", "path", "notebook_path", "command", "cmd", "pattern", "query", "url", "description"];

fn label(name: &str, input: &Value) -> String {
    let telling = TELLING.iter().find_map(|field| input.get(field).and_then(Value::as_str));
    match telling {
        Some(value) => one_line(&format!("{name} {value}")),
        None => one_line(name),
    }
}

fn one_line(text: &str) -> String {
    let line = text.trim_start().lines().next().unwrap_or_default();
    let mut characters = line.chars();
    let mut cut: String = characters.by_ref().take(LABEL_LENGTH).collect();
    if characters.next().is_some() {
        cut.push('…');
    }
    cut
}
