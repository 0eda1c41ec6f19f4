//! Acts on paths where something else stands by now: another memory, a directory, a file.

use retrace_api::{commands, wire};
use retrace_tests::World;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;

fn tool(world: &World, session: &str, input: Value) {
    let (store, session) = (Some("notes".to_owned()), Some(session.to_owned()));
    let request = wire::MemoryToolReq { store, session, input, ..wire::MemoryToolReq::default() };
    let answer = commands::memory_tool(&world.app, request).expect("an answer");
    assert!(!answer.is_error, "{answer:?}");
}

fn rollback(world: &World, request: &wire::RollbackReq) -> [wire::ActResult; 2] {
    [true, false].map(|dry_run| {
        let request = wire::RollbackReq { dry_run, ..request.clone() };
        commands::rollback(&world.app, request).expect("an answer")
    })
}

fn restore(world: &World, at: u64) -> wire::ActResult {
    let of = |dry_run| wire::RestoreReq {
        store: "notes".to_owned(),
        at: at.to_string(),
        dry_run,
        ..wire::RestoreReq::default()
    };
    let preview = commands::restore(&world.app, of(true)).expect("a preview");
    let done = commands::restore(&world.app, of(false)).expect("a restore");
    assert_eq!(
        json!([preview.writes, preview.deletes, preview.left]),
        json!([done.writes, done.deletes, done.left])
    );
    done
}

fn undo(world: &World, operation: Option<u64>) -> wire::ActResult {
    let request = wire::UndoReq { operation_seq: operation, dry_run: false };
    commands::undo(&world.app, request).expect("an answer")
}

/// Nothing was done because another memory stands at `path`.
fn is_taken(result: &wire::ActResult, path: &str) {
    let [conflict] = &result.conflicts[..] else { panic!("{result:?}") };
    assert_eq!((conflict.path.as_str(), conflict.reason), (path, wire::ConflictReason::PathTaken));
    assert!(result.operation_seq.is_none() && result.writes.is_empty() && result.deletes.is_empty());
    assert_eq!(result.conflict_error().expect("told").code, wire::Code::HeadMoved);
}

fn mode(world: &World, path: &str) -> u32 {
    let meta = std::fs::metadata(world.path(&format!("notes/{path}"))).expect("it is there");
    meta.permissions().mode() & 0o777
}

fn set_mode(world: &World, path: &str, mode: u32) {
    let path = world.path(&format!("notes/{path}"));
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a mode");
}

#[test]
fn what_another_session_wrote_at_the_old_name_stays() {
    let world = World::new();
    let first = world.record("x.md", "first\n");
    let review = |verdict: &str, version: &str| {
        let (versions, verdict) = (vec![version.to_owned()], verdict.to_owned());
        let request = wire::ReviewReq { versions, verdict, ..wire::ReviewReq::default() };
        commands::review(&world.app, request).expect("an answer")
    };
    review("approve", &first.id);
    tool(
        &world,
        "q1",
        json!({"command": "rename", "old_path": "/memories/x.md", "new_path": "/memories/c.md"}),
    );
    let renamed = world.cursor();
    tool(&world, "q2", json!({"command": "create", "path": "/memories/x.md", "file_text": "of q2\n"}));
    let by_session = wire::RollbackReq { session: Some("q1".to_owned()), ..wire::RollbackReq::default() };
    let by_operation = wire::RollbackReq { operation_seq: Some(renamed), ..wire::RollbackReq::default() };
    let to_first = wire::RollbackReq {
        memory: Some("notes:c.md".to_owned()),
        to: Some(first.id.clone()),
        ..wire::RollbackReq::default()
    };
    for request in [&by_session, &by_operation, &to_first] {
        rollback(&world, request).iter().for_each(|result| is_taken(result, "x.md"));
    }
    is_taken(&undo(&world, Some(renamed)), "x.md");
    let renamed = world.log("c.md").remove(0);
    let reviewed = review("reject", &renamed.id);
    assert_eq!((reviewed.done.len(), reviewed.skipped.len()), (0, 1), "{reviewed:?}");
    assert_eq!(world.read("x.md").as_deref(), Some("of q2\n"));
    assert_eq!(world.read("c.md").as_deref(), Some("first\n"));
    // Taken back together, each is where it was.
    tool(&world, "q1", json!({"command": "delete", "path": "/memories/x.md"}));
    let [_, done] = rollback(&world, &to_first);
    assert!(done.conflicts.is_empty(), "{done:?}");
    assert_eq!((world.read("x.md").as_deref(), world.read("c.md")), (Some("first\n"), None));
}

#[test]
fn an_undo_does_not_displace_what_came_since() {
    let world = World::new();
    world.record("x.md", "first\n");
    let at = world.cursor();
    std::fs::rename(world.path("notes/x.md"), world.path("notes/c.md")).expect("a rename");
    world.scan();
    restore(&world, at);
    world.record("c.md", "newer\n");
    is_taken(&undo(&world, None), "c.md");
    assert_eq!(world.read("c.md").as_deref(), Some("newer\n"));
    assert_eq!(world.read("x.md").as_deref(), Some("first\n"));
}

