//! A reference machine: thousands of random steps against a model that is a map. What the machine does to the disk is
//! predicted from the model alone; the log is only asked for the names of versions and memories.

use base64::Engine as _;
use retrace_api::{commands, wire};
use retrace_model::Sha256;
use retrace_tests::tree::{self, Tree};
use retrace_tests::{World, holds_bytes, options, options_of};
use std::collections::{BTreeMap, BTreeSet};
use tempfile::TempDir;

/// Steps of one run. A longer one, with other numbers:
/// `RETRACE_TEST_STEPS=20000 RETRACE_TEST_SEED=100 cargo test -p retrace-tests reference`.
const STEPS: usize = 700;

/// Steps between checks of everything.
const CHECK_EVERY: usize = 70;

const PATHS: [&str; 12] = [
    "MEMORY.md",
    "index.md",
    "notes.md",
    "a/one.md",
    "a/two.md",
    "a/deep/three.md",
    "b/one.md",
    "b/four.md",
    "c/deep/five.md",
    "c/six.md",
    "日本語/記憶.md",
    "with space.md",
];

const FOLDERS: [&str; 5] = ["a", "b", "c", "d", "a/deep"];

/// Numbers that look random and are the same each time (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).expect("below the limit")
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        if from.is_empty() { None } else { from.get(self.below(from.len())) }
    }
}

/// An act that may be undone: its operation, and the files before and after it.
struct Act {
    operation: u64,
    before: Tree,
    after: Tree,
}

struct Machine {
    random: Random,
    /// Before the directory: it is verified when it goes, which needs its files.
    world: Option<World>,
    directory: TempDir,
    /// Number of times the app was opened.
    processes: u64,
    /// The files as they must be.
    disk: Tree,
    /// The files as they were at the last scan or act; what differs is not recorded.
    recorded: Tree,
    /// Every content that must be readable, by path.
    kept: BTreeSet<(String, Vec<u8>)>,
    /// The files after each operation.
    states: BTreeMap<u64, Tree>,
    acts: Vec<Act>,
    /// Secrets that may be written, and those that were redacted.
    secrets: Vec<String>,
    redacted: Vec<String>,
    contents: u64,
    done: BTreeMap<&'static str, usize>,
}

