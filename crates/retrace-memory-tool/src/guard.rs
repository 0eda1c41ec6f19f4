//! Keeps sensitive text out of memory. What is sensitive is the caller's to say.

use retrace_message::AsMessage;
use std::str::FromStr;
use thiserror::Error;

/// Finds sensitive text.
pub trait Guard: Send + Sync {
    /// Findings in `text`, in its order.
    fn findings(&self, text: &str) -> Vec<Sensitive>;
}

/// Something sensitive in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sensitive {
    /// Short description. It never holds the text it describes, since it goes to the model.
    pub what: String,
    /// Tells it apart from others of the same description: a hash of the text, say.
    pub mark: u64,
}

/// Treatment of a write that adds something sensitive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GuardMode {
    /// It is written, and nothing is searched for.
    #[default]
    Off,
    /// It is written, and the answer says what was found.
    Warn,
    /// It is not written.
    Refuse,
}

/// A word that names no mode.
#[derive(Clone, Debug, PartialEq, Eq, Error, AsMessage)]
#[message("guard")]
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

/// Descriptions of what is found after an edit and was not there before. What replaces something of the same kind is new.
pub(crate) fn added(guard: &dyn Guard, before: &str, after: &str) -> Vec<String> {
    let mut added = guard.findings(after);
    if added.is_empty() {
        return Vec::new();
    }
    for known in guard.findings(before) {
        if let Some(at) = added.iter().position(|found| *found == known) {
            added.remove(at);
        }
    }
    added.into_iter().map(|found| found.what).collect()
}
