//! Sentences that say more than a pattern can, or ask for nothing.

use super::find_word;

/// Words of an exception.
pub(super) const EXCEPTIONS: [&str; 6] =
    ["except ", "except, ", "unless ", "other than ", "with the exception ", "apart from "];

/// Words that limit what stands before them to a case.
pub(super) const CASES: [&str; 13] = [
    "if ",
    "when ",
    "whenever ",
    "while ",
    "until ",
    "outside ",
    "only ",
    "without ",
    "after ",
    "before ",
    "once ",
    "during ",
    "more than ",
];

/// True for what somebody is said to do, for what was, and for what is so: none of it asks for anything.
pub(crate) fn is_told(lower: &str) -> bool {
    let says = [" says ", " said ", ", says", " said:", " to say "].iter().any(|says| lower.contains(says));
    let told = [
        "i never ",
        "why we ",
        "why i ",
        "why you ",
        "why they ",
        "asked why ",
        "asked whether ",
        "asked if ",
        "he never ",
        "she never ",
        "they never ",
        "i don't ",
        "i do not ",
        "i don’t ",
        "used to ",
        "there is no ",
        "there are no ",
        "there's no ",
        "there is not ",
        "there was no ",
        "has no ",
        "have no ",
        "had no ",
        "does not ",
        "doesn't ",
        "doesn’t ",
        "did not ",
        "didn't ",
        "didn’t ",
        "no longer true",
        "no longer so",
        "no longer a rule",
        "old rule",
        "former rule",
        "outdated",
    ];
    says || told.iter().any(|told| find_word(lower, told).is_some()) || is_quoted_past(lower)
}

/// Words by which nobody need do what follows.
const NO_NEED: [&str; 15] = [
    "need not ",
    "needn't ",
    "needn’t ",
    "not need to ",
    "don't need to ",
    "don’t need to ",
    "doesn't need to ",
    "no need to ",
    "not have to ",
    "don't have to ",
    "don’t have to ",
    "not necessary to ",
    "not required to ",
    "no reason to ",
    "never need to ",
];

/// True for a question, and for a sentence that says that something need not be done.
pub(super) fn asks_nothing(lower: &str) -> bool {
    let end = lower.trim_end_matches(['*', '_', '"', ')', '”', ' ']);
    let asks = ["why ", "should we ", "should i ", "should you "];
    end.ends_with(['?', '？'])
        || asks.iter().any(|ask| lower.trim_start().starts_with(ask))
        || NO_NEED.iter().any(|none| find_word(lower, none).is_some())
}

/// True if what stands before a "never" tells of somebody else: "CI will never run it", "this is not npm".
pub(super) fn is_said_of(before: &str) -> bool {
    let mut words = before.split_whitespace().rev();
    let subject =
        |word: Option<&str>| !word.is_some_and(|word| ["you", "we", "agents", "claude"].contains(&word));
    match words.next() {
        Some("will" | "would" | "could" | "might") => subject(words.next()),
        Some("is" | "are" | "was" | "were" | "did" | "does") => true,
        _ => false,
    }
}

/// Words by which a sentence that is spoken of is in force no more.
const NO_LONGER: [&str; 22] = [
    "need not ",
    "needn't ",
    "needn’t ",
    "no need to ",
    "no longer applies",
    "no longer apply",
    "no longer valid",
    "no longer holds",
    "no longer in force",
    "no longer required",
    "no longer necessary",
    "no longer needed",
    "not have to ",
    "don't have to ",
    "don’t have to ",
    "is obsolete",
    "was withdrawn",
    "is withdrawn",
    "was dropped",
    "gilt nicht mehr",
    "n'est plus",
    "ya no ",
];

/// Beginnings of a remark behind a sentence that takes it back, or a part of it.
const REMARKS: [&str; 21] = [
    "no longer",
    "not any more",
    "not anymore",
    "obsolete",
    "withdrawn",
    "outdated",
    "superseded",
    "revoked",
    "does not apply",
    "doesn't apply",
    "except",
    "unless",
    "not in ",
    "not for ",
    "only in ",
    "only for ",
    "only on ",
    "only when ",
    "only if ",
    "nicht mehr",
    "veraltet",
];

/// Words of a remark without brackets: what is longer may be about something else ("No longer use yarn either").
const MOST_OF_A_REMARK: usize = 3;

