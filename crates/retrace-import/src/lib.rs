//! History from before recording began, and history that leaves: git, transcripts, bundles.
//!
//! [`Imports`] is the engine with the transcripts of the lab. Nothing here touches a file of a store; a preview runs the code of
//! the import.
//!
//! ```
//! use retrace_engine::{Engine, EngineOptions};
//! use retrace_import::{Imports, import_git};
//! use retrace_lab::{KeyInMemory, Lab};
//! use retrace_wire::{Code, ImportGitReq};
//! use std::sync::Arc;
//!
//! # let directory = tempfile::tempdir().expect("a directory");
//! let engine = Engine::open(EngineOptions::for_this_machine(Some(directory.path().to_path_buf()))?)?;
//! let lab = Arc::new(Lab::new(Arc::clone(&engine), Arc::new(KeyInMemory::default())));
//! let imports = Arc::new(Imports::new(engine, lab));
//! let request = ImportGitReq { store: Some("notes".to_owned()), ..ImportGitReq::default() };
//! assert_eq!(import_git(&imports, request).map(drop).unwrap_err().code, Code::NotFound);
//! # Ok::<(), retrace_wire::ApiError>(())
//! ```

#![allow(clippy::needless_pass_by_value, reason = "a command consumes its request, whatever it does with it")]

mod import;
mod past;

pub use import::{export_store, import_bundle, import_git, import_transcripts};
pub use past::withdraw;

use retrace_engine::{Engine, git, jobs, kept_out, target, written};
use retrace_lab::Lab;
use retrace_wire as wire;
use std::ops::Deref;
use std::sync::Arc;

/// The engine with the transcripts that imports read.
pub struct Imports {
    engine: Arc<Engine>,
    lab: Arc<Lab>,
}

impl Imports {
    /// Imports into this log.
    #[must_use]
    pub fn new(engine: Arc<Engine>, lab: Arc<Lab>) -> Self {
        Self { engine, lab }
    }
}

impl Deref for Imports {
    type Target = Arc<Engine>;

    fn deref(&self) -> &Arc<Engine> {
        &self.engine
    }
}
