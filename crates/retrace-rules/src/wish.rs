//! Whether a person asked for something, in their own words.
//!
//! A text is read clause by clause: a verb asks for what follows it, unless a refusal stands before it or the sentence is a question.

mod acts;
mod clauses;
mod consent;
mod question;
mod spoken;

use crate::rule::Command;
use clauses::{Clauses, Mood, Of, Word};

pub(crate) use consent::{Consent, consent, is_refusal};
pub(crate) use question::{About, about};

/// Words before a name by which a person refuses it.
const REFUSALS: [&str; 28] = [
    "never",
    "not",
    "don't",
    "dont",
    "don’t",
    "no",
    "without",
    "avoid",
    "instead",
    "stop",
    "skip",
    "nicht",
    "kein",
    "nie",
    "ohne",
    "rather",
    "isn't",
    "ne",
    "jamais",
    "sans",
    "sin",
    "nunca",
    "não",
    "nao",
    "sem",
    "не",
    "без",
    "никогда",
];

/// Words between a refusal and what it refuses, at most.
const REACH: usize = 4;

/// True if a text asks for a command: it names the program and every word of the pattern's arguments, refuses none, and asks for one
/// of them rather than speaking of it.
#[must_use]
pub fn asked_for(text: &str, command: &Command) -> bool {
    let mut wanted: Vec<&str> =
        command.arguments.iter().map(String::as_str).filter(|word| *word != "*").collect();
    if command.program != "*" {
        wanted.insert(0, &command.program);
    }
    // A program such as git or gh goes without saying where its act is named: "stash it", "merge the pull request".
    let acts = &wanted[usize::from(wanted.len() > 1)..];
    let text = acts::in_words_of(without_slash(text, acts), &wanted);
    !wanted.is_empty()
        && acts.iter().all(|word| names(&text, word) && !is_refused(&text, word))
        && asks_for_any(&text, &wanted, acts)
}

/// A text without the slash of a command of the client that is called as an act: `/push`.
fn without_slash<'t>(text: &'t str, acts: &[&str]) -> &'t str {
    let begin = text.trim_start();
    let first = |rest: &str| rest.split_whitespace().next().is_some_and(|word| acts.contains(&word));
    begin.strip_prefix('/').filter(|rest| first(rest)).unwrap_or(text)
}

/// True if a text refuses the act of a command.
pub(crate) fn refuses_act(text: &str, command: &Command) -> bool {
    let word = act_word(command);
    is_refused(&acts::in_words_of(text, &[word]), word)
}

/// True if a text asks for the act of a command, whatever else the command names: "merge it" for `gh pr merge`.
fn asks_for_act(text: &str, command: &Command) -> bool {
    let word = act_word(command);
    let text = acts::in_words_of(text, &[word]);
    names(&text, word) && !is_refused(&text, word) && asks_for_any(&text, &["*", word], &[word])
}

/// The word of a command that names its act: `merge` of `gh pr merge`.
fn act_word(command: &Command) -> &str {
    let words =
        || command.arguments.iter().map(String::as_str).filter(|word| *word != "*" && !word.starts_with('-'));
    words().find(|word| acts::is_act(word)).or_else(|| words().next_back()).unwrap_or(&command.program)
}

