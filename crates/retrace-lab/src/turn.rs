//! The messages around one request, with what a setting would have cleared.

use super::context::request_index;
use super::request::unproved;
use super::simulate::{setting, summary_sizes};
use crate::Lab;
use crate::lab::loaded::{self, Loaded};
use crate::lab::view;
use crate::wire::{ApiError, Turn, TurnBlock, TurnMessage, TurnReq, Variant};
use crate::wire::{MessageOrigin, MessageRole, TurnBlockKind};
use retrace_context::compose::Labels;
use retrace_context::simulate::{Options, simulate};
use retrace_context::{BlockAt, Cleared};
use retrace_tokens::{Counter, Family};
use retrace_transcript::{Block, BlockKind, Media, MediaKind, Message, MessageIndex, ResultPart};
use std::collections::HashSet;
use std::sync::Arc;

/// Messages unless asked otherwise.
const MESSAGES: u64 = 40;
/// The most messages one call gives.
const MAX_MESSAGES: u64 = 400;
/// Characters of a block's text.
const CHARACTERS: usize = 20_000;

/// The messages that a request sent and its answer.
///
/// # Errors
/// Those of `context_show`; `not_found` for a request that is not there, `invalid` for a setting that is refused.
pub fn context_turn(inner: &Arc<Lab>, request: TurnReq) -> Result<Turn, ApiError> {
    let loaded = loaded::load(inner, &request.transcript)?;
    let index = request_index(&loaded, request.request)?;
    let cleared = match &request.variant {
        Some(variant) => cleared_at(inner, &loaded, variant, index)?,
        None => HashSet::new(),
    };
    let transcript = loaded.transcript();
    let asked = &transcript.requests[index];
    let answer = asked.response.and_then(|at| Some((at, transcript.messages.get(at)?)));
    let printer =
        Printer { loaded: &loaded, labels: Labels::new(transcript), cleared, find: Needle::of(&request) };
    let mut all: Vec<(usize, MessageIndex, &Message)> = transcript
        .sent(asked)
        .chain(answer)
        .enumerate()
        .map(|(position, (at, message))| (position, at, message))
        .collect();
    if let Some(find) = &printer.find {
        all.retain(|(_, _, message)| {
            message.blocks.iter().any(|block| find.is_in(&printer.whole(block).text))
        });
    }
    let total = all.len() as u64;
    let limit = request.limit.unwrap_or(MESSAGES).clamp(1, MAX_MESSAGES);
    let from = request.from.unwrap_or_else(|| total.saturating_sub(limit)).min(total);
    let shown = usize::try_from(from).unwrap_or(usize::MAX);
    let messages = all
        .iter()
        .skip(shown)
        .take(usize::try_from(limit).unwrap_or(usize::MAX))
        .map(|(position, at, message)| printer.message(*position, *at, message, asked.response == Some(*at)))
        .collect();
    let sent = loaded.sent(index);
    let recorded = sent.and_then(|sent| loaded.requests().requests().get(sent.recorded));
    Ok(Turn {
        request: request.request,
        from,
        total,
        preamble: printer.preamble(index),
        messages,
        source: recorded.map(|recorded| recorded.source.clone()),
        proved: sent.map(|sent| sent.proof.is_ok()),
        reason: sent.and_then(|sent| sent.proof.err()).map(unproved),
    })
}

/// A text that is searched for, in any case of letters.
struct Needle(String);

/// Kind of a block, its name, its text and its tokens.
type Part<'a> = (TurnBlockKind, &'a str, String, u64);

impl Needle {
    fn of(request: &TurnReq) -> Option<Self> {
        let text = request.find.as_deref()?;
        (!text.trim().is_empty()).then(|| Self(text.to_lowercase()))
    }

    fn is_in(&self, text: &str) -> bool {
        text.to_lowercase().contains(&self.0)
    }

    /// The text from a little before the first place, where that would be cut off.
    fn around(&self, text: String) -> String {
        let lower = text.to_lowercase();
        let Some(at) = lower.find(&self.0) else { return text };
        let characters = lower[..at].chars().count();
        if characters < CHARACTERS - BEFORE {
            return text;
        }
        let from: String = text.chars().skip(characters - BEFORE).collect();
        format!("…{from}")
    }
}

