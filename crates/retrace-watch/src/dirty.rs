//! Paths that events pointed at, and when to scan them.

use retrace_model::RelPath;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Wait for an event to be the last of its kind, and how long at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Debounce {
    pub quiet: Duration,
    pub latest: Duration,
}

/// Marked paths of one store. Times are since any fixed instant.
#[derive(Debug, Default)]
pub(crate) struct Dirty {
    marks: BTreeMap<RelPath, Mark>,
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    first: Duration,
    last: Duration,
}

impl Mark {
    fn due(self, debounce: Debounce) -> Duration {
        (self.last + debounce.quiet).min(self.first + debounce.latest)
    }
}

impl Dirty {
    /// Takes note of an event at `path`.
    pub(crate) fn mark(&mut self, path: RelPath, now: Duration) {
        self.marks.entry(path).or_insert(Mark { first: now, last: now }).last = now;
    }

    /// Takes note that `path` was scanned too early. Its first event, if it is known, goes on counting.
    pub(crate) fn defer(&mut self, path: RelPath, first: Option<Duration>, now: Duration) {
        let first = first.unwrap_or(now);
        let mark = self.marks.entry(path).or_insert(Mark { first, last: now });
        mark.first = mark.first.min(first);
    }

    /// Removes and returns the paths due, each with the time of its first event.
    pub(crate) fn take_due(&mut self, now: Duration, debounce: Debounce) -> BTreeMap<RelPath, Duration> {
        let (due, waiting) =
            std::mem::take(&mut self.marks).into_iter().partition(|(_, mark)| mark.due(debounce) <= now);
        self.marks = waiting;
        firsts(due)
    }

    /// Removes and returns all paths, each with the time of its first event.
    pub(crate) fn take_all(&mut self) -> BTreeMap<RelPath, Duration> {
        firsts(std::mem::take(&mut self.marks))
    }

    /// When the next path is due.
    pub(crate) fn next_due(&self, debounce: Debounce) -> Option<Duration> {
        self.marks.values().map(|mark| mark.due(debounce)).min()
    }

    pub(crate) fn len(&self) -> usize {
        self.marks.len()
    }
}

fn firsts(marks: BTreeMap<RelPath, Mark>) -> BTreeMap<RelPath, Duration> {
    marks.into_iter().map(|(path, mark)| (path, mark.first)).collect()
}

/// `paths` without those that lie below another of them.
pub(crate) fn topmost(paths: impl IntoIterator<Item = RelPath>) -> BTreeSet<RelPath> {
    let all: BTreeSet<RelPath> = paths.into_iter().collect();
    let below =
        |path: &RelPath| std::iter::successors(path.parent(), RelPath::parent).any(|up| all.contains(&up));
    let below: Vec<RelPath> = all.iter().filter(|path| below(path)).cloned().collect();
    let mut all = all;
    for path in below {
        all.remove(&path);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEBOUNCE: Debounce =
        Debounce { quiet: Duration::from_millis(60), latest: Duration::from_millis(250) };

    fn path(text: &str) -> RelPath {
        RelPath::parse(text).unwrap()
    }

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_path_is_due_when_quiet_or_at_the_latest() {
        let mut dirty = Dirty::default();
        dirty.mark(path("quiet"), ms(100));
        for at in (100..=400).step_by(50) {
            dirty.mark(path("busy"), ms(at));
        }
        assert_eq!(dirty.next_due(DEBOUNCE), Some(ms(160)));
        assert!(dirty.take_due(ms(159), DEBOUNCE).is_empty());
        assert_eq!(dirty.take_due(ms(160), DEBOUNCE), BTreeMap::from([(path("quiet"), ms(100))]));
        assert_eq!(dirty.next_due(DEBOUNCE), Some(ms(350)));
        assert_eq!(dirty.take_due(ms(350), DEBOUNCE), BTreeMap::from([(path("busy"), ms(100))]));
        assert_eq!((dirty.next_due(DEBOUNCE), dirty.len()), (None, 0));
    }

    #[test]
    fn waiting_is_bounded_by_the_first_event() {
        let mut dirty = Dirty::default();
        dirty.mark(path("a"), ms(0));
        let mut scans = Vec::new();
        while let Some(due) = dirty.next_due(DEBOUNCE).filter(|due| *due < ms(300)) {
            scans.push(due.as_millis());
            let taken = dirty.take_due(due, DEBOUNCE);
            if due < ms(250) {
                dirty.defer(path("a"), taken.get(&path("a")).copied(), due);
            }
        }
        assert_eq!(scans, [60, 120, 180, 240, 250]);
    }

    #[test]
    fn an_event_that_came_meanwhile_is_not_forgotten_when_a_path_is_deferred() {
        let mut dirty = Dirty::default();
        dirty.mark(path("a"), ms(100));
        dirty.defer(path("a"), Some(ms(20)), ms(80));
        assert_eq!(dirty.next_due(DEBOUNCE), Some(ms(160)));
    }

    #[test]
    fn what_lies_below_another_is_left_out() {
        let top = topmost(["a", "a/b", "a.md", "b/c", "b/c/d/e", "b-/c"].map(path));
        assert_eq!(top, ["a", "a.md", "b/c", "b-/c"].map(path).into());
        assert_eq!(topmost([]), BTreeSet::new());
    }
}
