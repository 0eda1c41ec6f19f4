//! Calls of a hub, signed by the machine.

use crate::acts;
use crate::state::Membership;
use crate::window::Inside;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retrace_engine::Engine;
use retrace_message::{AsMessage as _, Message};
use retrace_model::{OrgId, Sha256};
use retrace_outbound::{
    Call, CallError, Cancel, Client, Config, Method, Proxies, Roots, canonical_base_url, presentable,
};
use retrace_sync::messages::{self as m, FINAL, Hello, Refusal};
use retrace_sync::restored::{AskHello, Seen};
use retrace_sync::roles::{Right, right_of};
use retrace_sync::sign::{SigningKey, request_text_of};
use retrace_wire::{ApiError, Code};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Bytes of an answer that are read.
const ANSWER_BYTES: u64 = 16 << 20;
/// Further tries of one call on a bad network, with growing waits.
const RETRIES: u32 = 5;
/// The call that asks whether a hub is there.
const FIRST: &str = "hello";
/// Calls that this process made.
static CALLS: AtomicU64 = AtomicU64::new(0);

/// Calls of a hub that this process made.
#[must_use]
pub fn calls() -> u64 {
    CALLS.load(Ordering::Relaxed)
}

/// Time of one call.
const CALL_TIME: Duration = Duration::from_secs(60);

/// Why a hub did not do what was asked.
#[derive(Clone, Debug)]
pub(crate) enum HubError {
    /// Not reached.
    Unreachable(Message),
    /// Refused, with the kind of the protocol.
    Refused { kind: String, message: String },
    /// The user stopped it.
    Stopped,
    /// Something on this machine.
    Here(ApiError),
}

impl From<ApiError> for HubError {
    fn from(error: ApiError) -> Self {
        Self::Here(error)
    }
}

impl HubError {
    /// True for a refusal of this kind.
    pub(crate) fn is(&self, wanted: &str) -> bool {
        matches!(self, Self::Refused { kind, .. } if kind == wanted)
    }

    /// The error of joining, which nothing goes on with later.
    pub(crate) fn of_joining(self, url: &str) -> ApiError {
        match self {
            Self::Unreachable(cause) => {
                ApiError::new(Code::StoreUnavailable, say::unreachable(cause), url).hint(say::check_address())
            }
            Self::Refused { kind, message } if kind == m::UNAVAILABLE => {
                ApiError::new(Code::StoreUnavailable, say::refused(message), url).hint(say::check_address())
            }
            other => other.api(url),
        }
    }

    /// The error of a command of which nothing goes on with the next sync.
    pub(crate) fn of_command(self, url: &str) -> ApiError {
        let is_away = matches!(self, Self::Unreachable(_)) || self.is(m::UNAVAILABLE);
        let error = self.api(url);
        if is_away { error.hint(say::run_again()) } else { error }
    }

    /// The error of a sync that this ends.
    pub(crate) fn api(self, url: &str) -> ApiError {
        match self {
            Self::Unreachable(cause) => {
                ApiError::new(Code::StoreUnavailable, say::unreachable(cause), url).hint(say::try_again())
            }
            Self::Refused { kind, message } => {
                ApiError::new(code_of(&kind), say::refused(message), url).hint(hint(&kind))
            }
            Self::Stopped => ApiError::new(Code::Busy, say::stopped(), url),
            Self::Here(error) => error,
        }
    }
}

fn code_of(kind: &str) -> Code {
    match kind {
        m::BAD_TOKEN
        | m::NOT_REGISTERED
        | m::NOT_ALLOWED
        | m::SECOND_PERSON
        | m::BAD_SIGNATURE
        | m::SIGN_IN_REFUSED
        | m::SIGN_IN_WANTED => Code::KeyRefused,
        m::UNAVAILABLE | m::PROVIDER_FAILED | m::DAMAGED => Code::StoreUnavailable,
        m::NOT_FOUND => Code::NotFound,
        m::REDACTED => Code::ContentRedacted,
        m::HEAD_MOVED | m::REPEATED => Code::HeadMoved,
        _ => Code::Invalid,
    }
}

/// Next step after a refusal, in a window: nobody there has a terminal of a machine before them.
pub(crate) fn window_hint(kind: &str) -> Message {
    match kind {
        m::BAD_TOKEN => say::ask_for_token(),
        m::NOT_REGISTERED | m::BAD_SIGNATURE | m::SIGN_IN_REFUSED => say::sign_in_to_window(),
        m::NOT_ALLOWED => say::ask_for_role(),
        m::SECOND_PERSON => say::another_approves(),
        m::SIGN_IN_WANTED => say::sign_in_at_provider(),
        m::PROVIDER_FAILED => say::ask_about_provider(),
        m::UNAVAILABLE => say::ask_again(),
        m::DAMAGED => say::damaged_hub(),
        _ => Message::default(),
    }
}

