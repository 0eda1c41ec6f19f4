//! Files of a store that has a directory. Each function does nothing for a store that lives in the log alone.

use super::Stop;
use super::read::current;
use super::write::Writing;
use crate::app::path_from_bytes;
use crate::look::append_seen;
use crate::wire::ApiError;
use retrace_files::{Done, Expected, FileError, Root};
use retrace_log::{ApiStoreRow, Change, LiveRecord, Payload};
use retrace_model::{RelPath, Seen, Sha256};
use retrace_store_api::Refusal;

fn root(store: &ApiStoreRow) -> Result<Option<Root>, Stop> {
    let Some(directory) = &store.directory else { return Ok(None) };
    Ok(Some(Root::open(&path_from_bytes(directory)).map_err(ApiError::from)?))
}

/// Records what stands at these paths where it is not what the log has, so that what follows is decided by what is there.
pub(super) fn record_standing(
    writing: &mut Writing<'_, '_>,
    store: &ApiStoreRow,
    paths: &[&RelPath],
) -> Result<(), Stop> {
    let Some(root) = root(store)? else { return Ok(()) };
    let inner = writing.inner;
    inner.catch_up_within(writing.act, store.id, &root)?;
    let mut changes = Vec::new();
    for path in paths {
        if inner.rules.leaves_out(path.components()).is_some() {
            return Err(Refusal::invalid("path", "names a file that the directory's rules leave out").into());
        }
        let payload = match root.read(path, inner.rules.max_file_bytes) {
            Ok(content) => Payload::Content {
                bytes: content.bytes,
                sha256: content.sha256,
                size: content.size,
                seen: Some(content.seen),
                moved_from: None,
            },
            Err(FileError::Missing { .. } | FileError::BelowAFile { .. } | FileError::IsDirectory { .. }) => {
                Payload::Gone
            }
            Err(error) => return Err(refused(error)),
        };
        changes.push(Change { store: store.id, path: (*path).clone(), payload });
    }
    append_seen(writing.act, store.id, changes, None, inner.now())?;
    Ok(())
}

/// What stands on disk of a memory; `None` for a store without a directory, and where there is no file.
pub(super) fn bytes_of(store: &ApiStoreRow, record: &LiveRecord) -> Result<Option<Vec<u8>>, Stop> {
    let Some(root) = root(store)? else { return Ok(None) };
    match root.read(&record.path, u64::MAX) {
        Ok(content) => Ok(content.bytes),
        Err(FileError::Missing { .. } | FileError::BelowAFile { .. }) => Ok(None),
        Err(error) => Err(refused(error)),
    }
}

/// Writes a new file.
pub(super) fn create(
    writing: &Writing<'_, '_>,
    store: &ApiStoreRow,
    path: &RelPath,
    bytes: &[u8],
) -> Result<Option<Seen>, Stop> {
    let Some(root) = root(store)? else { return Ok(None) };
    Ok(put(writing, &root, path, Expected::Absent, bytes)?.seen)
}

/// Writes a memory's new content, at its path or at another.
pub(super) fn update(
    writing: &Writing<'_, '_>,
    store: &ApiStoreRow,
    record: &LiveRecord,
    path: &RelPath,
    bytes: &[u8],
) -> Result<Option<Seen>, Stop> {
    let Some(root) = root(store)? else { return Ok(None) };
    let standing = standing(&root, record)?;
    if *path == record.path {
        return Ok(put(writing, &root, path, Expected::Hash(standing), bytes)?.seen);
    }
    let done = put(writing, &root, path, Expected::Absent, bytes)?;
    if let Err(error) = take(writing, &root, &record.path, standing) {
        // The memory must not be in two places; where that cannot be undone the next look records both.
        drop(take(writing, &root, path, Sha256::of(bytes)));
        return Err(error);
    }
    Ok(done.seen)
}

/// Deletes a memory's file.
pub(super) fn delete(
    writing: &Writing<'_, '_>,
    store: &ApiStoreRow,
    record: &LiveRecord,
) -> Result<(), Stop> {
    let Some(root) = root(store)? else { return Ok(()) };
    let standing = standing(&root, record)?;
    take(writing, &root, &record.path, standing)
}

/// The hash the file of a memory has. Of one whose newest version is redacted only the file itself knows.
fn standing(root: &Root, record: &LiveRecord) -> Result<Sha256, Stop> {
    if record.head.redaction.is_none() {
        return Ok(current(record).0);
    }
    Ok(root.read(&record.path, 0).map_err(refused)?.sha256)
}

fn put(
    writing: &Writing<'_, '_>,
    root: &Root,
    path: &RelPath,
    expected: Expected,
    bytes: &[u8],
) -> Result<Done, Stop> {
    let inner = writing.inner;
    root.replace(path, expected, bytes, inner.random(), &*inner.options.faults).map_err(refused)
}

fn take(writing: &Writing<'_, '_>, root: &Root, path: &RelPath, standing: Sha256) -> Result<(), Stop> {
    let inner = writing.inner;
    root.delete(path, standing, true, inner.random(), &*inner.options.faults).map(drop).map_err(refused)
}

/// What stands in the way on disk is a conflict; anything else is a failure.
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
