//! Paths in kept files, for `#[serde(with = …)]`. A path need not be text; serde's own form of it must be.

use serde::{Deserialize as _, Deserializer, Serializer};
use std::path::{Path, PathBuf};

/// The path as the operating system spells it.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    use serde::Serialize as _;
    units(path).serialize(serializer)
}

/// The path from the operating system's spelling.
///
/// # Errors
/// Those of the deserializer.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    Ok(from_units(Vec::deserialize(deserializer)?))
}

#[cfg(unix)]
fn units(path: &Path) -> &[u8] {
    std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str())
}

#[cfg(unix)]
fn from_units(units: Vec<u8>) -> PathBuf {
    let path: std::ffi::OsString = std::os::unix::ffi::OsStringExt::from_vec(units);
    path.into()
}

#[cfg(windows)]
fn units(path: &Path) -> Vec<u16> {
    std::os::windows::ffi::OsStrExt::encode_wide(path.as_os_str()).collect()
}

#[cfg(windows)]
fn from_units(units: Vec<u16>) -> PathBuf {
    let path: std::ffi::OsString = std::os::windows::ffi::OsStringExt::from_wide(&units);
    path.into()
}
