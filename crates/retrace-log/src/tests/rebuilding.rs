//! Versions from before the log was there: in true order before what was observed, and in nobody's way.

use super::harness::*;
use crate::*;
use retrace_model::{Actor, Source, Timestamp, Verdict};

fn minutes(minutes: i64) -> Timestamp {
    Timestamp::from_micros(START + minutes * MINUTE)
}

/// Seqs of what a filter finds, in its order.
fn found(log: &TestLog, filter: &VersionFilter) -> Vec<u64> {
    let versions = log.writer.reader().versions(filter).expect("versions");
    versions.into_iter().map(|version| version.id.seq).collect()
}

/// Seqs of the history of a version, from it to the first.
fn back_from(log: &TestLog, seq: u64) -> Vec<u64> {
    let mut version = log.version(seq);
    let mut seqs = vec![seq];
    while let Some(before) = log.writer.reader().version_before(&version).expect("reads") {
        seqs.push(before.id.seq);
        version = before;
    }
    seqs
}

fn at_time(log: &TestLog, at: Timestamp) -> Vec<(String, u64, u64)> {
    let memories = log.writer.reader().memories_at_time(log.store, at).expect("memories");
    let reported =
        |memory: MemoryAt| (memory.path.expect("a path").to_text(), memory.version.id.seq, memory.versions);
    memories.into_iter().map(reported).collect()
}

/// `a.md` observed twice (1, 2), then three versions of before (3 to 5), the last at another path.
fn with_past() -> TestLog {
    let mut log = TestLog::new();
    log.put("a.md", "one\ntwo\nthree\n");
    log.put("a.md", "one\ntwo\nthree\nfour\n");
    let done = log.rebuild(vec![line(vec![
        past("old.md", -30, Some("one\n")),
        past("old.md", -20, Some("one\ntwo\n")),
        past("a.md", -10, Some("one\ntwo\n")),
        past("a.md", -5, Some("one\ntwo\n")),
    ])]);
    assert_eq!((seqs(&done.versions), done.memories, done.unchanged), (vec![3, 4, 5], 1, 1));
    log
}

#[test]
fn history_is_in_true_order_and_what_was_observed_stays_the_newest() {
    let log = with_past();
    let memory = Some(log.version(1).memory);
    assert_eq!(log.version(4).memory, log.version(1).memory);
    assert_eq!(reported(&log.versions()), ["+ old.md", "~ old.md", "~ old.md > a.md", "+ a.md", "~ a.md"]);
    assert_eq!(found(&log, &VersionFilter { memory, ..VersionFilter::default() }), [2, 1, 5, 4, 3]);
    let by_path = VersionFilter { path: Some(path("old.md")), ..VersionFilter::default() };
    assert_eq!(found(&log, &by_path), [2, 1, 5, 4, 3], "a former path finds the whole history");
    let observed_only = VersionFilter { observed_only: true, ..VersionFilter::default() };
    assert_eq!(found(&log, &observed_only), [2, 1]);
    assert_eq!(back_from(&log, 2), [2, 1, 5, 4, 3]);
    let place = |seq| log.writer.reader().place_in_memory(&log.version(seq)).expect("reads");
    assert_eq!([3, 4, 5, 1, 2].map(place), [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]);
    let row = log.version(4);
    assert_eq!((row.created_at, row.recorded_at), (minutes(-20), minutes(3)));
    assert_eq!((row.rebuilt, row.withdrawn, row.source), (true, false, Source::Rebuilt));
    assert_eq!((row.note.as_deref(), log.version(1).rebuilt), (Some("told -20"), false));
    assert!(matches!(row.actor, Actor::Session { .. }), "{:?}", row.actor);
    assert_eq!([3, 4, 5].map(|seq| log.version(seq).number), [1, 2, 3]);
    assert_eq!(log.text(4), "one\ntwo\n");
    log.assert_sound();
}

#[test]
fn pages_follow_one_order() {
    let log = with_past();
    let mut seqs = Vec::new();
    let mut before = None;
    loop {
        let page = found(&log, &VersionFilter { before, limit: 2, ..VersionFilter::default() });
        assert!(page.len() <= 2);
        let Some(last) = page.last() else { break };
        before = Some(*last);
        seqs.extend(page);
    }
    assert_eq!(seqs, [2, 1, 5, 4, 3]);
    let between =
        VersionFilter { since: Some(minutes(-20)), until: Some(minutes(1)), ..VersionFilter::default() };
    assert_eq!(found(&log, &between), [1, 5, 4]);
    let by_session = VersionFilter { actor: Some("s1".to_owned()), ..VersionFilter::default() };
    assert_eq!(found(&log, &by_session), [5, 4, 3]);
}

