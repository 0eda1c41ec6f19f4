//! Lines, their hashes and weights, and what became of the lines of one text in another.

use retrace_diff::hash_map;
use sha2::{Digest as _, Sha256};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

/// The hash of a line of white space.
pub(crate) const BLANK: u64 = 0;

/// What stands in a text between two stretches of lines that do not follow each other. It is the hash of no line.
pub(crate) const GAP: u64 = 1;

/// The lines of a text, without their ends; what follows the last line feed is a line where it is not empty.
pub fn split(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
}

/// The hash of a line; white space at its end does not count.
#[must_use]
pub fn hash(line: &str) -> u64 {
    let line = line.trim_end();
    if line.is_empty() {
        return BLANK;
    }
    let digest = Sha256::digest(line.as_bytes());
    let first: [u8; 8] = digest.first_chunk().copied().unwrap_or_default();
    u64::from_be_bytes(first).max(GAP + 1)
}

/// Characters of a line that are looked at to see whether it says enough.
const LOOKED_AT: usize = 100;

/// Letters and digits of a line that says enough to be told from lines of other files, and words; a script without spaces has one.
const TELLING_LETTERS: usize = 6;
const TELLING_WORDS: usize = 2;
const TELLING_WIDE: usize = 4;

/// Words and letters of a line, of its beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Weight {
    /// Words.
    pub words: usize,
    /// Letters and digits.
    pub letters: usize,
    /// Those beyond ASCII.
    wide: usize,
}

impl Weight {
    pub(crate) fn of(line: &str) -> Self {
        let (mut weight, mut in_word) = (Self::default(), false);
        for letter in line.chars().take(LOOKED_AT) {
            let is_letter = letter.is_alphanumeric();
            weight.letters += usize::from(is_letter);
            weight.wide += usize::from(is_letter && !letter.is_ascii());
            weight.words += usize::from(is_letter && !in_word);
            in_word = is_letter;
        }
        weight
    }
}

/// True for a line that says enough to be told from lines of other files. A rule, a bracket, a heading of one word are none.
pub(crate) fn is_telling(line: &str) -> bool {
    let weight = Weight::of(line);
    weight.letters >= TELLING_LETTERS && (weight.words >= TELLING_WORDS || weight.wide >= TELLING_WIDE)
}

/// Line numbers as ranges, both ends included. `numbers` are in order.
#[must_use]
pub fn numbers_as_ranges(numbers: impl IntoIterator<Item = u32>) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, to)) if *to + 1 == number => *to = number,
            _ => ranges.push((number, number)),
        }
    }
    ranges
}

/// Ranges of equal lines, in order.
pub(crate) fn equal(old: &[u64], new: &[u64]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut ranges: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for (to, from) in hash_map(old, new).into_iter().enumerate() {
        let Some(from) = from else { continue };
        match ranges.last_mut() {
            Some((last, now)) if last.end == from && now.end == to => {
                (last.end, now.end) = (from + 1, to + 1);
            }
            _ => ranges.push((from..from + 1, to..to + 1)),
        }
    }
    ranges
}

/// What became of a line of one version in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It stands there, at this number.
    At(u32),
    /// Another line stands in its place.
    Differs,
    /// It is not there.
    Absent,
}

/// Pairs of equal lines wherever they stand, white space apart; of several alike in order, each of them once.
pub(crate) fn wherever(
    of: impl IntoIterator<Item = (usize, u64)>,
    there: impl IntoIterator<Item = (usize, u64)>,
) -> Vec<(usize, usize)> {
    let mut free: HashMap<u64, VecDeque<usize>> = HashMap::new();
    for (at, hash) in there.into_iter().filter(|(_, hash)| *hash > GAP) {
        free.entry(hash).or_default().push_back(at);
    }
    of.into_iter().filter_map(|(at, hash)| Some((at, free.get_mut(&hash)?.pop_front()?))).collect()
}

/// For each line of `of` what it is in `there`. A line that only moved stands there.
pub(crate) fn fates(of: &[u64], there: &[u64]) -> Vec<Fate> {
    let mut fates = vec![Fate::Absent; of.len()];
    let mut taken = vec![false; there.len()];
    let (mut of_at, mut there_at) = (0, 0);
    let ends = equal(of, there).into_iter().chain([(of.len()..of.len(), there.len()..there.len())]);
    for (own, other) in ends {
        let others = other.start - there_at;
        for fate in fates[of_at..own.start].iter_mut().take(others) {
            *fate = Fate::Differs;
        }
        for (line, number) in own.clone().zip(other.clone()) {
            fates[line] = Fate::At(number as u32 + 1);
            taken[number] = true;
        }
        (of_at, there_at) = (own.end, other.end);
    }
    // A difference keeps the order, which what moved does not.
    let is_left = |at: &usize| !matches!(fates[*at], Fate::At(_));
    let left = (0..of.len()).filter(is_left).map(|at| (at, of[at]));
    let free = (0..there.len()).filter(|at| !taken[*at]).map(|at| (at, there[at]));
    for (line, number) in wherever(left, free) {
        fates[line] = Fate::At(number as u32 + 1);
    }
    fates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_moved_stands_where_it_moved_to() {
        let is = |of: &[u64], there: &[u64]| {
            let number = |fate: &Fate| match fate {
                Fate::At(number) => Some(*number),
                _ => None,
            };
            fates(of, there).iter().map(number).collect::<Vec<_>>()
        };
        assert_eq!(is(&[5, 6, 7, 8], &[6, 7, 8, 5]), [Some(4), Some(1), Some(2), Some(3)]);
        assert_eq!(is(&[5, 6], &[6, 5]).iter().flatten().count(), 2);
        // One of two alike is there once.
        assert_eq!(is(&[5, 6, 5], &[6, 9, 5]).iter().flatten().count(), 2);
        assert_eq!(is(&[5, 5, 6], &[6, 5]).iter().flatten().count(), 2);
        // White space that moved is nothing.
        assert_eq!(is(&[5, BLANK, 6, 7], &[5, 6, 7, BLANK]), [Some(1), None, Some(2), Some(3)]);
        assert_eq!(fates(&[5, 6, 7], &[5, 8, 7])[1], Fate::Differs);
    }
}
