//! Proposals: changes that one machine asks another one to make. The hub keeps and passes them on; it changes no file.

use super::redactions::{KeptOut, Value, beside_others, machine_name, opened};
use super::together::{found, machine_named, may_read, words};
use super::{Caller, digest, id16, invalid};
use crate::Failure;
use crate::audit;
use crate::database::{Scoped, now};
use crate::keys::{Place, Sealed};
use crate::routes::Hub;
use retrace_model::{MachineId, ProposalId, Sha256, StoreId};
use retrace_sync::messages::{self as m, Bytes, Done, PackedContent};
use retrace_sync::sign::{is_signed, result_text};
use retrace_sync::together::{
    AskProposals, ById, KeptReceipt, MAX_BODY, Proposal, Proposals, Propose, ResultBody, SignedResult,
};
use tokio_postgres::Row;

/// Proposals that are listed.
const LISTED: i64 = 500;

/// Proposals that one machine takes at once: each may have a content.
const TAKEN: i64 = 20;

/// Proposals that wait for one machine, at most.
const MAX_WAITING: i64 = 1_000;

/// What a proposal is about.
struct Wanted {
    store: StoreId,
    machine: MachineId,
    memory: Option<Vec<u8>>,
    path: Option<Vec<u8>>,
    to: Option<String>,
    at: Option<String>,
    expects: Option<Vec<u8>>,
    expects_seq: Option<i64>,
}

fn parse(text: &str) -> Result<ProposalId, Failure> {
    ProposalId::parse(text).map_err(|_| Failure::refused(m::NOT_FOUND, "There is no such proposal."))
}

/// Queues a proposal; answers its id.
pub(crate) async fn propose(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: Propose,
) -> Result<ById, Failure> {
    beside_others(scoped, caller.org).await?;
    let wanted = match request.kind.as_str() {
        "rollback" | "edit" => wanted_of_memory(scoped, caller, &request).await?,
        "restore" => wanted_of_store(scoped, caller, &request).await?,
        _ => return Err(invalid("A proposal is a rollback, an edit or a restore.")),
    };
    // No machine would carry it out.
    if wanted.machine == hub.keys.signing.machine() {
        return Err(invalid("The hub keeps this store itself: change it through the Memory Stores API."));
    }
    let place = Place { org: caller.org, store: wanted.store, machine: wanted.machine };
    let content = match (&request.content, request.kind.as_str()) {
        (Some(content), "edit") => Some((sealed(hub, scoped, place, content).await?, content)),
        (None, "rollback" | "restore") => None,
        _ => return Err(invalid("An edit has a content, and nothing else has one.")),
    };
    let note = request.note.as_deref().map(words);
    if let Some(note) = &note
        && KeptOut::is_out(hub, scoped, caller.org, &Sha256::of(note.as_bytes())).await?
    {
        return Err(invalid("This note was redacted; it stays out."));
    }
    let client = scoped.client()?;
    let waiting: i64 = client
        .query_one(
            "SELECT count(*) FROM proposals WHERE org = $1 AND machine = $2 AND state = 'waiting'",
            &[&&caller.org.0[..], &&wanted.machine.0[..]],
        )
        .await?
        .get(0);
    if waiting >= MAX_WAITING {
        return Err(invalid("Too many proposals wait for this machine."));
    }
    let id = ProposalId(hub.keys.random()?);
    let (person, verified) = caller.who(&request.person);
    let sha256 = content.as_ref().map(|(_, content)| content.sha256.0.to_vec());
    let size = content.as_ref().map(|(_, content)| i64::try_from(content.size).unwrap_or(i64::MAX));
    let (key, bytes) = match content {
        Some((sealed, _)) => (Some(sealed.wrapped_key), Some(sealed.bytes)),
        None => (None, None),
    };
    client
        .execute(
            include_str!("../../statements/proposal.sql"),
            &[
                &&caller.org.0[..],
                &&id.0[..],
                &request.kind,
                &&wanted.store.0[..],
                &&wanted.machine.0[..],
                &wanted.memory,
                &wanted.path,
                &wanted.to,
                &wanted.at,
                &wanted.expects,
                &wanted.expects_seq,
                &note,
                &person,
                &&caller.machine.0[..],
                &machine_name(scoped, caller).await?,
                &now(),
                &sha256,
                &size,
                &key,
                &bytes,
                &verified,
            ],
        )
        .await?;
    audit::note(scoped, caller, "propose", &id.to_string()).await?;
    Ok(ById { id: id.to_string(), person: String::new() })
}

