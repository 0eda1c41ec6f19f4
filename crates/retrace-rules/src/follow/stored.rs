//! A session whose messages are stored one by one, and written anew while they grow: each line is a message with its id, the first
//! line is the session.

use super::{Changed, Following, NotFollowed};
use crate::deeds::{Deed, Deeds, What, deeds};
use retrace_origin::of_reading;
use retrace_transcript::{Format, Reading};
use serde::Deserialize;
use std::collections::HashMap;

/// What is known of the messages.
#[derive(Debug, Default)]
pub(super) struct Stored {
    /// The line of the session.
    session: Vec<u8>,
    /// Lines of messages, by id.
    lines: HashMap<String, u32>,
    /// Requests that each line answers, from the first line.
    requests: Vec<usize>,
}

#[derive(Deserialize)]
struct Line {
    info: Info,
}

#[derive(Deserialize)]
struct Info {
    id: String,
}

fn id_of(line: &[u8]) -> Option<String> {
    serde_json::from_slice::<Line>(line).ok().map(|line| line.info.id)
}

impl Following {
    /// A session of a database that was read whole: the session, then its messages, one a line.
    #[must_use]
    pub fn of_messages(bytes: &[u8]) -> Self {
        let (reading, deeds) = read(bytes);
        let mut stored = Stored::default();
        for (number, line) in (1_u32..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
            match number {
                1 => stored.session = line.to_vec(),
                _ => drop(id_of(line).map(|id| stored.lines.insert(id, number))),
            }
            stored.requests.push(0);
        }
        for line in answering(&reading) {
            if let Some(count) = stored.requests.get_mut(line.saturating_sub(1)) {
                *count += 1;
            }
        }
        Self {
            format: Some(Format::Opencode),
            lines: super::count_lines(bytes),
            deeds,
            stored: Some(stored),
            ..Self::default()
        }
    }

    /// Takes in messages, one a line: those that are known stay where they stand, the others come behind.
    pub(super) fn take_messages(&mut self, messages: &[u8]) -> Result<Changed, NotFollowed> {
        let Some(stored) = &mut self.stored else { return Err(NotFollowed) };
        let lines = messages.split_inclusive(|byte| *byte == b'\n');
        let named: Option<Vec<(String, &[u8])>> = lines.map(|line| Some((id_of(line)?, line))).collect();
        let mut changed = Changed::Nothing;
        for (id, line) in named.ok_or(NotFollowed)? {
            let (reading, new) = read(&[&stored.session, line].concat());
            let next = u32::try_from(stored.requests.len() + 1).unwrap_or(u32::MAX);
            let number = *stored.lines.entry(id).or_insert(next);
            let place = number as usize - 1;
            if number == next {
                stored.requests.push(0);
                self.lines = number;
            }
            let first: usize = stored.requests[..place].iter().sum();
            let count = answering(&reading).count();
            let before = std::mem::replace(&mut stored.requests[place], count);
            changed = changed.max(self.deeds.put(number, first, new.all));
            self.deeds.shift(number, before, count);
        }
        Ok(changed)
    }
}

fn read(bytes: &[u8]) -> (Reading, Deeds) {
    let reading = retrace_transcript::read_as(Format::Opencode, bytes);
    let deeds = deeds(&reading, &of_reading(&reading, bytes, |_| true));
    (reading, deeds)
}

/// For each request that was answered the line of the answer.
fn answering(reading: &Reading) -> impl Iterator<Item = usize> {
    let of_transcript = reading.transcripts.iter();
    of_transcript.flat_map(|transcript| {
        let answers = transcript.requests.iter().filter_map(|request| request.response);
        answers.map(|response| transcript.messages[response].line as usize)
    })
}

impl Deeds {
    /// Puts the deeds of a line in place of those it had. `first` is the number of its first request.
    fn put(&mut self, number: u32, first: usize, mut new: Vec<Deed>) -> Changed {
        for deed in &mut new {
            deed.line = number;
            deed.request = deed.request.map(|request| request + first);
            deed.turn = deed.request.map(|request| request as u64 + 1);
        }
        let from = self.all.partition_point(|deed| deed.line < number);
        let to = self.all.partition_point(|deed| deed.line <= number);
        let changed = compared(&self.all[from..to], &new, to == self.all.len());
        self.all.splice(from..to, new);
        changed
    }

    /// Numbers the requests behind a line anew, which has `count` by now.
    fn shift(&mut self, number: u32, before: usize, count: usize) {
        if before == count {
            return;
        }
        let from = self.all.partition_point(|deed| deed.line <= number);
        for deed in &mut self.all[from..] {
            deed.request = deed.request.map(|request| (request + count).saturating_sub(before));
            deed.turn = deed.request.map(|request| request as u64 + 1);
        }
    }
}

