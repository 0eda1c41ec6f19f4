//! Remembered costs of parts of streams.
//!
//! The same few thousand words and operators make up most of a text. Two tables of a fixed size, one for parts of up to
//! 15 bytes and one for up to 31, each in pairs of places: a part has two places, the newer answer takes the first and moves
//! the one that was there to the second. Longer parts are computed every time. A table cannot grow, and an entry is compared
//! in full, so a cache changes how long an answer takes and never the answer.

use crate::vocabulary::Window;
use std::sync::{Mutex, PoisonError};

/// Pairs of places for parts of up to 15 bytes (512 KiB) and of up to 31 (256 KiB). Powers of two.
const SHORT_PAIRS_BITS: u32 = 14;
const LONG_PAIRS_BITS: u32 = 12;
const SHORT: usize = 15;
const LONG: usize = 31;

/// Caches kept between counts, at 768 KiB each: the threads that usually count at once, and memory stays bounded however many
/// there are.
const KEPT: usize = 8;

/// Working memory kept between counts, in bytes; a longer part frees what it took.
const SCRATCH_KEPT: usize = 1 << 16;

/// A part is in the low 15 bytes of its entry, its cost in the top one: no part of 31 bytes costs as much as 256, markers
/// included.
const COST_SHIFT: u32 = 120;
const KEY: u128 = (1 << COST_SHIFT) - 1;

/// Cache of one count.
pub(crate) struct Cache {
    short: Vec<[u128; 2]>,
    /// The first 16 bytes of a part, then the others with the cost.
    long: Vec<[u128; 4]>,
    pub(crate) scratch: Scratch,
}

/// Working memory.
#[derive(Default)]
pub(crate) struct Scratch {
    /// A part that is being put together.
    pub(crate) pending: Vec<u8>,
    /// A word as it stands in the stream.
    pub(crate) word: Vec<u8>,
    /// The costs while a part is tiled.
    pub(crate) window: Window,
}

/// A part as it is looked up. The empty part has no key: it costs nothing.
#[derive(Clone, Copy)]
pub(crate) enum Key {
    Short(u128),
    Long(u128, u128),
    /// Longer than what is remembered.
    None,
}

impl Key {
    /// Of bytes that are not zero (no byte of a stream is).
    #[inline]
    pub(crate) fn of(part: &[u8]) -> Self {
        if part.len() <= SHORT {
            return Self::Short(pack(part));
        }
        match part.split_first_chunk() {
            Some((first, rest)) if part.len() <= LONG => Self::Long(u128::from_le_bytes(*first), pack(rest)),
            _ => Self::None,
        }
    }
}

/// Up to 15 bytes, the first lowest, and zeros. Overlapping reads: the length alone decides which.
#[inline]
fn pack(bytes: &[u8]) -> u128 {
    let shift = |at: usize| 8 * at as u32;
    match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(first), Some(last)) => {
            let last = u128::from(u64::from_le_bytes(*last)) << shift(bytes.len() - 8);
            return u128::from(u64::from_le_bytes(*first)) | last;
        }
        _ => {
            if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
                let last = u64::from(u32::from_le_bytes(*last)) << shift(bytes.len() - 4);
                return u128::from(u64::from(u32::from_le_bytes(*first)) | last);
            }
        }
    }
    let byte = |at: usize| u32::from(bytes[at]) << shift(at);
    match bytes.len() {
        0 => 0,
        length => u128::from(byte(0) | byte(length / 2) | byte(length - 1)),
    }
}

/// The place of a key in a table of `2^bits` entries.
#[inline]
fn place(key: u128, bits: u32) -> usize {
    let mixed = (key as u64) ^ ((key >> 64) as u64).rotate_left(23).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - bits)) as usize
}

impl Cache {
    fn new() -> Self {
        Self {
            short: vec![[0; 2]; 1 << SHORT_PAIRS_BITS],
            long: vec![[0; 4]; 1 << LONG_PAIRS_BITS],
            scratch: Scratch::default(),
        }
    }

    /// Remembered cost of `key`, if any.
    #[inline]
    pub(crate) fn get(&self, key: Key) -> Option<u32> {
        let cost = |entry: u128| (entry >> COST_SHIFT) as u32;
        match key {
            Key::Short(key) => {
                let [first, second] = self.short[place(key, SHORT_PAIRS_BITS)];
                if first & KEY == key {
                    return Some(cost(first));
                }
                (second & KEY == key).then(|| cost(second))
            }
            Key::Long(start, rest) => {
                let pair = self.long[place(start ^ rest.rotate_left(9), LONG_PAIRS_BITS)];
                pair.as_chunks().0.iter().find_map(|[known_start, known_rest]| {
                    (*known_start == start && known_rest & KEY == rest).then(|| cost(*known_rest))
                })
            }
            Key::None => None,
        }
    }

