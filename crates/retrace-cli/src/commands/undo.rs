//! `retrace undo`

use super::Ended;
use super::rollback::end_of_act;
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::UndoReq;

/// Take an act back: the newest one that can be undone, or the one named
///
/// Rollbacks, restores and undos can be undone. A redaction cannot. What an
/// agent wrote is taken back with `retrace rollback`.
///
///     retrace undo
///     retrace undo 98 --dry-run
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Number of the operation [default: the newest act]
    operation: Option<u64>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let request = UndoReq { operation_seq: arguments.operation, dry_run: arguments.dry_run };
    let result = commands::undo(&app, request)?;
    end_of_act(&app, "Undo", &result, shell)
}
