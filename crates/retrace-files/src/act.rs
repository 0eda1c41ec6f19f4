//! Common parts of replacing and deleting: the expectation, the hidden files, the check of what was displaced.

use crate::Doing;
use crate::directory::{Directory, Stat, stat_file};
use crate::error::FileError;
use crate::held::Held;
use crate::leftovers::LeftoverKind;
use crate::names;
use crate::read::{open_regular, read_open};
use crate::steps::{Step, Steps};
use retrace_model::{RelPath, Seen, Sha256};
use std::fs::File;
use std::io;

/// State that a caller expects at the path it writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Nothing.
    Absent,
    /// A file with this content.
    Hash(Sha256),
}

/// Protection of an edit made by somebody else at the very same moment was protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// In full: the live file was set aside in one step and compared afterwards.
    Atomic,
    /// All but the instant between comparing and renaming, because the file system cannot exchange two files in one step.
    CheckThenRename,
}

/// When what an act changed is to be on the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durable {
    /// Before the act is done.
    #[default]
    Now,
    /// When the caller calls [`crate::Root::flush`]. Until then a power failure may take the change back, as if it had not
    /// been made. Where [`crate::Root::keeps_order`], it takes nothing else: the live file is entirely old or entirely new.
    Later,
}

/// Result of an act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// Protection of a simultaneous edit.
    pub guard: Guard,
    /// File system data of the file now in place; `None` after deleting.
    pub seen: Option<Seen>,
    /// Parent directories that had to be made, from the top.
    pub made_directories: Vec<RelPath>,
    /// Directories removed because they became empty, from the bottom.
    pub removed_directories: Vec<RelPath>,
    /// `false` when the file now belongs to another owner or group than before.
    pub owner_kept: bool,
    /// Names of extended attributes (access control lists are among them) that could not be kept.
    pub attributes_lost: Vec<String>,
    /// `false` when the system did not confirm that the change would survive a power failure, or was not asked, with
    /// [`Durable::Later`].
    pub synced: bool,
    /// The hidden file that still holds the old content because it could not be removed.
    pub leftover: Option<RelPath>,
    /// The hidden file that holds what a program wrote into the old file after it had been displaced: record it, then
    /// discard it.
    pub kept: Option<RelPath>,
    /// Handle to take the act back, where the root holds.
    pub held: Option<Held>,
}

impl Done {
    pub(crate) fn new(guard: Guard) -> Self {
        Self {
            guard,
            seen: None,
            made_directories: Vec::new(),
            removed_directories: Vec::new(),
            owner_kept: true,
            attributes_lost: Vec::new(),
            synced: true,
            leftover: None,
            kept: None,
            held: None,
        }
    }
}

/// One act on one file.
pub(crate) struct Act<'a> {
    pub directory: &'a Directory,
    pub path: &'a RelPath,
    pub expected: Expected,
    pub random: u64,
    pub durable: Durable,
    pub holding: bool,
    pub steps: &'a dyn Steps,
}

/// Displaced content that is not what was expected.
pub(crate) struct Unexpected {
    pub found: Option<Sha256>,
    /// Why there is no hash.
    pub cause: Option<Box<FileError>>,
}

/// Displaced content as it was when it was compared.
pub(crate) struct Displaced {
    file: File,
    seen: Seen,
}

/// Fate of displaced content that was as expected.
pub(crate) enum Removal {
    Done,
    /// It was written to in the meantime and still has its hidden name.
    Written(Unexpected),
}

