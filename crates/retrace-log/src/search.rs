//! Full-text search over live memories and over history.
//!
//! Both indexes hold folded words, never the text. `live_text` has the newest content of each live memory; `history_text`
//! has, for each version, the lines it brought in (those its predecessor did not have), so that history grows by what
//! changed and a hit is the version that introduced the words. The predecessor here is the observed version before, and of a
//! rebuilt version the one before in its own operation: what comes to stand between two versions later does not change what
//! the index holds of them. Where the true predecessor has all that was found, the hit is left out. What an index holds
//! is a function of the log, so an entry can always be taken out again by making the same words anew; a redaction does
//! so before it masks.
//!
//! The indexes follow the log at a distance: appending does not wait for them. `search_state` says how far they are, and
//! `search_live` which version of a memory the live index holds.

mod index;

pub(crate) use index::{check, put_back, take_out, write_anew};

use crate::{KeptLines, LogError, Reader, VersionRow, Writer, rows};
use retrace_model::{StoreId, Words};
use rusqlite::params;
use std::collections::HashSet;

/// One place where the words occur.
#[derive(Clone, Debug)]
pub struct SearchHit {
    /// The version.
    pub version: VersionRow,
    /// Line of the best match, from 1.
    pub line: usize,
    /// Text of that line.
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
        if self.reader().search_is_current()? {
            return Ok(false);
        }
        let act = self.begin()?;
        let more = index::catch_up(&act.transaction, BATCH)?;
        act.commit()?;
        Ok(more)
    }
}

impl Reader<'_> {
    /// True if every version is in the index.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn search_is_current(&self) -> Result<bool, LogError> {
        Ok(index::indexed(self.connection)? >= rows::last_version(self.connection)?)
    }

    /// The newest version in the index; what it has not yet follows.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn indexed_through(&self) -> Result<u64, LogError> {
        index::indexed(self.connection)
    }

    /// Live memories whose content holds every word, newest change first. At most `limit`.
    ///
    /// # Errors
    /// A failure of the database, [`LogError::Damaged`] when a content does not read.
    pub fn search_live(
        &self,
        words: &Words,
        store: Option<StoreId>,
        limit: usize,
    ) -> Result<Vec<SearchHit>, LogError> {
        let store = store.map(|store| rows::store_row(self.connection, store)).transpose()?;
        let mut query = self.connection.prepare_cached(
            "SELECT l.version_seq FROM live_text t JOIN live l ON l.memory_id = t.rowid
             JOIN stores s ON s.id = l.store_id
             WHERE live_text MATCH ?1 AND (?2 IS NULL OR l.store_id = ?2) AND s.removed_at IS NULL
             ORDER BY l.version_seq DESC",
        )?;
        if words.is_empty() {
            return Ok(Vec::new());
        }
        self.hits(query.query(params![words.query(), store])?, words, limit, false)
    }

    /// Versions that brought in lines holding every word, newest first, rebuilt ones after the observed ones. At most
    /// `limit`.
    ///
    /// # Errors
    /// A failure of the database, [`LogError::Damaged`] when a content does not read.
    pub fn search_history(
        &self,
        words: &Words,
        store: Option<StoreId>,
        limit: usize,
    ) -> Result<Vec<SearchHit>, LogError> {
        let store = store.map(|store| rows::store_row(self.connection, store)).transpose()?;
        // By the rowid of the index, which walks backwards by itself; by the version's own place, SQLite would sort all.
        let mut query = self.connection.prepare_cached(
            "SELECT v.seq FROM history_text t CROSS JOIN versions v ON v.seq = t.rowid
             WHERE history_text MATCH ?1 AND (?2 IS NULL OR v.store_id = ?2) AND v.happened_at IS NULL
             ORDER BY t.rowid DESC",
        )?;
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let mut hits = self.hits(query.query(params![words.query(), store])?, words, limit, true)?;
        if hits.len() < limit && self.has_rebuilt()? {
            let mut query = self.connection.prepare_cached(
                "SELECT v.seq FROM history_text t CROSS JOIN versions v ON v.seq = t.rowid
                 JOIN rebuilt r ON r.version_seq = v.seq AND r.withdrawn = 0
                 WHERE history_text MATCH ?1 AND (?2 IS NULL OR v.store_id = ?2)
                 ORDER BY v.happened_at DESC, v.seq DESC",
            )?;
            let found = query.query(params![words.query(), store])?;
            hits.extend(self.hits(found, words, limit - hits.len(), true)?);
        }
        Ok(hits)
    }

    /// Shows where the words stand in the versions found; `brought_in` looks only at lines new in the version.
    fn hits(
        &self,
        mut found: rusqlite::Rows<'_>,
        words: &Words,
        limit: usize,
        brought_in: bool,
    ) -> Result<Vec<SearchHit>, LogError> {
        let mut hits = Vec::new();
        while hits.len() < limit {
            let Some(row) = found.next()? else { break };
            let version = self.version(row.get(0)?)?;
            let Some(text) = self.text_of(&version)? else { continue };
            let mut before = String::new();
            if brought_in {
                let both = [self.version_before(&version)?, self.stood_before(&version)?];
                for row in both.iter().flatten() {
                    before.push_str(&self.text_of(row)?.unwrap_or_default());
                    before.push('\n');
                }
            }
            let known: HashSet<&str> = before.lines().collect();
            let told = if brought_in { self.told_of_lines(&version)? } else { Vec::new() };
            let is_new = |at: usize, line: &str| {
                let run = told.partition_point(|run| run.first as usize <= at).checked_sub(1);
                let run = run.map(|run| told[run]).filter(|run| at < (run.first + run.lines) as usize);
                run.map_or_else(|| !known.contains(line), |run| run.of_first.is_none())
            };
            let lines = text.lines().enumerate().filter(|(at, line)| is_new(*at, line));
            // The index may lag behind what is live now.
            let Some((line, matches)) = words.best_line(lines) else { continue };
            let shown = text.lines().nth(line).unwrap_or("").to_owned();
            hits.push(SearchHit { version, line: line + 1, text: shown, matches });
        }
        Ok(hits)
    }

    /// What is told of where lines of a rebuilt version came from, as far as those versions stand.
    fn told_of_lines(&self, version: &VersionRow) -> Result<Vec<KeptLines>, LogError> {
        let mut told = if version.rebuilt { self.kept_lines(version.id.seq)? } else { Vec::new() };
        let mut withdrawn = HashSet::new();
        for run in &told {
            if self.version(run.of)?.withdrawn {
                withdrawn.insert(run.of);
            }
        }
        told.retain(|run| !withdrawn.contains(&run.of));
        Ok(told)
    }

    /// The text of a version; `None` when it has none to show.
    fn text_of(&self, version: &VersionRow) -> Result<Option<String>, LogError> {
        match self.content(version) {
            Ok(content) => Ok(content
                .filter(|content| content.info.is_text)
                .and_then(|content| String::from_utf8(content.bytes).ok())),
            Err(LogError::Redacted(_) | LogError::NotKept(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
