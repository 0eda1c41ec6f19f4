//! Reading a count. What the server said is untrusted.

use crate::facts;
use crate::request::Counted;
use retrace_message::Message;
use retrace_outbound::Answer;
use serde_json::Value;

/// The count of a good answer, or what is wrong with it.
pub(crate) fn count_of(answer: &Answer) -> Result<Counted, Message> {
    if answer.too_long {
        return Err(say::longer_than_bytes(facts::ANSWER_LIMIT));
    }
    let value: Value =
        serde_json::from_slice(&answer.body).map_err(|error| say::not_json(error.to_string()))?;
    let input_tokens = whole(value.get("input_tokens"), "input_tokens")?;
    let original_input_tokens = match value.get("context_management") {
        None | Some(Value::Null) => None,
        Some(Value::Object(edited)) => {
            Some(whole(edited.get("original_input_tokens"), "context_management.original_input_tokens")?)
        }
        Some(_) => return Err(say::context_management_not_object()),
    };
    Ok(Counted { input_tokens, original_input_tokens })
}

fn whole(value: Option<&Value>, name: &str) -> Result<u64, Message> {
    match value {
        None => Err(say::missing(name)),
        Some(value) => value.as_u64().ok_or_else(|| say::not_whole_number(name)),
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "answer";
    longer_than_bytes(value) => "it is longer than {value} bytes",
    not_json(error) => "not JSON ({error})",
    context_management_not_object() => "context_management is not an object",
    missing(name) => "{name} is missing",
    not_whole_number(name) => "{name} is not a whole number",
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
            assert_eq!(count_of(&answer(body)), Ok(expected), "{body}");
        }
    }

    #[test]
    fn what_is_no_count_is_reported() {
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
            assert!(count_of(&answer(body)).is_err(), "{}", &body[..body.len().min(60)]);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_a_count_or_a_fault(body: Vec<u8>, status: u16) {
            let answer = Answer { status, body, ..Answer::default() };
            let _ = count_of(&answer);
        }
    }
}
