//! The memory tool: each call is done and recorded in one step, with its session as the author.
//!
//! Where the file system allows it, a call waits for the disk once, when the log is committed; `flush.rs` says what becomes of
//! the files.

use crate::Served;
use crate::flush::Changed;
use crate::guard::ByRules;
use crate::kept_out::Redacted;
use crate::live_files::{Large, LiveFiles};
use crate::wire::{AddStore, ApiError, Code, MemoryToolAnswer, MemoryToolReq};
use retrace_engine::root_of;
use retrace_engine::{Faults, asked};
use retrace_files::{FileError, Root, Steps};
use retrace_findings::OwnRules;
use retrace_log::{Act, Append, Change, Payload, Prompt, StoreRow};
use retrace_memory_tool::{
    Change as Reported, Durable, GuardMode, MemoryTool, Observer, Options, Unobserved,
};
use retrace_message::{AsMessage, Message};
use retrace_model::{Actor, Evidence, RelPath, Sha256, Source, StoreId, StoreKind};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of what the rules leave out that one call may delete, since all of it is recorded: 64 MiB.
const MOST_LEFT_OUT: u64 = 64 << 20;

/// Answers one call of the memory tool over a store's directory.
///
/// A call that changes something holds the log's write lock from before it looks until its versions are appended, so calls
/// of any number of agents and processes come one after the other, and each is exactly one operation. What stands on disk
/// at the paths concerned is recorded first, and in a transaction of its own, where the log does not know it. What the store's
/// rules leave out is recorded only where a call deletes it, in the transaction of the call, before its file goes. If the
/// log cannot take the versions after the files were changed (a full disk), they are made what they were, and the call
/// fails: it can be repeated.
///
/// # Errors
/// `not_found` for an unknown store, `invalid` for an unknown dialect, guard or rule, or a directory that cannot be a store,
/// `store_unavailable` (also for a store without a directory), or a failure of the database. What the tool itself
/// refuses is an answer with `is_error`.
pub fn memory_tool(inner: &Arc<Served>, request: MemoryToolReq) -> Result<MemoryToolAnswer, ApiError> {
    let mut options = options_of(inner, &request)?;
    let store = match (&request.store, &request.root) {
        (Some(name), None) => inner.read(|reader| inner.store_named(reader, name))?,
        (None, Some(root)) => {
            options.make_root = true;
            store_at(inner, root, &options)?
        }
        _ => return Err(ApiError::invalid(say::say_exactly_one_store_root(), "")),
    };
    if !store.has_directory() {
        return Err(without_directory(&store));
    }
    let root = Arc::new(inner.store_root(&store)?);
    options.identity = Some(root.identity());
    let tool = open(root.path(), options)?;
    if !MemoryTool::changes(&request.input) {
        let answer = tool.call(&request.input, &mut ());
        return Ok(MemoryToolAnswer {
            content: answer.content,
            is_error: answer.is_error,
            operation_seq: None,
            versions: Vec::new(),
            not_recorded: Vec::new(),
        });
    }
    inner.catch_up(&store)?;
    call_and_record(inner, &tool, &store, &root, &request)
}

