//! One scan of one store: list, compare, read, hand over.

use crate::dirty::topmost;
use crate::keeper::{Batch, Keeper, KeeperError, Key, Observation, Store};
use crate::presence::{self, Presence};
use crate::status::{Standing, Status};
use retrace_files::{Content, FileError, LARGEST_READ, Problem, ProblemKind, Root, Scan};
use retrace_message::{AsMessage, Message};
use retrace_model::{Head, RelPath, Rules, Seen, StoreState, Timestamp, reconcile};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Most content of one batch, in bytes: what a scan holds in memory at once, and what one transaction of the log writes.
const BATCH_BYTES: usize = 32 * 1024 * 1024;

/// Most files of one batch.
const BATCH_FILES: usize = 5000;

/// Number of repeated listings of a part because directories in it were not watched before: whatever was put into them
/// before the watch was set is found by the second listing, unless that finds new directories too.
const LISTINGS: usize = 3;

/// Result of a scan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    /// Number of files that were read and handed over.
    pub read: usize,
    /// Number of live memories that were found gone.
    pub gone: usize,
    /// Paths that are being written just now, to be scanned again soon.
    pub later: Vec<RelPath>,
    /// Files above the size limit.
    pub too_large: Vec<RelPath>,
    /// Paths that were not recorded, and why.
    pub problems: Vec<Problem>,
    /// The state that follows, after a full scan or when the directory is away.
    pub status: Option<Status>,
}

/// Readiness of a file to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readiness {
    /// Now.
    Ready,
    /// Soon, in another scan: it seems to be being written.
    Soon,
    /// When everything is scanned the next time.
    NextTime,
}

/// Terms of a scan.
pub(crate) struct Terms<'a> {
    /// Files and directories to scan; `None` for everything.
    pub paths: Option<&'a BTreeSet<RelPath>>,
    /// Files that are read even though nothing about them seems to have changed.
    pub dirty: &'a BTreeSet<RelPath>,
    /// Decides if a file that may have changed is to be read now.
    pub readiness: &'a dyn Fn(&RelPath, &Seen) -> Readiness,
    /// Takes the directories found; `true` when some were not watched before. The flag says whether it is the first time.
    pub cover: &'a mut dyn FnMut(&Root, &Scan, bool) -> bool,
}

/// Scans `store` once, or `paths` in it, and hands what changed to `keeper`: contents are in the log when this
/// returns. For a full scan, the keeper also receives the store's status.
///
/// An act calls this for the paths it is about to write, so that what stands there is recorded first.
///
/// # Errors
/// The keeper's. A directory that is missing or may not be read is not an error but a [`Scanned::status`].
pub fn scan(
    keeper: &mut dyn Keeper,
    store: &Store,
    paths: Option<&[RelPath]>,
) -> Result<Scanned, KeeperError> {
    let paths: Option<BTreeSet<RelPath>> = paths.map(|paths| paths.iter().cloned().collect());
    let nothing = BTreeSet::new();
    let mut scanned = match presence::open(&store.root, None) {
        Presence::Open(root) => {
            if let Some((state, detail)) = keeper.admit(store.key, &root)? {
                let status = Status::away(state, detail);
                keeper.status(store.key, &status);
                return Ok(Scanned { status: Some(status), ..Scanned::default() });
            }
            let mut terms = Terms {
                paths: paths.as_ref(),
                dirty: paths.as_ref().unwrap_or(&nothing),
                readiness: &|_, _| Readiness::Ready,
                cover: &mut |_, _, _| false,
            };
            scan_into(keeper, store, &root, &mut terms)?
        }
        Presence::Removed(detail) => removed(keeper, store.key, paths.as_ref(), detail)?,
        Presence::Away(state, detail) => {
            Scanned { status: Some(Status::away(state, detail)), ..Scanned::default() }
        }
    };
    if paths.is_none() && scanned.status.is_none() {
        let mut standing = Standing::default();
        standing.update(None, &scanned);
        scanned.status = Some(standing.status(None));
    }
    if let Some(status) = &scanned.status {
        keeper.status(store.key, status);
    }
    Ok(scanned)
}