/// Encrypts the content of an edit. What was redacted is not proposed again.
async fn sealed(
    hub: &Hub,
    scoped: &Scoped,
    place: Place,
    content: &PackedContent,
) -> Result<Sealed, Failure> {
    let size = usize::try_from(content.size).unwrap_or(usize::MAX);
    let raw = (size <= m::MAX_CONTENT_BYTES)
        .then(|| zstd::bulk::decompress(&content.packed.0, size).ok())
        .flatten()
        .filter(|raw| raw.len() == size && Sha256::of(raw) == content.sha256);
    if raw.is_none() {
        return Err(Failure::refused(m::ALTERED, "A content does not have its hash."));
    }
    if KeptOut::is_out(hub, scoped, place.org, &content.sha256).await? {
        return Err(invalid("This content was redacted; it stays out."));
    }
    hub.keys.seal(place, &content.sha256, &content.packed.0)
}

async fn wanted_of_memory(scoped: &Scoped, caller: &Caller, request: &Propose) -> Result<Wanted, Failure> {
    let named = request.version.as_deref().ok_or_else(|| invalid("A version is wanted."))?;
    let version = found(scoped, caller, named).await?;
    if version.row.row.content == "redacted" {
        return Err(Failure::refused(m::REDACTED, "The version was redacted."));
    }
    let memory = version.memory()?;
    // What the memory is now, as far as the hub knows.
    let newest = scoped
        .client()?
        .query_one(
            "SELECT path, content_sha256, redacted FROM versions WHERE org = $1 AND store = $2 AND machine = $3
                 AND memory = $4 ORDER BY seq DESC LIMIT 1",
            &[&&caller.org.0[..], &&version.store.0[..], &&version.machine.0[..], &&memory.0[..]],
        )
        .await?;
    if newest.get::<_, bool>(2) {
        return Err(Failure::refused(m::REDACTED, "The newest version of the memory was redacted."));
    }
    let is_edit = request.kind == "edit";
    let expects = match is_edit {
        true => {
            version.row.row.content_sha256.as_deref().and_then(Sha256::from_hex).map(|sha| sha.0.to_vec())
        }
        false => newest.get(1),
    };
    let path = match is_edit {
        true => version.row.row.path.as_ref().map(|path| path.0.clone()),
        false => newest.get(0),
    };
    Ok(Wanted {
        store: version.store,
        machine: version.machine,
        memory: Some(memory.0.to_vec()),
        path,
        to: (!is_edit).then(|| version.row.id.clone()),
        at: None,
        expects,
        expects_seq: None,
    })
}

