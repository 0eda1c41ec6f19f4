//! Summaries in the index file: the same fields, in postcard, which needs neither names nor text for numbers.

use retrace_message::Message;
use retrace_model::Timestamp;
use retrace_transcript::{
    Account, Format, MemoryWrite, MessageUse, ModelUse, ReadError, Session, Summary, Tokens,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// A summary as it is written: borrowed when writing, owned when read.
#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    format: Option<Format>,
    refusal: Option<Refusal>,
    session: Cow<'a, Session>,
    requests: u64,
    models: Vec<(Cow<'a, str>, u64, Tokens)>,
    peak_context: u64,
    compactions: u64,
    /// Microseconds since 1970, as the next.
    first_at: Option<i64>,
    last_at: Option<i64>,
    memory_writes: Cow<'a, [MemoryWrite]>,
    subagents: u64,
    account: Cow<'a, Account>,
    message_ids: Cow<'a, [MessageUse]>,
    model_names: Cow<'a, [String]>,
}

#[derive(Serialize, Deserialize)]
enum Refusal {
    Empty,
    Unrecognised(String),
}

impl From<&ReadError> for Refusal {
    fn from(error: &ReadError) -> Self {
        match error {
            ReadError::Empty => Self::Empty,
            ReadError::Unrecognised { looks_like } => Self::Unrecognised(looks_like.text().to_owned()),
        }
    }
}

impl From<Refusal> for ReadError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Empty => Self::Empty,
            Refusal::Unrecognised(looks_like) => {
                Self::Unrecognised { looks_like: Message::of_saved(&looks_like) }
            }
        }
    }
}

impl<'a> From<&'a Summary> for Stored<'a> {
    fn from(summary: &'a Summary) -> Self {
        let models = summary.models.iter();
        Self {
            format: summary.format,
            refusal: summary.refusal.as_ref().map(Refusal::from),
            session: Cow::Borrowed(&summary.session),
            requests: summary.requests,
            models: models.map(|(name, used)| (name.into(), used.requests, used.tokens)).collect(),
            peak_context: summary.peak_context,
            compactions: summary.compactions,
            first_at: summary.first_at.map(Timestamp::micros),
            last_at: summary.last_at.map(Timestamp::micros),
            memory_writes: Cow::Borrowed(&summary.memory_writes),
            subagents: summary.subagents,
            account: Cow::Borrowed(&summary.account),
            message_ids: Cow::Borrowed(&summary.message_ids),
            model_names: Cow::Borrowed(&summary.model_names),
        }
    }
}

impl From<Stored<'_>> for Summary {
    fn from(stored: Stored<'_>) -> Self {
        let models = stored.models.into_iter();
        Self {
            format: stored.format,
            refusal: stored.refusal.map(ReadError::from),
            session: stored.session.into_owned(),
            requests: stored.requests,
            models: models
                .map(|(name, requests, tokens)| (name.into_owned(), ModelUse { requests, tokens }))
                .collect(),
            peak_context: stored.peak_context,
            compactions: stored.compactions,
            first_at: stored.first_at.map(Timestamp::from_micros),
            last_at: stored.last_at.map(Timestamp::from_micros),
            memory_writes: stored.memory_writes.into_owned(),
            subagents: stored.subagents,
            account: stored.account.into_owned(),
            message_ids: stored.message_ids.into_owned(),
            model_names: stored.model_names.into_owned(),
        }
    }
}

#[allow(clippy::ref_option)] // serde calls it so
pub(crate) fn serialize<S: Serializer>(summary: &Option<Summary>, serializer: S) -> Result<S::Ok, S::Error> {
    summary.as_ref().map(Stored::from).serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Summary>, D::Error> {
    Ok(Option::<Stored<'static>>::deserialize(deserializer)?.map(Summary::from))
}
