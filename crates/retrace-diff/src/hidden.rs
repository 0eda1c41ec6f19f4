//! Characters and stretches a reader does not see: the ways to put text into a memory that a person overlooks and a model
//! reads.
//!
//! Deliberately absent: any judgement. Most findings are harmless, and the caller decides what to say about them. Markdown
//! is not parsed either: a comment inside a code block is shown by a renderer, and is reported all the same.

use crate::joiners;
use memchr::memmem;
use std::fmt;
use std::ops::Range;

/// Why a stretch is not seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HiddenKind {
    /// No width: U+200B, U+200C, U+200D, U+2060, U+FEFF, U+180E.
    ZeroWidth,
    /// Changes the order in which text is shown: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069.
    BidiControl,
    /// A tag character, U+E0000 to U+E007F: an invisible alphabet.
    Tag,
    /// U+00AD.
    SoftHyphen,
    /// A C0 or C1 control other than tab and line ends. A carriage return that no line feed follows is one.
    Control,
    /// An HTML comment, marks included.
    HtmlComment,
    /// A byte that is not UTF-8.
    InvalidByte,
    /// A variation selector, other than where it chooses an emoji's or a Mongolian letter's form.
    VariationSelector,
    /// Another character without a glyph: Hangul fillers, invisible operators, line and paragraph separators and the like.
    OtherFormat,
}

impl HiddenKind {
    /// The name: lower case, words joined by `_`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ZeroWidth => "zero_width",
            Self::BidiControl => "bidi_control",
            Self::Tag => "tag",
            Self::SoftHyphen => "soft_hyphen",
            Self::Control => "control",
            Self::HtmlComment => "html_comment",
            Self::InvalidByte => "invalid_byte",
            Self::VariationSelector => "variation_selector",
            Self::OtherFormat => "other_format",
        }
    }
}

/// Name of a stretch that is not seen, written by [`Display`](fmt::Display). It is made when it is shown: a text may have one
/// for every character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenCode {
    /// `U+200B` for a character.
    Character(char),
    /// `0xE9` for a byte that is not UTF-8.
    Byte(u8),
    /// `<!--` for a comment.
    Comment,
}

impl fmt::Display for HiddenCode {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Character(character) => write!(to, "U+{:04X}", u32::from(*character)),
            Self::Byte(byte) => write!(to, "0x{byte:02X}"),
            Self::Comment => to.write_str("<!--"),
        }
    }
}

/// A stretch that is not seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// Byte range in the text.
    pub range: Range<usize>,
    /// Its name.
    pub code: HiddenCode,
    /// Why it is not seen.
    pub kind: HiddenKind,
}

/// Finds the hidden characters of `text`, which may have many lines, sorted by start and, at one start, longest first.
/// Characters come one by one; a comment may contain others.
///
/// Not reported, because the text needs them: see [`HiddenKind::VariationSelector`]; U+200C and U+200D inside an emoji
/// sequence or where a joining script uses them (between two letters or marks of that script; at the end of a word after a
/// mark; U+200D also after a letter); the tags of the three recommended flags (England, Scotland, Wales).
///
/// A comment runs from `<!--` to the next `-->`, over lines. One that is never closed hides all that follows when it starts
/// a line, as CommonMark has it (section 4.6, kind 2); elsewhere only its `<!--` is reported, since renderers show the rest.
#[must_use]
pub fn hidden(text: &str) -> Vec<Hidden> {
    in_line(text, &comments(text), 0..text.len())
}

/// The same for text that is cut into lines already, without their line ends: one list a line, ranges in that line. A
/// comment over several lines is reported on each.
#[must_use]
pub fn hidden_in_lines(lines: &[&str]) -> Vec<Vec<Hidden>> {
    let comments = comments(&lines.join("\n"));
    let mut start = 0;
    lines
        .iter()
        .map(|line| {
            let place = start..start + line.len();
            start = place.end + 1;
            in_line(line, &comments, place)
        })
        .collect()
}

