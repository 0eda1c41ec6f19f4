//! Whoever writes: what stands there unrecorded is in the log before it is displaced, and what is answered as failed was not done.
//!
//! One table of all writers. Each is killed at every step while an edit by hand stands that nobody recorded, and while one comes
//! right before a file is displaced, after everything was compared; fails at every step, alone and from there on; and meets a full
//! disk below the log. `RETRACE_RUNS=1000` kills each that often at a step by chance.

use crate::bad_days::while_somebody_reads;
use crate::mounts;
use crate::scenes::{SECRET, recorded};
use base64::Engine as _;
use retrace_api::{FileStep, commands, wire};
use retrace_model::Sha256;
use retrace_tests::api::StoreApi;
use retrace_tests::trap::{Spring, Trap};
use retrace_tests::tree::{self, Tree};
use retrace_tests::{World, child, options, options_of};
use serde_json::{Value, json};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use tempfile::TempDir;
use wire::Code;

/// More steps than any writer has.
const MAX_STEPS: u64 = 500;

/// Text that somebody wrote by hand and nobody recorded.
const BY_HAND: &str = "- [B](b.md)\n- two lines\nby hand\n";

type Answer = Result<(), wire::ApiError>;

/// Somebody who writes files of a store.
struct Writer {
    name: &'static str,
    prepare: fn(&World),
    /// Text written by hand before.
    edited: &'static str,
    act: fn(&World) -> Answer,
}

const WRITERS: [Writer; 25] = [
    Writer { name: "tool-create", prepare: files, edited: "b.md", act: tool_create },
    Writer { name: "tool-replace", prepare: files, edited: "a.md", act: tool_replace },
    Writer { name: "tool-insert", prepare: files, edited: "a.md", act: tool_insert },
    Writer { name: "tool-delete", prepare: files, edited: "a.md", act: tool_delete },
    Writer { name: "tool-delete-directory", prepare: files, edited: "d/c.md", act: tool_delete_directory },
    Writer { name: "tool-rename", prepare: files, edited: "a.md", act: tool_rename },
    Writer { name: "tool-rename-directory", prepare: files, edited: "d/c.md", act: tool_rename_directory },
    Writer { name: "api-create", prepare: shared, edited: "b.md", act: api_create },
    Writer { name: "api-update", prepare: shared, edited: "a.md", act: api_update },
    Writer { name: "api-move", prepare: shared, edited: "a.md", act: api_move },
    Writer { name: "api-delete", prepare: shared, edited: "d/c.md", act: api_delete },
    Writer { name: "legacy-write", prepare: shared, edited: "a.md", act: legacy_write },
    Writer { name: "legacy-edit", prepare: shared, edited: "a.md", act: legacy_edit },
    Writer { name: "legacy-delete", prepare: shared, edited: "a.md", act: legacy_delete },
    Writer { name: "mounted-update", prepare: mounted, edited: "a.md", act: mounted_update },
    Writer { name: "mount", prepare: to_mount, edited: "a.md", act: mount },
    Writer { name: "rollback", prepare: files, edited: "a.md", act: roll_back },
    Writer { name: "restore", prepare: files, edited: "a.md", act: restore },
    Writer { name: "undo", prepare: restored, edited: "a.md", act: undo },
    Writer { name: "reject", prepare: left_to_review, edited: "a.md", act: reject },
    Writer { name: "edit", prepare: left_to_review, edited: "a.md", act: edit },
    Writer { name: "move-entry", prepare: files, edited: "MEMORY.md", act: move_entry },
    Writer { name: "expire", prepare: files, edited: "b.md", act: expire },
    Writer { name: "accept", prepare: dreamt, edited: "a.md", act: accept },
    Writer { name: "redact", prepare: with_secrets, edited: "a.md", act: redact },
];

fn files(world: &World) {
    world.write("MEMORY.md", "# Memory\n\n- [B](b.md)\n- a fact\n  with more\n");
    world.write("a.md", "one\n");
    world.write("b.md", "about b\n");
    world.write("d/c.md", "about c\n");
    world.scan();
    world.record("a.md", "- two lines\ntwo\n");
}

fn shared(world: &World) {
    files(world);
    let request = wire::ShareStoreReq { store: "notes".to_owned(), shared: true };
    commands::share_store(&world.app, request).expect("it is shown");
}

