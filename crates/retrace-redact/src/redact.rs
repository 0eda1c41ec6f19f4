//! Taking content out of history, and the proof.
//!
//! The order is: record what is on disk, so that nothing seen is lost unrecorded; mask the versions and what the log keeps beside
//! them, and replace the live files, in one operation; rewrite small files of the data directory and, where asked, transcripts; purge the files of the data directory and read them; say what was found where.

mod forms;
mod json_text;
mod outside;
mod receipt;
mod recheck;
mod repositories;
mod survey;
mod texts;
mod transcripts;
mod unread;
mod upkeep;

pub(crate) use forms::Forms;
pub(crate) use texts::texts_with;

pub use receipt::pending_places;
pub use survey::PartsOfContents;
pub use upkeep::PurgeUpkeep;

use crate::Redactions;
use crate::decision::{self, Who};
use crate::hosts as remote;
use crate::live_files::LiveFiles;
use crate::origin_lines::keep_lines;
use crate::view;
use crate::wire::{
    ActResult, ApiError, Code, Conflict, ConflictReason, Nothing, Receipt, ReceiptRef, Receipts, RedactReq,
};
use retrace_engine::Point;
use retrace_engine::lock;
use retrace_files::{FileError, Root};
use retrace_log::{Act, Append, Change, LogError, Needles, NewReceipt, Payload, StoreRow, VersionRow};
use retrace_message::Message;
use retrace_model::{ReceiptId, RelPath, Rules, Sha256, Source, Timestamp};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use survey::{LiveHit, Selection, Survey};

/// Replacement for the secret in a live file.
pub(crate) const MARKER: &str = retrace_log::MARKER;

/// Takes versions out of history: content, path, size and hash go; who, when, why and what kind of change stay.
///
/// # Errors
/// `invalid` for a bad selection or a reason that holds the secret, `not_found` when nothing matches,
/// `store_unavailable`. A purge that another process holds up is pending in the receipt, not an error.
pub fn redact(inner: &Redactions, request: RedactReq) -> Result<ActResult, ApiError> {
    let selection = inner.selection(&request)?;
    redact_selected(inner, request, &selection, false)
}

/// As [`redact`] of versions, but of the contents that are named live files lose some places alone.
///
/// # Errors
/// As [`redact`].
pub fn redact_parts(
    inner: &Redactions,
    request: RedactReq,
    parts: PartsOfContents,
) -> Result<ActResult, ApiError> {
    let selection = match inner.selection(&request)? {
        Selection::Versions(chosen, _) => Selection::Versions(chosen, parts),
        other => other,
    };
    redact_selected(inner, request, &selection, false)
}

/// As [`redact`] of an exact secret, which need not be here: it is known again from now on, and the receipt says that it was not found.
///
/// # Errors
/// As [`redact`].
pub fn redact_elsewhere(inner: &Redactions, request: RedactReq) -> Result<ActResult, ApiError> {
    let selection = inner.selection(&request)?;
    redact_selected(inner, request, &selection, true)
}

fn redact_selected(
    inner: &Redactions,
    request: RedactReq,
    selection: &Selection,
    elsewhere: bool,
) -> Result<ActResult, ApiError> {
    // Before any file is touched: a second key beside the one that is gone would leave each without what the other knows.
    let lost = inner.tags()?.lost();
    if lost > 0 {
        return Err(LogError::KeyLost(lost).into());
    }
    if let Some(reason) = &request.reason {
        let refused = if selection.hits(reason.as_bytes()) > 0 {
            Some(say::reason_holds_what_redacted())
        } else {
            inner.tags()?.without_in_text(reason).map(|_| say::reason_holds_redacted_before())
        };
        if let Some(refused) = refused {
            return Err(ApiError::invalid(refused, "reason").hint(say::say_what_not_value()));
        }
    }
    let stores = inner.stores_concerned(&request)?;
    if !request.dry_run {
        for store in &stores {
            inner.scan(store)?;
        }
    }
    // Stores that were taken off the list have a history, and no files here.
    let only = request.store.as_ref().and_then(|_| stores.first()).map(|store| store.id);
    let survey = inner.survey(selection, &stores, request.live, only)?;
    let rewrite = request.transcripts && !survey.transcripts.is_empty();
    let nothing = survey.versions.is_empty()
        && survey.live.is_empty()
        && survey.queued.is_empty()
        && !survey.texts.has_any_to_take_out()
        && !rewrite;
    let matches = survey.matches(selection, request.transcripts);
    // A file that could not be read may hold it: it is kept out of the log, and the receipt names the file.
    let is_open = elsewhere || (!survey.unread.is_empty() && !matches!(selection, Selection::Versions(..)));
    if nothing && !matches.is_empty() && !request.dry_run && !is_open {
        return Err(ApiError::new(Code::NotFound, say::stands_only_where_retrace_takes(), "")
            .hint(say::retrace_redact_dry_run_names()));
    }
    if nothing && matches.is_empty() && !is_open {
        return Err(ApiError::new(Code::NotFound, say::nothing_recorded_no_live_file(), "")
            .hint(say::redacted_versions_passed_over_retrace()));
    }
    let mut result = ActResult { dry_run: request.dry_run, matches, ..ActResult::default() };
    let warnings = survey.warnings(selection, request.live, request.transcripts);
    result.warnings = warnings.into_iter().collect();
    let mut unreadable: Vec<String> = inner.unreadable(&stores).into_iter().map(str::to_owned).collect();
    if !survey.unread.is_empty() {
        unreadable.push(unread::named(&survey.unread, &|text| survey::masked_text(selection, text)));
    }
    if !unreadable.is_empty() {
        result.warnings.push(say::live_files_could_not_looked(unreadable.join(", ")));
    }
    if request.live {
        result.writes = survey.live.iter().filter_map(LiveHit::as_write).collect();
        result.writes.extend(survey.hosted.iter().map(survey::hosted_write));
    }
    if request.dry_run {
        let seqs: Vec<u64> = survey.versions.iter().map(|(version, _)| version.id.seq).collect();
        let there = inner.read(|reader| Ok(reader.host_versions(&seqs)?))?;
        let replaced = if request.live { survey.hosted.len() } else { 0 };
        result.queued = (there.values().map(Vec::len).sum::<usize>() + replaced) as u64;
        return Ok(result);
    }
    inner.do_redact(&request, selection, &stores, survey, result)
}

