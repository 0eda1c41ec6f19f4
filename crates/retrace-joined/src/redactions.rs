//! Redactions that reach every machine: what this one redacted is looked for in the contents of the others, and what others
//! redacted is carried out here, with the code of a redaction of one's own.
//!
//! A secret is told to nobody: other machines are told where in their own contents it stands, and take it from there.

use crate::client::{Hub, HubError};
use crate::compared::Compared;
use crate::member::Member;
use crate::{Together, reasons, searches};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retrace_engine::memories::{Bytes as Content, bytes_of};
use retrace_log::{PlaceState, ReceiptRow, VersionRow};
use retrace_model::{MachineId, OrderId, OrgId, Sha256, StoreId, Timestamp};
use retrace_redact::PartsOfContents;
use retrace_sync::messages::{Bytes, Done};
use retrace_sync::sign::{is_signed, machine_of, receipt_text};
use retrace_sync::together::{
    AskOrders, ById, KeptReceipt, LeftAt, Order, OrderMachine, OrderState, Ordered, Orders, Reached,
    ReceiptBody, Redactions, Replicas, SHORTEST, SignedReceipt, Target, Unfinished, order_id,
};
use retrace_wire::{
    ActResult, ApiError, Code, HubCarriedOut, HubReach, HubReachState, HubReceipt, HubRedaction,
    HubRedactionRef, HubRedactions, HubTextLeft, Message, Nothing, ReceiptRef, RedactReq,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Rounds of fetching orders in one sync.
const ROUNDS: usize = 100;

/// What a sync knows of the hub.
pub(crate) struct Context<'s> {
    pub(crate) together: &'s Arc<Together>,
    pub(crate) hub: &'s Hub,
    pub(crate) org: OrgId,
    pub(crate) machine: MachineId,
}

/// A redaction of this machine, as the hub is told of it.
pub(crate) fn ordered(row: &ReceiptRow) -> Ordered {
    // What is left in the live files was left by the person; where nothing is, nothing was.
    let live = row.places.first().map_or(row.live_files > 0, |place| place.state != PlaceState::Left);
    Ordered {
        receipt: row.id.to_string(),
        live,
        reason: row.reason.clone(),
        method: row.method.clone(),
        at: row.created_at.micros(),
        within: carried_out_by(row),
    }
}

/// The order of another machine that a redaction carried out.
pub(crate) fn carried_out_by(row: &ReceiptRow) -> Option<String> {
    let first = row.reason.as_deref().and_then(|reason| reason.split_whitespace().next());
    first.and_then(|word| OrderId::parse(word).ok()).map(|id| id.to_string())
}

/// A redaction, and the versions that it masked.
pub(crate) type Masked = (Option<Ordered>, Vec<u64>);

/// The redactions of masked versions, each with those of them that it masked.
pub(crate) fn by_redaction(together: &Together, masked: &[u64]) -> Result<Vec<Masked>, ApiError> {
    together.read(|reader| {
        let mut of: BTreeMap<Option<String>, Vec<u64>> = BTreeMap::new();
        for seq in masked {
            let redaction = reader.version(*seq)?.redaction;
            of.entry(redaction.map(|redaction| redaction.receipt.to_string())).or_default().push(*seq);
        }
        let receipts = reader.receipts()?;
        let row = |id: &String| receipts.iter().find(|row| row.id.to_string() == *id);
        Ok(of.into_iter().map(|(id, seqs)| (id.as_ref().and_then(row).map(ordered), seqs)).collect())
    })
}

/// Carries out what other machines redacted, and sends receipts. An order stays where it names a version that was not found to be
/// one of this log.
pub(crate) fn carry_out(context: &Context<'_>, compared: &Compared) -> Result<Vec<HubCarriedOut>, HubError> {
    let mut done = Vec::new();
    let mut refused = BTreeSet::new();
    for round in 0..ROUNDS {
        let Orders { mut orders, unfinished } =
            context.hub.call("orders", &AskOrders { short_parts: true })?;
        if round == 0 {
            look_again(context, &unfinished)?;
        }
        orders.retain(|order| {
            let is_ours = |target: &Target| compared.has(&target.store, target.local_seq);
            !refused.contains(&order.id) && order.targets.iter().all(is_ours)
        });
        if orders.is_empty() {
            break;
        }
        for order in orders {
            let body = match order.targets.is_empty() {
                true => own(context, &order)?,
                false => carried_out(context, &order),
            };
            send(context, &body, &order.targets)?;
            if body.state == "refused" {
                refused.insert(order.id.clone());
            }
            if !order.targets.is_empty() {
                done.push(HubCarriedOut {
                    order: order.id,
                    by_name: order.by_name,
                    state: if body.state == "done" { HubReachState::Done } else { HubReachState::Refused },
                    versions: body.versions,
                    live_files: body.live_files,
                    receipts: body.receipts,
                    why: body.reason.as_deref().map(reasons::in_words),
                    reason: body.reason,
                });
            }
        }
    }
    Ok(done)
}

