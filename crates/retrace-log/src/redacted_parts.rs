//! Where in masked contents the redacted texts stood. Their bytes are gone and so is the hash; places alone stay, by which a machine
//! with the same content takes out the same texts and leaves the rest.

use crate::writer::Act;
use crate::{LogError, Reader, VersionRow};
use rusqlite::{Connection, OptionalExtension as _, params};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Places in one content: first byte, and the one after the last.
pub type Parts = Vec<(u64, u64)>;

impl Act<'_> {
    /// Notes where redacted texts stand in the contents of versions that are about to be masked, whose other bytes nobody wants gone.
    /// Without such a note a content goes as a whole. To be called before [`Act::mask`], in the same transaction.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn note_parts(
        &mut self,
        versions: &[VersionRow],
        parts_of: impl Fn(&[u8]) -> Option<Parts>,
    ) -> Result<(), LogError> {
        let mut done = BTreeSet::new();
        for version in versions.iter().filter(|version| version.redaction.is_none()) {
            let Some(blob) = version.blob_row.filter(|blob| done.insert(*blob)) else { continue };
            let parts = match self.reader().content(version) {
                Ok(Some(content)) => parts_of(&content.bytes),
                // It was never read, so the path is what held it.
                Ok(None) | Err(LogError::NotKept(_)) => parts_of(&[]),
                // Nobody can say where it stood.
                Err(_) => None,
            };
            let Some(parts) = parts else { continue };
            self.transaction
                .prepare_cached("INSERT OR REPLACE INTO redacted_parts (blob_id, parts) VALUES (?1, ?2)")?
                .execute(params![blob, packed(&parts)])?;
        }
        Ok(())
    }
}

impl Reader<'_> {
    /// Where redacted texts stood in the contents of masked versions, by place in the log. One that went as a whole is not among them.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn parts_of(&self, seqs: &[u64]) -> Result<BTreeMap<u64, Parts>, LogError> {
        let mut query = self.connection.prepare_cached(
            "SELECT p.parts FROM versions v JOIN redacted_parts p ON p.blob_id = v.blob_id
             WHERE v.seq = ?1 AND v.redaction_id IS NOT NULL",
        )?;
        let mut found = BTreeMap::new();
        for seq in seqs {
            let parts: Option<Vec<u8>> = query.query_row([seq], |row| row.get(0)).optional()?;
            found.extend(parts.map(|parts| (*seq, unpacked(&parts))));
        }
        Ok(found)
    }

    /// The same by the codes of the contents ([`crate::Tags::code_of_content`]).
    ///
    /// # Errors
    /// A failure of the database.
    pub fn parts_by_code(&self) -> Result<HashMap<Vec<u8>, Parts>, LogError> {
        let mut query = self
            .connection
            .prepare_cached("SELECT tag, parts FROM redacted_parts WHERE tag IS NOT NULL ORDER BY blob_id")?;
        let mut rows = query.query([])?;
        let mut found: HashMap<Vec<u8>, Parts> = HashMap::new();
        while let Some(row) = rows.next()? {
            // Redacted more than once, each time for another text.
            let all = found.entry(row.get(0)?).or_default();
            all.extend(unpacked(&row.get::<_, Vec<u8>>(1)?));
            all.sort_unstable();
            all.dedup();
        }
        Ok(found)
    }
}

/// A content is masked: its places are found by its code from now on. One that goes as a whole has none, nor has it those that it had
/// when it was redacted before.
pub(crate) fn masked(connection: &Connection, blob: i64, code: Option<&[u8; 32]>) -> Result<(), LogError> {
    let Some(code) = code else { return Ok(()) };
    let noted = connection
        .prepare_cached("UPDATE redacted_parts SET tag = ?2 WHERE blob_id = ?1")?
        .execute(params![blob, &code[..]])?;
    if noted == 0 {
        connection.prepare_cached("DELETE FROM redacted_parts WHERE tag = ?1")?.execute([&code[..]])?;
    }
    Ok(())
}

fn packed(parts: &Parts) -> Vec<u8> {
    parts.iter().flat_map(|(start, end)| [start.to_le_bytes(), end.to_le_bytes()]).flatten().collect()
}

fn unpacked(bytes: &[u8]) -> Parts {
    let number = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
    bytes.chunks_exact(16).map(|pair| (number(&pair[..8]), number(&pair[8..]))).collect()
}