fn to_mount(world: &World) {
    files(world);
    let api = StoreApi::of(&world.app);
    let store = api.store("served");
    api.create(&store, "/a.md", "one\n");
    api.create(&store, "/deep/b.md", "two\n");
}

fn mount(world: &World) -> Answer {
    let directory = Some(world.path("served").to_string_lossy().into_owned());
    let request = wire::MountStoreReq { store: "served".to_owned(), directory };
    commands::mount_store(&world.app, request).map(drop)
}

fn mounted(world: &World) {
    let api = StoreApi::of(&world.app);
    let store = api.store("served");
    api.create(&store, "/a.md", "one\n");
    mount(world).expect("it is mounted");
}

fn restored(world: &World) {
    files(world);
    restore(world).expect("it works");
}

fn left_to_review(world: &World) {
    world.record("a.md", "one\n");
    let up_to = world.log("a.md").remove(0).id;
    let request = wire::ReviewUpToReq { up_to, ..wire::ReviewUpToReq::default() };
    commands::review_up_to(&world.app, request).expect("it is reviewed");
    world.record("a.md", "- two lines\ntwo\n");
}

fn dreamt(world: &World) {
    files(world);
    world.add("dream");
    std::fs::write(world.path("dream/a.md"), "dreamt\n").expect("a file");
    std::fs::write(world.path("dream/new.md"), "new\n").expect("a file");
    world.scan();
}

fn with_secrets(world: &World) {
    files(world);
    world.record("keys.md", format!("key {SECRET}\n"));
    world.record("more.md", format!("also {SECRET}\n"));
}

fn call_tool(world: &World, input: Value) -> Answer {
    let request = wire::MemoryToolReq {
        store: Some("notes".to_owned()),
        session: Some("sesn_writer".to_owned()),
        prompt: Some("what was asked".to_owned()),
        input,
        ..wire::MemoryToolReq::default()
    };
    let answer = commands::memory_tool(&world.app, request)?;
    if answer.is_error { Err(refused(Code::Internal, &answer.content)) } else { Ok(()) }
}

fn refused(code: Code, message: &str) -> wire::ApiError {
    wire::ApiError {
        code,
        message: retrace_api::wire::Message::verbatim(message),
        hint: retrace_api::wire::Message::default(),
        subject: String::new(),
    }
}

fn tool_create(world: &World) -> Answer {
    call_tool(world, json!({ "command": "create", "path": "/memories/new/x.md", "file_text": "new\n" }))
}

fn tool_replace(world: &World) -> Answer {
    let edit =
        json!({ "command": "str_replace", "path": "/memories/a.md", "old_str": "- two", "new_str": "2" });
    call_tool(world, edit)
}

fn tool_insert(world: &World) -> Answer {
    let edit =
        json!({ "command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": "0\n" });
    call_tool(world, edit)
}

fn tool_delete(world: &World) -> Answer {
    call_tool(world, json!({ "command": "delete", "path": "/memories/a.md" }))
}

fn tool_delete_directory(world: &World) -> Answer {
    call_tool(world, json!({ "command": "delete", "path": "/memories/d" }))
}

fn tool_rename(world: &World) -> Answer {
    call_tool(
        world,
        json!({ "command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/e/f.md" }),
    )
}

fn tool_rename_directory(world: &World) -> Answer {
    call_tool(world, json!({ "command": "rename", "old_path": "/memories/d", "new_path": "/memories/e" }))
}

/// Calls the API of a store by the name of the store; `path` names a memory whose id takes the place of `{}`.
fn call_api(world: &World, store: &str, method: &str, path: Option<&str>, body: &Value) -> Answer {
    let stores = commands::stores(&world.app, wire::Nothing {})?.stores;
    let id = stores.into_iter().find(|row| row.name == store).expect("the store").id;
    let api = StoreApi::legacy(&world.app);
    let mut url = format!("/v1/memory_stores/{id}/memories");
    if let Some(path) = path {
        let (status, page) = api.call("GET", &format!("{url}?limit=100"), &Value::Null);
        assert_eq!(status, 200, "{page}");
        let memories = page["data"].as_array().expect("memories");
        match memories.iter().find(|memory| memory["path"] == path) {
            Some(memory) => url = format!("{url}/{}", memory["id"].as_str().expect("an id")),
            None => url = format!("/v1/memory_stores/{id}/tools/{path}"),
        }
    }
    let (status, answer) = api.call(method, &url, body);
    if status == 200 && answer["is_error"] != true {
        return Ok(());
    }
    let stated =
        answer["error"]["message"].as_str().unwrap_or_else(|| answer["content"].as_str().unwrap_or(""));
    let code = if stated.contains("is not recorded") { Code::NotRecorded } else { Code::Internal };
    Err(refused(code, stated))
}

