//! The Memory Stores API from PostgreSQL, for agents on many hosts. The protocol is [`retrace_store_api`]'s, as is every rule; here
//! are the keys and the rows.
//!
//! A write locks the row of its store, checks everything, then appends to the store's chain at the hub in the same transaction; the
//! hub is the machine that the chain is of. So versions of the API are listed, reviewed, redacted and verified as those of machines.
//! A process keeps nothing in itself. What was refused was not done; what is answered is durable.

mod agents;
mod append;
mod read;
mod rows;
mod sessions;
mod write;

pub(crate) use agents::{agent_token, agent_tokens, revoke_agent_token};
pub(crate) use sessions::call as agent_sessions;

use crate::Failure;
use crate::arrival::SMALL_BODY;
use crate::audit;
use crate::database::Scoped;
use crate::requests::Caller;
use crate::routes::Hub;
use agents::Agent;
use axum::body::HttpBody as _;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::response::Response;
use retrace_model::{MachineId, StoreId};
use retrace_store_api::{Call, Kind, Refusal, Refused, StoreAnswer, StoreRequest, View, request_id};
use retrace_store_http::{read as read_request, send, shown_keys};
use retrace_sync::messages as m;
use retrace_sync::roles::Role;
use std::sync::Arc;
use std::time::Instant;

/// Why a call did not end in an answer.
#[derive(Debug)]
enum Stop {
    /// The caller is at fault, or somebody was faster.
    Refused(Refusal),
    /// The hub or its database failed.
    Failed(Failure),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<tokio_postgres::Error> for Stop {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Failed(error.into())
    }
}

/// Tools of every call.
struct Api<'c> {
    hub: &'c Hub,
    scoped: &'c Scoped,
    agent: &'c Agent,
    /// The machine that the chains of the API are of.
    machine: MachineId,
}

/// `GET /openapi.json`
pub(crate) async fn description() -> Response {
    retrace_store_http::description(env!("CARGO_PKG_VERSION"))
}

/// Every route below `/v1`.
pub(crate) async fn call(State(hub): State<Arc<Hub>>, request: Request) -> Response {
    let (began, name) = (Instant::now(), name_of(request.method()));
    let id = request_id(hub.keys.random().map(u128::from_be_bytes).unwrap_or_default());
    let outcome = answer(&hub, request).await.map_err(refusal);
    let answer = StoreAnswer::of(outcome, id);
    let (status, took) = (answer.status, began.elapsed());
    hub.metrics.answered(name, status, took);
    let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    tracing::info!(request = name, status, micros, "answered");
    send(answer)
}

/// The name of a request for figures and log lines: one of ours, whatever was asked.
fn name_of(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "api_get",
        "POST" | "PATCH" => "api_post",
        "DELETE" => "api_delete",
        _ => "api_other",
    }
}

/// What a client is told. What a fault of the database says stays in the log of the hub.
fn refusal(stop: Stop) -> Refusal {
    match stop {
        Stop::Refused(refusal) => refusal,
        Stop::Failed(Failure::Refused(_, refused)) if refused.kind == m::DAMAGED => {
            tracing::warn!(failure = %refused.message, "a request of the Memory Stores API met damaged data");
            Refusal::new(Kind::Conflict, refused.message.as_str())
        }
        Stop::Failed(failure) => {
            tracing::warn!(%failure, "a request of the Memory Stores API failed");
            Refusal::new(Kind::Overloaded, "The hub cannot reach its database at present.")
        }
    }
}

async fn answer(hub: &Hub, request: Request) -> Result<serde_json::Value, Stop> {
    let (parts, body) = request.into_parts();
    let token = shown_keys(&parts.headers).find_map(agents::token_in);
    let token = token.ok_or_else(|| Refused::Key.refusal())?;
    // Known agents alone may send a large body, and no connection to the database is held while one comes.
    if body.size_hint().upper().is_none_or(|bytes| bytes > SMALL_BODY as u64) {
        let known = hub.database.scoped(token.org).await?;
        let agent = agents::agent(&known, &token).await;
        known.roll_back().await?;
        agent?;
    }
    let asked = read_request(&parts, body, "").await.map_err(Refused::refusal)?;
    let _place = hub
        .api_at_once
        .acquire()
        .await
        .map_err(|_| Refusal::new(Kind::Overloaded, "The hub is about to stop."))?;
    let (scoped, agent) = begun(hub, &token).await?;
    let asked = StoreRequest { key_id: agent.id.clone(), ..asked };
    let api = Api { hub, scoped: &scoped, agent: &agent, machine: hub.keys.signing.machine() };
    let done = api.carry_out(&asked).await;
    ended(hub, scoped, &agent, done).await
}

