//! Reading the log.

use crate::chain::{self, Leaf};
use crate::stores::{row_of, store_id};
use crate::writer::hash_from;
use crate::{LogError, LogFiles, blob};
use retrace_model::{
    Actor, MemoryId, ReceiptId, RelPath, Sha256, Source, StoreId, Timestamp, VersionId, VersionOperation,
};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Row, params, params_from_iter};
use std::collections::BTreeMap;

/// A look at the log. Everything read through one value that came from [`Readers`](crate::read::ReadConnection) within
/// one call sees one state.
pub struct Reader<'c> {
    pub(crate) connection: &'c Connection,
}

/// A connection that only reads.
pub struct ReadConnection {
    connection: Connection,
}

impl ReadConnection {
    /// Opens the log for reading. It must exist.
    ///
    /// # Errors
    /// [`LogError::Newer`], [`LogError::Damaged`], [`LogError::CannotWrite`] (reading needs the write-ahead log's index).
    pub fn open(files: &LogFiles) -> Result<Self, LogError> {
        Ok(Self { connection: files.open_reader()? })
    }

    /// Runs `read` on one state of the log, whatever others append meanwhile.
    ///
    /// # Errors
    /// Those of `read`, and failures of the database.
    pub fn snapshot<T, E: From<LogError>>(
        &self,
        read: impl FnOnce(&Reader<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let transaction = self.connection.unchecked_transaction().map_err(LogError::from)?;
        read(&Reader::over(&transaction))
    }
}

/// What a version's content is, without the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentInfo {
    /// Hash of the raw bytes.
    pub sha256: Sha256,
    /// Their number.
    pub size: u64,
    /// Whether it is UTF-8 without NUL bytes.
    pub is_text: bool,
    /// Whether the bytes are kept; they are not when there were too many.
    pub kept: bool,
}

/// A content with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// What it is.
    pub info: ContentInfo,
    /// The raw bytes.
    pub bytes: Vec<u8>,
}

/// That a version was redacted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction {
    /// The receipt.
    pub receipt: ReceiptId,
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub actor: Actor,
}

/// One version.
#[derive(Clone, Debug)]
pub struct VersionRow {
    /// Its id.
    pub id: VersionId,
    /// The operation it belongs to.
    pub operation_seq: u64,
    /// Its store.
    pub store: StoreId,
    /// Its memory.
    pub memory: MemoryId,
    /// What it did.
    pub operation: VersionOperation,
    /// Path after it; `None` when redacted.
    pub path: Option<RelPath>,
    /// Path before it, when it moved the memory and both are known.
    pub previous_path: Option<RelPath>,
    /// Its content; `None` for deletions and redacted versions.
    pub content: Option<ContentInfo>,
    /// When it was recorded.
    pub created_at: Timestamp,
    /// Who.
    pub actor: Actor,
    /// What caused it.
    pub source: Source,
    /// Why, where a reason was given.
    pub note: Option<String>,
    /// That it was redacted.
    pub redaction: Option<Redaction>,
    pub(crate) blob_row: Option<i64>,
    pub(crate) leaf: Sha256,
    /// Whether the commitment came from the content itself, not from a kept value.
    pub(crate) commitment: Sha256,
}

/// Filters for versions; all given ones must hold.
#[derive(Clone, Debug, Default)]
pub struct VersionFilter {
    /// Of this store.
    pub store: Option<StoreId>,
    /// Of this memory.
    pub memory: Option<MemoryId>,
    /// Of memories that have been at this path, or below it.
    pub path: Option<RelPath>,
    /// With this operation.
    pub operation: Option<VersionOperation>,
    /// By an actor with this name; an empty text means unknown.
    pub actor: Option<String>,
    /// Recorded not before.
    pub since: Option<Timestamp>,
    /// Recorded not after.
    pub until: Option<Timestamp>,
    /// Of this operation.
    pub operation_seq: Option<u64>,
    /// Of operations that redacted versions are part of or not: only redacted ones.
    pub only_redacted: bool,
    /// Before this place in the log.
    pub before: Option<u64>,
    /// After this place in the log.
    pub after: Option<u64>,
    /// At most so many; 0 means no limit.
    pub limit: u64,
}

