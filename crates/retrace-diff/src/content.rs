//! From bytes to lines: what counts as text, how bytes that are not UTF-8 are shown, where lines end.

use crate::hidden::{self, Hidden};
use std::borrow::Cow;
use std::ops::Range;

/// A content without a NUL is text while at most this many of its bytes are not UTF-8, however short it is.
const STRAY_BYTES: usize = 8;

/// A longer one is text while at most one byte in this many is not UTF-8. Western European text in Latin-1 stays below
/// one in twenty; Shift JIS, EUC-KR and packed data lie far above one in ten.
const STRAY_SHARE: usize = 10;

/// One line as it is shown. With `text`, [`HiddenKind::InvalidByte`](crate::HiddenKind::InvalidByte) in `hidden` and the
/// two flags the raw bytes can be restored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextLine {
    /// The text without its line end. Each byte that is not UTF-8 stands as one U+FFFD.
    pub text: String,
    /// Characters that a reader would not see, in the order of the text; ranges into `text`.
    pub hidden: Vec<Hidden>,
    /// True on a last line that no line feed ends.
    pub no_newline: bool,
    /// True when the line ends in carriage return and line feed.
    pub carriage_return: bool,
}

/// True if `bytes` are text: no NUL, and at most 8 bytes or one byte in ten that are not UTF-8. Empty is text.
#[must_use]
pub fn is_text(bytes: &[u8]) -> bool {
    if bytes.contains(&0) {
        return false;
    }
    let allowed = STRAY_BYTES.max(bytes.len() / STRAY_SHARE);
    std::str::from_utf8(bytes).is_ok()
        || bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum::<usize>() <= allowed
}

/// `bytes` as text, one U+FFFD for each byte that is not UTF-8. It has the same lines as `bytes`.
#[must_use]
pub fn to_text(bytes: &[u8]) -> Cow<'_, str> {
    replace_invalid(bytes, |_| char::REPLACEMENT_CHARACTER)
}

/// The lines of `bytes`; `None` when they are not text ([`is_text`]).
#[must_use]
pub fn text_lines(bytes: &[u8]) -> Option<Vec<TextLine>> {
    first_text_lines(bytes, usize::MAX)
}

/// The same of the first `most` lines alone. What a line says of comments is known from the whole content.
#[must_use]
pub fn first_text_lines(bytes: &[u8], most: usize) -> Option<Vec<TextLine>> {
    is_text(bytes).then(|| {
        let content = Content::new(bytes);
        (0..content.lines.len().min(most)).map(|index| content.text_line(index)).collect()
    })
}

/// The lines of `bytes` with their line ends. A final line feed opens no further line; no bytes, no lines.
pub(crate) fn split(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

/// The number, from 1, of the line at `index`, from 0. Line numbers are 32 bits wide everywhere; a content with more
/// lines than that is far above every size limit.
pub(crate) fn number(index: usize) -> u32 {
    u32::try_from(index.saturating_add(1)).unwrap_or(u32::MAX)
}

/// A line without its line end: LF or CR LF.
pub(crate) fn without_line_end(line: &[u8]) -> &[u8] {
    let Some(line) = line.strip_suffix(b"\n") else { return line };
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn replace_invalid(bytes: &[u8], replacement: impl Fn(u8) -> char) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| replacement(*byte)));
    }
    Cow::Owned(text)
}

/// A content cut into lines, ready to be shown line by line.
pub(crate) struct Content<'a> {
    /// The raw lines, with their line ends.
    pub lines: Vec<&'a [u8]>,
    /// Where each line starts in the text of the whole content.
    starts: Vec<usize>,
    /// HTML comments, in that text.
    comments: Vec<Range<usize>>,
}

impl<'a> Content<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let text = to_text(bytes);
        let starts =
            std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1)).collect();
        let comments = hidden::comments(&text);
        Self { lines: split(bytes), starts, comments }
    }

    /// The line at `index`, from 0.
    pub(crate) fn text_line(&self, index: usize) -> TextLine {
        let raw = self.lines[index];
        let shown = to_text(without_line_end(raw));
        let start = self.starts[index];
        let mut hidden = hidden::in_line(&shown, &self.comments, start..start + shown.len());
        if std::str::from_utf8(raw).is_err() {
            hidden.extend(invalid_bytes(raw));
            hidden::sort(&mut hidden);
        }
        let no_newline = !raw.ends_with(b"\n");
        TextLine { text: shown.into_owned(), hidden, no_newline, carriage_return: raw.ends_with(b"\r\n") }
    }

    /// The line at `index` without its line end, for comparing its words: as it is shown, only that different invalid
    /// bytes are different characters. They are taken from the private use area, whose characters are as long in UTF-8
    /// as U+FFFD, so that ranges fit the line that is shown.
    pub(crate) fn comparable(&self, index: usize) -> Cow<'a, str> {
        replace_invalid(without_line_end(self.lines[index]), |byte| {
            char::from_u32(0xF700 + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
        })
    }
}

fn invalid_bytes(raw: &[u8]) -> Vec<Hidden> {
    let mut found = Vec::new();
    let mut at = 0;
    for chunk in raw.utf8_chunks() {
        at += chunk.valid().len();
        for byte in chunk.invalid() {
            let end = at + char::REPLACEMENT_CHARACTER.len_utf8();
            let code = hidden::HiddenCode::Byte(*byte);
            found.push(Hidden { range: at..end, code, kind: hidden::HiddenKind::InvalidByte });
            at = end;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_text() {
        for (bytes, text) in [
            (&b""[..], true),
            (b"plain\n", true),
            ("日本語".as_bytes(), true),
            (b"caf\xe9", true),
            (b"a\0b", false),
            (b"\xff\xfea\0", false),
            (&[0x83; 8], true),
            (&[0x83; 9], false),
            (b"\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd\x90\xa2\x8a\x45", false),
        ] {
            assert_eq!(is_text(bytes), text, "{bytes:?}");
        }
        let mut latin = "caf\u{e9} ".repeat(20).into_bytes();
        latin.retain(|byte| *byte != 0xc3);
        assert!(latin.len() / STRAY_SHARE < 20, "above one in ten");
        assert!(!is_text(&latin));
        latin.extend([b'x'; 100]);
        assert!(is_text(&latin));
    }

    #[test]
    fn lines_say_how_they_end_and_what_hides() {
        let lines = text_lines(b"a\r\nb\nc\xe9\rd").expect("text");
        let shown: Vec<_> =
            lines.iter().map(|line| (line.text.as_str(), line.carriage_return, line.no_newline)).collect();
        assert_eq!(shown, [("a", true, false), ("b", false, false), ("c\u{fffd}\rd", false, true)]);
        let codes: Vec<_> =
            lines[2].hidden.iter().map(|one| (one.range.clone(), one.code.to_string())).collect();
        assert_eq!(codes, [(1..4, "0xE9".to_owned()), (4..5, "U+000D".to_owned())]);
        assert_eq!(text_lines(b""), Some(Vec::new()));
        assert_eq!(text_lines(b"\0"), None);
        assert_eq!(first_text_lines(b"a\nb\nc", 2), text_lines(b"a\nb\n"));
        assert_eq!(first_text_lines(b"a\nb", 3), text_lines(b"a\nb"));
    }

    #[test]
    fn a_comment_is_hidden_on_each_of_its_lines() {
        let lines = text_lines(b"see <!-- do\n\nthis --> now\n").expect("text");
        let ranges: Vec<_> =
            lines.iter().map(|line| line.hidden.first().map(|one| one.range.clone())).collect();
        assert_eq!(ranges, [Some(4..11), None, Some(0..8)]);
    }
}
