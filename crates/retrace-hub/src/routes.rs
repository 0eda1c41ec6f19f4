//! Routes: who asks, and which request it is.

use crate::Failure;
use crate::arrival::{Arrived, Claim, about_to_stop, arrive, not_signed};
use crate::audit;
use crate::database::{Database, Scoped};
use crate::keys::HubKeys;
use crate::memory_stores;
use crate::metrics::{Metrics, Readers, name_of};
use crate::once;
use crate::people::{self, Door};
use crate::requests::{self, Caller};
use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use axum::routing::{any, get, post};
use retrace_sync::messages::{self as m, Refusal, Refused};
use retrace_sync::policy::{PolicySet, SetPolicy};
use retrace_sync::roles::{allows, is_for_windows, right_of};
use retrace_sync::sign::request_text;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Semaphore;

/// Requests that are answered at once; others wait. None counts before its body is there.
const AT_ONCE: usize = 32;

/// Large bodies that machines send at once; each is kept until it is answered.
const LARGE_AT_ONCE: usize = 32;

/// The same for requests of the Memory Stores API, whose bodies are small.
const API_AT_ONCE: usize = 256;

/// What requests share.
pub(crate) struct Hub {
    pub(crate) database: Database,
    pub(crate) keys: HubKeys,
    pub(crate) metrics: Metrics,
    pub(crate) people: Door,
    /// How long a window lasts that a token opened, in microseconds.
    window_lasts: i64,
    readers: Readers,
    at_once: Semaphore,
    pub(crate) large_at_once: Semaphore,
    pub(crate) api_at_once: Semaphore,
}

impl Hub {
    pub(crate) fn new(
        database: Database,
        keys: HubKeys,
        readers: Readers,
        people: Door,
        window_lasts: i64,
    ) -> Self {
        Self {
            database,
            keys,
            metrics: Metrics::new(),
            people,
            window_lasts,
            readers,
            at_once: Semaphore::new(AT_ONCE),
            large_at_once: Semaphore::new(LARGE_AT_ONCE),
            api_at_once: Semaphore::new(API_AT_ONCE),
        }
    }
}

pub(crate) fn router(hub: Arc<Hub>) -> Router {
    Router::new()
        .route("/healthz", get(health))
        .route("/metrics", get(figures))
        .route("/hub/v1/{request}", post(answer))
        .route("/v1/agent_sessions/{operation}", post(memory_stores::agent_sessions))
        .route("/v1", any(memory_stores::call))
        .route("/v1/", any(memory_stores::call))
        .route("/v1/{*rest}", any(memory_stores::call))
        .route("/openapi.json", get(memory_stores::description))
        .layer(DefaultBodyLimit::disable())
        .with_state(hub)
}

async fn health(State(hub): State<Arc<Hub>>) -> Response {
    match hub.database.answers().await {
        Ok(()) => json(200, &serde_json::json!({ "ok": true })),
        Err(_) => json(503, &serde_json::json!({ "ok": false })),
    }
}

async fn figures(State(hub): State<Arc<Hub>>, headers: HeaderMap) -> Response {
    let authorization = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if !hub.readers.let_in(authorization) {
        let message = "The figures want the token of --metrics-token-file.".to_owned();
        return json(401, &Refusal { error: Refused { kind: m::BAD_TOKEN.to_owned(), message } });
    }
    match hub.metrics.text(hub.database.pool_status()) {
        Ok(text) => {
            let mut response = Response::new(Body::from(text));
            let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
            response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind));
            response
        }
        Err(failure) => refuse("metrics", &failure),
    }
}

async fn answer(State(hub): State<Arc<Hub>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    answer_from(&hub, Whence::Outside, &path, &parts.headers, body).await
}

/// Where a request comes from. What asks for a window that nobody signed in to yet is taken from this process alone, which sees
/// to how often that is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whence {
    Outside,
    Inside,
}

