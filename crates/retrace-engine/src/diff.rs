//! Differences between contents and between states of a store.

#![allow(clippy::needless_pass_by_value, reason = "a command consumes its request, whatever it does with it")]

use crate::before_recording;
use crate::engine::Engine;
use crate::memories::{Bytes, Side, bytes_of, hidden, in_characters, ranges_in_characters, spans};
use crate::target::{Moment, Target};
use crate::wire::{
    ApiError, Code, DiffLine, DiffReq, DiffResult, DiffSide, FileChange, FileDiff, Hunk, MovedBlock,
    StoreDiff,
};
use retrace_diff::{Diff, DiffKind, DiffOptions, Granularity};
use retrace_log::{Reader, StoreRow};
use retrace_message::Message;
use retrace_model::{MemoryId, RelPath, Sha256, StoreId, VersionOperation};
use std::collections::BTreeMap;

/// Files compared line by line in a difference of stores; beyond that only what changed is said, not how many lines.
const COUNTED_FILES: usize = 5000;

/// Compares two contents, or two states of a store.
///
/// # Errors
/// `not_found` when a side does not exist, `content_redacted` when a side was redacted, `invalid` for sides of different
/// sorts.
pub fn diff(inner: &Engine, request: DiffReq) -> Result<DiffResult, ApiError> {
    inner.read(|reader| {
        let a = inner.target(reader, &request.a)?;
        let b = request.b.as_deref().map(|text| inner.target(reader, text)).transpose()?;
        match (a, b) {
            (Target::Store { store, at }, None) => {
                let at = at.map_or_else(|| reader.cursor().map(Moment::after), Ok)?;
                let from = State::recorded(reader, store.clone(), at, request.a.clone())?;
                let to = State::live(inner, reader, store, request.a.clone())?;
                Ok(DiffResult::Store(store_diff(reader, &from, &to)?))
            }
            (Target::Store { store, at }, Some(Target::Store { store: other, at: other_at })) => {
                let name = request.b.clone().unwrap_or_default();
                let from = State::of(inner, reader, store, at, request.a.clone())?;
                let to = State::of(inner, reader, other, other_at, name)?;
                Ok(DiffResult::Store(store_diff(reader, &from, &to)?))
            }
            (Target::Store { .. }, Some(_)) | (_, Some(Target::Store { .. })) => {
                Err(ApiError::invalid(say::whole_store_can_only_compared(), request.a.clone()))
            }
            (a, b) => {
                let live = a.is_live() || b.as_ref().is_some_and(Target::is_live);
                let (from, to) = inner.sides(reader, &request, a, b)?;
                Ok(DiffResult::File(FileDiff { live, ..file_diff(&from, &to, &request)? }))
            }
        }
    })
}

impl Engine {
    /// The two sides of a difference of contents. One side alone is compared with what came before it.
    fn sides(
        &self,
        reader: &Reader<'_>,
        request: &DiffReq,
        a: Target,
        b: Option<Target>,
    ) -> Result<(Side, Side), ApiError> {
        if let Some(text) = &request.b {
            drop(b);
            return Ok((self.side(reader, &request.a)?, self.side(reader, text)?));
        }
        match a {
            Target::Version(version) => {
                let before = reader.version_before(&version)?;
                let to = self.side(reader, &request.a)?;
                let from = match before {
                    Some(before) => self.side(reader, &before.id.to_string())?,
                    None => nothing(&to),
                };
                Ok((from, to))
            }
            Target::File { store, path, at: None } => {
                let head = reader.live_at(store.id, &path)?;
                let to = match self.live_side(reader, &request.a, &store, &path) {
                    Ok(side) => side,
                    Err(error) if error.code == Code::NotFound && head.is_some() => Side {
                        target: request.a.clone(),
                        store: Some(store.id),
                        path: Some(path.clone()),
                        version: None,
                        bytes: Bytes::Nothing,
                    },
                    Err(error) => return Err(error),
                };
                let from = match head {
                    Some(head) => self.side(reader, &head.version.to_string())?,
                    None => nothing(&to),
                };
                Ok((from, to))
            }
            Target::File { store, path, at: Some(_) } => {
                let from = self.side(reader, &request.a)?;
                let to = self.live_side(reader, &format!("{}:{path}", store.name), &store, &path)?;
                Ok((from, to))
            }
            Target::Store { .. } => Err(ApiError::invalid(say::names_whole_store(), request.a.clone())),
        }
    }
}

