//! Throughput of the Memory Stores API of a server on this machine answers, over real sockets, and whether an update is
//! ever lost. The clients take the same processors as the server; what they and the sockets take alone shows in the answers
//! of a route that does nothing.
//!
//!     cargo run --release -p retrace-server --example store_load -- [SECONDS] [DIRECTORY]
//!     cargo run --release -p retrace-server --example store_load -- SECONDS --at KEY ADDRESS...
//!
//! DIRECTORY is where the log is made, a temporary one when absent: what a commit costs depends on the disk under it. With `--at`
//! the servers at these addresses (`127.0.0.1:7900`) are measured instead: hubs over one database, say, to which clients go in turns.

#![allow(clippy::panic, reason = "a measurement that went wrong measures nothing")]
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use retrace_api::{App, AppOptions};
use retrace_server::{Assets, StartOptions, Transport, start};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Clients at once.
const CLIENTS: usize = 32;
/// Clients that count one memory up together, and how far each of them counts.
const COUNTERS: (usize, usize) = (8, 25);

/// Servers of the same stores, and their key.
struct Target {
    addresses: Vec<SocketAddr>,
    key: String,
}

impl Target {
    /// A client; each number goes to the next server.
    fn client(&self, number: usize) -> Client {
        Client::new(self.addresses[number % self.addresses.len()], &self.key)
    }
}

/// A connection that is kept.
struct Client {
    stream: BufReader<TcpStream>,
    head: String,
}

impl Client {
    fn new(address: SocketAddr, token: &str) -> Self {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_nodelay(true).expect("a socket");
        let head = format!(
            "Host: {address}\r\nAuthorization: Bearer {token}\r\nanthropic-beta: agent-memory-2026-07-22\r\n\
             Content-Type: application/json\r\n"
        );
        Self { stream: BufReader::new(stream), head }
    }

    fn ask(&mut self, method: &str, tail: &str, body: &str) -> (u16, Value) {
        let (status, body) = self.send(method, &format!("/v1/memory_stores{tail}"), body);
        (status, serde_json::from_slice(&body).expect("JSON"))
    }

    fn send(&mut self, method: &str, path: &str, body: &str) -> (u16, Vec<u8>) {
        let request =
            format!("{method} {path} HTTP/1.1\r\n{}Content-Length: {}\r\n\r\n{body}", self.head, body.len());
        self.stream.get_mut().write_all(request.as_bytes()).expect("a request is sent");
        let (mut line, mut length, mut status) = (String::new(), 0, 0);
        loop {
            line.clear();
            self.stream.read_line(&mut line).expect("a line");
            if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
                status = rest[..3].parse().expect("a status");
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().expect("a length");
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).expect("a body");
        (status, body)
    }
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().expect(field).to_owned()
}

/// Lets every client do `work` until the time is over; answers all latencies, sorted.
fn all(
    target: &Target,
    time: Duration,
    work: impl Fn(&mut Client, usize, usize) + Sync,
) -> (Vec<Duration>, Duration) {
    let began = Instant::now();
    let mut took: Vec<Duration> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let work = &work;
                scope.spawn(move || {
                    let mut client = target.client(number);
                    let mut took = Vec::new();
                    while began.elapsed() < time {
                        let asked = Instant::now();
                        work(&mut client, number, took.len());
                        took.push(asked.elapsed());
                    }
                    took
                })
            })
            .collect();
        clients.into_iter().flat_map(|client| client.join().expect("a client")).collect()
    });
    let whole = began.elapsed();
    took.sort();
    (took, whole)
}

