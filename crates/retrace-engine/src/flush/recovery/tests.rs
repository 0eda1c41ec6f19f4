use super::*;
use retrace_log::{Change, LogFiles, NewStore, PastLine, PastVersion, Payload, Rebuild, Writer};
use retrace_model::{StoreKind, Timestamp};
use tempfile::TempDir;

const SECOND: i64 = 1_000_000;
/// When the first version may be made at the earliest.
const START: i64 = 1_795_168_800 * SECOND;

/// A log with two stores; of these the first has the versions that may not be on the disk.
struct Log {
    writer: Writer,
    stores: [StoreId; 2],
    _folder: TempDir,
}

fn path(text: &str) -> RelPath {
    RelPath::parse(text).expect("a path")
}

fn hashes(texts: &[&str]) -> BTreeSet<Sha256> {
    texts.iter().map(|text| Sha256::of(text.as_bytes())).collect()
}

impl Log {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut number = 0_u8;
        let entropy = move |bytes: &mut [u8]| {
            number += 1;
            bytes.fill(number);
        };
        let mut writer =
            Writer::open(LogFiles::new(folder.path().join("data")), Box::new(entropy)).expect("a log");
        let mut act = writer.begin().expect("a transaction");
        let stores = ["notes", "others"].map(|name| {
            let root = format!("/stores/{name}").into_bytes();
            let at = Timestamp::from_micros(START);
            act.add_store(&NewStore { kind: StoreKind::Plain, root, name: name.to_owned(), at })
                .expect("a store")
        });
        act.commit().expect("commits");
        Self { writer, stores, _folder: folder }
    }

    fn change(&self, at: &str, payload: Payload) -> Change {
        Change { store: self.stores[0], path: path(at), payload }
    }

    /// Changes of one operation so many seconds after the start; answers the places of its versions.
    fn append(&mut self, seconds: i64, changes: Vec<Change>) -> Vec<u64> {
        let append = Append {
            store: None,
            source: Source::Tool,
            actor: &Actor::Unknown,
            note: None,
            at: Timestamp::from_micros(START + seconds * SECOND),
            undoes: None,
            changes,
            even_if_empty: false,
        };
        let done = self.writer.append(append).expect("appends");
        done.versions.iter().map(|version| version.seq).collect()
    }

    fn put(&mut self, seconds: i64, at: &str, text: &str) -> u64 {
        let change = self.change(at, content(text, None));
        self.append(seconds, vec![change])[0]
    }

    fn history(&self, at: &str, since: u64) -> (Option<u64>, BTreeSet<Sha256>) {
        history(&self.writer.reader(), self.stores[0], &path(at), since).expect("reads")
    }

    /// Each path that may have fallen back: what the log says of it, and what it held.
    fn fallen(&self, seqs: &[u64]) -> BTreeMap<String, (Option<String>, BTreeSet<Sha256>)> {
        let reader = self.writer.reader();
        let versions: Vec<VersionRow> =
            seqs.iter().map(|seq| reader.version(*seq).expect("a version")).collect();
        let fallen = fallen(&reader, self.stores[0], &versions).expect("reads");
        let told = fallen.into_iter().map(|place| {
            let says = match place.says {
                Says::Nothing => None,
                Says::Holds { bytes, sha256, .. } => {
                    assert_eq!(sha256, Sha256::of(&bytes));
                    Some(String::from_utf8(bytes).expect("text"))
                }
            };
            (place.path.to_text(), (says, place.former))
        });
        told.collect()
    }
}

fn content(text: &str, moved_from: Option<&str>) -> Payload {
    Payload::Content {
        bytes: Some(text.as_bytes().to_vec()),
        sha256: Sha256::of(text.as_bytes()),
        size: text.len() as u64,
        seen: None,
        moved_from: moved_from.map(path),
    }
}

