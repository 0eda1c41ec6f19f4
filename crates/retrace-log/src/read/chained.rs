//! The versions of one store in the order of the log, as another machine can check them: leaf hash, commitment and what opens it.

use super::version::{LeafRow, leaf_columns, leaf_tables};
use super::{leaf_from, source_from};
use crate::rows::{self, bound};
use crate::{LogError, Reader, blob};
use retrace_model::{MemoryId, RelPath, Sha256, Source, StoreId, Timestamp, VersionOperation};
use rusqlite::params;

/// A version with what the chain covers of it.
#[derive(Clone, Debug)]
pub struct ChainedVersion {
    /// Place in the log.
    pub seq: u64,
    /// Operation that it is of.
    pub operation_seq: u64,
    /// Its memory.
    pub memory: MemoryId,
    /// Kind of the change.
    pub change: VersionOperation,
    /// What caused it.
    pub source: Source,
    /// When it was recorded.
    pub created_at: Timestamp,
    /// Leaf hash, which a redaction does not change.
    pub leaf: Sha256,
    /// What it commits to. Of a rebuilt version it may have changed since, with a redacted note.
    pub commitment: Sha256,
    /// True if the leaf hash covers nothing but the fields here: the version was observed, not rebuilt.
    pub observed: bool,
    /// Path and content; `None` when it is redacted.
    pub opened: Option<Opened>,
    /// The row of a content that the log keeps.
    blob_row: Option<i64>,
}

/// Path and content of a version that is not redacted.
#[derive(Clone, Debug)]
pub struct Opened {
    /// Its path.
    pub path: RelPath,
    /// The salt of the commitment; `None` where a note is covered as well.
    pub salt: Option<Vec<u8>>,
    /// Hash and size of the content; `None` for a deletion.
    pub content: Option<(Sha256, u64)>,
}

impl ChainedVersion {
    /// True if the log keeps a content for it.
    #[must_use]
    pub fn has_content(&self) -> bool {
        self.blob_row.is_some()
    }
}

const CHAINED: &str = concat!(
    leaf_columns!(),
    ", rb.leaf AS kept_leaf, rb.written_at AS written, o.source AS cause, b.encoding AS encoding",
    leaf_tables!(),
    " WHERE v.store_id = ?1 AND v.seq > ?2 ORDER BY v.seq LIMIT ?3"
);

impl Reader<'_> {
    /// Versions of a store after a place in the log, oldest first, at most `limit`.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn chained_versions(
        &self,
        store: StoreId,
        after: u64,
        limit: u64,
    ) -> Result<Vec<ChainedVersion>, LogError> {
        let store = rows::store_row(self.connection, store)?;
        let mut query = self.connection.prepare_cached(CHAINED)?;
        let mut rows = query.query(params![store, bound(after), bound(limit)])?;
        let mut versions = Vec::new();
        while let Some(row) = rows.next()? {
            let row_of_leaf = leaf_from(row)?;
            let leaf_hash = row_of_leaf.hash();
            let LeafRow { leaf, path, blob_row, content, .. } = row_of_leaf;
            let noted = row.get::<_, Option<String>>(15)?.is_some();
            let salt: Option<Vec<u8>> = row.get(if blob_row.is_some() { 10 } else { 11 })?;
            let encoding: Option<i64> = row.get("encoding")?;
            let kept =
                encoding.is_some_and(|encoding| encoding != blob::NOT_KEPT && encoding != blob::MASKED);
            let opened = path.map(|path| Opened { path, salt: salt.filter(|_| !noted), content });
            versions.push(ChainedVersion {
                seq: leaf.seq,
                operation_seq: leaf.operation_seq,
                memory: leaf.memory,
                change: leaf.change,
                source: source_from(&row.get::<_, String>("cause")?)?,
                created_at: leaf.created_at,
                leaf: leaf_hash,
                commitment: leaf.commitment,
                observed: leaf.past.is_none(),
                blob_row: blob_row.filter(|_| kept && opened.is_some()),
                opened,
            });
        }
        Ok(versions)
    }

    /// Contents of versions, in their order, until `room` bytes are read; at least one where there is one. Each is given to
    /// `take` with the place of its version; answers how many versions were passed.
    ///
    /// # Errors
    /// [`LogError::Damaged`], a failure of the database, or that of `take`.
    pub fn chained_contents<E: From<LogError>>(
        &self,
        versions: &[ChainedVersion],
        room: usize,
        mut take: impl FnMut(&ChainedVersion, &[u8]) -> Result<(), E>,
    ) -> Result<usize, E> {
        let mut pass = blob::Pass::new(self.connection);
        let mut read = 0_usize;
        for (passed, version) in versions.iter().enumerate() {
            let Some(row) = version.blob_row else { continue };
            if read >= room {
                return Ok(passed);
            }
            // Masked since the version was read.
            let Some(bytes) = pass.read(row)? else { continue };
            read = read.saturating_add(bytes.len()).saturating_add(1);
            take(version, &bytes)?;
        }
        Ok(versions.len())
    }

    /// Redactions that concern a store after one of them: the versions they masked, and the number of the newest redaction.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn masked_after(&self, store: StoreId, redaction: u64) -> Result<(Vec<u64>, u64), LogError> {
        let newest: u64 =
            self.connection.query_row("SELECT coalesce(max(id), 0) FROM redactions", [], |row| row.get(0))?;
        if newest <= redaction {
            return Ok((Vec::new(), newest));
        }
        let store = rows::store_row(self.connection, store)?;
        let mut query = self.connection.prepare_cached(
            "SELECT seq FROM versions WHERE store_id = ?1 AND redaction_id > ?2 ORDER BY seq",
        )?;
        let masked = query.query_map(params![store, bound(redaction)], |row| row.get(0))?;
        Ok((masked.collect::<Result<_, _>>()?, newest))
    }
}
