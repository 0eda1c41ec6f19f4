//! The recorder's lease: one process per data directory records; the others read and append acts.

use crate::{LogError, LogFiles};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};

/// Held while this process records. The operating system gives it back when the process ends, however it ends.
#[derive(Debug)]
pub struct Lease {
    _file: File,
}

impl Lease {
    /// Takes the lease, or answers `None` when another process holds it.
    ///
    /// # Errors
    /// [`LogError::Io`] or [`LogError::CannotWrite`] when the lock file cannot be made.
    pub fn take(files: &LogFiles, process: u32) -> Result<Option<Self>, LogError> {
        files.make_directory()?;
        let path = files.owner_lock();
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(LogError::io(&path))?;
        match file.try_lock() {
            Ok(()) => {
                let written = file.set_len(0).and_then(|()| write!(file, "{process}\n"));
                written.map_err(LogError::io(&path))?;
                Ok(Some(Self { _file: file }))
            }
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(LogError::io(&path)(source)),
        }
    }

    /// The process that holds the lease at present, if one does.
    #[must_use]
    pub fn holder(files: &LogFiles) -> Option<u32> {
        let mut file = OpenOptions::new().read(true).write(true).open(files.owner_lock()).ok()?;
        match file.try_lock() {
            Ok(()) => None,
            Err(_) => {
                let mut text = String::new();
                file.rewind().and_then(|()| file.read_to_string(&mut text)).ok()?;
                Some(text.trim().parse().unwrap_or(0))
            }
        }
    }
}
