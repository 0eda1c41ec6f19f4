//! The class of a character, which decides how a text is cut into runs. From a table over the basic plane
//! (`data/classes.tsv`), so that no count changes when a crate or the compiler learns a newer Unicode.

/// What a character is to the counter. The names are those of the table; the order is that of `build/classes.rs`.
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

/// What a run is made of: classes that stay together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Word,
    Digit,
    Punctuation,
    Space,
    Hard,
}

/// One byte a code point of the basic plane: the class, and [`COMPOSED`].
static TABLE: &[u8; 0x10000] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.bin"));
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

    /// `byte` below 0x80.
    pub(crate) fn of_ascii(byte: u8) -> Self {
        CLASSES[usize::from(TABLE[usize::from(byte)] & CLASS)]
    }

    pub(crate) fn kind(self) -> Kind {
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

/// Whether canonical composition leaves a text of such characters as it is. False only means that one has to look.
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