/// All receipts, newest first.
///
/// # Errors
/// A failure of the database.
pub fn receipts(inner: &Redactions, _: Nothing) -> Result<Receipts, ApiError> {
    let rows = inner.read(|reader| {
        let mut rows = reader.receipts()?;
        // The content of hosts changes with every push.
        rows.iter_mut().try_for_each(|row| remote::enter_places(reader, row))?;
        Ok(rows)
    })?;
    Ok(Receipts { receipts: rows.iter().map(view::receipt).collect() })
}

/// Looks again: finishes a pending purge where that is possible now, looks at every place by the tags of what was redacted, and
/// verifies the chain. What takes the secret itself is said to be so.
///
/// # Errors
/// `not_found` for an unknown receipt.
pub fn recheck_receipt(inner: &Redactions, request: ReceiptRef) -> Result<Receipt, ApiError> {
    let id = ReceiptId::parse(&request.receipt)
        .map_err(|error| ApiError::new(Code::NotFound, crate::wire::sentence(&error), &request.receipt))?;
    inner.read(|reader| Ok(reader.receipt(id)?))?;
    inner.finish_purges()?;
    let mut row = inner.read(|reader| {
        let mut row = reader.receipt(id)?;
        remote::enter_places(reader, &mut row)?;
        Ok(row)
    })?;
    inner.look_again(&mut row)?;
    if row.purged {
        let sound = inner.read(|reader| Ok(reader.verify_chain()?))?.is_empty();
        row.chain_verified = Some(sound);
        inner.write(|act| Ok(act.finish_receipt(&row)?))?;
        *lock(&inner.verified) = Some((inner.now(), sound));
    }
    Ok(view::receipt(&inner.read(|reader| Ok(reader.receipt(id)?))?))
}
/// A live file that was given its new content.
struct ReplacedFile {
    change: Change,
    /// Failed part.
    warning: Option<Message>,
}
impl Redactions {
    fn do_redact(
        &self,
        request: &RedactReq,
        selection: &Selection,
        stores: &[StoreRow],
        mut survey: Survey,
        mut result: ActResult,
    ) -> Result<ActResult, ApiError> {
        self.at(Point::Planned)?;
        let chosen: Vec<VersionRow> = survey.versions.iter().map(|(version, _)| version.clone()).collect();
        let mut replaced = Vec::new();
        let warned = result.warnings.len();
        let written = self.write_with_files(|act, files| {
            replaced = Vec::new();
            result.warnings.truncate(warned);
            result.conflicts.clear();
            for store in stores {
                self.flush_store(act, store)?;
            }
            for hit in survey.live.iter_mut().filter(|hit| hit.after.is_some()) {
                match self.replace_live(act, files, hit) {
                    Ok(file) => replaced.push(file),
                    Err(error) => {
                        let why = survey::masked_text(selection, &error.to_string());
                        result.warnings.push(say::live_file_could_not_changed(why));
                        result.conflicts.push(not_replaced(hit, &error, selection));
                        hit.left_as_it_is(&self.rules);
                    }
                }
            }
            self.at(Point::FilesDone)?;
            let committed =
                self.take_out(act, (request, selection), stores, (&chosen, &survey.matched), &replaced)?;
            cast_shadows(act, &survey.live)?;
            self.at(Point::Masked)?;
            Ok(committed)
        });
        let (id, operation_seq, mut needles, queued) = written.map_err(in_files_alone)?;
        result.operation_seq = Some(operation_seq);
        result.queued = queued;
        result.writes.retain(|write| replaced.iter().any(|file| file.change.path.to_text() == write.path));
        result.partial = !result.conflicts.is_empty();
        for file in &replaced {
            result.warnings.extend(file.warning.clone());
        }
        let mut own = 0;
        for text in &survey.matched {
            match retrace_log::is_own_text(text)? {
                true => own += 1,
                false => needles.add(text),
            }
        }
        if own > 0 {
            result.warnings.push(own_text::in_wording(own));
        }
        let mut row = self.read(|reader| Ok(reader.receipt(id)?))?;
        row.live_files = replaced.len() as u64;
        self.forget_memories();
        let features = self.features_with_texts();
        // Nothing is read anew while the purge goes through the files.
        let _held: Vec<_> = features.iter().map(|feature| feature.forget_transcripts()).collect();
        result.warnings.extend(self.redact_own_files(selection));
        let rewritten = match request.transcripts {
            true => self.rewrite_transcripts(&survey.transcripts, &survey.matched),
            false => Vec::new(),
        };
        let finished =
            self.purge_and_finish(row, &needles, selection, stores, (&survey, &rewritten), &mut result);
        if let Err(error) = finished {
            // Masked it is, and the receipt says that the purge is pending.
            result.warnings.push(say::purge_not_finished(error.message));
        }
        let row = self.read(|reader| Ok(reader.receipt(id)?))?;
        result.receipt = Some(view::receipt(&row));
        self.events.send(&crate::wire::Event::Receipts);
        Ok(result)
    }

