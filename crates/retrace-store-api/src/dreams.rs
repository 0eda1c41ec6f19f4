//! Dreams: what a host is asked for, checked before it is asked, and what it answers.
//!
//! Facts: Python SDK 2.11.0 (`DreamCreateParams`, `Dream`) and documentation page "Dreams". Nothing here calls anybody.

use crate::limits::{DREAM_INSTRUCTIONS_CHARACTERS, DREAM_SESSIONS};
use crate::refusal::Refusal;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// How the id of a session begins.
const SESSION_PREFIX: &str = "sesn_";
/// How the id of a dream begins.
const DREAM_PREFIX: &str = "drm_";

/// A dream to ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewDream {
    /// The store to read, by its id at the host.
    pub store: String,
    /// Sessions to read, 1 to 100, each once.
    pub sessions: Vec<String>,
    /// Model.
    pub model: String,
    /// What to do besides; 1 to 4,096 characters.
    pub instructions: Option<String>,
    /// Write into the store itself instead of a new one.
    pub update_existing: bool,
}

impl NewDream {
    /// The body of the request.
    ///
    /// # Errors
    /// The refusal that says which rule it breaks.
    pub fn body(&self) -> Result<Value, Refusal> {
        let refuse = |field: &str, what: &str| Err(Refusal::invalid(field, what));
        if self.sessions.is_empty() || self.sessions.len() > DREAM_SESSIONS {
            return refuse("session_ids", &format!("must have 1 to {DREAM_SESSIONS} sessions"));
        }
        if let Some(other) = self.sessions.iter().find(|id| !has_id(id, SESSION_PREFIX)) {
            return refuse(
                "session_ids",
                &format!("must have ids that begin with {SESSION_PREFIX}, not {other:?}"),
            );
        }
        let each: BTreeSet<&str> = self.sessions.iter().map(String::as_str).collect();
        if each.len() < self.sessions.len() {
            return refuse("session_ids", "must name each session once");
        }
        if self.model.is_empty() {
            return refuse("model", "must be given");
        }
        let mut body = Map::new();
        let inputs = json!([
            { "type": "memory_store", "memory_store_id": self.store },
            { "type": "sessions", "session_ids": self.sessions },
        ]);
        body.insert("inputs".to_owned(), inputs);
        body.insert("model".to_owned(), json!(self.model));
        if let Some(text) = &self.instructions {
            if text.is_empty() || text.chars().count() > DREAM_INSTRUCTIONS_CHARACTERS {
                let said = format!("must have 1 to {DREAM_INSTRUCTIONS_CHARACTERS} characters");
                return refuse("instructions", &said);
            }
            body.insert("instructions".to_owned(), json!(text));
        }
        if self.update_existing {
            let behavior = json!({ "type": "update_existing", "memory_store_id": self.store });
            body.insert("output_behavior".to_owned(), behavior);
        }
        Ok(Value::Object(body))
    }
}

/// Whether a text can be the id of a dream.
#[must_use]
pub fn is_dream_id(text: &str) -> bool {
    has_id(text, DREAM_PREFIX)
}

fn has_id(text: &str, prefix: &str) -> bool {
    let rest = text.strip_prefix(prefix).unwrap_or_default();
    !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dream() -> NewDream {
        NewDream {
            store: "memstore_1".to_owned(),
            sessions: vec!["sesn_b".to_owned(), "sesn_a".to_owned()],
            model: "a-model".to_owned(),
            ..NewDream::default()
        }
    }

    #[test]
    fn what_is_sent() {
        let inputs = json!([
            { "type": "memory_store", "memory_store_id": "memstore_1" },
            { "type": "sessions", "session_ids": ["sesn_b", "sesn_a"] },
        ]);
        assert_eq!(dream().body().unwrap(), json!({ "inputs": inputs, "model": "a-model" }));
        let more = NewDream { instructions: Some("tidy up".to_owned()), update_existing: true, ..dream() };
        let behavior = json!({ "type": "update_existing", "memory_store_id": "memstore_1" });
        assert_eq!(
            more.body().unwrap(),
            json!({ "inputs": inputs, "model": "a-model", "instructions": "tidy up", "output_behavior": behavior })
        );
    }

    #[test]
    fn what_is_refused() {
        let sessions = |ids: Vec<String>| NewDream { sessions: ids, ..dream() };
        let many = |number: usize| (0..number).map(|at| format!("sesn_{at}")).collect::<Vec<_>>();
        assert!(sessions(many(100)).body().is_ok());
        for refused in [
            sessions(Vec::new()),
            sessions(many(101)),
            sessions(vec!["sesn_1".to_owned(), "sesn_1".to_owned()]),
            sessions(vec!["other_1".to_owned()]),
            sessions(vec!["sesn_".to_owned()]),
            sessions(vec!["sesn_a/../b".to_owned()]),
            NewDream { model: String::new(), ..dream() },
            NewDream { instructions: Some(String::new()), ..dream() },
            NewDream { instructions: Some("x".repeat(4_097)), ..dream() },
        ] {
            assert!(refused.body().is_err(), "{refused:?}");
        }
        let longest = NewDream { instructions: Some("é".repeat(4_096)), ..dream() };
        assert!(longest.body().is_ok());
    }

    #[test]
    fn ids_of_dreams_stay_in_their_place() {
        assert!(is_dream_id("drm_01Hx"));
        for text in ["", "drm_", "drm_a/b", "drm_..", "sesn_1", "drm_a?b"] {
            assert!(!is_dream_id(text), "{text}");
        }
    }
}
