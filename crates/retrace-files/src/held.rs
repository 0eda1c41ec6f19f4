//! Content that an act displaced, kept beside the live file until the caller has it elsewhere for good, or takes the act back.
//!
//! A caller that records what it does can fail to: its disk may be full. An act that holds keeps what it displaced under its
//! hidden name, so that taking it back is a rename: it needs no space, and owner, mode, attributes and times are what
//! they were.

use crate::Doing;
use crate::act::{Act, Expected, is_unsupported};
use crate::directory::{Directory, Sort};
use crate::error::FileError;
use crate::leftovers::LeftoverKind;
use crate::names;
use crate::root::Root;
use crate::steps::{Step, Steps};
use retrace_model::{RelPath, Seen, Sha256};
use std::io;

/// An act that is done and can still be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    path: RelPath,
    /// The content that is in place now; `None` after deleting.
    placed: Option<Sha256>,
    /// Content before; `None` where there was nothing.
    displaced: Option<Aside>,
    /// Directories made for it, from the top.
    made: Vec<RelPath>,
    /// True if directories that became empty go as well, when the caller lets go.
    prune: bool,
    /// True if what is live is on the disk for sure: until it is, the old content stays.
    synced: bool,
}

/// Where displaced content is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Aside {
    /// In the hidden file of this name.
    File { name: Vec<u8>, seen: Seen },
    /// Here, because the file system gives a file no second name.
    Bytes(Vec<u8>),
}

/// Result of letting go of an act.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LetGo {
    /// The hidden file that still holds the old content, or what a program wrote into it after it had been displaced: record
    /// it, then discard it.
    pub leftover: Option<RelPath>,
    /// Directories removed because they became empty, from the bottom.
    pub removed_directories: Vec<RelPath>,
}

impl Held {
    /// An act that put a content where nothing was.
    pub(crate) fn created(path: &RelPath, placed: Sha256) -> Self {
        Self {
            path: path.clone(),
            placed: Some(placed),
            displaced: None,
            made: Vec::new(),
            prune: false,
            synced: true,
        }
    }

    /// An act that displaced a content.
    pub(crate) fn displacing(path: &RelPath, placed: Option<Sha256>, displaced: Aside, synced: bool) -> Self {
        let displaced = Some(displaced);
        Self { path: path.clone(), placed, displaced, made: Vec::new(), prune: false, synced }
    }

    pub(crate) fn with_directories(mut self, made: Vec<RelPath>) -> Self {
        self.made = made;
        self
    }

    pub(crate) fn pruning(mut self, prune: bool) -> Self {
        self.prune = prune;
        self
    }

    /// The file the act is on.
    #[must_use]
    pub fn path(&self) -> &RelPath {
        &self.path
    }
}

impl Root {
    /// From now on acts keep what they displace ([`crate::Done::held`]) until [`Root::let_go`] or [`Root::take_back`],
    /// which must come before anything else is done to the same file. A process that ends before leaves a leftover.
    pub fn set_holding(&mut self, holding: bool) {
        self.holding = holding;
    }

    /// Ends an act for good: what it displaced goes.
    #[must_use]
    pub fn let_go(&self, held: &Held, steps: &dyn Steps) -> LetGo {
        let mut gone = LetGo::default();
        if let Some(Aside::File { name, seen }) = &held.displaced {
            let removed = held.synced
                && self.parent_of(&held.path).is_ok_and(|directory| {
                    directory.mark_busy();
                    is_as_it_was(&directory, name, seen)
                        && steps.before(Step::Unlink).and_then(|()| directory.remove_file(name)).is_ok()
                });
            if !removed {
                gone.leftover = names::beside(&held.path, name);
                return gone;
            }
        }
        if held.prune {
            gone.removed_directories = self.prune(&held.path, steps).0;
        }
        gone
    }

    /// Undoes an act: the file is what it was before, or what somebody else made it since. `random` names hidden files
    /// and must differ from act to act.
    ///
    /// # Errors
    /// [`FileError::Moved`] when somebody else wrote or removed the file since: that stands. [`FileError::Missing`]
    /// when what was displaced is nowhere any more. Any other error: what the act put in place still stands.
    pub fn take_back(&self, held: &Held, random: u64, steps: &dyn Steps) -> Result<(), FileError> {
        match &held.displaced {
            None => self.take_back_new(held, random, steps),
            Some(Aside::Bytes(bytes)) => {
                let expected = held.placed.map_or(Expected::Absent, Expected::Hash);
                self.without_holding(&held.path)?
                    .replace(&held.path, expected, bytes, random, steps)
                    .map(drop)
            }
            Some(Aside::File { name, .. }) => {
                let directory = self.parent_of(&held.path)?;
                directory.mark_busy();
                let expected = held.placed.map_or(Expected::Absent, Expected::Hash);
                let (path, durable) = (&held.path, self.durable);
                Act { directory: &directory, path, expected, random, durable, holding: false, steps }
                    .put_aside_back(name, held.placed)
            }
        }
    }

