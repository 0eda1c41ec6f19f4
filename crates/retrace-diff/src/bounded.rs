//! Lines of two contents that are the same, for any contents in time that grows as their length does.
//!
//! A search for a small script is slow where many lines repeat. So only a fixed number of lines is searched as a whole. Beyond it the
//! lines that both sides have once are anchors, and what lies between two anchors is searched by itself; what is still too
//! much is compared in windows. Nothing here asks a clock: the answer depends on the contents alone.

use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::ops::Range;

/// Lines of both sides together that are searched as a whole.
pub(crate) const WHOLE: usize = 16_384;

/// Stretches with so many lines of both sides or fewer are cheap, however many there are.
const SMALL: usize = 256;

/// Lines of each side in one window.
const WINDOW: usize = 96;

/// Places of equal items, in order on both sides: of `old`, of `new`.
pub(crate) fn pairs(old: &[u32], new: &[u32]) -> Vec<(usize, usize)> {
    let mut search = Search { old, new, left: WHOLE, found: Vec::new() };
    let (mut old_at, mut new_at) = (0, 0);
    for (old_anchor, new_anchor) in anchors(old, new).into_iter().chain([(old.len(), new.len())]) {
        search.between(old_at..old_anchor, new_at..new_anchor);
        if old_anchor < old.len() {
            search.found.push((old_anchor, new_anchor));
        }
        (old_at, new_at) = (old_anchor + 1, new_anchor + 1);
    }
    search.found
}

struct Search<'a> {
    old: &'a [u32],
    new: &'a [u32],
    /// Lines that may still be searched as a whole.
    left: usize,
    found: Vec<(usize, usize)>,
}

impl Search<'_> {
    fn between(&mut self, mut old: Range<usize>, mut new: Range<usize>) {
        while !old.is_empty() && !new.is_empty() && self.old[old.start] == self.new[new.start] {
            self.found.push((old.start, new.start));
            (old.start, new.start) = (old.start + 1, new.start + 1);
        }
        let same = |at: &usize| self.old[old.end - 1 - at] == self.new[new.end - 1 - at];
        let end = (0..old.len().min(new.len())).take_while(same).count();
        let size = old.len() + new.len() - 2 * end;
        let (old_middle, new_middle) = (old.start..old.end - end, new.start..new.end - end);
        if size <= SMALL {
            self.whole(old_middle, new_middle);
        } else if size <= self.left {
            self.left -= size;
            self.whole(old_middle, new_middle);
        } else {
            self.in_windows(old_middle, new_middle);
        }
        self.found.extend((old.end - end..old.end).zip(new.end - end..new.end));
    }

    fn whole(&mut self, old: Range<usize>, new: Range<usize>) {
        if old.is_empty() || new.is_empty() {
            return;
        }
        for op in capture_diff_slices(Algorithm::Myers, &self.old[old.clone()], &self.new[new.clone()]) {
            if op.tag() == DiffTag::Equal {
                let places = op.old_range().zip(op.new_range());
                self.found.extend(places.map(|(from, to)| (old.start + from, new.start + to)));
            }
        }
    }

    /// Compares stretches of a fixed length, each from where the last one found something.
    fn in_windows(&mut self, old: Range<usize>, new: Range<usize>) {
        let (mut old_at, mut new_at) = (old.start, new.start);
        while old_at < old.end && new_at < new.end {
            let (old_end, new_end) = ((old_at + WINDOW).min(old.end), (new_at + WINDOW).min(new.end));
            let before = self.found.len();
            self.whole(old_at..old_end, new_at..new_end);
            let last = self.found[before..].last().map_or((0, 0), |(old, new)| (old + 1, new + 1));
            // At least half a window, so that the number of windows is bounded.
            old_at = last.0.max(old_at + WINDOW / 2).min(old_end);
            new_at = last.1.max(new_at + WINDOW / 2).min(new_end);
        }
    }
}

/// The longest row of items that both sides have exactly once, in order on both.
fn anchors(old: &[u32], new: &[u32]) -> Vec<(usize, usize)> {
    let size = old.iter().chain(new).max().map_or(0, |most| *most as usize + 1);
    let (in_old, in_new) = (places(old, size), places(new, size));
    let once: Vec<(usize, usize)> = old
        .iter()
        .enumerate()
        .filter_map(|(at, number)| match (in_old[*number as usize], in_new[*number as usize]) {
            (Place::Once(_), Place::Once(to)) => Some((at, to)),
            _ => None,
        })
        .collect();
    // For each length the item that ends a row of it earliest.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(once.len());
    for (index, (_, to)) in once.iter().enumerate() {
        let length = ends.partition_point(|end| once[*end].1 < *to);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(index);
        } else {
            ends[length] = index;
        }
    }
    let mut row = Vec::new();
    let mut last = ends.last().copied();
    while let Some(index) = last {
        row.push(once[index]);
        last = before[index];
    }
    row.reverse();
    row
}

#[derive(Clone, Copy)]
enum Place {
    Nowhere,
    Once(usize),
    Often,
}

/// Where each number stands.
fn places(numbers: &[u32], size: usize) -> Vec<Place> {
    let mut places = vec![Place::Nowhere; size];
    for (at, number) in numbers.iter().enumerate() {
        let place = &mut places[*number as usize];
        *place = if matches!(place, Place::Nowhere) { Place::Once(at) } else { Place::Often };
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn noise(count: usize, of: u32, seed: u64) -> Vec<u32> {
        let mut state = seed;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            u32::try_from((state >> 33) % u64::from(of)).expect("small")
        };
        (0..count).map(|_| next()).collect()
    }

    fn assert_in_order(old: &[u32], new: &[u32], pairs: &[(usize, usize)]) {
        assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
        assert!(pairs.iter().all(|(from, to)| old[*from] == new[*to]));
    }

    #[test]
    fn lines_that_repeat_are_compared_in_windows_and_most_are_found() {
        let (old, new) = (noise(60_000, 2, 0x2545_f491), noise(60_000, 2, 0x9e37_79b9));
        let pairs = pairs(&old, &new);
        assert_in_order(&old, &new, &pairs);
        assert!(pairs.len() > 40_000, "{}", pairs.len());
    }

    #[test]
    fn a_line_inserted_into_many_that_repeat_moves_them_all() {
        let old = noise(60_000, 2, 0x2545_f491);
        let mut new = old.clone();
        for at in [100, 20_000, 40_000] {
            new.insert(at, 7);
        }
        new[0] = 8;
        new[60_002] = 9;
        let pairs = pairs(&old, &new);
        assert_in_order(&old, &new, &pairs);
        assert!(pairs.len() > 59_000, "{}", pairs.len());
    }

    #[test]
    fn what_is_there_once_is_an_anchor_in_any_length() {
        let old: Vec<u32> = (0..100_000).collect();
        let mut new = old.clone();
        new.splice(50_000..50_010, [200_000, 200_001]);
        new.insert(7, 200_002);
        assert_eq!(pairs(&old, &new).len(), 99_990);
        let reversed: Vec<u32> = old.iter().rev().copied().collect();
        assert_in_order(&old, &reversed, &pairs(&old, &reversed));
    }

    proptest! {
        #[test]
        fn pairs_are_equal_and_in_order(
            old in proptest::collection::vec(0u32..9, 0..700),
            new in proptest::collection::vec(0u32..9, 0..700),
        ) {
            assert_in_order(&old, &new, &pairs(&old, &new));
            let mut search = Search { old: &old, new: &new, left: 0, found: Vec::new() };
            search.in_windows(0..old.len(), 0..new.len());
            assert_in_order(&old, &new, &search.found);
        }
    }
}
