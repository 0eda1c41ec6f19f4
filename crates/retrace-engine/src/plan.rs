//! Acts on live files: what is to be written and deleted, whether the files are still what the act expects, and doing it.
//!
//! A plan is made from the log and compared with the disk; a preview stops there. The act then takes the log's write lock,
//! reads the log once more, writes file by file (each atomically and only over the hash it expects), and appends what
//! was done as one operation. When a file in the middle turns out to have moved on, or the log cannot take the operation,
//! what was written before is put back. A crash at any instant leaves a directory that the next scan records.

use crate::decision::{self, Decision, Who};
use crate::diff;
use crate::engine::Engine;
use crate::faults::Point;
use crate::live_files::{LiveFiles, of_log};
use crate::queue;
use crate::wire::{self, ActResult, ApiError, Code, ConflictReason};
use retrace_files::{Expected, FileError, Root};
use retrace_log::{Act, Append, Appended, Change, NewQueued, OperationRow, Payload, Reader, StoreRow};
use retrace_message::Message;
use retrace_model::{Actor, MemoryId, RelPath, Seen, Sha256, Source, StoreId, VersionId};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

mod others;
mod way;

use others::Other;
pub use way::Way;

/// One file a plan changes.
#[derive(Clone, Debug)]
pub struct Step {
    /// The store.
    pub store: StoreId,
    /// The path there.
    pub path: RelPath,
    /// Content the file must have now; `None` when there must be no file.
    pub expected: Option<Sha256>,
    /// The version that records what is expected.
    pub expected_version: Option<VersionId>,
    /// Content to write; `None` to delete.
    pub wanted: Option<Wanted>,
    /// Of a deletion that is put back: the version that deleted first.
    pub deletion: Option<VersionId>,
}

/// A content to write.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Their hash.
    pub sha256: Sha256,
    /// The version they are from.
    pub version: Option<VersionId>,
    /// The path the memory has before, when writing it here moves it.
    pub moved_from: Option<RelPath>,
}

/// True if `undo` would accept an operation: an act on files, or history brought in, that nobody has undone yet. What a scan
/// saw is taken back with a rollback; a redaction never.
pub fn undoable(reader: &Reader<'_>, row: &OperationRow) -> Result<bool, ApiError> {
    let act = matches!(
        row.source,
        Source::Rollback | Source::Restore | Source::Api | Source::Tool | Source::Import | Source::Rebuilt
    );
    if !act {
        return Ok(false);
    }
    if row.undone_by.is_some() {
        // History that was withdrawn and counts again can be withdrawn again.
        let brought_in = row.undoes.is_none() && matches!(row.source, Source::Import | Source::Rebuilt);
        return Ok(brought_in && row.versions > 0 && reader.undoings_of(row.seq)?.len().is_multiple_of(2));
    }
    // An act on a mirror has no version before its host took it.
    Ok(row.versions > 0
        || !reader.queued_by(row.seq)?.is_empty()
        || !reader.sent_for(row.seq)?.is_empty()
        || !reader.withdrawn_by(row.seq)?.is_empty())
}

/// The stores of a plan, with their directories; a store that lives in the log alone has none.
type Places = BTreeMap<StoreId, (StoreRow, Option<Arc<Root>>)>;

