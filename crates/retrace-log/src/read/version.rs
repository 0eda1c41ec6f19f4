//! One version, its content and its place in the chain.

use crate::chain::{self, Leaf, Past};
use crate::origins::joined_actor;
use crate::rows::{self, ChangeKind, bound};
use crate::{LogError, Reader, blob};
use retrace_message::{AsMessage, Message};
use retrace_model::{
    Actor, MemoryId, ReceiptId, RelPath, Sha256, Source, StoreId, Timestamp, VersionId, VersionOperation,
};
use rusqlite::{Connection, Row};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Facts of a version's content, without the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentInfo {
    /// Hash of the raw bytes.
    pub sha256: Sha256,
    /// Their number.
    pub size: u64,
    /// True if it is UTF-8 without NUL bytes.
    pub is_text: bool,
    /// True if the bytes are kept; they are not when there were too many.
    pub kept: bool,
}

/// A content with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// Facts of the content.
    pub info: ContentInfo,
    /// The raw bytes.
    pub bytes: Vec<u8>,
}

/// Redaction of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction {
    /// The receipt.
    pub receipt: ReceiptId,
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub actor: Actor,
}

/// A rebuilt version whose content stood when its memory was first observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Older {
    /// Its place in the log.
    pub seq: u64,
    /// When it was written.
    pub at: Timestamp,
    /// Who made it.
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
    /// The how-manieth version of its memory it is, from 1; a rebuilt one among the rebuilt ones, in the order of the log.
    pub number: u64,
    /// Change.
    pub operation: VersionOperation,
    /// Path after it; `None` when redacted.
    pub path: Option<RelPath>,
    /// Path before it, when it moved the memory and both are known.
    pub previous_path: Option<RelPath>,
    /// Its content; `None` for deletions and redacted versions.
    pub content: Option<ContentInfo>,
    /// When it was recorded; of a rebuilt one, when it truly was; of a mirrored one, when it was at the host.
    pub created_at: Timestamp,
    /// When it was recorded, or rebuilt.
    pub recorded_at: Timestamp,
    /// True if it lies before what was observed, and was rebuilt from what others kept.
    pub rebuilt: bool,
    /// When it was written, where that was before it came to stand here: on a branch, or elsewhere.
    pub written_at: Option<Timestamp>,
    /// True if it is rebuilt and its operation was undone: lists leave it out.
    pub withdrawn: bool,
    /// Who: as recorded; where nobody was, the session that the join with the transcripts found, with how it is known; else
    /// whoever made the rebuilt version that had left exactly this.
    pub actor: Actor,
    /// Place of the version whose content, or deletion, a person's act put back with it, or left in part when it was redacted.
    /// [`Reader::written`] answers the one that brought it.
    pub put_back_of: Option<u64>,
    /// Cause.
    pub source: Source,
    /// Why, where a reason was given.
    pub note: Option<String>,
    /// Redaction, if it was redacted.
    pub redaction: Option<Redaction>,
    /// Where it is the first sight of a memory: the rebuilt version that had left exactly this.
    pub baseline_of: Option<Older>,
    pub(crate) blob_row: Option<i64>,
    /// The salted commitment to path and content, which stays when they are masked.
    pub(crate) commitment: Sha256,
}

impl VersionRow {
    /// True if this version, which is before another, was written elsewhere and came to stand together with it.
    #[must_use]
    pub fn came_with(&self, other: &Self) -> bool {
        self.rebuilt && other.rebuilt && self.written_at.is_some() && self.created_at == other.created_at
    }
}

/// The columns a leaf is made of, and what they are read from. More columns go before the FROM.
macro_rules! leaf_columns {
    () => {
        "SELECT v.seq, v.operation_seq, s.public, m.public, v.number, v.change, p.bytes, v.blob_id, b.sha256, b.size,
            b.salt, v.salt, v.commitment, o.created_at, v.happened_at, rb.note, rba.type, rba.name, rba.evidence"
    };
}
macro_rules! leaf_tables {
    () => {
        " FROM versions v
        JOIN operations o ON o.seq = v.operation_seq
        JOIN stores s ON s.id = v.store_id
        JOIN memories m ON m.id = v.memory_id
        LEFT JOIN paths p ON p.id = v.path_id
        LEFT JOIN blobs b ON b.id = v.blob_id
        LEFT JOIN rebuilt rb ON v.happened_at IS NOT NULL AND rb.version_seq = v.seq
        LEFT JOIN actors rba ON rba.id = rb.actor_id"
    };
}

