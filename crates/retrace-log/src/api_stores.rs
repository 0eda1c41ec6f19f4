//! Stores as the Memory Stores API shows them: what it says of them beside their memories, and the questions it asks.
//!
//! A store that the API made lives in the log alone: it has no directory, and its root begins with [`LOG_ROOT`]. Its
//! contents are the log's own, so a write is one transaction and several writes share one.

use crate::read::{version_from, version_sql};
use crate::rows::{self, bound, store_id};
use crate::writer::Act;
use crate::{LogError, Reader, StoreRow, VersionRow};
pub use retrace_model::records::{ApiStoreRow, NewApiStore};
use retrace_model::{MemoryId, RelPath, StoreId, StoreKind, Timestamp};
use rusqlite::types::Value;
use rusqlite::{OptionalExtension as _, Row, params, params_from_iter};

/// Prefix of the root of a store without a directory begins. The path of a directory is absolute and never does.
pub const LOG_ROOT: &[u8] = b"log:";

impl StoreRow {
    /// True if the store lives in the log alone and has no directory.
    #[must_use]
    pub fn is_log_only(&self) -> bool {
        self.root.starts_with(LOG_ROOT)
    }
}

/// Filter of listed stores.
#[derive(Clone, Copy, Debug, Default)]
pub struct ApiStoreFilter {
    /// Made not before.
    pub since: Option<Timestamp>,
    /// Made not after.
    pub until: Option<Timestamp>,
    /// Archived ones as well.
    pub include_archived: bool,
    /// Before this place in the list of stores.
    pub before: Option<u64>,
    /// At most so many.
    pub limit: u64,
}

/// Changes of a store; `None` leaves it as it is.
#[derive(Clone, Debug, Default)]
pub struct ApiStoreChange {
    /// Another name.
    pub name: Option<String>,
    /// Another description.
    pub description: Option<String>,
    /// Other pairs, as a JSON object.
    pub metadata: Option<String>,
}

/// A live memory with what the API says of it.
#[derive(Clone, Debug)]
pub struct LiveRecord {
    /// Where it lives.
    pub path: RelPath,
    /// Its newest version.
    pub head: VersionRow,
    /// When its first version was recorded.
    pub created_at: Timestamp,
}

/// Whom a version was written by, as a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriterFilter {
    /// A session with this id.
    Session(String),
    /// An API key with this id.
    Api(String),
    /// A service account with this id.
    ServiceAccount(String),
}

/// Filter of listed versions; all given conditions must hold.
#[derive(Clone, Debug, Default)]
pub struct ApiVersionFilter {
    /// Of this memory.
    pub memory: Option<MemoryId>,
    /// With this operation.
    pub operation: Option<retrace_model::VersionOperation>,
    /// By these, of whom there is at most one unless nothing matches.
    pub writers: Vec<WriterFilter>,
    /// Recorded not before.
    pub since: Option<Timestamp>,
    /// Recorded not after.
    pub until: Option<Timestamp>,
    /// Before this place in the log.
    pub before: Option<u64>,
    /// At most so many.
    pub limit: u64,
}

const COLUMNS: &str =
    "SELECT s.public, s.id, s.name, a.description, a.metadata, s.root, s.created_at, a.updated_at,
    a.archived_at FROM api_stores a JOIN stores s ON s.id = a.store_id WHERE a.deleted_at IS NULL";

