//! Checks of stores: sizes against limits, findings, use.

use super::check::FoundInStore;
use super::expiry::{StoreFacts, proposals};
use crate::Checks;
use crate::check;
use crate::loads::{Loads, SessionLoads};
use crate::view;
use crate::wire::{
    ApiError, FigureKind, Finding, GroupCount, Health, HealthReq, HostedFit, IndexHealth, MemoryLoads,
    ReasonCount, Severity, StoreFinding, StoreHealth, StoreLoads,
};
use retrace_engine::counts::NEWEST_FAMILY;
use retrace_engine::root_of;
use retrace_findings::{
    HOSTED_BYTES, HOSTED_MEMORIES, INDEX_MAX_BYTES, INDEX_MAX_LINES, hosted_problem, index_cut, index_loaded,
    index_size,
};
use retrace_log::{MemoryAt, Reader, StoreRow, VersionFilter};
use retrace_model::{StoreId, StoreKind, Timestamp};
use retrace_tokens::Counter;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Checks of one store, or every listed one. A store that cannot be read is a row with the reason.
///
/// # Errors
/// `not_found` for an unknown store; `invalid` for settings of rules that cannot be used.
pub fn health(inner: &Arc<Checks>, request: HealthReq) -> Result<Health, ApiError> {
    // Reported once for all stores, rather than in each row.
    inner.own_rules()?;
    let sessions = request.loads.then(|| SessionLoads::read(inner)).transpose()?;
    let stores = inner.read(|reader| inner.listed_stores(reader, request.store.as_deref()))?;
    let (reviews, unreviewed) = inner.read(|reader| {
        let person = inner.user();
        Ok((reader.last_reviews(&person)?, reader.unreviewed_counts(&person)?))
    })?;
    let mut health = Health {
        stores: Vec::new(),
        findings: Vec::new(),
        errors: 0,
        warnings: 0,
        notes: 0,
        sessions_telling: sessions.as_ref().map(SessionLoads::telling),
        cancelled: sessions.as_ref().is_some_and(|sessions| sessions.cancelled),
    };
    for store in stores {
        let (mut row, findings) = inner.health_of(&store, sessions.as_ref())?;
        row.last_review_at = reviews.get(&store.id).map(|at: &Timestamp| at.to_rfc3339());
        row.unreviewed = unreviewed.get(&store.id).copied().unwrap_or(0);
        health.errors += row.errors;
        health.warnings += row.warnings;
        health.notes += row.notes;
        health.stores.push(row);
        health.findings.extend(findings);
    }
    // Stable, so that stores, paths and places stay in order.
    health.findings.sort_by_key(|one| Reverse(one.finding.severity));
    Ok(health)
}

impl Checks {
    /// The store a person named, or all on the list, by name.
    pub fn listed_stores(&self, reader: &Reader<'_>, named: Option<&str>) -> Result<Vec<StoreRow>, ApiError> {
        Ok(match named {
            Some(name) => vec![self.store_named(reader, name)?],
            None => reader.stores()?.into_iter().filter(|store| store.removed_at.is_none()).collect(),
        })
    }

    fn health_of(
        self: &Arc<Self>,
        store: &StoreRow,
        sessions: Option<&SessionLoads>,
    ) -> Result<(StoreHealth, Vec<StoreFinding>), ApiError> {
        let memories = self.read(|reader| Ok(reader.memories_at(store.id, None)?))?;
        let mut row = self.row_of(store)?;
        let root = root_of(store);
        let loads = sessions.map(|sessions| sessions.of(&root, &memories));
        row.loads = loads.as_ref().map(loads_view);
        let mut usage = loads.as_ref().map(|loads| loads.usage(&memories));
        if let Some(usage) = &mut usage {
            usage.never = crate::never::never_present(self, store)?;
        }
        let found = self
            .measure(store, &memories, &mut row)
            .and_then(|indexes| Ok((indexes, self.found_in(store, usage.as_ref())?)));
        let (indexes, found) = match found {
            Ok(found) => found,
            Err(error) => {
                row.problems.push(error.message);
                return Ok((row, Vec::new()));
            }
        };
        let FoundInStore { report, events, past, problems } = found;
        row.problems.extend(problems);
        row.allowed = check::total(&report.allowed);
        let facts = StoreFacts {
            memories: &memories,
            usage: usage.as_ref(),
            past: &past,
            indexes: &indexes,
            today: check::day(self.now()),
        };
        row.expiry = proposals(store.id, &facts, super::expiry::Days::default()).len() as u64;
        let mut findings = report.findings.iter().map(check::finding_view).collect::<Vec<_>>();
        findings.extend(events);
        let findings = with_memories(store.id, &memories, findings);
        count(&mut row, &findings);
        Ok((row, findings))
    }

