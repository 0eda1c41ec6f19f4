//! Calls of the memory tool that were answered before they were on the disk: flushed afterwards; after a power failure
//! made what the log says.
//!
//! A power failure is played: the app is forgotten without flushing, files are made what they might have fallen back to, and
//! another app opens the log in another boot.

use base64::Engine as _;
use retrace_api::wire::{MemoryToolReq, StoreRef};
use retrace_api::{AppOptions, Defer, FileStep, Flushing, commands, wire};
use retrace_log::{LogError, LogFiles, ReadConnection};
use retrace_tests::trap::{Spring, Trap};
use retrace_tests::tree::{self, Tree};
use retrace_tests::{World, child, holds_bytes, options_of};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longest wait of a test for something that must happen.
const LIMIT: Duration = Duration::from_secs(60);

fn options_at(directory: &Path, boot: u64, process: u64) -> AppOptions {
    let mut options = options_of(directory, process);
    options.boot = Some(format!("boot-{boot}"));
    options
}

/// A machine that can be switched off at any time.
struct Machine {
    directory: TempDir,
    boot: u64,
    processes: u64,
}

impl Machine {
    /// Its first boot, with an empty store `notes`.
    fn new() -> (Self, World) {
        let mut machine =
            Self { directory: tempfile::tempdir().expect("a directory"), boot: 0, processes: 0 };
        let world = machine.boot();
        world.add("notes");
        (machine, world)
    }

    fn boot(&mut self) -> World {
        self.boot += 1;
        self.process()
    }

    /// One more process in this boot.
    fn process(&mut self) -> World {
        self.processes += 1;
        World::over(options_at(self.directory.path(), self.boot, self.processes))
    }

    fn data(&self) -> std::path::PathBuf {
        self.directory.path().join("data")
    }

    /// Places of the versions that are not known to be on the disk.
    fn unflushed(&self) -> Vec<u64> {
        let files = LogFiles::new(self.data());
        let reading = ReadConnection::open(&files).expect("a connection");
        let rows = reading.snapshot(|reader| {
            let mut rows = Vec::new();
            for store in reader.stores()? {
                rows.extend(reader.unflushed(store.id)?);
            }
            Ok::<_, LogError>(rows)
        });
        rows.expect("rows").into_iter().map(|row| row.seq).collect()
    }

    fn notes(&self) -> Tree {
        tree::read(&self.directory.path().join("notes"))
    }
}

/// The machine, or the process, stops: nothing is flushed.
fn stops(world: World) {
    std::mem::forget(world);
}

fn call(world: &World, input: Value) -> wire::MemoryToolAnswer {
    call_on(world, "notes", input)
}

fn call_on(world: &World, store: &str, input: Value) -> wire::MemoryToolAnswer {
    let store = Some(store.to_owned());
    let request = MemoryToolReq { store, session: Some("s".to_owned()), input, ..MemoryToolReq::default() };
    let answer = commands::memory_tool(&world.app, request).expect("an answer");
    assert!(!answer.is_error, "{answer:?}");
    answer
}

fn create(world: &World, path: &str, text: &str) {
    call(world, json!({ "command": "create", "path": format!("/memories/{path}"), "file_text": text }));
}

fn edit(world: &World, path: &str, old: &str, new: &str) {
    let path = format!("/memories/{path}");
    call(world, json!({ "command": "str_replace", "path": path, "old_str": old, "new_str": new }));
}

fn delete(world: &World, path: &str) {
    call(world, json!({ "command": "delete", "path": format!("/memories/{path}") }));
}

fn rename(world: &World, from: &str, to: &str) {
    let (from, to) = (format!("/memories/{from}"), format!("/memories/{to}"));
    call(world, json!({ "command": "rename", "old_path": from, "new_path": to }));
}

fn notes_of_operations(world: &World) -> Vec<String> {
    let page = commands::timeline(&world.app, wire::TimelineReq::default()).expect("operations");
    page.operations.into_iter().filter_map(|operation| operation.note.map(wire::Message::into_text)).collect()
}

