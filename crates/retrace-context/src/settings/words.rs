//! A setting in a few words: what it does.

use super::{
    AskedFor, ClearInputs, ClearThinking, ClearToolUses, CompactionControl, Edit, OnDemandCompaction,
    Setting, ThinkingKeep, Trigger,
};
use retrace_message::{Figure, Message};

impl Setting {
    /// What it does, in a few words, such as `clear above 60K, keep 5`: the name of a setting that nobody named.
    #[must_use]
    pub fn in_words(&self) -> Message {
        let edits = self.edits.iter().map(edit);
        let compaction = self.compaction.iter().map(on_demand);
        let control = self.compaction_control.iter().filter(|control| control.enabled).map(by_sdk);
        edits.chain(compaction).chain(control).reduce(say::and_also).unwrap_or_else(say::no_editing)
    }
}

fn edit(edit: &Edit) -> Message {
    match edit {
        Edit::ClearToolUses(edit) => tool_uses(edit),
        Edit::ClearThinking(edit) => thinking(*edit),
        Edit::Compact(edit) => say::compact_at(Figure::Tokens(edit.trigger)),
    }
}

fn tool_uses(edit: &ClearToolUses) -> Message {
    let mut words = match edit.trigger {
        Trigger::InputTokens(tokens) => say::clear_above_keep(Figure::Tokens(tokens), edit.keep),
        Trigger::ToolUses(uses) => say::clear_above_uses_keep(uses, edit.keep),
    };
    if let Some(least) = edit.clear_at_least.filter(|&least| least > 0) {
        words = say::with(words, say::at_least(Figure::Tokens(least)));
    }
    if !edit.exclude_tools.is_empty() {
        words = say::with(words, say::except(edit.exclude_tools.join(", ")));
    }
    match &edit.clear_tool_inputs {
        ClearInputs::None => words,
        ClearInputs::All => say::with(words, say::inputs_too()),
        ClearInputs::Of(tools) => say::with(words, say::inputs_of(tools.join(", "))),
    }
}

fn thinking(edit: ClearThinking) -> Message {
    match edit.keep {
        None => say::thinking_by_default(),
        Some(ThinkingKeep::All) => say::keep_all_thinking(),
        Some(ThinkingKeep::Turns(1)) => say::keep_thinking_of_last_turn(),
        Some(ThinkingKeep::Turns(turns)) => say::keep_thinking_of_turns(turns),
    }
}

fn on_demand(compaction: &OnDemandCompaction) -> Message {
    match &compaction.when {
        AskedFor::ContextReaches(tokens) => say::ask_to_compact_at(Figure::Tokens(*tokens)),
        AskedFor::At(requests) => match requests.first() {
            Some(first) if requests.len() == 1 => say::ask_to_compact_before(first + 1),
            _ => say::ask_to_compact_times(requests.len()),
        },
    }
}

fn by_sdk(control: &CompactionControl) -> Message {
    say::sdk_compacts_at(Figure::Tokens(control.context_token_threshold))
}

retrace_message::messages! {
    /// What settings do.
    mod say in "setting_words";
    no_editing() => "no editing",
    and_also(first, second) => "{first}; {second}",
    with(first, second) => "{first}, {second}",
    clear_above_keep(trigger, keep) => "clear above {trigger}, keep {keep}",
    clear_above_uses_keep(trigger, keep) => "clear above {trigger} tool uses, keep {keep}",
    at_least(tokens) => "at least {tokens} at once",
    except(tools) => "except {tools}",
    inputs_too() => "inputs too",
    inputs_of(tools) => "inputs of {tools} too",
    thinking_by_default() => "thinking as the model does",
    keep_all_thinking() => "keep all thinking",
    keep_thinking_of_last_turn() => "keep thinking of the last turn",
    keep_thinking_of_turns(turns) => "keep thinking of {turns} turns",
    compact_at(trigger) => "compact at {trigger}",
    ask_to_compact_at(trigger) => "ask to compact at {trigger}",
    ask_to_compact_before(request) => "ask to compact before request {request}",
    ask_to_compact_times(times) => "ask to compact {times} times",
    sdk_compacts_at(trigger) => "the SDK compacts at {trigger}",
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn words(setting: &Value) -> String {
        Setting::from_json(setting).expect("a setting").in_words().text().to_owned()
    }

    #[test]
    fn a_setting_is_named_by_what_it_does() {
        assert_eq!(words(&json!({})), "no editing");
        let clear = |fields: Value| {
            let mut edit = fields;
            edit["type"] = "clear_tool_uses_20250919".into();
            words(&json!({"edits": [edit]}))
        };
        assert_eq!(clear(json!({})), "clear above 100K, keep 3");
        assert_eq!(
            clear(json!({"trigger": {"type": "input_tokens", "value": 62_500},
                "keep": {"type": "tool_uses", "value": 5}, "clear_at_least": {"type": "input_tokens", "value": 10_000},
                "exclude_tools": ["memory"], "clear_tool_inputs": true})),
            "clear above 62.5K, keep 5, at least 10K at once, except memory, inputs too"
        );
        assert_eq!(
            clear(json!({"trigger": {"type": "tool_uses", "value": 9}})),
            "clear above 9 tool uses, keep 3"
        );
        let thinking = json!({"edits": [{"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": 2}},
            {"type": "compact_20260112"}]});
        assert_eq!(words(&thinking), "keep thinking of 2 turns; compact at 150K");
        let sdk = json!({"compaction_control": {"enabled": true, "context_token_threshold": 1_250_000}});
        assert_eq!(words(&sdk), "the SDK compacts at 1.25M");
    }
}
