//! Versions whose file may not be on the disk.

use super::harness::*;
use crate::*;
use retrace_model::{StoreKind, Timestamp};

fn note(log: &mut TestLog, versions: &[retrace_model::VersionId], boot: &str) {
    let mut act = log.writer.begin().expect("begins");
    act.note_unflushed(versions, boot).expect("notes");
    act.commit().expect("commits");
}

fn unflushed(log: &TestLog) -> Vec<(u64, String)> {
    let rows = log.writer.reader().unflushed(log.store).expect("reads");
    rows.into_iter().map(|row| (row.seq, row.boot)).collect()
}

#[test]
fn what_is_noted_is_there_until_it_is_flushed() {
    let mut log = TestLog::new();
    let (one, two) = (log.put("a.md", "one").versions, log.put("b.md", "two").versions);
    assert_eq!(unflushed(&log), []);
    note(&mut log, &one, "boot a");
    note(&mut log, &two, "boot b");
    assert_eq!(unflushed(&log), [(1, "boot a".to_owned()), (2, "boot b".to_owned())]);
    log.assert_sound();
    let mut other = log.writer.begin().expect("begins");
    let new = NewStore {
        kind: StoreKind::Plain,
        root: b"/elsewhere".to_vec(),
        name: "elsewhere".to_owned(),
        at: Timestamp::from_micros(START),
    };
    let elsewhere = other.add_store(&new).expect("a store");
    other.commit().expect("commits");
    assert_eq!(log.writer.reader().unflushed(elsewhere).expect("reads"), []);
    let mut act = log.writer.begin().expect("begins");
    act.note_flushed(&[1, 7]).expect("notes");
    act.commit().expect("commits");
    let log = log.reopen(2);
    assert_eq!(unflushed(&log), [(2, "boot b".to_owned())]);
    log.assert_sound();
}

#[test]
fn a_note_that_is_not_committed_was_never_made() {
    let mut log = TestLog::new();
    let one = log.put("a.md", "one").versions;
    let mut act = log.writer.begin().expect("begins");
    act.note_unflushed(&one, "boot a").expect("notes");
    drop(act);
    assert_eq!(unflushed(&log), []);
}

#[test]
fn masking_takes_the_note_of_a_version_and_leaves_the_others() {
    let mut log = TestLog::new();
    let (one, two) = (log.put("a.md", "a secret").versions, log.put("a.md", "no secret").versions);
    note(&mut log, &[&one[..], &two].concat(), "boot a");
    log.redact(&[1]);
    assert_eq!(unflushed(&log), [(2, "boot a".to_owned())]);
    log.assert_sound();
}

#[test]
fn a_note_of_a_masked_version_is_found_by_verification() {
    let mut log = TestLog::new();
    log.put("a.md", "a secret");
    log.redact(&[1]);
    log.raw().execute("INSERT INTO unsettled VALUES (1, 'boot a')", []).expect("inserts");
    let problems = log.writer.reader().verify().expect("verifies").problems;
    assert!(problems.iter().any(|problem| problem.contains("on their way to the disk")), "{problems:?}");
    log.raw().execute("DELETE FROM unsettled", []).expect("deletes");
}