/// Looks again at what was left where that is asked for, and sends a new receipt of each order of which another thing is left than its
/// last one says.
fn look_again(context: &Context<'_>, unfinished: &[Unfinished]) -> Result<(), HubError> {
    // Once for all of them: every secret that was redacted here is looked for.
    if let Some(one) = unfinished.iter().find(|one| one.recheck) {
        searches::search_texts_again(context, &one.order)?;
    }
    for one in unfinished {
        if one.recheck {
            for receipt in &one.receipts {
                let asked = ReceiptRef { receipt: receipt.clone() };
                match retrace_redact::recheck_receipt(&context.together.redactions, asked) {
                    // A log that was set back has it no more: the new receipt says less then.
                    Err(error) if error.code == Code::NotFound => {}
                    looked => drop(looked?),
                }
            }
        }
        let receipts = context.together.read(|reader| Ok(reader.receipts()?))?;
        let of: Vec<&ReceiptRow> =
            receipts.iter().filter(|row| one.receipts.contains(&row.id.to_string())).collect();
        if of.len() < one.receipts.len() {
            let body = body_of(context, &one.order, &of, Some("log_has_no_receipt"))?;
            if one.recheck {
                send(context, &body, &[])?;
            }
            continue;
        }
        let body = body_of(context, &one.order, &of, None)?;
        if one.recheck || body.places_left != one.places_left || body.purge != one.purge {
            send(context, &body, &[])?;
        }
    }
    Ok(())
}

fn send(context: &Context<'_>, body: &ReceiptBody, targets: &[Target]) -> Result<(), HubError> {
    let body = serde_json::to_string(body).map_err(|error| {
        HubError::Here(ApiError::new(Code::Internal, say::not_written(error.to_string()), "receipt"))
    })?;
    let text = receipt_text(context.org, context.machine, &body);
    let signature = Bytes(context.hub.key().sign(&text));
    let targets = targets.to_vec();
    let _: Done = context.hub.call("receipt", &SignedReceipt { body, signature, targets })?;
    Ok(())
}

/// The receipt of a redaction of this machine.
fn own(context: &Context<'_>, order: &Order) -> Result<ReceiptBody, ApiError> {
    let receipts = context.together.read(|reader| Ok(reader.receipts()?))?;
    let row =
        receipts.iter().find(|row| order_id(context.machine, &row.id.to_string()).to_string() == order.id);
    match row {
        Some(row) => body_of(context, &order.id, &[row], None),
        None => body_of(context, &order.id, &[], Some("log_has_no_receipt")),
    }
}

/// The word of a code, as it stands in JSON.
pub(crate) fn code_word(code: Code) -> String {
    let word = serde_json::to_value(code).ok().and_then(|word| word.as_str().map(str::to_owned));
    word.unwrap_or_else(|| "internal".to_owned())
}

/// Carries out one order. Whatever keeps it from that stands in the receipt; the next sync tries again.
fn carried_out(context: &Context<'_>, order: &Order) -> ReceiptBody {
    let refused = |error: &ApiError| ReceiptBody {
        order: order.id.clone(),
        machine: context.machine.to_string(),
        at: context.together.now().micros(),
        state: "refused".to_owned(),
        versions: 0,
        live_files: 0,
        purge: "pending".to_owned(),
        places_left: 0,
        receipts: Vec::new(),
        chain_head: String::new(),
        // The code alone: a sentence could name what is on this machine.
        reason: Some(code_word(error.code)),
    };
    try_to_carry_out(context, order).unwrap_or_else(|error| refused(&error))
}

