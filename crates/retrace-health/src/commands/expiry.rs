//! Proposals of memories to remove, with their evidence, and the act that takes what a person chose. Nothing goes by
//! itself.

use super::check::FoundInStore;
use crate::Checks;
use crate::check;
use crate::entries::without_links;
use crate::loads::SessionLoads;
use crate::memories::{Bytes, bytes_of};
use crate::plan::{Plan, Step};
use crate::target::{hash, rel_path};
use crate::wire::ExpiryKind;
use crate::wire::{
    ActResult, ApiError, Code, ExpireReq, Expiry, ExpiryProposal, ExpiryReason, ExpiryReq, IndexLine,
};
use chrono::NaiveDate;
use retrace_engine::root_of;
use retrace_findings::{
    Finding, UNLOADED_DAYS, UNLOADED_SESSIONS, Usage, file_links, is_index, is_instructions,
};
use retrace_log::{MemoryAt, Reader, StoreRow};
use retrace_message::Message;
use retrace_model::{RelPath, Sha256, Source, StoreId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Days after which a daily log is proposed. What is worth keeping of a day is in the topic files by then; a quarter, as for
/// memories that nobody loads.
const LOG_DAYS: u32 = 90;

/// After how many days what is proposed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Days {
    unloaded: u32,
    log: u32,
}

impl Default for Days {
    fn default() -> Self {
        Self { unloaded: u32::try_from(UNLOADED_DAYS).unwrap_or(u32::MAX), log: LOG_DAYS }
    }
}

/// Proposals of memories to remove, with evidence.
///
/// # Errors
/// `not_found` for an unknown store, `invalid` for settings of rules that cannot be used. A store that cannot be read has no
/// proposals.
pub fn expiry(inner: &Arc<Checks>, request: ExpiryReq) -> Result<Expiry, ApiError> {
    let sessions = request.loads.then(|| SessionLoads::read(inner)).transpose()?;
    let usual = Days::default();
    let days = Days {
        unloaded: request.unloaded_days.unwrap_or(usual.unloaded),
        log: request.log_days.unwrap_or(usual.log),
    };
    let mut expiry = Expiry {
        proposals: Vec::new(),
        unloaded_days: days.unloaded,
        log_days: days.log,
        loads: sessions.is_some(),
        cancelled: sessions.as_ref().is_some_and(|sessions| sessions.cancelled),
    };
    inner.own_rules()?;
    for store in inner.read(|reader| inner.listed_stores(reader, request.store.as_deref()))? {
        let memories = inner.read(|reader| Ok(reader.memories_at(store.id, None)?))?;
        let usage =
            sessions.as_ref().map(|sessions| sessions.of(&root_of(&store), &memories).usage(&memories));
        let Ok(FoundInStore { past, .. }) = inner.found_in(&store, usage.as_ref()) else { continue };
        let Ok(indexes) = inner.indexes_of(&store) else { continue };
        let facts = StoreFacts {
            memories: &memories,
            usage: usage.as_ref(),
            past: &past,
            indexes: &indexes,
            today: check::day(inner.now()),
        };
        expiry.proposals.extend(proposals(store.id, &facts, days));
    }
    Ok(expiry)
}

/// Removes memories and the lines of indexes that link to them, in one operation.
///
/// # Errors
/// `not_found` for an unknown store or memory, `invalid` for an index, `store_unavailable`. Files that moved on are conflicts
/// in the answer, and nothing is done then.
pub fn expire(inner: &Arc<Checks>, request: ExpireReq) -> Result<ActResult, ApiError> {
    let plan = inner.read(|reader| inner.plan_expiry(reader, &request))?;
    inner.carry_out(&plan, request.dry_run)
}

/// Facts about a store's memories.
pub(crate) struct StoreFacts<'a> {
    pub memories: &'a [MemoryAt],
    pub usage: Option<&'a Usage>,
    /// Days that are past.
    pub past: &'a [Finding],
    /// Paths and contents of the indexes.
    pub indexes: &'a [(String, Vec<u8>)],
    pub today: Option<NaiveDate>,
}

/// The proposals of one store, by path. Indexes and instructions are never among them: they are loaded by every session.
pub(crate) fn proposals(store: StoreId, facts: &StoreFacts<'_>, days: Days) -> Vec<ExpiryProposal> {
    let mut reasons = Reasons { facts, days, by_path: BTreeMap::new() };
    reasons.unloaded();
    reasons.old_logs();
    reasons.past_days();
    reasons.duplicates();
    let by_path = reasons.by_path;
    facts
        .memories
        .iter()
        .filter_map(|memory| {
            let path = memory.path.as_ref()?.to_string();
            let content = memory.version.content?;
            let reasons = by_path.get(&path)?.clone();
            Some(ExpiryProposal {
                store_id: store.to_string(),
                memory_id: memory.version.memory.to_string(),
                content_sha256: content.sha256.to_hex(),
                content_size_bytes: content.size,
                changed_at: memory.version.created_at.to_rfc3339(),
                reasons,
                index_lines: lines_of(facts.indexes, &path),
                path,
            })
        })
        .collect()
}

