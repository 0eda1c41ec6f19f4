//! Making durable what acts changed with [`Durable::Later`](crate::Durable::Later).

use crate::Doing;
use crate::directory::Directory;
use crate::error::FileError;
use crate::read::open_regular;
use crate::root::Root;
use retrace_model::RelPath;
use std::collections::BTreeSet;
use std::io;

impl Root {
    /// True if the file system brings what is done to the disk in the order in which it is done, data before the names that
    /// were given afterwards. Only then may an act be left to flush later. `true` for an ext4 with a journal on Linux.
    #[must_use]
    pub fn keeps_order(&self) -> bool {
        self.top.keeps_order()
    }

    /// Waits until what stands at these paths, or that nothing does, is on the disk: files first, then the directories up to
    /// this one.
    ///
    /// # Errors
    /// [`FileError`] of the first file or directory of which the system does not confirm it; the others are flushed.
    pub fn flush<'p>(&self, paths: impl IntoIterator<Item = &'p RelPath>) -> Result<(), FileError> {
        let mut directories: BTreeSet<RelPath> = BTreeSet::new();
        let mut flushed = Ok(());
        let mut last = None;
        for path in paths {
            flushed = flushed.and(self.flush_file(path));
            directories.extend(std::iter::successors(path.parent(), RelPath::parent));
            last = Some(path);
        }
        let Some(last) = last else { return Ok(()) };
        // Deepest first: what leads to a directory is of no use before the directory is.
        for path in directories.iter().rev() {
            let synced = self.top.open_below(path.as_bytes()).and_then(|directory| directory.sync());
            flushed = flushed.and(unless_gone(synced, path));
        }
        let failed = |error| FileError::new(last, Doing::SyncDirectory, error);
        flushed.and(self.top.reopen().and_then(|top| top.sync()).map_err(failed))
    }

    fn flush_file(&self, path: &RelPath) -> Result<(), FileError> {
        let opened = self
            .parent_of(path)
            .and_then(|directory: Directory| open_regular(&directory, path, path.file_name()));
        match opened {
            Ok((file, _)) => file.sync_all().map_err(|error| FileError::new(path, Doing::Sync, error)),
            // Nothing stands there, or nothing this crate writes: the directory says so.
            Err(
                FileError::Missing { .. }
                | FileError::BelowAFile { .. }
                | FileError::Link { .. }
                | FileError::IsDirectory { .. }
                | FileError::NotAFile { .. },
            ) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// A directory that is gone needs no flushing: one above it says so.
fn unless_gone(synced: io::Result<()>, path: &RelPath) -> Result<(), FileError> {
    match synced.map_err(|error| FileError::new(path, Doing::SyncDirectory, error)) {
        Err(FileError::Missing { .. } | FileError::BelowAFile { .. } | FileError::Link { .. }) => Ok(()),
        synced => synced,
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
