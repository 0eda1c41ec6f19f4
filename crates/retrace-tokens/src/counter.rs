//! Counting: the parts of a stream, each at its cost.

use crate::cache::{Cache, Key};
use crate::family::Family;
use crate::normalise::normalise;
use crate::openai;
use crate::runs::{Sink, walk};
use crate::stream::{MarkedStream, write_joined, write_word};
use crate::vocabulary::Vocabulary;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The newlines with which the frame goes on after the text, and which a piece may join to the text's last ones.
const FRAME_NEWLINES: usize = 2;

/// Counts tokens as one family of models does.
///
/// Cheap to make, to copy and to share: the vocabulary is loaded at the first use in the process and shared, and what words
/// cost is remembered between counts, for the threads together, in bounded memory. Counting takes a lock for a moment at the
/// beginning and the end of a text, none between.
#[derive(Clone, Copy)]
pub struct Counter {
    family: Family,
    how: How,
}

/// With which rules and vocabulary.
#[derive(Clone, Copy)]
enum How {
    /// Those of a family of Claude.
    Claude(Family, &'static Vocabulary),
    /// Those of OpenAI.
    OpenAi(openai::Vocabulary),
}

impl Counter {
    /// A counter for `family`.
    #[must_use]
    pub fn new(family: Family) -> Self {
        let how = match family {
            Family::O200k => How::OpenAi(openai::Vocabulary::O200k),
            Family::Cl100k => How::OpenAi(openai::Vocabulary::Cl100k),
            Family::V3 | Family::Other => How::Claude(Family::V3, Vocabulary::v3()),
            Family::V47 | Family::V48 | Family::Opus5 => How::Claude(family, Vocabulary::v4_7()),
        };
        Self { family, how }
    }

    /// The counter for `family` that lives as long as the program.
    #[must_use]
    pub fn of(family: Family) -> &'static Self {
        static V3: LazyLock<Counter> = LazyLock::new(|| Counter::new(Family::V3));
        static V47: LazyLock<Counter> = LazyLock::new(|| Counter::new(Family::V47));
        static V48: LazyLock<Counter> = LazyLock::new(|| Counter::new(Family::V48));
        static OPUS5: LazyLock<Counter> = LazyLock::new(|| Counter::new(Family::Opus5));
        static O200K: LazyLock<Counter> = LazyLock::new(|| Counter::new(Family::O200k));
        static CL100K: LazyLock<Counter> = LazyLock::new(|| Counter::new(Family::Cl100k));
        static OTHER: LazyLock<Counter> = LazyLock::new(|| Counter::new(Family::Other));
        match family {
            Family::V3 => &V3,
            Family::V47 => &V47,
            Family::V48 => &V48,
            Family::Opus5 => &OPUS5,
            Family::O200k => &O200K,
            Family::Cl100k => &CL100K,
            Family::Other => &OTHER,
        }
    }

    /// The family it counts for.
    #[must_use]
    pub const fn family(&self) -> Family {
        self.family
    }

    /// The tokens of `text` as a part of a conversation, without any frame; 0 for the empty text, which is not sent.
    ///
    /// Parts are counted apart from each other: at the head of a part the families `v3` and `v4.7` charge one token for the
    /// opening before a digit, a Han character, an emoji, a TAB or a newline, so sums are off by about one token a part.
    #[must_use]
    pub fn content(&self, text: &str) -> u64 {
        if text.is_empty() {
            return 0;
        }
        match self.how {
            How::Claude(rules, vocabulary) => claude(text, rules, vocabulary),
            How::OpenAi(vocabulary) => vocabulary.count(text),
        }
    }

    /// The tokens of a request with one user message that holds `text` and nothing else: what `count_tokens` answers. The
    /// empty text has the frame, and in the families `v3` and `v4.7` one token more.
    #[must_use]
    pub fn count(&self, text: &str) -> u64 {
        let content = match self.how {
            How::Claude(rules, vocabulary) => claude(text, rules, vocabulary),
            How::OpenAi(vocabulary) => vocabulary.count(text),
        };
        self.family.frame() + content
    }

