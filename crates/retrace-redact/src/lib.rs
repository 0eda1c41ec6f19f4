//! Taking content out of the log and of the live files, and the proof: survey, mask, purge, receipts, recheck; verifying.
//!
//! [`Redactions`] is the engine with the state of this feature. Features that keep texts in this process hand over a listener
//! ([`retrace_engine::kept_texts::KeptTexts`]), so that a redaction reaches them too.
//!
//! Invariants: what is masked is not restored by anything; a receipt names each place that was searched.
//!
//! ```
//! use retrace_engine::{Engine, EngineOptions};
//! use retrace_redact::{Redactions, receipts};
//! use retrace_wire::Nothing;
//!
//! # let directory = tempfile::tempdir().expect("a directory");
//! let engine = Engine::open(EngineOptions::for_this_machine(Some(directory.path().to_path_buf()))?)?;
//! let redactions = Redactions::new(engine);
//! assert!(receipts(&redactions, Nothing {})?.receipts.is_empty());
//! # Ok::<(), retrace_wire::ApiError>(())
//! ```

#![allow(clippy::needless_pass_by_value, reason = "a command consumes its request, whatever it does with it")]

mod hosts;
mod redact;
mod verify;

pub use redact::{
    PartsOfContents, PurgeUpkeep, pending_places, receipts, recheck_receipt, redact, redact_elsewhere,
    redact_parts,
};
pub use verify::verify;

use retrace_engine::{
    Engine, decision, git, keep, live_files, lock, origin_lines, queue, roots, target, view,
};
use retrace_log::Needles;
use retrace_model::ReceiptId;
use retrace_wire as wire;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex};

/// The engine with the state of redactions.
pub struct Redactions {
    engine: Arc<Engine>,
    /// Bytes that pending purges still have to prove absent. In memory only.
    pending_needles: Mutex<HashMap<ReceiptId, Needles>>,
}

impl Redactions {
    /// Redactions in this log.
    #[must_use]
    pub fn new(engine: Arc<Engine>) -> Self {
        Self { engine, pending_needles: Mutex::default() }
    }

    /// Keeps what a purge that is pending has to prove absent.
    pub fn note_pending(&self, receipt: ReceiptId, needles: Needles) {
        lock(&self.pending_needles).insert(receipt, needles);
    }
}

impl Deref for Redactions {
    type Target = Arc<Engine>;

    fn deref(&self) -> &Arc<Engine> {
        &self.engine
    }
}
