//! Every sentence that the window shows as the program said it: messages and hints of errors, warnings, reasons, evidence,
//! what the log notes of an operation. Another language says a sentence anew when it knows the English one. A test reads the
//! sources and fails for a sentence that is missing here.
//!
//! Findings have theirs in `retrace-findings`. Sentences that only a terminal prints, and those of the memory tool and of the
//! Memory Stores API, whose vendors fix them, are not here.

mod acts;
mod composed;
mod hosts;
mod lab;
mod log;
mod sources;
#[cfg(test)]
mod sources_of_sentences;
mod system;
mod window;

use crate::bindings::positional;
use retrace_message::Declaration;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Those of errors, warnings and the like, by what they are about.
const TABLES: [&[&str]; 8] = [
    acts::SENTENCES,
    composed::SENTENCES,
    hosts::SENTENCES,
    lab::SENTENCES,
    log::SENTENCES,
    sources::SENTENCES,
    system::SENTENCES,
    window::SENTENCES,
];

/// A sentence that begins with so many characters of its own is known by them, whatever stands in it.
const BEGINNING: usize = 8;

/// A message with fewer letters of its own is never taken for a text without an id.
const LETTERS: usize = 5;

/// Every sentence, those of findings and declared messages too; `{0}`, `{1}` … stand for what it is about. Where two fit, the
/// first is meant: what a text begins with tells more than what follows, which may be another sentence, and more words tell more
/// than fewer.
#[must_use]
pub(crate) fn sentences() -> Vec<(String, Option<&'static Declaration>)> {
    let findings = retrace_findings::messages::MESSAGES.iter().chain(crate::commands::EXPIRY_MESSAGES);
    let mut all: BTreeMap<String, Option<&Declaration>> = findings
        .chain(TABLES.iter().copied().flatten())
        .map(|sentence| ((*sentence).to_owned(), None))
        .collect();
    for declaration in retrace_message::declarations() {
        let english = positional(declaration);
        if matched(declaration) && !all.get(&english).is_some_and(Option::is_some) {
            all.insert(english, Some(declaration));
        }
    }
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by_key(|(sentence, _)| {
        let pieces = pieces(sentence);
        let own: usize = pieces.iter().map(|piece| piece.chars().count()).sum();
        (pieces[0].chars().count() < BEGINNING, Reverse(own))
    });
    all
}

/// Messages that [`sentences`] leaves out: those that no text is known by, and those of a text that another has too.
pub(crate) fn unmatched() -> Vec<&'static Declaration> {
    let listed: BTreeSet<&str> =
        sentences().iter().filter_map(|(_, declared)| Some(declared.as_ref()?.id)).collect();
    retrace_message::declarations()
        .into_iter()
        .filter(|declaration| !listed.contains(declaration.id))
        .collect()
}

fn matched(declaration: &Declaration) -> bool {
    let letters: usize = pieces(&positional(declaration))
        .iter()
        .map(|piece| piece.chars().filter(|letter| letter.is_ascii_alphabetic()).count())
        .sum();
    // Where one place follows another, nothing tells where the first ends.
    letters >= LETTERS && !declaration.english.contains("}{") && !declaration.id.starts_with("message.")
}

/// What is a sentence's own, before, between and after its places.
fn pieces(sentence: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut begin, mut at) = (0, 0);
    while let Some(brace) = sentence[at..].find('{').map(|found| at + found) {
        at = brace + 1;
        if matches!(sentence.as_bytes()[at..], [b'0'..=b'9', b'}', ..]) {
            pieces.push(&sentence[begin..brace]);
            at += 2;
            begin = at;
        }
    }
    pieces.push(&sentence[begin..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrace_findings::messages::says;

    #[test]
    fn the_first_that_fits_is_the_one_that_was_meant() {
        let all: Vec<String> = sentences().into_iter().map(|(sentence, _)| sentence).collect();
        for (at, sentence) in all.iter().enumerate() {
            let filled = (0..10).fold(sentence.clone(), |text, place| {
                text.replace(&format!("{{{place}}}"), &(place + 17).to_string())
            });
            let found = all.iter().position(|other| says_as_shown(other, &filled));
            assert_eq!(found, Some(at), "{filled:?} is taken for {:?}", found.map(|at| &all[at]));
        }
    }

    /// [`says`], with braces of the sentence itself as what they are.
    fn says_as_shown(sentence: &str, message: &str) -> bool {
        let places = pieces(sentence).len() - 1;
        if sentence.matches('{').count() > places { sentence == message } else { says(sentence, message) }
    }

    #[test]
    fn declared_messages_are_without_fault() {
        assert_eq!(retrace_message::problems(retrace_message::declarations()), Vec::<String>::new());
    }

    #[test]
    fn places_are_numbered_as_they_come() {
        for (sentence, _) in sentences() {
            let mut made = String::new();
            for (place, piece) in pieces(&sentence).into_iter().enumerate() {
                if place > 0 {
                    made.push_str(&format!("{{{}}}", place - 1));
                }
                made.push_str(piece);
            }
            assert_eq!(made, sentence);
        }
    }

    #[test]
    fn what_a_text_begins_with_comes_before_what_may_stand_in_it() {
        let all: Vec<String> = sentences().into_iter().map(|(sentence, _)| sentence).collect();
        let at = |sentence: &str| all.iter().position(|other| other == sentence).expect("it is one of them");
        assert!(at("The API would refuse it: {0}.") < at("{0} does not support compaction"));
        assert!(at("There is no \"{0}\" to import.") < at("There is no \"{0}\"."));
    }
}
