//! `retrace context memory`

use super::{Ended, stoppable};
use crate::exit::Exit;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::MemoryPricesReq;

/// Show the cost of each memory file: its tokens, in how many sessions, the price of a session
///
/// Reads every transcript on this machine; the price is that of carrying the file
/// through a session at its recorded share of cached input.
///
///     retrace context memory
///     retrace context memory --store notes
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Only this store, by id, name or directory; its files that no session loaded are listed, too
    #[arg(long, allow_hyphen_values = true)]
    store: Option<String>,
}

/// Name of the job: the API's own name for it.
const JOB: &str = "memory";

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let request = MemoryPricesReq { store: arguments.store };
    let prices =
        stoppable(shell, &app, "Reading transcripts", JOB, || commands::context_memory(&app, request))?;
    let (as_json, style) = (shell.json, shell.style());
    shell.print_long(|out| {
        match as_json {
            true => prices.files.iter().try_for_each(|file| json::line(out, file))?,
            false => print::memory::prices(out, &prices.files, style)?,
        }
        Ok(())
    })?;
    let sessions = print::count(prices.sessions, "session", "sessions");
    shell.note(&format!("{sessions} looked at; {} of them tell what was loaded.", prices.sessions_telling));
    if prices.cancelled {
        shell.warn("It was stopped before its end; only what was read by then is in it.");
    }
    Ok(Exit::DONE)
}
