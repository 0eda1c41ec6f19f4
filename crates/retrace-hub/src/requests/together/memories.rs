//! What machines tell of their memories: the newest versions, what a person has left to review, and which approvals come back.

use super::count;
use crate::Failure;
use crate::database::Scoped;
use crate::requests::redactions::KeptOut;
use crate::requests::{Caller, id16, invalid, number, store_id};
use crate::routes::Hub;
use retrace_model::{MemoryId, OrgId, StoreId};
use retrace_sync::messages::{self as m, Append, Done};
use retrace_sync::together::{Decided, Decisions, HubDecision, Left, Withdrawn};
use std::collections::BTreeMap;
use tokio_postgres::Row;

/// Reviews of one answer.
const DECISIONS: i64 = 500;

/// Codes of paths are of this.
const PATH: &[u8] = b"path";

/// Notes the newest version of each memory, by which an inbox is listed.
pub(crate) async fn note_memories(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    store: StoreId,
    (request, kept_out): (&Append, &KeptOut),
) -> Result<(), Failure> {
    let mut newest: BTreeMap<MemoryId, (i64, i64, Option<Vec<u8>>)> = BTreeMap::new();
    for (seq, version) in (request.after_seq + 1..).zip(&request.versions) {
        let memory = version.memory().map_err(|_| invalid("A field of the version cannot be read."))?;
        let path = version.opened.as_ref().filter(|_| !kept_out.holds(version)).map(|opened| &opened.path.0);
        let key = path.map(|path| path_key(hub, caller.org, path));
        let known = newest.remove(&memory).and_then(|(_, _, key)| key);
        newest.insert(memory, (number(seq)?, version.created_at, key.or(known)));
    }
    let memories: Vec<&[u8]> = newest.keys().map(|memory| &memory.0[..]).collect();
    let seqs: Vec<i64> = newest.values().map(|(seq, ..)| *seq).collect();
    let times: Vec<i64> = newest.values().map(|(_, at, _)| *at).collect();
    let keys: Vec<Option<&[u8]>> = newest.values().map(|(.., key)| key.as_deref()).collect();
    let client = scoped.client()?;
    let upsert = include_str!("../../../statements/memory_seen.sql");
    client
        .execute(
            upsert,
            &[&&caller.org.0[..], &&store.0[..], &&caller.machine.0[..], &memories, &seqs, &times, &keys],
        )
        .await?;
    Ok(())
}

pub(crate) fn path_key(hub: &Hub, org: OrgId, path: &[u8]) -> Vec<u8> {
    hub.keys.tag(PATH, org, path)[..12].to_vec()
}

/// Takes what is left to review on the asking machine; everything else up to there is reviewed.
pub(crate) async fn left(scoped: &Scoped, caller: &Caller, request: Left) -> Result<Done, Failure> {
    let store = store_id(&request.store)?;
    if request.left.len() > m::MAX_VERSIONS * 100 {
        return Err(invalid("Too many memories are left."));
    }
    let mut memories = Vec::with_capacity(request.left.len());
    let mut bases = Vec::with_capacity(request.left.len());
    for left in &request.left {
        let memory = MemoryId::parse(&left.memory).map_err(|_| invalid("This is not the id of a memory."))?;
        memories.push(memory.0.to_vec());
        bases.push(number(left.base)?);
    }
    // Places in the log are turned into places in the chain: of what is left the newest version that is not newer than the base.
    scoped
        .client()?
        .execute(
            include_str!("../../../statements/memories_reviewed.sql"),
            &[
                &&caller.org.0[..],
                &&store.0[..],
                &&caller.machine.0[..],
                &memories,
                &bases,
                &number(request.through)?,
            ],
        )
        .await?;
    Ok(Done {})
}

/// Takes which imports of a store the asking machine took back.
pub(crate) async fn withdrawn(scoped: &Scoped, caller: &Caller, request: Withdrawn) -> Result<Done, Failure> {
    let store = store_id(&request.store)?;
    if request.operations.len() > m::MAX_VERSIONS * 100 {
        return Err(invalid("Too many imports were taken back."));
    }
    let operations = request.operations.iter().map(|seq| number(*seq)).collect::<Result<Vec<_>, _>>()?;
    scoped
        .client()?
        .execute(
            "UPDATE versions SET withdrawn = (operation_seq = ANY($4)) WHERE org = $1 AND store = $2 AND machine = $3
                 AND NOT observed AND withdrawn <> (operation_seq = ANY($4))",
            &[&&caller.org.0[..], &&store.0[..], &&caller.machine.0[..], &operations],
        )
        .await?;
    // An inbox lists the newest version that counts.
    scoped
        .client()?
        .execute(
            include_str!("../../../statements/imports_withdrawn.sql"),
            &[&&caller.org.0[..], &&store.0[..], &&caller.machine.0[..]],
        )
        .await?;
    Ok(Done {})
}

/// Reviews of the asking machine's memories that were made at the hub.
pub(crate) async fn decisions(
    scoped: &Scoped,
    caller: &Caller,
    request: Decided,
) -> Result<Decisions, Failure> {
    let rows = scoped
        .client()?
        .query(
            "SELECT number, store, memory, local_seq, verdict, person, by_name, at, verified FROM hub_reviews
             WHERE org = $1 AND machine = $2 AND number > $3 ORDER BY number LIMIT $4",
            &[&&caller.org.0[..], &&caller.machine.0[..], &number(request.after)?, &DECISIONS],
        )
        .await?;
    let decision = |row: &Row| {
        Ok(HubDecision {
            number: count(row.get(0)),
            store: StoreId(id16(row, 1)?).to_string(),
            memory: MemoryId(id16(row, 2)?).to_string(),
            local_seq: count(row.get(3)),
            verdict: row.get(4),
            person: row.get(5),
            by_name: row.get(6),
            at: row.get(7),
            verified: row.get(8),
        })
    };
    Ok(Decisions { decisions: rows.iter().map(decision).collect::<Result<_, Failure>>()? })
}
