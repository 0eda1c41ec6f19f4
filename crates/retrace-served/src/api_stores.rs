//! Stores of the Memory Stores API, from the side of the person at this machine.

use crate::Served;
use crate::store_api;
use crate::wire::{ApiError, MountStoreReq, ShareStoreReq, Store};
use std::sync::Arc;

/// Shows a directory's store in the Memory Stores API, or no longer.
///
/// # Errors
/// `not_found` for an unknown store, `invalid` for a store that lives in the log alone.
pub fn share_store(inner: &Arc<Served>, request: ShareStoreReq) -> Result<Store, ApiError> {
    store_api::share_store(inner, &request)
}

/// Gives a store of the Memory Stores API a directory that is kept in step with it, or takes the directory away again; its
/// files stay.
///
/// # Errors
/// `not_found` for an unknown store, `invalid` when that cannot be done with it, `store_unavailable`.
pub fn mount_store(inner: &Arc<Served>, request: MountStoreReq) -> Result<Store, ApiError> {
    store_api::mount_store(inner, &request)
}
