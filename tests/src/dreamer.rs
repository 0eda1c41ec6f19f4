//! A host on this machine that keeps stores and dreams: the Memory Stores API of an app, and the routes of dreams as
//! documented (Python SDK 2.11.0, documentation page "Dreams"). What a dream writes is the test's to say.

use crate::api::StoreApi;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Dreams of a page, however many are asked for.
const PAGE: usize = 2;

/// A host, until it is dropped.
pub struct Dreamer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    stores: StoreApi,
    state: Mutex<State>,
    stopped: AtomicBool,
}

#[derive(Default)]
struct State {
    /// Oldest first.
    dreams: Vec<Value>,
    /// `METHOD PATH BETA` of each call.
    calls: Vec<String>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Dreamer {
    /// Starts a host over the stores of an app.
    #[must_use]
    pub fn start(stores: StoreApi) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared { stores, state: Mutex::default(), stopped: AtomicBool::new(false) });
        let serving = Arc::clone(&shared);
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                if serving.stopped.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(connection) = connection else { continue };
                let shared = Arc::clone(&serving);
                std::thread::spawn(move || serve(&shared, connection));
            }
        });
        Self { address, shared }
    }

    /// Its base URL.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Its stores.
    #[must_use]
    pub fn stores(&self) -> &StoreApi {
        &self.shared.stores
    }

    /// Each call so far, as `METHOD PATH BETA`.
    #[must_use]
    pub fn calls(&self) -> Vec<String> {
        self.shared.state().calls.clone()
    }

    /// Lets a dream come to its end, with a store that begins as a copy of what it reads (or is that) and has these memories
    /// written, or deleted where there is no content. Answers the store it wrote.
    pub fn finish(&self, dream: &str, writes: &[(&str, Option<&str>)]) -> String {
        let stores = self.stores();
        let known = self.shared.state().dreams.iter().find(|known| known["id"] == dream).cloned();
        let known = known.expect("the dream is known");
        let input = known["inputs"][0]["memory_store_id"].as_str().expect("an input").to_owned();
        let output = match known["output_behavior"]["type"].as_str() {
            Some("update_existing") => input.clone(),
            _ => {
                let copy = stores.store("What was dreamt");
                for (path, content) in stores.contents(&input) {
                    stores.create(&copy, &path, &content);
                }
                copy
            }
        };
        for (path, content) in writes {
            stores.put(&output, path, *content);
        }
        let mut state = self.shared.state();
        let known = state.dreams.iter_mut().find(|known| known["id"] == dream).expect("it is known");
        known["status"] = json!("completed");
        known["ended_at"] = json!("2026-11-20T11:00:00Z");
        known["outputs"] = json!([{ "type": "memory_store", "memory_store_id": output }]);
        output
    }
}

impl Drop for Dreamer {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for connections.
        drop(TcpStream::connect(self.address));
    }
}

/// Answers the requests of one connection.
fn serve(shared: &Shared, connection: TcpStream) {
    let Ok(reading) = connection.try_clone() else { return };
    let (mut reading, mut writing) = (BufReader::new(reading), connection);
    while let Some(request) = read(&mut reading) {
        let (status, body) = answer(shared, &request);
        let body = body.to_string();
        let head = format!(
            "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nrequest-id: req_1\r\nx-should-retry: false\r\n\
             content-length: {}\r\n\r\n",
            body.len()
        );
        if writing.write_all(head.as_bytes()).and_then(|()| writing.write_all(body.as_bytes())).is_err() {
            return;
        }
    }
}

struct Asked {
    method: String,
    path: String,
    query: String,
    beta: String,
    body: Value,
}

