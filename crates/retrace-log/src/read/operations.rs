//! Operations: the timeline, and when a store changed.

use super::version::{actor_at, source_from};
use crate::rows::{self, bound};
use crate::{LogError, Reader};
pub use retrace_model::records::ActivityMark;
use retrace_model::{Actor, Sha256, Source, StoreId, Timestamp};
use rusqlite::{Row, params};

/// One operation.
#[derive(Clone, Debug)]
pub struct OperationRow {
    /// Its place in the order.
    pub seq: u64,
    /// The store it concerns.
    pub store: Option<StoreId>,
    /// Cause.
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
    /// Number of its versions.
    pub versions: u64,
    /// Memories created, modified, deleted.
    pub counts: (u64, u64, u64),
    pub(crate) digest: Sha256,
}

/// Reads operations; continued with a condition.
macro_rules! operation_sql {
    ($condition:expr) => {
        concat!(
            "SELECT o.seq, s.public, o.source, o.created_at, a.type, a.name, a.evidence, o.note, o.undoes,
                (SELECT u.seq FROM operations u WHERE u.undoes = o.seq), o.first_version,
                o.created, o.modified, o.deleted, o.digest
             FROM operations o
             LEFT JOIN stores s ON s.id = o.store_id
             LEFT JOIN actors a ON a.id = o.actor_id ",
            $condition
        )
    };
}

impl OperationRow {
    /// Digest of the chain up to this operation.
    #[must_use]
    pub fn chain_digest(&self) -> Sha256 {
        self.digest
    }
}

impl Reader<'_> {
    /// One operation.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when there is none.
    pub fn operation(&self, seq: u64) -> Result<OperationRow, LogError> {
        self.read_operations(operation_sql!("WHERE o.seq = ?1"), params![bound(seq)])?
            .pop()
            .ok_or_else(|| LogError::NotFound { what: "operation", name: seq.to_string() })
    }

    /// Operations before one (the newest when `None`), newest first, at most `limit`; `store` keeps only those that
    /// concern it.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn operations(
        &self,
        store: Option<StoreId>,
        before: Option<u64>,
        limit: u64,
    ) -> Result<Vec<OperationRow>, LogError> {
        let (before, limit) = (before.map_or(i64::MAX, bound), bound(limit));
        let Some(store) = store else {
            return self.read_operations(
                operation_sql!("WHERE o.seq < ?1 ORDER BY o.seq DESC LIMIT ?2"),
                params![before, limit],
            );
        };
        let store = rows::store_row(self.connection, store)?;
        let mut operations = self.read_operations(
            operation_sql!("WHERE o.store_id = ?1 AND o.seq < ?2 ORDER BY o.seq DESC LIMIT ?3"),
            params![store, before, limit],
        )?;
        // Acts over several stores carry no store of their own; they are few.
        operations.extend(self.read_operations(
            operation_sql!(
                "WHERE o.store_id IS NULL AND o.seq < ?2 AND EXISTS (SELECT 1 FROM versions v
                    WHERE v.seq BETWEEN o.first_version AND o.first_version + o.created + o.modified + o.deleted - 1
                      AND +v.store_id = ?1)
                 ORDER BY o.seq DESC LIMIT ?3"
            ),
            params![store, before, limit],
        )?);
        operations.sort_unstable_by_key(|operation| std::cmp::Reverse(operation.seq));
        operations.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(operations)
    }

    /// Operations after one, oldest first.
    pub(crate) fn operations_after(&self, seq: u64, limit: u64) -> Result<Vec<OperationRow>, LogError> {
        self.read_operations(
            operation_sql!("WHERE o.seq > ?1 ORDER BY o.seq LIMIT ?2"),
            params![bound(seq), bound(limit)],
        )
    }

    fn read_operations(
        &self,
        sql: &str,
        parameters: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<OperationRow>, LogError> {
        let mut query = self.connection.prepare_cached(sql)?;
        let mut found = query.query(parameters)?;
        let mut operations = Vec::new();
        while let Some(row) = found.next()? {
            operations.push(operation_from(row)?);
        }
        Ok(operations)
    }

    /// When a store was seen to change, old to new, at most `limit` marks; neighbours are joined beyond that. What was rebuilt
    /// is told by [`Reader::past_activity`].
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn activity(&self, store: StoreId, limit: usize) -> Result<Vec<ActivityMark>, LogError> {
        let store_row = rows::store_row(self.connection, store)?;
        let mut query = self.connection.prepare_cached(
            "SELECT o.seq, coalesce((SELECT max(m.happened_at) FROM mirrored m WHERE m.version_seq BETWEEN o.first_version
                    AND o.first_version + o.created + o.modified + o.deleted - 1), o.created_at),
                o.source, o.created, o.modified, o.deleted FROM operations o
             WHERE o.store_id = ?1 AND o.created + o.modified + o.deleted > 0
               AND NOT EXISTS (SELECT 1 FROM versions f WHERE f.seq = o.first_version AND f.happened_at IS NOT NULL)
             UNION ALL
             SELECT o.seq, o.created_at, o.source, sum(v.change = 1), sum(v.change IN (2, 4)), sum(v.change = 3)
             FROM operations o JOIN versions v
               ON v.seq BETWEEN o.first_version AND o.first_version + o.created + o.modified + o.deleted - 1
             WHERE o.store_id IS NULL AND +v.store_id = ?1
             GROUP BY o.seq
             ORDER BY 1",
        )?;
        let mut found = query.query([store_row])?;
        let mut marks = Vec::new();
        while let Some(row) = found.next()? {
            marks.push(ActivityMark {
                operation_seq: row.get(0)?,
                at: Timestamp::from_micros(row.get(1)?),
                source: source_from(row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?)?,
                counts: (row.get(3)?, row.get(4)?, row.get(5)?),
            });
        }
        Ok(join_neighbours(&marks, limit))
    }

    /// The newest operation recorded at or before an instant; 0 when there is none.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn operation_at(&self, at: Timestamp) -> Result<u64, LogError> {
        let seq: Option<u64> = self
            .connection
            .prepare_cached("SELECT max(seq) FROM operations WHERE created_at <= ?1")?
            .query_row([at.micros()], |row| row.get(0))?;
        Ok(seq.unwrap_or(0))
    }
}

