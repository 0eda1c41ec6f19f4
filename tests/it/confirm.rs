//! Forecasts checked with `count_tokens`, which a server of this test's own answers.

use retrace_api::wire::{Code, ConfirmReq, Nothing, Variant};
use retrace_api::{App, commands};
use retrace_tests::World;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Requests that the server received.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<Value>>>);

impl Seen {
    fn bodies(&self) -> Vec<Value> {
        self.0.lock().expect("no test panics with it").clone()
    }
}

/// Answers every call, until the test's process ends. Gives its address.
fn serve(status: &'static str, seen: &Seen) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let seen = seen.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let seen = seen.clone();
            std::thread::spawn(move || while answer(&stream, status, &seen).is_some() {});
        }
    });
    address
}

fn answer(stream: &TcpStream, status: &str, seen: &Seen) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body: Value = serde_json::from_slice(&body).ok()?;
    let edits = body["context_management"].is_object();
    seen.0.lock().expect("no test panics with it").push(body);
    let text = match (status, edits) {
        ("200 OK", true) => {
            json!({"input_tokens": 400, "context_management": {"original_input_tokens": 900}}).to_string()
        }
        ("200 OK", false) => json!({"input_tokens": 900}).to_string(),
        _ => json!({"type": "error", "error": {"type": "authentication_error", "message": "no such key"}})
            .to_string(),
    };
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{text}",
        text.len()
    )
    .ok()
}

/// A world with a session, in whose environment the server and a key are named.
fn world(address: &str) -> World {
    let world = World::with(|options| {
        let env = &mut options.surroundings.env;
        env.insert("ANTHROPIC_BASE_URL".to_owned(), OsString::from(address));
        env.insert("ANTHROPIC_API_KEY".to_owned(), OsString::from("sk-test-0123456789"));
    });
    std::fs::write(world.path("session.jsonl"), super::context::session("dddd", 8, 200))
        .expect("a transcript");
    world
}

fn request(world: &World, agreed: bool) -> ConfirmReq {
    let edit = json!({"type": "clear_tool_uses_20250919", "trigger": {"type": "tool_uses", "value": 2},
        "keep": {"type": "tool_uses", "value": 1}});
    ConfirmReq {
        transcript: world.path("session.jsonl").display().to_string(),
        variant: Variant { name: "few".to_owned(), config: json!({"edits": [edit]}) },
        points: Some(2),
        agreed,
        ..ConfirmReq::default()
    }
}

fn calls(app: &App) -> u64 {
    commands::status(app, Nothing {}).expect("a status").network_calls
}

#[test]
fn forecasts_are_checked_once_it_was_agreed_to() {
    let seen = Seen::default();
    let world = world(&serve("200 OK", &seen));
    let planned = commands::context_confirm(&world.app, request(&world, false)).expect("a plan");
    assert_eq!((planned.plan.calls, planned.plan.key_source.as_deref()), (2, Some("environment")));
    assert!(seen.bodies().is_empty() && calls(&world.app) == 0, "nothing is sent for a plan");

    let done = commands::context_confirm(&world.app, request(&world, true)).expect("counts");
    assert_eq!(done.points.len(), 2);
    for point in &done.points {
        assert_eq!((point.exact_before, point.exact_after, point.cached), (Some(900), Some(400), false));
        assert!(point.forecast_after < point.forecast_before && point.error_percent.is_some(), "{point:?}");
        assert!(planned.plan.requests.contains(&point.request));
    }
    let bodies = seen.bodies();
    assert_eq!((bodies.len(), calls(&world.app)), (2, 2));
    for body in &bodies {
        assert_eq!(body["model"], "claude-opus-4-6");
        assert_eq!(body["context_management"]["edits"][0]["keep"]["value"], 1);
        assert_eq!(body["messages"][0]["role"], "user");
        assert!(body.get("max_tokens").is_none());
    }
    let status = commands::counter_status(&world.app, Nothing {}).expect("a status");
    assert_eq!(status.calls.len(), 2);
    assert!(status.calls.iter().all(|call| call.status == Some(200) && call.bytes > 0));
    assert!(!format!("{status:?}").contains("sk-test"));

    let again = commands::context_confirm(&world.app, request(&world, true)).expect("counts");
    assert!(again.points.iter().all(|point| point.cached && point.exact_after == Some(400)));
    assert_eq!((again.plan.calls, again.plan.cached, seen.bodies().len()), (0, 2, 2), "answers are kept");
}

#[test]
fn a_key_that_is_refused_is_an_error_with_a_way_out() {
    let seen = Seen::default();
    let world = world(&serve("401 Unauthorized", &seen));
    let error = commands::context_confirm(&world.app, request(&world, true)).expect_err("refused");
    assert_eq!(error.code, Code::CounterUnavailable);
    assert!(error.message.contains("no such key") && !error.hint.is_empty(), "{error:?}");
    assert!(calls(&world.app) >= 1, "what was sent is listed all the same");
}

#[test]
fn a_recorded_request_is_counted_as_it_was_sent() {
    let seen = Seen::default();
    let world = world(&serve("200 OK", &seen));
    std::fs::write(world.path("session.jsonl"), super::requests::session(2_000).join("\n"))
        .expect("a transcript");
    let mut request = request(&world, true);
    let edits = json!([{"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": 1}},
        {"type": "clear_tool_uses_20250919", "trigger": {"type": "tool_uses", "value": 1}}]);
    request.variant.config = json!({ "edits": edits });
    let done = commands::context_confirm(&world.app, request).expect("counts");
    let limits: Vec<&str> = done.plan.limits.iter().map(|limit| limit.text()).collect();
    assert_eq!(limits, [""; 0], "nothing is left out, and thinking can be cleared");
    let bodies = seen.bodies();
    assert_eq!(bodies.len(), 2);
    for body in &bodies {
        assert_eq!(body["system"].as_array().map(Vec::len), Some(1));
        assert_eq!(body["tools"].as_array().map(Vec::len), Some(2));
        assert_eq!(body["messages"][1]["role"], "system");
        assert_eq!(body["context_management"]["edits"].as_array().map(Vec::len), Some(2));
    }
    assert!(done.points.iter().all(|point| point.forecast_before > 300), "{:?}", done.points);
}
