use super::*;
use crate::harness::{Clock, Fault, Memory, Place, path};
use std::fs;

struct Bench {
    clock: Clock,
    memory: Memory,
    recorder: Recorder<Memory>,
}

impl Bench {
    /// A recorder that has scanned `places` once.
    fn new(places: &[&Place]) -> Self {
        let clock = Clock::new();
        let memory = Memory::new(&clock);
        let time = clock.clone();
        let mut recorder = Recorder::new(memory.clone(), Options::default(), move || time.passed());
        recorder.take(Wake::SetStores(places.iter().map(|place| place.store.clone()).collect()));
        let mut bench = Self { clock, memory, recorder };
        bench.recorder.work();
        bench.memory.news();
        bench
    }

    fn dirty(&mut self, place: &Place, paths: &[&str]) {
        let paths = paths.iter().map(|text| path(text)).collect();
        self.recorder.take(Wake::Dirty { store: place.store.key, paths });
    }

    /// Lets time pass and the recorder work when it wants to; what it recorded, each with the time, in milliseconds.
    fn pass(&mut self, millis: u64) -> Vec<(u128, String)> {
        let (began, mut news) = (self.clock.passed(), Vec::new());
        let end = began + Duration::from_millis(millis);
        while let Some(due) = self.recorder.next().filter(|due| *due <= end) {
            let wait = due.saturating_sub(self.clock.passed());
            self.clock.advance(u64::try_from(wait.as_millis()).unwrap());
            self.recorder.work();
            let at = (self.clock.passed() - began).as_millis();
            news.extend(self.memory.news().into_iter().map(|line| (at, line)));
        }
        let rest = end.saturating_sub(self.clock.passed());
        self.clock.advance(u64::try_from(rest.as_millis()).unwrap());
        news
    }

    fn watched(&mut self, place: &Place) -> &mut Watched {
        self.recorder.stores.get_mut(&place.store.key).unwrap()
    }
}

fn at(millis: u128, line: &str) -> (u128, String) {
    (millis, line.to_owned())
}

#[test]
fn a_change_is_scanned_when_it_is_quiet() {
    let place = Place::new(1);
    let mut bench = Bench::new(&[&place]);
    place.write_now("a.md", "one", &bench.clock);
    bench.dirty(&place, &["a.md"]);
    assert_eq!(bench.pass(59), []);
    assert_eq!(bench.pass(1), [at(1, "created a.md: one")]);
    assert_eq!(bench.pass(1000), []);
}

#[test]
fn a_path_that_is_never_quiet_is_scanned_all_the_same() {
    let place = Place::new(1);
    let mut bench = Bench::new(&[&place]);
    let mut seen = Vec::new();
    for number in 0..20u64 {
        place.write_now("a.md", format!("{number}"), &bench.clock);
        bench.dirty(&place, &["a.md"]);
        let passed = u128::from(number) * 50;
        seen.extend(bench.pass(50).into_iter().map(|(at, line)| (at + passed, line)));
    }
    let times: Vec<u128> = seen.iter().map(|(at, _)| *at).collect();
    assert_eq!(times, [250, 500, 750, 1000]);
    assert_eq!(seen.last().unwrap().1, "modified a.md: 19");
}

#[test]
fn a_file_that_was_truncated_is_given_time_to_be_written() {
    let place = Place::new(1);
    place.write("a.md", "old");
    let mut bench = Bench::new(&[&place]);
    place.write_now("a.md", "", &bench.clock);
    bench.dirty(&place, &["a.md"]);
    assert_eq!(bench.pass(100), []);
    place.write_now("a.md", "new", &bench.clock);
    bench.dirty(&place, &["a.md"]);
    assert_eq!(bench.pass(100), [at(60, "modified a.md: new")]);

    place.write_now("a.md", "", &bench.clock);
    bench.dirty(&place, &["a.md"]);
    assert_eq!(bench.pass(1000), [at(250, "modified a.md: ")], "one that stays empty is recorded");
}

#[test]
fn a_fresh_file_found_by_a_full_scan_is_given_time_too() {
    let place = Place::new(1);
    let mut bench = Bench::new(&[&place]);
    place.write_now("x/fresh.md", "new", &bench.clock);
    place.write("x/old.md", "old");
    bench.recorder.take(Wake::Rescan(place.store.key));
    assert_eq!(bench.pass(200), [at(0, "created x/old.md: old"), at(60, "created x/fresh.md: new")]);
}

