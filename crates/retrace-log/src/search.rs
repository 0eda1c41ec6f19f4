//! Full-text search over live memories and over history.
//!
//! Both indexes hold folded words, never the text. `live_text` has the newest content of each live memory; `history_text`
//! has, for each version, the lines it brought in (those its predecessor did not have), so that history grows by what
//! changed and a hit is the version that introduced the words. What an index holds is a function of the log, so an entry
//! can always be taken out again by making the same words anew; a redaction does so before it masks.

mod words;

pub use words::Words;

use crate::read::VersionRow;
use crate::writer::last_version;
use crate::{LogError, Reader, Writer, blob};
use retrace_model::StoreId;
use rusqlite::{Connection, OptionalExtension as _, params};
use std::collections::{BTreeSet, HashSet};

/// One place where the words occur.
#[derive(Clone, Debug)]
pub struct SearchHit {
    /// The version.
    pub version: VersionRow,
    /// Line of the best match, from 1.
    pub line: usize,
    /// That line.
    pub text: String,
    /// Byte ranges of the words in it.
    pub matches: Vec<std::ops::Range<usize>>,
}

/// Versions indexed in one transaction while catching up in the background, so that others need not wait long.
const BATCH: u64 = 500;

impl Writer {
    /// Brings the index up to date by one batch; `false` when there was nothing left to do.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn index_some(&mut self) -> Result<bool, LogError> {
        if indexed(&self.connection)? >= last_version(&self.connection)? {
            return Ok(false);
        }
        let act = self.begin()?;
        let more = catch_up(&act.transaction, BATCH)?;
        act.commit()?;
        Ok(more)
    }
}

impl Reader<'_> {
    /// Whether every version is in the index.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn search_is_current(&self) -> Result<bool, LogError> {
        Ok(indexed(self.connection)? >= last_version(self.connection)?)
    }

    /// Live memories whose content holds every word, newest change first. At most `limit`.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn search_live(
        &self,
        words: &Words,
        store: Option<StoreId>,
        limit: usize,
    ) -> Result<Vec<SearchHit>, LogError> {
        let store = store.map(|store| crate::stores::row_of(self.connection, store)).transpose()?;
        let mut query = self.connection.prepare_cached(
            "SELECT l.version_seq FROM live_text t JOIN live l ON l.memory_id = t.rowid
             JOIN stores s ON s.id = l.store_id
             WHERE live_text MATCH ?1 AND (?2 IS NULL OR l.store_id = ?2) AND s.removed_at IS NULL
             ORDER BY l.version_seq DESC",
        )?;
        self.hits(query.query(params![words.query(), store])?, words, limit)
    }

    /// Versions that brought in lines holding every word, newest first. At most `limit`.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn search_history(
        &self,
        words: &Words,
        store: Option<StoreId>,
        limit: usize,
    ) -> Result<Vec<SearchHit>, LogError> {
        let store = store.map(|store| crate::stores::row_of(self.connection, store)).transpose()?;
        let mut query = self.connection.prepare_cached(
            "SELECT v.seq FROM history_text t JOIN versions v ON v.seq = t.rowid
             WHERE history_text MATCH ?1 AND (?2 IS NULL OR v.store_id = ?2) ORDER BY v.seq DESC",
        )?;
        self.hits(query.query(params![words.query(), store])?, words, limit)
    }

    fn hits(
        &self,
        mut rows: rusqlite::Rows<'_>,
        words: &Words,
        limit: usize,
    ) -> Result<Vec<SearchHit>, LogError> {
        let mut hits = Vec::new();
        if words.is_empty() {
            return Ok(hits);
        }
        while hits.len() < limit {
            let Some(row) = rows.next()? else { break };
            let version = self.version(row.get::<_, i64>(0)? as u64)?;
            let Ok(Some(content)) = self.content(&version) else { continue };
            let text = String::from_utf8_lossy(&content.bytes);
            if let Some((line, matches)) = words.best_line(&text) {
                let text = text.lines().nth(line).unwrap_or("").to_owned();
                hits.push(SearchHit { version, line: line + 1, text, matches });
            }
        }
        Ok(hits)
    }
}

