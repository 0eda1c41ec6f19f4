//! The socket: connections, their limits, and an end without loss.

use crate::assets::Assets;
use crate::events::EventHub;
use crate::guard::AllowedHosts;
use crate::listen;
use crate::places::{Mark, Place, Places};
use crate::router::{Acts, ServerOptions, router_with};
use crate::stall::Stall;
use crate::tls::Transport;
use crate::token::TokenFile;
use axum::http::uri::Authority;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use retrace_api::App;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

/// Longest time for the head of a request may take, and the handshake before it, and how long an idle connection is
/// kept.
const HEAD_TIME: Duration = Duration::from_secs(15);
/// Longest time a client may leave an answer unread.
const UNREAD_TIME: Duration = Duration::from_secs(30);
/// Bytes of a request's head. Browsers send about 1 KiB.
const HEAD_BYTES: usize = 64 * 1024;
/// Header lines of a request.
const HEAD_LINES: usize = 100;
/// Connections at once. A window uses at most seven. One more takes the place of the oldest that showed no token.
const CONNECTIONS: usize = 128;
/// Commands at once; others wait. More would only wait for each other in the log.
const COMMANDS_AT_ONCE: usize = 16;
/// Longest time requests under way may take to end once the server was asked to stop.
const GRACE: Duration = Duration::from_secs(2);
/// Longest time acts under way may take after that. Each is whole wherever it ends: this only spares the user a part of
/// one.
const GRACE_OF_ACTS: Duration = Duration::from_secs(8);
/// Pause after a connection could not be taken, so that a lack of file descriptors does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A source of random bytes.
pub type Entropy = Arc<dyn Fn(&mut [u8]) + Send + Sync>;

/// Options of a start.
#[derive(Clone)]
pub struct StartOptions {
    /// Address and port, such as `127.0.0.1:0`; port 0 takes any free one.
    pub listen: String,
    /// Transport: says if other machines may reach that address, and how.
    pub transport: Transport,
    /// Further names that clients reach it by, such as `memory.example` or `memory.example:8443`.
    pub hosts: Vec<String>,
    /// The file with the token; made when missing.
    pub token_file: PathBuf,
    /// Random bytes for a new token.
    pub entropy: Entropy,
    /// The window's files.
    pub assets: Assets,
    /// True if the Memory Stores API also serves what only its seed had.
    pub legacy_stores: bool,
}

/// A server that runs on threads of its own. Dropping it stops it.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    origin: String,
    token_file: TokenFile,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

/// Starts a server. It answers from the moment this returns.
///
/// # Errors
/// [`Code::Invalid`] for an address that is in use or beyond what `transport` allows, for a name that is none, for a
/// certificate or key that cannot be used, and for a token file that holds no token, or a short one where others can
/// try to guess it; [`Code::CannotWrite`] when the token file cannot be made, [`Code::Internal`] when the machine has
/// no thread left.
pub fn start(app: Arc<App>, options: StartOptions) -> Result<Running, ApiError> {
    let address = listen::parse(&options.listen, options.transport.beyond_this_machine())?;
    let names: Vec<Authority> =
        options.hosts.iter().map(|name| listen::name(name)).collect::<Result<_, _>>()?;
    let tls = options.transport.acceptor()?;
    let token_file = TokenFile::read_or_make(&options.token_file, &*options.entropy)?;
    if !address.ip().is_loopback() && token_file.token.is_short() {
        return Err(short_token(&token_file));
    }
    let listener = listen::bind(address)?;
    let address = listener.local_addr().map_err(|error| no_thread(&error))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(COMMANDS_AT_ONCE)
        .thread_name("retrace-http")
        .enable_all()
        .build()
        .map_err(|error| no_thread(&error))?;
    let hub = EventHub::start(&app)?;
    let served = ServerOptions {
        token: token_file.token.clone(),
        hosts: AllowedHosts::named(address, tls.is_some(), &names),
        assets: options.assets,
        legacy_stores: options.legacy_stores,
    };
    let origin = origin(address, tls.is_some(), names.first());
    let acts = Acts::default();
    let router = router_with(app, served, Arc::clone(&hub), Arc::clone(&acts))?;
    let (stop, stopped) = watch::channel(false);
    let serve = move || {
        match runtime.block_on(async { TcpListener::from_std(listener) }) {
            Ok(listener) => {
                runtime.block_on(accept(listener, Connections::new(router, tls), &hub, &acts, stopped));
            }
            Err(error) => tracing::error!(%error, "the listener cannot be used"),
        }
        // A command that only reads may take long, and nobody waits for its answer any more.
        runtime.shutdown_background();
    };
    let thread = std::thread::Builder::new()
        .name("retrace-serve".to_owned())
        .spawn(serve)
        .map_err(|error| no_thread(&error))?;
    Ok(Running { address, origin, token_file, stop, thread: Some(thread) })
}

