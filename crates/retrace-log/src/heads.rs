//! What a recorder needs of some live memories.

use crate::{LogError, Reader};
use retrace_model::{Head, RelPath, Seen, StoreId, Timestamp};
use rusqlite::{Row, params};
use std::collections::{BTreeMap, BTreeSet};

impl Reader<'_> {
    /// Rows this connection itself has changed so far.
    #[must_use]
    pub fn own_changes(&self) -> u64 {
        self.connection.total_changes()
    }

    /// As [`Reader::heads`], for the live memories at or below any of `paths`.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn heads_below(
        &self,
        store: StoreId,
        paths: &BTreeSet<RelPath>,
    ) -> Result<BTreeMap<RelPath, Head>, LogError> {
        let store_row = crate::stores::row_of(self.connection, store)?;
        // `0` is the byte after `/`: everything below a directory sorts between the two.
        let mut query = self.connection.prepare_cached(
            "SELECT p.bytes, l.size, l.modified_nanos, l.changed_nanos, l.file_id, l.seen_at
             FROM paths p JOIN live l ON l.store_id = ?1 AND l.path_id = p.id
             WHERE p.bytes = ?2 OR (p.bytes > ?3 AND p.bytes < ?4)",
        )?;
        let mut heads = BTreeMap::new();
        for path in paths {
            let bytes = path.as_bytes();
            let mut rows =
                query.query(params![store_row, bytes, [bytes, b"/"].concat(), [bytes, b"0"].concat()])?;
            while let Some(row) = rows.next()? {
                let (path, head) = head_from(row)?;
                heads.insert(path, head);
            }
        }
        Ok(heads)
    }
}

fn head_from(row: &Row<'_>) -> Result<(RelPath, Head), LogError> {
    let path = RelPath::from_bytes(row.get::<_, Vec<u8>>(0)?)
        .map_err(|error| LogError::Damaged(error.to_string()))?;
    let seen: Option<Seen> = match (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?) {
        (Some::<i64>(size), Some::<i64>(modified), Some::<i64>(changed), Some::<i64>(file_id)) => Some(Seen {
            size: size as u64,
            modified_nanos: i128::from(modified),
            changed_nanos: i128::from(changed),
            file_id: file_id as u64,
        }),
        _ => None,
    };
    Ok((path, Head { seen, seen_at: Timestamp::from_micros(row.get(5)?) }))
}