/// Makes a call that changes something, and records it.
fn call_and_record(
    inner: &Arc<Served>,
    tool: &MemoryTool,
    store: &StoreRow,
    root: &Arc<Root>,
    request: &MemoryToolReq,
) -> Result<MemoryToolAnswer, ApiError> {
    let actor = match &request.session {
        Some(id) if !id.is_empty() => Actor::Session { id: id.clone(), evidence: Evidence::Stated },
        _ => Actor::Unknown,
    };
    let boot = inner.defers(root);
    let mut noted = Vec::new();
    let mut changed = None;
    let written = inner.write_with_files(|act, files| {
        let mut call = Recorded {
            inner,
            act,
            files,
            store: store.id,
            root,
            changes: Vec::new(),
            not_recorded: Vec::new(),
            left_out: BTreeMap::new(),
            displaced: Vec::new(),
            failed: None,
            defers: boot.is_some(),
            durable: Durable::Now,
        };
        let (answer, pending) = tool.call_pending(&request.input, &mut call);
        call.files.called(store.id, root, pending);
        if let Some(error) = call.failed.take() {
            return Err(error);
        }
        if !call.files.left().is_empty() {
            return Err(ApiError::new(Code::StoreUnavailable, Message::verbatim(answer.content), ""));
        }
        let (changes, not_recorded, displaced) = (call.changes, call.not_recorded, call.displaced);
        let paths = paths_of(&changes);
        if !displaced.is_empty() {
            let note = say::left_out_by_rules_recorded_before();
            act.append(Append {
                store: Some(store.id),
                source: Source::Scan,
                actor: &Actor::Unknown,
                note: Some(note.text()),
                at: inner.now(),
                undoes: None,
                changes: displaced,
                even_if_empty: false,
            })?;
        }
        // Taken after the files are written: what a recorder read before that is older than this call.
        let appended = act.append(Append {
            store: Some(store.id),
            source: Source::Tool,
            actor: &actor,
            note: None,
            at: inner.now(),
            undoes: None,
            changes,
            even_if_empty: false,
        })?;
        if let Some(operation) = appended.operation_seq {
            act.keep_prompt(operation, &Prompt { turn: request.turn, text: request.prompt.clone() })?;
        }
        // A content that the log does not have in full could not be put back.
        if let Some(boot) = boot.filter(|_| not_recorded.is_empty() && !appended.versions.is_empty()) {
            act.note_unflushed(&appended.versions, boot)?;
            let seqs = appended.versions.iter().map(|version| version.seq).collect();
            changed = Some(Changed { root: root.path().to_owned(), paths, seqs });
        }
        noted = inner.note_flushed(act)?;
        Ok(MemoryToolAnswer {
            content: answer.content,
            is_error: answer.is_error,
            operation_seq: appended.operation_seq,
            versions: appended.versions.iter().map(ToString::to_string).collect(),
            not_recorded: not_recorded.iter().map(RelPath::to_text).collect(),
        })
    });
    if written.is_err() {
        inner.still_to_note(noted);
    } else if let Some(changed) = changed {
        inner.flush_later(changed);
    }
    written
}

/// Every path that changes name.
fn paths_of(changes: &[Change]) -> Vec<RelPath> {
    let mut paths = Vec::new();
    for change in changes {
        paths.push(change.path.clone());
        if let Payload::Content { moved_from: Some(from), .. } = &change.payload {
            paths.push(from.clone());
        }
    }
    paths
}

/// The tool works on files: its modes, links and atomic steps are those of a directory.
fn without_directory(store: &StoreRow) -> ApiError {
    let error = ApiError::new(Code::StoreUnavailable, say::memory_tool_works_files_directory(), &store.name);
    match store.kind {
        StoreKind::Remote => error.hint(say::give_tool_directory_own_add()),
        _ => error.hint(say::give_store_empty_directory_first()),
    }
}

fn options_of(inner: &Arc<Served>, request: &MemoryToolReq) -> Result<Options, ApiError> {
    let word = |error: &dyn retrace_message::AsMessage| ApiError::invalid(crate::wire::sentence(error), "");
    let dialect = match &request.dialect {
        Some(name) => name.parse().map_err(|error| word(&error))?,
        None => retrace_memory_tool::Dialect::default(),
    };
    let random = {
        let entropy = Arc::clone(&inner.options.entropy);
        move || {
            let mut bytes = [0; 8];
            entropy(&mut bytes);
            u64::from_ne_bytes(bytes)
        }
    };
    let mut options = Options::new(dialect, Arc::new(random));
    let faults: Arc<dyn Faults> = Arc::clone(&inner.options.faults);
    let steps: Arc<dyn Steps + Send + Sync> = faults;
    options.steps = steps;
    options.max_file_bytes = inner.rules.max_file_bytes;
    if let Some(mode) = &request.guard {
        options.guard_mode = mode.parse().map_err(|error| word(&error))?;
    }
    if options.guard_mode != GuardMode::Off {
        let required = asked::under(OwnRules::default(), &inner.options.data_dir)?;
        options.guard = Some(Arc::new(ByRules::new(request.guard_config.as_deref(), &required)?));
    }
    let tags = inner.tags()?;
    if !tags.is_empty() {
        options.kept_out = Some(Arc::new(Redacted(tags)));
    }
    if let Some(characters) = request.view_characters {
        options.view_characters = (characters > 0).then(|| usize::try_from(characters).unwrap_or(usize::MAX));
    }
    Ok(options)
}

