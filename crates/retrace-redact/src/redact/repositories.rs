//! Git repositories that keep what is redacted: those that stores lie in and those that history was imported from. They are
//! read by the program git, and left.

use crate::git::{Running, command, output};
use crate::wire::ApiError;
use regex::bytes::Regex;
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Larger objects are not read.
const LARGEST_OBJECT: u64 = 64 << 20;

/// Files beside the objects that are looked at. A repository with a hundred branches has some hundreds.
const MOST_FILES: usize = 100_000;

/// Folders within each other in which they are looked for.
const DEEPEST: usize = 32;

/// Contents of a repository.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    /// Commits that left a changed file with it, or have it in their message.
    pub(super) commits: u64,
    /// Objects that hold it and that no commit brought in: staged ones, tags, and what nothing leads to; and names of branches and
    /// tags.
    pub(super) others: u64,
    /// True if everything was searched.
    pub(super) finished: bool,
}

/// A repository, by the directory that all its worktrees share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Repository {
    pub(super) common: PathBuf,
    /// Where git is asked.
    pub(super) top: PathBuf,
}

/// The repository that a directory lies in.
pub(super) fn repository_of(directory: &Path) -> Option<Repository> {
    let line = |arguments: &[&str]| {
        let mut git = command(directory);
        git.args(arguments);
        let out = output(git).ok()?;
        // A path may hold line feeds; one more ends it.
        let line = out.strip_suffix(b"\n").filter(|line| !line.is_empty())?;
        Some(path_from(line))
    };
    let common = line(&["rev-parse", "--path-format=absolute", "--git-common-dir"])?;
    let top = line(&["rev-parse", "--show-toplevel"]).unwrap_or_else(|| directory.to_path_buf());
    Some(Repository { common, top })
}

/// Directories of the other worktrees of the repository that `directory` lies in, each at the same place below its top.
pub(super) fn same_place_in_worktrees(repository: &Repository, directory: &Path) -> Vec<PathBuf> {
    let mut git = command(directory);
    git.args(["worktree", "list", "--porcelain"]);
    let Ok(out) = output(git) else { return Vec::new() };
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let Ok(inside) = real(directory).strip_prefix(real(&repository.top)).map(Path::to_path_buf) else {
        return Vec::new();
    };
    String::from_utf8_lossy(&out)
        .lines()
        .filter_map(|line| line.strip_prefix("worktree "))
        .map(|top| real(Path::new(top)))
        .filter(|top| *top != real(&repository.top))
        .map(|top| top.join(&inside))
        .filter(|place| place.is_dir())
        .collect()
}

