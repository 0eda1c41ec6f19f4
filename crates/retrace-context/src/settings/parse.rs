//! From JSON to a setting, refusing what the API refuses.

use super::fields::{self, Fields};
use super::{
    AskedFor, CLEAR_THINKING, CLEAR_TOOL_USES, COMPACT, COMPACT_LEAST_TRIGGER, COMPACT_TRIGGER,
    COMPACTION_CONTROL_THRESHOLD, ClearInputs, ClearThinking, ClearToolUses, Compact, CompactionControl,
    Edit, OnDemandCompaction, SdkLanguage, Setting, SettingError, ThinkingKeep, Trigger,
};
use serde_json::Value;

/// Reads any of the forms a setting comes in.
pub(super) fn setting(value: &Value) -> Result<Setting, SettingError> {
    if value.is_null() {
        return Ok(Setting::default());
    }
    let fields = Fields::of(value, "", say::input_should_object())
        .map_err(|error| SettingError::new("context_management", error.message))?;
    let mut setting = Setting { edits: all_edits(&fields)?, ..Setting::default() };
    setting.compaction = on_demand(&fields)?;
    setting.compaction_control = control(&fields)?;
    fields.only(&[
        "edits",
        "context_management",
        "compaction",
        "at",
        "context_reaches",
        "compaction_control",
        "compactionControl",
        "max_iterations",
        "maxIterations",
    ])?;
    if setting.compaction.is_some() && !setting.edits.is_empty() {
        return Err(SettingError::new("compaction", say::compaction_cannot_combined_context_management()));
    }
    Ok(setting)
}

fn all_edits(fields: &Fields<'_>) -> Result<Vec<Edit>, SettingError> {
    let Some(outer) = fields.get("context_management") else { return edits(fields.get("edits")) };
    if fields.has("edits") {
        return Err(SettingError::new("edits", say::extra_inputs_not_permitted()));
    }
    let outer = Fields::of(outer, "context_management", say::input_should_object())?;
    outer.only(&["edits"])?;
    edits(outer.get("edits"))
}

fn edits(value: Option<&Value>) -> Result<Vec<Edit>, SettingError> {
    const PATH: &str = "context_management.edits";
    let list = match value {
        None => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(SettingError::new(PATH, say::input_should_valid_array())),
    };
    let edits: Vec<Edit> = list
        .iter()
        .enumerate()
        .map(|(index, value)| edit(value, &format!("{PATH}.{index}")))
        .collect::<Result<_, _>>()?;
    if let Some(index) = edits.iter().skip(1).position(|edit| matches!(edit, Edit::ClearThinking(_))) {
        // The API refuses it; its words are not public.
        return Err(SettingError::new(
            format!("{PATH}.{}", index + 1),
            say::must_first_edits(CLEAR_THINKING),
        ));
    }
    Ok(edits)
}

fn edit(value: &Value, path: &str) -> Result<Edit, SettingError> {
    let fields = Fields::of(value, path, say::input_should_object())?;
    let name = match fields.get("type") {
        Some(Value::String(name)) => name.as_str(),
        Some(_) | None => {
            return Err(SettingError::new(path, say::unable_extract_tag_using_discriminator()));
        }
    };
    let inner = format!("{path}.{name}");
    match name {
        CLEAR_TOOL_USES => {
            clear_tool_uses(&Fields::of(value, inner, say::input_should_object())?).map(Edit::ClearToolUses)
        }
        CLEAR_THINKING => {
            clear_thinking(&Fields::of(value, inner, say::input_should_object())?).map(Edit::ClearThinking)
        }
        COMPACT => compact(&Fields::of(value, inner, say::input_should_object())?).map(Edit::Compact),
        _ => Err(SettingError::new(
            path,
            say::input_tag_found_using_type(name, CLEAR_TOOL_USES, CLEAR_THINKING, COMPACT),
        )),
    }
}

