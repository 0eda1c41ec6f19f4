//! The index, and bringing it up to date.

use crate::cancel::Cancel;
use crate::entry::{Entry, Problem};
use crate::error::StoreError;
use crate::reading::{self, Manner, NotRead};
use crate::roots::Roots;
use crate::snapshot::Snapshot;
use crate::store;
use crate::walk::{Found, Walk};
use retrace_message::AsMessage;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Between two snapshots of one update there is at least this part of what is to be done, so that making them costs
/// little however many files there are.
const SNAPSHOTS_AN_UPDATE: u64 = 32;

/// Number of messages readers may be ahead of what is taken in, so that a wish to stop is not overtaken by all the
/// work.
const AHEAD: usize = 16;

/// Progress of an update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files done.
    pub files: usize,
    /// Of how many that had to be read.
    pub of_files: usize,
    /// Bytes read.
    pub bytes: u64,
    /// Of how many, as far as known: a file that turns out to be changed at its beginning adds to it.
    pub of_bytes: u64,
}

/// Report of an update.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpdateReport {
    /// Files read from their beginning.
    pub read: usize,
    /// Files read on from where they had been left.
    pub grown: usize,
    /// Files that are as they were, and were not opened; among them those that are too long to be read.
    pub unchanged: usize,
    /// Files that are no longer there, or below no root any more.
    pub gone: usize,
    /// Files that could not be read or listed, or were left alone, with the reason.
    pub failed: Vec<(PathBuf, retrace_message::Message)>,
    /// True if it was stopped before its end. What it had done by then stands.
    pub stopped: bool,
    /// True if there is something to save.
    pub changed: bool,
}

/// Every transcript below the roots, with its summary.
#[derive(Debug, Default)]
pub struct Index {
    entries: BTreeMap<PathBuf, Arc<Entry>>,
    /// Places that could not be listed or were left alone at the last update.
    left: Vec<(PathBuf, retrace_message::Message)>,
    latest: Latest,
}

/// The latest snapshot of an index, readable from any thread while the index is brought up to date on another.
#[derive(Clone, Debug, Default)]
pub struct Latest(Arc<Mutex<Arc<Snapshot>>>);

impl Latest {
    /// Present state.
    #[must_use]
    pub fn get(&self) -> Arc<Snapshot> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn put(&self, snapshot: Snapshot) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(snapshot);
    }
}

impl Index {
    /// The index as kept in `path` ([`crate::FILE_NAME`] in the data directory). Empty where the file is absent, damaged
    /// or of another version; the next update then reads everything.
    #[must_use]
    pub fn load(path: &Path) -> Self {
        let entries =
            store::load(path).into_iter().map(|entry| (entry.path.clone(), Arc::new(entry))).collect();
        let index = Self { entries, ..Self::default() };
        index.publish(false);
        index
    }

    /// Keeps the index in `path`, replacing the file in one step; readable by its owner alone.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be written; what was there stays.
    pub fn save(&self, path: &Path) -> Result<(), StoreError> {
        self.save_without(path, &|_| false)
    }

    /// The same without the entries that `is_left_out` says yes of, when it is given their bytes as they would be written. They
    /// are read again by the next process.
    ///
    /// # Errors
    /// As [`save`](Self::save).
    pub fn save_without(&self, path: &Path, is_left_out: &dyn Fn(&[u8]) -> bool) -> Result<(), StoreError> {
        let mut entries: Vec<&Entry> = Vec::with_capacity(self.entries.len());
        for entry in self.entries.values() {
            if !is_left_out(&postcard::to_allocvec(entry.as_ref()).map_err(StoreError::Encode)?) {
                entries.push(entry);
            }
        }
        store::save(path, &entries)
    }

