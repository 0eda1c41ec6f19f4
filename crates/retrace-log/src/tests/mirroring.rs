//! Versions of a host as versions here.

use super::harness::*;
use crate::*;
use retrace_model::{Actor, Evidence, Source, StoreId, Timestamp, VersionOperation};

fn at(minutes: i64) -> Timestamp {
    Timestamp::from_micros(START + minutes * MINUTE)
}

/// Adds a mirror to a log.
fn mirror_in(log: &mut TestLog) -> StoreId {
    let new = NewRemote {
        base_url: "https://host.example".to_owned(),
        remote_id: "memstore_a".to_owned(),
        name: "hosted".to_owned(),
        at: Timestamp::from_micros(log.tick()),
    };
    let mut act = log.writer.begin().expect("a transaction");
    let store = act.add_remote(&new).expect("a mirror");
    act.mark_baseline(store).expect("a baseline");
    act.commit().expect("commits");
    store
}

/// A version of the host, made `number` minutes before the clock starts anew.
fn made(
    number: i64,
    memory: &str,
    operation: VersionOperation,
    place: &str,
    text: Option<&str>,
) -> HostVersion {
    HostVersion {
        id: format!("memver_{number}"),
        memory: memory.to_owned(),
        operation,
        path: Some(path(place)),
        content: text.map(|text| text.as_bytes().to_vec()),
        actor: Actor::Session { id: "sesn_1".to_owned(), evidence: Evidence::Stated },
        happened_at: at(number - 1000),
        redacted_at: None,
    }
}

fn redacted(number: i64, memory: &str, operation: VersionOperation) -> HostVersion {
    HostVersion { path: None, redacted_at: Some(at(0)), ..made(number, memory, operation, "x", None) }
}

fn mirror(log: &mut TestLog, store: StoreId, version: &HostVersion) -> Mirrored {
    let now = Timestamp::from_micros(log.tick());
    let mut act = log.writer.begin().expect("a transaction");
    let done = act.mirror(store, version, now).expect("mirrors");
    act.commit().expect("commits");
    done
}

fn live(log: &TestLog, store: StoreId) -> Vec<(String, Option<String>)> {
    let live = log.writer.reader().mirrored_memories(store).expect("memories");
    live.into_iter().map(|memory| (memory.path.to_text(), memory.remote_memory)).collect()
}

fn named(pairs: &[(&str, &str)]) -> Vec<(String, Option<String>)> {
    pairs.iter().map(|(path, memory)| ((*path).to_owned(), Some((*memory).to_owned()))).collect()
}

use VersionOperation::{Created, Deleted, Modified};

#[test]
fn a_memory_of_the_host_is_one_memory_through_its_moves_and_keeps_the_hosts_times_and_authors() {
    let mut log = TestLog::new();
    let store = mirror_in(&mut log);
    for version in [
        made(1, "mem_a", Created, "a.md", Some("one")),
        made(2, "mem_a", Modified, "b/a.md", Some("one")),
        made(3, "mem_a", Modified, "b/a.md", Some("two")),
    ] {
        assert_eq!(mirror(&mut log, store, &version).versions.len(), 1);
        assert_eq!(mirror(&mut log, store, &version), Mirrored::default(), "once");
    }
    let versions = log.versions();
    assert_eq!(versions.len(), 3);
    assert!(versions.iter().all(|version| version.memory == versions[0].memory));
    assert_eq!(versions[1].previous_path, Some(path("a.md")));
    for (version, number) in versions.iter().zip(1..) {
        assert_eq!((version.created_at, version.source), (at(number - 1000), Source::Api));
        assert_eq!(version.actor, Actor::Session { id: "sesn_1".to_owned(), evidence: Evidence::Stated });
        assert!(version.recorded_at > version.created_at && !version.rebuilt);
        assert_eq!(log.writer.reader().operation(version.operation_seq).expect("reads").versions, 1);
    }
    assert_eq!(live(&log, store), named(&[("b/a.md", "mem_a")]));
    let reader = log.writer.reader();
    let then = |number: i64| {
        let memories = reader.memories_at_time(store, at(number - 1000)).expect("memories");
        memories.into_iter().map(|memory| memory.version.id.seq).collect::<Vec<_>>()
    };
    assert_eq!([0, 1, 2, 3].map(then), [vec![], vec![1], vec![2], vec![3]], "time goes by the host");
    let found =
        reader.version_at_time(store, &path("a.md"), at(1 - 1000)).expect("reads").expect("a version");
    assert_eq!(found.id.seq, 1);
    let since = VersionFilter {
        store: Some(store),
        since: Some(at(2 - 1000)),
        until: Some(at(2 - 1000)),
        ..VersionFilter::default()
    };
    assert_eq!(reader.versions(&since).expect("versions").len(), 1);
    let marks = reader.activity(store, 10).expect("activity");
    assert_eq!(marks.iter().map(|mark| mark.at).collect::<Vec<_>>(), [at(-999), at(-998), at(-997)]);
    log.assert_sound();
}

