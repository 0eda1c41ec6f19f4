//! Putting memories back: one memory, what a session or an operation changed, a whole directory, and undo.

use retrace_message::Message;
mod imported;

use crate::Review;
use crate::decision::Decision;
use crate::memories::{Bytes, bytes_of};
use crate::plan::{Plan, Step, Wanted, Way};
use crate::target::{Target, moment, version_named};
use crate::wire::{self, ActResult, ApiError, Code, ConflictReason, RestoreReq, RollbackReq, UndoReq};
use crate::{plan::undoable, target::memory_id};
use retrace_adherence::{
    newest_guard_act, newest_rule_act, newest_seen_act, undo_guard, undo_rule_act, undo_seen,
};
use retrace_engine::before_recording;
use retrace_log::{LogError, OperationRow, Reader, VersionFilter, VersionRow};
use retrace_model::{
    Actor, MemoryId, RelPath, Sha256, Source, StoreId, Verdict, VersionId, VersionOperation, reconcile,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Puts back one memory, or what a session or an operation changed.
///
/// # Errors
/// `not_found`, `invalid`, `content_redacted` when the wanted content is gone, `store_unavailable`. Files that moved on are
/// conflicts in the answer, and nothing is done then.
pub fn rollback(inner: &Arc<Review>, request: RollbackReq) -> Result<ActResult, ApiError> {
    if request.session.is_some() {
        retrace_history::joined(&inner.history)?;
    }
    if request.session.is_none()
        && (request.include_likely || !request.include.is_empty() || !request.except.is_empty())
    {
        return Err(ApiError::invalid(say::changes_chosen_among_those_session(), "session"));
    }
    if request.operation_seq.is_none() && (request.path.is_some() || request.deleted) {
        return Err(ApiError::invalid(say::changes_chosen_among_those_operation(), "operation_seq"));
    }
    let plan = inner.read(|reader| match (&request.to, &request.session, request.operation_seq) {
        (Some(to), None, None) => inner.plan_memory(reader, &request, to),
        (None, Some(session), None) => inner.plan_session(reader, &request, session),
        (None, None, Some(seq)) => {
            let plan = Plan::new(Source::Rollback, Some(say::rollback_operation(seq)));
            inner.plan_operation(reader, seq, plan, |row| is_asked(&request, row))
        }
        _ => Err(ApiError::invalid(say::say_exactly_one_version_session(), "")
            .hint(say::version_session_id_or_operation())),
    })?;
    inner.carry_out(&plan, request.dry_run)
}

/// True for a version of an operation that is to be taken back, where only some are.
fn is_asked(request: &RollbackReq, row: &VersionRow) -> bool {
    let is_there = |path: &String| row.path.as_ref().is_some_and(|known| known.to_text() == *path);
    request.path.as_ref().is_none_or(is_there)
        && (!request.deleted || row.operation == VersionOperation::Deleted)
}

/// Puts a whole directory back to an instant, deletions included.
///
/// # Errors
/// `not_found`, `store_unavailable`, `before_recording` for an instant before recording began, unless what imported history knows of
/// it is asked for. Files that moved on are conflicts in the answer, and nothing is done then.
pub fn restore(inner: &Arc<Review>, request: RestoreReq) -> Result<ActResult, ApiError> {
    let (plan, imported) = inner.read(|reader| {
        if request.from_imported {
            inner.plan_restore_imported(reader, &request)
        } else {
            Ok((inner.plan_restore(reader, &request)?, Vec::new()))
        }
    })?;
    let result = inner.carry_out(&plan, request.dry_run)?;
    Ok(ActResult { imported, ..result })
}

/// Takes an act back. Undoing an undo does the act again; what that act had queued for a host and the undo took back is
/// queued again.
///
/// # Errors
/// `not_found` when there is nothing to undo, `invalid` for an operation that cannot be undone. Files that moved on are
/// conflicts in the answer, and nothing is done then.
pub fn undo(inner: &Arc<Review>, request: UndoReq) -> Result<ActResult, ApiError> {
    let beside = if request.operation_seq.is_none() { newest_beside(inner)? } else { None };
    if let Some(beside) = beside {
        let rules = &inner.memory_rules;
        let mut result = ActResult { dry_run: request.dry_run, ..ActResult::default() };
        match beside {
            Beside::Guard => result.guard = Some(undo_guard(rules, request.dry_run)?),
            Beside::List => result.rule_act = Some(undo_rule_act(rules, request.dry_run)?),
            Beside::Breaks => result.rule_act = Some(undo_seen(rules, request.dry_run)?),
        }
        return Ok(result);
    }
    let seq = inner.read(|reader| match request.operation_seq {
        Some(seq) => Ok(seq),
        None => newest_undoable(reader),
    })?;
    let undone = inner.read(|reader| Ok(reader.operation(seq)?))?;
    let result = if inner.read(|reader| Ok(reader.is_rebuilding(seq)?))? {
        retrace_import::withdraw(&inner.imports, seq, request.dry_run)?
    } else {
        let plan = inner.read(|reader| inner.plan_undo(reader, Some(seq)))?;
        inner.carry_out(&plan, request.dry_run)?
    };
    Ok(ActResult { undoes: Some(undone_act(&undone)), ..result })
}

/// Acts of a person that are none of the log's operations.
#[derive(Clone, Copy)]
enum Beside {
    /// On breaks of rules.
    Breaks,
    /// On the list of rules.
    List,
    /// On the guard of a rule.
    Guard,
}

/// The newest of them, where it is newer than every operation.
fn newest_beside(inner: &Arc<Review>) -> Result<Option<Beside>, ApiError> {
    inner.read(|reader| {
        // Of one time, a guard came last: it is put on a rule that is there.
        let found = [
            (newest_seen_act(reader)?, Beside::Breaks),
            (newest_rule_act(reader)?, Beside::List),
            (newest_guard_act(reader)?, Beside::Guard),
        ];
        let newest =
            found.into_iter().filter_map(|(at, beside)| Some((at?, beside))).max_by_key(|(at, _)| *at);
        let Some((at, beside)) = newest else { return Ok(None) };
        Ok(newest_act(reader)?.is_none_or(|act| act.created_at < at).then_some(beside))
    })
}

/// The newest act among the operations of the log; `None` where there is none.
fn newest_act(reader: &Reader<'_>) -> Result<Option<OperationRow>, ApiError> {
    match newest_undoable(reader) {
        Ok(seq) => Ok(Some(reader.operation(seq)?)),
        Err(error) if error.code == Code::NotFound => Ok(None),
        // A redaction is not passed over in silence, but for what was done after it.
        Err(_) => Ok(reader.operations(None, None, 1)?.into_iter().next()),
    }
}

fn undone_act(row: &OperationRow) -> wire::UndoneAct {
    wire::UndoneAct {
        operation_seq: row.seq,
        source: row.source.into(),
        created_at: row.created_at.to_rfc3339(),
        note: row.note.as_deref().map(Message::of_saved),
    }
}

/// Takes an act back, or says why that cannot be.
///
/// # Errors
/// As [`undo`]; `head_moved` where it conflicts.
pub(super) fn undo_operation(inner: &std::sync::Arc<Review>, seq: u64) -> Result<(), ApiError> {
    let plan = inner.read(|reader| inner.plan_undo(reader, Some(seq)))?;
    let undone = inner.carry_out(&plan, false)?;
    undone.conflict_error().map_or(Ok(()), Err)
}

/// The newest act that can be undone. What a host took is one operation each; the act that queued it stands for all of them,
/// and for what of it still waits. An act that cannot be undone is not passed over in silence.
fn newest_undoable(reader: &Reader<'_>) -> Result<u64, ApiError> {
    let mut before = None;
    let mut redaction: Option<u64> = None;
    loop {
        let page = reader.operations(None, before, 200)?;
        for row in &page {
            if row.source == Source::Redact {
                redaction = redaction.or(Some(row.seq));
                continue;
            }
            let act = reader.queued_for(row.seq)?.map(|act| reader.operation(act)).transpose()?;
            let act = act.as_ref().unwrap_or(row);
            // What an agent wrote through Retrace is no act of the person's: it is undone where it is named.
            let is_agents =
                matches!(act.source, Source::Tool | Source::Api) && !matches!(act.actor, Actor::User { .. });
            if act.undoes.is_none() && !is_agents && undoable(reader, act)? {
                return match redaction {
                    None => Ok(act.seq),
                    Some(redaction) => Err(after_redaction(redaction, Some(act))),
                };
            }
        }
        match page.last() {
            Some(last) => before = Some(last.seq),
            None => {
                if let Some(redaction) = redaction {
                    return Err(after_redaction(redaction, None));
                }
                return Err(ApiError::new(Code::NotFound, say::nothing_undo(), "")
                    .hint(say::rollbacks_restores_can_undone_retrace()));
            }
        }
    }
}

/// The newest act is a redaction: what it would be to take back the one before it.
fn after_redaction(redaction: u64, act: Option<&OperationRow>) -> ApiError {
    let error = ApiError::invalid(say::newest_act_redaction_redaction_cannot(), redaction.to_string());
    let Some(act) = act else { return error };
    let what = act.note.clone().unwrap_or_else(|| act.source.as_str().to_owned());
    error.hint(say::retrace_undo_takes_back_act(act.seq, act.created_at.to_rfc3339(), what))
}

/// Target state of a memory after an act.
struct Goal {
    memory: MemoryId,
    store: StoreId,
    /// Path and version, or `None` to be deleted.
    state: Option<(RelPath, VersionRow)>,
    /// The version that deleted it, where that deletion is put back.
    deletion: Option<VersionId>,
}

/// State of a memory at a version: where, with which content; where it was deleted, by which version.
fn state_at(version: Option<VersionRow>) -> (Option<(RelPath, VersionRow)>, Option<VersionId>) {
    match version {
        Some(version) if version.operation == VersionOperation::Deleted => (None, Some(version.id)),
        Some(version) => (version.path.clone().map(|path| (path, version)), None),
        None => (None, None),
    }
}

impl Review {
    /// The plan that takes an act back: the named one, or the newest that can be.
    pub fn plan_undo(&self, reader: &Reader<'_>, operation: Option<u64>) -> Result<Plan, ApiError> {
        let seq = match operation {
            Some(seq) => seq,
            None => newest_undoable(reader)?,
        };
        let row = reader.operation(seq)?;
        if let Some(by) = row.undone_by {
            return Err(ApiError::invalid(say::operation_undone_already(), seq.to_string())
                .hint(say::operation_undid_undo_one_again(by)));
        }
        if !undoable(reader, &row)? {
            return Err(match row.source {
                Source::Redact => ApiError::invalid(say::redaction_cannot_undone(), seq.to_string()),
                _ => ApiError::invalid(say::only_acts_undone(), seq.to_string())
                    .hint(say::retrace_rollback_operation_takes_back(seq)),
            });
        }
        let mut plan = Plan::new(Source::Rollback, Some(say::undo_operation(seq)));
        plan.undoes = Some(seq);
        self.plan_operation(reader, seq, plan, |_| true)
    }

    /// Plans to put a memory back to a version it had, or to delete it where there is none.
    pub fn plan_back_to(
        &self,
        reader: &Reader<'_>,
        plan: &mut Plan,
        memory: &VersionRow,
        back_to: Option<VersionRow>,
    ) -> Result<(), ApiError> {
        let (state, deletion) = state_at(back_to);
        self.add_steps(reader, plan, &Goal { memory: memory.memory, store: memory.store, state, deletion })
    }

    fn plan_memory(&self, reader: &Reader<'_>, request: &RollbackReq, to: &str) -> Result<Plan, ApiError> {
        let named = request.memory.as_deref().unwrap_or_default();
        let version = version_named(reader, to)?;
        if version.redaction.is_some() {
            return Err(ApiError::new(Code::ContentRedacted, say::version_redacted(), to)
                .hint(say::rollback_never_brings_redacted_content()));
        }
        let (store, path, memory) = self.memory_named(reader, named, &version)?;
        if version.store != store || (version.memory != memory && version.path.as_ref() != Some(&path)) {
            return Err(ApiError::invalid(say::version_belongs_another_memory(), to)
                .hint(say::retrace_log_lists_versions(named)));
        }
        // A version of the memory that was at the path before belongs where it was.
        let (state, deletion) = state_at(Some(version.clone()));
        let mut plan = Plan::new(Source::Rollback, Some(say::rollback(version.id.to_string())));
        if version.memory != memory {
            plan.warnings.push(say::another_memory_by_then(path.to_text()));
        }
        self.add_steps(reader, &mut plan, &Goal { memory, store, state, deletion })?;
        plan.keep_others();
        if let Some(expect) = &request.expect {
            let expect = Sha256::from_hex(expect)
                .ok_or_else(|| ApiError::invalid(say::hash_64_hexadecimal_digits(), expect))?;
            // The file of the memory as it is now, whatever it is called by.
            let now = reader.path_of(memory)?.unwrap_or(path);
            for step in plan.steps.iter_mut().filter(|step| step.path == now) {
                if step.expected != Some(expect) {
                    step.expected = Some(expect);
                    step.expected_version = None;
                }
            }
        }
        plan.tidy();
        Ok(plan)
    }

    /// The memory a person named: `mem_…`, or `STORE:PATH`, which may be deleted by now.
    fn memory_named(
        &self,
        reader: &Reader<'_>,
        named: &str,
        version: &VersionRow,
    ) -> Result<(StoreId, RelPath, MemoryId), ApiError> {
        if named.starts_with("mem_") {
            let memory = memory_id(named)?;
            let store = reader.store_of(memory)?;
            let path = reader.path_of(memory)?.or_else(|| version.path.clone());
            let path =
                path.ok_or_else(|| ApiError::new(Code::NotFound, say::memory_no_path_any_more(), named))?;
            return Ok((store, path, memory));
        }
        match self.target(reader, named)? {
            Target::File { store, path, at: None } => {
                let memory = match reader.live_at(store.id, &path)? {
                    Some(live) => reader.version_by_id(live.version)?.memory,
                    // Deleted, or elsewhere by now.
                    None if reader.paths_of(version.memory)?.contains(&path) => version.memory,
                    None => {
                        return Err(ApiError::new(Code::NotFound, say::no_memory_there(), named)
                            .hint(say::retrace_log_lists_memories(&store.name)));
                    }
                };
                Ok((store.id, path, memory))
            }
            _ => Err(ApiError::invalid(say::name_memory_store_path(), named)),
        }
    }

    fn plan_operation(
        &self,
        reader: &Reader<'_>,
        seq: u64,
        mut plan: Plan,
        is_asked: impl Fn(&VersionRow) -> bool,
    ) -> Result<Plan, ApiError> {
        let row = reader.operation(seq)?;
        // A change that an act queued for hosts is taken back where it waits, and put back where it was sent.
        plan.withdraws = reader.queued_by(seq)?.iter().map(|row| row.id).collect();
        let sent = reader.sent_for(seq)?;
        let withdrawn = reader.withdrawn_by(seq)?;
        if !withdrawn.is_empty() {
            plan.requeues = withdrawn.iter().map(|row| row.id).collect();
            // As with every act: whoever changes a memory knows it from then on.
            plan.decision = Some(Decision {
                verdict: Verdict::Own,
                note: None,
                seen: crate::queue::concerned(reader, &withdrawn)?,
            });
        }
        if row.versions == 0 && plan.withdraws.is_empty() && sent.is_empty() && withdrawn.is_empty() {
            return Err(ApiError::invalid(say::operation_changed_no_memory(), seq.to_string()));
        }
        if reader.is_rebuilding(seq)? {
            return Err(ApiError::invalid(say::operation_brought_earlier_history_changed(), seq.to_string())
                .hint(say::retrace_undo_takes_out_lists(seq)));
        }
        let filter = VersionFilter { operation_seq: Some(seq), ..VersionFilter::default() };
        let mut versions = reader.versions(&filter)?;
        versions.reverse();
        for sent in sent {
            let filter = VersionFilter { operation_seq: Some(sent), ..VersionFilter::default() };
            versions.extend(reader.versions(&filter)?.into_iter().rev());
        }
        let all = versions.len();
        versions.retain(is_asked);
        if versions.is_empty() && all > 0 {
            return Err(ApiError::new(Code::NotFound, say::operation_did_nothing_such(), seq.to_string()));
        }
        // A rebuilt version lies before what was first seen; to take back the first sight is to have nothing there.
        self.take_back(reader, &mut plan, &versions, |first| reader.observed_before(first))?;
        Ok(plan)
    }

    /// Plans to put each memory that `versions` (oldest first) changed back to what it was before the first of them, which
    /// `before` tells.
    pub(super) fn take_back(
        &self,
        reader: &Reader<'_>,
        plan: &mut Plan,
        versions: &[VersionRow],
        before: impl Fn(&VersionRow) -> Result<Option<VersionRow>, LogError>,
    ) -> Result<(), ApiError> {
        let mut first_and_last: BTreeMap<MemoryId, (&VersionRow, &VersionRow)> = BTreeMap::new();
        for version in versions {
            first_and_last
                .entry(version.memory)
                .and_modify(|(_, last)| *last = version)
                .or_insert((version, version));
        }
        for (memory, (first, last)) in first_and_last {
            let store = reader.store(last.store)?;
            if store.removed_at.is_some() {
                plan.conflicts.push(store_removed(last, &store.name));
                continue;
            }
            let before = before(first)?;
            let newest = newest_version(reader, memory)?;
            // What was changed and changed back since stands as the act left it.
            if newest.id != last.id && !is_same_state(&newest, last) {
                plan.conflicts.push(later_change(last, &newest, before.as_ref()));
                continue;
            }
            if before.as_ref().is_some_and(|before| before.redaction.is_some()) {
                plan.warnings.push(say::what_before_redacted_left(shown_path(last)));
                continue;
            }
            let (state, deletion) = state_at(before);
            self.add_steps(reader, plan, &Goal { memory, store: last.store, state, deletion })?;
        }
        plan.keep_others();
        plan.tidy();
        Ok(())
    }

    fn plan_restore(&self, reader: &Reader<'_>, request: &RestoreReq) -> Result<Plan, ApiError> {
        let store = self.store_named(reader, &request.store)?;
        let moment = moment(reader, &request.at)?;
        if before_recording::is_before_recording(reader, &store, moment)? {
            let with_imported = imported::with_imported;
            return Err(before_recording::refused(reader, &store, moment, &request.at, with_imported)?);
        }
        let at = match moment.time {
            Some(time) => reader.operation_of_store_at(store.id, time)?,
            None => moment.operation,
        };
        let mut plan = Plan::new(Source::Restore, Some(say::restore(&request.at)));
        let then = reader.memories_at(store.id, Some(at))?;
        let now = reader.memories_at(store.id, None)?;
        let wanted: BTreeSet<MemoryId> = then.iter().map(|memory| memory.version.memory).collect();
        for memory in &now {
            if !wanted.contains(&memory.version.memory) {
                self.add_steps(
                    reader,
                    &mut plan,
                    &Goal { memory: memory.version.memory, store: store.id, state: None, deletion: None },
                )?;
            }
        }
        for memory in then {
            let Some(path) = memory.path else {
                plan.warnings.push(say::memory_time_redacted_whatever_place());
                continue;
            };
            let goal = Goal {
                memory: memory.version.memory,
                store: store.id,
                state: Some((path, memory.version)),
                deletion: None,
            };
            self.add_steps(reader, &mut plan, &goal)?;
        }
        self.leave_what_is_in_the_way(&store, &mut plan)?;
        self.add_checks(reader, &store, &mut plan)?;
        plan.tidy();
        Ok(plan)
    }

    /// Leaves the files of a restored directory that cannot be written, because something stands there that is no memory of it, and says
    /// so.
    fn leave_what_is_in_the_way(
        &self,
        store: &retrace_log::StoreRow,
        plan: &mut Plan,
    ) -> Result<(), ApiError> {
        if !store.has_directory() {
            return Ok(());
        }
        let root = self.store_root(store)?;
        let way = Way::of(&plan.steps);
        let is_in_the_way = |step: &Step| {
            step.wanted.is_some()
                && root
                    .read(&step.path, 0)
                    .is_err_and(|error| error.is_in_the_way() && !way.is_cleared(&root, step, &error))
        };
        let (left, steps): (Vec<Step>, Vec<Step>) =
            std::mem::take(&mut plan.steps).into_iter().partition(is_in_the_way);
        plan.steps = steps;
        for step in left {
            // Where the memory is now it stays.
            let from = step.wanted.as_ref().and_then(|wanted| wanted.moved_from.as_ref());
            plan.steps.retain(|step| step.wanted.is_some() || Some(&step.path) != from);
            plan.warnings.push(left::no_file_there(step.path.to_string()));
            plan.left.push(step);
        }
        Ok(())
    }

    /// Unrecorded changes stand in the way of "the whole directory as it was": files that are new, edited or gone
    /// since the last scan, where the plan does not change them anyway.
    fn add_checks(
        &self,
        reader: &Reader<'_>,
        store: &retrace_log::StoreRow,
        plan: &mut Plan,
    ) -> Result<(), ApiError> {
        if !store.has_directory() {
            return Ok(());
        }
        let scan = self.store_root(store)?.scan(&self.rules, None);
        let mut heads = reader.heads(store.id)?;
        heads.retain(|path, _| scan.covers(path));
        let decided = reconcile(&heads, &scan.found, &BTreeSet::new(), true);
        for path in decided.to_read.into_iter().chain(decided.gone) {
            if plan.steps.iter().any(|step| step.path == path) {
                continue;
            }
            let live = reader.live_at(store.id, &path)?;
            // Of a memory whose newest version is redacted, nothing is known to compare the file with.
            if live.as_ref().is_some_and(|live| live.sha256.is_none()) {
                continue;
            }
            plan.checks.push(Step {
                store: store.id,
                path,
                expected: live.as_ref().and_then(|live| live.sha256),
                expected_version: live.map(|live| live.version),
                wanted: None,
                deletion: None,
            });
        }
        Ok(())
    }

    /// The steps that take a memory from where it is to where it should be.
    fn add_steps(&self, reader: &Reader<'_>, plan: &mut Plan, goal: &Goal) -> Result<(), ApiError> {
        let live_path = reader.path_of(goal.memory)?;
        let wanted = match &goal.state {
            None => None,
            Some((path, version)) => match bytes_of(reader, version)? {
                Bytes::Kept(bytes) => Some((path.clone(), bytes, version)),
                Bytes::Nothing => None,
                Bytes::Redacted => {
                    plan.warnings.push(say::content_time_redacted_left(path.to_string()));
                    return Ok(());
                }
                Bytes::TooLarge { .. } if is_there(reader, goal.store, path, version)? => return Ok(()),
                Bytes::TooLarge { .. } => {
                    plan.warnings.push(say::content_time_too_large_kept(path.to_string()));
                    return Ok(());
                }
            },
        };
        let moves = match (&live_path, &wanted) {
            (Some(from), Some((to, ..))) if from != to => Some(from.clone()),
            _ => None,
        };
        if let Some((path, bytes, version)) = wanted {
            let (expected, expected_version) = self.expected_at(reader, goal.store, &path)?;
            self.note_other(reader, plan, (goal.store, &path), (goal.memory, Some(version.id)))?;
            plan.steps.push(Step {
                store: goal.store,
                path,
                expected,
                expected_version,
                deletion: None,
                wanted: Some(Wanted {
                    sha256: Sha256::of(&bytes),
                    bytes,
                    version: Some(version.id),
                    moved_from: moves.clone(),
                }),
            });
            if moves.is_none() {
                return Ok(());
            }
        }
        let Some(path) = live_path else { return Ok(()) };
        plan.takes_away(goal.memory);
        let (expected, expected_version) = self.expected_at(reader, goal.store, &path)?;
        plan.steps.push(Step {
            store: goal.store,
            path,
            expected,
            expected_version,
            wanted: None,
            deletion: goal.deletion,
        });
        Ok(())
    }
}

/// True if a version's content is what lives at `path` now, as the log knows it.
fn is_there(
    reader: &Reader<'_>,
    store: StoreId,
    path: &RelPath,
    version: &VersionRow,
) -> Result<bool, ApiError> {
    let live = reader.live_at(store, path)?.and_then(|live| live.sha256);
    Ok(live.is_some() && live == version.content.map(|content| content.sha256))
}

pub(super) fn newest_version(reader: &Reader<'_>, memory: MemoryId) -> Result<VersionRow, ApiError> {
    let filter = VersionFilter { memory: Some(memory), limit: 1, ..VersionFilter::default() };
    reader
        .versions(&filter)?
        .pop()
        .ok_or_else(|| ApiError::new(Code::NotFound, say::memory_no_version(), memory.to_string()))
}

/// True if two versions of a memory left the same behind: the same content at the same path, or nothing.
fn is_same_state(one: &VersionRow, other: &VersionRow) -> bool {
    let deleted = |version: &VersionRow| version.operation == VersionOperation::Deleted;
    match (deleted(one), deleted(other)) {
        (true, true) => true,
        (false, false) => {
            let hash = |version: &VersionRow| version.content.map(|content| content.sha256);
            one.path == other.path && hash(one).is_some() && hash(one) == hash(other)
        }
        _ => false,
    }
}

fn later_change(expected: &VersionRow, newest: &VersionRow, wanted: Option<&VersionRow>) -> wire::Conflict {
    let hash = |version: &VersionRow| version.content.map(|content| content.sha256.to_hex());
    wire::Conflict {
        store_id: newest.store.to_string(),
        path: shown_path(newest),
        expected_sha256: hash(expected),
        found_sha256: hash(newest),
        expected_version_id: Some(expected.id.to_string()),
        found_version_id: Some(newest.id.to_string()),
        wanted_version_id: wanted.map(|version| version.id.to_string()),
        reason: ConflictReason::ChangedSince,
        message: say::memory_changed_again_since(),
    }
}

fn store_removed(version: &VersionRow, store: &str) -> wire::Conflict {
    wire::Conflict {
        store_id: version.store.to_string(),
        path: shown_path(version),
        expected_sha256: version.content.map(|content| content.sha256.to_hex()),
        found_sha256: None,
        expected_version_id: Some(version.id.to_string()),
        found_version_id: None,
        wanted_version_id: None,
        reason: ConflictReason::StoreRemoved,
        message: gone::store_off_the_list(store),
    }
}

pub(super) fn shown_path(version: &VersionRow) -> String {
    version.path.as_ref().map_or_else(|| say::redacted_path().into_text(), ToString::to_string)
}

retrace_message::messages! {
    /// Stores that no act changes.
    mod gone in "rollback_gone";
    store_off_the_list(store) => "The store {store} is off the list, so nothing in it is changed.",
}

retrace_message::messages! {
    /// What a restore leaves.
    mod left in "rollback_left";
    no_file_there(path) => "{path}: a directory, a link or something else that is no file stands there or on the way; it is left as it is.",
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "rollback";
    changes_chosen_among_those_session() => "Changes are chosen among those of a session.",
    changes_chosen_among_those_operation() => "A path and deletions are chosen among what an operation changed.",
    operation_did_nothing_such() => "The operation changed no such memory.",
    rollback_operation(seq) => "rollback of operation {seq}",
    say_exactly_one_version_session() => "Say exactly one of: a version, a session, an operation.",
    version_session_id_or_operation() => "`--to VERSION`, `--session ID` or `--operation SEQ`.",
    nothing_undo() => "There is nothing to undo.",
    rollbacks_restores_can_undone_retrace() => "Rollbacks and restores can be undone; `retrace log` shows them.",
    newest_act_redaction_redaction_cannot() => "The newest act is a redaction, and a redaction cannot be undone.",
    retrace_undo_takes_back_act(seq, created_at, what) => "`retrace undo {seq}` undoes the act before it, of {created_at}: {what}.",
    operation_undone_already() => "The operation is undone already.",
    operation_undid_undo_one_again(by) => "Operation {by} undid it; undo that one to do it again.",
    redaction_cannot_undone() => "A redaction cannot be undone.",
    only_acts_undone() => "Only acts are undone.",
    retrace_rollback_operation_takes_back(seq) => "`retrace rollback --operation {seq}` rolls back what was seen on disk.",
    undo_operation(seq) => "undo of operation {seq}",
    version_redacted() => "That version was redacted.",
    rollback_never_brings_redacted_content() => "A rollback never brings redacted content back; choose another version.",
    no_memory_there() => "No memory is or was there.",
    retrace_log_lists_memories(store) => "`retrace log {store}` lists what was changed in the store.",
    another_memory_by_then(path) => "By that version {path} was another memory. What stands there now is replaced by it, and stays in the log.",
    version_belongs_another_memory() => "The version belongs to another memory.",
    retrace_log_lists_versions(named) => "`retrace log` lists the versions of {named}.",
    rollback(id) => "rollback to {id}",
    hash_64_hexadecimal_digits() => "A hash has 64 hexadecimal digits.",
    memory_no_path_any_more() => "The memory has no path any more.",
    name_memory_store_path() => "Name the memory as STORE:PATH.",
    operation_changed_no_memory() => "The operation changed no memory.",
    operation_brought_earlier_history_changed() => "The operation brought in earlier history, and changed no file.",
    retrace_undo_takes_out_lists(seq) => "`retrace undo {seq}` takes it out of the lists again.",
    what_before_redacted_left(last) => "{last}: what was there before is redacted; it is left as it is.",
    restore(at) => "restore to {at}",
    memory_time_redacted_whatever_place() => "A memory of that time is redacted; whatever is in its place now is left as it is.",
    content_time_redacted_left(path) => "{path}: the content of that time is redacted; it is left as it is.",
    content_time_too_large_kept(path) => "{path}: the content of that time was too large to be kept.",
    memory_no_version() => "The memory has no version.",
    memory_changed_again_since() => "The memory was changed again since.",
    redacted_path() => "(redacted path)",
}