    /// Remembers that `key` costs `cost`, in place of what was asked for longer ago.
    pub(crate) fn put(&mut self, key: Key, cost: u32) {
        let Ok(cost) = u8::try_from(cost) else { return };
        let cost = u128::from(cost) << COST_SHIFT;
        match key {
            Key::Short(key) => {
                let pair = &mut self.short[place(key, SHORT_PAIRS_BITS)];
                *pair = [key | cost, pair[0]];
            }
            Key::Long(start, rest) => {
                let pair = &mut self.long[place(start ^ rest.rotate_left(9), LONG_PAIRS_BITS)];
                *pair = [start, rest | cost, pair[0], pair[1]];
            }
            Key::None => {}
        }
    }
}

/// The caches of a vocabulary that nobody counts with at the moment.
#[derive(Default)]
pub(crate) struct Caches(Mutex<Vec<Box<Cache>>>);

impl Caches {
    /// Lends a cache to `count`: one that was used before, if there is one.
    pub(crate) fn with<T>(&self, count: impl FnOnce(&mut Cache) -> T) -> T {
        // A thread that panicked while it held the lock left the list whole.
        let free = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = free().pop();
        let mut cache = taken.unwrap_or_else(|| Box::new(Cache::new()));
        let counted = count(&mut cache);
        cache.scratch.trim();
        let mut free = free();
        if free.len() < KEPT {
            free.push(cache);
        }
        counted
    }
}

impl Scratch {
    fn trim(&mut self) {
        self.pending.clear();
        self.pending.shrink_to(SCRATCH_KEPT);
        self.word.clear();
        self.word.shrink_to(SCRATCH_KEPT);
    }
}

#[cfg(test)]
mod tests {
    use super::{Cache, Caches, KEPT, Key, SCRATCH_KEPT, pack};

    #[test]
    fn packing_keeps_every_byte_in_its_place() {
        let bytes: Vec<u8> = (1..=15).collect();
        for length in 0..=15 {
            let mut expected = [0; 16];
            expected[..length].copy_from_slice(&bytes[..length]);
            assert_eq!(pack(&bytes[..length]), u128::from_le_bytes(expected), "{length}");
        }
    }

    #[test]
    fn what_was_put_is_found_until_it_is_displaced() {
        let mut cache = Cache::new();
        let part = |number: u32, length: usize| format!("{number:0length$}").into_bytes();
        for length in [6, 15, 16, 24, 31] {
            for number in 0..20_000 {
                let key = Key::of(&part(number, length));
                cache.put(key, number % 200);
                assert_eq!(cache.get(key), Some(number % 200));
            }
            for number in 0..20_000 {
                let found = cache.get(Key::of(&part(number, length)));
                assert!(found.is_none_or(|cost| cost == number % 200), "{number} {length}");
            }
        }
    }

    #[test]
    fn what_is_not_there_is_not_found() {
        let mut cache = Cache::new();
        assert_eq!(cache.get(Key::of(b"word")), None);
        assert_eq!(cache.get(Key::of(b"a word of twenty bytes")), None);
        let long = Key::of(&[b'x'; 32]);
        cache.put(long, 4);
        assert_eq!(cache.get(long), None);
        cache.put(Key::of(b"dear"), 300);
        assert_eq!(cache.get(Key::of(b"dear")), None);
    }

    #[test]
    fn a_cache_is_lent_to_one_and_used_again() {
        let caches = Caches::default();
        caches.with(|outer| {
            outer.put(Key::of(b"kept"), 7);
            caches.with(|inner| assert_eq!(inner.get(Key::of(b"kept")), None));
        });
        assert_eq!(caches.with(|cache| cache.get(Key::of(b"kept"))), Some(7));
        assert_eq!(caches.0.lock().unwrap().len(), 2);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        fn lend(caches: &Caches, depth: usize) {
            if depth > 0 {
                caches.with(|cache| {
                    cache.scratch.word.resize(1 << 20, b'x');
                    lend(caches, depth - 1);
                });
            }
        }
        let caches = Caches::default();
        lend(&caches, 3 * KEPT);
        let free = caches.0.lock().unwrap();
        assert_eq!(free.len(), KEPT);
        assert!(free.iter().all(|cache| cache.scratch.word.capacity() <= SCRATCH_KEPT));
    }
}
