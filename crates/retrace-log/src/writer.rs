//! The writing side: one transaction at a time over all processes; whatever is not committed never happened.

use crate::connection::OpenDatabase;
use crate::kept_out::Known;
use crate::raw::KeptOpen;
use crate::{Append, Appended, Entropy, LogError, LogFiles, Reader};
use retrace_model::Sha256;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::sync::Arc;

/// The writing side of a log.
pub struct Writer {
    pub(crate) connection: Connection,
    pub(crate) files: LogFiles,
    pub(crate) entropy: Entropy,
    /// Tags of redacted content that must not reappear, as it was last read.
    tags: Option<Known>,
    /// Opened for reading alone, because it could not be written.
    unwritable: bool,
    /// Goes after the connection, as the order of fields says.
    _kept_open: Arc<KeptOpen>,
}

/// One transaction: everything in it happens, or nothing of it. Dropping it without [`Act::commit`] takes all back, and
/// once a step of it failed nothing of it can be committed.
pub struct Act<'w> {
    pub(crate) transaction: Transaction<'w>,
    pub(crate) entropy: &'w mut Entropy,
    pub(crate) files: &'w LogFiles,
    pub(crate) tags: &'w mut Option<Known>,
    /// This transaction changed what must not reappear.
    pub(crate) tagged: bool,
    /// Texts too short for a tag that this transaction redacts: a path that holds one leaves no tag either.
    pub(crate) short: Vec<Vec<u8>>,
    /// A step of several writes began and did not end well.
    pub(crate) half_done: bool,
    /// A memory that comes to a path where a deleted one was is another one.
    pub(crate) new_memories: bool,
    /// Digest that covers the seals for the next operation.
    pub(crate) seals: Option<Sha256>,
}

impl Writer {
    /// Opens the log for writing, makes it when it does not exist, and brings its schema up to date. One that is there and
    /// cannot be written is open for reading, and each write tries anew.
    ///
    /// # Errors
    /// [`LogError::Newer`], [`LogError::Damaged`], [`LogError::CannotWrite`], [`LogError::Full`] or [`LogError::Busy`];
    /// nothing is changed then.
    pub fn open(files: LogFiles, entropy: Entropy) -> Result<Self, LogError> {
        let OpenDatabase { connection, kept_open, unwritable } = files.open_writer()?;
        Ok(Self { connection, files, entropy, tags: None, unwritable, _kept_open: kept_open })
    }

    /// Sees to it that the log can be written, now if it could not when it was opened.
    pub(crate) fn writable(&mut self) -> Result<(), LogError> {
        if self.unwritable {
            let opened = self.files.open_for_writing().map_err(|error| self.files.explained(error))?;
            self.connection = opened.connection;
            self._kept_open = opened.kept_open;
            self.unwritable = false;
        }
        Ok(())
    }

    /// Starts a transaction, waiting for other processes' transactions to end.
    ///
    /// # Errors
    /// [`LogError::Busy`] when they do not end in time; [`LogError::Full`] or [`LogError::CannotWrite`] where the log was
    /// opened for reading alone and cannot be written yet.
    pub fn begin(&mut self) -> Result<Act<'_>, LogError> {
        self.writable()?;
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        Ok(Act {
            transaction,
            entropy: &mut self.entropy,
            files: &self.files,
            tags: &mut self.tags,
            tagged: false,
            short: Vec::new(),
            half_done: false,
            new_memories: false,
            seals: None,
        })
    }

    /// Appends one operation in a transaction of its own.
    ///
    /// # Errors
    /// As [`Act::append`].
    pub fn append(&mut self, append: Append<'_>) -> Result<Appended, LogError> {
        let mut act = self.begin()?;
        let appended = act.append(append)?;
        act.commit()?;
        Ok(appended)
    }

    /// Lets go of the pages that it keeps between transactions, as [`ReadConnection::release_pages`](crate::ReadConnection::release_pages)
    /// does.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn release_pages(&self) -> Result<(), LogError> {
        Ok(self.connection.release_memory()?)
    }

    /// Reads what is committed.
    #[must_use]
    pub fn reader(&self) -> Reader<'_> {
        Reader::over(&self.connection)
    }

    /// The log's files.
    #[must_use]
    pub fn files(&self) -> &LogFiles {
        &self.files
    }
}

impl Act<'_> {
    /// Reads the log as this transaction sees it.
    #[must_use]
    pub fn reader(&self) -> Reader<'_> {
        Reader::over(&self.transaction)
    }

    /// From now on a memory that comes to a path where a deleted one was gets an id of its own, as a client expects who
    /// created it; a scan of a directory takes it for the one that was there before.
    pub fn make_memories_anew(&mut self, anew: bool) {
        self.new_memories = anew;
    }

    /// Makes everything in this transaction durable.
    ///
    /// # Errors
    /// [`LogError::Full`], [`LogError::CannotWrite`], [`LogError::Invalid`] when a step before failed; nothing has happened
    /// then.
    pub fn commit(self) -> Result<(), LogError> {
        if self.half_done || self.seals.is_some() {
            return Err(LogError::Invalid(say::step_transaction_failed_nothing_kept()));
        }
        Ok(self.transaction.commit()?)
    }

    /// Takes a step of several writes, of which all must happen or none. A savepoint would do as well, but SQLite then
    /// keeps every page as it was before, and walks through those at each statement.
    pub(crate) fn whole<T, E>(&mut self, step: impl FnOnce(&mut Self) -> Result<T, E>) -> Result<T, E> {
        let before = std::mem::replace(&mut self.half_done, true);
        let done = step(self)?;
        self.half_done = before;
        Ok(done)
    }

    /// Sixteen random bytes: a salt, or a public id.
    pub(crate) fn random(&mut self) -> [u8; 16] {
        let mut bytes = [0; 16];
        (self.entropy)(&mut bytes);
        bytes
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "writer";
    step_transaction_failed_nothing_kept() => "a step of this transaction failed, so nothing of it is kept",
}
