//! Real memory directories, played back with every change they went through. Skipped where they are not: the folder is
//! named by `RETRACE_SHARED_DATA`, or is `shared` beside the workspace.

use base64::Engine as _;
use retrace_api::{commands, wire};
use retrace_model::Sha256;
use retrace_tests::World;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Steps played in real time; the others are played at once, which takes no time.
const STEPS_IN_TIME: u64 = 12;

/// Time for which each content stands, which is promised to be recorded.
const STANDS: Duration = Duration::from_millis(300);

/// One change of a history.
pub(crate) struct Change {
    pub(crate) step: u64,
    /// `None` is a deletion.
    pub(crate) content: Option<Vec<u8>>,
    pub(crate) path: String,
    pub(crate) from: Option<String>,
}

#[derive(Clone, Copy, PartialEq)]
enum Manner {
    /// The file is truncated and written.
    InPlace,
    /// Another file is written and renamed over it.
    Atomic,
}

pub(crate) fn histories() -> Option<Vec<PathBuf>> {
    let shared = std::env::var_os("RETRACE_SHARED_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let folder =
        [shared.join("data/histories"), shared.join("histories")].into_iter().find(|folder| folder.is_dir());
    let Some(folder) = folder else {
        println!(
            "skipped: there are no histories below {} (RETRACE_SHARED_DATA names another place)",
            shared.display()
        );
        return None;
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();
    Some(files)
}

pub(crate) fn changes(history: &Path) -> Vec<Change> {
    let text = std::fs::read_to_string(history).expect("a history");
    text.lines()
        .map(|line| {
            let event: Value = serde_json::from_str(line).expect("a change");
            let words = |name: &str| event[name].as_str().map(str::to_owned);
            let content = match (words("op").as_deref(), words("base64")) {
                (Some("delete"), _) => None,
                (_, Some(base64)) => {
                    Some(base64::engine::general_purpose::STANDARD.decode(base64).expect("base64"))
                }
                _ => Some(words("text").expect("a content").into_bytes()),
            };
            Change {
                step: event["step"].as_u64().expect("a step"),
                content,
                path: words("path").expect("a path"),
                from: words("from").filter(|_| event["op"] == "rename"),
            }
        })
        .collect()
}

fn play(root: &Path, change: &Change, manner: Manner) {
    let target = root.join(&change.path);
    std::fs::create_dir_all(target.parent().expect("a parent")).expect("directories");
    if let Some(from) = &change.from {
        drop(std::fs::rename(root.join(from), &target));
    }
    match &change.content {
        None => drop(std::fs::remove_file(&target)),
        Some(content) if manner == Manner::InPlace => std::fs::write(&target, content).expect("a file"),
        Some(content) => {
            let name = target.file_name().expect("a name").to_string_lossy();
            let temporary = target.with_file_name(format!(".{name}.1.tmp"));
            std::fs::write(&temporary, content).expect("a file");
            std::fs::rename(&temporary, &target).expect("a rename");
        }
    }
}

/// Versions that must be recorded of each path, in order: hashes, `None` for a deletion. Writing what is there already
/// is no change.
fn expected(changes: &[Change]) -> BTreeMap<String, Vec<Option<String>>> {
    let mut expected: BTreeMap<String, Vec<Option<String>>> = BTreeMap::new();
    for change in changes {
        let states = expected.entry(change.path.clone()).or_default();
        let state = change.content.as_ref().map(|content| Sha256::of(content).to_hex());
        let before = states.last().cloned().flatten();
        if state != before {
            states.push(state);
        }
    }
    expected
}

fn recorded(world: &World, path: &str) -> Vec<Option<String>> {
    let mut states: Vec<Option<String>> = world
        .log(path)
        .into_iter()
        .filter(|version| version.path.as_deref() == Some(path))
        .map(|version| version.content_sha256)
        .collect();
    states.reverse();
    states
}

#[test]
fn every_content_that_stands_is_recorded_in_order() {
    let Some(files) = histories() else { return };
    for (file, manner) in files.iter().rev().take(2).zip([Manner::InPlace, Manner::Atomic]) {
        let world = World::new();
        let recording = world.app.record(&[]).expect("a recorder");
        let mut changes = changes(file);
        changes.retain(|change| change.step < STEPS_IN_TIME);
        let mut last = None;
        for change in &changes {
            if last.is_some_and(|last| last != change.step) {
                // Not waiting for something to happen: this is how long a content stands.
                std::thread::sleep(STANDS);
            }
            last = Some(change.step);
            play(&world.path("notes"), change, manner);
        }
        std::thread::sleep(STANDS);
        recording.stop();
        world.scan();
        for (path, states) in expected(&changes) {
            assert_eq!(recorded(&world, &path), states, "{}: {path}", file.display());
        }
    }
}

#[test]
fn without_a_pause_the_last_content_is_recorded() {
    let Some(files) = histories() else { return };
    for file in &files {
        for manner in [Manner::InPlace, Manner::Atomic] {
            let world = World::new();
            let recording = world.app.record(&[]).expect("a recorder");
            let changes = changes(file);
            changes.iter().for_each(|change| play(&world.path("notes"), change, manner));
            recording.stop();
            world.scan();
            let request = wire::MemoriesReq { store: "notes".to_owned(), ..wire::MemoriesReq::default() };
            let memories = commands::memories(&world.app, request).expect("memories").memories;
            let memories: BTreeMap<_, _> = memories
                .into_iter()
                .map(|memory| (memory.path.unwrap_or_default(), memory.content_sha256))
                .collect();
            let mut last = expected(&changes);
            last.retain(|_, states| states.last().is_some_and(Option::is_some));
            let last: BTreeMap<_, _> =
                last.into_iter().map(|(path, mut states)| (path, states.pop().flatten())).collect();
            assert_eq!(memories, last, "{}", file.display());
        }
    }
}
