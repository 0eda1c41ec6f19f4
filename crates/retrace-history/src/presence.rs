//! Presence, of versions that were compared with the transcripts: who wrote a version tells since when it is there.

use crate::History;
use crate::wire::{ApiError, Presence, PresenceLane, PresenceLaneReq, PresenceReq, Reach, ReachReq};
use std::sync::Arc;

/// What a session's model had before it at one request.
///
/// # Errors
/// Those of [`retrace_lab::presence`], and of reading and writing the log.
pub fn presence(inner: &Arc<History>, request: PresenceReq) -> Result<Presence, ApiError> {
    inner.origins.catch_up(inner)?;
    retrace_lab::presence(&inner.lab, request)
}

/// Which memories and instruction files each request of a session held.
///
/// # Errors
/// Those of [`retrace_lab::presence_lane`], and of reading and writing the log.
pub fn presence_lane(inner: &Arc<History>, request: PresenceLaneReq) -> Result<PresenceLane, ApiError> {
    inner.origins.catch_up(inner)?;
    retrace_lab::presence_lane(&inner.lab, request)
}

/// In which sessions lines of a memory were before a model, and why not in the others.
///
/// # Errors
/// Those of [`retrace_lab::reach`], and of reading and writing the log.
pub fn reach(inner: &Arc<History>, request: ReachReq) -> Result<Reach, ApiError> {
    inner.origins.catch_up(inner)?;
    retrace_lab::reach(&inner.lab, request)
}
