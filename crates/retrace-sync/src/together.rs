//! Requests and answers of what machines do to each other: redactions that reach all of them, proposals, reviews, comments.

use crate::messages::{Bytes, ListedVersion, PackedContent, RefusedCopy, hash};
use crate::people::SignedIn;
use crate::restored::Restored;
use retrace_model::{MachineId, OrderId, Sha256};
use serde::{Deserialize, Serialize};

/// Places of one order in one answer, at most.
pub const MAX_TARGETS: u64 = 1_000;

/// Raw bytes of contents in one answer, about.
pub const PAGE_BYTES: usize = 4 << 20;

/// Characters of a comment, a reason or a note, at most.
pub const MAX_TEXT: usize = 4_000;

/// Bytes of a receipt's body, at most.
pub const MAX_BODY: usize = 16 << 10;

/// The id of a redaction of a machine, made from its receipt there: the same whenever it is told.
#[must_use]
pub fn order_id(machine: MachineId, receipt: &str) -> OrderId {
    let digest = Sha256::of(&[b"retrace.hub.order.1\0", &machine.0[..], receipt.as_bytes()].concat());
    let mut id = [0; 16];
    id.copy_from_slice(&digest.0[..16]);
    OrderId(id)
}

/// A redaction of the asking machine, which is to reach all others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ordered {
    /// Its receipt on that machine, from which the order has its id.
    pub receipt: String,
    /// Live files are to lose it as well.
    pub live: bool,
    /// Why, where a reason was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How it was chosen: `versions`, `find` or `secret`.
    pub method: String,
    /// When.
    pub at: i64,
    /// The order that it carried out, where it is no redaction of the machine's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
}

/// Asks for a page of the contents of the other machines, to look for what was redacted here.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Search {
    /// Where the page before ended.
    #[serde(default)]
    pub after: Option<String>,
}

/// A page of contents.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Searched {
    /// The contents, each once.
    pub contents: Vec<PackedContent>,
    /// Where the next page begins; none after the last.
    pub next: Option<String>,
}

/// Names contents of other machines that hold what was redacted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Name {
    /// The redaction.
    pub order: Ordered,
    /// The contents.
    pub contents: Vec<Named>,
}

/// A content, and where in it the redacted bytes are. The bytes themselves are told to nobody.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Named {
    /// Hash of the raw bytes.
    #[serde(with = "hash")]
    pub sha256: Sha256,
    /// First byte and the one after the last, of each place.
    pub parts: Vec<(u64, u64)>,
}

/// What a hub did with an order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Reached {
    /// The order; none where nothing was left to do.
    pub order: Option<String>,
    /// Versions of other machines that lost path and content at the hub.
    pub versions: u64,
    /// Contents that the hub destroyed, with their keys.
    pub contents: u64,
    /// Comments and proposals that lost their text, or the part of it that was redacted.
    #[serde(default)]
    pub texts: u64,
    /// Other machines that hold such versions.
    pub machines: u64,
    /// True if a second person has to approve it first.
    pub waiting: bool,
}

/// Bytes of a text below which it occurs by chance: it is taken out of the content where it stood, and looked for nowhere else.
pub const SHORTEST: u64 = 12;

/// Asks for the orders that the asking machine has yet to carry out.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct AskOrders {
    /// True of a machine that takes a short text out of the named content alone. Another one would look for it everywhere.
    #[serde(default)]
    pub short_parts: bool,
}

/// Orders that the asking machine has yet to carry out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Orders {
    /// The orders, oldest first.
    pub orders: Vec<Order>,
    /// Orders whose last receipt says that something is left, and those at which this machine is asked to look again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<Unfinished>,
}

/// An order that was carried out and left something.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Unfinished {
    /// The order.
    pub order: String,
    /// Receipts in the log of the machine.
    pub receipts: Vec<String>,
    /// Places left, as its last receipt says.
    pub places_left: u64,
    /// The purge, as its last receipt says.
    pub purge: String,
    /// True if the machine is asked to look again.
    pub recheck: bool,
}

