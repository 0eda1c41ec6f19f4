//! Several `retrace memory-tool` programs and an agent within this process on one directory at once, with a recorder looking on:
//! each accepted call is one version with its session; the log is an order in which the calls, done one after the other, give
//! every content it has, so that none undid what it had not seen; and in the end it is what stands in the directory.

use retrace_api::wire::{ActorView, LogReq, MemoryToolReq, ScanReq, ShowReq, Version};
use retrace_api::{App, AppOptions, commands};
use retrace_sources::{Platform, Surroundings};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// Programs beside the agent within this process.
const PROGRAMS: u64 = 4;
/// Calls of each.
const CALLS: usize = 60;
/// Files they write, few enough that they meet.
const FILES: [&str; 6] = ["a.md", "b.md", "topics/c.md", "topics/d.md", "topics/deep/e.md", "f.md"];

/// Numbers that follow from a seed (SplitMix64).
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

fn options(folder: &Path) -> AppOptions {
    let mut options = AppOptions::for_this_machine(Some(folder.join("data"))).expect("options");
    options.surroundings = Surroundings::new(folder.join("home"), Platform::current());
    options
}

/// One who calls the tool and waits for its answer: whether it was accepted, and its text.
trait Agent {
    fn call(&mut self, input: &Value) -> (bool, String);
}

/// The command, in a process of its own.
struct Program(Child, BufReader<ChildStdout>);

impl Program {
    fn start(folder: &Path, session: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_retrace"))
            .args(["memory-tool", "--session", session, "--root"])
            .arg(folder.join("memories"))
            .env("RETRACE_DATA_DIR", folder.join("data"))
            .env("HOME", folder.join("home"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        Self(child, output)
    }

    fn end(mut self) {
        drop(self.0.stdin.take());
        assert!(self.0.wait().expect("it ends").success());
    }
}

impl Agent for Program {
    fn call(&mut self, input: &Value) -> (bool, String) {
        writeln!(self.0.stdin.as_mut().expect("its input"), "{input}").expect("it reads");
        let mut line = String::new();
        self.1.read_line(&mut line).expect("an answer");
        let answer: Value = serde_json::from_str(&line).expect("JSON");
        (answer["is_error"] == false, answer["content"].as_str().expect("a text").to_owned())
    }
}

/// The same within this process.
struct Within<'a> {
    app: &'a App,
    folder: &'a Path,
    session: String,
}

impl Agent for Within<'_> {
    fn call(&mut self, input: &Value) -> (bool, String) {
        let request = MemoryToolReq {
            root: Some(self.folder.join("memories").to_string_lossy().into_owned()),
            session: Some(self.session.clone()),
            input: input.clone(),
            ..MemoryToolReq::default()
        };
        let answer = commands::memory_tool(self.app, request).expect("an answer");
        let writes = input["command"] != "view";
        assert_eq!(answer.versions.len(), usize::from(writes && !answer.is_error), "{input} {answer:?}");
        (!answer.is_error, answer.content)
    }
}

/// The line of a view that stands for the state of a file.
fn state_in(view: &str) -> Option<&str> {
    view.lines().find_map(|line| line.find("state: ").map(|at| &line[at..]))
}

/// Calls at random; answers the accepted ones that write, in their order.
fn work(agent: &mut dyn Agent, session: &str, seed: u64) -> VecDeque<Value> {
    let (mut numbers, mut accepted) = (Numbers(seed), VecDeque::new());
    for call in 0..CALLS {
        let path = |at: usize| format!("/memories/{}", FILES[at]);
        let (one, other) = (path(numbers.below(FILES.len())), path(numbers.below(FILES.len())));
        let token = format!("{session}.{call}");
        let input = match numbers.below(10) {
            0 | 1 => json!({ "command": "create", "path": one, "file_text": format!("state: {token}\n") }),
            2 => json!({ "command": "rename", "old_path": one, "new_path": other }),
            3 => json!({ "command": "delete", "path": one }),
            4..=6 => {
                json!({ "command": "insert", "path": one, "insert_line": 0, "insert_text": format!("{token}\n") })
            }
            _ => {
                let (_, view) = agent.call(&json!({ "command": "view", "path": one }));
                let Some(state) = state_in(&view) else { continue };
                json!({ "command": "str_replace", "path": one, "old_str": state, "new_str": format!("state: {token}") })
            }
        };
        if agent.call(&input).0 {
            accepted.push_back(input);
        }
    }
    accepted
}

