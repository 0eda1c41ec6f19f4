//! Answers: JSON, and the envelope of every refusal.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code};

/// An answer of this status with this JSON text. Answers are never kept: they hold what agents remember.
pub(crate) fn json(status: StatusCode, text: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The refusal a command answered with.
pub(crate) fn error(error: &ApiError) -> Response {
    let status = StatusCode::from_u16(error.code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    refusal(status, error)
}

/// A refusal of HTTP itself, where the status says more than any [`Code`] does.
pub(crate) fn refuse(status: StatusCode, message: Message, hint: Message, subject: &str) -> Response {
    let code = if status == StatusCode::NOT_FOUND { Code::NotFound } else { Code::Invalid };
    refusal(status, &ApiError { code, message, hint, subject: subject.to_owned() })
}

/// A refusal of this status.
pub(crate) fn refusal(status: StatusCode, error: &ApiError) -> Response {
    // Fields in the order of the contract, which a generic JSON object would not keep.
    let error = serde_json::to_string(error).unwrap_or_else(|_| "{}".to_owned());
    json(status, format!("{{\"error\":{error}}}").into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_has_its_status() {
        let lines: Vec<String> = Code::ALL
            .iter()
            .map(|code| {
                let (message, hint) = (Message::default(), Message::default());
                let response = error(&ApiError { code: *code, message, hint, subject: String::new() });
                format!("{code:?} {}", response.status())
            })
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r"
        Invalid 400 Bad Request
        NotFound 404 Not Found
        HeadMoved 409 Conflict
        BeforeRecording 409 Conflict
        StoreUnavailable 503 Service Unavailable
        ContentRedacted 410 Gone
        PurgePending 409 Conflict
        DatabaseNewer 500 Internal Server Error
        DatabaseDamaged 500 Internal Server Error
        CannotWrite 507 Insufficient Storage
        NotRecorded 507 Insufficient Storage
        Busy 503 Service Unavailable
        CounterUnavailable 503 Service Unavailable
        KeyRefused 503 Service Unavailable
        HostLimited 503 Service Unavailable
        Internal 500 Internal Server Error
        ");
    }
}
