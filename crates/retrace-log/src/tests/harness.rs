//! Shared by the tests of the log: a log in a temporary directory with one store, a clock that moves a minute at each
//! look, and randomness that is the same each time.

use crate::*;
use retrace_model::{
    Actor, RelPath, Seen, Sha256, Source, StoreId, StoreKind, Timestamp, Verdict, VersionId, VersionOperation,
};
use std::collections::BTreeMap;
use std::time::Duration;
use tempfile::TempDir;

/// 2026-11-20T10:00:00Z, where the clock starts, in microseconds.
pub(super) const START: i64 = 1_795_168_800_000_000;
pub(super) const MINUTE: i64 = 60_000_000;

/// A log with one store.
pub(super) struct TestLog {
    pub writer: Writer,
    pub store: StoreId,
    now: i64,
    folder: TempDir,
}

/// Random bytes that are the same in every run: hashes of a seed and a counter.
pub(super) fn entropy(seed: u64) -> Entropy {
    let mut counter = 0u64;
    Box::new(move |bytes| {
        for piece in bytes.chunks_mut(32) {
            counter += 1;
            let hash = Sha256::of(&[seed.to_be_bytes(), counter.to_be_bytes()].concat());
            piece.copy_from_slice(&hash.0[..piece.len()]);
        }
    })
}

pub(super) fn path(text: &str) -> RelPath {
    RelPath::parse(text).expect("a path")
}

/// A file as the file system might describe it.
pub(super) fn seen(size: u64) -> Seen {
    Seen { size, modified_nanos: 1_000, changed_nanos: 2_000, file_id: 7, mode: Some(0o600) }
}

/// Text that does not pack and that no other seed makes: letters only, so that it is one word.
pub(super) fn noise(seed: u64, length: usize) -> String {
    let mut bytes = vec![0; length];
    entropy(seed)(&mut bytes);
    bytes.into_iter().map(|byte| char::from(b'a' + byte % 26)).collect()
}

/// Puts `bytes` at a path.
pub(super) fn put(store: StoreId, at: &str, bytes: impl AsRef<[u8]>) -> Change {
    let bytes = bytes.as_ref().to_vec();
    let payload = Payload::Content {
        sha256: Sha256::of(&bytes),
        size: bytes.len() as u64,
        seen: Some(seen(bytes.len() as u64)),
        moved_from: None,
        bytes: Some(bytes),
    };
    Change { store, path: path(at), payload }
}

/// Puts `bytes` at a path, to which the memory moved from another.
pub(super) fn moved(store: StoreId, from: &str, to: &str, bytes: impl AsRef<[u8]>) -> Change {
    let mut change = put(store, to, bytes);
    if let Payload::Content { moved_from, .. } = &mut change.payload {
        *moved_from = Some(path(from));
    }
    change
}

/// Says that a content at a path was too large to keep.
pub(super) fn too_large(store: StoreId, at: &str, unread: impl AsRef<[u8]>) -> Change {
    let mut change = put(store, at, unread);
    if let Payload::Content { bytes, .. } = &mut change.payload {
        *bytes = None;
    }
    change
}

/// Rebuilt version at a path some minutes before the clock started, by a session; `None` for a deletion.
pub(super) fn past(at: &str, minutes: i64, text: Option<&str>) -> PastVersion {
    PastVersion {
        path: path(at),
        at: Timestamp::from_micros(START + minutes * MINUTE),
        written_at: None,
        actor: Actor::Session { id: "s1".to_owned(), evidence: retrace_model::Evidence::ExactContent },
        note: Some(format!("told {minutes}")),
        content: text.map(|text| text.as_bytes().to_vec()),
        told: PastLines::default(),
    }
}

pub(super) fn line(versions: Vec<PastVersion>) -> PastLine {
    PastLine { versions }
}

pub(super) fn gone(store: StoreId, at: &str) -> Change {
    Change { store, path: path(at), payload: Payload::Gone }
}

/// An operation of a scan.
pub(super) fn scan(store: StoreId, at: i64, changes: Vec<Change>) -> Append<'static> {
    Append {
        store: Some(store),
        source: Source::Scan,
        actor: &Actor::Unknown,
        note: None,
        at: Timestamp::from_micros(at),
        undoes: None,
        changes,
        even_if_empty: false,
    }
}

