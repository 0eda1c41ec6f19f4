//! `retrace context request`

use super::Ended;
use super::input::Named;
use crate::exit::Exit;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code, RequestBodyReq};

/// Show one request of a run as it was sent: system, tools, messages, parameters
///
/// Claude Code 2.1.300 and later records every request. It is rebuilt from these
/// records, and its digest proves it. The request of an older transcript is put
/// together from its lines, and says so.
///
///     retrace context request 5f3c --at 12
///     retrace context request 5f3c --at 12 --raw > request.json
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Session id or a beginning of it, path, or words of a title; - for standard input
    transcript: String,
    /// Index of the request, from 0 (request 12 of `context show` is 11), or the id of a recorded one or its beginning
    #[arg(long, value_name = "N|ID")]
    at: String,
    /// Print the body alone, as canonical JSON, to the byte
    #[arg(long, conflicts_with = "json")]
    raw: bool,
}

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let named = Named::new(&arguments.transcript, shell)?;
    let app = shell.app()?;
    let request =
        RequestBodyReq { transcript: named.name.clone(), at: arguments.at.clone(), raw: arguments.raw };
    let shown = shell.work(&app, "Reading", || commands::context_request(&app, request));
    let shown = shown.map_err(|error| named.in_error(error))?;
    if arguments.raw {
        let why = shown.reason.clone().unwrap_or_default();
        let raw = shown.raw.as_deref().ok_or_else(|| ApiError {
            code: Code::NotFound,
            message: why,
            hint: Message::verbatim("Without --raw the request is printed as far as it is known."),
            subject: arguments.at.clone(),
        })?;
        shell.print_whole(|out| out.write_all(raw.as_bytes()))?;
        if shown.proved != Some(true)
            && let Some(reason) = &shown.reason
        {
            shell.warn(&format!("Not proved: {reason}"));
        }
        return Ok(Exit::DONE);
    }
    if shell.json {
        shell.print(|out| json::line(out, &shown))?;
        return Ok(Exit::DONE);
    }
    let style = shell.style();
    shell.print_long_whole(|out| {
        print::request::show(out, &shown, style)?;
        Ok(())
    })?;
    Ok(Exit::DONE)
}