/// Next step after a refusal.
pub(crate) fn hint(kind: &str) -> Message {
    match kind {
        m::BAD_TOKEN => say::another_token(),
        m::NOT_REGISTERED => say::join_again(),
        m::NOT_ALLOWED => say::ask_an_owner(),
        m::CLOCK_SKEW => say::set_the_clock(),
        m::SECOND_PERSON => say::another_approves(),
        m::LAST_OWNER => say::other_owner_first(),
        m::BAD_SIGNATURE => say::send_again(),
        m::SIGN_IN_REFUSED => say::sign_in_again(),
        m::SIGN_IN_WANTED => say::sign_in_first(),
        m::PROVIDER_FAILED => say::ask_about_provider(),
        m::UNAVAILABLE => say::try_again(),
        m::DAMAGED => say::damaged_hub(),
        m::REDACTED => say::other_version(),
        _ => Message::default(),
    }
}

/// Next step after a refusal of something that only who sends may do.
pub(crate) fn hint_of_sync(kind: &str) -> Message {
    match kind {
        m::NOT_ALLOWED => who_may("append"),
        _ => hint(kind),
    }
}

/// Next step after a request that the role may not make: whose machine may.
fn who_may(request: &str) -> Message {
    match right_of(request) {
        // Of what everybody may ask, contents are refused.
        Some(Right::Review | Right::ReadContent | Right::ReadMetadata) => say::ask_a_reviewer(),
        Some(Right::ReadAudit) => say::ask_an_auditor(),
        Some(Right::Send) => say::ask_a_writer(),
        Some(Right::Administer | Right::Belong) | None => say::ask_an_owner(),
    }
}

/// Where the names are of what a request is about.
fn what_lists(request: &str, about: &str) -> Message {
    match request {
        "show" | "comment" | "approve" => say::list_versions(),
        "propose" if about.starts_with("memver_") => say::list_versions(),
        "remove_comment" => say::list_comments(),
        "approve_order" | "recheck_order" | "acknowledge" => say::list_redactions(),
        "withdraw" => say::list_proposals(),
        "revoke_agent_token" => say::list_keys(),
        _ => Message::default(),
    }
}

/// How calls come to a hub.
enum Way {
    /// Over the network. `offset` is what to add to this machine's clock to have the hub's, in microseconds.
    Network { client: Box<Client>, cancel: Cancel, offset: i64, inner: Arc<Engine> },
    /// Within the process of the hub, for a window that it serves.
    Inside(Arc<Inside>),
}

/// A hub to call.
pub(crate) struct Hub {
    way: Way,
    url: String,
    key: SigningKey,
    org: String,
    machine: String,
}

impl Hub {
    /// The hub at an address, before it is joined. Asks it for its time.
    pub(crate) fn at(
        inner: &Arc<Engine>,
        url: &str,
        certificates: Option<&str>,
        key: SigningKey,
        cancel: &Cancel,
        seen: Option<Seen>,
    ) -> Result<(Self, Hello), HubError> {
        let bad = |error: &dyn std::fmt::Display| {
            let refused = ApiError::invalid(say::bad_address(error.to_string()), url);
            HubError::Here(refused.hint(say::check_address()))
        };
        let base_url = canonical_base_url(url).map_err(|error| bad(&error))?;
        let environment = inner.options.surroundings.env.clone();
        let config = Config {
            base_url,
            // The signature of each call takes its place.
            headers: vec![("authorization".to_owned(), "Retrace-Machine".to_owned())],
            timeout: CALL_TIME,
            retries: RETRIES,
            proxies: Proxies::from_environment(&|name| environment.get(name)?.to_str().map(str::to_owned)),
            roots: certificates.map_or(Roots::System, |text| Roots::Pem(text.as_bytes().to_vec())),
            ..Config::default()
        };
        let client = Client::new(config).map_err(|error| bad(&error))?;
        let (cancel, inner) = (cancel.clone(), Arc::clone(inner));
        let way = Way::Network { client: Box::new(client), cancel, offset: 0, inner };
        let mut hub = Self { way, url: url.to_owned(), key, org: String::new(), machine: String::new() };
        let hello: Hello = hub.send(FIRST, &AskHello { seen }, false)?;
        if let Way::Network { offset, inner, .. } = &mut hub.way {
            *offset = hello.time.saturating_sub(inner.now().micros());
        }
        Ok((hub, hello))
    }