/// One operation.
#[derive(Clone, Debug)]
pub struct OperationRow {
    /// Its place in the order.
    pub seq: u64,
    /// The store it concerns.
    pub store: Option<StoreId>,
    /// What caused it.
    pub source: Source,
    /// When.
    pub created_at: Timestamp,
    /// Who.
    pub actor: Actor,
    /// Why, where a reason was given.
    pub note: Option<String>,
    /// The operation it takes back.
    pub undoes: Option<u64>,
    /// The operation that takes it back.
    pub undone_by: Option<u64>,
    /// Place of its first version.
    pub first_version: u64,
    /// How many versions it has.
    pub versions: u64,
    /// Memories created, modified, deleted.
    pub counts: (u64, u64, u64),
    pub(crate) digest: Sha256,
}

/// A memory at an instant.
#[derive(Clone, Debug)]
pub struct MemoryAt {
    /// Its path then.
    pub path: Option<RelPath>,
    /// Its version then.
    pub version: VersionRow,
    /// How many versions it had then.
    pub versions: u64,
}

/// When a store changed.
#[derive(Clone, Debug)]
pub struct ActivityMark {
    /// Operation.
    pub operation_seq: u64,
    /// Time.
    pub at: Timestamp,
    /// Cause.
    pub source: Source,
    /// Memories created, modified, deleted.
    pub counts: (u64, u64, u64),
}

const VERSION: &str = "SELECT v.seq, v.operation_seq, s.public, m.public, v.change, p.bytes, b.size, b.sha256, b.is_text,
        b.encoding, b.salt, coalesce(v.created_at, o.created_at), o.source, o.note, a.type, a.name, a.evidence,
        v.salt, v.commitment, r.public, r.created_at, ra.type, ra.name, ra.evidence, v.blob_id,
        (SELECT pp.bytes FROM versions w JOIN paths pp ON pp.id = w.path_id
         WHERE w.seq = (SELECT max(x.seq) FROM versions x WHERE x.memory_id = v.memory_id AND x.seq < v.seq)
           AND v.change = 2 AND w.path_id <> v.path_id)
    FROM versions v
    JOIN operations o ON o.seq = v.operation_seq
    JOIN stores s ON s.id = v.store_id
    JOIN memories m ON m.id = v.memory_id
    LEFT JOIN paths p ON p.id = v.path_id
    LEFT JOIN blobs b ON b.id = v.blob_id
    LEFT JOIN actors a ON a.id = o.actor_id
    LEFT JOIN redactions r ON r.id = v.redaction_id
    LEFT JOIN actors ra ON ra.id = r.actor_id";

const OPERATION: &str =
    "SELECT o.seq, s.public, o.source, o.created_at, a.type, a.name, a.evidence, o.note, o.undoes,
        (SELECT u.seq FROM operations u WHERE u.undoes = o.seq), o.first_version, o.versions, o.digest
    FROM operations o
    LEFT JOIN stores s ON s.id = o.store_id
    LEFT JOIN actors a ON a.id = o.actor_id";

impl<'c> Reader<'c> {
    pub(crate) fn over(connection: &'c Connection) -> Self {
        Self { connection }
    }

