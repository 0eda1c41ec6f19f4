//! A store in a temporary directory, a clock that is set by hand, and a keeper that remembers.

use crate::keeper::{Batch, Keeper, KeeperError, Key, Store};
use crate::status::Status;
use retrace_model::{Head, RelPath, Rules, Sha256, StoreId, StoreState, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

pub(crate) fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

/// Time that passes when told to. It begins an hour after files written now, so that they count as old.
#[derive(Clone)]
pub(crate) struct Clock {
    began: SystemTime,
    passed: Arc<Mutex<Duration>>,
}

impl Clock {
    pub(crate) fn new() -> Self {
        let began = SystemTime::now() + Duration::from_secs(3600);
        Self { began, passed: Arc::default() }
    }

    pub(crate) fn passed(&self) -> Duration {
        *self.passed.lock().unwrap()
    }

    pub(crate) fn advance(&self, millis: u64) {
        *self.passed.lock().unwrap() += Duration::from_millis(millis);
    }

    fn wall(&self) -> SystemTime {
        self.began + self.passed()
    }
}

pub(crate) struct Place {
    temp: tempfile::TempDir,
    pub store: Store,
}

impl Place {
    pub(crate) fn new(number: u8) -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("store");
        fs::create_dir(&root).unwrap();
        // So that the directory above is no bare mount point when the store goes.
        fs::write(temp.path().join("neighbour"), "").unwrap();
        Self { store: Store { key: StoreId([number; 16]), root, rules: Rules::default() }, temp }
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.store.root.join(name)
    }

    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        fs::write(self.at(name), bytes).unwrap();
    }

    /// Writes a file that counts as written at this moment of `clock`.
    pub(crate) fn write_now(&self, name: &str, bytes: impl AsRef<[u8]>, clock: &Clock) {
        self.write(name, bytes);
        self.age(name, clock, 0);
    }

    /// Makes a file count as last written so many milliseconds ago.
    pub(crate) fn age(&self, name: &str, clock: &Clock, millis: u64) {
        let time = clock.wall() - Duration::from_millis(millis);
        File::options().write(true).open(self.at(name)).unwrap().set_modified(time).unwrap();
    }

    pub(crate) fn rename(&self, from: &str, to: &str) {
        fs::create_dir_all(self.at(to).parent().unwrap()).unwrap();
        fs::rename(self.at(from), self.at(to)).unwrap();
    }

    /// Every file by its path.
    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let root = retrace_files::Root::open(&self.store.root).unwrap();
        let found = root.scan(&self.store.rules, None).found;
        found.into_keys().map(|path| (path.to_text(), fs::read(self.at(&path.to_text())).unwrap())).collect()
    }
}

/// Injected fault of a keeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Fail,
    Panic,
    /// Take so many milliseconds.
    Slow(u64),
}

#[derive(Default)]
pub(crate) struct Kept {
    pub live: BTreeMap<(Key, RelPath), (Head, Sha256)>,
    /// Events, in words.
    pub log: Vec<String>,
    /// Contents observed, changed or not.
    pub observed: BTreeSet<Sha256>,
    /// Observations, paths gone and `last` of each batch.
    pub batches: Vec<(usize, usize, bool)>,
    pub statuses: Vec<(Key, Status)>,
    pub faults: BTreeMap<Key, Fault>,
    pub heads_asked: usize,
}

/// A log in memory.
#[derive(Clone)]
pub(crate) struct Memory {
    kept: Arc<Mutex<Kept>>,
    clock: Option<Clock>,
}

impl Memory {
    pub(crate) fn new(clock: &Clock) -> Self {
        Self { kept: Arc::default(), clock: Some(clock.clone()) }
    }

    /// One that goes by the real time.
    pub(crate) fn real() -> Self {
        Self { kept: Arc::default(), clock: None }
    }

    pub(crate) fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Events since this was last asked.
    pub(crate) fn news(&self) -> Vec<String> {
        std::mem::take(&mut self.kept().log)
    }

