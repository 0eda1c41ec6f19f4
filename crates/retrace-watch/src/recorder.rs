//! Chooses the store to scan, when, and how much of it. Driven by wakes and a clock, both from outside.

use crate::dirty::{Debounce, Dirty};
use crate::hints::{self, Hints};
use crate::keeper::{Keeper, KeeperError, Key, Store};
use crate::presence::{self, Presence};
use crate::scan::{Readiness, Scanned, Terms, removed, scan_into};
use crate::status::{Standing, Status};
use retrace_files::{Identity, Root, Scan};
use retrace_message::{AsMessage, Message};
use retrace_model::{LeftOut, RelPath, Seen, StoreState, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Causes that wake the recorder.
#[derive(Debug)]
pub enum Wake {
    /// The system says that something happened at these absolute paths.
    Changed(Vec<PathBuf>),
    /// Somebody says that something happened at these paths of a store.
    Dirty {
        /// The store.
        store: Key,
        /// Files or directories in it.
        paths: Vec<RelPath>,
    },
    /// Events were lost: everything has to be scanned.
    Overflow,
    /// Time passed.
    Tick,
    /// Look at everything in this store now.
    Rescan(Key),
    /// From now on these are the stores to record.
    SetStores(Vec<Store>),
    /// End.
    Stop,
}

/// Times and switches; the defaults are right for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Time a path must be quiet before it is scanned. 60 ms is longer than an editor takes between truncating and
    /// writing a file, or between writing another one and renaming it, and short beside the 200 ms a person notices.
    pub debounce: Duration,
    /// Time after its first event at which a path is scanned in any case. 250 ms, because a content that stands for 300
    /// ms is promised to be seen, and a scan takes some time too.
    pub latest: Duration,
    /// Time between full scans in case events were lost. 30 s; listing a thousand files takes a few milliseconds.
    pub full_every: Duration,
    /// The same for a store without reliable events. 5 s.
    pub poll_every: Duration,
    /// Time between attempts to open a directory that is away. 1 s.
    pub away_every: Duration,
    /// True if to ask the system for events.
    pub events: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            debounce: Duration::from_millis(60),
            latest: Duration::from_millis(250),
            full_every: Duration::from_secs(30),
            poll_every: Duration::from_secs(5),
            away_every: Duration::from_secs(1),
            events: true,
        }
    }
}

/// A full scan that finds nothing is followed by a pause of at least so many times the time it took: however large
/// a store is, watching it idle costs less than half a percent of one core, or two percent where events are unreliable.
const PAUSE_FACTOR: u32 = 200;
const POLL_PAUSE_FACTOR: u32 = 50;

/// A file above the size limit is hashed only when everything is scanned, and when it was not written for so long: it may
/// be any size, and be written all the time.
const LARGE_QUIET: Duration = Duration::from_secs(5);

/// Above so many marked paths, scanning everything is cheaper than scanning each.
const MAX_MARKS: usize = 5000;

/// Longest pause after repeated failures; the first is a second, each further one twice as long.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Records the stores it was given. It does nothing by itself: [`take`](Self::take) wakes in, and call
/// [`work`](Self::work) when [`next`](Self::next) says so.
pub struct Recorder<K> {
    keeper: K,
    options: Options,
    clock: Box<dyn Fn() -> Duration + Send>,
    hints: Hints,
    stores: BTreeMap<Key, Watched>,
}

/// State that the recorder remembers of one store. No list of its files: that is asked from the keeper when it is
/// needed.
struct Watched {
    store: Store,
    /// Where the system reports events of its directory: the path without links.
    at: PathBuf,
    /// Identity of the directory when it was last open.
    identity: Option<Identity>,
    dirty: Dirty,
    full_due: Duration,
    standing: Standing,
    /// Why events cannot be relied on.
    unreliable: Option<Message>,
    /// Status that was last reported to the keeper.
    reported: Option<Status>,
    /// The directory was removed and that was recorded.
    removed: bool,
    /// Failures in a row.
    failures: u32,
    /// Not before.
    retry: Duration,
}

