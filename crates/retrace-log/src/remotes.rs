//! Hosted stores: mirrors of stores that another machine serves.
//!
//! A mirror is a store whose root begins with [`REMOTE_ROOT`]. Each version of the host is appended as one operation, in the
//! order in which the host made them, and `mirrored` says which is which and when it happened there. What a pull has fetched
//! waits in `remote_staged`, what is to be sent in `remote_queue`; a redaction reaches both. Nothing here calls a host.

mod mirror;
mod queue;
mod staging;

pub use mirror::{HostVersion, Mirrored, MirroredMemory};
pub(crate) use queue::forget_redacted as forget_queued;
pub use queue::{NewQueued, QueueKind, QueueRow, QueueState};
pub(crate) use staging::forget_all as forget_staged;

use crate::rows::{self, store_id};
use crate::writer::Act;
use crate::{LogError, NewStore, Reader, StoreRow};
use retrace_model::records::{NewRemote, RemoteRow};
use retrace_model::{StoreId, StoreKind, Timestamp, VersionId};
use rusqlite::{OptionalExtension as _, Row, params};

/// Prefix of the root of a mirror; the base URL, `#` and the store's id at the host follow. The path of a directory is
/// absolute and never begins so.
pub const REMOTE_ROOT: &[u8] = b"remote:";

impl StoreRow {
    /// True if the store mirrors one that another machine serves.
    #[must_use]
    pub fn is_remote(&self) -> bool {
        self.root.starts_with(REMOTE_ROOT)
    }

    /// True if the store is a directory of this machine.
    #[must_use]
    pub fn has_directory(&self) -> bool {
        !self.is_log_only() && !self.is_remote() && !self.root.starts_with(crate::REDACTED_ROOT)
    }
}

/// Facts of a store at its host beside its memories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoteFacts {
    /// Its name there; empty when the host says none.
    pub name: String,
    /// Purpose.
    pub description: String,
    /// Its pairs, as a JSON object.
    pub metadata: String,
    /// When it was archived.
    pub archived_at: Option<Timestamp>,
}

const COLUMNS: &str = "SELECT s.public, r.base_url, r.remote_id, r.description, r.metadata, r.archived_at, r.pulled_at,
    r.problem, r.listing, r.cursor,
    (SELECT count(*) FROM mirrored m WHERE m.store_id = r.store_id),
    (SELECT count(*) FROM mirrored m WHERE m.store_id = r.store_id AND m.version_seq IS NULL AND m.equal_seq IS NULL
        AND m.redacted_at IS NOT NULL),
    (SELECT count(DISTINCT v.seq) FROM mirrored m JOIN versions v ON v.seq = coalesce(m.version_seq, m.equal_seq)
        WHERE m.store_id = r.store_id AND m.redacted_at IS NOT NULL AND v.redaction_id IS NULL),
    (SELECT count(*) FROM remote_staged g WHERE g.store_id = r.store_id),
    r.host_name, r.swept_to, r.swept_at
    FROM remotes r JOIN stores s ON s.id = r.store_id";