/// True if a clause asks for one of the acts, or for a command that begins with the program.
fn asks_for_any(text: &str, wanted: &[&str], acts: &[&str]) -> bool {
    let is_of = |words: &[&str], word: &Word| words.iter().any(|of| of.to_lowercase() == word.plain());
    Clauses::of(text, Of::Acts).any(|clauses, at| {
        let word = &clauses.words[at];
        let is_program = is_of(&wanted[..1], word);
        if clauses.is_part_of_a_name(at) || !is_program && !is_of(acts, word) {
            return false;
        }
        // "git push" is one name.
        let follows = at > 0
            && !is_program
            && !clauses.words[at - 1].ends_clause()
            && is_of(&wanted[..1], &clauses.words[at - 1]);
        let start = at - usize::from(follows);
        let is_act_as_noun =
            !is_program && (clauses.is_spoken_of(at, start) || clauses.is_deed_of_others(start));
        if is_act_as_noun
            || clauses.is_part_of_a_name(start)
            || clauses.is_changed_itself(at, start, is_program)
        {
            return false;
        }
        // What is typed at the beginning of a sentence is asked for, if nothing is said of it.
        let begins =
            clauses.begins_sentence(at) && !clauses.is_noun(at) && !(is_program && clauses.tells(at));
        // A verb of its own.
        let is_verb = !is_program && clauses.is_verb(at);
        match clauses.mood(at) {
            Mood::Asks => true,
            Mood::Open => begins || is_verb,
            Mood::Refuses => false,
        }
    })
}

/// True if a text asks to change a file: a clause asks for a change of what it names, by its whole name or by the end of its path.
pub(crate) fn asks_to_change(text: &str, path: &str) -> bool {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_lowercase();
    // Most texts name no such file.
    text.to_lowercase().contains(&name)
        && Clauses::of(text, Of::Changes).any(|clauses, at| {
            let mood = clauses.mood(at);
            clauses.words[at].is_path(path, clauses.is_called_a_file(at))
                && mood != Mood::Refuses
                && !clauses.is_refused_behind(at)
                && !clauses.is_aside(at)
                && !clauses.is_named_aside(at)
                && (mood == Mood::Asks && !clauses.is_subject(at) || clauses.is_asked_behind(at))
        })
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
            let from = at.saturating_sub(REACH);
            // "if not, push" refuses nothing.
            let is_if = |place: usize| place > 0 && words[place] == "not" && words[place - 1] == "if";
            (from..at).any(|place| REFUSALS.contains(&words[place].as_str()) && !is_if(place))
        })
}

/// Words with which a person only lets the agent go on.
const GO_ON: &[&str] = &[
    "continue",
    "go on",
    "go ahead",
    "proceed",
    "carry on",
    "keep going",
    "resume",
    "yes",
    "yep",
    "yeah",
    "yes please",
    "ok",
    "okay",
    "sure",
    "do it",
    "ok continue",
    "yes continue",
    "please continue",
    "try again",
    "retry",
    "weiter",
    "mach weiter",
    "ja",
    "continuez",
    "vas-y",
    "oui",
    "sigue",
    "adelante",
    "sí",
    "continúa",
    "continua",
    "sim",
    "続けて",
    "続けてください",
    "はい",
    "계속",
    "계속해",
    "계속해줘",
    "네",
    "继续",
    "繼續",
    "好",
    "好的",
    "是",
    "可以",
];

/// True if a text says no more than to go on: what was asked before is still asked.
pub(crate) fn only_goes_on(text: &str) -> bool {
    let words = words(text).join(" ");
    let words = words.trim_matches(|letter: char| !letter.is_alphanumeric());
    GO_ON.contains(&words)
}

/// Words with which a person asks for an act as often as there is occasion for it.
const EACH_TIME: &[&str] = &[
    "each", "every", "until", "till", "keep", "whenever", "always", "go", "iterate", "repeat", "loop",
    "jede", "jeden", "jedes", "immer", "bis", "chaque", "jusqu'à", "cada", "hasta", "até", "毎回", "都度",
    "매번", "每次", "直到",
];

/// True if a text asks for an act more than once: "push after each fix", "until CI is green".
pub(crate) fn asks_more_than_once(text: &str) -> bool {
    let words = words(text);
    let is_each = |(at, word): (usize, &String)| match word.as_str() {
        // "as you go"
        "go" => at > 0 && words[at - 1] == "you",
        word => EACH_TIME.iter().any(|each| *each == word || !each.is_ascii() && word.contains(each)),
    };
    words.iter().enumerate().any(is_each)
}

#[cfg(test)]
mod tests;
