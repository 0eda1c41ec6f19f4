//! Two stores compared with each other, and memories of one taken over into the other.
//!
//! Whatever may not be taken is said before anything is done: what was named must be possible, or nothing happens; what came
//! along because everything was asked for is left, with the reason. The act itself is a plan as of a rollback.

use crate::Hosted;
use crate::inventory::{self, Change, Differences, Entry, Held, Inventory};
use crate::plan::{Plan, Step, Wanted};
use crate::wire::{
    AcceptMemoriesReq, ActResult, ApiError, Code, CompareStoresReq, ComparedMemory, StoreComparison,
};
use retrace_log::{Reader, StoreRow};
use retrace_message::Message;
use retrace_model::{RelPath, Rules, Sha256, Source, VersionId};
use retrace_store_api::MemoryPath;
use retrace_store_api::limits::{CONTENT_BYTES, MEMORIES_PER_STORE};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

/// Memories whose contents are compared; of those beyond, only what changed is said.
const COUNTED: usize = 5_000;

/// Bytes of a file's name that every file system takes.
const NAME_BYTES: usize = 255;

/// Compares two stores with each other. A directory without an instant is taken as it is on disk.
///
/// # Errors
/// `not_found` for an unknown store or operation, `invalid` where one memory is named, `store_unavailable` for a directory
/// that cannot be read.
pub fn compare_stores(inner: &Arc<Hosted>, request: CompareStoresReq) -> Result<StoreComparison, ApiError> {
    inner.read(|reader| {
        let from = inner.inventory_named(reader, &request.from)?;
        let to = inner.inventory_named(reader, &request.to)?;
        let Differences { same, changes } = inventory::differences(&from.entries, &to.entries);
        let memories = changes
            .iter()
            .enumerate()
            .map(|(at, (path, change))| {
                let before = match change {
                    Change::Created => None,
                    Change::Moved(old) => Some(old),
                    Change::Modified | Change::Deleted => Some(path),
                };
                let sides = Sides {
                    from: before.map(|path| (&from, path, &from.entries[path])),
                    to: to.entries.get(path).map(|entry| (&to, path, entry)),
                };
                inner.compared(reader, path, change, &sides, at < COUNTED)
            })
            .collect::<Result<_, ApiError>>()?;
        Ok(StoreComparison {
            from_store_id: from.store.id.to_string(),
            to_store_id: to.store.id.to_string(),
            same,
            memories,
        })
    })
}

/// Takes memories of one store over into another, as one operation that can be undone.
///
/// # Errors
/// `not_found` for an unknown store, operation or path; `invalid` for a store taken over into itself, an archived or removed
/// one, a named memory that the other store cannot hold, and more memories than a hosted store may have;
/// `store_unavailable`. Memories that moved on are conflicts in the answer, and nothing is done then.
pub fn accept_memories(inner: &Arc<Hosted>, request: AcceptMemoriesReq) -> Result<ActResult, ApiError> {
    if !request.dry_run {
        inner.scan_before(&request.from)?;
    }
    let plan = inner.read(|reader| Taking::of(inner, reader, &request)?.plan(inner, reader, &request))?;
    inner.carry_out(&plan, request.dry_run)
}

