//! Appending. One transaction at a time over all processes; whatever is not committed never happened.

use crate::blob::{self, Base};
use crate::chain::{self, Digest, GENESIS, Leaf, Link};
use crate::{Entropy, LogError, LogFiles, Reader};
use retrace_model::{
    Actor, MemoryId, RelPath, Seen, Sha256, Source, StoreId, Timestamp, VersionId, VersionOperation,
};
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use std::collections::{BTreeMap, HashMap};

/// The writing side of a log.
pub struct Writer {
    pub(crate) connection: Connection,
    pub(crate) files: LogFiles,
    pub(crate) entropy: Entropy,
}

/// One transaction: everything in it happens, or nothing of it. Dropping it without [`Act::commit`] takes all back.
pub struct Act<'w> {
    pub(crate) transaction: Transaction<'w>,
    pub(crate) entropy: &'w mut Entropy,
}

/// Something to append as one operation.
#[derive(Debug)]
pub struct Append<'a> {
    /// The store the operation concerns; `None` when it concerns several.
    pub store: Option<StoreId>,
    /// What caused it.
    pub source: Source,
    /// Who.
    pub actor: &'a Actor,
    /// Why, where a reason was given.
    pub note: Option<&'a str>,
    /// When.
    pub at: Timestamp,
    /// The operation it takes back.
    pub undoes: Option<u64>,
    /// What changed, in order.
    pub changes: Vec<Change>,
    /// Append the operation even when it makes no version.
    pub even_if_empty: bool,
}

/// One change to one path.
#[derive(Clone, Debug)]
pub struct Change {
    /// The store.
    pub store: StoreId,
    /// The path after the change, or the path that is gone.
    pub path: RelPath,
    /// What is there now.
    pub payload: Payload,
}

/// What is at a path.
#[derive(Clone, Debug)]
pub enum Payload {
    /// A content.
    Content {
        /// The raw bytes; `None` for a content too large to keep.
        bytes: Option<Vec<u8>>,
        /// Their hash.
        sha256: Sha256,
        /// Their number.
        size: u64,
        /// What the file system said of the file when it was read.
        seen: Option<Seen>,
        /// The path the memory had before, when that is known.
        moved_from: Option<RelPath>,
    },
    /// Nothing any more.
    Gone,
}

/// What an append did.
#[derive(Clone, Debug, Default)]
pub struct Appended {
    /// The operation; `None` when nothing had changed and none was appended.
    pub operation_seq: Option<u64>,
    /// The versions, in order.
    pub versions: Vec<VersionId>,
}

/// A live memory as the writer needs it.
struct LiveRow {
    memory_row: i64,
    memory: MemoryId,
    path_row: i64,
    blob_row: Option<i64>,
    sha256: Option<Sha256>,
    size: Option<u64>,
    shadow: Option<Vec<u8>>,
}

/// A version about to be written.
struct Draft {
    store_row: i64,
    store: StoreId,
    memory_row: i64,
    memory: MemoryId,
    change: VersionOperation,
    path_row: i64,
    blob_row: Option<i64>,
    salt: Option<[u8; 16]>,
    commitment: Sha256,
}

impl Writer {
    /// Opens the log for writing, makes it when it does not exist, and brings its schema up to date.
    ///
    /// # Errors
    /// [`LogError::Newer`], [`LogError::Damaged`], [`LogError::CannotWrite`], [`LogError::Full`] or [`LogError::Busy`];
    /// nothing is changed then.
    pub fn open(files: LogFiles, entropy: Entropy) -> Result<Self, LogError> {
        let connection = files.open_writer()?;
        Ok(Self { connection, files, entropy })
    }

    /// Starts a transaction, waiting for other processes' transactions to end.
    ///
    /// # Errors
    /// [`LogError::Busy`] when they do not end in time.
    pub fn begin(&mut self) -> Result<Act<'_>, LogError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        Ok(Act { transaction, entropy: &mut self.entropy })
    }

    /// Appends one operation in a transaction of its own.
    ///
    /// # Errors
    /// As [`Act::append`].
    pub fn append(&mut self, append: Append<'_>) -> Result<Appended, LogError> {
        let mut act = self.begin()?;
        let appended = act.append(append)?;
        act.commit()?;
        Ok(appended)
    }

    /// Reads what is committed.
    #[must_use]
    pub fn reader(&self) -> Reader<'_> {
        Reader::over(&self.connection)
    }

    /// The log's files.
    #[must_use]
    pub fn files(&self) -> &LogFiles {
        &self.files
    }
}

