//! Putting a content in place of another, or where nothing was.
//!
//! The new content is written to a hidden file beside the live one, made durable, renamed to `.swap`, and exchanged with
//! the live file in one step. What was displaced is then hashed: if it is not what the caller expected, the two are
//! exchanged back. So the check cannot be outrun by another writer.
//!
//! With [`Durable::Later`] neither the new content nor the names are made durable; the content is with the device before it
//! has a name, so that a journal that holds the name is written after it.

use crate::Doing;
use crate::act::{Act, Done, Durable, Expected, Guard, Removal, Unexpected, is_unsupported};
use crate::directory::{Directory, Stat, stat_file, write_out};
use crate::error::FileError;
use crate::held::{Aside, Held};
use crate::leftovers::LeftoverKind;
use crate::root::{Root, require_file};
use crate::steps::{Step, Steps};
use retrace_model::{Permissions, RelPath, Sha256};
use std::fs::File;
use std::io::{self, Write as _};

/// Owner read and write only.
const PRIVATE_FILE: u32 = 0o600;
/// The same for a directory.
const PRIVATE_DIRECTORY: u32 = 0o700;

impl Root {
    /// Writes `bytes` to the file at `path`, which must be as `expected`. `random` names the hidden files of this act and
    /// must differ from act to act. Missing parent directories are made when [`Expected::Absent`].
    ///
    /// The file keeps its mode, and as far as possible its owner and extended attributes. Further hard links to it keep
    /// the old content. A new file is as readable as its directory, less the process's mask.
    ///
    /// # Errors
    /// [`FileError::Moved`] when the live file is not as expected. On any error the live file is what it was, or what
    /// somebody else made it.
    pub fn replace(
        &self,
        path: &RelPath,
        expected: Expected,
        bytes: &[u8],
        random: u64,
        steps: &dyn Steps,
    ) -> Result<Done, FileError> {
        match expected {
            Expected::Hash(hash) => self.exchange(path, hash, bytes, Modes::AsIs, random, steps),
            Expected::Absent => self.place(path, bytes, Modes::AsIs, random, steps),
        }
    }

    /// As [`Root::replace`] of a content, but the file has mode 0600 afterwards.
    ///
    /// # Errors
    /// As [`Root::replace`].
    pub fn replace_private(
        &self,
        path: &RelPath,
        expected: Sha256,
        bytes: &[u8],
        random: u64,
        steps: &dyn Steps,
    ) -> Result<Done, FileError> {
        self.exchange(path, expected, bytes, Modes::Private, random, steps)
    }

    /// As [`Root::replace`] of a content, but the file has these permissions afterwards, where they are known: what was readable by
    /// few is not put into a file that many may read.
    ///
    /// # Errors
    /// As [`Root::replace`].
    pub fn replace_with(
        &self,
        path: &RelPath,
        expected: Sha256,
        bytes: &[u8],
        permissions: &Permissions,
        random: u64,
        steps: &dyn Steps,
    ) -> Result<Done, FileError> {
        self.exchange(path, expected, bytes, Modes::As(permissions), random, steps)
    }

    fn exchange(
        &self,
        path: &RelPath,
        hash: Sha256,
        bytes: &[u8],
        modes: Modes<'_>,
        random: u64,
        steps: &dyn Steps,
    ) -> Result<Done, FileError> {
        let expected = Expected::Hash(hash);
        let directory = match self.parent_of(path) {
            Err(FileError::Missing { .. }) => {
                return Err(FileError::Moved { path: path.clone(), expected, found: None, kept: None });
            }
            opened => opened?,
        };
        directory.mark_busy();
        let (durable, holding) = (self.durable, self.holding);
        Act { directory: &directory, path, expected, random, durable, holding, steps }
            .replace(hash, bytes, modes)
    }

    /// Writes `bytes` to a new file at `path`, readable by nobody else whatever its directory allows: mode 0600, and 0700
    /// for missing parent directories, the process's mask not applied. Otherwise as [`Root::replace`] with
    /// [`Expected::Absent`].
    ///
    /// # Errors
    /// [`FileError::Moved`], [`FileError::IsDirectory`], [`FileError::Link`] or [`FileError::NotAFile`] when something
    /// stands at `path`. On any error there is no new file.
    pub fn create_private(
        &self,
        path: &RelPath,
        bytes: &[u8],
        random: u64,
        steps: &dyn Steps,
    ) -> Result<Done, FileError> {
        self.place(path, bytes, Modes::Private, random, steps)
    }

