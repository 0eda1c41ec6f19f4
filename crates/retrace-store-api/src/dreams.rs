//! Request for a dream, checked before it is asked.
//!
//! Facts: Python SDK 2.11.0 (`DreamCreateParams`) and documentation page "Dreams". Nothing here calls anybody.

use crate::limits::{DREAM_INSTRUCTIONS_CHARACTERS, DREAM_SESSIONS};
use crate::refusal::Refusal;
use retrace_message::Message;
use std::collections::BTreeSet;

/// Prefix of the id of a session.
const SESSION_PREFIX: &str = "sesn_";

/// Checks the parts of a request for a dream, besides its store: 1 to 100 sessions, each once; a model; instructions of 1 to
/// 4,096 characters, if any.
///
/// # Errors
/// The refusal that says which rule is broken.
pub fn check(sessions: &[String], model: &str, instructions: Option<&str>) -> Result<(), Refusal> {
    let refuse = |field: &str, what: Message| Err(Refusal::invalid(field, what));
    if sessions.is_empty() || sessions.len() > DREAM_SESSIONS {
        return refuse("session_ids", say::must_1_sessions(DREAM_SESSIONS));
    }
    if let Some(other) = sessions.iter().find(|id| !is_session_id(id)) {
        let reported = say::must_ids_begin_not(SESSION_PREFIX, format!("{other:?}"));
        return refuse("session_ids", reported);
    }
    let each: BTreeSet<&String> = sessions.iter().collect();
    if each.len() < sessions.len() {
        return refuse("session_ids", say::must_name_each_session_once());
    }
    if model.is_empty() {
        return refuse("model", say::must_given());
    }
    match instructions.map(|text| text.chars().count()) {
        Some(0 | DREAM_INSTRUCTIONS_OVER..) => {
            let reported = say::must_1_characters(DREAM_INSTRUCTIONS_CHARACTERS);
            refuse("instructions", reported)
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

retrace_message::messages! {
    /// Messages of this module.
    mod say in "dreams";
    must_1_sessions(value) => "must have 1 to {value} sessions",
    must_ids_begin_not(value, other) => "must have ids that begin with {value}, not {other}",
    must_name_each_session_once() => "must name each session once",
    must_given() => "must be given",
    must_1_characters(value) => "must have 1 to {value} characters",
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