fn open(root: &Path, options: Options) -> Result<MemoryTool, ApiError> {
    use retrace_memory_tool::OpenError;
    MemoryTool::open(root, options).map_err(|error| match error {
        OpenError::Root(error) => error.into(),
        error => ApiError::new(
            Code::StoreUnavailable,
            crate::wire::sentence(&error.to_string()),
            crate::wire::show(root),
        ),
    })
}

/// The store of a directory; added when there is none.
fn store_at(inner: &Arc<Served>, root: &str, options: &Options) -> Result<StoreRow, ApiError> {
    if root.is_empty() {
        return Err(ApiError::invalid(say::no_directory_given(), "root"));
    }
    let directory =
        std::path::absolute(root).map_err(|error| ApiError::invalid(error.message().sentence(), root))?;
    // One that is known is not searched for where a link may lead by now.
    if let Some(store) = listed_at(inner, &directory)? {
        if std::fs::symlink_metadata(&directory).is_err() {
            drop(open(&directory, options.clone())?);
            if let Ok(made) = Root::open_there(&directory) {
                inner.keep_place(&store, made.identity())?;
            }
        }
        return inner.read(|reader| Ok(reader.store(store.id)?));
    }
    // Opening makes it.
    drop(open(&directory, options.clone())?);
    let directory = std::fs::canonicalize(&directory).unwrap_or(directory);
    if let Some(store) = listed_at(inner, &directory)? {
        return Ok(store);
    }
    let added = crate::stores::add_store(
        inner,
        AddStore { root: root.to_owned(), kind: Some(StoreKind::MemoryTool.as_str().to_owned()), name: None },
    );
    match (listed_at(inner, &directory)?, added) {
        // Added, perhaps by another process just now.
        (Some(store), _) => Ok(store),
        (None, Err(error)) => Err(error),
        (None, Ok(store)) => inner.read(|reader| inner.store_named(reader, &store.id)),
    }
}

fn listed_at(inner: &Served, directory: &PathBuf) -> Result<Option<StoreRow>, ApiError> {
    let stores = inner.read(|reader| Ok(reader.stores()?))?;
    Ok(stores.into_iter().find(|store| store.removed_at.is_none() && root_of(store) == *directory))
}

/// Records what a call is about to touch, and keeps what it changed.
struct Recorded<'r, 'w> {
    inner: &'r Served,
    act: &'r mut Act<'w>,
    files: &'r mut LiveFiles,
    store: StoreId,
    root: &'r Arc<Root>,
    changes: Vec<Change>,
    not_recorded: Vec<RelPath>,
    /// What stands at the paths of the next change that the rules leave out.
    left_out: BTreeMap<RelPath, Payload>,
    /// Contents that the call deleted and that the log is to have before.
    displaced: Vec<Change>,
    /// The failure of the log that stopped the call.
    failed: Option<ApiError>,
    /// True if changes may be answered before they are on the disk.
    defers: bool,
    /// Durability of the next change.
    durable: Durable,
}

impl Observer for Recorded<'_, '_> {
    fn before(&mut self, paths: &[RelPath]) -> Result<(), Unobserved> {
        self.read_left_out(paths)?;
        self.record_standing(paths, Large::Refused)
    }

    fn before_renaming(&mut self, paths: &[RelPath]) -> Result<(), Unobserved> {
        self.record_standing(paths, Large::MayMove)
    }

    fn durable(&self) -> Durable {
        self.durable
    }

    fn changed(&mut self, change: &Reported<'_>) {
        match *change {
            Reported::Written { path, bytes, seen } => {
                let content = Payload::Content {
                    bytes: Some(bytes.to_vec()),
                    sha256: Sha256::of(bytes),
                    size: bytes.len() as u64,
                    seen,
                    moved_from: None,
                };
                self.put(path, content);
            }
            Reported::Removed { path } => self.removed(path),
            Reported::Moved { from, to } => self.moved(from, to),
        }
    }
}

impl Recorded<'_, '_> {
    fn is_memory(&self, path: &RelPath) -> bool {
        self.inner.rules.leaves_out(path.components()).is_none()
    }