/// True if a sentence in lower case, with the one behind it, takes back what the rule `own` says, or a part of it: it says that it is
/// in force no more, or makes an exception, or speaks of a case alone. What `own` says itself takes nothing back.
pub(crate) fn takes_back(lower: &str, behind: Option<&str>, own: &str) -> bool {
    let has = |text: &str, words: &[&str]| words.iter().any(|word| find_word(text, word).is_some());
    let adds = |words: &[&str]| words.iter().any(|word| has(lower, &[word]) && !has(own, &[word]));
    let in_brackets = lower.split(['(', '[']).skip(1).any(is_remark);
    let ends_with_case = || {
        let only =
            ["only in ", "only for ", "only on ", "only when ", "only if ", "only during ", "only while "];
        let cases = ["in ", "for ", "on ", "when ", "if ", "during ", "while ", "inside "];
        let begin = lower.trim_start_matches(|letter: char| !letter.is_alphanumeric());
        let clause = begin.split([':', ',']).next().unwrap_or_default();
        let begins = cases.iter().any(|case| clause.starts_with(case)) && has(clause, &["only"]);
        let ends = lower.trim_end_matches(|letter: char| !letter.is_alphanumeric()).ends_with(" only");
        (begins || ends || has(lower, &only)) && !has(own, &["only"])
    };
    adds(&EXCEPTIONS)
        || adds(&NO_LONGER)
        || in_brackets && !own.split(['(', '[']).skip(1).any(is_remark)
        || ends_with_case()
        || is_told(lower) && !is_told(own)
        || behind.is_some_and(|behind| {
            let is_bracketed = behind.trim_start().trim_start_matches(['*', '_']).starts_with(['(', '[']);
            let is_exception =
                ["except", "unless"].iter().any(|word| behind.to_lowercase().starts_with(word));
            let is_short = behind.split_whitespace().count() <= MOST_OF_A_REMARK;
            is_remark(&behind.to_lowercase()) && (is_bracketed || is_exception || is_short)
        })
}

fn is_remark(lower: &str) -> bool {
    let begin = lower.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    REMARKS.iter().any(|remark| begin.starts_with(remark))
}

/// True for a quotation of which something is said: `"never use yarn" was our rule`.
fn is_quoted_past(lower: &str) -> bool {
    let Some(rest) = lower.trim_start().strip_prefix(['"', '“', '\'', '‘']) else { return false };
    let Some(end) = rest.find(['"', '”', '\'', '’']) else { return false };
    let behind = rest[end..].trim_start_matches(['"', '”', '\'', '’', ' ']);
    ["was ", "is ", "were ", "had "].iter().any(|verb| behind.starts_with(verb))
}

/// True for a sentence that begins with the case it is about: "When you test, never use npm".
pub(super) fn is_of_a_case(lower: &str) -> bool {
    let begin = lower.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let is_of_all = ["in this ", "in our ", "for this "].iter().any(|all| begin.starts_with(all));
    let cases = ["if ", "when ", "whenever ", "while ", "during ", "on ", "in ", "for ", "after ", "until "];
    !is_of_all && cases.iter().any(|case| begin.starts_with(case))
}

/// True if a text behind a command says no more of when or where it is meant.
pub(super) fn says_no_more(after: &str) -> bool {
    let lower = after.trim_start().to_lowercase();
    let is_end = lower.starts_with(|letter: char| !letter.is_alphanumeric() && letter != '`');
    let harmless = [
        "here",
        "in this",
        "in our",
        "in the repo",
        "in the project",
        "for this",
        "anywhere",
        "ever",
        "again",
        "at all",
        "yourself",
        "manually",
        "by hand",
        "command",
        "for anything",
        "on anything",
        "under any",
        "because",
        "since ",
        "as it ",
        "instead",
        "either",
        "any more",
        "anymore",
        "flag",
        "option",
        "please",
        "to commits",
    ];
    let is_known = lower.is_empty() || is_end || harmless.iter().any(|harmless| lower.starts_with(harmless));
    is_known && !is_limited(&lower)
}

/// True if a text in lower case names a case before its first clause ends. A reason limits nothing, and neither does what else is to
/// be done.
pub(super) fn is_limited(lower: &str) -> bool {
    let reasons = ["because", "since ", "as it ", ";", " - ", "—", "–", "("];
    let cases = ["if ", "when ", "whenever ", "while ", "until "];
    let clauses = lower.match_indices(", ").map(|(at, _)| at);
    let clause = clauses.into_iter().find(|at| !cases.iter().any(|case| lower[at + 2..].starts_with(case)));
    let ends = reasons.iter().filter_map(|reason| lower.find(reason)).chain(clause);
    let end = ends.min().unwrap_or(lower.len());
    CASES.iter().any(|case| find_word(&lower[..end], case).is_some())
}
