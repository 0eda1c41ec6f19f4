//! What is there when recording begins.

use super::health::health;
use crate::Checks;
use crate::wire::{
    ApiError, Health, HealthReq, IndexHealth, Nothing, Opening, OpeningGroup, OpeningKind, Severity,
    StoreFinding,
};
use std::sync::Arc;

/// The rule of an index that sessions load in part.
const CUT_INDEX: &str = "limits/index-cut";

/// What the recorded directories hold at present, and how many sessions there are. Nothing is read of the transcripts.
///
/// # Errors
/// `invalid` for settings of rules that cannot be used.
pub fn opening(inner: &Arc<Checks>, _: Nothing) -> Result<Opening, ApiError> {
    let health = health(inner, HealthReq::default())?;
    Ok(Opening { sessions: inner.lab.sessions_known(), ..opening_in(&health) })
}

/// What one store holds at present; of sessions nothing is said.
///
/// # Errors
/// `not_found` for an unknown store; `invalid` for settings of rules that cannot be used.
pub fn opening_of(inner: &Arc<Checks>, store: String) -> Result<Opening, ApiError> {
    let health = health(inner, HealthReq { store: Some(store), ..HealthReq::default() })?;
    Ok(opening_in(&health))
}

fn opening_in(health: &Health) -> Opening {
    Opening {
        groups: groups(health),
        memories: health.stores.iter().map(|store| store.files).sum(),
        stores: health.stores.len() as u64,
        sessions: 0,
        problems: health.stores.iter().flat_map(|store| store.problems.clone()).collect(),
    }
}

fn groups(health: &Health) -> Vec<OpeningGroup> {
    OpeningKind::ALL.iter().filter_map(|kind| group(health, *kind)).collect()
}

fn group(health: &Health, kind: OpeningKind) -> Option<OpeningGroup> {
    let of_kind = |one: &&StoreFinding| kind_of(one) == Some(kind);
    // The worst come first in `Health`.
    let first = health.findings.iter().find(of_kind)?.clone();
    let found = health.findings.iter().filter(of_kind);
    let lines = found.clone().filter_map(|one| cut_index(health, one)).map(|index| index.lost_lines).sum();
    Some(OpeningGroup {
        kind,
        count: found.map(|one| one.finding.count()).sum(),
        lines,
        store: health
            .stores
            .iter()
            .find(|store| store.store_id == first.store_id)
            .map(|store| store.name.clone())
            .unwrap_or_default(),
        first,
    })
}

/// The group of a finding; none for a note.
fn kind_of(StoreFinding { finding, .. }: &StoreFinding) -> Option<OpeningKind> {
    if finding.severity == Severity::Note {
        return None;
    }
    Some(match finding.rule.split('/').next() {
        Some("secret") => OpeningKind::Secret,
        Some("hostile") => OpeningKind::Hostile,
        Some("hidden") => OpeningKind::Hidden,
        _ if finding.rule == CUT_INDEX => OpeningKind::CutIndex,
        _ => OpeningKind::Other,
    })
}

fn cut_index<'h>(health: &'h Health, one: &StoreFinding) -> Option<&'h IndexHealth> {
    if one.finding.rule != CUT_INDEX {
        return None;
    }
    let store = health.stores.iter().find(|store| store.store_id == one.store_id)?;
    store.indexes.iter().find(|index| index.path == one.finding.path)
}
