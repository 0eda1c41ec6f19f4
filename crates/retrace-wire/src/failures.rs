//! The one place where failures become what clients see: a code, a plain sentence, a hint and the thing concerned.

use crate::{ApiError, Code};
use retrace_files::{FileError, RootError};
use retrace_log::LogError;
use retrace_message::Message;
use std::fmt;

/// Warning where something could not be compared with what was redacted.
pub const KEY_LOST: &str =
    "The key of what was redacted is gone (redaction.key): what was redacted before is not known again.";

/// Next step for the person.
pub const KEY_LOST_HINT: &str = "Put `redaction.key` back into the data directory from a backup. If it is gone for good, \
     `retrace verify --forget-lost-key` forgets what was redacted with it; it is kept out no more then.";

impl Code {
    /// Every code.
    pub const ALL: [Self; 16] = [
        Self::Invalid,
        Self::NotFound,
        Self::HeadMoved,
        Self::BeforeRecording,
        Self::StoreUnavailable,
        Self::ContentRedacted,
        Self::PurgePending,
        Self::DatabaseNewer,
        Self::DatabaseDamaged,
        Self::CannotWrite,
        Self::NotRecorded,
        Self::Busy,
        Self::CounterUnavailable,
        Self::KeyRefused,
        Self::HostLimited,
        Self::Internal,
    ];

    /// Exit code of the terminal program.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Internal | Self::DatabaseDamaged | Self::CannotWrite | Self::NotRecorded => 1,
            Self::Invalid => 2,
            Self::NotFound | Self::ContentRedacted => 3,
            // The request does not fit the present state: it moved on, is in use, or was not recorded yet.
            Self::HeadMoved | Self::BeforeRecording | Self::Busy => 4,
            Self::PurgePending => 6,
            Self::StoreUnavailable | Self::KeyRefused | Self::HostLimited => 7,
            Self::DatabaseNewer => 8,
            Self::CounterUnavailable => 9,
        }
    }

    /// Status of the HTTP answer.
    #[must_use]
    pub const fn http_status(self) -> u16 {
        match self {
            Self::Invalid => 400,
            Self::NotFound => 404,
            Self::HeadMoved | Self::BeforeRecording | Self::PurgePending => 409,
            Self::ContentRedacted => 410,
            Self::StoreUnavailable
            | Self::Busy
            | Self::CounterUnavailable
            | Self::KeyRefused
            | Self::HostLimited => 503,
            Self::DatabaseNewer | Self::DatabaseDamaged | Self::Internal => 500,
            Self::CannotWrite | Self::NotRecorded => 507,
        }
    }
}

impl ApiError {
    /// An error without a hint.
    pub fn new(code: Code, message: impl Into<Message>, subject: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: Message::default(), subject: subject.into() }
    }

    /// A request that makes no sense as it stands.
    pub fn invalid(message: impl Into<Message>, subject: impl Into<String>) -> Self {
        Self::new(Code::Invalid, message, subject)
    }

    /// The same, with advice.
    pub fn hint(mut self, hint: impl Into<Message>) -> Self {
        self.hint = hint.into();
        self
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message.fmt(f)
    }
}

impl std::error::Error for ApiError {}

