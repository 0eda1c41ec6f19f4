//! Why a setting is refused.

use retrace_message::{AsMessage, Message};
use thiserror::Error;

/// Why a setting is refused, as the API's 400 would say it: `path: message`.
#[derive(Clone, Debug, PartialEq, Eq, Error, AsMessage)]
#[message("setting")]
#[error("{path}: {message}")]
pub struct SettingError {
    /// Where, such as `context_management.edits.0.clear_tool_uses_20250919.keep.value`.
    pub path: String,
    /// Message.
    pub message: Message,
}

impl SettingError {
    /// From its parts.
    pub(super) fn new(path: impl Into<String>, message: Message) -> Self {
        Self { path: path.into(), message }
    }
}
