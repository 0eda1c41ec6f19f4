//! Unreviewed versions, and acts of review.

use super::ContentInfo;
use super::version::actor_at;
use crate::origins::joined_actor;
use crate::review::{self, ReviewedVersion};
use crate::rows::{self, ChangeKind, bound};
use crate::{LogError, Reader, blob};
pub use retrace_model::records::ReviewAct;
use retrace_model::{Actor, MemoryId, RelPath, StoreId, Timestamp};
use rusqlite::{OptionalExtension as _, Row, params};
use std::collections::{BTreeMap, HashMap};

/// A memory that changed since a person last knew it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreviewed {
    /// Its store.
    pub store: StoreId,
    /// Place of the newest version the person knows; `None` when they never knew the memory.
    pub base: Option<u64>,
    /// Place of its newest version.
    pub newest: u64,
    /// The operation of that one.
    pub operation_seq: u64,
    /// When that was.
    pub at: Timestamp,
    /// Who wrote it: as recorded, else the session that the join found. Where a person's act put it back, who wrote it first.
    pub writer: Actor,
}

/// The file of a memory that is left to review, as far as its kind is told by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreviewedFile {
    /// Its store.
    pub store: StoreId,
    /// Place of its newest version.
    pub newest: u64,
    /// Its path, or the last one of a deleted memory; `None` when redacted.
    pub path: Option<RelPath>,
    /// Place of the version that tells its type: the newest, or what was known of a memory that was deleted.
    pub typed: u64,
    /// Content of that version; `None` for deletions and redacted versions.
    pub content: Option<ContentInfo>,
}

/// Versions that a person has left to review. List and counts are both made from it, so that they agree. Stores that
/// were taken off the list are left out.
macro_rules! left_to_review {
    () => {
        " FROM unreviewed u JOIN stores s ON s.id = u.store_id AND s.removed_at IS NULL
          LEFT JOIN origins og ON og.version_seq = u.newest_seq AND og.rank = 0
          LEFT JOIN put_back pb ON pb.version_seq = u.newest_seq WHERE u.reviewer_id = ?1"
    };
}

/// Reads acts of review; continued with a condition.
macro_rules! act_sql {
    ($condition:expr) => {
        concat!(
            "SELECT r.seq, r.verdict, r.created_at, r.note, r.operation_seq, r.undoes,
                (SELECT u.seq FROM review_acts u WHERE u.undoes = r.seq), r.digest, a.type, a.name, a.evidence
             FROM review_acts r JOIN actors a ON a.id = r.actor_id ",
            $condition
        )
    };
}