fn try_to_carry_out(context: &Context<'_>, order: &Order) -> Result<ReceiptBody, ApiError> {
    let inner = context.together;
    let Some(named) = named_versions(context, order)? else {
        return body_of(context, &order.id, &[], Some("log_has_no_such_version"));
    };
    let mut secrets = BTreeSet::new();
    let (mut chosen, mut alone) = (Vec::new(), PartsOfContents::new());
    for (version, target) in named.iter().filter(|(version, _)| version.redaction.is_none()) {
        if let Content::Kept(bytes) = inner.read(|reader| bytes_of(reader, version))? {
            let range = |(start, end): &(u64, u64)| {
                let range = usize::try_from(*start).ok().zip(usize::try_from(*end).ok());
                range.filter(|(start, end)| start < end && *end <= bytes.len())
            };
            let ranges: Vec<(usize, usize)> = target.parts.iter().filter_map(range).collect();
            let is_short = |(start, end): &(usize, usize)| ((end - start) as u64) < SHORTEST;
            if ranges.iter().any(is_short) {
                chosen.push(version.id.to_string());
                alone.insert(Sha256::of(&bytes), ranges.clone());
            }
            let long = ranges.into_iter().filter(|range| !is_short(range));
            secrets.extend(long.filter_map(|(start, end)| Some(bytes.get(start..end)?.to_vec())));
        }
    }
    // A short text occurs by chance: it goes from where it is known to stand, and is looked for nowhere else.
    if !chosen.is_empty() {
        let request = RedactReq { versions: chosen, ..RedactReq::default() };
        redact_with(order, &request, |asked| {
            retrace_redact::redact_parts(&inner.redactions, asked, alone.clone())
        })?;
    }
    for secret in secrets {
        let secret_base64 = Some(STANDARD.encode(secret));
        redact(context, order, RedactReq { secret_base64, ..RedactReq::default() })?;
    }
    let open = left_open(context, &named)?;
    if !open.is_empty() {
        let versions = open.iter().map(|version| version.id.to_string()).collect();
        redact(context, order, RedactReq { versions, ..RedactReq::default() })?;
    }
    if !left_open(context, &named)?.is_empty() {
        return body_of(context, &order.id, &[], Some("versions_are_left"));
    }
    let receipts = inner.read(|reader| {
        let mut of = BTreeSet::new();
        for (version, _) in &named {
            let redaction = reader.version(version.id.seq)?.redaction;
            of.extend(redaction.map(|redaction| redaction.receipt));
        }
        Ok(reader.receipts()?.into_iter().filter(|row| of.contains(&row.id)).collect::<Vec<_>>())
    })?;
    body_of(context, &order.id, &receipts.iter().collect::<Vec<_>>(), None)
}

/// The versions that an order names; `None` where the log has one of them not.
fn named_versions<'o>(
    context: &Context<'_>,
    order: &'o Order,
) -> Result<Option<Vec<(VersionRow, &'o Target)>>, ApiError> {
    context.together.read(|reader| {
        let newest = reader.last_version()?;
        let mut named = Vec::new();
        for target in &order.targets {
            let known = (1..=newest).contains(&target.local_seq);
            let version = known.then(|| reader.version(target.local_seq)).transpose()?;
            let store = StoreId::parse(&target.store).ok();
            match version.filter(|version| Some(version.store) == store) {
                Some(version) => named.push((version, target)),
                None => return Ok(None),
            }
        }
        Ok(Some(named))
    })
}

fn left_open(context: &Context<'_>, named: &[(VersionRow, &Target)]) -> Result<Vec<VersionRow>, ApiError> {
    context.together.read(|reader| {
        let mut open = Vec::new();
        for (version, _) in named {
            let now = reader.version(version.id.seq)?;
            if now.redaction.is_none() {
                open.push(now);
            }
        }
        Ok(open)
    })
}

/// Redacts here. What matches nothing any more is done.
fn redact(context: &Context<'_>, order: &Order, request: RedactReq) -> Result<(), ApiError> {
    let redactions = &context.together.redactions;
    redact_with(order, &request, |asked| retrace_redact::redact(redactions, asked))
}

fn redact_with(
    order: &Order,
    request: &RedactReq,
    act: impl Fn(RedactReq) -> Result<ActResult, ApiError>,
) -> Result<(), ApiError> {
    let because = match order.reason.as_deref() {
        Some(reason) => format!("{} of {}: {reason}", order.id, order.by_name),
        None => format!("{} of {}", order.id, order.by_name),
    };
    let asked = |reason: String| RedactReq { live: order.live, reason: Some(reason), ..request.clone() };
    let first = act(asked(because));
    let ended = match first {
        // The reason may hold what is redacted.
        Err(error) if error.code == Code::Invalid && error.subject == "reason" => {
            act(asked(order.id.clone()))
        }
        ended => ended,
    };
    match ended {
        Err(error) if error.code == Code::NotFound => Ok(()),
        ended => ended.map(drop),
    }
}

