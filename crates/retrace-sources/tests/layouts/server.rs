//! A model on loopback for real clients: it calls a tool on every file it is given, then says that it is done, and keeps what it
//! was sent. It speaks the Messages API, the Responses API and Gemini's.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Requests with fewer tools are about titles and the like.
const FEW_TOOLS: usize = 3;

#[derive(Default)]
pub(crate) struct Log {
    /// Bodies of the requests that offer tools, in order.
    pub(crate) bodies: Vec<Value>,
    /// Files that the first turn reads.
    pub(crate) reads: Vec<String>,
}

#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) url: String,
    log: Arc<Mutex<Log>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let server = Self { url, log: Arc::default() };
        let shared = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = shared.clone();
                std::thread::spawn(move || drop(server.serve(&stream)));
            }
        });
        server
    }

    pub(crate) fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, stream: &TcpStream) -> std::io::Result<()> {
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
            let body: Value = serde_json::from_slice(&body).unwrap_or_default();
            let (kind, answer) = self.answer(path, body);
            let status = if answer.is_empty() { 404 } else { 200 };
            let length = answer.len();
            write!(
                writer,
                "HTTP/1.1 {status} OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{answer}"
            )?;
            writer.flush()?;
        }
    }

    fn answer(&self, path: &str, body: Value) -> (&'static str, String) {
        let plain = |value: Value| ("application/json", value.to_string());
        let declared = body["tools"].as_array().into_iter().flatten();
        let tools: usize =
            declared.map(|tool| tool["functionDeclarations"].as_array().map_or(1, Vec::len)).sum();
        let is_turn = tools > FEW_TOOLS || path.ends_with("/responses");
        let (mut reads, number) = (Vec::new(), self.log().bodies.len());
        if is_turn {
            let mut log = self.log();
            if log.bodies.is_empty() {
                reads = log.reads.clone();
            }
            log.bodies.push(body.clone());
        }
        let id = |nth: usize| format!("call_{number}_{nth}");
        if path.contains("count_tokens") {
            return plain(json!({"input_tokens": 100}));
        } else if path.contains("countTokens") {
            return plain(json!({"totalTokens": 100}));
        } else if path.starts_with("/v1/messages") {
            // The names of the parameter in Claude Code and opencode.
            let blocks: Vec<Value> = reads
                .iter()
                .enumerate()
                .map(|(nth, file)| {
                    let (tool, key) =
                        if has_tool(&body, "Read") { ("Read", "file_path") } else { ("read", "filePath") };
                    json!({"type": "tool_use", "id": id(nth), "name": tool, "input": {key: file}})
                })
                .collect();
            return messages(&body, blocks, number);
        } else if path.ends_with("/responses") {
            return ("text/event-stream", responses(&body));
        } else if path.contains("enerateContent") {
            let mut parts: Vec<Value> = reads
                .iter()
                .enumerate()
                .map(|(nth, file)| json!({"functionCall": {"id": id(nth), "name": "read_file", "args": {"file_path": file}}}))
                .collect();
            if parts.is_empty() {
                let is_json = body["generationConfig"]["responseMimeType"] == "application/json";
                parts.push(json!({"text": if is_json { "{}" } else { "Done." }}));
            }
            let answer = json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
                "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 4, "totalTokenCount": 104}});
            return match path.contains("alt=sse") {
                true => ("text/event-stream", format!("data: {answer}\r\n\r\n")),
                false => plain(answer),
            };
        } else if path.contains("models") {
            return plain(json!({"object": "list", "data": []}));
        }
        ("application/json", String::new())
    }
}

fn has_tool(body: &Value, name: &str) -> bool {
    body["tools"].as_array().into_iter().flatten().any(|tool| tool["name"] == name)
}

fn messages(body: &Value, mut blocks: Vec<Value>, number: usize) -> (&'static str, String) {
    let stop = if blocks.is_empty() { "end_turn" } else { "tool_use" };
    if blocks.is_empty() {
        blocks.push(json!({"type": "text", "text": "Done."}));
    }
    let usage = json!({"input_tokens": 100, "output_tokens": 4});
    let mut message = json!({"id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": body["model"],
        "content": blocks, "stop_reason": stop, "stop_sequence": null, "usage": usage});
    if body["stream"] != true {
        return ("application/json", message.to_string());
    }
    let mut stream = String::new();
    let mut event = |name: &str, mut data: Value| {
        data["type"] = name.into();
        stream.push_str(&format!("event: {name}\ndata: {data}\n\n"));
    };
    (message["content"], message["stop_reason"]) = (json!([]), Value::Null);
    event("message_start", json!({"message": message}));
    for (index, block) in blocks.iter().enumerate() {
        let (start, delta) = if block["type"] == "text" {
            (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": block["text"]}))
        } else {
            let mut start = block.clone();
            start["input"] = json!({});
            (start, json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}))
        };
        event("content_block_start", json!({"index": index, "content_block": start}));
        event("content_block_delta", json!({"index": index, "delta": delta}));
        event("content_block_stop", json!({"index": index}));
    }
    event("message_delta", json!({"delta": {"stop_reason": stop, "stop_sequence": null}, "usage": usage}));
    event("message_stop", json!({}));
    ("text/event-stream", stream)
}

fn responses(body: &Value) -> String {
    let item = json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": "Done.", "annotations": []}]});
    let response = |status: &str, output: Value| {
        json!({"id": "resp_1", "object": "response", "model": body["model"], "status": status, "output": output,
            "usage": {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 4,
                "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 104}})
    };
    let events = [
        json!({"type": "response.created", "response": response("in_progress", json!([]))}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": response("completed", json!([item]))}),
    ];
    events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default()))
        .collect()
}
