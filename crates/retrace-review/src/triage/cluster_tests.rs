//! The clustering, on facts that are made up and on facts that are drawn.

use super::*;
use proptest::prelude::*;

const SECOND: i64 = 1_000_000;

fn fact(writer: u32, verb: ItemVerb) -> Fact {
    Fact {
        store: StoreId([1; 16]),
        writer,
        is_session: true,
        prompt: None,
        operation: 0,
        at: 0,
        verb,
        is_unchanged: false,
        form: None,
        need: None,
    }
}

fn changed(writer: u32, form: u8) -> Fact {
    Fact { form: Some([form; 16]), ..fact(writer, ItemVerb::Changed) }
}

fn needed(fact: Fact, rule: &str, severity: Severity) -> Fact {
    let need = need_of(&[(rule, severity)], fact.verb, false, false).expect("a need").0;
    Fact { need: Some(need), ..fact }
}

fn deleted(at: i64) -> Fact {
    let gone = Fact { at: at * SECOND, operation: at.unsigned_abs(), ..fact(1, ItemVerb::Deleted) };
    let need = need_of(&[], ItemVerb::Deleted, false, false).expect("a need").0;
    Fact { need: Some(need), ..gone }
}

fn shape(rows: &[Row]) -> Vec<(TriageKind, Vec<usize>)> {
    rows.iter().map(|row| (row.kind, row.members.clone())).collect()
}

#[test]
fn a_finding_says_why_and_the_most_urgent_comes_first() {
    let why = |rule, severity| {
        need_of(&[(rule, severity)], ItemVerb::Changed, false, false).map(|need| need.0.reason)
    };
    use NeedReason as Why;
    use Severity::{Error, Note, Warning};
    for (rule, severity, reason) in [
        ("secret/github", Error, Some(Why::Secret)),
        ("personal/card", Error, Some(Why::Secret)),
        ("personal/email", Warning, Some(Why::Personal)),
        ("events/redacted-back", Error, Some(Why::Secret)),
        ("hostile/instructions", Error, Some(Why::Hostile)),
        ("hostile/mention", Note, None),
        ("limits/index-cut", Warning, Some(Why::IndexCut)),
        ("events/index-shrank", Warning, Some(Why::IndexCut)),
        ("events/race", Warning, Some(Why::Conflict)),
        ("similar/contradiction", Note, Some(Why::Conflict)),
        ("limits/view-lines", Warning, Some(Why::Limit)),
        ("hidden/bidi", Error, Some(Why::Hidden)),
        ("hidden/other", Note, None),
        ("links/missing-file", Warning, Some(Why::Warning)),
        ("links/orphan", Note, None),
        ("new/rule", Error, Some(Why::Error)),
    ] {
        assert_eq!(why(rule, severity), reason, "{rule}");
    }
    let hostile = [("personal/email", Warning), ("hostile/send", Error), ("hostile/instructions", Error)];
    let (need, at) = need_of(&hostile, ItemVerb::Created, false, false).expect("a need");
    assert_eq!((need.reason, at), (Why::Hostile, Some(1)), "an address alone is not urgent");
    let both = [("hidden/bidi", Error), ("secret/aws", Error), ("secret/github", Error)];
    let (need, at) = need_of(&both, ItemVerb::Deleted, false, true).expect("a need");
    assert_eq!((need.reason, need.rule.as_str(), at), (Why::Secret, "secret/aws", Some(1)));
    let (need, at) =
        need_of(&[("events/mass-delete", Error)], ItemVerb::Deleted, false, false).expect("a need");
    assert_eq!((need.reason, at), (Why::Deleted, Some(0)));
    assert!(
        need_of(&[("events/mass-delete", Error)], ItemVerb::Deleted, true, false).is_none(),
        "came and went"
    );
    assert_eq!(need_of(&[], ItemVerb::Changed, false, true).expect("a need").0.reason, Why::Reappeared);
}

#[test]
fn deletions_that_follow_each_other_closely_are_one() {
    let facts = [deleted(500), deleted(499), deleted(498), deleted(400), deleted(20)];
    let expected = [
        (TriageKind::DeletedTogether, vec![0, 1, 2]),
        (TriageKind::Single, vec![3]),
        (TriageKind::Single, vec![4]),
    ];
    assert_eq!(shape(&rows(&facts).needs), expected);
    let other = Fact { writer: 2, ..deleted(499) };
    assert_eq!(
        shape(&rows(&[deleted(500), other]).needs),
        [(TriageKind::Single, vec![0]), (TriageKind::Single, vec![1])]
    );
}

