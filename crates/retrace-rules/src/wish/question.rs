//! What a question of the model is about.

use super::acts::names_act;
use super::{act_word, words};
use crate::rule::Command;

/// What a question is about, for an act that followed its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// It names the act.
    TheAct,
    /// It names nothing: "Shall I go ahead?"
    Nothing,
    /// It names something else.
    Other,
}

/// Words of a question that name nothing.
const NAMING_NOTHING: &[&str] = &[
    "shall",
    "should",
    "may",
    "can",
    "could",
    "would",
    "do",
    "does",
    "are",
    "is",
    "will",
    "i",
    "we",
    "you",
    "me",
    "us",
    "want",
    "wants",
    "like",
    "to",
    "it",
    "this",
    "that",
    "these",
    "those",
    "all",
    "everything",
    "so",
    "and",
    "or",
    "now",
    "then",
    "go",
    "going",
    "ahead",
    "proceed",
    "continue",
    "on",
    "with",
    "start",
    "begin",
    "ready",
    "ok",
    "okay",
    "good",
    "fine",
    "right",
    "sound",
    "sounds",
    "look",
    "looks",
    "for",
    "the",
    "a",
    "of",
    "in",
    "my",
    "your",
    "next",
    "step",
    "steps",
    "please",
    "let",
    "know",
    "if",
    "agree",
    "approve",
    "approved",
    "confirm",
    "sure",
    "yes",
    "no",
    "not",
    "soll",
    "ich",
    "das",
    "so",
    "weitermachen",
    "loslegen",
    "je",
    "peux",
    "dois",
    "continuer",
    "on",
    "y",
    "va",
    "puedo",
    "continúo",
    "sigo",
    "procedo",
    "posso",
    "continuar",
    "prosseguir",
    "は",
    "よろしいですか",
    "続けますか",
    "いいですか",
    "进行吗",
    "可以吗",
    "继续吗",
    "계속할까요",
    "진행할까요",
    "user",
    "has",
    "have",
    "answered",
    "questions",
    "question",
];

/// What the text of a model that ends with a question asks about, or a tool's question with its answer.
pub(crate) fn about(text: &str, command: &Command) -> About {
    let word = act_word(command);
    let asked = questions(text);
    if asked.iter().any(|question| names_act(question, word)) {
        return About::TheAct;
    }
    let names_something =
        |question: &&str| words(question).iter().any(|word| !NAMING_NOTHING.contains(&word.as_str()));
    if asked.iter().any(names_something) {
        return About::Other;
    }
    // "I will push this to origin. OK?"
    let last = text.trim_end().rsplit("\n\n").next().unwrap_or_default();
    if names_act(last, word) { About::TheAct } else { About::Nothing }
}

/// The questions of a text, each from the end of the sentence before it.
fn questions(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut begin = 0;
        for (at, letter) in line.char_indices() {
            let end = at + letter.len_utf8();
            let is_end = line[end..].is_empty() || line[end..].starts_with([' ', '*', '"', ')', '_', '`']);
            match letter {
                '?' if is_end => found.push(&line[begin..end]),
                '？' => found.push(&line[begin..end]),
                '.' | '!' | ':' if is_end => {}
                '。' | '！' => {}
                _ => continue,
            }
            begin = end;
        }
    }
    found
}
