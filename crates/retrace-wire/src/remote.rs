//! Hosted stores: mirrors of memory stores that another machine serves, and what is queued for them.

use super::{ActorView, FileDiff};
use crate::KeySource;
use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Names a host of the Memory Stores API.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct HostRef {
    /// Base URL, without `/v1`. The API's own address when absent.
    #[serde(default)]
    pub base_url: Option<String>,
}

/// Keeps the key for a host in the system's keyring, or takes it out.
#[derive(Clone, Default, Serialize, Deserialize, TS)]
pub struct HostKeyReq {
    /// Base URL, without `/v1`. The API's own address when absent.
    #[serde(default)]
    pub base_url: Option<String>,
    /// The key to keep. Never answered, logged or put in an error.
    #[serde(default)]
    pub key: Option<String>,
    /// Take the key out instead. Said in so many words, so that an empty request takes nothing away.
    #[serde(default)]
    pub remove: bool,
}

impl std::fmt::Debug for HostKeyReq {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostKeyReq")
            .field("base_url", &self.base_url)
            .field("key", &self.key.as_ref().map(|_| "…"))
            .field("remove", &self.remove)
            .finish()
    }
}

/// The stores of a host. Asking calls the host.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HostedStores {
    /// Base URL that was asked.
    pub base_url: String,
    /// Its stores, newest first, archived ones included.
    pub stores: Vec<HostedStore>,
}

/// A store as its host tells of it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HostedStore {
    /// Its id at the host, `memstore_…`.
    pub remote_id: String,
    /// Its name there.
    pub name: String,
    /// Purpose; empty when nothing was said.
    pub description: String,
    /// When it was made.
    pub created_at: String,
    /// When it was archived there.
    pub archived_at: Option<String>,
    /// The mirror of it here, `memstore_…`; null when it is not mirrored.
    pub store_id: Option<String>,
}

/// Begins to mirror a hosted store.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct AddRemoteReq {
    /// Base URL, without `/v1`. The API's own address when absent.
    #[serde(default)]
    pub base_url: Option<String>,
    /// The store's id at the host, `memstore_…`.
    pub remote_id: String,
    /// Name here; the host's name when absent.
    #[serde(default)]
    pub name: Option<String>,
    /// A word chosen by the caller, to follow and cancel the first pull by.
    #[serde(default)]
    pub job: Option<String>,
}

/// Names a mirrored store.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct RemoteRef {
    /// Id or name here; all mirrored stores when absent.
    #[serde(default)]
    pub store: Option<String>,
    /// A word chosen by the caller, to follow and cancel the work by.
    #[serde(default)]
    pub job: Option<String>,
}

/// Brings what is new of mirrored stores.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct PullReq {
    /// Id or name here; all mirrored stores when absent.
    #[serde(default)]
    pub store: Option<String>,
    /// A word chosen by the caller, to follow and cancel the work by.
    #[serde(default)]
    pub job: Option<String>,
    /// Look through all versions the hosts have for those they redacted since. Without it, a pull searches the newest
    /// 1,000 and the next part of the others, so that all are searched by some pulls.
    #[serde(default)]
    pub full: bool,
}

/// The mirrored stores. Answered from what is known here; no host is called.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Remotes {
    /// The mirrors, by name.
    pub stores: Vec<RemoteStore>,
    /// Hosts that are called for them, each with whether there is a key.
    pub hosts: Vec<RemoteHost>,
    /// The newest calls of this process, newest first; at most 100.
    pub calls: Vec<RemoteCall>,
}

/// A host of mirrored stores.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RemoteHost {
    /// Base URL.
    pub base_url: String,
    /// Where the key comes from: `keyring`, `environment`, or null when there is none.
    pub key: Option<KeySource>,
}

/// A call that was made to a host.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RemoteCall {
    /// When it was begun.
    pub at: String,
    /// `GET`, `POST` or `DELETE`.
    pub method: String,
    /// Host and path, without the query.
    pub address: String,
    /// Status answered; null when there was no answer.
    pub status: Option<u16>,
    /// Bytes sent in the body.
    pub sent: u64,
    /// Bytes received in the body.
    pub received: u64,
}

/// A mirrored store.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RemoteStore {
    /// The mirror here, `memstore_…`.
    pub store_id: String,
    /// Name here.
    pub name: String,
    /// Base URL of its host.
    pub base_url: String,
    /// Its id at the host.
    pub remote_id: String,
    /// Purpose by the host.
    pub description: String,
    /// When it was archived at the host.
    pub archived_at: Option<String>,
    /// When a pull last came to its end.
    pub pulled_at: Option<String>,
    /// A pull was cut off and goes on where it was.
    pub pulling: bool,
    /// Why the last pull or push did not come to its end.
    pub problem: Option<Message>,
    /// Versions mirrored.
    pub versions: u64,
    /// Versions that the host had redacted before they could be mirrored; they have no content here either.
    pub never_seen: u64,
    /// Versions whose content is kept here although the host redacted it since.
    pub redacted_at_host: u64,
    /// Those versions, `memver_…`, oldest first, whoever pulled; at most 1,000.
    pub redacted_versions: Vec<String>,
    /// When all versions the host had were last searched for redacted ones; null before that.
    pub looked_through_at: Option<String>,
    /// Changes queued for the host.
    pub queued: u64,
    /// Of those, changes that met a newer edit.
    pub conflicts: u64,
}

