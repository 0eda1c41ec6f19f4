//! Who wrote what a version has. Whoever puts a content back did not write it: its writer stays the one who did, and who put it
//! back is said beside that. Everything that shows or asks for a writer goes through here.

use crate::view;
use crate::wire::{ApiError, PutBack};
use retrace_log::{Reader, VersionRow};
use std::borrow::Cow;

/// The version whose writer is meant when one asks who wrote `version`: the one that brought what it has.
///
/// # Errors
/// A failure of the log.
pub fn written<'v>(reader: &Reader<'_>, version: &'v VersionRow) -> Result<Cow<'v, VersionRow>, ApiError> {
    Ok(match version.put_back_of {
        None => Cow::Borrowed(version),
        Some(_) => Cow::Owned(reader.written(version)?),
    })
}

/// Who put a version's content back, and whose it is; `None` where nobody did.
///
/// # Errors
/// A failure of the log.
pub fn put_back(reader: &Reader<'_>, version: &VersionRow) -> Result<Option<PutBack>, ApiError> {
    if version.put_back_of.is_none() {
        return Ok(None);
    }
    Ok(Some(put_back_by(version, &reader.written(version)?)))
}

/// Note that `act` put back what `first` brought.
pub fn put_back_by(act: &VersionRow, first: &VersionRow) -> PutBack {
    PutBack {
        version_id: first.id.to_string(),
        written_by: view::actor(&first.actor),
        written_at: first.created_at.to_rfc3339(),
        by: view::actor(&act.actor),
        at: act.created_at.to_rfc3339(),
        operation_seq: act.operation_seq,
        source: act.source.into(),
    }
}
