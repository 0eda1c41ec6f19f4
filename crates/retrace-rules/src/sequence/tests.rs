use super::*;
use crate::shell::calls;
use crate::{Judging, Outcome, Rule, What};
use serde_json::{Value, json};

fn deed(seconds: i64, what: What) -> Deed {
    Deed {
        conversation: 0,
        request: None,
        turn: None,
        line: u32::try_from(seconds).expect("a line"),
        at: Some(Timestamp::from_micros(seconds * 1_000_000)),
        tool_use_id: Some(format!("call {seconds}")),
        failed: false,
        in_doubt: false,
        answer: None,
        copied: false,
        refused: false,
        what,
    }
}

/// What was done: a command, or a file with a slash before it, or words with a quotation mark.
fn did(all: &[(i64, &str)]) -> Deeds {
    let what = |text: &str| match text.split_at(1) {
        ("/", _) => What::Edit {
            path: text.to_owned(),
            written: None,
            by: None,
            with_all_below: false,
            perhaps: false,
        },
        (">", said) => What::Said(said.to_owned()),
        ("<", told) => What::Told(told.to_owned()),
        _ => What::Command { text: text.to_owned(), calls: calls(text) },
    };
    let all = all.iter().map(|(seconds, text)| deed(*seconds, what(text))).collect();
    Deeds { directory: Some("/w".to_owned()), all }
}

/// The verdicts about a session: whether each is about the main conversation, with what became of it.
fn judged(rule: &Value, main: &[(i64, &str)], subagents: &[&[(i64, &str)]]) -> Vec<(bool, Outcome)> {
    let mut rule = rule.clone();
    rule["sentence"] = "a rule".into();
    let rule = Rule::from_json(&rule).expect("a rule");
    let all: Vec<Deeds> = std::iter::once(did(main)).chain(subagents.iter().map(|all| did(all))).collect();
    let session = Sequence::of_session(all.iter().collect(), true);
    let verdicts = Judging::of(&rule.pattern).judge_all(&session);
    verdicts.into_iter().map(|verdict| (session.order()[verdict.deed].0 == 0, verdict.outcome)).collect()
}

type Acts<'a> = &'a [(i64, &'a str)];
/// A rule, what the session and its subagent did, and what became of each opportunity.
type Case<'a> = (&'a Value, Acts<'a>, Acts<'a>, &'a [(bool, Outcome)]);

#[test]
fn what_a_subagent_did_stands_where_it_was_done() {
    let push = json!({"kind": "at_end", "program": "git", "arguments": ["push"]});
    let lint = json!({"kind": "order", "before": "npm run lint", "after": "git commit"});
    let ask = json!({"kind": "ask_first", "program": "gh", "arguments": ["pr", "merge"]});
    use Outcome::{Broken, Excepted, Followed};
    let begun = (1, ">Work.");
    let cases: [Case<'_>; 12] = [
        (&push, &[begun, (9, "git push"), (10, "<Done.")], &[(5, "/w/a")], &[(true, Followed)]),
        (&push, &[begun, (2, "/w/a"), (10, "<Done.")], &[(5, "git push")], &[(true, Followed)]),
        (&push, &[begun, (2, "/w/a"), (3, "git push"), (10, "<Done.")], &[(5, "/w/b")], &[(true, Broken)]),
        (&push, &[begun, (2, ">Do not push."), (10, "<Done.")], &[(5, "/w/b")], &[(true, Excepted)]),
        (&push, &[begun, (10, "<Done.")], &[(12, "/w/b")], &[(true, Broken)]),
        (&lint, &[begun, (2, "npm run lint"), (9, "git commit")], &[(5, "/w/a")], &[(true, Broken)]),
        (&lint, &[begun, (2, "/w/a"), (9, "git commit")], &[(5, "npm run lint")], &[(true, Followed)]),
        (&lint, &[begun, (2, "/w/a"), (3, "npm run lint")], &[(5, "git commit")], &[(false, Followed)]),
        (&ask, &[begun, (2, "<Shall I merge?"), (3, ">Yes")], &[(5, "gh pr merge 5")], &[(false, Followed)]),
        // What its agent told it is no word of the person.
        (&ask, &[begun], &[(4, ">Merge the pr with gh."), (5, "gh pr merge 5")], &[(false, Broken)]),
        (&ask, &[(1, ">Merge the pr with gh.")], &[(4, ">Go."), (5, "gh pr merge 5")], &[(false, Excepted)]),
        (&ask, &[begun, (9, "gh pr merge 5")], &[(4, ">Go."), (5, "<Shall I merge?")], &[(true, Broken)]),
    ];
    for (rule, main, subagent, expected) in cases {
        assert_eq!(judged(rule, main, &[subagent]), expected, "{rule} {main:?} {subagent:?}");
    }
}

#[test]
fn several_subagents_are_one_sequence_and_a_rule_about_single_calls_is_none_of_it() {
    let lint = json!({"kind": "order", "before": "npm run lint", "after": "git commit"});
    let (one, other): (&[_], &[_]) = (&[(4, "npm run lint"), (8, "git commit")], &[(6, "/w/a")]);
    assert_eq!(judged(&lint, &[(1, ">Work.")], &[one, other]), [(false, Outcome::Broken)]);
    let never = json!({"kind": "command_never", "program": "npm", "sentence": "x"});
    let never = Rule::from_json(&never).expect("a rule");
    assert!(!Judging::of(&never.pattern).is_of_session());
}

#[test]
fn a_conversation_keeps_its_order_whatever_its_clock_says_and_a_command_its_files() {
    let main = did(&[(5, "npm ci"), (3, "/w/a"), (7, "npm test")]);
    let mut subagent = did(&[(5, "cp a b"), (6, "true")]);
    let at = subagent.all[0].at;
    let file = What::Edit {
        path: "/w/b".to_owned(),
        written: None,
        by: Some((0, 1)),
        with_all_below: false,
        perhaps: false,
    };
    subagent.all.insert(1, Deed { at, what: file, ..subagent.all[0].clone() });
    let session = Sequence::of_session(vec![&main, &subagent], true);
    assert_eq!(session.order(), [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (0, 2)]);
    assert_eq!(session.last(), Some(5));
    assert!(session.is_of_one_call(2, 3) && !session.is_of_one_call(0, 2));
    // Where nothing tells the time, the session's own comes first.
    let mut without = main.clone();
    without.all.iter_mut().for_each(|deed| deed.at = None);
    let session = Sequence::of_session(vec![&without, &without], true);
    assert_eq!(session.order()[..3], [(0, 0), (0, 1), (0, 2)]);
}