impl Reader<'_> {
    /// The mirrors, by name, those taken off the list left out.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn remotes(&self) -> Result<Vec<RemoteRow>, LogError> {
        let sql = format!("{COLUMNS} WHERE s.removed_at IS NULL ORDER BY s.name, s.id");
        let mut query = self.connection.prepare_cached(&sql)?;
        let mut rows = query.query([])?;
        let mut remotes = Vec::new();
        while let Some(row) = rows.next()? {
            remotes.push(remote_from(row)?);
        }
        Ok(remotes)
    }

    /// Facts of a mirror; `None` for a store that is none.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn remote(&self, store: StoreId) -> Result<Option<RemoteRow>, LogError> {
        let sql = format!("{COLUMNS} WHERE s.public = ?1");
        let mut query = self.connection.prepare_cached(&sql)?;
        let mut rows = query.query([&store.0[..]])?;
        rows.next()?.map(remote_from).transpose()
    }

    /// Versions of a mirror whose content is kept here although the host redacted it, oldest first; at most `most`.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn redacted_at_host_of(&self, store: StoreId, most: u64) -> Result<Vec<VersionId>, LogError> {
        let row = rows::store_row(self.connection, store)?;
        let mut query = self.connection.prepare_cached(
            "SELECT DISTINCT v.seq FROM mirrored m JOIN versions v ON v.seq = coalesce(m.version_seq, m.equal_seq)
             WHERE m.store_id = ?1 AND m.redacted_at IS NOT NULL AND v.redaction_id IS NULL ORDER BY v.seq LIMIT ?2",
        )?;
        let found = query.query_map(params![row, rows::bound(most)], |row| row.get(0))?;
        let seqs: Vec<u64> = found.collect::<Result<_, _>>()?;
        seqs.into_iter().map(|seq| Ok(self.version(seq)?.id)).collect()
    }

    /// Versions that a redaction masked and that their hosts still have, by mirror.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn left_at_hosts(&self, operation_seq: u64) -> Result<Vec<(StoreId, u64, u64)>, LogError> {
        let mut query = self.connection.prepare_cached(
            "SELECT s.public, count(*), sum(m.redacted_at IS NULL) FROM redactions r
             JOIN versions v ON v.redaction_id = r.id
             JOIN mirrored m ON m.version_seq = v.seq OR m.equal_seq = v.seq
             JOIN stores s ON s.id = v.store_id
             WHERE r.operation_seq = ?1 GROUP BY s.id ORDER BY s.name, s.id",
        )?;
        let mut rows = query.query([rows::bound(operation_seq)])?;
        let mut left = Vec::new();
        while let Some(row) = rows.next()? {
            left.push((store_id(&row.get::<_, Vec<u8>>(0)?)?, row.get(1)?, row.get(2)?));
        }
        Ok(left)
    }

    /// The newest operation of a store by an instant. Of a mirror that is the newest whose version had happened at the host.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn operation_of_store_at(&self, store: StoreId, at: Timestamp) -> Result<u64, LogError> {
        if self.remote(store)?.is_none() {
            return self.operation_at(at);
        }
        let row = rows::store_row(self.connection, store)?;
        let seq: Option<u64> = self
            .connection
            .prepare_cached(
                "SELECT max(v.operation_seq) FROM versions v JOIN operations o ON o.seq = v.operation_seq
                 LEFT JOIN mirrored m ON m.version_seq = v.seq
                 WHERE v.store_id = ?1 AND v.happened_at IS NULL AND coalesce(m.happened_at, o.created_at) <= ?2",
            )?
            .query_row(params![row, at.micros()], |row| row.get(0))?;
        Ok(seq.unwrap_or(0))
    }
}

