//! Who wrote a content survives what a person does with it.

use super::harness::*;
use crate::*;
use retrace_model::{Actor, Evidence, Source};
use std::collections::HashMap;

fn session(id: &str) -> Actor {
    Actor::Session { id: id.to_owned(), evidence: Evidence::Stated }
}

/// Appends a change by somebody; answers the place of its version.
fn by(log: &mut TestLog, actor: &Actor, source: Source, change: Change) -> u64 {
    let at = log.tick();
    let append = Append { actor, source, ..scan(log.store, at, vec![change]) };
    log.writer.append(append).expect("appends").versions[0].seq
}

fn writes(log: &mut TestLog, id: &str, path: &str, text: &str) -> u64 {
    let change = put(log.store, path, text);
    by(log, &session(id), Source::Tool, change)
}

/// Ada puts a content back, or a deletion, and says which version it is of.
fn puts_back(log: &mut TestLog, change: Change, of: Option<u64>) -> u64 {
    let at = log.tick();
    let ada = user("ada");
    let append = Append { actor: &ada, source: Source::Rollback, ..scan(log.store, at, vec![change]) };
    let reported: HashMap<usize, u64> = of.into_iter().map(|of| (0, of)).collect();
    let mut act = log.writer.begin().expect("begins");
    let appended = act.append_putting_back(append, &reported).expect("appends");
    act.commit().expect("commits");
    appended.versions[0].seq
}

fn of(log: &TestLog, seq: u64) -> Option<u64> {
    log.version(seq).put_back_of
}

#[test]
fn what_a_person_puts_back_names_the_version_that_brought_it() {
    let mut log = TestLog::new();
    let store = log.store;
    let one = writes(&mut log, "x", "a.md", "one");
    let two = writes(&mut log, "y", "a.md", "two");
    let again = writes(&mut log, "z", "a.md", "one");
    assert_eq!((of(&log, two), of(&log, again)), (None, None), "a session writes by itself");
    writes(&mut log, "y", "a.md", "three");
    // Of several with the same content the one that the act says, else the newest.
    let first = puts_back(&mut log, put(store, "a.md", "one"), Some(one));
    let back = puts_back(&mut log, put(store, "a.md", "two"), None);
    let last = puts_back(&mut log, put(store, "a.md", "one"), Some(first));
    let other = puts_back(&mut log, put(store, "a.md", "two"), Some(one));
    let newest = puts_back(&mut log, put(store, "a.md", "one"), None);
    assert_eq!(
        [first, back, last, other, newest].map(|seq| of(&log, seq)),
        [Some(one), Some(two), Some(one), Some(two), Some(one)],
        "what was put back is followed to its beginning, and what the act says must be the content"
    );
    let edited = puts_back(&mut log, put(store, "a.md", "a new text"), Some(one));
    assert_eq!(of(&log, edited), None, "what nobody wrote before is the person's own");
    let reader = log.writer.reader();
    assert_eq!(reader.written(&log.version(last)).expect("reads").id.seq, one);
    assert_eq!(reader.written(&log.version(edited)).expect("reads").id.seq, edited);
    log.assert_sound();
}

#[test]
fn a_deletion_and_a_memory_that_reappears_keep_their_writers() {
    let mut log = TestLog::new();
    let store = log.store;
    let made = writes(&mut log, "x", "a.md", "one");
    let gone_by_y = by(&mut log, &session("y"), Source::Tool, gone(store, "a.md"));
    let there_again = puts_back(&mut log, put(store, "a.md", "one"), Some(made));
    let gone_again = puts_back(&mut log, gone(store, "a.md"), Some(gone_by_y));
    let own = puts_back(&mut log, put(store, "a.md", "one"), None);
    let deleted_by_ada = puts_back(&mut log, gone(store, "a.md"), None);
    assert_eq!(
        [there_again, gone_again, own, deleted_by_ada].map(|seq| of(&log, seq)),
        [Some(made), Some(gone_by_y), Some(made), None]
    );
    // Content that another memory had is put back by an act that only puts back; a text that a person writes is their
    // own.
    let elsewhere = by(&mut log, &user("ada"), Source::Rollback, put(store, "c.md", "one"));
    let typed = by(&mut log, &user("ada"), Source::Api, put(store, "b.md", "one"));
    assert_eq!((of(&log, elsewhere), of(&log, typed)), (Some(made), None));
    log.assert_sound();
}

