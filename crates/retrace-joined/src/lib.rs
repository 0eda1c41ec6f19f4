//! A machine that joined a hub: its identity, what its stores may send, and sending it.
//!
//! [`Membership`](hub_status) is kept in `hub.json` of the data directory, the machine's private key in `machine.key`; both are
//! readable by their owner alone. The log is never changed by it.
//!
//! Invariants: nothing is sent but by `hub_join`, `hub_leave`, `hub_sync`, `hub_versions` and `hub_token`; nothing of a memory but
//! by `hub_sync`; what was acknowledged is known by a signature of the hub's key, which is remembered from joining on.

#![allow(clippy::needless_pass_by_value, reason = "a command consumes its request, whatever it does with it")]

mod client;
mod commands;
mod state;
mod sync;

pub use commands::{hub_join, hub_leave, hub_send, hub_status, hub_token, hub_versions};
pub use sync::hub_sync;
