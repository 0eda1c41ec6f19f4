//! The server on a socket, and connections of every bad sort. Where time passes, it is a clock that only moves when nothing else can.

use super::*;
use crate::Token;
use crate::tests::options_in;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{self, ClientConfig, ClientConnection, RootCertStore, StreamOwned};

fn options(folder: &Path, listen: &str, transport: Transport, hosts: &[&str]) -> StartOptions {
    StartOptions {
        listen: listen.to_owned(),
        transport,
        hosts: hosts.iter().map(|&host| host.to_owned()).collect(),
        token_file: folder.join("token"),
        entropy: Arc::new(|bytes: &mut [u8]| bytes.fill(7)),
        assets: Assets::default(),
        legacy_stores: false,
    }
}

fn started_with(folder: &Path, options: StartOptions) -> Result<Running, ApiError> {
    start(Arc::new(App::open(options_in(folder)).expect("an app")), options)
}

fn started(folder: &Path, listen: &str) -> Result<Running, ApiError> {
    started_with(folder, options(folder, listen, Transport::ThisMachine, &[]))
}

/// Sends a request and leaves the answer to be read.
fn ask(server: &Running, head: &str) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(server.address()).expect("a connection");
    let token = server.token_file().token.reveal();
    write!(stream, "{head}\r\nHost: {}\r\nx-api-key: {token}\r\n\r\n", server.address()).expect("a request");
    BufReader::new(stream)
}

/// Asks for `path` under a host's name, with further header lines, and reads the whole answer.
fn answer(mut stream: impl Read + Write, path: &str, host: &str, lines: &str) -> String {
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{lines}\r\n")
        .expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn it_answers_until_it_is_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = started(folder.path(), "127.0.0.1:0").expect("a server");
    let (address, origin) = (server.address(), server.origin());
    assert_eq!(origin, format!("http://{address}"));
    assert_eq!(server.url(), format!("{origin}/#token={}", server.token_file().token.reveal()));
    let stream = TcpStream::connect(address).expect("a connection");
    let answer = answer(stream, "/healthz", &address.to_string(), "");
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
fn nothing_but_loopback_is_listened_on_unasked() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = started(folder.path(), "0.0.0.0:0").expect_err("all interfaces");
    assert_eq!(refused.code, Code::Invalid);
    assert!(refused.hint.contains("--tls-cert"), "{}", refused.hint);
    assert!(!folder.path().join("token").exists(), "nothing was made for a server that cannot be");
}

#[test]
fn beyond_this_machine_the_token_and_the_name_are_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let asked = options(folder.path(), "0.0.0.0:0", Transport::InsecurePlainHttp, &["memory.example"]);
    let server = started_with(folder.path(), asked).expect("a server");
    let port = server.address().port();
    assert_eq!(server.origin(), format!("http://memory.example:{port}"));
    let connect = || TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    let key = format!("x-api-key: {}\r\n", server.token_file().token.reveal());
    for (host, lines, status) in [
        (format!("memory.example:{port}"), &*key, "404"),
        (format!("127.0.0.1:{port}"), &key, "404"),
        (format!("0.0.0.0:{port}"), &key, "404"),
        (format!("memory.example:{port}"), "", "401"),
        (format!("memory.example:{port}"), "x-api-key: 07\r\n", "401"),
        ("memory.example".to_owned(), &key, "403"),
        (format!("other.example:{port}"), &key, "403"),
        (format!("192.0.2.7:{port}"), &key, "403"),
    ] {
        let reply_text = answer(connect(), "/api/v1/none/none", &host, lines);
        assert!(reply_text.starts_with(&format!("HTTP/1.1 {status} ")), "{host} {lines} {reply_text}");
    }
}

#[test]
fn a_short_token_is_for_this_machine_only() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("token"), "secret\n").expect("a file");
    assert!(started(folder.path(), "127.0.0.1:0").is_ok());
    let asked = options(folder.path(), "0.0.0.0:0", Transport::InsecurePlainHttp, &[]);
    assert_eq!(started_with(folder.path(), asked).expect_err("a short token").code, Code::Invalid);
}

/// A certificate for `memory.example` in `folder`, and what trusts it.
fn certified(folder: &Path) -> (Transport, Arc<ClientConfig>) {
    let made = rcgen::generate_simple_self_signed(["memory.example".to_owned()]).expect("a certificate");
    let (certificate, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    std::fs::write(&certificate, made.cert.pem()).expect("a file");
    std::fs::write(&key, made.signing_key.serialize_pem()).expect("a file");
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(&certificate).expect("PEM")).expect("a root");
    let client = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    (Transport::Tls { certificate, key }, Arc::new(client))
}