fn body_of(
    context: &Context<'_>,
    order: &str,
    receipts: &[&ReceiptRow],
    refused: Option<&str>,
) -> Result<ReceiptBody, ApiError> {
    let inner = context.together;
    let head = inner.read(|reader| Ok(reader.chain_head()?))?;
    let left = |row: &&ReceiptRow| {
        // Backups are out of reach always; a place that should have been read says why it was not.
        let not_clean = |place: &&retrace_log::Place| {
            place.state == PlaceState::Left
                || (place.state == PlaceState::OutOfReach && place.detail.is_some())
        };
        row.places.iter().filter(not_clean).count() as u64
    };
    let purged = receipts.iter().all(|row| row.purged);
    Ok(ReceiptBody {
        order: order.to_owned(),
        machine: context.machine.to_string(),
        at: inner.now().micros(),
        state: if refused.is_none() { "done" } else { "refused" }.to_owned(),
        versions: receipts.iter().map(|row| row.versions).sum(),
        live_files: receipts.iter().map(|row| row.live_files).sum(),
        purge: if purged { "done" } else { "pending" }.to_owned(),
        places_left: receipts.iter().map(left).sum(),
        receipts: receipts.iter().map(|row| row.id.to_string()).collect(),
        chain_head: head.to_hex(),
        reason: refused.map(str::to_owned),
    })
}

/// Every redaction of the organisation, how far it reached, and what else may hold a copy.
///
/// # Errors
/// `not_found` when no hub is joined, `store_unavailable`, `key_refused`.
pub fn hub_redactions(member: &Member, _: Nothing) -> Result<HubRedactions, ApiError> {
    let hub = member.hub()?;
    let list: Redactions = hub.ask("redactions", &Done {})?;
    let org = hub.org();
    let redactions = list.orders.into_iter().map(|order| shown(order, org)).collect();
    let mut copies = copies(&list.replicas);
    if list.expired > 0 {
        copies.push(say::expired_not_searched(list.expired));
    }
    Ok(HubRedactions { redactions, copies })
}

/// Approves a redaction that waits for a second person.
///
/// # Errors
/// `not_found` when there is no such redaction or no hub is joined, `key_refused` on the machine that redacted and for roles that
/// do not review, `store_unavailable`.
pub fn hub_approve_redaction(member: &Member, request: HubRedactionRef) -> Result<HubRedactions, ApiError> {
    let hub = member.hub()?;
    let asked = ById { id: request.id, person: member.person() };
    let _: Reached = hub.ask_about("approve_order", &asked, &asked.id)?;
    hub_redactions(member, Nothing {})
}

/// Asks the machines that carried a redaction out to look again at what was left there. Each does at its next sync, and signs a new
/// receipt.
///
/// # Errors
/// `not_found` when there is no such redaction or no hub is joined, `invalid` where no machine carried it out yet, `key_refused` for
/// roles that do not review, `store_unavailable`.
pub fn hub_recheck_redaction(member: &Member, request: HubRedactionRef) -> Result<HubRedactions, ApiError> {
    let hub = member.hub()?;
    let asked = ById { id: request.id, person: member.person() };
    let _: Done = hub.ask_about("recheck_order", &asked, &asked.id)?;
    hub_redactions(member, Nothing {})
}

pub(crate) fn instant(micros: i64) -> String {
    Timestamp::from_micros(micros).to_rfc3339()
}

fn shown(order: OrderState, org: Option<OrgId>) -> HubRedaction {
    let machines: Vec<HubReach> = order.machines.into_iter().map(|machine| reach(machine, org)).collect();
    let verified = |reach: &HubReach| reach.receipt.as_ref().is_some_and(|receipt| receipt.verified);
    let state = order.state.parse().unwrap_or(retrace_wire::HubOrderState::Waiting);
    let complete = state == retrace_wire::HubOrderState::Ordered
        && machines.iter().all(|reach| {
            (reach.state == HubReachState::Done && verified(reach)) || reach.acknowledged_at.is_some()
        });
    HubRedaction {
        id: order.id,
        by: order.by,
        by_name: order.by_name,
        created_at: instant(order.at),
        method: order.method,
        live: order.live,
        reason: order.reason,
        state,
        approved_by: order.approved_by,
        approved_verified: order.approved_verified,
        first_person: order.first_person,
        approved_at: order.approved_at.map(instant),
        versions: order.versions,
        contents: order.contents,
        texts: order.texts,
        left: order.left.into_iter().map(left_at).collect(),
        destroyed_at: order.destroyed_at.map(instant),
        machines,
        complete,
    }
}

fn left_at(at: LeftAt) -> HubTextLeft {
    let numbers = at.numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let (message, hint) = match at.place.as_str() {
        "audit" => (left::in_the_audit_log(at.rows, numbers), left::audit_hint()),
        // A newer hub may know another place.
        other => (left::elsewhere(at.rows, other), left::elsewhere_hint()),
    };
    HubTextLeft { place: at.place, rows: at.rows, numbers: at.numbers, message, hint }
}