/// An act on files, about to be previewed or done.
#[derive(Clone)]
pub struct Plan {
    /// Source of the operation.
    pub source: Source,
    /// Note of the operation.
    pub note: Option<Message>,
    /// The operation it undoes.
    pub undoes: Option<u64>,
    /// The review it is part of.
    pub decision: Option<Decision>,
    /// Files to change, in order.
    pub steps: Vec<Step>,
    /// Files that must be as expected although the plan does not change them; what is wanted there means nothing.
    pub checks: Vec<Step>,
    /// Files that should be changed and are left, because something that is no file stands there.
    pub left: Vec<Step>,
    /// Sentences for the person.
    pub warnings: Vec<Message>,
    /// Conflicts with a newer version in the log.
    pub conflicts: Vec<wire::Conflict>,
    /// Other memories that stand where it writes.
    others: Vec<Other>,
    /// Memories that it takes away from where they are.
    leaving: BTreeSet<MemoryId>,
    /// Changes of a session that are offered, and whether each is in the plan.
    pub likely: Vec<wire::LikelyChange>,
    /// Changes that the session is known to have made, and whether each is in the plan.
    pub sure: Vec<wire::LikelyChange>,
    /// Changes queued for hosts that it takes back.
    pub withdraws: Vec<u64>,
    /// Changes that were taken back and that it queues again.
    pub requeues: Vec<u64>,
}

impl Plan {
    /// A plan that changes nothing yet.
    pub fn new(source: Source, note: Option<Message>) -> Self {
        Self {
            source,
            note,
            undoes: None,
            decision: None,
            steps: Vec::new(),
            checks: Vec::new(),
            left: Vec::new(),
            warnings: Vec::new(),
            conflicts: Vec::new(),
            others: Vec::new(),
            leaving: BTreeSet::new(),
            likely: Vec::new(),
            sure: Vec::new(),
            withdraws: Vec::new(),
            requeues: Vec::new(),
        }
    }

    /// True if it changes anything at all.
    fn is_empty(&self) -> bool {
        self.steps.is_empty() && !self.is_for_queue()
    }

    /// True if it takes queued changes back, or queues some again.
    fn is_for_queue(&self) -> bool {
        !self.withdraws.is_empty() || !self.requeues.is_empty()
    }

    /// Only checks what would change nothing by the log, for the file may have changed since. Orders the rest: writes before
    /// deletions, so that a moved memory is never nowhere; but first what has to go so that a directory can stand where a file did, or
    /// a file where a directory did. Two memories may have been at one path at different times: where
    /// one step writes and another deletes, the write wins, and it is done even when the content stays the same, for it is
    /// another memory's from then on.
    pub fn tidy(&mut self) {
        let place = |step: &Step| (step.store, step.path.clone());
        let written: BTreeSet<_> =
            self.steps.iter().filter(|step| step.wanted.is_some()).map(place).collect();
        self.steps.retain(|step| step.wanted.is_some() || !written.contains(&place(step)));
        let moved_from = |step: &Step| Some((step.store, step.wanted.as_ref()?.moved_from.clone()?));
        let left: BTreeSet<_> = self.steps.iter().filter_map(moved_from).collect();
        let (steps, unchanged): (Vec<Step>, Vec<Step>) =
            std::mem::take(&mut self.steps).into_iter().partition(|step| {
                let wanted = step.wanted.as_ref().map(|wanted| wanted.sha256);
                step.expected != wanted || left.contains(&place(step))
            });
        self.steps = steps;
        self.checks.extend(unchanged);
        let way = Way::of(&self.steps);
        let rank = |step: &Step| match (&step.wanted, way.is_cleared_by(step)) {
            (None, true) => 0,
            (Some(_), _) => 1,
            (None, false) => 2,
        };
        self.steps.sort_by(|a, b| (rank(a), a.store, &a.path).cmp(&(rank(b), b.store, &b.path)));
    }
}

/// A file that was written or deleted.
struct DoneStep<'p> {
    step: &'p Step,
    seen: Option<Seen>,
}

/// Progress of an act.
#[derive(Default)]
struct Carried<'p> {
    done: Vec<DoneStep<'p>>,
    /// The step that could not be taken, and why.
    stopped: Option<(&'p Step, FileError)>,
    /// Steps that another process's append overtook; nothing is done then.
    moved_in_log: Vec<&'p Step>,
    /// Number of the review that went with it.
    review: Option<u64>,
}

