//! Every column of the log that holds a text or bytes, and what a redaction does with it. A test compares the list with the
//! schema, so that a new column cannot be left out.

use crate::seals::Sealed;
use crate::seals::{self, Seals};
use crate::writer::Act;
use crate::{LogError, Reader, rows};
use retrace_message::AsMessage;
use retrace_model::{Actor, Sha256};
use rusqlite::types::Value;
use rusqlite::{Connection, params};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Replacement for a text that a chain covers.
pub const REDACTED_TEXT: &str = "[redacted]";

/// Prefix of the root of a store that was taken off the list and whose directory was redacted.
pub const REDACTED_ROOT: &[u8] = b"redacted:";

/// Treatment of a text by a redaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextCare {
    /// Part of a version, or derived from one: it goes with the version.
    Version,
    /// Part of a change that waits for a host: the change is taken back.
    Queue,
    /// Every redaction empties the table.
    Emptied,
    /// A chain covers it: all of it gives way to [`REDACTED_TEXT`], and a seal covers what stands there then.
    Sealed,
    /// All of it gives way to [`REDACTED_TEXT`].
    Whole,
    /// Each place in it that holds what is redacted is replaced.
    Replaced,
    /// As `Replaced`, in every string of the JSON it is.
    Json,
    /// The directory of a store. That of a store off the list is replaced; that of another is where its files are.
    Root,
    /// An id or an address that a host gave, by which the mirror is known. It stays.
    Host,
    /// Nothing from outside: a word of a fixed set, a number, a hash, an id made at random.
    Own,
}

/// What the texts of a column are, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Error, AsMessage)]
#[message("texts", saved)]
pub enum TextName {
    /// Directories of stores.
    #[error("Directories of stores")]
    DirectoriesStores,
    /// Fetched pages.
    #[error("Fetched pages")]
    FetchedPages,
    /// Hosted stores.
    #[error("Hosted stores")]
    HostedStores,
    /// Ids and addresses that hosts gave.
    #[error("Ids and addresses that hosts gave")]
    IdsAddressesHostsGave,
    /// Names, descriptions and metadata of stores.
    #[error("Names, descriptions and metadata of stores")]
    NamesDescriptionsMetadataStores,
    /// Names of sessions and writers.
    #[error("Names of sessions and writers")]
    NamesSessionsWriters,
    /// Notes of imported versions.
    #[error("Notes of imported versions")]
    NotesImportedVersions,
    /// Notes of operations.
    #[error("Notes of operations")]
    NotesOperations,
    /// Notes of reviews.
    #[error("Notes of reviews")]
    NotesReviews,
    /// Places written to or imported from.
    #[error("Places written to or imported from")]
    PlacesWrittenOrImportedFrom,
    /// Prompts.
    #[error("Prompts")]
    Prompts,
    /// Queued changes.
    #[error("Queued changes")]
    QueuedChanges,
    /// Receipts.
    #[error("Receipts")]
    Receipts,
    /// Rules.
    #[error("Rules")]
    Rules,
    /// Sessions joined to versions.
    #[error("Sessions joined to versions")]
    SessionsJoinedVersions,
}

/// A column that holds a text or bytes.
#[derive(Debug, PartialEq, Eq)]
pub struct TextPlace {
    /// The table.
    pub table: &'static str,
    /// The column.
    pub column: &'static str,
    /// For people; none where none is told of it.
    pub name: Option<TextName>,
    /// Its treatment.
    pub care: TextCare,
}

const fn text(
    table: &'static str,
    column: &'static str,
    name: Option<TextName>,
    care: TextCare,
) -> TextPlace {
    TextPlace { table, column, name, care }
}

