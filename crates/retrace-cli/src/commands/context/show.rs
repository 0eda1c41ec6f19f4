//! `retrace context show`

use super::Ended;
use super::input::Named;
use crate::exit::Exit;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::ContextShowReq;

/// Show what filled the context of a run: over time, at its peak, and by memory file
///
/// Context is as recorded; what it was made of is counted offline, and what the
/// counts do not explain is shown as not recorded.
///
///     retrace context show 5f3c
///     retrace context show ./session.jsonl --requests
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Session id or a beginning of it, path, or words of a title; - for standard input
    transcript: String,
    /// List every request
    #[arg(long)]
    requests: bool,
}

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let named = Named::new(&arguments.transcript, shell)?;
    let app = shell.app()?;
    let request = ContextShowReq { transcript: named.name.clone() };
    let shown = shell.work(&app, "Reading", || commands::context_show(&app, request));
    let mut shown = shown.map_err(|error| named.in_error(error))?;
    shown.transcript = named.called(&shown.transcript);
    if shell.json {
        // Each request stands for itself there.
        for request in &mut shown.requests {
            request.model = request.model.take().or_else(|| shown.model.clone());
        }
        shell.print(|out| json::line(out, &shown))?;
        return Ok(Exit::DONE);
    }
    let (style, width) = (shell.style(), shell.io.terminal.width);
    shell.print_long(|out| {
        print::context::show(out, &shown, arguments.requests, width, style)?;
        Ok(())
    })?;
    Ok(Exit::DONE)
}