    /// The newest operation: the cursor of the change feed. 0 for an empty log.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn cursor(&self) -> Result<u64, LogError> {
        Ok(crate::writer::head_of_chain(self.connection)?.1)
    }

    /// Digest of the newest operation, which covers the whole log.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn chain_head(&self) -> Result<Sha256, LogError> {
        Ok(crate::writer::head_of_chain(self.connection)?.0)
    }

    /// Place of the newest version; 0 for an empty log.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn last_version(&self) -> Result<u64, LogError> {
        crate::writer::last_version(self.connection)
    }

    /// The version at a place in the log.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when there is none.
    pub fn version(&self, seq: u64) -> Result<VersionRow, LogError> {
        let sql = format!("{VERSION} WHERE v.seq = ?1");
        let mut query = self.connection.prepare_cached(&sql)?;
        let mut rows = query.query([seq as i64])?;
        rows.next()?
            .map(version_from)
            .unwrap_or_else(|| Err(LogError::NotFound { what: "version", name: seq.to_string() }))
    }

    /// The version with an id.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when there is none, also when the version at that place says something else.
    pub fn version_by_id(&self, id: VersionId) -> Result<VersionRow, LogError> {
        let unknown = || LogError::NotFound { what: "version", name: id.to_string() };
        match self.version(id.seq) {
            Ok(version) if version.id == id => Ok(version),
            Ok(_) | Err(LogError::NotFound { .. }) => Err(unknown()),
            Err(error) => Err(error),
        }
    }

    /// Versions that pass a filter, newest first.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store or memory, or a failure of the database.
    pub fn versions(&self, filter: &VersionFilter) -> Result<Vec<VersionRow>, LogError> {
        let mut wheres: Vec<&str> = Vec::new();
        let mut values: Vec<Value> = Vec::new();
        if let Some(store) = filter.store {
            // A plus sign keeps the planner from walking the store's index when the memory or path is given too.
            let narrow = filter.memory.is_some() || filter.path.is_some() || filter.operation_seq.is_some();
            wheres.push(if narrow { "+v.store_id = ?" } else { "v.store_id = ?" });
            values.push(row_of(self.connection, store)?.into());
        }
        if let Some(memory) = filter.memory {
            wheres.push("v.memory_id = ?");
            values.push(self.memory_row(memory)?.into());
        }
        if let Some(path) = &filter.path {
            wheres.push(
                "v.memory_id IN (SELECT mp.memory_id FROM memory_paths mp JOIN paths q ON q.id = mp.path_id
                 WHERE q.bytes = ? OR (q.bytes > ? AND q.bytes < ?))",
            );
            values.push(path.as_bytes().to_vec().into());
            values.push([path.as_bytes(), b"/"].concat().into());
            values.push([path.as_bytes(), b"0"].concat().into());
        }
        if let Some(operation) = filter.operation {
            wheres.push("v.change = ?");
            values.push(crate::writer::change_number(operation).into());
        }
        if let Some(actor) = &filter.actor {
            if actor.is_empty() {
                wheres.push("o.actor_id IS NULL");
            } else {
                wheres.push("o.actor_id IN (SELECT id FROM actors WHERE name = ?)");
                values.push(actor.clone().into());
            }
        }
        if let Some(since) = filter.since {
            wheres.push("coalesce(v.created_at, o.created_at) >= ?");
            values.push(since.micros().into());
        }
        if let Some(until) = filter.until {
            wheres.push("coalesce(v.created_at, o.created_at) <= ?");
            values.push(until.micros().into());
        }
        if let Some(seq) = filter.operation_seq {
            wheres.push("v.seq BETWEEN (SELECT first_version FROM operations WHERE seq = ?) AND (SELECT first_version + versions - 1 FROM operations WHERE seq = ?)");
            values.push((seq as i64).into());
            values.push((seq as i64).into());
        }
        if filter.only_redacted {
            wheres.push("v.redaction_id IS NOT NULL");
        }
        if let Some(before) = filter.before {
            wheres.push("v.seq < ?");
            values.push((before as i64).into());
        }
        if let Some(after) = filter.after {
            wheres.push("v.seq > ?");
            values.push((after as i64).into());
        }
        let filters =
            if wheres.is_empty() { String::new() } else { format!(" WHERE {}", wheres.join(" AND ")) };
        let limit = if filter.limit == 0 { String::new() } else { format!(" LIMIT {}", filter.limit) };
        let sql = format!("{VERSION}{filters} ORDER BY v.seq DESC{limit}");
        let mut query = self.connection.prepare_cached(&sql)?;
        let mut rows = query.query(params_from_iter(values))?;
        let mut versions = Vec::new();
        while let Some(row) = rows.next()? {
            versions.push(version_from(row)?);
        }
        Ok(versions)
    }

    /// The version of the same memory before this one.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn version_before(&self, version: &VersionRow) -> Result<Option<VersionRow>, LogError> {
        let seq: Option<i64> = self
            .connection
            .prepare_cached(
                "SELECT max(seq) FROM versions
                 WHERE memory_id = (SELECT memory_id FROM versions WHERE seq = ?1) AND seq < ?1",
            )?
            .query_row([version.id.seq as i64], |row| row.get(0))?;
        seq.map(|seq| self.version(seq as u64)).transpose()
    }

    /// The raw bytes of a version; `None` for a deletion.
    ///
    /// # Errors
    /// [`LogError::Redacted`], [`LogError::NotKept`], [`LogError::Damaged`] when they do not have the recorded hash.
    pub fn content(&self, version: &VersionRow) -> Result<Option<Content>, LogError> {
        if version.redaction.is_some() {
            return Err(LogError::Redacted(version.id.seq));
        }
        let (Some(info), Some(row)) = (version.content, version.blob_row) else { return Ok(None) };
        let bytes = blob::read(self.connection, row)?.ok_or(LogError::NotKept(version.id.seq))?;
        if Sha256::of(&bytes) != info.sha256 {
            return Err(LogError::Damaged(format!(
                "the content of version {} has another hash",
                version.id.seq
            )));
        }
        Ok(Some(Content { info, bytes }))
    }

    /// The newest version of any memory with exactly this content, where the log has one.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn version_with_content(&self, sha256: &Sha256) -> Result<Option<VersionRow>, LogError> {
        let Some(blob_row) = blob::find(self.connection, sha256)? else { return Ok(None) };
        let seq: Option<i64> = self
            .connection
            .prepare_cached("SELECT max(seq) FROM versions WHERE blob_id = ?1")?
            .query_row([blob_row], |row| row.get(0))?;
        seq.map(|seq| self.version(seq as u64)).transpose()
    }

    /// One operation.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when there is none.
    pub fn operation(&self, seq: u64) -> Result<OperationRow, LogError> {
        let sql = format!("{OPERATION} WHERE o.seq = ?1");
        let mut query = self.connection.prepare_cached(&sql)?;
        let mut rows = query.query([seq as i64])?;
        match rows.next()? {
            Some(row) => self.counted(operation_from(row)?),
            None => Err(LogError::NotFound { what: "operation", name: seq.to_string() }),
        }
    }

    /// Operations, newest first; `store` keeps only those that concern it.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn operations(
        &self,
        store: Option<StoreId>,
        before: Option<u64>,
        limit: u64,
    ) -> Result<Vec<OperationRow>, LogError> {
        let before = before.map_or(i64::MAX, |before| before as i64);
        let store = store.map(|store| row_of(self.connection, store)).transpose()?;
        let filter = match store {
            None => "o.seq < ?1 AND ?2 IS NULL",
            // Acts over several stores carry no store of their own; they are few.
            Some(_) => {
                "o.seq < ?1 AND (o.store_id = ?2 OR (o.store_id IS NULL AND EXISTS (SELECT 1 FROM versions v
                 WHERE v.seq BETWEEN o.first_version AND o.first_version + o.versions - 1 AND +v.store_id = ?2)))"
            }
        };
        let sql = format!("{OPERATION} WHERE {filter} ORDER BY o.seq DESC LIMIT ?3");
        let mut query = self.connection.prepare_cached(&sql)?;
        let mut rows = query.query(params![before, store, limit as i64])?;
        let mut operations = Vec::new();
        while let Some(row) = rows.next()? {
            operations.push(self.counted(operation_from(row)?)?);
        }
        Ok(operations)
    }

    /// Operations after one, oldest first.
    pub(crate) fn operations_between(&self, after: u64, limit: u64) -> Result<Vec<OperationRow>, LogError> {
        let sql = format!("{OPERATION} WHERE o.seq > ?1 ORDER BY o.seq LIMIT ?2");
        let mut query = self.connection.prepare_cached(&sql)?;
        let mut rows = query.query([after as i64, limit as i64])?;
        let mut operations = Vec::new();
        while let Some(row) = rows.next()? {
            operations.push(operation_from(row)?);
        }
        Ok(operations)
    }

    fn counted(&self, mut operation: OperationRow) -> Result<OperationRow, LogError> {
        operation.counts = self
            .connection
            .prepare_cached(
                "SELECT total(change = 1), total(change = 2), total(change = 3) FROM versions WHERE seq BETWEEN ?1 AND ?2",
            )?
            .query_row(
                params![
                    operation.first_version as i64,
                    (operation.first_version + operation.versions) as i64 - 1
                ],
                |row| {
                    Ok((row.get::<_, f64>(0)? as u64, row.get::<_, f64>(1)? as u64, row.get::<_, f64>(2)? as u64))
                },
            )?;
        Ok(operation)
    }

    /// When a store changed, old to new, at most `limit` marks; neighbours are joined beyond that.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn activity(&self, store: StoreId, limit: usize) -> Result<Vec<ActivityMark>, LogError> {
        let store_row = row_of(self.connection, store)?;
        let mut query = self.connection.prepare_cached(
            "SELECT o.seq, o.created_at, o.source, total(v.change = 1), total(v.change = 2), total(v.change = 3)
             FROM versions v JOIN operations o ON o.seq = v.operation_seq
             WHERE v.store_id = ?1 GROUP BY v.operation_seq ORDER BY v.operation_seq",
        )?;
        let mut rows = query.query([store_row])?;
        let mut marks = Vec::new();
        while let Some(row) = rows.next()? {
            marks.push(ActivityMark {
                operation_seq: row.get::<_, i64>(0)? as u64,
                at: Timestamp::from_micros(row.get(1)?),
                source: source_from(&row.get::<_, String>(2)?)?,
                counts: (
                    row.get::<_, f64>(3)? as u64,
                    row.get::<_, f64>(4)? as u64,
                    row.get::<_, f64>(5)? as u64,
                ),
            });
        }
        let width = marks.len().div_ceil(limit.max(1)).max(1);
        Ok(marks
            .chunks(width)
            .filter_map(|chunk| {
                let newest = chunk.last()?;
                let sum =
                    |pick: fn(&(u64, u64, u64)) -> u64| chunk.iter().map(|mark| pick(&mark.counts)).sum();
                Some(ActivityMark { counts: (sum(|c| c.0), sum(|c| c.1), sum(|c| c.2)), ..newest.clone() })
            })
            .collect())
    }

    /// The newest operation recorded at or before an instant; 0 when there is none.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn operation_at(&self, at: Timestamp) -> Result<u64, LogError> {
        let seq: Option<i64> = self
            .connection
            .prepare_cached("SELECT max(seq) FROM operations WHERE created_at <= ?1")?
            .query_row([at.micros()], |row| row.get(0))?;
        Ok(seq.unwrap_or(0) as u64)
    }

    /// The memories of a store right after an operation (now when `None`), deletions left out, by path.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn memories_at(&self, store: StoreId, operation: Option<u64>) -> Result<Vec<MemoryAt>, LogError> {
        let store_row = row_of(self.connection, store)?;
        let last = match operation {
            None => i64::MAX,
            Some(seq) => self
                .connection
                .prepare_cached("SELECT max(first_version + versions) - 1 FROM operations WHERE seq <= ?1")?
                .query_row([seq as i64], |row| row.get::<_, Option<i64>>(0))?
                .unwrap_or(0),
        };
        let mut heads = self.connection.prepare_cached(
            "SELECT max(v.seq), count(*) FROM versions v INDEXED BY versions_by_memory
             WHERE v.memory_id = ?1 AND v.seq <= ?2",
        )?;
        let mut ids = self.connection.prepare_cached("SELECT id FROM memories WHERE store_id = ?1")?;
        let ids: Vec<i64> = ids.query_map([store_row], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let mut memories = Vec::new();
        for id in ids {
            let (seq, versions): (Option<i64>, i64) =
                heads.query_row([id, last], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let Some(seq) = seq else { continue };
            let version = self.version(seq as u64)?;
            if version.operation != VersionOperation::Deleted {
                let path = match (&version.path, operation) {
                    // A redacted newest version has lost its path, but the file still has it.
                    (None, None) => self.live_path(id)?,
                    (path, _) => path.clone(),
                };
                memories.push(MemoryAt { path, version, versions: versions as u64 });
            }
        }
        memories.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(memories)
    }

    fn live_path(&self, memory_row: i64) -> Result<Option<RelPath>, LogError> {
        let bytes: Option<Vec<u8>> = self
            .connection
            .prepare_cached(
                "SELECT p.bytes FROM live l JOIN paths p ON p.id = l.path_id WHERE l.memory_id = ?1",
            )?
            .query_row([memory_row], |row| row.get(0))
            .optional()?;
        bytes.map(path_from).transpose()
    }

    /// Where a memory lives now; `None` when it is deleted.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown memory, or a failure of the database.
    pub fn path_of(&self, memory: MemoryId) -> Result<Option<RelPath>, LogError> {
        self.live_path(self.memory_row(memory)?)
    }

    /// The store a memory belongs to.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown memory, or a failure of the database.
    pub fn store_of(&self, memory: MemoryId) -> Result<StoreId, LogError> {
        let public: Vec<u8> = self
            .connection
            .prepare_cached(
                "SELECT s.public FROM memories m JOIN stores s ON s.id = m.store_id WHERE m.id = ?1",
            )?
            .query_row([self.memory_row(memory)?], |row| row.get(0))?;
        store_id(&public)
    }

    /// The newest version of whatever was at a path of a store right after an operation (now when `None`); `None` when
    /// nothing was there.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn version_at(
        &self,
        store: StoreId,
        path: &RelPath,
        operation: Option<u64>,
    ) -> Result<Option<VersionRow>, LogError> {
        let store_row = row_of(self.connection, store)?;
        let last = match operation {
            None => i64::MAX,
            Some(seq) => self
                .connection
                .prepare_cached("SELECT max(first_version + versions) - 1 FROM operations WHERE seq <= ?1")?
                .query_row([seq as i64], |row| row.get::<_, Option<i64>>(0))?
                .unwrap_or(0),
        };
        let Some(path_row) = crate::writer::path_row(self.connection, path)? else { return Ok(None) };
        let mut memories = self
            .connection
            .prepare_cached("SELECT memory_id FROM memory_paths WHERE store_id = ?1 AND path_id = ?2")?;
        let memories: Vec<i64> =
            memories.query_map([store_row, path_row], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let mut found: Option<(i64, VersionRow)> = None;
        for memory in memories {
            let seq: Option<i64> = self
                .connection
                .prepare_cached("SELECT max(seq) FROM versions WHERE memory_id = ?1 AND seq <= ?2")?
                .query_row([memory, last], |row| row.get(0))?;
            let Some(seq) = seq else { continue };
            let version = self.version(seq as u64)?;
            let here = version.path.as_ref() == Some(path);
            if here && found.as_ref().is_none_or(|(best, _)| *best < seq) {
                found = Some((seq, version));
            }
        }
        Ok(found.map(|(_, version)| version).filter(|version| version.operation != VersionOperation::Deleted))
    }

    /// Numbers of all versions in the log and of live memories in stores on the list.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn totals(&self) -> Result<(u64, u64), LogError> {
        let (versions, memories): (Option<i64>, i64) = self.connection.query_row(
            "SELECT max(seq), (SELECT count(*) FROM live l JOIN stores s ON s.id = l.store_id AND s.removed_at IS NULL)
             FROM versions",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        Ok((versions.unwrap_or(0) as u64, memories as u64))
    }

    /// A number that changes whenever another connection commits; cheap to ask for.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn data_version(&self) -> Result<i64, LogError> {
        Ok(self.connection.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }

    /// How many versions each live memory of a store has, and the first and last instants; by path.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn version_counts(&self, store: StoreId) -> Result<BTreeMap<MemoryId, u64>, LogError> {
        let mut query = self.connection.prepare_cached(
            "SELECT m.public, (SELECT count(*) FROM versions v WHERE v.memory_id = l.memory_id)
             FROM live l JOIN memories m ON m.id = l.memory_id WHERE l.store_id = ?1",
        )?;
        let mut rows = query.query([row_of(self.connection, store)?])?;
        let mut counts = BTreeMap::new();
        while let Some(row) = rows.next()? {
            counts.insert(memory_id(row.get(0)?)?, row.get::<_, i64>(1)? as u64);
        }
        Ok(counts)
    }

    pub(crate) fn memory_row(&self, memory: MemoryId) -> Result<i64, LogError> {
        self.connection
            .prepare_cached("SELECT id FROM memories WHERE public = ?1")?
            .query_row([&memory.0[..]], |row| row.get(0))
            .optional()?
            .ok_or_else(|| LogError::NotFound { what: "memory", name: memory.to_string() })
    }
}

