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
    /// A message at once for a secret, a mass delete, hidden text or a broken rule.
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

/// A look at what the tray and messages need.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DesktopLookReq {
    /// Quiet time of a session before its digest, in milliseconds, if it is not the usual one. The first look decides.
    #[serde(default)]
    pub quiet_ms: Option<u64>,
}

/// What the tray shows, and which messages are due. Between the window and its program alone.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DesktopLook {
    /// Settings of the person.
    pub settings: DesktopSettings,
    /// Changes that nobody looked at.
    pub unreviewed: u64,
    /// When memory was written last; null when it never was.
    pub last_write: Option<String>,
    /// Messages to show now.
    pub notices: Vec<Notice>,
    /// A next message may be due after so many milliseconds; null when none is waited for.
    pub next_ms: Option<u64>,
}

/// Kind of alarm that is sent at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlarmKind {
    /// Something looks like a secret.
    Secret,
    /// Many memories were deleted in one go.
    MassDelete,
    /// Text that a person does not see.
    HiddenText,
}

impl AlarmKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Secret, Self::MassDelete, Self::HiddenText];

    /// By the rule of a finding; `None` for rules that can wait.
    #[must_use]
    pub fn of_rule(rule: &str) -> Option<Self> {
        match rule.split_once('/')? {
            ("secret", _) | ("events", "redacted-back") => Some(Self::Secret),
            ("events", "mass-delete") => Some(Self::MassDelete),
            // Single signs of no harm, such as a soft hyphen; nothing can be said with them.
            ("hidden", "other") => None,
            ("hidden", _) => Some(Self::HiddenText),
            _ => None,
        }
    }
}

/// A message. Texts from memories and transcripts in it are on one line, short, and hold no sign that is not seen; they may
/// still hold what a desktop takes for markup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    /// Something to look at now.
    Alarm {
        /// Kind.
        kind: AlarmKind,
        /// Where it was found first; `None` for a path that is redacted.
        path: Option<String>,
        /// In so many memories more.
        more: u64,
    },
    /// A session broke a rule: one message for each rule and session.
    Broken {
        /// The rule's sentence.
        sentence: String,
        /// The call or the path that broke it.
        what: String,
        /// Title of the session, where it has one.
        title: Option<String>,
        /// True if the rule was before the model; `None` where the session does not tell.
        present: Option<bool>,
    },
    /// Writes of a session, or of an unknown writer.
    Digest {
        /// Title of the session; `None` where no session is known, or it has none.
        title: Option<String>,
        /// True if a session is known.
        session: bool,
        /// Memories that changed.
        memories: u64,
        /// The first of their paths, newest first.
        paths: Vec<String>,
    },
}
