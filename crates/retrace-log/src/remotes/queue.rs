//! Changes that wait to be sent to a host.

use crate::rows::{self, bound, store_id};
use crate::writer::Act;
use crate::{LogError, Reader};
use retrace_model::{RelPath, Sha256, Source, StoreId, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

/// Kind of a queued change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueKind {
    /// Makes a memory.
    Create,
    /// Gives a memory another content, another path, or both.
    Update,
    /// Deletes a memory.
    Delete,
    /// Redacts a version.
    Redact,
    /// Archives the store.
    Archive,
}

/// State of a queued change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueState {
    /// To be sent by the next push.
    Waiting,
    /// It met a newer edit.
    Conflict,
    /// The host refused it.
    Failed,
}

impl QueueKind {
    const WORDS: [(Self, &'static str); 5] = [
        (Self::Create, "create"),
        (Self::Update, "update"),
        (Self::Delete, "delete"),
        (Self::Redact, "redact"),
        (Self::Archive, "archive"),
    ];

    /// The printed form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::WORDS.iter().find(|(kind, _)| *kind == self).map_or("update", |(_, word)| word)
    }
}

impl QueueState {
    const WORDS: [(Self, &'static str); 3] =
        [(Self::Waiting, "waiting"), (Self::Conflict, "conflict"), (Self::Failed, "failed")];

    /// The printed form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::WORDS.iter().find(|(state, _)| *state == self).map_or("waiting", |(_, word)| word)
    }
}

/// A change to queue.
#[derive(Clone, Debug)]
pub struct NewQueued {
    /// The mirror.
    pub store: StoreId,
    /// Kind.
    pub kind: QueueKind,
    /// The memory's path after it, or the path of what is deleted.
    pub path: Option<RelPath>,
    /// The path before, where the change moves the memory.
    pub moved_from: Option<RelPath>,
    /// The memory at the host.
    pub remote_memory: Option<String>,
    /// With a redaction, the version to redact; otherwise the version the change was made against.
    pub remote_version: Option<String>,
    /// Hash the memory must have at the host.
    pub expected: Option<Sha256>,
    /// Content to write.
    pub content: Option<Vec<u8>>,
    /// The operation that queues it.
    pub operation_seq: Option<u64>,
    /// Cause of what it will be once the host took it.
    pub source: Source,
    /// Reason of the same.
    pub note: Option<String>,
    /// Now.
    pub at: Timestamp,
    /// Note worth knowing before it is sent.
    pub message: Option<String>,
}

/// A change that is queued.
#[derive(Clone, Debug)]
pub struct QueueRow {
    /// Its number, never given twice; changes are sent in this order.
    pub id: u64,
    /// Queued change.
    pub change: NewQueued,
    /// State.
    pub state: QueueState,
    /// Hash of the content to write.
    pub content_sha256: Option<Sha256>,
    /// The operation that took it back; such a one is not sent.
    pub withdrawn_by: Option<u64>,
    /// When it was last being sent. The host may have it although nobody knows.
    pub sent_at: Option<Timestamp>,
}

const COLUMNS: &str =
    "SELECT q.id, s.public, q.kind, q.path, q.moved_from, q.remote_memory_id, q.remote_version_id,
    q.expected_sha256, q.content, q.content_sha256, q.operation_seq, q.source, q.note, q.created_at, q.state, q.message,
    q.withdrawn_by, q.sent_at
    FROM remote_queue q JOIN stores s ON s.id = q.store_id";

impl Reader<'_> {
    /// Queued changes, in the order in which it is sent; for one mirror or all.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn remote_queue(&self, store: Option<StoreId>) -> Result<Vec<QueueRow>, LogError> {
        let sql =
            format!("{COLUMNS} WHERE (?1 IS NULL OR s.public = ?1) AND q.withdrawn_by IS NULL ORDER BY q.id");
        self.queue_rows(&sql, params![store.map(|store| store.0.to_vec())])
    }

    /// The same with what operations took back, which is kept so that they can be undone.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn remote_queue_and_withdrawn(&self) -> Result<Vec<QueueRow>, LogError> {
        self.queue_rows(&format!("{COLUMNS} ORDER BY q.id"), &[])
    }

    /// Changes that an operation took back, in order.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn withdrawn_by(&self, operation_seq: u64) -> Result<Vec<QueueRow>, LogError> {
        let sql = format!("{COLUMNS} WHERE q.withdrawn_by = ?1 ORDER BY q.id");
        self.queue_rows(&sql, params![bound(operation_seq)])
    }

    /// Changes that an operation queued and that are queued still, in order.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn queued_by(&self, operation_seq: u64) -> Result<Vec<QueueRow>, LogError> {
        let sql = format!("{COLUMNS} WHERE q.operation_seq = ?1 AND q.withdrawn_by IS NULL ORDER BY q.id");
        self.queue_rows(&sql, params![bound(operation_seq)])
    }

    fn queue_rows(&self, sql: &str, parameters: &[&dyn rusqlite::ToSql]) -> Result<Vec<QueueRow>, LogError> {
        let mut query = self.connection.prepare_cached(sql)?;
        let mut rows = query.query(parameters)?;
        let mut queued = Vec::new();
        while let Some(row) = rows.next()? {
            queued.push(queued_from(row)?);
        }
        Ok(queued)
    }

    /// Operations that say the host took what an operation queued, oldest first.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn sent_for(&self, operation_seq: u64) -> Result<Vec<u64>, LogError> {
        let mut query = self
            .connection
            .prepare_cached("SELECT sent_seq FROM remote_sent WHERE operation_seq = ?1 ORDER BY sent_seq")?;
        let found = query.query_map([bound(operation_seq)], |row| row.get(0))?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// The operation that queued what this one says the host took; `None` for one that says nothing of the kind.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn queued_for(&self, sent_seq: u64) -> Result<Option<u64>, LogError> {
        let mut query =
            self.connection.prepare_cached("SELECT operation_seq FROM remote_sent WHERE sent_seq = ?1")?;
        Ok(query.query_row([bound(sent_seq)], |row| row.get(0)).optional()?)
    }
}