#[test]
fn a_call_is_noted_until_its_file_is_on_the_disk() {
    let (machine, world) = Machine::new();
    create(&world, "a.md", "one\n");
    edit(&world, "a.md", "one", "two");
    assert_eq!(machine.unflushed(), [1, 2]);
    world.app.flush().expect("it settles");
    assert_eq!(machine.unflushed(), [0; 0]);
    rename(&world, "a.md", "b.md");
    delete(&world, "b.md");
    assert_eq!(machine.unflushed(), [3, 4]);
    drop(world);
    assert_eq!(machine.unflushed(), [0; 0], "dropping the app settles");
}

#[test]
fn a_call_waits_for_no_file_where_that_is_left_for_later() {
    for (defer, waits) in [(Defer::Everywhere, 0), (Defer::Nowhere, 4)] {
        let waited = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&waited);
        let trap = Trap::meanwhile(Spring::Fail, move |step| {
            let waits = matches!(step, FileStep::SyncTemporary | FileStep::SyncDirectory);
            count.fetch_add(u64::from(waits), Ordering::SeqCst);
        });
        let world = World::with(|options| {
            options.faults = Arc::<Trap>::clone(&trap);
            options.flushing.defer = defer;
        });
        trap.set(u64::MAX);
        create(&world, "a.md", "one\n");
        edit(&world, "a.md", "one", "two");
        trap.release();
        assert_eq!(waited.load(Ordering::SeqCst), waits, "{defer:?}");
    }
}

#[test]
fn a_thread_flushes_by_itself() {
    let (mut machine, world) = Machine::new();
    drop(world);
    machine.processes += 1;
    let mut options = options_at(machine.directory.path(), machine.boot, machine.processes);
    options.flushing = Flushing { defer: Defer::Everywhere, in_background: true };
    let world = World::over(options);
    let began = Instant::now();
    for number in 0..3 {
        create(&world, &format!("{number}.md"), "one\n");
        while !machine.unflushed().is_empty() {
            assert!(began.elapsed() < LIMIT, "nobody settles");
            std::thread::yield_now();
        }
    }
}

#[test]
fn where_nothing_is_deferred_nothing_is_noted() {
    let (machine, world) = Machine::new();
    drop(world);
    for (process, boot, defer) in [(7, None, Defer::Everywhere), (8, Some("b"), Defer::Nowhere)] {
        let mut options = options_of(machine.directory.path(), process);
        options.flushing.defer = defer;
        options.boot = boot.map(str::to_owned);
        let world = World::over(options);
        create(&world, "a.md", "one\n");
        rename(&world, "a.md", "b.md");
        delete(&world, "b.md");
        assert_eq!(machine.unflushed(), [0; 0]);
    }
}

#[test]
fn files_outside_the_log_are_waited_for() {
    let (machine, world) = Machine::new();
    let made = json!({ "command": "create", "path": "/memories/.git/a.md", "file_text": "one\n" });
    assert_eq!(call(&world, made).not_recorded, [".git/a.md"]);
    create(&world, "a.md", "one\n");
    world.app.flush().expect("it settles");
    rename(&world, "a.md", ".git/b.md");
    assert_eq!(machine.unflushed(), [0; 0], "only the file says where the content went");
}

/// Steps before the power fails, the files after it, and the files in the end.
struct Case {
    name: &'static str,
    calls: fn(&World),
    falls_back: &'static [(&'static str, Option<&'static str>)],
    ends: &'static [(&'static str, &'static str)],
    /// Versions that the next scan makes.
    recorded: u64,
    /// Files that are put back.
    put_back: u64,
}

