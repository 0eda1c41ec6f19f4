//! What the lines hold.

use crate::wire::{ApiError, Event};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::path::PathBuf;

/// Names of requests beside those of the table of commands. No command has such a name.
pub mod ask {
    /// What the tray and messages need to know. Request: [`crate::wire::DesktopLookReq`]; answer: [`crate::wire::DesktopLook`].
    pub const LOOK: &str = "window/look";
    /// Settings of the desktop. Answer: [`crate::wire::DesktopSettings`].
    pub const SETTINGS: &str = "window/settings";
    /// Keeps them. Request: [`crate::wire::DesktopSettings`]; answer: the same.
    pub const SET_SETTINGS: &str = "window/set_settings";
    /// Stops recording in the program or goes on with it. Request and answer: [`super::Recording`].
    pub const RECORD: &str = "window/record";
}

/// The first line of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Its version.
    pub version: String,
    /// Where the log is; null where that cannot be told, and every request is answered with why.
    pub data_dir: Option<PathBuf>,
}

/// Whether the program records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recording {
    /// True if it was told not to.
    pub paused: bool,
}

/// A line to the program.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) request: Value,
}

/// A line of the program, with answers as they are written.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Line {
    Hello(Hello),
    Answer { id: u64, answer: Box<RawValue> },
    Error { id: u64, error: ApiError },
    Event(Event),
}
