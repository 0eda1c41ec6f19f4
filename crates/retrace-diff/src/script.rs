//! The edit script between two sequences: which stretches were replaced by which.

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};
use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;
use std::time::Instant;

/// One stretch of the old sequence and what stands in its place; at most one of the two is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub old: Range<usize>,
    pub new: Range<usize>,
}

/// The changes in order, with at least one unchanged item between two of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Script {
    pub changes: Vec<Change>,
    /// The deadline passed before the search ended, so that a smaller script may exist.
    pub cut_short: bool,
}

/// Numbers for equal items, so that sequences are compared as numbers.
pub(crate) struct Interner<T>(HashMap<T, u32>);

impl<T: Hash + Eq> Interner<T> {
    pub(crate) fn new() -> Self {
        Self(HashMap::new())
    }

    /// The number of `item`, from 0 in the order of first sight.
    pub(crate) fn number(&mut self, item: T) -> u32 {
        // More than 2^32 different items do not fit any size limit; were they to come, they would share the last number.
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        *self.0.entry(item).or_insert(next)
    }

    pub(crate) fn numbers(&mut self, items: impl IntoIterator<Item = T>) -> Vec<u32> {
        items.into_iter().map(|item| self.number(item)).collect()
    }
}

/// A small script from `old` to `new`. Exact, but not promised to be the smallest: the search gives up on difficult inputs
/// after an amount of work that grows a little faster than their length, or when `deadline` passes, and then replaces
/// whole stretches.
pub(crate) fn search(old: &[u32], new: &[u32], deadline: Option<Instant>) -> Script {
    let whole = replace_middle(old, new);
    let needs_search = whole.changes.iter().any(|change| !change.old.is_empty() && !change.new.is_empty());
    if !needs_search {
        return whole;
    }
    // A line of one side alone can be equal to nothing. It is left out of the search, which is slowest where it finds nothing.
    let (old_kept, new_kept) = (kept(old, new), kept(new, old));
    let numbers = |kept: &[usize], all: &[u32]| kept.iter().map(|at| all[*at]).collect::<Vec<u32>>();
    let (old_few, new_few) = (numbers(&old_kept, old), numbers(&new_kept, new));
    let mut changes = Changes::default();
    for op in capture_diff_slices_deadline(Algorithm::Myers, &old_few, &new_few, deadline) {
        if op.tag() == DiffTag::Equal {
            for (from, to) in op.old_range().zip(op.new_range()) {
                changes.equal(old_kept[from], new_kept[to]);
            }
        }
    }
    Script { changes: changes.ending(old.len(), new.len()), cut_short: deadline.is_some_and(passed) }
}

/// How many items of both are to be searched: those between the common start and end that are on the other side too.
pub(crate) fn lines_to_search(old: &[u32], new: &[u32]) -> usize {
    match replace_middle(old, new).changes.first() {
        Some(middle) if middle.old.len() + middle.new.len() > 1 => {
            let (old, new) = (&old[middle.old.clone()], &new[middle.new.clone()]);
            kept(old, new).len() + kept(new, old).len()
        }
        _ => 0,
    }
}

/// What `pairs` finds among the items that are on the other side too, at their places among all.
pub(crate) fn pairs_of_kept(
    old: &[u32],
    new: &[u32],
    pairs: impl Fn(&[u32], &[u32]) -> Vec<(usize, usize)>,
) -> Vec<(usize, usize)> {
    let (old_kept, new_kept) = (kept(old, new), kept(new, old));
    let numbers = |kept: &[usize], all: &[u32]| kept.iter().map(|at| all[*at]).collect::<Vec<u32>>();
    let found = pairs(&numbers(&old_kept, old), &numbers(&new_kept, new));
    found.into_iter().map(|(from, to)| (old_kept[from], new_kept[to])).collect()
}

/// Where the items of `of` stand that are in `other` too.
fn kept(of: &[u32], other: &[u32]) -> Vec<usize> {
    let size = of.iter().chain(other).max().map_or(0, |most| *most as usize + 1);
    let mut is_there = vec![false; size];
    for number in other {
        is_there[*number as usize] = true;
    }
    (0..of.len()).filter(|at| is_there[of[*at] as usize]).collect()
}

/// Changes between pairs of equal items that come in order.
#[derive(Default)]
struct Changes {
    found: Vec<Change>,
    /// Where the items behind the last pair start.
    old_at: usize,
    new_at: usize,
}

impl Changes {
    /// The items at `old` and `new` are equal; what stands between them and the pair before was changed.
    fn equal(&mut self, old: usize, new: usize) {
        if self.old_at < old || self.new_at < new {
            self.found.push(Change { old: self.old_at..old, new: self.new_at..new });
        }
        (self.old_at, self.new_at) = (old + 1, new + 1);
    }

    /// All of them, for sequences of these lengths.
    fn ending(mut self, old: usize, new: usize) -> Vec<Change> {
        self.equal(old, new);
        self.found
    }
}

/// The script that replaces everything between the common start and the common end at once.
pub(crate) fn replace_middle(old: &[u32], new: &[u32]) -> Script {
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let end =
        old[start..].iter().rev().zip(new[start..].iter().rev()).take_while(|(old, new)| old == new).count();
    let change = Change { old: start..old.len() - end, new: start..new.len() - end };
    let changes = if change.old.is_empty() && change.new.is_empty() { Vec::new() } else { vec![change] };
    Script { changes, cut_short: false }
}

/// True if `deadline` is now or was before. A limit of zero has always passed.
pub(crate) fn passed(deadline: Instant) -> bool {
    Instant::now() >= deadline
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn apply(old: &[u32], new: &[u32], script: &Script) -> Vec<u32> {
        let mut at = 0;
        let mut built = Vec::new();
        for change in &script.changes {
            built.extend(&old[at..change.old.start]);
            built.extend(&new[change.new.clone()]);
            at = change.old.end;
        }
        built.extend(&old[at..]);
        built
    }

    proptest! {
        #[test]
        fn scripts_are_exact(
            old in proptest::collection::vec(0u32..6, 0..40),
            new in proptest::collection::vec(0u32..6, 0..40),
        ) {
            let late = Some(Instant::now());
            for script in [search(&old, &new, None), search(&old, &new, late), replace_middle(&old, &new)] {
                prop_assert_eq!(&apply(&old, &new, &script), &new);
                for change in &script.changes {
                    prop_assert!(!change.old.is_empty() || !change.new.is_empty());
                }
                for pair in script.changes.windows(2) {
                    prop_assert!(pair[0].old.end < pair[1].old.start);
                    prop_assert_eq!(pair[1].old.start - pair[0].old.end, pair[1].new.start - pair[0].new.end);
                }
            }
        }
    }

    #[test]
    fn what_needs_no_search_is_never_cut_short() {
        let late = Some(Instant::now());
        assert_eq!(search(&[1, 2], &[1, 2], late), Script::default());
        assert_eq!(search(&[1, 3], &[1, 2, 3], late).changes, [Change { old: 1..1, new: 1..2 }]);
        assert!(!search(&[1, 3], &[1, 2, 3], late).cut_short);
        assert!(search(&[1, 2, 3], &[1, 4, 3], late).cut_short);
    }
}