/// Place of the newest version in the index.
fn indexed(connection: &Connection) -> Result<u64, LogError> {
    let seq: i64 = connection
        .prepare_cached("SELECT indexed_seq FROM search_state WHERE id = 1")?
        .query_row([], |row| row.get(0))?;
    Ok(seq as u64)
}

/// Indexes everything not yet indexed.
pub(crate) fn catch_up_all(connection: &Connection) -> Result<(), LogError> {
    while catch_up(connection, u64::MAX)? {}
    Ok(())
}

/// Indexes up to `most` versions; `true` when more are left.
fn catch_up(connection: &Connection, most: u64) -> Result<bool, LogError> {
    let (from, last) = (indexed(connection)?, last_version(connection)?);
    let to = last.min(from.saturating_add(most));
    let mut memories = BTreeSet::new();
    for seq in from + 1..=to {
        let Some(row) = indexable(connection, seq)? else { continue };
        if let Some(words) = history_words(connection, &row)? {
            connection
                .prepare_cached("INSERT INTO history_text (rowid, words) VALUES (?1, ?2)")?
                .execute(params![seq as i64, words])?;
        }
        memories.insert(row.memory);
    }
    for memory in memories {
        refresh_live(connection, memory)?;
    }
    connection
        .prepare_cached("UPDATE search_state SET indexed_seq = ?1 WHERE id = 1")?
        .execute([to as i64])?;
    Ok(to < last)
}

struct Indexable {
    seq: u64,
    memory: i64,
    blob: Option<i64>,
}

fn indexable(connection: &Connection, seq: u64) -> Result<Option<Indexable>, LogError> {
    Ok(connection
        .prepare_cached("SELECT memory_id, blob_id FROM versions WHERE seq = ?1")?
        .query_row([seq as i64], |row| Ok(Indexable { seq, memory: row.get(0)?, blob: row.get(1)? }))
        .optional()?)
}

/// The text of a content; `None` when it is not text, not kept or masked.
fn text_of(connection: &Connection, blob_row: Option<i64>) -> Result<Option<String>, LogError> {
    let Some(row) = blob_row else { return Ok(None) };
    let is_text: Option<bool> = connection
        .prepare_cached("SELECT is_text FROM blobs WHERE id = ?1 AND data IS NOT NULL")?
        .query_row([row], |found| found.get(0))
        .optional()?
        .flatten();
    if is_text != Some(true) {
        return Ok(None);
    }
    Ok(blob::read(connection, row)?.and_then(|bytes| String::from_utf8(bytes).ok()))
}

/// The words of the lines a version brought in; `None` when there are none.
fn history_words(connection: &Connection, row: &Indexable) -> Result<Option<String>, LogError> {
    let Some(text) = text_of(connection, row.blob)? else { return Ok(None) };
    let before: Option<Option<i64>> = connection
        .prepare_cached(
            "SELECT blob_id FROM versions WHERE memory_id = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT 1",
        )?
        .query_row([row.memory, row.seq as i64], |found| found.get(0))
        .optional()?;
    let before = text_of(connection, before.flatten())?.unwrap_or_default();
    let known: HashSet<&str> = before.lines().collect();
    let mut words = BTreeSet::new();
    for line in text.lines().filter(|line| !known.contains(line)) {
        words::split_into(line, &mut words);
    }
    Ok(words::joined(words))
}

fn live_words(connection: &Connection, blob_row: Option<i64>) -> Result<Option<String>, LogError> {
    let Some(text) = text_of(connection, blob_row)? else { return Ok(None) };
    let mut words = BTreeSet::new();
    text.lines().for_each(|line| words::split_into(line, &mut words));
    Ok(words::joined(words))
}

