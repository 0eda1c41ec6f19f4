//! Reads, refuses and words settings, and never panics.

use super::*;
use crate::prices::Models;
use proptest::prelude::*;
use serde_json::json;

fn refusal(value: &Value) -> String {
    Setting::from_json(value).expect_err("a refusal").to_string()
}

fn of_tools(fields: &Value) -> Value {
    let mut edit = fields.clone();
    edit["type"] = CLEAR_TOOL_USES.into();
    json!({"edits": [edit]})
}

#[test]
fn defaults_are_filled_in() {
    let setting = Setting::from_json(&json!({"edits": [
        {"type": CLEAR_THINKING}, {"type": CLEAR_TOOL_USES}, {"type": COMPACT},
    ]}))
    .expect("a setting");
    let model = Models::builtin().get("claude-sonnet-4-5");
    assert_eq!(
        setting.to_json(model),
        json!({"edits": [
            {"type": CLEAR_THINKING, "keep": {"type": "thinking_turns", "value": 1}},
            {
                "type": CLEAR_TOOL_USES,
                "trigger": {"type": "input_tokens", "value": 100_000},
                "keep": {"type": "tool_uses", "value": 3},
                "clear_at_least": null,
                "exclude_tools": [],
                "clear_tool_inputs": false,
            },
            {
                "type": COMPACT,
                "trigger": {"type": "input_tokens", "value": 150_000},
                "pause_after_compaction": false,
                "instructions": null,
            },
        ]})
    );
    let newer = setting.to_json(Models::builtin().get("claude-opus-4-5"));
    assert_eq!(newer["edits"][0]["keep"], "all");
    assert!(setting.to_json(None)["edits"][0].get("keep").is_none());
}

#[test]
fn nothing_is_a_setting() {
    for nothing in
        [json!(null), json!({}), json!({"edits": []}), json!({"context_management": {"edits": null}})]
    {
        assert!(Setting::from_json(&nothing).expect("a setting").is_none(), "{nothing}");
    }
}

#[test]
fn refused_in_the_words_that_were_measured() {
    const PREFIX: &str = "context_management.edits.0.clear_tool_uses_20250919.";
    for (fields, expected) in [
        (
            json!({"clear_at_least": {"type": "input_tokens", "value": -1}}),
            "clear_at_least.value: Input should be greater than or equal to 0",
        ),
        (json!({"exclude_tools": "memory"}), "exclude_tools: Input should be a valid array"),
        (json!({"exclude_tools": [1]}), "exclude_tools.0: Input should be a valid string"),
        (json!({"keep": 3}), "keep: Input should be an object"),
        (json!({"trigger": []}), "trigger: Input should be an object"),
        (json!({"clear_at_least": 5}), "clear_at_least: Input does not match the expected shape."),
        (
            json!({"clear_tool_inputs": "maybe"}),
            "clear_tool_inputs.bool: Input should be a valid boolean, unable to interpret input",
        ),
    ] {
        assert_eq!(refusal(&of_tools(&fields)), format!("{PREFIX}{expected}"));
    }
}

#[test]
fn the_index_of_the_edit_is_in_the_path() {
    let value = json!({"edits": [{"type": CLEAR_TOOL_USES}, {"type": CLEAR_TOOL_USES, "keep": 1}]});
    assert!(refusal(&value).starts_with("context_management.edits.1.clear_tool_uses_20250919.keep: "));
}

#[test]
fn refused_for_other_reasons() {
    for (value, path) in [
        (json!([]), "context_management"),
        (json!({"edits": {}}), "context_management.edits"),
        (json!({"edits": [7]}), "context_management.edits.0"),
        (json!({"edits": [{"type": "clear_all"}]}), "context_management.edits.0"),
        (json!({"edits": [{}]}), "context_management.edits.0"),
        (
            json!({"edits": [{"type": CLEAR_TOOL_USES}, {"type": CLEAR_THINKING}]}),
            "context_management.edits.1",
        ),
        (
            json!({"edits": [{"type": COMPACT, "trigger": {"type": "input_tokens", "value": 49_999}}]}),
            "context_management.edits.0.compact_20260112.trigger.value",
        ),
        (
            json!({"edits": [{"type": COMPACT, "trigger": {"type": "tool_uses", "value": 50_000}}]}),
            "context_management.edits.0.compact_20260112.trigger.type",
        ),
        (
            json!({"edits": [{"type": CLEAR_THINKING, "keep": {"type": "thinking_turns", "value": 0}}]}),
            "context_management.edits.0.clear_thinking_20251015.keep.value",
        ),
        (
            of_tools(&json!({"exclude_tool": ["memory"]})),
            "context_management.edits.0.clear_tool_uses_20250919.exclude_tool",
        ),
        (json!({"compaction_control": {}}), "compaction_control.enabled"),
        (
            json!({"compaction_control": {"enabled": true, "context_token_threshold": null}}),
            "compaction_control.context_token_threshold",
        ),
        (json!({"compaction": {"type": "summarize"}}), "at"),
        (json!({"compaction": {"type": "keep"}, "at": [1]}), "compaction.type"),
        (
            json!({"compaction": {"type": "summarize"}, "at": [1], "edits": [{"type": CLEAR_TOOL_USES}]}),
            "compaction",
        ),
        (json!({"max_iterations": 3}), "max_iterations"),
        (json!({"edit": []}), "edit"),
    ] {
        assert_eq!(Setting::from_json(&value).expect_err("a refusal").path, path, "{value}");
    }
}

