//! Reviewing together: what nobody reviewed, approvals, comments, contents and history of all machines, projects.

use super::redactions::{KeptOut, Value, machine_name, opened};
use super::{Caller, digest, id16, invalid, number, store_id};
use crate::Failure;
use crate::audit;
use crate::database::{Scoped, now};
use crate::keys::{Place, Sealed};
use crate::people;
use crate::routes::Hub;
use retrace_model::{MachineId, MemoryId, OrgId, Sha256, StoreId, VersionId};
use retrace_sync::messages::{self as m, Append, Bytes, Done, ListedVersion, PackedContent};
use retrace_sync::roles::{Right, allows};
use retrace_sync::together::{
    Approve, Approved, AskHistory, AskInbox, Comment, Decided, Decisions, HubCommentRow, HubDecision,
    HubReviewRow, HubVersionRow, Left, MAX_COUNTED, MAX_TEXT, OfProject, Project, ProjectStore, Projects,
    RowPage, Shown, VersionRef, Waiting,
};
use std::collections::BTreeMap;
use tokio_postgres::Row;

/// Reviews of one answer.
const DECISIONS: i64 = 500;

/// Codes of paths are of this.
const PATH: &[u8] = b"path";

/// What [`row_of`] reads, of `v` joined with `m` and `s`.
pub(crate) const COLUMNS: &str = "v.store, v.machine, v.seq, v.memory, v.operation, v.source, v.created_at, v.path,
    v.content_sha256, v.content_size, v.redacted, m.name, s.name, EXISTS (SELECT 1 FROM contents c WHERE c.org = v.org
        AND c.store = v.store AND c.machine = v.machine AND c.sha256 = v.content_sha256),
    v.local_seq, v.leaf, s.project, EXISTS (SELECT 1 FROM memories r WHERE r.org = v.org AND r.store = v.store
        AND r.machine = v.machine AND r.memory = v.memory AND GREATEST(r.reviewed, r.reviewed_hub) >= v.seq),
    (SELECT count(*) FROM comments k WHERE k.org = v.org AND k.store = v.store AND k.machine = v.machine AND k.seq = v.seq),
    v.expired";

/// The tables that [`COLUMNS`] are of.
pub(crate) const TABLES: &str = "versions v JOIN machines m ON m.org = v.org AND m.machine = v.machine
    JOIN stores s ON s.org = v.org AND s.store = v.store AND s.machine = v.machine";

fn count(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// A text of a person, without control characters.
pub(crate) fn words(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control() || *letter == '\n').take(MAX_TEXT).collect()
}

/// A person, as a machine names them.
pub(crate) fn person_of(text: &str) -> String {
    let name: String = text.chars().filter(|letter| !letter.is_control()).take(100).collect();
    if name.trim().is_empty() { "unknown".to_owned() } else { name }
}

/// Whether the hub has the content of a version.
fn content_word(redacted: bool, has_content: bool, expired: bool, kept: bool) -> &'static str {
    match (redacted, has_content, expired, kept) {
        (true, ..) => "redacted",
        (false, false, ..) => "none",
        (false, true, true, _) => "expired",
        (false, true, false, true) => "kept",
        (false, true, false, false) => "not_sent",
    }
}

/// True if the caller may read contents of a machine: an auditor of none, a writer of its own.
pub(crate) fn may_read(caller: &Caller, machine: MachineId) -> bool {
    allows(caller.role, Right::ReadContent) || (machine == caller.machine && allows(caller.role, Right::Send))
}

