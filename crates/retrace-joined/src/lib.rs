//! A machine that joined a hub: its identity, what its stores may send, and sending it.
//!
//! [`Membership`](hub_status) is kept in `hub.json` of the data directory, the machine's private key in `machine.key`; both are
//! readable by their owner alone. A sync sends what the hub lacks, then carries out what other machines redacted and proposed.
//!
//! Commands that need no machine take a [`Member`]: a machine, or a window that the hub itself serves ([`Windows`]). A window has no
//! files: its key comes from the browser, sealed by the hub, and it asks the hub within the hub's process.
//!
//! Invariants: nothing is sent but by commands that begin with `hub_`, and by [`SyncUpkeep`] once it was switched on; nothing of a
//! memory but by `hub_sync`, `hub_propose` and `hub_comment`; nothing of a session but by `hub_sync`, of stores that share them; what
//! was acknowledged is known by a signature of the hub's key, which is remembered from joining on. A secret that was redacted is told
//! to nobody.

#![allow(clippy::needless_pass_by_value, reason = "a command consumes its request, whatever it does with it")]

mod acts;
mod agents;
mod background;
mod client;
mod commands;
mod compared;
mod elsewhere;
mod kept;
mod member;
mod people;
mod policy;
mod proposals;
mod reasons;
mod redactions;
mod review;
mod said;
mod searches;
mod sessions;
mod shared;
mod state;
mod sync;
mod told;
mod window;

pub use acts::hub_acknowledge;
pub use agents::{hub_agent_token, hub_agent_token_revoke, hub_agent_tokens};
pub use background::{SyncUpkeep, hub_background};
pub use client::calls;
pub use commands::{
    hub_accept, hub_join, hub_leave, hub_send, hub_status, hub_token, hub_versions, remove_store,
};
pub use elsewhere::redact;
pub use member::Member;
pub use people::{hub_finish_sign_in, hub_sign_in, hub_sign_out};
pub use policy::{
    hub_audit, hub_machines, hub_policy, hub_remove_machine, hub_set_policy, hub_set_role,
    may_send_of_transcripts,
};
pub use proposals::{
    hub_accept_proposal, hub_proposals, hub_propose, hub_refuse_proposal, hub_withdraw_proposal,
};
pub use redactions::{hub_approve_redaction, hub_recheck_redaction, hub_redactions};
pub use review::{
    hub_approve, hub_comment, hub_diff, hub_history, hub_inbox, hub_projects, hub_remove_comment, hub_show,
};
pub use shared::{hub_adherence, hub_presence, hub_sessions, hub_share_sessions};
pub use sync::hub_sync;
pub use window::{Door, Opened, Window, Windows};

use retrace_adherence::Rules;
use retrace_engine::Engine;
use retrace_lab::Lab;
use retrace_redact::Redactions;
use retrace_review::Review;
use std::ops::Deref;
use std::sync::Arc;

/// The engine with what a sync carries out here for other machines: redactions, and acts that were proposed.
pub struct Together {
    engine: Arc<Engine>,
    redactions: Arc<Redactions>,
    review: Arc<Review>,
    lab: Arc<Lab>,
    rules: Arc<Rules>,
}

impl Together {
    /// A machine over this log.
    #[must_use]
    pub fn new(
        engine: Arc<Engine>,
        redactions: Arc<Redactions>,
        review: Arc<Review>,
        lab: Arc<Lab>,
        rules: Arc<Rules>,
    ) -> Self {
        Self { engine, redactions, review, lab, rules }
    }
}

impl Deref for Together {
    type Target = Arc<Engine>;

    fn deref(&self) -> &Arc<Engine> {
        &self.engine
    }
}