#[test]
fn both_languages_of_the_tool_runners() {
    let python = json!({"compaction_control": {"enabled": true, "context_token_threshold": 5000}, "max_iterations": 4});
    let python = Setting::from_json(&python).expect("a setting").compaction_control.expect("a control");
    assert_eq!((python.language, python.context_token_threshold), (SdkLanguage::Python, 5000));
    assert_eq!(python.max_iterations, Some(4));
    let typescript = json!({"compactionControl": {"enabled": true, "contextTokenThreshold": null}});
    let typescript =
        Setting::from_json(&typescript).expect("a setting").compaction_control.expect("a control");
    assert_eq!(typescript.language, SdkLanguage::TypeScript);
    assert_eq!(typescript.context_token_threshold, COMPACTION_CONTROL_THRESHOLD);
}

#[test]
fn what_the_model_or_thinking_forbids() {
    let setting =
        Setting::from_json(&json!({"edits": [{"type": CLEAR_THINKING}, {"type": COMPACT}]})).expect("one");
    let refused = setting.refused_for(Models::builtin().get("claude-haiku-4-5"), false);
    assert_eq!(refused.len(), 2);
    assert_eq!(refused[0].message, "`clear_thinking_20251015` strategy requires `thinking` to be enabled");
    assert!(setting.refused_for(Models::builtin().get("claude-opus-5"), true).is_empty());
    assert!(setting.refused_for(None, true).is_empty());
}

/// Any JSON, with the words of settings in it so that it comes far.
fn any_json() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec![
        "type",
        "value",
        "edits",
        "trigger",
        "keep",
        "clear_at_least",
        "exclude_tools",
        "clear_tool_inputs",
        "input_tokens",
        "tool_uses",
        "thinking_turns",
        "all",
        "compaction",
        "compaction_control",
        "enabled",
        "at",
        "context_reaches",
        "summarize",
        CLEAR_TOOL_USES,
        CLEAR_THINKING,
        COMPACT,
        "context_management",
        "context_token_threshold",
        "compactionControl",
        "max_iterations",
        "",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        words.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((words.clone(), inner), 0..6).prop_map(|fields| {
                Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
            }),
        ]
    })
}

/// A setting that is right.
pub(crate) fn any_setting() -> impl Strategy<Value = Value> {
    let trigger = prop_oneof![
        (0..60_000_u64).prop_map(|value| json!({"type": "input_tokens", "value": value})),
        (0..12_u64).prop_map(|value| json!({"type": "tool_uses", "value": value})),
    ];
    let tools = prop::collection::vec(prop::sample::select(vec!["read", "grep", "memory"]), 0..3);
    let inputs =
        prop_oneof![any::<bool>().prop_map(Value::from), tools.clone().prop_map(|tools| json!(tools))];
    let clear = (trigger, 0..6_u64, prop::option::of(0..5_000_u64), tools, inputs).prop_map(
        |(trigger, keep, at_least, tools, inputs)| {
            json!({
                "type": CLEAR_TOOL_USES,
                "trigger": trigger,
                "keep": {"type": "tool_uses", "value": keep},
                "clear_at_least": at_least.map(|value| json!({"type": "input_tokens", "value": value})),
                "exclude_tools": tools,
                "clear_tool_inputs": inputs,
            })
        },
    );
    let thinking = prop_oneof![
        Just(json!({"type": CLEAR_THINKING, "keep": "all"})),
        Just(json!({"type": CLEAR_THINKING})),
        (1..4_u64).prop_map(
            |turns| json!({"type": CLEAR_THINKING, "keep": {"type": "thinking_turns", "value": turns}})
        ),
    ];
    let compact = (50_000..200_000_u64)
        .prop_map(|value| json!({"type": COMPACT, "trigger": {"type": "input_tokens", "value": value}}));
    (prop::option::of(thinking), prop::collection::vec(clear, 0..3), prop::option::of(compact)).prop_map(
        |(thinking, clear, compact)| {
            let edits: Vec<Value> = thinking.into_iter().chain(clear).chain(compact).collect();
            json!({"edits": edits})
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_json_is_read_or_refused_with_a_path(value in any_json()) {
        match Setting::from_json(&value) {
            Ok(setting) => {
                let written = setting.to_json(None);
                prop_assert_eq!(Setting::from_json(&written), Ok(setting));
            }
            Err(error) => {
                prop_assert!(!error.path.is_empty());
                prop_assert!(!error.message.is_empty());
            }
        }
    }

    #[test]
    fn what_is_written_reads_as_the_same(value in any_setting()) {
        let setting = Setting::from_json(&value).expect("a setting");
        let model = Models::builtin().get("claude-opus-5");
        let written = setting.to_json(model);
        let again = Setting::from_json(&written).expect("a setting");
        prop_assert_eq!(again.to_json(model), written);
    }
}