#[test]
fn what_comes_to_a_path_where_a_deleted_one_was_is_another_memory() {
    let mut log = TestLog::new();
    let store = mirror_in(&mut log);
    for version in [
        made(1, "mem_a", Created, "a.md", Some("one")),
        made(2, "mem_a", Deleted, "a.md", None),
        made(3, "mem_b", Created, "a.md", Some("one")),
    ] {
        assert_eq!(mirror(&mut log, store, &version).versions.len(), 1);
    }
    let versions = log.versions();
    assert_ne!(versions[0].memory, versions[2].memory);
    assert_eq!(live(&log, store), named(&[("a.md", "mem_b")]));
    log.assert_sound();
}

#[test]
fn whoever_still_lives_at_a_versions_path_is_deleted_by_the_same_operation() {
    let mut log = TestLog::new();
    let store = mirror_in(&mut log);
    mirror(&mut log, store, &made(1, "mem_a", Created, "a.md", Some("one")));
    mirror(&mut log, store, &made(2, "mem_b", Created, "b.md", Some("two")));
    // Their deletions were gone before they were fetched: one path is taken by a new memory, one by a moved one.
    let taken = mirror(&mut log, store, &made(5, "mem_c", Created, "a.md", Some("one")));
    assert_eq!(taken.versions.len(), 2);
    let moved = mirror(&mut log, store, &made(6, "mem_c", Modified, "b.md", Some("one")));
    assert_eq!(moved.versions.len(), 2);
    assert_eq!(live(&log, store), named(&[("b.md", "mem_c")]));
    // One that was moved away unseen reappears as the one it was.
    mirror(&mut log, store, &made(7, "mem_a", Modified, "d.md", Some("three")));
    assert_eq!(log.versions()[0].memory, log.versions().last().expect("a version").memory);
    assert_eq!(live(&log, store), named(&[("b.md", "mem_c"), ("d.md", "mem_a")]));
    log.assert_sound();
}

#[test]
fn a_version_the_host_had_redacted_is_noted_and_appends_nothing_but_its_deletion() {
    let mut log = TestLog::new();
    let store = mirror_in(&mut log);
    assert_eq!(mirror(&mut log, store, &redacted(1, "mem_a", Created)), Mirrored::default());
    mirror(&mut log, store, &made(2, "mem_a", Modified, "a.md", Some("two")));
    assert_eq!(mirror(&mut log, store, &redacted(3, "mem_a", Modified)), Mirrored::default());
    assert_eq!(mirror(&mut log, store, &redacted(4, "mem_a", Deleted)).versions.len(), 1);
    assert_eq!(mirror(&mut log, store, &redacted(5, "mem_z", Deleted)), Mirrored::default(), "never seen");
    assert_eq!(live(&log, store), named(&[]));
    let row = log.writer.reader().remote(store).expect("reads").expect("a mirror");
    assert_eq!((row.versions, row.never_seen), (5, 3));
    log.assert_sound();
}

