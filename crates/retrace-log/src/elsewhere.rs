//! Where contents of the log are outside of its stores, as far as the log had to do with it: what it exported, and what it
//! brought history in from. A redaction looks there.

use crate::writer::Act;
use crate::{LogError, Reader};

/// Way a place outside became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ElsewhereKind {
    /// A bundle that was written.
    Bundle,
    /// A directory that files were exported to.
    Export,
    /// A directory whose history in git was brought in.
    Git,
}

impl ElsewhereKind {
    const WORDS: [(Self, &'static str); 3] =
        [(Self::Bundle, "bundle"), (Self::Export, "export"), (Self::Git, "git")];

    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(kind, _)| *kind == self).map_or("bundle", |(_, word)| word)
    }
}

impl Act<'_> {
    /// Remembers a place outside, by the bytes of its absolute path. One whose path holds what was redacted is not kept: the log would
    /// hold it again.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn remember_elsewhere(&mut self, kind: ElsewhereKind, path: &[u8]) -> Result<(), LogError> {
        if self.tags()?.without(path).is_some() {
            return Ok(());
        }
        self.transaction
            .prepare_cached("INSERT OR IGNORE INTO elsewhere (kind, path) VALUES (?1, ?2)")?
            .execute((kind.word(), path))?;
        Ok(())
    }

    /// Forgets a place outside that is not there any more.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn forget_elsewhere(&mut self, kind: ElsewhereKind, path: &[u8]) -> Result<(), LogError> {
        self.transaction
            .prepare_cached("DELETE FROM elsewhere WHERE kind = ?1 AND path = ?2")?
            .execute((kind.word(), path))?;
        Ok(())
    }
}

impl Reader<'_> {
    /// Every place outside that is remembered.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn elsewhere(&self) -> Result<Vec<(ElsewhereKind, Vec<u8>)>, LogError> {
        let mut query = self.connection.prepare_cached("SELECT kind, path FROM elsewhere ORDER BY id")?;
        let mut rows = query.query([])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let word: String = row.get(0)?;
            if let Some((kind, _)) = ElsewhereKind::WORDS.iter().find(|(_, known)| *known == word) {
                found.push((*kind, row.get(1)?));
            }
        }
        Ok(found)
    }
}
