//! How far the chains of this log and those at the hub were found to be the same.
//!
//! What waits at the hub names versions by their place in the log of this machine. Another copy of the log, which goes on under the
//! same identity, has other versions there: what was meant for it is not carried out here.

use crate::state::Sent;
use retrace_model::StoreId;
use std::collections::BTreeMap;

/// The stores that a sync compared, and through which version each is the same as at the hub.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    through: BTreeMap<String, u64>,
    differs: Option<(StoreId, u64)>,
}

impl Compared {
    /// Notes that a store is the same through what was sent of it.
    pub(crate) fn note(&mut self, store: String, sent: Option<&Sent>) {
        if let Some(sent) = sent {
            self.through.insert(store, sent.local_seq);
        }
    }

    /// Notes that a store is another than at the hub from a version of its chain on. Whoever has another chain there has another
    /// log, whatever store it is of.
    pub(crate) fn differs(&mut self, store: StoreId, begins: u64) {
        self.differs.get_or_insert((store, begins));
    }

    /// The first store that was found to be another, and the first version of its chain that is not the hub's.
    pub(crate) fn parts_at(&self) -> Option<(StoreId, u64)> {
        self.differs
    }

    /// True where no store was found to be another.
    pub(crate) fn is_same_log(&self) -> bool {
        self.differs.is_none()
    }

    /// True where the hub has the version of a store that this log has at a place.
    pub(crate) fn has(&self, store: &str, local_seq: u64) -> bool {
        self.is_same_log() && self.through.get(store).is_some_and(|through| local_seq <= *through)
    }

    /// True where a store was compared.
    pub(crate) fn has_store(&self, store: &str) -> bool {
        self.has(store, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::Compared;
    use crate::state::Sent;
    use retrace_model::{Sha256, StoreId};

    fn sent(local_seq: u64) -> Sent {
        let digest = Sha256([0; 32]);
        Sent { seq: local_seq, digest, local_seq, operation: 1, operation_digest: digest, at: 0 }
    }

    #[test]
    fn only_what_was_compared_and_is_the_same_is_known() {
        let mut compared = Compared::default();
        assert!(compared.is_same_log() && !compared.has("a", 1) && !compared.has_store("a"));
        compared.note("a".to_owned(), Some(&sent(3)));
        compared.note("b".to_owned(), None);
        assert!(compared.has("a", 3) && !compared.has("a", 4) && !compared.has_store("b"));
        compared.differs(StoreId([1; 16]), 4);
        assert_eq!(compared.parts_at(), Some((StoreId([1; 16]), 4)));
        assert!(!compared.is_same_log() && !compared.has("a", 3) && !compared.has_store("a"));
    }
}
