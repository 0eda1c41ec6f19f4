//! Reviews: what people say they know of the memories, and which memories changed since.
//!
//! An act of review names memories, and for each the version up to which the person knows it. The newest version named by
//! an act that nobody took back, or the store's baseline where that is newer, is the memory's mark; a memory whose newest
//! version lies behind its mark is unreviewed. Marks are a person's own. Nothing is updated: taking an act back is another
//! act. The table of unreviewed memories is derived, and kept current here and by appending.

use crate::chain::actor_fields;
use crate::rows::{self, bound};
use crate::writer::Act;
use crate::{LogError, Reader};
pub use retrace_model::records::ReviewedVersion;
use retrace_model::{Actor, MemoryId, Sha256, StoreId, Timestamp, Verdict};
use rusqlite::{Connection, OptionalExtension as _, params};
use sha2::{Digest as _, Sha256 as Hasher};
use std::collections::{BTreeMap, HashMap};

/// The reviewer that stands for everybody who has reviewed nothing yet.
pub(crate) const ANYBODY: i64 = 0;

/// Digest before the first act of review.
pub(crate) const GENESIS: Sha256 = Sha256([0; 32]);

/// An act of review to append.
#[derive(Clone, Debug)]
pub struct NewReview<'a> {
    /// Who decided. [`Actor::Unknown`] cannot.
    pub person: &'a Actor,
    /// Decision; [`Verdict::Undone`] is for [`Act::undo_review`] alone.
    pub verdict: Verdict,
    /// When.
    pub at: Timestamp,
    /// Why, where a reason was given.
    pub note: Option<&'a str>,
    /// The operation that was appended with it: of a rollback, of an edited text.
    pub operation_seq: Option<u64>,
    /// About which memories; each once.
    pub reviewed_versions: Vec<ReviewedVersion>,
}

impl Act<'_> {
    /// Appends an act of review; answers its number.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown memory, version or operation; [`LogError::Invalid`] for an unknown person, no
    /// memory or one that is named twice, and versions that are another memory's or in the wrong order.
    pub fn review(&mut self, new: NewReview<'_>) -> Result<u64, LogError> {
        if new.verdict == Verdict::Undone {
            return Err(LogError::Invalid(say::act_review_taken_back_naming()));
        }
        if new.reviewed_versions.is_empty() {
            return Err(LogError::Invalid(say::act_review_about_memory()));
        }
        self.whole(|act| {
            let note = new.note.map(|note| act.clean(note)).transpose()?;
            let new = NewReview { note: note.as_deref(), ..new };
            let connection: &Connection = &act.transaction;
            let memories = checked(connection, &new.reviewed_versions)?;
            if let Some(seq) = new.operation_seq {
                act.reader().operation(seq)?;
            }
            let seq = append(connection, &new, None)?;
            refresh(connection, new.person, &memories)?;
            Ok(seq)
        })
    }

    /// Takes an act of review back, so that it does not count any more; answers the number of the act that does so.
    ///
    /// # Errors
    /// [`LogError::NotFound`] when there is none; [`LogError::Invalid`] when it is another person's, is taken back already,
    /// or takes one back itself.
    pub fn undo_review(
        &mut self,
        person: &Actor,
        seq: u64,
        at: Timestamp,
        operation_seq: Option<u64>,
    ) -> Result<u64, LogError> {
        self.whole(|act| {
            let undone = act.reader().review_act(seq)?;
            if undone.person != *person {
                return Err(LogError::Invalid(say::review_another_persons(seq)));
            }
            if undone.verdict == Verdict::Undone {
                return Err(LogError::Invalid(say::review_takes_another_one_back(seq)));
            }
            if let Some(by) = undone.undone_by {
                return Err(LogError::Invalid(say::review_taken_back_already_2(seq, by)));
            }
            let connection: &Connection = &act.transaction;
            let new = NewReview {
                person,
                verdict: Verdict::Undone,
                at,
                note: None,
                operation_seq,
                reviewed_versions: Vec::new(),
            };
            let memories = memories_of(connection, seq)?;
            let by = append(connection, &new, Some(seq))?;
            refresh(connection, person, &memories)?;
            Ok(by)
        })
    }
}

