//! Interface between the recorder and the log.

use crate::status::Status;
use retrace_files::{Content, Root};
use retrace_message::Message;
use retrace_model::{Head, RelPath, Rules, StoreId, StoreState, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

/// Identity of a store.
pub type Key = StoreId;

/// Why the keeper could not do what was asked: its own error, passed through as text for people.
pub type KeeperError = Box<dyn Error + Send + Sync>;

/// One watched directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// Identity for the keeper.
    pub key: Key,
    /// Its directory, absolute.
    pub root: PathBuf,
    /// Rules that decide which of its files are memories.
    pub rules: Rules,
}

/// A content that stood on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Where.
    pub path: RelPath,
    /// Observed content. `bytes` is `None` when the file is larger than [`Rules::max_file_bytes`].
    pub content: Content,
    /// Just before it was read: the `seen_at` of the head it becomes. An observation older than the head's `seen_at` lost
    /// a race against an act and is to be left aside; the next scan corrects it if need be.
    pub scanned_at: Timestamp,
}

/// Observations of one scan, or a part of that when it is much.
///
/// A scan with changes is one or more batches, of which only the last has `last` set; a scan without any is none. Equal
/// content gone from one path and new at another is a rename. So that it can be seen in one batch, every batch of a scan
/// names all the paths gone in that look; a keeper pairs new paths with them as they come, and records the remaining ones
/// as deleted with the last batch. If the scan fails in between they are still live, and gone again in the next scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Contents that may differ from the log, by time of modification, then path. Some will be equal to the head after
    /// all: then only what the head has [`seen`](Head::seen) and when is to be brought up to date.
    pub observations: Vec<Observation>,
    /// Live memories whose files are not there any more; the same in every batch of a scan.
    pub gone: Arc<BTreeSet<RelPath>>,
    /// When that was known. A path of `gone` whose head was seen later than this is not gone.
    pub gone_at: Timestamp,
    /// True if this is the last batch of the scan.
    pub last: bool,
}

/// The log, as far as recording needs it.
pub trait Keeper: Send {
    /// Checks that `root`, which stands at the path of `store`, is the store's directory. If not, answers the state that
    /// this puts the store in, and why; nothing in it is scanned then.
    ///
    /// # Errors
    /// As [`Keeper::heads`].
    fn admit(&mut self, _store: Key, _root: &Root) -> Result<Option<(StoreState, Message)>, KeeperError> {
        Ok(None)
    }

    /// The live memories of `store`: all, or those at or below any of `paths`.
    ///
    /// # Errors
    /// Whatever the log says; the scan is given up and tried again later.
    fn heads(
        &mut self,
        store: Key,
        paths: Option<&BTreeSet<RelPath>>,
    ) -> Result<BTreeMap<RelPath, Head>, KeeperError>;

    /// Records a batch; returns once that is committed.
    ///
    /// # Errors
    /// As [`Keeper::heads`].
    fn observe(&mut self, store: Key, batch: Batch) -> Result<(), KeeperError>;

    /// Takes note of how a store is doing. Called when that changed.
    fn status(&mut self, store: Key, status: &Status);

    /// The time by the wall clock.
    fn now(&self) -> Timestamp;
}
