//! Memories of the log with all their versions.

use super::tenancy::{Claimed, Tenancy, turns_at};
use crate::wire::{ApiError, show};
use retrace_engine::root_of;
use retrace_log::{MemoryAt, Reader, StoreRow, VersionFilter, VersionRow};
use retrace_model::{MemoryId, RelPath, StoreKind, VersionOperation};
use retrace_presence::{Claim, Dating, Digest, Limits, Loading, Memory, Shelf, Version};
use std::collections::HashMap;
use std::rc::Rc;

/// What Claude Code loads of the index of its memory. Source: its documentation, memory page; bytes since 2.1.83.
const CLAUDE_LIMITS: Limits = Limits { lines: 200, bytes: 25_000 };

/// No limits.
pub(crate) const WHOLE: Limits = Limits { lines: u32::MAX, bytes: u64::MAX };

/// A store with the ways in which transcripts may spell its directory.
pub(crate) struct StoreAt {
    pub row: StoreRow,
    /// The first is the one it is listed with.
    pub roots: Vec<String>,
}

/// The stores on the list.
///
/// # Errors
/// A failure of the database.
pub(crate) fn stores(reader: &Reader<'_>) -> Result<Vec<StoreAt>, ApiError> {
    let rows = reader.stores()?.into_iter().filter(|row| row.removed_at.is_none());
    Ok(rows.map(at).collect())
}

/// A store with its directory.
pub(crate) fn at(row: StoreRow) -> StoreAt {
    let root = root_of(&row);
    let mut roots = vec![show(&root)];
    if let Ok(real) = std::fs::canonicalize(&root)
        && real != root
    {
        roots.push(show(&real));
    }
    StoreAt { row, roots }
}

/// The directories of stores, for what transcripts are searched for.
pub(crate) fn roots(stores: &[StoreAt]) -> Vec<String> {
    let mut roots: Vec<String> = stores
        .iter()
        .filter(|store| store.row.has_directory())
        .flat_map(|store| store.roots.clone())
        .collect();
    roots.sort();
    roots.dedup();
    roots
}

impl StoreAt {
    /// The path in the store of a path on the machine.
    pub(crate) fn inside<'p>(&self, file: &'p str) -> Option<&'p str> {
        let below = |root: &String| file.strip_prefix(root.as_str())?.strip_prefix(['/', '\\']);
        self.roots.iter().find_map(below).filter(|path| !path.is_empty())
    }

    /// The path on the machine of a path in the store.
    pub(crate) fn outside(&self, path: &str) -> String {
        match self.row.kind {
            StoreKind::Remote => path.to_owned(),
            _ => format!("{}/{path}", self.roots.first().map_or("", String::as_str)),
        }
    }

    /// How a memory of the store comes before a model.
    pub(crate) fn loading(&self, path: &str) -> Loading {
        match self.index() {
            Some((index, limits)) if index == path => Loading::AtStart(limits),
            _ => Loading::OnDemand,
        }
    }

    /// The path of the memory that is loaded at the start of a session, and how much of it.
    const fn index(&self) -> Option<(&'static str, Limits)> {
        match self.row.kind {
            StoreKind::ClaudeAuto | StoreKind::ClaudeAgent => Some(("MEMORY.md", CLAUDE_LIMITS)),
            StoreKind::Codex => Some(("memory_summary.md", WHOLE)),
            StoreKind::Gemini => Some(("MEMORY.md", WHOLE)),
            _ => None,
        }
    }

    /// Paths that transcripts may call a memory by.
    pub(crate) fn spellings(&self, paths: &[RelPath]) -> Vec<String> {
        let mut spellings = Vec::new();
        for path in paths.iter().map(RelPath::to_text) {
            spellings.extend(self.roots.iter().map(|root| format!("{root}/{path}")));
            if has_view_of_its_own(self.row.kind) {
                spellings.push(format!("{VIEW}{path}"));
            }
        }
        spellings
    }
}

/// The directory that a model is shown by the memory tool.
pub(crate) const VIEW: &str = "/memories/";

/// True for a store whose directory a model may know as [`VIEW`].
pub(crate) const fn has_view_of_its_own(kind: StoreKind) -> bool {
    matches!(kind, StoreKind::MemoryTool | StoreKind::Plain | StoreKind::Remote)
}

/// A memory with its versions.
pub(crate) struct Held {
    pub id: MemoryId,
    pub path: String,
    /// By version of `memory`.
    pub rows: Vec<VersionRow>,
    /// By version of `memory`: its text.
    pub texts: Vec<String>,
    pub memory: Memory,
    pub spellings: Vec<String>,
    /// By spelling of a path that this memory did not always have alone.
    tenancies: HashMap<String, Rc<Tenancy>>,
}

impl Held {
    pub(crate) fn version_id(&self, version: Option<usize>) -> Option<String> {
        self.rows.get(version?).map(|row| row.id.to_string())
    }