/// Characters shown before a place that was found far in a block.
const BEFORE: usize = 1_000;

/// Blocks cleared at a request, newly or before.
fn cleared_at(
    inner: &Lab,
    loaded: &Loaded,
    variant: &Variant,
    index: usize,
) -> Result<HashSet<BlockAt>, ApiError> {
    let setting = setting(variant)?;
    let table = inner.lab.prices.get(inner);
    let summaries = summary_sizes(inner, std::slice::from_ref(&setting));
    let options = Options { prices: &table.prices, summaries, ..Options::default() };
    let outcome = simulate(loaded.prepared(), &setting, &options);
    let mut cleared: HashSet<BlockAt> = outcome
        .requests
        .iter()
        .take(index + 1)
        .flat_map(|request| &request.newly_cleared)
        .map(|cleared| match cleared {
            Cleared::Result { at, .. } | Cleared::Input { at, .. } | Cleared::Thinking { at, .. } => *at,
        })
        .collect();
    if let Some(compaction) = outcome.compactions.iter().rev().find(|compaction| compaction.request <= index)
    {
        cleared.extend(summarised(loaded, compaction.request, index));
    }
    Ok(cleared)
}

/// Messages that a summary replaces at a request: all that the request at which it was made sent, while the history
/// goes on.
fn summarised(loaded: &Loaded, made_at: usize, index: usize) -> Vec<BlockAt> {
    let transcript = loaded.transcript();
    let (made, asked) = (&transcript.requests[made_at], &transcript.requests[index]);
    if made.segment != asked.segment {
        return Vec::new();
    }
    let sent = transcript.sent(made);
    sent.flat_map(|(message, shown)| (0..shown.blocks.len()).map(move |block| BlockAt { message, block }))
        .collect()
}

struct Printer<'l> {
    loaded: &'l Loaded,
    labels: Labels<'l>,
    cleared: HashSet<BlockAt>,
    find: Option<Needle>,
}

