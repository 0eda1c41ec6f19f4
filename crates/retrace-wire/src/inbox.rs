//! Unreviewed changes, and what came of a review.

use crate::{ActResult, ApiError, Code};
use crate::{ApprovalDirection, SkipReason};
use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks for a page of what this person has left to review.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct InboxReq {
    /// Only this store, id or name; all stores when absent.
    #[serde(default)]
    pub store: Option<String>,
    /// Only memories of this kind: `index`, `topic`, `topic:TYPE` with the type of the front matter, `daily_log`,
    /// `instructions`, `other`; or whose they are: `team`, `agent_user`, `agent_project`, `agent_local`. All when absent.
    #[serde(default)]
    pub kind: Option<String>,
    /// The `next_before` of the page before; the first page when absent.
    #[serde(default)]
    pub before: Option<String>,
    /// At most so many items; 50 when absent, 500 at most.
    #[serde(default)]
    pub limit: Option<u64>,
}

/// Unreviewed changes, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Inbox {
    /// The groups of this page. One that does not end on it goes on with the same id on the next.
    pub groups: Vec<InboxGroup>,
    /// Items on all pages: what a badge shows, where neither a store nor a kind was asked for.
    pub total: u64,
    /// Groups on all pages.
    pub groups_total: u64,
    /// Asks for the next page; null on the last. Its form means nothing to clients. It goes on to ask for the items behind this
    /// page when some of the list were reviewed or came since.
    pub next_before: Option<String>,
}

/// Asks how many items are of which kind.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct InboxKindsReq {
    /// Only this store, id or name; all stores when absent.
    #[serde(default)]
    pub store: Option<String>,
}

/// Number of items of each kind. An item may be of several.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct InboxKinds {
    /// Items of every kind.
    pub total: u64,
    /// Kinds that items are of: classes, then types of topics, then whose they are.
    pub kinds: Vec<KindCount>,
}

/// Number of items of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct KindCount {
    /// The kind, as `inbox` takes it.
    pub kind: String,
    /// Items of it.
    pub count: u64,
}

/// Changes that belong together: those of a session, or, where no session is known, changes of one store by one writer that
/// followed each other closely.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct InboxGroup {
    /// Names the group as it is now; something new in it gives it another name, so that nobody approves what they did not see.
    /// Where the list is of one store or one kind, that is part of the name: `group_7@memstore_…`, `group_7:index`.
    pub id: String,
    /// The session, where it is known. What a person put back is in the group of who wrote it.
    pub session: Option<String>,
    /// Who; null when unknown.
    pub actor: Option<super::ActorView>,
    /// When the oldest of its items changed last.
    pub started_at: String,
    /// When the newest did.
    pub ended_at: String,
    /// Items on all pages.
    pub total: u64,
    /// Items of this page, newest first.
    pub items: Vec<InboxItem>,
}

/// One memory that changed since it was last reviewed. What cannot be read (binary, too large, redacted) is an item too.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct InboxItem {
    /// `memstore_…`
    pub store_id: String,
    /// `mem_…`
    pub memory_id: String,
    /// Path now, or the last one of a deleted memory; null when redacted.
    pub path: Option<String>,
    /// Path when it was last reviewed, where that is another.
    pub previous_path: Option<String>,
    /// From what was last reviewed to now: `created`, `changed`, `moved` (with or without other content), `deleted`.
    pub verb: super::ItemVerb,
    /// The version last reviewed, or of the baseline; null when there is none.
    pub base_version_id: Option<String>,
    /// The newest version: what a review of this item names.
    pub version_id: String,
    /// Versions since the reviewed one, the newest included.
    pub versions: u64,
    /// The operation of the newest version.
    pub operation_seq: u64,
    /// When that was recorded.
    pub created_at: String,
    /// Who wrote it; null when unknown. Where a person put it back, the one who wrote it first.
    pub created_by: Option<super::ActorView>,
    /// Act of a person that put back what was written before.
    #[serde(default)]
    pub put_back: Option<super::PutBack>,
    /// Cause, as in `Version`.
    pub source: super::ChangeSource,
    /// Why, where a reason was given.
    pub note: Option<Message>,
    /// `text`, `binary`, `too_large` or `redacted`; null when deleted.
    pub content_kind: Option<super::ContentKind>,
    /// Bytes last reviewed; 0 when there was nothing, null when redacted.
    pub base_size_bytes: Option<u64>,
    /// Bytes now; 0 when deleted, null when redacted.
    pub content_size_bytes: Option<u64>,
    /// The difference of the two.
    pub size_change: Option<i64>,
    /// Tokens last reviewed, counted offline; null for what is no text, was redacted, or is too large to be kept.
    pub base_tokens: Option<u64>,
    /// Tokens now, likewise.
    pub tokens: Option<u64>,
    /// The difference of the two.
    pub token_change: Option<i64>,
    /// Kind of the tokens.
    pub tokens_kind: super::FigureKind,
    /// This person rejected the same content, or the same deletion, before.
    pub reappeared: bool,
    /// Lines that came since `base_version_id`; null where a side is no text, redacted or too large to be kept. Of sides above
    /// 256 KiB a line that only moved counts neither as added nor as removed.
    pub added: Option<u64>,
    /// Lines that went.
    pub removed: Option<u64>,
    /// Kind of the memory.
    pub kind: super::MemoryKind,
    /// Who wrote it, and why, where that was looked up.
    pub origin: Option<super::OriginNote>,
    /// Findings of the content as it is now, and with the change itself; secrets are masked.
    pub findings: Vec<super::Finding>,
}

