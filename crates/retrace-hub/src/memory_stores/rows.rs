//! Rows of the database as objects of the API.

use super::{Api, Stop};
use crate::Failure;
use crate::keys::{Place, Sealed};
use crate::requests::{digest, id16};
use retrace_model::{
    Actor, Evidence, MemoryId, RelPath, Sha256, StoreId, Timestamp, VersionId, VersionOperation,
};
use retrace_store_api::objects::{MemoryObject, StoreObject, VersionObject};
use retrace_store_api::{MemoryPath, Refusal};
use serde_json::{Map, Value};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

/// A parameter of a statement.
pub(super) type Parameter<'v> = &'v (dyn ToSql + Sync);

/// A store.
pub(super) struct Store {
    pub(super) object: StoreObject,
    /// Its place in the list.
    pub(super) place: u64,
}

/// A live memory.
pub(super) struct Live {
    pub(super) id: MemoryId,
    pub(super) path: RelPath,
    pub(super) head: i64,
    leaf: Sha256,
    pub(super) created_at: Timestamp,
    updated_at: Timestamp,
    /// Hash and bytes of its content; none once that was redacted by a machine.
    content: Option<(Sha256, u64)>,
    sealed: Option<Sealed>,
}

/// A version.
pub(super) struct Version {
    pub(super) object: VersionObject,
    sealed: Option<Sealed>,
}

/// Columns of [`store`].
pub(super) const STORE: &str =
    "s.store, s.place, s.name, s.description, s.metadata, s.created_at, s.updated_at, s.archived_at";

/// Columns of [`live`]; the content where `$2` says so.
pub(super) const LIVE: &str =
    "m.memory, m.path, m.head, v.leaf, m.created_at, v.created_at, v.content_sha256,
    v.content_size, c.wrapped_key, c.bytes";

/// Where those columns come from. `$1` organisation, `$2` whether with contents, `$3` store, `$4` machine.
pub(super) const LIVE_FROM: &str = "FROM api_memories m
    JOIN versions v ON v.org = m.org AND v.store = m.store AND v.machine = $4 AND v.seq = m.head
    LEFT JOIN contents c ON $2 AND c.org = m.org AND c.store = m.store AND c.machine = $4 AND c.sha256 = v.content_sha256
    WHERE m.org = $1 AND m.store = $3";

/// Columns of [`version`]; the content where `$2` says so.
pub(super) const VERSION: &str = "v.seq, v.leaf, v.memory, v.operation, v.path, v.content_sha256, v.content_size,
    v.created_at, v.redacted, a.actor, a.actor_id, a.redacted_at, a.redacted_by, a.redacted_by_id, c.wrapped_key, c.bytes";

/// Where those columns come from. `$1` organisation, `$2` whether with contents, `$3` store, `$4` machine.
pub(super) const VERSION_FROM: &str = "FROM api_versions a
    JOIN versions v ON v.org = a.org AND v.store = a.store AND v.machine = a.machine AND v.seq = a.seq
    LEFT JOIN contents c ON $2 AND c.org = a.org AND c.store = a.store AND c.machine = a.machine
        AND c.sha256 = v.content_sha256
    WHERE a.org = $1 AND a.store = $3 AND a.machine = $4";

fn damaged(what: &str) -> Failure {
    Failure::Database(format!("{what} is damaged"))
}

pub(super) fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

fn instant(row: &Row, column: usize) -> Timestamp {
    Timestamp::from_micros(row.get(column))
}

fn pairs(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}

pub(super) fn store(row: &Row) -> Result<Store, Failure> {
    let object = StoreObject {
        id: StoreId(id16(row, 0)?),
        name: row.get(2),
        description: String::from_utf8(row.get(3)).map_err(|_| damaged("a description"))?,
        metadata: pairs(row.get(4)),
        created_at: instant(row, 5),
        updated_at: instant(row, 6),
        archived_at: row.get::<_, Option<i64>>(7).map(Timestamp::from_micros),
    };
    Ok(Store { object, place: unsigned(row.get(1)) })
}

fn content(row: &Row, sha256: usize) -> Result<Option<(Sha256, u64)>, Failure> {
    let Some(size) = row.get::<_, Option<i64>>(sha256 + 1) else { return Ok(None) };
    Ok(Some((digest(row, sha256)?, unsigned(size))))
}

fn sealed(row: &Row, key: usize) -> Option<Sealed> {
    Some(Sealed {
        wrapped_key: row.get::<_, Option<Vec<u8>>>(key)?,
        bytes: row.get::<_, Option<Vec<u8>>>(key + 1)?,
    })
}

