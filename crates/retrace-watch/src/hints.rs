//! The operating system's change events, as hints where to scan.
//!
//! On Linux every directory the rules enter is watched by itself, so that version control and package directories cost
//! nothing; elsewhere the root is watched with everything below, which is how those systems do it.

use crate::keeper::Key;
use crate::recorder::Wake;
use notify::event::{AccessKind, AccessMode};
use notify::{Config, ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use retrace_files::{Root, Scan};
use retrace_message::Message;
use retrace_model::RelPath;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// True if each directory is watched by itself.
const EACH_DIRECTORY: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// All watches of a recorder. One instance for all stores: Linux allows a user only 128 of them.
pub(crate) struct Hints {
    watcher: Watcher,
    watched: BTreeMap<PathBuf, Watch>,
}

enum Watcher {
    On(RecommendedWatcher),
    /// Not wanted.
    Off,
    /// Wanted, but the system gives none, for this reason.
    Unavailable(Message),
}

/// One watched directory.
struct Watch {
    /// Changes when another directory takes the path.
    file_id: u64,
    /// The stores that want it; they may overlap.
    users: BTreeSet<Key>,
}

/// Result of the wish to have directories watched.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Covered {
    /// Some were not watched before.
    pub added: bool,
    /// Why some could not be.
    pub refused: Option<Message>,
}

impl Hints {
    /// No events.
    pub(crate) fn off() -> Self {
        Self { watcher: Watcher::Off, watched: BTreeMap::new() }
    }

    /// Calls `wake` from a thread of its own whenever something happens in a watched directory.
    pub(crate) fn start(wake: impl Fn(Wake) + Send + 'static) -> Self {
        let handle = move |event: notify::Result<Event>| {
            if let Some(what) = wake_for(event) {
                wake(what);
            }
        };
        let watcher = match RecommendedWatcher::new(handle, Config::default().with_follow_symlinks(false)) {
            Ok(watcher) => Watcher::On(watcher),
            Err(error) => Watcher::Unavailable(reason(&error)),
        };
        Self { watcher, watched: BTreeMap::new() }
    }

    /// Why there are no events at all, when they were wanted.
    pub(crate) fn unavailable(&self) -> Option<&Message> {
        match &self.watcher {
            Watcher::Unavailable(reason) => Some(reason),
            Watcher::On(_) | Watcher::Off => None,
        }
    }

    /// Makes the watches of `store`, whose directory is at `at`, those of `scan`, a scan of `paths` or of everything. With
    /// `again`, directories found at or below `paths` are watched anew even if they seem to be watched: the event that led
    /// there may be a rename that cost them their watch.
    pub(crate) fn cover(
        &mut self,
        store: Key,
        at: &Path,
        root: &Root,
        scan: &Scan,
        paths: Option<&BTreeSet<RelPath>>,
        again: bool,
    ) -> Covered {
        if !matches!(self.watcher, Watcher::On(_)) {
            return Covered::default();
        }
        let mut wanted: BTreeMap<PathBuf, u64> = BTreeMap::new();
        if paths.is_none() {
            wanted.insert(at.to_owned(), root.identity().file_id);
        }
        if EACH_DIRECTORY {
            wanted.extend(scan.directories.iter().map(|(path, id)| (join(at, path), *id)));
        }
        self.forget_others(store, at, paths, &wanted);
        let mut covered = Covered::default();
        for (path, file_id) in wanted {
            self.want(store, path, file_id, again && paths.is_some(), &mut covered);
        }
        covered
    }

    /// Watches the directory that should hold the missing directory `at`, to see it come back.
    pub(crate) fn await_return(&mut self, store: Key, at: &Path) {
        self.forget(store);
        if let Some(parent) = at.parent().filter(|parent| parent.is_dir()) {
            // Best effort: its return is also searched for by the clock.
            self.want(store, parent.to_owned(), 0, true, &mut Covered::default());
        }
    }

    /// Drops every watch that only `store` wants.
    pub(crate) fn forget(&mut self, store: Key) {
        let paths: Vec<PathBuf> = self.watched.keys().cloned().collect();
        paths.iter().for_each(|path| self.unwant(store, path));
    }

    /// Drops the watches of `store` in the part scanned that are not `wanted` any more. They go before new ones come,
    /// because a directory that was renamed keeps its descriptor, and dropping the old name would drop the new one's.
    fn forget_others(
        &mut self,
        store: Key,
        at: &Path,
        paths: Option<&BTreeSet<RelPath>>,
        wanted: &BTreeMap<PathBuf, u64>,
    ) {
        let parts: Option<BTreeSet<PathBuf>> =
            paths.map(|paths| paths.iter().map(|path| join(at, path)).collect());
        let in_part = |path: &Path| {
            parts.as_ref().is_none_or(|parts| path.ancestors().any(|above| parts.contains(above)))
        };
        let others: Vec<PathBuf> = self
            .watched
            .iter()
            .filter(|(path, watch)| {
                watch.users.contains(&store) && in_part(path) && wanted.get(*path) != Some(&watch.file_id)
            })
            .map(|(path, _)| path.clone())
            .collect();
        for path in others {
            if wanted.contains_key(&path) {
                // Another directory took the path; its watch serves every store.
                self.drop_watch(&path);
            } else {
                self.unwant(store, &path);
            }
        }
    }

