//! Several processes over one log: one records, another acts and looks, an editor writes meanwhile.

use retrace_api::{AppOptions, commands, wire};
use retrace_model::Sha256;
use retrace_sources::{Platform, Surroundings};
use retrace_tests::trap::{Spring, Trap};
use retrace_tests::{World, child, options_of};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdout};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

/// Longest wait of a test for something that must happen.
const LIMIT: Duration = Duration::from_secs(60);

/// Options with the real clock and real randomness, which processes share.
fn real_options(directory: &Path) -> AppOptions {
    let mut options = AppOptions::for_this_machine(Some(directory.join("data"))).expect("options");
    options.surroundings = Surroundings::new(directory.join("home"), Platform::current());
    options
}

/// Not a test of its own: records until its parent closes its input.
#[test]
fn one_that_records() {
    let Some((_, directory)) = child::task() else { return };
    let world = World::over(real_options(&directory));
    let recording = world.app.record(&[]).expect("a recorder");
    println!("recording");
    std::io::stdin().read_to_string(&mut String::new()).expect("the parent closes it");
    recording.stop();
}

/// A process that records.
struct Recorder {
    process: Child,
    /// Kept open, for a process that cannot say how it went fails.
    output: BufReader<ChildStdout>,
}

impl Recorder {
    fn start(world: &World) -> Self {
        let mut process = child::start("processes::one_that_records", "record", &world.path(""));
        let mut output = BufReader::new(process.stdout.take().expect("its output"));
        let mut line = String::new();
        while !line.ends_with("recording\n") {
            line.clear();
            assert!(output.read_line(&mut line).is_ok_and(|length| length > 0), "the recorder did not start");
        }
        Self { process, output }
    }

    fn stop(mut self) {
        drop(self.process.stdin.take());
        self.output.read_to_string(&mut String::new()).expect("its output");
        assert!(self.process.wait().expect("it ends").success());
    }

    fn kill(mut self) {
        self.process.kill().expect("it runs");
        self.process.wait().expect("it ends");
    }
}

fn contents(world: &World, path: &str) -> Vec<String> {
    let mut contents: Vec<String> =
        world.log(path).into_iter().map(|version| version.content_sha256.unwrap_or_default()).collect();
    contents.reverse();
    contents
}

fn wait_for(world: &World, events: &Receiver<wire::Event>, path: &str, content: &str) {
    let wanted = Sha256::of(content.as_bytes()).to_hex();
    while contents(world, path).last() != Some(&wanted) {
        events.recv_timeout(LIMIT).expect("it is recorded within the limit");
    }
}

/// Edits five files again and again, each time once the edit before is in the log. Every third round it scans itself.
fn edit(world: &World) -> BTreeMap<String, Vec<String>> {
    let events = world.app.subscribe();
    let mut written: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for round in 0..8 {
        let edits: Vec<(String, String)> =
            (0..5).map(|file| (format!("edited-{file}.md"), format!("round {round} of {file}\n"))).collect();
        for (path, content) in &edits {
            // Written in place, it could be recorded while it is empty still, when the machine is busy.
            world.write_by_rename(path, content);
            written.entry(path.clone()).or_default().push(Sha256::of(content.as_bytes()).to_hex());
        }
        if round % 3 == 0 {
            world.scan();
        }
        edits.iter().for_each(|(path, content)| wait_for(world, &events, path, content));
    }
    written
}

/// Puts files back and forth; answers how many versions that made.
fn act(world: &World) -> usize {
    let mut made = 0;
    for round in 0..12 {
        for file in 0..4 {
            let path = format!("acted-{file}.md");
            let versions = world.log(&path);
            let wanted = &versions[versions.len() - 1 - round % 2];
            let result = world.rollback(&path, wanted).expect("an answer");
            assert!(result.conflicts.is_empty(), "nobody else writes there: {:?}", result.conflicts);
            made += result.writes.len();
        }
        if round % 4 == 3 {
            let undone = commands::undo(&world.app, wire::UndoReq::default()).expect("an undo");
            assert!(undone.conflicts.is_empty(), "{:?}", undone.conflicts);
            made += undone.writes.len();
        }
    }
    made
}