impl TestLog {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let files = LogFiles::new(folder.path().join("data")).with_busy_wait(Duration::ZERO);
        let mut writer = Writer::open(files, entropy(1)).expect("a log");
        let store = add_store(&mut writer, "notes");
        Self { writer, store, now: START, folder }
    }

    /// Gives up the process's hold on the log and takes it again, as after a crash.
    pub(super) fn reopen(self, seed: u64) -> Self {
        let Self { writer, store, now, folder } = self;
        let files = writer.files().clone();
        drop(writer);
        let writer = Writer::open(files, entropy(seed)).expect("the log opens again");
        Self { writer, store, now, folder }
    }

    pub(super) fn files(&self) -> LogFiles {
        self.writer.files().clone()
    }

    /// A minute later than the last time.
    pub(super) fn tick(&mut self) -> i64 {
        self.now += MINUTE;
        self.now
    }

    /// Appends changes as one scan.
    pub(super) fn scan(&mut self, changes: Vec<Change>) -> Appended {
        let at = self.tick();
        self.writer.append(scan(self.store, at, changes)).expect("appends")
    }

    pub(super) fn put(&mut self, at: &str, bytes: impl AsRef<[u8]>) -> Appended {
        self.scan(vec![put(self.store, at, bytes)])
    }

    pub(super) fn delete(&mut self, at: &str) -> Appended {
        self.scan(vec![gone(self.store, at)])
    }

    /// A connection that only reads.
    pub(super) fn connection(&self) -> ReadConnection {
        ReadConnection::open(&self.files()).expect("a reader")
    }

    /// A connection past all that this crate does, as another program could have it: triggers do not recurse, foreign
    /// keys are not enforced.
    pub(super) fn raw(&self) -> rusqlite::Connection {
        let raw = rusqlite::Connection::open(self.files().database()).expect("the database opens");
        raw.execute_batch("PRAGMA recursive_triggers = OFF; PRAGMA foreign_keys = OFF").expect("pragmas");
        raw
    }

    pub(super) fn version(&self, seq: u64) -> VersionRow {
        self.writer.reader().version(seq).expect("a version")
    }

    /// All versions, oldest first.
    pub(super) fn versions(&self) -> Vec<VersionRow> {
        let mut versions = self.writer.reader().versions(&VersionFilter::default()).expect("versions");
        versions.reverse();
        versions
    }

    pub(super) fn text(&self, seq: u64) -> String {
        let content = self.writer.reader().content(&self.version(seq)).expect("reads").expect("a content");
        String::from_utf8(content.bytes).expect("text")
    }

    /// Live memories: text by path, `None` where it is redacted, not kept or not text.
    pub(super) fn live(&self) -> BTreeMap<String, Option<String>> {
        self.at(None)
    }

    /// Memories right after an operation.
    pub(super) fn at(&self, operation: Option<u64>) -> BTreeMap<String, Option<String>> {
        let reader = self.writer.reader();
        let memories = reader.memories_at(self.store, operation).expect("memories");
        let text = |memory: MemoryAt| {
            let content = reader.content(&memory.version).ok().flatten();
            let text = content.and_then(|content| String::from_utf8(content.bytes).ok());
            (memory.path.map_or_else(|| "(redacted)".to_owned(), |path| path.to_text()), text)
        };
        memories.into_iter().map(text).collect()
    }

    /// Masks versions, as a redaction does.
    pub(super) fn redact(&mut self, seqs: &[u64]) -> Masked {
        let at = self.tick();
        redact(&mut self.writer, seqs, at)
    }

    /// The same by a client of the API, which redacts the versions it names and no others.
    pub(super) fn redact_alone(&mut self, seqs: &[u64]) -> Masked {
        let at = self.tick();
        redact_with(&mut self.writer, seqs, at, |act, chosen, redaction| act.mask_alone(chosen, redaction))
    }

    /// Rows of the contents that are there, each with the row of its delta base.
    pub(super) fn delta_bases(&self) -> Vec<(i64, Option<i64>)> {
        let raw = self.raw();
        let mut query = raw
            .prepare("SELECT id, base_id FROM blobs WHERE sha256 IS NOT NULL ORDER BY id")
            .expect("prepares");
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("asks");
        rows.collect::<Result<_, _>>().expect("reads")
    }

    /// Ada rebuilds what was before, as one operation.
    pub(super) fn rebuild(&mut self, lines: Vec<PastLine>) -> Rebuilt {
        let at = Timestamp::from_micros(self.tick());
        let mut act = self.writer.begin().expect("a transaction");
        let (actor, note) = (&user("ada"), Some("a test"));
        let rebuild = Rebuild { store: self.store, source: Source::Rebuilt, actor, note, at, lines };
        let done = act.rebuild(rebuild).expect("rebuilds");
        act.commit().expect("commits");
        done
    }

    /// Ada takes a rebuilding back.
    pub(super) fn withdraw(&mut self, operation: u64) -> Appended {
        let at = self.tick();
        let source = Source::Rebuilt;
        let undo = Append {
            undoes: Some(operation),
            source,
            even_if_empty: true,
            ..scan(self.store, at, Vec::new())
        };
        self.writer.append(undo).expect("takes it back")
    }

    /// Ada says of the memories of these versions that she saw them as they were then and knows them as they are now.
    pub(super) fn review(&mut self, verdict: Verdict, reviewed_seq: &[u64]) -> u64 {
        self.review_as("ada", verdict, reviewed_seq)
    }

    pub(super) fn review_as(&mut self, person: &str, verdict: Verdict, reviewed_seq: &[u64]) -> u64 {
        let at = Timestamp::from_micros(self.tick());
        let versions = reviewed_seq.iter().map(|seq| (self.version(*seq), *seq));
        let reviewed_versions = versions
            .map(|(version, reviewed_seq)| {
                let newest = self.writer.reader().version_up_to(version.memory, u64::MAX).expect("reads");
                ReviewedVersion { memory: version.memory, reviewed_seq, through: newest.expect("a version") }
            })
            .collect();
        let person = &user(person);
        let mut act = self.writer.begin().expect("a transaction");
        let (note, operation_seq) = (Some("why"), Some(1));
        let review = NewReview { person, verdict, at, note, operation_seq, reviewed_versions };
        let seq = act.review(review).expect("a review");
        act.commit().expect("commits");
        seq
    }

    /// Ada takes a review back.
    pub(super) fn undo_review(&mut self, seq: u64) -> u64 {
        let at = Timestamp::from_micros(self.tick());
        let mut act = self.writer.begin().expect("a transaction");
        let by = act.undo_review(&user("ada"), seq, at, None).expect("taken back");
        act.commit().expect("commits");
        by
    }

    /// Versions that a person has left to review: known and newest version, newest first.
    pub(super) fn unreviewed(&self, person: &str) -> Vec<(Option<u64>, u64)> {
        let left = self.writer.reader().unreviewed(&user(person), None).expect("reads");
        let counts = self.writer.reader().unreviewed_counts(&user(person)).expect("counts");
        assert_eq!(counts.values().sum::<u64>(), left.len() as u64, "the badge equals the rows");
        left.into_iter().map(|item| (item.base, item.newest)).collect()
    }

    /// Purges, which nothing stands in the way of.
    pub(super) fn purge(&mut self, needles: &Needles) -> RawHits {
        self.writer.purge(needles).expect("purges").expect("nobody is in the way")
    }

    pub(super) fn index(&mut self) {
        while self.writer.index_some().expect("indexes") {}
    }

    /// Versions that brought in the words of `query`, newest first.
    pub(super) fn search_history(&self, query: &str) -> Vec<u64> {
        let hits = self.writer.reader().search_history(&Words::parse(query), None, 1000).expect("searches");
        hits.into_iter().map(|hit| hit.version.id.seq).collect()
    }

    /// Live paths that hold the words of `query`.
    pub(super) fn search_live(&self, query: &str) -> Vec<String> {
        let reader = self.writer.reader();
        let hits = reader.search_live(&Words::parse(query), None, 1000).expect("searches");
        let path = |hit: SearchHit| reader.path_of(hit.version.memory).expect("a memory").expect("it lives");
        let mut paths: Vec<String> = hits.into_iter().map(|hit| path(hit).to_text()).collect();
        paths.sort();
        paths
    }

    /// Problems that verification finds, the search indexes included.
    pub(super) fn problems(&self) -> Vec<String> {
        let mut problems = self.writer.reader().verify().expect("verifies").problems;
        problems.extend(self.writer.verify_search().expect("verifies"));
        problems.into_iter().map(retrace_message::Message::into_text).collect()
    }

    pub(super) fn assert_sound(&self) {
        assert_eq!(self.problems(), Vec::<String>::new());
    }

    /// Names of the files of the data directory whose raw bytes hold `needle`.
    pub(super) fn files_holding(&self, needle: &[u8]) -> Vec<String> {
        assert!(!needle.is_empty());
        let mut names = Vec::new();
        for entry in std::fs::read_dir(self.files().directory()).expect("the data directory") {
            let entry = entry.expect("an entry");
            let bytes = std::fs::read(entry.path()).expect("a file");
            if memchr::memmem::find(&bytes, needle).is_some() {
                names.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        names
    }
}

pub(super) fn user(name: &str) -> Actor {
    Actor::User { id: name.to_owned() }
}

pub(super) fn add_store(writer: &mut Writer, name: &str) -> StoreId {
    let mut act = writer.begin().expect("a transaction");
    let store = act
        .add_store(&NewStore {
            kind: StoreKind::Plain,
            root: format!("/stores/{name}").into_bytes(),
            name: name.to_owned(),
            at: Timestamp::from_micros(START),
        })
        .expect("a store");
    act.commit().expect("commits");
    store
}

/// Masks versions in one transaction: operation, receipt, mask.
pub(super) fn redact(writer: &mut Writer, seqs: &[u64], at: i64) -> Masked {
    redact_with(writer, seqs, at, |act, chosen, redaction| act.mask(chosen, redaction))
}

fn redact_with(
    writer: &mut Writer,
    seqs: &[u64],
    at: i64,
    mask: impl FnOnce(&mut Act<'_>, &[VersionRow], i64) -> Result<Masked, LogError>,
) -> Masked {
    let mut act = writer.begin().expect("a transaction");
    let chosen: Vec<VersionRow> =
        seqs.iter().map(|seq| act.reader().version(*seq).expect("a version")).collect();
    let appended = act
        .append(Append {
            store: None,
            source: Source::Redact,
            actor: &Actor::User { id: "ada".to_owned() },
            even_if_empty: true,
            ..scan(chosen[0].store, at, Vec::new())
        })
        .expect("appends");
    let (_, redaction) = act
        .add_receipt(&NewReceipt {
            operation_seq: appended.operation_seq.expect("an operation"),
            at: Timestamp::from_micros(at),
            actor: &Actor::User { id: "ada".to_owned() },
            reason: Some("a test"),
            method: "versions",
            versions: chosen.len() as u64,
        })
        .expect("a receipt");
    let masked = mask(&mut act, &chosen, redaction).expect("masks");
    act.commit().expect("commits");
    masked
}

/// Changes of versions, for comparing at a glance: `+` created, `~` modified, `-` deleted, with paths.
pub(super) fn reported(versions: &[VersionRow]) -> Vec<String> {
    let tell = |version: &VersionRow| {
        let sign = match version.operation {
            VersionOperation::Created => '+',
            VersionOperation::Modified => '~',
            VersionOperation::Deleted => '-',
        };
        let path = version.path.as_ref().map_or_else(|| "(redacted)".to_owned(), RelPath::to_text);
        match &version.previous_path {
            None => format!("{sign} {path}"),
            Some(before) => format!("{sign} {before} > {path}"),
        }
    };
    versions.iter().map(tell).collect()
}

pub(super) fn seqs(versions: &[VersionId]) -> Vec<u64> {
    versions.iter().map(|version| version.seq).collect()
}

/// A break of a rule by a call.
pub(super) fn broken_rule(rule: u64, what: &str) -> NewBroken {
    NewBroken {
        rule,
        mark: [7; 16],
        found_at: Timestamp::from_micros(START),
        made_at: Some(Timestamp::from_micros(START)),
        session: format!("session of {what}"),
        transcript: format!("/home/{what}.jsonl"),
        subagent: false,
        turn: Some(3),
        line: 12,
        what: what.to_owned(),
        present: Some(false),
        cause: Some("cut".to_owned()),
        grade: Some("recorded".to_owned()),
    }
}
