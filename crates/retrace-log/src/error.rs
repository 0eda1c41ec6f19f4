//! Errors of the log.

use crate::Replaced;
use retrace_message::{AsMessage, Message};
use rusqlite::ErrorCode;
use std::path::PathBuf;
use thiserror::Error;

/// A failure of the log.
#[derive(Debug, Error, AsMessage)]
#[message("log")]
pub enum LogError {
    /// The database was written by a newer program.
    #[error("the database has format {found}; this program knows formats up to {known}")]
    Newer {
        /// Format of the file.
        found: i64,
        /// Newest format known here.
        known: i64,
    },
    /// The file is not a sound database.
    #[error("the database is damaged: {0}")]
    Damaged(Message),
    /// It is not the log that was kept in this data directory.
    #[error("{0}")]
    Replaced(#[from] Replaced),
    /// Another process held the database for longer than this one may wait.
    #[error("another process is using the database")]
    Busy,
    /// No room left.
    #[error("the disk is full")]
    Full,
    /// The data directory may not be written.
    #[error("the data directory cannot be written: {0}")]
    CannotWrite(Message),
    /// The data directory, or the database in it, may not be read.
    #[error("the data directory cannot be read: {0}")]
    CannotRead(Message),
    /// The thing asked for does not exist.
    #[error("there is no {what} {name}")]
    NotFound {
        /// "version", "store", …
        what: &'static str,
        /// Its id or name.
        name: String,
    },
    /// The content was redacted.
    #[error("the content of version {0} was redacted")]
    Redacted(u64),
    /// The content holds something that was redacted.
    #[error("{0} holds something that was redacted")]
    KeptOut(String),
    /// The key that redacted contents are known by is gone.
    #[error("the key of what was redacted is gone: {0} redacted texts and contents are not known again")]
    KeyLost(u64),
    /// The content was too large to keep.
    #[error("the content of version {0} was too large to be kept")]
    NotKept(u64),
    /// A request that makes no sense.
    #[error("{0}")]
    Invalid(Message),
    /// A file of the data directory could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Any other failure of SQLite.
    #[error("database: {0}")]
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for LogError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error as E;
        match &error {
            // Every column has a fixed type, so another one, a number out of range, or a text that is none, was not written by
            // this program.
            E::FromSqlConversionFailure(..)
            | E::IntegralValueOutOfRange(..)
            | E::InvalidColumnType(..)
            | E::Utf8Error(..) => return Self::Damaged(Message::verbatim(error.to_string())),
            // Every statement is fixed and known to work: one that the database does not understand met other tables.
            E::SqlInputError { .. } => return Self::Damaged(Message::verbatim(error.to_string())),
            E::ToSqlConversionFailure(_) => return Self::Invalid(Message::verbatim(error.to_string())),
            _ => {}
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged(Message::verbatim(error.to_string()))
            }
            // The full-text index reports damage of its own with the code for errors of any sort.
            Some(ErrorCode::Unknown) if error.to_string().contains("fts5") => {
                Self::Damaged(Message::verbatim(error.to_string()))
            }
            Some(ErrorCode::DiskFull) => Self::Full,
            // The index of the write-ahead log could not be made larger, for which a lack of space is the one usual reason.
            Some(ErrorCode::SystemIoFailure) if is_shm_size(&error) => Self::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::CannotWrite(Message::verbatim(error.to_string()))
            }
            Some(ErrorCode::SystemIoFailure) if is_failed_write(&error) => {
                Self::CannotWrite(Message::verbatim(error.to_string()))
            }
            _ => Self::Sqlite(error),
        }
    }
}

/// True if SQLite could not make the index of its write-ahead log larger.
fn is_shm_size(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE)
}

/// True if the operating system refused to write or to make room for writing, for another reason than a full disk.
fn is_failed_write(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi;
    let codes = [
        ffi::SQLITE_IOERR_WRITE,
        ffi::SQLITE_IOERR_FSYNC,
        ffi::SQLITE_IOERR_DIR_FSYNC,
        ffi::SQLITE_IOERR_TRUNCATE,
        ffi::SQLITE_IOERR_SHMOPEN,
        ffi::SQLITE_IOERR_SHMMAP,
    ];
    error.sqlite_error().is_some_and(|error| codes.contains(&error.extended_code))
}

impl LogError {
    /// Wraps a failure on a file.
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| match source.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::Full,
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                Self::CannotWrite(source.message().of(path.display()))
            }
            _ => Self::Io { path, source },
        }
    }
}
