//! Hubs in processes of their own over a PostgreSQL of their own, machines that sign requests, and connections that stay open.

pub(crate) use postgres::Postgres;
#[path = "../../../../tests/src/postgres.rs"]
#[allow(dead_code, unreachable_pub, reason = "it is a module of the tests, which use the rest")]
mod postgres;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retrace_hub::HubOptions;
use retrace_model::{OrgId, Sha256, StoreId};
use retrace_sync::chain::Head;
use retrace_sync::messages::{Bytes, Join, Joined, NewToken, Token};
use retrace_sync::sign::{SigningKey, join_text, request_text};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The two numbers that a benchmark is asked for with; `None` once this process was a hub of one.
pub(crate) fn asked(usual: [u64; 2]) -> Option<[u64; 2]> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let [word, database, key_file] = words.as_slice()
        && word == "--serve"
    {
        serve(database, Path::new(key_file));
        return None;
    }
    let numbers: Vec<u64> = words.iter().filter_map(|word| word.parse().ok()).collect();
    Some(<[u64; 2]>::try_from(numbers).unwrap_or(usual))
}

/// What a hub's own process does.
fn serve(database: &str, key_file: &Path) {
    let hub = retrace_hub::start(HubOptions::new(database, key_file)).expect("a hub");
    println!("{} {}", hub.url(), hub.owner_token().unwrap_or_default());
    // Ends with whoever started it.
    std::io::stdin().read_to_end(&mut Vec::new()).expect("its input");
}

pub(crate) struct Hub {
    pub(crate) process: Child,
    pub(crate) url: String,
    pub(crate) token: String,
}

impl Hub {
    pub(crate) fn start(postgres: &Postgres, folder: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--serve", &postgres.url()]).arg(folder.join("hub.key"));
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a process");
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().expect("its output")).read_line(&mut line).expect("a line");
        let said = line.trim_end();
        let (url, token) = said.split_once(' ').unwrap_or((said, ""));
        Self { process, url: url.to_owned(), token: token.to_owned() }
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        // It ends by itself.
        let _ = self.process.wait();
    }
}

/// Machines that filled rows are of.
pub(crate) const OWNERS: u64 = 20;

/// Fills the tables of an organisation with `each` versions of each owner, each row as long as a real one.
pub(crate) fn fill(postgres: &Postgres, org: OrgId, each: u64) {
    let began = Instant::now();
    let bytes =
        |number: &str, length: usize| format!("decode(lpad(to_hex({number}), {}, '0'), 'hex')", length * 2);
    let (machine, memory) = (bytes("o + 1000", 16), bytes("s % 5000", 16));
    let hash = "sha256(int8send(s * 100 + o))";
    let org = format!("decode('{}', 'hex')", org.0.map(|byte| format!("{byte:02x}")).concat());
    postgres.sql(
        "postgres",
        &format!(
            "INSERT INTO machines (org, machine, public_key, name, role, joined_at, seen_at)
                 SELECT {org}, {machine}, sha256(int8send(o)), 'filled ' || o, 'writer', 0, 0
                 FROM generate_series(1, {OWNERS}::bigint) o;
             INSERT INTO stores (org, store, machine, name, kind)
                 SELECT {org}, {machine}, {machine}, 'notes', 'notes' FROM generate_series(1, {OWNERS}::bigint) o;
             INSERT INTO versions (org, store, machine, seq, local_seq, operation_seq, memory, operation, source, created_at,
                     received_at, leaf, digest, commitment, observed, redacted, path, salt, content_sha256, content_size)
                 SELECT {org}, {machine}, {machine}, s, s, s, {memory}, 'modified', 'scan', s, s, {hash}, {hash}, {hash}, true,
                     false, convert_to('folder/' || s % 5000 || '.md', 'UTF8'), substr({hash}, 1, 16), {hash}, 1000
                 FROM generate_series(1, {OWNERS}::bigint) o, generate_series(1, {each}::bigint) s;
             INSERT INTO memories (org, store, machine, memory, newest, newest_at, told)
                 SELECT {org}, {machine}, {machine}, {memory}, max(s), max(s) * 100 + o, true
                 FROM generate_series(1, {OWNERS}::bigint) o, generate_series(greatest(1, {each}::bigint - 4999), {each}::bigint) s
                 GROUP BY o, {memory};
             ANALYZE"
        ),
    );
    let total = postgres.query("postgres", "SELECT count(*) FROM versions");
    let size = postgres.query("postgres", "SELECT pg_size_pretty(pg_database_size('postgres'))");
    println!("{total} rows of versions, {size}, filled in {:.0} s", began.elapsed().as_secs_f64());
}

