//! Options of an [`crate::App`]: those of its engine, and those of the features that call other machines.

use crate::remote::{Hosts, NetworkHosts};
use crate::wire::ApiError;
use retrace_engine::EngineOptions;
use retrace_lab::{KeyStore, SystemKeyring};
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::sync::Arc;

/// Options of an app.
#[derive(Clone)]
pub struct AppOptions {
    /// Options of the engine.
    pub engine: EngineOptions,
    /// Where the key for exact counts is kept: [`SystemKeyring`], or a test's.
    pub keys: Arc<dyn KeyStore>,
    /// Hosts of mirrored stores and their keys: [`NetworkHosts`], or a test's.
    pub hosts: Arc<dyn Hosts>,
}

impl AppOptions {
    /// The options for this process on this machine. `data_dir` wins over `RETRACE_DATA_DIR`, which wins over the
    /// platform's data directory.
    ///
    /// # Errors
    /// [`crate::wire::Code::Invalid`] when no data directory is given and the user has no home directory.
    pub fn for_this_machine(data_dir: Option<PathBuf>) -> Result<Self, ApiError> {
        let engine = EngineOptions::for_this_machine(data_dir)?;
        Ok(Self { engine, keys: Arc::new(SystemKeyring), hosts: Arc::new(NetworkHosts) })
    }
}

impl Deref for AppOptions {
    type Target = EngineOptions;

    fn deref(&self) -> &EngineOptions {
        &self.engine
    }
}

impl DerefMut for AppOptions {
    fn deref_mut(&mut self) -> &mut EngineOptions {
        &mut self.engine
    }
}
