//! What this machine did as an owner's: keys it ended, machines it took out, roles and policy it set. A hub whose database was put back to
//! an earlier state has lost those since. What ends something is done again by the next sync: once ended, it stays so. Of roles and
//! policy somebody may have thought otherwise since: they are named, and a person decides.
//!
//! Beside it the newest row of the hub's audit log that this machine was told of, by which the hub finds out that it was put back.

use crate::client::{Hub, HubError};
use crate::kept;
use crate::member::Member;
use crate::redactions::{Context, instant};
use crate::state::{self, Membership};
use retrace_engine::Engine;
use retrace_model::Sha256;
use retrace_sync::agents::{AgentTokenId, AgentTokens};
use retrace_sync::messages::{Clock, Done, Hello, Machines};
use retrace_sync::policy::{Policy, RemoveMachine};
use retrace_sync::restored::{Acknowledge, Restored, Seen};
use retrace_sync::roles::Role;
use retrace_wire::{
    ApiError, HubAcknowledgeReq, HubActKind, HubActLost, HubFault, HubProblem, HubRestored, HubStatus,
};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Acts that are remembered, the newest of them.
const REMEMBERED: usize = 1_000;

/// How long is told what was lost, in microseconds: thirty days.
const TOLD: i64 = 30 * 24 * 3_600 * 1_000_000;

/// One of them. What people named, as keys of agents and stores, is known by a hash or not at all: a redaction elsewhere would not
/// reach it here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Act {
    /// A key of an agent was ended: hash of its id.
    Key { sha256: String },
    /// A machine was taken out.
    Machine { id: String },
    /// A machine was given a role.
    Role { id: String, role: String },
    /// A key of the policy was set; of what is for one store, without the store.
    Policy { key: String, value: String },
}

impl Act {
    pub(crate) fn key(id: &str) -> Self {
        let id = if id.starts_with("apikey_") { id.to_owned() } else { format!("apikey_{id}") };
        Self::Key { sha256: Sha256::of(id.as_bytes()).to_hex() }
    }

    pub(crate) fn role(id: &str, role: Role) -> Self {
        Self::Role { id: id.to_owned(), role: role.to_string() }
    }

    pub(crate) fn policy(key: &str, value: &str) -> Self {
        let key = key.split('.').next().unwrap_or(key).to_owned();
        Self::Policy { key, value: value.to_owned() }
    }

    /// True where one takes the place of the other.
    fn is_about_the_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Role { id, .. }, Self::Role { id: other, .. }) => id == other,
            (Self::Policy { key, .. }, Self::Policy { key: other, .. }) => {
                key == other && key != "retention_days"
            }
            (one, other) => one == other,
        }
    }
}

/// When it was done, by the hub's clock.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Made {
    act: Act,
    at: i64,
}

/// What was lost, and when that was found.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Lost {
    made: Made,
    /// What it is called at the hub.
    about: String,
    /// True if it was done again.
    again: bool,
    found_at: i64,
}

#[derive(Default, Serialize, Deserialize)]
struct Kept {
    /// The organisation that all of it is about.
    org: String,
    #[serde(default)]
    seen: Option<Seen>,
    #[serde(default)]
    acts: Vec<Made>,
    #[serde(default)]
    lost: Vec<Lost>,
    /// The last time that the hub was found to be put back, of which this machine told.
    #[serde(default)]
    told_for: i64,
    /// The name that this machine had, of whichever organisation.
    #[serde(default)]
    name: Option<String>,
}

fn file(inner: &Engine) -> PathBuf {
    inner.options.data_dir.join("hub-acts.json")
}

fn kept(inner: &Engine) -> Result<Kept, ApiError> {
    kept::read(&file(inner))
}

/// What is kept of one organisation; of another one it means nothing.
fn kept_of(inner: &Engine, org: &str) -> Result<Kept, ApiError> {
    let kept = kept(inner)?;
    Ok(match kept.org == org {
        true => kept,
        false => Kept { org: org.to_owned(), name: kept.name, ..Kept::default() },
    })
}

fn update(inner: &Engine, org: &str, change: impl FnOnce(&mut Kept)) -> Result<(), ApiError> {
    let _held = state::hold(inner)?;
    let mut kept = kept_of(inner, org)?;
    change(&mut kept);
    let more = kept.acts.len().saturating_sub(REMEMBERED);
    kept.acts.drain(..more);
    let more = kept.lost.len().saturating_sub(REMEMBERED);
    kept.lost.drain(..more);
    kept::replace(inner, &file(inner), &kept, say::not_kept)
}

