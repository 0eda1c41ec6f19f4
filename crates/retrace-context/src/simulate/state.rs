//! Cleared blocks at one request, and how that differs from the request before.

use super::fold::NewlyCleared;
use super::prepare::{Prepared, RequestFacts, Stretch, Use};
use crate::edits::tool_uses::{Compiled, ToolResult, ToolUse, signed};
use crate::fit::Fit;
use crate::settings::ThinkingKeep;

/// Kind of a newly cleared block. The number is that of its tool use: [`Prepared::tool_use_id`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClearedKind {
    /// The content of a result.
    Result(u32),
    /// The input of a call.
    Input(u32),
    /// A block of thinking.
    Thinking,
}

/// A use that is cleared at a request.
#[derive(Clone, Copy, Debug)]
struct ClearedUse {
    index: u32,
    frees: i64,
    result: bool,
    input: bool,
}

/// Tokens that an edit freed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Freed {
    /// Turns of thinking, or tool uses.
    pub(super) count: u64,
    /// Tokens.
    pub(super) freed: u64,
    /// Amount it may be less, where blocks are estimated.
    pub(super) below: u64,
    /// Amount it may be more.
    pub(super) above: u64,
}

impl Freed {
    /// Of a request whose counts are brought down to what was recorded.
    pub(super) fn within(self, fit: Fit) -> Self {
        let Self { count, freed, below, above } = self;
        Self { count, freed: fit.part(freed), below: fit.part(below), above: fit.part(above) }
    }
}

/// Cleared blocks, over the requests of a run. Reused: [`Clearing::reset`] begins another run.
#[derive(Debug, Default)]
pub(super) struct Clearing {
    /// By use of the stretch: one more than the index of the last request at which its result was cleared.
    results: Vec<usize>,
    /// The same of its input.
    inputs: Vec<usize>,
    now: Vec<ClearedUse>,
    previous: Vec<ClearedUse>,
    /// Blocks of thinking of the stretch that are cleared: from the first of the history to here, exclusive.
    thinking_from: usize,
    thinking_to: usize,
    previous_thinking_to: usize,
    pub(super) newly: Vec<NewlyCleared>,
    /// Least offset of a block that the request before sent too and that is not as it was.
    changed_at: Option<u64>,
    stamp: usize,
    /// Blocks (results and inputs) that are cleared now and were at the request before.
    stayed: usize,
    /// Tokens that all uses free, and the last offset at which one does.
    freed: i64,
    last_offset: u64,
}

impl Clearing {
    /// Forgets everything; makes room for the largest stretch.
    pub(super) fn reset(&mut self, prepared: &Prepared) {
        let most = prepared.stretches.iter().map(|stretch| stretch.uses.len()).max().unwrap_or(0);
        self.results.clear();
        self.results.resize(most, 0);
        self.inputs.clear();
        self.inputs.resize(most, 0);
        self.now.clear();
        self.previous.clear();
        self.newly.clear();
        (self.thinking_from, self.thinking_to, self.previous_thinking_to) = (0, 0, 0);
        self.stamp = 0;
    }

    /// Begins a request.
    pub(super) fn begin(&mut self, index: usize) {
        self.stamp = index + 1;
        std::mem::swap(&mut self.now, &mut self.previous);
        self.now.clear();
        self.newly.clear();
        self.changed_at = None;
        (self.stayed, self.freed, self.last_offset) = (0, 0, 0);
        self.previous_thinking_to = self.thinking_to;
        (self.thinking_from, self.thinking_to) = (0, 0);
    }

    /// Another stretch begins: what it does not share with the one before is forgotten. Within the common part a use has
    /// the same index in both.
    pub(super) fn change_stretch(&mut self, stretch: &Stretch, shared: usize) {
        let common = |each: &ClearedUse| {
            let result = stretch.uses.get(each.index as usize).and_then(|each| each.result);
            result.is_some_and(|result| (result.place as usize) < shared)
        };
        for each in self.previous.iter().filter(|each| !common(each)) {
            self.results[each.index as usize] = 0;
            self.inputs[each.index as usize] = 0;
        }
        self.previous.retain(common);
        let thinking = stretch.thinking_before.get(shared).map_or(0, |&blocks| blocks as usize);
        self.previous_thinking_to = self.previous_thinking_to.min(thinking);
    }

