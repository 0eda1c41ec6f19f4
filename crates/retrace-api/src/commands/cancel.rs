//! Stopping long work.

use crate::App;
use crate::wire::{ApiError, Cancelled, JobRef};
use retrace_lab::TranscriptIndex;

/// Stops a job; it ends soon and answers with what it has. `transcripts` is the job that brings the index up to date.
///
/// # Errors
/// None.
pub(crate) fn cancel(app: &App, request: JobRef) -> Result<Cancelled, ApiError> {
    let index = app.lab.index();
    let cancelled = if request.job == TranscriptIndex::JOB {
        index.cancel()
    } else {
        app.engine.jobs.cancel(&request.job)
    };
    Ok(Cancelled { cancelled })
}
