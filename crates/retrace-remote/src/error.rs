//! Why a host did not do what was asked.

use retrace_message::{AsMessage, Message};
use retrace_outbound::{BadConfig, CallError};
use std::time::Duration;

/// Why a call did not come to its end. Holds what the host said about it, never the key and never a memory's content.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, AsMessage)]
#[message("remote", saved)]
pub enum RemoteError {
    /// There is no key for the host.
    #[error("there is no key for this host")]
    NoKey,
    /// The settings cannot be used; a call without encryption to another machine is among the reasons.
    #[error(transparent)]
    Config(#[from] BadConfig),
    /// An argument is no identifier, so that nothing was sent.
    #[error("that is not {wanted}")]
    BadId {
        /// Wanted form, with its article: `a memory's id (mem_…)`.
        wanted: Message,
    },
    /// No usable connection, no answer in time, or 408 or 500 and more, on every try.
    #[error("the host is not available, after {tries} tries: {cause}")]
    Unreachable {
        /// The last answer's status; none when there was no answer.
        status: Option<u16>,
        /// Calls made.
        tries: u32,
        /// Error of the last try.
        cause: Message,
    },
    /// The user stopped it.
    #[error("stopped")]
    Cancelled,
    /// 429 on every try, or with a wait that is longer than allowed.
    #[error("the host's rate limit was reached: {message}")]
    Limited {
        /// The wait that the last answer asked for.
        retry_after: Option<Duration>,
        /// The host's own words, shortened.
        message: String,
    },
    /// 401 or 403: the key is unknown there, or may not do this.
    #[error("the host refused the key ({status}): {message}")]
    KeyRefused {
        /// The answer's status.
        status: u16,
        /// The host's own words, shortened.
        message: String,
    },
    /// 404: there is no such store, memory, version or dream, or no such route.
    #[error("the host does not have it: {message}")]
    NotFound {
        /// The host's own words, shortened.
        message: Message,
    },
    /// The memory has another content than the caller expected. Nothing changed.
    #[error("the memory changed at the host: {message}")]
    PreconditionFailed {
        /// The host's own words, shortened.
        message: Message,
    },
    /// The path is taken, or lies above or below one that is. Nothing changed.
    #[error("the path is taken at the host, by {path}")]
    PathConflict {
        /// The path in the way, as the host says it; the asked one when it does not.
        path: String,
        /// The memory in the way, where the host says it.
        memory_id: Option<String>,
    },
    /// The host refused it in another way. A further try would be answered alike.
    #[error("the host refused it ({status} {kind}): {message}")]
    Refused {
        /// The answer's status.
        status: u16,
        /// The error's type, such as `invalid_request_error`; empty when it has none.
        kind: String,
        /// The host's own words, shortened.
        message: String,
    },
    /// 413: what was sent is too large for the host.
    #[error("it is too large for the host: {message}")]
    TooLarge {
        /// The host's own words, shortened.
        message: String,
    },
    /// The answer is larger than is read. A page can be asked for with fewer items.
    #[error("the host's answer has more than {limit} bytes")]
    AnswerTooLarge {
        /// Bytes that are read.
        limit: u64,
    },
    /// The host points elsewhere. It is not followed: key and content go only where the settings say.
    #[error("the host answered {status} and points elsewhere{}; use that address if it is right",
        host.as_ref().map(say::to_2).unwrap_or_default())]
    Redirected {
        /// The answer's status.
        status: u16,
        /// The host it points to.
        host: Option<String>,
    },
    /// The answer is not what the API documents: what is wrong with it. Nothing of it was taken.
    #[error("the host's answer is not understood: {cause}")]
    NotUnderstood {
        /// Reason why it is invalid.
        cause: Message,
    },
}

impl From<CallError> for RemoteError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::NoKey => Self::NoKey,
            CallError::Config(error) => Self::Config(error),
            CallError::Unavailable { tries, cause } => Self::Unreachable { status: None, tries, cause },
            CallError::Timeout { timeout, tries } => Self::Unreachable {
                status: None,
                tries,
                cause: say::no_answer_within_s(timeout.as_secs_f64()),
            },
            CallError::BadAnswer { cause } => Self::NotUnderstood { cause },
            CallError::Cancelled => Self::Cancelled,
        }
    }
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "error";
    to_2(host) => ", to {host}",
    no_answer_within_s(as_secs_f64) => "no answer within {as_secs_f64} s",
}