fn reach(machine: OrderMachine, org: Option<OrgId>) -> HubReach {
    let receipt = machine.receipt.and_then(|kept| receipt_of(&machine.machine, kept, org));
    HubReach {
        state: machine.state.parse().unwrap_or(HubReachState::Outstanding),
        machine: machine.machine,
        name: machine.name,
        since: instant(machine.since),
        seen_at: instant(machine.seen_at),
        left: machine.left,
        removed: machine.removed,
        carried_out_as: machine.carried_out_as,
        acknowledged_at: machine.acknowledged_at.map(instant),
        acknowledged_by: machine.acknowledged_by,
        recheck: machine.recheck,
        receipt,
    }
}

/// True if the machine that is named signed exactly this; its id is made from its key, so that the hub cannot name another one.
pub(crate) fn signed_by(
    machine: &str,
    kept: &KeptReceipt,
    org: Option<OrgId>,
    text: fn(OrgId, MachineId, &str) -> Vec<u8>,
) -> bool {
    let public = &kept.public_key.0;
    let (Some(org), true) = (org, public.len() == 32) else { return false };
    let id = machine_of(public);
    id.to_string() == machine && is_signed(public, &text(org, id, &kept.body), &kept.signature.0)
}

fn receipt_of(machine: &str, kept: KeptReceipt, org: Option<OrgId>) -> Option<HubReceipt> {
    let body: ReceiptBody = serde_json::from_str(&kept.body).ok()?;
    let verified = body.machine == machine && signed_by(machine, &kept, org, receipt_text);
    Some(HubReceipt {
        verified,
        created_at: instant(body.at),
        versions: body.versions,
        live_files: body.live_files,
        purge: body.purge,
        places_left: body.places_left,
        receipts: body.receipts,
        why: body.reason.as_deref().map(reasons::in_words),
        reason: body.reason,
        body: kept.body,
        signature: STANDARD.encode(&kept.signature.0),
        public_key: STANDARD.encode(&kept.public_key.0),
    })
}

/// What else may hold a copy of what was destroyed in the database.
fn copies(replicas: &Replicas) -> Vec<Message> {
    let mut copies = Vec::new();
    copies.push(match (replicas.standbys, replicas.caught_up) {
        (None, _) => say::standbys_unknown(),
        (Some(0), _) => say::no_standby(),
        (Some(all), Some(caught_up)) => say::standbys(all, caught_up),
        (Some(all), None) => say::standbys_of_unknown_state(all),
    });
    match replicas.slots {
        Some(0) | None => {}
        Some(slots) => copies.push(say::slots(slots)),
    }
    copies.push(say::dead_rows());
    copies.push(match replicas.archived {
        Some(true) => say::archived(),
        _ => say::backups(),
    });
    copies
}

retrace_message::messages! {
    /// What a redaction leaves at the hub.
    mod left in "hub_redactions_left";
    in_the_audit_log(rows, numbers) => "It stands in the hub's audit log, which nothing changes. Rows: {rows}, by number: {numbers}.",
    audit_hint() => "Put something new in the place of what was redacted, as another key. Whoever runs the database can mask these rows as docs/HUB.md says; then `retrace hub redactions recheck`.",
    elsewhere(rows, place) => "It stands at the hub in \"{place}\", which nothing changes. Rows: {rows}.",
    elsewhere_hint() => "This program is older than the hub, which knows what to do: ask who runs it.",
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "hub_redactions";
    not_written(error) => "The receipt cannot be written: {error}.",
    standbys_unknown() => "Whether replicas stream from the database is not known: the hub's user of the database is no member of pg_monitor.",
    no_standby() => "No replica streams from the database now.",
    standbys(all, caught_up) => "Replicas that stream from the database: {all}. Of these, {caught_up} replayed everything.",
    standbys_of_unknown_state(all) => "Replicas that stream from the database: {all}. How far they are is not known.",
    slots(slots) => "{slots} replication slots keep the write-ahead log until their readers took it.",
    dead_rows() => "Dead rows stay in the database's files until VACUUM, and in its write-ahead log until that is recycled. Contents and comments are encrypted there, and their keys are destroyed in the same way; paths are not.",
    backups() => "Backups made before keep it until they expire; the hub does not know of them.",
    expired_not_searched(versions) => "{versions} versions have no content at the hub any more, since retention dropped it. No search looked into them: their machines may still hold what was redacted.",
    archived() => "The write-ahead log is archived: archive and backups made before keep it until they expire.",
}
