//! Messages.

use crate::argument::Argument;
use crate::declaration::{Piece, pieces};
use crate::plain;
use serde::{Deserialize, Serialize, Serializer, ser::SerializeStruct};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use ts_rs::TS;

/// Id of a message that has no translation: words of a person, of a library or of the operating system.
pub const VERBATIM: &str = "verbatim";

/// A sentence for people: id, arguments and English text.
///
/// It serialises as an object of these three. Within [`as_text`](crate::as_text) it serialises as its text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, TS)]
#[serde(from = "Form")]
pub struct Message {
    /// Key of the translations; [`VERBATIM`] where there is none.
    #[ts(type = "string")]
    id: Cow<'static, str>,
    /// Arguments by name.
    #[ts(type = "Record<string, Argument>")]
    args: BTreeMap<Cow<'static, str>, Argument>,
    /// The English text.
    text: String,
}

/// What is read: a client may send either form.
#[derive(Deserialize)]
#[serde(untagged)]
enum Form {
    Whole { id: String, args: BTreeMap<String, Argument>, text: String },
    Text(String),
}

impl From<Form> for Message {
    fn from(form: Form) -> Self {
        match form {
            Form::Whole { id, args, text } => Self {
                id: Cow::Owned(id),
                args: args.into_iter().map(|(name, argument)| (Cow::Owned(name), argument)).collect(),
                text,
            },
            Form::Text(text) => Self::verbatim(text),
        }
    }
}

impl Message {
    /// A message of [`messages!`](crate::messages), which calls this.
    #[doc(hidden)]
    #[must_use]
    pub fn declared(
        id: &'static str,
        english: &'static str,
        arguments: Vec<(&'static str, Argument)>,
    ) -> Self {
        let args: BTreeMap<Cow<'static, str>, Argument> =
            arguments.into_iter().map(|(name, argument)| (Cow::Borrowed(name), argument)).collect();
        let mut text = String::new();
        for piece in pieces(english) {
            match piece {
                Piece::Text(words) => text.push_str(words),
                // A declaration without the argument is found by the test of its list; its place stays empty.
                Piece::Place(name) => {
                    if let Some(argument) = args.get(name) {
                        text.push_str(&argument.to_string());
                    }
                }
            }
        }
        Self { id: Cow::Borrowed(id), args, text }
    }

    /// Words that are not translated: of a person, of a library, of the operating system.
    #[must_use]
    pub fn verbatim(text: impl Into<String>) -> Self {
        Self { id: Cow::Borrowed(VERBATIM), args: BTreeMap::new(), text: text.into() }
    }

    /// A message that was saved as its text, known again by the messages that are declared as `saved`; words of a person
    /// are themselves.
    #[must_use]
    pub fn of_saved(text: &str) -> Self {
        crate::saved::read(text).unwrap_or_else(|| Self::verbatim(text))
    }

    /// Where a saved text is the program's own wording, in bytes: the rest of it came from somebody.
    #[must_use]
    pub fn own_words_of_saved(text: &str) -> Vec<std::ops::Range<usize>> {
        crate::saved::own_words(text)
    }

    /// True if some bytes stand in the wording of a message that may be saved.
    #[must_use]
    pub fn is_own_wording(bytes: &[u8]) -> bool {
        crate::saved::is_wording(bytes)
    }

    /// A declared message with arguments that were read from its text.
    pub(crate) fn read(id: &'static str, args: BTreeMap<Cow<'static, str>, Argument>, text: &str) -> Self {
        Self { id: Cow::Borrowed(id), args, text: text.to_owned() }
    }

    /// Two sentences, one after the other; one alone where the other is empty.
    #[must_use]
    pub fn then(self, second: impl Into<Self>) -> Self {
        let second = second.into();
        if self.text.is_empty() || second.text.is_empty() {
            return if self.text.is_empty() { second } else { self };
        }
        crate::say::joined(self, second)
    }

    /// What is said of a subject.
    #[must_use]
    pub fn of(self, subject: impl Into<Argument>) -> Self {
        crate::say::about(subject, self)
    }

    /// The same as a sentence: upper case first, full stop last. A text that begins with anything but a plain word, such as
    /// a quoted name or the path of a field, keeps its case: a name in another case is another name.
    #[must_use]
    pub fn sentence(mut self) -> Self {
        let first = self.text.split_whitespace().next().unwrap_or_default();
        let plain = self.text.starts_with(first)
            && first.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'\'');
        if plain && let Some(letter) = self.text.get_mut(..1) {
            letter.make_ascii_uppercase();
        }
        if !self.text.ends_with(['.', '!', '?']) {
            self.text.push('.');
        }
        self
    }

