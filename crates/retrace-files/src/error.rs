//! Errors as data.

use crate::act::Expected;
use crate::directory::is_link_error;
use crate::scan::Special;
use retrace_message::AsMessage;
use retrace_model::{RelPath, Sha256};
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// A store's directory could not be opened. Each is a state of the store.
#[derive(Debug, Error, AsMessage)]
#[message("root", saved)]
pub enum RootError {
    /// Nothing is there.
    #[error("\"{}\" does not exist", path.display())]
    Missing {
        /// The store's directory.
        path: PathBuf,
    },
    /// The directory may not be read.
    #[error("\"{}\" may not be read", path.display())]
    Denied {
        /// The store's directory.
        path: PathBuf,
    },
    /// Something else is there.
    #[error("\"{}\" is not a directory", path.display())]
    NotADirectory {
        /// The store's directory.
        path: PathBuf,
    },
    /// The path leads to another directory than it did: a symbolic link stands on it, or a directory that is not the store's.
    #[error("\"{}\" leads to another directory than the store's", path.display())]
    Moved {
        /// The store's directory.
        path: PathBuf,
    },
    /// Any other failure.
    #[error("\"{}\" could not be opened: {source}", path.display())]
    Io {
        /// The store's directory.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
}

impl RootError {
    pub(crate) fn new(path: PathBuf, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::NotFound => Self::Missing { path },
            io::ErrorKind::PermissionDenied => Self::Denied { path },
            io::ErrorKind::NotADirectory => Self::NotADirectory { path },
            _ => Self::Io { path, source },
        }
    }
}

/// A step that failed, in a [`FileError::Io`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, AsMessage)]
#[message("doing", saved)]
pub enum Doing {
    /// Compare.
    #[error("compare")]
    Compare,
    /// Create.
    #[error("create")]
    Create,
    /// Exchange.
    #[error("exchange")]
    Exchange,
    /// Look up in the log.
    #[error("look up in the log")]
    LookUpLog,
    /// Make directory.
    #[error("make directory")]
    MakeDirectory,
    /// Open.
    #[error("open")]
    Open,
    /// Open directory.
    #[error("open directory")]
    OpenDirectory,
    /// Open the store.
    #[error("open the store")]
    OpenStore,
    /// Read.
    #[error("read")]
    Read,
    /// Remove.
    #[error("remove")]
    Remove,
    /// Rename.
    #[error("rename")]
    Rename,
    /// Stat.
    #[error("stat")]
    Stat,
    /// Sync.
    #[error("sync")]
    Sync,
    /// Sync directory.
    #[error("sync directory")]
    SyncDirectory,
    /// Write.
    #[error("write")]
    Write,
}

/// One file could not be read, replaced or deleted. Unless a variant says otherwise, nothing was changed.
#[derive(Debug, Error, AsMessage)]
#[message("file", saved)]
pub enum FileError {
    /// Nothing is there.
    #[error("\"{path}\" does not exist")]
    Missing {
        /// The file.
        path: RelPath,
    },
    /// The user's rights do not allow it.
    #[error("\"{path}\": permission denied")]
    Denied {
        /// The file.
        path: RelPath,
    },
    /// The path, or a directory on the way, is a symbolic link; links are not followed.
    #[error("\"{path}\" is or lies behind a symbolic link")]
    Link {
        /// The file.
        path: RelPath,
    },
    /// A directory is there.
    #[error("\"{path}\" is a directory")]
    IsDirectory {
        /// The file.
        path: RelPath,
    },
    /// Something is there that is neither a regular file nor a directory.
    #[error("\"{path}\" is not a regular file but {special}")]
    NotAFile {
        /// The file.
        path: RelPath,
        /// Type of the file.
        special: Special,
    },
    /// A component before the last is a file, so the path cannot exist.
    #[error("a part of \"{path}\" is not a directory")]
    BelowAFile {
        /// The file.
        path: RelPath,
    },
    /// The file kept changing while it was read.
    #[error("\"{path}\" keeps changing while it is read")]
    Unstable {
        /// The file.
        path: RelPath,
    },
    /// The file is so large that reading it would never end as far as a person is concerned; a sparse file of any size takes no
    /// room on a disk. See [`LARGEST_READ`](crate::LARGEST_READ).
    #[error("\"{path}\" is too large to be read: {bytes} bytes")]
    TooLarge {
        /// The file.
        path: RelPath,
        /// Its size.
        bytes: u64,
    },
    /// The live file is not what the caller expected to replace: somebody wrote it since.
    #[error("\"{path}\" was changed by somebody else; it was left as it is")]
    Moved {
        /// The file.
        path: RelPath,
        /// State that the caller expected.
        expected: Expected,
        /// The content found instead; `None` when there was no file, or none that could be read.
        found: Option<Sha256>,
        /// Content written by somebody else that could not stand at `path` because yet another edit took it. It is in
        /// this hidden file beside it: record it, then discard it.
        kept: Option<RelPath>,
    },
    /// The file system, or the user's share of it, is full.
    #[error("\"{path}\": no space left")]
    Full {
        /// The file.
        path: RelPath,
    },
    /// The file system is read-only.
    #[error("\"{path}\": the file system is read-only")]
    ReadOnly {
        /// The file.
        path: RelPath,
    },
    /// Any other failure.
    #[error("\"{path}\": {doing} failed: {source}")]
    Io {
        /// The file.
        path: RelPath,
        /// Step that failed, such as "open" or "write".
        doing: Doing,
        /// Error of the system.
        source: io::Error,
    },
}

impl FileError {
    /// True where something that is no file of the directory stands at the path or on the way to it, so that none can be written.
    #[must_use]
    pub const fn is_in_the_way(&self) -> bool {
        matches!(
            self,
            Self::IsDirectory { .. } | Self::Link { .. } | Self::NotAFile { .. } | Self::BelowAFile { .. }
        )
    }

    /// The variant that `source` stands for, met while `doing` something with `path`.
    pub(crate) fn new(path: &RelPath, doing: Doing, source: io::Error) -> Self {
        use io::ErrorKind as Kind;
        let path = path.clone();
        if is_link_error(&source) {
            return Self::Link { path };
        }
        match source.kind() {
            Kind::NotFound => Self::Missing { path },
            Kind::PermissionDenied => Self::Denied { path },
            Kind::NotADirectory => Self::BelowAFile { path },
            Kind::IsADirectory => Self::IsDirectory { path },
            Kind::StorageFull | Kind::QuotaExceeded => Self::Full { path },
            Kind::ReadOnlyFilesystem => Self::ReadOnly { path },
            _ => Self::Io { path, doing, source },
        }
    }
}