/// Begins a transaction of an agent's organisation, and reads what its key gives.
async fn begun(hub: &Hub, token: &agents::Shown) -> Result<(Scoped, Agent), Stop> {
    let scoped = hub.database.scoped(token.org).await?;
    match agents::agent(&scoped, token).await {
        Ok(agent) => Ok((scoped, agent)),
        Err(stop) => {
            scoped.roll_back().await?;
            Err(stop)
        }
    }
}

/// Ends the transaction of an agent's request: what was done is answered once it is durable, what was refused left nothing.
async fn ended<T>(hub: &Hub, scoped: Scoped, agent: &Agent, done: Result<T, Stop>) -> Result<T, Stop> {
    match done {
        Ok(value) => {
            let appended = scoped.appended();
            scoped.commit().await?;
            hub.metrics.appended(appended);
            Ok(value)
        }
        Err(Stop::Refused(refusal)) => {
            scoped.roll_back().await?;
            if refusal.kind == Kind::Permission {
                note_refused(hub, agent).await?;
            }
            Err(refusal.into())
        }
        Err(failed) => Err(failed),
    }
}

/// An agent that asked for what its key does not give is noted, in a transaction of its own.
async fn note_refused(hub: &Hub, agent: &Agent) -> Result<(), Stop> {
    let scoped = hub.database.scoped(agent.org).await?;
    audit::note_refused(&scoped, &as_caller(hub, agent), "api", "permission_error").await?;
    scoped.commit().await?;
    Ok(())
}

/// An agent as the audit log names it: the hub's machine, and the key in the place of a person.
fn as_caller(hub: &Hub, agent: &Agent) -> Caller {
    Caller {
        org: agent.org,
        machine: hub.keys.signing.machine(),
        public_key: hub.keys.signing.public(),
        role: Role::Writer,
        person: Some(agent.id.clone()),
        verified: None,
        is_window: false,
    }
}

impl Api<'_> {
    async fn carry_out(&self, request: &StoreRequest) -> Result<serde_json::Value, Stop> {
        let call = request.understand(false)?;
        self.agent.allows(&call)?;
        let value = if call.writes() {
            self.write(&call, &request.author()).await?
        } else {
            self.read(&call).await?
        };
        self.note(&call, &value).await?;
        Ok(value)
    }

    /// Writes the call into the audit log, where it changes something or shows a content.
    async fn note(&self, call: &Call, value: &serde_json::Value) -> Result<(), Stop> {
        let Some((action, store)) = noted(call) else { return Ok(()) };
        if !call.writes() {
            // A read is answered without waiting for the disk; a crash of the database may lose the newest such rows.
            self.scoped.client()?.batch_execute("SET LOCAL synchronous_commit TO off").await?;
        }
        let id = value["id"].as_str().unwrap_or_default();
        let subject = match store {
            Some(store) if id != store.to_string() => format!("{store} {id}"),
            _ => id.to_owned(),
        };
        audit::note(self.scoped, &as_caller(self.hub, self.agent), action, subject.trim_end()).await?;
        Ok(())
    }
}

/// What a call is called in the audit log; nothing for one that shows no content.
fn noted(call: &Call) -> Option<(&'static str, Option<StoreId>)> {
    Some(match call {
        Call::CreateStore(_) => ("api_create_store", None),
        Call::UpdateStore(store, _) => ("api_update_store", Some(*store)),
        Call::DeleteStore(store) => ("api_delete_store", Some(*store)),
        Call::ArchiveStore(store) => ("api_archive_store", Some(*store)),
        Call::CreateMemory(store, _) => ("api_create_memory", Some(*store)),
        Call::UpdateMemory(store, ..) => ("api_update_memory", Some(*store)),
        Call::DeleteMemory(store, ..) => ("api_delete_memory", Some(*store)),
        Call::RedactVersion(store, _) => ("api_redact_version", Some(*store)),
        Call::GetMemory(store, _, View::Full) => ("api_read_memory", Some(*store)),
        Call::GetVersion(store, _, View::Full) => ("api_read_version", Some(*store)),
        Call::ListMemories(store, list) if list.view == View::Full => ("api_read_memories", Some(*store)),
        Call::ListVersions(store, list) if list.view == View::Full => ("api_read_versions", Some(*store)),
        _ => return None,
    })
}