#[test]
fn secrets_stand_above_warnings_and_alike_warnings_are_one() {
    let link = || needed(changed(1, 0), "links/missing-file", Severity::Warning);
    let mut facts: Vec<Fact> = (0..4).map(|form| Fact { form: Some([form; 16]), ..link() }).collect();
    facts.push(needed(fact(2, ItemVerb::Created), "hostile/instructions", Severity::Error));
    facts.push(needed(changed(1, 9), "secret/aws", Severity::Error));
    facts.push(deleted(5));
    let expected = [
        (TriageKind::Single, vec![5]),
        (TriageKind::Single, vec![4]),
        (TriageKind::Single, vec![6]),
        (TriageKind::SameFinding, vec![0, 1, 2, 3]),
    ];
    let found = rows(&facts);
    assert_eq!(shape(&found.needs), expected);
    assert!(found.routine.is_empty());
    // The same secret written by the same edit is one decision.
    let key = || needed(changed(1, 9), "secret/aws", Severity::Error);
    assert_eq!(shape(&rows(&[key(), key(), key()]).needs), [(TriageKind::SameEdit, vec![0, 1, 2])]);
}

#[test]
fn the_routine_rest_is_clusters_then_writers_then_what_is_as_it_was() {
    let created = |prompt| Fact { prompt: Some(prompt), ..fact(3, ItemVerb::Created) };
    let store = |id| StoreId([id; 16]);
    let facts = [
        changed(1, 1),
        created(7),
        changed(2, 1),
        changed(1, 2),
        created(7),
        Fact { is_unchanged: true, ..changed(1, 1) },
        changed(2, 1),
        created(7),
        changed(1, 1),
        Fact { store: store(2), ..changed(1, 3) },
        Fact { is_session: false, writer: 9, ..changed(9, 4) },
        Fact { is_session: false, writer: 9, store: store(2), ..changed(9, 4) },
        created(8),
    ];
    let expected = [
        (TriageKind::SameEdit, vec![0, 2, 6, 8]),
        (TriageKind::CreatedTogether, vec![1, 4, 7]),
        (TriageKind::Session, vec![3, 9]),
        (TriageKind::Writer, vec![10]),
        (TriageKind::Writer, vec![11]),
        (TriageKind::Session, vec![12]),
        (TriageKind::Unchanged, vec![5]),
    ];
    assert_eq!(shape(&rows(&facts).routine), expected);
    assert_eq!(rows(&[]), Rows::default());
}

fn any_fact() -> impl Strategy<Value = Fact> {
    let verb =
        prop::sample::select(vec![ItemVerb::Created, ItemVerb::Changed, ItemVerb::Moved, ItemVerb::Deleted]);
    let rule = prop::sample::select(vec![
        None,
        None,
        Some(("secret/aws", Severity::Error)),
        Some(("links/missing-file", Severity::Warning)),
        Some(("links/orphan", Severity::Note)),
    ]);
    (
        0..3_u8,
        0..5_u32,
        any::<bool>(),
        prop::option::of(0..3_u32),
        0..200_i64,
        verb,
        any::<bool>(),
        0..4_u8,
        rule,
    )
        .prop_map(|(store, writer, is_session, prompt, at, verb, is_unchanged, form, rule)| Fact {
            store: StoreId([store; 16]),
            writer,
            is_session,
            prompt,
            operation: at.unsigned_abs(),
            at: at * 10 * SECOND,
            verb,
            is_unchanged,
            form: (form > 0).then_some([form; 16]),
            need: need_of(rule.as_slice(), verb, is_unchanged, false).map(|(need, _)| need),
        })
}

proptest! {
    #[test]
    fn every_change_is_in_one_row_of_its_part(facts in prop::collection::vec(any_fact(), 0..80)) {
        let found = rows(&facts);
        let mut seen = vec![0; facts.len()];
        for (part, is_needed) in [(&found.needs, true), (&found.routine, false)] {
            for row in part {
                prop_assert!(!row.members.is_empty());
                prop_assert!(row.members.is_sorted());
                prop_assert_eq!(row.reason.is_some(), is_needed);
                prop_assert!(row.kind != TriageKind::Single || row.members.len() == 1);
                for at in &row.members {
                    seen[*at] += 1;
                    prop_assert_eq!(facts[*at].need.is_some(), is_needed);
                }
            }
        }
        prop_assert!(seen.iter().all(|times| *times == 1));
    }

    #[test]
    fn what_is_reviewed_moves_no_other_change_between_the_parts(
        facts in prop::collection::vec(any_fact(), 1..60),
        gone in any::<prop::sample::Index>(),
    ) {
        let gone = gone.index(facts.len());
        let left: Vec<Fact> =
            facts.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, fact)| fact.clone()).collect();
        let needed = |rows: &Rows| rows.needs.iter().map(|row| row.members.len()).sum::<usize>();
        let before = needed(&rows(&facts)) - usize::from(facts[gone].need.is_some());
        prop_assert_eq!(needed(&rows(&left)), before);
    }
}