#[test]
fn what_is_live_and_what_is_left_to_review_do_not_know_of_it() {
    let mut log = TestLog::new();
    log.put("a.md", "two");
    log.put("b.md", "else");
    log.review(Verdict::Approved, &[1]);
    let (live, heads) = (log.live(), log.writer.reader().heads(log.store).expect("heads"));
    let left = log.unreviewed("ada");
    let change = log.writer.reader().store(log.store).expect("a store").last_change;
    log.rebuild(vec![
        line(vec![past("a.md", -3, Some("one"))]),
        line(vec![past("c.md", -3, Some("gone since")), past("c.md", -2, None)]),
    ]);
    assert_eq!(log.live(), live);
    assert_eq!(log.writer.reader().heads(log.store).expect("heads").len(), heads.len());
    assert_eq!((log.unreviewed("ada"), log.unreviewed("ben")), (left.clone(), vec![(None, 2), (None, 1)]));
    let store = log.writer.reader().store(log.store).expect("a store");
    assert_eq!((store.last_change, store.versions), (change, 5));
    for operation in 1..=3 {
        assert!(!log.at(Some(operation)).contains_key("c.md"));
    }
    let memory = log.version(1).memory;
    assert_eq!(log.writer.reader().version_up_to(memory, u64::MAX).expect("reads"), Some(1));
    let named = ReviewedVersion { memory, reviewed_seq: 3, through: 3 };
    let mut act = log.writer.begin().expect("a transaction");
    let refused = act.review(NewReview {
        person: &user("ada"),
        verdict: Verdict::Approved,
        at: minutes(50),
        note: None,
        operation_seq: None,
        reviewed_versions: vec![named],
    });
    assert!(matches!(refused, Err(LogError::NotFound { .. })), "{refused:?}");
    drop(act);
    // The memory goes on as if nothing had been, and a path known from the past alone has no dormant memory.
    log.put("a.md", "three");
    let created = log.put("c.md", "new");
    assert_eq!(log.version(6).number, 2);
    assert_ne!(log.version(created.versions[0].seq).memory, log.version(4).memory);
    assert_eq!(log.unreviewed("ada"), [(None, 7), (Some(1), 6), left[0]]);
    log.assert_sound();
}

