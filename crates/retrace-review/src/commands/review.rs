//! Reviewing: approve, reject, approve with another text, everything up to a point, and taking each back.
//!
//! An approval of several items leaves those with errors out unless the caller says otherwise (`approval.rs`).
//!
//! The caller names the versions it saw. An item whose newest version is another one is stale: it is left as it is, and said
//! to be. Files are changed through the plans of `plan.rs`, and the review is written down in the same transaction.

use super::rollback::newest_version;
use crate::Review;
use crate::approval::Weighing;
use crate::decision::{self, Decision, Who};
use crate::kinds::kind_filter;
use crate::plan::{Plan, Step, Wanted};
use crate::target::{instant, version_named};
use crate::wire::{
    ActResult, ApiError, Approval, Code, ReviewReq, ReviewUpToReq, Reviewed, ReviewedItem, SkippedItem,
    UndoReviewReq,
};
use crate::wire::{ApprovalDirection, SkipReason};
use retrace_log::{NewReview, Reader, ReviewedVersion, Unreviewed, VersionRow};
use retrace_message::Message;
use retrace_model::{KindFilter, MemoryId, RelPath, Sha256, Source, StoreId, Verdict, VersionId};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// Largest text that is written by a review: more than any agent reads, and little enough for one request.
const LARGEST_TEXT: usize = 10 << 20;

/// Reviews items.
///
/// # Errors
/// `invalid`, `not_found` for an unknown version, `store_unavailable`. Items that changed since the caller looked are skipped
/// in the answer, and the others done; so are, where several are approved, those with findings of severity error.
pub fn review(inner: &Arc<Review>, request: ReviewReq) -> Result<Reviewed, ApiError> {
    let verdict = match (request.verdict.as_str(), &request.text) {
        ("approve", None) => Verdict::Approved,
        ("approve", Some(_)) => Verdict::Edited,
        ("reject", None) => Verdict::Rejected,
        ("reject", Some(_)) => {
            return Err(ApiError::invalid(say::text_written_approval(), "text"));
        }
        (other, _) => {
            return Err(ApiError::invalid(say::review_approves_or_rejects(), other)
                .hint(say::verdict_approve_or_reject()));
        }
    };
    if request.versions.is_empty() {
        return Err(
            ApiError::invalid(say::no_version_named(), "versions").hint(say::retrace_inbox_lists_what_left())
        );
    }
    if request.expected_sha256.is_some() && request.text.is_none() {
        return Err(ApiError::invalid(say::hash_expected_where_text_written(), "expected_sha256"));
    }
    let named = inner.read(|reader| {
        request.versions.iter().map(|text| version_named(reader, text)).collect::<Result<Vec<_>, _>>()
    })?;
    let named: BTreeMap<u64, VersionRow> = named.into_iter().map(|row| (row.id.seq, row)).collect();
    // Whoever names one item looked at it.
    let accepted = match named.len() {
        0 | 1 => None,
        _ => Some(inner.accepted(request.with_findings, &request.ticked)?),
    };
    let reviewed = match (verdict, request.text) {
        (Verdict::Edited, Some(text)) => {
            let edit = Edit { text, expected: request.expected_sha256.as_deref(), note: request.note };
            inner.edit(&named, edit, request.dry_run)?
        }
        (Verdict::Rejected, _) => inner.reject(&named, request.note, request.dry_run)?,
        _ => inner.approve(&named, accepted.as_ref(), request.note.as_deref(), request.dry_run)?,
    };
    if reviewed.review_seq.is_some() {
        inner.stores_changed();
    }
    Ok(reviewed)
}

