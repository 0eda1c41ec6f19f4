//! Texts that were read, so that the next client that reads one does not unpack it again.
//!
//! The log keeps a content as a difference to an earlier one, and that to one before it, up to fifty deep. A text is known
//! here by the hash of its bytes, so what is kept never becomes wrong; whether a version still has a content, the log says
//! each time. Deliberately absent: lists, which would push out what is read one by one.
//!
//! Invariant: what was read before [`TextCache::forget`] is not kept after it, also when it is handed in late.

use super::Stop;
use super::read::text_of;
use retrace_engine::lock;
use retrace_log::{Reader, VersionRow};
use retrace_model::Sha256;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Bytes of a generation: more than the median memories of a store of the most memories a host takes, or 40 of the largest the
/// API takes.
const GENERATION_BYTES: usize = 4 << 20;

/// Texts by the hash of their bytes.
#[derive(Default)]
pub(crate) struct TextCache {
    known: Mutex<Known>,
}

/// Two generations. When the younger one is full it becomes the older one, and what was older is forgotten; what is read again comes
/// back to the younger one. So texts that were replaced do not stay because there is room.
#[derive(Default)]
struct Known {
    younger: HashMap<Sha256, Arc<str>>,
    older: HashMap<Sha256, Arc<str>>,
    /// Bytes of the younger one.
    bytes: usize,
    /// Number of times everything was forgotten.
    forgotten: u64,
}

impl TextCache {
    /// As [`text_of`].
    pub(super) fn text_of(&self, reader: &Reader<'_>, version: &VersionRow) -> Result<Option<String>, Stop> {
        let Some(info) = version.content.filter(|_| version.redaction.is_none()) else {
            return text_of(reader, version);
        };
        let (known, forgotten) = {
            let mut known = lock(&self.known);
            (known.get(info.sha256), known.forgotten)
        };
        if let Some(known) = known {
            return Ok(Some(known.as_ref().to_owned()));
        }
        let text = text_of(reader, version)?;
        if let Some(text) = &text {
            lock(&self.known).keep(info.sha256, text.as_str().into(), forgotten);
        }
        Ok(text)
    }

    /// Forgets everything, so that nothing outlives the redaction of a content.
    pub(crate) fn forget(&self) {
        let mut known = lock(&self.known);
        let forgotten = known.forgotten + 1;
        *known = Known { forgotten, ..Known::default() };
    }
}

impl Known {
    fn get(&mut self, sha256: Sha256) -> Option<Arc<str>> {
        if let Some(text) = self.younger.get(&sha256) {
            return Some(Arc::clone(text));
        }
        let text = self.older.remove(&sha256)?;
        self.keep(sha256, Arc::clone(&text), self.forgotten);
        Some(text)
    }

    /// Keeps a text that was read when everything had been forgotten `forgotten` times.
    fn keep(&mut self, sha256: Sha256, text: Arc<str>, forgotten: u64) {
        if forgotten != self.forgotten || text.len() > GENERATION_BYTES {
            return;
        }
        if self.bytes + text.len() > GENERATION_BYTES {
            self.older = std::mem::take(&mut self.younger);
            self.bytes = 0;
        }
        let length = text.len();
        if self.younger.insert(sha256, text).is_none() {
            self.bytes += length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded_and_what_is_read_again_stays() {
        let mut known = Known::default();
        let text: Arc<str> = "x".repeat(GENERATION_BYTES / 4).into();
        let bytes = |texts: &HashMap<Sha256, Arc<str>>| texts.values().map(|text| text.len()).sum::<usize>();
        for number in 0..19_u8 {
            known.keep(Sha256::of(&[number]), Arc::clone(&text), 0);
            known.keep(Sha256::of(&[number]), Arc::clone(&text), 0);
            assert!(known.get(Sha256::of(&[0])).is_some());
            assert!(known.bytes <= GENERATION_BYTES && bytes(&known.older) <= GENERATION_BYTES);
            assert_eq!(known.bytes, bytes(&known.younger));
        }
        assert!(known.get(Sha256::of(&[18])).is_some());
        assert!(known.get(Sha256::of(&[1])).is_none());
        known.keep(Sha256::of(b"large"), "x".repeat(GENERATION_BYTES + 1).into(), 0);
        assert!(known.get(Sha256::of(b"large")).is_none());
    }

    #[test]
    fn what_was_read_before_forgetting_is_not_kept_after_it() {
        let kept = TextCache::default();
        lock(&kept.known).keep(Sha256::of(b"one"), "one".into(), 0);
        kept.forget();
        let mut known = lock(&kept.known);
        assert!(known.younger.is_empty() && known.older.is_empty() && known.bytes == 0);
        known.keep(Sha256::of(b"one"), "one".into(), 0);
        assert!(known.younger.is_empty());
        known.keep(Sha256::of(b"one"), "one".into(), 1);
        assert_eq!(known.younger.len(), 1);
    }
}
