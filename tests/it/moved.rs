//! Another directory in the place of a store's: nothing in it is read or written before a person says that it is the store's.

use crate::scenes::recorded;
use retrace_api::{commands, wire};
use retrace_model::Sha256;
use retrace_tests::api::StoreApi;
use retrace_tests::{World, options_of, tree};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use wire::Code;

const KEY: &str = "-----BEGIN OPENSSH PRIVATE KEY-----\nnot for the log\n";

/// Way in which another directory takes the place of a store's.
#[derive(Clone, Copy, Debug)]
enum Swap {
    Link,
    LinkAbove,
    Directory,
}

fn world() -> World {
    let world = World::new();
    world.write("a.md", "one\n");
    world.write("id_rsa", "what was here of that name\n");
    world.scan();
    world.record("a.md", "two\n");
    let request = wire::ShareStoreReq { store: "notes".to_owned(), shared: true };
    commands::share_store(&world.app, request).expect("it is shown");
    fs::create_dir(world.path("keys")).expect("a directory");
    fs::write(world.path("keys/id_rsa"), KEY).expect("a file");
    fs::write(world.path("keys/known.md"), "elsewhere\n").expect("a file");
    world
}

fn put_in_place(world: &World, swap: Swap) {
    fs::rename(world.path("notes"), world.path("away")).expect("it moves");
    match swap {
        Swap::Link => symlink(world.path("keys"), world.path("notes")).expect("a link"),
        Swap::LinkAbove => symlink("keys", world.path("notes")).expect("a link"),
        Swap::Directory => fs::rename(world.path("keys"), world.path("notes")).expect("it moves"),
    }
}

fn state(world: &World) -> String {
    commands::stores(&world.app, wire::Nothing {}).expect("stores").stores.remove(0).state.to_string()
}

fn tool(world: &World, input: Value) -> Result<wire::MemoryToolAnswer, wire::ApiError> {
    let root = Some(world.path("notes").to_string_lossy().into_owned());
    commands::memory_tool(&world.app, wire::MemoryToolReq { root, input, ..wire::MemoryToolReq::default() })
}

#[test]
fn nothing_in_another_directory_is_read_or_written() {
    for swap in [Swap::Link, Swap::LinkAbove, Swap::Directory] {
        let world = world();
        let before = recorded(&world);
        put_in_place(&world, swap);
        let there = tree::read(&world.path("notes"));
        let scanned = commands::scan(&world.app, wire::ScanReq::default()).expect("a state");
        assert_eq!((scanned.stores[0].state.as_str(), scanned.stores[0].versions), ("moved", 0), "{swap:?}");
        assert_eq!(state(&world), "moved");
        let first = world.log("a.md").pop().expect("a version");
        let unavailable = |what: &str, error: wire::ApiError| {
            assert_eq!(
                (error.code, error.code.exit_code()),
                (Code::StoreUnavailable, 7),
                "{what}: {error:?}"
            );
            assert!(error.hint.contains("relocate"), "{what}: {error:?}");
        };
        unavailable("rollback", world.rollback("a.md", &first).expect_err("another directory"));
        let request = wire::RestoreReq {
            from_imported: false,
            store: "notes".to_owned(),
            at: first.operation_seq.to_string(),
            dry_run: false,
        };
        unavailable("restore", commands::restore(&world.app, request).expect_err("another directory"));
        for input in [
            json!({ "command": "view", "path": "/memories" }),
            json!({ "command": "view", "path": "/memories/id_rsa" }),
            json!({ "command": "delete", "path": "/memories/id_rsa" }),
            json!({ "command": "create", "path": "/memories/x.md", "file_text": "x" }),
        ] {
            unavailable("the memory tool", tool(&world, input).expect_err("another directory"));
        }
        let id = commands::stores(&world.app, wire::Nothing {}).expect("stores").stores.remove(0).id;
        let api = StoreApi::of(&world.app);
        let body = json!({ "path": "/x.md", "content": "x" });
        let (status, answer) = api.call("POST", &format!("/v1/memory_stores/{id}/memories"), &body);
        assert_eq!(status, 500, "{answer}");
        let check = wire::CheckReq { target: "notes".to_owned(), ..wire::CheckReq::default() };
        unavailable("check", commands::check(&world.app, check).expect_err("another directory"));
        assert!(tree::read(&world.path("notes")) == there, "{swap:?}: something was written");
        assert_eq!(recorded(&world), before, "{swap:?}: something was read into the log");
        assert_eq!(world.log("").iter().filter(|version| version.operation == "deleted").count(), 0);
        assert!(!recorded(&world).contains(&Sha256::of(KEY.as_bytes()).to_hex()));
        assert_eq!(commands::stores(&world.app, wire::Nothing {}).expect("stores").stores.len(), 1);
        // Put back, everything is as it was.
        if fs::remove_file(world.path("notes")).is_err() {
            fs::rename(world.path("notes"), world.path("keys")).expect("it moves");
        }
        fs::rename(world.path("away"), world.path("notes")).expect("it moves");
        assert_eq!((world.scan(), state(&world).as_str()), (0, "recording"), "{swap:?}");
    }
}