impl Reader<'_> {
    /// Every memory a person has left to review, newest change first; `store` keeps only those of one.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn unreviewed(&self, person: &Actor, store: Option<StoreId>) -> Result<Vec<Unreviewed>, LogError> {
        let reviewer = review::reviewer(self.connection, person)?;
        let only = store.map(|store| rows::store_row(self.connection, store)).transpose()?;
        let mut query = self.connection.prepare_cached(concat!(
            "SELECT u.store_id, s.public, u.base_seq, u.newest_seq, u.operation_seq, u.at, u.writer_id,
                og.session, og.confidence, pb.of_seq",
            left_to_review!(),
            " AND (?2 IS NULL OR u.store_id = ?2)"
        ))?;
        let mut found = query.query(params![reviewer, only])?;
        let (mut stores, mut writers) = (HashMap::new(), HashMap::new());
        let mut left = Vec::new();
        while let Some(row) = found.next()? {
            left.push(self.unreviewed_from(row, &mut stores, &mut writers)?);
        }
        left.sort_unstable_by_key(|item: &Unreviewed| std::cmp::Reverse(item.newest));
        Ok(left)
    }

    /// The files of every memory a person has left to review, in no order; `store` keeps only those of one.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn unreviewed_files(
        &self,
        person: &Actor,
        store: Option<StoreId>,
    ) -> Result<Vec<UnreviewedFile>, LogError> {
        let reviewer = review::reviewer(self.connection, person)?;
        let only = store.map(|store| rows::store_row(self.connection, store)).transpose()?;
        // The newest version of a redacted file has lost its path, and the live file has it.
        let mut query = self.connection.prepare_cached(
            "SELECT s.public, n.seq, coalesce(p.bytes, lp.bytes), t.seq,
                CASE WHEN t.redaction_id IS NULL THEN b.sha256 END, b.size, b.is_text, b.encoding
             FROM unreviewed u JOIN stores s ON s.id = u.store_id AND s.removed_at IS NULL
             JOIN versions n ON n.seq = u.newest_seq
             LEFT JOIN paths p ON p.id = n.path_id
             LEFT JOIN live l ON p.id IS NULL AND l.memory_id = n.memory_id
             LEFT JOIN paths lp ON lp.id = l.path_id
             JOIN versions t ON t.seq = CASE WHEN n.change = ?3 AND u.base_seq > 0 THEN u.base_seq ELSE n.seq END
             LEFT JOIN blobs b ON b.id = t.blob_id
             WHERE u.reviewer_id = ?1 AND (?2 IS NULL OR u.store_id = ?2)",
        )?;
        let mut found = query.query(params![reviewer, only, ChangeKind::Deleted.number()])?;
        let mut files = Vec::new();
        while let Some(row) = found.next()? {
            files.push(file_from(row)?);
        }
        Ok(files)
    }

    /// Version that a person has left to review of one memory.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown memory, or a failure of the database.
    pub fn unreviewed_memory(
        &self,
        person: &Actor,
        memory: MemoryId,
    ) -> Result<Option<Unreviewed>, LogError> {
        let reviewer = review::reviewer(self.connection, person)?;
        let row = rows::memory_row(self.connection, memory)?;
        let mut query = self.connection.prepare_cached(concat!(
            "SELECT u.store_id, s.public, u.base_seq, u.newest_seq, u.operation_seq, u.at, u.writer_id,
                og.session, og.confidence, pb.of_seq",
            left_to_review!(),
            " AND u.memory_id = ?2"
        ))?;
        let mut found = query.query([reviewer, row])?;
        let row = found.next()?;
        row.map(|row| self.unreviewed_from(row, &mut HashMap::new(), &mut HashMap::new())).transpose()
    }

    /// Number of memories a person has left to review, by store; stores without any are left out.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn unreviewed_counts(&self, person: &Actor) -> Result<BTreeMap<StoreId, u64>, LogError> {
        let mut query = self.connection.prepare_cached(concat!(
            "SELECT s.public, count(*)",
            left_to_review!(),
            " GROUP BY u.store_id"
        ))?;
        let mut found = query.query([review::reviewer(self.connection, person)?])?;
        let mut counts = BTreeMap::new();
        while let Some(row) = found.next()? {
            counts.insert(rows::store_id(&row.get::<_, Vec<u8>>(0)?)?, row.get(1)?);
        }
        Ok(counts)
    }

    /// Reads store row, store id, base, newest, operation, time, writer, the session joined and what was put back; the
    /// two maps remember stores and writers.
    fn unreviewed_from(
        &self,
        row: &Row<'_>,
        stores: &mut HashMap<i64, StoreId>,
        writers: &mut HashMap<Option<i64>, Actor>,
    ) -> Result<Unreviewed, LogError> {
        let store_row: i64 = row.get(0)?;
        let store = match stores.get(&store_row) {
            Some(store) => *store,
            None => {
                let public = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
                *stores.entry(store_row).or_insert(rows::store_id(public)?)
            }
        };
        let writer: Option<i64> = row.get(6)?;
        if let std::collections::hash_map::Entry::Vacant(place) = writers.entry(writer) {
            place.insert(self.actor(writer)?);
        }
        let base: u64 = row.get(2)?;
        let put_back_of: Option<u64> = row.get(9)?;
        Ok(Unreviewed {
            store,
            base: (base > 0).then_some(base),
            newest: row.get(3)?,
            operation_seq: row.get(4)?,
            at: Timestamp::from_micros(row.get(5)?),
            writer: match (put_back_of, writer) {
                (Some(seq), _) => self.written(&self.version(seq)?)?.actor,
                (None, Some(_)) => writers.get(&writer).cloned().unwrap_or(Actor::Unknown),
                (None, None) => joined_actor(
                    row.get(7)?,
                    row.get_ref(8)?.as_str_or_null().map_err(rusqlite::Error::from)?,
                ),
            },
        })
    }

    fn actor(&self, actor_row: Option<i64>) -> Result<Actor, LogError> {
        let Some(actor_row) = actor_row else { return Ok(Actor::Unknown) };
        let mut query =
            self.connection.prepare_cached("SELECT type, name, evidence FROM actors WHERE id = ?1")?;
        let mut found = query.query([actor_row])?;
        found.next()?.map_or(Ok(Actor::Unknown), |row| actor_at(row, 0))
    }

    /// One act of review.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when there is none.
    pub fn review_act(&self, seq: u64) -> Result<ReviewAct, LogError> {
        let mut query = self.connection.prepare_cached(act_sql!("WHERE r.seq = ?1"))?;
        let mut found = query.query([bound(seq)])?;
        match found.next()? {
            Some(row) => act_from(row),
            None => Err(LogError::NotFound { what: "review", name: seq.to_string() }),
        }
    }

    /// Acts of review of a person before one (the newest when `None`), newest first, at most `limit`.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn review_acts(
        &self,
        person: &Actor,
        before: Option<u64>,
        limit: u64,
    ) -> Result<Vec<ReviewAct>, LogError> {
        let reviewer = review::reviewer(self.connection, person)?;
        let mut query = self
            .connection
            .prepare_cached(act_sql!("WHERE r.actor_id = ?1 AND r.seq < ?2 ORDER BY r.seq DESC LIMIT ?3"))?;
        let mut found = query.query([reviewer, before.map_or(i64::MAX, bound), bound(limit)])?;
        let mut acts = Vec::new();
        while let Some(row) = found.next()? {
            acts.push(act_from(row)?);
        }
        Ok(acts)
    }

    /// Acts of review after one, of everybody, oldest first.
    pub(crate) fn review_acts_after(&self, seq: u64, limit: u64) -> Result<Vec<ReviewAct>, LogError> {
        let mut query =
            self.connection.prepare_cached(act_sql!("WHERE r.seq > ?1 ORDER BY r.seq LIMIT ?2"))?;
        let mut found = query.query([bound(seq), bound(limit)])?;
        let mut acts = Vec::new();
        while let Some(row) = found.next()? {
            acts.push(act_from(row)?);
        }
        Ok(acts)
    }

    /// Versions that an act of review names, in its order.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn reviewed_versions(&self, act: u64) -> Result<Vec<ReviewedVersion>, LogError> {
        let mut query = self.connection.prepare_cached(
            "SELECT m.public, r.judged_seq, r.through_seq FROM reviews r JOIN memories m ON m.id = r.memory_id
             WHERE r.act_seq = ?1 ORDER BY r.id",
        )?;
        let mut found = query.query([bound(act)])?;
        let mut reviewed_versions = Vec::new();
        while let Some(row) = found.next()? {
            let memory = rows::memory_id(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?)?;
            reviewed_versions.push(ReviewedVersion {
                memory,
                reviewed_seq: row.get(1)?,
                through: row.get(2)?,
            });
        }
        Ok(reviewed_versions)
    }

    /// The act of review that a person made together with an operation and that counts.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn review_with(&self, person: &Actor, operation: u64) -> Result<Option<u64>, LogError> {
        let reviewer = review::reviewer(self.connection, person)?;
        Ok(self
            .connection
            .prepare_cached(
                "SELECT a.seq FROM review_acts a WHERE a.operation_seq = ?2 AND a.actor_id = ?1
                   AND a.undoes IS NULL AND NOT EXISTS (SELECT 1 FROM review_acts u WHERE u.undoes = a.seq)
                 ORDER BY a.seq DESC LIMIT 1",
            )?
            .query_row([reviewer, bound(operation)], |row| row.get(0))
            .optional()?)
    }

    /// The newest observed version of a memory that is not newer than `seq`; `None` when all are.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown memory, or a failure of the database.
    pub fn version_up_to(&self, memory: MemoryId, seq: u64) -> Result<Option<u64>, LogError> {
        let row = rows::memory_row(self.connection, memory)?;
        Ok(self
            .connection
            .prepare_cached(
                "SELECT max(v.seq) FROM versions v
                 WHERE v.memory_id = ?1 AND v.happened_at IS NULL AND v.seq <= ?2",
            )?
            .query_row([row, bound(seq)], |found| found.get(0))?)
    }
}

