//! Declared messages, and the check of a list of them.

use std::collections::BTreeSet;

/// A message as it was declared with [`messages!`](crate::messages).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Key of the translations: `prefix.name`.
    pub id: &'static str,
    /// The English text; `{name}` stands for an argument, `{{` and `}}` for braces.
    pub english: &'static str,
    /// Names of the arguments, in the order of the function.
    pub arguments: &'static [&'static str],
    /// True if its text is saved, in the log or in a file of the data directory, and read back with
    /// [`Message::of_saved`](crate::Message::of_saved).
    pub saved: bool,
}

impl Declaration {
    /// Names that the English text has places for, in the order of the text.
    #[must_use]
    pub fn places(&self) -> Vec<&'static str> {
        pieces(self.english)
            .into_iter()
            .filter_map(|piece| if let Piece::Place(name) = piece { Some(name) } else { None })
            .collect()
    }
}

/// Every message that the program declares, by id.
#[must_use]
pub fn declarations() -> Vec<&'static Declaration> {
    let mut all: Vec<&Declaration> = crate::private::DECLARATIONS.iter().collect();
    all.sort_by_key(|declaration| declaration.id);
    all
}

/// Texts between quotation marks of a source that look as ids of messages do: lower case, with one dot. For tests of modules that
/// know messages by their ids.
#[must_use]
pub fn ids_in(source: &str) -> Vec<&str> {
    let is_word = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'_' | b'0'..=b'9'))
    };
    let is_id =
        |text: &&str| text.split_once('.').is_some_and(|(module, name)| is_word(module) && is_word(name));
    source.split('"').skip(1).step_by(2).filter(is_id).collect()
}

/// Faults of a list of declarations: an id that is used twice, an argument without a place, a place without an argument.
#[must_use]
pub fn problems<'a>(declarations: impl IntoIterator<Item = &'a Declaration>) -> Vec<String> {
    let mut ids = BTreeSet::new();
    let mut problems = Vec::new();
    for declaration in declarations {
        if !ids.insert(declaration.id) {
            problems.push(format!("{} is declared twice", declaration.id));
        }
        let places: BTreeSet<&str> = declaration.places().into_iter().collect();
        let arguments: BTreeSet<&str> = declaration.arguments.iter().copied().collect();
        if places != arguments {
            problems.push(format!("{} has places {places:?} and arguments {arguments:?}", declaration.id));
        }
    }
    problems
}

/// A part of an English text.
pub(crate) enum Piece {
    /// Words.
    Text(&'static str),
    /// Place of the argument of this name.
    Place(&'static str),
}

/// Takes an English text apart. A brace that opens no place stands for itself.
pub(crate) fn pieces(english: &'static str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = english;
    while let Some(at) = rest.find(['{', '}']) {
        pieces.push(Piece::Text(&rest[..at]));
        let after = &rest[at + 1..];
        let brace = &rest[at..=at];
        let name = after.find('}').map(|end| &after[..end]).filter(|name| is_name(name));
        if after.starts_with(brace) {
            pieces.push(Piece::Text(brace));
            rest = &after[1..];
        } else if let Some(name) = name.filter(|_| brace == "{") {
            pieces.push(Piece::Place(name));
            rest = &after[name.len() + 1..];
        } else {
            pieces.push(Piece::Text(brace));
            rest = after;
        }
    }
    pieces.push(Piece::Text(rest));
    pieces
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_declarations_are_named() {
        let declared = |id, english, arguments| Declaration { id, english, arguments, saved: false };
        let list = [
            declared("a.one", "{path}: {what} and {path}", &["path", "what"]),
            declared("a.one", "twice", &[]),
            declared("a.missing", "{path}", &[]),
            declared("a.unused", "nothing {{path}}", &["path"]),
        ];
        assert_eq!(
            problems(&list),
            [
                "a.one is declared twice",
                "a.missing has places {\"path\"} and arguments {}",
                "a.unused has places {} and arguments {\"path\"}"
            ]
        );
    }
}