impl Engine {
    /// Previews or does a plan.
    pub fn carry_out(self: &Arc<Self>, plan: &Plan, dry_run: bool) -> Result<ActResult, ApiError> {
        Ok(self.carry_out_reviewed(plan, dry_run)?.0)
    }

    /// Previews or does a plan; also answers the number of the review that was written down with it.
    pub fn carry_out_reviewed(
        self: &Arc<Self>,
        plan: &Plan,
        dry_run: bool,
    ) -> Result<(ActResult, Option<u64>), ApiError> {
        let plan = &*self.without_redacted(plan)?;
        let stores = self.stores_of(plan)?;
        let mut result = ActResult {
            dry_run,
            warnings: plan.warnings.to_vec(),
            likely: plan.likely.clone(),
            sure: plan.sure.clone(),
            ..ActResult::default()
        };
        for step in &plan.steps {
            if step.wanted.is_some() { &mut result.writes } else { &mut result.deletes }.push(write_of(step));
        }
        result.left = plan.left.iter().map(write_of).collect();
        result.partial = !result.left.is_empty();
        result.warnings.extend(self.nothing_is_lost(plan, &stores, dry_run)?);
        result.conflicts.clone_from(&plan.conflicts);
        let (waiting, queued) = self.read(|reader| {
            let queued = queue::changes_of(reader, plan, self.now())?;
            let mut waiting = queue::waiting_for(reader, plan)?;
            waiting.extend(queue::overtaken(reader, plan)?);
            Ok((waiting, queued.len() as u64))
        })?;
        result.queued = queued + plan.requeues.len() as u64;
        result.conflicts.extend(waiting);
        if !plan.withdraws.is_empty() {
            result.warnings.push(match plan.withdraws.len() {
                1 => say::n1_change_waits_sent_host(),
                many => say::changes_wait_sent_their_host(many),
            });
        }
        result.conflicts.extend(self.compared_with_disk(plan, &stores, dry_run)?);
        if !result.conflicts.is_empty() {
            return Ok((nothing_done(result), None));
        }
        if dry_run {
            let writing = plan.steps.iter().filter(|step| step.wanted.is_some());
            for (write, step) in result.writes.iter_mut().zip(writing) {
                write.diff = self.previewed(step, stores[&step.store].1.as_deref());
            }
            return Ok((result, None));
        }
        if plan.is_empty() {
            // The wanted content is there already; the review alone is left to be written down.
            let Some(decision) = &plan.decision else { return Ok((result, None)) };
            let (person, at) = (self.user(), self.now());
            let review = self
                .write(|act| decision::record_decision(act, Who { person: &person, at }, decision, None))?;
            return Ok((result, review));
        }
        self.do_it(plan, &stores, result)
    }

    /// A content that the log does not hold is never replaced: a content too large to be kept, or an edit of a file
    /// whose newest version is redacted, of which nothing is known to compare it with. The latter is recorded now. Answers a
    /// warning for each file that is as it was when the log let go of it.
    fn nothing_is_lost(
        self: &Arc<Self>,
        plan: &Plan,
        stores: &Places,
        dry_run: bool,
    ) -> Result<Vec<Message>, ApiError> {
        let mut unknown = BTreeSet::new();
        let mut warnings = Vec::new();
        for step in &plan.steps {
            let version = self.read(|reader| match reader.live_at(step.store, &step.path)? {
                Some(live) => Ok(Some(reader.version_by_id(live.version)?)),
                None => Ok(None),
            })?;
            match version.map(|version| version.content) {
                Some(Some(content)) if !content.kept => {
                    return Err(ApiError::invalid(say::file_too_large_kept_log(), step.path.to_text())
                        .hint(say::move_elsewhere_yourself_then_repeat()));
                }
                Some(None) => {
                    unknown.insert(step.store);
                    if self.is_last_copy(step, stores)? {
                        warnings.push(say::holds_what_was_redacted(step.path.to_text()));
                    }
                }
                _ => {}
            }
        }
        if !dry_run {
            for store in unknown {
                self.scan(&stores[&store].0)?;
            }
        }
        Ok(warnings)
    }