impl Act<'_> {
    /// Reads the log as this transaction sees it.
    #[must_use]
    pub fn reader(&self) -> Reader<'_> {
        Reader::over(&self.transaction)
    }

    /// Makes everything in this transaction durable.
    ///
    /// # Errors
    /// [`LogError::Full`], [`LogError::CannotWrite`]; nothing has happened then.
    pub fn commit(self) -> Result<(), LogError> {
        Ok(self.transaction.commit()?)
    }

    /// Appends one operation.
    ///
    /// A content that equals the newest one at its path makes no version, so appending what another process has already
    /// appended does nothing. Equal content gone from one path and new at another makes one `modified` version of the
    /// same memory. A memory that comes back to a path it was deleted from keeps its id.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn append(&mut self, append: Append<'_>) -> Result<Appended, LogError> {
        let (previous, previous_seq) = head_of_chain(&self.transaction)?;
        let operation_seq = previous_seq + 1;
        let first_version = last_version(&self.transaction)? + 1;
        let drafts = self.drafts(&append)?;
        if drafts.is_empty() && !append.even_if_empty {
            return Ok(Appended::default());
        }
        let link = Link {
            seq: operation_seq,
            store: append.store,
            source: append.source,
            created_at: append.at,
            actor: append.actor,
            note: append.note,
            undoes: append.undoes,
        };
        let mut digest = Digest::new(&previous, &link);
        let mut versions = Vec::with_capacity(drafts.len());
        for (draft, seq) in drafts.iter().zip(first_version..) {
            let leaf = Leaf {
                seq,
                operation_seq,
                store: draft.store,
                memory: draft.memory,
                change: draft.change,
                created_at: append.at,
                commitment: draft.commitment,
            }
            .hash();
            digest.leaf(&leaf);
            versions.push(VersionId::new(seq, &leaf));
            self.insert_version(draft, seq, operation_seq)?;
        }
        self.insert_operation(&append, operation_seq, first_version, versions.len(), &digest.finish())?;
        self.count_versions(&drafts, append.at)?;
        self.update_live(&append, &drafts, first_version)?;
        Ok(Appended { operation_seq: Some(operation_seq), versions })
    }

    /// Decides what each change means, and writes the contents it needs.
    fn drafts(&mut self, append: &Append<'_>) -> Result<Vec<Draft>, LogError> {
        let mut stores = HashMap::new();
        for change in &append.changes {
            if !stores.contains_key(&change.store) {
                stores.insert(change.store, crate::stores::row_of(&self.transaction, change.store)?);
            }
        }
        let mut moves = self.pair_moves(append, &stores)?;
        let mut drafts = Vec::new();
        for (index, change) in append.changes.iter().enumerate() {
            let store_row = stores[&change.store];
            let draft = match &change.payload {
                Payload::Gone if moves.sources.contains_key(&index) => None,
                Payload::Gone => self.draft_gone(store_row, change)?,
                Payload::Content { .. } => {
                    let source = moves.targets.remove(&index);
                    self.draft_content(store_row, change, source, append.at)?
                }
            };
            drafts.extend(draft);
        }
        Ok(drafts)
    }

    fn draft_gone(&mut self, store_row: i64, change: &Change) -> Result<Option<Draft>, LogError> {
        let Some(live) = live_at(&self.transaction, store_row, &change.path)? else { return Ok(None) };
        let salt = self.salt();
        self.transaction
            .prepare_cached("DELETE FROM live WHERE memory_id = ?1")?
            .execute([live.memory_row])?;
        Ok(Some(Draft {
            store_row,
            store: change.store,
            memory_row: live.memory_row,
            memory: live.memory,
            change: VersionOperation::Deleted,
            path_row: live.path_row,
            blob_row: None,
            salt: Some(salt),
            commitment: chain::commitment(&salt, &change.path, None),
        }))
    }

    fn draft_content(
        &mut self,
        store_row: i64,
        change: &Change,
        moved: Option<RelPath>,
        at: Timestamp,
    ) -> Result<Option<Draft>, LogError> {
        let Payload::Content { bytes, sha256, size, seen, .. } = &change.payload else { return Ok(None) };
        let live = match &moved {
            Some(from) => live_at(&self.transaction, store_row, from)?,
            None => live_at(&self.transaction, store_row, &change.path)?,
        };
        if let (Some(live), None) = (&live, &moved) {
            let same = match (&live.sha256, &live.shadow) {
                (Some(known), _) => known == sha256,
                (None, Some(shadow)) => seen.as_ref().is_some_and(|seen| crate::live::casts(shadow, seen)),
                (None, None) => false,
            };
            if same {
                if live.sha256.is_some() {
                    crate::live::saw(&self.transaction, live.memory_row, seen.as_ref(), at)?;
                }
                return Ok(None);
            }
        }
        let path_row = intern_path(&self.transaction, &change.path)?;
        let (memory_row, memory, operation) = match &live {
            Some(live) => (live.memory_row, live.memory, VersionOperation::Modified),
            None => match resting_memory(&self.transaction, store_row, path_row)? {
                Some((row, memory)) => (row, memory, VersionOperation::Created),
                None => {
                    let (row, memory) = self.new_memory(store_row)?;
                    (row, memory, VersionOperation::Created)
                }
            },
        };
        let lean_on = match live.as_ref().and_then(|live| live.blob_row) {
            Some(blob) => Some(blob),
            None if operation == VersionOperation::Created => newest_blob_of(&self.transaction, memory_row)?,
            None => None,
        };
        let (blob_row, salt) = self.keep(bytes.as_deref(), sha256, *size, lean_on)?;
        Ok(Some(Draft {
            store_row,
            store: change.store,
            memory_row,
            memory,
            change: operation,
            path_row,
            blob_row: Some(blob_row),
            salt: None,
            commitment: chain::commitment(&salt, &change.path, Some((sha256, *size))),
        }))
    }

    /// Finds which contents are moved memories: named as such, or gone from one path and new at another.
    fn pair_moves(&self, append: &Append<'_>, stores: &HashMap<StoreId, i64>) -> Result<Moves, LogError> {
        let mut moves = Moves::default();
        let mut gone: BTreeMap<(StoreId, Sha256), Vec<(usize, RelPath)>> = BTreeMap::new();
        for (index, change) in append.changes.iter().enumerate() {
            if matches!(change.payload, Payload::Gone)
                && let Some(live) = live_at(&self.transaction, stores[&change.store], &change.path)?
                && let (Some(sha256), Some(1..)) = (live.sha256, live.size)
            {
                gone.entry((change.store, sha256)).or_default().push((index, change.path.clone()));
            }
        }
        for (index, change) in append.changes.iter().enumerate() {
            let Payload::Content { sha256, moved_from, .. } = &change.payload else { continue };
            if let Some(from) = moved_from {
                let source = append.changes.iter().position(|other| {
                    other.store == change.store
                        && other.path == *from
                        && matches!(other.payload, Payload::Gone)
                });
                moves.sources.extend(source.map(|source| (source, ())));
                moves.targets.insert(index, from.clone());
                continue;
            }
            let Some(candidates) = gone.get_mut(&(change.store, *sha256)) else { continue };
            if live_at(&self.transaction, stores[&change.store], &change.path)?.is_some() {
                continue;
            }
            // The same file name in another directory is the likelier move.
            let same_name =
                candidates.iter().position(|(_, from)| from.file_name() == change.path.file_name());
            if !candidates.is_empty() {
                let (source, from) = candidates.remove(same_name.unwrap_or(0));
                moves.sources.insert(source, ());
                moves.targets.insert(index, from);
            }
        }
        Ok(moves)
    }

    /// Keeps a content, or finds it kept already; answers its row and salt.
    fn keep(
        &mut self,
        bytes: Option<&[u8]>,
        sha256: &Sha256,
        size: u64,
        lean_on: Option<i64>,
    ) -> Result<(i64, [u8; 16]), LogError> {
        if let Some(row) = blob::find(&self.transaction, sha256)? {
            let (salt, encoding): (Vec<u8>, i64) = self
                .transaction
                .prepare_cached("SELECT salt, encoding FROM blobs WHERE id = ?1")?
                .query_row([row], |found| Ok((found.get(0)?, found.get(1)?)))?;
            let salt =
                salt.try_into().map_err(|_| LogError::Damaged(format!("content {row} has a bad salt")))?;
            // A content that was too large under an earlier limit may be kept now.
            if encoding != blob::NOT_KEPT || bytes.is_none() {
                return Ok((row, salt));
            }
        }
        let salt = self.salt();
        let Some(bytes) = bytes else {
            self.transaction
                .prepare_cached(
                    "INSERT INTO blobs (encoding, is_text, depth, size, salt, sha256) VALUES (?1, 0, 0, ?2, ?3, ?4)",
                )?
                .execute(params![blob::NOT_KEPT, size as i64, &salt[..], &sha256.0[..]])?;
            return Ok((self.transaction.last_insert_rowid(), salt));
        };
        let base = lean_on.map_or(Ok(None), |row| blob::base(&self.transaction, row, bytes.len()))?;
        let row = insert_blob(&self.transaction, bytes, sha256, &salt, base.as_ref())?;
        Ok((row, salt))
    }

    fn new_memory(&mut self, store_row: i64) -> Result<(i64, MemoryId), LogError> {
        let mut id = [0; 16];
        (self.entropy)(&mut id);
        self.transaction
            .prepare_cached("INSERT INTO memories (public, store_id) VALUES (?1, ?2)")?
            .execute(params![&id[..], store_row])?;
        Ok((self.transaction.last_insert_rowid(), MemoryId(id)))
    }

    pub(crate) fn salt(&mut self) -> [u8; 16] {
        let mut salt = [0; 16];
        (self.entropy)(&mut salt);
        salt
    }

    fn insert_version(&self, draft: &Draft, seq: u64, operation_seq: u64) -> Result<(), LogError> {
        self.transaction
            .prepare_cached(
                "INSERT INTO versions (seq, operation_seq, store_id, memory_id, change, path_id, blob_id, salt)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                seq as i64,
                operation_seq as i64,
                draft.store_row,
                draft.memory_row,
                change_number(draft.change),
                draft.path_row,
                draft.blob_row,
                draft.salt.as_ref().map(|salt| &salt[..]),
            ])?;
        self.transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO memory_paths (store_id, path_id, memory_id) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![draft.store_row, draft.path_row, draft.memory_row])?;
        Ok(())
    }

    fn insert_operation(
        &self,
        append: &Append<'_>,
        seq: u64,
        first_version: u64,
        versions: usize,
        digest: &Sha256,
    ) -> Result<(), LogError> {
        let store = append.store.map(|store| crate::stores::row_of(&self.transaction, store)).transpose()?;
        let actor = intern_actor(&self.transaction, append.actor)?;
        self.transaction
            .prepare_cached(
                "INSERT INTO operations
                    (seq, store_id, source, created_at, actor_id, note, undoes, first_version, versions, digest)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute(params![
                seq as i64,
                store,
                append.source.as_str(),
                append.at.micros(),
                actor,
                append.note,
                append.undoes.map(|seq| seq as i64),
                first_version as i64,
                versions as i64,
                &digest.0[..],
            ])?;
        Ok(())
    }

    fn count_versions(&self, drafts: &[Draft], at: Timestamp) -> Result<(), LogError> {
        let mut counts: BTreeMap<i64, i64> = BTreeMap::new();
        for draft in drafts {
            *counts.entry(draft.store_row).or_default() += 1;
        }
        for (store, count) in counts {
            self.transaction
                .prepare_cached("UPDATE stores SET versions = versions + ?2, last_change = ?3 WHERE id = ?1")?
                .execute(params![store, count, at.micros()])?;
        }
        Ok(())
    }

    fn update_live(&self, append: &Append<'_>, drafts: &[Draft], first_version: u64) -> Result<(), LogError> {
        let mut seen_at: HashMap<(StoreId, &RelPath), Option<&Seen>> = HashMap::new();
        for change in &append.changes {
            if let Payload::Content { seen, .. } = &change.payload {
                seen_at.insert((change.store, &change.path), seen.as_ref());
            }
        }
        let mut path_of = self.transaction.prepare_cached("SELECT bytes FROM paths WHERE id = ?1")?;
        let mut insert = self.transaction.prepare_cached(
            "INSERT INTO live (memory_id, store_id, path_id, version_seq, size, modified_nanos, changed_nanos, file_id,
                               seen_at, shadow)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, NULL)
             ON CONFLICT (memory_id) DO UPDATE SET path_id = excluded.path_id, version_seq = excluded.version_seq,
                size = excluded.size, modified_nanos = excluded.modified_nanos,
                changed_nanos = excluded.changed_nanos, file_id = excluded.file_id, seen_at = excluded.seen_at,
                shadow = NULL",
        )?;
        for (draft, seq) in drafts.iter().zip(first_version..) {
            if draft.change == VersionOperation::Deleted {
                continue;
            }
            let path: Vec<u8> = path_of.query_row([draft.path_row], |row| row.get(0))?;
            let path = RelPath::from_bytes(path).map_err(|error| LogError::Damaged(error.to_string()))?;
            let seen = seen_at.get(&(draft.store, &path)).copied().flatten();
            insert.execute(params![
                draft.memory_row,
                draft.store_row,
                draft.path_row,
                seq as i64,
                seen.map(|seen| seen.size as i64),
                seen.map(|seen| crate::live::nanos(seen.modified_nanos)),
                seen.map(|seen| crate::live::nanos(seen.changed_nanos)),
                seen.map(|seen| seen.file_id as i64),
                append.at.micros(),
            ])?;
        }
        Ok(())
    }
}

