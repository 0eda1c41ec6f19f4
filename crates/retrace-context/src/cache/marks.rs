//! The cache of one run whose marks are known: what each request writes at its marks, and what a later one finds of it.
//!
//! A request writes an entry at each mark: the prefix that ends there. From each of its own marks it goes back over at most
//! [`LOOKBACK`] blocks, and reads the longest prefix that was written, is still the same, and still lives. What comes behind
//! that, up to the last mark, is written; the rest is neither.

use super::CacheLife;
use retrace_model::Timestamp;

/// Positions that are tried for each mark, its own the first of them.
pub const LOOKBACK: u64 = 20;

/// Most marks of a request.
pub const MOST_MARKS: usize = 4;

/// A mark of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Where it stands in the messages: tokens of these before it, as they were recorded. 0 before the messages.
    pub offset: u64,
    /// Tokens of the request up to it.
    pub tokens: u64,
    /// Blocks of the request up to it, tools and system among them.
    pub blocks: u64,
    /// True if what is written there lives for an hour, and not for five minutes.
    pub hour: bool,
}

/// The marks of a request, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    list: [Mark; MOST_MARKS],
    count: usize,
}

impl Marks {
    /// Adds one; beyond [`MOST_MARKS`] the API would refuse it, and it is left out.
    pub fn push(&mut self, mark: Mark) {
        if let Some(place) = self.list.get_mut(self.count) {
            *place = mark;
            self.count += 1;
        }
    }

    /// The marks.
    #[must_use]
    pub fn as_slice(&self) -> &[Mark] {
        &self.list[..self.count]
    }

    /// Tokens up to the last of them.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.as_slice().iter().map(|mark| mark.tokens).max().unwrap_or(0)
    }
}

/// Who asks: entries of another model, or of another time, are not found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asking {
    /// Model of the request.
    pub model: Option<usize>,
    /// When it was made.
    pub at: Option<Timestamp>,
    /// Life of every entry, in place of that of its mark.
    pub life: Option<CacheLife>,
    /// Least tokens that are cached.
    pub cacheable: u64,
}

/// A prefix that was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Its tokens; 0 where none was.
    pub tokens: u64,
    /// Its blocks.
    pub blocks: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    mark: Mark,
    model: Option<usize>,
    used: Option<Timestamp>,
}

/// What was written and is still the beginning of the last request.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    entries: Vec<Entry>,
}

impl Entries {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// The longest prefix that a request reads. `unchanged` is how far the messages are as in the request before; `None` if
    /// not even what stands before them is.
    #[must_use]
    pub fn find(&self, marks: &Marks, unchanged: Option<u64>, asking: &Asking) -> Found {
        let Some(unchanged) = unchanged else { return Found::default() };
        let is_there = |entry: &&Entry| {
            entry.mark.offset <= unchanged
                && entry.model == asking.model
                && entry.mark.tokens >= asking.cacheable
                && lives(entry, asking)
        };
        let looks_back = |entry: &&Entry| {
            let back = |mark: &Mark| mark.blocks.checked_sub(entry.mark.blocks);
            marks.as_slice().iter().filter_map(back).any(|back| back < LOOKBACK)
        };
        let found = self.entries.iter().filter(is_there).filter(looks_back);
        let longest = found.max_by_key(|entry| (entry.mark.offset, entry.mark.tokens));
        longest.map_or_else(Found::default, |entry| Found {
            tokens: entry.mark.tokens,
            blocks: entry.mark.blocks,
        })
    }

    /// A request was made: what is not its beginning is no use any more, and its marks are written, or used again.
    pub fn made(&mut self, marks: &Marks, unchanged: Option<u64>, asking: &Asking) {
        self.entries.retain(|entry| unchanged.is_some_and(|unchanged| entry.mark.offset <= unchanged));
        for &mark in marks.as_slice().iter().filter(|mark| mark.tokens >= asking.cacheable) {
            let entry = Entry { mark, model: asking.model, used: asking.at };
            let same = |known: &&mut Entry| {
                (known.mark.offset, known.mark.blocks, known.model)
                    == (mark.offset, mark.blocks, asking.model)
            };
            match self.entries.iter_mut().find(same) {
                Some(known) => *known = entry,
                None => self.entries.push(entry),
            }
        }
    }
}

