//! Policy, roles, machines and audit log of the hub.

use crate::acts::{self, Act};
use crate::client::{Hub, HubError};
use crate::member::Member;
use crate::people::shown_person;
use crate::redactions::Context;
use crate::state;
use retrace_engine::asked::Asked;
use retrace_engine::target::time as time_of;
use retrace_engine::{Engine, asked};
use retrace_model::Timestamp;
use retrace_review::{is_known_rule, known_rules};
use retrace_sync::messages::{Done, Machine, Machines, RefusedCopy};
use retrace_sync::policy::{
    AuditPage, AuditRow, ListAudit, Policy, PolicySet, RemoveMachine, SetPolicy, SetRole, Transcripts,
};
use retrace_sync::roles::Role;
use retrace_wire::{
    ApiError, Code, HubAsked, HubAudit, HubAuditReq, HubAuditRow, HubMachine, HubMachineRef, HubMachines,
    HubPolicy, HubPolicyReq, HubRefusedCopy, HubRole, HubRoleReq, Nothing,
};

/// Rows of a page where no number is asked for.
const PAGE: u32 = 500;

fn time(at: i64) -> String {
    Timestamp::from_micros(at).to_rfc3339()
}

/// The role in the protocol.
pub(crate) fn role_of(role: HubRole) -> Role {
    match role {
        HubRole::Owner => Role::Owner,
        HubRole::Reviewer => Role::Reviewer,
        HubRole::Writer => Role::Writer,
        HubRole::Auditor => Role::Auditor,
    }
}

pub(crate) fn shown_role(role: &str) -> HubRole {
    match Role::parse(role) {
        Some(Role::Owner) => HubRole::Owner,
        Some(Role::Reviewer) => HubRole::Reviewer,
        Some(Role::Auditor) => HubRole::Auditor,
        // A newer hub may have more roles; the one with which a machine only sends is the least to claim.
        Some(Role::Writer) | None => HubRole::Writer,
    }
}

fn shown_policy(policy: Policy) -> HubPolicy {
    HubPolicy {
        two_person_redaction: policy.two_person_redaction,
        retention_days: policy.retention_days,
        transcripts: match policy.transcripts {
            Transcripts::Nothing => "nothing",
            Transcripts::Metadata => "metadata",
            Transcripts::Everything => "everything",
        }
        .to_owned(),
        required_rules: policy.required_rules,
        note: None,
    }
}

/// The policy of the organisation.
///
/// # Errors
/// `not_found` when no hub is joined, `store_unavailable`, `key_refused`.
pub fn hub_policy(member: &Member, _: Nothing) -> Result<HubPolicy, ApiError> {
    let hub = member.hub()?;
    let policy: Policy = hub.ask("policy", &Done {})?;
    Ok(shown_policy(policy))
}

/// What the organisation asked of this machine at its last sync, as it is shown.
pub(crate) fn asked_view(asked: &Asked) -> HubAsked {
    HubAsked {
        required_rules: asked.required_rules.clone(),
        transcripts: asked.transcripts.clone(),
        at: time(asked.at),
    }
}

/// Learns what the organisation asks of this machine. What is not known here yet is told by the next sync.
pub(crate) fn learn(context: &Context<'_>) -> Result<(), HubError> {
    let policy: Policy = context.hub.call("policy", &Done {})?;
    let engine: &Engine = context.together;
    let shown = shown_policy(policy);
    let asked = Asked {
        by: state::joined(engine)?.url,
        at: engine.now().micros(),
        required_rules: shown.required_rules,
        transcripts: shown.transcripts,
    };
    Ok(asked::keep(engine, &asked)?)
}

/// What of transcripts this machine may send to the hub that it joined: nothing without one, and nothing before its policy was
/// heard. Whoever sends of a transcript asks this first.
///
/// # Errors
/// A failure of the file that keeps it.
pub fn may_send_of_transcripts(engine: &Engine) -> Result<Transcripts, ApiError> {
    if state::membership(engine)?.is_none() {
        return Ok(Transcripts::Nothing);
    }
    Ok(match asked::read(&engine.options.data_dir)?.map(|asked| asked.transcripts).as_deref() {
        Some("everything") => Transcripts::Everything,
        Some("metadata") => Transcripts::Metadata,
        // A newer hub may say another word: the least is taken.
        _ => Transcripts::Nothing,
    })
}

/// Refuses rules that this program does not know: every machine would pass them over, and nobody would be told.
fn refuse_unknown(rules: &str) -> Result<(), ApiError> {
    let named = rules.split(',').map(str::trim).filter(|rule| !rule.is_empty() && *rule != "none");
    match named.into_iter().find(|rule| !is_known_rule(rule)) {
        None => Ok(()),
        Some(unknown) => {
            let known = known_rules().join(", ");
            Err(ApiError::invalid(say::no_such_rule(unknown), unknown).hint(say::known_rules(known)))
        }
    }
}

/// Changes one key of the policy. The audit log of the hub keeps what was so before.
///
/// # Errors
/// `not_found` when no hub is joined, `invalid` for a key or value that there is not, `content_redacted` for one that holds what was
/// redacted here, `key_refused` on a machine that is not an owner's, `store_unavailable`.
pub fn hub_set_policy(member: &Member, request: HubPolicyReq) -> Result<HubPolicy, ApiError> {
    let hub = member.hub()?;
    let HubPolicyReq { key, value } = request;
    // The audit log would keep it for good.
    member.refuse_redacted("key", Some(&key))?;
    member.refuse_redacted("value", Some(&value))?;
    if key == "required_rules" {
        refuse_unknown(&value)?;
    }
    let set: PolicySet = hub.ask_about("set_policy", &SetPolicy { key: key.clone(), value }, &key)?;
    acts::note(member, &hub, Act::policy(&key, &set.policy.value(&key)))?;
    let note = set.no_store.as_deref().map(say::no_such_store_yet);
    Ok(HubPolicy { note, ..shown_policy(set.policy) })
}