fn say(what: &str, (took, whole): &(Vec<Duration>, Duration)) {
    let at = |share: f64| took[((took.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!(
        "{what}: {:.0} a second, median {:.1} ms, p99 {:.1} ms, longest {:.1} ms ({} requests)",
        took.len() as f64 / whole.as_secs_f64(),
        at(0.5),
        at(0.99),
        at(1.0),
        took.len()
    );
}

/// Count that the memory has reached. Who counted stands behind it: two clients that want the same content would both
/// be right, because an update is no conflict where the memory already is what it asks for.
fn counted(memory: &Value) -> usize {
    let content = text(memory, "content");
    content.split(' ').next().and_then(|number| number.parse().ok()).expect("a number")
}

/// Counts a memory up from many clients, each with the hash it read; answers what the memory says and what it should say.
fn count_up(target: &Target, store: &str) -> (usize, usize, usize) {
    let mut client = target.client(0);
    let made = client.ask(
        "POST",
        &format!("/{store}/memories"),
        &json!({ "path": "/counter", "content": "0" }).to_string(),
    );
    let tail = format!("/{store}/memories/{}", text(&made.1, "id"));
    let conflicts: usize = std::thread::scope(|scope| {
        let counters: Vec<_> = (0..COUNTERS.0)
            .map(|number| {
                let tail = &tail;
                scope.spawn(move || {
                    let mut client = target.client(number);
                    let (mut done, mut conflicts) = (0, 0);
                    while done < COUNTERS.1 {
                        let (_, memory) = client.ask("GET", tail, "");
                        let next = counted(&memory) + 1;
                        let precondition =
                            json!({ "type": "content_sha256", "content_sha256": memory["content_sha256"] });
                        let body =
                            json!({ "content": format!("{next} by {number}"), "precondition": precondition });
                        let body = body.to_string();
                        match client.ask("POST", tail, &body).0 {
                            200 => done += 1,
                            409 => conflicts += 1,
                            other => panic!("{other}"),
                        }
                    }
                    conflicts
                })
            })
            .collect();
        counters.into_iter().map(|counter| counter.join().expect("a counter")).sum()
    });
    let (_, memory) = client.ask("GET", &tail, "");
    (counted(&memory), COUNTERS.0 * COUNTERS.1, conflicts)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(5);
    let time = Duration::from_secs(seconds);
    match arguments.next().as_deref() {
        Some("--at") => {
            let key = arguments.next().expect("a key");
            let addresses = arguments.map(|address| address.parse().expect("an address")).collect();
            measure(&Target { addresses, key }, time);
        }
        place => over_a_log(place.map_or_else(std::env::temp_dir, PathBuf::from), time),
    }
}

/// Measures a server over a log of its own.
fn over_a_log(place: PathBuf, time: Duration) {
    let folder = tempfile::tempdir_in(place).expect("a folder");
    let options = AppOptions::for_this_machine(Some(folder.path().join("data"))).expect("options");
    let entropy = Arc::clone(&options.entropy);
    let app = Arc::new(App::open(options).expect("an app"));
    let (listen, token_file) = ("127.0.0.1:0".to_owned(), folder.path().join("token"));
    let started = StartOptions {
        listen,
        transport: Transport::ThisMachine,
        hosts: Vec::new(),
        token_file,
        entropy,
        assets: Assets::default(),
        legacy_stores: false,
    };
    let server = start(app, started).expect("a server");
    println!("log in {}", folder.path().display());
    let key = server.token_file().token.reveal().to_owned();
    measure(&Target { addresses: vec![server.address()], key }, time);
    server.stop();
}

fn measure(target: &Target, time: Duration) {
    let mut client = target.client(0);
    let stores: Vec<String> = (0..CLIENTS)
        .map(|number| {
            text(&client.ask("POST", "", &json!({ "name": format!("s{number}") }).to_string()).1, "id")
        })
        .collect();
    let memories: Vec<String> = stores
        .iter()
        .map(|store| {
            let body = json!({ "path": "/notes/a.md", "content": "x".repeat(400) }).to_string();
            text(&client.ask("POST", &format!("/{store}/memories"), &body).1, "id")
        })
        .collect();
    println!("{CLIENTS} clients, {} servers, {} s each", target.addresses.len(), time.as_secs());
    let filler = "A line of a memory, as long as such lines are.\n".repeat(8);
    say(
        "updates",
        &all(target, time, |client, number, turn| {
            let tail = format!("/{}/memories/{}", stores[number], memories[number]);
            let body = json!({ "content": format!("{filler}{number} {turn}\n") }).to_string();
            assert_eq!(client.ask("POST", &tail, &body).0, 200);
        }),
    );
    say(
        "answers of a route that does nothing",
        &all(target, time, |client, _, _| assert_eq!(client.send("GET", "/healthz", "").0, 200)),
    );
    let paths: Vec<String> = stores
        .iter()
        .zip(&memories)
        .map(|(store, memory)| format!("/v1/memory_stores/{store}/memories/{memory}"))
        .collect();
    say(
        "reads of a memory",
        &all(target, time, |client, number, _| assert_eq!(client.send("GET", &paths[number], "").0, 200)),
    );
    let (says, should, conflicts) = count_up(target, &stores[0]);
    assert_eq!(says, should, "an update was lost");
    println!(
        "{} clients counted one memory up to {says} with preconditions, {conflicts} conflicts, none lost",
        COUNTERS.0
    );
}
