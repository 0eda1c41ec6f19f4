//! Hosted stores: mirrors of stores that another machine serves.
//!
//! [`pull`] brings what is new at a host into the log, [`queue`](retrace_engine::queue) turns acts on a mirror into changes that wait, [`push`] sends
//! them when the user says so; redactions reach hosts the same way. [`host`] is the way to a host. Nothing here calls a
//! host but a pull, a push, and what lists or adds its stores; every call is listed.
//!
//! Invariants: a mirror's versions come from its host alone, each appended once; nothing is sent without the hash it expects
//! to replace; whatever a host answers is untrusted.

pub mod host;
mod pull;
mod push;

pub use host::{HostCalls, Hosts, NetworkHosts, Variable};
/// Types of [`HostCalls`].
pub use retrace_remote as api;

pub use pull::pull;
pub use push::push;

use crate::Hosted;
use crate::jobs::Job;
use crate::queue::path_there;
use crate::wire::sentence;
use crate::wire::{ApiError, Code, RemoteCall};
use retrace_engine::lock;
use retrace_log::RemoteRow;
use retrace_message::Message;
use retrace_model::{RelPath, StoreState, Timestamp};
use retrace_remote::{Listener, Made, RemoteError};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Calls that are listed, the newest ones.
const LISTED: usize = 100;

/// The calls this process made to hosts.
#[derive(Default)]
pub(crate) struct RemoteCalls {
    newest: Mutex<VecDeque<RemoteCall>>,
    total: AtomicU64,
}

impl RemoteCalls {
    /// Notes a call.
    fn note(&self, made: &Made) {
        let since = made.at.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let at = Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX));
        self.total.fetch_add(1, Ordering::Relaxed);
        let mut newest = lock(&self.newest);
        newest.push_front(RemoteCall {
            at: at.to_rfc3339(),
            method: made.method.as_str().to_owned(),
            address: made.address.clone(),
            status: made.status,
            sent: made.sent,
            received: made.received,
        });
        newest.truncate(LISTED);
    }

    /// Sum of both.
    pub(crate) fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// The newest calls, newest first.
    pub(crate) fn listed(&self) -> Vec<RemoteCall> {
        lock(&self.newest).iter().cloned().collect()
    }
}

impl Hosted {
    /// A variable of the environment.
    pub fn variable(&self, name: &str) -> Option<String> {
        self.options.surroundings.env.get(name)?.to_str().map(str::to_owned)
    }

    /// Who is told of each call to a host, for the list of calls.
    pub(crate) fn call_listener(self: &Arc<Self>) -> Listener {
        let inner = Arc::downgrade(self);
        Arc::new(move |made: &Made| {
            if let Some(inner) = inner.upgrade() {
                inner.remote_calls.note(made);
            }
        })
    }

    /// One spelling for the base URL a person gave.
    pub fn base_url(&self, asked: Option<&str>) -> Result<String, ApiError> {
        let asked = asked.map(str::trim).filter(|asked| !asked.is_empty());
        let url = self.hosts.base_url(asked, &|name| self.variable(name));
        url.map_err(|error| refusal(&error, asked.unwrap_or_default()))
    }

    /// The host at a base URL; calls end when the job is stopped.
    pub fn host(self: &Arc<Self>, base_url: &str, job: &Job) -> Result<Box<dyn HostCalls>, RemoteError> {
        self.hosts.open(base_url, &|name| self.variable(name), job.token(), self.call_listener())
    }

    /// Keeps on a mirror why a pull or a push did not come to its end.
    fn note_problem(&self, remote: &RemoteRow, error: &RemoteError) -> Result<Message, ApiError> {
        let problem = problem(error);
        let state = state_after(error);
        self.write(|act| {
            act.set_remote_problem(remote.store, Some(&problem))?;
            Ok(act.set_store_state(remote.store, state, Some(&problem))?)
        })?;
        self.stores_changed();
        Ok(problem)
    }
}

/// State of a mirror when a call for it failed so.
fn state_after(error: &RemoteError) -> StoreState {
    match error {
        RemoteError::NotFound { .. } => StoreState::Missing,
        RemoteError::NoKey | RemoteError::KeyRefused { .. } => StoreState::Denied,
        _ => StoreState::Limited,
    }
}

/// Why work for a mirror did not come to its end, as a sentence.
fn problem(error: &RemoteError) -> Message {
    match error {
        RemoteError::Cancelled => say::stopped_next_one_goes_where(),
        error => sentence(error),
    }
}

/// A failure of a call as clients see it.
pub fn refusal(error: &RemoteError, subject: &str) -> ApiError {
    let (code, hint) = match error {
        RemoteError::NotFound { .. } => (Code::NotFound, Message::default()),
        RemoteError::BadId { .. } | RemoteError::Config(_) => (Code::Invalid, Message::default()),
        RemoteError::PreconditionFailed { .. } | RemoteError::PathConflict { .. } => {
            (Code::HeadMoved, Message::default())
        }
        RemoteError::NoKey => (Code::KeyRefused, say::keep_key_host_retrace_remote()),
        RemoteError::KeyRefused { .. } => (Code::KeyRefused, say::keep_another_key_host_retrace()),
        RemoteError::Limited { .. } => (Code::HostLimited, Message::default()),
        _ => (Code::StoreUnavailable, Message::default()),
    };
    ApiError::new(code, problem(error), subject).hint(hint)
}

/// The path a memory has here, from the one it has at its host.
fn path_here(path: &str) -> Result<RelPath, RemoteError> {
    let not_understood = || RemoteError::NotUnderstood { cause: say::path_not_one_memory() };
    let path = path.strip_prefix('/').ok_or_else(not_understood)?;
    RelPath::from_bytes(path).map_err(|_| not_understood())
}

retrace_message::messages! {
    /// Messages of this module.
    saved mod say in "remote";
    stopped_next_one_goes_where() => "It was stopped; the next one goes on where it was.",
    keep_key_host_retrace_remote() => "Keep a key for the host: `retrace remote key set`, with --url for any but the API's own. The environment's key is only sent to where the environment leads.",
    keep_another_key_host_retrace() => "Keep another key for the host: `retrace remote key set`, with --url for any but the API's own.",
    path_not_one_memory() => "a path in it is not one of a memory",
}
