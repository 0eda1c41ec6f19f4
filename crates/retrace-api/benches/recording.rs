//! Cost of recording, measured through the same calls the program makes:
//!
//! - `latency`: from the last byte written until the version can be read, while 20 files change a second;
//! - `idle`: processor time and memory of a recorder over 20,000 files in which nothing happens;
//! - `scans`: the first scan of 10,000 files of 2 KB, against `git add` and `git commit` of the same tree, and a scan of the
//!   same files with nothing changed.
//!
//! `cargo bench -p retrace-api --bench recording [-- latency | idle | scans]`; Linux only, for it reads `/proc`.

#![allow(clippy::print_stdout, reason = "figures are printed")]

use retrace_api::{App, AppOptions, commands, wire};
use std::collections::HashMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Named in the environment of the process that only records.
const RECORD_IN: &str = "RETRACE_BENCH_RECORD_IN";

fn main() {
    if let Some(directory) = std::env::var_os(RECORD_IN) {
        record_until_stopped(Path::new(&directory));
        return;
    }
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let runs = |name: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
    if runs("scans") {
        scans();
    }
    if runs("latency") {
        latency();
    }
    if runs("idle") {
        idle();
    }
}

fn open(directory: &Path) -> App {
    let mut options = AppOptions::for_this_machine(Some(directory.join("data"))).expect("options");
    options.surroundings.home = directory.join("home");
    App::open(options).expect("an app")
}

fn add(app: &App, root: &Path) {
    let request = wire::AddStore { root: root.to_string_lossy().into_owned(), ..wire::AddStore::default() };
    commands::add_store(app, request).expect("a store");
}

/// Text of about `length` bytes that looks like notes, different for each number.
fn note(number: usize, length: usize) -> String {
    const WORDS: [&str; 16] = [
        "remember", "the", "payment", "client", "retries", "never", "index", "session", "prefers", "short",
        "answers", "build", "with", "cargo", "and", "deploys",
    ];
    let mut text = format!("# Note {number}\n\n");
    let mut state = number as u64 + 1;
    while text.len() < length {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push_str(WORDS[(state >> 60) as usize]);
        text.push(if state >> 40 & 15 == 0 { '\n' } else { ' ' });
    }
    text
}

/// Writes files, a hundred to a directory, and waits until their times are old enough to be trusted.
fn tree(root: &Path, files: usize, length: usize) {
    for number in 0..files {
        let folder = root.join(format!("{:03}", number / 100));
        fs::create_dir_all(&folder).expect("a directory");
        fs::write(folder.join(format!("{number}.md")), note(number, length)).expect("a file");
    }
    std::thread::sleep(Duration::from_secs(3));
}

fn scans() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let root = directory.path().join("notes");
    tree(&root, 10_000, 2048);
    let app = open(directory.path());
    let started = Instant::now();
    add(&app, &root);
    let first = started.elapsed();
    let mut again = Vec::new();
    for _ in 0..5 {
        let started = Instant::now();
        commands::scan(&app, wire::ScanReq::default()).expect("a scan");
        again.push(started.elapsed());
    }
    again.sort();
    let git = git(&root, &directory.path().join("git"));
    println!("looks: 10,000 files of 2 KB");
    println!("  first look            {:7.0} ms", millis(first));
    match git {
        Some(git) => println!(
            "  git add and commit    {:7.0} ms   (first look / git = {:.2})",
            millis(git),
            millis(first) / millis(git)
        ),
        None => println!("  git is not there"),
    }
    println!(
        "  look, nothing changed {:7.0} ms   ({:.3} of the first)",
        millis(again[2]),
        millis(again[2]) / millis(first)
    );
}

/// Time of `git add -A && git commit` takes, with git's own directory elsewhere.
fn git(root: &Path, git_dir: &Path) -> Option<Duration> {
    let run = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "gc.auto=0"]);
        command.arg("--git-dir").arg(git_dir).arg("--work-tree").arg(root).args(arguments);
        command.current_dir(root).output().ok().filter(|output| output.status.success())
    };
    run(&["init", "-q"])?;
    let started = Instant::now();
    run(&["add", "-A"])?;
    run(&["commit", "-q", "-m", "baseline"])?;
    Some(started.elapsed())
}

