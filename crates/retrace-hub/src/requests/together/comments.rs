//! Removing a comment.

use super::count;
use crate::Failure;
use crate::audit;
use crate::database::Scoped;
use crate::requests::{Caller, digest, id16, number};
use retrace_model::{MachineId, VersionId};
use retrace_sync::messages as m;
use retrace_sync::roles::Role;
use retrace_sync::together::{CommentRemoved, RemoveComment};

/// True if the caller may remove a comment: an owner any; whoever signed in what they wrote so, on whichever machine; else what
/// came from the same machine or window.
pub(super) fn may_remove(caller: &Caller, by_machine: &[u8], person: &str, verified: bool) -> bool {
    let is_own = match &caller.verified {
        Some(signed_in) if verified => signed_in.shown == person,
        _ => !verified && by_machine == caller.machine.0,
    };
    is_own || caller.role == Role::Owner
}

/// Removes a comment, with its key.
pub(crate) async fn remove_comment(
    scoped: &Scoped,
    caller: &Caller,
    request: RemoveComment,
) -> Result<CommentRemoved, Failure> {
    let client = scoped.client()?;
    let org = &caller.org.0[..];
    let number = number(request.number)?;
    let unknown = || Failure::refused(m::NOT_FOUND, "The hub has no comment of this number.");
    let row = client
        .query_opt(
            "SELECT c.by_machine, c.person, c.verified, v.machine, v.local_seq, v.leaf FROM comments c
             JOIN versions v ON v.org = c.org AND v.store = c.store AND v.machine = c.machine AND v.seq = c.seq
             WHERE c.org = $1 AND c.number = $2 FOR UPDATE OF c",
            &[&org, &number],
        )
        .await?
        .ok_or_else(unknown)?;
    if !may_remove(caller, &row.get::<_, Vec<u8>>(0), row.get(1), row.get(2)) {
        let message = "A comment is removed by whoever wrote it, or by an owner.";
        return Err(Failure::refused(m::NOT_ALLOWED, message));
    }
    client.execute("DELETE FROM comments WHERE org = $1 AND number = $2", &[&org, &number]).await?;
    let id = VersionId::new(count(row.get(4)), &digest(&row, 5)?);
    audit::note(scoped, caller, "remove_comment", &format!("{id} {number}")).await?;
    Ok(CommentRemoved { version: format!("{id}@{}", MachineId(id16(&row, 3)?)) })
}
