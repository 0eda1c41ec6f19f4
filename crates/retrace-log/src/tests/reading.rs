//! Queries of the log.

use super::harness::*;
use crate::*;
use retrace_model::{Actor, MemoryId, Sha256, Source, StoreId, Timestamp, VersionId, VersionOperation};
use std::collections::{BTreeMap, BTreeSet};

/// A log with a bit of everything: two stores, two actors, a move, a deletion, a redaction. One operation a minute.
fn varied() -> (TestLog, StoreId) {
    let mut log = TestLog::new();
    let other = add_store(&mut log.writer, "others");
    let store = log.store;
    log.scan(vec![put(store, "a.md", "A1"), put(store, "dir/b.md", "B1")]);
    let at = log.tick();
    let ada = Actor::User { id: "ada".to_owned() };
    let by_ada =
        Append { actor: &ada, source: Source::Api, ..scan(store, at, vec![put(store, "a.md", "A2")]) };
    log.writer.append(by_ada).expect("appends");
    let at = log.tick();
    log.writer.append(scan(other, at, vec![put(other, "a.md", "other")])).expect("appends");
    log.scan(vec![gone(store, "dir/b.md"), put(store, "dir/c.md", "B1")]);
    log.delete("a.md");
    log.redact(&[1]);
    (log, other)
}

#[expect(clippy::needless_pass_by_value, reason = "made for one call")]
fn filtered(log: &TestLog, filter: VersionFilter) -> Vec<u64> {
    let versions = log.writer.reader().versions(&filter).expect("versions");
    versions.iter().map(|version| version.id.seq).collect()
}

fn minute(number: i64) -> Option<Timestamp> {
    Some(Timestamp::from_micros(START + number * MINUTE))
}

#[test]
fn each_filter_alone() {
    let (log, other) = varied();
    let all = VersionFilter::default;
    let memory = log.version(2).memory;
    assert_eq!(
        reported(&log.versions()),
        ["+ (redacted)", "+ dir/b.md", "~ a.md", "+ a.md", "~ dir/b.md > dir/c.md", "- a.md"]
    );
    assert_eq!(filtered(&log, all()), [6, 5, 4, 3, 2, 1]);
    assert_eq!(filtered(&log, VersionFilter { store: Some(other), ..all() }), [4]);
    assert_eq!(filtered(&log, VersionFilter { memory: Some(memory), ..all() }), [5, 2]);
    assert_eq!(
        filtered(&log, VersionFilter { path: Some(path("dir/b.md")), ..all() }),
        [5, 2],
        "by a former path"
    );
    assert_eq!(
        filtered(&log, VersionFilter { path: Some(path("dir")), ..all() }),
        [5, 2],
        "below a directory"
    );
    assert_eq!(filtered(&log, VersionFilter { path: Some(path("di")), ..all() }), [0; 0]);
    assert_eq!(
        filtered(&log, VersionFilter { path: Some(path("a.md")), ..all() }),
        [6, 4, 3, 1],
        "in both stores"
    );
    let operation = |operation| VersionFilter { operation: Some(operation), ..all() };
    assert_eq!(filtered(&log, operation(VersionOperation::Created)), [4, 2, 1]);
    assert_eq!(filtered(&log, operation(VersionOperation::Modified)), [5, 3]);
    assert_eq!(filtered(&log, operation(VersionOperation::Deleted)), [6]);
    let actor = |name: &str| VersionFilter { actor: Some(name.to_owned()), ..all() };
    assert_eq!(filtered(&log, actor("ada")), [3]);
    assert_eq!(filtered(&log, actor("")), [6, 5, 4, 2, 1]);
    assert_eq!(filtered(&log, actor("nobody")), [0; 0]);
    assert_eq!(filtered(&log, VersionFilter { since: minute(4), ..all() }), [6, 5]);
    assert_eq!(filtered(&log, VersionFilter { since: minute(99), ..all() }), [0; 0]);
    assert_eq!(filtered(&log, VersionFilter { until: minute(2), ..all() }), [3, 2, 1]);
    assert_eq!(filtered(&log, VersionFilter { until: minute(0), ..all() }), [0; 0]);
    assert_eq!(filtered(&log, VersionFilter { operation_seq: Some(1), ..all() }), [2, 1]);
    assert_eq!(
        filtered(&log, VersionFilter { operation_seq: Some(6), ..all() }),
        [0; 0],
        "a redaction makes no version"
    );
    assert_eq!(filtered(&log, VersionFilter { operation_seq: Some(99), ..all() }), [0; 0]);
    assert_eq!(filtered(&log, VersionFilter { only_redacted: true, ..all() }), [1]);
    assert_eq!(filtered(&log, VersionFilter { before: Some(3), ..all() }), [2, 1]);
    assert_eq!(filtered(&log, VersionFilter { after: Some(4), ..all() }), [6, 5]);
    assert_eq!(filtered(&log, VersionFilter { limit: 2, ..all() }), [6, 5]);
    assert_eq!(
        filtered(
            &log,
            VersionFilter { before: Some(u64::MAX), after: Some(u64::MAX), limit: u64::MAX, ..all() }
        ),
        [0; 0]
    );
    let nowhere = VersionFilter { store: Some(StoreId([9; 16])), ..all() };
    assert!(matches!(log.writer.reader().versions(&nowhere), Err(LogError::NotFound { what: "store", .. })));
    let nothing = VersionFilter { memory: Some(MemoryId([9; 16])), ..all() };
    assert!(matches!(log.writer.reader().versions(&nothing), Err(LogError::NotFound { what: "memory", .. })));
}

