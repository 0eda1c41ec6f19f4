//! Memories that no session loads any more, from facts that an index of sessions gives.
//!
//! Deliberately absent: reading transcripts, and taking anything away. A memory that nobody loads may still be wanted.

use crate::checker::Directory;
use crate::paths::{is_index, is_instructions};
use chrono::NaiveDate;
use std::collections::BTreeMap;

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

/// Topic files alone: an index and an instruction file are loaded by every session.
pub(crate) fn check(directory: &mut Directory<'_>) {
    let (Some(usage), Some(today)) = (directory.surroundings.usage, directory.surroundings.today) else {
        return;
    };
    let unloaded: Vec<(String, i64, u64)> = directory
        .paths()
        .filter(|path| !is_index(path) && !is_instructions(path))
        .filter_map(|path| {
            let used = usage.memories.get(path)?;
            Some((path.to_owned(), used.unloaded_days(today)?, used.sessions_since))
        })
        .collect();
    for (path, days, sessions) in unloaded {
        let message = say::no_session_loaded_days_could(days, sessions);
        directory.report("use/unloaded", &path, None, message, "");
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "usage";
    no_session_loaded_days_could(days, sessions) => "No session loaded it for {days} days; {sessions} could have loaded it since.",
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