    /// The stream that [`count`](Self::count) covers with pieces, apart from the newlines at the end. Families of OpenAI have
    /// none: the empty one.
    #[must_use]
    pub fn marked(&self, text: &str) -> MarkedStream {
        match self.how {
            How::Claude(rules, vocabulary) => {
                let mut stream = MarkedStream::new(vocabulary.marks_capitals);
                Prepared::new(text, rules).walk(&mut stream);
                stream
            }
            How::OpenAi(_) => MarkedStream::new(false),
        }
    }
}

/// Tokens of a text by the rules of Claude, without the frame.
fn claude(text: &str, rules: Family, vocabulary: &'static Vocabulary) -> u64 {
    let prepared = Prepared::new(text, rules);
    let content = vocabulary.caches.with(|cache| {
        let mut tally = Tally { vocabulary, cache, tokens: 0 };
        prepared.walk(&mut tally);
        tally.flush();
        tally.tokens
    });
    content + tail(vocabulary, prepared.newlines)
}

/// Cost of `newlines` at the end of the text cost, which share a token with the frame's where there is a piece for it.
fn tail(vocabulary: &Vocabulary, newlines: usize) -> u64 {
    match newlines {
        0 => 0,
        _ => vocabulary.blank('\n', newlines + FRAME_NEWLINES) - 1,
    }
}

impl std::fmt::Debug for Counter {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Counter").field(&self.family).finish()
    }
}

/// A text ready to be cut into runs.
struct Prepared<'text> {
    normalised: Cow<'text, str>,
    /// Where the frame's opening takes the text's first space: 1 instead of 0.
    start: usize,
    /// Where the newlines begin that were at the end.
    end: usize,
    newlines: usize,
    frame_opens: bool,
}

impl<'text> Prepared<'text> {
    fn new(text: &'text str, family: Family) -> Self {
        let is_free = |character: char| matches!(character, ' ' | '\t'..='\r');
        let raw = if family.has_free_tail() { text.trim_end_matches(is_free) } else { text };
        let normalised = normalise(raw, family.folds_quotes());
        let end = normalised.trim_end_matches('\n').len();
        let bytes = &normalised.as_bytes()[..end];
        let takes_space = family.frame_opens()
            && raw.starts_with(' ')
            && bytes.first() == Some(&b' ')
            && bytes.get(1) != Some(&b' ');
        Self {
            start: usize::from(takes_space),
            end,
            newlines: normalised.len() - end,
            frame_opens: family.frame_opens(),
            normalised,
        }
    }

    fn walk(&self, sink: &mut impl Sink) {
        walk(&self.normalised[self.start..self.end], self.frame_opens, sink);
    }
}

/// Adds up the costs of the parts of a stream. No piece reaches over an end of word, an opening, the edge of a stretch of
/// whitespace or of digits (the build checks the vocabularies for it), so what is between two of them is counted by itself.
struct Tally<'lent> {
    vocabulary: &'lent Vocabulary,
    cache: &'lent mut Cache,
    tokens: u64,
}

impl Tally<'_> {
    /// Counts what was put together so far.
    fn flush(&mut self) {
        if !self.cache.scratch.pending.is_empty() {
            self.flush_pending();
        }
    }

    fn flush_pending(&mut self) {
        let key = Key::of(&self.cache.scratch.pending);
        let cost = match self.cache.get(key) {
            Some(cost) => cost,
            None => {
                let scratch = &mut self.cache.scratch;
                let cost = self.vocabulary.tile(&scratch.pending, &mut scratch.window);
                self.cache.put(key, cost);
                cost
            }
        };
        self.cache.scratch.pending.clear();
        self.tokens += u64::from(cost);
    }

    #[cold]
    fn tile_word(&mut self, run: &str, key: Key) -> u32 {
        let scratch = &mut self.cache.scratch;
        scratch.word.clear();
        write_word(run, self.vocabulary.marks_capitals, &mut scratch.word);
        let cost = self.vocabulary.tile(&scratch.word, &mut scratch.window);
        self.cache.put(key, cost);
        cost
    }
}

