//! Appending an operation: what each change means, and the versions it makes.

mod cleaned;
mod moves;
mod past;
mod put_back;

use crate::chain::{self, Digest, Leaf, Link, Past};
use crate::rows::{self, ChangeKind};
use crate::writer::Act;
use crate::{Entropy, LogError, Tags, blob, codec, kept_out, live, permissions, review};
pub use cleaned::Found as FoundRedacted;
use moves::Moves;
pub(crate) use past::observed_since;
pub use past::{PastLine, PastLines, PastRun, PastVersion, Rebuild, Rebuilt};
use retrace_model::{
    Actor, MemoryId, RelPath, Seen, Sha256, Source, StoreId, Timestamp, VersionId, VersionOperation,
};
use rusqlite::{Connection, OptionalExtension as _, params};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Something to append as one operation.
#[derive(Debug)]
pub struct Append<'a> {
    /// The store the operation concerns; `None` when it concerns several.
    pub store: Option<StoreId>,
    /// Cause.
    pub source: Source,
    /// Who.
    pub actor: &'a Actor,
    /// Why, where a reason was given.
    pub note: Option<&'a str>,
    /// When.
    pub at: Timestamp,
    /// The operation it takes back; each can be taken back once.
    pub undoes: Option<u64>,
    /// Changes, in order: a later change sees what an earlier one did.
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
    /// Content now.
    pub payload: Payload,
}

/// Content at a path.
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
        /// File system data of the file when it was read.
        seen: Option<Seen>,
        /// The path the memory had before, when that is known. A memory that stood at the new path is deleted by the
        /// same operation. A path where nothing lives is no former path: the change is then one like any other.
        moved_from: Option<RelPath>,
    },
    /// Nothing any more.
    Gone,
}

/// Result of an append.
#[derive(Clone, Debug, Default)]
pub struct Appended {
    /// The operation; `None` when nothing had changed and none was appended.
    pub operation_seq: Option<u64>,
    /// The versions, in order.
    pub versions: Vec<VersionId>,
}

impl Act<'_> {
    /// Appends one operation. After an error the transaction can only be dropped.
    ///
    /// A content that equals the newest one at its path makes no version, so appending what another process has already
    /// appended does nothing. Equal content gone from one path and new at another makes one `modified` version of the
    /// same memory. A memory that reappears at a path it was deleted from keeps its id.
    ///
    /// Redacted content is not kept again, unless it stands on disk: a note is kept without it, a content that holds it
    /// is refused. Whoever brings a content from elsewhere takes it out before ([`Act::tags`]).
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store or an unknown operation to take back; [`LogError::Invalid`] for an
    /// operation that is taken back already and for bytes that do not have the hash or the size they are said to have;
    /// [`LogError::KeptOut`]; or a failure of the database.
    pub fn append(&mut self, append: Append<'_>) -> Result<Appended, LogError> {
        self.append_putting_back(append, &HashMap::new())
    }

    /// As [`Act::append`], for an act that knows which versions it puts back: places of them in the log, by the place of the
    /// change in the operation. Without one, an act of a person that brings a content its memory had before puts that back.
    ///
    /// # Errors
    /// As [`Act::append`].
    pub fn append_putting_back(
        &mut self,
        append: Append<'_>,
        put_back: &HashMap<usize, u64>,
    ) -> Result<Appended, LogError> {
        self.whole(|act| {
            let rest = if act.new_memories { Dormant::StaysAway } else { Dormant::Reappears };
            act.append_dormant(append, put_back, rest)
        })
    }

    /// As [`Act::append`], for a host that says which memory is which: one that comes to a path where nothing lives is a new
    /// one, or the one in the row `memory`, which lives nowhere.
    pub(crate) fn append_reviving(
        &mut self,
        append: Append<'_>,
        memory: Option<i64>,
    ) -> Result<Appended, LogError> {
        let rest = memory.map_or(Dormant::StaysAway, Dormant::Is);
        self.whole(|act| act.append_dormant(append, &HashMap::new(), rest))
    }

    fn append_dormant(
        &mut self,
        append: Append<'_>,
        put_back: &HashMap<usize, u64>,
        rest: Dormant,
    ) -> Result<Appended, LogError> {
        let note = append.note.map(|note| self.clean(note)).transpose()?;
        let (tags, seals) = (self.tags()?, self.seals.take());
        let actor = tags.without_in_actor(append.actor).unwrap_or_else(|| append.actor.clone());
        let append = Append { note: note.as_deref(), actor: &actor, ..append };
        let mut appending = Appending::begin((&self.transaction, self.entropy), &append, rest, tags)?;
        appending.stated.clone_from(put_back);
        appending.digest.seals(seals.as_ref());
        appending.run(&append)
    }
}