#[test]
fn a_rename_is_seen_in_one_scan() {
    let place = Place::new(1);
    place.write("a.md", "text");
    let mut bench = Bench::new(&[&place]);
    // The old name has been marked for some time, the new one only now.
    bench.dirty(&place, &["a.md"]);
    assert_eq!(bench.pass(50), []);
    place.rename("a.md", "x/b.md");
    bench.dirty(&place, &["a.md", "x", "x/b.md"]);
    assert_eq!(bench.pass(100), [at(60, "renamed a.md to x/b.md")]);

    bench.dirty(&place, &["x/b.md"]);
    bench.pass(30);
    place.rename("x/b.md", "c.md");
    place.age("c.md", &bench.clock, 0);
    bench.dirty(&place, &["c.md"]);
    assert_eq!(bench.pass(100), [at(30, "renamed x/b.md to c.md")], "however fresh");
}

#[test]
fn a_renamed_directory_is_seen_in_one_scan() {
    let place = Place::new(1);
    place.write("x/a.md", "one");
    place.write("x/y/b.md", "two");
    let mut bench = Bench::new(&[&place]);
    place.rename("x", "z");
    bench.dirty(&place, &["x", "z"]);
    assert_eq!(bench.pass(100), [at(60, "renamed x/a.md to z/a.md"), at(60, "renamed x/y/b.md to z/y/b.md")]);
}

#[test]
fn names_that_are_left_out_cause_no_scan() {
    let place = Place::new(1);
    let mut bench = Bench::new(&[&place]);
    let asked = bench.memory.kept().heads_asked;
    bench.dirty(&place, &["a.md~", "x/.#b.md", "node_modules/x/c.md", "a/.git/index", "4913"]);
    bench.pass(1000);
    assert_eq!(bench.memory.kept().heads_asked, asked);
}

#[test]
fn lost_events_are_made_up_for() {
    let place = Place::new(1);
    let mut bench = Bench::new(&[&place]);
    place.write("a.md", "one");
    bench.recorder.take(Wake::Overflow);
    assert_eq!(bench.pass(0), [at(0, "created a.md: one")]);
    place.write("a.md", "two, and no event");
    assert_eq!(bench.pass(29_999), []);
    assert_eq!(bench.pass(1), [at(1, "modified a.md: two, and no event")]);
}

#[test]
fn events_find_their_store() {
    let (one, two) = (Place::new(1), Place::new(2));
    let mut bench = Bench::new(&[&one, &two]);
    one.write("a.md", "one");
    two.write("b.md", "two");
    two.write("c.md", "three");
    bench.recorder.take(Wake::Changed(vec![one.at("a.md"), one.beside("neighbour")]));
    assert_eq!(bench.pass(100), [at(60, "created a.md: one")]);
    bench.recorder.take(Wake::Changed(vec![two.store.root.clone()]));
    assert_eq!(bench.pass(100), [at(0, "created b.md: two"), at(0, "created c.md: three")]);
}

#[test]
fn a_store_inside_another_gets_its_own_events() {
    let outer = Place::new(1);
    let mut inner = Place::new(2);
    inner.store.root = outer.at("inner");
    fs::create_dir(outer.at("inner")).unwrap();
    let mut bench = Bench::new(&[&outer, &inner]);
    outer.write("inner/a.md", "one");
    bench.recorder.take(Wake::Changed(vec![outer.at("inner/a.md")]));
    assert_eq!(bench.pass(100), [at(60, "created inner/a.md: one"), at(60, "created a.md: one")]);
}

#[test]
fn very_many_events_are_one_full_scan() {
    let place = Place::new(1);
    let mut bench = Bench::new(&[&place]);
    place.write("a.md", "one");
    let names: Vec<String> = (0..=MAX_MARKS).map(|number| format!("{number}.md")).collect();
    bench.dirty(&place, &names.iter().map(String::as_str).collect::<Vec<_>>());
    let asked = bench.memory.kept().heads_asked;
    assert_eq!(bench.pass(1000), [at(0, "created a.md: one")]);
    assert_eq!(bench.memory.kept().heads_asked, asked + 1);
}

