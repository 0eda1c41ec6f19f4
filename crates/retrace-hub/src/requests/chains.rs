//! Chains: their heads, and appending to them.

use super::mend::{mend, newest_link};
use super::redactions::KeptOut;
use super::{Caller, digest, invalid, number, redactions, store_id, together};
use crate::Failure;
use crate::audit;
use crate::database::{Scoped, now};
use crate::routes::Hub;
use retrace_model::{MemoryId, StoreId};
use retrace_sync::chain::{Head, check};
use retrace_sync::messages::{self as m, Append, Bytes, Done, Link, LinkAt, OfStore, SignHead, SignedHead};
use retrace_sync::sign::{head_text, is_signed};

/// Organisation, store and machine of a chain, as parameters of a statement.
pub(super) type Keys<'k> = [&'k (dyn tokio_postgres::types::ToSql + Sync); 3];

/// The head of a chain, locked where it is about to move.
pub(crate) async fn stored_head(
    scoped: &Scoped,
    caller: &Caller,
    store: StoreId,
    lock: &str,
) -> Result<Option<SignedHead>, Failure> {
    let sql = format!(
        "SELECT seq, digest, signed_at, signature, machine_signature = '' FROM heads WHERE org = $1 AND store = $2 AND machine = $3 {lock}"
    );
    let row = scoped
        .client()?
        .query_opt(&sql, &[&&caller.org.0[..], &&store.0[..], &&caller.machine.0[..]])
        .await?;
    let Some(row) = row else { return Ok(None) };
    let seq = u64::try_from(row.get::<_, i64>(0)).unwrap_or(0);
    Ok(Some(SignedHead {
        seq,
        digest: digest(&row, 1)?,
        at: row.get(2),
        signature: Bytes(row.get(3)),
        unsigned: seq > 0 && row.get(4),
    }))
}

/// Keeps a head of the chain that `keys` name (organisation, store, machine), with the machine's signature and the hub's own,
/// which is of a time.
pub(super) async fn keep_head(
    scoped: &Scoped,
    keys: Keys<'_>,
    head: &Head,
    machine_signature: &[u8],
    (signed_at, signature): (i64, &[u8]),
) -> Result<(), Failure> {
    scoped
        .client()?
        .execute(
            "UPDATE heads SET seq = $4, digest = $5, machine_signature = $6, signed_at = $7, signature = $8
             WHERE org = $1 AND store = $2 AND machine = $3",
            &[
                keys[0],
                keys[1],
                keys[2],
                &number(head.seq)?,
                &&head.digest.0[..],
                &machine_signature,
                &signed_at,
                &signature,
            ],
        )
        .await?;
    Ok(())
}

fn empty_head() -> SignedHead {
    let (digest, signature) = (Head::EMPTY.digest, Bytes::default());
    SignedHead { seq: 0, digest, at: 0, signature, unsigned: false }
}

/// The head of a chain, mended first where it does not lead to the newest version that is there. A machine tells the name of the
/// store with it, which a redaction may have changed.
pub(crate) async fn head(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: OfStore,
) -> Result<SignedHead, Failure> {
    let store = store_id(&request.store)?;
    if let Some(name) = &request.name {
        redactions::beside_others(scoped, caller.org).await?;
        let name = &KeptOut::name(hub, scoped, caller.org, name).await?;
        scoped
            .client()?
            .execute(
                "UPDATE stores SET name = $4 WHERE org = $1 AND store = $2 AND machine = $3 AND name <> $4",
                &[&&caller.org.0[..], &&store.0[..], &&caller.machine.0[..], name],
            )
            .await?;
    }
    let found = stored_head(scoped, caller, store, "").await?;
    let newest = newest_link(scoped, caller, store).await?;
    if found.as_ref().map_or(0, |head| head.seq) != newest {
        return mend(hub, scoped, caller, store).await;
    }
    Ok(found.unwrap_or_else(empty_head))
}

/// Takes the machine's signature of a head that was mended.
pub(crate) async fn sign_head(scoped: &Scoped, caller: &Caller, request: SignHead) -> Result<Done, Failure> {
    let store = store_id(&request.store)?;
    let head = Head { seq: request.seq, digest: request.digest };
    let claim = head_text(caller.org, caller.machine, store, &head, 0);
    if !is_signed(&caller.public_key, &claim, &request.signature.0) {
        return Err(Failure::refused(m::ALTERED, "The machine did not sign this head."));
    }
    let signed = scoped
        .client()?
        .execute(
            "UPDATE heads SET machine_signature = $6 WHERE org = $1 AND store = $2 AND machine = $3 AND seq = $4
                 AND digest = $5",
            &[
                &&caller.org.0[..],
                &&store.0[..],
                &&caller.machine.0[..],
                &number(head.seq)?,
                &&head.digest.0[..],
                &request.signature.0,
            ],
        )
        .await?;
    match signed {
        0 => Err(Failure::refused(m::HEAD_MOVED, "The chain has another head at the hub.")),
        _ => Ok(Done {}),
    }
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
    let keys: Keys<'_> = [&&org.0[..], &&store.0[..], &&machine.0[..]];
    let client = scoped.client()?;
    redactions::beside_others(scoped, org).await?;
    let kept_out = KeptOut::among(hub, scoped, org, &request.versions).await?;
    let stored = match stored_head(scoped, caller, store, "FOR UPDATE").await? {
        Some(stored) => stored,
        None => mend(hub, scoped, caller, store).await?,
    };
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
        columns.add(version, &head, kept_out.holds(version))?;
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
    let name = KeptOut::name(hub, scoped, org, &request.name).await?;
    client
        .execute(
            "INSERT INTO stores (org, store, machine, name, kind) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (org, store, machine) DO UPDATE SET name = $4, kind = $5",
            &[keys[0], keys[1], keys[2], &name, &request.kind],
        )
        .await?;
    let insert = include_str!("../../statements/append_versions.sql");
    let c = &columns;
    client
        .execute(
            insert,
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
    kept_out.order(scoped, caller, store, &request.versions).await?;
    together::note_memories(hub, scoped, caller, store, (&request, &kept_out)).await?;
    let signature = hub.keys.signing.sign(&head_text(org, machine, store, &head, received));
    keep_head(scoped, keys, &head, &request.signature.0, (received, &signature)).await?;
    let subject = format!("{store} {}-{}", request.after_seq.saturating_add(1), head.seq);
    audit::note(scoped, caller, "append", &subject).await?;
    scoped.note_appended(request.versions.len());
    Ok(SignedHead {
        seq: head.seq,
        digest: head.digest,
        at: received,
        signature: Bytes(signature),
        unsigned: false,
    })
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
    /// Adds a version; without path and content where that is kept out.
    fn add(&mut self, version: &m::SentVersion, head: &Head, kept_out: bool) -> Result<(), Failure> {
        let memory: MemoryId =
            version.memory().map_err(|_| invalid("A field of the version cannot be read."))?;
        let opened = version.opened.as_ref().filter(|_| !kept_out);
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
