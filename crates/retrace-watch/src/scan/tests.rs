use super::*;
use crate::harness::{Clock, Memory, Place, path};
use proptest::prelude::*;
use retrace_model::{Sha256, StoreId};
use std::fs;

fn whole(memory: &mut Memory, place: &Place) -> Scanned {
    scan(memory, &place.store, None).unwrap()
}

fn part(memory: &mut Memory, place: &Place, paths: &[&str]) -> Scanned {
    let paths: Vec<RelPath> = paths.iter().map(|text| path(text)).collect();
    scan(memory, &place.store, Some(&paths)).unwrap()
}

fn setup() -> (Place, Clock, Memory) {
    let clock = Clock::new();
    let memory = Memory::new(&clock);
    (Place::new(1), clock, memory)
}

#[test]
fn a_first_scan_finds_everything_in_the_order_of_writing_and_a_second_nothing() {
    let (place, clock, mut memory) = setup();
    for (name, age) in [("b.md", 3000), ("a.md", 2000), ("x/c.md", 3000), ("d.md", 4000)] {
        place.write(name, name);
        place.age(name, &clock, age);
    }
    assert_eq!(whole(&mut memory, &place).read, 4);
    let order = ["created d.md: d.md", "created b.md: b.md", "created x/c.md: x/c.md", "created a.md: a.md"];
    assert_eq!(memory.news(), order);
    let again = whole(&mut memory, &place);
    assert_eq!((again.read, again.gone, memory.news().len()), (0, 0, 0));
    assert_eq!(memory.kept().batches.len(), 1, "a scan without changes is no batch");
}

#[test]
fn changes_and_deletions_and_renames_are_seen() {
    let (place, clock, mut memory) = setup();
    place.write("a.md", "one");
    place.write("b.md", "two");
    place.write("x/c.md", "three");
    whole(&mut memory, &place);
    memory.news();
    place.write("a.md", "one more");
    place.age("a.md", &clock, 1000);
    fs::remove_file(place.at("b.md")).unwrap();
    place.rename("x", "y/z");
    let scanned = whole(&mut memory, &place);
    assert_eq!((scanned.read, scanned.gone), (2, 2));
    assert_eq!(memory.news(), ["renamed x/c.md to y/z/c.md", "modified a.md: one more", "deleted b.md"]);
    assert_eq!(memory.kept().batches.last(), Some(&(2, 2, true)));
}

#[test]
fn a_scan_of_a_part_leaves_the_rest_alone() {
    let (place, _clock, mut memory) = setup();
    for name in ["a.md", "x/b.md", "x/y/c.md", "z/d.md"] {
        place.write(name, name);
    }
    assert_eq!(part(&mut memory, &place, &["x", "x/y/c.md", "none"]).read, 2);
    assert_eq!(memory.news(), ["created x/b.md: x/b.md", "created x/y/c.md: x/y/c.md"]);
    whole(&mut memory, &place);
    memory.news();
    fs::remove_dir_all(place.at("x")).unwrap();
    fs::remove_file(place.at("a.md")).unwrap();
    assert_eq!(part(&mut memory, &place, &["x/y"]).gone, 1);
    assert_eq!(part(&mut memory, &place, &["x", "z/d.md"]).gone, 1);
    assert_eq!(memory.news(), ["deleted x/y/c.md", "deleted x/b.md"]);
    assert_eq!(part(&mut memory, &place, &["z/d.md"]).read, 1, "what is named is read in any case");
    assert_eq!(part(&mut memory, &place, &["z"]).read, 0);
    assert!(memory.live(place.store.key).contains_key("a.md"), "not looked at");
}

#[test]
fn much_comes_in_batches_and_each_knows_what_is_gone() {
    let (place, _clock, mut memory) = setup();
    let count = BATCH_FILES + 200;
    for number in 0..count {
        place.write(&format!("x/{number}.md"), format!("content {number}"));
    }
    whole(&mut memory, &place);
    assert_eq!(memory.kept().batches, [(BATCH_FILES, 0, false), (200, 0, true)]);
    memory.news();
    place.rename("x", "y");
    let scanned = whole(&mut memory, &place);
    assert_eq!((scanned.read, scanned.gone), (count, count));
    assert_eq!(memory.kept().batches[2..], [(BATCH_FILES, count, false), (200, count, true)]);
    assert!(memory.news().iter().all(|line| line.starts_with("renamed")));
}