fn latency() {
    const WRITES: usize = 600;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let root = directory.path().join("notes");
    tree(&root, 200, 2048);
    let app = Arc::new(open(directory.path()));
    add(&app, &root);
    let recording = app.record(&[]).expect("a recorder");
    std::thread::sleep(Duration::from_secs(2));
    let written: Arc<Mutex<HashMap<String, Instant>>> = Arc::default();
    let done = Arc::new(AtomicBool::new(false));
    let reader = {
        let (app, written, done) = (Arc::clone(&app), Arc::clone(&written), Arc::clone(&done));
        std::thread::spawn(move || read_as_recorded(&app, &written, &done))
    };
    let started = Instant::now();
    for number in 0..WRITES {
        let due = Duration::from_millis(50) * u32::try_from(number).expect("few");
        std::thread::sleep(due.saturating_sub(started.elapsed()));
        let file = number % 200;
        let content = note(1_000_000 + number, 2048);
        fs::write(root.join(format!("{:03}/{file}.md", file / 100)), &content).expect("a file");
        let hash = retrace_model::Sha256::of(content.as_bytes()).to_hex();
        written.lock().expect("no panic").insert(hash, Instant::now());
    }
    std::thread::sleep(Duration::from_secs(2));
    done.store(true, Ordering::SeqCst);
    let mut found = reader.join().expect("the reader ends");
    recording.stop();
    found.sort();
    let at = |share: f64| found[((found.len() - 1) as f64 * share) as usize];
    println!("latency: {WRITES} writes, 20 a second");
    println!("  recorded {} of {WRITES}", found.len());
    println!(
        "  p50 {:.0} ms, p95 {:.0} ms, p99 {:.0} ms, longest {:.0} ms",
        millis(at(0.5)),
        millis(at(0.95)),
        millis(at(0.99)),
        millis(at(1.0))
    );
}

/// Reads the log every few milliseconds, as a client would, and answers how long each content took to appear.
fn read_as_recorded(
    app: &App,
    written: &Mutex<HashMap<String, Instant>>,
    done: &AtomicBool,
) -> Vec<Duration> {
    let mut found = Vec::new();
    let mut cursor = 0;
    let mut newest = 0;
    while !done.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(4));
        let now = commands::status(app, wire::Nothing {}).expect("a status").cursor;
        if now == cursor {
            continue;
        }
        cursor = now;
        let request = wire::LogReq { limit: Some(100), ..wire::LogReq::default() };
        let versions = commands::log(app, request).expect("the log").versions;
        let seen = Instant::now();
        for version in versions.iter().filter(|version| version.seq > newest) {
            let hash = version.content_sha256.clone().unwrap_or_default();
            if let Some(at) = written.lock().expect("no panic").remove(&hash) {
                found.push(seen - at);
            }
        }
        newest = versions.first().map_or(newest, |version| version.seq);
    }
    found
}

/// Child process: records, says so, and ends when its input does.
fn record_until_stopped(directory: &Path) {
    let app = open(directory);
    let recording = app.record(&[]).expect("a recorder");
    println!("recording");
    std::io::stdout().flush().expect("somebody reads");
    std::io::stdin().read_to_string(&mut String::new()).expect("the parent closes it");
    recording.stop();
}

fn idle() {
    const WATCHED: Duration = Duration::from_secs(60);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let root = directory.path().join("notes");
    tree(&root, 20_000, 2048);
    let app = open(directory.path());
    add(&app, &root);
    // The search index of the baseline is made by whoever records.
    drop(app);
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .env(RECORD_IN, directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process");
    let mut ready = [0; 10];
    child.stdout.as_mut().expect("its output").read_exact(&mut ready).expect("it records");
    // Until the first scan and the search index are done.
    let mut before = processor_time(child.id());
    loop {
        std::thread::sleep(Duration::from_secs(5));
        let now = processor_time(child.id());
        if now - before < Duration::from_millis(50) {
            break;
        }
        before = now;
    }
    let (start, started) = (processor_time(child.id()), Instant::now());
    let mut shortest = Duration::MAX;
    let mut in_twenty = start;
    for part in 1..=3 {
        std::thread::sleep((WATCHED / 3 * part).saturating_sub(started.elapsed()));
        let now = processor_time(child.id());
        shortest = shortest.min(now - in_twenty);
        in_twenty = now;
    }
    let used = processor_time(child.id()) - start;
    println!("idle: a recorder over 20,000 files of 2 KB in 200 directories, {} s", WATCHED.as_secs());
    println!(
        "  processor {:.3} % of one core ({:.0} ms); the quietest third {:.0} ms",
        used.as_secs_f64() / WATCHED.as_secs_f64() * 100.0,
        millis(used),
        millis(shortest)
    );
    println!("  memory {} now, {} at most", memory(child.id(), "VmRSS:"), memory(child.id(), "VmHWM:"));
    drop(child.stdin.take());
    child.wait().expect("it ends");
}

/// Processor time of a process so far, with that of its kernel side.
fn processor_time(process: u32) -> Duration {
    // Fields 14 and 15, in ticks of a hundredth of a second on every Linux; the name before them may hold blanks.
    let text = fs::read_to_string(format!("/proc/{process}/stat")).expect("the process runs");
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: u64 = fields[11..13].iter().map(|field| field.parse::<u64>().expect("a number")).sum();
    Duration::from_millis(ticks * 10)
}

fn memory(process: u32, field: &str) -> String {
    let text = fs::read_to_string(format!("/proc/{process}/status")).expect("the process runs");
    let line = text.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
    let kibibytes: f64 = line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0.0);
    format!("{:.1} MiB", kibibytes / 1024.0)
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
