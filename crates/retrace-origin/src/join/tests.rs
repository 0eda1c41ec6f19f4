use super::*;
use crate::apply::tests::{edit, write};
use crate::write::Reported;
use proptest::prelude::*;
use retrace_transcript::Format;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(seconds * 1_000_000)
}

fn by(session: &str, seconds: i64, effect: Effect) -> Write {
    Write {
        session: Some(session.to_owned()),
        at: Some(at(seconds)),
        answered_at: Some(at(seconds + 1)),
        tool_use_id: Some(format!("{session}-{seconds}")),
        ..write(Format::ClaudeCode, "/m/a.md", effect)
    }
}

fn whole(text: &str) -> Effect {
    Effect::Whole(text.as_bytes().to_vec())
}

fn version<'a>(seconds: i64, before: Option<&'a str>, after: Option<&'a str>) -> Version<'a> {
    Version {
        path: "/m/a.md",
        moved_from: None,
        before: before.map(str::as_bytes),
        after: after.map(str::as_bytes),
        at: at(seconds),
        previous_at: before.map(|_| at(seconds - 60)),
        may_be_older: false,
    }
}

fn one(version: Version<'_>, writes: &[Write]) -> Match {
    let writes: Vec<&Write> = writes.iter().collect();
    join(&[version], &writes, &[], None).remove(0)
}

fn answer(found: &Match) -> (Confidence, Basis, Option<&str>, usize) {
    (found.confidence, found.basis, found.session.as_deref(), found.steps)
}

#[test]
fn a_content_is_known_by_the_call_that_gives_it() {
    use Confidence::ExactContent;
    let found = one(version(100, None, Some("x\n")), &[by("s", 98, whole("x\n"))]);
    assert_eq!(answer(&found), (ExactContent, Basis::Whole, Some("s"), 1));
    let found = one(version(100, Some("a b\n"), Some("a c\n")), &[by("s", 98, edit("b", "c", false))]);
    assert_eq!(answer(&found), (ExactContent, Basis::Applied, Some("s"), 1));
    let row = [
        by("s", 90, edit("a", "b", false)),
        by("s", 92, edit("b", "c", false)),
        by("s", 94, edit("c", "d", false)),
    ];
    let found = one(version(100, Some("a\n"), Some("d\n")), &row);
    assert_eq!((answer(&found), found.write), ((ExactContent, Basis::Chain, Some("s"), 3), Some(2)));
    // A look between the second and the third.
    let found = one(version(100, Some("a\n"), Some("c\n")), &row);
    assert_eq!((answer(&found), found.write), ((ExactContent, Basis::Chain, Some("s"), 2), Some(1)));
}

#[test]
fn of_equal_calls_each_explains_the_version_recorded_after_it() {
    let appended = |session: &str, seconds| by(session, seconds, Effect::Append(b"- m\n".to_vec()));
    let texts = ["x\n", "x\n- m\n", "x\n- m\n- m\n", "x\n- m\n- m\n- m\n"];
    let recorded = |seconds, previous, place: usize| Version {
        previous_at: Some(at(previous)),
        ..version(seconds, Some(texts[place - 1]), Some(texts[place]))
    };
    let versions = [recorded(101, 50, 1), recorded(103, 101, 2), recorded(104, 103, 3)];
    // The first two by a call of two prompts each, seconds apart, the third by hand.
    let calls = [appended("s", 100), appended("s", 102)];
    let calls: Vec<&Write> = calls.iter().collect();
    let found = join(&versions, &calls, &[], None);
    assert_eq!([found[0].write, found[1].write], [Some(0), Some(1)]);
    assert!(found[..2].iter().all(|found| found.confidence == Confidence::ExactContent));
    assert_ne!(found[2].confidence, Confidence::ExactContent);
    // A later call of another session is no candidate for what was there before it.
    let calls = [appended("s", 100), appended("fork", 102)];
    let calls: Vec<&Write> = calls.iter().collect();
    let found = join(&versions[..2], &calls, &[], None);
    let sessions: Vec<_> = found.iter().map(|found| found.session.as_deref()).collect();
    assert_eq!(sessions, [Some("s"), Some("fork")]);
    // Where clocks differ, the call nearest to the version is it.
    let calls = [appended("s", 102), appended("s", 104)];
    let calls: Vec<&Write> = calls.iter().collect();
    assert_eq!(join(&versions[..1], &calls, &[], None)[0].write, Some(0));
}

