//! Lists over all machines: the inbox, the history of a memory, and how much waits.

use super::memories::path_key;
use super::one::{CANDIDATES, in_words};
use super::{COLUMNS, count, row_of};
use crate::Failure;
use crate::database::Scoped;
use crate::people;
use crate::requests::redactions::Value;
use crate::requests::{Caller, copies, id16, invalid, number, restored};
use crate::routes::Hub;
use retrace_model::{MachineId, MemoryId, OrgId, StoreId};
use retrace_sync::messages::{self as m, ListedVersion};
use retrace_sync::roles::{Right, allows};
use retrace_sync::together::{AskHistory, AskInbox, MAX_COUNTED, RowPage, Waiting};

/// A page of the memories that nobody reviewed: of each the newest version, newest first.
pub(crate) async fn inbox(scoped: &Scoped, caller: &Caller, request: AskInbox) -> Result<RowPage, Failure> {
    let limit = request.limit.clamp(1, m::MAX_VERSIONS as u64);
    let bad = || invalid("The page begins nowhere.");
    // Machines that are copies of one log have the same memory at the same instant.
    let last = || vec![0xff_u8; 17];
    let (at, memory, on, store) = match &request.after {
        None => (i64::MAX, last(), last(), last()),
        Some(after) => inbox_cursor(after).ok_or_else(bad)?,
    };
    let machine = match request.machine.as_deref().filter(|name| !name.is_empty()) {
        // Who sends and reads no contents of others reviews their own; who only looks on sees what there is.
        None => (allows(caller.role, Right::Send) && !allows(caller.role, Right::ReadContent))
            .then(|| caller.machine.0.to_vec()),
        Some(name) => Some(machine_named(scoped, caller, name).await?.0.to_vec()),
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM (SELECT n.* FROM memories n WHERE n.org = $1 AND n.told
                 AND n.newest > GREATEST(n.reviewed, n.reviewed_hub) AND (n.newest_at, n.memory, n.machine, n.store) < ($2, $3, $6, $7)
                 AND ($4::bytea IS NULL OR n.machine = $4)
             ORDER BY n.newest_at DESC, n.memory DESC, n.machine DESC, n.store DESC LIMIT $5) n
         JOIN versions v ON v.org = n.org AND v.store = n.store AND v.machine = n.machine AND v.seq = n.newest
         JOIN machines m ON m.org = v.org AND m.machine = v.machine
         JOIN stores s ON s.org = v.org AND s.store = v.store AND s.machine = v.machine
         ORDER BY n.newest_at DESC, n.memory DESC, n.machine DESC, n.store DESC"
    );
    let client = scoped.client()?;
    let values: [Value<'_>; 7] = [&&caller.org.0[..], &at, &memory, &machine, &number(limit)?, &on, &store];
    let rows = client.query(&sql, &values).await?;
    let versions = rows.iter().map(row_of).collect::<Result<Vec<_>, _>>()?;
    let full = versions.len() as u64 == limit;
    let next = versions.last().filter(|_| full);
    let next = next.map(|last| {
        let ListedVersion { created_at, memory, machine, store, .. } = &last.row;
        format!("{created_at}.{memory}.{machine}.{store}")
    });
    let total =
        if request.after.is_none() { Some(unreviewed(scoped, caller.org, machine).await?) } else { None };
    Ok(RowPage { versions, next, total })
}

/// The place of a row of the inbox: instant, memory, machine and store.
type InboxPlace = (i64, Vec<u8>, Vec<u8>, Vec<u8>);

fn inbox_cursor(text: &str) -> Option<InboxPlace> {
    let mut parts = text.split('.');
    let at = parts.next()?.parse().ok()?;
    let memory = MemoryId::parse(parts.next()?).ok()?;
    let machine = MachineId::parse(parts.next()?).ok()?;
    let store = StoreId::parse(parts.next()?).ok()?;
    Some((at, memory.0.to_vec(), machine.0.to_vec(), store.0.to_vec()))
}

/// The place of a row of a history: instant, place in its chain, machine and store.
fn history_cursor(text: &str) -> Option<(i64, i64, Vec<u8>, Vec<u8>)> {
    let mut parts = text.split('.');
    let (at, seq) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let machine = MachineId::parse(parts.next()?).ok()?;
    let store = StoreId::parse(parts.next()?).ok()?;
    Some((at, seq, machine.0.to_vec(), store.0.to_vec()))
}

/// How many memories nobody reviewed, of one machine or of all.
async fn unreviewed(scoped: &Scoped, org: OrgId, machine: Option<Vec<u8>>) -> Result<u64, Failure> {
    let row = scoped
        .client()?
        .query_one(
            "SELECT count(*) FROM (SELECT FROM memories WHERE org = $1 AND told AND newest > GREATEST(reviewed, reviewed_hub)
                 AND ($3::bytea IS NULL OR machine = $3) LIMIT $2) AS counted",
            &[&&org.0[..], &number(MAX_COUNTED + 1)?, &machine],
        )
        .await?;
    Ok(count(row.get(0)))
}

