//! The engine: the log and what every feature needs around it. It knows no feature.

use crate::checkpoint::Checkpointer;
use crate::counts::TokenCounts;
use crate::events::Events;
use crate::faults::Point;
use crate::flush::Flusher;
use crate::jobs::Jobs;
use crate::kept_texts::Keepers;
use crate::kinds::KindCache;
use crate::line_counts::LineCounts;
use crate::options::EngineOptions;
use crate::wire::{ApiError, Code, Event};
use retrace_log::{Act, KnownTags, LogError, LogFiles, ReadConnection, Reader, StoreRow, Writer};
use retrace_model::{Actor, Rules, StoreId, Timestamp};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Interval at which the log is asked whether another process appended to it. Asking costs some microseconds; a person
/// does not notice a quarter of a second.
pub(crate) const FEED_INTERVAL: Duration = Duration::from_millis(250);

/// Read connections kept open for reuse; each costs a file descriptor and its page cache.
const MAX_CACHED_READERS: usize = 4;

/// The log with everything features need around it. Features share it as `Arc<Engine>`.
pub struct Engine {
    /// Clock, randomness, surroundings.
    pub options: EngineOptions,
    /// Files of the log.
    pub files: LogFiles,
    /// Rules for the files of stores.
    pub rules: Rules,
    writer: Mutex<Writer>,
    readers: Mutex<Vec<ReadConnection>>,
    /// Events to whoever listens.
    pub events: Events,
    /// True while this process records.
    pub recording_here: AtomicBool,
    /// When the chain was last verified, and whether it was sound.
    pub verified: Mutex<Option<(Timestamp, bool)>>,
    /// Work that runs under a name.
    pub jobs: Jobs,
    /// Tokens of contents.
    pub token_counts: TokenCounts,
    /// Lines that came and went between contents.
    pub line_counts: LineCounts,
    /// Held while a small file of the data directory is read and written anew: a person's own rules, saved settings.
    pub own_files_lock: Mutex<()>,
    /// Features that keep texts outside the log.
    pub(crate) keepers: Keepers,
    /// Redacted content that must not reappear, as it was last read.
    pub(crate) known_tags: Mutex<Option<KnownTags>>,
    /// Kinds of memory contents.
    pub(crate) kinds: KindCache,
    /// Changes that are in the log and on their way to the disk.
    pub(crate) flusher: Flusher,
    /// Moves what was committed from the write-ahead log into the database.
    pub(crate) checkpointer: Checkpointer,
}

impl Engine {
    /// Opens the log, and makes it when there is none.
    ///
    /// # Errors
    /// [`Code::DatabaseNewer`], [`Code::DatabaseDamaged`], [`Code::CannotWrite`] or [`Code::Busy`]. Nothing is changed
    /// then.
    pub fn open(options: EngineOptions) -> Result<Arc<Self>, ApiError> {
        let files = LogFiles::new(&options.data_dir);
        let files = match options.busy_wait {
            Some(wait) => files.with_busy_wait(wait),
            None => files,
        };
        let entropy = Arc::clone(&options.entropy);
        let in_directory = |error: LogError| {
            let mut error = ApiError::from(error);
            if error.subject.is_empty() {
                error.subject = crate::wire::show(&options.data_dir);
            }
            error
        };
        let writer = Writer::open(files.clone(), Box::new(move |bytes: &mut [u8]| entropy(bytes)))
            .map_err(in_directory)?;
        let engine = Arc::new(Self {
            files,
            rules: Rules::default(),
            writer: Mutex::new(writer),
            readers: Mutex::new(Vec::new()),
            events: Events::default(),
            recording_here: AtomicBool::new(false),
            verified: Mutex::new(None),
            jobs: Jobs::default(),
            token_counts: TokenCounts::default(),
            line_counts: LineCounts::default(),
            own_files_lock: Mutex::new(()),
            keepers: Keepers::default(),
            known_tags: Mutex::new(None),
            kinds: KindCache::default(),
            flusher: Flusher::default(),
            checkpointer: Checkpointer::default(),
            options,
        });
        engine.note_head();
        Ok(engine)
    }

    /// True if a log is kept in the data directory, or was. Also where that cannot be told: opening it then says why.
    #[must_use]
    pub fn has_log(options: &EngineOptions) -> bool {
        let files = LogFiles::new(&options.data_dir);
        let may_be_there = |path: PathBuf| path.try_exists().unwrap_or(true);
        may_be_there(files.database()) || may_be_there(files.head_file())
    }

    /// Takes whatever log is in the data directory for the one that is kept there from now on, a new one where there is none.
    ///
    /// # Errors
    /// [`Code::CannotWrite`] or [`Code::Internal`].
    pub fn accept_log(options: &EngineOptions) -> Result<(), ApiError> {
        Ok(LogFiles::new(&options.data_dir).forget_head()?)
    }

    /// Ends the threads once everything that calls changed is on the disk. To be called before the engine is let go of.
    pub fn close(&self) {
        self.stop_flushing();
        self.checkpointer.stop();
        self.note_head();
    }

    /// Events from now on. The first listener starts a thread that also notices what other processes append.
    #[must_use]
    pub fn subscribe(self: &Arc<Self>) -> Receiver<Event> {
        self.events.subscribe(|| crate::feed::start(self))
    }

    /// Notes beside the log how far it went. What was noted before is as good where that fails.
    fn note_head(&self) {
        let head = lock(&self.writer).reader().head();
        if let Ok(Some(head)) = head
            && self.files.head() != Some(head)
        {
            drop(self.files.keep_head(head));
        }
    }