    /// The hub that was joined.
    pub(crate) fn joined(
        inner: &Arc<Engine>,
        membership: &Membership,
        key: SigningKey,
        cancel: &Cancel,
    ) -> Result<Self, HubError> {
        // By what it signed before, the hub finds out that its database was put back.
        let seen = acts::seen(inner, &membership.org)?;
        let certificates = membership.certificates.as_deref();
        let (hub, _) = Self::at(inner, &membership.url, certificates, key, cancel, seen)?;
        Ok(Self { org: membership.org.clone(), machine: membership.machine.clone(), ..hub })
    }

    /// The hub that serves a window.
    pub(crate) fn inside(inside: Arc<Inside>, url: &str, key: SigningKey, machine: &str) -> Self {
        let (url, org, machine) = (url.to_owned(), inside.door.org(), machine.to_owned());
        Self { way: Way::Inside(inside), url, key, org, machine }
    }

    /// The organisation, where its id can be read.
    pub(crate) fn org(&self) -> Option<OrgId> {
        OrgId::parse(&self.org).ok()
    }

    /// The same, as text.
    pub(crate) fn org_text(&self) -> &str {
        &self.org
    }

    /// Id of the machine that calls.
    pub(crate) fn machine(&self) -> &str {
        &self.machine
    }

    pub(crate) fn key(&self) -> &SigningKey {
        &self.key
    }

    /// How far this machine's clock is ahead of the hub's, in microseconds.
    pub(crate) fn skew(&self) -> i64 {
        match &self.way {
            Way::Network { offset, .. } => offset.saturating_neg(),
            Way::Inside(_) => 0,
        }
    }

    /// A signed call whose failure is that of a command.
    pub(crate) fn ask<T: DeserializeOwned>(
        &self,
        name: &str,
        request: &impl Serialize,
    ) -> Result<T, ApiError> {
        self.answered(name, self.call(name, request))
    }

    /// The same of a call that is about something, which the error names where it is not there or not as it should be.
    pub(crate) fn ask_about<T: DeserializeOwned>(
        &self,
        name: &str,
        request: &impl Serialize,
        about: &str,
    ) -> Result<T, ApiError> {
        self.ask(name, request).map_err(|error| self.about(name, error, about))
    }

    /// The error of such a call.
    pub(crate) fn about(&self, name: &str, error: ApiError, about: &str) -> ApiError {
        match (error.code, &self.way) {
            (Code::NotFound, Way::Network { .. }) => {
                ApiError { subject: about.to_owned(), ..error }.hint(what_lists(name, about))
            }
            (Code::NotFound | Code::Invalid | Code::ContentRedacted, _) => {
                ApiError { subject: about.to_owned(), ..error }
            }
            _ => error,
        }
    }

    /// What a command says of an answer to a call.
    pub(crate) fn answered<T>(&self, name: &str, answer: Result<T, HubError>) -> Result<T, ApiError> {
        answer.map_err(|error| match (&self.way, error) {
            (Way::Inside(inside), HubError::Refused { kind, message }) => {
                if [m::NOT_REGISTERED, m::BAD_SIGNATURE].contains(&kind.as_str()) {
                    inside.end();
                }
                ApiError::new(code_of(&kind), say::refused(message), &self.url).hint(window_hint(&kind))
            }
            (_, HubError::Refused { kind, message }) if kind == m::NOT_ALLOWED => {
                ApiError::new(code_of(&kind), say::refused(message), &self.url).hint(who_may(name))
            }
            (_, error) => error.of_command(&self.url),
        })
    }

    /// A signed call.
    pub(crate) fn call<T: DeserializeOwned>(
        &self,
        name: &str,
        request: &impl Serialize,
    ) -> Result<T, HubError> {
        self.send(name, request, true)
    }

    /// A call; not signed for those who are not registered yet.
    pub(crate) fn send<T: DeserializeOwned>(
        &self,
        name: &str,
        request: &impl Serialize,
        signed: bool,
    ) -> Result<T, HubError> {
        let body =
            serde_json::to_vec(request).map_err(|_| HubError::Unreachable(say::answer_not_understood()))?;
        let path = format!("/hub/v1/{name}");
        let headers = if signed { self.signature(&path, &body) } else { Vec::new() };
        let (client, cancel) = match &self.way {
            Way::Network { client, cancel, .. } => (client, cancel),
            Way::Inside(inside) => {
                let (status, answer) = inside.door.answer(&path, &headers, body);
                return read(status, (200..300).contains(&status), &answer);
            }
        };
        let headers = headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let call = Call {
            answer_limit: ANSWER_BYTES,
            final_kinds: FINAL,
            // Later it is one that was there a moment ago, and may be starting again.
            refused_is_final: name == FIRST,
            headers,
            body,
            ..Call::new(Method::Post, &path)
        };
        CALLS.fetch_add(1, Ordering::Relaxed);
        let answer = client.call(&Arc::new(call), cancel).map_err(|error| match error {
            CallError::Cancelled => HubError::Stopped,
            CallError::Unavailable { tries: 1, cause } => HubError::Unreachable(cause),
            error => HubError::Unreachable(error.message()),
        })?;
        read(answer.status, answer.is_good() && !answer.too_long, &answer.body)
    }

