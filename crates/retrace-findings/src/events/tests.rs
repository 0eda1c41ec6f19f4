use super::*;
use VersionOperation::{Created, Deleted, Modified};
use proptest::prelude::*;

/// A history written down in short: each change with its text.
#[derive(Default)]
struct Story {
    changes: Vec<Change>,
    texts: BTreeMap<u64, String>,
    seconds: i64,
}

impl Story {
    fn after(mut self, seconds: i64) -> Self {
        self.seconds += seconds;
        self
    }

    fn change(mut self, writer: &str, what: VersionOperation, path: &str, text: &str) -> Self {
        let version = self.changes.len() as u64 + 1;
        let mut memory = [0; 16];
        memory[..path.len().min(16)].copy_from_slice(&path.as_bytes()[..path.len().min(16)]);
        self.changes.push(Change {
            version,
            operation: version,
            at: Timestamp::from_micros(self.seconds * 1_000_000),
            writer: match writer {
                "" => Writer::Unknown,
                "me" => Writer::Known,
                id => Writer::Session(id.to_owned()),
            },
            is_exempt: writer == "me",
            memory: MemoryId(memory),
            path: Some(path.to_owned()),
            what,
            redacted_back: false,
        });
        self.texts.insert(version, text.to_owned());
        self
    }

    fn many(self, writer: &str, what: VersionOperation, count: usize) -> Self {
        (0..count).fold(self, |story, number| story.change(writer, what, &format!("{number}.md"), "x"))
    }

    fn found(&self) -> Vec<(String, Vec<u64>)> {
        let count = |what| self.changes.iter().filter(|change| change.what == what).count() as u64;
        let changes = Changes {
            changes: &self.changes,
            memories: count(Created).saturating_sub(count(Deleted)),
            text: &|version| self.texts.get(&version).cloned(),
        };
        check(&changes, &Config::default())
            .into_iter()
            .map(|found| (found.finding.rule.id.clone(), found.versions))
            .collect()
    }

    fn rules(&self) -> Vec<String> {
        self.found().into_iter().map(|(rule, _)| rule).collect()
    }
}

#[test]
fn most_memories_gone_at_once() {
    let there = || Story::default().many("me", Created, 8).after(900);
    assert_eq!(
        there().many("a", Deleted, 5).found(),
        [("events/mass-delete".to_owned(), vec![9, 10, 11, 12, 13])]
    );
    assert_eq!(there().many("a", Deleted, 4).rules(), [""; 0], "few");
    assert_eq!(there().many("me", Deleted, 8).rules(), [""; 0], "asked for");
    let many = || Story::default().many("me", Created, 120).after(900);
    assert_eq!(many().many("a", Deleted, 49).rules(), [""; 0], "less than half");
    assert_eq!(many().many("a", Deleted, 50).rules(), ["events/mass-delete"]);
    let slowly = (0..8)
        .fold(there(), |story, number| story.after(61).change("a", Deleted, &format!("{number}.md"), ""));
    assert_eq!(slowly.rules(), [""; 0], "one after the other");
    assert_eq!(there().many("a", Deleted, 8).many("a", Created, 8).rules(), [""; 0], "a checkout");
}

fn lines(count: usize) -> String {
    (0..count).map(|number| format!("- [a](a{number}.md)\n\n")).collect()
}

#[test]
fn an_index_that_lost_its_lines() {
    let with = |count| Story::default().change("me", Created, "x/MEMORY.md", &lines(count)).after(900);
    assert_eq!(
        with(10).change("a", Modified, "x/MEMORY.md", &lines(5)).found(),
        [("events/index-shrank".to_owned(), vec![2])]
    );
    assert_eq!(with(10).change("a", Modified, "x/MEMORY.md", &lines(6)).rules(), [""; 0]);
    assert_eq!(with(9).change("a", Modified, "x/MEMORY.md", "").rules(), [""; 0]);
    assert_eq!(with(10).change("me", Modified, "x/MEMORY.md", "").rules(), [""; 0]);
    assert_eq!(with(10).change("a", Deleted, "x/MEMORY.md", "").rules(), ["events/index-shrank"]);
    let topic = Story::default().change("me", Created, "a.md", &lines(10));
    assert_eq!(topic.change("a", Modified, "a.md", "").rules(), [""; 0], "no index");
}

#[test]
fn a_writer_nobody_knows_among_known_ones() {
    let known = |count| Story::default().many("a", Created, count).after(900);
    assert_eq!(
        known(10).change("", Modified, "0.md", "y").found(),
        [("events/unknown-writer".to_owned(), vec![11])]
    );
    assert_eq!(known(9).change("", Modified, "0.md", "y").rules(), [""; 0]);
    assert_eq!(known(10).many("", Modified, 2).rules(), [""; 0], "not rare");
    assert_eq!(known(20).many("", Modified, 2).rules().len(), 2);
    assert_eq!(Story::default().many("", Created, 40).rules(), [""; 0], "nobody is known");
}

#[test]
fn two_sessions_on_one_file() {
    let base = || Story::default().change("me", Created, "a.md", "one\n");
    let first = || base().after(60).change("a", Modified, "a.md", "one\ntwo\n").after(300);
    assert_eq!(
        first().change("b", Modified, "a.md", "one\nthree\n").found(),
        [("events/race".to_owned(), vec![3])],
        "written over"
    );
    let apart = first().change("b", Modified, "a.md", "one\ntwo\nthree\n");
    assert_eq!(apart.rules(), [""; 0], "one after the other");
    let turns = apart.after(60).change("a", Modified, "a.md", "one\ntwo\nthree\nfour\n");
    assert_eq!(turns.found(), [("events/race".to_owned(), vec![3, 4])], "took turns");
    assert_eq!(first().change("a", Modified, "a.md", "one\n").rules(), [""; 0], "its own");
    assert_eq!(first().after(400).change("b", Modified, "a.md", "one\n").rules(), [""; 0], "much later");
    assert_eq!(first().change("b", Deleted, "a.md", "").rules(), ["events/race"]);
    assert_eq!(first().change("me", Modified, "a.md", "one\n").rules(), [""; 0], "asked for");
}

#[test]
fn a_rule_that_is_off_finds_nothing() {
    let story = Story::default().many("me", Created, 8).after(900).many("a", Deleted, 8);
    let config = Config::parse("[rules]\nevents = \"off\"\n").unwrap();
    let changes = Changes { changes: &story.changes, memories: 0, text: &|_| None };
    assert!(check(&changes, &config).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_history_panics(reported in proptest::collection::vec((0..4_usize, 0..3_usize, 0..3_usize, -50..4000_i64), 0..40)) {
        let story = reported.iter().fold(Story::default(), |story, (writer, what, path, pause)| {
            let paths = ["MEMORY.md", "a.md", "b.md"];
            story.after(*pause).change(
                ["a", "b", "me", ""][*writer],
                [Created, Modified, Deleted][*what],
                paths[*path],
                &lines(usize::try_from(*pause).unwrap_or(0) % 20),
            )
        });
        for (_, versions) in story.found() {
            prop_assert!(!versions.is_empty() && versions.is_sorted());
        }
    }
}
