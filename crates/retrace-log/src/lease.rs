//! The recorder's lease: one process per data directory records; the others read and append acts.

use crate::{LogError, LogFiles};
use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};

/// Held while this process records. The operating system gives it back when the process ends, however it ends.
#[derive(Debug)]
pub struct Lease {
    file: File,
}

impl Drop for Lease {
    /// Unlocks rather than only closes: a process that is being started from this one shares the open file for a moment,
    /// and the lock with it.
    fn drop(&mut self) {
        // Closing, which follows, is the other way to give it back.
        drop(self.file.unlock());
    }
}

/// How often to try again while others only ask who holds the lease. Each holds the lock for some microseconds.
const TRIES: u32 = 10_000;

impl Lease {
    /// Takes the lease for this process (by its id), or answers `None` when another holds it.
    ///
    /// # Errors
    /// [`LogError::Io`] or [`LogError::CannotWrite`] when the lock file cannot be made.
    pub fn take(files: &LogFiles, process: u32) -> Result<Option<Self>, LogError> {
        files.make_directory()?;
        let path = files.owner_lock();
        let mut file = LogFiles::open_private(&path)?;
        let failed = LogError::io(&path);
        for _ in 0..TRIES {
            match file.try_lock() {
                Ok(()) => {
                    let written = file.set_len(0).and_then(|()| writeln!(file, "{process}"));
                    written.map_err(failed)?;
                    return Ok(Some(Self { file }));
                }
                Err(TryLockError::Error(source)) => return Err(failed(source)),
                Err(TryLockError::WouldBlock) => {}
            }
            // A holder's lock is exclusive; the lock of one who asks is shared, and soon gone.
            match file.try_lock_shared().map(|()| file.unlock()) {
                Ok(Ok(())) => std::thread::yield_now(),
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(source)) | Ok(Err(source)) => return Err(failed(source)),
            }
        }
        Ok(None)
    }

    /// The process that holds the lease at present, if one does; 0 when it cannot be told which.
    #[must_use]
    pub fn holder(files: &LogFiles) -> Option<u32> {
        let mut file = File::open(files.owner_lock()).ok()?;
        match file.try_lock_shared() {
            Ok(()) | Err(TryLockError::Error(_)) => None,
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let read = file.rewind().and_then(|()| file.read_to_string(&mut text));
                Some(read.ok().and_then(|_| text.trim().parse().ok()).unwrap_or(0))
            }
        }
    }
}