/// Finds the hidden characters of `line`, which lies at `place` in the text that `comments` are ranges of.
pub(crate) fn in_line(line: &str, comments: &[Range<usize>], place: Range<usize>) -> Vec<Hidden> {
    let mut found = characters(line);
    let first = comments.partition_point(|comment| comment.end <= place.start);
    for comment in comments[first..].iter().take_while(|comment| comment.start < place.end) {
        let range = comment.start.max(place.start) - place.start..comment.end.min(place.end) - place.start;
        // An empty line inside a comment hides nothing.
        if !range.is_empty() {
            found.push(Hidden { range, code: HiddenCode::Comment, kind: HiddenKind::HtmlComment });
        }
    }
    sort(&mut found);
    found
}

pub(crate) fn sort(found: &mut [Hidden]) {
    found.sort_by_key(|one| (one.range.start, std::cmp::Reverse(one.range.end)));
}

/// The HTML comments of `text`, in order and apart from each other.
pub(crate) fn comments(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    let find = |mark: &str, from: usize| memmem::find(&text.as_bytes()[from..], mark.as_bytes());
    let Some(first) = find("<!--", 0) else { return found };
    let last_close = memmem::rfind(&text.as_bytes()[first..], b"-->").map(|offset| first + offset);
    while let Some(start) = find("<!--", at).map(|offset| at + offset) {
        // `<!-->` is a whole comment, so its end may share the hyphens of its start.
        let inside = start + 2;
        let end = match last_close {
            Some(close) if close >= inside => find("-->", inside).map(|offset| inside + offset + 3),
            _ if starts_line(text, start) => Some(text.len()),
            _ => None,
        };
        at = end.unwrap_or(start + 4);
        found.push(start..at);
    }
    found
}

/// True if only up to three spaces stand before `at` on its line. No more than four bytes are read: a line may be as long as
/// the text, and may have a mark every few bytes.
fn starts_line(text: &str, at: usize) -> bool {
    let before = &text.as_bytes()[..at];
    let spaces = before.iter().rev().take(4).take_while(|byte| **byte == b' ').count();
    spaces <= 3 && before[..at - spaces].last().is_none_or(|byte| *byte == b'\n')
}

fn characters(text: &str) -> Vec<Hidden> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t' | b'\n')) {
        return Vec::new();
    }
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if let Some(length) = joiners::flag_length(&chars[at..]) {
            at += length;
            continue;
        }
        let (start, character) = chars[at];
        if let Some(kind) = classify(&chars, at) {
            let code = HiddenCode::Character(character);
            found.push(Hidden { range: start..start + character.len_utf8(), code, kind });
        }
        at += 1;
    }
    found
}

