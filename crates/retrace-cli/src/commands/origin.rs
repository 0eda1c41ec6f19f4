//! `retrace origin` and `retrace session`

use super::Ended;
use crate::exit::Exit;
use crate::print::names::Names;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::{Nothing, OriginReq, SessionRef};

/// Show who wrote a version, and why
///
/// Versions are compared with the transcripts on this machine, by path, content
/// and time. The answer says how sure it is: exact content, likely, front
/// matter, time only, or unknown.
///
///     retrace origin memver_00000cw4zj9kq2m7x1b3a
///     retrace origin memver_00000cw4zj9kq2m7x1b3a --around 10 --json
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Id of the version, as `retrace log` prints it
    version: String,
    /// Show so many messages before and after the write
    #[arg(long, value_name = "N", default_value_t = 0)]
    around: u64,
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let around = arguments.around;
    let origin = commands::origin(&app, OriginReq { version: arguments.version, around: Some(around) })?;
    if shell.json {
        shell.print(|out| json::line(out, &origin))?;
    } else {
        let style = shell.style();
        shell.print_long(|out| Ok(print::origin::origin(out, &origin, around > 0, style)?))?;
    }
    Ok(Exit::DONE)
}

/// List the writes of a session, in all stores
///
/// A line a version, newest first, as in `retrace log`, with how sure it is that
/// the session wrote it; then its calls that wrote and left no version.
/// `retrace rollback --session ID` takes back those that are stated, exact or
/// likely.
///
///     retrace session 5f3c
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct SessionArguments {
    /// Id of the session, or the beginning of it
    session: String,
}

pub(crate) fn session(arguments: SessionArguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let writes = commands::session_writes(&app, SessionRef { session: arguments.session })?;
    if shell.json {
        shell.print(|out| json::line(out, &writes))?;
    } else {
        let names = Names::of(commands::stores(&app, Nothing {})?);
        let style = shell.style();
        shell.print_long(|out| Ok(print::origin::session(out, &writes, &names, style)?))?;
    }
    Ok(Exit::DONE)
}
