//! Bringing in history from before the app was there: from git, from transcripts, from a bundle.

use crate::Imports;
use crate::jobs::Steps;
use crate::past::{self, Import, bundle, git, transcripts};
use crate::target::Moment;
use crate::wire::ImportSource;
use crate::wire::{
    ApiError, Code, ExportStoreReq, ExportedStore, ImportBundleReq, ImportGitReq, ImportResult,
    ImportTranscriptsReq,
};
use retrace_engine::before_recording::{is_before_recording, refused};
use retrace_engine::{path_to_bytes, root_of};
use retrace_log::{ElsewhereKind, Reader, StoreRow};
use retrace_model::{RelPath, Source};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of the progress of an import without a name.
const UNNAMED: &str = "import";

/// Brings in the history that git kept of a directory, as one operation. Nothing is written to the directory or to git, and
/// nothing is fetched.
///
/// # Errors
/// `not_found` for an unknown store or a directory that no repository keeps, `store_unavailable` where git cannot be run,
/// `invalid` when it is not clear which store is meant or the import is stopped.
pub fn import_git(inner: &Arc<Imports>, request: ImportGitReq) -> Result<ImportResult, ApiError> {
    let job = inner.jobs.begin(request.job.as_deref())?;
    let steps = Steps { inner, task: request.job.as_deref().unwrap_or(UNNAMED), stop: job.stop() };
    let directory = Path::new(&request.directory);
    let directory = std::path::absolute(directory).unwrap_or_else(|_| directory.to_path_buf());
    let Past { store, directory, path, below } =
        inner.read(|reader| inner.past_of(reader, &request, &directory))?;
    let place = git::GitPlace::find(&directory, path.as_deref(), below)?;
    let past_history = git::read(&place, &inner.rules, &steps)?;
    let import = Import {
        from: ImportSource::Git,
        source: Source::Import,
        note: say::import_from_git(crate::wire::show(&directory)),
        dry_run: request.dry_run,
    };
    let done = past::carry_out(inner, &store, past_history, &import, &steps)?;
    if !request.dry_run {
        inner.remember(ElsewhereKind::Git, &directory)?;
    }
    Ok(done)
}

/// Where the history of a store is asked for.
struct Past {
    store: StoreRow,
    directory: PathBuf,
    /// Only this below the directory.
    path: Option<String>,
    /// Where in the store it lies; `None` for the store itself.
    below: Option<RelPath>,
}

/// Brings in what the transcripts of this machine's agents tell of a store: what they wrote, what they read, and the copies
/// Claude Code kept before edits. One operation.
///
/// # Errors
/// `not_found` for an unknown store, `invalid` when the import is stopped.
pub fn import_transcripts(
    inner: &Arc<Imports>,
    request: ImportTranscriptsReq,
) -> Result<ImportResult, ApiError> {
    let job = inner.jobs.begin(request.job.as_deref())?;
    let steps = Steps { inner, task: request.job.as_deref().unwrap_or(UNNAMED), stop: job.stop() };
    let store = inner.read(|reader| inner.store_named(reader, &request.store))?;
    let past_history = transcripts::read(inner, &store, &steps)?;
    let import = Import {
        from: ImportSource::Transcripts,
        source: Source::Rebuilt,
        note: say::rebuilt_from_transcripts(),
        dry_run: request.dry_run,
    };
    past::carry_out(inner, &store, past_history, &import, &steps)
}

/// Brings in what a bundle holds, as one operation.
///
/// # Errors
/// `not_found` for an unknown store or file, `invalid` for a file that is no bundle or damaged, or when the import is stopped.
pub fn import_bundle(inner: &Arc<Imports>, request: ImportBundleReq) -> Result<ImportResult, ApiError> {
    let job = inner.jobs.begin(request.job.as_deref())?;
    let steps = Steps { inner, task: request.job.as_deref().unwrap_or(UNNAMED), stop: job.stop() };
    let file = Path::new(&request.file);
    let (head, past_history) = bundle::read(file, &inner.rules, &steps)?;
    let name = request.store.as_deref().unwrap_or(&head.name);
    let store = inner.read(|reader| inner.store_named(reader, name))?;
    let import = Import {
        from: ImportSource::Bundle,
        source: Source::Import,
        note: say::import_bundle(crate::wire::show(file)),
        dry_run: request.dry_run,
    };
    past::carry_out(inner, &store, past_history, &import, &steps)
}

/// Writes a store's files as of an instant to a new directory, or its whole history to a new bundle.
///
/// # Errors
/// `not_found` for an unknown store or instant, `invalid` for a place that is taken, `before_recording` for an instant before
/// recording began, unless what imported history knows of it is asked for, `cannot_write`.
pub fn export_store(inner: &Arc<Imports>, request: ExportStoreReq) -> Result<ExportedStore, ApiError> {
    let to = Path::new(&request.to);
    let is_bundle = bundle::is_bundle(to);
    if is_bundle && request.at.is_some() {
        return Err(ApiError::invalid(say::bundle_holds_whole_history_not(), "at")
            .hint(say::name_directory_get_files_then()));
    }
    let exported = inner.read(|reader| {
        let store = inner.store_named(reader, &request.store)?;
        if is_bundle {
            return bundle::write(reader, &store, to);
        }
        let at = request.at.as_deref().map(|at| crate::target::moment(reader, at)).transpose()?;
        refuse_unknown_time(reader, &store, at, &request)?;
        bundle::write_files(reader, &store, at, to)
    })?;
    // A later redaction looks there.
    inner.remember(if is_bundle { ElsewhereKind::Bundle } else { ElsewhereKind::Export }, to)?;
    Ok(exported)
}