/// At most `limit` marks, each of the same number of neighbours but for the last.
pub(super) fn join_neighbours(marks: &[ActivityMark], limit: usize) -> Vec<ActivityMark> {
    let width = marks.len().div_ceil(limit.max(1)).max(1);
    let join = |joined: &[ActivityMark]| {
        let newest = joined.last()?;
        let sum = |pick: fn(&(u64, u64, u64)) -> u64| joined.iter().map(|mark| pick(&mark.counts)).sum();
        Some(ActivityMark { counts: (sum(|c| c.0), sum(|c| c.1), sum(|c| c.2)), ..newest.clone() })
    };
    marks.chunks(width).filter_map(join).collect()
}

fn operation_from(row: &Row<'_>) -> Result<OperationRow, LogError> {
    let counts: (u64, u64, u64) = (row.get(11)?, row.get(12)?, row.get(13)?);
    Ok(OperationRow {
        seq: row.get(0)?,
        store: row.get::<_, Option<Vec<u8>>>(1)?.as_deref().map(rows::store_id).transpose()?,
        source: source_from(row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?)?,
        created_at: Timestamp::from_micros(row.get(3)?),
        actor: actor_at(row, 4)?,
        note: row.get(7)?,
        undoes: row.get(8)?,
        undone_by: row.get(9)?,
        first_version: row.get(10)?,
        versions: counts.0.saturating_add(counts.1).saturating_add(counts.2),
        counts,
        digest: rows::hash_from(&row.get::<_, Vec<u8>>(14)?)?,
    })
}
