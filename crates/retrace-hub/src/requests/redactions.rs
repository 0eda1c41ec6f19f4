//! Redactions that reach every machine: orders, their receipts, and what stays out.
//!
//! A content that one machine redacted is destroyed in the chains of all, in the same transaction. Each machine that had it
//! gets an order, which names versions by their place in its log, never by a hash: no hash of what was redacted stays here. The
//! content is known again by a code under the key file, so that no machine brings it back.

use super::{Caller, id16, invalid, number, sessions, store_id};
use crate::Failure;
use crate::audit;
use crate::database::{Scoped, now};
use crate::keys::{Place, Sealed};
use crate::people;
use crate::routes::Hub;
use retrace_model::{MachineId, OrderId, OrgId, Sha256, StoreId};
use retrace_sync::messages::{self as m, Bytes, Done, PackedContent, SentVersion};
use retrace_sync::sign::{is_signed, receipt_text};
use retrace_sync::together::{
    ById, KeptReceipt, MAX_BODY, MAX_TARGETS, MAX_TEXT, Name, Named, Order, OrderMachine, OrderState,
    Ordered, Orders, PAGE_BYTES, Reached, ReceiptBody, Redactions, Replicas, Search, Searched, SignedReceipt,
    Target, order_id,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

/// A parameter of a statement.
pub(crate) type Value<'v> = &'v (dyn ToSql + Sync);

/// Contents of fewer bytes occur by chance, and whoever has the key could guess them: neither do they reach other machines nor
/// are they kept out.
const SHORTEST: u64 = 12;

/// Parts of one content, at most.
const MAX_PARTS: usize = 1_000;

/// Contents of a page that is searched, at most.
const SEARCHED: i64 = 256;

/// Orders that are listed.
const LISTED: i64 = 500;

/// Codes of contents are of this.
const CONTENT: &[u8] = b"content";

/// What a content is taken out of: all of it, or its parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    starts: Vec<i64>,
    ends: Vec<i64>,
}

impl Parts {
    fn of(parts: &[(u64, u64)]) -> Result<Self, Failure> {
        if parts.len() > MAX_PARTS || parts.iter().any(|(start, end)| start >= end) {
            return Err(invalid("The parts of a content are not such."));
        }
        let column = |of: fn(&(u64, u64)) -> u64| -> Result<Vec<i64>, Failure> {
            parts.iter().map(|part| number(of(part))).collect()
        };
        Ok(Self { starts: column(|part| part.0)?, ends: column(|part| part.1)? })
    }

    fn sent(&self) -> Vec<(u64, u64)> {
        let number = |value: &i64| u64::try_from(*value).unwrap_or(0);
        self.starts.iter().map(number).zip(self.ends.iter().map(number)).collect()
    }
}

/// Machines send while no redaction is under way, and the other way round: so none sends what is just being taken out.
pub(crate) async fn beside_others(scoped: &Scoped, org: OrgId) -> Result<(), Failure> {
    let sql = "SELECT pg_advisory_xact_lock_shared(hashtextextended(encode($1, 'hex'), 7))";
    scoped.client()?.execute(sql, &[&&org.0[..]]).await?;
    Ok(())
}

pub(crate) async fn alone(scoped: &Scoped, org: OrgId) -> Result<(), Failure> {
    let sql = "SELECT pg_advisory_xact_lock(hashtextextended(encode($1, 'hex'), 7))";
    scoped.client()?.execute(sql, &[&&org.0[..]]).await?;
    Ok(())
}

fn short(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control() || *letter == '\n').take(MAX_TEXT).collect()
}

fn parse_order(text: &str) -> Result<OrderId, Failure> {
    OrderId::parse(text).map_err(|_| Failure::refused(m::NOT_FOUND, "There is no such order."))
}

/// Contents that are to go, with what is known of each.
pub(crate) type Going = BTreeMap<Sha256, Parts>;

