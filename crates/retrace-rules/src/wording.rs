//! Whether a line says a rule in other words.

use crate::propose::{
    ACTS, EDITS, FORBID, PROGRAMS, find_word, needs_no_asking, patterns, sentences, takes_back,
    without_struck,
};
use crate::rule::{Command, Form, Pattern, Rule, TextForm};

/// Words by which a rule's sense turns: two sentences with others do not say the same.
const TURNING: [&str; 58] = [
    "never",
    "not",
    "no",
    "don't",
    "don’t",
    "dont",
    "doesn't",
    "isn't",
    "can't",
    "cannot",
    "mustn't",
    "avoid",
    "without",
    "instead",
    "rather",
    "except",
    "unless",
    "only",
    "before",
    "after",
    "until",
    "when",
    "if",
    "while",
    "forbidden",
    "banned",
    "prohibited",
    "disallowed",
    "always",
    "must",
    "longer",
    "old",
    "skip",
    "stop",
    "allowed",
    "nie",
    "niemals",
    "nicht",
    "kein",
    "keine",
    "ohne",
    "immer",
    "nur",
    "außer",
    "vor",
    "nach",
    "jamais",
    "pas",
    "sans",
    "toujours",
    "avant",
    "après",
    "nunca",
    "sin",
    "siempre",
    "mai",
    "senza",
    "sempre",
];

/// Verbs behind a forbidding word with which it asks for what follows: "do not forget to run".
const ASKING_AFTER_ALL: [&str; 11] =
    ["forget", "skip", "miss", "omit", "hesitate", "fail", "stop", "neglect", "leave", "remove", "only"];

/// What follows a name that is forbidden.
const FORBIDDEN_BEHIND: [&str; 24] = [
    "is forbidden",
    "are forbidden",
    "is banned",
    "are banned",
    "is not allowed",
    "are not allowed",
    "is prohibited",
    "are prohibited",
    "is disallowed",
    "is off limits",
    "is off-limits",
    "are off limits",
    "must not",
    "must never",
    "should not",
    "should never",
    "may not",
    "is never",
    "are never",
    "is a no-go",
    "is not to be",
    "are not to be",
    "is not used",
    "is not permitted",
];

/// The same, of files that nobody changes.
const KEPT_BEHIND: [&str; 4] = ["is read-only", "are read-only", "read only", "hands off"];

/// Ends of a session as sentences name them.
const ENDS: [&str; 14] = [
    "before you stop",
    "before stopping",
    "before ending",
    "before you finish",
    "before finishing",
    "at the end",
    "when you are done",
    "when done",
    "before you end",
    "is not complete until",
    "not done until",
    "before handing",
    "end of every session",
    "end of each session",
];

/// Marks between the parts of a sentence.
const PARTS: [char; 8] = [',', ';', ':', '(', ')', '—', '–', '|'];

/// True if a line says a rule in other words: a sentence of it is proposed as the same pattern, asks the same by its words, or is
/// the rule's own sentence but for a few words that turn nothing. One that is taken back on the same line says nothing.
#[must_use]
pub fn is_wording_of(line: &str, rule: &Rule) -> bool {
    let own = Sentence::of(&rule.sentence);
    let own_lower = rule.sentence.to_lowercase();
    let sentences = sentences(line.trim());
    sentences.iter().enumerate().any(|(at, sentence)| {
        let lower = sentence.to_lowercase();
        if takes_back(
            &limits_of(&lower, &rule.pattern),
            sentences.get(at + 1).map(String::as_str),
            &own_lower,
        ) {
            return false;
        }
        patterns(sentence).iter().any(|found| is_same(found, &rule.pattern))
            || asks_the_same(&lower, &rule.pattern)
            || Sentence::of(sentence).says(&own) && names_paths_of(&lower, &rule.pattern)
    })
}