    /// Writes `bytes` to a new file at `path` with these permissions, the process's mask not applied, and makes missing parent
    /// directories with theirs; where they are not known, as [`Root::replace`] with [`Expected::Absent`]. Never gives more
    /// than they say: set-id bits of the file are left out, and the owner always keeps the use of a directory.
    ///
    /// # Errors
    /// As [`Root::create_private`].
    pub fn create_with(
        &self,
        path: &RelPath,
        bytes: &[u8],
        permissions: &Permissions,
        random: u64,
        steps: &dyn Steps,
    ) -> Result<Done, FileError> {
        self.place(path, bytes, Modes::As(permissions), random, steps)
    }

    /// Makes the directories on the way to `path` that are missing, mode 0700, the process's mask not applied.
    ///
    /// # Errors
    /// [`FileError::BelowAFile`] or [`FileError::Link`] when something else is on the way. On any error there are no new
    /// directories.
    pub fn make_private_parents(&self, path: &RelPath, steps: &dyn Steps) -> Result<Vec<RelPath>, FileError> {
        let mut made = Vec::new();
        match self.make_parents(path, Modes::Private, steps, &mut made) {
            Ok(_) => Ok(made),
            Err(error) => {
                self.remove_made(&made);
                Err(error)
            }
        }
    }

    fn place(
        &self,
        path: &RelPath,
        bytes: &[u8],
        modes: Modes<'_>,
        random: u64,
        steps: &dyn Steps,
    ) -> Result<Done, FileError> {
        let mut made = Vec::new();
        let placed = self.make_parents(path, modes, steps, &mut made).and_then(|directory| {
            directory.mark_busy();
            let (expected, durable, holding) = (Expected::Absent, self.durable, self.holding);
            Act { directory: &directory, path, expected, random, durable, holding, steps }.place(bytes, modes)
        });
        match placed {
            Ok(mut done) => {
                done.held = done.held.map(|held| held.with_directories(made.clone()));
                Ok(Done { made_directories: made, ..done })
            }
            Err(error) => {
                self.remove_made(&made);
                Err(error)
            }
        }
    }

    /// Opens the directory `path` stands in and makes what is missing on the way; says in `made` what that was.
    fn make_parents(
        &self,
        path: &RelPath,
        modes: Modes<'_>,
        steps: &dyn Steps,
        made: &mut Vec<RelPath>,
    ) -> Result<Directory, FileError> {
        let failed = |error| FileError::new(path, Doing::MakeDirectory, error);
        let mut directory = self.top.reopen().map_err(failed)?;
        let Some(parent) = path.parent() else { return Ok(directory) };
        let mut at: Option<RelPath> = None;
        for (depth, name) in parent.components().enumerate() {
            let next = at.as_ref().map_or_else(|| RelPath::from_bytes(name), |at| at.join(name));
            let next = next.expect("a leading part of a valid path is a valid path");
            let child = match directory.open_child(name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    steps.before(Step::MakeDirectory).map_err(failed)?;
                    if make_directory(&directory, (depth, name), modes).map_err(failed)? {
                        made.push(next.clone());
                        if self.durable == Durable::Now {
                            steps
                                .before(Step::SyncDirectory)
                                .and_then(|()| directory.sync())
                                .map_err(failed)?;
                        }
                    }
                    directory.open_child(name)
                }
                opened => opened,
            };
            directory = child.map_err(failed)?;
            at = Some(next);
        }
        Ok(directory)
    }

    /// Takes back directories made for an act that failed or is taken back, given from the top. Those somebody else put
    /// something into stay.
    pub fn remove_made(&self, made: &[RelPath]) {
        for path in made.iter().rev() {
            let removed = self.parent_of(path).map(|parent| parent.remove_directory(path.file_name()));
            if !matches!(removed, Ok(Ok(()))) {
                return;
            }
        }
    }
}

/// Permissions of a file or directory afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Modes<'p> {
    /// As before; where it is new, what its directory allows, less the process's mask.
    AsIs,
    /// Nothing.
    Private,
    /// What they were before it was removed.
    As(&'p Permissions),
}

impl Modes<'_> {
    /// Bits that a new file has whatever the process's mask says; `None` where the mask is applied.
    fn of_file(self) -> Option<u32> {
        match self {
            Self::AsIs => None,
            Self::Private => Some(PRIVATE_FILE),
            Self::As(permissions) => permissions.file.map(|mode| mode & 0o777),
        }
    }

    /// The same for a new directory that lies so many directories below the root.
    fn of_directory(self, depth: usize) -> Option<u32> {
        match self {
            Self::AsIs => None,
            Self::Private => Some(PRIVATE_DIRECTORY),
            // Without the owner's own rights nothing could be put into it.
            Self::As(permissions) => {
                permissions.directories.get(depth).map(|mode| (mode & 0o3777) | PRIVATE_DIRECTORY)
            }
        }
    }
}

