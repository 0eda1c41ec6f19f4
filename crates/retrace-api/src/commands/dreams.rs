//! Dreams of a host.

use crate::App;
use crate::wire::{ApiError, Code, CreateDreamReq, Dream, DreamRef, Dreams, DreamsReq};

/// The dreams of a host. Calls the host.
///
/// # Errors
/// `store_unavailable`: not served yet.
pub fn dreams(_: &App, _: DreamsReq) -> Result<Dreams, ApiError> {
    Err(ApiError::new(Code::StoreUnavailable, "This is not served yet.", "dreams"))
}

/// Asks a host for a dream.
///
/// # Errors
/// `store_unavailable`: not served yet.
pub fn create_dream(_: &App, _: CreateDreamReq) -> Result<Dream, ApiError> {
    Err(ApiError::new(Code::StoreUnavailable, "This is not served yet.", "create_dream"))
}

/// Stops a dream.
///
/// # Errors
/// `store_unavailable`: not served yet.
pub fn cancel_dream(_: &App, _: DreamRef) -> Result<Dream, ApiError> {
    Err(ApiError::new(Code::StoreUnavailable, "This is not served yet.", "cancel_dream"))
}

/// Archives a dream that has ended.
///
/// # Errors
/// `store_unavailable`: not served yet.
pub fn archive_dream(_: &App, _: DreamRef) -> Result<Dream, ApiError> {
    Err(ApiError::new(Code::StoreUnavailable, "This is not served yet.", "archive_dream"))
}
