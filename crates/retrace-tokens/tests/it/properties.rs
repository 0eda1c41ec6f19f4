//! Properties that hold for every text.

use proptest::prelude::*;
use retrace_tokens::{Counter, Family, family_of, resolve};
use unicode_normalization::UnicodeNormalization;

/// Characters from everywhere, with many of those that are treated in some way of their own.
fn text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        3 => prop::char::range(' ', '~'),
        2 => prop::sample::select(" \t\n\r'’“_-09Éé\u{301}\u{323}ͅคำ\u{E4D}\u{E32}각각日😀\u{FE0F}─\u{A0}\u{2028}\u{3000}\0\u{1}\u{E001}".chars().collect::<Vec<_>>()),
        2 => prop::char::range('\u{80}', '\u{FFFF}'),
        1 => any::<char>(),
    ];
    prop::collection::vec(character, 0..60).prop_map(String::from_iter)
}

proptest! {
    #[test]
    fn every_text_has_a_count_and_a_stream(text in text()) {
        for family in Family::CLAUDE {
            let counter = Counter::of(family);
            let count = counter.count(&text);
            prop_assert!(count >= family.frame());
            // No symbol costs more than its bytes; the markers of a word of one letter are three more.
            prop_assert!(count <= family.frame() + 4 * text.len() as u64 + 2);
            prop_assert!(text.is_empty() || counter.content(&text) == count - family.frame());
            let _ = counter.marked(&text).to_string();
        }
        for family in [Family::O200k, Family::Cl100k] {
            let tokens = Counter::of(family).content(&text);
            prop_assert!(tokens <= text.len() as u64 && text.is_empty() == (tokens == 0));
        }
        let other = Counter::of(Family::Other).content(&text);
        prop_assert_eq!(other, Counter::of(Family::V3).content(&text));
        prop_assert!(Family::Other.range(other).is_some_and(|(low, high)| low <= other && other <= high));
    }

    #[test]
    fn a_text_counts_as_its_composed_form(text in text()) {
        let composed: String = text.nfc().collect();
        for family in Family::CLAUDE {
            let counter = Counter::of(family);
            prop_assert_eq!(counter.count(&text), counter.count(&composed));
            prop_assert_eq!(counter.marked(&text), counter.marked(&composed));
        }
    }

    #[test]
    fn line_ends_of_both_kinds_count_alike(lines in prop::collection::vec(text(), 0..5)) {
        for family in Family::CLAUDE {
            let counter = Counter::of(family);
            prop_assert_eq!(counter.count(&lines.join("\r\n")), counter.count(&lines.join("\n")));
        }
    }

    #[test]
    fn every_string_is_checked_as_a_model_id(id in "\\PC{0,12}(claude)?[-a-z0-9.@:/\\[\\] ]{0,20}\\PC{0,4}") {
        let resolved = family_of(&id, Family::V47);
        prop_assert_eq!(!resolved.assumed && resolved.family.is_claude(), resolve(&id).is_ok());
        prop_assert!(!resolved.assumed || matches!(resolved.family, Family::V47 | Family::Other));
    }
}

#[test]
fn strange_texts() {
    let long = "x".repeat(1_000_000);
    let marks = "a".to_owned() + &"\u{301}\u{323}".repeat(50_000);
    let controls = "\u{E4D}\u{1}".repeat(100_000);
    for text in
        ["\0", "\u{1}", "\u{FFFE}\u{FFFF}\u{10FFFF}", "\r", "\u{FE0F}", "\u{FFFD}", &long, &marks, &controls]
    {
        for family in Family::CLAUDE {
            let counter = Counter::of(family);
            assert!(counter.count(text) >= family.frame());
        }
    }
}
