//! Which messages of a session the model sees, after compactions.

use crate::{BlockKind, Message, MessageIndex, ResultPart};
use std::collections::HashSet;

/// Letters of a result that the call for a summary gets, in UTF-16 units (1.18.33).
const SUMMED_UP: usize = 2000;

/// What stands behind one that was cut.
const CUT: &str = "\n[truncated]";

/// A message as opencode has it; answers of several calls and results of tools are several here.
pub(super) struct Entry {
    pub(super) id: String,
    /// The message that it answers.
    pub(super) parent: String,
    pub(super) messages: Vec<MessageIndex>,
    pub(super) is_user: bool,
    /// The compaction that it asks for.
    pub(super) ask: Option<Ask>,
    /// True for the answer that is a summary.
    pub(super) is_summary: bool,
    /// True for an answer that came to its end without an error.
    pub(super) has_ended: bool,
    /// True for one that failed and is not sent.
    pub(super) is_left_out: bool,
}

/// A compaction as it is asked for.
pub(super) struct Ask {
    /// The first message that is kept.
    pub(super) tail: Option<String>,
    /// True where the last prompt was too much: it is sent again afterwards.
    pub(super) overflows: bool,
    /// True where no person asked.
    pub(super) is_auto: bool,
}

/// The messages before the model after these.
pub(super) fn messages(entries: &[Entry]) -> Vec<MessageIndex> {
    flat(visible(entries))
}

/// The messages that the summary is of which `parent` asks for. `None` where no such message is known.
pub(super) fn summed_up(entries: &[Entry], parent: &str) -> Option<Vec<MessageIndex>> {
    let asking = entries.iter().rposition(|entry| entry.id == parent)?;
    let ask = entries[asking].ask.as_ref()?;
    let mut of = visible(&entries[..asking]);
    if ask.overflows {
        // The last prompt, unless it is the only one.
        let is_prompt = |entry: &&Entry| entry.is_user && entry.ask.is_none();
        let last = of.iter().rposition(is_prompt);
        if let Some(last) = last.filter(|last| of[..*last].iter().any(is_prompt)) {
            of.truncate(last);
        }
    }
    // An earlier summary is given as one; what asked for it is not.
    let earlier: HashSet<&str> = of
        .iter()
        .filter(|entry| entry.is_summary && entry.has_ended)
        .map(|entry| entry.parent.as_str())
        .collect();
    of.retain(|entry| !(entry.ask.is_some() && earlier.contains(entry.id.as_str())));
    if let Some(kept) = ask.tail.as_ref().and_then(|tail| of.iter().position(|entry| entry.id == *tail)) {
        of.truncate(kept);
    }
    Some(flat(of))
}

fn flat(entries: Vec<&Entry>) -> Vec<MessageIndex> {
    let sent = entries.into_iter().filter(|entry| !entry.is_left_out);
    sent.flat_map(|entry| entry.messages.iter().copied()).collect()
}

/// The messages from the last compaction on, what was kept behind its summary.
fn visible(entries: &[Entry]) -> Vec<&Entry> {
    let mut answered: HashSet<&str> = HashSet::new();
    let mut until: Option<&str> = None;
    let mut found: Vec<&Entry> = Vec::new();
    for entry in entries.iter().rev() {
        found.push(entry);
        if let Some(until) = until {
            if entry.id == until {
                break;
            }
        } else if let Some(ask) = entry.ask.as_ref().filter(|_| answered.contains(entry.id.as_str())) {
            match &ask.tail {
                Some(tail) if *tail != entry.id => until = Some(tail),
                _ => break,
            }
        } else if entry.is_summary && entry.has_ended {
            answered.insert(&entry.parent);
        }
    }
    found.reverse();
    let tail = |entry: &Entry| entry.ask.as_ref().and_then(|ask| ask.tail.clone());
    let Some(asking) = found.iter().rposition(|entry| tail(entry).is_some()) else { return found };
    let of = &found[asking].id;
    let summary = (asking + 1..found.len()).find(|&at| found[at].is_summary && found[at].parent == *of);
    let kept = tail(found[asking]).and_then(|tail| found.iter().position(|entry| entry.id == tail));
    match (summary, kept.filter(|kept| *kept < asking)) {
        (Some(summary), Some(kept)) => {
            [&found[asking..=summary], &found[kept..asking], &found[summary + 1..]].concat()
        }
        _ => found,
    }
}

/// A message with long results cut as the call for a summary gets them; `None` where none is long.
pub(super) fn cut(message: &Message) -> Option<Message> {
    let mut changed: Option<Message> = None;
    for (at, block) in message.blocks.iter().enumerate() {
        let BlockKind::ToolResult { content, is_error: false, .. } = &block.kind else { continue };
        for (part, text) in content.iter().enumerate() {
            let ResultPart::Text(text) = text else { continue };
            let Some(cut) = cut_text(text) else { continue };
            let changed = changed.get_or_insert_with(|| message.clone());
            if let BlockKind::ToolResult { content, .. } = &mut changed.blocks[at].kind {
                content[part] = ResultPart::Text(cut);
            }
        }
    }
    changed
}

fn cut_text(text: &str) -> Option<String> {
    if text.len() <= SUMMED_UP {
        return None;
    }
    let mut units = 0;
    let end = text.char_indices().find_map(|(at, letter)| {
        units += letter.len_utf16();
        (units > SUMMED_UP).then_some(at)
    })?;
    Some(format!("{}{CUT}", &text[..end]))
}
