//! The hub: the chains of many machines in one PostgreSQL, over HTTP.
//!
//! A process keeps nothing in itself: any number of them may stand before the same database with the same key file. An append
//! locks the row of its head, checks every link, writes and countersigns in one transaction. Contents lie apart, each packed and
//! encrypted under a key of its own.
//!
//! Invariants: every statement about an organisation runs under the role `retrace_hub`, which owns nothing, in a transaction that
//! names the organisation; row-level security is forced. No token, key, path or content is in a log line or an error.
//!
//! What else is served at the hub's address asks it through [`Inside`]: within the process, by the same requests, rights and audit log.
//!
//! Deliberately absent: replication, failover and backup, which are PostgreSQL's.
//!
//! ```no_run
//! let options = retrace_hub::HubOptions::new("postgresql:///retrace", "hub.key".as_ref());
//! let hub = retrace_hub::start(options)?;
//! println!("{} {:?}", hub.url(), hub.owner_token());
//! hub.stop();
//! # Ok::<(), retrace_hub::Failure>(())
//! ```

mod arrival;
mod audit;
mod database;
mod doctor;
mod failure;
mod inside;
mod keys;
mod log;
mod memory_stores;
mod metrics;
mod once;
mod people;
mod requests;
mod retention;
mod routes;
mod serve;
mod tls;

pub use doctor::{Check, DoctorOptions, State, doctor};
pub use failure::Failure;
pub use inside::{Beside, Inside};
pub use log::{LogFormat, log_to_stderr};
pub use people::{MAX_HOURS, People, ProviderOptions};
/// What a member of the hub may do.
pub use retrace_sync::roles::Role;
pub use serve::{HubOptions, Running, TlsFiles, WINDOW_HOURS, start};
