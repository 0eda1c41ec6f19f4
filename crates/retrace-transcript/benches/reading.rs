//! Reading transcripts: this crate beside a plain parse of every line.
//!
//! Over the Claude Code sessions of `RETRACE_SHARED_DATA` (or `shared` beside the workspace) where they are, else over a
//! generated session. Run with `cargo bench -p retrace-transcript`.
#![allow(missing_docs)]

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use retrace_transcript::requests::{RecordedPreamble, SessionSplit, as_sent};
use serde_json::{Value, json};
use sha2::Digest as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

static FILES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let real = real_files(".claude/projects");
    if real.is_empty() { vec![generated()] } else { real }
});

fn real_files(folder: &str) -> Vec<Vec<u8>> {
    let shared = std::env::var_os("RETRACE_SHARED_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let mut folders = vec![shared.join("data/home").join(folder)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "jsonl") {
                files.extend(std::fs::read(path));
            }
        }
    }
    files
}

/// Codex rollouts and Copilot sessions; none where the folder is not.
static OTHERS: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| [real_files(".codex"), real_files(".copilot")].into_iter().flatten().collect());

/// A session of 4,000 calls, each with a call of a tool and its result.
fn generated() -> Vec<u8> {
    let mut session = String::new();
    for turn in 0..4000_u32 {
        let body = "    let width = measure(&line); // the widest wins\\n".repeat(40);
        session.push_str(&format!(
            r#"{{"parentUuid":"r{previous}","isSidechain":false,"sessionId":"s","version":"2.1.39","type":"assistant","message":{{"id":"msg_{turn}","model":"claude-opus-4-6","role":"assistant","content":[{{"type":"tool_use","id":"t{turn}","name":"Read","input":{{"file_path":"/p/a.rs"}}}}],"usage":{{"input_tokens":3,"cache_read_input_tokens":{turn},"output_tokens":9}}}},"uuid":"a{turn}","timestamp":"2026-02-08T11:55:15.487Z"}}
{{"parentUuid":"a{turn}","isSidechain":false,"sessionId":"s","version":"2.1.39","type":"user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{turn}","content":"{body}"}}]}},"toolUseResult":{{"file":{{"content":"{body}"}}}},"uuid":"r{turn}","timestamp":"2026-02-08T11:55:16.487Z"}}
"#,
            previous = i64::from(turn) - 1,
        ));
    }
    session.into_bytes()
}

fn bytes(files: &[Vec<u8>]) -> BytesCount {
    BytesCount::new(files.iter().map(Vec::len).sum::<usize>())
}

#[divan::bench]
fn summarise(bencher: Bencher<'_, '_>) {
    bencher.counter(bytes(&FILES)).bench(|| {
        for file in FILES.iter() {
            let mut summariser = retrace_transcript::Summariser::new();
            for chunk in file.chunks(1 << 18) {
                summariser.feed(black_box(chunk));
            }
            black_box(summariser.summary());
        }
    });
}

#[divan::bench]
fn read(bencher: Bencher<'_, '_>) {
    bencher.counter(bytes(&FILES)).bench(|| {
        for file in FILES.iter() {
            black_box(retrace_transcript::read(black_box(file)).ok());
        }
    });
}

#[divan::bench]
fn read_codex_and_copilot(bencher: Bencher<'_, '_>) {
    bencher.counter(bytes(&OTHERS)).bench(|| {
        for file in OTHERS.iter() {
            black_box(retrace_transcript::read(black_box(file)).ok());
        }
    });
}

#[divan::bench]
fn peer_serde_json_value_per_line(bencher: Bencher<'_, '_>) {
    bencher.counter(bytes(&FILES)).bench(|| {
        for file in FILES.iter() {
            for line in file.split(|&byte| byte == b'\n') {
                black_box(serde_json::from_slice::<serde_json::Value>(black_box(line)).ok());
            }
        }
    });
}