pub(crate) async fn answer_from(
    hub: &Hub,
    whence: Whence,
    path: &str,
    headers: &HeaderMap,
    body: Body,
) -> Response {
    let began = Instant::now();
    let name = name_of(path);
    let answered = match arrive(hub, whence, path, headers, body).await {
        Ok(arrived) => match hub.at_once.acquire().await {
            Ok(_place) => act(hub, path, &arrived).await,
            Err(_) => Err(about_to_stop()),
        },
        Err(failure) => Err(failure),
    };
    if let Err(Failure::Refused(_, refused)) = &answered
        && refused.kind == m::HEAD_MOVED
    {
        hub.metrics.conflict();
    }
    let response = answered.unwrap_or_else(|failure| refuse(name, &failure));
    let (status, took) = (response.status().as_u16(), began.elapsed());
    hub.metrics.answered(name, status, took);
    let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    tracing::info!(request = name, status, micros, "answered");
    response
}

/// The answer to a refused request. What a fault of the database says stays in the log of the hub.
fn refuse(name: &str, failure: &Failure) -> Response {
    let (status, error) = match failure {
        Failure::Refused(status, refused) => (*status, refused.clone()),
        other => {
            tracing::warn!(request = name, failure = %other, "a request failed");
            let message = "The hub cannot reach its database at present.".to_owned();
            (503, Refused { kind: m::UNAVAILABLE.to_owned(), message })
        }
    };
    json(status, &Refusal { error })
}

fn json(status: u16, value: &impl Serialize) -> Response {
    let body = serde_json::to_vec(value).unwrap_or_default();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
    response
}

pub(crate) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Failure> {
    // The parser's own words could quote what was sent.
    serde_json::from_slice(body)
        .map_err(|_| Failure::refused(m::INVALID, "The request is not what this hub understands."))
}

/// Answers what a machine signed, and what is asked before there is a key.
async fn act(hub: &Hub, path: &str, arrived: &Arrived<'_>) -> Result<Response, Failure> {
    let name = path.strip_prefix("/hub/v1/").unwrap_or_default();
    let body = &arrived.body;
    match (&arrived.claim, name) {
        (Some(claim), _) => act_for(hub, path, claim, body).await,
        (None, "hello") => Ok(json(200, &requests::hello(hub, read(body).unwrap_or_default()).await)),
        (None, "join") => Ok(json(200, &requests::join(hub, read(body)?, None).await?)),
        (None, "window_hello") => Ok(json(200, &people::window_hello(hub).await?)),
        (None, "window_join") => {
            Ok(json(200, &requests::join(hub, read(body)?, Some(hub.window_lasts)).await?))
        }
        (None, "window_sign_in") => Ok(json(200, &people::window_sign_in(hub, read(body)?).await?)),
        (None, "window_finish_sign_in") => Ok(json(200, &people::finish_window(hub, read(body)?).await?)),
        (None, _) => Err(not_signed()),
    }
}

