//! A server that takes `count_tokens` calls as the API does, on a loopback port, and can be told to misbehave.

use retrace_tokens::{Counter, Family, family_of};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// The key that the server knows.
pub(crate) const KEY: &str = "key-of-the-test";

/// A call as it came in.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub method: String,
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// Reply of the server to a call.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// Checks it as the API would, and counts.
    Count,
    /// A status with headers and a body.
    Status(u16, Vec<(&'static str, String)>, String),
    /// These bytes, and the end of the connection.
    Raw(Vec<u8>),
    /// These bytes and nothing more, until the client goes away.
    Stall(&'static str),
}

/// An error in the API's form.
pub(crate) fn refusal(status: u16, kind: &str, message: &str, headers: &[(&'static str, &str)]) -> Reply {
    let body =
        json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_body"});
    let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    Reply::Status(status, headers, body.to_string())
}

type Script = Arc<dyn Fn(usize, &Seen) -> Reply + Send + Sync>;

/// A running server. Its threads end with the connections; the listening one with the process.
pub(crate) struct Server {
    pub port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// Answers the nth call, from 0, as the script says.
    pub(crate) fn start(script: impl Fn(usize, &Seen) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_with(script, None)
    }

    /// The same over TLS.
    pub(crate) fn start_with(
        script: impl Fn(usize, &Seen) -> Reply + Send + Sync + 'static,
        tls: Option<Arc<rustls::ServerConfig>>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (script, log): (Script, _) = (Arc::new(script), seen.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (script, log, tls) = (script.clone(), log.clone(), tls.clone());
                thread::spawn(move || match tls {
                    None => serve(stream, &script, &log),
                    Some(settings) => {
                        let session = rustls::ServerConnection::new(settings).unwrap();
                        serve(rustls::StreamOwned::new(session, stream), &script, &log)
                    }
                });
            }
        });
        Self { port, seen }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

/// One connection, call after call. A failure to read or write is the client's leaving.
fn serve<S: Read + Write>(stream: S, script: &Script, log: &Mutex<Vec<Seen>>) -> Option<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let seen = read_call(&mut stream)?;
        let at = {
            let mut log = log.lock().unwrap();
            log.push(seen.clone());
            log.len() - 1
        };
        let out = stream.get_mut();
        match script(at, &seen) {
            Reply::Count => respond(out, count(&seen))?,
            Reply::Status(status, headers, body) => respond(out, (status, headers, body))?,
            Reply::Raw(bytes) => {
                out.write_all(&bytes).ok()?;
                return out.flush().ok();
            }
            Reply::Stall(begin) => {
                out.write_all(begin.as_bytes()).ok()?;
                out.flush().ok()?;
                let mut rest = Vec::new();
                stream.read_to_end(&mut rest).ok()?;
                return None;
            }
        }
    }
}

fn read_call<S: Read>(stream: &mut BufReader<S>) -> Option<Seen> {
    let line = |stream: &mut BufReader<S>| {
        let mut text = String::new();
        (stream.read_line(&mut text).ok()? > 0).then(|| text.trim_end().to_owned())
    };
    let first = line(stream)?;
    let (method, rest) = first.split_once(' ')?;
    let mut headers = Vec::new();
    loop {
        let text = line(stream)?;
        if text.is_empty() {
            break;
        }
        let (name, value) = text.split_once(':')?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut seen = Seen {
        method: method.to_owned(),
        path: rest.split(' ').next()?.to_owned(),
        headers,
        body: Vec::new(),
    };
    seen.body = vec![0; seen.header("content-length").unwrap_or("0").parse().ok()?];
    stream.read_exact(&mut seen.body).ok()?;
    Some(seen)
}

fn respond(out: &mut dyn Write, answer: (u16, Vec<(&'static str, String)>, String)) -> Option<()> {
    let (status, headers, body) = answer;
    let mut text = format!("HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\n");
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
    out.write_all(text.as_bytes()).ok()?;
    out.flush().ok()
}

/// Answer that the API would give: a refusal of what it does not take, or a count made offline.
pub(crate) fn count(seen: &Seen) -> (u16, Vec<(&'static str, String)>, String) {
    let id = || vec![("request-id", "req_header".to_owned())];
    let refused = |status: u16, kind: &str, message: String| {
        let body = json!({"type": "error", "error": {"type": kind, "message": message}});
        (status, id(), body.to_string())
    };
    if seen.header("authorization") != Some(&format!("Bearer {KEY}")) {
        return refused(401, "authentication_error", "unknown key".into());
    }
    if let Err(fault) = check(seen) {
        return refused(400, "invalid_request_error", fault);
    }
    let request = seen.json();
    let original = tokens(&request);
    let answer = match request.get("context_management") {
        None => json!({"input_tokens": original}),
        Some(_) => json!({
            "input_tokens": tokens(&without_old_results(request)),
            "context_management": {"original_input_tokens": original},
        }),
    };
    (200, id(), answer.to_string())
}

/// The rules of the endpoint that a client can break.
fn check(seen: &Seen) -> Result<(), String> {
    if (seen.method.as_str(), seen.path.as_str()) != ("POST", "/v1/messages/count_tokens") {
        return Err(format!("{} {}", seen.method, seen.path));
    }
    for (name, value) in [("content-type", "application/json"), ("anthropic-version", "2026-10-21")] {
        if seen.header(name) != Some(value) {
            return Err(format!("{name}: {:?}", seen.header(name)));
        }
    }
    let request: Value = serde_json::from_slice(&seen.body).map_err(|error| error.to_string())?;
    let members = request.as_object().ok_or("not an object")?;
    if let Some(name) = members.keys().find(|name| !retrace_count::facts::MEMBERS.contains(&name.as_str())) {
        return Err(format!("{name}: Extra inputs are not permitted"));
    }
    if !request["model"].is_string() || !request["messages"].is_array() {
        return Err("messages: Field required".into());
    }
    let betas: Vec<&str> =
        seen.header("anthropic-beta").map(|value| value.split(',').collect()).unwrap_or_default();
    for needed in ["context-management-2025-06-27", "token-counting-2024-11-01"] {
        if members.contains_key("context_management") && !betas.contains(&needed) {
            return Err("context_management: Extra inputs are not permitted".into());
        }
    }
    Ok(())
}

/// Every string of the request, counted as content, without the API's framing.
pub(crate) fn tokens(value: &Value) -> u64 {
    let model = value["model"].as_str().unwrap_or_default();
    let counter = Counter::new(family_of(model, Family::V3).family);
    strings(value).map(|text| counter.content(text)).sum()
}

fn strings(value: &Value) -> Box<dyn Iterator<Item = &str> + '_> {
    match value {
        Value::String(text) => Box::new(std::iter::once(text.as_str())),
        Value::Array(items) => Box::new(items.iter().flat_map(strings)),
        Value::Object(members) => Box::new(members.values().flat_map(strings)),
        _ => Box::new(std::iter::empty()),
    }
}

/// Stands for the API's editing: all results but the last lose their content.
pub(crate) fn without_old_results(mut request: Value) -> Value {
    let blocks = request["messages"].as_array_mut().into_iter().flatten();
    let mut results: Vec<&mut Value> = blocks
        .filter_map(|message| message["content"].as_array_mut())
        .flatten()
        .filter(|block| block["type"] == "tool_result")
        .collect();
    results.pop();
    for result in results {
        result["content"] = json!("[cleared]");
    }
    request
}

/// Reads what is left, so that a test of a raw connection sees the end of it.
pub(crate) fn read_all(mut stream: TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A reset is an end too.
    let _ = stream.read_to_end(&mut bytes);
    bytes
}
