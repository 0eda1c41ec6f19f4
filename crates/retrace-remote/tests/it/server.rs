//! A host on a loopback port that answers each call as a script says, and what the tests share.

use retrace_remote::{Cancel, Config, Host, Key, KeyKind, KeySource, Timing};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The key that calls are made with.
pub(crate) const KEY: &str = "key-of-the-test";
pub(crate) const STORE: &str = "memstore_01a";
pub(crate) const MEMORY: &str = "mem_01b";
pub(crate) const VERSION: &str = "memver_01c";
pub(crate) const EMPTY_SHA256: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// A call as it came in.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// `GET /v1/…`
    pub(crate) fn line(&self) -> String {
        format!("{} {}", self.method, self.target)
    }
}

/// Reply of the host to a call.
pub(crate) enum Reply {
    /// A status, headers and a body.
    Status(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// The end of the connection without a word.
    HangUp,
    /// Nothing, until the client goes away.
    Stall,
}

/// 200 with JSON.
pub(crate) fn ok(body: &Value) -> Reply {
    Reply::Status(200, Vec::new(), body.to_string().into_bytes())
}

/// An error in the API's form.
pub(crate) fn refusal(status: u16, kind: &str, message: &str) -> Reply {
    let body = json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"});
    Reply::Status(status, Vec::new(), body.to_string().into_bytes())
}

/// A running host. Its threads end with the connections; the listening one with the process.
pub(crate) struct Server {
    port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
}

type Script = Arc<dyn Fn(usize, &Seen) -> Reply + Send + Sync>;

impl Server {
    /// Answers the nth call, from 0, as the script says.
    pub(crate) fn start(script: impl Fn(usize, &Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (script, log): (Script, _) = (Arc::new(script), seen.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (script, log) = (script.clone(), log.clone());
                thread::spawn(move || serve(stream, &script, &log));
            }
        });
        Self { port, seen }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn config(&self) -> Config {
        let key = Key::new(KEY, KeyKind::ApiKey, KeySource::Given).unwrap();
        Config {
            base_url: format!("http://127.0.0.1:{}/base", self.port),
            key: Some(key),
            ..Config::default()
        }
    }

    pub(crate) fn host(&self) -> Host {
        Host::with_timing(self.config(), Arc::new(Impatient)).unwrap()
    }
}

/// Does not wait.
pub(crate) struct Impatient;

impl Timing for Impatient {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH
    }

    fn wait(&self, _: Duration, cancel: &Cancel) -> bool {
        cancel.is_cancelled()
    }

    fn random(&self) -> f64 {
        0.0
    }
}

/// One connection, call after call. A failure to read or write is the client's leaving.
fn serve(stream: TcpStream, script: &Script, log: &Mutex<Vec<Seen>>) -> Option<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let seen = read_call(&mut stream)?;
        let at = {
            let mut log = log.lock().unwrap();
            log.push(seen.clone());
            log.len() - 1
        };
        match script(at, &seen) {
            Reply::Status(status, headers, body) => {
                let mut head = format!("HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\n");
                for (name, value) in headers {
                    head.push_str(&format!("{name}: {value}\r\n"));
                }
                head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
                // In one piece: in two, the second waits for a word about the first.
                let answer = [head.as_bytes(), &body].concat();
                let out = stream.get_mut();
                out.write_all(&answer).ok()?;
                out.flush().ok()?;
            }
            Reply::HangUp => return None,
            Reply::Stall => {
                stream.read_to_end(&mut Vec::new()).ok()?;
                return None;
            }
        }
    }
}

fn read_call(stream: &mut BufReader<TcpStream>) -> Option<Seen> {
    let line = |stream: &mut BufReader<TcpStream>| {
        let mut text = String::new();
        (stream.read_line(&mut text).ok()? > 0).then(|| text.trim_end().to_owned())
    };
    let first = line(stream)?;
    let mut words = first.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let text = line(stream)?;
        if text.is_empty() {
            break;
        }
        let (name, value) = text.split_once(':')?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut seen = Seen { method, target, headers, body: Vec::new() };
    seen.body = vec![0; seen.header("content-length").unwrap_or("0").parse().ok()?];
    stream.read_exact(&mut seen.body).ok()?;
    Some(seen)
}

/// A store as the fact sheet's example.
pub(crate) fn store() -> Value {
    json!({"id": STORE, "type": "memory_store", "name": "Demo", "description": "", "metadata": {"a": "b"},
        "created_at": "2026-11-20T10:00:00Z", "updated_at": "2026-11-20T10:00:00.5Z", "archived_at": null})
}

/// A memory with no bytes, with its content.
pub(crate) fn memory() -> Value {
    json!({"id": MEMORY, "type": "memory", "memory_store_id": STORE, "memory_version_id": VERSION,
        "path": "/prefs/format.md", "content": "", "content_size_bytes": 0, "content_sha256": EMPTY_SHA256,
        "created_at": "2026-11-20T10:00:01Z", "updated_at": "2026-11-20T10:00:01Z"})
}

/// A version with no bytes, with its content.
pub(crate) fn version() -> Value {
    json!({"id": VERSION, "type": "memory_version", "memory_store_id": STORE, "memory_id": MEMORY,
        "operation": "modified", "path": "/prefs/format.md", "content": "", "content_size_bytes": 0,
        "content_sha256": EMPTY_SHA256, "created_by": {"type": "api_actor", "api_key_id": "apikey_01Hx"},
        "created_at": "2026-11-20T10:05:00Z", "redacted_at": null, "redacted_by": null})
}

/// A dream that has ended.
pub(crate) fn dream() -> Value {
    json!({"id": "drm_1", "type": "dream", "status": "completed",
        "inputs": [{"type": "memory_store", "memory_store_id": STORE}, {"type": "sessions", "session_ids": ["sesn_1", "sesn_2"]}],
        "outputs": [{"type": "memory_store", "memory_store_id": "memstore_02"}],
        "model": {"id": "claude-opus-5", "speed": "standard"}, "instructions": null,
        "output_behavior": {"type": "create_new"}, "session_id": "sesn_9", "error": null,
        "usage": {"input_tokens": 1, "output_tokens": 2, "cache_creation_input_tokens": 3, "cache_read_input_tokens": 4},
        "created_at": "2026-11-20T10:05:00Z", "ended_at": "2026-11-20T11:05:00Z", "archived_at": null})
}

/// A page.
pub(crate) fn page(data: &[Value], next: Option<&str>) -> Value {
    json!({"data": data, "next_page": next})
}
