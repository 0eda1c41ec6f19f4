//! The writes of transcripts that are about a store, read when they are needed and kept for the next time.

use super::locate::Locator;
use retrace_engine::lock;
use retrace_origin::{Role, Write, role_of_agent};
use retrace_sessions::{Cancel, Entry, Identity};
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Larger transcripts are not read for the join: 512 MiB in memory at once is more than it is worth.
const LARGEST_FILE: u64 = 512 << 20;

/// Transcripts whose writes are kept in memory. Each keeps only what it wrote to stores.
const MAX_KEPT: usize = 20_000;

/// Beginning of the folder in which Gemini CLI keeps what its extraction of memories said, in place of a session's.
const EXTRACTION: &str = "skill-extraction-";

/// A transcript's writes that are about a store, with their files named as within the join.
pub(crate) type Writes = Arc<Vec<Write>>;

/// Readings of each transcript.
#[derive(Default)]
pub(crate) struct Gathered {
    kept: Mutex<HashMap<PathBuf, (Identity, Writes)>>,
}

impl Gathered {
    /// Forgets everything.
    pub(crate) fn forget(&self) {
        lock(&self.kept).clear();
    }

    /// The writes of transcripts, in the same order; those that cannot be read have none. Reads as many at a time as there are
    /// processors. Stopped, the rest has none, and nothing is kept of them.
    pub(crate) fn writes(
        &self,
        entries: &[Arc<Entry>],
        locator: &Locator,
        cancel: &Cancel,
        tell: &(dyn Fn(usize) + Sync),
    ) -> Vec<Writes> {
        let results: Vec<Mutex<Writes>> = entries.iter().map(|_| Mutex::default()).collect();
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(entry) = entries.get(at) else { return };
                if cancel.is_cancelled() {
                    return;
                }
                *lock(&results[at]) = self.of(entry, locator);
                tell(done.fetch_add(1, Ordering::Relaxed) + 1);
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(entries.len());
        std::thread::scope(|scope| {
            for _ in 1..threads {
                // Where the system gives no thread, this one does it all.
                drop(
                    std::thread::Builder::new().name("retrace-origins".to_owned()).spawn_scoped(scope, work),
                );
            }
            work();
        });
        results.into_iter().map(|result| std::mem::take(&mut *lock(&result))).collect()
    }

    fn of(&self, entry: &Entry, locator: &Locator) -> Writes {
        if let Some((identity, writes)) = lock(&self.kept).get(&entry.path)
            && *identity == entry.identity
        {
            return Arc::clone(writes);
        }
        let writes = Arc::new(read(entry, locator));
        let mut kept = lock(&self.kept);
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(entry.path.clone(), (entry.identity, Arc::clone(&writes)));
        writes
    }
}

/// Reads a transcript's writes that are about a store.
fn read(entry: &Entry, locator: &Locator) -> Vec<Write> {
    if entry.identity.size > LARGEST_FILE {
        return Vec::new();
    }
    // One that is gone or no transcript explains nothing; the index says why.
    let Ok(bytes) = retrace_sessions::read(&entry.path) else { return Vec::new() };
    let Ok(found) = retrace_origin::read_where(&bytes, |path| !locator.names(path, entry).is_empty()) else {
        return Vec::new();
    };
    found.writes.into_iter().flat_map(|write| locator.located(as_of(entry, write), entry)).collect()
}

/// A write with what the place of its transcript says: which session, and that a file of its own is a subagent's.
pub(crate) fn as_of(entry: &Entry, mut write: Write) -> Write {
    let session = entry.session_id();
    if !session.is_empty() {
        write.session = Some(session);
    }
    if entry.is_subagent() && write.conversation == 0 {
        let agent = entry.agent_id();
        write.role = match entry.place.of_session.as_deref() {
            Some(session) if session.starts_with(EXTRACTION) => Role::Background,
            _ => agent.as_deref().map_or(Role::Subagent, role_of_agent),
        };
        write.agent = agent.or(write.agent);
    }
    write
}