/// Hands over that every memory of a removed directory, or every one at or below `paths`, is gone.
pub(crate) fn removed(
    keeper: &mut dyn Keeper,
    store: Key,
    paths: Option<&BTreeSet<RelPath>>,
    detail: Message,
) -> Result<Scanned, KeeperError> {
    let gone_at = keeper.now();
    let gone: BTreeSet<RelPath> = keeper.heads(store, paths)?.into_keys().collect();
    let count = gone.len();
    if count > 0 {
        keeper
            .observe(store, Batch { observations: Vec::new(), gone: Arc::new(gone), gone_at, last: true })?;
    }
    let status = Some(Status::away(StoreState::Missing, detail));
    Ok(Scanned { gone: count, status, ..Scanned::default() })
}

/// Scans an open store.
pub(crate) fn scan_into(
    keeper: &mut dyn Keeper,
    store: &Store,
    root: &Root,
    terms: &mut Terms<'_>,
) -> Result<Scanned, KeeperError> {
    let scanned_at = keeper.now();
    let tree = list(root, &store.rules, terms.paths, terms.cover);
    let mut heads = keeper.heads(store.key, terms.paths)?;
    heads.retain(|path, _| tree.covers(path));
    let decided = reconcile(&heads, &tree.found, terms.dirty, true);

    let mut scanned = Scanned { too_large: too_large(&tree, &store.rules), ..Scanned::default() };
    let mut to_read = decided.to_read;
    let gone = confirm(root, &store.rules, decided.gone, &mut to_read, &mut scanned.problems);
    let moved: BTreeSet<(u64, u64)> =
        gone.iter().filter_map(|path| heads.get(path)?.seen).map(|seen| (seen.file_id, seen.size)).collect();
    scanned.problems.extend(tree.problems);
    scanned.gone = gone.len();
    let order = in_order_of_writing(to_read, &tree.found, &heads);
    drop(heads);

    let mut batches = Batches::new(keeper, store.key, gone, scanned_at);
    for (path, seen) in order {
        // A file that only changed its name is complete, however fresh.
        let renamed =
            seen.is_some_and(|seen| seen.file_id != 0 && moved.contains(&(seen.file_id, seen.size)));
        let readiness = seen.map_or(Readiness::Ready, |seen| (terms.readiness)(&path, &seen));
        if !renamed && readiness != Readiness::Ready {
            if readiness == Readiness::Soon {
                scanned.later.push(path);
            }
            continue;
        }
        let scanned_at = batches.keeper.now();
        match root.read(&path, store.rules.max_file_bytes) {
            Ok(content) => batches.add(Observation { path, content, scanned_at })?,
            Err(error) => not_read(path, error, &mut scanned),
        }
    }
    scanned.read = batches.finish()?;
    Ok(scanned)
}

/// Lists the files asked for, again if that made directories watched.
fn list(
    root: &Root,
    rules: &Rules,
    paths: Option<&BTreeSet<RelPath>>,
    cover: &mut dyn FnMut(&Root, &Scan, bool) -> bool,
) -> Scan {
    let mut tree = Scan::default();
    for listing in 0..LISTINGS {
        tree = match paths {
            None => root.scan(rules, None),
            Some(paths) => {
                let parts = topmost(paths.iter().cloned());
                let parts = parts.iter().map(|path| root.scan(rules, Some(path)));
                parts.reduce(merge).unwrap_or_default()
            }
        };
        if !cover(root, &tree, listing == 0) {
            break;
        }
    }
    tree
}

fn merge(mut one: Scan, mut other: Scan) -> Scan {
    one.found.append(&mut other.found);
    one.directories.append(&mut other.directories);
    one.problems.append(&mut other.problems);
    one.unreadable.append(&mut other.unreadable);
    one
}

/// Those of `gone` that are really not there. A listing may miss a file that is renamed while it is made, so each is asked
/// for by name; one that turns up is read.
fn confirm(
    root: &Root,
    rules: &Rules,
    gone: BTreeSet<RelPath>,
    to_read: &mut BTreeSet<RelPath>,
    problems: &mut Vec<Problem>,
) -> BTreeSet<RelPath> {
    gone.into_iter()
        .filter(|path| match root.seen(path) {
            Ok(None) => true,
            Ok(Some(_)) => {
                // A file the rules leave out by now is not gone: what is known of it stays.
                if rules.leaves_out(path.components()).is_none() {
                    to_read.insert(path.clone());
                }
                false
            }
            Err(error) => {
                problems.push(problem_of(path.clone(), &error));
                false
            }
        })
        .collect()
}

