//! History from before the app was there, and who wrote each line.

use super::{ActorView, OriginNote};
use crate::{ContentKind, ExportKind, ImportSource};
use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks for the history that git kept.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ImportGitReq {
    /// A directory that git keeps, or that lies in one.
    pub directory: String,
    /// A directory or file below it; the directory itself when absent. `/` between parts.
    #[serde(default)]
    pub path: Option<String>,
    /// The store it belongs to, id or name; the one whose directory it is, or lies in, when absent.
    #[serde(default)]
    pub store: Option<String>,
    /// Only say what would come in.
    #[serde(default)]
    pub dry_run: bool,
    /// Name to stop it by, with `cancel`, and of its progress.
    #[serde(default)]
    pub job: Option<String>,
}

/// Asks for what the transcripts of this machine's agents tell of a store, the copies Claude Code kept among it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ImportTranscriptsReq {
    /// Store, id or name.
    pub store: String,
    /// Only say what would come in.
    #[serde(default)]
    pub dry_run: bool,
    /// Name to stop it by, with `cancel`, and of its progress.
    #[serde(default)]
    pub job: Option<String>,
}

/// Asks for what a bundle holds.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ImportBundleReq {
    /// The file.
    pub file: String,
    /// The store it belongs to, id or name; the one of the name in the bundle when absent.
    #[serde(default)]
    pub store: Option<String>,
    /// Only say what would come in.
    #[serde(default)]
    pub dry_run: bool,
    /// Name to stop it by, with `cancel`, and of its progress.
    #[serde(default)]
    pub job: Option<String>,
}

/// Result of an import, or its preview with `dry_run`. It is one operation, which `undo` takes back.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ImportResult {
    /// Nothing was brought in.
    pub dry_run: bool,
    /// The operation; null when there was nothing new.
    pub operation_seq: Option<u64>,
    /// `git`, `transcripts` or `bundle`.
    pub from: ImportSource,
    /// `memstore_…`
    pub store_id: String,
    /// Its name.
    pub store: String,
    /// Versions the source tells of.
    pub found: u64,
    /// Versions that came in.
    pub versions: u64,
    /// Memories that got any.
    pub memories: u64,
    /// Left out: rebuilt already, or redacted since.
    pub known: u64,
    /// Left out: the memory was observed by then.
    pub observed: u64,
    /// Left out: the same as the version before it, or the recorder saw the change itself.
    pub unchanged: u64,
    /// Versions that were redacted or hold what was: those of `redacted_files`, which come in with `[redacted]` in its
    /// place or are in the log redacted, and `redacted_paths`.
    #[serde(default)]
    pub redacted: u64,
    /// Left out: the path holds what was redacted.
    #[serde(default)]
    pub redacted_paths: u64,
    /// The files whose versions hold it, those with most versions first.
    #[serde(default)]
    pub redacted_files: Vec<ImportedFile>,
    /// When the first of those found was.
    pub first_at: Option<String>,
    /// When the last of those found was.
    pub last_at: Option<String>,
    /// The files found, those with most versions first; 200 at most.
    pub files: Vec<ImportedFile>,
    /// Content that could not be brought in, and why, each a sentence.
    pub warnings: Vec<Message>,
}

/// A file that an import found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ImportedFile {
    /// Its path in the store, the last where it moved.
    pub path: String,
    /// Versions found.
    pub versions: u64,
}

/// Asks to write a store, or its history, elsewhere.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ExportStoreReq {
    /// Store, id or name.
    pub store: String,
    /// As of this operation or time; now when absent. Not with a bundle.
    #[serde(default)]
    pub at: Option<String>,
    /// The time lies before recording began: export what imported history knows of it.
    #[serde(default)]
    pub from_imported: bool,
    /// A new or empty directory, for the files; or a new file, whose name ends in `.retrace`, for a bundle of the whole
    /// history.
    pub to: String,
}

/// Exported store.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ExportedStore {
    /// `files` or `bundle`.
    pub kind: ExportKind,
    /// Where.
    pub to: String,
    /// Files or versions written.
    pub written: u64,
    /// Bytes written.
    pub bytes: u64,
    /// Content that was left out, and why, each a sentence.
    pub warnings: Vec<Message>,
}

/// Asks who wrote each line of a text.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct BlameReq {
    /// `STORE:PATH`, `STORE:PATH@TIME`, or `memver_…`. Where a memory of exactly the whole name is or was, that one is meant.
    pub target: String,
    /// Name to stop it by, with `cancel`, and of its progress.
    #[serde(default)]
    pub job: Option<String>,
}

/// Who wrote each line of a text.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Blame {
    /// False where it is of a version, which only a redaction changes.
    #[serde(default)]
    pub live: bool,
    /// Requested target.
    pub target: String,
    /// The version that is blamed; null where the file on disk is not recorded as it is.
    pub version_id: Option<String>,
    /// Path.
    pub path: Option<String>,
    /// `text`, `binary`, `redacted` or `too_large`; only text has lines.
    pub kind: ContentKind,
    /// The lines, each with the place in `versions` of the version that brought it in.
    pub lines: Vec<BlameLine>,
    /// The versions that lines come from, newest first.
    pub versions: Vec<BlameVersion>,
    /// True if there are more lines than are shown; 100,000 are.
    pub truncated: bool,
}

/// One line.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct BlameLine {
    /// Its number, from 1.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// Place in [`Blame::versions`], from 0; null for a line that is on disk and not recorded yet.
    pub version: Option<u32>,
    /// Its number then, from 1.
    pub line_then: u32,
    /// True if it lies at or behind a version whose content is gone, so that it may be older than said.
    pub or_before: bool,
}

/// A version that lines come from.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct BlameVersion {
    /// `memver_…`
    pub version_id: String,
    /// Place in the log.
    pub seq: u64,
    /// `mem_…`; another one than asked about where lines moved between files.
    pub memory_id: String,
    /// Path then.
    pub path_then: Option<String>,
    /// The path it had, where it is another memory: the lines moved from there.
    pub moved_from: Option<String>,
    /// When it was written.
    pub created_at: String,
    /// Who; null when unknown.
    pub created_by: Option<ActorView>,
    /// As in a version.
    pub source: String,
    /// True if it was rebuilt.
    pub rebuilt: bool,
    /// Why, where a reason was given.
    pub note: Option<Message>,
    /// The session that wrote it, where that is known.
    pub origin: Option<OriginNote>,
    /// The newest act of a person that put lines of it back.
    #[serde(default)]
    pub put_back: Option<super::PutBack>,
}
