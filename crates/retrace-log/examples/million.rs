//! Makes one million versions over twenty thousand memories, says what they take in the log and in git, and how long
//! the reads behind the window take.
//!
//! ```text
//! cargo run --release -p retrace-log --example million -- [versions] [memories] [--no-git]
//! ```
//!
//! Every operation changes four notes of one directory, each by a line or two; `benches/support` makes the notes. The
//! same history goes into git, one commit an operation. Everything happens in a temporary directory.
#![allow(clippy::print_stdout, reason = "a program that prints what it measured")]

#[path = "../benches/support/mod.rs"]
mod support;

use retrace_log::{
    Append, Change, LogError, LogFiles, Needles, NewReceipt, NewStore, Payload, ReadConnection, Reader,
    VersionFilter, Words, Writer,
};
use retrace_model::{Actor, RelPath, Sha256, Source, StoreId, StoreKind, Timestamp};
use std::error::Error;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::{Author, Random};

/// Notes changed by one operation, and notes in one directory.
const BY_OPERATION: usize = 4;
const IN_DIRECTORY: usize = 100;

/// Operations appended in one transaction while the history is made; one transaction each would measure the disk.
const BY_TRANSACTION: usize = 250;

/// Number of measurements of each read.
const RUNS: usize = 200;

/// When the history begins, in microseconds since the Unix epoch, and how far its operations are apart: a minute.
const BEGINNING: i64 = 1_700_000_000_000_000;
const APART: i64 = 60_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut numbers = arguments.iter().filter_map(|argument| argument.parse::<usize>().ok());
    let versions = numbers.next().unwrap_or(1_000_000);
    let memories = numbers.next().unwrap_or(20_000);
    let folder = tempfile::tempdir()?;
    println!("{versions} versions over {memories} memories, {BY_OPERATION} versions an operation");
    let log = measure_log(&folder.path().join("log"), versions, memories)?;
    if !arguments.iter().any(|argument| argument == "--no-git") {
        let git = measure_git(&folder.path().join("git"), versions, memories)?;
        println!(
            "log / git: {:.2} without search, {:.2} with",
            log.0 as f64 / git as f64,
            log.1 as f64 / git as f64
        );
    }
    Ok(())
}

/// Calls `each` with every operation of the history: the paths and contents it writes.
fn history<E>(
    versions: usize,
    memories: usize,
    mut each: impl FnMut(usize, Vec<(String, String)>) -> Result<(), E>,
) -> Result<(), E> {
    let mut author = Author::new(1);
    let mut notes: Vec<String> = vec![String::new(); memories];
    for operation in 0..versions / BY_OPERATION {
        let first = operation * BY_OPERATION;
        let baseline = first + BY_OPERATION <= memories;
        let directory = author.random.below(memories.div_ceil(IN_DIRECTORY)) * IN_DIRECTORY;
        let width = IN_DIRECTORY.min(memories - directory);
        let start = author.random.below(width);
        let mut written = Vec::with_capacity(BY_OPERATION);
        for offset in 0..BY_OPERATION {
            let at = if baseline { first + offset } else { directory + (start + offset * 7) % width };
            let size = 1000 + author.random.below(1500);
            notes[at] = if notes[at].is_empty() { author.note(size) } else { author.edit(&notes[at]) };
            written.push((path_of(at), notes[at].clone()));
        }
        each(operation, written)?;
    }
    Ok(())
}

/// Every note has a name of its own: git searches for what a content resembles among those with similar names.
fn path_of(memory: usize) -> String {
    format!("project-{:03}/memory/note-{memory:05}.md", memory / IN_DIRECTORY)
}

fn time_of(operation: usize) -> Timestamp {
    Timestamp::from_micros(BEGINNING + APART * operation as i64)
}

