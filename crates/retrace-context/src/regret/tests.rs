use super::*;
use crate::weigh::story::{Story, calls, words};
use proptest::prelude::*;
use retrace_transcript::{Cause, Origin, Role};
use serde_json::json;

const PASSAGE: &str = "the recorder lists every directory again before anything else is believed about it";

/// A run in which these results were cleared at these requests.
fn cleared(transcript: &Transcript, clearings: &[(&str, usize)]) -> Clearings {
    let place = |id: &str| {
        transcript.messages.iter().enumerate().find_map(|(message, reported)| {
            let block = reported.blocks.iter().position(|block| {
                matches!(&block.kind, retrace_transcript::BlockKind::ToolResult { tool_use_id, .. } if tool_use_id == id)
            })?;
            Some(BlockAt { message, block })
        })
    };
    let mut found = Clearings::default();
    for &(id, request) in clearings {
        found.add(place(id).expect("a result"), request, 7);
    }
    found
}

fn found(story: &Story, clearings: &[(&str, usize)]) -> Vec<(String, usize, &'static str)> {
    let index = RegretIndex::new(&story.transcript);
    let clearings = cleared(&story.transcript, clearings);
    let regrets = index.regrets(&clearings);
    assert_eq!(index.count(&clearings), regrets.len() as u64);
    regrets.into_iter().map(|regret| (regret.tool_use_id, regret.needed_at, regret.rule.name())).collect()
}

fn read(id: &str, path: &str) -> retrace_transcript::BlockKind {
    calls(id, "Read", json!({"file_path": path}))
}

/// Request 0 reads a file, request 1 does `then`, request 2 ends.
fn after_a_read(result: &str, then: Vec<retrace_transcript::BlockKind>) -> Story {
    let mut story = Story::new("");
    story.types("go").answers(None, vec![read("t0", "/a")]).results(&[("t0", result)]);
    story.answers(None, then).answers(None, vec![words("end")]);
    story
}

#[test]
fn a_file_read_again_is_regretted_once_and_only_after_it_was_cleared() {
    let mut story = after_a_read("text", vec![read("t1", "/a")]);
    story.results(&[("t1", "text")]).answers(None, vec![read("t2", "/a")]);
    assert_eq!(found(&story, &[("t0", 1)]), [("t0".into(), 1, "read_again")]);
    // Cleared after it was read again: the later reading stands in for it.
    assert_eq!(found(&story, &[("t0", 2)]), []);
    assert_eq!(found(&story, &[("t0", 2), ("t1", 3)]), [("t1".into(), 3, "read_again")]);
    let index = RegretIndex::new(&story.transcript);
    assert_eq!(index.regrets(&cleared(&story.transcript, &[("t0", 1)]))[0].evidence, "Read /a");
    assert_eq!(index.needed_results(), 2);
}

#[test]
fn a_file_that_the_run_edited_itself_is_read_for_another_reason() {
    let edit = calls("t1", "Edit", json!({"file_path": "/a", "old_string": "nowhere", "new_string": "y"}));
    let mut story = after_a_read("text", vec![edit]);
    story.results(&[("t1", "ok")]).answers(None, vec![read("t2", "/a")]);
    assert_eq!(found(&story, &[("t0", 1)]), []);
}

#[test]
fn other_lines_of_a_file_are_another_reading() {
    let other = calls("t1", "Read", json!({"file_path": "/a", "offset": 2001, "limit": 10}));
    assert_eq!(found(&after_a_read("text", vec![other]), &[("t0", 1)]), []);
    let same = calls("t1", "Read", json!({"file_path": "/a", "offset": 1999, "limit": 10}));
    assert_eq!(found(&after_a_read("text", vec![same]), &[("t0", 1)]), [("t0".into(), 1, "read_again")]);
}

#[test]
fn a_command_run_again_is_regretted_where_it_says_the_same_again() {
    for (again, edited, expected) in [("on main", false, 1), ("on other", false, 0), ("on main", true, 0)] {
        let run = |id: &str, remark: &str| {
            calls(id, "Bash", json!({"command": "git status", "description": remark}))
        };
        let mut story = Story::new("");
        story.types("go").answers(None, vec![run("t0", "x")]).results(&[("t0", "on main\n")]);
        if edited {
            story.answers(None, vec![calls("t1", "Write", json!({"file_path": "/b", "content": "c"}))]);
            story.results(&[("t1", "ok")]);
        }
        story.answers(None, vec![run("t2", "y")]).results(&[("t2", again)]);
        assert_eq!(found(&story, &[("t0", 1)]).len(), expected, "{again} {edited}");
    }
}

