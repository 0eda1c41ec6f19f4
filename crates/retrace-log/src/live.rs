//! The live memories: what is at each path now, and what the file system said of it when it was last read.

use crate::writer::{Act, Writer};
use crate::{LogError, Reader};
use crate::{permissions, rows};
use retrace_model::{Head, RelPath, Seen, Sha256, StoreId, Timestamp, VersionId};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use sha2::{Digest as _, Sha256 as Hasher};
use std::collections::{BTreeMap, BTreeSet};

/// One live memory.
#[derive(Clone, Debug)]
pub struct LiveMemory {
    /// Its newest version.
    pub version: VersionId,
    /// Hash of its content; `None` when that version is redacted.
    pub sha256: Option<Sha256>,
}

impl Reader<'_> {
    /// Heads of a store's live memories for a recorder, by path.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn heads(&self, store: StoreId) -> Result<BTreeMap<RelPath, Head>, LogError> {
        let mut query = self.connection.prepare_cached(
            "SELECT p.bytes, l.size, l.modified_nanos, l.changed_nanos, l.file_id, l.seen_at, m.mode
             FROM live l JOIN paths p ON p.id = l.path_id
             LEFT JOIN permissions m ON m.path_id = l.path_id AND m.store_id = l.store_id WHERE l.store_id = ?1",
        )?;
        let mut rows = query.query([rows::store_row(self.connection, store)?])?;
        let mut heads = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let (path, head) = head_from(row)?;
            heads.insert(path, head);
        }
        Ok(heads)
    }

    /// As [`Reader::heads`], for the live memories at or below any of `paths`.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn heads_below(
        &self,
        store: StoreId,
        paths: &BTreeSet<RelPath>,
    ) -> Result<BTreeMap<RelPath, Head>, LogError> {
        let store_row = rows::store_row(self.connection, store)?;
        // `0` is the byte after `/`: everything below a directory sorts between the two.
        let mut query = self.connection.prepare_cached(
            "SELECT p.bytes, l.size, l.modified_nanos, l.changed_nanos, l.file_id, l.seen_at, m.mode
             FROM paths p JOIN live l ON l.store_id = ?1 AND l.path_id = p.id
             LEFT JOIN permissions m ON m.path_id = l.path_id AND m.store_id = l.store_id
             WHERE p.bytes = ?2 OR (p.bytes > ?3 AND p.bytes < ?4)",
        )?;
        let mut heads = BTreeMap::new();
        for path in paths {
            let bytes = path.as_bytes();
            let mut rows =
                query.query(params![store_row, bytes, [bytes, b"/"].concat(), [bytes, b"0"].concat()])?;
            while let Some(row) = rows.next()? {
                let (path, head) = head_from(row)?;
                heads.insert(path, head);
            }
        }
        Ok(heads)
    }

    /// The live memory at a path.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn live_at(&self, store: StoreId, path: &RelPath) -> Result<Option<LiveMemory>, LogError> {
        let Some(seq) = self.live_version_at(store, path)? else { return Ok(None) };
        let version = self.version(seq)?;
        Ok(Some(LiveMemory { version: version.id, sha256: version.content.map(|content| content.sha256) }))
    }

    /// True if the file at a path is still the one whose content was redacted, as far as `seen` tells: what the file system says
    /// of it is what it said then.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn casts_shadow(&self, store: StoreId, path: &RelPath, seen: &Seen) -> Result<bool, LogError> {
        let store_row = rows::store_row(self.connection, store)?;
        let kept: Option<Option<Vec<u8>>> = self
            .connection
            .prepare_cached(
                "SELECT l.shadow FROM paths p JOIN live l ON l.path_id = p.id AND l.store_id = ?1
                 WHERE p.bytes = ?2",
            )?
            .query_row(params![store_row, path.as_bytes()], |row| row.get(0))
            .optional()?;
        Ok(kept.flatten().is_some_and(|shadow| casts(&shadow, seen)))
    }

    /// Place of the newest version of the memory that lives at a path.
    pub(crate) fn live_version_at(&self, store: StoreId, path: &RelPath) -> Result<Option<u64>, LogError> {
        let store_row = rows::store_row(self.connection, store)?;
        Ok(self
            .connection
            .prepare_cached(
                "SELECT l.version_seq FROM paths p JOIN live l ON l.path_id = p.id AND l.store_id = ?1
                 WHERE p.bytes = ?2",
            )?
            .query_row(params![store_row, path.as_bytes()], |row| row.get(0))
            .optional()?)
    }
}

