//! What each request does, in one transaction.

use crate::Failure;
use crate::database::{Scoped, new_token, now, org_of};
use crate::keys::Place;
use crate::routes::Hub;
use retrace_model::{MachineId, MemoryId, OrgId, Sha256, StoreId};
use retrace_sync::chain::{Head, check};
use retrace_sync::messages::{
    self as m, Append, Bytes, Clock, Contents, Done, Hello, Join, Joined, Link, LinkAt, ListVersions,
    ListedVersion, Machine, Machines, NewToken, OfStore, PROTOCOL, Redact, Redacted, SignedHead, Taken,
    Token, VersionPage,
};
use retrace_sync::sign::{head_text, is_signed, join_text, machine_of};
use std::collections::{BTreeMap, BTreeSet};
use tokio_postgres::Row;

/// Who asks.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) org: OrgId,
    pub(crate) machine: MachineId,
    pub(crate) public_key: Vec<u8>,
    pub(crate) role: String,
}

fn invalid(message: &str) -> Failure {
    Failure::refused(m::INVALID, message)
}

fn store_id(text: &str) -> Result<StoreId, Failure> {
    StoreId::parse(text).map_err(|_| invalid("This is not the id of a store."))
}

fn number(value: u64) -> Result<i64, Failure> {
    i64::try_from(value).map_err(|_| invalid("A number is too large."))
}

fn digest(row: &Row, column: usize) -> Result<Sha256, Failure> {
    let bytes: Vec<u8> = row.try_get(column)?;
    bytes.try_into().map(Sha256).map_err(|_| Failure::Database("a digest is damaged".into()))
}

fn id16(row: &Row, column: usize) -> Result<[u8; 16], Failure> {
    let bytes: Vec<u8> = row.try_get(column)?;
    bytes.try_into().map_err(|_| Failure::Database("an id is damaged".into()))
}

pub(crate) fn hello(hub: &Hub) -> Hello {
    Hello { protocol: PROTOCOL, time: now(), public_key: Bytes(hub.keys.signing.public()) }
}

/// Registers a machine. The same machine may ask again with the same token, whose answer it may have missed.
pub(crate) async fn join(hub: &Hub, request: Join) -> Result<Joined, Failure> {
    let bad = || Failure::refused(m::BAD_TOKEN, "The token is unknown, was used, or is too old.");
    let public = &request.public_key.0;
    if public.len() != 32 || !is_signed(public, &join_text(&request.token, public), &request.signature.0) {
        return Err(Failure::refused(m::BAD_SIGNATURE, "The machine does not hold the key that it names."));
    }
    let org = org_of(&request.token).ok_or_else(bad)?;
    let machine = machine_of(public);
    let scoped = hub.database.scoped(org).await?;
    let client = scoped.client()?;
    let sha256 = Sha256::of(request.token.as_bytes());
    let found = client
        .query_opt(
            "SELECT role, used_by, expires_at FROM tokens WHERE org = $1 AND sha256 = $2 FOR UPDATE",
            &[&&org.0[..], &&sha256.0[..]],
        )
        .await?
        .ok_or_else(bad)?;
    let (role, used_by): (String, Option<Vec<u8>>) = (found.get(0), found.get(1));
    match used_by {
        Some(used_by) if used_by == machine.0 => {}
        None if found.get::<_, i64>(2) > now() => {}
        _ => return Err(bad()),
    }
    let name: String = request.name.chars().filter(|letter| !letter.is_control()).take(100).collect();
    client
        .execute(
            "INSERT INTO machines (org, machine, public_key, name, role, joined_at, seen_at)
             VALUES ($1, $2, $3, $4, $5, $6, $6)
             ON CONFLICT (org, machine) DO UPDATE SET name = $4, role = $5, left_at = NULL, seen_at = $6",
            &[&&org.0[..], &&machine.0[..], public, &name, &role, &now()],
        )
        .await?;
    client
        .execute(
            "UPDATE tokens SET used_by = $3 WHERE org = $1 AND sha256 = $2",
            &[&&org.0[..], &&sha256.0[..], &&machine.0[..]],
        )
        .await?;
    scoped.commit().await?;
    Ok(Joined {
        org: org.to_string(),
        machine: machine.to_string(),
        role,
        hub_key: Bytes(hub.keys.signing.public()),
    })
}

