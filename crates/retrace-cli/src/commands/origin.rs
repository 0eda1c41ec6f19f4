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
///     retrace origin 824
///     retrace origin memver_00000cw4zj9kq2m7x1b3a --around 10 --json
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Number of the version, as `retrace log` prints it, or its id
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

/// Show a session: what it was asked, wrote and had
///
/// A line a version that it wrote in any store, newest first, as in `retrace log`,
/// with how sure that is; then its calls that wrote and left no version; its
/// prompts with the requests, price and changes of each; subagents; compactions
/// and what they lost; the instruction and memory files that it had, why each was
/// loaded and which requests sent it. Requests are numbered from 1; with --json
/// from 0. `retrace rollback --session ID` takes back the versions that are
/// stated, exact or likely.
///
///     retrace session 5f3c
///     retrace session 5f3c --json
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct SessionArguments {
    /// Id of the session, or the beginning of it
    session: String,
}

pub(crate) fn session(arguments: SessionArguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let session = commands::session(&app, SessionRef { session: arguments.session })?;
    if shell.json {
        shell.print(|out| json::line(out, &session))?;
    } else {
        let names = Names::of(commands::stores(&app, Nothing {})?);
        let style = shell.style();
        shell.print_long(|out| {
            print::origin::session(out, &session, &names, style)?;
            Ok(print::session::story(out, &session, style)?)
        })?;
    }
    Ok(Exit::DONE)
}
