//! Redacted content stays out: it is known again without being kept.
//!
//! A redaction keeps a tag of each content it masks and of each exact secret it was given: a code (HMAC-SHA256) under a key
//! that lies in a file beside the database. Whatever comes into the log and does not stand on disk is compared with the tags:
//! [`Act::rebuild`], [`Act::mirror`] and pages of a pull take out what they find and say so, and [`Act::append`] refuses a new
//! content that was not compared with them before. What stands on disk is recorded as it is.
//!
//! What is imported again at the very place of a redacted version is known by tags of places (`places.rs`), so that nothing else of
//! its instant stays out.
//!
//! A secret or content of fewer than twelve bytes has no tag: it occurs by chance, and whoever has the key could guess it.
//! Without the key nothing is known again; then nothing is brought in from outside until a person says so.

mod key;
mod places;

use crate::writer::Act;
use crate::{LogError, LogFiles, Reader, rows};
use retrace_model::{ReceiptId, Sha256, StoreId};
use retrace_tags::{Kept, Key};
use rusqlite::{Connection, params};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) use places::{Fate, Places, tag_place};
pub use retrace_tags::{Held, MARKER, SHORTEST, Tags};

/// The tags that were read last.
#[derive(Clone, Debug)]
pub struct Known {
    /// The newest of them.
    newest: i64,
    tags: Arc<Tags>,
}

/// Recorder of what is masked, in one redaction.
pub(crate) struct Tagging {
    key: Key,
    redaction: i64,
    /// A client of the API redacts, and may write the content again.
    anew: bool,
}

impl Tagging {
    /// For a redaction that a client of the API makes.
    pub(crate) fn of_a_client(self) -> Self {
        Self { anew: true, ..self }
    }

    /// The code of a content; none of one that is too short for a tag.
    pub(crate) fn content_code(&self, sha256: &Sha256, size: u64) -> Option<[u8; 32]> {
        (size >= SHORTEST as u64).then(|| self.key.content_code(sha256))
    }
}

impl LogFiles {
    /// The file with the key of what was redacted.
    #[must_use]
    pub fn redaction_key(&self) -> std::path::PathBuf {
        self.directory().join("redaction.key")
    }
}

impl Reader<'_> {
    /// Tags of redacted content that must not reappear. `known` is what was read before, which is read again only when
    /// it is not so any more.
    ///
    /// # Errors
    /// A failure of the database, or of reading the key.
    pub fn tags(&self, files: &LogFiles, known: &mut Option<Known>) -> Result<Arc<Tags>, LogError> {
        current(self.connection, files, known)
    }

    /// Tags of redacted content that must not reappear, with the key read anew.
    ///
    /// # Errors
    /// A failure of the database, or of reading the key.
    pub fn tags_anew(&self, files: &LogFiles) -> Result<Tags, LogError> {
        load(self.connection, files)
    }

    /// Tags by which it is known again what a redaction took out: its own, and those of earlier ones, which it left no second tag of.
    /// One whose exact secret has a tag of its own needs no other.
    ///
    /// # Errors
    /// A failure of the database, or of reading the key.
    pub fn tags_for(&self, receipt: ReceiptId, files: &LogFiles) -> Result<Tags, LogError> {
        let tags = load_where(
            self.connection,
            files,
            "WHERE redaction_id <= (SELECT id FROM redactions WHERE public = ?1)
               AND (redaction_id = (SELECT id FROM redactions WHERE public = ?1) OR NOT EXISTS
                    (SELECT 1 FROM redactions r JOIN redaction_tags own ON own.redaction_id = r.id
                     WHERE r.public = ?1 AND r.method = 'secret' AND own.size IS NOT NULL))",
            params![&receipt.0[..]],
        )?;
        Ok(tags)
    }

    /// How many tags a redaction left of what nobody may write again. A content or text of fewer than twelve bytes has none.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn tags_of(&self, receipt: ReceiptId) -> Result<u64, LogError> {
        let sql = "SELECT count(*) FROM redaction_tags
             WHERE redaction_id = (SELECT id FROM redactions WHERE public = ?1) AND NOT anew";
        Ok(self.connection.prepare_cached(sql)?.query_row([&receipt.0[..]], |row| row.get(0))?)
    }

    /// Versions of a store that were found on disk and hold something that was redacted before, by place in the log.
    ///
    /// # Errors
    /// [`LogError::NotFound`] for an unknown store, or a failure of the database.
    pub fn redacted_back(&self, store: StoreId) -> Result<BTreeSet<u64>, LogError> {
        let row = rows::store_row(self.connection, store)?;
        let mut query = self.connection.prepare_cached(
            "SELECT b.version_seq FROM redacted_back b JOIN versions v ON v.seq = b.version_seq WHERE v.store_id = ?1",
        )?;
        let found = query.query_map([row], |found| found.get(0))?;
        Ok(found.collect::<Result<_, _>>()?)
    }
}

