//! The log as people read it: operations, versions, search, and who wrote what and why.
//!
//! [`History`] is the engine with the state of this feature: the join of versions with the sessions in transcripts, which a
//! thread makes beside recording ([`JoinUpkeep`]).
//!
//! ```
//! use retrace_engine::{Engine, EngineOptions};
//! use retrace_history::{History, log};
//! use retrace_lab::{KeyInMemory, Lab};
//! use retrace_wire::LogReq;
//! use std::sync::Arc;
//!
//! # let directory = tempfile::tempdir().expect("a directory");
//! let engine = Engine::open(EngineOptions::for_this_machine(Some(directory.path().to_path_buf()))?)?;
//! let lab = Arc::new(Lab::new(Arc::clone(&engine), Arc::new(KeyInMemory::default())));
//! let history = Arc::new(History::new(engine, lab));
//! assert!(log(&history, LogReq::default())?.versions.is_empty());
//! # Ok::<(), retrace_wire::ApiError>(())
//! ```

#![allow(clippy::needless_pass_by_value, reason = "a command consumes its request, whatever it does with it")]

mod blame;
mod history;
mod origin;
mod origins;
mod presence;
mod search;
mod session;

pub use blame::blame;
pub use history::{activity, log, show, timeline};
pub use origin::{joined, origin, session_named, session_writes};
pub use origins::{JoinUpkeep, notes_of, origin_note};
pub use presence::{presence, presence_lane, reach};
pub use search::search;
pub use session::session;

use origins::Origins;
use retrace_engine::kept_texts::{Held, KeptTexts};
use retrace_engine::{Engine, jobs, memories, origin_lines, plan, target, view, written};
use retrace_lab::Lab;
use retrace_wire as wire;
use std::ops::Deref;
use std::sync::Arc;

/// The engine with the state of who wrote what.
pub struct History {
    engine: Arc<Engine>,
    lab: Arc<Lab>,
    /// The join of versions with transcripts.
    origins: Origins,
}

impl History {
    /// The history in this log, with the transcripts of the lab. The answer is to be given to [`Engine::forget_with`].
    #[must_use]
    pub fn new(engine: Arc<Engine>, lab: Arc<Lab>) -> Self {
        Self { engine, lab, origins: Origins::default() }
    }

    /// Brings the index of transcripts up to date, and waits for it.
    pub fn read_transcripts(&self) {
        self.lab.index().update(&self.lab);
    }

    /// Takes the index of transcripts as it was kept, where it is small and none was read; no transcript is looked at.
    pub fn recall_transcripts(&self) {
        self.lab.index().recall(&self.lab);
    }
}

impl Deref for History {
    type Target = Arc<Engine>;

    fn deref(&self) -> &Arc<Engine> {
        &self.engine
    }
}

impl KeptTexts for History {
    fn forget_transcripts(&self) -> Box<dyn Held + '_> {
        // A pass that goes on would read the transcripts again.
        self.lab.stop_reading();
        let no_pass = self.origins.forget();
        // Titles of sessions may hold the secret, and their index is in the data directory: it is made anew.
        self.lab.index().forget(&self.lab);
        Box::new(no_pass)
    }
}
