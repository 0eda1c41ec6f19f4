//! Dreams of a host, and taking memories over from one store into another.

use super::RemoteQueue;
use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks a host for its dreams. Asking calls the host.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct DreamsReq {
    /// Base URL, without `/v1`. The API's own address when absent.
    #[serde(default)]
    pub base_url: Option<String>,
    /// Archived ones as well.
    #[serde(default)]
    pub include_archived: bool,
}

/// The dreams of a host, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Dreams {
    /// Base URL that was asked.
    pub base_url: String,
    /// The dreams; at most 1,000.
    pub dreams: Vec<Dream>,
}

/// A dream: a run that reads a store and sessions and writes a store anew.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Dream {
    /// `drm_…`
    pub id: String,
    /// `pending`, `running`, `completed`, `failed` or `canceled`.
    pub status: String,
    /// The store it reads, by its id at the host.
    pub input_remote_id: Option<String>,
    /// The mirror of that here.
    pub input_store_id: Option<String>,
    /// The store it writes, by its id at the host; null before there is one.
    pub output_remote_id: Option<String>,
    /// The mirror of that here.
    pub output_store_id: Option<String>,
    /// Sessions it reads.
    pub sessions: Vec<String>,
    /// Model.
    pub model: String,
    /// Its instructions.
    pub instructions: Option<String>,
    /// `create_new` or `update_existing`. With the latter, input and output are the same store, and what the dream wrote
    /// are the versions of its session.
    pub output_behavior: String,
    /// Its own session.
    pub session_id: Option<String>,
    /// Why it failed.
    pub error: Option<Message>,
    /// Tokens it used: input, output, cache creation, cache read.
    pub usage: DreamUsage,
    /// When it was made.
    pub created_at: String,
    /// When it ended.
    pub ended_at: Option<String>,
    /// When it was archived.
    pub archived_at: Option<String>,
}

/// Tokens a dream used, as recorded by the host.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct DreamUsage {
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Tokens written to the cache.
    pub cache_creation_input_tokens: u64,
    /// Tokens read from the cache.
    pub cache_read_input_tokens: u64,
}

/// Names a dream.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct DreamRef {
    /// Base URL, without `/v1`. The API's own address when absent.
    #[serde(default)]
    pub base_url: Option<String>,
    /// `drm_…`
    pub dream: String,
}

/// Asks a host for a new dream. A dream reads its store at the host: what is queued here for it is not part of that.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct CreateDreamReq {
    /// Base URL, without `/v1`. The API's own address when absent.
    #[serde(default)]
    pub base_url: Option<String>,
    /// The store to read: a mirror here (id or name) or an id at the host.
    pub store: String,
    /// Sessions to read, 1 to 100, each once.
    pub sessions: Vec<String>,
    /// Model.
    pub model: String,
    /// 1 to 4,096 characters.
    #[serde(default)]
    pub instructions: Option<String>,
    /// Write into the store itself instead of a new one.
    #[serde(default)]
    pub update_existing: bool,
    /// Ask for it although changes of the store are queued here, which the dream does not read. Without it, that is refused.
    #[serde(default)]
    pub without_queued: bool,
}

/// Content of a request for a dream. No host is called to say it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct DreamPlan {
    /// Base URL of the host that would be asked.
    pub base_url: String,
    /// The store it would read, by its id at the host.
    pub input_remote_id: String,
    /// The mirror of that here.
    pub input_store_id: Option<String>,
    /// Sessions it would read.
    pub sessions: Vec<String>,
    /// Model.
    pub model: String,
    /// Its instructions.
    pub instructions: Option<String>,
    /// `create_new` or `update_existing`.
    pub output_behavior: String,
    /// Changes of the store that wait here. The dream does not read them unless they are sent before.
    pub queued: RemoteQueue,
}

/// Compares two stores with each other, memory by memory.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct CompareStoresReq {
    /// The store as it is: `STORE` or `STORE@TIME`.
    pub from: String,
    /// The store as it might be: `STORE` or `STORE@TIME`.
    pub to: String,
}

/// Differences of two stores, by path.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct StoreComparison {
    /// The store as it is.
    pub from_store_id: String,
    /// The store as it might be.
    pub to_store_id: String,
    /// Memories that are the same in both.
    pub same: u64,
    /// Memories that differ, by path.
    pub memories: Vec<ComparedMemory>,
}

/// A memory that differs between two stores.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ComparedMemory {
    /// Path in both stores; of a moved memory, in `to`.
    pub path: String,
    /// `created` (only in `to`), `modified`, `moved` (equal content elsewhere) or `deleted` (only in `from`).
    pub change: super::MemoryChange,
    /// Path in `from`, where it was moved.
    pub moved_from: Option<String>,
    /// Its newest version in `from`, `memver_…`.
    pub from_version_id: Option<String>,
    /// Its newest version in `to`, `memver_…`.
    pub to_version_id: Option<String>,
    /// Lines that `to` has and `from` has not; null where a content is no text or is redacted.
    pub added: Option<u64>,
    /// Lines that `from` has and `to` has not.
    pub removed: Option<u64>,
    /// Tokens of the content in `to` less those in `from`, counted offline; null where a content is no text.
    pub tokens: Option<i64>,
}

/// Takes memories of one store over into another, whole or in part. Files, stores of the API and hosted stores are all
/// written as by any other act: checked, recorded, undoable.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct AcceptMemoriesReq {
    /// Where they are taken from: `STORE` or `STORE@TIME`.
    pub from: String,
    /// The store that is written, id or name.
    pub into: String,
    /// These paths alone; all that differ when empty. A path that `from` lacks is deleted in `into`; the new path of a
    /// moved memory moves it there. What is named must be possible, or nothing is done; of all that differ, what `into`
    /// cannot hold is left, with a warning.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Without `paths`: also delete what `from` lacks. Without it, a moved memory is there twice afterwards.
    #[serde(default)]
    pub delete: bool,
    /// Say what would be done, and do nothing.
    #[serde(default)]
    pub dry_run: bool,
}
