//! The Memory Stores API over the log: requests in, answers out, no transport.
//!
//! Reads are of one state of the log. Writes go to a thread of their own, which does all that wait in one transaction and
//! answers them when that is durable: a disk that takes some milliseconds to make a commit durable takes them once for all
//! clients that write meanwhile. Each write is one operation, with the key or the session as its author.
//!
//! A store that the API made lives in the log alone. A store with a directory is written as everything else writes it: what
//! stands on disk is recorded first, the file is exchanged in one step with the log's write lock held, and the version is
//! appended before the lock is released.

mod directory;
mod queue;
mod read;
mod redact;
mod share;
mod text_cache;
mod tools;
mod write;

pub use queue::{ReadJob, Ready, StoreService, WriteJob};
pub use retrace_store_api::{Outcome, Refused, StoreAnswer, StoreRequest};
pub use share::{mount_store, share_store};
pub(crate) use text_cache::TextCache;

use crate::wire::{ApiError, Code};
use retrace_store_api::{Kind, Refusal};

/// Why a call did not end in an answer.
#[derive(Debug)]
pub enum Stop {
    /// The caller is at fault, or somebody was faster.
    Refused(Refusal),
    /// The log or the disk failed.
    Failed(ApiError),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<ApiError> for Stop {
    fn from(error: ApiError) -> Self {
        Self::Failed(error)
    }
}

impl From<retrace_log::LogError> for Stop {
    fn from(error: retrace_log::LogError) -> Self {
        Self::Failed(error.into())
    }
}

/// A failure in the words of the API.
pub fn failure(error: &ApiError) -> Refusal {
    let kind = match error.code {
        Code::Invalid => Kind::InvalidRequest,
        Code::NotFound | Code::ContentRedacted => Kind::NotFound,
        Code::HeadMoved | Code::BeforeRecording => Kind::Conflict,
        Code::Busy => Kind::Overloaded,
        _ => Kind::Api,
    };
    Refusal::new(kind, error.message.clone())
}

/// The id of a key, which says nothing about the key to whoever reads the log: the first bits of a salted hash.
#[must_use]
pub fn key_id(key: &str) -> String {
    let hash = retrace_model::Sha256::of(format!("retrace.key.1\0{key}").as_bytes());
    format!("apikey_{}", &hash.to_hex()[..24])
}

/// The OpenAPI description of the routes, as JSON.
#[must_use]
pub fn description(version: &str) -> String {
    retrace_store_api::openapi(version).to_string()
}
