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

#[cfg(test)]
mod model;

pub use queue::{ReadJob, Ready, StoreService, WriteJob};
pub use retrace_store_api::open::BODY_BYTES;
pub use share::{mount_store, share_store};
pub(crate) use text_cache::TextCache;

use crate::wire::{ApiError, Code};
use retrace_model::{Actor, Evidence};
use retrace_store_api::{Call, Kind, Refusal, RequestParts, check_betas, check_path, read_call};
use serde_json::Value;

/// A request as a transport received it. Whether the key is right was decided before.
#[derive(Clone, Debug, Default)]
pub struct StoreRequest {
    /// `GET`, `POST`, `PATCH` or `DELETE`.
    pub method: String,
    /// The path, not decoded.
    pub path: String,
    /// Text after the question mark, not decoded.
    pub query: String,
    /// The body.
    pub body: Vec<u8>,
    /// The values of all `anthropic-beta` headers.
    pub betas: Vec<String>,
    /// Id of the key, never the key.
    pub key_id: String,
    /// The session the client says it writes for.
    pub session: Option<String>,
}

/// An answer for a transport to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreAnswer {
    /// The HTTP status.
    pub status: u16,
    /// JSON.
    pub body: Vec<u8>,
    /// The value of the `request-id` header, which the body of an error has as well.
    pub request_id: String,
    /// The value of the `x-should-retry` header, where there is one.
    pub retry: Option<bool>,
    /// The value of the `allow` header, which a wrong method is answered with.
    pub allow: Option<String>,
}

/// Outcome of one call: an answer, or a refusal. A failure of the machine is a refusal by then.
pub type Outcome = Result<Value, Refusal>;

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

/// Reads what a request asks for.
fn understand(request: &StoreRequest, legacy: bool) -> Result<Call, Refusal> {
    check_path(&request.path)?;
    check_betas(request.betas.iter().map(String::as_str))?;
    read_call(&RequestParts {
        method: &request.method,
        path: &request.path,
        query: &request.query,
        body: &request.body,
        legacy,
    })
}

/// Characters of a session's id at most. Ids of hosted sessions have about thirty.
const SESSION_CHARACTERS: usize = 200;

/// True if a client's text can be the id of a session.
fn is_id(text: &str) -> bool {
    !text.is_empty() && text.len() <= SESSION_CHARACTERS && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Who asks: the session where one is named, the key otherwise.
fn author(request: &StoreRequest) -> Actor {
    match request.session.as_deref() {
        Some(id) if is_id(id) => Actor::Session { id: id.to_owned(), evidence: Evidence::Stated },
        _ => Actor::Api { id: request.key_id.clone() },
    }
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

/// A refusal of the transport, before a request reaches the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The key is missing or wrong.
    Key,
    /// The request is for another host, or comes from another origin.
    Place,
    /// The body is larger than [`BODY_BYTES`].
    TooLarge,
    /// The body did not arrive in time.
    TooSlow,
    /// The body broke off, or is not said to be JSON.
    Body,
}

impl Refused {
    fn refusal(self) -> Refusal {
        let (kind, message) = match self {
            Self::Key => (Kind::Authentication, "The API key is missing or wrong.".to_owned()),
            Self::Place => {
                (Kind::Permission, "The request is for another host or comes from another origin.".to_owned())
            }
            Self::TooLarge => (
                retrace_store_api::open::BODY_TOO_LARGE,
                format!("The body is larger than {BODY_BYTES} bytes."),
            ),
            Self::TooSlow => (Kind::Timeout, "The body did not arrive in time.".to_owned()),
            Self::Body => {
                (Kind::InvalidRequest, "body: must be JSON, with a content-type that says so".to_owned())
            }
        };
        Refusal::new(kind, message)
    }
}
