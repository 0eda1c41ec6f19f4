//! Sessions that agents mirror as they run elsewhere: `POST /v1/agent_sessions/{append,load,list,subkeys,delete}`, with the key of
//! an agent.
//!
//! A key of one store sees the sessions of that store's keys, a key of all stores those of such keys; the project that a client names
//! is kept as a code. An entry with a `uuid` is taken once. What the policy does not keep is not kept: under `metadata` an entry has a
//! row, its call's tokens count, and its text is gone with the request.

use super::agents::{self, Agent};
use super::{Stop, as_caller, begun, ended, refusal};
use crate::Failure;
use crate::arrival::{LARGE_BODY_TIME, SMALL_BODY};
use crate::audit;
use crate::database::{Scoped, now};
use crate::keys::Sealed;
use crate::requests::{EntryRows, beside_others, digest, place_of, policy_of, text_of};
use crate::routes::Hub;
use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use retrace_model::{Sha256, Timestamp};
use retrace_store_api::{Kind, Refusal, Refused, StoreAnswer, request_id};
use retrace_store_http::{arrived, is_json, send, shown_keys};
use retrace_sync::messages::{Bytes, PackedContent};
use retrace_sync::policy::Transcripts;
use retrace_sync::sessions::is_name;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;
use tokio_postgres::types::ToSql;

/// Bytes of a body.
const BODY: usize = 32 << 20;
/// Entries of one request.
const ENTRIES: usize = 10_000;
/// Raw bytes of a page of entries, about.
const PAGE_BYTES: usize = 8 << 20;
/// Rows of a page of entries, at most.
const PAGE: i64 = 1_000;
/// Characters of a project's name.
const PROJECT: usize = 4_000;
/// Effort of zstd.
const EFFORT: i32 = 3;
/// Whose transcripts have this form.
const AGENT: &str = "claude-code";

type Value<'v> = &'v (dyn ToSql + Sync);

/// Which session, and which part of it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Key {
    project_key: String,
    #[serde(default)]
    session_id: String,
    #[serde(default)]
    subpath: Option<String>,
}

#[derive(Deserialize)]
struct Asked {
    key: Key,
    #[serde(default)]
    entries: Vec<Box<RawValue>>,
    #[serde(default)]
    after: u64,
}

/// What is read of an entry. Everything else is its client's.
#[derive(Deserialize)]
struct Seen {
    #[serde(default)]
    uuid: Option<String>,
    #[serde(default)]
    timestamp: Option<String>,
    #[serde(default)]
    message: Option<SeenMessage>,
}