impl Reader<'_> {
    /// A store as the API shows it; `None` when there is none, it is not shown, or it was deleted there.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn api_store(&self, id: StoreId) -> Result<Option<ApiStoreRow>, LogError> {
        let sql = format!("{COLUMNS} AND s.public = ?1");
        let mut query = self.connection.prepare_cached(&sql)?;
        let mut rows = query.query([&id.0[..]])?;
        rows.next()?.map(store_from).transpose()
    }

    /// Stores as the API shows them, newest first.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn api_stores(&self, filter: &ApiStoreFilter) -> Result<Vec<ApiStoreRow>, LogError> {
        let sql = format!(
            "{COLUMNS} AND (?1 IS NULL OR s.created_at >= ?1) AND (?2 IS NULL OR s.created_at <= ?2)
             AND (?3 OR a.archived_at IS NULL) AND s.id < ?4 ORDER BY s.id DESC LIMIT ?5"
        );
        let mut query = self.connection.prepare_cached(&sql)?;
        let mut rows = query.query(params![
            filter.since.map(Timestamp::micros),
            filter.until.map(Timestamp::micros),
            filter.include_archived,
            bound(filter.before.unwrap_or(u64::MAX)),
            bound(filter.limit),
        ])?;
        let mut stores = Vec::new();
        while let Some(row) = rows.next()? {
            stores.push(store_from(row)?);
        }
        Ok(stores)
    }

    /// The live memory with an id in a store; `None` when it is deleted, of another store, or was never there.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn live_record(&self, store: StoreId, memory: MemoryId) -> Result<Option<LiveRecord>, LogError> {
        let mut query = self.connection.prepare_cached(version_sql!(
            "JOIN live l ON l.version_seq = v.seq AND l.memory_id = v.memory_id
             WHERE l.memory_id = (SELECT id FROM memories WHERE public = ?1) AND s.public = ?2"
        ))?;
        let mut rows = query.query(params![&memory.0[..], &store.0[..]])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let head = version_from(row)?;
        drop(rows);
        self.record_of(head)
    }

    /// The live memory at a path of a store.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn live_record_at(&self, store: StoreId, path: &RelPath) -> Result<Option<LiveRecord>, LogError> {
        match self.live_version_at(store, path)? {
            Some(seq) => self.record_of(self.version(seq)?),
            None => Ok(None),
        }
    }

    fn record_of(&self, head: VersionRow) -> Result<Option<LiveRecord>, LogError> {
        // A redacted newest version has lost its path, but the memory still has one.
        let path = match &head.path {
            Some(path) => Some(path.clone()),
            None => self.path_of(head.memory)?,
        };
        let Some(path) = path else { return Ok(None) };
        let created_at = if head.number == 1 {
            head.created_at
        } else {
            // Both minima are found at one place of the index, however many versions the memory has.
            let micros = self
                .connection
                .prepare_cached(
                    "WITH memory (id) AS (SELECT memory_id FROM versions WHERE seq = ?1),
                     first (seq) AS (
                        SELECT min(seq) FROM versions WHERE memory_id = (SELECT id FROM memory) AND happened_at IS NULL
                        UNION ALL
                        SELECT min(seq) FROM versions WHERE memory_id = (SELECT id FROM memory) AND happened_at IS NOT NULL)
                     SELECT o.created_at FROM versions v JOIN operations o ON o.seq = v.operation_seq
                     WHERE v.seq = (SELECT min(seq) FROM first)",
                )?
                .query_row([bound(head.id.seq)], |row| row.get(0))?;
            Timestamp::from_micros(micros)
        };
        Ok(Some(LiveRecord { path, head, created_at }))
    }

    /// Paths of the live memories of a store that begin with `prefix`, in the order of their bytes, with the place of each
    /// newest version.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn live_paths(&self, store: StoreId, prefix: &[u8]) -> Result<Vec<(RelPath, u64)>, LogError> {
        let store_row = rows::store_row(self.connection, store)?;
        let mut query = self.connection.prepare_cached(
            "SELECT p.bytes, l.version_seq FROM live l CROSS JOIN paths p ON p.id = l.path_id
             WHERE l.store_id = ?1 AND substr(p.bytes, 1, ?3) = ?2 ORDER BY p.bytes",
        )?;
        let mut rows = query.query(params![store_row, prefix, prefix.len()])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push((rows::path_from(row.get(0)?)?, row.get(1)?));
        }
        Ok(found)
    }

    /// The live memory whose newest version is at a place in the log.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when there is no such version, or a failure of the database.
    pub fn live_record_of(&self, seq: u64) -> Result<Option<LiveRecord>, LogError> {
        self.record_of(self.version(seq)?)
    }

    /// Number of live memories in a store.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn live_count(&self, store: StoreId) -> Result<u64, LogError> {
        let row = rows::store_row(self.connection, store)?;
        Ok(self
            .connection
            .prepare_cached("SELECT count(*) FROM live WHERE store_id = ?1")?
            .query_row([row], |row| row.get(0))?)
    }

    /// A live memory that stands in the way of one at `path`: at the path itself, above it, or below it. `except` is passed
    /// over, for it is about to leave its place.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn in_the_way(
        &self,
        store: StoreId,
        path: &RelPath,
        except: Option<MemoryId>,
    ) -> Result<Option<(RelPath, MemoryId)>, LogError> {
        let store_row = rows::store_row(self.connection, store)?;
        let except = except.map(|memory| memory.0.to_vec());
        let mut at = self.connection.prepare_cached(
            "SELECT m.public FROM paths p JOIN live l ON l.path_id = p.id AND l.store_id = ?1
             JOIN memories m ON m.id = l.memory_id WHERE p.bytes = ?2 AND m.public IS NOT ?3",
        )?;
        let mut above = Some(path.clone());
        while let Some(here) = above {
            let found: Option<Vec<u8>> =
                at.query_row(params![store_row, here.as_bytes(), except], |row| row.get(0)).optional()?;
            if let Some(memory) = found {
                return Ok(Some((here, rows::memory_id(&memory)?)));
            }
            above = here.parent();
        }
        // `0` is the byte after `/`: everything below a directory sorts between the two.
        let below: Option<(Vec<u8>, Vec<u8>)> = self
            .connection
            .prepare_cached(
                "SELECT p.bytes, m.public FROM paths p JOIN live l ON l.path_id = p.id AND l.store_id = ?1
                 JOIN memories m ON m.id = l.memory_id
                 WHERE p.bytes > ?2 AND p.bytes < ?3 AND m.public IS NOT ?4 ORDER BY p.bytes LIMIT 1",
            )?
            .query_row(
                params![
                    store_row,
                    [path.as_bytes(), b"/"].concat(),
                    [path.as_bytes(), b"0"].concat(),
                    except
                ],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()?;
        below.map(|(path, memory)| Ok((rows::path_from(path)?, rows::memory_id(&memory)?))).transpose()
    }

    /// Versions of a store that pass a filter, newest first. Rebuilt ones are not among them: the API's versions follow each
    /// other as they were made.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database. An unknown memory has no versions.
    pub fn api_versions(
        &self,
        store: StoreId,
        filter: &ApiVersionFilter,
    ) -> Result<Vec<VersionRow>, LogError> {
        let store_row = rows::store_row(self.connection, store)?;
        let narrow = filter.memory.is_some();
        let mut wheres = String::from(if narrow { "+v.store_id = ?" } else { "v.store_id = ?" });
        wheres.push_str(" AND v.happened_at IS NULL");
        let mut values: Vec<Value> = vec![store_row.into()];
        let mut add = |condition: &str, value: Value| {
            wheres.push_str(" AND ");
            wheres.push_str(condition);
            values.push(value);
        };
        if let Some(memory) = filter.memory {
            add("v.memory_id = (SELECT id FROM memories WHERE public = ?)", memory.0.to_vec().into());
        }
        if let Some(operation) = filter.operation {
            use retrace_model::VersionOperation::{Created, Deleted, Modified};
            // The numbers of `versions.change`; 4 is a modification that moved the memory.
            let numbers = match operation {
                Created => "v.change = 1 AND ?",
                Modified => "v.change IN (2, 4) AND ?",
                Deleted => "v.change = 3 AND ?",
            };
            add(numbers, true.into());
        }
        for writer in &filter.writers {
            let (kind, name) = match writer {
                WriterFilter::Session(name) => ("session", name),
                WriterFilter::Api(name) => ("api", name),
                WriterFilter::ServiceAccount(name) => ("service_account", name),
            };
            add("a.type = ?", kind.to_owned().into());
            add("a.name = ?", name.clone().into());
        }
        if let Some(since) = filter.since {
            add("o.created_at >= ?", since.micros().into());
        }
        if let Some(until) = filter.until {
            add("o.created_at <= ?", until.micros().into());
        }
        if let Some(before) = filter.before {
            add("v.seq < ?", bound(before).into());
        }
        values.push(bound(filter.limit).into());
        let sql = format!("{} WHERE {wheres} ORDER BY v.seq DESC LIMIT ?", version_sql!(""));
        let mut query = self.connection.prepare_cached(&sql)?;
        let mut rows = query.query(params_from_iter(values))?;
        let mut versions = Vec::new();
        while let Some(row) = rows.next()? {
            versions.push(version_from(row)?);
        }
        Ok(versions)
    }
}

