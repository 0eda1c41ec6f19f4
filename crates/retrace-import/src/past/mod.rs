//! History from before the app was there: where it is kept, and how it comes into the log.
//!
//! Each source is read to lines of versions ([`PastLine`]); the log decides what of them is new. Nothing here touches a file
//! of a store, and nothing reaches the network. A preview runs the same code and lets go of the transaction.

pub(crate) mod bundle;
pub(crate) mod file_history;
pub(crate) mod git;
pub(crate) mod lines;
mod replace;
pub(crate) mod transcripts;

use crate::Imports;
use crate::jobs::Steps;
use crate::kept_out;
use crate::wire::ImportSource;
use crate::wire::{ActResult, ApiError, ImportResult, ImportedFile};
use retrace_log::{Act, PastLine, Rebuild, Rebuilt, StoreRow};
use retrace_message::Message;
use retrace_model::{Permissions, RelPath, Rules, Source, Timestamp};
use std::collections::BTreeMap;

/// Files named in the answer of an import; the counts are of all.
const FILES_NAMED: usize = 200;

/// Past of a store by a source.
#[derive(Debug, Default)]
pub(crate) struct PastHistory {
    /// One line for each memory.
    pub lines: Vec<PastLine>,
    /// Permissions of files, as the source tells them.
    pub permissions: BTreeMap<RelPath, Permissions>,
    /// Content that was left out, and why, each in a sentence.
    pub warnings: Vec<Message>,
}

/// Names of an import in the log and in its answer.
pub(crate) struct Import {
    /// `git`, `transcripts`, `bundle`.
    pub from: ImportSource,
    pub source: Source,
    pub note: Message,
    pub dry_run: bool,
}

/// True if the rules of recording leave a path out.
pub(crate) fn is_left_out(rules: &Rules, path: &RelPath) -> bool {
    rules.leaves_out(path.components()).is_some()
}

/// Brings lines into the log as one operation.
pub(crate) fn carry_out(
    inner: &Imports,
    store: &StoreRow,
    past_history: PastHistory,
    import: &Import,
    steps: &Steps<'_>,
) -> Result<ImportResult, ApiError> {
    let PastHistory { lines, permissions, warnings } = past_history;
    let found: u64 = lines.iter().map(|line| line.versions.len() as u64).sum();
    let files = files_of(&lines);
    let times = || lines.iter().flat_map(|line| &line.versions).map(|version| version.at);
    let (first, last) = (times().min(), times().max());
    let user = inner.user();
    let rebuild = Rebuild {
        store: store.id,
        source: import.source,
        actor: &user,
        note: Some(import.note.text()),
        at: inner.now(),
        lines,
    };
    let total = usize::try_from(found).ok();
    let mut tell = |done: u64| steps.tell(usize::try_from(done).unwrap_or(usize::MAX), total);
    let is_git = import.from == ImportSource::Git;
    let earlier = if is_git { inner.read(|reader| Ok(reader.git_imports(store.id)?))? } else { Vec::new() };
    let is_due = !earlier.is_empty()
        && inner.preview(|act| replace::is_due(act, &earlier, &rebuild, &mut |_| steps.go_on()))?;
    let mut work = |act: &mut Act<'_>| {
        if is_due {
            return replace::replace(act, &earlier, &rebuild, &mut tell);
        }
        let done = act.rebuild_telling(&rebuild, &mut tell)?;
        for (path, told) in &permissions {
            // What was seen of the file here says more.
            if act.reader().permissions_at(store.id, path)?.file.is_none() {
                act.keep_permissions(store.id, path, told)?;
            }
        }
        if let Some(seq) = done.operation_seq.filter(|_| is_git) {
            act.note_git_import(seq, &[])?;
        }
        Ok(done)
    };
    let done = if import.dry_run { inner.preview(&mut work)? } else { inner.write(&mut work)? };
    let replaced = if is_due { earlier } else { Vec::new() };
    let warnings = replaced_by(&replaced).into_iter().chain(warnings).collect();
    Ok(result(store, import, &done, Seen { found, files, first, last, warnings }))
}

