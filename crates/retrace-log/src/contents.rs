//! Going through every content the log holds.

use crate::read::VersionRow;
use crate::{LogError, Reader, blob};
use retrace_model::{RelPath, StoreId};

impl Reader<'_> {
    /// Versions not redacted whose content or path `hits` counts anything in, oldest first, with the count. `hits` is
    /// asked once a content, however many versions hold it, and once a version for its path.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn versions_holding(
        &self,
        store: Option<StoreId>,
        mut hits: impl FnMut(Option<&RelPath>, &[u8]) -> u64,
    ) -> Result<Vec<(VersionRow, u64)>, LogError> {
        let store = store.map(|store| crate::stores::row_of(self.connection, store)).transpose()?;
        let mut contents = self.connection.prepare(
            "SELECT id FROM blobs WHERE data IS NOT NULL AND (?1 IS NULL OR EXISTS
                (SELECT 1 FROM versions v WHERE v.blob_id = blobs.id AND v.store_id = ?1)) ORDER BY id",
        )?;
        let mut holders = self
            .connection
            .prepare("SELECT seq FROM versions WHERE blob_id = ?1 AND (?2 IS NULL OR store_id = ?2) AND redaction_id IS NULL")?;
        let mut found: std::collections::BTreeMap<u64, u64> = std::collections::BTreeMap::new();
        let mut rows = contents.query([store])?;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            let Some(bytes) = blob::read(self.connection, id)? else { continue };
            let count = hits(None, &bytes);
            if count > 0 {
                for seq in holders.query_map(rusqlite::params![id, store], |holder| holder.get::<_, i64>(0))? {
                    *found.entry(seq? as u64).or_default() += count;
                }
            }
        }
        let mut paths = self.connection.prepare("SELECT id, bytes FROM paths ORDER BY id")?;
        let mut named = self.connection.prepare(
            "SELECT v.seq FROM memory_paths mp JOIN versions v ON v.memory_id = mp.memory_id AND v.path_id = mp.path_id
             WHERE mp.path_id = ?1 AND (?2 IS NULL OR mp.store_id = ?2)",
        )?;
        let mut rows = paths.query([])?;
        while let Some(row) = rows.next()? {
            let path = RelPath::from_bytes(row.get::<_, Vec<u8>>(1)?)
                .map_err(|error| LogError::Damaged(error.to_string()))?;
            let count = hits(Some(&path), path.as_bytes());
            if count > 0 {
                let id: i64 = row.get(0)?;
                for seq in named.query_map(rusqlite::params![id, store], |version| version.get::<_, i64>(0))? {
                    *found.entry(seq? as u64).or_default() += count;
                }
            }
        }
        found.into_iter().map(|(seq, count)| Ok((self.version(seq)?, count))).collect()
    }
}
