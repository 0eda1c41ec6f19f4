//! `retrace restore`

use super::Ended;
use super::rollback::end_of_act;
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::RestoreReq;

/// Restore a store to an earlier time
///
/// Writes what was there and is not, deletes what is there and was not. Says
/// which, and --dry-run says it without doing it. `retrace undo` takes it back.
///
/// Of a time before recording began nothing was recorded: the command then does
/// nothing and exits with 4. With --from-imported it restores what imported
/// history knows of that time, says what of it is certain, and leaves the files
/// of which nothing is known.
///
///     retrace restore notes --at 2026-11-01T09:00:00Z --dry-run
///     retrace restore notes --at 97
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The store, by id, name or directory
    store: String,
    /// The instant: 2h (ago), today, 14:00, 2026-11-26, RFC 3339, or the number of an operation (right after it)
    #[arg(long, value_name = "TIME|SEQ")]
    at: String,
    /// Of a time before recording began: restore what imported history knows of it
    #[arg(long)]
    from_imported: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let Arguments { store, at, from_imported, dry_run } = arguments;
    let at = shell.instant(&at)?;
    let result = commands::restore(&app, RestoreReq { store, at, from_imported, dry_run })?;
    end_of_act(&app, "Restore", &result, shell)
}
