//! Two stores compared with each other, and memories of one taken over into the other.

use retrace_api::wire::{AcceptMemoriesReq, ActResult, ApiError, Code, CompareStoresReq, RedactReq, UndoReq};
use retrace_api::{App, commands};
use retrace_tests::api::StoreApi;
use retrace_tests::{World, tree};
use serde_json::json;

/// Differences, each as `change path (lines)`.
fn compared(app: &App, from: &str, to: &str) -> (u64, Vec<String>) {
    let request = CompareStoresReq { from: from.to_owned(), to: to.to_owned() };
    let found = commands::compare_stores(app, request).expect("a comparison");
    let lines = found.memories.iter().map(|memory| {
        let moved = memory.moved_from.as_ref().map(|from| format!(" from {from}")).unwrap_or_default();
        let number = |lines: Option<u64>| lines.map_or("?".to_owned(), |lines| lines.to_string());
        let (added, removed) = (number(memory.added), number(memory.removed));
        format!("{} {}{moved} +{added} -{removed}", memory.change, memory.path)
    });
    (found.same, lines.collect())
}

fn request(from: &str, into: &str) -> AcceptMemoriesReq {
    AcceptMemoriesReq { from: from.to_owned(), into: into.to_owned(), ..AcceptMemoriesReq::default() }
}

fn accept(app: &App, request: AcceptMemoriesReq) -> Result<ActResult, ApiError> {
    let preview = commands::accept_memories(app, AcceptMemoriesReq { dry_run: true, ..request.clone() });
    let done = commands::accept_memories(app, request);
    if let (Ok(preview), Ok(done)) = (&preview, &done)
        && done.conflicts.is_empty()
    {
        let places = |result: &ActResult| {
            let all = result.writes.iter().chain(&result.deletes);
            all.map(|write| (write.path.clone(), write.from_sha256.clone(), write.to_sha256.clone()))
                .collect()
        };
        let (before, after): (Vec<_>, Vec<_>) = (places(preview), places(done));
        assert_eq!(before, after, "a preview says what the act does");
        assert_eq!(preview.warnings, done.warnings);
    }
    done
}

fn put(world: &World, path: &str, content: impl AsRef<[u8]>) {
    let target = world.path(path);
    std::fs::create_dir_all(target.parent().expect("a parent")).expect("directories");
    std::fs::write(target, content).expect("a file");
}

/// A world with a second store, `dream`, that differs from `notes` in every way.
fn two_stores() -> World {
    let world = World::new();
    for (path, text) in
        [("same.md", "one\n"), ("edited.md", "a\nb\n"), ("old/name.md", "a fact\n"), ("gone.md", "out\n")]
    {
        world.write(path, text);
    }
    world.add("dream");
    for (path, text) in
        [("same.md", "one\n"), ("edited.md", "a\nB\nc\n"), ("new/name.md", "a fact\n"), ("new.md", "hi\n")]
    {
        put(&world, &format!("dream/{path}"), text);
    }
    world.scan();
    world
}

#[test]
fn what_differs_between_two_directories() {
    let world = two_stores();
    let expected = [
        "modified edited.md +2 -1",
        "deleted gone.md +0 -1",
        "created new.md +1 -0",
        "moved new/name.md from old/name.md +0 -0",
    ];
    assert_eq!(compared(&world.app, "notes", "dream"), (1, expected.map(str::to_owned).to_vec()));
    // An unrecorded file is seen as well.
    put(&world, "dream/new.md", [0, 159, 146, 150]);
    let (_, found) = compared(&world.app, "notes", "dream");
    assert_eq!(found[2], "created new.md +? -?");
    let first = world.cursor();
    world.record("same.md", "two\n");
    let then = format!("notes@{first}");
    assert_eq!(compared(&world.app, &then, "notes"), (3, vec!["modified same.md +1 -1".to_owned()]));
}

