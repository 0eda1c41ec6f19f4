//! The memory tool `memory_20250818` over one directory: `view`, `create`, `str_replace`, `insert`, `delete`, `rename`.
//!
//! Three clients define this tool and they disagree: the documentation, the Python SDK and the TypeScript SDK. Each is a
//! [`Dialect`]; texts, edit rules and path rules follow it string for string. Where the host's own exceptions reach the
//! model in an SDK, the same text is given, with the directory written as the model knows it (`/memories`).
//!
//! Deliberately absent: recording. [`Observer`] is told before a file is touched and after it changed, path by path and
//! with the bytes, so that a caller can record exactly. Also absent: the clock, randomness (passed in), the network.
//!
//! Invariants:
//! - Nothing outside the directory is read, listed, written or removed, whatever a path says and whatever links stand in
//!   the directory, also when somebody exchanges a directory for a link between a check and a use: paths are walked one
//!   name at a time by descriptor, links are read and followed by hand, and every act names its file relative to a
//!   descriptor without following links.
//! - An edit replaces exactly the content it was computed from; a newer edit is read again, never overwritten.
//! - Every input is answered; none panics.
//!
//! The modules `dialect`, `input`, `path`, `edit`, `render` and `error` do no input or output; `walk`, `disk` and `tool`
//! do. On platforms without `openat` the tool cannot be opened ([`OpenError::Unsupported`]).
//!
//! ```
//! use retrace_memory_tool::{Dialect, MemoryTool, Options};
//! use serde_json::json;
//! use std::sync::Arc;
//!
//! # let directory = tempfile::tempdir()?;
//! let tool = MemoryTool::open(directory.path(), Options::new(Dialect::Docs, Arc::new(|| 7)))?;
//! let call = json!({"command": "create", "path": "/memories/a.md", "file_text": "Ships on Fridays.\n"});
//! // `()` observes nothing; Retrace passes an observer that records.
//! assert!(!tool.call(&call, &mut ()).is_error);
//! let outside = json!({"command": "view", "path": "/memories/../../etc/passwd"});
//! assert!(tool.call(&outside, &mut ()).is_error);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod dialect;
mod edit;
mod error;
mod guard;
mod input;
mod observe;
mod path;
mod render;
mod size;

#[cfg(unix)]
mod disk;
#[cfg(unix)]
mod pending;
#[cfg(unix)]
mod tool;
#[cfg(unix)]
mod walk;

#[cfg(not(unix))]
mod elsewhere;

#[cfg(unix)]
#[cfg(test)]
mod tests;

pub use dialect::{Dialect, UnknownDialect};
pub use error::{OpenError, ToolError};
pub use guard::{Guard, GuardMode, Sensitive, UnknownGuardMode};
pub use observe::{Change, Observer, Unobserved};
/// When a change is to be on the disk; see [`Observer::durable`].
pub use retrace_files::Durable;
/// Identity of the directory a tool works in; see [`Options::identity`].
pub use retrace_files::Identity;

#[cfg(not(unix))]
pub use elsewhere::{MemoryTool, Pending};
#[cfg(unix)]
pub use pending::Pending;
#[cfg(unix)]
pub use tool::MemoryTool;

use retrace_files::{NoFaults, Steps};
use std::fmt;
use std::sync::Arc;

/// Root of the memory as the model sees it.
pub const MODEL_ROOT: &str = "/memories";

/// Characters of a `view` beyond which the documentation suggests cutting. Source: documentation page "Memory tool".
pub const DOCS_VIEW_CHARACTERS: usize = 16_000;

/// Answer to the model, as a `tool_result`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The text.
    pub content: String,
    /// True if the block carries `is_error: true`.
    pub is_error: bool,
}

/// Options of a tool.
#[derive(Clone)]
pub struct Options {
    /// Whose texts and rules.
    pub dialect: Dialect,
    /// Make the directory, mode 0700, where it is missing.
    pub make_root: bool,
    /// Cut a `view` after this many characters and say how to go on; `None` never cuts.
    pub view_characters: Option<usize>,
    /// Contents above this many bytes are neither written nor viewed.
    pub max_file_bytes: u64,
    /// Treatment of text in which `guard` finds something.
    pub guard_mode: GuardMode,
    /// Finder of sensitive text; nothing is searched for when `None`.
    pub guard: Option<Arc<dyn Guard>>,
    /// Finder of text that is refused whatever the mode: what was redacted does not reappear by a call.
    pub kept_out: Option<Arc<dyn Guard>>,
    /// A random number for each call, which names temporary files.
    pub random: Arc<dyn Fn() -> u64 + Send + Sync>,
    /// Identity that the directory must have; any when `None`.
    pub identity: Option<Identity>,
    /// Called before each step of writing and deleting a file, so that tests can fail or stop it there.
    pub steps: Arc<dyn Steps + Send + Sync>,
}

impl Options {
    /// The options of a dialect: as its client has them, without a guard. Only `docs` cuts views.
    pub fn new(dialect: Dialect, random: Arc<dyn Fn() -> u64 + Send + Sync>) -> Self {
        Self {
            dialect,
            make_root: false,
            view_characters: (dialect == Dialect::Docs).then_some(DOCS_VIEW_CHARACTERS),
            max_file_bytes: retrace_model::MAX_FILE_BYTES,
            guard_mode: GuardMode::Off,
            guard: None,
            kept_out: None,
            random,
            identity: None,
            steps: Arc::new(NoFaults),
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("dialect", &self.dialect)
            .field("make_root", &self.make_root)
            .field("view_characters", &self.view_characters)
            .field("max_file_bytes", &self.max_file_bytes)
            .field("guard_mode", &self.guard_mode)
            .finish_non_exhaustive()
    }
}
