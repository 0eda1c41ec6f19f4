//! The state of the whole program.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Content of the status line.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Status {
    /// Version of the program.
    pub program: String,
    /// Where the log is.
    pub data_dir: String,
    /// Stores.
    pub stores: u64,
    /// Live memories over all stores.
    pub memories: u64,
    /// Versions over all stores.
    pub versions: u64,
    /// The newest operation: the cursor of the change feed.
    pub cursor: u64,
    /// Time of the newest version.
    pub last_write: Option<String>,
    /// Size of the log on disk, its write-ahead log included, in bytes.
    pub log_bytes: u64,
    /// True if some process records at present.
    pub recording: bool,
    /// True if it is this process.
    pub recording_here: bool,
    /// Stores that a recording process records: all but mirrors of hosted stores.
    pub recordable: u64,
    /// Those of them that are recorded while a process records: neither paused nor out of reach.
    pub recorded: u64,
    /// When the chain was last verified by this process.
    pub chain_verified_at: Option<String>,
    /// Result of that verification.
    pub chain_ok: Option<bool>,
    /// Items this person has left to review, over all stores: the rows of the inbox.
    pub unreviewed: u64,
    /// Breaks of rules that nobody saw yet.
    pub broken_rules: u64,
    /// Redactions whose purge is not finished.
    pub purge_pending: u64,
    /// Network calls made by this process. There are none unless the user asked.
    pub network_calls: u64,
    /// First run: no store was ever added.
    pub first_run: bool,
}

/// Notice to a client that did not ask. It says where to look, never what is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The log went on to this operation.
    Advanced {
        /// The newest operation.
        cursor: u64,
    },
    /// A store was added, removed or changed its state, or something was reviewed.
    Stores,
    /// A receipt changed: a pending purge was finished.
    Receipts,
    /// The index of transcripts changed, or an update of it ended.
    Transcripts,
    /// Who wrote versions was found out, or found out better.
    Origins,
    /// Projects with memory appeared, or were answered.
    Projects,
    /// A session broke a rule, or a person saw that.
    Broken,
    /// Long work goes on.
    Progress {
        /// Name of the work.
        task: String,
        /// Done so far.
        done: u64,
        /// Of how many; null when not known.
        total: Option<u64>,
    },
}