/// A machine by its id or its name.
pub(crate) async fn machine_named(
    scoped: &Scoped,
    caller: &Caller,
    name: &str,
) -> Result<MachineId, Failure> {
    let id = MachineId::parse(name).ok().map(|id| id.0.to_vec());
    let rows = scoped
        .client()?
        .query(
            "SELECT machine FROM machines WHERE org = $1 AND (machine = $2 OR ($2 IS NULL AND name = $3)) ORDER BY machine",
            &[&&caller.org.0[..], &id, &name],
        )
        .await?;
    match rows.as_slice() {
        [] => Err(Failure::refused(m::NOT_FOUND, "The hub has no such machine.")),
        [row] => Ok(MachineId(id16(row, 0)?)),
        rows => {
            let ids = rows.iter().take(CANDIDATES).map(|row| Ok(MachineId(id16(row, 0)?).to_string()));
            let ids = in_words(ids.collect::<Result<_, Failure>>()?);
            Err(invalid(&format!("Several machines have this name: name it by its id, one of {ids}.")))
        }
    }
}

/// A page of the versions of the memories at a path, newest first: of every machine that has a store of that name, or of that
/// store's project.
pub(crate) async fn history(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: AskHistory,
) -> Result<RowPage, Failure> {
    let limit = request.limit.clamp(1, m::MAX_VERSIONS as u64);
    let id = StoreId::parse(&request.store).ok().map(|id| id.0.to_vec());
    let bad = || invalid("The page begins nowhere.");
    let (at, seq, on, of) = match &request.after {
        None => (i64::MAX, i64::MAX, vec![0xff; 17], vec![0xff; 17]),
        Some(after) => history_cursor(after).ok_or_else(bad)?,
    };
    let sql = format!(
        "WITH named AS (SELECT store, machine, project FROM stores WHERE org = $1 AND (store = $2 OR ($2 IS NULL AND name = $3))),
             wanted AS (SELECT store, machine FROM named UNION SELECT s.store, s.machine FROM stores s JOIN named n
                 ON n.project = s.project WHERE s.org = $1),
             -- Whatever path a memory has now: it may have been there before. What was redacted there is known by the code alone.
             there AS (SELECT k.store, k.machine, k.memory FROM memories k JOIN wanted w ON w.store = k.store AND w.machine = k.machine
                 WHERE k.org = $1 AND k.path_key = $4
                 UNION SELECT o.store, o.machine, o.memory FROM versions o JOIN wanted w ON w.store = o.store AND w.machine = o.machine
                 WHERE o.org = $1 AND sha256(o.path) = sha256($10) AND o.path = $10 AND NOT o.withdrawn)
         SELECT {COLUMNS} FROM there k
         JOIN versions v ON v.org = $1 AND v.store = k.store AND v.machine = k.machine AND v.memory = k.memory
         JOIN machines m ON m.org = v.org AND m.machine = v.machine
         JOIN stores s ON s.org = v.org AND s.store = v.store AND s.machine = v.machine
         WHERE NOT v.withdrawn AND (v.created_at, v.seq, v.machine, v.store) < ($5, $6, $8, $9)
         ORDER BY v.created_at DESC, v.seq DESC, v.machine DESC, v.store DESC LIMIT $7"
    );
    let key = path_key(hub, caller.org, &request.path.0);
    let path = &request.path.0[..];
    let values: [Value<'_>; 10] =
        [&&caller.org.0[..], &id, &request.store, &key, &at, &seq, &number(limit)?, &on, &of, &path];
    let rows = scoped.client()?.query(&sql, &values).await?;
    let versions = rows.iter().map(row_of).collect::<Result<Vec<_>, _>>()?;
    let full = versions.len() as u64 == limit;
    let next = versions.last().filter(|_| full);
    let next = next.map(|last| {
        let ListedVersion { created_at, seq, machine, store, .. } = &last.row;
        format!("{created_at}.{seq}.{machine}.{store}")
    });
    Ok(RowPage { versions, next, total: None })
}

/// What waits for the asking machine, and for anybody.
pub(crate) async fn waiting(scoped: &Scoped, caller: &Caller) -> Result<Waiting, Failure> {
    let row = scoped
        .client()?
        .query_one(
            include_str!("../../../statements/waiting.sql"),
            &[&&caller.org.0[..], &&caller.machine.0[..]],
        )
        .await?;
    let sql = format!("SELECT {} FROM machines m WHERE m.org = $1 AND m.machine = $2", copies::COLUMNS);
    let copy = scoped.client()?.query_opt(&sql, &[&&caller.org.0[..], &&caller.machine.0[..]]).await?;
    Ok(Waiting {
        orders: count(row.get(0)),
        outstanding: count(row.get(1)),
        to_approve: count(row.get(2)),
        proposals: count(row.get(3)),
        unreviewed: unreviewed(scoped, caller.org, None).await?,
        role: Some(caller.role.to_string()),
        signed_in: people::signed_in(scoped, caller).await?,
        restored: restored::restored(scoped, caller).await?,
        copy: copy.map_or(Ok(None), |row| copies::refused_copy(&row, 0))?,
    })
}
