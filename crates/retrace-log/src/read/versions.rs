//! Versions that pass a filter.

use super::VersionRow;
use super::version::{version_from, version_sql};
use crate::rows::{self, ChangeKind, bound};
use crate::{LogError, Reader};
use retrace_model::VersionOperation;
use retrace_model::records::VersionFilter;
use rusqlite::params_from_iter;
use rusqlite::types::Value;

/// Of which part of history versions are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Observed,
    Rebuilt,
}

/// Conditions with the values they name.
#[derive(Default)]
struct Conditions {
    conditions: Vec<&'static str>,
    values: Vec<Value>,
}

impl Conditions {
    fn add(&mut self, condition: &'static str, values: impl IntoIterator<Item = Value>) {
        self.conditions.push(condition);
        self.values.extend(values);
    }
}

impl Reader<'_> {
    /// Versions that pass a filter: the observed ones, newest first, then those that were rebuilt, by the time at which they
    /// happened, newest first. Withdrawn ones are left out unless their operation is asked for.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store or memory, or a failure of the database.
    pub fn versions(&self, filter: &VersionFilter) -> Result<Vec<VersionRow>, LogError> {
        let behind = filter.before.map(|seq| self.happened_at(seq)).transpose()?.flatten();
        // A negative limit is none.
        let limit = if filter.limit == 0 { -1 } else { bound(filter.limit) };
        let mut versions =
            if behind.is_some() { Vec::new() } else { self.part(filter, Part::Observed, None, limit)? };
        let left = if limit < 0 { limit } else { limit - bound(versions.len() as u64) };
        if left != 0 && !filter.observed_only && self.has_rebuilt()? {
            versions.extend(self.part(filter, Part::Rebuilt, behind, left)?);
        }
        Ok(versions)
    }

    fn has_mirrors(&self) -> Result<bool, LogError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM remotes)";
        Ok(self.connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
    }

    fn part(
        &self,
        filter: &VersionFilter,
        part: Part,
        behind: Option<i64>,
        limit: i64,
    ) -> Result<Vec<VersionRow>, LogError> {
        let mut conditions = Conditions::default();
        self.narrow_by_place(filter, &mut conditions)?;
        let mirrors = match filter.store {
            Some(store) => self.remote(store)?.is_some(),
            None => self.has_mirrors()?,
        };
        narrow_by_circumstance(filter, part, &mut conditions, mirrors);
        match (part, filter.before, behind) {
            (Part::Observed, before, _) => {
                conditions.add("v.happened_at IS NULL", []);
                if let Some(before) = before {
                    conditions.add("v.seq < ?", [bound(before).into()]);
                }
            }
            (Part::Rebuilt, before, behind) => {
                conditions
                    .add("v.happened_at IS NOT NULL AND v.seq IN (SELECT version_seq FROM rebuilt)", []);
                if filter.operation_seq.is_none() {
                    conditions.add("rb.withdrawn = 0", []);
                }
                if let (Some(seq), Some(at)) = (before, behind) {
                    conditions.add("(v.happened_at, v.seq) < (?, ?)", [at.into(), bound(seq).into()]);
                }
            }
        }
        let wheres = if conditions.conditions.is_empty() {
            String::new()
        } else {
            format!("WHERE {}", conditions.conditions.join(" AND "))
        };
        conditions.values.push(limit.into());
        let order = match part {
            Part::Observed => "v.seq DESC",
            Part::Rebuilt => "v.happened_at DESC, v.seq DESC",
        };
        let sql = format!("{} {wheres} ORDER BY {order} LIMIT ?", version_sql!(""));
        let mut query = self.connection.prepare_cached(&sql)?;
        let mut found = query.query(params_from_iter(conditions.values))?;
        let mut versions = Vec::new();
        while let Some(row) = found.next()? {
            versions.push(version_from(row)?);
        }
        Ok(versions)
    }

    /// Where: store, memory, path, place in the log.
    fn narrow_by_place(&self, filter: &VersionFilter, to: &mut Conditions) -> Result<(), LogError> {
        if let Some(store) = filter.store {
            // A plus sign keeps the planner from walking the store's index when something narrower is given too.
            let narrow = filter.memory.is_some() || filter.path.is_some() || filter.operation_seq.is_some();
            let condition = if narrow { "+v.store_id = ?" } else { "v.store_id = ?" };
            to.add(condition, [rows::store_row(self.connection, store)?.into()]);
        }
        if let Some(memory) = filter.memory {
            to.add("v.memory_id = ?", [rows::memory_row(self.connection, memory)?.into()]);
        }
        if let Some(path) = &filter.path {
            to.add(
                "v.memory_id IN (SELECT mp.memory_id FROM paths q JOIN memory_paths mp ON mp.path_id = q.id
                 WHERE q.bytes = ? OR (q.bytes > ? AND q.bytes < ?))",
                [
                    path.as_bytes().to_vec().into(),
                    [path.as_bytes(), b"/"].concat().into(),
                    // The byte after the slash: whatever lies below the path sorts before it.
                    [path.as_bytes(), b"0"].concat().into(),
                ],
            );
        }
        if let Some(seq) = filter.operation_seq {
            let seq = Value::from(bound(seq));
            to.add(
                "v.seq BETWEEN (SELECT first_version FROM operations WHERE seq = ?)
                 AND (SELECT first_version + created + modified + deleted - 1 FROM operations WHERE seq = ?)",
                [seq.clone(), seq],
            );
        }
        if let Some(after) = filter.after {
            to.add("v.seq > ?", [bound(after).into()]);
        }
        Ok(())
    }
}

