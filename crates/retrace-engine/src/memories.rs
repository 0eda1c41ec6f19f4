//! The memories of a store, and contents as a screen shows them.

#![allow(clippy::needless_pass_by_value, reason = "a command consumes its request, whatever it does with it")]

use crate::before_recording;
use crate::engine::Engine;
use crate::kinds::{self, kind_filter};
use crate::target::{Target, moment};
use crate::view;
use crate::wire::{self, ApiError, Document, DocumentLine, DocumentReq, Memories, MemoriesReq, Memory};
use retrace_diff::{HiddenCode, first_text_lines, highlight, syntax_for, text_lines, to_text};
use retrace_files::FileError;
use retrace_findings::{INDEX_MAX_BYTES, INDEX_MAX_LINES, index_cut, index_size, is_index};
use retrace_log::{LogError, MemoryAt, Reader, StoreRow, VersionRow};
use retrace_model::{MemoryKind, RelPath, Sha256, StoreKind};
use std::ops::Range;

/// Lines a document shows at most; a window cannot usefully hold more.
const LINES: usize = 100_000;

/// The memories of a store, now or right after an operation, of one kind where one is asked for.
///
/// # Errors
/// `not_found` for an unknown store or operation, `invalid` for an unknown kind.
pub fn memories(inner: &Engine, request: MemoriesReq) -> Result<Memories, ApiError> {
    let wanted = kind_filter(request.kind.as_deref())?;
    inner.read(|reader| {
        let store = inner.store_named(reader, &request.store)?;
        let at = request.at.as_deref().map(|at| moment(reader, at)).transpose()?;
        let place = inner.store_place_of(&store);
        let found = match at {
            Some(at) => at.memories(reader, store.id)?,
            None => reader.memories_at(store.id, None)?,
        };
        let mut memories = Vec::new();
        for memory in found {
            let path = memory.path.as_ref().map(ToString::to_string);
            let kind = inner.kind_of(&reader.recent(), &place, path.as_deref(), &memory.version)?;
            if wanted.as_ref().is_none_or(|wanted| wanted.holds(&kind)) {
                memories.push(memory_view(&memory, path, &kind));
            }
        }
        let warning = match (at, &request.at) {
            (Some(at), Some(named)) => {
                before_recording::warning(reader, &store, at, &format!("{}@{named}", store.name))?
            }
            _ => None,
        };
        Ok(Memories { memories, warnings: warning.into_iter().collect() })
    })
}

fn memory_view(memory: &MemoryAt, path: Option<String>, kind: &MemoryKind) -> Memory {
    let version = &memory.version;
    Memory {
        id: version.memory.to_string(),
        path,
        version_id: version.id.to_string(),
        seq: version.id.seq,
        content_sha256: version.content.map(|content| content.sha256.to_hex()),
        content_size_bytes: version.content.map(|content| content.size),
        content_kind: version.content.as_ref().map(view::content_kind),
        versions: memory.versions,
        changed_at: version.created_at.to_rfc3339(),
        kind: kinds::view(kind),
    }
}

/// A content, live or recorded, ready to be shown.
///
/// # Errors
/// `not_found` when there is nothing at the target, `store_unavailable` when a live file cannot be read. A redacted or
/// binary content is a kind in the answer, not an error.
pub fn document(inner: &Engine, request: DocumentReq) -> Result<Document, ApiError> {
    inner.read(|reader| {
        let live = inner.target(reader, &request.target)?.is_live();
        let side = inner.side(reader, &request.target)?;
        Ok(Document { live, cut: cut_of(reader, &side)?, ..document_of(&side, request.highlight) })
    })
}

/// A content with what is known about it.
pub struct Side {
    /// The target as it was named.
    pub target: String,
    /// The store it is in.
    pub store: Option<retrace_model::StoreId>,
    /// Its path there.
    pub path: Option<RelPath>,
    /// The version that records it.
    pub version: Option<VersionRow>,
    /// Its bytes.
    pub bytes: Bytes,
}

/// The bytes of a side.
pub enum Bytes {
    /// There is nothing: a deletion, or no file.
    Nothing,
    /// Here they are.
    Kept(Vec<u8>),
    /// Redacted.
    Redacted,
    /// Too large to be kept.
    TooLarge {
        /// Hash of the content.
        sha256: Sha256,
        /// Its bytes.
        size: u64,
    },
}

impl Engine {
    /// The content a target names.
    pub fn side(&self, reader: &Reader<'_>, text: &str) -> Result<Side, ApiError> {
        match self.target(reader, text)? {
            Target::Version(version) => self.version_side(reader, text, *version),
            Target::File { store, path, at: Some(at) } => match at.version(reader, store.id, &path)? {
                Some(version) => self.version_side(reader, text, version),
                None => {
                    let why = before_recording::warning(reader, &store, at, text)?.unwrap_or_default();
                    Err(ApiError::new(wire::Code::NotFound, say::nothing_path_then(), text).hint(why))
                }
            },
            Target::File { store, path, at: None } => self.live_side(reader, text, &store, &path),
            Target::Store { .. } => {
                Err(ApiError::invalid(say::names_whole_store_not_one(), text)
                    .hint(say::add_path_stores_name()))
            }
        }
    }