#[derive(Default)]
struct Moves {
    /// Changes that are the old end of a move.
    sources: HashMap<usize, ()>,
    /// Changes that are the new end of a move, with the old path.
    targets: HashMap<usize, RelPath>,
}

/// Writes a new content down.
pub(crate) fn insert_blob(
    connection: &Connection,
    bytes: &[u8],
    sha256: &Sha256,
    salt: &[u8; 16],
    base: Option<&Base>,
) -> Result<i64, LogError> {
    let encoded = blob::encode(bytes, base)?;
    connection
        .prepare_cached(
            "INSERT INTO blobs (encoding, is_text, depth, base_id, size, salt, sha256, data)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            encoded.encoding,
            blob::is_text(bytes),
            encoded.depth,
            encoded.base,
            bytes.len() as i64,
            &salt[..],
            &sha256.0[..],
            encoded.data,
        ])?;
    Ok(connection.last_insert_rowid())
}

pub(crate) fn change_number(change: VersionOperation) -> i64 {
    match change {
        VersionOperation::Created => 1,
        VersionOperation::Modified => 2,
        VersionOperation::Deleted => 3,
    }
}

/// The digest and number of the newest operation.
pub(crate) fn head_of_chain(connection: &Connection) -> Result<(Sha256, u64), LogError> {
    let found: Option<(i64, Vec<u8>)> = connection
        .prepare_cached("SELECT seq, digest FROM operations ORDER BY seq DESC LIMIT 1")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match found {
        None => Ok((GENESIS, 0)),
        Some((seq, digest)) => Ok((hash_from(&digest)?, seq as u64)),
    }
}

