//! Finds moved memories among the contents of an operation.

use super::{Change, LiveRow, Payload, live_at};
use crate::LogError;
use retrace_model::{RelPath, Sha256, StoreId};
use rusqlite::Connection;
use std::collections::{HashMap, HashSet};

/// The moves of one operation: named as such, or equal content gone from one path and new at another.
#[derive(Default)]
pub(super) struct Moves {
    /// Changes that say a path is gone because its memory moved away.
    sources: HashSet<usize>,
    /// Changes that put a memory at its new path, with the memory as it was before.
    targets: HashMap<usize, LiveRow>,
    /// Memories that move, until they are put down.
    in_hand: HashSet<i64>,
}

/// A memory that is gone from its path.
struct Gone<'a> {
    /// The change that says so.
    index: usize,
    path: &'a RelPath,
    live: LiveRow,
}

impl Moves {
    /// Finds the moves among `changes`, all of them as the log stood before the first.
    pub(super) fn find(
        connection: &Connection,
        changes: &[Change],
        stores: &HashMap<StoreId, i64>,
    ) -> Result<Self, LogError> {
        let mut moves = Self::default();
        moves.find_named(connection, changes, stores)?;
        moves.find_by_content(connection, changes, stores)?;
        Ok(moves)
    }

    fn find_named(
        &mut self,
        connection: &Connection,
        changes: &[Change],
        stores: &HashMap<StoreId, i64>,
    ) -> Result<(), LogError> {
        for (index, change) in changes.iter().enumerate() {
            let Payload::Content { moved_from: Some(from), .. } = &change.payload else { continue };
            if *from == change.path {
                continue;
            }
            let Some(live) = live_at(connection, stores[&change.store], from)? else { continue };
            if self.in_hand.insert(live.memory_row) {
                self.targets.insert(index, live);
                self.sources.extend(changes.iter().enumerate().filter_map(|(at, other)| {
                    let is_source = matches!(other.payload, Payload::Gone)
                        && other.store == change.store
                        && other.path == *from;
                    is_source.then_some(at)
                }));
            }
        }
        Ok(())
    }

    fn find_by_content(
        &mut self,
        connection: &Connection,
        changes: &[Change],
        stores: &HashMap<StoreId, i64>,
    ) -> Result<(), LogError> {
        let mut gone: HashMap<(StoreId, Sha256), Vec<Gone<'_>>> = HashMap::new();
        let mut candidates = HashSet::new();
        for (index, change) in changes.iter().enumerate() {
            if matches!(change.payload, Payload::Gone)
                && !self.sources.contains(&index)
                && let Some(live) = live_at(connection, stores[&change.store], &change.path)?
                // Empty files are all alike: that one is gone and another is new says nothing.
                && let (Some(sha256), Some(1..)) = (live.sha256, live.size)
                && !self.in_hand.contains(&live.memory_row)
                && candidates.insert(live.memory_row)
            {
                let gone_here = Gone { index, path: &change.path, live };
                gone.entry((change.store, sha256)).or_default().push(gone_here);
            }
        }
        for (index, change) in changes.iter().enumerate() {
            let Payload::Content { sha256, .. } = &change.payload else { continue };
            if self.targets.contains_key(&index) {
                continue;
            }
            let Some(candidates) = gone.get_mut(&(change.store, *sha256)) else { continue };
            let taken = live_at(connection, stores[&change.store], &change.path)?.is_some();
            if taken || candidates.is_empty() {
                continue;
            }
            // The same file name in another directory is the likelier move.
            let same_name =
                candidates.iter().position(|gone| gone.path.file_name() == change.path.file_name());
            let Gone { index: source, live, .. } = candidates.remove(same_name.unwrap_or(0));
            self.in_hand.insert(live.memory_row);
            self.sources.insert(source);
            self.targets.insert(index, live);
        }
        Ok(())
    }

    /// Takes every memory that moves from its old path, so that others may take its place whatever the order of changes.
    pub(super) fn lift(&self, connection: &Connection) -> Result<(), LogError> {
        let mut delete = connection.prepare_cached("DELETE FROM live WHERE memory_id = ?1")?;
        for memory_row in &self.in_hand {
            delete.execute([memory_row])?;
        }
        Ok(())
    }

    /// True if a change says that a path is gone because its memory moved away.
    pub(super) fn is_source(&self, index: usize) -> bool {
        self.sources.contains(&index)
    }

    /// The memory that a change puts at its new path, as it was before.
    pub(super) fn take(&mut self, index: usize) -> Option<LiveRow> {
        let live = self.targets.remove(&index)?;
        self.in_hand.remove(&live.memory_row);
        Some(live)
    }

    /// True if a memory was taken up and is not put down yet.
    pub(super) fn is_in_hand(&self, memory_row: i64) -> bool {
        self.in_hand.contains(&memory_row)
    }
}