impl Machine {
    fn new(seed: u64) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let world = World::over(options(directory.path()));
        world.add("notes");
        let mut machine = Self {
            random: Random(seed),
            directory,
            world: Some(world),
            processes: 0,
            disk: Tree::new(),
            recorded: Tree::new(),
            kept: BTreeSet::new(),
            states: BTreeMap::new(),
            acts: Vec::new(),
            secrets: (0..4).map(|number: usize| format!("sk_live_{number:04x}_f3b9c1d7e5")).collect(),
            redacted: Vec::new(),
            contents: 0,
            done: BTreeMap::new(),
        };
        machine.note_state();
        machine
    }

    fn world(&self) -> &World {
        self.world.as_ref().expect("the world is open")
    }

    fn step(&mut self) {
        let (name, step): (&'static str, fn(&mut Self)) = match self.random.below(100) {
            0..34 => ("write", Self::write),
            34..42 => ("delete", Self::delete),
            42..50 => ("rename", Self::rename),
            50..55 => ("rename folder", Self::rename_folder),
            55..72 => ("look", Self::scan),
            72..83 => ("rollback", Self::rollback),
            83..89 => ("restore", Self::restore),
            89..95 => ("undo", Self::undo),
            95..98 => ("redact", Self::redact),
            _ => ("reopen", Self::reopen),
        };
        *self.done.entry(name).or_default() += 1;
        step(self);
        assert_same(&tree::read(&self.world().path("notes")), &self.disk, &format!("the disk after {name}"));
    }

    fn content(&mut self) -> Vec<u8> {
        self.contents += 1;
        let number = self.contents;
        match self.random.below(20) {
            0 => Vec::new(),
            1 => vec![0, 159, 146, u8::try_from(number % 251).expect("a byte")],
            2 => format!("# {number}\n{}", "a longer memory, line after line\n".repeat(2000)).into_bytes(),
            3..6 => {
                let secret = self.random.pick(&self.secrets).cloned().unwrap_or_default();
                format!("# Keys {number}\nthe key is {secret}.\n").into_bytes()
            }
            // Equal contents in several places.
            6..9 => {
                self.random.pick(&[&b"same\n"[..], b"again\n"]).map_or_else(Vec::new, |same| same.to_vec())
            }
            _ => format!("# Note {number}\nremember {number}\n").into_bytes(),
        }
    }

    fn write(&mut self) {
        let path = (*self.random.pick(&PATHS).expect("paths")).to_owned();
        let content = self.content();
        self.world().write(&path, &content);
        self.disk.insert(path, content);
    }

    fn some_file(&mut self) -> Option<String> {
        let files: Vec<String> = self.disk.keys().cloned().collect();
        self.random.pick(&files).cloned()
    }

    fn delete(&mut self) {
        let Some(path) = self.some_file() else { return };
        self.world().remove(&path);
        self.disk.remove(&path);
    }

    fn rename(&mut self) {
        let Some(from) = self.some_file() else { return };
        let to = (*self.random.pick(&PATHS).expect("paths")).to_owned();
        let target = self.world().path("notes").join(&to);
        std::fs::create_dir_all(target.parent().expect("a parent")).expect("directories");
        std::fs::rename(self.world().path("notes").join(&from), target).expect("a rename");
        let content = self.disk.remove(&from).expect("it was there");
        self.disk.insert(to, content);
    }

    fn rename_folder(&mut self) {
        let folders: Vec<&str> = FOLDERS.to_vec();
        let from = *self.random.pick(&folders).expect("folders");
        let to = *self.random.pick(&folders).expect("folders");
        let notes = self.world().path("notes");
        let occupied = self.disk.keys().any(|path| path.starts_with(&format!("{to}/")));
        if occupied || to.starts_with(from) || from.starts_with(to) || !notes.join(from).is_dir() {
            return;
        }
        let target = notes.join(to);
        drop(std::fs::remove_dir_all(&target));
        std::fs::create_dir_all(target.parent().expect("a parent")).expect("directories");
        std::fs::rename(notes.join(from), target).expect("a rename");
        let (prefix, other) = (format!("{from}/"), format!("{to}/"));
        let moved: Vec<String> = self.disk.keys().filter(|path| path.starts_with(&prefix)).cloned().collect();
        for path in moved {
            let content = self.disk.remove(&path).expect("it was there");
            self.disk.insert(path.replacen(&prefix, &other, 1), content);
        }
    }

    fn scan(&mut self) {
        self.world().scan();
        self.all_is_recorded();
    }

    /// The log says what the disk says.
    fn all_is_recorded(&mut self) {
        self.recorded = self.disk.clone();
        self.kept.extend(self.disk.clone());
        self.note_state();
    }

    fn note_state(&mut self) {
        let cursor = self.world().cursor();
        self.states.insert(cursor, self.recorded.clone());
    }

    fn memories(&self) -> Vec<wire::Memory> {
        let request = wire::MemoriesReq { store: "notes".to_owned(), ..wire::MemoriesReq::default() };
        commands::memories(&self.world().app, request).expect("memories").memories
    }

    fn rollback(&mut self) {
        self.scan_perhaps();
        let path = (*self.random.pick(&PATHS).expect("paths")).to_owned();
        let versions = self.world().log(&path);
        let Some(version) = self.random.pick(&versions).cloned() else { return };
        let memories = self.memories();
        let path_of = |memory: &str| {
            memories.iter().find(|found| found.id == memory).and_then(|found| found.path.clone())
        };
        let at_path = memories.iter().find(|found| found.path.as_deref() == Some(&*path));
        let memory = at_path.map_or(&version.memory_id, |found| &found.id);
        let live = path_of(memory);
        let content = self.content_of(&version);
        let mut wanted = self.disk.clone();
        match (&content, &version.path) {
            _ if version.operation == "deleted" => {
                live.map(|live| wanted.remove(&live));
            }
            (Some(content), Some(target)) => {
                live.map(|live| wanted.remove(&live));
                wanted.insert(target.clone(), content.clone());
            }
            _ => {}
        }
        let foreign = version.memory_id != *memory && version.path.as_deref() != Some(&*path);
        match self.world().rollback(&path, &version) {
            Ok(result) => {
                assert!(!foreign && version.redacted_at.is_none(), "{path} to {version:?}: {result:?}");
                self.acted(&result, Some(wanted));
            }
            Err(error) if version.redacted_at.is_some() => {
                assert_eq!(error.code, wire::Code::ContentRedacted);
            }
            Err(error) => assert!(foreign, "{path} to {version:?}: {error:?}"),
        }
    }

    fn content_of(&self, version: &wire::Version) -> Option<Vec<u8>> {
        let sha256 = version.content_sha256.as_ref()?;
        self.kept
            .iter()
            .find(|(_, content)| Sha256::of(content).to_hex() == *sha256)
            .map(|(_, content)| content.clone())
    }

    fn restore(&mut self) {
        self.scan_perhaps();
        let seqs: Vec<u64> = self.states.keys().copied().collect();
        let seq = *self.random.pick(&seqs).expect("states");
        let request = wire::RestoreReq {
            store: "notes".to_owned(),
            at: seq.to_string(),
            ..wire::RestoreReq::default()
        };
        let preview = wire::RestoreReq { dry_run: true, ..request.clone() };
        let preview = commands::restore(&self.world().app, preview).expect("a preview");
        let result = commands::restore(&self.world().app, request).expect("a restore");
        assert_eq!(
            serde_json::json!([preview.writes, preview.deletes]),
            serde_json::json!([result.writes, result.deletes]),
            "preview equals act"
        );
        let state = self.states[&seq].clone();
        // A content that was redacted since stays as it is; the model cannot tell where that is after renames.
        let exact = !state.values().any(|content| self.was_redacted(content));
        let unrecorded = self.disk != self.recorded;
        assert_eq!(unrecorded, !result.conflicts.is_empty(), "unrecorded changes are conflicts: {result:?}");
        self.acted(&result, exact.then_some(state));
    }

    fn undo(&mut self) {
        self.scan_perhaps();
        let Some(number) = (!self.acts.is_empty()).then(|| self.random.below(self.acts.len())) else {
            return;
        };
        let act = &self.acts[number];
        let newest = self.world().cursor() == act.operation && self.disk == self.recorded;
        let exact = !act.before.values().any(|content| self.was_redacted(content));
        let mut wanted = self.disk.clone();
        for path in act.before.keys().chain(act.after.keys()) {
            if act.before.get(path) != act.after.get(path) {
                match act.before.get(path) {
                    Some(content) => wanted.insert(path.clone(), content.clone()),
                    None => wanted.remove(path),
                };
            }
        }
        let request = wire::UndoReq { operation_seq: Some(act.operation), dry_run: false };
        match commands::undo(&self.world().app, request) {
            Ok(result) => {
                assert!(!newest || !exact || result.conflicts.is_empty(), "the newest act: {result:?}");
                self.acted(&result, exact.then_some(wanted));
            }
            Err(error) => {
                assert_eq!(error.code, wire::Code::Invalid, "{error:?}");
                assert!(error.message.contains("undone already"), "{error:?}");
            }
        }
    }

    /// Takes in what an act did: all of `wanted`, or nothing because something stood in the way.
    fn acted(&mut self, result: &wire::ActResult, wanted: Option<Tree>) {
        let found = tree::read(&self.world().path("notes"));
        if !result.conflicts.is_empty() {
            assert_eq!((result.operation_seq, result.partial), (None, false), "{result:?}");
            assert_same(&found, &self.disk, &format!("a refused act changes nothing: {result:?}"));
            // A file in the way on the disk is recorded, with all else there.
            if result.conflicts.iter().any(|conflict| conflict.reason == wire::ConflictReason::Changed) {
                self.all_is_recorded();
            }
            return;
        }
        let before = std::mem::replace(&mut self.disk, wanted.unwrap_or_else(|| found.clone()));
        let recorded_before = self.recorded.clone();
        assert_same(&found, &self.disk, &format!("{result:?}"));
        let Some(operation) = result.operation_seq else {
            assert_same(&before, &self.disk, &format!("nothing was done: {result:?}"));
            return;
        };
        let changed: BTreeSet<&String> = before
            .keys()
            .chain(self.disk.keys())
            .filter(|path| before.get(*path) != self.disk.get(*path))
            .collect();
        for path in changed {
            match self.disk.get(path) {
                Some(content) => {
                    self.recorded.insert(path.clone(), content.clone());
                    self.kept.insert((path.clone(), content.clone()));
                }
                None => drop(self.recorded.remove(path)),
            }
        }
        if before == recorded_before {
            assert_same(&self.recorded, &self.disk, "the model knows all that was recorded");
            assert_eq!(self.world().scan(), 0, "the log says what the disk says after {result:?}");
        }
        self.acts.push(Act { operation, before, after: self.disk.clone() });
        self.note_state();
    }

    fn scan_perhaps(&mut self) {
        if self.random.below(4) != 0 {
            self.scan();
        }
    }

    fn was_redacted(&self, content: &[u8]) -> bool {
        let text = String::from_utf8_lossy(content);
        self.redacted.iter().any(|secret| text.contains(secret))
    }

    fn redact(&mut self) {
        let Some(secret) = self.random.pick(&self.secrets).cloned() else { return };
        let holds = |content: &Vec<u8>| String::from_utf8_lossy(content).contains(&*secret);
        let anywhere = self.disk.values().any(holds) || self.kept.iter().any(|(_, content)| holds(content));
        let request = wire::RedactReq {
            secret_base64: Some(base64::engine::general_purpose::STANDARD.encode(&secret)),
            live: true,
            ..wire::RedactReq::default()
        };
        match commands::redact(&self.world().app, request) {
            Ok(result) => {
                let receipt = result.receipt.expect("a receipt");
                assert_eq!((receipt.purge.as_str(), receipt.chain_verified), ("done", Some(true)));
                for place in receipt.places.iter().filter(|place| place.state != "out_of_reach") {
                    assert_eq!((place.state.as_str(), place.hits), ("clean", 0), "{}", place.place);
                }
            }
            Err(error) => {
                assert!(!anywhere, "{error:?}");
                assert_eq!(error.code, wire::Code::NotFound);
            }
        }
        self.kept.extend(self.disk.clone());
        self.kept.retain(|(_, content)| !holds(content));
        for content in self.disk.values_mut().filter(|content| holds(content)) {
            *content = String::from_utf8_lossy(content).replace(&*secret, "[redacted]").into_bytes();
        }
        self.secrets.retain(|other| *other != secret);
        let number = self.redacted.len() + 4;
        self.secrets.push(format!("sk_live_{number:04x}_f3b9c1d7e5"));
        self.redacted.push(secret);
        self.all_is_recorded();
    }

    fn reopen(&mut self) {
        self.world = None;
        self.processes += 1;
        self.world = Some(World::over(options_of(self.directory.path(), self.processes)));
    }

    /// Compares everything with the model.
    fn check(&mut self) {
        self.scan();
        let memories: BTreeMap<String, Option<String>> = self
            .memories()
            .into_iter()
            .filter_map(|memory| Some((memory.path?, memory.content_sha256)))
            .collect();
        let expected: BTreeMap<String, Option<String>> = self
            .disk
            .iter()
            .map(|(path, content)| (path.clone(), Some(Sha256::of(content).to_hex())))
            .collect();
        assert_eq!(memories, expected, "memories and disk");
        let mut readable = BTreeSet::new();
        let mut before = None;
        loop {
            let request = wire::LogReq { limit: Some(500), before, ..wire::LogReq::default() };
            let page = commands::log(&self.world().app, request).expect("the log").versions;
            before = page.last().map(|version| version.seq);
            if before.is_none() {
                break;
            }
            for version in page {
                let Some(sha256) = &version.content_sha256 else { continue };
                let request = wire::ShowReq { version: version.id.clone(), content: true };
                let shown = commands::show(&self.world().app, request).expect("readable");
                let content = match (shown.content, shown.content_base64) {
                    (Some(text), _) => text.into_bytes(),
                    (_, Some(text)) => {
                        base64::engine::general_purpose::STANDARD.decode(text).expect("base64")
                    }
                    _ => panic!("{} has no content", version.id),
                };
                assert_eq!(Sha256::of(&content).to_hex(), *sha256);
                readable.insert((version.path.expect("a kept version has a path"), content));
            }
        }
        let lost: Vec<_> = self.kept.difference(&readable).collect();
        assert!(lost.is_empty(), "not readable any more: {lost:?}");
        self.world().verify();
        for secret in &self.redacted {
            assert!(
                !holds_bytes(&self.directory.path().join("data"), secret.as_bytes()),
                "{secret} is still there"
            );
        }
    }
}

