//! Decides if hostile words are used or mentioned: a note about prompt injection quotes and describes what an injection
//! says.
//!
//! A mention needs its evidence on the page: a quotation in a sentence that reports it, a sentence that names the attack
//! before it comes to the words, a negation, a list below a heading about attacks. Words that stand alone are used, also in
//! quotation marks. Who knows these rules can write an injection that passes for a mention; it is still a finding then.
//!
//! Invariant: what is looked at around a match is bounded, so that many matches on one line cost no more than its length.

use crate::markdown::Code;
use crate::text::Text;
use regex::Regex;
use std::ops::Range;
use std::sync::OnceLock;

/// Bytes of a line before and after a match that are looked at.
const REACH: usize = 320;

/// Lines above a match in which the sentence that introduces its list, quotation or block is searched for.
const LINES_ABOVE: usize = 8;

/// A line with at most so many words besides the match says nothing else.
const SHORT: usize = 4;

/// A quotation stands in a sentence when so many words are outside it.
const SENTENCE: usize = 3;

/// Signs of a mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Sentences to the model: a quotation is a mention.
    Words,
    /// Pieces of the conversation's format: in code they are documentation.
    Format,
    /// Commands: code is how they are given, so only a description counts.
    Command,
}

/// Where headings stand, for all matches of a text.
pub(crate) struct Mentions<'a> {
    text: &'a Text<'a>,
    code: &'a Code,
    headings: Vec<usize>,
}

macro_rules! shape {
    ($name:ident, $expression:expr) => {
        fn $name() -> &'static Regex {
            static SHAPE: OnceLock<Regex> = OnceLock::new();
            SHAPE.get_or_init(|| Regex::new($expression).expect("a test runs it"))
        }
    };
}

// The attack is the subject.
shape!(
    attack,
    r"(?i)\b(?:(?:prompt|instruction|command)[ -]?injections?|injection|inject(?:s|ed|ing)?|jail[ -]?break\w*|attack\w*|adversar\w*|malicious\w*|exploit\w*|payloads?|exfiltrat\w*|phish\w*|untrusted|suspicious|red[ -]?team\w*|social engineering|detect(?:s|ed|ing|ion|or|ors)?|refus(?:e|es|ed|ing|al)|resist(?:s|ed|ing)?|sanitiz\w*|guardrails?|(?:try|tries|tried|trying|attempt|attempts|attempted|attempting) to|if (?:asked|told|instructed) to|(?:asked|told|instructed|tricked) (?:\w+ ){0,3}to|(?:block|flag|filter|reject|catch|strip)(?:s|es|ed|ing)? \w+)\b|注入|インジェクション|攻撃|攻擊|攻击|脱獄|越狱|越獄|悪意|恶意|惡意|인젝션|주입|공격|탈옥|악의"
);

// A sentence that reports what somebody or something says.
shape!(
    reported,
    r"(?i)\b(?:say|says|said|saying|reads?|wrote|writes|written|type[ds]?|typing|pasted?|sent|asks?|asked|phrases?|such as|like|e\.g|for example|examples?|contain(?:s|ed|ing)?|strings?|texts?|messages?|patterns?|quote[ds]?|quoting|titled?|called|named|match(?:es|ed)?|search(?:es)?|grep|regex|tests?|fixtures?|inputs?|wording|words?|terms?|look(?:s|ing)? for)\b|という|といった|例えば|など|例如|比如|文字|語句|문구|예를|라는"
);

// The words are turned into their opposite.
shape!(
    negated,
    r"(?i)(?:\b(?:never|not|don't|do not|cannot|can't|won't|doesn't|mustn't|shouldn't|refuses? to|refusing to|instead of|rather than|avoid|forbidden to|without)\s+(?:[\w-]+\s+){0,2})$"
);

// …unless by these: "do not hesitate to".
shape!(urged, r"(?i)\b(?:hesitate|forget|fail|worry|wait|mind)\b");

