//! Redaction, first act: mask. Content, path, size, hash and salt of versions go, in one transaction; who, when, why and
//! what kind of change stay. The second act, the purge, is in `purge.rs`.

use crate::kept_out::{self, Tagging};
use crate::writer::Act;
use crate::{LogError, Reader, VersionRow, blob, prompts, redacted_parts, remotes, rows, search, unflushed};
use retrace_model::{Sha256, VersionId};
use rusqlite::params;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes that must be in no file of the data directory after a purge. They are kept in memory only.
#[derive(Clone, Default)]
pub struct Needles {
    /// Bytes the user wants gone, as they are.
    pub(crate) plain: BTreeSet<Vec<u8>>,
    /// Traces of masked contents in the log that are too random to occur by chance: hashes and salts.
    pub(crate) traces: BTreeSet<Vec<u8>>,
}

impl std::fmt::Debug for Needles {
    /// Says how many there are, never what they are.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Needles({}, {})", self.plain.len(), self.traces.len())
    }
}

/// Shorter needles occur by chance in any file of some megabytes, so they prove nothing.
pub(crate) const MIN_NEEDLE: usize = 6;

impl Needles {
    /// Adds bytes to search for as they are. Fewer than six are left out: they occur by chance.
    pub fn add(&mut self, bytes: &[u8]) {
        if bytes.len() >= MIN_NEEDLE {
            self.plain.insert(bytes.to_vec());
        }
    }

    /// The first eight bytes, which stand in the index of contents as well, and the printed form.
    fn add_hash(&mut self, sha256: &[u8]) {
        self.traces.extend(sha256.get(..8).map(<[u8]>::to_vec));
        if let Ok(sha256) = rows::hash_from(sha256) {
            self.traces.insert(sha256.to_hex().into_bytes());
        }
    }

    fn add_salt(&mut self, salt: &[u8]) {
        self.traces.insert(salt.to_vec());
    }
}

/// Result of masking.
#[derive(Clone, Debug, Default)]
pub struct Masked {
    /// Versions masked, those included that had the same content as a chosen one.
    pub versions: Vec<VersionId>,
    /// Bytes that the purge must find nowhere.
    pub needles: Needles,
}

impl Reader<'_> {
    /// Versions not yet redacted that a redaction of `chosen` masks: themselves, and all with the same content.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn with_same_content(&self, chosen: &[VersionRow]) -> Result<Vec<VersionRow>, LogError> {
        let chosen = || chosen.iter().filter(|version| version.redaction.is_none());
        let mut seqs: BTreeSet<u64> = chosen().map(|version| version.id.seq).collect();
        let contents: BTreeSet<Sha256> =
            chosen().filter_map(|version| version.content).map(|content| content.sha256).collect();
        let mut query = self
            .connection
            .prepare_cached("SELECT seq FROM versions WHERE blob_id = ?1 AND redaction_id IS NULL")?;
        for sha256 in &contents {
            for blob in blob::all_with(self.connection, sha256)? {
                for seq in query.query_map([blob], |row| row.get(0))? {
                    seqs.insert(seq?);
                }
            }
        }
        // Asked anew, because one that was chosen may have been redacted since it was read.
        let versions = seqs.into_iter().map(|seq| self.version(seq)).collect::<Result<Vec<_>, _>>()?;
        Ok(versions.into_iter().filter(|version| version.redaction.is_none()).collect())
    }
}

