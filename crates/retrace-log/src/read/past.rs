//! Rebuilt versions, and states of a store at a time, which may lie before anything was observed.

use super::version::{version_from, version_sql};
use super::{ActivityMark, MemoryAt, VersionRow};
use crate::rows::{self, bound};
use crate::{LogError, Reader};
use retrace_model::{MemoryId, RelPath, Source, StoreId, Timestamp, VersionOperation};
use rusqlite::{Connection, OptionalExtension as _, params};
use std::collections::{HashMap, HashSet};

/// The operation at the root of a row of undoings that ends with `seq`, and how many undoings lie between.
pub(crate) fn root_of_undoing(connection: &Connection, seq: u64) -> Result<(u64, u64), LogError> {
    let (mut root, mut depth) = (seq, 0);
    let mut query = connection.prepare_cached("SELECT undoes FROM operations WHERE seq = ?1")?;
    // An operation undoes an earlier one, so this ends.
    while let Some(undone) =
        query.query_row([bound(root)], |row| row.get::<_, Option<u64>>(0)).optional()?.flatten()
        && undone < root
    {
        (root, depth) = (undone, depth + 1);
    }
    Ok((root, depth))
}

impl Reader<'_> {
    /// True if the log has any rebuilt version.
    pub(crate) fn has_rebuilt(&self) -> Result<bool, LogError> {
        Ok(self
            .connection
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM rebuilt)")?
            .query_row([], |row| row.get(0))?)
    }

    /// The time at which a rebuilt version happened; `None` for an observed one and where there is none.
    pub(crate) fn happened_at(&self, seq: u64) -> Result<Option<i64>, LogError> {
        Ok(self
            .connection
            .prepare_cached("SELECT happened_at FROM versions WHERE seq = ?1")?
            .query_row([bound(seq)], |row| row.get(0))
            .optional()?
            .flatten())
    }

    /// True if an operation brought rebuilt versions, or takes one back that did.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn is_rebuilding(&self, operation: u64) -> Result<bool, LogError> {
        let (root, _) = root_of_undoing(self.connection, operation)?;
        Ok(self
            .connection
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM operations o JOIN versions v ON v.seq = o.first_version
                 WHERE o.seq = ?1 AND v.operation_seq = ?1 AND v.happened_at IS NOT NULL)",
            )?
            .query_row([bound(root)], |row| row.get(0))?)
    }

    /// The row of undoings that begins with the undoing of an operation, the oldest first: each undoes the one before.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn undoings_of(&self, operation: u64) -> Result<Vec<u64>, LogError> {
        let mut query = self.connection.prepare_cached("SELECT seq FROM operations WHERE undoes = ?1")?;
        let mut undoings = Vec::new();
        let mut undone = operation;
        // An operation is undone by a later one, so this ends.
        while let Some(by) = query.query_row([bound(undone)], |row| row.get(0)).optional()? {
            undoings.push(by);
            undone = by;
        }
        Ok(undoings)
    }

    /// Operations that brought rebuilt versions of a store and are undone: the log does not list those versions.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn withdrawn_imports(&self, store: StoreId) -> Result<Vec<u64>, LogError> {
        let store_row = rows::store_row(self.connection, store)?;
        let mut query = self.connection.prepare_cached(
            "SELECT DISTINCT v.operation_seq FROM rebuilt r JOIN versions v ON v.seq = r.version_seq
             WHERE r.withdrawn = 1 AND v.store_id = ?1 ORDER BY v.operation_seq",
        )?;
        let found = query.query_map([store_row], |row| row.get(0))?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// Operations that brought in what git kept of a store and still count, the oldest first.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn git_imports(&self, store: StoreId) -> Result<Vec<u64>, LogError> {
        let store_row = rows::store_row(self.connection, store)?;
        let mut query = self.connection.prepare_cached(
            "SELECT g.operation_seq FROM git_imports g JOIN operations o ON o.seq = g.operation_seq
             JOIN rebuilt r ON r.version_seq = o.first_version
             WHERE g.replaced_for IS NULL AND o.store_id = ?1 AND r.withdrawn = 0 ORDER BY g.operation_seq",
        )?;
        let found = query.query_map([store_row], |row| row.get(0))?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// The undoings that an import of what git kept made of earlier ones, the oldest first.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn replaced_for(&self, import: u64) -> Result<Vec<u64>, LogError> {
        let mut query = self.connection.prepare_cached(
            "SELECT operation_seq FROM git_imports WHERE replaced_for = ?1 ORDER BY operation_seq",
        )?;
        let found = query.query_map([bound(import)], |row| row.get(0))?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// The rebuilt version before a version of the same memory; every rebuilt one is before every observed one.
    pub(crate) fn rebuilt_before(&self, version: &VersionRow) -> Result<Option<VersionRow>, LogError> {
        let (at, seq) = if version.rebuilt {
            (version.created_at.micros(), bound(version.id.seq))
        } else {
            (i64::MAX, i64::MAX)
        };
        let found: Option<u64> = self
            .connection
            .prepare_cached(
                "SELECT v.seq FROM versions v JOIN rebuilt r ON r.version_seq = v.seq
                 WHERE v.memory_id = (SELECT memory_id FROM versions WHERE seq = ?1)
                   AND v.happened_at <= ?2 AND (v.happened_at, v.seq) < (?2, ?3) AND r.withdrawn = 0
                 ORDER BY v.happened_at DESC, v.seq DESC LIMIT 1",
            )?
            .query_row(params![bound(version.id.seq), at, seq], |row| row.get(0))
            .optional()?;
        found.map(|seq| self.version(seq)).transpose()
    }

    /// Beside the version before it, what the lines of a version may come from: where it came to stand together with
    /// others, as a merge does with what was written on the branch, the version that stood before all of them.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn stood_before(&self, version: &VersionRow) -> Result<Option<VersionRow>, LogError> {
        let mut before = self.version_before(version)?;
        let mut came_together = false;
        while let Some(row) = before.take_if(|row| row.came_with(version)) {
            came_together = true;
            before = self.version_before(&row)?;
        }
        Ok(before.filter(|_| came_together))
    }

    /// The how-manieth version of its memory a version is in the order in which things happened, from 1, and how many the
    /// memory has. Withdrawn ones are not counted; one of them has the place it had.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn place_in_memory(&self, version: &VersionRow) -> Result<(u64, u64), LogError> {
        let (rebuilt, observed): (u64, u64) = self
            .connection
            .prepare_cached(
                "SELECT (SELECT count(*) FROM versions v JOIN rebuilt r ON r.version_seq = v.seq
                         WHERE v.memory_id = m.id AND v.happened_at IS NOT NULL AND r.withdrawn = 0),
                    (SELECT count(*) FROM versions v WHERE v.memory_id = m.id AND v.happened_at IS NULL)
                 FROM memories m WHERE m.public = ?1",
            )?
            .query_row([&version.memory.0[..]], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if !version.rebuilt {
            return Ok((rebuilt + version.number, rebuilt + observed));
        }
        let before: u64 = self
            .connection
            .prepare_cached(
                "SELECT count(*) FROM versions v JOIN rebuilt r ON r.version_seq = v.seq
                 WHERE v.memory_id = (SELECT memory_id FROM versions WHERE seq = ?1)
                   AND v.happened_at <= ?2 AND (v.happened_at, v.seq) < (?2, ?1) AND r.withdrawn = 0",
            )?
            .query_row(params![bound(version.id.seq), version.created_at.micros()], |row| row.get(0))?;
        Ok((before + 1, rebuilt + observed))
    }

    /// Adds to each memory how many rebuilt versions it has.
    pub(super) fn count_rebuilt(&self, store_row: i64, memories: &mut [MemoryAt]) -> Result<(), LogError> {
        if !self.has_rebuilt()? {
            return Ok(());
        }
        let mut query = self.connection.prepare_cached(
            "SELECT m.public, count(*) FROM rebuilt r JOIN versions v ON v.seq = r.version_seq
             JOIN memories m ON m.id = v.memory_id
             WHERE v.store_id = ?1 AND r.withdrawn = 0 GROUP BY m.id",
        )?;
        let mut found = query.query([store_row])?;
        let mut counts: HashMap<MemoryId, u64> = HashMap::new();
        while let Some(row) = found.next()? {
            let memory = rows::memory_id(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?)?;
            counts.insert(memory, row.get(1)?);
        }
        for memory in memories.iter_mut().filter(|memory| !memory.version.rebuilt) {
            memory.versions += counts.get(&memory.version.memory).copied().unwrap_or(0);
        }
        Ok(())
    }

    /// From when on a store's state is recorded, as the operation and its time: with the last version of its baseline, or from
    /// the beginning where the directory was empty then.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn recorded_since(&self, store: StoreId) -> Result<(u64, Timestamp), LogError> {
        let store_row = rows::store_row(self.connection, store)?;
        let last = crate::review::last_of_baseline(self.connection, store_row)?;
        if last > 0 {
            let operation = self.operation(self.version(last)?.operation_seq)?;
            return Ok((operation.seq, operation.created_at));
        }
        let created_at = self.store(store)?.created_at;
        Ok((self.operation_at(created_at)?, created_at))
    }

    /// True if a change of a store was observed by an instant, by the clock of then, after its baseline. A clock that was ahead
    /// when recording began says nothing of what was recorded since.
    ///
    /// # Errors
    /// As [`Reader::recorded_since`].
    pub fn is_observed_by(&self, store: StoreId, at: Timestamp) -> Result<bool, LogError> {
        let store_row = rows::store_row(self.connection, store)?;
        let baseline = match crate::review::last_of_baseline(self.connection, store_row)? {
            0 => 0,
            last => self.version(last)?.operation_seq,
        };
        Ok(self
            .connection
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM versions v JOIN operations o ON o.seq = v.operation_seq
                 WHERE v.store_id = ?1 AND v.happened_at IS NULL AND o.seq > ?2 AND o.created_at <= ?3)",
            )?
            .query_row(params![store_row, baseline, at.micros()], |row| row.get(0))?)
    }

    /// The last version of a store's baseline; 0 where it has none. What was created until then may be older than its version.
    ///
    /// # Errors
    /// As [`Reader::recorded_since`].
    pub fn last_of_baseline(&self, store: StoreId) -> Result<u64, LogError> {
        let store = rows::store_row(self.connection, store)?;
        crate::review::last_of_baseline(self.connection, store)
    }

    /// The memories of a store at a time, by path: what was observed by then, and of memories that were not, what was
    /// rebuilt. Of several versions of one instant the last one counts. A path holds one file: where several sources tell of
    /// one, the last thing that happened there decides, also where it is that the file went.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn memories_at_time(&self, store: StoreId, at: Timestamp) -> Result<Vec<MemoryAt>, LogError> {
        let operation = self.operation_of_store_at(store, at)?;
        let mut memories = self.memories_at(store, Some(operation))?;
        if !self.has_rebuilt()? {
            return Ok(memories);
        }
        let last = rows::last_version_of(self.connection, operation)?;
        let store_row = rows::store_row(self.connection, store)?;
        let mut query = self.connection.prepare_cached(version_sql!(
            "WHERE v.seq IN (SELECT version_seq FROM rebuilt WHERE withdrawn = 0)
               AND v.store_id = ?1 AND v.happened_at <= ?2
               AND NOT EXISTS (SELECT 1 FROM versions w
                    WHERE w.memory_id = v.memory_id AND w.happened_at IS NULL AND w.seq <= ?3)
               AND v.happened_at >= ?4
             ORDER BY v.happened_at, v.seq"
        ))?;
        let from = self.rebuilt_counts_from(store_row, at)?;
        let mut found = query.query(params![store_row, at.micros(), bound(last), from])?;
        let mut newest: HashMap<MemoryId, MemoryAt> = HashMap::new();
        let mut held: HashMap<RelPath, (MemoryId, Timestamp)> = HashMap::new();
        while let Some(row) = found.next()? {
            let version = version_from(row)?;
            let (memory, at) = (version.memory, version.created_at);
            let before = newest.get(&memory);
            let stood = before.filter(|before| before.version.operation != VersionOperation::Deleted);
            if let Some(left) = stood.and_then(|before| before.path.as_ref())
                && (version.operation == VersionOperation::Deleted || version.path.as_ref() != Some(left))
                // What came there at the same instant came after it went.
                && held.get(left).is_some_and(|(holder, since)| *holder == memory || *since < at)
            {
                held.remove(left);
            }
            if version.operation != VersionOperation::Deleted
                && let Some(path) = &version.path
            {
                held.insert(path.clone(), (memory, at));
            }
            let versions = before.map_or(0, |known| known.versions) + 1;
            newest.insert(memory, MemoryAt { path: version.path.clone(), versions, version });
        }
        let observed: HashSet<RelPath> = memories.iter().filter_map(|memory| memory.path.clone()).collect();
        let stands = |memory: &MemoryAt| {
            memory.version.operation != VersionOperation::Deleted
                && memory.path.as_ref().is_none_or(|path| {
                    !observed.contains(path)
                        && held.get(path).is_some_and(|(holder, _)| *holder == memory.version.memory)
                })
        };
        memories.extend(newest.into_values().filter(stands));
        memories.sort_by(|a, b| (&a.path, a.version.id.seq).cmp(&(&b.path, b.version.id.seq)));
        Ok(memories)
    }

    /// The newest version of whatever was at a path of a store at a time, rebuilt ones included; `None` when nothing was
    /// there.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn version_at_time(
        &self,
        store: StoreId,
        path: &RelPath,
        at: Timestamp,
    ) -> Result<Option<VersionRow>, LogError> {
        let operation = self.operation_of_store_at(store, at)?;
        let observed = self.version_at(store, path, Some(operation))?;
        if observed.is_some() || !self.has_rebuilt()? {
            return Ok(observed);
        }
        let last = rows::last_version_of(self.connection, operation)?;
        let store_row = rows::store_row(self.connection, store)?;
        let seq: Option<u64> = self
            .connection
            .prepare_cached(
                "SELECT v.seq FROM paths p
                 JOIN memory_paths mp ON mp.store_id = ?1 AND mp.path_id = p.id
                 JOIN versions v ON v.seq = (SELECT x.seq FROM versions x JOIN rebuilt r ON r.version_seq = x.seq
                    WHERE x.memory_id = mp.memory_id AND x.happened_at BETWEEN ?5 AND ?3 AND r.withdrawn = 0
                    ORDER BY x.happened_at DESC, x.seq DESC LIMIT 1)
                 WHERE p.bytes = ?2 AND v.path_id = p.id AND v.change <> 3
                   AND NOT EXISTS (SELECT 1 FROM versions w
                        WHERE w.memory_id = mp.memory_id AND w.happened_at IS NULL AND w.seq <= ?4)
                   AND NOT EXISTS (SELECT 1 FROM memory_paths om
                        JOIN versions c ON c.memory_id = om.memory_id AND c.path_id = p.id AND c.change <> 3
                            AND c.happened_at BETWEEN ?5 AND ?3
                            AND (c.happened_at, c.seq) > (v.happened_at, v.seq)
                        JOIN rebuilt cr ON cr.version_seq = c.seq AND cr.withdrawn = 0
                        WHERE om.store_id = ?1 AND om.path_id = p.id AND om.memory_id <> mp.memory_id)
                   AND NOT EXISTS (SELECT 1 FROM memory_paths om
                        JOIN versions g ON g.memory_id = om.memory_id AND g.happened_at > v.happened_at
                            AND g.happened_at BETWEEN ?5 AND ?3 AND (g.change = 3 OR g.path_id IS NOT p.id)
                        JOIN rebuilt gr ON gr.version_seq = g.seq AND gr.withdrawn = 0
                        JOIN versions b ON b.seq = (SELECT x.seq FROM versions x JOIN rebuilt r ON r.version_seq = x.seq
                            WHERE x.memory_id = om.memory_id AND x.happened_at BETWEEN ?5 AND g.happened_at
                              AND (x.happened_at, x.seq) < (g.happened_at, g.seq) AND r.withdrawn = 0
                            ORDER BY x.happened_at DESC, x.seq DESC LIMIT 1)
                        WHERE om.store_id = ?1 AND om.path_id = p.id AND om.memory_id <> mp.memory_id
                          AND b.path_id = p.id AND b.change <> 3)
                 ORDER BY v.happened_at DESC, v.seq DESC LIMIT 1",
            )?
            .query_row(
                params![
                    store_row,
                    path.as_bytes(),
                    at.micros(),
                    bound(last),
                    self.rebuilt_counts_from(store_row, at)?
                ],
                |row| row.get(0),
            )
            .optional()?;
        seq.map(|seq| self.version(seq)).transpose()
    }

    /// The time from which on rebuilt versions count for the state at `at`. Once a store is observed, what was told of it
    /// before and was not seen then is known not to be there.
    fn rebuilt_counts_from(&self, store_row: i64, at: Timestamp) -> Result<i64, LogError> {
        let began = crate::append::observed_since(self.connection, store_row)?;
        Ok(began.filter(|began| *began <= at.micros()).unwrap_or(i64::MIN))
    }

    /// When a store changed before it was observed, as far as that was rebuilt, old to new, at most `limit` marks;
    /// neighbours are joined beyond that. The operation of a mark is the one that rebuilt it.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn past_activity(&self, store: StoreId, limit: usize) -> Result<Vec<ActivityMark>, LogError> {
        let store_row = rows::store_row(self.connection, store)?;
        let mut query = self.connection.prepare_cached(
            "SELECT max(v.operation_seq), v.happened_at, max(o.source),
                sum(v.change = 1), sum(v.change IN (2, 4)), sum(v.change = 3)
             FROM rebuilt r JOIN versions v ON v.seq = r.version_seq JOIN operations o ON o.seq = v.operation_seq
             WHERE r.withdrawn = 0 AND v.store_id = ?1 GROUP BY v.happened_at ORDER BY v.happened_at",
        )?;
        let mut found = query.query([store_row])?;
        let mut marks = Vec::new();
        while let Some(row) = found.next()? {
            let source: Source =
                super::version::source_from(row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?)?;
            marks.push(ActivityMark {
                operation_seq: row.get(0)?,
                at: Timestamp::from_micros(row.get(1)?),
                source,
                counts: (row.get(3)?, row.get(4)?, row.get(5)?),
            });
        }
        Ok(super::operations::join_neighbours(&marks, limit))
    }
}