    pub(crate) fn live(&self, key: Key) -> BTreeMap<String, Sha256> {
        let kept = self.kept();
        let of_store = kept.live.iter().filter(|((store, _), _)| *store == key);
        of_store.map(|((_, path), (_, hash))| (path.to_text(), *hash)).collect()
    }

    pub(crate) fn state(&self, key: Key) -> Option<StoreState> {
        let kept = self.kept();
        kept.statuses.iter().rev().find(|(store, _)| *store == key).map(|(_, status)| status.state)
    }

    pub(crate) fn detail(&self, key: Key) -> String {
        let kept = self.kept();
        let last = kept.statuses.iter().rev().find(|(store, _)| *store == key);
        last.and_then(|(_, status)| status.detail.clone()).unwrap_or_default().into_text()
    }

    fn obey(&self, key: Key) -> Result<(), KeeperError> {
        let fault = self.kept().faults.get(&key).copied();
        match fault {
            None => Ok(()),
            Some(Fault::Fail) => Err("the log is out of order".into()),
            // Panics without the hook's message.
            Some(Fault::Panic) => std::panic::resume_unwind(Box::new("a broken invariant")),
            Some(Fault::Slow(millis)) => {
                self.clock.iter().for_each(|clock| clock.advance(millis));
                Ok(())
            }
        }
    }
}

impl Kept {
    fn observe(&mut self, key: Key, batch: Batch) {
        self.batches.push((batch.observations.len(), batch.gone.len(), batch.last));
        for observation in batch.observations {
            let (path, content) = (observation.path, observation.content);
            let head = (Head { seen: Some(content.seen), seen_at: observation.scanned_at }, content.sha256);
            self.observed.insert(content.sha256);
            let text = match &content.bytes {
                Some(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                None => format!("({} bytes)", content.size),
            };
            match self.live.insert((key, path.clone()), head) {
                Some((_, hash)) if hash == content.sha256 => {}
                Some(_) => self.log.push(format!("modified {path}: {text}")),
                None => {
                    let same = |gone: &&RelPath| {
                        self.live
                            .get(&(key, (*gone).clone()))
                            .is_some_and(|(_, hash)| *hash == content.sha256)
                    };
                    if let Some(from) = batch.gone.iter().find(same) {
                        self.live.remove(&(key, from.clone()));
                        self.log.push(format!("renamed {from} to {path}"));
                    } else {
                        self.log.push(format!("created {path}: {text}"));
                    }
                }
            }
        }
        if batch.last {
            for path in batch.gone.iter() {
                if self.live.remove(&(key, path.clone())).is_some() {
                    self.log.push(format!("deleted {path}"));
                }
            }
        }
    }
}

impl Keeper for Memory {
    fn heads(
        &mut self,
        store: Key,
        paths: Option<&BTreeSet<RelPath>>,
    ) -> Result<BTreeMap<RelPath, Head>, KeeperError> {
        self.obey(store)?;
        let mut kept = self.kept();
        kept.heads_asked += 1;
        let wanted =
            |path: &RelPath| paths.is_none_or(|paths| paths.iter().any(|asked| path.is_within(asked)));
        let of_store = kept.live.iter().filter(|((key, path), _)| *key == store && wanted(path));
        Ok(of_store.map(|((_, path), (head, _))| (path.clone(), *head)).collect())
    }

    fn observe(&mut self, store: Key, batch: Batch) -> Result<(), KeeperError> {
        self.kept().observe(store, batch);
        Ok(())
    }

    fn status(&mut self, store: Key, status: &Status) {
        self.kept().statuses.push((store, status.clone()));
    }

    fn now(&self) -> Timestamp {
        let wall = self.clock.as_ref().map_or_else(SystemTime::now, Clock::wall);
        let passed = wall.duration_since(SystemTime::UNIX_EPOCH).unwrap();
        Timestamp::from_micros(i64::try_from(passed.as_micros()).unwrap())
    }
}
