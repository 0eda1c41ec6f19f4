//! The one place where failures become what clients see: a code, a plain sentence, a hint and the thing concerned.

use crate::{ApiError, Code};
use retrace_files::{FileError, RootError};
use retrace_log::LogError;
use retrace_message::{AsMessage, Message};
use std::fmt;

/// Warning where something could not be compared with what was redacted.
pub fn key_lost() -> Message {
    say::key_lost()
}

/// Next step for the person.
pub fn key_lost_hint() -> Message {
    say::key_lost_hint()
}

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
    /// An error with the advice that fits every error of its code; none where only the message can say what to do.
    pub fn new(code: Code, message: impl Into<Message>, subject: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: next_step(code), subject: subject.into() }
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
            LogError::Newer { .. } => {
                Self::new(Code::DatabaseNewer, sentence, "").hint(say::install_newer_program_or_name())
            }
            LogError::Damaged(_) => {
                Self::new(Code::DatabaseDamaged, sentence, "").hint(say::left_copy_data_directory_away())
            }
            LogError::Replaced(_) => Self::new(Code::DatabaseDamaged, sentence, "")
                .hint(say::nothing_changed_copy_data_directory()),
            LogError::Busy => Self::new(Code::Busy, sentence, "").hint(say::try_again_moment_if_lasts()),
            LogError::Full => Self::new(Code::CannotWrite, say::disk_database_full(), "")
                .hint(say::nothing_changed_free_some_space()),
            LogError::CannotWrite(what) => {
                Self::new(Code::CannotWrite, say::data_directory_cannot_written(), what)
                    .hint(say::check_permissions_or_name_another())
            }
            LogError::CannotRead(what) => {
                Self::new(Code::CannotWrite, say::data_directory_cannot_read(), what)
                    .hint(say::check_permissions_or_name_another())
            }
            LogError::NotFound { what, name } => Self::new(Code::NotFound, no_such(what), name),
            LogError::Redacted(_) => Self::new(Code::ContentRedacted, say::content_redacted(), "")
                .hint(say::who_when_why_still_log()),
            LogError::KeptOut(path) => {
                Self::new(Code::ContentRedacted, say::content_holds_what_redacted(), path)
                    .hint(say::leave_out_repeat())
            }
            LogError::KeyLost(_) => {
                Self::new(Code::ContentRedacted, say::key_lost(), "redaction.key").hint(say::key_lost_hint())
            }
            LogError::NotKept(_) => Self::new(Code::Invalid, say::content_too_large_kept_only(), ""),
            LogError::Invalid(_) => Self::new(Code::Invalid, sentence, ""),
            LogError::Io { path, source } => {
                Self::new(Code::Internal, say::file_data_directory_failed(source), show(&path))
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
            RootError::Missing { .. } => (say::directory_not_exist(), say::check_path_or_mount_disk()),
            RootError::Denied { .. } => (say::directory_may_not_read(), say::check_permissions()),
            RootError::NotADirectory { .. } => (say::not_directory(), say::give_directory_memories()),
            RootError::Moved { .. } => {
                (say::another_directory_stands_where_stores(), say::if_stores_say_retrace_stores())
            }
            RootError::Io { .. } => (say::directory_could_not_opened(), say::check_directory_repeat()),
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
            | FileError::TooLarge { path, .. }
            | FileError::BelowAFile { path } => (Code::Invalid, path),
            FileError::Denied { path } | FileError::ReadOnly { path } | FileError::Io { path, .. } => {
                (Code::StoreUnavailable, path)
            }
        };
        let hint = match code {
            Code::HeadMoved => say::look_again_repeat(),
            Code::StoreUnavailable => say::check_permissions_stores_directory(),
            Code::CannotWrite => say::free_some_space_repeat(),
            _ => Message::default(),
        };
        Self::new(code, message, path.to_text()).hint(hint)
    }
}

/// What helps whatever the error of this code is about.
fn next_step(code: Code) -> Message {
    match code {
        Code::HeadMoved => say::look_again_repeat(),
        Code::StoreUnavailable => say::check_directory_repeat(),
        Code::CannotWrite => say::check_permissions_room_repeat(),
        Code::Busy => say::try_again_moment_if_lasts(),
        Code::Internal => say::repeat_and_report(),
        _ => Message::default(),
    }
}