#[test]
fn a_content_that_was_changed_again_before_a_version_is_not_the_writers_when_it_comes_back() {
    let appended = || by("first", 97, Effect::Append(b"- m\n".to_vec()));
    // The recorder looked once, after the second call; then another takes the line back.
    for (back, until) in [(103, 99), (900, 99), (900, 103)] {
        let versions = [
            Version { previous_at: Some(at(40)), ..version(until, Some("o\n"), Some("x\n- m\n")) },
            Version { previous_at: Some(at(until)), ..version(back, Some("x\n- m\n"), Some("x\n")) },
        ];
        for second in [appended(), by("first", 97, Effect::Unparsed)] {
            let calls = [by("first", 96, whole("x\n")), second];
            let calls: Vec<&Write> = calls.iter().collect();
            let found = join(&versions, &calls, &[], Some(at(0)));
            // Also where the first is explained already, and not asked for again.
            let alone = join(&versions[1..], &calls, &[], Some(at(0))).remove(0);
            assert_ne!(alone.confidence, Confidence::ExactContent, "{back} {until}: {alone:?}");
            assert_ne!(found[1].confidence, Confidence::ExactContent, "{back} {until}: {found:?}");
        }
    }
}

#[test]
fn edits_that_the_client_stamped_are_known_by_what_it_says_it_made() {
    let stamp =
        |number: u32, text: &str| format!("---\nmodified: 2020-01-01T00:00:0{number}Z\n---\n{text}\n");
    let edited = |seconds, (old, new): (&str, &str), before: String, after: String| Write {
        reported: Reported { before: Some(before), after: Some(after), ..Reported::default() },
        ..by("s", seconds, edit(old, new, false))
    };
    let first = || edited(90, ("one", "two"), "---\ntype: user\n---\none\n".to_owned(), stamp(1, "two"));
    let second = || edited(92, ("two", "three"), stamp(1, "two"), stamp(2, "three"));
    let before = "---\ntype: user\n---\none\n";
    let (one_edit, both) = (stamp(1, "two"), stamp(2, "three"));
    let found = one(version(100, Some(before), Some(&one_edit)), &[first()]);
    assert_eq!(answer(&found), (Confidence::ExactContent, Basis::Applied, Some("s"), 1));
    // Nobody looked between the two.
    let found = one(version(100, Some(before), Some(&both)), &[first(), second()]);
    assert_eq!((found.confidence, found.write), (Confidence::ExactContent, Some(1)));
    let found = one(
        version(100, Some(&one_edit.replace('\n', "\r\n")), Some(&both.replace('\n', "\r\n"))),
        &[second()],
    );
    assert_eq!(answer(&found), (Confidence::ExactContent, Basis::Applied, Some("s"), 1));
}

#[test]
fn a_first_version_that_comes_of_a_file_before_it_is_not_the_first_content() {
    let replaced = Reported { before: Some("old\n".to_owned()), ..Reported::default() };
    let over = Write { reported: replaced, ..by("s", 98, whole("x\n")) };
    let appended = |session: &str| by(session, 99, Effect::Append(b"y\n".to_vec()));
    for (writes, content, basis) in [
        (vec![over.clone()], "x\n", Basis::Reported),
        (vec![over, appended("s")], "x\ny\n", Basis::ChainOver),
        (vec![by("s", 98, whole("x\n")), appended("s")], "x\ny\n", Basis::Chain),
    ] {
        let found = one(version(100, None, Some(content)), &writes);
        assert_eq!((found.confidence, found.basis), (Confidence::ExactContent, basis), "{content}");
    }
    // Of two sessions neither alone brought it.
    let of_two = [by("r", 98, whole("x\n")), appended("s")];
    let found = one(version(100, None, Some("x\ny\n")), &of_two);
    assert_eq!((found.confidence, found.basis), (Confidence::Unknown, Basis::EqualClaims));
}

