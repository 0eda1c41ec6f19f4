//! Composition by class and tool of every request: what a chart stacks, and the answer it opens on.
//!
//! Parts are the classes of [`compose`](super::compose), with the system class told apart into prompt and definitions of tools,
//! and results told apart by tool. The parts of a request add up to its context.

use super::{Classes, compose};
use crate::fit::{Fit, apportion};
use crate::weight::Weights;
use retrace_tokens::Family;
use retrace_transcript::{BlockKind, Request, Segment, Transcript};
use std::collections::HashMap;

/// Tools whose results are parts of their own; those of others are one part.
const TOOLS: usize = 6;

/// Parts that a sentence names; the rest is one.
const NAMED: usize = 9;

/// Figures of a number in a sentence.
const FIGURES: u32 = 3;

/// Class of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartClass {
    /// System prompt, and messages of the role system.
    System,
    /// Definitions of tools, with what the API adds to them.
    ToolDefinitions,
    /// Instruction files.
    Instructions,
    /// Memory files.
    Memory,
    /// The recorded context that no content explains.
    NotRecorded,
    /// What the client put in.
    Attachments,
    /// Text of both sides.
    Text,
    /// Thinking.
    Thinking,
    /// Calls of tools.
    ToolInputs,
    /// Results of a tool, or of several.
    ToolResults,
}

/// A part of the contexts of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its class.
    pub class: PartClass,
    /// The tool, of results; `None` for tools that have no part of their own.
    pub tool: Option<String>,
    /// Its tokens, by request.
    pub tokens: Vec<u64>,
}

/// Every part that any request has, in the order in which they are stacked: results last, those of the largest tool on top.
#[must_use]
pub fn parts(transcript: &Transcript, weights: &Weights) -> Vec<Part> {
    let composed = compose(transcript, weights);
    let mut found: Vec<Part> = PLAIN
        .iter()
        .map(|&class| {
            let each = composed.iter().enumerate();
            let tokens = each.map(|(index, classes)| plain(transcript, weights, index, classes, class));
            Part { class, tool: None, tokens: tokens.collect() }
        })
        .collect();
    found.extend(results(transcript, weights, &composed));
    found.retain(|part| part.tokens.iter().any(|&tokens| tokens > 0));
    found
}

/// The classes that are not told apart by tool.
const PLAIN: [PartClass; 9] = [
    PartClass::System,
    PartClass::ToolDefinitions,
    PartClass::Instructions,
    PartClass::Memory,
    PartClass::NotRecorded,
    PartClass::Attachments,
    PartClass::Text,
    PartClass::Thinking,
    PartClass::ToolInputs,
];

fn plain(
    transcript: &Transcript,
    weights: &Weights,
    index: usize,
    classes: &Classes,
    class: PartClass,
) -> u64 {
    let whole = |tokens: i64| u64::try_from(tokens).unwrap_or(0);
    match class {
        PartClass::System => {
            whole(classes.system).saturating_sub(definitions(transcript, weights, index, classes))
        }
        PartClass::ToolDefinitions => definitions(transcript, weights, index, classes),
        PartClass::Instructions => whole(classes.instructions),
        PartClass::Memory => whole(classes.memory),
        PartClass::NotRecorded => whole(classes.not_recorded),
        PartClass::Attachments => whole(classes.attachments),
        PartClass::Text => whole(classes.text),
        PartClass::Thinking => whole(classes.thinking),
        PartClass::ToolInputs => whole(classes.tool_inputs),
        PartClass::ToolResults => 0,
    }
}

