//! Redactions reach hosts through the queue: each masked version that a host still has is queued to be redacted there, and with
//! `--live` the newest version of a live memory is replaced before.

use crate::queue::head_waits;
use crate::wire::ApiError;
use retrace_log::{Act, NewQueued, Place, PlaceState, QueueKind, QueueRow, Reader, ReceiptRow, VersionRow};
use retrace_message::Message;
use retrace_model::{RelPath, Sha256, Source, StoreId, Timestamp};
use std::collections::BTreeSet;

/// Prefix of the place of a host on a receipt; the name of the mirror follows.
pub(crate) const HOST_PLACE: &str = "Host ";

/// A live memory of a mirror whose newest version is about to be masked, with what replaces it at the host.
pub(crate) struct HostedHit {
    pub store: StoreId,
    pub path: RelPath,
    memory: String,
    version: Option<String>,
    pub before: Sha256,
    pub after: Vec<u8>,
}

/// Live memories of mirrors among versions about to be masked. `after` says what stands in place of a content.
///
/// # Errors
/// A failure of the log.
pub(crate) fn hosted_hits(
    reader: &Reader<'_>,
    versions: &[VersionRow],
    after: impl Fn(&[u8]) -> Vec<u8>,
) -> Result<Vec<HostedHit>, ApiError> {
    let chosen: BTreeSet<u64> = versions.iter().map(|version| version.id.seq).collect();
    let stores: BTreeSet<StoreId> = versions.iter().map(|version| version.store).collect();
    let mut hits = Vec::new();
    for store in stores {
        if reader.remote(store)?.is_none() {
            continue;
        }
        for live in reader.mirrored_memories(store)? {
            let (true, Some(memory)) = (chosen.contains(&live.head), live.remote_memory) else { continue };
            let head = reader.version(live.head)?;
            let Some(content) = reader.content(&head)? else { continue };
            hits.push(HostedHit {
                store,
                path: live.path,
                memory,
                version: live.remote_version,
                before: content.info.sha256,
                after: after(&content.bytes),
            });
        }
    }
    Ok(hits)
}

/// Changes whose content or path is among what is redacted, taken back ones included: `holds` says of bytes whether they hold it, `masked` are the
/// versions chosen.
///
/// # Errors
/// A failure of the log.
pub(crate) fn queued_holding(
    reader: &Reader<'_>,
    masked: &[VersionRow],
    holds: impl Fn(&[u8]) -> bool,
) -> Result<Vec<QueueRow>, ApiError> {
    let hashes: BTreeSet<Sha256> =
        masked.iter().filter_map(|version| Some(version.content?.sha256)).collect();
    // A change that an act took back is kept, for undoing it.
    let mut queued = reader.remote_queue_and_withdrawn()?;
    queued.retain(|row| {
        let change = &row.change;
        let paths = [&change.path, &change.moved_from].into_iter().flatten();
        row.content_sha256.is_some_and(|sha256| hashes.contains(&sha256))
            || change.content.as_deref().is_some_and(&holds)
            || paths.map(RelPath::as_bytes).any(&holds)
    });
    Ok(queued)
}

/// Queues for their hosts what a redaction masks: first what replaces newest versions, then the redactions themselves. To be
/// called before the versions are masked, in the same transaction.
///
/// # Errors
/// A failure of the log.
pub(crate) fn queue(
    act: &mut Act<'_>,
    operation_seq: u64,
    masked: &[VersionRow],
    replace: &[HostedHit],
    at: Timestamp,
) -> Result<u64, ApiError> {
    let change = |store, kind| NewQueued {
        store,
        kind,
        path: None,
        moved_from: None,
        remote_memory: None,
        remote_version: None,
        expected: None,
        content: None,
        operation_seq: Some(operation_seq),
        source: Source::Redact,
        note: None,
        at,
        message: None,
    };
    let mut count = 0;
    let waiting = act.reader().remote_queue(None)?;
    let mut replaced = BTreeSet::new();
    for hit in replace {
        // Another change of the memory makes a newer version as well.
        let changes = |row: &QueueRow| row.change.remote_memory.as_ref() == Some(&hit.memory);
        replaced.insert((hit.store, hit.path.clone()));
        if waiting.iter().any(changes) {
            continue;
        }
        count += 1;
        // The hash it replaces would be a trace of what is redacted: the version stands for it.
        act.queue(&NewQueued {
            path: Some(hit.path.clone()),
            remote_memory: Some(hit.memory.clone()),
            remote_version: hit.version.clone(),
            content: Some(hit.after.clone()),
            ..change(hit.store, QueueKind::Update)
        })?;
    }
    let queued: BTreeSet<(StoreId, String)> = waiting
        .into_iter()
        .filter(|row| row.change.kind == QueueKind::Redact)
        .filter_map(|row| Some((row.change.store, row.change.remote_version?)))
        .collect();
    let seqs: Vec<u64> = masked.iter().map(|version| version.id.seq).collect();
    for (seq, versions) in act.reader().host_versions(&seqs)? {
        for (store, version) in versions {
            if queued.contains(&(store, version.clone())) {
                continue;
            }
            let heads = act.reader().mirrored_memories(store)?;
            let head = heads.into_iter().find(|memory| memory.head == seq);
            let waits = head.is_some_and(|head| !replaced.contains(&(store, head.path)));
            count += 1;
            act.queue(&NewQueued {
                remote_version: Some(version),
                message: waits.then(|| head_waits().into_text()),
                ..change(store, QueueKind::Redact)
            })?;
        }
    }
    Ok(count)
}

/// Places of the hosts on a receipt, as it stands now.
///
/// # Errors
/// A failure of the log.
pub(crate) fn places(reader: &Reader<'_>, operation_seq: u64) -> Result<Vec<Place>, ApiError> {
    let mut places = Vec::new();
    for (store, versions, left) in reader.left_at_hosts(operation_seq)? {
        let state = if left == 0 { PlaceState::Clean } else { PlaceState::Left };
        let detail = match left {
            0 => say::redacted(versions),
            _ => say::queued_retrace_remote_push_redacts(left, versions),
        };
        let name = reader.store(store)?.name;
        places.push(Place::outside(
            Message::verbatim(format!("{HOST_PLACE}{name}")),
            state,
            left,
            Some(detail),
        ));
    }
    Ok(places)
}

/// Enters on a receipt what its hosts are now.
///
/// # Errors
/// A failure of the log.
pub(crate) fn enter_places(reader: &Reader<'_>, row: &mut ReceiptRow) -> Result<(), ApiError> {
    let now = places(reader, row.operation_seq)?;
    let at = row.places.iter().position(|place| place.place.starts_with(HOST_PLACE));
    row.places.retain(|place| !place.place.starts_with(HOST_PLACE));
    let at = at.unwrap_or(row.places.len()).min(row.places.len());
    row.places.splice(at..at, now);
    Ok(())
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "hosts";
    redacted(versions) => "redacted there: {versions}",
    queued_retrace_remote_push_redacts(left, versions) => "queued: `retrace remote push` redacts {left} of {versions} there",
}
