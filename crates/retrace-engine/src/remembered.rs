//! Facts about contents, remembered up to a number of entries. A content never changes, so no entry becomes wrong.

use crate::engine::lock;
use retrace_model::Sha256;
use std::collections::HashMap;
use std::sync::Mutex;

/// Entries kept: the contents of some ten thousand changes, with the contents before them.
const MAX_ENTRIES: usize = 50_000;

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

/// Facts by key. When it is full, all are forgotten: lists ask for the same few again and again.
#[derive(Debug)]
pub struct Remembered<V> {
    known: Mutex<HashMap<FactKey, V>>,
}

impl<V> Default for Remembered<V> {
    fn default() -> Self {
        Self { known: Mutex::default() }
    }
}

impl<V: Clone> Remembered<V> {
    /// A fact that was kept.
    #[must_use]
    pub fn get(&self, key: FactKey) -> Option<V> {
        lock(&self.known).get(&key).cloned()
    }

    /// Keeps a fact.
    pub fn keep(&self, key: FactKey, value: V) {
        let mut known = lock(&self.known);
        if known.len() >= MAX_ENTRIES {
            // The table shrinks as well.
            *known = HashMap::new();
        }
        known.insert(key, value);
    }

    /// Forgets everything, so that nothing outlives the redaction of a content.
    pub fn forget(&self) {
        *lock(&self.known) = HashMap::new();
    }
}

#[cfg(test)]
mod tests {
    use super::{FactKey, MAX_ENTRIES, Remembered};
    use retrace_model::Sha256;

    #[test]
    fn parts_are_kept_apart() {
        assert_ne!(FactKey::of_parts(&[b"ab", b"c"]), FactKey::of_parts(&[b"a", b"bc"]));
        assert_ne!(FactKey::of_parts(&[b"a"]), FactKey::of_parts(&[b"a", b""]));
        assert_ne!(FactKey::of(Sha256::of(b"a")), FactKey::of(Sha256::of(b"b")));
    }

    #[test]
    fn entries_stay_below_the_limit() {
        let facts = Remembered::default();
        let key = |number: usize| FactKey::of(Sha256::of(&number.to_le_bytes()));
        for number in 0..=MAX_ENTRIES {
            facts.keep(key(number), number);
        }
        assert_eq!(facts.get(key(0)), None);
        assert_eq!(facts.get(key(MAX_ENTRIES)), Some(MAX_ENTRIES));
        facts.forget();
        assert_eq!(facts.get(key(MAX_ENTRIES)), None);
    }
}
