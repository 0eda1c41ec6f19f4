//! The router on requests, without a socket.

mod stores;

use crate::{AllowedHosts, Assets, ROUTES, ServerOptions, Token, router};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use futures_util::StreamExt as _;
use retrace_api::{App, AppOptions, COMMANDS};
use retrace_model::Timestamp;
use retrace_sources::{Platform, Surroundings};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use tempfile::TempDir;
use tower::ServiceExt as _;

pub(crate) const HOST: &str = "127.0.0.1:4711";
pub(crate) const TOKEN: &str = "0123456789abcdef";

/// A server over an empty log in a directory of its own.
pub(crate) struct Server {
    pub(crate) router: Router,
    app: Arc<App>,
    pub(crate) folder: TempDir,
}

pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// Status and code of a refusal.
    fn refusal(&self) -> (u16, String) {
        let error = &self.json()["error"];
        for field in ["message", "hint", "subject"] {
            assert!(error[field].is_string(), "{field} in {error}");
        }
        (self.status.as_u16(), error["code"].as_str().expect("a code").to_owned())
    }
}

/// An app in `folder` for which time stands still.
pub(crate) fn options_in(folder: &Path) -> AppOptions {
    let random = AtomicU8::new(1);
    let mut options = AppOptions::for_this_machine(Some(folder.join("data"))).expect("options");
    options.clock = Arc::new(|| Timestamp::from_micros(1_763_600_000_000_000));
    options.entropy = Arc::new(move |bytes: &mut [u8]| bytes.fill(random.fetch_add(1, Ordering::SeqCst)));
    options.surroundings = Surroundings::new(folder.join("home"), Platform::Linux);
    options.keys = Arc::new(retrace_api::KeyInMemory::default());
    options
}

impl Server {
    fn new() -> Self {
        Self::with(false, |_| {})
    }

    /// A server that also serves what only the API's seed had, if `legacy_stores`.
    fn serving(legacy_stores: bool) -> Self {
        Self::with(legacy_stores, |_| {})
    }

    /// The same, over an app with other options than usual.
    pub(crate) fn with(legacy_stores: bool, change: impl FnOnce(&mut AppOptions)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut options = options_in(folder.path());
        change(&mut options);
        let app = Arc::new(App::open(options).expect("an app"));
        let files = [("index.html", "<!doctype html>"), ("assets/index-B7x2.js", "1")];
        let served = ServerOptions {
            token: Token::new(TOKEN).expect("a token"),
            hosts: AllowedHosts::listening_on(HOST.parse().expect("an address")),
            assets: Assets::from_files(files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))),
            legacy_stores,
        };
        Self { router: router(Arc::clone(&app), served).expect("a router"), app, folder }
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Reply {
        let response = self.router.clone().oneshot(request).await.expect("the router never fails");
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.expect("a whole body").to_vec();
        Reply { status: parts.status, headers: parts.headers, body }
    }

    async fn get(&self, path: &str) -> Reply {
        self.send(request(Method::GET, path, &[]).body(Body::empty()).expect("a request")).await
    }

    pub(crate) async fn call(&self, command: &str, body: &Value) -> Reply {
        let headers = [("content-type", "application/json"), ("x-api-key", TOKEN)];
        let path = format!("/api/v1/{command}");
        self.send(
            request(Method::POST, &path, &headers).body(Body::from(body.to_string())).expect("a request"),
        )
        .await
    }

    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(&path).expect("a folder");
        path
    }
}

pub(crate) fn request(method: Method, path: &str, headers: &[(&str, &str)]) -> axum::http::request::Builder {
    let mut builder = Request::builder().method(method).uri(path).header(header::HOST, HOST);
    for (name, value) in headers {
        builder = builder.header(*name, *value);
    }
    builder
}

#[tokio::test]
async fn every_listed_command_answers() {
    let server = Server::new();
    for command in COMMANDS {
        let reply = server.call(command.name, &json!({})).await;
        let error = serde_json::from_slice::<Value>(&reply.body).expect("JSON")["error"].clone();
        assert!(error["code"] != "internal", "{}: {error}", command.name);
        assert_ne!(reply.status, StatusCode::METHOD_NOT_ALLOWED, "{}", command.name);
    }
    let listed = server
        .send(
            request(Method::GET, "/api/v1/commands", &[("x-api-key", TOKEN)])
                .body(Body::empty())
                .expect("a request"),
        )
        .await;
    assert_eq!(listed.json()["commands"].as_array().map(Vec::len), Some(COMMANDS.len()));
    assert_eq!(listed.json()["commands"][0]["name"], COMMANDS[0].name);
}

