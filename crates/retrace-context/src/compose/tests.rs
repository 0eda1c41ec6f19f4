use super::*;
use crate::weigh::story::{Story, calls, result, thinks, used, words};
use crate::weight::{FileClass, FileSource};
use retrace_transcript::{AttachedFile, BlockKind, Cause, Origin, Role};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;

fn reported() -> Story {
    let mut story = Story::new("claude-opus-4-8");
    story
        .types("go")
        .answers(Some(used(100, 5)), vec![calls("t0", "Read", json!({"file_path": "/a"}))])
        .results(&[("t0", "0123456789")])
        .answers(Some(used(130, 4)), vec![words("done")]);
    story
}

#[test]
fn the_classes_add_up_to_the_recorded_context() {
    let story = reported();
    let weights = story.weights();
    let classes = compose(&story.transcript, &weights);
    assert_eq!(classes[0].text, 2 + 6);
    assert_eq!(classes[0].not_recorded, 92);
    // The name and 33 around the call; file_path, /a and their line feeds; 13 for the parameter.
    assert_eq!(classes[1].tool_inputs, 4 + 33 + 13 + 13);
    assert_eq!(classes[1].tool_results, 10 + 12);
    assert_eq!(classes[1].sum(), 130);
    assert_eq!(classes[1].not_recorded, 130 - 8 - 63 - 22);
}

#[test]
fn what_is_counted_too_high_is_brought_down_to_what_was_recorded() {
    let mut story = Story::new("");
    story
        .types(&"x".repeat(494))
        .answers(None, vec![calls("t0", "Read", json!({"file_path": "/a"}))])
        .results(&[("t0", &"y".repeat(1_000)), ("t1", "no call")])
        .answers(Some(used(100, 5)), vec![]);
    let weights = story.weights();
    let classes = compose(&story.transcript, &weights)[1];
    let counted = i64::try_from(weights.weighed[1]).expect("small");
    assert_eq!((classes.sum(), classes.not_recorded, classes.over_counted), (100, 0, counted - 100));
    assert!(classes.text > 20 && classes.tool_results > 40 && classes.tool_inputs > 0);
    let detail = compose_request(&story.transcript, &weights, 1, 9).expect("a request");
    assert_eq!(
        detail.tool_results.iter().map(|named| named.tokens).sum::<u64>() as i64,
        classes.tool_results
    );
    assert!(detail.largest.iter().all(|block| block.tokens <= 100));
}

#[test]
fn results_the_client_dropped_weigh_what_stands_for_them() {
    let mut story = reported();
    let messages = story.transcript.segments[0].messages.clone();
    story.begins_again(messages, Cause::Microcompacted { tokens_before: None, tokens_saved: None });
    story.transcript.segments[1].dropped_results = Arc::new(BTreeSet::from(["t0".to_owned()]));
    story.answers(None, vec![]);
    let mut weights = story.weights();
    weights.dropped_result = 3;
    let classes = compose(&story.transcript, &weights);
    assert_eq!(classes[2].tool_results, 3 + 12);
    let detail = compose_request(&story.transcript, &weights, 2, 1).expect("a request");
    assert_eq!(detail.tool_results[0].tokens, 15);
}

#[test]
fn older_models_see_the_thinking_of_the_last_turn_alone() {
    for (model, seen) in [("claude-opus-4-1-20250805", 15), ("claude-opus-4-8", 30)] {
        let mut story = Story::new(model);
        story.types("a").answers(Some(used(50, 15)), vec![thinks("xxxxx")]);
        story.types("b").answers(Some(used(80, 15)), vec![thinks("yyyyy")]);
        story.says(Role::User, Origin::ToolResults, vec![result("t0", "")]).answers(None, vec![]);
        assert_eq!(compose(&story.transcript, &story.weights())[2].thinking, seen, "{model}");
    }
}

#[test]
fn before_a_compaction_by_the_server_nothing_counts() {
    let mut story = Story::new("claude-opus-4-8");
    story
        .types("a long question")
        .answers(None, vec![BlockKind::Compaction { content: Some("sum".into()) }, words("ok")]);
    story.types("b").answers(None, vec![]);
    let classes = compose(&story.transcript, &story.weights());
    assert_eq!(classes[1].text, 3 + 2 + 1 + 6);
}

#[test]
fn files_are_priced_by_the_requests_that_carried_them() {
    let mut story = Story::new("claude-opus-4-8");
    let memory = |content: &str| BlockKind::Attachment {
        attachment: "nested_memory".into(),
        files: vec![AttachedFile {
            path: "/p/memory/a.md".into(),
            content: content.into(),
            ..AttachedFile::default()
        }],
        text: String::new(),
        rendered: None,
    };
    story.types("a").answers(None, vec![]);
    story.says(Role::User, Origin::Client, vec![memory("0123456789")]);
    story.answers(None, vec![]).answers(None, vec![]);
    story.says(Role::User, Origin::Client, vec![memory("")]).answers(None, vec![]);
    let weights = story.weights();
    let heading = "Contents of /p/memory/a.md:\n\n".len() as u64;
    let uses = file_uses(&story.transcript, &weights, &|request| Some(request as f64));
    assert_eq!(uses.len(), 1);
    assert_eq!((uses[0].requests, uses[0].tokens), (3, heading));
    assert_eq!(uses[0].carried_tokens, (10 + heading) * 3 + heading);
    // Requests 1, 2 and 3 carried the first, request 3 the second as well.
    assert_eq!(uses[0].cost_usd, Some((10 + heading) as f64 * 6.0 + heading as f64 * 3.0));
    assert_eq!((uses[0].class, uses[0].source), (FileClass::Memory, FileSource::Attached));
    let without = file_uses(&story.transcript, &weights, &|request| (request != 3).then_some(1.0));
    assert_eq!(without[0].cost_usd, None);
    let classes = compose(&story.transcript, &weights);
    assert_eq!(classes[3].memory, (10 + heading * 2) as i64);
}

#[test]
fn a_request_in_detail_names_its_largest_blocks() {
    let story = reported();
    let weights = story.weights();
    let detail = compose_request(&story.transcript, &weights, 1, 2).expect("a request");
    assert_eq!(detail.context, 130);
    assert_eq!(detail.largest[0].label, "Read /a");
    assert_eq!(detail.largest[0].tokens, 63);
    assert_eq!(detail.largest[1].since_request, 1);
    assert_eq!(detail.classes, compose(&story.transcript, &weights)[1]);
    assert!(compose_request(&story.transcript, &weights, 9, 2).is_none());
}
