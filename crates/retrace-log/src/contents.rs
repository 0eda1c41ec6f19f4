//! Going through every content the log holds.

use crate::{LogError, Reader, VersionRow, blob, rows};
use retrace_model::{RelPath, StoreId};
use rusqlite::params;
use std::collections::BTreeMap;

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
        let store = store.map(|store| rows::store_row(self.connection, store)).transpose()?;
        let mut found = BTreeMap::new();
        self.count_in_contents(store, &mut hits, &mut found)?;
        self.count_in_paths(store, &mut hits, &mut found)?;
        found.into_iter().map(|(seq, count)| Ok((self.version(seq)?, count))).collect()
    }
    fn count_in_contents(
        &self,
        store: Option<i64>,
        hits: &mut impl FnMut(Option<&RelPath>, &[u8]) -> u64,
        found: &mut BTreeMap<u64, u64>,
    ) -> Result<(), LogError> {
        let mut contents = self.connection.prepare(
            "SELECT id FROM blobs WHERE data IS NOT NULL AND (?1 IS NULL OR EXISTS
                (SELECT 1 FROM versions v WHERE v.blob_id = blobs.id AND v.store_id = ?1)) ORDER BY id",
        )?;
        let mut holders = self
            .connection
            .prepare("SELECT seq FROM versions WHERE blob_id = ?1 AND redaction_id IS NULL AND (?2 IS NULL OR store_id = ?2)")?;
        let mut pass = blob::Pass::new(self.connection);
        let mut ids = contents.query([store])?;
        while let Some(row) = ids.next()? {
            let id: i64 = row.get(0)?;
            let Some(bytes) = pass.read(id)? else { continue };
            let count = hits(None, &bytes);
            if count > 0 {
                for seq in holders.query_map(params![id, store], |holder| holder.get(0))? {
                    *found.entry(seq?).or_default() += count;
                }
            }
        }
        Ok(())
    }

    fn count_in_paths(
        &self,
        store: Option<i64>,
        hits: &mut impl FnMut(Option<&RelPath>, &[u8]) -> u64,
        found: &mut BTreeMap<u64, u64>,
    ) -> Result<(), LogError> {
        let mut paths = self.connection.prepare("SELECT id, bytes FROM paths ORDER BY id")?;
        let mut named = self.connection.prepare(
            "SELECT v.seq FROM memory_paths mp
             JOIN versions v ON v.memory_id = mp.memory_id AND v.path_id = mp.path_id
             WHERE mp.path_id = ?1 AND (?2 IS NULL OR mp.store_id = ?2)",
        )?;
        let mut known = paths.query([])?;
        while let Some(row) = known.next()? {
            let path = rows::path_from(row.get(1)?)?;
            let count = hits(Some(&path), path.as_bytes());
            if count > 0 {
                let id: i64 = row.get(0)?;
                for seq in named.query_map(params![id, store], |version| version.get(0))? {
                    *found.entry(seq?).or_default() += count;
                }
            }
        }
        Ok(())
    }
}

impl Reader<'_> {
    /// The contents of versions, each `None` where there is none: a deletion, a redaction, a content too large to keep. Reading
    /// a row of versions of one memory from old to new takes far less than one after another, because most are a delta against the one
    /// before.
    ///
    /// # Errors
    /// [`LogError::Damaged`] when one does not read, or a failure of the database.
    pub fn contents(&self, versions: &[VersionRow]) -> Result<Vec<Option<Vec<u8>>>, LogError> {
        let mut pass = blob::Pass::new(self.connection);
        versions
            .iter()
            .map(|version| match (&version.redaction, version.blob_row) {
                (None, Some(row)) => Ok(pass.read(row)?.map(|bytes| bytes.to_vec())),
                _ => Ok(None),
            })
            .collect()
    }
}
