//! Taking contents out of every chain, or having that approved first.

use super::kept_out::{known_tags, tag_of};
use super::{Going, Parts, Value, alone, left, short, texts};
use crate::Failure;
use crate::audit;
use crate::database::{Scoped, now};
use crate::requests::{Caller, digest, invalid, number, policy, sessions};
use crate::routes::Hub;
use retrace_model::{MachineId, OrderId, OrgId, Sha256};
use retrace_sync::messages::{self as m, PartsAt};
use retrace_sync::roles::{Right, allows};
use retrace_sync::together::{Name, Named, Ordered, Reached, SHORTEST, order_id};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The method of a redaction that was of versions, and so of whole contents.
const WHOLE: &str = "versions";

/// By content: the tag it is known by, and the parts of it that go.
type KnownParts = HashMap<Sha256, (Vec<u8>, Parts)>;

/// The contents of versions that a machine masked, as they go from the other machines: those of fewer than twelve bytes occur by chance,
/// and whoever has the key could guess them, so neither do they reach others nor are they kept out. Each goes with what its machine
/// said of it (`parts`, by the place of the version): as a whole where it said nothing, and not at all where the path alone held it.
pub(crate) fn going(masked: &[Masked], parts: &[PartsAt]) -> Result<Going, Failure> {
    let said: BTreeMap<u64, &PartsAt> = parts.iter().map(|of| (of.local_seq, of)).collect();
    let mut all: BTreeMap<Sha256, Option<BTreeSet<(u64, u64)>>> = BTreeMap::new();
    for version in masked.iter().filter(|version| version.size >= SHORTEST) {
        let known = all.entry(version.sha256).or_insert_with(|| Some(BTreeSet::new()));
        match said.get(&version.local_seq) {
            Some(of) => known.iter_mut().for_each(|known| known.extend(of.parts.iter().copied())),
            None => *known = None,
        }
    }
    let mut going = Going::new();
    for (sha256, parts) in all {
        match parts {
            None => drop(going.insert(sha256, Parts::default())),
            Some(parts) if parts.is_empty() => {}
            Some(parts) => {
                let parts: Vec<(u64, u64)> = parts.into_iter().collect();
                going.insert(sha256, Parts::of(&parts)?);
            }
        }
    }
    Ok(going)
}

/// A version that a machine masked, with the content that it had.
pub(crate) struct Masked {
    pub(crate) local_seq: u64,
    pub(crate) sha256: Sha256,
    pub(crate) size: u64,
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
    let hashes: Vec<&[u8]> = going.keys().map(|sha256| &sha256.0[..]).collect();
    let had = had_by(scoped, caller, &hashes).await?;
    reach(hub, scoped, caller, &request.order, going, &had).await
}

/// Of some contents those that the asking machine had: the hub has their bytes from it, or had them as a text of its sessions. A hash
/// alone shows nothing: every machine reads those of all others.
pub(crate) async fn had_by(
    scoped: &Scoped,
    caller: &Caller,
    hashes: &[&[u8]],
) -> Result<BTreeSet<Sha256>, Failure> {
    let rows = scoped
        .client()?
        .query(
            include_str!("../../../statements/contents_had.sql"),
            &[&&caller.org.0[..], &&caller.machine.0[..], &hashes],
        )
        .await?;
    rows.iter().map(|row| digest(row, 0)).collect()
}

/// Takes contents out of the chains of every other machine, or has that approved first: by a second person where the policy asks for
/// one, and by an owner or a reviewer where a writer names what it did not have. What was approved before goes at once; an approval is
/// for the contents that waited for it and for no others.
pub(crate) async fn reach(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    order: &Ordered,
    mut going: Going,
    had: &BTreeSet<Sha256>,
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
    elsewhere.extend(texts::elsewhere(scoped, caller.org, &going).await?);
    left::note_known(scoped, caller.org, &going, known.iter().map(|(sha256, (id, _))| (sha256, id))).await?;
    // A program that cannot say where a secret stood says that all of it goes. Where somebody said it, no more than that does.
    if order.method != WHOLE {
        for (sha256, parts) in going.iter_mut().filter(|(_, parts)| parts.is_whole()) {
            if let Some((_, said)) = known.get(sha256) {
                *parts = said.clone();
            }
        }
    }
    // What is known and held by nobody else is done.
    let is_done = |sha256: &Sha256| known.contains_key(sha256) && !elsewhere.contains(&sha256.0[..]);
    let done: Vec<Vec<u8>> =
        going.keys().filter(|sha256| is_done(sha256)).map(|hash| hash.0.to_vec()).collect();
    settle(scoped, caller.org, None, &done).await?;
    going.retain(|sha256, _| !is_done(sha256));
    if going.is_empty() {
        return Ok(Reached::default());
    }
    if let Some(within) = carried_out(scoped, caller, order).await? {
        return reach_within(hub, scoped, caller, within, going, (&known, &elsewhere, had)).await;
    }
    let id = order_id(caller.machine, &order.receipt);
    let two = policy::policy_of(scoped.client()?, caller.org, "").await?.two_person_redaction;
    let trusted = allows(caller.role, Right::Review);
    let (at_once, waits): (Going, Going) = going
        .into_iter()
        .partition(|(sha256, _)| known.contains_key(sha256) || (!two && (trusted || had.contains(sha256))));
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
                &if waits.is_empty() { "ordered" } else { "waiting" },
                &caller.verified.as_ref().map(|person| &person.key[..]),
                &caller.verified.as_ref().map(|person| &person.shown[..]),
            ],
        )
        .await?;
    audit::note(scoped, caller, "order_redaction", &id.to_string()).await?;
    let waiting = !waits.is_empty();
    if waiting {
        wait(scoped, caller, id, &waits).await?;
    }
    if at_once.is_empty() {
        return Ok(Reached { order: Some(id.to_string()), waiting, ..Reached::default() });
    }
    // The machine that redacted sends its receipt as well.
    outstanding(scoped, caller.org, &id.0, &caller.machine.0).await?;
    let reached = take_out(hub, scoped, caller.org, id, Some(caller.machine), &at_once).await?;
    Ok(Reached { waiting, ..reached })
}