    /// Headers that say who calls, signed with the hub's time.
    fn signature(&self, path: &str, body: &[u8]) -> Vec<(&'static str, String)> {
        let at = match &self.way {
            Way::Network { offset, inner, .. } => inner.now().micros().saturating_add(*offset),
            Way::Inside(inside) => inside.door.now(),
        };
        let sha256 = Sha256::of(body);
        let signature = STANDARD.encode(self.key.sign(&request_text_of(path, at, &sha256)));
        vec![
            ("retrace-org", self.org.clone()),
            ("retrace-machine", self.machine.clone()),
            ("retrace-time", at.to_string()),
            ("retrace-signature", signature),
            (m::BODY_HEADER, sha256.to_hex()),
        ]
    }
}

/// An answer of a hub.
pub(crate) fn read<T: DeserializeOwned>(status: u16, is_good: bool, body: &[u8]) -> Result<T, HubError> {
    if is_good {
        return serde_json::from_slice(body).map_err(|_| HubError::Unreachable(say::answer_not_understood()));
    }
    match serde_json::from_slice::<Refusal>(body) {
        Ok(Refusal { error }) => Err(HubError::Refused {
            kind: presentable(&error.kind, &[]),
            message: presentable(&error.message, &[]),
        }),
        Err(_) => Err(HubError::Unreachable(say::status(u64::from(status)))),
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "hub";
    unreachable(cause) => "The hub is not reached: {cause}.",
    try_again() => "Run `retrace sync` again later; it goes on where it stopped.",
    refused(message) => "The hub refused it: {message}",
    stopped() => "It was stopped.",
    bad_address(error) => "The address of the hub cannot be used: {error}.",
    answer_not_understood() => "its answer is not understood",
    status(status) => "it answered with the status {status}",
    another_token() => "An owner makes another one with `retrace hub token`.",
    join_again() => "Leave it here with `retrace hub leave`, then join again with `retrace hub join URL --token TOKEN`.",
    another_approves() => "Somebody else approves it, on another machine of an owner or a reviewer.",
    other_owner_first() => "Give another machine the role first: `retrace hub role MACHINE owner`. To leave a copy of a log, run `retrace sync` there first, then `retrace hub leave --new-identity`. Where the hub itself ends, stop it before you leave.",
    send_again() => "Run it again. If it stays so, something between this machine and the hub changes requests: join over TLS.",
    ask_an_owner() => "Run it on a machine of an owner.",
    ask_a_reviewer() => "Run it on a machine of an owner or a reviewer.",
    ask_an_auditor() => "Run it on a machine of an owner or an auditor.",
    ask_a_writer() => "Run it on a machine of an owner, a reviewer or a writer.",
    check_address() => "Check the address, and that the hub runs; then join again.",
    sign_in_again() => "`retrace hub sign-in` begins again.",
    sign_in_first() => "`retrace hub sign-in` signs you in.",
    ask_about_provider() => "Try again later; if it stays so, ask the hub's operator about its identity provider.",
    ask_for_token() => "Ask an owner for a new token.",
    sign_in_to_window() => "Sign in again.",
    ask_for_role() => "An owner gives other roles.",
    sign_in_at_provider() => "Sign in at the identity provider, in the view of the machines.",
    ask_again() => "Try again later.",
    run_again() => "Check that the hub runs and is reached from here, then run it again.",
    list_versions() => "`retrace hub inbox` and `retrace hub history STORE:PATH` list versions with their ids.",
    list_comments() => "`retrace hub show VERSION` lists comments with their numbers.",
    list_redactions() => "`retrace hub redactions` lists them.",
    list_proposals() => "`retrace hub proposals` lists them.",
    list_keys() => "`retrace hub agent-tokens` lists them.",
    other_version() => "Name another version of the memory: `retrace hub history STORE:PATH` lists them.",
    damaged_hub() => "Ask the hub's operator: `retrace hub doctor` there names what is damaged, and what to do.",
    set_the_clock() => "Set this machine's clock, then run it again.",
}