pub(crate) fn memory_id(bytes: Vec<u8>) -> Result<MemoryId, LogError> {
    bytes
        .try_into()
        .map(MemoryId)
        .map_err(|_| LogError::Damaged("a memory id has the wrong length".to_owned()))
}

fn path_from(bytes: Vec<u8>) -> Result<RelPath, LogError> {
    RelPath::from_bytes(bytes).map_err(|error| LogError::Damaged(format!("a path is not one: {error}")))
}

fn source_from(word: &str) -> Result<Source, LogError> {
    word.parse().map_err(|error: retrace_model::UnknownWord| LogError::Damaged(error.to_string()))
}

fn actor_at(row: &Row<'_>, first: usize) -> Result<Actor, LogError> {
    let Some(kind) = row.get::<_, Option<String>>(first)? else { return Ok(Actor::Unknown) };
    Ok(chain::actor_from_fields(&kind, row.get(first + 1)?, &row.get::<_, String>(first + 2)?))
}

/// Reads one row of [`VERSION`].
fn version_from(row: &Row<'_>) -> Result<VersionRow, LogError> {
    let seq = row.get::<_, i64>(0)? as u64;
    let damaged = |what: &str| LogError::Damaged(format!("version {seq} {what}"));
    let operation_seq = row.get::<_, i64>(1)? as u64;
    let store = store_id(&row.get::<_, Vec<u8>>(2)?)?;
    let memory = memory_id(row.get(3)?)?;
    let operation = match row.get::<_, i64>(4)? {
        1 => VersionOperation::Created,
        2 => VersionOperation::Modified,
        3 => VersionOperation::Deleted,
        _ => return Err(damaged("has an unknown operation")),
    };
    let path = row.get::<_, Option<Vec<u8>>>(5)?.map(path_from).transpose()?;
    let sha256 = row.get::<_, Option<Vec<u8>>>(7)?.as_deref().map(hash_from).transpose()?;
    let size = row.get::<_, Option<i64>>(6)?;
    let blob_row: Option<i64> = row.get(24)?;
    let content = match (sha256, size) {
        (Some(sha256), Some(size)) => Some(ContentInfo {
            sha256,
            size: size as u64,
            is_text: row.get::<_, Option<bool>>(8)?.unwrap_or(false),
            kept: row.get::<_, i64>(9)? != blob::NOT_KEPT,
        }),
        _ => None,
    };
    let created_at = Timestamp::from_micros(row.get(11)?);
    let kept_commitment = row.get::<_, Option<Vec<u8>>>(18)?;
    let commitment = match (&kept_commitment, &path) {
        (Some(kept), None) => hash_from(kept)?,
        (None, Some(path)) => {
            let salt: Vec<u8> = row
                .get::<_, Option<Vec<u8>>>(if blob_row.is_some() { 10 } else { 17 })?
                .ok_or_else(|| damaged("has no salt"))?;
            chain::commitment(&salt, path, content.as_ref().map(|content| (&content.sha256, content.size)))
        }
        _ => return Err(damaged("is half masked")),
    };
    let leaf = Leaf { seq, operation_seq, store, memory, change: operation, created_at, commitment }.hash();
    let redaction = match row.get::<_, Option<Vec<u8>>>(19)? {
        None => None,
        Some(receipt) => Some(Redaction {
            receipt: ReceiptId(receipt.try_into().map_err(|_| damaged("has a bad receipt id"))?),
            at: Timestamp::from_micros(row.get(20)?),
            actor: actor_at(row, 21)?,
        }),
    };
    Ok(VersionRow {
        id: VersionId::new(seq, &leaf),
        operation_seq,
        store,
        memory,
        operation,
        path,
        previous_path: row.get::<_, Option<Vec<u8>>>(25)?.map(path_from).transpose()?,
        content: content.filter(|_| redaction.is_none()),
        created_at,
        actor: actor_at(row, 14)?,
        source: source_from(&row.get::<_, String>(12)?)?,
        note: row.get(13)?,
        redaction,
        blob_row,
        leaf,
        commitment,
    })
}

/// Reads one row of [`OPERATION`], counts still empty.
fn operation_from(row: &Row<'_>) -> Result<OperationRow, LogError> {
    Ok(OperationRow {
        seq: row.get::<_, i64>(0)? as u64,
        store: row.get::<_, Option<Vec<u8>>>(1)?.as_deref().map(store_id).transpose()?,
        source: source_from(&row.get::<_, String>(2)?)?,
        created_at: Timestamp::from_micros(row.get(3)?),
        actor: actor_at(row, 4)?,
        note: row.get(7)?,
        undoes: row.get::<_, Option<i64>>(8)?.map(|seq| seq as u64),
        undone_by: row.get::<_, Option<i64>>(9)?.map(|seq| seq as u64),
        first_version: row.get::<_, i64>(10)? as u64,
        versions: row.get::<_, i64>(11)? as u64,
        counts: (0, 0, 0),
        digest: hash_from(&row.get::<_, Vec<u8>>(12)?)?,
    })
}