/// Tools of the recorder that a store's scan needs.
struct Tools<'a> {
    keeper: &'a mut dyn Keeper,
    hints: &'a mut Hints,
    options: &'a Options,
    clock: &'a dyn Fn() -> Duration,
}

impl<K: Keeper> Recorder<K> {
    /// A recorder without stores and without events. `clock` tells the time passed since any fixed instant and never goes
    /// back.
    pub fn new(keeper: K, options: Options, clock: impl Fn() -> Duration + Send + 'static) -> Self {
        Self { keeper, options, clock: Box::new(clock), hints: Hints::off(), stores: BTreeMap::new() }
    }

    /// Has the system call `wake` with its events, from another thread.
    pub(crate) fn listen(&mut self, wake: impl Fn(Wake) + Send + 'static) {
        self.hints = Hints::start(wake);
    }

    /// Takes note of a wake. [`Wake::Stop`] and [`Wake::Tick`] mean nothing here.
    pub fn take(&mut self, wake: Wake) {
        let now = (self.clock)();
        match wake {
            Wake::Changed(paths) => paths.iter().for_each(|path| self.changed(path, now)),
            Wake::Dirty { store, paths } => {
                if let Some(watched) = self.stores.get_mut(&store) {
                    paths.into_iter().for_each(|path| watched.mark(path, now));
                }
            }
            Wake::Overflow => self.stores.values_mut().for_each(|watched| watched.full_due = now),
            Wake::Rescan(store) => {
                if let Some(watched) = self.stores.get_mut(&store) {
                    watched.full_due = now;
                    watched.retry = now;
                }
            }
            Wake::SetStores(stores) => self.set_stores(stores, now),
            Wake::Tick | Wake::Stop => {}
        }
    }

    fn changed(&mut self, path: &Path, now: Duration) {
        for watched in self.stores.values_mut() {
            match hints::below(&watched.at, path) {
                Some(Some(path)) => watched.mark(path, now),
                Some(None) => watched.full_due = now,
                None => {}
            }
        }
    }

    fn set_stores(&mut self, stores: Vec<Store>, now: Duration) {
        let mut before = std::mem::take(&mut self.stores);
        for store in stores {
            let known = before.remove(&store.key).filter(|watched| watched.store == store);
            if known.is_none() {
                self.hints.forget(store.key);
            }
            self.stores.insert(store.key, known.unwrap_or_else(|| Watched::new(store, now)));
        }
        before.keys().for_each(|key| self.hints.forget(*key));
    }

    /// When to call [`work`](Self::work) next, by the recorder's clock; `None` when there is nothing to wait for.
    pub fn next(&self) -> Option<Duration> {
        let debounce = self.options.debounce();
        self.stores.values().map(|watched| watched.due(debounce)).min()
    }

    /// Scans every store that is due. A failure or panic in one is its status, and tried again after a pause.
    pub fn work(&mut self) {
        let (now, debounce) = ((self.clock)(), self.options.debounce());
        for watched in self.stores.values_mut().filter(|watched| watched.due(debounce) <= now) {
            let mut tools = Tools {
                keeper: &mut self.keeper,
                hints: &mut self.hints,
                options: &self.options,
                clock: &*self.clock,
            };
            // After a panic, everything this store remembers of its files is asked for again.
            let scanned = catch_unwind(AssertUnwindSafe(|| watched.work(&mut tools)));
            let failure = match scanned {
                Ok(Ok(())) => continue,
                Ok(Err(error)) => (*error).message(),
                Err(panic) => panic_text(&*panic),
            };
            // Telling it may panic as well; then the next attempt tells.
            let _ = catch_unwind(AssertUnwindSafe(|| watched.failed(&failure, &mut tools)));
        }
    }
}

impl Options {
    fn debounce(&self) -> Debounce {
        Debounce { quiet: self.debounce, latest: self.latest }
    }
}

impl Watched {
    fn new(store: Store, now: Duration) -> Self {
        Self {
            at: store.root.clone(),
            store,
            identity: None,
            dirty: Dirty::default(),
            full_due: now,
            standing: Standing::default(),
            unreliable: None,
            reported: None,
            removed: false,
            failures: 0,
            retry: now,
        }
    }