impl Sink for Tally<'_> {
    /// Looked up as it is in the text: no other part is made of letters alone.
    fn word(&mut self, run: &str) {
        self.flush();
        let key = Key::of(run.as_bytes());
        let cost = match self.cache.get(key) {
            Some(cost) => cost,
            None => self.tile_word(run, key),
        };
        self.tokens += u64::from(cost);
    }

    fn joined(&mut self, opens: bool, text: &str, closes: bool) {
        if opens {
            self.flush();
        }
        write_joined(opens, text, closes, &mut self.cache.scratch.pending);
        if closes {
            self.flush();
        }
    }

    fn blank(&mut self, character: char, length: usize) {
        self.flush();
        self.tokens += self.vocabulary.blank(character, length);
    }

    fn digits(&mut self, digits: &str) {
        self.flush();
        self.tokens += Vocabulary::digits(digits.len());
    }
}

#[cfg(test)]
mod tests {
    use super::{Counter, How, Prepared, tail};
    use crate::family::Family;
    use crate::vocabulary::Window;
    use proptest::prelude::*;

    /// Count by definition: the whole stream covered at once, nothing cut and nothing remembered.
    fn count_uncut(counter: &Counter, text: &str) -> u64 {
        let How::Claude(rules, vocabulary) = counter.how else { return counter.count(text) };
        let stream = counter.marked(text);
        let tokens = vocabulary.tile(stream.bytes(), &mut Window::default());
        let newlines = Prepared::new(text, rules).newlines;
        counter.family.frame() + u64::from(tokens) + tail(vocabulary, newlines)
    }

    /// Pieces of text at which streams are cut, and others at which they must not be.
    fn mixed() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            6 => prop::sample::select(vec![
                " ", "  ", "\t", "\n", "\r\n", "'", "'s", "'ll", "’", "\"", "“", ".", ",", "--", "_", "=", "(){};", "0", "42",
                "1234567", "٣", "²", "१", "½", "the", "It", "NASA", "USA", "iPhone", "İ", "ẞ", "Ⓐ", "ⓐ", "Ⅷ", "é", "e\u{301}",
                "日本", "한국", "ก\u{E4D}\u{E32}", "😀", "👍\u{FE0F}", "\u{FE0F}", "─", "│", "—", "：", "\u{3000}", "\u{A0}", "\0",
                "\u{1}", "\u{7F}", "\u{E000}", "\u{FDD0}", "⟨bow⟩", "\u{200D}", "\u{301}", "क्ष", "\u{10FFFF}",
            ])
            .prop_map(str::to_owned),
            2 => "[a-zA-Z]{1,24}",
            1 => "\\PC{1,6}",
            1 => any::<char>().prop_map(String::from),
        ];
        prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn a_cut_stream_costs_what_the_whole_does(text in mixed()) {
            for family in Family::CLAUDE {
                let counter = Counter::of(family);
                // Twice: the second time the parts are remembered.
                prop_assert_eq!(counter.count(&text), count_uncut(counter, &text));
                prop_assert_eq!(counter.count(&text), count_uncut(counter, &text));
            }
        }
    }

    #[test]
    fn a_long_text_without_a_place_to_cut() {
        for unit in ["ab", "Ω", "日", "-", "─", "😀", "\u{301}", "²"] {
            for family in Family::CLAUDE {
                let (counter, text) = (Counter::of(family), unit.repeat(20_000));
                assert_eq!(counter.count(&text), count_uncut(counter, &text), "{unit}");
            }
        }
    }

    #[test]
    fn threads_count_alike() {
        let text = "The same words, counted by 8 threads at once: hunter2, ─── and 日本.\n".repeat(50);
        let expected = Counter::of(Family::V48).content(&text);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        assert_eq!(Counter::new(Family::V48).content(&text), expected);
                    }
                });
            }
        });
    }

    #[test]
    fn a_counter_is_cheap_to_share() {
        fn is_shared<T: Copy + Send + Sync>() {}
        is_shared::<Counter>();
        assert_eq!(format!("{:?}", Counter::of(Family::V3)), "Counter(V3)");
    }
}