fn changes(store: StoreId, written: Vec<(String, String)>) -> Result<Vec<Change>, retrace_model::PathError> {
    let change = |(path, text): (String, String)| {
        let bytes = text.into_bytes();
        let (sha256, size) = (Sha256::of(&bytes), bytes.len() as u64);
        let path = RelPath::parse(&path)?;
        let payload = Payload::Content { bytes: Some(bytes), sha256, size, seen: None, moved_from: None };
        Ok(Change { store, path, payload })
    };
    written.into_iter().map(change).collect()
}

fn append(changes: Vec<Change>, store: StoreId, actor: &Actor, at: Timestamp) -> Append<'_> {
    Append {
        store: Some(store),
        source: Source::Scan,
        actor,
        note: None,
        at,
        undoes: None,
        changes,
        even_if_empty: false,
    }
}

/// Makes the log, prints what was measured, and answers its bytes without and with the search index.
fn measure_log(folder: &Path, versions: usize, memories: usize) -> Result<(u64, u64), Box<dyn Error>> {
    let files = LogFiles::new(folder);
    let mut random = Random::new(2);
    let mut writer = Writer::open(files.clone(), Box::new(move |bytes| random.fill(bytes)))?;
    let store = add_store(&mut writer)?;
    let appending = append_history(&mut writer, store, versions, memories)?;
    writer.empty_write_ahead_log()?;
    let without_search = files.bytes_on_disk();
    println!(
        "append: {:.1} s, {:.0} µs a version",
        appending.as_secs_f64(),
        appending.as_secs_f64() * 1e6 / versions as f64
    );
    println!(
        "log without search: {:.1} MB, {:.0} bytes a version",
        mega(without_search),
        without_search as f64 / versions as f64
    );
    let started = Instant::now();
    while writer.index_some()? {}
    writer.empty_write_ahead_log()?;
    let with_search = files.bytes_on_disk();
    println!(
        "search index: {:.1} s; log with search: {:.1} MB",
        started.elapsed().as_secs_f64(),
        mega(with_search)
    );
    measure_reads(&files, store)?;
    measure_acts(&mut writer, store, versions, memories)?;
    Ok((without_search, with_search))
}

fn add_store(writer: &mut Writer) -> Result<StoreId, LogError> {
    let mut act = writer.begin()?;
    let store = act.add_store(&NewStore {
        kind: StoreKind::Plain,
        root: b"/measured".to_vec(),
        name: "measured".to_owned(),
        at: time_of(0),
    })?;
    act.commit()?;
    Ok(store)
}

/// Appends the history; answers how long that took without making the notes.
fn append_history(
    writer: &mut Writer,
    store: StoreId,
    versions: usize,
    memories: usize,
) -> Result<Duration, Box<dyn Error>> {
    let mut spent = Duration::ZERO;
    let mut gathered = Vec::with_capacity(BY_TRANSACTION);
    let mut write = |gathered: &mut Vec<(usize, Vec<Change>)>| -> Result<(), LogError> {
        let started = Instant::now();
        let mut act = writer.begin()?;
        for (operation, changes) in gathered.drain(..) {
            act.append(append(changes, store, &Actor::Unknown, time_of(operation)))?;
        }
        act.commit()?;
        spent += started.elapsed();
        Ok(())
    };
    history(versions, memories, |operation, written| -> Result<(), Box<dyn Error>> {
        gathered.push((operation, changes(store, written)?));
        if gathered.len() == BY_TRANSACTION {
            write(&mut gathered)?;
        }
        Ok(())
    })?;
    write(&mut gathered)?;
    Ok(spent)
}

/// Prints the half and the twentieth slowest of many runs.
fn report(what: &str, runs: usize, mut run: impl FnMut() -> Result<usize, LogError>) -> Result<(), LogError> {
    let mut times = Vec::with_capacity(runs);
    let mut rows = 0;
    for _ in 0..runs {
        let started = Instant::now();
        rows = rows.max(run()?);
        times.push(started.elapsed());
    }
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
    println!("{what}: p50 {:.2} ms, p95 {:.2} ms ({rows} rows at most)", at(50), at(95));
    Ok(())
}

