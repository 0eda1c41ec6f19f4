//! Signing a person in at the identity provider of the hub's organisation, and out again.

use crate::member::Member;
use retrace_model::Timestamp;
use retrace_outbound::presentable;
use retrace_sync::messages::Done;
use retrace_sync::people::{FinishSignIn, SignInBegun, SignInState, SignedIn};
use retrace_wire::{ApiError, HubPerson, HubSignIn, HubSignInReq, HubSignInState, HubStatus, Nothing};

fn instant(at: i64) -> String {
    Timestamp::from_micros(at).to_rfc3339()
}

/// A person, as it is shown.
pub(crate) fn shown_person(person: SignedIn) -> HubPerson {
    HubPerson {
        person: person.person,
        name: person.name,
        issuer: person.issuer,
        ends_at: instant(person.ends_at),
    }
}

/// Begins to sign a person in: tells where they go and what they enter there.
///
/// # Errors
/// `not_found` when no hub is joined or it has no identity provider, `store_unavailable` when hub or provider are not reached,
/// `key_refused`.
pub fn hub_sign_in(member: &Member, _: Nothing) -> Result<HubSignIn, ApiError> {
    let hub = member.hub()?;
    let begun: SignInBegun = hub.ask("sign_in", &Done {})?;
    Ok(shown_sign_in(begun))
}

/// A sign-in that began, as it is shown.
pub(crate) fn shown_sign_in(begun: SignInBegun) -> HubSignIn {
    let shown = |text: String| presentable(&text, &[]);
    HubSignIn {
        verification_uri: shown(begun.verification_uri),
        verification_uri_complete: begun.verification_uri_complete.map(shown),
        user_code: shown(begun.user_code),
        interval_seconds: u32::try_from(begun.interval).unwrap_or(u32::MAX),
        expires_at: instant(begun.expires_at),
        handle: begun.handle,
    }
}

/// Asks whether the person answered; where they did, they are signed in on this machine from now on.
///
/// # Errors
/// `not_found` when no hub is joined, `key_refused` where the person did not allow it, its time is over or the provider is not
/// believed, `store_unavailable`.
pub fn hub_finish_sign_in(member: &Member, request: HubSignInReq) -> Result<HubSignInState, ApiError> {
    let hub = member.hub()?;
    let ask = FinishSignIn { handle: request.handle };
    let state: SignInState = hub.ask("finish_sign_in", &ask)?;
    if let Some(person) = &state.signed_in {
        member.keep_person(Some(person))?;
    }
    Ok(HubSignInState { signed_in: state.signed_in.map(shown_person), slower: state.slower })
}

/// Signs the person out of this machine, here and at the hub.
///
/// # Errors
/// `not_found` when no hub is joined, `store_unavailable`, `key_refused`.
pub fn hub_sign_out(member: &Member, _: Nothing) -> Result<HubStatus, ApiError> {
    let hub = member.hub()?;
    let _: Done = hub.ask("sign_out", &Done {})?;
    member.keep_person(None)?;
    member.status()
}
