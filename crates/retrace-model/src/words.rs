//! Splitting text into words: runs of letters and digits, folded; each character of scripts that do not put spaces
//! between words stands alone.
//!
//! Deliberately absent: stemming and synonyms. A query word finds every word that begins with it.

use std::collections::BTreeSet;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Longer runs are cut: a run of this length is a key, a hash or encoded data, and its beginning identifies it.
const LONGEST: usize = 64;

/// Query of a user: every word must occur, as the beginning of a word.
#[derive(Clone, Debug)]
pub struct Words {
    words: Vec<String>,
}

impl Words {
    /// Splits a query.
    #[must_use]
    pub fn parse(query: &str) -> Self {
        let mut words = Vec::new();
        each_word(query, |_, word| {
            if !words.contains(&word) {
                words.push(word);
            }
        });
        Self { words }
    }

    /// True if there is nothing to search for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The query in the language of SQLite's full-text engine. Words hold letters and digits only, so nothing needs escaping.
    /// Source: <https://www.sqlite.org/fts5.html>, "Full-text Query Syntax".
    #[must_use]
    pub fn query(&self) -> String {
        self.words.iter().map(|word| format!("\"{word}\"*")).collect::<Vec<_>>().join(" AND ")
    }

    /// The line with the most different words, by its number, and where they stand in it; `None` when the lines together
    /// lack a word.
    pub fn best_line<'t>(
        &self,
        lines: impl Iterator<Item = (usize, &'t str)>,
    ) -> Option<(usize, Vec<Range<usize>>)> {
        let mut missing: BTreeSet<&str> = self.words.iter().map(String::as_str).collect();
        let mut best: Option<(usize, usize, Vec<Range<usize>>)> = None;
        for (number, line) in lines {
            let mut here = BTreeSet::new();
            let mut ranges = Vec::new();
            each_word(line, |range, word| {
                let mut wanted =
                    self.words.iter().filter(|wanted| word.starts_with(wanted.as_str())).peekable();
                if wanted.peek().is_some() {
                    ranges.push(range);
                }
                here.extend(wanted.map(String::as_str));
            });
            for word in &here {
                missing.remove(word);
            }
            if !here.is_empty() && best.as_ref().is_none_or(|(count, ..)| *count < here.len()) {
                best = Some((here.len(), number, ranges));
            }
        }
        if !missing.is_empty() {
            return None;
        }
        best.map(|(_, number, ranges)| (number, ranges))
    }
}

/// The words of some lines as the index takes them, each once and in order; `None` when there are none.
pub fn joined_words<'t>(lines: impl Iterator<Item = &'t str>) -> Option<String> {
    let mut words = BTreeSet::new();
    for line in lines {
        each_word(line, |_, word| {
            words.insert(word);
        });
    }
    (!words.is_empty()).then(|| words.into_iter().collect::<Vec<_>>().join(" "))
}

fn each_word(text: &str, mut found: impl FnMut(Range<usize>, String)) {
    let mut start = None;
    let mut letters = 0;
    for (at, letter) in text.char_indices() {
        let alone = stands_alone(letter);
        // An accent that is written as a character of its own belongs to the letter before it.
        let inside = !alone && (letter.is_alphanumeric() || (start.is_some() && is_combining_mark(letter)));
        if let Some(from) = start
            && (!inside || letters >= LONGEST)
        {
            emit(text, from..at, &mut found);
            start = None;
        }
        if inside && start.is_none() {
            start = Some(at);
            letters = 0;
        }
        letters += 1;
        if alone {
            emit(text, at..at + letter.len_utf8(), &mut found);
        }
    }
    if let Some(from) = start {
        emit(text, from..text.len(), &mut found);
    }
}

fn emit(text: &str, range: Range<usize>, found: &mut impl FnMut(Range<usize>, String)) {
    let part = &text[range.clone()];
    if part.is_ascii() {
        found(range, part.to_ascii_lowercase());
        return;
    }
    let folded: String =
        part.nfkc().flat_map(char::to_lowercase).filter(|letter| letter.is_alphanumeric()).collect();
    if !folded.is_empty() {
        found(range, folded);
    }
}

/// Chinese, Japanese, Thai and the like are written without spaces between words.
fn stands_alone(letter: char) -> bool {
    matches!(letter,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9d}'
        | '\u{20000}'..='\u{3ffff}')
        && letter.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<String> {
        Words::parse(text).words
    }

    #[test]
    fn by_example() {
        assert_eq!(
            words("Never retry `payments.charge()` 3×"),
            ["never", "retry", "payments", "charge", "3"]
        );
        assert_eq!(words("ÉTÉ ﬁn Straße"), ["été", "fin", "straße"]);
        assert_eq!(words("e\u{301}te\u{301}"), ["été"]);
        assert_eq!(words("記憶のtest"), ["記", "憶", "の", "test"]);
        assert_eq!(words(" \u{200b}-- "), Vec::<String>::new());
        assert_eq!(words(&"a".repeat(130)).len(), 2);
    }

    #[test]
    fn the_line_with_most_words_is_shown() {
        let text = "retry once\nnothing here\nnever retry a payment\n";
        let (line, ranges) =
            Words::parse("pay retry").best_line(text.lines().enumerate()).expect("both words occur");
        assert_eq!(line, 2);
        let line_text = text.lines().nth(2).expect("three lines");
        assert_eq!(
            ranges.iter().map(|range| &line_text[range.clone()]).collect::<Vec<_>>(),
            ["retry", "payment"]
        );
        assert!(Words::parse("retry absent").best_line(text.lines().enumerate()).is_none());
    }

    #[test]
    fn one_word_can_stand_for_several_that_were_asked_for() {
        let words = Words::parse("n 𝔑a");
        assert_eq!(words.words, ["n", "na"]);
        let (_, ranges) = words.best_line([(0, "a name")].into_iter()).expect("name begins with both");
        assert_eq!(ranges, vec![2..6]);
    }

    proptest! {
        #[test]
        fn every_text_matches_its_own_words(text: String) {
            let words = Words::parse(&text);
            if !words.is_empty() && !text.contains(['\n', '\r']) {
                prop_assert!(words.best_line(text.lines().enumerate()).is_some());
            }
        }

        #[test]
        fn words_need_no_escaping(text: String) {
            for word in words(&text) {
                prop_assert!(word.chars().all(char::is_alphanumeric));
            }
        }
    }
}