#[test]
fn batches_are_bounded_by_their_bytes_too() {
    let (place, _clock, mut memory) = setup();
    let large = vec![b'x'; BATCH_BYTES / 4];
    for number in 0..6 {
        place.write(&format!("{number}.md"), &large);
    }
    whole(&mut memory, &place);
    assert_eq!(memory.kept().batches, [(4, 0, false), (2, 0, true)]);
}

#[test]
fn what_is_too_large_is_recorded_without_content_and_reported() {
    let (mut place, _clock, mut memory) = setup();
    place.store.rules.max_file_bytes = 4;
    place.write("large.md", "12345");
    place.write("small.md", "1234");
    let scanned = whole(&mut memory, &place);
    assert_eq!(scanned.too_large, [path("large.md")]);
    assert_eq!(scanned.status.unwrap().state, StoreState::Limited);
    assert!(memory.news().contains(&"created large.md: (5 bytes)".to_owned()));
    assert_eq!(memory.live(place.store.key)["large.md"], Sha256::of(b"12345"));
}

#[test]
fn what_cannot_be_scanned_is_not_gone() {
    let (place, _clock, mut memory) = setup();
    let deep = vec!["d"; retrace_files::DEPTH_LIMIT + 1].join("/");
    let there = path(&format!("{deep}/a.md"));
    let head = Head { seen: None, seen_at: memory.now() };
    memory.kept().live.insert((place.store.key, there.clone()), (head, Sha256::of(b"")));
    place.write(&format!("{deep}/b.md"), "too deep to be looked at");
    place.write("gone.md", "");
    whole(&mut memory, &place);
    fs::remove_file(place.at("gone.md")).unwrap();
    let scanned = whole(&mut memory, &place);
    assert_eq!(scanned.gone, 1);
    assert_eq!(memory.live(place.store.key).into_keys().collect::<Vec<_>>(), [there.to_text()]);
    let status = scanned.status.unwrap();
    assert_eq!(status.state, StoreState::Limited);
    assert_eq!(status.problems.len(), 1);
}

#[test]
fn what_a_listing_missed_is_read_and_not_gone() {
    let (place, _clock, _memory) = setup();
    place.write("there.md", "");
    place.write("left-out~", "");
    let root = Root::open(&place.store.root).unwrap();
    let gone = ["there.md", "left-out~", "none.md"].map(path).into();
    let (mut to_read, mut problems) = (BTreeSet::new(), Vec::new());
    let gone = confirm(&root, &place.store.rules, gone, &mut to_read, &mut problems);
    assert_eq!(gone, [path("none.md")].into());
    assert_eq!(to_read, [path("there.md")].into());
    assert_eq!(problems, []);
}

#[test]
fn a_removed_directory_takes_its_memories_and_an_unreachable_one_does_not() {
    let (place, _clock, mut memory) = setup();
    place.write("a.md", "text");
    place.write("x/b.md", "text");
    whole(&mut memory, &place);
    memory.news();
    fs::rename(&place.store.root, place.beside("elsewhere")).unwrap();
    assert_eq!(part(&mut memory, &place, &["x"]).gone, 1);
    assert_eq!(memory.state(place.store.key), Some(StoreState::Missing));
    assert_eq!(whole(&mut memory, &place).gone, 1);
    assert_eq!(memory.news(), ["deleted x/b.md", "deleted a.md"]);
    fs::rename(place.beside("elsewhere"), &place.store.root).unwrap();
    whole(&mut memory, &place);
    memory.news();

    fs::remove_dir_all(place.beside("")).unwrap();
    let scanned = whole(&mut memory, &place);
    assert_eq!((scanned.gone, scanned.status.unwrap().state), (0, StoreState::Missing));
    assert!(memory.news().is_empty());
}

#[cfg(unix)]
#[test]
fn links_are_shown_but_do_not_limit() {
    let (place, _clock, mut memory) = setup();
    place.write("a.md", "text");
    std::os::unix::fs::symlink("a.md", place.at("link.md")).unwrap();
    let status = whole(&mut memory, &place).status.unwrap();
    assert_eq!((status.state, status.detail), (StoreState::Recording, None));
    assert_eq!(status.problems, [Problem { path: Some(path("link.md")), kind: ProblemKind::Link }]);
}