#[test]
fn what_a_path_held_goes_back_to_the_last_content_that_was_on_the_disk_for_sure() {
    let mut log = Log::new();
    for (seconds, text) in [(0, "zero"), (30, "one"), (70, "two")] {
        log.put(seconds, "a.md", text);
    }
    let since = log.put(130, "a.md", "three");
    let newest = log.put(140, "a.md", "four");
    // Somebody else's: in another store, and at another path.
    let mut other = log.change("a.md", content("elsewhere", None));
    other.store = log.stores[1];
    log.append(150, vec![other]);
    log.put(160, "b.md", "beside");
    let (found, former) = log.history("a.md", since);
    assert_eq!(found, Some(newest));
    // A minute before `since`, the second was not yet on the disk for sure.
    assert_eq!(former, hashes(&["four", "three", "two", "one"]));
}

#[test]
fn what_was_before_the_log_was_there_never_stood_at_a_path() {
    let mut log = Log::new();
    let first = log.put(100, "a.md", "one");
    let version = PastVersion {
        path: path("a.md"),
        at: Timestamp::from_micros(START - 90 * SECOND),
        written_at: None,
        actor: Actor::Unknown,
        note: None,
        content: Some(b"before".to_vec()),
        told: retrace_log::PastLines::default(),
    };
    let mut act = log.writer.begin().expect("a transaction");
    let done = act.rebuild(Rebuild {
        store: log.stores[0],
        source: Source::Import,
        actor: &Actor::Unknown,
        note: None,
        at: Timestamp::from_micros(START + 200 * SECOND),
        lines: vec![PastLine { versions: vec![version] }],
    });
    assert_eq!(done.expect("rebuilds").versions.len(), 1);
    act.commit().expect("commits");
    assert_eq!(log.history("a.md", first), (Some(first), hashes(&["one"])));
}

#[test]
fn a_move_says_something_of_both_paths_and_is_a_content_of_one() {
    let mut log = Log::new();
    let first = log.put(100, "a.md", "one");
    let moving = log.change("b.md", content("two", Some("a.md")));
    let moved = log.append(110, vec![moving])[0];
    assert_eq!(log.history("a.md", first), (Some(moved), hashes(&["one"])));
    assert_eq!(log.history("b.md", moved), (Some(moved), hashes(&["two"])));
    let reader = log.writer.reader();
    let places =
        |seq| places_of(&reader.version(seq).expect("a version")).map(RelPath::to_text).collect::<Vec<_>>();
    assert_eq!(
        (places(first), places(moved)),
        (vec!["a.md".to_owned()], vec!["b.md".to_owned(), "a.md".to_owned()])
    );
    let fallen = log.fallen(&[first, moved]);
    assert_eq!(fallen["a.md"], (None, hashes(&["one"])));
    assert_eq!(fallen["b.md"], (Some("two".to_owned()), hashes(&["two"])));
    assert_eq!(fallen.len(), 2);
}

#[test]
fn a_path_may_have_fallen_back_unless_its_newest_version_is_on_the_disk() {
    let mut log = Log::new();
    let on_the_disk = log.put(0, "a.md", "zero");
    let edits = [log.put(100, "a.md", "one"), log.put(101, "a.md", "two")];
    let waited_for = log.put(102, "b.md", "three");
    let newer = log.put(103, "b.md", "four");
    let change = log.change("a.md", Payload::Gone);
    let fallen = log.fallen(&[edits[0], edits[1], waited_for]);
    assert_eq!(fallen.keys().collect::<Vec<_>>(), ["a.md"], "{newer} is on the disk, and {on_the_disk}");
    assert_eq!(fallen["a.md"], (Some("two".to_owned()), hashes(&["zero", "one", "two"])));
    let gone = log.append(104, vec![change])[0];
    assert_eq!(log.fallen(&edits).len(), 0, "the deletion is newer and on the disk");
    assert_eq!(log.fallen(&[edits[0], edits[1], gone])["a.md"], (None, hashes(&["zero", "one", "two"])));
}

#[test]
fn a_content_that_is_not_kept_is_left_to_a_scan() {
    let mut log = Log::new();
    let mut large = content("a large content", None);
    if let Payload::Content { bytes, .. } = &mut large {
        *bytes = None;
    }
    let change = log.change("a.bin", large);
    let seqs = log.append(100, vec![change]);
    assert!(log.fallen(&seqs).is_empty());
}
