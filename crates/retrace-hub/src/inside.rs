//! The hub from inside its own process: what is served beside it, at its address, asks through this.

use crate::routes::{Hub, Whence, answer_from};
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use retrace_sync::messages::MAX_BODY_BYTES;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::runtime::Handle;

/// A hub, asked from inside its process. Requests run as those of machines do: signed, by the same table of rights, into the same
/// audit log.
#[derive(Clone)]
pub struct Inside {
    hub: Arc<Hub>,
    runtime: Handle,
    address: SocketAddr,
    tls: bool,
}

impl fmt::Debug for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inside").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Inside {
    pub(crate) fn new(hub: Arc<Hub>, runtime: Handle, address: SocketAddr, tls: bool) -> Self {
        Self { hub, runtime, address, tls }
    }

    /// Where the hub listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// True if it listens with TLS.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.tls
    }

    /// The organisation.
    #[must_use]
    pub fn org(&self) -> String {
        self.hub.database.org().to_string()
    }

    /// The hub's clock, in microseconds since 1970.
    #[must_use]
    pub fn now(&self) -> i64 {
        crate::database::now()
    }

    /// Random bytes; `None` where the system has none.
    #[must_use]
    pub fn random(&self) -> Option<[u8; 32]> {
        self.hub.keys.random().ok()
    }

    /// Encrypts something that processes with this hub's key file alone read again. `about` is authenticated.
    #[must_use]
    pub fn seal(&self, about: &[u8], text: &[u8]) -> Option<Vec<u8>> {
        self.hub.keys.wrap(about, text).ok()
    }

    /// Decrypts what [`Inside::seal`] encrypted about the same; `None` for anything else.
    #[must_use]
    pub fn open(&self, about: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        self.hub.keys.unwrap(about, sealed)
    }

    /// Answers a request of the protocol with a status and a body. Blocks, so it is for a thread that may.
    #[must_use]
    pub fn answer(&self, path: &str, headers: &[(&str, String)], body: Vec<u8>) -> (u16, Vec<u8>) {
        let named = |(name, value): &(&str, String)| {
            Some((HeaderName::try_from(*name).ok()?, HeaderValue::try_from(value).ok()?))
        };
        let headers: HeaderMap = headers.iter().filter_map(named).collect();
        self.runtime.block_on(async {
            let response = answer_from(&self.hub, Whence::Inside, path, &headers, Body::from(body)).await;
            let status = response.status().as_u16();
            let body = to_bytes(response.into_body(), MAX_BODY_BYTES).await;
            (status, body.map(Vec::from).unwrap_or_default())
        })
    }
}

/// What else is served at the hub's address: routes over the hub that they ask.
#[derive(Clone)]
pub struct Beside(Arc<dyn Fn(Inside) -> axum::Router + Send + Sync>);

impl fmt::Debug for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Beside(…)")
    }
}

impl Beside {
    /// These routes. None of them may be the hub's own.
    pub fn new(routes: impl Fn(Inside) -> axum::Router + Send + Sync + 'static) -> Self {
        Self(Arc::new(routes))
    }

    pub(crate) fn routes(&self, inside: Inside) -> axum::Router {
        (self.0)(inside)
    }
}
