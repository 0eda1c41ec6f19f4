//! Other memories that stand where a plan would write. Their content is in the log, but nobody said that it may be displaced.

use super::Plan;
use crate::engine::Engine;
use crate::wire::{self, ApiError, ConflictReason};
use retrace_log::Reader;
use retrace_model::{MemoryId, RelPath, StoreId, VersionId};

/// A memory that stands where a plan writes another one.
#[derive(Clone, Debug)]
pub(super) struct Other {
    memory: MemoryId,
    conflict: wire::Conflict,
}

impl Plan {
    /// The plan takes a memory away from where it is.
    pub fn takes_away(&mut self, memory: MemoryId) {
        self.leaving.insert(memory);
    }

    /// Makes a conflict of each other memory that stands where the plan writes, and that it does not take away from there itself.
    /// For acts on some memories; one on a whole directory says what becomes of every memory in it.
    pub fn keep_others(&mut self) {
        let leaving = &self.leaving;
        let stay =
            std::mem::take(&mut self.others).into_iter().filter(|other| !leaving.contains(&other.memory));
        self.conflicts.extend(stay.map(|other| other.conflict));
    }
}

impl Engine {
    /// Notes which other memory stands where a plan is about to write `memory`.
    ///
    /// # Errors
    /// A failure of the log.
    pub fn note_other(
        &self,
        reader: &Reader<'_>,
        plan: &mut Plan,
        (store, path): (StoreId, &RelPath),
        (memory, wanted): (MemoryId, Option<VersionId>),
    ) -> Result<(), ApiError> {
        let Some(live) = reader.live_at(store, path)? else { return Ok(()) };
        let stands = reader.version_by_id(live.version)?.memory;
        if stands == memory {
            return Ok(());
        }
        let conflict = wire::Conflict {
            store_id: store.to_string(),
            path: path.to_string(),
            expected_sha256: None,
            found_sha256: live.sha256.map(|sha256| sha256.to_hex()),
            expected_version_id: None,
            found_version_id: Some(live.version.to_string()),
            wanted_version_id: wanted.map(|version| version.to_string()),
            reason: ConflictReason::PathTaken,
            message: say::another_memory_stands_there(),
        };
        plan.others.push(Other { memory: stands, conflict });
        Ok(())
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "others";
    another_memory_stands_there() => "Another memory stands there by now; it was left as it is.",
}