fn clear_tool_uses(fields: &Fields<'_>) -> Result<ClearToolUses, SettingError> {
    let mut edit = ClearToolUses::default();
    // The order of the checks is the API's: it reports the first.
    let trigger = object(fields, "trigger")?;
    let keep = object(fields, "keep")?;
    if let Some(value) = fields.get("clear_at_least") {
        let inner = Fields::of(value, fields.at("clear_at_least"), say::input_not_match_expected_shape())?;
        edit.clear_at_least = Some(counted(&inner, &["input_tokens"], 0)?.1);
    }
    edit.exclude_tools = fields.texts("exclude_tools")?.unwrap_or_default();
    edit.clear_tool_inputs = clear_inputs(fields)?;
    if let Some(trigger) = trigger {
        edit.trigger = match counted(&trigger, &["input_tokens", "tool_uses"], 0)? {
            ("tool_uses", value) => Trigger::ToolUses(value),
            (_, value) => Trigger::InputTokens(value),
        };
    }
    if let Some(keep) = keep {
        edit.keep = counted(&keep, &["tool_uses"], 0)?.1;
    }
    fields.only(&["type", "trigger", "keep", "clear_at_least", "exclude_tools", "clear_tool_inputs"])?;
    Ok(edit)
}

fn clear_inputs(fields: &Fields<'_>) -> Result<ClearInputs, SettingError> {
    let Some(value) = fields.get("clear_tool_inputs") else { return Ok(ClearInputs::None) };
    // A list of names is the second form; what is neither is refused in the words of the first.
    if let Ok(tools) = fields::texts(value, "") {
        return Ok(ClearInputs::Of(tools));
    }
    match fields::lax_bool(value) {
        Ok(true) => Ok(ClearInputs::All),
        Ok(false) => Ok(ClearInputs::None),
        Err(message) => Err(SettingError::new(fields.at("clear_tool_inputs.bool"), message)),
    }
}

fn clear_thinking(fields: &Fields<'_>) -> Result<ClearThinking, SettingError> {
    fields.only(&["type", "keep"])?;
    let keep = match fields.get("keep") {
        None => None,
        Some(Value::String(all)) if all == "all" => Some(ThinkingKeep::All),
        Some(value) => {
            let keep = Fields::of(value, fields.at("keep"), say::input_should_object_or_all())?;
            Some(match keep.tag(&["thinking_turns", "all"])? {
                "thinking_turns" => ThinkingKeep::Turns(counted(&keep, &["thinking_turns"], 1)?.1),
                _ => {
                    keep.only(&["type"])?;
                    ThinkingKeep::All
                }
            })
        }
    };
    Ok(ClearThinking { keep })
}

fn compact(fields: &Fields<'_>) -> Result<Compact, SettingError> {
    fields.only(&["type", "trigger", "pause_after_compaction", "instructions"])?;
    let trigger = match object(fields, "trigger")? {
        Some(trigger) => counted(&trigger, &["input_tokens"], COMPACT_LEAST_TRIGGER)?.1,
        None => COMPACT_TRIGGER,
    };
    Ok(Compact {
        trigger,
        pause_after_compaction: fields.truth("pause_after_compaction")?.unwrap_or(false),
        instructions: fields.text("instructions")?,
    })
}

fn on_demand(fields: &Fields<'_>) -> Result<Option<OnDemandCompaction>, SettingError> {
    let Some(value) = fields.get("compaction") else {
        for name in ["at", "context_reaches"] {
            if fields.has(name) {
                return Err(SettingError::new(name, say::stands_beside_compaction_only()));
            }
        }
        return Ok(None);
    };
    let inner = Fields::of(value, "compaction", say::input_should_object())?;
    inner.tag(&["summarize"])?;
    let instructions = inner.text("instructions")?.filter(|text| !text.trim().is_empty());
    inner.only(&["type", "instructions"])?;
    let when = match (fields.get("at"), fields.get("context_reaches")) {
        (Some(Value::Array(list)), None) => {
            let index = |(place, value): (usize, &Value)| {
                fields::integer(value, &format!("at.{place}"), 0)
                    .map(|index| usize::try_from(index).unwrap_or(usize::MAX))
            };
            AskedFor::At(list.iter().enumerate().map(index).collect::<Result<_, _>>()?)
        }
        (Some(_), None) => return Err(SettingError::new("at", say::input_should_valid_array())),
        (None, Some(value)) => AskedFor::ContextReaches(fields::integer(value, "context_reaches", 1)?),
        (None, None) => {
            return Err(SettingError::new("at", say::say_when_or_context_reaches()));
        }
        (Some(_), Some(_)) => {
            return Err(SettingError::new("at", say::either_or_context_reaches_not()));
        }
    };
    Ok(Some(OnDemandCompaction { instructions, when }))
}

/// Names of the fields of `compaction_control` in one of the two languages.
struct ControlNames {
    path: &'static str,
    threshold: &'static str,
    prompt: &'static str,
    iterations: &'static str,
}

