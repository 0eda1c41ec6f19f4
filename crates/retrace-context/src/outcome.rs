//! Outcome of a simulation.

use crate::weight::Basis;
use retrace_transcript::{AppliedEdit, MessageIndex};

/// Where a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockAt {
    /// Index of the message.
    pub message: MessageIndex,
    /// Index of the block within it.
    pub block: usize,
}

/// A block that an edit cleared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cleared {
    /// The content of a tool's result.
    Result {
        /// Id of the tool use.
        tool_use_id: String,
        /// Where the result is.
        at: BlockAt,
        /// Tokens freed.
        tokens: u64,
    },
    /// The input of a call.
    Input {
        /// Id of the tool use.
        tool_use_id: String,
        /// Where the call is.
        at: BlockAt,
        /// Tokens freed.
        tokens: u64,
    },
    /// A block of thinking.
    Thinking {
        /// Where it is.
        at: BlockAt,
        /// Tokens freed.
        tokens: u64,
    },
}

/// One request under a setting.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestOutcome {
    /// Index of the request in the transcript.
    pub index: usize,
    /// Context without the setting: as recorded, and what the server reported to have cleared added to it.
    pub before: u64,
    /// Context with it. The middle of the range where a summary is in it.
    pub after: u64,
    /// Basis of `after`.
    pub basis: Basis,
    /// Blocks that were cleared at this request and not at the one before it.
    pub newly_cleared: Vec<Cleared>,
    /// Tool uses cleared in all at this request, newly or before.
    pub cleared_tool_uses: u64,
    /// Turns of thinking cleared in all at this request.
    pub cleared_thinking_turns: u64,
    /// Edits that the response would report.
    pub applied_edits: Vec<AppliedEdit>,
    /// Tokens from the start of the request up to the first that is not as in the request before, where that one's
    /// cached prefix breaks; `None` where it does not.
    pub cache_break_at: Option<u64>,
    /// Input read from the cache. This and the next four are of both calls where a response is thrown away and asked for
    /// again; the call that makes a summary is not in them.
    pub cache_read: u64,
    /// Input written to the cache.
    pub cache_write: u64,
    /// Input that is neither.
    pub uncached: u64,
    /// Output, as recorded or as weighed.
    pub output: u64,
    /// Price in US dollars; `None` where the model has none in the table.
    pub cost_usd: Option<f64>,
}

/// A compaction that a setting would make.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedCompaction {
    /// Index of the request at which it takes place.
    pub request: usize,
    /// Context that triggered it.
    pub tokens_before: u64,
    /// Size of the summary: low, middle, high.
    pub summary: (u64, u64, u64),
    /// Price of the call that makes the summary, in US dollars.
    pub cost_usd: Option<f64>,
    /// Index of the request whose response is thrown away and asked for again (SDK compaction only).
    pub dropped_response: Option<usize>,
}

/// Sums over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Largest context of any call, those that make a summary among them.
    pub peak: u64,
    /// Input over all requests, cached or not. Here and in the cache's figures, calls that make a summary are left out, as
    /// the API leaves them out of a response's usage; the price has them.
    pub input: u64,
    /// Requests at which something was newly cleared.
    pub clears: u64,
    /// Compactions.
    pub compactions: u64,
    /// Input written to the cache.
    pub cache_writes: u64,
    /// Input read from the cache.
    pub cache_reads: u64,
    /// Requests at which a cached prefix was broken.
    pub cache_breaks: u64,
    /// Price of the run in US dollars; `None` where a model has no price.
    pub cost_usd: Option<f64>,
    /// Results that were cleared and later needed.
    pub regrets: u64,
}

/// Why a run under a setting ends before the recorded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The SDK's compaction compacts again and again: system, tools, summary and answer alone reach the threshold.
    EndlessCompaction,
    /// The tool runner's `max_iterations` is reached.
    MaxIterations,
    /// The tool runner ends the run at a refusal.
    Refusal,
}

/// End of a run under a setting before the recorded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Index of the last request that is made. Those after it have zeros in their outcome.
    pub last: usize,
    /// Why.
    pub reason: StopReason,
}

/// A run under a setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// One entry a request of the transcript, in order.
    pub requests: Vec<RequestOutcome>,
    /// Where the run ends before the recorded one.
    pub stopped: Option<Stopped>,
    /// Compactions, in order.
    pub compactions: Vec<SimulatedCompaction>,
    /// Sums.
    pub totals: Totals,
}