#[test]
fn a_memory_that_is_gone_and_comes_back_as_it_was_keeps_its_writer() {
    let mut log = TestLog::new();
    let store = log.store;
    let scans = |log: &mut TestLog, change: Change| by(log, &Actor::Unknown, Source::Scan, change);
    let made = writes(&mut log, "x", "a.md", "one");
    scans(&mut log, gone(store, "a.md"));
    let back = scans(&mut log, put(store, "a.md", "one"));
    scans(&mut log, gone(store, "a.md"));
    let again = scans(&mut log, put(store, "a.md", "one"));
    scans(&mut log, gone(store, "a.md"));
    let other = scans(&mut log, put(store, "a.md", "two"));
    let changed = scans(&mut log, put(store, "a.md", "one"));
    // Who writes through a tool writes by themselves.
    scans(&mut log, gone(store, "a.md"));
    let written = writes(&mut log, "y", "a.md", "one");
    assert_eq!(
        [back, again, other, changed, written].map(|seq| of(&log, seq)),
        [Some(made), Some(made), None, None, None]
    );
    let reader = log.writer.reader();
    assert_eq!(reader.versions_of_session("x").expect("reads"), [again, back, made]);
    log.assert_sound();
}

#[test]
fn lists_find_what_a_person_put_back_by_its_first_writer_too() {
    let mut log = TestLog::new();
    let store = log.store;
    let one = writes(&mut log, "x", "a.md", "one");
    let two = writes(&mut log, "y", "a.md", "two");
    let back = puts_back(&mut log, put(store, "a.md", "one"), Some(one));
    let by = |actor: &str| {
        let filter = VersionFilter { actor: Some(actor.to_owned()), ..VersionFilter::default() };
        let found = log.writer.reader().versions(&filter).expect("reads");
        found.into_iter().map(|version| version.id.seq).collect::<Vec<_>>()
    };
    assert_eq!((by("x"), by("y"), by("ada")), (vec![back, one], vec![two], vec![back]));
    let reader = log.writer.reader();
    assert_eq!(reader.versions_of_session("x").expect("reads"), [back, one]);
    let left = reader.unreviewed(&user("ben"), None).expect("reads");
    assert_eq!(
        left.iter().map(|item| (item.newest, item.writer.clone())).collect::<Vec<_>>(),
        [(back, session("x"))]
    );
    assert_eq!(
        left[0].writer,
        reader.unreviewed_memory(&user("ben"), log.version(one).memory).expect("reads").expect("left").writer
    );
}

#[test]
fn what_was_put_back_is_kept_when_a_content_is_masked_or_found_out_later() {
    let mut log = TestLog::new();
    let store = log.store;
    log.put("a.md", "one");
    writes(&mut log, "y", "a.md", "two");
    let back = puts_back(&mut log, put(store, "a.md", "one"), Some(1));
    let mut act = log.writer.begin().expect("begins");
    let answer = OriginRow {
        session: Some("later".to_owned()),
        confidence: "exact_content".to_owned(),
        basis: "whole".to_owned(),
        steps: 1,
        ..OriginRow::default()
    };
    act.set_origins(1, &[answer]).expect("writes");
    act.commit().expect("commits");
    let writer = |log: &TestLog| log.writer.reader().written(&log.version(back)).expect("reads").actor;
    let later = Actor::Session { id: "later".to_owned(), evidence: Evidence::ExactContent };
    assert_eq!(writer(&log), later);
    log.redact(&[1]);
    assert_eq!((of(&log, back), writer(&log)), (Some(1), later));
    log.assert_sound();
}

