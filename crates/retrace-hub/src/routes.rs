//! Routes: who asks, and which request it is.

use crate::Failure;
use crate::database::{Database, Scoped, now};
use crate::keys::HubKeys;
use crate::requests::{self, Caller};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retrace_model::{MachineId, OrgId};
use retrace_sync::messages::{self as m, MAX_BODY_BYTES, MAX_SKEW_MICROS, Refusal, Refused};
use retrace_sync::sign::{is_signed, request_text};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Requests that are read and answered at once; others wait. Each may hold a body.
const AT_ONCE: usize = 32;

/// What requests share.
pub(crate) struct Hub {
    pub(crate) database: Database,
    pub(crate) keys: HubKeys,
    at_once: Semaphore,
}

impl Hub {
    pub(crate) fn new(database: Database, keys: HubKeys) -> Self {
        Self { database, keys, at_once: Semaphore::new(AT_ONCE) }
    }
}

pub(crate) fn router(hub: Arc<Hub>) -> Router {
    Router::new()
        .route("/healthz", get(health))
        .route("/hub/v1/{request}", post(answer))
        .layer(DefaultBodyLimit::disable())
        .with_state(hub)
}

async fn health(State(hub): State<Arc<Hub>>) -> Response {
    match hub.database.answers().await {
        Ok(()) => json(200, &serde_json::json!({ "ok": true })),
        Err(_) => json(503, &serde_json::json!({ "ok": false })),
    }
}

async fn answer(State(hub): State<Arc<Hub>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let answered = match hub.at_once.acquire().await {
        Ok(_place) => act(&hub, &path, &parts.headers, body).await,
        Err(_) => Err(Failure::refused(m::UNAVAILABLE, "The hub is about to stop.")),
    };
    answered.unwrap_or_else(|failure| refuse(&path, &failure))
}

/// The answer to a refused request. What a fault of the database says stays in the log of the hub.
fn refuse(path: &str, failure: &Failure) -> Response {
    let (status, error) = match failure {
        Failure::Refused(status, refused) => (*status, refused.clone()),
        other => {
            tracing::warn!(path, failure = %other, "a request failed");
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

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Failure> {
    // The parser's own words could quote what was sent.
    serde_json::from_slice(body)
        .map_err(|_| Failure::refused(m::INVALID, "The request is not what this hub understands."))
}

/// Who claims to ask, and since when the claim is signed.
struct Claim {
    org: OrgId,
    machine: MachineId,
    at: i64,
    signature: Vec<u8>,
}

fn claim(headers: &HeaderMap) -> Option<Claim> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    Some(Claim {
        org: OrgId::parse(text("retrace-org")?).ok()?,
        machine: MachineId::parse(text("retrace-machine")?).ok()?,
        at: text("retrace-time")?.parse().ok()?,
        signature: STANDARD.decode(text("retrace-signature")?).ok()?,
    })
}

async fn act(hub: &Hub, path: &str, headers: &HeaderMap, body: Body) -> Result<Response, Failure> {
    let name = path.strip_prefix("/hub/v1/").unwrap_or_default();
    let whole = |body| async move {
        to_bytes(body, MAX_BODY_BYTES)
            .await
            .map_err(|_| Failure::refused(m::INVALID, "The request broke off or is too large."))
    };
    match name {
        "hello" => return Ok(json(200, &requests::hello(hub))),
        "join" => return Ok(json(200, &requests::join(hub, read(&whole(body).await?)?).await?)),
        _ => {}
    }
    let bad = || Failure::refused(m::BAD_SIGNATURE, "The request is not signed by a machine.");
    let claim = claim(headers).ok_or_else(bad)?;
    if now().saturating_sub(claim.at).saturating_abs() > MAX_SKEW_MICROS {
        let message = "The request's time is more than five minutes from the hub's.";
        return Err(Failure::refused(m::CLOCK_SKEW, message));
    }
    // Known machines alone may send a body, and the connection to the database is not held while it comes.
    let known = hub.database.scoped(claim.org).await?;
    let caller = requests::caller(&known, claim.org, claim.machine).await?;
    known.commit().await?;
    let body = whole(body).await?;
    if !is_signed(&caller.public_key, &request_text(path, claim.at, &body), &claim.signature) {
        return Err(bad());
    }
    let scoped = hub.database.scoped(claim.org).await?;
    let response = carry_out(hub, &scoped, &caller, name, &body).await?;
    // What was done is answered once it is durable.
    scoped.commit().await?;
    Ok(response)
}

async fn carry_out(
    hub: &Hub,
    scoped: &Scoped,
    caller: &Caller,
    name: &str,
    body: &[u8],
) -> Result<Response, Failure> {
    Ok(match name {
        "clock" => json(200, &requests::clock(scoped, caller, read(body)?).await?),
        "head" => json(200, &requests::head(scoped, caller, read(body)?).await?),
        "link" => json(200, &requests::link_at(scoped, caller, read(body)?).await?),
        "append" => json(200, &requests::append(hub, scoped, caller, read(body)?).await?),
        "contents" => json(200, &requests::contents(hub, scoped, caller, read(body)?).await?),
        "redact" => json(200, &requests::redact(scoped, caller, read(body)?).await?),
        "versions" => json(200, &requests::versions(scoped, caller, read(body)?).await?),
        "machines" => json(200, &requests::machines(scoped, caller).await?),
        "token" => json(200, &requests::token(hub, scoped, caller, read(body)?).await?),
        "leave" => json(200, &requests::leave(scoped, caller).await?),
        _ => return Err(Failure::refused(m::NOT_FOUND, "There is no such request.")),
    })
}
