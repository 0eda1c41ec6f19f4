//! Last noted head of the log, in a file beside it: a log that was there and is empty, older or another one is
//! noticed.
//!
//! The note may lag: it is good as long as the log goes through it. So no commit waits for it. It is written when a log is opened and
//! closed, and now and then in between. It holds a number and a hash, and nothing of any content.

use crate::rows::{hash_from, head_of_chain};
use crate::{LogError, LogFiles, Reader};
use retrace_message::AsMessage;
use retrace_model::Sha256;
use rusqlite::{Connection, OptionalExtension as _};
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use thiserror::Error;

/// First line of the file.
const HEADING: &str = "retrace head 1";

/// The newest operation of a log, and its digest, which all before it went into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogHead {
    /// Its number.
    pub seq: u64,
    /// Its digest.
    pub digest: Sha256,
}

/// Why the log is not the one that was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, AsMessage)]
#[message("replaced")]
pub enum Replaced {
    /// Nothing is in it, or it is not there.
    #[error("the log that was kept here is gone: the database is empty or not there")]
    Emptied,
    /// It ends before.
    #[error(
        "the log is older than the one that was kept here: it ends at operation {found}, and was at {known}"
    )]
    Older {
        /// Its newest operation.
        found: u64,
        /// The newest one that was noted.
        known: u64,
    },
    /// Its operations are others.
    #[error("this is another log than the one that was kept here")]
    Another,
}

impl LogHead {
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let (heading, seq, digest) = (lines.next()?, lines.next()?, lines.next()?);
        let seq = seq.strip_prefix("operation ")?.parse().ok()?;
        let digest = Sha256::from_hex(digest.strip_prefix("digest ")?)?;
        (heading == HEADING).then_some(Self { seq, digest })
    }

    fn text(self) -> String {
        format!("{HEADING}\noperation {}\ndigest {}\n", self.seq, self.digest.to_hex())
    }
}

impl LogFiles {
    /// The file that says how far the log went.
    #[must_use]
    pub fn head_file(&self) -> PathBuf {
        self.directory().join("retrace.head")
    }

    /// Last noted head; `None` where nothing was, or nothing that can be read.
    #[must_use]
    pub fn head(&self) -> Option<LogHead> {
        LogHead::parse(&std::fs::read_to_string(self.head_file()).ok()?)
    }

    /// Notes how far the log went. Returns once that is on the disk.
    ///
    /// # Errors
    /// [`LogError::Io`], [`LogError::Full`] or [`LogError::CannotWrite`]; what was noted before stands then.
    pub fn keep_head(&self, head: LogHead) -> Result<(), LogError> {
        let (path, new) = (self.head_file(), self.directory().join("retrace.head.new"));
        let mut file = Self::open_private(&new)?;
        let written = file
            .set_len(0)
            .and_then(|()| file.write_all(head.text().as_bytes()))
            .and_then(|()| file.sync_all())
            .and_then(|()| std::fs::rename(&new, &path));
        written.map_err(LogError::io(&path))?;
        // One that may not be opened cannot be waited for, and an older note is as good.
        if let Ok(directory) = File::open(self.directory()) {
            drop(directory.sync_all());
        }
        Ok(())
    }

    /// Forgets it: whatever log is there from now on is the one that is kept.
    ///
    /// # Errors
    /// [`LogError::Io`] or [`LogError::CannotWrite`].
    pub fn forget_head(&self) -> Result<(), LogError> {
        match std::fs::remove_file(self.head_file()) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(LogError::io(self.head_file())(error))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a database that is empty or not there although a log was kept.
    pub(crate) fn check_there(&self) -> Result<(), LogError> {
        let empty = std::fs::metadata(self.database()).map_or(true, |metadata| metadata.len() == 0);
        if empty && self.head().is_some() { Err(Replaced::Emptied.into()) } else { Ok(()) }
    }

    /// Refuses a log that does not go through what was noted.
    pub(crate) fn check_head(&self, connection: &Connection) -> Result<(), LogError> {
        match self.head().map(|head| replaced(connection, head)).transpose()?.flatten() {
            Some(replaced) => Err(replaced.into()),
            None => Ok(()),
        }
    }
}

impl Reader<'_> {
    /// The newest operation; `None` before the first.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn head(&self) -> Result<Option<LogHead>, LogError> {
        let (digest, seq) = head_of_chain(self.connection)?;
        Ok((seq > 0).then_some(LogHead { seq, digest }))
    }

    /// Why the log is not the one in which this was noted; `None` when it is.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn replaced(&self, head: LogHead) -> Result<Option<Replaced>, LogError> {
        replaced(self.connection, head)
    }
}

fn replaced(connection: &Connection, head: LogHead) -> Result<Option<Replaced>, LogError> {
    let found: Option<Vec<u8>> = connection
        .query_row("SELECT digest FROM operations WHERE seq = ?1", [head.seq.cast_signed()], |row| row.get(0))
        .optional()?;
    if let Some(digest) = found {
        return Ok((hash_from(&digest)? != head.digest).then_some(Replaced::Another));
    }
    Ok(Some(match head_of_chain(connection)?.1 {
        0 => Replaced::Emptied,
        found => Replaced::Older { found, known: head.seq },
    }))
}