/// An order for one machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    /// `order_…`
    pub id: String,
    /// The machine that redacted.
    pub by: String,
    /// Its name.
    pub by_name: String,
    /// When it did.
    pub at: i64,
    /// Live files are to lose it as well.
    pub live: bool,
    /// Why.
    pub reason: Option<String>,
    /// Versions of the asking machine.
    pub targets: Vec<Target>,
}

/// A version to redact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// Its store.
    pub store: String,
    /// Its place in the log of the machine.
    pub local_seq: u64,
    /// Where in its content the redacted bytes are; the whole content where empty.
    #[serde(default)]
    pub parts: Vec<(u64, u64)>,
}

/// A receipt of a machine: [`ReceiptBody`] as JSON, and its signature of [`crate::sign::receipt_text`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SignedReceipt {
    /// The body, exactly as it was signed.
    pub body: String,
    /// The signature.
    pub signature: Bytes,
    /// The targets that it is about.
    pub targets: Vec<Target>,
}

/// What a machine did with an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiptBody {
    /// The order.
    pub order: String,
    /// The machine.
    pub machine: String,
    /// When.
    pub at: i64,
    /// `done` or `refused`.
    pub state: String,
    /// Versions that were masked.
    pub versions: u64,
    /// Live files that were changed.
    pub live_files: u64,
    /// `done`, or `pending` while the bytes are in the files of the log.
    pub purge: String,
    /// Places where something was left, or that could not be looked at.
    pub places_left: u64,
    /// Receipts in the log of the machine.
    pub receipts: Vec<String>,
    /// Head of the log's chain.
    pub chain_head: String,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Every redaction of the organisation, and how far it reached.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Redactions {
    /// The orders, newest first.
    pub orders: Vec<OrderState>,
    /// What else may hold a copy of the database.
    pub replicas: Replicas,
    /// Versions whose contents retention dropped at the hub. No search looks into them.
    #[serde(default)]
    pub expired: u64,
}

/// An order, and how far it reached.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OrderState {
    /// `order_…`
    pub id: String,
    /// The machine that redacted.
    pub by: String,
    /// Its name.
    pub by_name: String,
    /// When it did.
    pub at: i64,
    /// How it was chosen.
    pub method: String,
    /// Live files lose it as well.
    pub live: bool,
    /// Why.
    pub reason: Option<String>,
    /// `waiting` for a second person, or `ordered`.
    pub state: String,
    /// Who approved it, where that was asked for.
    pub approved_by: Option<String>,
    /// True if they signed in at the organisation's identity provider.
    #[serde(default)]
    pub approved_verified: bool,
    /// The first of the two persons, where the hub knows who signed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_person: Option<String>,
    /// When.
    pub approved_at: Option<i64>,
    /// Versions of other machines that lost path and content at the hub.
    pub versions: u64,
    /// Contents that the hub destroyed.
    pub contents: u64,
    /// Comments and proposals that lost their text, or the part of it that was redacted.
    #[serde(default)]
    pub texts: u64,
    /// Where the hub has it still, since nothing may be changed there.
    #[serde(default)]
    pub left: Vec<LeftAt>,
    /// When the hub last destroyed something of it.
    pub destroyed_at: Option<i64>,
    /// The machines concerned.
    pub machines: Vec<OrderMachine>,
}

/// A place at the hub where nothing may be changed, and that holds what was redacted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftAt {
    /// `audit`: the audit log.
    pub place: String,
    /// How many rows of it.
    pub rows: u64,
    /// Their numbers, of many the first.
    pub numbers: Vec<u64>,
}

