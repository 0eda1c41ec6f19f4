//! Lines that fit the terminal: what is too long goes on below, broken between words.
//!
//! Rows of tables are cut by [`layout`](super::layout) and fit already. What is meant to be copied, a command on a line of its own,
//! stays one line, and so does a word that is longer than the terminal.

use std::borrow::Cow;
use std::io::{Result, Write};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Fewest columns that lines are broken for.
const NARROWEST: usize = 24;

/// Columns by which a line that began with blanks, or is a row, goes on further to the right.
const HANGING: usize = 2;

/// A command on a line of its own begins so.
const COMMAND: &str = "retrace ";

/// Columns that a text takes; colours take none.
pub fn width(text: &str) -> usize {
    let mut columns = 0;
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\x1b[") {
        columns += before.width();
        rest = after.split_once('m').map_or("", |(_, after)| after);
    }
    columns + rest.width()
}

/// Lines of a terminal that a line takes where it is not broken between words.
pub fn rows(line: &str, columns: usize) -> usize {
    width(line).div_ceil(columns.max(1)).max(1)
}

/// The beginning of a line that takes at most so many columns, `…` at its end where something is missing. Colours that are on end
/// where they ended.
pub fn beginning(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut kept = String::new();
    let (mut used, mut is_cut) = (1, false);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter == '\x1b' {
            kept.push(letter);
            kept.extend(letters.by_ref().take_while(|letter| *letter != 'm'));
            kept.push('m');
            continue;
        }
        used += letter.width().unwrap_or(0);
        if used <= columns {
            kept.push(letter);
        } else if !is_cut {
            is_cut = true;
            kept.push('…');
        }
    }
    kept
}

/// A line without its end, with line feeds where it is too long.
pub fn line(text: &str, columns: usize) -> Cow<'_, str> {
    let bare = text.trim_start_matches(' ');
    if columns < NARROWEST || width(text.trim_end()) <= columns || bare.starts_with(COMMAND) {
        return Cow::Borrowed(text);
    }
    let indent = text.len() - bare.len();
    let is_row = bare.trim_end().contains("  ");
    let hanging = if indent > 0 || is_row { (indent + HANGING).min(columns / 2) } else { 0 };
    let mut broken = String::with_capacity(text.len() + 16);
    let (mut used, mut at_start) = (0, true);
    for piece in bare.split_inclusive(' ') {
        let word = piece.trim_end_matches(' ');
        if at_start && broken.is_empty() {
            broken.push_str(&text[..indent]);
            used = indent;
        }
        if !at_start && !word.is_empty() && used + width(word) > columns {
            broken.truncate(broken.trim_end_matches(' ').len());
            broken.push('\n');
            broken.push_str(&" ".repeat(hanging));
            used = hanging;
        }
        broken.push_str(piece);
        used += width(piece);
        at_start = false;
    }
    Cow::Owned(broken)
}

/// Several lines.
pub fn lines(text: &str, columns: usize) -> String {
    text.split_inclusive('\n').map(|one| line(one, columns)).collect()
}

/// Breaks the lines that are written through it. Without columns they go as they are.
pub struct Wrapped<'o, W: Write + ?Sized> {
    out: &'o mut W,
    columns: Option<usize>,
    /// A line of which the end has not come yet.
    begun: Vec<u8>,
}

impl<'o, W: Write + ?Sized> Wrapped<'o, W> {
    /// Breaks at so many columns.
    pub fn new(out: &'o mut W, columns: Option<usize>) -> Self {
        Self { out, columns, begun: Vec::new() }
    }
}

impl<W: Write + ?Sized> Write for Wrapped<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let Some(columns) = self.columns else { return self.out.write(bytes) };
        self.begun.extend_from_slice(bytes);
        if let Some(end) = self.begun.iter().rposition(|byte| *byte == b'\n') {
            let rest = self.begun.split_off(end + 1);
            let whole = std::mem::replace(&mut self.begun, rest);
            match std::str::from_utf8(&whole) {
                Ok(text) => self.out.write_all(lines(text, columns).as_bytes())?,
                Err(_) => self.out.write_all(&whole)?,
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        let begun = std::mem::take(&mut self.begun);
        match (self.columns, std::str::from_utf8(&begun)) {
            (Some(columns), Ok(text)) => self.out.write_all(line(text, columns).as_bytes())?,
            _ => self.out.write_all(&begun)?,
        }
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_too_long_goes_on_below() {
        for (text, broken) in [
            ("Short enough for it.\n", "Short enough for it.\n"),
            (
                "At its peak the context held more than the window of it.\n",
                "At its peak the context held\nmore than the window of it.\n",
            ),
            (
                "  write   notes:a.md and what else it is of\n",
                "  write   notes:a.md and\n    what else it is of\n",
            ),
            ("824  now  notes:a.md by somebody else\n", "824  now  notes:a.md by\n  somebody else\n"),
            (
                "    retrace redact --finding notes:a.md:3:7\n",
                "    retrace redact --finding notes:a.md:3:7\n",
            ),
            ("a https://example.com/a/very/long/path b\n", "a\nhttps://example.com/a/very/long/path\nb\n"),
            (
                "\x1b[2mAt its peak the context held\x1b[22m\n",
                "\x1b[2mAt its peak the context held\x1b[22m\n",
            ),
        ] {
            assert_eq!(lines(text, 28), broken);
        }
        assert_eq!(
            lines("no line is broken for so few columns\n", 10),
            "no line is broken for so few columns\n"
        );
        assert_eq!(
            line("Approve it, or say what else [y,n,q]? ", 28),
            "Approve it, or say what else\n[y,n,q]? "
        );
        assert_eq!(beginning("\x1b[31m-日本語\x1b[39m", 6), "\x1b[31m-日本…\x1b[39m");
        assert_eq!([rows("", 10), rows("0123456789", 10), rows("日本語日本語", 10)], [1, 1, 2]);
    }

    proptest! {
        #[test]
        fn words_stay_and_lines_fit(text in "( ){0,6}([a-z日]{1,9} {1,3}){0,30}", columns in 24_usize..120) {
            let broken = line(&text, columns);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(&broken), words(&text));
            for one in broken.lines() {
                prop_assert!(width(one.trim_end()) <= columns, "{:?}", one);
            }
        }

        #[test]
        fn what_comes_in_pieces_is_broken_like_the_whole(text in "([a-z日 ]{0,60}\n?){0,5}", cut in 1_usize..20) {
            let mut out = Vec::new();
            let mut wrapped = Wrapped::new(&mut out, Some(30));
            for piece in text.as_bytes().chunks(cut) {
                wrapped.write_all(piece).unwrap();
            }
            wrapped.flush().unwrap();
            prop_assert_eq!(String::from_utf8(out).unwrap(), lines(&text, 30));
        }
    }
}
