//! Live files that a redaction could not look at: those that may not be read, and directories of stores that are off the list.
//! What was not looked at is never called clean.

use super::receipt;
use super::survey::Selection;
use super::survey::masked_text;
use crate::Redactions;
use crate::wire::{RedactionAction, RedactionMatch, RedactionPlace};
use retrace_engine::root_of;
use retrace_files::FileError;
use retrace_log::{Place, PlaceState, REDACTED_ROOT, StoreRow};
use retrace_model::{RelPath, StoreId};
use std::collections::BTreeSet;

/// Files named in a sentence.
const NAMED: usize = 10;

/// A live file, or a directory with some, that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Unread {
    pub(super) store: StoreId,
    store_name: String,
    /// `None` for all of the store.
    pub(super) path: Option<RelPath>,
}

impl Unread {
    fn new(store: &StoreRow, path: Option<RelPath>) -> Self {
        Self { store: store.id, store_name: store.name.clone(), path }
    }

    pub(super) fn shown(&self) -> String {
        match &self.path {
            Some(path) => format!("{}:{}", self.store_name, path.to_text()),
            None => self.store_name.clone(),
        }
    }
}

/// A directory of a store that was taken off the list.
#[derive(Clone, Debug)]
pub(super) struct OffTheList {
    directory: String,
    /// Versions of the store are redacted, so that its files hold it most likely.
    pub(super) is_concerned: bool,
}

/// A file could not be read, though it is there.
pub(super) fn is_there(error: &FileError) -> bool {
    matches!(
        error,
        FileError::Denied { .. }
            | FileError::Io { .. }
            | FileError::TooLarge { .. }
            | FileError::Unstable { .. }
    )
}

/// Names for a sentence, without what is redacted.
pub(super) fn named(unread: &[Unread], mask: &dyn Fn(&str) -> String) -> String {
    listed(&unread.iter().map(|one| mask(&one.shown())).collect())
}

/// The first of some names.
pub(super) fn listed(names: &BTreeSet<String>) -> String {
    let mut first: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    if names.len() > NAMED {
        first.push("…");
    }
    first.join(", ")
}

/// The place on a receipt of files that could not be read; `None` where there are none.
pub(super) fn place(unread: &[Unread], mask: &dyn Fn(&str) -> String) -> Option<Place> {
    (!unread.is_empty()).then(|| Place {
        state: PlaceState::Left,
        remedy: Some(say::make_readable()),
        ..Place::own(say::not_read(), 0, Some(receipt::say::could_not_read(named(unread, mask))))
    })
}

/// The places on a receipt of directories of stores off the list. One of a store that is concerned is left.
pub(super) fn places_off(directories: &[OffTheList], mask: &dyn Fn(&str) -> String) -> Vec<Place> {
    let place = |one: &OffTheList| {
        let name = say::off_the_list(mask(&one.directory));
        let (state, detail) = match one.is_concerned {
            true => (PlaceState::Left, say::not_searched_versions_redacted()),
            false => (PlaceState::OutOfReach, say::not_searched()),
        };
        let place = Place::own(name, 0, Some(detail));
        Place { state, owned: one.is_concerned, remedy: Some(say::add_again_or_by_hand()), ..place }
    };
    directories.iter().map(place).collect()
}

/// True for the place of a directory of a store off the list.
pub(super) fn is_off(place: &Place) -> bool {
    place.place.id() == say::off_the_list("").id()
}

/// True for the place of files that could not be read.
pub(super) fn is_unread(place: &Place) -> bool {
    place.place.id() == say::not_read().id()
}

/// What a preview says of files that could not be read.
pub(super) fn matches(unread: &[Unread], selection: &Selection) -> Vec<RedactionMatch> {
    let of_file = |one: &Unread| RedactionMatch {
        place: RedactionPlace::Live,
        store_id: Some(one.store.to_string()),
        path: one.path.as_ref().map(|path| masked_text(selection, &path.to_text())),
        action: RedactionAction::Left,
        detail: Some(say::cannot_be_read()),
        remedy: Some(say::make_readable()),
        ..RedactionMatch::default()
    };
    unread.iter().map(of_file).collect()
}