// Words after the quotation that make a subject of the words: "… is a common attack".
shape!(
    subject,
    r"(?i)^[\s\x22'`”’」*_]*(?:[\w-]+\s+){0,1}(?:(?:is|are|was|were)\s+(?:\w+\s+){0,4}(?:attacks?|attempts?|injections?|jailbreaks?|phrases?|patterns?|payloads?|tricks?|examples?)|-?style|attacks?|attempts?|injections?|payloads?|tricks?|phrases?|patterns?)\b"
);

impl<'a> Mentions<'a> {
    pub(crate) fn of(text: &'a Text<'a>, code: &'a Code) -> Self {
        let headings = text
            .lines()
            .enumerate()
            .filter(|(_, (_, line))| line.starts_with('#') && line.trim_start_matches('#').starts_with(' '))
            .map(|(index, _)| index)
            .collect();
        Self { text, code, headings }
    }

    /// True if the words at `range` are quoted or described rather than said.
    pub(crate) fn is_mention(&self, range: &Range<usize>, sort: Sort) -> bool {
        let index = self.text.line_of(range.start);
        let line = self.text.line_range(index);
        // A match can begin with the line feed before it.
        let start = range.start.max(line.start).min(line.end);
        let before = self.piece(start.saturating_sub(REACH).max(line.start), start);
        let end = range.end.clamp(start, line.end.max(start));
        let after = self.piece(end, end.saturating_add(REACH).min(line.end));
        let in_code = self.code.contains(start);
        let in_block = in_code && self.is_block(start, &line);
        if sort == Sort::Format && in_code {
            return true;
        }
        if is_described(before, after) {
            return true;
        }
        let quotation = quotation(before, after).or_else(|| {
            let span = in_code && !in_block;
            span.then(|| {
                (
                    before.rsplit_once('`').map_or(before, |cut| cut.0),
                    after.split_once('`').map_or("", |cut| cut.1),
                )
            })
        });
        if let Some((outside_before, outside_after)) = quotation {
            let outside = words(outside_before) + words(outside_after);
            let distinct = attack().is_match(outside_before) || attack().is_match(outside_after);
            let distinct = distinct || (sort == Sort::Words && reported().is_match(outside_before));
            if distinct && outside >= SENTENCE {
                return true;
            }
        }
        let item = is_item(self.piece(line.start, line.end.min(line.start.saturating_add(16))));
        let alone = words(before) + words(after) <= SHORT;
        let quoted_line = before.trim_start().starts_with('>');
        (in_block || quoted_line || (item && alone))
            && self.is_introduced(index, in_block || quoted_line, sort)
    }

    /// True if the heading above, or the sentence above a list, quotation or block, is about attacks or reports them.
    fn is_introduced(&self, index: usize, apart: bool, sort: Sort) -> bool {
        let above = self.headings.partition_point(|heading| *heading < index);
        if above > 0 && attack().is_match(self.line(self.headings[above - 1])) {
            return true;
        }
        for above in (index.saturating_sub(LINES_ABOVE)..index).rev() {
            let line = self.line(above);
            let trimmed = line.trim();
            if trimmed.is_empty() || trimmed.starts_with("```") || trimmed.starts_with("~~~") {
                continue;
            }
            if is_item(line) && !trimmed.ends_with(':') || (apart && trimmed.starts_with('>')) {
                continue;
            }
            let introduces = trimmed.ends_with([':', '：']);
            let distinct =
                attack().is_match(line) || (apart && sort == Sort::Words && reported().is_match(line));
            return introduces && distinct;
        }
        false
    }

    /// True if the code at `start` is a block rather than a span of its line.
    fn is_block(&self, start: usize, line: &Range<usize>) -> bool {
        let ranges = self.code.ranges();
        let after = ranges.partition_point(|range| range.start <= start);
        after > 0 && (ranges[after - 1].start < line.start || ranges[after - 1].end > line.end)
    }

    fn line(&self, index: usize) -> &str {
        let range = self.text.line_range(index);
        self.piece(range.start, range.end.min(range.start.saturating_add(REACH)))
    }

