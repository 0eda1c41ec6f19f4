//! The window that a hub serves at its own address: its files, and the commands that need no machine. Who is asking is a member of the
//! hub; the browser keeps its session, sealed by the hub, in a cookie that no script reads and that no other site's page can send.

use crate::assets::Assets;
use crate::calls::{self, BODY_BYTES, arrived, parsed};
use crate::guard::{AllowedHosts, harden, named_host, same_origin};
use crate::listen;
use crate::reply::{self, json, refusal, refuse};
use crate::router::{file_of, wrong_method};
use crate::tries::Tries;
use axum::Router;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use retrace_api::wire::shell as say;
use retrace_api::wire::{ApiError, Code, Message, Nothing};
use retrace_api::{COMMANDS, Door, Member, Opened, Window, Windows, call_at_hub, commands, not_at_hub};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Semaphore;

/// What the name of the cookie begins with where the hub has no TLS; the first digits of the organisation follow. With TLS
/// `__Host-` stands before it, which binds the cookie to the host and to TLS.
pub const SESSION_COOKIE: &str = "retrace-hub-";

/// Digits of the organisation in the name of the cookie: hubs on one host, at several ports, share one jar.
const DIGITS: usize = 12;
/// Largest request of a window that nobody signed in to, in bytes.
const FIRST_BYTES: usize = 64 * 1024;
/// Tries to sign in of one address within a minute, of those that fail.
const TRIES: u32 = 10;
/// Questions of one address within a minute whether somebody signed in at the provider. A window asks every few seconds.
const QUESTIONS: u32 = 90;
/// Commands at once; others wait.
const AT_ONCE: usize = 16;

/// What is served beside a hub.
#[derive(Clone, Debug)]
pub struct HubWindow {
    names: Vec<Authority>,
    assets: Assets,
}

/// State of every request.
struct Shared {
    windows: Windows,
    hosts: AllowedHosts,
    assets: Assets,
    /// Name of the cookie.
    cookie: String,
    tls: bool,
    tries: Tries,
    questions: Tries,
    at_once: Arc<Semaphore>,
}

impl HubWindow {
    /// A window with these files, under these names beside the hub's address: `hub.example`, `hub.example:8443`.
    ///
    /// # Errors
    /// [`Code::Invalid`] for what is no name of a host.
    pub fn new(hosts: &[String], assets: Assets) -> Result<Self, ApiError> {
        let names = hosts.iter().map(|name| listen::name(name)).collect::<Result<_, _>>()?;
        Ok(Self { names, assets: assets.served_by("hub") })
    }

    /// Its routes, for a hub that listens at an address.
    pub fn routes(&self, door: Arc<dyn Door>, address: SocketAddr, tls: bool) -> Router {
        let org = door.org();
        let digits = org.rsplit('_').next().unwrap_or_default().chars().filter(char::is_ascii_alphanumeric);
        let host = if tls { "__Host-" } else { "" };
        let shared = Arc::new(Shared {
            windows: Windows::new(door),
            hosts: AllowedHosts::named(address, tls, &self.names),
            assets: self.assets.clone(),
            cookie: format!("{host}{SESSION_COOKIE}{}", digits.take(DIGITS).collect::<String>()),
            tls,
            tries: Tries::at_most(TRIES),
            questions: Tries::at_most(QUESTIONS),
            at_once: Arc::new(Semaphore::new(AT_ONCE)),
        });
        Router::new()
            .route("/api/v1/{command}", post(call).fallback(wrong_method))
            .route("/api/v1/commands", get(list).fallback(wrong_method))
            .fallback(file)
            .layer(from_fn_with_state(Arc::clone(&shared), guard))
            .with_state(shared)
    }
}

/// `GET /api/v1/commands`: those of this window. Says nothing about the hub, so it wants no session.
async fn list() -> Response {
    calls::list_of(|command| command.at_hub)
}

async fn file(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    file_of(&shared.assets, request).await
}

