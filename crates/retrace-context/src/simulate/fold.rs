//! The fold over the requests of a run.

use super::prepare::{Prepared, RequestFacts, Stretch};
use super::pricing::{self, Pricing, difference};
use super::state::{ClearedKind, Clearing, Freed};
use super::{Options, SummarySizes};
use crate::cache::marks::{Asking, Entries, Found, Marks};
use crate::cache::{self, A_BREAKPOINT_ENDS_THE_SYSTEM, Marked, Situation, Split};
use crate::edits::tool_uses::Compiled;
use crate::outcome::{BlockAt, SimulatedCompaction, StopReason, Stopped, Totals};
use crate::prices::CACHEABLE_WHEN_UNKNOWN;
use crate::sdk;
use crate::settings::{AskedFor, CompactionControl, Edit, OnDemandCompaction, Setting, ThinkingKeep};
use crate::weight::Basis;

/// A block that is cleared at a request and was not at the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewlyCleared {
    /// Kind of the block.
    pub kind: ClearedKind,
    /// Where it is.
    pub at: BlockAt,
    /// Tokens freed.
    pub tokens: u64,
}

/// Report of a response on one edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// Of `clear_tool_uses_20250919`.
    ToolUses {
        /// `cleared_tool_uses`.
        uses: u64,
        /// `cleared_input_tokens`.
        freed: u64,
    },
    /// Of `clear_thinking_20251015`.
    Thinking {
        /// `cleared_thinking_turns`.
        turns: u64,
        /// `cleared_input_tokens`.
        freed: u64,
    },
}

/// One request under a setting, lent to who listens.
#[derive(Clone, Copy, Debug)]
pub struct Step<'s> {
    /// Index of the request.
    pub index: usize,
    /// Context without the setting.
    pub before: u64,
    /// Context with it.
    pub after: u64,
    /// Basis of `after`.
    pub basis: Basis,
    /// Blocks that are cleared and were not at the request before.
    pub newly_cleared: &'s [NewlyCleared],
    /// Tool uses that are cleared, newly or before.
    pub cleared_tool_uses: u64,
    /// Turns of thinking that are cleared.
    pub cleared_thinking_turns: u64,
    /// Edits that the response would report.
    pub applied_edits: &'s [Applied],
    /// Where the cached prefix of the request before breaks.
    pub cache_break_at: Option<u64>,
    /// Split of the input, over both calls where a response is asked for again.
    pub split: Split,
    /// Output, over both calls where a response is asked for again.
    pub output: u64,
    /// Price, without that of summaries.
    pub cost_usd: Option<f64>,
    /// True if a compaction takes place at this request.
    pub compacted: bool,
}

/// Memory that simulations use again.
#[derive(Debug, Default)]
pub struct Scratch {
    clearing: Clearing,
    applied: Vec<Applied>,
    compactions: Vec<SimulatedCompaction>,
    stopped: Option<Stopped>,
}

impl Scratch {
    /// Where the last run ended before the recorded one.
    #[must_use]
    pub fn stopped(&self) -> Option<Stopped> {
        self.stopped
    }

    /// Compactions of the last run.
    #[must_use]
    pub fn compactions(&self) -> &[SimulatedCompaction] {
        &self.compactions
    }

    pub(super) fn take_compactions(&mut self) -> Vec<SimulatedCompaction> {
        std::mem::take(&mut self.compactions)
    }
}

/// A setting made ready for one transcript.
struct Plan<'p> {
    edits: Vec<CompiledEdit>,
    on_demand: Option<&'p OnDemandCompaction>,
    control: Option<&'p CompactionControl>,
    keep: Option<Option<ThinkingKeep>>,
}

enum CompiledEdit {
    ToolUses(Compiled),
    Thinking,
    Compact { trigger: u64 },
}