#[test]
fn a_failing_keeper_ends_the_scan() {
    let (place, _clock, mut memory) = setup();
    memory.kept().faults.insert(place.store.key, crate::harness::Fault::Fail);
    let error = scan(&mut memory, &place.store, None).unwrap_err();
    assert_eq!(error.to_string(), "the log is out of order");
}

/// Something somebody does in a store. Names are few, so that operations meet.
#[derive(Clone, Debug)]
enum Doing {
    Write(u8, u8),
    Append(u8, u8),
    Replace(u8, u8),
    Delete(u8),
    Rename(u8, u8),
    RenameDirectory(u8, u8),
    DeleteDirectory(u8),
    Scan,
    ScanPart(u8),
}

fn doing() -> impl Strategy<Value = Doing> {
    let name = 0..12u8;
    prop_oneof![
        4 => (name.clone(), any::<u8>()).prop_map(|(name, content)| Doing::Write(name, content)),
        2 => (name.clone(), any::<u8>()).prop_map(|(name, content)| Doing::Append(name, content)),
        2 => (name.clone(), any::<u8>()).prop_map(|(name, content)| Doing::Replace(name, content)),
        2 => name.clone().prop_map(Doing::Delete),
        2 => (name.clone(), name.clone()).prop_map(|(from, to)| Doing::Rename(from, to)),
        1 => (0..3u8, 0..3u8).prop_map(|(from, to)| Doing::RenameDirectory(from, to)),
        1 => (0..3u8).prop_map(Doing::DeleteDirectory),
        3 => Just(Doing::Scan),
        2 => name.prop_map(Doing::ScanPart),
    ]
}

fn name(number: u8) -> String {
    match number {
        0..4 => format!("{number}.md"),
        4..8 => format!("d{}/{number}.md", number % 3),
        _ => format!("d{}/e/{number}.md", number % 3),
    }
}

/// Does it; what cannot be done, such as deleting what is not there, does nothing.
fn act(place: &Place, doing: &Doing) {
    let at = |number: &u8| place.at(&name(*number));
    match doing {
        Doing::Write(number, content) => place.write(&name(*number), [*content]),
        Doing::Append(number, content) => {
            let mut bytes = fs::read(at(number)).unwrap_or_default();
            bytes.push(*content);
            place.write(&name(*number), bytes);
        }
        Doing::Replace(number, content) => {
            place.write("new~", [*content, *content]);
            place.rename("new~", &name(*number));
        }
        Doing::Delete(number) => drop(fs::remove_file(at(number))),
        Doing::Rename(from, to) => {
            if at(from).exists() {
                place.rename(&name(*from), &name(*to));
            }
        }
        Doing::RenameDirectory(from, to) => {
            drop(fs::rename(place.at(&format!("d{from}")), place.at(&format!("d{to}"))));
        }
        Doing::DeleteDirectory(number) => drop(fs::remove_dir_all(place.at(&format!("d{number}")))),
        Doing::Scan | Doing::ScanPart(_) => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// By the real clock: files are written and scanned within the same tick of the file system's clock, so times prove
    /// little and must not be trusted.
    #[test]
    fn whatever_happens_a_scan_sees_what_is_there(doings in proptest::collection::vec(doing(), 1..40)) {
        let place = Place::new(1);
        let mut memory = Memory::real();
        let key: StoreId = place.store.key;
        for doing in doings.iter().chain([&Doing::Scan]) {
            act(&place, doing);
            let disk = place.files();
            match doing {
                Doing::Scan => {
                    whole(&mut memory, &place);
                    let hashes = disk.iter().map(|(name, bytes)| (name.clone(), Sha256::of(bytes))).collect();
                    prop_assert_eq!(memory.live(key), hashes);
                    for bytes in disk.values() {
                        prop_assert!(memory.kept().observed.contains(&Sha256::of(bytes)));
                    }
                }
                Doing::ScanPart(number) => {
                    part(&mut memory, &place, &[&name(*number)]);
                    let bytes = disk.get(&name(*number)).map(|bytes| Sha256::of(bytes));
                    prop_assert_eq!(memory.live(key).get(&name(*number)).copied(), bytes);
                }
                _ => {}
            }
        }
    }
}