impl Printer<'_> {
    /// System prompt and tools; of a search, what holds the text.
    fn preamble(&self, request: usize) -> Vec<TurnMessage> {
        let Some(preamble) = self.loaded.preamble(request) else { return Vec::new() };
        let index = self.loaded.transcript().requests.get(request).and_then(|request| request.preamble);
        let counter = Family::parse(self.loaded.weights.family).map(Counter::of);
        let tokens = |text: &str| counter.map_or(0, |counter| counter.content(text));
        let weighed = index.and_then(|index| self.loaded.weights.tools.get(index));
        let system = preamble.system.iter().map(|text| (TurnBlockKind::Text, "", text.clone(), tokens(text)));
        let tools = preamble.tools.iter().enumerate().map(|(at, tool)| {
            let definition = serde_json::to_string_pretty(&tool.definition).unwrap_or_default();
            let tokens = weighed.and_then(|tools| tools.get(at)).copied().unwrap_or_default();
            (TurnBlockKind::Tool, tool.name.as_str(), definition, tokens)
        });
        let parts: [(MessageOrigin, Vec<Part<'_>>); 2] =
            [(MessageOrigin::SystemPrompt, system.collect()), (MessageOrigin::Tools, tools.collect())];
        let parts = parts.into_iter().enumerate().map(|(position, (origin, blocks))| TurnMessage {
            position: position as u64,
            role: MessageRole::System,
            origin,
            time: None,
            line: 0,
            answer: false,
            blocks: blocks
                .into_iter()
                .filter(|(_, _, text, _)| self.find.as_ref().is_none_or(|find| find.is_in(text)))
                .map(|(block, name, text, tokens)| self.plain(block, name, text, tokens))
                .collect(),
        });
        parts.filter(|part| !part.blocks.is_empty()).collect()
    }

    fn plain(&self, block: TurnBlockKind, name: &str, text: String, tokens: u64) -> TurnBlock {
        let (text, cut) = self.cut(text);
        TurnBlock {
            block,
            name: name.to_owned(),
            tool_use_id: None,
            text,
            cut,
            is_error: false,
            tokens,
            cleared: false,
        }
    }

    fn cut(&self, text: String) -> (String, bool) {
        match &self.find {
            Some(find) => cut(find.around(text)),
            None => cut(text),
        }
    }

    fn message(&self, position: usize, at: MessageIndex, message: &Message, answer: bool) -> TurnMessage {
        TurnMessage {
            position: position as u64,
            role: view::role(message.role),
            origin: view::origin(message.origin),
            time: message.at.map(|at| at.to_rfc3339()),
            line: u64::from(message.line),
            answer,
            blocks: message
                .blocks
                .iter()
                .enumerate()
                .map(|(block, shown)| self.block(BlockAt { message: at, block }, shown))
                .collect(),
        }
    }

    fn block(&self, at: BlockAt, block: &Block) -> TurnBlock {
        let mut shown = self.whole(block);
        shown.tokens = self.tokens(at);
        shown.cleared = self.cleared.contains(&at);
        (shown.text, shown.cut) = self.cut(shown.text);
        shown
    }

    /// A block with all of its text.
    fn whole(&self, block: &Block) -> TurnBlock {
        let mut shown = TurnBlock {
            block: TurnBlockKind::Unknown,
            name: String::new(),
            tool_use_id: None,
            text: String::new(),
            cut: false,
            is_error: false,
            tokens: 0,
            cleared: false,
        };
        let (kind, text) = match &block.kind {
            BlockKind::Text { text } => (TurnBlockKind::Text, text.clone()),
            BlockKind::Thinking { text, redacted, signature_bytes } => {
                (TurnBlockKind::Thinking, thinking(text, *redacted, *signature_bytes))
            }
            BlockKind::ToolUse { id, name, input, .. } => {
                shown.name.clone_from(name);
                shown.tool_use_id = Some(id.clone());
                (TurnBlockKind::ToolUse, serde_json::to_string_pretty(input).unwrap_or_default())
            }
            BlockKind::ToolResult { tool_use_id, content, is_error, .. } => {
                self.labels.tool(tool_use_id).clone_into(&mut shown.name);
                shown.tool_use_id = Some(tool_use_id.clone());
                shown.is_error = *is_error;
                (TurnBlockKind::ToolResult, content.iter().map(part).collect::<Vec<_>>().join("\n"))
            }
            BlockKind::Media(media) => (media_kind(media), described(media)),
            kind @ BlockKind::Attachment { attachment, .. } => {
                shown.name.clone_from(attachment);
                (TurnBlockKind::Attachment, kind.attached_text().unwrap_or_default().into_owned())
            }
            BlockKind::Compaction { content } => {
                (TurnBlockKind::Compaction, content.clone().unwrap_or_default())
            }
            BlockKind::Unknown { type_name, json } => {
                shown.name.clone_from(type_name);
                (TurnBlockKind::Unknown, json.clone())
            }
        };
        shown.block = kind;
        shown.text = text;
        shown
    }

    fn tokens(&self, at: BlockAt) -> u64 {
        let weight = self.loaded.weights.messages.get(at.message).and_then(|blocks| blocks.get(at.block));
        weight.map_or(0, |weight| weight.total())
    }
}

fn thinking(text: &str, redacted: bool, signature_bytes: usize) -> String {
    match (text, redacted) {
        ("", true) => format!("(encrypted, {signature_bytes} bytes)"),
        ("", false) => "(not stored)".to_owned(),
        (text, _) => text.to_owned(),
    }
}

fn part(part: &ResultPart) -> String {
    match part {
        ResultPart::Text(text) | ResultPart::Other(text) => text.clone(),
        ResultPart::Media(media) => described(media),
    }
}

const fn media_kind(media: &Media) -> TurnBlockKind {
    match media.kind {
        MediaKind::Image => TurnBlockKind::Image,
        MediaKind::Document => TurnBlockKind::Document,
    }
}

fn described(media: &Media) -> String {
    let pixels = media.pixels.map(|(width, height)| format!(", {width} × {height}")).unwrap_or_default();
    format!("({} {}, {} bytes{pixels})", media_kind(media), media.media_type, media.bytes)
}

fn cut(text: String) -> (String, bool) {
    match text.char_indices().nth(CHARACTERS) {
        Some((at, _)) => (text[..at].to_owned(), true),
        None => (text, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(cut("é".repeat(CHARACTERS)), ("é".repeat(CHARACTERS), false));
        assert_eq!(cut("é".repeat(CHARACTERS + 1)), ("é".repeat(CHARACTERS), true));
    }
}