    /// The pieces of the memory in a conversation. A path that several stores may share counts where a version agrees.
    pub(crate) fn pieces(&self, digest: &Digest, shelf: &Shelf) -> Vec<usize> {
        let names: Vec<&str> = self.spellings.iter().map(String::as_str).collect();
        let mut found = digest.pieces_of(&names);
        let is_shared = |at: &usize| digest.pieces[*at].path.starts_with(VIEW);
        if found.iter().any(is_shared)
            && !found.iter().any(|at| is_shared(at) && self.agrees(digest, shelf, *at))
        {
            found.retain(|at| !is_shared(at));
        }
        if !self.tenancies.is_empty() {
            found.retain(|at| self.is_own(digest, shelf, *at));
        }
        found
    }

    /// False for what came with a path of the memory while it was another's.
    fn is_own(&self, digest: &Digest, shelf: &Shelf, at: usize) -> bool {
        let piece = &digest.pieces[at];
        let Some(tenancy) = self.tenancies.get(&piece.path) else { return true };
        // What was picked out by its words has the path that its memory has now, whatever that was called then.
        let is_sifted = shelf.text(piece.text).is_some_and(|text| text.claim == Claim::Sifted);
        let first = piece.first().and_then(|first| digest.requests.get(first as usize)?.at);
        let Some(first) = first.filter(|_| !(is_sifted && tenancy.is_of_now)) else { return true };
        match tenancy.at(first) {
            Claimed::Always => true,
            Claimed::Whole => self.memory.has_whole(shelf, piece.text),
            Claimed::Agreeing => self.agrees(digest, shelf, at),
            Claimed::Never => false,
        }
    }

    fn agrees(&self, digest: &Digest, shelf: &Shelf, at: usize) -> bool {
        digest.pieces.get(at).is_some_and(|piece| self.memory.has_text(shelf, piece.text))
    }
}

/// A memory with every version.
///
/// # Errors
/// A failure of the database.
pub(crate) fn held(
    reader: &Reader<'_>,
    store: &StoreAt,
    memory: MemoryId,
    path: &str,
) -> Result<Held, ApiError> {
    let rows = rows_of(reader, memory)?;
    let paths = reader.paths_of(memory)?;
    let written = written(reader, &rows)?;
    let tenancies = tenancies(reader, store, &paths, (memory, &rows, &written))?;
    let (first, _) = reader.recorded_since(store.row.id)?;
    let rows = rows.into_iter().zip(written).collect();
    let held = with_rows(reader, store, memory, path, &paths, rows, |row| {
        !row.rebuilt && row.operation_seq <= first
    })?;
    Ok(Held { tenancies, ..held })
}

/// The versions of a memory, from old to new.
fn rows_of(reader: &Reader<'_>, memory: MemoryId) -> Result<Vec<VersionRow>, ApiError> {
    let filter = VersionFilter { memory: Some(memory), ..VersionFilter::default() };
    let mut rows = reader.versions(&filter)?;
    rows.sort_by_key(|row| (time(row), row.id.seq));
    Ok(rows)
}

/// Who had each path of a memory when, by the spellings of the path. A path that was always this memory's alone is left out.
fn tenancies(
    reader: &Reader<'_>,
    store: &StoreAt,
    paths: &[RelPath],
    (memory, rows, times): (MemoryId, &[VersionRow], &[Written]),
) -> Result<HashMap<String, Rc<Tenancy>>, ApiError> {
    let dated = |times: &[Written]| times.iter().map(|written| written.at).collect::<Vec<_>>();
    let now = rows.iter().rev().find_map(|row| row.path.as_ref());
    let mut found = HashMap::new();
    for path in paths {
        let mut others = memories_at(reader, store, path)?;
        others.retain(|other| *other != memory);
        if others.is_empty() && paths.len() == 1 {
            continue;
        }
        let mut turns = turns_at(path, dated(times).into_iter().zip(rows));
        for other in others {
            let rows = rows_of(reader, other)?;
            turns.extend(turns_at(path, dated(&written(reader, &rows)?).into_iter().zip(&rows)));
        }
        let tenancy = Rc::new(Tenancy::of(memory, turns, now == Some(path)));
        let spelled = store.spellings(std::slice::from_ref(path));
        found.extend(spelled.into_iter().map(|spelling| (spelling, Rc::clone(&tenancy))));
    }
    Ok(found)
}

/// The versions of a memory in order, each with the time since when it was there.
///
/// # Errors
/// A failure of the database.
pub(super) fn dated(
    reader: &Reader<'_>,
    mut rows: Vec<VersionRow>,
) -> Result<Vec<(i64, VersionRow)>, ApiError> {
    rows.sort_by_key(|row| (time(row), row.id.seq));
    let written = written(reader, &rows)?;
    Ok(written.into_iter().map(|written| written.at).zip(rows).collect())
}

