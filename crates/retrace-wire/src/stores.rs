//! Stores.

use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A store as a list shows it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Store {
    /// `memstore_…`
    pub id: String,
    /// Name for people; unique but for stores made through the Memory Stores API.
    pub name: String,
    /// Whose memory it holds: `claude-auto`, `claude-agent`, `memory-tool`, `codex`, `gemini`, `letta`, `openclaw`,
    /// `basic-memory`, `copilot`, `cline`, `plain`, `remote`.
    pub kind: super::StoreKind,
    /// Its directory; `log:` and the id for a store of the Memory Stores API that has none.
    pub root: String,
    /// `recording`, `paused`, `missing`, `moved`, `denied` or `limited`.
    pub state: super::StoreState,
    /// Why it is in that state, where there is more to say.
    pub state_detail: Option<Message>,
    /// Live memories.
    pub memories: u64,
    /// Versions recorded.
    pub versions: u64,
    /// Memories this person has left to review: the rows of the inbox that are of this store.
    pub unreviewed: u64,
    /// Time of the newest version.
    pub last_change: Option<String>,
    /// Rules for what the store leaves out, one rule a line, for people.
    pub rules: Vec<Message>,
    /// True if the Memory Stores API shows it.
    #[serde(default)]
    pub shared: bool,
    /// True if it has a directory; false when it lives in the log alone.
    #[serde(default)]
    pub mounted: bool,
    /// When it was added just now: its files, or the versions of its host (`memver_…`), that hold what was redacted
    /// before. What is on disk is recorded as it is; what a host has came without it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub redacted_before: Vec<String>,
}

/// Adds a directory as a store and takes its baseline.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct AddStore {
    /// Directory, absolute or relative to the program's working directory.
    pub root: String,
    /// One of the kinds of [`Store`]; `plain` when absent.
    #[serde(default)]
    pub kind: Option<String>,
    /// Name; the directory's own name when absent.
    #[serde(default)]
    pub name: Option<String>,
}

/// Names one store.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct StoreRef {
    /// Id or name.
    pub store: String,
}

/// Shows a store in the Memory Stores API, or no longer.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ShareStoreReq {
    /// Id or name.
    pub store: String,
    /// True if it is to be shown.
    pub shared: bool,
}

/// Gives a store of the Memory Stores API a directory, or takes it away.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct MountStoreReq {
    /// Id or name.
    pub store: String,
    /// An empty directory, made when missing; none to take the present one away, whose files stay.
    #[serde(default)]
    pub directory: Option<String>,
}

/// Says that the directory which stands at a store's path now is the store's.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct RelocateStoreReq {
    /// Id, name or directory.
    pub store: String,
    /// Only compare it with the log.
    #[serde(default)]
    pub dry_run: bool,
}

/// A directory that is taken for a store's, compared with the log.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Relocated {
    /// Nothing was changed.
    pub dry_run: bool,
    /// The store, as it is after that.
    pub store: Store,
    /// Where the directory is: where the path leads, links resolved.
    pub directory: String,
    /// Files that hold what the log says.
    pub same: u64,
    /// Files that hold something else.
    pub changed: u64,
    /// Files of which the log knows nothing.
    pub new: u64,
    /// Memories of the log that have no file there.
    pub gone: u64,
}

/// A scan of directories right now.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ScanReq {
    /// Ids or names; all stores when empty.
    #[serde(default)]
    pub stores: Vec<String>,
}

/// Result of a scan.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Scanned {
    /// Stores looked at.
    pub stores: Vec<ScannedStore>,
}

/// Result of a scan of one store.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ScannedStore {
    /// `memstore_…`
    pub id: String,
    /// Name for people.
    pub name: String,
    /// State after the scan.
    pub state: super::StoreState,
    /// Why, where there is more to say.
    pub state_detail: Option<Message>,
    /// Versions recorded by this scan.
    pub versions: u64,
    /// Files that hold what was redacted before, among what this look recorded.
    #[serde(default)]
    pub redacted_back: Vec<String>,
}

/// All stores, by name.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Stores {
    /// The stores.
    pub stores: Vec<Store>,
}
