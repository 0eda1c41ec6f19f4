//! A loaded text held against the lines of a version.

use crate::lines::{BLANK, equal, wherever};
use crate::shelf::{Claim, Line, Text};
use std::collections::{HashMap, HashSet, VecDeque};

/// The lines of a version.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VersionLines<'v> {
    /// Their hashes.
    pub hashes: &'v [u64],
    /// Which of them say enough to be told from lines of other files.
    pub telling: &'v [bool],
}

/// Where the lines of a loaded text stand in a version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Matched {
    /// Index of a line of the text, number of the line of the version; in the order of the version.
    pub pairs: Vec<(u32, u32)>,
    /// Numbers of lines of the version that stand in the text and may be another file's there, in order.
    pub doubtful: Vec<u32>,
    /// True if every line of the text is a line of the version, in order: it may have been loaded from this version.
    pub agrees: bool,
    /// True if it agrees and leaves out no line of the version but those it says were cut.
    pub is_whole: bool,
}

impl Matched {
    /// The number that the last line of the text has in the version.
    pub(crate) fn last(&self) -> Option<u32> {
        self.pairs.iter().max_by_key(|pair| pair.0).map(|pair| pair.1)
    }
}

/// Holds a loaded text against the lines of a version.
pub(crate) fn matched(text: &Text, lines: VersionLines<'_>) -> Matched {
    let version = lines.hashes;
    let strict = match text.claim {
        Claim::Whole | Claim::Sifted | Claim::Doubtful => None,
        _ if text.is_numbered() => by_number(text, version),
        _ => in_order(text, version),
    };
    let agrees = strict.is_some() && !text.is_loose;
    let pairs = strict.unwrap_or_else(|| match text.claim {
        Claim::Own => with_moved(by_difference(text, version), text, lines),
        Claim::Output => of_output(text, lines),
        Claim::Whole => sifted(text, VersionLines { telling: &vec![true; version.len()], ..lines }),
        Claim::Sifted => sifted(text, lines),
        Claim::Doubtful => Vec::new(),
    });
    let covered = pairs.iter().filter(|(_, line)| version[*line as usize - 1] != BLANK).count();
    let all = version.iter().filter(|line| **line != BLANK).count();
    let is_whole =
        agrees && (covered == all || text.total.is_some_and(|total| total as usize == version.len()));
    let doubtful = if text.claim == Claim::Own { Vec::new() } else { doubtful(text, version, &pairs) };
    Matched { pairs, doubtful, agrees, is_whole }
}

/// Lines of the version that stand in the text and are not among the pairs.
fn doubtful(text: &Text, version: &[u64], pairs: &[(u32, u32)]) -> Vec<u32> {
    let placed: HashSet<u32> = pairs.iter().map(|pair| pair.0).collect();
    let left = (0..).zip(&text.lines).filter(|(at, line)| line.hash != BLANK && !placed.contains(at));
    let left: HashSet<u64> = left.map(|(_, line)| line.hash).collect();
    let taken: HashSet<u32> = pairs.iter().map(|pair| pair.1).collect();
    let numbers = (1..).zip(version).filter(|(number, hash)| left.contains(hash) && !taken.contains(number));
    numbers.map(|(number, _)| number).collect()
}

/// The same with the lines of the text that stand elsewhere in the version. What may be another file's, or a part of a line, has to
/// say enough.
fn with_moved(mut pairs: Vec<(u32, u32)>, text: &Text, lines: VersionLines<'_>) -> Vec<(u32, u32)> {
    let (mut placed, mut taken) = (vec![false; text.lines.len()], vec![false; lines.hashes.len()]);
    for (at, number) in &pairs {
        (placed[*at as usize], taken[*number as usize - 1]) = (true, true);
    }
    let left = text.lines.iter().map(|line| line.hash).enumerate().filter(|(at, _)| !placed[*at]);
    let is_file = text.claim == Claim::Own && !text.is_loose;
    let says = |at: usize| is_file || lines.telling.get(at) == Some(&true);
    let free = lines.hashes.iter().copied().enumerate().filter(|(at, _)| !taken[*at] && says(*at));
    pairs.extend(wherever(left, free).into_iter().map(|(at, to)| (at as u32, to as u32 + 1)));
    pairs.sort_unstable_by_key(|pair| pair.1);
    pairs
}