    /// A stretch of the text, cut to whole characters.
    fn piece(&self, mut start: usize, mut end: usize) -> &str {
        let text = self.text.as_str();
        while start < end && !text.is_char_boundary(start) {
            start += 1;
        }
        while end > start && !text.is_char_boundary(end) {
            end -= 1;
        }
        text.get(start..end).unwrap_or("")
    }
}

/// True if the clause around the words is about them, without quotation marks.
fn is_described(before: &str, after: &str) -> bool {
    let open = before.trim_end_matches(['`', '"', '\'', '“', '‘', '「', '*', '_', '(']);
    if let Some(found) = negated().find(open) {
        return !urged().is_match(found.as_str());
    }
    let boundary = |letter: char| matches!(letter, '.' | '!' | '?' | ';' | '。' | '！' | '？');
    let sentence = sentence_end(open, boundary);
    // After a comma a new clause begins, unless a colon has opened a list of such words.
    let clause = match sentence.rsplit_once([',', '、']) {
        Some((_, clause)) if !sentence.contains([':', '：']) => clause,
        _ => sentence,
    };
    attack().is_match(clause) || subject().is_match(after)
}

/// Text after the last end of a sentence; an abbreviation such as `e.g.` ends none.
fn sentence_end(text: &str, boundary: impl Fn(char) -> bool) -> &str {
    let mut at = text.len();
    while let Some(found) = text[..at].rfind(&boundary) {
        let rest = &text[found..];
        let next = rest.chars().nth(1);
        let wide = !rest.starts_with(['.', '!', '?', ';']);
        let short =
            text[..found].ends_with(".g") || text[..found].ends_with("i.e") || text[..found].ends_with("etc");
        if (wide || next.is_none_or(char::is_whitespace)) && !short {
            return rest.get(rest.chars().next().map_or(0, char::len_utf8)..).unwrap_or("");
        }
        at = found;
    }
    text
}

/// Text outside the quotation marks around the words; `None` where there are none.
fn quotation<'a>(before: &'a str, after: &'a str) -> Option<(&'a str, &'a str)> {
    for (open, close) in [('“', '”'), ('「', '」'), ('『', '』'), ('«', '»'), ('‘', '’')] {
        if let (Some(start), Some(end)) = (before.rfind(open), after.find(close))
            && !before[start..].contains(close)
        {
            return Some((&before[..start], &after[end + close.len_utf8()..]));
        }
    }
    for mark in ['"', '\''] {
        let is_open =
            |at: usize| before[..at].chars().next_back().is_none_or(|letter| !letter.is_alphanumeric());
        let is_close =
            |at: usize| after[at + 1..].chars().next().is_none_or(|letter| !letter.is_alphanumeric());
        let marks = |text: &str, fits: &dyn Fn(usize) -> bool| -> Vec<usize> {
            text.match_indices(mark).map(|(at, _)| at).filter(|at| fits(*at)).collect()
        };
        let opened: Vec<usize> = if mark == '"' { marks(before, &|_| true) } else { marks(before, &is_open) };
        let closed: Vec<usize> = if mark == '"' { marks(after, &|_| true) } else { marks(after, &is_close) };
        let odd = mark == '\'' || opened.len() % 2 == 1;
        if let (Some(start), Some(end), true) = (opened.last(), closed.first(), odd) {
            return Some((&before[..*start], &after[end + 1..]));
        }
    }
    None
}

fn words(text: &str) -> usize {
    let letters = text.chars().filter(|letter| letter.is_alphabetic() && !letter.is_ascii()).count();
    let words =
        text.split_whitespace().filter(|word| word.bytes().any(|byte| byte.is_ascii_alphabetic())).count();
    // Chinese and Japanese write without spaces.
    words + letters / 3
}

/// True if a line begins an item of a list or a row of a table.
fn is_item(line: &str) -> bool {
    let text = line.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text.starts_with("- ")
        || text.starts_with("* ")
        || text.starts_with("+ ")
        || text.starts_with('|')
        || (digits > 0 && text[digits..].starts_with(['.', ')']))
}