/// The order that a redaction carried out, if it concerned the asking machine.
async fn carried_out(scoped: &Scoped, caller: &Caller, order: &Ordered) -> Result<Option<OrderId>, Failure> {
    let Some(id) = order.within.as_deref().and_then(|id| OrderId::parse(id).ok()) else { return Ok(None) };
    let of: [Value<'_>; 3] = [&&caller.org.0[..], &&id.0[..], &&caller.machine.0[..]];
    let sql = "SELECT 1 FROM order_machines WHERE org = $1 AND id = $2 AND machine = $3";
    Ok(scoped.client()?.query_opt(sql, &of).await?.map(|_| id))
}

/// What a machine found while it carried out an order is of that order: it was approved with it, and nobody has more to do for it. A
/// content of others that the asking machine did not have is another matter, and waits as any other that is named by its hash alone.
async fn reach_within(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    id: OrderId,
    going: Going,
    (known, elsewhere, had): (&KnownParts, &BTreeSet<Vec<u8>>, &BTreeSet<Sha256>),
) -> Result<Reached, Failure> {
    let trusted = allows(caller.role, Right::Review);
    let (at_once, waits): (Going, Going) = going.into_iter().partition(|(sha256, _)| {
        trusted || known.contains_key(sha256) || had.contains(sha256) || !elsewhere.contains(&sha256.0[..])
    });
    audit::note(scoped, caller, "order_redaction", &id.to_string()).await?;
    let waiting = !waits.is_empty();
    if waiting {
        wait(scoped, caller, id, &waits).await?;
    }
    let reached = take_out(hub, scoped, caller.org, id, Some(caller.machine), &at_once).await?;
    Ok(Reached { waiting, ..reached })
}

/// Has contents wait for an approval of their own, whatever was approved of the same redaction before.
async fn wait(scoped: &Scoped, caller: &Caller, id: OrderId, waits: &Going) -> Result<(), Failure> {
    sessions::take_out_own(scoped, caller, waits.keys()).await?;
    let client = scoped.client()?;
    let mut new = 0;
    for (sha256, parts) in waits {
        new += client
            .execute(
                "INSERT INTO order_contents (org, id, sha256, starts, ends) VALUES ($1, $2, $3, $4, $5)
                 ON CONFLICT DO NOTHING",
                &[&&caller.org.0[..], &&id.0[..], &&sha256.0[..], &parts.starts, &parts.ends],
            )
            .await?;
    }
    if new == 0 {
        return Ok(());
    }
    // The first of two persons is who told these. Where others were told by somebody else, two more approve.
    client
        .execute(
            include_str!("../../../statements/order_waits.sql"),
            &[
                &&caller.org.0[..],
                &&id.0[..],
                &caller.verified.as_ref().map(|person| &person.key[..]),
                &caller.verified.as_ref().map(|person| &person.shown[..]),
            ],
        )
        .await?;
    Ok(())
}

/// Masks versions with these contents, destroys contents and keys, keeps them out, and orders each machine to do the same.
pub(super) async fn take_out(
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
    reached.texts = texts::take_out(hub, scoped, org, going).await?;
    left::note(scoped, org, &id.0, going).await?;
    for (sha256, parts) in going {
        let tag = tag_of(hub, org, sha256);
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
                include_str!("../../../statements/order_targets.sql"),
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
        reached.versions += client
            .execute(
                "UPDATE versions SET redacted = true, path = NULL, salt = NULL, content_sha256 = NULL,
                     content_size = NULL
                 WHERE org = $1 AND content_sha256 = $2 AND machine <> $3",
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
            include_str!("../../../statements/order_destroyed.sql"),
            &[
                &&org.0[..],
                &&id.0[..],
                &number(reached.versions)?,
                &number(reached.contents)?,
                &number(reached.texts)?,
                &now(),
            ],
        )
        .await?;
    let gone: Vec<Vec<u8>> = going.keys().map(|sha256| sha256.0.to_vec()).collect();
    settle(scoped, org, Some(id), &gone).await?;
    Ok(reached)
}

/// What went is waited for no more: by the redaction that took it out, and by any other once nobody holds it. A redaction of which
/// nothing waits then is ordered, whoever approved what.
async fn settle(scoped: &Scoped, org: OrgId, id: Option<OrderId>, gone: &[Vec<u8>]) -> Result<(), Failure> {
    let id = id.map(|id| id.0.to_vec());
    let left = include_str!("../../../statements/order_contents_gone.sql");
    if scoped.client()?.execute(left, &[&&org.0[..], &gone, &id]).await? == 0 {
        return Ok(());
    }
    let settled = include_str!("../../../statements/orders_settled.sql");
    for row in scoped.client()?.query(settled, &[&&org.0[..]]).await? {
        // It sends the receipt of its own redaction as well.
        outstanding(scoped, org, row.get(0), row.get(1)).await?;
    }
    Ok(())
}

pub(super) async fn outstanding(
    scoped: &Scoped,
    org: OrgId,
    id: &[u8],
    machine: &[u8],
) -> Result<(), Failure> {
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