#[test]
fn a_version_that_is_neither_redacted_nor_whole_is_refused() {
    let mut log = TestLog::new();
    let store = mirror_in(&mut log);
    let mut act = log.writer.begin().expect("a transaction");
    let refused = act.mirror(store, &made(1, "mem_a", Created, "a.md", None), at(0));
    assert!(matches!(refused, Err(LogError::Invalid(_))), "{refused:?}");
    let other = act.reader().stores().expect("stores").into_iter().find(|row| !row.is_remote()).expect("one");
    let refused = act.mirror(other.id, &made(1, "mem_a", Created, "a.md", Some("one")), at(0));
    assert!(matches!(refused, Err(LogError::NotFound { .. })), "{refused:?}");
}

#[test]
fn a_deletion_made_here_is_the_hosts_deletion_once_that_is_fetched() {
    let mut log = TestLog::new();
    let store = mirror_in(&mut log);
    mirror(&mut log, store, &made(1, "mem_a", Created, "a.md", Some("one")));
    let now = log.tick();
    log.writer.append(scan(store, now, vec![gone(store, "a.md")])).expect("appends");
    assert_eq!(mirror(&mut log, store, &made(2, "mem_a", Deleted, "a.md", None)), Mirrored::default());
    assert_eq!(log.versions().len(), 2);
    assert_eq!(log.version(2).created_at, at(2 - 1000));
    assert_eq!(log.writer.reader().version_of_host(store, "memver_2").expect("reads"), Some(2));
    log.assert_sound();
}

#[test]
fn a_content_the_memory_has_already_makes_no_version_and_is_known_all_the_same() {
    let mut log = TestLog::new();
    let store = mirror_in(&mut log);
    mirror(&mut log, store, &made(1, "mem_a", Created, "a.md", Some("one")));
    // The version between the two was gone before it was fetched.
    assert_eq!(
        mirror(&mut log, store, &made(3, "mem_a", Modified, "a.md", Some("one"))),
        Mirrored::default()
    );
    let live = log.writer.reader().mirrored_memories(store).expect("memories");
    assert_eq!(live[0].remote_version.as_deref(), Some("memver_3"));
    let ids = log.writer.reader().host_versions(&[1]).expect("reads");
    assert_eq!(ids[&1].iter().map(|(_, id)| id.as_str()).collect::<Vec<_>>(), ["memver_1", "memver_3"]);
    log.assert_sound();
}

/// Page as fetched, newest first, as versions by number.
fn page(numbers: std::ops::RangeInclusive<i64>) -> Vec<HostVersion> {
    let version = |number: i64| {
        let text = format!("text {number}");
        made(number, "mem_a", if number == 1 { Created } else { Modified }, "a.md", Some(&text))
    };
    numbers.rev().map(version).collect()
}

fn keep(log: &mut TestLog, store: StoreId, versions: &[HostVersion], next: Option<&str>) {
    let mut act = log.writer.begin().expect("a transaction");
    act.keep_page(store, versions, next).expect("keeps");
    act.commit().expect("commits");
}

fn begin(log: &mut TestLog, store: StoreId) {
    let act = log.writer.begin().expect("a transaction");
    act.begin_listing(store).expect("begins");
    act.commit().expect("commits");
}

fn taken(log: &mut TestLog, store: StoreId) -> Vec<String> {
    let mut ids = Vec::new();
    let mut act = log.writer.begin().expect("a transaction");
    while let Some(version) = act.take_staged(store).expect("takes") {
        ids.push(version.id.clone());
        act.mirror(store, &version, at(0)).expect("mirrors");
    }
    act.commit().expect("commits");
    ids
}

fn ids(numbers: std::ops::RangeInclusive<i64>) -> Vec<String> {
    numbers.map(|number| format!("memver_{number}")).collect()
}