/// Refuses requests under another name or from another page, and puts the strict headers on every answer.
async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let mut response = match refused(&shared, &request) {
        Some(refusal) => refusal,
        None => next.run(request).await,
    };
    harden(response.headers_mut());
    response
}

fn refused(shared: &Shared, request: &Request) -> Option<Response> {
    let headers = request.headers();
    let Some(host) = named_host(request.uri(), headers).filter(|host| shared.hosts.allow(host)) else {
        let next = say::use_a_name_of_the_hub();
        return Some(refuse(StatusCode::FORBIDDEN, say::request_another_host(), next, "host"));
    };
    // A browser names the origin of every POST. The cookie alone would not say which page asks: pages of other ports of this host
    // count as the same site.
    let names_none = *request.method() == Method::POST && !headers.contains_key(header::ORIGIN);
    if names_none || !same_origin(&shared.hosts, headers, host) {
        let message = say::request_comes_from_another_origin();
        return Some(refuse(StatusCode::FORBIDDEN, message, Message::default(), "origin"));
    }
    None
}

/// What an answer does with the cookie.
enum Cookie {
    Keep,
    Set { session: String, lasts_seconds: i64 },
    Clear,
}

/// An answer, and what becomes of the session.
struct Answer(Cookie, Result<Value, Refusal>);

enum Refusal {
    /// As any command refuses.
    Command(ApiError),
    /// With a status of its own.
    Status(StatusCode, ApiError),
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Self {
        Self::Command(error)
    }
}

/// A request that came.
struct Asked {
    name: &'static str,
    /// True if it showed a session, whether that is one or not.
    showed: bool,
    window: Option<Arc<Window>>,
    /// Where the window is.
    url: String,
    from: IpAddr,
    body: Vec<u8>,
}

/// `POST /api/v1/{command}`
async fn call(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let name = parts.uri.path().rsplit('/').next().unwrap_or_default();
    let Some(command) = COMMANDS.iter().find(|command| command.at_hub && command.name == name) else {
        return reply::error(&not_at_hub(name));
    };
    // The guard let it through, so it names a host.
    let host = named_host(&parts.uri, &parts.headers).unwrap_or_default();
    let url = format!("{}://{host}", if shared.tls { "https" } else { "http" });
    let session = session(&parts.headers, &shared.cookie);
    let window = session.and_then(|session| shared.windows.window(session, &url));
    let showed = session.is_some();
    let most = if window.is_some() { BODY_BYTES } else { FIRST_BYTES };
    let body = match arrived(&parts.headers, body, most).await {
        Ok(body) => body,
        Err(refusal) => return refusal,
    };
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    // Without a socket, in a test, everybody is one.
    let from = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
    let asked = Asked { name: command.name, showed, window, url, from, body };
    let place = Arc::clone(&shared.at_once).acquire_owned().await;
    let work = tokio::task::spawn_blocking({
        let shared = Arc::clone(&shared);
        move || {
            let _place = place;
            carry_out(&shared, &asked)
        }
    });
    let bug = |_| Answer(Cookie::Keep, Err(calls::bug(command.name).into()));
    respond(&shared, work.await.unwrap_or_else(bug))
}

/// The session that a request shows.
fn session<'r>(headers: &'r HeaderMap, name: &str) -> Option<&'r str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(named, _)| *named == name).map(|(_, value)| value)
}

