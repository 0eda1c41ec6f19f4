//! What git says now replaces what it said before.
//!
//! The more commits are read, the more git tells: an order, times, and which file is which. So where adding to what earlier imports
//! told would not come to what git tells now, those are withdrawn and all is rebuilt anew, in one transaction. It is left at adding
//! where git does not tell any more all that they told, and where something of it was redacted that has no tag: that is known by its
//! place in time, and stays out (`docs/decisions/0029-git-read-again.md`).

use crate::wire::ApiError;
use retrace_log::{Act, Append, LogError, PastLine, Reader, Rebuild, Rebuilt, VersionFilter, VersionRow};
use retrace_model::{Actor, MemoryId, RelPath, Sha256, Source, StoreId, Timestamp, VersionOperation};
use std::collections::{BTreeMap, BTreeSet};

/// What is told about versions that were dealt with.
type Tell<'t> = &'t mut dyn FnMut(u64) -> Result<(), ApiError>;

/// One version as git tells it, without its names for commits.
type Entry = (Timestamp, Option<RelPath>, Option<Sha256>, Option<Timestamp>);

/// True if what earlier imports told is to be withdrawn. The act can only be let go of then.
pub(super) fn is_due(
    act: &mut Act<'_>,
    earlier: &[u64],
    rebuild: &Rebuild<'_>,
    tell: Tell<'_>,
) -> Result<bool, ApiError> {
    let mut before = Vec::new();
    for seq in earlier {
        before.extend(versions_of(&act.reader(), *seq)?);
    }
    let redacted: BTreeSet<u64> =
        before.iter().filter(|it| it.redaction.is_some()).map(|it| it.id.seq).collect();
    if !redacted.is_empty() {
        let tags = act.tags()?;
        if !act.reader().are_known_by_tags(rebuild.store, &redacted, &tags)? {
            return Ok(false);
        }
    }
    let mut all = earlier.to_vec();
    let mut added = before.clone();
    if let Some(seq) = act.rebuild_telling(rebuild, &mut *tell)?.operation_seq {
        added.extend(versions_of(&act.reader(), seq)?);
        all.push(seq);
    }
    withdraw(act, &all, rebuild)?;
    let Some(seq) = act.rebuild_telling(rebuild, tell)?.operation_seq else { return Ok(false) };
    let anew = versions_of(&act.reader(), seq)?;
    let compared = without_redacted(&added, &anew);
    added.retain(|version| version.redaction.is_none());
    if lines_of(&added) == lines_of(&compared) {
        return Ok(false);
    }
    let mut told = Told::default();
    rebuild.lines.iter().for_each(|line| told.add(line));
    // Of what is kept out, what came in says what is told.
    told.add_versions(&anew);
    Ok(before.iter().all(|version| told.covers(version)))
}

/// Withdraws earlier imports and rebuilds all anew.
pub(super) fn replace(
    act: &mut Act<'_>,
    earlier: &[u64],
    rebuild: &Rebuild<'_>,
    tell: Tell<'_>,
) -> Result<Rebuilt, ApiError> {
    let undoings = withdraw(act, earlier, rebuild)?;
    let done = act.rebuild_telling(rebuild, tell)?;
    if let Some(seq) = done.operation_seq {
        act.note_git_import(seq, &undoings)?;
    }
    Ok(done)
}

fn withdraw(act: &mut Act<'_>, imports: &[u64], rebuild: &Rebuild<'_>) -> Result<Vec<u64>, LogError> {
    let mut undoings = Vec::new();
    for seq in imports {
        let newest = act.reader().undoings_of(*seq)?.last().copied().unwrap_or(*seq);
        let (store, source) = (Some(rebuild.store), rebuild.source);
        undoings.extend(undo(act, store, source, rebuild.actor, rebuild.at, newest)?);
    }
    Ok(undoings)
}

