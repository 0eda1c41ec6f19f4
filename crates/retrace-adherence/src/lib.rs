//! Rules that memories and instructions state, and how sessions fared with them.
//!
//! [`Rules`] is the engine with the state of this feature: what sessions did, as far as it was read. The rules themselves are
//! `retrace-rules`.
//!
//! ```
//! use retrace_adherence::{Rules, adherence, add_memory_rule};
//! use retrace_engine::{Engine, EngineOptions};
//! use retrace_lab::{KeyInMemory, Lab};
//! use retrace_wire::{AddMemoryRule, AdherenceReq};
//! use std::sync::Arc;
//!
//! # let directory = tempfile::tempdir().expect("a directory");
//! let mut options = EngineOptions::for_this_machine(Some(directory.path().join("data")))?;
//! options.surroundings.home = directory.path().to_path_buf();
//! let engine = Engine::open(options)?;
//! let lab = Arc::new(Lab::new(Arc::clone(&engine), Arc::new(KeyInMemory::default())));
//! let rules = Arc::new(Rules::new(engine, lab));
//! let rule = serde_json::json!({"kind": "command_never", "program": "npm", "sentence": "pnpm, never npm"});
//! add_memory_rule(&rules, AddMemoryRule { rule, dismissed: false })?;
//! assert_eq!(adherence(&rules, AdherenceReq::default())?.rules[0].opportunities, 0);
//! # Ok::<(), retrace_wire::ApiError>(())
//! ```

#![allow(clippy::needless_pass_by_value, reason = "a command consumes its request, whatever it does with it")]

mod anchor;
mod backtest;
mod broken;
mod check;
mod deeds;
mod guard;
mod ledger;
mod list;
mod live;
mod presence;
mod propose;
mod settings;
mod told;
mod worth;

pub use broken::{broken_rules, broken_rules_in, newest_seen_act, see_broken_rules, undo_seen};
pub use check::{check_call, check_memory_rule};
pub use deeds::DEEDS_FILE;
pub use guard::{guard_rule, newest_guard_act, undo_guard};
pub use ledger::adherence;
pub use list::{
    add_memory_rule, add_memory_rules, list_memory_rule, memory_rules, newest_rule_act, undo_rule_act,
};
pub use live::LiveUpkeep;
pub use propose::propose_rules;
pub use told::{ToldRule, ToldVerdict, told_rules};
pub use worth::memory_worth;

use deeds::DeedsCache;
use live::LiveTexts;
use retrace_engine::Engine;
use retrace_engine::kept_texts::{Held, KeptTexts};
use retrace_lab::Lab;
use std::ops::Deref;
use std::sync::Arc;

/// The engine with the state of rules.
pub struct Rules {
    engine: Arc<Engine>,
    lab: Arc<Lab>,
    deeds: DeedsCache,
    live: LiveTexts,
}

impl Rules {
    /// The rules of this log. The answer is to be given to [`Engine::forget_with`].
    #[must_use]
    pub fn new(engine: Arc<Engine>, lab: Arc<Lab>) -> Self {
        Self { engine, lab, deeds: DeedsCache::default(), live: LiveTexts::default() }
    }
}

impl Deref for Rules {
    type Target = Arc<Engine>;

    fn deref(&self) -> &Arc<Engine> {
        &self.engine
    }
}

impl KeptTexts for Rules {
    fn forget_transcripts(&self) -> Box<dyn Held + '_> {
        Box::new((self.deeds.forget(&self.engine), self.live.forget(self)))
    }
}