/// `settled.md` is on the disk before.
const CASES: [Case; 15] = [
    Case {
        name: "it is on the disk",
        calls: |world| edit(world, "settled.md", "one", "two"),
        falls_back: &[],
        ends: &[("settled.md", "two\n")],
        recorded: 0,
        put_back: 0,
    },
    Case {
        name: "an edit falls back",
        calls: |world| edit(world, "settled.md", "one", "two"),
        falls_back: &[("settled.md", Some("one\n"))],
        ends: &[("settled.md", "two\n")],
        recorded: 0,
        put_back: 1,
    },
    Case {
        name: "two edits fall back to between them",
        calls: |world| {
            edit(world, "settled.md", "one", "two");
            edit(world, "settled.md", "two", "three");
        },
        falls_back: &[("settled.md", Some("two\n"))],
        ends: &[("settled.md", "three\n")],
        recorded: 0,
        put_back: 1,
    },
    Case {
        name: "two edits fall back to before them",
        calls: |world| {
            edit(world, "settled.md", "one", "two");
            edit(world, "settled.md", "two", "three");
        },
        falls_back: &[("settled.md", Some("one\n"))],
        ends: &[("settled.md", "three\n")],
        recorded: 0,
        put_back: 1,
    },
    Case {
        name: "an edit is empty",
        calls: |world| edit(world, "settled.md", "one", "two"),
        falls_back: &[("settled.md", Some(""))],
        ends: &[("settled.md", "two\n")],
        recorded: 0,
        put_back: 1,
    },
    Case {
        name: "only the length of an edit got to the disk",
        calls: |world| edit(world, "settled.md", "one", "two"),
        falls_back: &[("settled.md", Some("\0\0\0\0"))],
        ends: &[("settled.md", "two\n")],
        recorded: 0,
        put_back: 1,
    },
    Case {
        name: "an edited file is missing",
        calls: |world| edit(world, "settled.md", "one", "two"),
        falls_back: &[("settled.md", None)],
        ends: &[("settled.md", "two\n")],
        recorded: 0,
        put_back: 1,
    },
    Case {
        name: "somebody edited it since",
        calls: |world| edit(world, "settled.md", "one", "two"),
        falls_back: &[("settled.md", Some("by hand\n"))],
        ends: &[("settled.md", "by hand\n")],
        recorded: 1,
        put_back: 0,
    },
    Case {
        name: "a new file is missing, and so is its directory",
        calls: |world| create(world, "new/deep/a.md", "new\n"),
        falls_back: &[("new/deep/a.md", None)],
        ends: &[("new/deep/a.md", "new\n"), ("settled.md", "one\n")],
        recorded: 0,
        put_back: 1,
    },
    Case {
        name: "a deleted file is back",
        calls: |world| delete(world, "settled.md"),
        falls_back: &[("settled.md", Some("one\n"))],
        ends: &[],
        recorded: 0,
        put_back: 1,
    },
    Case {
        name: "a deleted file is back, and somebody edited it",
        calls: |world| delete(world, "settled.md"),
        falls_back: &[("settled.md", Some("one, by hand\n"))],
        ends: &[("settled.md", "one, by hand\n")],
        recorded: 1,
        put_back: 0,
    },
    Case {
        name: "a moved file is back",
        calls: |world| rename(world, "settled.md", "d/moved.md"),
        falls_back: &[("settled.md", Some("one\n")), ("d/moved.md", None)],
        ends: &[("d/moved.md", "one\n")],
        recorded: 0,
        put_back: 2,
    },
    Case {
        name: "a moved file is nowhere",
        calls: |world| rename(world, "settled.md", "d/moved.md"),
        falls_back: &[("d/moved.md", None)],
        ends: &[("d/moved.md", "one\n")],
        recorded: 0,
        put_back: 1,
    },
    Case {
        name: "a moved file is at both places",
        calls: |world| rename(world, "settled.md", "d/moved.md"),
        falls_back: &[("settled.md", Some("one\n"))],
        ends: &[("d/moved.md", "one\n")],
        recorded: 0,
        put_back: 1,
    },
    Case {
        name: "a file became a directory, and is a file again",
        calls: |world| {
            delete(world, "settled.md");
            create(world, "settled.md/inner.md", "inner\n");
        },
        falls_back: &[("settled.md/inner.md", None), ("settled.md", Some("one\n"))],
        ends: &[("settled.md/inner.md", "inner\n")],
        recorded: 0,
        put_back: 2,
    },
];

fn set(world: &World, path: &str, content: Option<&str>) {
    let target = world.path("notes").join(path);
    match content {
        Some(content) => {
            drop(std::fs::remove_dir(&target));
            world.write(path, content);
        }
        None => {
            drop(std::fs::remove_file(&target));
            for above in target.ancestors().skip(1).take(path.matches('/').count()) {
                drop(std::fs::remove_dir(above));
            }
        }
    }
}

fn expected(files: &[(&str, &str)]) -> Tree {
    files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
}

