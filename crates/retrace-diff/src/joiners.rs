//! Where an invisible character belongs to the text: emoji sequences, and scripts whose letters are shaped by joiners.

use unicode_properties::{GeneralCategoryGroup, UnicodeEmoji, UnicodeGeneralCategory};

/// Scripts that use U+200C and U+200D in ordinary words, by block; equal numbers are one script. Source: the Unicode
/// Standard, chapters 9, 12, 13, 16 and 17, and UAX #31, section 2.3.1.
const JOINING_BLOCKS: [(char, char, u8); 26] = [
    ('\u{600}', '\u{6ff}', 0), // Arabic
    ('\u{700}', '\u{74f}', 1), // Syriac
    ('\u{750}', '\u{77f}', 0),
    ('\u{7c0}', '\u{7ff}', 2), // NKo
    ('\u{840}', '\u{85f}', 3), // Mandaic
    ('\u{860}', '\u{86f}', 1),
    ('\u{870}', '\u{8ff}', 0),
    ('\u{900}', '\u{97f}', 4),    // Devanagari
    ('\u{980}', '\u{9ff}', 5),    // Bengali
    ('\u{a00}', '\u{a7f}', 6),    // Gurmukhi
    ('\u{a80}', '\u{aff}', 7),    // Gujarati
    ('\u{b00}', '\u{b7f}', 8),    // Oriya
    ('\u{b80}', '\u{bff}', 9),    // Tamil
    ('\u{c00}', '\u{c7f}', 10),   // Telugu
    ('\u{c80}', '\u{cff}', 11),   // Kannada
    ('\u{d00}', '\u{d7f}', 12),   // Malayalam
    ('\u{d80}', '\u{dff}', 13),   // Sinhala
    ('\u{1000}', '\u{109f}', 14), // Myanmar
    ('\u{1780}', '\u{17ff}', 15), // Khmer
    ('\u{1800}', '\u{18af}', MONGOLIAN),
    ('\u{1b00}', '\u{1b7f}', 17), // Balinese
    ('\u{a8e0}', '\u{a8ff}', 4),
    ('\u{a980}', '\u{a9df}', 18), // Javanese
    ('\u{abc0}', '\u{abff}', 19), // Meetei Mayek
    ('\u{fb50}', '\u{fdff}', 0),
    ('\u{fe70}', '\u{fefe}', 0),
];

const MONGOLIAN: u8 = 16;

/// The tag sequences recommended for general interchange (emoji-sequences.txt: RGI_Emoji_Tag_Sequence).
const FLAG_TAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];

/// Number of characters that the flag of England, Scotland or Wales takes up at the start of `chars`; `None` when none
/// is there.
pub(crate) fn flag_length(chars: &[(usize, char)]) -> Option<usize> {
    let mut rest = chars.iter().map(|(_, character)| *character);
    if rest.next() != Some('\u{1f3f4}') {
        return None;
    }
    let tags: String = rest
        .by_ref()
        .take(5)
        .filter_map(|tag| char::from_u32(u32::from(tag).checked_sub(0xE0000)?))
        .collect();
    (FLAG_TAGS.contains(&tags.as_str()) && rest.next() == Some('\u{e007f}')).then_some(7)
}

/// True if the joiner (U+200C, U+200D) at `at` is one the text needs.
pub(crate) fn joins(chars: &[(usize, char)], at: usize) -> bool {
    let Some(before) = before(chars, at) else { return false };
    let next = after(chars, at);
    let joiner = chars[at].1;
    (joiner == '\u{200d}' && joins_emoji(chars, at)) || joins_letters(joiner, before, next)
}

fn joins_emoji(chars: &[(usize, char)], at: usize) -> bool {
    let left = match before(chars, at) {
        Some('\u{fe0f}') => before(chars, at - 1),
        other => other,
    };
    left.is_some_and(is_emoji) && after(chars, at).is_some_and(is_emoji)
}

