//! Finds the repository a directory belongs to, read from the files git leaves. No git program is run.
//!
//! Source of the layout: git documentation, `gitrepository-layout` (`gitdir:` file, `commondir`, `worktrees/<id>/gitdir`).

use crate::scan::Scan;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Directories above a working directory in which a repository is searched for.
const MAX_ANCESTORS: usize = 64;

/// Bytes read of a file that names another place.
const MAX_POINTER_BYTES: u64 = 16 * 1024;

/// Where a directory stands in git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Checkout {
    /// Top of the working tree the directory lies in: the main one or a linked worktree.
    pub(crate) worktree: PathBuf,
    /// The repository all worktrees share: top of its main working tree, or the bare repository itself.
    pub(crate) repository: PathBuf,
}

/// The repository `directory` lies in, or `None`. The directory itself need not be there any more.
pub(crate) fn checkout(scan: &mut Scan, directory: &Path) -> Option<Checkout> {
    // A relative path, such as one recorded on another platform, would be searched below our own working directory.
    if !directory.is_absolute() {
        return None;
    }
    for ancestor in directory.ancestors().take(MAX_ANCESTORS) {
        let Ok(metadata) = fs::symlink_metadata(ancestor.join(".git")) else { continue };
        let worktree = ancestor.to_path_buf();
        let repository = if metadata.is_file() { shared_repository(scan, ancestor) } else { None };
        return Some(Checkout { repository: repository.unwrap_or_else(|| worktree.clone()), worktree });
    }
    None
}

/// The repository a directory lies in, which all its worktrees share: Claude Code keeps one memory for it. The directory itself need
/// not be there any more.
#[must_use]
pub fn repository_of(directory: &Path) -> Option<PathBuf> {
    checkout(&mut Scan::default(), directory).map(|checkout| checkout.repository)
}

/// The linked worktrees of a repository, by path. They need not be there any more.
pub(crate) fn worktrees(scan: &mut Scan, repository: &Path) -> Vec<PathBuf> {
    if !repository.is_absolute() {
        return Vec::new();
    }
    let administration = [repository.join(".git"), repository.to_path_buf()]
        .into_iter()
        .find(|place| place.join("HEAD").is_file() && place.join("worktrees").is_dir());
    let Some(administration) = administration else { return Vec::new() };
    let mut found: Vec<PathBuf> = scan
        .directories(&administration.join("worktrees"))
        .into_iter()
        .filter_map(|entry| pointer(scan, &entry.path.join("gitdir"), "", &entry.path))
        .filter_map(|link| link.parent().map(Path::to_path_buf))
        .collect();
    found.sort();
    found.dedup();
    found
}

/// The repository behind a `.git` file. A submodule has no `commondir` and is a repository of its own.
fn shared_repository(scan: &mut Scan, worktree: &Path) -> Option<PathBuf> {
    let administration = pointer(scan, &worktree.join(".git"), "gitdir:", worktree)?;
    let common = pointer(scan, &administration.join("commondir"), "", &administration)?;
    if common.file_name().is_some_and(|name| name == ".git") {
        return common.parent().map(Path::to_path_buf);
    }
    Some(common)
}

/// True if a working tree's `.git` file names its administration in a repository's `worktrees`.
pub(crate) fn is_linked_worktree(scan: &mut Scan, worktree: &Path) -> bool {
    let administration = pointer(scan, &worktree.join(".git"), "gitdir:", worktree);
    let above = administration.as_deref().and_then(Path::parent).and_then(Path::file_name);
    above.is_some_and(|name| name == "worktrees")
}

/// The path a small text file holds after `prefix`, made absolute from `base`.
fn pointer(scan: &mut Scan, file: &Path, prefix: &str, base: &Path) -> Option<PathBuf> {
    let text = scan.text(file, MAX_POINTER_BYTES)?;
    let path = text.lines().next()?.strip_prefix(prefix)?.trim();
    (!path.is_empty() && !path.contains('\0')).then(|| lexical(&base.join(path)))
}

/// Resolves `.` and `..` in the text of a path.
pub(crate) fn lexical(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                resolved.pop();
            }
            other => resolved.push(other),
        }
    }
    resolved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Home;

    #[test]
    fn a_repository_its_subdirectories_and_its_worktrees_are_one() {
        let home = Home::new();
        home.repository("work/app");
        home.worktree("work/app", "work/app-fix", "fix");
        home.write("work/app/src/lib.rs", "");
        let app = home.path("work/app");
        let mut scan = Scan::default();
        for (directory, worktree) in [
            ("work/app", "work/app"),
            ("work/app/src", "work/app"),
            ("work/app/no/longer/there", "work/app"),
            ("work/app-fix", "work/app-fix"),
        ] {
            let expected = Checkout { worktree: home.path(worktree), repository: app.clone() };
            assert_eq!(checkout(&mut scan, &home.path(directory)), Some(expected), "{directory}");
        }
        assert_eq!(worktrees(&mut scan, &app), [home.path("work/app-fix")]);
        assert_eq!(scan.into_problems(), []);
    }

    #[test]
    fn a_submodule_and_a_damaged_link_stand_for_themselves() {
        let home = Home::new();
        home.write("app/sub/.git", "gitdir: ../.git/modules/sub\n");
        home.write("app/.git/modules/sub/HEAD", "ref: refs/heads/main\n");
        home.write("broken/.git", "nonsense");
        home.write("empty/.git", "");
        let mut scan = Scan::default();
        for directory in ["app/sub", "broken", "empty"] {
            let path = home.path(directory);
            let expected = Checkout { worktree: path.clone(), repository: path.clone() };
            assert_eq!(checkout(&mut scan, &path), Some(expected), "{directory}");
        }
        assert_eq!(checkout(&mut scan, Path::new("relative/path")), None);
    }
}
