//! Changes that are in the log and on their way to the disk.
//!
//! A call of the memory tool is answered when the log has it. Where the file system keeps the order of what is done
//! ([`Root::keeps_order`]), the file itself is left to get to the disk afterwards: a thread waits for that, some calls at a
//! time. Until then the log says so of the versions. If the machine stops before that, files may be as they were before, and
//! the first scan of the store after the next start makes them what the log says.

mod pace;
mod recovery;

use crate::background::{Background, Next, Shared};
use crate::engine::{Engine, lock};
use crate::wire::ApiError;
use pace::Pace;
use retrace_files::Root;
use retrace_log::{Act, StoreRow};
use retrace_model::{RelPath, StoreId};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};
use std::time::Instant;

/// Deferral of flushes: which changes of the memory tool may be answered before their file is on the disk, and who
/// waits for it then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flushing {
    /// In which directories.
    pub defer: Defer,
    /// True if threads do afterwards what nobody has to wait for: flushing, and moving the write-ahead log into the
    /// database. Otherwise [`crate::App::flush`] and dropping the app flush, and a commit now and then moves all of it.
    pub in_background: bool,
}

/// In which directories a change may be answered before its file is on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defer {
    /// In none.
    Nowhere,
    /// Where the file system keeps the order of what is done.
    WhereOrderIsKept,
    /// In all, which is for tests: a power failure could take more than the change.
    Everywhere,
}

impl Flushing {
    /// Settings of the program.
    pub const IN_BACKGROUND: Self = Self { defer: Defer::WhereOrderIsKept, in_background: true };
    /// Every call waits for its file.
    pub const AT_ONCE: Self = Self { defer: Defer::Nowhere, in_background: false };
}