/// Rows of the memories that are reviewed, in the order given.
fn checked(connection: &Connection, reviewed_versions: &[ReviewedVersion]) -> Result<Vec<i64>, LogError> {
    // A rebuilt version is not reviewed, so that it is no version to be named here.
    let mut query =
        connection.prepare_cached("SELECT memory_id FROM versions WHERE seq = ?1 AND happened_at IS NULL")?;
    let mut memory_of = |seq: u64| -> Result<i64, LogError> {
        let found = query.query_row([bound(seq)], |row| row.get(0)).optional()?;
        found.ok_or_else(|| LogError::NotFound { what: "version", name: seq.to_string() })
    };
    reviewed_versions
        .iter()
        .map(|reviewed_version| {
            let row = rows::memory_row(connection, reviewed_version.memory)?;
            let ReviewedVersion { memory, reviewed_seq, through } = *reviewed_version;
            if memory_of(reviewed_seq)? != row || memory_of(through)? != row {
                return Err(LogError::Invalid(say::not_version_or(memory, reviewed_seq, through)));
            }
            if reviewed_seq > through {
                return Err(LogError::Invalid(say::version_newer_than(reviewed_seq, through)));
            }
            Ok(row)
        })
        .collect()
}

fn memories_of(connection: &Connection, act: u64) -> Result<Vec<i64>, LogError> {
    let mut query = connection.prepare_cached("SELECT memory_id FROM reviews WHERE act_seq = ?1")?;
    let rows = query.query_map([bound(act)], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Writes an act of review down; answers its number.
fn append(connection: &Connection, new: &NewReview<'_>, undoes: Option<u64>) -> Result<u64, LogError> {
    let (previous, last) = head(connection)?;
    let seq = last + 1;
    let actor = rows::intern_actor(connection, new.person)?
        .ok_or_else(|| LogError::Invalid(say::nobody_knows_who_reviews()))?;
    let link = Link {
        seq,
        person: new.person,
        verdict: new.verdict,
        at: new.at,
        note: new.note,
        operation_seq: new.operation_seq,
        undoes,
    };
    let mut digest = link.begin(&previous);
    new.reviewed_versions.iter().for_each(|reviewed_version| add_to(&mut digest, reviewed_version));
    connection
        .prepare_cached(
            "INSERT INTO review_acts (seq, actor_id, verdict, created_at, note, operation_seq, undoes, digest)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            seq,
            actor,
            new.verdict.as_str(),
            new.at.micros(),
            new.note,
            new.operation_seq,
            undoes,
            &digest.finalize()[..],
        ])?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO reviews (act_seq, memory_id, judged_seq, through_seq)
         VALUES (?1, (SELECT id FROM memories WHERE public = ?2), ?3, ?4)",
    )?;
    let mut named = std::collections::BTreeSet::new();
    for reviewed_version in &new.reviewed_versions {
        if !named.insert(reviewed_version.memory) {
            return Err(LogError::Invalid(say::named_twice(reviewed_version.memory)));
        }
        insert.execute(params![
            seq,
            &reviewed_version.memory.0[..],
            reviewed_version.reviewed_seq,
            reviewed_version.through
        ])?;
    }
    Ok(seq)
}

/// Digest and number of the newest act of review.
pub(crate) fn head(connection: &Connection) -> Result<(Sha256, u64), LogError> {
    let found: Option<(u64, Vec<u8>)> = connection
        .prepare_cached("SELECT seq, digest FROM review_acts ORDER BY seq DESC LIMIT 1")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match found {
        None => Ok((GENESIS, 0)),
        Some((seq, digest)) => Ok((rows::hash_from(&digest)?, seq)),
    }
}

/// An act of review, without the versions it reviews.
pub(crate) struct Link<'a> {
    pub(crate) seq: u64,
    pub(crate) person: &'a Actor,
    pub(crate) verdict: Verdict,
    pub(crate) at: Timestamp,
    pub(crate) note: Option<&'a str>,
    pub(crate) operation_seq: Option<u64>,
    pub(crate) undoes: Option<u64>,
}