impl Act<'_> {
    /// Masks versions, and all others with the same content. Contents with a masked one as their delta base are written anew first.
    /// Versions that are redacted already are passed over. `redaction` is the row made by [`Act::add_receipt`] in the
    /// same transaction, which after an error can only be dropped.
    ///
    /// # Errors
    /// [`LogError::Damaged`] when a content with a masked one as its delta base does not read, or a failure of the database.
    pub fn mask(&mut self, chosen: &[VersionRow], redaction: i64) -> Result<Masked, LogError> {
        let versions = self.reader().with_same_content(chosen)?;
        let tagging = self.tagging(redaction)?;
        self.whole(|act| act.mask_all(&versions, redaction, &tagging))
    }

    /// As [`Act::mask`], but other versions with the same content keep it: a client of the API redacts the versions it
    /// names. The content itself goes with the last version that has it, and a client may write it again.
    ///
    /// # Errors
    /// As [`Act::mask`].
    pub fn mask_alone(&mut self, chosen: &[VersionRow], redaction: i64) -> Result<Masked, LogError> {
        let versions = chosen.iter().map(|version| self.reader().version(version.id.seq));
        let mut versions = versions.collect::<Result<Vec<_>, _>>()?;
        versions.retain(|version| version.redaction.is_none());
        let tagging = self.tagging(redaction)?.of_a_client();
        self.whole(|act| act.mask_all(&versions, redaction, &tagging))
    }

    /// Contents that no version outside `going` has.
    fn only_in(&self, going: &[VersionRow]) -> Result<BTreeSet<i64>, LogError> {
        let seqs: BTreeSet<u64> = going.iter().map(|version| version.id.seq).collect();
        let mut holders = self
            .transaction
            .prepare_cached("SELECT seq FROM versions WHERE blob_id = ?1 AND redaction_id IS NULL")?;
        let mut blobs = BTreeSet::new();
        for blob in going.iter().filter_map(|version| version.blob_row) {
            let all = holders.query_map([blob], |row| row.get(0))?.collect::<Result<Vec<u64>, _>>()?;
            if all.iter().all(|seq| seqs.contains(seq)) {
                blobs.insert(blob);
            }
        }
        Ok(blobs)
    }

    fn mask_all(
        &self,
        versions: &[VersionRow],
        redaction: i64,
        tagging: &Tagging,
    ) -> Result<Masked, LogError> {
        let blobs = self.only_in(versions)?;
        let mut masked = Masked::default();
        let stale = search::take_out(&self.transaction, versions)?;
        self.free_deltas_on(&blobs)?;
        for version in versions {
            kept_out::tag_place(&self.transaction, tagging, version, &self.short)?;
            self.mask_version(version, redaction, &mut masked.needles)?;
            masked.versions.push(version.id);
        }
        for blob in &blobs {
            self.mask_blob(*blob, tagging, &mut masked.needles)?;
        }
        for version in versions {
            self.forget_file(version)?;
            self.forget_path(version)?;
        }
        search::put_back(&self.transaction, &stale)?;
        prompts::forget_all(&self.transaction)?;
        remotes::forget_staged(&self.transaction)?;
        Ok(masked)
    }

    fn mask_version(
        &self,
        version: &VersionRow,
        redaction: i64,
        needles: &mut Needles,
    ) -> Result<(), LogError> {
        let salt: Option<Vec<u8>> = self
            .transaction
            .prepare_cached("SELECT salt FROM versions WHERE seq = ?1")?
            .query_row([version.id.seq], |row| row.get(0))?;
        if let Some(salt) = salt {
            needles.add_salt(&salt);
        }
        self.transaction
            .prepare_cached(
                "UPDATE versions SET path_id = NULL, salt = NULL, commitment = ?2, redaction_id = ?3 WHERE seq = ?1",
            )?
            .execute(params![version.id.seq, &version.commitment.0[..], redaction])?;
        self.transaction
            .prepare_cached("UPDATE rebuilt SET note = NULL WHERE version_seq = ?1")?
            .execute([version.id.seq])?;
        kept_out::is_out_again(&self.transaction, version.id.seq)?;
        unflushed::forget(&self.transaction, version.id.seq)
    }

    fn mask_blob(&self, row: i64, tagging: &Tagging, needles: &mut Needles) -> Result<(), LogError> {
        let (sha256, salt, size): (Vec<u8>, Vec<u8>, u64) = self
            .transaction
            .prepare_cached("SELECT sha256, salt, size FROM blobs WHERE id = ?1")?
            .query_row([row], |found| Ok((found.get(0)?, found.get(1)?, found.get(2)?)))?;
        kept_out::tag_content(&self.transaction, tagging, &rows::hash_from(&sha256)?, size)?;
        let code = tagging.content_code(&rows::hash_from(&sha256)?, size);
        redacted_parts::masked(&self.transaction, row, code.as_ref())?;
        needles.add_hash(&sha256);
        remotes::forget_queued(&self.transaction, &sha256)?;
        needles.add_salt(&salt);
        self.transaction
            .prepare_cached(
                "UPDATE blobs SET encoding = 9, is_text = NULL, depth = 0, base_id = NULL, size = NULL, salt = NULL,
                    sha256 = NULL, data = NULL WHERE id = ?1",
            )?
            .execute([row])?;
        Ok(())
    }

    /// Writes anew every content whose delta base is one of `going` and that is not going itself.
    fn free_deltas_on(&self, going: &BTreeSet<i64>) -> Result<(), LogError> {
        let dependents: Vec<i64> = {
            let mut query =
                self.transaction.prepare("SELECT id, base_id FROM blobs WHERE base_id IS NOT NULL")?;
            let pairs = query.query_map([], |found| Ok((found.get(0)?, found.get(1)?)))?;
            let pairs = pairs.collect::<Result<BTreeMap<i64, i64>, _>>()?;
            let depends = |(id, base): &(i64, i64)| going.contains(base) && !going.contains(id);
            pairs.into_iter().filter(depends).map(|(id, _)| id).collect()
        };
        for id in dependents {
            let bytes =
                blob::read(&self.transaction, id)?.ok_or_else(|| LogError::Damaged(say::content_gone(id)))?;
            let whole = blob::encode(&bytes, None)?;
            self.transaction
                .prepare_cached(
                    "UPDATE blobs SET encoding = ?2, base_id = NULL, depth = 0, data = ?3 WHERE id = ?1",
                )?
                .execute(params![id, whole.encoding, whole.data])?;
        }
        Ok(())
    }

    /// Forgets what the file system said of the file whose content was masked, its size above all.
    fn forget_file(&self, version: &VersionRow) -> Result<(), LogError> {
        self.transaction
            .prepare_cached(
                "UPDATE live SET size = NULL, modified_nanos = NULL, changed_nanos = NULL, file_id = NULL
                 WHERE memory_id = (SELECT memory_id FROM versions WHERE seq = ?1) AND version_seq = ?1",
            )?
            .execute([version.id.seq])?;
        Ok(())
    }

    /// Takes a path out of the derived tables, and out of the log when no version names it any more.
    fn forget_path(&self, version: &VersionRow) -> Result<(), LogError> {
        let Some(path) = &version.path else { return Ok(()) };
        let Some(path_row) = rows::path_row(&self.transaction, path)? else { return Ok(()) };
        self.transaction
            .prepare_cached(
                "DELETE FROM memory_paths
                 WHERE path_id = ?1 AND memory_id = (SELECT id FROM memories WHERE public = ?2)
                   AND NOT EXISTS (SELECT 1 FROM versions v
                                   WHERE v.memory_id = memory_paths.memory_id AND v.path_id = ?1)
                   AND NOT EXISTS (SELECT 1 FROM live l
                                   WHERE l.memory_id = memory_paths.memory_id AND l.path_id = ?1)",
            )?
            .execute(params![path_row, &version.memory.0[..]])?;
        self.transaction
            .prepare_cached(
                "DELETE FROM paths WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM memory_paths WHERE path_id = ?1)
                 AND NOT EXISTS (SELECT 1 FROM live WHERE path_id = ?1)",
            )?
            .execute([path_row])?;
        self.transaction
            .prepare_cached(
                "DELETE FROM permissions WHERE path_id = ?1 AND NOT EXISTS (SELECT 1 FROM paths WHERE id = ?1)",
            )?
            .execute([path_row])?;
        Ok(())
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "mask";
    content_gone(id) => "content {id} is gone",
}
