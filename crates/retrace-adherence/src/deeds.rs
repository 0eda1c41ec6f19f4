//! What sessions did, read once from each transcript: kept in memory, and in a file for the next process.
//!
//! The file is disposable. It holds commands and prompts as transcripts do: a redaction deletes it, a transcript that holds
//! something redacted before is not kept in it, and what a process read before a redaction is not written after it.

use retrace_engine::kept_texts::Held;
use retrace_engine::{Engine, lock};
use retrace_rules::{Deeds, deeds};
use retrace_sessions::{Entry, Identity, kept, stored_path};
use retrace_wire::ApiError;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Usual name of the file in the data directory.
pub const DEEDS_FILE: &str = "deeds.index";

const MARK: &[u8; 8] = b"RTRDEEDS";

/// Raised whenever deeds are read from a transcript in another way.
const VERSION: u32 = 12;

/// Bytes of transcripts that were read anew before the file is written: less is read again in no time.
const WORTH_KEEPING: u64 = 8 << 20;

/// Deeds by transcript.
#[derive(Default)]
pub(crate) struct DeedsCache {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    /// True if the file was read, or is not wanted.
    loaded: bool,
    /// The newest redaction when these were read.
    redaction: Option<String>,
    /// Raised whenever all is forgotten.
    forgotten: u64,
    /// Bytes of the transcripts that the file does not have as they are.
    unkept: u64,
    by_path: HashMap<PathBuf, (Identity, Arc<Deeds>)>,
}

/// The file, as it is written and as it is read.
#[derive(Serialize, Deserialize)]
struct DeedsFile<D> {
    redaction: Option<String>,
    known: Vec<KnownDeeds<D>>,
}

#[derive(Serialize, Deserialize)]
struct KnownDeeds<D> {
    #[serde(with = "stored_path")]
    path: PathBuf,
    identity: Identity,
    deeds: D,
}

/// Deeds of one transcript, or why they could not be read.
type Read = io::Result<(Identity, Arc<Deeds>)>;

impl Kept {
    fn known(&self, entry: &Entry) -> Option<(Identity, Arc<Deeds>)> {
        self.by_path.get(&entry.path).filter(|(identity, _)| *identity == entry.identity).cloned()
    }

    fn forget(&mut self) {
        self.by_path.clear();
        self.unkept = 0;
        self.loaded = false;
        self.forgotten += 1;
    }

    /// Reads the file once, where it was written since the newest redaction.
    fn load(&mut self, file: &Path) {
        if std::mem::replace(&mut self.loaded, true) {
            return;
        }
        let Some(found) = kept::load::<DeedsFile<Deeds>>(file, MARK, VERSION) else { return };
        if found.redaction == self.redaction {
            for known in found.known {
                let new = (known.identity, Arc::new(known.deeds));
                self.by_path.entry(known.path).or_insert(new);
            }
        }
    }
}