/// Refuses a time of which nothing was recorded, unless what imported history knows of it is asked for and there is any.
fn refuse_unknown_time(
    reader: &Reader<'_>,
    store: &StoreRow,
    at: Option<Moment>,
    request: &ExportStoreReq,
) -> Result<(), ApiError> {
    let (Some(at), Some(named)) = (at, &request.at) else { return Ok(()) };
    let is_before = is_before_recording(reader, store, at)?;
    if !is_before && request.from_imported {
        return Err(ApiError::invalid(say::directory_recorded_then_state_known(), named)
            .hint(say::export_without_from_imported()));
    }
    if is_before && (!request.from_imported || at.memories(reader, store.id)?.is_empty()) {
        return Err(refused(reader, store, at, named, say::files_time_known_from_imported)?);
    }
    Ok(())
}

impl Imports {
    /// Remembers where contents of the log are outside of it.
    fn remember(&self, kind: ElsewhereKind, path: &Path) -> Result<(), ApiError> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        self.write(|act| Ok(act.remember_elsewhere(kind, &path_to_bytes(&path))?))
    }

    /// The store that a directory's history belongs to, and where in it the history lies. A directory that a store lies in, such
    /// as the top of a repository, means the store's own part of it.
    fn past_of(
        &self,
        reader: &Reader<'_>,
        request: &ImportGitReq,
        directory: &Path,
    ) -> Result<Past, ApiError> {
        let path = request.path.as_deref().map(tidy).filter(|path| !path.is_empty());
        let place = path.as_ref().map_or_else(|| directory.to_path_buf(), |path| directory.join(path));
        let is_at = |root: &Path| place == *root || below(&place, root).is_some();
        let is_around = |root: &Path| !is_at(root) && below(root, &place).is_some();
        let stores = match &request.store {
            Some(name) => vec![self.store_named(reader, name)?],
            None => {
                let mut stores = reader.stores()?;
                stores.retain(|store| store.removed_at.is_none() && store.has_directory());
                stores
            }
        };
        let at = stores.iter().filter(|store| is_at(&root_of(store)));
        let store = match at.max_by_key(|store| store.root.len()) {
            Some(store) => store.clone(),
            None => {
                let around: Vec<&StoreRow> = stores
                    .iter()
                    .filter(|store| store.has_directory() && is_around(&root_of(store)))
                    .collect();
                match around.as_slice() {
                    [store] => {
                        let (store, root) = ((*store).clone(), root_of(store));
                        return Ok(Past { store, directory: root, path: None, below: None });
                    }
                    [] => match stores.into_iter().next().filter(|_| request.store.is_some()) {
                        Some(store) => store,
                        None => return Err(no_store_at(&place)),
                    },
                    [first, second, ..] => {
                        return Err(ApiError::invalid(
                            say::more_than_one_store_lies(),
                            crate::wire::show(&place),
                        )
                        .hint(say::name_one_them_store_such(&first.name, &second.name)));
                    }
                }
            }
        };
        let below = below(&place, &root_of(&store));
        Ok(Past { store, directory: directory.to_path_buf(), path, below })
    }
}

fn no_store_at(place: &Path) -> ApiError {
    ApiError::new(Code::NotFound, say::no_store_directory(), crate::wire::show(place))
        .hint(say::name_store_store_what_git())
}

/// Where `place` lies below `root`; `None` when it does not, or is it.
fn below(place: &Path, root: &Path) -> Option<RelPath> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let rest = place
        .strip_prefix(root)
        .map(Path::to_path_buf)
        .or_else(|_| real(place).strip_prefix(real(root)).map(Path::to_path_buf))
        .ok()?;
    RelPath::parse(&rest.to_string_lossy()).ok()
}

/// A path as a person writes it, without what says nothing.
fn tidy(path: &str) -> String {
    let parts: PathBuf =
        Path::new(path).components().filter(|part| matches!(part, std::path::Component::Normal(_))).collect();
    parts.to_string_lossy().into_owned()
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "import";
    import_from_git(directory) => "import from git of {directory}",
    rebuilt_from_transcripts() => "rebuilt from transcripts",
    import_bundle(file) => "import of the bundle {file}",
    directory_recorded_then_state_known() => "The directory was recorded by then, so that its state is known.",
    export_without_from_imported() => "Export it without `--from-imported`.",
    files_time_known_from_imported(known) => "Files of that time known from imported history: {known}. `--from-imported` exports those.",
    bundle_holds_whole_history_not() => "A bundle holds the whole history, not one instant.",
    name_directory_get_files_then() => "Name a directory to get the files as of then.",
    more_than_one_store_lies() => "More than one store lies in that directory.",
    name_one_them_store_such(name, name_2) => "Name one of them with --store, such as \"{name}\" or \"{name_2}\".",
    no_store_directory() => "No store is at that directory.",
    name_store_store_what_git() => "Name the store with --store; what git kept of the directory then counts as the store's.",
}
