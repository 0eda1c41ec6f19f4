//! The APIs of OpenAI's and Gemini's models on loopback, that play a script instead of a model and keep what they reported: for
//! real clients. [`crate::messages_api`] is Claude's.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A request counts as a turn of the script when it offers more tools than this.
const FEW_TOOLS: usize = 3;

/// What Codex asks in the background about memory; it takes no turn of the script.
const BACKGROUND: [&str; 3] =
    ["Consolidate the supplied rollout summaries", "Memory Writing Agent: Phase 2", "rollout_summary"];

/// Whose API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `/v1/responses`: a turn is a list of output items, where `{"call", "args"}` is a function call, `{"custom", "input"}` a
    /// call of a custom tool, and a string a message.
    Responses,
    /// `generateContent`: a turn is a list of parts, where `{"call", "args"}` is a function call and a string a text.
    Gemini,
}

/// One answer that was given.
#[derive(Clone, Debug)]
pub struct Answered {
    /// Its id.
    pub id: String,
    /// Usage it reported.
    pub usage: Value,
    /// True if it was a turn of the script.
    pub is_turn: bool,
    /// Names of the tools it called, one for each call.
    pub calls: Vec<String>,
    /// The request.
    pub body: Value,
}

/// What was answered, and what is to come.
#[derive(Default)]
pub struct Log {
    /// Answers, in order.
    pub answered: Vec<Answered>,
    script: VecDeque<Vec<Value>>,
}

/// The server. It ends with the process.
pub struct ModelApi {
    /// Where it listens.
    pub url: String,
    log: Arc<Mutex<Log>>,
}

impl ModelApi {
    /// Begins to listen.
    ///
    /// # Panics
    /// Where no port of loopback can be had.
    #[must_use]
    pub fn start(dialect: Dialect) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let log = Arc::new(Mutex::new(Log::default()));
        let shared = Arc::clone(&log);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let log = Arc::clone(&shared);
                // A client that goes away in the middle ends its connection, no more.
                std::thread::spawn(move || drop(serve(&stream, dialect, &log)));
            }
        });
        Self { url, log }
    }

    /// The next turns of the model. After the last it says that it is done. A part `{"prompt_tokens"}` is none, but the tokens that the
    /// answer reports of its request.
    pub fn play(&self, script: Vec<Vec<Value>>) {
        self.log().script = script.into();
    }

    /// What was answered so far.
    ///
    /// # Panics
    /// Never: a poisoned lock is taken.
    pub fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn serve(stream: &TcpStream, dialect: Dialect, log: &Mutex<Log>) -> std::io::Result<()> {
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
        let answer = serde_json::from_slice::<Value>(&body).ok().and_then(|body| {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            match dialect {
                Dialect::Responses if path.ends_with("/responses") => Some(responses(&body, &mut log)),
                Dialect::Gemini if path.contains("enerateContent") => Some(gemini(path, &body, &mut log)),
                Dialect::Gemini if path.contains("countTokens") => {
                    Some(("application/json", json!({"totalTokens": body.to_string().len() / 4}).to_string()))
                }
                _ => None,
            }
        });
        let (status, kind, answer) = match answer {
            Some((kind, answer)) => (200, kind, answer),
            None if path.contains("models") => {
                (200, "application/json", r#"{"object":"list","data":[]}"#.to_owned())
            }
            None => (404, "application/json", "{}".to_owned()),
        };
        write!(
            writer,
            "HTTP/1.1 {status} OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{answer}",
            answer.len()
        )?;
        writer.flush()?;
    }
}

/// The next turn, the number of the answer, and the tokens of the request: those that the script says, or a quarter of its bytes.
fn turn(is_turn: bool, bytes: usize, log: &mut Log) -> (Vec<Value>, usize, usize) {
    let next = is_turn.then(|| log.script.pop_front()).flatten();
    let mut parts = next.unwrap_or_else(|| vec![json!("Done.")]);
    let told = parts.iter().find_map(|part| part["prompt_tokens"].as_u64());
    parts.retain(|part| part.get("prompt_tokens").is_none());
    let tokens = told.and_then(|told| usize::try_from(told).ok()).unwrap_or(bytes / 4);
    (parts, log.answered.len(), tokens)
}

