//! Health of stores, what could go, and acts on single entries of a memory.

use super::{ActorView, FigureKind, Finding, LoadReason, ReasonCount};
use crate::{ExpiryKind, IndexLimit};
use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks how healthy stores are.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct HealthReq {
    /// Only this store, id or name; every listed store when absent.
    #[serde(default)]
    pub store: Option<String>,
    /// Also read the transcripts of this machine for what was loaded. The first time this takes as long as reading them;
    /// `cancel` with `health` stops it.
    #[serde(default)]
    pub loads: bool,
}

/// Health of stores.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Health {
    /// One row a store, by name.
    pub stores: Vec<StoreHealth>,
    /// Every finding, the worst first; then by store, path and place.
    pub findings: Vec<StoreFinding>,
    /// Findings that are errors.
    pub errors: u64,
    /// Findings that are warnings.
    pub warnings: u64,
    /// Findings that are notes.
    pub notes: u64,
    /// Transcripts that tell what they loaded; null when they were not asked for.
    pub sessions_telling: Option<u64>,
    /// True if reading the transcripts was stopped, so that what was loaded is not fully known.
    pub cancelled: bool,
}

/// A finding and whose it is.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct StoreFinding {
    /// `memstore_…`
    pub store_id: String,
    /// The memory at that path; null when it is not recorded yet, or the whole store is meant.
    pub memory_id: Option<String>,
    /// Finding.
    pub finding: Finding,
}

/// Health of one store.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct StoreHealth {
    /// `memstore_…`
    pub store_id: String,
    /// Its name.
    pub name: String,
    /// Whose memory it holds.
    pub kind: super::StoreKind,
    /// Why it could not be looked at or only in part, each a sentence.
    pub problems: Vec<Message>,
    /// Files in the directory now.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Its indexes, by path. Those that sessions of the project load come from the top directory and `team/`.
    pub indexes: Vec<IndexHealth>,
    /// Tokens that its indexes cost each session: what is loaded of those marked `each_session`.
    pub index_tokens: u64,
    /// Kind of the tokens.
    pub tokens_kind: FigureKind,
    /// Against the limits of a hosted store.
    pub hosted: HostedFit,
    /// Findings that are errors.
    pub errors: u64,
    /// Findings that are warnings.
    pub warnings: u64,
    /// Findings that are notes.
    pub notes: u64,
    /// Findings that comments in memories allow.
    pub allowed: u64,
    /// Findings by group, in the order of the groups' names; groups without any are left out.
    pub groups: Vec<GroupCount>,
    /// When it last changed, and by whom.
    pub last_write_at: Option<String>,
    /// Who did that; null when unknown.
    pub last_write_by: Option<ActorView>,
    /// When the person at this machine last reviewed anything of it.
    pub last_review_at: Option<String>,
    /// Changes left to review.
    pub unreviewed: u64,
    /// Loads by sessions; null when that was not asked for.
    pub loads: Option<StoreLoads>,
    /// Proposals of what could go ([`super::Expiry`]), as far as they can be made without transcripts where these were not
    /// asked for.
    pub expiry: u64,
}

/// An index against its limits.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct IndexHealth {
    /// Its path.
    pub path: String,
    /// Lines as the agent counts them: front matter and block comments left out.
    pub lines: u64,
    /// Bytes as the agent counts them.
    pub bytes: u64,
    /// Lines that are loaded at most.
    pub max_lines: u64,
    /// Bytes that are loaded at most.
    pub max_bytes: u64,
    /// First line of the file that is not loaded, from 1; null when all of it is.
    pub cut_line: Option<u32>,
    /// Lines of the file from there on.
    pub lost_lines: u64,
    /// Tokens of what is loaded, counted offline as the newest models count.
    pub tokens: u64,
    /// True if every session of the project loads it.
    pub each_session: bool,
}

/// A store against the limits of a hosted one.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HostedFit {
    /// Memories a hosted store takes at most.
    pub max_memories: u64,
    /// Bytes it takes at most in one memory.
    pub max_bytes: u64,
    /// Bytes of the largest file.
    pub largest_bytes: u64,
    /// Files that are too large for it.
    pub too_large: u64,
    /// Files whose path it would refuse.
    pub bad_paths: u64,
}

