//! Differences.

use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks for the difference between two contents or two states of a store. Forms: `memver_…`, `STORE:PATH` (live),
/// `STORE:PATH@TIME`, `STORE` (live), `STORE@TIME`, where TIME is RFC 3339 or an operation's number. Where a memory of exactly the
/// whole name is or was, that one is meant and nothing of it is a time.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct DiffReq {
    /// The older side. A version alone is compared with the version before it; a live file against its newest version.
    pub a: String,
    /// The newer side.
    #[serde(default)]
    pub b: Option<String>,
    /// Mark changed words within changed lines.
    #[serde(default)]
    pub words: bool,
    /// Unchanged lines around each change; 3 when absent.
    #[serde(default)]
    pub context: Option<u32>,
    /// Colour spans as in a document.
    #[serde(default)]
    pub highlight: bool,
}

/// A difference.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(untagged)]
pub enum DiffResult {
    /// Between two contents.
    File(FileDiff),
    /// Between two states of a store.
    Store(StoreDiff),
}

/// One side of a difference.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct DiffSide {
    /// Requested target.
    pub target: String,
    /// `memstore_…`
    pub store_id: Option<String>,
    /// The version, where the side is one.
    pub version_id: Option<String>,
    /// Path.
    pub path: Option<String>,
    /// Hash; null when there is nothing there.
    pub content_sha256: Option<String>,
    /// Size in bytes; null when there is nothing there.
    pub content_size_bytes: Option<u64>,
    /// True when the content was redacted. Only the predecessor of a version asked for alone can be: the version is then
    /// shown whole, every line as added.
    pub redacted: bool,
}

/// The difference between two contents.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct FileDiff {
    /// False where both sides are versions, which only a redaction changes.
    #[serde(default)]
    pub live: bool,
    /// Older side.
    pub from: DiffSide,
    /// Newer side.
    pub to: DiffSide,
    /// True when the deadline was hit: the difference is right but may not be the smallest.
    pub truncated: bool,
    /// True when a side is not text: no hunks then.
    pub binary: bool,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// The changes with their surroundings.
    pub hunks: Vec<Hunk>,
}

/// One change with its surroundings.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Hunk {
    /// First line on the older side.
    pub old_start: u32,
    /// Lines on the older side.
    pub old_lines: u32,
    /// First line on the newer side.
    pub new_start: u32,
    /// Lines on the newer side.
    pub new_lines: u32,
    /// The lines.
    pub lines: Vec<DiffLine>,
}

/// One line of a difference.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct DiffLine {
    /// `equal`, `insert` or `delete`.
    pub tag: super::LineTag,
    /// Line number on the older side.
    pub old: Option<u32>,
    /// Line number on the newer side.
    pub new: Option<u32>,
    /// Text without its line end.
    pub text: String,
    /// Changed stretches: start, end.
    pub words: Vec<(u32, u32)>,
    /// Characters a reader would not see.
    pub hidden: Vec<Hidden>,
    /// Colour: start, end, class.
    pub spans: Vec<(u32, u32, String)>,
    /// True on a last line without a line feed.
    pub no_newline: bool,
    /// True when the line ends in carriage return and line feed.
    pub carriage_return: bool,
}

/// A character or stretch that a reader would not see.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Hidden {
    /// Where it starts.
    pub at: u32,
    /// Number of characters it covers.
    pub length: u32,
    /// Its name: `U+200B`, `0xE9` for a byte that is not UTF-8, `<!--` for a comment.
    pub code: String,
    /// Its sort: `zero_width`, `bidi_control`, `tag`, `soft_hyphen`, `control`, `html_comment`, `invalid_byte`, …
    pub kind: super::HiddenKind,
}

/// The difference between two states of a store.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct StoreDiff {
    /// Older side.
    pub from: DiffSide,
    /// Newer side.
    pub to: DiffSide,
    /// Files that differ, by path.
    pub files: Vec<FileChange>,
    /// Blocks of lines that went from one file to another.
    pub moves: Vec<MovedBlock>,
    /// What is not known of a side, each a sentence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub warnings: Vec<Message>,
}

/// One file that differs.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct FileChange {
    /// Path on the newer side, or on the older where it is gone.
    pub path: String,
    /// Path on the older side, where the memory moved.
    pub previous_path: Option<String>,
    /// `created`, `modified` or `deleted`.
    pub operation: super::VersionOperation,
    /// Hash on the older side.
    pub from_sha256: Option<String>,
    /// Hash on the newer side.
    pub to_sha256: Option<String>,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// True when a side is not text.
    pub binary: bool,
}

/// A block of lines that went from one file to another.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct MovedBlock {
    /// From which file.
    pub from_path: String,
    /// First line there.
    pub from_line: u32,
    /// To which file.
    pub to_path: String,
    /// First line there.
    pub to_line: u32,
    /// Number of lines.
    pub lines: u32,
}