/// The row that the hub signed last.
pub(crate) fn seen(inner: &Engine, org: &str) -> Result<Option<Seen>, ApiError> {
    Ok(kept_of(inner, org)?.seen)
}

/// Keeps the row that the hub signed last; an older hub signs none.
pub(crate) fn keep_seen(inner: &Engine, org: &str, seen: Option<&Seen>) -> Result<(), ApiError> {
    let Some(seen) = seen else { return Ok(()) };
    if kept_of(inner, org)?.seen.as_ref() == Some(seen) {
        return Ok(());
    }
    update(inner, org, |kept| kept.seen = Some(seen.clone()))
}

/// Keeps the name of a machine that leaves.
pub(crate) fn keep_name(inner: &Engine, member: &Membership) -> Result<(), ApiError> {
    update(inner, &member.org, |kept| kept.name = Some(member.name.clone()))
}

/// The name that this machine had at the hub that it left.
pub(crate) fn name(inner: &Engine) -> Result<Option<String>, ApiError> {
    Ok(kept(inner)?.name)
}

/// Remembers what was done from this machine. A window has no file: what was done there is found again at other machines alone.
pub(crate) fn note(member: &Member, hub: &Hub, act: Act) -> Result<(), ApiError> {
    let Some(inner) = member.engine() else { return Ok(()) };
    let now = inner.now().micros();
    // So that the hub is known to have done it. Without the answer the next sync hears of it.
    let asked = hub.call::<Hello>("clock", &Clock { time: now });
    let seen = asked.ok().and_then(|hello| hello.seen);
    let at = seen.as_ref().map_or(now.saturating_sub(hub.skew()), |seen| seen.at);
    update(inner, hub.org_text(), |kept| {
        kept.seen = seen.or_else(|| kept.seen.take());
        kept.acts.retain(|made| !made.act.is_about_the_same(&act));
        kept.acts.push(Made { act, at });
    })
}

/// Does again what the hub lost of what this machine ended, and names the rest; once each time that the hub was put back.
pub(crate) fn tell_again(
    context: &Context<'_>,
    member: &Membership,
    restored: &Restored,
) -> Result<Option<HubProblem>, HubError> {
    let inner = context.together;
    let known = kept_of(inner, &member.org)?;
    if known.told_for == restored.found_at {
        return Ok(None);
    }
    let since = |made: &&Made| made.at > restored.kept_until && made.at <= restored.found_at;
    let made: Vec<Made> = known.acts.iter().filter(since).cloned().collect();
    let lost = if made.is_empty() { Vec::new() } else { looked_at(context.hub, made, restored.found_at)? };
    let again = lost.iter().filter(|lost| lost.again).count();
    let (named, at) = (lost.len() - again, inner.now().micros().saturating_sub(context.hub.skew()));
    let told = !lost.is_empty();
    update(inner, &member.org, |kept| {
        kept.told_for = restored.found_at;
        let is_again = |made: &Made| lost.iter().any(|lost| lost.again && lost.made.act == made.act);
        kept.acts.iter_mut().filter(|made| is_again(made)).for_each(|made| made.at = at);
        kept.lost.extend(lost.iter().cloned());
    })?;
    Ok(told.then(|| HubProblem {
        code: HubFault::Restored,
        store_id: None,
        message: say::restored(instant(restored.kept_until), again, named),
        hint: say::look_and_acknowledge(),
    }))
}

