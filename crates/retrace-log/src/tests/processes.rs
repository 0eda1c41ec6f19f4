//! Several processes on one log.

use super::harness::*;
use crate::*;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Names the directory a child process works in; unset in the test run itself.
pub(super) const CHILD: &str = "RETRACE_LOG_TEST_CHILD";

/// The directory this process was started to work in, when it is a child.
pub(super) fn child_directory() -> Option<std::path::PathBuf> {
    std::env::var_os(CHILD).map(Into::into)
}

/// Runs one test of this executable as a child process.
pub(super) fn child_command(test: &str, directory: &std::path::Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this executable"));
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(CHILD, directory);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// A child process that is ended with its value.
pub(super) struct Running(pub Child);

impl Running {
    /// Lines the child writes that begin with `mark`, without it. The test harness writes others.
    pub(super) fn lines(&mut self, mark: &'static str) -> impl Iterator<Item = String> + use<> {
        let out = BufReader::new(self.0.stdout.take().expect("the child's output"));
        let lines = out.lines().map_while(Result::ok);
        // The harness leaves its own words at the start of the line that the child's first words continue.
        lines.filter_map(move |line| line.split_once(mark).map(|(_, rest)| rest.to_owned()))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Fails only when it has ended already.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn two_writers_take_turns() {
    let mut log = TestLog::new();
    let mut other = Writer::open(log.files(), entropy(2)).expect("another writer");
    let store = log.store;
    for round in 0..20 {
        log.put("a.md", format!("a {round}"));
        other.append(scan(store, START, vec![put(store, "b.md", format!("b {round}"))])).expect("appends");
        let again = log.put("b.md", format!("b {round}"));
        assert_eq!(again.operation_seq, None, "what the other has appended is there already");
    }
    assert_eq!(log.versions().len(), 40);
    assert_eq!(log.version(40).number, 20);
    log.assert_sound();
}

#[test]
fn a_writer_in_the_way_is_waited_for_and_then_reported() {
    let mut log = TestLog::new();
    let mut other = Writer::open(log.files(), entropy(2)).expect("another writer");
    let store = log.store;
    {
        let mut act = other.begin().expect("a transaction");
        act.append(scan(store, START, vec![put(store, "a.md", "other")])).expect("appends");
        assert!(matches!(log.writer.begin().map(drop), Err(LogError::Busy)));
        let refused = log.writer.append(scan(store, START, vec![put(store, "a.md", "mine")]));
        assert!(matches!(refused, Err(LogError::Busy)));
        assert_eq!(log.versions().len(), 0, "reading goes on");
        act.commit().expect("commits");
    }
    log.put("a.md", "mine");
    assert_eq!([1, 2].map(|seq| log.text(seq)), ["other", "mine"]);
    log.assert_sound();
}

#[test]
fn a_patient_writer_gets_its_turn() {
    let mut log = TestLog::new();
    log.put("a.md", "one");
    let files = log.files().with_busy_wait(Duration::from_secs(60));
    let store = log.store;
    let (begun, reported) = std::sync::mpsc::channel();
    let act = log.writer.begin().expect("a transaction");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(move || {
            let mut other = Writer::open(files, entropy(2)).expect("opens while another writes");
            begun.send(()).expect("told");
            other.append(scan(store, START, vec![put(store, "a.md", "two")])).expect("appends when it may")
        });
        reported.recv().expect("it is about to wait");
        act.commit().expect("commits");
        assert_eq!(seqs(&waiting.join().expect("no panic").versions), [2]);
    });
    log.assert_sound();
}

#[test]
fn many_may_make_the_log_at_once() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().expect("a folder");
        let files = LogFiles::new(folder.path().join("data")).with_busy_wait(Duration::from_secs(60));
        let start = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            for number in 0..8u64 {
                let (files, start) = (files.clone(), &start);
                scope.spawn(move || {
                    start.wait();
                    let mut writer = Writer::open(files, entropy(number)).expect("opens");
                    add_store(&mut writer, &number.to_string());
                });
            }
        });
        let writer = Writer::open(files, entropy(9)).expect("opens");
        assert_eq!(writer.reader().stores().expect("stores").len(), 8);
        assert_eq!(writer.reader().verify().expect("verifies").problems, Vec::<String>::new());
    }
}

