//! Presence of a store's directory, and what it means if not: removed, or only out of reach.

use retrace_files::{Identity, Root, RootError};
use retrace_message::{AsMessage, Message};
use retrace_model::StoreState;
use std::fs;
use std::path::Path;

/// State of a store's path.
#[derive(Debug)]
pub(crate) enum Presence {
    /// The directory.
    Open(Root),
    /// Nothing, and nothing suggests that the directory still exists elsewhere: its files are gone.
    Removed(Message),
    /// The directory cannot be scanned, or is probably on a file system that is not mounted. Nothing is known about its
    /// files.
    Away(StoreState, Message),
}

/// State of the directory that should hold the store's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Parent {
    device: u64,
    empty: bool,
}

/// Opens the store at `path`. `last` is what the directory was when it was last open, if that is known.
pub(crate) fn open(path: &Path, last: Option<Identity>) -> Presence {
    match Root::open_there(path) {
        Ok(root) if is_bare_mount_point(&root, last) => {
            Presence::Away(StoreState::Missing, say::empty_file_system_not_mounted(path.display()))
        }
        Ok(root) => Presence::Open(root),
        Err(error @ (RootError::Missing { .. } | RootError::NotADirectory { .. })) => {
            // A link whose target is missing is still there; the target's own directory is not searched for.
            let dangling = matches!(error, RootError::Missing { .. }) && fs::symlink_metadata(path).is_ok();
            if !dangling && was_removed(last, parent_of(path)) {
                Presence::Removed(error.message())
            } else {
                Presence::Away(StoreState::Missing, error.message())
            }
        }
        Err(error @ RootError::Moved { .. }) => Presence::Away(StoreState::Moved, error.message()),
        Err(error @ RootError::Denied { .. }) => Presence::Away(StoreState::Denied, error.message()),
        Err(error @ RootError::Io { .. }) => Presence::Away(StoreState::Limited, error.message()),
    }
}

/// After unmounting, the mount point is an empty directory of another file system.
fn is_bare_mount_point(root: &Root, last: Option<Identity>) -> bool {
    let moved = last.is_some_and(|last| last.device != root.identity().device);
    moved && fs::read_dir(root.path()).is_ok_and(|mut entries| entries.next().is_none())
}

fn parent_of(path: &Path) -> Option<Parent> {
    let parent = Root::open(path.parent()?).ok()?;
    let empty = fs::read_dir(parent.path()).ok()?.next().is_none();
    Some(Parent { device: parent.identity().device, empty })
}

/// True if a directory that is not there was removed. If the directory that held it is missing or unreadable, or is now
/// one of another file system, a disk was probably unmounted. When the file system it was on is not known, because it was
/// never open in this process, an empty parent is taken for a bare mount point.
fn was_removed(last: Option<Identity>, parent: Option<Parent>) -> bool {
    match (last, parent) {
        (_, None) => false,
        (Some(last), Some(parent)) => last.device == parent.device,
        (None, Some(parent)) => !parent.empty,
    }
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "presence";
    empty_file_system_not_mounted(path) => "{path} is empty: the file system it was on is not mounted",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_or_unmounted() {
        let here = Some(Identity { device: 1, file_id: 5, made_nanos: 0 });
        let parent = |device, empty| Some(Parent { device, empty });
        for (last, parent, removed) in [
            (here, parent(1, false), true),
            (here, parent(1, true), true),
            (here, parent(2, false), false),
            (here, None, false),
            (None, parent(1, false), true),
            (None, parent(1, true), false),
            (None, None, false),
        ] {
            assert_eq!(was_removed(last, parent), removed, "{last:?} {parent:?}");
        }
    }

    #[test]
    fn each_sight_has_its_meaning() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name);
        fs::create_dir(at("store")).unwrap();
        fs::write(at("file"), "").unwrap();
        let Presence::Open(root) = open(&at("store"), None) else { panic!("not open") };
        assert!(matches!(open(&at("none"), None), Presence::Removed(_)));
        assert!(matches!(open(&at("none"), Some(root.identity())), Presence::Removed(_)));
        assert!(matches!(open(&at("file"), None), Presence::Removed(_)));
        assert!(matches!(open(&at("none/none"), None), Presence::Away(StoreState::Missing, _)));
        let elsewhere = Identity { device: root.identity().device + 1, file_id: 1, made_nanos: 0 };
        assert!(matches!(open(&at("none"), Some(elsewhere)), Presence::Away(StoreState::Missing, _)));
        assert!(matches!(open(&at("store"), Some(elsewhere)), Presence::Away(StoreState::Missing, _)));
        fs::write(at("store/a.md"), "").unwrap();
        assert!(matches!(open(&at("store"), Some(elsewhere)), Presence::Open(_)));
    }

    #[cfg(unix)]
    #[test]
    fn a_dangling_link_does_not_say_that_its_target_was_removed() {
        let temp = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("elsewhere", temp.path().join("link")).unwrap();
        let seen = open(&temp.path().join("link"), None);
        assert!(matches!(seen, Presence::Away(StoreState::Moved, _)), "{seen:?}");
    }
}
