//! Reports each change to the caller, so that it can record exactly what happened.

use retrace_files::Durable;
use retrace_model::{RelPath, Seen};
use thiserror::Error;

/// One change to one file of the directory. Directories are no memories and are not told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<'a> {
    /// A file holds a new content.
    Written {
        /// The file.
        path: &'a RelPath,
        /// All its bytes.
        bytes: &'a [u8],
        /// File system data once it was in place; `None` where that is not known.
        seen: Option<Seen>,
    },
    /// A file is gone.
    Removed {
        /// Where it was.
        path: &'a RelPath,
    },
    /// A file has another path; its content is what it was.
    Moved {
        /// Where it was.
        from: &'a RelPath,
        /// Where it is.
        to: &'a RelPath,
    },
}

/// Why a caller does not allow a change. The text goes to the model.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Unobserved(pub String);

/// Receives changes. `()` lets everything happen and remembers nothing.
pub trait Observer {
    /// Called before anything is done to the files at `paths`: each is about to be written, removed or moved, or a file
    /// is about to be put there. What stands there now is still there.
    ///
    /// # Errors
    /// [`Unobserved`]: nothing is done then, and the call is answered with an error.
    fn before(&mut self, paths: &[RelPath]) -> Result<(), Unobserved>;

    /// As [`Observer::before`], for files that only get another path.
    ///
    /// # Errors
    /// As [`Observer::before`].
    fn before_renaming(&mut self, paths: &[RelPath]) -> Result<(), Unobserved> {
        self.before(paths)
    }

    /// Durability that the change to be made has before [`Observer::changed`] is called. Asked after
    /// each [`Observer::before`].
    fn durable(&self) -> Durable {
        Durable::Now
    }

    /// Called after a change.
    fn changed(&mut self, change: &Change<'_>);
}

impl Observer for () {
    fn before(&mut self, _paths: &[RelPath]) -> Result<(), Unobserved> {
        Ok(())
    }

    fn changed(&mut self, _change: &Change<'_>) {}
}