    /// The time by the clock that was passed in.
    pub fn now(&self) -> Timestamp {
        (self.options.clock)()
    }

    /// A random number from the source that was passed in.
    pub fn random(&self) -> u64 {
        let mut bytes = [0; 8];
        (self.options.entropy)(&mut bytes);
        u64::from_ne_bytes(bytes)
    }

    /// Passes a point of a scan or an act.
    pub fn at(&self, point: Point) -> Result<(), ApiError> {
        self.options.faults.at(point)
    }

    /// The person at this machine.
    pub fn user(&self) -> Actor {
        Actor::User { id: self.options.user.clone() }
    }

    /// Reads one state of the log.
    pub fn read<T>(&self, read: impl FnOnce(&Reader<'_>) -> Result<T, ApiError>) -> Result<T, ApiError> {
        let kept = lock(&self.readers).pop();
        let connection = match kept {
            Some(connection) => connection,
            None => ReadConnection::open(&self.files)?,
        };
        let answer = connection.snapshot(read);
        let mut readers = lock(&self.readers);
        if readers.len() < MAX_CACHED_READERS && connection.sees_what_follows() {
            readers.push(connection);
        }
        answer
    }

    /// Runs `write` in one transaction, which happens as a whole or not at all, and tells listeners.
    pub fn write<T>(&self, write: impl FnOnce(&mut Act<'_>) -> Result<T, ApiError>) -> Result<T, ApiError> {
        let (answer, cursor) = {
            let mut writer = lock(&self.writer);
            let mut act = writer.begin()?;
            let before = act.reader().cursor()?;
            let answer = write(&mut act)?;
            let after = act.reader().cursor()?;
            self.at(Point::BeforeCommit)?;
            act.commit()?;
            // A commit has happened, whatever a test says now.
            drop(self.at(Point::AfterCommit));
            (answer, (after != before).then_some(after))
        };
        self.committed_once();
        if let Some(cursor) = cursor {
            self.events.send(&Event::Advanced { cursor });
        }
        Ok(answer)
    }

    /// Runs `write` in a transaction that is let go of: what it answers is what it would do.
    pub fn preview<T>(&self, write: impl FnOnce(&mut Act<'_>) -> Result<T, ApiError>) -> Result<T, ApiError> {
        let mut writer = lock(&self.writer);
        let mut act = writer.begin()?;
        write(&mut act)
    }

    /// A value that changes whenever anybody, this process included, commits to the log. Cheap to ask for.
    pub(crate) fn committed(&self) -> Option<(i64, u64, u64)> {
        let writer = lock(&self.writer);
        let reader = writer.reader();
        // Others' commits change the first, this connection's the second and third.
        Some((reader.data_version().ok()?, reader.cursor().ok()?, reader.own_changes()))
    }

    /// The writing side itself, for work that is not one transaction.
    pub fn writer(&self) -> MutexGuard<'_, Writer> {
        lock(&self.writer)
    }

    /// Lets go of the pages of the log that connections keep: those of a log that is worked with for long fill up with pages
    /// that nobody asks for again.
    pub fn release_pages(&self) {
        // What is not let go of now is the next time.
        drop(lock(&self.writer).release_pages());
        // A connection that somebody reads with is not in the list, and comes back to it.
        drop(lock(&self.readers).iter().try_for_each(ReadConnection::release_pages));
    }

    /// Reports that the list of stores changed.
    pub fn stores_changed(&self) {
        self.kinds.forget_places();
        self.events.send(&Event::Stores);
    }

    /// The store a person names: by id, by name, or by its directory.
    pub fn store_named(&self, reader: &Reader<'_>, name: &str) -> Result<StoreRow, ApiError> {
        if let Ok(id) = StoreId::parse(name) {
            return Ok(reader.store(id)?);
        }
        let stores = reader.stores()?;
        let listed = || stores.iter().filter(|store| store.removed_at.is_none());
        let directory = std::path::absolute(name).ok();
        listed()
            .find(|store| store.name == name)
            .or_else(|| listed().find(|store| directory.as_deref() == Some(&*root_of(store))))
            .cloned()
            .ok_or_else(|| unknown_store(name, listed().map(|store| store.name.as_str())))
    }
}

fn unknown_store<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> ApiError {
    let known: Vec<&str> = known.take(8).collect();
    let hint = if known.is_empty() {
        say::no_directory_recorded_yet_retrace()
    } else {
        say::stores(known.join(", "))
    };
    ApiError::new(Code::NotFound, say::no_such_store(), name).hint(hint)
}

/// A store's directory.
pub fn root_of(store: &StoreRow) -> PathBuf {
    path_from_bytes(&store.root)
}

/// A path of this machine as bytes; the reverse of [`path_from_bytes`].
pub fn path_to_bytes(path: &std::path::Path) -> Vec<u8> {
    #[cfg(unix)]
    return std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec();
    #[cfg(not(unix))]
    return path.to_string_lossy().into_owned().into_bytes();
}

/// A path of this machine from its bytes.
pub fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    return PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes));
    #[cfg(not(unix))]
    return PathBuf::from(String::from_utf8_lossy(bytes).into_owned());
}

/// A lock whose holder panicked is taken all the same: what it guards is changed in single steps.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "engine";
    no_directory_recorded_yet_retrace() => "No directory is recorded yet: `retrace discover` finds what there is, `retrace stores add DIR` adds one.",
    stores(known) => "Stores: {known}.",
    no_such_store() => "There is no such store.",
}
