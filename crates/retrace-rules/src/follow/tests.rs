#![allow(clippy::needless_pass_by_value, reason = "a test reads better with the values in place")]
use super::*;
use crate::{Course, Judging, Outcome, Pattern, Rule, Sequence};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Rules of every kind that a running session can break.
fn patterns() -> Vec<Pattern> {
    let rules = [
        json!({"kind": "command_never", "program": "npm"}),
        json!({"kind": "command_form", "program": "git", "arguments": ["commit"], "form": "!Co-Authored-By"}),
        json!({"kind": "order", "before": "cargo test", "after": "git commit"}),
        json!({"kind": "path_never", "paths": ["generated"]}),
        json!({"kind": "text_form", "paths": ["generated"], "text": "x", "form": "y"}),
        json!({"kind": "ask_first", "program": "gh", "arguments": ["pr", "merge"]}),
    ];
    let pattern = |mut rule: Value| {
        rule["sentence"] = "a rule".into();
        Rule::from_json(&rule).expect("a rule").pattern
    };
    rules.map(pattern).into()
}

/// A break, by all that tells it from another.
type Break = (usize, usize, u32, Option<u64>, Option<usize>, String);

fn broken(rule: usize, deeds: &Deeds, verdicts: Vec<crate::Verdict>) -> Vec<Break> {
    let broken = verdicts.into_iter().filter(|verdict| verdict.outcome == Outcome::Broken);
    let view = |verdict: crate::Verdict| {
        let deed = &deeds.all[verdict.deed];
        (rule, deed.conversation, deed.line, deed.turn, deed.request, verdict.what)
    };
    broken.map(view).collect()
}

fn of_whole(text: &str) -> Vec<Break> {
    let reading = retrace_transcript::read_as(Format::ClaudeCode, text.as_bytes());
    let deeds = deeds(&reading, &of_reading(&reading, text.as_bytes(), |_| true));
    let patterns = patterns();
    let all = patterns.iter().enumerate();
    let mut found: Vec<Break> =
        all.flat_map(|(rule, pattern)| broken(rule, &deeds, Judging::of(pattern).judge(&deeds))).collect();
    found.sort();
    found
}

/// Feeds the text in pieces, as a file that grows, and judges what is new.
fn in_pieces(text: &str, cuts: &[usize]) -> Vec<Break> {
    let patterns = patterns();
    let judgings: Vec<Judging<'_>> = patterns.iter().map(Judging::of).collect();
    let mut following = Following::default();
    let mut courses: Vec<Course> = vec![Course::default(); judgings.len()];
    let mut found: Vec<Vec<Break>> = vec![Vec::new(); judgings.len()];
    let mut orders: Vec<Vec<(usize, usize)>> = vec![Vec::new(); judgings.len()];
    let mut done = 0;
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut % (text.len() + 1)).collect();
    ends.push(text.len());
    ends.sort_unstable();
    for end in ends {
        let bytes = &text.as_bytes()[..end];
        let Some(whole) = bytes.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1) else { continue };
        if whole <= done {
            continue;
        }
        let changed = following.take(&bytes[done..whole]).unwrap_or_else(|NotFollowed| {
            following = Following::of(&bytes[..whole]);
            Changed::Order
        });
        done = whole;
        for (rule, judging) in judgings.iter().enumerate() {
            let again = match changed {
                Changed::Nothing => false,
                Changed::Answers => judging.asks_for_answers(),
                Changed::Refused | Changed::Order => true,
            };
            let sequence = match judging.is_of_session() {
                true => Sequence::of_session(vec![following.deeds()], true),
                false => Sequence::of(following.deeds()),
            };
            if again || !sequence.order().starts_with(&orders[rule]) {
                courses[rule] = Course::default();
                found[rule].clear();
            }
            let mut new = judging.go_on(&sequence, &mut courses[rule]);
            new.iter_mut().for_each(|verdict| verdict.deed = sequence.order()[verdict.deed].1);
            orders[rule] = sequence.order().to_vec();
            found[rule].extend(broken(rule, following.deeds(), new));
        }
    }
    let mut found: Vec<Break> = found.into_iter().flatten().collect();
    found.sort();
    found
}

/// One step of a made-up session.
#[derive(Clone, Debug)]
enum Step {
    Says(usize),
    Tells(usize),
    /// A call, as a line of its own; the second says whether it goes on with the response before.
    Calls(usize, bool),
    /// The answer to the oldest call without one, or to the newest.
    Answers {
        newest: bool,
        failed: bool,
    },
    Asks,
    Repeats,
    /// Something typed while the agent works.
    Waits(usize),
    /// What waits longest is given to the model, or begins a turn.
    Leaves(bool),
}

