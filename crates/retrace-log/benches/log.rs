//! Times of the log's operations for people and recorders, on a log of fifty thousand versions.
//!
//! ```text
//! cargo bench -p retrace-log
//! ```
//!
//! Sizes, one million versions and the comparison with git are measured by `examples/million.rs`.

mod support;

use divan::Bencher;
use retrace_log::{
    Append, Change, LogFiles, NewStore, Payload, ReadConnection, VersionFilter, Words, Writer,
};
use retrace_model::{Actor, RelPath, Sha256, Source, StoreId, StoreKind, Timestamp};
use std::cell::RefCell;
use std::sync::OnceLock;
use support::{Author, Random};
use tempfile::TempDir;

fn main() {
    divan::main();
}

const MEMORIES: usize = 2000;
const OPERATIONS: usize = 12_000;
const BY_OPERATION: usize = 4;

/// A log that is read, made once for all measurements.
struct Filled {
    folder: TempDir,
    store: StoreId,
}

fn filled() -> &'static Filled {
    static FILLED: OnceLock<Filled> = OnceLock::new();
    FILLED.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut writer, store) = log(&folder);
        let mut author = Author::new(1);
        let mut notes: Vec<String> = (0..MEMORIES).map(|_| author.note(2000)).collect();
        append(&mut writer, store, (0..MEMORIES).map(|at| (at, notes[at].clone())).collect());
        for _ in 0..OPERATIONS / 100 {
            let mut act = writer.begin().expect("a transaction");
            for _ in 0..100 {
                let start = author.random.below(MEMORIES - BY_OPERATION);
                let changes = (start..start + BY_OPERATION).map(|at| {
                    notes[at] = author.edit(&notes[at]);
                    change(store, at, notes[at].clone())
                });
                act.append(scan(store, changes.collect())).expect("appends");
            }
            act.commit().expect("commits");
        }
        while writer.index_some().expect("indexes") {}
        Filled { folder, store }
    })
}

fn log(folder: &TempDir) -> (Writer, StoreId) {
    let mut random = Random::new(2);
    let files = LogFiles::new(folder.path());
    let mut writer = Writer::open(files, Box::new(move |bytes| random.fill(bytes))).expect("a log");
    let mut act = writer.begin().expect("a transaction");
    let store = act
        .add_store(&NewStore {
            kind: StoreKind::Plain,
            root: b"/measured".to_vec(),
            name: "measured".to_owned(),
            at: Timestamp::from_micros(0),
        })
        .expect("a store");
    act.commit().expect("commits");
    (writer, store)
}

fn change(store: StoreId, memory: usize, text: String) -> Change {
    let bytes = text.into_bytes();
    let (sha256, size) = (Sha256::of(&bytes), bytes.len() as u64);
    let path = RelPath::parse(&format!("project-{:03}/note-{memory:05}.md", memory / 100)).expect("a path");
    Change {
        store,
        path,
        payload: Payload::Content { bytes: Some(bytes), sha256, size, seen: None, moved_from: None },
    }
}

fn scan(store: StoreId, changes: Vec<Change>) -> Append<'static> {
    Append {
        store: Some(store),
        source: Source::Scan,
        actor: &Actor::Unknown,
        note: None,
        at: Timestamp::from_micros(0),
        undoes: None,
        changes,
        even_if_empty: false,
    }
}

fn append(writer: &mut Writer, store: StoreId, written: Vec<(usize, String)>) {
    let changes = written.into_iter().map(|(at, text)| change(store, at, text)).collect();
    writer.append(scan(store, changes)).expect("appends");
}

