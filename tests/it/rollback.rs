//! Putting memories back.

use retrace_api::{commands, wire};
use retrace_model::Sha256;
use retrace_tests::World;

fn undo(world: &World) -> wire::ActResult {
    commands::undo(&world.app, wire::UndoReq::default()).expect("an undo")
}

fn restore(world: &World, at: u64, dry_run: bool) -> wire::ActResult {
    let request = wire::RestoreReq {
        store: "notes".to_owned(),
        at: at.to_string(),
        dry_run,
        ..wire::RestoreReq::default()
    };
    commands::restore(&world.app, request).expect("a restore")
}

#[test]
fn one_memory_to_a_version_and_undo_of_it() {
    let world = World::new();
    let first = world.record("a.md", "good\n");
    world.record("a.md", "bad\n");
    let preview = commands::rollback(
        &world.app,
        wire::RollbackReq {
            memory: Some("notes:a.md".to_owned()),
            to: Some(first.id.clone()),
            dry_run: true,
            ..wire::RollbackReq::default()
        },
    )
    .expect("a preview");
    assert_eq!(world.read("a.md").as_deref(), Some("bad\n"), "a preview changes nothing");
    let done = world.rollback("a.md", &first).expect("a rollback");
    assert_eq!(serde_json::json!(preview.writes), serde_json::json!(done.writes), "preview equals act");
    assert_eq!(world.read("a.md").as_deref(), Some("good\n"));
    assert_eq!(world.scan(), 0, "our own write is recorded once");
    let newest = world.log("a.md").remove(0);
    assert_eq!(
        (newest.source.as_str(), newest.operation_seq),
        ("rollback", done.operation_seq.expect("done"))
    );
    undo(&world);
    assert_eq!(world.read("a.md").as_deref(), Some("bad\n"));
    let again =
        commands::undo(&world.app, wire::UndoReq { operation_seq: Some(world.cursor()), dry_run: false });
    again.expect("an undo can be undone");
    assert_eq!(world.read("a.md").as_deref(), Some("good\n"));
}

#[test]
fn a_newer_edit_is_recorded_and_the_act_refused() {
    let world = World::new();
    let first = world.record("a.md", "one\n");
    let second = world.record("a.md", "two\n");
    world.write("a.md", "written meanwhile\n");
    let result = world.rollback("a.md", &first).expect("an answer");
    assert_eq!(world.read("a.md").as_deref(), Some("written meanwhile\n"), "the newer edit stands");
    assert_eq!(result.operation_seq, None);
    let conflict = &result.conflicts[0];
    assert_eq!(conflict.expected_version_id.as_ref(), Some(&second.id));
    assert_eq!(conflict.wanted_version_id.as_ref(), Some(&first.id));
    assert_eq!(conflict.found_sha256, Some(Sha256::of(b"written meanwhile\n").to_hex()));
    let found = conflict.found_version_id.clone().expect("what was found is recorded");
    let shown = commands::show(&world.app, wire::ShowReq { version: found, content: true })
        .expect("it is in the log");
    assert_eq!(shown.content.as_deref(), Some("written meanwhile\n"));
    world.rollback("a.md", &first).expect("a second try works");
    assert_eq!(world.read("a.md").as_deref(), Some("one\n"));
}

#[test]
fn the_expected_hash_is_checked() {
    let world = World::new();
    let first = world.record("a.md", "one\n");
    world.record("a.md", "two\n");
    let request = wire::RollbackReq {
        memory: Some("notes:a.md".to_owned()),
        to: Some(first.id),
        expect: Some(Sha256::of(b"something else").to_hex()),
        ..wire::RollbackReq::default()
    };
    let result = commands::rollback(&world.app, request).expect("an answer");
    assert_eq!(result.conflicts.len(), 1);
    assert_eq!(world.read("a.md").as_deref(), Some("two\n"));
}

#[test]
fn a_deleted_memory_reappears_and_a_created_one_goes() {
    let world = World::new();
    let first = world.record("deep/a.md", "one\n");
    world.remove("deep/a.md");
    world.scan();
    world.rollback("deep/a.md", &first).expect("a rollback");
    assert_eq!(world.read("deep/a.md").as_deref(), Some("one\n"));
    let versions = world.log("deep/a.md");
    assert!(versions.iter().all(|version| version.memory_id == first.memory_id), "the memory keeps its id");
    undo(&world);
    assert_eq!(world.read("deep/a.md"), None);
}

