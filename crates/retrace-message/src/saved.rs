//! Messages that were saved as their English text.
//!
//! A log keeps texts: notes of operations, receipts, problems of stores. Older programs wrote them, and a hash chain covers
//! some. They are read back with the declarations that are marked as `saved`, and no others.

use crate::declaration::{Declaration, Piece, declarations, pieces};
use crate::{Argument, Message, say};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

/// A text that begins with so many letters of a declaration is one of it, whatever follows.
const BEGINNING: usize = 8;
/// Letters that a declaration with places needs, so that it is no accident that a text has them.
const LETTERS: usize = 9;
/// The same of one that begins with a place.
const LETTERS_AFTER: usize = 12;
/// Messages within messages that are read; a text of a person may be of any form.
const DEPTH: u8 = 8;
/// Bytes of the longest text that is read; a longer one is a person's.
const LENGTH: usize = 8192;

/// A declaration, taken apart.
struct Form {
    id: &'static str,
    /// Texts before, between and after the places.
    texts: Vec<String>,
    /// Names of the places.
    places: Vec<&'static str>,
}

impl Form {
    fn of(declaration: &Declaration) -> Self {
        let mut form = Self { id: declaration.id, texts: vec![String::new()], places: Vec::new() };
        for piece in pieces(declaration.english) {
            match piece {
                Piece::Text(words) => form.texts.last_mut().into_iter().for_each(|last| last.push_str(words)),
                Piece::Place(name) => {
                    form.places.push(name);
                    form.texts.push(String::new());
                }
            }
        }
        form
    }

    /// True if a text is hardly this by accident.
    fn is_sure(&self) -> bool {
        let letters = self.own().filter(char::is_ascii_alphabetic).count();
        let begins_with_a_place = self.texts.first().is_some_and(String::is_empty);
        // Where one place follows another, nothing tells where the first ends.
        let apart = self.texts.iter().skip(1).rev().skip(1).all(|text| !text.is_empty());
        apart
            && (self.places.is_empty()
                || letters >= if begins_with_a_place { LETTERS_AFTER } else { LETTERS })
    }

    fn own(&self) -> impl Iterator<Item = char> {
        self.texts.iter().flat_map(|text| text.chars())
    }

    /// What stands in the places of a text that this declaration makes. It may begin with another case, and end with a full
    /// stop of its own.
    fn values<'t>(&self, text: &'t str) -> Option<Vec<&'t str>> {
        let (first, rest) = self.texts.split_first()?;
        let mut left = without_beginning(text, first)?;
        let Some((last, between)) = rest.split_last() else {
            return matches!(left, "" | ".").then(Vec::new);
        };
        let mut values = Vec::with_capacity(self.places.len());
        let mut before = first;
        for piece in between {
            let at = found(left, piece, begins_empty(before))?;
            values.push(&left[..at]);
            left = &left[at + piece.len()..];
            before = piece;
        }
        // A full stop behind a message that has none of its own ends the sentence.
        let own_stop = last.ends_with(['.', '!', '?']);
        let stopped = left.strip_suffix('.').filter(|_| !own_stop);
        let value = stopped
            .and_then(|left| left.strip_suffix(last.as_str()))
            .or_else(|| left.strip_suffix(last.as_str()))?;
        if value.is_empty() && !begins_empty(before) {
            return None;
        }
        values.push(value);
        Some(values)
    }
}

/// True if a place behind this text may be empty: it holds what some texts say in addition.
fn begins_empty(before: &str) -> bool {
    before.ends_with(|letter: char| letter.is_alphanumeric() || letter == ')')
}

/// The first place of `piece`, not at the very beginning unless what is before it may be empty.
fn found(text: &str, piece: &str, may_be_empty: bool) -> Option<usize> {
    let least = if may_be_empty { 0 } else { text.chars().next()?.len_utf8() };
    text[least..].find(piece).map(|at| at + least)
}