impl Running {
    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its origin, `http://127.0.0.1:PORT`; under the first of its names where it has one.
    #[must_use]
    pub fn origin(&self) -> String {
        self.origin.clone()
    }

    /// The address for a browser. The token is in the fragment, which browsers send to nobody.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}/#token={}", self.origin(), self.token_file.token.reveal())
    }

    /// The token, where it is, and what is worth knowing about it.
    #[must_use]
    pub fn token_file(&self) -> &TokenFile {
        &self.token_file
    }

    /// True if it still answers.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// Stops it: requests under way are answered, event streams end.
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

/// Where clients find the server: under its first name, or its address, or this machine's where it listens on all.
fn origin(address: SocketAddr, tls: bool, name: Option<&Authority>) -> String {
    let scheme = if tls { "https" } else { "http" };
    let host = match name {
        Some(name) if name.port().is_some() => name.to_string(),
        Some(name) => format!("{}:{}", name.host(), address.port()),
        None if address.ip().is_unspecified() => format!("localhost:{}", address.port()),
        None => address.to_string(),
    };
    format!("{scheme}://{host}")
}

/// Parameters of serving a connection.
#[derive(Clone)]
struct Connections {
    http: http1::Builder,
    router: Router,
    tls: Option<TlsAcceptor>,
}

impl Connections {
    fn new(router: Router, tls: Option<TlsAcceptor>) -> Self {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIME)
            .max_buf_size(HEAD_BYTES)
            .max_headers(HEAD_LINES);
        Self { http, router, tls }
    }

    /// Serves a connection until it ends: by its client, by a limit, or because the server stops.
    async fn serve<S>(self, stream: S, mark: Arc<Mark>, watcher: Watcher, mut stopped: watch::Receiver<bool>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let stream = Stall::new(stream, UNREAD_TIME);
        let Some(tls) = &self.tls else { return self.answer(stream, mark, watcher).await };
        let handshake = tokio::select! {
            handshake = tokio::time::timeout(HEAD_TIME, tls.accept(stream)) => handshake,
            _ = stopped.wait_for(|stop| *stop) => return,
        };
        match handshake {
            Ok(Ok(stream)) => self.answer(stream, mark, watcher).await,
            Ok(Err(error)) => tracing::debug!(%error, "a handshake failed"),
            Err(_) => tracing::debug!("a handshake took too long"),
        }
    }

    async fn answer<S>(&self, stream: S, mark: Arc<Mark>, watcher: Watcher)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let service = TowerToHyperService::new(self.router.clone().layer(Extension(mark)));
        let connection = self.http.serve_connection(TokioIo::new(stream), service);
        if let Err(error) = watcher.watch(connection).await {
            tracing::debug!(%error, "a connection ended early");
        }
    }
}

/// Takes connections until `stopped`, then waits for those that are busy.
async fn accept(
    listener: TcpListener,
    connections: Connections,
    hub: &EventHub,
    acts: &Acts,
    mut stopped: watch::Receiver<bool>,
) {
    let graceful = GracefulShutdown::new();
    let places = Places::new(CONNECTIONS);
    loop {
        let next = async {
            let stream = connection(&listener).await;
            (places.take().await, stream)
        };
        let (place, stream) = tokio::select! {
            next = next => next,
            // An error means that nobody is left who could ask to stop.
            _ = stopped.wait_for(|stop| *stop) => break,
        };
        let served = connections.clone().serve(stream, place.mark(), graceful.watcher(), stopped.clone());
        tokio::spawn(in_place(place, served));
    }
    drop(listener);
    hub.close();
    // A client that does not take its answer in time loses it.
    let _ = tokio::time::timeout(GRACE, graceful.shutdown()).await;
    let _ = tokio::time::timeout(GRACE_OF_ACTS, acts.write()).await;
}

/// Serves a connection until it ends or its place is given to another.
async fn in_place(place: Place, served: impl Future<Output = ()>) {
    let mark = place.mark();
    tokio::select! {
        () = served => {}
        () = mark.evicted() => tracing::debug!("a connection without a token left for another"),
    }
}

async fn connection(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Answers are written at once; waiting to fill a packet only delays events.
                let _ = stream.set_nodelay(true);
                return stream;
            }
            Err(error) => {
                tracing::warn!(%error, "a connection was not taken");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

fn short_token(file: &TokenFile) -> ApiError {
    ApiError {
        code: Code::Invalid,
        message: Message::verbatim("The token is too short for an address that other machines reach."),
        hint: Message::verbatim("Remove the file to have one made."),
        subject: file.path.display().to_string(),
    }
}

fn no_thread(error: &std::io::Error) -> ApiError {
    let message = format!("The server cannot be started: {}.", retrace_api::wire::why(error));
    ApiError::new(Code::Internal, Message::verbatim(message), "serve")
}

#[cfg(test)]
mod tests;
