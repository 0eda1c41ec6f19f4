//! Meaning of changes: identity, moves, repetition, all or nothing.

use super::harness::*;
use crate::*;
use retrace_model::{Actor, Evidence, Seen, Sha256, Source, Timestamp};

#[test]
fn a_memory_is_created_modified_deleted_and_reappears_as_itself() {
    let mut log = TestLog::new();
    log.put("a.md", "one");
    log.put("a.md", "two");
    log.delete("a.md");
    log.put("a.md", "three");
    let versions = log.versions();
    assert_eq!(reported(&versions), ["+ a.md", "~ a.md", "- a.md", "+ a.md"]);
    assert!(versions.iter().all(|version| version.memory == versions[0].memory));
    assert_eq!(versions.iter().map(|version| version.number).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(versions[2].content, None);
    assert_eq!([1, 2, 4].map(|seq| log.text(seq)), ["one", "two", "three"]);
    log.assert_sound();
}

#[test]
fn appending_the_same_again_does_nothing() {
    let mut log = TestLog::new();
    log.put("a.md", "one");
    let head = log.writer.reader().chain_head().expect("a head");
    let again = log.put("a.md", "one");
    assert_eq!((again.operation_seq, again.versions.len()), (None, 0));
    assert_eq!(log.delete("absent.md").operation_seq, None);
    assert_eq!(log.writer.reader().chain_head().expect("a head"), head);
    log.assert_sound();
}

#[test]
fn an_unchanged_content_renews_what_the_file_system_reported() {
    let mut log = TestLog::new();
    log.put("a.md", "one");
    let newer = Seen { modified_nanos: 5_000, ..seen(3) };
    let mut change = put(log.store, "a.md", "one");
    if let Payload::Content { seen, .. } = &mut change.payload {
        *seen = Some(newer);
    }
    log.scan(vec![change]);
    let heads = log.writer.reader().heads(log.store).expect("heads");
    assert_eq!(heads[&path("a.md")].seen, Some(newer));
}

#[test]
fn equal_content_gone_from_one_path_and_new_at_another_is_a_move() {
    let mut log = TestLog::new();
    log.put("a.md", "a fact");
    log.scan(vec![put(log.store, "notes/b.md", "a fact"), gone(log.store, "a.md")]);
    let versions = log.versions();
    assert_eq!(reported(&versions), ["+ a.md", "~ a.md > notes/b.md"]);
    assert_eq!(versions[0].memory, versions[1].memory);
    assert_eq!(log.live().keys().collect::<Vec<_>>(), ["notes/b.md"]);
    log.assert_sound();
}

#[test]
fn a_move_needs_both_ends_in_one_operation_and_a_content() {
    let mut log = TestLog::new();
    log.scan(vec![put(log.store, "a.md", "a fact"), put(log.store, "empty.md", "")]);
    log.delete("a.md");
    log.put("b.md", "a fact");
    log.scan(vec![gone(log.store, "empty.md"), put(log.store, "also-empty.md", "")]);
    let versions = log.versions();
    assert_eq!(reported(&versions[2..]), ["- a.md", "+ b.md", "- empty.md", "+ also-empty.md"]);
    assert_ne!(versions[3].memory, versions[0].memory);
    log.assert_sound();
}

#[test]
fn among_equal_contents_the_same_file_name_moved() {
    let mut log = TestLog::new();
    let store = log.store;
    log.scan(vec![put(store, "x/one.md", "same"), put(store, "x/two.md", "same")]);
    log.scan(vec![
        gone(store, "x/one.md"),
        gone(store, "x/two.md"),
        put(store, "y/two.md", "same"),
        put(store, "y/one.md", "same"),
    ]);
    assert_eq!(reported(&log.versions()[2..]), ["~ x/two.md > y/two.md", "~ x/one.md > y/one.md"]);
    log.assert_sound();
}

#[test]
fn one_memory_moves_to_one_place() {
    let mut log = TestLog::new();
    let store = log.store;
    log.put("a.md", "a fact");
    log.scan(vec![
        gone(store, "a.md"),
        gone(store, "a.md"),
        put(store, "b.md", "a fact"),
        put(store, "c.md", "a fact"),
    ]);
    assert_eq!(reported(&log.versions()[1..]), ["~ a.md > b.md", "+ c.md"]);
    log.assert_sound();
}

#[test]
fn moving_over_an_existing_file_deletes_one_and_modifies_the_other() {
    let mut log = TestLog::new();
    let store = log.store;
    log.scan(vec![put(store, "a.md", "old"), put(store, "b.md", "new")]);
    log.scan(vec![put(store, "a.md", "new"), gone(store, "b.md")]);
    let versions = log.versions();
    assert_eq!(reported(&versions[2..]), ["~ a.md", "- b.md"]);
    assert_eq!(versions[2].memory, versions[0].memory);
    log.assert_sound();
}

#[test]
fn a_stated_move_may_change_the_content_too() {
    let mut log = TestLog::new();
    let store = log.store;
    log.put("a.md", "a fact");
    log.scan(vec![gone(store, "a.md"), moved(store, "a.md", "b.md", "another fact")]);
    assert_eq!(reported(&log.versions()), ["+ a.md", "~ a.md > b.md"]);
    assert_eq!(log.text(2), "another fact");
    log.scan(vec![moved(store, "b.md", "c.md", "another fact")]);
    assert_eq!(
        reported(&log.versions()[2..]),
        ["~ b.md > c.md"],
        "also without saying that the old path is gone"
    );
    assert_eq!(log.live().keys().collect::<Vec<_>>(), ["c.md"]);
    log.assert_sound();
}

#[test]
fn a_stated_move_over_another_memory_deletes_that_one() {
    let mut log = TestLog::new();
    let store = log.store;
    log.scan(vec![put(store, "a.md", "mover"), put(store, "b.md", "in the way")]);
    log.scan(vec![moved(store, "a.md", "b.md", "mover")]);
    let versions = log.versions();
    assert_eq!(reported(&versions[2..]), ["- b.md", "~ a.md > b.md"]);
    assert_eq!((versions[2].memory, versions[3].memory), (versions[1].memory, versions[0].memory));
    log.assert_sound();
}

#[test]
fn stated_moves_may_swap_and_shift() {
    let mut log = TestLog::new();
    let store = log.store;
    log.scan(vec![put(store, "a.md", "A"), put(store, "b.md", "B"), put(store, "c.md", "C")]);
    log.scan(vec![moved(store, "b.md", "a.md", "B"), moved(store, "a.md", "b.md", "A")]);
    assert_eq!(reported(&log.versions()[3..]), ["~ b.md > a.md", "~ a.md > b.md"]);
    log.scan(vec![
        moved(store, "a.md", "b.md", "B"),
        moved(store, "b.md", "c.md", "A"),
        moved(store, "c.md", "d.md", "C"),
        put(store, "a.md", "new"),
    ]);
    let versions = log.versions();
    assert_eq!(reported(&versions[5..]), ["~ a.md > b.md", "~ b.md > c.md", "~ c.md > d.md", "+ a.md"]);
    assert!(versions[..8].iter().all(|version| version.memory != versions[8].memory), "a new memory");
    log.assert_sound();
}

#[test]
fn a_stated_move_from_where_nothing_lives_is_an_ordinary_change() {
    let mut log = TestLog::new();
    let store = log.store;
    log.put("b.md", "one");
    log.scan(vec![moved(store, "absent.md", "b.md", "two"), moved(store, "absent.md", "c.md", "three")]);
    log.scan(vec![moved(store, "b.md", "b.md", "four")]);
    assert_eq!(reported(&log.versions()), ["+ b.md", "~ b.md", "+ c.md", "~ b.md"]);
    log.assert_sound();
}

#[test]
fn a_later_change_sees_what_an_earlier_one_did() {
    let mut log = TestLog::new();
    let store = log.store;
    let appended = log.scan(vec![
        put(store, "a.md", "one"),
        put(store, "a.md", "one"),
        put(store, "a.md", "two"),
        gone(store, "a.md"),
        put(store, "a.md", "three"),
    ]);
    assert_eq!(seqs(&appended.versions), [1, 2, 3, 4]);
    let versions = log.versions();
    assert_eq!(reported(&versions), ["+ a.md", "~ a.md", "- a.md", "+ a.md"]);
    assert!(versions.iter().all(|version| version.memory == versions[0].memory));
    let operation = log.writer.reader().operation(1).expect("an operation");
    assert_eq!((operation.first_version, operation.versions, operation.counts), (1, 4, (2, 1, 1)));
    log.assert_sound();
}

#[test]
fn a_path_is_a_memory_of_its_own_in_each_store() {
    let mut log = TestLog::new();
    let other = add_store(&mut log.writer, "others");
    log.put("a.md", "one");
    let at = log.tick();
    let across = Append {
        store: None,
        ..scan(log.store, at, vec![put(other, "a.md", "one"), gone(log.store, "a.md")])
    };
    log.writer.append(across).expect("appends");
    let versions = log.versions();
    assert_eq!(reported(&versions), ["+ a.md", "+ a.md", "- a.md"], "no move between stores");
    assert_ne!(versions[0].memory, versions[1].memory);
    let reader = log.writer.reader();
    let stores = reader.stores().expect("stores");
    let live = |store| reader.live_count(store).expect("a store");
    assert_eq!(
        stores.iter().map(|store| (store.versions, live(store.id))).collect::<Vec<_>>(),
        [(2, 0), (1, 1)]
    );
    log.assert_sound();
}

#[test]
fn a_content_is_kept_once() {
    let mut log = TestLog::new();
    let store = log.store;
    log.scan((0..20).map(|n| put(store, &format!("{n}.md"), "the same text")).collect());
    log.put("0.md", "another text");
    log.put("0.md", "the same text");
    let blobs: i64 = log.raw().query_row("SELECT count(*) FROM blobs", [], |row| row.get(0)).expect("counts");
    assert_eq!(blobs, 2);
    let verified = log.writer.reader().verify().expect("verifies");
    assert_eq!((verified.versions, verified.blobs, verified.problems), (22, 2, Vec::new()));
}

#[test]
fn a_long_row_of_small_changes_is_cut_and_every_version_reads_back() {
    let mut log = TestLog::new();
    let mut texts = Vec::new();
    let mut text = noise(1, 3000);
    for n in 0..130 {
        text.replace_range(n * 20..n * 20 + 10, &noise(100 + n as u64, 10));
        texts.push(text.clone());
        log.put("a.md", &text);
    }
    let depths: Vec<i64> = log
        .raw()
        .prepare("SELECT depth FROM blobs ORDER BY id")
        .expect("prepares")
        .query_map([], |row| row.get(0))
        .expect("asks")
        .collect::<Result<_, _>>()
        .expect("reads");
    let expected: Vec<i64> = (0..130).map(|n| n % (crate::blob::MAX_DEPTH + 1)).collect();
    assert_eq!(depths, expected);
    for (seq, text) in (1..).zip(&texts) {
        assert_eq!(log.text(seq), *text, "version {seq}");
    }
    log.assert_sound();
}

#[test]
fn large_contents_stand_alone() {
    let mut log = TestLog::new();
    let mut bytes = noise(1, 3 << 20).into_bytes();
    log.put("large.txt", &bytes);
    bytes[17] = b'!';
    log.put("large.txt", &bytes);
    log.put("large.txt", &bytes[..(1 << 20) - 1]);
    log.put("large.txt", &bytes[..(1 << 20) - 2]);
    let depths: i64 =
        log.raw().query_row("SELECT sum(depth) FROM blobs", [], |row| row.get(0)).expect("sums");
    assert_eq!(depths, 1, "only the last is small enough for a delta, and so is its base");
    assert_eq!(log.text(2).as_bytes(), bytes);
    log.assert_sound();
}

#[test]
fn contents_of_every_sort_are_distinguished() {
    let mut log = TestLog::new();
    let store = log.store;
    log.scan(vec![
        put(store, "text.md", "記憶\n"),
        put(store, "empty.md", ""),
        put(store, "latin1.txt", b"caf\xe9"),
        put(store, "nul.bin", b"a\0b"),
        too_large(store, "huge.bin", b"pretend this is huge"),
        put(store, "dictionary", [&0xec30_a437_u32.to_le_bytes()[..], noise(1, 200).as_bytes()].concat()),
    ]);
    log.put("dictionary", [&0xec30_a437_u32.to_le_bytes()[..], noise(1, 201).as_bytes()].concat());
    log.put("dictionary", noise(1, 202));
    let versions = log.versions();
    let sorts: Vec<(u64, bool, bool)> = versions[..5]
        .iter()
        .filter_map(|version| version.content)
        .map(|content| (content.size, content.is_text, content.kept))
        .collect();
    assert_eq!(
        sorts,
        [(7, true, true), (0, true, true), (4, false, true), (3, false, true), (20, false, false)]
    );
    let reader = log.writer.reader();
    assert_eq!(reader.content(&versions[1]).expect("reads").expect("a content").bytes, b"");
    assert!(matches!(reader.content(&versions[4]), Err(LogError::NotKept(5))));
    assert_eq!(versions[4].content.expect("known").sha256, Sha256::of(b"pretend this is huge"));
    for version in &versions[5..] {
        assert!(reader.content(version).is_ok());
    }
    log.assert_sound();
}

#[test]
fn a_content_that_was_too_large_is_kept_under_a_later_limit() {
    let mut log = TestLog::new();
    let store = log.store;
    log.scan(vec![too_large(store, "a.bin", "bytes")]);
    log.scan(vec![too_large(store, "b.bin", "bytes")]);
    log.put("c.bin", "bytes");
    log.put("d.bin", "bytes");
    let kept: Vec<bool> =
        log.versions().iter().filter_map(|version| version.content).map(|content| content.kept).collect();
    assert_eq!(kept, [false, false, true, true]);
    let blobs: i64 = log.raw().query_row("SELECT count(*) FROM blobs", [], |row| row.get(0)).expect("counts");
    assert_eq!(blobs, 2);
    log.scan(vec![too_large(store, "e.bin", "bytes")]);
    assert_eq!(log.text(5), "bytes", "what is kept already needs no bytes");
    log.assert_sound();
}

#[test]
fn bytes_that_are_not_what_they_are_claimed_to_be_are_refused_and_nothing_is_done() {
    let mut log = TestLog::new();
    let store = log.store;
    log.put("a.md", "one");
    let (before, head) = (log.live(), log.writer.reader().chain_head().expect("a head"));
    for (lie, length) in [(Sha256::of(b"other"), 3), (Sha256::of(b"one"), 3), (Sha256::of(b"two"), 4)] {
        let mut changes = vec![gone(store, "a.md"), put(store, "b.md", "one"), put(store, "c.md", "two")];
        if let Payload::Content { sha256, size, .. } = &mut changes[2].payload {
            (*sha256, *size) = (lie, length);
        }
        let mut act = log.writer.begin().expect("a transaction");
        let refused = act.append(scan(store, START, changes));
        assert!(matches!(refused, Err(LogError::Invalid(_))), "{refused:?}");
        assert!(matches!(act.commit(), Err(LogError::Invalid(_))), "not even what was done before the error");
    }
    assert_eq!((log.live(), log.writer.reader().chain_head().expect("a head")), (before, head));
    log.assert_sound();
}

#[test]
fn an_unknown_store_is_refused_and_nothing_is_done() {
    let mut log = TestLog::new();
    let nowhere = retrace_model::StoreId([9; 16]);
    let refused = log.writer.append(scan(
        log.store,
        START,
        vec![put(log.store, "a.md", "x"), put(nowhere, "a.md", "x")],
    ));
    assert!(matches!(refused, Err(LogError::NotFound { what: "store", .. })), "{refused:?}");
    let refused = log.writer.append(Append { even_if_empty: true, ..scan(nowhere, START, Vec::new()) });
    assert!(matches!(refused, Err(LogError::NotFound { what: "store", .. })), "{refused:?}");
    assert_eq!(log.writer.reader().cursor().expect("a cursor"), 0);
}

#[test]
fn what_is_not_committed_never_happened() {
    let mut log = TestLog::new();
    log.put("a.md", "one");
    {
        let mut act = log.writer.begin().expect("a transaction");
        act.append(scan(log.store, START, vec![put(log.store, "a.md", "two")])).expect("appends");
        assert_eq!(act.reader().last_version().expect("a version"), 2);
    }
    assert_eq!(log.writer.reader().last_version().expect("a version"), 1);
    log.put("a.md", "three");
    assert_eq!(log.text(2), "three");
    log.assert_sound();
}

#[test]
fn an_operation_keeps_what_it_says() {
    let mut log = TestLog::new();
    let at = log.tick();
    let actor = Actor::Session { id: "session-1".to_owned(), evidence: Evidence::ExactContent };
    let append = Append {
        source: Source::Tool,
        actor: &actor,
        note: Some("because \u{1f600}"),
        ..scan(log.store, at, vec![put(log.store, "a.md", "one")])
    };
    log.writer.append(append).expect("appends");
    let empty = Append { even_if_empty: true, ..scan(log.store, at + 1, Vec::new()) };
    let appended = log.writer.append(empty).expect("appends");
    assert_eq!((appended.operation_seq, appended.versions.len()), (Some(2), 0));
    let operation = log.writer.reader().operation(1).expect("an operation");
    assert_eq!(operation.actor, actor);
    assert_eq!((operation.source, operation.created_at), (Source::Tool, Timestamp::from_micros(at)));
    assert_eq!(operation.note.as_deref(), Some("because \u{1f600}"));
    let version = log.version(1);
    assert_eq!(
        (version.actor, version.source, version.note.as_deref()),
        (actor, Source::Tool, Some("because \u{1f600}"))
    );
    assert_eq!(version.created_at, Timestamp::from_micros(at));
    assert_eq!(log.writer.reader().operation(2).expect("an operation").counts, (0, 0, 0));
    log.assert_sound();
}

#[test]
fn an_operation_is_taken_back_once() {
    let mut log = TestLog::new();
    log.put("a.md", "one");
    log.put("a.md", "two");
    let undo = |log: &mut TestLog, undone: u64, text: &str| {
        let at = log.tick();
        let append = Append {
            source: Source::Rollback,
            undoes: Some(undone),
            ..scan(log.store, at, vec![put(log.store, "a.md", text)])
        };
        log.writer.append(append)
    };
    assert!(matches!(undo(&mut log, 9, "?"), Err(LogError::NotFound { what: "operation", .. })));
    assert!(matches!(undo(&mut log, u64::MAX, "?"), Err(LogError::NotFound { what: "operation", .. })));
    undo(&mut log, 2, "one").expect("takes back");
    let again = undo(&mut log, 2, "?");
    assert!(matches!(&again, Err(LogError::Invalid(why)) if why.contains("by operation 3")), "{again:?}");
    let reader = log.writer.reader();
    assert_eq!(reader.operation(2).expect("an operation").undone_by, Some(3));
    assert_eq!(reader.operation(3).expect("an operation").undoes, Some(2));
    log.assert_sound();
}

#[test]
fn a_path_of_any_bytes_is_kept_as_it_is() {
    let mut log = TestLog::new();
    let odd = retrace_model::RelPath::from_bytes(&b"caf\xe9/\\x41 \n.md"[..]).expect("a path");
    let change = Change { path: odd.clone(), ..put(log.store, "a.md", "one") };
    log.scan(vec![change]);
    assert_eq!(log.version(1).path, Some(odd.clone()));
    let live = log.writer.reader().live_at(log.store, &odd).expect("asks").expect("it lives");
    assert_eq!(live.sha256, Some(Sha256::of(b"one")));
    log.assert_sound();
}

#[test]
fn a_content_leans_on_the_one_before_it_also_where_its_memory_was_away() {
    let mut log = TestLog::new();
    let text = |line: u64| format!("{}\n{}\n", noise(1, 400), noise(line, 20));
    log.put("a.md", text(2));
    log.put("a.md", text(3));
    log.delete("a.md");
    log.put("a.md", text(4));
    log.scan(vec![moved(log.store, "a.md", "b.md", text(5))]);
    log.put("new.md", text(6));
    let bases = log.delta_bases();
    assert_eq!(
        bases,
        [(1, None), (2, Some(1)), (3, Some(2)), (4, Some(3)), (5, None)],
        "a new memory has no delta base"
    );
}

#[test]
fn what_a_move_leaves_is_nobodys_until_somebody_comes_and_then_theirs() {
    let mut log = TestLog::new();
    let store = log.store;
    let other = add_store(&mut log.writer, "others");
    log.put("a.md", "one");
    log.put("c.md", "three");
    let at = log.tick();
    log.writer.append(scan(other, at, vec![put(other, "a.md", "other")])).expect("appends");
    // The new memory comes to the path while the one that moves is on its way; that the path is gone is told of the latter
    // alone, and not of the same path in another store, nor of another path in this one.
    let changes = vec![
        put(store, "a.md", "new"),
        moved(store, "a.md", "b.md", "two"),
        gone(store, "a.md"),
        gone(other, "a.md"),
        gone(store, "c.md"),
    ];
    let done = log.scan(changes).versions;
    let versions: Vec<VersionRow> = done.iter().map(|version| log.version(version.seq)).collect();
    assert_eq!(reported(&versions), ["+ a.md", "~ a.md > b.md", "- a.md", "- c.md"]);
    assert_eq!(versions[1].memory, log.version(1).memory);
    assert_ne!(versions[0].memory, log.version(1).memory);
    assert_eq!(versions[2].memory, log.version(3).memory);
    let texts = [("a.md", "new"), ("b.md", "two")];
    assert_eq!(log.live(), texts.map(|(at, text)| (at.to_owned(), Some(text.to_owned()))).into());
    log.assert_sound();
}
