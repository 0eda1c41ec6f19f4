//! When to wait for the disk: not while calls come one after the other, but not much later either. No clock of its own.

use std::time::{Duration, Instant};

/// Time without a call: longer than an agent's calls of one turn lie apart when it sends several.
const QUIET: Duration = Duration::from_millis(100);

/// Longest time from a call until its file is waited for, however many come after it.
const LONGEST: Duration = Duration::from_millis(500);

/// When calls came.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    /// The first call that was not waited for yet.
    first: Option<Instant>,
    last: Option<Instant>,
}

impl Pace {
    /// A call came.
    pub(crate) fn wrote(&mut self, now: Instant) {
        self.first.get_or_insert(now);
        self.last = Some(now);
    }

    /// Marks that the changes so far are being waited for.
    pub(crate) fn began(&mut self) {
        self.first = None;
    }

    /// Nothing is due until the next call.
    pub(crate) fn rest(&mut self) {
        (self.first, self.last) = (None, None);
    }

    /// True if no call came for a while.
    pub(crate) fn is_quiet(&self, now: Instant) -> bool {
        self.last.is_none_or(|last| now >= last + QUIET)
    }

    /// When there is something to do: files to wait for, or to note that they were.
    pub(crate) fn due(&self, waiting: bool, to_note: bool) -> Option<Instant> {
        let quiet = self.last? + QUIET;
        match self.first {
            Some(first) if waiting => Some(quiet.min(first + LONGEST)),
            _ if waiting || to_note => Some(quiet),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_call_is_waited_for_when_no_other_comes() {
        let start = Instant::now();
        let mut pace = Pace::default();
        assert_eq!(pace.due(false, false), None);
        pace.wrote(start);
        assert_eq!(pace.due(true, false), Some(start + QUIET));
        assert!(!pace.is_quiet(start + QUIET - Duration::from_nanos(1)));
        assert!(pace.is_quiet(start + QUIET));
    }

    #[test]
    fn calls_that_go_on_are_waited_for_together_and_not_later_than_the_longest_time() {
        let start = Instant::now();
        let mut pace = Pace::default();
        for call in 0..=48 {
            let now = start + Duration::from_millis(10) * call;
            pace.wrote(now);
            assert_eq!(pace.due(true, false), Some((now + QUIET).min(start + LONGEST)));
        }
        pace.began();
        let last = start + Duration::from_millis(480);
        assert_eq!(pace.due(false, true), Some(last + QUIET), "to note it waits for quiet");
        assert_eq!(pace.due(false, false), None);
        pace.wrote(last);
        assert_eq!(pace.due(true, true), Some(last + QUIET), "the time begins anew");
    }

    #[test]
    fn after_a_failure_nothing_is_due_until_the_next_call() {
        let start = Instant::now();
        let mut pace = Pace::default();
        pace.wrote(start);
        pace.began();
        pace.rest();
        assert_eq!(pace.due(false, true), None);
        pace.wrote(start);
        assert!(pace.due(true, true).is_some());
    }
}
