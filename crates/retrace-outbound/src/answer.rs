//! Reading what the server said. All of it is untrusted.

use crate::facts;
use serde_json::Value;

/// An answer with a status, read up to [`crate::Call::answer_limit`].
#[derive(Debug, Default)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The body, as far as it was read; empty when it was too long.
    pub body: Vec<u8>,
    /// The body was longer than the limit.
    pub too_long: bool,
    /// Calls made, this one included.
    pub tries: u32,
    /// An earlier try may have been carried out although its answer did not arrive: what it asked for may be done.
    pub in_doubt: bool,
    /// Header `request-id`, as it came.
    pub request_id: Option<String>,
    /// Header `location`, as it came.
    pub location: Option<String>,
    /// Header `retry-after`, as it came.
    pub retry_after: Option<String>,
    /// Header `retry-after-ms`, as it came.
    pub retry_after_ms: Option<String>,
    /// Header `x-should-retry`, as it came.
    pub should_retry: Option<String>,
}

/// Description in an error answer, ready to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// The error's type, or empty.
    pub kind: String,
    /// Its message; the status where there is none.
    pub message: String,
    /// The request's id, from the header or the body.
    pub request_id: Option<String>,
}

impl Answer {
    /// True if the status is of 200 to 299.
    pub fn is_good(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The server's words about an error, without `secrets`, control characters or undue length.
    pub fn complaint(&self, secrets: &[&str]) -> Complaint {
        let value: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        let text = |pointer: &str| {
            let found = value.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
            found.map(|text| presentable(text, secrets))
        };
        Complaint {
            kind: text("/error/type").unwrap_or_default(),
            message: text("/error/message").unwrap_or_else(|| format!("HTTP {}", self.status)),
            request_id: self.shown_request_id(secrets).or_else(|| text("/request_id")),
        }
    }

    /// The id in the header, ready to be shown.
    pub fn shown_request_id(&self, secrets: &[&str]) -> Option<String> {
        self.request_id.as_deref().filter(|id| !id.is_empty()).map(|id| presentable(id, secrets))
    }

    /// True if the error's type is one of these.
    pub(crate) fn is_final(&self, final_kinds: &[&str]) -> bool {
        if final_kinds.is_empty() || self.status < 400 {
            return false;
        }
        let value: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        value.pointer("/error/type").and_then(Value::as_str).is_some_and(|kind| final_kinds.contains(&kind))
    }
}

/// A stranger's text for a terminal or window: a server may repeat the key it was sent, which is cut out first.
pub fn presentable(text: &str, secrets: &[&str]) -> String {
    let text = secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "[key]"));
    let mut shown: String = text
        .chars()
        .take(facts::MESSAGE_LIMIT)
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect();
    if text.chars().nth(facts::MESSAGE_LIMIT).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(body: &str) -> Answer {
        Answer { status: 200, body: body.as_bytes().to_vec(), ..Answer::default() }
    }

    #[test]
    fn a_complaint_never_repeats_the_key_and_stays_short() {
        let body = r#"{"type":"error","error":{"type":"authentication_error","message":"no\u001b[31m sk-1 here"},"request_id":"req_2"}"#;
        let reported = Answer { status: 401, ..answer(body) }.complaint(&["sk-1"]);
        assert_eq!(
            (reported.kind.as_str(), reported.message.as_str()),
            ("authentication_error", "no [31m [key] here")
        );
        assert_eq!(reported.request_id.as_deref(), Some("req_2"));

        let page = Answer { status: 502, ..answer("<html>") }.complaint(&[]);
        assert_eq!((page.kind.as_str(), page.message.as_str(), page.request_id), ("", "HTTP 502", None));
        let header = Answer { request_id: Some("req_1".into()), ..answer(body) };
        assert_eq!(header.complaint(&[]).request_id.as_deref(), Some("req_1"));
        assert_eq!(presentable(&"é".repeat(5000), &[]).chars().count(), facts::MESSAGE_LIMIT + 1);
    }

    #[test]
    fn only_errors_of_a_named_type_are_final() {
        let conflict = r#"{"error":{"type":"memory_path_conflict_error"}}"#;
        let final_kinds = ["memory_path_conflict_error"];
        assert!(Answer { status: 409, ..answer(conflict) }.is_final(&final_kinds));
        assert!(!Answer { status: 409, ..answer(conflict) }.is_final(&[]));
        assert!(!answer(conflict).is_final(&final_kinds));
        assert!(!Answer { status: 409, ..answer("conflict") }.is_final(&final_kinds));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_a_complaint(body: Vec<u8>, status: u16) {
            let answer = Answer { status, body, ..Answer::default() };
            assert!(answer.complaint(&["secret"]).message.chars().count() <= facts::MESSAGE_LIMIT + 1);
            let _ = answer.is_final(&["a"]);
        }
    }
}
