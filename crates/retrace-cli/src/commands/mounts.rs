//! `retrace remote mounts`

use super::Ended;
use super::tokens::bytes;
use crate::exit::Exit;
use crate::print;
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code, MountsReq};
use std::path::PathBuf;

/// Check the attach list of a session: what it would mount, and where
///
/// FILE holds the `resources` of a session as JSON: the list, or an object that
/// has one. Answered from the stores and mirrors that are here; no host is
/// called. Exits with 5 when the API would refuse the list.
///
///     retrace remote mounts session.json
///     retrace remote mounts - --model claude-opus-5 < session.json
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The list; - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Count as this model does [default: one of the newest]
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let read = bytes(&arguments.file, shell.io.stdin)?;
    let resources = serde_json::from_slice(&read).map_err(|error| ApiError {
        code: Code::Invalid,
        message: Message::verbatim(format!("This is not JSON: {error}.")),
        hint: Message::verbatim("An attach list is the `resources` of a session."),
        subject: arguments.file.display().to_string(),
    })?;
    let app = shell.app()?;
    let request = MountsReq { resources, model: arguments.model };
    let mounts = shell.work(&app, "Counting", || commands::check_mounts(&app, request))?;
    shell.print_one(&mounts, |out, style| print::mounts::mounts(out, &mounts, style))?;
    Ok(if mounts.ok { Exit::DONE } else { Exit::FINDINGS })
}
