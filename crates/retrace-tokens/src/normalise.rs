//! Normalised form of a text before it is cut into runs: canonical composition, control and private-use characters deleted,
//! spaces of all widths made one, typographic quotes folded where the family does that. The order of the steps matters, and
//! composition is not repeated.

use crate::character::{Class, is_composed};
use std::borrow::Cow;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// THAI CHARACTER NIKHAHIT and SARA AA, which together are SARA AM.
const NIKHAHIT: char = '\u{E4D}';
const SARA_AA: char = '\u{E32}';
const SARA_AM: &str = "\u{E33}";

/// Bytes looked at together; most agent text is ASCII that stays as it is.
const CHUNK: usize = 64;

/// The normalised text; borrowed where nothing had to change.
pub(crate) fn normalise(text: &str, fold_quotes: bool) -> Cow<'_, str> {
    let survey = Survey::of(text, fold_quotes);
    if !survey.composed && is_nfc_quick(text.chars()) != IsNormalized::Yes {
        let composed: String = text.nfc().collect();
        return Cow::Owned(replace(&composed, fold_quotes).unwrap_or(composed));
    }
    if survey.kept {
        return Cow::Borrowed(text);
    }
    replace(text, fold_quotes).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Findings of one pass.
struct Survey {
    /// The text is in normalisation form C, beyond doubt.
    composed: bool,
    /// No character has to go or to change after composition, beyond doubt.
    kept: bool,
}

impl Survey {
    fn of(text: &str, fold_quotes: bool) -> Self {
        let mut survey = Self { composed: true, kept: true };
        let mut at = 0;
        while let Some(found) = next_special(text.as_bytes(), at) {
            let Some(character) = text[found..].chars().next() else { break };
            survey.composed &= is_composed(character);
            survey.kept &= character != NIKHAHIT && fate(character, fold_quotes) == Fate::Stays;
            at = found + character.len_utf8();
        }
        survey
    }
}

/// Where the next byte is that may not stay: a control character other than TAB and LF, or part of a longer character.
fn next_special(bytes: &[u8], from: usize) -> Option<usize> {
    let is_special = |byte: u8| (byte < b' ') & (byte != b'\t') & (byte != b'\n') | (byte >= 0x7F);
    let mut at = from;
    // A few bytes one by one first: in text that is not ASCII the next is near.
    let near = bytes.len().min(at + 8);
    while at < near {
        if is_special(bytes[at]) {
            return Some(at);
        }
        at += 1;
    }
    for chunk in bytes[at..].chunks(CHUNK) {
        if chunk.iter().fold(false, |any, byte| any | is_special(*byte)) {
            return chunk.iter().position(|byte| is_special(*byte)).map(|offset| at + offset);
        }
        at += chunk.len();
    }
    None
}

/// Normalised form of a character by itself.
#[derive(PartialEq, Eq)]
enum Fate {
    Stays,
    /// Deleted before the Thai vowel is put together (control characters).
    GoesFirst,
    /// Deleted after it (private use of the basic plane).
    Goes,
    Becomes(&'static str),
}

fn fate(character: char, fold_quotes: bool) -> Fate {
    match character {
        '\t' | '\n' => Fate::Stays,
        '\0' => Fate::Becomes(" "),
        '\u{1}'..='\u{1F}' | '\u{7F}'..='\u{9F}' => Fate::GoesFirst,
        ' '..='~' => Fate::Stays,
        '\u{2018}' | '\u{2019}' if fold_quotes => Fate::Becomes("'"),
        '\u{201C}' | '\u{201D}' if fold_quotes => Fate::Becomes("\""),
        // The table knows two kinds that are left: private use, and the spaces that become one.
        _ if Class::of(character) != Class::NormalisedAway => Fate::Stays,
        '\u{E000}'..='\u{F8FF}' => Fate::Goes,
        _ => Fate::Becomes(" "),
    }
}

/// All steps after composition. `None` where nothing changes.
fn replace(text: &str, fold_quotes: bool) -> Option<String> {
    let mut replaced: Option<String> = None;
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = next_special(text.as_bytes(), at) {
        let Some(character) = text[found..].chars().next() else { break };
        at = found + character.len_utf8();
        let written = match fate(character, fold_quotes) {
            Fate::Stays => match sara_am_end(character, &text[at..]) {
                Some(length) => {
                    at += length;
                    SARA_AM
                }
                None => continue,
            },
            Fate::GoesFirst | Fate::Goes => "",
            Fate::Becomes(other) => other,
        };
        let replaced = replaced.get_or_insert_with(|| String::with_capacity(text.len()));
        replaced.push_str(&text[copied..found]);
        replaced.push_str(written);
        copied = at;
    }
    let mut replaced = replaced?;
    replaced.push_str(&text[copied..]);
    Some(replaced)
}

/// Where `character` and the first of `rest` that is not a control character are the two halves of SARA AM: the bytes of
/// `rest` up to the end of the second half.
fn sara_am_end(character: char, rest: &str) -> Option<usize> {
    if character != NIKHAHIT {
        return None;
    }
    let (at, next) = rest.char_indices().find(|(_, next)| fate(*next, false) != Fate::GoesFirst)?;
    (next == SARA_AA).then(|| at + next.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::normalise;
    use std::borrow::Cow;

    #[track_caller]
    fn check(text: &str, fold_quotes: bool, expected: &str) {
        assert_eq!(normalise(text, fold_quotes), expected);
    }

    #[test]
    fn a_text_that_stays_is_not_copied() {
        for text in ["", "plain\ttext\n", "déjà — 日本 😀 “quoted”", &"x".repeat(1000)] {
            assert!(matches!(normalise(text, false), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn the_order_of_the_steps() {
        check("e\u{1}\u{301}", false, "e\u{301}");
        check("e\u{301}", false, "é");
        check("\u{E4D}\u{1}\u{E32}", false, "\u{E33}");
        check("\u{E4D}\u{E32}\u{E32}", false, "\u{E33}\u{E32}");
        check("\u{E4D}\u{E000}\u{E32}", false, "\u{E4D}\u{E32}");
        check("\u{E4D}\0\u{E32}", false, "\u{E4D} \u{E32}");
        check("\u{E4D}\r", false, "\u{E4D}");
        check("\u{ECD}\u{EB2}", false, "\u{ECD}\u{EB2}");
    }

    #[test]
    fn characters_that_go_and_that_change() {
        check("a\r\nb\u{1B}[0m\u{85}\0c", false, "a\nb[0m c");
        check("\u{E000}a\u{F8FF}\u{F0000}", false, "a\u{F0000}");
        check("\u{A0}\u{1680}\u{2003}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}", false, "       \u{3000}");
        check("‘a’ “b” „c‚", true, "'a' \"b\" „c‚");
        check("‘a’ “b” „c‚", false, "‘a’ “b” „c‚");
    }
}