    /// A compaction took the history: nothing of it is cleared any more, and nothing changed within it.
    pub(super) fn compacted(&mut self) {
        for each in self.now.drain(..) {
            self.results[each.index as usize] = 0;
            self.inputs[each.index as usize] = 0;
        }
        self.previous.clear();
        self.changed_at = None;
        (self.stayed, self.freed, self.last_offset) = (0, 0, 0);
        (self.thinking_from, self.thinking_to, self.previous_thinking_to) = (0, 0, 0);
    }

    /// Applies `clear_tool_uses` to the history from place `begins` on; answers how many uses it cleared and what that
    /// freed.
    pub(super) fn tool_uses(
        &mut self,
        edit: &Compiled,
        stretch: &Stretch,
        facts: &RequestFacts,
        begins: usize,
        size: u64,
        placeholder: u64,
    ) -> Freed {
        let first = stretch.uses_before.get(begins).map_or(0, |&uses| uses as usize);
        let end = stretch.uses_before.get(facts.upto).map_or(first, |&uses| uses as usize).max(first);
        let uses = stretch.uses.get(first..end).unwrap_or_default();
        let newest = stretch.newest.get(facts.upto).copied().flatten();
        let newest = newest.and_then(|index| (index as usize).checked_sub(first));
        let (results, inputs, stamp) = (&self.results, &self.inputs, self.stamp);
        let view = |index: usize| ToolUse {
            tool: uses[index].tool,
            server: uses[index].server,
            input: if inputs[first + index] == stamp { 0 } else { uses[index].input },
            result: uses[index].result.filter(|result| (result.place as usize) < facts.upto).map(|result| {
                ToolResult {
                    content: result.content,
                    tiny: result.tiny,
                    cleared: results[first + index] == stamp,
                }
            }),
        };
        let begin = self.now.len();
        let now = &mut self.now;
        edit.choose(uses.len(), view, newest, size, placeholder, |index, frees| {
            let each = &uses[index];
            let (result, input) = (results[first + index] != stamp, edit.covers(each.tool));
            now.push(ClearedUse {
                index: u32::try_from(first + index).unwrap_or(u32::MAX),
                frees,
                result,
                input,
            });
        });
        let mut freed = 0_i64;
        let mut sum = Freed { count: (self.now.len() - begin) as u64, ..Freed::default() };
        for at in begin..self.now.len() {
            let ClearedUse { index, frees, result, .. } = self.now[at];
            freed = freed.saturating_add(frees);
            if let (true, Some(found)) = (result, stretch.uses[index as usize].result) {
                sum.below = sum.below.saturating_add(found.below);
                sum.above = sum.above.saturating_add(found.above);
            }
            self.mark(at, stretch, facts, placeholder);
        }
        sum.freed = u64::try_from(freed).unwrap_or(0);
        sum
    }

    /// Marks a use as cleared, and notes what of it was not at the request before.
    fn mark(&mut self, at: usize, stretch: &Stretch, facts: &RequestFacts, placeholder: u64) {
        let ClearedUse { index, result, input, frees } = self.now[at];
        let index = index as usize;
        let each: &Use = &stretch.uses[index];
        self.freed = self.freed.saturating_add(frees);
        self.last_offset = self.last_offset.max(each.cleared_offset(result));
        if let (true, Some(found)) = (result, each.result) {
            if self.results[index] + 1 != self.stamp || self.stamp == 1 {
                let tokens = found.content.saturating_sub(placeholder);
                self.newly.push(NewlyCleared { kind: ClearedKind::Result(each.id), at: found.at, tokens });
                self.change(found.offset, found.place, facts);
            } else {
                self.stayed += 1;
            }
            self.results[index] = self.stamp;
        }
        if input && self.inputs[index] != self.stamp {
            if self.inputs[index] + 1 != self.stamp || self.stamp == 1 {
                let tokens = each.input;
                self.newly.push(NewlyCleared { kind: ClearedKind::Input(each.id), at: each.at, tokens });
                self.change(each.offset, each.place, facts);
            } else {
                self.stayed += 1;
            }
            self.inputs[index] = self.stamp;
        }
    }

    fn change(&mut self, offset: u64, place: u32, facts: &RequestFacts) {
        if (place as usize) < facts.shared {
            self.changed_at = Some(self.changed_at.map_or(offset, |least| least.min(offset)));
        }
    }

