//! An import is killed or stopped in its middle: the log is sound, and bringing the same in again gives what an undisturbed
//! import gives, nothing twice.

use crate::rebuilt::{Repository, Session};
use retrace_api::{AppOptions, commands, wire};
use retrace_tests::{World, child, options_of, tree};
use serde_json::json;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// Versions that an import brings in: enough that the database writes pages before it commits.
const VERSIONS: u64 = 600;

/// Lines of each file: contents that differ, of some kilobytes.
const LINES: u64 = 120;

/// Where an import is killed, in parts of the random values it draws, of this many.
const PARTS: u64 = 6;

/// A source of history.
#[derive(Clone, Copy)]
struct Source {
    name: &'static str,
    /// Prepares it below a directory; `false`, with the reason printed, where this machine cannot.
    prepare: fn(&World) -> bool,
    import: fn(&World) -> Result<wire::ImportResult, wire::ApiError>,
}

const GIT: Source = Source { name: "git", prepare: with_commits, import: import_git };
const TRANSCRIPTS: Source =
    Source { name: "transcripts", prepare: with_a_session, import: import_transcripts };

/// The text of a file after its `step`-th change.
fn text(step: u64) -> String {
    let line = |line: u64| {
        let changed = if line % 7 == step % 7 { step } else { 0 };
        let spread = (line + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (changed * 0x94d0_49bb);
        format!("- fact {line}: {spread:016x}\n")
    };
    (0..LINES).map(line).collect()
}

fn with_commits(world: &World) -> bool {
    let Some(git) = Repository::new(world.path("repository")) else { return false };
    git.fast_import((0..VERSIONS).map(|step| (format!("topic{}.md", step % 3), text(step))));
    true
}

fn with_a_session(world: &World) -> bool {
    let mut session = Session::new(world, "aaaa-1");
    session.asked("2026-11-10T10:00:00Z", "Keep notes.");
    for step in 0..VERSIONS {
        let file = world.path("notes").join(format!("topic{}.md", step % 3));
        let at = format!("2026-11-10T{:02}:{:02}:{:02}Z", 10 + step / 3600, step / 60 % 60, step % 60);
        let input = json!({"file_path": file.to_string_lossy(), "content": text(step)});
        session.call(&at, "Write", input, "done", serde_json::Value::Null);
    }
    session.save();
    true
}

fn import_git(world: &World) -> Result<wire::ImportResult, wire::ApiError> {
    let request = wire::ImportGitReq {
        directory: world.path("repository").to_string_lossy().into_owned(),
        store: Some("notes".to_owned()),
        job: Some(JOB.to_owned()),
        ..wire::ImportGitReq::default()
    };
    commands::import_git(&world.app, request)
}

fn import_transcripts(world: &World) -> Result<wire::ImportResult, wire::ApiError> {
    let request =
        wire::ImportTranscriptsReq { store: "notes".to_owned(), dry_run: false, job: Some(JOB.to_owned()) };
    commands::import_transcripts(&world.app, request)
}

/// Name of the imports of this file.
const JOB: &str = "bringing in";

/// Randomness that counts how often it is asked, and at the `at`-th time does something first.
fn counted(options: &mut AppOptions, at: u64, then: impl Fn() + Send + Sync + 'static) -> Arc<AtomicU64> {
    let asked = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&asked);
    let inner = Arc::clone(&options.entropy);
    options.entropy = Arc::new(move |bytes| {
        if counter.fetch_add(1, Ordering::SeqCst) + 1 == at {
            then();
        }
        inner(bytes);
    });
    asked
}

/// Not a test of its own: an import that kills its process, told by its environment.
#[test]
fn one_that_is_killed() {
    let Some((task, directory)) = child::task() else { return };
    let (name, at) = task.split_once(' ').expect("two words");
    let source = [GIT, TRANSCRIPTS].into_iter().find(|source| source.name == name).expect("a source");
    let mut options = options_of(&directory, 2);
    let at = at.parse().expect("a number");
    counted(&mut options, at, || {
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)
            .expect("a process may kill itself");
    });
    let world = World::over(options);
    (source.import)(&world).expect("undisturbed it works");
}

/// When, what, where, the content's hash, and why.
type Past = (String, String, String, Option<String>, Option<String>);