#[test]
fn a_call_that_failed_or_came_later_or_elsewhere_explains_nothing() {
    for other in [
        Write { succeeded: Some(false), ..by("s", 98, whole("x\n")) },
        by("s", 130, whole("x\n")),
        Write { path: "/m/b.md".to_owned(), ..by("s", 98, whole("x\n")) },
        by("s", 98, whole("y\n")),
    ] {
        assert_eq!(one(version(100, None, Some("x\n")), &[other]), Match::unknown());
    }
    assert_eq!(one(version(100, None, Some("x")), &[]), Match::unknown());
}

#[test]
fn a_command_that_wrote_and_then_failed_explains_what_it_gives_exactly() {
    let failed = |session: &str, seconds: i64, effect: Effect| Write {
        succeeded: Some(false),
        was_run: true,
        ..by(session, seconds, effect)
    };
    let found = one(version(100, None, Some("x\n")), &[failed("s", 98, whole("x\n"))]);
    assert_eq!(answer(&found), (Confidence::ExactContent, Basis::Whole, Some("s"), 1));
    // In part it explains nothing, and what succeeded comes first.
    assert_eq!(one(version(100, None, Some("x\ny\n")), &[failed("s", 98, whole("x\n"))]), Match::unknown());
    let both = [by("r", 97, whole("x\n")), failed("s", 98, whole("x\n"))];
    assert_eq!(one(version(100, None, Some("x\n")), &both).session.as_deref(), Some("r"));
    let deleted = one(version(100, Some("x\n"), None), &[failed("s", 98, Effect::Delete)]);
    assert_eq!(answer(&deleted), (Confidence::ExactContent, Basis::Deleted, Some("s"), 1));
}

#[test]
fn who_changes_a_file_by_hand_after_a_session_is_not_the_session() {
    let first = |previous: i64| Version {
        previous_at: Some(at(previous)),
        ..version(previous + 2, Some("a b\n"), Some("a b\nby hand\n"))
    };
    for effect in [whole("a b\n"), edit("c", "b", false), Effect::Append(b"b\n".to_vec()), Effect::Unparsed] {
        // Answered, then recorded; the next change is somebody's.
        assert_eq!(one(first(100), &[by("s", 97, effect)]), Match::unknown());
    }
    // The recorder saw the file before the call was answered.
    for effect in [whole("a b\n"), edit("c", "b", false), Effect::Append(b"b\n".to_vec())] {
        assert_eq!(one(first(100), &[by("s", 100, effect)]), Match::unknown());
    }
    // Writes that came in between are the session's all the same, with something of another in it.
    let found = one(first(100), &[by("s", 101, edit("b\n", "b\nby", false))]);
    assert_eq!(answer(&found), (Confidence::Likely, Basis::InPart, Some("s"), 1));
}

#[test]
fn two_sessions_with_an_equal_claim_are_candidates_and_none_is_chosen() {
    let both = [by("s", 90, whole("x\n")), by("r", 95, whole("x\n"))];
    let found = one(version(100, Some("a"), Some("x\n")), &both);
    assert_eq!(answer(&found), (Confidence::Unknown, Basis::EqualClaims, None, 0));
    assert_eq!(found.candidates, [1, 0]);
    // Writes before the version before was recorded were in it.
    let found =
        one(version(100, Some("a"), Some("x\n")), &[by("s", 20, whole("x\n")), by("r", 95, whole("x\n"))]);
    assert_eq!(answer(&found), (Confidence::ExactContent, Basis::Whole, Some("r"), 1));
    // The file says which.
    let named = "---\noriginSessionId: s\n---\nx\n";
    let found = one(version(100, None, Some(named)), &[by("s", 90, whole(named)), by("r", 95, whole(named))]);
    assert_eq!(
        (answer(&found), found.candidates.clone()),
        ((Confidence::Likely, Basis::Whole, Some("s"), 1), vec![1])
    );
}

