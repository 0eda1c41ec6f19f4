//! Names of contents and instants: `memver_…`, `STORE:PATH`, `STORE:PATH@TIME`, `STORE`, `STORE@TIME`.

use crate::engine::Engine;
use crate::wire::{ApiError, Code};
use retrace_log::{MemoryAt, Reader, StoreRow, VersionRow};
use retrace_model::{MemoryId, RelPath, Sha256, StoreId, Timestamp, VersionId};

/// Something a person named.
pub enum Target {
    /// One version.
    Version(Box<VersionRow>),
    /// A path of a store, live or right after an operation.
    File {
        /// The store.
        store: Box<StoreRow>,
        /// The path there.
        path: RelPath,
        /// The instant; `None` for the present.
        at: Option<Moment>,
    },
    /// A whole store, live or right after an operation.
    Store {
        /// The store.
        store: Box<StoreRow>,
        /// The instant; `None` for the present.
        at: Option<Moment>,
    },
}

impl Target {
    /// True if what it names can change otherwise than by a redaction.
    pub fn is_live(&self) -> bool {
        !matches!(self, Self::Version(_))
    }
}

/// An instant to look at. One that was given as a time may lie before anything was observed; what was rebuilt is there then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The newest operation by then.
    pub operation: u64,
    /// The time, where one was given.
    pub time: Option<Timestamp>,
}

impl Moment {
    /// Right after an operation.
    pub(crate) fn after(operation: u64) -> Self {
        Self { operation, time: None }
    }

    /// The memories of a store then.
    pub fn memories(self, reader: &Reader<'_>, store: StoreId) -> Result<Vec<MemoryAt>, ApiError> {
        Ok(match self.time {
            Some(time) => reader.memories_at_time(store, time)?,
            None => reader.memories_at(store, Some(self.operation))?,
        })
    }

    /// Version at a path then.
    pub fn version(
        self,
        reader: &Reader<'_>,
        store: StoreId,
        path: &RelPath,
    ) -> Result<Option<VersionRow>, ApiError> {
        Ok(match self.time {
            Some(time) => reader.version_at_time(store, path, time)?,
            None => reader.version_at(store, path, Some(self.operation))?,
        })
    }
}

impl Engine {
    /// Reads a target.
    pub fn target(&self, reader: &Reader<'_>, text: &str) -> Result<Target, ApiError> {
        if text.starts_with("memver_") {
            return Ok(Target::Version(Box::new(version_named(reader, text)?)));
        }
        let (store, rest) = self.store_prefix(reader, text)?;
        let store = Box::new(store);
        if let Some(path) = rest.strip_prefix(':') {
            let (path, at) = split_instant(reader, path)?;
            let path = RelPath::parse(rooted(&store, path))
                .map_err(|error| ApiError::invalid(crate::wire::sentence(&error), text))?;
            return Ok(Target::File { store, path, at });
        }
        let at = rest.strip_prefix('@').map(|at| moment(reader, at)).transpose()?;
        Ok(Target::Store { store, at })
    }

    /// Finds the store a text begins with. Names may hold colons, so the longest that fits wins.
    fn store_prefix<'t>(&self, reader: &Reader<'_>, text: &'t str) -> Result<(StoreRow, &'t str), ApiError> {
        let stores = reader.stores()?;
        let mut best: Option<(usize, &StoreRow)> = None;
        for store in &stores {
            let mut names = vec![store.id.to_string()];
            if store.removed_at.is_none() {
                names.push(store.name.clone());
                names.push(crate::wire::show(&crate::engine::root_of(store)));
            }
            for name in names {
                let fits = text
                    .strip_prefix(&*name)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '@']));
                if fits && best.is_none_or(|(length, _)| length < name.len()) {
                    best = Some((name.len(), store));
                }
            }
        }
        match best {
            Some((length, store)) => Ok((store.clone(), &text[length..])),
            None => {
                let name = text.split([':', '@']).next().unwrap_or(text);
                self.store_named(reader, name).map(|store| (store, &text[name.len()..]))
            }
        }
    }
}

/// A path without the slash that the Memory Stores API prints before it. A path on this machine that begins with one is
/// another file, so it stays.
fn rooted<'t>(store: &StoreRow, path: &'t str) -> &'t str {
    if store.has_directory() { path } else { path.strip_prefix('/').unwrap_or(path) }
}

/// The version with a printed id.
pub fn version_named(reader: &Reader<'_>, text: &str) -> Result<VersionRow, ApiError> {
    let id = VersionId::parse(text).map_err(|error| {
        ApiError::new(Code::NotFound, crate::wire::sentence(&error), text)
            .hint(say::version_ids_printed_retrace_log())
    })?;
    Ok(reader.version_by_id(id)?)
}

/// A path and the instant after its last `@`, where that is one; file names may hold `@` themselves.
fn split_instant<'t>(reader: &Reader<'_>, text: &'t str) -> Result<(&'t str, Option<Moment>), ApiError> {
    match text.rsplit_once('@') {
        Some((path, at)) if at.parse::<u64>().is_ok() || Timestamp::parse(at).is_ok() => {
            Ok((path, Some(moment(reader, at)?)))
        }
        _ => Ok((text, None)),
    }
}

/// An operation's number, or the newest operation at a time.
pub fn instant(reader: &Reader<'_>, text: &str) -> Result<u64, ApiError> {
    Ok(moment(reader, text)?.operation)
}

/// An operation's number, or a time.
pub fn moment(reader: &Reader<'_>, text: &str) -> Result<Moment, ApiError> {
    if let Ok(seq) = text.parse::<u64>() {
        let newest = reader.cursor()?;
        if seq > newest {
            return Err(
                ApiError::new(Code::NotFound, say::no_such_operation(), text).hint(say::newest(newest))
            );
        }
        return Ok(Moment::after(seq));
    }
    let at = time(text)?;
    Ok(Moment { operation: reader.operation_at(at)?, time: Some(at) })
}

/// A time as people write it.
pub fn time(text: &str) -> Result<Timestamp, ApiError> {
    Timestamp::parse(text).map_err(|error| ApiError::invalid(crate::wire::sentence(&error), text))
}

/// A path below a store as people write it.
pub fn rel_path(text: &str) -> Result<RelPath, ApiError> {
    RelPath::parse(text).map_err(|error| ApiError::invalid(crate::wire::sentence(&error), text))
}

/// A hash as people write it.
pub fn hash(text: Option<&str>) -> Result<Option<Sha256>, ApiError> {
    text.map(|text| {
        Sha256::from_hex(text).ok_or_else(|| ApiError::invalid(say::hash_64_hexadecimal_digits(), text))
    })
    .transpose()
}

/// The id of a memory.
///
/// # Errors
/// `invalid` for what is none.
pub fn memory_id(text: &str) -> Result<MemoryId, ApiError> {
    MemoryId::parse(text).map_err(|error| ApiError::invalid(crate::wire::sentence(&error), text))
}

/// A path to filter by. The Memory Stores API prints one slash before it.
pub fn path(text: &str) -> Result<RelPath, ApiError> {
    RelPath::parse(text.strip_prefix('/').unwrap_or(text).trim_end_matches('/'))
        .map_err(|error| ApiError::invalid(crate::wire::sentence(&error), text))
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "target";
    version_ids_printed_retrace_log() => "Version ids are printed by `retrace log`.",
    no_such_operation() => "There is no such operation.",
    newest(newest) => "The newest is {newest}.",
    hash_64_hexadecimal_digits() => "A hash has 64 hexadecimal digits.",
}