    /// Appends the redaction, with the live files it changed, and masks the chosen versions.
    fn take_out(
        &self,
        act: &mut Act<'_>,
        (request, selection): (&RedactReq, &Selection),
        stores: &[StoreRow],
        (chosen, matched): (&[VersionRow], &BTreeSet<Vec<u8>>),
        replaced: &[ReplacedFile],
    ) -> Result<(ReceiptId, u64, Needles, u64), ApiError> {
        // Taken after the files are written: what a recorder read before that is older than this act.
        let (at, user) = (self.now(), self.user());
        let one = match stores {
            [one] => Some(one.id),
            _ => None,
        };
        // Right before the operation, which covers what this seals.
        texts::redact_texts(act, selection, &user)?;
        let mut left = HashMap::new();
        for (place, file) in replaced.iter().enumerate() {
            let live = act.reader().live_at(file.change.store, &file.change.path)?;
            left.extend(live.map(|live| (place, live.version.seq)));
        }
        let append = Append {
            store: one,
            source: Source::Redact,
            actor: &user,
            note: request.reason.as_deref(),
            at,
            undoes: None,
            changes: replaced.iter().map(|file| file.change.clone()).collect(),
            even_if_empty: true,
        };
        let appended = act.append_putting_back(append, &left)?;
        decision::note_in_passing(act, Who { person: &user, at }, &appended)?;
        let operation_seq = appended.operation_seq.unwrap_or_default();
        let masked = act.reader().with_same_content(chosen)?;
        let queued =
            self.queue_redaction(act, request, selection, (operation_seq, at), (&masked, matched))?;
        let versions = masked.len() as u64;
        let (id, row) = act.add_receipt(&NewReceipt {
            operation_seq,
            at,
            actor: &user,
            reason: request.reason.as_deref(),
            method: selection.method(),
            versions,
        })?;
        keep_lines(act, &masked)?;
        act.keep_out(row, matched.iter().map(Vec::as_slice))?;
        if selection.has_parts() {
            act.note_parts(&masked, |bytes| selection.parts(bytes))?;
        }
        Ok((id, operation_seq, act.mask(chosen, row)?.needles, queued))
    }

    /// Takes back what is queued with what is redacted, and queues the redactions that hosts are to make.
    fn queue_redaction(
        &self,
        act: &mut Act<'_>,
        request: &RedactReq,
        selection: &Selection,
        (operation_seq, at): (u64, Timestamp),
        (masked, matched): (&[VersionRow], &BTreeSet<Vec<u8>>),
    ) -> Result<u64, ApiError> {
        let reader = act.reader();
        let holding = remote::queued_holding(&reader, masked, |bytes| selection.holds(bytes, matched))?;
        let replace = match request.live {
            true => remote::hosted_hits(&reader, masked, |bytes| selection.replaced(bytes))?,
            false => Vec::new(),
        };
        for row in holding {
            act.unqueue(row.id)?;
        }
        remote::queue(act, operation_seq, masked, &replace, at)
    }

