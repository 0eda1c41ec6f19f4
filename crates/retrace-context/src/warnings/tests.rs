use super::*;
use crate::prices::Models;
use crate::simulate::{Options, Prepared, simulate};
use crate::weigh::story::{Story, calls, words};
use retrace_transcript::Usage;
use serde_json::json;

/// Thirty reads of five hundred tokens each, from a context of 20,000, all of it cached.
fn run(tool: &str) -> Story {
    let mut story = Story::new("claude-opus-4-8");
    story.types("go");
    for turn in 0..30_u64 {
        let id = format!("t{turn}");
        let usage =
            Usage { cache_read: 19_400 + turn * 600, cache_creation: 600, output: 40, ..Usage::default() };
        story.answers(Some(usage), vec![calls(&id, tool, json!({"path": turn.to_string()}))]);
        story.results(&[(&id, &"x".repeat(500))]);
    }
    let usage = Usage { cache_read: 38_000, cache_creation: 600, output: 40, ..Usage::default() };
    story.answers(Some(usage), vec![words("done")]);
    story
}

fn codes(story: &Story, setting: &Value) -> Vec<Warning> {
    let setting = Setting::from_json(setting).expect("a setting");
    let prepared = Prepared::new(&story.transcript, &story.weights());
    let options = Options::default();
    let outcome = simulate(&prepared, &setting, &options);
    let without = simulate(&prepared, &Setting::default(), &options).totals;
    warnings(&Grounds {
        setting: &setting,
        transcript: &story.transcript,
        outcome: &outcome,
        without: &without,
        model: prepared.model().and_then(|model| Models::builtin().get(model)),
        thinking: prepared.has_thinking(),
        prices: options.prices,
    })
}

fn message(story: &Story, setting: &Value, code: &str) -> String {
    let found = codes(story, setting);
    let of_code = found.iter().find(|warning| warning.code == code);
    of_code.unwrap_or_else(|| unreachable!("{code} among {found:?}")).message.clone().into_text()
}

fn clearing(trigger: u64, more: &Value) -> Value {
    let mut edit =
        json!({"type": "clear_tool_uses_20250919", "trigger": {"type": "input_tokens", "value": trigger}});
    edit.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    json!({"edits": [edit]})
}

#[test]
fn clearing_is_reported_to_be_a_setting_of_anthropics_api() {
    let setting = json!({"edits": [{"type": "clear_tool_uses_20250919"}]});
    let mut story = run("Read");
    for request in &mut story.transcript.requests {
        request.model = Some("gpt-5.5".to_owned());
    }
    assert!(message(&story, &setting, "not_anthropic").contains("gpt-5.5 is another vendor's model"));
    assert!(codes(&story, &json!({})).is_empty());
    for own in [Some("claude-opus-4-8".to_owned()), Some("opus".to_owned()), None] {
        for request in &mut story.transcript.requests {
            request.model.clone_from(&own);
        }
        assert!(codes(&story, &setting).iter().all(|warning| warning.code != "not_anthropic"), "{own:?}");
    }
}

#[test]
fn a_trigger_that_is_never_reached_names_the_largest_context() {
    let text = message(&run("Read"), &clearing(90_000, &json!({})), "trigger_never_reached");
    assert!(text.contains("90,000 tokens") && text.contains("38,600 tokens"), "{text}");
    let uses = json!({"edits": [{"type": "clear_tool_uses_20250919", "trigger": {"type": "tool_uses", "value": 30}}]});
    assert!(message(&run("Read"), &uses, "trigger_never_reached").contains("may clear are 30"));
    let compact = json!({"edits": [{"type": "compact_20260112"}]});
    assert!(message(&run("Read"), &compact, "trigger_never_reached").contains("150,000"));
    assert_eq!(codes(&run("Read"), &json!({})), []);
}

#[test]
fn a_trigger_near_the_floor_clears_at_every_turn() {
    let found = codes(&run("Read"), &clearing(21_000, &json!({})));
    let names: Vec<&str> = found.iter().map(|warning| warning.code).collect();
    assert!(names.contains(&"fires_each_turn") && names.contains(&"no_clear_at_least"), "{found:?}");
    let batches = clearing(21_000, &json!({"clear_at_least": {"type": "input_tokens", "value": 5_000}}));
    let calmer: Vec<&str> = codes(&run("Read"), &batches).iter().map(|warning| warning.code).collect();
    assert!(!calmer.contains(&"fires_each_turn") && !calmer.contains(&"no_clear_at_least"), "{calmer:?}");
}

#[test]
fn what_is_vetoed_says_so() {
    let vetoed = clearing(21_000, &json!({"clear_at_least": {"type": "input_tokens", "value": 90_000}}));
    let text = message(&run("Read"), &vetoed, "nothing_to_clear");
    assert!(text.contains("asks for 90,000 tokens"), "{text}");
}

#[test]
fn an_agents_memory_is_better_left_alone() {
    let text = message(&run("memory"), &clearing(21_000, &json!({})), "memory_not_excluded");
    assert!(text.contains("called 30 times"), "{text}");
    let excluded = clearing(21_000, &json!({"exclude_tools": ["memory"]}));
    assert!(codes(&run("memory"), &excluded).iter().all(|warning| warning.code != "memory_not_excluded"));
}

#[test]
fn what_the_api_refuses_has_a_code() {
    let thinking = json!({"edits": [{"type": "clear_thinking_20251015"}]});
    assert!(message(&run("Read"), &thinking, "thinking_off").contains("requires `thinking`"));
    let wrong = json!({"edits": [
        {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 20_000}},
        {"type": "clear_thinking_20251015"},
    ]});
    let found: Vec<&str> = of_refused(&wrong).iter().map(|warning| warning.code).collect();
    assert_eq!(found, ["compaction_under_floor", "thinking_not_first"]);
    assert_eq!(of_refused(&json!({"context_management": {"edits": [{"type": "compact_20260112"}]}})), []);
    assert_eq!(of_refused(&json!([1])), []);
    let mut old = run("Read");
    for request in &mut old.transcript.requests {
        request.model = Some("claude-sonnet-4-5-20250929".into());
    }
    let compact = json!({"edits": [{"type": "compact_20260112"}]});
    assert!(message(&old, &compact, "model_without_feature").contains("compact_20260112"));
}

#[test]
fn a_clearing_near_the_end_does_not_pay_back() {
    let found = codes(&run("Read"), &clearing(38_000, &json!({})));
    let late = found.iter().find(|warning| warning.code == "pays_back_late").expect("a warning");
    assert!(late.message.contains("1 of 1."), "{late:?}");
}

#[test]
fn a_compaction_that_never_ends_is_reported_with_its_floor() {
    let control = json!({"compaction_control": {"enabled": true, "context_token_threshold": 1_000}});
    let text = message(&run("Read"), &control, "compaction_under_floor");
    assert!(text.contains("every turn compacts"), "{text}");
}

#[test]
fn prices_that_differ_are_written_so_that_they_do() {
    let text = |one: &str, other: &str| Some((Figure::Usd(one.to_owned()), Figure::Usd(other.to_owned())));
    assert_eq!(distinguishable(2.0, 1.5), text("2.00", "1.50"));
    assert_eq!(distinguishable(1.302, 1.297), text("1.302", "1.297"));
    assert_eq!(distinguishable(1.300_04, 1.300_01), None);
}
