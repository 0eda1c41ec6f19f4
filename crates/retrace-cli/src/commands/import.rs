//! `retrace import`: history from before the app was there

use super::Ended;
use super::context::stoppable;
use crate::exit::Exit;
use crate::print;
use crate::shell::{Failure, Shell};
use clap::{Args, Subcommand};
use retrace_api::commands;
use retrace_api::wire::Message;
use retrace_api::wire::{
    ApiError, ImportBundleReq, ImportGitReq, ImportResult, ImportTranscriptsReq, Nothing,
};
use std::path::PathBuf;

/// Import history from git, transcripts or a bundle
///
/// The versions come into the log as rebuilt ones: lists show them in true
/// order before what was observed, and nothing on disk changes. Doing it again
/// adds only what is new; `retrace undo` takes an import back as one. What was
/// redacted before does not reappear: [redacted] stands in its place.
///
///     retrace import git ~/.claude/projects/-work/memory --dry-run
///     retrace import transcripts notes
///     retrace import bundle notes.retrace
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    from: From,
}

#[derive(Subcommand)]
enum From {
    Git(Git),
    Transcripts(Transcripts),
    Bundle(Bundle),
}

/// Import every commit that touched a directory, across renames
///
/// The program git is run for reading alone; nothing is fetched.
///
///     retrace import git ~/.claude/projects/-work/memory --dry-run
#[derive(Args)]
#[command(verbatim_doc_comment)]
struct Git {
    /// A directory that git keeps, or that lies in one
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Only this directory or file below it
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    path: Option<String>,
    /// The store it belongs to [default: the one at that directory, or in it]
    #[arg(long, value_name = "STORE")]
    store: Option<String>,
    /// Say what would come in, and do nothing
    #[arg(long)]
    dry_run: bool,
}

/// Import from sessions of agents, and from the copies Claude Code kept
///
///     retrace import transcripts notes
#[derive(Args)]
#[command(verbatim_doc_comment)]
struct Transcripts {
    /// The store, by id, name or directory [default: every one]
    #[arg(value_name = "STORE")]
    store: Option<String>,
    /// Say what would come in, and do nothing
    #[arg(long)]
    dry_run: bool,
}

/// Import a file that `retrace export STORE --to FILE.retrace` wrote
///
///     retrace import bundle notes.retrace
#[derive(Args)]
#[command(verbatim_doc_comment)]
struct Bundle {
    /// The bundle
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The store it belongs to [default: the one of the name in the bundle]
    #[arg(long, value_name = "STORE")]
    store: Option<String>,
    /// Say what would come in, and do nothing
    #[arg(long)]
    dry_run: bool,
}

/// Name of the job; there is one in the process.
const JOB: &str = "Importing";

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let job = Some(JOB.to_owned());
    match arguments.from {
        From::Git(Git { directory, path, store, dry_run }) => {
            let directory = text(&directory)?;
            let request = ImportGitReq { directory, path, store, dry_run, job };
            let done = stoppable(shell, &app, JOB, JOB, || commands::import_git(&app, request))?;
            print(&done, shell)
        }
        From::Bundle(Bundle { file, store, dry_run }) => {
            let request = ImportBundleReq { file: text(&file)?, store, dry_run, job };
            let done = stoppable(shell, &app, JOB, JOB, || commands::import_bundle(&app, request))?;
            print(&done, shell)
        }
        From::Transcripts(Transcripts { store, dry_run }) => {
            let stores = match store {
                Some(store) => vec![store],
                None => {
                    commands::stores(&app, Nothing {})?.stores.into_iter().map(|store| store.id).collect()
                }
            };
            if stores.is_empty() {
                return Err(ApiError {
                    code: retrace_api::wire::Code::NotFound,
                    message: Message::verbatim("No directory is recorded yet, so that there is no history to add to."),
                    hint: Message::verbatim("`retrace discover --add` records what is in use, `retrace stores add DIR` one directory. \
                           Where the memory is gone from disk, make its directory first: it may be empty."),
                    subject: String::new(),
                }
                .into());
            }
            for store in stores {
                let request = ImportTranscriptsReq { store, dry_run, job: job.clone() };
                let done = stoppable(shell, &app, JOB, JOB, || commands::import_transcripts(&app, request))?;
                print(&done, shell)?;
            }
            Ok(Exit::DONE)
        }
    }
}

fn print(done: &ImportResult, shell: &mut Shell<'_, '_>) -> Ended {
    if shell.json || !shell.quiet {
        shell.print_one(done, |out, style| print::past::imported(out, done, style))?;
    }
    Ok(Exit::DONE)
}

/// A path as the API takes it.
pub(super) fn text(path: &std::path::Path) -> Result<String, Failure> {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    match absolute.to_str() {
        Some(text) => Ok(text.to_owned()),
        None => Err(ApiError {
            code: retrace_api::wire::Code::Invalid,
            message: Message::verbatim("The path is not UTF-8."),
            hint: Message::verbatim("Name it through a link with another name."),
            subject: path.display().to_string(),
        }
        .into()),
    }
}