#[test]
fn with_a_certificate_it_speaks_tls_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let (transport, client) = certified(folder.path());
    let asked = options(folder.path(), "127.0.0.1:0", transport, &["memory.example"]);
    let server = started_with(folder.path(), asked).expect("a server");
    let host = format!("memory.example:{}", server.address().port());
    assert_eq!(server.origin(), format!("https://{host}"));
    let connect = || TcpStream::connect(server.address()).expect("a connection");
    let secure = || {
        let name = ServerName::try_from("memory.example").expect("a name");
        StreamOwned::new(ClientConnection::new(Arc::clone(&client), name).expect("a client"), connect())
    };
    let reply_text = answer(secure(), "/healthz", &host, "");
    assert!(
        reply_text.starts_with("HTTP/1.1 200 OK\r\n") && reply_text.ends_with("\r\n\r\nok\n"),
        "{reply_text}"
    );
    for (host, origin, status) in [
        (&*host, format!("https://{host}"), "200"),
        (&host, format!("http://{host}"), "403"),
        ("other.example", "https://other.example".to_owned(), "403"),
    ] {
        let reply_text = answer(secure(), "/healthz", host, &format!("Origin: {origin}\r\n"));
        assert!(reply_text.starts_with(&format!("HTTP/1.1 {status} ")), "{reply_text}");
    }
    // Whoever speaks plainly is not answered in HTTP.
    let mut plain = connect();
    let mut reply_text = Vec::new();
    // The connection may end at the first wrong byte, with an error on either way.
    let _ = write!(plain, "GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let _ = plain.read_to_end(&mut reply_text);
    assert!(!reply_text.starts_with(b"HTTP"), "{reply_text:?}");
    // One that says nothing does not keep the server from stopping.
    let silent = connect();
    server.stop();
    drop(silent);
}

const HOST: &str = "127.0.0.1:4711";
const KEY: &str = "0123456789abcdef";

/// A connection that is served, without a socket.
fn connected(folder: &Path, tls: Option<TlsAcceptor>) -> DuplexStream {
    connected_to(routed(folder), tls)
}

fn routed(folder: &Path) -> Router {
    let app = Arc::new(App::open(options_in(folder)).expect("an app"));
    let served = ServerOptions {
        token: Token::new(KEY).expect("a token"),
        hosts: AllowedHosts::listening_on(HOST.parse().expect("an address")),
        assets: Assets::default(),
        legacy_stores: false,
    };
    crate::router(app, served).expect("a router")
}

fn connected_to(router: Router, tls: Option<TlsAcceptor>) -> DuplexStream {
    let (ours, theirs) = duplex(256 * 1024);
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(async move {
        let mark = Arc::new(Mark::default());
        Connections::new(router, tls).serve(theirs, mark, GracefulShutdown::new().watcher(), stopped).await;
        drop(stop);
    });
    ours
}

/// Sends `first`, then `piece` again and again with a pause, until the server closes. What it said.
async fn drip(stream: DuplexStream, first: &str, piece: &[u8], pause: Duration) -> String {
    let (mut reading, mut writing) = tokio::io::split(stream);
    writing.write_all(first.as_bytes()).await.expect("the first bytes");
    let send = async {
        while writing.write_all(piece).await.is_ok() {
            tokio::time::sleep(pause).await;
        }
        std::future::pending::<()>().await;
    };
    let mut reply_text = Vec::new();
    tokio::select! {
        // Bytes read before the end count, however the end came.
        _ = reading.read_to_end(&mut reply_text) => {}
        () = send => {}
    }
    String::from_utf8(reply_text).expect("text")
}

#[test]
fn who_holds_connections_without_a_token_keeps_nobody_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = started(folder.path(), "127.0.0.1:0").expect("a server");
    let idle: Vec<TcpStream> =
        (0..2 * CONNECTIONS).map(|_| TcpStream::connect(server.address()).expect("a connection")).collect();
    let mut answer =
        ask(&server, "GET /v1/memory_stores HTTP/1.1\r\nanthropic-beta: agent-memory-2026-07-22");
    // Far less than an idle connection is kept for.
    answer.get_ref().set_read_timeout(Some(HEAD_TIME / 2)).expect("a limit");
    let mut status = String::new();
    answer.read_line(&mut status).expect("an answer before any of them ends by itself");
    assert_eq!(status, "HTTP/1.1 200 OK\r\n");
    drop(idle);
}

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn a_head_that_trickles_in_is_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let head = format!("GET /healthz HTTP/1.1\r\nHost: {HOST}\r\nx-slow: ");
    let reply_text = drip(connected(folder.path(), None), &head, b"a", SECOND).await;
    assert!(!reply_text.contains("200 OK"), "{reply_text}");
}

