//! Redacting one version.

use super::Stop;
use super::read::{shown, version_object, version_of};
use super::write::{Writing, Written};
use crate::origin_lines::keep_lines;
use crate::wire::Event;
use retrace_log::{Append, NewReceipt, ReceiptRow};
use retrace_model::{Source, StoreId, VersionId};
use retrace_redact::pending_places;
use retrace_store_api::{View, open, rules};

/// Takes a version's content, path, size and hash away. Other versions keep what they have, be it the same. The bytes leave
/// the files of the data directory at the next purge, which the recorder does; the receipt says so until then.
pub(super) fn redact(
    writing: &mut Writing<'_, '_>,
    store: StoreId,
    version: VersionId,
) -> Result<Written, Stop> {
    let reader = writing.act.reader();
    shown(&reader, store)?;
    let row = version_of(&reader, store, version)?;
    if row.redaction.is_some() && open::REDACT_TWICE {
        return Ok(version_object(&reader, &row, View::Full)?.to_json(writing.legacy).into());
    }
    let head = reader.live_record(store, row.memory)?;
    rules::redaction(head.is_some_and(|head| head.head.id == version))?;
    let at = writing.inner.now();
    let appended = writing.act.append(Append {
        store: Some(store),
        source: Source::Redact,
        actor: writing.author,
        note: None,
        at,
        undoes: None,
        changes: Vec::new(),
        even_if_empty: true,
    })?;
    let (id, receipt) = writing.act.add_receipt(&NewReceipt {
        operation_seq: appended.operation_seq.unwrap_or_default(),
        at,
        actor: writing.author,
        reason: None,
        method: "versions",
        versions: 1,
    })?;
    let concerned = writing.act.reader().store(store)?;
    writing.inner.flush_store(writing.act, &concerned)?;
    keep_lines(writing.act, std::slice::from_ref(&row))?;
    let masked = writing.act.mask_alone(&[row], receipt)?;
    writing.inner.redactions.note_pending(id, masked.needles);
    let row: ReceiptRow = writing.act.reader().receipt(id)?;
    let chain_head = writing.act.reader().chain_head()?;
    writing.act.finish_receipt(&ReceiptRow { places: pending_places(), chain_head, ..row })?;
    let reader = writing.act.reader();
    let row = version_of(&reader, store, version)?;
    let answer = version_object(&reader, &row, View::Full)?.to_json(writing.legacy);
    Ok(Written { answer, after: Some(Event::Receipts) })
}
