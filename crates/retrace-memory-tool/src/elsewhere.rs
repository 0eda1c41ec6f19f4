//! Where files cannot be reached by descriptor.

use crate::{Answer, Observer, OpenError, Options};
use serde_json::Value;
use std::convert::Infallible;
use std::path::Path;

/// The memory tool. On this platform there is none.
#[derive(Debug)]
pub struct MemoryTool(Infallible);

/// A call that can be taken back. There is none.
#[derive(Debug)]
pub struct Pending(Infallible);

impl Pending {
    /// Ends the call.
    pub fn let_go(self) -> bool {
        match self.0 {}
    }

    /// Paths that a call which failed could not make again what they were.
    #[must_use]
    pub fn left(&self) -> &[retrace_model::RelPath] {
        match self.0 {}
    }

    /// Undoes the call.
    #[must_use]
    pub fn take_back(self) -> Vec<retrace_model::RelPath> {
        match self.0 {}
    }
}

impl MemoryTool {
    /// Opens nothing.
    ///
    /// # Errors
    /// Always [`OpenError::Unsupported`].
    pub fn open(_root: &Path, _options: Options) -> Result<Self, OpenError> {
        Err(OpenError::Unsupported)
    }

    /// The directory.
    #[must_use]
    pub fn root(&self) -> &Path {
        match self.0 {}
    }

    /// True if an input asks for a change.
    #[must_use]
    pub fn changes(_input: &Value) -> bool {
        true
    }

    /// Answers one call, which can be taken back.
    pub fn call_pending(&self, _input: &Value, _observer: &mut dyn Observer) -> (Answer, Pending) {
        match self.0 {}
    }

    /// Answers one call.
    pub fn call(&self, _input: &Value, _observer: &mut dyn Observer) -> Answer {
        match self.0 {}
    }
}
