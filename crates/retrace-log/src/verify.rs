//! Checks the log: file, schema, foreign keys, chain, contents, derived tables.
//!
//! Limits: a check from inside cannot see that the newest operations were taken off the end, and that somebody who
//! knows how the chain is made wrote it all anew. For that, compare the head of the chain with one that was kept
//! elsewhere. Not covered by the chain are names and states of stores, what the file system said of live files,
//! receipts, and which of several versions with the same content an act put back.

use crate::chain::{Digest, GENESIS};
use crate::read::{LEAVES, ReadConnection, leaf_from};
use crate::rows::{ChangeKind, bound};
use crate::seals::{Sealed, Seals, link_of};
use crate::{
    LogError, LogFiles, OperationRow, RawHits, Reader, ReviewAct, Tags, blob, migrate, raw, review, search,
};
use retrace_message::Message;
use retrace_model::{MemoryId, Sha256};
use rusqlite::Connection;
use sha2::Digest as _;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Result of verification.
#[derive(Clone, Debug, Default)]
pub struct Verification {
    /// Problems, each in a sentence; at most a hundred.
    pub problems: Vec<Message>,
    /// Versions checked.
    pub versions: u64,
    /// Contents checked.
    pub blobs: u64,
    /// Head of the chain; `None` when the chain was not followed to its end.
    pub chain_head: Option<Sha256>,
}

/// Problems after which verification stops: a damaged log has many, and the first ones say enough.
const ENOUGH: usize = 100;

impl Verification {
    fn add(&mut self, problem: Message) {
        self.problems.push(problem);
    }

    fn is_enough(&self) -> bool {
        self.problems.len() >= ENOUGH
    }

