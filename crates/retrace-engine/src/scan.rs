//! Exchange between the recorder and the log, and one scan of a store's directory.

use crate::engine::Engine;
use crate::faults::Point;
use crate::roots::place_of;
use crate::wire::{ApiError, Event};
use retrace_files::{FileError, Leftover, LeftoverKind, Root};
use retrace_log::{Act, Append, Change, Payload, StoreRow, VersionFilter};
use retrace_message::{AsMessage, Message};
use retrace_model::{
    Actor, COARSE_RACY_WINDOW_NANOS, Head, Permissions, RelPath, Seen, Sha256, Source, StoreId, StoreState,
    Timestamp, VersionOperation,
};
use retrace_watch::{Batch, Keeper, KeeperError, Key, Observation, Status, Store};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Result of a scan.
pub struct Scanned {
    /// State the directory was found in.
    pub state: StoreState,
    /// Why, where the state needs words.
    pub detail: Option<Message>,
    /// Versions that were recorded.
    pub versions: u64,
}

impl Engine {
    /// Scans the whole directory of a store and records what changed. A directory that is missing or may not be read
    /// is a state, not an error, and nothing is called gone then.
    pub fn scan(self: &Arc<Self>, store: &StoreRow) -> Result<Scanned, ApiError> {
        if !store.has_directory() {
            // Nothing changes there that the log does not know.
            return Ok(Scanned {
                state: store.state,
                detail: store.state_detail.as_deref().map(Message::of_saved),
                versions: 0,
            });
        }
        self.recover(store)?;
        let mut keeper = LogKeeper::new(Arc::clone(self));
        let scanned = retrace_watch::scan(&mut keeper, &watched(self, store), None);
        if let Some(error) = keeper.failed.take() {
            return Err(error);
        }
        let scanned = scanned.map_err(|error| {
            ApiError::new(crate::wire::Code::Internal, crate::wire::sentence(&error), &store.name)
        })?;
        let (state, detail) =
            scanned.status.map_or((StoreState::Recording, None), |status| (status.state, status.detail));
        Ok(Scanned { state, detail, versions: keeper.recorded })
    }

    /// Deals with what acts that were cut off left behind: content nobody recorded is recorded, then all is cleared away.
    pub(crate) fn recover(&self, store: &StoreRow) -> Result<(), ApiError> {
        self.catch_up(store)?;
        // A directory that is away is a state, found by the scan that follows.
        let Ok(root) = self.store_root(store) else { return Ok(()) };
        if root.leftovers(&self.rules).is_empty() {
            return Ok(());
        }
        // Writers keep what they displace beside the files as long as they have the log's write lock.
        let leftovers = self.write(|act| {
            let mut known = Vec::new();
            for leftover in root.leftovers(&self.rules) {
                if leftover.kind == LeftoverKind::Swap && !self.keeps(&leftover.sha256)? {
                    // Too large to be kept, or of no file that ever was: it is somebody's, and stays where it is.
                    let (Some(bytes), Some(path)) = (&leftover.bytes, self.place_of(store, &leftover)?)
                    else {
                        continue;
                    };
                    self.record_leftover(act, store.id, path, leftover.sha256, bytes)?;
                }
                known.push(leftover);
            }
            Ok(known)
        })?;
        // The displaced content is committed. Whoever changed one meanwhile made it newer: it is scanned again the next
        // time.
        leftovers.iter().for_each(|leftover| drop(root.discard(leftover)));
        Ok(())
    }

    /// True if the log holds a content, bytes and all.
    fn keeps(&self, sha256: &Sha256) -> Result<bool, ApiError> {
        let version = self.read(|reader| Ok(reader.version_with_content(sha256)?))?;
        Ok(version.and_then(|version| version.content).is_some_and(|content| content.kept))
    }