#[test]
fn pages_are_taken_oldest_first_through_a_listing_that_was_cut_off_and_one_begun_anew() {
    let mut log = TestLog::new();
    let store = mirror_in(&mut log);
    begin(&mut log, store);
    keep(&mut log, store, &page(5..=6), Some("page_2"));
    let mut log = log.reopen(2);
    let row = log.writer.reader().remote(store).expect("reads").expect("a mirror");
    assert_eq!((row.listing, row.cursor.as_deref(), row.staged), (true, Some("page_2"), 2));
    // Its cursor is refused, so the listing is begun anew; there are newer versions by then, and it goes further down.
    begin(&mut log, store);
    keep(&mut log, store, &page(6..=8), Some("page_2"));
    keep(&mut log, store, &page(3..=5), None);
    assert_eq!(taken(&mut log, store), ids(3..=8));
    begin(&mut log, store);
    keep(&mut log, store, &page(7..=9), None);
    assert_eq!(taken(&mut log, store), ids(9..=9), "what is mirrored is not fetched again");
    assert_eq!(log.text(7), "text 9");
    log.assert_sound();
}

fn queue(log: &mut TestLog, new: &NewQueued) -> u64 {
    let mut act = log.writer.begin().expect("a transaction");
    let id = act.queue(new).expect("queues");
    act.commit().expect("commits");
    id
}

fn update(store: StoreId, expected: &str, text: &str) -> NewQueued {
    NewQueued {
        store,
        kind: QueueKind::Update,
        path: Some(path("a.md")),
        moved_from: None,
        remote_memory: Some("mem_a".to_owned()),
        remote_version: Some("memver_1".to_owned()),
        expected: Some(retrace_model::Sha256::of(expected.as_bytes())),
        content: Some(text.as_bytes().to_vec()),
        operation_seq: Some(1),
        source: Source::Rollback,
        note: Some("why".to_owned()),
        at: at(0),
        message: None,
    }
}

#[test]
fn what_is_queued_keeps_its_order_and_a_number_of_its_own() {
    let mut log = TestLog::new();
    let store = mirror_in(&mut log);
    mirror(&mut log, store, &made(1, "mem_a", Created, "a.md", Some("one")));
    let first = queue(&mut log, &update(store, "one", "two"));
    let mut act = log.writer.begin().expect("a transaction");
    assert!(act.unqueue(first).expect("takes back"));
    assert!(!act.unqueue(first).expect("is gone"));
    act.commit().expect("commits");
    let second = queue(&mut log, &update(store, "one", "three"));
    assert!(second > first, "numbers are not given twice");
    let mut act = log.writer.begin().expect("a transaction");
    act.set_queue_state(second, QueueState::Conflict, Some("It changed.")).expect("says so");
    act.note_sent(1, 1).expect("notes");
    act.commit().expect("commits");
    let reader = log.writer.reader();
    let rows = reader.remote_queue(Some(store)).expect("reads");
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].id, rows[0].state), (second, QueueState::Conflict));
    assert_eq!(rows[0].change.content.as_deref(), Some(&b"three"[..]));
    assert_eq!(rows[0].content_sha256, Some(retrace_model::Sha256::of(b"three")));
    assert_eq!(reader.queued_by(1).expect("reads").len(), 1);
    assert_eq!(reader.sent_for(1).expect("reads"), [1]);
    assert_eq!(reader.remote_queue(Some(log.store)).expect("reads").len(), 0);
    log.assert_sound();
}

