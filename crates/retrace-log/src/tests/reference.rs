//! Random work on the log against a model of plain maps: writes, deletes, renames, redactions, reviews, rebuilding, crashes,
//! purges.

use super::harness::*;
use crate::*;
use proptest::prelude::*;
use retrace_model::{RelPath, Verdict, VersionOperation};
use std::collections::{BTreeMap, BTreeSet};

const PATHS: [&str; 6] = ["a.md", "b.md", "dir/a.md", "dir/b.md", "dir/deep/c.md", "z.md"];

/// Words that stand in the texts; of the same length, so that none begins another.
const WORDS: usize = 24;

fn word(number: usize) -> String {
    format!("word{number:02}")
}

/// One thing that happens.
#[derive(Clone, Debug)]
enum Step {
    Put {
        path: usize,
        lines: Vec<usize>,
    },
    Delete {
        path: usize,
    },
    Rename {
        from: usize,
        to: usize,
    },
    Redact {
        pick: usize,
    },
    /// A transaction that is begun, appended to and never committed; then the process is another one.
    Crash {
        path: usize,
    },
    /// One of two people says of a memory, or of all, that they know it as it is.
    Review {
        person: usize,
        pick: Option<usize>,
        rejected: bool,
    },
    /// Ada takes one of her reviews back.
    UndoReview {
        pick: usize,
    },
    /// Somebody tells what was before: the last at a path, what came before perhaps at another; `None` for a deletion.
    Rebuild {
        from: usize,
        path: usize,
        reported: Vec<(i64, Option<Vec<usize>>)>,
    },
    /// A rebuilding is taken back, or a taking back.
    Withdraw {
        pick: usize,
    },
    Index,
    Purge,
}

const PEOPLE: [&str; 2] = ["ada", "ben"];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let path = || 0..PATHS.len();
    let step = prop_oneof![
        8 => (path(), proptest::collection::vec(0..WORDS, 0..7)).prop_map(|(path, lines)| Step::Put { path, lines }),
        3 => path().prop_map(|path| Step::Delete { path }),
        3 => (path(), path()).prop_map(|(from, to)| Step::Rename { from, to }),
        2 => any::<usize>().prop_map(|pick| Step::Redact { pick }),
        1 => path().prop_map(|path| Step::Crash { path }),
        4 => (0..PEOPLE.len(), proptest::option::of(any::<usize>()), any::<bool>())
            .prop_map(|(person, pick, rejected)| Step::Review { person, pick, rejected }),
        2 => any::<usize>().prop_map(|pick| Step::UndoReview { pick }),
        3 => (path(), path(), reported()).prop_map(|(from, path, reported)| Step::Rebuild { from, path, reported }),
        1 => any::<usize>().prop_map(|pick| Step::Withdraw { pick }),
        1 => Just(Step::Index),
        1 => Just(Step::Purge),
    ];
    proptest::collection::vec(step, 1..80)
}

/// Up to four states in the order of time, at few enough instants that sources tell of the same one.
fn reported() -> impl Strategy<Value = Vec<(i64, Option<Vec<usize>>)>> {
    let text = proptest::option::weighted(0.8, proptest::collection::vec(0..WORDS, 0..3));
    proptest::collection::vec((-12..0i64, text), 1..5).prop_map(|mut reported| {
        reported.sort_by_key(|(at, _)| *at);
        reported
    })
}

