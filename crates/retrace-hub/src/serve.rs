//! The socket of a hub.

use crate::Failure;
use crate::database::Database;
use crate::inside::{Beside, Inside};
use crate::keys::HubKeys;
use crate::metrics::Readers;
use crate::people::{self, Door, People};
use crate::retention;
use crate::routes::{Hub, router};
use axum::Router;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Longest time that the head of a request may take, and the handshake before it.
const HEAD_TIME: Duration = Duration::from_secs(15);
/// Longest time that requests under way may take to end once the hub was asked to stop.
const GRACE: Duration = Duration::from_secs(10);
/// Pause after a connection could not be taken.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Certificate and key, as PEM files.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The certificate, followed by those between it and the root.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// Options of a start.
#[derive(Clone)]
pub struct HubOptions {
    /// Address of the database, as libpq takes it. May hold a password.
    pub database: String,
    /// Address and port to listen on.
    pub listen: String,
    /// The key file; made when missing.
    pub key_file: PathBuf,
    /// Certificate; any but a loopback address wants one.
    pub tls: Option<TlsFiles>,
    /// Makes one more token for an owner, where the first was lost.
    pub new_owner_token: bool,
    /// File with the token that `/metrics` wants. Without one, `/metrics` is there on a loopback address alone.
    pub metrics_token_file: Option<PathBuf>,
    /// The identity provider of the organisation.
    pub people: People,
    /// File with the secret of the hub as the provider's client, where that wants one.
    pub client_secret_file: Option<PathBuf>,
    /// What else is served at the address: the window.
    pub beside: Option<Beside>,
    /// Hours that a window lasts which a token opened.
    pub window_hours: u32,
}

/// Hours that a window lasts which a token opened, where nothing else is said: a week.
pub const WINDOW_HOURS: u32 = 7 * 24;

/// Microseconds of an hour.
const HOUR: i64 = 3_600 * 1_000_000;

impl HubOptions {
    /// A hub on a free loopback port, without TLS.
    #[must_use]
    pub fn new(database: &str, key_file: &std::path::Path) -> Self {
        Self {
            database: database.to_owned(),
            listen: "127.0.0.1:0".to_owned(),
            key_file: key_file.to_path_buf(),
            tls: None,
            new_owner_token: false,
            metrics_token_file: None,
            people: People::AsBefore,
            client_secret_file: None,
            beside: None,
            window_hours: WINDOW_HOURS,
        }
    }
}

/// A hub that runs on threads of its own. Dropping it stops it.
#[derive(Debug)]
pub struct Running {
    url: String,
    owner_token: Option<String>,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

/// Starts a hub: migrates the database, then answers from the moment this returns.
///
/// # Errors
/// [`Failure`].
pub fn start(options: HubOptions) -> Result<Running, Failure> {
    let refused = |why: &dyn std::fmt::Display| Failure::Listen(options.listen.clone(), why.to_string());
    let named = options.listen.replacen("localhost:", "127.0.0.1:", 1);
    let address: SocketAddr = named.parse().map_err(|error| refused(&error))?;
    if !address.ip().is_loopback() && options.tls.is_none() {
        return Err(Failure::NotEncrypted(options.listen));
    }
    let tls = options.tls.as_ref().map(acceptor).transpose()?;
    let readers = Readers::of(options.metrics_token_file.as_deref(), address.ip().is_loopback())?;
    let door = Door::of(options.client_secret_file.as_ref())?;
    let machine = |error: std::io::Error| Failure::Machine(error.to_string());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .thread_name("retrace-hub")
        .enable_all()
        .build()
        .map_err(machine)?;
    let key_file = options.key_file.display().to_string();
    // A new key file beside a database that has one elsewhere would be of no use, and be taken for the right one later. Another process
    // may be just making both, so the file is looked for again.
    if !options.key_file.exists()
        && runtime.block_on(Database::has_a_hub(&options.database))?
        && !options.key_file.exists()
    {
        return Err(Failure::NoKeyFile(key_file));
    }
    let keys = HubKeys::read_or_make(&options.key_file)?;
    let listener = StdListener::bind(address).map_err(|error| refused(&error))?;
    listener.set_nonblocking(true).map_err(|error| refused(&error))?;
    let address = listener.local_addr().map_err(|error| refused(&error))?;
    let opened =
        runtime.block_on(Database::open(&options.database, &keys, &key_file, options.new_owner_token));
    let (database, owner_token) = opened?;
    runtime.block_on(people::settle(&database, database.org(), &options.people))?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let hub = Arc::new(Hub::new(database, keys, readers, door, i64::from(options.window_hours) * HOUR));
    let mut router = router(Arc::clone(&hub));
    if let Some(beside) = &options.beside {
        let inside = Inside::new(Arc::clone(&hub), runtime.handle().clone(), address, tls.is_some());
        router = router.merge(beside.routes(inside));
    }
    let (stop, stopped) = watch::channel(false);
    runtime.spawn(retention::keep_up(hub, stopped.clone()));
    let serve = move || {
        match runtime.block_on(async { TcpListener::from_std(listener) }) {
            Ok(listener) => runtime.block_on(accept(listener, router, tls, stopped)),
            Err(error) => tracing::error!(%error, "the listener cannot be used"),
        }
        runtime.shutdown_background();
    };
    let thread = std::thread::Builder::new().name("retrace-hub".to_owned()).spawn(serve).map_err(machine)?;
    Ok(Running { url: format!("{scheme}://{address}"), owner_token, stop, thread: Some(thread) })
}

impl Running {
    /// Where machines reach it.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The one-time token for the first owner, where one was made.
    #[must_use]
    pub fn owner_token(&self) -> Option<&str> {
        self.owner_token.as_deref()
    }

    /// True if it still answers.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// Stops it: requests under way are answered.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        // An error means that it has ended already.
        let _ = self.stop.send(true);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, Failure> {
    let refused = |error: &dyn std::fmt::Display| Failure::Certificate(error.to_string());
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(&files.certificate)
        .and_then(Iterator::collect)
        .map_err(|error| refused(&error))?;
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| refused(&error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| refused(&error))?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| refused(&error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Takes connections until `stopped`, then waits for those that are busy.
async fn accept(
    listener: TcpListener,
    router: Router,
    tls: Option<TlsAcceptor>,
    mut stopped: watch::Receiver<bool>,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
    let graceful = GracefulShutdown::new();
    loop {
        let taken = tokio::select! {
            taken = listener.accept() => taken,
            // An error means that nobody is left who could ask to stop.
            _ = stopped.wait_for(|stop| *stop) => break,
        };
        let (stream, peer) = match taken {
            Ok(taken) => taken,
            Err(error) => {
                tracing::warn!(%error, "a connection was not taken");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        // Answers are written at once.
        let _ = stream.set_nodelay(true);
        let routes = TowerToHyperService::new(router.clone());
        let service = service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            routes.call(request)
        });
        let (http, tls, watcher) = (http.clone(), tls.clone(), graceful.watcher());
        tokio::spawn(async move {
            let ended = match tls {
                None => watcher.watch(http.serve_connection(TokioIo::new(stream), service)).await,
                Some(tls) => match tokio::time::timeout(HEAD_TIME, tls.accept(stream)).await {
                    Ok(Ok(stream)) => {
                        watcher.watch(http.serve_connection(TokioIo::new(stream), service)).await
                    }
                    _ => return,
                },
            };
            if let Err(error) = ended {
                tracing::debug!(%error, "a connection ended early");
            }
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(GRACE, graceful.shutdown()).await;
}
