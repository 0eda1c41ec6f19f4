//! A database that was put back to an earlier state, and what an owner acknowledges of that and of machines that are gone.

use super::redactions::parse_order;
use super::{Caller, invalid, number};
use crate::Failure;
use crate::audit;
use crate::database::{Scoped, now};
use crate::routes::Hub;
use retrace_sync::messages::{Bytes, Done};
use retrace_sync::restored::{Acknowledge, Restored, Seen, seen_text};
use retrace_sync::sign::is_signed;

/// The newest row of the audit log, signed.
pub(crate) async fn newest(hub: &Hub, scoped: &Scoped, caller: &Caller) -> Result<Option<Seen>, Failure> {
    let newest = "SELECT seq, at FROM audit WHERE org = $1 ORDER BY seq DESC LIMIT 1";
    let row = scoped.client()?.query_opt(newest, &[&&caller.org.0[..]]).await?;
    Ok(row.map(|row| {
        let (seq, at) = (u64::try_from(row.get::<_, i64>(0)).unwrap_or(0), row.get(1));
        Seen { seq, at, signature: Bytes(hub.keys.signing.sign(&seen_text(caller.org, seq, at))) }
    }))
}

/// Looks whether a row is there that this hub signed. Where it is not, the database was put back: one-time tokens that were open
/// before are ended, since some of them may have been used. What was found once is not found again by another machine.
pub(crate) async fn compare(hub: &Hub, seen: &Seen) -> Result<(), Failure> {
    let org = hub.database.org();
    if !is_signed(&hub.keys.signing.public(), &seen_text(org, seen.seq, seen.at), &seen.signature.0) {
        return Ok(());
    }
    let scoped = hub.database.scoped(org).await?;
    let (client, org_id, at) = (scoped.client()?, &org.0[..], now());
    let there = "SELECT EXISTS (SELECT 1 FROM audit WHERE org = $1 AND seq = $2 AND at = $3)";
    if client.query_one(there, &[&org_id, &number(seen.seq)?, &seen.at]).await?.get(0) {
        return scoped.commit().await;
    }
    let alone = "SELECT pg_advisory_xact_lock(hashtextextended(encode($1, 'hex'), 8))";
    client.execute(alone, &[&org_id]).await?;
    let end = "UPDATE tokens SET expires_at = LEAST(expires_at, $2)
        WHERE org = $1 AND used_by IS NULL AND expires_at > $2 AND created_at <= $3";
    let ended = number(client.execute(end, &[&org_id, &at, &seen.at]).await?)?;
    let more = "UPDATE restored SET lost_until = GREATEST(lost_until, $2), tokens = tokens + $3
        WHERE org = $1 AND found_at > $2";
    if client.execute(more, &[&org_id, &seen.at, &ended]).await? == 0 {
        let insert = include_str!("../../statements/restored.sql");
        client.execute(insert, &[&org_id, &at, &seen.at, &ended]).await?;
        audit::note_of_hub(&scoped, org, "restored", "").await?;
    }
    scoped.commit().await
}

/// The last time that the database was put back.
pub(crate) async fn restored(scoped: &Scoped, caller: &Caller) -> Result<Option<Restored>, Failure> {
    let last = "SELECT kept_until, lost_until, found_at, tokens, acknowledged_at IS NOT NULL FROM restored
        WHERE org = $1 ORDER BY found_at DESC LIMIT 1";
    let row = scoped.client()?.query_opt(last, &[&&caller.org.0[..]]).await?;
    Ok(row.map(|row| Restored {
        kept_until: row.get(0),
        lost_until: row.get(1),
        found_at: row.get(2),
        tokens: u64::try_from(row.get::<_, i64>(3)).unwrap_or(0),
        acknowledged: row.get(4),
    }))
}

/// An owner saw to what a restored database gives back, or says that machines which are gone carry an order out no more.
pub(crate) async fn acknowledge(
    scoped: &Scoped,
    caller: &Caller,
    request: Acknowledge,
) -> Result<Done, Failure> {
    let (client, org, at) = (scoped.client()?, &caller.org.0[..], now());
    let Some(order) = request.order else {
        let sql = "UPDATE restored SET acknowledged_at = $2 WHERE org = $1 AND acknowledged_at IS NULL";
        if client.execute(sql, &[&org, &at]).await? == 0 {
            return Err(invalid("Nothing says that the database was restored, or an owner acknowledged it."));
        }
        audit::note(scoped, caller, "acknowledge", "restored").await?;
        return Ok(Done {});
    };
    let id = parse_order(&order)?;
    let sql = include_str!("../../statements/order_acknowledged.sql");
    if client.execute(sql, &[&org, &&id.0[..], &at, &&caller.machine.0[..]]).await? == 0 {
        return Err(invalid("No machine that left or was removed has this order to carry out."));
    }
    audit::note(scoped, caller, "acknowledge", &id.to_string()).await?;
    Ok(Done {})
}