fn nothing(like: &Side) -> Side {
    Side { target: String::new(), store: like.store, path: None, version: None, bytes: Bytes::Nothing }
}

fn file_diff(from: &Side, to: &Side, request: &DiffReq) -> Result<FileDiff, ApiError> {
    let mut diff = FileDiff {
        live: true,
        from: side_view(from),
        to: side_view(to),
        truncated: false,
        binary: false,
        added: 0,
        removed: 0,
        hunks: Vec::new(),
    };
    // A version alone, whose predecessor is redacted, is shown whole; `from.redacted` says why.
    let before_is_redacted = request.b.is_none() && matches!(from.bytes, Bytes::Redacted);
    let old = if before_is_redacted { Some(&[][..]) } else { comparable(from) };
    let (Some(old), Some(new)) = (old, comparable(to)) else {
        let redacted = [from, to].into_iter().find(|side| matches!(side.bytes, Bytes::Redacted));
        if let Some(side) = redacted {
            return Err(ApiError::new(Code::ContentRedacted, say::content_redacted(), &side.target)
                .hint(say::who_when_why_still_log()));
        }
        diff.binary = true;
        return Ok(diff);
    };
    let options = DiffOptions {
        context: request.context.map_or(retrace_diff::DEFAULT_CONTEXT, |context| context as usize),
        granularity: if request.words { Granularity::Words } else { Granularity::Lines },
        ..DiffOptions::default()
    };
    let found = retrace_diff::diff(old, new, &options);
    diff.truncated = found.truncated;
    diff.binary = found.kind == DiffKind::Binary;
    diff.added = found.added;
    diff.removed = found.removed;
    diff.hunks = hunks(
        &found,
        request.highlight.then(|| (spans(old, from.path.as_ref()), spans(new, to.path.as_ref()))),
    );
    Ok(diff)
}

/// The difference between what a file holds and what is to be written to it, for a preview.
pub fn diff_of(store: StoreId, path: &RelPath, before: Option<Vec<u8>>, after: Vec<u8>) -> FileDiff {
    let side = |bytes| Side {
        target: format!("{store}:{path}"),
        store: Some(store),
        path: Some(path.clone()),
        version: None,
        bytes,
    };
    let (from, to) = (side(before.map_or(Bytes::Nothing, Bytes::Kept)), side(Bytes::Kept(after)));
    let request = DiffReq { words: true, highlight: true, ..DiffReq::default() };
    file_diff(&from, &to, &request).expect("neither side is redacted")
}

fn comparable(side: &Side) -> Option<&[u8]> {
    match &side.bytes {
        Bytes::Kept(bytes) => Some(bytes),
        Bytes::Nothing => Some(&[]),
        Bytes::Redacted | Bytes::TooLarge { .. } => None,
    }
}

type Spans = Vec<Vec<retrace_diff::Span>>;

fn hunks(diff: &Diff, spans: Option<(Spans, Spans)>) -> Vec<Hunk> {
    let colour = |line: &retrace_diff::Line| {
        let (old, new) = spans.as_ref()?;
        let (side, number) = match (line.new, line.old) {
            (Some(number), _) => (new, number),
            (None, Some(number)) => (old, number),
            (None, None) => return None,
        };
        Some(in_characters(&line.text, side.get(number as usize - 1)?))
    };
    diff.hunks
        .iter()
        .map(|hunk| Hunk {
            old_start: hunk.old_start,
            old_lines: hunk.old_lines,
            new_start: hunk.new_start,
            new_lines: hunk.new_lines,
            lines: hunk
                .lines
                .iter()
                .map(|line| DiffLine {
                    tag: line.tag.into(),
                    old: line.old,
                    new: line.new,
                    words: ranges_in_characters(&line.text, &line.words),
                    hidden: hidden(&line.text, &line.hidden),
                    spans: colour(line).unwrap_or_default(),
                    text: line.text.clone(),
                    no_newline: line.no_newline,
                    carriage_return: line.carriage_return,
                })
                .collect(),
        })
        .collect()
}