pub(crate) fn hash_from(bytes: &[u8]) -> Result<Sha256, LogError> {
    bytes.try_into().map(Sha256).map_err(|_| LogError::Damaged("a hash has the wrong length".to_owned()))
}

pub(crate) fn last_version(connection: &Connection) -> Result<u64, LogError> {
    let last: Option<i64> =
        connection.prepare_cached("SELECT max(seq) FROM versions")?.query_row([], |row| row.get(0))?;
    Ok(last.unwrap_or(0) as u64)
}

pub(crate) fn path_row(connection: &Connection, path: &RelPath) -> Result<Option<i64>, LogError> {
    Ok(connection
        .prepare_cached("SELECT id FROM paths WHERE bytes = ?1")?
        .query_row([path.as_bytes()], |row| row.get(0))
        .optional()?)
}

fn intern_path(connection: &Connection, path: &RelPath) -> Result<i64, LogError> {
    if let Some(row) = path_row(connection, path)? {
        return Ok(row);
    }
    connection.prepare_cached("INSERT INTO paths (bytes) VALUES (?1)")?.execute([path.as_bytes()])?;
    Ok(connection.last_insert_rowid())
}

/// The row of an actor; `None` for the unknown one.
pub(crate) fn intern_actor(connection: &Connection, actor: &Actor) -> Result<Option<i64>, LogError> {
    let (kind, name, evidence) = chain::actor_fields(actor);
    if *actor == Actor::Unknown {
        return Ok(None);
    }
    let found = connection
        .prepare_cached("SELECT id FROM actors WHERE type = ?1 AND name = ?2 AND evidence = ?3")?
        .query_row([kind, name, evidence], |row| row.get(0))
        .optional()?;
    if found.is_some() {
        return Ok(found);
    }
    connection
        .prepare_cached("INSERT INTO actors (type, name, evidence) VALUES (?1, ?2, ?3)")?
        .execute([kind, name, evidence])?;
    Ok(Some(connection.last_insert_rowid()))
}