impl Act<'_> {
    /// Adds a mirror, whose baseline is being taken from then on, or puts one that was taken off the list back on it.
    ///
    /// # Errors
    /// [`LogError::Invalid`] when the store is mirrored already or the name is taken, or a failure of the database.
    pub fn add_remote(&mut self, new: &NewRemote) -> Result<StoreId, LogError> {
        let root = [REMOTE_ROOT, new.base_url.as_bytes(), b"#", new.remote_id.as_bytes()].concat();
        let id =
            self.add_store(&NewStore { kind: StoreKind::Remote, root, name: new.name.clone(), at: new.at })?;
        self.begin_baseline(id)?;
        self.transaction.execute(
            "INSERT OR IGNORE INTO remotes (store_id, base_url, remote_id)
             SELECT id, ?2, ?3 FROM stores WHERE public = ?1",
            params![&id.0[..], new.base_url, new.remote_id],
        )?;
        Ok(id)
    }

    /// Keeps what the host says of a store, without what was redacted here. Does nothing when that is known already.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when the store is no mirror, [`LogError::KeyLost`], or a failure of the database.
    pub fn set_remote_facts(&mut self, store: StoreId, facts: &RemoteFacts) -> Result<(), LogError> {
        let tags = self.tags_for_others()?;
        let clean = |text: &String| tags.without_in_text(text).unwrap_or_else(|| text.clone());
        let metadata = tags.without_in_json(&facts.metadata).unwrap_or_else(|| facts.metadata.clone());
        let archived_at = facts.archived_at.map(Timestamp::micros);
        self.change_remote(
            store,
            "description = ?2, metadata = ?3, archived_at = ?4, host_name = nullif(?5, '')",
            &[&clean(&facts.description), &metadata, &archived_at, &clean(&facts.name)],
        )
    }

    /// Says that a pull came to its end.
    ///
    /// # Errors
    /// As [`Act::set_remote_facts`].
    pub fn pulled(&self, store: StoreId, at: Timestamp) -> Result<(), LogError> {
        self.change_remote(store, "pulled_at = ?2, problem = NULL", &[&at.micros()])
    }

    /// Keeps how far the walk through the host's versions came, for those redacted there since: those made after `to` are
    /// behind it. `None` says where it begins anew; with `ended` because it came to its end then.
    ///
    /// # Errors
    /// As [`Act::set_remote_facts`].
    pub fn swept(
        &self,
        store: StoreId,
        to: Option<Timestamp>,
        ended: Option<Timestamp>,
    ) -> Result<(), LogError> {
        let to = to.map(Timestamp::micros);
        match ended {
            Some(at) => self.change_remote(store, "swept_to = ?2, swept_at = ?3", &[&to, &at.micros()]),
            None => self.change_remote(store, "swept_to = ?2", &[&to]),
        }
    }

    /// Says why a pull or a push did not come to its end; `None` when it did.
    ///
    /// # Errors
    /// As [`Act::set_remote_facts`].
    pub fn set_remote_problem(&self, store: StoreId, problem: Option<&str>) -> Result<(), LogError> {
        self.change_remote(store, "problem = ?2", &[&problem])
    }

    pub(crate) fn change_remote(
        &self,
        store: StoreId,
        set: &str,
        values: &[&dyn rusqlite::ToSql],
    ) -> Result<(), LogError> {
        let sql = format!("UPDATE remotes SET {set} WHERE store_id = ?1");
        let row = rows::store_row(&self.transaction, store)?;
        let parameters: Vec<&dyn rusqlite::ToSql> =
            std::iter::once(&row as &dyn rusqlite::ToSql).chain(values.iter().copied()).collect();
        match self.transaction.execute(&sql, &parameters[..])? {
            0 => Err(LogError::NotFound { what: "mirrored store", name: store.to_string() }),
            _ => Ok(()),
        }
    }

    /// The row of a mirror's store.
    pub(crate) fn remote_row(&self, store: StoreId) -> Result<i64, LogError> {
        let row = rows::store_row(&self.transaction, store)?;
        self.transaction
            .prepare_cached("SELECT store_id FROM remotes WHERE store_id = ?1")?
            .query_row([row], |row| row.get(0))
            .optional()?
            .ok_or_else(|| LogError::NotFound { what: "mirrored store", name: store.to_string() })
    }
}

fn remote_from(row: &Row<'_>) -> Result<RemoteRow, LogError> {
    let time = |column: usize| -> Result<Option<Timestamp>, LogError> {
        Ok(row.get::<_, Option<i64>>(column)?.map(Timestamp::from_micros))
    };
    Ok(RemoteRow {
        store: store_id(&row.get::<_, Vec<u8>>(0)?)?,
        base_url: row.get(1)?,
        remote_id: row.get(2)?,
        description: row.get(3)?,
        metadata: row.get(4)?,
        archived_at: time(5)?,
        pulled_at: time(6)?,
        problem: row.get(7)?,
        listing: row.get(8)?,
        cursor: row.get(9)?,
        versions: row.get(10)?,
        never_seen: row.get(11)?,
        redacted_at_host: row.get(12)?,
        staged: row.get(13)?,
        host_name: row.get(14)?,
        swept_to: time(15)?,
        swept_at: time(16)?,
    })
}
