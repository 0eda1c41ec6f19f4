//! The lines of every memory of the log, for what transcripts are searched for.

use super::memories::{self, StoreAt, time};
use crate::Lab;
use crate::wire::ApiError;
use retrace_engine::lock;
use retrace_log::{Reader, VersionFilter, VersionRow};
use retrace_model::{MemoryId, RelPath, StoreId};
use retrace_presence::Sought;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex};

/// Versions whose contents are read at a time.
const AT_A_TIME: usize = 256;

/// The lines of the log up to a place.
#[derive(Clone, Default)]
pub(super) struct Lines {
    stores: Vec<(StoreId, Vec<String>)>,
    /// The last version whose lines are among them.
    pub through: u64,
    pub sought: Arc<Sought>,
}

/// The lines of the log as it is, from those that were kept and what came since.
///
/// # Errors
/// A failure of the database.
pub(super) fn lines(inner: &Lab, kept: &Mutex<Option<Lines>>) -> Result<Lines, ApiError> {
    let mut kept = lock(kept);
    let before = kept.take().unwrap_or_default();
    let now = inner.read(|reader| with_new(reader, before))?;
    *kept = Some(now.clone());
    Ok(now)
}

fn with_new(reader: &Reader<'_>, before: Lines) -> Result<Lines, ApiError> {
    let stores = memories::stores(reader)?;
    let named: Vec<_> = stores.iter().map(|store| (store.row.id, store.roots.clone())).collect();
    let mut lines = match before.stores == named {
        true => before,
        false => Lines { stores: named, ..Lines::default() },
    };
    let rows = new_rows(reader, lines.through)?;
    let Some(last) = rows.iter().map(|row| row.id.seq).max() else { return Ok(lines) };
    let sought = Arc::make_mut(&mut lines.sought);
    let mut paths = HashMap::new();
    // A row that comes later tells the path that the memory has now.
    for row in &rows {
        if let Some(path) = &row.path {
            paths.insert(row.memory, path.clone());
        }
    }
    let mut spellings: HashMap<MemoryId, Vec<String>> = HashMap::new();
    for some in rows.chunks(AT_A_TIME) {
        for (row, content) in some.iter().zip(reader.contents(some)?) {
            let Some(store) = stores.iter().find(|store| store.row.id == row.store) else { continue };
            let Some(content) = content else { continue };
            let spelled = match spellings.entry(row.memory) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => {
                    free.insert(spelled(reader, store, row.memory, paths.get(&row.memory))?)
                }
            };
            sought.add(&row.memory.to_string(), spelled, &String::from_utf8_lossy(&content));
        }
    }
    lines.through = last;
    Ok(lines)
}

/// Versions behind a place of the log, in its order.
fn new_rows(reader: &Reader<'_>, after: u64) -> Result<Vec<VersionRow>, ApiError> {
    let mut rows = reader.versions(&VersionFilter { after: Some(after), ..VersionFilter::default() })?;
    rows.sort_by_key(|row| row.id.seq);
    Ok(rows)
}

/// The paths that transcripts may call a memory by, the one that it has now first.
fn spelled(
    reader: &Reader<'_>,
    store: &StoreAt,
    memory: MemoryId,
    now: Option<&RelPath>,
) -> Result<Vec<String>, ApiError> {
    let mut paths = reader.paths_of(memory)?;
    paths.sort_by_key(|path| Some(path) != now);
    Ok(store.spellings(&paths))
}

/// The time from which on a request may have held lines that came into the log behind a place: they were written after the
/// version before them was recorded. `None` where none came.
///
/// # Errors
/// A failure of the database.
pub(super) fn since(inner: &Lab, after: u64) -> Result<Option<i64>, ApiError> {
    inner.read(|reader| {
        let mut since: Option<i64> = None;
        let mut seen: Vec<StoreId> = Vec::new();
        for row in new_rows(reader, after)?.iter().filter(|row| row.content.is_some()) {
            let from = match row.rebuilt {
                true => time(row),
                false if seen.contains(&row.store) => continue,
                false => {
                    seen.push(row.store);
                    before(reader, row)?
                }
            };
            since = Some(since.map_or(from, |since| since.min(from)));
        }
        Ok(since)
    })
}

/// When the version before one in its store was recorded.
fn before(reader: &Reader<'_>, row: &VersionRow) -> Result<i64, ApiError> {
    let filter = VersionFilter {
        store: Some(row.store),
        before: Some(row.id.seq),
        observed_only: true,
        limit: 1,
        ..VersionFilter::default()
    };
    Ok(reader.versions(&filter)?.first().map_or(i64::MIN, time))
}
