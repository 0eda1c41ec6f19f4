//! Windows that a hub serves: each is a member of the hub with a key of its own, which the browser keeps, sealed so that processes of
//! the hub alone can read it. A process keeps nothing.

use crate::client::{Hub, HubError, read, window_hint};
use crate::commands::nobody;
use crate::people::{shown_person, shown_sign_in};
use crate::policy::shown_role;
use crate::state::KeptWaiting;
use crate::sync::waiting_view;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use retrace_message::Message;
use retrace_model::Timestamp;
use retrace_sync::messages::{self as m, Bytes, Done, Join, Joined};
use retrace_sync::people::{SignInBegun, WindowHello, WindowSignIn, WindowSignedIn, window_name};
use retrace_sync::sign::{SigningKey, join_text};
use retrace_sync::together::Waiting;
use retrace_wire::{
    ApiError, Code, HubJoinReq, HubSignIn, HubSignInReq, HubSignInState, HubStatus, HubWindow,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is sealed for the browser: about a session, and about a sign-in that began.
const SESSION: &[u8] = b"retrace.hub.window.1";
const BEGUN: &[u8] = b"retrace.hub.window_sign_in.1";

/// Characters of a person's name, at most.
const NAME: usize = 80;

/// A hub, from inside its own process.
pub trait Door: Send + Sync {
    /// The organisation.
    fn org(&self) -> String;
    /// The hub's clock, in microseconds since 1970.
    fn now(&self) -> i64;
    /// Random bytes; `None` where the system has none.
    fn random(&self) -> Option<[u8; 32]>;
    /// Encrypts something that processes of this hub alone read again. `about` is authenticated.
    fn seal(&self, about: &[u8], text: &[u8]) -> Option<Vec<u8>>;
    /// Decrypts what [`Door::seal`] encrypted about the same; `None` for anything else.
    fn open(&self, about: &[u8], sealed: &[u8]) -> Option<Vec<u8>>;
    /// Answers a request of the protocol with a status and a body.
    fn answer(&self, path: &str, headers: &[(&str, String)], body: Vec<u8>) -> (u16, Vec<u8>);
}

/// A window's way to its hub, and whether the hub still knows it.
pub(crate) struct Inside {
    pub(crate) door: Arc<dyn Door>,
    ended: AtomicBool,
}

impl Inside {
    /// Notes that the hub does not know the window any more.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
    }
}

/// What the browser keeps of a window, before it is sealed.
#[derive(Clone, Serialize, Deserialize)]
struct Session {
    seed: Bytes,
    machine: String,
    person: String,
    ends_at: i64,
}

/// What the browser keeps of a sign-in that began, before it is sealed.
#[derive(Serialize, Deserialize)]
struct Begun {
    seed: Bytes,
    handle: String,
}

/// A window that somebody signed in to.
pub struct Window {
    inside: Arc<Inside>,
    session: Session,
    url: String,
}

/// A window that was just opened.
pub struct Opened {
    /// What the browser is to keep and to show with each request. Nobody but the hub can read it.
    pub session: String,
    /// Seconds until it ends.
    pub lasts_seconds: i64,
    /// The window.
    pub window: Arc<Window>,
}

/// The windows of a hub.
#[derive(Clone)]
pub struct Windows {
    door: Arc<dyn Door>,
}

impl Window {
    /// True if the hub does not know it any more: it was removed, or its time is over.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.inside.ended.load(Ordering::SeqCst)
    }

    pub(crate) fn person(&self) -> String {
        self.session.person.clone()
    }

    pub(crate) fn hub(&self) -> Result<Hub, ApiError> {
        let key = SigningKey::from_seed(&self.session.seed.0)
            .ok_or_else(|| ApiError::new(Code::Internal, say::no_key(), "session"))?;
        Ok(Hub::inside(Arc::clone(&self.inside), &self.url, key, &self.session.machine))
    }

    pub(crate) fn status(&self) -> Result<HubStatus, ApiError> {
        let what: Waiting = self.hub()?.ask("waiting", &Done {})?;
        let waiting = KeptWaiting { at: self.inside.door.now(), what };
        Ok(HubStatus {
            url: Some(self.url.clone()),
            org: Some(self.inside.door.org()),
            machine: Some(self.session.machine.clone()),
            name: Some(self.session.person.clone()),
            role: waiting.what.role.as_deref().map(shown_role),
            waiting: Some(waiting_view(&waiting)),
            signed_in: waiting.what.signed_in.map(shown_person),
            window: Some(HubWindow { ends_at: Some(time(self.session.ends_at)), sign_in: false }),
            ..nobody()
        })
    }
}

impl Windows {
    /// The windows of the hub behind a door.
    #[must_use]
    pub fn new(door: Arc<dyn Door>) -> Self {
        Self { door }
    }

    /// The window whose session a browser shows; `None` for anything that is none, or has ended. `url` is where it is shown.
    #[must_use]
    pub fn window(&self, session: &str, url: &str) -> Option<Arc<Window>> {
        let session: Session = self.unsealed(SESSION, session)?;
        (session.ends_at > self.door.now()).then(|| Arc::new(self.over(session, url)))
    }

    /// What is told in a window that nobody signed in to.
    ///
    /// # Errors
    /// `store_unavailable` where the hub does not reach its database.
    pub fn status(&self) -> Result<HubStatus, ApiError> {
        let hello: WindowHello = self.ask("window_hello", &Done {})?;
        Ok(HubStatus { window: Some(HubWindow { ends_at: None, sign_in: hello.sign_in }), ..nobody() })
    }