#[test]
fn a_whole_store_is_taken_over_and_given_back() {
    let world = two_stores();
    let before = tree::read(&world.path("notes"));
    let done =
        accept(&world.app, AcceptMemoriesReq { delete: true, ..request("dream", "notes") }).expect("done");
    assert_eq!(tree::read(&world.path("notes")), tree::read(&world.path("dream")));
    let mut moved = world.log("new/name.md");
    moved.retain(|version| version.store_id == done.writes[0].store_id);
    assert_eq!((moved.len(), moved[0].source.as_str()), (2, "import"), "it is the same memory still");
    assert_eq!(moved[0].note.as_deref(), Some("taken over from dream"));
    assert_eq!(compared(&world.app, "notes", "dream").1, Vec::<String>::new());
    assert_eq!(world.scan(), 0);
    let undo = UndoReq { operation_seq: done.operation_seq, dry_run: false };
    commands::undo(&world.app, undo).expect("it is undone");
    assert_eq!(tree::read(&world.path("notes")), before);
    // Taken over again, nothing is left to do the second time.
    accept(&world.app, AcceptMemoriesReq { delete: true, ..request("dream", "notes") }).expect("done");
    let again = accept(&world.app, request("dream", "notes")).expect("nothing to do");
    assert_eq!((again.operation_seq, again.writes.len()), (None, 0));
}

#[test]
fn in_part() {
    let world = two_stores();
    let paths = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
    let named = AcceptMemoriesReq { paths: paths(&["new/name.md", "gone.md"]), ..request("dream", "notes") };
    let done = accept(&world.app, named).expect("done");
    assert_eq!((done.writes.len(), done.deletes.len()), (1, 2));
    assert_eq!(world.read("old/name.md"), None, "a move is taken whole");
    assert_eq!(world.read("edited.md").as_deref(), Some("a\nb\n"));
    assert_eq!(world.read("gone.md"), None);
    let unknown = AcceptMemoriesReq { paths: paths(&["nowhere.md"]), ..request("dream", "notes") };
    assert_eq!(accept(&world.app, unknown).expect_err("no such path").code, Code::NotFound);
    // Without deletions, all the rest comes.
    let done = accept(&world.app, request("dream", "notes")).expect("done");
    assert_eq!((done.writes.len(), done.deletes.len()), (2, 0));
    let itself = accept(&world.app, request("notes", "notes")).expect_err("itself");
    assert_eq!(itself.code, Code::Invalid);
}

#[test]
fn a_newer_edit_is_left() {
    let world = two_stores();
    world.write("edited.md", "newer\n");
    let done = accept(&world.app, request("dream", "notes")).expect("an answer");
    assert_eq!((done.conflicts.len(), done.operation_seq), (1, None));
    assert_eq!(done.conflicts[0].path, "edited.md");
    assert_eq!(world.read("edited.md").as_deref(), Some("newer\n"));
    assert_eq!(world.read("new.md"), None, "nothing was done");
}

#[test]
fn an_earlier_state_of_the_same_store() {
    let world = World::new();
    world.record("a.md", "good\n");
    let then = world.cursor();
    world.record("a.md", "bad\n");
    world.record("b.md", "also bad\n");
    accept(&world.app, AcceptMemoriesReq { delete: true, ..request(&format!("notes@{then}"), "notes") })
        .expect("done");
    assert_eq!((world.read("a.md").as_deref(), world.read("b.md")), (Some("good\n"), None));
}

