//! Which directory's sessions can load a directory of memories.

use super::file::{OF_PERSON, is_instructions};
use retrace_sessions::Entry;
use retrace_sources::{Surroundings, is_for_user, repository_of};
use std::path::{Path, PathBuf};

/// The directory whose sessions can load a store: above `.claude`, or the repository it lies in. `None` for the memory that
/// Claude Code keeps by project below its own directory, which is told by the place of the transcripts, for what it keeps for
/// its user there, which sessions have wherever they run, and for one that is of no project.
#[must_use]
pub fn project_of(root: &Path) -> Option<PathBuf> {
    match own_of(root) {
        Some(own) if root.starts_with(own.join("projects")) || is_of_user(own) => None,
        Some(own) => own.parent().map(Path::to_path_buf),
        None => repository_above(root),
    }
}

/// The directory whose sessions can load a file that is in no store: as [`project_of`] has it, else for an instruction file the
/// one that it lies in, as clients load those of the directories above. `None` for what a person tells every session of a client,
/// and for a file that is of no project.
#[must_use]
pub fn project_of_file(surroundings: &Surroundings, file: &Path) -> Option<PathBuf> {
    let folder = file.parent()?;
    let is_of_other_home = || OF_PERSON[1..].iter().any(|name| folder.ends_with(name));
    if is_for_user(surroundings, folder) || is_for_every_project(folder) || is_of_other_home() {
        return None;
    }
    project_of(folder).or_else(|| {
        // Clients call the directory they run in by its real path.
        let real = || std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
        (is_instructions(file) && own_of(folder).is_none()).then(real)
    })
}

/// True for what Claude Code keeps for its user below its own directory: sessions have it wherever they run.
#[must_use]
pub fn is_for_every_project(root: &Path) -> bool {
    own_of(root).is_some_and(|own| !root.starts_with(own.join("projects")) && is_of_user(own))
}

/// The `.claude` at or above a directory.
fn own_of(root: &Path) -> Option<&Path> {
    root.ancestors().find(|above| above.file_name() == Some(".claude".as_ref()))
}

/// True for the `.claude` of a user and not of a project: the transcripts lie in it, or the client's state beside it.
fn is_of_user(own: &Path) -> bool {
    let state = own.parent().map(|home| home.join(".claude.json"));
    own.join("projects").is_dir() || state.is_some_and(|state| state.is_file())
}

/// True if work in a directory is work on a project: it lies in the project, or in a worktree of the project's repository. Where no
/// repository says how far a project goes, a directory above it is of it as well: clients load what lies below theirs once they open
/// a file there.
#[must_use]
pub fn is_of_project(project: &Path, directory: &str) -> bool {
    let directory = Path::new(directory);
    directory.starts_with(project)
        || repository_of(directory).is_some_and(|repository| repository.starts_with(project))
        || (project.starts_with(directory) && project.join(".git").symlink_metadata().is_err())
}

/// True for a transcript that lies beside a memory: Claude Code keeps both in the project's folder.
#[must_use]
pub fn is_beside(root: &Path, transcript: &Path) -> bool {
    root.parent().is_some_and(|parent| {
        parent.parent().and_then(Path::file_name) == Some("projects".as_ref())
            && transcript.starts_with(parent)
    })
}

/// True if a session ran where the files of a project are loaded, or of what is of no project.
#[must_use]
pub fn ran_in(entry: &Entry, project: Option<&Path>) -> bool {
    project.is_none_or(|project| entry.project().is_some_and(|ran| is_of_project(project, ran)))
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
            ("/nowhere/notes", None),
        ] {
            assert_eq!(project_of(Path::new(root)), project.map(PathBuf::from), "{root}");
        }
    }

    #[test]
    fn what_is_kept_for_the_user_is_of_no_project() {
        let home = tempfile::tempdir().expect("a directory");
        let (user, fresh) = (home.path().join(".claude"), home.path().join("fresh/.claude"));
        let app = home.path().join("app/.claude");
        for directory in [user.join("projects/-w"), fresh.clone(), app.join("rules")] {
            std::fs::create_dir_all(directory).expect("a directory");
        }
        std::fs::write(home.path().join("fresh/.claude.json"), "{}").expect("a file");
        // A home that is under version control is no project of its own.
        std::fs::create_dir_all(home.path().join(".git")).expect("a directory");
        for below in ["", "rules", "agent-memory/reviewer"] {
            assert_eq!(project_of(&user.join(below)), None, "{below}");
            assert!(is_for_every_project(&user.join(below)), "{below}");
            assert_eq!(project_of(&fresh.join(below)), None, "{below}");
        }
        assert!(!is_for_every_project(&user.join("projects/-w/memory")));
        let project = home.path().join("app");
        for below in ["", "rules", "agent-memory/reviewer"] {
            assert_eq!(project_of(&app.join(below)).as_deref(), Some(project.as_path()), "{below}");
            assert!(!is_for_every_project(&app.join(below)), "{below}");
        }
    }
}
