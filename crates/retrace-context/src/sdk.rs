//! Compaction by the SDKs' tool runners (`compaction_control`): the runner's loop as a machine over scripted responses.
//!
//! Source: `lib/tools/_beta_runner.py` of the Python SDK 0.125.0 and `BetaToolRunner.ts` of the TypeScript SDK 0.128.0,
//! which agree but for what is said at [`SdkLanguage`]. [`crate::simulate`] uses the same arithmetic over transcripts.
//! Not modelled: the asynchronous runner before Python 0.85.0, which sent the calls it had meant to drop.

use crate::settings::{CompactionControl, SdkLanguage};

/// Tokens of the SDKs' own prompt for a summary: our estimate of a text in five parts.
pub const SUMMARY_PROMPT_TOKENS: u64 = 275;

/// After so many compactions of one and the same turn a run is believed to compact for ever: from the second on each begins
/// from the same system, tools and summary.
pub const ENDLESS_AFTER: u32 = 3;

/// Bytes a token of English instructions, for the size of a prompt of one's own (token estimation, bytes against text).
const PROMPT_BYTES_A_TOKEN: usize = 4;

/// Usage of one response; a field of the cache may be `null`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SdkUsage {
    /// `input_tokens`.
    pub input: u64,
    /// `cache_creation_input_tokens`.
    pub cache_creation: Option<u64>,
    /// `cache_read_input_tokens`. With tools of the server it adds up over the calls within the response, so that a
    /// response counts more than its context holds.
    pub cache_read: Option<u64>,
    /// `output_tokens`.
    pub output: u64,
}

impl SdkUsage {
    /// Tokens that the runner compares with the threshold.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.input
            .saturating_add(self.cache_creation.unwrap_or(0))
            .saturating_add(self.cache_read.unwrap_or(0))
            .saturating_add(self.output)
    }
}

/// True if the runner compacts: at the threshold or above.
#[must_use]
pub const fn compacts(control: &CompactionControl, used: u64) -> bool {
    control.enabled && used >= control.context_token_threshold
}

/// True if a refusal ends the run before any check.
#[must_use]
pub const fn ends_at_refusal(control: &CompactionControl) -> bool {
    matches!(control.language, SdkLanguage::Python)
}

/// Tokens of the prompt that asks for the summary.
#[must_use]
pub fn prompt_tokens(control: &CompactionControl) -> u64 {
    match &control.summary_prompt {
        None => SUMMARY_PROMPT_TOKENS,
        Some(prompt) => (prompt.len().div_ceil(PROMPT_BYTES_A_TOKEN)) as u64,
    }
}

/// End of a scripted response of the model ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It calls so many tools, at least one.
    Calls(u64),
    /// A plain answer.
    Answer,
    /// A refusal.
    Refusal,
}

/// A scripted response of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Its usage.
    pub usage: SdkUsage,
    /// Its end.
    pub ending: Ending,
}

/// A scripted response to a request for a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Its usage.
    pub usage: SdkUsage,
    /// True if its first block is text, as it has to be.
    pub begins_with_text: bool,
}

/// The last message of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastMessage {
    /// Of the user.
    User,
    /// Of the assistant, with so many blocks that are no calls of tools. Only a caller puts it there.
    Assistant {
        /// Blocks that are kept when the calls are dropped.
        other_blocks: usize,
    },
}

/// A call of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// A turn of the model.
    Normal {
        /// Messages sent.
        messages: usize,
    },
    /// A request for a summary.
    Summary {
        /// Messages sent, the prompt among them.
        messages: usize,
        /// Tokens that made it necessary.
        used: u64,
    },
}

/// End of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// The model called no tool.
    Answered,
    /// The model refused (Python).
    Refused,
    /// `max_iterations` is reached.
    LimitReached,
    /// A summary did not begin with text: the runner raises an error.
    SummaryIsNoText,
    /// The script has no more responses.
    ScriptEnded,
}

/// Record of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Calls of the API in order.
    pub calls: Vec<Call>,
    /// Responses handed to the caller.
    pub yields: u64,
    /// Tools that were run.
    pub tool_runs: u64,
    /// Input tokens of the turns, summaries left out.
    pub input: u64,
    /// Output tokens of the turns, summaries left out.
    pub output: u64,
    /// Its end.
    pub end: RunEnd,
}

/// Runs the loop over scripted responses, beginning with a history of `messages` that ends with `last`.
#[must_use]
pub fn run(
    control: &CompactionControl,
    messages: usize,
    last: LastMessage,
    turns: &[Turn],
    summaries: &[Summary],
) -> Trace {
    let mut trace =
        Trace { calls: Vec::new(), yields: 0, tool_runs: 0, input: 0, output: 0, end: RunEnd::ScriptEnded };
    let (mut messages, mut last) = (messages, last);
    let (mut turns, mut summaries) = (turns.iter(), summaries.iter());
    loop {
        if control.max_iterations.is_some_and(|limit| trace.yields >= limit) {
            trace.end = RunEnd::LimitReached;
            return trace;
        }
        trace.calls.push(Call::Normal { messages });
        let Some(turn) = turns.next() else { return trace };
        trace.yields += 1;
        trace.input = trace.input.saturating_add(turn.usage.used() - turn.usage.output);
        trace.output = trace.output.saturating_add(turn.usage.output);
        if turn.ending == Ending::Refusal && ends_at_refusal(control) {
            trace.end = RunEnd::Refused;
            return trace;
        }
        let used = turn.usage.used();
        if compacts(control, used) {
            let sent = messages.saturating_sub(dropped(last)).saturating_add(1);
            trace.calls.push(Call::Summary { messages: sent, used });
            match summaries.next() {
                None => return trace,
                Some(summary) if !summary.begins_with_text => {
                    trace.end = RunEnd::SummaryIsNoText;
                    return trace;
                }
                Some(_) => (messages, last) = (1, LastMessage::User),
            }
        } else if let Ending::Calls(tools) = turn.ending {
            trace.tool_runs = trace.tool_runs.saturating_add(tools);
            messages = messages.saturating_add(2);
            last = LastMessage::User;
        } else {
            trace.end = RunEnd::Answered;
            return trace;
        }
    }
}

/// Messages that go before a summary is asked for: an assistant's last message of which nothing is left without its calls.
const fn dropped(last: LastMessage) -> usize {
    match last {
        LastMessage::Assistant { other_blocks: 0 } => 1,
        LastMessage::Assistant { .. } | LastMessage::User => 0,
    }
}

#[cfg(test)]
mod tests;
