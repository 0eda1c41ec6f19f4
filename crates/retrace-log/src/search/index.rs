//! Contents of the two indexes, and how they are kept so.

use crate::rows::last_version;
use crate::{LogError, VersionRow, blob};
use retrace_message::Message;
use retrace_model::joined_words;
use rusqlite::{Connection, OptionalExtension as _, params};
use std::collections::{BTreeSet, HashSet};

/// Place of the newest version in the index.
pub(super) fn indexed(connection: &Connection) -> Result<u64, LogError> {
    Ok(connection
        .prepare_cached("SELECT indexed_seq FROM search_state WHERE id = 1")?
        .query_row([], |row| row.get(0))?)
}

/// Indexes up to `most` versions; `true` when more are left.
pub(super) fn catch_up(connection: &Connection, most: u64) -> Result<bool, LogError> {
    let (from, last) = (indexed(connection)?, last_version(connection)?);
    let to = last.min(from.saturating_add(most));
    let mut contents = Contents(blob::Pass::new(connection));
    let mut memories = BTreeSet::new();
    for seq in from + 1..=to {
        let Some(version) = indexable(connection, seq)? else { continue };
        put_in_history(&mut contents, &version)?;
        memories.insert(version.memory);
    }
    for memory in memories {
        refresh_live(&mut contents, memory, to)?;
    }
    connection.prepare_cached("UPDATE search_state SET indexed_seq = ?1 WHERE id = 1")?.execute([to])?;
    Ok(to < last)
}

/// A version as far as the indexes care.
struct Indexable {
    seq: u64,
    memory: i64,
    blob: Option<i64>,
    /// Its operation, where it is a rebuilt version.
    rebuilt_by: Option<u64>,
}

fn indexable(connection: &Connection, seq: u64) -> Result<Option<Indexable>, LogError> {
    Ok(connection
        .prepare_cached(
            "SELECT memory_id, CASE WHEN redaction_id IS NULL THEN blob_id END,
                CASE WHEN happened_at IS NOT NULL THEN operation_seq END
             FROM versions WHERE seq = ?1",
        )?
        .query_row([seq], |row| {
            Ok(Indexable { seq, memory: row.get(0)?, blob: row.get(1)?, rebuilt_by: row.get(2)? })
        })
        .optional()?)
}

/// The contents of the log, read one after another.
struct Contents<'c>(blob::Pass<'c>);

impl Contents<'_> {
    fn connection(&self) -> &Connection {
        self.0.connection()
    }

    /// The text of a content; `None` when it is not text, not kept or masked.
    fn text_of(&mut self, blob_row: Option<i64>) -> Result<Option<String>, LogError> {
        let Some(row) = blob_row else { return Ok(None) };
        let is_text: Option<bool> = self
            .connection()
            .prepare_cached("SELECT is_text FROM blobs WHERE id = ?1 AND data IS NOT NULL")?
            .query_row([row], |found| found.get(0))
            .optional()?
            .flatten();
        if is_text != Some(true) {
            return Ok(None);
        }
        let bytes = self.0.read(row)?;
        Ok(bytes.and_then(|bytes| std::str::from_utf8(&bytes).ok().map(str::to_owned)))
    }

    /// The words of the lines a version brought in; `None` when there are none.
    fn words_brought_in(&mut self, version: &Indexable) -> Result<Option<String>, LogError> {
        let Some(text) = self.text_of(version.blob)? else { return Ok(None) };
        let before: Option<Option<i64>> = self
            .connection()
            .prepare_cached(
                "SELECT CASE WHEN redaction_id IS NULL THEN blob_id END FROM versions
                 WHERE memory_id = ?1 AND seq < ?2
                   AND CASE WHEN ?3 IS NULL THEN happened_at IS NULL ELSE operation_seq = ?3 END
                 ORDER BY seq DESC LIMIT 1",
            )?
            .query_row(params![version.memory, version.seq, version.rebuilt_by], |found| found.get(0))
            .optional()?;
        let before = self.text_of(before.flatten())?.unwrap_or_default();
        let known: HashSet<&str> = before.lines().collect();
        Ok(joined_words(text.lines().filter(|line| !known.contains(line))))
    }

    fn all_words(&mut self, blob_row: Option<i64>) -> Result<Option<String>, LogError> {
        Ok(self.text_of(blob_row)?.and_then(|text| joined_words(text.lines())))
    }
}

fn put_in_history(contents: &mut Contents<'_>, version: &Indexable) -> Result<(), LogError> {
    if let Some(words) = contents.words_brought_in(version)? {
        contents
            .connection()
            .prepare_cached("INSERT INTO history_text (rowid, words) VALUES (?1, ?2)")?
            .execute(params![version.seq, words])?;
    }
    Ok(())
}

fn take_out_of_history(contents: &mut Contents<'_>, version: &Indexable) -> Result<(), LogError> {
    if let Some(words) = contents.words_brought_in(version)? {
        contents
            .connection()
            .prepare_cached(
                "INSERT INTO history_text (history_text, rowid, words) VALUES ('delete', ?1, ?2)",
            )?
            .execute(params![version.seq, words])?;
    }
    Ok(())
}

