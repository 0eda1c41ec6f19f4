//! What is redacted here and stands on other machines alone.
//!
//! A secret that nothing here holds is known by its tag from then on, as one that was found: the next sync looks for it at the hub.

use crate::{Together, state};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retrace_model::VersionId;
use retrace_sync::roles::{Right, Role, allows};
use retrace_sync::together::SHORTEST;
use retrace_wire::{ActResult, ApiError, Code, RedactReq};
use std::sync::Arc;

/// Takes versions out of history: content, path, size and hash go; who, when, why and what kind of change stay. An exact secret that
/// nothing on a machine of a hub holds is looked for by its next sync in what the hub has of the other machines.
///
/// # Errors
/// `invalid` for a bad selection or a reason that holds the secret, `not_found` when nothing matches and no hub is searched,
/// `store_unavailable`. A purge that another process holds up is pending in the receipt, not an error.
pub fn redact(together: &Arc<Together>, request: RedactReq) -> Result<ActResult, ApiError> {
    let error = match retrace_redact::redact(&together.redactions, request.clone()) {
        Err(error) if error.code == Code::NotFound => error,
        ended => return ended,
    };
    let Some(member) = state::membership(together).ok().flatten() else { return Err(error) };
    if request.versions.contains(&error.subject) {
        // A number is one of the log here.
        let is_id = VersionId::parse(&error.subject).is_ok();
        return Err(if is_id { error.hint(say::version_elsewhere()) } else { error });
    }
    // A store or a place was named: nothing else is meant. All other errors of this kind are about no such thing.
    if request.store.is_some() || !error.subject.is_empty() {
        return Err(error);
    }
    if request.find.is_some() {
        return Err(error.hint(say::secret_is_searched()));
    }
    let secret = request.secret_base64.as_ref().and_then(|text| STANDARD.decode(text).ok());
    let Some(secret) = secret else { return Err(error) };
    if (secret.len() as u64) < SHORTEST {
        return Err(error.hint(say::short_is_not_searched()));
    }
    if !Role::parse(&member.role).is_some_and(|role| allows(role, Right::ReadContent)) {
        return Err(error.hint(say::role_does_not_search()));
    }
    let mut result = match request.dry_run {
        true => ActResult { dry_run: true, ..ActResult::default() },
        false => retrace_redact::redact_elsewhere(&together.redactions, request)?,
    };
    result.warnings.insert(0, if result.dry_run { say::would_be_searched() } else { say::searched_next() });
    Ok(result)
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "hub_elsewhere";
    searched_next() => "Nothing on this machine holds it. `retrace sync` looks for it in what the hub has of other machines, and orders each that holds it to redact it.",
    would_be_searched() => "Nothing on this machine holds it. Redacted here, it would be looked for by the next sync in what the hub has of other machines.",
    secret_is_searched() => "The hub was not searched: it is searched for an exact secret alone, with `--secret-file`.",
    short_is_not_searched() => "The hub was not searched: a secret of fewer than 12 bytes is redacted on the machine that has it.",
    role_does_not_search() => "The hub was not searched: this machine's role does not read contents of others. Redact it on a machine of an owner or a reviewer, or on the one that has it.",
    version_elsewhere() => "A version of another machine is redacted there, by `retrace redact` with its id. What `retrace redact --secret-file` takes out here is looked for on all machines.",
}