#[test]
fn a_recorder_that_runs_sees_it() {
    let world = world();
    let events = world.app.subscribe();
    let recording = world.app.record(&[]).expect("a recorder");
    let before = recorded(&world);
    put_in_place(&world, Swap::Link);
    while !matches!(state_in_log(&world).as_str(), "moved") {
        events.recv_timeout(std::time::Duration::from_secs(60)).expect("an event within the limit");
    }
    recording.stop();
    assert!(!recorded(&world).contains(&Sha256::of(KEY.as_bytes()).to_hex()));
    assert!(recorded(&world).is_superset(&before));
}

fn state_in_log(world: &World) -> String {
    commands::stores(&world.app, wire::Nothing {}).expect("stores").stores.remove(0).state.to_string()
}

#[test]
fn a_person_says_that_it_is_the_stores() {
    for swap in [Swap::Link, Swap::Directory] {
        let world = world();
        put_in_place(&world, swap);
        let request = |dry_run| wire::RelocateStoreReq { store: "notes".to_owned(), dry_run };
        let preview = commands::relocate_store(&world.app, request(true)).expect("a preview");
        assert_eq!((preview.same, preview.changed, preview.new, preview.gone), (0, 1, 1, 1), "{preview:?}");
        assert_eq!((preview.store.state.as_str(), state(&world).as_str()), ("moved", "moved"));
        let done = commands::relocate_store(&world.app, request(false)).expect("it is");
        assert_eq!(done.store.state, "recording", "{done:?}");
        assert_eq!(world.log("known.md").len(), 1);
        assert_eq!(world.scan(), 0);
    }
}

#[test]
fn a_link_that_was_accepted_and_leads_elsewhere_later_is_noticed() {
    let world = world();
    put_in_place(&world, Swap::Link);
    let request = wire::RelocateStoreReq { store: "notes".to_owned(), dry_run: false };
    commands::relocate_store(&world.app, request).expect("it is");
    fs::create_dir(world.path("third")).expect("a directory");
    fs::write(world.path("third/x.md"), "x").expect("a file");
    fs::remove_file(world.path("notes")).expect("the link");
    symlink(world.path("third"), world.path("notes")).expect("a link");
    assert_eq!((world.scan(), state(&world).as_str()), (0, "moved"));
}

#[test]
fn a_copy_that_kept_its_times_is_the_same_place_and_one_with_other_times_is_not() {
    for kept in [true, false] {
        let world = world();
        fs::rename(world.path("notes"), world.path("away")).expect("it moves");
        fs::create_dir(world.path("notes")).expect("a directory");
        for name in ["a.md", "id_rsa"] {
            let (from, to) = (world.path("away").join(name), world.path("notes").join(name));
            fs::copy(&from, &to).expect("a copy");
            let modified = fs::metadata(&from).and_then(|metadata| metadata.modified()).expect("a time");
            let time = if kept { modified } else { modified + std::time::Duration::from_secs(7) };
            fs::File::options()
                .write(true)
                .open(&to)
                .and_then(|file| file.set_modified(time))
                .expect("a time");
        }
        assert_eq!(world.scan(), 0);
        assert_eq!(state(&world), if kept { "recording" } else { "moved" });
    }
}