/// Name of this boot of the machine; `None` where the system has no name for it.
pub(crate) fn this_boot() -> Option<String> {
    #[cfg(target_os = "linux")]
    {
        let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// Changes of one call.
pub struct Changed {
    /// The store's directory.
    pub root: PathBuf,
    /// Every path it wrote or emptied.
    pub paths: Vec<RelPath>,
    /// Places of its versions in the log.
    pub seqs: Vec<u64>,
}

/// Changes on their way to the disk, and the thread that waits for it.
#[derive(Default)]
pub(crate) struct Flusher {
    background: Background<State>,
    /// Stores of which nothing is left that another boot, or a process that is gone, did not flush.
    caught_up: Mutex<HashSet<StoreId>>,
    /// Held while files are waited for, so that who comes later finds what is noted to be done.
    flushing: Mutex<()>,
}

#[derive(Default)]
struct State {
    waiting: Vec<Changed>,
    /// On the disk, while the log says still that they may not be.
    flushed: Vec<u64>,
    pace: Pace,
}

impl State {
    fn due(&self) -> Option<Instant> {
        self.pace.due(!self.waiting.is_empty(), !self.flushed.is_empty())
    }
}

impl Engine {
    /// Boot to note with changes to this directory when they are answered before they are on the disk; `None` when they
    /// must not be.
    pub fn defers(&self, root: &Root) -> Option<&str> {
        let boot = self.options.boot.as_deref()?;
        let may = match self.options.flushing.defer {
            Defer::Nowhere => false,
            Defer::WhereOrderIsKept => root.keeps_order(),
            Defer::Everywhere => true,
        };
        may.then_some(boot)
    }

    /// Takes over a change that is in the log.
    pub fn flush_later(self: &Arc<Self>, changed: Changed) {
        let was_empty = self.flusher.background.with(|state| {
            state.pace.wrote(Instant::now());
            state.waiting.push(changed);
            state.waiting.len() == 1
        });
        if !self.options.flushing.in_background || !was_empty {
            return;
        }
        let inner = Arc::downgrade(self);
        let runs =
            self.flusher.background.wake("retrace-flush", move |shared| flush_in_background(shared, &inner));
        if !runs {
            // No thread is available: then now.
            self.flush_waiting();
        }
    }

    /// Notes in a transaction under way what got to the disk meanwhile; answers what, for [`Engine::still_to_note`] if the
    /// transaction does not come about.
    pub fn note_flushed(&self, act: &mut Act<'_>) -> Result<Vec<u64>, ApiError> {
        let flushed = self.flusher.background.with(|state| std::mem::take(&mut state.flushed));
        match act.note_flushed(&flushed) {
            Ok(()) => Ok(flushed),
            Err(error) => {
                self.still_to_note(flushed);
                Err(error.into())
            }
        }
    }

    /// The transaction that noted these did not come about.
    pub fn still_to_note(&self, flushed: Vec<u64>) {
        self.flusher.background.with(|state| state.flushed.extend(flushed));
    }

    /// Waits until what calls changed so far is on the disk. What cannot be waited for stays noted in the log, and the first
    /// look of the next process tries again.
    fn flush_waiting(&self) {
        let _one_at_a_time = lock(&self.flusher.flushing);
        let waiting = self.flusher.background.with(|state| {
            state.pace.began();
            std::mem::take(&mut state.waiting)
        });
        let mut by_root: BTreeMap<PathBuf, Vec<Changed>> = BTreeMap::new();
        for changed in waiting {
            by_root.entry(changed.root.clone()).or_default().push(changed);
        }
        for (root, mut changes) in by_root {
            // They come in order, save those that several threads handed over at the same moment.
            changes.sort_by_key(|changed| changed.seqs.iter().max().copied());
            let flushed = Root::open_there(&root).is_ok_and(|root| {
                // Ordered changes are on the disk when the last is: one wait for all of them.
                let needed = if root.keeps_order() { changes.len().saturating_sub(1) } else { 0 };
                let paths: BTreeSet<&RelPath> =
                    changes.iter().skip(needed).flat_map(|changed| &changed.paths).collect();
                root.flush(paths).is_ok()
            });
            if flushed {
                let seqs = changes.into_iter().flat_map(|changed| changed.seqs);
                self.flusher.background.with(|state| state.flushed.extend(seqs));
            }
        }
    }

    /// Notes in a transaction of its own what got to the disk.
    fn note_all_flushed(&self) -> Result<(), ApiError> {
        if self.flusher.background.with(|state| state.flushed.is_empty()) {
            return Ok(());
        }
        let mut noted = Vec::new();
        let written = self.write(|act| {
            noted = self.note_flushed(act)?;
            Ok(())
        });
        if written.is_err() {
            self.still_to_note(noted);
        }
        written
    }

    /// Waits until everything is on the disk, and notes it.
    pub fn flush_now(&self) -> Result<(), ApiError> {
        self.flush_waiting();
        self.note_all_flushed()
    }

    /// Ends the thread, and does what it had left to do.
    pub(crate) fn stop_flushing(&self) {
        self.flusher.background.stop();
        // Not lost if it fails: the log says of which versions it is not known.
        drop(self.flush_now());
    }

    /// True if nothing is left of a store for [`Engine::catch_up`].
    pub(crate) fn is_caught_up(&self, store: StoreId) -> bool {
        lock(&self.flusher.caught_up).contains(&store)
    }

    /// Sees to what was on its way to the disk when another boot, or a process that is gone, ended. To be called before
    /// anything is compared with the disk, and not within a transaction. Of a directory that is away it waits for its return.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn catch_up(&self, store: &StoreRow) -> Result<(), ApiError> {
        if !store.has_directory() || self.is_caught_up(store.id) {
            return Ok(());
        }
        let left = !self.read(|reader| Ok(reader.unflushed(store.id)?))?.is_empty();
        if left {
            let Ok(root) = self.store_root(store) else { return Ok(()) };
            if !self.write(|act| self.recover_unflushed(act, store.id, &root))? {
                return Ok(());
            }
        }
        lock(&self.flusher.caught_up).insert(store.id);
        Ok(())
    }

    /// As [`Engine::catch_up`], within a transaction.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn catch_up_within(&self, act: &mut Act<'_>, store: StoreId, root: &Root) -> Result<(), ApiError> {
        if !self.is_caught_up(store) && !act.reader().unflushed(store)?.is_empty() {
            self.recover_unflushed(act, store, root)?;
        }
        Ok(())
    }

    /// Waits, within a transaction, until everything the log has of a store is on the disk: what is to be taken out of the
    /// log must not reappear on the disk when the machine stops.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn flush_store(&self, act: &mut Act<'_>, store: &StoreRow) -> Result<(), ApiError> {
        if store.has_directory()
            && !act.reader().unflushed(store.id)?.is_empty()
            && let Ok(root) = self.store_root(store)
        {
            self.recover_unflushed(act, store.id, &root)?;
        }
        Ok(())
    }
}

fn flush_in_background(shared: &Shared<State>, inner: &Weak<Engine>) {
    let due = |state: &mut State| {
        let now = Instant::now();
        match state.due() {
            None => Next::Nothing,
            Some(due) if now < due => Next::At(due),
            Some(_) => Next::Work(state.pace.is_quiet(now)),
        }
    };
    while let Some(quiet) = shared.next(due) {
        let Some(inner) = inner.upgrade() else { return };
        inner.flush_waiting();
        // While calls go on, the next one notes it: a commit of its own would keep that waiting.
        if quiet && inner.note_all_flushed().is_err() {
            shared.with(|state| state.pace.rest());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_is_due_while_files_wait_or_are_to_be_noted() {
        let mut state = State::default();
        state.pace.wrote(Instant::now());
        assert_eq!(state.due(), None);
        state.flushed.push(1);
        let to_note = state.due().expect("there is something to note");
        state.waiting.push(Changed { root: PathBuf::new(), paths: Vec::new(), seqs: vec![2] });
        assert_eq!(state.due(), Some(to_note), "after the same quiet");
        state.flushed.clear();
        assert_eq!(state.due(), Some(to_note));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_boot_has_one_name() {
        let name = this_boot().expect("Linux names its boots");
        let is_of_a_name = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
        assert!(name.len() == 36 && name.bytes().all(is_of_a_name), "{name}");
        assert_eq!(this_boot(), Some(name));
    }
}
