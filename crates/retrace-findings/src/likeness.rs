//! Memories that say nearly the same, and which of them have to be compared again when some changed.
//!
//! Likeness is the Jaccard index of word 3-grams (shingles; Broder 1997), exact. Pairs are found through the shingles they
//! share, those in very many files left out, so that a directory of ten thousand files is no square.
//!
//! Invariant: what [`Likeness::update`] answers after any changes is what it would answer for the files as they are, were it
//! new. A file that changes can make a shingle common, or uncommon again, which adds or takes pairs of others; those others
//! count as changed.

use crate::page::Reading;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Fewest shingles of a memory that is compared; shorter ones are alike by chance.
const FEWEST: usize = 12;

/// Likeness from which two memories are near-duplicates, in percent: six times the most that two different memories of four
/// recorded histories have in common (5 %), and what nine of ten versions of one memory have in common with the one before.
/// docs/FINDINGS.md has how it was measured.
const ALIKE_PERCENT: usize = 30;

/// A shingle in more memories than this is a figure of speech and finds no pairs.
const COMMON: usize = 40;

/// Of so many files, one may be concerned by a change for it to be worked in; otherwise all are compared anew, which then
/// takes no longer.
const ANEW_FROM: usize = 8;

/// Two memories, the first in the order of paths first.
type Pair = (String, String);

/// State of the last check.
#[derive(Debug, Default)]
pub(crate) struct Likeness {
    files: BTreeMap<String, Arc<Reading>>,
    /// Near-duplicates, with how much they are alike in percent.
    pairs: BTreeMap<Pair, usize>,
}

/// A file with its shingles.
type Held<'a> = (&'a String, &'a [u64]);

/// A shingle and the place of a file that has it.
type Holder = (u64, u32);

impl Likeness {
    /// Brings the pairs up to these files. What is the same reading as before is not compared with what is as well.
    pub(crate) fn update(
        &mut self,
        files: &BTreeMap<String, Arc<Reading>>,
        threads: usize,
    ) -> &BTreeMap<Pair, usize> {
        let now = held(files);
        let changed = self.changed(files);
        let concerned = if changed.len() * ANEW_FROM > now.len() {
            None
        } else {
            self.concerned(&now, &changed, threads).filter(|all| all.len() * ANEW_FROM <= now.len())
        };
        match concerned {
            None => self.pairs = all_pairs(&now, threads),
            Some(concerned) => {
                self.pairs.retain(|(one, other), _| !concerned.contains(one) && !concerned.contains(other));
                self.pairs.extend(pairs_of(&now, &concerned, threads));
            }
        }
        self.files.clone_from(files);
        &self.pairs
    }

    /// Paths of files that came, went or changed.
    fn changed(&self, files: &BTreeMap<String, Arc<Reading>>) -> BTreeSet<String> {
        let differs = |path: &String, reading: &Arc<Reading>, others: &BTreeMap<String, Arc<Reading>>| {
            !others.get(path).is_some_and(|other| Arc::ptr_eq(other, reading))
        };
        let came = files.iter().filter(|(path, reading)| differs(path, reading, &self.files));
        let went = self.files.iter().filter(|(path, reading)| differs(path, reading, files));
        came.chain(went).map(|(path, _)| path.clone()).collect()
    }

