//! Inventory of a store at an instant, and two such compared with each other, memory by memory.
//!
//! A directory is read as it stands on disk when no instant is given; everything else is read from the log. Deliberately
//! absent: what is done about a difference. That is `commands/dreams.rs`.
//!
//! Invariant: what a difference says follows from paths, hashes and ids alone, so it is the same for every sort of store.

use crate::engine::Engine;
use crate::target::{Moment, Target};
use crate::wire::MemoryChange;
use crate::wire::{ApiError, Code};
use retrace_files::{FileError, Problem, ProblemKind, Root};
use retrace_log::{LogError, Reader, StoreRow, VersionRow};
use retrace_model::{MemoryId, RelPath, Sha256, VersionId};
use std::collections::{BTreeMap, BTreeSet};

/// A store at one instant.
pub struct Inventory {
    /// The store.
    pub store: StoreRow,
    /// The instant; `None` for the present.
    pub at: Option<Moment>,
    /// Entries, by path.
    pub entries: BTreeMap<RelPath, Entry>,
    /// Memories of that time whose path was redacted; nothing says where they were.
    pub without_path: u64,
    /// The directory that was read, where it was not the log.
    root: Option<Root>,
}

/// One memory of a store.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The memory, where the log has it.
    pub memory: Option<MemoryId>,
    /// The version that records this content; `None` for a file that the log has not seen like this.
    pub version: Option<VersionRow>,
    /// Hash of the content; `None` where it is redacted.
    pub sha256: Option<Sha256>,
    /// Bytes of the content; 0 where it is redacted.
    pub size: u64,
}

impl Entry {
    fn version_id(&self) -> Option<VersionId> {
        self.version.as_ref().map(|version| version.id)
    }

    fn is_as(&self, other: &Self) -> bool {
        match (self.sha256, other.sha256) {
            (Some(one), Some(two)) => one == two,
            // Two redacted contents are known to be the same only where they are one version.
            (None, None) => self.version_id().is_some() && self.version_id() == other.version_id(),
            _ => false,
        }
    }
}

/// The content of an entry.
pub enum Held {
    /// Here it is.
    Bytes(Vec<u8>),
    /// Redacted.
    Redacted,
    /// Too large to be kept or read.
    TooLarge,
}

/// Change of a memory between two stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Only in the second.
    Created,
    /// In both, with another content.
    Modified,
    /// In the first at another path.
    Moved(RelPath),
    /// Only in the first.
    Deleted,
}

impl Change {
    /// The word of the wire.
    pub const fn word(&self) -> MemoryChange {
        match self {
            Self::Created => MemoryChange::Created,
            Self::Modified => MemoryChange::Modified,
            Self::Moved(_) => MemoryChange::Moved,
            Self::Deleted => MemoryChange::Deleted,
        }
    }
}

/// Differences of two stores.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// Memories that are the same in both.
    pub same: u64,
    /// The others, by the path in the second store, or in the first where they are deleted.
    pub changes: BTreeMap<RelPath, Change>,
}

impl Engine {
    /// Reads a store that a person named as `STORE` or `STORE@TIME`.
    ///
    /// # Errors
    /// `not_found` for an unknown store or operation, `invalid` where one memory is named, `store_unavailable` for a
    /// directory that cannot be read.
    pub fn inventory_named(&self, reader: &Reader<'_>, text: &str) -> Result<Inventory, ApiError> {
        match self.target(reader, text)? {
            Target::Store { store, at: None } if store.has_directory() => self.on_disk(reader, *store),
            Target::Store { store, at } => recorded(reader, *store, at),
            Target::Version(_) | Target::File { .. } => {
                Err(ApiError::invalid(say::names_one_memory_not_store(), text)
                    .hint(say::say_store_or_store_time()))
            }
        }
    }