impl Link<'_> {
    /// Begins the digest of an act, which covers the act before it; the reviewed versions follow in their order.
    pub(crate) fn begin(&self, previous: &Sha256) -> Hasher {
        let mut hasher = Hasher::new();
        hasher.update(b"retrace.review.1\0");
        hasher.update(previous.0);
        hasher.update(self.seq.to_be_bytes());
        let (kind, name, evidence) = actor_fields(self.person);
        for text in [kind, name, evidence, self.verdict.as_str()] {
            field(&mut hasher, text);
        }
        hasher.update(self.at.micros().to_be_bytes());
        match self.note {
            None => hasher.update([0]),
            Some(note) => {
                hasher.update([1]);
                field(&mut hasher, note);
            }
        }
        hasher.update(self.operation_seq.unwrap_or(0).to_be_bytes());
        hasher.update(self.undoes.unwrap_or(0).to_be_bytes());
        hasher
    }
}

fn field(hasher: &mut Hasher, text: &str) {
    hasher.update((text.len() as u64).to_be_bytes());
    hasher.update(text);
}

/// Adds a reviewed version to the digest of its act.
pub(crate) fn add_to(hasher: &mut Hasher, reviewed_version: &ReviewedVersion) {
    hasher.update(reviewed_version.memory.0);
    hasher.update(reviewed_version.reviewed_seq.to_be_bytes());
    hasher.update(reviewed_version.through.to_be_bytes());
}

/// The reviewer that a person is: their own row once they reviewed anything, [`ANYBODY`] before.
pub(crate) fn reviewer(connection: &Connection, person: &Actor) -> Result<i64, LogError> {
    let (kind, name, evidence) = actor_fields(person);
    let found: Option<i64> = connection
        .prepare_cached(
            "SELECT r.id FROM actors a JOIN reviewers r ON r.id = a.id
             WHERE a.type = ?1 AND a.name = ?2 AND a.evidence = ?3",
        )?
        .query_row([kind, name, evidence], |row| row.get(0))
        .optional()?;
    Ok(found.unwrap_or(ANYBODY))
}

/// Brings the derived table up to date for one person and the memories they reviewed.
fn refresh(connection: &Connection, person: &Actor, memories: &[i64]) -> Result<(), LogError> {
    let Some(id) = rows::intern_actor(connection, person)? else { return Ok(()) };
    let new =
        connection.prepare_cached("INSERT OR IGNORE INTO reviewers (id) VALUES (?1)")?.execute([id])? > 0;
    if new {
        connection
            .prepare_cached(
                "INSERT INTO unreviewed
                 SELECT ?1, memory_id, store_id, base_seq, newest_seq, operation_seq, writer_id, at
                 FROM unreviewed WHERE reviewer_id = 0",
            )?
            .execute([id])?;
    }
    let mut baselines = HashMap::new();
    for memory in memories {
        refresh_memory(connection, id, *memory, &mut baselines)?;
    }
    Ok(())
}

fn refresh_memory(
    connection: &Connection,
    reviewer: i64,
    memory: i64,
    baselines: &mut HashMap<i64, u64>,
) -> Result<(), LogError> {
    let (store, newest): (i64, u64) = connection
        .prepare_cached(
            "SELECT m.store_id,
                (SELECT max(v.seq) FROM versions v WHERE v.memory_id = m.id AND v.happened_at IS NULL)
             FROM memories m WHERE m.id = ?1",
        )?
        .query_row([memory], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let baseline = match baselines.get(&store) {
        Some(known) => *known,
        None => *baselines.entry(store).or_insert(last_of_baseline(connection, store)?),
    };
    let base = mark(connection, reviewer, memory, baseline)?;
    if base >= newest {
        connection
            .prepare_cached("DELETE FROM unreviewed WHERE reviewer_id = ?1 AND memory_id = ?2")?
            .execute([reviewer, memory])?;
        return Ok(());
    }
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO unreviewed
             SELECT ?1, ?2, v.store_id, ?3, v.seq, v.operation_seq, o.actor_id, o.created_at
             FROM versions v JOIN operations o ON o.seq = v.operation_seq WHERE v.seq = ?4",
        )?
        .execute(params![reviewer, memory, base, newest])?;
    Ok(())
}

/// Place of the last version of a store's baseline; 0 when it has none.
pub(crate) fn last_of_baseline(connection: &Connection, store: i64) -> Result<u64, LogError> {
    let last: Option<u64> = connection
        .prepare_cached(
            "SELECT v.seq FROM versions v WHERE v.store_id = ?1 ORDER BY v.seq
             LIMIT (SELECT baseline > 0 FROM stores WHERE id = ?1)
             OFFSET (SELECT max(baseline - 1, 0) FROM stores WHERE id = ?1)",
        )?
        .query_row([store], |row| row.get(0))
        .optional()?;
    Ok(last.unwrap_or(0))
}