fn live_at(connection: &Connection, store_row: i64, path: &RelPath) -> Result<Option<LiveRow>, LogError> {
    let mut query = connection.prepare_cached(
        "SELECT l.memory_id, m.public, l.path_id, v.blob_id, b.sha256, b.size, l.shadow
         FROM paths p
         JOIN live l ON l.store_id = ?1 AND l.path_id = p.id
         JOIN memories m ON m.id = l.memory_id
         JOIN versions v ON v.seq = l.version_seq
         LEFT JOIN blobs b ON b.id = v.blob_id
         WHERE p.bytes = ?2",
    )?;
    let row = query
        .query_row(params![store_row, path.as_bytes()], |row| {
            Ok((
                row.get::<_, Vec<u8>>(1)?,
                row.get::<_, Option<Vec<u8>>>(4)?,
                LiveRow {
                    memory_row: row.get(0)?,
                    memory: MemoryId([0; 16]),
                    path_row: row.get(2)?,
                    blob_row: row.get(3)?,
                    sha256: None,
                    size: row.get::<_, Option<i64>>(5)?.map(|size| size as u64),
                    shadow: row.get(6)?,
                },
            ))
        })
        .optional()?;
    row.map(|(memory, sha256, live)| {
        Ok(LiveRow {
            memory: MemoryId(
                memory
                    .try_into()
                    .map_err(|_| LogError::Damaged("a memory id has the wrong length".to_owned()))?,
            ),
            sha256: sha256.as_deref().map(hash_from).transpose()?,
            ..live
        })
    })
    .transpose()
}

