//! People: the identity provider of the organisation, and who is signed in on which machine.
//!
//! The hub is the provider's client in the device authorization grant. What a machine is given to finish a sign-in is sealed for
//! that machine under the key file, so that no process keeps anything in itself; the ID token comes from the provider to the hub,
//! is read, and is gone. Which provider is believed stands in the database, written by a start of the hub: all processes have one.

mod provider;
mod token;
mod windows;

use crate::Failure;
use crate::audit;
use crate::database::{Database, Scoped, now};
use crate::requests::Caller;
use crate::routes::Hub;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use provider::{Asked, Polled, ProviderError};
use retrace_model::{MachineId, OrgId};
use retrace_outbound::canonical_base_url;
use retrace_sync::messages as m;
use retrace_sync::people::{FinishSignIn, SignInBegun, SignInState, SignedIn};
use retrace_sync::roles::Role;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use token::{Expected, Verified};
use tokio::sync::Semaphore;
pub(crate) use windows::{finish_window, window_hello, window_sign_in};

/// Calls of the provider that one process makes at once. Each has a thread; what is beyond is refused and not kept waiting.
const AT_ONCE: usize = 8;

/// Seconds between two questions of a machine, at least and at most.
const INTERVAL: (u64, u64) = (1, 60);

/// Longest time that a sign-in may take, in seconds.
const LONGEST: u64 = 1_800;

/// Microseconds of an hour.
const HOUR: i64 = 3_600 * 1_000_000;

/// Most hours that a sign-in may last: thirty days.
pub const MAX_HOURS: u32 = 720;

/// What a start of the hub says about people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum People {
    /// Nothing: the database says.
    #[default]
    AsBefore,
    /// No provider from now on: a person is who the machine says.
    NoProvider,
    /// This provider from now on.
    Of(ProviderOptions),
}

/// An identity provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderOptions {
    /// Its issuer, exactly as it names itself.
    pub issuer: String,
    /// The client as which the hub is registered there.
    pub client_id: String,
    /// Domains of verified addresses that are taken; all people of the provider where empty.
    pub domains: Vec<String>,
    /// Hours that a sign-in lasts.
    pub hours: u32,
    /// The role of a window in which a person signs in without a token; none where that is not offered.
    pub window_role: Option<Role>,
}

/// What a process has beside the database.
pub(crate) struct Door {
    /// The client's secret, where the provider wants one.
    secret: Option<String>,
    at_once: Semaphore,
}

impl Door {
    /// Reads the file of the client's secret.
    pub(crate) fn of(secret_file: Option<&PathBuf>) -> Result<Self, Failure> {
        let secret = secret_file
            .map(|file| {
                let refuse = |why: String| Failure::SecretFile(file.display().to_string(), why);
                let text = std::fs::read_to_string(file).map_err(|error| refuse(error.to_string()))?;
                let secret = text.trim().to_owned();
                if secret.is_empty() { Err(refuse("it is empty".to_owned())) } else { Ok(secret) }
            })
            .transpose()?;
        Ok(Self { secret, at_once: Semaphore::new(AT_ONCE) })
    }
}

/// The provider, as the database has it.
#[derive(Clone)]
pub(crate) struct Provider {
    issuer: String,
    client_id: String,
    domains: Vec<String>,
    lasts: i64,
    window_role: Option<Role>,
}

/// A person who is signed in on the machine that asks.
#[derive(Clone, Debug)]
pub(crate) struct Person {
    /// The same on every machine.
    pub(crate) key: Vec<u8>,
    pub(crate) shown: String,
}

/// What a machine is given to finish a sign-in, before it is sealed.
#[derive(Serialize, Deserialize)]
struct Begun {
    issuer: String,
    client_id: String,
    device_code: String,
    nonce: String,
    began: i64,
    ends: i64,
}

/// What was asked of the provider, before the transaction of the request.
pub(crate) enum Outcome {
    Begun(SignInBegun),
    Waiting { slower: bool },
    Verified { provider: Provider, person: Verified },
}