/// Takes contents out of the chains of every other machine, or has that approved first.
pub(crate) async fn reach(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    order: &Ordered,
    mut going: Going,
) -> Result<Reached, Failure> {
    let client = scoped.client()?;
    let known = known_tags(hub, scoped, caller.org, going.keys()).await?;
    let hashes: Vec<&[u8]> = going.keys().map(|sha256| &sha256.0[..]).collect();
    let elsewhere = client
        .query(
            "SELECT DISTINCT content_sha256 FROM versions WHERE org = $1 AND content_sha256 = ANY($2) AND machine <> $3",
            &[&&caller.org.0[..], &hashes, &&caller.machine.0[..]],
        )
        .await?;
    let mut elsewhere: BTreeSet<Vec<u8>> = elsewhere.iter().map(|row| row.get(0)).collect();
    // Texts of sessions, those of the asking machine among them.
    elsewhere.extend(sessions::elsewhere(scoped, caller.org, &hashes).await?);
    // What is known and held by nobody else is done.
    going.retain(|sha256, _| !known.contains_key(sha256) || elsewhere.contains(&sha256.0[..]));
    if going.is_empty() {
        return Ok(Reached::default());
    }
    let id = order_id(caller.machine, &order.receipt);
    let waiting = super::policy::policy_of(scoped.client()?, caller.org, "").await?.two_person_redaction;
    let reason = order.reason.as_deref().map(short);
    let method: String = order.method.chars().take(20).collect();
    client
        .execute(
            "INSERT INTO orders (org, id, by_machine, at, received_at, method, live, reason, state, by_person, by_shown)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING",
            &[
                &&caller.org.0[..],
                &&id.0[..],
                &&caller.machine.0[..],
                &order.at,
                &now(),
                &method,
                &order.live,
                &reason,
                &if waiting { "waiting" } else { "ordered" },
                &caller.verified.as_ref().map(|person| &person.key[..]),
                &caller.verified.as_ref().map(|person| &person.shown[..]),
            ],
        )
        .await?;
    let state: String = client
        .query_one("SELECT state FROM orders WHERE org = $1 AND id = $2", &[&&caller.org.0[..], &&id.0[..]])
        .await?
        .get(0);
    audit::note(scoped, caller, "order_redaction", &id.to_string()).await?;
    if state == "waiting" {
        sessions::take_out_own(scoped, caller, going.keys()).await?;
        for (sha256, parts) in &going {
            client
                .execute(
                    "INSERT INTO order_contents (org, id, sha256, starts, ends) VALUES ($1, $2, $3, $4, $5)
                     ON CONFLICT DO NOTHING",
                    &[&&caller.org.0[..], &&id.0[..], &&sha256.0[..], &parts.starts, &parts.ends],
                )
                .await?;
        }
        return Ok(Reached { order: Some(id.to_string()), waiting: true, ..Reached::default() });
    }
    // The machine that redacted sends its receipt as well.
    outstanding(scoped, caller.org, &id.0, &caller.machine.0).await?;
    take_out(hub, scoped, caller.org, id, Some(caller.machine), &going).await
}

/// Codes of contents that are kept out already.
async fn known_tags<'h>(
    hub: &Hub,
    scoped: &Scoped,
    org: OrgId,
    hashes: impl Iterator<Item = &'h Sha256>,
) -> Result<HashMap<Sha256, (Vec<u8>, Parts)>, Failure> {
    let by_tag: HashMap<Vec<u8>, Sha256> =
        hashes.map(|sha256| (hub.keys.tag(CONTENT, org, &sha256.0).to_vec(), *sha256)).collect();
    let tags: Vec<&[u8]> = by_tag.keys().map(|tag| &tag[..]).collect();
    let rows = scoped
        .client()?
        .query(
            "SELECT tag, id, starts, ends FROM kept_out WHERE org = $1 AND tag = ANY($2)",
            &[&&org.0[..], &tags],
        )
        .await?;
    let mut known = HashMap::new();
    for row in &rows {
        if let Some(sha256) = by_tag.get(&row.get::<_, Vec<u8>>(0)) {
            known.insert(*sha256, (row.get(1), Parts { starts: row.get(2), ends: row.get(3) }));
        }
    }
    Ok(known)
}

