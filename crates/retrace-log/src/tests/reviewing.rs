//! Unreviewed versions, by person, and what takes them off the list or brings them back.

use super::harness::*;
use crate::*;
use retrace_model::{Actor, Evidence, Timestamp, Verdict};

const ADA: &str = "ada";
const BEN: &str = "ben";

/// A log whose store began with `a.md` and `b.md`.
fn with_baseline() -> TestLog {
    let mut log = TestLog::new();
    log.scan(vec![put(log.store, "a.md", "one"), put(log.store, "b.md", "one")]);
    let act = log.writer.begin().expect("a transaction");
    act.mark_baseline(log.store).expect("a baseline");
    act.commit().expect("commits");
    log
}

#[test]
fn the_baseline_is_known_and_what_follows_is_not() {
    let mut log = with_baseline();
    assert_eq!(log.unreviewed(ADA), []);
    log.put("a.md", "two");
    log.put("a.md", "three");
    log.put("c.md", "new");
    log.delete("b.md");
    assert_eq!(log.unreviewed(ADA), [(Some(2), 6), (None, 5), (Some(1), 4)]);
    log.assert_sound();
}

#[test]
fn every_item_has_its_file_and_the_content_that_tells_its_type() {
    let mut log = with_baseline();
    log.put("a.md", "two");
    log.put("c.md", "new");
    log.delete("b.md");
    let reader = log.writer.reader();
    let mut files = reader.unreviewed_files(&user(ADA), None).expect("reads");
    files.sort_by_key(|file| file.newest);
    let reported: Vec<_> = files
        .iter()
        .map(|file| (file.newest, file.path.as_ref().map(ToString::to_string), file.typed))
        .collect();
    let path = |text: &str| Some(text.to_owned());
    assert_eq!(
        reported,
        [(3, path("a.md"), 3), (4, path("c.md"), 4), (5, path("b.md"), 2)],
        "what was deleted is of the type that it had"
    );
    for file in &files {
        let version = reader.version(file.typed).expect("a version");
        assert_eq!((file.store, file.content), (version.store, version.content));
    }
    let left = reader.unreviewed(&user(ADA), Some(log.store)).expect("reads");
    assert_eq!(reader.unreviewed_files(&user(ADA), Some(log.store)).expect("reads").len(), left.len());
}

#[test]
fn an_approved_memory_is_off_the_list_until_it_changes_again() {
    let mut log = with_baseline();
    log.put("a.md", "two");
    log.put("b.md", "two");
    log.review(Verdict::Approved, &[3]);
    assert_eq!(log.unreviewed(ADA), [(Some(2), 4)]);
    log.put("a.md", "three");
    assert_eq!(log.unreviewed(ADA), [(Some(3), 5), (Some(2), 4)], "what was approved is the base");
    log.assert_sound();
}

#[test]
fn everybody_reviews_for_themselves() {
    let mut log = with_baseline();
    log.put("a.md", "two");
    log.review(Verdict::Approved, &[3]);
    assert_eq!((log.unreviewed(ADA), log.unreviewed(BEN)), (vec![], vec![(Some(1), 3)]));
    log.put("b.md", "two");
    log.review_as(BEN, Verdict::Approved, &[4]);
    assert_eq!((log.unreviewed(ADA), log.unreviewed(BEN)), (vec![(Some(2), 4)], vec![(Some(1), 3)]));
    log.assert_sound();
}

#[test]
fn taking_a_review_back_brings_back_what_it_took_off() {
    let mut log = with_baseline();
    log.put("a.md", "two");
    log.put("b.md", "two");
    let both = log.review(Verdict::UpTo, &[3, 4]);
    log.put("a.md", "three");
    log.review(Verdict::Approved, &[5]);
    assert_eq!(log.unreviewed(ADA), []);
    log.undo_review(both);
    assert_eq!(log.unreviewed(ADA), [(Some(2), 4)], "a later approval of a.md stands");
    log.undo_review(2);
    assert_eq!(log.unreviewed(ADA), [(Some(1), 5), (Some(2), 4)]);
    let acts = log.writer.reader().review_acts(&user(ADA), None, 10).expect("reads");
    let reported: Vec<_> = acts.iter().map(|act| (act.seq, act.verdict, act.undoes, act.undone_by)).collect();
    assert_eq!(
        reported,
        [
            (4, Verdict::Undone, Some(2), None),
            (3, Verdict::Undone, Some(1), None),
            (2, Verdict::Approved, None, Some(4)),
            (1, Verdict::UpTo, None, Some(3)),
        ]
    );
    log.assert_sound();
}

#[test]
fn a_rejected_content_is_known_when_it_reappears() {
    let mut log = with_baseline();
    log.put("a.md", "bad");
    log.put("a.md", "one");
    let rejected = log.review(Verdict::Rejected, &[3]);
    log.put("c.md", "bad");
    log.put("a.md", "bad");
    log.put("b.md", "good");
    let reappeared = |log: &TestLog, person: &str, seq: u64| {
        log.writer
            .reader()
            .items(&user(person))
            .expect("reads")
            .was_rejected(&log.version(seq))
            .expect("reads")
    };
    assert!(!reappeared(&log, ADA, 3), "it did not come back then");
    assert!(reappeared(&log, ADA, 5) && reappeared(&log, ADA, 6), "wherever in the store it turns up");
    assert!(!reappeared(&log, ADA, 7) && !reappeared(&log, BEN, 6));
    log.undo_review(rejected);
    assert!(!reappeared(&log, ADA, 6), "the rejection does not count any more");
}

