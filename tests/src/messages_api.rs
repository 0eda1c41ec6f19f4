//! A Messages API on loopback that plays a script instead of a model and keeps every request as it came: for real clients.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A request counts as a turn of the script when it offers more tools than this; others are answered with a word.
const FEW_TOOLS: usize = 3;

/// What was sent, and what was answered.
#[derive(Default)]
pub struct Log {
    /// Bodies of requests, as they came.
    pub bodies: Vec<Value>,
    /// By id of the answer: the usage that it reported.
    pub usage: Vec<(String, Value)>,
    /// Names of the tools that each answer called, one for each call, in the order of `usage`.
    pub calls: Vec<Vec<String>>,
    script: VecDeque<Vec<Value>>,
    /// Scripts of conversations that begin with some words.
    others: Vec<(String, VecDeque<Vec<Value>>)>,
    answers: u64,
}

/// The server. It ends with the process.
pub struct MessagesApi {
    /// Where it listens.
    pub url: String,
    log: Arc<Mutex<Log>>,
}

impl MessagesApi {
    /// Begins to listen.
    ///
    /// # Panics
    /// Where no port of loopback can be had.
    #[must_use]
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let log = Arc::new(Mutex::new(Log::default()));
        let shared = Arc::clone(&log);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let log = Arc::clone(&shared);
                // A client that goes away in the middle ends its connection, no more.
                std::thread::spawn(move || drop(serve(&stream, &log)));
            }
        });
        Self { url, log }
    }

    /// The next turns of the model: lists of content blocks. After the last it says that it is done. A block of the type `usage`
    /// is no block but the usage that the answer reports.
    pub fn play(&self, script: Vec<Vec<Value>>) {
        self.log().script = script.into();
    }

    /// The turns of a conversation, such as a subagent's, whose first message holds these words.
    pub fn play_to(&self, words: &str, script: Vec<Vec<Value>>) {
        self.log().others.push((words.to_owned(), script.into()));
    }

    /// What came so far.
    ///
    /// # Panics
    /// Never: a poisoned lock is taken.
    pub fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn serve(stream: &TcpStream, log: &Mutex<Log>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first)? == 0 {
            return Ok(());
        }
        let mut length = 0;
        loop {
            let mut header = String::new();
            if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
                break;
            }
            let (name, value) = header.split_once(':').unwrap_or_default();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let path = first.split(' ').nth(1).unwrap_or_default();
        let (status, kind, answer) = match serde_json::from_slice::<Value>(&body) {
            Ok(body) if path.contains("count_tokens") => {
                let tokens = json!({"input_tokens": body.to_string().len() / 4});
                (200, "application/json", tokens.to_string())
            }
            Ok(body) if path.starts_with("/v1/messages") => {
                let stream = body["stream"] == true;
                let answer = answer(body, &mut log.lock().unwrap_or_else(PoisonError::into_inner));
                match answer {
                    Some(answer) if stream => (200, "text/event-stream", events(&answer)),
                    Some(answer) => (200, "application/json", answer.to_string()),
                    None => (400, "application/json", REFUSAL.to_owned()),
                }
            }
            _ => (404, "application/json", "{}".to_owned()),
        };
        write!(
            writer,
            "HTTP/1.1 {status} OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{answer}",
            answer.len()
        )?;
        writer.flush()?;
    }
}

const REFUSAL: &str =
    r#"{"type":"error","error":{"type":"invalid_request_error","message":"The script refuses this."}}"#;

/// `None` where the script refuses: a turn of one block of the type `refusal`.
fn answer(body: Value, log: &mut Log) -> Option<Value> {
    let tools = body["tools"].as_array().map_or(0, Vec::len);
    let done = || vec![json!({"type": "text", "text": "Done."})];
    let first = body["messages"][0].to_string();
    let other = log.others.iter_mut().find(|(words, _)| first.contains(words.as_str()));
    let script = other.map_or(&mut log.script, |(_, script)| script);
    let mut blocks = if tools > FEW_TOOLS { script.pop_front().unwrap_or_else(done) } else { done() };
    if blocks.first().is_some_and(|block| block["type"] == "refusal") {
        log.bodies.push(body);
        return None;
    }
    log.answers += 1;
    let number = log.answers;
    for (nth, block) in blocks.iter_mut().enumerate() {
        if block["type"] == "tool_use" {
            block["id"] = format!("toolu_{number:05}_{nth}").into();
        }
    }
    let calls = blocks.iter().any(|block| block["type"] == "tool_use");
    let tokens = body.to_string().len() / 4;
    let told =
        blocks.iter().position(|block| block["type"] == "usage").map(|at| blocks.remove(at)["usage"].take());
    let usage = told.unwrap_or_else(|| {
        json!({"input_tokens": tokens % 977, "cache_creation_input_tokens": tokens / 5,
        "cache_read_input_tokens": tokens / 2, "output_tokens": 40 + number})
    });
    let id = format!("msg_{number:05}");
    log.usage.push((id.clone(), usage.clone()));
    let names =
        blocks.iter().filter(|block| block["type"] == "tool_use").filter_map(|block| block["name"].as_str());
    log.calls.push(names.map(str::to_owned).collect());
    let answer = json!({"id": id, "type": "message", "role": "assistant", "model": body["model"], "content": blocks,
        "stop_reason": if calls { "tool_use" } else { "end_turn" }, "stop_sequence": null, "usage": usage,
        "context_management": body.get("context_management").map(|_| json!({"applied_edits": []}))});
    log.bodies.push(body);
    Some(answer)
}

/// An answer as the stream of its events.
fn events(answer: &Value) -> String {
    let mut stream = String::new();
    let mut event = |name: &str, mut data: Value| {
        data["type"] = name.into();
        stream.push_str(&format!("event: {name}\ndata: {data}\n\n"));
    };
    let mut message = answer.clone();
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    event("message_start", json!({"message": message}));
    for (index, block) in answer["content"].as_array().into_iter().flatten().enumerate() {
        let delta = |delta: Value| json!({"index": index, "delta": delta});
        let (start, deltas) = match block["type"].as_str() {
            Some("text") => (
                json!({"type": "text", "text": ""}),
                vec![json!({"type": "text_delta", "text": block["text"]})],
            ),
            Some("thinking") => (
                json!({"type": "thinking", "thinking": "", "signature": ""}),
                vec![
                    json!({"type": "thinking_delta", "thinking": block["thinking"]}),
                    json!({"type": "signature_delta", "signature": block["signature"]}),
                ],
            ),
            _ => {
                let mut start = block.clone();
                start["input"] = json!({});
                (start, vec![json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})])
            }
        };
        event("content_block_start", json!({"index": index, "content_block": start}));
        deltas.into_iter().for_each(|one| event("content_block_delta", delta(one)));
        event("content_block_stop", json!({"index": index}));
    }
    let end = json!({"delta": {"stop_reason": answer["stop_reason"], "stop_sequence": null}, "usage": answer["usage"],
        "context_management": answer["context_management"]});
    event("message_delta", end);
    event("message_stop", json!({}));
    stream
}