/// Says that everything recorded up to some point is reviewed, of a store and of a kind where such are asked for. A memory
/// that changed after it stays in the inbox, with what was there at that point as its base; so does one with findings of
/// severity error, unless the caller accepts them.
///
/// # Errors
/// `invalid` or `not_found` when the point, the store or the kind is none.
pub fn review_up_to(inner: &Arc<Review>, request: ReviewUpToReq) -> Result<Reviewed, ApiError> {
    let kind = kind_filter(request.kind.as_deref())?;
    let (last, store) = inner.read(|reader| {
        let store = request.store.as_deref().map(|name| inner.store_named(reader, name)).transpose()?;
        Ok((last_version(reader, &request.up_to)?, store.map(|store| store.id)))
    })?;
    let accepted = inner.accepted(request.with_findings, &request.ticked)?;
    let weighed = |reader: &Reader<'_>| {
        let mut sorted =
            Sorted { open: inner.open_up_to(reader, (store, kind.as_ref()), last)?, ..Sorted::default() };
        let approval = inner.weigh(reader, &mut sorted, ApprovalDirection::UpTo, &accepted)?;
        Ok((sorted, approval))
    };
    let mut reviewed = Reviewed { dry_run: request.dry_run, ..Reviewed::default() };
    // Contents are searched before anything waits for the log's write lock; there they are known then.
    let (sorted, approval) = inner.read(weighed)?;
    if request.dry_run {
        reviewed.done = sorted.done(Verdict::UpTo);
        (reviewed.skipped, reviewed.approval) = (sorted.skipped, Some(approval));
        return Ok(reviewed);
    }
    let (person, at) = (inner.user(), inner.now());
    inner.write(|act| {
        let (sorted, approval) = weighed(&act.reader())?;
        reviewed.done = sorted.done(Verdict::UpTo);
        let reviewed_version = |(version, _): &(VersionRow, Unreviewed)| {
            let seq = version.id.seq;
            ReviewedVersion { memory: version.memory, reviewed_seq: seq, through: seq }
        };
        let reviewed_versions: Vec<ReviewedVersion> = sorted.open.iter().map(reviewed_version).collect();
        (reviewed.skipped, reviewed.approval) = (sorted.skipped, Some(approval));
        if !reviewed_versions.is_empty() {
            let note = request.note.as_deref();
            let (verdict, person) = (Verdict::UpTo, &person);
            let review = NewReview { person, verdict, at, note, operation_seq: None, reviewed_versions };
            reviewed.review_seq = Some(act.review(review)?);
        }
        Ok(())
    })?;
    inner.stores_changed();
    Ok(reviewed)
}

/// Takes a review back: what it was about is in the inbox again, and files it changed are as they were before.
///
/// # Errors
/// `not_found` when there is no review to take back, `invalid` when it is taken back already or another person's. Files that
/// moved on are conflicts in the answer, and nothing is done then.
pub fn undo_review(inner: &Arc<Review>, request: UndoReviewReq) -> Result<Reviewed, ApiError> {
    let person = inner.user();
    let (seq, operation, done) = inner.read(|reader| {
        let seq = match request.review_seq {
            Some(seq) => seq,
            None => inner.newest_review(reader)?,
        };
        let act = reader.review_act(seq)?;
        let mut done = Vec::new();
        for reviewed_version in reader.reviewed_versions(seq)? {
            done.push(done_item(&reader.version(reviewed_version.reviewed_seq)?, Verdict::Undone));
        }
        Ok((seq, act.operation_seq.filter(|_| act.undoes.is_none() && act.undone_by.is_none()), done))
    })?;
    let mut reviewed = Reviewed { dry_run: request.dry_run, done, ..Reviewed::default() };
    if let Some(operation) = operation {
        let plan = inner.read(|reader| inner.plan_undo(reader, Some(operation)))?;
        let (result, number) = inner.carry_out_reviewed(&plan, request.dry_run)?;
        if result.conflict_error().is_some() {
            reviewed.done.clear();
        }
        reviewed.review_seq = number;
        reviewed.act = Some(result);
    } else if !request.dry_run {
        let at = inner.now();
        reviewed.review_seq = Some(inner.write(|act| Ok(act.undo_review(&person, seq, at, None)?))?);
    } else if inner.read(|reader| Ok(reader.review_act(seq)?))?.undone_by.is_some() {
        return Err(ApiError::invalid(say::review_taken_back_already(), seq.to_string()));
    }
    if reviewed.review_seq.is_some() {
        inner.stores_changed();
    }
    Ok(reviewed)
}

/// The final text of an item.
struct Edit<'a> {
    text: String,
    expected: Option<&'a str>,
    note: Option<String>,
}

/// Items that can be reviewed, with what the person has left of each, and those that cannot.
#[derive(Default)]
struct Sorted {
    open: Vec<(VersionRow, Unreviewed)>,
    skipped: Vec<SkippedItem>,
}

impl Sorted {
    /// Done versions, as items.
    fn done(&self, verdict: Verdict) -> Vec<ReviewedItem> {
        self.open.iter().map(|(seen, _)| done_item(seen, verdict)).collect()
    }
}

/// Items with errors that the caller approves all the same.
struct Accepted {
    all: bool,
    /// Places of their versions.
    versions: HashSet<u64>,
}

