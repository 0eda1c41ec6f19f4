//! How many findings of error level stand in the live memories, kept for whoever asks in a prompt.
//!
//! Checking every memory takes long, and `retrace` alone answers in milliseconds. So the numbers are kept beside the log, one for
//! each store: no text, no path and no rule, so that a redaction has nothing to take out there. A number counts as long as the store
//! has the same newest version and the same rules.

use super::super::{Checks, Configurations};
use super::check::FoundInStore;
use crate::check;
use crate::keep;
use crate::wire::ApiError;
use retrace_findings::Severity;
use retrace_log::{Reader, StoreRow, VersionFilter};
use retrace_model::{Sha256, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The file beside the log.
const FILE: &str = "standing.json";

/// Where something records, so long is waited for it to count anew, in microseconds.
const LATEST: i64 = 60_000_000;

/// What is kept: by the id of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    stores: BTreeMap<String, Counted>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Counted {
    /// Digest of what it was counted of: program, rules, newest version.
    of: String,
    errors: u64,
}

/// A store, with what a number of it is good for.
struct Asked {
    store: StoreRow,
    of: String,
    newest_at: Option<Timestamp>,
}

/// Findings of error level in the memories of all listed stores as they are. What is kept of a store is used where it still
/// holds, or where somebody records (`is_recorded`) and so counts anew in a moment. A store that cannot be read has none.
///
/// # Errors
/// Failures of the database.
pub fn standing_errors(inner: &Arc<Checks>, is_recorded: bool) -> Result<u64, ApiError> {
    counted(inner, is_recorded)
}

/// Counts anew where something changed, if anybody asked before.
///
/// # Errors
/// Failures of the database.
pub fn refresh_standing_errors(inner: &Arc<Checks>) -> Result<(), ApiError> {
    match file(inner).exists() {
        true => counted(inner, false).map(drop),
        false => Ok(()),
    }
}

fn counted(inner: &Arc<Checks>, is_recorded: bool) -> Result<u64, ApiError> {
    let asked = inner.read(|reader| asked(inner, reader))?;
    let before = Kept::read(inner);
    let since = inner.now().micros() - LATEST;
    let mut now = Kept::default();
    for Asked { store, of, newest_at } in asked {
        let id = store.id.to_string();
        let known = before.stores.get(&id);
        let is_awaited = is_recorded && newest_at.is_some_and(|at| at.micros() >= since);
        if let Some(known) = known.filter(|known| known.of == of || is_awaited) {
            now.stores.insert(id, known.clone());
        } else if let Ok(FoundInStore { report, .. }) = inner.found_in(&store, None) {
            let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
            now.stores.insert(id, Counted { of, errors: check::total(errors) });
        }
    }
    if now != before {
        now.save(inner);
    }
    Ok(now.stores.values().map(|counted| counted.errors).sum())
}

fn asked(inner: &Checks, reader: &Reader<'_>) -> Result<Vec<Asked>, ApiError> {
    let mut configurations = Configurations::default();
    let asked = |store: StoreRow| {
        let identity = configurations.identity(inner, reader, store.id)?;
        let filter = VersionFilter { store: Some(store.id), limit: 1, ..VersionFilter::default() };
        let newest = reader.versions(&filter)?.pop();
        let place = newest.as_ref().map_or(0, |version| version.id.seq);
        let text = format!("{} {} {place}", inner.options.program_version, identity.to_hex());
        let newest_at = newest.map(|version| version.created_at);
        Ok(Asked { store, of: Sha256::of(text.as_bytes()).to_hex(), newest_at })
    };
    inner.listed_stores(reader, None)?.into_iter().map(asked).collect()
}

impl Kept {
    fn read(inner: &Checks) -> Self {
        let text = keep::read(&file(inner)).ok().flatten();
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Keeps it. Where that fails it is counted again.
    fn save(&self, inner: &Checks) {
        if let Ok(text) = serde_json::to_string(self) {
            let _ = keep::replace(inner, &file(inner), text.as_bytes());
        }
    }
}

fn file(inner: &Checks) -> PathBuf {
    inner.options.data_dir.join(FILE)
}
