//! Errors as clients see them.

use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Why a command was refused or failed. A code exists because some client branches on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The request makes no sense as it stands.
    Invalid,
    /// The thing named does not exist.
    NotFound,
    /// The file or the memory moved on since the caller looked.
    HeadMoved,
    /// The time asked for lies before the store was recorded, so that its state then is not known.
    BeforeRecording,
    /// The store's directory is missing or may not be used.
    StoreUnavailable,
    /// The content asked for was redacted.
    ContentRedacted,
    /// A redaction is done but its bytes are not yet purged from the files.
    PurgePending,
    /// The database was written by a newer program.
    DatabaseNewer,
    /// The database is damaged.
    DatabaseDamaged,
    /// The data directory refuses to be read, or it or the disk refuses to be written.
    CannotWrite,
    /// Files were changed, the log could not take it, and they could not be put back.
    NotRecorded,
    /// Another process holds the database.
    Busy,
    /// Exact counts are unavailable: no key, no answer, or the endpoint refuses.
    CounterUnavailable,
    /// A host has no key or refuses the one it has: another key may help.
    KeyRefused,
    /// A host takes no more calls for now: waiting helps.
    HostLimited,
    /// A bug or a failing machine.
    Internal,
}

/// An error: what happened, to what, and what to do next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "ErrorForm", into = "ErrorForm")]
pub struct ApiError {
    /// For programs.
    pub code: Code,
    /// One plain sentence.
    pub message: Message,
    /// Next step; empty when there is nothing to advise.
    pub hint: Message,
    /// The thing concerned: a path, an id, a field. Never a secret.
    pub subject: String,
}

/// An error: what happened, to what, and what to do next.
#[derive(Clone, Serialize, Deserialize, TS)]
#[ts(rename = "ApiError")]
pub struct ErrorForm {
    /// For programs.
    code: Code,
    /// One plain sentence, in English.
    message: String,
    /// What to do next, in English; empty when there is nothing to advise.
    hint: String,
    /// The thing concerned: a path, an id, a field. Never a secret.
    subject: String,
    /// Sentence and advice with their ids, for other languages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    messages: Option<ErrorMessages>,
}

/// The sentence and the advice of an error, with their ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ErrorMessages {
    /// What happened.
    pub message: Message,
    /// What to do next.
    pub hint: Message,
}

impl From<ErrorForm> for ApiError {
    fn from(form: ErrorForm) -> Self {
        let (message, hint) = form.messages.map_or_else(
            || (Message::verbatim(form.message), Message::verbatim(form.hint)),
            |messages| (messages.message, messages.hint),
        );
        Self { code: form.code, message, hint, subject: form.subject }
    }
}

impl From<ApiError> for ErrorForm {
    fn from(error: ApiError) -> Self {
        let messages = (!retrace_message::is_as_text())
            .then(|| ErrorMessages { message: error.message.clone(), hint: error.hint.clone() });
        Self {
            code: error.code,
            message: error.message.into_text(),
            hint: error.hint.into_text(),
            subject: error.subject,
            messages,
        }
    }
}