    /// True if a file is as it was when its content was redacted from the log, which keeps no copy of it.
    fn is_last_copy(&self, step: &Step, stores: &Places) -> Result<bool, ApiError> {
        let Some(root) = &stores[&step.store].1 else { return Ok(false) };
        match root.seen(&step.path)? {
            Some(seen) => self.read(|reader| Ok(reader.casts_shadow(step.store, &step.path, &seen)?)),
            None => Ok(false),
        }
    }

    fn stores_of(&self, plan: &Plan) -> Result<Places, ApiError> {
        let mut stores = BTreeMap::new();
        for step in plan.steps.iter().chain(&plan.checks) {
            if let Entry::Vacant(place) = stores.entry(step.store) {
                let row = self.read(|reader| Ok(reader.store(step.store)?))?;
                self.catch_up(&row)?;
                let root = match row.has_directory() {
                    true => {
                        let mut root = self.store_root(&row)?;
                        root.set_holding(true);
                        Some(Arc::new(root))
                    }
                    false => None,
                };
                place.insert((row, root));
            }
        }
        Ok(stores)
    }

    /// Files that are not what the plan expects. What is there instead is recorded first, unless this is a preview: by a
    /// scan everything, so that a file that was renamed is still the same memory.
    fn compared_with_disk(
        self: &Arc<Self>,
        plan: &Plan,
        stores: &Places,
        dry_run: bool,
    ) -> Result<Vec<wire::Conflict>, ApiError> {
        let (mut moved, mut in_the_way) = (Vec::new(), Vec::new());
        let way = Way::of(&plan.steps);
        for step in plan.steps.iter().chain(&plan.checks) {
            let (_, root) = &stores[&step.store];
            // The content itself is not needed.
            let found = match root.as_ref().map(|root| root.read(&step.path, 0)) {
                None => self.read(|reader| self.expected_at(reader, step.store, &step.path))?.0,
                Some(Ok(content)) => Some(content.sha256),
                Some(Err(FileError::Missing { .. })) => None,
                // What is to be deleted or to stay is gone where something that is no file came in its place.
                Some(Err(error)) if error.is_in_the_way() => {
                    let is_written = step.wanted.is_some() && step.expected.is_none();
                    if is_written && !root.as_ref().is_some_and(|root| way.is_cleared(root, step, &error)) {
                        in_the_way.push(step);
                    }
                    None
                }
                Some(Err(error)) => return Err(error.into()),
            };
            if found != step.expected {
                moved.push((step, found));
            }
        }
        if !dry_run {
            let concerned: BTreeSet<StoreId> = moved.iter().map(|(step, _)| step.store).collect();
            for store in concerned {
                self.scan(&stores[&store].0)?;
            }
        }
        let moved = moved.into_iter().map(|(step, found)| {
            let reason = (ConflictReason::Changed, say::file_changed_since_left());
            self.conflict(step, found, reason)
        });
        let in_the_way = in_the_way.into_iter().map(|step| {
            let reason = (ConflictReason::InTheWay, say::no_file_stands_there());
            self.conflict(step, None, reason)
        });
        self.may_be_written(plan, stores)?;
        moved.chain(in_the_way).collect()
    }

    /// Refuses what the system would refuse half way: files in directories whose names may not be changed.
    fn may_be_written(&self, plan: &Plan, stores: &Places) -> Result<(), ApiError> {
        let is_refused = |step: &&Step| {
            stores[&step.store].1.as_ref().is_some_and(|root| !root.is_writable_at(&step.path))
        };
        match plan.steps.iter().find(is_refused) {
            Some(step) => {
                let error = ApiError::from(FileError::Denied { path: step.path.clone() });
                Err(ApiError { message: say::nothing_changed(error.message), ..error })
            }
            None => Ok(()),
        }
    }

