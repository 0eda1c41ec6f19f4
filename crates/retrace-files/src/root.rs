//! The root of a store: the one place where a path becomes a descriptor.

use crate::Doing;
use crate::act::Durable;
use crate::directory::{Directory, Sort, Stat, is_link_error};
use crate::error::{FileError, RootError};
use crate::scan::Special;
use retrace_model::{RelPath, Seen};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// An open store directory. Everything below it is reached from its descriptor, so it goes on meaning the same directory
/// when that is moved or replaced; [`Root::is_current`] tells.
#[derive(Debug)]
pub struct Root {
    pub(crate) path: PathBuf,
    pub(crate) identity: Identity,
    pub(crate) durable: Durable,
    pub(crate) holding: bool,
    pub(crate) top: Directory,
}

/// Identity of a root's directory, whatever its path. Zeros on platforms that do not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// Number of the file system.
    pub device: u64,
    /// Number of the directory in it. It is given anew soon after the directory was removed.
    pub file_id: u64,
    /// When it was made, in nanoseconds since 1970; tells two directories apart that had one number after each other. 0 where
    /// the file system does not say.
    pub made_nanos: i64,
}

impl Root {
    /// Opens the directory at `path`. Links in `path` itself are followed.
    ///
    /// # Errors
    /// [`RootError`], each variant a state of the store.
    pub fn open(path: &Path) -> Result<Self, RootError> {
        Self::opened(path, Directory::open_root(path), |source| RootError::new(path.to_owned(), source))
    }

    /// Opens the directory at `path`, on which no link may stand: it means the same place as when links in it were resolved.
    ///
    /// # Errors
    /// As [`Root::open`]; [`RootError::Moved`] when a link is on the way.
    pub fn open_there(path: &Path) -> Result<Self, RootError> {
        Self::opened(path, Directory::open_there(path), |source| match is_link_error(&source) {
            true => RootError::Moved { path: path.to_owned() },
            false => RootError::new(path.to_owned(), source),
        })
    }

    fn opened(
        path: &Path,
        top: std::io::Result<Directory>,
        failed: impl Fn(std::io::Error) -> RootError,
    ) -> Result<Self, RootError> {
        let top = top.map_err(&failed)?;
        let stat = top.stat_self().map_err(&failed)?;
        Ok(Self {
            path: path.to_owned(),
            identity: identity_of(&stat, top.made()),
            durable: Durable::Now,
            holding: false,
            top,
        })
    }