impl Act<'_> {
    /// Tags of redacted content that must not reappear, as this transaction sees it.
    ///
    /// # Errors
    /// A failure of the database, or of reading the key.
    pub fn tags(&mut self) -> Result<Arc<Tags>, LogError> {
        // Tags that this transaction added may be taken back with it.
        if self.tagged {
            return Ok(Arc::new(load(&self.transaction, self.files)?));
        }
        current(&self.transaction, self.files, self.tags)
    }

    /// As [`Act::tags`], for what comes from outside.
    ///
    /// # Errors
    /// [`LogError::KeyLost`] when something redacted would not be known again, else as [`Act::tags`].
    pub(crate) fn tags_for_others(&mut self) -> Result<Arc<Tags>, LogError> {
        let tags = self.tags()?;
        match tags.lost() {
            0 => Ok(tags),
            lost => Err(LogError::KeyLost(lost)),
        }
    }

    /// Keeps tags of exact secrets that a redaction takes out; answers how many were too short for one. `redaction` is the row
    /// made by [`Act::add_receipt`] in the same transaction.
    ///
    /// # Errors
    /// A failure of the database, or of making the key.
    pub fn keep_out<'s>(
        &mut self,
        redaction: i64,
        secrets: impl IntoIterator<Item = &'s [u8]>,
    ) -> Result<u64, LogError> {
        let mut short = 0;
        let tagging = self.tagging(redaction)?;
        for secret in secrets {
            if secret.len() < SHORTEST {
                short += 1;
                self.short.push(secret.to_vec());
                continue;
            }
            let tag = tagging.key.secret_code(secret);
            let rolling = tagging.key.hidden_rolling(secret, &tag);
            insert(&self.transaction, &tagging, &tag, Some((secret.len(), rolling)))?;
        }
        Ok(short)
    }

    /// Forgets what was redacted under a key that is gone, so that things can be brought in again; answers how many tags went.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn forget_lost_tags(&mut self) -> Result<u64, LogError> {
        let key = key::read(self.files)?;
        self.tagged = true;
        *self.tags = None;
        let check = key.map(|key| key.check().to_vec());
        let gone = self
            .transaction
            .execute("DELETE FROM redaction_tags WHERE ?1 IS NULL OR key_check <> ?1", [check])?;
        Ok(gone as u64)
    }

    /// Begins to take notes of what a redaction masks. Where the key of earlier ones is gone there is no second one beside it:
    /// with whichever of the two came back, what the other knows would be known no more.
    ///
    /// # Errors
    /// [`LogError::KeyLost`], or a failure of the database or of making the key.
    pub(crate) fn tagging(&mut self, redaction: i64) -> Result<Tagging, LogError> {
        self.tags_for_others()?;
        let key = key::read_or_make(self.files, self.entropy)?;
        self.tagged = true;
        Ok(Tagging { key, redaction, anew: false })
    }

    /// A text of a person or of a source, without what was redacted.
    pub(crate) fn clean<'t>(&mut self, text: &'t str) -> Result<Cow<'t, str>, LogError> {
        Ok(self.tags()?.without_in_text(text).map_or(Cow::Borrowed(text), Cow::Owned))
    }

    /// The same of a JSON text, of each string in it.
    pub(crate) fn clean_json<'t>(&mut self, json: &'t str) -> Result<Cow<'t, str>, LogError> {
        Ok(self.tags()?.without_in_json(json).map_or(Cow::Borrowed(json), Cow::Owned))
    }
}

