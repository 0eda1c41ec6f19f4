//! Differences between contents and between states of a store.

use retrace_api::{commands, wire};
use retrace_tests::World;

fn diff(world: &World, a: &str, b: Option<&str>) -> wire::DiffResult {
    let request =
        wire::DiffReq { a: a.to_owned(), b: b.map(str::to_owned), words: true, ..wire::DiffReq::default() };
    commands::diff(&world.app, request).expect("a difference")
}

fn file(result: wire::DiffResult) -> wire::FileDiff {
    match result {
        wire::DiffResult::File(diff) => diff,
        wire::DiffResult::Store(_) => panic!("a difference of stores"),
    }
}

fn store(result: wire::DiffResult) -> wire::StoreDiff {
    match result {
        wire::DiffResult::Store(diff) => diff,
        wire::DiffResult::File(_) => panic!("a difference of files"),
    }
}

#[test]
fn a_version_alone_is_compared_with_the_one_before() {
    let world = World::new();
    let first = world.record("a.md", "one\ntwo\n");
    let second = world.record("a.md", "one\nthree\u{200b}\n");
    let found = file(diff(&world, &second.id, None));
    assert_eq!((found.added, found.removed), (1, 1));
    assert_eq!(found.from.version_id, Some(first.id.clone()));
    let inserted = found.hunks[0].lines.iter().find(|line| line.tag == "insert").expect("a line");
    assert_eq!(inserted.hidden[0].code, "U+200B");
    assert_eq!(inserted.hidden[0].at, 5);
    let created = file(diff(&world, &first.id, None));
    assert_eq!((created.added, created.removed), (2, 0));
}

#[test]
fn live_files_and_instants() {
    let world = World::new();
    let first = world.record("a.md", "one\n");
    world.record("a.md", "two\n");
    world.write("a.md", "three\n");
    let live = file(diff(&world, "notes:a.md", None));
    assert_eq!((live.added, live.removed), (1, 1));
    assert_eq!(live.to.version_id, None, "the live content is in no version");
    let against_first = file(diff(&world, &first.id, Some("notes:a.md")));
    assert_eq!(against_first.hunks[0].lines[1].text, "three");
    let at = file(diff(&world, &format!("notes:a.md@{}", first.operation_seq), Some("notes:a.md")));
    assert_eq!(at.from.version_id, Some(first.id));
}

#[test]
fn a_store_at_two_instants_with_moves() {
    let world = World::new();
    let block =
        "## Payments\nnever retry from the client\nlog each refund twice\nask before changing limits\n";
    world.write("index.md", format!("# Index\n{block}"));
    world.write("renamed.md", "stays the same\n");
    world.write("gone.md", "bye\n");
    world.scan();
    let before = world.cursor();
    world.write("index.md", "# Index\n");
    world.write("payments.md", block);
    std::fs::rename(world.path("notes/renamed.md"), world.path("notes/other.md")).expect("a rename");
    world.remove("gone.md");
    world.scan();
    let found = store(diff(&world, &format!("notes@{before}"), Some("notes")));
    let operation = |path: &str| {
        let change =
            found.files.iter().find(|change| change.path == path).unwrap_or_else(|| panic!("{path}"));
        (change.operation.as_str(), change.previous_path.as_deref())
    };
    assert_eq!(operation("gone.md"), ("deleted", None));
    assert_eq!(operation("other.md"), ("modified", Some("renamed.md")));
    assert_eq!(operation("payments.md"), ("created", None));
    let moved = &found.moves[0];
    assert_eq!(
        (moved.from_path.as_str(), moved.to_path.as_str(), moved.lines),
        ("index.md", "payments.md", 4)
    );
}

#[test]
fn bad_targets_get_a_clear_error() {
    let world = World::new();
    world.record("a.md", "one\n");
    for (target, code) in [
        ("memver_nonsense", wire::Code::NotFound),
        ("nowhere:a.md", wire::Code::NotFound),
        ("notes:../a.md", wire::Code::Invalid),
        ("notes:b.md", wire::Code::NotFound),
        ("notes@9999", wire::Code::NotFound),
        ("", wire::Code::NotFound),
    ] {
        let request = wire::DiffReq { a: target.to_owned(), ..wire::DiffReq::default() };
        let error = commands::diff(&world.app, request).map(|_| ()).expect_err(target);
        assert_eq!(error.code, code, "{target}: {error}");
    }
}

#[test]
fn a_version_after_a_redacted_one_is_shown_whole() {
    let world = World::new();
    let first = world.record("a.md", "a private line of text\n");
    let second = world.record("a.md", "harmless\n");
    let request = wire::RedactReq { versions: vec![first.id.clone()], ..wire::RedactReq::default() };
    commands::redact(&world.app, request).expect("a redaction");
    let found = file(diff(&world, &second.id, None));
    assert!(found.from.redacted);
    assert_eq!((found.added, found.removed), (1, 0));
    let request = wire::DiffReq { a: first.id.clone(), b: Some(second.id), ..wire::DiffReq::default() };
    let error = commands::diff(&world.app, request).map(|_| ()).expect_err("there is nothing to compare");
    assert_eq!(error.code, wire::Code::ContentRedacted);
}
