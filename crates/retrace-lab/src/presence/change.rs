//! In how many sessions a change was before a model.

use super::digests::Known;
use super::memories::{self, Held, StoreAt};
use super::places::Places;
use super::reach::spoken;
use crate::Lab;
use crate::wire::{ApiError, ChangeReach, ChangeReachReq};
use retrace_engine::target::version_named;
use retrace_log::VersionRow;
use retrace_model::RelPath;
use retrace_presence::{Claim, Digest, Piece, Place, Way};
use retrace_sessions::Snapshot;
use std::sync::Arc;

/// In how many sessions since then any line that a change brought was before a model. What the model itself wrote does not
/// count.
///
/// # Errors
/// `not_found` for a version that is not there.
pub fn change_reach(inner: &Arc<Lab>, request: ChangeReachReq) -> Result<ChangeReach, ApiError> {
    let (stores, store, held, row, base) = inner.read(|reader| {
        let row = version_named(reader, &request.version)?;
        let store = memories::at(reader.store(row.store)?);
        let path = row.path.as_ref().map(RelPath::to_text).unwrap_or_default();
        let held = memories::held(reader, &store, row.memory, &path)?;
        let base = request.base.as_deref().map(|base| version_named(reader, base)).transpose()?;
        Ok((memories::stores(reader)?, store, held, row, base))
    })?;
    let place = |wanted: &VersionRow| held.rows.iter().position(|row| row.id == wanted.id);
    // Of what was deleted or redacted no line can be searched for.
    let Some(version) = place(&row) else { return Ok(ChangeReach::default()) };
    let base = base.as_ref().and_then(place);
    let lines = held.memory.brought(version, base);
    if lines.is_empty() {
        return Ok(ChangeReach::default());
    }
    let since = row.created_at.micros();
    let (snapshot, known) = inner.lab.presence.all(inner, &memories::roots(&stores));
    Ok(counted(&store, &held, version, &lines, since, &snapshot, &known))
}

/// False for what the model itself wrote, and for words that were there before the change: a person may have asked for it in them.
fn is_of_change(piece: &Piece, digest: &Digest, known: &Known, since: i64) -> bool {
    let is_sifted = known.shelf.text(piece.text).is_some_and(|text| text.claim == Claim::Sifted);
    let first = piece.first().and_then(|first| digest.requests.get(first as usize)?.at);
    piece.way != Way::Written && !(is_sifted && first.is_some_and(|first| first < since))
}

fn counted(
    store: &StoreAt,
    held: &Held,
    version: usize,
    lines: &[u32],
    since: i64,
    snapshot: &Snapshot,
    known: &Known,
) -> ChangeReach {
    let mut places = Places::default();
    let mut reach = ChangeReach { lines: lines.len() as u64, ..ChangeReach::default() };
    for entry in snapshot.sessions().iter().flat_map(|session| session.entries()) {
        let Some(file) = known.file(&entry.path) else { continue };
        for (part, digest) in file.conversations.iter().enumerate() {
            if digest.requests.last().and_then(|last| last.at).is_none_or(|at| at < since) {
                continue;
            }
            let mut pieces = held.pieces(digest, &known.shelf);
            pieces.retain(|at| is_of_change(&digest.pieces[*at], digest, known, since));
            let spoken = spoken(entry, file, digest, part, known);
            let conversation = places.conversation(store, &spoken, !pieces.is_empty());
            if conversation.place() != Place::Here && pieces.is_empty() {
                continue;
            }
            reach.sessions += 1;
            let had = |infers: bool| {
                let had = conversation.inferring(infers).had(&held.memory, &pieces, version);
                lines.iter().any(|line| had.get(*line as usize - 1).copied().unwrap_or(false))
            };
            if had(false) {
                reach.read += 1;
            } else if conversation.infers() && had(true) {
                reach.inferred += 1;
            }
        }
    }
    reach
}
