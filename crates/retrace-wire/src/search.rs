//! Full-text search.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Searches for words. Every word must occur (as the beginning of a word, case folded) in the content.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct SearchReq {
    /// The words.
    pub query: String,
    /// Look through all versions instead of the live memories: each hit is a version that brought the words in.
    #[serde(default)]
    pub history: bool,
    /// Only this store, id or name.
    #[serde(default)]
    pub store: Option<String>,
    /// At most so many hits; 100 when absent, 1,000 at most.
    #[serde(default)]
    pub limit: Option<u64>,
}

/// Result of a search.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SearchResult {
    /// Hits, newest first.
    pub hits: Vec<Hit>,
    /// True when there are more than asked for.
    pub more: bool,
}

/// One place where the words occur.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Hit {
    /// `memstore_…`
    pub store_id: String,
    /// `mem_…`
    pub memory_id: String,
    /// `memver_…`
    pub version_id: String,
    /// Path of that version.
    pub path: Option<String>,
    /// Line of the best match.
    pub line: u32,
    /// Text of that line, cut to about 160 characters around the match.
    pub snippet: String,
    /// Matches in the snippet: start, end.
    pub matches: Vec<(u32, u32)>,
    /// When the version was recorded.
    pub created_at: String,
    /// Act of a person that put back with it what was written before.
    #[serde(default)]
    pub put_back: Option<super::PutBack>,
}