pub(super) fn live(row: &Row) -> Result<Live, Failure> {
    let path: Vec<u8> = row.get(1);
    Ok(Live {
        id: MemoryId(id16(row, 0)?),
        path: RelPath::from_bytes(path).map_err(|_| damaged("a path"))?,
        head: row.get(2),
        leaf: digest(row, 3)?,
        created_at: instant(row, 4),
        updated_at: instant(row, 5),
        content: content(row, 6)?,
        sealed: sealed(row, 8),
    })
}

/// An actor as the database keeps it.
pub(super) fn actor_columns(actor: &Actor) -> (&'static str, &str) {
    match actor {
        Actor::Session { id, .. } => ("session", id),
        Actor::Api { id } | Actor::User { id } | Actor::ServiceAccount { id } => ("api", id),
        Actor::Unknown => ("api", ""),
    }
}

fn actor(kind: &str, id: String) -> Actor {
    match kind {
        "session" => Actor::Session { id, evidence: Evidence::Stated },
        _ => Actor::Api { id },
    }
}

pub(super) fn version(row: &Row, store: StoreId) -> Result<Version, Failure> {
    let operation: VersionOperation = row.get::<_, &str>(3).parse().map_err(|_| damaged("an operation"))?;
    let path = row.get::<_, Option<Vec<u8>>>(4).map(|path| format!("/{}", String::from_utf8_lossy(&path)));
    // Redacted by a machine of the organisation: the API does not say by which.
    let by = match row.get::<_, Option<&str>>(12) {
        Some(kind) => actor(kind, row.get::<_, Option<String>>(13).unwrap_or_default()),
        None => Actor::Unknown,
    };
    let info = content(row, 5)?;
    // One that lost its path alone has its content, and says so.
    let redacted = row.get::<_, Option<i64>>(11).filter(|_| row.get(8) && info.is_none());
    let object = VersionObject {
        id: VersionId::new(unsigned(row.get(0)), &digest(row, 1)?),
        store,
        memory: MemoryId(id16(row, 2)?),
        operation,
        path,
        content: None,
        info,
        created_by: actor(row.get(9), row.get(10)),
        created_at: instant(row, 7),
        redacted: redacted.map(|at| (Timestamp::from_micros(at), by)),
    };
    Ok(Version { object, sealed: sealed(row, 14) })
}

impl Live {
    /// Hash and bytes of its content. One whose newest version was redacted has none left and counts as empty.
    pub(super) fn current(&self) -> (Sha256, u64) {
        self.content.unwrap_or_else(|| (Sha256::of(b""), 0))
    }

    fn version(&self) -> VersionId {
        VersionId::new(unsigned(self.head), &self.leaf)
    }
}

impl Api<'_> {
    /// Opens a content; none where it is not there any more.
    fn open(
        &self,
        store: StoreId,
        content: Option<(Sha256, u64)>,
        sealed: Option<&Sealed>,
    ) -> Result<Option<String>, Stop> {
        let (Some((sha256, size)), Some(sealed)) = (content, sealed) else { return Ok(None) };
        let place = Place { org: self.agent.org, store, machine: self.machine };
        let text = self
            .hub
            .keys
            .open(place, &sha256, sealed)
            .and_then(|packed| zstd::bulk::decompress(&packed, usize::try_from(size).ok()?).ok())
            .and_then(|bytes| String::from_utf8(bytes).ok());
        Ok(Some(text.ok_or_else(|| damaged("a content"))?))
    }

    /// The content of a live memory that was read with its content.
    pub(super) fn text(&self, store: StoreId, memory: &Live) -> Result<String, Stop> {
        Ok(self.open(store, memory.content, memory.sealed.as_ref())?.unwrap_or_default())
    }

    pub(super) fn memory_object(
        &self,
        store: StoreId,
        memory: &Live,
        full: bool,
    ) -> Result<MemoryObject, Stop> {
        let path = MemoryPath::of(&memory.path).ok_or_else(|| damaged("a path"))?;
        let (sha256, size) = memory.current();
        let content = if full { Some(self.text(store, memory)?) } else { None };
        Ok(MemoryObject {
            id: memory.id,
            store,
            version: memory.version(),
            path,
            content,
            size,
            sha256,
            created_at: memory.created_at,
            updated_at: memory.updated_at,
        })
    }

    pub(super) fn version_object(&self, version: &Version, full: bool) -> Result<VersionObject, Stop> {
        let mut object = version.object.clone();
        if full {
            object.content = self.open(object.store, object.info, version.sealed.as_ref())?;
        }
        Ok(object)
    }
}

pub(super) fn unknown_store(store: StoreId) -> Stop {
    Refusal::not_found("memory store", &store.to_string()).into()
}

pub(super) fn unknown_memory(memory: MemoryId) -> Stop {
    Refusal::not_found("memory", &memory.to_string()).into()
}

pub(super) fn unknown_version(version: VersionId) -> Stop {
    Refusal::not_found("memory version", &version.to_string()).into()
}