/// Answers a request that is signed by whom it claims.
async fn act_for(hub: &Hub, path: &str, claim: &Claim, body: &[u8]) -> Result<Response, Failure> {
    let name = path.strip_prefix("/hub/v1/").unwrap_or_default();
    let known = hub.database.scoped(claim.org).await?;
    let caller = requests::caller(&known, claim.org, claim.machine).await?;
    known.commit().await?;
    // A provider may take its time: it is asked while no connection to the database is held.
    let asked = people::ask(hub, &caller, name, body).await;
    let scoped = hub.database.scoped(claim.org).await?;
    // Role and membership may have changed meanwhile.
    let caller = requests::caller(&scoped, claim.org, claim.machine).await?;
    let answered = match permitted(&scoped, &caller, claim, path, body).await {
        Ok(()) => match asked {
            Ok(None) => carry_out(hub, &scoped, &caller, name, body).await,
            Ok(Some(outcome)) => {
                people::keep(&scoped, &caller, outcome).await.map(|answer| json(200, &answer))
            }
            Err(failure) => Err(failure),
        },
        Err(refused) => Err(refused),
    };
    match answered {
        Ok(response) => {
            let appended = scoped.appended();
            // What was done is answered once it is durable.
            scoped.commit().await?;
            hub.metrics.appended(appended);
            Ok(response)
        }
        Err(Failure::Refused(status, refused)) => {
            scoped.roll_back().await?;
            if [m::NOT_ALLOWED, m::SECOND_PERSON, m::ALTERED, m::SIGN_IN_REFUSED, m::SIGN_IN_WANTED]
                .contains(&refused.kind.as_str())
            {
                let scoped = hub.database.scoped(claim.org).await?;
                let action = right_of(name).map_or("unknown", |_| name);
                audit::note_refused(&scoped, &caller, action, &refused.kind).await?;
                scoped.commit().await?;
            }
            Err(Failure::Refused(status, refused))
        }
        Err(failure) => Err(failure),
    }
}

/// Refuses what the caller may not do, and what was done by this very request.
async fn permitted(
    scoped: &Scoped,
    caller: &Caller,
    claim: &Claim,
    path: &str,
    body: &[u8],
) -> Result<(), Failure> {
    let name = path.strip_prefix("/hub/v1/").unwrap_or_default();
    permit(caller, name)?;
    once::spend(scoped, caller, name, &request_text(path, claim.at, body), claim.at).await
}

/// Refuses what the table of rights does not give the caller, and what is not in it.
fn permit(caller: &Caller, name: &str) -> Result<(), Failure> {
    let right = right_of(name).ok_or_else(|| Failure::refused(m::NOT_FOUND, "There is no such request."))?;
    if caller.is_window && !is_for_windows(right) {
        return Err(Failure::refused(m::NOT_ALLOWED, "A window sends nothing and carries nothing out."));
    }
    if allows(caller.role, right) {
        return Ok(());
    }
    Err(Failure::refused(m::NOT_ALLOWED, format!("The role {} may not do this.", caller.role)))
}

