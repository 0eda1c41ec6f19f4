//! Composition: what the context of each request was made of.
//!
//! Everything here adds up numbers of [`Weights`]; no text is looked at but the names of tools. The sum of the
//! [`Classes`] of a request is its context as recorded: what the content does not explain is `not_recorded`, which is
//! negative where the counts come out too high, and is never spread over the other classes.

mod detail;
mod files;
mod growth;
mod walk;

pub use detail::{Composition, FileIn, Labels, Large, Named, compose_request};
pub use files::{FileUse, file_uses};
pub use growth::{Growth, growth};
pub(crate) use walk::{Sums, walk};

use crate::weight::Weights;
use retrace_transcript::Transcript;

/// Tokens by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Classes {
    /// System prompt and tool definitions, where the file holds them, and messages of the role system.
    pub system: i64,
    /// Instruction files that were attached or embedded.
    pub instructions: i64,
    /// Memory files that were attached or embedded.
    pub memory: i64,
    /// Results of tools, with their frames; files that a tool read among them.
    pub tool_results: i64,
    /// Calls of tools: names, inputs and frames.
    pub tool_inputs: i64,
    /// Text of both sides, summaries included.
    pub text: i64,
    /// Thinking that the model still sees.
    pub thinking: i64,
    /// What the client put in, and images and documents of their own.
    pub attachments: i64,
    /// The recorded context less everything above; 0 where none is recorded.
    pub not_recorded: i64,
}

impl Classes {
    /// All of them together: the size of the context.
    #[must_use]
    pub const fn sum(&self) -> i64 {
        self.content().saturating_add(self.not_recorded)
    }

    /// All but what is not recorded.
    #[must_use]
    pub const fn content(&self) -> i64 {
        self.system
            .saturating_add(self.instructions)
            .saturating_add(self.memory)
            .saturating_add(self.tool_results)
            .saturating_add(self.tool_inputs)
            .saturating_add(self.text)
            .saturating_add(self.thinking)
            .saturating_add(self.attachments)
    }
}

/// What the context of every request was made of: the shape of `transcript.requests`.
#[must_use]
pub fn compose(transcript: &Transcript, weights: &Weights) -> Vec<Classes> {
    let mut composed = vec![Classes::default(); transcript.requests.len()];
    walk(transcript, weights, &mut |request, sums| {
        composed[request] = with_the_rest(weights, request, sums);
    });
    composed
}

/// What the context of one request was made of.
fn compose_of(transcript: &Transcript, weights: &Weights, index: usize) -> Classes {
    let mut composed = Classes::default();
    walk(transcript, weights, &mut |request, sums| {
        if request == index {
            composed = with_the_rest(weights, request, sums);
        }
    });
    composed
}

fn with_the_rest(weights: &Weights, request: usize, sums: &Sums) -> Classes {
    let mut classes = sums.classes;
    let context = weights.contexts.get(request).copied().unwrap_or_default();
    classes.not_recorded = signed(context).saturating_sub(classes.content());
    classes
}

/// A count of tokens among differences of them.
pub(crate) fn signed(tokens: u64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
