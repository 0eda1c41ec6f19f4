//! The policy of the organisation, and its audit log.

use super::{Caller, id16, invalid, number};
use crate::Failure;
use crate::audit::{note, note_change};
use crate::database::Prepared;
use crate::database::{Scoped, now};
use retrace_model::{MachineId, OrgId, StoreId};
use retrace_sync::messages as m;
use retrace_sync::policy::{AuditPage, AuditRow, EVERY_STORE, ListAudit, Policy, SetPolicy};
use tokio_postgres::Row;

/// The policy of an organisation; the default where none was set.
pub(crate) async fn policy_of(client: Prepared<'_>, org: OrgId, lock: &str) -> Result<Policy, Failure> {
    let sql = format!("SELECT policy::text FROM policies WHERE org = $1 {lock}");
    let row = client.query_opt(&sql, &[&&org.0[..]]).await?;
    let Some(row) = row else { return Ok(Policy::default()) };
    serde_json::from_str(row.get(0)).map_err(|_| Failure::Database("the policy is damaged".into()))
}

pub(crate) async fn policy(scoped: &Scoped, caller: &Caller) -> Result<Policy, Failure> {
    policy_of(scoped.client()?, caller.org, "").await
}

/// The store of a key of retention, where nobody has one of this name or id now.
pub(crate) async fn store_that_is_not_there(
    scoped: &Scoped,
    org: OrgId,
    request: &SetPolicy,
) -> Result<Option<String>, Failure> {
    let Some(("retention_days", store)) = request.key.split_once('.') else { return Ok(None) };
    let store = store.trim();
    // Texts of transcripts have a key beside those of stores.
    if [EVERY_STORE, "transcripts"].contains(&store) || request.value.trim() == "none" {
        return Ok(None);
    }
    let id = StoreId::parse(store).ok().map(|id| id.0.to_vec());
    let known = "SELECT EXISTS (SELECT 1 FROM stores WHERE org = $1 AND (store = $2 OR name = $3))";
    let known: bool = scoped.client()?.query_one(known, &[&&org.0[..], &id, &store]).await?.get(0);
    Ok((!known).then(|| store.to_owned()))
}

/// Changes one key; the audit log keeps what was so before.
pub(crate) async fn set_policy(
    scoped: &Scoped,
    caller: &Caller,
    request: SetPolicy,
) -> Result<Policy, Failure> {
    let client = scoped.client()?;
    // A row to lock.
    client
        .execute(
            "INSERT INTO policies (org, policy, changed_at) VALUES ($1, '{}', $2) ON CONFLICT DO NOTHING",
            &[&&caller.org.0[..], &now()],
        )
        .await?;
    let mut policy = policy_of(client, caller.org, "FOR UPDATE").await?;
    let before = policy.value(&request.key);
    policy.set(&request.key, &request.value).map_err(|error| invalid(&format!("{error}.")))?;
    let text = serde_json::to_string(&policy)
        .map_err(|_| Failure::Machine("the policy cannot be written".into()))?;
    client
        .execute(
            "UPDATE policies SET policy = $2::text::jsonb, changed_at = $3 WHERE org = $1",
            &[&&caller.org.0[..], &text, &now()],
        )
        .await?;
    let after = policy.value(&request.key);
    note_change(scoped, caller, "set_policy", &request.key, &before, &after).await?;
    Ok(policy)
}

/// A page of the audit log.
pub(crate) async fn audit(
    scoped: &Scoped,
    caller: &Caller,
    request: ListAudit,
) -> Result<AuditPage, Failure> {
    let limit = request.limit.clamp(1, m::MAX_VERSIONS as u64);
    let (beyond, order) = match (request.newest_first, request.after) {
        (false, _) => ("a.seq > $2", "ASC"),
        (true, 0) => ("a.seq >= $2", "DESC"),
        (true, _) => ("a.seq < $2", "DESC"),
    };
    let rows = scoped
        .client()?
        .query(
            &format!(
                "SELECT a.seq, a.at, a.machine, m.name, a.person, a.action, a.subject, a.before, a.after, a.outcome,
                     a.verified
                 FROM audit a LEFT JOIN machines m ON m.org = a.org AND m.machine = a.machine
                 WHERE a.org = $1 AND {beyond} AND a.at >= $3 ORDER BY a.seq {order} LIMIT $4"
            ),
            &[
                &&caller.org.0[..],
                &number(request.after)?,
                &request.since.unwrap_or(i64::MIN),
                &number(limit)?,
            ],
        )
        .await?;
    let rows = rows.iter().map(audit_row).collect::<Result<Vec<_>, Failure>>()?;
    let next = rows.last().filter(|_| rows.len() as u64 == limit).map(|row| row.seq);
    if request.after == 0 {
        note(scoped, caller, "audit", "").await?;
    }
    Ok(AuditPage { rows, next })
}

fn audit_row(row: &Row) -> Result<AuditRow, Failure> {
    let machine = row.get::<_, Option<Vec<u8>>>(2).map(|_| id16(row, 2)).transpose()?;
    Ok(AuditRow {
        seq: u64::try_from(row.get::<_, i64>(0)).unwrap_or(0),
        at: row.get(1),
        machine: machine.map(|machine| MachineId(machine).to_string()),
        machine_name: row.get(3),
        person: row.get(4),
        action: row.get(5),
        subject: row.get(6),
        before: row.get(7),
        after: row.get(8),
        outcome: row.get(9),
        verified: row.get(10),
    })
}