async fn wanted_of_store(scoped: &Scoped, caller: &Caller, request: &Propose) -> Result<Wanted, Failure> {
    let wanted = |text: &Option<String>, why: &str| text.clone().ok_or_else(|| invalid(why));
    let machine = wanted(&request.machine, "The machine is wanted.")?;
    let name = wanted(&request.store, "The store is wanted.")?;
    let at = wanted(&request.at, "The instant is wanted.")?;
    let machine = machine_named(scoped, caller, &machine).await?;
    let id = StoreId::parse(&name).ok().map(|id| id.0.to_vec());
    let client = scoped.client()?;
    let rows = client
        .query(
            "SELECT store FROM stores WHERE org = $1 AND machine = $2 AND (store = $3 OR ($3 IS NULL AND name = $4)) LIMIT 2",
            &[&&caller.org.0[..], &&machine.0[..], &id, &name],
        )
        .await?;
    let [row] = rows.as_slice() else {
        return Err(Failure::refused(m::NOT_FOUND, "The machine has no such store, or several."));
    };
    let store = StoreId(id16(row, 0)?);
    let newest = client
        .query_one(
            "SELECT max(local_seq) FROM versions WHERE org = $1 AND store = $2 AND machine = $3",
            &[&&caller.org.0[..], &&store.0[..], &&machine.0[..]],
        )
        .await?;
    Ok(Wanted {
        store,
        machine,
        memory: None,
        path: None,
        to: None,
        at: Some(at.chars().filter(|letter| !letter.is_control()).take(100).collect()),
        expects: None,
        expects_seq: newest.get(0),
    })
}

/// Proposals of the organisation, or those that the asking machine is to carry out, with their contents.
pub(crate) async fn proposals(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: AskProposals,
) -> Result<Proposals, Failure> {
    const SELECT: &str = "SELECT p.id, p.kind, p.machine, m.name, p.store, s.name, p.path, p.to_version, p.at_instant, p.expects,
        p.expects_seq, p.note, p.person, p.by_machine, p.by_name, p.proposed_at, p.state, p.body, p.signature,
        m.public_key, p.sha256, p.size, p.wrapped_key, p.bytes, p.verified
        FROM proposals p JOIN machines m ON m.org = p.org AND m.machine = p.machine
        JOIN stores s ON s.org = p.org AND s.store = p.store AND s.machine = p.machine WHERE p.org = $1";
    let client = scoped.client()?;
    let rows = if request.to_carry_out {
        let id = request.id.as_deref().map(parse).transpose()?.map(|id| id.0.to_vec());
        let stores = request.stores.as_deref().map(|stores| {
            let ids = stores.iter().filter_map(|store| StoreId::parse(store).ok());
            ids.map(|store| store.0.to_vec()).collect::<Vec<_>>()
        });
        let sql = format!(
            "{SELECT} AND p.machine = $2 AND p.state = 'waiting' AND ($4::bytea IS NULL OR p.id = $4)
                 AND ($5::bytea[] IS NULL OR p.store = ANY($5)) ORDER BY p.proposed_at, p.id LIMIT $3"
        );
        client.query(&sql, &[&&caller.org.0[..], &&caller.machine.0[..], &TAKEN, &id, &stores]).await?
    } else {
        let sql = format!("{SELECT} ORDER BY p.proposed_at DESC, p.id LIMIT $2");
        client.query(&sql, &[&&caller.org.0[..], &LISTED]).await?
    };
    let mut proposals = Vec::with_capacity(rows.len());
    for row in &rows {
        let mut proposal = proposal_of(row)?;
        // A note may quote what the proposal is about, as a comment may.
        if !may_read(caller, MachineId(id16(row, 2)?)) && id16(row, 13)? != caller.machine.0 {
            proposal.note = None;
        }
        if request.to_carry_out
            && let (Some(wrapped_key), Some(bytes)) =
                (row.get::<_, Option<Vec<u8>>>(22), row.get::<_, Option<Vec<u8>>>(23))
        {
            let place = (caller.org, StoreId(id16(row, 4)?), caller.machine);
            let sealed = Sealed { wrapped_key, bytes };
            proposal.content = Some(opened(hub, place, digest(row, 20)?, row.get(21), &sealed)?);
        }
        proposals.push(proposal);
    }
    Ok(Proposals { proposals })
}

