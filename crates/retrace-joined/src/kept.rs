//! Small files of what this machine did at its hub, as JSON.

use retrace_engine::{Engine, keep};
use retrace_message::Message;
use retrace_wire::{ApiError, Code, show};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;

/// What a file holds. One that is not there or cannot be understood holds nothing: what it is about is at the hub.
///
/// # Errors
/// As [`keep::read`].
pub(crate) fn read<T: Default + DeserializeOwned>(path: &Path) -> Result<T, ApiError> {
    let text = keep::read(path)?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

/// Puts a file in place of the one before.
///
/// # Errors
/// As [`keep::replace`]; `not_kept` says what cannot be written.
pub(crate) fn replace(
    inner: &Engine,
    path: &Path,
    kept: &impl Serialize,
    not_kept: impl FnOnce(String) -> Message,
) -> Result<(), ApiError> {
    let text = serde_json::to_vec(kept)
        .map_err(|error| ApiError::new(Code::Internal, not_kept(error.to_string()), show(path)))?;
    keep::replace(inner, path, &text)
}
