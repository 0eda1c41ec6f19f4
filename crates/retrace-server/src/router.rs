//! The routes.

use crate::assets::Assets;
use crate::calls;
use crate::events::{self, EventHub};
use crate::guard::{AllowedHosts, guard};
use crate::reply::refuse;
use crate::stores;
use crate::token::Token;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get, post};
use retrace_api::App;
use retrace_api::store_api::{StoreService, key_id};
use retrace_api::wire::ApiError;
use retrace_api::wire::Message;
use retrace_api::wire::shell as say;
use std::sync::Arc;

/// Every route, as documentation has it. The fallback serves the window's files.
pub const ROUTES: &[(&str, &str)] = &[
    ("POST", "/api/v1/{command}"),
    ("GET", "/api/v1/commands"),
    ("GET", "/api/v1/events"),
    ("ANY", "/v1/{route of the Memory Stores API}"),
    ("GET", "/openapi.json"),
    ("GET", "/healthz"),
    ("GET", "/{file of the window}"),
];

/// Options of a router.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// Token that clients must show.
    pub token: Token,
    /// The names the server answers to.
    pub hosts: AllowedHosts,
    /// The window's files.
    pub assets: Assets,
    /// True if the Memory Stores API also serves what only its seed had.
    pub legacy_stores: bool,
}

/// Shared state of every request.
pub(crate) struct Shared {
    pub(crate) app: Arc<App>,
    pub(crate) token: Token,
    pub(crate) hosts: AllowedHosts,
    assets: Assets,
    pub(crate) stores: Arc<StoreService>,
    /// Id of the token as an author.
    pub(crate) key_id: String,
    pub(crate) hub: Arc<EventHub>,
    /// Held for reading by each command that writes, until it is done.
    pub(crate) acts: Acts,
}

/// Lock that the end of the server waits for: commands that write hold it. Those that read are let go of.
pub(crate) type Acts = Arc<tokio::sync::RwLock<()>>;

/// The server without a socket.
///
/// # Errors
/// [`retrace_api::wire::Code::Internal`] when the machine has no thread left to pass events on.
pub fn router(app: Arc<App>, options: ServerOptions) -> Result<Router, ApiError> {
    let hub = EventHub::start(&app)?;
    router_with(app, options, hub, Acts::default())
}

pub(crate) fn router_with(
    app: Arc<App>,
    options: ServerOptions,
    hub: Arc<EventHub>,
    acts: Acts,
) -> Result<Router, ApiError> {
    let ServerOptions { token, hosts, assets, legacy_stores } = options;
    let stores = Arc::new(StoreService::start(app.served(), legacy_stores)?);
    let key_id = key_id(token.reveal());
    let shared = Arc::new(Shared { app, token, hosts, assets, stores, key_id, hub, acts });
    let router = Router::new()
        .route("/api/v1/{command}", post(calls::call))
        .route("/api/v1/commands", get(calls::list))
        .route("/api/v1/events", get(events::stream))
        .route("/v1", any(stores::call))
        .route("/v1/", any(stores::call))
        .route("/v1/{*rest}", any(stores::call))
        .route("/openapi.json", get(stores::description))
        .route("/healthz", get(healthz))
        .method_not_allowed_fallback(wrong_method)
        .fallback(file)
        .layer(from_fn_with_state(Arc::clone(&shared), guard))
        .with_state(shared);
    Ok(router)
}

async fn healthz() -> &'static str {
    "ok\n"
}

pub(crate) async fn wrong_method(request: Request) -> Response {
    let path = request.uri().path();
    refuse(StatusCode::METHOD_NOT_ALLOWED, say::path_not_take_method(), Message::default(), path)
}

/// A file of the window, or nothing.
async fn file(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    file_of(&shared.assets, request).await
}

/// The file that a request names, or nothing.
pub(crate) async fn file_of(assets: &Assets, request: Request) -> Response {
    let path = request.uri().path();
    let Some(asset) = (if path.starts_with("/api/") { None } else { assets.find(path) }) else {
        return refuse(StatusCode::NOT_FOUND, say::nothing_here(), Message::default(), path);
    };
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut response = wrong_method(request).await;
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET,HEAD"));
        return response;
    }
    // Without a name that changes with the content, the browser asks again each time.
    let keep = if asset.immutable { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = [(header::CONTENT_TYPE, asset.content_type), (header::CACHE_CONTROL, keep)];
    (headers, Body::from(asset.content.into_owned())).into_response()
}