impl From<LogError> for ApiError {
    fn from(error: LogError) -> Self {
        let sentence = sentence(&error);
        match error {
            LogError::Newer { .. } => Self::new(Code::DatabaseNewer, sentence, "")
                .hint("Install the newer program, or name another data directory with --data-dir."),
            LogError::Damaged(what) => Self::new(Code::DatabaseDamaged, "The database is damaged.", what).hint(
                "It was left as it is. Copy the data directory away, then run `retrace verify` on the copy, \
                 or start a new log with --data-dir; the live memories are not affected.",
            ),
            LogError::Replaced(_) => Self::new(Code::DatabaseDamaged, sentence, "").hint(
                "Nothing was changed. Copy the data directory away, then put the log back from a copy. To go on with what is \
                 there: `retrace verify --accept-log`. A new log elsewhere: --data-dir.",
            ),
            LogError::Busy => Self::new(Code::Busy, "Another process is using the database.", "")
                .hint("Try again in a moment. If it lasts, look for another Retrace that hangs."),
            LogError::Full => Self::new(Code::CannotWrite, "The disk with the database is full.", "")
                .hint("Nothing was changed. Free some space and repeat."),
            LogError::CannotWrite(what) => Self::new(Code::CannotWrite, "The data directory cannot be written.", what)
                .hint("Check its permissions, or name another with --data-dir."),
            LogError::NotFound { what, name } => Self::new(Code::NotFound, format!("There is no such {what}."), name),
            LogError::Redacted(_) => Self::new(Code::ContentRedacted, "The content was redacted.", "")
                .hint("Who, when and why are still in the log; the content is gone for good."),
            LogError::KeptOut(path) => {
                Self::new(Code::ContentRedacted, "The content holds what was redacted.", path)
                    .hint("Leave it out, and repeat.")
            }
            LogError::KeyLost(_) => {
                Self::new(Code::ContentRedacted, KEY_LOST, "redaction.key").hint(KEY_LOST_HINT)
            }
            LogError::NotKept(_) => {
                Self::new(Code::Invalid, "The content was too large to be kept; only its hash is known.", "")
            }
            LogError::Invalid(_) => Self::new(Code::Invalid, sentence, ""),
            LogError::Io { path, source } => {
                Self::new(Code::Internal, format!("A file of the data directory failed: {source}."), show(&path))
            }
            LogError::Sqlite(_) => Self::new(Code::Internal, sentence, ""),
        }
    }
}

impl From<RootError> for ApiError {
    fn from(error: RootError) -> Self {
        let path = match &error {
            RootError::Missing { path }
            | RootError::Denied { path }
            | RootError::NotADirectory { path }
            | RootError::Moved { path }
            | RootError::Io { path, .. } => show(path),
        };
        let (message, hint) = match &error {
            RootError::Missing { .. } => {
                ("The directory does not exist.", "Check the path, or mount the disk it is on.")
            }
            RootError::Denied { .. } => ("The directory may not be read.", "Check its permissions."),
            RootError::NotADirectory { .. } => {
                ("This is not a directory.", "Give the directory the memories are in.")
            }
            RootError::Moved { .. } => (
                "Another directory stands where the store's was. Nothing in it was read or written.",
                "If it is the store's, say so: `retrace stores relocate STORE`. Otherwise put the store's back.",
            ),
            RootError::Io { .. } => ("The directory could not be opened.", ""),
        };
        Self::new(Code::StoreUnavailable, message, path).hint(hint)
    }
}

impl From<FileError> for ApiError {
    fn from(error: FileError) -> Self {
        let message = sentence(&error);
        let (code, path) = match &error {
            FileError::Missing { path } => (Code::NotFound, path),
            FileError::Moved { path, .. } | FileError::Unstable { path } => (Code::HeadMoved, path),
            FileError::Full { path } => (Code::CannotWrite, path),
            FileError::Link { path }
            | FileError::IsDirectory { path }
            | FileError::NotAFile { path, .. }
            | FileError::BelowAFile { path } => (Code::Invalid, path),
            FileError::Denied { path } | FileError::ReadOnly { path } | FileError::Io { path, .. } => {
                (Code::StoreUnavailable, path)
            }
        };
        let hint = match code {
            Code::HeadMoved => "Look at it again and repeat.",
            Code::StoreUnavailable => "Check the permissions of the store's directory.",
            Code::CannotWrite => "Free some space and repeat.",
            _ => "",
        };
        Self::new(code, message, path.to_text()).hint(hint)
    }
}

/// An error's text as a sentence: upper case first, full stop last. A text that begins with anything but a plain word, such as
/// a quoted name or the path of a field, keeps its case: a name in another case is another name.
pub fn sentence(error: &dyn fmt::Display) -> String {
    let text = error.to_string();
    let first = text.split_whitespace().next().unwrap_or_default();
    let plain =
        text.starts_with(first) && first.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'\'');
    let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    match text.split_at_checked(1) {
        Some((letter, rest)) if plain => format!("{}{rest}{stop}", letter.to_ascii_uppercase()),
        _ => format!("{text}{stop}"),
    }
}

/// A path of this machine for people.
pub fn show(path: &std::path::Path) -> String {
    path.display().to_string()
}
