//! Finds problems in how memories changed, rather than with what they say: rules over the recorded changes of one
//! store.
//!
//! The caller gives the changes in their order with who made them, and contents when a rule asks for one. Changes that a
//! person asked for with a preview (rollback, restore, redaction, import, an edit in Retrace) and the store's baseline are
//! known to the rules but never found wrong.
//!
//! Deliberately absent: the log, and judging who may write. An unknown writer is unknown, not an enemy.

use crate::config::Config;
use crate::finding::{Behind, Evidence, Finding, Rest};
use crate::page::one_line;
use crate::paths::is_index;
use crate::registry::known;
use crate::remedy::{Remedy, remedies};
use retrace_message::Message;
use retrace_model::{MemoryId, Timestamp, VersionOperation};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Fewest deletions that are a mass delete: an agent that tidies takes away a few.
pub const MASS_DELETE_FEWEST: usize = 5;

/// Of the memories there were, so many percent, for it to be one. Below half the directory still is what it was.
pub const MASS_DELETE_PERCENT: u64 = 50;

/// So many deletions are one whatever the share.
pub const MASS_DELETE_ANYHOW: usize = 50;

/// Deletions that follow each other at most so closely belong together, in microseconds. A command that deletes takes
/// seconds, and a recorder looks again within seconds.
pub const MASS_DELETE_GAP_MICROS: u64 = 60 * 1_000_000;

/// An index of fewer lines with text has nothing to lose that a glance does not show.
pub const SHRANK_FEWEST_LINES: usize = 10;

/// An index that keeps at most so many percent of its lines shrank suddenly. In four recorded histories no index of that
/// many lines lost one while it was there (26 changes), so the number is a choice, not a measurement.
pub const SHRANK_PERCENT_LEFT: usize = 50;

/// Fewest changes with a known writer before an unknown one stands out.
pub const KNOWN_WRITERS_FEWEST: usize = 10;

/// At most so many percent of a store's changes are unknown where one stands out. Where more are, nobody knows the writers
/// of that store, and saying so each time helps nobody.
pub const UNKNOWN_WRITERS_PERCENT: usize = 10;

/// Writes of two sessions to one file at most so far apart can be a race, in microseconds. A session thinks for minutes
/// between reading a file and writing it.
pub const RACE_MICROS: u64 = 10 * 60 * 1_000_000;

/// Operations of one finding that are offered to be taken back.
const MAX_PUT_BACK: usize = 5;

/// Characters of a session's id in a message.
const SHOWN_ID: usize = 8;

/// Who made a change, as far as the rules tell them apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Writer {
    /// An agent's session, by id.
    Session(String),
    /// Somebody else who is known: a person, a key, a service account.
    Known,
    /// Nobody can say.
    Unknown,
}

/// One recorded change of one memory.
#[derive(Clone, Debug)]
pub struct Change {
    /// Its version's place in the log: the order of changes.
    pub version: u64,
    /// Its operation.
    pub operation: u64,
    /// When it was recorded.
    pub at: Timestamp,
    /// Who made it.
    pub writer: Writer,
    /// True if a person asked for it in so many words, or it was there when recording began: never found wrong.
    pub is_exempt: bool,
    /// The memory.
    pub memory: MemoryId,
    /// Its path after the change, or the one it had before it was deleted; `None` when redacted.
    pub path: Option<String>,
    /// Change.
    pub what: VersionOperation,
    /// True if its content holds something that was redacted before.
    pub redacted_back: bool,
}

/// The recorded changes of one store.
#[derive(Clone, Copy)]
pub struct Changes<'a> {
    /// Oldest first. Those before a point may be missing; what needs them is then not decided.
    pub changes: &'a [Change],
    /// Memories that are there after the last of them.
    pub memories: u64,
    /// The text of a version, by its place in the log; `None` where it is not text, is not kept or cannot be read.
    pub text: &'a dyn Fn(u64) -> Option<String>,
}

/// A finding about changes.
#[derive(Clone, Debug)]
pub struct EventFinding {
    /// Places in the log of the versions it is about, oldest first; never empty.
    pub versions: Vec<u64>,
    /// Finding. Its path is the memory's, or empty where several are concerned.
    pub finding: Finding,
}

/// Runs every rule of events that `config` has on. In the order of the first version each is about.
#[must_use]
pub fn check(changes: &Changes<'_>, config: &Config) -> Vec<EventFinding> {
    let mut found = Vec::new();
    let is_on = |rule: &str| config.severity(known(rule)).is_some();
    if is_on("events/mass-delete") {
        mass_deletes(changes, config, &mut found);
    }
    let lines = histories(changes.changes);
    if is_on("events/index-shrank") {
        lines.values().for_each(|line| shrunken_indexes(line, changes, config, &mut found));
    }
    if is_on("events/unknown-writer") {
        unknown_writers(changes, config, &mut found);
    }
    if is_on("events/redacted-back") {
        redacted_back(changes, config, &mut found);
    }
    if is_on("events/race") {
        lines.values().for_each(|line| races(line, changes, config, &mut found));
    }
    found.sort_by(|a, b| (&a.versions, &a.finding.rule.id).cmp(&(&b.versions, &b.finding.rule.id)));
    found
}