fn api_create(world: &World) -> Answer {
    call_api(world, "notes", "POST", None, &json!({ "path": "/new/x.md", "content": "new\n" }))
}

fn api_update(world: &World) -> Answer {
    call_api(world, "notes", "POST", Some("/a.md"), &json!({ "content": "by the API\n" }))
}

fn api_move(world: &World) -> Answer {
    let body = json!({ "content": "by the API\n", "path": "/e/f.md" });
    call_api(world, "notes", "POST", Some("/a.md"), &body)
}

fn api_delete(world: &World) -> Answer {
    call_api(world, "notes", "DELETE", Some("/d/c.md"), &Value::Null)
}

fn legacy_write(world: &World) -> Answer {
    let body = json!({ "input": { "path": "/a.md", "content": "by a tool\n" } });
    call_api(world, "notes", "POST", Some("memory_write"), &body)
}

fn legacy_edit(world: &World) -> Answer {
    let body = json!({ "input": { "path": "/a.md", "old_str": "- two", "new_str": "2" } });
    call_api(world, "notes", "POST", Some("memory_edit"), &body)
}

fn legacy_delete(world: &World) -> Answer {
    call_api(world, "notes", "POST", Some("memory_delete"), &json!({ "input": { "path": "/a.md" } }))
}

fn mounted_update(world: &World) -> Answer {
    call_api(world, "served", "POST", Some("/a.md"), &json!({ "content": "by the API\n" }))
}

/// An act with conflicts is answered as not done.
#[expect(clippy::needless_pass_by_value, reason = "it is handed to `and_then`")]
fn done(result: wire::ActResult) -> Answer {
    result.conflict_error().map_or(Ok(()), Err)
}

fn roll_back(world: &World) -> Answer {
    let first =
        world.log("a.md").into_iter().rev().find(|row| row.operation == "created").expect("a version");
    world.rollback("a.md", &first).and_then(done)
}

fn restore(world: &World) -> Answer {
    let first = world.log("").pop().expect("a first version").operation_seq;
    let request =
        wire::RestoreReq { store: "notes".to_owned(), at: first.to_string(), ..wire::RestoreReq::default() };
    commands::restore(&world.app, request).and_then(done)
}

fn undo(world: &World) -> Answer {
    let restores = world.log("").into_iter().filter(|version| version.source == "restore");
    let operation_seq = restores.map(|version| version.operation_seq).max();
    commands::undo(&world.app, wire::UndoReq { operation_seq, dry_run: false }).and_then(done)
}

fn review(world: &World, verdict: &str, text: Option<&str>) -> Answer {
    let request = wire::ReviewReq {
        versions: vec![world.log("a.md").remove(0).id],
        verdict: verdict.to_owned(),
        text: text.map(str::to_owned),
        ..wire::ReviewReq::default()
    };
    commands::review(&world.app, request).and_then(|reviewed| reviewed.act.map_or(Ok(()), done))
}

fn reject(world: &World) -> Answer {
    review(world, "reject", None)
}

fn edit(world: &World) -> Answer {
    review(world, "approve", Some("as it should be\n"))
}

fn move_entry(world: &World) -> Answer {
    let request = wire::MoveEntryReq {
        store: "notes".to_owned(),
        path: "MEMORY.md".to_owned(),
        line: line_of(world),
        to: "facts.md".to_owned(),
        ..wire::MoveEntryReq::default()
    };
    commands::move_entry(&world.app, request).and_then(done)
}

/// The first item of the index.
fn line_of(world: &World) -> u32 {
    let index = world.read("MEMORY.md").unwrap_or_default();
    let line = index.lines().position(|line| line.starts_with("- ")).unwrap_or_default();
    u32::try_from(line + 1).expect("a small number")
}

