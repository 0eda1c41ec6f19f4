//! Versions that pass a filter.

use super::VersionRow;
use super::version::{version_from, version_sql};
use crate::rows::{self, ChangeKind, bound};
use crate::{LogError, Reader};
use retrace_model::{MemoryId, RelPath, StoreId, Timestamp, VersionOperation};
use rusqlite::params_from_iter;
use rusqlite::types::Value;

/// Filters for versions; all given ones must hold.
#[derive(Clone, Debug, Default)]
pub struct VersionFilter {
    /// Of this store.
    pub store: Option<StoreId>,
    /// Of this memory.
    pub memory: Option<MemoryId>,
    /// Of memories that have been at this path, or below it.
    pub path: Option<RelPath>,
    /// With this operation.
    pub operation: Option<VersionOperation>,
    /// By an actor with this name; an empty text means unknown.
    pub actor: Option<String>,
    /// Recorded not before.
    pub since: Option<Timestamp>,
    /// Recorded not after.
    pub until: Option<Timestamp>,
    /// Of this operation.
    pub operation_seq: Option<u64>,
    /// Only redacted ones.
    pub only_redacted: bool,
    /// Before this place in the log.
    pub before: Option<u64>,
    /// After this place in the log.
    pub after: Option<u64>,
    /// At most so many; 0 means no limit.
    pub limit: u64,
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
    /// Versions that pass a filter, newest first.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store or memory, or a failure of the database.
    pub fn versions(&self, filter: &VersionFilter) -> Result<Vec<VersionRow>, LogError> {
        let mut conditions = Conditions::default();
        self.narrow_by_place(filter, &mut conditions)?;
        narrow_by_circumstance(filter, &mut conditions);
        let wheres = if conditions.conditions.is_empty() {
            String::new()
        } else {
            format!("WHERE {}", conditions.conditions.join(" AND "))
        };
        // A negative limit is none.
        let limit = if filter.limit == 0 { -1 } else { bound(filter.limit) };
        conditions.values.push(limit.into());
        let sql = format!("{} {wheres} ORDER BY v.seq DESC LIMIT ?", version_sql!(""));
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
        if let Some(before) = filter.before {
            to.add("v.seq < ?", [bound(before).into()]);
        }
        if let Some(after) = filter.after {
            to.add("v.seq > ?", [bound(after).into()]);
        }
        Ok(())
    }
}

/// What, who and when.
fn narrow_by_circumstance(filter: &VersionFilter, to: &mut Conditions) {
    match filter.operation {
        None => {}
        Some(VersionOperation::Created) => to.add("v.change = ?", [ChangeKind::Created.number().into()]),
        Some(VersionOperation::Deleted) => to.add("v.change = ?", [ChangeKind::Deleted.number().into()]),
        Some(VersionOperation::Modified) => to.add(
            "v.change IN (?, ?)",
            [ChangeKind::Modified.number().into(), ChangeKind::Moved.number().into()],
        ),
    }
    match &filter.actor {
        None => {}
        Some(name) if name.is_empty() => to.add("o.actor_id IS NULL", []),
        Some(name) => {
            to.add("o.actor_id IN (SELECT id FROM actors WHERE name = ?)", [name.clone().into()]);
        }
    }
    // The second half of each is what the first implies of places in the log: it ends the walk where nothing can follow.
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
    if filter.only_redacted {
        to.add("v.redaction_id IS NOT NULL", []);
    }
}
