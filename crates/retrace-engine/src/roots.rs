//! Checks that the directory at a store's path is the store's.
//!
//! A path says where a store is, not which directory it is: a symbolic link can be put in its place, or another
//! directory. What is read there would end in the log, and an act would delete files that are none of the store's. So
//! the log keeps which directory it was, and whoever opens one asks here.

use crate::engine::{Engine, path_from_bytes, root_of};
use crate::wire::ApiError;
use retrace_files::{Identity, Root, RootError};
use retrace_log::{Reader, StorePlace, StoreRow};
use std::path::PathBuf;

/// Live memories that are looked up at most when another directory is to be known again.
const MAX_COMPARED: usize = 256;

/// Identity of a directory at a store's path.
enum Found {
    /// The one that was recorded.
    Same,
    /// Another, which is plainly in the place of the recorded one.
    InItsPlace,
    /// The empty directory a file system is mounted on.
    MountPoint,
    /// Another.
    Other,
}

impl Engine {
    /// Opens a store's directory, if it is the store's. Everybody who reads or writes in one opens it here.
    ///
    /// # Errors
    /// [`RootError::Moved`] for another one; [`RootError`] as [`Root::open`].
    pub fn store_root(&self, store: &StoreRow) -> Result<Root, RootError> {
        let root = Root::open_there(&place_of(store))?;
        if leads_elsewhere(store) {
            return Err(RootError::Moved { path: root_of(store) });
        }
        if is_recorded(store, &root, self.options.boot.as_deref()) {
            return Ok(root);
        }
        let found = self.read(|reader| Ok(self.compare(reader, store, &root)?));
        match found.unwrap_or(Found::Other) {
            Found::Same | Found::InItsPlace => Ok(root),
            Found::MountPoint => Err(RootError::Missing { path: root_of(store) }),
            Found::Other => Err(RootError::Moved { path: root_of(store) }),
        }
    }

    /// The same for a scan, which keeps which directory it was.
    ///
    /// # Errors
    /// A failure of the database.
    pub(crate) fn admit(&self, store: &StoreRow, root: &Root) -> Result<Option<RootError>, ApiError> {
        let boot = self.options.boot.as_deref();
        let path = root_of(store);
        if leads_elsewhere(store) {
            return Ok(Some(RootError::Moved { path }));
        }
        if store.place.as_ref().is_some_and(|known| *known == place(root.identity(), boot)) {
            return Ok(None);
        }
        match self.read(|reader| Ok(self.compare(reader, store, root)?))? {
            Found::Same | Found::InItsPlace => {
                // Where the log cannot be written, it is found to be that again the next time.
                drop(self.keep_place(store, root.identity()));
                Ok(None)
            }
            Found::MountPoint => Ok(Some(RootError::Missing { path })),
            Found::Other => Ok(Some(RootError::Moved { path })),
        }
    }

    /// Says in the log that this is the directory of a store, at the place where it is now.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn keep_place(&self, store: &StoreRow, identity: Identity) -> Result<(), ApiError> {
        if identity == NOT_SAID {
            return Ok(());
        }
        let place = place(identity, self.options.boot.as_deref());
        self.write(|act| Ok(act.set_store_place(store.id, &place, store.root_at.as_deref())?))
    }

    fn compare(
        &self,
        reader: &Reader<'_>,
        store: &StoreRow,
        root: &Root,
    ) -> Result<Found, retrace_log::LogError> {
        if is_recorded(store, root, self.options.boot.as_deref()) {
            return Ok(Found::Same);
        }
        let other_device = store.place.as_ref().is_some_and(|known| known.device != root.identity().device);
        if other_device && root.is_empty() {
            return Ok(Found::MountPoint);
        }
        // Copied or restored with its times, or on a file system whose numbers change: the files are those that were
        // recorded. Their contents are not read for that.
        let (mut asked, mut same) = (0, 0);
        for (path, head) in reader.heads(store.id)?.into_iter().take(MAX_COMPARED) {
            let Some(seen) = head.seen else { continue };
            asked += 1;
            same += usize::from(matches!(root.seen(&path), Ok(Some(now))
                if now.size == seen.size && now.modified_nanos == seen.modified_nanos));
        }
        Ok(if same > 0 && same * 2 >= asked { Found::InItsPlace } else { Found::Other })
    }
}

/// Where a store's directory is opened: at its path, or where that led when a person said so.
pub fn place_of(store: &StoreRow) -> PathBuf {
    store.root_at.as_deref().map_or_else(|| root_of(store), path_from_bytes)
}

/// True if the path of a store, of which a person said where it leads, leads elsewhere by now.
fn leads_elsewhere(store: &StoreRow) -> bool {
    let reported = store.root_at.as_deref().map(path_from_bytes);
    reported.is_some_and(|reported| std::fs::canonicalize(root_of(store)).ok() != Some(reported))
}

/// Identity on a platform that does not tell directories apart.
const NOT_SAID: Identity = Identity { device: 0, file_id: 0, made_nanos: 0 };

/// True if this is the directory that was recorded, or none was yet. Numbers of file systems are given anew at each
/// start of the machine; those of directories stay, and are given to another directory only after the first was removed.
fn is_recorded(store: &StoreRow, root: &Root, boot: Option<&str>) -> bool {
    let (now, Some(known)) = (root.identity(), &store.place) else { return true };
    let another_boot = known.boot.is_none() || known.boot.as_deref() != boot;
    let made_then = known.made_nanos.is_none_or(|made| now.made_nanos == 0 || made == now.made_nanos);
    now == NOT_SAID
        || known.file_id == now.file_id && made_then && (known.device == now.device || another_boot)
}

/// A directory as the log keeps it.
pub fn place(identity: Identity, boot: Option<&str>) -> StorePlace {
    StorePlace {
        device: identity.device,
        file_id: identity.file_id,
        made_nanos: (identity.made_nanos != 0).then_some(identity.made_nanos),
        boot: boot.map(str::to_owned),
    }
}
