//! History from before the app was there: where it is kept, and how it comes into the log.
//!
//! Each source is read to lines of versions ([`PastLine`]); the log decides what of them is new. Nothing here touches a file
//! of a store, and nothing reaches the network. A preview runs the same code and lets go of the transaction.

pub(crate) mod bundle;
pub(crate) mod file_history;
pub(crate) mod git;
pub(crate) mod lines;
pub(crate) mod transcripts;

use crate::app::Inner;
use crate::kept_out;
use crate::wire::{ActResult, ApiError, Event, ImportResult, ImportedFile};
use retrace_log::{Append, PastLine, Rebuild, Rebuilt, StoreRow};
use retrace_message::Message;
use retrace_model::{RelPath, Rules, Source, Timestamp};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// Files named in the answer of an import; the counts are of all.
const FILES_NAMED: usize = 200;

/// Most times that listeners are told of the progress of one import.
const STEPS_TOLD: usize = 100;

/// Past of a store by a source.
#[derive(Debug, Default)]
pub(crate) struct PastHistory {
    /// One line for each memory.
    pub(crate) lines: Vec<PastLine>,
    /// Content that was left out, and why, each in a sentence.
    pub(crate) warnings: Vec<String>,
}

/// Names of an import in the log and in its answer.
pub(crate) struct Import<'a> {
    /// `git`, `transcripts`, `bundle`.
    pub(crate) from: &'a str,
    pub(crate) source: Source,
    pub(crate) note: String,
    pub(crate) dry_run: bool,
}

/// Tells listeners how far an import is, and asks whether it is to stop.
pub(crate) struct Steps<'a> {
    pub(crate) inner: &'a Inner,
    pub(crate) task: &'a str,
    pub(crate) stop: &'a AtomicBool,
}

impl Steps<'_> {
    /// Says that `done` of `total` are done.
    ///
    /// # Errors
    /// `cancelled` when the import is to stop.
    pub(crate) fn tell(&self, done: usize, total: Option<usize>) -> Result<(), ApiError> {
        self.go_on()?;
        let every = total.map_or(STEPS_TOLD, |total| (total / STEPS_TOLD).max(1));
        if done.is_multiple_of(every) || total == Some(done) {
            self.inner.events.send(&Event::Progress {
                task: self.task.to_owned(),
                done: done as u64,
                total: total.map(|total| total as u64),
            });
        }
        Ok(())
    }

    /// # Errors
    /// `cancelled` when the import is to stop.
    pub(crate) fn go_on(&self) -> Result<(), ApiError> {
        if self.stop.load(Ordering::SeqCst) {
            return Err(ApiError::invalid("The import was stopped; nothing was brought in.", self.task));
        }
        Ok(())
    }
}

/// True if the rules of recording leave a path out.
pub(crate) fn is_left_out(rules: &Rules, path: &RelPath) -> bool {
    rules.leaves_out(path.components()).is_some()
}

/// Brings lines into the log as one operation.
pub(crate) fn carry_out(
    inner: &Inner,
    store: &StoreRow,
    past_history: PastHistory,
    import: &Import<'_>,
    steps: &Steps<'_>,
) -> Result<ImportResult, ApiError> {
    let PastHistory { lines, warnings } = past_history;
    let found: u64 = lines.iter().map(|line| line.versions.len() as u64).sum();
    let files = files_of(&lines);
    let times = || lines.iter().flat_map(|line| &line.versions).map(|version| version.at);
    let (first, last) = (times().min(), times().max());
    let user = inner.user();
    let rebuild = |lines| Rebuild {
        store: store.id,
        source: import.source,
        actor: &user,
        note: Some(import.note.as_str()),
        at: inner.now(),
        lines,
    };
    let total = usize::try_from(found).ok();
    let mut tell = |done: u64| steps.tell(usize::try_from(done).unwrap_or(usize::MAX), total);
    let done = if import.dry_run {
        inner.preview(|act| act.rebuild_telling(rebuild(lines), &mut tell))?
    } else {
        inner.write(|act| act.rebuild_telling(rebuild(lines), &mut tell))?
    };
    Ok(result(store, import, &done, Seen { found, files, first, last, warnings }))
}

/// Found versions, new or not.
struct Seen {
    found: u64,
    files: Vec<ImportedFile>,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    warnings: Vec<String>,
}

fn result(store: &StoreRow, import: &Import<'_>, done: &Rebuilt, seen: Seen) -> ImportResult {
    ImportResult {
        dry_run: import.dry_run,
        operation_seq: if import.dry_run { None } else { done.operation_seq },
        from: import.from.to_owned(),
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
        warnings: kept_out::warnings_of(&done.redacted)
            .into_iter()
            .chain(seen.warnings)
            .map(Message::from)
            .collect(),
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

/// Takes an import back: its versions are withdrawn, so that lists leave them out. Their contents stay until redacted.
pub(crate) fn withdraw(inner: &Inner, seq: u64, dry_run: bool) -> Result<ActResult, ApiError> {
    let versions = inner.read(|reader| {
        let row = reader.operation(seq)?;
        if let Some(by) = row.undone_by {
            return Err(ApiError::invalid("The operation is undone already.", seq.to_string())
                .hint(format!("Operation {by} undid it; import again to bring the history back.")));
        }
        if row.undoes.is_some() {
            return Err(ApiError::invalid(
                "An import that was undone is brought back by importing again.",
                seq.to_string(),
            ));
        }
        Ok(row.versions)
    })?;
    let mut result = ActResult { dry_run, withdrawn: versions, ..ActResult::default() };
    if dry_run {
        return Ok(result);
    }
    let user = inner.user();
    let row = inner.read(|reader| Ok(reader.operation(seq)?))?;
    let note = format!("undo of operation {seq}");
    let appended = inner.write(|act| {
        Ok(act.append(Append {
            store: row.store,
            source: row.source,
            actor: &user,
            note: Some(&note),
            at: inner.now(),
            undoes: Some(seq),
            changes: Vec::new(),
            even_if_empty: true,
        })?)
    })?;
    result.operation_seq = appended.operation_seq;
    Ok(result)
}