fn expire(world: &World) -> Answer {
    let memory = |path: &str| wire::ExpireMemory { path: path.to_owned(), expect: None };
    let memories = vec![memory("a.md"), memory("b.md")];
    let request = wire::ExpireReq { store: "notes".to_owned(), memories, dry_run: false };
    commands::expire(&world.app, request).and_then(done)
}

fn accept(world: &World) -> Answer {
    let request = wire::AcceptMemoriesReq {
        from: "dream".to_owned(),
        into: "notes".to_owned(),
        ..wire::AcceptMemoriesReq::default()
    };
    commands::accept_memories(&world.app, request).and_then(done)
}

fn redact(world: &World) -> Answer {
    let request = wire::RedactReq {
        secret_base64: Some(base64::engine::general_purpose::STANDARD.encode(SECRET)),
        live: true,
        ..wire::RedactReq::default()
    };
    commands::redact(&world.app, request).and_then(done)
}

/// A writer with everything as it is before it writes.
struct Stage {
    writer: &'static Writer,
    directory: TempDir,
    data: Tree,
    live: [Option<Tree>; 3],
    by_hand: bool,
}

/// Every directory of a writer that may be a store's.
const PLACES: [&str; 3] = ["notes", "served", "dream"];

impl Stage {
    fn new(writer: &'static Writer, by_hand: bool) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let world = World::over(options(directory.path()));
        world.add("notes");
        (writer.prepare)(&world);
        if by_hand {
            edit_by_hand(&world, writer);
        }
        drop(world);
        let live = visible_in(directory.path());
        let data = tree::read(&directory.path().join("data"));
        Self { writer, directory, data, live, by_hand }
    }

    fn reset(&self) {
        // It may not be there.
        drop(std::fs::remove_file(self.mark()));
        tree::write(&self.directory.path().join("data"), &self.data);
        for (place, live) in PLACES.iter().zip(&self.live) {
            let at = self.directory.path().join(place);
            match live {
                Some(live) => tree::write(&at, live),
                None => drop(std::fs::remove_dir_all(&at)),
            }
        }
    }

    /// Whether somebody wrote by hand: before the writer began, or meanwhile.
    fn was_edited(&self) -> bool {
        self.by_hand || self.mark().exists()
    }

    /// Says that somebody wrote by hand meanwhile.
    fn mark(&self) -> PathBuf {
        mark_in(self.directory.path())
    }

    /// Whether the edit by hand lies beside its file, as what a writer displaced.
    fn is_displaced(&self) -> bool {
        let places = PLACES.map(|place| self.directory.path().join(place));
        let files = places.iter().filter(|place| place.exists()).flat_map(|place| tree::read(place));
        files.into_iter().any(|(path, content)| path.contains(".retrace-") && content == BY_HAND.as_bytes())
    }

    fn world(&self, process: u64) -> World {
        World::over(options_of(self.directory.path(), process))
    }

    /// Every former content is on the disk or in the log.
    fn nothing_is_lost(&self, world: &World, when: &str) {
        world.scan();
        let name = self.writer.name;
        let known = recorded(world);
        for (path, content) in self.live.iter().flatten().flatten() {
            let hash = Sha256::of(content).to_hex();
            let secret = String::from_utf8_lossy(content).contains(SECRET);
            assert!(secret || known.contains(&hash), "{name}, {when}: what stood at {path} is lost");
        }
        let hash = Sha256::of(BY_HAND.as_bytes()).to_hex();
        assert!(!self.was_edited() || known.contains(&hash), "{name}, {when}: the edit by hand is lost");
        for place in PLACES {
            // A directory that was to be mounted is nobody's until it is.
            if self.writer.name == "mount" || !world.path(place).exists() {
                continue;
            }
            // What the writer brought and nobody ever saw stands at no path of the log, so a scan leaves it where it is.
            let brought = |content: &[u8]| !recorded(world).contains(&Sha256::of(content).to_hex());
            let left = tree::read(&world.path(place)).into_iter();
            let left = left.filter(|(path, content)| path.contains(".retrace-") && !brought(content));
            assert_eq!(
                left.map(|(path, _)| path).collect::<Vec<_>>(),
                Vec::<String>::new(),
                "{name}, {when}"
            );
        }
        assert_eq!(world.scan(), 0, "{name}, {when}: the log says what the disk says");
        world.verify();
    }
}

fn edit_by_hand(world: &World, writer: &Writer) {
    std::fs::write(edited_in(&world.path(""), writer), BY_HAND).expect("a file");
}

