//! Where the lines of a version came from, where the version before it does not say. That one may be redacted: with its content the
//! lines could no longer be followed, and whoever redacts would stand as the writer of all. Or the version came with a merge, which
//! is made from several. A derived table of places alone: nothing of a content.

use crate::rows::bound;
use crate::writer::Act;
use crate::{LogError, Reader};
use rusqlite::{Connection, params};

/// Lines that follow each other in a version, and where they came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptLines {
    /// The first line, from 0.
    pub first: u32,
    /// Number of lines.
    pub lines: u32,
    /// Place of the version they came from.
    pub of: u64,
    /// The first of them there, from 0; `None` where that version brought them in and is redacted itself, or is the one itself.
    pub of_first: Option<u32>,
}

impl Reader<'_> {
    /// Where lines of a version came from, in their order. Those that are not said came in with it, or nobody kept it.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn kept_lines(&self, seq: u64) -> Result<Vec<KeptLines>, LogError> {
        of(self.connection, seq)
    }

    /// Versions whose lines are said to come from lines of another one.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn versions_with_lines_of(&self, of: u64) -> Result<Vec<u64>, LogError> {
        let mut query = self.connection.prepare_cached(
            "SELECT DISTINCT version_seq FROM kept_lines WHERE of_seq = ?1 AND of_line IS NOT NULL",
        )?;
        let found = query.query_map([bound(of)], |row| row.get(0))?;
        Ok(found.collect::<Result<_, _>>()?)
    }
}

impl Act<'_> {
    /// Says where the lines of a version came from. What was said before goes.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn keep_lines(&mut self, seq: u64, kept: &[KeptLines]) -> Result<(), LogError> {
        self.transaction
            .prepare_cached("DELETE FROM kept_lines WHERE version_seq = ?1")?
            .execute([bound(seq)])?;
        insert(&self.transaction, seq, kept)
    }
}

/// Where lines of a version came from, in their order.
pub(crate) fn of(connection: &Connection, seq: u64) -> Result<Vec<KeptLines>, LogError> {
    let mut query = connection.prepare_cached(
        "SELECT first_line, lines, of_seq, of_line FROM kept_lines WHERE version_seq = ?1 ORDER BY first_line",
    )?;
    let found = query.query_map([bound(seq)], |row| {
        Ok(KeptLines { first: row.get(0)?, lines: row.get(1)?, of: row.get(2)?, of_first: row.get(3)? })
    })?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Says where the lines of a version came from of which nothing is said.
pub(crate) fn insert(connection: &Connection, seq: u64, kept: &[KeptLines]) -> Result<(), LogError> {
    let mut insert = connection.prepare_cached("INSERT INTO kept_lines VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for run in kept {
        insert.execute(params![bound(seq), run.first, run.lines, bound(run.of), run.of_first])?;
    }
    Ok(())
}
