//! Whether the log is sound: schema, foreign keys, chain, contents, derived tables.

use crate::chain::{Digest, GENESIS, Link};
use crate::read::ReadConnection;
use crate::{LogError, LogFiles, RawHits, Reader, blob, migrate, purge, search};
use retrace_model::Sha256;
use rusqlite::Connection;

/// What verification found.
#[derive(Clone, Debug, Default)]
pub struct Verification {
    /// What is wrong, each in a sentence.
    pub problems: Vec<String>,
    /// Versions checked.
    pub versions: u64,
    /// Contents checked.
    pub blobs: u64,
    /// Head of the chain.
    pub chain_head: Option<Sha256>,
}

/// Problems after which verification stops listing: a damaged log has many, and the first ones say enough.
const ENOUGH: usize = 100;

impl Reader<'_> {
    /// Checks everything.
    ///
    /// # Errors
    /// Only when the database cannot be read at all; what is wrong in it is a problem in the answer.
    pub fn verify(&self) -> Result<Verification, LogError> {
        let mut found = Verification::default();
        self.check_file(&mut found)?;
        self.check_schema(&mut found)?;
        self.check_chain(&mut found)?;
        self.check_contents(&mut found)?;
        self.check_derived(&mut found)?;
        found.problems.truncate(ENOUGH);
        Ok(found)
    }

    /// Checks the chain alone: what is wrong with it, each in a sentence.
    ///
    /// # Errors
    /// Only when the database cannot be read at all.
    pub fn verify_chain(&self) -> Result<Vec<String>, LogError> {
        let mut found = Verification::default();
        self.check_chain(&mut found)?;
        Ok(found.problems)
    }

    fn check_file(&self, found: &mut Verification) -> Result<(), LogError> {
        let mut query = self.connection.prepare("PRAGMA integrity_check(20)")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let line: String = row.get(0)?;
            if line != "ok" {
                found.problems.push(format!("the database file: {line}"));
            }
        }
        let mut query = self.connection.prepare("PRAGMA foreign_key_check")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
            found.problems.push(format!("a row of {table} names a row of {parent} that does not exist"));
            if found.problems.len() > ENOUGH {
                break;
            }
        }
        Ok(())
    }

    /// Every table, index and trigger is as a fresh database has it.
    fn check_schema(&self, found: &mut Verification) -> Result<(), LogError> {
        let mut fresh = Connection::open_in_memory()?;
        migrate::migrate(&mut fresh)?;
        let (expected, actual) = (schema(&fresh)?, schema(self.connection)?);
        for (name, sql) in &expected {
            match actual.iter().find(|(other, _)| other == name) {
                None => found.problems.push(format!("the schema lacks {name}")),
                Some((_, other)) if other != sql => {
                    found.problems.push(format!("the schema's {name} was altered"))
                }
                Some(_) => {}
            }
        }
        for (name, _) in actual.iter().filter(|(name, _)| !expected.iter().any(|(known, _)| known == name)) {
            found.problems.push(format!("the schema has an unknown {name}"));
        }
        Ok(())
    }

    fn check_chain(&self, found: &mut Verification) -> Result<(), LogError> {
        let (mut previous, mut next_version, mut expected_seq) = (GENESIS, 1, 1);
        let mut before = 0;
        loop {
            let page = self.operations_after(before)?;
            let Some(last) = page.last() else { break };
            before = last.seq;
            for operation in &page {
                if operation.seq != expected_seq {
                    found
                        .problems
                        .push(format!("operations {expected_seq} to {} are missing", operation.seq - 1));
                }
                expected_seq = operation.seq + 1;
                let link = Link {
                    seq: operation.seq,
                    store: operation.store,
                    source: operation.source,
                    created_at: operation.created_at,
                    actor: &operation.actor,
                    note: operation.note.as_deref(),
                    undoes: operation.undoes,
                };
                let mut digest = Digest::new(&previous, &link);
                if operation.first_version != next_version {
                    found.problems.push(format!(
                        "operation {} does not begin at version {next_version}",
                        operation.seq
                    ));
                }
                for seq in operation.first_version..operation.first_version + operation.versions {
                    match self.version(seq) {
                        Ok(version) => {
                            if version.operation_seq != operation.seq {
                                found
                                    .problems
                                    .push(format!("version {seq} names another operation than its own"));
                            }
                            digest.leaf(&version.leaf);
                            found.versions += 1;
                        }
                        Err(LogError::NotFound { .. }) => {
                            found.problems.push(format!("version {seq} is missing"))
                        }
                        Err(LogError::Damaged(what)) => found.problems.push(what),
                        Err(error) => return Err(error),
                    }
                }
                next_version = operation.first_version + operation.versions;
                if digest.finish() != operation.digest {
                    found
                        .problems
                        .push(format!("operation {} or one of its versions was altered", operation.seq));
                }
                // Going on from the kept digest names every altered operation, not only the first.
                previous = operation.digest;
                if found.problems.len() > ENOUGH {
                    return Ok(());
                }
            }
        }
        if self.last_version()? + 1 != next_version {
            found.problems.push("there are versions of no operation".to_owned());
        }
        found.chain_head = Some(previous);
        Ok(())
    }

    fn check_contents(&self, found: &mut Verification) -> Result<(), LogError> {
        let mut query =
            self.connection.prepare("SELECT id, encoding, sha256, size FROM blobs ORDER BY id")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let (id, encoding): (i64, i64) = (row.get(0)?, row.get(1)?);
            found.blobs += 1;
            if encoding == blob::MASKED || encoding == blob::NOT_KEPT {
                continue;
            }
            let hash: Option<Vec<u8>> = row.get(2)?;
            match blob::read(self.connection, id) {
                Ok(Some(bytes)) if hash.as_deref() == Some(&Sha256::of(&bytes).0[..]) => {}
                Ok(Some(_)) => found.problems.push(format!("content {id} has another hash than recorded")),
                Ok(None) => found.problems.push(format!("content {id} is empty-handed")),
                Err(LogError::Damaged(what)) => found.problems.push(format!("content {id}: {what}")),
                Err(error) => return Err(error),
            }
            if found.problems.len() > ENOUGH {
                break;
            }
        }
        Ok(())
    }

    fn check_derived(&self, found: &mut Verification) -> Result<(), LogError> {
        let checks = [
            (
                "versions name paths that are not kept",
                "SELECT count(*) FROM versions v WHERE v.path_id IS NOT NULL
                 AND NOT EXISTS (SELECT 1 FROM paths p WHERE p.id = v.path_id)",
            ),
            (
                "places of memories are not kept as such",
                "SELECT count(*) FROM memory_paths mp WHERE NOT EXISTS (SELECT 1 FROM paths p WHERE p.id = mp.path_id)",
            ),
            (
                "live memories do not stand at their newest version",
                "SELECT count(*) FROM live l
                 WHERE l.version_seq <> (SELECT max(v.seq) FROM versions v WHERE v.memory_id = l.memory_id)",
            ),
            (
                "memories are live although their newest version deleted them, or the other way round",
                "SELECT count(*) FROM memories m
                 WHERE (SELECT v.change <> 3 FROM versions v WHERE v.memory_id = m.id ORDER BY v.seq DESC LIMIT 1)
                    <> EXISTS (SELECT 1 FROM live l WHERE l.memory_id = m.id)",
            ),
            (
                "versions and their redactions disagree",
                "SELECT count(*) FROM versions v JOIN blobs b ON b.id = v.blob_id
                 WHERE (b.encoding = 9) <> (v.redaction_id IS NOT NULL)",
            ),
            (
                "stores count another number of versions than they have",
                "SELECT count(*) FROM stores s
                 WHERE s.versions <> (SELECT count(*) FROM versions v WHERE v.store_id = s.id)",
            ),
        ];
        for (what, sql) in checks {
            let count: i64 = self.connection.query_row(sql, [], |row| row.get(0))?;
            if count > 0 {
                found.problems.push(format!("{count} {what}"));
            }
        }
        Ok(())
    }

    fn operations_after(&self, seq: u64) -> Result<Vec<crate::OperationRow>, LogError> {
        self.operations_between(seq, 1000)
    }
}

