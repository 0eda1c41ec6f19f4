//! The commands of Retrace in a terminal.
//!
//! [`run`] parses what was typed, calls [`retrace_api`] and prints the answer; `main` only brings the machine's streams.
//! Three steps are kept apart: `args` is what was typed; each file of `commands` turns it into the request it means and
//! calls; `print` turns wire types into text. With `--json` the wire types themselves are printed.
//!
//! Deliberately absent: any decision about memories, and any state. What the exit code is for which failure stands in
//! [`retrace_api::wire::Code::exit_code`].
//!
//! Invariants: text of memories, paths and notes never reaches the terminal raw: what is invisible or moves the cursor is
//! written out (`print::visible`). Results go to standard output, everything else to standard error. A reader that stops
//! reading is not an error.

mod advice;
mod args;
mod commands;
mod exit;
mod input;
mod io;
mod overview;
mod pager;
mod progress;
mod secret;
mod shell;
mod stop;
#[cfg(test)]
mod tests;
mod time;

use retrace_print as print;

pub use commands::hub_window::beside as hub_window;
pub use exit::Exit;
pub use io::{Io, Key, NextKey, Terminal};
pub use retrace_print::Zone;
pub use stop::Stop;

use args::Arguments;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, FromArgMatches as _};
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code};
use shell::Shell;
use std::ffi::{OsStr, OsString};

/// Its name in help texts, whatever the file is called.
const PROGRAM: &str = "retrace";

/// Widest help text. Longer lines are hard to read.
const HELP_COLUMNS: usize = 100;

/// Runs one command: `arguments` without the program's name, as the process got them.
pub fn run(arguments: impl IntoIterator<Item = OsString>, io: &mut Io<'_>) -> Exit {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let parser = Arguments::command().term_width(io.columns().min(HELP_COLUMNS));
    let groups = overview::groups(&parser);
    let parser = parser.before_help(groups);
    let words = std::iter::once(OsStr::new(PROGRAM)).chain(arguments.iter().map(OsString::as_os_str));
    let parsed = parser.try_get_matches_from(words).and_then(|found| {
        let command = command_of(&found);
        Arguments::from_arg_matches(&found).map(|parsed| (parsed, command))
    });
    match parsed {
        Ok((parsed, command)) => {
            let mut shell = Shell::new(io, &parsed.global, command);
            let ended = match parsed.command {
                Some(command) => commands::run(command, &mut shell),
                None => commands::today::run(&mut shell),
            };
            shell.end(ended)
        }
        Err(message) => help_or_usage(&message, &arguments, io),
    }
}

/// The names of a command and of those above it.
fn command_of(found: &clap::ArgMatches) -> String {
    let each = std::iter::successors(Some(found), |found| found.subcommand().map(|(_, below)| below));
    each.filter_map(|found| found.subcommand_name()).collect::<Vec<_>>().join(" ")
}

/// What the parser says, in a sentence and an advice: the lines before the first empty one, and a tip where it has one.
fn sentence_and_tip(text: &str) -> (String, String) {
    let said = text.lines().take_while(|line| !line.trim().is_empty()).map(str::trim);
    let sentence = said.collect::<Vec<_>>().join(" ");
    let tips = text.lines().filter_map(|line| line.trim().strip_prefix("tip: "));
    let tip: String = tips.map(|tip| format!("Tip: {tip}. ")).collect();
    let mut letters = sentence.trim_start_matches("error: ").chars();
    let upper = letters.next().map(|first| first.to_ascii_uppercase());
    let sentence = upper.into_iter().chain(letters).collect::<String>();
    (format!("{}.", sentence.trim_end_matches('.')), tip)
}

/// The names of the command in the line that says how it is used; none for the program itself.
fn command_in_usage(text: &str) -> String {
    let usage = text.lines().find_map(|line| line.trim().strip_prefix("Usage: retrace ")).unwrap_or_default();
    let is_name = |word: &&str| word.starts_with(|first: char| first.is_ascii_lowercase());
    usage.split(' ').take_while(is_name).collect::<Vec<_>>().join(" ")
}

/// The argument or the command that the parser does not take, as it was typed or is declared.
fn wrong_argument(message: &clap::Error) -> Option<String> {
    [ContextKind::InvalidSubcommand, ContextKind::InvalidArg].iter().find_map(|kind| {
        Some(match message.get(*kind)? {
            ContextValue::String(one) => one.clone(),
            ContextValue::Strings(several) => several.join(" "),
            _ => return None,
        })
    })
}

/// Help and version go to standard output and are no error. Anything else is a wrong use.
fn help_or_usage(message: &clap::Error, arguments: &[OsString], io: &mut Io<'_>) -> Exit {
    let asked_for_json = arguments.iter().take_while(|word| *word != "--").any(|word| word == "--json");
    if matches!(message.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let written = write!(io.stdout, "{}", message.render()).and_then(|()| io.stdout.flush());
        let Some(error) = written.err().and_then(|error| shell::output_error(&error)) else {
            return Exit::DONE;
        };
        let _ = match asked_for_json {
            true => print::json::error(io.stderr, &error),
            false => print::error::error(io.stderr, &error, print::paint::Paint::plain(), io.zone),
        };
        return Exit::of(error.code);
    }
    let text = message.render().to_string();
    if asked_for_json {
        let (sentence, tip) = sentence_and_tip(&text);
        let command = command_in_usage(&text);
        let help = match command.is_empty() {
            true => "`retrace help` lists the commands and their options.".to_owned(),
            false => format!("`retrace {command} --help` says what it takes."),
        };
        let error = ApiError {
            code: Code::Invalid,
            message: Message::verbatim(sentence),
            hint: Message::verbatim(format!("{tip}{help}")),
            subject: wrong_argument(message).unwrap_or(command),
        };
        let _ = print::json::error(io.stderr, &error);
    } else {
        let _ = write!(io.stderr, "{}", print::visible::lines(&text));
    }
    Exit::of(Code::Invalid)
}