/// The registered machine, where it is one and did not leave.
pub(crate) async fn caller(scoped: &Scoped, org: OrgId, machine: MachineId) -> Result<Caller, Failure> {
    let row = scoped
        .client()?
        .query_opt(
            "SELECT public_key, role FROM machines WHERE org = $1 AND machine = $2 AND left_at IS NULL",
            &[&&org.0[..], &&machine.0[..]],
        )
        .await?;
    let row =
        row.ok_or_else(|| Failure::refused(m::NOT_REGISTERED, "This machine is not registered at the hub."))?;
    Ok(Caller { org, machine, public_key: row.get(0), role: row.get(1) })
}

/// Notes what the machine's clock shows.
pub(crate) async fn clock(scoped: &Scoped, caller: &Caller, request: Clock) -> Result<Hello, Failure> {
    let at = now();
    scoped
        .client()?
        .execute(
            "UPDATE machines SET seen_at = $3, skew = $4 WHERE org = $1 AND machine = $2",
            &[&&caller.org.0[..], &&caller.machine.0[..], &at, &request.time.saturating_sub(at)],
        )
        .await?;
    Ok(Hello { protocol: PROTOCOL, time: at, public_key: Bytes(Vec::new()) })
}

/// The head of a chain, locked where it is about to move.
async fn stored_head(
    scoped: &Scoped,
    caller: &Caller,
    store: StoreId,
    lock: &str,
) -> Result<Option<SignedHead>, Failure> {
    let sql = format!(
        "SELECT seq, digest, signed_at, signature FROM heads WHERE org = $1 AND store = $2 AND machine = $3 {lock}"
    );
    let row = scoped
        .client()?
        .query_opt(&sql, &[&&caller.org.0[..], &&store.0[..], &&caller.machine.0[..]])
        .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(SignedHead {
        seq: u64::try_from(row.get::<_, i64>(0)).unwrap_or(0),
        digest: digest(&row, 1)?,
        at: row.get(2),
        signature: Bytes(row.get(3)),
    }))
}

fn empty_head() -> SignedHead {
    SignedHead { seq: 0, digest: Head::EMPTY.digest, at: 0, signature: Bytes::default() }
}

pub(crate) async fn head(scoped: &Scoped, caller: &Caller, request: OfStore) -> Result<SignedHead, Failure> {
    let found = stored_head(scoped, caller, store_id(&request.store)?, "").await?;
    Ok(found.unwrap_or_else(empty_head))
}

pub(crate) async fn link_at(scoped: &Scoped, caller: &Caller, request: LinkAt) -> Result<Link, Failure> {
    let row = scoped
        .client()?
        .query_opt(
            "SELECT digest FROM versions WHERE org = $1 AND store = $2 AND machine = $3 AND seq = $4",
            &[
                &&caller.org.0[..],
                &&store_id(&request.store)?.0[..],
                &&caller.machine.0[..],
                &number(request.seq)?,
            ],
        )
        .await?;
    let row = row.ok_or_else(|| Failure::refused(m::NOT_FOUND, "The chain has no such link."))?;
    Ok(Link { digest: digest(&row, 0)? })
}

