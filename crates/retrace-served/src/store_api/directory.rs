//! Files of a store that has a directory. Each function does nothing for a store that lives in the log alone.

use super::Stop;
use super::read::current;
use super::write::Writing;
use crate::live_files::Large;
use crate::wire::ApiError;
use retrace_files::{Done, Expected, FileError, Root};
use retrace_log::{ApiStoreRow, LiveRecord};
use retrace_model::{RelPath, Seen, Sha256};
use retrace_store_api::Refusal;
use std::sync::Arc;

fn root(writing: &Writing<'_, '_>, store: &ApiStoreRow) -> Result<Option<Arc<Root>>, Stop> {
    if store.directory.is_none() {
        return Ok(None);
    }
    let row = writing.act.reader().store(store.id)?;
    let mut root = writing.inner.store_root(&row).map_err(ApiError::from)?;
    root.set_holding(true);
    Ok(Some(Arc::new(root)))
}

/// Records what stands at these paths where it is not what the log has, so that what follows is decided by what is there. Where
/// there was something, the call is made again once that is committed.
pub(super) fn record_standing(
    writing: &mut Writing<'_, '_>,
    store: &ApiStoreRow,
    paths: &[&RelPath],
) -> Result<(), Stop> {
    let Some(root) = root(writing, store)? else { return Ok(()) };
    let inner = writing.inner;
    inner.catch_up_within(writing.act, store.id, &root)?;
    for path in paths {
        if inner.rules.leaves_out(path.components()).is_some() {
            return Err(Refusal::invalid("path", "names a file that the directory's rules leave out").into());
        }
        // Something that is no file is in the way, and no memory that could be gone.
        match root.seen(path) {
            Ok(Some(_)) => {}
            Ok(None) => match root.read(path, 0) {
                Ok(_)
                | Err(
                    FileError::Missing { .. } | FileError::BelowAFile { .. } | FileError::IsDirectory { .. },
                ) => {}
                Err(error) => return Err(refused(error)),
            },
            Err(error) => return Err(refused(error)),
        }
    }
    let (place, paths) = ((store.id, &*root), paths.iter().copied());
    Ok(writing.files.record_standing(inner, writing.act, place, paths, Large::Refused)?)
}

/// Bytes on disk of a memory; `None` for a store without a directory, and where there is no file.
pub(super) fn bytes_of(
    writing: &Writing<'_, '_>,
    store: &ApiStoreRow,
    record: &LiveRecord,
) -> Result<Option<Vec<u8>>, Stop> {
    let Some(root) = root(writing, store)? else { return Ok(None) };
    match root.read(&record.path, u64::MAX) {
        Ok(content) => Ok(content.bytes),
        Err(FileError::Missing { .. } | FileError::BelowAFile { .. }) => Ok(None),
        Err(error) => Err(refused(error)),
    }
}

/// Writes a new file.
pub(super) fn create(
    writing: &mut Writing<'_, '_>,
    store: &ApiStoreRow,
    path: &RelPath,
    bytes: &[u8],
) -> Result<Option<Seen>, Stop> {
    let Some(root) = root(writing, store)? else { return Ok(None) };
    Ok(put(writing, (store, &root), (path, Expected::Absent, None), bytes)?.seen)
}

/// Writes a memory's new content, at its path or at another.
pub(super) fn update(
    writing: &mut Writing<'_, '_>,
    store: &ApiStoreRow,
    record: &LiveRecord,
    path: &RelPath,
    bytes: &[u8],
) -> Result<Option<Seen>, Stop> {
    let Some(root) = root(writing, store)? else { return Ok(None) };
    let standing = standing(&root, record)?;
    if *path == record.path {
        return Ok(put(writing, (store, &root), (path, Expected::Hash(standing), None), bytes)?.seen);
    }
    let done = put(writing, (store, &root), (path, Expected::Absent, Some(&record.path)), bytes)?;
    take(writing, (store, &root), &record.path, standing)?;
    Ok(done.seen)
}

/// Deletes a memory's file.
pub(super) fn delete(
    writing: &mut Writing<'_, '_>,
    store: &ApiStoreRow,
    record: &LiveRecord,
) -> Result<(), Stop> {
    let Some(root) = root(writing, store)? else { return Ok(()) };
    let standing = standing(&root, record)?;
    take(writing, (store, &root), &record.path, standing)
}

/// The hash the file of a memory has. Of one whose newest version is redacted only the file itself knows.
fn standing(root: &Root, record: &LiveRecord) -> Result<Sha256, Stop> {
    if record.head.redaction.is_none() {
        return Ok(current(record).0);
    }
    Ok(root.read(&record.path, 0).map_err(refused)?.sha256)
}

fn put(
    writing: &mut Writing<'_, '_>,
    (store, root): (&ApiStoreRow, &Arc<Root>),
    target: (&RelPath, Expected, Option<&RelPath>),
    bytes: &[u8],
) -> Result<Done, Stop> {
    let reader = writing.act.reader();
    writing.files.put(writing.inner, &reader, (store.id, root), target, (None, bytes)).map_err(refused)
}

fn take(
    writing: &mut Writing<'_, '_>,
    (store, root): (&ApiStoreRow, &Arc<Root>),
    path: &RelPath,
    standing: Sha256,
) -> Result<(), Stop> {
    let place = (store.id, root);
    writing.files.take(writing.inner, writing.act, place, path, standing).map(drop).map_err(refused)
}

/// A file in the way on disk is a conflict; anything else is a failure.
fn refused(error: FileError) -> Stop {
    match error {
        FileError::Moved { path, .. }
        | FileError::IsDirectory { path }
        | FileError::BelowAFile { path }
        | FileError::Link { path }
        | FileError::NotAFile { path, .. } => Refusal::in_the_way(format!("/{path}"), String::new()).into(),
        error => Stop::Failed(error.into()),
    }
}