/// An error as a sentence: upper case first, full stop last.
pub fn sentence(error: &(impl AsMessage + ?Sized)) -> Message {
    error.message().sentence()
}

/// An error of the operating system in the middle of a sentence, in its own words.
pub fn why(error: &std::io::Error) -> String {
    error.message().into_text()
}

/// The message for a thing that is not there, by its name in the log.
fn no_such(what: &str) -> Message {
    match what {
        "receipt" => say::no_such_receipt(),
        "review" => say::no_such_review(),
        "version" => say::no_such_version(),
        "mirrored store" => say::no_such_mirrored_store(),
        "memory" => say::no_such_memory(),
        "operation" => say::no_such_operation(),
        "store" => say::no_such_store(),
        _ => say::no_such(what),
    }
}

/// A path of this machine for people.
pub fn show(path: &std::path::Path) -> String {
    path.display().to_string()
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "failures";
    install_newer_program_or_name() => "Install the newer program, or name another data directory with --data-dir.",
    database_damaged() => "The database is damaged.",
    left_copy_data_directory_away() => "It was left as it is. Copy the data directory away, then run `retrace verify` on the copy, or start a new log with --data-dir; the live memories are not affected.",
    nothing_changed_copy_data_directory() => "Nothing was changed. Copy the data directory away, then put the log back from a copy. To go on with what is there: `retrace verify --accept-log`. A new log elsewhere: --data-dir.",
    try_again_moment_if_lasts() => "Try again in a moment. If it lasts, look for another Retrace that hangs.",
    disk_database_full() => "The disk with the database is full.",
    nothing_changed_free_some_space() => "Nothing was changed. Free some space and repeat.",
    data_directory_cannot_written() => "The data directory cannot be written.",
    data_directory_cannot_read() => "The data directory cannot be read.",
    check_permissions_or_name_another() => "Check its permissions, or name another with --data-dir.",
    no_such(what) => "There is no such {what}.",
    no_such_receipt() => "There is no such receipt.",
    no_such_review() => "There is no such review.",
    no_such_version() => "There is no such version.",
    no_such_mirrored_store() => "There is no such mirrored store.",
    no_such_operation() => "There is no such operation.",
    no_such_memory() => "There is no such memory.",
    no_such_store() => "There is no such store.",
    key_lost() => "The key of what was redacted is gone (redaction.key): what was redacted before is not known again.",
    key_lost_hint() => "Put `redaction.key` back into the data directory from a backup. If it is gone for good, `retrace verify --forget-lost-key` forgets what was redacted with it; it is kept out no more then.",
    content_redacted() => "The content was redacted.",
    who_when_why_still_log() => "Who, when and why are still in the log; the content is gone for good.",
    content_holds_what_redacted() => "The content holds what was redacted.",
    leave_out_repeat() => "Leave it out, and repeat.",
    content_too_large_kept_only() => "The content was too large to be kept; only its hash is known.",
    file_data_directory_failed(source) => "A file of the data directory failed: {source}.",
    directory_not_exist() => "The directory does not exist.",
    check_path_or_mount_disk() => "Check the path, or mount the disk it is on.",
    directory_may_not_read() => "The directory may not be read.",
    check_permissions() => "Check its permissions.",
    not_directory() => "This is not a directory.",
    give_directory_memories() => "Give the directory the memories are in.",
    another_directory_stands_where_stores() => "Another directory stands where the store's was. Nothing in it was read or written.",
    if_stores_say_retrace_stores() => "If it is the store's, say so: `retrace stores relocate STORE`. Otherwise put the store's back.",
    directory_could_not_opened() => "The directory could not be opened.",
    look_again_repeat() => "Look at it again and repeat.",
    check_permissions_stores_directory() => "Check the permissions of the store's directory.",
    check_directory_repeat() => "Check that its directory is there and may be read, and repeat.",
    check_permissions_room_repeat() => "Check its permissions and the room on its disk, and repeat.",
    repeat_and_report() => "Repeat it. If it fails again, report it with these words.",
    free_some_space_repeat() => "Free some space and repeat.",
}
