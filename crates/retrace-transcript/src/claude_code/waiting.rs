//! What a person typed while the agent worked, as `queue-operation` lines tell it.
//!
//! Source: the client, 2.1.330, and public transcripts of 2.1.17 to 2.1.49. `enqueue` brings a text. `dequeue` takes one out that begins a turn
//! of its own, and a line of the person follows. `popAll` puts one back where the person types. `remove` takes one out that the
//! model is given in the middle of a turn. Today's client writes an attachment before it, and says in the line which text it was;
//! older ones write neither.

use super::line::is_client_text;
use memchr::memmem;
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;

/// An operation on the list of what waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation<'a> {
    /// A text came.
    Came(&'a str),
    /// One began a turn of its own, or went back to where the person types; the text where the line has it.
    Left(Option<&'a str>),
    /// The model was given one in the middle of a turn, and the line does not say which.
    Given,
}

impl<'a> Operation<'a> {
    /// The operation of a line by its name and the text that it has. `None` for what is none, and for a text that is nobody's.
    pub(super) fn of(operation: &str, content: Option<&'a str>) -> Option<Self> {
        match (operation, content) {
            ("enqueue", Some(text)) => is_said_by_person(text).then_some(Self::Came(text)),
            ("remove", None) => Some(Self::Given),
            ("dequeue" | "popAll" | "remove", text) => Some(Self::Left(text)),
            _ => None,
        }
    }
}

/// True for a text that waits and that a person typed: neither a notice of a task nor a command to the client.
fn is_said_by_person(text: &str) -> bool {
    let text = text.trim();
    let is_task = || {
        text.starts_with('{')
            && serde_json::from_str::<Value>(text).is_ok_and(|value| value.get("task_id").is_some())
    };
    let is_command = || {
        let name = text.strip_prefix('/').and_then(|rest| rest.split_whitespace().next());
        name.is_some_and(|name| !name.contains('/'))
    };
    !text.is_empty() && !is_client_text(text) && !is_task() && !is_command()
}

/// Texts of the person that wait, the oldest first. Notices of tasks wait behind them.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    texts: Vec<String>,
    /// What the model was given since its last answer.
    given: Vec<String>,
}

impl Waiting {
    /// Puts an operation to what is known; the text that the model is given by it, where nothing else tells it.
    pub(super) fn take(&mut self, operation: &Operation<'_>) -> Option<String> {
        match operation {
            Operation::Came(text) => self.texts.push((*text).to_owned()),
            Operation::Left(text) => {
                let is_it = |waits: &String| text.is_none_or(|text| text == waits);
                let place = self.texts.iter().position(is_it)?;
                self.texts.remove(place);
            }
            Operation::Given if self.texts.is_empty() => {}
            Operation::Given => return Some(self.texts.remove(0)).filter(|text| self.is_news(text)),
        }
        None
    }

    /// Notes that the model is given a text; false where that is known since its last answer.
    pub(super) fn is_news(&mut self, text: &str) -> bool {
        let is_news = !self.given.iter().any(|given| given == text);
        if is_news {
            self.given.push(text.to_owned());
        }
        is_news
    }

    /// The model answered.
    pub(super) fn answered(&mut self) {
        self.given.clear();
    }
}

/// How many texts of a person wait, of a transcript that grows: whether its new lines can be understood by themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    waiting: usize,
    is_given: bool,
}

/// The fields of a line that tell it.
#[derive(Deserialize)]
struct Queued<'a> {
    #[serde(borrow)]
    operation: Cow<'a, str>,
    #[serde(borrow, default)]
    content: Option<Cow<'a, str>>,
}

impl Queue {
    /// What waits behind more lines of Claude Code.
    #[must_use]
    pub fn after(self, lines: &[u8]) -> Self {
        let sign = memmem::Finder::new(br#""type":"queue-operation""#);
        let lines = lines.split(|byte| *byte == b'\n').filter(|line| sign.find(line).is_some());
        let queued = lines.filter_map(|line| serde_json::from_slice::<Queued<'_>>(line).ok());
        queued.fold(Self { is_given: false, ..self }, |now, queued| {
            let (mut waiting, mut is_given) = (now.waiting, now.is_given);
            match Operation::of(&queued.operation, queued.content.as_deref()) {
                Some(Operation::Came(_)) => waiting += 1,
                Some(Operation::Left(Some(text))) if !is_said_by_person(text) => {}
                Some(Operation::Left(_)) => waiting = waiting.saturating_sub(1),
                Some(Operation::Given) => {
                    is_given |= waiting > 0;
                    waiting = waiting.saturating_sub(1);
                }
                None => {}
            }
            Self { waiting, is_given }
        })
    }

    /// True if the model was given one of these texts by the lines that came last, and only the lines before may say which.
    #[must_use]
    pub const fn is_given(self) -> bool {
        self.is_given
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn notices_and_commands_to_the_client_are_nobodys_words() {
        for text in ["push it", "/Users/a/b is wrong", "{ is missing there", "a <task-notification>"] {
            assert!(is_said_by_person(text), "{text}");
        }
        for text in [
            "",
            " ",
            "/model",
            "/plan do it",
            "<task-notification>\n<task-id>b</task-id>",
            r#"{"task_id":"b"}"#,
        ] {
            assert!(!is_said_by_person(text), "{text}");
        }
    }

    #[test]
    fn the_model_is_given_what_waits_in_its_order() {
        let mut waiting = Waiting::default();
        let mut take = |operation, content| {
            Operation::of(operation, content).and_then(|operation| waiting.take(&operation))
        };
        for text in ["one", "two", "three", "four"] {
            assert_eq!(take("enqueue", Some(text)), None);
        }
        assert_eq!(take("popAll", Some("two")), None);
        assert_eq!(take("remove", None).as_deref(), Some("one"));
        assert_eq!(take("dequeue", None), None);
        // A line that says which one has an attachment with it.
        assert_eq!(take("remove", Some("four")), None);
        assert_eq!(take("remove", None), None);
    }

    #[test]
    fn what_an_attachment_told_is_no_news() {
        let mut waiting = Waiting::default();
        waiting.take(&Operation::Came("push it"));
        assert!(waiting.is_news("push it"));
        assert_eq!(waiting.take(&Operation::Given), None);
        waiting.answered();
        waiting.take(&Operation::Came("push it"));
        assert_eq!(waiting.take(&Operation::Given).as_deref(), Some("push it"));
    }

    #[test]
    fn lines_that_do_not_say_what_the_model_was_given_need_those_before_them() {
        let line = |operation: &str, content: Option<&str>| {
            let mut line = json!({"type": "queue-operation", "operation": operation});
            line["content"] = content.map_or(Value::Null, Value::from);
            format!("{line}\n")
        };
        let lines =
            [line("enqueue", Some("push it")), line("enqueue", Some("<task-notification>x"))].concat();
        let came = Queue::default().after(lines.as_bytes());
        assert!(!came.is_given());
        assert!(came.after(line("remove", None).as_bytes()).is_given());
        assert!(!came.after(line("remove", Some("push it")).as_bytes()).is_given());
        let left = came.after(line("dequeue", None).as_bytes());
        assert!(!left.after(line("remove", None).as_bytes()).is_given());
    }
}