/// Files of a repository that are no objects, by name: configuration, hooks, packed names, reflogs, the last message, the index,
/// what extensions keep. At most so many are listed, until an instant; `false` where that was not all of them.
pub(super) fn files_beside_objects(common: &Path, until: Instant) -> (Vec<PathBuf>, bool) {
    let (mut files, mut is_whole) = (Vec::new(), true);
    let mut folders = vec![(common.to_path_buf(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            is_whole = false;
            continue;
        };
        // A repository within has objects of its own.
        let is_repository = folder.join("HEAD").is_file();
        for entry in entries {
            if files.len() >= MOST_FILES || Instant::now() > until {
                return (files, false);
            }
            let Ok((entry, kind)) = entry.and_then(|entry| entry.file_type().map(|kind| (entry, kind)))
            else {
                is_whole = false;
                continue;
            };
            let is_objects = is_repository && entry.file_name() == "objects";
            match kind {
                kind if kind.is_file() => files.push(entry.path()),
                kind if kind.is_dir() && is_objects => {}
                kind if kind.is_dir() && depth < DEEPEST => folders.push((entry.path(), depth + 1)),
                kind if kind.is_dir() => is_whole = false,
                _ => {}
            }
        }
    }
    files.sort();
    (files, is_whole)
}

/// Searches every object of a repository, until an instant.
///
/// # Errors
/// `store_unavailable` when git fails.
pub(super) fn kept_in(repository: &Repository, search: &Regex, until: Instant) -> Result<Kept, ApiError> {
    let Objects { mut holding, trees, mut commits, mut finished } =
        objects_holding(repository, search, until)?;
    let refs = refs_holding(repository, search)?;
    if holding.is_empty() && trees == 0 && commits.is_empty() {
        return Ok(Kept { others: refs, finished, ..Kept::default() });
    }
    let mut is_name_brought_in = false;
    let mut git = command(&repository.top);
    git.args([
        "log",
        "--all",
        "--reflog",
        "--format=%x01%H",
        "-m",
        "--root",
        "--raw",
        "--no-abbrev",
        "--no-renames",
    ]);
    git.args(["--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-notes", "--no-color"]);
    git.args(["--ignore-submodules=all"]);
    let mut child = Running::start(git)?;
    let mut brought_in = BTreeSet::new();
    let mut commit = String::new();
    for line in BufReader::new(child.stdout()?).split(b'\n') {
        let Ok(line) = line else { break };
        if Instant::now() > until {
            finished = false;
            break;
        }
        if let Some(id) = line.strip_prefix(b"\x01") {
            commit = String::from_utf8_lossy(id).into_owned();
        } else if let Some(change) = line.strip_prefix(b":") {
            let blob = change.split(|byte| *byte == b' ').nth(3).unwrap_or_default();
            let blob = String::from_utf8_lossy(blob).into_owned();
            // The name of a file is at the end of the line.
            let is_in_name = search.is_match(change);
            is_name_brought_in |= is_in_name;
            if holding.contains(&blob) {
                brought_in.insert(blob);
                commits.insert(commit.clone());
            } else if is_in_name {
                commits.insert(commit.clone());
            }
        }
    }
    if finished {
        child.end()?;
    }
    holding.retain(|blob| !brought_in.contains(blob));
    // Without all commits it is not known which of the objects belong to none.
    let trees = if is_name_brought_in { 0 } else { trees };
    let others = refs + if finished { holding.len() as u64 + trees } else { 0 };
    let at_least = u64::from(commits.is_empty() && !(holding.is_empty() && trees == 0) && !finished);
    Ok(Kept { commits: (commits.len() as u64).max(at_least), others, finished })
}

/// The number of branches, tags and other names of a repository that hold it.
fn refs_holding(repository: &Repository, search: &Regex) -> Result<u64, ApiError> {
    let mut git = command(&repository.top);
    git.args(["for-each-ref", "--format=%(refname)"]);
    Ok(output(git)?.split(|byte| *byte == b'\n').filter(|name| search.is_match(name)).count() as u64)
}

/// Objects that hold it: blobs and tags, and commits by their messages.
struct Objects {
    holding: BTreeSet<String>,
    /// Trees that have it in the name of a file.
    trees: u64,
    commits: BTreeSet<String>,
    finished: bool,
}

fn objects_holding(repository: &Repository, search: &Regex, until: Instant) -> Result<Objects, ApiError> {
    let mut git = command(&repository.top);
    git.args(["cat-file", "--batch-all-objects", "--unordered", "--buffer", "--batch"]);
    let mut child = Running::start(git)?;
    let mut answers = BufReader::with_capacity(1 << 16, child.stdout()?);
    let mut found = Objects { holding: BTreeSet::new(), trees: 0, commits: BTreeSet::new(), finished: true };
    let (mut head, mut bytes) = (Vec::new(), Vec::new());
    loop {
        head.clear();
        if answers.read_until(b'\n', &mut head).unwrap_or(0) == 0 {
            break;
        }
        let line = String::from_utf8_lossy(&head);
        let mut words = line.split_whitespace();
        let (Some(id), Some(kind), Some(size)) = (words.next(), words.next(), words.next()) else { continue };
        let Ok(size) = size.parse::<u64>() else { continue };
        let read = if size > LARGEST_OBJECT {
            found.finished = false;
            std::io::copy(&mut (&mut answers).take(size + 1), &mut std::io::sink()).map(drop)
        } else {
            bytes.clear();
            let read = (&mut answers).take(size + 1).read_to_end(&mut bytes).map(drop);
            if search.is_match(&bytes) {
                match kind {
                    "commit" => drop(found.commits.insert(id.to_owned())),
                    "tree" => found.trees += 1,
                    _ => drop(found.holding.insert(id.to_owned())),
                }
            }
            read
        };
        if read.is_err() || Instant::now() > until {
            found.finished = false;
            return Ok(found);
        }
    }
    // One that could not read everything says so by how it ends.
    found.finished &= child.end().is_ok();
    Ok(found)
}

#[cfg(unix)]
fn path_from(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    std::ffi::OsString::from_vec(bytes.to_vec()).into()
}

#[cfg(not(unix))]
fn path_from(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}