/// Every column of the schema that holds a text or bytes.
pub const TEXTS: &[TextPlace] = &[
    text("stores", "public", None, TextCare::Own),
    text("stores", "kind", None, TextCare::Own),
    text("stores", "root", Some(TextName::DirectoriesStores), TextCare::Root),
    text("stores", "name", Some(TextName::NamesDescriptionsMetadataStores), TextCare::Replaced),
    text("stores", "state", None, TextCare::Own),
    text("stores", "state_detail", Some(TextName::NamesDescriptionsMetadataStores), TextCare::Replaced),
    text("stores", "root_boot", None, TextCare::Own),
    text("stores", "root_at", Some(TextName::DirectoriesStores), TextCare::Root),
    text("memories", "public", None, TextCare::Own),
    text("paths", "bytes", None, TextCare::Version),
    text("permissions", "directories", None, TextCare::Own),
    text("actors", "type", None, TextCare::Own),
    text("actors", "name", Some(TextName::NamesSessionsWriters), TextCare::Sealed),
    text("actors", "evidence", None, TextCare::Own),
    text("operations", "source", None, TextCare::Own),
    text("operations", "note", Some(TextName::NotesOperations), TextCare::Sealed),
    text("operations", "digest", None, TextCare::Own),
    text("blobs", "salt", None, TextCare::Own),
    text("blobs", "sha256", None, TextCare::Version),
    text("blobs", "data", None, TextCare::Version),
    text("redactions", "public", None, TextCare::Own),
    text("redactions", "reason", Some(TextName::Receipts), TextCare::Whole),
    text("redactions", "method", None, TextCare::Own),
    text("redactions", "purge", None, TextCare::Own),
    text("redactions", "chain_head", None, TextCare::Own),
    text("redactions", "warnings", Some(TextName::Receipts), TextCare::Replaced),
    text("receipt_places", "place", Some(TextName::Receipts), TextCare::Replaced),
    text("receipt_places", "state", None, TextCare::Own),
    text("receipt_places", "detail", Some(TextName::Receipts), TextCare::Replaced),
    text("receipt_places", "remedy", Some(TextName::Receipts), TextCare::Replaced),
    text("redaction_tags", "key_check", None, TextCare::Own),
    text("redaction_tags", "rolling", None, TextCare::Own),
    text("redaction_tags", "tag", None, TextCare::Own),
    text("redacted_parts", "tag", None, TextCare::Own),
    text("redacted_parts", "parts", None, TextCare::Own),
    text("versions", "salt", None, TextCare::Own),
    text("versions", "commitment", None, TextCare::Own),
    text("live", "shadow", None, TextCare::Own),
    text("review_acts", "verdict", None, TextCare::Own),
    text("review_acts", "note", Some(TextName::NotesReviews), TextCare::Sealed),
    text("review_acts", "digest", None, TextCare::Own),
    text("origin_transcripts", "path", Some(TextName::SessionsJoinedVersions), TextCare::Replaced),
    text("origins", "session", Some(TextName::SessionsJoinedVersions), TextCare::Replaced),
    text("origins", "confidence", None, TextCare::Own),
    text("origins", "basis", None, TextCare::Own),
    text("origins", "role", Some(TextName::SessionsJoinedVersions), TextCare::Replaced),
    text("origins", "agent", Some(TextName::SessionsJoinedVersions), TextCare::Replaced),
    text("origins", "model", Some(TextName::SessionsJoinedVersions), TextCare::Replaced),
    text("origins", "tool", Some(TextName::SessionsJoinedVersions), TextCare::Replaced),
    text("origins", "tool_use_id", Some(TextName::SessionsJoinedVersions), TextCare::Replaced),
    text("rebuilt", "note", Some(TextName::NotesImportedVersions), TextCare::Sealed),
    text("rebuilt", "leaf", None, TextCare::Own),
    text("api_stores", "description", Some(TextName::NamesDescriptionsMetadataStores), TextCare::Replaced),
    text("api_stores", "metadata", Some(TextName::NamesDescriptionsMetadataStores), TextCare::Json),
    text("prompts", "prompt", Some(TextName::Prompts), TextCare::Emptied),
    text("remotes", "base_url", Some(TextName::IdsAddressesHostsGave), TextCare::Host),
    text("remotes", "remote_id", Some(TextName::IdsAddressesHostsGave), TextCare::Host),
    text("remotes", "description", Some(TextName::HostedStores), TextCare::Replaced),
    text("remotes", "metadata", Some(TextName::HostedStores), TextCare::Json),
    text("remotes", "problem", Some(TextName::HostedStores), TextCare::Replaced),
    text("remotes", "cursor", Some(TextName::HostedStores), TextCare::Replaced),
    text("remotes", "host_name", Some(TextName::HostedStores), TextCare::Replaced),
    text("mirrored", "remote_version_id", Some(TextName::IdsAddressesHostsGave), TextCare::Host),
    text("mirrored", "remote_memory_id", Some(TextName::IdsAddressesHostsGave), TextCare::Host),
    text("remote_staged", "remote_version_id", Some(TextName::FetchedPages), TextCare::Emptied),
    text("remote_staged", "remote_memory_id", Some(TextName::FetchedPages), TextCare::Emptied),
    text("remote_staged", "operation", Some(TextName::FetchedPages), TextCare::Emptied),
    text("remote_staged", "path", Some(TextName::FetchedPages), TextCare::Emptied),
    text("remote_staged", "content", Some(TextName::FetchedPages), TextCare::Emptied),
    text("remote_staged", "actor_type", Some(TextName::FetchedPages), TextCare::Emptied),
    text("remote_staged", "actor_name", Some(TextName::FetchedPages), TextCare::Emptied),
    text("remote_queue", "kind", None, TextCare::Own),
    text("remote_queue", "path", None, TextCare::Queue),
    text("remote_queue", "moved_from", None, TextCare::Queue),
    text("remote_queue", "remote_memory_id", Some(TextName::IdsAddressesHostsGave), TextCare::Host),
    text("remote_queue", "remote_version_id", Some(TextName::IdsAddressesHostsGave), TextCare::Host),
    text("remote_queue", "expected_sha256", None, TextCare::Own),
    text("remote_queue", "content", None, TextCare::Queue),
    text("remote_queue", "content_sha256", None, TextCare::Own),
    text("remote_queue", "source", None, TextCare::Own),
    text("remote_queue", "note", Some(TextName::QueuedChanges), TextCare::Replaced),
    text("remote_queue", "state", None, TextCare::Own),
    text("remote_queue", "message", Some(TextName::QueuedChanges), TextCare::Replaced),
    text("unsettled", "boot", None, TextCare::Own),
    text("seals", "kind", None, TextCare::Own),
    text("seals", "seal", None, TextCare::Own),
    text("rule_acts", "act", None, TextCare::Own),
    text("rule_acts", "fields", Some(TextName::Rules), TextCare::Json),
    text("guard_acts", "file", Some(TextName::PlacesWrittenOrImportedFrom), TextCare::Replaced),
    text("guard_acts", "command", Some(TextName::Rules), TextCare::Replaced),
    text("guard_acts", "inserted", Some(TextName::Rules), TextCare::Replaced),
    text("broken_rules", "mark", None, TextCare::Own),
    text("broken_rules", "session", Some(TextName::SessionsJoinedVersions), TextCare::Replaced),
    text("broken_rules", "transcript", Some(TextName::SessionsJoinedVersions), TextCare::Replaced),
    text("broken_rules", "what", Some(TextName::Rules), TextCare::Replaced),
    text("broken_rules", "cause", None, TextCare::Own),
    text("broken_rules", "grade", None, TextCare::Own),
    text("broken_rule_acts", "act", None, TextCare::Own),
    text("elsewhere", "kind", None, TextCare::Own),
    text("elsewhere", "path", Some(TextName::PlacesWrittenOrImportedFrom), TextCare::Replaced),
];