/// Reads the versions from one place to another, as far as the chain covers them.
pub(crate) const LEAVES: &str = concat!(
    leaf_columns!(),
    ", rb.leaf AS kept_leaf, rb.written_at AS written",
    leaf_tables!(),
    " WHERE v.seq BETWEEN ?1 AND ?2 ORDER BY v.seq"
);

/// Reads whole versions; continued with a condition.
macro_rules! version_sql {
    ($condition:expr) => {
        concat!(
            crate::read::version::leaf_columns!(),
            ", o.source, o.note, a.type, a.name, a.evidence, b.is_text, b.encoding,
            r.public, r.created_at, ra.type, ra.name, ra.evidence,
            CASE WHEN v.change <> 4 THEN NULL
                WHEN v.happened_at IS NULL THEN (SELECT pp.bytes FROM versions w JOIN paths pp ON pp.id = w.path_id
                    WHERE w.seq = (SELECT max(x.seq) FROM versions x
                        WHERE x.memory_id = v.memory_id AND x.happened_at IS NULL AND x.seq < v.seq))
                ELSE (SELECT pp.bytes FROM versions w JOIN rebuilt x ON x.version_seq = w.seq
                    LEFT JOIN paths pp ON pp.id = w.path_id
                    WHERE w.memory_id = v.memory_id AND w.happened_at <= v.happened_at
                      AND (w.happened_at, w.seq) < (v.happened_at, v.seq) AND x.withdrawn = 0
                    ORDER BY w.happened_at DESC, w.seq DESC LIMIT 1) END,
            rb.withdrawn, og.session, og.confidence, mi.happened_at, pb.of_seq, rb.leaf AS kept_leaf,
            bw.seq, coalesce(bwr.written_at, bw.happened_at), bwa.type, bwa.name, bwa.evidence, rb.written_at AS written",
            crate::read::version::leaf_tables!(),
            "
            LEFT JOIN actors a ON a.id = o.actor_id
            LEFT JOIN redactions r ON r.id = v.redaction_id
            LEFT JOIN actors ra ON ra.id = r.actor_id
            LEFT JOIN origins og ON og.version_seq = v.seq AND og.rank = 0
            LEFT JOIN mirrored mi ON mi.version_seq = v.seq
            LEFT JOIN put_back pb ON pb.version_seq = v.seq
            LEFT JOIN versions bw ON v.number = 1 AND v.happened_at IS NULL
                AND bw.blob_id = v.blob_id AND bw.path_id = v.path_id
                AND bw.seq = (SELECT w.seq FROM versions w JOIN rebuilt x ON x.version_seq = w.seq
                    WHERE w.memory_id = v.memory_id AND w.happened_at IS NOT NULL AND x.withdrawn = 0
                    ORDER BY w.happened_at DESC, w.seq DESC LIMIT 1)
            LEFT JOIN rebuilt bwr ON bwr.version_seq = bw.seq
            LEFT JOIN actors bwa ON bwa.id = bwr.actor_id ",
            $condition
        )
    };
}
pub(crate) use {leaf_columns, leaf_tables, version_sql};

