//! A machine and its hub.

use super::{
    HubActKind, HubAsked, HubBackground, HubCarriedOut, HubFault, HubLostKind, HubPerson, HubProposalDone,
    HubRole, HubSend, HubShare, HubShared, HubWaiting, Message,
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks to join a hub. Nothing of a memory is sent by it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct HubJoinReq {
    /// Address of the hub.
    pub url: String,
    /// One-time token.
    pub token: String,
    /// Name of this machine, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub name: Option<String>,
    /// What stores may send for which nothing else is chosen; everything when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub send: Option<HubSend>,
    /// Certificates that are believed, as PEM, where the system does not know that of the hub.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub certificates: Option<String>,
}

/// Chooses what a store may send.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubSendReq {
    /// The store; absent: every store for which nothing is chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub store: Option<String>,
    /// What may be sent.
    pub send: HubSend,
}

/// Sends what the hub lacks.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct HubSyncReq {
    /// Only this store.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub store: Option<String>,
    /// Sends again what the hub acknowledged and has no more, as after a restored backup.
    pub resend: bool,
    /// Name by which `cancel` stops it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub job: Option<String>,
}

/// The membership of this machine, and its stores.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubStatus {
    /// Address of the hub; null when no hub is joined.
    pub url: Option<String>,
    /// The organisation.
    pub org: Option<String>,
    /// This machine.
    pub machine: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// Its role, as of the last sync.
    pub role: Option<HubRole>,
    /// What stores may send for which nothing else is chosen.
    pub send: HubSend,
    /// The stores.
    pub stores: Vec<HubStore>,
    /// Sync in the background.
    pub background: HubBackground,
    /// What waited at the hub when this machine last synced; null before that.
    pub waiting: Option<HubWaiting>,
    /// Who is signed in on this machine, as far as it was told; absent for nobody, or once that has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub signed_in: Option<HubPerson>,
    /// What the organisation asks of this machine; absent before its first sync.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub asked: Option<HubAsked>,
    /// In a window that a hub serves; absent on a machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub window: Option<HubWindow>,
    /// Of a hub that was left here and does not know it: why, and what to do. Absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub not_told: Option<HubProblem>,
    /// Comments and proposals of this machine that the hub was found to have lost, for thirty days.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<HubLost>>", optional)]
    pub lost: Vec<HubLost>,
    /// What this machine did as an owner's and the hub lost, for thirty days.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<HubActLost>>", optional)]
    pub acts_lost: Vec<HubActLost>,
}

/// What a machine did as an owner's and the hub lost, since its database was restored or a lagging copy took over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HubActLost {
    /// What it was.
    pub kind: HubActKind,
    /// The key of an agent, the machine, or the key of the policy.
    pub about: String,
    /// The role, or the value of the policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub value: Option<String>,
    /// True if the machine did it again.
    pub again: bool,
    /// When it was done.
    pub at: String,
    /// When the loss was found.
    pub found_at: String,
}

/// Acknowledges what a hub warns of, as an owner.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct HubAcknowledgeReq {
    /// An order that machines which left or were removed will not carry out; without one, that the database was put back.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub order: Option<String>,
}

/// A comment or a proposal that the hub lost, since its database was restored or a lagging copy took over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HubLost {
    /// Which of the two.
    pub kind: HubLostKind,
    /// The version that it was about; of a store that was to be restored, the store.
    pub about: String,
    /// When it was made.
    pub at: String,
    /// When the loss was found.
    pub found_at: String,
}

/// A window that a hub serves.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubWindow {
    /// When it ends; null while nobody signed in.
    pub ends_at: Option<String>,
    /// True if nobody signed in and the identity provider signs people in without a token.
    pub sign_in: bool,
}

/// What a store may send, and how far it was sent.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubStore {
    /// The store.
    pub store_id: String,
    /// Its name.
    pub name: String,
    /// What it may send.
    pub send: HubSend,
    /// True if that was chosen for this store.
    pub chosen: bool,
    /// Versions that the hub acknowledged.
    #[ts(type = "number")]
    pub acknowledged: u64,
    /// Digest of the last link of its chain, countersigned by the hub.
    pub head: Option<String>,
    /// When the hub signed that.
    pub signed_at: Option<String>,
    /// True if proposals of other machines are carried out at a sync, without being accepted one by one.
    #[serde(default)]
    pub accept_proposals: bool,
    /// What its sessions share; absent for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub share: Option<HubShare>,
}

