//! Who may ask: the host and origin of a request, its token, and the headers of every answer.

use crate::places::Mark;
use crate::reply::refuse;
use crate::router::Shared;
use crate::stores;
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::Response;
use retrace_api::store_api::Refused;
use retrace_api::wire::Message;
use retrace_api::wire::shell as say;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// The window needs its own script, styles, fonts and the commands; nothing else, and nothing remote.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";

/// The host names a request may be for.
#[derive(Clone, Debug)]
pub struct AllowedHosts {
    /// With the port where clients name it.
    hosts: Vec<String>,
    /// Scheme of an origin, with its separator: `http://`, or `https://`.
    scheme: &'static str,
}

impl AllowedHosts {
    /// The names a server at this address answers to without TLS: `127.0.0.1`, `localhost`, `[::1]` where it is reached
    /// by them, and the address itself, with its port.
    #[must_use]
    pub fn listening_on(address: SocketAddr) -> Self {
        Self::named(address, false, &[])
    }

    /// The same, and by these names as well. One without a port has that of `address`; the scheme's own port may be left out.
    pub(crate) fn named(address: SocketAddr, tls: bool, names: &[Authority]) -> Self {
        let (scheme, usual) = if tls { ("https://", 443) } else { ("http://", 80) };
        let mut hosts = Vec::new();
        let mut allow = |host: &str, port: u16| {
            hosts.push(format!("{host}:{port}"));
            if port == usual {
                hosts.push(host.to_owned());
            }
        };
        let numbers = match address.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        allow(&numbers, address.port());
        if address.ip().is_loopback() || address.ip().is_unspecified() {
            for name in ["127.0.0.1", "localhost", "[::1]"] {
                allow(name, address.port());
            }
        }
        for name in names {
            allow(name.host(), name.port_u16().unwrap_or(address.port()));
        }
        Self { hosts, scheme }
    }

    pub(crate) fn allow(&self, host: &str) -> bool {
        self.hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(host))
    }

    /// True if an `Origin` header names the pages of this host.
    pub(crate) fn is_origin(&self, origin: &str, host: &str) -> bool {
        origin.strip_prefix(self.scheme).is_some_and(|origin| origin.eq_ignore_ascii_case(host))
    }
}

/// Refuses what must not be answered, and puts the strict headers on every answer.
pub(crate) async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let mut response = match refused(&shared, &request) {
        Some(refusal) => refusal,
        None => next.run(request).await,
    };
    harden(response.headers_mut());
    response
}

fn refused(shared: &Shared, request: &Request) -> Option<Response> {
    let headers = request.headers();
    if stores::owns(request.uri().path()) {
        return store_refused(shared, request).map(|refused| stores::refuse(shared, refused));
    }
    let Some(host) = named_host(request.uri(), headers).filter(|host| shared.hosts.allow(host)) else {
        return Some(refuse(
            StatusCode::FORBIDDEN,
            say::request_another_host(),
            say::use_address_retrace_printed(),
            "host",
        ));
    };
    if !same_origin(&shared.hosts, headers, host) {
        return Some(refuse(
            StatusCode::FORBIDDEN,
            say::request_comes_from_another_origin(),
            Message::default(),
            "origin",
        ));
    }
    let path = request.uri().path();
    if (path == "/api" || path.starts_with("/api/")) && !authenticates(shared, request) {
        let mut response = refuse(
            StatusCode::UNAUTHORIZED,
            say::token_missing_or_wrong(),
            say::send_content_token_file_authorization(),
            "token",
        );
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return Some(response);
    }
    None
}

/// As [`refused`], for the Memory Stores API, which has words of its own.
fn store_refused(shared: &Shared, request: &Request) -> Option<Refused> {
    let headers = request.headers();
    let host = named_host(request.uri(), headers).filter(|host| shared.hosts.allow(host));
    match host {
        Some(host) if same_origin(&shared.hosts, headers, host) => {
            (!authenticates(shared, request)).then_some(Refused::Key)
        }
        _ => Some(Refused::Place),
    }
}

/// The one host a request names; none when it names several, or a different one in its first line.
pub(crate) fn named_host<'r>(uri: &Uri, headers: &'r HeaderMap) -> Option<&'r str> {
    let host = only(headers, &header::HOST)?;
    let agrees = uri.authority().is_none_or(|authority| authority.as_str().eq_ignore_ascii_case(host));
    agrees.then_some(host)
}

fn only<'r>(headers: &'r HeaderMap, name: &HeaderName) -> Option<&'r str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// True if the request says it comes from this server's own pages, or from no page at all.
pub(crate) fn same_origin(hosts: &AllowedHosts, headers: &HeaderMap, host: &str) -> bool {
    !headers.contains_key(header::ORIGIN)
        || only(headers, &header::ORIGIN).is_some_and(|origin| hosts.is_origin(origin, host))
}

/// True if the request shows the token. Its connection then keeps its place.
fn authenticates(shared: &Shared, request: &Request) -> bool {
    let shows = shows_token(shared, request.headers());
    if let (true, Some(mark)) = (shows, request.extensions().get::<Arc<Mark>>()) {
        mark.authenticate();
    }
    shows
}

fn shows_token(shared: &Shared, headers: &HeaderMap) -> bool {
    retrace_store_http::shown_keys(headers).any(|shown| shared.token.matches(shown))
}

pub(crate) fn harden(headers: &mut HeaderMap) {
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
