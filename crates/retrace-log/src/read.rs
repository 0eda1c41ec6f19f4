//! Reading the log.

mod chained;
mod items;
mod last_reviews;
mod memories;
mod operations;
mod past;
mod reviews;
pub(crate) mod version;
mod versions;

pub use chained::{ChainedVersion, Opened};
pub use items::Items;
pub use memories::MemoryAt;
pub use operations::{ActivityMark, OperationRow};
pub use reviews::{ReviewAct, Unreviewed, UnreviewedFile};
pub use version::{Content, ContentInfo, Older, Recent, Redaction, VersionRow};

pub(crate) use past::root_of_undoing;
use version::source_from;
pub(crate) use version::{LEAVES, leaf_from, version_from, version_sql};

use crate::connection::OpenDatabase;
use crate::raw::KeptOpen;
use crate::{LogError, LogFiles, rows};
use retrace_model::Sha256;
use rusqlite::Connection;
use std::sync::Arc;

/// A view of the log. Within [`ReadConnection::snapshot`] and within an [`Act`](crate::Act) everything read through one
/// value is of one state; through [`Writer::reader`](crate::Writer::reader) each call sees the newest.
pub struct Reader<'c> {
    pub(crate) connection: &'c Connection,
}

/// A connection that only reads.
pub struct ReadConnection {
    pub(crate) connection: Connection,
    /// Opened without a way to write.
    unwritable: bool,
    /// Goes after the connection, as the order of fields says.
    _kept_open: Arc<KeptOpen>,
}

impl ReadConnection {
    /// Opens the log for reading. It must exist.
    ///
    /// # Errors
    /// [`LogError::Newer`], [`LogError::Damaged`], [`LogError::Invalid`] for an older format, [`LogError::CannotWrite`]
    /// when there is no log or the index of its write-ahead log cannot be written, which reading does.
    pub fn open(files: &LogFiles) -> Result<Self, LogError> {
        let OpenDatabase { connection, kept_open, unwritable } = files.open_reader()?;
        Ok(Self { connection, unwritable, _kept_open: kept_open })
    }

    /// False where the directory cannot be written: what others write from now on may then not be seen, so that each answer
    /// wants a connection of its own.
    #[must_use]
    pub fn sees_what_follows(&self) -> bool {
        !self.unwritable
    }

    /// Moves pages from the write-ahead log into the database, beside whoever reads and writes. Where somebody else is at
    /// it, or reads an older state, the rest stays for the next time.
    ///
    /// # Errors
    /// A failure of the database. Nothing is lost then.
    pub fn move_write_ahead_log(&self) -> Result<(), LogError> {
        Ok(self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?)
    }

    /// Lets go of the pages that it keeps. The system has them still, so that reading them again takes some microseconds a
    /// page.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn release_pages(&self) -> Result<(), LogError> {
        Ok(self.connection.release_memory()?)
    }

    /// Runs `read` on one state of the log, whatever others append meanwhile.
    ///
    /// # Errors
    /// Those of `read`, and failures of the database.
    pub fn snapshot<T, E: From<LogError>>(
        &self,
        read: impl FnOnce(&Reader<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let transaction = self.connection.unchecked_transaction().map_err(LogError::from)?;
        read(&Reader::over(&transaction))
    }
}

impl<'c> Reader<'c> {
    pub(crate) fn over(connection: &'c Connection) -> Self {
        Self { connection }
    }

    /// The newest operation: the cursor of the change feed. 0 for an empty log.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn cursor(&self) -> Result<u64, LogError> {
        Ok(rows::head_of_chain(self.connection)?.1)
    }

    /// Digest of the newest operation, which covers the whole log. Kept elsewhere, it is the witness without which
    /// nobody can tell that the newest operations were taken off the end.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn chain_head(&self) -> Result<Sha256, LogError> {
        Ok(rows::head_of_chain(self.connection)?.0)
    }

    /// Place of the newest version; 0 for an empty log.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn last_version(&self) -> Result<u64, LogError> {
        rows::last_version(self.connection)
    }

    /// Numbers of all versions in the log and of live memories in stores on the list.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn totals(&self) -> Result<(u64, u64), LogError> {
        let memories = self
            .connection
            .prepare_cached(
                "SELECT count(*) FROM live l JOIN stores s ON s.id = l.store_id AND s.removed_at IS NULL",
            )?
            .query_row([], |row| row.get(0))?;
        Ok((self.last_version()?, memories))
    }

    /// Rows this connection itself has changed so far.
    #[must_use]
    pub fn own_changes(&self) -> u64 {
        self.connection.total_changes()
    }

    /// A number that changes whenever another connection commits; cheap to ask for. It means something only when asked
    /// twice through the same connection.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn data_version(&self) -> Result<i64, LogError> {
        Ok(self.connection.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }
}
