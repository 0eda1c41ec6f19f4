//! Changed words: which deleted line became which inserted one, and what changed between the two.

use crate::script::{self, Interner};
use std::borrow::Cow;
use std::ops::Range;
use std::time::Instant;
use unicode_segmentation::UnicodeSegmentation as _;

/// Two lines are the same line changed when at least this share, in thousandths, of the bytes of their words is common.
/// Below it the marks would cover nearly all of both lines and say nothing.
const MIN_SIMILARITY: u32 = 400;

/// Blocks with at most this many pairs of a deleted and an inserted line are matched in the best order-preserving way;
/// larger ones line by line from the top. The work grows with this number.
const MAX_MATCHED_PAIRS: usize = 4096;

/// Changed stretches of each line of a block, in bytes of the line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ChangedWords {
    pub deleted: Vec<Vec<Range<usize>>>,
    pub inserted: Vec<Vec<Range<usize>>>,
    /// The deadline passed, and some pairs were left unmarked.
    pub cut_short: bool,
}

/// Finds the changed words of a block of `deleted` lines that `inserted` lines replace. Lines carry no line end. A line
/// that pairs with no other has no stretches.
pub(crate) fn changed_words(
    deleted: &[Cow<'_, str>],
    inserted: &[Cow<'_, str>],
    deadline: Option<Instant>,
) -> ChangedWords {
    let mut found = ChangedWords {
        deleted: vec![Vec::new(); deleted.len()],
        inserted: vec![Vec::new(); inserted.len()],
        cut_short: false,
    };
    let mut known = Interner::new();
    let old: Vec<Tokens> = deleted.iter().map(|line| Tokens::of(line, &mut known)).collect();
    let new: Vec<Tokens> = inserted.iter().map(|line| Tokens::of(line, &mut known)).collect();
    let Some(pairs) = pairs(&old, &new, deadline) else {
        found.cut_short = true;
        return found;
    };
    for (from, to) in pairs {
        if deadline.is_some_and(script::passed) {
            found.cut_short = true;
            return found;
        }
        let script = script::search(&old[from].numbers, &new[to].numbers, deadline);
        found.cut_short |= script.cut_short;
        found.deleted[from] = old[from].stretches(script.changes.iter().map(|change| change.old.clone()));
        found.inserted[to] = new[to].stretches(script.changes.iter().map(|change| change.new.clone()));
    }
    found
}

/// A line cut at word boundaries (UAX #29): words, spaces and marks are tokens alike; an ideograph is a token.
struct Tokens {
    numbers: Vec<u32>,
    /// Where each token starts, and where the last one ends.
    bounds: Vec<usize>,
    /// Marks the tokens that are white space.
    blank: Vec<bool>,
    /// Numbers and lengths of the tokens that are not white space, sorted by number.
    words: Vec<(u32, u32)>,
}

impl Tokens {
    fn of<'a>(line: &'a str, known: &mut Interner<&'a str>) -> Self {
        let mut tokens = Self { numbers: Vec::new(), bounds: vec![0], blank: Vec::new(), words: Vec::new() };
        each_token(line, |start, token| {
            let number = known.number(token);
            let blank = token.trim().is_empty();
            tokens.numbers.push(number);
            tokens.bounds.push(start + token.len());
            tokens.blank.push(blank);
            if !blank {
                tokens.words.push((number, u32::try_from(token.len()).unwrap_or(u32::MAX)));
            }
        });
        tokens.words.sort_unstable();
        tokens
    }

    /// The byte ranges of the changed tokens; ranges with nothing but white space between them become one.
    fn stretches(&self, changed: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
        let mut joined: Vec<Range<usize>> = Vec::new();
        for range in changed.filter(|range| !range.is_empty()) {
            match joined.last_mut() {
                Some(last) if self.blank[last.end..range.start].iter().all(|blank| *blank) => {
                    last.end = range.end;
                }
                _ => joined.push(range),
            }
        }
        joined.into_iter().map(|range| self.bounds[range.start]..self.bounds[range.end]).collect()
    }
}

/// Cuts a line at word boundaries. The library is quick with ASCII where it is asked for words alone; what stands between them
/// is cut here.
fn each_token<'a>(line: &'a str, mut take: impl FnMut(usize, &'a str)) {
    if !line.is_ascii() {
        line.split_word_bound_indices().for_each(|(start, token)| take(start, token));
        return;
    }
    let mut at = 0;
    let end = (line.len(), "");
    for (start, word) in line.unicode_word_indices().chain([end]) {
        while at < start {
            let length = mark_length(&line.as_bytes()[at..start]);
            take(at, &line[at..at + length]);
            at += length;
        }
        if !word.is_empty() {
            take(start, word);
        }
        at = start + word.len();
    }
}

/// Length of the token at the start of ASCII without words: blanks and low lines stand together, and so does a line end.
fn mark_length(marks: &[u8]) -> usize {
    match marks {
        [b'\r', b'\n', ..] => 2,
        [first @ (b' ' | b'_'), ..] => marks.iter().take_while(|mark| *mark == first).count(),
        _ => 1,
    }
}

/// Similarity of two lines, in thousandths: twice the bytes of the words they share, by the bytes of all their words.
fn similarity(old: &Tokens, new: &Tokens) -> u32 {
    let total = |tokens: &Tokens| tokens.words.iter().map(|(_, length)| u64::from(*length)).sum::<u64>();
    let all = total(old) + total(new);
    if all == 0 {
        return 1000;
    }
    let (mut left, mut right, mut shared) = (old.words.as_slice(), new.words.as_slice(), 0);
    while let ([first, left_rest @ ..], [second, right_rest @ ..]) = (left, right) {
        if first == second {
            shared += 2 * u64::from(first.1);
        }
        (left, right) = match first.cmp(second) {
            std::cmp::Ordering::Less => (left_rest, right),
            std::cmp::Ordering::Greater => (left, right_rest),
            std::cmp::Ordering::Equal => (left_rest, right_rest),
        };
    }
    u32::try_from(shared * 1000 / all).unwrap_or(1000)
}

/// Pairs of lines, in order on both sides; `None` when `deadline` passed first.
fn pairs(old: &[Tokens], new: &[Tokens], deadline: Option<Instant>) -> Option<Vec<(usize, usize)>> {
    if old.len().saturating_mul(new.len()) > MAX_MATCHED_PAIRS {
        let alike = |index: &usize| similarity(&old[*index], &new[*index]) >= MIN_SIMILARITY;
        return Some((0..old.len().min(new.len())).filter(alike).map(|index| (index, index)).collect());
    }
    best_pairs(old, new, deadline)
}

/// The order-preserving pairs with the largest sum of similarities; `None` when `deadline` passed first.
fn best_pairs(old: &[Tokens], new: &[Tokens], deadline: Option<Instant>) -> Option<Vec<(usize, usize)>> {
    let width = new.len() + 1;
    // best[i * width + j]: the largest sum for old[i..] and new[j..]; alike: the similarity of old[i] and new[j].
    let mut best = vec![0u32; (old.len() + 1) * width];
    let mut alike = vec![0u32; old.len() * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            // Lines may be long, so that one pair already takes its time.
            if deadline.is_some_and(script::passed) {
                return None;
            }
            let here = similarity(&old[i], &new[j]);
            alike[i * width + j] = here;
            let skip = best[(i + 1) * width + j].max(best[i * width + j + 1]);
            let pair = if here >= MIN_SIMILARITY { here + best[(i + 1) * width + j + 1] } else { 0 };
            best[i * width + j] = skip.max(pair);
        }
    }
    let (mut i, mut j, mut chosen) = (0, 0, Vec::new());
    while i < old.len() && j < new.len() {
        let here = alike[i * width + j];
        if here >= MIN_SIMILARITY && best[i * width + j] == here + best[(i + 1) * width + j + 1] {
            chosen.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if best[i * width + j] == best[(i + 1) * width + j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn marked(lines: &[&str], ranges: &[Vec<Range<usize>>]) -> Vec<String> {
        let mark = |(line, ranges): (&&str, &Vec<Range<usize>>)| {
            let mut text = (*line).to_owned();
            for range in ranges.iter().rev() {
                text.insert(range.end, ']');
                text.insert(range.start, '[');
            }
            text
        };
        lines.iter().zip(ranges).map(mark).collect()
    }

    fn check(old: &[&str], new: &[&str], old_marked: &[&str], new_marked: &[&str]) {
        let cow = |lines: &[&'static str]| lines.iter().map(|line| Cow::Borrowed(*line)).collect::<Vec<_>>();
        let (old_static, new_static): (Vec<&'static str>, Vec<&'static str>) =
            (old.iter().map(|line| leak(line)).collect(), new.iter().map(|line| leak(line)).collect());
        let found = changed_words(&cow(&old_static), &cow(&new_static), None);
        assert_eq!(marked(old, &found.deleted), old_marked);
        assert_eq!(marked(new, &found.inserted), new_marked);
    }

    fn leak(line: &str) -> &'static str {
        Box::leak(line.to_owned().into_boxed_str())
    }

    #[test]
    fn words_by_example() {
        check(
            &["run the test suite"],
            &["run the whole test suite"],
            &["run the test suite"],
            &["run the [whole ]test suite"],
        );
        check(
            &["port is 8080 today"],
            &["port is 9090 today"],
            &["port is [8080] today"],
            &["port is [9090] today"],
        );
        check(
            &["use red blue paint here"],
            &["use one two paint here"],
            &["use [red blue] paint here"],
            &["use [one two] paint here"],
        );
        check(&["  indented"], &["indented"], &["[  ]indented"], &["indented"]);
        check(&["テストを実行する"], &["テストを確認する"], &["テストを[実行]する"], &["テストを[確認]する"]);
        check(
            &["a completely other line"],
            &["nothing shared at all here"],
            &["a completely other line"],
            &["nothing shared at all here"],
        );
    }

    #[test]
    fn lines_pair_in_order_by_likeness() {
        check(
            &["- deploy with make ship", "- ask before pushing"],
            &["- new first rule, quite long", "- deploy with just ship", "- ask Ana before pushing"],
            &["- deploy with [make] ship", "- ask before pushing"],
            &["- new first rule, quite long", "- deploy with [just] ship", "- ask [Ana ]before pushing"],
        );
    }

    #[test]
    fn large_blocks_pair_line_by_line() {
        let old: Vec<String> = (0..100).map(|n| format!("item number {n} is old")).collect();
        let new: Vec<String> = (0..100).map(|n| format!("item number {n} is new")).collect();
        let cow = |lines: &[String]| lines.iter().map(|line| Cow::Owned(line.clone())).collect::<Vec<_>>();
        let found = changed_words(&cow(&old), &cow(&new), None);
        assert!(found.deleted.iter().chain(&found.inserted).all(|ranges| ranges.len() == 1));
    }

    #[test]
    fn a_passed_deadline_leaves_lines_unmarked_and_says_so() {
        let found = changed_words(&["a b c".into()], &["a b d".into()], Some(Instant::now()));
        assert_eq!(found, ChangedWords { deleted: vec![vec![]], inserted: vec![vec![]], cut_short: true });
    }

    proptest! {
        #[test]
        fn ascii_is_cut_as_everything_else(line in "([a-z0-9_ .,:;'\"\t\r\n-]|[ -~]){0,24}") {
            let mut cut = Vec::new();
            each_token(&line, |start, token| cut.push((start, token)));
            prop_assert_eq!(cut, line.split_word_bound_indices().collect::<Vec<_>>());
        }
    }
}
