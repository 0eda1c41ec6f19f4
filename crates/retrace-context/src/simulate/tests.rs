//! Runs under settings.

use super::story::{BASE, Story, rounds};
use super::*;
use crate::outcome::StopReason;
use crate::settings::tests::any_setting;
use crate::weight::Basis;
use proptest::prelude::*;
use retrace_transcript::{Cause, Compaction};
use serde_json::{Value, json};

const MODEL: &str = "claude-opus-5";

fn setting(value: &Value) -> Setting {
    Setting::from_json(value).expect("a setting")
}

fn under(story: &Story, value: &Value) -> Outcome {
    simulate(&story.prepared(), &setting(value), &Options::default())
}

fn afters(outcome: &Outcome) -> Vec<u64> {
    outcome.requests.iter().map(|request| request.after).collect()
}

fn clear(trigger: u64, keep: u64) -> Value {
    json!({"edits": [{
        "type": "clear_tool_uses_20250919",
        "trigger": {"type": "input_tokens", "value": trigger},
        "keep": {"type": "tool_uses", "value": keep},
    }]})
}

#[test]
fn without_a_setting_everything_is_as_recorded() {
    let story = rounds(MODEL, 6, 200);
    let outcome = under(&story, &json!({}));
    assert_eq!(afters(&outcome), story.weights.contexts);
    assert!(outcome.requests.iter().all(|request| request.basis == Basis::Recorded));
    assert!(outcome.requests.iter().all(|request| request.cache_break_at.is_none()));
    let usage = |index: usize| story.transcript.requests[index].usage.clone().expect("usage");
    for (index, request) in outcome.requests.iter().enumerate() {
        assert_eq!(
            (request.cache_read, request.cache_write),
            (usage(index).cache_read, usage(index).cache_creation)
        );
    }
    assert_eq!(outcome.totals.clears, 0);
    assert!(outcome.totals.cost_usd.expect("a price") > 0.0);
}

#[test]
fn results_are_cleared_and_the_cache_breaks_at_the_first_of_them() {
    // Each round adds 25 + 205; the context of request n is 1,105 + 230 n.
    let story = rounds(MODEL, 6, 200);
    let outcome = under(&story, &clear(1_700, 1));
    assert_eq!(afters(&outcome), [1105, 1335, 1565, 1795 - 380, 2025 - 570, 2255 - 760, 2485 - 950]);
    let third = &outcome.requests[3];
    assert_eq!(third.cleared_tool_uses, 2);
    assert_eq!(third.newly_cleared.len(), 2);
    // Behind system, the question, the first call and the frame of nothing else.
    assert_eq!(third.cache_break_at, Some(BASE + 105 + 25));
    assert_eq!(third.cache_read, BASE + 105 + 25);
    assert_eq!(third.cache_read + third.cache_write + third.uncached, third.after);
    assert_eq!(third.applied_edits[0].cleared_tool_uses, Some(2));
    assert_eq!(third.applied_edits[0].cleared_input_tokens, 380);
    let fourth = &outcome.requests[4];
    assert_eq!((fourth.cleared_tool_uses, fourth.newly_cleared.len()), (3, 1));
    assert_eq!(fourth.cache_break_at, Some(BASE + 105 + 25 + 15 + 25 + 15 + 25));
    assert_eq!((outcome.totals.clears, outcome.totals.cache_breaks), (4, 4));
}

#[test]
fn clearing_at_least_breaks_the_cache_less_often() {
    let story = rounds(MODEL, 8, 200);
    let mut value = clear(1_000, 1);
    value["edits"][0]["clear_at_least"] = json!({"type": "input_tokens", "value": 500});
    let outcome = under(&story, &value);
    let cleared: Vec<u64> = outcome.requests.iter().map(|request| request.cleared_tool_uses).collect();
    assert_eq!(cleared, [0, 0, 0, 0, 3, 3, 3, 6, 6]);
    assert_eq!(outcome.totals.clears, 2);
    let between = &outcome.requests[5];
    assert_eq!(between.cache_break_at, None);
    assert_eq!(between.cache_read, outcome.requests[4].after);
}

