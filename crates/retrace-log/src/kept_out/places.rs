//! The places of redacted versions of the past: which version of an import is one that was redacted.
//!
//! A content with a tag is known again wherever it stands. One of fewer than twelve bytes, a deletion, and a content that other
//! versions keep are known by their place alone: store, time, path, and whether the file went. The path goes with the redaction, so a
//! code of the place under the key stays, for each version by itself. Where a path holds a text too short for a tag, no code of it is
//! kept, and neither was one by programs before this; then the time decides, among what the content does not rule out.

use super::{SHORTEST, Tagging, Tags};
use crate::append::PastVersion;
use crate::rows::{self, ChangeKind};
use crate::{LogError, VersionRow};
use retrace_model::{MemoryId, RelPath, Sha256, StoreId, Timestamp, VersionOperation};
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};

/// What becomes of an imported version.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It was not redacted here.
    ComesIn,
    /// It was redacted, and that version is withdrawn: a marker comes in.
    Masked,
    /// It is in the log, redacted: a version of this memory, by row and id.
    IsThere(i64, MemoryId),
    /// It may have been redacted, and its path with it.
    StaysOut,
}

/// Redacted versions of the past of a store.
pub(crate) struct Places {
    store: StoreId,
    /// By the time at which they happened.
    redacted: BTreeMap<i64, Vec<Redacted>>,
}

struct Redacted {
    seq: u64,
    memory_row: i64,
    memory: MemoryId,
    is_withdrawn: bool,
    was: Was,
    /// The code of its place is kept.
    has_place: bool,
}

/// What is known of the content of a redacted version.
enum Was {
    Deletion,
    /// It is another version's too, and that one keeps it.
    Kept(Sha256),
    /// It left a tag.
    Tagged,
    /// It may have been too short for a tag.
    Untagged,
    /// Its redaction left no tags at all.
    Unknown,
}

impl Places {
    pub(crate) fn of(connection: &Connection, store: StoreId, tags: &Tags) -> Result<Self, LogError> {
        let store_row = rows::store_row(connection, store)?;
        let mut query = connection.prepare_cached(
            "SELECT v.happened_at, v.seq, v.memory_id, m.public, r.withdrawn, v.change, b.sha256, v.redaction_id
             FROM rebuilt r JOIN versions v ON v.seq = r.version_seq JOIN memories m ON m.id = v.memory_id
             LEFT JOIN blobs b ON b.id = v.blob_id
             WHERE v.redaction_id IS NOT NULL AND v.store_id = ?1 ORDER BY v.seq",
        )?;
        let mut found = query.query([store_row])?;
        let mut redacted: BTreeMap<i64, Vec<Redacted>> = BTreeMap::new();
        let mut left: BTreeMap<i64, Left> = BTreeMap::new();
        while let Some(row) = found.next()? {
            let seq = row.get(1)?;
            let kept: Option<Vec<u8>> = row.get(6)?;
            let redaction: i64 = row.get(7)?;
            let left_by = match left.get(&redaction) {
                Some(known) => *known,
                None => {
                    let counted = tags_left(connection, redaction)?;
                    left.insert(redaction, counted);
                    counted
                }
            };
            let was = match kept.as_deref().map(rows::hash_from).transpose()? {
                _ if row.get::<_, i64>(5)? == ChangeKind::Deleted.number() => Was::Deletion,
                Some(sha256) => Was::Kept(sha256),
                None if left_by.tags == 0 => Was::Unknown,
                None if left_by.of_contents >= left_by.contents => Was::Tagged,
                None => Was::Untagged,
            };
            redacted.entry(row.get(0)?).or_default().push(Redacted {
                seq,
                memory_row: row.get(2)?,
                memory: rows::memory_id(row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?)?,
                is_withdrawn: row.get(4)?,
                was,
                has_place: tags.is_place(&of_version(store, seq)),
            });
        }
        Ok(Self { store, redacted })
    }

    /// True if nothing was redacted.
    pub(crate) fn is_empty(&self) -> bool {
        self.redacted.is_empty()
    }