/// The memories that were ever at a path of a store.
///
/// # Errors
/// A failure of the database.
pub(super) fn memories_at(
    reader: &Reader<'_>,
    store: &StoreAt,
    path: &RelPath,
) -> Result<Vec<MemoryId>, ApiError> {
    let filter =
        VersionFilter { store: Some(store.row.id), path: Some(path.clone()), ..VersionFilter::default() };
    let mut found = Vec::new();
    for row in reader.versions(&filter)? {
        // A path is asked for with all that is below it.
        if row.path.as_ref().is_none_or(|at| at == path) && !found.contains(&row.memory) {
            found.push(row.memory);
        }
    }
    Ok(found)
}

/// The memories of a store that were ever loaded at the start of a session.
///
/// # Errors
/// A failure of the database.
pub(crate) fn indexes(reader: &Reader<'_>, store: &StoreAt) -> Result<Vec<MemoryId>, ApiError> {
    let index = store.index().and_then(|(path, _)| RelPath::parse(path).ok());
    index.map_or_else(|| Ok(Vec::new()), |path| memories_at(reader, store, &path))
}

/// When a version was there, and whether it is known that it was not there before.
#[derive(Clone, Copy)]
struct Written {
    at: i64,
    is_known: bool,
}

/// Microseconds by which what a call writes is later than the call itself: the request that the call answers did not have it.
const BEHIND_A_CALL: i64 = 1;

/// When each version was written: by the call that is known to have written it, else when it was recorded. None was there later
/// than the one behind it.
fn written(reader: &Reader<'_>, rows: &[VersionRow]) -> Result<Vec<Written>, ApiError> {
    let seqs: Vec<u64> = rows.iter().map(|row| row.id.seq).collect();
    let origins = reader.origins_of(&seqs)?;
    let mut written: Vec<Written> = rows
        .iter()
        .map(|row| {
            let recorded = time(row);
            let is_first = row.operation == VersionOperation::Created;
            let told = origins.get(&row.id.seq).and_then(|origin| {
                let dating = Dating::of(&origin.confidence, &origin.basis, is_first)?;
                Some((dating, origin.call.as_ref()?.at?))
            });
            let Some((dating, at)) = told else { return Written { at: recorded, is_known: false } };
            let is_known = dating == Dating::NotBefore;
            Written { at: at.micros().saturating_add(BEHIND_A_CALL).min(recorded), is_known }
        })
        .collect();
    let mut next = i64::MAX;
    for written in written.iter_mut().rev() {
        if written.at > next {
            *written = Written { at: next, is_known: false };
        }
        next = written.at;
    }
    Ok(written)
}

/// A memory with the version of one instant, which may be older.
///
/// # Errors
/// A failure of the database.
pub(crate) fn held_once(
    reader: &Reader<'_>,
    store: &StoreAt,
    at: &MemoryAt,
) -> Result<Option<Held>, ApiError> {
    let Some(path) = &at.path else { return Ok(None) };
    let paths = [path.clone()];
    let written = Written { at: time(&at.version), is_known: false };
    let rows = vec![(at.version.clone(), written)];
    let memory = at.version.memory;
    with_rows(reader, store, memory, &path.to_text(), &paths, rows, |_| true).map(Some)
}

pub(super) fn time(row: &VersionRow) -> i64 {
    row.written_at.unwrap_or(row.created_at).micros()
}

fn with_rows(
    reader: &Reader<'_>,
    store: &StoreAt,
    id: MemoryId,
    path: &str,
    paths: &[RelPath],
    rows: Vec<(VersionRow, Written)>,
    may_be_older: impl Fn(&VersionRow) -> bool,
) -> Result<Held, ApiError> {
    let (rows, written): (Vec<VersionRow>, Vec<Written>) = rows.into_iter().unzip();
    let contents = reader.contents(&rows)?;
    let (mut kept, mut texts, mut versions) = (Vec::new(), Vec::new(), Vec::new());
    for ((row, content), Written { at, is_known }) in rows.into_iter().zip(contents).zip(written) {
        let (text, version) = match content {
            _ if row.operation == VersionOperation::Deleted => (String::new(), Version::gone(at)),
            Some(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let version = Version::of(&text, at).or_older(may_be_older(&row));
                (text, if is_known { version.dated() } else { version })
            }
            // What was redacted, or is too large to keep, is not compared with anything.
            None => continue,
        };
        // What counts is the path that the memory had then.
        let version = match &row.path {
            Some(path) => version.loaded(store.loading(&path.to_text())),
            None => version,
        };
        kept.push(row);
        texts.push(text);
        versions.push(version);
    }
    Ok(Held {
        id,
        path: path.to_owned(),
        rows: kept,
        texts,
        memory: Memory::new(store.loading(path), versions),
        spellings: store.spellings(paths),
        tenancies: HashMap::new(),
    })
}