/// Says only where two trees differ; all of them is too much to read.
fn assert_same(found: &Tree, expected: &Tree, when: &str) {
    let text = |tree: &Tree, path: &String| {
        tree.get(path).map(|content| String::from_utf8_lossy(content).chars().take(60).collect::<String>())
    };
    let paths: BTreeSet<&String> = found.keys().chain(expected.keys()).collect();
    let different: Vec<_> = paths
        .into_iter()
        .filter(|path| found.get(*path) != expected.get(*path))
        .map(|path| (path, text(found, path), text(expected, path)))
        .collect();
    assert!(different.is_empty(), "found and expected: {different:?}; {when}");
}

fn run(seed: u64) {
    let given = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    let steps = given("RETRACE_TEST_STEPS").unwrap_or(STEPS);
    let mut machine = Machine::new(seed + given("RETRACE_TEST_SEED").unwrap_or(0) as u64);
    for number in 1..=steps {
        machine.step();
        if number % CHECK_EVERY == 0 {
            machine.check();
        }
    }
    machine.check();
    assert!(steps < STEPS || machine.done.len() == 10, "every sort of step was taken: {:?}", machine.done);
}

#[test]
fn the_first_seed() {
    run(1);
}

#[test]
fn the_second_seed() {
    run(2);
}

#[test]
fn the_third_seed() {
    run(3);
}