/// The memory that was last at this path and is nowhere now.
fn resting_memory(
    connection: &Connection,
    store_row: i64,
    path_row: i64,
) -> Result<Option<(i64, MemoryId)>, LogError> {
    let mut query = connection.prepare_cached(
        "SELECT mp.memory_id, m.public,
                (SELECT v.path_id FROM versions v WHERE v.memory_id = mp.memory_id ORDER BY v.seq DESC LIMIT 1),
                (SELECT max(v.seq) FROM versions v WHERE v.memory_id = mp.memory_id)
         FROM memory_paths mp JOIN memories m ON m.id = mp.memory_id
         WHERE mp.store_id = ?1 AND mp.path_id = ?2
           AND NOT EXISTS (SELECT 1 FROM live l WHERE l.memory_id = mp.memory_id)
         ORDER BY 4 DESC",
    )?;
    let mut rows = query.query([store_row, path_row])?;
    while let Some(row) = rows.next()? {
        let last_path: Option<i64> = row.get(2)?;
        if last_path == Some(path_row) {
            let memory: Vec<u8> = row.get(1)?;
            let memory = memory
                .try_into()
                .map_err(|_| LogError::Damaged("a memory id has the wrong length".to_owned()))?;
            return Ok(Some((row.get(0)?, MemoryId(memory))));
        }
    }
    Ok(None)
}

fn newest_blob_of(connection: &Connection, memory_row: i64) -> Result<Option<i64>, LogError> {
    Ok(connection
        .prepare_cached(
            "SELECT blob_id FROM versions WHERE memory_id = ?1 AND blob_id IS NOT NULL ORDER BY seq DESC LIMIT 1",
        )?
        .query_row([memory_row], |row| row.get(0))
        .optional()?)
}