    /// The file a leftover belongs to: one that is there, one that should be, or one that was deleted.
    fn place_of(&self, store: &StoreRow, leftover: &Leftover) -> Result<Option<RelPath>, ApiError> {
        if leftover.target.is_some() {
            return Ok(leftover.target.clone());
        }
        let live = self.read(|reader| Ok(reader.heads(store.id)?))?;
        if let Some(path) = live.into_keys().find(|path| leftover.is_of(path)) {
            return Ok(Some(path));
        }
        let deleted = VersionFilter {
            store: Some(store.id),
            operation: Some(VersionOperation::Deleted),
            ..VersionFilter::default()
        };
        let deleted = self.read(|reader| Ok(reader.versions(&deleted)?))?;
        Ok(deleted.into_iter().filter_map(|version| version.path).find(|path| leftover.is_of(path)))
    }

    fn record_leftover(
        &self,
        act: &mut Act<'_>,
        store: StoreId,
        path: RelPath,
        sha256: Sha256,
        bytes: &[u8],
    ) -> Result<(), ApiError> {
        let payload = Payload::Content {
            bytes: Some(bytes.to_vec()),
            sha256,
            size: bytes.len() as u64,
            seen: None,
            moved_from: None,
        };
        let note = say::found_what_act_left_behind();
        let note = Some(note.text());
        append_seen(act, store, vec![Change { store, path, payload }], note, self.now()).map(drop)
    }
}

/// A store as the recorder takes it.
pub fn watched(inner: &Engine, store: &StoreRow) -> Store {
    Store { key: store.id, root: place_of(store), rules: inner.rules.clone() }
}

/// The log as the recorder sees it.
pub(crate) struct LogKeeper {
    /// The engine.
    pub inner: Arc<Engine>,
    /// Versions recorded so far.
    pub recorded: u64,
    /// The error behind a failure, with its code.
    pub failed: Option<ApiError>,
    /// The newest version when the scan under way began, or when it last recorded something.
    since: u64,
    /// Paths that others recorded something of since the scan under way began.
    overtaken: BTreeSet<RelPath>,
}

impl LogKeeper {
    /// For one or more scans.
    pub(crate) fn new(inner: Arc<Engine>) -> Self {
        Self { inner, recorded: 0, failed: None, since: 0, overtaken: BTreeSet::new() }
    }

    fn keep<T>(&mut self, result: Result<T, ApiError>) -> Result<T, KeeperError> {
        result.map_err(|error| {
            let message = error.message.clone();
            self.failed = Some(error);
            Box::new(message) as KeeperError
        })
    }
}

impl LogKeeper {
    /// Notes what others recorded since this scan began. Asked within the write lock, so none comes after it.
    fn note_overtaken(&mut self, act: &Act<'_>, store: StoreId) -> Result<(), ApiError> {
        if act.reader().last_version()? == self.since {
            return Ok(());
        }
        let filter =
            VersionFilter { store: Some(store), after: Some(self.since), ..VersionFilter::default() };
        for version in act.reader().versions(&filter)? {
            self.overtaken.extend(version.path.into_iter().chain(version.previous_path));
        }
        Ok(())
    }

    /// Reads again what an act or another process's look overtook: it may have been read before the act wrote it. Acts
    /// write within the log's lock, which is held here, so what is read now is what the log is to say.
    fn read_again(&self, act: &Act<'_>, store: StoreId, batch: Batch) -> Result<Batch, ApiError> {
        let Batch { mut observations, gone, gone_at, last } = batch;
        let Ok(root) = self.inner.store_root(&act.reader().store(store)?) else {
            return Ok(Batch { observations, gone, gone_at, last });
        };
        let mut paths: BTreeSet<RelPath> = observations.iter().map(|found| found.path.clone()).collect();
        paths.extend(gone.iter().cloned());
        paths.retain(|path| self.overtaken.contains(path));
        observations.retain(|found| !paths.contains(&found.path));
        let mut gone: BTreeSet<RelPath> = gone.difference(&paths).cloned().collect();
        for path in paths {
            let scanned_at = self.inner.now();
            match root.read(&path, self.inner.rules.max_file_bytes) {
                Ok(content) => observations.push(Observation { path, content, scanned_at }),
                Err(FileError::Missing { .. }) => drop(gone.insert(path)),
                // It is being written, or is no file any more: the next scan tells.
                Err(_) => {}
            }
        }
        Ok(Batch { observations, gone: Arc::new(gone), gone_at, last })
    }
}