/// Past by the log: everything but when and as what it was brought in.
fn past(world: &World) -> Vec<Past> {
    let tell = |version: wire::Version| {
        let path = version.path.unwrap_or_default();
        let note = version.note.map(wire::Message::into_text);
        (version.created_at, version.operation.to_string(), path, version.content_sha256, note)
    };
    world.log("").into_iter().filter(|version| version.rebuilt).map(tell).collect()
}

fn kill_in_the_middle(source: Source) {
    let stage = tempfile::tempdir().expect("a temporary directory");
    let directory = stage.path();
    {
        let world = World::over(retrace_tests::options(directory));
        world.add("notes");
        world.record("observed.md", "observed\n");
        if !(source.prepare)(&world) {
            return;
        }
    }
    let before = tree::read(&directory.join("data"));
    let (undisturbed, asked) = {
        let mut options = options_of(directory, 2);
        let asked = counted(&mut options, 0, || ());
        let world = World::over(options);
        let done = (source.import)(&world).expect("an import");
        assert_eq!(done.versions, VERSIONS, "{:?}", done.warnings);
        (past(&world), asked.load(Ordering::SeqCst))
    };
    assert_eq!(undisturbed.len() as u64, VERSIONS);
    assert!(asked >= VERSIONS, "every version draws a value");
    for part in 0..=PARTS {
        tree::write(&directory.join("data"), &before);
        let at = (asked * part / PARTS).max(1);
        killed(source, at, directory);
        again(source, at, directory, &undisturbed);
    }
}

fn killed(source: Source, at: u64, directory: &Path) {
    let task = format!("{} {at}", source.name);
    let output = child::command("past_crashes::one_that_is_killed", &task, directory).output();
    let output = output.expect("a process");
    let stated = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.signal(), Some(9), "{} at {at} ended otherwise: {stated}", source.name);
}

/// An import that was cut off left nothing; the same again brings everything in, and once more nothing.
fn again(source: Source, at: u64, directory: &Path, undisturbed: &[Past]) {
    let when = format!("{} killed at {at}", source.name);
    let world = World::over(options_of(directory, 3));
    world.verify();
    assert_eq!(past(&world), [], "{when}: one operation is there or not");
    let done = (source.import)(&world).expect("an import");
    assert_eq!(done.versions, VERSIONS, "{when}");
    assert_eq!(past(&world), undisturbed, "{when}");
    let more = (source.import)(&world).expect("an import");
    assert_eq!((more.operation_seq, more.versions), (None, 0), "{when}: nothing twice");
    world.verify();
}

#[test]
fn while_bringing_in_what_git_kept() {
    kill_in_the_middle(GIT);
}

#[test]
fn while_bringing_in_what_transcripts_tell() {
    kill_in_the_middle(TRANSCRIPTS);
}

#[test]
fn an_import_that_is_stopped_leaves_nothing_and_says_how_far_it_was() {
    let slot: Arc<OnceLock<Weak<World>>> = Arc::default();
    let stop = Arc::clone(&slot);
    let world = Arc::new(World::with(|options| {
        counted(options, VERSIONS / 2, move || {
            if let Some(world) = stop.get().and_then(Weak::upgrade) {
                let asked = wire::JobRef { job: JOB.to_owned() };
                assert!(commands::cancel(&world.app, asked).expect("an answer").cancelled);
            }
        });
    }));
    if !with_a_session(&world) {
        return;
    }
    slot.set(Arc::downgrade(&world)).expect("it is set once");
    let events = world.app.subscribe();
    let stopped = import_transcripts(&world).expect_err("it is stopped");
    assert_eq!((stopped.code, stopped.subject.as_str()), (wire::Code::Invalid, JOB));
    assert_eq!(past(&world), []);
    let reported: Vec<(u64, Option<u64>)> = events
        .try_iter()
        .filter_map(|event| match event {
            wire::Event::Progress { task, done, total } if task == JOB => Some((done, total)),
            _ => None,
        })
        .collect();
    let half = |(done, total): &(u64, Option<u64>)| *total == Some(VERSIONS) && *done > 0;
    assert!(reported.iter().any(half) && reported.iter().all(|(done, _)| *done < VERSIONS), "{reported:?}");
    let done = import_transcripts(&world).expect("an import");
    assert_eq!(done.versions, VERSIONS, "it can be done again");
}
