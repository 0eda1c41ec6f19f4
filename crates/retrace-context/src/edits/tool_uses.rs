//! `clear_tool_uses_20250919`.

use super::SERVER_TOOL_USES_ARE_CLEARED;
use crate::settings::{ClearToolUses, Trigger};

/// One use of a tool within a history, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolUse {
    /// Index of the tool's name.
    pub tool: u32,
    /// True if the server runs it.
    pub server: bool,
    /// Tokens of the input; 0 once it is cleared.
    pub input: u64,
    /// Its result; `None` while it is pending.
    pub result: Option<ToolResult>,
}

/// The result of a use, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolResult {
    /// Tokens of the content.
    pub content: u64,
    /// Text alone, of 1 to [`super::TINY_RESULT_BYTES`] bytes.
    pub tiny: bool,
    /// True if the content is a placeholder already.
    pub cleared: bool,
}

/// The edit with the names of tools looked up.
#[derive(Clone, Debug, Default)]
pub struct Compiled {
    trigger: Option<Trigger>,
    keep: usize,
    at_least: u64,
    /// By tool: whether its uses are left out.
    excluded: Vec<bool>,
    /// By tool: whether its inputs are cleared.
    covered: Vec<bool>,
}

impl Compiled {
    /// Looks up the names of `tools`, which [`ToolUse::tool`] points to.
    pub fn new(edit: &ClearToolUses, tools: &[String]) -> Self {
        Self {
            trigger: Some(edit.trigger),
            keep: usize::try_from(edit.keep).unwrap_or(usize::MAX),
            at_least: edit.clear_at_least.unwrap_or(0),
            excluded: tools.iter().map(|tool| edit.exclude_tools.contains(tool)).collect(),
            covered: tools.iter().map(|tool| edit.clear_tool_inputs.covers(tool)).collect(),
        }
    }

    /// True if the inputs of a tool are cleared.
    #[must_use]
    pub fn covers(&self, tool: u32) -> bool {
        self.covered.get(tool as usize).copied().unwrap_or(false)
    }

    /// True if a use counts at all: toward `keep`, toward a trigger of tool uses, and as one that may be cleared.
    fn counts(&self, each: &ToolUse) -> bool {
        let excluded = self.excluded.get(each.tool as usize).copied().unwrap_or(false);
        let tiny = each.result.is_some_and(|result| result.tiny || result.cleared);
        let left_out = excluded || (each.server && !SERVER_TOOL_USES_ARE_CLEARED);
        !left_out && (!tiny || self.covers(each.tool))
    }

    /// Tokens that clearing a use frees; negative where the placeholder is larger than what it replaces.
    #[must_use]
    pub fn frees(&self, each: &ToolUse, placeholder: u64) -> i64 {
        let result = match each.result {
            Some(result) if !result.cleared => signed(result.content) - signed(placeholder),
            Some(_) | None => 0,
        };
        let input = if self.covers(each.tool) { signed(each.input) } else { 0 };
        result + input
    }

    /// Chooses what is cleared: calls `clear` with the index of each use and the tokens it frees, oldest first.
    /// `uses(index)` gives each of the `count` uses of the history in order, `newest` is the one that owns the newest
    /// result, and `size` is the whole context.
    pub fn choose(
        &self,
        count: usize,
        uses: impl Fn(usize) -> ToolUse,
        newest: Option<usize>,
        size: u64,
        placeholder: u64,
        mut clear: impl FnMut(usize, i64),
    ) {
        if matches!(self.trigger, Some(Trigger::InputTokens(value)) if size <= value) {
            return;
        }
        let clearable = (0..count).filter(|&index| self.counts(&uses(index))).count();
        let reached = match self.trigger {
            Some(Trigger::ToolUses(value)) => clearable as u64 > value,
            Some(Trigger::InputTokens(_)) => true,
            None => false,
        };
        if !reached || clearable <= self.keep {
            return;
        }
        let candidates = (0..count)
            .map(|index| (index, uses(index)))
            .filter(|(_, each)| self.counts(each))
            .take(clearable - self.keep)
            .filter(|(index, each)| each.result.is_some() && Some(*index) != newest)
            .map(|(index, each)| (index, self.frees(&each, placeholder)));
        if self.at_least == 0 {
            candidates.for_each(|(index, frees)| clear(index, frees));
            return;
        }
        // A batch is cleared once it frees enough; an incomplete last one is left.
        let mut batch = Vec::new();
        let mut freed = 0_u64;
        for (index, frees) in candidates {
            batch.push((index, frees));
            freed = freed.saturating_add(u64::try_from(frees).unwrap_or(0));
            if freed >= self.at_least {
                batch.drain(..).for_each(|(index, frees)| clear(index, frees));
                freed = 0;
            }
        }
    }
}

