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

/// Bytes kept at most: some thousand memories of the median size, or 160 of the largest the API takes.
const MAX_BYTES: usize = 16 << 20;

/// Texts by the hash of their bytes.
#[derive(Default)]
pub(crate) struct TextCache {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    texts: HashMap<Sha256, Arc<str>>,
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
            let known = lock(&self.known);
            (known.texts.get(&info.sha256).map(Arc::clone), known.forgotten)
        };
        if let Some(known) = known {
            return Ok(Some(known.as_ref().to_owned()));
        }
        let text = text_of(reader, version)?;
        if let Some(text) = &text {
            lock(&self.known).keep(info.sha256, text, forgotten);
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
    /// Keeps a text that was read when everything had been forgotten `forgotten` times.
    fn keep(&mut self, sha256: Sha256, text: &str, forgotten: u64) {
        if forgotten != self.forgotten || text.len() > MAX_BYTES {
            return;
        }
        if self.bytes + text.len() > MAX_BYTES {
            *self = Self { forgotten, ..Self::default() };
        }
        if self.texts.insert(sha256, text.into()).is_none() {
            self.bytes += text.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded() {
        let mut known = Known::default();
        let text = "x".repeat(MAX_BYTES / 4);
        for number in 0..9_u8 {
            known.keep(Sha256::of(&[number]), &text, 0);
            known.keep(Sha256::of(&[number]), &text, 0);
            assert!(known.bytes <= MAX_BYTES);
            assert_eq!(known.bytes, known.texts.len() * text.len());
        }
        assert!(known.texts.contains_key(&Sha256::of(&[8])));
        known.keep(Sha256::of(b"large"), &"x".repeat(MAX_BYTES + 1), 0);
        assert!(!known.texts.contains_key(&Sha256::of(b"large")));
    }

    #[test]
    fn what_was_read_before_forgetting_is_not_kept_after_it() {
        let kept = TextCache::default();
        lock(&kept.known).keep(Sha256::of(b"one"), "one", 0);
        kept.forget();
        let mut known = lock(&kept.known);
        assert!(known.texts.is_empty() && known.bytes == 0);
        known.keep(Sha256::of(b"one"), "one", 0);
        assert!(known.texts.is_empty());
        known.keep(Sha256::of(b"one"), "one", 1);
        assert_eq!(known.texts.len(), 1);
    }
}