    fn mark(&mut self, path: RelPath, now: Duration) {
        let rules = &self.store.rules;
        let directories = path.parent();
        let mut directories = directories.iter().flat_map(RelPath::components);
        // A hidden name may be a directory, which is entered; an editor's temporary file is never one worth a scan.
        if rules.leaves_out_file(path.file_name()) == Some(LeftOut::EditorTemporary)
            || directories.any(|name| rules.leaves_out_directory(name).is_some())
        {
            return;
        }
        self.dirty.mark(path, now);
        if self.dirty.len() > MAX_MARKS {
            self.full_due = now;
        }
    }

    fn due(&self, debounce: Debounce) -> Duration {
        let due = self.dirty.next_due(debounce).map_or(self.full_due, |due| due.min(self.full_due));
        due.max(self.retry)
    }

    fn work(&mut self, tools: &mut Tools<'_>) -> Result<(), KeeperError> {
        match presence::open(&self.store.root, self.identity) {
            Presence::Open(root) => {
                let known = self.identity == Some(root.identity()) && !self.removed;
                match if known { None } else { tools.keeper.admit(self.store.key, &root)? } {
                    None => self.scan(&root, tools)?,
                    Some((state, detail)) => {
                        // Asked again each time, until somebody says that it is the store's.
                        self.identity = None;
                        self.away(state, detail, tools);
                    }
                }
            }
            Presence::Removed(detail) => {
                if !self.removed {
                    removed(tools.keeper, self.store.key, None, detail.clone())?;
                    self.removed = true;
                }
                self.away(StoreState::Missing, detail, tools);
            }
            Presence::Away(state, detail) => self.away(state, detail, tools),
        }
        self.failures = 0;
        Ok(())
    }

    fn away(&mut self, state: StoreState, detail: Message, tools: &mut Tools<'_>) {
        self.dirty.take_all();
        if self.reported.as_ref().is_none_or(|reported| reported.state != state) {
            tools.hints.await_return(self.store.key, &self.at);
        }
        self.full_due = (tools.clock)() + tools.options.away_every;
        self.tell(Status::away(state, detail), tools);
    }

    fn scan(&mut self, root: &Root, tools: &mut Tools<'_>) -> Result<(), KeeperError> {
        let (now, debounce) = ((tools.clock)(), tools.options.debounce());
        let other = self.identity != Some(root.identity());
        if other {
            self.identity = Some(root.identity());
            self.at = self.store.root.canonicalize().unwrap_or_else(|_| self.store.root.clone());
        }
        if other || self.removed || self.full_due <= now {
            self.removed = false;
            return self.scan_everything(root, tools);
        }
        let mut due = self.dirty.take_due(now, debounce);
        if due.keys().any(|path| matches!(root.seen(path), Ok(None))) {
            // Something went away. Where it went is marked as well, if it was a rename, and must be seen in the same look.
            due.append(&mut self.dirty.take_all());
        }
        let paths: BTreeSet<RelPath> = due.keys().cloned().collect();
        self.scan_part(root, Some(&paths), &due, tools).map(drop)
    }

    fn scan_everything(&mut self, root: &Root, tools: &mut Tools<'_>) -> Result<(), KeeperError> {
        let started = (tools.clock)();
        let marked = self.dirty.take_all();
        // Until it succeeds, it is due.
        self.full_due = started;
        let scanned = self.scan_part(root, None, &marked, tools)?;
        let ended = (tools.clock)();
        let (every, factor) = if self.unreliable.is_some() {
            (tools.options.poll_every, POLL_PAUSE_FACTOR)
        } else {
            (tools.options.full_every, PAUSE_FACTOR)
        };
        let idle = scanned.read == 0 && scanned.gone == 0;
        let pause = if idle { every.max((ended - started) * factor) } else { every };
        self.full_due = ended + pause;
        Ok(())
    }