/// Appends to a chain. What was appended before and is sent again, because its answer was lost, is answered with the head.
pub(crate) async fn append(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: Append,
) -> Result<SignedHead, Failure> {
    let store = store_id(&request.store)?;
    if request.versions.is_empty() || request.versions.len() > m::MAX_VERSIONS {
        return Err(invalid("One to a thousand versions are wanted."));
    }
    let (org, machine) = (caller.org, caller.machine);
    let keys: [&(dyn tokio_postgres::types::ToSql + Sync); 3] = [&&org.0[..], &&store.0[..], &&machine.0[..]];
    let client = scoped.client()?;
    client
        .execute(
            "INSERT INTO heads (org, store, machine, seq, digest, machine_signature, signed_at, signature)
             VALUES ($1, $2, $3, 0, $4, '', 0, '') ON CONFLICT DO NOTHING",
            &[keys[0], keys[1], keys[2], &&Head::EMPTY.digest.0[..]],
        )
        .await?;
    let stored = stored_head(scoped, caller, store, "FOR UPDATE").await?.unwrap_or_else(empty_head);
    let mut head = Head { seq: request.after_seq, digest: request.after };
    let mut columns = Columns::default();
    let mut last = 0;
    for version in &request.versions {
        let checked =
            check(version, store).map_err(|error| Failure::refused(m::ALTERED, format!("{error}.")))?;
        if version.local_seq <= last {
            return Err(invalid("The versions are not in order."));
        }
        last = version.local_seq;
        head = head.then(machine, store, &checked.leaf);
        columns.add(version, &head)?;
    }
    if stored.seq >= head.seq && stored.seq > request.after_seq {
        // Sent before: the answer was lost.
        let at = LinkAt { store: request.store.clone(), seq: head.seq };
        if link_at(scoped, caller, at).await?.digest == head.digest {
            return Ok(stored);
        }
    }
    if stored.seq != request.after_seq || stored.digest != request.after {
        return Err(Failure::refused(m::HEAD_MOVED, "The chain has another head at the hub."));
    }
    if !is_signed(&caller.public_key, &head_text(org, machine, store, &head, 0), &request.signature.0) {
        return Err(Failure::refused(
            m::ALTERED,
            "The machine signed another head than its versions lead to.",
        ));
    }
    let received = now();
    client
        .execute(
            "INSERT INTO stores (org, store, machine, name, kind) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (org, store, machine) DO UPDATE SET name = $4, kind = $5",
            &[keys[0], keys[1], keys[2], &request.name, &request.kind],
        )
        .await?;
    let insert = client
        .prepare_cached(
            "INSERT INTO versions (org, store, machine, received_at, seq, local_seq, operation_seq, memory, operation,
                 source, created_at, leaf, digest, commitment, observed, redacted, path, salt, content_sha256, content_size)
             SELECT $1, $2, $3, $4, v.* FROM unnest($5::int8[], $6::int8[], $7::int8[], $8::bytea[], $9::text[], $10::text[],
                 $11::int8[], $12::bytea[], $13::bytea[], $14::bytea[], $15::bool[], $16::bool[], $17::bytea[],
                 $18::bytea[], $19::bytea[], $20::int8[]) AS v",
        )
        .await?;
    let c = &columns;
    client
        .execute(
            &insert,
            &[
                keys[0],
                keys[1],
                keys[2],
                &received,
                &c.seq,
                &c.local_seq,
                &c.operation_seq,
                &c.memory,
                &c.operation,
                &c.source,
                &c.created_at,
                &c.leaf,
                &c.digest,
                &c.commitment,
                &c.observed,
                &c.redacted,
                &c.path,
                &c.salt,
                &c.sha256,
                &c.size,
            ],
        )
        .await?;
    let signature = hub.keys.signing.sign(&head_text(org, machine, store, &head, received));
    client
        .execute(
            "UPDATE heads SET seq = $4, digest = $5, machine_signature = $6, signed_at = $7, signature = $8
             WHERE org = $1 AND store = $2 AND machine = $3",
            &[
                keys[0],
                keys[1],
                keys[2],
                &number(head.seq)?,
                &&head.digest.0[..],
                &request.signature.0,
                &received,
                &signature,
            ],
        )
        .await?;
    Ok(SignedHead { seq: head.seq, digest: head.digest, at: received, signature: Bytes(signature) })
}