#[tokio::test]
async fn a_command_does_what_it_says() {
    let server = Server::new();
    let memories = server.folder("memories");
    std::fs::write(memories.join("a.md"), "one\n").expect("a file");
    let added = server.call("add_store", &json!({ "root": memories, "name": "notes" })).await;
    assert_eq!((added.status, &added.json()["memories"]), (StatusCode::OK, &json!(1)));
    let log = server.call("log", &json!({ "store": "notes" })).await;
    assert_eq!(log.json()["versions"][0]["path"], "a.md");
    assert_eq!(log.headers[header::CONTENT_TYPE], "application/json");
    assert_eq!(log.headers[header::CACHE_CONTROL], "no-store");
    let version = log.json()["versions"][0]["id"].clone();
    let shown = server.call("show", &json!({ "version": version, "content": true })).await;
    assert_eq!(shown.json()["content"], "one\n");
}

#[tokio::test]
async fn a_request_without_a_body_has_no_parameters() {
    let server = Server::new();
    let call = request(Method::POST, "/api/v1/status", &[("x-api-key", TOKEN)]);
    let reply = server.send(call.body(Body::empty()).expect("a request")).await;
    assert_eq!((reply.status, &reply.json()["first_run"]), (StatusCode::OK, &json!(true)));
}

#[tokio::test]
async fn failures_of_commands_have_their_status() {
    let server = Server::new();
    let memories = server.folder("memories");
    for (command, body, refusal) in [
        ("log", json!({ "store": "none" }), (404, "not_found")),
        ("log", json!({ "since": "yesterday" }), (400, "invalid")),
        ("log", json!({ "limit": "many" }), (400, "invalid")),
        ("log", json!([1]), (400, "invalid")),
        ("add_store", json!({ "root": memories.join("missing") }), (503, "store_unavailable")),
        ("no_such_command", json!({}), (404, "not_found")),
    ] {
        let (status, code) = refusal;
        assert_eq!(
            server.call(command, &body).await.refusal(),
            (status, code.to_owned()),
            "{command} {body}"
        );
    }
}

