//! Memories: which there are at an instant, and where they live.

use super::VersionRow;
use super::version::{version_from, version_sql};
use crate::rows::{self, bound};
use crate::{LogError, Reader};
use retrace_model::{MemoryId, RelPath, StoreId, VersionOperation};
use rusqlite::{OptionalExtension as _, params};
use std::collections::BTreeMap;

/// A memory at an instant.
#[derive(Clone, Debug)]
pub struct MemoryAt {
    /// Its path then; `None` when that version is redacted, except for the present, which the live file gives.
    pub path: Option<RelPath>,
    /// Its version then.
    pub version: VersionRow,
    /// Number of versions it had then, rebuilt ones included.
    pub versions: u64,
}

impl Reader<'_> {
    /// The memories of a store right after an operation (now when `None`), deletions left out, by path.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn memories_at(&self, store: StoreId, operation: Option<u64>) -> Result<Vec<MemoryAt>, LogError> {
        let store_row = rows::store_row(self.connection, store)?;
        let mut memories = match operation {
            None => self.live_memories(store_row)?,
            Some(seq) => self.memories_up_to(store_row, rows::last_version_of(self.connection, seq)?)?,
        };
        self.count_rebuilt(store_row, &mut memories)?;
        memories.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(memories)
    }

    fn live_memories(&self, store_row: i64) -> Result<Vec<MemoryAt>, LogError> {
        let mut query = self.connection.prepare_cached(version_sql!(
            "JOIN live l ON l.version_seq = v.seq AND l.memory_id = v.memory_id WHERE l.store_id = ?1"
        ))?;
        let mut found = query.query([store_row])?;
        let mut memories = Vec::new();
        while let Some(row) = found.next()? {
            let version = version_from(row)?;
            // A redacted newest version has lost its path, but the file still has it.
            let path = match &version.path {
                Some(path) => Some(path.clone()),
                None => self.path_of(version.memory)?,
            };
            memories.push(MemoryAt { path, versions: version.number, version });
        }
        Ok(memories)
    }

    fn memories_up_to(&self, store_row: i64, last: u64) -> Result<Vec<MemoryAt>, LogError> {
        let mut query = self.connection.prepare_cached(version_sql!(
            "WHERE m.store_id = ?1 AND v.change <> 3
               AND v.seq = (SELECT max(x.seq) FROM versions x
                            WHERE x.memory_id = m.id AND x.happened_at IS NULL AND x.seq <= ?2)"
        ))?;
        let mut found = query.query(params![store_row, last])?;
        let mut memories = Vec::new();
        while let Some(row) = found.next()? {
            let version = version_from(row)?;
            memories.push(MemoryAt { path: version.path.clone(), versions: version.number, version });
        }
        Ok(memories)
    }

    /// Where a memory lives now; `None` when it is deleted.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown memory, or a failure of the database.
    pub fn path_of(&self, memory: MemoryId) -> Result<Option<RelPath>, LogError> {
        let bytes = self
            .connection
            .prepare_cached(
                "SELECT p.bytes FROM live l JOIN paths p ON p.id = l.path_id WHERE l.memory_id = ?1",
            )?
            .query_row([rows::memory_row(self.connection, memory)?], |row| row.get(0))
            .optional()?;
        bytes.map(rows::path_from).transpose()
    }

    /// The store a memory belongs to.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown memory, or a failure of the database.
    pub fn store_of(&self, memory: MemoryId) -> Result<StoreId, LogError> {
        let public: Vec<u8> = self
            .connection
            .prepare_cached(
                "SELECT s.public FROM memories m JOIN stores s ON s.id = m.store_id WHERE m.id = ?1",
            )?
            .query_row([rows::memory_row(self.connection, memory)?], |row| row.get(0))?;
        rows::store_id(&public)
    }

    /// True if a memory is at a path of a store or was there, as far as no redaction took that out.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn was_at(&self, store: StoreId, path: &RelPath) -> Result<bool, LogError> {
        let store_row = rows::store_row(self.connection, store)?;
        Ok(self
            .connection
            .prepare_cached(
                "SELECT 1 FROM paths p JOIN memory_paths mp ON mp.store_id = ?1 AND mp.path_id = p.id
                 WHERE p.bytes = ?2",
            )?
            .exists(params![store_row, path.as_bytes()])?)
    }

    /// The newest version of whatever was at a path of a store right after an operation (now when `None`); `None` when
    /// nothing was there. A version that is redacted has lost its path and is found there only now, by its live file.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn version_at(
        &self,
        store: StoreId,
        path: &RelPath,
        operation: Option<u64>,
    ) -> Result<Option<VersionRow>, LogError> {
        let Some(operation) = operation else {
            return self.live_version_at(store, path)?.map(|seq| self.version(seq)).transpose();
        };
        let store_row = rows::store_row(self.connection, store)?;
        let last = rows::last_version_of(self.connection, operation)?;
        let seq: Option<u64> = self
            .connection
            .prepare_cached(
                "SELECT v.seq FROM paths p
                 JOIN memory_paths mp ON mp.store_id = ?1 AND mp.path_id = p.id
                 JOIN versions v
                   ON v.seq = (SELECT max(x.seq) FROM versions x
                               WHERE x.memory_id = mp.memory_id AND x.happened_at IS NULL AND x.seq <= ?3)
                 WHERE p.bytes = ?2 AND v.path_id = p.id
                 ORDER BY v.seq DESC LIMIT 1",
            )?
            .query_row(params![store_row, path.as_bytes(), bound(last)], |row| row.get(0))
            .optional()?;
        let version = seq.map(|seq| self.version(seq)).transpose()?;
        Ok(version.filter(|version| version.operation != VersionOperation::Deleted))
    }

    /// Number of observed versions of each live memory of a store.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn version_counts(&self, store: StoreId) -> Result<BTreeMap<MemoryId, u64>, LogError> {
        let mut query = self.connection.prepare_cached(
            "SELECT m.public, v.number FROM live l JOIN memories m ON m.id = l.memory_id
             JOIN versions v ON v.seq = l.version_seq WHERE l.store_id = ?1",
        )?;
        let mut found = query.query([rows::store_row(self.connection, store)?])?;
        let mut counts = BTreeMap::new();
        while let Some(row) = found.next()? {
            counts.insert(rows::memory_id(&row.get::<_, Vec<u8>>(0)?)?, row.get(1)?);
        }
        Ok(counts)
    }
}
