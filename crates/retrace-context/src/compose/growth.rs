//! Measures how well content explains growth: the measure of the weights.

use crate::weight::Weights;
use retrace_transcript::{BlockKind, Origin, Request, ResultPart, Transcript, Usage};

/// Growth between two consecutive requests, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// Index of the later request.
    pub request: usize,
    /// As recorded.
    pub grown: i64,
    /// Weight of the messages between.
    pub weighed: i64,
}

impl Growth {
    /// The difference of the two relative to what is recorded.
    #[must_use]
    pub fn error(self) -> f64 {
        (self.weighed - self.grown).abs() as f64 / self.grown as f64
    }
}

/// The growth of pairs of consecutive requests between which nothing came but an answer and the results of its calls: same
/// segment and model, no thinking, no image, no text of a person or the client, both contexts recorded, and more in the later
/// one. What the client put in without storing it stays in: no file tells of it.
#[must_use]
pub fn growth(transcript: &Transcript, weights: &Weights) -> Vec<Growth> {
    let mut found = Vec::new();
    for (index, two) in transcript.requests.windows(2).enumerate() {
        let (Some(before), Some(after)) = (context(&two[0]), context(&two[1])) else { continue };
        let same = two[0].segment == two[1].segment && two[0].model == two[1].model;
        let Some(segment) = transcript.segments.get(two[0].segment).filter(|_| same) else { continue };
        let Some(between) = segment.messages.get(two[0].upto..two[1].upto) else { continue };
        let weighed = weights.weighed.get(index..index + 2);
        if let Some(&[less, more]) = weighed
            && after > before
            && only_results(transcript, between)
        {
            let (grown, weighed) = (after - before, super::signed(more).saturating_sub(super::signed(less)));
            found.push(Growth { request: index + 1, grown, weighed });
        }
    }
    found
}

fn context(request: &Request) -> Option<i64> {
    request.usage.as_ref().map(Usage::context).filter(|&context| context > 0).map(super::signed)
}

fn only_results(transcript: &Transcript, messages: &[usize]) -> bool {
    let mut results = 0;
    for message in messages.iter().filter_map(|&index| transcript.messages.get(index)) {
        if !matches!(message.origin, Origin::Model | Origin::ToolResults) {
            return false;
        }
        for block in &message.blocks {
            match &block.kind {
                BlockKind::Text { .. } if message.origin == Origin::Model => {}
                BlockKind::ToolUse { server: false, .. } => {}
                BlockKind::ToolResult { content, .. }
                    if content.iter().all(|part| matches!(part, ResultPart::Text(_))) =>
                {
                    results += 1;
                }
                _ => return false,
            }
        }
    }
    results > 0
}
