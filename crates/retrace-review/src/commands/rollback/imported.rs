//! A time before recording began: nothing says what the directory was then but history that others kept. To take nothing known
//! for nothing there would delete every file.

use super::Goal;
use crate::Review;
use crate::plan::Plan;
use crate::target::moment;
use crate::wire::RestoreAct;
use crate::wire::{ApiError, ImportedState, RestoreReq};
use retrace_engine::before_recording::{is_before_recording, refused};
use retrace_log::{MARKER, MemoryAt, Reader, VersionFilter, VersionRow};
use retrace_message::Message;
use retrace_model::{RelPath, Source, Timestamp, VersionOperation};
use std::collections::BTreeSet;

/// How to have what imported history knows of a time.
pub(super) fn with_imported(known: usize) -> Message {
    say::files_time_known_from_imported(known)
}

impl Review {
    /// The plan that makes the directory what imported history knows of a time, and what is certain of it. A file of which
    /// nothing is known at that time is left.
    pub(super) fn plan_restore_imported(
        &self,
        reader: &Reader<'_>,
        request: &RestoreReq,
    ) -> Result<(Plan, Vec<ImportedState>), ApiError> {
        let store = self.store_named(reader, &request.store)?;
        let moment = moment(reader, &request.at)?;
        if !is_before_recording(reader, &store, moment)? {
            return Err(ApiError::invalid(say::directory_recorded_then_state_known(), &request.at)
                .hint(say::restore_without_from_imported()));
        }
        let then = match moment.time {
            Some(time) => reader.memories_at_time(store.id, time)?,
            None => Vec::new(),
        };
        let Some(time) = moment.time.filter(|_| !then.is_empty()) else {
            return Err(refused(reader, &store, moment, &request.at, with_imported)?);
        };
        let note = say::restore_from_imported_history(&request.at);
        let mut plan = Plan::new(Source::Restore, Some(note));
        let mut known = Vec::new();
        let there: BTreeSet<RelPath> = then.iter().filter_map(|memory| memory.path.clone()).collect();
        let wanted: BTreeSet<_> = then.iter().map(|memory| memory.version.memory).collect();
        for memory in reader.memories_at(store.id, None)? {
            let is_replaced = memory.path.as_ref().is_some_and(|path| there.contains(path));
            if wanted.contains(&memory.version.memory) || is_replaced {
                continue;
            }
            let state = absent_then(reader, &memory, time)?;
            if state.act == "delete" {
                let goal =
                    Goal { memory: memory.version.memory, store: store.id, state: None, deletion: None };
                self.add_steps(reader, &mut plan, &goal)?;
            }
            known.push(state);
        }
        for memory in then {
            let Some(path) = memory.path else {
                plan.warnings.push(say::memory_time_redacted_whatever_place());
                continue;
            };
            let content = reader.content(&memory.version).ok().flatten();
            let is_masked = content.is_some_and(|content| holds_marker(&content.bytes));
            known.push(present_then(&path, &memory.version, is_masked));
            let memory_id = memory.version.memory;
            let state = Some((path, memory.version));
            let goal = Goal { memory: memory_id, store: store.id, state, deletion: None };
            self.add_steps(reader, &mut plan, &goal)?;
        }
        self.leave_what_is_in_the_way(&store, &mut plan)?;
        self.add_checks(reader, &store, &mut plan)?;
        plan.tidy();
        known.sort_by(|a, b| (a.certain, &a.path).cmp(&(b.certain, &b.path)));
        Ok((plan, known))
    }
}

fn present_then(path: &RelPath, version: &VersionRow, is_masked: bool) -> ImportedState {
    let certain = keeps_states(version) && !is_masked;
    let at = version.created_at.to_rfc3339();
    let reason = if is_masked {
        redacted::stood_with_other_content(at, MARKER)
    } else if certain {
        say::stood_from(at)
    } else {
        say::session_left_or_read_what(at)
    };
    ImportedState { path: path.to_string(), act: RestoreAct::Write, certain, reason }
}

/// State, at a time before recording, of a memory that lives now and of which nothing says that it was there.
fn absent_then(reader: &Reader<'_>, memory: &MemoryAt, time: Timestamp) -> Result<ImportedState, ApiError> {
    let filter = VersionFilter { memory: Some(memory.version.memory), ..VersionFilter::default() };
    let mut past = reader.versions(&filter)?;
    past.retain(|version| version.rebuilt);
    let by_then = past.iter().find(|version| version.created_at <= time);
    let (act, certain, reason) = match (by_then, past.last()) {
        (Some(last), _) if last.operation == VersionOperation::Deleted => {
            (RestoreAct::Delete, keeps_states(last), say::deleted(last.created_at.to_rfc3339()))
        }
        (None, Some(first)) if keeps_states(first) && first.operation == VersionOperation::Created => {
            (RestoreAct::Delete, true, say::created_later(first.created_at.to_rfc3339()))
        }
        _ => (RestoreAct::Leave, false, say::nothing_known_time_left()),
    };
    let path = memory.path.as_ref().map(ToString::to_string).unwrap_or_default();
    Ok(ImportedState { path, act, certain, reason })
}

/// True if a content may have been brought in without what was redacted: nobody wrote it so.
fn holds_marker(bytes: &[u8]) -> bool {
    bytes.windows(MARKER.len()).any(|part| part == MARKER.as_bytes())
}

/// True if the source of a version keeps whole states, so that what it does not tell was not there.
fn keeps_states(version: &VersionRow) -> bool {
    version.source == Source::Import
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "imported";
    files_time_known_from_imported(known) => "Files of that time known from imported history: {known}. `--from-imported` restores those; with `--dry-run` it says what is certain.",
    directory_recorded_then_state_known() => "The directory was recorded by then, so that its state is known.",
    restore_without_from_imported() => "Restore it without `--from-imported`.",
    restore_from_imported_history(at) => "restore to {at}, from imported history",
    memory_time_redacted_whatever_place() => "A memory of that time is redacted; whatever is in its place now is left as it is.",
    stood_from(at) => "It stood so from {at} on.",
    session_left_or_read_what(at) => "A session left or read it so at {at}; what was done otherwise until then is in no transcript.",
    deleted(created_at) => "It was deleted at {created_at}.",
    created_later(created_at) => "It was created later, at {created_at}.",
    nothing_known_time_left() => "Nothing is known of it at that time; it is left as it is.",
}

retrace_message::messages! {
    /// Messages of what is redacted in imported states.
    mod redacted in "imported_redacted";
    stood_with_other_content(at, marker) => "It stood from {at} on, with something else where {marker} is now.",
}