    /// The files that changed, and those that share a shingle with them which became common, or is so no longer. `None` when
    /// those are too many.
    fn concerned(
        &self,
        now: &[Held<'_>],
        changed: &BTreeSet<String>,
        threads: usize,
    ) -> Option<BTreeSet<String>> {
        let mut concerned = changed.clone();
        let mut wanted: Vec<u64> = Vec::new();
        for path in changed {
            wanted.extend(self.files.get(path).map(|reading| compared(reading)).unwrap_or_default());
            if let Ok(at) = now.binary_search_by(|(known, _)| (*known).cmp(path)) {
                wanted.extend(now[at].1);
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        let holders = holders_of(now, &wanted, threads);
        let mut lost: Vec<u64> = Vec::new();
        for path in changed {
            lost.extend(self.files.get(path).map(|reading| compared(reading)).unwrap_or_default());
        }
        lost.sort_unstable();
        for same in holders.chunk_by(|one, other| one.0 == other.0) {
            let is_new = |(_, file): &&Holder| {
                now.get(*file as usize).is_some_and(|(path, _)| changed.contains(*path))
            };
            let came = same.iter().filter(is_new).count();
            let shingle = same.first().map_or(0, |holder| holder.0);
            let from = lost.partition_point(|known| *known < shingle);
            let went = lost[from..].iter().take_while(|known| **known == shingle).count();
            let before = same.len() - came + went;
            if (before > COMMON) != (same.len() > COMMON) {
                let paths = same.iter().filter_map(|(_, file)| now.get(*file as usize));
                concerned.extend(paths.map(|(path, _)| (*path).clone()));
                if concerned.len() * ANEW_FROM > now.len() {
                    return None;
                }
            }
        }
        Some(concerned)
    }
}

/// The shingles of a file that is compared; none of one that is too short.
fn compared(reading: &Reading) -> &[u64] {
    let shingles = reading.wording.shingles();
    if shingles.len() < FEWEST { &[] } else { shingles }
}

/// The files that are compared, by path.
fn held(files: &BTreeMap<String, Arc<Reading>>) -> Vec<Held<'_>> {
    files
        .iter()
        .map(|(path, reading)| (path, compared(reading)))
        .filter(|(_, shingles)| !shingles.is_empty())
        .collect()
}

/// Runs `work` on each of `threads` numbers from 0; what they answer, in that order.
fn each_thread<T: Send>(threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let work = &work;
        let others: Vec<_> = (1..threads.max(1)).map(|at| scope.spawn(move || work(at))).collect();
        let mut done = vec![work(0)];
        for other in others {
            done.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    })
}

fn place(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// All pairs, found by sorting all shingles: that takes a fraction of what a map of them takes. Each thread has a part of all
/// shingles.
fn all_pairs(files: &[Held<'_>], threads: usize) -> BTreeMap<Pair, usize> {
    let parts = threads.max(1) as u64;
    let candidates = each_thread(threads, |part| {
        let mut holders: Vec<Holder> = Vec::new();
        for (index, (_, shingles)) in files.iter().enumerate() {
            let mine = shingles.iter().filter(|shingle| **shingle % parts == part as u64);
            holders.extend(mine.map(|shingle| (*shingle, place(index))));
        }
        holders.sort_unstable();
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let same = holders.chunk_by(|one, other| one.0 == other.0);
        for holders in same.filter(|holders| (2..=COMMON).contains(&holders.len())) {
            for (at, (_, first)) in holders.iter().enumerate() {
                pairs.extend(holders[at + 1..].iter().map(|(_, second)| (*first, *second)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    });
    alike(files, candidates.into_iter().flatten().collect(), threads)
}

/// The pairs in which at least one of `concerned` is.
fn pairs_of(files: &[Held<'_>], concerned: &BTreeSet<String>, threads: usize) -> BTreeMap<Pair, usize> {
    let is_concerned =
        |file: u32| files.get(file as usize).is_some_and(|(path, _)| concerned.contains(*path));
    let theirs = files.iter().filter(|(path, _)| concerned.contains(*path));
    let mut wanted: Vec<u64> = theirs.flat_map(|(_, shingles)| shingles.iter().copied()).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let holders = holders_of(files, &wanted, threads);
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let same = holders.chunk_by(|one, other| one.0 == other.0);
    for holders in same.filter(|holders| (2..=COMMON).contains(&holders.len())) {
        for (at, (_, first)) in holders.iter().enumerate() {
            let with = holders[at + 1..].iter().map(|(_, second)| (*first, *second));
            pairs.extend(with.filter(|(one, other)| is_concerned(*one) || is_concerned(*other)));
        }
    }
    alike(files, pairs, threads)
}

/// Who has one of these shingles (sorted, each once), by shingle and file.
fn holders_of(files: &[Held<'_>], wanted: &[u64], threads: usize) -> Vec<Holder> {
    // Nearly all shingles are none of those that are searched for, which one bit tells of most of them.
    let bits = (wanted.len() * 16).next_power_of_two().max(64);
    let mask = bits as u64 - 1;
    let mut seen = vec![0_u64; bits / 64];
    for shingle in wanted {
        let bit = shingle & mask;
        seen[(bit / 64) as usize] |= 1 << (bit % 64);
    }
    let share = files.len().div_ceil(threads.max(1)).max(1);
    let found = each_thread(threads, |part| {
        let mut found: Vec<Holder> = Vec::new();
        for (index, (_, shingles)) in files.iter().enumerate().skip(part * share).take(share) {
            let may_be = shingles.iter().filter(|shingle| {
                let bit = **shingle & mask;
                seen[(bit / 64) as usize] & (1 << (bit % 64)) != 0
            });
            let is = may_be.filter(|shingle| wanted.binary_search(shingle).is_ok());
            found.extend(is.map(|shingle| (*shingle, place(index))));
        }
        found
    });
    let mut found: Vec<Holder> = found.into_iter().flatten().collect();
    found.sort_unstable();
    found
}

/// Those of the pairs that are alike, with how much they are.
fn alike(files: &[Held<'_>], mut pairs: Vec<(u32, u32)>, threads: usize) -> BTreeMap<Pair, usize> {
    pairs.sort_unstable();
    pairs.dedup();
    let share = pairs.len().div_ceil(threads.max(1)).max(1);
    let found = each_thread(threads, |part| {
        let mine = pairs.iter().skip(part * share).take(share);
        mine.filter_map(|(first, second)| {
            let (one, other) = (files.get(*first as usize)?, files.get(*second as usize)?);
            let percent = percent_alike(one.1, other.1);
            (percent >= ALIKE_PERCENT).then(|| ((one.0.clone(), other.0.clone()), percent))
        })
        .collect::<Vec<_>>()
    });
    found.into_iter().flatten().collect()
}

/// The Jaccard index of two sorted sets, in percent, rounded down.
fn percent_alike(a: &[u64], b: &[u64]) -> usize {
    let (mut at, mut other, mut shared) = (0, 0, 0);
    while let (Some(one), Some(two)) = (a.get(at), b.get(other)) {
        match one.cmp(two) {
            std::cmp::Ordering::Less => at += 1,
            std::cmp::Ordering::Greater => other += 1,
            std::cmp::Ordering::Equal => {
                shared += 1;
                at += 1;
                other += 1;
            }
        }
    }
    let all = a.len() + b.len() - shared;
    (shared * 100).checked_div(all).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::similar::{Wording, shingles_of};
    use proptest::prelude::*;

    fn reading(shingles: Vec<u64>) -> Arc<Reading> {
        Arc::new(Reading { wording: Wording::of_shingles(shingles), ..Reading::default() })
    }

    #[test]
    fn likeness_in_percent() {
        let a = shingles_of("run the formatter before each commit and push");
        assert_eq!(percent_alike(&a, &a), 100);
        assert_eq!(percent_alike(&a, &shingles_of("nothing in common with that other one")), 0);
        assert_eq!(percent_alike(&a, &[]), 0);
        assert_eq!(percent_alike(&[], &[]), 0);
        // Six triples and six, of which five are shared.
        assert_eq!(percent_alike(&a, &shingles_of("run the formatter before each commit and wait")), 71);
    }

    /// A file of shingles from few, so that some are in more than [`COMMON`] files and some pass that bound with each change.
    fn file() -> impl Strategy<Value = Vec<u64>> {
        (0..12_u64, prop::collection::btree_set(0..40_u64, 0..8)).prop_map(|(topic, more)| {
            let own = (0..14).map(|at| 1_000 + topic * 10 + at);
            own.chain(more).collect::<BTreeSet<_>>().into_iter().collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

        #[test]
        fn what_is_worked_in_is_what_all_anew_gives(
            files in prop::collection::vec(file(), 60..90),
            changes in prop::collection::vec((0..100_usize, prop::option::of(file())), 1..12),
        ) {
            let mut files: BTreeMap<String, Arc<Reading>> =
                files.into_iter().enumerate().map(|(at, file)| (format!("{at:03}"), reading(file))).collect();
            let mut kept = Likeness::default();
            kept.update(&files, 2);
            for (at, file) in changes {
                match file {
                    Some(file) => drop(files.insert(format!("{at:03}"), reading(file))),
                    None => drop(files.remove(&format!("{at:03}"))),
                }
                let anew = all_pairs(&held(&files), 1);
                prop_assert_eq!(kept.update(&files, 2), &anew);
            }
        }
    }
}