impl Keeper for LogKeeper {
    fn admit(&mut self, store: Key, root: &Root) -> Result<Option<(StoreState, Message)>, KeeperError> {
        let row = self.inner.read(|reader| Ok(reader.store(store)?));
        let refused = row.and_then(|row| self.inner.admit(&row, root));
        Ok(self.keep(refused)?.map(|error| (state_of(&error), error.message())))
    }

    fn heads(
        &mut self,
        store: Key,
        paths: Option<&BTreeSet<RelPath>>,
    ) -> Result<BTreeMap<RelPath, Head>, KeeperError> {
        if !self.inner.is_caught_up(store) {
            let row = self.inner.read(|reader| Ok(reader.store(store)?));
            let caught_up = row.and_then(|row| self.inner.catch_up(&row));
            self.keep(caught_up)?;
        }
        let known = self.inner.read(|reader| {
            let heads = match paths {
                None => reader.heads(store)?,
                Some(paths) => reader.heads_below(store, paths)?,
            };
            Ok((heads, reader.last_version()?))
        });
        let (heads, newest) = self.keep(known)?;
        self.since = newest;
        self.overtaken.clear();
        Ok(heads)
    }

    fn observe(&mut self, store: Key, batch: Batch) -> Result<(), KeeperError> {
        let inner = Arc::clone(&self.inner);
        let recorded = inner.at(Point::Observed).and_then(|()| {
            inner.write(|act| {
                self.note_overtaken(act, store)?;
                let batch =
                    if self.overtaken.is_empty() { batch } else { self.read_again(act, store, batch)? };
                let found: Vec<(RelPath, Option<u32>)> = batch
                    .observations
                    .iter()
                    .filter(|found| found.path.parent().is_some())
                    .map(|found| (found.path.clone(), found.content.seen.mode))
                    .collect();
                let versions = observe(act, store, batch, inner.now())?;
                inner.keep_permissions_of(act, store, found)?;
                Ok((versions, act.reader().last_version()?))
            })
        });
        let (versions, newest) = self.keep(recorded)?;
        self.since = newest;
        self.recorded += versions;
        Ok(())
    }

    fn status(&mut self, store: Key, status: &Status) {
        let noted = self.inner.note_state(store, status.state, status.detail.as_deref());
        if let Err(error) = noted {
            self.failed.get_or_insert(error);
        }
    }

    fn now(&self) -> Timestamp {
        self.inner.now()
    }
}

impl Engine {
    /// Remembers the permissions of the directories in which a look found files, those of the files being known with them.
    fn keep_permissions_of(
        &self,
        act: &Act<'_>,
        store: StoreId,
        found: Vec<(RelPath, Option<u32>)>,
    ) -> Result<(), ApiError> {
        if found.is_empty() {
            return Ok(());
        }
        // One that is away again is found so by the next look.
        let Ok(root) = self.store_root(&act.reader().store(store)?) else { return Ok(()) };
        let mut known: BTreeMap<Option<RelPath>, Vec<u32>> = BTreeMap::new();
        for (path, file) in found {
            let directories =
                known.entry(path.parent()).or_insert_with(|| root.directory_modes(&path)).clone();
            act.keep_permissions(store, &path, &Permissions { file, directories })?;
        }
        Ok(())
    }

    /// Keeps how a store was found, when that is news.
    fn note_state(&self, store: StoreId, state: StoreState, detail: Option<&str>) -> Result<(), ApiError> {
        let known = self.read(|reader| Ok(reader.store(store)?))?;
        if known.state == state && known.state_detail.as_deref() == detail {
            return Ok(());
        }
        self.write(|act| Ok(act.set_store_state(store, state, detail)?))?;
        self.events.send(&Event::Stores);
        Ok(())
    }
}

