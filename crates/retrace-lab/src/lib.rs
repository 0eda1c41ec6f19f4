//! The Context lab: transcripts on this machine, what a session's context was made of, and what other settings would have
//! made of it.
//!
//! [`Lab`] is the engine with the state of this feature. Nothing here is part of the log: what is kept in files can be made
//! anew, or was typed by a person.
//!
//! ```
//! use retrace_engine::{Engine, EngineOptions};
//! use retrace_lab::{KeyInMemory, Lab, tokens};
//! use retrace_wire::{NamedText, TokensReq};
//! use std::sync::Arc;
//!
//! # let directory = tempfile::tempdir().expect("a directory");
//! let engine = Engine::open(EngineOptions::for_this_machine(Some(directory.path().to_path_buf()))?)?;
//! let lab = Arc::new(Lab::new(engine, Arc::new(KeyInMemory::default())));
//! let texts = vec![NamedText { name: "a.md".to_owned(), text: "Ships on Fridays.".to_owned() }];
//! assert!(tokens(&lab, TokensReq { texts, model: None })?.counts[0].tokens > 0);
//! # Ok::<(), retrace_wire::ApiError>(())
//! ```

#![allow(clippy::needless_pass_by_value, reason = "a command consumes its request, whatever it does with it")]

mod confirm;
mod context;
mod counter;
mod deployed;
mod export;
mod keys;
mod lab;
mod loads_told;
mod memory_prices;
mod presence;
mod prices;
mod recommend;
mod request;
mod session;
mod simulate;
mod sweep;
mod tokens;
mod transcripts;
mod turn;
mod variants;

pub use confirm::context_confirm;
pub use context::{context_composition, context_show};
pub use counter::{counter_status, set_counter_key};
pub use deployed::context_deployed;
pub use export::context_export;
pub use keys::{KeyInMemory, KeyStore, SystemKeyring};
pub use lab::index::TranscriptIndex;
pub use lab::rows::shortened;
pub use lab::view::role;
pub use loads_told::{LOADS_FILE, LoadTold, OLDER_LOADS_FILE, loads_told_of};
pub use memory_prices::{SessionUses, context_memory, memory_uses, prices_in};
pub use presence::{
    Concerned, FileAsked, MemoryAsked, MemoryPresence, NeverLines, OfMemory, SharedFile, SharedSession,
    SharedSessions, SharedStore, ToldPresence, change_reach, instruction_file, is_beside,
    is_for_every_project, is_of_project, part_of, presence, presence_lane, project_of, project_of_file,
    ran_in, reach, store_presence, transcript_lines,
};
pub use prices::prices;
pub use recommend::context_recommend;
pub use request::context_request;
pub use session::{SessionTold, session_told};
pub use simulate::{context_lines, context_simulate};
pub use sweep::context_sweep;
pub use tokens::tokens;
pub use transcripts::transcripts;
pub use turn::context_turn;
pub use variants::{remove_variant, save_variant, variants};

use lab::State;
use retrace_engine::{Engine, jobs, keep, memories};
use retrace_wire as wire;
use std::ops::Deref;
use std::sync::Arc;

/// The engine with the state of the Context lab.
pub struct Lab {
    engine: Arc<Engine>,
    /// Where the key for exact counts is kept.
    keys: Arc<dyn KeyStore>,
    lab: State,
}

impl Lab {
    /// The lab beside this log.
    #[must_use]
    pub fn new(engine: Arc<Engine>, keys: Arc<dyn KeyStore>) -> Self {
        Self { engine, keys, lab: State::default() }
    }

    /// The transcripts on this machine.
    #[must_use]
    pub fn index(&self) -> &TranscriptIndex {
        &self.lab.index
    }

    /// Sessions on this machine, as far as the index knows them; before it was made, the files of transcripts that are not a
    /// subagent's.
    #[must_use]
    pub fn sessions_known(self: &Arc<Self>) -> u64 {
        if self.lab.index.state().0.updated_at.is_some() {
            return lab::rows::rows(self).totals.sessions;
        }
        self.lab.index.listed(self)
    }

    /// Number of calls that were made to count tokens.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.lab.counting.total()
    }

    /// Forgets transcripts that were read, and stops reading more.
    pub fn stop_reading(&self) {
        self.lab.loaded.forget();
        self.lab.index.cancel();
    }
}

impl Deref for Lab {
    type Target = Arc<Engine>;

    fn deref(&self) -> &Arc<Engine> {
        &self.engine
    }
}