struct Reasons<'a> {
    facts: &'a StoreFacts<'a>,
    days: Days,
    by_path: BTreeMap<String, Vec<ExpiryReason>>,
}

impl Reasons<'_> {
    fn add(&mut self, path: &str, kind: ExpiryKind, message: Message, line: Option<u32>) {
        if is_index(path) || is_instructions(path) {
            return;
        }
        let reason = ExpiryReason { kind, message, line };
        self.by_path.entry(path.to_owned()).or_default().push(reason);
    }

    fn unloaded(&mut self) {
        let (Some(usage), Some(today)) = (self.facts.usage, self.facts.today) else { return };
        for (path, used) in &usage.memories {
            let rested = today.signed_duration_since(used.last_used()).num_days();
            if rested < i64::from(self.days.unloaded) || used.sessions_since < UNLOADED_SESSIONS {
                continue;
            }
            let (changed, since) = (used.last_changed, used.sessions_since);
            let message = match used.last_loaded {
                Some(day) => say::last_loaded(day.to_string(), changed.to_string(), since),
                None => say::never_loaded(changed.to_string(), since),
            };
            self.add(path, ExpiryKind::Unloaded, message, None);
        }
    }

    fn old_logs(&mut self) {
        let Some(today) = self.facts.today else { return };
        let logs: Vec<(String, NaiveDate)> =
            self.paths().filter_map(|path| log_day(&path).map(|day| (path, day))).collect();
        for (path, day) in logs {
            let age = today.signed_duration_since(day).num_days();
            if age > i64::from(self.days.log) {
                self.add(&path, ExpiryKind::OldLog, say::log_of_day(day.to_string(), age), None);
            }
        }
    }

    /// A log tells of its day, so a day in it is past by nature.
    fn past_days(&mut self) {
        for finding in self.facts.past.iter().filter(|finding| log_day(&finding.path).is_none()) {
            let line = finding.position().line;
            self.add(&finding.path, ExpiryKind::DatePast, finding.message.clone(), Some(line));
        }
    }

    /// Of memories with the same bytes one stays: one that an index links, else the first by path.
    fn duplicates(&mut self) {
        let linked: BTreeSet<String> = self
            .facts
            .indexes
            .iter()
            .flat_map(|(path, bytes)| file_links(path, bytes))
            .filter_map(|link| link.leads)
            .collect();
        let mut same: BTreeMap<Sha256, Vec<String>> = BTreeMap::new();
        for memory in self.facts.memories {
            let Some(content) = memory.version.content.filter(|content| content.size > 0) else { continue };
            let Some(path) = &memory.path else { continue };
            same.entry(content.sha256).or_default().push(path.to_string());
        }
        for paths in same.into_values().filter(|paths| paths.len() > 1) {
            let stays = paths.iter().find(|path| linked.contains(*path)).unwrap_or(&paths[0]).clone();
            for path in paths.iter().filter(|path| **path != stays) {
                self.add(path, ExpiryKind::Duplicate, say::same_bytes(&stays), None);
            }
        }
    }

    fn paths(&self) -> impl Iterator<Item = String> {
        self.facts.memories.iter().filter_map(|memory| memory.path.as_ref().map(ToString::to_string))
    }
}

/// The lines of indexes that link to a file alone.
fn lines_of(indexes: &[(String, Vec<u8>)], target: &str) -> Vec<IndexLine> {
    indexes
        .iter()
        .flat_map(|(path, bytes)| {
            let removed = without_links(path, bytes, &[target]).removed;
            removed.into_iter().map(|(line, text)| IndexLine { path: path.clone(), line, text })
        })
        .collect()
}

/// The day that a daily log is of: `logs/YYYY/MM/…`, whose file name ends in the day or is a whole date; the last day of the
/// month where it tells none. Source: Claude Code's layout of memory, assistant mode.
fn log_day(path: &str) -> Option<NaiveDate> {
    let parts: Vec<&str> = path.split('/').collect();
    let at = parts.iter().position(|part| *part == "logs")?;
    let (year, month) = (digits(parts.get(at + 1)?, 4)?, digits(parts.get(at + 2)?, 2)?);
    let name = parts.get(at + 3..).and_then(<[_]>::last)?;
    let stem = name.split('.').next().unwrap_or(name);
    let day = stem.rsplit('-').next().and_then(|last| digits(last, 2));
    let first = |year, month| NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, 1);
    match day {
        Some(day) => NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day),
        None if month == 12 => first(year + 1, 1)?.pred_opt(),
        None => first(year, month + 1)?.pred_opt(),
    }
}