/// Of the class `system`, the definitions of tools.
fn definitions(transcript: &Transcript, weights: &Weights, index: usize, classes: &Classes) -> u64 {
    let preamble = transcript.requests.get(index).and_then(|request| request.preamble);
    let Some(&weight) = preamble.and_then(|preamble| weights.preambles.get(preamble)) else { return 0 };
    let whole = crate::weigh::preamble_range(weight, Family::parse(weights.family)).middle;
    let at = |list: &[u64]| list.get(index).copied().unwrap_or_default();
    let fit = Fit::of(at(&weights.weighed), at(&weights.contexts));
    fit.part(whole.saturating_sub(weight.system)).min(u64::try_from(classes.system).unwrap_or(0))
}

/// Results by tool: the largest tools, and one part for all others, which comes first.
fn results(transcript: &Transcript, weights: &Weights, composed: &[Classes]) -> Vec<Part> {
    let counted = results_by_tool(transcript, weights);
    let mut of_tool = vec![vec![0_u64; composed.len()]; counted.tools.len()];
    let mut others = vec![0_u64; composed.len()];
    for (index, (sums, classes)) in counted.sums.iter().zip(composed).enumerate() {
        let class = u64::try_from(classes.tool_results).unwrap_or(0);
        let mut sums = sums.clone();
        apportion(&mut sums, class);
        for (tool, &tokens) in sums.iter().enumerate() {
            of_tool[tool][index] = tokens;
        }
        others[index] = class.saturating_sub(sums.iter().copied().fold(0, u64::saturating_add));
    }
    let peak = weights.peak().unwrap_or_default();
    let mut order: Vec<usize> = (0..of_tool.len()).collect();
    let size = |tool: &usize| {
        let tokens = &of_tool[*tool];
        let sum = tokens.iter().copied().fold(0, u64::saturating_add);
        (tokens.get(peak).copied().unwrap_or_default(), sum)
    };
    order.sort_by(|one, other| {
        size(other).cmp(&size(one)).then_with(|| counted.tools[*one].cmp(counted.tools[*other]))
    });
    for tool in order.split_off(order.len().min(TOOLS)) {
        others.iter_mut().zip(&of_tool[tool]).for_each(|(sum, more)| *sum = sum.saturating_add(*more));
    }
    let of_others = Part { class: PartClass::ToolResults, tool: None, tokens: others };
    let named = order.into_iter().rev().map(|tool| Part {
        class: PartClass::ToolResults,
        tool: Some(counted.tools[tool].to_owned()),
        tokens: std::mem::take(&mut of_tool[tool]),
    });
    std::iter::once(of_others).chain(named.collect::<Vec<_>>()).collect()
}

/// What results weigh, by request and tool.
struct Counted<'t> {
    tools: Vec<&'t str>,
    sums: Vec<Vec<u64>>,
}

fn results_by_tool<'t>(transcript: &'t Transcript, weights: &Weights) -> Counted<'t> {
    let mut tools: Vec<&str> = Vec::new();
    let mut number: HashMap<&str, usize> = HashMap::new();
    let mut of_call: HashMap<&str, usize> = HashMap::new();
    for block in transcript.messages.iter().flat_map(|message| &message.blocks) {
        if let BlockKind::ToolUse { id, name, .. } = &block.kind {
            let tool = *number.entry(name).or_insert_with(|| {
                tools.push(name);
                tools.len() - 1
            });
            of_call.insert(id, tool);
        }
    }
    let mut sums = vec![vec![0; tools.len()]; transcript.requests.len()];
    let mut requests: Vec<Vec<usize>> = vec![Vec::new(); transcript.segments.len()];
    for (index, request) in transcript.requests.iter().enumerate() {
        if let Some(of_segment) = requests.get_mut(request.segment) {
            of_segment.push(index);
        }
    }
    for (segment, mut of_segment) in transcript.segments.iter().zip(requests) {
        of_segment.sort_by_key(|&index| transcript.requests[index].upto);
        let mut running = vec![0_u64; tools.len()];
        let mut position = 0;
        for index in of_segment {
            let Request { upto, .. } = &transcript.requests[index];
            while position < (*upto).min(segment.messages.len()) {
                add(transcript, weights, segment, segment.messages[position], &of_call, &mut running);
                position += 1;
            }
            sums[index].clone_from(&running);
        }
    }
    Counted { tools, sums }
}