fn lives(entry: &Entry, asking: &Asking) -> bool {
    let own = if entry.mark.hour { CacheLife::Hour1 } else { CacheLife::Minutes5 };
    let life = asking.life.unwrap_or(own);
    let gap = entry.used.zip(asking.at).map(|(used, at)| at.micros().saturating_sub(used.micros()));
    gap.is_none_or(|gap| gap <= life.micros())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// The cache as a server would keep it: by the whole prefix.
    #[derive(Default)]
    struct Server {
        written: HashMap<Vec<u32>, (i64, bool)>,
    }

    impl Server {
        /// Blocks of the longest prefix that is found; then everything marked is written.
        fn request(&mut self, blocks: &[u32], marks: &[(usize, bool)], at: i64) -> usize {
            let life = |hour: bool| if hour { CacheLife::Hour1 } else { CacheLife::Minutes5 }.micros();
            let positions = |mark: usize| (1..=mark).rev().take(20);
            let is_there = |upto: &usize| {
                self.written.get(&blocks[..*upto]).is_some_and(|&(used, hour)| at - used <= life(hour))
            };
            let found = marks.iter().flat_map(|&(mark, _)| positions(mark)).filter(is_there).max();
            for &(mark, hour) in marks {
                self.written.insert(blocks[..mark].to_vec(), (at, hour));
            }
            found.unwrap_or(0)
        }
    }

    #[derive(Clone, Debug)]
    enum Change {
        Appends(usize),
        Edits(usize),
        GoesBack(usize),
    }

    fn change() -> impl Strategy<Value = Change> {
        prop_oneof![
            6 => (0_usize..30).prop_map(Change::Appends),
            2 => (0_usize..80).prop_map(Change::Edits),
            1 => (0_usize..80).prop_map(Change::GoesBack),
        ]
    }

    proptest! {
        /// Every block weighs ten tokens; two stand before the messages. Marks end the system and the messages, and one stands
        /// anywhere between them.
        #[test]
        fn what_is_found_is_what_a_server_finds(
            runs in proptest::collection::vec((change(), 0_usize..60, any::<bool>(), 0_i64..4_000), 1..40)
        ) {
            const BASE: usize = 2;
            let (mut server, mut entries) = (Server::default(), Entries::default());
            let (mut blocks, mut next, mut at) = (vec![0, 1, 2], 3_u32, 0_i64);
            let mut unchanged = None;
            for (change, between, hour, seconds) in runs {
                at += seconds * 1_000_000;
                let marked = [(BASE, true), (BASE + 1 + between, hour), (blocks.len(), false)];
                let marked: Vec<(usize, bool)> =
                    marked.into_iter().filter(|(mark, _)| *mark <= blocks.len()).collect();
                let mut marks = Marks::default();
                for &(mark, hour) in &marked {
                    let offset = 10 * (mark - BASE) as u64;
                    marks.push(Mark { offset, tokens: 10 * mark as u64, blocks: mark as u64, hour });
                }
                let asking = Asking { at: Some(Timestamp::from_micros(at)), ..Asking::default() };
                let found = entries.find(&marks, unchanged, &asking);
                entries.made(&marks, unchanged, &asking);
                let expected = server.request(&blocks, &marked, at) as u64;
                prop_assert_eq!((found.tokens, found.blocks), (10 * expected, expected));
                let before = blocks.clone();
                match change {
                    Change::Appends(count) => {
                        blocks.extend(next..next + count as u32);
                        next += count as u32;
                    }
                    Change::Edits(place) => {
                        let place = BASE + place % (blocks.len() - BASE);
                        blocks[place] = next;
                        next += 1;
                    }
                    Change::GoesBack(count) => blocks.truncate((BASE + 1).max(blocks.len().saturating_sub(count))),
                }
                let same = before.iter().zip(&blocks).take_while(|(one, other)| one == other).count();
                unchanged = Some(10 * (same - BASE) as u64);
            }
        }
    }

    #[test]
    fn entries_of_another_model_or_too_small_are_not_found() {
        let mut marks = Marks::default();
        marks.push(Mark { offset: 5, tokens: 1_000, blocks: 3, hour: false });
        let (of_one, of_other) =
            (Asking { model: Some(1), ..Asking::default() }, Asking { model: Some(2), ..Asking::default() });
        let mut entries = Entries::default();
        entries.made(&marks, None, &of_one);
        assert_eq!(entries.find(&marks, Some(u64::MAX), &of_one), Found { tokens: 1_000, blocks: 3 });
        assert_eq!(entries.find(&marks, Some(u64::MAX), &of_other), Found::default());
        assert_eq!(entries.find(&marks, None, &of_one), Found::default());
        let least = Asking { cacheable: 1_024, ..of_one };
        assert_eq!(entries.find(&marks, Some(u64::MAX), &least), Found::default());
    }
}