    /// The content a file should have now, as the log knows it. A file whose newest version is redacted is taken as it is
    /// on disk.
    pub fn expected_at(
        &self,
        reader: &Reader<'_>,
        store: StoreId,
        path: &RelPath,
    ) -> Result<(Option<Sha256>, Option<retrace_model::VersionId>), ApiError> {
        let Some(live) = reader.live_at(store, path)? else { return Ok((None, None)) };
        if let Some(sha256) = live.sha256 {
            return Ok((Some(sha256), Some(live.version)));
        }
        let row = reader.store(store)?;
        if !row.has_directory() {
            // Nothing is left of the content, so the memory counts as empty, as the Memory Stores API says it.
            return Ok((Some(Sha256::of(b"")), Some(live.version)));
        }
        let root = self.store_root(&row)?;
        let on_disk = root.read(path, 0).ok().map(|content| content.sha256);
        Ok((on_disk, Some(live.version)))
    }

    fn conflict(
        &self,
        step: &Step,
        found: Option<Sha256>,
        (reason, message): (ConflictReason, Message),
    ) -> Result<wire::Conflict, ApiError> {
        let recorded = self.read(|reader| Ok(reader.live_at(step.store, &step.path)?))?;
        let recorded = recorded.filter(|live| live.sha256.is_some() && live.sha256 == found);
        Ok(wire::Conflict {
            store_id: step.store.to_string(),
            path: step.path.to_string(),
            expected_sha256: step.expected.map(|sha256| sha256.to_hex()),
            found_sha256: found.map(|sha256| sha256.to_hex()),
            expected_version_id: step.expected_version.map(|version| version.to_string()),
            found_version_id: recorded.map(|live| live.version.to_string()),
            wanted_version_id: step
                .wanted
                .as_ref()
                .and_then(|wanted| wanted.version)
                .map(|version| version.to_string()),
            reason,
            message,
        })
    }

    fn do_it(
        self: &Arc<Self>,
        plan: &Plan,
        stores: &Places,
        mut result: ActResult,
    ) -> Result<(ActResult, Option<u64>), ApiError> {
        self.at(Point::Planned)?;
        let mut carried = Carried::default();
        let appended = self.write_with_files(|act, files| {
            carried = Carried::default();
            self.take_steps((act, files), plan, stores, &mut carried, &mut result.warnings)
        })?;
        self.clear_away(&carried, stores);
        if !carried.moved_in_log.is_empty() {
            return Ok((self.overtaken(&carried.moved_in_log, result)?, None));
        }
        result.operation_seq = appended;
        if let Some((step, error)) = carried.stopped {
            result.partial = !carried.done.is_empty();
            result.queued = 0;
            let place = |step: &Step| (step.store.to_string(), step.path.to_string());
            let done: BTreeSet<_> = carried.done.iter().map(|done| place(done.step)).collect();
            let is_done =
                |write: &wire::FileWrite| done.contains(&(write.store_id.clone(), write.path.clone()));
            let (writes, mut left): (Vec<_>, Vec<_>) =
                std::mem::take(&mut result.writes).into_iter().partition(is_done);
            let (deletes, kept): (Vec<_>, Vec<_>) =
                std::mem::take(&mut result.deletes).into_iter().partition(is_done);
            left.extend(kept);
            left.retain(|write| (write.store_id.clone(), write.path.clone()) != place(step));
            (result.writes, result.deletes) = (writes, deletes);
            if result.partial {
                result.left.extend(left);
            } else {
                result.left.clear();
            }
            self.stopped_at(step, error, &stores[&step.store].0, &mut result)?;
        }
        Ok((result, carried.review))
    }

