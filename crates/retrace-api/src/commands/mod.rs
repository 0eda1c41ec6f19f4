//! The commands, one or a few to a file; `table.rs` lists them.

#![allow(clippy::needless_pass_by_value, reason = "a command consumes its request, whatever it does with it")]

mod blame;
mod cancel;
pub(crate) mod check;
mod confirm;
mod context;
mod counter;
mod deployed;
mod discover;
pub(crate) mod entries;
mod expiry;
mod export;
mod health;
mod history;
mod import;
mod inbox;
mod inbox_list;
mod instructions;
mod memory_prices;
mod origin;
mod prices;
mod request;
mod review;
mod review_report;
mod rollback;
mod rules;
mod search;
mod session_rollback;
mod simulate;
mod snapshot;
mod status;
mod sweep;
mod table;
mod tokens;
mod transcripts;
mod turn;
mod variants;
mod withdraw;

pub use check::check_directory;
pub(crate) use expiry::MESSAGES as EXPIRY_MESSAGES;
pub use inbox_list::{InboxList, InboxPart};
pub(crate) use memory_prices::{MemoryUses, SessionUses, memory_uses};
pub(crate) use table::visit_types;
pub use table::*;
pub(crate) use tokens::NEWEST as NEWEST_FAMILY;

/// The functions behind the table: each takes what it needs of the app.
#[doc(hidden)]
pub mod features {
    pub use super::blame::blame;
    pub use super::cancel::cancel;
    pub use super::check::{check, findings};
    pub use super::confirm::context_confirm;
    pub use super::context::{context_composition, context_show};
    pub use super::counter::{counter_status, set_counter_key};
    pub use super::deployed::context_deployed;
    pub use super::discover::discover;
    pub use super::entries::{allow_finding, move_entry, strip_characters};
    pub use super::expiry::{expire, expiry};
    pub use super::export::context_export;
    pub use super::health::health;
    pub use super::history::{activity, log, show, timeline};
    pub use super::import::{export_store, import_bundle, import_git, import_transcripts};
    pub use super::inbox::{inbox, inbox_kinds};
    pub use super::instructions::{instruction, instructions};
    pub use super::memory_prices::context_memory;
    pub use super::origin::{origin, session_writes};
    pub use super::prices::prices;
    pub use super::request::context_request;
    pub use super::review::{review, review_up_to, undo_review};
    pub use super::review_report::review_report;
    pub use super::rollback::{restore, rollback, undo};
    pub use super::rules::{finding_rules, set_finding_rule};
    pub use super::search::search;
    pub use super::simulate::{context_lines, context_simulate};
    pub use super::snapshot::agent_snapshot;
    pub use super::status::status;
    pub use super::sweep::context_sweep;
    pub use super::tokens::tokens;
    pub use super::transcripts::transcripts;
    pub use super::turn::context_turn;
    pub use super::variants::{remove_variant, save_variant, variants};
    pub use super::withdraw::withdraw_queued;
    pub use crate::diff::diff;
    pub use crate::memories::{document, memories};
    pub use crate::relocate::relocate_store;
    pub use crate::stores::{add_store, pause_store, remove_store, resume_store, scan, stores};
    pub use retrace_hosted::{
        accept_memories, add_remote, archive_dream, archive_remote, cancel_dream, check_mounts,
        compare_stores, create_dream, dreams, hosted_stores, plan_dream, pull_remote, push_remote,
        queued_conflict, remote_queue, remotes, retry_queued, set_host_key,
    };
    pub use retrace_redact::{receipts, recheck_receipt, redact, verify};
    pub use retrace_served::{memory_tool, mount_store, share_store};
}
