//! What a hub was told beside versions, and whether it still knows.
//!
//! A hub whose database was restored from a backup may have every version and lack what came beside them: what is left to review,
//! projects, sessions, approvals. Each sync ends with a hash of all that; the next one begins with the hub giving it back.

use crate::client::HubError;
use crate::kept;
use crate::redactions::Context;
use crate::said;
use crate::state::{self, Membership};
use retrace_engine::Engine;
use retrace_model::Sha256;
use retrace_sync::messages::{Done, INVALID, NOT_ALLOWED, NOT_FOUND, Told};
use retrace_sync::together::{Approve, Approved};
use retrace_wire::{ApiError, Code};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Approvals that are remembered, the newest of them.
const REMEMBERED: usize = 1_000;

/// Approvals of which the hub has no version, that are tried again; of more the oldest are forgotten.
const TRIED_AGAIN: usize = 100;

/// Versions that were approved on this machine, by their names at the hub. No text is among them.
#[derive(Default, Serialize, Deserialize)]
struct Approvals {
    /// So many of the first were there when a sync came to its end.
    confirmed: usize,
    versions: Vec<String>,
}

fn file(inner: &Engine) -> PathBuf {
    inner.options.data_dir.join("hub-approved.json")
}

fn approvals(inner: &Engine) -> Result<Approvals, ApiError> {
    kept::read(&file(inner))
}

fn save(inner: &Engine, mut approvals: Approvals) -> Result<(), ApiError> {
    let more = approvals.versions.len().saturating_sub(REMEMBERED);
    approvals.versions.drain(..more);
    approvals.confirmed = approvals.confirmed.saturating_sub(more);
    kept::replace(inner, &file(inner), &approvals, say::not_kept)
}

/// Remembers what was approved here, until the hub is known to have it for good.
pub(crate) fn note_approved(inner: &Engine, versions: &[String]) -> Result<(), ApiError> {
    let _held = state::hold(inner)?;
    let mut known = approvals(inner)?;
    known.versions.extend(versions.iter().cloned());
    save(inner, known)
}

/// Forgets what was approved here: of another hub it means nothing.
pub(crate) fn forget(inner: &Engine) -> Result<(), ApiError> {
    state::remove(&file(inner))
}

/// A hash of what the hub was told and of what was taken from it.
fn digest(inner: &Engine, member: &Membership) -> Result<Sha256, ApiError> {
    let stores: Vec<_> =
        member.stores.iter().map(|(id, state)| (id, &state.left, &state.project, &state.withdrawn)).collect();
    let all = (stores, &member.shared, member.decided, approvals(inner)?.versions, said::known(inner)?);
    let text = serde_json::to_vec(&all)
        .map_err(|error| ApiError::new(Code::Internal, say::not_kept(error.to_string()), "hub.json"))?;
    Ok(Sha256::of(&text))
}

/// Where the hub does not give back what it was told last, all of that is told again, and reviews are asked for again.
pub(crate) fn compare(inner: &Engine, at_hub: Option<&str>) -> Result<(), ApiError> {
    let told = state::joined(inner)?.told;
    match (told, at_hub) {
        (Some(told), Some(at_hub)) if told != at_hub => tell_again(inner),
        _ => Ok(()),
    }
}

/// Forgets what the hub was told beside versions and redactions, so that it is told all of it again.
pub(crate) fn tell_again(inner: &Engine) -> Result<(), ApiError> {
    {
        let _held = state::hold(inner)?;
        let known = approvals(inner)?;
        if known.confirmed > 0 {
            save(inner, Approvals { confirmed: 0, ..known })?;
        }
    }
    said::ask_again(inner)?;
    state::update_all(inner, |member| {
        member.decided = 0;
        member.shared = None;
        for state in member.stores.values_mut() {
            (state.left, state.project) = (None, None);
            // Where nothing is taken back now, the hub may still say so of something.
            state.withdrawn = Some(String::new());
        }
    })
}

/// Approves again what no sync found at the hub since. There it is no second approval.
pub(crate) fn approve_again(context: &Context<'_>) -> Result<(), HubError> {
    let inner = context.together;
    let known = approvals(inner)?;
    let open = known.versions.get(known.confirmed..).unwrap_or_default();
    if open.is_empty() {
        return Ok(());
    }
    let person = inner.options.user.clone();
    let ask = |versions: Vec<String>| -> Result<Approved, HubError> {
        context.hub.call("approve", &Approve { versions, person: person.clone() })
    };
    let mut unknown = Vec::new();
    if ask(open.to_vec()).is_err() {
        // One of them is not there, or may not be approved: each by itself.
        for version in open {
            match ask(vec![version.clone()]) {
                Err(HubError::Refused { kind, .. }) if kind == NOT_FOUND => unknown.push(version.clone()),
                Err(HubError::Refused { kind, .. }) if [NOT_ALLOWED, INVALID].contains(&kind.as_str()) => {}
                answer => drop(answer?),
            }
        }
    }
    let _held = state::hold(inner)?;
    // More may have been approved meanwhile.
    let now = approvals(inner)?;
    let added = now.versions.get(known.versions.len()..).unwrap_or_default().to_vec();
    let mut versions: Vec<String> =
        known.versions.into_iter().filter(|version| !unknown.contains(version)).collect();
    let confirmed = versions.len();
    let passed = unknown.len().saturating_sub(TRIED_AGAIN);
    versions.extend(unknown.into_iter().skip(passed).chain(added));
    Ok(save(inner, Approvals { confirmed, versions })?)
}

/// Ends a sync of all stores: the hub keeps the hash of what it knows of this machine now. `at_hub` is what it said at the beginning.
pub(crate) fn end(context: &Context<'_>, at_hub: Option<&str>) -> Result<(), HubError> {
    let inner = context.together;
    let Some(at_hub) = at_hub else { return Ok(()) };
    let member = state::joined(inner)?;
    let digest = digest(inner, &member)?;
    let told = digest.to_hex();
    if at_hub != told {
        let _: Done = context.hub.call("told", &Told { digest })?;
    }
    if member.told.as_ref() != Some(&told) {
        state::update_all(inner, |member| member.told = Some(told))?;
    }
    Ok(())
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "hub_told";
    not_kept(error) => "What the hub was told cannot be written down: {error}.",
}
