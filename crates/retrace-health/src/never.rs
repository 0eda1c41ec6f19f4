//! Lines that no session of late had before it, from presence.

use crate::Checks;
use crate::wire::{ApiError, PresenceCause};
use retrace_findings::{NEVER_PRESENT_DAYS, Never, NeverPresent, Position, Span};
use retrace_lab::{NeverLines, store_presence};
use retrace_log::StoreRow;
use retrace_model::Timestamp;
use std::collections::BTreeMap;

/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// Lines of a store's memories that no session had in the last [`NEVER_PRESENT_DAYS`], by path. Nothing where no session could
/// have had them.
pub(crate) fn never_present(
    inner: &Checks,
    store: &StoreRow,
) -> Result<BTreeMap<String, Vec<NeverPresent>>, ApiError> {
    let since = Timestamp::from_micros(inner.now().micros() - NEVER_PRESENT_DAYS * DAY);
    let found = store_presence(&inner.lab, store, Some(since))?;
    let lines = found.iter().filter(|memory| !memory.never.is_empty());
    Ok(lines.map(|memory| (memory.path.clone(), memory.never.iter().filter_map(finding).collect())).collect())
}

fn finding(never: &NeverLines) -> Option<NeverPresent> {
    let cause = match never.cause {
        PresenceCause::Cut => Never::Cut,
        PresenceCause::NotOpened => Never::NotOpened,
        PresenceCause::OtherDirectory => Never::OtherDirectory,
        PresenceCause::SwitchedOff => Never::SwitchedOff,
        PresenceCause::Subagent => Never::Subagent,
        PresenceCause::Compacted => Never::Compacted,
        PresenceCause::Cleared => Never::Cleared,
        PresenceCause::NotInScope => Never::NotInScope,
        PresenceCause::DidNotExist
        | PresenceCause::OtherVersion
        | PresenceCause::Stripped
        | PresenceCause::Unknown => return None,
    };
    let (from, to) = never.lines;
    let span = Span {
        bytes: never.bytes.0..never.bytes.1,
        start: Position { line: from, column: 1 },
        end: Position { line: to, column: never.end_column },
    };
    Some(NeverPresent {
        lines: from..=to,
        span: (!never.is_whole).then_some(span),
        cause,
        sessions: never.sessions,
        of: never.of,
    })
}