#[test]
fn after_another_boot_files_are_what_the_log_says_or_somebody_made_them() {
    for Case { name, calls, falls_back, ends, recorded, put_back } in CASES {
        let (mut machine, world) = Machine::new();
        create(&world, "settled.md", "one\n");
        world.app.flush().expect("it settles");
        calls(&world);
        let versions = world.log("").len() as u64;
        for (path, content) in falls_back {
            set(&world, path, *content);
        }
        stops(world);
        let world = machine.boot();
        assert_eq!(world.scan(), recorded, "{name}");
        assert_eq!(machine.notes(), expected(ends), "{name}");
        assert_eq!(machine.unflushed(), [0; 0], "{name}");
        assert_eq!(world.log("").len() as u64, versions + recorded, "{name}");
        let reported = match put_back {
            0 => None,
            1 => Some(
                "1 file was put back as recorded: the machine had stopped before the disk had them"
                    .to_owned(),
            ),
            many => Some(format!(
                "{many} files were put back as recorded: the machine had stopped before the disk had them"
            )),
        };
        assert_eq!(notes_of_operations(&world), Vec::from_iter(reported), "{name}");
        assert_eq!(world.scan(), 0, "{name}");
    }
}

#[test]
fn a_process_that_is_gone_leaves_its_files_as_they_are() {
    let (mut machine, world) = Machine::new();
    create(&world, "a.md", "one\n");
    edit(&world, "a.md", "one", "two");
    create(&world, "b.md", "one\n");
    stops(world);
    let world = machine.process();
    // In the same boot, nothing fell back: this is somebody's edit.
    world.write("a.md", "one\n");
    assert_eq!(world.scan(), 1);
    assert_eq!((world.read("a.md").as_deref(), machine.unflushed()), (Some("one\n"), vec![]));
}

#[test]
fn the_first_call_of_a_boot_finds_what_the_last_one_of_another_left() {
    let (mut machine, world) = Machine::new();
    create(&world, "a.md", "one\n");
    edit(&world, "a.md", "one", "two");
    world.write("a.md", "one\n");
    stops(world);
    let world = machine.boot();
    edit(&world, "a.md", "two", "three");
    assert_eq!(world.read("a.md").as_deref(), Some("three\n"));
    assert_eq!(world.log("a.md").len(), 3);
    assert_eq!(machine.unflushed(), [3]);
}

#[test]
fn a_rollback_finds_it_too() {
    let (mut machine, world) = Machine::new();
    create(&world, "a.md", "one\n");
    edit(&world, "a.md", "one", "two");
    let first = world.log("a.md").pop().expect("a version");
    world.write("a.md", "one\n");
    stops(world);
    let world = machine.boot();
    let done = world.rollback("a.md", &first).expect("a rollback");
    assert_eq!((done.conflicts.len(), done.writes.len()), (0, 1));
    assert_eq!(world.read("a.md").as_deref(), Some("one\n"));
    assert_eq!(world.scan(), 0);
}

#[test]
fn a_path_with_a_newer_version_that_was_waited_for_is_left_alone() {
    let (mut machine, world) = Machine::new();
    create(&world, "a.md", "one\n");
    edit(&world, "a.md", "one", "two");
    let first = world.log("a.md").pop().expect("a version");
    world.rollback("a.md", &first).expect("a rollback");
    edit(&world, "a.md", "one", "three");
    world.rollback("a.md", &first).expect("a rollback");
    world.write("a.md", "two\n");
    stops(world);
    let world = machine.boot();
    assert_eq!(world.scan(), 1, "it was on the disk, so this is an edit");
    assert_eq!((world.read("a.md").as_deref(), machine.unflushed()), (Some("two\n"), vec![]));
}

/// With what it lies in: a medium that is not mounted.
#[test]
fn a_directory_that_is_away_is_waited_for() {
    let (mut machine, world) = Machine::new();
    let (disk, away) = (world.path("disk"), world.path("away"));
    std::fs::create_dir_all(disk.join("notes")).expect("a directory");
    let request = wire::AddStore {
        root: disk.join("notes").to_string_lossy().into_owned(),
        name: Some("disk".to_owned()),
        ..wire::AddStore::default()
    };
    commands::add_store(&world.app, request).expect("a store");
    call_on(&world, "disk", json!({ "command": "create", "path": "/memories/a.md", "file_text": "one\n" }));
    let edit =
        json!({ "command": "insert", "path": "/memories/a.md", "insert_line": 1, "insert_text": "two\n" });
    call_on(&world, "disk", edit);
    std::fs::write(disk.join("notes/a.md"), "one\n").expect("a file");
    stops(world);
    std::fs::rename(&disk, &away).expect("it goes");
    let world = machine.boot();
    assert_eq!(world.scan(), 0);
    assert_eq!(machine.unflushed(), [1, 2]);
    std::fs::rename(&away, &disk).expect("it comes back");
    assert_eq!(world.scan(), 0);
    let file = std::fs::read_to_string(disk.join("notes/a.md")).expect("a file");
    assert_eq!((file.as_str(), machine.unflushed()), ("one\ntwo\n", vec![]));
}