/// Makes the directory `name`. `false` when somebody else just made it.
fn make_directory(parent: &Directory, (depth, name): (usize, &[u8]), modes: Modes<'_>) -> io::Result<bool> {
    let like = parent.stat_self()?;
    let exactly = modes.of_directory(depth);
    // Until it has its own permissions nobody else may use it.
    match parent.create_directory(name, exactly.map_or(like.mode & 0o777, |_| PRIVATE_DIRECTORY)) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(error),
    }
    #[cfg(unix)]
    if let Ok(made) = parent.open_file(name) {
        // Best effort: a command run as another user should not leave directories the owner cannot use.
        let _ = crate::attributes::give_owner(&made, like.owner, like.group);
        if let Some(mode) = exactly {
            // A mask that takes the owner's own rights away would leave a directory nobody can use.
            let _ = crate::attributes::set_mode(&made, mode);
        }
    }
    Ok(true)
}

impl Act<'_> {
    fn place(&self, bytes: &[u8], modes: Modes<'_>) -> Result<Done, FileError> {
        match self.directory.stat(self.name()) {
            Ok(stat) => return Err(self.taken(&stat)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(self.failed(Doing::Stat)(error)),
        }
        let like = self.directory.stat_self().map_err(self.failed(Doing::Stat))?;
        let exactly = modes.of_file();
        let mode = exactly.map_or(like.mode & 0o666, |_| PRIVATE_FILE);
        let (new, file) = self.write_new(bytes, mode, |file| {
            #[cfg(unix)]
            {
                // Best effort, as for directories.
                let _ = crate::attributes::give_owner(file, like.owner, like.group);
                if let Some(mode) = exactly {
                    let _ = crate::attributes::set_mode(file, mode);
                }
            }
            #[cfg(not(unix))]
            let _ = file;
            Ok(())
        })?;
        match self.rename_to_free(Step::Exchange, &new, self.name()) {
            Ok(guard) => {
                let mut done = self.in_place(guard, &file);
                done.synced = self.sync_names();
                done.held = self.holding.then(|| Held::created(self.path, Sha256::of(bytes)));
                Ok(done)
            }
            Err(error) => {
                self.forget(&new);
                match self.directory.stat(self.name()) {
                    Ok(stat) if error.kind() == io::ErrorKind::AlreadyExists => Err(self.taken(&stat)),
                    _ => Err(self.failed(Doing::Rename)(error)),
                }
            }
        }
    }

    /// The error that says what stands where nothing was expected.
    fn taken(&self, stat: &Stat) -> FileError {
        match require_file(self.path, stat) {
            Ok(()) => self.moved(self.hash_of(self.name()).ok(), None),
            Err(error) => error,
        }
    }

    fn replace(&self, expected: Sha256, bytes: &[u8], modes: Modes<'_>) -> Result<Done, FileError> {
        let (live, stat) = self.open_expected(expected)?;
        let mut like = Done::new(Guard::Atomic);
        let (new, file) = self.write_new(bytes, 0o600, |file| {
            #[cfg(unix)]
            {
                let kept = crate::attributes::copy(&live, &stat, file)?;
                like.owner_kept = kept.owner;
                like.attributes_lost = kept.attributes_lost;
                if let Some(mode) = modes.of_file() {
                    crate::attributes::set_mode(file, mode)?;
                }
            }
            #[cfg(not(unix))]
            let _ = (&live, &stat, file, modes, &mut like);
            Ok(())
        })?;
        drop(live);
        let swap = self.name_swap(&new)?;
        let done = match self.step(Step::Exchange, || self.directory.exchange(&swap, self.name())) {
            Ok(()) => self.finish(&swap, expected, Sha256::of(bytes), &file)?,
            Err(error) if is_unsupported(&error) => {
                self.check_then_rename(&swap, expected, Sha256::of(bytes), &file)?
            }
            Err(error) => {
                self.forget(&swap);
                let vanished = error.kind() == io::ErrorKind::NotFound;
                return Err(if vanished {
                    self.moved(None, None)
                } else {
                    self.failed(Doing::Exchange)(error)
                });
            }
        };
        Ok(Done { owner_kept: like.owner_kept, attributes_lost: like.attributes_lost, ..done })
    }

    /// Writes `bytes` to a `.new` file, lets `dress` give it its attributes, and waits until it is on the disk, or,
    /// where that is left to the caller, until its content is with the device.
    fn write_new(
        &self,
        bytes: &[u8],
        mode: u32,
        dress: impl FnOnce(&File) -> io::Result<()>,
    ) -> Result<(Vec<u8>, File), FileError> {
        let (new, mut file) = self
            .step(Step::WriteTemporary, || self.create_hidden(LeftoverKind::New, mode))
            .map_err(self.failed(Doing::Create))?;
        let written = file
            .write_all(bytes)
            .and_then(|()| self.step(Step::CopyAttributes, || dress(&file)))
            .and_then(|()| match self.durable {
                Durable::Now => self.step(Step::SyncTemporary, || file.sync_all()),
                Durable::Later => self.step(Step::WriteOut, || write_out(&file, bytes)),
            });
        match written {
            Ok(()) => Ok((new, file)),
            Err(error) => {
                self.forget(&new);
                Err(self.failed(Doing::Write)(error))
            }
        }
    }

    /// From now on the hidden file may hold somebody's content: says so by its name.
    fn name_swap(&self, new: &[u8]) -> Result<Vec<u8>, FileError> {
        let swap = self.hidden(LeftoverKind::Swap, 0);
        match self.rename_to_free(Step::NameSwap, new, &swap) {
            Ok(_) => Ok(swap),
            Err(error) => {
                self.forget(new);
                Err(self.failed(Doing::Rename)(error))
            }
        }
    }

    /// After the exchange: the new content is live, and `swap` is whatever was there.
    fn finish(&self, swap: &[u8], expected: Sha256, ours: Sha256, file: &File) -> Result<Done, FileError> {
        let displaced = match self.check_displaced(swap, expected) {
            Ok(displaced) => displaced,
            Err(unexpected) => {
                let done = self.in_place(Guard::Atomic, file);
                return self.exchange_back(swap, ours, unexpected, done);
            }
        };
        let mut done = self.in_place(Guard::Atomic, file);
        match self.remove_displaced(swap, displaced, Some(ours), &mut done) {
            Removal::Done => Ok(done),
            Removal::Written(unexpected) => self.exchange_back(swap, ours, unexpected, done),
        }
    }

    /// Puts somebody else's content back in place. If yet another edit took the place of ours meanwhile, that newest edit
    /// goes back instead and the other one is kept. Where it cannot be put back and the act holds, it is done, and what it
    /// displaced stays.
    fn exchange_back(
        &self,
        swap: &[u8],
        ours: Sha256,
        unexpected: Unexpected,
        mut done: Done,
    ) -> Result<Done, FileError> {
        let Unexpected { found, cause } = unexpected;
        let exchanged = self.step(Step::PutBack, || self.directory.exchange(swap, self.name()));
        if exchanged.is_err() {
            done.held = self.hold_unchecked(swap, Some(ours));
            return if done.held.is_some() { Ok(done) } else { Err(self.moved(found, self.beside(swap))) };
        }
        let newest = self.hash_of(swap);
        if matches!(&newest, Ok(hash) if *hash == ours) {
            self.forget(swap);
            return Err(cause.map_or_else(|| self.moved(found, None), |cause| *cause));
        }
        // Whatever this displaces is kept too, so it needs no check.
        let _ = self.directory.exchange(swap, self.name());
        Err(self.moved(newest.ok(), self.beside(swap)))
    }

    /// Where two files cannot be exchanged in one step: compares once more and renames at once.
    fn check_then_rename(
        &self,
        swap: &[u8],
        expected: Sha256,
        ours: Sha256,
        file: &File,
    ) -> Result<Done, FileError> {
        let aside = match self.holding.then(|| self.hold_before_rename(expected)).transpose() {
            Ok(aside) => aside,
            Err(error) => {
                self.forget(swap);
                return Err(error);
            }
        };
        let checked = self
            .steps
            .before(Step::CheckDisplaced)
            .map_err(self.failed(Doing::Compare))
            .and_then(|()| self.open_expected(expected))
            .and_then(|_| self.directory.rename(swap, self.name()).map_err(self.failed(Doing::Rename)));
        if let Err(error) = checked {
            self.forget(swap);
            if let Some(Aside::File { name, .. }) = &aside {
                self.forget(name);
            }
            return Err(error);
        }
        let mut done = self.in_place(Guard::CheckThenRename, file);
        done.synced = self.sync_names();
        let synced = done.synced || self.durable == Durable::Later;
        done.held = aside.map(|aside| Held::displacing(self.path, Some(ours), aside, synced));
        Ok(done)
    }

    fn in_place(&self, guard: Guard, file: &File) -> Done {
        Done { seen: stat_file(file).ok().map(|stat| stat.seen), ..Done::new(guard) }
    }

    /// Removes a hidden file that holds nothing but our own content. If that fails it is found as a leftover.
    fn forget(&self, name: &[u8]) {
        let _ = self.directory.remove_file(name);
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