#[test]
fn a_passage_is_quoted_where_it_stood_in_the_result_alone() {
    let quote = vec![words(&format!("As it says, {PASSAGE}."))];
    let numbered =
        format!("    1→# Notes\n    2→{}\n", PASSAGE.replacen("directory", "directory\n    3→", 1));
    let story = after_a_read(&numbered, quote.clone());
    assert_eq!(found(&story, &[("t0", 1)]), [("t0".into(), 1, "quoted")]);

    // A person said it too: it is still there.
    let mut stated = Story::new("");
    stated.types(PASSAGE).answers(None, vec![read("t0", "/a")]).results(&[("t0", PASSAGE)]);
    stated.answers(None, quote);
    assert_eq!(found(&stated, &[("t0", 1)]), []);
    assert_eq!(found(&after_a_read("short words", vec![words("short words")]), &[("t0", 1)]), []);
}

#[test]
fn a_quote_that_an_older_result_serves_is_regretted_when_both_are_gone() {
    let mut story = Story::new("");
    story.types("go").answers(None, vec![read("t0", "/a")]).results(&[("t0", PASSAGE)]);
    story.answers(None, vec![read("t1", "/b")]).results(&[("t1", PASSAGE)]);
    story.answers(None, vec![words(PASSAGE)]);
    assert_eq!(found(&story, &[("t1", 2)]), []);
    assert_eq!(found(&story, &[("t0", 1), ("t1", 2)]), [("t1".into(), 2, "quoted")]);
}

#[test]
fn an_edit_needs_the_text_it_replaces() {
    let edit = |old: &str| {
        vec![calls("t1", "Edit", json!({"file_path": "/a", "old_string": old, "new_string": "y"}))]
    };
    let story = after_a_read("     1→let x = 1;\n     2→let y = 2;\n", edit("let x = 1;\nlet y"));
    assert_eq!(found(&story, &[("t0", 1)]), [("t0".into(), 1, "edited_against")]);
    assert_eq!(found(&after_a_read("let x = 1;", edit("let z")), &[("t0", 1)]), []);
}

#[test]
fn what_a_compaction_took_is_not_missed() {
    let mut story = after_a_read(PASSAGE, vec![words("fine")]);
    story.begins_again(Vec::new(), Cause::Compacted(Default::default()));
    story.says(Role::User, Origin::Summary, vec![words("so far")]);
    story.answers(None, vec![words(PASSAGE), read("t5", "/a")]);
    assert_eq!(found(&story, &[("t0", 1)]), []);
}

#[test]
fn a_rewound_branch_needs_what_it_still_sees() {
    let mut story = after_a_read("text", vec![words("a wrong turn")]);
    let kept = story.transcript.segments[0].messages[..3].to_vec();
    story.begins_again(kept, Cause::Rewound);
    story.types("again").answers(None, vec![read("t5", "/a")]);
    assert_eq!(found(&story, &[("t0", 1)]), [("t0".into(), 3, "read_again")]);
}

proptest! {
    #[test]
    fn a_result_is_regretted_at_most_once_and_never_before_its_clearing(
        turns in proptest::collection::vec((0..4_usize, 0..3_usize), 1..30),
        clearings in proptest::collection::vec((0..30_usize, 0..30_usize), 0..30),
    ) {
        let mut story = Story::new("");
        story.types("go");
        for (turn, (what, which)) in turns.iter().enumerate() {
            let id = format!("t{turn}");
            let call = match what {
                0 => read(&id, ["/a", "/b", "/c"][*which]),
                1 => calls(&id, "Bash", json!({"command": (["ls", "ps", "id"][*which])})),
                2 => calls(&id, "Edit", json!({"file_path": "/a", "old_string": "recorder", "new_string": "x"})),
                _ => calls(&id, "Grep", json!({"pattern": PASSAGE})),
            };
            story.answers(None, vec![call]).results(&[(&id, ["short", PASSAGE, "the recorder"][*which])]);
        }
        story.answers(None, vec![words(PASSAGE)]);
        let ids: Vec<String> = (0..turns.len()).map(|turn| format!("t{turn}")).collect();
        let mut clearings: Vec<(&str, usize)> = clearings
            .iter()
            .filter(|(turn, _)| *turn < turns.len())
            .map(|(turn, request)| (ids[*turn].as_str(), *request))
            .collect();
        clearings.sort_by_key(|clearing| clearing.1);
        let clearings = cleared(&story.transcript, &clearings);
        let regrets = RegretIndex::new(&story.transcript).regrets(&clearings);
        let mut places: Vec<BlockAt> = regrets.iter().map(|regret| regret.at).collect();
        places.sort_unstable();
        places.dedup();
        prop_assert_eq!(places.len(), regrets.len());
        for regret in &regrets {
            prop_assert!(regret.needed_at >= regret.cleared_at && !regret.evidence.is_empty());
        }
    }
}
