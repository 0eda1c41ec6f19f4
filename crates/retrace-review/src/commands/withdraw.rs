//! Taking queued changes back.

use super::rollback;
use crate::Review;
use crate::wire::{ApiError, Code, RemoteQueue, WithdrawReq};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Takes queued changes back. An act of which nothing else is left is undone with them, so that what was left to review before
/// it is left again.
///
/// # Errors
/// `not_found` when one of the numbers is none of the queue; nothing is taken back then.
pub fn withdraw_queued(inner: &Arc<Review>, request: WithdrawReq) -> Result<RemoteQueue, ApiError> {
    let ids: BTreeSet<u64> = request.ids.iter().copied().collect();
    let queue = inner.read(|reader| Ok(reader.remote_queue(None)?))?;
    if let Some(unknown) = ids.iter().find(|id| !queue.iter().any(|row| row.id == **id)) {
        return Err(ApiError::new(Code::NotFound, say::no_such_change_queue(), unknown.to_string())
            .hint(say::retrace_remote_queue_lists_them()));
    }
    let operations: BTreeSet<u64> =
        queue.iter().filter(|row| ids.contains(&row.id)).filter_map(|row| row.change.operation_seq).collect();
    let mut left = ids.clone();
    for operation in operations {
        let whole: Vec<u64> = queue
            .iter()
            .filter(|row| row.change.operation_seq == Some(operation))
            .map(|row| row.id)
            .collect();
        let is_whole = whole.iter().all(|id| ids.contains(id));
        let only_queued = inner.read(|reader| {
            let row = reader.operation(operation)?;
            Ok(row.versions == 0
                && reader.sent_for(operation)?.is_empty()
                && crate::plan::undoable(reader, &row)?)
        })?;
        if is_whole && only_queued {
            rollback::undo_operation(inner, operation)?;
            left.retain(|id| !whole.contains(id));
        }
    }
    inner.write(|act| {
        for id in &left {
            act.unqueue(*id)?;
        }
        Ok(())
    })?;
    inner.stores_changed();
    inner.shown_queue(None)
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "withdraw";
    no_such_change_queue() => "There is no such change in the queue.",
    retrace_remote_queue_lists_them() => "`retrace remote queue` lists them; what was sent is not there any more.",
}
