//! Hosted stores: mirrors, and what is queued for their hosts.

use crate::App;
use crate::wire::{
    AddRemoteReq, ApiError, Code, HostKeyReq, HostRef, HostedStores, Nothing, Pulled, Pushed, RemoteQueue,
    RemoteRef, Remotes, Store, StoreRef, WithdrawReq,
};

/// The stores of a host. Calls the host.
///
/// # Errors
/// `store_unavailable`: not served yet.
pub fn hosted_stores(_: &App, _: HostRef) -> Result<HostedStores, ApiError> {
    Err(ApiError::new(Code::StoreUnavailable, "This is not served yet.", "hosted_stores"))
}

/// The mirrored stores, their hosts and the calls made for them.
///
/// # Errors
/// `store_unavailable`: not served yet.
pub fn remotes(_: &App, _: Nothing) -> Result<Remotes, ApiError> {
    Err(ApiError::new(Code::StoreUnavailable, "This is not served yet.", "remotes"))
}

/// Begins to mirror a hosted store, and takes its baseline.
///
/// # Errors
/// `store_unavailable`: not served yet.
pub fn add_remote(_: &App, _: AddRemoteReq) -> Result<Store, ApiError> {
    Err(ApiError::new(Code::StoreUnavailable, "This is not served yet.", "add_remote"))
}

/// Mirrors what is new at the hosts.
///
/// # Errors
/// `store_unavailable`: not served yet.
pub fn pull_remote(_: &App, _: RemoteRef) -> Result<Pulled, ApiError> {
    Err(ApiError::new(Code::StoreUnavailable, "This is not served yet.", "pull_remote"))
}

/// Sends what is queued.
///
/// # Errors
/// `store_unavailable`: not served yet.
pub fn push_remote(_: &App, _: RemoteRef) -> Result<Pushed, ApiError> {
    Err(ApiError::new(Code::StoreUnavailable, "This is not served yet.", "push_remote"))
}

/// What is queued.
///
/// # Errors
/// `store_unavailable`: not served yet.
pub fn remote_queue(_: &App, _: RemoteRef) -> Result<RemoteQueue, ApiError> {
    Err(ApiError::new(Code::StoreUnavailable, "This is not served yet.", "remote_queue"))
}

/// Takes queued changes back.
///
/// # Errors
/// `store_unavailable`: not served yet.
pub fn withdraw_queued(_: &App, _: WithdrawReq) -> Result<RemoteQueue, ApiError> {
    Err(ApiError::new(Code::StoreUnavailable, "This is not served yet.", "withdraw_queued"))
}

/// Queues that a hosted store be archived, which is one-way.
///
/// # Errors
/// `store_unavailable`: not served yet.
pub fn archive_remote(_: &App, _: StoreRef) -> Result<RemoteQueue, ApiError> {
    Err(ApiError::new(Code::StoreUnavailable, "This is not served yet.", "archive_remote"))
}

/// Keeps the key for a host in the keyring, or forgets it.
///
/// # Errors
/// `store_unavailable`: not served yet.
pub fn set_host_key(_: &App, _: HostKeyReq) -> Result<Remotes, ApiError> {
    Err(ApiError::new(Code::StoreUnavailable, "This is not served yet.", "set_host_key"))
}