/// The newest version of a memory that a reviewer knows; 0 for none. `baseline` is the last version of its store's baseline.
pub(crate) fn mark(
    connection: &Connection,
    reviewer: i64,
    memory: i64,
    baseline: u64,
) -> Result<u64, LogError> {
    let (known, reviewed): (Option<u64>, Option<u64>) = connection
        .prepare_cached(
            "SELECT (SELECT max(v.seq) FROM versions v
                    WHERE v.memory_id = ?2 AND v.happened_at IS NULL AND v.seq <= ?3),
                (SELECT max(r.through_seq) FROM reviews r JOIN review_acts a ON a.seq = r.act_seq
                 WHERE r.memory_id = ?2 AND a.actor_id = ?1
                   AND NOT EXISTS (SELECT 1 FROM review_acts u WHERE u.undoes = a.seq))",
        )?
        .query_row(params![reviewer, memory, bound(baseline)], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(known.unwrap_or(0).max(reviewed.unwrap_or(0)))
}

/// An operation that was just appended.
pub(crate) struct News {
    /// Place of its first version.
    pub(crate) first_version: u64,
    /// Its number.
    pub(crate) operation: u64,
    /// Row of its actor.
    pub(crate) writer: Option<i64>,
    /// Its time.
    pub(crate) at: Timestamp,
}

/// Takes note for every reviewer that memories changed: store and newest version by row of the memory.
pub(crate) fn reopen(
    connection: &Connection,
    newest: &BTreeMap<i64, (i64, u64)>,
    news: &News,
) -> Result<(), LogError> {
    let mut upsert = connection.prepare_cached(
        "INSERT INTO unreviewed
         SELECT r.id, ?1, ?2,
            coalesce((SELECT max(v.seq) FROM versions v
                      WHERE v.memory_id = ?1 AND v.happened_at IS NULL AND v.seq < ?3), 0),
            ?4, ?5, ?6, ?7
         FROM reviewers r WHERE true
         ON CONFLICT (reviewer_id, memory_id) DO UPDATE SET newest_seq = excluded.newest_seq,
            operation_seq = excluded.operation_seq, writer_id = excluded.writer_id, at = excluded.at",
    )?;
    for (memory, (store, seq)) in newest {
        upsert.execute(params![
            memory,
            store,
            news.first_version,
            seq,
            news.operation,
            news.writer,
            news.at.micros()
        ])?;
    }
    Ok(())
}

/// Says that everybody knows all there is of a store: its baseline was taken.
pub(crate) fn know_all_of(connection: &Connection, store: StoreId) -> Result<(), LogError> {
    connection
        .prepare_cached("DELETE FROM unreviewed WHERE store_id = (SELECT id FROM stores WHERE public = ?1)")?
        .execute([&store.0[..]])?;
    Ok(())
}

impl Reader<'_> {
    /// The newest version of a memory that a person knows, by review or because it was in the store's baseline.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown memory, or a failure of the database.
    pub fn known_through(&self, person: &Actor, memory: MemoryId) -> Result<Option<u64>, LogError> {
        let row = rows::memory_row(self.connection, memory)?;
        let store = rows::store_row(self.connection, self.store_of(memory)?)?;
        let baseline = last_of_baseline(self.connection, store)?;
        let known = mark(self.connection, reviewer(self.connection, person)?, row, baseline)?;
        Ok((known > 0).then_some(known))
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "review";
    act_review_taken_back_naming() => "an act of review is undone by naming it",
    act_review_about_memory() => "an act of review is about a memory",
    review_another_persons(seq) => "review {seq} is another person's",
    review_takes_another_one_back(seq) => "review {seq} undoes another one",
    review_taken_back_already_2(seq, by) => "review {seq} is undone already, by {by}",
    not_version_or(memory, reviewed_seq, through) => "{memory} does not have version {reviewed_seq} or {through}",
    version_newer_than(reviewed_seq, through) => "version {reviewed_seq} is newer than {through}",
    nobody_knows_who_reviews() => "nobody knows who reviews",
    named_twice(memory) => "{memory} is named twice",
}