fn respond(shared: &Shared, Answer(cookie, answer): Answer) -> Response {
    let mut response = match answer {
        Ok(value) => json(StatusCode::OK, value.to_string().into_bytes()),
        Err(Refusal::Command(error)) => reply::error(&error),
        Err(Refusal::Status(status, error)) => refusal(status, &error),
    };
    let (session, lasts) = match &cookie {
        Cookie::Keep => return response,
        Cookie::Set { session, lasts_seconds } => (session.as_str(), *lasts_seconds),
        Cookie::Clear => ("", 0),
    };
    let secure = if shared.tls { "; Secure" } else { "" };
    let name = &shared.cookie;
    let cookie = format!("{name}={session}; Path=/; Max-Age={lasts}; HttpOnly; SameSite=Strict{secure}");
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

fn carry_out(shared: &Shared, asked: &Asked) -> Answer {
    let Some(window) = &asked.window else { return first(shared, asked) };
    let answer = parsed(&asked.body)
        .and_then(|request| call_at_hub(&Member::window(Arc::clone(window)), asked.name, request));
    match answer {
        _ if window.has_ended() => without_session(shared, asked),
        Ok(value) if asked.name == "hub_leave" => Answer(Cookie::Clear, Ok(value)),
        answer => Answer(Cookie::Keep, answer.map_err(Refusal::Command)),
    }
}

/// What is answered in a window that nobody signed in to.
fn first(shared: &Shared, asked: &Asked) -> Answer {
    match asked.name {
        "hub_join" => limited(shared, asked, |windows| {
            let opened = windows.join(&request(asked)?, &asked.url)?;
            let member = Member::window(Arc::clone(&opened.window));
            // Whatever becomes of this, the token was used: the session is told.
            Ok((call_at_hub(&member, "hub_status", Value::Null), Some(opened)))
        }),
        "hub_sign_in" => limited(shared, asked, |windows| {
            let Nothing {} = request(asked)?;
            Ok((written(windows.sign_in()?), None))
        }),
        "hub_finish_sign_in" if !shared.questions.may(asked.from, Instant::now()) => too_often(asked),
        "hub_finish_sign_in" => {
            let finished = request(asked).and_then(|ask| shared.windows.finish_sign_in(&ask, &asked.url));
            match finished.and_then(|(state, opened)| Ok((written(state)?, opened))) {
                Ok((value, opened)) => Answer(opened.map_or(Cookie::Keep, set), Ok(value)),
                Err(error) => Answer(Cookie::Keep, Err(error.into())),
            }
        }
        _ => without_session(shared, asked),
    }
}

/// The answer where nobody is signed in, or nobody is any more. What the window needs to start is told all the same.
fn without_session(shared: &Shared, asked: &Asked) -> Answer {
    let cookie = if asked.showed { Cookie::Clear } else { Cookie::Keep };
    if asked.name == "hub_status" {
        return Answer(cookie, shared.windows.status().and_then(written).map_err(Refusal::Command));
    }
    let error = ApiError::new(Code::KeyRefused, say::nobody_signed_in(), asked.name)
        .hint(say::sign_in_to_this_window());
    Answer(cookie, Err(Refusal::Status(StatusCode::UNAUTHORIZED, error)))
}

/// Tries to sign in, where the address did not fail too often.
fn limited(
    shared: &Shared,
    asked: &Asked,
    attempt: impl FnOnce(&Windows) -> Result<(Result<Value, ApiError>, Option<Opened>), ApiError>,
) -> Answer {
    if !shared.tries.may(asked.from, Instant::now()) {
        return too_often(asked);
    }
    match attempt(&shared.windows) {
        Ok((answer, Some(opened))) => {
            shared.tries.succeeded(asked.from);
            Answer(set(opened), answer.map_err(Refusal::Command))
        }
        Ok((answer, None)) => Answer(Cookie::Keep, answer.map_err(Refusal::Command)),
        Err(error) => Answer(Cookie::Keep, Err(error.into())),
    }
}

fn too_often(asked: &Asked) -> Answer {
    let error =
        ApiError::new(Code::HostLimited, say::too_many_tries(), asked.name).hint(say::wait_a_minute());
    Answer(Cookie::Keep, Err(Refusal::Status(StatusCode::TOO_MANY_REQUESTS, error)))
}

fn set(opened: Opened) -> Cookie {
    Cookie::Set { session: opened.session, lasts_seconds: opened.lasts_seconds }
}

fn request<T: DeserializeOwned>(asked: &Asked) -> Result<T, ApiError> {
    commands::read(asked.name, parsed(&asked.body)?)
}

fn written(response: impl serde::Serialize) -> Result<Value, ApiError> {
    commands::written("hub_status", response)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::{Body, to_bytes};
    use serde_json::json;
    use tower::ServiceExt as _;

    /// A hub that takes every token, and seals by turning bytes around.
    struct FakeHub;

    impl Door for FakeHub {
        fn org(&self) -> String {
            "org_0123456789abcdef0123456789abcdef".to_owned()
        }

        fn now(&self) -> i64 {
            1_000_000
        }

        fn random(&self) -> Option<[u8; 32]> {
            Some([7; 32])
        }

        fn seal(&self, about: &[u8], text: &[u8]) -> Option<Vec<u8>> {
            Some([about, text].concat().into_iter().rev().collect())
        }

        fn open(&self, about: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
            let whole: Vec<u8> = sealed.iter().rev().copied().collect();
            whole.strip_prefix(about).map(<[u8]>::to_vec)
        }

        fn answer(&self, path: &str, _: &[(&str, String)], _: Vec<u8>) -> (u16, Vec<u8>) {
            let answer = match path {
                "/hub/v1/window_join" => {
                    json!({ "org": self.org(), "machine": "machine_1", "role": "writer", "hub_key": "", "ends_at": 61_000_000 })
                }
                "/hub/v1/waiting" => {
                    json!({ "orders": 0, "outstanding": 0, "to_approve": 0, "proposals": 0, "unreviewed": 0, "role": "writer" })
                }
                _ => json!({ "sign_in": false }),
            };
            (200, answer.to_string().into_bytes())
        }
    }

    fn routes(tls: bool) -> Router {
        let window = HubWindow::new(&["hub.example".to_owned()], Assets::default()).expect("a window");
        window.routes(Arc::new(FakeHub), "0.0.0.0:443".parse().expect("an address"), tls)
    }

    async fn post(tls: bool, name: &str, origin: &str, body: Value) -> (StatusCode, Option<String>, Value) {
        let request = axum::http::Request::post(format!("/api/v1/{name}"))
            .header("host", "hub.example")
            .header("origin", origin)
            .header("content-type", "application/json")
            .body(Body::from(body.to_string()))
            .expect("a request");
        let response = routes(tls).oneshot(request).await.expect("an answer");
        let status = response.status();
        let cookie =
            response.headers().get(header::SET_COOKIE).map(|line| line.to_str().expect("text").to_owned());
        let body = to_bytes(response.into_body(), 1 << 20).await.expect("a body");
        (status, cookie, serde_json::from_slice(&body).expect("JSON"))
    }

    #[tokio::test]
    async fn with_tls_the_session_is_bound_to_it_and_to_the_host() {
        let join = json!({ "url": "", "token": "t", "name": "Ann" });
        let (status, cookie, answer) = post(true, "hub_join", "https://hub.example", join.clone()).await;
        assert_eq!((status, &answer["url"]), (StatusCode::OK, &json!("https://hub.example")));
        let cookie = cookie.expect("a cookie");
        assert!(cookie.starts_with("__Host-retrace-hub-0123456789ab="), "{cookie}");
        assert!(cookie.ends_with("; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure"), "{cookie}");
        // A page without TLS is another origin.
        let (status, cookie, _) = post(true, "hub_join", "http://hub.example", join).await;
        assert_eq!((status, cookie), (StatusCode::FORBIDDEN, None));
    }

    #[tokio::test]
    async fn who_signs_in_says_who_they_are() {
        for name in [json!(null), json!(" "), json!("\u{1b}\n")] {
            let join = json!({ "url": "", "token": "t", "name": name });
            let (status, cookie, answer) = post(true, "hub_join", "https://hub.example", join).await;
            assert_eq!((status, cookie), (StatusCode::BAD_REQUEST, None));
            assert_eq!(answer["error"]["subject"], "name");
        }
    }

    #[test]
    fn one_session_is_found_among_cookies() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=1; retrace-hub-0=x=y ; b=2"));
        assert_eq!(session(&headers, "retrace-hub-0"), Some("x=y"));
        assert_eq!(session(&headers, "retrace-hub"), None);
        assert_eq!(session(&HeaderMap::new(), "a"), None);
    }
}
