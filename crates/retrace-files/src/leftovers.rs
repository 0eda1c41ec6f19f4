//! Hidden files that an interrupted act left behind.

use crate::Doing;
use crate::act::{Act, Durable, Expected};
use crate::directory::{Directory, Entry, Sort};
use crate::error::FileError;
use crate::names::{self, Parsed};
use crate::read::{open_regular, read_open};
use crate::root::Root;
use crate::scan::DEPTH_LIMIT;
use crate::steps::{NoFaults, Step};
use retrace_model::{RelPath, Rules, Sha256};

/// Kind of a leftover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeftoverKind {
    /// Content an act was about to put in place, perhaps half written. It may be discarded.
    New,
    /// Either such content in full, or what an act displaced, which may be an edit nobody recorded. Record it before it is
    /// discarded.
    Swap,
    /// A directory that was set aside to be deleted. The files in it are leftovers of their own, listed before it;
    /// discarding it removes what is empty by then.
    Directory,
}

/// A hidden file of an act that did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// Where it is.
    pub path: RelPath,
    /// The live file it belongs to, if that is there; see also [`Leftover::is_of`].
    pub target: Option<RelPath>,
    /// Its kind.
    pub kind: LeftoverKind,
    /// The hash of its content.
    pub sha256: Sha256,
    /// Its content; `None` above the size the rules allow.
    pub bytes: Option<Vec<u8>>,
    of: [u8; 4],
}

impl Leftover {
    /// True if it belongs to a file that stood at `path`: the same directory, and a name with the same hash. Finds the
    /// memory of an interrupted deletion, whose file is no longer there.
    #[must_use]
    pub fn is_of(&self, path: &RelPath) -> bool {
        self.path.parent() == path.parent() && names::name_hash(path.file_name()) == self.of
    }
}

impl Root {
    /// The hidden files of acts that did not come to their end, in the directories `rules` enter. Directories in which an
    /// act is under way now, in this process or another, are passed over.
    #[must_use]
    pub fn leftovers(&self, rules: &Rules) -> Vec<Leftover> {
        let mut leftovers = Vec::new();
        if let Ok(top) = self.top.reopen() {
            leftovers_below(&top, None, 0, rules, &mut leftovers);
        }
        leftovers
    }

    /// Removes a leftover, if its content is still the one that was looked at.
    ///
    /// # Errors
    /// [`FileError::Moved`] when it holds something else by now; [`FileError::Unstable`] while an act is under way in its
    /// directory.
    pub fn discard(&self, leftover: &Leftover) -> Result<(), FileError> {
        let directory = self.idle_parent_of(&leftover.path)?;
        if leftover.kind == LeftoverKind::Directory {
            if let Ok(aside) = directory.open_child(leftover.path.file_name()) {
                remove_empty(&aside, 0);
            }
            return directory
                .remove_directory(leftover.path.file_name())
                .map_err(|error| FileError::new(&leftover.path, Doing::Remove, error));
        }
        act_on(&directory, leftover).open_expected(leftover.sha256)?;
        directory
            .remove_file(leftover.path.file_name())
            .map_err(|error| FileError::new(&leftover.path, Doing::Remove, error))
    }

    /// Renames a leftover to `target`, which must lie in the same directory, unless something stands there: the file of an
    /// interrupted deletion is back.
    ///
    /// # Errors
    /// [`FileError::Moved`] when the leftover holds something else by now or `target` is taken;
    /// [`FileError::Unstable`] while an act is under way in its directory.
    pub fn put_back(&self, leftover: &Leftover, target: &RelPath) -> Result<(), FileError> {
        let refused = |found| FileError::Moved {
            path: target.clone(),
            expected: Expected::Absent,
            found,
            kept: Some(leftover.path.clone()),
        };
        if leftover.path.parent() != target.parent() {
            return Err(refused(None));
        }
        let directory = self.idle_parent_of(&leftover.path)?;
        let act = act_on(&directory, leftover);
        act.open_expected(leftover.sha256)?;
        match act.rename_to_free(Step::PutBack, leftover.path.file_name(), target.file_name()) {
            Ok(_) => directory.sync().map_err(|error| FileError::new(target, Doing::Sync, error)),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                Err(refused(act.hash_of(target.file_name()).ok()))
            }
            Err(error) => Err(FileError::new(target, Doing::Rename, error)),
        }
    }

    fn idle_parent_of(&self, path: &RelPath) -> Result<Directory, FileError> {
        let directory = self.parent_of(path)?;
        if directory.is_busy() { Err(FileError::Unstable { path: path.clone() }) } else { Ok(directory) }
    }
}

