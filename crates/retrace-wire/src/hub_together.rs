//! What machines of a hub do to each other: redactions that reach all of them, proposals, reviews, comments.

use super::{
    Finding, HubOrderState, HubProposalKind, HubProposalState, HubReachState, HubRefusedCopy, Message,
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Sync in the background, while this machine records.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct HubBackground {
    /// True if it was switched on.
    pub on: bool,
    /// When it last ran; null before the first time.
    pub last_at: Option<String>,
    /// True if that went well; null before the first time.
    pub went_well: Option<bool>,
    /// What stood in the way; null when nothing did.
    pub problem: Option<Message>,
    /// When it tries again at the latest, after a failure.
    pub next_at: Option<String>,
}

/// Switches sync in the background on or off.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct HubBackgroundReq {
    /// On or off.
    pub on: bool,
}

/// Says whether proposals for a store are carried out without being accepted one by one.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct HubAcceptReq {
    /// The store.
    pub store: String,
    /// True if they are.
    pub accept: bool,
}

/// What waits at the hub.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct HubWaiting {
    /// Redactions of other machines that this one has yet to carry out.
    #[ts(type = "number")]
    pub redactions: u64,
    /// Redactions that some machine has yet to carry out.
    #[ts(type = "number")]
    pub outstanding: u64,
    /// Redactions that wait for a second person.
    #[ts(type = "number")]
    pub to_approve: u64,
    /// Proposals that wait for this machine.
    #[ts(type = "number")]
    pub proposals: u64,
    /// Memories of all machines that nobody reviewed. A hub counts up to ten thousand.
    #[ts(type = "number")]
    pub unreviewed: u64,
    /// There are more than `unreviewed`.
    pub unreviewed_is_least: bool,
    /// When that was so.
    pub at: String,
    /// The copy of this machine's data directory that the hub refused last; absent for none in the last thirty days, and on the copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub copy: Option<HubRefusedCopy>,
    /// The hub's database was put back to an earlier state, and no owner acknowledged that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub restored: Option<HubRestored>,
}

/// The database of a hub was put back to an earlier state, as from a backup: what was ended or changed since may be as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HubRestored {
    /// The newest that it kept.
    pub kept_until: String,
    /// The newest that a machine knows to be lost.
    pub lost_until: String,
    /// When that was found.
    pub found_at: String,
    /// One-time tokens that were ended for it.
    #[ts(type = "number")]
    pub tokens: u64,
}

/// A redaction of another machine that was carried out here.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubCarriedOut {
    /// `order_…`
    pub order: String,
    /// The machine that redacted.
    pub by_name: String,
    /// Done, or refused.
    pub state: HubReachState,
    /// Versions that were masked.
    #[ts(type = "number")]
    pub versions: u64,
    /// Live files that were changed.
    #[ts(type = "number")]
    pub live_files: u64,
    /// Receipts in this machine's log.
    pub receipts: Vec<String>,
    /// Why it was refused.
    pub reason: Option<String>,
    /// The same in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub why: Option<Message>,
}

/// A proposal that was carried out or refused here.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubProposalDone {
    /// `proposal_…`
    pub id: String,
    /// What it was to do.
    pub kind: HubProposalKind,
    /// The store.
    pub store_id: String,
    /// Path of the memory; null for a whole store.
    pub path: Option<String>,
    /// What became of it.
    pub state: HubProposalState,
    /// The operation in this machine's log.
    #[ts(type = "number | null")]
    pub operation_seq: Option<u64>,
    /// Why it was not done.
    pub reason: Option<String>,
    /// The same in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub why: Option<Message>,
}

/// A version of any machine.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubItem {
    /// `memver_…`
    pub id: String,
    /// The machine.
    pub machine: String,
    /// Its name.
    pub machine_name: String,
    /// The store.
    pub store: String,
    /// Its name.
    pub store_name: String,
    /// The project that the store is of; null where it is of none.
    pub project: Option<String>,
    /// Place in the chain of machine and store.
    #[ts(type = "number")]
    pub seq: u64,
    /// The memory.
    pub memory: String,
    /// Path; null when it was redacted.
    pub path: Option<String>,
    /// Hash of the content.
    pub content_sha256: Option<String>,
    /// Its size.
    #[ts(type = "number | null")]
    pub content_size_bytes: Option<u64>,
    /// Content at the hub: `kept`, `not_sent`, `redacted`, `expired`, or `none` for a deletion.
    pub content: String,
    /// Kind of the change.
    pub operation: String,
    /// What caused it.
    pub source: String,
    /// When it was recorded.
    pub created_at: String,
    /// True if somebody reviewed it, on its machine or at the hub.
    pub reviewed: bool,
    /// Comments on it.
    #[ts(type = "number")]
    pub comments: u64,
    /// True if it came in with an import that its machine took back: the log there does not list it.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub undone: bool,
}

/// Asks for a page of what nobody reviewed.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct HubInboxReq {
    /// Where the page before ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub after: Option<String>,
    /// Memories of the page, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
    /// Only of this machine, by id or name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub machine: Option<String>,
}