#[test]
fn a_redaction_reaches_what_is_queued_and_what_is_fetched() {
    let secret = noise(40, 60);
    let other = noise(41, 60);
    let mut log = TestLog::new();
    let store = mirror_in(&mut log);
    mirror(&mut log, store, &made(1, "mem_a", Created, "a.md", Some(&secret)));
    mirror(&mut log, store, &made(2, "mem_a", Modified, "a.md", Some("clean")));
    queue(&mut log, &update(store, "clean", &secret));
    let against = queue(&mut log, &update(store, &secret, "another"));
    begin(&mut log, store);
    let staged = made(3, "mem_a", Modified, "a.md", Some(&other));
    keep(&mut log, store, &[staged], Some("page_2"));
    let masked = log.redact(&[1]);
    let left = log.writer.reader().remote_queue(None).expect("reads");
    assert_eq!(left.iter().map(|row| (row.id, row.change.expected)).collect::<Vec<_>>(), [(against, None)]);
    let row = log.writer.reader().remote(store).expect("reads").expect("a mirror");
    assert_eq!((row.listing, row.cursor, row.staged), (true, None, 0));
    let mut needles = masked.needles;
    needles.add(secret.as_bytes());
    needles.add(other.as_bytes());
    let hits = log.purge(&needles);
    assert!(hits.files.values().all(|hits| *hits == 0), "{hits:?}");
    for bytes in [&secret, &other] {
        assert_eq!(log.files_holding(bytes.as_bytes()), Vec::<String>::new());
    }
    // The host has it still, until it says that it redacted it.
    let operation = log.writer.reader().receipts().expect("receipts")[0].operation_seq;
    assert_eq!(log.writer.reader().left_at_hosts(operation).expect("reads"), [(store, 1, 1)]);
    let act = log.writer.begin().expect("a transaction");
    assert_eq!(act.redacted_at_host(store, "memver_1", at(0)).expect("notes"), None, "it is masked here too");
    assert_eq!(act.redacted_at_host(store, "memver_2", at(0)).expect("notes"), Some(2), "it is kept here");
    assert_eq!(act.redacted_at_host(store, "memver_2", at(1)).expect("notes"), None, "no news");
    act.commit().expect("commits");
    assert_eq!(log.writer.reader().left_at_hosts(operation).expect("reads"), [(store, 1, 0)]);
    let row = log.writer.reader().remote(store).expect("reads").expect("a mirror");
    assert_eq!(row.redacted_at_host, 1);
    log.assert_sound();
}

#[test]
fn a_mirror_has_no_directory_and_is_added_once() {
    let mut log = TestLog::new();
    let store = mirror_in(&mut log);
    let row = log.writer.reader().store(store).expect("a store");
    assert!(row.is_remote() && !row.has_directory() && !row.is_log_only());
    assert!(log.writer.reader().store(log.store).expect("a store").has_directory());
    assert_eq!(row.root, b"remote:https://host.example#memstore_a");
    let again = NewRemote {
        base_url: "https://host.example".to_owned(),
        remote_id: "memstore_a".to_owned(),
        name: "again".to_owned(),
        at: at(0),
    };
    let mut act = log.writer.begin().expect("a transaction");
    assert!(matches!(act.add_remote(&again), Err(LogError::Invalid(_))));
    drop(act);
    let mut act = log.writer.begin().expect("a transaction");
    act.remove_store(store, at(0)).expect("is removed");
    assert_eq!(act.reader().remotes().expect("reads"), []);
    assert_eq!(act.add_remote(&again).expect("is back"), store);
    act.commit().expect("commits");
    assert_eq!(log.writer.reader().remotes().expect("reads").len(), 1);
    log.assert_sound();
}

#[test]
fn what_does_not_fit_between_a_mirror_and_its_store_is_found() {
    for (sql, word) in [
        ("UPDATE remotes SET remote_id = 'memstore_b'", "another root"),
        ("DELETE FROM remotes", "no mirrors"),
        ("DROP TRIGGER mirrored_keep_facts; UPDATE mirrored SET memory_id = 99", "another store or memory"),
        (
            "DROP TRIGGER mirrored_keep_facts; UPDATE mirrored SET remote_memory_id = remote_version_id",
            "several memories",
        ),
    ] {
        let mut log = TestLog::new();
        let store = mirror_in(&mut log);
        mirror(&mut log, store, &made(1, "mem_a", Created, "a.md", Some("one")));
        mirror(&mut log, store, &made(2, "mem_a", Modified, "a.md", Some("two")));
        log.assert_sound();
        log.raw().execute_batch(sql).expect("is altered");
        let problems = log.problems();
        assert!(problems.iter().any(|problem| problem.contains(word)), "{sql}: {problems:?}");
    }
}