    /// Takes the steps of a plan and appends them; answers the operation. Runs within the log's write lock.
    fn take_steps<'p>(
        &self,
        (act, files): (&mut Act<'_>, &mut LiveFiles),
        plan: &'p Plan,
        stores: &Places,
        carried: &mut Carried<'p>,
        warnings: &mut Vec<Message>,
    ) -> Result<Option<u64>, ApiError> {
        // Between the plan and the lock another process may have appended.
        for step in &plan.steps {
            if !stands_as_expected(&act.reader(), step)? {
                carried.moved_in_log.push(step);
            }
        }
        if !carried.moved_in_log.is_empty() {
            return Ok(None);
        }
        let queued = queue::changes_of(&act.reader(), plan, self.now())?;
        let mut waiting = queue::waiting_for(&act.reader(), plan)?;
        waiting.extend(queue::overtaken(&act.reader(), plan)?);
        if let Some(waiting) = waiting.pop() {
            return Err(ApiError::new(Code::HeadMoved, waiting.message, waiting.path));
        }
        let standing = act.reader().remote_queue(None)?;
        if let Some(id) = plan.withdraws.iter().find(|id| !standing.iter().any(|row| row.id == **id)) {
            let sent = ApiError::new(Code::HeadMoved, say::queued_change_sent_meanwhile(), id.to_string());
            return Err(sent.hint(say::repeat_what_sent_put_back()));
        }
        let way = Way::of(&plan.steps);
        for step in &plan.steps {
            let root = stores[&step.store].1.as_ref();
            match self.do_step((act, files), (step, way.is_below_a_write(step)), root, warnings) {
                Ok(finished) => carried.done.push(finished),
                Err(error) => {
                    carried.stopped = Some((step, error));
                    // Those that cannot be put back are recorded as done.
                    files.take_back(self);
                    let is_left = |step: &Step| {
                        files.left().iter().any(|left| left.store == step.store && left.path == step.path)
                    };
                    carried.done.retain(|done| is_left(done.step));
                    break;
                }
            }
        }
        if carried.done.is_empty() && (carried.stopped.is_some() || !plan.is_for_queue()) {
            return Ok(None);
        }
        self.at(Point::FilesDone)?;
        // Taken after the files are written: what a recorder read before that is older than this act.
        let (person, at) = (self.user(), self.now());
        let queued = if carried.stopped.is_some() { Vec::new() } else { queued };
        let appended = append_done(act, plan, &carried.done, (&person, at), !queued.is_empty())?;
        if let (None, Some(operation)) = (&carried.stopped, appended.operation_seq) {
            for id in &plan.withdraws {
                act.withdraw(*id, operation)?;
            }
            for id in &plan.requeues {
                act.requeue(*id, operation, at)?;
            }
        }
        for change in queued {
            act.queue(&NewQueued { operation_seq: appended.operation_seq, at, ..change })?;
        }
        // A review is of all its files; what was done in part is the person's own act alone.
        let decision = plan.decision.as_ref().filter(|_| carried.stopped.is_none());
        carried.review = decision::note(act, Who { person: &person, at }, &appended, plan.undoes, decision)?;
        Ok(appended.operation_seq)
    }

    /// The answer when another process's append came first.
    fn overtaken(&self, steps: &[&Step], mut result: ActResult) -> Result<ActResult, ApiError> {
        for step in steps {
            let found = self.read(|reader| Ok(reader.live_at(step.store, &step.path)?))?;
            let found = found.and_then(|live| live.sha256);
            result.conflicts.push(self.conflict(
                step,
                found,
                (ConflictReason::Changed, say::memory_changed_since_left()),
            )?);
        }
        Ok(nothing_done(result))
    }