    /// Takes note of what is wrong with one row or one check; other failures end the verification.
    fn note<T>(&mut self, checked: Result<T, LogError>) -> Result<Option<T>, LogError> {
        match checked {
            Ok(value) => Ok(Some(value)),
            Err(LogError::Damaged(what)) => {
                self.add(what);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

impl Reader<'_> {
    /// Checks everything.
    ///
    /// # Errors
    /// Only when the database cannot be read at all; what is wrong in it is a problem in the answer.
    pub fn verify(&self) -> Result<Verification, LogError> {
        let mut found = Verification::default();
        let checks = [
            Self::check_file,
            Self::check_foreign_keys,
            Self::check_schema,
            Self::check_chain,
            Self::check_reviews,
            Self::check_contents,
            Self::check_derived,
        ];
        for check in checks {
            let checked = check(self, &mut found);
            found.note(checked)?;
        }
        found.problems.truncate(ENOUGH);
        Ok(found)
    }

    /// Checks the chains of operations and of reviews alone: what is wrong with them, each in a sentence.
    ///
    /// # Errors
    /// Only when the database cannot be read at all.
    pub fn verify_chain(&self) -> Result<Vec<Message>, LogError> {
        let mut found = Verification::default();
        for check in [Self::check_chain, Self::check_reviews] {
            let checked = check(self, &mut found);
            found.note(checked)?;
        }
        Ok(found.problems)
    }

    fn check_file(&self, found: &mut Verification) -> Result<(), LogError> {
        let mut query = self.connection.prepare("PRAGMA integrity_check(20)")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let line: String = row.get(0)?;
            if line != "ok" {
                found.add(say::database_file(line));
            }
        }
        Ok(())
    }

    fn check_foreign_keys(&self, found: &mut Verification) -> Result<(), LogError> {
        let mut query = self.connection.prepare("PRAGMA foreign_key_check")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()?
            && !found.is_enough()
        {
            let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
            found.add(say::row_names_row_not_exist(table, parent));
        }
        Ok(())
    }

    /// Every table, index and trigger is as a fresh database has it.
    fn check_schema(&self, found: &mut Verification) -> Result<(), LogError> {
        let (expected, actual) = (expected_schema()?, schema(self.connection)?);
        for (name, sql) in expected {
            match actual.iter().find(|(other, _)| other == name) {
                None => found.add(say::schema_lacks(name)),
                Some((_, other)) if other != sql => found.add(say::schemas_altered(name)),
                Some(_) => {}
            }
        }
        for (name, _) in actual.iter().filter(|(name, _)| !expected.iter().any(|(known, _)| known == name)) {
            found.add(say::schema_unknown(name));
        }
        Ok(())
    }

    fn check_chain(&self, found: &mut Verification) -> Result<(), LogError> {
        let mut walk = ChainWalk {
            previous: GENESIS,
            seq: 0,
            next_version: 1,
            numbers: HashMap::new(),
            seals: Seals::load(self.connection)?,
        };
        loop {
            let page = self.operations_after(walk.seq, 1000)?;
            if page.is_empty() {
                break;
            }
            for operation in &page {
                self.check_operation(operation, &mut walk, found)?;
                if found.is_enough() {
                    return Ok(());
                }
            }
        }
        let versions: u64 =
            self.connection.query_row("SELECT count(*) FROM versions", [], |row| row.get(0))?;
        if versions + 1 != walk.next_version {
            found.add(say::versions_no_operation());
        }
        found.chain_head = Some(walk.previous);
        Ok(())
    }

    fn check_operation(
        &self,
        operation: &OperationRow,
        walk: &mut ChainWalk,
        found: &mut Verification,
    ) -> Result<(), LogError> {
        let seq = operation.seq;
        if seq != walk.seq + 1 {
            found.add(say::operations_missing(walk.seq + 1, seq - 1));
        }
        if operation.first_version != walk.next_version {
            found.add(say::operation_not_begin_version(seq, walk.next_version));
        }
        let mut digest = Digest::new(&walk.previous, &link_of(operation));
        digest.seals(walk.seals.made_by(seq));
        let counts = self.check_leaves(operation, &mut digest, walk, found)?;
        if counts != operation.counts {
            found.add(say::operation_counts_other_versions_than(seq));
        }
        let says = digest.finish();
        if says != operation.digest && !walk.seals.fits(Sealed::Operation, seq, &says, &operation.digest) {
            found.add(say::operation_or_one_versions_altered(seq));
        }
        walk.seq = seq;
        walk.next_version = operation.first_version.saturating_add(operation.versions);
        // Going on from the kept digest names every altered operation, not only the first.
        walk.previous = operation.digest;
        Ok(())
    }

    /// Adds the leaves of an operation to its digest; answers how many versions created, modified and deleted.
    fn check_leaves(
        &self,
        operation: &OperationRow,
        digest: &mut Digest,
        walk: &mut ChainWalk,
        found: &mut Verification,
    ) -> Result<(u64, u64, u64), LogError> {
        let mut query = self.connection.prepare_cached(LEAVES)?;
        let last = operation.first_version.saturating_add(operation.versions).saturating_sub(1);
        let mut rows = query.query([bound(operation.first_version), bound(last)])?;
        let mut counts = (0, 0, 0);
        while let Some(row) = rows.next()?
            && !found.is_enough()
        {
            let Some(version) = found.note(leaf_from(row))? else { continue };
            let seq = version.leaf.seq;
            if version.leaf.operation_seq != operation.seq {
                found.add(say::version_names_another_operation_than(seq));
            }
            let rebuilt = version.leaf.past.is_some();
            let number = walk.numbers.entry((version.leaf.memory, rebuilt)).or_default();
            *number += 1;
            if version.number != *number {
                found.add(say::version_another_number_than_place(seq));
            }
            match version.kind {
                ChangeKind::Created => counts.0 += 1,
                ChangeKind::Modified | ChangeKind::Moved => counts.1 += 1,
                ChangeKind::Deleted => counts.2 += 1,
            }
            if let Some(kept) = &version.kept {
                let says = version.leaf.hash();
                if says != *kept && !walk.seals.fits(Sealed::Version, seq, &says, kept) {
                    found.add(say::version_or_redacted_note_or(seq));
                }
            }
            digest.leaf(&version.hash());
            found.versions += 1;
        }
        Ok(counts)
    }

    /// Follows the chain of the acts of review, which is one of its own.
    fn check_reviews(&self, found: &mut Verification) -> Result<(), LogError> {
        let seals = Seals::load(self.connection)?;
        let (mut previous, mut last) = (review::GENESIS, 0);
        loop {
            let page = self.review_acts_after(last, 1000)?;
            if page.is_empty() {
                return Ok(());
            }
            for act in &page {
                if act.seq != last + 1 {
                    found.add(say::reviews_missing(last + 1, act.seq - 1));
                }
                let says = self.digest_of(act, &previous)?;
                if says != act.digest && !seals.fits(Sealed::Review, act.seq, &says, &act.digest) {
                    found.add(say::review_or_what_says_memory(act.seq));
                }
                (previous, last) = (act.digest, act.seq);
                if found.is_enough() {
                    return Ok(());
                }
            }
        }
    }

    pub(crate) fn digest_of(&self, act: &ReviewAct, previous: &Sha256) -> Result<Sha256, LogError> {
        let link = review::Link {
            seq: act.seq,
            person: &act.person,
            verdict: act.verdict,
            at: act.at,
            note: act.note.as_deref(),
            operation_seq: act.operation_seq,
            undoes: act.undoes,
        };
        let mut hasher = link.begin(previous);
        for reviewed_version in self.reviewed_versions(act.seq)? {
            review::add_to(&mut hasher, &reviewed_version);
        }
        Ok(Sha256(hasher.finalize().into()))
    }

    fn check_contents(&self, found: &mut Verification) -> Result<(), LogError> {
        let mut query =
            self.connection.prepare("SELECT id, encoding, sha256, is_text FROM blobs ORDER BY id")?;
        let mut rows = query.query([])?;
        let mut pass = blob::Pass::new(self.connection);
        while let Some(row) = rows.next()?
            && !found.is_enough()
        {
            let (id, encoding): (i64, i64) = (row.get(0)?, row.get(1)?);
            found.blobs += 1;
            if encoding == blob::MASKED || encoding == blob::NOT_KEPT {
                continue;
            }
            let hash: Option<Vec<u8>> = row.get(2)?;
            let is_text: Option<bool> = row.get(3)?;
            match found.note(pass.read(id))? {
                None => {}
                Some(None) => found.add(say::content_not(id)),
                Some(Some(bytes)) => {
                    if hash.as_deref() != Some(&Sha256::of(&bytes).0[..]) {
                        found.add(say::content_another_hash_than_recorded(id));
                    } else if is_text != Some(blob::is_text(&bytes)) {
                        found.add(say::content_marked_text_or_binary(id));
                    }
                }
            }
        }
        Ok(())
    }

    fn check_derived(&self, found: &mut Verification) -> Result<(), LogError> {
        for (what, sql) in DERIVED {
            let count: u64 = self.connection.query_row(sql, [], |row| row.get(0))?;
            if count > 0 {
                found.add(what(count));
            }
        }
        Ok(())
    }
}

/// Where the check of the chain stands.
struct ChainWalk {
    previous: Sha256,
    /// The operation last checked.
    seq: u64,
    next_version: u64,
    /// Number of versions of each memory so far, observed and rebuilt ones counted apart.
    numbers: HashMap<(MemoryId, bool), u64>,
    seals: Seals,
}

/// The problem when a rule is broken, and the number of rows that break it.
type Derived = (fn(u64) -> Message, &'static str);

/// Rules between tables.
const DERIVED: [Derived; 24] = [
    (
        say::versions_name_paths_not_kept,
        "SELECT count(*) FROM versions v WHERE v.path_id IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM paths p WHERE p.id = v.path_id)",
    ),
    (
        say::versions_stand_paths_where_their,
        "SELECT count(*) FROM versions v WHERE v.path_id IS NOT NULL AND NOT EXISTS
            (SELECT 1 FROM memory_paths mp
             WHERE mp.store_id = v.store_id AND mp.path_id = v.path_id AND mp.memory_id = v.memory_id)",
    ),
    (
        say::places_memories_not_kept_such,
        "SELECT count(*) FROM memory_paths mp WHERE NOT EXISTS (SELECT 1 FROM paths p WHERE p.id = mp.path_id)",
    ),
    (
        say::live_memories_not_stand_their,
        "SELECT count(*) FROM live l
         WHERE l.version_seq IS NOT
            (SELECT max(v.seq) FROM versions v WHERE v.memory_id = l.memory_id AND v.happened_at IS NULL)",
    ),
    (
        say::live_memories_stand_another_path,
        "SELECT count(*) FROM live l JOIN versions v ON v.seq = l.version_seq
         WHERE v.path_id <> l.path_id OR v.store_id <> l.store_id",
    ),
    (
        say::memories_live_although_their_newest,
        "SELECT count(*) FROM memories m
         WHERE (SELECT v.change <> 3 FROM versions v WHERE v.memory_id = m.id AND v.happened_at IS NULL
                ORDER BY v.seq DESC LIMIT 1)
            <> EXISTS (SELECT 1 FROM live l WHERE l.memory_id = m.id)",
    ),
    (
        say::versions_their_contents_disagree_what,
        "SELECT count(*) FROM versions v JOIN blobs b ON b.id = v.blob_id
         WHERE CASE WHEN v.redaction_id IS NULL THEN b.encoding = 9
            ELSE b.encoding <> 9 AND NOT EXISTS
                (SELECT 1 FROM versions w WHERE w.blob_id = b.id AND w.redaction_id IS NULL) END",
    ),
    (
        say::contents_belong_no_version,
        "SELECT count(*) FROM blobs b WHERE NOT EXISTS (SELECT 1 FROM versions v WHERE v.blob_id = b.id)",
    ),
    (
        say::reviews_name_versions_other_memories,
        "SELECT count(*) FROM reviews r JOIN versions j ON j.seq = r.judged_seq JOIN versions t ON t.seq = r.through_seq
         WHERE j.memory_id <> r.memory_id OR t.memory_id <> r.memory_id OR j.seq > t.seq",
    ),
    (
        say::people_who_reviewed_not_known,
        "SELECT count(*) FROM (SELECT id FROM reviewers UNION SELECT actor_id FROM review_acts)
         WHERE id NOT IN (SELECT id FROM reviewers) OR (id <> 0 AND id NOT IN (SELECT actor_id FROM review_acts))",
    ),
    (
        say::memories_said_unreviewed_otherwise_than,
        UNREVIEWED_AMISS,
    ),
    (
        say::rebuilt_versions_not_said_or,
        "SELECT (SELECT count(*) FROM versions v WHERE v.happened_at IS NOT NULL
                 AND NOT EXISTS (SELECT 1 FROM rebuilt r WHERE r.version_seq = v.seq))
              + (SELECT count(*) FROM rebuilt r JOIN versions v ON v.seq = r.version_seq
                 WHERE v.happened_at IS NULL OR (r.note IS NOT NULL AND v.redaction_id IS NOT NULL))",
    ),
    (say::rebuilt_versions_said_withdrawn_otherwise, WITHDRAWN_AMISS),
    (
        say::versions_without_file_their_own,
        "SELECT count(*) FROM unsettled u JOIN versions v ON v.seq = u.version_seq
         WHERE v.redaction_id IS NOT NULL OR v.happened_at IS NOT NULL",
    ),
    (
        say::mirrored_versions_another_store_or,
        "SELECT count(*) FROM mirrored m JOIN versions v ON v.seq = coalesce(m.version_seq, m.equal_seq)
         WHERE v.store_id <> m.store_id OR v.memory_id IS NOT m.memory_id OR v.happened_at IS NOT NULL",
    ),
    (
        say::memories_host_several_memories_here,
        "SELECT (SELECT count(*) FROM (SELECT 1 FROM mirrored WHERE memory_id IS NOT NULL
                    GROUP BY store_id, remote_memory_id HAVING count(DISTINCT memory_id) > 1))
              + (SELECT count(*) FROM (SELECT 1 FROM mirrored WHERE memory_id IS NOT NULL
                    GROUP BY memory_id HAVING count(DISTINCT remote_memory_id) > 1))",
    ),
    (
        say::mirrored_fetched_or_queued_versions,
        "SELECT count(*) FROM (SELECT store_id FROM mirrored UNION ALL SELECT store_id FROM remote_staged
            UNION ALL SELECT store_id FROM remote_queue) x
         WHERE NOT EXISTS (SELECT 1 FROM remotes r WHERE r.store_id = x.store_id)",
    ),
    (
        say::mirrors_another_root_than_their,
        "SELECT count(*) FROM stores s LEFT JOIN remotes r ON r.store_id = s.id
         WHERE (substr(s.root, 1, 7) = CAST('remote:' AS BLOB)) <> (r.store_id IS NOT NULL)
            OR (r.store_id IS NOT NULL AND s.root <> CAST('remote:' || r.base_url || '#' || r.remote_id AS BLOB))",
    ),
    (
        say::answers_who_wrote_about_versions,
        "SELECT count(*) FROM origins g WHERE NOT EXISTS
            (SELECT 1 FROM versions v JOIN operations o ON o.seq = v.operation_seq
             WHERE v.seq = g.version_seq AND v.happened_at IS NULL AND o.actor_id IS NULL)",
    ),
    (
        say::versions_candidates_who_wrote_them,
        "SELECT count(*) FROM (SELECT version_seq FROM origins GROUP BY version_seq
         HAVING min(rank) <> 0 OR max(rank) <> count(*) - 1)",
    ),
    (
        say::versions_reported_compared_transcripts_not,
        "SELECT 1 - count(*) FROM origin_state
         WHERE joined_seq BETWEEN 0 AND (SELECT coalesce(max(seq), 0) FROM versions)",
    ),
    (
        say::versions_said_put_back_what,
        "SELECT count(*) FROM put_back p JOIN versions v ON v.seq = p.version_seq JOIN versions w ON w.seq = p.of_seq
         WHERE (w.blob_id IS NOT v.blob_id AND w.redaction_id IS NULL) OR v.happened_at IS NOT NULL
            OR EXISTS (SELECT 1 FROM put_back x JOIN versions r ON r.seq = x.version_seq
                       JOIN operations o ON o.seq = r.operation_seq
                       WHERE x.version_seq = p.of_seq AND o.source <> 'redact')",
    ),
    (
        say::lines_kept_versions_redacted_or,
        "SELECT count(*) FROM kept_lines k JOIN versions v ON v.seq = k.version_seq
         WHERE v.redaction_id IS NOT NULL OR v.blob_id IS NULL
            OR (k.of_seq = k.version_seq AND k.of_line IS NOT NULL)",
    ),
    (
        say::stores_count_another_number_versions,
        "SELECT count(*) FROM stores s
         WHERE s.versions <> (SELECT count(*) FROM versions v WHERE v.store_id = s.id)",
    ),
];