/// Choice of the memory for a path where nothing lives.
#[derive(Clone, Copy)]
enum Dormant {
    /// The one that was there last and is nowhere now, or a new one.
    Reappears,
    /// A new one.
    StaysAway,
    /// The one in this row, which lives nowhere.
    Is(i64),
}

/// Where a content comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comes {
    /// It stands on disk: it is recorded whatever it holds.
    FromDisk,
    /// From elsewhere: nothing redacted reappears with it.
    FromElsewhere,
}

/// True if what an operation of this source appends was found on disk, also where the file system says nothing of the file.
fn is_of_disk(source: Source) -> bool {
    matches!(source, Source::Scan | Source::Tool | Source::Redact)
}

/// A live memory as appending needs it.
pub(super) struct LiveRow {
    memory_row: i64,
    memory: MemoryId,
    /// Number of its versions.
    versions: u64,
    path_row: i64,
    blob_row: Option<i64>,
    sha256: Option<Sha256>,
    size: Option<u64>,
    shadow: Option<Vec<u8>>,
}

/// A memory that is about to get a version.
#[derive(Clone, Copy)]
struct Target {
    memory_row: i64,
    memory: MemoryId,
    /// Number of versions it has already.
    versions: u64,
}

/// A version about to be written.
struct Draft {
    store: StoreId,
    target: Target,
    kind: ChangeKind,
    path_row: i64,
    blob_row: Option<i64>,
    salt: Option<[u8; 16]>,
    commitment: Sha256,
    /// Of a rebuilt version, when it was and by whom.
    past: Option<Past>,
}

/// An operation on its way into the log.
struct Appending<'a> {
    connection: &'a Connection,
    entropy: &'a mut Entropy,
    /// Rows of all stores the operation names.
    stores: HashMap<StoreId, i64>,
    seq: u64,
    at: Timestamp,
    first_version: u64,
    digest: Digest,
    /// Versions written so far.
    versions: Vec<VersionId>,
    /// Versions by kind: created, modified, deleted.
    counts: [u64; 3],
    /// Versions by row of their store.
    by_store: BTreeMap<i64, u64>,
    /// Row of the store and newest version of each memory that got one, by the memory's row.
    newest: BTreeMap<i64, (i64, u64)>,
    rest: Dormant,
    /// Source of a person's act, on contents that somebody wrote before.
    acts: Option<Source>,
    /// Versions that are put back, as the act says: their places by the place of the change.
    stated: HashMap<usize, u64>,
    /// Redacted content that must not reappear.
    tags: Arc<Tags>,
}

impl<'a> Appending<'a> {
    fn begin(
        (connection, entropy): (&'a Connection, &'a mut Entropy),
        append: &Append<'_>,
        rest: Dormant,
        tags: Arc<Tags>,
    ) -> Result<Self, LogError> {
        let (previous, previous_seq) = rows::head_of_chain(connection)?;
        check_undo(connection, append.undoes)?;
        let mut stores = HashMap::new();
        for store in append.changes.iter().map(|change| change.store).chain(append.store) {
            if let std::collections::hash_map::Entry::Vacant(entry) = stores.entry(store) {
                entry.insert(rows::store_row(connection, store)?);
            }
        }
        let seq = previous_seq + 1;
        let link = Link {
            seq,
            store: append.store,
            source: append.source,
            created_at: append.at,
            actor: append.actor,
            note: append.note,
            undoes: append.undoes,
        };
        Ok(Self {
            connection,
            entropy,
            stores,
            seq,
            at: append.at,
            first_version: rows::last_version(connection)? + 1,
            digest: Digest::new(&previous, &link),
            versions: Vec::with_capacity(append.changes.len()),
            counts: [0; 3],
            by_store: BTreeMap::new(),
            newest: BTreeMap::new(),
            rest,
            acts: matches!(append.actor, Actor::User { .. }).then_some(append.source),
            stated: HashMap::new(),
            tags,
        })
    }