#[test]
fn copies_of_a_call_in_a_session_that_goes_on_are_one_claim() {
    let first = by("s", 90, whole("x\n"));
    let copy = Write { session: Some("fork".to_owned()), ..first.clone() };
    let found = one(version(100, None, Some("x\n")), &[first, copy]);
    assert_eq!(answer(&found), (Confidence::ExactContent, Basis::Whole, Some("s"), 1));
}

#[test]
fn what_fits_in_part_is_likely_for_a_while() {
    let found =
        one(version(100, Some("a\nb\n"), Some("a\nc\nmine\n")), &[by("s", 98, edit("b", "c", false))]);
    assert_eq!(answer(&found), (Confidence::Likely, Basis::InPart, Some("s"), 1));
    let found = one(version(100, Some("a\n"), Some("b\n")), &[by("s", 98, Effect::Unparsed)]);
    assert_eq!(answer(&found), (Confidence::Likely, Basis::Named, Some("s"), 1));
    let long_ago = Version { previous_at: None, ..version(1000, Some("a\n"), Some("b\n")) };
    assert_eq!(one(long_ago, &[by("s", 98, Effect::Unparsed)]), Match::unknown());
    let both = [by("s", 97, Effect::Unparsed), by("r", 98, Effect::Unparsed)];
    assert_eq!(one(version(100, Some("a\n"), Some("b\n")), &both).basis, Basis::EqualClaims);
}

#[test]
fn calls_in_a_row_of_two_sessions_are_nobodys_alone() {
    let append =
        |session: &str, seconds, text: &str| by(session, seconds, Effect::Append(text.as_bytes().to_vec()));
    let row = [append("r", 96, "one\n"), append("s", 97, "two\n")];
    let found = one(version(100, Some("zero\n"), Some("zero\none\ntwo\n")), &row);
    assert_eq!((found.basis, found.session, found.candidates.len()), (Basis::EqualClaims, None, 2));
    // Copies of calls are calls of one session.
    let copied = Write { session: Some("r".to_owned()), ..row[1].clone() };
    let found = one(
        version(100, Some("zero\n"), Some("zero\none\ntwo\n")),
        &[row[0].clone(), copied, row[1].clone()],
    );
    assert_eq!((found.basis, found.session.as_deref()), (Basis::Chain, Some("r")));
}

#[test]
fn a_file_that_was_there_before_is_not_explained_by_what_adds_to_it() {
    let first = Version { previous_at: None, may_be_older: true, ..version(100, None, Some("a\nb\nc\nd\n")) };
    let append = by("s", 98, Effect::Append(b"d\n".to_vec()));
    for write in [append, by("s", 98, edit("x", "d", false)), by("s", 98, Effect::Unparsed)] {
        assert_eq!(one(first, std::slice::from_ref(&write)), Match::unknown(), "{write:?}");
        let new = Version { may_be_older: false, ..first };
        assert_eq!(one(new, &[write]).confidence, Confidence::Likely);
    }
    assert_eq!(one(first, &[by("s", 98, whole("a\nb\nc\n"))]).confidence, Confidence::Likely);
    assert_eq!(one(first, &[by("s", 98, whole("a\nb\nc\nd\n"))]).confidence, Confidence::ExactContent);
}

