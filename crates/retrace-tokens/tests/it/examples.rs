//! The worked examples of the description, and what a caller may rely on.

use retrace_tokens::{Counter, DATA_LICENSE, DATA_VERSION, Family};

#[track_caller]
fn check(text: &str, family: Family, stream: &str, count: u64) {
    let counter = Counter::of(family);
    assert_eq!(counter.marked(text).to_string(), stream, "{text:?} {family}");
    assert_eq!(counter.count(text), count, "{text:?} {family}");
}

#[test]
fn words_and_their_case() {
    for (family, count) in [(Family::V3, 10), (Family::V47, 15), (Family::V48, 10), (Family::Opus5, 10)] {
        check("hello, world", family, "⟨bow⟩hello⟨eow⟩,⟨eow⟩⟨bow⟩world⟨eow⟩", count);
    }
    check(
        "It's NASA's iPhone.",
        Family::V3,
        "⟨shift⟩⟨bow⟩it⟨eow⟩'s⟨eow⟩⟨caps⟩⟨bow⟩nasa⟨eow⟩'s⟨eow⟩⟨bow⟩iPhone⟨eow⟩.",
        13,
    );
    check(
        "It's NASA's iPhone.",
        Family::V48,
        "⟨shift⟩⟨bow⟩it⟨eow⟩'s⟨eow⟩⟨bow⟩NASA⟨eow⟩'s⟨eow⟩⟨bow⟩iPhone⟨eow⟩.",
        17,
    );
}

#[test]
fn the_head_of_a_message() {
    check("", Family::V3, "⟨bow⟩", 8);
    check("", Family::V47, "⟨bow⟩", 12);
    check("", Family::V48, "", 6);
    check(" hello", Family::V3, "⟨bow⟩hello⟨eow⟩", 8);
    check(" hello", Family::V48, " ⟨bow⟩hello⟨eow⟩", 9);
    check("'First", Family::V3, " '⟨shift⟩⟨bow⟩first⟨eow⟩", 10);
    check("'First", Family::V48, "'⟨shift⟩⟨bow⟩first⟨eow⟩", 8);
}

#[test]
fn space_punctuation_and_other_scripts() {
    check("  x = 42;\n", Family::V3, "  ⟨bow⟩x⟨eow⟩⟨bow⟩=⟨eow⟩ 42;", 13);
    check("日本 2024年", Family::V3, "⟨bow⟩日本 2024年", 14);
    check("日本 2024年", Family::V48, "日本 2024年", 12);
    check("क्ष", Family::V3, "⟨bow⟩क⟨eow⟩्⟨bow⟩ष⟨eow⟩", 11);
    check("²१ x", Family::V3, "⟨bow⟩²१ ⟨bow⟩x⟨eow⟩", 12);
    check("ⓐ's", Family::V3, "⟨bow⟩ⓐ⟨eow⟩'⟨bow⟩s⟨eow⟩", 14);
    check("“hi”", Family::V3, "⟨bow⟩\"⟨bow⟩hi⟨eow⟩\"", 10);
    check("“hi”", Family::V47, "⟨bow⟩“⟨bow⟩hi⟨eow⟩”", 15);
}

#[test]
fn an_empty_part_costs_nothing() {
    for family in Family::CLAUDE {
        let counter = Counter::of(family);
        assert_eq!(counter.content(""), 0);
        assert_eq!(counter.content("x"), counter.count("x") - family.frame());
    }
}

#[test]
fn whitespace_at_the_end_is_free_for_one_family() {
    for tail in [" ", "\n\n", " \t\r\n\u{B}\u{C} "] {
        let (plain, longer) = ("done", format!("done{tail}"));
        assert_eq!(Counter::of(Family::Opus5).count(&longer), Counter::of(Family::V48).count(plain));
    }
    let ideographic = "done\u{3000}";
    assert_eq!(Counter::of(Family::Opus5).count(ideographic), Counter::of(Family::V48).count(ideographic));
}

#[test]
fn stored_counts_can_be_distinguished_from_newer_ones() {
    assert!(DATA_VERSION.starts_with("ctok-1.3.0"), "{DATA_VERSION}");
    assert!(DATA_LICENSE.starts_with("MIT License") && DATA_LICENSE.contains("Sander Land"));
}