/// The file that is edited by hand.
fn edited_in(directory: &Path, writer: &Writer) -> PathBuf {
    let place = if writer.name.starts_with("mounted") { "served" } else { "notes" };
    directory.join(place).join(writer.edited)
}

fn mark_in(directory: &Path) -> PathBuf {
    directory.join("edited-meanwhile")
}

/// Files in every place, hidden files of acts left out.
fn visible_in(directory: &Path) -> [Option<Tree>; 3] {
    PLACES.map(|place| {
        let at = directory.join(place);
        at.exists().then(|| {
            tree::read(&at).into_iter().filter(|(path, _)| !path.contains(".retrace-")).collect::<Tree>()
        })
    })
}

/// The same, where a directory that is empty is as good as none.
fn contents(live: &[Option<Tree>; 3]) -> Vec<Tree> {
    live.iter().map(|tree| tree.clone().unwrap_or_default()).collect()
}

/// Nobody displaces a file but by the way that commits what stood there first; what puts files back after a power failure writes over
/// contents that the log has.
#[test]
fn there_is_no_other_way() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut all = Tree::new();
    for name in retrace_tests::api_crates() {
        let files = tree::read(&sources.join(name).join("src"));
        all.extend(files.into_iter().map(|(path, source)| (format!("{name}/{path}"), source)));
    }
    // Settings of an agent hold no memory: a guard replaces them with the hash it read, and the log keeps what it put in.
    let allowed =
        ["retrace-engine/live_files.rs", "retrace-engine/flush/recovery.rs", "retrace-adherence/guard.rs"];
    for (path, source) in all {
        let source = String::from_utf8_lossy(&source);
        let displaces = ["root.replace", "root.delete(", "root.create_private(", "root.replace_private("];
        let found = displaces.iter().any(|call| source.contains(call));
        assert!(!found || allowed.contains(&path.as_str()), "{path} writes files by itself");
    }
}

/// Not a test of its own: a writer that is killed, told by its environment.
#[test]
fn one_that_is_killed() {
    let Some((task, directory)) = child::task() else { return };
    let (name, numbers) = task.split_once(' ').expect("words");
    let numbers: Vec<u64> = numbers.split(' ').map(|number| number.parse().expect("a number")).collect();
    let (step, displacing) = (numbers[0], numbers[1]);
    let writer = WRITERS.iter().find(|writer| writer.name == name).expect("a writer");
    let spring = Spring::Call(Box::new(|| {
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)
            .expect("a process may kill itself");
    }));
    let (edited, mark, seen) = (edited_in(&directory, writer), mark_in(&directory), AtomicU64::new(0));
    let own: Arc<OnceLock<Arc<Trap>>> = Arc::default();
    let counted = Arc::clone(&own);
    let trap = Trap::meanwhile(spring, move |now| {
        let displaces = matches!(now, FileStep::Exchange | FileStep::SetAside);
        // Nobody writes into a directory that the writer has deleted.
        if displaces
            && seen.fetch_add(1, Ordering::SeqCst) + 1 == displacing
            && std::fs::write(&edited, BY_HAND).is_ok()
        {
            std::fs::write(&mark, "").expect("a file");
            counted.get().expect("it is set").set(step);
        }
    });
    drop(own.set(Arc::clone(&trap)));
    let mut options = options_of(&directory, 2);
    options.faults = Arc::<Trap>::clone(&trap);
    let world = World::over(options);
    trap.set(if displacing == 0 { step } else { u64::MAX });
    // A writer that finds the edit may well leave it.
    drop((writer.act)(&world));
    trap.release();
}

/// Kills a writer at a step; `false` when it came to its end before.
fn killed(stage: &Stage, step: u64) -> bool {
    killed_after(stage, 0, step)
}

/// The same, where somebody writes by hand right before the `displacing`th time that the writer displaces a file, and steps are
/// counted from there on.
fn killed_after(stage: &Stage, displacing: u64, step: u64) -> bool {
    stage.reset();
    let task = format!("{} {step} {displacing}", stage.writer.name);
    let output = child::command("displacing::one_that_is_killed", &task, stage.directory.path()).output();
    let output = output.expect("a process");
    if !output.status.success() {
        let stated = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.signal(), Some(9), "{} ended otherwise: {stated}", stage.writer.name);
    }
    !output.status.success()
}

