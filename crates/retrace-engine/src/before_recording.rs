//! Times before a store was recorded. Nothing says what was there then but history that others kept: to take nothing known for
//! nothing there would delete every file, export an empty directory, and compare with it.

use crate::target::Moment;
use crate::wire::{ApiError, Code};
use retrace_log::{Reader, StoreRow};
use retrace_message::Message;

/// True if an instant lies before a store's state was recorded.
///
/// # Errors
/// A failure of the database.
pub fn is_before_recording(reader: &Reader<'_>, store: &StoreRow, moment: Moment) -> Result<bool, ApiError> {
    if store.is_log_only() {
        // It is what the log says of it, from its first version on, and was empty before.
        return Ok(false);
    }
    if reader.remote(store.id)?.is_some() {
        // A host tells what happened before it was mirrored here.
        return Ok(match moment.time {
            Some(time) => reader.operation_of_store_at(store.id, time)? == 0,
            None => moment.operation == 0,
        });
    }
    let (operation, at) = reader.recorded_since(store.id)?;
    Ok(match moment.time {
        Some(time) => time < at && !reader.is_observed_by(store.id, time)?,
        None => moment.operation < operation,
    })
}

/// Why such an instant is not acted on. `with_imported` says how to have the files, as many as it is given, that imported
/// history knows of that time.
///
/// # Errors
/// A failure of the database.
pub fn refused(
    reader: &Reader<'_>,
    store: &StoreRow,
    moment: Moment,
    named: &str,
    with_imported: impl FnOnce(usize) -> Message,
) -> Result<ApiError, ApiError> {
    let since = reader.recorded_since(store.id)?.1.to_rfc3339();
    let refused =
        ApiError::new(Code::BeforeRecording, say::nothing_recorded_directory_then_recording(since), named);
    Ok(match known(reader, store, moment)? {
        0 => refused.hint(say::no_imported_history_reaches_back()),
        known => refused.hint(with_imported(known)),
    })
}

/// What is to be said beside a state of a store then; `None` where it was recorded.
///
/// # Errors
/// A failure of the database.
pub fn warning(
    reader: &Reader<'_>,
    store: &StoreRow,
    moment: Moment,
    named: &str,
) -> Result<Option<Message>, ApiError> {
    if !is_before_recording(reader, store, moment)? {
        return Ok(None);
    }
    let since = reader.recorded_since(store.id)?.1.to_rfc3339();
    Ok(Some(match known(reader, store, moment)? {
        0 => beside::nothing_is_known(named, since),
        known => beside::imported_history_knows(named, since, known),
    }))
}

/// Files of that time that imported history knows.
fn known(reader: &Reader<'_>, store: &StoreRow, moment: Moment) -> Result<usize, ApiError> {
    Ok(match moment.time {
        Some(time) => reader.memories_at_time(store.id, time)?.len(),
        None => 0,
    })
}

retrace_message::messages! {
    /// Messages of this module, by the ids that they always had.
    saved mod say in "imported";
    nothing_recorded_directory_then_recording(since) => "Nothing was recorded of this directory by then; recording began at {since}.",
    no_imported_history_reaches_back() => "No imported history reaches back to that time; `retrace import git` and `retrace import transcripts` bring in what others kept.",
}

retrace_message::messages! {
    /// Messages beside a state of a store.
    mod beside in "before_recording";
    nothing_is_known(named, since) => "Nothing is known of {named}: recording began at {since}, and no imported history reaches back to that time.",
    imported_history_knows(named, since, known) => "Nothing was recorded of {named}: recording began at {since}. Files of that time known from imported history: {known}; others may have been there.",
}
