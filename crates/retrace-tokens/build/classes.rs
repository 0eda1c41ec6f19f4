//! The class of every code point of the basic plane, one byte each.

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, is_nfc_quick};

/// The names in the file, each with its number in `src/character.rs`.
const NAMES: [(&str, u8); 13] = [
    ("WU", 0),
    ("WL", 1),
    ("WC", 2),
    ("WN", 3),
    ("D", 4),
    ("DB", 5),
    ("P", 6),
    ("S", 7),
    ("HP", 8),
    ("HV", 9),
    ("HD", 10),
    ("HO", 11),
    ("HL", 12),
];
/// Never left after normalisation.
const NORMALISED_AWAY: u8 = 13;
/// The same as in `src/character.rs`: canonical composition never changes a text of such characters.
const COMPOSED: u8 = 1 << 4;

pub(crate) fn table(text: &str) -> Vec<u8> {
    let mut table = vec![u8::MAX; 0x10000];
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let point = |at: usize| usize::from_str_radix(fields[at], 16).expect("hexadecimal");
        let class = match fields[2] {
            "-" => NORMALISED_AWAY,
            name => NAMES.iter().find(|(known, _)| *known == name).expect("a class").1,
        };
        table[point(0)..=point(1)].fill(class);
    }
    assert!(!table.contains(&u8::MAX), "a class for every code point");
    for (point, class) in (0u32..).zip(&mut table) {
        if char::from_u32(point).is_some_and(is_composed) {
            *class |= COMPOSED;
        }
    }
    table
}

fn is_composed(character: char) -> bool {
    canonical_combining_class(character) == 0 && is_nfc_quick(std::iter::once(character)) == IsNormalized::Yes
}