    fn put(&mut self, path: &RelPath, payload: Payload) {
        if self.is_memory(path) {
            self.changes.push(Change { store: self.store, path: path.clone(), payload });
        } else {
            self.not_recorded.push(path.clone());
        }
    }

    /// What the rules leave out is recorded when it goes, as it was and as deleted: nobody can look at it any more.
    fn removed(&mut self, path: &RelPath) {
        let Some(payload) = self.left_out.remove(path) else { return self.put(path, Payload::Gone) };
        let change = |payload| Change { store: self.store, path: path.clone(), payload };
        self.displaced.push(change(payload));
        self.changes.push(change(Payload::Gone));
    }

    /// Reads what stands at those of the paths that the rules leave out.
    fn read_left_out(&mut self, paths: &[RelPath]) -> Result<(), Unobserved> {
        self.left_out.clear();
        let (mut total, limit) = (0, self.inner.rules.max_file_bytes);
        for path in paths {
            if self.is_memory(path) {
                continue;
            }
            let content = match self.root.read(path, limit) {
                Ok(content) => content,
                Err(FileError::Missing { .. }) => continue,
                Err(error) if error.is_in_the_way() => continue,
                Err(error) => {
                    let error = ApiError::from(error);
                    let reason = Unobserved(error.message.to_string());
                    self.failed = Some(error);
                    return Err(reason);
                }
            };
            total += content.size;
            if content.bytes.is_none() || total > MOST_LEFT_OUT {
                return Err(Unobserved(say::left_out_too_large_to_keep(path.to_text()).to_string()));
            }
            let payload = Payload::Content {
                bytes: content.bytes,
                sha256: content.sha256,
                size: content.size,
                seen: Some(content.seen),
                moved_from: None,
            };
            self.left_out.insert(path.clone(), payload);
        }
        Ok(())
    }

    fn moved(&mut self, from: &RelPath, to: &RelPath) {
        if !self.is_memory(from) && !self.is_memory(to) {
            self.not_recorded.push(to.clone());
            return;
        }
        match self.root.read(to, self.inner.rules.max_file_bytes) {
            Ok(content) if self.is_memory(to) => {
                let moved_from = self.is_memory(from).then(|| from.clone());
                let content = Payload::Content {
                    bytes: content.bytes,
                    sha256: content.sha256,
                    size: content.size,
                    seen: Some(content.seen),
                    moved_from,
                };
                self.put(to, content);
            }
            Ok(_) => {
                self.put(from, Payload::Gone);
                self.not_recorded.push(to.clone());
            }
            // Somebody took it away again, or it cannot be read: the next scan tells.
            Err(_) => self.put(from, Payload::Gone),
        }
    }

    /// Records what stands at the paths that are memories, where it is not what the log has.
    fn record_standing(&mut self, paths: &[RelPath], large: Large) -> Result<(), Unobserved> {
        let inner = self.inner;
        let memories = paths.iter().filter(|path| inner.rules.leaves_out(path.components()).is_none());
        let place = (self.store, &**self.root);
        let recorded = self.files.record_standing(inner, self.act, place, memories, large);
        recorded.map_err(|error| {
            let reason = Unobserved(error.message.to_string());
            // An error that the tool can report itself is its answer.
            if error.code != Code::Invalid {
                self.failed = Some(error);
            }
            reason
        })?;
        let may = self.defers && paths.iter().all(|path| self.is_memory(path));
        self.durable = if may { Durable::Later } else { Durable::Now };
        Ok(())
    }
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "memory_tool";
    say_exactly_one_store_root() => "Say exactly one of: a store, a root.",
    memory_tool_works_files_directory() => "The memory tool works on the files of a directory, and this store has none.",
    give_tool_directory_own_add() => "Give the tool a directory of its own, add that as a store, and take its memories over into this one.",
    give_store_empty_directory_first() => "Give the store an empty directory first (`mount_store`); from then on both sides are one. Or write to it through the Memory Stores API.",
    left_out_by_rules_recorded_before() => "left out by the rules, and recorded because a call of the memory tool deletes it",
    left_out_too_large_to_keep(path) => "{path} is left out by the store's rules, and too large to be kept in the log before it is deleted. Move it elsewhere, then repeat.",
    no_directory_given() => "No directory was given.",
}