/// Appends what a scan found; answers how many versions that made.
fn observe(act: &mut Act<'_>, store: StoreId, batch: Batch, now: Timestamp) -> Result<u64, ApiError> {
    let Batch { observations, gone, last, .. } = batch;
    let moves = if last { BTreeSet::new() } else { moved_in(act, store, &observations, &gone)? };
    // A file written within a tick of being read can be written again without looking any different. Such a file is
    // remembered as seen when it was read, not when that was committed, and is read again at the next scan.
    let fresh: Vec<(RelPath, Seen, Timestamp)> = observations
        .iter()
        .filter(|observation| is_fresh(&observation.content.seen, observation.scanned_at))
        .map(|observation| (observation.path.clone(), observation.content.seen, observation.scanned_at))
        .collect();
    let mut changes = changes_of(store, observations);
    let gone = gone.iter().filter(|path| last || moves.contains(*path));
    changes.extend(gone.map(|path| Change { store, path: path.clone(), payload: Payload::Gone }));
    let versions = append_seen(act, store, changes, None, now)?;
    for (path, seen, scanned_at) in fresh {
        act.saw(store, &[(path, seen)], scanned_at)?;
    }
    Ok(versions)
}

/// True if a file changed so shortly before it was read that its times prove nothing later.
fn is_fresh(seen: &Seen, scanned_at: Timestamp) -> bool {
    let changed_nanos = seen.changed_nanos.max(seen.modified_nanos);
    changed_nanos + COARSE_RACY_WINDOW_NANOS >= i128::from(scanned_at.micros()) * 1000
}

/// Observations, as changes.
fn changes_of(store: StoreId, observations: Vec<Observation>) -> Vec<Change> {
    observations
        .into_iter()
        .map(|Observation { path, content, .. }| Change {
            store,
            path,
            payload: Payload::Content {
                bytes: content.bytes,
                sha256: content.sha256,
                size: content.size,
                seen: Some(content.seen),
                moved_from: None,
            },
        })
        .collect()
}

/// Of the paths that are gone, those whose content is new at another path in this batch. The others may turn up in a later
/// batch of the same look.
fn moved_in(
    act: &Act<'_>,
    store: StoreId,
    observations: &[Observation],
    gone: &BTreeSet<RelPath>,
) -> Result<BTreeSet<RelPath>, ApiError> {
    let arrived: BTreeSet<Sha256> =
        observations.iter().map(|observation| observation.content.sha256).collect();
    let mut moves = BTreeSet::new();
    for path in gone {
        let head = act.reader().live_at(store, path)?;
        if head.and_then(|head| head.sha256).is_some_and(|sha256| arrived.contains(&sha256)) {
            moves.insert(path.clone());
        }
    }
    Ok(moves)
}

/// Appends what was seen on disk, by nobody knows whom.
pub(crate) fn append_seen(
    act: &mut Act<'_>,
    store: StoreId,
    changes: Vec<Change>,
    note: Option<&str>,
    at: Timestamp,
) -> Result<u64, ApiError> {
    let appended = act.append(Append {
        store: Some(store),
        source: Source::Scan,
        actor: &Actor::Unknown,
        note,
        at,
        undoes: None,
        changes,
        even_if_empty: false,
    })?;
    Ok(appended.versions.len() as u64)
}

/// The state that a directory which cannot be opened puts its store in.
pub(crate) fn state_of(error: &retrace_files::RootError) -> StoreState {
    use retrace_files::RootError;
    match error {
        RootError::Missing { .. } | RootError::NotADirectory { .. } => StoreState::Missing,
        RootError::Moved { .. } => StoreState::Moved,
        RootError::Denied { .. } => StoreState::Denied,
        RootError::Io { .. } => StoreState::Limited,
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "scan";
    found_what_act_left_behind() => "found in what an act left behind that was cut off",
}
