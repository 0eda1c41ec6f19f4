//! A content as text, with lines and columns. One byte of the content is one byte of the text, so that a place in one is
//! the same place in the other: a byte that is not UTF-8 stands as `?`.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

/// Bytes between two places at which characters are counted in advance, so that a place on a line of any length is found in
/// the same time.
const STRIDE: usize = 256;

/// A place in a content as people count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, from 1; lines end at line feeds.
    pub line: u32,
    /// Column, from 1, in Unicode scalar values; a byte that is not UTF-8 counts as one.
    pub column: u32,
}

/// A content with the places where its lines start.
#[derive(Debug)]
pub(crate) struct Text<'a> {
    text: Cow<'a, str>,
    /// Byte offsets at which lines start; never empty.
    starts: Vec<usize>,
    /// True if each character is one byte.
    is_ascii: bool,
    /// Characters before each [`STRIDE`]th byte; counted when the first place is asked for.
    counted: OnceCell<Vec<usize>>,
}

impl<'a> Text<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let text = decode(bytes);
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', bytes).map(|at| at + 1)).collect();
        let is_ascii = text.is_ascii();
        Self { text, starts, is_ascii, counted: OnceCell::new() }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// True if every byte of the content is UTF-8.
    pub(crate) fn is_exact(&self) -> bool {
        matches!(self.text, Cow::Borrowed(_))
    }

    /// Lines as people count: a final line feed ends the last one and opens none. No bytes, no lines.
    pub(crate) fn line_count(&self) -> usize {
        let opened = self.starts.last().is_some_and(|start| *start == self.text.len());
        self.starts.len() - usize::from(opened)
    }

    /// The byte range of the line at `index`, from 0, without its line end (LF or CR LF).
    pub(crate) fn line_range(&self, index: usize) -> Range<usize> {
        let start = self.starts.get(index).copied().unwrap_or(self.text.len());
        let end = self.starts.get(index + 1).map_or(self.text.len(), |next| next - 1);
        let carriage_return = end > start && self.text.as_bytes()[end - 1] == b'\r' && end < self.text.len();
        start..end - usize::from(carriage_return)
    }

    /// Each line with its byte range, without line ends.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (Range<usize>, &str)> {
        (0..self.line_count()).map(|index| {
            let range = self.line_range(index);
            (range.clone(), &self.text[range])
        })
    }

    /// The index, from 0, of the line that holds the byte at `offset`.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// The line, from 1, that holds the byte at `offset`.
    pub(crate) fn line_number(&self, offset: usize) -> u32 {
        number(self.line_of(offset) + 1)
    }

    /// Where the byte at `offset` stands; `offset` may be the length of the text.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let line = self.line_of(offset);
        let column = self.characters_before(offset).saturating_sub(self.characters_before(self.starts[line]));
        Position { line: number(line + 1), column: number(column + 1) }
    }

    /// Characters that begin before the byte at `offset`.
    fn characters_before(&self, offset: usize) -> usize {
        let bytes = self.text.as_bytes();
        if self.is_ascii {
            return offset.min(bytes.len());
        }
        let counted = self.counted.get_or_init(|| {
            let mut total = 0;
            let count = |piece: &[u8]| {
                let before = total;
                total += starts_in(piece);
                before
            };
            bytes.chunks(STRIDE).map(count).collect()
        });
        let offset = offset.min(bytes.len());
        let piece = (offset / STRIDE).min(counted.len().saturating_sub(1));
        counted.get(piece).copied().unwrap_or(0) + starts_in(&bytes[piece * STRIDE..offset])
    }
}

/// `bytes` as text of the same length: each byte that is not UTF-8 becomes `?`.
fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    Cow::Owned(text)
}

/// Characters that begin in a piece of UTF-8.
fn starts_in(piece: &[u8]) -> usize {
    piece.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

/// A count as it is printed; a content with more lines than 32 bits can count is far above every size limit.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_people_count() {
        let text = Text::new("ab\nçd\r\n\u{1f600}x".as_bytes());
        let place = |offset| (text.position(offset).line, text.position(offset).column);
        assert_eq!(place(0), (1, 1));
        assert_eq!(place(2), (1, 3));
        assert_eq!(place(3), (2, 1));
        assert_eq!(place(5), (2, 2));
        assert_eq!(place(12), (3, 2));
        assert_eq!(text.lines().map(|(_, line)| line).collect::<Vec<_>>(), ["ab", "çd", "\u{1f600}x"]);
    }

    #[test]
    fn columns_of_a_long_line_are_those_of_its_characters() {
        let content = format!("x\n{}", "é1\u{1f600}".repeat(3 * STRIDE / 7));
        let text = Text::new(content.as_bytes());
        for (at, _) in content.char_indices().step_by(61).skip(1) {
            let place = text.position(at);
            assert_eq!(place.column as usize, content[2..at].chars().count() + 1, "{at}");
        }
        assert_eq!(text.position(content.len()).column as usize, content[2..].chars().count() + 1);
        assert_eq!(Text::new(b"").position(0).column, 1);
    }

    #[test]
    fn a_final_line_feed_opens_no_line() {
        for (content, lines) in [("", 0), ("\n", 1), ("a", 1), ("a\n", 1), ("a\n\n", 2), ("a\nb", 2)] {
            assert_eq!(Text::new(content.as_bytes()).line_count(), lines, "{content:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_keep_their_places() {
        let text = Text::new(b"a\xff\xfeb\n\xc3c");
        assert_eq!(text.as_str(), "a??b\n?c");
        assert_eq!(text.position(6).column, 2);
    }
}