/// What was sent.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubSynced {
    /// The stores.
    pub stores: Vec<HubStoreSynced>,
    /// What stands in the way, or is worth knowing.
    pub problems: Vec<HubProblem>,
    /// Redactions of other machines that were carried out here now.
    #[serde(default)]
    pub redactions: Vec<HubCarriedOut>,
    /// Proposals of other machines that were carried out or refused here now.
    #[serde(default)]
    pub proposals: Vec<HubProposalDone>,
    /// Reviews made at the hub that were noted in the log now.
    #[ts(type = "number")]
    #[serde(default)]
    pub reviews: u64,
    /// What waits at the hub.
    #[serde(default)]
    pub waiting: Option<HubWaiting>,
    /// What of sessions was sent; absent where no store shares any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub shared: Option<HubShared>,
}

/// What was sent of a store.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubStoreSynced {
    /// The store.
    pub store_id: String,
    /// Its name.
    pub name: String,
    /// What it may send.
    pub send: HubSend,
    /// Versions sent now.
    #[ts(type = "number")]
    pub versions: u64,
    /// Contents sent now that the hub did not have.
    #[ts(type = "number")]
    pub contents: u64,
    /// Contents kept back now, since they hold what was redacted here: the hub has path and hash of their versions alone.
    #[ts(type = "number")]
    #[serde(default)]
    pub withheld: u64,
    /// Versions whose path and content the hub destroyed now, since they were redacted here.
    #[ts(type = "number")]
    pub redacted: u64,
    /// Links of its chain at the hub.
    #[ts(type = "number")]
    pub seq: u64,
}

/// What stands in the way of a sync.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubProblem {
    /// For programs.
    pub code: HubFault,
    /// The store concerned.
    pub store_id: Option<String>,
    /// One plain sentence.
    pub message: Message,
    /// What to do next.
    pub hint: Message,
}

/// Asks for a page of the versions at the hub.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct HubVersionsReq {
    /// Where the page before ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub after: Option<String>,
    /// Versions of the page, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// A page of the versions of all machines.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubVersions {
    /// The versions, by store, machine and place.
    pub versions: Vec<HubVersion>,
    /// Where the next page begins; null after the last.
    pub next: Option<String>,
}

/// A version at the hub.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubVersion {
    /// The machine.
    pub machine: String,
    /// Its name.
    pub machine_name: String,
    /// The store.
    pub store: String,
    /// Its name.
    pub store_name: String,
    /// Place in the chain of machine and store.
    #[ts(type = "number")]
    pub seq: u64,
    /// Path; null when it was redacted.
    pub path: Option<String>,
    /// Hash of the content.
    pub content_sha256: Option<String>,
    /// Its size.
    #[ts(type = "number | null")]
    pub content_size_bytes: Option<u64>,
    /// Content at the hub: `kept`, `not_sent`, `expired`, `redacted`, or `none` for a deletion.
    pub content: String,
    /// Kind of the change.
    pub operation: String,
    /// What caused it.
    pub source: String,
    /// When it was recorded.
    pub created_at: String,
    /// True if it came in with an import that its machine took back: the log there does not list it.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub undone: bool,
}

/// Asks for a token for one more machine.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct HubTokenReq {
    /// True for the token of an owner's machine.
    pub owner: bool,
    /// The role it gives; a writer's when none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub role: Option<HubRole>,
}

/// A one-time token.
#[derive(Clone, Serialize, Deserialize, TS)]
pub struct HubToken {
    /// The token.
    pub token: String,
    /// The role it gives.
    pub role: String,
    /// When it ends.
    pub expires_at: String,
}

/// Leaves the hub.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct HubLeaveReq {
    /// Forgets this machine's key too, so that it joins as another machine next time.
    pub new_identity: bool,
}
