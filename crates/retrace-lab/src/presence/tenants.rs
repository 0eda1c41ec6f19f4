//! Whose every path of a store was when.

use super::memories::{StoreAt, dated};
use super::tenancy::{Claimed, Tenancy, Turn, turns_at};
use crate::wire::ApiError;
use retrace_log::{Reader, VersionFilter, VersionRow};
use retrace_model::{MemoryId, RelPath, Timestamp};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// The memories that had the paths of a store.
pub(crate) struct Tenants {
    by_spelling: HashMap<String, Rc<Vec<(MemoryId, Tenancy)>>>,
}

impl Tenants {
    /// Of a store.
    ///
    /// # Errors
    /// A failure of the database.
    pub(crate) fn of(reader: &Reader<'_>, store: &StoreAt) -> Result<Self, ApiError> {
        let filter = VersionFilter { store: Some(store.row.id), ..VersionFilter::default() };
        let mut by_memory: HashMap<MemoryId, Vec<VersionRow>> = HashMap::new();
        for row in reader.versions(&filter)? {
            by_memory.entry(row.memory).or_default().push(row);
        }
        let mut by_path: BTreeMap<RelPath, Vec<(MemoryId, Vec<Turn>)>> = BTreeMap::new();
        for (memory, rows) in by_memory {
            let rows = dated(reader, rows)?;
            let mut paths: Vec<&RelPath> = rows.iter().filter_map(|(_, row)| row.path.as_ref()).collect();
            paths.sort();
            paths.dedup();
            for path in paths {
                let turns = turns_at(path, rows.iter().map(|(at, row)| (*at, row)));
                by_path.entry(path.clone()).or_default().push((memory, turns));
            }
        }
        let mut by_spelling = HashMap::new();
        for (path, mut of_path) in by_path {
            of_path.sort_by_key(|(memory, _)| memory.0);
            let all: Vec<Turn> = of_path.iter().flat_map(|(_, turns)| turns).copied().collect();
            let tenancies =
                of_path.iter().map(|(memory, _)| (*memory, Tenancy::of(*memory, all.clone(), false)));
            let tenancies = Rc::new(tenancies.collect::<Vec<_>>());
            let spelled = store.spellings(std::slice::from_ref(&path));
            by_spelling.extend(spelled.into_iter().map(|spelling| (spelling, Rc::clone(&tenancies))));
        }
        Ok(Self { by_spelling })
    }

    /// The memory that was at a path of the machine at a time, as far as the log tells; `None` where none ever was.
    pub(crate) fn at(&self, path: &str, time: Option<Timestamp>) -> Option<MemoryId> {
        let all = self.by_spelling.get(path)?;
        let time = time.map_or(i64::MAX, Timestamp::micros);
        let claim = |tenancy: &Tenancy| match tenancy.at(time) {
            Claimed::Always => 0,
            Claimed::Whole => 1,
            Claimed::Agreeing => 2,
            Claimed::Never => 3,
        };
        all.iter().min_by_key(|(_, tenancy)| claim(tenancy)).map(|(memory, _)| *memory)
    }
}