impl Reader<'_> {
    /// The version at a place in the log.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when there is none.
    pub fn version(&self, seq: u64) -> Result<VersionRow, LogError> {
        let mut query = self.connection.prepare_cached(version_sql!("WHERE v.seq = ?1"))?;
        let mut rows = query.query([bound(seq)])?;
        match rows.next()? {
            Some(row) => version_from(row),
            None => Err(LogError::NotFound { what: "version", name: seq.to_string() }),
        }
    }

    /// The version that brought what this one has: itself, unless a person's act put it back. Whoever asks who wrote a
    /// content asks of this one.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn written(&self, version: &VersionRow) -> Result<VersionRow, LogError> {
        let mut first = version.clone();
        // Each names an older one, so this ends: after two, unless what a redaction left was put back.
        while let Some(seq) = first.put_back_of.filter(|seq| *seq < first.id.seq) {
            first = self.version(seq)?;
        }
        Ok(first)
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

    /// The version of the same memory before this one: before the first observed one stand those that were rebuilt, in the
    /// order in which they happened. Withdrawn ones are passed over.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn version_before(&self, version: &VersionRow) -> Result<Option<VersionRow>, LogError> {
        if !version.rebuilt
            && let Some(before) = self.observed_before(version)?
        {
            return Ok(Some(before));
        }
        self.rebuilt_before(version)
    }

    /// The version of the same memory that was observed before this observed one; `None` for a rebuilt one.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn observed_before(&self, version: &VersionRow) -> Result<Option<VersionRow>, LogError> {
        if version.rebuilt {
            return Ok(None);
        }
        let seq: Option<u64> = self
            .connection
            .prepare_cached(
                "SELECT max(seq) FROM versions
                 WHERE memory_id = (SELECT memory_id FROM versions WHERE seq = ?1) AND happened_at IS NULL AND seq < ?1",
            )?
            .query_row([bound(version.id.seq)], |row| row.get(0))?;
        seq.map(|seq| self.version(seq)).transpose()
    }

    /// The raw bytes of a version; `None` for a deletion.
    ///
    /// # Errors
    /// [`LogError::Redacted`], [`LogError::NotKept`], [`LogError::Damaged`] when they do not have the recorded hash.
    pub fn content(&self, version: &VersionRow) -> Result<Option<Content>, LogError> {
        let Some((info, row)) = kept(version)? else { return Ok(None) };
        // Masked since the version was read.
        let bytes = blob::read(self.connection, row)?.ok_or(LogError::Redacted(version.id.seq))?;
        is_whole(version, &info, &bytes)?;
        Ok(Some(Content { info, bytes }))
    }

    /// The contents of a few versions that are asked for more than once, such as the two sides of a change.
    #[must_use]
    pub fn recent(&self) -> Recent<'_> {
        Recent { connection: self.connection, known: RefCell::default() }
    }

    /// The newest version of any memory with exactly this content, where the log has one.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn version_with_content(&self, sha256: &Sha256) -> Result<Option<VersionRow>, LogError> {
        let Some(blob_row) = blob::find(self.connection, sha256)? else { return Ok(None) };
        let seq: Option<u64> = self
            .connection
            .prepare_cached("SELECT max(seq) FROM versions WHERE blob_id = ?1 AND redaction_id IS NULL")?
            .query_row([blob_row], |row| row.get(0))?;
        seq.map(|seq| self.version(seq)).transpose()
    }
}

/// What a version's content is and where it lies; `None` for a deletion.
fn kept(version: &VersionRow) -> Result<Option<(ContentInfo, i64)>, LogError> {
    if version.redaction.is_some() {
        return Err(LogError::Redacted(version.id.seq));
    }
    let Some((info, row)) = version.content.zip(version.blob_row) else { return Ok(None) };
    if info.kept { Ok(Some((info, row))) } else { Err(LogError::NotKept(version.id.seq)) }
}

fn is_whole(version: &VersionRow, info: &ContentInfo, bytes: &[u8]) -> Result<(), LogError> {
    if Sha256::of(bytes) == info.sha256 {
        return Ok(());
    }
    Err(LogError::Damaged(say::content_version_another_hash(version.id.seq)))
}

/// Contents that [`Recent`] remembers.
const MOST_RECENT: usize = 4;

/// Reads the contents of versions and remembers the last few: what is asked for again is not unpacked again, and what leans on one
/// of them is unpacked from there.
pub struct Recent<'c> {
    connection: &'c Connection,
    known: RefCell<VecDeque<(i64, Rc<Vec<u8>>)>>,
}