/// A copy of a machine that was refused, as it is shown.
pub(crate) fn shown_copy(copy: RefusedCopy) -> HubRefusedCopy {
    let RefusedCopy { at, store, store_name, seq } = copy;
    HubRefusedCopy { at: time(at), store, store_name, seq }
}

fn shown_machines(hub: &Hub, machines: Machines) -> HubMachines {
    let shown = |machine: Machine| HubMachine {
        is_this: machine.machine == hub.machine(),
        machine: machine.machine,
        name: machine.name,
        role: shown_role(&machine.role),
        joined_at: time(machine.joined_at),
        seen_at: time(machine.seen_at),
        skew_seconds: machine.skew / 1_000_000,
        left_at: machine.left_at.map(time),
        removed_at: machine.removed_at.map(time),
        window_ends_at: machine.ends_at.map(time),
        signed_in: machine.signed_in.map(shown_person),
        copy: machine.copy.map(shown_copy),
    };
    HubMachines { machines: machines.machines.into_iter().map(shown).collect(), sign_in: machines.sign_in }
}

/// The machines of the organisation, by name.
///
/// # Errors
/// `not_found` when no hub is joined, `store_unavailable`, `key_refused`.
pub fn hub_machines(member: &Member, _: Nothing) -> Result<HubMachines, ApiError> {
    let hub = member.hub()?;
    let machines: Machines = hub.ask("machines", &Done {})?;
    Ok(shown_machines(&hub, machines))
}

/// The id of a machine that is named by it, or by its name where no other has that. Windows have names of their own.
pub(crate) fn machine_named(hub: &Hub, named: &str) -> Result<String, ApiError> {
    let machines: Machines = hub.ask("machines", &Done {})?;
    let mut found: Vec<Machine> = machines.machines;
    found.retain(|machine| machine.machine == named || (machine.name == named && machine.left_at.is_none()));
    if found.iter().any(|machine| machine.ends_at.is_none()) {
        found.retain(|machine| machine.ends_at.is_none());
    }
    let mut found = found.into_iter();
    let machine = found
        .next()
        .ok_or_else(|| ApiError::new(Code::NotFound, say::no_machine(), named).hint(say::list_machines()))?;
    if found.next().is_some() {
        return Err(ApiError::invalid(say::several_machines(), named).hint(say::list_machines()));
    }
    Ok(machine.machine)
}

/// Gives a machine another role. One that gives itself another knows it without a sync.
///
/// # Errors
/// `not_found` when no hub is joined or it has no such machine, `invalid` for the last owner, `key_refused` on a machine that is
/// not an owner's, `store_unavailable`.
pub fn hub_set_role(member: &Member, request: HubRoleReq) -> Result<HubMachines, ApiError> {
    let hub = member.hub()?;
    let machine = machine_named(&hub, &request.machine)?;
    let ask = SetRole { machine, role: role_of(request.role) };
    let machines: Machines = hub.ask_about("role", &ask, &request.machine)?;
    acts::note(member, &hub, Act::role(&ask.machine, ask.role))?;
    if ask.machine == hub.machine() {
        member.keep_role(ask.role)?;
    }
    Ok(shown_machines(&hub, machines))
}

/// Takes a machine out of the organisation. What it sent stays; its key is never taken again.
///
/// # Errors
/// `not_found` when no hub is joined or it has no such machine, `invalid` for the last owner, `key_refused` on a machine that is
/// not an owner's, `store_unavailable`.
pub fn hub_remove_machine(member: &Member, request: HubMachineRef) -> Result<HubMachines, ApiError> {
    let hub = member.hub()?;
    let machine = machine_named(&hub, &request.machine)?;
    let ask = RemoveMachine { machine };
    let machines: Machines = hub.ask_about("remove", &ask, &request.machine)?;
    acts::note(member, &hub, Act::Machine { id: ask.machine })?;
    Ok(shown_machines(&hub, machines))
}

/// A page of the audit log of the hub: who did and saw what.
///
/// # Errors
/// `not_found` when no hub is joined, `invalid` for what is no time, `key_refused` on a machine that is neither an owner's nor an
/// auditor's, `store_unavailable`.
pub fn hub_audit(member: &Member, request: HubAuditReq) -> Result<HubAudit, ApiError> {
    let since = request.since.as_deref().map(time_of).transpose()?;
    let hub = member.hub()?;
    let ask = ListAudit {
        since: since.map(|since| since.micros()),
        after: request.after.unwrap_or(0),
        newest_first: request.newest_first,
        limit: u64::from(request.limit.unwrap_or(PAGE)),
    };
    let page: AuditPage = hub.ask("audit", &ask)?;
    Ok(HubAudit { rows: page.rows.into_iter().map(shown_row).collect(), next: page.next })
}

fn shown_row(row: AuditRow) -> HubAuditRow {
    HubAuditRow {
        seq: row.seq,
        at: time(row.at),
        machine: row.machine,
        machine_name: row.machine_name,
        person: row.person,
        verified: row.verified,
        action: row.action,
        subject: row.subject,
        before: row.before,
        after: row.after,
        outcome: row.outcome,
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "hub_policy";
    no_such_rule(rule) => "There is no rule and no group of rules called \"{rule}\".",
    known_rules(rules) => "There are: {rules}. The word before the stroke names a group.",
    no_such_store_yet(store) => "The hub has no store called \"{store}\" now. It holds for one of this name that comes later.",
    no_machine() => "The hub has no such machine.",
    several_machines() => "Several machines have this name.",
    list_machines() => "`retrace hub machines` lists them with their ids.",
}
