//! Where files cannot be reached by descriptor.

use crate::{Answer, Observer, OpenError, Options};
use serde_json::Value;
use std::convert::Infallible;
use std::path::Path;

/// The memory tool. On this platform there is none.
#[derive(Debug)]
pub struct MemoryTool(Infallible);

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

    /// Whether an input asks for a change.
    #[must_use]
    pub fn changes(_input: &Value) -> bool {
        true
    }

    /// Answers one call.
    pub fn call(&self, _input: &Value, _observer: &mut dyn Observer) -> Answer {
        match self.0 {}
    }
}