/// Writes into the database what a start says, and notes a change of it.
pub(crate) async fn settle(database: &Database, org: OrgId, people: &People) -> Result<(), Failure> {
    let wanted = match people {
        People::AsBefore => return Ok(()),
        People::NoProvider => None,
        People::Of(options) => Some(checked(options)?),
    };
    let scoped = database.as_owner(org).await?;
    let before = provider_of(&scoped, org).await?;
    let client = scoped.client()?;
    client.execute("DELETE FROM provider WHERE org = $1", &[&&org.0[..]]).await?;
    if let Some(provider) = &wanted {
        client
            .execute(
                "INSERT INTO provider (org, issuer, client_id, domains, lasts, changed_at, window_role)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
                &[
                    &&org.0[..],
                    &provider.issuer,
                    &provider.client_id,
                    &provider.domains,
                    &provider.lasts,
                    &now(),
                    &provider.window_role.map(Role::as_str),
                ],
            )
            .await?;
    }
    let (before, after) = (describe(before.as_ref()), describe(wanted.as_ref()));
    if before != after {
        audit::note_change_of_hub(&scoped, org, "provider", &before, &after).await?;
    }
    scoped.commit().await
}

fn describe(provider: Option<&Provider>) -> String {
    let Some(Provider { issuer, client_id, domains, lasts, window_role }) = provider else {
        return "none".to_owned();
    };
    let domains = if domains.is_empty() { "any".to_owned() } else { domains.join(",") };
    let windows = window_role.map(|role| format!(" windows:{role}")).unwrap_or_default();
    format!("{issuer} {client_id} {domains} {}{windows}", lasts / HOUR)
}

fn checked(options: &ProviderOptions) -> Result<Provider, Failure> {
    let bad = |why: &str| Failure::Provider(why.to_owned());
    // The issuer is compared letter by letter with what tokens say: it is kept as it was given.
    canonical_base_url(&options.issuer).map_err(|error| bad(&error.to_string()))?;
    Asked { issuer: &options.issuer, client_id: "", secret: None }
        .is_callable()
        .map_err(|_| bad("it is neither https nor http on this machine"))?;
    if options.client_id.trim().is_empty() || options.client_id.chars().any(char::is_control) {
        return Err(bad("the id of the client is missing"));
    }
    if options.hours == 0 || options.hours > MAX_HOURS {
        return Err(bad("a sign-in lasts 1 to 720 hours"));
    }
    let domain = |domain: &String| domain.trim().trim_start_matches('@').to_lowercase();
    let domains: Vec<String> = options.domains.iter().map(domain).collect();
    if domains.iter().any(|domain| domain.is_empty() || domain.contains(['@', ' ', ','])) {
        return Err(bad("a domain is a name such as example.com"));
    }
    if options.window_role == Some(Role::Owner) {
        return Err(bad("nobody becomes an owner by signing in"));
    }
    let (issuer, client_id) = (options.issuer.clone(), options.client_id.trim().to_owned());
    let (lasts, window_role) = (i64::from(options.hours) * HOUR, options.window_role);
    Ok(Provider { issuer, client_id, domains, lasts, window_role })
}

/// The provider of the organisation, where it has one.
pub(crate) async fn provider_of(scoped: &Scoped, org: OrgId) -> Result<Option<Provider>, Failure> {
    let row = scoped
        .client()?
        .query_opt(
            "SELECT issuer, client_id, domains, lasts, window_role FROM provider WHERE org = $1",
            &[&&org.0[..]],
        )
        .await?;
    Ok(row.map(|row| Provider {
        issuer: row.get(0),
        client_id: row.get(1),
        domains: row.get(2),
        lasts: row.get(3),
        window_role: row.get::<_, Option<String>>(4).and_then(|role| Role::parse(&role)),
    }))
}

/// What a request has to ask of the provider, asked: `None` for all but those about signing in. No connection to the database is
/// held meanwhile.
pub(crate) async fn ask(
    hub: &Hub,
    caller: &Caller,
    name: &str,
    body: &[u8],
) -> Result<Option<Outcome>, Failure> {
    if !["sign_in", "finish_sign_in"].contains(&name) {
        return Ok(None);
    }
    let provider = the_provider(hub, caller.org)
        .await?
        .ok_or_else(|| Failure::refused(m::NOT_FOUND, "This hub has no identity provider to sign in at."))?;
    ask_provider(hub, (caller.org, caller.machine), provider, name == "sign_in", || {
        let request: FinishSignIn = crate::routes::read(body)?;
        Ok(request.handle)
    })
    .await
    .map(Some)
}

