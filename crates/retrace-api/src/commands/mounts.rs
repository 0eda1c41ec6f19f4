//! Attach lists of sessions.

use crate::App;
use crate::wire::{ApiError, Code, Mounts, MountsReq};

/// Checks an attach list and says what it would mount.
///
/// # Errors
/// `store_unavailable`: not served yet.
pub fn check_mounts(_: &App, _: MountsReq) -> Result<Mounts, ApiError> {
    Err(ApiError::new(Code::StoreUnavailable, "This is not served yet.", "check_mounts"))
}