/// Reviews items.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ReviewReq {
    /// The newest versions as the person saw them, `memver_…`, one an item.
    pub versions: Vec<String>,
    /// `approve`, or `reject`: put the memories back to what was last reviewed.
    pub verdict: String,
    /// With `approve` and one version: the final text, which is written first.
    #[serde(default)]
    pub text: Option<String>,
    /// With `text`: hash the file must have now; that of the version when absent.
    #[serde(default)]
    pub expected_sha256: Option<String>,
    /// With `approve` and several versions: approve also those with findings of severity error, which are left otherwise.
    #[serde(default)]
    pub with_findings: bool,
    /// The same for these of the versions alone.
    #[serde(default)]
    pub ticked: Vec<String>,
    /// Why.
    #[serde(default)]
    pub note: Option<String>,
    /// Say what would be done, and do nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// Says that everything recorded up to some point is reviewed.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ReviewUpToReq {
    /// A version, `memver_…`; an operation's number; or a time, RFC 3339.
    pub up_to: String,
    /// Only in this store, id or name; all stores when absent.
    #[serde(default)]
    pub store: Option<String>,
    /// Only memories that `inbox` lists under this kind; all when absent.
    #[serde(default)]
    pub kind: Option<String>,
    /// Approve also items with findings of severity error, which are left otherwise.
    #[serde(default)]
    pub with_findings: bool,
    /// The same for the items of these versions alone, as a preview names them.
    #[serde(default)]
    pub ticked: Vec<String>,
    /// Why.
    #[serde(default)]
    pub note: Option<String>,
    /// Say what would be done, and do nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// Takes a review back. Where files were changed by it, they are put back as they were before.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct UndoReviewReq {
    /// The review; this person's newest one that counts when absent.
    #[serde(default)]
    pub review_seq: Option<u64>,
    /// Say what would be done, and do nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// Asks for a report of a review, as one HTML file.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ReviewReportReq {
    /// Only this store, id or name; all stores when absent.
    #[serde(default)]
    pub store: Option<String>,
    /// Only what happened at or after this time, RFC 3339; everything when absent.
    #[serde(default)]
    pub since: Option<String>,
}

/// Result of a review, or its preview with `dry_run`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct Reviewed {
    /// Nothing was done.
    pub dry_run: bool,
    /// Number of the review, by which it is taken back; null when there is none.
    pub review_seq: Option<u64>,
    /// Items that were reviewed; with the undo of a review, those it was about.
    pub done: Vec<ReviewedItem>,
    /// Items that were left as they are.
    pub skipped: Vec<SkippedItem>,
    /// Changes of files; null when the review is not about files.
    pub act: Option<super::ActResult>,
    /// Summary of an approval of several items; null for other reviews.
    #[serde(default)]
    pub approval: Option<Approval>,
}

/// Summary of an approval of several items: how many, which, and what the rules find among them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Approval {
    /// `named`: the versions of the request. `up_to`: what was recorded up to a point, and everything before it.
    pub direction: ApprovalDirection,
    /// Items that are approved: the rows of `done`.
    pub approved: u64,
    /// Items that are left because of findings of severity error: the rows of `skipped` with the reason `findings`.
    pub left: u64,
    /// Time of the oldest version among both; null where there is none.
    pub oldest_at: Option<String>,
    /// Time of the newest.
    pub newest_at: Option<String>,
    /// Findings of both, the worst first.
    pub findings: Vec<RuleCount>,
}