    /// Says why a step was not taken. What somebody else put there is recorded first.
    fn stopped_at(
        self: &Arc<Self>,
        step: &Step,
        error: FileError,
        store: &StoreRow,
        result: &mut ActResult,
    ) -> Result<(), ApiError> {
        let conflict = match error {
            FileError::Moved { found, .. } => {
                self.scan(store)?;
                let reason = (ConflictReason::Changed, say::file_changed_very_moment_left());
                self.conflict(step, found, reason)?
            }
            error if !result.partial => {
                let error = ApiError::from(error);
                let message = say::nothing_changed(error.message);
                return Err(ApiError { message, ..error });
            }
            error => {
                let reason = match error.is_in_the_way() {
                    true => ConflictReason::InTheWay,
                    false => ConflictReason::NotWritten,
                };
                self.conflict(step, step.expected, (reason, crate::wire::sentence(&error)))?
            }
        };
        result.conflicts.push(conflict);
        Ok(())
    }

    /// Records and removes the hidden file that the step left behind that was stopped. Where that fails, the next scan
    /// does it.
    fn clear_away(&self, carried: &Carried<'_>, stores: &Places) {
        if let Some((step, FileError::Moved { kept: Some(_), .. })) = &carried.stopped {
            drop(self.recover(&stores[&step.store].0));
        }
    }

    fn do_step<'p>(
        &self,
        (act, files): (&Act<'_>, &mut LiveFiles),
        (step, is_below_a_write): (&'p Step, bool),
        root: Option<&Arc<Root>>,
        warnings: &mut Vec<Message>,
    ) -> Result<DoneStep<'p>, FileError> {
        // A store without a directory is written by appending alone.
        let Some(root) = root else { return Ok(DoneStep { step, seen: None }) };
        let place = (step.store, root);
        let done = match (&step.wanted, step.expected) {
            (Some(wanted), expected) => {
                let expected = expected.map_or(Expected::Absent, Expected::Hash);
                let target = (&step.path, expected, wanted.moved_from.as_ref());
                let reader = act.reader();
                let memory = wanted.version.map(|version| reader.version_by_id(version)).transpose();
                let memory = memory.map_err(|error| of_log(&step.path, &error))?;
                let content = (memory.map(|version| version.memory), &wanted.bytes[..]);
                files.put(self, &reader, place, target, content)?
            }
            (None, Some(expected)) if is_below_a_write => {
                files.clear(self, act, place, &step.path, expected)?
            }
            (None, Some(expected)) => files.take(self, act, place, &step.path, expected)?,
            (None, None) => return Ok(DoneStep { step, seen: None }),
        };
        if !done.owner_kept {
            warnings.push(say::file_another_owner_or_group(step.path.to_string()));
        }
        if !done.attributes_lost.is_empty() {
            warnings
                .push(say::extended_attributes_lost(step.path.to_string(), done.attributes_lost.join(", ")));
        }
        Ok(DoneStep { step, seen: done.seen })
    }
}

impl Engine {
    /// The difference a step would make, where the content to write is in no version yet.
    fn previewed(&self, step: &Step, root: Option<&Root>) -> Option<wire::FileDiff> {
        let wanted = step.wanted.as_ref().filter(|wanted| wanted.version.is_none())?;
        let before = match (step.expected, root) {
            (None, _) => None,
            (Some(_), Some(root)) => Some(root.read(&step.path, u64::MAX).ok()?.bytes?),
            (Some(_), None) => {
                let recorded = self.read(|reader| {
                    let version = reader.version_at(step.store, &step.path, None)?;
                    Ok(version.map(|version| reader.content(&version)).transpose()?.flatten())
                });
                Some(recorded.ok()?.map(|content| content.bytes).unwrap_or_default())
            }
        };
        Some(diff::diff_of(step.store, &step.path, before, wanted.bytes.clone()))
    }
}

/// The answer of an act that was not begun, because of its conflicts.
fn nothing_done(result: ActResult) -> ActResult {
    ActResult {
        writes: Vec::new(),
        deletes: Vec::new(),
        left: Vec::new(),
        partial: false,
        queued: 0,
        ..result
    }
}