    /// What becomes of a version. `holds_redacted`: its content holds what has a tag.
    pub(crate) fn fate(
        &self,
        connection: &Connection,
        tags: &Tags,
        version: &PastVersion,
        holds_redacted: bool,
    ) -> Result<Fate, LogError> {
        let Some(redacted) = self.redacted.get(&version.at.micros()) else { return Ok(Fate::ComesIn) };
        let place = |seq| code(self.store, seq, version.at, version.content.is_none(), &version.path);
        let is_it = |known: &&Redacted| {
            known.may_be(version, holds_redacted) && (!known.has_place || tags.is_place(&place(known.seq)))
        };
        let found: Vec<&Redacted> = redacted.iter().filter(is_it).collect();
        Ok(if found.is_empty() {
            Fate::ComesIn
        } else if let Some(known) = found.iter().find(|known| !known.is_withdrawn) {
            Fate::IsThere(known.memory_row, known.memory)
        } else if found.iter().any(|known| known.has_place)
            // A path that the log knows is no secret.
            || (holds_redacted && rows::path_row(connection, &version.path)?.is_some())
        {
            Fate::Masked
        } else {
            Fate::StaysOut
        })
    }
}

impl crate::Reader<'_> {
    /// True if the contents of these redacted versions of the past are known again wherever they stand, each by a tag of its own.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn are_known_by_tags(
        &self,
        store: StoreId,
        seqs: &BTreeSet<u64>,
        tags: &Tags,
    ) -> Result<bool, LogError> {
        let places = Places::of(self.connection, store, tags)?;
        let known = places.redacted.values().flatten().filter(|known| matches!(known.was, Was::Tagged));
        let known: BTreeSet<u64> = known.map(|known| known.seq).collect();
        Ok(tags.lost() == 0 && seqs.is_subset(&known))
    }
}

impl Redacted {
    /// False where the content says that it is another one.
    fn may_be(&self, version: &PastVersion, holds_redacted: bool) -> bool {
        let Some(content) = &version.content else { return matches!(self.was, Was::Deletion) };
        match &self.was {
            Was::Deletion => false,
            Was::Kept(sha256) => Sha256::of(content) == *sha256,
            Was::Tagged if !self.has_place => holds_redacted,
            // With its place known, a content that is too short for a tag is told from none.
            Was::Tagged | Was::Untagged => holds_redacted || content.len() < SHORTEST,
            Was::Unknown => !self.has_place || holds_redacted || content.len() < SHORTEST,
        }
    }
}

/// What a redaction left.
#[derive(Clone, Copy)]
struct Left {
    /// Contents it took out of the log.
    contents: u64,
    /// Tags of contents.
    of_contents: u64,
    /// Tags of contents and texts.
    tags: u64,
}

fn tags_left(connection: &Connection, redaction: i64) -> Result<Left, LogError> {
    Ok(connection
        .prepare_cached(
            "SELECT (SELECT count(DISTINCT v.blob_id) FROM versions v JOIN blobs b ON b.id = v.blob_id
                     WHERE v.redaction_id = ?1 AND b.sha256 IS NULL),
                count(*) FILTER (WHERE size IS NULL), count(*)
             FROM redaction_tags WHERE redaction_id = ?1 AND NOT anew",
        )?
        .query_row([redaction], |row| {
            Ok(Left { contents: row.get(0)?, of_contents: row.get(1)?, tags: row.get(2)? })
        })?)
}

/// Keeps the code of the place of a version of the past that is masked. `short`: texts that no code may be kept of.
pub(crate) fn tag_place(
    connection: &Connection,
    tagging: &Tagging,
    version: &VersionRow,
    short: &[Vec<u8>],
) -> Result<(), LogError> {
    let Some(path) = version.path.as_ref().filter(|_| version.rebuilt) else { return Ok(()) };
    let holds = |text: &Vec<u8>| path.as_bytes().windows(text.len().max(1)).any(|part| part == text);
    if short.iter().any(holds) {
        return Ok(());
    }
    let (seq, is_deletion) = (version.id.seq, version.operation == VersionOperation::Deleted);
    for place in
        [of_version(version.store, seq), code(version.store, seq, version.created_at, is_deletion, path)]
    {
        super::insert_place(connection, tagging, &tagging.key.place_code(&place))?;
    }
    Ok(())
}

/// Says that the code of the place of a version is kept. Part of the format.
fn of_version(store: StoreId, seq: u64) -> Vec<u8> {
    [&store.0[..], &seq.to_be_bytes()].concat()
}

/// What the code of a place is made of. Part of the format.
fn code(store: StoreId, seq: u64, at: Timestamp, is_deletion: bool, path: &RelPath) -> Vec<u8> {
    let at = at.micros().to_be_bytes();
    [&of_version(store, seq)[..], &at, &[u8::from(is_deletion)], path.as_bytes()].concat()
}
