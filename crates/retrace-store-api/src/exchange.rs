//! A request and its answer between a transport and whatever keeps the stores.

use crate::call::{Call, RequestParts, check_path, read_call};
use crate::headers::check_betas;
use crate::open::{BODY_BYTES, BODY_TOO_LARGE};
use crate::refusal::{Kind, Refusal};
use retrace_model::{Actor, Evidence};
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

impl StoreRequest {
    /// Reads what it asks for.
    ///
    /// # Errors
    /// The refusal that answers it.
    pub fn understand(&self, legacy: bool) -> Result<Call, Refusal> {
        check_path(&self.path)?;
        check_betas(self.betas.iter().map(String::as_str))?;
        read_call(&RequestParts {
            method: &self.method,
            path: &self.path,
            query: &self.query,
            body: &self.body,
            legacy,
        })
    }

    /// Who asks: the session where one is named, the key otherwise.
    #[must_use]
    pub fn author(&self) -> Actor {
        match self.session.as_deref() {
            Some(id) if is_id(id) => Actor::Session { id: id.to_owned(), evidence: Evidence::Stated },
            _ => Actor::Api { id: self.key_id.clone() },
        }
    }
}

/// Characters of a session's id at most. Ids of hosted sessions have about thirty.
const SESSION_CHARACTERS: usize = 200;

/// True if a client's text can be the id of a session.
fn is_id(text: &str) -> bool {
    !text.is_empty() && text.len() <= SESSION_CHARACTERS && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Outcome of one call: an answer, or a refusal. A failure of the machine is a refusal by then.
pub type Outcome = Result<Value, Refusal>;

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

impl StoreAnswer {
    /// The answer that an outcome is told with.
    #[must_use]
    pub fn of(outcome: Outcome, request_id: String) -> Self {
        match outcome {
            Ok(value) => Self {
                status: 200,
                body: value.to_string().into_bytes(),
                request_id,
                retry: None,
                allow: None,
            },
            Err(refusal) => Self {
                status: refusal.kind.status(),
                body: refusal.to_json(&request_id).to_string().into_bytes(),
                retry: refusal.retry(),
                allow: refusal.allow,
                request_id,
            },
        }
    }
}

/// The id of a request, made from sixteen random bytes.
#[must_use]
pub fn request_id(random: u128) -> String {
    format!("req_{random:032x}")
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
    /// The refusal in the API's form.
    #[must_use]
    pub fn refusal(self) -> Refusal {
        let (kind, message) = match self {
            Self::Key => (Kind::Authentication, "The API key is missing or wrong.".to_owned()),
            Self::Place => {
                (Kind::Permission, "The request is for another host or comes from another origin.".to_owned())
            }
            Self::TooLarge => (BODY_TOO_LARGE, format!("The body is larger than {BODY_BYTES} bytes.")),
            Self::TooSlow => (Kind::Timeout, "The body did not arrive in time.".to_owned()),
            Self::Body => {
                (Kind::InvalidRequest, "body: must be JSON, with a content-type that says so".to_owned())
            }
        };
        Refusal::new(kind, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_author_is_the_session_that_is_named_and_the_key_otherwise() {
        let by = |session: Option<&str>| {
            let session = session.map(str::to_owned);
            StoreRequest { key_id: "apikey_a".to_owned(), session, ..StoreRequest::default() }.author()
        };
        let key = Actor::Api { id: "apikey_a".to_owned() };
        assert_eq!(
            by(Some("sesn_1")),
            Actor::Session { id: "sesn_1".to_owned(), evidence: Evidence::Stated }
        );
        for none in [None, Some(""), Some("two words"), Some("ä"), Some("x".repeat(201).as_str())] {
            assert_eq!(by(none), key, "{none:?}");
        }
    }

    #[test]
    fn an_answer_has_the_headers_of_its_refusal() {
        let answer = StoreAnswer::of(Err(Refusal::precondition()), request_id(7));
        assert_eq!((answer.status, answer.retry), (409, Some(false)));
        assert_eq!(answer.request_id, "req_00000000000000000000000000000007");
        assert!(String::from_utf8_lossy(&answer.body).contains(&answer.request_id));
    }
}