/// Rows of `rebuilt` whose operation is undone, and the undoing was not, or the other way round: an operation is taken back by
/// one at most, so that what takes back what takes it back is a row of which the last decides.
const WITHDRAWN_AMISS: &str = "
    WITH RECURSIVE undoing (root, seq, depth) AS (
        SELECT operation_seq, operation_seq, 0 FROM versions WHERE happened_at IS NOT NULL
        UNION
        SELECT x.root, o.seq, x.depth + 1 FROM undoing x JOIN operations o ON o.undoes = x.seq),
    ends (root, depth) AS MATERIALIZED (SELECT root, max(depth) FROM undoing GROUP BY root)
    SELECT count(*) FROM rebuilt r JOIN versions v ON v.seq = r.version_seq JOIN ends e ON e.root = v.operation_seq
    WHERE r.withdrawn <> e.depth % 2";

/// Rows of `unreviewed` that should be there and are not, or the other way round: what each reviewer knows of each memory is
/// worked out anew.
const UNREVIEWED_AMISS: &str = "
    WITH baselines (store_id, seq) AS MATERIALIZED (
        SELECT s.id, coalesce(max(v.seq), 0) FROM stores s LEFT JOIN
            (SELECT store_id, seq, row_number() OVER (PARTITION BY store_id ORDER BY seq) AS place FROM versions) v
            ON v.store_id = s.id AND v.place <= s.baseline
        GROUP BY s.id),
    known (reviewer_id, memory_id, base_seq, newest_seq) AS MATERIALIZED (
        SELECT r.id, m.id,
            max(coalesce((SELECT max(k.seq) FROM versions k
                    WHERE k.memory_id = m.id AND k.happened_at IS NULL AND k.seq <= b.seq), 0),
                coalesce((SELECT max(x.through_seq) FROM reviews x JOIN review_acts a ON a.seq = x.act_seq
                    WHERE x.memory_id = m.id AND a.actor_id = r.id
                      AND NOT EXISTS (SELECT 1 FROM review_acts u WHERE u.undoes = a.seq)), 0)),
            (SELECT max(n.seq) FROM versions n WHERE n.memory_id = m.id AND n.happened_at IS NULL)
        FROM reviewers r CROSS JOIN memories m JOIN baselines b ON b.store_id = m.store_id),
    expected AS MATERIALIZED (
        SELECT w.reviewer_id, w.memory_id, v.store_id, w.base_seq, w.newest_seq, v.operation_seq, o.actor_id, o.created_at
        FROM known w JOIN versions v ON v.seq = w.newest_seq JOIN operations o ON o.seq = v.operation_seq
        WHERE w.newest_seq > w.base_seq),
    actual AS MATERIALIZED (
        SELECT reviewer_id, memory_id, store_id, base_seq, newest_seq, operation_seq, writer_id, at FROM unreviewed)
    SELECT (SELECT count(*) FROM (SELECT * FROM expected EXCEPT SELECT * FROM actual))
         + (SELECT count(*) FROM (SELECT * FROM actual EXCEPT SELECT * FROM expected))";