async fn carry_out(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    name: &str,
    body: &[u8],
) -> Result<Response, Failure> {
    Ok(match name {
        "acknowledge" => json(200, &requests::acknowledge(scoped, caller, read(body)?).await?),
        "clock" => json(200, &requests::clock(hub, scoped, caller, read(body)?).await?),
        "head" => json(200, &requests::head(hub, scoped, caller, read(body)?).await?),
        "link" => json(200, &requests::link_at(scoped, caller, read(body)?).await?),
        "sign_head" => json(200, &requests::sign_head(scoped, caller, read(body)?).await?),
        "append" => json(200, &requests::append(hub, scoped, caller, read(body)?).await?),
        "contents" => json(200, &requests::contents(hub, scoped, caller, read(body)?).await?),
        "redact" => json(200, &requests::redact(hub, scoped, caller, read(body)?).await?),
        "versions" => json(200, &requests::versions(scoped, caller, read(body)?).await?),
        "machines" => json(200, &requests::machines(scoped, caller).await?),
        "token" => json(200, &requests::token(hub, scoped, caller, read(body)?).await?),
        "role" => json(200, &requests::set_role(scoped, caller, read(body)?).await?),
        "remove" => json(200, &requests::remove(scoped, caller, read(body)?).await?),
        "policy" => json(200, &requests::policy(scoped, caller).await?),
        "set_policy" => {
            let request: SetPolicy = read(body)?;
            let no_store = requests::store_that_is_not_there(scoped, caller.org, &request).await?;
            let policy = requests::set_policy(scoped, caller, request).await?;
            requests::keep_to(scoped, caller.org, policy.transcripts).await?;
            json(200, &PolicySet { policy, no_store })
        }
        "audit" => json(200, &requests::audit(scoped, caller, read(body)?).await?),
        "sign_out" => json(200, &people::sign_out(scoped, caller).await?),
        "leave" => json(200, &requests::leave(scoped, caller).await?),
        "agent_token" => json(200, &memory_stores::agent_token(hub, scoped, caller, read(body)?).await?),
        "agent_tokens" => json(200, &memory_stores::agent_tokens(scoped, caller).await?),
        "revoke_agent_token" => {
            json(200, &memory_stores::revoke_agent_token(scoped, caller, read(body)?).await?)
        }
        "sessions_known" => json(200, &requests::sessions_known(scoped, caller, read(body)?).await?),
        "put_sessions" => json(200, &requests::put_sessions(hub, scoped, caller, read(body)?).await?),
        "put_session_rules" => {
            json(200, &requests::put_session_rules(hub, scoped, caller, read(body)?).await?)
        }
        "put_entries" => json(200, &requests::put_entries(hub, scoped, caller, read(body)?).await?),
        "sessions" => json(200, &requests::sessions(scoped, caller, read(body)?).await?),
        "session_presence" => json(200, &requests::presence(hub, scoped, caller, read(body)?).await?),
        "session_ledger" => json(200, &requests::ledger(hub, scoped, caller, read(body)?).await?),
        "search_sessions" => json(200, &requests::search_sessions(hub, scoped, caller, read(body)?).await?),
        "search" => json(200, &requests::search(hub, scoped, caller, read(body)?).await?),
        "said" => json(200, &requests::said(scoped, caller, read(body)?).await?),
        "search_texts" => json(200, &requests::search_texts(hub, scoped, caller, read(body)?).await?),
        "name" => json(200, &requests::name(hub, scoped, caller, read(body)?).await?),
        "orders" => json(200, &requests::orders(scoped, caller, read(body)?).await?),
        "receipt" => json(200, &requests::receipt(scoped, caller, read(body)?).await?),
        "recheck_order" => json(200, &requests::recheck_order(hub, scoped, caller, read(body)?).await?),
        "approve_order" => json(200, &requests::approve_order(hub, scoped, caller, read(body)?).await?),
        "redactions" => json(200, &requests::redactions(hub, scoped, caller).await?),
        "left" => json(200, &requests::left(scoped, caller, read(body)?).await?),
        "copy_refused" => json(200, &requests::copy_refused(scoped, caller, read(body)?).await?),
        "withdrawn" => json(200, &requests::withdrawn(scoped, caller, read(body)?).await?),
        "decisions" => json(200, &requests::decisions(scoped, caller, read(body)?).await?),
        "show" => json(200, &requests::show(hub, scoped, caller, read(body)?).await?),
        "comment" => json(200, &requests::comment(hub, scoped, caller, read(body)?).await?),
        "remove_comment" => json(200, &requests::remove_comment(scoped, caller, read(body)?).await?),
        "approve" => json(200, &requests::approve(scoped, caller, read(body)?).await?),
        "inbox" => json(200, &requests::inbox(scoped, caller, read(body)?).await?),
        "history" => json(200, &requests::history(hub, scoped, caller, read(body)?).await?),
        "of_project" => json(200, &requests::of_project(hub, scoped, caller, read(body)?).await?),
        "projects" => json(200, &requests::projects(scoped, caller).await?),
        "told" => json(200, &requests::told(scoped, caller, read(body)?).await?),
        "waiting" => json(200, &requests::waiting(scoped, caller).await?),
        "propose" => json(200, &requests::propose(hub, scoped, caller, read(body)?).await?),
        "proposals" => json(200, &requests::proposals(hub, scoped, caller, read(body)?).await?),
        "settle" => json(200, &requests::settle(scoped, caller, read(body)?).await?),
        "withdraw" => json(200, &requests::withdraw(scoped, caller, read(body)?).await?),
        _ => return Err(Failure::refused(m::NOT_FOUND, "There is no such request.")),
    })
}
