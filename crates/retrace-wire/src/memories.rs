//! Live memories, and content as a screen shows it.

use crate::ContentKind;
use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks for the memories of a store.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct MemoriesReq {
    /// Store, id or name.
    pub store: String,
    /// As of this instant or operation (RFC 3339, or an operation's number); now when absent.
    #[serde(default)]
    pub at: Option<String>,
    /// Only memories of this kind, as in `InboxReq`; all when absent.
    #[serde(default)]
    pub kind: Option<String>,
}

/// The memories of a store, by path.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Memories {
    /// One row a memory.
    pub memories: Vec<Memory>,
    /// What is not known of the instant, each a sentence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub warnings: Vec<Message>,
}

/// One memory.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Memory {
    /// `mem_…`
    pub id: String,
    /// Its path; null when its newest version is redacted and the file is gone.
    pub path: Option<String>,
    /// Its newest version, `memver_…`.
    pub version_id: String,
    /// Place of that version in the log.
    pub seq: u64,
    /// Hash of its content; null when redacted.
    pub content_sha256: Option<String>,
    /// Size in bytes; null when redacted.
    pub content_size_bytes: Option<u64>,
    /// `text`, `binary`, `too_large`; null when redacted.
    pub content_kind: Option<super::ContentKind>,
    /// Number of its versions.
    pub versions: u64,
    /// When it last changed.
    pub changed_at: String,
    /// Kind of the memory.
    pub kind: super::MemoryKind,
}

/// Names one content: a version, a file as it is on disk, or a memory at an instant. The same forms as in the terminal:
/// `memver_…`, `STORE:PATH` (live), `STORE:PATH@TIME` (TIME is RFC 3339 or an operation's number). Where a memory of exactly the
/// whole name is or was, that one is meant and nothing of it is a time.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct DocumentReq {
    /// The content.
    pub target: String,
    /// True if colour spans are wanted.
    #[serde(default)]
    pub highlight: bool,
}

/// A content, ready to be shown: no line carries markup, hidden characters are named.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Document {
    /// False where it is a version, which only a redaction changes.
    #[serde(default)]
    pub live: bool,
    /// Its version, where the log has it.
    pub version: Option<super::Version>,
    /// Path.
    pub path: Option<String>,
    /// Hash of the raw bytes.
    pub content_sha256: Option<String>,
    /// Size in bytes.
    pub content_size_bytes: Option<u64>,
    /// `text`, `binary`, `too_large` or `redacted`.
    pub kind: ContentKind,
    /// Lines; empty unless text.
    pub lines: Vec<DocumentLine>,
    /// True when not all lines are given (more than 100,000).
    pub truncated: bool,
    /// Of an index that agents load only up to a limit: where that is; null when all of it is loaded.
    #[serde(default)]
    pub cut: Option<super::IndexCut>,
}

/// One line of a content.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct DocumentLine {
    /// Text without its line end.
    pub text: String,
    /// Colour: start, end, class.
    pub spans: Vec<(u32, u32, String)>,
    /// Characters a reader would not see.
    pub hidden: Vec<super::Hidden>,
}