#[test]
fn filters_together_narrow() {
    let (log, _) = varied();
    let filter = VersionFilter {
        store: Some(log.store),
        path: Some(path("a.md")),
        since: minute(2),
        until: minute(4),
        actor: Some("ada".to_owned()),
        operation: Some(VersionOperation::Modified),
        limit: 5,
        ..VersionFilter::default()
    };
    assert_eq!(filtered(&log, filter.clone()), [3]);
    assert_eq!(filtered(&log, VersionFilter { only_redacted: true, ..filter }), [0; 0]);
}

#[test]
fn a_clock_that_jumps_hides_no_version() {
    let mut log = TestLog::new();
    for (minutes, text) in [(10, "ten"), (3, "three"), (7, "seven"), (20, "twenty")] {
        let append = scan(log.store, START + minutes * MINUTE, vec![put(log.store, "a.md", text)]);
        log.writer.append(append).expect("appends");
    }
    let all = VersionFilter::default;
    assert_eq!(filtered(&log, VersionFilter { since: minute(7), ..all() }), [4, 3, 1]);
    assert_eq!(filtered(&log, VersionFilter { until: minute(7), ..all() }), [3, 2]);
    assert_eq!(filtered(&log, VersionFilter { since: minute(5), until: minute(10), ..all() }), [3, 1]);
    let reader = log.writer.reader();
    let at = |minutes| reader.operation_at(Timestamp::from_micros(START + minutes * MINUTE)).expect("asks");
    assert_eq!([0, 3, 9, 10, 30].map(at), [0, 2, 3, 3, 4]);
}

#[test]
fn the_timeline_has_pages_and_stores() {
    let (mut log, other) = varied();
    let at = log.tick();
    let across = vec![put(log.store, "z.md", "Z"), put(other, "z.md", "Z")];
    log.writer.append(Append { store: None, ..scan(other, at, across) }).expect("appends");
    let reader = log.writer.reader();
    let seqs = |store, before, limit| -> Vec<u64> {
        let operations = reader.operations(store, before, limit).expect("operations");
        operations.iter().map(|operation| operation.seq).collect()
    };
    assert_eq!(seqs(None, None, 3), [7, 6, 5]);
    assert_eq!(seqs(None, Some(5), 100), [4, 3, 2, 1]);
    assert_eq!(
        seqs(Some(log.store), None, 4),
        [7, 5, 4, 2],
        "the redaction names no store and has no version"
    );
    assert_eq!(seqs(Some(other), None, 100), [7, 3]);
    assert_eq!(seqs(None, Some(0), 100), [0; 0]);
    let mark = |operation_seq: u64, counts| ActivityMark {
        operation_seq,
        at: reader.operation(operation_seq).expect("an operation").created_at,
        source: reader.operation(operation_seq).expect("an operation").source,
        counts,
    };
    let marks =
        [mark(1, (2, 0, 0)), mark(2, (0, 1, 0)), mark(4, (0, 1, 0)), mark(5, (0, 0, 1)), mark(7, (1, 0, 0))];
    assert_eq!(reader.activity(log.store, 100).expect("marks"), marks);
    assert_eq!(reader.activity(log.store, 2).expect("marks"), [mark(4, (2, 2, 0)), mark(7, (1, 0, 1))]);
    assert_eq!(reader.activity(log.store, 0).expect("marks"), [mark(7, (3, 2, 1))]);
    assert!(matches!(reader.operation(99), Err(LogError::NotFound { what: "operation", .. })));
}

