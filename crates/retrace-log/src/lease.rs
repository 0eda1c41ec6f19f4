//! Leases of a data directory: one process records, the others read and append acts; one process at a time sends what is
//! queued for hosts.

use crate::{LogError, LogFiles};
use retrace_model::Timestamp;
use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;

/// Held while this process records, or sends. The operating system gives it back when the process ends, however it ends.
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

/// Who sends at present what is queued for hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pusher {
    /// The process; 0 when it cannot be told which.
    pub process: u32,
    /// Since when, where that can be told.
    pub since: Option<Timestamp>,
}

/// Number of tries while others only ask who holds a lease. Each holds the lock for some microseconds.
const TRIES: u32 = 10_000;

impl Lease {
    /// Takes the recorder's lease for this process (by its id), or answers `None` when another holds it.
    ///
    /// # Errors
    /// [`LogError::Io`] or [`LogError::CannotWrite`] when the lock file cannot be made.
    pub fn take(files: &LogFiles, process: u32) -> Result<Option<Self>, LogError> {
        Self::take_with(files, &files.owner_lock(), &format!("{process}\n"))
    }

    /// The process that records at present, if one does; 0 when it cannot be told which.
    #[must_use]
    pub fn holder(files: &LogFiles) -> Option<u32> {
        Some(words_of_holder(&files.owner_lock())?.trim().parse().unwrap_or(0))
    }

    /// Takes the lease to send what is queued for hosts, or answers `None` when another holds it, be it in this process.
    ///
    /// # Errors
    /// As [`Lease::take`].
    pub fn take_to_push(files: &LogFiles, process: u32, now: Timestamp) -> Result<Option<Self>, LogError> {
        Self::take_with(files, &files.push_lock(), &format!("{process} {}\n", now.micros()))
    }

    /// Who sends at present what is queued for hosts, if somebody does.
    #[must_use]
    pub fn pusher(files: &LogFiles) -> Option<Pusher> {
        let words = words_of_holder(&files.push_lock())?;
        let mut words = words.split_whitespace();
        let process = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
        let since = words.next().and_then(|word| word.parse().ok()).map(Timestamp::from_micros);
        Some(Pusher { process, since })
    }

    fn take_with(files: &LogFiles, path: &Path, words: &str) -> Result<Option<Self>, LogError> {
        files.make_directory()?;
        let mut file = LogFiles::open_private(path)?;
        let failed = LogError::io(path);
        for _ in 0..TRIES {
            match file.try_lock() {
                Ok(()) => {
                    // On a full disk nobody is told who holds it.
                    drop(file.set_len(0).and_then(|()| file.write_all(words.as_bytes())));
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
}

/// Words of the holder of a lease; `None` when nobody holds it, empty when it cannot be read.
fn words_of_holder(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    match file.try_lock_shared() {
        Ok(()) | Err(TryLockError::Error(_)) => None,
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            let read = file.rewind().and_then(|()| file.read_to_string(&mut text));
            Some(read.map(|_| text).unwrap_or_default())
        }
    }
}
