//! A head that is missing, or does not lead to the newest version that is there, as after rows of one table were lost: it is made
//! anew from the versions. The machine sees by what it remembers whether versions are missing.

use super::chains::{Keys, keep_head, stored_head};
use super::{Caller, digest, number};
use crate::Failure;
use crate::audit;
use crate::database::{Scoped, now};
use crate::routes::Hub;
use retrace_model::StoreId;
use retrace_sync::chain::{Head, link};
use retrace_sync::messages::{self as m, Bytes, SignedHead};
use retrace_sync::sign::head_text;

/// Links that are read at once.
const PAGE: i64 = 5_000;

/// The place of the newest version of a chain; 0 where there is none.
pub(super) async fn newest_link(scoped: &Scoped, caller: &Caller, store: StoreId) -> Result<u64, Failure> {
    let row = scoped
        .client()?
        .query_opt(
            "SELECT seq FROM versions WHERE org = $1 AND store = $2 AND machine = $3 ORDER BY seq DESC LIMIT 1",
            &[&&caller.org.0[..], &&store.0[..], &&caller.machine.0[..]],
        )
        .await?;
    Ok(row.and_then(|row| u64::try_from(row.get::<_, i64>(0)).ok()).unwrap_or(0))
}

/// Makes the head of a chain of the caller anew from its versions, and locks it. One that fits stays as it is.
pub(crate) async fn mend(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    store: StoreId,
) -> Result<SignedHead, Failure> {
    let keys: Keys<'_> = [&&caller.org.0[..], &&store.0[..], &&caller.machine.0[..]];
    scoped
        .client()?
        .execute(
            "INSERT INTO heads (org, store, machine, seq, digest, machine_signature, signed_at, signature)
             VALUES ($1, $2, $3, 0, $4, '', 0, '') ON CONFLICT DO NOTHING",
            &[keys[0], keys[1], keys[2], &&Head::EMPTY.digest.0[..]],
        )
        .await?;
    let lost = || Failure::refused(m::DAMAGED, "The head of a chain is missing at the hub.");
    let stored = stored_head(scoped, caller, store, "FOR UPDATE").await?.ok_or_else(lost)?;
    let head = followed(scoped, caller, store).await?;
    // Another request may have mended it, or appended, since the caller looked.
    if stored.seq == head.seq {
        return Ok(stored);
    }
    let own = hub.keys.signing.machine() == caller.machine;
    let sign = |at: i64| hub.keys.signing.sign(&head_text(caller.org, caller.machine, store, &head, at));
    // Nobody signs the head of an empty chain; and only the hub's own machine signs here as a machine.
    let at = if head == Head::EMPTY { 0 } else { now() };
    let signature = if head == Head::EMPTY { Vec::new() } else { sign(at) };
    let machine_signature = if own && head != Head::EMPTY { sign(0) } else { Vec::new() };
    keep_head(scoped, keys, &head, &machine_signature, (at, &signature)).await?;
    let (before, after) = (stored.seq.to_string(), head.seq.to_string());
    audit::note_change(scoped, caller, "mend_head", &store.to_string(), &before, &after).await?;
    let unsigned = head != Head::EMPTY && !own;
    Ok(SignedHead { seq: head.seq, digest: head.digest, at, signature: Bytes(signature), unsigned })
}

/// The head that the versions of a chain lead to, each link of it examined.
async fn followed(scoped: &Scoped, caller: &Caller, store: StoreId) -> Result<Head, Failure> {
    let mut head = Head::EMPTY;
    loop {
        let rows = scoped
            .client()?
            .query(
                "SELECT seq, leaf, digest FROM versions WHERE org = $1 AND store = $2 AND machine = $3 AND seq > $4
                 ORDER BY seq LIMIT $5",
                &[
                    &&caller.org.0[..],
                    &&store.0[..],
                    &&caller.machine.0[..],
                    &number(head.seq)?,
                    &PAGE,
                ],
            )
            .await?;
        for row in &rows {
            let next = head.seq + 1;
            let leads = link(&head.digest, caller.machine, store, next, &digest(row, 1)?);
            if u64::try_from(row.get::<_, i64>(0)) != Ok(next) || digest(row, 2)? != leads {
                let message = format!(
                    "The hub's chain of this store is broken at version {next}: versions are missing there, or were changed."
                );
                return Err(Failure::refused(m::DAMAGED, message));
            }
            head = Head { seq: next, digest: leads };
        }
        if rows.is_empty() {
            return Ok(head);
        }
    }
}