/// Result of a pull.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Pulled {
    /// One for each store.
    pub stores: Vec<PulledStore>,
}

/// Result of a pull for one store.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct PulledStore {
    /// The mirror here.
    pub store_id: String,
    /// Name here.
    pub name: String,
    /// True if it came to its end; a pull that did not goes on where it was.
    pub finished: bool,
    /// Versions that are new here.
    pub versions: u64,
    /// Live memories after it.
    pub memories: u64,
    /// Versions that the host redacted since they were mirrored; their content is still kept here.
    pub redacted_at_host: Vec<String>,
    /// Versions of the host that hold what was redacted here before, `memver_…`; they came without it.
    #[serde(default)]
    pub redacted_before: Vec<String>,
    /// Calls made.
    pub calls: u64,
    /// Why it did not come to its end.
    pub problem: Option<Message>,
}

/// Changes queued for hosts. Nothing of it is sent before a push.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct RemoteQueue {
    /// The changes, in the order in which they are sent.
    pub changes: Vec<QueuedChange>,
}

/// A change that waits to be sent to a host.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct QueuedChange {
    /// Its number; never given twice.
    pub id: u64,
    /// The mirror here.
    pub store_id: String,
    /// Name of the store here.
    pub store_name: String,
    /// `create`, `update`, `delete`, `redact` or `archive`.
    pub kind: super::QueueKind,
    /// The memory's path here; null where the store as a whole is meant, or the version has no path any more.
    pub path: Option<String>,
    /// The path before, where the change moves the memory.
    pub moved_from: Option<String>,
    /// The version to redact here, `memver_…`, with `redact`.
    pub version_id: Option<String>,
    /// Hash the memory must have at the host; null where nothing may be there.
    pub expected_sha256: Option<String>,
    /// Hash of the content to write.
    pub content_sha256: Option<String>,
    /// Bytes of the content to write.
    pub content_size_bytes: Option<u64>,
    /// The operation that queued it; undoing that one takes back all it queued.
    pub operation_seq: Option<u64>,
    /// When it was queued.
    pub created_at: String,
    /// `waiting`, `conflict` (the memory changed at the host) or `failed` (the host refused it).
    pub state: super::QueueState,
    /// Answer of the host, in one sentence; null while it waits.
    pub message: Option<Message>,
    /// Its change, against the mirror's newest version; null with `redact` and `archive`.
    pub diff: Option<FileDiff>,
}

/// Names a queued change.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct QueuedRef {
    /// Its number.
    pub id: u64,
}

/// A queued change beside what it would meet: three contents, as two differences. No host is called to say it; a pull brings
/// what is new there.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct QueuedConflict {
    /// The change.
    pub change: QueuedChange,
    /// The version it was made against, `memver_…`; null where it makes a memory, or that version is not known.
    pub base_version_id: Option<String>,
    /// The newest version that is there now, `memver_…`; null where nothing is.
    pub now_version_id: Option<String>,
    /// Who made that one.
    pub now_by: Option<ActorView>,
    /// When it was made.
    pub now_at: Option<String>,
    /// True if what is there now is something else than the change was made against.
    pub moved_on: bool,
    /// Changes at the host since: from the version it was made against to what is there now; null where there is none
    /// to hold it against.
    pub happened: Option<FileDiff>,
    /// Effect of the change on what is there now; null with `redact` and `archive`.
    pub would: Option<FileDiff>,
}

/// Queues a change that met a newer edit, or was refused, once more: on what is there now.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct RetryQueuedReq {
    /// Its number.
    pub id: u64,
    /// The version that was seen there and that it may replace, `memver_…`; null where nothing was there. Another one that is
    /// there by now is `head_moved`.
    #[serde(default)]
    pub over: Option<String>,
}

/// Takes queued changes back.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct WithdrawReq {
    /// Their numbers.
    pub ids: Vec<u64>,
}

/// Result of a push.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct Pushed {
    /// Changes that the host took.
    pub sent: u64,
    /// Changes that met a newer edit; they stay in the queue.
    pub conflicts: u64,
    /// Changes that the host refused; they stay in the queue.
    pub failed: u64,
    /// Operations that record what was sent, oldest first.
    pub operations: Vec<u64>,
    /// Rest of the queue.
    pub queue: RemoteQueue,
    /// Why it ended early.
    pub problem: Option<Message>,
}
