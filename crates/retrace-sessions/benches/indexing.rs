//! Time of indexing half a gigabyte of transcripts takes, cold and warm.
//!
//! ```text
//! cargo bench -p retrace-sessions
//! ```
//!
//! The transcripts are copies of real ones where there are any (`RETRACE_SHARED_DATA` names the folder that holds
//! `data/home` or `home`, else it is `shared` beside the workspace), each copy with response ids of its own; elsewhere they are
//! made up. The peer of the cold index parses every line of every file as a `serde_json::Value` on as many threads; that
//! of the warm one lists the files and takes their metadata, which cannot be left out. The files are in the page cache.

#![allow(clippy::print_stdout, reason = "what was indexed is told beside the figures")]

use divan::Bencher;
use divan::counter::BytesCount;
use retrace_sessions::{Cancel, Index, RootKind, Roots};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

fn main() {
    divan::main();
    // A static is never dropped, and half a gigabyte is not to be left behind.
    if let Some(filled) = FILLED.get() {
        let _ = fs::remove_dir_all(filled.folder.path());
    }
}

static FILLED: OnceLock<Filled> = OnceLock::new();

/// Bytes to index.
const BYTES: u64 = 500 << 20;

/// A home full of transcripts, and the index of it.
struct Filled {
    folder: TempDir,
    files: Vec<PathBuf>,
    bytes: u64,
}

impl Filled {
    fn roots(&self) -> Roots {
        let mut roots = Roots::of(RootKind::ClaudeCode, self.folder.path().join(".claude"));
        roots.add(RootKind::Codex, self.folder.path().join(".codex"));
        roots.add(RootKind::Copilot, self.folder.path().join(".copilot"));
        roots
    }

    fn kept(&self) -> PathBuf {
        self.folder.path().join(retrace_sessions::FILE_NAME)
    }

    fn write(&mut self, relative: &Path, bytes: &[u8]) {
        let path = self.folder.path().join(relative);
        fs::create_dir_all(path.parent().expect("it is below the folder")).expect("a directory");
        fs::write(&path, bytes).expect("room for half a gigabyte");
        self.bytes += bytes.len() as u64;
        self.files.push(path);
    }
}

fn filled() -> &'static Filled {
    FILLED.get_or_init(|| {
        let mut filled =
            Filled { folder: tempfile::tempdir().expect("a folder"), files: Vec::new(), bytes: 0 };
        let originals = originals();
        let mut copy = 0;
        while filled.bytes < BYTES {
            for (relative, content) in &originals {
                // Equal in length, so that a copy differs from the others in nothing but its ids.
                let content = replace(content, b"\"msg_", format!("\"m{copy:02}_").as_bytes());
                filled.write(&renamed(relative, copy), &content);
            }
            copy += 1;
        }
        let mut index = Index::default();
        update(&mut index, &filled);
        index.save(&filled.kept()).expect("room for the index");
        let totals = index.snapshot().totals();
        println!(
            "{} files, {} MB, {} calls of {} sessions; the index takes {} kB",
            totals.files,
            totals.bytes / 1_000_000,
            totals.calls,
            totals.sessions,
            fs::metadata(filled.kept()).expect("it was saved").len() / 1000
        );
        filled
    })
}

fn originals() -> Vec<(PathBuf, Vec<u8>)> {
    let shared = std::env::var_os("RETRACE_SHARED_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let home = if shared.join("data/home").is_dir() { shared.join("data/home") } else { shared.join("home") };
    let mut files = Vec::new();
    collect(&home, &home, &mut files);
    if files.is_empty() {
        println!("made-up transcripts: there are no real ones below {}", home.display());
        files = (0..45).map(made_up).collect();
    }
    files
}

fn collect(home: &Path, folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(home, &path, files);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            let relative = path.strip_prefix(home).expect("it was listed below").to_owned();
            files.push((relative, fs::read(&path).expect("a file that was listed")));
        }
    }
}

