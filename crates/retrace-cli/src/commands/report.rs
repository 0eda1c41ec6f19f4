//! `retrace report`

use super::Ended;
use crate::exit::Exit;
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code, ReviewReportReq};
use std::io::Write as _;
use std::path::PathBuf;

/// Write a report of a review as one HTML file
///
/// One HTML file that loads nothing and runs nothing: what was decided, what is
/// left, how sessions fared with the rules, what was redacted. Lines in which a
/// rule finds a secret or personal data are not printed.
///
///     retrace report --html review.html --store notes --since 2026-03-01
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Write to this file, which must not be there yet; - for standard output
    #[arg(long, value_name = "FILE")]
    html: PathBuf,
    /// Only this store, by id, name or directory
    #[arg(long, value_name = "STORE")]
    store: Option<String>,
    /// Only what happened since this time: 2h (ago), today, 2026-11-26, RFC 3339
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let request =
        ReviewReportReq { store: arguments.store, since: shell.time_if_any(arguments.since.as_deref())? };
    let exported = shell.work(&app, "Writing", || commands::review_report(&app, request))?;
    if arguments.html.as_os_str() == "-" {
        shell.print(|out| out.write_all(exported.text.as_bytes()))?;
        return Ok(Exit::DONE);
    }
    let written = std::fs::File::create_new(&arguments.html)
        .and_then(|mut file| file.write_all(exported.text.as_bytes()));
    written.map_err(|error| ApiError {
        code: Code::CannotWrite,
        message: Message::verbatim(format!("The report could not be written: {error}.")),
        hint: Message::verbatim("Name a file that is not there yet."),
        subject: arguments.html.display().to_string(),
    })?;
    shell.note(&format!("{} written.", arguments.html.display()));
    Ok(Exit::DONE)
}