impl<'p> Plan<'p> {
    fn new(setting: &'p Setting, prepared: &Prepared) -> Self {
        let mut keep = None;
        let compile = |edit: &Edit| match edit {
            Edit::ClearToolUses(edit) => CompiledEdit::ToolUses(Compiled::new(edit, &prepared.tools)),
            Edit::ClearThinking(edit) => {
                keep = Some(edit.keep);
                CompiledEdit::Thinking
            }
            Edit::Compact(edit) => CompiledEdit::Compact { trigger: edit.trigger },
        };
        let edits = setting.edits.iter().map(compile).collect();
        let control = setting.compaction_control.as_ref().filter(|control| control.enabled);
        Self { edits, on_demand: setting.compaction.as_ref(), control, keep }
    }
}

/// A simulated compaction that still stands.
#[derive(Clone, Copy, Debug)]
struct Compacted {
    /// Where the history begins: messages of the stretch that are gone.
    begins: usize,
    /// The recorded context that stands for what is left...
    anchor: u64,
    /// ...and what is left of it: what stands before the messages, and the summary.
    left: Range,
}

/// Low, middle and high.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Range {
    low: u64,
    middle: u64,
    high: u64,
}

impl Range {
    const fn exactly(tokens: u64) -> Self {
        Self { low: tokens, middle: tokens, high: tokens }
    }

    /// With the ends so much farther out.
    const fn widened(self, below: u64, above: u64) -> Self {
        Self {
            low: self.low.saturating_sub(below),
            middle: self.middle,
            high: self.high.saturating_add(above),
        }
    }

    fn shifted(self, by: i64) -> Self {
        let shift = |tokens: u64| tokens.saturating_add_signed(by);
        Self { low: shift(self.low), middle: shift(self.middle), high: shift(self.high) }
    }
}

/// A run in progress.
struct Run<'r> {
    prepared: &'r Prepared,
    plan: &'r Plan<'r>,
    pricing: Pricing<'r>,
    options: &'r Options<'r>,
    compacted: Option<Compacted>,
    /// Context of the request before, as simulated.
    previous_after: u64,
    /// What the requests before wrote to the cache, where their marks are known.
    entries: Entries,
    /// A compaction was asked for while it could not be made.
    postponed: bool,
    calls: u64,
    totals: Totals,
    cost: Option<f64>,
}

/// What the cache has for a request.
struct Marking {
    marks: Marks,
    unchanged: Option<u64>,
    asking: Asking,
    found: Marked,
}

/// One request while it is worked on.
struct Now<'r> {
    index: usize,
    facts: &'r RequestFacts,
    previous: Option<&'r RequestFacts>,
    stretch: &'r Stretch,
    begins: usize,
    size: Range,
    /// Thinking that the model's default would have left, less what the setting leaves of thinking.
    turns: u64,
    /// True if the thinking that is cleared differs from what the recorded run cleared by default.
    default_thinking: bool,
    compacted: bool,
    /// True if what the setting clears is what the server reported to have cleared.
    as_ran: bool,
}

/// Tells each request of the run to `each`.
pub(super) fn run(
    prepared: &Prepared,
    setting: &Setting,
    options: &Options<'_>,
    scratch: &mut Scratch,
    mut each: impl FnMut(&Step<'_>),
) -> Totals {
    scratch.clearing.reset(prepared);
    scratch.compactions.clear();
    scratch.stopped = None;
    let plan = Plan::new(setting, prepared);
    let mut run = Run {
        prepared,
        plan: &plan,
        pricing: Pricing::new(prepared, options),
        options,
        compacted: None,
        previous_after: 0,
        entries: Entries::default(),
        postponed: false,
        calls: 0,
        totals: Totals::default(),
        cost: Some(0.0),
    };
    for (index, facts) in prepared.requests.iter().enumerate() {
        if run.limit_reached() && scratch.stopped.is_none() {
            scratch.stopped =
                Some(Stopped { last: index.saturating_sub(1), reason: StopReason::MaxIterations });
        }
        if scratch.stopped.is_some() {
            each(&never_made(index, facts.before));
        } else {
            run.request(index, facts, scratch, &mut each);
        }
    }
    run.totals.cost_usd = run.cost;
    run.totals.compactions = scratch.compactions.len() as u64;
    run.totals
}

const fn never_made(index: usize, before: u64) -> Step<'static> {
    Step {
        index,
        before,
        after: 0,
        basis: Basis::Counted,
        newly_cleared: &[],
        cleared_tool_uses: 0,
        cleared_thinking_turns: 0,
        applied_edits: &[],
        cache_break_at: None,
        split: Split { read: 0, write: 0, uncached: 0 },
        output: 0,
        cost_usd: Some(0.0),
        compacted: false,
    }
}