const SAID: [&str; 4] = ["Go on", "Use npm this time", "Yes, merge the pr with gh", "commit without test"];
const TOLD: [&str; 2] = ["Done.", "Shall I merge it?"];
const COMMANDS: [&str; 8] = [
    "npm ci",
    "cargo test",
    "git commit -m x",
    "git commit -m 'x' -m 'Co-Authored-By: A'",
    "gh pr merge 3",
    "echo x > generated/a.rs",
    "cargo test && git commit -m y",
    "true",
];

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (0..SAID.len()).prop_map(Step::Says),
        2 => (0..TOLD.len()).prop_map(Step::Tells),
        6 => (0..COMMANDS.len() + 2, any::<bool>()).prop_map(|(what, more)| Step::Calls(what, more)),
        5 => (any::<bool>(), any::<bool>()).prop_map(|(newest, failed)| Step::Answers { newest, failed }),
        1 => Just(Step::Asks),
        1 => Just(Step::Repeats),
        1 => (0..SAID.len()).prop_map(Step::Waits),
        1 => any::<bool>().prop_map(Step::Leaves),
    ]
}

/// A session in which a subagent may do some of the steps.
#[derive(Default)]
struct Session {
    lines: Vec<String>,
    open: [Vec<String>; 2],
    responses: usize,
    last: [Option<String>; 2],
}

impl Session {
    fn line(&mut self, agent: usize, kind: &str, message: Value) {
        let number = self.lines.len();
        let mut line = json!({
            "type": kind, "uuid": format!("u{number}"), "cwd": "/w", "sessionId": "s", "version": "2.1.200",
            "timestamp": format!("2026-11-20T09:{:02}:{:02}.000Z", number / 60 % 60, number % 60),
            "parentUuid": null, "isSidechain": agent > 0, "message": message,
        });
        if number > 0 {
            line["parentUuid"] = format!("u{}", number - 1).into();
        }
        if agent > 0 {
            line["agentId"] = "a1".into();
        }
        self.lines.push(line.to_string());
    }

    fn answers(&mut self, agent: usize, content: Value, more: bool) {
        let id = match self.last[agent].clone().filter(|_| more) {
            Some(id) => id,
            None => {
                self.responses += 1;
                format!("msg_{}", self.responses)
            }
        };
        self.last[agent] = Some(id.clone());
        let message = json!({"id": id, "role": "assistant", "model": "claude-opus-5", "content": [content]});
        self.line(agent, "assistant", message);
    }

    fn step(&mut self, agent: usize, step: &Step) {
        let calls = self.lines.len();
        match step {
            Step::Says(text) => {
                self.line(agent, "user", json!({"role": "user", "content": SAID[*text]}));
            }
            Step::Tells(text) => self.answers(agent, json!({"type": "text", "text": TOLD[*text]}), false),
            Step::Calls(what, more) => {
                let id = format!("toolu_{calls}");
                let (name, input) = match COMMANDS.get(*what) {
                    Some(command) => ("Bash", json!({"command": command})),
                    None if *what == COMMANDS.len() => {
                        ("Write", json!({"file_path": "/w/generated/b.rs", "content": "x\n"}))
                    }
                    None => {
                        ("Edit", json!({"file_path": "/w/src/a.rs", "old_string": "a", "new_string": "b"}))
                    }
                };
                self.answers(
                    agent,
                    json!({"type": "tool_use", "id": id, "name": name, "input": input}),
                    *more,
                );
                self.open[agent].push(id);
            }
            Step::Asks => {
                let id = format!("toolu_{calls}");
                let input = json!({"questions": []});
                let call = json!({"type": "tool_use", "id": id, "name": "AskUserQuestion", "input": input});
                self.answers(agent, call, false);
                self.open[agent].push(id);
            }
            Step::Answers { newest, failed } => {
                let open = &mut self.open[agent];
                if open.is_empty() {
                    return;
                }
                let id = if *newest { open.pop().unwrap_or_default() } else { open.remove(0) };
                let content =
                    json!([{"type": "tool_result", "tool_use_id": id, "is_error": failed, "content": "yes"}]);
                self.line(agent, "user", json!({"role": "user", "content": content}));
                // What was written turns out to be less than the call said.
                if let Some(line) = self.lines.last_mut().filter(|_| *newest) {
                    let result =
                        r#""toolUseResult":{"type":"update","originalFile":"x\n","content":"x\nz\n"},"#;
                    line.insert_str(1, result);
                }
            }
            Step::Waits(text) => {
                self.lines.push(
                    json!({"type": "queue-operation", "operation": "enqueue", "content": SAID[*text]})
                        .to_string(),
                );
            }
            Step::Leaves(given) => {
                let operation = if *given { "remove" } else { "dequeue" };
                self.lines.push(json!({"type": "queue-operation", "operation": operation}).to_string());
            }
            Step::Repeats => {
                if let Some(line) = self.lines.get(calls / 2).cloned() {
                    self.lines.push(line);
                }
            }
        }
    }

    fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

fn session(steps: &[(bool, Step)], main_first: bool) -> String {
    let mut session = Session::default();
    if main_first {
        session.step(0, &Step::Says(0));
    }
    for (agent, step) in steps {
        session.step(usize::from(*agent), step);
    }
    session.text()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn a_session_in_pieces_breaks_what_the_whole_breaks(
        steps in proptest::collection::vec((proptest::bool::weighted(0.2), step()), 1..40),
        main_first in proptest::bool::weighted(0.9),
        cuts in proptest::collection::vec(0..20_000_usize, 0..30),
    ) {
        let text = session(&steps, main_first);
        prop_assert_eq!(in_pieces(&text, &cuts), of_whole(&text));
    }
}

#[test]
fn a_late_block_of_a_response_stands_where_its_response_does() {
    let steps = [
        (false, Step::Calls(2, false)),
        (false, Step::Says(1)),
        (false, Step::Calls(0, true)),
        (false, Step::Calls(0, false)),
    ];
    let text = session(&steps, true);
    let cuts: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    let found = in_pieces(&text, &cuts);
    assert_eq!(found, of_whole(&text));
    // The first npm stands before the words that allow it.
    assert_eq!(found.iter().filter(|(rule, ..)| *rule == 0).count(), 1, "{found:?}");
}

#[test]
fn lines_that_do_not_say_whose_they_are_are_not_followed() {
    let text = session(&[(false, Step::Calls(0, false))], true);
    let mut following = Following::of(text.as_bytes());
    let line = json!({"type": "user", "uuid": "x", "isSidechain": true, "message": {"role": "user", "content": "a"}});
    assert_eq!(following.take(format!("{line}\n").as_bytes()), Err(NotFollowed));
    assert_eq!(Following::of(b"no transcript\n").take(text.as_bytes()), Err(NotFollowed));
}

#[test]
fn what_waited_is_asked_for_once_the_model_was_given_it() {
    let ask = json!({"kind": "ask_first", "program": "git", "arguments": ["push"], "sentence": "a rule"});
    let ask = Rule::from_json(&ask).expect("a rule").pattern;
    let push = |session: &mut Session, id: &str| {
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "git push"}});
        session.answers(0, call, false);
        let content = json!([{"type": "tool_result", "tool_use_id": id, "content": "ok"}]);
        session.line(0, "user", json!({"role": "user", "content": content}));
    };
    let queue = |session: &mut Session, line: Value| session.lines.push(line.to_string());
    let came = |text: &str| json!({"type": "queue-operation", "operation": "enqueue", "content": text});
    let left = |operation: &str| json!({"type": "queue-operation", "operation": operation});
    let judged = |operation: &str, text: &str| {
        let mut session = Session::default();
        session.line(0, "user", json!({"role": "user", "content": "Fix it."}));
        queue(&mut session, came(text));
        // The model does not know yet.
        push(&mut session, "toolu_1");
        queue(&mut session, left(operation));
        push(&mut session, "toolu_2");
        let text = session.text();
        let mut grown = Following::default();
        for line in text.split_inclusive('\n') {
            let end = line.as_ptr() as usize - text.as_ptr() as usize + line.len();
            if grown.take(line.as_bytes()).is_err() {
                grown = Following::of(&text.as_bytes()[..end]);
            }
        }
        let outcomes = |deeds: &Deeds| -> Vec<Outcome> {
            Judging::of(&ask).judge(deeds).into_iter().map(|verdict| verdict.outcome).collect()
        };
        let whole = outcomes(Following::of(text.as_bytes()).deeds());
        assert_eq!(outcomes(grown.deeds()), whole, "{operation} {text}");
        whole
    };
    use Outcome::{Broken, Excepted};
    assert_eq!(judged("remove", "ok push it up"), [Broken, Excepted]);
    assert_eq!(judged("remove", "don't push"), [Broken, Broken]);
    // What was taken back, or comes as a line of its own.
    assert_eq!(judged("popAll", "ok push it up"), [Broken, Broken]);
    assert_eq!(judged("dequeue", "ok push it up"), [Broken, Broken]);
}
