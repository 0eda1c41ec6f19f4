//! Versions that were recorded before their file was known to be on the disk. Only their places in the log are kept here, so
//! that a redaction finds nothing else to take out.

use crate::writer::Act;
use crate::{LogError, Reader, rows};
use retrace_model::{StoreId, VersionId};
use rusqlite::{Connection, params};

/// A version whose file may not be on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unflushed {
    /// Its place in the log.
    pub seq: u64,
    /// Names the boot of the machine in which it was recorded.
    pub boot: String,
}

impl Reader<'_> {
    /// The versions of a store whose files may not be on the disk, in the order of the log.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn unflushed(&self, store: StoreId) -> Result<Vec<Unflushed>, LogError> {
        // The table is small, the store's versions may be many: the join begins with the former.
        let mut query = self.connection.prepare_cached(
            "SELECT u.version_seq, u.boot FROM unsettled u CROSS JOIN versions v ON v.seq = u.version_seq
             WHERE v.store_id = ?1 ORDER BY u.version_seq",
        )?;
        let rows = query.query_map([rows::store_row(self.connection, store)?], |row| {
            Ok(Unflushed { seq: row.get(0)?, boot: row.get(1)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Act<'_> {
    /// Notes that the files of versions may not be on the disk when this transaction is.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn note_unflushed(&mut self, versions: &[VersionId], boot: &str) -> Result<(), LogError> {
        let mut insert = self
            .transaction
            .prepare_cached("INSERT OR REPLACE INTO unsettled (version_seq, boot) VALUES (?1, ?2)")?;
        for version in versions {
            insert.execute(params![version.seq, boot])?;
        }
        Ok(())
    }

    /// Notes that the files of the versions at these places are on the disk, or that nothing is to be done about them any
    /// more. Places that are not noted are passed over.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn note_flushed(&mut self, seqs: &[u64]) -> Result<(), LogError> {
        for seq in seqs {
            forget(&self.transaction, *seq)?;
        }
        Ok(())
    }
}

/// Takes out the row of one version.
pub(crate) fn forget(connection: &Connection, seq: u64) -> Result<(), LogError> {
    connection.prepare_cached("DELETE FROM unsettled WHERE version_seq = ?1")?.execute([rows::bound(seq)])?;
    Ok(())
}
