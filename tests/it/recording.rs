//! Files on disk get into the log.

use retrace_api::{commands, wire};
use retrace_model::Sha256;
use retrace_tests::World;
use retrace_tests::trap::{Spring, Trap};
use std::sync::Arc;

#[test]
fn create_modify_rename_delete() {
    let world = World::new();
    let created = world.record("a.md", "one\n");
    assert_eq!((created.operation.as_str(), created.path.as_deref()), ("created", Some("a.md")));
    assert_eq!(created.content_sha256, Some(Sha256::of(b"one\n").to_hex()));
    let modified = world.record("a.md", "two\n");
    assert_eq!((modified.operation.as_str(), &modified.memory_id), ("modified", &created.memory_id));

    std::fs::create_dir(world.path("notes/deep")).expect("a directory");
    std::fs::rename(world.path("notes/a.md"), world.path("notes/deep/b.md")).expect("a rename");
    assert_eq!(world.scan(), 1, "a rename is one version");
    let moved = world.log("deep/b.md").remove(0);
    assert_eq!(moved.operation, "modified");
    assert_eq!(moved.memory_id, created.memory_id, "the memory stays the same");
    assert_eq!(moved.previous_path.as_deref(), Some("a.md"));

    world.remove("deep/b.md");
    assert_eq!(world.scan(), 1);
    let deleted = world.log("deep/b.md").remove(0);
    assert_eq!(deleted.operation, "deleted");
    assert_eq!(deleted.path.as_deref(), Some("deep/b.md"));
    assert_eq!((deleted.content_sha256, deleted.content_size_bytes), (None, None));
    assert_eq!(world.scan(), 0, "nothing changed, nothing recorded");
}

#[test]
fn unusual_contents_and_names() {
    let world = World::new();
    let long = format!("{}.md", "x".repeat(252));
    let names = ["with space.md", "line\nfeed.md", "cafe\u{301}.md", &long, "日本語/記憶.md"];
    for name in names {
        world.write(name, name);
    }
    world.write("empty.md", "");
    world.write("latin1.md", b"caf\xe9\n");
    world.write("binary.bin", b"\x00\x01\x02");
    assert_eq!(world.scan(), names.len() as u64 + 3);
    let request = wire::MemoriesReq { store: "notes".to_owned(), ..wire::MemoriesReq::default() };
    let memories = commands::memories(&world.app, request).expect("memories").memories;
    for name in names {
        assert!(memories.iter().any(|memory| memory.path.as_deref() == Some(name)), "{name:?}");
    }
    let kind = |path: &str| {
        let memory =
            memories.iter().find(|memory| memory.path.as_deref() == Some(path)).expect("it is there");
        memory.content_kind.expect("a kind")
    };
    assert_eq!(kind("empty.md"), "text");
    assert_eq!(kind("binary.bin"), "binary");
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf8_read_back() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.md");
    std::fs::write(world.path("notes").join(name), "x").expect("a file");
    world.scan();
    let version = world.log("caf\\xe9.md").remove(0);
    assert_eq!(version.path.as_deref(), Some("caf\\xe9.md"));
}

#[test]
fn what_is_left_out_stays_out() {
    let world = World::new();
    for path in [".hidden", "a.md~", "b.tmp", ".#c", "4913", ".git/config", "node_modules/x/y.js"] {
        world.write(path, "no memory");
    }
    world.write(".claude/agent-memory/reviewer/MEMORY.md", "a memory");
    assert_eq!(world.scan(), 1);
}

#[test]
fn links_are_not_followed() {
    let world = World::new();
    std::fs::create_dir(world.path("elsewhere")).expect("a directory");
    std::fs::write(world.path("elsewhere/secret.md"), "not yours").expect("a file");
    std::os::unix::fs::symlink(world.path("elsewhere"), world.path("notes/linked")).expect("a link");
    std::os::unix::fs::symlink(world.path("elsewhere/secret.md"), world.path("notes/one.md"))
        .expect("a link");
    assert_eq!(world.scan(), 0);
}

#[test]
fn a_bad_store_does_not_stop_the_others() {
    let world = World::new();
    world.add("other");
    std::fs::remove_dir_all(world.path("other")).expect("the directory goes");
    world.write("a.md", "still recorded");
    let scanned = commands::scan(&world.app, wire::ScanReq::default()).expect("a scan");
    let state = |name: &str| scanned.stores.iter().find(|store| store.name == name).expect("it is there");
    assert_eq!(state("other").state, "missing");
    assert_eq!((state("notes").state.as_str(), state("notes").versions), ("recording", 1));
}

#[test]
fn a_large_file_is_recorded_without_its_content() {
    let world = World::new();
    let content = vec![b'x'; 10 * 1024 * 1024];
    assert_eq!(world.record("limit.md", &content).content_kind.as_deref(), Some("text"));
    let mut larger = content;
    larger.push(b'x');
    let version = world.record("larger.md", &larger);
    assert_eq!(version.content_kind.as_deref(), Some("too_large"));
    assert_eq!(version.content_sha256, Some(Sha256::of(&larger).to_hex()));
}

#[test]
fn a_store_inside_another_or_over_the_log_is_refused() {
    let world = World::new();
    for root in ["notes/inner", ".", "data"] {
        let path = world.path(root);
        std::fs::create_dir_all(&path).expect("a directory");
        let request =
            wire::AddStore { root: path.to_string_lossy().into_owned(), ..wire::AddStore::default() };
        let error = commands::add_store(&world.app, request).expect_err("refused");
        assert_eq!(error.code, wire::Code::Invalid, "{root}: {error}");
    }
}

#[test]
fn a_store_taken_off_the_list_reappears_with_its_history() {
    let world = World::new();
    world.record("a.md", "one");
    let request = wire::StoreRef { store: "notes".to_owned() };
    let removed = commands::remove_store(&world.app, request).expect("removed");
    assert!(commands::stores(&world.app, wire::Nothing {}).expect("stores").stores.is_empty());
    world.write("a.md", "two");
    let added = world.add("notes");
    assert_eq!(added.id, removed.id);
    assert_eq!(world.log("a.md").len(), 2);
}

#[test]
fn the_recorder_sees_a_change_without_being_asked() {
    let world = World::new();
    let recording = world.app.record(&[]).expect("a recorder");
    let events = world.app.subscribe();
    let before = world.cursor();
    world.write("live.md", "seen");
    let limit = std::time::Duration::from_secs(30);
    while world.cursor() == before {
        events.recv_timeout(limit).expect("an event within the limit");
    }
    assert_eq!(world.log("live.md").len(), 1);
    let second = world.app.record(&[]).map(|_| ()).expect_err("one recorder a data directory");
    assert_eq!(second.code, wire::Code::Busy);
    recording.stop();
    world.app.record(&[]).expect("the lease is free again").stop();
}

#[test]
fn a_recorder_that_failed_tries_again_by_itself() {
    // The first thing it finds cannot be recorded, as on a disk that is full for a moment.
    let trap = Trap::new(Spring::Fail);
    let faults = Arc::clone(&trap);
    let world = World::with(|options| options.faults = faults);
    let recording = world.app.record(&[]).expect("a recorder");
    let events = world.app.subscribe();
    trap.set(1);
    world.write("a.md", "kept all the same\n");
    while world.log("a.md").is_empty() {
        events.recv_timeout(std::time::Duration::from_secs(60)).expect("it is recorded within the limit");
    }
    assert!(trap.release(), "it failed at first");
    recording.stop();
}