/// True if a line has the rule's own sentence, not struck out, and takes nothing of it back.
#[must_use]
pub fn has_sentence_of(line: &str, rule: &Rule) -> bool {
    let (line, sentence) = (without_struck(line), rule.sentence.trim());
    let Some(at) = line.find(sentence).filter(|_| !sentence.is_empty()) else { return false };
    let (before, after) = (&line[..at], &line[at + sentence.len()..]);
    let is_end = |text: &str| text.ends_with(['.', '!', ';', '?']);
    // The rest of the sentence on both sides, and what comes behind it.
    let begin = before.rfind(['.', '!', ';', '?']).map_or(0, |end| end + 1);
    let ends = is_end(sentence) && !after.starts_with(|next: char| !next.is_whitespace());
    let end = match ends {
        true => 0,
        false => after.find(['.', '!', ';', '?']).map_or(after.len(), |end| end + 1),
    };
    // Without the marks of a list.
    let before = before[begin..].trim_start_matches(['-', '*', '+', '>', ' ']);
    let whole = format!("{before}{sentence}{}", &after[..end]).to_lowercase();
    let behind = sentences(after[end..].trim_start());
    !takes_back(
        &limits_of(&whole, &rule.pattern),
        behind.first().map(String::as_str),
        &rule.sentence.to_lowercase(),
    )
}

/// A sentence without words that limit other kinds of rules: "only after the lint" is an order.
fn limits_of(lower: &str, pattern: &Pattern) -> String {
    match pattern {
        Pattern::CommandNever(_) | Pattern::PathNever(_) => lower.to_owned(),
        _ => lower.replace("only", ""),
    }
}

/// True if a sentence that says nearly the same names the paths of a rule that the rule's own sentence names.
fn names_paths_of(lower: &str, pattern: &Pattern) -> bool {
    let Pattern::PathNever(paths) = pattern else { return true };
    paths.iter().map(|path| stem(path).to_lowercase()).any(|path| path.is_empty() || holds_path(lower, &path))
}

/// True if two patterns ask the same. Of paths, one may name more of the directory than the other.
fn is_same(one: &Pattern, other: &Pattern) -> bool {
    match (one, other) {
        (Pattern::PathNever(paths), Pattern::PathNever(others)) => {
            let stems: Vec<&str> = others.iter().map(|path| stem(path)).collect();
            paths.iter().map(|path| stem(path)).any(|path| !path.is_empty() && stems.contains(&path))
        }
        (one, other) => one == other,
    }
}

/// A path pattern without its stars.
fn stem(path: &str) -> &str {
    path.trim_matches(['*', '/', '.'])
}

/// True if a sentence in lower case asks what a pattern asks.
fn asks_the_same(lower: &str, pattern: &Pattern) -> bool {
    match pattern {
        Pattern::CommandNever(command) => {
            let names = |part: &str| place_of(part, command).is_some();
            forbids(lower, Some(&command.program.to_lowercase()), &names, &FORBIDDEN_BEHIND)
        }
        Pattern::PathNever(paths) => {
            paths.iter().any(|path| forbids_edits(lower, &stem(path).to_lowercase()))
        }
        Pattern::AtEnd(command) => {
            ENDS.iter().any(|end| lower.contains(end))
                && place_of(lower, command).is_some()
                && !has_forbidding(lower)
        }
        Pattern::AskFirst(command) => {
            let asks = ["ask ", "asking", "confirm", "approval", "permission"];
            asks.iter().any(|ask| lower.contains(ask))
                && place_of(lower, command).is_some()
                && !needs_no_asking(lower)
        }
        Pattern::Order { before, after } => is_order(lower, before, after),
        Pattern::CommandForm { form, .. } => asks_for_form(lower, form),
        Pattern::TextForm(of) => asks_for_text(lower, of),
    }
}

/// True if a part of the sentence has a forbidding word that governs what `names` finds: before it, with nothing that turns it and no
/// program but `own` between, or behind it. Without `own`, programs may stand between.
fn forbids(lower: &str, own: Option<&str>, names: &dyn Fn(&str) -> bool, behind: &[&str]) -> bool {
    lower.split(PARTS).any(|part| {
        let governed = FORBID.iter().filter_map(|forbid| {
            let at = find_word(part, forbid.trim_end())?;
            let rest = part[at..].get(forbid.trim_end().len()..)?;
            rest.starts_with(' ').then(|| rest.trim_start())
        });
        let mut governed = governed.map(up_to_turn).filter(|rest| !asks_after_all(rest));
        governed.any(|rest| own.map_or_else(|| names(rest), |own| names(&up_to_other(rest, own))))
            || behind.iter().any(|forbidden| {
                part.split_once(forbidden).is_some_and(|(before, _)| names(before) && !has_forbidding(before))
            })
    })
}

