//! Bundles: the history of one store in one file that needs no database, and its files as of an instant.
//!
//! A bundle is zstd over JSON lines. The first says what it is: `{"retrace_bundle":1,"store":NAME,"kind":KIND,"versions":N,
//! "chain_head":HEX}`. Then one line a version, in the order in which things happened within each memory:
//! `{"memory","operation","path","at","written","by","source","note","sha256","text" or "base64"}`; a redacted version
//! is not in it. The last line is `{"sha256":HEX}`, over all bytes of the lines before.

use super::{PastHistory, Steps, is_left_out};
use crate::target::Moment;
use crate::wire::ExportKind;
use crate::wire::show;
use crate::wire::{ApiError, Code, ExportedStore};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retrace_log::{LogError, PastLine, PastLines, PastVersion, Reader, StoreRow, VersionFilter, VersionRow};
use retrace_message::{AsMessage, Message};
use retrace_model::{Actor, Evidence, Permissions, RelPath, Rules, Sha256, Timestamp, VersionOperation};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256 as Hasher};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, BufWriter, Read as _, Write};
use std::path::Path;

/// Extension of a bundle.
const ENDING: &str = "retrace";

/// The form of bundle this program writes, and the only one it reads.
const FORM: u32 = 1;

/// Longest line of a bundle: the largest content that a log keeps, 10 MiB, takes up to six times as many bytes where each of
/// them is written as an escape, and some.
const MAX_LINE_BYTES: u64 = 64 << 20;

/// A bundle unpacks to at most so many times its size. Histories measured unpack to below 200 times theirs.
const MAX_RATIO: u64 = 500;

/// A small bundle may unpack to more than [`MAX_RATIO`] times its size, and to so much at most.
const MIN_UNPACKED_BYTES: u64 = 256 << 20;

/// Level of compression: the memory notes measured for the log gain little above it.
const LEVEL: i32 = 9;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Head {
    retrace_bundle: u32,
    /// Name of the store it was made from.
    #[serde(rename = "store")]
    pub name: String,
    kind: String,
    versions: u64,
    chain_head: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    memory: String,
    operation: String,
    path: String,
    at: String,
    /// When it was written, where that was before it came to stand.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    written: Option<String>,
    by: Option<By>,
    source: String,
    note: Option<String>,
    sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    base64: Option<String>,
    /// Permissions that the file at the path was last seen with, and those of its directories, from the top. Bundles of programs
    /// before this have none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    mode: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    directories: Vec<u32>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum By {
    Session { id: String, evidence: String },
    Api { id: String },
    User { id: String },
    ServiceAccount { id: String },
}

#[derive(Serialize, Deserialize)]
struct Foot {
    sha256: String,
}

/// True if a path names a bundle.
pub(crate) fn is_bundle(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == ENDING)
}

