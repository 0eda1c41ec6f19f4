//! The lines of a text in which rules may stand, and their sentences.

use super::LONGEST_LINE;
use std::borrow::Cow;

/// A line of text.
pub(super) struct Line {
    /// From 1.
    pub(super) number: u64,
    pub(super) sentences: Vec<String>,
    /// True for a line of a list under a heading or a line that forbids: "## Never", "Do not:".
    pub(super) is_forbidden: bool,
    /// True if it goes on with the line before.
    goes_on: bool,
    /// True if its last sentence ends on it.
    ends: bool,
}

/// The lines in which rules may stand.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    let (mut fenced, mut commented, mut is_broken) = (false, false, true);
    let mut lead = Lead::default();
    let front_matter = front_matter(text);
    for (number, line) in text.lines().enumerate().skip(front_matter) {
        let line = if fenced { line.into() } else { without_comments(line, &mut commented) };
        let trimmed = line.trim();
        let is_mark = is_fence(trimmed);
        fenced ^= is_mark;
        let is_other = trimmed.is_empty() || trimmed.starts_with('#') || is_quoted(trimmed);
        if !fenced {
            lead.read(trimmed);
        }
        if is_mark || fenced || is_other || trimmed.chars().count() > LONGEST_LINE {
            is_broken = true;
            continue;
        }
        let ordered = trimmed.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let is_item = ["- ", "* ", "+ ", "| "].iter().any(|mark| trimmed.starts_with(mark))
            || ordered.len() < trimmed.len() && ordered.starts_with(['.', ')']);
        found.push(Line {
            number: number as u64 + 1,
            sentences: sentences(trimmed),
            is_forbidden: is_item && lead.forbids(),
            goes_on: !is_broken && !is_item,
            ends: trimmed.trim_end_matches(['*', '_', '"', ')', '`']).ends_with(['.', '!', '?', ';', ':']),
        });
        is_broken = false;
    }
    found
}

/// True for a quotation, also as a line of a list.
fn is_quoted(trimmed: &str) -> bool {
    let marks = ["- ", "* ", "+ "];
    let body = marks.iter().find_map(|mark| trimmed.strip_prefix(mark)).unwrap_or(trimmed);
    body.trim_start().starts_with('>')
}

/// Headings and lines by which the list under them is forbidden.
const FORBIDDING: [&str; 16] = [
    "never",
    "never ever",
    "never do",
    "never do this",
    "never run",
    "never use",
    "do not",
    "don't",
    "don’t",
    "don'ts",
    "do not run",
    "do not use",
    "don't run",
    "don't use",
    "forbidden",
    "forbidden commands",
];

/// What the heading of a line, or the line before its list, says of it.
#[derive(Default)]
struct Lead {
    by_heading: bool,
    by_line: bool,
}

impl Lead {
    fn read(&mut self, trimmed: &str) {
        let is_item = ["- ", "* ", "+ "].iter().any(|mark| trimmed.starts_with(mark));
        if trimmed.is_empty() || is_item {
            return;
        }
        let plain = trimmed.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
        let forbids = FORBIDDING.contains(&plain.as_str());
        if trimmed.starts_with('#') {
            (self.by_heading, self.by_line) = (forbids, false);
        } else {
            self.by_line = forbids && trimmed.trim_end_matches(['*', '_']).ends_with(':');
            // Another lead than the heading: "Do:".
            self.by_heading &= !trimmed.ends_with(':');
        }
    }

    fn forbids(&self) -> bool {
        self.by_heading || self.by_line
    }
}

/// Most lines of a sentence that are read before one of them, and behind it.
const MOST_LINES: usize = 8;