fn joins_letters(joiner: char, before: char, next: Option<char>) -> bool {
    let Some(script) = script_of(before) else { return false };
    if next.is_some_and(|next| script_of(next) == Some(script)) {
        return true;
    }
    let ends_word = next.is_none_or(|next| {
        next.is_whitespace() || next.general_category_group() == GeneralCategoryGroup::Punctuation
    });
    ends_word && (joiner == '\u{200d}' || before.general_category_group() == GeneralCategoryGroup::Mark)
}

/// True if the variation selector at `at` chooses a form: U+FE0E or U+FE0F after an emoji (after a digit, `#` or `*` only
/// in a keycap), a Mongolian one after a Mongolian letter.
pub(crate) fn selects(chars: &[(usize, char)], at: usize) -> bool {
    let Some(before) = before(chars, at) else { return false };
    match chars[at].1 {
        '\u{fe0e}' | '\u{fe0f}' if before.is_ascii() => {
            before.is_emoji_char() && after(chars, at) == Some('\u{20e3}')
        }
        '\u{fe0e}' | '\u{fe0f}' => is_emoji(before),
        '\u{180b}'..='\u{180f}' => script_of(before) == Some(MONGOLIAN),
        _ => false,
    }
}

fn before(chars: &[(usize, char)], at: usize) -> Option<char> {
    at.checked_sub(1).map(|index| chars[index].1)
}

fn after(chars: &[(usize, char)], at: usize) -> Option<char> {
    chars.get(at + 1).map(|(_, character)| *character)
}

fn is_emoji(character: char) -> bool {
    !character.is_ascii() && character.is_emoji_char()
}

/// The joining script whose letter or mark `character` is.
fn script_of(character: char) -> Option<u8> {
    use GeneralCategoryGroup::{Letter, Mark};
    let block = JOINING_BLOCKS.partition_point(|(_, last, _)| *last < character);
    let (first, _, script) = JOINING_BLOCKS.get(block)?;
    let shaped = matches!(character.general_category_group(), Letter | Mark)
        && !('\u{180b}'..='\u{180f}').contains(&character);
    (*first <= character && shaped).then_some(*script)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hidden;

    #[test]
    fn blocks_are_in_order() {
        assert!(JOINING_BLOCKS.iter().all(|(first, last, _)| first < last));
        assert!(JOINING_BLOCKS.windows(2).all(|pair| pair[0].1 < pair[1].0));
    }

    #[test]
    fn joiners_and_selectors_by_example() {
        for (text, reported) in [
            ("می\u{200c}خواهم", 0),    // Persian, inside a word
            ("ه\u{200d} ", 0),         // Arabic letter shown in its joined form
            ("ک\u{200c} ", 1),         // a non-joiner at the end of a word does nothing
            ("क\u{94d}\u{200d}ष", 0),  // Devanagari half form
            ("क\u{94d}\u{200c}ष", 0),  // explicit virama
            ("ന\u{d4d}\u{200d}.", 0),  // Malayalam chillu, older spelling, at the end of a word
            ("ශ\u{dca}\u{200d}ර", 0),  // Sinhala
            ("م\u{200c}\u{200c}م", 2), // two in a row
            ("م\u{200d}a", 1),         // across scripts
            ("a\u{200d}م", 1),
            ("\u{200d}", 1),
            ("👩\u{200d}💻 👩🏽\u{200d}💻 🏳\u{fe0f}\u{200d}🌈", 0),
            ("👩\u{200d}a", 1),
            ("👩\u{200d}\u{200d}💻", 2),
            ("1\u{fe0f}\u{20e3} #\u{fe0f}\u{20e3}", 0),
            ("1\u{fe0f} ", 1),
            ("❤\u{fe0e} ❤\u{fe0f}\u{fe0f}", 1),
            ("ᠭ\u{180b}", 0),
            ("a\u{180b}", 1),
            ("🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", 0),
            ("🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0068}\u{e007f}", 6),
            ("🏴\u{e0068}\u{e0069}", 2),
        ] {
            assert_eq!(hidden(text).len(), reported, "{text:?}: {:?}", hidden(text));
        }
    }
}
