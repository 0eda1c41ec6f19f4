//! Costs of memory files: how large they are, in how many sessions they were loaded, the price of carrying them.

use super::context::file_costs;
use super::tokens::NEWEST;
use crate::Lab;
use crate::jobs::Job;
use crate::lab::loaded;
use crate::lab::prices::Table;
use crate::memories::Bytes;
use crate::presence::{Tenants, store_at};
use crate::session::reason;
use crate::wire::show;
use crate::wire::{ApiError, Event, LoadReason, MemoryPrice, MemoryPrices, MemoryPricesReq, ReasonCount};
use retrace_context::{FileClass, Load, LoadedFile, loaded_files};
use retrace_engine::{lock, root_of};
use retrace_log::Reader;
use retrace_model::{MemoryId, Timestamp};
use retrace_sessions::{Entry, Identity};
use retrace_tokens::Counter;
use retrace_transcript::Format;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The job's name: `task` of its progress, and what `cancel` stops it by.
const JOB: &str = "memory";

/// Facts of the transcripts that were read before, by path. Small: figures alone, no texts.
#[derive(Default)]
pub(crate) struct MemoryUses {
    kept: Mutex<HashMap<PathBuf, Arc<SessionUses>>>,
}

/// The memory files of one session.
pub struct SessionUses {
    identity: Identity,
    table: Arc<Table>,
    /// True if the transcript tells what was loaded.
    telling: bool,
    /// True if it would tell of a file that was loaded at the start: the client records its requests, or its instructions.
    tells_all: bool,
    files: Vec<Use>,
    /// Instruction files that it had.
    instructions: u64,
    /// By memory: why it was loaded.
    reasons: BTreeMap<String, BTreeSet<LoadReason>>,
}

impl SessionUses {
    /// True if the transcript tells what was loaded.
    pub const fn is_telling(&self) -> bool {
        self.telling
    }

    /// Number of instruction files that it had; `None` where it names none and need not.
    #[must_use]
    pub fn instructions(&self) -> Option<u64> {
        Some(self.instructions).filter(|number| *number > 0 || self.tells_all)
    }

    /// Number of memories that it loaded; `None` where it names none and need not.
    #[must_use]
    pub fn memories(&self) -> Option<u64> {
        let number = self.files.len() as u64;
        Some(number).filter(|number| *number > 0 || self.tells_all)
    }

    /// Why it loaded a memory, by its whole path as recorded.
    pub fn reasons(&self, path: &str) -> impl Iterator<Item = LoadReason> {
        self.reasons.get(path).into_iter().flatten().copied()
    }

    /// Whole paths, as recorded, of the memories it loaded.
    pub fn loaded(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.path.as_str())
    }
}

#[derive(Clone)]
struct Use {
    path: String,
    /// When it came in first.
    at: Option<Timestamp>,
    tokens: u64,
    partial: bool,
    cost_usd: Option<f64>,
}

/// Costs of memory files over all sessions on this machine, the dearest first. Reads every transcript at the first call
/// and what is new at later ones; `cancel` with `memory` stops it.
///
/// # Errors
/// `not_found` for an unknown store, `invalid` when it is being worked out already.
pub fn context_memory(inner: &Arc<Lab>, request: MemoryPricesReq) -> Result<MemoryPrices, ApiError> {
    let job = inner.jobs.begin(Some(JOB))?;
    let live = request.store.as_deref().map(|store| LiveFiles::of(inner, store)).transpose()?;
    let uses = memory_uses(inner, &job, JOB);
    Ok(MemoryPrices {
        files: priced(live.as_ref(), &uses),
        sessions: uses.len() as u64,
        sessions_telling: uses.iter().filter(|(_, uses)| uses.telling).count() as u64,
        cancelled: job.is_stopped(),
    })
}

/// Costs of the live memories of a store over sessions that were read, the dearest first.
///
/// # Errors
/// `not_found` for an unknown store.
pub fn prices_in(
    inner: &Lab,
    store: &str,
    uses: &[(Arc<Entry>, Arc<SessionUses>)],
) -> Result<Vec<MemoryPrice>, ApiError> {
    Ok(priced(Some(&LiveFiles::of(inner, store)?), uses))
}