/// Writes the history of a store to a new file.
pub(crate) fn write(reader: &Reader<'_>, store: &StoreRow, to: &Path) -> Result<ExportedStore, ApiError> {
    let filter = VersionFilter { store: Some(store.id), ..VersionFilter::default() };
    let mut rows = reader.versions(&filter)?;
    rows.reverse();
    let redacted = rows.iter().filter(|row| row.redaction.is_some()).count();
    rows.retain(|row| row.redaction.is_none() && row.path.is_some());
    let file = new_file(to)?;
    let failed = |error: std::io::Error| cannot_write(to, &error);
    let encoder = zstd::Encoder::new(BufWriter::new(file), LEVEL).map_err(failed)?;
    let mut out = Hashing { out: encoder, hasher: Hasher::new() };
    let head = Head {
        retrace_bundle: FORM,
        name: store.name.clone(),
        kind: store.kind.as_str().to_owned(),
        versions: rows.len() as u64,
        chain_head: reader.chain_head()?.to_hex(),
    };
    out.line(&head).map_err(failed)?;
    let mut too_large = 0u64;
    let mut written = 0;
    for row in &rows {
        let content = match reader.content(row) {
            Ok(content) => content.map(|content| content.bytes),
            Err(LogError::NotKept(_)) => {
                too_large += 1;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let writer = &crate::written::written(reader, row)?.actor;
        let permissions = match &row.path {
            Some(path) if content.is_some() => reader.permissions_at(store.id, path)?,
            _ => Permissions::default(),
        };
        out.line(&line_of(row, writer, content, permissions)).map_err(failed)?;
        written += 1;
    }
    let foot = Foot { sha256: Sha256(out.hasher.clone().finalize().into()).to_hex() };
    out.line(&foot).map_err(failed)?;
    let file = out.out.finish().map_err(failed)?.into_inner().map_err(|error| failed(error.into_error()))?;
    file.sync_all().map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    let mut warnings: Vec<Message> = Vec::new();
    if redacted > 0 {
        warnings.push(say::redacted_versions_not(redacted));
    }
    if too_large > 0 {
        warnings.push(say::versions_whose_content_too_large(too_large));
    }
    Ok(ExportedStore { kind: ExportKind::Bundle, to: show(to), written, bytes, warnings })
}

/// Writes the files of a store as they were to a new or empty directory.
pub(crate) fn write_files(
    reader: &Reader<'_>,
    store: &StoreRow,
    at: Option<Moment>,
    to: &Path,
) -> Result<ExportedStore, ApiError> {
    let failed = |error: std::io::Error| cannot_write(to, &error);
    std::fs::create_dir_all(to).map_err(failed)?;
    if std::fs::read_dir(to).map_err(failed)?.next().is_some() {
        return Err(ApiError::invalid(say::directory_not_empty(), show(to)).hint(say::name_new_one()));
    }
    let memories = match at {
        Some(at) => at.memories(reader, store.id)?,
        None => reader.memories_at(store.id, None)?,
    };
    let (mut written, mut bytes) = (0, 0);
    let mut left_out = 0u64;
    for memory in memories {
        let Some(path) = memory.path else {
            left_out += 1;
            continue;
        };
        let content = match reader.content(&memory.version) {
            Ok(Some(content)) => content.bytes,
            Ok(None) => continue,
            Err(LogError::Redacted(_) | LogError::NotKept(_)) => {
                left_out += 1;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let place = to.join(retrace_engine::path_from_bytes(path.as_bytes()));
        if let Some(folder) = place.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        new_file(&place)?.write_all(&content).map_err(failed)?;
        written += 1;
        bytes += content.len() as u64;
    }
    let warnings =
        if left_out > 0 { vec![say::files_whose_content_redacted_or(left_out)] } else { Vec::new() };
    Ok(ExportedStore {
        kind: ExportKind::Files,
        to: show(to),
        written,
        bytes,
        warnings: warnings.into_iter().collect(),
    })
}

/// Reads a bundle.
pub(crate) fn read(file: &Path, rules: &Rules, steps: &Steps<'_>) -> Result<(Head, PastHistory), ApiError> {
    let damaged = |why: Message| ApiError::invalid(say::bundle_damaged(why), show(file));
    let opened = File::open(file)
        .map_err(|error| ApiError::new(Code::NotFound, say::bundle_cannot_read(error), show(file)))?;
    let packed = opened.metadata().map_or(0, |metadata| metadata.len());
    let mut left = packed.saturating_mul(MAX_RATIO).max(MIN_UNPACKED_BYTES);
    let decoder = zstd::Decoder::new(opened).map_err(|_| not_one(file))?;
    let mut lines = BufReader::new(decoder);
    let mut hasher = Hasher::new();
    let mut next = |hasher: &mut Hasher| -> Result<Vec<u8>, ApiError> {
        let mut line = Vec::new();
        let most = MAX_LINE_BYTES.min(left);
        (&mut lines).take(most).read_until(b'\n', &mut line).map_err(|error| damaged(error.message()))?;
        left -= line.len() as u64;
        if line.len() as u64 == most {
            return Err(damaged(say::unpacks_more_than_history_size()));
        }
        hasher.update(&line);
        Ok(line)
    };
    let first = next(&mut hasher).map_err(|_| not_one(file))?;
    let head: Head = serde_json::from_slice(&first).map_err(|_| not_one(file))?;
    if head.retrace_bundle != FORM {
        return Err(ApiError::invalid(say::bundle_written_newer_program(), show(file)));
    }
    let mut memories: BTreeMap<String, PastLine> = BTreeMap::new();
    let mut permissions_at = BTreeMap::new();
    let total = usize::try_from(head.versions).unwrap_or(usize::MAX);
    for done in 0.. {
        steps.tell(done, Some(total))?;
        let before = Sha256(hasher.clone().finalize().into()).to_hex();
        let line = next(&mut hasher)?;
        if line.is_empty() {
            return Err(damaged(say::ends_middle()));
        }
        if let Ok(foot) = serde_json::from_slice::<Foot>(&line)
            && !line.starts_with(b"{\"memory\"")
        {
            if foot.sha256 != before {
                return Err(damaged(say::content_another_hash()));
            }
            break;
        }
        let line: Line =
            serde_json::from_slice(&line).map_err(|error| damaged(Message::verbatim(error.to_string())))?;
        let memory = line.memory.clone();
        let permissions = permissions_of(&line);
        let version = version_of(line).ok_or_else(|| damaged(say::version_makes_no_sense()))?;
        if !is_left_out(rules, &version.path) {
            if let Some(known) = permissions {
                permissions_at.insert(version.path.clone(), known);
            }
            memories.entry(memory).or_default().versions.push(version);
        }
    }
    let mut past_history = PastHistory {
        lines: memories.into_values().collect(),
        permissions: permissions_at,
        warnings: Vec::new(),
    };
    for line in &mut past_history.lines {
        line.versions.sort_by_key(|version| version.at);
    }
    Ok((head, past_history))
}

/// `writer`: who wrote what the version has, whoever put it back.
fn line_of(row: &VersionRow, writer: &Actor, content: Option<Vec<u8>>, permissions: Permissions) -> Line {
    let sha256 = content.as_ref().map(|bytes| Sha256::of(bytes).to_hex());
    let (text, base64) = match content.map(String::from_utf8) {
        None => (None, None),
        Some(Ok(text)) => (Some(text), None),
        Some(Err(error)) => (None, Some(STANDARD.encode(error.into_bytes()))),
    };
    Line {
        memory: row.memory.to_string(),
        operation: row.operation.as_str().to_owned(),
        path: row.path.as_ref().map(RelPath::to_text).unwrap_or_default(),
        at: row.created_at.to_rfc3339(),
        written: row.written_at.map(Timestamp::to_rfc3339),
        by: by_of(writer),
        source: row.source.as_str().to_owned(),
        note: row.note.clone(),
        sha256,
        text,
        base64,
        mode: permissions.file,
        directories: permissions.directories,
    }
}

/// Permissions that a line tells of. A bundle comes from elsewhere: it says who may read, and nothing about as whom to run.
fn permissions_of(line: &Line) -> Option<Permissions> {
    const ACCESS: u32 = 0o777;
    Some(Permissions {
        file: Some(line.mode? & ACCESS),
        directories: line.directories.iter().map(|mode| mode & ACCESS).collect(),
    })
}

fn by_of(actor: &Actor) -> Option<By> {
    Some(match actor {
        Actor::Session { id, evidence } => {
            By::Session { id: id.clone(), evidence: evidence.as_str().to_owned() }
        }
        Actor::Api { id } => By::Api { id: id.clone() },
        Actor::User { id } => By::User { id: id.clone() },
        Actor::ServiceAccount { id } => By::ServiceAccount { id: id.clone() },
        Actor::Unknown => return None,
    })
}

/// The version a line tells of; `None` when its parts do not fit together.
fn version_of(line: Line) -> Option<PastVersion> {
    let operation: VersionOperation = line.operation.parse().ok()?;
    let content = match (line.text, line.base64) {
        (Some(text), None) => Some(text.into_bytes()),
        (None, Some(encoded)) => Some(STANDARD.decode(encoded).ok()?),
        (None, None) => None,
        (Some(_), Some(_)) => return None,
    };
    let past_history = line.sha256.as_deref().map(Sha256::from_hex);
    let is_whole = match (&content, past_history) {
        (Some(bytes), Some(Some(past_history))) => Sha256::of(bytes) == past_history,
        (None, None) => operation == VersionOperation::Deleted,
        _ => false,
    };
    if !is_whole {
        return None;
    }
    let actor = match line.by {
        None => Actor::Unknown,
        Some(By::Session { id, evidence }) => Actor::Session { id, evidence: Evidence::parse(&evidence)? },
        Some(By::Api { id }) => Actor::Api { id },
        Some(By::User { id }) => Actor::User { id },
        Some(By::ServiceAccount { id }) => Actor::ServiceAccount { id },
    };
    Some(PastVersion {
        path: RelPath::parse(&line.path).ok()?,
        at: Timestamp::parse(&line.at).ok()?,
        written_at: line.written.as_deref().map(Timestamp::parse).transpose().ok()?,
        actor,
        note: line.note,
        content,
        told: PastLines::default(),
    })
}

/// Writes lines and hashes them.
struct Hashing<W> {
    out: W,
    hasher: Hasher,
}

impl<W: Write> Hashing<W> {
    fn line(&mut self, line: &impl Serialize) -> std::io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        self.hasher.update(&bytes);
        self.out.write_all(&bytes)
    }
}

/// A file of its user alone; one that is there is left as it is.
fn new_file(path: &Path) -> Result<File, ApiError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            ApiError::invalid(say::file_name_already(), show(path)).hint(say::name_new_one())
        }
        _ => cannot_write(path, &error),
    })
}