    /// Opens a window with a one-time token. `name` of the request is who the person says they are.
    ///
    /// # Errors
    /// `key_refused` for a token that the hub does not take, `invalid` without a name, `store_unavailable`.
    pub fn join(&self, request: &HubJoinReq, url: &str) -> Result<Opened, ApiError> {
        let person = request.name.as_deref().unwrap_or_default().trim();
        let person: String = person.chars().filter(|letter| !letter.is_control()).take(NAME).collect();
        if person.is_empty() {
            return Err(ApiError::invalid(say::no_name(), "name").hint(say::give_name()));
        }
        let token = request.token.trim().to_owned();
        let (seed, key) = self.new_key()?;
        let public = key.public();
        let signature = Bytes(key.sign(&join_text(&token, &public)));
        let join = Join { token, public_key: Bytes(public), signature, name: window_name(&person) };
        let joined = self.ask("window_join", &join)?;
        self.opened(seed, joined, person, url)
    }

    /// Begins to sign a person in at the identity provider.
    ///
    /// # Errors
    /// `not_found` where that is not offered, `store_unavailable` where the provider is not reached.
    pub fn sign_in(&self) -> Result<HubSignIn, ApiError> {
        let (seed, key) = self.new_key()?;
        let asked = WindowSignIn { public_key: Bytes(key.public()), handle: String::new() };
        let begun: SignInBegun = self.ask("window_sign_in", &asked)?;
        let handle = self.sealed(BEGUN, &Begun { seed, handle: begun.handle.clone() })?;
        Ok(shown_sign_in(SignInBegun { handle, ..begun }))
    }

    /// Asks whether the person answered. Where they did, the window is open.
    ///
    /// # Errors
    /// `key_refused` where the person did not allow it, its time is over or the provider is not believed, `store_unavailable`.
    pub fn finish_sign_in(
        &self,
        request: &HubSignInReq,
        url: &str,
    ) -> Result<(HubSignInState, Option<Opened>), ApiError> {
        let none_began = || ApiError::new(Code::KeyRefused, say::none_began(), "handle");
        let begun: Begun = self.unsealed(BEGUN, &request.handle).ok_or_else(none_began)?;
        let key = SigningKey::from_seed(&begun.seed.0).ok_or_else(none_began)?;
        let asked = WindowSignIn { public_key: Bytes(key.public()), handle: begun.handle };
        let WindowSignedIn { state, joined } = self.ask("window_finish_sign_in", &asked)?;
        let opened = match (joined, &state.signed_in) {
            (Some(joined), Some(person)) => {
                Some(self.opened(begun.seed, joined, person.person.clone(), url)?)
            }
            _ => None,
        };
        let signed_in = state.signed_in.map(shown_person);
        Ok((HubSignInState { signed_in, slower: state.slower }, opened))
    }

    fn opened(&self, seed: Bytes, joined: Joined, person: String, url: &str) -> Result<Opened, ApiError> {
        let ends_at = joined.ends_at.unwrap_or_default();
        let session = Session { seed, machine: joined.machine, person, ends_at };
        let lasts_seconds = ends_at.saturating_sub(self.door.now()).max(0) / 1_000_000;
        let sealed = self.sealed(SESSION, &session)?;
        Ok(Opened { session: sealed, lasts_seconds, window: Arc::new(self.over(session, url)) })
    }

    fn over(&self, session: Session, url: &str) -> Window {
        let inside = Inside { door: Arc::clone(&self.door), ended: AtomicBool::new(false) };
        Window { inside: Arc::new(inside), session, url: url.to_owned() }
    }

    fn new_key(&self) -> Result<(Bytes, SigningKey), ApiError> {
        let failed = || ApiError::new(Code::Internal, say::no_random(), "session");
        let seed = self.door.random().ok_or_else(failed)?;
        let key = SigningKey::from_seed(&seed).ok_or_else(failed)?;
        Ok((Bytes(seed.to_vec()), key))
    }

    fn sealed(&self, about: &[u8], what: &impl Serialize) -> Result<String, ApiError> {
        let text = serde_json::to_vec(what).ok();
        let sealed = text.and_then(|text| self.door.seal(&self.about(about), &text));
        let sealed = sealed.ok_or_else(|| ApiError::new(Code::Internal, say::no_random(), "session"))?;
        Ok(URL_SAFE_NO_PAD.encode(sealed))
    }

    fn unsealed<T: DeserializeOwned>(&self, about: &[u8], sealed: &str) -> Option<T> {
        let sealed = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        serde_json::from_slice(&self.door.open(&self.about(about), &sealed)?).ok()
    }

    /// A session of one organisation is none of another.
    fn about(&self, what: &[u8]) -> Vec<u8> {
        [what, b"\0", self.door.org().as_bytes()].concat()
    }

    /// Asks what is answered to those alone whom this process lets ask.
    fn ask<T: DeserializeOwned>(&self, name: &str, request: &impl Serialize) -> Result<T, ApiError> {
        let body = serde_json::to_vec(request).unwrap_or_default();
        let (status, answer) = self.door.answer(&format!("/hub/v1/{name}"), &[], body);
        read(status, (200..300).contains(&status), &answer).map_err(|error| {
            let next = match &error {
                HubError::Refused { kind, .. } => window_hint(kind),
                _ => window_hint(m::UNAVAILABLE),
            };
            let mut error = error.api("hub");
            if next != Message::default() {
                error.hint = next;
            }
            error
        })
    }
}

fn time(at: i64) -> String {
    Timestamp::from_micros(at).to_rfc3339()
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "hub_window";
    no_key() => "The session holds no key.",
    no_random() => "The hub has no random bytes.",
    no_name() => "A name is missing.",
    give_name() => "Give the name that others see beside what you do.",
    none_began() => "This sign-in did not begin in a window of this hub.",
}