#[test]
fn nothing_is_lost_and_nothing_is_recorded_twice() {
    let world = World::with(|options| *options = real_options(options.data_dir.parent().expect("the world")));
    for content in ["one\n", "two\n"] {
        for file in 0..4 {
            world.write(&format!("acted-{file}.md"), format!("{content}{file}\n"));
        }
        assert_eq!(world.scan(), 4);
    }
    let recorder = Recorder::start(&world);
    let editor = World::over(real_options(&world.path("")));
    let editing = std::thread::spawn(move || edit(&editor));
    let made = act(&world);
    let written = editing.join().expect("the editor ends");
    recorder.stop();
    assert_eq!(world.scan(), 0, "everything is recorded");
    for (path, contents_written) in written {
        assert_eq!(contents(&world, &path), contents_written, "{path}");
    }
    let mut acted = 0;
    for file in 0..4 {
        let versions = world.log(&format!("acted-{file}.md"));
        acted += versions.len() - 2;
        let seen_on_disk = versions.iter().filter(|version| version.source == "scan").count();
        assert_eq!(seen_on_disk, 2, "acts are not recorded a second time as seen: {versions:?}");
    }
    assert_eq!(acted, made);
}

#[test]
fn a_killed_recorder_leaves_the_lease_and_misses_nothing() {
    let world = World::with(|options| *options = real_options(options.data_dir.parent().expect("the world")));
    let events = world.app.subscribe();
    let recorder = Recorder::start(&world);
    world.write("a.md", "before\n");
    wait_for(&world, &events, "a.md", "before\n");
    let busy = world.app.record(&[]).map(drop).expect_err("another process records");
    assert_eq!(busy.code, wire::Code::Busy);
    recorder.kill();
    world.write("a.md", "while nobody records\n");
    let recording = world.app.record(&[]).expect("the lease is free");
    wait_for(&world, &events, "a.md", "while nobody records\n");
    recording.stop();
    assert_eq!(world.log("a.md").len(), 2);
}

/// Acts as another process while a scan has read the files and not recorded them yet; answers the world after it.
fn acted_meanwhile(meanwhile: fn(&World)) -> World {
    let world = World::new();
    world.record("a.md", "one\n");
    world.record("a.md", "two\n");
    world.record("b.md", "beside\n");
    let directory = world.path("");
    let calling = Trap::new(Spring::Call(Box::new(move || {
        meanwhile(&World::over(options_of(&directory, 1)));
    })));
    let mut options = options_of(&world.path(""), 2);
    options.faults = Arc::<Trap>::clone(&calling);
    let scanning = World::over(options);
    calling.set(1);
    scanning.scan();
    assert!(calling.release(), "the first step of a scan is after reading");
    assert_eq!(scanning.scan(), 0, "the log says what the disk says");
    world
}

#[test]
fn a_scan_does_not_record_what_an_act_replaced_meanwhile() {
    let world = acted_meanwhile(|other| {
        let first = other.log("a.md").pop().expect("a version");
        other.rollback("a.md", &first).expect("a rollback");
    });
    assert_eq!(world.read("a.md").as_deref(), Some("one\n"));
    assert_eq!(world.log("a.md").len(), 3);
}

#[test]
fn a_scan_does_not_record_what_an_act_deleted_meanwhile() {
    let world = acted_meanwhile(|other| {
        let created = other.log("b.md").pop().expect("a version").operation_seq;
        let request = wire::RollbackReq { operation_seq: Some(created), ..wire::RollbackReq::default() };
        commands::rollback(&other.app, request).expect("a rollback");
    });
    assert_eq!(world.read("b.md"), None);
    assert_eq!(world.log("b.md").len(), 2);
}

#[test]
fn a_scan_sees_what_was_edited_after_an_act_meanwhile() {
    let world = acted_meanwhile(|other| {
        let first = other.log("a.md").pop().expect("a version");
        other.rollback("a.md", &first).expect("a rollback");
        other.write("a.md", "three\n");
    });
    let contents: Vec<_> = contents(&world, "a.md");
    let expected = ["one\n", "two\n", "one\n", "three\n"].map(|text| Sha256::of(text.as_bytes()).to_hex());
    assert_eq!(contents, expected);
}

#[test]
fn two_scans_at_once_record_everything_once() {
    let world = acted_meanwhile(|other| {
        other.write("a.md", "three\n");
        other.write("new.md", "new\n");
        assert_eq!(other.scan(), 2);
    });
    assert_eq!((world.log("a.md").len(), world.log("new.md").len()), (3, 1));
}
