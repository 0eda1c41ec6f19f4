//! Rules that a session with its subagents follows or breaks: an order, its end, a question first.

use super::limits::{CASES, says_no_more};
use super::{
    ACTS, FORBID, behind_any, find_word, first_command, listed, named_command, of_code, spans, tail,
};
use crate::rule::{Command, Pattern};

/// "run `npm run lint` before committing": one for each command that is to come before.
pub(super) fn order(lower: &str, sentence: &str) -> Vec<Pattern> {
    let Some(at) = find_word(lower, "before ") else { return Vec::new() };
    let after_text = tail(sentence, lower, at + "before ".len());
    let after_text = [
        "you ",
        "we ",
        "any ",
        "every ",
        "each ",
        "a ",
        "the ",
        "running ",
        "run ",
        "using ",
        "calling ",
        "doing ",
        "creating ",
    ]
    .iter()
    .fold(after_text, |rest, word| rest.strip_prefix(word).unwrap_or(rest));
    let Some((after, rest)) = named_command(after_text) else { return Vec::new() };
    let before_text = sentence.get(..at).unwrap_or_default();
    if !before_text.contains(char::is_alphanumeric) {
        return order_first(&after, rest);
    }
    if !is_asked(before_text) {
        return Vec::new();
    }
    let before = last_listed(before_text);
    // An option alone is no act.
    let is_act = |before: &Command| {
        *before != after && before.program != "*" || ACTS.iter().any(|(_, act)| *act == before.text())
    };
    if before.is_empty() || !before.iter().all(is_act) {
        return Vec::new();
    }
    before.into_iter().map(|before| Pattern::Order { before, after: after.clone() }).collect()
}

/// "Before every commit, run `make check`": the act, and what stands behind it.
fn order_first(after: &Command, rest: &str) -> Vec<Pattern> {
    let Some(rest) = rest.strip_prefix([',', ':']) else { return Vec::new() };
    let verbs = ["you must ", "you should ", "always ", "first ", "please ", "run ", "execute "];
    let asked = behind_any(rest.trim_start(), &verbs);
    let is_run = ["run ", "execute "].iter().any(|verb| rest.to_lowercase().contains(verb));
    let (before, behind) = listed(asked);
    // One of two is no order of either.
    let is_one_of = asked[..asked.len() - behind.len()].contains(" or ");
    if !is_run
        || is_one_of
        || !says_no_more(behind)
        || before.iter().any(|one| one == after || one.program == "*")
    {
        return Vec::new();
    }
    before.into_iter().map(|before| Pattern::Order { before, after: after.clone() }).collect()
}

/// True if a text asks for what it names, rather than tells of it.
fn is_asked(text: &str) -> bool {
    let lower = text.to_lowercase();
    let asks = ["must ", "should ", "always ", "need to ", "have to ", "make sure ", "ensure ", "please "];
    if asks.iter().any(|ask| find_word(&lower, ask).is_some()) {
        return true;
    }
    let begin = text.rsplit([':', ',', '—', ';']).map(str::trim_start).rfind(|part| !part.trim().is_empty());
    let verbs = ["run ", "execute ", "do ", "call ", "use ", "first ", "check ", "remember ", "you "];
    let starts = |part: &str| {
        let part = part.trim_start();
        let lower = part.to_lowercase();
        verbs.iter().any(|verb| lower.starts_with(verb)) || named_command(part).is_some()
    };
    begin.is_some_and(starts)
        || text.split([':', ',', '—', ';']).any(|part| {
            let lower = part.trim_start().to_lowercase();
            verbs[..2].iter().any(|verb| lower.starts_with(verb))
        })
}