fn proposal_of(row: &Row) -> Result<Proposal, Failure> {
    let result = row.get::<_, Option<String>>(17).map(|body| KeptReceipt {
        body,
        signature: Bytes(row.get::<_, Option<Vec<u8>>>(18).unwrap_or_default()),
        public_key: Bytes(row.get(19)),
    });
    let expects: Option<Vec<u8>> = row.get(9);
    Ok(Proposal {
        id: ProposalId(id16(row, 0)?).to_string(),
        kind: row.get(1),
        machine: MachineId(id16(row, 2)?).to_string(),
        machine_name: row.get(3),
        store: StoreId(id16(row, 4)?).to_string(),
        store_name: row.get(5),
        path: row.get::<_, Option<Vec<u8>>>(6).map(Bytes),
        to: row.get(7),
        at: row.get(8),
        expects: expects.is_some().then(|| digest(row, 9)).transpose()?.map(|sha256| sha256.to_hex()),
        expects_seq: row.get::<_, Option<i64>>(10).and_then(|seq| u64::try_from(seq).ok()),
        content: None,
        note: row.get(11),
        person: row.get(12),
        verified: row.get(24),
        by: MachineId(id16(row, 13)?).to_string(),
        by_name: row.get(14),
        proposed_at: row.get(15),
        state: row.get(16),
        result,
    })
}

/// Keeps the result of a proposal, where the machine that it was for signed it.
pub(crate) async fn settle(scoped: &Scoped, caller: &Caller, request: SignedResult) -> Result<Done, Failure> {
    if request.body.len() > MAX_BODY {
        return Err(invalid("The result is too large."));
    }
    let body: ResultBody =
        serde_json::from_str(&request.body).map_err(|_| invalid("The result cannot be read."))?;
    let text = result_text(caller.org, caller.machine, &request.body);
    if body.machine != caller.machine.to_string()
        || !is_signed(&caller.public_key, &text, &request.signature.0)
    {
        return Err(Failure::refused(m::ALTERED, "The result is not signed by the machine that it names."));
    }
    if !["done", "conflict", "refused"].contains(&body.state.as_str()) {
        return Err(invalid("A result says done, conflict or refused."));
    }
    let id = parse(&body.proposal)?;
    let of: [Value<'_>; 3] = [&&caller.org.0[..], &&id.0[..], &&caller.machine.0[..]];
    let client = scoped.client()?;
    // What was carried out is carried out, whatever the proposer did meanwhile; a content is not needed any more.
    let settled = client
        .execute(
            "UPDATE proposals SET state = $4, body = $5, signature = $6, sha256 = NULL, size = NULL, wrapped_key = NULL,
                 bytes = NULL
             WHERE org = $1 AND id = $2 AND machine = $3 AND state IN ('waiting', 'withdrawn')",
            &[of[0], of[1], of[2], &body.state, &request.body, &request.signature.0],
        )
        .await?;
    if settled > 0 {
        audit::note(scoped, caller, "settle", &id.to_string()).await?;
        return Ok(Done {});
    }
    let known = "SELECT 1 FROM proposals WHERE org = $1 AND id = $2 AND machine = $3";
    match client.query_opt(known, &of).await? {
        Some(_) => Ok(Done {}),
        None => Err(Failure::refused(m::NOT_FOUND, "There is no such proposal for this machine.")),
    }
}

/// Takes a proposal back that was not carried out yet.
pub(crate) async fn withdraw(scoped: &Scoped, caller: &Caller, request: ById) -> Result<Done, Failure> {
    let id = parse(&request.id)?;
    let withdrawn = scoped
        .client()?
        .execute(
            "UPDATE proposals SET state = 'withdrawn', sha256 = NULL, size = NULL, wrapped_key = NULL, bytes = NULL
             WHERE org = $1 AND id = $2 AND by_machine = $3 AND state = 'waiting'",
            &[&&caller.org.0[..], &&id.0[..], &&caller.machine.0[..]],
        )
        .await?;
    if withdrawn == 0 {
        return Err(Failure::refused(m::NOT_FOUND, "No such proposal of this machine waits."));
    }
    audit::note(scoped, caller, "withdraw", &id.to_string()).await?;
    Ok(Done {})
}