    fn want(&mut self, store: Key, path: PathBuf, file_id: u64, again: bool, covered: &mut Covered) {
        let known = self.watched.get_mut(&path);
        let is_known = known.is_some();
        if let Some(watch) = known {
            covered.added |= watch.users.insert(store);
            if !again {
                return;
            }
        }
        let Watcher::On(watcher) = &mut self.watcher else { return };
        let mode = if EACH_DIRECTORY { RecursiveMode::NonRecursive } else { RecursiveMode::Recursive };
        match watcher.watch(&path, mode) {
            Ok(()) => {
                covered.added |= !is_known;
                self.watched.entry(path).or_insert_with(|| Watch { file_id, users: BTreeSet::from([store]) });
            }
            // It vanished again, or may not be read, which the scan says.
            Err(error) if is_absent(&error) => drop(self.watched.remove(&path)),
            Err(error) => {
                self.watched.remove(&path);
                covered.refused = Some(reason(&error));
            }
        }
    }

    fn unwant(&mut self, store: Key, path: &Path) {
        let Some(watch) = self.watched.get_mut(path) else { return };
        watch.users.remove(&store);
        if watch.users.is_empty() {
            self.drop_watch(path);
        }
    }

    fn drop_watch(&mut self, path: &Path) {
        self.watched.remove(path);
        if let Watcher::On(watcher) = &mut self.watcher {
            // A directory that is gone took its watch with it.
            let _ = watcher.unwatch(path);
        }
    }

    #[cfg(test)]
    pub(crate) fn paths(&self) -> Vec<&Path> {
        self.watched.keys().map(PathBuf::as_path).collect()
    }
}

/// Wake that an event causes; `None` when nothing: reading, our own included, changes nothing.
pub(crate) fn wake_for(event: notify::Result<Event>) -> Option<Wake> {
    match event {
        Err(_) => Some(Wake::Overflow),
        Ok(event) if event.need_rescan() => Some(Wake::Overflow),
        Ok(Event { kind: EventKind::Access(AccessKind::Close(AccessMode::Write)), paths, .. }) => {
            Some(Wake::Changed(paths))
        }
        Ok(Event { kind: EventKind::Access(_), .. }) => None,
        Ok(event) => Some(Wake::Changed(event.paths)),
    }
}

pub(crate) fn is_absent(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound | ErrorKind::WatchNotFound => true,
        ErrorKind::Io(error) => matches!(
            error.kind(),
            std::io::ErrorKind::NotFound
                | std::io::ErrorKind::NotADirectory
                | std::io::ErrorKind::PermissionDenied
        ),
        _ => false,
    }
}

pub(crate) fn reason(error: &notify::Error) -> Message {
    match &error.kind {
        ErrorKind::MaxFilesWatch => say::systems_limit_watched_directories_reached(),
        kind => say::system_gives_no_change_events(format!("{kind:?}")),
    }
}

/// The path of `path` below `at`, for the system's watch calls only: files are never opened by it.
fn join(at: &Path, path: &RelPath) -> PathBuf {
    let mut joined = at.to_owned();
    path.components().for_each(|name| joined.push(to_os(name)));
    joined
}

#[cfg(unix)]
fn to_os(name: &[u8]) -> &OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(name)
}

#[cfg(not(unix))]
fn to_os(name: &[u8]) -> &OsStr {
    OsStr::new(std::str::from_utf8(name).unwrap_or_default())
}