fn priced(live: Option<&LiveFiles>, uses: &[(Arc<Entry>, Arc<SessionUses>)]) -> Vec<MemoryPrice> {
    let mut files = live.map(|live| live.files.clone()).unwrap_or_default();
    for (entry, uses) in uses {
        let at = entry.summary.as_ref().and_then(|summary| summary.last_at);
        // One that was renamed while a session ran is one memory of it.
        let mut of_session: BTreeMap<&str, (Use, BTreeSet<LoadReason>)> = BTreeMap::new();
        for used in &uses.files {
            let path = match live {
                Some(live) => live.path_now(used),
                None => Some(used.path.as_str()),
            };
            let Some(path) = path else { continue };
            let (sum, reasons) = of_session.entry(path).or_insert_with(|| (used.clone(), BTreeSet::new()));
            if sum.path != used.path {
                sum.join(used);
            }
            reasons.extend(uses.reasons(&used.path));
        }
        for (path, (used, reasons)) in of_session {
            files.entry(path.to_owned()).or_default().add(&used, at, reasons.into_iter());
        }
    }
    let mut files: Vec<MemoryPrice> = files.into_iter().map(|(path, sums)| sums.price(path)).collect();
    let spent = |file: &MemoryPrice| file.cost_usd_per_session.unwrap_or(0.0) * file.sessions as f64;
    files.sort_by(|one, other| {
        spent(other)
            .total_cmp(&spent(one))
            .then_with(|| other.tokens.cmp(&one.tokens))
            .then_with(|| one.path.cmp(&other.path))
    });
    files
}

impl Use {
    /// The same memory under another name.
    fn join(&mut self, other: &Self) {
        self.tokens = self.tokens.max(other.tokens);
        self.partial &= other.partial;
        self.cost_usd = match (self.cost_usd, other.cost_usd) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
    }
}

/// Loads of each session on this machine. Reads what is not known yet, and tells of that under the name `task`.
pub fn memory_uses(inner: &Arc<Lab>, job: &Job, task: &str) -> Vec<(Arc<Entry>, Arc<SessionUses>)> {
    inner.lab.index.update(inner);
    let snapshot = inner.lab.index.snapshot();
    let mains: Vec<&Arc<Entry>> =
        snapshot.sessions().iter().filter_map(|session| session.main.as_ref()).collect();
    read_all(inner, &mains, job, task)
}

/// Sums of several sessions for one file.
#[derive(Clone, Default)]
struct Sums {
    /// When it was last loaded whole, and what it had then.
    whole: Option<(Option<Timestamp>, u64)>,
    /// The largest part that was loaded.
    part: u64,
    sessions: u64,
    /// Tokens that all sessions loaded.
    loaded: u64,
    cost: f64,
    priced: u64,
    last_loaded_at: Option<Timestamp>,
    /// Tokens of the live file, which win.
    live: Option<u64>,
    /// By reason: sessions in which it was loaded for it.
    reasons: BTreeMap<LoadReason, u64>,
}

impl Sums {
    fn add(&mut self, used: &Use, at: Option<Timestamp>, reasons: impl Iterator<Item = LoadReason>) {
        self.sessions += 1;
        self.loaded = self.loaded.saturating_add(used.tokens);
        reasons.for_each(|reason| *self.reasons.entry(reason).or_default() += 1);
        if let Some(cost) = used.cost_usd {
            self.cost += cost;
            self.priced += 1;
        }
        self.last_loaded_at = self.last_loaded_at.max(at);
        if used.partial {
            self.part = self.part.max(used.tokens);
        } else if self.whole.is_none_or(|(last, _)| last <= at) {
            self.whole = Some((at, used.tokens));
        }
    }

    fn price(self, path: String) -> MemoryPrice {
        MemoryPrice {
            path,
            tokens: self.live.or(self.whole.map(|(_, tokens)| tokens)).unwrap_or(self.part),
            partial: self.live.is_none() && self.whole.is_none() && self.part > 0,
            sessions: self.sessions,
            loaded_tokens_per_session: self.loaded.checked_div(self.sessions),
            cost_usd_per_session: (self.priced > 0).then(|| self.cost / self.priced as f64),
            last_loaded_at: self.last_loaded_at.map(|at| at.to_rfc3339()),
            reasons: self
                .reasons
                .into_iter()
                .map(|(reason, sessions)| ReasonCount { reason, sessions })
                .collect(),
        }
    }
}

/// The live memories of a store.
struct LiveFiles {
    /// By their whole path, counted as the newest models count.
    files: BTreeMap<String, Sums>,
    /// The whole path of each memory.
    paths: HashMap<MemoryId, String>,
    tenants: Tenants,
}

impl LiveFiles {
    /// The whole path that a memory has now which a session loaded; `None` for one that is not there any more.
    fn path_now(&self, used: &Use) -> Option<&str> {
        self.paths.get(&self.tenants.at(&used.path, used.at)?).map(String::as_str)
    }