async fn the_provider(hub: &Hub, org: OrgId) -> Result<Option<Provider>, Failure> {
    let scoped = hub.database.scoped(org).await?;
    let provider = provider_of(&scoped, org).await?;
    scoped.commit().await?;
    Ok(provider)
}

/// Begins to sign somebody in on a machine, or asks how what its handle names stands.
async fn ask_provider(
    hub: &Hub,
    place: (OrgId, MachineId),
    provider: Provider,
    begins: bool,
    handle: impl FnOnce() -> Result<String, Failure>,
) -> Result<Outcome, Failure> {
    let Ok(_place) = hub.people.at_once.try_acquire() else {
        return Err(Failure::refused(m::UNAVAILABLE, "Too many people sign in at this moment."));
    };
    if begins { begin(hub, place, provider).await } else { finish(hub, place, provider, &handle()?).await }
}

/// The text by which a sealed sign-in belongs to one machine of one organisation.
fn about((org, machine): (OrgId, MachineId)) -> Vec<u8> {
    [&b"retrace.hub.sign_in.1\0"[..], &org.0, &machine.0].concat()
}

/// Asks the provider on a thread of its own.
async fn on_thread<T: Send + 'static>(
    hub: &Hub,
    provider: &Provider,
    call: impl FnOnce(Asked<'_>) -> Result<T, ProviderError> + Send + 'static,
) -> Result<T, Failure> {
    let (provider, secret) = (provider.clone(), hub.people.secret.clone());
    let asked = move || {
        let Provider { issuer, client_id, .. } = &provider;
        call(Asked { issuer, client_id, secret: secret.as_deref() })
    };
    let answered = tokio::task::spawn_blocking(asked)
        .await
        .map_err(|_| Failure::Machine("a call of the identity provider broke off".into()))?;
    answered.map_err(|error| {
        let kind = match error {
            ProviderError::Denied | ProviderError::Over => m::SIGN_IN_REFUSED,
            _ => m::PROVIDER_FAILED,
        };
        Failure::refused(kind, error.to_string())
    })
}

async fn begin(hub: &Hub, place: (OrgId, MachineId), provider: Provider) -> Result<Outcome, Failure> {
    let nonce = URL_SAFE_NO_PAD.encode(hub.keys.random::<24>()?);
    let sent = nonce.clone();
    let device = on_thread(hub, &provider, move |asked| asked.begin(&asked.description()?, &sent)).await?;
    let began = now();
    let lasts = i64::try_from(device.expires_in.min(LONGEST)).unwrap_or(0) * 1_000_000;
    let expires_at = began.saturating_add(lasts);
    let begun = Begun {
        issuer: provider.issuer,
        client_id: provider.client_id,
        device_code: device.device_code,
        nonce,
        began,
        ends: expires_at,
    };
    let text =
        serde_json::to_vec(&begun).map_err(|_| Failure::Machine("a sign-in cannot be written".into()))?;
    let handle = URL_SAFE_NO_PAD.encode(hub.keys.wrap(&about(place), &text)?);
    Ok(Outcome::Begun(SignInBegun {
        user_code: device.user_code,
        verification_uri: device.verification_uri,
        verification_uri_complete: device.verification_uri_complete,
        interval: device.interval.clamp(INTERVAL.0, INTERVAL.1),
        expires_at,
        handle,
    }))
}