#[test]
fn mode_is_kept() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let first = world.record("a.md", "one\n");
    world.record("a.md", "two\n");
    let path = world.path("notes/a.md");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).expect("a mode");
    world.rollback("a.md", &first).expect("a rollback");
    assert_eq!(std::fs::metadata(&path).expect("the file").permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_whole_directory_to_an_instant() {
    let world = World::new();
    world.write("kept.md", "kept\n");
    world.write("changed.md", "before\n");
    world.write("moved.md", "moved content\n");
    world.write("removed.md", "removed\n");
    world.scan();
    let then = world.cursor();
    world.write("changed.md", "after\n");
    world.remove("removed.md");
    std::fs::create_dir(world.path("notes/new")).expect("a directory");
    std::fs::rename(world.path("notes/moved.md"), world.path("notes/new/place.md")).expect("a rename");
    world.write("added.md", "added\n");
    world.scan();

    let preview = restore(&world, then, true);
    let done = restore(&world, then, false);
    assert_eq!(
        serde_json::json!([preview.writes, preview.deletes]),
        serde_json::json!([done.writes, done.deletes])
    );
    for (path, content) in [
        ("kept.md", Some("kept\n")),
        ("changed.md", Some("before\n")),
        ("moved.md", Some("moved content\n")),
        ("removed.md", Some("removed\n")),
        ("new/place.md", None),
        ("added.md", None),
    ] {
        assert_eq!(world.read(path).as_deref(), content, "{path}");
    }
    assert_eq!(world.scan(), 0, "the log says what the disk says");
    undo(&world);
    assert_eq!(world.read("changed.md").as_deref(), Some("after\n"));
    assert_eq!(world.read("removed.md"), None);
    assert_eq!(world.read("new/place.md").as_deref(), Some("moved content\n"));
    assert_eq!(world.read("moved.md"), None);
    assert_eq!(world.read("added.md").as_deref(), Some("added\n"));
    assert_eq!(world.scan(), 0);
}

#[test]
fn a_restore_refuses_to_remove_what_nobody_recorded() {
    let world = World::new();
    world.record("a.md", "one\n");
    let then = world.cursor();
    world.record("a.md", "two\n");
    world.write("unseen.md", "nobody saw this\n");
    let result = restore(&world, then, false);
    assert_eq!(result.operation_seq, None);
    assert_eq!(world.read("unseen.md").as_deref(), Some("nobody saw this\n"));
    assert_eq!(world.read("a.md").as_deref(), Some("two\n"), "all or nothing");
    restore(&world, then, false);
    assert_eq!(world.read("unseen.md"), None, "now it is recorded, so it can come back");
    undo(&world);
    assert_eq!(world.read("unseen.md").as_deref(), Some("nobody saw this\n"));
}

#[test]
fn what_a_scan_saw_is_rolled_back_as_one() {
    let world = World::new();
    world.record("a.md", "one\n");
    world.write("a.md", "two\n");
    world.write("b.md", "new\n");
    world.scan();
    let seq = world.cursor();
    let request = wire::RollbackReq { operation_seq: Some(seq), ..wire::RollbackReq::default() };
    commands::rollback(&world.app, request.clone()).expect("a rollback");
    assert_eq!((world.read("a.md").as_deref(), world.read("b.md")), (Some("one\n"), None));
    world.record("a.md", "three\n");
    let result = commands::rollback(&world.app, request).expect("an answer");
    assert!(!result.conflicts.is_empty(), "the memories changed again since");
    assert_eq!(world.read("a.md").as_deref(), Some("three\n"));
}

#[test]
fn what_stands_in_the_way_is_seen_before_anything_is_done() {
    let world = World::new();
    world.write("a.md", "one\n");
    world.write("b.md", "one\n");
    world.scan();
    world.write("a.md", "two\n");
    world.write("z/b.md", "new\n");
    world.remove("b.md");
    world.scan();
    // A directory in the way of b.md.
    std::fs::create_dir(world.path("notes/b.md")).expect("a directory");
    let request = wire::RollbackReq { operation_seq: Some(world.cursor()), ..wire::RollbackReq::default() };
    let result = commands::rollback(&world.app, request).expect("an answer");
    assert_eq!(result.conflicts[0].reason, wire::ConflictReason::InTheWay, "{result:?}");
    assert_eq!(world.read("a.md").as_deref(), Some("two\n"));
    assert_eq!(world.read("z/b.md").as_deref(), Some("new\n"));
    assert_eq!(world.scan(), 0);
}

#[test]
fn what_is_too_large_to_be_kept_is_not_replaced() {
    let world = World::new();
    let first = world.record("a.md", "one\n");
    let large = vec![b'x'; 10 * 1024 * 1024 + 1];
    world.record("a.md", &large);
    let error = world.rollback("a.md", &first).expect_err("it could not be put back");
    assert_eq!((error.code, error.subject.as_str()), (wire::Code::Invalid, "a.md"), "{error:?}");
    assert_eq!(std::fs::read(world.path("notes/a.md")).expect("it is there").len(), large.len());
    let request = wire::RestoreReq {
        store: "notes".to_owned(),
        at: world.cursor().to_string(),
        ..wire::RestoreReq::default()
    };
    let result = commands::restore(&world.app, request).expect("nothing is to be done");
    assert_eq!((result.operation_seq, result.warnings), (None, Vec::new()));
}

#[test]
fn an_edit_of_a_file_that_holds_what_was_redacted_is_recorded_before_it_is_replaced() {
    let world = World::new();
    let first = world.record("a.md", "harmless\n");
    let second = world.record("a.md", "the key is 7f3a9c1d5e2b\n");
    let request = wire::RedactReq { versions: vec![second.id], ..wire::RedactReq::default() };
    commands::redact(&world.app, request).expect("a redaction of history alone");
    world.write("a.md", "nobody saw this edit\n");
    world.rollback("a.md", &first).expect("a rollback");
    assert_eq!(world.read("a.md").as_deref(), Some("harmless\n"));
    let edit = Sha256::of(b"nobody saw this edit\n").to_hex();
    assert!(world.log("a.md").iter().any(|version| version.content_sha256.as_ref() == Some(&edit)));
}

#[test]
fn a_path_changes_hands_while_its_content_stays_the_same() {
    let world = World::new();
    world.record("moved.md", "# One\nthe same text\n");
    world.record("target.md", "# Two\nanother text\n");
    let then = world.cursor();
    world.remove("target.md");
    world.scan();
    std::fs::rename(world.path("notes/moved.md"), world.path("notes/target.md")).expect("a rename");
    world.scan();
    world.record("target.md", "# Two\nanother text\n");
    restore(&world, then, false);
    assert_eq!(world.read("moved.md").as_deref(), Some("# One\nthe same text\n"));
    assert_eq!(world.read("target.md").as_deref(), Some("# Two\nanother text\n"));
    assert_eq!(world.scan(), 0, "the log says what the disk says");
    undo(&world);
    assert_eq!((world.read("moved.md"), world.scan()), (None, 0));
}

#[test]
fn acts_are_undone_one_after_the_other_also_of_one_memory() {
    let world = World::new();
    let versions = ["one\n", "two\n", "three\n"].map(|text| world.record("a.md", text));
    world.rollback("a.md", &versions[1]).expect("a rollback");
    world.rollback("a.md", &versions[0]).expect("a rollback");
    assert_eq!(world.read("a.md").as_deref(), Some("one\n"));
    undo(&world);
    assert_eq!(world.read("a.md").as_deref(), Some("two\n"));
    let done = undo(&world);
    assert!(done.conflicts.is_empty(), "{:?}", done.conflicts);
    assert_eq!(world.read("a.md").as_deref(), Some("three\n"));
    // Deleted, put back, and both undone.
    world.remove("a.md");
    world.scan();
    let deletion = world.cursor();
    let back = || {
        let request = wire::RollbackReq { operation_seq: Some(deletion), ..wire::RollbackReq::default() };
        commands::rollback(&world.app, request).expect("an answer")
    };
    assert!(back().conflicts.is_empty());
    undo(&world);
    assert_eq!(world.read("a.md"), None);
    assert!(back().conflicts.is_empty(), "what was undone can be done again");
    assert_eq!(world.read("a.md").as_deref(), Some("three\n"));
    // What differs is a conflict still.
    world.record("a.md", "four\n");
    assert_eq!(back().conflicts.len(), 1);
}

#[test]
fn what_an_agent_wrote_is_undone_where_it_is_named_alone() {
    let world = World::new();
    let version = world.record("a.md", "one\n");
    world.record("a.md", "two\n");
    world.rollback("a.md", &version).expect("a rollback");
    let input =
        serde_json::json!({"command": "create", "path": "/memories/b.md", "file_text": "by an agent\n"});
    let request =
        wire::MemoryToolReq { store: Some("notes".to_owned()), input, ..wire::MemoryToolReq::default() };
    commands::memory_tool(&world.app, request).expect("an answer");
    let written = world.cursor();
    undo(&world);
    assert_eq!(world.read("a.md").as_deref(), Some("two\n"), "the person's own act");
    assert_eq!(world.read("b.md").as_deref(), Some("by an agent\n"));
    let nothing = commands::undo(&world.app, wire::UndoReq::default()).expect_err("no act is left");
    assert_eq!(nothing.code, wire::Code::NotFound);
    let named = wire::UndoReq { operation_seq: Some(written), dry_run: false };
    commands::undo(&world.app, named).expect("it is named");
    assert_eq!(world.read("b.md"), None);
}

#[cfg(unix)]
#[test]
fn a_restore_leaves_what_a_directory_or_a_link_stands_in_the_way_of() {
    let world = World::new();
    for (path, text) in [("a.md", "one\n"), ("b.md", "two\n"), ("c.md", "three\n"), ("d/e.md", "four\n")] {
        world.write(path, text);
    }
    world.scan();
    let at = world.cursor();
    world.write("a.md", "changed\n");
    let place = |path: &str| world.path(&format!("notes/{path}"));
    for path in ["b.md", "c.md", "d/e.md"] {
        std::fs::remove_file(place(path)).expect("it goes");
    }
    world.write("b.md/in.md", "a directory has its name\n");
    world.write("b.md/.hidden", "and holds what is no memory\n");
    std::os::unix::fs::symlink(place("a.md"), place("c.md")).expect("a link");
    std::fs::remove_dir(place("d")).expect("it goes");
    std::os::unix::fs::symlink(place("b.md"), place("d")).expect("a link");
    let blocked = ["b.md", "c.md", "d/e.md"];
    for scanned in [false, true] {
        if scanned {
            world.scan();
        }
        let preview = restore(&world, at, true);
        let told: Vec<String> = preview.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), blocked.len(), "{told:?}");
        for (told, path) in told.iter().zip(blocked) {
            assert!(told.starts_with(path) && told.ends_with("it is left as it is."), "{told}");
        }
    }
    let done = restore(&world, at, false);
    assert!(done.conflicts.is_empty(), "{:?}", done.conflicts);
    assert_eq!(std::fs::read_to_string(place("a.md")).expect("a file"), "one\n");
    assert!(place("c.md").is_symlink() && !place("b.md/in.md").exists());
    let left: Vec<&str> = done.left.iter().map(|left| left.path.as_str()).collect();
    assert_eq!((done.partial, &left[..]), (true, &blocked[..]));
    assert_eq!(done.conflict_error().expect("told").code, wire::Code::HeadMoved);
    // Once nothing is in the way the same restore puts back what was left.
    std::fs::remove_dir_all(place("b.md")).expect("it goes");
    std::fs::remove_file(place("d")).expect("it goes");
    let again = restore(&world, at, false);
    assert_eq!((again.warnings.len(), again.left.len()), (1, 1));
    assert_eq!(world.read("b.md").as_deref(), Some("two\n"));
    assert_eq!(world.read("d/e.md").as_deref(), Some("four\n"));
}