    fn run(mut self, append: &Append<'_>) -> Result<Appended, LogError> {
        let mut moves = Moves::find(self.connection, &append.changes, &self.stores)?;
        moves.lift(self.connection)?;
        for (index, change) in append.changes.iter().enumerate() {
            match &change.payload {
                Payload::Gone if moves.is_source(index) => {}
                Payload::Gone => self.remove_at(change, Some(index))?,
                Payload::Content { .. } => self.put(change, index, append.source, &mut moves)?,
            }
        }
        if self.versions.is_empty() && !append.even_if_empty {
            return Ok(Appended::default());
        }
        let digest = self.digest.clone().finish();
        let writer = self.insert_operation(append, &digest)?;
        if let Some(undone) = append.undoes {
            past::finish_past(self.connection, undone)?;
        }
        self.count_versions(true)?;
        let news =
            review::News { first_version: self.first_version, operation: self.seq, writer, at: self.at };
        review::reopen(self.connection, &self.newest, &news)?;
        Ok(Appended { operation_seq: Some(self.seq), versions: self.versions })
    }

    fn random(&mut self) -> [u8; 16] {
        let mut bytes = [0; 16];
        (self.entropy)(&mut bytes);
        bytes
    }

    /// Deletes the memory at a path, where there is one.
    fn remove_at(&mut self, change: &Change, index: Option<usize>) -> Result<(), LogError> {
        let Some(live) = live_at(self.connection, self.stores[&change.store], &change.path)? else {
            return Ok(());
        };
        self.connection
            .prepare_cached("DELETE FROM live WHERE memory_id = ?1")?
            .execute([live.memory_row])?;
        let salt = self.random();
        let seq = self.insert_version(&Draft {
            store: change.store,
            target: live.target(),
            kind: ChangeKind::Deleted,
            path_row: live.path_row,
            blob_row: None,
            salt: Some(salt),
            commitment: chain::commitment(&salt, &change.path, None),
            past: None,
        })?;
        self.note_deleted_again(seq, live.memory_row, index)
    }

    /// Puts a content at a path.
    fn put(
        &mut self,
        change: &Change,
        index: usize,
        source: Source,
        moves: &mut Moves,
    ) -> Result<(), LogError> {
        let Payload::Content { bytes, sha256, size, seen, .. } = &change.payload else { return Ok(()) };
        let moved = moves.take(index);
        let live = match &moved {
            None => live_at(self.connection, self.stores[&change.store], &change.path)?,
            Some(_) => {
                self.remove_at(change, None)?;
                None
            }
        };
        if let Some(live) = &live
            && live.is_at(sha256, seen.as_ref())
        {
            if live.sha256.is_some() {
                live::saw(self.connection, live.memory_row, seen.as_ref(), self.at)?;
            }
            return Ok(());
        }
        let (path_row, path_known) = rows::intern_path(self.connection, &change.path)?;
        let before = moved.as_ref().or(live.as_ref());
        let (target, kind) = match before {
            Some(before) if before.path_row == path_row => (before.target(), ChangeKind::Modified),
            Some(before) => (before.target(), ChangeKind::Moved),
            None => (self.rested_or_new(change.store, path_row, path_known, moves)?, ChangeKind::Created),
        };
        let delta_base = match before {
            Some(before) => before.blob_row,
            None if target.versions > 0 => newest_blob_of(self.connection, target.memory_row)?,
            None => None,
        };
        let from = if seen.is_some() || is_of_disk(source) { Comes::FromDisk } else { Comes::FromElsewhere };
        let (blob_row, salt) =
            self.keep(&change.path, (bytes.as_deref(), from), sha256, *size, delta_base)?;
        let seq = self.insert_version(&Draft {
            store: change.store,
            target,
            kind,
            path_row,
            blob_row: Some(blob_row),
            salt: None,
            commitment: chain::commitment(&salt, &change.path, Some((sha256, *size))),
            past: None,
        })?;
        let came_back = before.is_none() && delta_base == Some(blob_row) && source == Source::Scan;
        self.note_put_back(seq, target.memory_row, self.stores[&change.store], blob_row, index, came_back)?;
        let is_back = |bytes: &Vec<u8>| match source {
            // A client may write what it redacted itself.
            Source::Api => self.tags.brings_back(None, bytes),
            _ => self.tags.held_in(bytes) != kept_out::Held::Nothing,
        };
        let path_is_back = || self.tags.brings_back(None, change.path.as_bytes());
        if from == Comes::FromDisk && (bytes.as_ref().is_some_and(is_back) || path_is_back()) {
            kept_out::reappeared(self.connection, seq)?;
        }
        if kind != ChangeKind::Modified {
            self.note_path(change.store, path_row, target.memory_row)?;
        }
        self.make_live(change.store, target.memory_row, path_row, seq, seen.as_ref())
    }