/// Reads store, place, path, place and content of what tells the type.
fn file_from(row: &Row<'_>) -> Result<UnreviewedFile, LogError> {
    let blob_of = |column: usize| -> Result<Option<&[u8]>, LogError> {
        Ok(row.get_ref(column)?.as_blob_or_null().map_err(rusqlite::Error::from)?)
    };
    let content = match blob_of(4)? {
        None => None,
        Some(sha256) => Some(ContentInfo {
            sha256: rows::hash_from(sha256)?,
            size: row.get(5)?,
            is_text: row.get::<_, Option<bool>>(6)?.unwrap_or(false),
            kept: row.get::<_, i64>(7)? != blob::NOT_KEPT,
        }),
    };
    Ok(UnreviewedFile {
        store: rows::store_id(blob_of(0)?.unwrap_or_default())?,
        newest: row.get(1)?,
        path: blob_of(2)?.map(|bytes| rows::path_from(bytes.to_vec())).transpose()?,
        typed: row.get(3)?,
        content,
    })
}

fn act_from(row: &Row<'_>) -> Result<ReviewAct, LogError> {
    let seq = row.get(0)?;
    let word = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
    Ok(ReviewAct {
        seq,
        person: actor_at(row, 8)?,
        verdict: word
            .parse()
            .map_err(|error: retrace_model::UnknownWord| LogError::Damaged(say::review(seq, error)))?,
        at: Timestamp::from_micros(row.get(2)?),
        note: row.get(3)?,
        operation_seq: row.get(4)?,
        undoes: row.get(5)?,
        undone_by: row.get(6)?,
        digest: rows::hash_from(row.get_ref(7)?.as_blob().map_err(rusqlite::Error::from)?)?,
    })
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "reviews";
    review(seq, error) => "review {seq}: {error}",
}
