//! Request for a dream, checked before it is asked.
//!
//! Facts: Python SDK 2.11.0 (`DreamCreateParams`) and documentation page "Dreams". Nothing here calls anybody.

use crate::limits::{DREAM_INSTRUCTIONS_CHARACTERS, DREAM_SESSIONS};
use crate::refusal::Refusal;
use std::collections::BTreeSet;

/// Prefix of the id of a session.
const SESSION_PREFIX: &str = "sesn_";

/// Checks the parts of a request for a dream, besides its store: 1 to 100 sessions, each once; a model; instructions of 1 to
/// 4,096 characters, if any.
///
/// # Errors
/// The refusal that says which rule is broken.
pub fn check(sessions: &[String], model: &str, instructions: Option<&str>) -> Result<(), Refusal> {
    let refuse = |field: &str, what: &str| Err(Refusal::invalid(field, what));
    if sessions.is_empty() || sessions.len() > DREAM_SESSIONS {
        return refuse("session_ids", &format!("must have 1 to {DREAM_SESSIONS} sessions"));
    }
    if let Some(other) = sessions.iter().find(|id| !is_session_id(id)) {
        let reported = format!("must have ids that begin with {SESSION_PREFIX}, not {other:?}");
        return refuse("session_ids", &reported);
    }
    let each: BTreeSet<&String> = sessions.iter().collect();
    if each.len() < sessions.len() {
        return refuse("session_ids", "must name each session once");
    }
    if model.is_empty() {
        return refuse("model", "must be given");
    }
    match instructions.map(|text| text.chars().count()) {
        Some(0 | DREAM_INSTRUCTIONS_OVER..) => {
            let reported = format!("must have 1 to {DREAM_INSTRUCTIONS_CHARACTERS} characters");
            refuse("instructions", &reported)
        }
        Some(_) | None => Ok(()),
    }
}

/// The first number of characters that is one too many.
const DREAM_INSTRUCTIONS_OVER: usize = DREAM_INSTRUCTIONS_CHARACTERS + 1;

fn is_session_id(text: &str) -> bool {
    let rest = text.strip_prefix(SESSION_PREFIX).unwrap_or_default();
    !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn many(number: usize) -> Vec<String> {
        (0..number).map(|at| format!("sesn_{at}")).collect()
    }

    #[test]
    fn what_passes() {
        assert!(check(&many(1), "a-model", None).is_ok());
        assert!(check(&many(100), "a-model", Some(&"é".repeat(4_096))).is_ok());
    }

    #[test]
    fn what_is_refused() {
        let texts = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        for sessions in [
            many(0),
            many(101),
            texts(&["sesn_1", "sesn_1"]),
            texts(&["other_1"]),
            texts(&["sesn_"]),
            texts(&["sesn_a/../b"]),
        ] {
            assert!(check(&sessions, "a-model", None).is_err(), "{sessions:?}");
        }
        assert!(check(&many(1), "", None).is_err());
        assert!(check(&many(1), "a-model", Some("")).is_err());
        assert!(check(&many(1), "a-model", Some(&"x".repeat(4_097))).is_err());
    }
}