/// Reads path, size, times, file id, time of the scan and permissions.
fn head_from(row: &Row<'_>) -> Result<(RelPath, Head), LogError> {
    let path = rows::path_from(row.get(0)?)?;
    let (size, modified, changed, file_id): (Option<i64>, Option<i64>, Option<i64>, Option<i64>) =
        (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
    let seen = match (size, modified, changed, file_id) {
        (Some(size), Some(modified), Some(changed), Some(file_id)) => Some(Seen {
            size: size.cast_unsigned(),
            modified_nanos: i128::from(modified),
            changed_nanos: i128::from(changed),
            file_id: file_id.cast_unsigned(),
            mode: row.get(6)?,
        }),
        _ => None,
    };
    Ok((path, Head { seen, seen_at: Timestamp::from_micros(row.get(5)?) }))
}

impl Writer {
    /// Remembers what the file system said of files whose content was found unchanged.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn saw(&mut self, store: StoreId, files: &[(RelPath, Seen)], at: Timestamp) -> Result<(), LogError> {
        if files.is_empty() {
            return rows::store_row(&self.connection, store).map(drop);
        }
        let act = self.begin()?;
        act.saw(store, files, at)?;
        act.commit()
    }
}

impl Act<'_> {
    /// Remembers what the file system said of files whose content was found unchanged. A path where nothing lives is
    /// passed over, and so is a memory whose newest version is redacted: nothing is kept of that one's file.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn saw(&self, store: StoreId, files: &[(RelPath, Seen)], at: Timestamp) -> Result<(), LogError> {
        let store_row = rows::store_row(&self.transaction, store)?;
        let mut query = self.transaction.prepare_cached(
            "SELECT l.memory_id FROM paths p JOIN live l ON l.path_id = p.id AND l.store_id = ?1
             JOIN versions v ON v.seq = l.version_seq AND v.redaction_id IS NULL
             WHERE p.bytes = ?2",
        )?;
        for (path, seen) in files {
            let memory_row =
                query.query_row(params![store_row, path.as_bytes()], |row| row.get(0)).optional()?;
            if let Some(memory_row) = memory_row {
                saw(&self.transaction, memory_row, Some(seen), at)?;
            }
        }
        Ok(())
    }

    /// Marks a live file whose newest version is redacted: as long as the file system says the same of it, it is not
    /// recorded again. Nothing of its content or size is kept. Does nothing where no memory lives or its newest version
    /// is not redacted.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn cast_shadow(&mut self, store: StoreId, path: &RelPath, seen: &Seen) -> Result<(), LogError> {
        let shadow = shadow(&self.random(), seen);
        let store_row = rows::store_row(&self.transaction, store)?;
        self.transaction.execute(
            "UPDATE live SET size = NULL, modified_nanos = NULL, changed_nanos = NULL, file_id = NULL, shadow = ?3
             WHERE store_id = ?1 AND path_id = (SELECT id FROM paths WHERE bytes = ?2)
               AND EXISTS (SELECT 1 FROM versions v WHERE v.seq = live.version_seq AND v.redaction_id IS NOT NULL)",
            params![store_row, path.as_bytes(), shadow],
        )?;
        Ok(())
    }
}

/// Remembers what the file system said of a live memory's file.
pub(crate) fn saw(
    connection: &Connection,
    memory_row: i64,
    seen: Option<&Seen>,
    at: Timestamp,
) -> Result<(), LogError> {
    let Some(seen) = seen else { return Ok(()) };
    connection
        .prepare_cached(
            "UPDATE live SET size = ?2, modified_nanos = ?3, changed_nanos = ?4, file_id = ?5, seen_at = ?6
             WHERE memory_id = ?1",
        )?
        .execute(params![
            memory_row,
            seen.size.cast_signed(),
            nanos(seen.modified_nanos),
            nanos(seen.changed_nanos),
            seen.file_id.cast_signed(),
            at.micros(),
        ])?;
    permissions::saw(connection, memory_row, seen.mode)
}

/// Nanoseconds as the database keeps them; times beyond the year 2262 are cut to it, and then read again each time.
pub(crate) fn nanos(nanos: i128) -> i64 {
    i64::try_from(nanos).unwrap_or(if nanos < 0 { i64::MIN } else { i64::MAX })
}

fn shadow(salt: &[u8; 16], seen: &Seen) -> Vec<u8> {
    let mut hasher = Hasher::new();
    hasher.update(b"retrace.shadow.1\0");
    hasher.update(salt);
    hasher.update(seen.size.to_be_bytes());
    hasher.update(seen.modified_nanos.to_be_bytes());
    hasher.update(seen.changed_nanos.to_be_bytes());
    hasher.update(seen.file_id.to_be_bytes());
    [&salt[..], &hasher.finalize()[..]].concat()
}

/// True if `shadow` was cast by a file the file system describes as `seen`.
pub(crate) fn casts(shadow_kept: &[u8], seen: &Seen) -> bool {
    shadow_kept
        .get(..16)
        .and_then(|salt| salt.try_into().ok())
        .is_some_and(|salt| shadow(&salt, seen) == shadow_kept)
}
