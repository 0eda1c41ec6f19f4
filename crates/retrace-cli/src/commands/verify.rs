//! `retrace verify`

use super::Ended;
use crate::exit::Exit;
use crate::print;
use crate::secret;
use crate::shell::Shell;
use clap::Args;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code, Verified, VerifyReq};
use retrace_api::{App, commands};
use std::path::PathBuf;

/// Verify the log: its chain, its contents, its schema
///
/// With --absent-file also proves that the bytes of a file are in no file of
/// the data directory. Exits with 1 when the log is damaged or the key of what
/// was redacted is gone, with 5 when the bytes are there. A log that is
/// empty, older than before or another one is refused by every command;
/// --accept-log takes it for the one to keep.
///
///     retrace verify
///     retrace verify --absent-file key.txt
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Prove that the bytes of this file (its final line feed not included) are nowhere; - for standard input
    #[arg(long, value_name = "FILE")]
    absent_file: Option<PathBuf>,

    /// Where the file redaction.key is gone for good: forget what was redacted with it, which is kept out no more then
    #[arg(long)]
    forget_lost_key: bool,

    /// Go on with the log that is there, or with a new one, although another was kept here
    #[arg(long)]
    accept_log: bool,
}

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let absent_base64 =
        arguments.absent_file.as_deref().map(|path| secret::read(path, shell.io.stdin)).transpose()?;
    if arguments.accept_log {
        App::accept_log(&shell.options()?)?;
    }
    let app = shell.app()?;
    let verified = shell.work(&app, "Verifying", || {
        commands::verify(&app, VerifyReq { absent_base64, forget_lost_key: arguments.forget_lost_key })
    })?;
    if shell.json || !shell.quiet || !verified.ok || verified.absent == Some(false) {
        shell.print_one(&verified, |out, style| print::verify::verified(out, &verified, style))?;
    }
    match damage(&verified) {
        Some(error) => Err(error.into()),
        None if verified.absent == Some(false) => Ok(Exit::FINDINGS),
        None => Ok(Exit::DONE),
    }
}

fn damage(verified: &Verified) -> Option<ApiError> {
    (!verified.ok).then(|| ApiError {
        code: Code::DatabaseDamaged,
        message: Message::verbatim("The log is not sound."),
        hint: Message::verbatim(
            "Copy the data directory away before doing anything else; the live memories are not affected.",
        ),
        subject: verified.problems.first().map(ToString::to_string).unwrap_or_default(),
    })
}
