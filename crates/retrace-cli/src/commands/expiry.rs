//! `retrace health expiry` and `retrace health expire`

use super::Ended;
use super::context::stoppable;
use super::entries::place;
use super::health::JOB;
use super::rollback::end_of_act;
use crate::exit::Exit;
use crate::print::names::Names;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code, ExpireMemory, ExpireReq, Expiry, ExpiryReq, Nothing};

/// Propose memories to remove: never loaded, old logs, past days, duplicates
///
/// Proposals with their evidence; nothing goes by itself. `retrace health expire` takes
/// what you choose.
///
///     retrace health expiry --loads
///     retrace health expiry notes --log-days 30
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Only this store, by id, name or directory
    #[arg(value_name = "STORE")]
    store: Option<String>,
    /// Also read transcripts, for memories that no session loads
    #[arg(long)]
    loads: bool,
    /// Days without being loaded or changed [default: 90]
    #[arg(long, value_name = "DAYS")]
    unloaded_days: Option<u32>,
    /// Age of a daily log in days [default: 90]
    #[arg(long, value_name = "DAYS")]
    log_days: Option<u32>,
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let Arguments { store, loads, unloaded_days, log_days } = arguments;
    let request = ExpiryReq { store, loads, unloaded_days, log_days };
    let expiry: Expiry = if loads {
        stoppable(shell, &app, "Reading transcripts", JOB, || commands::expiry(&app, request))?
    } else {
        commands::expiry(&app, request)?
    };
    if expiry.proposals.is_empty() {
        shell.note("Nothing is proposed.");
    }
    let names = if shell.json { Names::default() } else { Names::of(commands::stores(&app, Nothing {})?) };
    let as_json = shell.json;
    shell.print_long(|out| {
        expiry.proposals.iter().try_for_each(|proposal| match as_json {
            true => json::line(out, proposal),
            false => print::health::proposal(out, proposal, &names),
        })?;
        Ok(())
    })?;
    if !loads {
        shell.note("Memories that no session loads are told with --loads.");
    }
    if expiry.cancelled {
        shell.warn("It was stopped before its end; what sessions loaded is known in part.");
    }
    Ok(Exit::DONE)
}

/// Remove memories, and the lines of indexes that link to them, as one operation
///
/// `retrace undo` brings all of it back. A file that changed meanwhile is never
/// removed: the command then does nothing and exits with 4.
///
///     retrace health expire notes:logs/2026/01/2026-01-05.md --dry-run
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ExpireArguments {
    /// Memories to remove; all of one store
    #[arg(value_name = "STORE:PATH", required = true)]
    memories: Vec<String>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn expire(arguments: &ExpireArguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let mut request = ExpireReq { dry_run: arguments.dry_run, ..ExpireReq::default() };
    for memory in &arguments.memories {
        let (store, path) = place(&app, memory)?;
        if !request.store.is_empty() && request.store != store {
            return Err(ApiError {
                code: Code::Invalid,
                message: Message::verbatim("These memories are of different stores."),
                hint: Message::verbatim("Remove those of one store at a time."),
                subject: memory.clone(),
            }
            .into());
        }
        request.store = store;
        request.memories.push(ExpireMemory { path, expect: None });
    }
    let result = commands::expire(&app, request)?;
    end_of_act(&app, "Expiry", &result, shell)
}