/// A text up to a word by which it asks for something else: "never use npm, use pnpm".
fn up_to_turn(rest: &str) -> &str {
    let turns = [
        " but ",
        " before ",
        " after ",
        " until ",
        " without ",
        " instead of ",
        " use ",
        " rather than ",
        " unless ",
        " except ",
    ];
    // The verb at its beginning is what is forbidden.
    let begin = rest.find(' ').unwrap_or(rest.len());
    let end = turns.iter().filter_map(|turn| rest[begin..].find(turn)).min();
    end.map_or(rest, |end| &rest[..begin + end])
}

/// A text up to the first program that it names and is not `own`: that is what is forbidden, unless a list goes on.
fn up_to_other(rest: &str, own: &str) -> String {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let plain = |word: &str| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_owned();
    let mut end = words.len();
    for (at, word) in words.iter().enumerate() {
        let word = plain(word);
        if word == own {
            break;
        }
        let goes_on = words.get(at + 1).is_some_and(|next| ["or", "and", "nor", "/"].contains(next));
        if PROGRAMS.contains(&word.as_str()) && !goes_on {
            end = at + 1;
            break;
        }
    }
    words[..end].join(" ")
}

fn asks_after_all(rest: &str) -> bool {
    let mut words = rest.split_whitespace().take(2);
    words.any(|word| ASKING_AFTER_ALL.iter().any(|verb| word.starts_with(verb)))
}

fn has_forbidding(text: &str) -> bool {
    FORBID.iter().any(|forbid| find_word(text, forbid).is_some())
}

/// True if a sentence forbids to change what a path names.
fn forbids_edits(lower: &str, path: &str) -> bool {
    if path.is_empty() {
        return false;
    }
    let is_edit = |part: &str| {
        EDITS.iter().any(|verb| find_word(part, verb.trim_end()).is_some()) || part.contains("by hand")
    };
    let behind: Vec<&str> = FORBIDDEN_BEHIND.iter().chain(&KEPT_BEHIND).copied().collect();
    let names = |part: &str| holds_path(part, path);
    let names_edit = |part: &str| holds_path(part, path) && is_edit(part);
    forbids(lower, Some(""), &names_edit, &[])
        || is_edit(lower) && forbids(lower, Some(""), &names, &behind)
        || KEPT_BEHIND.iter().any(|kept| lower.contains(kept)) && names(lower)
}

/// True if a text holds a path, and not as the beginning or the end of another name.
fn holds_path(text: &str, path: &str) -> bool {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
    text.match_indices(path).any(|(at, _)| {
        let behind = &text[at + path.len()..];
        let goes_on = behind.strip_prefix('.').unwrap_or(behind).starts_with(is_name);
        !goes_on && !text[..at].ends_with(is_name)
    })
}

/// True if a sentence asks for one act before another.
fn is_order(lower: &str, before: &Command, after: &Command) -> bool {
    if has_forbidding(lower) && !lower.contains("without") {
        return false;
    }
    let (Some(first), Some(second)) = (place_of(lower, before), place_of(lower, after)) else { return false };
    let find = |marks: &[&str]| marks.iter().find_map(|mark| find_word(lower, mark));
    if let Some(mark) = find(&["before ", "prior to "]) {
        // "X before Y", "before Y, X".
        return mark < second && (first < mark || second < first);
    }
    if let Some(mark) = find(&["after ", "once ", "until "]) {
        // "Y only after X", "after X, Y".
        return mark < first && (second < mark || first < second);
    }
    let then = find(&["first", "then "]);
    then.is_some() && first < second || lower.contains("without") && second < first && has_forbidding(lower)
}