/// Takes an operation back that brought history in, or that took such a one back.
pub(super) fn undo(
    act: &mut Act<'_>,
    store: Option<StoreId>,
    source: Source,
    actor: &Actor,
    at: Timestamp,
    seq: u64,
) -> Result<Option<u64>, LogError> {
    let note = super::say::undo_operation(seq);
    let append = Append {
        store,
        source,
        actor,
        note: Some(&note),
        at,
        undoes: Some(seq),
        changes: Vec::new(),
        even_if_empty: true,
    };
    Ok(act.append(append)?.operation_seq)
}

/// Versions of an operation, the oldest of the log first.
fn versions_of(reader: &Reader<'_>, seq: u64) -> Result<Vec<VersionRow>, LogError> {
    let filter = VersionFilter { operation_seq: Some(seq), ..VersionFilter::default() };
    let mut versions = reader.versions(&filter)?;
    versions.sort_by_key(|version| version.id.seq);
    Ok(versions)
}

/// Versions that were rebuilt anew without those that are masked where `added` has redacted ones: of each as many as those, at their
/// time.
fn without_redacted(added: &[VersionRow], anew: &[VersionRow]) -> Vec<VersionRow> {
    let mut redacted: BTreeMap<(Timestamp, Option<Timestamp>), usize> = BTreeMap::new();
    for version in added.iter().filter(|version| version.redaction.is_some()) {
        *redacted.entry((version.created_at, version.written_at)).or_default() += 1;
    }
    let told: BTreeSet<Entry> = added.iter().map(entry_of).collect();
    let mut stays = |version: &&VersionRow| {
        let at = (version.created_at, version.written_at);
        let Some(left) = redacted.get_mut(&at).filter(|left| **left > 0) else { return true };
        let is_told = told.contains(&entry_of(version));
        *left -= usize::from(!is_told);
        is_told
    };
    anew.iter().filter(|version| stays(version)).cloned().collect()
}

fn entry_of(version: &VersionRow) -> Entry {
    let sha256 = version.content.as_ref().map(|content| content.sha256);
    (version.created_at, version.path.clone(), sha256, version.written_at)
}

/// Versions as lines, one a memory, in an order of their own.
fn lines_of(versions: &[VersionRow]) -> Vec<Vec<Entry>> {
    let mut lines: BTreeMap<MemoryId, Vec<Entry>> = BTreeMap::new();
    for version in versions {
        lines.entry(version.memory).or_default().push(entry_of(version));
    }
    let mut lines: Vec<Vec<Entry>> = lines.into_values().collect();
    // Of one time the order of the log is the true one.
    lines.iter_mut().for_each(|line| line.sort_by_key(|entry| entry.0));
    lines.sort();
    lines
}

/// What lines tell: the contents that the file at a path had, there or before it came there, and paths that a file left.
#[derive(Default)]
struct Told {
    contents: BTreeSet<(RelPath, Sha256)>,
    left: BTreeSet<RelPath>,
}

impl Told {
    fn add(&mut self, line: &PastLine) {
        let hashes: Vec<Option<Sha256>> =
            line.versions.iter().map(|version| version.content.as_deref().map(Sha256::of)).collect();
        let paths: BTreeSet<&RelPath> = line.versions.iter().map(|version| &version.path).collect();
        for sha256 in hashes.iter().flatten() {
            self.contents.extend(paths.iter().map(|path| ((*path).clone(), *sha256)));
        }
        for (place, version) in line.versions.iter().enumerate() {
            let next = line.versions.get(place + 1);
            if version.content.is_none() || next.is_some_and(|next| next.path != version.path) {
                self.left.insert(version.path.clone());
            }
        }
    }

    fn add_versions(&mut self, versions: &[VersionRow]) {
        for version in versions {
            if let (Some(path), Some(content)) = (&version.path, &version.content) {
                self.contents.insert((path.clone(), content.sha256));
            }
        }
    }

    fn covers(&self, version: &VersionRow) -> bool {
        match (&version.path, &version.content) {
            (Some(path), Some(content)) => self.contents.contains(&(path.clone(), content.sha256)),
            (Some(path), None) if version.operation == VersionOperation::Deleted => self.left.contains(path),
            _ => true,
        }
    }
}