fn project_id(bytes: &[u8]) -> String {
    format!("project_{}", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

/// Reads [`COLUMNS`].
pub(crate) fn row_of(row: &Row) -> Result<HubVersionRow, Failure> {
    let sha256: Option<Vec<u8>> = row.get(8);
    Ok(HubVersionRow {
        id: VersionId::new(count(row.get(14)), &digest(row, 15)?).to_string(),
        row: ListedVersion {
            machine: MachineId(id16(row, 1)?).to_string(),
            machine_name: row.get(11),
            store: StoreId(id16(row, 0)?).to_string(),
            store_name: row.get(12),
            seq: count(row.get(2)),
            memory: MemoryId(id16(row, 3)?).to_string(),
            operation: row.get(4),
            source: row.get(5),
            created_at: row.get(6),
            path: row.get::<_, Option<Vec<u8>>>(7).map(Bytes),
            content: content_word(row.get(10), sha256.is_some(), row.get(19), row.get(13)).to_owned(),
            content_sha256: sha256.is_some().then(|| digest(row, 8)).transpose()?.map(|hash| hash.to_hex()),
            size: row.get::<_, Option<i64>>(9).map(count),
        },
        project: row.get::<_, Option<Vec<u8>>>(16).map(|id| project_id(&id)),
        reviewed: row.get(17),
        comments: count(row.get(18)),
    })
}

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
    let upsert = "INSERT INTO memories AS m (org, store, machine, memory, newest, newest_at, path_key)
             SELECT $1, $2, $3, n.* FROM unnest($4::bytea[], $5::int8[], $6::int8[], $7::bytea[]) AS n
             ON CONFLICT (org, store, machine, memory) DO UPDATE SET newest = EXCLUDED.newest,
                 newest_at = EXCLUDED.newest_at, path_key = coalesce(EXCLUDED.path_key, m.path_key)";
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
            "UPDATE memories m SET told = true, reviewed = n.reviewed FROM (
                 SELECT k.memory, CASE WHEN l.memory IS NULL THEN k.newest ELSE coalesce((SELECT max(v.seq) FROM versions v
                     WHERE v.org = k.org AND v.store = k.store AND v.machine = k.machine AND v.memory = k.memory
                         AND v.local_seq <= l.base), 0) END AS reviewed
                 FROM memories k LEFT JOIN (SELECT unnest($4::bytea[]) AS memory, unnest($5::int8[]) AS base) l
                     ON l.memory = k.memory
                 WHERE k.org = $1 AND k.store = $2 AND k.machine = $3
                     AND EXISTS (SELECT 1 FROM versions v WHERE v.org = k.org AND v.store = k.store
                         AND v.machine = k.machine AND v.seq = k.newest AND v.local_seq <= $6)) n
             WHERE m.org = $1 AND m.store = $2 AND m.machine = $3 AND m.memory = n.memory
                 AND (NOT m.told OR m.reviewed <> n.reviewed)",
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

/// A version that was found by its name.
pub(crate) struct Found {
    pub(crate) store: StoreId,
    pub(crate) machine: MachineId,
    pub(crate) seq: i64,
    pub(crate) row: HubVersionRow,
    pub(crate) local_seq: i64,
}

impl Found {
    pub(crate) fn memory(&self) -> Result<MemoryId, Failure> {
        MemoryId::parse(&self.row.row.memory).map_err(|_| Failure::Database("an id is damaged".into()))
    }
}

/// The version that is named: `memver_…`, with `@machine_…` where several machines have it.
pub(crate) async fn found(scoped: &Scoped, caller: &Caller, text: &str) -> Result<Found, Failure> {
    let unknown = || Failure::refused(m::NOT_FOUND, "The hub has no such version.");
    let (version, machine) = match text.split_once('@') {
        Some((version, machine)) => (version, Some(MachineId::parse(machine).map_err(|_| unknown())?)),
        None => (text, None),
    };
    let id = VersionId::parse(version).map_err(|_| unknown())?;
    let sql = format!(
        "SELECT {COLUMNS} FROM {TABLES} WHERE v.org = $1 AND v.local_seq = $2 AND substring(v.leaf FROM 1 FOR 8) = $3
             AND ($4::bytea IS NULL OR v.machine = $4) ORDER BY v.machine, v.store LIMIT 2"
    );
    let machine = machine.map(|machine| machine.0.to_vec());
    let rows = scoped
        .client()?
        .query(&sql, &[&&caller.org.0[..], &number(id.seq)?, &&id.fingerprint[..], &machine])
        .await?;
    match rows.as_slice() {
        [] => Err(unknown()),
        [row] => Ok(Found {
            store: StoreId(id16(row, 0)?),
            machine: MachineId(id16(row, 1)?),
            seq: row.get(2),
            local_seq: row.get(14),
            row: row_of(row)?,
        }),
        _ => Err(invalid("Several machines have this version: name it as VERSION@MACHINE.")),
    }
}

/// The content of a version, where the hub has it.
pub(crate) async fn content_of(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    found: &Found,
) -> Result<Option<PackedContent>, Failure> {
    let Some(sha256) = found.row.row.content_sha256.as_deref().and_then(Sha256::from_hex) else {
        return Ok(None);
    };
    let row = scoped
        .client()?
        .query_opt(
            "SELECT size, wrapped_key, bytes FROM contents WHERE org = $1 AND store = $2 AND machine = $3 AND sha256 = $4",
            &[&&caller.org.0[..], &&found.store.0[..], &&found.machine.0[..], &&sha256.0[..]],
        )
        .await?;
    let Some(row) = row else { return Ok(None) };
    let sealed = Sealed { wrapped_key: row.get(1), bytes: row.get(2) };
    opened(hub, (caller.org, found.store, found.machine), sha256, row.get(0), &sealed).map(Some)
}

/// A version with what was said about it, without its content.
pub(crate) async fn show(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: VersionRef,
) -> Result<Shown, Failure> {
    let found = found(scoped, caller, &request.version).await?;
    let readable = may_read(caller, found.machine);
    let content = match request.content {
        true if !readable => {
            let message = "This role does not read contents of that machine.";
            return Err(Failure::refused(m::NOT_ALLOWED, message));
        }
        true => {
            audit::note(scoped, caller, "read_content", &found.row.id).await?;
            content_of(hub, scoped, caller, &found).await?
        }
        false => None,
    };
    let client = scoped.client()?;
    let memory = found.memory()?;
    let before = client
        .query_opt(
            "SELECT local_seq, leaf FROM versions WHERE org = $1 AND store = $2 AND machine = $3 AND memory = $4 AND seq < $5
             ORDER BY seq DESC LIMIT 1",
            &[
                &&caller.org.0[..],
                &&found.store.0[..],
                &&found.machine.0[..],
                &&memory.0[..],
                &found.seq,
            ],
        )
        .await?;
    let before = before
        .map(|row| Ok::<_, Failure>(VersionId::new(count(row.get(0)), &digest(&row, 1)?)))
        .transpose()?
        .map(|id| format!("{id}@{}", found.machine));
    let of: [Value<'_>; 4] = [&&caller.org.0[..], &&found.store.0[..], &&found.machine.0[..], &found.seq];
    let rows = client
        .query(
            "SELECT number, person, by_name, at, sha256, size, wrapped_key, bytes, verified FROM comments
             WHERE org = $1 AND store = $2 AND machine = $3 AND seq = $4 ORDER BY number",
            &of,
        )
        .await?;
    let mut comments = Vec::with_capacity(rows.len());
    for row in &rows {
        let text = match row.get::<_, Option<Vec<u8>>>(6) {
            None => None,
            // A comment may quote what it is about.
            Some(_) if !readable => None,
            Some(wrapped_key) => {
                let sealed = Sealed { wrapped_key, bytes: row.get(7) };
                let place = (caller.org, found.store, found.machine);
                let packed = opened(hub, place, digest(row, 4)?, row.get(5), &sealed)?;
                let bytes = zstd::bulk::decompress(&packed.packed.0, MAX_TEXT * 4)
                    .map_err(|_| Failure::Database("a comment is damaged".into()))?;
                Some(String::from_utf8_lossy(&bytes).into_owned())
            }
        };
        let (person, by_name, at) = (row.get(1), row.get(2), row.get(3));
        let verified = row.get(8);
        comments.push(HubCommentRow { number: count(row.get(0)), text, person, by_name, at, verified });
    }
    let rows = client
        .query(
            "SELECT verdict, person, by_name, at, verified FROM hub_reviews WHERE org = $1 AND store = $2 AND machine = $3
                 AND memory = $4 AND seq >= $5 ORDER BY number",
            &[of[0], of[1], of[2], &&memory.0[..], &found.seq],
        )
        .await?;
    let review = |row: &Row| HubReviewRow {
        verdict: row.get(0),
        person: row.get(1),
        by_name: row.get(2),
        at: row.get(3),
        verified: row.get(4),
    };
    let reviews = rows.iter().map(review).collect();
    Ok(Shown { version: found.row, content, before, comments, reviews })
}

/// Comments on a version.
pub(crate) async fn comment(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: Comment,
) -> Result<Done, Failure> {
    let text = words(&request.text);
    if text.trim().is_empty() {
        return Err(invalid("The comment is empty."));
    }
    super::redactions::beside_others(scoped, caller.org).await?;
    let found = found(scoped, caller, &request.version).await?;
    if found.row.row.content == "redacted" {
        return Err(invalid("The version was redacted."));
    }
    let sha256 = Sha256::of(text.as_bytes());
    let packed = zstd::bulk::compress(text.as_bytes(), 3)
        .map_err(|_| Failure::Machine("a comment could not be packed".into()))?;
    let place = Place { org: caller.org, store: found.store, machine: found.machine };
    let sealed = hub.keys.seal(place, &sha256, &packed)?;
    let (person, verified) = caller.who(&request.person);
    scoped
        .client()?
        .execute(
            "INSERT INTO comments (org, store, machine, seq, person, by_machine, by_name, at, sha256, size, wrapped_key, bytes,
                 verified)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
            &[
                &&caller.org.0[..],
                &&found.store.0[..],
                &&found.machine.0[..],
                &found.seq,
                &person,
                &&caller.machine.0[..],
                &machine_name(scoped, caller).await?,
                &now(),
                &&sha256.0[..],
                &number(text.len() as u64)?,
                &sealed.wrapped_key,
                &sealed.bytes,
                &verified,
            ],
        )
        .await?;
    audit::note(scoped, caller, "comment", &found.row.id).await?;
    Ok(Done {})
}

/// Approves versions: their memories are reviewed up to there.
pub(crate) async fn approve(scoped: &Scoped, caller: &Caller, request: Approve) -> Result<Approved, Failure> {
    if request.versions.is_empty() || request.versions.len() > m::MAX_VERSIONS {
        return Err(invalid("One to a thousand versions are wanted."));
    }
    let ((person, verified), by_name) = (caller.who(&request.person), machine_name(scoped, caller).await?);
    let client = scoped.client()?;
    let mut memories = 0;
    for version in &request.versions {
        let found = found(scoped, caller, version).await?;
        let memory = found.memory()?;
        let of: [Value<'_>; 5] =
            [&&caller.org.0[..], &&found.store.0[..], &&found.machine.0[..], &&memory.0[..], &found.seq];
        let moved = client
            .execute(
                "UPDATE memories SET reviewed_hub = $5 WHERE org = $1 AND store = $2 AND machine = $3 AND memory = $4
                     AND GREATEST(reviewed, reviewed_hub) < $5",
                &of,
            )
            .await?;
        if moved == 0 {
            continue;
        }
        memories += moved;
        client
            .execute(
                "INSERT INTO hub_reviews (org, store, machine, memory, seq, local_seq, verdict, person, by_machine, by_name, at,
                     verified)
                 VALUES ($1, $2, $3, $4, $5, $6, 'approved', $7, $8, $9, $10, $11)",
                &[
                    of[0],
                    of[1],
                    of[2],
                    of[3],
                    of[4],
                    &found.local_seq,
                    &person,
                    &&caller.machine.0[..],
                    &by_name,
                    &now(),
                    &verified,
                ],
            )
            .await?;
        audit::note(scoped, caller, "approve", &found.row.id).await?;
    }
    Ok(Approved { memories })
}

/// A page of the memories that nobody reviewed: of each the newest version, newest first.
pub(crate) async fn inbox(scoped: &Scoped, caller: &Caller, request: AskInbox) -> Result<RowPage, Failure> {
    let limit = request.limit.clamp(1, m::MAX_VERSIONS as u64);
    let bad = || invalid("The page begins nowhere.");
    let (at, memory) = match &request.after {
        None => (i64::MAX, vec![0xff; 17]),
        Some(after) => {
            let (at, memory) = after.split_once('.').ok_or_else(bad)?;
            let memory = MemoryId::parse(memory).map_err(|_| bad())?;
            (at.parse().map_err(|_| bad())?, memory.0.to_vec())
        }
    };
    let machine = match request.machine.as_deref().filter(|name| !name.is_empty()) {
        // Who sends and reads no contents of others reviews their own; who only looks on sees what there is.
        None => (allows(caller.role, Right::Send) && !allows(caller.role, Right::ReadContent))
            .then(|| caller.machine.0.to_vec()),
        Some(name) => Some(machine_named(scoped, caller, name).await?.0.to_vec()),
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM (SELECT n.* FROM memories n WHERE n.org = $1 AND n.told
                 AND n.newest > GREATEST(n.reviewed, n.reviewed_hub) AND (n.newest_at, n.memory) < ($2, $3)
                 AND ($4::bytea IS NULL OR n.machine = $4)
             ORDER BY n.newest_at DESC, n.memory DESC LIMIT $5) n
         JOIN versions v ON v.org = n.org AND v.store = n.store AND v.machine = n.machine AND v.seq = n.newest
         JOIN machines m ON m.org = v.org AND m.machine = v.machine
         JOIN stores s ON s.org = v.org AND s.store = v.store AND s.machine = v.machine
         ORDER BY n.newest_at DESC, n.memory DESC"
    );
    let client = scoped.client()?;
    let rows = client.query(&sql, &[&&caller.org.0[..], &at, &memory, &machine, &number(limit)?]).await?;
    let versions = rows.iter().map(row_of).collect::<Result<Vec<_>, _>>()?;
    let full = versions.len() as u64 == limit;
    let next = versions.last().filter(|_| full);
    let next = next.map(|last| format!("{}.{}", last.row.created_at, last.row.memory));
    let total =
        if request.after.is_none() { Some(unreviewed(scoped, caller.org, machine).await?) } else { None };
    Ok(RowPage { versions, next, total })
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
            "SELECT machine FROM machines WHERE org = $1 AND (machine = $2 OR ($2 IS NULL AND name = $3)) LIMIT 2",
            &[&&caller.org.0[..], &id, &name],
        )
        .await?;
    match rows.as_slice() {
        [] => Err(Failure::refused(m::NOT_FOUND, "The hub has no such machine.")),
        [row] => Ok(MachineId(id16(row, 0)?)),
        _ => Err(invalid("Several machines have this name: name it by its id.")),
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
    let (at, seq) = match &request.after {
        None => (i64::MAX, i64::MAX),
        Some(after) => {
            let (at, seq) = after.split_once('.').ok_or_else(bad)?;
            (at.parse().map_err(|_| bad())?, seq.parse().map_err(|_| bad())?)
        }
    };
    let sql = format!(
        "WITH named AS (SELECT store, machine, project FROM stores WHERE org = $1 AND (store = $2 OR ($2 IS NULL AND name = $3))),
             wanted AS (SELECT store, machine FROM named UNION SELECT s.store, s.machine FROM stores s JOIN named n
                 ON n.project = s.project WHERE s.org = $1)
         SELECT {COLUMNS} FROM memories k JOIN wanted w ON w.store = k.store AND w.machine = k.machine
         JOIN versions v ON v.org = k.org AND v.store = k.store AND v.machine = k.machine AND v.memory = k.memory
         JOIN machines m ON m.org = v.org AND m.machine = v.machine
         JOIN stores s ON s.org = v.org AND s.store = v.store AND s.machine = v.machine
         WHERE k.org = $1 AND k.path_key = $4 AND (v.created_at, v.seq) < ($5, $6)
         ORDER BY v.created_at DESC, v.seq DESC LIMIT $7"
    );
    let key = path_key(hub, caller.org, &request.path.0);
    let rows = scoped
        .client()?
        .query(&sql, &[&&caller.org.0[..], &id, &request.store, &key, &at, &seq, &number(limit)?])
        .await?;
    let versions = rows.iter().map(row_of).collect::<Result<Vec<_>, _>>()?;
    let full = versions.len() as u64 == limit;
    let next = versions.last().filter(|_| full);
    let next = next.map(|last| format!("{}.{}", last.row.created_at, last.row.seq));
    Ok(RowPage { versions, next, total: None })
}

/// Says of which project a store of the asking machine is.
pub(crate) async fn of_project(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: OfProject,
) -> Result<Done, Failure> {
    let store = store_id(&request.store)?;
    let client = scoped.client()?;
    let project: Option<Vec<u8>> = match request.remote.as_deref() {
        None => None,
        Some(remote) => {
            let remote =
                Sha256::from_hex(remote).ok_or_else(|| invalid("A hash has 64 hexadecimal digits."))?;
            let id: [u8; 16] = hub.keys.random()?;
            let name: String = request.name.chars().filter(|letter| !letter.is_control()).take(100).collect();
            client
                .execute(
                    "INSERT INTO projects (org, id, remote, name) VALUES ($1, $2, $3, $4)
                     ON CONFLICT (org, remote) DO UPDATE SET name = $4",
                    &[&&caller.org.0[..], &&id[..], &&remote.0[..], &name],
                )
                .await?;
            let row = client
                .query_one(
                    "SELECT id FROM projects WHERE org = $1 AND remote = $2",
                    &[&&caller.org.0[..], &&remote.0[..]],
                )
                .await?;
            Some(row.get(0))
        }
    };
    client
        .execute(
            "UPDATE stores SET project = $4 WHERE org = $1 AND store = $2 AND machine = $3
                 AND project IS DISTINCT FROM $4",
            &[&&caller.org.0[..], &&store.0[..], &&caller.machine.0[..], &project],
        )
        .await?;
    Ok(Done {})
}

/// Projects, and the stores of each.
pub(crate) async fn projects(scoped: &Scoped, caller: &Caller) -> Result<Projects, Failure> {
    let rows = scoped
        .client()?
        .query(
            "SELECT p.id, p.name, s.machine, m.name, s.store, s.name FROM projects p
             JOIN stores s ON s.org = p.org AND s.project = p.id
             JOIN machines m ON m.org = s.org AND m.machine = s.machine
             WHERE p.org = $1 ORDER BY p.name, p.id, m.name, s.name",
            &[&&caller.org.0[..]],
        )
        .await?;
    let mut projects: Vec<Project> = Vec::new();
    for row in &rows {
        let id = project_id(&row.get::<_, Vec<u8>>(0));
        let store = ProjectStore {
            machine: MachineId(id16(row, 2)?).to_string(),
            machine_name: row.get(3),
            store: StoreId(id16(row, 4)?).to_string(),
            store_name: row.get(5),
        };
        match projects.last_mut() {
            Some(project) if project.id == id => project.stores.push(store),
            _ => projects.push(Project { id, name: row.get(1), stores: vec![store] }),
        }
    }
    Ok(Projects { projects })
}

/// What waits for the asking machine, and for anybody.
pub(crate) async fn waiting(scoped: &Scoped, caller: &Caller) -> Result<Waiting, Failure> {
    let row = scoped
        .client()?
        .query_one(
            "SELECT (SELECT count(*) FROM order_machines WHERE org = $1 AND machine = $2 AND state <> 'done'),
                 (SELECT count(DISTINCT id) FROM order_machines WHERE org = $1 AND state <> 'done'),
                 (SELECT count(*) FROM orders WHERE org = $1 AND state = 'waiting'),
                 (SELECT count(*) FROM proposals WHERE org = $1 AND machine = $2 AND state = 'waiting')",
            &[&&caller.org.0[..], &&caller.machine.0[..]],
        )
        .await?;
    Ok(Waiting {
        orders: count(row.get(0)),
        outstanding: count(row.get(1)),
        to_approve: count(row.get(2)),
        proposals: count(row.get(3)),
        unreviewed: unreviewed(scoped, caller.org, None).await?,
        role: Some(caller.role.to_string()),
        signed_in: people::signed_in(scoped, caller).await?,
    })
}