    /// Scans `paths` or everything. `marked` are the paths events pointed at, each with the time of its first event.
    fn scan_part(
        &mut self,
        root: &Root,
        paths: Option<&BTreeSet<RelPath>>,
        marked: &BTreeMap<RelPath, Duration>,
        tools: &mut Tools<'_>,
    ) -> Result<Scanned, KeeperError> {
        let (now, debounce) = ((tools.clock)(), tools.options.debounce());
        let wall = tools.keeper.now();
        let waited = |path: &RelPath| marked.get(path).is_some_and(|first| *first + debounce.latest <= now);
        let max_bytes = self.store.rules.max_file_bytes;
        let readiness = |path: &RelPath, seen: &Seen| {
            let age = age_of(seen, wall);
            if seen.size > max_bytes {
                let ready = paths.is_none() && !age.within(LARGE_QUIET);
                if ready { Readiness::Ready } else { Readiness::NextTime }
            } else if !waited(path) && age.is_being_written(seen.size, debounce) {
                Readiness::Soon
            } else {
                Readiness::Ready
            }
        };
        let dirty: BTreeSet<RelPath> = marked.keys().cloned().collect();
        let (key, at, hints) = (self.store.key, self.at.clone(), &mut *tools.hints);
        let mut refused = None;
        let mut cover = |root: &Root, scan: &Scan, first: bool| {
            let covered = hints.cover(key, &at, root, scan, paths, first);
            refused = covered.refused.or(refused.take());
            covered.added
        };
        let mut terms = Terms { paths, dirty: &dirty, readiness: &readiness, cover: &mut cover };
        let scanned = scan_into(tools.keeper, &self.store, root, &mut terms)?;
        let now = (tools.clock)();
        for path in &scanned.later {
            let first = marked.get(path).copied();
            // One that is never quiet is left to its next event and to the next full scan.
            if first.is_none_or(|first| first + debounce.latest > now) {
                self.dirty.defer(path.clone(), first, now);
            }
        }
        self.standing.update(paths, &scanned);
        if paths.is_none() || refused.is_some() {
            self.unreliable = refused.or_else(|| unreliable(root, tools.hints));
        }
        self.tell(self.standing.status(self.unreliable.as_ref()), tools);
        Ok(scanned)
    }

    fn failed(&mut self, failure: &Message, tools: &mut Tools<'_>) {
        let now = (tools.clock)();
        let pause = Duration::from_secs(1).saturating_mul(1 << self.failures.min(10)).min(LONGEST_PAUSE);
        self.failures += 1;
        self.retry = now + pause;
        // The marked paths may have been taken already.
        self.full_due = now;
        let detail = say::recording_failed_tried_again(failure);
        self.tell(Status::away(StoreState::Limited, detail), tools);
    }

    fn tell(&mut self, status: Status, tools: &mut Tools<'_>) {
        if self.reported.as_ref() != Some(&status) {
            tools.keeper.status(self.store.key, &status);
            self.reported = Some(status);
        }
    }
}

/// Time since a file was last written, in microseconds.
#[derive(Clone, Copy)]
struct Age(i128);

fn age_of(seen: &Seen, now: Timestamp) -> Age {
    Age(i128::from(now.micros()) - seen.modified_nanos.div_euclid(1000))
}

impl Age {
    /// `true` for a little in the future too: the file was written since the clock was read.
    fn within(self, limit: Duration) -> bool {
        const SECOND: i128 = 1_000_000;
        (-SECOND..i128::try_from(limit.as_micros()).unwrap_or(i128::MAX)).contains(&self.0)
    }

    /// A file whose last write is younger than the debounce time may be half written; an empty one may be about to be
    /// written, because many programs truncate first.
    fn is_being_written(self, size: u64, debounce: Debounce) -> bool {
        self.within(debounce.quiet) || (size == 0 && self.within(debounce.latest))
    }
}

/// Why events of this store cannot be relied on.
fn unreliable(root: &Root, hints: &Hints) -> Option<Message> {
    let remote = root.remote_file_system().map(say::network_or_shared_file_system);
    remote.or_else(|| hints.unavailable().cloned())
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> Message {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .map_or_else(say::internal_error, Message::verbatim)
}

#[cfg(test)]
mod tests;

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "recorder";
    recording_failed_tried_again(failure) => "recording failed and is tried again: {failure}",
    network_or_shared_file_system(name) => "it is on a network or shared file system ({name}), which does not report every change",
    internal_error() => "an internal error",
}
