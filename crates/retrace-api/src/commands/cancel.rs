//! Stopping long work.

use crate::App;
use crate::lab::index;
use crate::wire::{ApiError, Cancelled, JobRef};

/// Stops a job; it ends soon and answers with what it has. `transcripts` is the job that brings the index up to date.
///
/// # Errors
/// None.
pub fn cancel(app: &App, request: JobRef) -> Result<Cancelled, ApiError> {
    let lab = &app.inner.lab;
    let cancelled =
        if request.job == index::JOB { lab.index.cancel() } else { app.inner.jobs.cancel(&request.job) };
    Ok(Cancelled { cancelled })
}
