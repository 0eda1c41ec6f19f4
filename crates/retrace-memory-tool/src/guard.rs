//! What keeps sensitive text out of memory. What is sensitive is the caller's to say.

use std::str::FromStr;
use thiserror::Error;

/// Finds sensitive text.
pub trait Guard: Send + Sync {
    /// What was found in `text`, one short description each. A description never holds the text it describes.
    fn findings(&self, text: &str) -> Vec<String>;
}

/// What happens to a write that adds something sensitive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GuardMode {
    /// It is written, and nothing is looked for.
    #[default]
    Off,
    /// It is written, and the answer says what was found.
    Warn,
    /// It is not written.
    Refuse,
}

/// A word that names no mode.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is not one of: off, warn, refuse")]
pub struct UnknownGuardMode(pub String);

impl FromStr for GuardMode {
    type Err = UnknownGuardMode;

    fn from_str(text: &str) -> Result<Self, UnknownGuardMode> {
        match text {
            "off" => Ok(Self::Off),
            "warn" => Ok(Self::Warn),
            "refuse" => Ok(Self::Refuse),
            other => Err(UnknownGuardMode(other.to_owned())),
        }
    }
}

/// Of what is found after an edit, what was not there before: each description as often as it was added.
pub(crate) fn added(guard: &dyn Guard, before: &str, after: &str) -> Vec<String> {
    let mut added = guard.findings(after);
    if added.is_empty() {
        return added;
    }
    for known in guard.findings(before) {
        if let Some(at) = added.iter().position(|found| *found == known) {
            added.remove(at);
        }
    }
    added
}