fn measure_reads(files: &LogFiles, store: StoreId) -> Result<(), Box<dyn Error>> {
    let connection = ReadConnection::open(files)?;
    // Some edits leave a note as it was, so there are a few fewer than asked for.
    let versions = usize::try_from(connection.snapshot(|reader| reader.last_version())?)?;
    let read =
        |run: &dyn Fn(&Reader<'_>) -> Result<usize, LogError>| connection.snapshot(|reader| run(reader));
    let random = std::cell::RefCell::new(Random::new(3));
    let below = |bound: usize| random.borrow_mut().below(bound);
    let page = |reader: &Reader<'_>, before: Option<u64>| {
        let operations = reader.operations(None, before, 50)?;
        let before = operations.first().map(|newest| newest.first_version + newest.versions);
        let filter = VersionFilter { before, limit: 200, ..VersionFilter::default() };
        Ok(operations.len() + reader.versions(&filter)?.len())
    };
    let any_version = || below(versions) as u64 + 1;
    report("timeline, first page", RUNS, || read(&|reader| page(reader, None)))?;
    report("timeline, any page", RUNS, || read(&|reader| page(reader, Some(any_version() / 4 + 2))))?;
    report("timeline of the store", RUNS, || {
        read(&|reader| Ok(reader.operations(Some(store), None, 50)?.len()))
    })?;
    report("one memory's history", RUNS, || {
        read(&|reader| {
            let memory = reader.version(any_version())?.memory;
            Ok(reader.versions(&VersionFilter { memory: Some(memory), ..VersionFilter::default() })?.len())
        })
    })?;
    report("one path's history", RUNS, || {
        read(&|reader| {
            let path = reader.version(any_version())?.path;
            let filter = VersionFilter { store: Some(store), path, ..VersionFilter::default() };
            Ok(reader.versions(&filter)?.len())
        })
    })?;
    report("a diff's two contents", RUNS, || {
        read(&|reader| {
            let version = reader.version(any_version())?;
            let before = reader.version_before(&version)?;
            let contents = [Some(version), before].into_iter().flatten();
            Ok(contents.map(|version| reader.content(&version)).collect::<Result<Vec<_>, _>>()?.len())
        })
    })?;
    report("memories now", RUNS / 10, || read(&|reader| Ok(reader.memories_at(store, None)?.len())))?;
    report("memories at an instant", RUNS / 10, || {
        read(&|reader| Ok(reader.memories_at(store, Some(any_version() / 4 + 1))?.len()))
    })?;
    report("operation at an instant", RUNS, || {
        read(&|reader| reader.operation_at(time_of(below(versions / 4))).map(|seq| usize::from(seq > 0)))
    })?;
    report("heads of a store", RUNS / 10, || read(&|reader| Ok(reader.heads(store)?.len())))?;
    report("list of stores", RUNS, || read(&|reader| Ok(reader.stores()?.len())))?;
    report("totals", RUNS, || read(&|reader| reader.totals().map(|(versions, _)| versions as usize)))?;
    report("activity", RUNS / 10, || read(&|reader| Ok(reader.activity(store, 500)?.len())))?;
    let day = 24 * 60 * APART;
    report("log of a day", RUNS, || {
        let since = time_of(below(versions / 4));
        let until = Timestamp::from_micros(since.micros() + day);
        let filter =
            VersionFilter { since: Some(since), until: Some(until), limit: 100, ..VersionFilter::default() };
        read(&|reader| Ok(reader.versions(&filter)?.len()))
    })?;
    let words = Words::parse("retry payment");
    report("search live", RUNS, || read(&|reader| Ok(reader.search_live(&words, None, 50)?.len())))?;
    report("search history", RUNS, || read(&|reader| Ok(reader.search_history(&words, None, 50)?.len())))?;
    let started = Instant::now();
    let verified = connection.snapshot(|reader| reader.verify())?;
    println!("verify: {:.1} s, {} problems", started.elapsed().as_secs_f64(), verified.problems.len());
    Ok(())
}

