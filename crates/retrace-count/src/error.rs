//! Errors of a count.

use retrace_message::{AsMessage, Message};
use retrace_outbound::BadConfig;
use std::time::Duration;

/// Why there is no count. Holds what the server said about it, never the key and never content of the request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, AsMessage)]
#[message("count")]
pub enum CountError {
    /// Neither the settings, the environment nor the keyring have a key.
    #[error("no key: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or keep one in the system's keyring")]
    NoKey,
    /// The settings cannot be used; a call without encryption to another machine is among the reasons.
    #[error(transparent)]
    Config(#[from] BadConfig),
    /// 401 or 403: the key is unknown, or may not do this.
    #[error("the key was refused ({status}): {message}{}", reported(request_id.as_ref()))]
    BadKey {
        /// The answer's status.
        status: u16,
        /// The server's own words, shortened.
        message: String,
        /// The request's id, to be told to the vendor.
        request_id: Option<String>,
    },
    /// Another status of 400 to 499: the request itself is not accepted. A further try would be answered alike.
    #[error("the request was refused ({status} {kind}): {message}{}", reported(request_id.as_ref()))]
    Refused {
        /// The answer's status.
        status: u16,
        /// The error's type in the answer, such as `invalid_request_error`; empty when it has none.
        kind: String,
        /// The server's own words, shortened.
        message: String,
        /// The request's id.
        request_id: Option<String>,
    },
    /// 429 on every try, or with a wait that is longer than allowed.
    #[error("the rate limit was reached, after {tries} tries: {message}{}", reported(request_id.as_ref()))]
    Limited {
        /// Calls made.
        tries: u32,
        /// The wait that the last answer asked for.
        retry_after: Option<Duration>,
        /// The server's own words, shortened.
        message: String,
        /// The request's id.
        request_id: Option<String>,
    },
    /// No usable connection, or 408, 409 or 500 and more, on every try.
    #[error("the service is not available, after {tries} tries: {cause}{}", reported(request_id.as_ref()))]
    Unavailable {
        /// The last answer's status; none when there was no answer.
        status: Option<u16>,
        /// Calls made.
        tries: u32,
        /// Error of the last try.
        cause: Message,
        /// The last request's id.
        request_id: Option<String>,
    },
    /// No answer within the time of one call, on every try.
    #[error("no answer within {} s, after {tries} tries", timeout.as_secs_f64())]
    Timeout {
        /// The time that one call had.
        timeout: Duration,
        /// Calls made.
        tries: u32,
    },
    /// The user stopped it.
    #[error("stopped")]
    Cancelled,
    /// The server points elsewhere. It is not followed: key and content go only where the settings say.
    #[error("the service answered {status} and points elsewhere{}; set the base URL to it if that is right",
        host.as_ref().map(say::to).unwrap_or_default())]
    Redirected {
        /// The answer's status.
        status: u16,
        /// The host of the answer's `location`.
        host: Option<String>,
    },
    /// The call was answered, but not with a count.
    #[error("the answer is not a count: {cause}{}", reported(request_id.as_ref()))]
    BadAnswer {
        /// Reason why it is invalid.
        cause: Message,
        /// The request's id.
        request_id: Option<String>,
    },
    /// Not sent, because an earlier call of the same run failed in a way that the others would share.
    #[error("not sent, since another call of this run failed")]
    NotSent,
}

impl CountError {
    /// True if the other calls of a run would meet the same, so that sending them is of no use.
    pub fn ends_a_run(&self) -> bool {
        match self {
            Self::NoKey
            | Self::Config(_)
            | Self::BadKey { .. }
            | Self::Limited { .. }
            | Self::Unavailable { .. }
            | Self::Cancelled
            | Self::Redirected { .. } => true,
            Self::Refused { .. } | Self::Timeout { .. } | Self::BadAnswer { .. } | Self::NotSent => false,
        }
    }
}

fn reported(request_id: Option<&String>) -> Message {
    request_id.map(say::request).unwrap_or_default()
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "error";
    to(host) => ", to {host}",
    request(id) => " (request {id})",
}
