//! `retrace redact`

use super::Ended;
use super::entries;
use super::rollback::end_of_act;
use crate::secret;
use crate::shell::Shell;
use clap::{ArgGroup, Args};
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code, FindingPlace, FindingsReq, RedactReq, Remedy};
use retrace_api::{App, commands};
use std::path::PathBuf;

/// Remove content from history for good, and prove it
///
/// Removes the content of the chosen versions from the log and from its files
/// on disk; who, when and why stay. Notes, names and other texts of the log that
/// hold it go as well. With --live the content also goes from the live files,
/// with --transcripts from transcripts of agents that no program holds open.
/// Cannot be undone: look at it with --dry-run first. Prints a receipt that says
/// what is clean, what is not and what takes it out of there (git repositories,
/// copies that Claude Code keeps, bundles), and what is out of reach. Exits with 6
/// while the purge is pending, and when a place of the log still holds it.
/// Redacted text stays out: imports, pulls and acts put [redacted] in its
/// place, texts of fewer than 12 bytes excepted.
///
///     retrace redact --secret-file key.txt --live --dry-run
///     retrace redact --find 'sk-[a-z0-9]{20,}' --live --reason 'leaked key'
///     retrace redact 824 --dry-run
///     retrace redact --finding notes:deploy.md:3:10 --live --dry-run
#[derive(Args)]
#[command(
    verbatim_doc_comment,
    override_usage = "retrace redact [OPTIONS] <VERSION>...\n       \
                      retrace redact [OPTIONS] --find <REGEX>\n       \
                      retrace redact [OPTIONS] --secret-file <FILE>\n       \
                      retrace redact [OPTIONS] --finding <STORE:PATH:LINE:COLUMN>",
    group = ArgGroup::new("what").required(true).args(["versions", "find", "secret_file", "finding"])
)]
pub(crate) struct Arguments {
    /// These versions, by number or id
    #[arg(value_name = "VERSION")]
    versions: Vec<String>,
    /// Every version whose content or path matches
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    find: Option<String>,
    /// Every version that holds exactly the bytes of this file (its final line feed not included); - for standard input
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
    /// Exactly what a finding is about, at the place `retrace check` prints; the bytes are read there and shown to nobody
    #[arg(long, value_name = "STORE:PATH:LINE:COLUMN", allow_hyphen_values = true)]
    finding: Option<String>,
    /// Only what this rule finds there, as `retrace check` prints it
    #[arg(long, requires = "finding")]
    rule: Option<String>,
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
    let Arguments { versions, find, secret_file, finding, rule, store, live, transcripts, dry_run, reason } =
        arguments;
    let secret_base64 = secret_file.map(|path| secret::read(&path, shell.io.stdin)).transpose()?;
    let app = shell.app()?;
    let finding = finding.map(|place| found_at(&app, &place, rule.as_deref())).transpose()?;
    let request =
        RedactReq { versions, find, secret_base64, finding, store, live, transcripts, reason, dry_run };
    let result = shell.work(&app, "Redacting", || commands::redact(&app, request))?;
    end_of_act(&app, "Redaction", &result, shell)
}

/// The finding at a place that holds what can be redacted.
fn found_at(app: &App, place: &str, rule: Option<&str>) -> Result<FindingPlace, ApiError> {
    let refused = |code, message: &str, hint: &str| ApiError {
        code,
        message: Message::verbatim(message),
        hint: Message::verbatim(hint),
        subject: place.to_owned(),
    };
    let (memory, line, column) = with_place(place).ok_or_else(|| {
        let how = "Name it as STORE:PATH:LINE:COLUMN, as `retrace check` prints it.";
        refused(Code::Invalid, "No place is named.", how)
    })?;
    let (store, path) = entries::place(app, memory)?;
    let request = FindingsReq { store: store.clone(), path: Some(path.clone()) };
    let found = commands::findings(app, request)?.findings;
    let here = found.iter().filter(|one| (one.line, one.column) == (line, column));
    let mut redacted = here.flat_map(|one| &one.remedies).filter_map(|remedy| match remedy {
        Remedy::Redact { rule: of, start } if rule.is_none_or(|rule| rule == of) => {
            Some((of.clone(), *start))
        }
        _ => None,
    });
    let Some((rule, start)) = redacted.next() else {
        return Err(refused(
            Code::NotFound,
            "No finding that can be redacted is at that place.",
            "`retrace check` lists where they are now.",
        ));
    };
    if redacted.any(|(other, _)| other != rule) {
        return Err(refused(
            Code::Invalid,
            "More than one rule finds something there.",
            "Name one with --rule.",
        ));
    }
    Ok(FindingPlace { store, path, rule, start })
}

/// Splits off `:LINE:COLUMN`.
fn with_place(text: &str) -> Option<(&str, u32, u32)> {
    let (rest, column) = text.rsplit_once(':')?;
    let (memory, line) = rest.rsplit_once(':')?;
    Some((memory, line.parse().ok()?, column.parse().ok()?))
}
