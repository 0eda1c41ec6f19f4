//! Questions that a list asks again for each of its items.

use super::{VersionRow, version_from, version_sql};
use crate::review::reviewer;
use crate::rows::bound;
use crate::{LogError, Reader};
use retrace_model::Actor;
use rusqlite::CachedStatement;
use std::cell::RefCell;
use std::collections::HashMap;

/// Finds out whether a person rejected the content of a version, or the deletion that it is, before it.
const WAS_REJECTED: &str = "SELECT EXISTS (SELECT 1 FROM versions n
    JOIN versions w ON w.seq < n.seq AND CASE WHEN n.blob_id IS NULL
        THEN w.memory_id = n.memory_id AND w.blob_id IS NULL
        ELSE w.blob_id = n.blob_id AND w.store_id = n.store_id END
    JOIN reviews r ON r.judged_seq = w.seq
    JOIN review_acts a ON a.seq = r.act_seq
    WHERE n.seq = ?2 AND n.redaction_id IS NULL AND n.happened_at IS NULL AND a.verdict = 'rejected' AND a.actor_id = ?1
      AND NOT EXISTS (SELECT 1 FROM review_acts u WHERE u.undoes = a.seq))";

/// Reads what a list says of its items, one after another, as one person sees them. What all items have in common is asked for
/// once: the statements, which are long, are prepared once, and who the person is and how far the log goes is looked up once.
pub struct Items<'r, 'c> {
    reader: &'r Reader<'c>,
    version: RefCell<CachedStatement<'r>>,
    /// Versions that were read ahead and not asked for yet, by their place.
    ahead: RefCell<HashMap<u64, VersionRow>>,
    /// `None` where the person never rejected anything.
    rejected: Option<RefCell<CachedStatement<'r>>>,
    reviewer: i64,
    last_version: u64,
    joined_through: u64,
}

impl<'c> Reader<'c> {
    /// A reader of items of the log as it is now. It is of one state of the log where this reader is.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn items(&self, person: &Actor) -> Result<Items<'_, 'c>, LogError> {
        let reviewer = reviewer(self.connection, person)?;
        let has_rejected: bool = self
            .connection
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM review_acts WHERE verdict = 'rejected' AND actor_id = ?1)",
            )?
            .query_row([reviewer], |row| row.get(0))?;
        let rejected = has_rejected.then(|| self.connection.prepare_cached(WAS_REJECTED)).transpose()?;
        Ok(Items {
            reader: self,
            version: RefCell::new(self.connection.prepare_cached(version_sql!("WHERE v.seq = ?1"))?),
            ahead: RefCell::default(),
            rejected: rejected.map(RefCell::new),
            reviewer,
            last_version: self.last_version()?,
            joined_through: self.joined_through()?,
        })
    }
}

impl<'r, 'c> Items<'r, 'c> {
    /// The reader behind it, for what is asked for some items alone.
    #[must_use]
    pub fn reader(&self) -> &'r Reader<'c> {
        self.reader
    }

    /// As [`Reader::last_version`], when this was made.
    #[must_use]
    pub fn last_version(&self) -> u64 {
        self.last_version
    }

    /// As [`Reader::joined_through`], when this was made.
    #[must_use]
    pub fn joined_through(&self) -> u64 {
        self.joined_through
    }

    /// Reads versions that [`Items::version`] is about to be asked for, in one go: a question joins so many tables that to begin it
    /// takes longer than to answer it for one version. Each is kept until it is asked for once; those that are not there are left
    /// out.
    ///
    /// # Errors
    /// As [`Reader::version`].
    pub fn read_ahead(&self, seqs: impl IntoIterator<Item = u64>) -> Result<(), LogError> {
        let list: Vec<String> = seqs.into_iter().map(|seq| bound(seq).to_string()).collect();
        if list.is_empty() {
            return Ok(());
        }
        let list = format!("[{}]", list.join(","));
        let mut query = self
            .reader
            .connection
            .prepare_cached(version_sql!("WHERE v.seq IN (SELECT value FROM json_each(?1))"))?;
        let mut rows = query.query([list])?;
        let mut ahead = self.ahead.borrow_mut();
        while let Some(row) = rows.next()? {
            let version = version_from(row)?;
            ahead.insert(version.id.seq, version);
        }
        Ok(())
    }

    /// As [`Reader::version`].
    ///
    /// # Errors
    /// As [`Reader::version`].
    pub fn version(&self, seq: u64) -> Result<VersionRow, LogError> {
        if let Some(known) = self.ahead.borrow_mut().remove(&seq) {
            return Ok(known);
        }
        let mut query = self.version.borrow_mut();
        let mut rows = query.query([bound(seq)])?;
        match rows.next()? {
            Some(row) => version_from(row),
            None => Err(LogError::NotFound { what: "version", name: seq.to_string() }),
        }
    }

    /// True if the person rejected before what a version brings: the same content anywhere in its store, or the deletion of
    /// the same memory. A rejection that was taken back does not count; of a redacted version nobody can say.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn was_rejected(&self, version: &VersionRow) -> Result<bool, LogError> {
        let Some(query) = &self.rejected else { return Ok(false) };
        let was_rejected =
            query.borrow_mut().query_row([self.reviewer, bound(version.id.seq)], |row| row.get(0))?;
        Ok(was_rejected)
    }
}
