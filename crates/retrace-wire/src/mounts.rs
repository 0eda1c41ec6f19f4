//! Attach lists: which memory stores a session of managed agents is to get, checked and previewed.

use crate::MountAccess;
use retrace_message::Message;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// Checks an attach list. Answered from the stores that are here; no host is called.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct MountsReq {
    /// The `resources` of a session: a list, or an object that has one of that name. Items of other types are passed over.
    #[ts(type = "unknown")]
    pub resources: Value,
    /// Model whose tokenizer counts; the newest family when absent.
    #[serde(default)]
    pub model: Option<String>,
}

/// Mounts of an attach list.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Mounts {
    /// True if the API would take it, as far as its public rules tell.
    pub ok: bool,
    /// Problems of the list as a whole.
    pub problems: Vec<MountProblem>,
    /// One for each memory store of the list, in its order.
    pub mounts: Vec<MountPreview>,
    /// Tokens of all files together, counted offline: what reading everything would take.
    pub tokens: u64,
    /// Tokens of what the system prompt gains, estimated: names, paths, descriptions and instructions are counted, the
    /// sentences around them are the host's own.
    pub prompt_tokens: u64,
}

/// Something an attach list may not have, or should not.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct MountProblem {
    /// `error` (the API refuses it) or `warning`.
    pub severity: super::Severity,
    /// Where in the list, as a JSON pointer.
    pub at: String,
    /// One sentence.
    pub message: Message,
}

/// One store of an attach list.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct MountPreview {
    /// Position in the list, from 0.
    pub index: u64,
    /// `memory_store_id` as given.
    pub memory_store_id: String,
    /// The store here: a mirror of it, or a store that this program's own API shows. Null when it is not known.
    pub store_id: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// `read_write` or `read_only`.
    pub access: MountAccess,
    /// Characters of `instructions`, of at most 4,096.
    pub instructions_chars: u64,
    /// Where it would be mounted; null when the name is not known.
    pub mount_path: Option<String>,
    /// True if the last part of `mount_path` rests on a rule that is not public, or on the name of a mirror, which the host
    /// need not have.
    pub mount_path_assumed: bool,
    /// Files it has.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their tokens, counted offline.
    pub tokens: u64,
    /// The largest files, at most 100, largest first.
    pub largest: Vec<MountedFile>,
    /// Number of unreviewed changes in it.
    pub unreviewed: u64,
    /// Problems of the store.
    pub problems: Vec<MountProblem>,
}

/// A file of a mounted store.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct MountedFile {
    /// Path below the mount.
    pub path: String,
    /// Bytes.
    pub bytes: u64,
    /// Tokens, counted offline; null where it is no text.
    pub tokens: Option<u64>,
}