    fn replace_live(
        &self,
        act: &Act<'_>,
        files: &mut LiveFiles,
        hit: &LiveHit,
    ) -> Result<ReplacedFile, FileError> {
        let failed = |error: retrace_files::RootError| FileError::Io {
            path: hit.path.clone(),
            doing: retrace_files::Doing::OpenStore,
            source: std::io::Error::other(error.to_string()),
        };
        let after = hit.after.clone().unwrap_or_default();
        let root = Arc::new(Root::open_there(&hit.store_root).map_err(failed)?);
        let (reader, place) = (act.reader(), (hit.store, &root));
        let done = files.rewrite(self, &reader, place, (&hit.path, hit.before), &after)?;
        let stays = done.leftover.filter(|hidden| !removed(&root, &self.rules, hidden));
        let change = Change {
            store: hit.store,
            path: hit.path.clone(),
            payload: Payload::Content {
                sha256: Sha256::of(&after),
                size: after.len() as u64,
                bytes: Some(after),
                seen: done.seen,
                moved_from: None,
            },
        };
        let warning = stays.map(|hidden| say::old_content_could_not_removed(hidden.to_string()));
        Ok(ReplacedFile { change, warning })
    }
}

/// A live file that keeps what was to be replaced in it.
fn not_replaced(hit: &LiveHit, error: &FileError, selection: &Selection) -> Conflict {
    let (reason, found) = match error {
        FileError::Moved { found, .. } => (ConflictReason::Changed, *found),
        error if error.is_in_the_way() => (ConflictReason::InTheWay, None),
        _ => (ConflictReason::NotWritten, Some(hit.before)),
    };
    let mut message = crate::wire::sentence(error);
    if hit.in_path {
        message = Message::verbatim(survey::masked_text(selection, message.text()));
    }
    Conflict {
        store_id: hit.store.to_string(),
        path: survey::masked_text(selection, &hit.path.to_text()),
        expected_sha256: Some(hit.before.to_hex()),
        found_sha256: found.map(|sha256| sha256.to_hex()),
        expected_version_id: None,
        found_version_id: None,
        wanted_version_id: None,
        reason,
        message,
    }
}

/// Removes a hidden file that an act left behind; `false` when it stays.
fn removed(root: &Root, rules: &Rules, hidden: &RelPath) -> bool {
    let leftovers = root.leftovers(rules);
    leftovers
        .iter()
        .filter(|leftover| leftover.path == *hidden)
        .all(|leftover| root.discard(leftover).is_ok())
}
/// Marks live files that keep what was redacted, so that they are not recorded again until they change.
fn cast_shadows(act: &mut Act<'_>, live: &[LiveHit]) -> Result<(), ApiError> {
    for hit in live.iter().filter(|hit| hit.after.is_none()) {
        let head = act.reader().live_at(hit.store, &hit.path)?;
        if head.is_some_and(|head| head.sha256.is_none()) {
            act.cast_shadow(hit.store, &hit.path, &hit.seen)?;
        }
    }
    Ok(())
}

/// The failure of a redaction that masked files which could not be put back: of the log nothing was taken out.
fn in_files_alone(error: ApiError) -> ApiError {
    match error.code {
        Code::NotRecorded => error.hint(failed::repeat_what_log_holds()),
        _ => error,
    }
}

retrace_message::messages! {
    /// What is said of texts that are also words of Retrace.
    saved mod own_text in "redact_own";
    in_wording(texts) => "Retrace's own sentences have what was redacted as well and keep it, so raw bytes were not searched for it. Such texts: {texts}.",
}

retrace_message::messages! {
    /// What a failure asks for.
    mod failed in "redact_failed";
    repeat_what_log_holds() => "Live files were masked, the log still holds it. Repeat the redaction once the log can be written.",
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "redact";
    reason_holds_what_redacted() => "The reason holds what is to be redacted.",
    reason_holds_redacted_before() => "The reason holds something that was redacted before.",
    say_what_not_value() => "Say what it is, not its value.",
    stands_only_where_retrace_takes() => "It stands only where Retrace takes nothing out.",
    retrace_redact_dry_run_names() => "`retrace redact … --dry-run` names each place, and what takes it out of there.",
    nothing_recorded_no_live_file() => "Nothing recorded and no live file matches.",
    redacted_versions_passed_over_retrace() => "Redacted versions are passed over. `retrace search --history` finds words in history.",
    live_files_could_not_looked(unreadable) => "Live files that could not be looked at: {unreadable}.",
    live_file_could_not_changed(what) => "A live file could not be changed: {what}.",
    purge_not_finished(message) => "The purge is not finished: {message}",
    old_content_could_not_removed(hidden) => "The old content could not be removed: delete the hidden file {hidden}.",
}