#[test]
fn memories_at_each_instant() {
    let mut log = TestLog::new();
    let store = log.store;
    let mut expected: Vec<BTreeMap<String, Option<String>>> = vec![BTreeMap::new()];
    let mut model = BTreeMap::new();
    let mut step = |log: &mut TestLog, changes: Vec<Change>, model: &BTreeMap<&str, &str>| {
        log.scan(changes);
        expected
            .push(model.iter().map(|(path, text)| ((*path).to_owned(), Some((*text).to_owned()))).collect());
    };
    model.extend([("a.md", "A1"), ("b.md", "B1")]);
    step(&mut log, vec![put(store, "a.md", "A1"), put(store, "b.md", "B1")], &model);
    model.insert("a.md", "A2");
    step(&mut log, vec![put(store, "a.md", "A2")], &model);
    model.remove("b.md");
    model.insert("c.md", "B1");
    step(&mut log, vec![gone(store, "b.md"), put(store, "c.md", "B1")], &model);
    model.remove("a.md");
    step(&mut log, vec![gone(store, "a.md")], &model);
    model.insert("a.md", "A3");
    step(&mut log, vec![put(store, "a.md", "A3")], &model);
    model.clear();
    step(&mut log, vec![gone(store, "a.md"), gone(store, "c.md")], &model);
    for (operation, then) in (0..).zip(&expected) {
        assert_eq!(log.at(Some(operation)), *then, "after operation {operation}");
        for name in ["a.md", "b.md", "c.md"] {
            let version = log.writer.reader().version_at(store, &path(name), Some(operation)).expect("asks");
            let text = version.map(|version| log.text(version.id.seq));
            assert_eq!(text, then.get(name).cloned().flatten(), "{name} after operation {operation}");
        }
    }
    assert_eq!(log.at(Some(u64::MAX)), BTreeMap::new());
    assert_eq!(log.live(), BTreeMap::new());
    let counts: Vec<u64> = log
        .writer
        .reader()
        .memories_at(store, Some(5))
        .expect("memories")
        .iter()
        .map(|memory| memory.versions)
        .collect();
    assert_eq!(counts, [4, 2], "a.md had four versions by then, c.md two");
}

#[test]
fn what_is_live_answers_by_path_and_by_memory() {
    let (log, _) = varied();
    let reader = log.writer.reader();
    let version = reader.version_at(log.store, &path("dir/c.md"), None).expect("asks").expect("it lives");
    assert_eq!(version.id.seq, 5);
    assert_eq!(
        reader.version_at(log.store, &path("a.md"), None).expect("asks").map(|version| version.id.seq),
        None
    );
    assert_eq!(reader.path_of(version.memory).expect("a memory"), Some(path("dir/c.md")));
    assert_eq!(reader.path_of(log.version(6).memory).expect("a memory"), None);
    assert_eq!(reader.store_of(version.memory).expect("a memory"), log.store);
    assert_eq!(reader.version_counts(log.store).expect("counts"), BTreeMap::from([(version.memory, 2)]));
    assert_eq!(reader.totals().expect("totals"), (6, 2));
    let live = reader.live_at(log.store, &path("dir/c.md")).expect("asks").expect("it lives");
    assert_eq!((live.version, live.sha256), (version.id, Some(Sha256::of(b"B1"))));
    assert!(reader.live_at(log.store, &path("a.md")).expect("asks").is_none());
    assert!(matches!(reader.path_of(MemoryId([9; 16])), Err(LogError::NotFound { what: "memory", .. })));
    let heads = reader.heads(log.store).expect("heads");
    assert_eq!(heads.keys().map(ToString::to_string).collect::<Vec<_>>(), ["dir/c.md"]);
    let below = |at: &str| reader.heads_below(log.store, &BTreeSet::from([path(at)])).expect("heads").len();
    assert_eq!(["dir", "dir/c.md", "di", "dir/c"].map(below), [1, 1, 0, 0]);
}

#[test]
fn versions_answer_by_id_content_and_predecessor() {
    let (log, _) = varied();
    let reader = log.writer.reader();
    let moved = log.version(5);
    assert_eq!(reader.version_by_id(moved.id).expect("a version").previous_path, Some(path("dir/b.md")));
    let altered = VersionId { fingerprint: [0; 8], ..moved.id };
    assert!(matches!(reader.version_by_id(altered), Err(LogError::NotFound { what: "version", .. })));
    assert!(matches!(reader.version(99), Err(LogError::NotFound { what: "version", .. })));
    assert!(matches!(reader.version(u64::MAX), Err(LogError::NotFound { what: "version", .. })));
    assert_eq!(reader.version_before(&moved).expect("asks").map(|version| version.id.seq), Some(2));
    assert!(reader.version_before(&log.version(2)).expect("asks").is_none());
    let holder = reader.version_with_content(&Sha256::of(b"B1")).expect("asks").expect("the log has it");
    assert_eq!(holder.id.seq, 5, "the newest");
    assert!(reader.version_with_content(&Sha256::of(b"A1")).expect("asks").is_none(), "redacted");
    assert!(matches!(reader.content(&log.version(1)), Err(LogError::Redacted(1))));
    assert_eq!(reader.content(&log.version(6)).expect("reads"), None, "a deletion");
}