/// Makes the live index say what is live of one memory.
fn refresh_live(connection: &Connection, memory: i64) -> Result<(), LogError> {
    take_out_live(connection, memory)?;
    let head: Option<(i64, Option<i64>)> = connection
        .prepare_cached(
            "SELECT l.version_seq, v.blob_id FROM live l JOIN versions v ON v.seq = l.version_seq WHERE l.memory_id = ?1",
        )?
        .query_row([memory], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((seq, blob_row)) = head else { return Ok(()) };
    let Some(words) = live_words(connection, blob_row)? else { return Ok(()) };
    connection
        .prepare_cached("INSERT INTO live_text (rowid, words) VALUES (?1, ?2)")?
        .execute(params![memory, words])?;
    connection
        .prepare_cached("INSERT INTO search_live (memory_id, version_seq) VALUES (?1, ?2)")?
        .execute([memory, seq])?;
    Ok(())
}

fn take_out_live(connection: &Connection, memory: i64) -> Result<(), LogError> {
    let blob_row: Option<Option<i64>> = connection
        .prepare_cached(
            "SELECT v.blob_id FROM search_live x JOIN versions v ON v.seq = x.version_seq WHERE x.memory_id = ?1",
        )?
        .query_row([memory], |row| row.get(0))
        .optional()?;
    let Some(blob_row) = blob_row else { return Ok(()) };
    if let Some(words) = live_words(connection, blob_row)? {
        connection
            .prepare_cached("INSERT INTO live_text (live_text, rowid, words) VALUES ('delete', ?1, ?2)")?
            .execute(params![memory, words])?;
    }
    connection.prepare_cached("DELETE FROM search_live WHERE memory_id = ?1")?.execute([memory])?;
    Ok(())
}

/// What to index again once versions are masked.
pub(crate) struct Stale {
    history: Vec<u64>,
    memories: BTreeSet<i64>,
}

/// Takes versions about to be masked out of the indexes, and their successors, whose words depend on them.
pub(crate) fn take_out(connection: &Connection, versions: &[VersionRow]) -> Result<Stale, LogError> {
    let mut affected = BTreeSet::new();
    let mut memories = BTreeSet::new();
    for version in versions {
        affected.insert(version.id.seq);
        let next: Option<i64> = connection
            .prepare_cached(
                "SELECT min(seq) FROM versions WHERE memory_id = (SELECT memory_id FROM versions WHERE seq = ?1) AND seq > ?1",
            )?
            .query_row([version.id.seq as i64], |row| row.get(0))?;
        affected.extend(next.map(|seq| seq as u64));
    }
    for seq in &affected {
        let Some(row) = indexable(connection, *seq)? else { continue };
        if let Some(words) = history_words(connection, &row)? {
            connection
                .prepare_cached(
                    "INSERT INTO history_text (history_text, rowid, words) VALUES ('delete', ?1, ?2)",
                )?
                .execute(params![*seq as i64, words])?;
        }
        memories.insert(row.memory);
    }
    for memory in &memories {
        take_out_live(connection, *memory)?;
    }
    Ok(Stale { history: affected.into_iter().collect(), memories })
}

/// Indexes again what [`take_out`] took out, as far as it is still there, and writes the indexes anew so that no old
/// segment keeps a word.
pub(crate) fn put_back(connection: &Connection, stale: &Stale) -> Result<(), LogError> {
    for seq in &stale.history {
        let Some(row) = indexable(connection, *seq)? else { continue };
        if let Some(words) = history_words(connection, &row)? {
            connection
                .prepare_cached("INSERT INTO history_text (rowid, words) VALUES (?1, ?2)")?
                .execute(params![*seq as i64, words])?;
        }
    }
    for memory in &stale.memories {
        refresh_live(connection, *memory)?;
    }
    connection.execute_batch(
        "INSERT INTO history_text (history_text) VALUES ('optimize'); INSERT INTO live_text (live_text) VALUES ('optimize');",
    )?;
    Ok(())
}

/// What is wrong with the indexes, each in a sentence.
pub(crate) fn check(connection: &Connection) -> Result<Vec<String>, LogError> {
    let mut problems = Vec::new();
    for index in ["live_text", "history_text"] {
        let sql = format!("INSERT INTO {index} ({index}) VALUES ('integrity-check')");
        if let Err(error) = connection.execute(&sql, []) {
            problems.push(format!("the search index {index} is damaged: {error}"));
        }
    }
    Ok(problems)
}
