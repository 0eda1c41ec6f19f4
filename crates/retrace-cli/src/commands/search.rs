//! `retrace search`

use super::Ended;
use crate::exit::Exit;
use crate::print::names::Names;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::{Nothing, SearchReq};

/// Search live memories, or every recorded version
///
/// Every word must occur, as the beginning of a word, upper and lower case
/// alike. With --history each hit is a version that brought the words in.
///
///     retrace search token expiry
///     retrace search --history 'staging db'
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The words
    #[arg(required = true, value_name = "QUERY")]
    words: Vec<String>,
    /// Look through all versions
    #[arg(long)]
    history: bool,
    /// Only in this store, by id, name or directory
    #[arg(long, allow_hyphen_values = true)]
    store: Option<String>,
    /// At most so many hits [default and maximum: 1000]
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
}

/// The API's largest answer.
const MAX: u64 = 1000;

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let request = SearchReq {
        query: arguments.words.join(" "),
        history: arguments.history,
        store: arguments.store.clone(),
        limit: Some(arguments.limit.unwrap_or(MAX)),
    };
    let result = commands::search(&app, request)?;
    let names = if shell.json { Names::default() } else { Names::of(commands::stores(&app, Nothing {})?) };
    let (as_json, style) = (shell.json, shell.style());
    shell.print_long(|out| {
        // Where none is asked for, the answer has one all the same.
        for hit in result.hits.iter().filter(|_| arguments.limit != Some(0)) {
            if as_json {
                json::line(out, hit)?;
            } else {
                print::search::hit(out, hit, &names, arguments.history, style)?;
            }
        }
        Ok(())
    })?;
    if result.hits.is_empty() {
        shell.note("Nothing was found.");
    }
    // Fewer than were asked for.
    if result.more && arguments.limit.is_none_or(|limit| limit > MAX) {
        shell.warn("There are more hits than these; give more words or a store.");
    }
    Ok(Exit::DONE)
}
