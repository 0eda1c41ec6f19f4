//! The operating system's change events below directories that hold no store, as hints where to look.

use crate::hints::{is_absent, reason, wake_for};
use crate::recorder::Wake;
use notify::{Config, RecommendedWatcher, RecursiveMode, Watcher as _};
use retrace_message::Message;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What an event says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// Something happened at these paths.
    Changed(Vec<PathBuf>),
    /// Events were lost: anything may have happened.
    Lost,
}

/// Watches on directories, most with everything below them. Dropping it ends them.
pub struct Trees {
    watcher: RecommendedWatcher,
    watched: BTreeMap<PathBuf, bool>,
}

impl Trees {
    /// Calls `tell` from a thread of its own whenever something happens below a watched directory.
    ///
    /// # Errors
    /// Why the system gives no events.
    pub fn start(tell: impl Fn(Hint) + Send + 'static) -> Result<Self, Message> {
        let handle = move |event| match wake_for(event) {
            Some(Wake::Changed(paths)) => tell(Hint::Changed(paths)),
            Some(_) => tell(Hint::Lost),
            None => {}
        };
        let config = Config::default().with_follow_symlinks(false);
        let watcher = RecommendedWatcher::new(handle, config).map_err(|error| reason(&error))?;
        Ok(Self { watcher, watched: BTreeMap::new() })
    }

    /// Watches these directories and no others, each with everything below it where that is true. Those that are not there are left
    /// out until the next call.
    ///
    /// # Errors
    /// Why one that is there cannot be watched; the others are.
    pub fn cover(&mut self, directories: &[(PathBuf, bool)]) -> Result<(), Message> {
        let there = directories.iter().filter(|(path, _)| path.is_dir());
        let mut wanted: BTreeMap<&Path, bool> = BTreeMap::new();
        for (path, below) in there {
            *wanted.entry(path).or_default() |= *below;
        }
        let is_other = |path: &PathBuf, below: &bool| wanted.get(path.as_path()) != Some(below);
        let gone: Vec<PathBuf> = self
            .watched
            .iter()
            .filter(|(path, below)| is_other(path, below))
            .map(|(path, _)| path.clone())
            .collect();
        for path in gone {
            // A directory that is gone took its watch with it.
            let _ = self.watcher.unwatch(&path);
            self.watched.remove(&path);
        }
        let mut refused = Ok(());
        for (path, below) in wanted {
            if self.watched.contains_key(path) {
                continue;
            }
            let mode = if below { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
            match self.watcher.watch(path, mode) {
                Ok(()) => drop(self.watched.insert(path.to_owned(), below)),
                Err(error) if is_absent(&error) => {}
                Err(error) => refused = Err(reason(&error)),
            }
        }
        refused
    }
}