/// Adds the results of a message; a compaction by the server takes all that was before it.
fn add(
    transcript: &Transcript,
    weights: &Weights,
    segment: &Segment,
    message: usize,
    of_call: &HashMap<&str, usize>,
    running: &mut [u64],
) {
    let Some(blocks) = transcript.messages.get(message).map(|message| &message.blocks) else { return };
    for (index, block) in blocks.iter().enumerate() {
        match &block.kind {
            BlockKind::Compaction { content: Some(_) } => running.fill(0),
            BlockKind::ToolResult { tool_use_id, .. } => {
                let weight = weights.messages.get(message).and_then(|blocks| blocks.get(index));
                let Some((weight, &tool)) = weight.zip(of_call.get(tool_use_id.as_str())) else { continue };
                let freed = match segment.dropped_results.contains(tool_use_id) {
                    true => weight.content.saturating_sub(weights.dropped_result),
                    false => 0,
                };
                running[tool] = running[tool].saturating_add(weight.total().saturating_sub(freed));
            }
            _ => {}
        }
    }
}

/// What a request was made of, to be said in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Index of the request.
    pub request: usize,
    /// Its context.
    pub tokens: u64,
    /// The same in round figures: the sum of what is said of the parts.
    pub said: u64,
    /// The parts that are named, the largest first.
    pub parts: Vec<AnswerPart>,
    /// The rest.
    pub rest: AnswerRest,
}

/// A part of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerPart {
    /// Its index among the parts.
    pub part: usize,
    /// Its tokens.
    pub tokens: u64,
    /// The same in round figures.
    pub said: u64,
}

/// What an answer does not name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerRest {
    /// Number of parts.
    pub count: usize,
    /// Their tokens.
    pub tokens: u64,
    /// The same in round figures.
    pub said: u64,
}

/// What a request is made of, the largest part first. The round figures of the parts add up to that of the whole.
#[must_use]
pub fn answer(parts: &[Part], request: usize) -> Answer {
    let at = |part: &Part| part.tokens.get(request).copied().unwrap_or_default();
    let tokens = parts.iter().map(at).fold(0, u64::saturating_add);
    let unit = unit(tokens);
    let mut order: Vec<usize> = (0..parts.len()).filter(|&part| at(&parts[part]) > 0).collect();
    order.sort_by_key(|&part| (std::cmp::Reverse(at(&parts[part])), part));
    let named = order.iter().take(NAMED).take_while(|&&part| at(&parts[part]) >= unit).count();
    let others = order.split_off(named);
    let rest = others.iter().map(|&part| at(&parts[part])).fold(0, u64::saturating_add);
    let exact: Vec<u64> = order.iter().map(|&part| at(&parts[part])).chain([rest]).collect();
    let rounded = rounded(&exact, unit);
    Answer {
        request,
        tokens,
        said: rounded.iter().copied().fold(0, u64::saturating_add),
        parts: order
            .iter()
            .zip(&rounded)
            .map(|(&part, &said)| AnswerPart { part, tokens: at(&parts[part]), said })
            .collect(),
        rest: AnswerRest {
            count: others.len(),
            tokens: rest,
            said: rounded.last().copied().unwrap_or_default(),
        },
    }
}

/// The place to which a number of so many figures is rounded.
fn unit(tokens: u64) -> u64 {
    let figures = tokens.checked_ilog10().map_or(1, |log| log + 1);
    10_u64.pow(figures.saturating_sub(FIGURES))
}