/// What of some acts is not so at the hub. What ended something is done again.
fn looked_at(hub: &Hub, made: Vec<Made>, found_at: i64) -> Result<Vec<Lost>, HubError> {
    let machines = hub.call::<Machines>("machines", &Done {})?.machines;
    let policy: Policy = hub.call("policy", &Done {})?;
    let is_key = |made: &Made| matches!(made.act, Act::Key { .. });
    let keys = match made.iter().any(is_key) {
        // A role that was taken does not see them.
        true => {
            taken(hub.call::<AgentTokens>("agent_tokens", &Done {}))?.map_or_else(Vec::new, |all| all.tokens)
        }
        false => Vec::new(),
    };
    let mut lost = Vec::new();
    for made in made {
        let there = |id: &str| machines.iter().find(|one| one.machine == *id && one.left_at.is_none());
        let (about, again) = match &made.act {
            Act::Key { sha256 } => {
                let is_it = |id: &str| Sha256::of(id.as_bytes()).to_hex() == *sha256;
                match keys.iter().find(|key| is_it(&key.id) && key.revoked_at.is_none()) {
                    None => continue,
                    Some(key) => {
                        let ask = AgentTokenId { id: key.id.clone() };
                        (
                            key.id.clone(),
                            taken(hub.call::<AgentTokens>("revoke_agent_token", &ask))?.is_some(),
                        )
                    }
                }
            }
            Act::Machine { id } if there(id).is_some() => {
                let ask = RemoveMachine { machine: id.clone() };
                (id.clone(), taken(hub.call::<Machines>("remove", &ask))?.is_some())
            }
            Act::Role { id, role } if there(id).is_some_and(|one| one.role != *role) => (id.clone(), false),
            // Of a store that is not known here nothing is compared.
            Act::Policy { key, value } if key == "retention_days" || policy.value(key) != *value => {
                (key.clone(), false)
            }
            Act::Machine { .. } | Act::Role { .. } | Act::Policy { .. } => continue,
        };
        lost.push(Lost { made, about, again, found_at });
    }
    Ok(lost)
}

/// `None` for what the hub refuses: the role may have been taken, or given back to another.
fn taken<T>(answer: Result<T, HubError>) -> Result<Option<T>, HubError> {
    match answer {
        Err(HubError::Refused { .. }) => Ok(None),
        answer => answer.map(Some),
    }
}

/// What hubs lost of it in the last thirty days.
pub(crate) fn lost(inner: &Engine) -> Result<Vec<HubActLost>, ApiError> {
    let since = inner.now().micros().saturating_sub(TOLD);
    let told = |lost: Lost| {
        let (kind, value) = match lost.made.act {
            Act::Key { .. } => (HubActKind::Key, None),
            Act::Machine { .. } => (HubActKind::Machine, None),
            Act::Role { role, .. } => (HubActKind::Role, Some(role)),
            Act::Policy { value, .. } => (HubActKind::Policy, Some(value)),
        };
        let (at, found_at) = (instant(lost.made.at), instant(lost.found_at));
        HubActLost { kind, about: lost.about, value, again: lost.again, at, found_at }
    };
    Ok(kept(inner)?.lost.into_iter().filter(|lost| lost.found_at > since).map(told).collect())
}

/// That the hub was put back, until an owner saw to it.
pub(crate) fn shown(restored: &Restored) -> Option<HubRestored> {
    (!restored.acknowledged).then(|| HubRestored {
        kept_until: instant(restored.kept_until),
        lost_until: instant(restored.lost_until),
        found_at: instant(restored.found_at),
        tokens: restored.tokens,
    })
}

/// Acknowledges, as an owner, that the hub's database was put back, or with an order that machines which left or were removed will
/// not carry it out.
///
/// # Errors
/// `not_found` when no hub is joined or it has no such order, `invalid` where there is nothing to acknowledge, `key_refused` on a
/// machine that is not an owner's, `store_unavailable`.
pub fn hub_acknowledge(member: &Member, request: HubAcknowledgeReq) -> Result<HubStatus, ApiError> {
    let hub = member.hub()?;
    let of_order = request.order.is_some();
    let about = request.order.clone().unwrap_or_else(|| "restored".to_owned());
    let _: Done = hub.ask_about("acknowledge", &Acknowledge { order: request.order }, &about)?;
    if let Some(inner) = member.engine() {
        if !of_order {
            state::update_all(inner, |member| {
                if let Some(restored) = member.waiting.as_mut().and_then(|kept| kept.what.restored.as_mut()) {
                    restored.acknowledged = true;
                }
            })?;
        }
        inner.stores_changed();
    }
    member.status()
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "hub_acts";
    not_kept(error) => "What was done at the hub cannot be written down: {error}.",
    restored(kept, again, named) => "The hub's database was put back to its state of {kept}: what was ended, removed or set since may be as it was. Done again from this machine: {again}; to look at: {named}.",
    look_and_acknowledge() => "`retrace hub status` names them. Look at `retrace hub machines`, `retrace hub agent-tokens` and `retrace hub policy`; then `retrace hub acknowledge`.",
}
