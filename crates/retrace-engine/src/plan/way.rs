//! Files and directories that change places: what a plan deletes so that something else can stand there.

use super::Step;
use retrace_files::{FileError, Root};
use retrace_model::{RelPath, StoreId};
use std::collections::{BTreeMap, BTreeSet};

/// What stands in the way of what, by the paths of a plan.
#[derive(Default)]
pub struct Way {
    /// Paths that are written, and the directories above them.
    written: BTreeMap<StoreId, BTreeSet<RelPath>>,
    above_written: BTreeMap<StoreId, BTreeSet<RelPath>>,
    deleted: BTreeMap<StoreId, BTreeSet<RelPath>>,
}

impl Way {
    /// Of these steps.
    #[must_use]
    pub fn of(steps: &[Step]) -> Self {
        let mut way = Self::default();
        for step in steps {
            if step.wanted.is_some() {
                way.written.entry(step.store).or_default().insert(step.path.clone());
                let above = above(&step.path);
                way.above_written.entry(step.store).or_default().extend(above);
            } else if step.expected.is_some() {
                way.deleted.entry(step.store).or_default().insert(step.path.clone());
            }
        }
        way
    }

    /// True if a deletion makes way for something that is written: for a directory where its file is, or for a file where its
    /// directory is.
    pub(super) fn is_cleared_by(&self, step: &Step) -> bool {
        step.wanted.is_none()
            && (holds(&self.above_written, step.store, &step.path) || self.is_below_a_write(step))
    }

    /// True if a file is written where the directory of a deleted one is.
    pub(super) fn is_below_a_write(&self, step: &Step) -> bool {
        step.wanted.is_none() && above(&step.path).any(|path| holds(&self.written, step.store, &path))
    }

    /// True if what stands in the way of a step, as `error` has it, is deleted by the plan before.
    #[must_use]
    pub fn is_cleared(&self, root: &Root, step: &Step, error: &FileError) -> bool {
        match error {
            FileError::BelowAFile { .. } => {
                above(&step.path).any(|path| holds(&self.deleted, step.store, &path))
            }
            FileError::IsDirectory { .. } => {
                self.deleted.get(&step.store).is_some_and(|deleted| root.holds_only(&step.path, deleted))
            }
            _ => false,
        }
    }
}

fn holds(paths: &BTreeMap<StoreId, BTreeSet<RelPath>>, store: StoreId, path: &RelPath) -> bool {
    paths.get(&store).is_some_and(|paths| paths.contains(path))
}

/// The directories above a path.
fn above(path: &RelPath) -> impl Iterator<Item = RelPath> {
    std::iter::successors(path.parent(), RelPath::parent)
}
