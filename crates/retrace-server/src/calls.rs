//! Commands over HTTP.

use crate::reply::{self, json, refuse};
use crate::router::Shared;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use futures_util::StreamExt as _;
use retrace_api::wire::Message;
use retrace_api::wire::shell as say;
use retrace_api::wire::{ApiError, Code};
use retrace_api::{App, COMMANDS, CommandInfo};
use serde_json::{Value, json as value};
use std::sync::Arc;
use std::time::Duration;

/// Largest request, in bytes. A memory has at most 10 MiB; base 64 and JSON make a third more of it, and some room is left.
pub(crate) const BODY_BYTES: usize = 32 * 1024 * 1024;

/// Longest time for a request to arrive. On one machine 32 MiB take well below a second; what takes longer is stuck.
const BODY_TIME: Duration = Duration::from_secs(30);

/// `GET /api/v1/commands`
pub(crate) async fn list() -> Response {
    list_of(|_| true)
}

/// The commands that a shell has.
pub(crate) fn list_of(has: impl Fn(&CommandInfo) -> bool) -> Response {
    let commands: Vec<Value> = COMMANDS
        .iter()
        .filter(|command| has(command))
        .map(|command| {
            value!({
                "name": command.name,
                "writes": command.writes,
                "request": command.request,
                "response": command.response,
                "provides": command.provides,
                "invalidates": command.invalidates,
                "errors": command.errors,
                "at_hub": command.at_hub,
            })
        })
        .collect();
    json(StatusCode::OK, value!({ "commands": commands }).to_string().into_bytes())
}

/// `POST /api/v1/{command}`
pub(crate) async fn call(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    // As it stands in the address: names of commands have nothing to decode.
    let name = parts.uri.path().rsplit('/').next().unwrap_or_default();
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        let hint = say::get_api_v1_commands_lists();
        return refuse(StatusCode::NOT_FOUND, say::no_such_command(), hint, name);
    };
    let body = match arrived(&parts.headers, body, BODY_BYTES).await {
        Ok(body) => body,
        Err(refusal) => return refusal,
    };
    let app = Arc::clone(&shared.app);
    // An act goes on when its client goes away, and when the server is asked to stop.
    let act = if command.writes { Some(Arc::clone(&shared.acts).read_owned().await) } else { None };
    let work = tokio::task::spawn_blocking(move || {
        let _act = act;
        run(&app, command.name, &body)
    });
    answer(work.await.unwrap_or_else(|_| Err(bug(command.name))))
}

/// The whole body of a command, or the refusal that ends the request.
pub(crate) async fn arrived(headers: &HeaderMap, body: Body, most: usize) -> Result<Vec<u8>, Response> {
    let body = tokio::time::timeout(BODY_TIME, read(body, most)).await.map_err(|_| {
        let message = say::request_did_not_arrive_time();
        refuse(StatusCode::REQUEST_TIMEOUT, message, Message::default(), "body")
    })??;
    if !body.is_empty() && !retrace_store_http::is_json(headers) {
        let hint = say::send_content_type_application_json();
        return Err(refuse(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            say::request_not_json(),
            hint,
            "content-type",
        ));
    }
    Ok(body)
}

async fn read(body: Body, most: usize) -> Result<Vec<u8>, Response> {
    let mut stream = body.into_data_stream();
    let mut bytes = Vec::new();
    while let Some(piece) = stream.next().await {
        let piece: Bytes = piece.map_err(|_| {
            refuse(StatusCode::BAD_REQUEST, say::request_broke_off(), Message::default(), "body")
        })?;
        if bytes.len() + piece.len() > most {
            let message = say::request_larger_than_32_mib();
            return Err(refuse(StatusCode::PAYLOAD_TOO_LARGE, message, Message::default(), "body"));
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

/// Reads the request, runs the command and writes its answer, all on the blocking thread.
fn run(app: &App, name: &str, body: &[u8]) -> Result<Vec<u8>, ApiError> {
    app.call(name, parsed(body)?).map(|response| response.to_string().into_bytes())
}

/// The request of a command. No body means no parameters.
pub(crate) fn parsed(body: &[u8]) -> Result<Value, ApiError> {
    if body.is_empty() {
        return Ok(value!({}));
    }
    serde_json::from_slice(body).map_err(|error| ApiError {
        code: Code::Invalid,
        message: say::request_not_json_2(error.to_string()),
        hint: say::one_json_object(),
        subject: "body".to_owned(),
    })
}

pub(crate) fn bug(command: &str) -> ApiError {
    ApiError {
        code: Code::Internal,
        message: say::bug_in_retrace(),
        hint: say::report_what_you_did(),
        subject: command.to_owned(),
    }
}

fn answer(answer: Result<Vec<u8>, ApiError>) -> Response {
    match answer {
        Ok(text) => json(StatusCode::OK, text),
        Err(error) => reply::error(&error),
    }
}