    /// Applies `clear_thinking` to the history from place `begins` on; answers how many turns it cleared and what that
    /// freed. `noted` is absent for the default of a model, which is no edit, and else says whether what is cleared
    /// differs from what the recorded run cleared, so that it breaks the cache where that one did not.
    pub(super) fn thinking(
        &mut self,
        keep: ThinkingKeep,
        stretch: &Stretch,
        facts: &RequestFacts,
        begins: usize,
        noted: Option<bool>,
    ) -> Freed {
        let (first, end) = stretch.thinking_in(begins, facts.upto);
        let blocks = stretch.thinking.get(first..end).unwrap_or_default();
        let cleared = crate::edits::thinking::cleared_blocks(keep, |index| blocks[index].turn, blocks.len());
        let turns = match cleared.checked_sub(1) {
            Some(last) => u64::from(blocks[last].turn - blocks[0].turn) + 1,
            None => 0,
        };
        if let Some(differs) = noted {
            self.note_thinking(stretch, facts, first, first + cleared, differs);
        }
        let [freed, below, above] = stretch.thinking_between(first, first + cleared);
        Freed { count: turns, freed, below, above }
    }

    fn note_thinking(
        &mut self,
        stretch: &Stretch,
        facts: &RequestFacts,
        first: usize,
        to: usize,
        differs: bool,
    ) {
        (self.thinking_from, self.thinking_to) = (first, to);
        let before = self.previous_thinking_to.max(first);
        for thought in &stretch.thinking[before.min(to)..to] {
            let (at, tokens) = (thought.at, thought.tokens);
            self.newly.push(NewlyCleared { kind: ClearedKind::Thinking, at, tokens });
        }
        // The first that is cleared now and was not, or was and is not.
        if differs
            && before != to
            && let Some(thought) = stretch.thinking.get(before.min(to))
        {
            self.change(thought.offset, thought.place, facts);
        }
    }

    /// Notes what was cleared at the request before and is not at this one.
    pub(super) fn note_returned(&mut self, stretch: &Stretch, facts: &RequestFacts, begins: usize) {
        let were: usize =
            self.previous.iter().map(|each| usize::from(each.result) + usize::from(each.input)).sum();
        if were == self.stayed {
            return;
        }
        for at in 0..self.previous.len() {
            let ClearedUse { index, result, input, .. } = self.previous[at];
            let Some(each) = stretch.uses.get(index as usize) else { continue };
            if (each.place as usize) < begins {
                continue;
            }
            if let (true, Some(found)) = (result && self.results[index as usize] != self.stamp, each.result) {
                self.change(found.offset, found.place, facts);
            }
            if input && self.inputs[index as usize] != self.stamp {
                self.change(each.offset, each.place, facts);
            }
        }
    }

    /// Offset of the first block that is not as in the request before.
    pub(super) fn changed_at(&self) -> Option<u64> {
        self.changed_at
    }

    /// Uses that are cleared.
    pub(super) fn uses(&self) -> u64 {
        self.now.iter().filter(|each| each.result).count() as u64
    }

    /// Tokens that are freed before an offset of the stretch.
    pub(super) fn freed_before(&self, stretch: &Stretch, offset: u64) -> i64 {
        let mut freed = 0_i64;
        for each in &self.now {
            let Some(found) = stretch.uses.get(each.index as usize) else { continue };
            let place = if each.result {
                found.result.map_or(found.offset, |result| result.offset)
            } else {
                found.offset
            };
            if place < offset {
                freed = freed.saturating_add(each.frees);
            }
        }
        let thoughts = stretch.thinking.get(self.thinking_from..self.thinking_to).unwrap_or_default();
        let blocks = thoughts.partition_point(|thought| thought.offset < offset);
        let [tokens, ..] = stretch.thinking_between(self.thinking_from, self.thinking_from + blocks);
        freed.saturating_add(signed(tokens))
    }
}

impl Use {
    /// Where clearing takes tokens away: at the result, or at the call where that alone is cleared.
    fn cleared_offset(&self, result: bool) -> u64 {
        self.result.filter(|_| result).map_or(self.offset, |result| result.offset)
    }
}

impl Stretch {
    /// Tokens of a range of blocks of thinking, and how much less and more that may be.
    fn thinking_between(&self, from: usize, to: usize) -> [u64; 3] {
        match (self.thinking_tokens.get(from), self.thinking_tokens.get(to)) {
            (Some(from), Some(to)) => std::array::from_fn(|index| to[index].saturating_sub(from[index])),
            _ => [0; 3],
        }
    }

    /// Blocks of thinking between two places.
    pub(super) fn thinking_in(&self, begins: usize, upto: usize) -> (usize, usize) {
        let before = |place: usize| self.thinking_before.get(place).map_or(0, |&blocks| blocks as usize);
        let first = before(begins);
        (first, before(upto).max(first))
    }
}
