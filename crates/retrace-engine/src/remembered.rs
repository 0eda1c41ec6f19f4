//! Facts about contents, remembered up to a bound. A content never changes, so no entry becomes wrong.

use crate::engine::lock;
use retrace_model::Sha256;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Entries of a generation: the contents of some ten thousand changes, with the contents before them.
const GENERATION: usize = 25_000;

/// The key of a fact: half of a SHA-256, so that an entry takes little more than its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FactKey([u8; 16]);

impl FactKey {
    /// Of a fact that a content alone decides.
    #[must_use]
    pub fn of(content: Sha256) -> Self {
        let mut half = [0; 16];
        half.copy_from_slice(&content.0[..16]);
        Self(half)
    }

    /// Of a fact that several parts decide together, each of any length.
    #[must_use]
    pub fn of_parts(parts: &[&[u8]]) -> Self {
        let mut bytes = Vec::new();
        for part in parts {
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part);
        }
        Self::of(Sha256::of(&bytes))
    }
}

/// Facts by key, in two generations. When the younger one is full it becomes the older one, and what was older is forgotten: lists
/// ask for the same few again and again, and what they ask for comes back to the younger one.
#[derive(Debug)]
pub struct Remembered<V> {
    known: Mutex<Generations<V>>,
}

#[derive(Debug)]
struct Generations<V> {
    younger: HashMap<FactKey, V>,
    older: HashMap<FactKey, V>,
    /// What the younger one takes, in entries of usual size.
    weight: usize,
}

impl<V> Default for Generations<V> {
    fn default() -> Self {
        Self { younger: HashMap::new(), older: HashMap::new(), weight: 0 }
    }
}

impl<V> Default for Remembered<V> {
    fn default() -> Self {
        Self { known: Mutex::default() }
    }
}

impl<V: Clone + Weighed> Remembered<V> {
    /// A fact that was kept.
    #[must_use]
    pub fn get(&self, key: FactKey) -> Option<V> {
        let mut known = lock(&self.known);
        if let Some(value) = known.younger.get(&key) {
            return Some(value.clone());
        }
        let value = known.older.remove(&key)?;
        known.keep(key, value.clone());
        Some(value)
    }

    /// Keeps a fact.
    pub fn keep(&self, key: FactKey, value: V) {
        lock(&self.known).keep(key, value);
    }

    /// Forgets everything, so that nothing outlives the redaction of a content.
    pub fn forget(&self) {
        *lock(&self.known) = Generations::default();
    }
}

impl<V: Weighed> Generations<V> {
    fn keep(&mut self, key: FactKey, value: V) {
        let weight = value.weight();
        if self.weight + weight > GENERATION {
            // A new table, which is as small as what comes into it.
            self.older = std::mem::take(&mut self.younger);
            self.weight = 0;
        }
        self.weight += weight;
        if let Some(before) = self.younger.insert(key, value) {
            self.weight -= before.weight();
        }
    }
}

/// What an entry takes, in entries of the usual size, which are some tens of bytes.
pub trait Weighed {
    /// At least one.
    fn weight(&self) -> usize {
        1
    }
}

impl Weighed for u64 {}
impl Weighed for [u8; 16] {}
impl Weighed for (u64, u64) {}
impl Weighed for Box<str> {}
impl<T> Weighed for Arc<Vec<T>> {
    fn weight(&self) -> usize {
        /// Bytes of an entry of the usual size. What an item of the list points to takes about as much as the item.
        const USUAL: usize = 50;
        1 + self.len() * 2 * size_of::<T>() / USUAL
    }
}
impl<V: Weighed> Weighed for Option<V> {
    fn weight(&self) -> usize {
        self.as_ref().map_or(1, Weighed::weight)
    }
}

#[cfg(test)]
mod tests {
    use super::{FactKey, GENERATION, Remembered, Weighed};
    use crate::engine::lock;
    use retrace_model::Sha256;

    #[test]
    fn parts_are_kept_apart() {
        assert_ne!(FactKey::of_parts(&[b"ab", b"c"]), FactKey::of_parts(&[b"a", b"bc"]));
        assert_ne!(FactKey::of_parts(&[b"a"]), FactKey::of_parts(&[b"a", b""]));
        assert_ne!(FactKey::of(Sha256::of(b"a")), FactKey::of(Sha256::of(b"b")));
    }

    fn key(number: usize) -> FactKey {
        FactKey::of(Sha256::of(&number.to_le_bytes()))
    }

    #[test]
    fn entries_stay_below_the_limit_and_what_is_asked_for_stays() {
        let facts: Remembered<u64> = Remembered::default();
        for number in 0..4 * GENERATION {
            facts.keep(key(number), number as u64);
            assert_eq!(facts.get(key(0)), Some(0));
        }
        let known = lock(&facts.known);
        assert!(known.younger.len() <= GENERATION && known.older.len() <= GENERATION);
        assert_eq!(known.weight, known.younger.len());
        drop(known);
        assert_eq!(facts.get(key(1)), None);
        assert_eq!(facts.get(key(4 * GENERATION - 1)), Some(4 * GENERATION as u64 - 1));
        facts.forget();
        assert_eq!(facts.get(key(0)), None);
    }

    #[test]
    fn large_entries_count_as_many() {
        #[derive(Clone)]
        struct Large;
        impl Weighed for Large {
            fn weight(&self) -> usize {
                GENERATION / 10
            }
        }
        let facts = Remembered::default();
        for number in 0..100 {
            facts.keep(key(number), Large);
            facts.keep(key(number), Large);
        }
        let known = lock(&facts.known);
        assert!(known.younger.len() <= 10 && known.older.len() <= 10);
        assert!(!known.younger.is_empty());
        assert_eq!(known.weight, known.younger.len() * Large.weight());
    }
}