impl<'r> Run<'r> {
    fn peak(&mut self, facts: &RequestFacts, tokens: u64) {
        if self.prepared.counts_for_peak(facts) {
            self.totals.peak = self.totals.peak.max(tokens);
        }
    }

    fn limit_reached(&self) -> bool {
        let limit = self.plan.control.and_then(|control| control.max_iterations);
        limit.is_some_and(|limit| self.calls >= limit)
    }

    fn request(
        &mut self,
        index: usize,
        facts: &'r RequestFacts,
        scratch: &mut Scratch,
        each: &mut impl FnMut(&Step<'_>),
    ) {
        scratch.clearing.begin(index);
        scratch.applied.clear();
        let mut now = self.begin(index, facts, &mut scratch.clearing);
        self.on_demand(&mut now, scratch);
        self.edit(&mut now, scratch);
        let (break_at, split) = self.split(&now, &mut scratch.clearing);
        match self.marking(&now, &scratch.clearing) {
            Some(Marking { marks, unchanged, asking, .. }) => self.entries.made(&marks, unchanged, &asking),
            None => self.entries.clear(),
        }
        let mut step = Step {
            index,
            before: facts.before,
            after: now.size.middle,
            basis: basis(&now),
            newly_cleared: &[],
            cleared_tool_uses: scratch.clearing.uses(),
            cleared_thinking_turns: now.turns,
            applied_edits: &[],
            cache_break_at: break_at,
            split,
            output: facts.output,
            cost_usd: self.call_cost(&now, split),
            compacted: now.compacted,
        };
        self.calls += 1;
        self.previous_after = step.after;
        self.peak(facts, step.after);
        self.totals.input = self.totals.input.saturating_add(step.after);
        self.totals.cache_breaks += u64::from(break_at.is_some());
        self.totals.clears += u64::from(!scratch.clearing.newly.is_empty());
        self.after_response(&now, &mut step, scratch);
        self.totals.cache_reads = self.totals.cache_reads.saturating_add(step.split.read);
        self.totals.cache_writes = self.totals.cache_writes.saturating_add(step.split.write);
        self.cost = add(self.cost, step.cost_usd);
        step.newly_cleared = &scratch.clearing.newly;
        step.applied_edits = &scratch.applied;
        each(&step);
        if step.compacted {
            scratch.clearing.compacted();
        }
    }

    /// Finds the history and its size before any edit.
    fn begin(&mut self, index: usize, facts: &'r RequestFacts, clearing: &mut Clearing) -> Now<'r> {
        let previous = index.checked_sub(1).and_then(|index| self.prepared.requests.get(index));
        let stretch = &self.prepared.stretches[facts.stretch];
        if previous.is_some_and(|previous| previous.stretch != facts.stretch) {
            clearing.change_stretch(stretch, facts.shared);
            self.carry_over(facts, stretch);
        }
        let recorded_begin = stretch.begins.get(facts.upto).map_or(0, |&place| place as usize);
        // A compaction that the server made when the run was recorded takes the place of a simulated one before it.
        self.compacted = self.compacted.filter(|compacted| recorded_begin <= compacted.begins);
        let (begins, size) = match &self.compacted {
            Some(compacted) => {
                (compacted.begins, compacted.left.shifted(difference(facts.before, compacted.anchor).max(0)))
            }
            None => (recorded_begin, Range::exactly(facts.before)),
        };
        Now {
            index,
            facts,
            previous,
            stretch,
            begins,
            size,
            turns: 0,
            default_thinking: true,
            compacted: false,
            as_ran: false,
        }
    }

    /// Another segment begins: a simulated compaction stands on where the segment goes on behind it.
    fn carry_over(&mut self, facts: &RequestFacts, stretch: &Stretch) {
        let stands = |compacted: &Compacted| stretch.goes_on && facts.shared >= compacted.begins;
        self.compacted = self.compacted.filter(stands).map(|compacted| {
            let since = stretch.tokens(compacted.begins, facts.upto);
            Compacted { anchor: facts.before.saturating_sub(since), ..compacted }
        });
    }

    fn edit(&mut self, now: &mut Now<'r>, scratch: &mut Scratch) {
        self.thinking(now, scratch);
        let plan = self.plan;
        // What is recorded is what ran: the server made its compactions already.
        let ran = self.options.as_ran && now.facts.basis == Basis::Recorded && self.compacted.is_none();
        for edit in &plan.edits {
            match edit {
                CompiledEdit::Thinking => {}
                CompiledEdit::ToolUses(edit) => {
                    let placeholder = self.prepared.placeholder;
                    let cleared = scratch.clearing.tool_uses(
                        edit,
                        now.stretch,
                        now.facts,
                        now.begins,
                        now.size.middle,
                        placeholder,
                    );
                    let Freed { count: uses, freed, below, above } = cleared.within(now.facts.fit);
                    if uses > 0 {
                        now.size = now.size.shifted(-difference(freed, 0)).widened(above, below);
                        scratch.applied.push(Applied::ToolUses { uses, freed });
                    }
                }
                CompiledEdit::Compact { .. } if ran => {}
                CompiledEdit::Compact { trigger } => self.compact(now, *trigger, scratch),
            }
        }
        let as_reported = now.facts.cleared > 0
            && self.compacted.is_none()
            && counts(&scratch.applied) == now.facts.reported;
        if ran || as_reported {
            // The report says what that freed.
            now.as_ran = true;
            now.size = Range::exactly(now.facts.before - now.facts.cleared.min(now.facts.before));
        }
    }

    /// Thinking, by the edit or by the model's default. What the default took is not in the context any more, recorded or
    /// summed up, so only the difference counts.
    fn thinking(&self, now: &mut Now<'r>, scratch: &mut Scratch) {
        let edited = now.facts.basis == Basis::Recorded && now.facts.thinking_edited;
        let then = if edited { ThinkingKeep::All } else { self.pricing.recorded_keep(now.facts) };
        let default = self.pricing.keep(now.facts);
        let keep = self.plan.keep.map_or(default, |keep| keep.unwrap_or(default));
        now.default_thinking = keep == then;
        let clearing = &mut scratch.clearing;
        let fit = now.facts.fit;
        let was = clearing.thinking(then, now.stretch, now.facts, now.begins, None).within(fit);
        let noted = self.plan.keep.map(|_| !now.default_thinking);
        let is = clearing.thinking(keep, now.stretch, now.facts, now.begins, noted).within(fit);
        let (turns, freed) = (is.count, is.freed);
        now.size = now
            .size
            .shifted(difference(was.freed, is.freed))
            .widened(is.above.abs_diff(was.above), is.below.abs_diff(was.below));
        if self.plan.keep.is_some() && turns > 0 {
            now.turns = turns;
            scratch.applied.push(Applied::Thinking { turns, freed });
        }
    }

    /// The edit `compact`: at the start of each sampling pass.
    fn compact(&mut self, now: &mut Now<'r>, trigger: u64, scratch: &mut Scratch) {
        let last = now.facts.passes.last().copied().unwrap_or(0);
        let passes = if now.facts.passes.is_empty() { &[last][..] } else { &now.facts.passes };
        for &pass in passes {
            let at = now.size.shifted(difference(pass, last));
            if at.middle >= trigger {
                now.size = at;
                self.make_room(now, scratch);
                now.size = now.size.shifted(difference(last, pass));
                if let Some(compacted) = &mut self.compacted {
                    compacted.anchor = compacted.anchor.saturating_add_signed(difference(pass, last));
                }
            }
        }
    }

    /// The top-level `compaction`, asked for before this request.
    fn on_demand(&mut self, now: &mut Now<'r>, scratch: &mut Scratch) {
        let Some(asked) = self.plan.on_demand else { return };
        let due = match &asked.when {
            AskedFor::At(indices) => indices.contains(&now.index),
            AskedFor::ContextReaches(tokens) => now.size.middle >= *tokens,
        };
        if !(due || self.postponed) {
            return;
        }
        // A turn that is not over has to be resumed first, and open calls have to be answered.
        let paused = now.previous.is_some_and(|previous| previous.paused);
        self.postponed = paused || now.facts.open_calls;
        if !self.postponed {
            self.make_room(now, scratch);
        }
    }

    /// The server puts a summary in place of all messages.
    fn make_room(&mut self, now: &mut Now<'r>, scratch: &mut Scratch) {
        let (_, split) = self.split(now, &mut scratch.clearing);
        let SummarySizes { low, middle, high, .. } = self.options.summaries;
        let cost = self.pricing.cost(now.facts, split, middle);
        scratch.compactions.push(SimulatedCompaction {
            request: now.index,
            tokens_before: now.size.middle,
            summary: (low, middle, high),
            cost_usd: cost,
            dropped_response: None,
        });
        self.cost = add(self.cost, cost);
        self.peak(now.facts, now.size.middle);
        let compacted = self.compacted_at(now);
        self.compacted = Some(compacted);
        scratch.clearing.compacted();
        now.begins = compacted.begins;
        now.size = compacted.left;
        now.compacted = true;
    }

    /// The state after a compaction at a request.
    fn compacted_at(&self, now: &Now<'_>) -> Compacted {
        let base = now.stretch.base;
        let SummarySizes { low, middle, high, .. } = self.options.summaries;
        let with = |summary: u64| base.saturating_add(summary);
        Compacted {
            begins: now.facts.upto,
            anchor: now.facts.before,
            left: Range { low: with(low), middle: with(middle), high: with(high) },
        }
    }

    /// Where the cached prefix breaks, and how the input divides.
    fn split(&self, now: &Now<'_>, clearing: &mut Clearing) -> (Option<u64>, Split) {
        let after = now.size.middle;
        clearing.note_returned(now.stretch, now.facts, now.begins);
        let base = now.stretch.base;
        let before_messages = self.before_messages(now);
        let position = |offset: u64| self.position(now, clearing, offset);
        let break_at = if now.compacted {
            now.previous.map(|_| if A_BREAKPOINT_ENDS_THE_SYSTEM { base } else { 0 })
        } else {
            clearing.changed_at().map(position)
        };
        let break_at = break_at.map(|at| at.min(after));
        // What was recorded is the split of the request as the server had edited it.
        let recorded = pricing::recorded(now.facts).filter(|_| now.facts.cleared == 0 || now.as_ran);
        let shared = match now.previous {
            None => 0,
            Some(previous) if now.facts.shared >= previous.upto => self.previous_after,
            Some(_) => before_messages
                .saturating_add(now.stretch.tokens(now.begins, now.facts.shared))
                .min(self.previous_after),
        };
        let marking = self.marking(now, clearing);
        let mut alive = self.pricing.alive(now.previous, now.facts, recorded.is_some());
        if recorded.is_none() && marking.is_some() {
            // Each entry lives as long as its mark says.
            alive = None;
        }
        let situation = Situation {
            after,
            untouched: now.as_ran
                || (after == now.facts.before && break_at.is_none() && self.compacted.is_none()),
            recorded,
            freed_in_read: recorded.map_or(0, |recorded| self.freed_in_read(now, recorded.read, clearing)),
            break_at,
            shared,
            alive,
            cacheable: self.pricing.facts(now.facts).map_or(CACHEABLE_WHEN_UNKNOWN, |facts| facts.cacheable),
            caching: self.prepared.caching,
            marked: marking.map(|marking| marking.found),
        };
        (break_at, cache::split(&situation))
    }

    fn before_messages(&self, now: &Now<'_>) -> u64 {
        self.compacted.map_or(now.stretch.base, |compacted| compacted.left.middle)
    }

    /// Where an offset of the stretch stands in a request under the setting.
    fn position(&self, now: &Now<'_>, clearing: &Clearing, offset: u64) -> u64 {
        let begin = now.stretch.tokens(0, now.begins);
        let kept = difference(offset, begin).saturating_sub(clearing.freed_before(now.stretch, offset));
        self.before_messages(now).saturating_add_signed(kept.max(0))
    }

    /// What the marks of a request find, where they are known.
    fn marking(&self, now: &Now<'_>, clearing: &Clearing) -> Option<Marking> {
        let of = now.facts.marks.as_ref()?;
        let end = now.stretch.end(now.facts);
        let marks = of.in_tokens(now.size.middle, end, |offset| self.position(now, clearing, offset));
        let unchanged = of.same_beginning.then(|| {
            let shared = now.stretch.shared_offset(now.previous, now.facts);
            let same = shared.min(clearing.changed_at().unwrap_or(u64::MAX));
            if now.compacted { 0 } else { same }
        });
        let asking = Asking {
            model: now.facts.model,
            at: now.facts.at,
            life: self.pricing.cache_life(),
            cacheable: self.pricing.facts(now.facts).map_or(CACHEABLE_WHEN_UNKNOWN, |facts| facts.cacheable),
        };
        let Found { tokens, blocks } = self.entries.find(&marks, unchanged, &asking);
        let found = Marked { found: tokens, as_ran: blocks == of.as_ran.blocks, end: marks.end() };
        Some(Marking { marks, unchanged, asking, found })
    }

    /// Of what was recorded as read from the cache, the tokens that are not in the request any more.
    fn freed_in_read(&self, now: &Now<'_>, read: u64, clearing: &Clearing) -> i64 {
        let (anchor, begins) = match &self.compacted {
            Some(compacted) if now.compacted || read < compacted.anchor => {
                return difference(read, read.min(now.stretch.base));
            }
            Some(compacted) => (compacted.anchor, compacted.begins),
            None => (now.stretch.base, now.begins),
        };
        let end = now.stretch.tokens(0, begins).saturating_add(read.saturating_sub(anchor));
        let behind = clearing
            .freed_before(now.stretch, u64::MAX)
            .saturating_sub(clearing.freed_before(now.stretch, end));
        difference(now.facts.before, now.size.middle).saturating_sub(behind)
    }

    /// Price of a request's call, with that of compactions the server made in it when it was recorded.
    fn call_cost(&self, now: &Now<'_>, split: Split) -> Option<f64> {
        let cost = self.pricing.cost(now.facts, split, now.facts.output);
        let recorded =
            if self.compacted.is_none() { self.pricing.recorded_compactions(now.facts) } else { Some(0.0) };
        add(cost, recorded)
    }

    /// The check that the SDK's tool runner makes after each response, and what follows from it.
    fn after_response(&mut self, now: &Now<'r>, step: &mut Step<'_>, scratch: &mut Scratch) {
        let Some(control) = self.plan.control else { return };
        if now.facts.refused && sdk::ends_at_refusal(control) {
            if now.index + 1 < self.prepared.requests.len() {
                scratch.stopped = Some(Stopped { last: now.index, reason: StopReason::Refusal });
            }
            return;
        }
        let mut context = step.after;
        let mut used = context.saturating_add(over_count(now.facts)).saturating_add(now.facts.output);
        for _ in 0..sdk::ENDLESS_AFTER {
            if used < control.context_token_threshold {
                return;
            }
            self.summarise(control, now, used, context, scratch);
            step.compacted = true;
            if self.limit_reached() {
                scratch.stopped = Some(Stopped { last: now.index, reason: StopReason::MaxIterations });
                return;
            }
            context = self.ask_again(now, step);
            used = context.saturating_add(now.facts.output);
        }
        if used >= control.context_token_threshold {
            scratch.stopped = Some(Stopped { last: now.index, reason: StopReason::EndlessCompaction });
        }
    }

    /// The call that makes the summary: the messages and the prompt, without system and tools, not cached.
    fn summarise(
        &mut self,
        control: &CompactionControl,
        now: &Now<'_>,
        used: u64,
        context: u64,
        scratch: &mut Scratch,
    ) {
        let SummarySizes { low, middle, high, .. } = self.options.summaries;
        let input = context.saturating_sub(now.stretch.base).saturating_add(sdk::prompt_tokens(control));
        let split = Split { uncached: input, ..Split::default() };
        let cost = match &control.model {
            Some(model) => self.pricing.price(&self.options.prices.of(model), now.facts, split, middle),
            None => self.pricing.cost(now.facts, split, middle),
        };
        self.cost = add(self.cost, cost);
        scratch.compactions.push(SimulatedCompaction {
            request: now.index,
            tokens_before: used,
            summary: (low, middle, high),
            cost_usd: cost,
            dropped_response: Some(now.index),
        });
    }

    /// The response was thrown away: the same turn again, from the summary alone. Answers its context.
    fn ask_again(&mut self, now: &Now<'_>, step: &mut Step<'_>) -> u64 {
        let compacted = self.compacted_at(now);
        self.compacted = Some(compacted);
        let after = compacted.left.middle;
        let cacheable = self.pricing.facts(now.facts).map_or(CACHEABLE_WHEN_UNKNOWN, |facts| facts.cacheable);
        let split = cache::split(&Situation {
            after,
            break_at: Some(if A_BREAKPOINT_ENDS_THE_SYSTEM { now.stretch.base } else { 0 }),
            shared: after,
            alive: Some(true),
            cacheable,
            caching: self.prepared.caching,
            ..Situation::default()
        });
        step.split.read = step.split.read.saturating_add(split.read);
        step.split.write = step.split.write.saturating_add(split.write);
        step.split.uncached = step.split.uncached.saturating_add(split.uncached);
        step.output = step.output.saturating_add(now.facts.output);
        step.cost_usd = add(step.cost_usd, self.pricing.cost(now.facts, split, now.facts.output));
        self.calls += 1;
        self.previous_after = after;
        self.totals.input = self.totals.input.saturating_add(after);
        self.peak(now.facts, after);
        self.totals.cache_breaks += 1;
        after
    }
}

/// Tool uses and turns of thinking that are cleared.
fn counts(applied: &[Applied]) -> (u64, u64) {
    applied.iter().fold((0, 0), |(uses, turns), edit| match *edit {
        Applied::ToolUses { uses: more, .. } => (uses.saturating_add(more), turns),
        Applied::Thinking { turns: more, .. } => (uses, turns.saturating_add(more)),
    })
}

/// Tokens that the usage of a response counts beyond its context: with tools of the server, each sampling pass counts.
fn over_count(facts: &RequestFacts) -> u64 {
    match (facts.usage, facts.passes.last()) {
        (Some(usage), Some(last)) => {
            usage.read.saturating_add(usage.write).saturating_add(usage.uncached).saturating_sub(*last)
        }
        _ => 0,
    }
}

/// Basis of the context under a setting: with a summary in it a range, less counted tokens no longer as recorded.
fn basis(now: &Now<'_>) -> Basis {
    let Range { low, middle, high } = now.size;
    match now.facts.basis {
        as_ran if now.as_ran => as_ran,
        _ if low != high => Basis::Estimated { low, high },
        unchanged if middle == now.facts.before => unchanged,
        Basis::Estimated { low, high } => {
            let by = difference(middle, now.facts.before);
            Basis::Estimated { low: low.saturating_add_signed(by), high: high.saturating_add_signed(by) }
        }
        Basis::Recorded | Basis::Exact | Basis::Counted => Basis::Counted,
    }
}

fn add(left: Option<f64>, right: Option<f64>) -> Option<f64> {
    Some(left? + right?)
}
