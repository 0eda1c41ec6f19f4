//! Arguments of messages.

use crate::figure::Figure;
use crate::message::{Message, VERBATIM};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use ts_rs::TS;

/// An argument of a message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(untagged)]
pub enum Argument {
    /// A number. Every language writes it alike.
    Number(i64),
    /// A name, a path, an id, a time: words that no language changes.
    Text(String),
    /// An amount of money, tokens or things, which each language writes in its own way.
    Figure(Figure),
    /// Another message, which is translated by itself.
    Message(Message),
    /// Several, which a language joins.
    List(Vec<Argument>),
}

impl Argument {
    /// What of it is words.
    pub(crate) fn words(&self) -> Vec<&str> {
        match self {
            Self::Text(text) => vec![text],
            Self::Message(message) => message.words(),
            Self::List(items) => items.iter().flat_map(Self::words).collect(),
            Self::Number(_) | Self::Figure(_) => Vec::new(),
        }
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::Figure(figure) => figure.fmt(f),
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

impl From<Message> for Argument {
    fn from(message: Message) -> Self {
        // Words without a translation are a text: a client has nothing to look up.
        if message.id() == VERBATIM { Self::Text(message.into_text()) } else { Self::Message(message) }
    }
}

impl From<Figure> for Argument {
    fn from(figure: Figure) -> Self {
        Self::Figure(figure)
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

impl From<std::path::Display<'_>> for Argument {
    fn from(path: std::path::Display<'_>) -> Self {
        Self::Text(path.to_string())
    }
}

impl From<bool> for Argument {
    fn from(value: bool) -> Self {
        Self::Text(value.to_string())
    }
}

impl From<f64> for Argument {
    fn from(number: f64) -> Self {
        Self::Text(number.to_string())
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

impl From<&usize> for Argument {
    fn from(number: &usize) -> Self {
        (*number).into()
    }
}

impl From<&&String> for Argument {
    fn from(text: &&String) -> Self {
        Self::Text((*text).clone())
    }
}

impl From<u8> for Argument {
    fn from(number: u8) -> Self {
        Self::Number(number.into())
    }
}
