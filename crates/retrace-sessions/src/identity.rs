//! Tells if a file is the one that was read, without opening it.

use serde::{Deserialize, Serialize};
use std::fs::Metadata;

/// Device, inode, size and times of a file. Two equal identities mean the same content, as far as the file system can
/// tell: a change of content moves the time of change, which no program can set back. What is written in place, in the
/// same size and within one tick of the file system's clock, is not seen; a transcript that is appended to is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Device number; 0 on platforms that do not tell.
    pub device: u64,
    /// Inode number; 0 on platforms that do not tell.
    pub inode: u64,
    /// Bytes.
    pub size: u64,
    /// Time of the last write, nanoseconds since 1970.
    pub modified: i64,
    /// Time of the last change of content or attributes, nanoseconds since 1970; 0 on platforms that do not tell.
    pub changed: i64,
}

impl Identity {
    /// As the file system tells it.
    #[cfg(unix)]
    #[must_use]
    pub fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let nanoseconds =
            |seconds: i64, part: i64| seconds.saturating_mul(1_000_000_000).saturating_add(part);
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.len(),
            modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// As the file system tells it.
    #[cfg(not(unix))]
    #[must_use]
    pub fn of(metadata: &Metadata) -> Self {
        let modified =
            metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let modified = modified.and_then(|time| i64::try_from(time.as_nanos()).ok()).unwrap_or(0);
        Self { device: 0, inode: 0, size: metadata.len(), modified, changed: 0 }
    }

    /// True if both are of one file, whatever has been written to it.
    #[must_use]
    pub const fn same_file(&self, other: &Self) -> bool {
        self.device == other.device && self.inode == other.inode
    }
}
