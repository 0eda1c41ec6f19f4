//! The class of a character, which decides how a text is cut into runs. From a table over the basic plane
//! (`data/classes.tsv`), so that no count changes when a crate or the compiler learns a newer Unicode.

/// Class of a character for the counter. The names are those of the table; the order is that of `build/classes.rs`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// WU: upper-case letter.
    Upper,
    /// WL: lower-case letter.
    Lower,
    /// WC: letter without case, titlecase letter or alphabetic mark; keeps a word from being written as capitals.
    Caseless,
    /// WN: numeral letter without case; does not.
    Numeral,
    /// D: ASCII digit.
    Digit,
    /// DB: Arabic-Indic digit.
    ArabicDigit,
    /// P: ASCII punctuation and symbols, and 24 others.
    Punctuation,
    /// S: the four kinds of whitespace that are left after normalisation.
    Space,
    /// HP: other punctuation, symbols, format characters, non-alphabetic marks, unassigned.
    OtherPunctuation,
    /// HV: variation selector.
    VariationSelector,
    /// HD: other decimal digit.
    OtherDigit,
    /// HO: other number.
    OtherNumber,
    /// HL: everything else: Han, Hangul, everything outside the basic plane.
    Ideograph,
    /// Never left after normalisation.
    NormalisedAway,
}

/// Kind of a run: classes that stay together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Word,
    Digit,
    Punctuation,
    Space,
    Hard,
}

/// One byte a code point of the basic plane: the class, and [`COMPOSED`].
const TABLE: &[u8; 0x10000] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.bin"));
const CLASS: u8 = 0x0F;
/// Set where a text of nothing but such characters is in normalisation form C.
const COMPOSED: u8 = 1 << 4;

const CLASSES: [Class; 16] = [
    Class::Upper,
    Class::Lower,
    Class::Caseless,
    Class::Numeral,
    Class::Digit,
    Class::ArabicDigit,
    Class::Punctuation,
    Class::Space,
    Class::OtherPunctuation,
    Class::VariationSelector,
    Class::OtherDigit,
    Class::OtherNumber,
    Class::Ideograph,
    Class::NormalisedAway,
    Class::NormalisedAway,
    Class::NormalisedAway,
];

impl Class {
    pub(crate) fn of(character: char) -> Self {
        match TABLE.get(character as usize) {
            Some(entry) => CLASSES[usize::from(entry & CLASS)],
            None => Self::Ideograph,
        }
    }

    pub(crate) const fn kind(self) -> Kind {
        match self {
            Self::Upper | Self::Lower | Self::Caseless | Self::Numeral => Kind::Word,
            Self::Digit | Self::ArabicDigit => Kind::Digit,
            Self::Punctuation => Kind::Punctuation,
            Self::Space => Kind::Space,
            Self::OtherPunctuation
            | Self::VariationSelector
            | Self::OtherDigit
            | Self::OtherNumber
            | Self::Ideograph
            | Self::NormalisedAway => Kind::Hard,
        }
    }
}

/// The kinds of ASCII, looked at byte by byte; [`Kind::Hard`], which ASCII has none of, where a longer character begins.
static BYTE_KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Hard; 256];
    let mut byte = 0;
    while byte < 0x80 {
        kinds[byte] = CLASSES[(TABLE[byte] & CLASS) as usize].kind();
        byte += 1;
    }
    kinds
};

impl Kind {
    /// The kind of the ASCII character `byte`, or [`Kind::Hard`].
    #[inline]
    pub(crate) fn of_byte(byte: u8) -> Self {
        BYTE_KINDS[usize::from(byte)]
    }
}