/// A sentence with what it has on the lines before and behind.
pub(super) fn whole(lines: &[Line], at: usize, place: usize) -> String {
    let mut whole = lines[at].sentences[place].clone();
    let mut first = at;
    while (first < at || place == 0) && lines[first].goes_on && first > 0 && !lines[first - 1].ends {
        if at - first >= MOST_LINES {
            break;
        }
        let Some(before) = lines[first - 1].sentences.last() else { break };
        whole = format!("{before} {whole}");
        first -= 1;
        if lines[first].sentences.len() > 1 {
            break;
        }
    }
    let mut last = at;
    while (last > at || place + 1 == lines[at].sentences.len()) && !lines[last].ends {
        if last - at >= MOST_LINES {
            break;
        }
        let Some(next) = lines.get(last + 1).filter(|next| next.goes_on) else { break };
        let Some(behind) = next.sentences.first() else { break };
        whole = format!("{whole} {behind}");
        last += 1;
        if next.sentences.len() > 1 {
            break;
        }
    }
    whole
}

/// Lines of the front matter at the beginning of a text; none where it does not end.
fn front_matter(text: &str) -> usize {
    let mut lines = text.lines().map(str::trim_end);
    if lines.next() != Some("---") {
        return 0;
    }
    lines.position(|line| line == "---").map_or(0, |last| last + 2)
}

/// A line without its comments, which no model is shown. `commented` is true where one goes on.
fn without_comments<'l>(line: &'l str, commented: &mut bool) -> Cow<'l, str> {
    if !*commented && !line.contains("<!--") {
        return Cow::Borrowed(line);
    }
    let (mut kept, mut rest) = (String::new(), line);
    loop {
        let mark = if *commented { "-->" } else { "<!--" };
        let Some((before, after)) = rest.split_once(mark) else { break };
        if !*commented {
            kept.push_str(before);
        }
        *commented = !*commented;
        rest = after;
    }
    if !*commented {
        kept.push_str(rest);
    }
    Cow::Owned(kept)
}

/// The lines of a text that a model is shown, with their numbers from 1: without comments. In a block of code a comment is text.
#[must_use]
pub fn shown_lines(text: &str) -> Vec<(u64, Cow<'_, str>)> {
    let (mut fenced, mut commented) = (false, false);
    let shown = text.lines().enumerate().map(|(number, line)| {
        let line = if fenced { Cow::Borrowed(line) } else { without_comments(line, &mut commented) };
        fenced ^= is_fence(&line);
        (number as u64 + 1, line)
    });
    shown.collect()
}

/// The shown lines that ask something themselves: without blocks of code and quotations, which show what is written elsewhere.
#[must_use]
pub fn asking_lines(text: &str) -> Vec<(u64, Cow<'_, str>)> {
    let mut fenced = false;
    let asks = |(_, line): &(u64, Cow<'_, str>)| {
        let is_mark = is_fence(line);
        fenced ^= is_mark;
        !fenced && !is_mark && !is_quoted(line.trim())
    };
    shown_lines(text).into_iter().filter(asks).collect()
}

fn is_fence(line: &str) -> bool {
    let trimmed = line.trim_start();
    trimmed.starts_with("```") || trimmed.starts_with("~~~")
}

/// The sentences of a line, without the marks of a list.
pub(crate) fn sentences(line: &str) -> Vec<String> {
    let line = line.trim_start_matches(|letter: char| "-*+> ".contains(letter) || letter.is_ascii_digit());
    let line = without_struck(line.trim_start_matches(['.', ')']).trim()).replace("**", "");
    let mut parts = Vec::new();
    let (mut begin, mut in_code) = (0, false);
    let bytes = line.as_bytes();
    for (at, letter) in line.char_indices() {
        in_code ^= letter == '`';
        let ends =
            matches!(letter, '.' | '!' | '?' | ';') && bytes.get(at + 1).is_none_or(|next| *next == b' ');
        if ends && !in_code {
            parts.push(line[begin..=at].trim().to_owned());
            begin = at + letter.len_utf8();
        }
    }
    parts.push(line[begin..].trim().to_owned());
    parts.retain(|part| part.len() > 3);
    parts
}

/// A line without what is struck out.
pub(crate) fn without_struck(line: &str) -> Cow<'_, str> {
    let parts: Vec<&str> = line.split("~~").collect();
    // A mark without its end strikes nothing out.
    if parts.len() < 3 || parts.len().is_multiple_of(2) {
        return Cow::Borrowed(line);
    }
    Cow::Owned(parts.into_iter().step_by(2).collect())
}