#[tokio::test]
async fn every_api_path_wants_the_token() {
    let server = Server::new();
    let bearer = format!("Bearer {TOKEN}");
    let lower = format!("bearer  {TOKEN}");
    for (headers, status) in [
        (vec![], 401),
        (vec![("x-api-key", "wrong")], 401),
        (vec![("x-api-key", "")], 401),
        (vec![("authorization", TOKEN)], 401),
        (vec![("authorization", "Basic 0123456789abcdef")], 401),
        (vec![("authorization", "Bearer")], 401),
        (vec![("cookie", "token=0123456789abcdef")], 401),
        (vec![("x-api-key", TOKEN)], 200),
        (vec![("authorization", &*bearer)], 200),
        (vec![("authorization", &*lower)], 200),
    ] {
        let call = request(Method::POST, "/api/v1/status", &headers);
        let reply = server.send(call.body(Body::empty()).expect("a request")).await;
        assert_eq!(reply.status.as_u16(), status, "{headers:?}");
        if status == 401 {
            assert_eq!(reply.refusal(), (401, "invalid".to_owned()));
            assert_eq!(reply.headers[header::WWW_AUTHENTICATE], "Bearer");
            assert!(!String::from_utf8_lossy(&reply.body).contains(TOKEN));
        }
    }
    for path in [
        "/api",
        "/api/",
        "/api/v1/events",
        "/api/v1/commands",
        "/api/v1/none",
        "/api/v2/status",
        "/api/../api/v1/x",
    ] {
        assert_eq!(server.get(path).await.status, StatusCode::UNAUTHORIZED, "{path}");
    }
    let in_query = server.get(&format!("/api/v1/events?token={TOKEN}")).await;
    assert_eq!(in_query.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn requests_for_other_hosts_are_refused() {
    let server = Server::new();
    let ask = |hosts: &'static [&'static str]| {
        let mut builder = Request::builder().uri("/healthz");
        for host in hosts {
            builder = builder.header(header::HOST, *host);
        }
        server.send(builder.body(Body::empty()).expect("a request"))
    };
    for hosts in [&["127.0.0.1:4711"], &["localhost:4711"], &["LocalHost:4711"], &["[::1]:4711"]] {
        assert_eq!(ask(hosts).await.status, StatusCode::OK, "{hosts:?}");
    }
    for hosts in [
        &["127.0.0.1"][..],
        &["127.0.0.1:4712"],
        &["evil.example:4711"],
        &["127.0.0.1.evil.example:4711"],
        &["127.0.0.1:4711", "evil.example"],
        &[],
        &[""],
    ] {
        assert_eq!(ask(hosts).await.refusal(), (403, "invalid".to_owned()), "{hosts:?}");
    }
    let elsewhere = request(Method::GET, "http://evil.example:4711/healthz", &[]);
    assert_eq!(
        server.send(elsewhere.body(Body::empty()).expect("a request")).await.status,
        StatusCode::FORBIDDEN
    );
}

#[tokio::test]
async fn requests_from_other_origins_are_refused() {
    let server = Server::new();
    for (origin, status) in [
        ("http://127.0.0.1:4711", 200),
        ("http://localhost:4711", 403),
        ("https://127.0.0.1:4711", 403),
        ("http://127.0.0.1:4712", 403),
        ("http://evil.example", 403),
        ("null", 403),
        ("", 403),
    ] {
        let call = request(Method::POST, "/api/v1/status", &[("origin", origin), ("x-api-key", TOKEN)]);
        let reply = server.send(call.body(Body::empty()).expect("a request")).await;
        assert_eq!(reply.status.as_u16(), status, "{origin:?}");
    }
}

#[tokio::test]
async fn only_json_is_read_and_not_too_much_of_it() {
    let server = Server::new();
    let send = |kind: Option<&'static str>, body: Vec<u8>| {
        let mut headers = vec![("x-api-key", TOKEN)];
        headers.extend(kind.map(|kind| ("content-type", kind)));
        server.send(
            request(Method::POST, "/api/v1/status", &headers).body(Body::from(body)).expect("a request"),
        )
    };
    for kind in ["application/json", "Application/JSON; charset=utf-8"] {
        assert_eq!(send(Some(kind), b"{}".to_vec()).await.status, StatusCode::OK, "{kind}");
    }
    for kind in
        [None, Some("text/plain"), Some("application/x-www-form-urlencoded"), Some("application/jsonx")]
    {
        assert_eq!(send(kind, b"{}".to_vec()).await.refusal(), (415, "invalid".to_owned()), "{kind:?}");
    }
    for body in [&b"{"[..], b"\xff", b"{} {}"] {
        assert_eq!(
            send(Some("application/json"), body.to_vec()).await.refusal(),
            (400, "invalid".to_owned())
        );
    }
    let large = vec![b' '; crate::calls::BODY_BYTES + 1];
    assert_eq!(send(Some("application/json"), large).await.refusal(), (413, "invalid".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_never_ends_is_cut() {
    let server = Server::new();
    let headers = [("x-api-key", TOKEN), ("content-type", "application/json")];
    let body = Body::from_stream(futures_util::stream::pending::<Result<Vec<u8>, std::io::Error>>());
    let reply =
        server.send(request(Method::POST, "/api/v1/status", &headers).body(body).expect("a request")).await;
    assert_eq!(reply.refusal(), (408, "invalid".to_owned()));
}

#[tokio::test]
async fn other_methods_are_refused() {
    let server = Server::new();
    for (method, path, allowed) in [
        (Method::GET, "/api/v1/status", "POST"),
        (Method::DELETE, "/api/v1/log", "POST"),
        (Method::POST, "/api/v1/commands", "GET,HEAD"),
        (Method::POST, "/api/v1/events", "GET,HEAD"),
        (Method::PUT, "/healthz", "GET,HEAD"),
        (Method::POST, "/", "GET,HEAD"),
        (Method::DELETE, "/assets/index-B7x2.js", "GET,HEAD"),
    ] {
        let ask = request(method.clone(), path, &[("x-api-key", TOKEN)]);
        let reply = server.send(ask.body(Body::empty()).expect("a request")).await;
        assert_eq!(reply.refusal(), (405, "invalid".to_owned()), "{method} {path}");
        assert_eq!(reply.headers[header::ALLOW], allowed, "{method} {path}");
    }
}

#[tokio::test]
async fn only_files_of_the_window_are_served() {
    let server = Server::new();
    let page = server.get("/").await;
    assert_eq!((page.status, &*page.body), (StatusCode::OK, &b"<!doctype html>"[..]));
    assert_eq!(page.headers[header::CONTENT_TYPE], "text/html; charset=utf-8");
    assert_eq!(page.headers[header::CACHE_CONTROL], "no-cache");
    let script = server.get("/assets/index-B7x2.js?v=1").await;
    assert_eq!(script.headers[header::CONTENT_TYPE], "text/javascript; charset=utf-8");
    assert_eq!(script.headers[header::CACHE_CONTROL], "public, max-age=31536000, immutable");
    for path in [
        "/etc/passwd",
        "/../Cargo.toml",
        "/assets/../../Cargo.toml",
        "/..%2f..%2fCargo.toml",
        "/%2e%2e/%2e%2e/Cargo.toml",
        "/assets/..\\..\\Cargo.toml",
        "//etc/passwd",
        "/assets/",
        "/token",
        "/data/retrace.db",
        "/index.html%00.js",
    ] {
        assert_eq!(server.get(path).await.refusal(), (404, "not_found".to_owned()), "{path}");
    }
}

#[tokio::test]
async fn health_says_nothing_but_that() {
    let reply = Server::new().get("/healthz").await;
    assert_eq!((reply.status, &*reply.body), (StatusCode::OK, &b"ok\n"[..]));
}

#[tokio::test]
async fn every_answer_has_the_strict_headers() {
    let server = Server::new();
    let strict = |reply: &Reply| -> String {
        ["content-security-policy", "x-content-type-options", "referrer-policy", "x-frame-options"]
            .into_iter()
            .chain(["cross-origin-opener-policy", "cross-origin-resource-policy"])
            .map(|name| format!("{name}: {}\n", reply.headers[name].to_str().expect("text")))
            .collect()
    };
    let first = strict(&server.get("/").await);
    insta::assert_snapshot!(first);
    for reply in [
        server.get("/healthz").await,
        server.get("/none").await,
        server.get("/api/v1/status").await,
        server.call("status", &json!({})).await,
        server.call("none", &json!({})).await,
    ] {
        assert_eq!(strict(&reply), first);
        assert!(!reply.headers.contains_key("access-control-allow-origin"));
    }
}

#[test]
fn the_routes_are_known() {
    let mut routes: Vec<String> = ROUTES.iter().map(|(method, path)| format!("{method} {path}")).collect();
    let commands = COMMANDS.iter().map(|command| {
        let kind = if command.writes { "writes" } else { "reads" };
        format!("POST /api/v1/{} ({kind}): {} -> {}", command.name, command.request, command.response)
    });
    routes.extend(commands);
    insta::assert_snapshot!(routes.join("\n"));
}

/// The data of the next event.
async fn next_event(stream: &mut axum::body::BodyDataStream) -> Value {
    let piece = stream.next().await.expect("an event").expect("a whole piece");
    let text = String::from_utf8(piece.to_vec()).expect("text");
    let data = text.strip_prefix("data: ").and_then(|text| text.strip_suffix("\n\n")).expect("one event");
    serde_json::from_str(data).expect("JSON")
}

#[tokio::test]
async fn events_begin_with_the_present_and_go_on() {
    let server = Server::new();
    let ask = request(Method::GET, "/api/v1/events", &[("x-api-key", TOKEN)]);
    let response =
        server.router.clone().oneshot(ask.body(Body::empty()).expect("a request")).await.expect("an answer");
    assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream");
    assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
    let mut stream = response.into_body().into_data_stream();
    assert_eq!(next_event(&mut stream).await, json!({ "type": "advanced", "cursor": 0 }));
    let memories = server.folder("memories");
    std::fs::write(memories.join("a.md"), "one\n").expect("a file");
    server.call("add_store", &json!({ "root": memories })).await;
    let mut cursor = Value::Null;
    while cursor != json!(1) {
        cursor = next_event(&mut stream).await["cursor"].clone();
    }
    assert_eq!(Arc::strong_count(&server.app), 3, "the test, the router and the stream share the app");
}
