//! Composition: what the context of each request was made of.
//!
//! Everything here adds up numbers of [`Weights`]; no text is looked at but the names of tools. The sum of the
//! [`Classes`] of a request is its context as recorded: what the content does not explain is `not_recorded`, and is never
//! spread over the other classes. Where the counts come out too high, they are brought down to the context (`fit.rs`), and
//! `over_counted` says by how much they were. No class is below zero.

mod detail;
mod files;
mod growth;
mod parts;
mod walk;

pub use detail::{Composition, FileIn, Labels, Large, Named, compose_request};
pub use files::{FileUse, file_uses};
pub use growth::{Growth, growth};
pub use parts::{Answer, AnswerPart, AnswerRest, Part, PartClass, answer, parts};
pub(crate) use walk::{Sums, walk};

use crate::fit::apportion;
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
    /// Texts that the client put in, and images and documents of their own.
    pub attachments: i64,
    /// The recorded context less everything above; 0 where none is recorded.
    pub not_recorded: i64,
    /// By how much the counts came out higher than the recorded context, and were brought down. In no sum.
    pub over_counted: i64,
}

impl Classes {
    /// All of them together: the size of the context.
    #[must_use]
    pub const fn sum(&self) -> i64 {
        self.content().saturating_add(self.not_recorded)
    }

    /// These classes in a context of so many tokens: what they do not explain is not recorded, what they have too much is taken
    /// from each in proportion.
    #[must_use]
    fn within(&self, context: u64) -> Self {
        let named = [
            self.system,
            self.instructions,
            self.memory,
            self.tool_results,
            self.tool_inputs,
            self.text,
            self.thinking,
            self.attachments,
        ];
        let mut parts = named.map(|tokens| u64::try_from(tokens).unwrap_or(0));
        let counted = parts.iter().copied().fold(0, u64::saturating_add);
        apportion(&mut parts, context);
        let [system, instructions, memory, tool_results, tool_inputs, text, thinking, attachments] =
            parts.map(signed);
        Self {
            system,
            instructions,
            memory,
            tool_results,
            tool_inputs,
            text,
            thinking,
            attachments,
            not_recorded: signed(context.saturating_sub(counted)),
            over_counted: signed(counted.saturating_sub(context)),
        }
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

/// Composition of the context of every request: the shape of `transcript.requests`.
#[must_use]
pub fn compose(transcript: &Transcript, weights: &Weights) -> Vec<Classes> {
    let mut composed = vec![Classes::default(); transcript.requests.len()];
    walk(transcript, weights, &mut |request, sums| {
        composed[request] = with_the_rest(weights, request, sums);
    });
    composed
}

/// Composition of the context of one request.
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
    sums.classes.within(weights.contexts.get(request).copied().unwrap_or_default())
}

/// A count of tokens among differences of them.
pub(crate) fn signed(tokens: u64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
