//! Background work of the desktop app: the tray, and notifications.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Settings of a person. Kept in the data directory; what a file leaves out is as in a new one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct DesktopSettings {
    /// Closing the window leaves the app in the tray, where it goes on recording. Without a tray it ends all the same.
    pub keep_in_tray: bool,
    /// One message for each session that wrote memory, once it has been quiet for a while.
    pub digests: bool,
    /// A message at once for a secret, a mass delete or hidden text.
    pub alarms: bool,
    /// Language of the tray and of messages, as the window has it: a language tag. As the system when null.
    pub language: Option<String>,
}

impl Default for DesktopSettings {
    /// Closing ends, as with most programs; messages come.
    fn default() -> Self {
        Self { keep_in_tray: false, digests: true, alarms: true, language: None }
    }
}

/// Settings of a person, and what this desktop can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DesktopState {
    /// Settings.
    pub settings: DesktopSettings,
    /// True if the desktop shows a tray at present.
    pub tray: bool,
    /// True if this process was told to pause recording, in the tray.
    pub paused: bool,
    /// Why messages cannot be shown, in the system's words; null when they can, or when none was tried.
    pub messages_problem: Option<String>,
}