/// Does an accepted call to the files as they were before. What the file at the version's path has then; `None`: it is gone.
fn done(files: &mut BTreeMap<String, String>, input: &Value) -> (String, Option<String>) {
    let path = |name: &str| input[name].as_str().expect("a path").trim_start_matches("/memories/").to_owned();
    let text = |name: &str| input[name].as_str().expect("a text");
    let (path, content) = match text("command") {
        "create" => (path("path"), Some(text("file_text").to_owned())),
        "insert" => {
            let path = path("path");
            let content = format!("{}{}", text("insert_text"), files[&path]);
            (path, Some(content))
        }
        "str_replace" => {
            let path = path("path");
            let before = &files[&path];
            assert_eq!(before.matches(text("old_str")).count(), 1, "{input} on {before:?}");
            let content = before.replace(text("old_str"), text("new_str"));
            (path, Some(content))
        }
        "rename" => {
            let content = files.remove(&path("old_path")).expect("what was moved was there");
            (path("new_path"), Some(content))
        }
        _ => (path("path"), None),
    };
    match &content {
        Some(content) => drop(files.insert(path.clone(), content.clone())),
        None => drop(files.remove(&path).expect("what was deleted was there")),
    }
    (path, content)
}

/// Every version, oldest first.
fn whole_log(app: &App) -> Vec<Version> {
    let request = LogReq { limit: Some(1000), ..LogReq::default() };
    let mut versions = commands::log(app, request).expect("the log").versions;
    versions.reverse();
    versions
}

fn files_below(root: &Path, folder: &Path, into: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files_below(root, &path, into);
        } else {
            let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
            into.insert(name, std::fs::read_to_string(&path).expect("text"));
        }
    }
}

fn writers(seed: u64) {
    let directory = tempfile::tempdir().expect("a folder");
    let folder = directory.path();
    let app = App::open(options(folder)).expect("an app");
    let mut within = Within { app: &app, folder, session: "within".to_owned() };
    assert!(within.call(&json!({ "command": "view", "path": "/memories" })).0);
    let recording = app.record(&[]).expect("a recorder");
    let mut accepted: BTreeMap<String, VecDeque<Value>> = std::thread::scope(|scope| {
        let programs: Vec<_> = (0..PROGRAMS)
            .map(|number| {
                scope.spawn(move || {
                    let session = format!("program{number}");
                    let mut program = Program::start(folder, &session);
                    let accepted = work(&mut program, &session, seed * 100 + number);
                    program.end();
                    (session, accepted)
                })
            })
            .collect();
        let ours = (within.session.clone(), work(&mut within, "within", seed * 100 + PROGRAMS));
        programs.into_iter().map(|program| program.join().expect("it ends")).chain([ours]).collect()
    });
    recording.stop();

    let calls: usize = accepted.values().map(VecDeque::len).sum();
    let mut files = BTreeMap::new();
    let log = whole_log(&app);
    for version in &log {
        let Some(ActorView::SessionActor { session_id, evidence }) = &version.created_by else {
            unreachable!("a version of nobody's: {version:?}")
        };
        assert_eq!((&*version.source, &**evidence), ("tool", "stated"), "{version:?}");
        let next = accepted.get_mut(session_id).and_then(VecDeque::pop_front);
        let input = next.unwrap_or_else(|| unreachable!("no call made this version: {version:?}"));
        let (path, content) = done(&mut files, &input);
        assert_eq!(version.path.as_ref(), Some(&path), "{input}");
        assert_eq!(version.operation == "deleted", content.is_none(), "{input}");
        let show = ShowReq { version: version.id.clone(), content: true };
        let shown = commands::show(&app, show).expect("a version").content;
        assert_eq!(shown, content, "{input} as {version:?}");
    }
    assert_eq!(log.len(), calls, "each accepted call is one version");
    assert!(calls > 100, "{calls} calls are too few to meet");
    let mut found = BTreeMap::new();
    files_below(&folder.join("memories"), &folder.join("memories"), &mut found);
    assert_eq!(found, files, "the log is what stands in the directory");
    let scanned = commands::scan(&app, ScanReq::default()).expect("a scan");
    assert_eq!(scanned.stores.iter().map(|store| store.versions).sum::<u64>(), 0);
}

#[test]
fn writers_in_several_processes_lose_nothing_1() {
    writers(1);
}

#[test]
fn writers_in_several_processes_lose_nothing_2() {
    writers(2);
}

#[test]
fn writers_in_several_processes_lose_nothing_3() {
    writers(3);
}