#[test]
fn a_directory_that_was_removed_and_reappeared_is_left_as_it_is() {
    let (mut machine, world) = Machine::new();
    create(&world, "a.md", "one\n");
    edit(&world, "a.md", "one", "two");
    world.write("a.md", "one\n");
    let (here, away) = (world.path("notes"), world.path("away"));
    stops(world);
    std::fs::rename(&here, &away).expect("it goes");
    let world = machine.boot();
    assert_eq!(world.scan(), 1, "a scan says that everything is gone");
    std::fs::rename(&away, &here).expect("it comes back");
    assert_eq!(world.scan(), 1);
    assert_eq!((world.read("a.md").as_deref(), machine.unflushed()), (Some("one\n"), vec![]));
}

#[test]
fn what_cannot_be_put_back_is_tried_again() {
    let (mut machine, world) = Machine::new();
    create(&world, "a.md", "one\n");
    edit(&world, "a.md", "one", "two");
    world.write("a.md", "one\n");
    stops(world);
    machine.boot += 1;
    let trap = Trap::new(Spring::FailFromHere);
    let mut options = options_at(machine.directory.path(), machine.boot, 9);
    options.faults = Arc::<Trap>::clone(&trap);
    let full = World::over(options);
    trap.set(1);
    commands::scan(&full.app, wire::ScanReq::default()).expect_err("the disk is full");
    assert!(trap.release());
    assert_eq!((full.read("a.md").as_deref(), machine.unflushed()), (Some("one\n"), vec![1, 2]));
    assert_eq!(full.scan(), 0);
    assert_eq!((full.read("a.md").as_deref(), machine.unflushed()), (Some("two\n"), vec![]));
}

#[test]
fn two_processes_after_a_power_failure_put_it_back_once() {
    let (mut machine, world) = Machine::new();
    for number in 0..20 {
        create(&world, &format!("{number}.md"), "one\n");
        edit(&world, &format!("{number}.md"), "one", "two");
        world.write(&format!("{number}.md"), "one\n");
    }
    stops(world);
    let (one, other) = (machine.boot(), machine.process());
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!(one.scan(), 0));
        scope.spawn(|| assert_eq!(other.scan(), 0));
    });
    assert!(machine.notes().values().all(|content| content == b"two\n"));
    assert_eq!(notes_of_operations(&one).len(), 1);
    assert_eq!(machine.unflushed(), [0; 0]);
}

#[test]
fn two_processes_that_call_flush_for_each_other() {
    let (mut machine, world) = Machine::new();
    create(&world, "a.md", "one\n");
    let other = machine.process();
    edit(&other, "a.md", "one", "two");
    assert_eq!(machine.unflushed(), [2], "the second one waited for what it found");
    edit(&world, "a.md", "two", "three");
    drop(other);
    assert_eq!(machine.unflushed(), [3]);
    drop(world);
    assert_eq!(machine.unflushed(), [0; 0]);
}

const SECRET: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";

fn redact(world: &World, live: bool) -> wire::ActResult {
    let request = wire::RedactReq {
        secret_base64: Some(base64::engine::general_purpose::STANDARD.encode(SECRET)),
        live,
        ..wire::RedactReq::default()
    };
    commands::redact(&world.app, request).expect("a redaction")
}