/// A connection that stays open.
pub(crate) struct Connection(BufReader<TcpStream>);

impl Connection {
    pub(crate) fn to(url: &str) -> Self {
        let stream = TcpStream::connect(url.trim_start_matches("http://")).expect("the hub listens");
        stream.set_nodelay(true).expect("a socket");
        Self(BufReader::new(stream))
    }

    /// What a request is answered that is not refused.
    pub(crate) fn send(&mut self, request: &[u8]) -> Vec<u8> {
        let (status, body) = self.ask(request);
        assert!(status.contains(" 200 "), "{status}{}", String::from_utf8_lossy(&body));
        body
    }

    /// The line of its status, and its body.
    pub(crate) fn ask(&mut self, request: &[u8]) -> (String, Vec<u8>) {
        self.0.get_mut().write_all(request).expect("it is sent");
        let (mut status, mut length, mut line) = (String::new(), 0, String::new());
        self.0.read_line(&mut status).expect("an answer");
        while line != "\r\n" {
            line.clear();
            self.0.read_line(&mut line).expect("a header");
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).expect("a body");
        (status, body)
    }
}

pub(crate) struct Machine {
    pub(crate) key: SigningKey,
    pub(crate) org: OrgId,
    pub(crate) store: StoreId,
    pub(crate) head: Head,
    pub(crate) local_seq: u64,
}

pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    i64::try_from(since.as_micros()).expect("a while yet")
}

impl Machine {
    pub(crate) fn join(hub: &Hub, token: &str, number: u64) -> Self {
        let mut seed = [7; 32];
        seed[..8].copy_from_slice(&number.to_be_bytes());
        let key = SigningKey::from_seed(&seed).expect("a seed");
        let public = key.public();
        let signature = Bytes(key.sign(&join_text(token, &public)));
        let join =
            Join { token: token.to_owned(), public_key: Bytes(public), signature, name: number.to_string() };
        let body = serde_json::to_vec(&join).expect("JSON");
        let joined: Joined = read(&Connection::to(&hub.url).send(&request("join", "", &body)));
        let org = OrgId::parse(&joined.org).expect("an id");
        let mut store = [0; 16];
        store[8..].copy_from_slice(&number.to_be_bytes());
        Self { key, org, store: StoreId(store), head: Head::EMPTY, local_seq: 0 }
    }

    /// A token with which another machine joins, by an owner.
    pub(crate) fn token(&self, hub: &Hub, role: &str) -> String {
        let asked = self.signed("token", &NewToken { role: role.to_owned() });
        read::<Token>(&Connection::to(&hub.url).send(&asked)).token
    }

    /// A signed request. It is taken for five minutes.
    pub(crate) fn signed(&self, name: &str, body: &impl Serialize) -> Vec<u8> {
        let body = serde_json::to_vec(body).expect("JSON");
        let at = now();
        let signature = self.key.sign(&request_text(&format!("/hub/v1/{name}"), at, &body));
        let headers = format!(
            "retrace-org: {}\r\nretrace-machine: {}\r\nretrace-time: {at}\r\nretrace-signature: {}\r\n{}: {}\r\n",
            self.org,
            self.key.machine(),
            STANDARD.encode(signature),
            retrace_sync::messages::BODY_HEADER,
            Sha256::of(&body).to_hex()
        );
        request(name, &headers, &body)
    }
}

pub(crate) fn request(name: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head =
        format!("POST /hub/v1/{name} HTTP/1.1\r\nhost: hub\r\n{headers}content-length: {length}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

pub(crate) fn read<T: DeserializeOwned>(body: &[u8]) -> T {
    serde_json::from_slice(body).expect("what a hub answers")
}