    fn take_back_new(&self, held: &Held, random: u64, steps: &dyn Steps) -> Result<(), FileError> {
        let Some(placed) = held.placed else { return Ok(()) };
        self.without_holding(&held.path)?.delete(&held.path, placed, false, random, steps)?;
        self.remove_made(&held.made);
        Ok(())
    }

    /// The same directory for acts that are done at once; `path` is named where it cannot be opened again.
    ///
    /// # Errors
    /// [`FileError::Io`] when there are no more descriptors.
    pub fn without_holding(&self, path: &RelPath) -> Result<Self, FileError> {
        let top = self.top.reopen().map_err(|error| FileError::new(path, Doing::OpenDirectory, error))?;
        Ok(Self {
            path: self.path().to_owned(),
            identity: self.identity(),
            durable: self.durable,
            holding: false,
            top,
        })
    }
}

impl Act<'_> {
    /// Keeps what a holding act needs of the displaced file `swap`.
    pub(crate) fn hold(&self, swap: &[u8], seen: Seen, placed: Option<Sha256>, synced: bool) -> Held {
        Held::displacing(self.path, placed, Aside::File { name: swap.to_vec(), seen }, synced)
    }

    /// The same for a displaced file that could be neither compared nor put back; it stays when the caller lets go.
    /// `None` for an act that does not hold.
    pub(crate) fn hold_unchecked(&self, swap: &[u8], placed: Option<Sha256>) -> Option<Held> {
        let stat = self.directory.stat(swap).ok().filter(|_| self.holding)?;
        Some(self.hold(swap, stat.seen, placed, false))
    }

    /// Gives the live file a second, hidden name, before it is renamed over; where that cannot be, reads it.
    pub(crate) fn hold_before_rename(&self, expected: Sha256) -> Result<Aside, FileError> {
        // The name of the swap is taken by the new content.
        let name = self.hidden(LeftoverKind::Swap, 1);
        if self.directory.link(self.name(), &name).is_ok()
            && let Ok(stat) = self.directory.stat(&name)
        {
            if self.hash_of(&name)? == expected {
                return Ok(Aside::File { name, seen: stat.seen });
            }
            let _ = self.directory.remove_file(&name);
            return Err(self.moved(None, None));
        }
        let (mut file, _) = crate::read::open_regular(self.directory, self.path, self.name())?;
        let content = crate::read::read_open(&mut file, self.path, u64::MAX)?;
        match content.bytes {
            Some(bytes) if content.sha256 == expected => Ok(Aside::Bytes(bytes)),
            _ => Err(self.moved(Some(content.sha256), None)),
        }
    }

    /// Puts the file `swap` back in place of `placed`.
    fn put_aside_back(&self, swap: &[u8], placed: Option<Sha256>) -> Result<(), FileError> {
        let Some(ours) = placed else { return self.put_aside_to_free_name(swap) };
        match self.step(Step::PutBack, || self.directory.exchange(swap, self.name())) {
            Ok(()) => {}
            Err(error) if is_unsupported(&error) => {
                if self.hash_of(self.name())? != ours {
                    self.drop_aside(swap);
                    return Err(self.moved(None, None));
                }
                self.directory.rename(swap, self.name()).map_err(self.failed(Doing::Rename))?;
                self.sync_names();
                return Ok(());
            }
            // Somebody removed the live file, which is newer; or the displaced one is gone.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if self.directory.stat(swap).is_err() {
                    return Err(FileError::Missing { path: self.path.clone() });
                }
                self.drop_aside(swap);
                return Err(self.moved(None, None));
            }
            Err(error) => return Err(self.failed(Doing::Exchange)(error)),
        }
        match self.hash_of(swap) {
            Ok(found) if found == ours => {
                self.drop_aside(swap);
                self.sync_names();
                Ok(())
            }
            // A newer edit took the place of ours meanwhile: it goes back, and what it stands on was recorded.
            found => {
                let _ = self.directory.exchange(swap, self.name());
                Err(self.moved(found.ok(), self.beside(swap)))
            }
        }
    }

    fn put_aside_to_free_name(&self, swap: &[u8]) -> Result<(), FileError> {
        match self.rename_to_free(Step::PutBack, swap, self.name()) {
            Ok(_) => {
                self.sync_names();
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.drop_aside(swap);
                Err(self.moved(self.hash_of(self.name()).ok(), None))
            }
            Err(error) => Err(self.failed(Doing::Rename)(error)),
        }
    }

    /// Removes a hidden file whose content is known elsewhere. If that fails it is found as a leftover.
    fn drop_aside(&self, name: &[u8]) {
        let _ = self.directory.remove_file(name);
    }
}

/// True if a hidden file is the one that was set aside, not written since. The change time moves with every rename.
fn is_as_it_was(directory: &Directory, name: &[u8], seen: &Seen) -> bool {
    directory.stat(name).is_ok_and(|now| {
        now.sort == Sort::File
            && now.seen.file_id == seen.file_id
            && now.seen.size == seen.size
            && now.seen.modified_nanos == seen.modified_nanos
    })
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