/// What became of the deeds of a line. Where they are the last of all, those that come behind them change nothing.
fn compared(old: &[Deed], new: &[Deed], are_last: bool) -> Changed {
    if new.len() < old.len() || (new.len() > old.len() && !are_last) {
        return Changed::Order;
    }
    let mut changed = Changed::Nothing;
    for (at, (old_deed, new_deed)) in old.iter().zip(new).enumerate() {
        if old_deed == new_deed {
            continue;
        }
        let is_last = are_last && at + 1 == old.len();
        changed = changed.max(match (&old_deed.what, &new_deed.what) {
            (one, other) if one == other && old_deed.refused != new_deed.refused => Changed::Refused,
            (one, other) if one == other => Changed::Answers,
            (What::Edit { path, .. }, What::Edit { path: other, .. }) if path == other => Changed::Answers,
            // What the model says grows; nothing was judged by it that came later.
            (What::Told(_), What::Told(_)) if is_last => Changed::Nothing,
            _ => Changed::Order,
        });
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge;
    use crate::rule::Rule;
    use serde_json::{Value, json};

    fn session() -> Value {
        json!({"info": {"id": "ses_1", "directory": "/w", "time": {"created": 1}}})
    }

    fn user(number: u32, text: &str) -> Value {
        json!({"info": {"id": format!("msg_{number}"), "role": "user", "time": {"created": number}},
            "parts": [{"type": "text", "text": text, "id": format!("prt_{number}")}]})
    }

    fn tool(call: &str, tool: &str, status: &str, input: &Value) -> Value {
        json!({"type": "tool", "callID": call, "tool": tool, "state": {"status": status, "input": input, "output": "x", "time": {}}})
    }

    fn answer(number: u32, parts: &[Value]) -> Value {
        json!({"info": {"id": format!("msg_{number}"), "role": "assistant", "modelID": "m", "time": {"created": number},
            "tokens": {"input": 5, "output": 5}}, "parts": parts})
    }

    fn text(text: &str) -> Value {
        json!({"type": "text", "text": text})
    }

    fn bytes(lines: &[Value]) -> Vec<u8> {
        lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
    }

    /// A session as it goes on: after each step what a whole reading of it says.
    fn steps() -> Vec<Vec<Value>> {
        let shell = |call: &str, status: &str, command: &str| {
            tool(call, "bash", status, &json!({"command": command}))
        };
        let pending = tool("c1", "bash", "pending", &json!({}));
        let write =
            |status: &str| tool("w1", "write", status, &json!({"filePath": "/w/a.md", "content": "a\n"}));
        vec![
            vec![user(1, "Set it up.")],
            vec![user(1, "Set it up."), answer(2, &[])],
            vec![user(1, "Set it up."), answer(2, &[text("")])],
            vec![user(1, "Set it up."), answer(2, &[text("I do"), pending.clone()])],
            vec![
                user(1, "Set it up."),
                answer(2, &[text("I do"), pending, shell("c2", "running", "npm test")]),
            ],
            vec![
                user(1, "Set it up."),
                answer(
                    2,
                    &[text("I do"), shell("c1", "running", "npm ci"), shell("c2", "running", "npm test")],
                ),
            ],
            vec![
                user(1, "Set it up."),
                answer(
                    2,
                    &[text("I do"), shell("c1", "error", "npm ci"), shell("c2", "completed", "npm test")],
                ),
                answer(3, &[write("running")]),
            ],
            vec![
                user(1, "Set it up."),
                answer(
                    2,
                    &[text("I do"), shell("c1", "error", "npm ci"), shell("c2", "completed", "npm test")],
                ),
                answer(3, &[write("error")]),
                user(4, "Go on."),
                answer(5, &[shell("c3", "running", "git push")]),
            ],
        ]
    }

    #[test]
    fn what_is_taken_in_message_by_message_is_what_a_whole_reading_has() {
        let steps = steps();
        for first in 0..steps.len() {
            let whole = |step: &Vec<Value>| bytes(&[&[session()][..], step].concat());
            let mut following = Following::of_messages(&whole(&steps[first]));
            for pair in steps[first..].windows(2) {
                let other: Vec<Value> =
                    pair[1].iter().filter(|line| !pair[0].contains(line)).cloned().collect();
                following.take(&bytes(&other)).expect("it is followed");
                let expected = Following::of_messages(&whole(&pair[1]));
                assert_eq!(following.deeds(), expected.deeds());
                assert_eq!(following.lines(), expected.lines());
            }
        }
    }

    #[test]
    fn what_comes_behind_changes_nothing_and_what_comes_between_is_told() {
        let mut following = Following::of_messages(&bytes(&[session()]));
        let mut told = Vec::new();
        let steps = steps();
        for (at, step) in steps.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| steps[before].clone()).unwrap_or_default();
            let other: Vec<Value> = step.iter().filter(|line| !before.contains(line)).cloned().collect();
            told.push(following.take(&bytes(&other)).expect("it is followed"));
        }
        use Changed::{Answers, Nothing, Order};
        assert_eq!(told, [Nothing, Nothing, Nothing, Nothing, Nothing, Order, Answers, Answers]);
        let rule = json!({"kind": "command_never", "program": "npm", "sentence": "No npm."});
        let rule = Rule::from_json(&rule).expect("a rule");
        let found = judge(&rule.pattern, following.deeds());
        let calls: Vec<&str> = found.iter().map(|verdict| verdict.what.as_str()).collect();
        assert_eq!(calls, ["npm ci", "npm test"]);
    }

    #[test]
    fn a_line_without_an_id_is_not_taken_in() {
        let mut following = Following::of_messages(&bytes(&[session(), user(1, "Hi.")]));
        let before = following.deeds().clone();
        let lines = [bytes(&[user(2, "More.")]), b"{\"parts\": []}\n".to_vec()].concat();
        assert_eq!(following.take(&lines), Err(NotFollowed));
        assert_eq!(*following.deeds(), before);
    }
}