/// Narrows by kind, writer and time.
fn narrow_by_circumstance(filter: &VersionFilter, part: Part, to: &mut Conditions, mirrors: bool) {
    match filter.operation {
        None => {}
        Some(VersionOperation::Created) => to.add("v.change = ?", [ChangeKind::Created.number().into()]),
        Some(VersionOperation::Deleted) => to.add("v.change = ?", [ChangeKind::Deleted.number().into()]),
        Some(VersionOperation::Modified) => to.add(
            "v.change IN (?, ?)",
            [ChangeKind::Modified.number().into(), ChangeKind::Moved.number().into()],
        ),
    }
    match (part, &filter.actor) {
        (_, None) => {}
        (Part::Observed, Some(name)) if name.is_empty() => to.add(
            "o.actor_id IS NULL AND bwr.actor_id IS NULL
             AND (og.confidence IS NULL OR og.confidence NOT IN ('exact_content', 'likely'))",
            [],
        ),
        (Part::Observed, Some(name)) => to.add(
            "(o.actor_id IN (SELECT id FROM actors WHERE name = ?) OR (o.actor_id IS NULL AND v.seq IN
                (SELECT version_seq FROM origins
                 WHERE session = ? AND rank = 0 AND confidence IN ('exact_content', 'likely')))
              OR v.seq IN (WITH RECURSIVE back (seq) AS (SELECT p.version_seq FROM put_back p
                JOIN versions w ON w.seq = p.of_seq
                LEFT JOIN rebuilt wr ON wr.version_seq = w.seq
                JOIN operations wo ON wo.seq = w.operation_seq
                LEFT JOIN actors wa ON wa.id = CASE WHEN w.happened_at IS NULL THEN wo.actor_id ELSE wr.actor_id END
                LEFT JOIN origins wg ON wa.id IS NULL AND wg.version_seq = w.seq AND wg.rank = 0
                    AND wg.confidence IN ('exact_content', 'likely')
                WHERE coalesce(wa.name, wg.session) = ?
                UNION SELECT p.version_seq FROM back b JOIN put_back p ON p.of_seq = b.seq) SELECT seq FROM back))",
            [name.clone().into(), name.clone().into(), name.clone().into()],
        ),
        (Part::Rebuilt, Some(name)) if name.is_empty() => to.add("rb.actor_id IS NULL", []),
        (Part::Rebuilt, Some(name)) => {
            to.add("rb.actor_id IN (SELECT id FROM actors WHERE name = ?)", [name.clone().into()]);
        }
    }
    if filter.only_redacted {
        to.add("v.redaction_id IS NOT NULL", []);
    }
    if part == Part::Rebuilt {
        if let Some(since) = filter.since {
            to.add("v.happened_at >= ?", [since.micros().into()]);
        }
        if let Some(until) = filter.until {
            to.add("v.happened_at <= ?", [until.micros().into()]);
        }
        return;
    }
    // The second half of each is what the first implies of places in the log: it ends the walk where nothing can follow. What a
    // mirror holds happened in its own time, which is not the order of the log.
    if mirrors {
        if let Some(since) = filter.since {
            let since = Value::from(since.micros());
            to.add(
                "coalesce(mi.happened_at, o.created_at) >= ? AND v.seq >= min(
                 coalesce((SELECT first_version FROM operations
                    WHERE seq = (SELECT min(seq) FROM operations WHERE created_at >= ?)), 9223372036854775807),
                 coalesce((SELECT min(version_seq) FROM mirrored WHERE happened_at >= ?), 9223372036854775807))",
                [since.clone(), since.clone(), since],
            );
        }
        if let Some(until) = filter.until {
            let until = Value::from(until.micros());
            to.add(
                "coalesce(mi.happened_at, o.created_at) <= ? AND v.seq <= max(
                 coalesce((SELECT first_version + created + modified + deleted - 1 FROM operations
                    WHERE seq = (SELECT max(seq) FROM operations WHERE created_at <= ?)), 0),
                 coalesce((SELECT max(version_seq) FROM mirrored WHERE happened_at <= ?), 0))",
                [until.clone(), until.clone(), until],
            );
        }
        return;
    }
    if let Some(since) = filter.since {
        to.add(
            "o.created_at >= ? AND v.seq >= (SELECT first_version FROM operations
             WHERE seq = (SELECT min(seq) FROM operations WHERE created_at >= ?))",
            [since.micros().into(), since.micros().into()],
        );
    }
    if let Some(until) = filter.until {
        to.add(
            "o.created_at <= ? AND v.seq < (SELECT first_version + created + modified + deleted FROM operations
             WHERE seq = (SELECT max(seq) FROM operations WHERE created_at <= ?))",
            [until.micros().into(), until.micros().into()],
        );
    }
}