/// Columns of versions about to be written.
#[derive(Default)]
struct Columns {
    seq: Vec<i64>,
    local_seq: Vec<i64>,
    operation_seq: Vec<i64>,
    memory: Vec<Vec<u8>>,
    operation: Vec<String>,
    source: Vec<String>,
    created_at: Vec<i64>,
    leaf: Vec<Vec<u8>>,
    digest: Vec<Vec<u8>>,
    commitment: Vec<Vec<u8>>,
    observed: Vec<bool>,
    redacted: Vec<bool>,
    path: Vec<Option<Vec<u8>>>,
    salt: Vec<Option<Vec<u8>>>,
    sha256: Vec<Option<Vec<u8>>>,
    size: Vec<Option<i64>>,
}

impl Columns {
    fn add(&mut self, version: &m::SentVersion, head: &Head) -> Result<(), Failure> {
        let memory: MemoryId =
            version.memory().map_err(|_| invalid("A field of the version cannot be read."))?;
        let opened = version.opened.as_ref();
        let content = opened.and_then(|opened| opened.content.as_ref());
        self.seq.push(number(head.seq)?);
        self.local_seq.push(number(version.local_seq)?);
        self.operation_seq.push(number(version.operation_seq)?);
        self.memory.push(memory.0.to_vec());
        self.operation.push(version.operation.clone());
        self.source.push(version.source.chars().take(40).collect());
        self.created_at.push(version.created_at);
        self.leaf.push(version.leaf.0.to_vec());
        self.digest.push(head.digest.0.to_vec());
        self.commitment.push(version.commitment.0.to_vec());
        self.observed.push(version.observed);
        self.redacted.push(opened.is_none());
        self.path.push(opened.map(|opened| opened.path.0.clone()));
        self.salt.push(opened.and_then(|opened| opened.salt.as_ref()).map(|salt| salt.0.clone()));
        self.sha256.push(content.map(|content| content.sha256.0.to_vec()));
        self.size.push(content.map(|content| number(content.size)).transpose()?);
        Ok(())
    }
}

/// Takes contents of versions that are there. Each has the hash it is sent under.
pub(crate) async fn contents(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: Contents,
) -> Result<Taken, Failure> {
    let store = store_id(&request.store)?;
    if request.contents.len() > m::MAX_CONTENTS {
        return Err(invalid("A thousand contents at most are wanted."));
    }
    let place = Place { org: caller.org, store, machine: caller.machine };
    let asked: Vec<Vec<u8>> = request.contents.iter().map(|content| content.sha256.0.to_vec()).collect();
    let client = scoped.client()?;
    let keys: [&(dyn tokio_postgres::types::ToSql + Sync); 3] =
        [&&caller.org.0[..], &&store.0[..], &&caller.machine.0[..]];
    // A redaction locks the head as well, so that no content comes in while its last version goes.
    stored_head(scoped, caller, store, "FOR UPDATE").await?;
    let rows = client
        .query(
            "SELECT a.sha256, EXISTS (SELECT 1 FROM contents c WHERE c.org = $1 AND c.store = $2 AND c.machine = $3
                 AND c.sha256 = a.sha256)
             FROM (SELECT DISTINCT unnest($4::bytea[]) AS sha256) a WHERE EXISTS (SELECT 1 FROM versions v
                 WHERE v.org = $1 AND v.store = $2 AND v.machine = $3 AND v.content_sha256 = a.sha256)",
            &[keys[0], keys[1], keys[2], &asked],
        )
        .await?;
    let known: BTreeMap<Vec<u8>, bool> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let (mut new, mut done) = (0, BTreeSet::new());
    let insert = client
        .prepare_cached(
            "INSERT INTO contents (org, store, machine, sha256, size, wrapped_key, bytes)
             SELECT $1, $2, $3, c.* FROM unnest($4::bytea[], $5::int8[], $6::bytea[], $7::bytea[]) AS c
             ON CONFLICT DO NOTHING",
        )
        .await?;
    let (mut hashes, mut sizes, mut wrapped, mut bytes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for content in &request.contents {
        // Redacted since it was read on the machine, or there already.
        if known.get(&content.sha256.0[..]) != Some(&false) || !done.insert(content.sha256) {
            continue;
        }
        let size = usize::try_from(content.size).unwrap_or(usize::MAX);
        let raw = (size <= m::MAX_CONTENT_BYTES)
            .then(|| zstd::bulk::decompress(&content.packed.0, size).ok())
            .flatten()
            .filter(|raw| raw.len() == size && Sha256::of(raw) == content.sha256);
        if raw.is_none() {
            return Err(Failure::refused(m::ALTERED, "A content does not have its hash."));
        }
        let sealed = hub.keys.seal(place, &content.sha256, &content.packed.0)?;
        hashes.push(content.sha256.0.to_vec());
        sizes.push(number(content.size)?);
        wrapped.push(sealed.wrapped_key);
        bytes.push(sealed.bytes);
        new += 1;
    }
    if !hashes.is_empty() {
        client.execute(&insert, &[keys[0], keys[1], keys[2], &hashes, &sizes, &wrapped, &bytes]).await?;
    }
    Ok(Taken { new })
}