/// Where `path` lies below `at`: `Some(None)` when it is `at` itself, `None` when it is elsewhere.
pub(crate) fn below(at: &Path, path: &Path) -> Option<Option<RelPath>> {
    let rest = path.strip_prefix(at).ok()?;
    let names: Vec<&[u8]> = rest.components().map(|name| name.as_os_str().as_encoded_bytes()).collect();
    if names.is_empty() {
        return Some(None);
    }
    RelPath::from_bytes(names.join(&b'/')).ok().map(Some)
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "hints";
    systems_limit_watched_directories_reached() => "the system's limit of watched directories is reached (fs.inotify.max_user_watches)",
    system_gives_no_change_events(kind) => "the system gives no change events: {kind}",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_placed_below_the_root() {
        let at = Path::new("/home/me/.claude");
        let check = |path: &str| below(at, Path::new(path)).map(|path| path.map(|path| path.to_text()));
        assert_eq!(check("/home/me/.claude"), Some(None));
        assert_eq!(check("/home/me/.claude/a b/c.md"), Some(Some("a b/c.md".to_owned())));
        assert_eq!(check("/home/me"), None);
        assert_eq!(check("/home/me/.claude-other/a.md"), None);
        let path = RelPath::parse("a/b.md").unwrap();
        assert_eq!(below(at, &join(at, &path)), Some(Some(path)));
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    mod watches {
        use super::*;
        use crate::harness::{Place, path};
        use std::fs;
        use std::sync::mpsc::{Receiver, channel};
        use std::time::Duration;

        fn start() -> (Hints, Receiver<Wake>) {
            let (wake, wakes) = channel();
            (Hints::start(move |what| drop(wake.send(what))), wakes)
        }

        fn cover(hints: &mut Hints, place: &Place, paths: Option<&[&str]>) -> Covered {
            let root = Root::open(&place.store.root).unwrap();
            let paths: Option<BTreeSet<RelPath>> =
                paths.map(|paths| paths.iter().map(|text| path(text)).collect());
            let mut covered = Covered::default();
            for part in paths.iter().flatten().map(Some).chain(paths.is_none().then_some(None)) {
                let scan = root.scan(&place.store.rules, part);
                let (key, at) = (place.store.key, &place.store.root);
                covered = hints.cover(key, at, &root, &scan, paths.as_ref(), true);
            }
            covered
        }

        fn names(hints: &Hints, place: &Place) -> Vec<String> {
            let watched = hints.paths().into_iter();
            watched.filter_map(|at| below(&place.store.root, at)?.map(|path| path.to_text())).collect()
        }

        #[test]
        fn only_directories_that_are_entered_are_watched() {
            let place = Place::new(1);
            for name in ["a/b/c.md", "node_modules/x/d.md", ".git/objects/e", ".claude/f.md"] {
                place.write(name, "");
            }
            let (mut hints, _wakes) = start();
            assert_eq!(cover(&mut hints, &place, None), Covered { added: true, refused: None });
            assert_eq!(names(&hints, &place), [".claude", "a", "a/b"]);
            assert_eq!(cover(&mut hints, &place, None), Covered::default());
            place.write("a/x/g.md", "");
            fs::remove_dir_all(place.at("a/b")).unwrap();
            assert!(cover(&mut hints, &place, Some(&["a"])).added);
            assert_eq!(names(&hints, &place), [".claude", "a", "a/x"]);
            hints.forget(place.store.key);
            assert_eq!(hints.paths(), [] as [&Path; 0]);
        }

        #[test]
        fn stores_that_overlap_share_their_watches() {
            let outer = Place::new(1);
            let mut inner = Place::new(2);
            inner.store.root = outer.at("inner");
            outer.write("inner/x/a.md", "");
            let (mut hints, _wakes) = start();
            cover(&mut hints, &outer, None);
            assert!(cover(&mut hints, &inner, None).added, "new to this store");
            hints.forget(outer.store.key);
            assert_eq!(names(&hints, &inner), ["x"]);
            assert_eq!(hints.paths().len(), 2);
        }

        #[test]
        fn a_directory_that_reappears_is_reported() {
            let place = Place::new(1);
            fs::remove_dir_all(&place.store.root).unwrap();
            let (mut hints, wakes) = start();
            hints.await_return(place.store.key, &place.store.root);
            assert_eq!(hints.paths(), [place.store.root.parent().unwrap()]);
            fs::create_dir(&place.store.root).unwrap();
            let reported = |wake| matches!(wake, Wake::Changed(paths) if paths.contains(&place.store.root));
            while !reported(wakes.recv_timeout(Duration::from_secs(60)).unwrap()) {}
            cover(&mut hints, &place, None);
            assert_eq!(hints.paths(), [&place.store.root], "its parent is watched no longer");
        }
    }

    #[test]
    fn reading_is_no_hint() {
        use notify::event::{CreateKind, Flag, ModifyKind};
        let event = |kind| wake_for(Ok(Event::new(kind).add_path(PathBuf::from("/a"))));
        assert!(event(EventKind::Access(AccessKind::Open(AccessMode::Any))).is_none());
        assert!(event(EventKind::Access(AccessKind::Close(AccessMode::Read))).is_none());
        for kind in [
            EventKind::Access(AccessKind::Close(AccessMode::Write)),
            EventKind::Create(CreateKind::File),
            EventKind::Modify(ModifyKind::Any),
            EventKind::Any,
        ] {
            assert!(matches!(event(kind), Some(Wake::Changed(paths)) if paths == [PathBuf::from("/a")]));
        }
        let lost = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert!(matches!(wake_for(Ok(lost)), Some(Wake::Overflow)));
        assert!(matches!(wake_for(Err(notify::Error::generic("x"))), Some(Wake::Overflow)));
    }
}