/// What a preview says of directories of stores off the list that most likely hold it.
pub(super) fn matches_off(directories: &[OffTheList], selection: &Selection) -> Vec<RedactionMatch> {
    let of_directory = |one: &OffTheList| RedactionMatch {
        place: RedactionPlace::Store,
        name: Some(say::off_the_list(masked_text(selection, &one.directory))),
        path: Some(masked_text(selection, &one.directory)),
        action: RedactionAction::Left,
        detail: Some(say::not_searched_versions_redacted()),
        remedy: Some(say::add_again_or_by_hand()),
        ..RedactionMatch::default()
    };
    directories.iter().filter(|one| one.is_concerned).map(of_directory).collect()
}

impl Redactions {
    /// Live files of stores that cannot be read now, as far as their directories can be opened; a directory that is there and
    /// cannot be opened counts as a whole.
    pub(super) fn unread(&self, stores: &[StoreRow]) -> Vec<Unread> {
        let mut unread = BTreeSet::new();
        for store in stores.iter().filter(|store| store.has_directory()) {
            let Ok(root) = self.store_root(store) else {
                // One that is gone is a state of its store, and another place of the receipt.
                let denied = std::fs::read_dir(root_of(store)).is_err_and(|error| is_denied(&error));
                unread.extend(denied.then(|| Unread::new(store, None)));
                continue;
            };
            let scan = root.scan(&self.rules, None);
            unread.extend(scan.unreadable.into_iter().map(|path| Unread::new(store, path)));
            for path in scan.found.into_keys() {
                if root.can_read(&path).is_err_and(|error| is_there(&error)) {
                    unread.insert(Unread::new(store, Some(path)));
                }
            }
        }
        unread.into_iter().collect()
    }

    /// Directories of stores that are off the list and are there, and that no store on the list is at. `concerned` are stores of
    /// which versions are redacted.
    pub(super) fn off_the_list(
        &self,
        concerned: &BTreeSet<StoreId>,
        only: Option<StoreId>,
    ) -> Vec<OffTheList> {
        let stores = self.read(|reader| Ok(reader.stores()?)).unwrap_or_default();
        let (off, on): (Vec<&StoreRow>, Vec<&StoreRow>) =
            stores.iter().filter(|store| store.has_directory()).partition(|store| store.removed_at.is_some());
        let is_searched = |root: &std::path::Path| on.iter().any(|store| root.starts_with(root_of(store)));
        let mut found: Vec<OffTheList> = Vec::new();
        for store in off.into_iter().filter(|store| !store.root.starts_with(REDACTED_ROOT)) {
            let root = root_of(store);
            let is_concerned = concerned.contains(&store.id);
            let is_asked = only.is_none_or(|only| only == store.id || is_concerned);
            if !is_asked || is_searched(&root) || !root.is_dir() {
                continue;
            }
            let directory = crate::wire::show(&root);
            match found.iter_mut().find(|known| known.directory == directory) {
                Some(known) => known.is_concerned |= is_concerned,
                None => found.push(OffTheList { directory, is_concerned }),
            }
        }
        found
    }
}

fn is_denied(error: &std::io::Error) -> bool {
    error.kind() != std::io::ErrorKind::NotFound
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "unread";
    not_read() => "Live files that could not be read",
    cannot_be_read() => "It cannot be read, so it may hold it.",
    make_readable() => "Make the files readable, and repeat the redaction.",
    off_the_list(directory) => "Directory of a store that is off the list, {directory}",
    not_searched_versions_redacted() => "not searched, though versions of it are redacted",
    not_searched() => "not searched",
    add_again_or_by_hand() => "Add the directory with `retrace stores add`, and repeat the redaction with `--live`; or take it out by hand.",
}
