//! Stores: add, take off the list, pause, scan.

#![allow(clippy::needless_pass_by_value, reason = "a command consumes its request, whatever it does with it")]

use crate::engine::{Engine, path_to_bytes, root_of};
use crate::scan::state_of;
use crate::view::{self, OfStore};
use crate::wire::{self, AddStore, ApiError, Nothing, ScanReq, Scanned, ScannedStore, StoreRef, Stores};
use retrace_files::Root;
use retrace_log::{NewStore, Reader, StoreRow};
use retrace_message::AsMessage;
use retrace_model::{StoreId, StoreKind, StoreState};
use retrace_sources::Found;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The stores on the list, by name.
///
/// # Errors
/// A failure of the database.
pub fn stores(inner: &Arc<Engine>, _: Nothing) -> Result<Stores, ApiError> {
    let rows = inner.read(|reader| {
        let left = reader.unreviewed_counts(&inner.user())?;
        let mut rows = Vec::new();
        for row in reader.stores()?.into_iter().filter(|row| row.removed_at.is_none()) {
            let of = of_store(reader, row.id, &left)?;
            rows.push((row, of));
        }
        Ok(rows)
    })?;
    Ok(Stores { stores: rows.iter().map(|(row, of)| shown(inner, row, of)).collect() })
}

/// Adds a directory and takes its baseline, so that nobody starts with a thousand items to review.
///
/// # Errors
/// `store_unavailable` when the directory cannot be read, `invalid` when it is a store already, lies inside one or around
/// one, holds the log itself, or the name is taken.
pub fn add_store(inner: &Arc<Engine>, request: AddStore) -> Result<wire::Store, ApiError> {
    let kind: Option<StoreKind> = match &request.kind {
        None => None,
        Some(kind) => {
            Some(kind.parse().map_err(|error| ApiError::invalid(crate::wire::sentence(&error), kind))?)
        }
    };
    if kind == Some(StoreKind::Remote) {
        return Err(ApiError::invalid(say::hosted_store_not_directory(), &request.root));
    }
    let root = directory(&request.root)?;
    // Whose memory a directory is decides what is known of its files, so that it is looked up where nobody said it.
    let found = kind.is_none().then(|| inner.discovered(&root)).flatten();
    let kind = kind.or(found.as_ref().map(|found| found.kind)).unwrap_or(StoreKind::Plain);
    let _probe = Root::open(&root)?;
    refuse_overlap(inner, &root)?;
    let name = match request.name.as_deref().map(str::trim) {
        Some("") => return Err(ApiError::invalid(say::name_empty(), "name")),
        Some(name) => checked_name(inner, name)?,
        None => match &found {
            Some(found) => free_name_for(inner, &found.name)?,
            None => free_name(inner, &root)?,
        },
    };
    let at = inner.now();
    let id = inner.write(|act| {
        let id = act.add_store(&NewStore { kind, root: path_to_bytes(&root), name, at })?;
        act.begin_baseline(id)?;
        Ok(id)
    })?;
    let (row, before) = inner.read(|reader| Ok((reader.store(id)?, reader.last_version()?)))?;
    inner.scan(&row)?;
    if row.versions == 0 {
        inner.write(|act| Ok(act.mark_baseline(id)?))?;
    }
    inner.stores_changed();
    let redacted_before = inner.redacted_back_since(id, before)?;
    Ok(wire::Store { redacted_before, ..answer(inner, id)? })
}

/// Takes a store off the list. Its history stays in the log, and adding the directory again brings it back.
///
/// # Errors
/// `not_found` when there is no such store.
pub fn remove_store(inner: &Arc<Engine>, request: StoreRef) -> Result<wire::Store, ApiError> {
    let at = inner.now();
    change(inner, &request, |act, id| act.remove_store(id, at))
}

/// Stops recording a store until it is resumed.
///
/// # Errors
/// `not_found` when there is no such store.
pub fn pause_store(inner: &Arc<Engine>, request: StoreRef) -> Result<wire::Store, ApiError> {
    change(inner, &request, |act, id| act.pause_store(id, true))
}

/// Records a paused store again, from a scan of it right now.
///
/// # Errors
/// `not_found` when there is no such store.
pub fn resume_store(inner: &Arc<Engine>, request: StoreRef) -> Result<wire::Store, ApiError> {
    let store = change(inner, &request, |act, id| act.pause_store(id, false))?;
    let row = inner.read(|reader| inner.store_named(reader, &store.id))?;
    inner.scan(&row)?;
    answer(inner, row.id)
}