/// A log as it was before this was kept: what rollbacks put back is found by content.
#[test]
fn what_was_put_back_before_this_was_kept_is_found_by_content() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = LogFiles::new(folder.path());
    let mut connection = rusqlite::Connection::open(files.database()).expect("a database");
    crate::migrate::migrate_to(&mut connection, 9).expect("an older log");
    connection
        .execute_batch(
            "INSERT INTO stores (id, public, kind, root, name, created_at)
                VALUES (1, zeroblob(16), 'plain', CAST('/a' AS BLOB), 'a', 1);
             INSERT INTO actors VALUES (1, 'user', 'ada', ''), (2, 'session', 'x', 'stated');
             INSERT INTO memories VALUES (1, CAST('0123456789abcdef' AS BLOB), 1);
             INSERT INTO paths VALUES (1, CAST('a.md' AS BLOB));
             INSERT INTO blobs VALUES (1, 0, 1, 0, NULL, 1, zeroblob(16), zeroblob(32), CAST('1' AS BLOB)),
                                      (2, 0, 1, 0, NULL, 1, zeroblob(16), zeroblob(32), CAST('2' AS BLOB));
             INSERT INTO versions (seq, operation_seq, store_id, memory_id, number, change, path_id, blob_id, salt) VALUES
                (1, 1, 1, 1, 1, 1, 1, 1, NULL), (2, 2, 1, 1, 2, 2, 1, 2, NULL), (3, 3, 1, 1, 3, 2, 1, 1, NULL),
                (4, 4, 1, 1, 4, 2, 1, 2, NULL), (5, 5, 1, 1, 5, 3, 1, NULL, zeroblob(16)),
                (6, 6, 1, 1, 6, 1, 1, 2, NULL), (7, 7, 1, 1, 7, 3, 1, NULL, zeroblob(16));
             INSERT INTO operations (seq, store_id, source, created_at, actor_id, first_version, created, modified, deleted, digest)
                VALUES (1, 1, 'tool', 1, 2, 1, 1, 0, 0, zeroblob(32)), (2, 1, 'scan', 2, NULL, 2, 0, 1, 0, zeroblob(32)),
                (3, 1, 'rollback', 3, 1, 3, 0, 1, 0, zeroblob(32)), (4, 1, 'rollback', 4, 1, 4, 0, 1, 0, zeroblob(32)),
                (5, 1, 'scan', 5, NULL, 5, 0, 0, 1, zeroblob(32)), (6, 1, 'restore', 6, 1, 6, 1, 0, 0, zeroblob(32)),
                (7, 1, 'rollback', 7, 1, 7, 0, 0, 1, zeroblob(32));",
        )
        .expect("rows");
    crate::migrate::migrate(&mut connection).expect("is brought to the newest");
    let mut query =
        connection.prepare("SELECT version_seq, of_seq FROM put_back ORDER BY 1").expect("prepares");
    let found = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("asks");
    let found: Vec<(u64, u64)> = found.collect::<Result<_, _>>().expect("reads");
    assert_eq!(found, [(3, 1), (4, 2), (6, 2), (7, 5)]);
}

/// A text and the session that wrote it.
type Written = (String, String);

/// Content of each memory, with who wrote it: nobody's act but a write changes the writer.
#[derive(Clone, Default)]
struct Model {
    now: HashMap<&'static str, Written>,
    before: Vec<(&'static str, Option<Written>, u64)>,
}

proptest::proptest! {
    #[test]
    fn any_row_of_writes_and_acts_keeps_the_writer(
        steps in proptest::collection::vec((0_u8..3, 0_usize..3, 0_u8..4, 0_usize..50), 1..40)
    ) {
        let mut log = TestLog::new();
        let mut model = Model::default();
        for (kind, path, text, choice) in steps {
            let path = ["a.md", "b.md", "c.md"][path];
            let is_there = |model: &Model| model.now.contains_key(path);
            match kind {
                // A session writes or deletes.
                0 | 1 => {
                    let (id, text) = (format!("s{choice}"), format!("text {text}"));
                    let same = model.now.get(path).is_some_and(|(held, _)| *held == text);
                    if kind == 0 && !same {
                        let seq = writes(&mut log, &id, path, &text);
                        model.now.insert(path, (text, id));
                        model.before.push((path, model.now.get(path).cloned(), seq));
                    } else if kind == 1 && is_there(&model) {
                        let change = gone(log.store, path);
                        let seq = by(&mut log, &session(&id), Source::Tool, change);
                        model.now.remove(path);
                        model.before.push((path, None, seq));
                    }
                }
                // Ada puts back what was there at some version: a rollback, a restore or an undo.
                _ if model.before.is_empty() => {}
                _ => {
                    let (path, state, seq) = model.before[choice % model.before.len()].clone();
                    let same = match (&state, model.now.get(path)) {
                        (Some((text, _)), Some((held, _))) => text == held,
                        (None, None) => true,
                        _ => false,
                    };
                    if same {
                        continue;
                    }
                    let change = match &state {
                        Some((text, _)) => put(log.store, path, text),
                        None => gone(log.store, path),
                    };
                    let by_act = puts_back(&mut log, change, Some(seq));
                    match &state {
                        Some(held) => drop(model.now.insert(path, held.clone())),
                        None => drop(model.now.remove(path)),
                    }
                    model.before.push((path, state, by_act));
                }
            }
        }
        let reader = log.writer.reader();
        for memory in reader.memories_at(log.store, None).expect("reads") {
            let path = memory.path.expect("a path").to_text();
            let writer = reader.written(&memory.version).expect("reads").actor;
            proptest::prop_assert_eq!(writer, session(&model.now[path.as_str()].1));
        }
        log.assert_sound();
    }
}