fn side_view(side: &Side) -> DiffSide {
    let known = side.hash_and_size();
    DiffSide {
        target: side.target.clone(),
        store_id: side.store.map(|store| store.to_string()),
        version_id: side.version.as_ref().map(|version| version.id.to_string()),
        path: side.path.as_ref().map(ToString::to_string),
        content_sha256: known.map(|(sha256, _)| sha256.to_hex()),
        content_size_bytes: known.map(|(_, size)| size),
        redacted: matches!(side.bytes, Bytes::Redacted),
    }
}

/// A store at one instant.
struct State {
    view: DiffSide,
    files: BTreeMap<RelPath, Entry>,
    /// What is not known of it.
    warning: Option<Message>,
}

/// One file of a store at an instant.
struct Entry {
    memory: Option<MemoryId>,
    sha256: Option<Sha256>,
    bytes: EntryBytes,
}

/// A path with what is there on both sides.
type BothSides = (String, Option<Vec<u8>>, Option<Vec<u8>>);

/// Where the bytes of a file are.
enum EntryBytes {
    Version(u64),
    Disk(Option<Vec<u8>>),
}

impl State {
    fn of(
        inner: &Engine,
        reader: &Reader<'_>,
        store: Box<StoreRow>,
        at: Option<Moment>,
        target: String,
    ) -> Result<Self, ApiError> {
        match at {
            None => Self::live(inner, reader, store, target),
            Some(at) => Self::recorded(reader, store, at, target),
        }
    }

    fn recorded(
        reader: &Reader<'_>,
        store: Box<StoreRow>,
        at: Moment,
        target: String,
    ) -> Result<Self, ApiError> {
        let mut files = BTreeMap::new();
        for memory in at.memories(reader, store.id)? {
            let Some(path) = memory.path else { continue };
            let entry = Entry {
                memory: Some(memory.version.memory),
                sha256: memory.version.content.map(|content| content.sha256),
                bytes: EntryBytes::Version(memory.version.id.seq),
            };
            files.insert(path, entry);
        }
        let warning = before_recording::warning(reader, &store, at, &target)?;
        Ok(Self { view: store_side(&store, target), files, warning })
    }

    /// The directory as it is on disk right now.
    fn live(
        inner: &Engine,
        reader: &Reader<'_>,
        store: Box<StoreRow>,
        target: String,
    ) -> Result<Self, ApiError> {
        if !store.has_directory() {
            return Self::recorded(reader, store, Moment::after(reader.cursor()?), target);
        }
        let root = inner.store_root(&store)?;
        let mut files = BTreeMap::new();
        for path in root.scan(&inner.rules, None).found.into_keys() {
            let Ok(content) = root.read(&path, inner.rules.max_file_bytes) else { continue };
            let head = reader.live_at(store.id, &path)?;
            let memory = head
                .map(|head| reader.version_by_id(head.version))
                .transpose()?
                .map(|version| version.memory);
            let entry =
                Entry { memory, sha256: Some(content.sha256), bytes: EntryBytes::Disk(content.bytes) };
            files.insert(path, entry);
        }
        Ok(Self { view: store_side(&store, target), files, warning: None })
    }
}

fn store_side(store: &StoreRow, target: String) -> DiffSide {
    DiffSide {
        target,
        store_id: Some(store.id.to_string()),
        version_id: None,
        path: None,
        content_sha256: None,
        content_size_bytes: None,
        redacted: false,
    }
}