#[test]
fn what_is_private_stays_so_where_many_could_read_another_memory() {
    let world = World::new();
    world.write("x.md", "private\n");
    set_mode(&world, "x.md", 0o600);
    world.scan();
    let at = world.cursor();
    std::fs::rename(world.path("notes/x.md"), world.path("notes/c.md")).expect("a rename");
    world.scan();
    world.write("x.md", "for all\n");
    set_mode(&world, "x.md", 0o644);
    world.scan();
    restore(&world, at);
    assert_eq!((world.read("x.md").as_deref(), mode(&world, "x.md")), (Some("private\n"), 0o600));
    undo(&world, None);
    assert_eq!((world.read("c.md").as_deref(), mode(&world, "c.md")), (Some("private\n"), 0o600));
    assert_eq!(world.read("x.md").as_deref(), Some("for all\n"));
}

#[test]
fn what_was_private_is_private_again_in_place_of_another_memory() {
    let world = World::new();
    let rename = |from: &str, to: &str| {
        let place = |path: &str| world.path(&format!("notes/{path}"));
        std::fs::rename(place(from), place(to)).expect("a rename");
        world.scan();
    };
    world.write("y.md", "for all\n");
    set_mode(&world, "y.md", 0o644);
    world.scan();
    rename("y.md", "x.md");
    let at = world.cursor();
    rename("x.md", "y.md");
    world.write("x.md", "private\n");
    set_mode(&world, "x.md", 0o600);
    world.scan();
    restore(&world, at);
    assert_eq!((world.read("x.md").as_deref(), mode(&world, "x.md")), (Some("for all\n"), 0o644));
    undo(&world, None);
    assert_eq!((world.read("x.md").as_deref(), mode(&world, "x.md")), (Some("private\n"), 0o600));
    assert_eq!((world.read("y.md").as_deref(), mode(&world, "y.md")), (Some("for all\n"), 0o644));
    // Deleted, and another one in its place since.
    let at = world.cursor();
    world.remove("x.md");
    world.scan();
    rename("y.md", "x.md");
    restore(&world, at);
    assert_eq!((world.read("x.md").as_deref(), mode(&world, "x.md")), (Some("private\n"), 0o600));
}

#[test]
fn a_rollback_is_of_the_memory_that_is_named() {
    let world = World::new();
    let first = world.record("keep.md", "1\n");
    world.record("keep.md", "2\n");
    let request = |path: &str, expect: Option<&str>| wire::RollbackReq {
        memory: Some(format!("notes:{path}")),
        to: Some(first.id.clone()),
        expect: expect.map(str::to_owned),
        ..wire::RollbackReq::default()
    };
    for dry_run in [true, false] {
        let request = wire::RollbackReq { dry_run, ..request("never.md", None) };
        let error = commands::rollback(&world.app, request).expect_err("no such memory");
        assert_eq!((error.code, error.subject.as_str()), (wire::Code::NotFound, "notes:never.md"));
    }
    // By its name of before too, and the hash is that of its file.
    std::fs::rename(world.path("notes/keep.md"), world.path("notes/kept.md")).expect("a rename");
    world.scan();
    let false_hash = "0".repeat(64);
    let [_, refused] = rollback(&world, &request("keep.md", Some(&false_hash)));
    assert_eq!(refused.conflicts.len(), 1, "{refused:?}");
    assert_eq!(world.read("kept.md").as_deref(), Some("2\n"));
    let [_, done] = rollback(&world, &request("keep.md", None));
    assert_eq!((done.conflicts.len(), world.read("keep.md").as_deref()), (0, Some("1\n")));
    // Another memory since: its content is replaced, and that is said.
    world.record("other.md", "of another\n");
    world.remove("keep.md");
    world.scan();
    std::fs::rename(world.path("notes/other.md"), world.path("notes/keep.md")).expect("a rename");
    world.scan();
    for result in rollback(&world, &request("keep.md", None)) {
        assert!(result.warnings.iter().any(|it| it.contains("another memory")), "{result:?}");
    }
    assert_eq!(world.read("keep.md").as_deref(), Some("1\n"));
    undo(&world, None);
    assert_eq!(world.read("keep.md").as_deref(), Some("of another\n"));
}

/// A file becomes a directory and a directory a file, in one operation; the places before and after it.
fn exchanged(world: &World) -> [u64; 2] {
    for (path, text) in [("file.md", "file\n"), ("folder/one.md", "one\n"), ("folder/deep/two.md", "two\n")] {
        world.write(path, text);
    }
    set_mode(world, "folder", 0o750);
    set_mode(world, "folder/deep", 0o700);
    set_mode(world, "folder/deep/two.md", 0o600);
    world.scan();
    let before = world.cursor();
    world.remove("file.md");
    world.write("file.md/inside.md", "inside\n");
    std::fs::remove_dir_all(world.path("notes/folder")).expect("it goes");
    world.write("folder", "a file\n");
    world.scan();
    [before, world.cursor()]
}

