//! One call to a server, what is told of it, and why it may have no answer.

use crate::config::BadConfig;
use crate::facts;
use retrace_message::{AsMessage, Message};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// A method of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Reads.
    Get,
    /// Makes or changes.
    Post,
    /// Deletes.
    Delete,
}

impl Method {
    /// Its name in capitals.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Delete => "DELETE",
        }
    }
}

/// One call, the same on every try.
#[derive(Clone)]
pub struct Call {
    /// The method.
    pub method: Method,
    /// The path below the base URL, from its slash on. Sent as it stands: only `A-Z a-z 0-9 - . _ ~ /` are taken, and
    /// no `.` or `..` segment.
    pub path: String,
    /// Names and values of the query, in order; encoded when sent.
    pub query: Vec<(String, String)>,
    /// Headers that win over those of the settings.
    pub headers: Vec<(String, String)>,
    /// The body; none is sent with GET and DELETE.
    pub body: Vec<u8>,
    /// Bytes of the answer's body that are read.
    pub answer_limit: u64,
    /// Types of errors that a further try would meet again, so that none is made whatever the status. Ours: the SDK
    /// tries every 409 again, unless the answer says not to.
    pub final_kinds: &'static [&'static str],
    /// True where a host that refuses connections is not tried again: nothing listens there, and somebody waits.
    pub refused_is_final: bool,
}

impl Call {
    /// A call without query, headers and body.
    pub fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            query: Vec::new(),
            headers: Vec::new(),
            body: Vec::new(),
            answer_limit: facts::ANSWER_LIMIT,
            final_kinds: &[],
            refused_is_final: false,
        }
    }

    /// The path with its query, as it is sent.
    pub(crate) fn target(&self) -> Result<String, BadConfig> {
        let plain = |byte: u8| byte == b'/' || is_unreserved(byte);
        let dots = self.path.split('/').any(|segment| matches!(segment, "." | ".."));
        if !self.path.starts_with('/') || dots || !self.path.bytes().all(plain) {
            return Err(BadConfig::Url(say::path_call_cannot_sent()));
        }
        let mut target = self.path.clone();
        for (at, (name, value)) in self.query.iter().enumerate() {
            target.push(if at == 0 { '?' } else { '&' });
            encode(name, &mut target);
            target.push('=');
            encode(value, &mut target);
        }
        Ok(target)
    }
}

/// RFC 3986, section 2.3.
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn encode(text: &str, into: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if is_unreserved(byte) {
            into.push(char::from(byte));
        } else {
            into.push('%');
            into.push(char::from(DIGITS[usize::from(byte >> 4)]));
            into.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
}

/// A try that was made, for the list of calls that a person can look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// When it was begun.
    pub at: SystemTime,
    /// Its method.
    pub method: Method,
    /// Scheme, host and path, without the query.
    pub address: String,
    /// The status answered; none when there was no answer.
    pub status: Option<u16>,
    /// Bytes of the body sent.
    pub sent: u64,
    /// Bytes of the body received, as far as it was read.
    pub received: u64,
}

/// Is told of each try when it has ended, on the thread that waits for it.
pub type Listener = Arc<dyn Fn(&Made) + Send + Sync>;

/// Why there is no answer. Never holds the key or what was sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, AsMessage)]
#[message("call", saved)]
pub enum CallError {
    /// The settings have no key.
    #[error("no key: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or keep one in the system's keyring")]
    NoKey,
    /// The settings cannot be used; a call without encryption to another machine is among the reasons.
    #[error(transparent)]
    Config(#[from] BadConfig),
    /// No usable connection, on every try.
    #[error("the service is not available, after {tries} tries: {cause}")]
    Unavailable {
        /// Calls made.
        tries: u32,
        /// Error of the last try.
        cause: Message,
    },
    /// No answer within the time of one call, on every try.
    #[error("no answer within {} s, after {tries} tries", timeout.as_secs_f64())]
    Timeout {
        /// The time that one call had.
        timeout: Duration,
        /// Calls made.
        tries: u32,
    },
    /// An answer that cannot be taken in at all.
    #[error("the answer cannot be read: {cause}")]
    BadAnswer {
        /// Reason why it is invalid.
        cause: Message,
    },
    /// The user stopped it.
    #[error("stopped")]
    Cancelled,
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "call";
    path_call_cannot_sent() => "the path of the call cannot be sent",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_encoded_and_a_path_is_plain() {
        let mut call = Call::new(Method::Get, "/v1/memory_stores/memstore_1");
        assert_eq!(call.target().unwrap(), "/v1/memory_stores/memstore_1");
        call.query =
            vec![("created_at[gte]".into(), "2026-11-20T10:00:00+00:00".into()), ("a".into(), "é &".into())];
        assert_eq!(
            call.target().unwrap(),
            "/v1/memory_stores/memstore_1?created_at%5Bgte%5D=2026-11-20T10%3A00%3A00%2B00%3A00&a=%C3%A9%20%26"
        );
        for path in ["", "v1", "/a b", "/a?b", "/a#b", "/%2e", "/..", "/a/../b", "/a\n", "/é", "/./a"] {
            assert!(Call::new(Method::Get, path).target().is_err(), "{path:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_query_is_sent_as_one_line_of_ascii(name: String, value: String) {
            let call = Call { query: vec![(name, value)], ..Call::new(Method::Get, "/a") };
            let target = call.target().unwrap();
            assert!(target.bytes().all(|byte| byte.is_ascii_graphic()), "{target}");
            assert_eq!(target.matches(['?', '&', '=', '#']).count(), 2);
        }
    }
}
