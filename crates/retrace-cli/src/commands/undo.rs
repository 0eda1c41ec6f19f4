//! `retrace undo`

use super::Ended;
use super::review::end_of_review;
use super::rollback::end_of_act;
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::{UndoReq, UndoReviewReq};

/// Undo an act: the newest, or the one named
///
/// Rollbacks, restores, imports and undos can be undone, and so can acts on rules:
/// on the list, on their guards, and that a break was seen. A redaction cannot, and
/// where it is the newest act the one before must be named.
/// What an agent wrote is taken back with `retrace rollback`. With --review, an
/// approval, a rejection or a `retrace review all` is taken back, files included.
///
///     retrace undo
///     retrace undo --review
///     retrace undo 98 --dry-run
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Number of the operation [default: the newest act]
    operation: Option<u64>,
    /// Take back this review of yours [default: your newest]
    #[arg(long, value_name = "N", num_args = 0..=1, conflicts_with = "operation")]
    review: Option<Option<u64>>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    if let Some(review_seq) = arguments.review {
        let request = UndoReviewReq { review_seq, dry_run: arguments.dry_run };
        let reviewed = commands::undo_review(&app, request)?;
        return end_of_review(&app, "Review undone", &reviewed, shell);
    }
    let request = UndoReq { operation_seq: arguments.operation, dry_run: arguments.dry_run };
    let result = commands::undo(&app, request)?;
    end_of_act(&app, "Undo", &result, shell)
}
