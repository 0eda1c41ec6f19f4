//! Memories and lines that no session has, from facts that an index of sessions gives.
//!
//! Deliberately absent: reading transcripts, and taking anything away. A memory that nobody loads may still be wanted.

use crate::checker::Directory;
use crate::finding::Span;
use crate::paths::is_index;
use crate::remedy::Remedy;
use chrono::NaiveDate;
use retrace_message::Message;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// A memory that was neither loaded nor changed for so many days is proposed for a review. A quarter: projects rest for weeks,
/// and a memory that matters comes up within one.
pub const UNLOADED_DAYS: i64 = 90;

/// In so many sessions, at least, it could have been loaded and was not. Without work on the project nothing can be
/// loaded, and that says nothing about a memory.
pub const UNLOADED_SESSIONS: u64 = 10;

/// Use of a directory of memories by sessions: facts that findings and proposals of expiry share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// By path below the directory. Of a memory that is not here nothing is known.
    pub memories: BTreeMap<String, MemoryUse>,
    /// By path: lines that no session had before it.
    pub never: BTreeMap<String, Vec<NeverPresent>>,
}

/// The use of one memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryUse {
    /// The day (UTC) of the newest session that loaded it; `None` when none of those that are known did.
    pub last_loaded: Option<NaiveDate>,
    /// The day (UTC) of its newest version.
    pub last_changed: NaiveDate,
    /// Sessions that could have loaded it since the later of these days: on the same project, and telling what they load.
    pub sessions_since: u64,
}

impl MemoryUse {
    /// The day it was last loaded or changed.
    #[must_use]
    pub fn last_used(&self) -> NaiveDate {
        self.last_loaded.map_or(self.last_changed, |loaded| loaded.max(self.last_changed))
    }

    /// For how many days nobody loaded it, where that is long enough to say so ([`UNLOADED_DAYS`]) and there was occasion
    /// ([`UNLOADED_SESSIONS`]).
    #[must_use]
    pub fn unloaded_days(&self, today: NaiveDate) -> Option<i64> {
        let days = today.signed_duration_since(self.last_used()).num_days();
        (days >= UNLOADED_DAYS && self.sessions_since >= UNLOADED_SESSIONS).then_some(days)
    }
}

/// Lines that no session had before it for so many days.
pub const NEVER_PRESENT_DAYS: i64 = 30;

/// Lines of a memory that no session had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeverPresent {
    /// The lines, from 1.
    pub lines: RangeInclusive<u32>,
    /// Where they stand; `None` where they are the whole memory.
    pub span: Option<Span>,
    /// Why.
    pub cause: Never,
    /// Sessions with this cause.
    pub sessions: u64,
    /// Sessions that could have had them.
    pub of: u64,
}

/// Why no session had lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Never {
    /// They stand behind the limit of what is loaded.
    Cut,
    /// Nobody opened the file, or this part of it.
    NotOpened,
    /// The sessions ran in a directory whose memory is another.
    OtherDirectory,
    /// The client loaded no memory.
    SwitchedOff,
    /// The subagents got no memory.
    Subagent,
    /// A compaction took them.
    Compacted,
    /// A context edit took them.
    Cleared,
    /// The memory is for others.
    NotInScope,
}

/// Reports lines that no session had.
pub(crate) fn check(directory: &mut Directory<'_>) {
    let Some(usage) = directory.surroundings.usage else { return };
    for (path, lines) in &usage.never {
        if !directory.has(path) {
            continue;
        }
        for never in lines {
            let message = message(never.cause, never.sessions, never.of);
            let (from, to) = (*never.lines.start(), *never.lines.end());
            let mut mended = Vec::new();
            if never.cause == Never::Cut && is_index(path) {
                // One line more makes room for the link to where they go.
                mended.push(Remedy::MoveLines(from.saturating_sub(1).max(1)..=to));
            }
            mended.push(Remedy::Reach(from..=to));
            directory.report_mended("use/never-present", path, never.span.as_ref(), message, mended);
        }
    }
}

fn message(cause: Never, sessions: u64, of: u64) -> Message {
    let days = NEVER_PRESENT_DAYS;
    match cause {
        Never::Cut => say::never_cut(days, sessions, of),
        Never::NotOpened => say::never_not_opened(days, sessions, of),
        Never::OtherDirectory => say::never_other_directory(days, sessions, of),
        Never::SwitchedOff => say::never_switched_off(days, sessions, of),
        Never::Subagent => say::never_subagent(days, sessions, of),
        Never::Compacted => say::never_compacted(days, sessions, of),
        Never::Cleared => say::never_cleared(days, sessions, of),
        Never::NotInScope => say::never_not_in_scope(days, sessions, of),
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "usage";
    never_cut(days, sessions, of) => "No session of the last {days} days had it: it was cut, behind what is loaded ({sessions} of {of}).",
    never_not_opened(days, sessions, of) => "No session of the last {days} days had it: nobody opened it ({sessions} of {of}).",
    never_other_directory(days, sessions, of) => "No session of the last {days} days had it: they ran in other directories ({sessions} of {of}).",
    never_switched_off(days, sessions, of) => "No session of the last {days} days had it: the client loaded no memory ({sessions} of {of}).",
    never_subagent(days, sessions, of) => "No session of the last {days} days had it: only subagents without memory ran ({sessions} of {of}).",
    never_compacted(days, sessions, of) => "No session of the last {days} days had it: a compaction took it ({sessions} of {of}).",
    never_cleared(days, sessions, of) => "No session of the last {days} days had it: a context edit took it ({sessions} of {of}).",
    never_not_in_scope(days, sessions, of) => "No session of the last {days} days had it: it is for other agents or paths ({sessions} of {of}).",
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        NaiveDate::parse_from_str(text, "%Y-%m-%d").unwrap()
    }

    #[test]
    fn unloaded_is_what_had_occasion_for_long() {
        let today = day("2026-11-21");
        let used = |loaded: Option<&str>, changed, sessions_since| MemoryUse {
            last_loaded: loaded.map(day),
            last_changed: day(changed),
            sessions_since,
        };
        for (given, days) in [
            (used(None, "2026-08-23", 10), Some(90)),
            (used(None, "2026-08-24", 10), None),
            (used(None, "2026-01-01", 9), None),
            (used(Some("2026-11-20"), "2026-01-01", 10), None),
            (used(Some("2026-01-01"), "2026-11-20", 10), None),
            (used(Some("2025-11-21"), "2024-01-01", 900), Some(365)),
            // A clock that went back.
            (used(None, "2027-01-01", 100), None),
        ] {
            assert_eq!(given.unloaded_days(today), days, "{given:?}");
        }
    }
}