/// A memory on each of two sides.
struct Sides<'i> {
    from: Option<(&'i Inventory, &'i RelPath, &'i Entry)>,
    to: Option<(&'i Inventory, &'i RelPath, &'i Entry)>,
}

impl Hosted {
    fn compared(
        &self,
        reader: &Reader<'_>,
        path: &RelPath,
        change: &Change,
        sides: &Sides<'_>,
        counted: bool,
    ) -> Result<ComparedMemory, ApiError> {
        let version = |side: Option<(&Inventory, &RelPath, &Entry)>| {
            side.and_then(|(.., entry)| entry.version.as_ref()).map(|version| version.id.to_string())
        };
        let mut compared = ComparedMemory {
            path: path.to_string(),
            change: change.word(),
            moved_from: match change {
                Change::Moved(old) => Some(old.to_string()),
                _ => None,
            },
            from_version_id: version(sides.from),
            to_version_id: version(sides.to),
            added: None,
            removed: None,
            tokens: None,
        };
        if !counted {
            return Ok(compared);
        }
        // A side without a file has a content all the same: none.
        let bytes = |side: Option<(&Inventory, &RelPath, &Entry)>| match side {
            None => Ok(Some(None)),
            Some((inventory, path, entry)) => match self.held(reader, inventory, path, entry)? {
                Held::Bytes(bytes) => Ok::<_, ApiError>(Some(Some(bytes))),
                Held::Redacted | Held::TooLarge => Ok(None),
            },
        };
        let (Some(old), Some(new)) = (bytes(sides.from)?, bytes(sides.to)?) else { return Ok(compared) };
        let counts = self.line_counts.of_contents(old.as_deref(), new.as_deref());
        compared.added = counts.map(|(added, _)| added);
        compared.removed = counts.map(|(_, removed)| removed);
        let tokens = |bytes: &Option<Vec<u8>>| match bytes {
            None => Some(0),
            Some(bytes) => self.token_counts.of_content(bytes).and_then(|count| i64::try_from(count).ok()),
        };
        compared.tokens = tokens(&new).zip(tokens(&old)).map(|(new, old)| new - old);
        Ok(compared)
    }

    /// Records what stands in the directory that is taken from, so that what was taken can be told later.
    fn scan_before(self: &Arc<Self>, from: &str) -> Result<(), ApiError> {
        let store = self.read(|reader| match self.target(reader, from)? {
            crate::target::Target::Store { store, at: None } => Ok(Some(store)),
            _ => Ok(None),
        })?;
        if let Some(store) = store.filter(|store| !store.paused && store.removed_at.is_none()) {
            self.scan(&store)?;
        }
        Ok(())
    }
}

/// Capacity of the store that is written.
struct Holder {
    directory: bool,
    /// Limits of the Memory Stores API apply: the API shows it, or it is a mirror of a hosted store.
    api: bool,
}

impl Holder {
    fn of(reader: &Reader<'_>, store: &StoreRow) -> Result<Self, ApiError> {
        let shown = reader.api_store(store.id)?;
        let hosted = reader.remote(store.id)?;
        let is_archived = shown.as_ref().is_some_and(|shown| shown.archived_at.is_some())
            || hosted.is_some_and(|hosted| hosted.archived_at.is_some());
        if is_archived {
            return Err(archived(&store.name));
        }
        let directory = store.has_directory();
        Ok(Self { directory, api: shown.is_some() || !directory })
    }

    /// Why a memory cannot be held; `None` when it can.
    fn refuses(&self, rules: &Rules, path: &RelPath, bytes: &[u8]) -> Option<Message> {
        if self.directory {
            if rules.leaves_out(path.components()).is_some() {
                return Some(say::files_name_left_out_rules());
            }
            if path.components().any(|name| name.len() > NAME_BYTES) {
                return Some(say::files_name_most_bytes(NAME_BYTES));
            }
        }
        if !self.api {
            return None;
        }
        if bytes.len() > CONTENT_BYTES {
            return Some(say::bytes_memory_hosted_store_most(bytes.len(), CONTENT_BYTES));
        }
        let named = std::str::from_utf8(path.as_bytes()).map(|text| MemoryPath::parse(&format!("/{text}")));
        match named {
            Ok(Ok(_)) => {}
            Ok(Err(refusal)) => {
                return Some(say::hosted_store_cannot_name(refusal.message));
            }
            Err(_) => return Some(say::hosted_store_cannot_name_name()),
        }
        std::str::from_utf8(bytes).is_err().then(say::hosted_stores_accept_only_text)
    }
}

fn archived(name: &str) -> ApiError {
    ApiError::invalid(say::store_archived_nothing_written_any(), name)
}

/// A content that is taken over, with the version that has it.
type Taken = (Vec<u8>, Option<VersionId>);

/// Memories on their way from one store into another.
struct Taking {
    from: Inventory,
    into: Inventory,
    holder: Holder,
    /// Changes from `into` to `from`.
    changes: BTreeMap<RelPath, Change>,
}

impl Taking {
    fn of(inner: &Hosted, reader: &Reader<'_>, request: &AcceptMemoriesReq) -> Result<Self, ApiError> {
        let store = inner.store_named(reader, &request.into)?;
        if store.removed_at.is_some() {
            return Err(ApiError::invalid(say::store_not_list_any_more(), &store.name));
        }
        let holder = Holder::of(reader, &store)?;
        let from = inner.inventory_named(reader, &request.from)?;
        if from.store.id == store.id && from.at.is_none() {
            return Err(ApiError::invalid(say::store_cannot_taken_over_into(), &store.name)
                .hint(say::say_store_time_take_what()));
        }
        // As the log has it: what is on disk instead is a conflict, as for every act.
        let into = inventory::recorded(reader, store, None)?;
        let Differences { changes, .. } = inventory::differences(&into.entries, &from.entries);
        Ok(Self { from, into, holder, changes })
    }

    fn plan(
        &self,
        inner: &Hosted,
        reader: &Reader<'_>,
        request: &AcceptMemoriesReq,
    ) -> Result<Plan, ApiError> {
        let mut plan = Plan::new(Source::Import, Some(say::taken_over_from(&request.from)));
        if self.from.without_path > 0 {
            plan.warnings.push(say::memory_time_redacted_path_well());
        }
        let by_name = !request.paths.is_empty();
        let chosen = if by_name { self.named(&request.paths)? } else { self.all(request.delete) };
        let going: BTreeSet<RelPath> = chosen
            .iter()
            .filter_map(|(path, change)| match change {
                Change::Deleted => Some(path.clone()),
                Change::Moved(old) => Some(old.clone()),
                Change::Created | Change::Modified => None,
            })
            .collect();
        let mut created = 0;
        for (path, change) in chosen {
            let added = change == Change::Created;
            let taken = self.add(inner, reader, &mut plan, (&path, &change), (by_name, &going))?;
            created += u64::from(taken && added);
        }
        self.check_number(created)?;
        plan.tidy();
        Ok(plan)
    }

    /// Differences at the paths a person named. The new path of a moved memory means its move.
    fn named(&self, paths: &[String]) -> Result<BTreeMap<RelPath, Change>, ApiError> {
        let mut chosen = BTreeMap::new();
        for text in paths {
            let path = crate::target::rel_path(text)?;
            if let Some(change) = self.changes.get(&path) {
                chosen.insert(path, change.clone());
            } else if !self.into.entries.contains_key(&path) {
                return Err(ApiError::new(Code::NotFound, say::neither_store_memory_path(), text));
            } else if !self.from.entries.contains_key(&path) {
                // It was moved in `from`; named alone, it goes.
                chosen.insert(path, Change::Deleted);
            }
        }
        // Named with its new path, the old one goes by the move.
        let left: Vec<RelPath> = chosen
            .values()
            .filter_map(|change| match change {
                Change::Moved(old) => Some(old.clone()),
                _ => None,
            })
            .collect();
        chosen.retain(|path, _| !left.contains(path));
        Ok(chosen)
    }

    /// Everything that differs. Unless things are deleted, a moved memory is there twice afterwards.
    fn all(&self, delete: bool) -> BTreeMap<RelPath, Change> {
        let kept = |(path, change): (&RelPath, &Change)| match change {
            Change::Deleted if !delete => None,
            Change::Moved(_) if !delete => Some((path.clone(), Change::Created)),
            change => Some((path.clone(), change.clone())),
        };
        self.changes.iter().filter_map(kept).collect()
    }

    /// Adds the steps of one memory; answers whether there are any.
    fn add(
        &self,
        inner: &Hosted,
        reader: &Reader<'_>,
        plan: &mut Plan,
        (path, change): (&RelPath, &Change),
        (by_name, going): (bool, &BTreeSet<RelPath>),
    ) -> Result<bool, ApiError> {
        let moved_from = match change {
            Change::Deleted => {
                plan.steps.push(self.step(inner, reader, path, None)?);
                return Ok(true);
            }
            Change::Moved(old) => Some(old.clone()),
            Change::Created | Change::Modified => None,
        };
        let Some((bytes, version)) = self.content(inner, reader, plan, path, by_name)? else {
            return Ok(false);
        };
        let reason = self.holder.refuses(&inner.rules, path, &bytes).or_else(|| self.in_the_way(path, going));
        if let Some(reason) = reason {
            leave(plan, path, reason, by_name)?;
            return Ok(false);
        }
        let sha256 = Sha256::of(&bytes);
        let wanted = Wanted { bytes, sha256, version, moved_from: moved_from.clone() };
        plan.steps.push(self.step(inner, reader, path, Some(wanted))?);
        if let Some(old) = &moved_from {
            plan.steps.push(self.step(inner, reader, old, None)?);
        }
        Ok(true)
    }

    fn step(
        &self,
        inner: &Hosted,
        reader: &Reader<'_>,
        path: &RelPath,
        wanted: Option<Wanted>,
    ) -> Result<Step, ApiError> {
        let store = self.into.store.id;
        let (expected, expected_version) = inner.expected_at(reader, store, path)?;
        Ok(Step { store, path: path.clone(), expected, expected_version, wanted, deletion: None })
    }

    /// Content to write at a path, with the version that has it; `None`, with a warning, for what is left.
    fn content(
        &self,
        inner: &Hosted,
        reader: &Reader<'_>,
        plan: &mut Plan,
        path: &RelPath,
        by_name: bool,
    ) -> Result<Option<Taken>, ApiError> {
        let Some(entry) = self.from.entries.get(path) else { return Ok(None) };
        match inner.held(reader, &self.from, path, entry)? {
            Held::Bytes(bytes) => Ok(Some((bytes, entry.version.as_ref().map(|version| version.id)))),
            Held::Redacted => {
                plan.warnings.push(say::content_redacted_left(path.to_string()));
                Ok(None)
            }
            Held::TooLarge => {
                leave(plan, path, say::content_too_large_kept_log(), by_name)?;
                Ok(None)
            }
        }
    }

    /// A memory that lives above or below a path, where no file can be beside it, and does not go by the same act.
    fn in_the_way(&self, path: &RelPath, going: &BTreeSet<RelPath>) -> Option<Message> {
        let live = &self.into.entries;
        let mut above = path.parent();
        while let Some(here) = above {
            if live.contains_key(&here) && !going.contains(&here) {
                return Some(say::memory_cannot_directory_well_delete(here.to_string()));
            }
            above = here.parent();
        }
        let below = live
            .range::<RelPath, _>((Bound::Excluded(path), Bound::Unbounded))
            .map(|(below, _)| below)
            .take_while(|below| below.as_bytes().starts_with(path.as_bytes()))
            .find(|below| below.is_within(path) && !going.contains(*below))?;
        Some(say::would_where_directory_below_delete(below.to_string()))
    }

    fn check_number(&self, created: u64) -> Result<(), ApiError> {
        let after = self.into.entries.len() as u64 + created;
        if !self.holder.api || created == 0 || after <= MEMORIES_PER_STORE {
            return Ok(());
        }
        Err(ApiError::invalid(
            say::store_would_hold_memories_hosted(after, MEMORIES_PER_STORE),
            &self.into.store.name,
        )
        .hint(say::what_deleted_same_act_deleted()))
    }
}

/// Leaves a memory as it is: an error where it was named, a warning where it came along.
fn leave(plan: &mut Plan, path: &RelPath, reason: Message, by_name: bool) -> Result<(), ApiError> {
    if by_name {
        return Err(ApiError::invalid(reason, path.to_text()));
    }
    plan.warnings.push(say::left(path.to_string(), reason));
    Ok(())
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "compared";
    files_name_left_out_rules() => "Files of this name are left out by the rules of the directory.",
    files_name_most_bytes(value) => "A file's name has at most {value} bytes.",
    bytes_memory_hosted_store_most(count, value) => "It has {count} bytes; a memory of a hosted store has at most {value}.",
    hosted_store_cannot_name(message) => "A hosted store cannot name it ({message}).",
    hosted_store_cannot_name_name() => "A hosted store cannot name it: the name is not UTF-8.",
    hosted_stores_accept_only_text() => "Hosted stores accept only text.",
    store_archived_nothing_written_any() => "The store is archived, so nothing is written to it any more.",
    store_not_list_any_more() => "The store is not on the list any more.",
    store_cannot_taken_over_into() => "A store cannot be taken over into itself.",
    say_store_time_take_what() => "Say STORE@TIME to take what was in it then.",
    taken_over_from(from) => "taken over from {from}",
    memory_time_redacted_path_well() => "A memory of that time is redacted, its path as well; whatever is in its place now is left as it is.",
    neither_store_memory_path() => "Neither store has a memory at this path.",
    content_redacted_left(path) => "{path}: the content is redacted; it is left as it is.",
    memory_cannot_directory_well_delete(here) => "{here} is a memory, and cannot be a directory as well. Delete it first.",
    would_where_directory_below_delete(below) => "It would be where a directory is: {below} is below it. Delete that first.",
    store_would_hold_memories_hosted(after, value) => "The store would hold {after} memories; a hosted store holds at most {value}.",
    what_deleted_same_act_deleted() => "What is deleted by the same act is deleted last. Delete first, or name fewer paths.",
    left(path, reason) => "{path}: it is left as it is. {reason}",
    content_too_large_kept_log() => "The content is too large to be kept in the log.",
}
