//! Kinds of memory files, with what was read of its front matter remembered by content hash; and lists narrowed by
//! kind.
//!
//! Deliberately absent: the rules. Those are `retrace_model::memory_kind` and `retrace_findings::memory_type`.

use crate::engine::{Engine, lock, root_of};
use crate::remembered::{FactKey, Remembered};
use crate::wire::{self, ApiError};
use retrace_log::{ContentInfo, LogError, Reader, Recent, StoreRow, Unreviewed, VersionRow};
use retrace_model::{
    KindFilter, MAX_FILE_BYTES, MemoryKind, StoreId, StoreKind, StorePlace, UnknownWord, may_have_type,
    memory_kind,
};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;
use std::sync::Mutex;

/// Any content that is recorded is read for its type, once for each content.
const LARGEST_READ: u64 = MAX_FILE_BYTES;

/// Known facts of stores and contents.
#[derive(Default)]
pub(crate) struct KindCache {
    types: Remembered<Option<Box<str>>>,
    places: Mutex<HashMap<StoreId, Place>>,
}

/// Whose memory a store is, and where.
#[derive(Clone)]
pub struct Place {
    kind: StoreKind,
    root: String,
    config_root: String,
}

impl KindCache {
    /// Forgets where stores are; one may have been added anew as another kind.
    pub(crate) fn forget_places(&self) {
        lock(&self.places).clear();
    }

    /// The type in the front matter of a content; none of a redacted version, which has no content.
    fn memory_type(
        &self,
        content: Option<ContentInfo>,
        read: impl FnOnce() -> Result<Option<Rc<Vec<u8>>>, LogError>,
    ) -> Result<Option<String>, ApiError> {
        let Some(content) =
            content.filter(|content| content.kept && content.is_text && content.size <= LARGEST_READ)
        else {
            return Ok(None);
        };
        let key = FactKey::of(content.sha256);
        if let Some(known) = self.types.get(key) {
            return Ok(known.map(String::from));
        }
        let Some(read) = read()? else { return Ok(None) };
        let found = retrace_findings::memory_type(&read);
        self.types.keep(key, found.as_deref().map(Box::from));
        Ok(found)
    }
}

impl Engine {
    /// Where a store is, for [`Engine::kind_of`].
    pub fn store_place(&self, reader: &Reader<'_>, store: StoreId) -> Result<Place, ApiError> {
        if let Some(known) = lock(&self.kinds.places).get(&store) {
            return Ok(known.clone());
        }
        let place = self.store_place_of(&reader.store(store)?);
        lock(&self.kinds.places).insert(store, place.clone());
        Ok(place)
    }

    /// The same for a store that is at hand.
    pub(crate) fn store_place_of(&self, store: &StoreRow) -> Place {
        let config_root = retrace_sources::config_root(&self.options.surroundings);
        Place {
            kind: store.kind,
            root: root_of(store).to_string_lossy().into_owned(),
            config_root: config_root.to_string_lossy().into_owned(),
        }
    }

    /// Kind of a version at `path`.
    pub fn kind_of(
        &self,
        contents: &Recent<'_>,
        place: &Place,
        path: Option<&str>,
        version: &VersionRow,
    ) -> Result<MemoryKind, ApiError> {
        self.kind_at(place, path, version.content, || contents.content(version))
    }

    fn kind_at(
        &self,
        place: &Place,
        path: Option<&str>,
        content: Option<ContentInfo>,
        read: impl FnOnce() -> Result<Option<Rc<Vec<u8>>>, LogError>,
    ) -> Result<MemoryKind, ApiError> {
        let path = path.unwrap_or_default();
        let memory_type = if may_have_type(path) { self.kinds.memory_type(content, read)? } else { None };
        Ok(place.kind_of(path, memory_type.as_deref()))
    }

    /// Kind of each memory that this person has left to review is, by the place of its newest version.
    pub fn kinds_left(
        &self,
        reader: &Reader<'_>,
        store: Option<StoreId>,
    ) -> Result<HashMap<u64, MemoryKind>, ApiError> {
        let mut places: HashMap<StoreId, Place> = HashMap::new();
        let mut kinds = HashMap::new();
        for file in reader.unreviewed_files(&self.user(), store)? {
            let place = match places.entry(file.store) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(empty) => empty.insert(self.store_place(reader, file.store)?),
            };
            let path = file.path.map(|path| path.to_string());
            let read = || reader.recent().content(&reader.version(file.typed)?);
            kinds.insert(file.newest, self.kind_at(place, path.as_deref(), file.content, read)?);
        }
        Ok(kinds)
    }

    /// Versions that this person has left to review, newest first, of a store and of a kind where such are asked for.
    pub fn left_to_review(
        &self,
        reader: &Reader<'_>,
        store: Option<StoreId>,
        kind: Option<&KindFilter>,
    ) -> Result<Vec<Unreviewed>, ApiError> {
        let mut left = reader.unreviewed(&self.user(), store)?;
        if let Some(kind) = kind {
            let kinds = self.kinds_left(reader, store)?;
            left.retain(|item| kinds.get(&item.newest).is_some_and(|known| kind.holds(known)));
        }
        Ok(left)
    }
}

/// Reads what a list is narrowed to.
///
/// # Errors
/// `invalid` for a word that is none, with the list of those that are.
pub fn kind_filter(word: Option<&str>) -> Result<Option<KindFilter>, ApiError> {
    word.map(|word| {
        word.parse().map_err(|error: UnknownWord| {
            ApiError::invalid(say::no_kind_memory(), word).hint(say::kinds(error.known))
        })
    })
    .transpose()
}

impl Place {
    /// Kind of a file at `path`.
    pub fn kind_of(&self, path: &str, memory_type: Option<&str>) -> MemoryKind {
        let place = StorePlace { kind: self.kind, root: &self.root, config_root: &self.config_root };
        memory_kind(&place, path, memory_type)
    }
}

/// A kind as the wire has it.
pub fn view(kind: &MemoryKind) -> wire::MemoryKind {
    wire::MemoryKind {
        class: kind.class.into(),
        memory_type: kind.memory_type.clone(),
        scope: kind.scope.map(wire::MemoryScope::from),
        agent: kind.agent.clone(),
        day: kind.day.map(|day| day.to_string()),
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "kinds";
    no_kind_memory() => "This is no kind of memory.",
    kinds(known) => "Kinds are: {known}.",
}