/// Memory of each file, by store and path.
type MemoryByFile = BTreeMap<(String, String), MemoryId>;

impl Review {
    /// Sorts out what is still as the person saw it.
    fn sort_out(&self, reader: &Reader<'_>, named: &BTreeMap<u64, VersionRow>) -> Result<Sorted, ApiError> {
        let (person, mut sorted) = (self.user(), Sorted::default());
        for seen in named.values() {
            let left = reader.unreviewed_memory(&person, seen.memory)?;
            let changed = if seen.rebuilt { SkipReason::Imported } else { SkipReason::Stale };
            match left {
                Some(left) if left.newest == seen.id.seq => sorted.open.push((seen.clone(), left)),
                Some(left) => {
                    let base = left.base.map(|seq| reader.version(seq)).transpose()?;
                    let found = reader.version(left.newest)?;
                    sorted.skipped.push(skipped(seen, changed, base.map(|base| base.id), Some(found.id)));
                }
                None => {
                    let newest = newest_version(reader, seen.memory)?;
                    let base = reader.known_through(&person, seen.memory)?;
                    let base = base.map(|seq| reader.version(seq)).transpose()?.map(|base| base.id);
                    // The reviewed version may differ from the one that the person saw.
                    let reason = if newest.id == seen.id { SkipReason::AlreadyReviewed } else { changed };
                    sorted.skipped.push(skipped(seen, reason, base, Some(newest.id)));
                }
            }
        }
        Ok(sorted)
    }