/// A machine that an order concerns.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OrderMachine {
    /// The machine.
    pub machine: String,
    /// Its name.
    pub name: String,
    /// `outstanding`, `done` or `refused`.
    pub state: String,
    /// Since when.
    pub since: i64,
    /// When the machine was last seen.
    pub seen_at: i64,
    /// True if it left the hub.
    pub left: bool,
    /// True if an owner took it out: its key is never taken again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
    /// Of one that left: the machine that carried this out in the same log, under another key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried_out_as: Option<String>,
    /// Of one that left: when an owner said that it will not carry this out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged_at: Option<i64>,
    /// The machine of that owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged_by: Option<String>,
    /// True if it is asked to look again at what is left, at its next sync.
    #[serde(default)]
    pub recheck: bool,
    /// Its newest receipt.
    pub receipt: Option<KeptReceipt>,
}

/// A receipt as the hub keeps it, with what checks it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptReceipt {
    /// The body, exactly as it was signed.
    pub body: String,
    /// The signature.
    pub signature: Bytes,
    /// Public key of the machine, whose id is made from it.
    pub public_key: Bytes,
}

/// What else may hold a copy of the database.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Replicas {
    /// Replicas that stream from it now; none where the hub may not ask.
    pub standbys: Option<u64>,
    /// Of those, replicas that have replayed everything; none where the hub may not see that.
    pub caught_up: Option<u64>,
    /// Replication slots, which keep the write-ahead log; none where the hub may not ask.
    pub slots: Option<u64>,
    /// True if the write-ahead log is archived; none where the hub may not ask.
    pub archived: Option<bool>,
}

/// Names an order or a proposal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ById {
    /// Its id.
    pub id: String,
    /// Who asks, as the machine knows them.
    #[serde(default)]
    pub person: String,
}

/// Says what is left to review in a store of the asking machine; everything else up to `through` is reviewed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Left {
    /// The store.
    pub store: String,
    /// The last place in the log of the machine that this is about.
    pub through: u64,
    /// Memories with something left.
    pub left: Vec<LeftMemory>,
}

/// A memory with something left to review.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LeftMemory {
    /// The memory.
    pub memory: String,
    /// The last place in the log that was reviewed; 0 when nothing was.
    pub base: u64,
}

/// Says which imports of a store the asking machine took back; every other one counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Withdrawn {
    /// The store.
    pub store: String,
    /// Operations in the log of the machine.
    pub operations: Vec<u64>,
}

/// Asks for reviews that were made at the hub of memories of the asking machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Decided {
    /// The number of the last one that is known.
    pub after: u64,
}

/// Reviews made at the hub.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Decisions {
    /// The reviews, oldest first.
    pub decisions: Vec<HubDecision>,
}

/// A review made at the hub.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HubDecision {
    /// Its number.
    pub number: u64,
    /// The store.
    pub store: String,
    /// The memory.
    pub memory: String,
    /// The version that was looked at, by its place in the log of the machine.
    pub local_seq: u64,
    /// `approved`.
    pub verdict: String,
    /// Who.
    pub person: String,
    /// True if they signed in at the organisation's identity provider; else it is who their machine says.
    #[serde(default)]
    pub verified: bool,
    /// On which machine.
    pub by_name: String,
    /// When.
    pub at: i64,
}

/// Approves versions, each named as in [`VersionRef`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Approve {
    /// `memver_…`, or `memver_…@machine_…` where several machines have it.
    pub versions: Vec<String>,
    /// Who approves.
    pub person: String,
}

/// How many memories were approved.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Approved {
    /// Memories.
    pub memories: u64,
}

/// Names a version.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VersionRef {
    /// `memver_…`, or `memver_…@machine_…` where several machines have it.
    pub version: String,
    /// With its content.
    #[serde(default)]
    pub content: bool,
}

/// A version with what was said about it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Shown {
    /// The version.
    pub version: HubVersionRow,
    /// Its content, where it was asked for and the hub has it.
    pub content: Option<PackedContent>,
    /// The version before it, of the same memory.
    pub before: Option<String>,
    /// Comments, oldest first.
    pub comments: Vec<HubCommentRow>,
    /// Reviews at the hub, oldest first.
    pub reviews: Vec<HubReviewRow>,
}