fn act_on<'a>(directory: &'a Directory, leftover: &'a Leftover) -> Act<'a> {
    let expected = Expected::Hash(leftover.sha256);
    Act {
        directory,
        path: &leftover.path,
        expected,
        random: 0,
        durable: Durable::Now,
        holding: false,
        steps: &NoFaults,
    }
}

/// Goes through `directory`, whose path is `at` and has `depth` components. Lists names alone: looking at every file would
/// cost as much as a scan.
fn leftovers_below(
    directory: &Directory,
    at: Option<&RelPath>,
    depth: usize,
    rules: &Rules,
    into: &mut Vec<Leftover>,
) {
    let Ok(entries) = directory.entries() else { return };
    leftovers_in(directory, at, &entries, rules, into);
    for Entry { name, sort } in &entries {
        let is_directory = match sort {
            Sort::Unknown => directory.stat(name).is_ok_and(|stat| stat.sort == Sort::Directory),
            sort => *sort == Sort::Directory,
        };
        if !is_directory || rules.leaves_out_directory(name).is_some() || depth + 1 >= DEPTH_LIMIT {
            continue;
        }
        let path = at.map_or_else(|| RelPath::from_bytes(&**name), |at| at.join(name));
        if let (Ok(path), Ok(child)) = (path, directory.open_child(name)) {
            leftovers_below(&child, Some(&path), depth + 1, rules, into);
        }
    }
}

fn leftovers_in(
    directory: &Directory,
    at: Option<&RelPath>,
    entries: &[Entry],
    rules: &Rules,
    into: &mut Vec<Leftover>,
) {
    if !entries.iter().any(|entry| names::parse(&entry.name).is_some()) || directory.is_busy() {
        return;
    }
    let path_of = |name: &[u8]| match at {
        Some(at) => at.join(name).ok(),
        None => RelPath::from_bytes(name).ok(),
    };
    for entry in entries {
        let Some(Parsed { of, kind }) = names::parse(&entry.name) else { continue };
        let Some(path) = path_of(&entry.name) else { continue };
        let is_directory = match entry.sort {
            Sort::Unknown => directory.stat(&entry.name).is_ok_and(|stat| stat.sort == Sort::Directory),
            sort => sort == Sort::Directory,
        };
        if is_directory {
            if let Ok(aside) = directory.open_child(&entry.name) {
                files_aside(&aside, &path, 0, (of, rules), into);
            }
            let (kind, sha256) = (LeftoverKind::Directory, Sha256::of(b""));
            into.push(Leftover { path, target: None, kind, sha256, bytes: None, of });
            continue;
        }
        let content = open_regular(directory, &path, &entry.name)
            .and_then(|(mut file, _)| read_open(&mut file, &path, rules.max_file_bytes));
        // One that cannot be read stays where it is.
        let Ok(content) = content else { continue };
        let target = entries
            .iter()
            .find(|other| {
                matches!(other.sort, Sort::File | Sort::Unknown)
                    && names::parse(&other.name).is_none()
                    && names::name_hash(&other.name) == of
            })
            .and_then(|other| path_of(&other.name));
        into.push(Leftover { path, target, kind, sha256: content.sha256, bytes: content.bytes, of });
    }
}

/// The files in a directory that was set aside, whatever their names.
fn files_aside(
    directory: &Directory,
    at: &RelPath,
    depth: usize,
    (of, rules): ([u8; 4], &Rules),
    into: &mut Vec<Leftover>,
) {
    let Ok(entries) = directory.entries() else { return };
    for Entry { name, .. } in &entries {
        let (Ok(path), Ok(stat)) = (at.join(name), directory.stat(name)) else { continue };
        match stat.sort {
            Sort::Directory if depth < DEPTH_LIMIT => {
                if let Ok(child) = directory.open_child(name) {
                    files_aside(&child, &path, depth + 1, (of, rules), into);
                }
            }
            Sort::File => {
                let content = open_regular(directory, &path, name)
                    .and_then(|(mut file, _)| read_open(&mut file, &path, rules.max_file_bytes));
                if let Ok(content) = content {
                    let kind = LeftoverKind::Swap;
                    let (sha256, bytes) = (content.sha256, content.bytes);
                    into.push(Leftover { path, target: None, kind, sha256, bytes, of });
                }
            }
            _ => {}
        }
    }
}

/// Removes the directories below one that are empty.
fn remove_empty(directory: &Directory, depth: usize) {
    let Ok(entries) = directory.entries() else { return };
    for Entry { name, .. } in &entries {
        if depth < DEPTH_LIMIT
            && directory.stat(name).is_ok_and(|stat| stat.sort == Sort::Directory)
            && let Ok(child) = directory.open_child(name)
        {
            remove_empty(&child, depth + 1);
            let _ = directory.remove_directory(name);
        }
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