#[test]
fn a_redaction_waits_for_the_disk_first_and_leaves_no_trace() {
    for live in [true, false] {
        let (mut machine, world) = Machine::new();
        create(&world, "a.md", &format!("key {SECRET}\n"));
        edit(&world, "a.md", SECRET, "[elsewhere]");
        create(&world, "b.md", &format!("key {SECRET}\n"));
        rename(&world, "b.md", "c.md");
        assert_eq!(machine.unflushed(), [1, 2, 3, 4]);
        let receipt = redact(&world, live).receipt.expect("a receipt");
        assert_eq!(receipt.purge, "done");
        // A file that fell back now would be the secret, and a scan would record it.
        assert_eq!(machine.unflushed(), [0; 0]);
        assert!(!holds_bytes(&machine.data(), SECRET.as_bytes()));
        let hash = retrace_model::Sha256::of(format!("key {SECRET}\n").as_bytes());
        assert!(!holds_bytes(&machine.data(), &hash.0));
        stops(world);
        let world = machine.boot();
        world.scan();
        assert!(!holds_bytes(&machine.data(), SECRET.as_bytes()));
    }
}

#[test]
fn a_store_that_left_the_list_and_reappeared_is_seen_to() {
    let (mut machine, world) = Machine::new();
    create(&world, "a.md", "one\n");
    edit(&world, "a.md", "one", "two");
    commands::remove_store(&world.app, StoreRef { store: "notes".to_owned() }).expect("it leaves");
    std::fs::write(world.path("notes/a.md"), "one\n").expect("a file");
    stops(world);
    let world = machine.boot();
    world.add("notes");
    assert_eq!((world.read("a.md").as_deref(), machine.unflushed()), (Some("two\n"), vec![]));
}

/// Not a test of its own: calls until it is killed, told by its environment.
#[test]
fn one_that_calls() {
    let Some((task, directory)) = child::task() else { return };
    let spring = Spring::Call(Box::new(|| {
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)
            .expect("a process may kill itself");
    }));
    let trap = Trap::new(spring);
    let mut options = options_at(&directory, 1, 2);
    options.faults = Arc::<Trap>::clone(&trap);
    let world = World::over(options);
    trap.set(task.parse().expect("a number"));
    some_calls(&world);
    trap.release();
    stops(world);
}

fn some_calls(world: &World) {
    edit(world, "a.md", "one", "two");
    create(world, "d/new.md", "new\n");
    rename(world, "b.md", "d/b.md");
    world.write("c.md", "by hand\n");
    edit(world, "c.md", "by hand", "by both");
    delete(world, "a.md");
}

#[test]
fn a_process_killed_at_any_step_and_a_power_failure_after_it_lose_nothing() {
    for step in 1..500 {
        let (mut machine, world) = Machine::new();
        for name in ["a.md", "b.md", "c.md"] {
            create(&world, name, "one\n");
        }
        drop(world);
        let before = machine.notes();
        let killed =
            child::command("flushing::one_that_calls", &step.to_string(), machine.directory.path()).output();
        let killed = killed.expect("a process");
        let ended = killed.status.success();
        assert!(ended || killed.status.signal() == Some(9), "{killed:?}");
        // Of what the calls concerned, everything falls back to before them, but for the edit by hand.
        let concerned = !machine.unflushed().is_empty();
        let by_hand = machine.notes().get("c.md").is_some_and(|content| content != b"one\n");
        if concerned {
            for (path, content) in &before {
                if path != "c.md" {
                    std::fs::write(machine.directory.path().join("notes").join(path), content)
                        .expect("a file");
                }
            }
        }
        let world = machine.boot();
        world.scan();
        assert_eq!(world.scan(), 0, "killed at step {step}");
        assert_eq!(machine.unflushed(), [0; 0], "killed at step {step}");
        assert!(!machine.notes().keys().any(|path| path.contains(".retrace-")), "killed at step {step}");
        if by_hand {
            let known = crate::scenes::recorded(&world);
            let edit = retrace_model::Sha256::of(b"by hand\n").to_hex();
            assert!(known.contains(&edit), "killed at step {step}: the edit is lost");
        }
        world.verify();
        if ended {
            let files = [("c.md", "by both\n"), ("d/b.md", "one\n"), ("d/new.md", "new\n")];
            assert_eq!(machine.notes(), expected(&files));
            return;
        }
    }
    panic!("it does not come to an end");
}

/// Numbers that are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).expect("small")
    }
}

const PATHS: [&str; 5] = ["a.md", "b.md", "d/c.md", "d/e.md", "f/g/h.md"];

/// Possible contents of each path once the power failed.
type States = BTreeMap<String, BTreeSet<Option<Vec<u8>>>>;

