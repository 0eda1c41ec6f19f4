//! The next step of an error that names none itself, or only what helps with every error of its code.
//!
//! It depends on the message alone, by its id, so every client has it. It names commands of the terminal, as what is typed
//! can be told in one line; the window has words of its own for them (`ui/src/shared/in-window.ts`), and the terminal adds
//! what depends on the command that was typed.

use crate::wire::{ApiError, Message};
use retrace_model::shell_word as word;

/// The error with its next step, where it has none of its own and one is known. Errors of commands have it already.
#[must_use]
pub fn advised(error: ApiError) -> ApiError {
    if !is_for_any(&error) {
        return error;
    }
    match next_step(&error) {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// True where the error has no advice of its own: none, or what every error of its code is given.
fn is_for_any(error: &ApiError) -> bool {
    error.hint.is_empty() || error.hint == ApiError::new(error.code, Message::default(), "").hint
}

fn next_step(error: &ApiError) -> Option<Message> {
    let subject = error.subject.as_str();
    let by = || error.message.argument("by").map(ToString::to_string);
    Some(match error.message.id() {
        "failures.no_such_operation" | "target.no_such_operation" => say::number_of_an_operation(),
        "failures.no_such_review" => say::number_of_a_review(),
        "review.review_taken_back_already"
        | "review.review_taken_back_already_2"
        | "review.review_takes_another_one_back" => say::decide_anew(),
        "append.operation_taken_back_already_operation" => say::do_again(by()?),
        "failures.no_such" => match error.message.argument("what")?.to_string().as_str() {
            "rule" => say::list_rules(),
            "break" => say::list_breaks(),
            _ => return None,
        },
        "memory_rules.no_such_rule" => say::list_rules(),
        "broken_rules.no_such_break" => say::list_breaks(),
        "failures.no_such_memory" | "reach.no_such_memory" | "worth.no_live_memory" => {
            match one_colon(subject) {
                Some((store, _)) => say::list_memories_of(word(store)),
                None => say::list_memories(),
            }
        }
        "memories.nothing_path_then" => match one_colon(subject) {
            Some((store, path)) => {
                let path = path.rsplit_once('@').map_or(path, |(path, _)| path);
                say::when_it_was_there(word(store), word(path))
            }
            None => say::when_a_path_was_there(),
        },
        "bundle.bundle_cannot_read" => say::what_a_bundle_is(),
        "stores.directory_holds_retraces_own_log" => say::another_place_for_the_log(),
        "failures.file_data_directory_failed" => say::look_at_the_data_directory(),
        "stores.hosted_store_not_directory" => say::how_a_hosted_store_is_added(),
        "target.hash_64_hexadecimal_digits"
        | "review.hash_64_hexadecimal_digits"
        | "rollback.hash_64_hexadecimal_digits" => say::where_a_hash_is_shown(),
        "config.unknown_rule" => say::list_rules_of_findings(),
        "path.component" => say::name_a_path_below(),
        "time.timestamp_error" => say::form_of_a_time(),
        "table.request_cannot_read" | "table.no_such_field" | "table.no_such_command" => say::list_commands(),
        id if id.starts_with("rules.") => say::fields_of_a_rule(),
        _ => return None,
    })
}

/// A store and a path, where it is certain which is which: names of stores may hold colons.
fn one_colon(text: &str) -> Option<(&str, &str)> {
    text.split_once(':').filter(|(_, path)| !path.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{App, AppOptions};
    use serde_json::json;

    #[test]
    fn every_message_that_is_known_here_is_declared() {
        let declared: Vec<&str> = retrace_message::declarations().iter().map(|one| one.id).collect();
        let source = include_str!("advice.rs").split("#[cfg(test)]").next().expect("the module");
        let ids = retrace_message::ids_in(source);
        assert!(ids.len() > 20, "{ids:?}");
        for id in ids {
            assert!(declared.contains(&id), "{id} is no message");
        }
    }

    #[test]
    fn what_a_command_refuses_is_told_with_the_next_step_on_every_transport() {
        let directory = tempfile::tempdir().expect("a directory");
        let options = AppOptions::for_this_machine(Some(directory.path().join("data"))).expect("options");
        let app = App::open(options).expect("an app");
        for (name, request, step) in [
            ("undo", json!({"operation_seq": 99}), "`retrace log -v`"),
            ("undo_review", json!({"review_seq": 99}), "`retrace undo --review`"),
            ("adherence", json!({"rule": "rule_9"}), "`retrace rule list --removed`"),
            ("undo", json!({"operation_seq": "x"}), "`GET /api/v1/commands`"),
            ("undo_review", json!({"review": 99}), "`GET /api/v1/commands`"),
            ("undoes", json!({}), "`GET /api/v1/commands`"),
        ] {
            let error = app.call(name, request).expect_err("it is refused");
            assert!(error.hint.text().contains(step), "{name}: {error:?}");
        }
    }

    #[test]
    fn advice_of_the_error_itself_stays() {
        let own = ApiError::invalid(say::list_rules(), "x").hint(say::list_breaks());
        assert_eq!(advised(own.clone()), own);
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "advice";
    number_of_an_operation() => "The number of an operation is meant, not that of a version: `retrace log -v` prints both.",
    number_of_a_review() => "Whoever approves or rejects is told the number of the review. `retrace undo --review` without one takes back your newest.",
    decide_anew() => "`retrace inbox` lists what is open; decide there anew.",
    do_again(by) => "`retrace undo {by}` does it again.",
    list_rules() => "`retrace rule list --removed` lists all rules with their ids.",
    list_breaks() => "`retrace rule broken` lists the breaks with their ids.",
    list_memories() => "`retrace memories STORE` lists the memories that are there.",
    list_memories_of(store) => "`retrace memories {store}` lists the memories that are there.",
    when_it_was_there(store, path) => "`retrace log {store} --path {path}` says when it was there.",
    when_a_path_was_there() => "`retrace log STORE --path PATH` says when it was there.",
    what_a_bundle_is() => "A bundle is a file that `retrace export STORE --to FILE.retrace` wrote.",
    another_place_for_the_log() => "Give another directory, or keep the log elsewhere: `--data-dir DIR` names its place.",
    look_at_the_data_directory() => "Look at the data directory and its permissions, or name another with --data-dir.",
    how_a_hosted_store_is_added() => "`retrace remote add --help` says how a hosted store is added.",
    where_a_hash_is_shown() => "`retrace show VERSION --json` has the hash of a content: `content_sha256`.",
    list_rules_of_findings() => "`retrace health rules` lists the rules with their groups.",
    name_a_path_below() => "Name a path below the directory of the store, such as notes/a.md.",
    form_of_a_time() => "A time is written as 2026-11-26T14:00:00Z (RFC 3339).",
    list_commands() => "`GET /api/v1/commands` lists the commands and what each takes.",
    fields_of_a_rule() => "`retrace rule propose --json` prints rules with the fields of their kind, `retrace rule add --help` lists them.",
}