/// The first scan of ten thousand files of two kilobytes, appended in two batches; reading and hashing them is not part
/// of it.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn first_scan_of_ten_thousand_files(bencher: Bencher<'_, '_>) {
    let mut author = Author::new(1);
    let notes: Vec<String> = (0..10_000).map(|_| author.note(2000)).collect();
    bencher
        .with_inputs(|| {
            let folder = tempfile::tempdir().expect("a folder");
            let (writer, store) = log(&folder);
            let changes = notes.iter().enumerate().map(|(at, note)| change(store, at, note.clone()));
            let batches: Vec<Vec<Change>> =
                changes.collect::<Vec<_>>().chunks(5000).map(<[Change]>::to_vec).collect();
            (folder, writer, store, batches)
        })
        .bench_values(|(folder, mut writer, store, batches)| {
            for changes in batches {
                writer.append(scan(store, changes)).expect("appends");
            }
            (folder, writer)
        });
}

/// One operation of one version, durable.
#[divan::bench]
fn append_one_version(bencher: Bencher<'_, '_>) {
    let folder = tempfile::tempdir().expect("a folder");
    let (writer, store) = log(&folder);
    let (writer, author) = (RefCell::new(writer), RefCell::new(Author::new(1)));
    let note = RefCell::new(author.borrow_mut().note(2000));
    bencher.bench_local(|| {
        let next = author.borrow_mut().edit(&note.borrow());
        append(&mut writer.borrow_mut(), store, vec![(0, next.clone())]);
        note.replace(next);
    });
}

/// Measures a read of the log of fifty thousand versions.
fn read<T>(bencher: Bencher<'_, '_>, read: impl Fn(&retrace_log::Reader<'_>, StoreId, u64) -> T) {
    let filled = filled();
    let connection = ReadConnection::open(&LogFiles::new(filled.folder.path())).expect("a reader");
    let random = RefCell::new(Random::new(3));
    bencher.bench_local(|| {
        connection
            .snapshot(|reader| {
                let any = random.borrow_mut().below(MEMORIES + OPERATIONS * BY_OPERATION / 2) as u64 + 1;
                Ok::<_, retrace_log::LogError>(read(reader, filled.store, any))
            })
            .expect("reads")
    });
}

#[divan::bench]
fn first_page_of_the_timeline(bencher: Bencher<'_, '_>) {
    read(bencher, |reader, _, _| {
        let filter = VersionFilter { limit: 200, ..VersionFilter::default() };
        (reader.operations(None, None, 50).expect("reads"), reader.versions(&filter).expect("reads"))
    });
}

#[divan::bench]
fn one_memorys_history(bencher: Bencher<'_, '_>) {
    read(bencher, |reader, _, any| {
        let memory = Some(reader.version(any).expect("reads").memory);
        reader.versions(&VersionFilter { memory, ..VersionFilter::default() }).expect("reads")
    });
}

#[divan::bench]
fn a_diffs_two_contents(bencher: Bencher<'_, '_>) {
    read(bencher, |reader, _, any| {
        let version = reader.version(any).expect("reads");
        let before = reader.version_before(&version).expect("reads");
        (
            reader.content(&version).expect("reads"),
            before.map(|before| reader.content(&before).expect("reads")),
        )
    });
}

#[divan::bench]
fn memories_now(bencher: Bencher<'_, '_>) {
    read(bencher, |reader, store, _| reader.memories_at(store, None).expect("reads"));
}

#[divan::bench]
fn memories_at_an_instant(bencher: Bencher<'_, '_>) {
    read(bencher, |reader, store, any| reader.memories_at(store, Some(any / 4)).expect("reads"));
}

#[divan::bench]
fn list_of_stores(bencher: Bencher<'_, '_>) {
    read(bencher, |reader, _, _| reader.stores().expect("reads"));
}

#[divan::bench]
fn search_history(bencher: Bencher<'_, '_>) {
    let words = Words::parse("retry payment");
    read(bencher, |reader, _, _| reader.search_history(&words, None, 50).expect("reads"));
}

/// Everything, on the log of fifty thousand versions.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn verify(bencher: Bencher<'_, '_>) {
    read(bencher, |reader, _, _| reader.verify().expect("reads"));
}