/// A session of about a megabyte, with the parts of a real one.
fn made_up(number: usize) -> (PathBuf, Vec<u8>) {
    let mut lines = String::new();
    let text = "The harbour wall was measured twice, and the second figure was the lower one. ".repeat(60);
    for turn in 0..200 {
        lines.push_str(&format!(
            r#"{{"type":"user","uuid":"u{turn}","parentUuid":"a{turn}","sessionId":"s{number}","isSidechain":false,"cwd":"/proj","version":"2.1.100","timestamp":"2026-06-01T10:00:00.000Z","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{turn}","content":"{text}"}}]}}}}
{{"type":"assistant","uuid":"b{turn}","parentUuid":"u{turn}","sessionId":"s{number}","isSidechain":false,"cwd":"/proj","version":"2.1.100","timestamp":"2026-06-01T10:00:30.000Z","requestId":"r{turn}","message":{{"id":"msg_{number}_{turn}","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{{"type":"tool_use","id":"t{turn}","name":"Read","input":{{"file_path":"/proj/a.rs"}}}}],"stop_reason":"tool_use","usage":{{"input_tokens":5,"cache_creation_input_tokens":1000,"cache_read_input_tokens":50000,"output_tokens":70}}}}}}
"#
        ));
    }
    (PathBuf::from(format!(".claude/projects/-work/s{number}.jsonl")), lines.into_bytes())
}

/// The folder of a Claude Code project, or the name of another's file, with the number of the copy.
fn renamed(relative: &Path, copy: usize) -> PathBuf {
    let mut parts: Vec<String> = relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if let [agent, _, project, ..] = parts.as_mut_slice()
        && agent == ".claude"
    {
        project.push_str(&format!("-{copy}"));
    } else if let Some(name) = parts.last_mut() {
        *name = name.replace(".jsonl", &format!("-{copy}.jsonl"));
    }
    parts.iter().collect()
}

fn replace(content: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut bytes = content.to_vec();
    let places: Vec<usize> =
        bytes.windows(from.len()).enumerate().filter(|(_, part)| *part == from).map(|(at, _)| at).collect();
    for place in places {
        bytes[place..place + to.len()].copy_from_slice(to);
    }
    bytes
}

fn update(index: &mut Index, filled: &Filled) {
    let report = index.update(&filled.roots(), &|_| {}, &Cancel::new());
    assert!(report.failed.is_empty() && !report.stopped, "{report:?}");
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn cold(bencher: Bencher<'_, '_>) {
    let filled = filled();
    bencher.counter(BytesCount::new(filled.bytes)).bench(|| {
        let mut index = Index::default();
        update(&mut index, filled);
        index
    });
}

#[divan::bench(sample_count = 2, sample_size = 1)]
fn cold_peer_every_line_a_value(bencher: Bencher<'_, '_>) {
    let filled = filled();
    bencher.counter(BytesCount::new(filled.bytes)).bench(|| {
        let next = AtomicUsize::new(0);
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(path) = filled.files.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let bytes = fs::read(path).expect("a file that was written");
                        for line in bytes.split(|&byte| byte == b'\n') {
                            divan::black_box(serde_json::from_slice::<serde_json::Value>(line).ok());
                        }
                    }
                });
            }
        });
    });
}

/// From nothing in memory to an index known to be up to date.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn warm(bencher: Bencher<'_, '_>) {
    let filled = filled();
    bencher.bench(|| {
        let mut index = Index::load(&filled.kept());
        let report = index.update(&filled.roots(), &|_| {}, &Cancel::new());
        assert_eq!((report.read, report.unchanged), (0, filled.files.len()));
        index
    });
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn warm_peer_metadata_of_every_file(bencher: Bencher<'_, '_>) {
    let filled = filled();
    bencher.bench(|| {
        filled
            .files
            .iter()
            .filter_map(|path| fs::symlink_metadata(path).ok())
            .map(|data| data.len())
            .sum::<u64>()
    });
}

/// Nothing changed since the last update of an index in memory.
#[divan::bench(sample_count = 50, sample_size = 1)]
fn nothing_changed(bencher: Bencher<'_, '_>) {
    let filled = filled();
    let mut index = Index::load(&filled.kept());
    bencher.bench_local(|| update(&mut index, filled));
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn save(bencher: Bencher<'_, '_>) {
    let filled = filled();
    let index = Index::load(&filled.kept());
    bencher.bench(|| index.save(&filled.folder.path().join("again")).expect("room for the index"));
}

/// Every call once, sessions and totals: what a snapshot makes at the first question.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn lists(bencher: Bencher<'_, '_>) {
    let filled = filled();
    bencher.with_inputs(|| Index::load(&filled.kept()).snapshot()).bench_values(|snapshot| snapshot.totals());
}