/// Scans stores right now and records what changed. Paused stores are passed over unless they are named.
///
/// # Errors
/// `not_found` for an unknown store. A directory that cannot be read is a state in the answer.
pub fn scan(inner: &Arc<Engine>, request: ScanReq) -> Result<Scanned, ApiError> {
    let rows: Vec<StoreRow> = inner.read(|reader| {
        if request.stores.is_empty() {
            let listed = |row: &StoreRow| row.removed_at.is_none() && !row.paused;
            return Ok(reader.stores()?.into_iter().filter(listed).collect());
        }
        request.stores.iter().map(|name| inner.store_named(reader, name)).collect()
    })?;
    let mut stores = Vec::new();
    for row in rows {
        let before = inner.read(|reader| Ok(reader.last_version()?))?;
        let scanned = inner.scan(&row)?;
        let redacted_back =
            if scanned.versions == 0 { Vec::new() } else { inner.redacted_back_since(row.id, before)? };
        stores.push(ScannedStore {
            id: row.id.to_string(),
            name: row.name.clone(),
            state: scanned.state.into(),
            state_detail: scanned.detail,
            versions: scanned.versions,
            redacted_back,
        });
    }
    Ok(Scanned { stores })
}

impl Engine {
    /// Discovery of the memory at a directory.
    pub fn discovered(&self, root: &Path) -> Option<Found> {
        let same =
            |other: &Path| other == root || std::fs::canonicalize(other).is_ok_and(|other| other == root);
        let found = retrace_sources::discover(&self.options.surroundings).found;
        found.into_iter().find(|found| same(&found.root))
    }

    /// Takes the baselines that a process began and was cut off from, so that what was there when the store was added is
    /// known after all. A directory that cannot be scanned waits for the next start.
    pub fn finish_baselines(self: &Arc<Self>) -> Result<(), ApiError> {
        for row in self.read(|reader| Ok(reader.stores_without_baseline()?))? {
            if row.is_remote() {
                // Its first pull goes on when the user asks for one.
                continue;
            }
            let scanned = self.scan(&row)?;
            if matches!(scanned.state, StoreState::Recording | StoreState::Limited) {
                self.write(|act| Ok(act.mark_baseline(row.id)?))?;
            }
        }
        Ok(())
    }
}