#[test]
fn every_content_and_path_can_be_gone_through() {
    let (log, other) = varied();
    let holding = |store, needle: &str| -> Vec<(u64, u64)> {
        let count = |_: Option<&retrace_model::RelPath>, bytes: &[u8]| {
            memchr::memmem::find_iter(bytes, needle.as_bytes()).count() as u64
        };
        let found = log.writer.reader().versions_holding(store, count).expect("reads");
        found.into_iter().map(|(version, count)| (version.id.seq, count)).collect()
    };
    assert_eq!(holding(None, "B1"), [(2, 1), (5, 1)]);
    assert_eq!(holding(None, "a.md"), [(3, 1), (4, 1), (6, 1)], "by path; the redacted version has none");
    assert_eq!(holding(Some(other), "a.md"), [(4, 1)]);
    assert_eq!(holding(Some(log.store), "other"), []);
    assert_eq!(holding(None, "A1"), [], "redacted");
    let (raw, versions) = log.connection().find_bytes(&log.files(), b"B1").expect("reads");
    assert_eq!(versions, [2, 5]);
    assert!(raw.total() > 0, "so short a content is kept as it is: {raw:?}");
    assert!(matches!(log.connection().find_bytes(&log.files(), b""), Err(LogError::Invalid(_))));
}

#[test]
fn an_empty_log_answers_everything_with_nothing() {
    let log = TestLog::new();
    let reader = log.writer.reader();
    assert_eq!((reader.cursor().expect("a cursor"), reader.last_version().expect("a version")), (0, 0));
    assert_eq!(reader.chain_head().expect("a head"), Sha256([0; 32]));
    assert_eq!(reader.operation_at(Timestamp::from_micros(i64::MAX)).expect("asks"), 0);
    assert_eq!(log.at(Some(0)).len() + log.live().len(), 0);
    assert!(reader.search_is_current().expect("asks"));
    assert_eq!(reader.activity(log.store, 10).expect("marks"), []);
    log.assert_sound();
}

/// Bytes of pages that a connection keeps.
#[expect(unsafe_code, reason = "no safe function asks SQLite for it")]
fn kept_in_pages(connection: &rusqlite::Connection) -> i32 {
    let (mut kept, mut highest) = (0, 0);
    // SAFETY: the connection is open for as long as it is borrowed, and both numbers are written to before the call ends.
    let asked = unsafe {
        rusqlite::ffi::sqlite3_db_status(
            connection.handle(),
            rusqlite::ffi::SQLITE_DBSTATUS_CACHE_USED,
            &raw mut kept,
            &raw mut highest,
            0,
        )
    };
    assert_eq!(asked, rusqlite::ffi::SQLITE_OK);
    kept
}

#[test]
fn pages_are_let_go_of_and_read_again() {
    let mut log = TestLog::new();
    let store = log.store;
    let changes = (0..400).map(|number| put(store, &format!("{number}.md"), noise(number, 2_000))).collect();
    log.scan(changes);
    let reader = ReadConnection::open(log.writer.files()).expect("a reader");
    let texts = |reader: &Reader<'_>| -> Result<Vec<Vec<u8>>, LogError> {
        let versions = reader.versions(&VersionFilter { limit: 400, ..VersionFilter::default() })?;
        versions.iter().map(|version| Ok(reader.content(version)?.expect("a content").bytes)).collect()
    };
    let before = reader.snapshot(texts).expect("contents");
    assert_eq!(texts(&log.writer.reader()).expect("contents"), before);
    for connection in [&log.writer.connection, &reader.connection] {
        assert!(kept_in_pages(connection) > 500_000);
    }
    log.writer.release_pages().expect("lets go");
    reader.release_pages().expect("lets go");
    for connection in [&log.writer.connection, &reader.connection] {
        assert!(kept_in_pages(connection) < 100_000, "{}", kept_in_pages(connection));
    }
    assert_eq!(reader.snapshot(texts).expect("contents"), before);
    log.scan(vec![put(store, "0.md", "after")]);
    assert_eq!(texts(&log.writer.reader()).expect("contents").len(), 400);
}

#[test]
fn versions_read_ahead_are_those_that_are_read_singly() {
    let (log, _) = varied();
    let reader = log.writer.reader();
    let items = reader.items(&Actor::User { id: "ada".to_owned() }).expect("items");
    let last = reader.last_version().expect("a number");
    // One that is not there is left out, one that is named twice is read once.
    items.read_ahead((1..=last).rev().chain([1, last + 1, u64::MAX])).expect("reads");
    for seq in 1..=last {
        let single = format!("{:?}", reader.version(seq).expect("a version"));
        // The first answer is what was read ahead, the second is read.
        for _ in 0..2 {
            assert_eq!(format!("{:?}", items.version(seq).expect("a version")), single);
        }
    }
    assert!(matches!(items.version(last + 1), Err(LogError::NotFound { .. })));
    items.read_ahead([]).expect("nothing to read");
}