/// What a step changes.
fn write_of(step: &Step) -> wire::FileWrite {
    wire::FileWrite {
        store_id: step.store.to_string(),
        path: step.path.to_string(),
        from_sha256: step.expected.map(|sha256| sha256.to_hex()),
        to_sha256: step.wanted.as_ref().map(|wanted| wanted.sha256.to_hex()),
        diff: None,
    }
}

/// True if the log's newest version at a step's path is still the one the plan was made from.
fn stands_as_expected(reader: &Reader<'_>, step: &Step) -> Result<bool, ApiError> {
    let live = reader.live_at(step.store, &step.path)?;
    Ok(match (live, step.expected) {
        (None, None) => true,
        // A newest version that is redacted has no hash; the disk alone decides then.
        (Some(live), Some(expected)) => live.sha256.is_none_or(|sha256| sha256 == expected),
        _ => false,
    })
}

fn append_done(
    act: &mut Act<'_>,
    plan: &Plan,
    done: &[DoneStep<'_>],
    (actor, at): (&Actor, retrace_model::Timestamp),
    queues: bool,
) -> Result<Appended, ApiError> {
    let first = done.first().map(|finished| finished.step.store);
    let one_store = first.filter(|store| done.iter().all(|finished| finished.step.store == *store));
    let mut here = Vec::new();
    for finished in done {
        // A host takes the change first; its version comes then.
        if act.reader().remote(finished.step.store)?.is_none() {
            here.push(finished);
        }
    }
    let put_back: HashMap<usize, u64> = here
        .iter()
        .enumerate()
        .filter_map(|(at, DoneStep { step, .. })| {
            let of = step.wanted.as_ref().map_or(step.deletion, |wanted| wanted.version)?;
            Some((at, of.seq))
        })
        .collect();
    let changes = here.into_iter().map(|DoneStep { step, seen, .. }| {
        let payload = match &step.wanted {
            None => Payload::Gone,
            Some(wanted) => Payload::Content {
                size: wanted.bytes.len() as u64,
                bytes: Some(wanted.bytes.clone()),
                sha256: wanted.sha256,
                seen: *seen,
                moved_from: wanted.moved_from.clone(),
            },
        };
        Change { store: step.store, path: step.path.clone(), payload }
    });
    let append = Append {
        store: one_store,
        source: plan.source,
        actor,
        note: plan.note.as_deref(),
        at,
        undoes: plan.undoes,
        changes: changes.collect(),
        even_if_empty: queues || plan.is_for_queue(),
    };
    Ok(act.append_putting_back(append, &put_back)?)
}

#[cfg(test)]
mod tests;

retrace_message::messages! {
    /// Messages of this module.
    mod say in "plan";
    n1_change_waits_sent_host() => "1 change that waits to be sent to its host is withdrawn.",
    changes_wait_sent_their_host(many) => "{many} changes that wait to be sent to their host are withdrawn.",
    file_too_large_kept_log() => "The file is too large to be kept in the log, so it could not be put back afterwards.",
    move_elsewhere_yourself_then_repeat() => "Move it elsewhere yourself, then repeat.",
    holds_what_was_redacted(path) => "{path} still holds what was redacted from the log. There is no other copy: it is gone for good after this.",
    no_file_stands_there() => "A directory, a link or something else that is no file stands there or on the way; it was left as it is.",
    file_changed_since_left() => "The file was changed since; it was left as it is.",
    queued_change_sent_meanwhile() => "A queued change was sent meanwhile.",
    repeat_what_sent_put_back() => "Repeat it: what was sent is put back then.",
    memory_changed_since_left() => "The memory was changed since; it was left as it is.",
    file_changed_very_moment_left() => "The file was changed at this very moment; it was left as it is.",
    nothing_changed(message) => "{message} Nothing was changed.",
    file_another_owner_or_group(path) => "{path}: the file has another owner or group than before.",
    extended_attributes_lost(path, attributes_lost) => "{path}: extended attributes were lost: {attributes_lost}.",
}