    fn of(inner: &Lab, store: &str) -> Result<Self, ApiError> {
        inner.read(|reader| live_files(inner, reader, store))
    }
}

fn live_files(inner: &Lab, reader: &Reader<'_>, store: &str) -> Result<LiveFiles, ApiError> {
    let store = inner.store_named(reader, store)?;
    let root = root_of(&store);
    let (mut files, mut paths) = (BTreeMap::new(), HashMap::new());
    for memory in reader.memories_at(store.id, None)? {
        let Some(path) = &memory.path else { continue };
        let whole = show(&root.join(path.to_text()));
        // A file that is gone or cannot be read right now has no size.
        let side = inner.live_side(reader, &whole, &store, path).ok();
        let live = side.and_then(|side| match side.bytes {
            Bytes::Kept(bytes) => Some(Counter::of(NEWEST).content(&String::from_utf8_lossy(&bytes))),
            _ => None,
        });
        paths.insert(memory.version.memory, whole.clone());
        files.insert(whole, Sums { live, ..Sums::default() });
    }
    let tenants = Tenants::of(reader, &store_at(store))?;
    Ok(LiveFiles { files, paths, tenants })
}

/// Reads what is not known yet, on as many threads as there are processors.
fn read_all(
    inner: &Arc<Lab>,
    mains: &[&Arc<Entry>],
    job: &Job,
    task: &str,
) -> Vec<(Arc<Entry>, Arc<SessionUses>)> {
    let table = inner.lab.prices.get(inner);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let mut found = Vec::new();
        while let Some(entry) = mains.get(next.fetch_add(1, Ordering::Relaxed)).filter(|_| !job.is_stopped())
        {
            if let Some(uses) = uses_of(inner, entry, &table) {
                found.push((Arc::clone(entry), uses));
            }
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            inner.events.send(&Event::Progress {
                task: task.to_owned(),
                done: done as u64,
                total: Some(mains.len() as u64),
            });
        }
        found
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(mains.len())).map(|_| scope.spawn(work)).collect();
        let mut found = work();
        for other in others {
            match other.join() {
                Ok(more) => found.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        // Reports of several threads come in any order: the last one says that all is done, also when it was stopped.
        let total = mains.len() as u64;
        inner.events.send(&Event::Progress { task: task.to_owned(), done: total, total: Some(total) });
        // In the order of the sessions, whoever read them.
        found.sort_by(|one, other| one.0.path.cmp(&other.0.path));
        found
    })
}

pub(crate) fn uses_of(inner: &Lab, entry: &Entry, table: &Arc<Table>) -> Option<Arc<SessionUses>> {
    let kept = &inner.lab.memory.kept;
    let known = lock(kept).get(&entry.path).cloned();
    if let Some(known) =
        known.filter(|known| known.identity == entry.identity && Arc::ptr_eq(&known.table, table))
    {
        return Some(known);
    }
    // A file that went away meanwhile is no session any more.
    let loaded = loaded::load_once(&entry.path).ok()?;
    let (memory, instructions): (Vec<_>, Vec<_>) = file_costs(&loaded, table)
        .into_iter()
        .filter(|file| file.requests > 0)
        .partition(|file| file.class == FileClass::Memory);
    let mut memories = loaded_files(loaded.transcript(), &loaded.weights);
    memories.retain(|file| file.class == FileClass::Memory);
    let requests = &loaded.transcript().requests;
    let came = |file: &LoadedFile| {
        let of_request = |load: &Load| requests.get(load.request?)?.at;
        file.loads.iter().find_map(|load| load.at.or_else(|| of_request(load)))
    };
    let came: HashMap<String, Timestamp> =
        memories.iter().filter_map(|file| Some((file.path.clone(), came(file)?))).collect();
    let began = entry.summary.as_ref().and_then(|summary| summary.first_at);
    let reasons = memories
        .into_iter()
        .map(|file| (file.path, file.loads.iter().map(|load| reason(load.reason)).collect()))
        .collect();
    let files = memory
        .into_iter()
        .map(|file| Use {
            at: came.get(&file.path).copied().or(began),
            path: file.path,
            tokens: file.tokens,
            partial: file.partial,
            cost_usd: file.cost_usd,
        })
        .collect();
    let uses = Arc::new(SessionUses {
        identity: entry.identity,
        table: Arc::clone(table),
        telling: !loaded.weights.files.is_empty(),
        tells_all: !loaded.requests().requests().is_empty()
            || loaded.transcript().format == Format::CodexRollout,
        files,
        instructions: instructions.len() as u64,
        reasons,
    });
    lock(kept).insert(entry.path.clone(), Arc::clone(&uses));
    Some(uses)
}