impl ReadConnection {
    /// Hits of exact secrets, known by their tags, in the raw files of the data directory.
    ///
    /// # Errors
    /// A failure of reading.
    pub fn find_tagged(&self, files: &LogFiles, tags: &Tags) -> Result<RawHits, LogError> {
        raw::find_tagged(files, tags)
    }

    /// Where exact bytes are: hits in the raw files of the data directory, and places of the versions whose content
    /// holds them, in order.
    ///
    /// # Errors
    /// [`LogError::Invalid`] when there are no bytes to search for, [`LogError::Damaged`] when a content does not read, or
    /// a failure of reading.
    pub fn find_bytes(&self, files: &LogFiles, needle: &[u8]) -> Result<(RawHits, Vec<u64>), LogError> {
        if needle.is_empty() {
            return Err(LogError::Invalid(say::no_bytes_look()));
        }
        let raw = raw::find_raw(files, [&needle.to_vec()])?;
        let finder = memchr::memmem::Finder::new(needle);
        let holders = self.snapshot(|reader| {
            reader.versions_holding(None, |path, bytes| {
                u64::from(path.is_none() && finder.find(bytes).is_some())
            })
        })?;
        Ok((raw, holders.into_iter().map(|(version, _)| version.id.seq).collect()))
    }
}

