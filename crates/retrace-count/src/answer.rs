//! Reading what the server said. All of it is untrusted.

use crate::facts;
use crate::request::Counted;
use serde_json::Value;

/// An answer with a status, read up to [`facts::ANSWER_LIMIT`].
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
    /// The body was longer than the limit.
    pub too_long: bool,
    pub request_id: Option<String>,
    pub location: Option<String>,
    pub retry_after: Option<String>,
    pub retry_after_ms: Option<String>,
    pub should_retry: Option<String>,
}

/// What an error answer says about itself, ready to be shown.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// The error's type, or empty.
    pub kind: String,
    /// Its message; the status where there is none.
    pub message: String,
    pub request_id: Option<String>,
}

impl Answer {
    /// The count of a good answer, or what is wrong with it.
    pub fn count(&self) -> Result<Counted, String> {
        if self.too_long {
            return Err(format!("it is longer than {} bytes", facts::ANSWER_LIMIT));
        }
        let value: Value =
            serde_json::from_slice(&self.body).map_err(|error| format!("not JSON ({error})"))?;
        let input_tokens = whole(value.get("input_tokens"), "input_tokens")?;
        let original_input_tokens = match value.get("context_management") {
            None | Some(Value::Null) => None,
            Some(Value::Object(edited)) => {
                Some(whole(edited.get("original_input_tokens"), "context_management.original_input_tokens")?)
            }
            Some(_) => return Err("context_management is not an object".to_owned()),
        };
        Ok(Counted { input_tokens, original_input_tokens })
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
            request_id: self.request_id(secrets).or_else(|| text("/request_id")),
        }
    }

    /// The id in the header.
    pub fn request_id(&self, secrets: &[&str]) -> Option<String> {
        self.request_id.as_deref().filter(|id| !id.is_empty()).map(|id| presentable(id, secrets))
    }
}

fn whole(value: Option<&Value>, name: &str) -> Result<u64, String> {
    match value {
        None => Err(format!("{name} is missing")),
        Some(value) => value.as_u64().ok_or_else(|| format!("{name} is not a whole number")),
    }
}

/// A stranger's text for a terminal or window: a server may repeat the key it was sent, which is cut out first.
pub(crate) fn presentable(text: &str, secrets: &[&str]) -> String {
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
    fn a_count_is_read_with_and_without_editing() {
        let counted = |input_tokens, original_input_tokens| Counted { input_tokens, original_input_tokens };
        for (body, expected) in [
            (r#"{"input_tokens":14}"#, counted(14, None)),
            (r#"{"input_tokens":14,"context_management":null,"more":1}"#, counted(14, None)),
            (
                r#"{"input_tokens":25000,"context_management":{"original_input_tokens":70000}}"#,
                counted(25000, Some(70000)),
            ),
        ] {
            assert_eq!(answer(body).count(), Ok(expected), "{body}");
        }
    }

    #[test]
    fn what_is_no_count_is_said() {
        let deep = "[".repeat(100_000);
        for body in [
            "",
            "{",
            "<html>",
            "[]",
            "14",
            "{}",
            deep.as_str(),
            r#"{"input_tokens":"14"}"#,
            r#"{"input_tokens":-1}"#,
            r#"{"input_tokens":1.5}"#,
            r#"{"input_tokens":1e400}"#,
            r#"{"input_tokens":1,"context_management":[]}"#,
            r#"{"input_tokens":1,"context_management":{}}"#,
            r#"{"input_tokens":1,"context_management":{"original_input_tokens":null}}"#,
        ] {
            assert!(answer(body).count().is_err(), "{}", &body[..body.len().min(60)]);
        }
    }

    #[test]
    fn a_complaint_never_repeats_the_key_and_stays_short() {
        let body = r#"{"type":"error","error":{"type":"authentication_error","message":"no\u001b[31m sk-1 here"},"request_id":"req_2"}"#;
        let said = Answer { status: 401, ..answer(body) }.complaint(&["sk-1"]);
        assert_eq!(
            (said.kind.as_str(), said.message.as_str()),
            ("authentication_error", "no [31m [key] here")
        );
        assert_eq!(said.request_id.as_deref(), Some("req_2"));

        let page = Answer { status: 502, ..answer("<html>") }.complaint(&[]);
        assert_eq!((page.kind.as_str(), page.message.as_str(), page.request_id), ("", "HTTP 502", None));
        let header = Answer { request_id: Some("req_1".into()), ..answer(body) };
        assert_eq!(header.complaint(&[]).request_id.as_deref(), Some("req_1"));
        assert_eq!(presentable(&"é".repeat(5000), &[]).chars().count(), facts::MESSAGE_LIMIT + 1);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_a_count_or_a_fault(body: Vec<u8>, status: u16) {
            let answer = Answer { status, body, ..Answer::default() };
            let _ = answer.count();
            assert!(answer.complaint(&["secret"]).message.chars().count() <= facts::MESSAGE_LIMIT + 1);
        }
    }
}
