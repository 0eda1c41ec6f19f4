//! Stores that another machine serves: mirrors of hosted stores, what is queued for their hosts, dreams, attach lists; and two
//! stores compared with each other.
//!
//! [`Hosted`] is the engine with the state of this feature. Invariants: nothing calls a host but a command that names it;
//! every call is listed; whatever a host answers is untrusted.
//!
//! ```
//! use retrace_engine::{Engine, EngineOptions};
//! use retrace_hosted::remote::NetworkHosts;
//! use retrace_hosted::{Hosted, remotes};
//! use retrace_wire::Nothing;
//! use std::sync::Arc;
//!
//! # let directory = tempfile::tempdir().expect("a directory");
//! let engine = Engine::open(EngineOptions::for_this_machine(Some(directory.path().to_path_buf()))?)?;
//! let hosted = Arc::new(Hosted::new(engine, Arc::new(NetworkHosts)));
//! assert!(remotes(&hosted, Nothing {})?.stores.is_empty());
//! # Ok::<(), retrace_wire::ApiError>(())
//! ```

#![allow(clippy::needless_pass_by_value, reason = "a command consumes its request, whatever it does with it")]

mod compared;
mod dreams;
mod hosts;
mod mounts;
pub mod remote;

pub use compared::{accept_memories, compare_stores};
pub use dreams::{archive_dream, cancel_dream, create_dream, dreams, plan_dream};
pub use hosts::{
    add_remote, archive_remote, hosted_stores, pull_remote, push_remote, queued_conflict, remote_queue,
    remotes, retry_queued, set_host_key,
};
pub use mounts::check_mounts;

use remote::{Hosts, RemoteCalls};
use retrace_engine::{Engine, decision, inventory, jobs, plan, queue, stores, target};
use retrace_wire as wire;
use std::ops::Deref;
use std::sync::Arc;

/// The engine with the state of hosted stores.
pub struct Hosted {
    engine: Arc<Engine>,
    hosts: Arc<dyn Hosts>,
    /// Calls made to hosts of mirrored stores.
    remote_calls: RemoteCalls,
}

impl Hosted {
    /// The hosted stores of this log.
    #[must_use]
    pub fn new(engine: Arc<Engine>, hosts: Arc<dyn Hosts>) -> Self {
        Self { engine, hosts, remote_calls: RemoteCalls::default() }
    }

    /// Number of calls that were made to hosts.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.remote_calls.total()
    }
}

impl Deref for Hosted {
    type Target = Arc<Engine>;

    fn deref(&self) -> &Arc<Engine> {
        &self.engine
    }
}