#[test]
fn what_is_put_back_has_the_permissions_it_had() {
    let world = World::new();
    world.record("a.md", "stays\n");
    let at = world.cursor();
    for (name, mode) in [("p.md", 0o600), ("x.sh", 0o755), ("d/s.md", 0o640), ("d/e/t.md", 0o600)] {
        world.write(name, format!("{name}\n"));
        set_mode(&world, name, mode);
    }
    set_mode(&world, "d", 0o750);
    set_mode(&world, "d/e", 0o700);
    world.scan();
    // Nobody looked at the directory since.
    set_mode(&world, "d", 0o700);
    let names = ["p.md", "x.sh", "d/s.md", "d/e/t.md", "d", "d/e"];
    let modes = |world: &World| names.map(|name| mode(world, name));
    let before = modes(&world);
    restore(&world, at, false);
    assert!(names.iter().all(|name| !world.path("notes").join(name).exists()), "directories go as well");
    undo(&world);
    assert_eq!(modes(&world), before);
    assert_eq!(world.scan(), 0);
    // What somebody else removed was seen before.
    let version = world.log("p.md").remove(0);
    world.remove("p.md");
    world.scan();
    world.rollback("p.md", &version).expect("a rollback");
    assert_eq!(mode(&world, "p.md"), 0o600);
    // What moves takes them along.
    std::fs::rename(world.path("notes/p.md"), world.path("notes/q.md")).expect("a rename");
    set_mode(&world, "q.md", 0o400);
    world.scan();
    let request = wire::RollbackReq { operation_seq: Some(world.cursor()), ..wire::RollbackReq::default() };
    commands::rollback(&world.app, request).expect("a rollback");
    assert_eq!((world.read("q.md"), mode(&world, "p.md")), (None, 0o400));
}

