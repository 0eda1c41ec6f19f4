//! Which directory's sessions can load a directory of memories.

use retrace_sessions::Entry;
use retrace_sources::repository_of;
use std::path::{Path, PathBuf};

/// The directory whose sessions can load a store: above `.claude`, or the repository it lies in. `None` for the memory that
/// Claude Code keeps by project below its own directory, which is told by the place of the transcripts, and for one that
/// is of no project.
#[must_use]
pub fn project_of(root: &Path) -> Option<PathBuf> {
    let own = root.ancestors().find(|above| above.file_name() == Some(".claude".as_ref()));
    match own {
        Some(own) if root.starts_with(own.join("projects")) => None,
        Some(own) => own.parent().map(Path::to_path_buf),
        None => repository_above(root),
    }
}

/// True if work in a directory is work on a project: it lies in the project, or in a worktree of the project's repository.
#[must_use]
pub fn is_of_project(project: &Path, directory: &str) -> bool {
    let directory = Path::new(directory);
    directory.starts_with(project)
        || repository_of(directory).is_some_and(|repository| repository.starts_with(project))
}

/// True for a transcript that lies beside a memory: Claude Code keeps both in the project's folder.
#[must_use]
pub fn is_beside(root: &Path, transcript: &Path) -> bool {
    root.parent().is_some_and(|parent| {
        parent.parent().and_then(Path::file_name) == Some("projects".as_ref())
            && transcript.starts_with(parent)
    })
}

/// True if a session ran where the instruction files of a directory are loaded, or the directory is of no project.
#[must_use]
pub fn ran_below(entry: &Entry, root: &Path) -> bool {
    match project_of(root) {
        Some(project) => entry.project().is_some_and(|ran| is_of_project(&project, ran)),
        None => true,
    }
}

/// The nearest directory with `.git` at or above `root`.
fn repository_above(root: &Path) -> Option<PathBuf> {
    let above = root.is_absolute().then(|| root.ancestors())?;
    above.into_iter().find(|above| above.join(".git").symlink_metadata().is_ok()).map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_of_a_store() {
        for (root, project) in [
            ("/home/ada/.claude/projects/-w/memory", None),
            ("/w/app/.claude/agent-memory/reviewer", Some("/w/app")),
            ("/home/ada/.claude/agent-memory/reviewer", Some("/home/ada")),
            ("/nowhere/notes", None),
        ] {
            assert_eq!(project_of(Path::new(root)), project.map(PathBuf::from), "{root}");
        }
    }
}
