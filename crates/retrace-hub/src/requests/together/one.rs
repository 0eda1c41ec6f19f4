//! One version: its content, comments on it, approving it.

use super::comments::may_remove;
use super::{COLUMNS, TABLES, count, may_read, row_of, words};
use crate::Failure;
use crate::audit;
use crate::database::{Scoped, now};
use crate::keys::{Place, Sealed};
use crate::requests::redactions::{KeptOut, Value, beside_others, machine_name, opened};
use crate::requests::{Caller, digest, id16, invalid, number};
use crate::routes::Hub;
use retrace_model::{MachineId, MemoryId, Sha256, StoreId, VersionId};
use retrace_sync::messages::{self as m, PackedContent};
use retrace_sync::said::{Commented, SaidComment};
use retrace_sync::together::{
    Approve, Approved, Comment, HubCommentRow, HubReviewRow, HubVersionRow, MAX_TEXT, Shown, VersionRef,
};
use tokio_postgres::Row;

/// Candidates that an error names, where a name fits several.
pub(super) const CANDIDATES: usize = 10;

/// Names in a sentence, each once.
pub(super) fn in_words(mut names: Vec<String>) -> String {
    names.sort_unstable();
    names.dedup();
    names.join(", ")
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

/// The version that is named: `memver_…`, with `@` and id or name of the machine where several machines have it.
pub(crate) async fn found(scoped: &Scoped, caller: &Caller, text: &str) -> Result<Found, Failure> {
    let unknown = || Failure::refused(m::NOT_FOUND, "The hub has no such version.");
    let (version, machine) = match text.split_once('@') {
        Some((version, machine)) => (version, Some(machine)),
        None => (text, None),
    };
    let id = VersionId::parse(version).map_err(|_| unknown())?;
    let sql = format!(
        "SELECT {COLUMNS} FROM {TABLES} WHERE v.org = $1 AND v.local_seq = $2 AND substring(v.leaf FROM 1 FOR 8) = $3
             AND ($4::bytea IS NULL OR v.machine = $4) AND ($5::text IS NULL OR m.name = $5) ORDER BY v.machine, v.store LIMIT {CANDIDATES}"
    );
    let id_of_machine =
        machine.and_then(|machine| MachineId::parse(machine).ok()).map(|machine| machine.0.to_vec());
    let name = machine.filter(|_| id_of_machine.is_none());
    let rows = scoped
        .client()?
        .query(&sql, &[&&caller.org.0[..], &number(id.seq)?, &&id.fingerprint[..], &id_of_machine, &name])
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
        rows => {
            let named = |row: &Row| -> Result<String, Failure> {
                Ok(format!("{} {}", row.get::<_, String>(11), MachineId(id16(row, 1)?)))
            };
            let names = rows.iter().map(named).collect::<Result<_, _>>()?;
            Err(invalid(&format!(
                "Several machines have this version: name it as VERSION@MACHINE, with one of {}.",
                in_words(names)
            )))
        }
    }
}

/// The content of a version, where the hub has it.
async fn content_of(
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
            "SELECT number, person, by_name, at, sha256, size, wrapped_key, bytes, verified, by_machine FROM comments
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
        let (number, person, verified): (_, String, bool) = (count(row.get(0)), row.get(1), row.get(8));
        let removable = may_remove(caller, &row.get::<_, Vec<u8>>(9), &person, verified);
        let (by_name, at) = (row.get(2), row.get(3));
        comments.push(HubCommentRow { number, text, person, by_name, at, verified, removable });
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
) -> Result<Commented, Failure> {
    let length = request.text.chars().count();
    if length > MAX_TEXT {
        return Err(invalid(&format!("The comment has {length} characters; at most {MAX_TEXT} are kept.")));
    }
    let text = words(&request.text);
    if text.trim().is_empty() {
        return Err(invalid("The comment is empty."));
    }
    beside_others(scoped, caller.org).await?;
    let found = found(scoped, caller, &request.version).await?;
    if found.row.row.content == "redacted" {
        return Err(Failure::refused(m::REDACTED, "The version was redacted."));
    }
    let sha256 = Sha256::of(text.as_bytes());
    if KeptOut::is_out(hub, scoped, caller.org, &sha256).await? {
        return Err(invalid("This comment was redacted; it stays out."));
    }
    let packed = zstd::bulk::compress(text.as_bytes(), 3)
        .map_err(|_| Failure::Machine("a comment could not be packed".into()))?;
    let place = Place { org: caller.org, store: found.store, machine: found.machine };
    let sealed = hub.keys.seal(place, &sha256, &packed)?;
    let (person, verified) = caller.who(&request.person);
    let at = now();
    let row = scoped
        .client()?
        .query_one(
            "INSERT INTO comments (org, store, machine, seq, person, by_machine, by_name, at, sha256, size, wrapped_key, bytes,
                 verified)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING number",
            &[
                &&caller.org.0[..],
                &&found.store.0[..],
                &&found.machine.0[..],
                &found.seq,
                &person,
                &&caller.machine.0[..],
                &machine_name(scoped, caller).await?,
                &at,
                &&sha256.0[..],
                &number(text.len() as u64)?,
                &sealed.wrapped_key,
                &sealed.bytes,
                &verified,
            ],
        )
        .await?;
    audit::note(scoped, caller, "comment", &found.row.id).await?;
    Ok(Commented { comment: Some(SaidComment { number: count(row.get(0)), at }) })
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