const PYTHON: ControlNames = ControlNames {
    path: "compaction_control",
    threshold: "context_token_threshold",
    prompt: "summary_prompt",
    iterations: "max_iterations",
};
const TYPESCRIPT: ControlNames = ControlNames {
    path: "compactionControl",
    threshold: "contextTokenThreshold",
    prompt: "summaryPrompt",
    iterations: "maxIterations",
};

fn control(fields: &Fields<'_>) -> Result<Option<CompactionControl>, SettingError> {
    let (value, outer) = match (fields.get(PYTHON.path), fields.get(TYPESCRIPT.path)) {
        (Some(_), Some(_)) => {
            return Err(SettingError::new(TYPESCRIPT.path, say::extra_inputs_not_permitted()));
        }
        (Some(value), None) => (value, PYTHON.path),
        (None, Some(value)) => (value, TYPESCRIPT.path),
        (None, None) => {
            for name in [PYTHON.iterations, TYPESCRIPT.iterations] {
                if fields.has(name) {
                    return Err(SettingError::new(name, say::stands_beside_compaction_control_only()));
                }
            }
            return Ok(None);
        }
    };
    let inner = Fields::of(value, outer, say::input_should_object())?;
    // Camel case within says TypeScript, whatever the case of the outer name.
    let camel = outer == TYPESCRIPT.path || inner.has(TYPESCRIPT.threshold) || inner.has(TYPESCRIPT.prompt);
    let names = if camel { &TYPESCRIPT } else { &PYTHON };
    let Some(enabled) = inner.truth("enabled")? else {
        return Err(SettingError::new(inner.at("enabled"), say::field_required()));
    };
    let threshold = match inner.get(names.threshold) {
        Some(value) => fields::integer(value, &inner.at(names.threshold), 0)?,
        // The Python runner compares with what is there, even if it is nothing.
        None if !camel && inner.has(names.threshold) => {
            return Err(SettingError::new(
                inner.at(names.threshold),
                say::input_should_valid_integer_python(),
            ));
        }
        None => COMPACTION_CONTROL_THRESHOLD,
    };
    let control = CompactionControl {
        enabled,
        context_token_threshold: threshold,
        model: inner.text("model")?,
        summary_prompt: inner.text(names.prompt)?,
        max_iterations: iterations(fields)?,
        language: if camel { SdkLanguage::TypeScript } else { SdkLanguage::Python },
    };
    inner.only(&["enabled", names.threshold, "model", names.prompt])?;
    Ok(Some(control))
}

fn iterations(fields: &Fields<'_>) -> Result<Option<u64>, SettingError> {
    for name in [PYTHON.iterations, TYPESCRIPT.iterations] {
        if let Some(value) = fields.get(name) {
            return fields::integer(value, name, 0).map(Some);
        }
    }
    Ok(None)
}

fn object<'v>(fields: &Fields<'v>, name: &str) -> Result<Option<Fields<'v>>, SettingError> {
    fields.get(name).map(|value| Fields::of(value, fields.at(name), say::input_should_object())).transpose()
}

/// `{"type": one of names, "value": integer}`.
fn counted(
    fields: &Fields<'_>,
    names: &[&'static str],
    least: u64,
) -> Result<(&'static str, u64), SettingError> {
    let name = fields.tag(names)?;
    let value = fields.integer("value", least)?;
    fields.only(&["type", "value"])?;
    Ok((name, value))
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "parse";
    input_should_object() => "Input should be an object",
    compaction_cannot_combined_context_management() => "`compaction` cannot be combined with `context_management` in one request",
    extra_inputs_not_permitted() => "Extra inputs are not permitted",
    input_should_valid_array() => "Input should be a valid array",
    must_first_edits(value) => "`{value}` must be the first of `edits`",
    unable_extract_tag_using_discriminator() => "Unable to extract tag using discriminator 'type'",
    input_tag_found_using_type(name, value, value_2, value_3) => "Input tag '{name}' found using 'type' does not match any of the expected tags: '{value}', '{value_2}', '{value_3}'",
    input_not_match_expected_shape() => "Input does not match the expected shape.",
    input_should_object_or_all() => "Input should be an object or 'all'",
    stands_beside_compaction_only() => "Stands beside `compaction` only",
    say_when_or_context_reaches() => "Say when: `at` or `context_reaches` beside `compaction`",
    either_or_context_reaches_not() => "Either `at` or `context_reaches`, not both",
    stands_beside_compaction_control_only() => "Stands beside `compaction_control` only",
    field_required() => "Field required",
    input_should_valid_integer_python() => "Input should be a valid integer: the Python runner does not replace `None` by the default",
}
