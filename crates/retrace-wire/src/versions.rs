//! Versions and operations.

use super::{OriginNote, PutBack};
use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Who made a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ActorView {
    /// An agent's session.
    SessionActor {
        /// The session's id.
        session_id: String,
        /// Evidence: `stated`, `exact_content`, `front_matter`, `time_only`.
        evidence: String,
    },
    /// A client of the API.
    ApiActor {
        /// Id of its key.
        api_key_id: String,
    },
    /// A person.
    UserActor {
        /// Login name.
        user_id: String,
    },
    /// A service account.
    ServiceAccountActor {
        /// Its id.
        service_account_id: String,
    },
}

/// The rebuilt version whose content stood when a memory was first observed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BaselineOf {
    /// Its place in the log.
    pub seq: u64,
    /// When it was written.
    pub written_at: String,
    /// By whom; null when unknown.
    pub written_by: Option<ActorView>,
}

/// One version of one memory.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Version {
    /// Place in the log, from 1.
    pub seq: u64,
    /// The operation it belongs to.
    pub operation_seq: u64,
    /// `memver_…`
    pub id: String,
    /// `memstore_…`
    pub store_id: String,
    /// `mem_…`; stays the same through renames.
    pub memory_id: String,
    /// `created`, `modified` or `deleted`.
    pub operation: super::VersionOperation,
    /// Path after the change; null when redacted.
    pub path: Option<String>,
    /// Path before, where this version moved the memory.
    pub previous_path: Option<String>,
    /// Hash of the raw bytes; null for deleted and redacted versions.
    pub content_sha256: Option<String>,
    /// Size in bytes; null for deleted and redacted versions.
    pub content_size_bytes: Option<u64>,
    /// `text`, `binary`, `too_large` (content not kept), or null where there is none.
    pub content_kind: Option<super::ContentKind>,
    /// When it was recorded; of a rebuilt one, when it truly was.
    pub created_at: String,
    /// When it was recorded, or rebuilt.
    pub recorded_at: String,
    /// True if it lies before what was observed, and was rebuilt from what others kept. Lists show these after the observed
    /// ones, by the time at which they were.
    pub rebuilt: bool,
    /// True if it is rebuilt and its operation was undone: lists leave it out.
    pub withdrawn: bool,
    /// When it was written, where that was before it came to stand at `created_at`: on a branch, or elsewhere.
    pub written_at: Option<String>,
    /// Where it is the first sight of a memory that others kept the past of: the rebuilt version that had left exactly this.
    pub baseline_of: Option<BaselineOf>,
    /// Who; null when unknown.
    pub created_by: Option<ActorView>,
    /// The session that wrote it, with its title, where one is known.
    pub origin: Option<OriginNote>,
    /// Act of a person that put back with it what was written before: `origin` is of that writer, `created_by` the
    /// person.
    pub put_back: Option<PutBack>,
    /// Cause: `scan`, `rollback`, `restore`, `redact`, `api`, `tool`, `import`, `rebuilt`.
    pub source: super::ChangeSource,
    /// Why, where a reason was given.
    pub note: Option<Message>,
    /// When it was redacted.
    pub redacted_at: Option<String>,
    /// By whom.
    pub redacted_by: Option<ActorView>,
}

/// Filters for the log. All given ones must hold.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct LogReq {
    /// Store, id or name.
    #[serde(default)]
    pub store: Option<String>,
    /// Exact path, or a directory and all below it. Follows a memory through its renames when it names one.
    #[serde(default)]
    pub path: Option<String>,
    /// One memory, `mem_…`.
    #[serde(default)]
    pub memory: Option<String>,
    /// `created`, `modified` or `deleted`.
    #[serde(default)]
    pub operation: Option<String>,
    /// An actor's id, or `unknown`.
    #[serde(default)]
    pub actor: Option<String>,
    /// Not before this time.
    #[serde(default)]
    pub since: Option<String>,
    /// Not after this time.
    #[serde(default)]
    pub until: Option<String>,
    /// Versions of this operation only.
    #[serde(default)]
    pub operation_seq: Option<u64>,
    /// At most so many; 100 when absent, 1,000 at most.
    #[serde(default)]
    pub limit: Option<u64>,
    /// Only versions behind this one in the order of the list.
    #[serde(default)]
    pub before: Option<u64>,
}

/// A page of the log, newest first, rebuilt versions after the observed ones.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct LogPage {
    /// The versions.
    pub versions: Vec<Version>,
    /// Pass as `before` for the next page; null at the end.
    pub next_before: Option<u64>,
}

/// Asks for one version.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ShowReq {
    /// `memver_…`
    pub version: String,
    /// True if the content is wanted.
    #[serde(default)]
    pub content: bool,
}

/// One version, with its content where asked.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Shown {
    /// The version.
    #[serde(flatten)]
    pub version: Version,
    /// Content, when it is UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub content: Option<String>,
    /// Content, when it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub content_base64: Option<String>,
}

/// Filters for the timeline.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct TimelineReq {
    /// Store, id or name; all stores when absent.
    #[serde(default)]
    pub store: Option<String>,
    /// At most so many operations; 100 when absent, 1,000 at most.
    #[serde(default)]
    pub limit: Option<u64>,
    /// Only operations before this one.
    #[serde(default)]
    pub before: Option<u64>,
}

/// One operation and what it changed.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Operation {
    /// Place in the order of operations, from 1.
    pub seq: u64,
    /// The store it concerns; null for acts over several.
    pub store_id: Option<String>,
    /// Cause, as in [`Version`].
    pub source: super::ChangeSource,
    /// When.
    pub created_at: String,
    /// Who; null when unknown.
    pub created_by: Option<ActorView>,
    /// Why, where a reason was given.
    pub note: Option<Message>,
    /// Memories created.
    pub created: u64,
    /// Memories modified.
    pub modified: u64,
    /// Memories deleted.
    pub deleted: u64,
    /// The operation that undid this one.
    pub undone_by: Option<u64>,
    /// True if `undo` would accept it.
    pub undoable: bool,
    /// Its first versions, at most 20.
    pub versions: Vec<Version>,
}

/// A page of the timeline, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TimelinePage {
    /// The operations.
    pub operations: Vec<Operation>,
    /// Pass as `before` for the next page; null at the end.
    pub next_before: Option<u64>,
}

/// Asks when a store changed, for the time machine's axis.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ActivityReq {
    /// Store, id or name.
    pub store: String,
}

/// When a store changed.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Activity {
    /// Marks from old to new: those rebuilt, at most 1,000, then those observed, at most 1,000; neighbours joined beyond that.
    pub marks: Vec<ActivityMark>,
}

/// One mark on the axis.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ActivityMark {
    /// The newest operation in the mark; of a rebuilt one the operation that rebuilt it, which is no instant to go back to.
    pub operation_seq: u64,
    /// True if it is from before the store was observed; `at` is then what names the instant.
    pub rebuilt: bool,
    /// Its time.
    pub at: String,
    /// Its cause, as in [`Version`].
    pub source: super::ChangeSource,
    /// Memories created.
    pub created: u64,
    /// Memories modified.
    pub modified: u64,
    /// Memories deleted.
    pub deleted: u64,
}