/// The cookbook's run: thinking is cleared turn by turn while `clear_at_least` forbids the clearing of tool uses.
#[test]
fn the_cookbooks_trace_of_thinking() {
    let story = Story::new(MODEL)
        .typed(4_000)
        .calls(166, &[("a", "memory")])
        .results(&[("a", 700)])
        .says(300)
        .typed(500)
        .calls(99, &[("b", "memory")])
        .results(&[("b", 600)])
        .says(300)
        .typed(500)
        .calls(120, &[("c", "memory")])
        .results(&[("c", 500)])
        .says(300);
    let outcome = under(
        &story,
        &json!({"edits": [
            {"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": 1}},
            {
                "type": "clear_tool_uses_20250919",
                "trigger": {"type": "input_tokens", "value": 5_000},
                "keep": {"type": "tool_uses", "value": 2},
                "clear_at_least": {"type": "input_tokens", "value": 2_000},
            },
        ]}),
    );
    let last_of_each_turn: Vec<Vec<(Option<u64>, u64)>> = [1, 3, 5]
        .map(|index: usize| {
            let edits = &outcome.requests[index].applied_edits;
            edits.iter().map(|edit| (edit.cleared_thinking_turns, edit.cleared_input_tokens)).collect()
        })
        .to_vec();
    assert_eq!(last_of_each_turn, [vec![], vec![(Some(1), 166)], vec![(Some(2), 265)]]);
}