#[test]
fn a_time_before_anything_was_observed_has_its_state() {
    let mut log = with_past();
    log.rebuild(vec![line(vec![past("gone.md", -25, Some("else")), past("gone.md", -15, None)])]);
    assert_eq!(at_time(&log, minutes(-40)), []);
    let (old, gone) = (("old.md".to_owned(), 3, 1), ("gone.md".to_owned(), 6, 1));
    assert_eq!(at_time(&log, minutes(-25)), [gone, old]);
    assert_eq!(at_time(&log, minutes(-12)), [("old.md".to_owned(), 4, 2)]);
    assert_eq!(at_time(&log, minutes(0)), [("a.md".to_owned(), 5, 3)]);
    assert_eq!(at_time(&log, minutes(1)), [("a.md".to_owned(), 1, 4)]);
    let there = |name: &str, at| {
        let version = log.writer.reader().version_at_time(log.store, &path(name), at).expect("reads");
        version.map(|version| version.id.seq)
    };
    assert_eq!([-31, -30, -20, -10].map(|at| there("old.md", minutes(at))), [None, Some(3), Some(4), None]);
    assert_eq!(
        [-11, -10, 0, 1, 9].map(|at| there("a.md", minutes(at))),
        [None, Some(5), Some(5), Some(1), Some(2)]
    );
    assert_eq!([-25, -15, 5].map(|at| there("gone.md", minutes(at))), [Some(6), None, None]);
    let marks = log.writer.reader().past_activity(log.store, 100).expect("marks");
    assert_eq!(marks.iter().map(|mark| mark.at).collect::<Vec<_>>(), [-30, -25, -20, -15, -10].map(minutes));
    let marks = log.writer.reader().activity(log.store, 100).expect("marks");
    assert_eq!(marks.iter().map(|mark| mark.operation_seq).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn rebuilding_again_adds_nothing_and_another_source_fills_in() {
    let mut log = with_past();
    let same = || line(vec![past("old.md", -30, Some("one\n")), past("old.md", -20, Some("one\ntwo\n"))]);
    // The line ends at a path where nothing was first observed, so it is told with the path it had later.
    let mut again = same();
    again.versions.push(past("a.md", -10, Some("one\ntwo\n")));
    let done = log.rebuild(vec![again]);
    assert_eq!((done.operation_seq, done.known), (None, 3));
    let done = log.rebuild(vec![line(vec![
        past("old.md", -31, Some("one\n")),
        past("old.md", -25, Some("one and a half\n")),
        past("a.md", -9, Some("one\ntwo\n")),
        past("a.md", 1, Some("observed by then")),
    ])]);
    assert_eq!((seqs(&done.versions), done.unchanged, done.observed), (vec![6, 7], 1, 1));
    assert_eq!(back_from(&log, 2), [2, 1, 5, 4, 7, 3, 6]);
    log.assert_sound();
    log.index();
    assert_eq!(log.search_history("half"), [7]);
    log.assert_sound();
}

#[test]
fn the_last_change_before_the_baseline_is_kept_and_the_baseline_is_of_it() {
    let mut log = TestLog::new();
    log.put("a.md", "as it is\n");
    let reported = || {
        line(vec![
            past("a.md", -9, Some("before\n")),
            past("a.md", -4, Some("as it is\n")),
            past("a.md", 7, Some("as it is\n")),
        ])
    };
    let done = log.rebuild(vec![reported()]);
    assert_eq!((seqs(&done.versions), done.unchanged, done.observed), (vec![2, 3], 1, 0), "{done:?}");
    assert_eq!(at_time(&log, minutes(-5)), [("a.md".to_owned(), 2, 1)]);
    assert_eq!(at_time(&log, minutes(-4)), [("a.md".to_owned(), 3, 2)]);
    let first = log.version(1);
    let older = first.baseline_of.expect("it is a baseline");
    assert_eq!((older.seq, older.at, &older.actor), (3, minutes(-4), &first.actor));
    assert!(matches!(first.actor, Actor::Session { .. }), "{:?}", first.actor);
    assert_eq!(log.version(3).baseline_of, None);
    let by_nobody = VersionFilter { actor: Some(String::new()), ..VersionFilter::default() };
    assert_eq!(found(&log, &by_nobody), Vec::<u64>::new());
    assert_eq!(log.rebuild(vec![reported()]).operation_seq, None, "nothing comes in twice");
    log.withdraw(2);
    assert_eq!((log.version(1).baseline_of, log.version(1).actor), (None, Actor::Unknown));
    log.assert_sound();
}

#[test]
fn a_change_that_the_recorder_saw_is_not_reported_once_more() {
    let mut log = TestLog::new();
    log.put("first.md", "the store is observed from here");
    log.put("a.md", "written");
    let seconds_before = |seconds: i64| Timestamp::from_micros(minutes(2).micros() - seconds * 1_000_000);
    let reported = |seconds| PastVersion { at: seconds_before(seconds), ..past("a.md", 1, Some("written")) };
    let done = log.rebuild(vec![line(vec![reported(2)])]);
    assert_eq!((done.operation_seq, done.unchanged), (None, 1));
    // Nobody looked for two minutes, so that the write keeps its own time.
    log.put("late.md", "written long before");
    let late = PastVersion { at: minutes(2), ..past("late.md", 1, Some("written long before")) };
    assert_eq!(log.version(3).created_at, minutes(4));
    let done = log.rebuild(vec![line(vec![late])]);
    assert_eq!((seqs(&done.versions), log.version(3).baseline_of.map(|older| older.seq)), (vec![4], Some(4)));
    log.assert_sound();
}

#[test]
fn of_one_instant_the_last_version_counts_and_nothing_comes_in_twice() {
    let mut log = TestLog::new();
    log.put("a.md", "four");
    let reported = || {
        line(vec![
            past("a.md", -9, Some("one")),
            past("a.md", -5, Some("one")),
            past("a.md", -5, Some("two")),
            past("b.md", -5, Some("two")),
            past("b.md", -5, Some("one")),
            past("a.md", -5, Some("three")),
        ])
    };
    let done = log.rebuild(vec![reported()]);
    assert_eq!((done.versions.len(), done.unchanged), (5, 1));
    assert_eq!(at_time(&log, minutes(-5)), [("a.md".to_owned(), 6, 5)]);
    for _ in 0..2 {
        let again = log.rebuild(vec![reported()]);
        assert_eq!((again.operation_seq, again.known + again.unchanged), (None, 6), "{again:?}");
    }
    log.assert_sound();
}

#[test]
fn what_came_went_and_came_again_within_one_instant_is_there() {
    let first = || line(vec![past("g.md", -5, Some("x")), past("g.md", -5, None)]);
    for second in [
        line(vec![past("g.md", -5, Some("x")), past("g.md", -3, None)]),
        line(vec![past("g.md", -5, Some("x")), past("g.md", -4, Some("y")), past("g.md", -3, None)]),
        line(vec![past("g.md", -5, Some("x")), past("h.md", -4, Some("x")), past("h.md", -3, None)]),
    ] {
        let mut log = TestLog::new();
        log.put("k.md", "k");
        let lines = vec![first(), second];
        log.rebuild(lines.clone());
        let there = |log: &TestLog, at| -> Vec<String> {
            at_time(log, minutes(at)).into_iter().map(|(path, _, _)| path).collect()
        };
        assert_eq!(there(&log, -5), ["g.md"], "{lines:?}");
        assert_eq!(there(&log, -4).len(), 1, "{lines:?}");
        assert!(there(&log, -3).is_empty(), "{lines:?}");
        assert_eq!(log.rebuild(lines).versions, [], "again nothing is new");
        log.assert_sound();
    }
}

#[test]
fn a_line_that_ended_or_stood_elsewhere_is_another_memory_and_what_was_not_seen_is_not_there() {
    let mut log = TestLog::new();
    log.put("a.md", "last");
    log.put("z.md", "else");
    let done = log.rebuild(vec![
        line(vec![
            past("a.md", -20, Some("first")),
            past("b.md", -12, Some("first")),
            past("b.md", -6, None),
        ]),
        line(vec![past("c.md", -15, Some("second")), past("a.md", -10, Some("second"))]),
        line(vec![past("left.md", -3, Some("not on the disk any more"))]),
    ]);
    assert_eq!(done.memories, 3);
    assert_eq!(log.version(done.versions[3].seq).memory, log.version(1).memory);
    let paths = |at| at_time(&log, minutes(at)).into_iter().map(|(path, ..)| path).collect::<Vec<_>>();
    assert_eq!(paths(-15), ["a.md", "c.md"]);
    assert_eq!(paths(-10), ["a.md", "b.md"]);
    assert_eq!(paths(-3), ["a.md", "left.md"]);
    assert_eq!(paths(1), ["a.md"], "the store is observed by now");
    let there = log.writer.reader().version_at_time(log.store, &path("left.md"), minutes(1));
    assert!(there.expect("reads").is_none());
    log.assert_sound();
}

#[test]
fn two_files_that_end_at_one_path_are_two_memories_and_stay_so() {
    let mut log = TestLog::new();
    log.put("c.md", "keeps it company");
    let lines = || {
        vec![
            line(vec![past("a.md", -30, Some("one")), past("a.md", -25, None)]),
            line(vec![
                past("b.md", -30, Some("uno")),
                past("a.md", -20, Some("uno")),
                past("a.md", -15, None),
            ]),
            // It is there again later, and never at the same time as the first.
            line(vec![past("a.md", -10, Some("one more")), past("a.md", -8, None)]),
        ]
    };
    let done = log.rebuild(lines());
    assert_eq!((done.memories, done.versions.len()), (3, 7), "{done:?}");
    assert_ne!(log.version(2).memory, log.version(4).memory);
    assert_eq!(log.version(2).memory, log.version(7).memory);
    let paths =
        |log: &TestLog, at| at_time(log, minutes(at)).into_iter().map(|(path, ..)| path).collect::<Vec<_>>();
    let states = |log: &TestLog| [-30, -25, -20, -15, -10, -8].map(|at| paths(log, at));
    let expected: [&[&str]; 6] = [&["a.md", "b.md"], &["b.md"], &["a.md"], &[], &["a.md"], &[]];
    assert_eq!(states(&log), expected);
    assert_eq!(log.rebuild(lines()).operation_seq, None, "importing again adds nothing");
    assert_eq!(states(&log), expected);
    log.assert_sound();
}

#[test]
fn of_two_sources_a_path_holds_one_file_and_none_once_it_went() {
    let sources = [
        // A session wrote it; nothing tells that it was moved.
        vec![line(vec![past("a.md", -30, Some("one"))])],
        // Git kept it a moment later, and the move.
        vec![line(vec![
            past("a.md", -29, Some("one")),
            past("b.md", -20, Some("one")),
            past("b.md", -10, Some("two")),
        ])],
    ];
    for order in [[0, 1], [1, 0]] {
        let mut log = TestLog::new();
        log.put("b.md", "two");
        for source in order {
            log.rebuild(sources[source].clone());
        }
        let paths = |at| at_time(&log, minutes(at)).into_iter().map(|(path, ..)| path).collect::<Vec<_>>();
        let expected: [&[&str]; 5] = [&["a.md"], &["a.md"], &["b.md"], &["b.md"], &["b.md"]];
        assert_eq!([-30, -29, -20, -10, -1].map(paths), expected, "{order:?}");
        let there = |name, at| {
            let found = log.writer.reader().version_at_time(log.store, &path(name), minutes(at));
            found.expect("reads").is_some()
        };
        assert_eq!([there("a.md", -29), there("a.md", -20), there("b.md", -20)], [true, false, true]);
        log.assert_sound();
    }
}

#[test]
fn undoing_it_withdraws_it_as_one_and_undoing_that_brings_it_back() {
    let mut log = with_past();
    log.index();
    assert!(log.writer.reader().is_rebuilding(3).expect("reads"));
    let undo = log.withdraw(3).operation_seq.expect("an operation");
    assert!(log.writer.reader().is_rebuilding(undo).expect("reads"));
    assert!(!log.writer.reader().is_rebuilding(1).expect("reads"));
    assert_eq!(found(&log, &VersionFilter::default()), [2, 1]);
    let of_operation = VersionFilter { operation_seq: Some(3), ..VersionFilter::default() };
    assert_eq!(found(&log, &of_operation), [5, 4, 3], "the operation still shows what it brought");
    assert_eq!(back_from(&log, 2), [2, 1]);
    assert_eq!(at_time(&log, minutes(-12)), []);
    assert_eq!(log.search_history("two"), [1]);
    assert_eq!(log.writer.reader().place_in_memory(&log.version(2)).expect("reads"), (2, 2));
    assert!(log.version(4).withdrawn);
    log.assert_sound();
    log.withdraw(undo);
    assert_eq!(back_from(&log, 2), [2, 1, 5, 4, 3]);
    assert_eq!(log.search_history("two"), [4], "the first observed version did not bring it in");
    log.assert_sound();
    let undo = log.withdraw(undo + 1).operation_seq.expect("an operation");
    let done = log.rebuild(vec![line(vec![past("a.md", -10, Some("one\ntwo\n"))])]);
    assert_eq!((done.operation_seq, seqs(&done.versions)), (Some(undo + 1), vec![6]));
    assert_eq!(back_from(&log, 2), [2, 1, 6]);
    log.assert_sound();
}

#[test]
fn a_redaction_masks_it_and_rebuilding_does_not_bring_it_back() {
    let mut log = TestLog::new();
    let secret = noise(7, 40);
    log.put("a.md", "clean");
    let reported = || {
        line(vec![
            past("a.md", -9, Some("first")),
            past("a.md", -8, Some(&secret)),
            past("a.md", -7, Some("last")),
        ])
    };
    log.rebuild(vec![reported()]);
    log.index();
    assert_eq!(log.search_history(&secret), [3]);
    let masked = log.redact(&[3]);
    assert_eq!(seqs(&masked.versions), [3]);
    let row = log.version(3);
    assert!(row.redaction.is_some() && row.note.is_none() && row.path.is_none());
    assert_eq!((row.created_at, row.rebuilt), (minutes(-8), true));
    assert_eq!(log.purge(&masked.needles).total(), 0);
    assert_eq!(log.files_holding(secret.as_bytes()), Vec::<String>::new());
    assert_eq!(log.search_history(&secret), Vec::<u64>::new());
    log.assert_sound();
    assert_eq!(log.rebuild(vec![reported()]).operation_seq, None);
    log.withdraw(2);
    let done = log.rebuild(vec![reported()]);
    assert_eq!((done.versions.len(), done.known), (3, 0), "masked alone");
    assert_eq!(log.text(done.versions[1].seq), format!("{MARKER}\n"));
    assert_eq!(log.rebuild(vec![reported()]).operation_seq, None);
    assert_eq!(log.files_holding(secret.as_bytes()), Vec::<String>::new());
    log.assert_sound();
}

#[test]
fn a_line_belongs_to_the_memory_first_observed_where_it_ends() {
    let mut log = TestLog::new();
    log.put("a.md", "a");
    log.scan(vec![gone(log.store, "a.md"), put(log.store, "b.md", "a")]);
    log.put("a.md", "another");
    log.delete("a.md");
    assert_ne!(log.version(1).memory, log.version(3).memory);
    let done = log.rebuild(vec![
        line(vec![past("a.md", -2, Some("before a"))]),
        line(vec![
            past("never.md", -2, Some("gone")),
            past("never.md", 50, Some("after the store was there")),
        ]),
        line(vec![past("a.md", 90, Some("too late"))]),
        line(Vec::new()),
    ]);
    assert_eq!((done.versions.len(), done.memories, done.observed), (2, 2, 2));
    assert_eq!(log.version(5).memory, log.version(1).memory);
    let more = log.rebuild(vec![line(vec![past("never.md", -1, Some("gone too"))])]);
    assert_eq!(log.version(more.versions[0].seq).memory, log.version(6).memory);
    log.assert_sound();
}

#[test]
fn what_makes_no_sense_is_refused() {
    let mut log = TestLog::new();
    log.put("a.md", "a");
    let (at, store, actor) = (minutes(9), log.store, user("ada"));
    let mut refused = |source, versions| {
        let mut act = log.writer.begin().expect("a transaction");
        let rebuild = Rebuild { store, source, actor: &actor, note: None, at, lines: vec![line(versions)] };
        act.rebuild(rebuild).expect_err("it is refused")
    };
    assert!(matches!(refused(Source::Scan, Vec::new()), LogError::Invalid(_)));
    let backwards = vec![past("a.md", -1, Some("b")), past("a.md", -2, Some("c"))];
    assert!(matches!(refused(Source::Import, backwards), LogError::Invalid(_)));
}

#[test]
fn what_somebody_changes_about_it_is_found() {
    let tampered = |sql: &str| {
        let log = with_past();
        let raw = log.raw();
        raw.execute_batch("DROP TRIGGER versions_mask_only; DROP TRIGGER rebuilt_no_update; DROP TRIGGER rebuilt_no_delete;")
            .expect("drops");
        raw.execute_batch(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        let problems = log.writer.reader().verify().expect("verifies").problems;
        problems.into_iter().filter(|problem| !problem.contains("schema")).collect::<Vec<_>>()
    };
    assert_eq!(tampered(""), Vec::<String>::new());
    for sql in [
        "UPDATE versions SET happened_at = happened_at + 1 WHERE seq = 4",
        "UPDATE versions SET happened_at = NULL WHERE seq = 4",
        "UPDATE versions SET happened_at = 5 WHERE seq = 1",
        "UPDATE rebuilt SET note = 'another' WHERE version_seq = 4",
        "UPDATE rebuilt SET note = NULL WHERE version_seq = 4",
        "UPDATE rebuilt SET actor_id = NULL WHERE version_seq = 4",
        "UPDATE rebuilt SET written_at = 7 WHERE version_seq = 4",
        "UPDATE rebuilt SET withdrawn = 1 WHERE version_seq = 4",
        "DELETE FROM rebuilt WHERE version_seq = 4",
    ] {
        assert_ne!(tampered(sql), Vec::<String>::new(), "{sql}");
    }
}

#[test]
fn what_was_begun_and_not_committed_never_happened() {
    let mut log = with_past();
    let head = log.writer.reader().chain_head().expect("a head");
    let at = minutes(60);
    let actor = user("ada");
    let lines = vec![line(vec![past("a.md", -100, Some("lost"))])];
    let mut act = log.writer.begin().expect("a transaction");
    let rebuild = Rebuild { store: log.store, source: Source::Import, actor: &actor, note: None, at, lines };
    assert_eq!(act.rebuild(rebuild).expect("rebuilds").versions.len(), 1);
    drop(act);
    let log = log.reopen(9);
    assert_eq!(log.writer.reader().chain_head().expect("a head"), head);
    assert_eq!(log.versions().len(), 5);
    log.assert_sound();
}

#[test]
fn before_each_version_it_is_reported_how_many_are_dealt_with_and_a_refusal_ends_it() {
    let mut log = TestLog::new();
    let lines = |at: i64| {
        vec![
            line(vec![past("a.md", at, Some("one")), past("a.md", at + 1, Some("two"))]),
            line(vec![
                past("b.md", at, Some("three")),
                past("b.md", at + 1, None),
                past("b.md", at + 2, None),
            ]),
            line(vec![past("c.md", at, Some("four"))]),
        ]
    };
    let (store, at, actor) = (log.store, minutes(9), user("ada"));
    let rebuild = |lines| Rebuild { store, source: Source::Import, actor: &actor, note: None, at, lines };
    let mut reported = Vec::new();
    let mut act = log.writer.begin().expect("a transaction");
    let done = act.rebuild_telling(&rebuild(lines(-90)), &mut |dealt_with| -> Result<(), LogError> {
        reported.push(dealt_with);
        Ok(())
    });
    assert_eq!(done.expect("rebuilds").versions.len(), 5);
    assert_eq!(reported, [0, 1, 2, 3, 5]);
    let refused = act.rebuild_telling(&rebuild(lines(-50)), &mut |dealt_with| match dealt_with {
        0..3 => Ok(()),
        _ => Err(LogError::Busy),
    });
    assert!(matches!(refused, Err(LogError::Busy)), "{refused:?}");
}

#[test]
fn what_was_told_for_the_time_of_the_first_sight_says_nothing_of_whose_the_line_is() {
    let mut log = TestLog::new();
    log.put("a.md", "one");
    let done = log.rebuild(vec![line(vec![past("a.md", -5, Some("before")), past("b.md", 1, Some("one"))])]);
    assert_eq!((done.versions.len(), done.observed), (1, 1));
    assert_eq!(log.version(2).memory, log.version(1).memory);
    log.assert_sound();
}

#[test]
fn a_write_moments_before_the_store_was_observed_stands_for_itself() {
    let mut log = TestLog::new();
    log.put("a.md", "written");
    let told = PastVersion {
        at: Timestamp::from_micros(minutes(1).micros() - 2_000_000),
        ..past("a.md", 0, Some("written"))
    };
    let done = log.rebuild(vec![line(vec![told])]);
    assert_eq!((seqs(&done.versions), done.unchanged), (vec![2], 0));
    assert_eq!(log.version(1).baseline_of.map(|older| older.seq), Some(2));
    log.assert_sound();
}

#[test]
fn where_lines_came_from_is_kept_with_new_versions_and_with_those_that_came_in_before() {
    let run = |first, of, of_first| PastRun { first, lines: 1, of, of_first };
    let told = |name, lines| PastLines { name: Some(name), lines };
    // Of version 77 nothing is known: its line is left to the versions before.
    let runs = vec![run(0, 1, Some(1)), run(1, 2, None), run(2, 77, Some(0))];
    let with = |path: &str| {
        let first = PastVersion { told: told(1, Vec::new()), ..past(path, -9, Some("one\ntwo\n")) };
        let second =
            PastVersion { told: told(2, runs.clone()), ..past(path, -8, Some("two\nthree\nfour\n")) };
        line(vec![first, second])
    };
    let mut log = TestLog::new();
    log.rebuild(vec![line(vec![
        past("a.md", -9, Some("one\ntwo\n")),
        past("a.md", -8, Some("two\nthree\nfour\n")),
    ])]);
    assert_eq!(log.writer.reader().kept_lines(2).expect("reads"), []);
    assert_eq!(log.rebuild(vec![with("a.md")]).versions, []);
    log.rebuild(vec![with("b.md")]);
    for (seq, before) in [(2, 1), (4, 3)] {
        let kept = |first, of, of_first| KeptLines { first, lines: 1, of, of_first };
        let kept = [kept(0, before, Some(1)), kept(1, seq, None)];
        assert_eq!(log.writer.reader().kept_lines(seq).expect("reads"), kept);
    }
    log.assert_sound();
}
