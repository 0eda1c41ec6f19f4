//! `retrace context key`

use super::Ended;
use crate::commands::tokens::bytes;
use crate::exit::Exit;
use crate::print;
use crate::shell::Shell;
use clap::{Args, Subcommand};
use retrace_api::commands;
use retrace_api::wire::{CounterKeyReq, Nothing};
use std::path::Path;

/// The key for exact counts: whether there is one, keep one, take it out
///
///     retrace context key
///     retrace context key set < key.txt
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Subcommand)]
enum Action {
    /// Keep the key that is read from standard input in the system's keyring
    ///
    ///     retrace context key set < key.txt
    #[command(verbatim_doc_comment)]
    Set,
    /// Remove the key from the system's keyring
    ///
    ///     retrace context key remove
    #[command(verbatim_doc_comment)]
    Remove,
}

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let status = match arguments.action {
        None => commands::counter_status(&app, Nothing {})?,
        Some(Action::Set) => {
            let text = String::from_utf8_lossy(&bytes(Path::new("-"), shell.io.stdin)?).trim().to_owned();
            commands::set_counter_key(&app, CounterKeyReq { key: Some(text), remove: false })?
        }
        Some(Action::Remove) => commands::set_counter_key(&app, CounterKeyReq { key: None, remove: true })?,
    };
    shell.print_one(&status, |out, _| print::counter(out, &status))?;
    Ok(Exit::DONE)
}