/// Findings of one group of rules.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct GroupCount {
    /// The part of the rules' ids before the slash.
    pub group: String,
    /// Errors.
    pub errors: u64,
    /// Warnings.
    pub warnings: u64,
    /// Notes.
    pub notes: u64,
}

/// Loads of a store by sessions. Only transcripts of main conversations on this machine are known; a session concerns
/// the store when it ran in its project, or loaded any of its memories.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct StoreLoads {
    /// Sessions that concern the store and tell what they loaded.
    pub sessions: u64,
    /// When a memory of it was last loaded.
    pub last_loaded_at: Option<String>,
    /// The memory that was loaded then, and in how many sessions each was: by path.
    pub memories: Vec<MemoryLoads>,
    /// Memories that none of them loaded.
    pub never_loaded: u64,
}

/// Asks which sessions loaded a memory.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct MemoryLoadsReq {
    /// The memory, `STORE:PATH`.
    pub memory: String,
}

/// Sessions that loaded a memory. Only main conversations on this machine are known.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct MemoryLoaded {
    /// Sessions that concern the store and tell what they loaded.
    pub sessions: u64,
    /// Sessions that loaded the memory.
    pub loaded: u64,
    /// By reason: sessions that loaded it for it, the most first.
    pub reasons: Vec<ReasonCount>,
    /// The sessions that loaded it, the newest first; at most 500.
    pub rows: Vec<LoadingSession>,
    /// True if reading was stopped, so that more may have loaded it.
    pub cancelled: bool,
}

/// A session that loaded a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LoadingSession {
    /// The session's id.
    pub session: String,
    /// Its title, where it has one.
    pub title: Option<String>,
    /// Directory it ran in.
    pub project: Option<String>,
    /// When it was loaded last, as the client's hook told; else when the session came to its end.
    pub at: Option<String>,
    /// Why it was loaded, each reason once.
    pub reasons: Vec<LoadReason>,
    /// True if the client's hook told it.
    pub hook: bool,
}

/// In how many sessions one memory was loaded.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct MemoryLoads {
    /// Its path.
    pub path: String,
    /// Sessions.
    pub sessions: u64,
    /// When it last was; null for never.
    pub last_loaded_at: Option<String>,
    /// Why.
    #[serde(default)]
    pub reasons: Vec<super::ReasonCount>,
}

/// Asks what could go.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ExpiryReq {
    /// Only this store, id or name; every listed store when absent.
    #[serde(default)]
    pub store: Option<String>,
    /// Also read transcripts, for memories that no session loads; as in [`HealthReq`].
    #[serde(default)]
    pub loads: bool,
    /// Days without being loaded or changed after which a memory is proposed; 90 when absent.
    #[serde(default)]
    pub unloaded_days: Option<u32>,
    /// Age in days from which a daily log is proposed; 90 when absent.
    #[serde(default)]
    pub log_days: Option<u32>,
}

/// Proposals of memories to remove. Nothing goes by itself: `expire` takes what a person chose.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Expiry {
    /// Proposals, by store and path; a memory occurs once.
    pub proposals: Vec<ExpiryProposal>,
    /// Days that were applied to memories nobody loads.
    pub unloaded_days: u32,
    /// Days that were applied to daily logs.
    pub log_days: u32,
    /// True if transcripts were read.
    pub loads: bool,
    /// True if reading them was stopped.
    pub cancelled: bool,
}

/// A memory that could go, and why.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ExpiryProposal {
    /// `memstore_…`
    pub store_id: String,
    /// Its path.
    pub path: String,
    /// `mem_…`
    pub memory_id: String,
    /// Hash it has in the log; `expire` removes nothing else.
    pub content_sha256: String,
    /// Its size in bytes.
    pub content_size_bytes: u64,
    /// When it last changed.
    pub changed_at: String,
    /// Why, the strongest reason first.
    pub reasons: Vec<ExpiryReason>,
    /// Lines of indexes that link to it and would go with it.
    pub index_lines: Vec<IndexLine>,
}

/// Why a memory could go.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ExpiryReason {
    /// `unloaded`, `old_log`, `date_past` or `duplicate`.
    pub kind: ExpiryKind,
    /// The evidence, a sentence.
    pub message: Message,
    /// The line it is about; null for the file as a whole.
    pub line: Option<u32>,
}