/// Masks versions with these contents, destroys contents and keys, keeps them out, and orders each machine to do the same.
async fn take_out(
    hub: &Hub,
    scoped: &Scoped,
    org: OrgId,
    id: OrderId,
    except: Option<MachineId>,
    going: &Going,
) -> Result<Reached, Failure> {
    let client = scoped.client()?;
    let except: Vec<u8> = except.map_or_else(Vec::new, |machine| machine.0.to_vec());
    let mut reached = Reached { order: Some(id.to_string()), ..Reached::default() };
    let mut machines = BTreeSet::new();
    // Stores that the hub serves itself have no log elsewhere: what is masked here is done.
    let itself = hub.keys.signing.machine();
    for (sha256, parts) in going {
        let tag = hub.keys.tag(CONTENT, org, &sha256.0);
        client
            .execute(
                "INSERT INTO kept_out (org, tag, id, starts, ends) VALUES ($1, $2, $3, $4, $5)
                 ON CONFLICT DO NOTHING",
                &[&&org.0[..], &&tag[..], &&id.0[..], &parts.starts, &parts.ends],
            )
            .await?;
        let those: [Value<'_>; 3] = [&&org.0[..], &&sha256.0[..], &except];
        let concerned = client
            .query(
                "INSERT INTO order_targets (org, id, machine, store, local_seq, starts, ends)
                 SELECT v.org, $4, v.machine, v.store, v.local_seq, $5, $6 FROM versions v
                 WHERE v.org = $1 AND v.content_sha256 = $2 AND v.machine <> $3 AND v.machine <> $7
                 ON CONFLICT (org, machine, id, store, local_seq) DO UPDATE SET done = false
                 RETURNING machine",
                &[those[0], those[1], those[2], &&id.0[..], &parts.starts, &parts.ends, &&itself.0[..]],
            )
            .await?;
        machines.extend(concerned.iter().map(|row| row.get::<_, Vec<u8>>(0)));
        client
            .execute(
                "UPDATE comments c SET sha256 = NULL, size = NULL, wrapped_key = NULL, bytes = NULL FROM versions v
                 WHERE v.org = $1 AND v.content_sha256 = $2 AND v.machine <> $3 AND c.org = v.org
                     AND c.store = v.store AND c.machine = v.machine AND c.seq = v.seq",
                &those,
            )
            .await?;
        client
            .execute(
                "UPDATE proposals SET state = CASE WHEN state = 'waiting' THEN 'withdrawn' ELSE state END, path = NULL,
                     expects = NULL, sha256 = NULL, size = NULL, wrapped_key = NULL, bytes = NULL, note = NULL
                 WHERE org = $1 AND (sha256 = $2 OR expects = $2)",
                &those[..2],
            )
            .await?;
        reached.versions += client
            .execute(
                "UPDATE versions SET redacted = true, path = NULL, salt = NULL, content_sha256 = NULL,
                     content_size = NULL
                 WHERE org = $1 AND content_sha256 = $2 AND machine <> $3 AND NOT redacted",
                &those,
            )
            .await?;
        reached.contents += client
            .execute("DELETE FROM contents WHERE org = $1 AND sha256 = $2 AND machine <> $3", &those)
            .await?;
        reached.contents += sessions::take_out(scoped, org, sha256).await?;
    }
    for machine in &machines {
        outstanding(scoped, org, &id.0, machine).await?;
    }
    reached.machines = machines.len() as u64;
    client
        .execute(
            "UPDATE orders SET versions = versions + $3, contents = contents + $4, destroyed_at = $5
             WHERE org = $1 AND id = $2",
            &[&&org.0[..], &&id.0[..], &number(reached.versions)?, &number(reached.contents)?, &now()],
        )
        .await?;
    Ok(reached)
}

async fn outstanding(scoped: &Scoped, org: OrgId, id: &[u8], machine: &[u8]) -> Result<(), Failure> {
    scoped
        .client()?
        .execute(
            "INSERT INTO order_machines (org, id, machine, state, since) VALUES ($1, $2, $3, 'outstanding', $4)
             ON CONFLICT (org, id, machine) DO UPDATE SET state = 'outstanding', since = $4
             WHERE order_machines.state <> 'outstanding'",
            &[&&org.0[..], &id, &machine, &now()],
        )
        .await?;
    Ok(())
}

/// Contents among those of versions that are about to be taken that were redacted before: they are kept out, each for the order
/// that it was redacted by.
pub(crate) struct KeptOut {
    found: HashMap<Sha256, (Vec<u8>, Parts)>,
}

impl KeptOut {
    /// Looks for them. Whoever calls this holds [`beside_others`].
    pub(crate) async fn among(
        hub: &Hub,
        scoped: &Scoped,
        org: OrgId,
        versions: &[SentVersion],
    ) -> Result<Self, Failure> {
        let any = "SELECT EXISTS (SELECT 1 FROM kept_out WHERE org = $1)";
        if !scoped.client()?.query_one(any, &[&&org.0[..]]).await?.get::<_, bool>(0) {
            return Ok(Self { found: HashMap::new() });
        }
        let hashes: BTreeSet<Sha256> = versions
            .iter()
            .filter_map(|version| Some(version.opened.as_ref()?.content.as_ref()?.sha256))
            .collect();
        Ok(Self { found: known_tags(hub, scoped, org, hashes.iter()).await? })
    }

    /// True if a content stays out.
    pub(crate) async fn is_out(
        hub: &Hub,
        scoped: &Scoped,
        org: OrgId,
        sha256: &Sha256,
    ) -> Result<bool, Failure> {
        Ok(!known_tags(hub, scoped, org, std::iter::once(sha256)).await?.is_empty())
    }

    /// True if the content of a version stays out.
    pub(crate) fn holds(&self, version: &SentVersion) -> bool {
        self.of(version).is_some()
    }

    fn of(&self, version: &SentVersion) -> Option<&(Vec<u8>, Parts)> {
        self.found.get(&version.opened.as_ref()?.content.as_ref()?.sha256)
    }

    /// Orders the machine that sent them to redact them.
    pub(crate) async fn order(
        &self,
        scoped: &Scoped,
        caller: &Caller,
        store: StoreId,
        versions: &[SentVersion],
    ) -> Result<(), Failure> {
        let mut orders = BTreeSet::new();
        for version in versions {
            let Some((id, parts)) = self.of(version) else { continue };
            scoped
                .client()?
                .execute(
                    "INSERT INTO order_targets (org, id, machine, store, local_seq, starts, ends)
                     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
                    &[
                        &&caller.org.0[..],
                        id,
                        &&caller.machine.0[..],
                        &&store.0[..],
                        &number(version.local_seq)?,
                        &parts.starts,
                        &parts.ends,
                    ],
                )
                .await?;
            orders.insert(id);
        }
        for id in orders {
            outstanding(scoped, caller.org, id, &caller.machine.0).await?;
        }
        Ok(())
    }
}

/// The contents of hashes that are long enough to reach other machines.
pub(crate) fn going(contents: impl Iterator<Item = (Sha256, u64)>) -> Going {
    contents.filter(|(_, size)| *size >= SHORTEST).map(|(sha256, _)| (sha256, Parts::default())).collect()
}

/// Takes out contents of other machines that a machine found to hold what it redacted.
pub(crate) async fn name(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: Name,
) -> Result<Reached, Failure> {
    if request.contents.len() > m::MAX_CONTENTS {
        return Err(invalid("A thousand contents at most are wanted."));
    }
    alone(scoped, caller.org).await?;
    let mut going = Going::new();
    for Named { sha256, parts } in &request.contents {
        going.insert(*sha256, Parts::of(parts)?);
    }
    reach(hub, scoped, caller, &request.order, going).await
}

/// A page of the contents of the other machines, for a machine that looks for what it redacted.
pub(crate) async fn search(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: Search,
) -> Result<Searched, Failure> {
    let (store, machine, sha256) = match &request.after {
        None => (vec![], vec![], vec![]),
        Some(after) => after_content(after).ok_or_else(|| invalid("The page begins nowhere."))?,
    };
    let rows = scoped
        .client()?
        .query(
            "SELECT store, machine, sha256, size, wrapped_key, bytes FROM contents
             WHERE org = $1 AND machine <> $2 AND (store, machine, sha256) > ($3, $4, $5) AND octet_length(bytes) <= $6
             ORDER BY store, machine, sha256 LIMIT $7",
            &[
                &&caller.org.0[..],
                &&caller.machine.0[..],
                &store,
                &machine,
                &sha256,
                &i32::try_from(PAGE_BYTES).unwrap_or(i32::MAX),
                &SEARCHED,
            ],
        )
        .await?;
    let (mut contents, mut bytes, mut next) = (Vec::new(), 0, None);
    let mut known = BTreeSet::new();
    let full = i64::try_from(rows.len()).unwrap_or(i64::MAX) == SEARCHED;
    for (place, row) in rows.iter().enumerate() {
        let (store, machine) = (StoreId(id16(row, 0)?), MachineId(id16(row, 1)?));
        let sha256 = super::digest(row, 2)?;
        let sealed = Sealed { wrapped_key: row.get(4), bytes: row.get(5) };
        bytes += sealed.bytes.len();
        if known.insert(sha256) {
            contents.push(opened(hub, (caller.org, store, machine), sha256, row.get(3), &sealed)?);
        }
        let last = place + 1 == rows.len();
        if (last && full) || (!last && bytes >= PAGE_BYTES) {
            next = Some(format!("{store}.{machine}.{}", sha256.to_hex()));
            break;
        }
    }
    audit::note(scoped, caller, "search", &format!("{} contents", contents.len())).await?;
    Ok(Searched { contents, next })
}

/// A content as the hub keeps it, decrypted.
pub(crate) fn opened(
    hub: &Hub,
    (org, store, machine): (OrgId, StoreId, MachineId),
    sha256: Sha256,
    size: i64,
    sealed: &Sealed,
) -> Result<PackedContent, Failure> {
    let packed = hub
        .keys
        .open(Place { org, store, machine }, &sha256, sealed)
        .ok_or_else(|| Failure::Database("a content does not open with the key file".into()))?;
    Ok(PackedContent { sha256, size: u64::try_from(size).unwrap_or(0), packed: Bytes(packed) })
}

fn after_content(text: &str) -> Option<(Vec<u8>, Vec<u8>, Vec<u8>)> {
    let mut parts = text.split('.');
    let store = StoreId::parse(parts.next()?).ok()?;
    let machine = MachineId::parse(parts.next()?).ok()?;
    Some((store.0.to_vec(), machine.0.to_vec(), Sha256::from_hex(parts.next()?)?.0.to_vec()))
}

/// Orders that the asking machine has yet to carry out.
pub(crate) async fn orders(scoped: &Scoped, caller: &Caller) -> Result<Orders, Failure> {
    let rows = scoped
        .client()?
        .query(
            "SELECT o.id, o.by_machine, m.name, o.at, o.live, o.reason, t.store, t.local_seq, t.starts, t.ends
             FROM order_targets t JOIN orders o ON o.org = t.org AND o.id = t.id
             JOIN machines m ON m.org = o.org AND m.machine = o.by_machine
             WHERE t.org = $1 AND t.machine = $2 AND NOT t.done AND o.state = 'ordered'
             ORDER BY o.received_at, o.id, t.store, t.local_seq LIMIT $3",
            &[&&caller.org.0[..], &&caller.machine.0[..], &number(MAX_TARGETS)?],
        )
        .await?;
    let mut orders: Vec<Order> = Vec::new();
    for row in &rows {
        let id = OrderId(id16(row, 0)?).to_string();
        let parts = Parts { starts: row.get(8), ends: row.get(9) }.sent();
        let local_seq = u64::try_from(row.get::<_, i64>(7)).unwrap_or(0);
        let target = Target { store: StoreId(id16(row, 6)?).to_string(), local_seq, parts };
        match orders.last_mut() {
            Some(order) if order.id == id => order.targets.push(target),
            _ => orders.push(Order {
                id,
                by: MachineId(id16(row, 1)?).to_string(),
                by_name: row.get(2),
                at: row.get(3),
                live: row.get(4),
                reason: row.get(5),
                targets: vec![target],
            }),
        }
    }
    // Its own redactions, of which it sends the receipt.
    let rows = scoped
        .client()?
        .query(
            "SELECT o.id, m.name, o.at, o.live, o.reason FROM order_machines om
             JOIN orders o ON o.org = om.org AND o.id = om.id
             JOIN machines m ON m.org = o.org AND m.machine = o.by_machine
             WHERE om.org = $1 AND om.machine = $2 AND o.by_machine = $2 AND om.state = 'outstanding'
                 AND NOT EXISTS (SELECT 1 FROM order_targets t WHERE t.org = om.org AND t.id = om.id
                     AND t.machine = om.machine AND NOT t.done)
             ORDER BY o.received_at, o.id LIMIT $3",
            &[&&caller.org.0[..], &&caller.machine.0[..], &number(MAX_TARGETS)?],
        )
        .await?;
    for row in &rows {
        orders.push(Order {
            id: OrderId(id16(row, 0)?).to_string(),
            by: caller.machine.to_string(),
            by_name: row.get(1),
            at: row.get(2),
            live: row.get(3),
            reason: row.get(4),
            targets: Vec::new(),
        });
    }
    Ok(Orders { orders })
}

/// Keeps a receipt. It is believed where the machine that it names signed it, and for targets that this machine has.
pub(crate) async fn receipt(
    scoped: &Scoped,
    caller: &Caller,
    request: SignedReceipt,
) -> Result<Done, Failure> {
    let altered = || Failure::refused(m::ALTERED, "The receipt is not signed by the machine that it names.");
    if request.body.len() > MAX_BODY || request.targets.len() > m::MAX_VERSIONS {
        return Err(invalid("The receipt is too large."));
    }
    let body: ReceiptBody =
        serde_json::from_str(&request.body).map_err(|_| invalid("The receipt cannot be read."))?;
    let text = receipt_text(caller.org, caller.machine, &request.body);
    if body.machine != caller.machine.to_string()
        || !is_signed(&caller.public_key, &text, &request.signature.0)
    {
        return Err(altered());
    }
    if !["done", "refused"].contains(&body.state.as_str()) {
        return Err(invalid("A receipt says done or refused."));
    }
    let id = parse_order(&body.order)?;
    let client = scoped.client()?;
    let mine: [Value<'_>; 3] = [&&caller.org.0[..], &&id.0[..], &&caller.machine.0[..]];
    let state = client
        .query_opt(
            "SELECT state FROM order_machines WHERE org = $1 AND id = $2 AND machine = $3 FOR UPDATE",
            &mine,
        )
        .await?
        .ok_or_else(|| Failure::refused(m::NOT_FOUND, "The order does not concern this machine."))?;
    if body.state == "done" {
        for target in &request.targets {
            let (store, seq) = (store_id(&target.store)?, number(target.local_seq)?);
            client
                .execute(
                    "UPDATE order_targets SET done = true
                     WHERE org = $1 AND id = $2 AND machine = $3 AND store = $4 AND local_seq = $5",
                    &[mine[0], mine[1], mine[2], &&store.0[..], &seq],
                )
                .await?;
        }
    }
    let left: bool = client
        .query_one(
            "SELECT EXISTS (SELECT 1 FROM order_targets WHERE org = $1 AND id = $2 AND machine = $3 AND NOT done)",
            &mine,
        )
        .await?
        .get(0);
    let new_state = match (body.state.as_str(), left) {
        ("refused", _) => "refused",
        (_, true) => "outstanding",
        (_, false) => "done",
    };
    // What is refused is tried again by every sync; one receipt of it is enough.
    if new_state == "refused" && state.get::<_, &str>(0) == "refused" {
        return Ok(Done {});
    }
    client
        .execute(
            "INSERT INTO order_receipts (org, id, machine, received_at, body, signature)
             VALUES ($1, $2, $3, $4, $5, $6)",
            &[mine[0], mine[1], mine[2], &now(), &request.body, &request.signature.0],
        )
        .await?;
    client
        .execute(
            "UPDATE order_machines SET state = $4, since = $5
             WHERE org = $1 AND id = $2 AND machine = $3 AND state <> $4",
            &[mine[0], mine[1], mine[2], &new_state, &now()],
        )
        .await?;
    audit::note(scoped, caller, "receipt", &id.to_string()).await?;
    Ok(Done {})
}

/// A second person approves a redaction: it is ordered now.
pub(crate) async fn approve_order(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    request: ById,
) -> Result<Reached, Failure> {
    let id = parse_order(&request.id)?;
    alone(scoped, caller.org).await?;
    let client = scoped.client()?;
    let of: [Value<'_>; 2] = [&&caller.org.0[..], &&id.0[..]];
    let row = client
        .query_opt(
            "SELECT state, by_machine, by_person, id FROM orders WHERE org = $1 AND id = $2 FOR UPDATE",
            &of,
        )
        .await?
        .ok_or_else(|| Failure::refused(m::NOT_FOUND, "There is no such order."))?;
    if row.get::<_, &str>(0) == "ordered" {
        return Ok(Reached::default());
    }
    if let Some(first) = first_of_two(scoped, caller, &of, &row).await? {
        return Ok(first);
    }
    let rows = client
        .query("SELECT sha256, starts, ends FROM order_contents WHERE org = $1 AND id = $2", &of)
        .await?;
    let mut going = Going::new();
    for row in &rows {
        going.insert(super::digest(row, 0)?, Parts { starts: row.get(1), ends: row.get(2) });
    }
    let (person, verified) = caller.who(&request.person);
    let who = format!("{} ({})", short(&person), machine_name(scoped, caller).await?);
    client
        .execute(
            "UPDATE orders SET state = 'ordered', approved_by = $3, approved_at = $4, approved_verified = $5
             WHERE org = $1 AND id = $2",
            &[of[0], of[1], &who, &now(), &verified],
        )
        .await?;
    client.execute("DELETE FROM order_contents WHERE org = $1 AND id = $2", &of).await?;
    outstanding(scoped, caller.org, &id.0, &row.get::<_, Vec<u8>>(1)).await?;
    audit::note(scoped, caller, "approve_order", &id.to_string()).await?;
    take_out(hub, scoped, caller.org, id, None, &going).await
}

/// Refuses who would be the first person and the second. Where the hub has an identity provider, it is persons who are counted and not
/// machines: both signed in. If nobody was where the redaction was made, whoever approves it first is the first of the two, and it
/// goes on waiting, which is answered here.
async fn first_of_two(
    scoped: &Scoped,
    caller: &Caller,
    of: &[Value<'_>; 2],
    order: &Row,
) -> Result<Option<Reached>, Failure> {
    let client = scoped.client()?;
    if people::provider_of(scoped, caller.org).await?.is_none() {
        if order.get::<_, Vec<u8>>(1) == caller.machine.0 {
            let message = "The machine that redacted does not approve it: the policy asks for a second one.";
            return Err(Failure::refused(m::NOT_ALLOWED, message));
        }
        return Ok(None);
    }
    let Some(person) = &caller.verified else {
        let message = "The policy asks for two persons, and nobody is signed in on this machine.";
        return Err(Failure::refused(m::SIGN_IN_WANTED, message));
    };
    match order.get::<_, Option<Vec<u8>>>(2) {
        Some(first) if first == person.key => {
            let message = "You are the first of the two persons that the policy asks for.";
            Err(Failure::refused(m::NOT_ALLOWED, message))
        }
        Some(_) => Ok(None),
        None => {
            client
                .execute(
                    "UPDATE orders SET by_person = $3, by_shown = $4 WHERE org = $1 AND id = $2",
                    &[of[0], of[1], &&person.key[..], &person.shown],
                )
                .await?;
            let id = OrderId(id16(order, 3)?);
            audit::note(scoped, caller, "approve_order_first", &id.to_string()).await?;
            Ok(Some(Reached { order: Some(id.to_string()), waiting: true, ..Reached::default() }))
        }
    }
}

/// The name of the asking machine.
pub(crate) async fn machine_name(scoped: &Scoped, caller: &Caller) -> Result<String, Failure> {
    let row = scoped
        .client()?
        .query_one(
            "SELECT name FROM machines WHERE org = $1 AND machine = $2",
            &[&&caller.org.0[..], &&caller.machine.0[..]],
        )
        .await?;
    Ok(row.get(0))
}

/// Every redaction, and how far it reached.
pub(crate) async fn redactions(hub: &Hub, scoped: &Scoped, caller: &Caller) -> Result<Redactions, Failure> {
    let client = scoped.client()?;
    let rows = client
        .query(
            "SELECT o.id, o.by_machine, m.name, o.at, o.method, o.live, o.reason, o.state, o.approved_by, o.approved_at,
                 o.versions, o.contents, o.destroyed_at, o.by_shown, o.approved_verified
             FROM orders o JOIN machines m ON m.org = o.org AND m.machine = o.by_machine
             WHERE o.org = $1 ORDER BY o.received_at DESC, o.id LIMIT $2",
            &[&&caller.org.0[..], &LISTED],
        )
        .await?;
    let ids: Vec<Vec<u8>> = rows.iter().map(|row| row.get(0)).collect();
    let machines = client
        .query(
            "SELECT om.id, om.machine, m.name, om.state, om.since, m.seen_at, m.left_at IS NOT NULL, r.body, r.signature,
                 m.public_key
             FROM order_machines om JOIN machines m ON m.org = om.org AND m.machine = om.machine
             LEFT JOIN LATERAL (SELECT body, signature FROM order_receipts r WHERE r.org = om.org AND r.id = om.id
                 AND r.machine = om.machine ORDER BY r.number DESC LIMIT 1) r ON true
             WHERE om.org = $1 AND om.id = ANY($2) ORDER BY m.name, om.machine",
            &[&&caller.org.0[..], &ids],
        )
        .await?;
    let mut of_order: HashMap<Vec<u8>, Vec<OrderMachine>> = HashMap::new();
    for row in &machines {
        let receipt = row.get::<_, Option<String>>(7).map(|body| KeptReceipt {
            body,
            signature: Bytes(row.get(8)),
            public_key: Bytes(row.get(9)),
        });
        of_order.entry(row.get(0)).or_default().push(OrderMachine {
            machine: MachineId(id16(row, 1)?).to_string(),
            name: row.get(2),
            state: row.get(3),
            since: row.get(4),
            seen_at: row.get(5),
            left: row.get(6),
            receipt,
        });
    }
    let count = |value: i64| u64::try_from(value).unwrap_or(0);
    let mut orders = Vec::with_capacity(rows.len());
    for row in &rows {
        orders.push(OrderState {
            id: OrderId(id16(row, 0)?).to_string(),
            by: MachineId(id16(row, 1)?).to_string(),
            by_name: row.get(2),
            at: row.get(3),
            method: row.get(4),
            live: row.get(5),
            reason: row.get(6),
            state: row.get(7),
            approved_by: row.get(8),
            approved_at: row.get(9),
            versions: count(row.get(10)),
            contents: count(row.get(11)),
            destroyed_at: row.get(12),
            first_person: row.get(13),
            approved_verified: row.get(14),
            machines: of_order.remove(&row.get::<_, Vec<u8>>(0)).unwrap_or_default(),
        });
    }
    Ok(Redactions { orders, replicas: hub.database.replicas().await.unwrap_or_default() })
}

/// What else may hold a copy, as far as the hub's user of the database may see it.
pub(crate) async fn replicas(client: &tokio_postgres::Client) -> Result<Replicas, Failure> {
    let sees: bool =
        client.query_one("SELECT pg_has_role(current_user, 'pg_monitor', 'MEMBER')", &[]).await?.get(0);
    if !sees {
        return Ok(Replicas::default());
    }
    let row = client
        .query_one(
            "SELECT count(*), count(*) FILTER (WHERE replay_lsn >= pg_current_wal_flush_lsn()),
                 (SELECT count(*) FROM pg_replication_slots), current_setting('archive_mode') <> 'off'
             FROM pg_stat_replication",
            &[],
        )
        .await?;
    let count = |column: usize| u64::try_from(row.get::<_, i64>(column)).ok();
    Ok(Replicas { standbys: count(0), caught_up: count(1), slots: count(2), archived: Some(row.get(3)) })
}