impl Act<'_> {
    pub(crate) fn name(&self) -> &[u8] {
        self.path.file_name()
    }

    pub(crate) fn hidden(&self, kind: LeftoverKind, attempt: u64) -> Vec<u8> {
        names::hidden(self.name(), self.random.wrapping_add(attempt), kind)
    }

    pub(crate) fn beside(&self, name: &[u8]) -> Option<RelPath> {
        names::beside(self.path, name)
    }

    pub(crate) fn failed(&self, doing: Doing) -> impl Fn(io::Error) -> FileError + use<'_> {
        move |error| FileError::new(self.path, doing, error)
    }

    pub(crate) fn moved(&self, found: Option<Sha256>, kept: Option<RelPath>) -> FileError {
        FileError::Moved { path: self.path.clone(), expected: self.expected, found, kept }
    }

    /// Takes `step`, unless it is to fail.
    pub(crate) fn step<T>(&self, step: Step, take: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        self.steps.before(step)?;
        take()
    }

    /// Opens the live file when its content is `expected`: ordinary conflicts end here and touch nothing.
    pub(crate) fn open_expected(&self, expected: Sha256) -> Result<(File, Stat), FileError> {
        let (mut file, stat) = match open_regular(self.directory, self.path, self.name()) {
            Err(FileError::Missing { .. }) => return Err(self.moved(None, None)),
            opened => opened?,
        };
        let found = read_open(&mut file, self.path, 0)?.sha256;
        if found == expected { Ok((file, stat)) } else { Err(self.moved(Some(found), None)) }
    }

    /// The hash of the regular file `name`.
    pub(crate) fn hash_of(&self, name: &[u8]) -> Result<Sha256, FileError> {
        let (mut file, _) = open_regular(self.directory, self.path, name)?;
        Ok(read_open(&mut file, self.path, 0)?.sha256)
    }

    /// Compares what now stands at the hidden name `swap` with `expected`.
    pub(crate) fn check_displaced(&self, swap: &[u8], expected: Sha256) -> Result<Displaced, Unexpected> {
        let checked = self
            .steps
            .before(Step::CheckDisplaced)
            .map_err(self.failed(Doing::Compare))
            .and_then(|()| open_regular(self.directory, self.path, swap))
            .and_then(|(mut file, _)| read_open(&mut file, self.path, 0).map(|content| (file, content)));
        match checked {
            Ok((file, content)) if content.sha256 == expected => Ok(Displaced { file, seen: content.seen }),
            Ok((_, content)) => Err(Unexpected { found: Some(content.sha256), cause: None }),
            Err(cause) => Err(Unexpected { found: None, cause: Some(Box::new(cause)) }),
        }
    }

    /// Waits until the names are on the disk, unless that is left to the caller; whether they are.
    pub(crate) fn sync_names(&self) -> bool {
        self.durable == Durable::Now && self.step(Step::SyncDirectory, || self.directory.sync()).is_ok()
    }

    /// Removes displaced content that was as expected, once the names are on the disk and if nobody wrote to it since.
    /// Where the root holds, it stays until the caller lets go. `placed` is what is live now.
    pub(crate) fn remove_displaced(
        &self,
        swap: &[u8],
        mut displaced: Displaced,
        placed: Option<Sha256>,
        done: &mut Done,
    ) -> Removal {
        if self.durable == Durable::Later {
            done.synced = false;
        } else if self.step(Step::SyncDirectory, || self.directory.sync()).is_err() {
            // Without that, removing the old content could be all that survives a power failure.
            done.synced = false;
            if self.holding {
                done.held = Some(self.hold(swap, displaced.seen, placed, false));
            } else {
                done.leftover = self.beside(swap);
            }
            return Removal::Done;
        }
        if displaced.was_written() {
            let found = read_open(&mut displaced.file, self.path, 0).ok().map(|content| content.sha256);
            return Removal::Written(Unexpected { found, cause: None });
        }
        if self.holding {
            done.held = Some(self.hold(swap, displaced.seen, placed, true));
            return Removal::Done;
        }
        if self.step(Step::Unlink, || self.directory.remove_file(swap)).is_err() {
            done.leftover = self.beside(swap);
        } else if displaced.was_written() {
            done.kept = self.keep_written(&mut displaced.file);
        }
        Removal::Done
    }

    /// Copies what was written into a file that has no name any more to a hidden file.
    fn keep_written(&self, file: &mut File) -> Option<RelPath> {
        let bytes = read_open(file, self.path, u64::MAX).ok()?.bytes?;
        let (name, mut copy) = self.create_hidden(LeftoverKind::Swap, 0o600).ok()?;
        io::Write::write_all(&mut copy, &bytes).and_then(|()| copy.sync_all()).ok()?;
        self.beside(&name)
    }

    /// Makes a hidden file under a name nobody has.
    pub(crate) fn create_hidden(&self, kind: LeftoverKind, mode: u32) -> io::Result<(Vec<u8>, File)> {
        // The random number is the caller's; a few names on from it are as good.
        const NAMES: u64 = 8;
        let mut attempt = 0;
        loop {
            let name = self.hidden(kind, attempt);
            match self.directory.create_file(&name, mode) {
                Ok(file) => return Ok((name, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < NAMES => attempt += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Renames `from` to `to` as this `step`, unless `to` is taken, which is the error `AlreadyExists`.
    pub(crate) fn rename_to_free(&self, step: Step, from: &[u8], to: &[u8]) -> io::Result<Guard> {
        match self.step(step, || self.directory.rename_to_free(from, to)) {
            Ok(()) => return Ok(Guard::Atomic),
            Err(error) if !is_unsupported(&error) => return Err(error),
            Err(_) => {}
        }
        // A second name cannot be given to a name that is taken either.
        match self.directory.link(from, to) {
            Ok(()) => return self.directory.remove_file(from).map(|()| Guard::Atomic),
            Err(error) if matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound) => {
                return Err(error);
            }
            Err(_) => {}
        }
        match self.directory.stat(to) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.directory.rename(from, to).map(|()| Guard::CheckThenRename)
            }
            Err(error) => Err(error),
        }
    }
}

impl Displaced {
    /// Size and modification time are compared; the change time moves with every rename.
    fn was_written(&self) -> bool {
        !stat_file(&self.file).is_ok_and(|now| {
            now.seen.size == self.seen.size && now.seen.modified_nanos == self.seen.modified_nanos
        })
    }
}

/// The call, or this use of it, does not exist here.
pub(crate) fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}
