//! The Memory Stores API over HTTP: headers and bodies in, answers out. What it means is in [`retrace_api::store_api`].

use crate::router::Shared;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use futures_util::StreamExt as _;
use retrace_api::store_api::{self, BODY_BYTES, Ready, Refused, StoreAnswer, StoreRequest};
use std::sync::Arc;
use std::time::Duration;

/// Where the API begins.
pub(crate) const ROOT: &str = "/v1";

/// Longest time for a body to arrive. 1 MiB takes well below a second on one machine; what takes longer is stuck.
const BODY_TIME: Duration = Duration::from_secs(30);

/// Bytes of a body after which the connection is closed, read or not.
const DROPPED_BYTES: usize = 16 * 1024 * 1024;

/// The header by which a client says for which session it writes. Ours: the API takes the author from the key alone, or from
/// the session whose mount was written to.
const SESSION: &str = "x-retrace-session";

/// `GET /openapi.json`
pub(crate) async fn description() -> Response {
    let mut response = Response::new(Body::from(store_api::description(env!("CARGO_PKG_VERSION"))));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Every route below `/v1`.
pub(crate) async fn call(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = match tokio::time::timeout(BODY_TIME, read(body)).await {
        Ok(Ok(body)) => body,
        Ok(Err(refused)) => return send(shared.stores.refuse(refused)),
        Err(_) => return send(shared.stores.refuse(Refused::TooSlow)),
    };
    if !body.is_empty() && !crate::calls::is_json(&parts.headers) {
        return send(shared.stores.refuse(Refused::Body));
    }
    let text = |name: &str| {
        parts.headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).map(str::to_owned)
    };
    let request = StoreRequest {
        method: parts.method.as_str().to_owned(),
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        body,
        betas: text("anthropic-beta").collect(),
        key_id: shared.key_id.clone(),
        session: text(SESSION).next(),
    };
    match shared.stores.prepare(&request) {
        Ready::Answered(answer) => send(answer),
        Ready::Read(job) if job.is_short() => send(shared.stores.read(*job)),
        Ready::Read(job) => {
            let stores = Arc::clone(&shared.stores);
            match tokio::task::spawn_blocking(move || stores.read(*job)).await {
                Ok(answer) => send(answer),
                Err(_) => send(shared.stores.failed()),
            }
        }
        Ready::Write(job) => {
            let (reply, answer) = tokio::sync::oneshot::channel();
            // A client that went away meanwhile does not take its write with it.
            shared.stores.write(*job, move |answer| drop(reply.send(answer)));
            match answer.await {
                Ok(answer) => send(answer),
                Err(_) => send(shared.stores.failed()),
            }
        }
    }
}

/// The whole body, as far as it may be long. What is too long is read on for a while and dropped: a client that is still
/// sending when the connection closes sees a broken connection, and tries again, instead of the refusal.
async fn read(body: Body) -> Result<Vec<u8>, Refused> {
    let mut stream = body.into_data_stream();
    let (mut bytes, mut read) = (Vec::new(), 0);
    while let Some(piece) = stream.next().await {
        let piece: Bytes = piece.map_err(|_| Refused::Body)?;
        read += piece.len();
        if read > DROPPED_BYTES {
            return Err(Refused::TooLarge);
        }
        if read <= BODY_BYTES {
            bytes.extend_from_slice(&piece);
        } else {
            bytes = Vec::new();
        }
    }
    if read > BODY_BYTES { Err(Refused::TooLarge) } else { Ok(bytes) }
}

/// Refuses what the guard does not let through, in the API's form.
pub(crate) fn refuse(shared: &Shared, refused: Refused) -> Response {
    send(shared.stores.refuse(refused))
}

fn send(answer: StoreAnswer) -> Response {
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(id) = HeaderValue::from_str(&answer.request_id) {
        headers.insert(HeaderName::from_static("request-id"), id);
    }
    if let Some(allow) = answer.allow.and_then(|methods| HeaderValue::try_from(methods).ok()) {
        headers.insert(header::ALLOW, allow);
    }
    if let Some(retry) = answer.retry {
        let value = HeaderValue::from_static(if retry { "true" } else { "false" });
        headers.insert(HeaderName::from_static("x-should-retry"), value);
    }
    response
}

/// True if a path belongs to the API.
pub(crate) fn owns(path: &str) -> bool {
    path.strip_prefix(ROOT).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