async fn finish(
    hub: &Hub,
    place: (OrgId, MachineId),
    provider: Provider,
    handle: &str,
) -> Result<Outcome, Failure> {
    let refused = |why: &str| Failure::refused(m::SIGN_IN_REFUSED, why);
    let sealed = URL_SAFE_NO_PAD.decode(handle).unwrap_or_default();
    let begun = hub.keys.unwrap(&about(place), &sealed);
    let begun: Option<Begun> = begun.and_then(|text| serde_json::from_slice(&text).ok());
    let begun = begun.ok_or_else(|| refused("This sign-in did not begin on this machine."))?;
    if begun.issuer != provider.issuer || begun.client_id != provider.client_id {
        return Err(refused("The identity provider of the hub was changed since."));
    }
    if begun.ends < now() {
        return Err(refused("The time for it is over, or it was used already."));
    }
    let Begun { device_code, nonce, began, .. } = begun;
    let polled = on_thread(hub, &provider, move |asked| {
        let description = asked.description()?;
        Ok(match asked.poll(&description.token_endpoint, &device_code)? {
            Polled::Waiting { slower } => Err(slower),
            Polled::Done(token) => Ok((token, asked.keys(&description.jwks_uri)?)),
        })
    });
    let (token, keys) = match polled.await? {
        Err(slower) => return Ok(Outcome::Waiting { slower }),
        Ok(done) => done,
    };
    let expected = Expected {
        issuer: &provider.issuer,
        client_id: &provider.client_id,
        nonce: &nonce,
        began: began / 1_000_000,
        now: now() / 1_000_000,
        domains: &provider.domains,
    };
    let person = token::verify(&token, &keys, &expected)
        .map_err(|bad| refused(&format!("The ID token of the provider is not believed. {bad}")))?;
    Ok(Outcome::Verified { provider, person })
}

/// Carries out, in the transaction of the request, what the provider said.
pub(crate) async fn keep(
    scoped: &Scoped,
    caller: &Caller,
    outcome: Outcome,
) -> Result<serde_json::Value, Failure> {
    let answer = match outcome {
        Outcome::Begun(begun) => serde_json::to_value(begun),
        Outcome::Waiting { slower } => serde_json::to_value(SignInState { signed_in: None, slower }),
        Outcome::Verified { provider, person } => {
            let (at, ends_at) = (now(), now().saturating_add(provider.lasts));
            scoped
                .client()?
                .execute(
                    include_str!("../../statements/sign_in_kept.sql"),
                    &[
                        &&caller.org.0[..],
                        &&caller.machine.0[..],
                        &provider.issuer,
                        &provider.client_id,
                        &&person.key[..],
                        &person.shown,
                        &person.name,
                        &at,
                        &ends_at,
                    ],
                )
                .await?;
            let signed = Person { key: person.key.to_vec(), shown: person.shown.clone() };
            let caller = caller.clone().with(Some(signed));
            audit::note(scoped, &caller, "sign_in", "").await?;
            let Verified { shown, name, .. } = person;
            let signed_in = Some(SignedIn { person: shown, name, issuer: provider.issuer, ends_at });
            serde_json::to_value(SignInState { signed_in, slower: false })
        }
    };
    answer.map_err(|_| Failure::Machine("an answer cannot be written".into()))
}

/// Who is signed in on the machine that asks.
pub(crate) async fn signed_in(scoped: &Scoped, caller: &Caller) -> Result<Option<SignedIn>, Failure> {
    let row = scoped
        .client()?
        .query_opt(
            "SELECT s.shown, s.name, s.issuer, s.ends_at FROM sign_ins s
             JOIN provider p ON p.org = s.org AND p.issuer = s.issuer AND p.client_id = s.client_id
             WHERE s.org = $1 AND s.machine = $2 AND s.ends_at > $3",
            &[&&caller.org.0[..], &&caller.machine.0[..], &now()],
        )
        .await?;
    Ok(row.map(|row| SignedIn {
        person: row.get(0),
        name: row.get(1),
        issuer: row.get(2),
        ends_at: row.get(3),
    }))
}

/// Ends the sign-in of a machine; whether there was one.
pub(crate) async fn end(scoped: &Scoped, caller: &Caller) -> Result<bool, Failure> {
    let ended = scoped
        .client()?
        .execute(
            "DELETE FROM sign_ins WHERE org = $1 AND machine = $2",
            &[&&caller.org.0[..], &&caller.machine.0[..]],
        )
        .await?;
    Ok(ended > 0)
}

/// Signs the person out of the machine that asks.
pub(crate) async fn sign_out(scoped: &Scoped, caller: &Caller) -> Result<m::Done, Failure> {
    if end(scoped, caller).await? {
        audit::note(scoped, caller, "sign_out", "").await?;
    }
    Ok(m::Done {})
}