    fn version_side(&self, reader: &Reader<'_>, text: &str, version: VersionRow) -> Result<Side, ApiError> {
        Ok(Side {
            target: text.to_owned(),
            store: Some(version.store),
            path: version.path.clone(),
            bytes: bytes_of(reader, &version)?,
            version: Some(version),
        })
    }

    /// The file as it is on disk right now, with the newest version where that is the same content.
    pub fn live_side(
        &self,
        reader: &Reader<'_>,
        text: &str,
        store: &StoreRow,
        path: &RelPath,
    ) -> Result<Side, ApiError> {
        if !store.has_directory() {
            let version = reader.version_at(store.id, path, None)?.ok_or_else(|| {
                ApiError::new(wire::Code::NotFound, say::no_such_memory(), text)
                    .hint(say::may_deleted_retrace_log_shows())
            })?;
            return self.version_side(reader, text, version);
        }
        let root = self.store_root(store)?;
        let content = match root.read(path, self.rules.max_file_bytes) {
            Ok(content) => content,
            Err(FileError::Missing { .. }) => {
                return Err(ApiError::new(wire::Code::NotFound, say::no_such_file(), text)
                    .hint(say::may_deleted_retrace_log_shows()));
            }
            Err(error) => return Err(error.into()),
        };
        let head = reader.live_at(store.id, path)?;
        let version = match head {
            Some(head) if head.sha256 == Some(content.sha256) => Some(reader.version_by_id(head.version)?),
            _ => None,
        };
        let bytes = match content.bytes {
            Some(bytes) => Bytes::Kept(bytes),
            None => Bytes::TooLarge { sha256: content.sha256, size: content.size },
        };
        Ok(Side { target: text.to_owned(), store: Some(store.id), path: Some(path.clone()), version, bytes })
    }
}

/// The bytes of a version.
pub fn bytes_of(reader: &Reader<'_>, version: &VersionRow) -> Result<Bytes, ApiError> {
    match reader.content(version) {
        Ok(None) => Ok(Bytes::Nothing),
        Ok(Some(content)) => Ok(Bytes::Kept(content.bytes)),
        Err(LogError::Redacted(_)) => Ok(Bytes::Redacted),
        Err(LogError::NotKept(_)) => Ok(match version.content {
            Some(content) => Bytes::TooLarge { sha256: content.sha256, size: content.size },
            None => Bytes::Nothing,
        }),
        Err(error) => Err(error.into()),
    }
}

impl Side {
    /// Hash and size of the content, where there is one.
    pub(crate) fn hash_and_size(&self) -> Option<(Sha256, u64)> {
        match &self.bytes {
            Bytes::Kept(bytes) => Some((Sha256::of(bytes), bytes.len() as u64)),
            Bytes::TooLarge { sha256, size } => Some((*sha256, *size)),
            Bytes::Nothing | Bytes::Redacted => None,
        }
    }
}

/// Where an index of a kind that is loaded up to a limit stops being loaded.
fn cut_of(reader: &Reader<'_>, side: &Side) -> Result<Option<wire::IndexCut>, ApiError> {
    let (Bytes::Kept(bytes), Some(store), Some(path)) = (&side.bytes, side.store, &side.path) else {
        return Ok(None);
    };
    let kind = reader.store(store)?.kind;
    if !matches!(kind, StoreKind::ClaudeAuto | StoreKind::ClaudeAgent) || !is_index(&path.to_text()) {
        return Ok(None);
    }
    let Some(cut) = index_cut(bytes) else { return Ok(None) };
    let by_lines = index_size(&bytes[..cut.offset]).lines >= INDEX_MAX_LINES;
    let lines = text_lines(bytes).map_or(0, |lines| lines.len() as u64);
    Ok(Some(wire::IndexCut {
        line: cut.line,
        lost: (lines + 1).saturating_sub(u64::from(cut.line)),
        limit: if by_lines { wire::IndexLimit::Lines } else { wire::IndexLimit::Bytes },
        size: if by_lines { INDEX_MAX_LINES } else { INDEX_MAX_BYTES } as u64,
    }))
}