impl Act<'_> {
    /// Queues a change; answers its number.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when the store is no mirror, or a failure of the database.
    pub fn queue(&mut self, new: &NewQueued) -> Result<u64, LogError> {
        let row = self.remote_row(new.store)?;
        let hash = new.content.as_deref().map(Sha256::of);
        self.transaction
            .prepare_cached(
                "INSERT INTO remote_queue (store_id, kind, path, moved_from, remote_memory_id, remote_version_id,
                    expected_sha256, content, content_sha256, operation_seq, source, note, created_at, message)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
            )?
            .execute(params![
                row,
                new.kind.as_str(),
                new.path.as_ref().map(RelPath::as_bytes),
                new.moved_from.as_ref().map(RelPath::as_bytes),
                new.remote_memory,
                new.remote_version,
                new.expected.as_ref().map(|hash| &hash.0[..]),
                new.content,
                hash.as_ref().map(|hash| &hash.0[..]),
                new.operation_seq.map(bound),
                new.source.as_str(),
                new.note,
                new.at.micros(),
                new.message,
            ])?;
        Ok(self.transaction.last_insert_rowid().cast_unsigned())
    }

    /// Takes a queued change out; `false` when there is none of this number.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn unqueue(&mut self, id: u64) -> Result<bool, LogError> {
        let taken = self
            .transaction
            .prepare_cached("DELETE FROM remote_queue WHERE id = ?1")?
            .execute([bound(id)])?;
        Ok(taken > 0)
    }

    /// Takes a queued change back by an operation, which can be undone; `false` when none of this number is queued.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn withdraw(&mut self, id: u64, operation_seq: u64) -> Result<bool, LogError> {
        let taken = self
            .transaction
            .prepare_cached(
                "UPDATE remote_queue SET withdrawn_by = ?2, state = 'waiting', message = NULL
                 WHERE id = ?1 AND withdrawn_by IS NULL",
            )?
            .execute([bound(id), bound(operation_seq)])?;
        Ok(taken > 0)
    }

    /// Queues a change again that an operation took back, behind all others and as of another operation; its new number, or
    /// `None` when it is not there any more.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn requeue(&mut self, id: u64, operation_seq: u64, at: Timestamp) -> Result<Option<u64>, LogError> {
        let queued = self
            .transaction
            .prepare_cached(
                "INSERT INTO remote_queue (store_id, kind, path, moved_from, remote_memory_id, remote_version_id,
                    expected_sha256, content, content_sha256, operation_seq, source, note, created_at)
                 SELECT store_id, kind, path, moved_from, remote_memory_id, remote_version_id, expected_sha256, content,
                    content_sha256, ?2, source, note, ?3
                 FROM remote_queue WHERE id = ?1 AND withdrawn_by IS NOT NULL",
            )?
            .execute(params![bound(id), bound(operation_seq), at.micros()])?;
        if queued == 0 {
            return Ok(None);
        }
        let new = self.transaction.last_insert_rowid().cast_unsigned();
        self.unqueue(id)?;
        Ok(Some(new))
    }

    /// Makes a queued change one of what is there now: what it does, which memory and version it is made against, and the hash
    /// it expects. It waits again then, at its place; `false` when none of this number is queued.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn retarget(&mut self, id: u64, to: &NewQueued) -> Result<bool, LogError> {
        let hash = to.content.as_deref().map(Sha256::of);
        let changed = self
            .transaction
            .prepare_cached(
                "UPDATE remote_queue SET kind = ?2, path = ?3, moved_from = ?4, remote_memory_id = ?5,
                    remote_version_id = ?6, expected_sha256 = ?7, content = ?8, content_sha256 = ?9, state = 'waiting',
                    message = NULL, sent_at = NULL
                 WHERE id = ?1 AND withdrawn_by IS NULL",
            )?
            .execute(params![
                bound(id),
                to.kind.as_str(),
                to.path.as_ref().map(RelPath::as_bytes),
                to.moved_from.as_ref().map(RelPath::as_bytes),
                to.remote_memory,
                to.remote_version,
                to.expected.as_ref().map(|hash| &hash.0[..]),
                to.content,
                hash.as_ref().map(|hash| &hash.0[..]),
            ])?;
        Ok(changed > 0)
    }

    /// Says that a change is about to be sent: from now on the host may have it, whether or not its answer comes.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn being_sent(&mut self, id: u64, at: Timestamp) -> Result<(), LogError> {
        self.transaction
            .prepare_cached("UPDATE remote_queue SET sent_at = ?2 WHERE id = ?1")?
            .execute(params![bound(id), at.micros()])?;
        Ok(())
    }

    /// Says what came of an attempt to send a change.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn set_queue_state(
        &mut self,
        id: u64,
        state: QueueState,
        message: Option<&str>,
    ) -> Result<(), LogError> {
        self.transaction
            .prepare_cached("UPDATE remote_queue SET state = ?2, message = ?3 WHERE id = ?1")?
            .execute(params![bound(id), state.as_str(), message])?;
        Ok(())
    }

    /// Notes that one operation says the host took what another one queued.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn note_sent(&mut self, queued_by: u64, sent: u64) -> Result<(), LogError> {
        self.transaction
            .prepare_cached("INSERT OR IGNORE INTO remote_sent (sent_seq, operation_seq) VALUES (?1, ?2)")?
            .execute(params![bound(sent), bound(queued_by)])?;
        Ok(())
    }
}

