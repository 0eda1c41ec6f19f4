//! Errors as clients see them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Why a command was refused or failed. A code exists because some client branches on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The request makes no sense as it stands.
    Invalid,
    /// The thing named does not exist.
    NotFound,
    /// The file or the memory moved on since the caller looked.
    HeadMoved,
    /// The time asked for lies before the store was recorded, so that its state then is not known.
    BeforeRecording,
    /// The store's directory is missing or may not be used.
    StoreUnavailable,
    /// The content asked for was redacted.
    ContentRedacted,
    /// A redaction is done but its bytes are not yet purged from the files.
    PurgePending,
    /// The database was written by a newer program.
    DatabaseNewer,
    /// The database is damaged.
    DatabaseDamaged,
    /// The data directory or the disk refuses to be written.
    CannotWrite,
    /// Files were changed, the log could not take it, and they could not be put back.
    NotRecorded,
    /// Another process holds the database.
    Busy,
    /// Exact counts are unavailable: no key, no answer, or the endpoint refuses.
    CounterUnavailable,
    /// A host has no key or refuses the one it has: another key may help.
    KeyRefused,
    /// A host takes no more calls for now: waiting helps.
    HostLimited,
    /// A bug or a failing machine.
    Internal,
}

/// An error: what happened, to what, and what to do next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ApiError {
    /// For programs.
    pub code: Code,
    /// One plain sentence.
    pub message: String,
    /// Next step; empty when there is nothing to advise.
    pub hint: String,
    /// The thing concerned: a path, an id, a field. Never a secret.
    pub subject: String,
}
