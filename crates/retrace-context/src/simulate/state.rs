//! What is cleared at one request, and how that differs from the request before.

use super::fold::NewlyCleared;
use super::prepare::{Prepared, RequestFacts, Stretch, Use};
use crate::edits::tool_uses::{Compiled, ToolResult, ToolUse, signed};
use crate::settings::ThinkingKeep;

/// What a newly cleared block was. The number is that of its tool use: [`Prepared::tool_use_id`].
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

/// What is cleared, over the requests of a run. Reused: [`Clearing::reset`] begins another run.
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
    ) -> (u64, u64) {
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
        for at in begin..self.now.len() {
            freed = freed.saturating_add(self.now[at].frees);
            self.mark(at, stretch, facts, placeholder);
        }
        ((self.now.len() - begin) as u64, u64::try_from(freed).unwrap_or(0))
    }

    /// Marks a use as cleared, and notes what of it was not at the request before.
    fn mark(&mut self, at: usize, stretch: &Stretch, facts: &RequestFacts, placeholder: u64) {
        let ClearedUse { index, result, input, .. } = self.now[at];
        let index = index as usize;
        let each: &Use = &stretch.uses[index];
        if let (true, Some(found)) = (result, each.result) {
            if self.results[index] + 1 != self.stamp || self.stamp == 1 {
                let tokens = found.content.saturating_sub(placeholder);
                self.newly.push(NewlyCleared { kind: ClearedKind::Result(each.id), at: found.at, tokens });
                self.change(found.offset, found.place, facts);
            }
            self.results[index] = self.stamp;
        }
        if input && self.inputs[index] != self.stamp {
            if self.inputs[index] + 1 != self.stamp || self.stamp == 1 {
                let tokens = each.input;
                self.newly.push(NewlyCleared { kind: ClearedKind::Input(each.id), at: each.at, tokens });
                self.change(each.offset, each.place, facts);
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
    ) -> (u64, u64) {
        let (first, end) = stretch.thinking_in(begins, facts.upto);
        let blocks = stretch.thinking.get(first..end).unwrap_or_default();
        let cleared = crate::edits::thinking::cleared_blocks(keep, |index| blocks[index].turn, blocks.len());
        let turns = match cleared.checked_sub(1) {
            Some(last) => u64::from(blocks[last].turn - blocks[0].turn) + 1,
            None => 0,
        };
        let freed = stretch.thinking_tokens[first + cleared] - stretch.thinking_tokens[first];
        if let Some(differs) = noted {
            self.note_thinking(stretch, facts, first, first + cleared, differs);
        }
        (turns, freed)
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
        let tokens = &stretch.thinking_tokens;
        freed.saturating_add(signed(tokens[self.thinking_from + blocks] - tokens[self.thinking_from]))
    }
}

impl Stretch {
    /// Blocks of thinking between two places.
    pub(super) fn thinking_in(&self, begins: usize, upto: usize) -> (usize, usize) {
        let before = |place: usize| self.thinking_before.get(place).map_or(0, |&blocks| blocks as usize);
        let first = before(begins);
        (first, before(upto).max(first))
    }
}
