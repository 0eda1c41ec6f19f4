//! Stores, and what is remembered of files.

use super::harness::*;
use crate::*;
use retrace_model::{Seen, StoreId, StoreKind, StoreState, Timestamp};

fn new_store(root: &str, name: &str) -> NewStore {
    NewStore {
        kind: StoreKind::ClaudeAuto,
        root: root.as_bytes().to_vec(),
        name: name.to_owned(),
        at: Timestamp::from_micros(START),
    }
}

fn change<T>(
    log: &mut TestLog,
    change: impl FnOnce(&mut Act<'_>) -> Result<T, LogError>,
) -> Result<T, LogError> {
    let mut act = log.writer.begin().expect("a transaction");
    let done = change(&mut act)?;
    act.commit().expect("commits");
    Ok(done)
}

#[test]
fn a_store_is_added_once_and_reappears_with_its_history() {
    let mut log = TestLog::new();
    log.put("a.md", "one");
    let (store, at) = (log.store, Timestamp::from_micros(START));
    let twice = change(&mut log, |act| act.add_store(&new_store("/stores/notes", "again")));
    assert!(matches!(twice, Err(LogError::Invalid(_))), "{twice:?}");
    let taken = change(&mut log, |act| act.add_store(&new_store("/stores/other", "notes")));
    assert!(matches!(taken, Err(LogError::Invalid(_))), "{taken:?}");
    change(&mut log, |act| act.remove_store(store, at)).expect("removes");
    assert_eq!(log.writer.reader().store(store).expect("kept").removed_at, Some(at));
    assert_eq!(
        log.writer.reader().totals().expect("totals"),
        (1, 0),
        "live memories of stores on the list only"
    );
    let again = change(&mut log, |act| act.add_store(&new_store("/stores/notes", "renamed"))).expect("adds");
    let row = log.writer.reader().store(store).expect("a store");
    assert_eq!(
        (again, row.removed_at, row.name.as_str(), row.kind),
        (store, None, "renamed", StoreKind::ClaudeAuto)
    );
    assert_eq!((row.versions, log.writer.reader().live_count(store).expect("a store")), (1, 1));
    log.assert_sound();
}

#[test]
fn a_stores_state_changes_only_when_it_is_news() {
    let mut log = TestLog::new();
    let store = log.store;
    let changes = |log: &mut TestLog, state, detail: Option<&str>| {
        let before = log.writer.reader().own_changes();
        change(log, |act| act.set_store_state(store, state, detail)).expect("sets");
        log.writer.reader().own_changes() - before
    };
    assert_eq!(changes(&mut log, StoreState::Recording, None), 0);
    assert_eq!(changes(&mut log, StoreState::Denied, Some("no permission")), 1);
    assert_eq!(changes(&mut log, StoreState::Denied, Some("no permission")), 0);
    assert_eq!(changes(&mut log, StoreState::Denied, None), 1);
    change(&mut log, |act| act.pause_store(store, true)).expect("pauses");
    log.put("a.md", "one");
    change(&mut log, |act| act.mark_baseline(store)).expect("marks");
    let row = log.writer.reader().store(store).expect("a store");
    assert_eq!((row.state, row.paused, row.baseline, row.versions), (StoreState::Denied, true, 1, 1));
    assert_eq!(row.last_change, Some(Timestamp::from_micros(START + MINUTE)));
}

#[test]
fn an_unknown_store_is_reported_to_be_unknown() {
    let mut log = TestLog::new();
    let (nowhere, at) = (StoreId([9; 16]), Timestamp::from_micros(START));
    let unknown =
        |result: Result<(), LogError>| matches!(result, Err(LogError::NotFound { what: "store", .. }));
    assert!(unknown(change(&mut log, |act| act.remove_store(nowhere, at))));
    assert!(unknown(change(&mut log, |act| act.pause_store(nowhere, true))));
    assert!(unknown(change(&mut log, |act| act.set_store_state(nowhere, StoreState::Missing, None))));
    assert!(unknown(change(&mut log, |act| act.mark_baseline(nowhere))));
    assert!(unknown(log.writer.saw(nowhere, &[], at)));
    let reader = log.writer.reader();
    assert!(unknown(reader.store(nowhere).map(drop)));
    assert!(unknown(reader.heads(nowhere).map(drop)));
    assert!(unknown(reader.memories_at(nowhere, None).map(drop)));
    assert!(unknown(reader.activity(nowhere, 1).map(drop)));
}

#[test]
fn what_the_file_system_reported_is_remembered() {
    let mut log = TestLog::new();
    log.put("a.md", "one");
    let (store, at) = (log.store, Timestamp::from_micros(START + 9 * MINUTE));
    let extreme = Seen {
        size: u64::MAX,
        modified_nanos: -5,
        changed_nanos: i128::from(i64::MAX),
        file_id: u64::MAX - 1,
        mode: Some(0o4755),
    };
    log.writer.saw(store, &[(path("a.md"), extreme), (path("absent.md"), extreme)], at).expect("remembers");
    let heads = log.writer.reader().heads(store).expect("heads");
    assert_eq!(heads.len(), 1);
    assert_eq!((heads[&path("a.md")].seen, heads[&path("a.md")].seen_at), (Some(extreme), at));
    let beyond = Seen { modified_nanos: i128::MAX, changed_nanos: i128::MIN, ..extreme };
    log.writer.saw(store, &[(path("a.md"), beyond)], at).expect("remembers");
    let seen = log.writer.reader().heads(store).expect("heads")[&path("a.md")].seen.expect("known");
    assert_eq!(
        (seen.modified_nanos, seen.changed_nanos),
        (i128::from(i64::MAX), i128::from(i64::MIN)),
        "cut"
    );
}

#[test]
fn a_redacted_file_is_known_by_its_shadow_alone() {
    let mut log = TestLog::new();
    let store = log.store;
    log.put("a.md", "a secret");
    log.put("b.md", "no secret");
    log.redact(&[1]);
    let heads = log.writer.reader().heads(store).expect("heads");
    assert_eq!(heads[&path("a.md")].seen, None, "its size would say something of the content");
    let file = seen(8);
    change(&mut log, |act| act.cast_shadow(store, &path("a.md"), &file)).expect("casts");
    change(&mut log, |act| act.cast_shadow(store, &path("b.md"), &file)).expect("casts nothing");
    let casts = |log: &TestLog, name: &str, seen: &Seen| {
        log.writer.reader().casts_shadow(store, &path(name), seen).expect("a scan")
    };
    assert!(casts(&log, "a.md", &file), "it is known as the file that was redacted");
    assert!(!casts(&log, "a.md", &Seen { changed_nanos: 9, ..file }), "another one is not");
    assert!(!casts(&log, "b.md", &file) && !casts(&log, "none.md", &file));
    log.writer.saw(store, &[(path("a.md"), file)], Timestamp::from_micros(START)).expect("remembers nothing");
    let heads = log.writer.reader().heads(store).expect("heads");
    assert_eq!(heads[&path("a.md")].seen, None);
    assert_eq!(heads[&path("b.md")].seen, Some(seen(9)), "not redacted, so nothing is forgotten");
    assert_eq!(log.put("a.md", "a secret").operation_seq, None, "the file is as it was");
    let mut changed = put(store, "a.md", "a secret");
    if let Payload::Content { seen, .. } = &mut changed.payload {
        *seen = Some(Seen { modified_nanos: 9, ..file });
    }
    log.scan(vec![changed]);
    assert_eq!(reported(&log.versions()[2..]), ["~ a.md"], "the file was written again");
    log.assert_sound();
}
