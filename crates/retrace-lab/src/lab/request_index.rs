//! Indexes of the requests that large transcripts record: with one, showing a request reads the lines it is made of and no others.
//!
//! An index is made when a transcript is read, or for the first request that is asked for; it is kept in memory, and in a file for
//! the next process. Whatever is wrong with the file, the transcript is read again.

use super::loaded;
use crate::Lab;
use crate::wire::ApiError;
use retrace_engine::lock;
use retrace_sessions::{Identity, REQUESTS_DIRECTORY, load_requests, save_requests};
use retrace_transcript::requests::RequestIndex;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Smaller files are read whole, which takes no time that a person notices.
const LEAST_BYTES: u64 = 4 << 20;

/// Indexes in memory; one of 2,000 requests has a megabyte.
const MAX_INDEXES: usize = 8;

/// Indexes of transcripts that were asked about last.
#[derive(Default)]
pub(crate) struct RequestIndexes {
    /// The one asked for last is the last.
    kept: Mutex<Vec<Kept>>,
    /// One is made at a time: two questions about one file read it once.
    making: Mutex<()>,
}

struct Kept {
    path: PathBuf,
    identity: Identity,
    found: Found,
}

/// An index of a transcript.
#[derive(Clone)]
pub(crate) struct Found {
    /// The index.
    pub index: Arc<RequestIndex>,
    /// False for one that was read from its file.
    pub is_made_here: bool,
}

impl RequestIndexes {
    /// Forgets every index, the files included.
    pub(crate) fn forget(&self, inner: &Lab) {
        let _no_new_one = lock(&self.making);
        lock(&self.kept).clear();
        // Where it cannot be removed, whoever searches the data directory finds it there.
        let _ = std::fs::remove_dir_all(directory(inner));
    }

    fn known(&self, path: &Path, identity: &Identity) -> Option<Found> {
        let mut kept = lock(&self.kept);
        let at = kept.iter().position(|kept| kept.path == path)?;
        let known = kept.remove(at);
        if known.identity != *identity {
            return None;
        }
        let found = known.found.clone();
        kept.push(known);
        Some(found)
    }

    fn keep(&self, path: &Path, identity: Identity, found: &Found) {
        let mut kept = lock(&self.kept);
        kept.retain(|kept| kept.path != path);
        kept.push(Kept { path: path.to_path_buf(), identity, found: found.clone() });
        if kept.len() > MAX_INDEXES {
            kept.remove(0);
        }
    }
}

fn directory(inner: &Lab) -> PathBuf {
    inner.options.data_dir.join(REQUESTS_DIRECTORY)
}

/// The index of a large transcript; `None` for one that is read whole.
///
/// # Errors
/// Those of [`loaded::load_place`] for a file.
pub(crate) fn of(inner: &Lab, path: &Path) -> Result<Option<Found>, ApiError> {
    let identity = loaded::identity(path)?;
    if identity.size < LEAST_BYTES {
        return Ok(None);
    }
    let indexes = &inner.lab.requests;
    if let Some(found) = indexes.known(path, &identity) {
        return Ok(Some(found));
    }
    let _one_at_a_time = lock(&indexes.making);
    if let Some(found) = indexes.known(path, &identity) {
        return Ok(Some(found));
    }
    if let Some(index) = load_requests(&directory(inner), path, &identity) {
        let found = Found { index: Arc::new(index), is_made_here: false };
        indexes.keep(path, identity, &found);
        return Ok(Some(found));
    }
    make(inner, path, identity).map(Some)
}

/// The index of a large transcript, made anew.
///
/// # Errors
/// Those of [`loaded::load_place`] for a file.
pub(crate) fn anew(inner: &Lab, path: &Path) -> Result<Found, ApiError> {
    let _one_at_a_time = lock(&inner.lab.requests.making);
    make(inner, path, loaded::identity(path)?)
}

fn make(inner: &Lab, path: &Path, identity: Identity) -> Result<Found, ApiError> {
    let (reading, log) = loaded::split(path)?;
    let found = Found { index: Arc::new(RequestIndex::new(&reading.transcripts, log)), is_made_here: true };
    write(inner, path, identity, &found);
    Ok(found)
}

/// Keeps the index of a transcript that was read whole.
pub(crate) fn keep(inner: &Lab, path: &Path, identity: Identity, index: &Arc<RequestIndex>) {
    if identity.size >= LEAST_BYTES && !index.log().requests().is_empty() {
        let _one_at_a_time = lock(&inner.lab.requests.making);
        write(inner, path, identity, &Found { index: Arc::clone(index), is_made_here: true });
    }
}

fn write(inner: &Lab, path: &Path, identity: Identity, found: &Found) {
    inner.lab.requests.keep(path, identity, found);
    // A file that is not there costs time, no more.
    let _ = save_requests(&directory(inner), path, identity, &found.index);
}