fn read(reading: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut line = String::new();
    if reading.read_line(&mut line).ok()? == 0 {
        return None;
    }
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (mut length, mut beta) = (0, String::new());
    loop {
        line.clear();
        reading.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok()?,
            "anthropic-beta" => value.trim().clone_into(&mut beta),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reading.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    Some(Asked {
        method,
        path: path.to_owned(),
        query: query.to_owned(),
        beta,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    })
}

fn answer(shared: &Shared, asked: &Asked) -> (u16, Value) {
    shared.state().calls.push(format!("{} {} {}", asked.method, asked.path, asked.beta));
    let Some(rest) = asked.path.strip_prefix("/v1/dreams") else {
        let path = if asked.query.is_empty() {
            asked.path.clone()
        } else {
            format!("{}?{}", asked.path, asked.query)
        };
        return shared.stores.call(&asked.method, &path, &asked.body);
    };
    let mut state = shared.state();
    let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
    match (asked.method.as_str(), parts.as_slice()) {
        ("POST", []) => create(&mut state, &asked.body),
        ("GET", []) => (200, page(&state.dreams, &asked.query)),
        ("GET" | "POST", [id, rest @ ..]) => {
            let Some(dream) = state.dreams.iter_mut().find(|dream| dream["id"] == *id) else {
                return refused(404, "not_found_error", "There is no such dream.");
            };
            match rest {
                [] => (200, dream.clone()),
                ["cancel"] => cancel(dream),
                ["archive"] => archive(dream),
                _ => refused(404, "not_found_error", "There is no such route."),
            }
        }
        _ => refused(404, "not_found_error", "There is no such route."),
    }
}

fn refused(status: u16, kind: &str, message: &str) -> (u16, Value) {
    (status, json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": "req_1" }))
}

fn create(state: &mut State, body: &Value) -> (u16, Value) {
    let writes = |dream: &Value| {
        matches!(dream["status"].as_str(), Some("pending" | "running"))
            && dream["output_behavior"] == body["output_behavior"]
    };
    if body["output_behavior"]["type"] == "update_existing" && state.dreams.iter().any(writes) {
        return refused(409, "conflict_error", "Another dream writes this store.");
    }
    let number = state.dreams.len() + 1;
    let dream = json!({
        "id": format!("drm_{number:02}"),
        "type": "dream",
        "status": "pending",
        "inputs": body["inputs"],
        "outputs": [],
        "model": { "id": body["model"], "speed": "standard" },
        "instructions": body["instructions"],
        "output_behavior": body["output_behavior"],
        "session_id": format!("sesn_dream{number}"),
        "error": null,
        "usage": { "input_tokens": 5, "output_tokens": 4, "cache_creation_input_tokens": 3, "cache_read_input_tokens": 2 },
        "created_at": format!("2026-11-20T10:{number:02}:00Z"),
        "ended_at": null,
        "archived_at": null,
    });
    state.dreams.push(dream.clone());
    (200, dream)
}

fn page(dreams: &[Value], query: &str) -> Value {
    let archived = query.contains("include_archived=true");
    let after = query.split('&').find_map(|part| part.strip_prefix("page=page_"));
    let start: usize = after.and_then(|after| after.parse().ok()).unwrap_or(0);
    let shown: Vec<&Value> =
        dreams.iter().rev().filter(|dream| archived || dream["archived_at"].is_null()).collect();
    let end = (start + PAGE).min(shown.len());
    let next = (end < shown.len()).then(|| format!("page_{end}"));
    json!({ "data": shown.get(start..end).unwrap_or_default(), "next_page": next })
}

fn cancel(dream: &mut Value) -> (u16, Value) {
    match dream["status"].as_str() {
        Some("pending" | "running") => {
            dream["status"] = json!("canceled");
            dream["ended_at"] = json!("2026-11-20T10:30:00Z");
            (200, dream.clone())
        }
        Some("canceled") => (200, dream.clone()),
        _ => refused(400, "invalid_request_error", "The dream has ended."),
    }
}

fn archive(dream: &mut Value) -> (u16, Value) {
    if matches!(dream["status"].as_str(), Some("pending" | "running")) {
        return refused(400, "invalid_request_error", "The dream has not ended.");
    }
    if dream["archived_at"].is_null() {
        dream["archived_at"] = json!("2026-11-20T12:00:00Z");
    }
    (200, dream.clone())
}