#[derive(Deserialize)]
struct SeenMessage {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Usage {
    input_tokens: Option<i64>,
    cache_read_input_tokens: Option<i64>,
    cache_creation_input_tokens: Option<i64>,
    output_tokens: Option<i64>,
}

#[derive(Serialize)]
struct Taken {
    taken: u64,
}

#[derive(Serialize)]
struct Loaded {
    /// Null for a key that was never written.
    entries: Option<Vec<Box<RawValue>>>,
    next: Option<u64>,
}

#[derive(Serialize)]
struct Listed {
    sessions: Vec<ListedSession>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedSession {
    session_id: String,
    /// Milliseconds since 1970.
    mtime: i64,
}

#[derive(Serialize)]
struct Subkeys {
    subpaths: Vec<String>,
}

/// `POST /v1/agent_sessions/{operation}`
pub(crate) async fn call(State(hub): State<Arc<Hub>>, request: Request) -> Response {
    let began = Instant::now();
    let id = request_id(hub.keys.random().map(u128::from_be_bytes).unwrap_or_default());
    let response = match answer(&hub, request).await {
        Ok(body) => {
            let mut response = Response::new(Body::from(body));
            let kind = HeaderValue::from_static("application/json");
            response.headers_mut().insert(header::CONTENT_TYPE, kind);
            response
        }
        Err(stop) => send(StoreAnswer::of(Err(refusal(stop)), id)),
    };
    let (status, took) = (response.status().as_u16(), began.elapsed());
    hub.metrics.answered("agent_sessions", status, took);
    let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    tracing::info!(request = "agent_sessions", status, micros, "answered");
    response
}

fn invalid(message: &str) -> Stop {
    Refusal::new(Kind::InvalidRequest, message.to_owned()).into()
}

async fn answer(hub: &Hub, request: Request) -> Result<Vec<u8>, Stop> {
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
    if !is_json(&parts.headers) {
        return Err(invalid("The body is said to be no JSON."));
    }
    let body = arrived(body, BODY, LARGE_BODY_TIME).await.map_err(|refused| match refused {
        Refused::TooSlow => Refused::TooSlow.refusal(),
        _ => Refusal::new(Kind::TooLarge, "The request broke off or is too large."),
    })?;
    // The parser's own words could quote what was sent.
    let asked: Asked = serde_json::from_slice(&body)
        .map_err(|_| invalid("The request is not what this hub understands."))?;
    let _place = hub
        .api_at_once
        .acquire()
        .await
        .map_err(|_| Refusal::new(Kind::Overloaded, "The hub is about to stop."))?;
    let (scoped, agent) = begun(hub, &token).await?;
    let operation = parts.uri.path().rsplit('/').next().unwrap_or_default();
    let sessions = Sessions { hub, scoped: &scoped, agent: &agent };
    let done = sessions.carry_out(operation, asked).await;
    ended(hub, scoped, &agent, done).await
}

struct Sessions<'c> {
    hub: &'c Hub,
    scoped: &'c Scoped,
    agent: &'c Agent,
}

fn json(value: &impl Serialize) -> Result<Vec<u8>, Stop> {
    serde_json::to_vec(value).map_err(|_| Failure::Machine("an answer cannot be written".into()).into())
}

impl Sessions<'_> {
    async fn carry_out(&self, operation: &str, asked: Asked) -> Result<Vec<u8>, Stop> {
        let key = &asked.key;
        let part = key.subpath.clone().unwrap_or_default();
        // A client makes files of these names when it resumes.
        let is_path = |text: &str| is_name(text) && !text.split('/').any(|word| word == ".." || word == ".");
        if key.project_key.chars().count() > PROJECT
            || key.project_key.chars().any(char::is_control)
            || !is_path(&key.session_id)
            || (key.session_id.is_empty() && operation != "list")
            || !is_path(&part)
            || part.starts_with('/')
        {
            return Err(invalid("The key names no session."));
        }
        match operation {
            "append" => self.append(key, &part, asked.entries).await,
            "load" => self.load(key, &part, asked.after).await,
            "list" => self.list(key).await,
            "subkeys" => self.subkeys(key).await,
            "delete" => self.delete(key, &part).await,
            _ => Err(Refusal::not_found("route", "").into()),
        }
    }

    /// A code of the store that the key is for, and of the project.
    fn scope(&self, key: &Key) -> [u8; 32] {
        let store = self.agent.store.map(|store| store.0.to_vec()).unwrap_or_default();
        let text = [&store[..], b"\0", key.project_key.as_bytes()].concat();
        self.hub.keys.tag(b"agent sessions", self.agent.org, &text)
    }

    fn may_write(&self) -> Result<(), Stop> {
        if self.agent.read_only {
            return Err(Refusal::new(Kind::Permission, "This key may read only.").into());
        }
        Ok(())
    }

    async fn transcripts(&self) -> Result<Transcripts, Stop> {
        beside_others(self.scoped, self.agent.org).await?;
        Ok(policy_of(self.scoped.client()?, self.agent.org, "").await?.transcripts)
    }

    async fn note(&self, action: &str, subject: &str) -> Result<(), Stop> {
        Ok(audit::note(self.scoped, &as_caller(self.hub, self.agent), action, subject).await?)
    }

    async fn session(&self, key: &Key) -> Result<Option<i64>, Stop> {
        let (machine, scope) = (self.hub.keys.signing.machine(), self.scope(key));
        let row = self
            .scoped
            .client()?
            .query_opt(
                "SELECT id FROM sessions WHERE org = $1 AND machine = $2 AND scope = $3 AND session = $4
                     AND deleted_at IS NULL",
                &[&&self.agent.org.0[..], &&machine.0[..], &&scope[..], &key.session_id],
            )
            .await?;
        Ok(row.map(|row| row.get(0)))
    }