    /// Approves items as they stand. Of several, those with errors are left out unless they are accepted.
    fn approve(
        &self,
        named: &BTreeMap<u64, VersionRow>,
        accepted: Option<&Accepted>,
        note: Option<&str>,
        dry_run: bool,
    ) -> Result<Reviewed, ApiError> {
        let mut reviewed = Reviewed { dry_run, ..Reviewed::default() };
        let weighed = |reader: &Reader<'_>| {
            let mut sorted = self.sort_out(reader, named)?;
            let weigh = |accepted| self.weigh(reader, &mut sorted, ApprovalDirection::Named, accepted);
            let approval = accepted.map(weigh).transpose()?;
            Ok((sorted, approval))
        };
        // Contents are searched before anything waits for the log's write lock; there they are known then.
        if dry_run || accepted.is_some() {
            let (sorted, approval) = self.read(weighed)?;
            if dry_run {
                reviewed.done = sorted.done(Verdict::Approved);
                (reviewed.skipped, reviewed.approval) = (sorted.skipped, approval);
                return Ok(reviewed);
            }
        }
        let (person, at) = (self.user(), self.now());
        self.write(|act| {
            let (sorted, approval) = weighed(&act.reader())?;
            reviewed.done = sorted.done(Verdict::Approved);
            let decision = decision(Verdict::Approved, note.map(str::to_owned), &sorted.open);
            (reviewed.skipped, reviewed.approval) = (sorted.skipped, approval);
            reviewed.review_seq =
                decision::record_decision(act, Who { person: &person, at }, &decision, None)?;
            Ok(())
        })?;
        Ok(reviewed)
    }

    /// Items that the caller approves whatever the rules find in them.
    fn accepted(&self, all: bool, ticked: &[String]) -> Result<Accepted, ApiError> {
        let versions = self.read(|reader| {
            ticked.iter().map(|text| Ok(version_named(reader, text)?.id.seq)).collect::<Result<_, ApiError>>()
        })?;
        Ok(Accepted { all, versions })
    }

    /// Takes the items with errors that are not accepted out of what is to be approved, and says what it comes to.
    fn weigh(
        &self,
        reader: &Reader<'_>,
        sorted: &mut Sorted,
        direction: ApprovalDirection,
        accepted: &Accepted,
    ) -> Result<Approval, ApiError> {
        let mut weighing = Weighing::new(direction);
        let items = reader.items(&self.user())?;
        for (version, left) in std::mem::take(&mut sorted.open) {
            let base = left.base.map(|seq| items.version(seq)).transpose()?;
            let is_accepted = accepted.all || accepted.versions.contains(&version.id.seq);
            let errors = weighing.errors_of(self, &items, &version, base.as_ref(), &left, is_accepted)?;
            if errors.is_empty() {
                sorted.open.push((version, left));
            } else {
                let base = base.map(|base| base.id);
                let item = skipped(&version, SkipReason::Findings, base, Some(version.id));
                sorted.skipped.push(SkippedItem { findings: errors, ..item });
            }
        }
        Ok(weighing.finish())
    }

    /// Puts items back to what was last reviewed. Those that cannot be are left out one after the other, until the others can.
    fn reject(
        self: &Arc<Self>,
        named: &BTreeMap<u64, VersionRow>,
        note: Option<String>,
        dry_run: bool,
    ) -> Result<Reviewed, ApiError> {
        let mut named = named.clone();
        let mut reviewed = Reviewed { dry_run, ..Reviewed::default() };
        let mut conflicts = Vec::new();
        loop {
            let (mut plan, paths, sorted) = self.read(|reader| {
                let mut sorted = self.sort_out(reader, &named)?;
                let (plan, paths) = self.plan_rejection(reader, &mut sorted)?;
                Ok((plan, paths, sorted))
            })?;
            for item in &sorted.skipped {
                named.retain(|_, seen| seen.id.to_string() != item.version_id);
            }
            reviewed.skipped.extend(sorted.skipped);
            if sorted.open.is_empty() {
                let act = ActResult { dry_run, conflicts, ..ActResult::default() };
                reviewed.act = (!act.conflicts.is_empty()).then_some(act);
                return Ok(reviewed);
            }
            plan.decision = Some(decision(Verdict::Rejected, note.clone(), &sorted.open));
            let (mut result, number) = self.carry_out_reviewed(&plan, dry_run)?;
            if result.conflicts.is_empty() {
                result.conflicts = conflicts;
                reviewed.done =
                    sorted.open.iter().map(|(seen, _)| done_item(seen, Verdict::Rejected)).collect();
                reviewed.review_seq = number;
                reviewed.act = Some(result);
                return Ok(reviewed);
            }
            let in_the_way: BTreeSet<MemoryId> = result
                .conflicts
                .iter()
                .filter_map(|conflict| paths.get(&(conflict.store_id.clone(), conflict.path.clone())))
                .copied()
                .collect();
            let partial = result.partial;
            let leave = |memory: &MemoryId| partial || in_the_way.is_empty() || in_the_way.contains(memory);
            for (seen, left) in sorted.open.iter().filter(|(seen, _)| leave(&seen.memory)) {
                let base = self.read(|reader| Ok(left.base.map(|seq| reader.version(seq)).transpose()?))?;
                let found = self.read(|reader| newest_version(reader, seen.memory))?;
                // A preview records nothing, so what is on disk has no version yet.
                let found = (found.id != seen.id).then_some(found.id);
                reviewed.skipped.push(skipped(seen, SkipReason::Stale, base.map(|base| base.id), found));
                named.remove(&seen.id.seq);
            }
            conflicts.append(&mut result.conflicts);
            if partial {
                result.conflicts = conflicts;
                reviewed.act = Some(result);
                return Ok(reviewed);
            }
        }
    }

    /// The plan that puts items back, and which memory each of its files belongs to. Items that cannot be put back are
    /// skipped.
    fn plan_rejection(
        &self,
        reader: &Reader<'_>,
        sorted: &mut Sorted,
    ) -> Result<(Plan, MemoryByFile), ApiError> {
        let mut plan = Plan::new(Source::Rollback, Some(say::rejected_review()));
        let mut paths = BTreeMap::new();
        let mut open = Vec::new();
        for (seen, left) in std::mem::take(&mut sorted.open) {
            let base = left.base.map(|seq| reader.version(seq)).transpose()?;
            if let Some(reason) = cannot_go_back(&seen, base.as_ref()) {
                sorted.skipped.push(skipped(&seen, reason, base.map(|base| base.id), Some(seen.id)));
                continue;
            }
            let first = plan.steps.len();
            self.plan_back_to(reader, &mut plan, &seen, base)?;
            for step in &plan.steps[first..] {
                paths.insert((step.store.to_string(), step.path.to_string()), seen.memory);
            }
            open.push((seen, left));
        }
        sorted.open = open;
        plan.keep_others();
        plan.tidy();
        Ok((plan, paths))
    }

    /// Writes the final text of one item and approves it.
    fn edit(
        self: &Arc<Self>,
        named: &BTreeMap<u64, VersionRow>,
        edit: Edit<'_>,
        dry_run: bool,
    ) -> Result<Reviewed, ApiError> {
        if named.len() != 1 {
            return Err(ApiError::invalid(say::text_written_one_memory(), "versions"));
        }
        if edit.text.len() > LARGEST_TEXT {
            return Err(ApiError::invalid(say::text_larger_than_10_mib(), "text"));
        }
        let mut reviewed = Reviewed { dry_run, ..Reviewed::default() };
        let sorted = self.read(|reader| self.sort_out(reader, named))?;
        let Some((seen, left)) = sorted.open.first() else {
            reviewed.skipped = sorted.skipped;
            return Ok(reviewed);
        };
        let base = self.read(|reader| Ok(left.base.map(|seq| reader.version(seq)).transpose()?))?;
        let base = base.map(|base| base.id);
        if seen.content.is_some_and(|content| !content.kept) {
            reviewed.skipped.push(skipped(seen, SkipReason::TooLarge, base, Some(seen.id)));
            return Ok(reviewed);
        }
        let mut plan = self.read(|reader| self.plan_edit(reader, seen, edit.text.as_bytes()))?;
        if let Some(expected) = edit.expected {
            let expected = Sha256::from_hex(expected)
                .ok_or_else(|| ApiError::invalid(say::hash_64_hexadecimal_digits(), expected))?;
            for step in plan.steps.iter_mut().chain(&mut plan.checks) {
                step.expected = Some(expected);
            }
        }
        plan.decision = Some(decision(Verdict::Edited, edit.note, &sorted.open));
        let (result, number) = self.carry_out_reviewed(&plan, dry_run)?;
        if result.conflicts.is_empty() {
            reviewed.done.push(done_item(seen, Verdict::Edited));
            reviewed.review_seq = number;
        } else {
            let found = self.read(|reader| newest_version(reader, seen.memory))?;
            let found = (found.id != seen.id).then_some(found.id);
            reviewed.skipped.push(skipped(seen, SkipReason::Stale, base, found));
        }
        reviewed.act = Some(result);
        Ok(reviewed)
    }

    fn plan_edit(&self, reader: &Reader<'_>, seen: &VersionRow, text: &[u8]) -> Result<Plan, ApiError> {
        let path: RelPath = match reader.path_of(seen.memory)?.or_else(|| seen.path.clone()) {
            Some(path) => path,
            None => {
                return Err(ApiError::new(
                    Code::ContentRedacted,
                    say::memory_no_path_any_more(),
                    seen.id.to_string(),
                ));
            }
        };
        let (expected, expected_version) = self.expected_at(reader, seen.store, &path)?;
        let wanted =
            Wanted { bytes: text.to_vec(), sha256: Sha256::of(text), version: None, moved_from: None };
        let mut plan = Plan::new(Source::Api, Some(say::edited_review()));
        let store: StoreId = seen.store;
        self.note_other(reader, &mut plan, (store, &path), (seen.memory, None))?;
        plan.keep_others();
        plan.steps.push(Step {
            store,
            path,
            expected,
            expected_version,
            wanted: Some(wanted),
            deletion: None,
        });
        plan.tidy();
        Ok(plan)
    }

    /// Versions that a person has left that was recorded up to `last`, each with the version that is reviewed by it.
    fn open_up_to(
        &self,
        reader: &Reader<'_>,
        (store, kind): (Option<StoreId>, Option<&KindFilter>),
        last: u64,
    ) -> Result<Vec<(VersionRow, Unreviewed)>, ApiError> {
        let mut open = Vec::new();
        for left in self.left_to_review(reader, store, kind)? {
            // Nothing of it is that old where the first change after the base is newer.
            let mut version = reader.version(left.newest)?;
            if left.newest > last {
                let until = reader.version_up_to(version.memory, last)?;
                let Some(until) = until.filter(|until| left.base.is_none_or(|base| *until > base)) else {
                    continue;
                };
                version = reader.version(until)?;
            }
            open.push((version, left));
        }
        Ok(open)
    }

    /// The newest review of this person that counts, acts of their own left out.
    fn newest_review(&self, reader: &Reader<'_>) -> Result<u64, ApiError> {
        let mut before = None;
        loop {
            let page = reader.review_acts(&self.user(), before, 200)?;
            let counts = |act: &&retrace_log::ReviewAct| {
                act.undone_by.is_none() && !matches!(act.verdict, Verdict::Undone | Verdict::Own)
            };
            if let Some(act) = page.iter().find(counts) {
                return Ok(act.seq);
            }
            match page.last() {
                Some(last) => before = Some(last.seq),
                None => return Err(ApiError::new(Code::NotFound, say::no_review_take_back(), "")),
            }
        }
    }
}