/// Number of items with a finding of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RuleCount {
    /// The rule, as in `Finding`.
    pub rule: String,
    /// `error`, `warning` or `note`.
    pub severity: super::Severity,
    /// Items with such a finding.
    pub items: u64,
}

/// An item that was reviewed.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ReviewedItem {
    /// The version the person saw.
    pub version_id: String,
    /// `memstore_…`
    pub store_id: String,
    /// `mem_…`
    pub memory_id: String,
    /// Its path; null when redacted.
    pub path: Option<String>,
    /// `approved`, `edited`, `rejected`, `up_to` or `undone`.
    pub verdict: super::Verdict,
}

/// An item that was left as it is.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkippedItem {
    /// The version that was named.
    pub version_id: String,
    /// `memstore_…`
    pub store_id: String,
    /// `mem_…`
    pub memory_id: String,
    /// Its path; null when redacted.
    pub path: Option<String>,
    /// `stale`: it changed since it was looked at; `already_reviewed`; `findings`: it was not named alone and has findings of
    /// severity error; `base_redacted`, `base_too_large`: what it would be put
    /// back to is not there; `too_large`: its content is not kept, so it is not replaced.
    pub reason: SkipReason,
    /// The reason as a sentence.
    pub message: Message,
    /// The version last reviewed; null when there is none.
    pub base_version_id: Option<String>,
    /// The version that is there now, where it is recorded.
    pub found_version_id: Option<String>,
    /// With the reason `findings`: those of severity error. Empty otherwise.
    #[serde(default)]
    pub findings: Vec<super::Finding>,
}

impl Reviewed {
    /// The error that goes with items that were skipped, because they changed or cannot be put back: a shell shows both.
    #[must_use]
    pub fn conflict_error(&self) -> Option<ApiError> {
        let stale: Vec<&SkippedItem> = self.skipped.iter().filter(|item| item.reason == "stale").collect();
        let Some(first) = stale.first() else {
            let failed = self.act.as_ref().and_then(ActResult::conflict_error);
            return failed.or_else(|| self.left_error()).or_else(|| self.imported_error());
        };
        let message = match stale.len() {
            1 => say::memory_changed_since_looked_left(),
            many => say::memories_changed_since_they_looked(many),
        };
        let subject = first.path.as_deref().unwrap_or(&first.version_id);
        Some(ApiError::new(Code::HeadMoved, message, subject).hint(say::look_inbox_again_then_repeat()))
    }
}

impl Reviewed {
    /// The error of a review of versions in which nothing is reviewed.
    fn imported_error(&self) -> Option<ApiError> {
        let first = self.skipped.iter().find(|item| item.reason == SkipReason::Imported)?;
        let subject = first.path.as_deref().unwrap_or(&first.version_id);
        Some(ApiError::new(Code::NotFound, first.message.clone(), subject).hint(say::list_what_is_left()))
    }

    /// The error of a review that left items, because what would be put back is not there any more, or what would be replaced
    /// is not kept.
    fn left_error(&self) -> Option<ApiError> {
        let is_left = |item: &&SkippedItem| {
            matches!(item.reason, SkipReason::BaseRedacted | SkipReason::BaseTooLarge | SkipReason::TooLarge)
        };
        let left: Vec<&SkippedItem> = self.skipped.iter().filter(is_left).collect();
        let first = left.first()?;
        let code = match first.reason {
            SkipReason::BaseRedacted if self.done.is_empty() => Code::ContentRedacted,
            _ => Code::HeadMoved,
        };
        let message = match left.len() {
            1 => first.message.clone(),
            many => say::changes_left_first(many, &first.message),
        };
        let hint = match first.reason {
            SkipReason::TooLarge => say::move_file_elsewhere_or_approve(),
            _ => say::edit_file_or_approve_it(),
        };
        let subject = first.path.as_deref().unwrap_or(&first.version_id);
        Some(ApiError::new(code, message, subject).hint(hint))
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "inbox";
    changes_left_first(many, message) => "{many} changes were left as they are. Of the first: {message}",
    edit_file_or_approve_it() => "Edit the file, or approve the change.",
    move_file_elsewhere_or_approve() => "Move the file elsewhere yourself, or approve the change.",
    memory_changed_since_looked_left() => "A memory changed since it was looked at; it was left as it is.",
    memories_changed_since_they_looked(many) => "{many} memories changed since they were looked at; they were left as they are.",
    list_what_is_left() => "`retrace inbox` lists what is left to review.",
    look_inbox_again_then_repeat() => "Look at the inbox again, then repeat.",
}