#[test]
fn a_large_file_is_left_until_it_is_quiet() {
    let mut place = Place::new(1);
    place.store.rules.max_file_bytes = 4;
    let mut bench = Bench::new(&[&place]);
    place.write_now("a.md", "12345", &bench.clock);
    bench.dirty(&place, &["a.md"]);
    assert_eq!(bench.pass(1000), []);
    assert_eq!(bench.memory.state(place.store.key), Some(StoreState::Limited));
    bench.recorder.take(Wake::Rescan(place.store.key));
    assert_eq!(bench.pass(1000), []);
    assert_eq!(bench.pass(30_000), [at(29_000, "created a.md: (5 bytes)")]);
}

#[test]
fn a_directory_that_goes_and_reappears() {
    let place = Place::new(1);
    place.write("a.md", "one");
    let mut bench = Bench::new(&[&place]);
    fs::rename(&place.store.root, place.beside("elsewhere")).unwrap();
    bench.recorder.take(Wake::Changed(vec![place.store.root.clone()]));
    assert_eq!(bench.pass(10), [at(0, "deleted a.md")]);
    assert_eq!(bench.memory.state(place.store.key), Some(StoreState::Missing));
    let asked = bench.memory.kept().heads_asked;
    bench.pass(10_000);
    assert_eq!(bench.memory.kept().heads_asked, asked, "waiting costs the log nothing");
    fs::rename(place.beside("elsewhere"), &place.store.root).unwrap();
    assert_eq!(bench.pass(1000), [at(990, "created a.md: one")]);
    assert_eq!(bench.memory.state(place.store.key), Some(StoreState::Recording));
}

#[test]
fn another_directory_at_the_same_path_is_scanned_in_full() {
    let place = Place::new(1);
    place.write("a.md", "one");
    place.write("b.md", "two");
    let mut bench = Bench::new(&[&place]);
    fs::rename(&place.store.root, place.beside("elsewhere")).unwrap();
    place.write("b.md", "other");
    // Only one path is pointed at.
    bench.dirty(&place, &["c.md"]);
    assert_eq!(bench.pass(100), [at(60, "modified b.md: other"), at(60, "deleted a.md")]);
}

#[test]
fn an_unmounted_file_system_keeps_its_memories() {
    let place = Place::new(1);
    place.write("a.md", "one");
    let mut bench = Bench::new(&[&place]);
    // As if the store had been on another file system, which is now unmounted: the mount point is empty.
    let identity = bench.watched(&place).identity.unwrap();
    bench.watched(&place).identity = Some(Identity { device: identity.device + 1, ..identity });
    fs::remove_file(place.at("a.md")).unwrap();
    assert_eq!(bench.pass(40_000), []);
    assert_eq!(bench.memory.state(place.store.key), Some(StoreState::Missing));
    assert!(bench.memory.detail(place.store.key).contains("not mounted"));
    fs::remove_dir(&place.store.root).unwrap();
    assert_eq!(bench.pass(40_000), []);
    place.write("a.md", "mounted again");
    assert_eq!(bench.pass(1000).len(), 1);
    assert_eq!(bench.memory.state(place.store.key), Some(StoreState::Recording));
}

