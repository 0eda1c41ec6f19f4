//! One pass over the segments: running sums by class, handed out at each request.
//!
//! Every message is summed up once, then added where a segment names it; so the cost is that of the blocks, plus the
//! lengths of the segments, plus the requests.

use super::{Classes, signed};
use crate::outcome::BlockAt;
use crate::weigh::{keeps_earlier_turns, opens_a_turn};
use crate::weight::{BlockWeight, FileClass, FileSource, FileWeight, Margin, Weights};
use retrace_tokens::Family;
use retrace_transcript::{BlockKind, Message, Origin, Role, Segment, Transcript};
use std::ops::AddAssign;

/// Sums of the parts that a request sent, up to here.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    /// Tokens by class, without what is not recorded.
    pub classes: Classes,
    /// Amount it may be less.
    pub below: i64,
    /// Amount it may be more.
    pub above: i64,
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        let add = |sum: &mut i64, more: i64| *sum = sum.saturating_add(more);
        add(&mut self.classes.system, other.classes.system);
        add(&mut self.classes.instructions, other.classes.instructions);
        add(&mut self.classes.memory, other.classes.memory);
        add(&mut self.classes.tool_results, other.classes.tool_results);
        add(&mut self.classes.tool_inputs, other.classes.tool_inputs);
        add(&mut self.classes.text, other.classes.text);
        add(&mut self.classes.thinking, other.classes.thinking);
        add(&mut self.classes.attachments, other.classes.attachments);
        add(&mut self.below, other.below);
        add(&mut self.above, other.above);
    }
}

/// One message, summed up. Thinking stands apart, because a later turn may hide it.
#[derive(Clone, Copy, Debug, Default)]
struct MessageSums {
    spoken: Sums,
    thought: Sums,
    opens_a_turn: bool,
    /// From here on everything before it is ignored: it holds the summary of a compaction by the server.
    compacts: bool,
}

/// Calls `answer` with each request's index and what it sent.
pub(crate) fn walk(transcript: &Transcript, weights: &Weights, answer: &mut dyn FnMut(usize, &Sums)) {
    let messages = sum_messages(transcript, weights);
    let mut requests: Vec<Vec<usize>> = vec![Vec::new(); transcript.segments.len()];
    for (index, request) in transcript.requests.iter().enumerate() {
        match requests.get_mut(request.segment) {
            Some(of_segment) => of_segment.push(index),
            None => answer(index, &preamble(transcript, weights, index)),
        }
    }
    for (segment, mut of_segment) in transcript.segments.iter().zip(requests) {
        of_segment.sort_by_key(|&index| transcript.requests[index].upto);
        walk_segment(transcript, weights, &messages, segment, &of_segment, answer);
    }
}

fn walk_segment(
    transcript: &Transcript,
    weights: &Weights,
    messages: &[MessageSums],
    segment: &Segment,
    requests: &[usize],
    answer: &mut dyn FnMut(usize, &Sums),
) {
    let mut spoken = Sums::default();
    let mut thought = Sums::default();
    let mut thought_in_turn = Sums::default();
    let mut position = 0;
    for &index in requests {
        let upto = transcript.requests[index].upto.min(segment.messages.len());
        while position < upto {
            let message = segment.messages[position];
            position += 1;
            let Some(sums) = messages.get(message) else { continue };
            if sums.compacts {
                (spoken, thought, thought_in_turn) = Default::default();
            }
            if sums.opens_a_turn {
                thought_in_turn = Sums::default();
            }
            spoken += sums.spoken;
            thought += sums.thought;
            thought_in_turn += sums.thought;
            if !segment.dropped_results.is_empty() {
                free_dropped(transcript, weights, segment, message, &mut spoken.classes);
            }
        }
        let mut sent = preamble(transcript, weights, index);
        sent += spoken;
        let model = transcript.requests[index].model.as_deref().unwrap_or_default();
        sent += if keeps_earlier_turns(model) { thought } else { thought_in_turn };
        answer(index, &sent);
    }
}

fn preamble(transcript: &Transcript, weights: &Weights, request: usize) -> Sums {
    let mut sums = Sums::default();
    let Some(request) = transcript.requests.get(request) else { return sums };
    let Some(&weight) = request.preamble.and_then(|preamble| weights.preambles.get(preamble)) else {
        return sums;
    };
    let range = crate::weigh::preamble_range(weight, Family::parse(weights.family));
    let mut system = weight.system;
    for file in weights.in_prompt(request) {
        // The parts of a text may count to more than the whole.
        let tokens = file.tokens.min(system);
        system -= tokens;
        let class = match file.class {
            FileClass::Instructions => &mut sums.classes.instructions,
            FileClass::Memory => &mut sums.classes.memory,
        };
        *class = class.saturating_add(signed(tokens));
    }
    sums.classes.system = signed(range.middle - (weight.system - system));
    sums.below = signed(range.middle - range.low);
    sums.above = signed(range.high - range.middle);
    sums
}