    /// Present state.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.latest.get()
    }

    /// A way to the latest snapshot for other threads.
    #[must_use]
    pub fn latest(&self) -> Latest {
        self.latest.clone()
    }

    /// Brings the index up to date with what is below `roots`: lists, reads what is new or changed on as many threads as
    /// there are processors, goes on with what has grown, and drops what is gone. Large files come first. `progress` is
    /// called on this thread and must be quick: readers do not run far ahead of it. Snapshots are published as it goes.
    ///
    /// A file that cannot be read becomes an entry with its reason and is tried again at each update. Nothing below a
    /// directory that cannot be listed counts as gone.
    pub fn update(&mut self, roots: &Roots, progress: &dyn Fn(Progress), cancel: &Cancel) -> UpdateReport {
        let walk = Walk::of(roots, cancel);
        let mut report = UpdateReport { stopped: walk.stopped, ..UpdateReport::default() };
        self.drop_gone(&walk, &mut report);
        let work = self.work(&walk, &mut report);
        let left: Vec<_> = walk.unlisted.into_iter().chain(walk.left).collect();
        report.failed.extend(left.iter().cloned());
        if work.is_empty() && !report.changed && left == self.left && self.snapshot().is_complete() {
            // The snapshot there is stays, and with it the lists that were made from it.
            return report;
        }
        self.left = left;
        self.publish(false);
        self.read_all(&work, progress, cancel, &mut report);
        self.publish(!report.stopped);
        report
    }

    fn drop_gone(&mut self, walk: &Walk, report: &mut UpdateReport) {
        if walk.stopped {
            return;
        }
        let before = self.entries.len();
        self.entries.retain(|path, _| walk.found.contains_key(path) || walk.is_unknown(path));
        report.gone = before - self.entries.len();
        report.changed |= report.gone > 0;
    }

    /// Files that have to be opened, large files first.
    fn work(&self, walk: &Walk, report: &mut UpdateReport) -> Vec<Work> {
        let mut work = Vec::new();
        for (path, found) in &walk.found {
            let before = self.entries.get(path);
            if let Some(entry) = before.filter(|entry| is_unchanged(entry, found)) {
                report.unchanged += 1;
                let problem = entry.problem.iter();
                report.failed.extend(problem.map(|problem| (path.clone(), problem.message())));
            } else {
                work.push(Work::new(path, found, before));
            }
        }
        // By path where sizes are equal, so that the order is always the same.
        work.sort_by(|one, other| other.bytes.cmp(&one.bytes).then_with(|| one.path.cmp(&other.path)));
        work
    }

    fn read_all(
        &mut self,
        work: &[Work],
        progress: &dyn Fn(Progress),
        cancel: &Cancel,
        report: &mut UpdateReport,
    ) {
        if work.is_empty() {
            return;
        }
        let next = AtomicUsize::new(0);
        let (sender, receiver) = mpsc::sync_channel(AHEAD);
        let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get).min(work.len());
        let mut hearing = Hearing::new(self, work, progress, report);
        thread::scope(|scope| {
            for _ in 0..threads {
                let (sender, next) = (sender.clone(), &next);
                // The other end is there until the last reader is done; were it not, nobody would want to know.
                let mut tell = move |message| drop(sender.send(message));
                let reader = thread::Builder::new().name("transcripts".to_owned());
                let started = reader.spawn_scoped(scope, move || read_some(work, next, &mut tell, cancel));
                if started.is_err() {
                    break;
                }
            }
            drop(sender);
            for message in receiver {
                hearing.hear(message);
            }
        });
        // Where the system gives no thread at all, this one does what is left.
        read_some(work, &next, &mut |message| hearing.hear(message), cancel);
        hearing.end();
    }

    fn take(
        &mut self,
        path: PathBuf,
        outcome: Result<Box<(Entry, Manner)>, NotRead>,
        report: &mut UpdateReport,
    ) {
        match outcome {
            Ok(done) => {
                let (entry, manner) = *done;
                let known = self.entries.get(&path);
                match (&entry.problem, manner) {
                    (Some(problem), _) => {
                        report.changed |= known.is_none_or(|known| known.problem != entry.problem);
                        report.failed.push((path.clone(), problem.message()));
                    }
                    (None, Manner::Anew) => report.read += 1,
                    (None, Manner::Continued) => report.grown += 1,
                }
                report.changed |= entry.problem.is_none();
                self.entries.insert(path, Arc::new(entry));
            }
            Err(NotRead::Gone) => {
                let known = self.entries.remove(&path).is_some();
                report.gone += usize::from(known);
                report.changed |= known;
            }
            Err(NotRead::Cancelled) => report.stopped = true,
        }
    }

    fn publish(&self, complete: bool) {
        self.latest.put(Snapshot::new(self.entries.clone(), self.left.clone(), complete));
    }
}

