//! The four markers of a stream, as bytes that occur nowhere in UTF-8: a stream is text with these between, and nothing has
//! to be escaped.

/// Opens a word.
pub(crate) const BOW: u8 = 0xF8;
/// Ends a word, or stands for the one space after something that is not a word.
pub(crate) const EOW: u8 = 0xF9;
/// The word that follows has an upper-case first letter, and is written in lower case.
pub(crate) const SHIFT: u8 = 0xFA;
/// The word that follows is in upper case, and is written in lower case.
pub(crate) const CAPS: u8 = 0xFB;

/// The bytes of the symbol that begins with `first`: a character of UTF-8, or a marker.
pub(crate) fn symbol_length(first: u8) -> usize {
    match first {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 1,
    }
}