/// Keeps a tag of a content that is masked.
pub(crate) fn tag_content(
    connection: &Connection,
    tagging: &Tagging,
    sha256: &Sha256,
    size: u64,
) -> Result<(), LogError> {
    match tagging.content_code(sha256, size) {
        Some(code) => insert(connection, tagging, &code, None),
        None => Ok(()),
    }
}

fn insert(
    connection: &Connection,
    tagging: &Tagging,
    tag: &[u8; 32],
    secret: Option<(usize, [u8; 8])>,
) -> Result<(), LogError> {
    if !tagging.anew {
        // A person means it for everybody.
        connection
            .prepare_cached("DELETE FROM redaction_tags WHERE tag = ?1 AND anew")?
            .execute([&tag[..]])?;
    }
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO redaction_tags (redaction_id, key_check, size, rolling, tag, anew)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            tagging.redaction,
            &tagging.key.check()[..],
            secret.map(|(size, _)| size),
            secret.map(|(_, rolling)| rolling.to_vec()),
            &tag[..],
            tagging.anew,
        ])?;
    Ok(())
}

/// Keeps a code of a place. It keeps no content out, so it is kept as what may be written again.
fn insert_place(connection: &Connection, tagging: &Tagging, code: &[u8; 32]) -> Result<(), LogError> {
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO redaction_tags (redaction_id, key_check, tag, anew) VALUES (?1, ?2, ?3, 1)",
        )?
        .execute(params![tagging.redaction, &tagging.key.check()[..], &code[..]])?;
    Ok(())
}

/// Notes a version found on disk whose content holds something that was redacted before.
pub(crate) fn reappeared(connection: &Connection, version: u64) -> Result<(), LogError> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO redacted_back (version_seq) VALUES (?1)")?
        .execute([version])?;
    Ok(())
}

/// Forgets such a note of a version that is redacted now.
pub(crate) fn is_out_again(connection: &Connection, version: u64) -> Result<(), LogError> {
    connection.prepare_cached("DELETE FROM redacted_back WHERE version_seq = ?1")?.execute([version])?;
    Ok(())
}

fn current(
    connection: &Connection,
    files: &LogFiles,
    known: &mut Option<Known>,
) -> Result<Arc<Tags>, LogError> {
    let newest = newest(connection)?;
    if let Some(known) = known.as_ref().filter(|known| known.newest == newest) {
        return Ok(Arc::clone(&known.tags));
    }
    let tags = Arc::new(load(connection, files)?);
    // A key that is gone may be put back.
    *known = (tags.lost() == 0).then(|| Known { newest, tags: Arc::clone(&tags) });
    Ok(tags)
}

fn newest(connection: &Connection) -> Result<i64, LogError> {
    Ok(connection
        .prepare_cached("SELECT coalesce(max(id), 0) FROM redaction_tags")?
        .query_row([], |row| row.get(0))?)
}

fn load(connection: &Connection, files: &LogFiles) -> Result<Tags, LogError> {
    if newest(connection)? == 0 {
        return Ok(Tags::default());
    }
    load_where(connection, files, "", params![])
}

fn load_where(
    connection: &Connection,
    files: &LogFiles,
    which: &str,
    parameters: &[&dyn rusqlite::ToSql],
) -> Result<Tags, LogError> {
    let sql = format!("SELECT key_check, size, rolling, tag, anew FROM redaction_tags {which} ORDER BY id");
    let mut query = connection.prepare_cached(&sql)?;
    let kept = query
        .query_map(parameters, |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get::<_, Vec<u8>>(3)?, row.get(4)?))
        })?
        .map(|row| {
            let (key_check, size, rolling, tag, anew) = row?;
            Ok(Kept { key_check, size, rolling, tag: rows::hash_from(&tag)?.0, anew })
        })
        .collect::<Result<Vec<_>, LogError>>()?;
    Ok(Tags::new(key::read(files)?, kept))
}
