//! Token counts of texts.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Kind of a figure. Every figure carries its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub enum FigureKind {
    /// The API reported it when the call was made.
    #[serde(rename = "recorded")]
    Recorded,
    /// `count_tokens` answered it.
    #[serde(rename = "exact")]
    Exact,
    /// Counted here, offline.
    #[serde(rename = "counted offline")]
    CountedOffline,
    /// Estimated, with a range.
    #[serde(rename = "estimated")]
    Estimated,
}

/// Counts texts.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct TokensReq {
    /// Texts to count, by name.
    pub texts: Vec<NamedText>,
    /// Model id; the newest family when absent.
    #[serde(default)]
    pub model: Option<String>,
}

/// A text with its name.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct NamedText {
    /// File or other name; returned as `file`.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Counts, in the order asked.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Tokens {
    /// One a text.
    pub counts: Vec<TokenCount>,
}

/// Tokens of one text.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TokenCount {
    /// Name as given.
    pub file: String,
    /// Model as given or assumed.
    pub model: String,
    /// Tokenizer family: `v3`, `v4.7`, `v4.8`, `opus-5`; `o200k`, `cl100k`; `other` where it is not known.
    pub family: String,
    /// True if the family was assumed because the model is not known.
    pub family_assumed: bool,
    /// Tokens of the content, without the frame of a message.
    pub tokens: u64,
    /// Kind of the figure.
    pub kind: FigureKind,
    /// Believed bounds, ends included, where it is estimated.
    #[serde(default)]
    pub range: Option<(u64, u64)>,
}
