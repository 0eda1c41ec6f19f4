//! Errors of the API: status, type, words.

use retrace_message::{AsMessage, Message};
use serde_json::{Value, json};
use thiserror::Error;

/// The type of an error, which says its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The request makes no sense as it stands.
    InvalidRequest,
    /// No key, or a wrong one.
    Authentication,
    /// The key may not do that, or the request comes from where none may come from.
    Permission,
    /// There is no such thing.
    NotFound,
    /// The path is served, but not with that method.
    Method,
    /// A memory stands in the way.
    PathConflict,
    /// The memory is not what the caller expects.
    PreconditionFailed,
    /// Another conflict with what is there.
    Conflict,
    /// More bytes than are taken.
    TooLarge,
    /// The server failed.
    Api,
    /// The request took too long to arrive.
    Timeout,
    /// The server is busy; trying again helps.
    Overloaded,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::InvalidRequest,
        Self::Authentication,
        Self::Permission,
        Self::NotFound,
        Self::Method,
        Self::PathConflict,
        Self::PreconditionFailed,
        Self::Conflict,
        Self::TooLarge,
        Self::Api,
        Self::Timeout,
        Self::Overloaded,
    ];

    /// The status of the answer. Source: documentation page "Claude API errors" and the SDKs.
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            Self::InvalidRequest => 400,
            Self::Authentication => 401,
            Self::Permission => 403,
            Self::NotFound => 404,
            Self::Method => 405,
            Self::PathConflict | Self::PreconditionFailed | Self::Conflict => 409,
            Self::TooLarge => 413,
            Self::Api => 500,
            Self::Timeout => 504,
            Self::Overloaded => 529,
        }
    }

    /// `error.type`. Source: Python SDK 2.11.0, `error_type.py`; TypeScript SDK 1.11.0, `memories.ts`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            // The documentation has no type of its own for 405: this one stands for every other 4xx.
            Self::InvalidRequest | Self::Method => "invalid_request_error",
            Self::Authentication => "authentication_error",
            Self::Permission => "permission_error",
            Self::NotFound => "not_found_error",
            Self::PathConflict => "memory_path_conflict_error",
            Self::PreconditionFailed => "memory_precondition_failed_error",
            Self::Conflict => "conflict_error",
            Self::TooLarge => "request_too_large",
            Self::Api => "api_error",
            Self::Timeout => "timeout_error",
            Self::Overloaded => "overloaded_error",
        }
    }
}

/// A request that is refused or failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Refusal {
    /// Kind.
    pub kind: Kind,
    /// One plain sentence.
    pub message: Message,
    /// For [`Kind::PathConflict`]: the path in the way, and the id of its memory, empty when that is unknown.
    pub conflicting: Option<(String, String)>,
    /// For [`Kind::Method`]: the methods the path takes, as the `Allow` header has them.
    pub allow: Option<String>,
}

impl Refusal {
    /// A refusal in these words.
    pub fn new(kind: Kind, message: impl AsMessage) -> Self {
        Self { kind, message: message.message(), conflicting: None, allow: None }
    }

    /// A request that makes no sense as it stands: what is wrong with one of its fields.
    pub fn invalid(field: &str, what: impl AsMessage) -> Self {
        Self::new(Kind::InvalidRequest, what.message().of(field))
    }

    /// There is no such thing.
    #[must_use]
    pub fn not_found(what: &str, id: &str) -> Self {
        // Ids are short; whatever else stands there is cut, so that an answer does not echo a long text.
        let shown: String = id.chars().take(80).collect();
        Self::new(Kind::NotFound, format!("{what} not found: {shown}"))
    }

    /// The path is served with these methods, and not with the one that was asked for.
    #[must_use]
    pub fn method(allowed: &[&str]) -> Self {
        let allow = allowed.join(", ");
        let message = format!("This path takes {allow} only.");
        Self { allow: Some(allow), ..Self::new(crate::open::WRONG_METHOD, message) }
    }

    /// A memory stands in the way of a path.
    #[must_use]
    pub fn in_the_way(path: String, memory: String) -> Self {
        Self {
            kind: Kind::PathConflict,
            message: Message::verbatim(format!("A memory at {path} is in the way.")),
            conflicting: Some((path, memory)),
            allow: None,
        }
    }

    /// The memory is not what the caller expects. What it is instead is not said.
    #[must_use]
    pub fn precondition() -> Self {
        Self::new(
            Kind::PreconditionFailed,
            "The memory's content does not have the expected content_sha256. Nothing was changed.",
        )
    }

    /// Advice to clients to try again or not; `None` leaves it to them.
    #[must_use]
    pub fn retry(&self) -> Option<bool> {
        (self.kind.status() == 409).then_some(crate::open::CONFLICT_RETRY)
    }

    /// The body of the answer. The hosted API's clients read `message` as text.
    #[must_use]
    pub fn to_json(&self, request_id: &str) -> Value {
        let mut error = json!({ "type": self.kind.as_str(), "message": self.message.to_string() });
        if let Some((path, memory)) = &self.conflicting {
            error["conflicting_path"] = path.as_str().into();
            error["conflicting_memory_id"] = memory.as_str().into();
        }
        json!({ "type": "error", "error": error, "request_id": request_id })
    }
}