/// The last commands of a text, all that are listed together: "`cargo fmt` and `cargo clippy`".
fn last_listed(text: &str) -> Vec<Command> {
    let parts: Vec<&str> = text.split('`').collect();
    let mut found: Vec<Command> = Vec::new();
    // Spans stand at odd places, what is between them at even ones.
    let spans = (0..parts.len() / 2).map(|index| 2 * index + 1).filter(|at| at + 1 < parts.len());
    for at in spans.rev() {
        let behind = parts[at + 1].trim();
        let is_listed = ["and", ",", ", and", "&", "+", "then", ", then", "and then"].contains(&behind);
        if !found.is_empty() && !is_listed {
            // One of two is no order of either.
            if ["or", ", or", "/", "and/or"].contains(&behind) {
                return Vec::new();
            }
            break;
        }
        match of_code(parts[at]) {
            Some(command) => found.push(command),
            None if found.is_empty() => {}
            None => break,
        }
    }
    if found.is_empty() {
        let words = text.split_whitespace().rev();
        let word = words.map(|word| word.trim_matches(|letter: char| ".,;:`".contains(letter)));
        found.extend(word.into_iter().find_map(|word| named_command(word).map(|(command, _)| command)));
    }
    found.reverse();
    found
}

/// "push must succeed before you stop", "run `make check` and `make docs` at the end of the session".
pub(super) fn at_end(lower: &str, sentence: &str) -> Vec<Pattern> {
    let ends = [
        "before you stop",
        "before stopping",
        "before ending",
        "before you finish",
        "before finishing",
        "at the end of",
        "when you are done",
        "when done",
        "before you end",
        "is not complete until",
        "not done until",
        "before handing",
    ];
    let Some((at, end)) = ends.iter().find_map(|end| Some((lower.find(end)?, *end))) else {
        return Vec::new();
    };
    let is_first = !lower[..at].contains(char::is_alphanumeric);
    let text = if is_first || end.ends_with("until") {
        tail(sentence, lower, at + end.len())
    } else {
        sentence.get(..at).unwrap_or_default()
    };
    // What is forbidden there, or asked for in a case, is no act of its end.
    let forbids = FORBID.iter().any(|forbid| find_word(&text.to_lowercase(), forbid).is_some());
    if forbids || CASES.iter().any(|case| find_word(&text.to_lowercase(), case).is_some()) {
        return Vec::new();
    }
    let mut commands: Vec<Command> = spans(text).into_iter().filter_map(of_code).collect();
    if commands.is_empty() {
        commands.extend(first_command(text));
    }
    commands.dedup();
    commands.into_iter().map(Pattern::AtEnd).collect()
}

/// "ask before merging", "never push without asking".
pub(super) fn ask_first(lower: &str, sentence: &str) -> Option<Pattern> {
    if needs_no_asking(lower) {
        return None;
    }
    let asks = ["ask ", "ask me ", "confirm ", "get approval ", "permission "];
    let before = find_word(lower, "before ");
    let text = match before {
        Some(at) if asks.iter().any(|ask| find_word(&lower[..at], ask).is_some()) => {
            tail(sentence, lower, at + "before ".len())
        }
        _ => {
            let at = [
                "without asking",
                "without permission",
                "without approval",
                "unless asked",
                "unless i ask",
                "without explicit",
            ]
            .iter()
            .find_map(|end| lower.find(end))?;
            sentence.get(..at).unwrap_or_default()
        }
    };
    let command = spans(text).into_iter().find_map(of_code).or_else(|| first_command(text))?;
    Some(Pattern::AskFirst(command))
}

/// True if a sentence says that nobody need be asked: "you need not ask", "merge without asking".
pub(crate) fn needs_no_asking(lower: &str) -> bool {
    let forbids = |text: &str| FORBID.iter().any(|forbid| find_word(text, forbid).is_some());
    let without = ["without asking", "without permission", "without approval", "without explicit"];
    if let Some(at) = without.iter().find_map(|without| lower.find(without)) {
        return !forbids(&lower[..at]);
    }
    let asking = ["ask", "confirm", "approval", "permission"];
    let Some(at) = asking.iter().filter_map(|asking| find_word(lower, asking)).min() else { return false };
    let before = lower[..at].rsplit([',', ';', ':', '.']).next().unwrap_or_default();
    // "Do not merge before asking" forbids the merge.
    let turns = ["before", "after", "until", "unless", "but", "and", "then"];
    let words = before.split_whitespace().rev().take_while(|word| !turns.contains(word));
    words.into_iter().any(|word| {
        ["not", "never", "no", "don't", "don’t", "needn't", "needn’t", "nobody", "stop"].contains(&word)
    })
}
