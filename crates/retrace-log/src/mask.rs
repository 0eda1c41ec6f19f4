//! Redaction, first act: mask. Content, path, size, hash and salt of versions go, in one transaction; who, when, why and
//! what kind of change stay. The second act, the purge, is in `purge.rs`.

use crate::writer::Act;
use crate::{LogError, Reader, VersionRow, blob, search};
use retrace_model::VersionId;
use rusqlite::params;
use std::collections::BTreeSet;

/// Bytes that must be in no file of the data directory after a purge. They are kept in memory only.
#[derive(Clone, Default)]
pub struct Needles {
    /// Bytes the user wants gone, as they are.
    pub(crate) plain: BTreeSet<Vec<u8>>,
    /// Traces of how the log kept them: stretches of compressed content, hashes, salts.
    pub(crate) traces: BTreeSet<Vec<u8>>,
}

impl std::fmt::Debug for Needles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Needles({}, {})", self.plain.len(), self.traces.len())
    }
}

/// Compressed content is looked for in stretches of this many bytes: long enough not to occur by chance, short enough
/// to be found in part on a page.
const STRETCH: usize = 24;

/// Shorter needles occur by chance in any file of some megabytes, so they prove nothing.
pub(crate) const MIN_NEEDLE: usize = 6;

impl Needles {
    /// Adds bytes to look for as they are. Fewer than six are left out: they occur by chance.
    pub fn add(&mut self, bytes: &[u8]) {
        if bytes.len() >= MIN_NEEDLE {
            self.plain.insert(bytes.to_vec());
        }
    }

    fn add_trace(&mut self, bytes: &[u8]) {
        if bytes.len() >= MIN_NEEDLE {
            self.traces.insert(bytes.to_vec());
        }
    }

    fn add_stretches(&mut self, data: &[u8]) {
        if data.len() <= STRETCH {
            self.add_trace(data);
            return;
        }
        // Every page of a long content holds at least one whole stretch.
        for start in (0..data.len() - STRETCH).step_by(512) {
            self.traces.insert(data[start..start + STRETCH].to_vec());
        }
        self.traces.insert(data[data.len() - STRETCH..].to_vec());
    }
}

/// What masking did.
#[derive(Clone, Debug, Default)]
pub struct Masked {
    /// Versions masked, those included that had the same content as a chosen one.
    pub versions: Vec<VersionId>,
    /// What the purge must find nowhere.
    pub needles: Needles,
}

impl Reader<'_> {
    /// Versions not yet redacted that a redaction of `chosen` masks: themselves, and all with the same content.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn with_same_content(&self, chosen: &[VersionRow]) -> Result<Vec<VersionRow>, LogError> {
        let mut seqs = BTreeSet::new();
        let mut query = self.connection.prepare_cached("SELECT seq FROM versions WHERE blob_id = ?1")?;
        for version in chosen.iter().filter(|version| version.redaction.is_none()) {
            seqs.insert(version.id.seq as i64);
            if let Some(blob) = version.blob_row {
                for seq in query.query_map([blob], |row| row.get(0))? {
                    seqs.insert(seq?);
                }
            }
        }
        seqs.into_iter().map(|seq| self.version(seq as u64)).collect()
    }
}

impl Act<'_> {
    /// Masks versions. Contents that leant on a masked one are written anew first. `redaction` is the row made by
    /// [`Act::add_receipt`] in the same transaction.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn mask(&mut self, chosen: &[VersionRow], redaction: i64) -> Result<Masked, LogError> {
        search::catch_up_all(&self.transaction)?;
        let versions = self.reader().with_same_content(chosen)?;
        let blobs: BTreeSet<i64> = versions.iter().filter_map(|version| version.blob_row).collect();
        let mut masked = Masked::default();
        let stale = search::take_out(&self.transaction, &versions)?;
        for blob in &blobs {
            self.free_those_leaning_on(*blob, &blobs)?;
        }
        for version in &versions {
            self.mask_version(version, redaction)?;
            masked.versions.push(version.id);
        }
        for blob in &blobs {
            self.mask_blob(*blob, &mut masked.needles)?;
        }
        for version in &versions {
            self.forget_path(version)?;
        }
        search::put_back(&self.transaction, &stale)?;
        Ok(masked)
    }

    fn mask_version(&self, version: &VersionRow, redaction: i64) -> Result<(), LogError> {
        self.transaction
            .prepare_cached(
                "UPDATE versions SET path_id = NULL, salt = NULL, commitment = ?2, redaction_id = ?3 WHERE seq = ?1",
            )?
            .execute(params![version.id.seq as i64, &version.commitment.0[..], redaction])?;
        Ok(())
    }

    fn mask_blob(&self, row: i64, needles: &mut Needles) -> Result<(), LogError> {
        let (data, sha256, salt): (Option<Vec<u8>>, Option<Vec<u8>>, Option<Vec<u8>>) = self
            .transaction
            .prepare_cached("SELECT data, sha256, salt FROM blobs WHERE id = ?1")?
            .query_row([row], |found| Ok((found.get(0)?, found.get(1)?, found.get(2)?)))?;
        if let Some(data) = &data {
            needles.add_stretches(data);
        }
        for field in [sha256, salt].into_iter().flatten() {
            needles.add_trace(&field);
        }
        self.transaction
            .prepare_cached(
                "UPDATE blobs SET encoding = 9, is_text = NULL, depth = 0, base_id = NULL, size = NULL, salt = NULL,
                    sha256 = NULL, data = NULL WHERE id = ?1 AND encoding <> 9",
            )?
            .execute([row])?;
        Ok(())
    }

    /// Writes anew every content that leans on `row` and is not going to be masked itself.
    fn free_those_leaning_on(&self, row: i64, going: &BTreeSet<i64>) -> Result<(), LogError> {
        let mut query = self.transaction.prepare_cached("SELECT id FROM blobs WHERE base_id = ?1")?;
        let leaning: Vec<i64> = query.query_map([row], |found| found.get(0))?.collect::<Result<_, _>>()?;
        for id in leaning.into_iter().filter(|id| !going.contains(id)) {
            let bytes = blob::read(&self.transaction, id)?
                .ok_or_else(|| LogError::Damaged(format!("content {id} is gone")))?;
            let whole = blob::encode(&bytes, None)?;
            self.transaction
                .prepare_cached(
                    "UPDATE blobs SET encoding = ?2, base_id = NULL, depth = 0, data = ?3 WHERE id = ?1",
                )?
                .execute(params![id, whole.encoding, whole.data])?;
        }
        Ok(())
    }

    /// Takes a path out of the derived tables, and out of the log when no version names it any more.
    fn forget_path(&self, version: &VersionRow) -> Result<(), LogError> {
        let Some(path) = &version.path else { return Ok(()) };
        let Some(path_row) = crate::writer::path_row(&self.transaction, path)? else { return Ok(()) };
        self.transaction
            .prepare_cached(
                "DELETE FROM memory_paths WHERE path_id = ?1 AND memory_id = (SELECT id FROM memories WHERE public = ?2)
                 AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.memory_id = memory_paths.memory_id AND v.path_id = ?1)
                 AND NOT EXISTS (SELECT 1 FROM live l WHERE l.memory_id = memory_paths.memory_id AND l.path_id = ?1)",
            )?
            .execute(params![path_row, &version.memory.0[..]])?;
        self.transaction
            .prepare_cached(
                "DELETE FROM paths WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM memory_paths WHERE path_id = ?1)
                 AND NOT EXISTS (SELECT 1 FROM live WHERE path_id = ?1)",
            )?
            .execute([path_row])?;
        Ok(())
    }
}