/// The newest version at a point: a version's own place, the last one of an operation, the last one at a time.
fn last_version(reader: &Reader<'_>, up_to: &str) -> Result<u64, ApiError> {
    if up_to.starts_with("memver_") {
        return Ok(version_named(reader, up_to)?.id.seq);
    }
    match instant(reader, up_to)? {
        0 => Ok(0),
        seq => {
            let operation = reader.operation(seq)?;
            Ok((operation.first_version + operation.versions).saturating_sub(1))
        }
    }
}

fn why_skipped(reason: SkipReason) -> Message {
    match reason {
        SkipReason::Stale => say::memory_changed_since_looked_left(),
        SkipReason::Imported => say::version_imported_nothing_to_review(),
        SkipReason::AlreadyReviewed => say::version_reviewed_already(),
        SkipReason::Findings => say::findings_severity_error_left_out(),
        SkipReason::BaseRedacted => say::what_would_put_back_redacted(),
        SkipReason::BaseTooLarge => say::what_would_put_back_too(),
        SkipReason::TooLarge => say::file_too_large_kept_log(),
    }
}

/// Why an item cannot be put back to its base, where it cannot.
fn cannot_go_back(seen: &VersionRow, base: Option<&VersionRow>) -> Option<SkipReason> {
    let too_large = |version: &VersionRow| version.content.is_some_and(|content| !content.kept);
    match base {
        _ if too_large(seen) => Some(SkipReason::TooLarge),
        Some(base) if base.redaction.is_some() => Some(SkipReason::BaseRedacted),
        Some(base) if too_large(base) => Some(SkipReason::BaseTooLarge),
        _ => None,
    }
}