#[test]
fn a_model_that_clears_thinking_by_default_keeps_it_when_asked() {
    let story = Story::new("claude-sonnet-4-5")
        .typed(100)
        .calls(300, &[("a", "read")])
        .results(&[("a", 50)])
        .says(10);
    let mut story = story.typed(20).says(10);
    // Recorded without the first turn's thinking.
    story.weights.contexts[2] -= 300;
    let usage = story.transcript.requests[2].usage.as_mut().expect("usage");
    usage.cache_creation -= 300.min(usage.cache_creation);
    let keep_last = json!({"edits": [{"type": "clear_thinking_20251015"}]});
    let keep_all = json!({"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]});
    let recorded = story.weights.contexts.clone();
    assert_eq!(afters(&under(&story, &keep_last)), recorded, "the default is what happened");
    // The only turn that holds thinking is the last that does: nothing was cleared by default.
    assert_eq!(afters(&under(&story, &keep_all)), recorded);
    let story = story.typed(5).calls(70, &[("b", "read")]).results(&[("b", 50)]).says(1);
    let kept = under(&story, &keep_all);
    let last = kept.requests.last().expect("a request");
    assert_eq!(last.after, last.before + 300);
}

#[test]
fn a_compaction_leaves_the_system_and_a_summary() {
    let mut story = rounds(MODEL, 300, 200);
    story.weights.placeholder = 10;
    let value = json!({"edits": [{"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 50_000}}]});
    let outcome = under(&story, &value);
    // 1,105 + 230 n reaches 50,000 at n = 213.
    assert_eq!(outcome.compactions.len(), 1);
    let compaction = &outcome.compactions[0];
    assert_eq!((compaction.request, compaction.tokens_before), (213, 1_105 + 230 * 213));
    assert_eq!(compaction.summary, (500, 2_500, 8_000));
    let at = &outcome.requests[213];
    assert_eq!(at.after, BASE + 2_500);
    assert_eq!(at.basis, Basis::Estimated { low: BASE + 500, high: BASE + 8_000 });
    assert_eq!(at.cache_break_at, Some(BASE));
    assert_eq!(outcome.requests[214].after, BASE + 2_500 + 230);
    assert_eq!(outcome.requests[214].cache_read, BASE + 2_500);
    assert_eq!(outcome.totals.peak, compaction.tokens_before);
    assert!(compaction.cost_usd.expect("a price") > 0.0);
}

#[test]
fn the_trigger_of_a_compaction_is_reached_not_exceeded() {
    let mut story = rounds(MODEL, 2, 200);
    for (context, compactions) in [(49_999, 0), (50_000, 1), (50_001, 1)] {
        story.weights.contexts[2] = context;
        let value = json!({"edits": [{"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 50_000}}]});
        assert_eq!(under(&story, &value).compactions.len(), compactions, "{context}");
    }
}

#[test]
fn edits_go_one_after_the_other() {
    // Clearing first keeps the context below the compaction's trigger.
    let story = rounds(MODEL, 300, 200);
    let compact = json!({"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 50_000}});
    let clear = clear(10_000, 3)["edits"][0].clone();
    let both = under(&story, &json!({"edits": [clear, compact]}));
    assert!(both.compactions.is_empty());
    let turned = under(&story, &json!({"edits": [compact, clear]}));
    assert_eq!(turned.compactions.len(), 1);
}

#[test]
fn a_compaction_on_demand_waits_for_open_calls_and_paused_turns() {
    let mut story = rounds(MODEL, 4, 200);
    let at = |indices: &[usize]| json!({"compaction": {"type": "summarize"}, "at": indices});
    let outcome = under(&story, &at(&[2]));
    assert_eq!(outcome.compactions.len(), 1);
    assert_eq!(outcome.requests[2].after, BASE + 2_500);
    assert_eq!(outcome.requests[3].after, BASE + 2_500 + 230);
    story.transcript.requests[1].stop_reason = Some("pause_turn".to_owned());
    let outcome = under(&story, &at(&[2]));
    assert_eq!(outcome.compactions[0].request, 3);
    let reached = under(&story, &json!({"compaction": {"type": "summarize"}, "context_reaches": 1_565}));
    assert_eq!(reached.compactions[0].request, 3, "at 2 the turn was paused");
}

#[test]
fn the_tool_runner_throws_the_response_away() {
    // Contexts 1,105 + 230 n and 25 of output: 3,000 is reached at n = 9 (3,175 + 25).
    let story = rounds(MODEL, 20, 200);
    let options = Options { summaries: SummarySizes::learnt(vec![300]), ..Options::default() };
    let value = json!({"compaction_control": {"enabled": true, "context_token_threshold": 3_200}});
    let outcome = simulate(&story.prepared(), &setting(&value), &options);
    let first = &outcome.compactions[0];
    assert_eq!((first.request, first.tokens_before, first.dropped_response), (9, 3_200, Some(9)));
    let crossing = &outcome.requests[9];
    assert_eq!(crossing.after, 3_175);
    assert_eq!(crossing.output, 50, "the response is asked for again");
    assert_eq!(crossing.cache_read + crossing.cache_write + crossing.uncached, 3_175 + BASE + 300);
    assert_eq!(outcome.requests[10].after, BASE + 300 + 230);
    assert_eq!(outcome.stopped, None);
    let sum: u64 = outcome.requests.iter().map(|r| r.cache_read + r.cache_write + r.uncached).sum();
    assert_eq!(sum, outcome.totals.input);
}

#[test]
fn a_threshold_below_system_and_summary_never_ends() {
    let story = rounds(MODEL, 3, 200);
    let value = json!({"compaction_control": {"enabled": true, "context_token_threshold": 1_100}});
    let outcome = under(&story, &value);
    let stopped = outcome.stopped.expect("it does not go on");
    assert_eq!((stopped.last, stopped.reason), (0, StopReason::EndlessCompaction));
    assert_eq!(outcome.requests.len(), story.transcript.requests.len());
    assert_eq!(outcome.requests[1].after, 0);
}

#[test]
fn the_limit_of_calls_and_a_refusal_end_the_run() {
    let mut story = rounds(MODEL, 6, 200);
    let mut value = json!({"compaction_control": {"enabled": true}, "max_iterations": 3});
    let stopped = under(&story, &value).stopped.expect("stopped");
    assert_eq!((stopped.last, stopped.reason), (2, StopReason::MaxIterations));
    story.transcript.requests[1].stop_reason = Some("refusal".to_owned());
    let stopped = under(&story, &value).stopped.expect("stopped");
    assert_eq!((stopped.last, stopped.reason), (1, StopReason::Refusal));
    value = json!({"compactionControl": {"enabled": true}});
    assert_eq!(under(&story, &value).stopped, None);
}

#[test]
fn a_recorded_compaction_ends_a_simulated_one() {
    let mut story = rounds(MODEL, 300, 200);
    story = story.segment_from(Cause::Compacted(Compaction::default()), 0).typed(400).says(10);
    let value = json!({"edits": [{"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 50_000}}]});
    let outcome = under(&story, &value);
    let last = outcome.requests.last().expect("a request");
    assert_eq!(last.after, last.before);
    assert_eq!(last.basis, Basis::Recorded);
}

#[test]
fn a_rewind_behind_a_simulated_compaction_keeps_it() {
    let story = rounds(MODEL, 6, 200);
    let at_2 = json!({"compaction": {"type": "summarize"}, "at": [2]});
    // The five messages that request 2 sent are summarised.
    let later = rounds(MODEL, 6, 200).segment_from(Cause::Rewound, 7).typed(40).says(1);
    let outcome = under(&later, &at_2);
    assert_eq!(outcome.requests.last().expect("one").after, BASE + 2_500 + 230 + 45);
    let earlier = story.segment_from(Cause::Rewound, 3).typed(40).says(1);
    let outcome = under(&earlier, &at_2);
    let last = outcome.requests.last().expect("one");
    assert_eq!(last.after, last.before);
}

#[test]
fn a_cache_that_died_is_written_again() {
    let story = rounds("claude-opus-4-5", 2, 200).minutes(30).typed(10).says(1).unrecorded();
    let options = |life| Options { cache_life: Some(life), ..Options::default() };
    let read = |life| {
        let outcome = simulate(&story.prepared(), &Setting::default(), &options(life));
        outcome.requests.last().expect("one").cache_read
    };
    assert_eq!(read(crate::cache::CacheLife::Minutes5), 0);
    // 1,565 before, but a prefix of less than 4,096 is not cached on this model.
    assert_eq!(read(crate::cache::CacheLife::Hour1), 0);
    let story = rounds("claude-opus-4-8", 2, 200).minutes(30).typed(10).says(1).unrecorded();
    let outcome = simulate(&story.prepared(), &Setting::default(), &options(crate::cache::CacheLife::Hour1));
    assert_eq!(outcome.requests.last().expect("one").cache_read, 1_565);
}

#[test]
fn what_the_server_cleared_when_it_was_recorded_is_added_to_before() {
    let mut story = rounds(MODEL, 2, 200);
    story.transcript.requests[2].applied_edits = Some(vec![retrace_transcript::AppliedEdit {
        edit: "clear_tool_uses_20250919".to_owned(),
        cleared_tool_uses: Some(4),
        cleared_thinking_turns: None,
        cleared_input_tokens: 7_000,
    }]);
    let outcome = under(&story, &json!({}));
    assert_eq!(outcome.requests[2].before, story.weights.contexts[2] + 7_000);
}

#[test]
fn sums_are_those_of_the_requests() {
    let story = rounds(MODEL, 40, 200);
    let prepared = story.prepared();
    let mut scratch = Scratch::default();
    for value in [
        json!({}),
        clear(3_000, 2),
        json!({"compaction_control": {"enabled": true, "context_token_threshold": 5_000}}),
    ] {
        let setting = setting(&value);
        let whole = simulate(&prepared, &setting, &Options::default());
        let totals = simulate_totals(&prepared, &setting, &Options::default(), &mut scratch);
        assert_eq!(whole.totals, totals);
        let sum = |of: fn(&RequestOutcome) -> u64| whole.requests.iter().map(of).sum::<u64>();
        assert_eq!(totals.cache_reads, sum(|request| request.cache_read));
        assert_eq!(totals.cache_writes, sum(|request| request.cache_write));
    }
}

#[test]
fn a_run_without_a_setting_costs_what_was_recorded() {
    let story = rounds(MODEL, 30, 200);
    let recorded: f64 = story
        .transcript
        .requests
        .iter()
        .map(|request| {
            let usage = request.usage.as_ref().expect("usage");
            let billed = crate::prices::Billed {
                uncached: usage.input,
                write_5m: usage.cache_creation,
                write_1h: 0,
                read: usage.cache_read,
                output: usage.output,
                fast: false,
            };
            Prices::builtin().of(MODEL).cost(request.at, &billed).expect("a price")
        })
        .sum();
    let cost = under(&story, &json!({})).totals.cost_usd.expect("a price");
    assert!((cost - recorded).abs() < 1e-12);
    let unknown = rounds("gpt-5", 3, 200);
    assert_eq!(under(&unknown, &json!({})).totals.cost_usd, None);
}

#[test]
fn what_is_freed_of_an_estimate_is_one() {
    let mut story = rounds(MODEL, 6, 200);
    // The first result: message 2, block 0.
    let at = crate::outcome::BlockAt { message: 2, block: 0 };
    story.weights.margins.push(crate::weight::Margin { at, low: 150, high: 260 });
    let outcome = under(&story, &clear(1_700, 1));
    let last = outcome.requests.last().expect("one");
    assert_eq!(last.basis, Basis::Estimated { low: last.after - 60, high: last.after + 50 });
}

#[test]
fn a_compaction_that_failed_takes_nothing_away() {
    let with = |content: Option<String>| {
        let mut story = rounds(MODEL, 6, 200);
        let kind = retrace_transcript::BlockKind::Compaction { content };
        story.transcript.messages[7].blocks.insert(0, retrace_transcript::Block { kind, line: 0 });
        story.weights.messages[7].insert(0, crate::weight::BlockWeight::default());
        under(&story, &clear(1_000, 1)).requests.last().expect("one").cleared_tool_uses
    };
    assert_eq!(with(None), 5);
    assert_eq!(with(Some("so far".to_owned())), 2, "three uses are behind the summary, one of them is kept");
}

/// A story of any shape.
fn any_story() -> impl Strategy<Value = Story> {
    let step = (0..5_u8, 0..400_u64, 0..300_usize, 0..4_usize);
    prop::collection::vec(step, 1..40).prop_map(|steps| {
        let mut story = Story::new(MODEL).typed(50);
        let mut last: Vec<String> = Vec::new();
        for (number, (what, tokens, bytes, tool)) in steps.into_iter().enumerate() {
            let ids: Vec<String> = (0..=tool).map(|call| format!("u{number}_{call}")).collect();
            let names = ["read", "grep", "memory", "bash"];
            let calls: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), names[tool])).collect();
            story = match what {
                0 => story.typed(tokens),
                1 => story.says(tokens),
                2 => story.segment_from(Cause::Rewound, 1),
                _ => {
                    let results: Vec<(&str, usize)> = ids.iter().map(|id| (id.as_str(), bytes)).collect();
                    story.calls(tokens, &calls).results(&results)
                }
            };
            last = ids;
        }
        let results: Vec<(&str, usize)> = last.iter().map(|id| (id.as_str(), 30)).collect();
        story.results(&results).says(5)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_edit_never_makes_a_context_larger(story in any_story(), value in any_setting()) {
        let outcome = under(&story, &value);
        prop_assert_eq!(outcome.requests.len(), story.transcript.requests.len());
        for request in &outcome.requests {
            let summarised = matches!(request.basis, Basis::Estimated { .. });
            prop_assert!(summarised || request.after <= request.before);
            let parts = request.cache_read + request.cache_write + request.uncached;
            prop_assert_eq!(parts, request.after);
            prop_assert!(request.cache_break_at.is_none_or(|at| at <= request.after));
            for cleared in &request.newly_cleared {
                let (Cleared::Result { at, .. } | Cleared::Input { at, .. } | Cleared::Thinking { at, .. }) = cleared;
                let sent = story.transcript.requests[request.index].upto;
                let segment = &story.transcript.segments[story.transcript.requests[request.index].segment];
                prop_assert!(segment.messages[..sent].contains(&at.message));
            }
        }
    }

    #[test]
    fn nothing_changes_nothing_and_the_same_run_gives_the_same(story in any_story(), value in any_setting()) {
        prop_assert_eq!(afters(&under(&story, &json!({}))), story.weights.contexts.clone());
        prop_assert_eq!(under(&story, &value), under(&story, &value));
    }

    /// A cleared block is a placeholder afterwards, which the same edit neither counts nor clears: once more, with a
    /// trigger that is surely met, it finds only uses that the first left, and of those it keeps what the first kept.
    #[test]
    fn twice_is_once(story in any_story(), keep in 0..6_u64, trigger in 0..3_000_u64) {
        let edit = clear(trigger, keep)["edits"][0].clone();
        let once = under(&story, &json!({"edits": [edit.clone()]}));
        let twice = under(&story, &json!({"edits": [edit.clone(), edit]}));
        prop_assert_eq!(afters(&once), afters(&twice));
    }

    #[test]
    fn calls_and_results_stay_in_pairs(story in any_story(), value in any_setting()) {
        // A block is never taken away, and an input is cleared only together with its result.
        let outcome = under(&story, &value);
        let mut results = std::collections::BTreeSet::new();
        for request in &outcome.requests {
            for cleared in &request.newly_cleared {
                if let Cleared::Result { tool_use_id, .. } = cleared {
                    results.insert(tool_use_id.clone());
                }
            }
            for cleared in &request.newly_cleared {
                if let Cleared::Input { tool_use_id, .. } = cleared {
                    prop_assert!(results.contains(tool_use_id));
                }
            }
        }
    }

    #[test]
    fn who_keeps_more_clears_less(story in any_story(), keep in 0..6_u64, trigger in 0..3_000_u64) {
        let less = under(&story, &clear(trigger, keep));
        let more = under(&story, &clear(trigger, keep + 1));
        for (less, more) in less.requests.iter().zip(&more.requests) {
            prop_assert!(less.cleared_tool_uses >= more.cleared_tool_uses);
        }
    }
}
