//! `retrace report`

use super::Ended;
use crate::exit::Exit;
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code, ReviewReportReq};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

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
    let to_file = arguments.html.as_os_str() != "-";
    // Before the work: a report takes a while.
    if to_file && arguments.html.symlink_metadata().is_ok() {
        return Err(is_there(&arguments.html).into());
    }
    let app = shell.app()?;
    let request =
        ReviewReportReq { store: arguments.store, since: shell.time_if_any(arguments.since.as_deref())? };
    let exported = shell.work(&app, "Writing", || commands::review_report(&app, request))?;
    if !to_file {
        shell.print_whole(|out| out.write_all(exported.text.as_bytes()))?;
        return Ok(Exit::DONE);
    }
    let written = std::fs::File::create_new(&arguments.html)
        .and_then(|mut file| file.write_all(exported.text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => is_there(&arguments.html),
        _ => ApiError {
            code: Code::CannotWrite,
            message: Message::verbatim(format!(
                "The report could not be written: {}.",
                retrace_api::wire::why(&error)
            )),
            hint: Message::verbatim("Name a file in a directory that you may write to."),
            subject: arguments.html.display().to_string(),
        },
    })?;
    shell.note(&format!("{} written.", arguments.html.display()));
    Ok(Exit::DONE)
}

/// A file that is there is somebody's: it is never replaced.
fn is_there(file: &Path) -> ApiError {
    ApiError {
        code: Code::HeadMoved,
        message: Message::verbatim("The file is there already; it was left as it is."),
        hint: Message::verbatim("Name a file that is not there yet, or - for standard output."),
        subject: file.display().to_string(),
    }
}
