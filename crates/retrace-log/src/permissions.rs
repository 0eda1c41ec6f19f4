//! Permissions of files as they were last seen. They are no part of a version: a file that is replaced keeps its own. What is
//! put back where nothing is, or in place of another memory, gets those that its memory had last, else those that stood there last.

use crate::writer::Act;
use crate::{LogError, Reader, rows};
use retrace_model::{MemoryId, Permissions, RelPath, StoreId};
use rusqlite::{Connection, OptionalExtension as _, params};

/// Permission bits that are kept: access, set-id and sticky.
const BITS: u32 = 0o7777;

impl Reader<'_> {
    /// Permissions that were last seen at a path, whether or not anything is there now; none where nothing was seen.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn permissions_at(&self, store: StoreId, path: &RelPath) -> Result<Permissions, LogError> {
        let store_row = rows::store_row(self.connection, store)?;
        let found: Option<(u32, Vec<u8>)> = self
            .connection
            .prepare_cached(
                "SELECT m.mode, m.directories FROM paths p JOIN permissions m ON m.path_id = p.id AND m.store_id = ?1
                 WHERE p.bytes = ?2",
            )?
            .query_row(params![store_row, path.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        Ok(found.map_or_else(Permissions::default, |(mode, directories)| Permissions {
            file: Some(mode & BITS),
            directories: directories
                .chunks_exact(2)
                .map(|bytes| u32::from(u16::from_be_bytes([bytes[0], bytes[1]])) & BITS)
                .collect(),
        }))
    }

    /// Permission bits that the file of a memory was last seen with, wherever it stood; `None` where they were never seen.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn mode_of(&self, memory: MemoryId) -> Result<Option<u32>, LogError> {
        Ok(self
            .connection
            .prepare_cached(
                "SELECT m.mode FROM memory_modes m JOIN memories o ON o.id = m.memory_id WHERE o.public = ?1",
            )?
            .query_row([&memory.0[..]], |row| row.get(0))
            .optional()?)
    }
}

impl Act<'_> {
    /// Remembers the permissions of a file and of its directories. Does nothing where those of the file are not known, or the
    /// log has never heard of the path.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn keep_permissions(
        &self,
        store: StoreId,
        path: &RelPath,
        permissions: &Permissions,
    ) -> Result<(), LogError> {
        let store_row = rows::store_row(&self.transaction, store)?;
        let (Some(mode), Some(path_row)) = (permissions.file, rows::path_row(&self.transaction, path)?)
        else {
            return Ok(());
        };
        let two_bytes = |mode: &u32| u16::try_from(mode & BITS).unwrap_or(0).to_be_bytes();
        let directories: Vec<u8> = permissions.directories.iter().flat_map(two_bytes).collect();
        self.transaction
            .prepare_cached(
                "INSERT INTO permissions (path_id, store_id, mode, directories) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET mode = excluded.mode, directories = excluded.directories
                 WHERE mode <> excluded.mode OR directories <> excluded.directories",
            )?
            .execute(params![path_row, store_row, mode & BITS, directories])?;
        self.transaction
            .prepare_cached(
                "INSERT INTO memory_modes (memory_id, mode)
                     SELECT memory_id, ?3 FROM live WHERE path_id = ?1 AND store_id = ?2
                 ON CONFLICT DO UPDATE SET mode = excluded.mode WHERE mode <> excluded.mode",
            )?
            .execute(params![path_row, store_row, mode & BITS])?;
        Ok(())
    }
}

/// Remembers the permissions of a live memory's file; those of its directories stay as they were known.
pub(crate) fn saw(connection: &Connection, memory_row: i64, mode: Option<u32>) -> Result<(), LogError> {
    let Some(mode) = mode else { return Ok(()) };
    connection
        .prepare_cached(
            "INSERT INTO permissions (path_id, store_id, mode) SELECT path_id, store_id, ?2 FROM live WHERE memory_id = ?1
             ON CONFLICT DO UPDATE SET mode = excluded.mode WHERE mode <> excluded.mode",
        )?
        .execute(params![memory_row, mode & BITS])?;
    connection
        .prepare_cached(
            "INSERT INTO memory_modes (memory_id, mode) VALUES (?1, ?2)
             ON CONFLICT DO UPDATE SET mode = excluded.mode WHERE mode <> excluded.mode",
        )?
        .execute(params![memory_row, mode & BITS])?;
    Ok(())
}