#[test]
fn an_edit_by_hand_survives_a_kill_at_every_step() {
    for writer in &WRITERS {
        let stage = Stage::new(writer, writer.name != "mount");
        let mut step = 1;
        while killed(&stage, step) {
            stage.nothing_is_lost(&stage.world(3), &format!("killed at step {step}"));
            step += 1;
            assert!(step < MAX_STEPS, "{} does not come to an end", writer.name);
        }
        assert!(step > 1, "{} passes no step", writer.name);
        stage.nothing_is_lost(&stage.world(3), "undisturbed");
    }
}

/// Writers that do nothing where they see an edit by hand meet one all the same when it comes after they looked.
#[test]
fn an_edit_that_comes_right_before_it_is_displaced_survives_a_kill_at_every_step() {
    let mut reached = Vec::new();
    for writer in WRITERS.iter().filter(|writer| writer.name != "mount") {
        let stage = Stage::new(writer, false);
        let (mut displaced, mut kills) = (0, 0);
        for displacing in 1..MAX_STEPS {
            let mut step = 1;
            while killed_after(&stage, displacing, step) {
                (displaced, kills) = (displaced + u64::from(stage.is_displaced()), kills + 1);
                let when =
                    format!("edited before displacing for the {displacing}. time, killed {step} steps later");
                stage.nothing_is_lost(&stage.world(3), &when);
                step += 1;
                assert!(step < MAX_STEPS, "{} does not come to an end", writer.name);
            }
            stage.nothing_is_lost(&stage.world(3), "undisturbed but for an edit");
            if step == 1 {
                break;
            }
        }
        println!("{:24} {kills} kills after an edit, {displaced} while it was displaced", writer.name);
        if displaced > 0 {
            reached.push(writer.name);
        }
    }
    for name in SEES_EDITS {
        assert!(reached.contains(&name), "{name} was never killed while the edit was displaced: {reached:?}");
    }
}

/// Writers that do nothing where they see an edit by hand.
const SEES_EDITS: [&str; 8] =
    ["rollback", "restore", "undo", "reject", "edit", "move-entry", "expire", "accept"];

/// `RETRACE_RUNS=1000 cargo test -p retrace-tests --test it displacing::by_chance -- --nocapture`; with `RETRACE_WRITERS="expire
/// accept"` those writers alone.
#[test]
fn by_chance() {
    let Some(runs) = std::env::var("RETRACE_RUNS").ok().and_then(|runs| runs.parse::<u64>().ok()) else {
        return;
    };
    let only = std::env::var("RETRACE_WRITERS").ok();
    let wanted = |name: &str| only.as_ref().is_none_or(|only| only.split_whitespace().any(|one| one == name));
    for writer in WRITERS.iter().filter(|writer| wanted(writer.name)) {
        let stage = Stage::new(writer, writer.name != "mount");
        let meanwhile = Stage::new(writer, false);
        // Every way to be killed: before which displacement somebody writes, none for an edit that stands from the beginning, and
        // how many steps after that.
        let mut ways = Vec::new();
        for displacing in 0..MAX_STEPS {
            let stage = if displacing == 0 { &stage } else { &meanwhile };
            let steps = (1..).take_while(|step| killed_after(stage, displacing, *step)).count() as u64;
            ways.extend((1..=steps).map(|step| (displacing, step)));
            if steps == 0 || writer.name == "mount" {
                break;
            }
        }
        let (mut kills, mut displaced, mut state) = (0, 0, 0x9e37_79b9_7f4a_7c15_u64);
        for run in 0..runs {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (displacing, step) = ways[usize::try_from((state >> 33) % ways.len() as u64).expect("few")];
            let stage = if displacing == 0 { &stage } else { &meanwhile };
            kills += u64::from(killed_after(stage, displacing, step));
            displaced += u64::from(stage.is_displaced());
            let when = format!("run {run}, edited before {displacing}, killed at step {step}");
            stage.nothing_is_lost(&stage.world(3), &when);
        }
        println!(
            "{:24} {runs} runs, {kills} killed in one of {} ways, {displaced} while the edit was displaced, nothing lost",
            writer.name,
            ways.len()
        );
    }
}