/// Masks versions, and destroys the contents that no version of the chain has any more: key and bytes.
pub(crate) async fn redact(scoped: &Scoped, caller: &Caller, request: Redact) -> Result<Redacted, Failure> {
    let store = store_id(&request.store)?;
    let seqs = request.local_seqs.iter().map(|seq| number(*seq)).collect::<Result<Vec<_>, _>>()?;
    stored_head(scoped, caller, store, "FOR UPDATE").await?;
    let keys: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
        [&&caller.org.0[..], &&store.0[..], &&caller.machine.0[..], &seqs];
    let client = scoped.client()?;
    let gone = client
        .query(
            "SELECT DISTINCT content_sha256 FROM versions WHERE org = $1 AND store = $2 AND machine = $3
                 AND local_seq = ANY($4) AND content_sha256 IS NOT NULL",
            &keys,
        )
        .await?;
    let gone: Vec<Vec<u8>> = gone.iter().map(|row| row.get(0)).collect();
    let versions = client
        .execute(
            "UPDATE versions SET redacted = true, path = NULL, salt = NULL, content_sha256 = NULL, content_size = NULL
             WHERE org = $1 AND store = $2 AND machine = $3 AND local_seq = ANY($4) AND NOT redacted",
            &keys,
        )
        .await?;
    let contents = client
        .execute(
            "DELETE FROM contents c WHERE c.org = $1 AND c.store = $2 AND c.machine = $3 AND c.sha256 = ANY($4)
                 AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.org = $1 AND v.store = $2 AND v.machine = $3
                     AND v.content_sha256 = c.sha256)",
            &[keys[0], keys[1], keys[2], &gone],
        )
        .await?;
    Ok(Redacted { versions, contents })
}

