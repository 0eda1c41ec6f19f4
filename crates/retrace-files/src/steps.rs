//! Named steps of an act, so that tests can fail or stop it between any two.

use std::io;

/// A step of replacing or deleting a file, in the order they are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Make a missing parent directory.
    MakeDirectory,
    /// Write the new content to a `.new` file.
    WriteTemporary,
    /// Give it the mode, owner and extended attributes of the live file.
    CopyAttributes,
    /// Wait until it is on the disk.
    SyncTemporary,
    /// In place of that, with [`crate::Durable::Later`]: wait until the device has its content.
    WriteOut,
    /// Rename it from `.new` to `.swap`.
    NameSwap,
    /// Put it in place: exchange, or rename to a free name.
    Exchange,
    /// Rename the live file to `.swap`, to delete it.
    SetAside,
    /// Hash what was displaced.
    CheckDisplaced,
    /// Put displaced content that was not expected back in place.
    PutBack,
    /// Wait until the names are on the disk.
    SyncDirectory,
    /// Remove the displaced file.
    Unlink,
    /// Remove a directory that became empty.
    RemoveDirectory,
}

/// Called before each step of an act. An error counts as the failure of that step.
pub trait Steps {
    /// Called before `step`.
    ///
    /// # Errors
    /// Whatever the step should fail with.
    fn before(&self, step: Step) -> io::Result<()>;
}

/// Takes every step.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFaults;

impl Steps for NoFaults {
    fn before(&self, _step: Step) -> io::Result<()> {
        Ok(())
    }
}