/// A line of an index.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct IndexLine {
    /// The index.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// Its text.
    pub text: String,
}

/// Removes memories and the lines of indexes that link to them, as one operation that `undo` takes back.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ExpireReq {
    /// Store, id or name.
    pub store: String,
    /// Memories to remove.
    pub memories: Vec<ExpireMemory>,
    /// Say what would be done, and do nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// A memory that goes.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ExpireMemory {
    /// Its path.
    pub path: String,
    /// Hash it must have now; the newest version's when absent.
    #[serde(default)]
    pub expect: Option<String>,
}

/// Moves lines of an index into a topic file: both files change in one operation that `undo` takes back.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct MoveEntryReq {
    /// Store, id or name.
    pub store: String,
    /// The index.
    pub path: String,
    /// First line that moves, from 1.
    pub line: u32,
    /// Last line that moves. Without it, a list item moves with the lines that belong to it.
    #[serde(default)]
    pub end_line: Option<u32>,
    /// The topic file; it is made where there is none.
    pub to: String,
    /// Hash the index must have now; the newest version's when absent.
    #[serde(default)]
    pub expect: Option<String>,
    /// Hash the topic file must have now.
    #[serde(default)]
    pub expect_to: Option<String>,
    /// Say what would be done, and do nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// Writes a comment into a memory that allows a rule at a place, as an operation that `undo` takes back.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct AllowFindingReq {
    /// Store, id or name.
    pub store: String,
    /// The memory.
    pub path: String,
    /// The line the finding is on; for the file as a whole when absent.
    #[serde(default)]
    pub line: Option<u32>,
    /// The rule, `group/name`.
    pub rule: String,
    /// Why; one line.
    #[serde(default)]
    pub reason: Option<String>,
    /// Hash the file must have now; the newest version's when absent.
    #[serde(default)]
    pub expect: Option<String>,
    /// Say what would be done, and do nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// Takes characters that are not seen out of a memory, as an operation that `undo` takes back.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct StripCharactersReq {
    /// Store, id or name.
    pub store: String,
    /// The memory.
    pub path: String,
    /// Only what this rule finds, `hidden/name`; all rules of hidden characters when absent.
    #[serde(default)]
    pub rule: Option<String>,
    /// Only the finding whose first byte this is.
    #[serde(default)]
    pub start: Option<u64>,
    /// Only on this line, from 1.
    #[serde(default)]
    pub line: Option<u32>,
    /// Hash the file must have now; the newest version's when absent.
    #[serde(default)]
    pub expect: Option<String>,
    /// Say what would be done, and do nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// The rules, and what the person at this machine set of their own.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct FindingRules {
    /// Every rule.
    pub rules: Vec<FindingRule>,
    /// Where a person's own settings are kept.
    pub own_file: String,
}

/// One rule.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct FindingRule {
    /// `group/name`.
    pub id: String,
    /// Default severity of its findings.
    pub severity: super::Severity,
    /// True if it is on by default.
    pub on: bool,
    /// Setting of the person: `off`, `on`, `note`, `warning` or `error`; null for nothing. It wins over the
    /// configuration of a directory.
    pub own: Option<String>,
    /// The hub whose organisation keeps the rule on, whatever is set; absent where nobody does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub required_by: Option<String>,
    /// Explanation of what it searches for and why that matters.
    pub explanation: String,
    /// Advice for its findings.
    pub remedy: String,
}

/// Sets one rule for every store of this person.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct SetFindingRule {
    /// The rule, `group/name`, or `group` for each of its rules.
    pub rule: String,
    /// `off`, `on`, `note`, `warning` or `error`; null takes the setting away.
    #[serde(default)]
    pub setting: Option<String>,
}

/// Where an index stops being loaded, measured as the agent measures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct IndexCut {
    /// The line, from 1, on which the first byte stands that is not loaded.
    pub line: u32,
    /// Lines of the file from there on.
    pub lost: u64,
    /// Limit that was met first: `lines` or `bytes`.
    pub limit: IndexLimit,
    /// Size of that limit.
    pub size: u64,
}