/// The ASCII letters that `bytes` begins with.
#[inline]
pub(crate) fn leading_letters(bytes: &[u8]) -> usize {
    /// One in each byte of a word.
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * EACH;
    let mut letters = 0;
    // Eight at a time, as most words end within the first eight: a sum sets the high bit of a byte that is large enough.
    while let Some(eight) = bytes[letters..].first_chunk() {
        let eight = u64::from_le_bytes(*eight);
        let folded = (eight | (0x20 * EACH)) & !HIGH;
        let from_a = folded + (0x80 - u64::from(b'a')) * EACH;
        let after_z = folded + (0x7F - u64::from(b'z')) * EACH;
        let others = !(from_a & !after_z & !eight) & HIGH;
        if others != 0 {
            return letters + (others.trailing_zeros() / u8::BITS) as usize;
        }
        letters += 8;
    }
    letters + bytes[letters..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count()
}

/// True if canonical composition leaves a text of such characters as it is. False only means that one has to look.
pub(crate) fn is_composed(character: char) -> bool {
    match TABLE.get(character as usize) {
        Some(entry) => entry & COMPOSED != 0,
        None => {
            use unicode_normalization::{IsNormalized, char::canonical_combining_class, is_nfc_quick};
            canonical_combining_class(character) == 0
                && is_nfc_quick(std::iter::once(character)) == IsNormalized::Yes
        }
    }
}

/// The lower case of one character by itself: one character for one, no rule for a final sigma.
pub(crate) fn lower(character: char) -> char {
    match character {
        // These two have a lower case that the counter does not use.
        '\u{3F4}' | '\u{130}' => character,
        // Pairs younger than the classes' Unicode, but measured.
        '\u{1C89}' => '\u{1C8A}',
        '\u{A7CB}' => '\u{264}',
        _ => character.to_lowercase().next().unwrap_or(character),
    }
}

/// Ⓐ to ⓩ: the only letters that join a `'` and the letters after it to their word.
pub(crate) fn is_circled(character: char) -> bool {
    ('\u{24B6}'..='\u{24E9}').contains(&character)
}

#[cfg(test)]
mod tests {
    use super::{Class, Kind, is_composed, leading_letters, lower};
    use unicode_normalization::UnicodeNormalization;
    use unicode_properties::{
        GeneralCategory as Category, GeneralCategoryGroup as Group, UnicodeGeneralCategory,
    };

    /// The rules that the table was made by, in their order; the first that fits wins.
    fn class_by_rules(character: char) -> Class {
        let (category, group) = (character.general_category(), character.general_category_group());
        match character {
            '\u{1C89}' | '\u{A7CB}' => return Class::Upper,
            '\u{1C8A}' | '\u{264}' => return Class::Lower,
            '\t' | '\n' => return Class::Space,
            _ if group == Group::Separator => return Class::Space,
            '\u{16EE}'..='\u{16F0}'
            | '\u{2160}'..='\u{2188}'
            | '\u{24B6}'..='\u{24E9}'
            | '\u{A6E6}'..='\u{A6EF}' => {
                let is_letter = group == Group::Letter;
                return cased(character).unwrap_or(if is_letter { Class::Caseless } else { Class::Numeral });
            }
            '0'..='9' => return Class::Digit,
            '\u{660}'..='\u{669}' | '\u{6F0}'..='\u{6F9}' => return Class::ArabicDigit,
            _ if character.is_ascii_punctuation() => return Class::Punctuation,
            _ if "—»«•°„–−£§€…√→（№†└│·─═█\u{F0D}".contains(character) =>
            {
                return Class::Punctuation;
            }
            '\u{FE00}'..='\u{FE0F}' => return Class::VariationSelector,
            _ => {}
        }
        if group == Group::Mark {
            return if character.is_alphabetic() { Class::Caseless } else { Class::OtherPunctuation };
        }
        match character {
            '\u{3400}'..='\u{4DBF}'
            | '\u{4E00}'..='\u{9FFF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{AC00}'..='\u{D7A3}'
            | '\u{3031}'..='\u{3035}'
            | '\u{3005}'
            | '\u{3006}'
            | '\u{303B}'
            | '\u{303C}'
                if group == Group::Letter =>
            {
                return Class::Ideograph;
            }
            '\u{3001}'..='\u{303F}' if group == Group::Punctuation => return Class::Ideograph,
            '\u{3004}' | '\u{3012}' | '\u{3013}' | '\u{3020}' | '\u{3036}' | '\u{3037}' | '\u{303E}'
            | '\u{303F}' => {
                return Class::Ideograph;
            }
            _ => {}
        }
        match (group, category) {
            (Group::Punctuation | Group::Symbol, _) | (_, Category::Format | Category::Unassigned) => {
                Class::OtherPunctuation
            }
            (_, Category::DecimalNumber) => Class::OtherDigit,
            (_, Category::OtherNumber) => Class::OtherNumber,
            (Group::Letter, _) => cased(character).unwrap_or(Class::Caseless),
            _ => Class::Ideograph,
        }
    }

    fn cased(character: char) -> Option<Class> {
        let is_upper = character.is_uppercase() && character != '\u{3F4}';
        if is_upper && character.to_lowercase().next() != Some(character) {
            return Some(Class::Upper);
        }
        character.is_lowercase().then_some(Class::Lower)
    }

    /// Letters of the basic plane that Unicode assigned after 15.1 are unassigned in the table, and no rule of this test's
    /// Unicode is wrong about any other, but for one whose class has no effect.
    #[test]
    fn the_table_follows_its_rules() {
        let mut newer = 0;
        for character in '\0'..='\u{FFFF}' {
            let class = Class::of(character);
            if class == Class::NormalisedAway || class == class_by_rules(character) || character == '\u{295}'
            {
                continue;
            }
            assert_eq!(class, Class::OtherPunctuation, "U+{:04X}", character as u32);
            newer += 1;
        }
        assert!((1..200).contains(&newer), "{newer}");
    }

    #[test]
    fn the_lower_case_of_an_upper_case_letter_is_one() {
        for character in ('\0'..='\u{FFFF}').filter(|character| Class::of(*character) == Class::Upper) {
            let lower = lower(character);
            assert!(Class::of(lower) == Class::Lower || character == '\u{130}', "U+{:04X}", character as u32);
        }
    }

    /// A letter that is composed by itself is composed beside any other that is.
    #[test]
    fn composed_characters_stay_as_they_are() {
        let composed: String = ('\0'..=char::MAX).filter(|character| is_composed(*character)).collect();
        assert!(composed.nfc().eq(composed.chars()));
        assert!(composed.chars().rev().nfc().eq(composed.chars().rev()));
    }

    #[test]
    fn letters_are_counted_up_to_the_first_other_byte() {
        for byte in 0..=u8::MAX {
            for length in 0..20 {
                let mut bytes = vec![b'q'; length];
                bytes.push(byte);
                bytes.extend_from_slice(b"Zz");
                let expected = if byte.is_ascii_alphabetic() { length + 3 } else { length };
                assert_eq!(leading_letters(&bytes), expected, "{byte} {length}");
                assert_eq!(leading_letters(&bytes[..length]), length);
            }
            let is_word = Kind::of_byte(byte) == Kind::Word;
            assert_eq!(is_word, byte.is_ascii_alphabetic(), "{byte}");
        }
    }
}
