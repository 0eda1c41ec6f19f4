//! Reviewing what agents wrote: the inbox, decisions, roll back, restore, undo, the report, and which notifications are due.
//!
//! [`Review`] is the engine with the features a review stands on: findings, who wrote what, imports that an undo withdraws.
//!
//! ```
//! use retrace_adherence::Rules;
//! use retrace_engine::{Engine, EngineOptions};
//! use retrace_health::Checks;
//! use retrace_history::History;
//! use retrace_import::Imports;
//! use retrace_lab::{KeyInMemory, Lab};
//! use retrace_review::{Review, inbox};
//! use retrace_wire::InboxReq;
//! use std::sync::Arc;
//!
//! # let directory = tempfile::tempdir().expect("a directory");
//! let engine = Engine::open(EngineOptions::for_this_machine(Some(directory.path().to_path_buf()))?)?;
//! let lab = Arc::new(Lab::new(Arc::clone(&engine), Arc::new(KeyInMemory::default())));
//! let checks = Arc::new(Checks::new(Arc::clone(&engine), Arc::clone(&lab)));
//! let history = Arc::new(History::new(Arc::clone(&engine), Arc::clone(&lab)));
//! let imports = Arc::new(Imports::new(Arc::clone(&engine), Arc::clone(&lab)));
//! let rules = Arc::new(Rules::new(Arc::clone(&engine), lab));
//! let review = Arc::new(Review::new(engine, checks, history, imports, rules));
//! assert!(inbox(&review, InboxReq::default())?.groups.is_empty());
//! # Ok::<(), retrace_wire::ApiError>(())
//! ```

#![allow(clippy::needless_pass_by_value, reason = "a command consumes its request, whatever it does with it")]

mod approval;
mod commands;
mod inbox;
pub mod notices;
mod review_page;
mod triage;

pub use commands::{
    InboxList, InboxPart, Older, Today, TodayHalf, TodayRow, TodayUpkeep, cluster_difference, inbox,
    inbox_items, inbox_kinds, restore, review, review_report, review_up_to, rollback, triage, undo,
    undo_review, withdraw_queued,
};

/// Findings of a content of elsewhere, for who has no log.
pub use retrace_health::{findings_by_usual_rules, is_known_rule, known_rules};

use retrace_adherence::Rules;
use retrace_engine::kept_texts::KeptTexts;
use retrace_engine::{Engine, decision, kinds, memories, plan, queue, target, view};
use retrace_health::Checks;
use retrace_history::History;
use retrace_import::Imports;
use retrace_wire as wire;
use std::ops::Deref;
use std::sync::Arc;

/// The engine with what a review stands on.
pub struct Review {
    engine: Arc<Engine>,
    checks: Arc<Checks>,
    history: Arc<History>,
    imports: Arc<Imports>,
    memory_rules: Arc<Rules>,
    /// Forms of edits that were compared before.
    forms: triage::Forms,
}

impl Review {
    /// Reviews in this log. The answer is to be given to [`Engine::forget_with`].
    #[must_use]
    pub fn new(
        engine: Arc<Engine>,
        checks: Arc<Checks>,
        history: Arc<History>,
        imports: Arc<Imports>,
        memory_rules: Arc<Rules>,
    ) -> Self {
        Self { engine, checks, history, imports, memory_rules, forms: triage::Forms::default() }
    }

    /// The findings of one content by itself, of a store that is not on this machine.
    #[must_use]
    pub fn findings_of_content(&self, path: &str, bytes: &[u8]) -> Vec<wire::Finding> {
        self.checks.findings_of_content(path, bytes)
    }
}

impl Deref for Review {
    type Target = Arc<Engine>;

    fn deref(&self) -> &Arc<Engine> {
        &self.engine
    }
}

impl KeptTexts for Review {
    fn forget_memories(&self) {
        self.forms.forget();
    }
}