fn digits(text: &str, length: usize) -> Option<u32> {
    (text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

impl Checks {
    /// The indexes of a store with their contents, as they are on disk, or in the log where there is no directory; without
    /// those that cannot be read.
    pub fn indexes_of(&self, store: &StoreRow) -> Result<Vec<(String, Vec<u8>)>, ApiError> {
        if !store.has_directory() {
            return self.read(|reader| recorded_indexes(reader, store.id));
        }
        let root = self.store_root(store)?;
        let scan = root.scan(&self.rules, None);
        let indexes = scan.found.keys().map(|path| (path, path.to_text())).filter(|(_, name)| is_index(name));
        Ok(indexes
            .filter_map(|(path, name)| Some((name, root.read(path, self.rules.max_file_bytes).ok()?.bytes?)))
            .collect())
    }

    fn plan_expiry(&self, reader: &Reader<'_>, request: &ExpireReq) -> Result<Plan, ApiError> {
        let store = self.store_named(reader, &request.store)?;
        if request.memories.is_empty() {
            return Err(ApiError::invalid(say::no_memory_named(), "memories"));
        }
        let note = match request.memories.len() {
            1 => say::removed_1_memory_expired(),
            amount => say::removed_memories_expired(amount),
        };
        let mut plan = Plan::new(Source::Api, Some(note));
        let mut gone: BTreeSet<String> = BTreeSet::new();
        for memory in &request.memories {
            let path = rel_path(&memory.path)?;
            if is_index(&memory.path) || is_instructions(&memory.path) {
                return Err(ApiError::invalid(say::index_or_instruction_file_not(), &memory.path));
            }
            let (recorded, version) = self.expected_at(reader, store.id, &path)?;
            let recorded = recorded
                .ok_or_else(|| ApiError::new(Code::NotFound, say::no_memory_recorded_path(), &memory.path))?;
            let expected = hash(memory.expect.as_deref())?.unwrap_or(recorded);
            plan.steps.push(Step {
                store: store.id,
                expected: Some(expected),
                expected_version: version.filter(|_| expected == recorded),
                deletion: None,
                wanted: None,
                path,
            });
            gone.insert(memory.path.clone());
        }
        self.unlink(reader, &store, &gone, &mut plan)?;
        plan.tidy();
        Ok(plan)
    }

    /// Plans to take the lines that link to what goes out of every index of the store.
    fn unlink(
        &self,
        reader: &Reader<'_>,
        store: &StoreRow,
        gone: &BTreeSet<String>,
        plan: &mut Plan,
    ) -> Result<(), ApiError> {
        let targets: Vec<&str> = gone.iter().map(String::as_str).collect();
        let indexes: Vec<RelPath> = reader
            .memories_at(store.id, None)?
            .into_iter()
            .filter_map(|memory| memory.path)
            .filter(|path| is_index(&path.to_text()))
            .collect();
        for path in indexes {
            // An index that is no text, or is redacted, links to nothing that is known.
            let Ok(Some(index)) = self.recorded_text(reader, store, &path) else { continue };
            let unlinked = without_links(&path.to_text(), &index.bytes, &targets);
            for line in unlinked.left {
                plan.warnings.push(say::line_links_what_goes_other(path.to_string(), line));
            }
            if !unlinked.removed.is_empty() {
                plan.steps.push(index.step(store, &path, Some(unlinked.index), None));
            }
        }
        Ok(())
    }
}

fn recorded_indexes(reader: &Reader<'_>, store: StoreId) -> Result<Vec<(String, Vec<u8>)>, ApiError> {
    let mut indexes = Vec::new();
    for memory in reader.memories_at(store, None)? {
        let name = memory.path.map(|path| path.to_text()).filter(|name| is_index(name));
        if let (Some(name), Bytes::Kept(bytes)) = (name, bytes_of(reader, &memory.version)?) {
            indexes.push((name, bytes));
        }
    }
    Ok(indexes)
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "expiry";
    last_loaded(day, changed, sessions) => "Last loaded on {day}, last changed on {changed}; {sessions} sessions since could have loaded it.",
    never_loaded(changed, sessions) => "Never loaded, last changed on {changed}; {sessions} sessions since could have loaded it.",
    log_of_day(day, days) => "The log of {day}, {days} days ago.",
    same_bytes(path) => "Holds the same bytes as {path}.",
    no_memory_named() => "No memory is named.",
    removed_1_memory_expired() => "removed 1 memory that expired",
    removed_memories_expired(amount) => "removed {amount} memories that expired",
    index_or_instruction_file_not() => "An index or an instruction file does not expire.",
    no_memory_recorded_path() => "No memory is recorded at this path.",
    line_links_what_goes_other(path, line) => "{path}, line {line} links to what goes and to other files; it stays.",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_of_a_log() {
        let day = |text| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok();
        for (path, expected) in [
            ("logs/2026/03/2026-03-05.md", day("2026-03-05")),
            ("logs/2026/03/05.md", day("2026-03-05")),
            ("team/logs/2025/12/notes.md", day("2025-12-31")),
            ("logs/2026/02/summary.md", day("2026-02-28")),
            ("logs/2026/13/01.md", None),
            ("logs/2026/03", None),
            ("logs/readme.md", None),
            ("notes/2026/03/05.md", None),
        ] {
            assert_eq!(log_day(path), expected, "{path}");
        }
    }
}