fn change(
    inner: &Engine,
    request: &StoreRef,
    change: impl FnOnce(&retrace_log::Act<'_>, StoreId) -> Result<(), retrace_log::LogError>,
) -> Result<wire::Store, ApiError> {
    let row = inner.read(|reader| inner.store_named(reader, &request.store))?;
    inner.write(|act| Ok(change(act, row.id)?))?;
    inner.stores_changed();
    answer(inner, row.id)
}

/// A store as the wire has it.
///
/// # Errors
/// `not_found` for an unknown store.
pub fn answer(inner: &Engine, id: StoreId) -> Result<wire::Store, ApiError> {
    let (row, of) = inner.read(|reader| {
        let left = reader.unreviewed_counts(&inner.user())?;
        Ok((reader.store(id)?, of_store(reader, id, &left)?))
    })?;
    Ok(shown(inner, &row, &of))
}

/// Facts beyond a store's row; `left` is how much there is left to review, by store.
fn of_store(reader: &Reader<'_>, id: StoreId, left: &BTreeMap<StoreId, u64>) -> Result<OfStore, ApiError> {
    Ok(OfStore {
        memories: reader.live_count(id)?,
        unreviewed: left.get(&id).copied().unwrap_or(0),
        shared: reader.api_store(id)?.is_some(),
    })
}

/// A store with its state as the directory is right now.
fn shown(inner: &Engine, row: &StoreRow, of: &OfStore) -> wire::Store {
    let now = match inner.store_root(row) {
        _ if row.is_log_only() => Some((StoreState::Recording, None)),
        // State in which the host was last found.
        _ if row.is_remote() => None,
        Err(error) => Some((state_of(&error), Some(crate::wire::sentence(&error)))),
        Ok(_) if row.state == StoreState::Limited => None,
        Ok(_) => Some((StoreState::Recording, None)),
    };
    view::store(row, now, &inner.rules, of)
}

/// True if what is written to a store now is recorded: not where it is paused or cannot be read. A mirror is not recorded but
/// pulled.
pub fn is_recorded(inner: &Engine, row: &StoreRow) -> bool {
    let state = || shown(inner, row, &OfStore::default()).state;
    !row.is_remote() && matches!(state().as_str(), "recording" | "limited")
}

/// The directory a person gave, absolute and with links resolved, so that one directory is one store.
pub fn directory(text: &str) -> Result<PathBuf, ApiError> {
    if text.is_empty() {
        return Err(ApiError::invalid(say::no_directory_given(), "root"));
    }
    let path =
        std::path::absolute(text).map_err(|error| ApiError::invalid(error.message().sentence(), text))?;
    Ok(std::fs::canonicalize(&path).unwrap_or(path))
}

/// Refuses a directory that is a store, lies in one or around one, or holds the log.
///
/// # Errors
/// `invalid` then.
pub fn refuse_overlap(inner: &Engine, root: &Path) -> Result<(), ApiError> {
    refuse_overlap_but(inner, root, None)
}

/// As [`refuse_overlap`], for a directory that may be `own`'s.
pub(crate) fn refuse_overlap_but(inner: &Engine, root: &Path, own: Option<StoreId>) -> Result<(), ApiError> {
    if inner.tags()?.without(root.as_os_str().as_encoded_bytes()).is_some() {
        return Err(ApiError::invalid(say::path_holds_redacted(), "root").hint(say::move_directory()));
    }
    let data_dir =
        std::fs::canonicalize(&inner.options.data_dir).unwrap_or_else(|_| inner.options.data_dir.clone());
    if data_dir.starts_with(root) || root.starts_with(&data_dir) {
        return Err(ApiError::invalid(say::directory_holds_retraces_own_log(), crate::wire::show(root)));
    }
    let rows = inner.read(|reader| Ok(reader.stores()?))?;
    let listed = |row: &&StoreRow| row.removed_at.is_none() && row.has_directory() && Some(row.id) != own;
    for row in rows.iter().filter(listed) {
        let other = root_of(row);
        if other == root {
            return Err(ApiError::invalid(say::directory_store_already(), crate::wire::show(root))
                .hint(say::store(format!("{:?}", row.name))));
        }
        if other.starts_with(root) || root.starts_with(&other) {
            return Err(ApiError::invalid(say::directory_lies_another_store_or(), crate::wire::show(root))
                .hint(say::every_file_belongs_one_store(
                    format!("{:?}", row.name),
                    other.display().to_string(),
                )));
        }
    }
    Ok(())
}

/// A name that a store may have.
///
/// # Errors
/// `invalid` for another one.
pub fn checked_name(inner: &Engine, name: &str) -> Result<String, ApiError> {
    if inner.tags()?.without_in_text(name).is_some() {
        return Err(ApiError::invalid(say::name_holds_redacted(), "name"));
    }
    if name.chars().count() > 255 || name.chars().any(char::is_control) {
        return Err(ApiError::invalid(say::name_1_255_characters_no(), "name"));
    }
    if name.starts_with("memstore_") || name.starts_with("memver_") {
        return Err(ApiError::invalid(say::name_must_not_look_like(), name));
    }
    Ok(name.to_owned())
}

/// The directory's own name, with a number when it is taken.
fn free_name(inner: &Engine, root: &Path) -> Result<String, ApiError> {
    let own = root.file_name().map_or_else(|| "store".to_owned(), |name| name.to_string_lossy().into_owned());
    free_name_for(inner, &own)
}

/// A name, with a number when it is taken.
pub fn free_name_for(inner: &Engine, own: &str) -> Result<String, ApiError> {
    let own: String = own.chars().filter(|letter| !letter.is_control()).collect();
    let taken = inner.read(|reader| Ok(reader.stores()?))?;
    let is_free = |name: &str| !taken.iter().any(|row| row.removed_at.is_none() && row.name == name);
    let numbered = (2..).map(|number| format!("{own} {number}"));
    Ok(std::iter::once(own.clone()).chain(numbered).find(|name| is_free(name)).unwrap_or(own))
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "stores";
    hosted_store_not_directory() => "A hosted store is not a directory.",
    name_empty() => "The name is empty.",
    no_directory_given() => "No directory was given.",
    directory_holds_retraces_own_log() => "The directory holds Retrace's own log, or lies in it.",
    directory_store_already() => "The directory is a store already.",
    store(name) => "It is the store {name}.",
    directory_lies_another_store_or() => "The directory lies in another store, or around one.",
    every_file_belongs_one_store(name, other) => "Every file belongs to one store. Remove {name} ({other}) first, or add another directory.",
    name_1_255_characters_no() => "A name has 1 to 255 characters and no control characters.",
    name_holds_redacted() => "The name holds something that was redacted.",
    path_holds_redacted() => "The directory's path holds something that was redacted, which the log would keep again.",
    move_directory() => "Give the directory another name first.",
    name_must_not_look_like() => "A name must not look like an id.",
}