#[tokio::test(start_paused = true)]
async fn who_says_nothing_is_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut reply_text = Vec::new();
    connected(folder.path(), None).read_to_end(&mut reply_text).await.expect("an end");
    assert!(!reply_text.starts_with(b"HTTP/1.1 200"), "{reply_text:?}");
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_is_closed_after_its_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut stream = connected(folder.path(), None);
    let head = format!("GET /healthz HTTP/1.1\r\nHost: {HOST}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.expect("a request");
    let mut reply_text = String::new();
    stream.read_to_string(&mut reply_text).await.expect("an end");
    assert!(
        reply_text.starts_with("HTTP/1.1 200 OK\r\n") && reply_text.contains("\r\n\r\nok\n"),
        "{reply_text}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_handshake_that_does_not_come_is_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let tls = certified(folder.path()).0.acceptor().expect("files");
    let mut reply_text = Vec::new();
    connected(folder.path(), tls).read_to_end(&mut reply_text).await.expect("an end");
    assert!(reply_text.is_empty(), "{reply_text:?}");
}

#[tokio::test(start_paused = true)]
async fn a_body_that_trickles_in_is_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, status) in [("/v1/memory_stores", "504"), ("/api/v1/status", "408")] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {HOST}\r\nx-api-key: {KEY}\r\ncontent-type: application/json\r\n\
             content-length: 100000\r\n\r\n"
        );
        let reply_text = drip(connected(folder.path(), None), &head, b" ", SECOND).await;
        assert!(reply_text.starts_with(&format!("HTTP/1.1 {status} ")), "{reply_text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_head_with_too_much_in_it_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let head = format!("GET /healthz HTTP/1.1\r\nHost: {HOST}\r\n");
    let many: String = (0..HEAD_LINES).map(|line| format!("x-{line}: a\r\n")).collect();
    let large = format!("x-large: {}\r\n", "a".repeat(2 * HEAD_BYTES));
    for lines in [many, large] {
        let mut stream = connected(folder.path(), None);
        stream.write_all(format!("{head}{lines}\r\n").as_bytes()).await.expect("a request");
        let mut reply_text = String::new();
        stream.read_to_string(&mut reply_text).await.expect("an end");
        assert!(reply_text.starts_with("HTTP/1.1 431 "), "{} {reply_text}", lines.len());
    }
}

/// Bytes that break requests.
const BYTES: [&[u8]; 40] = [
    b"GET /healthz HTTP/1.1\r\n",
    b"POST /v1/memory_stores HTTP/1.1\r\n",
    b"POST /api/v1/status HTTP/1.1\r\n",
    b"GET /v1/memory_stores/../../healthz HTTP/1.1\r\n",
    b"GET http://evil.example/healthz HTTP/1.1\r\n",
    b"GET /\xff\xfe HTTP/1.1\r\n",
    b"GET /a b HTTP/1.1\r\n",
    b"GET  /healthz  HTTP/1.1\r\n",
    b"GET /healthz HTTP/0.9\r\n",
    b"GET /healthz HTTP/9.9\r\n",
    b"GET /healthz\r\n",
    b"CONNECT evil.example:443 HTTP/1.1\r\n",
    b"OPTIONS * HTTP/1.1\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"\0\0\0\0",
    b"\n",
    b"\r\n",
    b"\r\n\r\n",
    b"Host: 127.0.0.1:4711\r\n",
    b"Host: 127.0.0.1:4711\r\n",
    b"Host: evil.example\r\n",
    b"Host:\r\n",
    b"x-api-key: 0123456789abcdef\r\n",
    b"x-api-key: 0123456789abcdef\r\n",
    b"anthropic-beta: agent-memory-2026-07-22\r\n",
    b"content-type: application/json\r\n",
    b"content-length: 2\r\n",
    b"content-length: -1\r\n",
    b"content-length: 99999999999999999999999\r\n",
    b"transfer-encoding: chunked\r\n",
    b"transfer-encoding : chunked\r\n",
    b"transfer-encoding: identity, chunked, identity\r\n",
    b"expect: 100-continue\r\n",
    b"connection: upgrade, close\r\nupgrade: h2c\r\n",
    b": a\r\n",
    b"x\0y: a\r\n",
    b" folded\r\n",
    b"{}",
    b"2\r\n{}\r\n0\r\n\r\n",
];

#[tokio::test(start_paused = true)]
async fn broken_requests_are_refused_or_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let router = routed(folder.path());
    let mut number = 1_u64;
    let mut below = |limit: u64| {
        // Numerical Recipes' generator; the upper bits are good enough to choose with.
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((number >> 33) % limit).expect("small")
    };
    let mut answered = 0;
    for _ in 0..3_000 {
        // A first line, some headers, an end of the head and a body, each of which may be something else.
        let places = [(0, 17), (19, 19), (19, 19), (19, 19), (19, 19), (17, 2), (38, 2)];
        let bytes: Vec<u8> = places
            .iter()
            .flat_map(|&(first, count)| {
                let wrong = below(10) == 0;
                let at = if wrong { below(40) } else { first + below(count) };
                BYTES[at].iter().copied()
            })
            .collect();
        let mut stream = connected_to(router.clone(), None);
        stream.write_all(&bytes).await.expect("it fits");
        let mut reply_text = Vec::new();
        // The end may be an error: not all that was sent was read.
        let _ = stream.read_to_end(&mut reply_text).await;
        let (reply_text, sent) = (String::from_utf8_lossy(&reply_text), String::from_utf8_lossy(&bytes));
        answered += usize::from(reply_text.starts_with("HTTP/1."));
        // 504 is a body that did not come.
        for status in ["500", "501", "502", "503"] {
            assert!(!reply_text.contains(&format!("HTTP/1.1 {status}")), "{sent:?}: {reply_text}");
        }
        assert!(!reply_text.contains("This is a bug"), "{sent:?}: {reply_text}");
    }
    assert!(answered > 1_000, "{answered}");
}