/// True if a sentence asks for words of a call, or forbids a text in it.
fn asks_for_form(lower: &str, form: &Form) -> bool {
    match form {
        Form::With(words) => {
            let given = words_of(lower);
            let asks = ["always", "must", "prefix", "use", "run", "with", "through", "via", "only", "should"];
            let names_any = |part: &str| words.iter().any(|word| words_of(part).contains(&word.as_str()));
            words.iter().all(|word| given.contains(&word.to_lowercase().as_str()))
                && given.iter().any(|word| asks.contains(word) || word.starts_with("prefix"))
                && !forbids(lower, None, &names_any, &FORBIDDEN_BEHIND)
        }
        Form::Without(text) => {
            let text = text.to_lowercase();
            let names = |part: &str| part.contains(&text);
            forbids(lower, Some(""), &names, &FORBIDDEN_BEHIND)
                || lower.find("without ").is_some_and(|at| names(&lower[at..]))
        }
    }
}

fn asks_for_text(lower: &str, of: &TextForm) -> bool {
    let text = of.form.text().trim_start_matches('!').to_lowercase();
    // A parenthesis divides a sentence.
    let name = text.trim_end_matches("()");
    let is_forbidden = forbids(lower, Some(""), &|part| part.contains(name), &FORBIDDEN_BEHIND);
    lower.contains(&text) && is_forbidden == matches!(of.form, Form::Without(_))
}

/// Where a text in lower case names a command: as it is typed, by its verb, or of an act of several words by the last one.
fn place_of(lower: &str, command: &Command) -> Option<usize> {
    let plain = |text: &str| text.replace(['`', '"', '\''], " ").to_lowercase();
    let text = plain(lower);
    let whole = command.text().to_lowercase();
    let whole = whole.strip_prefix("* ").unwrap_or(&whole);
    let whole_word = |wanted: &str| {
        let mut from = 0;
        loop {
            let at = from + find_word(text.get(from..)?, wanted)?;
            let ends = text[at + wanted.len()..]
                .starts_with(|next: char| next.is_alphanumeric() || next == '-' || next == '_');
            let begins_inside = text[..at].ends_with(['-', '_', '.', '/']);
            if !ends && !begins_inside {
                return Some(at);
            }
            from = at + wanted.len();
        }
    };
    let verbs = ACTS.iter().find(|(_, act)| *act == command.text()).map(|(verbs, _)| *verbs);
    let last = command.arguments.last().filter(|last| !last.starts_with('-') && command.program != "*");
    let by_name = whole_word(whole);
    let by_verb = || verbs.into_iter().flatten().find_map(|verb| whole_word(verb));
    // "lint" of `npm run lint`.
    let by_last =
        || last.filter(|_| command.arguments.len() > 1).and_then(|last| whole_word(&last.to_lowercase()));
    by_name.or_else(by_verb).or_else(by_last)
}

fn words_of(text: &str) -> Vec<&str> {
    let words = text.split(|letter: char| letter.is_whitespace() || ",;:!?`\"'()*".contains(letter));
    words.map(|word| word.trim_matches('.')).filter(|word| !word.is_empty()).collect()
}

/// A sentence as words in lower case.
struct Sentence {
    words: Vec<String>,
}

/// Longest sentence that is compared word for word.
const LONGEST: usize = 200;

impl Sentence {
    fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let words = lower.split(|letter: char| letter.is_whitespace() || ",;:!?`\"()*".contains(letter));
        let words = words.map(|word| word.trim_matches('.')).filter(|word| !word.is_empty());
        Self { words: words.map(str::to_owned).take(LONGEST).collect() }
    }

    /// True if most words stand in both in the same order, with the same words that turn the sense and the same programs.
    fn says(&self, own: &Self) -> bool {
        let turning = |sentence: &Self| {
            let words = sentence.words.iter().filter(|word| TURNING.contains(&word.as_str()));
            words.cloned().collect::<Vec<_>>()
        };
        let programs = |sentence: &Self| {
            let words = sentence.words.iter().filter(|word| PROGRAMS.contains(&word.as_str()));
            words.cloned().collect::<Vec<_>>()
        };
        if own.words.len() < 3 || turning(self) != turning(own) || programs(self) != programs(own) {
            return false;
        }
        // Shared words count twice: 7 of 10 words of both.
        let shared = common(&self.words, &own.words);
        shared * 20 >= 7 * (self.words.len() + own.words.len())
    }
}

/// The most words that stand in both lists in the same order.
fn common(one: &[String], other: &[String]) -> usize {
    let mut row = vec![0_usize; other.len() + 1];
    for word in one {
        let mut diagonal = 0;
        for (at, candidate) in other.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if word == candidate { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests;
