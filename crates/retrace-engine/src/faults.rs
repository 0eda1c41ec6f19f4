//! Where tests fail or stop an act on purpose: between looking, writing live files, committing and purging.
//!
//! The steps within one file are those of [`retrace_files`]; the points here lie between them. A program takes
//! [`NoFaults`], which passes every point.

use crate::wire::ApiError;
use retrace_files::{NoFaults, Steps};

/// A point of a scan or an act, in the order they are passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Point {
    /// Files were read; what was found is not in the log yet.
    Observed,
    /// An act is planned and the files are what it expects; nothing is changed yet.
    Planned,
    /// Live files are written and deleted; the log does not say so yet.
    FilesDone,
    /// Contents are masked in the transaction that is under way.
    Masked,
    /// A transaction has all it needs and is about to be committed.
    BeforeCommit,
    /// A transaction was committed.
    AfterCommit,
    /// A redaction is committed and its bytes are about to be purged from the files.
    BeforePurge,
    /// The bytes are purged; the receipt does not say so yet.
    AfterPurge,
}

/// Called at each point and before each step within a file.
pub trait Faults: Steps + Send + Sync {
    /// Called at `point`. An error counts as a failure of what comes next; after [`Point::AfterCommit`] nothing comes that
    /// could fail, so there it is passed over.
    ///
    /// # Errors
    /// Whatever the act should fail with.
    fn at(&self, point: Point) -> Result<(), ApiError>;
}

impl Faults for NoFaults {
    fn at(&self, _point: Point) -> Result<(), ApiError> {
        Ok(())
    }
}