fn is_unchanged(entry: &Entry, found: &Found) -> bool {
    !matches!(entry.problem, Some(Problem::Unreadable(_)))
        && entry.identity == found.identity
        && entry.place == found.place
}

/// One file to be opened.
struct Work {
    path: PathBuf,
    found: Found,
    before: Option<Arc<Entry>>,
    /// Bytes to read, as far as can be told without opening it.
    bytes: u64,
}

impl Work {
    fn new(path: &Path, found: &Found, before: Option<&Arc<Entry>>) -> Self {
        let size = found.identity.size;
        let known = before
            .filter(|entry| entry.identity.same_file(&found.identity) && entry.identity.size < size)
            .and_then(|entry| entry.resume.as_ref())
            .map_or(0, |resume| resume.consumed);
        Self {
            path: path.to_owned(),
            found: found.clone(),
            before: before.map(Arc::clone),
            bytes: size.saturating_sub(known),
        }
    }
}

/// Message of a reader.
enum Message {
    /// Bytes were read.
    Read(u64),
    /// A file is done with.
    Done(PathBuf, Result<Box<(Entry, Manner)>, NotRead>),
}

/// Reads files until none is left or somebody wishes to stop.
fn read_some(work: &[Work], next: &AtomicUsize, tell: &mut dyn FnMut(Message), cancel: &Cancel) {
    while let Some(work) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
        if cancel.is_cancelled() {
            return;
        }
        let mut read = |bytes| tell(Message::Read(bytes));
        let outcome = reading::read(&work.path, &work.found, work.before.as_deref(), &mut read, cancel);
        tell(Message::Done(work.path.clone(), outcome.map(Box::new)));
    }
}

/// Takes in what readers tell.
struct Hearing<'u> {
    index: &'u mut Index,
    progress: &'u dyn Fn(Progress),
    report: &'u mut UpdateReport,
    now: Progress,
    pace: Pace,
}

impl<'u> Hearing<'u> {
    fn new(
        index: &'u mut Index,
        work: &[Work],
        progress: &'u dyn Fn(Progress),
        report: &'u mut UpdateReport,
    ) -> Self {
        let of_bytes = work.iter().map(|work| work.bytes).sum();
        let now = Progress { of_files: work.len(), of_bytes, ..Progress::default() };
        progress(now);
        Self { index, progress, report, now, pace: Pace::of(&now) }
    }

    fn hear(&mut self, message: Message) {
        match message {
            Message::Read(bytes) => {
                self.now.bytes += bytes;
                self.now.of_bytes = self.now.of_bytes.max(self.now.bytes);
            }
            Message::Done(path, outcome) => {
                self.now.files += 1;
                self.index.take(path, outcome, self.report);
                if self.pace.is_due(&self.now) {
                    self.index.publish(false);
                }
            }
        }
        (self.progress)(self.now);
    }

    fn end(self) {
        self.report.stopped |= self.now.files < self.now.of_files;
    }
}

/// When the next snapshot is due: after the first file, and then after each further part of files or bytes.
struct Pace {
    files: usize,
    bytes: u64,
    due_files: usize,
    due_bytes: u64,
}

impl Pace {
    fn of(whole: &Progress) -> Self {
        let parts = usize::try_from(SNAPSHOTS_AN_UPDATE).unwrap_or(1);
        Self {
            files: whole.of_files.div_ceil(parts).max(1),
            bytes: whole.of_bytes.div_ceil(SNAPSHOTS_AN_UPDATE).max(1),
            due_files: 1,
            due_bytes: 0,
        }
    }

    fn is_due(&mut self, now: &Progress) -> bool {
        let due = now.files >= self.due_files || now.bytes >= self.due_bytes;
        if due {
            self.due_files = now.files + self.files;
            self.due_bytes = now.bytes + self.bytes;
        }
        due
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
