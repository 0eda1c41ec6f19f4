//! `retrace clients`

use super::Ended;
use crate::exit::Exit;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::Nothing;

/// List the agents on this machine
///
/// Each with its version and where that stands, what of it is read, and the first
/// version for which that is exact. No program is run: the version is that of the
/// installed package, or the one that the newest session says.
///
///     retrace clients
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {}

pub(crate) fn run(_: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let found = commands::clients(&app, Nothing {})?;
    let (as_json, style) = (shell.json, shell.style());
    shell.print_long(|out| {
        if as_json {
            for client in &found.clients {
                json::line(out, client)?;
            }
        } else {
            print::kinds::clients(out, &found, style)?;
        }
        Ok(())
    })?;
    Ok(Exit::DONE)
}
