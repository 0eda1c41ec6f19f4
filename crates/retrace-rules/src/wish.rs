//! Whether a person asked for something, in their own words.

use crate::rule::Command;

/// Words before a name by which a person refuses it.
const REFUSALS: [&str; 17] = [
    "never", "not", "don't", "dont", "don’t", "no", "without", "avoid", "instead", "stop", "skip", "nicht",
    "kein", "nie", "ohne", "rather", "isn't",
];

/// Words between a refusal and what it refuses, at most.
const REACH: usize = 4;

/// True if a text asks for a command: it names the program, and every word of the pattern's arguments.
#[must_use]
pub fn asked_for(text: &str, command: &Command) -> bool {
    let mut wanted: Vec<&str> =
        command.arguments.iter().map(String::as_str).filter(|word| *word != "*").collect();
    if command.program != "*" {
        wanted.insert(0, &command.program);
    }
    // A program such as git or gh goes without saying where its act is named: "stash it", "merge the pull request".
    let acts = &wanted[usize::from(wanted.len() > 1)..];
    !wanted.is_empty() && acts.iter().all(|word| names(text, word) && !is_refused(text, word))
}

/// The words of a text in lower case, marks at their ends left out.
fn words(text: &str) -> Vec<String> {
    let marks: &[char] = &['.', ',', ';', ':', '!', '?', '"', '\'', '`', '(', ')', '“', '”', '*', '「', '」'];
    text.split_whitespace()
        .map(|word| word.trim_matches(marks).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

fn names(text: &str, word: &str) -> bool {
    let word = word.to_lowercase();
    words(text).contains(&word)
}

/// True if a text names a word and every time refuses it.
#[must_use]
pub(crate) fn is_refused(text: &str, word: &str) -> bool {
    let (word, words) = (word.to_lowercase(), words(text));
    let mut places =
        words.iter().enumerate().filter(|(_, found)| **found == word).map(|(at, _)| at).peekable();
    places.peek().is_some()
        && places.all(|at| {
            let before = &words[at.saturating_sub(REACH)..at];
            before.iter().any(|word| REFUSALS.contains(&word.as_str()))
        })
}
