//! `retrace context export`

use super::Ended;
use super::input::{Named, invalid, variants};
use crate::exit::Exit;
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code, ExportReq};
use std::path::PathBuf;

/// Write a setting as JSON, cURL, Python or TypeScript that runs, or a report as HTML
///
/// The effect of the setting on the transcript stands in a comment. Code is
/// written for the current SDKs and takes the key from ANTHROPIC_API_KEY.
///
///     retrace context export 5f3c --config c.json --format python > run.py
///     retrace context export 5f3c --config c.json --format html --output report.html
#[derive(Args)]
#[command(
    verbatim_doc_comment,
    override_usage = "retrace context export [OPTIONS] --config <FILE>... --format <FORMAT>\n                              [TRANSCRIPT]"
)]
pub(crate) struct Arguments {
    /// The evidence: session id or a beginning of it, path, or words of a title
    transcript: Option<String>,
    /// The setting; further files are compared with in a report
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    config: Vec<PathBuf>,
    /// The form
    #[arg(long, value_name = "json|curl|python|typescript|html")]
    format: String,
    /// Name this model in code [default: the transcript's]
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Write to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let mut settings = Vec::new();
    for path in &arguments.config {
        settings.extend(variants(path, shell)?);
    }
    if settings.is_empty() {
        return Err(invalid(PathBuf::from("--config").as_path(), "No setting is given.").into());
    }
    let variant = settings.remove(0);
    let named = arguments.transcript.as_deref().map(|name| Named::new(name, shell)).transpose()?;
    let app = shell.app()?;
    let request = ExportReq {
        transcript: named.as_ref().map(|named| named.name.clone()),
        variant,
        against: settings,
        format: arguments.format.clone(),
        model: arguments.model.clone(),
    };
    let exported = shell.work(&app, "Writing", || commands::context_export(&app, request));
    let exported = exported.map_err(|error| match &named {
        Some(named) => named.in_error(error),
        None => error,
    })?;
    match &arguments.output {
        Some(path) => {
            std::fs::write(path, &exported.text).map_err(|error| ApiError {
                code: Code::CannotWrite,
                message: Message::verbatim(format!(
                    "The file cannot be written: {}.",
                    retrace_api::wire::why(&error)
                )),
                hint: Message::verbatim("Name a file in a directory that you may write to."),
                subject: path.display().to_string(),
            })?;
            shell.note(&format!("Written to {}.", path.display()));
        }
        None if shell.json => shell.print(|out| crate::print::json::line(out, &exported))?,
        None => shell.print_whole(|out| out.write_all(exported.text.as_bytes()))?,
    }
    Ok(Exit::DONE)
}