/// The output of a command that names the file. Where it holds anything beside the file's lines, a stretch counts with one of them
/// that says enough.
fn of_output(text: &Text, lines: VersionLines<'_>) -> Vec<(u32, u32)> {
    let pairs = by_difference(text, lines.hashes);
    let said = text.lines.iter().filter(|line| line.hash != BLANK).count();
    if pairs.len() == said { pairs } else { with_moved(told(pairs, text, lines), text, lines) }
}

/// Lines that were picked out of a text: at their numbers, in their order, what says enough wherever it stands, and what follows
/// or precedes one of those in both.
fn sifted(text: &Text, lines: VersionLines<'_>) -> Vec<(u32, u32)> {
    let mut placing = Placing::of(text, lines);
    placing.at_numbers();
    let in_order = told(by_difference(text, lines.hashes), text, lines);
    for (at, number) in in_order {
        placing.place(placing.of_text[at as usize], placing.of_version[number as usize - 1]);
    }
    placing.wherever();
    placing.beside();
    placing.pairs()
}

/// Lines that are no white space, of a text and of a version, while each finds its place.
struct Placing<'v> {
    /// Places in the text, and its lines.
    text: Vec<(u32, Line)>,
    /// Numbers in the version, hashes, and whether they say enough.
    version: Vec<(u32, u64, bool)>,
    /// By line of the text, or the version: its place among these. That of white space is of no use.
    of_text: Vec<usize>,
    of_version: Vec<usize>,
    /// By line of the text: its place in the version.
    placed: Vec<Option<usize>>,
    taken: Vec<bool>,
    hashes: &'v [u64],
}

impl<'v> Placing<'v> {
    fn of(text: &Text, lines: VersionLines<'v>) -> Self {
        let (mut left, mut of_text) = (Vec::new(), Vec::with_capacity(text.lines.len()));
        for (at, line) in (0..).zip(&text.lines) {
            of_text.push(left.len());
            if line.hash != BLANK {
                left.push((at, *line));
            }
        }
        let (mut free, mut of_version) = (Vec::new(), Vec::with_capacity(lines.hashes.len()));
        for (number, (hash, telling)) in (1..).zip(lines.hashes.iter().zip(lines.telling)) {
            of_version.push(free.len());
            if *hash != BLANK {
                free.push((number, *hash, *telling));
            }
        }
        let (placed, taken) = (vec![None; left.len()], vec![false; free.len()]);
        Self { text: left, version: free, of_text, of_version, placed, taken, hashes: lines.hashes }
    }

    fn place(&mut self, at: usize, to: usize) {
        if let (Some(placed @ None), Some(taken @ false)) = (self.placed.get_mut(at), self.taken.get_mut(to))
        {
            (*placed, *taken) = (Some(to), true);
        }
    }

    fn at_numbers(&mut self) {
        for at in 0..self.text.len() {
            let line = self.text[at].1;
            let Some(place) = (line.number as usize).checked_sub(1) else { continue };
            if self.hashes.get(place) == Some(&line.hash) {
                self.place(at, self.of_version[place]);
            }
        }
    }

    fn wherever(&mut self) {
        let mut free: HashMap<u64, VecDeque<usize>> = HashMap::new();
        for (to, (_, hash, telling)) in self.version.iter().enumerate() {
            if *telling && !self.taken[to] {
                free.entry(*hash).or_default().push_back(to);
            }
        }
        for at in 0..self.text.len() {
            if self.placed[at].is_none()
                && let Some(to) = free.get_mut(&self.text[at].1.hash).and_then(VecDeque::pop_front)
            {
                self.place(at, to);
            }
        }
    }

