//! Commands over HTTP.

use crate::reply::{self, json, refuse};
use crate::router::Shared;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use futures_util::StreamExt as _;
use retrace_api::wire::Message;
use retrace_api::wire::shell as say;
use retrace_api::wire::{ApiError, Code};
use retrace_api::{App, COMMANDS};
use serde_json::{Value, json as value};
use std::sync::Arc;
use std::time::Duration;

/// Largest request, in bytes. A memory has at most 10 MiB; base 64 and JSON make a third more of it, and some room is left.
pub(crate) const BODY_BYTES: usize = 32 * 1024 * 1024;

/// Longest time for a request to arrive. On one machine 32 MiB take well below a second; what takes longer is stuck.
const BODY_TIME: Duration = Duration::from_secs(30);

/// `GET /api/v1/commands`
pub(crate) async fn list() -> Response {
    let commands: Vec<Value> = COMMANDS
        .iter()
        .map(|command| {
            value!({
                "name": command.name,
                "writes": command.writes,
                "request": command.request,
                "response": command.response,
                "provides": command.provides,
                "invalidates": command.invalidates,
                "errors": command.errors,
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
    let body = match tokio::time::timeout(BODY_TIME, read(body)).await {
        Ok(Ok(body)) => body,
        Ok(Err(refusal)) => return refusal,
        Err(_) => {
            return refuse(
                StatusCode::REQUEST_TIMEOUT,
                say::request_did_not_arrive_time(),
                Message::default(),
                "body",
            );
        }
    };
    if !body.is_empty() && !retrace_store_http::is_json(&parts.headers) {
        let hint = say::send_content_type_application_json();
        return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, say::request_not_json(), hint, "content-type");
    }
    let app = Arc::clone(&shared.app);
    // An act goes on when its client goes away, and when the server is asked to stop.
    let act = if command.writes { Some(Arc::clone(&shared.acts).read_owned().await) } else { None };
    let work = tokio::task::spawn_blocking(move || {
        let _act = act;
        run(&app, command.name, &body)
    });
    answer(work.await.unwrap_or_else(|_| Err(bug(command.name))))
}

/// The whole body, or the refusal that ends the request.
async fn read(body: Body) -> Result<Vec<u8>, Response> {
    let mut stream = body.into_data_stream();
    let mut bytes = Vec::new();
    while let Some(piece) = stream.next().await {
        let piece: Bytes = piece.map_err(|_| {
            refuse(StatusCode::BAD_REQUEST, say::request_broke_off(), Message::default(), "body")
        })?;
        if bytes.len() + piece.len() > BODY_BYTES {
            let message = say::request_larger_than_32_mib();
            return Err(refuse(StatusCode::PAYLOAD_TOO_LARGE, message, Message::default(), "body"));
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

/// Reads the request, runs the command and writes its answer, all on the blocking thread. No body means no parameters.
fn run(app: &App, name: &str, body: &[u8]) -> Result<Vec<u8>, ApiError> {
    let request = if body.is_empty() {
        value!({})
    } else {
        serde_json::from_slice(body).map_err(|error| ApiError {
            code: Code::Invalid,
            message: say::request_not_json_2(error.to_string()),
            hint: Message::default(),
            subject: "body".to_owned(),
        })?
    };
    app.call(name, request).map(|response| response.to_string().into_bytes())
}

fn bug(command: &str) -> ApiError {
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