/// A content, ready to be shown.
pub fn document_of(side: &Side, highlighted: bool) -> Document {
    let known = side.hash_and_size();
    let mut document = Document {
        live: true,
        version: side.version.as_ref().map(view::version),
        path: side.path.as_ref().map(ToString::to_string),
        content_sha256: known.map(|(sha256, _)| sha256.to_hex()),
        content_size_bytes: known.map(|(_, size)| size),
        kind: wire::ContentKind::Text,
        lines: Vec::new(),
        truncated: false,
        cut: None,
    };
    let bytes = match &side.bytes {
        Bytes::Kept(bytes) => bytes.as_slice(),
        Bytes::Nothing => &[],
        Bytes::Redacted => {
            document.kind = wire::ContentKind::Redacted;
            return document;
        }
        Bytes::TooLarge { .. } => {
            document.kind = wire::ContentKind::TooLarge;
            return document;
        }
    };
    let Some(lines) = first_text_lines(bytes, LINES + 1) else {
        document.kind = wire::ContentKind::Binary;
        return document;
    };
    let spans = if highlighted { spans(bytes, side.path.as_ref()) } else { Vec::new() };
    document.truncated = lines.len() > LINES;
    document.lines = lines
        .into_iter()
        .take(LINES)
        .enumerate()
        .map(|(number, line)| DocumentLine {
            hidden: hidden(&line.text, &line.hidden),
            spans: spans
                .get(number)
                .map(|line_spans| in_characters(&line.text, line_spans))
                .unwrap_or_default(),
            text: line.text,
        })
        .collect();
    document
}

/// Colour spans of each line of a text, as byte ranges with their class.
pub fn spans(bytes: &[u8], path: Option<&RelPath>) -> Vec<Vec<retrace_diff::Span>> {
    let text = to_text(bytes);
    let name = path.map(|path| String::from_utf8_lossy(path.file_name()).into_owned()).unwrap_or_default();
    match syntax_for(&name, text.lines().next().unwrap_or("")) {
        Some(syntax) => highlight(&text, syntax),
        None => Vec::new(),
    }
}

/// Colour spans in characters; plain stretches are left out.
pub(crate) fn in_characters(text: &str, spans: &[retrace_diff::Span]) -> Vec<(u32, u32, String)> {
    let position = positions(text);
    spans
        .iter()
        .filter(|span| span.class != retrace_diff::SpanClass::Plain)
        .map(|span| (position(span.range.start), position(span.range.end), span.class.as_str().to_owned()))
        .collect()
}

/// Hidden characters, with places in characters.
pub fn hidden(text: &str, found: &[retrace_diff::Hidden]) -> Vec<wire::Hidden> {
    let position = positions(text);
    // A text may have one at every second character, mostly the same ones: a name is copied faster than it is written.
    let mut names: Vec<(HiddenCode, String)> = Vec::new();
    let mut name = |code: HiddenCode| match names.iter().find(|(known, _)| *known == code) {
        Some((_, name)) => name.clone(),
        None => {
            let name = code.to_string();
            if names.len() < NAMES {
                names.push((code, name.clone()));
            }
            name
        }
    };
    found
        .iter()
        .map(|hidden| {
            let at = position(hidden.range.start);
            wire::Hidden {
                at,
                length: position(hidden.range.end) - at,
                code: name(hidden.code),
                kind: hidden.kind.into(),
            }
        })
        .collect()
}

/// Names of hidden characters that are kept while those of a text are told.
const NAMES: usize = 8;

/// Ranges in characters.
pub(crate) fn ranges_in_characters(text: &str, ranges: &[Range<usize>]) -> Vec<(u32, u32)> {
    let position = positions(text);
    ranges.iter().map(|range| (position(range.start), position(range.end))).collect()
}

/// Bytes between two places whose number of characters is kept.
const STRIDE: usize = 64;

/// From a byte's place in a text to a character's. Most text is ASCII, where they are the same; else the characters are counted
/// once, so that a line with a mark at every second of them costs no more than its size.
pub fn positions(text: &str) -> impl Fn(usize) -> u32 + '_ {
    let bytes = text.as_bytes();
    let begun = |bytes: &[u8]| bytes.iter().filter(|byte| **byte & 0b1100_0000 != 0b1000_0000).count();
    let mut before = Vec::new();
    if !text.is_ascii() {
        let mut count = 0;
        for stride in bytes.chunks(STRIDE) {
            before.push(count);
            count += begun(stride);
        }
    }
    move |byte| {
        let byte = byte.min(bytes.len());
        // None is kept of ASCII, and none behind the last stride.
        let count = match before.get(byte / STRIDE).or(before.last()) {
            None => byte,
            Some(count) => {
                let from = (byte / STRIDE).min(before.len() - 1) * STRIDE;
                count + begun(&bytes[from..byte])
            }
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "memories";
    nothing_path_then() => "Nothing was at that path then.",
    names_whole_store_not_one() => "This names a whole store, not one memory.",
    add_path_stores_name() => "Add :PATH to the store's name.",
    no_such_memory() => "There is no such memory.",
    may_deleted_retrace_log_shows() => "It may be deleted: `retrace log` shows its history.",
    no_such_file() => "There is no such file.",
}

#[cfg(test)]
mod tests {
    use super::positions;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn places_of_bytes_are_places_of_characters(text in "(a|é|漢|\u{200b}|\u{1f600}){0,300}") {
            let position = positions(&text);
            for (at, (byte, _)) in text.char_indices().enumerate() {
                prop_assert_eq!(position(byte) as usize, at);
            }
            prop_assert_eq!(position(text.len()) as usize, text.chars().count());
        }
    }
}