/// Full-text indexes are derived from versions and written anew by each purge; they and their tables hold no column of the list.
pub const SEARCH_TABLES: [&str; 2] = ["live_text", "history_text"];

/// A column from which something was taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextHits {
    /// Where.
    pub place: &'static TextPlace,
    /// Rows that held it.
    pub rows: u64,
}

impl Reader<'_> {
    /// Goes through every text of the log that is no part of a version: each different text of a column, with the number of rows
    /// that hold it.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn texts(&self, mut visit: impl FnMut(&'static TextPlace, &[u8], u64)) -> Result<(), LogError> {
        for place in TEXTS.iter().filter(|place| place.is_searched()) {
            for (value, rows) in distinct(self.connection, place)? {
                visit(place, bytes_of(&value), rows);
            }
        }
        Ok(())
    }
}

impl TextPlace {
    /// True if messages of the program are saved there as their texts, one a line.
    #[must_use]
    pub fn holds_messages(&self) -> bool {
        matches!(
            (self.table, self.column),
            ("redactions", "warnings")
                | ("receipt_places", "place" | "detail" | "remedy")
                | ("operations" | "review_acts", "note")
                | ("stores", "state_detail")
                | ("remotes", "problem")
                | ("remote_queue", "note" | "message")
        )
    }

    const fn is_searched(&self) -> bool {
        !matches!(self.care, TextCare::Version | TextCare::Queue | TextCare::Own)
    }