/// The changes of each memory, oldest first.
fn histories(changes: &[Change]) -> BTreeMap<MemoryId, Vec<&Change>> {
    let mut histories: BTreeMap<MemoryId, Vec<&Change>> = BTreeMap::new();
    for change in changes {
        histories.entry(change.memory).or_default().push(change);
    }
    histories
}

fn event(
    rule: &str,
    path: &str,
    message: Message,
    concerned: &[&Change],
    config: &Config,
) -> Option<EventFinding> {
    let versions: Vec<u64> = concerned.iter().map(|change| change.version).collect();
    let rule = known(rule);
    let severity = config.severity(rule)?;
    let evidence = Evidence::of(&format!("{versions:?}"));
    let path = path.to_owned();
    let operations: BTreeSet<u64> = concerned.iter().map(|change| change.operation).collect();
    // The newest first, as they are taken back; one finding is a few operations.
    let mut mended: Vec<Remedy> =
        operations.into_iter().rev().take(MAX_PUT_BACK).map(Remedy::PutBack).collect();
    mended.extend(remedies(rule, &path, None, ""));
    let finding = Finding {
        rule,
        severity,
        path,
        span: None,
        message,
        evidence,
        remedies: mended,
        rest: Rest::default(),
        behind: Behind::default(),
    };
    Some(EventFinding { versions, finding })
}

fn are_within(one: &Change, other: &Change, micros: u64) -> bool {
    one.operation == other.operation || one.at.micros().abs_diff(other.at.micros()) <= micros
}

fn mass_deletes(changes: &Changes<'_>, config: &Config, found: &mut Vec<EventFinding>) {
    // Memories before each change, from the end.
    let mut memories = changes.memories;
    let mut before = vec![0; changes.changes.len()];
    for (place, change) in changes.changes.iter().enumerate().rev() {
        match change.what {
            VersionOperation::Created => memories = memories.saturating_sub(1),
            VersionOperation::Deleted => memories = memories.saturating_add(1),
            VersionOperation::Modified => {}
        }
        before[place] = memories;
    }
    let deletes: Vec<usize> = (0..changes.changes.len())
        .filter(|place| {
            let change = &changes.changes[*place];
            change.what == VersionOperation::Deleted && !change.is_exempt
        })
        .collect();
    let follows = |one: &usize, other: &usize| {
        are_within(&changes.changes[*one], &changes.changes[*other], MASS_DELETE_GAP_MICROS)
    };
    for burst in deletes.chunk_by(follows) {
        let (Some(first), Some(last)) = (burst.first(), burst.last()) else { continue };
        let end = &changes.changes[*last];
        // A content that stands at its path again right afterwards was exchanged: a checkout, an editor.
        let back: HashSet<&str> = changes.changes[*first..]
            .iter()
            .take_while(|change| {
                change.version <= end.version || are_within(end, change, MASS_DELETE_GAP_MICROS)
            })
            .filter(|change| change.what == VersionOperation::Created)
            .filter_map(|change| change.path.as_deref())
            .collect();
        let gone: Vec<&Change> = burst
            .iter()
            .map(|place| &changes.changes[*place])
            .filter(|change| change.path.as_deref().is_none_or(|path| !back.contains(path)))
            .collect();
        let (count, there) = (gone.len(), before[*first]);
        let most = count as u64 * 100 >= there.saturating_mul(MASS_DELETE_PERCENT);
        if count >= MASS_DELETE_FEWEST && (most || count >= MASS_DELETE_ANYHOW) {
            let message = say::memories_deleted_once(count, there);
            found.extend(event("events/mass-delete", "", message, &gone, config));
        }
    }
}

/// Whoever made the change: a person may not have seen it, and it may have been there when recording began.
fn redacted_back(changes: &Changes<'_>, config: &Config, found: &mut Vec<EventFinding>) {
    for change in changes.changes.iter().filter(|change| change.redacted_back) {
        let message = say::holds_something_redacted_before();
        let path = change.path.as_deref().unwrap_or("");
        found.extend(event("events/redacted-back", path, message, &[change], config));
    }
}

fn lines_with_text(text: &str) -> usize {
    text.lines().filter(|line| !line.trim().is_empty()).count()
}

fn shrunken_indexes(line: &[&Change], changes: &Changes<'_>, config: &Config, found: &mut Vec<EventFinding>) {
    for pair in line.windows(2) {
        let [before, after] = pair else { continue };
        let Some(path) = after.path.as_deref().filter(|path| is_index(path)) else { continue };
        if after.is_exempt || after.what == VersionOperation::Created {
            continue;
        }
        let Some(had) = (changes.text)(before.version).map(|text| lines_with_text(&text)) else { continue };
        let has = match after.what {
            VersionOperation::Deleted => Some(0),
            _ => (changes.text)(after.version).map(|text| lines_with_text(&text)),
        };
        let Some(has) = has else { continue };
        if had >= SHRANK_FEWEST_LINES && has * 100 <= had * SHRANK_PERCENT_LEFT {
            let message = say::index_went_from_lines_one(had, has);
            found.extend(event("events/index-shrank", path, message, &[*after], config));
        }
    }
}