/// What follows `beginning`, whose first letter may be of the other case.
fn without_beginning<'t>(text: &'t str, beginning: &str) -> Option<&'t str> {
    text.strip_prefix(beginning).or_else(|| {
        let first = beginning.chars().next().filter(char::is_ascii_alphabetic)?;
        let rest = text.strip_prefix(|letter: char| letter.eq_ignore_ascii_case(&first))?;
        rest.strip_prefix(&beginning[1..])
    })
}

/// The declarations that are saved. Where two fit, the first is meant: what a text begins with tells more than what follows,
/// which may be another message, and more words tell more than fewer.
fn forms() -> &'static [Form] {
    static FORMS: OnceLock<Vec<Form>> = OnceLock::new();
    FORMS.get_or_init(|| {
        let saved = declarations().into_iter().filter(|declaration| declaration.saved);
        let mut forms: Vec<Form> = saved.map(Form::of).filter(Form::is_sure).collect();
        forms.sort_by_key(|form| {
            let beginning = form.texts.first().map_or(0, |first| first.chars().count());
            (beginning < BEGINNING, Reverse(form.own().count()))
        });
        forms
    })
}

/// The message of a saved text; none if it is nothing that the program says.
pub(crate) fn read(text: &str) -> Option<Message> {
    (text.len() <= LENGTH).then(|| read_within(text, DEPTH)).flatten()
}

/// True if some bytes stand in the wording of a message that may be saved.
pub(crate) fn is_wording(bytes: &[u8]) -> bool {
    let holds = |text: &String| text.as_bytes().windows(bytes.len().max(1)).any(|part| part == bytes);
    forms().iter().any(|form| form.texts.iter().any(holds))
}

/// Where a saved text is the program's own wording, and nothing that stands in a place of it.
pub(crate) fn own_words(text: &str) -> Vec<Range<usize>> {
    let mut own = Vec::new();
    if text.len() <= LENGTH {
        own_within(text, 0, DEPTH, &mut own);
    }
    own
}

/// `from`: where the text begins in the whole one.
fn own_within(text: &str, from: usize, depth: u8, own: &mut Vec<Range<usize>>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    if let Some((_, values)) = forms().iter().find_map(|form| Some((form, form.values(text)?))) {
        let mut at = 0;
        for value in values {
            // A value is a part of the text.
            let start = value.as_ptr().addr() - text.as_ptr().addr();
            own.push(from + at..from + start);
            if value.contains(' ') {
                own_within(value, from + start, depth, own);
            }
            at = start + value.len();
        }
        own.push(from + at..from + text.len());
    } else if let Some(at) = between_sentences(text).filter(|_| several(text, depth).is_some()) {
        own_within(&text[..at], from, depth, own);
        own_within(&text[at + 1..], from + at + 1, depth, own);
    } else if let Some(at) =
        text.match_indices(": ").map(|(at, _)| at).find(|at| whole(&text[at + 2..], depth).is_some())
    {
        own_within(&text[at + 2..], from + at + 2, depth, own);
    }
}

fn read_within(text: &str, depth: u8) -> Option<Message> {
    let depth = depth.checked_sub(1)?;
    whole(text, depth).or_else(|| several(text, depth)).or_else(|| about(text, depth))
}

/// One message.
fn whole(text: &str, depth: u8) -> Option<Message> {
    let (form, values) = forms().iter().find_map(|form| Some((form, form.values(text)?)))?;
    let args: BTreeMap<Cow<'static, str>, Argument> = form
        .places
        .iter()
        .zip(values)
        .map(|(name, value)| (Cow::Borrowed(*name), argument(value, depth)))
        .collect();
    Some(Message::read(form.id, args, text))
}

/// What stands in a place: a number, another message, names of which only some are shown, or a text of somebody.
fn argument(text: &str, depth: u8) -> Argument {
    if let Some(number) = text.parse::<i64>().ok().filter(|number| number.to_string() == text) {
        return Argument::Number(number);
    }
    if !text.contains(' ') {
        return Argument::Text(text.to_owned());
    }
    let more = text.strip_suffix(" more").and_then(|rest| rest.rsplit_once(" and "));
    if let Some((shown, count)) = more
        && let Ok(count) = count.parse::<i64>()
    {
        return say::and_more(shown, count).into();
    }
    read_within(text, depth).map_or_else(|| Argument::Text(text.to_owned()), Argument::Message)
}

