//! The Memory Stores API over HTTP: headers and bodies in, answers out.
//!
//! [`read`] makes a [`StoreRequest`] of a request whose key was found right, [`send`] writes its answer. What a request means is in
//! [`retrace_store_api`]; who keeps the stores brings the rest. Deliberately absent: stores, keys, sockets.
//!
//! ```
//! use axum::http::HeaderMap;
//!
//! let mut headers = HeaderMap::new();
//! headers.insert("authorization", "Bearer one".parse()?);
//! headers.insert("x-api-key", "two".parse()?);
//! assert_eq!(retrace_store_http::shown_keys(&headers).collect::<Vec<_>>(), [b"one", b"two"]);
//! # Ok::<(), axum::http::header::InvalidHeaderValue>(())
//! ```

use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use futures_util::StreamExt as _;
use retrace_store_api::open::BODY_BYTES;
use retrace_store_api::{Refused, StoreAnswer, StoreRequest};
use std::time::Duration;

/// Where the API begins.
pub const ROOT: &str = "/v1";

/// Longest time for a body to arrive. 1 MiB takes well below a second on one machine; what takes longer is stuck.
pub const BODY_TIME: Duration = Duration::from_secs(30);

/// Bytes of a body after which the connection is closed, read or not.
const DROPPED_BYTES: usize = 16 * 1024 * 1024;

/// The header by which a client says for which session it writes. Ours: the API takes the author from the key alone, or from
/// the session whose mount was written to.
const SESSION: &str = "x-retrace-session";

/// True if a path belongs to the API.
#[must_use]
pub fn owns(path: &str) -> bool {
    path.strip_prefix(ROOT).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The keys that a request shows: as `Authorization: Bearer`, and as `x-api-key`.
pub fn shown_keys(headers: &HeaderMap) -> impl Iterator<Item = &[u8]> {
    let bearer = headers.get_all(header::AUTHORIZATION).iter().filter_map(|value| {
        let (scheme, token) = value.as_bytes().split_at_checked("bearer ".len())?;
        scheme.eq_ignore_ascii_case(b"bearer ").then(|| token.trim_ascii())
    });
    bearer.chain(headers.get_all("x-api-key").iter().map(HeaderValue::as_bytes))
}

/// True if the body is said to be JSON. A page of another site can send text and forms without asking, but not JSON.
#[must_use]
pub fn is_json(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .and_then(|kind| kind.split(';').next())
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

/// Reads a request of the key with this id.
///
/// # Errors
/// The refusal of the transport.
pub async fn read(parts: &Parts, body: Body, key_id: &str) -> Result<StoreRequest, Refused> {
    let body = arrived(body, BODY_BYTES, BODY_TIME).await?;
    if !body.is_empty() && !is_json(&parts.headers) {
        return Err(Refused::Body);
    }
    let text = |name: &str| {
        parts.headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).map(str::to_owned)
    };
    Ok(StoreRequest {
        method: parts.method.as_str().to_owned(),
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        body,
        betas: text("anthropic-beta").collect(),
        key_id: key_id.to_owned(),
        session: text(SESSION).next(),
    })
}

/// The whole body, where it has `most` bytes at most and comes within a time. What is too long is read on for a while and dropped: a
/// client that is still sending when the connection closes sees a broken connection, and tries again, instead of the refusal.
///
/// # Errors
/// The refusal of the transport.
pub async fn arrived(body: Body, most: usize, time: Duration) -> Result<Vec<u8>, Refused> {
    tokio::time::timeout(time, whole(body, most)).await.map_err(|_| Refused::TooSlow)?
}

async fn whole(body: Body, most: usize) -> Result<Vec<u8>, Refused> {
    let mut stream = body.into_data_stream();
    let (mut bytes, mut read) = (Vec::new(), 0_usize);
    while let Some(piece) = stream.next().await {
        let piece: Bytes = piece.map_err(|_| Refused::Body)?;
        read = read.saturating_add(piece.len());
        if read > most.max(DROPPED_BYTES) {
            return Err(Refused::TooLarge);
        }
        if read <= most {
            bytes.extend_from_slice(&piece);
        } else {
            bytes = Vec::new();
        }
    }
    if read > most { Err(Refused::TooLarge) } else { Ok(bytes) }
}

/// Writes an answer. It is never kept: it holds what agents remember.
#[must_use]
pub fn send(answer: StoreAnswer) -> Response {
    let mut response = json(answer.body);
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
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

/// The OpenAPI description of the routes.
#[must_use]
pub fn description(version: &str) -> Response {
    json(retrace_store_api::openapi(version).to_string().into_bytes())
}

fn json(text: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(text));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_api_owns_its_root_and_what_is_below() {
        assert!(owns("/v1") && owns("/v1/") && owns("/v1/memory_stores"));
        assert!(!owns("/v12") && !owns("/") && !owns("/api/v1"));
    }

    #[test]
    fn a_key_is_shown_in_either_header() {
        let keys = |pairs: &[(&str, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(HeaderName::try_from(*name).expect("a name"), value.parse().expect("a value"));
            }
            shown_keys(&headers).map(|key| String::from_utf8_lossy(key).into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(keys(&[("authorization", "bearer  a ")]), ["a"]);
        assert_eq!(keys(&[("authorization", "Basic a"), ("authorization", "Bear")]), [""; 0]);
        assert_eq!(keys(&[("x-api-key", "b"), ("authorization", "Bearer a")]), ["a", "b"]);
    }

    #[test]
    fn json_is_said_by_the_content_type() {
        for (value, json) in [
            ("application/json", true),
            ("Application/JSON ; charset=utf-8", true),
            ("text/plain", false),
            ("application/jsonp", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, value.parse().expect("a value"));
            assert_eq!(is_json(&headers), json, "{value}");
        }
        assert!(!is_json(&HeaderMap::new()));
    }
}