/// True if Retrace's own wording has a text: a sentence that may be saved, or the schema of the database. That it stands in raw bytes
/// says nothing then.
///
/// # Errors
/// A failure of making the schema.
pub fn is_own_text(bytes: &[u8]) -> Result<bool, LogError> {
    if Message::is_own_wording(bytes) {
        return Ok(true);
    }
    let finder = memchr::memmem::Finder::new(bytes);
    let mut texts = expected_schema()?.iter().flat_map(|(name, sql)| [name, sql]);
    Ok(texts.any(|text| finder.find(text.as_bytes()).is_some()))
}

/// The schema of a fresh database, made once in a process: making it takes longer than checking a small log.
fn expected_schema() -> Result<&'static [(String, String)], LogError> {
    static EXPECTED: OnceLock<Vec<(String, String)>> = OnceLock::new();
    if let Some(expected) = EXPECTED.get() {
        return Ok(expected);
    }
    let mut fresh = Connection::open_in_memory()?;
    migrate::migrate(&mut fresh)?;
    let made = schema(&fresh)?;
    Ok(EXPECTED.get_or_init(|| made))
}

/// Name and definition of everything in the schema.
fn schema(connection: &Connection) -> Result<Vec<(String, String)>, LogError> {
    let mut query =
        connection.prepare("SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema ORDER BY 1")?;
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

impl crate::Writer {
    /// Problems of the search indexes, each in a sentence. Checking writes nothing, but the engine asks for it
    /// through a write.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn verify_search(&self) -> Result<Vec<Message>, LogError> {
        search::check(&self.connection)
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "verify";
    database_file(line) => "the database file: {line}",
    row_names_row_not_exist(table, parent) => "a row of {table} names a row of {parent} that does not exist",
    schema_lacks(name) => "the schema lacks {name}",
    schemas_altered(name) => "the schema's {name} was altered",
    schema_unknown(name) => "the schema has an unknown {name}",
    versions_no_operation() => "there are versions of no operation",
    operations_missing(seq, seq_2) => "operations {seq} to {seq_2} are missing",
    operation_not_begin_version(seq, next_version) => "operation {seq} does not begin at version {next_version}",
    operation_counts_other_versions_than(seq) => "operation {seq} counts other versions than it has",
    operation_or_one_versions_altered(seq) => "operation {seq} or one of its versions was altered",
    version_names_another_operation_than(seq) => "version {seq} names another operation than its own",
    version_another_number_than_place(seq) => "version {seq} has another number than its place in its memory",
    version_or_redacted_note_or(seq) => "version {seq} or its redacted note or writer was altered",
    reviews_missing(last, seq) => "reviews {last} to {seq} are missing",
    review_or_what_says_memory(seq) => "review {seq} or what it says of a memory was altered",
    content_not(id) => "content {id} is not there",
    content_another_hash_than_recorded(id) => "content {id} has another hash than recorded",
    content_marked_text_or_binary(id) => "content {id} is marked as text or as binary, which it is not",
    versions_name_paths_not_kept(count) => "{count} versions name paths that are not kept",
    versions_stand_paths_where_their(count) => "{count} versions stand at paths where their memories are not said to have been",
    places_memories_not_kept_such(count) => "{count} places of memories are not kept as such",
    live_memories_not_stand_their(count) => "{count} live memories do not stand at their newest version",
    live_memories_stand_another_path(count) => "{count} live memories stand at another path than their newest version",
    memories_live_although_their_newest(count) => "{count} memories are live although their newest version deleted them, or the other way round",
    versions_their_contents_disagree_what(count) => "{count} versions and their contents disagree on what is redacted",
    contents_belong_no_version(count) => "{count} contents belong to no version",
    reviews_name_versions_other_memories(count) => "{count} reviews name versions of other memories",
    people_who_reviewed_not_known(count) => "{count} people who reviewed are not known as such, or the other way round",
    memories_said_unreviewed_otherwise_than(count) => "{count} memories are said to be unreviewed otherwise than by versions, baselines and reviews",
    rebuilt_versions_not_said_or(count) => "{count} rebuilt versions are not said to be so, or the other way round",
    rebuilt_versions_said_withdrawn_otherwise(count) => "{count} rebuilt versions are said to be withdrawn otherwise than their operations are undone",
    versions_without_file_their_own(count) => "{count} versions without a file of their own are said to be on their way to the disk",
    mirrored_versions_another_store_or(count) => "{count} mirrored versions are of another store or memory than their mirror says",
    memories_host_several_memories_here(count) => "{count} memories of a host are several memories here, or the other way round",
    mirrored_fetched_or_queued_versions(count) => "{count} mirrored, fetched or queued versions are of stores that are no mirrors",
    mirrors_another_root_than_their(count) => "{count} mirrors have another root than their host",
    answers_who_wrote_about_versions(count) => "{count} answers to who wrote are about versions that are not there, or whose writer was recorded",
    versions_candidates_who_wrote_them(count) => "{count} versions have candidates for who wrote them without an answer, or with a gap between",
    versions_reported_compared_transcripts_not(count) => "{count} versions are reported as compared with transcripts that are not there yet",
    versions_said_put_back_what(count) => "{count} versions are said to put back what they do not have, or what was put back itself",
    lines_kept_versions_redacted_or(count) => "{count} lines are kept of versions that are redacted, or that brought nothing but text of their own",
    stores_count_another_number_versions(count) => "{count} stores count another number of versions than they have",
    no_bytes_look() => "there are no bytes to look for",
}