#[test]
fn a_rejected_deletion_is_known_when_it_reappears() {
    let mut log = with_baseline();
    log.delete("a.md");
    log.put("a.md", "one");
    log.review(Verdict::Rejected, &[3]);
    log.delete("b.md");
    log.delete("a.md");
    let reappeared = |seq: u64| {
        log.writer.reader().items(&user(ADA)).expect("reads").was_rejected(&log.version(seq)).expect("reads")
    };
    assert_eq!((reappeared(5), reappeared(6)), (false, true));
}

#[test]
fn the_list_says_who_wrote_last_and_leaves_out_stores_off_the_list() {
    let mut log = with_baseline();
    let at = log.tick();
    let session = Actor::Session { id: "5f3c".to_owned(), evidence: Evidence::Stated };
    let append = Append { actor: &session, ..scan(log.store, at, vec![put(log.store, "a.md", "two")]) };
    log.writer.append(append).expect("appends");
    let item = log.writer.reader().unreviewed(&user(ADA), Some(log.store)).expect("reads").remove(0);
    let expected = Unreviewed {
        store: log.store,
        base: Some(1),
        newest: 3,
        operation_seq: 2,
        at: Timestamp::from_micros(at),
        writer: session,
    };
    assert_eq!(item, expected);
    let memory = log.version(3).memory;
    let one = log.writer.reader().unreviewed_memory(&user(ADA), memory).expect("reads");
    assert_eq!(one, Some(expected));
    let act = log.writer.begin().expect("a transaction");
    act.remove_store(log.store, Timestamp::from_micros(at)).expect("removed");
    act.commit().expect("commits");
    assert_eq!(log.unreviewed(ADA), []);
    log.assert_sound();
}

#[test]
fn what_makes_no_sense_is_refused_and_leaves_nothing() {
    let mut log = with_baseline();
    log.put("a.md", "two");
    log.review(Verdict::Approved, &[3]);
    log.review_as(BEN, Verdict::Approved, &[3]);
    log.undo_review(1);
    let (a, b) = (log.version(1).memory, log.version(2).memory);
    let good = ReviewedVersion { memory: a, reviewed_seq: 3, through: 3 };
    let unknown = Actor::Unknown;
    let ada = user(ADA);
    let reviews: [(&Actor, Verdict, Option<u64>, Vec<ReviewedVersion>); 7] = [
        (&unknown, Verdict::Approved, None, vec![good]),
        (&ada, Verdict::Undone, None, vec![good]),
        (&ada, Verdict::Approved, None, vec![]),
        (&ada, Verdict::Approved, None, vec![good, good]),
        (&ada, Verdict::Approved, None, vec![ReviewedVersion { memory: b, ..good }]),
        (&ada, Verdict::Approved, None, vec![ReviewedVersion { through: 1, ..good }]),
        (&ada, Verdict::Approved, Some(99), vec![good]),
    ];
    for (person, verdict, operation_seq, reviewed_versions) in reviews {
        let mut act = log.writer.begin().expect("a transaction");
        let review = NewReview {
            person,
            verdict,
            at: Timestamp::from_micros(0),
            note: None,
            operation_seq,
            reviewed_versions,
        };
        let refused = act.review(review.clone());
        assert!(matches!(refused, Err(LogError::Invalid(_) | LogError::NotFound { .. })), "{review:?}");
    }
    // Taken back already; takes one back itself; another person's; not there.
    for seq in [1, 3, 2, 9] {
        let mut act = log.writer.begin().expect("a transaction");
        let refused = act.undo_review(&ada, seq, Timestamp::from_micros(0), None);
        assert!(
            matches!(refused, Err(LogError::Invalid(_) | LogError::NotFound { .. })),
            "{seq}: {refused:?}"
        );
    }
    assert_eq!(log.writer.reader().review_acts(&ada, None, 10).expect("reads").len(), 2);
    log.assert_sound();
}

#[test]
fn a_review_that_is_not_committed_never_happened() {
    let mut log = with_baseline();
    log.put("a.md", "two");
    let memory = log.version(3).memory;
    let mut act = log.writer.begin().expect("a transaction");
    act.review(NewReview {
        person: &user(ADA),
        verdict: Verdict::Approved,
        at: Timestamp::from_micros(0),
        note: Some("why"),
        operation_seq: None,
        reviewed_versions: vec![ReviewedVersion { memory, reviewed_seq: 3, through: 3 }],
    })
    .expect("a review");
    drop(act);
    let log = log.reopen(2);
    assert_eq!(log.unreviewed(ADA), [(Some(1), 3)]);
    log.assert_sound();
}

/// Every log with reviews was chained so: when this changes, none verifies any more.
#[test]
fn the_hashes_of_reviews_are_as_they_always_were() {
    let mut log = with_baseline();
    log.put("a.md", "two");
    log.review(Verdict::Approved, &[3]);
    let (head, seq) = crate::review::head(&log.writer.connection).expect("a head");
    assert_eq!(
        (seq, head.to_hex().as_str()),
        (1, "5eb54a1db25f19d68ec20ca6afac69b4a3873d3b5c9f2233b0206f57f4ef3b49")
    );
}
