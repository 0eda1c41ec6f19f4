//! With real events and the real clock: every test waits for a condition, as long as it takes within reason. Scans
//! everything are an hour apart, so that only events can lead to what is found.

use super::*;
use crate::harness::{Memory, Place, path};
use retrace_model::{Sha256, StoreState};
use std::fs;

/// Far longer than anything here takes on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn options() -> Options {
    Options {
        full_every: Duration::from_secs(3600),
        poll_every: Duration::from_secs(3600),
        ..Options::default()
    }
}

fn wait(what: &str, condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < PATIENCE, "{what} did not happen");
        std::thread::yield_now();
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A recorder that has taken its first scan.
fn recording(place: &Place) -> (Memory, Handle) {
    let memory = Memory::real();
    let handle = start(memory.clone(), vec![place.store.clone()], options()).unwrap();
    wait("the first look", || memory.state(place.store.key).is_some());
    (memory, handle)
}

fn wait_for_disk(memory: &Memory, place: &Place) {
    let disk: std::collections::BTreeMap<_, _> =
        place.files().into_iter().map(|(name, bytes)| (name, Sha256::of(&bytes))).collect();
    wait(&format!("{disk:?}"), || memory.live(place.store.key) == disk);
}

#[test]
fn writing_replacing_renaming_and_deleting_are_seen() {
    let place = Place::new(1);
    let (memory, handle) = recording(&place);
    place.write("a.md", "one");
    wait_for_disk(&memory, &place);
    place.write("a.md", "two");
    wait_for_disk(&memory, &place);
    place.write("new~", "three");
    place.rename("new~", "a.md");
    wait_for_disk(&memory, &place);
    place.rename("a.md", "b.md");
    wait_for_disk(&memory, &place);
    fs::remove_file(place.at("b.md")).unwrap();
    wait_for_disk(&memory, &place);
    handle.stop();
    let news = memory.news();
    for line in ["created a.md: one", "modified a.md: two", "modified a.md: three", "deleted b.md"] {
        assert!(news.iter().any(|recorded| recorded == line), "{line} in {news:?}");
    }
}

#[test]
fn directories_made_filled_renamed_and_removed_are_followed() {
    let place = Place::new(1);
    let (memory, _handle) = recording(&place);
    for number in 0..50 {
        place.write(&format!("x/{number}/y/a.md"), format!("{number}"));
    }
    wait_for_disk(&memory, &place);
    place.rename("x", "z/x");
    wait_for_disk(&memory, &place);
    place.write("z/x/7/y/a.md", "changed in the renamed directory");
    wait_for_disk(&memory, &place);
    // The old name again, and a change below the new one's neighbours.
    place.write("x/7/y/a.md", "the old name, another directory");
    wait_for_disk(&memory, &place);
    place.write("x/7/y/b.md", "and in it");
    place.write("z/x/8/y/b.md", "and there");
    wait_for_disk(&memory, &place);
    fs::remove_dir_all(place.at("z")).unwrap();
    wait_for_disk(&memory, &place);
}

#[test]
fn a_store_that_is_removed_and_made_again_is_followed() {
    let place = Place::new(1);
    place.write("a.md", "one");
    let (memory, _handle) = recording(&place);
    wait_for_disk(&memory, &place);
    fs::remove_dir_all(&place.store.root).unwrap();
    wait("missing", || memory.state(place.store.key) == Some(StoreState::Missing));
    assert!(memory.live(place.store.key).is_empty());
    place.write("b.md", "two");
    wait_for_disk(&memory, &place);
    place.write("c.md", "three");
    wait_for_disk(&memory, &place);
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_a_store_is_not_followed() {
    let mut place = Place::new(1);
    let real = place.store.root.clone();
    place.store.root = place.beside("link");
    std::os::unix::fs::symlink(real, &place.store.root).unwrap();
    place.write("a.md", "one");
    let (memory, _handle) = recording(&place);
    assert_eq!(memory.state(place.store.key), Some(StoreState::Moved));
    assert!(memory.live(place.store.key).is_empty(), "nothing in it is read");
}

#[test]
fn wakes_by_hand_and_changes_of_the_stores_are_taken() {
    let (one, two) = (Place::new(1), Place::new(2));
    two.write("a.md", "two");
    let memory = Memory::real();
    let without_events = Options { events: false, ..options() };
    let handle = start(memory.clone(), vec![one.store.clone()], without_events).unwrap();
    wait("the first look", || memory.state(one.store.key).is_some());
    assert!(handle.send(Wake::SetStores(vec![one.store.clone(), two.store.clone()])));
    wait_for_disk(&memory, &two);
    one.write("a.md", "one");
    assert!(handle.send(Wake::Dirty { store: one.store.key, paths: vec![path("a.md")] }));
    wait_for_disk(&memory, &one);
    handle.send(Wake::Stop);
    wait("the end", || !handle.send(Wake::Tick));
}

#[test]
fn events_beyond_what_is_kept_are_one_overflow() {
    let (events, wakes) = channel();
    let waiting = AtomicUsize::new(0);
    for _ in 0..MAX_WAITING + 100 {
        forward(&events, &waiting, Wake::Changed(Vec::new()));
    }
    drop(events);
    let taken: Vec<Wake> = wakes.iter().collect();
    assert_eq!(taken.len(), MAX_WAITING + 1);
    assert!(matches!(taken.last(), Some(Wake::Overflow)));
}