/// The bytes of `needle` in the raw files of the data directory, and in the contents the log holds.
///
/// # Errors
/// A failure of reading.
pub(crate) fn find_bytes(
    files: &LogFiles,
    reader: &Reader<'_>,
    needle: &[u8],
) -> Result<(RawHits, Vec<u64>), LogError> {
    let pattern = needle.to_vec();
    let raw = purge::look_for(files, [&pattern])?;
    let finder = memchr::memmem::Finder::new(needle);
    let mut versions = Vec::new();
    let mut query = reader.connection.prepare("SELECT id FROM blobs WHERE data IS NOT NULL ORDER BY id")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        if let Ok(Some(bytes)) = blob::read(reader.connection, id)
            && finder.find(&bytes).is_some()
        {
            let mut holders =
                reader.connection.prepare_cached("SELECT seq FROM versions WHERE blob_id = ?1")?;
            for seq in holders.query_map([id], |found| found.get::<_, i64>(0))? {
                versions.push(seq? as u64);
            }
        }
    }
    Ok((raw, versions))
}

impl ReadConnection {
    /// Where exact bytes are: hits in the raw files of the data directory, and versions whose content holds them.
    ///
    /// # Errors
    /// A failure of reading.
    pub fn find_bytes(&self, files: &LogFiles, needle: &[u8]) -> Result<(RawHits, Vec<u64>), LogError> {
        self.snapshot(|reader| find_bytes(files, reader, needle))
    }
}

fn schema(connection: &Connection) -> Result<Vec<(String, String)>, LogError> {
    let mut query =
        connection.prepare("SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema ORDER BY 1")?;
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

impl crate::Writer {
    /// What is wrong with the search indexes, each in a sentence. Checking writes nothing, but the engine asks for it
    /// through a write.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn verify_search(&self) -> Result<Vec<String>, LogError> {
        search::check(&self.connection)
    }
}
