//! Removing a file: set aside under a hidden name, compared, and only then removed.

use crate::Doing;
use crate::act::{Act, Done, Durable, Expected, Guard, Removal, Unexpected};
use crate::error::FileError;
use crate::leftovers::LeftoverKind;
use crate::root::Root;
use crate::steps::{Step, Steps};
use retrace_model::{RelPath, Sha256};
use std::io;

impl Root {
    /// Deletes the file at `path`, whose content must be `expected`. `random` names the hidden file of this act and must
    /// differ from act to act. With `prune_empty`, directories that become empty by it are removed as well, never the
    /// root and never one that still holds anything, hidden files included.
    ///
    /// # Errors
    /// [`FileError::Moved`] when the live file is not as expected. On any error the live file is what it was, or what
    /// somebody else made it.
    pub fn delete(
        &self,
        path: &RelPath,
        expected: Sha256,
        prune_empty: bool,
        random: u64,
        steps: &dyn Steps,
    ) -> Result<Done, FileError> {
        let wanted = Expected::Hash(expected);
        let directory = match self.parent_of(path) {
            Err(FileError::Missing { .. }) => {
                return Err(FileError::Moved {
                    path: path.clone(),
                    expected: wanted,
                    found: None,
                    kept: None,
                });
            }
            opened => opened?,
        };
        directory.mark_busy();
        let (durable, holding) = (self.durable, self.holding);
        let act = Act { directory: &directory, path, expected: wanted, random, durable, holding, steps };
        let mut done = act.delete(expected)?;
        if holding {
            // The file that was set aside is still in the directory.
            done.held = done.held.map(|held| held.pruning(prune_empty));
        } else if prune_empty {
            let (removed, synced) = self.prune(path, steps);
            done.removed_directories = removed;
            done.synced &= synced;
        }
        Ok(done)
    }

    /// Removes the directories on the way to `path` that are empty; answers which, and whether that is on the disk.
    pub(crate) fn prune(&self, path: &RelPath, steps: &dyn Steps) -> (Vec<RelPath>, bool) {
        let (mut pruned, mut synced) = (Vec::new(), true);
        let mut next = path.parent();
        while let Some(empty) = next {
            let Ok(parent) = self.parent_of(&empty) else { break };
            let removed =
                steps.before(Step::RemoveDirectory).and_then(|()| parent.remove_directory(empty.file_name()));
            if removed.is_err() {
                break;
            }
            synced &= self.durable == Durable::Now
                && steps.before(Step::SyncDirectory).and_then(|()| parent.sync()).is_ok();
            next = empty.parent();
            pruned.push(empty);
        }
        (pruned, synced)
    }
}

impl Act<'_> {
    fn delete(&self, expected: Sha256) -> Result<Done, FileError> {
        drop(self.open_expected(expected)?);
        let swap = self.hidden(LeftoverKind::Swap, 0);
        match self.rename_to_free(Step::SetAside, self.name(), &swap) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(self.moved(None, None)),
            Err(error) => return Err(self.failed(Doing::Rename)(error)),
        }
        let displaced = match self.check_displaced(&swap, expected) {
            Ok(displaced) => displaced,
            Err(unexpected) => return self.rename_back(&swap, unexpected),
        };
        let mut done = Done::new(Guard::Atomic);
        match self.remove_displaced(&swap, displaced, None, &mut done) {
            Removal::Done => Ok(done),
            Removal::Written(unexpected) => self.rename_back(&swap, unexpected),
        }
    }

    /// Puts somebody else's content back in place, unless yet another file took it. Where it cannot be put back and the act
    /// holds, it is done, and what it displaced stays.
    fn rename_back(&self, swap: &[u8], unexpected: Unexpected) -> Result<Done, FileError> {
        let Unexpected { found, cause } = unexpected;
        match self.rename_to_free(Step::PutBack, swap, self.name()) {
            Ok(_) => Err(cause.map_or_else(|| self.moved(found, None), |cause| *cause)),
            Err(error) => match self.hold_unchecked(swap, None) {
                Some(held) if error.kind() != io::ErrorKind::AlreadyExists => {
                    Ok(Done { held: Some(held), ..Done::new(Guard::Atomic) })
                }
                _ => Err(self.moved(self.hash_of(self.name()).ok(), self.beside(swap))),
            },
        }
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
