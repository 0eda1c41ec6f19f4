//! Directories as stores of the API, and stores of the API as directories.

use crate::Served;
use crate::live_files::LiveFiles;
use crate::stores::{answer as store_answer, directory as directory_named_by, refuse_overlap};
use crate::wire::{self, ApiError, Code, MountStoreReq, ShareStoreReq};
use retrace_engine::path_to_bytes;
use retrace_files::{Expected, Root};
use retrace_log::{Act, StoreRow};
use retrace_message::AsMessage;
use retrace_model::{RelPath, Seen};
use std::path::Path;
use std::sync::Arc;

/// Bytes of a file's name that every file system takes.
const NAME_BYTES: usize = 255;

/// Shows a directory's store in the Memory Stores API, or no longer.
///
/// # Errors
/// `not_found` for an unknown store, `invalid` for a store that lives in the log alone and would be nowhere any more.
pub fn share_store(inner: &Arc<Served>, request: &ShareStoreReq) -> Result<wire::Store, ApiError> {
    let row = inner.read(|reader| inner.store_named(reader, &request.store))?;
    let shown = inner.read(|reader| Ok(reader.api_store(row.id)?))?.is_some();
    if request.shared && row.is_remote() {
        return Err(ApiError::invalid(say::mirror_hosted_store_shown_host(), &row.name));
    }
    let at = inner.now();
    match (request.shared, shown) {
        (true, false) => inner.write(|act| Ok(act.share_store(row.id, at)?))?,
        (false, true) if row.is_log_only() => {
            return Err(ApiError::invalid(say::store_no_directory_only_api(), &row.name)
                .hint(say::delete_through_api_or_mount()));
        }
        (false, true) => inner.write(|act| Ok(act.delete_api_store(row.id, at)?))?,
        (true, true) | (false, false) => {}
    }
    inner.stores_changed();
    store_answer(inner, row.id)
}

/// Gives a store that lives in the log alone a directory, with a file for each memory, or takes the directory away again.
/// Content of the directory is recorded first, and stays where it is.
///
/// # Errors
/// `not_found` for an unknown store; `invalid` when the store is not one of the API's, has a directory already or none, or
/// when the directory is not empty, overlaps another store, or cannot hold one of the memories; `store_unavailable`.
pub fn mount_store(inner: &Arc<Served>, request: &MountStoreReq) -> Result<wire::Store, ApiError> {
    let row = inner.read(|reader| inner.store_named(reader, &request.store))?;
    if inner.read(|reader| Ok(reader.api_store(row.id)?))?.is_none() {
        return Err(ApiError::invalid(say::memory_stores_api_not_show(), &row.name));
    }
    match &request.directory {
        Some(directory) => mount(inner, &row, directory)?,
        None if row.is_log_only() => {
            return Err(ApiError::invalid(say::store_has_no_directory(), &row.name));
        }
        None => {
            inner.scan(&row)?;
            inner.write(|act| Ok(act.relocate_store(row.id, None)?))?;
        }
    }
    inner.stores_changed();
    store_answer(inner, row.id)
}

fn mount(inner: &Served, row: &StoreRow, directory: &str) -> Result<(), ApiError> {
    if !row.is_log_only() {
        return Err(ApiError::invalid(say::store_directory_already(), &row.name));
    }
    std::fs::create_dir_all(directory)
        .map_err(|error| ApiError::new(Code::StoreUnavailable, error.message().sentence(), directory))?;
    let directory = directory_named_by(directory)?;
    refuse_overlap(inner, &directory)?;
    let empty = std::fs::read_dir(&directory).is_ok_and(|mut entries| entries.next().is_none());
    if !empty {
        return Err(ApiError::invalid(say::directory_not_empty(), crate::wire::show(&directory)));
    }
    let mut root = Root::open(&directory)?;
    root.set_holding(true);
    let root = Arc::new(root);
    inner.write_with_files(|act, files| fill(inner, (act, files), row, &root, &directory))
}

/// Writes a file for each memory and gives the store its directory.
fn fill(
    inner: &Served,
    (act, files): (&mut Act<'_>, &mut LiveFiles),
    row: &StoreRow,
    root: &Arc<Root>,
    directory: &Path,
) -> Result<(), ApiError> {
    let mut written: Vec<(RelPath, Seen)> = Vec::new();
    let reader = act.reader();
    for (path, seq) in reader.live_paths(row.id, b"")? {
        let too_long = path.components().any(|name| name.len() > NAME_BYTES);
        if too_long || inner.rules.leaves_out(path.components()).is_some() {
            return Err(ApiError::invalid(say::directory_cannot_hold_memory_or(), path.to_text())
                .hint(say::rename_memory_through_api()));
        }
        let version = reader.version(seq)?;
        let bytes = match version.redaction {
            Some(_) => Vec::new(),
            None => reader.content(&version)?.map(|content| content.bytes).unwrap_or_default(),
        };
        let done =
            files.put(inner, &reader, (row.id, root), (&path, Expected::Absent, None), (None, &bytes))?;
        written.extend(done.seen.map(|seen| (path, seen)));
    }
    act.relocate_store(row.id, Some(&path_to_bytes(directory)))?;
    let place = crate::roots::place(root.identity(), inner.options.boot.as_deref());
    act.set_store_place(row.id, &place, None)?;
    act.saw(row.id, &written, inner.now())?;
    Ok(())
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "share";
    store_has_no_directory() => "The store has no directory.",
    directory_not_empty() => "The directory is not empty.",
    mirror_hosted_store_shown_host() => "A mirror of a hosted store is shown by its host.",
    store_no_directory_only_api() => "The store has no directory, so only the API shows it.",
    delete_through_api_or_mount() => "Delete it through the API, or mount it at a directory first.",
    memory_stores_api_not_show() => "The Memory Stores API does not show this store.",
    store_directory_already() => "The store has a directory already.",
    directory_cannot_hold_memory_or() => "A directory cannot hold this memory, or its rules leave it out.",
    rename_memory_through_api() => "Rename the memory through the API.",
}
