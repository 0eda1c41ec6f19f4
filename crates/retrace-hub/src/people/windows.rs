//! Signing a person in, in a window that has no token: the provider says who it is, a start of the hub which role that gives.

use super::{Outcome, Person, Provider, ask_provider, keep, the_provider};
use crate::Failure;
use crate::audit;
use crate::database::now;
use crate::requests::{self, Caller};
use crate::routes::Hub;
use retrace_model::MachineId;
use retrace_sync::messages::{self as m, Bytes, Joined};
use retrace_sync::people::{
    SignInBegun, SignInState, WindowHello, WindowSignIn, WindowSignedIn, window_name,
};
use retrace_sync::roles::Role;
use retrace_sync::sign::machine_of;

/// The provider, and the role of a window, where people sign in without a token.
async fn offered(hub: &Hub) -> Result<Option<(Provider, Role)>, Failure> {
    let provider = the_provider(hub, hub.database.org()).await?;
    Ok(provider.and_then(|provider| provider.window_role.map(|role| (provider, role))))
}

fn not_offered() -> Failure {
    Failure::refused(m::NOT_FOUND, "Nobody signs in at this hub without a token of an owner.")
}

/// What a window is told in which nobody signed in yet.
pub(crate) async fn window_hello(hub: &Hub) -> Result<WindowHello, Failure> {
    Ok(WindowHello { sign_in: offered(hub).await?.is_some() })
}

fn machine(request: &WindowSignIn) -> Result<MachineId, Failure> {
    let key = &request.public_key.0;
    if key.len() == 32 { Ok(machine_of(key)) } else { Err(requests::invalid("This is not a key.")) }
}

/// Begins to sign a person in.
pub(crate) async fn window_sign_in(hub: &Hub, request: WindowSignIn) -> Result<SignInBegun, Failure> {
    let place = (hub.database.org(), machine(&request)?);
    let (provider, _) = offered(hub).await?.ok_or_else(not_offered)?;
    match ask_provider(hub, place, provider, true, || Ok(String::new())).await? {
        Outcome::Begun(begun) => Ok(begun),
        _ => Err(Failure::Machine("a sign-in did not begin".into())),
    }
}

/// Asks how a sign-in stands. Once the person signed in, the window is registered, and ends with the sign-in.
pub(crate) async fn finish_window(hub: &Hub, request: WindowSignIn) -> Result<WindowSignedIn, Failure> {
    let (org, machine) = (hub.database.org(), machine(&request)?);
    let (provider, role) = offered(hub).await?.ok_or_else(not_offered)?;
    let ends_at = now().saturating_add(provider.lasts);
    let outcome = ask_provider(hub, (org, machine), provider, false, || Ok(request.handle)).await?;
    let person = match &outcome {
        Outcome::Verified { person, .. } => Person { key: person.key.to_vec(), shown: person.shown.clone() },
        Outcome::Waiting { slower } => {
            let state = SignInState { signed_in: None, slower: *slower };
            return Ok(WindowSignedIn { state, joined: None });
        }
        Outcome::Begun(_) => return Err(Failure::Machine("a sign-in began twice".into())),
    };
    let name = window_name(&person.shown);
    let public_key = request.public_key.0;
    let caller = Caller { org, machine, public_key, role, person: None, verified: None, is_window: true };
    let scoped = hub.database.scoped(org).await?;
    requests::register(&scoped, &caller, &name, Some(ends_at), true).await?;
    audit::note(&scoped, &caller.clone().with(Some(person)), "join", role.as_str()).await?;
    let state = keep(&scoped, &caller, outcome).await?;
    scoped.commit().await?;
    let state =
        serde_json::from_value(state).map_err(|_| Failure::Machine("an answer cannot be written".into()))?;
    let joined = Joined {
        org: org.to_string(),
        machine: machine.to_string(),
        role: role.to_string(),
        hub_key: Bytes(hub.keys.signing.public()),
        ends_at: Some(ends_at),
        name: Some(name),
    };
    Ok(WindowSignedIn { state, joined: Some(joined) })
}
