//! Names of contents and instants: `memver_…`, `STORE:PATH`, `STORE:PATH@TIME`, `STORE`, `STORE@TIME`.
//!
//! Names of files may hold `@` themselves: where a memory of exactly the whole name is or was, that one is meant. Only else what
//! follows the last `@` is an instant.

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
        let is_version = text.starts_with("memver_")
            // A store may have a number for its name; it was there first.
            || (number_of(text).is_some() && self.store_named(reader, text).is_err());
        if is_version {
            return Ok(Target::Version(Box::new(version_named(reader, text)?)));
        }
        let (store, rest) = self.store_prefix(reader, text)?;
        let store = Box::new(store);
        if let Some(path) = rest.strip_prefix(':') {
            let (path, at) = split_instant(reader, &store, path)?;
            let path = RelPath::parse(rooted(&store, path))
                .map_err(|error| ApiError::invalid(crate::wire::sentence(&error), text))?;
            return Ok(Target::File { store, path, at });
        }
        let at = rest.strip_prefix('@').map(|at| moment(reader, at)).transpose()?;
        Ok(Target::Store { store, at })
    }

    /// True if a text is the whole name of a memory, `STORE:PATH`, that is or was: an `@` in it belongs to its name then.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn is_name_of_memory(&self, text: &str) -> Result<bool, ApiError> {
        self.read(|reader| {
            let Ok((store, rest)) = self.store_prefix(reader, text) else { return Ok(false) };
            rest.strip_prefix(':').map_or(Ok(false), |path| is_known(reader, &store, path))
        })
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

/// Versions that an error names where several are meant.
const CANDIDATES: usize = 5;

/// A version by its printed id, by a beginning of it that no other has, or by its number.
pub fn version_named(reader: &Reader<'_>, text: &str) -> Result<VersionRow, ApiError> {
    if let Some(seq) = number_of(text) {
        let newest = reader.last_version()?;
        if !(1..=newest).contains(&seq) {
            return Err(
                ApiError::new(Code::NotFound, say::no_version_number(seq), text).hint(say::newest(newest))
            );
        }
        return Ok(reader.version(seq)?);
    }
    let parsed = VersionId::parse(text);
    if let (Err(_), Some((first, last))) = (&parsed, VersionId::range_of(text)) {
        return version_beginning(reader, text, (first, last));
    }
    let id = parsed.map_err(|error| {
        ApiError::new(Code::NotFound, crate::wire::sentence(&error), text)
            .hint(say::version_ids_printed_retrace_log())
    })?;
    Ok(reader.version_by_id(id)?)
}

/// The number of a version, as lists print it in their first column. Signs and blanks are none.
fn number_of(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// The one version whose id begins so. Ids begin with the place in the log, so that few places need to be looked at.
fn version_beginning(
    reader: &Reader<'_>,
    text: &str,
    (first, last): (u64, u64),
) -> Result<VersionRow, ApiError> {
    let newest = reader.last_version()?;
    let (first, last) = (first.max(1), last.min(newest));
    let mut found: Vec<VersionRow> = Vec::new();
    for seq in first..=last {
        let version = reader.version(seq)?;
        if version.id.to_string().starts_with(text) {
            found.push(version);
        }
        if found.len() > CANDIDATES {
            break;
        }
    }
    match found.len() {
        0 => Err(ApiError::new(Code::NotFound, say::no_version_begins_so(), text)
            .hint(say::version_ids_printed_retrace_log())),
        1 => Ok(found.remove(0)),
        many => {
            let more = if many > CANDIDATES { ", …" } else { "" };
            let named: Vec<String> = found.iter().take(CANDIDATES).map(|one| one.id.to_string()).collect();
            Err(ApiError::invalid(say::several_versions_begin_so(), text)
                .hint(say::one_of(format!("{}{more}", named.join(", ")))))
        }
    }
}

/// True if a memory is or was at a path, as people write it.
fn is_known(reader: &Reader<'_>, store: &StoreRow, path: &str) -> Result<bool, ApiError> {
    let Ok(path) = RelPath::parse(rooted(store, path)) else { return Ok(false) };
    Ok(reader.was_at(store.id, &path)?)
}

/// A path and the instant after its last `@`, where that is one and no memory of the whole name is known.
fn split_instant<'t>(
    reader: &Reader<'_>,
    store: &StoreRow,
    text: &'t str,
) -> Result<(&'t str, Option<Moment>), ApiError> {
    match text.rsplit_once('@') {
        Some((path, at))
            if (at.parse::<u64>().is_ok() || Timestamp::parse(at).is_ok())
                && !is_known(reader, store, text)? =>
        {
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
    no_version_number(number) => "There is no version {number}.",
    no_version_begins_so() => "No version has an id that begins so.",
    several_versions_begin_so() => "The ids of several versions begin so.",
    one_of(names) => "One of: {names}",
    no_such_operation() => "There is no such operation.",
    newest(newest) => "The newest is {newest}.",
    hash_64_hexadecimal_digits() => "A hash has 64 hexadecimal digits.",
}