impl DeedsCache {
    /// Forgets all, the file included. None is kept for as long as the answer is held.
    pub(crate) fn forget(&self, engine: &Engine) -> Box<dyn Held + '_> {
        let mut kept = lock(&self.kept);
        kept.forget();
        // Where it cannot be removed, whoever searches the data directory finds it there.
        let _ = std::fs::remove_file(file(engine));
        Box::new(kept)
    }

    /// The deeds of each transcript, on as many threads as there are processors; those that could not be read with the reason.
    ///
    /// # Errors
    /// A failure of the database.
    pub(crate) fn of_all(
        &self,
        engine: &Engine,
        entries: &[Arc<Entry>],
    ) -> Result<Vec<io::Result<Arc<Deeds>>>, ApiError> {
        let redaction = newest_redaction(engine)?;
        let (known, forgotten) = {
            let mut kept = lock(&self.kept);
            if kept.redaction != redaction {
                kept.forget();
                kept.redaction.clone_from(&redaction);
            }
            kept.load(&file(engine));
            let known: Vec<_> = entries.iter().map(|entry| kept.known(entry)).collect();
            (known, kept.forgotten)
        };
        let missing: Vec<usize> = (0..entries.len()).filter(|at| known[*at].is_none()).collect();
        let mut read = read_all(&missing.iter().map(|at| &*entries[*at]).collect::<Vec<_>>());
        let mut found = Vec::with_capacity(entries.len());
        let mut anew = Vec::with_capacity(read.len());
        let mut read = read.drain(..);
        for (entry, known) in entries.iter().zip(known) {
            let one = match known {
                Some(known) => Ok(known),
                None => read.next().unwrap_or_else(|| Err(io::ErrorKind::Interrupted.into())),
            };
            found.push(one.map(|(identity, deeds)| {
                anew.push((entry.path.clone(), identity, Arc::clone(&deeds)));
                deeds
            }));
        }
        self.keep(engine, anew, redaction, forgotten)?;
        Ok(found)
    }

    /// Keeps what was read, unless a redaction came meanwhile.
    fn keep(
        &self,
        engine: &Engine,
        read: Vec<(PathBuf, Identity, Arc<Deeds>)>,
        redaction: Option<String>,
        forgotten: u64,
    ) -> Result<(), ApiError> {
        let mut kept = lock(&self.kept);
        if kept.forgotten != forgotten || newest_redaction(engine)? != redaction {
            return Ok(());
        }
        for (path, identity, deeds) in read {
            let is_new = kept.by_path.get(&path).is_none_or(|(known, _)| *known != identity);
            if is_new {
                kept.unkept += identity.size;
                kept.by_path.insert(path, (identity, deeds));
            }
        }
        if kept.unkept < WORTH_KEEPING {
            return Ok(());
        }
        kept.unkept = 0;
        let tags = engine.tags()?;
        // What was redacted under a key that is gone would not be known again.
        if tags.lost() > 0 {
            return Ok(());
        }
        let holds = |deeds: &Deeds| {
            !tags.is_empty() && deeds.texts().any(|text| tags.without(text.as_bytes()).is_some())
        };
        kept.by_path.retain(|path, _| retrace_sessions::identity(path).is_ok());
        let mut known: Vec<KnownDeeds<&Deeds>> = Vec::with_capacity(kept.by_path.len());
        for (path, (identity, deeds)) in &kept.by_path {
            if !holds(deeds) {
                known.push(KnownDeeds { path: path.clone(), identity: *identity, deeds });
            }
        }
        known.sort_by(|one, other| one.path.cmp(&other.path));
        // A file that is not there costs time, no more.
        let written = DeedsFile { redaction: redaction.clone(), known };
        let _ = kept::save(&file(engine), MARK, VERSION, &written);
        // Another process may have redacted, and removed the file, in between.
        if newest_redaction(engine)? != redaction {
            let _ = std::fs::remove_file(file(engine));
        }
        Ok(())
    }
}

fn file(engine: &Engine) -> PathBuf {
    engine.options.data_dir.join(DEEDS_FILE)
}

pub(crate) fn newest_redaction(engine: &Engine) -> Result<Option<String>, ApiError> {
    engine.read(|reader| Ok(reader.receipts()?.first().map(|receipt| receipt.id.to_string())))
}

/// Reads transcripts on as many threads as there are processors, the longest first.
fn read_all(entries: &[&Entry]) -> Vec<Read> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(entries[*at].identity.size));
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        while let Some(&at) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            found.push((at, read(entries[at])));
        }
        found
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut found = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(entries.len())).map(|_| scope.spawn(work)).collect();
        let mut found = work();
        for other in others {
            match other.join() {
                Ok(more) => found.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        found
    });
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, deeds)| deeds).collect()
}

fn read(entry: &Entry) -> Read {
    let identity = retrace_sessions::identity(&entry.path)?;
    let bytes = retrace_sessions::read(&entry.path)?;
    // What is no transcript of a known format has no deeds; the index says why.
    let read = match retrace_transcript::read(&bytes) {
        Ok(reading) => deeds(&reading, &retrace_origin::of_reading(&reading, &bytes, |_| true)),
        Err(_) => Deeds::default(),
    };
    Ok((identity, Arc::new(read)))
}