/// Sentences one after the other, of which at least one is known.
fn several(text: &str, depth: u8) -> Option<Message> {
    let at = between_sentences(text)?;
    let (first, rest) = (&text[..at], &text[at + 1..]);
    let (one, other) = (read_within(first, depth), read_within(rest, depth));
    if one.is_none() && other.is_none() {
        return None;
    }
    let or_verbatim = |read: Option<Message>, text: &str| read.unwrap_or_else(|| Message::verbatim(text));
    Some(say::joined(or_verbatim(one, first), or_verbatim(other, rest)))
}

/// The space behind the first sentence of several.
fn between_sentences(text: &str) -> Option<usize> {
    text.match_indices(' ').map(|(at, _)| at).find(|at| {
        text[..*at].ends_with(['.', '!', '?'])
            && text[at + 1..].starts_with(|next: char| {
                next.is_ascii_uppercase() || next.is_ascii_digit() || "`\"".contains(next)
            })
    })
}

/// A subject, a colon and what is said of it.
fn about(text: &str, depth: u8) -> Option<Message> {
    text.match_indices(": ").find_map(|(at, _)| {
        let what = whole(&text[at + 2..], depth)?;
        Some(say::about(&text[..at], what))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VERBATIM;

    crate::messages! {
        /// Messages of these tests.
        saved mod note in "saved_test";
        done() => "It was all done.",
        rolled_back(operation) => "roll back operation {operation}",
        pulled(from, how) => "Pulled from {from} with all{how}.",
        refused(cause) => "The host refused it: {cause}.",
        too_long(bytes) => "it is longer than {bytes} bytes",
    }

    crate::messages! {
        /// Messages that are not saved.
        mod say in "saved_test_other";
        unsaved() => "this is not saved anywhere",
    }

    #[test]
    fn a_saved_message_is_read_with_its_arguments() {
        for message in [
            note::rolled_back(17),
            note::pulled("https://host.test", ""),
            note::refused(note::too_long(9)),
            note::refused("out of coffee"),
            note::rolled_back(17).of("a.md"),
            note::done().then(note::refused("x")),
        ] {
            assert_eq!(Message::of_saved(message.text()), message, "{message}");
        }
        let sentence = note::rolled_back(17).sentence();
        assert_eq!(Message::of_saved(sentence.text()), sentence);
        let cut = note::refused(crate::and_more("a, b", 3));
        assert_eq!(Message::of_saved(cut.text()), cut);
    }

    #[test]
    fn own_wording_is_told_from_what_stands_in_it() {
        let own = |text: &str| -> String {
            let mut left = text.as_bytes().to_vec();
            for range in own_words(text) {
                left[range].fill(b'_');
            }
            String::from_utf8(left).expect("text")
        };
        for message in [
            note::rolled_back(17),
            note::refused("operation"),
            note::refused(note::too_long(9)),
            note::done().then(note::refused("x")),
            note::rolled_back(17).of("operation.md"),
        ] {
            let left = own(message.text());
            assert!(!left.contains("refused") && !left.contains("all done"), "{message}: {left}");
        }
        assert_eq!(own("roll back operation 17"), "____________________17");
        assert_eq!(own("The host refused it: operation."), "_____________________operation_");
        assert_eq!(
            own("The host refused it: it is longer than 9 bytes."),
            format!("{}9{}", "_".repeat(39), "_".repeat(7))
        );
        assert_eq!(own("operation.md: roll back operation 17"), "operation.md: ____________________17");
        assert_eq!(own("all done by me"), "all done by me");
    }

    #[test]
    fn words_of_a_person_stay_theirs() {
        for text in ["", "my note", say::unsaved().text(), "roll back operation ", ": : ", "a. B. C."] {
            assert_eq!(Message::of_saved(text).id(), VERBATIM, "{text}");
        }
        let deep = "a: ".repeat(400);
        assert_eq!(Message::of_saved(&deep).text(), deep);
    }
}