    /// True if nothing at all is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.top.entries().is_ok_and(|entries| entries.is_empty())
    }

    /// From now on acts are done when they are as durable as this says. [`Durable::Now`] unless said otherwise.
    pub fn set_durable(&mut self, durable: Durable) {
        self.durable = durable;
    }

    /// The path it was opened with.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Identity of this directory.
    #[must_use]
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// True if the path still leads to this directory.
    #[must_use]
    pub fn is_current(&self) -> bool {
        Self::open(&self.path).is_ok_and(|now| now.identity == self.identity)
    }

    /// The name of the network or bridged file system the store lies on, whose change events cannot be relied on; `None`
    /// for a local one. Asked on Linux only.
    #[must_use]
    pub fn remote_file_system(&self) -> Option<&'static str> {
        self.top.remote_file_system()
    }

    /// True if there is a directory at `path`, and all that lies in it and below are files of these: once they are deleted, and the
    /// directories that become empty by it with them, nothing is left of it.
    #[must_use]
    pub fn holds_only(&self, path: &RelPath, files: &BTreeSet<RelPath>) -> bool {
        let mut open = vec![path.clone()];
        while let Some(at) = open.pop() {
            let Ok(directory) = self.top.open_below(at.as_bytes()) else { return false };
            // An empty directory does not become empty.
            let Some(entries) = directory.entries().ok().filter(|entries| !entries.is_empty()) else {
                return false;
            };
            for entry in entries {
                let Ok(child) = at.join(&entry.name) else { return false };
                let sort = match entry.sort {
                    Sort::Unknown => directory.stat(&entry.name).map_or(Sort::Unknown, |stat| stat.sort),
                    known => known,
                };
                match sort {
                    Sort::Directory => open.push(child),
                    Sort::File if files.contains(&child) => {}
                    _ => return false,
                }
            }
        }
        true
    }

    /// False if the system refuses to change names in the directory of `path`, or in the nearest above it that is there. An answer
    /// for a preview: what counts is what the change meets.
    #[must_use]
    pub fn is_writable_at(&self, path: &RelPath) -> bool {
        let mut above = path.parent();
        while let Some(directory) = above {
            match self.top.open_below(directory.as_bytes()) {
                Ok(found) => return found.is_writable(),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => above = directory.parent(),
                Err(_) => return true,
            }
        }
        self.top.is_writable()
    }

    /// File system data of the regular file at `path`; `None` when there is none, whatever else is there.
    ///
    /// # Errors
    /// [`FileError::Denied`] or [`FileError::Io`] when that cannot be known.
    pub fn seen(&self, path: &RelPath) -> Result<Option<Seen>, FileError> {
        let stat = self.parent_of(path).and_then(|directory| {
            directory.stat(path.file_name()).map_err(|error| FileError::new(path, Doing::Stat, error))
        });
        match stat {
            Ok(stat) => Ok((stat.sort == Sort::File).then_some(stat.seen)),
            Err(FileError::Missing { .. } | FileError::Link { .. } | FileError::BelowAFile { .. }) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Permission bits of the directories on the way to `path`, from the top; those that cannot be asked are left out, with
    /// all below them.
    #[must_use]
    pub fn directory_modes(&self, path: &RelPath) -> Vec<u32> {
        let mut modes = Vec::new();
        let (Some(parent), true) = (path.parent(), cfg!(unix)) else { return modes };
        let Ok(mut directory) = self.top.reopen() else { return modes };
        for name in parent.components() {
            let child = directory.open_child(name).and_then(|child| Ok((child.stat_self()?.mode, child)));
            let Ok((mode, child)) = child else { break };
            modes.push(mode);
            directory = child;
        }
        modes
    }

    /// Opens the directory `path` stands in, with a file description of its own.
    pub(crate) fn parent_of(&self, path: &RelPath) -> Result<Directory, FileError> {
        match path.parent() {
            Some(parent) => self.top.open_below(parent.as_bytes()),
            None => self.top.reopen(),
        }
        .map_err(|error| FileError::new(path, Doing::OpenDirectory, error))
    }
}

fn identity_of(stat: &Stat, made: Option<SystemTime>) -> Identity {
    let made = made.and_then(|made| made.duration_since(UNIX_EPOCH).ok());
    let made_nanos = made.and_then(|made| i64::try_from(made.as_nanos()).ok()).unwrap_or(0);
    // A platform that does not number directories does not tell them apart.
    let made_nanos = if stat.seen.file_id == 0 { 0 } else { made_nanos };
    Identity { device: stat.device, file_id: stat.seen.file_id, made_nanos }
}

/// Refuses what is not a regular file.
pub(crate) fn require_file(path: &RelPath, stat: &Stat) -> Result<(), FileError> {
    let path = path.clone();
    Err(match stat.sort {
        Sort::File => return Ok(()),
        Sort::Directory => FileError::IsDirectory { path },
        Sort::Link => FileError::Link { path },
        Sort::Fifo => FileError::NotAFile { path, special: Special::Fifo },
        Sort::Socket => FileError::NotAFile { path, special: Special::Socket },
        Sort::Device | Sort::Unknown => FileError::NotAFile { path, special: Special::Device },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn each_reason_has_its_error() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("file"), "x").unwrap();
        assert!(matches!(Root::open(&temp.path().join("none")), Err(RootError::Missing { .. })));
        assert!(matches!(Root::open(&temp.path().join("file")), Err(RootError::NotADirectory { .. })));
        assert!(matches!(Root::open(&temp.path().join("file/x")), Err(RootError::NotADirectory { .. })));
    }

    #[test]
    fn a_directory_removed_and_made_again_is_noticed() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("store");
        fs::create_dir(&path).unwrap();
        let root = Root::open(&path).unwrap();
        assert!(root.is_current());
        fs::rename(&path, temp.path().join("elsewhere")).unwrap();
        assert!(!root.is_current());
        fs::create_dir(&path).unwrap();
        assert!(!root.is_current());
        assert_ne!(Root::open(&path).unwrap().identity(), root.identity());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_directory_that_gets_the_number_of_a_removed_one_is_another() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("store");
        fs::create_dir(&path).unwrap();
        let before = Root::open(&path).unwrap().identity();
        assert!(before.made_nanos != 0, "the file system of the test does not say when a directory was made");
        let made = || fs::metadata(&path).unwrap().created().unwrap();
        let then = made();
        // File systems count in ticks.
        while {
            fs::remove_dir(&path).unwrap();
            fs::create_dir(&path).unwrap();
            made() == then
        } {}
        let now = Root::open(&path).unwrap().identity();
        assert_ne!(
            (before.device, before.file_id, before.made_nanos),
            (now.device, now.file_id, now.made_nanos)
        );
        assert_ne!(now.made_nanos, before.made_nanos);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_anywhere_on_the_path_is_another_place() {
        let temp = tempfile::tempdir().unwrap();
        let temp = temp.path().canonicalize().unwrap();
        fs::create_dir_all(temp.join("real/store")).unwrap();
        std::os::unix::fs::symlink("real", temp.join("link")).unwrap();
        std::os::unix::fs::symlink("store", temp.join("real/last")).unwrap();
        assert!(Root::open_there(&temp.join("real/store")).is_ok());
        for path in ["link/store", "real/last"] {
            assert!(Root::open(&temp.join(path)).is_ok());
            assert!(matches!(Root::open_there(&temp.join(path)), Err(RootError::Moved { .. })), "{path}");
        }
        assert!(matches!(Root::open_there(&temp.join("none")), Err(RootError::Missing { .. })));
        fs::write(temp.join("file"), "x").unwrap();
        assert!(matches!(Root::open_there(&temp.join("file")), Err(RootError::NotADirectory { .. })));
    }

    #[test]
    fn what_a_directory_holds_besides_some_files() {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir_all(temp.path().join("a/b")).unwrap();
        fs::create_dir(temp.path().join("empty")).unwrap();
        let root = Root::open(temp.path()).unwrap();
        let path = |text: &str| RelPath::parse(text).unwrap();
        let files: BTreeSet<RelPath> = ["a/x.md", "a/b/y.md", "top.md"].map(path).into();
        let holds = |at: &str| root.holds_only(&path(at), &files);
        for file in ["a/x.md", "a/b/y.md", "top.md"] {
            fs::write(temp.path().join(file), "x").unwrap();
        }
        assert_eq!(["a", "a/b", "empty", "top.md", "none"].map(holds), [true, true, false, false, false]);
        fs::write(temp.path().join("a/b/.hidden"), "x").unwrap();
        assert_eq!(["a", "a/b"].map(holds), [false, false]);
        fs::remove_file(temp.path().join("a/b/.hidden")).unwrap();
        fs::create_dir(temp.path().join("a/b/empty")).unwrap();
        assert!(!holds("a"));
    }

    #[cfg(unix)]
    #[test]
    fn the_root_itself_may_lie_behind_a_link() {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir(temp.path().join("real")).unwrap();
        fs::write(temp.path().join("real/a.md"), "abc").unwrap();
        std::os::unix::fs::symlink("real", temp.path().join("link")).unwrap();
        let root = Root::open(&temp.path().join("link")).unwrap();
        assert_eq!(root.seen(&RelPath::parse("a.md").unwrap()).unwrap().unwrap().size, 3);
        assert_eq!(root.seen(&RelPath::parse("b.md").unwrap()).unwrap(), None);
        assert_eq!(root.seen(&RelPath::parse("a.md/b").unwrap()).unwrap(), None);
    }
}
