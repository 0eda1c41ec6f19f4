//! `retrace context deployed`

use super::Ended;
use super::input::{Named, invalid, variants};
use crate::exit::Exit;
use crate::print;
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::DeployedReq;
use std::path::PathBuf;

/// After deployment: what responses report as edited, beside the forecast
///
/// Reads the applied_edits of real responses. The setting is the one the recorded
/// requests carry, where they do.
///
///     retrace context deployed proxy-log.jsonl
///     retrace context deployed 5f3c --config c.json
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Session id or a beginning of it, path, or words of a title; - for standard input
    transcript: String,
    /// The setting that was in force [default: as recorded]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let variant = match &arguments.config {
        None => None,
        Some(path) => {
            let mut settings = variants(path, shell)?;
            match settings.pop() {
                Some(one) if settings.is_empty() => Some(one),
                _ => return Err(invalid(path, "One setting was in force.").into()),
            }
        }
    };
    let named = Named::new(&arguments.transcript, shell)?;
    let app = shell.app()?;
    let request = DeployedReq { transcript: named.name.clone(), variant };
    let held = shell.work(&app, "Reading", || commands::context_deployed(&app, request));
    let held = held.map_err(|error| named.in_error(error))?;
    shell.print_one(&held, |out, style| print::simulate::deployed(out, &held, style))?;
    let reporting = print::count(held.reporting, "response", "responses");
    shell.note(&format!("{reporting} say what was edited; the forecast agrees with {}.", held.agreeing));
    Ok(Exit::DONE)
}
