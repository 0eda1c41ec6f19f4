//! Disposable files of the data directory: whatever is wrong with one, what it holds is made again. Layout: 8 bytes of mark, 4
//! bytes of version (little-endian), SHA-256 of the body, the body (postcard).

use crate::error::StoreError;
use crate::store;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};
use std::path::Path;

pub(crate) const HEADER_BYTES: usize = 8 + 4 + 32;

/// What a file holds; `None` where it is absent, damaged or of another mark or version.
#[must_use]
pub fn load<T: DeserializeOwned>(path: &Path, mark: &[u8; 8], version: u32) -> Option<T> {
    let bytes = store::read(path)?;
    let (header, body) = bytes.split_at_checked(HEADER_BYTES)?;
    (header == header_of(body, mark, version)).then(|| postcard::from_bytes(body).ok())?
}

/// Puts `value` in place of what a file holds, in one step.
///
/// # Errors
/// [`StoreError`] when it cannot be written; what was kept stays then.
pub fn save<T: Serialize>(path: &Path, mark: &[u8; 8], version: u32, value: &T) -> Result<(), StoreError> {
    let mut bytes = postcard::to_extend(value, vec![0; HEADER_BYTES]).map_err(StoreError::Encode)?;
    let header = header_of(&bytes[HEADER_BYTES..], mark, version);
    bytes[..HEADER_BYTES].copy_from_slice(&header);
    store::replace(path, &bytes)
}

fn header_of(body: &[u8], mark: &[u8; 8], version: u32) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(mark);
    header[8..12].copy_from_slice(&version.to_le_bytes());
    header[12..].copy_from_slice(&Sha256::digest(body));
    header
}