    /// Key of the translations.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The argument of this name.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&Argument> {
        self.args.get(name)
    }

    /// The arguments that are words, those of messages within included.
    #[must_use]
    pub fn words(&self) -> Vec<&str> {
        self.args.values().flat_map(Argument::words).collect()
    }

    /// The English text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The English text alone.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }
}

/// For the operating system's errors, which may hold an error of ours.
impl std::error::Error for Message {}

/// A message reads as its English text, which is what a terminal prints.
impl Deref for Message {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl Default for Message {
    fn default() -> Self {
        Self::verbatim("")
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if plain::is_as_text() {
            return serializer.serialize_str(&self.text);
        }
        let mut whole = serializer.serialize_struct("Message", 3)?;
        whole.serialize_field("id", &self.id)?;
        whole.serialize_field("args", &self.args)?;
        whole.serialize_field("text", &self.text)?;
        whole.end()
    }
}

impl PartialEq<str> for Message {
    fn eq(&self, text: &str) -> bool {
        self.text == text
    }
}

impl PartialEq<String> for Message {
    fn eq(&self, text: &String) -> bool {
        self.text == *text
    }
}

impl PartialEq<&str> for Message {
    fn eq(&self, text: &&str) -> bool {
        self.text == *text
    }
}

impl From<Message> for String {
    fn from(message: Message) -> Self {
        message.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::as_text;
    use say::{left_out, no_such, store};

    crate::messages! {
        /// Messages of these tests.
        mod say in "test";
        no_such(what, path) => "\"{path}\": there is no such {what}.",
        store() => "store",
        left_out(count, names) => "{count} left out: {names}.",
    }

    #[test]
    fn the_text_is_filled_with_the_arguments() {
        let message = no_such(store(), "a {path}.md");
        assert_eq!(message, "\"a {path}.md\": there is no such store.");
        assert_eq!(left_out(2_usize, vec!["a", "b"]), "2 left out: a, b.");
    }

    #[test]
    fn a_message_is_read_as_it_was_written() {
        for message in
            [no_such(store(), "a"), left_out(2_u64, vec!["a", "b"]), Message::verbatim("own words")]
        {
            let json = serde_json::to_string(&message).expect("JSON");
            assert_eq!(serde_json::from_str::<Message>(&json).expect("a message"), message, "{json}");
        }
        let json = serde_json::to_value(no_such(store(), "a")).expect("JSON");
        assert_eq!(json["id"], "test.no_such");
        assert_eq!(json["args"]["path"], "a");
        assert_eq!(json["args"]["what"]["id"], "test.store");
    }

    #[test]
    fn a_message_is_its_text_where_that_is_asked_for() {
        let json = || serde_json::to_string(&store()).expect("JSON");
        assert_eq!(as_text(json), "\"store\"");
        assert_eq!(as_text(|| as_text(json) + &json()), "\"store\"\"store\"");
        assert!(json().starts_with('{'));
        let read: Message = serde_json::from_str("\"store\"").expect("a message");
        assert_eq!((read.id(), read.text()), (VERBATIM, "store"));
    }
}