#[test]
fn what_the_memory_tool_deleted_is_put_back_with_its_permissions() {
    let world = World::new();
    world.record("d/s.md", "secret\n");
    // After the last look.
    set_mode(&world, "d/s.md", 0o600);
    set_mode(&world, "d", 0o700);
    let request = wire::MemoryToolReq {
        store: Some("notes".to_owned()),
        input: serde_json::json!({ "command": "delete", "path": "/memories/d" }),
        ..wire::MemoryToolReq::default()
    };
    let deleted = commands::memory_tool(&world.app, request).expect("an answer");
    assert!(!deleted.is_error && !world.path("notes/d").exists(), "{deleted:?}");
    let request = wire::UndoReq { operation_seq: deleted.operation_seq, dry_run: false };
    commands::undo(&world.app, request).expect("an undo");
    assert_eq!((mode(&world, "d/s.md"), mode(&world, "d")), (0o600, 0o700));
}

fn set_mode(world: &World, name: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(world.path("notes").join(name), mode).expect("a mode");
}

fn mode(world: &World, name: &str) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(world.path("notes").join(name)).expect("it is there").permissions().mode() & 0o7777
}

#[test]
fn a_name_with_an_at_sign_means_the_memory_of_the_whole_name() {
    let world = World::new();
    world.write("b", "another\n");
    let first = world.record("b@1", "one\n");
    world.record("b@1", "two\n");
    let text = |target: &str| {
        let request = wire::DocumentReq { target: target.to_owned(), highlight: false };
        commands::document(&world.app, request).map(|document| document.content_sha256)
    };
    let sha256 = |text: &str| Some(Sha256::of(text.as_bytes()).to_hex());
    assert_eq!(text("notes:b@1").expect("a document"), sha256("two\n"));
    assert_eq!(text("notes:b").expect("a document"), sha256("another\n"));
    // What follows the whole name is an instant; so is a number that is no name.
    assert_eq!(text(&format!("notes:b@1@{}", first.operation_seq)).expect("a document"), sha256("one\n"));
    assert_eq!(text("notes:b@0").expect_err("before everything").code, wire::Code::NotFound);
    world.rollback("b@1", &first).expect("a rollback");
    assert_eq!(world.read("b@1").as_deref(), Some("one\n"));
    // Its history keeps the name.
    world.remove("b@1");
    world.scan();
    assert_eq!(text("notes:b@1").expect_err("it is gone").code, wire::Code::NotFound);
    world.rollback("b@1", &first).expect("a deleted memory comes back");
    assert_eq!(
        (world.read("b@1").as_deref(), world.read("b").as_deref()),
        (Some("one\n"), Some("another\n"))
    );
}