fn unknown_writers(changes: &Changes<'_>, config: &Config, found: &mut Vec<EventFinding>) {
    let counted: Vec<&Change> = changes.changes.iter().filter(|change| !change.is_exempt).collect();
    let (unknown, others): (Vec<&Change>, Vec<&Change>) =
        counted.iter().partition(|change| change.writer == Writer::Unknown);
    if others.len() < KNOWN_WRITERS_FEWEST || unknown.len() * 100 > counted.len() * UNKNOWN_WRITERS_PERCENT {
        return;
    }
    for change in unknown {
        let message = match change.what {
            VersionOperation::Created => say::nobody_knows_who_wrote(others.len()),
            VersionOperation::Modified => say::nobody_knows_who_changed(others.len()),
            VersionOperation::Deleted => say::nobody_knows_who_deleted(others.len()),
        };
        let path = change.path.as_deref().unwrap_or("");
        found.extend(event("events/unknown-writer", path, message, &[change], config));
    }
}

fn races(line: &[&Change], changes: &Changes<'_>, config: &Config, found: &mut Vec<EventFinding>) {
    for (at, pair) in line.windows(2).enumerate() {
        let [one, other] = pair else { continue };
        let (Writer::Session(first), Writer::Session(second)) = (&one.writer, &other.writer) else {
            continue;
        };
        let counted = !one.is_exempt && !other.is_exempt;
        if first == second || !counted || !are_within(one, other, RACE_MICROS) {
            continue;
        }
        // The first comes back: it was at work all the time.
        let returned = line.get(at + 2).filter(|third| {
            !third.is_exempt && third.writer == one.writer && are_within(other, third, RACE_MICROS)
        });
        let path = other.path.as_deref().unwrap_or("");
        let (first, second) = (shown_id(first), shown_id(second));
        if let Some(third) = returned {
            let message = say::session_wrote_then_session_then(first, second);
            found.extend(event("events/race", path, message, &[*other, *third], config));
        } else if let Some(lost) = lost_lines(line, at, changes) {
            let message = if lost == 1 {
                say::wrote_over_line(second, first)
            } else {
                say::wrote_over_lines(second, lost, first)
            };
            found.extend(event("events/race", path, message, &[*other], config));
        }
    }
}

/// Number of lines that the change at `at` added, where the next change has none of them.
fn lost_lines(line: &[&Change], at: usize, changes: &Changes<'_>) -> Option<usize> {
    let (one, other) = (line.get(at)?, line.get(at + 1)?);
    let before = match (one.what, at.checked_sub(1)) {
        (VersionOperation::Created, _) => String::new(),
        (_, Some(before)) => (changes.text)(line.get(before)?.version)?,
        (_, None) => return None,
    };
    let with = (changes.text)(one.version)?;
    let after = match other.what {
        VersionOperation::Deleted => String::new(),
        _ => (changes.text)(other.version)?,
    };
    let mut known: HashMap<&str, usize> = HashMap::new();
    for text in before.lines() {
        *known.entry(text.trim()).or_default() += 1;
    }
    let added: Vec<&str> = with
        .lines()
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .filter(|text| match known.get_mut(text) {
            Some(left) if *left > 0 => {
                *left -= 1;
                false
            }
            _ => true,
        })
        .collect();
    let kept: HashSet<&str> = after.lines().map(str::trim).collect();
    (!added.is_empty() && added.iter().all(|text| !kept.contains(text))).then_some(added.len())
}

/// The start of an id on one line; ids of callers may be any text.
fn shown_id(id: &str) -> String {
    one_line(&id.chars().take(SHOWN_ID).collect::<String>())
}

#[cfg(test)]
mod tests;

retrace_message::messages! {
    /// Messages of this module.
    mod say in "events";
    nobody_knows_who_wrote(count) => "Its writer is unknown; the writers of {count} other changes of this directory are known.",
    nobody_knows_who_changed(count) => "Nobody knows who changed it; {count} other changes of this directory have a known writer.",
    nobody_knows_who_deleted(count) => "Nobody knows who deleted it; {count} other changes of this directory have a known writer.",
    wrote_over_line(second, first) => "Session {second} wrote over the line that session {first} had just added.",
    wrote_over_lines(second, count, first) => "Session {second} wrote over all {count} lines that session {first} had just added.",
    memories_deleted_once(count, there) => "{count} of {there} memories were deleted at once.",
    holds_something_redacted_before() => "It holds something that was redacted before.",
    index_went_from_lines_one(had, has) => "The index went from {had} lines to {has} in one change.",
    session_wrote_then_session_then(first, second) => "Session {first} wrote it, then session {second}, then {first} again.",
}