/// A page of the versions of all machines of the organisation, by store, machine and place in the chain.
pub(crate) async fn versions(
    scoped: &Scoped,
    caller: &Caller,
    request: ListVersions,
) -> Result<VersionPage, Failure> {
    let limit = request.limit.clamp(1, m::MAX_VERSIONS as u64);
    let (store, machine, seq) = match &request.after {
        None => (vec![], vec![], 0),
        Some(after) => cursor(after).ok_or_else(|| invalid("The page begins nowhere."))?,
    };
    let rows = scoped
        .client()?
        .query(
            "SELECT v.store, v.machine, v.seq, v.memory, v.operation, v.source, v.created_at, v.path, v.content_sha256,
                 v.content_size, v.redacted, m.name, s.name, EXISTS (SELECT 1 FROM contents c WHERE c.org = v.org
                     AND c.store = v.store AND c.machine = v.machine AND c.sha256 = v.content_sha256)
             FROM versions v
             JOIN machines m ON m.org = v.org AND m.machine = v.machine
             JOIN stores s ON s.org = v.org AND s.store = v.store AND s.machine = v.machine
             WHERE v.org = $1 AND (v.store, v.machine, v.seq) > ($2, $3, $4)
             ORDER BY v.store, v.machine, v.seq LIMIT $5",
            &[&&caller.org.0[..], &store, &machine, &seq, &number(limit)?],
        )
        .await?;
    let mut versions = Vec::with_capacity(rows.len());
    for row in &rows {
        let sha256: Option<Vec<u8>> = row.get(8);
        let (redacted, kept): (bool, bool) = (row.get(10), row.get(13));
        let content = match (redacted, &sha256, kept) {
            (true, _, _) => "redacted",
            (false, None, _) => "none",
            (false, Some(_), true) => "kept",
            (false, Some(_), false) => "not_sent",
        };
        versions.push(ListedVersion {
            machine: MachineId(id16(row, 1)?).to_string(),
            machine_name: row.get(11),
            store: StoreId(id16(row, 0)?).to_string(),
            store_name: row.get(12),
            seq: u64::try_from(row.get::<_, i64>(2)).unwrap_or(0),
            memory: MemoryId(id16(row, 3)?).to_string(),
            operation: row.get(4),
            source: row.get(5),
            created_at: row.get(6),
            path: row.get::<_, Option<Vec<u8>>>(7).map(Bytes),
            content_sha256: sha256
                .is_some()
                .then(|| digest(row, 8))
                .transpose()?
                .map(|sha256| sha256.to_hex()),
            size: row.get::<_, Option<i64>>(9).and_then(|size| u64::try_from(size).ok()),
            content: content.to_owned(),
        });
    }
    let full = versions.len() as u64 == limit;
    let next = versions.last().filter(|_| full);
    let next = next.map(|last| format!("{}.{}.{}", last.store, last.machine, last.seq));
    Ok(VersionPage { versions, next })
}

fn cursor(text: &str) -> Option<(Vec<u8>, Vec<u8>, i64)> {
    let mut parts = text.split('.');
    let store = StoreId::parse(parts.next()?).ok()?;
    let machine = MachineId::parse(parts.next()?).ok()?;
    Some((store.0.to_vec(), machine.0.to_vec(), parts.next()?.parse().ok()?))
}

pub(crate) async fn machines(scoped: &Scoped, caller: &Caller) -> Result<Machines, Failure> {
    let rows = scoped
        .client()?
        .query(
            "SELECT machine, name, role, seen_at, skew, left_at FROM machines WHERE org = $1 ORDER BY name, machine",
            &[&&caller.org.0[..]],
        )
        .await?;
    let machine = |row: &Row| {
        Ok(Machine {
            machine: MachineId(id16(row, 0)?).to_string(),
            name: row.get(1),
            role: row.get(2),
            seen_at: row.get(3),
            skew: row.get(4),
            left_at: row.get(5),
        })
    };
    Ok(Machines { machines: rows.iter().map(machine).collect::<Result<_, Failure>>()? })
}

pub(crate) async fn token(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: NewToken,
) -> Result<Token, Failure> {
    if caller.role != "owner" {
        return Err(Failure::refused(m::NOT_ALLOWED, "Only an owner's machine makes tokens."));
    }
    if !["owner", "member"].contains(&request.role.as_str()) {
        return Err(invalid("A role is owner or member."));
    }
    let by = Some(&caller.machine.0[..]);
    let (token, expires_at) = new_token(scoped.client()?, &hub.keys, caller.org, &request.role, by).await?;
    Ok(Token { token, role: request.role, expires_at })
}

pub(crate) async fn leave(scoped: &Scoped, caller: &Caller) -> Result<Done, Failure> {
    scoped
        .client()?
        .execute(
            "UPDATE machines SET left_at = $3 WHERE org = $1 AND machine = $2",
            &[&&caller.org.0[..], &&caller.machine.0[..], &now()],
        )
        .await?;
    Ok(Done {})
}