/// Makes the live index say what is live of one memory. A memory that has changed again after version `last` is left to
/// the batch that comes to that change, so that catching up indexes each memory once.
fn refresh_live(contents: &mut Contents<'_>, memory: i64, last: u64) -> Result<(), LogError> {
    let head: Option<(u64, Option<i64>)> = contents
        .connection()
        .prepare_cached(
            "SELECT l.version_seq, v.blob_id FROM live l JOIN versions v ON v.seq = l.version_seq WHERE l.memory_id = ?1",
        )?
        .query_row([memory], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    if head.is_some_and(|(seq, _)| seq > last) {
        return Ok(());
    }
    take_out_of_live(contents, memory)?;
    let Some((seq, blob_row)) = head else { return Ok(()) };
    let Some(words) = contents.all_words(blob_row)? else { return Ok(()) };
    let connection = contents.connection();
    connection
        .prepare_cached("INSERT INTO live_text (rowid, words) VALUES (?1, ?2)")?
        .execute(params![memory, words])?;
    connection
        .prepare_cached("INSERT INTO search_live (memory_id, version_seq) VALUES (?1, ?2)")?
        .execute(params![memory, seq])?;
    Ok(())
}

fn take_out_of_live(contents: &mut Contents<'_>, memory: i64) -> Result<(), LogError> {
    let blob_row: Option<Option<i64>> = contents
        .connection()
        .prepare_cached(
            "SELECT v.blob_id FROM search_live x JOIN versions v ON v.seq = x.version_seq WHERE x.memory_id = ?1",
        )?
        .query_row([memory], |row| row.get(0))
        .optional()?;
    let Some(blob_row) = blob_row else { return Ok(()) };
    let words = contents.all_words(blob_row)?;
    let connection = contents.connection();
    if let Some(words) = words {
        connection
            .prepare_cached("INSERT INTO live_text (live_text, rowid, words) VALUES ('delete', ?1, ?2)")?
            .execute(params![memory, words])?;
    }
    connection.prepare_cached("DELETE FROM search_live WHERE memory_id = ?1")?.execute([memory])?;
    Ok(())
}

/// Entries to index again once versions are masked.
pub(crate) struct Stale {
    history: BTreeSet<u64>,
    memories: BTreeSet<i64>,
}

/// Takes versions about to be masked out of the indexes, and their successors, whose words depend on them. What is not
/// indexed yet is left to be indexed later, as it is then.
pub(crate) fn take_out(connection: &Connection, versions: &[VersionRow]) -> Result<Stale, LogError> {
    let indexed = indexed(connection)?;
    let mut stale = Stale { history: BTreeSet::new(), memories: BTreeSet::new() };
    for version in versions {
        let next: Option<u64> = connection
            .prepare_cached(
                "SELECT min(n.seq) FROM versions v JOIN versions n ON n.memory_id = v.memory_id AND n.seq > v.seq
                   AND CASE WHEN v.happened_at IS NULL THEN n.happened_at IS NULL
                            ELSE n.operation_seq = v.operation_seq END
                 WHERE v.seq = ?1",
            )?
            .query_row([version.id.seq], |row| row.get(0))?;
        let affected = next.into_iter().chain([version.id.seq]);
        stale.history.extend(affected.filter(|seq| *seq <= indexed));
    }
    let mut contents = Contents(blob::Pass::new(connection));
    for seq in &stale.history {
        let Some(version) = indexable(connection, *seq)? else { continue };
        take_out_of_history(&mut contents, &version)?;
        stale.memories.insert(version.memory);
    }
    for memory in &stale.memories {
        take_out_of_live(&mut contents, *memory)?;
    }
    Ok(stale)
}

/// Indexes again what [`take_out`] took out, as far as it is still there.
pub(crate) fn put_back(connection: &Connection, stale: &Stale) -> Result<(), LogError> {
    let indexed = indexed(connection)?;
    let mut contents = Contents(blob::Pass::new(connection));
    for seq in &stale.history {
        let Some(version) = indexable(connection, *seq)? else { continue };
        put_in_history(&mut contents, &version)?;
    }
    for memory in &stale.memories {
        refresh_live(&mut contents, *memory, indexed)?;
    }
    Ok(())
}

/// Writes both indexes anew, so that nothing is left of what was taken out of them: neither entries that only say that
/// an older one no longer counts, nor parts of words that only show the way. An index of a single segment is left as it
/// is, and holds nothing of the sort: taking out makes another segment, and merging all into one drops both sides.
pub(crate) fn write_anew(connection: &Connection) -> Result<(), LogError> {
    for index in ["live_text", "history_text"] {
        connection.execute_batch(&format!("INSERT INTO {index} ({index}) VALUES ('optimize')"))?;
    }
    Ok(())
}

/// Problems of the indexes, each in a sentence.
pub(crate) fn check(connection: &Connection) -> Result<Vec<Message>, LogError> {
    let mut problems = Vec::new();
    for index in ["live_text", "history_text"] {
        let sql = format!("INSERT INTO {index} ({index}) VALUES ('integrity-check')");
        match connection.execute(&sql, []).map_err(LogError::from) {
            Ok(_) => {}
            Err(LogError::Damaged(why)) => {
                problems.push(say::search_index_damaged(index, why));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(problems)
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "index";
    search_index_damaged(index, why) => "the search index {index} is damaged: {why}",
}
