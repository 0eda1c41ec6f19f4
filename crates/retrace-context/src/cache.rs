//! The prompt cache: which part of a request's input is read from it, written to it, or neither; and when a clearing has
//! paid for itself.
//!
//! Calibrated on what was recorded: a request that nothing touches keeps its recorded split, so that a run without a setting
//! costs what it cost. Where an edit changed something, what was recorded as read is read again as far as the prefix holds;
//! the rest is written anew. Where nothing is recorded, the longest unchanged prefix is read while it lives.
//!
//! Where the marks of the requests are known ([`marks`]), a prefix is read only as far as one was written, which ends at a mark: a
//! clearing in the middle of the messages leaves the system prompt to read and nothing behind it. Elsewhere the number of
//! breakpoints and how far each looks back are not modelled.

pub mod marks;

/// True if a breakpoint stands at the end of the system prompt, so that a compaction leaves that part of the cache whole.
/// Coding agents and the documentation's advice set one.
pub const A_BREAKPOINT_ENDS_THE_SYSTEM: bool = true;

/// Life of what is written to the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheLife {
    /// 5 minutes from the last use.
    Minutes5,
    /// 1 hour from the last use.
    Hour1,
}

impl CacheLife {
    /// In microseconds.
    #[must_use]
    pub const fn micros(self) -> i64 {
        match self {
            Self::Minutes5 => 5 * 60 * 1_000_000,
            Self::Hour1 => 60 * 60 * 1_000_000,
        }
    }

    /// From `5m` or `1h`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "5m" => Some(Self::Minutes5),
            "1h" => Some(Self::Hour1),
            _ => None,
        }
    }
}

/// Division of a request's input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// Read from the cache.
    pub read: u64,
    /// Written to it.
    pub write: u64,
    /// Neither.
    pub uncached: u64,
}

/// Facts that decide the split of one request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Situation {
    /// Its context under the setting.
    pub after: u64,
    /// True if nothing differs from what was recorded.
    pub untouched: bool,
    /// The recorded split.
    pub recorded: Option<Split>,
    /// Tokens that the setting took out of what was recorded as read; negative where it kept more.
    pub freed_in_read: i64,
    /// Tokens up to the first that is not as in the request before.
    pub break_at: Option<u64>,
    /// Tokens it shares with the request before when nothing breaks: all of that one's context, as a rule.
    pub shared: u64,
    /// True if the cache of the request before still lives, where that differs from what was recorded or
    /// nothing was recorded. `None`: as recorded.
    pub alive: Option<bool>,
    /// Least tokens that are cached.
    pub cacheable: u64,
    /// True if the run caches at all.
    pub caching: bool,
    /// What is found by the marks of the request, where they are known.
    pub marked: Option<Marked>,
}

/// What the marks of a request find under a setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marked {
    /// Tokens of the prefix that is read.
    pub found: u64,
    /// True if it is the prefix that the run as recorded reads there.
    pub as_ran: bool,
    /// Tokens up to the last mark: what is behind it is not cached.
    pub end: u64,
}

/// Divides the input of a request.
#[must_use]
pub fn split(situation: &Situation) -> Split {
    let Situation { after, recorded, break_at, .. } = *situation;
    if let (Some(recorded), true, None) = (recorded, situation.untouched, situation.alive) {
        return recorded;
    }
    if !situation.caching || after < situation.cacheable {
        return Split { uncached: after, ..Split::default() };
    }
    let as_recorded =
        |recorded: Split| recorded.read.saturating_add_signed(situation.freed_in_read.saturating_neg());
    let read = match (recorded, situation.alive, situation.marked) {
        (_, Some(false), _) => 0,
        // The server had dropped what the marks would have found.
        (Some(Split { read: 0, .. }), None, Some(_)) => 0,
        (Some(recorded), None, Some(marked)) if marked.as_ran => as_recorded(recorded),
        (_, _, Some(marked)) => marked.found,
        (Some(recorded), None, None) => as_recorded(recorded),
        (_, Some(true), None) | (None, None, None) => situation.shared,
    };
    let read = read.min(after).min(break_at.unwrap_or(u64::MAX));
    let behind_marks = situation.marked.map_or(0, |marked| after.saturating_sub(marked.end));
    let uncached = recorded.map_or(behind_marks, |recorded| recorded.uncached).min(after - read);
    Split { read, write: after - read - uncached, uncached }
}

/// Immediate cost of a clearing and its later savings, in tokens at the base price of input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Payback {
    /// Extra cost of the request that clears; negative where it costs less.
    pub extra: f64,
    /// Saving of each later request.
    pub saved: f64,
}

impl Payback {
    /// Of a cached prefix of `prefix` tokens, of which `cleared` go and the first at `first`; `write` and `read` are the
    /// prices of the cache relative to input. Our own formula: the part behind the first cleared token is written anew,
    /// where it would have been read.
    #[must_use]
    pub fn new(prefix: f64, first: f64, cleared: f64, write: f64, read: f64) -> Self {
        Self { extra: write * (prefix - first - cleared) - read * (prefix - first), saved: read * cleared }
    }

    /// Requests until it has paid for itself: 0 where it does at once, `None` where it never does.
    #[must_use]
    pub fn requests(&self) -> Option<f64> {
        if self.extra <= 0.0 {
            Some(0.0)
        } else if self.saved > 0.0 {
            Some(self.extra / self.saved)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clearing_pays_later_when_reads_are_cheap() {
        let after =
            |read| Payback::new(100_000.0, 10_000.0, 60_000.0, 1.25, read).requests().expect("it pays");
        assert!((after(0.1) - 4.75).abs() < 1e-9);
        assert!((after(0.05) - 11.0).abs() < 1e-9);
        assert_eq!(Payback::new(10.0, 0.0, 0.0, 1.25, 0.1).requests(), None);
    }

    fn situation() -> Situation {
        let recorded = Split { read: 90, write: 9, uncached: 1 };
        Situation {
            after: 100,
            untouched: true,
            recorded: Some(recorded),
            shared: 90,
            cacheable: 10,
            caching: true,
            ..Situation::default()
        }
    }

    #[test]
    fn what_nothing_touches_is_as_recorded() {
        assert_eq!(split(&situation()), Split { read: 90, write: 9, uncached: 1 });
    }

    #[test]
    fn what_comes_behind_the_break_is_written_anew() {
        let touched =
            Situation { after: 60, untouched: false, freed_in_read: 40, break_at: Some(20), ..situation() };
        assert_eq!(split(&touched), Split { read: 20, write: 39, uncached: 1 });
        let later = Situation { break_at: None, ..touched };
        assert_eq!(split(&later), Split { read: 50, write: 9, uncached: 1 });
    }

    #[test]
    fn what_is_too_small_or_dead_is_not_read() {
        let small = Situation { cacheable: 101, untouched: false, ..situation() };
        assert_eq!(split(&small), Split { read: 0, write: 0, uncached: 100 });
        let dead = Situation { alive: Some(false), ..situation() };
        assert_eq!(split(&dead), Split { read: 0, write: 99, uncached: 1 });
        let alive = Situation { alive: Some(true), recorded: None, ..situation() };
        assert_eq!(split(&alive), Split { read: 90, write: 10, uncached: 0 });
    }
}