    fn sql(&self, sql: &str) -> String {
        sql.replace("{table}", self.table).replace("{column}", self.column)
    }
}

fn distinct(connection: &Connection, place: &TextPlace) -> Result<Vec<(Value, u64)>, LogError> {
    let sql =
        place.sql("SELECT {column}, count(*) FROM {table} WHERE {column} IS NOT NULL GROUP BY {column} ORDER BY {column}");
    let mut query = connection.prepare(&sql)?;
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn bytes_of(value: &Value) -> &[u8] {
    match value {
        Value::Text(text) => text.as_bytes(),
        Value::Blob(bytes) => bytes,
        _ => &[],
    }
}

/// The same kind of value with other bytes.
fn like(value: &Value, bytes: Vec<u8>) -> Value {
    match value {
        Value::Blob(_) => Value::Blob(bytes),
        _ => Value::Text(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

impl Act<'_> {
    /// Takes what is redacted out of every text of the log that is no part of a version. `replaced` is asked once for each
    /// different text of a column, and answers what stands there then; `None` leaves it. The name of `keep` stays, for it is
    /// written with every act. The next operation to be appended is that of the redaction: it covers the seals that are made.
    ///
    /// # Errors
    /// A failure of the database. The transaction can only be dropped then.
    pub fn redact_texts(
        &mut self,
        keep: &Actor,
        mut replaced: impl FnMut(&'static TextPlace, &[u8]) -> Option<Vec<u8>>,
    ) -> Result<Vec<TextHits>, LogError> {
        self.whole(|act| {
            let connection: &Connection = &act.transaction;
            let mut done: Vec<TextHits> = Vec::new();
            let mut note = |place: &'static TextPlace, rows: u64| {
                if rows > 0 {
                    done.push(TextHits { place, rows });
                }
            };
            let mut sealed = Texts::default();
            for place in TEXTS.iter().filter(|place| place.is_searched()) {
                let mut rows = 0;
                for (value, count) in distinct(connection, place)? {
                    let Some(after) = replaced(place, bytes_of(&value)) else { continue };
                    rows += match place.care {
                        TextCare::Sealed => sealed.add(connection, place, &value, keep)?,
                        TextCare::Whole => {
                            put(connection, place, &value, &Value::Text(REDACTED_TEXT.to_owned()))?
                        }
                        TextCare::Replaced | TextCare::Json => {
                            put(connection, place, &value, &like(&value, after))?
                        }
                        TextCare::Root => forget_root(connection, place, &value)?,
                        TextCare::Emptied => count,
                        TextCare::Host | TextCare::Version | TextCare::Queue | TextCare::Own => 0,
                    };
                }
                note(place, rows);
            }
            let made = sealed.take_out(act)?;
            act.seals = made;
            Ok(done)
        })
    }
}

/// Puts another value in place of one. Where the table has it already, a number is added.
fn put(connection: &Connection, place: &TextPlace, from: &Value, to: &Value) -> Result<u64, LogError> {
    let mut update =
        connection.prepare(&place.sql("UPDATE {table} SET {column} = ?2 WHERE {column} = ?1"))?;
    for number in 1.. {
        let value = match number {
            1 => to.clone(),
            _ => like(to, [bytes_of(to), format!(" {number}").as_bytes()].concat()),
        };
        match update.execute(params![from, value]) {
            Ok(rows) => return Ok(rows as u64),
            Err(rusqlite::Error::SqliteFailure(error, _))
                if error.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(0)
}

/// Replaces the directory of a store that is off the list, and forgets where its path led; that of another is where its files are.
fn forget_root(connection: &Connection, place: &TextPlace, root: &Value) -> Result<u64, LogError> {
    let update = match place.column {
        "root" => "UPDATE stores SET root = CAST('redacted:' || hex(public) AS BLOB) WHERE root = ?1",
        _ => "UPDATE stores SET root_at = NULL WHERE root_at = ?1",
    };
    let changed = connection
        .prepare_cached(&format!(
            "{update} AND removed_at IS NOT NULL AND substr(root, 1, 7) <> CAST('remote:' AS BLOB)"
        ))?
        .execute([root])?;
    Ok(changed as u64)
}

/// Texts that a chain covers and that are about to go.
#[derive(Default)]
struct Texts {
    /// Notes: of what, and its number.
    notes: BTreeSet<(Sealed, u64)>,
    /// Rows of actors.
    actors: BTreeSet<i64>,
}

impl Texts {
    fn add(
        &mut self,
        connection: &Connection,
        place: &TextPlace,
        value: &Value,
        keep: &Actor,
    ) -> Result<u64, LogError> {
        let (sql, kind) = match place.table {
            "operations" => ("SELECT seq FROM operations WHERE note = ?1", Sealed::Operation),
            "review_acts" => ("SELECT seq FROM review_acts WHERE note = ?1", Sealed::Review),
            "rebuilt" => ("SELECT version_seq FROM rebuilt WHERE note = ?1", Sealed::Version),
            _ => {
                let kept = rows::intern_actor(connection, keep)?;
                let mut query = connection.prepare_cached("SELECT id FROM actors WHERE name = ?1")?;
                let found = query.query_map([value], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
                let before = self.actors.len();
                self.actors.extend(found.into_iter().filter(|row| Some(*row) != kept));
                return Ok((self.actors.len() - before) as u64);
            }
        };
        let mut query = connection.prepare_cached(sql)?;
        let found = query.query_map([value], |row| row.get(0))?.collect::<Result<Vec<u64>, _>>()?;
        let count = found.len() as u64;
        self.notes.extend(found.into_iter().map(|seq| (kind, seq)));
        Ok(count)
    }

    /// Parts of the chains that concern them.
    fn concerned(&self, connection: &Connection) -> Result<BTreeSet<(Sealed, u64)>, LogError> {
        let mut concerned = self.notes.clone();
        let mut of_actors = connection.prepare_cached(
            "SELECT 1, seq FROM operations WHERE actor_id = ?1
             UNION ALL SELECT 2, seq FROM review_acts WHERE actor_id = ?1
             UNION ALL SELECT 3, version_seq FROM rebuilt WHERE actor_id = ?1",
        )?;
        for actor in &self.actors {
            let mut found = of_actors.query([actor])?;
            while let Some(row) = found.next()? {
                let kind = match row.get(0)? {
                    1 => Sealed::Operation,
                    2 => Sealed::Review,
                    _ => Sealed::Version,
                };
                concerned.insert((kind, row.get(1)?));
            }
        }
        Ok(concerned)
    }

    fn take_out(&self, act: &Act<'_>) -> Result<Option<Sha256>, LogError> {
        let (connection, reader): (&Connection, _) = (&act.transaction, act.reader());
        let concerned = self.concerned(connection)?;
        if concerned.is_empty() {
            self.rename_actors(connection)?;
            return Ok(None);
        }
        let before = Seals::load(connection)?;
        let mut sound = Vec::new();
        for (kind, seq) in &concerned {
            let (says, kept) = reader.says_and_kept(*kind, *seq, &before)?;
            // A seal that does not verify is not made, so that it never will.
            if says == kept || before.fits(*kind, *seq, &says, &kept) {
                sound.push((*kind, *seq));
            }
            if *kind == Sealed::Version {
                connection
                    .prepare_cached("UPDATE rebuilt SET leaf = ?2 WHERE version_seq = ?1 AND leaf IS NULL")?
                    .execute(params![seq, &kept.0[..]])?;
            }
        }
        for (kind, seq) in &self.notes {
            let sql = match kind {
                Sealed::Operation => "UPDATE operations SET note = ?2 WHERE seq = ?1",
                Sealed::Review => "UPDATE review_acts SET note = ?2 WHERE seq = ?1",
                Sealed::Version => "UPDATE rebuilt SET note = ?2 WHERE version_seq = ?1",
            };
            connection.prepare_cached(sql)?.execute(params![seq, REDACTED_TEXT])?;
        }
        self.rename_actors(connection)?;
        let mut sealing = BTreeMap::new();
        for (kind, seq) in sound {
            sealing.insert((kind, seq), reader.says_and_kept(kind, seq, &before)?);
        }
        let (_, last) = rows::head_of_chain(connection)?;
        seals::seal(connection, last + 1, &sealing)
    }

    fn rename_actors(&self, connection: &Connection) -> Result<(), LogError> {
        let mut rename =
            connection.prepare_cached("UPDATE actors SET name = '[redacted ' || id || ']' WHERE id = ?1")?;
        for actor in &self.actors {
            rename.execute([actor])?;
        }
        Ok(())
    }
}