fn is_before(world: &World) {
    let texts = ["file.md", "folder/one.md", "folder/deep/two.md"].map(|path| world.read(path));
    assert_eq!(texts.map(|text| text.unwrap_or_default()), ["file\n", "one\n", "two\n"]);
    let modes = ["folder", "folder/deep", "folder/deep/two.md"].map(|path| mode(world, path));
    assert_eq!(modes, [0o750, 0o700, 0o600]);
}

fn is_after(world: &World) {
    assert_eq!(world.read("file.md/inside.md").as_deref(), Some("inside\n"));
    assert_eq!(world.read("folder").as_deref(), Some("a file\n"));
}

#[test]
fn files_and_directories_change_places_in_one_act_and_its_undo() {
    let world = World::new();
    let [before, exchange] = exchanged(&world);
    let restored = restore(&world, before);
    assert!(restored.left.is_empty() && restored.conflicts.is_empty(), "{restored:?}");
    is_before(&world);
    undo(&world, None);
    is_after(&world);
    let operation = wire::RollbackReq { operation_seq: Some(exchange), ..wire::RollbackReq::default() };
    let [preview, done] = rollback(&world, &operation);
    assert_eq!(json!([preview.writes, preview.deletes]), json!([done.writes, done.deletes]));
    is_before(&world);
    undo(&world, None);
    is_after(&world);
    let versions: Vec<String> = commands::inbox(&world.app, wire::InboxReq::default())
        .expect("an inbox")
        .groups
        .into_iter()
        .flat_map(|group| group.items)
        .map(|item| item.version_id)
        .collect();
    let reject = wire::ReviewReq { versions, verdict: "reject".to_owned(), ..wire::ReviewReq::default() };
    let reviewed = commands::review(&world.app, reject).expect("an answer");
    assert!(reviewed.skipped.is_empty(), "{reviewed:?}");
    assert_eq!(world.scan(), 0, "all of it is recorded");
    world.verify();
}

#[test]
fn a_directory_that_holds_anything_else_stands_in_the_way() {
    let world = World::new();
    let [_, exchange] = exchanged(&world);
    world.write("file.md/.hidden", "no memory\n");
    let operation = wire::RollbackReq { operation_seq: Some(exchange), ..wire::RollbackReq::default() };
    for result in rollback(&world, &operation) {
        let [conflict] = &result.conflicts[..] else { panic!("{result:?}") };
        assert_eq!((conflict.path.as_str(), conflict.reason), ("file.md", wire::ConflictReason::InTheWay));
        assert!(result.operation_seq.is_none());
    }
    is_after(&world);
}

#[test]
fn a_store_is_taken_over_where_files_and_directories_changed_places() {
    let world = World::new();
    world.add("other");
    world.write("x.md", "a file\n");
    let inside = world.path("other/x.md/in.md");
    std::fs::create_dir_all(inside.parent().expect("a directory")).expect("a directory");
    std::fs::write(&inside, "inside\n").expect("a file");
    world.scan();
    let accept = wire::AcceptMemoriesReq {
        from: "other".to_owned(),
        into: "notes".to_owned(),
        delete: true,
        ..wire::AcceptMemoriesReq::default()
    };
    let done = commands::accept_memories(&world.app, accept).expect("it is done");
    assert!(done.warnings.is_empty(), "{done:?}");
    assert_eq!(world.read("x.md/in.md").as_deref(), Some("inside\n"));
    undo(&world, None);
    assert_eq!(world.read("x.md").as_deref(), Some("a file\n"));
}

#[test]
fn nothing_is_changed_in_a_store_off_the_list() {
    let world = World::new();
    let other = world.add("other");
    tool(&world, "q1", json!({"command": "create", "path": "/memories/a.md", "file_text": "here\n"}));
    let elsewhere = wire::MemoryToolReq {
        store: Some(other.id.clone()),
        session: Some("q1".to_owned()),
        input: json!({"command": "create", "path": "/memories/b.md", "file_text": "there\n"}),
        ..wire::MemoryToolReq::default()
    };
    commands::memory_tool(&world.app, elsewhere).expect("an answer");
    commands::remove_store(&world.app, wire::StoreRef { store: other.id }).expect("off the list");
    let by_session = wire::RollbackReq { session: Some("q1".to_owned()), ..wire::RollbackReq::default() };
    for result in rollback(&world, &by_session) {
        let [conflict] = &result.conflicts[..] else { panic!("{result:?}") };
        assert_eq!(conflict.reason, wire::ConflictReason::StoreRemoved);
    }
    assert!(world.path("other/b.md").exists() && world.read("a.md").is_some());
}