impl Act<'_> {
    /// Makes a store that lives in the log alone, shown by the API.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn add_api_store(&mut self, new: &NewApiStore) -> Result<StoreId, LogError> {
        let id = StoreId(self.random());
        self.transaction
            .prepare_cached(
                "INSERT INTO stores (public, kind, root, name, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![
                &id.0[..],
                StoreKind::Plain.as_str(),
                log_root(id),
                new.name,
                new.at.micros()
            ])?;
        self.transaction
            .prepare_cached(
                "INSERT INTO api_stores (store_id, description, metadata, updated_at) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![
                self.transaction.last_insert_rowid(),
                new.description,
                new.metadata,
                new.at.micros()
            ])?;
        Ok(id)
    }

    /// Shows a store in the API. A store that was deleted there is shown again, as it was; one that is shown stays so.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn share_store(&self, id: StoreId, at: Timestamp) -> Result<(), LogError> {
        let row = rows::store_row(&self.transaction, id)?;
        let shown =
            self.transaction.execute("UPDATE api_stores SET deleted_at = NULL WHERE store_id = ?1", [row])?;
        if shown == 0 {
            self.transaction.execute(
                "INSERT INTO api_stores (store_id, updated_at) VALUES (?1, ?2)",
                params![row, at.micros()],
            )?;
        }
        Ok(())
    }

    /// Stops showing a store in the API. A store that lives in the log alone is taken off the list as well; what was
    /// recorded of it stays.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when the API does not show it, or a failure of the database.
    pub fn delete_api_store(&self, id: StoreId, at: Timestamp) -> Result<(), LogError> {
        self.change_shown(id, "deleted_at = ?2", &[&at.micros()])?;
        self.transaction.execute(
            "UPDATE stores SET removed_at = ?2 WHERE public = ?1 AND substr(root, 1, 4) = ?3",
            params![&id.0[..], at.micros(), LOG_ROOT],
        )?;
        Ok(())
    }

    /// Changes what the API says of a store.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when the API does not show it, or a failure of the database.
    pub fn change_api_store(
        &self,
        id: StoreId,
        change: &ApiStoreChange,
        at: Timestamp,
    ) -> Result<(), LogError> {
        if let Some(name) = &change.name {
            self.transaction
                .execute("UPDATE stores SET name = ?2 WHERE public = ?1", params![&id.0[..], name])?;
        }
        self.change_shown(
            id,
            "description = coalesce(?2, description), metadata = coalesce(?3, metadata), updated_at = ?4",
            &[&change.description, &change.metadata, &at.micros()],
        )
    }

    /// Archives a store, which is one-way. An archived one stays as it is.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when the API does not show it, or a failure of the database.
    pub fn archive_api_store(&self, id: StoreId, at: Timestamp) -> Result<(), LogError> {
        self.change_shown(
            id,
            "updated_at = CASE WHEN archived_at IS NULL THEN ?2 ELSE updated_at END,
             archived_at = coalesce(archived_at, ?2)",
            &[&at.micros()],
        )
    }

    /// Gives a store that lives in the log alone a directory (`Some`), or takes it away again (`None`). The files are the
    /// caller's to write.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, [`LogError::Invalid`] when the directory is another store's already, or
    /// a failure of the database, among them that the store is not the API's.
    pub fn relocate_store(&self, id: StoreId, directory: Option<&[u8]>) -> Result<(), LogError> {
        rows::store_row(&self.transaction, id)?;
        let root = directory.map_or_else(|| log_root(id), <[u8]>::to_vec);
        let taken: bool = self.transaction.query_row(
            "SELECT EXISTS (SELECT 1 FROM stores WHERE root = ?1 AND public <> ?2)",
            params![root, &id.0[..]],
            |row| row.get(0),
        )?;
        if taken {
            return Err(LogError::Invalid(crate::stores::root_is_a_store_already()));
        }
        self.transaction
            .execute(
            "UPDATE stores SET root = ?2, root_device = NULL, root_file = NULL, root_boot = NULL, root_made = NULL, root_at = NULL
             WHERE public = ?1",
            params![&id.0[..], root],
        )?;
        Ok(())
    }

    fn change_shown(&self, id: StoreId, set: &str, values: &[&dyn rusqlite::ToSql]) -> Result<(), LogError> {
        let sql = format!(
            "UPDATE api_stores SET {set} WHERE deleted_at IS NULL
             AND store_id = (SELECT id FROM stores WHERE public = ?1)"
        );
        let key = &id.0[..];
        let parameters: Vec<&dyn rusqlite::ToSql> =
            std::iter::once(&key as &dyn rusqlite::ToSql).chain(values.iter().copied()).collect();
        match self.transaction.execute(&sql, &parameters[..])? {
            0 => Err(rows::unknown_store(id)),
            _ => Ok(()),
        }
    }
}

fn log_root(id: StoreId) -> Vec<u8> {
    [LOG_ROOT, id.to_string().as_bytes()].concat()
}

fn store_from(row: &Row<'_>) -> Result<ApiStoreRow, LogError> {
    let root: Vec<u8> = row.get(5)?;
    Ok(ApiStoreRow {
        id: store_id(&row.get::<_, Vec<u8>>(0)?)?,
        place: row.get(1)?,
        name: row.get(2)?,
        description: row.get(3)?,
        metadata: row.get(4)?,
        directory: (!root.starts_with(LOG_ROOT)).then_some(root),
        created_at: Timestamp::from_micros(row.get(6)?),
        updated_at: Timestamp::from_micros(row.get(7)?),
        archived_at: row.get::<_, Option<i64>>(8)?.map(Timestamp::from_micros),
    })
}
