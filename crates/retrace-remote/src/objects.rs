//! The API's objects, as they are handed on: checked, in the words of `retrace-model`.

use retrace_model::{Actor, Sha256, Timestamp, VersionOperation};
use std::collections::BTreeMap;

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// Its items, in the host's order.
    pub items: Vec<T>,
    /// The cursor of the next page; none at the end.
    pub next: Option<String>,
}

/// A hosted store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteStore {
    /// `memstore_…`
    pub id: String,
    /// Its name; not unique.
    pub name: String,
    /// Its purpose; empty when nothing was said.
    pub description: String,
    /// Pairs that its owner keeps with it.
    pub metadata: BTreeMap<String, String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When its name, description or metadata last changed, or when it was archived.
    pub updated_at: Timestamp,
    /// When it was archived; none while it can be written.
    pub archived_at: Option<Timestamp>,
}

/// A memory of a hosted store, as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteMemory {
    /// `mem_…`; survives a rename.
    pub id: String,
    /// Its store, `memstore_…`.
    pub store_id: String,
    /// Its newest version, `memver_…`.
    pub version_id: String,
    /// Where it is, from its slash on.
    pub path: String,
    /// Its content; none unless it was asked for.
    pub content: Option<String>,
    /// Bytes of the content.
    pub content_size_bytes: u64,
    /// Hash of the content's bytes.
    pub content_sha256: Sha256,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A version of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteVersion {
    /// `memver_…`
    pub id: String,
    /// The store, `memstore_…`.
    pub store_id: String,
    /// The memory, `mem_…`.
    pub memory_id: String,
    /// Kind of the change.
    pub operation: VersionOperation,
    /// Where the memory was then, from its slash on; none where it is redacted.
    pub path: Option<String>,
    /// Its content then; none unless it was asked for, where it was deleted, and where it is redacted.
    pub content: Option<String>,
    /// Bytes of the content; none where it was deleted or is redacted.
    pub content_size_bytes: Option<u64>,
    /// Hash of the content; none where it was deleted or is redacted.
    pub content_sha256: Option<Sha256>,
    /// Who did it; none where the host says nothing, [`Actor::Unknown`] where it says what is not known here.
    pub created_by: Option<Actor>,
    /// When.
    pub created_at: Timestamp,
    /// When it was redacted.
    pub redacted_at: Option<Timestamp>,
    /// Who redacted it.
    pub redacted_by: Option<Actor>,
}

/// A dream: a run that reads a store and sessions, and writes a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteDream {
    /// `drm_…`
    pub id: String,
    /// `pending`, `running`, `completed`, `failed`, `canceled`, or a later word.
    pub status: String,
    /// The store it reads.
    pub input_store: Option<String>,
    /// The sessions it reads, `sesn_…`.
    pub sessions: Vec<String>,
    /// The store it writes; none before there is one.
    pub output_store: Option<String>,
    /// The model's name.
    pub model: String,
    /// Its instructions.
    pub instructions: Option<String>,
    /// Where it writes.
    pub output_behavior: OutputBehavior,
    /// Its own session.
    pub session_id: Option<String>,
    /// Why it failed.
    pub error: Option<DreamError>,
    /// Tokens it used.
    pub usage: DreamUsage,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// When it was archived.
    pub archived_at: Option<Timestamp>,
}

/// Where a dream writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputBehavior {
    /// Into a new store, which begins as a copy of the one it reads.
    CreateNew,
    /// Into this store.
    UpdateExisting {
        /// `memstore_…`
        store_id: String,
    },
    /// In a way that is not known here.
    Unknown,
}

/// Why a dream failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DreamError {
    /// Such as `timeout` or `input_session_unavailable`.
    pub kind: String,
    /// The host's own words.
    pub message: String,
}

/// Tokens of a dream, as the host counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DreamUsage {
    /// Input tokens outside the cache.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Tokens written to the cache.
    pub cache_creation_input_tokens: u64,
    /// Tokens read from the cache.
    pub cache_read_input_tokens: u64,
}

/// A dream to be asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDream {
    /// The store to read, `memstore_…`.
    pub input_store: String,
    /// The sessions to read, `sesn_…`; the API takes 1 to 100, each once.
    pub sessions: Vec<String>,
    /// The model's name.
    pub model: String,
    /// Instructions; the API takes 1 to 4,096 characters.
    pub instructions: Option<String>,
    /// Write into the store that is read, instead of a new one.
    pub update_existing: bool,
}