impl Recent<'_> {
    /// As [`Reader::content`].
    ///
    /// # Errors
    /// As [`Reader::content`].
    pub fn content(&self, version: &VersionRow) -> Result<Option<Rc<Vec<u8>>>, LogError> {
        let Some((info, row)) = kept(version)? else { return Ok(None) };
        let known = |at: i64| {
            let known = self.known.borrow();
            known.iter().find(|(row, _)| *row == at).map(|(_, bytes)| Rc::clone(bytes))
        };
        if let Some(bytes) = known(row) {
            return Ok(Some(bytes));
        }
        let bytes =
            blob::read_knowing(self.connection, row, known)?.ok_or(LogError::Redacted(version.id.seq))?;
        is_whole(version, &info, &bytes)?;
        let mut known = self.known.borrow_mut();
        known.truncate(MOST_RECENT - 1);
        known.push_front((row, Rc::clone(&bytes)));
        Ok(Some(bytes))
    }
}

/// Reads an actor from three columns: type, name, evidence.
pub(super) fn actor_at(row: &Row<'_>, first: usize) -> Result<Actor, LogError> {
    let Some(kind) = row.get::<_, Option<String>>(first)? else { return Ok(Actor::Unknown) };
    Ok(chain::actor_from_fields(&kind, row.get(first + 1)?, &row.get::<_, String>(first + 2)?))
}

pub(super) fn source_from(word: &str) -> Result<Source, LogError> {
    word.parse().map_err(|error: retrace_model::UnknownWord| LogError::Damaged(error.message()))
}

/// A version as far as the chain covers it.
pub(crate) struct LeafRow {
    pub leaf: Leaf,
    /// The leaf hash from before its note or its writer was redacted.
    pub kept: Option<Sha256>,
    pub number: u64,
    pub kind: ChangeKind,
    pub path: Option<RelPath>,
    pub blob_row: Option<i64>,
    pub content: Option<(Sha256, u64)>,
}

impl LeafRow {
    /// The hash that the chain covers and the version's id is made from.
    pub(crate) fn hash(&self) -> Sha256 {
        self.kept.unwrap_or_else(|| self.leaf.hash())
    }
}

/// Reads the first columns of [`LEAVES`] and [`version_sql`], `kept_leaf` and `written`.
pub(crate) fn leaf_from(row: &Row<'_>) -> Result<LeafRow, LogError> {
    let blob_of = |column: usize| -> Result<Option<&[u8]>, LogError> {
        Ok(row.get_ref(column)?.as_blob_or_null().map_err(rusqlite::Error::from)?)
    };
    let seq: u64 = row.get(0)?;
    let damaged = |what: Message| LogError::Damaged(say::version(seq, what));
    let kind = ChangeKind::from_number(row.get(5)?).ok_or_else(|| damaged(say::unknown_operation()))?;
    let path = blob_of(6)?.map(|bytes| rows::path_from(bytes.to_vec())).transpose()?;
    let blob_row: Option<i64> = row.get(7)?;
    let sha256 = blob_of(8)?.map(rows::hash_from).transpose()?;
    let content = sha256.zip(row.get(9)?);
    let commitment = match (blob_of(12)?, &path) {
        (Some(kept), None) => rows::hash_from(kept)?,
        (None, Some(path)) => {
            let salt = blob_of(if blob_row.is_some() { 10 } else { 11 })?;
            let salt = salt.ok_or_else(|| damaged(say::no_salt()))?;
            let commitment =
                chain::commitment(salt, path, content.as_ref().map(|(sha256, size)| (sha256, *size)));
            chain::noted(commitment, row.get_ref(15)?.as_str_or_null().map_err(rusqlite::Error::from)?)
        }
        _ => return Err(damaged(say::half_masked())),
    };
    let past = match row.get::<_, Option<i64>>(14)? {
        None => None,
        Some(micros) => Some(Past {
            happened_at: Timestamp::from_micros(micros),
            actor: actor_at(row, 16)?,
            written_at: row.get::<_, Option<i64>>("written")?.map(Timestamp::from_micros),
        }),
    };
    // Asked for by its name: more columns stand between, and observed versions have none.
    let kept = match &past {
        None => None,
        Some(_) => row.get::<_, Option<Vec<u8>>>("kept_leaf")?.as_deref().map(rows::hash_from).transpose()?,
    };
    let leaf = Leaf {
        seq,
        operation_seq: row.get(1)?,
        store: rows::store_id(blob_of(2)?.unwrap_or_default())?,
        memory: rows::memory_id(blob_of(3)?.unwrap_or_default())?,
        change: kind.operation(),
        created_at: Timestamp::from_micros(row.get(13)?),
        commitment,
        past,
    };
    Ok(LeafRow { leaf, kept, number: row.get(4)?, kind, path, blob_row, content })
}

