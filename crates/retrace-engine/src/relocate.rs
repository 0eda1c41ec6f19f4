//! Saying that the directory at a store's path is the store's, although it is not the one that was recorded.

#![allow(clippy::needless_pass_by_value, reason = "a command consumes its request, whatever it does with it")]

use crate::engine::{Engine, path_to_bytes, root_of};
use crate::roots::place;
use crate::stores::{answer, refuse_overlap_but};
use crate::wire::{ApiError, RelocateStoreReq, Relocated};
use retrace_files::{Root, RootError};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Takes the directory that stands at a store's path now, wherever that leads, for the store's, and looks at it. A preview says how
/// much of it the log knows.
///
/// # Errors
/// `not_found` for an unknown store, `invalid` for one without a directory or when the directory is another store's, lies in one or
/// around one, `store_unavailable` when there is none.
pub fn relocate_store(inner: &Arc<Engine>, request: RelocateStoreReq) -> Result<Relocated, ApiError> {
    let row = inner.read(|reader| inner.store_named(reader, &request.store))?;
    if !row.has_directory() {
        return Err(ApiError::invalid(say::store_no_directory(), &row.name));
    }
    let path = root_of(&row);
    let directory = std::fs::canonicalize(&path).map_err(|_| RootError::Missing { path: path.clone() })?;
    refuse_overlap_but(inner, &directory, Some(row.id))?;
    let root = Root::open_there(&directory)?;
    let scan = root.scan(&inner.rules, None);
    let (mut same, mut changed, mut new) = (0, 0, 0);
    let gone = inner.read(|reader| {
        let mut left: BTreeSet<_> = reader.heads(row.id)?.into_keys().collect();
        for found in scan.found.keys() {
            left.remove(found);
            let known = reader.live_at(row.id, found)?.map(|live| live.sha256);
            let Ok(content) = root.read(found, 0) else { continue };
            match known {
                None => new += 1,
                Some(known) if known == Some(content.sha256) => same += 1,
                Some(_) => changed += 1,
            }
        }
        Ok(left.len() as u64)
    })?;
    if !request.dry_run {
        let at = (directory != path).then(|| path_to_bytes(&directory));
        let place = place(root.identity(), inner.options.boot.as_deref());
        inner.write(|act| Ok(act.set_store_place(row.id, &place, at.as_deref())?))?;
        let row = inner.read(|reader| Ok(reader.store(row.id)?))?;
        inner.scan(&row)?;
        inner.stores_changed();
    }
    let (dry_run, directory) = (request.dry_run, crate::wire::show(&directory));
    Ok(Relocated { dry_run, store: answer(inner, row.id)?, directory, same, changed, new, gone })
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "relocate";
    store_no_directory() => "The store has no directory.",
}
