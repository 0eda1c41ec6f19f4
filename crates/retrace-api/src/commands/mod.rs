//! The commands, one or a few to a file; `table.rs` lists them.

#![allow(clippy::needless_pass_by_value, reason = "a command consumes its request, whatever it does with it")]

mod advice;
mod cancel;
mod status;
mod table;

pub use advice::advised;
pub use retrace_health::check_directory;
pub use retrace_review::{InboxList, InboxPart, Older, Today, TodayHalf, TodayRow};
pub(crate) use table::visit_types;
pub use table::*;

/// The functions behind the table: each takes what it needs of the app.
mod features {
    pub(super) use super::cancel::cancel;
    pub(super) use super::status::status;
    pub(super) use retrace_adherence::{
        add_memory_rule, add_memory_rules, adherence, broken_rules, check_memory_rule, guard_rule,
        list_memory_rule, memory_rules, memory_worth, propose_rules, see_broken_rules,
    };
    pub(super) use retrace_engine::diff::diff;
    pub(super) use retrace_engine::memories::{document, memories};
    pub(super) use retrace_engine::relocate::relocate_store;
    pub(super) use retrace_engine::stores::{add_store, pause_store, resume_store, scan, stores};
    pub(super) use retrace_health::{
        agent_snapshot, allow_finding, check, clients, discover, expire, expiry, finding_rules, findings,
        health, instruction, instructions, memory_loads, move_entry, new_projects, opening, set_finding_rule,
        set_new_projects, strip_characters,
    };
    pub(super) use retrace_history::{
        activity, blame, log, origin, presence, presence_lane, reach, search, session, session_writes, show,
        timeline,
    };
    pub(super) use retrace_hosted::{
        accept_memories, add_remote, archive_dream, archive_remote, cancel_dream, check_mounts,
        compare_stores, create_dream, dreams, hosted_stores, plan_dream, pull_remote, push_remote,
        queued_conflict, remote_queue, remotes, retry_queued, set_host_key,
    };
    pub(super) use retrace_import::{export_store, import_bundle, import_git, import_transcripts};
    pub(super) use retrace_joined::{
        hub_accept, hub_accept_proposal, hub_acknowledge, hub_adherence, hub_agent_token,
        hub_agent_token_revoke, hub_agent_tokens, hub_approve, hub_approve_redaction, hub_audit,
        hub_background, hub_comment, hub_diff, hub_finish_sign_in, hub_history, hub_inbox, hub_join,
        hub_leave, hub_machines, hub_policy, hub_presence, hub_projects, hub_proposals, hub_propose,
        hub_recheck_redaction, hub_redactions, hub_refuse_proposal, hub_remove_comment, hub_remove_machine,
        hub_send, hub_sessions, hub_set_policy, hub_set_role, hub_share_sessions, hub_show, hub_sign_in,
        hub_sign_out, hub_status, hub_sync, hub_token, hub_versions, hub_withdraw_proposal, redact,
        remove_store,
    };
    pub(super) use retrace_lab::{
        change_reach, context_composition, context_confirm, context_deployed, context_export, context_lines,
        context_memory, context_recommend, context_request, context_show, context_simulate, context_sweep,
        context_turn, counter_status, prices, remove_variant, save_variant, set_counter_key, tokens,
        transcripts, variants,
    };
    pub(super) use retrace_redact::{receipts, recheck_receipt, verify};
    pub(super) use retrace_review::{
        cluster_difference, inbox, inbox_items, inbox_kinds, restore, review, review_report, review_up_to,
        rollback, triage, undo, undo_review, withdraw_queued,
    };
    pub(super) use retrace_served::{memory_tool, mount_store, share_store};
}