/// Memories that nobody reviewed, each with its newest version, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubInbox {
    /// The versions.
    pub items: Vec<HubItem>,
    /// Where the next page begins; null after the last.
    pub next: Option<String>,
    /// All there are; with the first page alone. A hub counts up to ten thousand.
    #[ts(type = "number | null")]
    pub total: Option<u64>,
    /// There are more than `total`.
    pub total_is_least: bool,
}

/// Asks for the versions of a memory on all machines.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct HubHistoryReq {
    /// `STORE:PATH`; the store by id, or by a name that any machine gives it.
    pub memory: String,
    /// Where the page before ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub after: Option<String>,
    /// Versions of the page, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// Versions of a memory on all machines, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubHistory {
    /// The versions.
    pub versions: Vec<HubItem>,
    /// Where the next page begins; null after the last.
    pub next: Option<String>,
}

/// Names a version at the hub.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct HubShowReq {
    /// `memver_…`, or `memver_…@machine_…` where several machines have it.
    pub version: String,
    /// With its content.
    pub content: bool,
}

/// A version at the hub with what was said about it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubShown {
    /// The version.
    pub version: HubItem,
    /// Its content as text, where it was asked for, the hub has it, and it is text.
    pub text: Option<String>,
    /// Its content, where it is no text.
    pub content_base64: Option<String>,
    /// The version before it, of the same memory.
    pub before: Option<String>,
    /// Comments, oldest first.
    pub comments: Vec<HubComment>,
    /// Reviews made at the hub, oldest first.
    pub reviews: Vec<HubReview>,
    /// Findings of the rules about one content, by the rules of this machine, where the content was asked for and is at the hub.
    pub findings: Vec<Finding>,
}

/// A comment on a version.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubComment {
    /// Its number.
    #[ts(type = "number")]
    pub number: u64,
    /// The text; null where the version was redacted, or this role may not read it.
    pub text: Option<String>,
    /// Who.
    pub person: String,
    /// True if they signed in at the organisation's identity provider; else it is who their machine says.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub verified: bool,
    /// On which machine.
    pub machine_name: String,
    /// When.
    pub created_at: String,
    /// True if `hub_remove_comment` removes it for who asks: their own, and of an owner any.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub removable: bool,
}

/// Names a comment.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct HubCommentRef {
    /// Its number.
    #[ts(type = "number")]
    pub number: u64,
}

/// A review made at the hub.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubReview {
    /// `approved`.
    pub verdict: String,
    /// Who.
    pub person: String,
    /// True if they signed in at the organisation's identity provider; else it is who their machine says.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub verified: bool,
    /// On which machine.
    pub machine_name: String,
    /// When.
    pub created_at: String,
}

/// Compares two versions at the hub.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct HubDiffReq {
    /// The older version; where it is alone, it is compared with the one before it.
    pub a: String,
    /// The newer version.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub b: Option<String>,
}

/// Approves versions of any machine.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct HubApproveReq {
    /// `memver_…` each.
    pub versions: Vec<String>,
}

/// What was approved.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubApproved {
    /// Memories that were not reviewed up to there before.
    #[ts(type = "number")]
    pub memories: u64,
}

/// Comments on a version of any machine.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct HubCommentReq {
    /// The version.
    pub version: String,
    /// The text.
    pub text: String,
}

/// Projects that several machines have.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubProjects {
    /// The projects, by name.
    pub projects: Vec<HubProject>,
}

/// A project, and its stores on all machines.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubProject {
    /// `project_…`
    pub id: String,
    /// Name of the repository.
    pub name: String,
    /// Its stores.
    pub stores: Vec<HubProjectStore>,
}

/// A store of a project.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubProjectStore {
    /// The machine.
    pub machine: String,
    /// Its name.
    pub machine_name: String,
    /// The store.
    pub store: String,
    /// Its name.
    pub store_name: String,
}

/// Every redaction of the organisation, and how far it reached.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubRedactions {
    /// The redactions, newest first.
    pub redactions: Vec<HubRedaction>,
    /// What else may hold a copy, each a sentence.
    pub copies: Vec<Message>,
}

/// A redaction, and how far it reached: the receipt of all machines together.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubRedaction {
    /// `order_…`
    pub id: String,
    /// The machine that redacted.
    pub by: String,
    /// Its name.
    pub by_name: String,
    /// When.
    pub created_at: String,
    /// Way of choosing the versions: `versions`, `find` or `secret`.
    pub method: String,
    /// True if live files lose it as well.
    pub live: bool,
    /// Why.
    pub reason: Option<String>,
    /// Whether it goes to every machine.
    pub state: HubOrderState,
    /// Who approved it, where the policy asks for a second person.
    pub approved_by: Option<String>,
    /// True if they signed in at the organisation's identity provider.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub approved_verified: bool,
    /// The first of the two persons, where the hub knows who signed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub first_person: Option<String>,
    /// When.
    pub approved_at: Option<String>,
    /// Versions of other machines that lost path and content at the hub.
    #[ts(type = "number")]
    pub versions: u64,
    /// Contents that the hub destroyed, with their keys.
    #[ts(type = "number")]
    pub contents: u64,
    /// Comments and proposals that lost their text, or the part of it that was redacted.
    #[ts(type = "number")]
    #[serde(default)]
    pub texts: u64,
    /// Where the hub has it still, since nothing may be changed there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<HubTextLeft>>", optional)]
    pub left: Vec<HubTextLeft>,
    /// When the hub last destroyed something of it.
    pub destroyed_at: Option<String>,
    /// The machines concerned, the one that redacted included.
    pub machines: Vec<HubReach>,
    /// True if every machine concerned sent a receipt that verifies.
    pub complete: bool,
}

