//! The commands, one or a few to a file; `table.rs` lists them.

#![allow(clippy::needless_pass_by_value, reason = "a command consumes its request, whatever it does with it")]

mod cancel;
pub(crate) mod check;
mod discover;
pub(crate) mod entries;
mod expiry;
mod health;
mod inbox;
mod inbox_list;
mod instructions;
mod review;
mod review_report;
mod rollback;
mod rules;
mod session_rollback;
mod snapshot;
mod status;
mod table;
mod withdraw;

pub use check::check_directory;
pub(crate) use expiry::MESSAGES as EXPIRY_MESSAGES;
pub use inbox_list::{InboxList, InboxPart};
pub(crate) use retrace_engine::counts::NEWEST_FAMILY;
pub(crate) use table::visit_types;
pub use table::*;

/// The functions behind the table: each takes what it needs of the app.
#[doc(hidden)]
pub mod features {
    pub use super::cancel::cancel;
    pub use super::check::{check, findings};
    pub use super::discover::discover;
    pub use super::entries::{allow_finding, move_entry, strip_characters};
    pub use super::expiry::{expire, expiry};
    pub use super::health::health;
    pub use super::inbox::{inbox, inbox_kinds};
    pub use super::instructions::{instruction, instructions};
    pub use super::review::{review, review_up_to, undo_review};
    pub use super::review_report::review_report;
    pub use super::rollback::{restore, rollback, undo};
    pub use super::rules::{finding_rules, set_finding_rule};
    pub use super::snapshot::agent_snapshot;
    pub use super::status::status;
    pub use super::withdraw::withdraw_queued;
    pub use crate::diff::diff;
    pub use crate::memories::{document, memories};
    pub use crate::relocate::relocate_store;
    pub use crate::stores::{add_store, pause_store, remove_store, resume_store, scan, stores};
    pub use retrace_history::{activity, blame, log, origin, search, session_writes, show, timeline};
    pub use retrace_hosted::{
        accept_memories, add_remote, archive_dream, archive_remote, cancel_dream, check_mounts,
        compare_stores, create_dream, dreams, hosted_stores, plan_dream, pull_remote, push_remote,
        queued_conflict, remote_queue, remotes, retry_queued, set_host_key,
    };
    pub use retrace_import::{export_store, import_bundle, import_git, import_transcripts};
    pub use retrace_lab::{
        context_composition, context_confirm, context_deployed, context_export, context_lines,
        context_memory, context_request, context_show, context_simulate, context_sweep, context_turn,
        counter_status, prices, remove_variant, save_variant, set_counter_key, tokens, transcripts, variants,
    };
    pub use retrace_redact::{receipts, recheck_receipt, redact, verify};
    pub use retrace_served::{memory_tool, mount_store, share_store};
}