#[test]
fn a_snapshot_stays_while_others_append_redact_and_index() {
    let mut log = TestLog::new();
    log.put("a.md", "a secret");
    let connection = log.connection();
    connection
        .snapshot(|reader| -> Result<(), LogError> {
            let before = (reader.chain_head()?, reader.memories_at(log.store, None)?.len());
            log.put("b.md", "two");
            log.redact(&[1]);
            log.index();
            assert_eq!((reader.chain_head()?, reader.memories_at(log.store, None)?.len()), before);
            let version = reader.version(1)?;
            assert_eq!(reader.content(&version)?.expect("still there").bytes, b"a secret");
            Ok(())
        })
        .expect("reads");
    let after = connection.snapshot(|reader| reader.version(1)).expect("reads");
    assert!(after.redaction.is_some());
}

#[test]
fn a_reader_notices_that_others_wrote() {
    let mut log = TestLog::new();
    let connection = log.connection();
    let ask = || connection.snapshot(|reader| reader.data_version()).expect("asks");
    let before = ask();
    assert_eq!(ask(), before);
    log.put("a.md", "one");
    assert_ne!(ask(), before);
    let own = log.writer.reader().data_version().expect("asks");
    log.put("a.md", "two");
    assert_eq!(log.writer.reader().data_version().expect("asks"), own, "one's own writing does not count");
}

#[test]
fn a_reader_writes_nothing() {
    let log = TestLog::new();
    let connection = log.connection();
    let refused = connection
        .snapshot(|reader| Ok::<_, LogError>(reader.connection.execute("UPDATE stores SET paused = 1", [])?));
    assert!(matches!(refused, Err(LogError::CannotWrite(_))), "{refused:?}");
}

#[test]
fn one_process_records() {
    let log = TestLog::new();
    let files = log.files();
    assert_eq!(Lease::holder(&files), None);
    let lease = Lease::take(&files, 42).expect("asks").expect("nobody holds it");
    assert_eq!(Lease::holder(&files), Some(42));
    assert!(Lease::take(&files, 43).expect("asks").is_none());
    assert_eq!(Lease::holder(&files), Some(42));
    drop(lease);
    assert_eq!(Lease::holder(&files), None);
    let lease = Lease::take(&files, 7).expect("asks").expect("given back");
    assert_eq!(Lease::holder(&files), Some(7), "nothing is left of the longer number");
    std::fs::write(files.owner_lock(), "not a number").expect("writes");
    assert_eq!(Lease::holder(&files), Some(0));
    drop(lease);
}

#[test]
fn one_push_at_a_time_and_it_says_since_when() {
    let log = TestLog::new();
    let (files, since) = (log.files(), retrace_model::Timestamp::from_micros(START));
    assert_eq!(Lease::pusher(&files), None);
    let _recording = Lease::take(&files, 42).expect("asks").expect("nobody records");
    let lease = Lease::take_to_push(&files, 43, since).expect("asks").expect("recording is another lease");
    assert_eq!(Lease::pusher(&files), Some(Pusher { process: 43, since: Some(since) }));
    assert!(Lease::take_to_push(&files, 44, since).expect("asks").is_none());
    std::fs::write(files.push_lock(), "not a number").expect("writes");
    assert_eq!(Lease::pusher(&files), Some(Pusher { process: 0, since: None }));
    drop(lease);
    assert_eq!(Lease::pusher(&files), None);
    assert!(Lease::take_to_push(&files, 44, since).expect("asks").is_some());
}

#[test]
fn those_who_ask_who_records_do_not_keep_anybody_from_it() {
    let log = TestLog::new();
    let files = log.files();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    assert!(Lease::holder(&files).is_none_or(|process| process < 2));
                }
            });
        }
        let refused = (0..500).filter(|_| Lease::take(&files, 1).expect("asks").is_none()).count();
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(refused, 0);
    });
}

/// Not a test of its own: what the child of the next one does.
#[test]
fn child_that_records() {
    let Some(directory) = child_directory() else { return };
    let files = LogFiles::new(directory);
    let _lease = Lease::take(&files, std::process::id()).expect("asks").expect("nobody holds it");
    println!("child: holds");
    // Until the parent ends it.
    drop(std::io::stdin().lines().next());
}

#[test]
fn the_lease_is_given_back_when_its_process_is_killed() {
    let log = TestLog::new();
    let files = log.files();
    let child =
        child_command("tests::processes::child_that_records", files.directory()).spawn().expect("a child");
    let mut child = Running(child);
    assert_eq!(child.lines("child: ").next().as_deref(), Some("holds"));
    assert_eq!(Lease::holder(&files), Some(child.0.id()));
    assert!(Lease::take(&files, 1).expect("asks").is_none());
    drop(child);
    assert_eq!(Lease::holder(&files), None);
    assert!(Lease::take(&files, 1).expect("asks").is_some());
}