/// A version with its id.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HubVersionRow {
    /// `memver_…`
    pub id: String,
    /// The row.
    #[serde(flatten)]
    pub row: ListedVersion,
    /// Project of its store; none where the store is of none.
    pub project: Option<String>,
    /// True if somebody reviewed it, on its machine or at the hub.
    pub reviewed: bool,
    /// Comments on it.
    pub comments: u64,
}

/// A comment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HubCommentRow {
    /// Its number.
    pub number: u64,
    /// The text; none when the version was redacted.
    pub text: Option<String>,
    /// Who.
    pub person: String,
    /// True if they signed in at the organisation's identity provider; else it is who their machine says.
    #[serde(default)]
    pub verified: bool,
    /// On which machine.
    pub by_name: String,
    /// When.
    pub at: i64,
    /// True if whoever asks may remove it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removable: bool,
}

/// Removes a comment: an own one, or any where an owner asks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RemoveComment {
    /// Its number.
    pub number: u64,
}

/// A comment was removed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CommentRemoved {
    /// The version that it was on.
    pub version: String,
}

/// A review at the hub.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HubReviewRow {
    /// `approved`.
    pub verdict: String,
    /// Who.
    pub person: String,
    /// True if they signed in at the organisation's identity provider; else it is who their machine says.
    #[serde(default)]
    pub verified: bool,
    /// On which machine.
    pub by_name: String,
    /// When.
    pub at: i64,
}

/// Comments on a version.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comment {
    /// The version.
    pub version: String,
    /// The text.
    pub text: String,
    /// Who.
    pub person: String,
}

/// Asks for a page of what nobody reviewed, newest first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct AskInbox {
    /// Where the page before ended.
    #[serde(default)]
    pub after: Option<String>,
    /// Memories of the page, at most.
    pub limit: u64,
    /// Only of this machine.
    #[serde(default)]
    pub machine: Option<String>,
}

/// Asks for a page of the versions at one path, newest first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct AskHistory {
    /// Id or name of the store. Of a name, the stores of every machine that have it, and of their projects.
    pub store: String,
    /// Bytes of the path.
    pub path: Bytes,
    /// Where the page before ended.
    #[serde(default)]
    pub after: Option<String>,
    /// Versions of the page, at most.
    pub limit: u64,
}

/// Counts of what is left to review stop after so many: whoever sees ten thousand needs no exact number, and each page would
/// wait for it.
pub const MAX_COUNTED: u64 = 10_000;

/// A page of versions with their ids.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RowPage {
    /// The versions.
    pub versions: Vec<HubVersionRow>,
    /// Where the next page begins; none after the last.
    pub next: Option<String>,
    /// All there are, where that was counted; one more than [`MAX_COUNTED`] where there are more.
    #[serde(default)]
    pub total: Option<u64>,
}

/// Says which project a store is of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OfProject {
    /// The store.
    pub store: String,
    /// Hash of the repository's remote; none where the store is of none.
    #[serde(default)]
    pub remote: Option<String>,
    /// Name of the repository, for people.
    #[serde(default)]
    pub name: String,
}

/// Projects, and the stores of each.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Projects {
    /// The projects, by name.
    pub projects: Vec<Project>,
}

/// A project on several machines.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Project {
    /// `project_…`
    pub id: String,
    /// Name of the repository.
    pub name: String,
    /// Its stores.
    pub stores: Vec<ProjectStore>,
}

/// A store of a project.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProjectStore {
    /// The machine.
    pub machine: String,
    /// Its name.
    pub machine_name: String,
    /// The store.
    pub store: String,
    /// Its name.
    pub store_name: String,
}

