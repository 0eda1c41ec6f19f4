//! `retrace redact`

use super::Ended;
use super::rollback::end_of_act;
use crate::secret;
use crate::shell::Shell;
use clap::{ArgGroup, Args};
use retrace_api::commands;
use retrace_api::wire::RedactReq;
use std::path::PathBuf;

/// Take content out of history for good, and prove it
///
/// Removes the content of the chosen versions from the log and from its files
/// on disk; who, when and why stay. Notes, names and other texts of the log that
/// hold it go as well. With --live the content also goes from the live files,
/// with --transcripts from transcripts of agents that no program holds open.
/// Cannot be undone: look at it with --dry-run first. Prints a receipt that says
/// what is clean, what is not and what takes it out of there (git repositories,
/// copies that Claude Code keeps, bundles), and what is out of reach. Exits with 6
/// while the purge is pending, and when a place of the log still holds it.
/// What was redacted stays out: imports, pulls and acts put [redacted] in its
/// place, texts of fewer than 12 bytes excepted.
///
///     retrace redact --secret-file key.txt --live --dry-run
///     retrace redact --find 'sk-[a-z0-9]{20,}' --live --reason 'leaked key'
///     retrace redact memver_00000cw4zj9kq2m7x1b3a
#[derive(Args)]
#[command(
    verbatim_doc_comment,
    group = ArgGroup::new("what").required(true).args(["versions", "find", "secret_file"])
)]
pub(crate) struct Arguments {
    /// These versions
    #[arg(value_name = "VERSION")]
    versions: Vec<String>,
    /// Every version whose content or path matches
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    find: Option<String>,
    /// Every version that holds exactly the bytes of this file (its final line feed not included); - for standard input
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
    /// Only in this store, by id, name or directory
    #[arg(long, allow_hyphen_values = true)]
    store: Option<String>,
    /// Also in the live files, where a marker takes its place
    #[arg(long)]
    live: bool,
    /// Also in transcripts of agents that no running program holds open
    #[arg(long)]
    transcripts: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Why; kept for good, so it must not hold the secret
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    reason: Option<String>,
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let Arguments { versions, find, secret_file, store, live, transcripts, dry_run, reason } = arguments;
    let secret_base64 = secret_file.map(|path| secret::read(&path, shell.io.stdin)).transpose()?;
    let app = shell.app()?;
    let request =
        RedactReq { versions, find, secret_base64, finding: None, store, live, transcripts, reason, dry_run };
    let result = shell.work(&app, "Redacting", || commands::redact(&app, request))?;
    end_of_act(&app, "Redaction", &result, shell)
}
