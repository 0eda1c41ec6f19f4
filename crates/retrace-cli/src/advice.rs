//! The next step of an error, where it depends on the command that was typed, or where nothing else is known.
//!
//! What depends on the message alone is advised by `retrace-api`, for every client.

use retrace_api::wire::{ApiError, Code, Message};
use retrace_model::shell_word as word;

/// The error with its next step.
pub(crate) fn advised(error: ApiError, command: &str) -> ApiError {
    let error = retrace_api::advised(error);
    if let Some(hint) = instead(&error, command) {
        return ApiError { hint: Message::verbatim(hint), ..error };
    }
    if !error.hint.is_empty() {
        return error;
    }
    let hint = {
        let asks_otherwise = matches!(error.code, Code::Invalid | Code::NotFound);
        let command = format!("retrace {command}");
        asks_otherwise.then(|| format!("`{} --help` says what it takes.", command.trim_end()))
    };
    ApiError { hint: Message::verbatim(hint.unwrap_or_default()), ..error }
}

/// What is advised in place of what the error says.
fn instead(error: &ApiError, command: &str) -> Option<String> {
    let subject = error.subject.as_str();
    let is_number = !subject.is_empty() && subject.bytes().all(|byte| byte.is_ascii_digit());
    let said = error.hint.text();
    Some(match (error.hint.id(), error.message.id()) {
        ("target.newest", _) if argument(&error.hint, "newest").as_deref() == Some("0") => {
            "Nothing is recorded yet: `retrace discover` finds what there is, `retrace stores add DIR` adds it.".to_owned()
        }
        ("target.newest", "target.no_such_operation") => {
            format!("{said} The number of an operation is meant, not that of a version: `retrace log -v` prints both.")
        }
        ("acts.what_now_recorded_look_differences", _) => format!(
            "What is there now is recorded. `retrace log --path {}` lists it, `retrace diff VERSION` shows what changed. Then \
             repeat.",
            word(subject)
        ),
        (_, "entries.file_no_such_lines") => {
            format!("{said} `retrace blame {}` prints them with their numbers.", memory(subject)).trim_start().to_owned()
        }
        (_, "id.id_error") if matches!(command, "show" | "origin") && subject.contains(':') => match one_colon(subject) {
            Some((store, path)) => {
                format!("`retrace log {} --path {}` lists the versions of a memory.", word(store), word(path))
            }
            None => "`retrace log STORE --path PATH` lists the versions of a memory.".to_owned(),
        },
        (_, "engine.no_such_store") if command == "log" && is_number => {
            format!("{said} `retrace show {subject}` shows a version.").trim_start().to_owned()
        }
        (_, "engine.no_such_store") if command == "log" && subject.contains(':') => match one_colon(subject) {
            Some((store, path)) => {
                format!("`retrace log {} --path {}` lists the changes of one memory.", word(store), word(path))
            }
            None => "`retrace log STORE --path PATH` lists the changes of one memory.".to_owned(),
        },
        (_, "engine.no_such_store") if command == "instructions" => {
            format!("It is no directory here either: name one, or a store. {said}").trim_end().to_owned()
        }
        ("advice.form_of_a_time", _) => crate::time::FORMS.to_owned(),
        _ => return None,
    })
}

fn argument(message: &Message, name: &str) -> Option<String> {
    message.argument(name).map(ToString::to_string)
}

/// A store and a path, where it is certain which is which: names of stores may hold colons.
fn one_colon(text: &str) -> Option<(&str, &str)> {
    text.split_once(':').filter(|(_, path)| !path.contains(':'))
}

/// A memory to be typed, without the lines that may stand behind it.
fn memory(subject: &str) -> String {
    let is_lines =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let named =
        subject.rsplit_once(':').filter(|(_, lines)| is_lines(lines)).map_or(subject, |(named, _)| named);
    if named.contains(':') { word(named).into_owned() } else { "STORE:PATH".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_that_is_known_here_is_declared() {
        let declared: Vec<&str> = retrace_message::declarations().iter().map(|one| one.id).collect();
        let source = include_str!("advice.rs").split("#[cfg(test)]").next().expect("the module");
        let ids = retrace_message::ids_in(source);
        assert!(ids.len() > 5, "{ids:?}");
        for id in ids {
            assert!(declared.contains(&id), "{id} is no message");
        }
    }

    #[test]
    fn what_is_wrong_use_names_the_help_and_other_failures_none() {
        let error = |code| ApiError {
            code,
            message: Message::verbatim("That is wrong."),
            hint: Message::default(),
            subject: String::new(),
        };
        let said = |code, command| advised(error(code), command).hint.into_text();
        assert_eq!(said(Code::Invalid, "rule add"), "`retrace rule add --help` says what it takes.");
        assert_eq!(said(Code::NotFound, ""), "`retrace --help` says what it takes.");
        assert_eq!(said(Code::Internal, "log"), "");
        let kept = ApiError { hint: Message::verbatim("Do this."), ..error(Code::Invalid) };
        assert_eq!(advised(kept, "log").hint, "Do this.");
    }
}
