//! A call that is done and can still be taken back.

use crate::Options;
use crate::walk::{Name, Tree};
use retrace_files::{FileError, Held, Root, Steps};
use retrace_model::RelPath;
use std::fmt;
use std::sync::Arc;

/// One thing a call did.
pub(crate) enum Undo {
    /// A file was written or deleted.
    File(Held),
    /// Something has another name.
    Renamed { from: Vec<Name>, to: Vec<Name> },
    /// A directory, a link or a special file has a hidden name until it is removed.
    Aside { names: Vec<Name>, hidden: Vec<Name> },
    /// A file stands where a link was, which has a temporary name beside it.
    Exchanged { names: Vec<Name>, temporary: Name },
    /// Directories were made, from the top.
    Made(Vec<RelPath>),
}

/// Content that a call displaced, beside the files until the caller has recorded the call or takes it back. Dropping it
/// leaves hidden files behind, which [`Root::leftovers`] finds.
#[must_use]
pub struct Pending {
    place: Option<(Tree, Root)>,
    undo: Vec<Undo>,
    left: Vec<RelPath>,
    steps: Arc<dyn Steps + Send + Sync>,
    random: Arc<dyn Fn() -> u64 + Send + Sync>,
}

impl Pending {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            place: None,
            undo: Vec::new(),
            left: Vec::new(),
            steps: Arc::clone(&options.steps),
            random: Arc::clone(&options.random),
        }
    }

    pub(crate) fn is_of(&mut self, tree: Tree, root: Root, undo: Vec<Undo>) {
        self.place = Some((tree, root));
        self.undo = undo;
    }

    /// Undoes what a call did that failed in the end. Directories it made stay, as the clients leave them.
    pub(crate) fn take_back_steps(&mut self) {
        self.undo.retain(|undo| !matches!(undo, Undo::Made(_)));
        self.left = self.undo_all();
    }

    /// Paths that a call which failed could not make again what they were.
    #[must_use]
    pub fn left(&self) -> &[RelPath] {
        &self.left
    }

    /// Ends the call for good; answers whether hidden files stayed behind, which [`Root::leftovers`] finds.
    pub fn let_go(self) -> bool {
        let Some((tree, root)) = &self.place else { return false };
        let mut left = false;
        for undo in &self.undo {
            left |= match undo {
                Undo::File(held) => root.let_go(held, &*self.steps).leftover.is_some(),
                Undo::Aside { hidden, .. } => tree.remove_whatever(hidden).is_err(),
                Undo::Exchanged { names, temporary } => tree.unlink_beside(names, temporary).is_err(),
                Undo::Renamed { .. } | Undo::Made(_) => false,
            };
        }
        left
    }

    /// Undoes the call, the last step first; answers the paths that could not be made what they were. What somebody else made of
    /// a file since stays, and is none of them.
    #[must_use]
    pub fn take_back(mut self) -> Vec<RelPath> {
        self.undo_all()
    }

    fn undo_all(&mut self) -> Vec<RelPath> {
        let undo = std::mem::take(&mut self.undo);
        let Some((tree, root)) = &self.place else { return Vec::new() };
        let mut left = Vec::new();
        for undo in undo.iter().rev() {
            let path_of = |names: &[Name]| crate::walk::rel_path(names.iter().map(Vec::as_slice));
            let (undone, path) = match undo {
                Undo::File(held) => {
                    let taken = root.take_back(held, (self.random)(), &*self.steps);
                    (matches!(taken, Ok(()) | Err(FileError::Moved { .. })), Some(held.path().clone()))
                }
                Undo::Renamed { from, to } => (tree.rename(to, from).is_ok(), path_of(to)),
                Undo::Aside { names, hidden } => (tree.rename(hidden, names).is_ok(), path_of(names)),
                Undo::Exchanged { names, temporary } => {
                    (tree.exchange_back(names, temporary).is_ok(), path_of(names))
                }
                Undo::Made(made) => {
                    // One that somebody put something into stays.
                    root.remove_made(made);
                    (true, None)
                }
            };
            if !undone {
                left.extend(path);
            }
        }
        left
    }
}

impl fmt::Debug for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("steps", &self.undo.len()).finish_non_exhaustive()
    }
}
