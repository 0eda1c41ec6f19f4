//! Proposals: what this machine asks of another, and what others ask of it.

use crate::client::HubError;
use crate::compared::Compared;
use crate::member::Member;
use crate::redactions::{Context, code_word, instant, signed_by};
use crate::state;
use crate::{Together, reasons, said};
use retrace_engine::plan::{Plan, Step, Wanted};
use retrace_log::LogError;
use retrace_model::{RelPath, Sha256, Source, StoreId};
use retrace_outbound::Cancel;
use retrace_review::{restore, rollback};
use retrace_sync::messages::{Bytes, Done, PackedContent};
use retrace_sync::sign::result_text;
use retrace_sync::together::{AskProposals, ById, Proposal, Proposals, Propose, ResultBody, SignedResult};
use retrace_wire::{
    ActResult, ApiError, Code, HubProposal, HubProposalDone, HubProposalKind, HubProposalRef,
    HubProposalState, HubProposals, HubProposeReq, Nothing, RestoreReq, RollbackReq,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Effort of zstd.
const EFFORT: i32 = 3;

/// Raw bytes of one content, at most.
const MAX_CONTENT: usize = 64 << 20;

/// Proposes a change to another machine. Nothing is changed before that machine carries it out.
///
/// # Errors
/// `not_found` when no hub is joined or it has no such version, `invalid`, `key_refused`, `store_unavailable`, `content_redacted` for a
/// text or a note that holds what was redacted on this machine.
pub fn hub_propose(member: &Member, request: HubProposeReq) -> Result<HubProposal, ApiError> {
    let hub = member.hub()?;
    member.refuse_redacted("text", request.text.as_deref())?;
    member.refuse_redacted("note", request.note.as_deref())?;
    let content = match &request.text {
        None => None,
        Some(text) => {
            let bytes = text.as_bytes();
            let packed = zstd::bulk::compress(bytes, EFFORT)
                .map_err(|error| ApiError::new(Code::Internal, say::not_packed(error), "text"))?;
            let (sha256, size) = (Sha256::of(bytes), bytes.len() as u64);
            Some(PackedContent { sha256, size, packed: Bytes(packed) })
        }
    };
    let asked = Propose {
        kind: request.kind.as_str().to_owned(),
        version: request.version,
        machine: request.machine,
        store: request.store,
        at: request.at,
        content,
        note: request.note,
        person: member.person(),
    };
    let about = asked.version.clone().or_else(|| asked.store.clone()).unwrap_or_default();
    let made: ById = hub.ask_about("propose", &asked, &about)?;
    if let Some(inner) = member.engine() {
        // It is at the hub, whether it can be remembered here or not.
        drop(said::note_proposal(inner, &made.id, &about));
    }
    one(member, &made.id)
}

/// Proposals of the organisation, newest first.
///
/// # Errors
/// `not_found` when no hub is joined, `store_unavailable`, `key_refused`.
pub fn hub_proposals(member: &Member, _: Nothing) -> Result<HubProposals, ApiError> {
    let hub = member.hub()?;
    let list: Proposals = hub.ask("proposals", &AskProposals::default())?;
    let org = hub.org();
    let shown = |proposal: Proposal| {
        let result = proposal.result.as_ref();
        let body = result.and_then(|kept| serde_json::from_str::<ResultBody>(&kept.body).ok());
        let verified = result.map(|kept| signed_by(&proposal.machine, kept, org, result_text));
        HubProposal {
            kind: proposal.kind.parse().unwrap_or(HubProposalKind::Edit),
            state: proposal.state.parse().unwrap_or(HubProposalState::Waiting),
            here: proposal.machine == hub.machine(),
            mine: proposal.by == hub.machine(),
            machine: proposal.machine,
            machine_name: proposal.machine_name,
            id: proposal.id,
            store: proposal.store,
            store_name: proposal.store_name,
            path: proposal.path.and_then(|path| RelPath::from_bytes(path.0).ok()).map(|path| path.to_text()),
            to: proposal.to,
            at: proposal.at,
            expects: proposal.expects,
            note: proposal.note,
            person: proposal.person,
            person_verified: proposal.verified,
            by_name: proposal.by_name,
            created_at: instant(proposal.proposed_at),
            settled_at: body.as_ref().map(|body| instant(body.at)),
            operation_seq: body.as_ref().and_then(|body| body.operation_seq),
            why: body.as_ref().and_then(|body| body.reason.as_deref()).map(reasons::in_words),
            reason: body.and_then(|body| body.reason),
            verified,
        }
    };
    Ok(HubProposals { proposals: list.proposals.into_iter().map(shown).collect() })
}

fn one(member: &Member, id: &str) -> Result<HubProposal, ApiError> {
    let list = hub_proposals(member, Nothing {})?;
    let found = list.proposals.into_iter().find(|proposal| proposal.id == id);
    found.ok_or_else(|| ApiError::new(Code::NotFound, say::no_such_proposal(), id))
}

/// Carries out a proposal for this machine now.
///
/// # Errors
/// `not_found` when none of that id waits here, `store_unavailable`, `key_refused`. What keeps it from being carried out stands in
/// the answer.
pub fn hub_accept_proposal(
    together: &Arc<Together>,
    request: HubProposalRef,
) -> Result<HubProposal, ApiError> {
    settle_one(together, &request.id, true)
}

/// Refuses a proposal for this machine.
///
/// # Errors
/// As [`hub_accept_proposal`].
pub fn hub_refuse_proposal(
    together: &Arc<Together>,
    request: HubProposalRef,
) -> Result<HubProposal, ApiError> {
    settle_one(together, &request.id, false)
}

/// Takes back a proposal of this machine that was not carried out yet.
///
/// # Errors
/// `not_found` when none of that id waits, `store_unavailable`, `key_refused`.
pub fn hub_withdraw_proposal(member: &Member, request: HubProposalRef) -> Result<HubProposal, ApiError> {
    let hub = member.hub()?;
    let asked = ById { id: request.id.clone(), person: member.person() };
    let _: Done = hub.ask_about("withdraw", &asked, &request.id)?;
    one(member, &request.id)
}

fn settle_one(together: &Arc<Together>, id: &str, accept: bool) -> Result<HubProposal, ApiError> {
    // A sync may be about to carry out the same.
    let _alone = state::sync_alone(together, || false)?;
    let member = state::joined(together)?;
    let key = state::machine_key(together)?;
    let failed = |error: HubError| error.api(&member.url);
    let hub = crate::client::Hub::joined(together, &member, key, &Cancel::new()).map_err(failed)?;
    let (Some(org), Some(machine)) = (member.org(), member.machine()) else {
        return Err(ApiError::new(Code::Internal, say::membership_damaged(), "hub.json"));
    };
    let context = Context { together, hub: &hub, org, machine };
    let asked = AskProposals { id: Some(id.to_owned()), ..to_carry_out() };
    let list: Proposals = hub.call("proposals", &asked).map_err(failed)?;
    let found = list.proposals.into_iter().find(|proposal| proposal.id == id);
    let proposal = found.ok_or_else(|| {
        ApiError::new(Code::NotFound, say::none_waits_here(), id).hint(say::list_proposals())
    })?;
    if accept && member.forked {
        return Err(
            ApiError::invalid(copies::other_copy_goes_on(), id).hint(crate::sync::say::other_identity())
        );
    }
    let body = match accept {
        true => carried_out(&context, &proposal),
        false => body(&context, &proposal, HubProposalState::Refused, None, Some("refused_by_a_person")),
    };
    send(&context, &body).map_err(failed)?;
    together.stores_changed();
    one(&Member::machine(Arc::clone(together)), id)
}

/// Carries out the proposals for this machine whose stores accept them.
pub(crate) fn carry_out(
    context: &Context<'_>,
    compared: &Compared,
) -> Result<Vec<HubProposalDone>, HubError> {
    let member = state::joined(context.together)?;
    let accepts = |store: &str| {
        member.stores.get(store).is_some_and(|known| known.accept_proposals) && compared.has_store(store)
    };
    let accepting = member.stores.iter().filter(|(store, _)| accepts(store));
    let stores: Vec<String> = accepting.map(|(id, _)| id.clone()).collect();
    let (mut done, mut known) = (Vec::new(), BTreeSet::new());
    if stores.is_empty() {
        return Ok(done);
    }
    loop {
        let asked = AskProposals { stores: Some(stores.clone()), ..to_carry_out() };
        let list: Proposals = context.hub.call("proposals", &asked)?;
        let page = list.proposals.iter().filter(|proposal| accepts(&proposal.store));
        let new: Vec<&Proposal> = page.filter(|proposal| known.insert(proposal.id.clone())).collect();
        if new.is_empty() {
            return Ok(done);
        }
        for proposal in new {
            let body = carried_out(context, proposal);
            send(context, &body)?;
            done.push(told(proposal, body));
        }
    }
}

/// Asks for what waits for this machine.
fn to_carry_out() -> AskProposals {
    AskProposals { to_carry_out: true, ..AskProposals::default() }
}

fn told(proposal: &Proposal, body: ResultBody) -> HubProposalDone {
    let path = proposal.path.clone().and_then(|path| RelPath::from_bytes(path.0).ok());
    HubProposalDone {
        id: proposal.id.clone(),
        kind: proposal.kind.parse().unwrap_or(HubProposalKind::Edit),
        store_id: proposal.store.clone(),
        path: path.map(|path| path.to_text()),
        state: body.state.parse().unwrap_or(HubProposalState::Refused),
        operation_seq: body.operation_seq,
        why: body.reason.as_deref().map(reasons::in_words),
        reason: body.reason,
    }
}

fn send(context: &Context<'_>, body: &ResultBody) -> Result<(), HubError> {
    let body = serde_json::to_string(body).map_err(|error| {
        HubError::Here(ApiError::new(Code::Internal, say::not_packed(error.to_string()), "result"))
    })?;
    let signature = Bytes(context.hub.key().sign(&result_text(context.org, context.machine, &body)));
    let _: Done = context.hub.call("settle", &SignedResult { body, signature })?;
    Ok(())
}

fn body(
    context: &Context<'_>,
    proposal: &Proposal,
    state: HubProposalState,
    operation_seq: Option<u64>,
    reason: Option<&str>,
) -> ResultBody {
    ResultBody {
        proposal: proposal.id.clone(),
        machine: context.machine.to_string(),
        at: context.together.now().micros(),
        state: state.as_str().to_owned(),
        operation_seq,
        reason: reason.map(str::to_owned),
    }
}

/// Carries out one proposal. It is done as well where its content stands there already: a machine that was killed after it wrote
/// and before it said so meets its own work.
fn carried_out(context: &Context<'_>, proposal: &Proposal) -> ResultBody {
    let settled = |state, operation, reason: Option<&str>| body(context, proposal, state, operation, reason);
    match is_off_the_list(context, proposal) {
        Ok(false) => {}
        Ok(true) => return settled(HubProposalState::Refused, None, Some(reasons::OFF_THE_LIST)),
        Err(error) => return settled(HubProposalState::Refused, None, Some(&code_word(error.code))),
    }
    let result = match proposal.kind.as_str() {
        "rollback" => roll_back(context, proposal),
        "edit" => edit(context, proposal),
        "restore" => restore_store(context, proposal),
        _ => return settled(HubProposalState::Refused, None, Some("unknown_kind")),
    };
    match result {
        Ok(Carried::Done(operation)) => settled(HubProposalState::Done, operation, None),
        Ok(Carried::Conflict) => {
            settled(HubProposalState::Conflict, None, Some("the live content is another"))
        }
        Err(error) if error.code == Code::HeadMoved => {
            settled(HubProposalState::Conflict, None, Some("the live content is another"))
        }
        // The code alone: a sentence could name what is on this machine.
        Err(error) => settled(HubProposalState::Refused, None, Some(&code_word(error.code))),
    }
}

/// True if the store of a proposal was taken off the list: nothing writes to its directory any more.
fn is_off_the_list(context: &Context<'_>, proposal: &Proposal) -> Result<bool, ApiError> {
    let store = store_of(proposal)?;
    context.together.read(|reader| Ok(reader.store(store)?.removed_at.is_some()))
}

enum Carried {
    Done(Option<u64>),
    Conflict,
}

fn ended(result: &ActResult) -> Carried {
    match result.conflicts.is_empty() {
        true => Carried::Done(result.operation_seq),
        false => Carried::Conflict,
    }
}

fn changes_nothing(result: &ActResult) -> bool {
    result.conflicts.is_empty() && result.writes.is_empty() && result.deletes.is_empty()
}

fn store_of(proposal: &Proposal) -> Result<StoreId, ApiError> {
    StoreId::parse(&proposal.store)
        .map_err(|error| ApiError::new(Code::NotFound, retrace_wire::sentence(&error), &proposal.store))
}

fn roll_back(context: &Context<'_>, proposal: &Proposal) -> Result<Carried, ApiError> {
    let inner = context.together;
    let to = proposal.to.clone().unwrap_or_default();
    let version = inner.read(|reader| retrace_engine::target::version_named(reader, &to))?;
    if version.store != store_of(proposal)? {
        return Err(ApiError::new(Code::NotFound, say::no_such_proposal(), to));
    }
    let memory = Some(version.memory.to_string());
    let asked = RollbackReq { memory, to: Some(to), dry_run: true, ..RollbackReq::default() };
    if changes_nothing(&rollback(&inner.review, asked.clone())?) {
        return Ok(Carried::Done(None));
    }
    let now = inner.read(|reader| Ok(reader.path_of(version.memory)?))?;
    let expect = match (&proposal.expects, now) {
        (Some(expects), Some(_)) => Some(expects.clone()),
        (None, None) => None,
        _ => return Ok(Carried::Conflict),
    };
    let result = rollback(&inner.review, RollbackReq { expect, dry_run: false, ..asked })?;
    Ok(ended(&result))
}

fn edit(context: &Context<'_>, proposal: &Proposal) -> Result<Carried, ApiError> {
    let inner = context.together;
    let store = store_of(proposal)?;
    let bad = || ApiError::invalid(say::damaged_proposal(), &proposal.id);
    let path = proposal.path.clone().and_then(|path| RelPath::from_bytes(path.0).ok()).ok_or_else(bad)?;
    let content = proposal.content.as_ref().ok_or_else(bad)?;
    let size = usize::try_from(content.size).unwrap_or(usize::MAX).min(MAX_CONTENT);
    let bytes = zstd::bulk::decompress(&content.packed.0, size)
        .ok()
        .filter(|bytes| Sha256::of(bytes) == content.sha256)
        .ok_or_else(bad)?;
    // The hub may have had it before it was redacted here.
    if !inner.tags()?.marks_in(&bytes).is_empty() {
        return Err(LogError::KeptOut(path.to_text()).into());
    }
    let row = inner.read(|reader| Ok(reader.store(store)?))?;
    // What stands on disk is in the log before it is compared.
    inner.scan(&row)?;
    let live = inner.read(|reader| Ok(reader.live_at(store, &path)?))?;
    let live_sha256 = live.as_ref().and_then(|live| live.sha256);
    if live_sha256 == Some(content.sha256) {
        return Ok(Carried::Done(None));
    }
    let expected = proposal.expects.as_deref().and_then(Sha256::from_hex);
    if live_sha256 != expected {
        return Ok(Carried::Conflict);
    }
    let note = say::proposed(&proposal.id, &proposal.person, &proposal.by_name);
    let mut plan = Plan::new(Source::Api, Some(note));
    plan.steps.push(Step {
        store,
        path,
        expected,
        expected_version: live.map(|live| live.version),
        wanted: Some(Wanted { sha256: content.sha256, bytes, version: None, moved_from: None }),
        deletion: None,
    });
    plan.tidy();
    Ok(ended(&inner.carry_out(&plan, false)?))
}

fn restore_store(context: &Context<'_>, proposal: &Proposal) -> Result<Carried, ApiError> {
    let inner = context.together;
    let store = store_of(proposal)?;
    let row = inner.read(|reader| Ok(reader.store(store)?))?;
    inner.scan(&row)?;
    let at = proposal.at.clone().unwrap_or_default();
    let asked = RestoreReq { store: store.to_string(), at, dry_run: true, ..RestoreReq::default() };
    if changes_nothing(&restore(&inner.review, asked.clone())?) {
        return Ok(Carried::Done(None));
    }
    let after = proposal.expects_seq.unwrap_or(0);
    let newer = inner.read(|reader| Ok(reader.chained_versions(store, after, 1)?))?;
    if !newer.is_empty() {
        return Ok(Carried::Conflict);
    }
    Ok(ended(&restore(&inner.review, RestoreReq { dry_run: false, ..asked })?))
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "hub_proposals";
    not_packed(error) => "A content cannot be packed: {error}.",
    no_such_proposal() => "The hub has no such proposal.",
    none_waits_here() => "No proposal of this id waits for this machine.",
    list_proposals() => "`retrace hub proposals` lists them.",
    membership_damaged() => "The membership of the hub is damaged.",
    damaged_proposal() => "The proposal is damaged.",
    proposed(id, person, machine) => "{id}, proposed by {person} on {machine}",
}

retrace_message::messages! {
    /// Messages about a copy of the log.
    mod copies in "hub_copies";
    other_copy_goes_on() => "Another copy of this log goes on under the identity of this machine: the proposal may be meant for it.",
}