#[test]
fn what_fits_in_part_is_not_written_by_a_later_call() {
    let first = Version { previous_at: None, ..version(100, None, Some("a\nb\nc\n")) };
    let found = one(first, &[by("s", 102, whole("a\nb\nd\n"))]);
    assert_eq!(found, Match::unknown());
    let exact = one(first, &[by("s", 102, whole("a\nb\nc\n"))]);
    assert_eq!(exact.confidence, Confidence::ExactContent);
}

#[test]
fn moves_and_deletions_are_joined() {
    let moved = Version { moved_from: Some("/m/old/b.md"), ..version(100, Some("x"), Some("x")) };
    let rename = |from: &str, to: &str| Write {
        path: from.to_owned(),
        ..by("s", 98, Effect::Rename { to: to.to_owned() })
    };
    let write = rename("/m/old/b.md", "/m/a.md");
    assert_eq!(answer(&one(moved, &[write])), (Confidence::ExactContent, Basis::Renamed, Some("s"), 1));
    let directory = Version { path: "/m/new/b.md", ..moved };
    assert_eq!(one(directory, &[rename("/m/old", "/m/new")]).basis, Basis::Renamed);
    let gone = version(100, Some("x"), None);
    for write in [
        by("s", 98, Effect::Delete),
        Write { path: "/m".to_owned(), ..by("s", 98, Effect::Delete) },
        rename("/m/a.md", "/n/a.md"),
    ] {
        assert_eq!(answer(&one(gone, &[write])), (Confidence::ExactContent, Basis::Deleted, Some("s"), 1));
    }
}

#[test]
fn the_files_own_word_counts_when_nothing_else_fits_and_only_where_it_is_new() {
    let named = "---\noriginSessionId: s\n---\nx\n";
    let found = one(version(100, None, Some(named)), &[]);
    assert_eq!(answer(&found), (Confidence::FrontMatter, Basis::FrontMatter, Some("s"), 0));
    let changed = format!("{named}more\n");
    assert_eq!(one(version(100, Some(named), Some(&changed)), &[]), Match::unknown());
}

#[test]
fn a_session_that_was_alone_at_work_is_named_as_that() {
    let presence = |session: &str, from: i64, until: i64| Presence {
        session: session.to_owned(),
        from: at(from),
        until: at(until),
    };
    let changed = version(100, Some("a"), Some("b"));
    let found = |present: &[Presence]| join(&[changed], &[], present, None).remove(0);
    assert_eq!(
        answer(&found(&[presence("s", 10, 90)])),
        (Confidence::TimeOnly, Basis::Present, Some("s"), 0)
    );
    assert_eq!(found(&[presence("s", 10, 90), presence("r", 50, 200)]), Match::unknown());
    assert_eq!(found(&[presence("s", 150, 190)]), Match::unknown());
}

#[test]
fn a_history_that_is_played_back_is_known_in_order() {
    let writes = [
        by("s", 10, whole("one\n")),
        by("s", 20, edit("one", "two", false)),
        by("r", 30, edit("two", "three", false)),
    ];
    let writes: Vec<&Write> = writes.iter().collect();
    let step = |seconds, before, after| Version {
        previous_at: Some(at(seconds - 1)),
        ..version(seconds, before, Some(after))
    };
    let versions = [
        version(5000, None, Some("one\n")),
        step(5001, Some("one\n"), "two\n"),
        step(5002, Some("two\n"), "three\n"),
        // Put back by hand: it is the content of an earlier call, and no call made this change.
        step(5003, Some("three\n"), "one\n"),
    ];
    let found = join(&versions, &writes, &[], None);
    assert_eq!(found.iter().map(|found| found.write).collect::<Vec<_>>(), [Some(0), Some(1), Some(2), None]);
}

/// Statement of session `s`, at so many seconds, of an extraction it ran.
fn saying(session: &str, seconds: i64) -> Write {
    Write {
        tool: crate::MEMORY_SAVED.to_owned(),
        at: None,
        tool_use_id: None,
        role: crate::Role::Background,
        ..by(session, seconds - 1, Effect::Unparsed)
    }
}

