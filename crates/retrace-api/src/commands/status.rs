//! The state of the whole program.

use crate::App;
use crate::wire::{ApiError, Nothing, Status};
use retrace_engine::stores::is_recorded;
use retrace_log::Lease;
use std::sync::atomic::Ordering;

/// Content of the status line.
///
/// # Errors
/// A failure of the database.
pub(crate) fn status(app: &App, _: Nothing) -> Result<Status, ApiError> {
    let inner = &app.engine;
    let verified = *retrace_engine::lock(&inner.verified);
    let recording_here = inner.recording_here.load(Ordering::SeqCst);
    inner.read(|reader| {
        let (versions, memories) = reader.totals()?;
        let all = reader.stores()?;
        let stores: Vec<_> = all.iter().filter(|store| store.removed_at.is_none()).collect();
        Ok(Status {
            program: inner.options.program_version.to_owned(),
            data_dir: crate::wire::show(&inner.options.data_dir),
            stores: stores.len() as u64,
            memories,
            versions,
            cursor: reader.cursor()?,
            last_write: stores.iter().filter_map(|store| store.last_change).max().map(|at| at.to_rfc3339()),
            log_bytes: inner.files.bytes_on_disk(),
            recording: recording_here || Lease::holder(&inner.files).is_some(),
            recording_here,
            recordable: stores.iter().filter(|store| !store.is_remote()).count() as u64,
            recorded: stores.iter().filter(|store| is_recorded(inner, store)).count() as u64,
            chain_verified_at: verified.map(|(at, _)| at.to_rfc3339()),
            chain_ok: verified.map(|(_, ok)| ok),
            unreviewed: reader.unreviewed_counts(&inner.user())?.values().sum(),
            broken_rules: reader.broken_count(false)?,
            purge_pending: reader.purges_pending()?,
            network_calls: app.lab.calls() + app.hosted.calls() + retrace_joined::calls(),
            first_run: all.is_empty(),
        })
    })
}
