//! How good memories are: findings, health, expiry, instruction files, and the acts that mend what was found.
//!
//! [`Checks`] is the engine with the state of this feature: checkers that were made, and findings of what was shown. The rules
//! themselves are `retrace-findings`.
//!
//! ```
//! use retrace_engine::{Engine, EngineOptions};
//! use retrace_health::{Checks, health};
//! use retrace_lab::{KeyInMemory, Lab};
//! use retrace_wire::HealthReq;
//! use std::sync::Arc;
//!
//! # let directory = tempfile::tempdir().expect("a directory");
//! let engine = Engine::open(EngineOptions::for_this_machine(Some(directory.path().to_path_buf()))?)?;
//! let lab = Arc::new(Lab::new(Arc::clone(&engine), Arc::new(KeyInMemory::default())));
//! let checks = Arc::new(Checks::new(engine, lab));
//! assert!(health(&checks, HealthReq::default())?.stores.is_empty());
//! # Ok::<(), retrace_wire::ApiError>(())
//! ```

#![allow(clippy::needless_pass_by_value, reason = "a command consumes its request, whatever it does with it")]

mod check;
mod commands;
mod entries;
mod item_findings;
mod loads;
mod never;

pub use commands::{
    ProjectsUpkeep, agent_snapshot, allow_finding, check, check_directory, clients, discover, expire, expiry,
    finding_rules, findings, health, instruction, instructions, memory_loads, move_entry, new_projects,
    opening, opening_of, refresh_standing_errors, set_finding_rule, set_new_projects, standing_errors,
    strip_characters,
};
pub use item_findings::{Configurations, findings_by_usual_rules, is_known_rule, known_rules};

use commands::CachedChecker;
use item_findings::FindingsCache;
use retrace_engine::kept_texts::KeptTexts;
use retrace_engine::{Engine, diff, keep, memories, plan, roots, target, view};
use retrace_lab::Lab;
use retrace_model::{StoreId, Timestamp};
use retrace_wire as wire;
use std::collections::HashMap;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// The engine with the state of findings.
pub struct Checks {
    engine: Arc<Engine>,
    lab: Arc<Lab>,
    /// Last findings of each store, so that only changed files are checked anew.
    checkers: Mutex<HashMap<StoreId, CachedChecker>>,
    /// The repository each store is about, and when that was asked.
    repositories: Mutex<HashMap<StoreId, (Timestamp, Option<PathBuf>)>>,
    /// Findings of what the inbox showed.
    findings_cache: FindingsCache,
}

impl Checks {
    /// The health of the stores in this log. The answer is to be given to [`Engine::forget_with`].
    #[must_use]
    pub fn new(engine: Arc<Engine>, lab: Arc<Lab>) -> Self {
        Self {
            engine,
            lab,
            checkers: Mutex::default(),
            repositories: Mutex::default(),
            findings_cache: FindingsCache::default(),
        }
    }
}

impl Deref for Checks {
    type Target = Arc<Engine>;

    fn deref(&self) -> &Arc<Engine> {
        &self.engine
    }
}

impl KeptTexts for Checks {
    fn forget_memories(&self) {
        self.findings_cache.forget();
    }
}
