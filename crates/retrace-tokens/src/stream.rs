//! The marked stream in full. Not needed for counting; it shows where a difference comes from.

use crate::character::{Class, lower};
use crate::marker::{BOW, CAPS, EOW, SHIFT, symbol_length};
use crate::runs::Sink;
use std::fmt;

/// The upper-case letters with which no word is marked as capitals: ẞ and İ.
const CAPITAL_SHARP_S: char = '\u{1E9E}';
const DOTTED_I: char = '\u{130}';

/// The fewest letters of a word that is marked as capitals.
const CAPITALS_MIN: usize = 4;

/// Form of a text before pieces are searched for: words in lower case where a marker says so, markers where words open and
/// end. Trailing newlines, which the frame takes, are not in it.
///
/// [`Display`](fmt::Display) writes markers as `⟨bow⟩ ⟨eow⟩ ⟨shift⟩ ⟨caps⟩`, and a literal `⟨`, `⟩` or U+FDD0–FDD4 as
/// one `⟨0xNN⟩` for each byte of UTF-8, as the test vectors do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MarkedStream {
    bytes: Vec<u8>,
    marks_capitals: bool,
}

impl MarkedStream {
    pub(crate) fn new(marks_capitals: bool) -> Self {
        Self { bytes: Vec::new(), marks_capitals }
    }

    #[cfg(test)]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl Sink for MarkedStream {
    fn word(&mut self, run: &str) {
        write_word(run, self.marks_capitals, &mut self.bytes);
    }

    fn joined(&mut self, opens: bool, text: &str, closes: bool) {
        write_joined(opens, text, closes, &mut self.bytes);
    }

    fn blank(&mut self, character: char, length: usize) {
        for _ in 0..length {
            self.bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    fn digits(&mut self, digits: &str) {
        self.bytes.extend_from_slice(digits.as_bytes());
    }
}

/// Appends text with an opening before and an end after it, where it has them.
pub(crate) fn write_joined(opens: bool, text: &str, closes: bool, stream: &mut Vec<u8>) {
    if opens {
        stream.push(BOW);
    }
    stream.extend_from_slice(text.as_bytes());
    if closes {
        stream.push(EOW);
    }
}

/// Letter case of a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    AsItIs,
    Shift,
    Caps,
}

/// Appends a word in full: case marker, opening, letters, end.
pub(crate) fn write_word(run: &str, marks_capitals: bool, stream: &mut Vec<u8>) {
    let case = case_of(run, marks_capitals);
    match case {
        Case::AsItIs => {}
        Case::Shift => stream.push(SHIFT),
        Case::Caps => stream.push(CAPS),
    }
    stream.push(BOW);
    if case == Case::AsItIs {
        stream.extend_from_slice(run.as_bytes());
    } else {
        for character in run.chars() {
            if character.is_ascii() {
                stream.push((character as u8).to_ascii_lowercase());
            } else {
                stream.extend_from_slice(lower(character).encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
    stream.push(EOW);
}

fn case_of(run: &str, marks_capitals: bool) -> Case {
    let Some(first) =
        run.chars().next().filter(|first| Class::of(*first) == Class::Upper || is_numeral(*first))
    else {
        return Case::AsItIs;
    };
    let (mut letters, mut upper, mut others) = (0, 0, 0);
    let (mut sharp_s, mut dotted_i) = (0, 0);
    for character in run.chars() {
        letters += 1;
        match Class::of(character) {
            Class::Upper => upper += 1,
            Class::Numeral => {}
            _ => others += 1,
        }
        sharp_s += usize::from(character == CAPITAL_SHARP_S);
        dotted_i += usize::from(character == DOTTED_I);
    }
    if marks_capitals && letters >= CAPITALS_MIN && others == 0 && upper > 0 && sharp_s == 0 && dotted_i == 0
    {
        return Case::Caps;
    }
    let first_is_upper = Class::of(first) == Class::Upper && first != DOTTED_I;
    if first_is_upper && upper == 1 + dotted_i && sharp_s == 0 { Case::Shift } else { Case::AsItIs }
}

fn is_numeral(character: char) -> bool {
    Class::of(character) == Class::Numeral
}

impl fmt::Display for MarkedStream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = &*self.bytes;
        while let Some(first) = rest.first() {
            let (symbol, after) = rest.split_at(symbol_length(*first).min(rest.len()));
            rest = after;
            match *first {
                BOW => formatter.write_str("⟨bow⟩")?,
                EOW => formatter.write_str("⟨eow⟩")?,
                SHIFT => formatter.write_str("⟨shift⟩")?,
                CAPS => formatter.write_str("⟨caps⟩")?,
                _ => match str::from_utf8(symbol) {
                    Ok(text) if !is_notation(text) => formatter.write_str(text)?,
                    _ => symbol.iter().try_for_each(|byte| write!(formatter, "⟨0x{byte:02X}⟩"))?,
                },
            }
        }
        Ok(())
    }
}

/// True for symbols reserved by the notation.
fn is_notation(symbol: &str) -> bool {
    symbol.chars().any(|character| matches!(character, '⟨' | '⟩' | '\u{FDD0}'..='\u{FDD4}'))
}