fn cannot_write(path: &Path, error: &std::io::Error) -> ApiError {
    if error.kind() == std::io::ErrorKind::InvalidInput {
        // No file can have this name, wherever it is.
        return ApiError::invalid(say::cannot_written(error), show(path));
    }
    ApiError::new(Code::CannotWrite, say::cannot_written(error), show(path))
}

fn not_one(file: &Path) -> ApiError {
    ApiError::invalid(say::file_no_bundle_retrace(), show(file))
        .hint(say::retrace_export_store_file_retrace())
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "bundle";
    redacted_versions_not(redacted) => "Redacted versions are not in it: {redacted}.",
    versions_whose_content_too_large(too_large) => "Versions whose content was too large to be kept are not in it: {too_large}.",
    directory_not_empty() => "The directory is not empty.",
    name_new_one() => "Name a new one.",
    files_whose_content_redacted_or(left_out) => "Files whose content is redacted or was too large to be kept are not in it: {left_out}.",
    bundle_damaged(why) => "The bundle is damaged: {why}.",
    bundle_cannot_read(error) => "The bundle cannot be read: {error}.",
    bundle_written_newer_program() => "The bundle was written by a newer program.",
    file_name_already() => "There is a file of that name already.",
    cannot_written(error) => "It cannot be written: {error}.",
    file_no_bundle_retrace() => "The file is no bundle of Retrace.",
    retrace_export_store_file_retrace() => "`retrace export STORE --to FILE.retrace` makes one.",
    unpacks_more_than_history_size() => "it unpacks to more than a history of its size takes",
    ends_middle() => "it ends in the middle",
    content_another_hash() => "its content has another hash",
    version_makes_no_sense() => "a version makes no sense",
}
