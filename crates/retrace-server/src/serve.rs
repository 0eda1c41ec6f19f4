//! The socket: connections, their limits, and an end without loss.

use crate::assets::Assets;
use crate::events::EventHub;
use crate::guard::AllowedHosts;
use crate::listen;
use crate::router::{ServerOptions, router_with};
use crate::stall::Stall;
use crate::token::TokenFile;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use retrace_api::App;
use retrace_api::wire::{ApiError, Code};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

/// How long the head of a request may take, and how long an idle connection is kept.
const HEAD_TIME: Duration = Duration::from_secs(15);
/// How long a client may leave an answer unread.
const UNREAD_TIME: Duration = Duration::from_secs(30);
/// Bytes of a request's head. Browsers send about 1 KiB.
const HEAD_BYTES: usize = 64 * 1024;
/// Header lines of a request.
const HEAD_LINES: usize = 100;
/// Connections at once. A window uses at most seven.
const CONNECTIONS: usize = 128;
/// Commands at once; others wait. More would only wait for each other in the log.
const COMMANDS_AT_ONCE: usize = 16;
/// How long requests under way may take to end once the server was asked to stop.
const GRACE: Duration = Duration::from_secs(10);
/// Pause after a connection could not be taken, so that a lack of file descriptors does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A source of random bytes.
pub type Entropy = Arc<dyn Fn(&mut [u8]) + Send + Sync>;

/// What a server is started with.
#[derive(Clone)]
pub struct StartOptions {
    /// Loopback address and port, such as `127.0.0.1:0`; port 0 takes any free one.
    pub listen: String,
    /// The file with the token; made when missing.
    pub token_file: PathBuf,
    /// Random bytes for a new token.
    pub entropy: Entropy,
    /// The window's files.
    pub assets: Assets,
    /// Whether the Memory Stores API also serves what only its seed had.
    pub legacy_stores: bool,
}

/// A server that runs on threads of its own. Dropping it stops it.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    token_file: TokenFile,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

/// Starts a server. It answers from the moment this returns.
///
/// # Errors
/// [`Code::Invalid`] for an address that is in use or not loopback and for a token file that holds no token,
/// [`Code::CannotWrite`] when the token file cannot be made, [`Code::Internal`] when the machine has no thread left.
pub fn start(app: Arc<App>, options: StartOptions) -> Result<Running, ApiError> {
    let address = listen::parse(&options.listen)?;
    let token_file = TokenFile::read_or_make(&options.token_file, &*options.entropy)?;
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
        hosts: AllowedHosts::listening_on(address),
        assets: options.assets,
        legacy_stores: options.legacy_stores,
    };
    let router = router_with(app, served, Arc::clone(&hub))?;
    let (stop, stopped) = watch::channel(false);
    let serve = move || match runtime.block_on(async { TcpListener::from_std(listener) }) {
        Ok(listener) => runtime.block_on(accept(listener, router, &hub, stopped)),
        Err(error) => tracing::error!(%error, "the listener cannot be used"),
    };
    let thread = std::thread::Builder::new()
        .name("retrace-serve".to_owned())
        .spawn(serve)
        .map_err(|error| no_thread(&error))?;
    Ok(Running { address, token_file, stop, thread: Some(thread) })
}

impl Running {
    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its origin, `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
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

    /// Whether it still answers.
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

/// Takes connections until `stopped`, then waits for those that are busy.
async fn accept(listener: TcpListener, router: Router, hub: &EventHub, mut stopped: watch::Receiver<bool>) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEAD_LINES);
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, connection(&listener).await)
        };
        let (place, stream) = tokio::select! {
            next = next => next,
            // An error means that nobody is left who could ask to stop.
            _ = stopped.wait_for(|stop| *stop) => break,
        };
        let io = TokioIo::new(Stall::new(stream, UNREAD_TIME));
        let connection = graceful.watch(http.serve_connection(io, TowerToHyperService::new(router.clone())));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(place);
        });
    }
    drop(listener);
    hub.close();
    // A client that does not take its answer in time loses it; the act itself runs to its end on its own thread.
    let _ = tokio::time::timeout(GRACE, graceful.shutdown()).await;
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

fn no_thread(error: &std::io::Error) -> ApiError {
    ApiError {
        code: Code::Internal,
        message: format!("The server cannot be started: {error}."),
        hint: String::new(),
        subject: "serve".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::options_in;
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::TcpStream;

    fn started(folder: &std::path::Path, listen: &str) -> Result<Running, ApiError> {
        let options = options_in(folder);
        let entropy = Arc::clone(&options.entropy);
        let app = Arc::new(App::open(options).expect("an app"));
        let token_file = folder.join("token");
        start(
            app,
            StartOptions {
                listen: listen.to_owned(),
                token_file,
                entropy,
                assets: Assets::default(),
                legacy_stores: false,
            },
        )
    }

    /// Sends a request and leaves the answer to be read.
    fn ask(server: &Running, head: &str) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(server.address()).expect("a connection");
        let token = server.token_file().token.reveal();
        write!(stream, "{head}\r\nHost: {}\r\nx-api-key: {token}\r\n\r\n", server.address())
            .expect("a request");
        BufReader::new(stream)
    }

    #[test]
    fn it_answers_until_it_is_stopped() {
        let folder = tempfile::tempdir().expect("a folder");
        let server = started(folder.path(), "127.0.0.1:0").expect("a server");
        let (address, origin) = (server.address(), server.origin());
        assert_eq!(server.url(), format!("{origin}/#token={}", server.token_file().token.reveal()));
        let mut answer = String::new();
        ask(&server, "GET /healthz HTTP/1.1\r\nConnection: close")
            .read_to_string(&mut answer)
            .expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\nok\n"), "{answer}");
        assert!(server.is_running());
        server.stop();
        assert!(TcpStream::connect(address).is_err());
    }

    #[test]
    fn stopping_ends_event_streams() {
        let folder = tempfile::tempdir().expect("a folder");
        let server = started(folder.path(), "127.0.0.1:0").expect("a server");
        let mut events = ask(&server, "GET /api/v1/events HTTP/1.1");
        let mut line = String::new();
        while !line.starts_with("data: ") {
            line.clear();
            assert_ne!(
                events.read_line(&mut line).expect("a line"),
                0,
                "the stream ended before its first event"
            );
        }
        server.stop();
        let mut rest = String::new();
        events.read_to_string(&mut rest).expect("an orderly end");
        assert!(rest.ends_with("0\r\n\r\n"), "{rest:?}");
    }

    #[test]
    fn nothing_but_loopback_is_listened_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let refused = started(folder.path(), "0.0.0.0:0").expect_err("all interfaces");
        assert_eq!(refused.code, Code::Invalid);
        assert!(!folder.path().join("token").exists(), "nothing was made for a server that cannot be");
    }
}