/// A session as Claude Code 2.1.330 writes one, with a shape of its own for every request.
static RECORDED: LazyLock<Vec<u8>> = LazyLock::new(recorded);

fn recorded() -> Vec<u8> {
    let hash = |value: &Value| {
        let bytes = serde_json_canonicalizer::to_vec(value).unwrap_or_default();
        sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let mut session = String::new();
    let mut line = |kind: &str, fields: &Value| {
        session.push_str(&format!("{{\"type\":\"{kind}\",{}\n", &fields.to_string()[1..]));
    };
    let typed = json!({"role": "user", "content": [{"type": "text", "text": "Go on."}]});
    line("user", &json!({"uuid": "u", "sessionId": "s", "version": "2.1.330", "message": typed}));
    let (mut messages, mut hashes, mut keep) = (vec![typed.clone()], vec![hash(&typed)], 0);
    for turn in 0..200_usize {
        let tool = |number: usize| json!({"name": format!("Tool{number}"), "description": "Reads a file. ".repeat(200), "turn": turn});
        let shape = json!({"system": [{"type": "text", "text": "You write code. ".repeat(500)}],
            "tools": (0..40).map(tool).collect::<Vec<_>>()});
        let params = json!({"model": "claude-opus-4-8", "max_tokens": 64000});
        line("api-request-shape", &json!({"shapeHash": hash(&shape), "shape": shape}));
        let mut body = params.clone();
        body["system"] = shape["system"].clone();
        body["tools"] = shape["tools"].clone();
        body["messages"] = messages.clone().into();
        let mut request = json!({"id": format!("r{turn}"), "shapeHash": hash(&shape), "params": params, "keep": keep,
            "tail": hashes[keep..], "cacheControl": [], "requestDigest": hash(&body)});
        if turn > 0 {
            request["base"] = format!("r{}", turn - 1).into();
        }
        line("api-request", &request);
        keep = messages.len();
        let call = json!({"type": "tool_use", "id": format!("t{turn}"), "name": "Read", "input": {"file_path": "a.rs"}});
        let result = json!({"type": "tool_result", "tool_use_id": format!("t{turn}"), "content": "let width = 3;\n".repeat(200)});
        let (called, answered) =
            (json!({"role": "assistant", "content": [call]}), json!({"role": "user", "content": [result]}));
        let mut answer = called.clone();
        answer["id"] = format!("m{turn}").into();
        line(
            "assistant",
            &json!({"uuid": format!("a{turn}"), "version": "2.1.330", "requestRef": format!("r{turn}"), "message": answer}),
        );
        line("user", &json!({"uuid": format!("u{turn}"), "version": "2.1.330", "message": answered}));
        for message in [called, answered] {
            hashes.push(hash(&message));
            messages.push(message);
        }
    }
    session.into_bytes()
}

/// Every request proved, and the transcript made of them.
#[divan::bench]
fn requests_as_sent(bencher: Bencher<'_, '_>) {
    let bytes = &RECORDED[..];
    bencher.counter(BytesCount::new(bytes.len())).bench(|| {
        let mut split = SessionSplit::new();
        split.feed(bytes);
        let Ok((mut reading, log)) = split.finish() else { return 0 };
        let sent = as_sent(&mut reading.transcripts[0], &log, &mut &*bytes, &mut RecordedPreamble::named);
        black_box(sent.iter().flatten().filter(|sent| sent.proof.is_ok()).count())
    });
}

/// One request of it, rebuilt from the lines.
#[divan::bench]
fn one_request(bencher: Bencher<'_, '_>) {
    let bytes = &RECORDED[..];
    let mut split = SessionSplit::new();
    split.feed(bytes);
    let log = split.finish().map(|(_, log)| log).unwrap_or_default();
    bencher.bench(|| black_box(log.rebuild(199, &mut &*bytes).is_ok_and(|rebuilt| rebuilt.proof.is_ok())));
}

fn main() {
    divan::main();
}
