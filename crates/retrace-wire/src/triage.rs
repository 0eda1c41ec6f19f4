//! Unreviewed changes in the order in which a person needs them: what needs a decision, then the routine rest, both as a few
//! rows of which some stand for many changes.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks for everything this person has left to review, as rows.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct TriageReq {
    /// Only this store, id or name; all stores when absent.
    #[serde(default)]
    pub store: Option<String>,
    /// Only memories of this kind, as in `inbox`; all when absent.
    #[serde(default)]
    pub kind: Option<String>,
}

/// Everything left to review, as rows.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct Triage {
    /// Changes of all rows.
    pub total: u64,
    /// Changes of the rows in `needs`.
    pub needs_total: u64,
    /// Changes of the rows in `routine`: none of them has a finding of severity warning or error.
    pub routine_total: u64,
    /// Rows that need a decision, the most urgent first.
    pub needs: Vec<TriageRow>,
    /// The other rows: clusters, the largest first; then sessions and writers, newest first; then what is as it was.
    pub routine: Vec<TriageRow>,
    /// Rules that sessions broke and nobody saw yet, the newest first; at most 200. They need a person as rows in `needs` do, are no
    /// changes, and are left out where a store or a kind is asked for.
    #[serde(default)]
    pub broken: Vec<super::BrokenRule>,
    /// All of them.
    #[serde(default)]
    pub broken_total: u64,
}

/// A row: one change, or several that are reviewed together.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TriageRow {
    /// Names the row for as long as it is listed: `mem_…` of a single change, else a name of the cluster.
    pub id: String,
    /// What its changes have in common.
    pub kind: super::TriageKind,
    /// Why it needs a decision; null in `routine`.
    pub reason: Option<super::NeedReason>,
    /// The finding of the first change for which it does; null where the change itself is the reason.
    pub finding: Option<super::Finding>,
    /// The newest version of each change, newest first: what a review of the row names.
    pub versions: Vec<String>,
    /// The first of these as items; all of them where a row has few.
    pub items: Vec<super::InboxItem>,
    /// The stores of its changes, `memstore_…`.
    pub stores: Vec<String>,
    /// The session, where all changes are of one.
    pub session: Option<String>,
    /// Who; null where they are of several, or unknown.
    pub actor: Option<super::ActorView>,
    /// When the oldest of its changes was recorded.
    pub started_at: String,
    /// When the newest was.
    pub ended_at: String,
}

/// Asks for items by their newest versions.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct InboxItemsReq {
    /// Versions of a row of `triage`; 500 at most.
    pub versions: Vec<String>,
}

/// Items, as they are now.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct InboxItems {
    /// Those that are still left to review, in the order of the request.
    pub items: Vec<super::InboxItem>,
}

/// Asks for one difference that stands for those of several changes.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ClusterDifferenceReq {
    /// Versions of a row of `triage` whose kind is `same_edit`.
    pub versions: Vec<String>,
}

/// The difference of the first of several changes, with what is otherwise in the others.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ClusterDifference {
    /// Changes that were compared.
    pub members: u64,
    /// Changes that are left out: reviewed since, or of another form by now.
    pub others: u64,
    /// Its lines that came or went.
    pub lines: Vec<ClusterLine>,
}

/// A line that came or went in each of the changes.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ClusterLine {
    /// `insert` or `delete`.
    pub tag: super::LineTag,
    /// Its text in the first change.
    pub text: String,
    /// The stretch that changed, where the line replaces one: start, end.
    pub words: Vec<(u32, u32)>,
    /// Stretches that are otherwise in other changes.
    pub varies: Vec<Varying>,
    /// Characters a reader would not see.
    pub hidden: Vec<super::Hidden>,
}

/// A stretch of a line that is not the same in all changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Varying {
    /// Where it starts.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// Different texts at this place.
    pub values: u64,
}
