//! The simulator: a run as it would have gone under a setting.
//!
//! Every request is evaluated from its whole history, as the API does. Its context under a setting is the context it had
//! less the tokens that the setting frees, so that without a setting it is what was recorded. After a simulated compaction it
//! is what stands before the messages (system, tools and what is not recorded), the summary, and what came after.
//!
//! Events of the transcript stay as recorded: a compaction, a rewind or a replaced history in it begins a segment,
//! and a setting does not undo it, even one under which it would not have been needed. A simulated compaction ends there,
//! unless the segment goes on from messages that come after it (a rewind to a later point, results dropped in place).
//!
//! Deliberately not here: whether a cleared result was needed later, and advice.

mod fold;
mod marks;
mod prepare;
mod pricing;
mod state;
mod summaries;

pub use fold::{Applied, NewlyCleared, Scratch, Step};
pub use prepare::Prepared;
pub use state::ClearedKind;
pub use summaries::{ASSUMED, SummarySizes};

use crate::cache::CacheLife;
use crate::outcome::{Cleared, Outcome, RequestOutcome, Totals};
use crate::prices::Prices;
use crate::settings::{CLEAR_THINKING, CLEAR_TOOL_USES, Setting};
use retrace_transcript::AppliedEdit;

/// Assumptions of a simulation besides the setting.
#[derive(Clone, Debug)]
pub struct Options<'o> {
    /// Model to price and to default by, in place of the recorded ones.
    pub model: Option<&'o str>,
    /// Life of what is written to the cache; as recorded when absent (5 minutes where nothing is).
    pub cache_life: Option<CacheLife>,
    /// The table of prices.
    pub prices: &'o Prices,
    /// Sizes of summaries.
    pub summaries: SummarySizes,
    /// Multiplies every price: [`crate::prices::BATCH_FACTOR`], [`crate::prices::US_ONLY_FACTOR`] or their product; 1 else.
    /// A request recorded as part of a batch has its factor without this.
    pub price_factor: f64,
    /// True where the setting is the one that was in force when the run was recorded: each recorded request keeps the size, the
    /// split and the price that it had, whatever the forecast of its edits is.
    pub as_ran: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            model: None,
            cache_life: None,
            prices: Prices::builtin(),
            summaries: SummarySizes::default(),
            price_factor: 1.0,
            as_ran: false,
        }
    }
}

/// The whole outcome of a setting.
#[must_use]
pub fn simulate(prepared: &Prepared, setting: &Setting, options: &Options<'_>) -> Outcome {
    let mut requests = Vec::with_capacity(prepared.requests());
    let mut scratch = Scratch::default();
    let totals = simulate_each(prepared, setting, options, &mut scratch, |step| {
        requests.push(request_outcome(prepared, step));
    });
    Outcome { requests, stopped: scratch.stopped(), compactions: scratch.take_compactions(), totals }
}

/// The sums alone, for many settings: with a scratch that is used again nothing is allocated per request.
#[must_use]
pub fn simulate_totals(
    prepared: &Prepared,
    setting: &Setting,
    options: &Options<'_>,
    scratch: &mut Scratch,
) -> Totals {
    simulate_each(prepared, setting, options, scratch, |_| {})
}

/// Tells every request to `each`, in order, and answers the sums.
pub fn simulate_each(
    prepared: &Prepared,
    setting: &Setting,
    options: &Options<'_>,
    scratch: &mut Scratch,
    each: impl FnMut(&Step<'_>),
) -> Totals {
    fold::run(prepared, setting, options, scratch, each)
}

fn request_outcome(prepared: &Prepared, step: &Step<'_>) -> RequestOutcome {
    RequestOutcome {
        index: step.index,
        before: step.before,
        after: step.after,
        basis: step.basis,
        newly_cleared: step.newly_cleared.iter().map(|cleared| named(prepared, cleared)).collect(),
        cleared_tool_uses: step.cleared_tool_uses,
        cleared_thinking_turns: step.cleared_thinking_turns,
        applied_edits: step.applied_edits.iter().map(|applied| applied.report()).collect(),
        cache_break_at: step.cache_break_at,
        cache_read: step.split.read,
        cache_write: step.split.write,
        uncached: step.split.uncached,
        output: step.output,
        cost_usd: step.cost_usd,
    }
}

impl Applied {
    /// As the response would say it.
    #[must_use]
    pub fn report(self) -> AppliedEdit {
        match self {
            Self::ToolUses { uses, freed } => AppliedEdit {
                edit: CLEAR_TOOL_USES.to_owned(),
                cleared_tool_uses: Some(uses),
                cleared_thinking_turns: None,
                cleared_input_tokens: freed,
            },
            Self::Thinking { turns, freed } => AppliedEdit {
                edit: CLEAR_THINKING.to_owned(),
                cleared_tool_uses: None,
                cleared_thinking_turns: Some(turns),
                cleared_input_tokens: freed,
            },
        }
    }
}

fn named(prepared: &Prepared, cleared: &NewlyCleared) -> Cleared {
    let NewlyCleared { at, tokens, .. } = *cleared;
    let id = |number: u32| prepared.tool_use_id(number).to_owned();
    match cleared.kind {
        ClearedKind::Result(number) => Cleared::Result { tool_use_id: id(number), at, tokens },
        ClearedKind::Input(number) => Cleared::Input { tool_use_id: id(number), at, tokens },
        ClearedKind::Thinking => Cleared::Thinking { at, tokens },
    }
}

#[cfg(test)]
mod story;
#[cfg(test)]
mod tests;