    /// A directory as it is right now.
    fn on_disk(&self, reader: &Reader<'_>, store: StoreRow) -> Result<Inventory, ApiError> {
        let root = self.store_root(&store)?;
        let scan = root.scan(&self.rules, None);
        let unread = |problem: &&Problem| {
            matches!(problem.kind, ProblemKind::Denied | ProblemKind::TooLarge | ProblemKind::Io(_))
        };
        if let Some(problem) = scan.problems.iter().find(unread) {
            // Half a directory would look as if the rest had been deleted.
            return Err(ApiError::new(Code::StoreUnavailable, crate::wire::sentence(problem), &store.name)
                .hint(say::store_cannot_compared_another_before()));
        }
        let mut entries = BTreeMap::new();
        for path in scan.found.into_keys() {
            // Only the hash is wanted here.
            let content = match root.read(&path, 0) {
                Ok(content) => content,
                Err(FileError::Missing { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            let head = reader.live_at(store.id, &path)?;
            let known = head.map(|head| reader.version_by_id(head.version)).transpose()?;
            let memory = known.as_ref().map(|version| version.memory);
            let hash = |version: &VersionRow| version.content.map(|content| content.sha256);
            let version = known.filter(|version| hash(version) == Some(content.sha256));
            entries.insert(path, Entry { memory, version, sha256: Some(content.sha256), size: content.size });
        }
        Ok(Inventory { store, at: None, entries, without_path: 0, root: Some(root) })
    }

    /// The content of an entry, which must be at `path` of the inventory.
    pub fn held(
        &self,
        reader: &Reader<'_>,
        inventory: &Inventory,
        path: &RelPath,
        entry: &Entry,
    ) -> Result<Held, ApiError> {
        if let Some(version) = &entry.version {
            return Ok(match reader.content(version) {
                Ok(Some(content)) => Held::Bytes(content.bytes),
                Err(LogError::NotKept(_)) => Held::TooLarge,
                Ok(None) | Err(LogError::Redacted(_)) => Held::Redacted,
                Err(error) => return Err(error.into()),
            });
        }
        let Some(root) = &inventory.root else { return Ok(Held::Redacted) };
        let content = root.read(path, self.rules.max_file_bytes)?;
        Ok(content.bytes.map_or(Held::TooLarge, Held::Bytes))
    }
}

/// A store as the log has it, now or at an instant.
///
/// # Errors
/// A failure of the database.
pub fn recorded(reader: &Reader<'_>, store: StoreRow, at: Option<Moment>) -> Result<Inventory, ApiError> {
    let found = match at {
        Some(at) => at.memories(reader, store.id)?,
        None => reader.memories_at(store.id, None)?,
    };
    let (mut entries, mut without_path) = (BTreeMap::new(), 0);
    for memory in found {
        let Some(path) = memory.path else {
            without_path += 1;
            continue;
        };
        let entry = Entry {
            memory: Some(memory.version.memory),
            sha256: memory.version.content.map(|content| content.sha256),
            size: memory.version.content.map_or(0, |content| content.size),
            version: Some(memory.version),
        };
        entries.insert(path, entry);
    }
    Ok(Inventory { store, at, entries, without_path, root: None })
}

/// Differences from one store to the other.
pub fn differences(from: &BTreeMap<RelPath, Entry>, to: &BTreeMap<RelPath, Entry>) -> Differences {
    let mut found = Differences::default();
    for (path, entry) in to {
        match from.get(path) {
            Some(before) if before.is_as(entry) => found.same += 1,
            Some(_) => drop(found.changes.insert(path.clone(), Change::Modified)),
            None => drop(found.changes.insert(path.clone(), Change::Created)),
        }
    }
    let gone = from.keys().filter(|path| !to.contains_key(*path));
    found.changes.extend(gone.map(|path| (path.clone(), Change::Deleted)));
    for (old, new) in moves(from, to, &found.changes) {
        found.changes.remove(&old);
        found.changes.insert(new, Change::Moved(old));
    }
    found
}

/// True if a path of the first store and one of the second are the same memory's.
type Pairs<'f> = dyn Fn(&RelPath, &RelPath) -> bool + 'f;

/// Pairs what is only in the first store with what is only in the second: the same memory before an equal content, and of
/// equal contents one of the same name before any other.
fn moves(
    from: &BTreeMap<RelPath, Entry>,
    to: &BTreeMap<RelPath, Entry>,
    changes: &BTreeMap<RelPath, Change>,
) -> Vec<(RelPath, RelPath)> {
    let with = |wanted: Change| {
        changes.iter().filter(move |(_, change)| **change == wanted).map(|(path, _)| path.clone())
    };
    let mut left: BTreeSet<RelPath> = with(Change::Deleted).collect();
    let mut open: BTreeSet<RelPath> = with(Change::Created).collect();
    let mut pairs = Vec::new();
    let same_name = |old: &RelPath, new: &RelPath| old.file_name() == new.file_name();
    let same_memory =
        |old: &RelPath, new: &RelPath| from[old].memory.is_some() && from[old].memory == to[new].memory;
    // Two empty files are not taken for the same.
    let same_content = |old: &RelPath, new: &RelPath| {
        from[old].sha256.is_some() && from[old].sha256 == to[new].sha256 && from[old].size > 0
    };
    let rules: [&Pairs<'_>; 3] =
        [&same_memory, &|old, new| same_content(old, new) && same_name(old, new), &same_content];
    for rule in rules {
        let mut taken = Vec::new();
        let by_key = Candidates::of(from, &left);
        for new in &open {
            let candidates = by_key.like(&to[new]);
            if let Some(old) = candidates.into_iter().find(|old| left.contains(*old) && rule(old, new)) {
                taken.push((old.clone(), new.clone()));
                left.remove(&taken[taken.len() - 1].0);
            }
        }
        for (old, new) in taken {
            open.remove(&new);
            pairs.push((old, new));
        }
    }
    pairs
}

/// Paths by memory and by content, so that many moves do not take each other's square.
struct Candidates {
    by_memory: BTreeMap<MemoryId, Vec<RelPath>>,
    by_content: BTreeMap<Sha256, Vec<RelPath>>,
}

impl Candidates {
    fn of(entries: &BTreeMap<RelPath, Entry>, paths: &BTreeSet<RelPath>) -> Self {
        let mut candidates = Self { by_memory: BTreeMap::new(), by_content: BTreeMap::new() };
        for path in paths {
            let entry = &entries[path];
            if let Some(memory) = entry.memory {
                candidates.by_memory.entry(memory).or_default().push(path.clone());
            }
            if let Some(sha256) = entry.sha256 {
                candidates.by_content.entry(sha256).or_default().push(path.clone());
            }
        }
        candidates
    }

    fn like(&self, entry: &Entry) -> Vec<&RelPath> {
        let same_memory = entry.memory.and_then(|memory| self.by_memory.get(&memory));
        let same_content = entry.sha256.and_then(|sha256| self.by_content.get(&sha256));
        same_memory.into_iter().chain(same_content).flatten().collect()
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "inventory";
    names_one_memory_not_store() => "This names one memory, not a store.",
    say_store_or_store_time() => "Say STORE, or STORE@TIME for what was in it then.",
    store_cannot_compared_another_before() => "The store cannot be compared with another before all of it can be read.",
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(files: &[(&str, u8, &str)]) -> BTreeMap<RelPath, Entry> {
        files
            .iter()
            .map(|(path, memory, text)| {
                let entry = Entry {
                    memory: (*memory > 0).then_some(MemoryId([*memory; 16])),
                    version: None,
                    sha256: (*text != "redacted").then(|| Sha256::of(text.as_bytes())),
                    size: text.len() as u64,
                };
                (RelPath::parse(path).unwrap(), entry)
            })
            .collect()
    }

    fn reported(from: &[(&str, u8, &str)], to: &[(&str, u8, &str)]) -> (u64, Vec<String>) {
        let found = differences(&entries(from), &entries(to));
        let lines = found.changes.iter().map(|(path, change)| match change {
            Change::Moved(old) => format!("{path} moved from {old}"),
            change => format!("{path} {}", change.word()),
        });
        (found.same, lines.collect())
    }

    #[test]
    fn by_path_and_content() {
        let from = [("a", 0, "1"), ("b", 0, "2"), ("c", 0, "3"), ("d", 0, "redacted")];
        let to = [("a", 0, "1"), ("b", 0, "other"), ("d", 0, "redacted"), ("e", 0, "5")];
        let expected = ["b modified", "c deleted", "d modified", "e created"];
        assert_eq!(reported(&from, &to), (1, expected.map(str::to_owned).to_vec()));
    }

    #[test]
    fn an_equal_content_elsewhere_was_moved() {
        let from = [("a/x.md", 0, "one"), ("b/y.md", 0, "one"), ("gone", 0, ""), ("twin", 0, "two")];
        let to = [("c/y.md", 0, "one"), ("d/z.md", 0, "one"), ("come", 0, ""), ("other", 0, "two")];
        let expected = [
            "c/y.md moved from b/y.md",
            "come created",
            "d/z.md moved from a/x.md",
            "gone deleted",
            "other moved from twin",
        ];
        assert_eq!(reported(&from, &to), (0, expected.map(str::to_owned).to_vec()));
    }

    #[test]
    fn a_memory_that_is_the_same_was_moved_whatever_it_holds() {
        let from = [("a", 1, "one"), ("b", 2, "two")];
        let to = [("c", 1, "two"), ("d", 0, "one")];
        let expected = ["b deleted", "c moved from a", "d created"];
        assert_eq!(reported(&from, &to), (0, expected.map(str::to_owned).to_vec()));
    }

    #[test]
    fn a_content_that_is_still_there_was_not_moved() {
        let from = [("a", 0, "one")];
        let to = [("a", 0, "one"), ("b", 0, "one")];
        assert_eq!(reported(&from, &to), (1, vec!["b created".to_owned()]));
    }
}
