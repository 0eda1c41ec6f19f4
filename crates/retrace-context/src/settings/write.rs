//! From a setting to JSON, every default filled in.

use super::{
    AskedFor, ClearInputs, ClearThinking, ClearToolUses, Compact, CompactionControl, Edit,
    OnDemandCompaction, SdkLanguage, Setting, ThinkingKeep, Trigger,
};
use crate::prices::ModelFacts;
use serde_json::{Map, Value, json};

/// The whole setting.
pub(super) fn setting(setting: &Setting, model: Option<&ModelFacts>) -> Value {
    let mut map = Map::new();
    if !setting.edits.is_empty() {
        map.insert("edits".to_owned(), setting.edits.iter().map(|one| edit(one, model)).collect());
    }
    if let Some(compaction) = &setting.compaction {
        on_demand(compaction, &mut map);
    }
    if let Some(compaction_control) = &setting.compaction_control {
        control(compaction_control, &mut map);
    }
    Value::Object(map)
}

fn edit(edit: &Edit, model: Option<&ModelFacts>) -> Value {
    let mut value = match edit {
        Edit::ClearToolUses(edit) => clear_tool_uses(edit),
        Edit::ClearThinking(edit) => clear_thinking(*edit, model),
        Edit::Compact(edit) => compact(edit),
    };
    value["type"] = edit.type_name().into();
    value
}

fn clear_tool_uses(edit: &ClearToolUses) -> Value {
    let (kind, value) = match edit.trigger {
        Trigger::InputTokens(value) => ("input_tokens", value),
        Trigger::ToolUses(value) => ("tool_uses", value),
    };
    json!({
        "trigger": {"type": kind, "value": value},
        "keep": {"type": "tool_uses", "value": edit.keep},
        "clear_at_least": edit.clear_at_least.map(|value| json!({"type": "input_tokens", "value": value})),
        "exclude_tools": edit.exclude_tools,
        "clear_tool_inputs": match &edit.clear_tool_inputs {
            ClearInputs::None => json!(false),
            ClearInputs::All => json!(true),
            ClearInputs::Of(tools) => json!(tools),
        },
    })
}

fn clear_thinking(edit: ClearThinking, model: Option<&ModelFacts>) -> Value {
    match edit.keep.or(model.map(|model| model.thinking_keep)) {
        None => json!({}),
        Some(ThinkingKeep::All) => json!({"keep": "all"}),
        Some(ThinkingKeep::Turns(turns)) => json!({"keep": {"type": "thinking_turns", "value": turns}}),
    }
}

fn compact(edit: &Compact) -> Value {
    json!({
        "trigger": {"type": "input_tokens", "value": edit.trigger},
        "pause_after_compaction": edit.pause_after_compaction,
        "instructions": edit.instructions,
    })
}

fn on_demand(compaction: &OnDemandCompaction, map: &mut Map<String, Value>) {
    let value = json!({"type": "summarize", "instructions": compaction.instructions});
    map.insert("compaction".to_owned(), value);
    match &compaction.when {
        AskedFor::At(indices) => map.insert("at".to_owned(), json!(indices)),
        AskedFor::ContextReaches(tokens) => map.insert("context_reaches".to_owned(), json!(tokens)),
    };
}

fn control(control: &CompactionControl, map: &mut Map<String, Value>) {
    let (outer, threshold, prompt, iterations) = match control.language {
        SdkLanguage::Python => {
            ("compaction_control", "context_token_threshold", "summary_prompt", "max_iterations")
        }
        SdkLanguage::TypeScript => {
            ("compactionControl", "contextTokenThreshold", "summaryPrompt", "maxIterations")
        }
    };
    let mut inner = Map::new();
    inner.insert("enabled".to_owned(), control.enabled.into());
    inner.insert(threshold.to_owned(), control.context_token_threshold.into());
    // Python passes a present `None` on instead of the default, so what is absent stays absent.
    for (name, value) in [("model", &control.model), (prompt, &control.summary_prompt)] {
        if let Some(value) = value {
            inner.insert(name.to_owned(), value.as_str().into());
        }
    }
    map.insert(outer.to_owned(), Value::Object(inner));
    if let Some(limit) = control.max_iterations {
        map.insert(iterations.to_owned(), limit.into());
    }
}