/// Proposes a change of a store of another machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Propose {
    /// `rollback`, `edit` or `restore`.
    pub kind: String,
    /// Of a rollback: the version to put the memory back to. Of an edit: the version that is to be replaced.
    #[serde(default)]
    pub version: Option<String>,
    /// Of a restore: the machine.
    #[serde(default)]
    pub machine: Option<String>,
    /// Of a restore: the store.
    #[serde(default)]
    pub store: Option<String>,
    /// Of a restore: the instant, as `retrace restore --at` takes it.
    #[serde(default)]
    pub at: Option<String>,
    /// Of an edit: the new content.
    #[serde(default)]
    pub content: Option<PackedContent>,
    /// Why.
    #[serde(default)]
    pub note: Option<String>,
    /// Who proposes.
    pub person: String,
}

/// Asks for proposals.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct AskProposals {
    /// Only those for the asking machine that wait, with their contents.
    #[serde(default)]
    pub to_carry_out: bool,
    /// Of those to carry out, only this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Of those to carry out, only those for these stores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stores: Option<Vec<String>>,
}

/// Proposals, newest first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Proposals {
    /// The proposals.
    pub proposals: Vec<Proposal>,
}

/// A proposal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Proposal {
    /// `proposal_…`
    pub id: String,
    /// `rollback`, `edit` or `restore`.
    pub kind: String,
    /// The machine that is to carry it out.
    pub machine: String,
    /// Its name.
    pub machine_name: String,
    /// The store.
    pub store: String,
    /// Its name.
    pub store_name: String,
    /// Path of the memory; none for a whole store.
    pub path: Option<Bytes>,
    /// The version to put back.
    pub to: Option<String>,
    /// Of a restore: the instant.
    pub at: Option<String>,
    /// Hash that the live content must have; none where there must be no file, or for a whole store.
    pub expects: Option<String>,
    /// Of a restore: the last version of the store that the proposer saw, by its place in the log of the machine.
    pub expects_seq: Option<u64>,
    /// Of an edit, for the machine that is to carry it out: the content.
    pub content: Option<PackedContent>,
    /// Why.
    pub note: Option<String>,
    /// Who proposed it.
    pub person: String,
    /// True if they signed in at the organisation's identity provider; else it is who their machine says.
    #[serde(default)]
    pub verified: bool,
    /// On which machine.
    pub by: String,
    /// Its name.
    pub by_name: String,
    /// When.
    pub proposed_at: i64,
    /// `waiting`, `done`, `conflict`, `refused` or `withdrawn`.
    pub state: String,
    /// The result, with what checks it.
    pub result: Option<KeptReceipt>,
}

/// The result of a proposal: [`ResultBody`] as JSON, and its signature of [`crate::sign::result_text`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SignedResult {
    /// The body, exactly as it was signed.
    pub body: String,
    /// The signature.
    pub signature: Bytes,
}

/// What a machine did with a proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultBody {
    /// The proposal.
    pub proposal: String,
    /// The machine.
    pub machine: String,
    /// When.
    pub at: i64,
    /// `done`, `conflict` or `refused`.
    pub state: String,
    /// The operation in the log of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_seq: Option<u64>,
    /// Why it was not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What waits for the asking machine.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Waiting {
    /// Orders that it has yet to carry out.
    pub orders: u64,
    /// Orders of the organisation that some machine has yet to carry out.
    pub outstanding: u64,
    /// Orders that wait for a second person.
    pub to_approve: u64,
    /// Proposals that wait for it.
    pub proposals: u64,
    /// Memories of all machines that nobody reviewed; one more than [`MAX_COUNTED`] where there are more.
    pub unreviewed: u64,
    /// The role that it has now; an owner may have changed it since it joined.
    #[serde(default)]
    pub role: Option<String>,
    /// Who is signed in there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_in: Option<SignedIn>,
    /// The copy of its data directory that was refused last, for thirty days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<RefusedCopy>,
    /// The last time that the database was put back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored: Option<Restored>,
}