/// What goes before another directory is made at the path.
#[derive(Clone, Copy, Debug)]
enum Goes {
    Renamed,
    Removed,
}

/// Makes a directory at the path of the store's, at another instant than that was made: file systems count in ticks.
fn make_another(world: &World, before: std::time::SystemTime) {
    let path = world.path("notes");
    loop {
        fs::create_dir(&path).expect("a directory");
        if fs::metadata(&path).and_then(|made| made.created()).expect("a time") != before {
            return;
        }
        fs::remove_dir(&path).expect("it goes");
    }
}

#[test]
fn a_directory_made_anew_is_another_one_whenever_a_scan_runs() {
    for goes in [Goes::Renamed, Goes::Removed] {
        for (missing, empty) in [(false, false), (false, true), (true, false), (true, true)] {
            let case = format!("{goes:?}, scanned while missing: {missing}, while empty: {empty}");
            let world = World::new();
            // Beside it, so that the directory above is no bare mount point.
            fs::write(world.path("beside"), "").expect("a file");
            world.record("a.md", "one\n");
            let made = fs::metadata(world.path("notes")).and_then(|made| made.created()).expect("a time");
            match goes {
                Goes::Renamed => fs::rename(world.path("notes"), world.path("away")).expect("it moves"),
                // The file system may give its number to the next one.
                Goes::Removed => fs::remove_dir_all(world.path("notes")).expect("it goes"),
            }
            if missing {
                assert_eq!((world.scan(), state(&world).as_str()), (1, "missing"), "{case}: it is gone");
            }
            make_another(&world, made);
            if empty {
                assert_eq!((world.scan(), state(&world).as_str()), (0, "moved"), "{case}");
            }
            fs::write(world.path("notes/of-somebody-else.md"), KEY).expect("a file");
            assert_eq!((world.scan(), state(&world).as_str()), (0, "moved"), "{case}");
            assert!(!recorded(&world).contains(&Sha256::of(KEY.as_bytes()).to_hex()), "{case}");
            let request = wire::RelocateStoreReq { store: "notes".to_owned(), dry_run: false };
            commands::relocate_store(&world.app, request).expect("a person says that it is the store's");
            assert_eq!(
                (world.log("of-somebody-else.md").len(), state(&world).as_str()),
                (1, "recording"),
                "{case}"
            );
        }
    }
}

#[test]
fn a_store_without_memories_does_not_take_another_directory_either() {
    let world = World::new();
    fs::rename(world.path("notes"), world.path("away")).expect("it moves");
    fs::create_dir(world.path("notes")).expect("a directory");
    assert_eq!((world.scan(), state(&world).as_str()), (0, "moved"));
    fs::remove_dir(world.path("notes")).expect("it goes");
    fs::rename(world.path("away"), world.path("notes")).expect("it moves");
    assert_eq!((world.scan(), state(&world).as_str()), (0, "recording"));
}

#[test]
fn after_another_boot_the_number_of_the_file_system_may_differ() {
    let world = world();
    let mut options = options_of(&world.path(""), 1);
    options.boot = Some("boot-2".to_owned());
    let later = World::over(options);
    assert_eq!((later.scan(), state(&later).as_str()), (0, "recording"));
}

#[test]
fn a_receipt_does_not_call_clean_what_could_not_be_read() {
    let world = world();
    put_in_place(&world, Swap::Directory);
    let redact = |dry_run| {
        let request = wire::RedactReq {
            find: Some("two".to_owned()),
            live: true,
            dry_run,
            ..wire::RedactReq::default()
        };
        commands::redact(&world.app, request).expect("a redaction")
    };
    let preview = redact(true);
    assert!(
        preview.warnings.iter().any(|warning| warning.ends_with("could not be looked at: notes.")),
        "{preview:?}"
    );
    let receipt = redact(false).receipt.expect("a receipt");
    let live = receipt.places.iter().find(|place| place.place.starts_with("Live files")).expect("a place");
    assert_eq!((live.state.as_str(), live.hits), ("out_of_reach", 0), "{live:?}");
    assert_eq!(live.detail.as_deref(), Some("could not be read: notes"));
    assert!(live.remedy.is_some(), "{live:?}");
}