/// Found versions, new or not.
struct Seen {
    found: u64,
    files: Vec<ImportedFile>,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    warnings: Vec<Message>,
}

fn result(store: &StoreRow, import: &Import, done: &Rebuilt, seen: Seen) -> ImportResult {
    ImportResult {
        dry_run: import.dry_run,
        operation_seq: if import.dry_run { None } else { done.operation_seq },
        from: import.from,
        store_id: store.id.to_string(),
        store: store.name.clone(),
        found: seen.found,
        versions: done.versions.len() as u64,
        memories: done.memories,
        known: done.known,
        observed: done.observed,
        unchanged: done.unchanged,
        redacted: done.redacted.versions(),
        redacted_paths: done.redacted.paths,
        redacted_files: kept_out::files_of(&done.redacted),
        first_at: seen.first.map(Timestamp::to_rfc3339),
        last_at: seen.last.map(Timestamp::to_rfc3339),
        files: seen.files,
        warnings: kept_out::warnings_of(&done.redacted).into_iter().chain(seen.warnings).collect(),
    }
}

/// The files that lines end at, those with most versions first.
fn files_of(lines: &[PastLine]) -> Vec<ImportedFile> {
    let mut by_path: BTreeMap<String, u64> = BTreeMap::new();
    for line in lines {
        if let Some(last) = line.versions.last() {
            *by_path.entry(last.path.to_text()).or_default() += line.versions.len() as u64;
        }
    }
    let mut files: Vec<ImportedFile> =
        by_path.into_iter().map(|(path, versions)| ImportedFile { path, versions }).collect();
    files.sort_by(|a, b| (b.versions, &a.path).cmp(&(a.versions, &b.path)));
    files.truncate(FILES_NAMED);
    files
}

/// Takes an import back: its versions are withdrawn, so that lists leave them out. Their contents stay until redacted. What it
/// replaced counts again.
pub fn withdraw(inner: &Imports, seq: u64, dry_run: bool) -> Result<ActResult, ApiError> {
    let (row, undoings) = inner.read(|reader| Ok((reader.operation(seq)?, reader.undoings_of(seq)?)))?;
    if row.undoes.is_some() {
        return Err(ApiError::invalid(say::import_undone_brought_back_importing(), seq.to_string()));
    }
    let newest = undoings.last().copied();
    if let Some(by) = newest.filter(|_| undoings.len() % 2 == 1) {
        return Err(ApiError::invalid(say::operation_undone_already(), seq.to_string())
            .hint(say::operation_undid_import_again_bring(by)));
    }
    let mut result = ActResult { dry_run, withdrawn: row.versions, ..ActResult::default() };
    if dry_run {
        return Ok(result);
    }
    let user = inner.user();
    let at = inner.now();
    result.operation_seq = inner.write(|act| {
        for undoing in act.reader().replaced_for(seq)? {
            // One that is undone since is left as it is.
            if act.reader().undoings_of(undoing)?.is_empty() {
                replace::undo(act, row.store, row.source, &user, at, undoing)?;
            }
        }
        Ok(replace::undo(act, row.store, row.source, &user, at, newest.unwrap_or(seq))?)
    })?;
    Ok(result)
}

/// What is said of earlier imports that were replaced.
fn replaced_by(earlier: &[u64]) -> Option<Message> {
    let operations: Vec<String> = earlier.iter().map(u64::to_string).collect();
    (!operations.is_empty()).then(|| told::replaces(operations.join(", ")))
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "past";
    operation_undone_already() => "The operation is undone already.",
    operation_undid_import_again_bring(by) => "Operation {by} undid it; import again to bring the history back.",
    import_undone_brought_back_importing() => "An import that was undone is brought back by importing again.",
    undo_operation(seq) => "undo of operation {seq}",
}

retrace_message::messages! {
    /// Messages of imports that replace others.
    mod told in "replaced";
    replaces(operations) => "Git says otherwise than when it was read before. What operation {operations} brought in is replaced. Undoing this import brings it back.",
}
