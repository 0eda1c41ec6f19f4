//! Messages and their arguments.

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
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, TS)]
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

/// An argument of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(untagged)]
pub enum Argument {
    /// A number. Every language writes it alike.
    Number(i64),
    /// A name, a path, an id, a time: words that no language changes.
    Text(String),
    /// Another message, which is translated by itself.
    Message(Message),
    /// Several, which a language joins.
    List(Vec<Argument>),
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

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::Message(message) => message.fmt(f),
            Self::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        f.write_str(", ")?;
                    }
                    item.fmt(f)?;
                }
                Ok(())
            }
        }
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

impl PartialEq<&str> for Message {
    fn eq(&self, text: &&str) -> bool {
        self.text == *text
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        Self::verbatim(text)
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self::verbatim(text)
    }
}

impl From<Message> for String {
    fn from(message: Message) -> Self {
        message.text
    }
}

impl From<Message> for Argument {
    fn from(message: Message) -> Self {
        // Words without a translation are a text: a client has nothing to look up.
        if message.id == VERBATIM { Self::Text(message.text) } else { Self::Message(message) }
    }
}

impl From<&Message> for Argument {
    fn from(message: &Message) -> Self {
        message.clone().into()
    }
}

impl From<String> for Argument {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&String> for Argument {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<&str> for Argument {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&&str> for Argument {
    fn from(text: &&str) -> Self {
        Self::Text((*text).to_owned())
    }
}

impl From<Cow<'_, str>> for Argument {
    fn from(text: Cow<'_, str>) -> Self {
        Self::Text(text.into_owned())
    }
}

impl From<char> for Argument {
    fn from(letter: char) -> Self {
        Self::Text(letter.to_string())
    }
}

impl<T: Into<Argument>> From<Vec<T>> for Argument {
    fn from(items: Vec<T>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

macro_rules! numbers {
    ($($number:ty),+) => {
        $(impl From<$number> for Argument {
            fn from(number: $number) -> Self {
                // A number that JSON cannot hold exactly everywhere is written as text.
                i64::try_from(number).map_or_else(|_| Self::Text(number.to_string()), Self::Number)
            }
        })+
    };
}
numbers!(u16, u32, u64, usize, i32, i64);

impl From<u8> for Argument {
    fn from(number: u8) -> Self {
        Self::Number(number.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::as_text;

    crate::messages! {
        /// Messages of these tests.
        pub(crate) MESSAGES in "test";
        no_such(what, path) => "\"{path}\": there is no such {what}.",
        store() => "store",
        left_out(count, names) => "{count} left out: {names}.",
    }

    #[test]
    fn the_text_is_filled_with_the_arguments() {
        let message = no_such(store(), "a {path}.md");
        assert_eq!(message, "\"a {path}.md\": there is no such store.");
        assert_eq!(left_out(2_usize, vec!["a", "b"]), "2 left out: a, b.");
        assert!(crate::problems(MESSAGES).is_empty());
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