/// The order in which the files were last written, as far as their times tell.
fn in_order_of_writing(
    paths: BTreeSet<RelPath>,
    found: &BTreeMap<RelPath, Seen>,
    heads: &BTreeMap<RelPath, Head>,
) -> Vec<(RelPath, Option<Seen>)> {
    let seen = |path: &RelPath| found.get(path).copied().or_else(|| heads.get(path)?.seen);
    let mut order: Vec<_> = paths.into_iter().map(|path| (seen(&path), path)).collect();
    order.sort_by(|(a, path_a), (b, path_b)| {
        let time = |seen: &Option<Seen>| seen.map(|seen| seen.modified_nanos);
        time(a).cmp(&time(b)).then_with(|| path_a.cmp(path_b))
    });
    order.into_iter().map(|(seen, path)| (path, seen)).collect()
}

fn too_large(tree: &Scan, rules: &Rules) -> Vec<RelPath> {
    let large =
        tree.found.iter().filter(|(_, seen)| seen.size > rules.max_file_bytes && seen.size <= LARGEST_READ);
    large.map(|(path, _)| path.clone()).collect()
}

fn not_read(path: RelPath, error: FileError, scanned: &mut Scanned) {
    match error {
        // It changed, or changed its nature, since it was listed: what it is now is seen next time.
        FileError::Unstable { .. }
        | FileError::Missing { .. }
        | FileError::Link { .. }
        | FileError::IsDirectory { .. }
        | FileError::NotAFile { .. }
        | FileError::BelowAFile { .. } => scanned.later.push(path),
        error => scanned.problems.push(problem_of(path, &error)),
    }
}

fn problem_of(path: RelPath, error: &FileError) -> Problem {
    let kind = match error {
        FileError::Denied { .. } => ProblemKind::Denied,
        FileError::TooLarge { .. } => ProblemKind::TooLarge,
        FileError::Io { doing, source, .. } => ProblemKind::Io(say::could_not(doing, source)),
        error => ProblemKind::Io(error.message()),
    };
    Problem { path: Some(path), kind }
}

/// Collects observations and hands them over in bounded batches.
struct Batches<'a> {
    keeper: &'a mut dyn Keeper,
    store: Key,
    gone: Arc<BTreeSet<RelPath>>,
    gone_at: Timestamp,
    pending: Vec<Observation>,
    bytes: usize,
    count: usize,
}

impl<'a> Batches<'a> {
    fn new(keeper: &'a mut dyn Keeper, store: Key, gone: BTreeSet<RelPath>, gone_at: Timestamp) -> Self {
        Self { keeper, store, gone: Arc::new(gone), gone_at, pending: Vec::new(), bytes: 0, count: 0 }
    }

    fn add(&mut self, observation: Observation) -> Result<(), KeeperError> {
        let bytes = kept_bytes(&observation.content);
        if self.pending.len() >= BATCH_FILES || (!self.pending.is_empty() && self.bytes + bytes > BATCH_BYTES)
        {
            self.hand_over(false)?;
        }
        self.bytes += bytes;
        self.count += 1;
        self.pending.push(observation);
        Ok(())
    }

    fn hand_over(&mut self, last: bool) -> Result<(), KeeperError> {
        let observations = std::mem::take(&mut self.pending);
        self.bytes = 0;
        let batch = Batch { observations, gone: Arc::clone(&self.gone), gone_at: self.gone_at, last };
        self.keeper.observe(self.store, batch)
    }

    /// Hands over what is left and says how many observations there were.
    fn finish(mut self) -> Result<usize, KeeperError> {
        if !self.pending.is_empty() || !self.gone.is_empty() {
            self.hand_over(true)?;
        }
        Ok(self.count)
    }
}

fn kept_bytes(content: &Content) -> usize {
    content.bytes.as_ref().map_or(0, Vec::len)
}

#[cfg(test)]
mod tests;

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "scan";
    could_not(doing, source) => "could not {doing}: {source}",
}