    /// The dormant memory of a path, or a new one.
    fn rested_or_new(
        &mut self,
        store: StoreId,
        path_row: i64,
        path_known: bool,
        moves: &Moves,
    ) -> Result<Target, LogError> {
        let store_row = self.stores[&store];
        if let Dormant::Is(memory_row) = self.rest {
            return self.dormant_in(memory_row);
        }
        if path_known
            && matches!(self.rest, Dormant::Reappears)
            && let Some(dormant) = dormant_memory(self.connection, store_row, path_row, moves)?
        {
            return Ok(dormant);
        }
        let memory = MemoryId(self.random());
        self.connection
            .prepare_cached("INSERT INTO memories (public, store_id) VALUES (?1, ?2)")?
            .execute(params![&memory.0[..], store_row])?;
        Ok(Target { memory_row: self.connection.last_insert_rowid(), memory, versions: 0 })
    }

    /// The memory in a row, which lives nowhere.
    fn dormant_in(&self, memory_row: i64) -> Result<Target, LogError> {
        let (memory, versions): (Vec<u8>, u64) = self
            .connection
            .prepare_cached(
                "SELECT m.public, (SELECT count(*) FROM versions v WHERE v.memory_id = m.id AND v.happened_at IS NULL)
                 FROM memories m WHERE m.id = ?1",
            )?
            .query_row([memory_row], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(Target { memory_row, memory: rows::memory_id(&memory)?, versions })
    }

    /// Keeps a content, or finds it kept already; answers its row and salt.
    fn keep(
        &mut self,
        path: &RelPath,
        (bytes, from): (Option<&[u8]>, Comes),
        sha256: &Sha256,
        size: u64,
        delta_base: Option<i64>,
    ) -> Result<(i64, [u8; 16]), LogError> {
        if let Some(bytes) = bytes
            && (bytes.len() as u64 != size || Sha256::of(bytes) != *sha256)
        {
            return Err(LogError::Invalid(say::bytes_not_hash_size_given(path)));
        }
        if let Some(row) = blob::find(self.connection, sha256)? {
            let (salt, encoding): (Vec<u8>, i64) = self
                .connection
                .prepare_cached("SELECT salt, encoding FROM blobs WHERE id = ?1")?
                .query_row([row], |found| Ok((found.get(0)?, found.get(1)?)))?;
            // A content that was too large under an earlier limit may be kept now.
            if encoding != blob::NOT_KEPT || bytes.is_none() {
                return Ok((row, rows::salt_from(&salt)?));
            }
        }
        let salt = self.random();
        let Some(bytes) = bytes else {
            return Ok((blob::insert_not_kept(self.connection, size, sha256, &salt)?, salt));
        };
        if !codec::can_be_kept(bytes.len()) {
            return Err(LogError::Invalid(say::bytes_too_many_keep(path, bytes.len())));
        }
        if from == Comes::FromElsewhere && self.tags.brings_back(None, bytes) {
            return Err(LogError::KeptOut(path.to_text()));
        }
        let base = delta_base.map_or(Ok(None), |row| blob::base(self.connection, row, bytes.len()))?;
        Ok((blob::insert(self.connection, bytes, sha256, &salt, base.as_ref())?, salt))
    }

    /// Writes a version down; answers its place.
    fn insert_version(&mut self, draft: &Draft) -> Result<u64, LogError> {
        let seq = self.first_version + self.versions.len() as u64;
        let operation = draft.kind.operation();
        let leaf = Leaf {
            seq,
            operation_seq: self.seq,
            store: draft.store,
            memory: draft.target.memory,
            change: operation,
            created_at: self.at,
            commitment: draft.commitment,
            past: draft.past.clone(),
        }
        .hash();
        let store_row = self.stores[&draft.store];
        self.connection
            .prepare_cached(
                "INSERT INTO versions
                    (seq, operation_seq, store_id, memory_id, number, change, path_id, blob_id, salt, happened_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute(params![
                seq,
                self.seq,
                store_row,
                draft.target.memory_row,
                draft.target.versions + 1,
                draft.kind.number(),
                draft.path_row,
                draft.blob_row,
                draft.salt.as_ref().map(|salt| &salt[..]),
                draft.past.as_ref().map(|past| past.happened_at.micros()),
            ])?;
        self.digest.leaf(&leaf);
        self.versions.push(VersionId::new(seq, &leaf));
        let counted = match operation {
            VersionOperation::Created => 0,
            VersionOperation::Modified => 1,
            VersionOperation::Deleted => 2,
        };
        self.counts[counted] += 1;
        *self.by_store.entry(store_row).or_default() += 1;
        // A rebuilt version is not news: no memory stands at it, and nobody has to review it.
        if draft.past.is_none() {
            self.newest.insert(draft.target.memory_row, (store_row, seq));
        }
        Ok(seq)
    }

    /// Notes that a memory has been at a path.
    fn note_path(&self, store: StoreId, path_row: i64, memory_row: i64) -> Result<(), LogError> {
        self.connection
            .prepare_cached(
                "INSERT OR IGNORE INTO memory_paths (store_id, path_id, memory_id) VALUES (?1, ?2, ?3)",
            )?
            .execute([self.stores[&store], path_row, memory_row])?;
        Ok(())
    }

    /// Says that a memory lives at a path, at a version.
    fn make_live(
        &self,
        store: StoreId,
        memory_row: i64,
        path_row: i64,
        seq: u64,
        seen: Option<&Seen>,
    ) -> Result<(), LogError> {
        self.connection
            .prepare_cached(
                "INSERT INTO live (memory_id, store_id, path_id, version_seq, size, modified_nanos, changed_nanos,
                                   file_id, seen_at, shadow)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, NULL)
                 ON CONFLICT (memory_id) DO UPDATE SET path_id = excluded.path_id,
                    version_seq = excluded.version_seq, size = excluded.size,
                    modified_nanos = excluded.modified_nanos, changed_nanos = excluded.changed_nanos,
                    file_id = excluded.file_id, seen_at = excluded.seen_at, shadow = NULL",
            )?
            .execute(params![
                memory_row,
                self.stores[&store],
                path_row,
                seq,
                seen.map(|seen| seen.size.cast_signed()),
                seen.map(|seen| live::nanos(seen.modified_nanos)),
                seen.map(|seen| live::nanos(seen.changed_nanos)),
                seen.map(|seen| seen.file_id.cast_signed()),
                self.at.micros(),
            ])?;
        permissions::saw(self.connection, memory_row, seen.and_then(|seen| seen.mode))
    }

    /// Writes the operation down; answers the row of its actor.
    fn insert_operation(&self, append: &Append<'_>, digest: &Sha256) -> Result<Option<i64>, LogError> {
        let actor = rows::intern_actor(self.connection, append.actor)?;
        self.connection
            .prepare_cached(
                "INSERT INTO operations (seq, store_id, source, created_at, actor_id, note, undoes, first_version,
                                         created, modified, deleted, digest)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?
            .execute(params![
                self.seq,
                append.store.map(|store| self.stores[&store]),
                append.source.as_str(),
                append.at.micros(),
                actor,
                append.note,
                append.undoes,
                self.first_version,
                self.counts[0],
                self.counts[1],
                self.counts[2],
                &digest.0[..],
            ])?;
        Ok(actor)
    }

    /// Adds the versions to what their stores count; `news` says that the stores changed.
    fn count_versions(&self, news: bool) -> Result<(), LogError> {
        for (store, count) in &self.by_store {
            self.connection
                .prepare_cached(
                    "UPDATE stores SET versions = versions + ?2,
                        last_change = CASE WHEN ?4 THEN ?3 ELSE last_change END WHERE id = ?1",
                )?
                .execute(params![store, count, self.at.micros(), news])?;
        }
        Ok(())
    }
}

impl LiveRow {
    fn target(&self) -> Target {
        Target { memory_row: self.memory_row, memory: self.memory, versions: self.versions }
    }