/// One operation in a transaction of its own, one redaction, one purge.
fn measure_acts(
    writer: &mut Writer,
    store: StoreId,
    versions: usize,
    memories: usize,
) -> Result<(), Box<dyn Error>> {
    let mut author = Author::new(4);
    report("append of one operation, durable", RUNS, || {
        let written = vec![(path_of(author.random.below(memories)), author.note(2000))];
        let changes = changes(store, written)
            .map_err(|error| LogError::Invalid(retrace_message::Message::verbatim(error.to_string())))?;
        Ok(writer.append(append(changes, store, &Actor::Unknown, time_of(versions)))?.versions.len())
    })?;
    let started = Instant::now();
    let mut act = writer.begin()?;
    let chosen = act.reader().version(versions as u64 / 2)?;
    let at = time_of(versions + 1);
    let operation = act.append(Append {
        source: Source::Redact,
        even_if_empty: true,
        ..append(Vec::new(), store, &Actor::Unknown, at)
    })?;
    let (_, redaction) = act.add_receipt(&NewReceipt {
        operation_seq: operation.operation_seq.unwrap_or(0),
        at,
        actor: &Actor::Unknown,
        reason: None,
        method: "versions",
        versions: 1,
    })?;
    let masked = act.mask(&[chosen], redaction)?;
    act.commit()?;
    println!("redaction, mask: {:.2} s", started.elapsed().as_secs_f64());
    let started = Instant::now();
    let hits = writer.purge(&masked.needles)?.map(|hits| hits.total());
    println!("redaction, purge and proof: {:.2} s, {hits:?} hits", started.elapsed().as_secs_f64());
    let started = Instant::now();
    writer.purge(&Needles::default())?;
    println!("purge alone: {:.2} s", started.elapsed().as_secs_f64());
    Ok(())
}

/// Puts the same history into git, packs it, and answers the bytes of the pack with its index.
fn measure_git(folder: &Path, versions: usize, memories: usize) -> Result<u64, Box<dyn Error>> {
    run(Command::new("git").args(["init", "-q", "--initial-branch=main"]).arg(folder))?;
    let started = Instant::now();
    let mut import = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()?;
    {
        let mut stream = BufWriter::new(import.stdin.take().ok_or("git takes no input")?);
        history(versions, memories, |operation, written| {
            let seconds = time_of(operation).micros() / 1_000_000;
            write!(stream, "commit refs/heads/main\ncommitter recorder <> {seconds} +0000\ndata 0\n")?;
            for (path, text) in written {
                write!(stream, "M 100644 inline {path}\ndata {}\n{text}\n", text.len())?;
            }
            std::io::Result::Ok(())
        })?;
        stream.flush()?;
    }
    if !import.wait()?.success() {
        return Err("git fast-import failed".into());
    }
    println!("git fast-import: {:.1} s", started.elapsed().as_secs_f64());
    let started = Instant::now();
    run(Command::new("git").arg("-C").arg(folder).args(["repack", "-adfq", "--depth=50", "--window=10"]))?;
    let (mut pack, mut all) = (0, 0);
    for entry in std::fs::read_dir(folder.join(".git/objects/pack"))? {
        let entry = entry?;
        let bytes = entry.metadata()?.len();
        all += bytes;
        if entry.path().extension().is_some_and(|extension| extension == "pack") {
            pack += bytes;
        }
    }
    println!(
        "git repack: {:.1} s; pack {:.1} MB, with its indexes {:.1} MB",
        started.elapsed().as_secs_f64(),
        mega(pack),
        mega(all)
    );
    Ok(all)
}

fn run(command: &mut Command) -> Result<(), Box<dyn Error>> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
}

fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