/// A place at the hub that holds what was redacted, and where nothing may be changed.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubTextLeft {
    /// `audit`: the audit log.
    pub place: String,
    /// How many rows of it.
    #[ts(type = "number")]
    pub rows: u64,
    /// Their numbers, of many the first hundred.
    #[ts(type = "Array<number>")]
    pub numbers: Vec<u64>,
    /// The same as a sentence.
    pub message: Message,
    /// What to do about it.
    pub hint: Message,
}

/// How far a redaction is on one machine.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubReach {
    /// The machine.
    pub machine: String,
    /// Its name.
    pub name: String,
    /// How far it is.
    pub state: HubReachState,
    /// Since when.
    pub since: String,
    /// When the machine was last seen.
    pub seen_at: String,
    /// True if it left the hub.
    pub left: bool,
    /// True if an owner removed it: its key is never taken again.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub removed: bool,
    /// Of one that left: the machine that carried this out in the same log, under another key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub carried_out_as: Option<String>,
    /// Of one that left: when an owner acknowledged that it will not carry this out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub acknowledged_at: Option<String>,
    /// The machine of that owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub acknowledged_by: Option<String>,
    /// True if it is asked to look again at what is left, at its next sync.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub recheck: bool,
    /// Its newest receipt.
    pub receipt: Option<HubReceipt>,
}

/// A receipt that a machine signed.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubReceipt {
    /// True if the machine's key signed exactly this body.
    pub verified: bool,
    /// When.
    pub created_at: String,
    /// Versions that were masked.
    #[ts(type = "number")]
    pub versions: u64,
    /// Live files that were changed.
    #[ts(type = "number")]
    pub live_files: u64,
    /// `done`, or `pending` while the bytes are in the files of the log.
    pub purge: String,
    /// Places where something was left, or that could not be looked at.
    #[ts(type = "number")]
    pub places_left: u64,
    /// Receipts in the machine's log.
    pub receipts: Vec<String>,
    /// Why it was refused.
    pub reason: Option<String>,
    /// The same in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub why: Option<Message>,
    /// The body, exactly as it was signed.
    pub body: String,
    /// The Ed25519 signature, base 64.
    pub signature: String,
    /// The machine's public key, base 64.
    pub public_key: String,
}

/// Names a redaction of the organisation.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct HubRedactionRef {
    /// `order_…`
    pub id: String,
}

/// Proposes a change to another machine.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubProposeReq {
    /// What it is to do.
    pub kind: HubProposalKind,
    /// Of a rollback: the version to put the memory back to. Of an edit: the version that is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub version: Option<String>,
    /// Of an edit: the new text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub text: Option<String>,
    /// Of a restore: the machine, by id or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub machine: Option<String>,
    /// Of a restore: the store there, by id or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub store: Option<String>,
    /// Of a restore: the instant, RFC 3339, or the number of an operation there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub at: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub note: Option<String>,
}

/// Names a proposal.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct HubProposalRef {
    /// `proposal_…`
    pub id: String,
}

/// Proposals, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubProposals {
    /// The proposals.
    pub proposals: Vec<HubProposal>,
}

/// A change that one machine proposes to another.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubProposal {
    /// `proposal_…`
    pub id: String,
    /// What it is to do.
    pub kind: HubProposalKind,
    /// What became of it.
    pub state: HubProposalState,
    /// The machine that is to carry it out.
    pub machine: String,
    /// Its name.
    pub machine_name: String,
    /// True if that is this machine.
    pub here: bool,
    /// The store.
    pub store: String,
    /// Its name.
    pub store_name: String,
    /// Path of the memory; null for a whole store.
    pub path: Option<String>,
    /// The version to put back.
    pub to: Option<String>,
    /// The instant to go back to.
    pub at: Option<String>,
    /// Hash that the live content must have.
    pub expects: Option<String>,
    /// Why.
    pub note: Option<String>,
    /// Who proposed it.
    pub person: String,
    /// True if they signed in at the organisation's identity provider; else it is who their machine says.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub person_verified: bool,
    /// On which machine.
    pub by_name: String,
    /// True if that is this machine, which alone may withdraw it.
    pub mine: bool,
    /// When.
    pub created_at: String,
    /// When it was carried out or refused.
    pub settled_at: Option<String>,
    /// The operation in the log of its machine.
    #[ts(type = "number | null")]
    pub operation_seq: Option<u64>,
    /// Why it was not done.
    pub reason: Option<String>,
    /// The same in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub why: Option<Message>,
    /// True if the machine's key signed the result; null before there is one.
    pub verified: Option<bool>,
}