    /// True if the memory has this content already, as far as can be known of one whose content was redacted.
    fn is_at(&self, sha256: &Sha256, seen: Option<&Seen>) -> bool {
        match (&self.sha256, &self.shadow) {
            (Some(known), _) => known == sha256,
            (None, Some(shadow)) => seen.is_some_and(|seen| live::casts(shadow, seen)),
            (None, None) => false,
        }
    }
}

/// An operation can be taken back when it exists, and once.
fn check_undo(connection: &Connection, undoes: Option<u64>) -> Result<(), LogError> {
    let Some(undone) = undoes else { return Ok(()) };
    let by: Option<Option<u64>> = connection
        .prepare_cached(
            "SELECT (SELECT u.seq FROM operations u WHERE u.undoes = o.seq) FROM operations o WHERE o.seq = ?1",
        )?
        .query_row([rows::bound(undone)], |row| row.get(0))
        .optional()?;
    match by {
        Some(None) => Ok(()),
        Some(Some(by)) => Err(LogError::Invalid(say::operation_taken_back_already_operation(undone, by))),
        None => Err(LogError::NotFound { what: "operation", name: undone.to_string() }),
    }
}

fn live_at(connection: &Connection, store_row: i64, path: &RelPath) -> Result<Option<LiveRow>, LogError> {
    let mut query = connection.prepare_cached(
        "SELECT l.memory_id, m.public, v.number, l.path_id, v.blob_id, b.sha256, b.size, l.shadow
         FROM paths p
         JOIN live l ON l.store_id = ?1 AND l.path_id = p.id
         JOIN memories m ON m.id = l.memory_id
         JOIN versions v ON v.seq = l.version_seq
         LEFT JOIN blobs b ON b.id = v.blob_id
         WHERE p.bytes = ?2",
    )?;
    let mut found = query.query(params![store_row, path.as_bytes()])?;
    let Some(row) = found.next()? else { return Ok(None) };
    Ok(Some(LiveRow {
        memory_row: row.get(0)?,
        memory: rows::memory_id(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?)?,
        versions: row.get(2)?,
        path_row: row.get(3)?,
        blob_row: row.get(4)?,
        sha256: row.get::<_, Option<Vec<u8>>>(5)?.as_deref().map(rows::hash_from).transpose()?,
        size: row.get(6)?,
        shadow: row.get(7)?,
    }))
}

/// The memory that was last at this path and is nowhere now. A memory on its way to another path does not rest.
fn dormant_memory(
    connection: &Connection,
    store_row: i64,
    path_row: i64,
    moves: &Moves,
) -> Result<Option<Target>, LogError> {
    let mut query = connection.prepare_cached(
        "SELECT m.id, m.public, v.number, v.path_id
         FROM memory_paths mp
         JOIN memories m ON m.id = mp.memory_id
         JOIN versions v ON v.seq =
            (SELECT max(w.seq) FROM versions w WHERE w.memory_id = m.id AND w.happened_at IS NULL)
         WHERE mp.store_id = ?1 AND mp.path_id = ?2
           AND NOT EXISTS (SELECT 1 FROM live l WHERE l.memory_id = m.id)
         ORDER BY v.seq DESC",
    )?;
    let mut found = query.query([store_row, path_row])?;
    while let Some(row) = found.next()? {
        let memory_row = row.get(0)?;
        if row.get::<_, Option<i64>>(3)? == Some(path_row) && !moves.is_in_hand(memory_row) {
            let memory = rows::memory_id(&row.get::<_, Vec<u8>>(1)?)?;
            return Ok(Some(Target { memory_row, memory, versions: row.get(2)? }));
        }
    }
    Ok(None)
}

fn newest_blob_of(connection: &Connection, memory_row: i64) -> Result<Option<i64>, LogError> {
    Ok(connection
        .prepare_cached(
            "SELECT blob_id FROM versions WHERE memory_id = ?1 AND happened_at IS NULL AND blob_id IS NOT NULL
             ORDER BY seq DESC LIMIT 1",
        )?
        .query_row([memory_row], |row| row.get(0))
        .optional()?)
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "append";
    bytes_not_hash_size_given(path) => "{path}: the bytes do not have the hash and size given",
    bytes_too_many_keep(path, count) => "{path}: {count} bytes are too many to keep",
    operation_taken_back_already_operation(undone, by) => "operation {undone} is undone already, by operation {by}",
}