    async fn append(&self, key: &Key, part: &str, entries: Vec<Box<RawValue>>) -> Result<Vec<u8>, Stop> {
        self.may_write()?;
        if entries.len() > ENTRIES {
            return Err(invalid("Ten thousand entries at most are sent at once."));
        }
        let transcripts = self.transcripts().await?;
        if transcripts == Transcripts::Nothing {
            let message = "The policy of the organisation keeps nothing of transcripts.";
            return Err(Refusal::new(Kind::Permission, message).into());
        }
        let (machine, scope) = (self.hub.keys.signing.machine(), self.scope(key));
        // The row is locked: entries of several processes come one batch after the other.
        let id: i64 = self
            .scoped
            .client()?
            .query_one(
                include_str!("../../statements/api_session_put.sql"),
                &[
                    &&self.agent.org.0[..],
                    &&machine.0[..],
                    &&scope[..],
                    &key.session_id,
                    &AGENT,
                    &self.agent.id,
                    &now(),
                ],
            )
            .await?
            .get(0);
        let mut seen = Vec::with_capacity(entries.len());
        for entry in entries {
            let what: Seen = serde_json::from_str(entry.get())
                .map_err(|_| invalid("An entry is no object, or its uuid is no text."))?;
            if what.uuid.as_deref().is_some_and(|uuid| !is_name(uuid)) {
                return Err(invalid("The uuid of an entry holds letters that none may have."));
            }
            seen.push((entry, what));
        }
        let taken = self.take(id, part, &seen, transcripts == Transcripts::Everything).await?;
        self.figures(id, &seen).await?;
        self.note("append_session", &format!("{} {taken}", key.session_id)).await?;
        json(&Taken { taken })
    }