fn entry_bytes(reader: &Reader<'_>, entry: &Entry) -> Result<Option<Vec<u8>>, ApiError> {
    match &entry.bytes {
        EntryBytes::Disk(bytes) => Ok(bytes.clone()),
        EntryBytes::Version(seq) => match bytes_of(reader, &reader.version(*seq)?)? {
            Bytes::Kept(bytes) => Ok(Some(bytes)),
            _ => Ok(None),
        },
    }
}

fn store_diff(reader: &Reader<'_>, from: &State, to: &State) -> Result<StoreDiff, ApiError> {
    let mut files = Vec::new();
    let mut texts: Vec<BothSides> = Vec::new();
    // A memory that is on both sides under two paths was moved.
    let old_paths: BTreeMap<MemoryId, &RelPath> =
        from.files.iter().filter_map(|(path, entry)| Some((entry.memory?, path))).collect();
    let moved_from = |path: &RelPath, entry: &Entry| {
        let old = *old_paths.get(&entry.memory?)?;
        (old != path && !to.files.contains_key(old) && !from.files.contains_key(path)).then(|| old.clone())
    };
    let moved: BTreeMap<RelPath, RelPath> =
        to.files.iter().filter_map(|(path, entry)| Some((path.clone(), moved_from(path, entry)?))).collect();
    let sources: std::collections::BTreeSet<&RelPath> = moved.values().collect();
    let paths: std::collections::BTreeSet<&RelPath> =
        from.files.keys().filter(|path| !sources.contains(path)).chain(to.files.keys()).collect();
    for path in paths {
        let previous = moved.get(path);
        let (old, new) = (from.files.get(previous.unwrap_or(path)), to.files.get(path));
        let hashes = (old.and_then(|entry| entry.sha256), new.and_then(|entry| entry.sha256));
        let both = old.is_some() && new.is_some();
        if both && previous.is_none() && hashes.0 == hashes.1 {
            continue;
        }
        let operation = match (old, new) {
            (None, _) => VersionOperation::Created,
            (_, None) => VersionOperation::Deleted,
            _ => VersionOperation::Modified,
        };
        let mut change = FileChange {
            path: path.to_string(),
            previous_path: previous.map(ToString::to_string),
            operation: operation.into(),
            from_sha256: hashes.0.map(|sha256| sha256.to_hex()),
            to_sha256: hashes.1.map(|sha256| sha256.to_hex()),
            added: 0,
            removed: 0,
            binary: false,
        };
        if texts.len() < COUNTED_FILES {
            let old = old.map(|entry| entry_bytes(reader, entry)).transpose()?.flatten();
            let new = new.map(|entry| entry_bytes(reader, entry)).transpose()?.flatten();
            let diff = retrace_diff::diff(
                old.as_deref().unwrap_or_default(),
                new.as_deref().unwrap_or_default(),
                &DiffOptions { context: 0, ..DiffOptions::default() },
            );
            change.added = diff.added;
            change.removed = diff.removed;
            change.binary = diff.kind == DiffKind::Binary;
            // A file that moved as a whole is no block that moved.
            if previous.is_none() {
                texts.push((change.path.clone(), old, new));
            }
        }
        files.push(change);
    }
    let changes: Vec<retrace_diff::FileChange<'_>> = texts
        .iter()
        .map(|(path, old, new)| retrace_diff::FileChange { path, old: old.as_deref(), new: new.as_deref() })
        .collect();
    let moves = retrace_diff::moves(&changes)
        .into_iter()
        .map(|block| MovedBlock {
            from_path: block.from_path,
            from_line: block.from_line,
            to_path: block.to_path,
            to_line: block.to_line,
            lines: block.lines,
        })
        .collect();
    let warnings = [from, to].iter().filter_map(|side| side.warning.clone()).collect();
    Ok(StoreDiff { from: from.view.clone(), to: to.view.clone(), files, moves, warnings })
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "diff";
    whole_store_can_only_compared() => "A whole store can only be compared with a whole store.",
    names_whole_store() => "This names a whole store.",
    content_redacted() => "The content was redacted.",
    who_when_why_still_log() => "Who, when and why are still in the log; the content is gone for good.",
}