fn decision(verdict: Verdict, note: Option<String>, open: &[(VersionRow, Unreviewed)]) -> Decision {
    Decision { verdict, note, seen: open.iter().map(|(seen, _)| (seen.memory, seen.id.seq)).collect() }
}

fn done_item(seen: &VersionRow, verdict: Verdict) -> ReviewedItem {
    ReviewedItem {
        version_id: seen.id.to_string(),
        store_id: seen.store.to_string(),
        memory_id: seen.memory.to_string(),
        path: seen.path.as_ref().map(ToString::to_string),
        verdict: verdict.into(),
    }
}

fn skipped(
    seen: &VersionRow,
    reason: SkipReason,
    base: Option<VersionId>,
    found: Option<VersionId>,
) -> SkippedItem {
    SkippedItem {
        version_id: seen.id.to_string(),
        store_id: seen.store.to_string(),
        memory_id: seen.memory.to_string(),
        path: seen.path.as_ref().map(ToString::to_string),
        reason,
        message: why_skipped(reason),
        base_version_id: base.map(|base| base.to_string()),
        found_version_id: found.map(|found| found.to_string()),
        findings: Vec::new(),
    }
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "review";
    text_written_approval() => "A text is written with an approval.",
    review_approves_or_rejects() => "A review approves or rejects.",
    verdict_approve_or_reject() => "The verdict is `approve` or `reject`.",
    no_version_named() => "No version was named.",
    retrace_inbox_lists_what_left() => "`retrace inbox` lists what is left to review.",
    hash_expected_where_text_written() => "A hash is expected where a text is written.",
    review_taken_back_already() => "The review is undone already.",
    rejected_review() => "rejected in review",
    text_written_one_memory() => "A text is written to one memory.",
    text_larger_than_10_mib() => "The text is larger than 10 MiB.",
    hash_64_hexadecimal_digits() => "A hash has 64 hexadecimal digits.",
    memory_no_path_any_more() => "The memory has no path any more.",
    edited_review() => "edited in review",
    no_review_take_back() => "There is no review to undo.",
    memory_changed_since_looked_left() => "The memory changed since it was looked at; it was left as it is.",
    version_imported_nothing_to_review() => "This version was imported: what is reviewed is the newest version of its memory.",
    version_reviewed_already() => "This version is reviewed already.",
    findings_severity_error_left_out() => "It has findings of severity error, so it was left out.",
    what_would_put_back_redacted() => "What it would be put back to is redacted; it was left as it is.",
    what_would_put_back_too() => "What it would be put back to was too large to be kept; it was left as it is.",
    file_too_large_kept_log() => "The file is too large to be kept in the log, so it is not replaced.",
}