    /// Checks of a store by the log.
    fn row_of(&self, store: &StoreRow) -> Result<StoreHealth, ApiError> {
        let filter = VersionFilter { store: Some(store.id), limit: 1, ..VersionFilter::default() };
        let newest = self.read(|reader| Ok(reader.versions(&filter)?))?.pop();
        Ok(StoreHealth {
            store_id: store.id.to_string(),
            name: store.name.clone(),
            kind: store.kind.into(),
            problems: Vec::new(),
            files: 0,
            bytes: 0,
            indexes: Vec::new(),
            index_tokens: 0,
            tokens_kind: FigureKind::CountedOffline,
            hosted: HostedFit {
                max_memories: HOSTED_MEMORIES as u64,
                max_bytes: HOSTED_BYTES,
                largest_bytes: 0,
                too_large: 0,
                bad_paths: 0,
            },
            errors: 0,
            warnings: 0,
            notes: 0,
            allowed: 0,
            groups: Vec::new(),
            last_write_at: newest.as_ref().map(|version| version.created_at.to_rfc3339()),
            last_write_by: newest.as_ref().and_then(|version| view::actor(&version.actor)),
            last_review_at: None,
            unreviewed: 0,
            loads: None,
            expiry: 0,
        })
    }

    /// Sizes of what is on disk, or in the log where there is no directory; answers the indexes with their contents.
    fn measure(
        &self,
        store: &StoreRow,
        memories: &[MemoryAt],
        row: &mut StoreHealth,
    ) -> Result<Vec<(String, Vec<u8>)>, ApiError> {
        if !store.has_directory() {
            for memory in memories {
                let Some(path) = &memory.path else { continue };
                add_file(row, &path.to_text(), memory.version.content.map_or(0, |content| content.size));
            }
        } else {
            let scan = self.store_root(store)?.scan(&self.rules, None);
            scan.found.iter().for_each(|(path, seen)| add_file(row, &path.to_text(), seen.size));
        }
        // One that cannot be read right now is told by the findings.
        let indexes = self.indexes_of(store)?;
        for (name, bytes) in &indexes {
            let index = index_health(name, store.kind, bytes);
            row.index_tokens += if index.each_session { index.tokens } else { 0 };
            row.indexes.push(index);
        }
        Ok(indexes)
    }
}

/// Counts a file, also against the limits of a hosted store.
fn add_file(row: &mut StoreHealth, path: &str, size: u64) {
    row.files += 1;
    row.bytes += size;
    row.hosted.largest_bytes = row.hosted.largest_bytes.max(size);
    row.hosted.too_large += u64::from(size > HOSTED_BYTES);
    row.hosted.bad_paths += u64::from(hosted_problem(path).is_some());
}

fn index_health(path: &str, kind: StoreKind, bytes: &[u8]) -> IndexHealth {
    let (size, cut) = (index_size(bytes), index_cut(bytes));
    let lines = memchr::memchr_iter(b'\n', bytes).count() as u64 + u64::from(!bytes.ends_with(b"\n"));
    let loaded = matches!(kind, StoreKind::ClaudeAuto | StoreKind::ClaudeAgent);
    IndexHealth {
        path: path.to_owned(),
        lines: size.lines as u64,
        bytes: size.bytes as u64,
        max_lines: INDEX_MAX_LINES as u64,
        max_bytes: INDEX_MAX_BYTES as u64,
        cut_line: cut.map(|cut| cut.line),
        lost_lines: cut.map_or(0, |cut| (lines + 1).saturating_sub(u64::from(cut.line))),
        tokens: Counter::of(NEWEST_FAMILY).content(&index_loaded(bytes)),
        each_session: loaded && matches!(path, "MEMORY.md" | "team/MEMORY.md"),
    }
}

fn with_memories(store: StoreId, memories: &[MemoryAt], findings: Vec<Finding>) -> Vec<StoreFinding> {
    let ids: BTreeMap<String, String> = memories
        .iter()
        .filter_map(|memory| Some((memory.path.as_ref()?.to_string(), memory.version.memory.to_string())))
        .collect();
    findings
        .into_iter()
        .map(|finding| StoreFinding {
            store_id: store.to_string(),
            memory_id: ids.get(&finding.path).cloned(),
            finding,
        })
        .collect()
}

fn count(row: &mut StoreHealth, findings: &[StoreFinding]) {
    let mut groups: BTreeMap<&str, GroupCount> = BTreeMap::new();
    for StoreFinding { finding, .. } in findings {
        let name = finding.rule.split('/').next().unwrap_or(&finding.rule);
        let group = groups.entry(name).or_insert_with(|| GroupCount {
            group: name.to_owned(),
            errors: 0,
            warnings: 0,
            notes: 0,
        });
        let (of_group, of_store) = match finding.severity {
            Severity::Error => (&mut group.errors, &mut row.errors),
            Severity::Warning => (&mut group.warnings, &mut row.warnings),
            Severity::Note => (&mut group.notes, &mut row.notes),
        };
        *of_group += finding.count();
        *of_store += finding.count();
    }
    row.groups = groups.into_values().collect();
}

fn loads_view(loads: &Loads) -> StoreLoads {
    StoreLoads {
        sessions: loads.sessions.len() as u64,
        last_loaded_at: loads
            .memories
            .values()
            .filter_map(|loaded| loaded.last)
            .max()
            .map(Timestamp::to_rfc3339),
        memories: loads
            .memories
            .iter()
            .map(|(path, loaded)| MemoryLoads {
                path: path.clone(),
                sessions: loaded.sessions,
                last_loaded_at: loaded.last.map(Timestamp::to_rfc3339),
                reasons: loaded
                    .reasons
                    .iter()
                    .map(|(reason, sessions)| ReasonCount { reason: *reason, sessions: *sessions })
                    .collect(),
            })
            .collect(),
        never_loaded: loads.memories.values().filter(|loaded| loaded.sessions == 0).count() as u64,
    }
}