/// Only of what the log knows: an edit that nobody saw reappears as somebody's edit.
fn note_states(world: &World, states: &mut States, now: &Tree) {
    for path in PATHS {
        let state = now.get(path).cloned();
        let hash = state.as_ref().map(|content| retrace_model::Sha256::of(content).to_hex());
        let known = || world.log(path).iter().any(|version| version.content_sha256 == hash);
        if state.is_none() || known() {
            states.entry(path.to_owned()).or_default().insert(state);
        }
    }
}

/// Makes any call that is possible now, or writes a file as somebody else; answers the paths a call concerned.
fn any_step(world: &World, now: &Tree, step: u64, numbers: &mut Numbers) -> Vec<&'static str> {
    let path = PATHS[numbers.below(PATHS.len())];
    let other = PATHS[numbers.below(PATHS.len())];
    let line = format!("line {step}\n");
    match (numbers.below(5), now.contains_key(path)) {
        (0, there) => {
            world.write(path, format!("by hand {step}\n{}", if there { "and more\n" } else { "" }));
            return Vec::new();
        }
        (_, false) => create(world, path, &line),
        (1, true) => delete(world, path),
        (2, true) if !now.contains_key(other) => {
            rename(world, path, other);
            return vec![path, other];
        }
        (_, true) => {
            let path = format!("/memories/{path}");
            call(world, json!({ "command": "insert", "path": path, "insert_line": 0, "insert_text": line }));
        }
    }
    vec![path]
}

#[test]
fn whatever_falls_back_the_disk_is_what_the_log_says() {
    for seed in 0..60 {
        let mut numbers = Numbers(seed << 20);
        let (mut machine, mut world) = Machine::new();
        for _ in 0..3 {
            let mut states = States::new();
            let mut concerned = BTreeSet::new();
            note_states(&world, &mut states, &machine.notes());
            for step in 0..numbers.below(9) as u64 {
                let before = machine.notes();
                let paths = any_step(&world, &before, step, &mut numbers);
                let now = machine.notes();
                concerned.extend(paths);
                note_states(&world, &mut states, &now);
                if numbers.below(6) == 0 {
                    world.app.flush().expect("it settles");
                    for path in std::mem::take(&mut concerned) {
                        states.insert(path.to_owned(), BTreeSet::from([now.get(path).cloned()]));
                    }
                }
            }
            // Nobody looked after the last edit by hand, so the log does not know it: it is recorded before the power fails.
            world.scan();
            let (expected, versions) = (machine.notes(), world.log("").len());
            // A path whose newest version is by hand is nobody's to put back.
            let unflushed: BTreeSet<u64> = machine.unflushed().into_iter().collect();
            for path in &concerned {
                let newest =
                    world.log(path).into_iter().find(|version| version.path.as_deref() == Some(path));
                let place = newest.as_ref().map(|version| version.seq);
                if expected.contains_key(*path) && !place.is_some_and(|seq| unflushed.contains(&seq)) {
                    continue;
                }
                let may: Vec<_> = states[*path].iter().collect();
                let falls_to = may[numbers.below(may.len())];
                set(&world, path, falls_to.as_ref().map(|bytes| std::str::from_utf8(bytes).expect("text")));
            }
            stops(world);
            world = machine.boot();
            assert_eq!(world.scan(), 0, "seed {seed}: nothing is news");
            assert_eq!(machine.notes(), expected, "seed {seed}");
            assert_eq!(world.log("").len(), versions, "seed {seed}");
            assert_eq!(machine.unflushed(), [0; 0], "seed {seed}");
            world.verify();
        }
    }
}

#[test]
fn a_thread_moves_what_was_committed_into_the_database() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut options = options_of(directory.path(), 0);
    options.flushing = Flushing::IN_BACKGROUND;
    let world = World::over(options);
    world.add("notes");
    let database = directory.path().join("data/retrace.db");
    let size = || std::fs::metadata(&database).expect("a database").len();
    let before = size();
    // Fewer pages than a commit moves by itself.
    for number in 0..60 {
        world.record(&format!("{number}.md"), format!("note {number}"));
    }
    let begun = Instant::now();
    while size() == before {
        assert!(begun.elapsed() < LIMIT, "nothing was moved");
        std::thread::yield_now();
    }
    world.verify();
}