/// Each rounded to a unit, so that they add up to their sum rounded to it: what rounding down leaves goes to those that lost most.
fn rounded(exact: &[u64], unit: u64) -> Vec<u64> {
    let sum = exact.iter().copied().fold(0, u64::saturating_add);
    let whole = (sum / unit) + u64::from(sum % unit >= unit.div_ceil(2) && unit > 1);
    let mut units: Vec<u64> = exact.iter().map(|tokens| tokens / unit).collect();
    let left = whole.saturating_sub(units.iter().copied().fold(0, u64::saturating_add));
    let mut lost: Vec<usize> = (0..exact.len()).collect();
    lost.sort_by_key(|&index| (std::cmp::Reverse(exact[index] % unit), index));
    for index in lost.into_iter().take(usize::try_from(left).unwrap_or(usize::MAX)) {
        units[index] += 1;
    }
    units.iter().map(|units| units.saturating_mul(unit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weigh::story::{Story, calls, used, words};
    use proptest::prelude::*;
    use serde_json::json;

    fn part(class: PartClass, tokens: u64) -> Part {
        Part { class, tool: None, tokens: vec![tokens] }
    }

    #[test]
    fn parts_add_up_to_each_context_and_tell_tools_apart() {
        let mut story = Story::new("claude-opus-4-8");
        story.types("go");
        for (turn, tool) in ["Read", "Grep", "Read", "Bash"].into_iter().enumerate() {
            let id = format!("t{turn}");
            let context = 2_000 + turn as u64 * 500;
            story.answers(Some(used(context, 9)), vec![calls(&id, tool, json!({"file_path": id}))]);
            story.results(&[(&id, &"word ".repeat(50 * (turn + 1)))]);
        }
        story.answers(Some(used(4_100, 9)), vec![words("done")]);
        let weights = story.weights();
        let found = parts(&story.transcript, &weights);
        for (index, &context) in weights.contexts.iter().enumerate() {
            let sum: u64 = found.iter().map(|part| part.tokens[index]).sum();
            assert_eq!(sum, context, "request {index}");
        }
        let tools: Vec<&str> = found.iter().filter_map(|part| part.tool.as_deref()).collect();
        assert_eq!(tools, ["Grep", "Bash", "Read"], "the largest is on top");
        let last = answer(&found, 4);
        assert_eq!(last.tokens, 4_100);
        let said: u64 = last.parts.iter().map(|part| part.said).sum();
        assert_eq!((last.said, said + last.rest.said), (4_100, 4_100));
    }

    #[test]
    fn the_rest_is_one_and_small_runs_are_said_to_the_token() {
        let many: Vec<Part> = (0..12).map(|at| part(PartClass::Text, 10_000 - at * 10)).collect();
        let said = answer(&many, 0);
        assert_eq!((said.parts.len(), said.rest.count), (NAMED, 3));
        assert_eq!((said.tokens, said.said), (119_340, 119_000));
        let small = answer(&[part(PartClass::Text, 12), part(PartClass::System, 700)], 0);
        assert_eq!((small.said, small.parts[0].said, small.parts[1].said), (712, 700, 12));
        assert_eq!(answer(&[], 0).said, 0);
    }

    proptest! {
        #[test]
        fn what_is_said_adds_up_and_is_as_near_as_the_figures_allow(
            tokens in proptest::collection::vec(0..2_000_000_u64, 0..20),
        ) {
            let parts: Vec<Part> = tokens.iter().map(|&tokens| part(PartClass::Text, tokens)).collect();
            let said = answer(&parts, 0);
            let unit = unit(said.tokens);
            prop_assert_eq!(said.tokens, tokens.iter().sum::<u64>());
            prop_assert!(said.said.abs_diff(said.tokens) * 2 <= unit);
            let sum: u64 = said.parts.iter().map(|part| part.said).sum::<u64>() + said.rest.said;
            prop_assert_eq!(sum, said.said);
            for part in &said.parts {
                prop_assert!(part.said > 0 && part.said.abs_diff(part.tokens) < unit);
            }
            prop_assert!(said.parts.is_sorted_by(|one, other| one.tokens >= other.tokens));
        }
    }
}
