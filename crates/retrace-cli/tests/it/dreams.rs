//! Dreams with the built program, against a host that knows one of them.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

/// A call as it came in: method and target, and the body.
type Seen = Arc<Mutex<Vec<(String, Value)>>>;

fn dream(status: &str) -> Value {
    json!({"id": "drm_01Hx", "type": "dream", "status": status,
        "inputs": [{"type": "memory_store", "memory_store_id": "memstore_01in"},
            {"type": "sessions", "session_ids": ["sesn_1"]}],
        "outputs": [{"type": "memory_store", "memory_store_id": "memstore_01out"}],
        "model": {"id": "claude-opus-5"}, "instructions": null, "output_behavior": {"type": "create_new"},
        "session_id": null, "error": null, "usage": {"input_tokens": 120_000, "output_tokens": 4_000},
        "created_at": "2026-11-20T10:00:00Z", "ended_at": null, "archived_at": null})
}

/// A host's address, and what it is asked.
fn host() -> (String, Seen) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let seen = Seen::default();
    let log = seen.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let log = log.clone();
            std::thread::spawn(move || answer(stream, &log));
        }
    });
    (url, seen)
}

/// One call. A failure to read or write is the caller's leaving.
fn answer(stream: TcpStream, seen: &Seen) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first).ok()?;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 || line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let call = first.rsplit_once(' ')?.0.to_owned();
    seen.lock().unwrap().push((call.clone(), serde_json::from_slice(&body).unwrap_or_default()));
    let (status, answer) = match call.as_str() {
        call if call.starts_with("GET /v1/dreams?") => {
            (200, json!({"data": [dream("completed")], "next_page": null}))
        }
        "POST /v1/dreams" => (200, dream("pending")),
        "POST /v1/dreams/drm_01Hx/cancel" => (200, dream("canceled")),
        "POST /v1/dreams/drm_01Hx/archive" => (200, dream("completed")),
        _ => {
            (404, json!({"type": "error", "error": {"type": "not_found_error", "message": "no such dream"}}))
        }
    };
    let answer = answer.to_string();
    let head =
        format!("HTTP/1.1 {status} Said\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", answer.len());
    reader.get_mut().write_all(format!("{head}{answer}").as_bytes()).ok()
}

#[test]
fn dreams_are_listed_asked_for_stopped_and_put_away() {
    let folder = tempfile::tempdir().unwrap();
    let (url, seen) = host();
    let run = |arguments: &[&str]| -> Output {
        Command::new(env!("CARGO_BIN_EXE_retrace"))
            .args(arguments)
            .env("HOME", folder.path())
            .env("RETRACE_DATA_DIR", folder.path().join("data"))
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")
            .env("ANTHROPIC_BASE_URL", &url)
            .env("ANTHROPIC_API_KEY", "key-of-the-test")
            .output()
            .unwrap()
    };
    let one = |arguments: &[&str]| -> Value {
        let ran = run(&[&["--json", "dreams"], arguments].concat());
        assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
        serde_json::from_slice(&ran.stdout).expect("one object")
    };
    let listed = one(&["list", "--archived"]);
    assert_eq!(
        (&listed["status"], &listed["input_remote_id"]),
        (&json!("completed"), &json!("memstore_01in"))
    );
    let text = String::from_utf8(run(&["dreams", "list"]).stdout).unwrap();
    assert!(text.contains("drm_01Hx  completed") && text.contains("120,000 input"), "{text}");

    let words = folder.path().join("words.txt");
    std::fs::write(&words, "Merge.").unwrap();
    let words = words.display().to_string();
    let asked = one(&[
        "create",
        "memstore_01in",
        "--session",
        "sesn_1",
        "--session",
        "sesn_2",
        "--model",
        "claude-opus-5",
        "--instructions-file",
        &words,
    ]);
    assert_eq!(asked["status"], "pending");
    let body = seen.lock().unwrap().last().unwrap().1.clone();
    assert_eq!(body["inputs"][0]["memory_store_id"], "memstore_01in");
    assert_eq!(body["inputs"][1]["session_ids"], json!(["sesn_1", "sesn_2"]));
    assert_eq!(
        (&body["instructions"], &body["output_behavior"]["type"]),
        (&json!("Merge."), &json!("create_new"))
    );

    assert_eq!(one(&["cancel", "drm_01Hx"])["status"], "canceled");
    assert_eq!(one(&["archive", "drm_01Hx"])["status"], "completed");
    assert_eq!(run(&["dreams", "cancel", "drm_other"]).status.code(), Some(3));
    // Neither a key for another host nor a way to it.
    let elsewhere = run(&["dreams", "list", "--url", "https://127.0.0.1:1"]);
    assert_eq!(elsewhere.status.code(), Some(7), "{}", String::from_utf8_lossy(&elsewhere.stderr));
    let calls: Vec<String> = seen.lock().unwrap().iter().map(|(call, _)| call.clone()).collect();
    assert_eq!(calls.len(), 6, "{calls:?}");
}
