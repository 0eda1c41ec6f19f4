//! Lines, their hashes, and two lists of lines held against each other.

use crate::shelf::Text;
use retrace_diff::hash_map;
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;
use std::ops::Range;

/// The hash of a line of white space.
pub(crate) const BLANK: u64 = 0;

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
    u64::from_be_bytes(first).max(1)
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

/// Where the lines of a loaded text stand in a version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Matched {
    /// Index of a line of the text, number of the line of the version; in the order of the version.
    pub pairs: Vec<(u32, u32)>,
    /// True if every line of the text is a line of the version, in order: it may have been loaded from this version.
    pub agrees: bool,
    /// True if it agrees and leaves out no line of the version but those it says were cut.
    pub is_whole: bool,
}

/// Holds a loaded text against the lines of a version.
pub(crate) fn matched(text: &Text, version: &[u64]) -> Matched {
    let strict = if text.is_numbered() { by_number(text, version) } else { in_order(text, version) };
    let agrees = strict.is_some() && !text.is_loose;
    let pairs = strict.unwrap_or_else(|| by_difference(text, version));
    let covered = pairs.iter().filter(|(_, line)| version[*line as usize - 1] != BLANK).count();
    let all = version.iter().filter(|line| **line != BLANK).count();
    let is_whole =
        agrees && (covered == all || text.total.is_some_and(|total| total as usize == version.len()));
    Matched { pairs, agrees, is_whole }
}

/// `None` where a line of the text is not at its number.
fn by_number(text: &Text, version: &[u64]) -> Option<Vec<(u32, u32)>> {
    let mut pairs = Vec::with_capacity(text.lines.len());
    for (index, line) in text.lines.iter().enumerate() {
        match version.get((line.number as usize).checked_sub(1)?) {
            Some(hash) if *hash == line.hash => pairs.push((index as u32, line.number)),
            // What follows the last line feed is numbered too.
            None if line.hash == BLANK && line.number as usize == version.len() + 1 => {}
            _ => return None,
        }
    }
    Some(pairs)
}

/// `None` where the text is no subsequence of the version.
fn in_order(text: &Text, version: &[u64]) -> Option<Vec<(u32, u32)>> {
    if text.is_loose {
        return None;
    }
    let mut at = 0;
    let mut pairs = Vec::with_capacity(text.lines.len());
    for (index, line) in text.lines.iter().enumerate() {
        let found = version[at..].iter().position(|hash| *hash == line.hash)?;
        at += found + 1;
        pairs.push((index as u32, at as u32));
    }
    Some(pairs)
}

/// Stretches of a text that are looked for where they do not come in the order of the file, such as the answers of several
/// commands in one output.
const MOST_STRETCHES: usize = 16;

fn by_difference(text: &Text, version: &[u64]) -> Vec<(u32, u32)> {
    let mut left: Vec<(u32, u64)> = (0..).zip(text.lines.iter().map(|line| line.hash)).collect();
    let mut free: Vec<(u32, u64)> = (1..).zip(version.iter().copied()).collect();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for round in 0..MOST_STRETCHES {
        let hashes = |side: &[(u32, u64)]| side.iter().map(|(_, hash)| *hash).collect::<Vec<u64>>();
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (old, new) in equal(&hashes(&left), &hashes(&free)) {
            // One line alone, out of order, may be anything.
            let says = left[old.clone()].iter().filter(|(_, hash)| *hash != BLANK).count();
            if round == 0 || says > 1 {
                found.extend(old.zip(new));
            }
        }
        if found.is_empty() {
            break;
        }
        pairs.extend(found.iter().map(|(old, new)| (left[*old].0, free[*new].0)));
        if !text.is_loose {
            break;
        }
        let (old, new): (HashSet<usize>, HashSet<usize>) = found.into_iter().unzip();
        let without = |side: Vec<(u32, u64)>, taken: &HashSet<usize>| {
            let kept = side.into_iter().enumerate().filter(|(at, _)| !taken.contains(at));
            kept.map(|(_, line)| line).collect::<Vec<_>>()
        };
        (left, free) = (without(left, &old), without(free, &new));
    }
    // White space between lines that are not there says nothing.
    pairs.retain(|(old, _)| text.lines[*old as usize].hash != BLANK);
    pairs.sort_unstable_by_key(|pair| pair.1);
    pairs
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

/// For each line of `of` what it is in `there`.
pub(crate) fn fates(of: &[u64], there: &[u64]) -> Vec<Fate> {
    let mut fates = vec![Fate::Absent; of.len()];
    let (mut of_at, mut there_at) = (0, 0);
    let ends = equal(of, there).into_iter().chain([(of.len()..of.len(), there.len()..there.len())]);
    for (own, other) in ends {
        let others = other.start - there_at;
        for fate in fates[of_at..own.start].iter_mut().take(others) {
            *fate = Fate::Differs;
        }
        for (line, number) in own.clone().zip(other.clone()) {
            fates[line] = Fate::At(number as u32 + 1);
        }
        (of_at, there_at) = (own.end, other.end);
    }
    fates
}