/// Takes what the client freed by dropping results of a message of the segment from the classes it was counted in. What the
/// client had put behind a result goes with it.
fn free_dropped(
    transcript: &Transcript,
    weights: &Weights,
    segment: &Segment,
    message: usize,
    classes: &mut Classes,
) {
    let Some(blocks) = transcript.messages.get(message).map(|message| &message.blocks) else { return };
    let weight = |block: usize| weights.messages.get(message).and_then(|blocks| blocks.get(block));
    for (index, block) in blocks.iter().enumerate() {
        if let BlockKind::ToolResult { tool_use_id, .. } = &block.kind
            && segment.dropped_results.contains(tool_use_id)
        {
            let content = weight(index).map_or(0, |weight| weight.content);
            let mut freed = signed(content.saturating_sub(weights.dropped_result));
            let at = BlockAt { message, block: index };
            let from = weights.files.partition_point(|file| file.at < at);
            let standing = weights.files[from..].iter().take_while(|file| file.at == at);
            for file in standing.filter(|file| file.source != FileSource::ReadByTool) {
                let of_file = signed(file.tokens).min(freed);
                freed -= of_file;
                let class = match file.class {
                    FileClass::Instructions => &mut classes.instructions,
                    FileClass::Memory => &mut classes.memory,
                };
                *class = class.saturating_sub(of_file);
            }
            classes.tool_results = classes.tool_results.saturating_sub(freed);
        }
    }
}

fn sum_messages(transcript: &Transcript, weights: &Weights) -> Vec<MessageSums> {
    let mut files = &weights.files[..];
    let mut margins = &weights.margins[..];
    let mut summed = Vec::with_capacity(transcript.messages.len());
    for (index, message) in transcript.messages.iter().enumerate() {
        let of_message = weights.messages.get(index).map_or(&[][..], Vec::as_slice);
        let here = take_while(&mut files, |file| file.at.message <= index);
        let mut sums = sum_message(message, of_message, here);
        for margin in take_while(&mut margins, |margin| margin.at.message <= index) {
            add_margin(&mut sums, message, of_message, margin);
        }
        summed.push(sums);
    }
    summed
}

fn take_while<'a, T>(list: &mut &'a [T], belongs: impl Fn(&T) -> bool) -> &'a [T] {
    let (here, rest) = list.split_at(list.iter().take_while(|item| belongs(item)).count());
    *list = rest;
    here
}

fn add_margin(sums: &mut MessageSums, message: &Message, weights: &[BlockWeight], margin: &Margin) {
    let Some(block) = message.blocks.get(margin.at.block) else { return };
    let Some(weight) = weights.get(margin.at.block) else { return };
    let of =
        if matches!(block.kind, BlockKind::Thinking { .. }) { &mut sums.thought } else { &mut sums.spoken };
    of.below = of.below.saturating_add(signed(weight.content.saturating_sub(margin.low)));
    of.above = of.above.saturating_add(signed(margin.high.saturating_sub(weight.content)));
}

fn sum_message(message: &Message, weights: &[BlockWeight], files: &[FileWeight]) -> MessageSums {
    let mut sums = MessageSums { opens_a_turn: opens_a_turn(message), ..MessageSums::default() };
    for (index, (block, weight)) in message.blocks.iter().zip(weights).enumerate() {
        let mut tokens = signed(weight.total());
        if let BlockKind::Compaction { content: Some(_) } = &block.kind {
            sums = MessageSums { opens_a_turn: sums.opens_a_turn, compacts: true, ..MessageSums::default() };
        }
        let standing =
            files.iter().filter(|file| file.at.block == index && file.source != FileSource::ReadByTool);
        for file in standing {
            // The parts of a text may count to more than the whole; the sum must stay that of the whole.
            let of_file = signed(file.tokens).min(tokens);
            tokens = tokens.saturating_sub(of_file);
            let class = match file.class {
                FileClass::Instructions => &mut sums.spoken.classes.instructions,
                FileClass::Memory => &mut sums.spoken.classes.memory,
            };
            *class = class.saturating_add(of_file);
        }
        let class = class_of(message, &block.kind, &mut sums);
        *class = class.saturating_add(tokens);
    }
    sums
}

/// The sum that a block's tokens belong to, but for those of memory and instruction files in it.
fn class_of<'s>(message: &Message, kind: &BlockKind, sums: &'s mut MessageSums) -> &'s mut i64 {
    let classes = &mut sums.spoken.classes;
    match kind {
        BlockKind::Thinking { .. } => &mut sums.thought.classes.thinking,
        BlockKind::ToolUse { .. } => &mut classes.tool_inputs,
        BlockKind::ToolResult { .. } => &mut classes.tool_results,
        BlockKind::Media(_) | BlockKind::Attachment { .. } => &mut classes.attachments,
        BlockKind::Text { .. } if message.role == Role::System => &mut classes.system,
        BlockKind::Text { .. } if message.origin == Origin::Client => &mut classes.attachments,
        BlockKind::Text { .. } | BlockKind::Compaction { .. } | BlockKind::Unknown { .. } => {
            &mut classes.text
        }
    }
}