/// Names of the tools that a turn calls.
fn called(parts: &[Value]) -> Vec<String> {
    let names = parts.iter().filter_map(|part| part["call"].as_str().or(part["custom"].as_str()));
    names.map(str::to_owned).collect()
}

fn responses(body: &Value, log: &mut Log) -> (&'static str, String) {
    let text = body.to_string();
    let is_turn = !BACKGROUND.iter().any(|asked| text.contains(asked));
    let (parts, number, tokens) = turn(is_turn, text.len(), log);
    let calls = called(&parts);
    let items: Vec<Value> = parts
        .iter()
        .enumerate()
        .map(|(nth, part)| {
            let (item, call) = (format!("item_{number:05}_{nth}"), format!("call_{number:05}_{nth}"));
            if let Some(tool) = part["call"].as_str() {
                let mut call = json!({"type": "function_call", "id": item, "call_id": call, "name": tool,
                    "arguments": part["args"].to_string(), "status": "completed"});
                if let Some(namespace) = part.get("namespace") {
                    call["namespace"] = namespace.clone();
                }
                call
            } else if let Some(tool) = part["custom"].as_str() {
                json!({"type": "custom_tool_call", "id": item, "call_id": call, "name": tool,
                    "input": part["input"], "status": "completed"})
            } else {
                json!({"type": "message", "id": item, "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": part, "annotations": []}]})
            }
        })
        .collect();
    let usage = json!({"input_tokens": tokens, "input_tokens_details": {"cached_tokens": tokens / 3},
        "output_tokens": 40 + number, "output_tokens_details": {"reasoning_tokens": 8},
        "total_tokens": tokens + 40 + number});
    let id = format!("resp_{number:05}");
    log.answered.push(Answered { id: id.clone(), usage: usage.clone(), is_turn, calls, body: body.clone() });
    let response = json!({"id": id, "object": "response", "model": body["model"], "output": []});
    let mut stream = String::new();
    let mut event = |data: Value| {
        let name = data["type"].as_str().unwrap_or_default();
        stream.push_str(&format!("event: {name}\ndata: {data}\n\n"));
    };
    let with = |status: &str, output: &[Value], usage: Value| {
        let mut response = response.clone();
        (response["status"], response["output"], response["usage"]) = (status.into(), output.into(), usage);
        response
    };
    event(json!({"type": "response.created", "response": with("in_progress", &[], Value::Null)}));
    for (index, item) in items.iter().enumerate() {
        event(json!({"type": "response.output_item.added", "output_index": index, "item": item}));
        event(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    }
    event(json!({"type": "response.completed", "response": with("completed", &items, usage)}));
    ("text/event-stream", stream)
}

fn gemini(path: &str, body: &Value, log: &mut Log) -> (&'static str, String) {
    let declared = body["tools"].as_array().into_iter().flatten();
    let tools: usize = declared.map(|tool| tool["functionDeclarations"].as_array().map_or(0, Vec::len)).sum();
    let is_turn = tools > FEW_TOOLS;
    let (parts, number, tokens) = turn(is_turn, body.to_string().len(), log);
    let calls = called(&parts);
    let is_json = body["generationConfig"]["responseMimeType"] == "application/json";
    let parts: Vec<Value> = parts
        .iter()
        .enumerate()
        .map(|(nth, part)| match part["call"].as_str() {
            Some(tool) => json!({"functionCall": {"id": format!("call_{number:05}_{nth}"), "name": tool, "args": part["args"]}}),
            None if is_json => json!({"text": "{}"}),
            None => json!({"text": part}),
        })
        .collect();
    let usage = json!({"promptTokenCount": tokens, "cachedContentTokenCount": tokens / 3,
        "candidatesTokenCount": 40 + number, "thoughtsTokenCount": 7, "totalTokenCount": tokens + 47 + number});
    let id = format!("answer_{number:05}");
    log.answered.push(Answered { id: id.clone(), usage: usage.clone(), is_turn, calls, body: body.clone() });
    let model = path.rsplit('/').next().and_then(|name| name.split(':').next()).unwrap_or_default();
    let answer = json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": usage, "modelVersion": model, "responseId": id});
    if path.contains("alt=sse") {
        ("text/event-stream", format!("data: {answer}\r\n\r\n"))
    } else {
        ("application/json", answer.to_string())
    }
}
