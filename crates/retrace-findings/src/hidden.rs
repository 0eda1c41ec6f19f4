//! Text that a person does not see: what `retrace-diff` finds, compared with what is usual in memories.

use crate::page::Page;
use crate::registry::{Rule, known};
use retrace_diff::{Hidden, HiddenKind};
use retrace_message::{Message, and_more};
use std::ops::Range;

/// A comment of fewer words than this is a mark for a program (`<!-- toc -->`), not text for a model.
const COMMENT_WORDS: usize = 4;

/// Beginnings of comments that programs read.
const FOR_PROGRAMS: [&str; 12] = [
    "retrace-allow",
    "markdownlint",
    "prettier",
    "toc",
    "doctoc",
    "eslint",
    "vale",
    "textlint",
    "cspell",
    "spell",
    "dprint",
    "lint",
];

pub(crate) fn check(page: &mut Page<'_>) {
    let found = retrace_diff::hidden(page.text.as_str());
    let rules = Rules::default();
    let mut at = 0;
    while at < found.len() {
        let first = &found[at];
        if first.kind == HiddenKind::HtmlComment {
            comment(page, first.range.clone());
            at += 1;
            continue;
        }
        // Characters of one kind side by side are one finding.
        let (begin, mut end) = (at, first.range.end);
        at += 1;
        while let Some(next) = found.get(at).filter(|next| next.kind == first.kind && next.range.start == end)
        {
            end = next.range.end;
            at += 1;
        }
        character(page, &rules, first.range.start..end, &found[begin..at]);
    }
    invalid_bytes(page);
}

/// The rules about characters, each looked up once for a text in which there may be one at every other place.
struct Rules {
    zero_width: &'static Rule,
    bidi: &'static Rule,
    tag: &'static Rule,
    control: &'static Rule,
    other: &'static Rule,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            zero_width: known("hidden/zero-width"),
            bidi: known("hidden/bidi"),
            tag: known("hidden/tag"),
            control: known("hidden/control"),
            other: known("hidden/other"),
        }
    }
}

fn character(page: &mut Page<'_>, rules: &Rules, range: Range<usize>, found: &[Hidden]) {
    let (rule, what): (_, fn(Message) -> Message) = match found.first().map(|first| first.kind) {
        // A byte order mark at the very start is how some editors save.
        Some(HiddenKind::ZeroWidth) if range == (0..3) && page.text.as_str().starts_with('\u{feff}') => {
            return;
        }
        Some(HiddenKind::ZeroWidth) => (rules.zero_width, say::without_width),
        Some(HiddenKind::BidiControl) => (rules.bidi, say::changes_order),
        Some(HiddenKind::Tag) => (rules.tag, say::invisible_letters),
        Some(HiddenKind::Control) => (rules.control, say::control_character),
        _ => (rules.other, say::not_shown),
    };
    page.report_with(rule, range, |_| {
        let named = found.iter().take(4).map(|one| one.code.to_string()).collect::<Vec<_>>().join(" ");
        what(if found.len() > 4 { and_more(named, found.len() - 4) } else { Message::verbatim(named) })
    });
}

fn comment(page: &mut Page<'_>, range: Range<usize>) {
    let inner = page.text.as_str()[range.clone()].trim_start_matches("<!--").trim_end_matches("-->").trim();
    let lower = inner.to_lowercase();
    let words = inner.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
    let characters = inner.chars().filter(|letter| letter.is_alphabetic() && !letter.is_ascii()).count();
    // Chinese and Japanese write without spaces.
    let says_something = words >= COMMENT_WORDS || characters >= 4 * COMMENT_WORDS;
    if !says_something
        || FOR_PROGRAMS.iter().any(|start| lower.starts_with(start))
        || page.code.contains(range.start)
    {
        return;
    }
    page.report("hidden/comment", range, say::comment_words_not_seen_where(words));
}

fn invalid_bytes(page: &mut Page<'_>) {
    if page.text.is_exact() {
        return;
    }
    let mut at = 0;
    let mut places: Vec<Range<usize>> = Vec::new();
    for chunk in page.bytes.utf8_chunks() {
        at += chunk.valid().len();
        let end = at + chunk.invalid().len();
        match places.last_mut() {
            Some(last) if last.end == at && at < end => last.end = end,
            _ if at < end => places.push(at..end),
            _ => {}
        }
        at = end;
    }
    for place in places {
        let bytes = place.len();
        page.report("hidden/other", place, say::not_utf_8_bytes(bytes));
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "hidden";
    without_width(characters) => "Zero-width characters: {characters}.",
    changes_order(characters) => "Changes the order of the text: {characters}.",
    invisible_letters(characters) => "Invisible letters: {characters}.",
    control_character(characters) => "A control character: {characters}.",
    not_shown(characters) => "Not shown: {characters}.",
    comment_words_not_seen_where(words) => "A comment of {words} words is not seen where this is rendered.",
    not_utf_8_bytes(bytes) => "Not UTF-8: {bytes} bytes.",
}