    /// A line of a text that was turned around stands beside its neighbours, too.
    fn beside(&mut self) {
        for at in 1..self.text.len() {
            self.beside_one(at, at - 1);
        }
        for at in (1..self.text.len()).rev() {
            self.beside_one(at - 1, at);
        }
    }

    fn beside_one(&mut self, at: usize, neighbour: usize) {
        let (None, Some(to)) = (self.placed[at], self.placed[neighbour]) else { return };
        let hash = self.text[at].1.hash;
        for to in [to + 1, to.wrapping_sub(1)] {
            if self.version.get(to).is_some_and(|line| line.1 == hash) {
                self.place(at, to);
            }
        }
    }

    fn pairs(&self) -> Vec<(u32, u32)> {
        let pair =
            |(line, placed): (&(u32, Line), &Option<usize>)| Some((line.0, self.version[(*placed)?].0));
        let mut pairs: Vec<(u32, u32)> = self.text.iter().zip(&self.placed).filter_map(pair).collect();
        pairs.sort_unstable_by_key(|pair| pair.1);
        pairs
    }
}

/// Pairs that follow each other in both, white space apart, where one of them says enough. `pairs` are in the order of the version.
fn told(pairs: Vec<(u32, u32)>, text: &Text, lines: VersionLines<'_>) -> Vec<(u32, u32)> {
    let is_blank_text = |at: u32| text.lines.get(at as usize).is_some_and(|line| line.hash == BLANK);
    let is_blank_line = |number: u32| lines.hashes.get(number as usize - 1) == Some(&BLANK);
    let follows = |one: (u32, u32), other: (u32, u32)| {
        other.0 > one.0 && (one.1 + 1..other.1).all(is_blank_line) && (one.0 + 1..other.0).all(is_blank_text)
    };
    let mut kept = Vec::with_capacity(pairs.len());
    let mut stretch: Vec<(u32, u32)> = Vec::new();
    let mut close = |stretch: &mut Vec<(u32, u32)>| {
        let says = |pair: &(u32, u32)| lines.telling.get(pair.1 as usize - 1) == Some(&true);
        if stretch.iter().any(says) {
            kept.append(stretch);
        }
        stretch.clear();
    };
    for pair in pairs {
        if stretch.last().is_some_and(|last| !follows(*last, pair)) {
            close(&mut stretch);
        }
        stretch.push(pair);
    }
    close(&mut stretch);
    kept
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Loading, Memory, Version};

    /// Pairs of a text with the lines of another.
    fn pairs(text: &str, of: &str, is_loose: bool) -> Vec<(u32, u32)> {
        let line = |line: &str| Line { number: 0, hash: crate::lines::hash(line) };
        let text = Text { lines: text.lines().map(line).collect(), is_loose, ..Text::default() };
        let memory = Memory::new(Loading::OnDemand, vec![Version::of(of, 0)]);
        memory.matched(0, &text, 0).pairs.clone()
    }

    #[test]
    fn a_line_that_moved_is_found_once_and_in_the_order_of_the_version() {
        let file = "- use pnpm, never npm\n- another thing\n---\n- the last thing\n";
        let moved = "- another thing\n---\n- the last thing\n- use pnpm, never npm\n";
        assert_eq!(pairs(moved, file, false), [(3, 1), (0, 2), (1, 3), (2, 4)]);
        assert_eq!(pairs(moved, file, true), [(3, 1), (0, 2), (1, 3), (2, 4)]);
        // A rule of dashes may be of anything where more than the file may be in the text.
        assert_eq!(pairs("- another thing\n- x y\n---\n", "---\n- another thing\n", true), [(0, 2)]);
        assert_eq!(pairs("- another thing\n- x y\n---\n", "---\n- another thing\n", false), [(2, 1), (0, 2)]);
        assert_eq!(pairs("b b b b\na a a a\n", "a a a a\na a a a\nb b b b\n", false).len(), 2);
    }
}