#[cfg(unix)]
#[test]
fn lost_permission_deletes_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new(1);
    place.write("a.md", "one");
    place.write("closed/b.md", "two");
    let mut bench = Bench::new(&[&place]);
    let allow = |name: &str, mode| {
        fs::set_permissions(place.at(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    allow("closed", 0o000);
    if fs::read_dir(place.at("closed")).is_ok() {
        return; // Root may read everything; run as an ordinary user to see this.
    }
    bench.dirty(&place, &["closed"]);
    assert_eq!(bench.pass(100), []);
    assert_eq!(bench.memory.state(place.store.key), Some(StoreState::Limited));
    assert_eq!(bench.memory.detail(place.store.key), "closed may not be read");
    allow("", 0o000);
    bench.recorder.take(Wake::Overflow);
    assert_eq!(bench.pass(5000), []);
    assert_eq!(bench.memory.state(place.store.key), Some(StoreState::Denied));
    allow("", 0o700);
    allow("closed", 0o700);
    place.write("closed/b.md", "three");
    assert_eq!(bench.pass(1000).len(), 1);
    assert_eq!(bench.memory.state(place.store.key), Some(StoreState::Recording));
}

#[test]
fn a_failing_store_does_not_stop_the_others() {
    for fault in [Fault::Fail, Fault::Panic] {
        let (good, bad) = (Place::new(2), Place::new(1));
        let mut bench = Bench::new(&[&good, &bad]);
        bench.memory.kept().faults.insert(bad.store.key, fault);
        good.write("a.md", "good");
        bad.write("a.md", "bad");
        bench.dirty(&bad, &["a.md"]);
        bench.dirty(&good, &["a.md"]);
        assert_eq!(bench.pass(100), [at(60, "created a.md: good")]);
        assert_eq!(bench.memory.state(bad.store.key), Some(StoreState::Limited));
        assert!(bench.memory.detail(bad.store.key).starts_with("recording failed and is tried again: "));
        assert_eq!(bench.memory.state(good.store.key), Some(StoreState::Recording));

        // Tried again after 1, 2, 4 … seconds, and then nothing was forgotten.
        bench.pass(960);
        assert_eq!(bench.watched(&bad).failures, 2);
        bench.memory.kept().faults.clear();
        assert_eq!(bench.pass(1999), []);
        assert_eq!(bench.pass(1).len(), 1);
        assert_eq!(bench.memory.state(bad.store.key), Some(StoreState::Recording));
        assert_eq!(bench.watched(&bad).failures, 0);
    }
}

#[test]
fn the_pause_after_failures_has_a_limit_and_asking_ends_it() {
    let place = Place::new(1);
    let mut bench = Bench::new(&[&place]);
    bench.memory.kept().faults.insert(place.store.key, Fault::Fail);
    bench.recorder.take(Wake::Overflow);
    bench.pass(3_600_000);
    assert!((60..75).contains(&bench.watched(&place).failures));
    bench.memory.kept().faults.clear();
    place.write("a.md", "one");
    bench.recorder.take(Wake::Rescan(place.store.key));
    assert_eq!(bench.pass(0).len(), 1);
}

#[test]
fn a_store_that_takes_long_to_scan_is_scanned_less_often() {
    let place = Place::new(1);
    let mut bench = Bench::new(&[&place]);
    bench.memory.kept().faults.insert(place.store.key, Fault::Slow(1000));
    bench.pass(32_000);
    bench.memory.kept().faults.clear();
    let asked = bench.memory.kept().heads_asked;
    bench.pass(195_000);
    assert_eq!(bench.memory.kept().heads_asked, asked);
    bench.pass(10_000);
    assert_eq!(bench.memory.kept().heads_asked, asked + 1);
}

#[test]
fn stores_come_and_go() {
    let (one, two) = (Place::new(1), Place::new(2));
    let mut bench = Bench::new(&[&one]);
    let asked = bench.memory.kept().heads_asked;
    one.write("a.md", "one");
    two.write("b.md", "two");
    bench.recorder.take(Wake::SetStores(vec![one.store.clone(), two.store.clone()]));
    assert_eq!(bench.pass(10), [at(0, "created b.md: two")], "the first is not looked at again for that");
    assert_eq!(bench.memory.kept().heads_asked, asked + 1);
    bench.recorder.take(Wake::SetStores(vec![two.store.clone()]));
    bench.dirty(&one, &["a.md"]);
    assert_eq!(bench.pass(60_000), []);
    bench.recorder.take(Wake::SetStores(Vec::new()));
    assert_eq!(bench.recorder.next(), None);
}

#[test]
fn a_status_is_reported_when_it_changes() {
    let place = Place::new(1);
    let mut bench = Bench::new(&[&place]);
    bench.dirty(&place, &["a.md"]);
    bench.pass(100_000);
    assert_eq!(bench.memory.kept().statuses.len(), 1);
}

#[test]
fn every_content_that_stands_for_300_ms_is_seen() {
    const FILES: u64 = 20;
    let place = Place::new(1);
    let mut bench = Bench::new(&[&place]);
    let mut written = Vec::new();
    // Every 15 ms another file gets a new content, so each stands for 300 ms; in three writes, the first two of which
    // truncate it and leave it half written.
    for number in 0..FILES * 10 {
        let name = format!("{}.md", number % FILES);
        for (part, wait) in [("", 3), ("half", 4), ("whole", 8)] {
            let content = if part == "whole" { format!("content {number}") } else { part.to_owned() };
            place.write_now(&name, &content, &bench.clock);
            bench.dirty(&place, &[&name]);
            bench.pass(wait);
        }
        written.push(retrace_model::Sha256::of(format!("content {number}").as_bytes()));
    }
    bench.pass(300);
    let kept = bench.memory.kept();
    assert!(written.iter().all(|content| kept.observed.contains(content)));
    assert_eq!(kept.observed.len(), written.len(), "and nothing half written");
}