/// Takes out what is queued with a content that is being masked, and the hash of such a content from what was made against it.
pub(crate) fn forget_redacted(connection: &Connection, sha256: &[u8]) -> Result<(), LogError> {
    connection.prepare_cached("DELETE FROM remote_queue WHERE content_sha256 = ?1")?.execute([sha256])?;
    connection
        .prepare_cached("UPDATE remote_queue SET expected_sha256 = NULL WHERE expected_sha256 = ?1")?
        .execute([sha256])?;
    Ok(())
}

fn queued_from(row: &Row<'_>) -> Result<QueueRow, LogError> {
    let path = |column: usize| -> Result<Option<RelPath>, LogError> {
        row.get::<_, Option<Vec<u8>>>(column)?.map(rows::path_from).transpose()
    };
    let hash = |column: usize| -> Result<Option<Sha256>, LogError> {
        row.get::<_, Option<Vec<u8>>>(column)?.as_deref().map(rows::hash_from).transpose()
    };
    let (kind, state): (String, String) = (row.get(2)?, row.get(14)?);
    let damaged = |what: &'static str| LogError::Damaged(say::queued_change_unknown(what));
    let kind = QueueKind::WORDS.iter().find(|(_, word)| *word == kind);
    let state = QueueState::WORDS.iter().find(|(_, word)| *word == state);
    Ok(QueueRow {
        id: row.get(0)?,
        change: NewQueued {
            store: store_id(&row.get::<_, Vec<u8>>(1)?)?,
            kind: kind.ok_or_else(|| damaged("kind"))?.0,
            path: path(3)?,
            moved_from: path(4)?,
            remote_memory: row.get(5)?,
            remote_version: row.get(6)?,
            expected: hash(7)?,
            content: row.get(8)?,
            operation_seq: row.get(10)?,
            source: row.get::<_, String>(11)?.parse().map_err(|_| damaged("cause"))?,
            note: row.get(12)?,
            at: Timestamp::from_micros(row.get(13)?),
            message: row.get(15)?,
        },
        state: state.ok_or_else(|| damaged("state"))?.0,
        content_sha256: hash(9)?,
        withdrawn_by: row.get(16)?,
        sent_at: row.get::<_, Option<i64>>(17)?.map(Timestamp::from_micros),
    })
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "queue";
    queued_change_unknown(what) => "a queued change has an unknown {what}",
}