/// As a signed number; contexts are far below its limit.
#[must_use]
pub fn signed(tokens: u64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX / 4).min(i64::MAX / 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Characters of the placeholder, as the vectors were measured in characters.
    const PLACEHOLDER: u64 = crate::edits::PLACEHOLDER.len() as u64;

    fn used(bytes: u64) -> ToolUse {
        let result = ToolResult { content: bytes, tiny: (1..=46).contains(&bytes), cleared: false };
        ToolUse { tool: 0, server: false, input: 10, result: Some(result) }
    }

    fn cleared(uses: &[ToolUse], size: u64, config: &Value) -> Vec<usize> {
        let mut config = config.clone();
        config["type"] = "clear_tool_uses_20250919".into();
        let setting = crate::settings::Setting::from_json(&json!({"edits": [config]})).expect("a setting");
        let [crate::settings::Edit::ClearToolUses(edit)] = &setting.edits[..] else { panic!("one edit") };
        let compiled = Compiled::new(edit, &["read".to_owned(), "memory".to_owned()]);
        let newest = uses.iter().rposition(|each| each.result.is_some());
        let mut chosen = Vec::new();
        compiled.choose(
            uses.len(),
            |index| uses[index],
            newest,
            size,
            PLACEHOLDER,
            |index, _| chosen.push(index),
        );
        chosen
    }

    fn of(count: usize) -> Vec<ToolUse> {
        vec![used(200); count]
    }

    #[test]
    fn the_vectors_that_were_measured() {
        let uses_5 = json!({"trigger": {"type": "tool_uses", "value": 5}});
        assert_eq!(cleared(&of(5), 0, &uses_5), [0_usize; 0]);
        assert_eq!(cleared(&of(6), 0, &uses_5), [0, 1, 2]);
        let at = |value: u64| json!({"trigger": {"type": "input_tokens", "value": value}});
        assert_eq!(cleared(&of(6), 1_300, &at(1_300)), [0_usize; 0], "equal is not more");
        assert_eq!(cleared(&of(6), 1_300, &at(1_299)), [0, 1, 2]);
        assert_eq!(cleared(&of(6), 1_301, &at(1_300)), [0, 1, 2], "a system prompt of one character");
    }

    #[test]
    fn the_vectors_about_who_counts() {
        let mut uses = of(6);
        uses[4].tool = 1;
        uses[5].tool = 1;
        let zero = json!({"type": "input_tokens", "value": 0});
        let keep = |n: u64| json!({"type": "tool_uses", "value": n});
        let config = json!({"trigger": zero, "keep": keep(1), "exclude_tools": ["memory"]});
        assert_eq!(cleared(&uses, 9, &config), [0, 1, 2]);
        let config = json!({"trigger": {"type": "tool_uses", "value": 4}, "exclude_tools": ["memory"]});
        assert_eq!(cleared(&uses, 9, &config), [0_usize; 0]);
        assert_eq!(cleared(&of(4), 9, &json!({"trigger": zero, "keep": keep(0)})), [0, 1, 2]);
        let mut pending = of(5);
        pending[4].result = None;
        assert_eq!(cleared(&pending, 9, &json!({"trigger": zero, "keep": keep(1)})), [0, 1, 2]);
    }

    #[test]
    fn the_vectors_about_tiny_results() {
        let keep_1 = json!({"trigger": {"type": "input_tokens", "value": 0}, "keep": {"type": "tool_uses", "value": 1}});
        let mut uses = of(5);
        (uses[0], uses[1]) = (used(46), used(47));
        assert_eq!(cleared(&uses, 9, &keep_1), [1, 2, 3]);
        let mut uses = of(5);
        uses[4] = used(46);
        assert_eq!(cleared(&uses, 9, &keep_1), [0, 1, 2]);
        let mut uses = of(5);
        uses[0] = used(46);
        let mut inputs = keep_1.clone();
        inputs["clear_tool_inputs"] = true.into();
        assert_eq!(cleared(&uses, 9, &inputs), [0, 1, 2, 3]);
        let mut uses = of(5);
        uses[0] = used(0);
        assert_eq!(cleared(&uses, 9, &keep_1), [0, 1, 2, 3], "an empty result is none of the tiny ones");
    }

    #[test]
    fn the_vectors_about_clearing_at_least() {
        let config = |value: u64| {
            json!({
                "trigger": {"type": "input_tokens", "value": 0},
                "keep": {"type": "tool_uses", "value": 1},
                "clear_at_least": {"type": "input_tokens", "value": value},
            })
        };
        assert_eq!(cleared(&of(6), 9, &config(300)), [0, 1, 2, 3], "169 each: t4 is an incomplete batch");
        assert_eq!(cleared(&of(6), 9, &config(850)), [0_usize; 0], "845 are there");
        assert_eq!(cleared(&of(6), 9, &config(845)), [0, 1, 2, 3, 4]);
        assert_eq!(cleared(&of(6), 9, &config(0)), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn uses_that_the_server_runs_are_cleared_like_others() {
        let mut uses = of(4);
        uses[1].server = true;
        let zero = json!({"type": "input_tokens", "value": 0});
        let keep_1 = json!({"type": "tool_uses", "value": 1});
        assert_eq!(cleared(&uses, 9, &json!({"trigger": zero, "keep": keep_1})), [0, 1, 2]);
    }

    #[test]
    fn what_a_use_frees_is_its_result_less_the_placeholder_and_the_input_where_that_goes() {
        let compiled = Compiled { covered: vec![false, true], ..Compiled::default() };
        let of = |tool, result| ToolUse { tool, server: false, input: 10, result };
        let result = |content, cleared| Some(ToolResult { content, tiny: false, cleared });
        let frees = |each: ToolUse| compiled.frees(&each, 8);
        assert_eq!(frees(of(0, result(100, false))), 92);
        assert_eq!(frees(of(1, result(100, false))), 102);
        assert_eq!(frees(of(0, result(3, false))), -5, "the placeholder is larger");
        assert_eq!(frees(of(0, result(100, true))), 0, "it is cleared already");
        assert_eq!(frees(of(1, result(100, true))), 10);
        assert_eq!(frees(of(0, None)), 0);
        assert_eq!(frees(of(1, None)), 10);
    }

    #[test]
    fn sizes_beyond_all_contexts_do_not_overflow() {
        assert_eq!([0, 1, 200_000].map(signed), [0, 1, 200_000]);
        assert_eq!(signed(u64::MAX), i64::MAX / 4);
        assert_eq!(signed(i64::MAX as u64), i64::MAX / 4);
    }
}
