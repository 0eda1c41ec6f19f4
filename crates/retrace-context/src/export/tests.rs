use super::*;
use proptest::prelude::*;

const FORMS: [Form; 4] = [Form::Json, Form::Curl, Form::Python, Form::TypeScript];

fn clearing() -> Value {
    json!({"edits": [
        {"type": "clear_thinking_20251015", "keep": "all"},
        {"type": "clear_tool_uses_20250919", "clear_at_least": null, "exclude_tools": ["memory"],
         "keep": {"type": "tool_uses", "value": 3}, "trigger": {"type": "input_tokens", "value": 50_000}},
    ]})
}

fn evidence() -> Evidence {
    Evidence {
        transcripts: vec!["Fix the build\nimport os".into(), "turned \u{202e}around".into()],
        requests: 1_250,
        before: Figures { peak: 154_880, cost_usd: Some(12.306), input: 9_000_000, ..Figures::default() },
        after: Figures { peak: 61_200, cost_usd: None, input: 4_000_000, regrets: 4, ..Figures::default() },
        notes: vec!["counted offline".into()],
    }
}

fn text(form: Form, setting: &Value) -> String {
    export(form, "careful", setting, "claude-opus-4-8", Some(&evidence())).expect("a form").text
}

#[test]
fn every_form_carries_its_headers_and_the_evidence() {
    for form in [Form::Curl, Form::Python, Form::TypeScript] {
        let text = text(form, &clearing());
        assert!(text.contains("context-management-2025-06-27"), "{text}");
        assert!(!text.contains("compact-2026"), "{text}");
        assert!(text.contains("154,880 -> 61,200 tokens") && text.contains("$12.31 -> not known"), "{text}");
        assert!(text.contains("1,250 recorded requests of 2 transcript(s)"), "{text}");
        assert!(
            text.contains("Fix the build\\u{a}import os") && text.contains("turned \\u{202e}around"),
            "{text}"
        );
        assert!(text.contains("adaptive"), "{text}");
    }
    let both = json!({"context_management": {"edits": [
        {"type": "clear_tool_uses_20250919"}, {"type": "compact_20260112"},
    ]}});
    assert!(
        text(Form::Curl, &both).contains("anthropic-beta: context-management-2025-06-27,compact-2026-01-12")
    );
    assert!(!text(Form::Curl, &both).contains("thinking"));
}

#[test]
fn hidden_characters_in_strings_are_escaped() {
    let setting =
        json!({"edits": [{"type": "clear_tool_uses_20250919", "exclude_tools": ["\u{202e}\u{e0041}"]}]});
    assert!(text(Form::Python, &setting).contains("\"\\u202e\\U000e0041\""));
    for form in [Form::Json, Form::Curl, Form::TypeScript] {
        let written = text(form, &setting);
        assert!(written.contains("\"\\u202e\\udb40\\udc41\""), "{written}");
    }
}

#[test]
fn json_is_the_setting_without_nulls() {
    let written: Value = serde_json::from_str(&text(Form::Json, &clearing())).expect("JSON");
    assert_eq!(written["edits"][1]["exclude_tools"], json!(["memory"]));
    assert!(written["edits"][1].get("clear_at_least").is_none());
}

#[test]
fn older_models_think_with_a_budget() {
    let text =
        export(Form::Python, "x", &clearing(), "claude-sonnet-4-5-20250929", None).expect("a form").text;
    assert!(text.contains("\"budget_tokens\": 2048"), "{text}");
}

#[test]
fn an_sdk_compaction_has_no_form_as_a_single_call() {
    let setting = json!({"compaction_control": {"enabled": true, "context_token_threshold": 70_000}, "max_iterations": 9});
    assert_eq!(export(Form::Curl, "x", &setting, "claude-opus-4-8", None), Err(ExportError::OnlyInAnSdk));
    let python = text(Form::Python, &setting);
    assert!(
        python.contains("CONTEXT_TOKEN_THRESHOLD = 70000") && python.contains("max_iterations=9"),
        "{python}"
    );
    assert!(python.contains("compact-2026-09-04"));
}

#[test]
fn a_compaction_is_asked_for_when_the_setting_says() {
    let at = json!({"compaction": {"type": "summarize", "instructions": "be \"brief\"\n"}, "at": [3, 7]});
    let python = text(Form::Python, &at);
    assert!(python.contains("COMPACT_BEFORE = [3, 7]") && python.contains(r#""be \"brief\"\n""#), "{python}");
    let reaches = json!({"compaction": {"type": "summarize"}, "context_reaches": 90_000});
    assert!(text(Form::TypeScript, &reaches).contains("contextReaches = 90000"));
    assert!(text(Form::Curl, &reaches).contains("anthropic-beta: compact-2026-09-04"));
}

#[test]
fn what_is_no_setting_is_refused() {
    for wrong in [json!([]), json!("x"), json!({"edit": []})] {
        assert!(matches!(export(Form::Json, "x", &wrong, "m", None), Err(ExportError::NotASetting { .. })));
    }
    for none in [json!({}), json!(null), json!({"edits": []})] {
        assert!(export(Form::Python, "x", &none, "m", None).is_ok());
    }
}

#[test]
fn numbers_are_grouped() {
    assert_eq!(grouped(0), "0");
    assert_eq!(grouped(999), "999");
    assert_eq!(grouped(1_000), "1,000");
    assert_eq!(grouped(u64::MAX), "18,446,744,073,709,551,615");
}

proptest! {
    #[test]
    fn foreign_text_never_leaves_its_comment_or_its_string(name in any::<String>(), tool in any::<String>()) {
        let setting = json!({"edits": [{"type": "clear_tool_uses_20250919", "exclude_tools": [tool]}]});
        let plain = json!({"edits": [{"type": "clear_tool_uses_20250919", "exclude_tools": ["x"]}]});
        for form in FORMS {
            let written = export(form, &name, &setting, &tool, None).expect("a form").text;
            let same = export(form, "x", &plain, "x", None).expect("a form").text;
            // Python and shells end lines at fewer characters than these; none may come from outside.
            let lines = |text: &str| text.split(['\n', '\r']).count();
            prop_assert_eq!(lines(&written), lines(&same));
        }
    }
}
