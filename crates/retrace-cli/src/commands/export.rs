//! `retrace export`

use super::Ended;
use super::import::text;
use crate::exit::Exit;
use crate::print;
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::ExportStoreReq;
use std::path::PathBuf;

/// Export the files of a store, or its history as a bundle
///
/// A name that ends in .retrace makes a bundle, which `retrace import bundle`
/// reads; redacted versions are not in it. Nothing that is there is replaced.
///
/// Of a time before recording began nothing was recorded: the command then does
/// nothing and exits with 4. With --from-imported it exports the files that
/// imported history knows of that time.
///
///     retrace export notes --at 2026-11-01 --to notes-then
///     retrace export notes --to notes.retrace
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The store, by id, name or directory
    store: String,
    /// As it was at this time (2h ago, 14:00, 2026-11-26, RFC 3339), or right after this operation [default: now]
    #[arg(long, value_name = "TIME|SEQ")]
    at: Option<String>,
    /// Of a time before recording began: export what imported history knows of it
    #[arg(long, requires = "at")]
    from_imported: bool,
    /// A new directory, or a new file FILE.retrace
    #[arg(long, value_name = "DIR|FILE")]
    to: PathBuf,
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let Arguments { store, at, from_imported, to } = arguments;
    let at = at.map(|at| shell.instant(&at)).transpose()?;
    let request = ExportStoreReq { store, at, from_imported, to: text(&to)? };
    let done = shell.work(&app, "Exporting", || commands::export_store(&app, request))?;
    if shell.json || !shell.quiet {
        shell.print_one(&done, |out, style| print::past::exported(out, &done, style))?;
    }
    Ok(Exit::DONE)
}