#[test]
fn a_directory_into_a_store_of_the_api_and_back() {
    let world = World::new();
    let api = StoreApi::of(&world.app);
    let hosted = api.store("Demo");
    api.create(&hosted, "/kept.md", "kept\n");
    for (path, content) in
        [("a.md", "one\n".as_bytes()), ("deep/b.md", b"two\n"), ("bytes.bin", &[0, 159, 146])]
    {
        world.write(path, content);
    }
    world.write("large.md", "x".repeat(102_401));
    world.write("fits.md", "x".repeat(102_400));
    let done = accept(&world.app, request("notes", "Demo")).expect("done");
    let mut warned: Vec<&str> = done.warnings.iter().map(|warning| &**warning).collect();
    warned.sort_unstable();
    assert_eq!(
        warned,
        [
            "bytes.bin: it is left as it is. Hosted stores accept only text.",
            "large.md: it is left as it is. It has 102401 bytes; a memory of a hosted store has at most 102400.",
        ]
    );
    let contents = api.contents(&hosted);
    let paths: Vec<&str> = contents.keys().map(String::as_str).collect();
    assert_eq!(paths, ["/a.md", "/deep/b.md", "/fits.md", "/kept.md"]);
    for path in ["bytes.bin", "large.md"] {
        let named = AcceptMemoriesReq { paths: vec![path.to_owned()], ..request("notes", "Demo") };
        assert_eq!(accept(&world.app, named).expect_err(path).code, Code::Invalid);
    }
    let undo = UndoReq { operation_seq: done.operation_seq, dry_run: false };
    commands::undo(&world.app, undo).expect("it is undone");
    assert_eq!(api.contents(&hosted).len(), 1);
    // And the other way round.
    let back = AcceptMemoriesReq { paths: vec!["kept.md".to_owned()], ..request("Demo", "notes") };
    accept(&world.app, back).expect("done");
    assert_eq!(world.read("kept.md").as_deref(), Some("kept\n"));
}

#[test]
fn what_stands_in_the_way_is_reported_before() {
    let world = World::new();
    let api = StoreApi::of(&world.app);
    let hosted = api.store("Demo");
    api.create(&hosted, "/notes", "a file\n");
    api.create(&hosted, "/todo/today.md", "a directory\n");
    world.write("notes/a.md", "below a file\n");
    world.write("todo", "where a directory is\n");
    world.write("good.md", "good\n");
    world.scan();
    let done = accept(&world.app, request("notes", "Demo")).expect("done");
    assert_eq!((done.writes.len(), done.warnings.len()), (1, 2), "{:?}", done.warnings);
    for path in ["notes/a.md", "todo"] {
        let named = AcceptMemoriesReq { paths: vec![path.to_owned()], ..request("notes", "Demo") };
        assert_eq!(accept(&world.app, named).expect_err(path).code, Code::Invalid);
    }
    // A directory has rules of its own.
    api.create(&hosted, "/.hidden.md", "hidden\n");
    let named = AcceptMemoriesReq { paths: vec![".hidden.md".to_owned()], ..request("Demo", "notes") };
    let refused = accept(&world.app, named).expect_err("left out by rule");
    assert!(refused.message.contains("left out"), "{refused:?}");
    api.post(&format!("/v1/memory_stores/{hosted}/archive"), &json!({}));
    let archived = accept(&world.app, request("notes", "Demo")).expect_err("archived");
    assert!(archived.message.contains("archived"), "{archived:?}");
}

#[test]
fn a_hosted_store_holds_two_thousand() {
    let world = World::new();
    let api = StoreApi::of(&world.app);
    let hosted = api.store("Demo");
    api.create(&hosted, "/first.md", "first\n");
    for number in 0..2_000 {
        world.write(&format!("{number}.md"), format!("{number}\n"));
    }
    world.scan();
    let refused = accept(&world.app, request("notes", "Demo")).expect_err("one too many");
    assert!(refused.message.contains("2001"), "{refused:?}");
    assert_eq!(api.contents(&hosted).len(), 1, "nothing was done");
    world.remove("0.md");
    let done = accept(&world.app, request("notes", "Demo")).expect("done");
    assert_eq!(done.writes.len(), 1_999);
}

#[test]
fn what_is_redacted_stays_out() {
    let world = World::new();
    world.add("dream");
    put(&world, "dream/a.md", "a secret of ours\n");
    put(&world, "dream/b.md", "b\n");
    world.scan();
    let then = world.cursor();
    let secret = world.log("a.md")[0].id.clone();
    put(&world, "dream/a.md", "clean\n");
    world.scan();
    let redact = RedactReq { versions: vec![secret], ..RedactReq::default() };
    commands::redact(&world.app, redact).expect("it is redacted");
    let done = accept(&world.app, request(&format!("dream@{then}"), "notes")).expect("done");
    assert_eq!(done.writes.len(), 1);
    assert_eq!(done.warnings.len(), 1, "{:?}", done.warnings);
    assert_eq!(world.read("a.md"), None);
}