/// Fails a writer at every step in turn, until it comes to its end.
fn fail_everywhere(writer: &'static Writer, by_hand: bool, spring: fn() -> Spring, stays: bool) {
    let stage = Stage::new(writer, by_hand);
    for step in 1..MAX_STEPS {
        stage.reset();
        let trap = Trap::new(spring());
        let mut options = options_of(stage.directory.path(), 2);
        options.faults = Arc::<Trap>::clone(&trap);
        let world = World::over(options);
        trap.set(step);
        let answer = (writer.act)(&world);
        if !trap.release() {
            return;
        }
        let when = format!("failed at step {step} by hand {by_hand}, answered {answer:?}");
        let now = visible_in(stage.directory.path());
        let untouched = contents(&now) == contents(&stage.live);
        match &answer {
            Err(error) if error.code == Code::NotRecorded => {
                assert!(stays, "{}, {when}: one failure can be made good", writer.name);
            }
            Err(_) => assert!(untouched, "{}, {when}: it was done", writer.name),
            Ok(()) => {}
        }
        if answer.is_err() && untouched && !stage.by_hand {
            drop(world);
            let again = (writer.act)(&stage.world(3));
            assert!(again.is_ok(), "{}, {when}: repeated, it answered {again:?}", writer.name);
        }
        stage.nothing_is_lost(&stage.world(4), &when);
    }
    panic!("{} does not come to an end", writer.name);
}

#[test]
fn what_is_answered_as_failed_was_not_done() {
    for writer in WRITERS.iter().filter(|writer| writer.name != "redact") {
        fail_everywhere(writer, false, || Spring::Fail, false);
        if writer.name != "mount" {
            fail_everywhere(writer, true, || Spring::Fail, false);
        }
    }
}

#[test]
fn where_nothing_can_be_put_back_the_answer_says_so() {
    for writer in WRITERS.iter().filter(|writer| writer.name != "redact") {
        fail_everywhere(writer, false, || Spring::FailFromHere, true);
    }
}

#[test]
fn session_and_prompt_are_kept_by_the_call_that_is_repeated() {
    let stage = Stage::new(&WRITERS[1], false);
    let trap = Trap::new(Spring::Fail);
    let mut options = options_of(stage.directory.path(), 2);
    options.faults = Arc::<Trap>::clone(&trap);
    let world = World::over(options);
    for step in 1..MAX_STEPS {
        trap.set(step);
        let failed = tool_replace(&world).is_err();
        trap.release();
        if !failed {
            break;
        }
    }
    let newest = world.log("a.md").remove(0);
    let author = serde_json::to_value(&newest.created_by).expect("JSON");
    assert!(author.to_string().contains("sesn_writer"), "{author}");
    let request = wire::OriginReq { version: newest.id, ..wire::OriginReq::default() };
    let origin = commands::origin(&world.app, request).expect("an origin");
    assert!(format!("{origin:?}").contains("what was asked"), "{origin:?}");
}

#[test]
fn the_disk_of_the_log_is_full() {
    let Some(directory) = mounts::own("displacing::the_disk_of_the_log_is_full") else { return };
    for (at, writer) in WRITERS.iter().enumerate().filter(|(_, writer)| writer.name != "redact") {
        let place = directory.join(format!("{at}"));
        let (data, ballast) = (place.join("data"), place.join("data/ballast"));
        mounts::small(&data, 6 * 1024);
        let world = World::over(options(&place));
        world.add("notes");
        (writer.prepare)(&world);
        let by_hand = writer.name != "mount";
        if by_hand {
            edit_by_hand(&world, writer);
        }
        let live = contents(&visible_in(&place));
        // An older state that is being read keeps the write-ahead log from being used again from its start.
        while_somebody_reads(&place, || {
            mounts::fill(&ballast, 0);
            let answer = (writer.act)(&world);
            assert!(answer.is_err(), "{}: there was room", writer.name);
            let now = contents(&visible_in(&place));
            assert!(now == live, "{}, answered {answer:?}: it was done", writer.name);
            std::fs::remove_file(&ballast).expect("it was there");
        });
        drop((writer.act)(&world));
        world.scan();
        let known = recorded(&world);
        let hash = Sha256::of(BY_HAND.as_bytes()).to_hex();
        assert!(!by_hand || known.contains(&hash), "{}: the edit is lost", writer.name);
        assert_eq!(world.scan(), 0, "{}", writer.name);
    }
}
