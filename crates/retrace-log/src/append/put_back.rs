//! Whose content an act of a person puts back. Who wrote a content survives every act on it: the version that an act makes
//! names the one that brought what it has. The same holds where a file went and came back as it was, as a directory that is moved
//! away and back, or another branch that is checked out: nobody wrote it then.

use super::Appending;
use crate::LogError;
use crate::rows::bound;
use retrace_model::Source;
use rusqlite::{OptionalExtension as _, params};

impl Appending<'_> {
    /// Notes for a version with a content whose it is, where a person's act put it back: the version that the act says, as far
    /// as it has this content; else the newest one before with it, of the same memory, or, where nothing was to be written but
    /// what had been there, of the same store. `came_back` for a memory that a scan found gone and finds
    /// again with what it had.
    pub(super) fn note_put_back(
        &self,
        seq: u64,
        memory_row: i64,
        store_row: i64,
        blob_row: i64,
        index: usize,
        came_back: bool,
    ) -> Result<(), LogError> {
        let Some(source) = self.acts.or(came_back.then_some(Source::Scan)) else { return Ok(()) };
        // The content is the rest of one that a redaction replaced.
        if source == Source::Redact {
            return self.stated.get(&index).map_or(Ok(()), |of| self.put_back(seq, *of));
        }
        let stated = match self.stated.get(&index) {
            Some(stated) => self.has_content(*stated, Some(blob_row))?.then_some(*stated),
            None => None,
        };
        let of = match stated {
            Some(stated) => Some(stated),
            None => self
                .connection
                .prepare_cached(
                    "SELECT seq FROM versions WHERE blob_id = ?1 AND seq < ?2 AND (memory_id = ?3 OR (?5 AND store_id = ?4))
                     ORDER BY memory_id = ?3 DESC, happened_at IS NOT NULL, seq DESC LIMIT 1",
                )?
                .query_row(
                    params![
                        blob_row,
                        seq,
                        memory_row,
                        store_row,
                        matches!(source, Source::Rollback | Source::Restore)
                    ],
                    |row| row.get(0),
                )
                .optional()?,
        };
        of.map_or(Ok(()), |of| self.put_back(seq, of))
    }

    /// The same for a deletion: it is put back only where the act says so, for one who deletes does so by themselves.
    pub(super) fn note_deleted_again(
        &self,
        seq: u64,
        memory_row: i64,
        index: Option<usize>,
    ) -> Result<(), LogError> {
        let stated = index.filter(|_| self.acts.is_some()).and_then(|index| self.stated.get(&index));
        let Some(of) = stated.copied() else { return Ok(()) };
        let is_deletion_of_it: bool = self
            .connection
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM versions WHERE seq = ?1 AND memory_id = ?2 AND blob_id IS NULL)",
            )?
            .query_row(params![bound(of), memory_row], |row| row.get(0))?;
        if is_deletion_of_it { self.put_back(seq, of) } else { Ok(()) }
    }

    fn has_content(&self, seq: u64, blob_row: Option<i64>) -> Result<bool, LogError> {
        let found: Option<Option<i64>> = self
            .connection
            .prepare_cached("SELECT blob_id FROM versions WHERE seq = ?1")?
            .query_row([bound(seq)], |row| row.get(0))
            .optional()?;
        Ok(found == Some(blob_row))
    }

    /// Writes down that a version has what `of` brought, or what that one put back itself. What a redaction left of a content
    /// is another content, so that it is named itself.
    fn put_back(&self, seq: u64, of: u64) -> Result<(), LogError> {
        self.connection
            .prepare_cached(
                "INSERT INTO put_back VALUES (?1, coalesce((SELECT p.of_seq FROM put_back p
                    JOIN versions v ON v.seq = p.version_seq JOIN operations o ON o.seq = v.operation_seq
                    WHERE p.version_seq = ?2 AND o.source <> 'redact'), ?2))",
            )?
            .execute(params![bound(seq), bound(of)])?;
        Ok(())
    }
}