#[test]
fn what_a_session_says_of_its_extraction_is_likely_and_exact_calls_come_first() {
    let step = |seconds, before, after| Version {
        previous_at: Some(at(seconds - 50)),
        ..version(seconds, Some(before), Some(after))
    };
    let writes_of = saying("s", 60);
    let found = join(&[step(30, "one", "two")], &[&writes_of], &[], None).remove(0);
    assert_eq!(
        (found.confidence, found.basis, found.session.as_deref()),
        (Confidence::Likely, Basis::Named, Some("s"))
    );
    // Long after, it says nothing of this version; before the one before, neither.
    for seconds in [30 + 200, -40] {
        let writes_of = saying("s", seconds);
        assert_eq!(
            join(&[step(30, "one", "two")], &[&writes_of], &[], None).remove(0).confidence,
            Confidence::Unknown
        );
    }
    // Calls that give the bytes are surer, also when the saying stands between them.
    let (first, second) = (by("s", 10, edit("one", "1", false)), by("s", 20, edit("1", "two", false)));
    let between = saying("s", 15);
    let found =
        join(&[step(30, "one", "two")], &[&first, &between, &second, &writes_of], &[], None).remove(0);
    assert_eq!(
        (found.confidence, found.basis, found.write),
        (Confidence::ExactContent, Basis::Chain, Some(2))
    );
}

proptest! {
    /// Whatever a session does, each version a recorder sees is explained by a call of it, and the bytes are equal.
    #[test]
    fn every_version_between_calls_is_explained(
        steps in proptest::collection::vec((0_usize..4, "[a-d]{1,3}", 0_usize..3), 1..25), scan in proptest::collection::vec(any::<bool>(), 25),
    ) {
        let mut content: Option<String> = None;
        let mut recorded: Vec<(i64, Option<String>)> = Vec::new();
        let mut writes = Vec::new();
        for (number, (kind, text, _)) in steps.iter().enumerate() {
            let now = 10 * (number as i64 + 1);
            let effect = match (kind, &content) {
                (0, _) | (_, None) => whole(&format!("{text}\n")),
                (1, Some(before)) => {
                    // The shortest beginning that stands once.
                    let mut parts = (1..=before.len()).map(|end| &before[..end]);
                    let once = parts.find(|part| before.matches(part).count() == 1).unwrap();
                    edit(once, text, false)
                }
                (2, _) => Effect::Append(format!("{text}\n").into_bytes()),
                (_, Some(before)) => edit(before, &format!("{before}{text}\n"), false),
            };
            let write = by("s", now, effect);
            let made = crate::apply(&write, content.as_deref().map(str::as_bytes)).unwrap();
            content = Some(String::from_utf8(made).unwrap());
            writes.push(write);
            if scan[number] && recorded.last().is_none_or(|(_, last)| *last != content) {
                recorded.push((now + 5, content.clone()));
            }
        }
        let writes: Vec<&Write> = writes.iter().collect();
        let versions: Vec<Version<'_>> = recorded.iter().enumerate().map(|(at_, (seconds, after))| {
            let previous = at_.checked_sub(1).map(|before| &recorded[before]);
            Version {
                path: "/m/a.md", moved_from: None,
                before: previous.and_then(|(_, content)| content.as_deref()).map(str::as_bytes),
                after: after.as_deref().map(str::as_bytes), at: at(*seconds),
                previous_at: previous.map(|(seconds, _)| at(*seconds)),
                may_be_older: false,
            }
        }).collect();
        for (found, (_, after)) in join(&versions, &writes, &[], None).iter().zip(&recorded) {
            prop_assert!(after.is_some());
            // More calls than a chain may have between two looks are only likely.
            if found.confidence != Confidence::ExactContent {
                prop_assert!(matches!(found.confidence, Confidence::Likely | Confidence::Unknown));
            }
            prop_assert!(found.session.as_deref().is_none_or(|session| session == "s"));
        }
    }
}