#[derive(Clone, Debug, PartialEq)]
struct ModelVersion {
    /// Of a rebuilt one the minute it happened, and its operation.
    past: Option<(i64, u64)>,
    withdrawn: bool,
    memory: usize,
    operation: VersionOperation,
    /// `None` when redacted.
    path: Option<&'static str>,
    /// `None` for a deletion and when redacted.
    text: Option<String>,
    redacted: bool,
    /// Where it was, and whether it was a deletion, from when it is redacted.
    place: Option<(&'static str, bool)>,
}

/// A state that a line tells of: the minute, the path, the content, and whether it is in the log, redacted, of which memory.
type Reported = (i64, &'static str, Option<String>, Option<usize>);

/// Model of the log.
#[derive(Default)]
struct Model {
    versions: Vec<ModelVersion>,
    /// Newest version by live path.
    live: BTreeMap<&'static str, usize>,
    /// Contents of the files, redacted or not.
    disk: BTreeMap<&'static str, String>,
    /// Newest version by live path, after each operation.
    after: Vec<BTreeMap<&'static str, usize>>,
    memories: usize,
    reviews: Vec<ModelReview>,
    /// Operations that rebuilt, with the newest of the row of operations that take one back.
    rebuildings: Vec<(u64, u64)>,
    /// Contents that were redacted and are known again.
    kept_out: BTreeSet<String>,
}

/// An act of review as the model keeps it.
struct ModelReview {
    person: usize,
    rejected: bool,
    /// Versions reviewed and known from then on, by memory, from 0.
    reviewed_seq: BTreeMap<usize, (usize, usize)>,
    /// It does not count: it was taken back, or takes another back.
    void: bool,
}

impl Model {
    fn new() -> Self {
        Self { after: vec![BTreeMap::new()], ..Self::default() }
    }

    fn text_at(&self, path: &str) -> Option<&String> {
        self.live.get(path).and_then(|version| self.versions[*version].text.as_ref())
    }

    fn push(&mut self, memory: usize, operation: VersionOperation, path: &'static str, text: Option<String>) {
        match operation {
            VersionOperation::Deleted => drop(self.live.remove(path)),
            _ => drop(self.live.insert(path, self.versions.len())),
        }
        let (past, withdrawn, redacted) = (None, false, false);
        self.versions.push(ModelVersion {
            past,
            withdrawn,
            memory,
            operation,
            path: Some(path),
            text,
            redacted,
            place: None,
        });
    }

    /// What comes of states that a line tells of: those that are redacted at their place stay out, or come masked.
    fn fated(&self, reported: &[(i64, &'static str, Option<String>)]) -> Vec<Reported> {
        let marker = format!("{MARKER}\n");
        let fate = |(minute, path, text): &(i64, &'static str, Option<String>)| {
            let may_be = text.as_ref().is_none_or(|text| *text == marker || text.len() < SHORTEST_KEPT_OUT);
            let is_it = |it: &&ModelVersion| {
                may_be
                    && it.past.is_some_and(|(other, _)| other == *minute)
                    && it.place == Some((*path, text.is_none()))
            };
            let there = self.versions.iter().filter(is_it).find(|it| !it.withdrawn).map(|it| it.memory);
            let is_masked = there.is_none() && self.versions.iter().any(|it| is_it(&it));
            let masked = || if is_masked { marker.clone() } else { text.clone().unwrap_or_default() };
            (*minute, *path, text.as_ref().map(|_| masked()), there)
        };
        reported.iter().map(fate).collect()
    }

    /// Places of the rebuilt versions of a memory that count, in true order.
    fn past_of(&self, memory: usize) -> Vec<usize> {
        let counts = |at: &usize| {
            let version = &self.versions[*at];
            version.memory == memory && version.past.is_some() && !version.withdrawn
        };
        let mut past: Vec<usize> = (0..self.versions.len()).filter(counts).collect();
        past.sort_by_key(|at| (self.versions[*at].past.map(|(minute, _)| minute), *at));
        past
    }

    fn first_observed(&self, memory: usize) -> Option<usize> {
        self.versions.iter().position(|version| version.memory == memory && version.past.is_none())
    }

    /// The memory that a line belongs to, in a log that observed nothing before the line ends.
    fn home(&self, reported: &[Reported]) -> Option<usize> {
        let (_, last, text, _) = reported.last()?;
        let (last, there) = (*last, text.is_some());
        let was_at = |memory: usize, path: &str| {
            let versions = self.versions.iter().any(|it| it.memory == memory && it.path == Some(path));
            versions || self.live.get(path).is_some_and(|at| self.versions[*at].memory == memory)
        };
        let began_here = |memory: &usize| {
            let first = self.first_observed(*memory).map(|at| &self.versions[at]);
            first.is_some_and(|first| first.redacted || first.path == Some(last)) && was_at(*memory, last)
        };
        // One that is known to have begun there goes before one whose path is redacted.
        let order = |memory: &usize| {
            let first = self.first_observed(*memory);
            (first.is_none_or(|at| self.versions[at].path != Some(last)), first)
        };
        let found = (0..self.memories).filter(began_here).min_by_key(order);
        if there && found.is_some() {
            return found;
        }
        let mut redacted = reported.iter().rev().filter_map(|it| it.3);
        if let Some(memory) = redacted.find(|memory| self.first_observed(*memory).is_none()) {
            return Some(memory);
        }
        let candidates = (0..self.memories).filter(|memory| {
            let ended_at = self.past_of(*memory).last().and_then(|at| self.versions[*at].path);
            self.first_observed(*memory).is_none() && ended_at == Some(last)
        });
        let mut continued = None;
        for memory in candidates {
            let past = self.past_of(memory);
            let is_told_again = past.iter().any(|at| {
                let known = &self.versions[*at];
                let minute = known.past.map(|(minute, _)| minute);
                reported.iter().any(|(other, path, text, _)| {
                    minute == Some(*other) && known.path == Some(*path) && known.text == *text
                })
            });
            // Where each stands after each minute, as far as that is known.
            let stood_apart = (-13..=0).any(|minute| {
                let mut known = past.iter().map(|at| &self.versions[*at]);
                let known = known.rfind(|it| it.past.is_some_and(|(other, _)| other <= minute));
                let known = known.filter(|it| it.operation != VersionOperation::Deleted);
                let told = reported.iter().rfind(|(other, ..)| *other <= minute);
                let told = told.filter(|(_, _, text, _)| text.is_some()).map(|(_, path, ..)| *path);
                known.and_then(|it| it.path).zip(told).is_some_and(|(one, other)| one != other)
            });
            if is_told_again {
                return Some(memory);
            }
            if !stood_apart {
                continued = continued.or(Some(memory));
            }
        }
        continued
    }

    /// Versions that a line adds.
    fn rebuild(&mut self, reported: &[(i64, &'static str, Option<String>)], operation: u64) -> bool {
        let reported = self.fated(reported);
        let home = self.home(&reported);
        let existing = home.map(|memory| self.past_of(memory)).unwrap_or_default();
        let old = |at: usize| {
            let it = &self.versions[at];
            (it.past.map_or(0, |(minute, _)| minute), it.path, it.text.clone(), it.operation, None)
        };
        let mut all: Vec<_> = existing.iter().map(|at| old(*at)).collect();
        let mut kept: Vec<&Reported> = Vec::new();
        for it in &reported {
            let repeats = match kept.last() {
                None => it.2.is_none(),
                Some(before) => before.2 == it.2 && (it.2.is_none() || before.1 == it.1),
            };
            if !repeats {
                kept.push(it);
            }
        }
        let (mut news, mut known_at) = (Vec::new(), None);
        for (minute, path, text, there) in kept.into_iter().rev() {
            let known = all.iter().any(|it| it.0 == *minute && it.1 == Some(*path) && it.2 == *text);
            if there.is_some() || known || known_at == Some(*minute) {
                known_at = Some(*minute);
                continue;
            }
            let operation =
                if text.is_none() { VersionOperation::Deleted } else { VersionOperation::Modified };
            news.push((*minute, Some(*path), text.clone(), operation, Some(*path)));
        }
        all.extend(news.into_iter().rev());
        all.sort_by_key(|it| it.0);
        let gone = |it: &(i64, Option<&str>, Option<String>, VersionOperation, Option<&str>)| {
            it.3 == VersionOperation::Deleted
        };
        let same = |a: &(
            i64,
            Option<&'static str>,
            Option<String>,
            VersionOperation,
            Option<&'static str>,
        ),
                    b: &(
            i64,
            Option<&'static str>,
            Option<String>,
            VersionOperation,
            Option<&'static str>,
        )| {
            gone(a) && gone(b) || !gone(a) && !gone(b) && a.2.is_some() && (a.1, &a.2) == (b.1, &b.2)
        };
        let mut at = 0;
        while at < all.len() {
            let repeats = if at == 0 { gone(&all[0]) } else { same(&all[at - 1], &all[at]) };
            if all[at].4.is_some() && repeats {
                all.remove(at);
            } else {
                at += 1;
            }
        }
        if all.iter().all(|it| it.4.is_none()) {
            return false;
        }
        let memory = home.unwrap_or(self.memories);
        self.memories = self.memories.max(memory + 1);
        for at in 0..all.len() {
            let Some(path) = all[at].4 else { continue };
            let starts = at == 0 || gone(&all[at - 1]);
            let operation = match all[at].3 {
                VersionOperation::Deleted => VersionOperation::Deleted,
                _ if starts => VersionOperation::Created,
                _ => VersionOperation::Modified,
            };
            self.versions.push(ModelVersion {
                past: Some((all[at].0, self.after.len() as u64)),
                withdrawn: false,
                memory,
                operation,
                path: Some(path),
                text: all[at].2.clone(),
                redacted: false,
                place: None,
            });
        }
        self.rebuildings.push((operation, operation));
        true
    }

    /// Places of all versions that count, as lists show them: observed ones, then rebuilt ones, the newest first.
    fn listed(&self) -> Vec<usize> {
        let key = |at: &usize| match self.versions[*at].past {
            None => (1, 0, *at),
            Some((minute, _)) => (0, minute, *at),
        };
        let mut all: Vec<usize> =
            (0..self.versions.len()).filter(|at| !self.versions[*at].withdrawn).collect();
        all.sort_by_key(key);
        all.reverse();
        all
    }

    /// The version of the same memory before one, in true order.
    fn before(&self, at: usize) -> Option<usize> {
        let version = &self.versions[at];
        let observed = (0..at)
            .rfind(|it| self.versions[*it].memory == version.memory && self.versions[*it].past.is_none());
        let past = self.past_of(version.memory);
        match version.past {
            None => observed.or_else(|| past.last().copied()),
            Some((minute, _)) => past
                .into_iter()
                .rfind(|it| (self.versions[*it].past.map_or(0, |(other, _)| other), *it) < (minute, at)),
        }
    }

    fn put(&mut self, path: &'static str, text: String) {
        if self.text_at(path) == Some(&text) {
            return;
        }
        let (memory, operation) = match self.live.get(path) {
            Some(version) => (self.versions[*version].memory, VersionOperation::Modified),
            None => (self.dormant(path), VersionOperation::Created),
        };
        self.push(memory, operation, path, Some(text));
    }

    /// The memory last deleted from a path, or a new one.
    fn dormant(&mut self, path: &str) -> usize {
        let newest = |memory: usize| self.newest_of(memory);
        let deleted_here = |version: &ModelVersion| {
            version.operation == VersionOperation::Deleted && version.path == Some(path)
        };
        let rested =
            (0..self.memories).filter_map(newest).filter(|at| deleted_here(&self.versions[*at])).max();
        rested.map_or_else(
            || {
                self.memories += 1;
                self.memories - 1
            },
            |at| self.versions[at].memory,
        )
    }

    fn delete(&mut self, path: &'static str) {
        if let Some(version) = self.live.get(path) {
            self.push(self.versions[*version].memory, VersionOperation::Deleted, path, None);
        }
    }

    /// A rename as a scan sees it: `text` gone from one path and at another.
    fn rename(&mut self, from: &'static str, to: &'static str, text: String) {
        let known = self.text_at(from) == Some(&text);
        if known && !text.is_empty() && !self.live.contains_key(to) {
            let version = self.live.remove(from).expect("it lives");
            self.push(self.versions[version].memory, VersionOperation::Modified, to, Some(text));
        } else {
            self.delete(from);
            self.put(to, text);
        }
    }

    fn redact(&mut self, chosen: usize) {
        let text = self.versions[chosen].text.clone();
        self.kept_out.extend(text.clone().filter(|text| text.len() >= SHORTEST_KEPT_OUT));
        for at in 0..self.versions.len() {
            let version = &mut self.versions[at];
            if at == chosen || (text.is_some() && version.text == text) {
                version.place = version.place.or(version.path.map(|path| (path, version.text.is_none())));
                (version.path, version.text, version.redacted) = (None, None, true);
            }
        }
    }

    /// The newest observed version of a memory.
    fn newest_of(&self, memory: usize) -> Option<usize> {
        self.versions.iter().rposition(|version| version.memory == memory && version.past.is_none())
    }

    /// The newest version of a memory that a person knows.
    fn mark(&self, person: usize, memory: usize) -> Option<usize> {
        let counts = |review: &&ModelReview| review.person == person && !review.void;
        let known = self.reviews.iter().filter(counts).filter_map(|review| review.reviewed_seq.get(&memory));
        known.map(|(_, through)| *through).max()
    }

    /// Known and newest version of every memory that a person has left to review, newest first, counted from 1.
    fn unreviewed(&self, person: usize) -> Vec<(Option<u64>, u64)> {
        let mut left: Vec<(Option<u64>, u64)> = (0..self.memories)
            .filter_map(|memory| Some((self.mark(person, memory), self.newest_of(memory)?)))
            .filter(|(mark, newest)| mark.is_none_or(|mark| mark < *newest))
            .map(|(mark, newest)| (mark.map(|mark| mark as u64 + 1), newest as u64 + 1))
            .collect();
        left.sort_by_key(|(_, newest)| std::cmp::Reverse(*newest));
        left
    }

    /// True if a person rejected what a version brings, before it and not taken back.
    fn was_rejected(&self, person: usize, at: usize) -> bool {
        let version = &self.versions[at];
        if version.redacted || version.past.is_some() {
            return false;
        }
        self.reviews
            .iter()
            .filter(|review| review.person == person && review.rejected && !review.void)
            .flat_map(|review| review.reviewed_seq.values())
            .filter(|(reviewed_seq, _)| *reviewed_seq < at)
            .any(|(reviewed_seq, _)| {
                let before = &self.versions[*reviewed_seq];
                match version.operation {
                    VersionOperation::Deleted => {
                        before.operation == VersionOperation::Deleted && before.memory == version.memory
                    }
                    _ => version.text.is_some() && before.text == version.text,
                }
            })
    }

    /// Notes what is live when the log appended an operation.
    fn note_operations(&mut self, cursor: u64) {
        while self.after.len() as u64 <= cursor {
            self.after.push(self.live.clone());
        }
    }

    /// Words that a search of history finds a version by: those of lines that neither the one before in true order has nor
    /// the one before that the index goes by.
    fn words_brought_in(&self, at: usize) -> BTreeSet<String> {
        let version = &self.versions[at];
        let goes_by = |other: &&ModelVersion| {
            let same_part = match version.past {
                None => other.past.is_none(),
                Some((_, operation)) => other.past.is_some_and(|(_, its)| its == operation),
            };
            other.memory == version.memory && same_part
        };
        let indexed = self.words_not_in(at, self.versions[..at].iter().rfind(goes_by));
        let truly = self.words_not_in(at, self.before(at).map(|before| &self.versions[before]));
        indexed.intersection(&truly).cloned().collect()
    }

    fn words_not_in(&self, at: usize, before: Option<&ModelVersion>) -> BTreeSet<String> {
        let version = &self.versions[at];
        let before = before.and_then(|before| before.text.clone()).unwrap_or_default();
        let known: BTreeSet<&str> = before.lines().collect();
        let text = version.text.clone().unwrap_or_default();
        text.lines()
            .filter(|line| !known.contains(line))
            .flat_map(str::split_whitespace)
            .map(str::to_owned)
            .collect()
    }
}

fn text(lines: &[usize]) -> String {
    lines.iter().map(|line| format!("{} {}\n", word(*line), word((line * 7 + 1) % WORDS))).collect()
}

/// Does a step to the log and to the model.
fn step(mut log: TestLog, model: &mut Model, step: &Step, number: u64) -> TestLog {
    let store = log.store;
    match step {
        Step::Put { path, lines } => {
            let (path, text) = (PATHS[*path], text(lines));
            log.put(path, &text);
            model.disk.insert(path, text.clone());
            model.put(path, text);
        }
        Step::Delete { path } => {
            log.delete(PATHS[*path]);
            model.disk.remove(PATHS[*path]);
            model.delete(PATHS[*path]);
        }
        Step::Rename { from, to } => {
            let (from, to) = (PATHS[*from], PATHS[*to]);
            if from != to
                && let Some(text) = model.disk.remove(from)
            {
                log.scan(vec![gone(store, from), put(store, to, &text)]);
                model.disk.insert(to, text.clone());
                model.rename(from, to, text);
            }
        }
        Step::Redact { pick } if !model.versions.is_empty() => {
            let chosen = pick % model.versions.len();
            log.redact(&[chosen as u64 + 1]);
            if !model.versions[chosen].redacted {
                model.redact(chosen);
            }
        }
        Step::Redact { .. } => {}
        Step::Crash { path } => {
            let at = log.tick();
            let mut act = log.writer.begin().expect("a transaction");
            act.append(scan(store, at, vec![put(store, PATHS[*path], format!("lost {number}"))]))
                .expect("appends");
            let at = retrace_model::Timestamp::from_micros(at);
            let (store, actor) = (log.store, &user("ada"));
            let lines = vec![line(vec![past(PATHS[*path], -13, Some("lost as well"))])];
            let rebuild =
                Rebuild { store, source: retrace_model::Source::Import, actor, note: None, at, lines };
            act.rebuild(rebuild).expect("rebuilds");
            drop(act);
            log = log.reopen(1000 + number);
        }
        Step::Review { person, pick, rejected } => review(&mut log, model, *person, *pick, *rejected),
        Step::UndoReview { pick } => {
            let mine: Vec<usize> = (0..model.reviews.len())
                .filter(|at| model.reviews[*at].person == 0 && !model.reviews[*at].void)
                .collect();
            if !mine.is_empty() {
                let undone = mine[pick % mine.len()];
                log.undo_review(undone as u64 + 1);
                model.reviews[undone].void = true;
                let undoing =
                    ModelReview { person: 0, rejected: false, reviewed_seq: BTreeMap::new(), void: true };
                model.reviews.push(undoing);
            }
        }
        Step::Rebuild { from, path: to, reported } => {
            let last = reported.len() - 1;
            let reported: Vec<(i64, &'static str, Option<String>)> = reported
                .iter()
                .enumerate()
                .map(|(at, (minute, lines))| {
                    let path = PATHS[if at == last { *to } else { *from }];
                    (*minute, path, lines.as_ref().map(|lines| text(lines)))
                })
                .collect();
            let versions = reported.iter().map(|(at, path, text)| past(path, *at, text.as_deref())).collect();
            let done = log.rebuild(vec![line(versions)]);
            let cursor = log.writer.reader().cursor().expect("a cursor");
            let before = model.versions.len();
            let known_again = |text: String| match model.kept_out.contains(&text) {
                true => format!("{MARKER}\n"),
                false => text,
            };
            let reported: Vec<_> =
                reported.into_iter().map(|(at, path, text)| (at, path, text.map(known_again))).collect();
            let any = model.rebuild(&reported, cursor);
            assert_eq!(done.operation_seq, any.then_some(cursor), "{reported:?}");
            assert_eq!(done.versions.len(), model.versions.len() - before, "{reported:?}");
        }
        Step::Withdraw { pick } if !model.rebuildings.is_empty() => {
            let chosen = pick % model.rebuildings.len();
            let (root, last) = model.rebuildings[chosen];
            let by = log.withdraw(last).operation_seq.expect("an operation");
            model.rebuildings[chosen].1 = by;
            for version in &mut model.versions {
                if version.past.is_some_and(|(_, operation)| operation == root) {
                    version.withdrawn = !version.withdrawn;
                }
            }
        }
        Step::Withdraw { .. } => {}
        Step::Index => log.index(),
        Step::Purge => drop(log.purge(&Needles::default())),
    }
    model.note_operations(log.writer.reader().cursor().expect("a cursor"));
    log
}

fn review(log: &mut TestLog, model: &mut Model, person: usize, pick: Option<usize>, rejected: bool) {
    let observed: Vec<usize> =
        (0..model.memories).filter(|memory| model.first_observed(*memory).is_some()).collect();
    if observed.is_empty() {
        return;
    }
    let memories = match pick {
        Some(pick) => vec![observed[pick % observed.len()]],
        None => observed,
    };
    let newest: Vec<usize> = memories.iter().filter_map(|memory| model.newest_of(*memory)).collect();
    let verdict = if rejected { Verdict::Rejected } else { Verdict::Approved };
    let reviewed_seq: Vec<u64> = newest.iter().map(|at| *at as u64 + 1).collect();
    log.review_as(PEOPLE[person], verdict, &reviewed_seq);
    let reviewed_seq = memories.into_iter().zip(newest).map(|(memory, at)| (memory, (at, at))).collect();
    model.reviews.push(ModelReview { person, rejected, reviewed_seq, void: false });
}

fn compare_reviews(log: &TestLog, model: &Model) {
    for (person, name) in PEOPLE.iter().enumerate() {
        assert_eq!(log.unreviewed(name), model.unreviewed(person), "left to {name}");
        for at in 0..model.versions.len() {
            let version = log.version(at as u64 + 1);
            let found =
                log.writer.reader().items(&user(name)).expect("reads").was_rejected(&version).expect("reads");
            assert_eq!(found, model.was_rejected(person, at), "{name}, {version:?}");
        }
    }
}

fn compare(log: &mut TestLog, model: &Model) {
    let versions: Vec<VersionRow> = (1..=model.versions.len() as u64).map(|seq| log.version(seq)).collect();
    assert_eq!(log.writer.reader().last_version().expect("reads"), versions.len() as u64);
    let mut listed: Vec<u64> = log.versions().iter().map(|version| version.id.seq).collect();
    listed.reverse();
    assert_eq!(listed, model.listed().into_iter().map(|at| at as u64 + 1).collect::<Vec<_>>());
    let mut memories = BTreeMap::new();
    for (row, expected) in versions.iter().zip(&model.versions) {
        assert_eq!(row.operation, expected.operation, "{row:?}");
        assert_eq!(row.path, expected.path.map(path), "{row:?}");
        assert_eq!(row.redaction.is_some(), expected.redacted, "{row:?}");
        assert_eq!((row.rebuilt, row.withdrawn), (expected.past.is_some(), expected.withdrawn), "{row:?}");
        let before = log.writer.reader().version_before(row).expect("reads").map(|before| before.id.seq);
        let at = usize::try_from(row.id.seq).expect("small") - 1;
        assert_eq!(before, model.before(at).map(|before| before as u64 + 1), "before {row:?}");
        assert_eq!(*memories.entry(expected.memory).or_insert(row.memory), row.memory, "{row:?}");
        let content = log.writer.reader().content(row);
        match (&expected.text, expected.redacted) {
            (_, true) => assert!(matches!(content, Err(LogError::Redacted(_))), "{row:?}"),
            (None, false) => assert_eq!(content.expect("reads"), None),
            (Some(text), false) => {
                assert_eq!(content.expect("reads").expect("a content").bytes, text.as_bytes());
            }
        }
    }
    assert_eq!(memories.values().collect::<BTreeSet<_>>().len(), memories.len(), "memories are told apart");
    compare_instants(log, model);
    compare_past(log, model);
    compare_reviews(log, model);
    log.assert_sound();
    log.index();
    compare_search(log, model);
}

fn compare_instants(log: &TestLog, model: &Model) {
    let mut all: Vec<Option<u64>> = (0..model.after.len() as u64).map(Some).collect();
    all.push(None);
    for operation in all {
        let then = operation.map_or(&model.live, |seq| &model.after[usize::try_from(seq).expect("small")]);
        let mut expected: Vec<(Option<RelPath>, u64)> = then
            .iter()
            .map(|(live_path, version)| {
                // Only what lives now tells the path of a redacted version.
                let known =
                    if operation.is_none() { Some(*live_path) } else { model.versions[*version].path };
                (known.map(path), *version as u64 + 1)
            })
            .collect();
        expected.sort();
        let memories = log.writer.reader().memories_at(log.store, operation).expect("memories");
        let mut found: Vec<(Option<RelPath>, u64)> =
            memories.into_iter().map(|memory| (memory.path, memory.version.id.seq)).collect();
        found.sort();
        assert_eq!(found, expected, "after operation {operation:?}");
    }
}

fn compare_past(log: &TestLog, model: &Model) {
    for minute in -13..=0 {
        let then = |at: &usize| model.versions[*at].past.is_some_and(|(other, _)| other <= minute);
        let minute_of = |at: usize| model.versions[at].past.map(|(minute, _)| minute);
        let is_gone = |at: usize| model.versions[at].operation == VersionOperation::Deleted;
        let pasts: Vec<Vec<usize>> = (0..model.memories)
            .map(|memory| model.past_of(memory).into_iter().filter(|at| then(at)).collect())
            .collect();
        let mut expected = Vec::new();
        for (memory, past) in pasts.iter().enumerate() {
            let Some(at) = past.last().copied().filter(|at| !is_gone(*at)) else { continue };
            // A path holds one file: what came there later stands there, and where a file went later, nothing does.
            let is_displaced = model.versions[at].path.is_some_and(|path| {
                pasts.iter().enumerate().filter(|(other, _)| *other != memory).any(|(_, other)| {
                    other.iter().enumerate().any(|(place, there)| {
                        let came = !is_gone(*there) && model.versions[*there].path == Some(path);
                        let before = place.checked_sub(1).map(|before| other[before]);
                        let went = (is_gone(*there) || model.versions[*there].path != Some(path))
                            && before.is_some_and(|it| !is_gone(it) && model.versions[it].path == Some(path));
                        came && (minute_of(*there), *there) > (minute_of(at), at)
                            || went && minute_of(*there) > minute_of(at)
                    })
                })
            });
            if !is_displaced {
                expected.push((model.versions[at].path.map(path), at as u64 + 1));
            }
        }
        expected.sort();
        let time = retrace_model::Timestamp::from_micros(START + minute * MINUTE);
        let memories = log.writer.reader().memories_at_time(log.store, time).expect("memories");
        let mut found: Vec<(Option<RelPath>, u64)> =
            memories.into_iter().map(|memory| (memory.path, memory.version.id.seq)).collect();
        found.sort();
        assert_eq!(found, expected, "at minute {minute}");
        for name in model.versions.iter().filter_map(|version| version.path).collect::<BTreeSet<_>>() {
            let there = log.writer.reader().version_at_time(log.store, &path(name), time).expect("reads");
            let expected = expected.iter().find(|(at, _)| at.as_ref() == Some(&path(name)));
            assert_eq!(there.map(|there| there.id.seq), expected.map(|(_, seq)| *seq), "{name} at {minute}");
        }
    }
}

fn compare_search(log: &TestLog, model: &Model) {
    let brought_in: Vec<BTreeSet<String>> =
        (0..model.versions.len()).map(|at| model.words_brought_in(at)).collect();
    for wanted in (0..WORDS).map(word) {
        let expected: Vec<u64> = model
            .listed()
            .into_iter()
            .filter(|at| brought_in[*at].contains(&wanted))
            .map(|at| at as u64 + 1)
            .collect();
        let found = log.search_history(&wanted);
        assert_eq!(found, expected, "history of {wanted}");
        let expected: Vec<String> = model
            .live
            .keys()
            .filter(|path| model.text_at(path).is_some_and(|text| text.contains(&wanted)))
            .map(|path| (*path).to_owned())
            .collect();
        assert_eq!(log.search_live(&wanted), expected, "live {wanted}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_log_agrees_with_plain_maps(steps in steps()) {
        let (mut log, mut model) = (TestLog::new(), Model::new());
        for (number, next) in steps.iter().enumerate() {
            log = step(log, &mut model, next, number as u64);
        }
        compare(&mut log, &model);
    }
}
