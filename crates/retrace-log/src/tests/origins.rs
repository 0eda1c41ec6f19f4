//! Who wrote a version, where that was found later.

use super::harness::*;
use crate::*;
use retrace_model::{Actor, Evidence};

fn answer(session: Option<&str>, confidence: &str) -> OriginRow {
    OriginRow {
        session: session.map(str::to_owned),
        confidence: confidence.to_owned(),
        basis: "whole".to_owned(),
        steps: 1,
        role: Some("main".to_owned()),
        model: Some("model-x".to_owned()),
        transcript: Some(b"/t/s-1.jsonl".to_vec()),
        call: Some(CallPlace { line: 7, turn: Some(3), tool: "Write".to_owned(), ..CallPlace::default() }),
        ..OriginRow::default()
    }
}

fn set(log: &mut TestLog, seq: u64, answers: &[OriginRow]) {
    let mut act = log.writer.begin().expect("begins");
    act.set_origins(seq, answers).expect("writes");
    act.set_joined_through(seq).expect("writes");
    act.commit().expect("commits");
}

fn by(log: &TestLog, actor: &str) -> Vec<u64> {
    let filter = VersionFilter { actor: Some(actor.to_owned()), ..VersionFilter::default() };
    let found = log.writer.reader().versions(&filter).expect("reads");
    found.into_iter().map(|version| version.id.seq).collect()
}

#[test]
fn an_answer_is_shown_where_nobody_was_recorded_and_found_by_name_when_it_is_sure() {
    let mut log = TestLog::new();
    for (at, text) in [("a.md", "one"), ("b.md", "two"), ("c.md", "three")] {
        log.put(at, text);
    }
    let reader = log.writer.reader();
    assert_eq!(reader.unclaimed(0).expect("reads").len(), 3);
    set(&mut log, 1, &[answer(Some("s-1"), "exact_content")]);
    set(&mut log, 2, &[answer(Some("s-1"), "time_only")]);
    set(&mut log, 3, &[answer(None, "unknown"), answer(Some("s-1"), "exact_content")]);
    let reader = log.writer.reader();
    let actor = |seq| reader.version(seq).expect("a version").actor;
    let session = |evidence| Actor::Session { id: "s-1".to_owned(), evidence };
    assert_eq!(actor(1), session(Evidence::ExactContent));
    assert_eq!(actor(2), session(Evidence::TimeOnly));
    assert_eq!(actor(3), Actor::Unknown);
    assert_eq!((by(&log, "s-1"), by(&log, "")), (vec![1], vec![3, 2]));
    let all = reader.origins(3).expect("reads");
    assert_eq!(
        (all.len(), all[1].session.as_deref(), all[1].call.as_ref().map(|call| call.line)),
        (2, Some("s-1"), Some(7))
    );
    assert_eq!(reader.versions_of_session("s-1").expect("reads"), [2, 1]);
    assert_eq!(reader.joined_through().expect("reads"), 3);
    let finals: Vec<bool> =
        reader.unclaimed(0).expect("reads").iter().map(|version| version.is_final).collect();
    assert_eq!(finals, [true, false, false]);
    let left = reader.unreviewed(&user("ada"), None).expect("reads");
    assert_eq!(
        left.iter().map(|item| item.writer.clone()).collect::<Vec<_>>(),
        [Actor::Unknown, session(Evidence::TimeOnly), session(Evidence::ExactContent)]
    );
    log.assert_sound();
}

#[test]
fn what_was_recorded_is_never_replaced() {
    let mut log = TestLog::new();
    let stated = Actor::Session { id: "told".to_owned(), evidence: Evidence::Stated };
    let store = log.store;
    let append = Append { actor: &stated, ..scan(store, START, vec![put(store, "a.md", "one")]) };
    log.writer.append(append).expect("appends");
    set(&mut log, 1, &[answer(Some("s-1"), "exact_content")]);
    let reader = log.writer.reader();
    assert_eq!(reader.version(1).expect("a version").actor, stated);
    assert!(reader.origins(1).expect("reads").is_empty() && reader.unclaimed(0).expect("reads").is_empty());
    assert_eq!(reader.versions_of_session("told").expect("reads"), [1]);
    let mut act = log.writer.begin().expect("begins");
    assert!(matches!(act.set_origins(9, &[]), Err(LogError::NotFound { .. })));
}
