//! The Memory Stores API over HTTP. What it means is in [`retrace_api::store_api`].

use crate::router::Shared;
use axum::extract::{Request, State};
use axum::response::Response;
use retrace_api::store_api::{Ready, Refused};
use retrace_store_http::{read, send};
use std::sync::Arc;

pub(crate) use retrace_store_http::owns;

/// `GET /openapi.json`
pub(crate) async fn description() -> Response {
    retrace_store_http::description(env!("CARGO_PKG_VERSION"))
}

/// Every route below `/v1`.
pub(crate) async fn call(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let request = match read(&parts, body, &shared.key_id).await {
        Ok(request) => request,
        Err(refused) => return refuse(&shared, refused),
    };
    match shared.stores.prepare(&request) {
        Ready::Answered(answer) => send(answer),
        Ready::Read(job) if job.is_short() => send(shared.stores.read(*job)),
        Ready::Read(job) => {
            let stores = Arc::clone(&shared.stores);
            match tokio::task::spawn_blocking(move || stores.read(*job)).await {
                Ok(answer) => send(answer),
                Err(_) => send(shared.stores.failed()),
            }
        }
        Ready::Write(job) => {
            let (reply, answer) = tokio::sync::oneshot::channel();
            // A client that went away meanwhile does not take its write with it.
            shared.stores.write(*job, move |answer| drop(reply.send(answer)));
            match answer.await {
                Ok(answer) => send(answer),
                Err(_) => send(shared.stores.failed()),
            }
        }
    }
}

/// Refuses what the guard does not let through, in the API's form.
pub(crate) fn refuse(shared: &Shared, refused: Refused) -> Response {
    send(shared.stores.refuse(refused))
}