    /// Writes the entries that are not here yet; answers how many.
    async fn take(
        &self,
        id: i64,
        part: &str,
        seen: &[(Box<RawValue>, Seen)],
        texts: bool,
    ) -> Result<u64, Stop> {
        let org = self.agent.org;
        let uuids: Vec<&str> = seen.iter().filter_map(|(_, what)| what.uuid.as_deref()).collect();
        let client = self.scoped.client()?;
        let of: [Value<'_>; 3] = [&&org.0[..], &id, &part];
        let here = client
            .query(
                "SELECT uuid FROM session_entries WHERE org = $1 AND id = $2 AND part = $3 AND uuid = ANY($4)",
                &[of[0], of[1], of[2], &uuids],
            )
            .await?;
        let mut here: BTreeSet<String> = here.iter().map(|row| row.get(0)).collect();
        let mut number: i64 = client
            .query_one(
                "SELECT coalesce(max(number), 0) FROM session_entries WHERE org = $1 AND id = $2 AND part = $3",
                &of,
            )
            .await?
            .get(0);
        let mut rows = EntryRows::default();
        for (entry, what) in seen {
            if what.uuid.as_ref().is_some_and(|uuid| !here.insert(uuid.clone())) {
                continue;
            }
            number += 1;
            let text = match texts {
                false => None,
                true => {
                    let bytes = entry.get().as_bytes();
                    let packed = zstd::bulk::compress(bytes, EFFORT)
                        .map_err(|_| Failure::Machine("an entry cannot be packed".into()))?;
                    let content = PackedContent {
                        sha256: Sha256::of(bytes),
                        size: bytes.len() as u64,
                        packed: Bytes(packed),
                    };
                    let place = place_of(org, self.hub.keys.signing.machine());
                    text_of(self.hub, self.scoped, place, &content).await?
                }
            };
            rows.add(number, what.uuid.clone(), text);
        }
        Ok(rows.insert(self.scoped, org, id, part).await?)
    }

    /// Brings the figures of a session up to date: an answer of a model comes in several entries, each with the tokens so far.
    async fn figures(&self, id: i64, seen: &[(Box<RawValue>, Seen)]) -> Result<(), Stop> {
        let client = self.scoped.client()?;
        let of: [Value<'_>; 2] = [&&self.agent.org.0[..], &id];
        let mut times: Vec<i64> = Vec::new();
        for (_, what) in seen {
            let at = what.timestamp.as_deref().and_then(|text| Timestamp::parse(text).ok());
            times.extend(at.map(Timestamp::micros));
            let message = what.message.as_ref();
            let call = message.and_then(|message| Some((message.id.as_ref()?, message.usage?)));
            let Some((call, usage)) = call else { continue };
            let tokens = |count: Option<i64>| count.unwrap_or(0).max(0);
            client
                .execute(
                    include_str!("../../statements/api_session.sql"),
                    &[
                        of[0],
                        of[1],
                        &&Sha256::of(call.as_bytes()).0[..16],
                        &tokens(usage.input_tokens),
                        &tokens(usage.cache_read_input_tokens),
                        &tokens(usage.cache_creation_input_tokens),
                        &tokens(usage.output_tokens),
                    ],
                )
                .await?;
        }
        client
            .execute(
                include_str!("../../statements/session_totals.sql"),
                &[of[0], of[1], &times.iter().min(), &times.iter().max()],
            )
            .await?;
        Ok(())
    }

    async fn load(&self, key: &Key, part: &str, after: u64) -> Result<Vec<u8>, Stop> {
        let nothing = || json(&Loaded { entries: None, next: None });
        let Some(id) = self.session(key).await? else { return nothing() };
        let after = i64::try_from(after).map_err(|_| invalid("The page begins nowhere."))?;
        let rows = self
            .scoped
            .client()?
            .query(
                "SELECT number, sha256, wrapped_key, bytes, size FROM session_entries
                 WHERE org = $1 AND id = $2 AND part = $3 AND number > $4 AND bytes IS NOT NULL ORDER BY number LIMIT $5",
                &[&&self.agent.org.0[..], &id, &part, &after, &PAGE],
            )
            .await?;
        if rows.is_empty() && after == 0 {
            return nothing();
        }
        let (mut entries, mut bytes, mut next) = (Vec::new(), 0, None);
        let full = i64::try_from(rows.len()).unwrap_or(i64::MAX) == PAGE;
        let damaged = || Failure::Database("an entry of a session is damaged".into());
        for (at, row) in rows.iter().enumerate() {
            let sha256 = digest(row, 1)?;
            let sealed = Sealed { wrapped_key: row.get(2), bytes: row.get(3) };
            let place = place_of(self.agent.org, self.hub.keys.signing.machine());
            let packed = self.hub.keys.open(place, &sha256, &sealed).ok_or_else(damaged)?;
            let size = usize::try_from(row.get::<_, i64>(4)).map_err(|_| damaged())?;
            let raw = zstd::bulk::decompress(&packed, size).map_err(|_| damaged())?;
            bytes += raw.len();
            let text = String::from_utf8(raw).map_err(|_| damaged())?;
            entries.push(RawValue::from_string(text).map_err(|_| damaged())?);
            let last = at + 1 == rows.len();
            if (last && full) || (!last && bytes >= PAGE_BYTES) {
                next = u64::try_from(row.get::<_, i64>(0)).ok();
                break;
            }
        }
        self.note("load_session", &key.session_id).await?;
        json(&Loaded { entries: Some(entries), next })
    }

    async fn list(&self, key: &Key) -> Result<Vec<u8>, Stop> {
        let (machine, scope) = (self.hub.keys.signing.machine(), self.scope(key));
        let rows = self
            .scoped
            .client()?
            .query(
                "SELECT session, received_at FROM sessions WHERE org = $1 AND machine = $2 AND scope = $3
                     AND deleted_at IS NULL ORDER BY received_at DESC, id DESC LIMIT 10000",
                &[&&self.agent.org.0[..], &&machine.0[..], &&scope[..]],
            )
            .await?;
        let listed = |row: &tokio_postgres::Row| ListedSession {
            session_id: row.get(0),
            mtime: row.get::<_, i64>(1).div_euclid(1_000),
        };
        json(&Listed { sessions: rows.iter().map(listed).collect() })
    }

    async fn subkeys(&self, key: &Key) -> Result<Vec<u8>, Stop> {
        let Some(id) = self.session(key).await? else { return json(&Subkeys { subpaths: Vec::new() }) };
        let rows = self
            .scoped
            .client()?
            .query(
                "SELECT DISTINCT part FROM session_entries WHERE org = $1 AND id = $2 AND part <> '' ORDER BY part",
                &[&&self.agent.org.0[..], &id],
            )
            .await?;
        json(&Subkeys { subpaths: rows.iter().map(|row| row.get(0)).collect() })
    }

    async fn delete(&self, key: &Key, part: &str) -> Result<Vec<u8>, Stop> {
        self.may_write()?;
        if let Some(id) = self.session(key).await? {
            let client = self.scoped.client()?;
            let of: [Value<'_>; 2] = [&&self.agent.org.0[..], &id];
            if part.is_empty() {
                for table in ["session_entries", "session_calls", "sessions"] {
                    client.execute(&format!("DELETE FROM {table} WHERE org = $1 AND id = $2"), &of).await?;
                }
            } else {
                let sql = "DELETE FROM session_entries WHERE org = $1 AND id = $2 AND part = $3";
                client.execute(sql, &[of[0], of[1], &part]).await?;
            }
            self.note("delete_session", &key.session_id).await?;
        }
        json(&serde_json::json!({}))
    }
}