fn classify(chars: &[(usize, char)], at: usize) -> Option<HiddenKind> {
    use HiddenKind::{BidiControl, Control, OtherFormat, SoftHyphen, Tag, VariationSelector, ZeroWidth};
    let kind = match chars[at].1 {
        '\t' | '\n' => return None,
        '\r' if chars.get(at + 1).is_some_and(|(_, next)| *next == '\n') => return None,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => Control,
        '\u{ad}' => SoftHyphen,
        '\u{200c}' | '\u{200d}' if joiners::joins(chars, at) => return None,
        '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{180e}' => ZeroWidth,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            BidiControl
        }
        '\u{e0000}'..='\u{e007f}' => Tag,
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{180b}'..='\u{180d}' | '\u{180f}' => {
            if joiners::selects(chars, at) {
                return None;
            }
            VariationSelector
        }
        other if retrace_model::is_hidden(other) => OtherFormat,
        _ => return None,
    };
    Some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn codes(text: &str) -> Vec<String> {
        hidden(text).into_iter().map(|one| one.code.to_string()).collect()
    }

    #[test]
    fn every_kind() {
        use HiddenKind::*;
        for (text, kind) in [
            ("a\u{200b}b", ZeroWidth),
            ("a\u{200c}b", ZeroWidth),
            ("a\u{200d}b", ZeroWidth),
            ("a\u{2060}b", ZeroWidth),
            ("\u{feff}a", ZeroWidth),
            ("a\u{180e}b", ZeroWidth),
            ("a\u{202e}b", BidiControl),
            ("a\u{2066}b", BidiControl),
            ("a\u{61c}b", BidiControl),
            ("a\u{200f}b", BidiControl),
            ("a\u{e0041}b", Tag),
            ("a\u{e0001}b", Tag),
            ("a\u{ad}b", SoftHyphen),
            ("a\u{7}b", Control),
            ("a\u{1b}[0m", Control),
            ("a\u{7f}", Control),
            ("a\u{85}b", Control),
            ("a\rb", Control),
            ("a\r", Control),
            ("a\u{fe0f}b", VariationSelector),
            ("\u{845b}\u{e0100}", VariationSelector),
            ("a\u{3164}b", OtherFormat),
            ("a\u{34f}b", OtherFormat),
            ("a\u{2028}b", OtherFormat),
            ("a\u{2062}b", OtherFormat),
        ] {
            let found = hidden(text);
            assert_eq!(found.len(), 1, "{text:?}");
            assert_eq!(found[0].kind, kind, "{text:?}");
            assert_eq!(text[found[0].range.clone()].chars().count(), 1, "{text:?}");
        }
    }

    #[test]
    fn what_everyone_can_see_is_not_reported() {
        for text in [
            "",
            "plain\ttext\r\nnext\n",
            "日本語 한국어 繁體中文",
            "e\u{301}",
            "👩\u{200d}👩\u{200d}👧",
            "❤\u{fe0f}",
            "🐻\u{200d}❄\u{fe0f}",
            "a < b --> c",
        ] {
            assert_eq!(codes(text), Vec::<String>::new(), "{text:?}");
        }
    }

    #[test]
    fn comments_and_their_ends() {
        for (text, ranges) in [
            ("a <!-- b --> c", &[(2, 12)][..]),
            ("<!--->x-->", &[(0, 6)]),
            ("<!-->x", &[(0, 5)]),
            ("<!-- a\nb --> <!--c-->", &[(0, 12), (13, 21)][..]),
            ("<!-- never\nclosed", &[(0, 17)]),
            ("  <!-- never", &[(2, 12)]),
            ("write `<!--` to open\nmore", &[(7, 11)]),
            ("--> <!-- x", &[(4, 8)]),
            ("a <!-- <!-- b -->", &[(2, 17)]),
        ] {
            let found: Vec<_> = comments(text).iter().map(|range| (range.start, range.end)).collect();
            assert_eq!(found, ranges, "{text:?}");
        }
    }

    #[test]
    fn what_hides_in_a_comment_is_named_too() {
        assert_eq!(codes("<!--\u{200b}-->"), ["<!--", "U+200B"]);
        let lines = hidden_in_lines(&["<!-- a", "b\u{200b}", "-->", "c"]);
        let kinds: Vec<Vec<_>> = lines.iter().map(|line| line.iter().map(|one| one.kind).collect()).collect();
        use HiddenKind::{HtmlComment, ZeroWidth};
        assert_eq!(kinds, [vec![HtmlComment], vec![HtmlComment, ZeroWidth], vec![HtmlComment], vec![]]);
    }

    proptest! {
        #[test]
        fn ranges_fit_and_are_sorted(text in "([a<!\\->\n\r\u{200b}\u{200d}\u{fe0f}\u{e0041}👩🏴é]|<!--|-->){0,40}") {
            let found = hidden(&text);
            for one in &found {
                prop_assert!(text.get(one.range.clone()).is_some_and(|part| !part.is_empty()));
            }
            for pair in found.windows(2) {
                prop_assert!(pair[0].range.start <= pair[1].range.start);
            }
        }

        #[test]
        fn no_text_panics(text: String) {
            let _ = hidden(&text);
            let _ = hidden_in_lines(&text.split('\n').collect::<Vec<_>>());
        }
    }
}