/// Reads one row of [`version_sql`].
pub(crate) fn version_from(row: &Row<'_>) -> Result<VersionRow, LogError> {
    let row_of_leaf = leaf_from(row)?;
    let hash = row_of_leaf.hash();
    let LeafRow { leaf, number, path, blob_row, content, .. } = row_of_leaf;
    let redaction = match row.get::<_, Option<Vec<u8>>>(26)? {
        None => None,
        Some(receipt) => Some(Redaction {
            receipt: ReceiptId(
                receipt.try_into().map_err(|_| LogError::Damaged(say::version_bad_receipt_id(leaf.seq)))?,
            ),
            at: Timestamp::from_micros(row.get(27)?),
            actor: actor_at(row, 28)?,
        }),
    };
    let content = match (content, &redaction) {
        (Some((sha256, size)), None) => Some(ContentInfo {
            sha256,
            size,
            is_text: row.get::<_, Option<bool>>(24)?.unwrap_or(false),
            kept: row.get::<_, i64>(25)? != blob::NOT_KEPT,
        }),
        _ => None,
    };
    let baseline_of = match row.get::<_, Option<u64>>(38)? {
        None => None,
        Some(seq) => Some(Older { seq, at: Timestamp::from_micros(row.get(39)?), actor: actor_at(row, 40)? }),
    };
    Ok(VersionRow {
        id: VersionId::new(leaf.seq, &hash),
        operation_seq: leaf.operation_seq,
        store: leaf.store,
        memory: leaf.memory,
        number,
        operation: leaf.change,
        path,
        previous_path: row.get::<_, Option<Vec<u8>>>(31)?.map(rows::path_from).transpose()?,
        content,
        created_at: match &leaf.past {
            Some(past) => past.happened_at,
            None => row.get::<_, Option<i64>>(35)?.map_or(leaf.created_at, Timestamp::from_micros),
        },
        recorded_at: leaf.created_at,
        rebuilt: leaf.past.is_some(),
        written_at: leaf.past.as_ref().and_then(|past| past.written_at),
        withdrawn: row.get::<_, Option<bool>>(32)?.unwrap_or(false),
        put_back_of: row.get(36)?,
        source: source_from(row.get_ref(19)?.as_str().map_err(rusqlite::Error::from)?)?,
        note: if leaf.past.is_some() { row.get(15)? } else { row.get(20)? },
        actor: match leaf.past {
            Some(past) => past.actor,
            None => match actor_at(row, 21)? {
                Actor::Unknown => match joined_actor(
                    row.get(33)?,
                    row.get_ref(34)?.as_str_or_null().map_err(rusqlite::Error::from)?,
                ) {
                    // Content from before recording is by whoever made it then.
                    Actor::Unknown => {
                        baseline_of.as_ref().map_or(Actor::Unknown, |older| older.actor.clone())
                    }
                    joined => joined,
                },
                recorded => recorded,
            },
        },
        redaction,
        baseline_of,
        blob_row,
        commitment: leaf.commitment,
    })
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "version";
    content_version_another_hash(seq) => "the content of version {seq} has another hash",
    version(seq, what) => "version {seq} {what}",
    unknown_operation() => "has an unknown operation",
    no_salt() => "has no salt",
    half_masked() => "is half masked",
    version_bad_receipt_id(seq) => "version {seq} has a bad receipt id",
}
