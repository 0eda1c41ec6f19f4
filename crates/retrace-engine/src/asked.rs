//! What an organisation asks of this machine, as its hub said at the last sync: rules of findings that stay on, and what of
//! transcripts may be sent. Kept in a small file of the data directory, so that every feature reads the same; leaving the hub
//! removes it.

use crate::{Engine, keep};
use retrace_findings::OwnRules;
use retrace_wire::{ApiError, Code, show};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The file's name.
const FILE: &str = "asked.json";

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The hub that asks.
    pub by: String,
    /// When it did, in microseconds since 1970.
    pub at: i64,
    /// Rules of findings, or groups of them, that nobody switches off here.
    #[serde(default)]
    pub required_rules: Vec<String>,
    /// What of transcripts may be sent: `nothing`, `metadata` or `everything`.
    #[serde(default)]
    pub transcripts: String,
}

fn file(data_dir: &Path) -> PathBuf {
    data_dir.join(FILE)
}

/// What is asked of the machine with this data directory; `None` where no hub said anything.
///
/// # Errors
/// `internal` where the file cannot be read: what is asked is not guessed.
pub fn read(data_dir: &Path) -> Result<Option<Asked>, ApiError> {
    let path = file(data_dir);
    let Some(text) = keep::read(&path)? else { return Ok(None) };
    let unread =
        |_| ApiError::new(Code::Internal, say::not_understood(), show(&path)).hint(say::sync_again());
    serde_json::from_str(&text).map(Some).map_err(unread)
}

/// Settings of rules, and over them what is required of the machine with this data directory. Whatever looks for findings by rules
/// that somebody may switch off goes through here.
///
/// # Errors
/// As [`read`].
pub fn under(own: OwnRules, data_dir: &Path) -> Result<OwnRules, ApiError> {
    Ok(match read(data_dir)? {
        Some(asked) => own.under(&asked.by, &asked.required_rules),
        None => own,
    })
}

/// Keeps what is asked.
///
/// # Errors
/// `cannot_write`.
pub fn keep(engine: &Engine, asked: &Asked) -> Result<(), ApiError> {
    let text = serde_json::to_vec_pretty(asked)
        .map_err(|error| ApiError::new(Code::Internal, say::not_written(error.to_string()), FILE))?;
    keep::replace(engine, &file(&engine.options.data_dir), &text)
}

/// Forgets what was asked.
///
/// # Errors
/// `cannot_write`.
pub fn forget(engine: &Engine) -> Result<(), ApiError> {
    let path = file(&engine.options.data_dir);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(ApiError::new(Code::CannotWrite, say::not_written(error.to_string()), show(&path)))
        }
        _ => Ok(()),
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "asked";
    not_understood() => "What the hub asks of this machine cannot be read.",
    not_written(error) => "What the hub asks of this machine cannot be kept: {error}.",
    sync_again() => "Remove the file; `retrace sync` makes it again.",
}
