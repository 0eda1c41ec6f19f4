//! Acts that change files or take content out of history, and what came of them.

use crate::{ApiError, Code};
use crate::{ConflictReason, RedactionAction, RedactionPlace, RestoreAct};
use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Puts memories back. Exactly one of `to`, `session` and `operation_seq` is given.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct RollbackReq {
    /// With `to`: the memory, as `STORE:PATH` or `mem_…`.
    #[serde(default)]
    pub memory: Option<String>,
    /// Put the memory back to this version, `memver_…`.
    #[serde(default)]
    pub to: Option<String>,
    /// Take back what this session wrote.
    #[serde(default)]
    pub session: Option<String>,
    /// With `session`: also what it is only likely to have written, by the file's front matter or by time alone.
    #[serde(default)]
    pub include_likely: bool,
    /// With `session`: these versions of what it is only likely to have written, `memver_…`.
    #[serde(default)]
    pub include: Vec<String>,
    /// With `session`: leave these versions as they are, `memver_…`.
    #[serde(default)]
    pub except: Vec<String>,
    /// Take back what this operation changed.
    #[serde(default)]
    pub operation_seq: Option<u64>,
    /// With `operation_seq`: only what it did to the memory at this path.
    #[serde(default)]
    pub path: Option<String>,
    /// With `operation_seq`: only what it deleted.
    #[serde(default)]
    pub deleted: bool,
    /// With `to`: hash the file must have now; the newest version's when absent.
    #[serde(default)]
    pub expect: Option<String>,
    /// Say what would be done, and do nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// Puts a whole directory back to an instant.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct RestoreReq {
    /// Store, id or name.
    pub store: String,
    /// RFC 3339, or an operation's number: the state right after it.
    pub at: String,
    /// The time lies before recording began: restore what imported history knows of it. Files of which it knows nothing are
    /// left as they are.
    #[serde(default)]
    pub from_imported: bool,
    /// Say what would be done, and do nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// Takes an act back.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct UndoReq {
    /// The operation; the newest act that can be undone when absent.
    #[serde(default)]
    pub operation_seq: Option<u64>,
    /// Say what would be done, and do nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// Takes content out of history. Exactly one of `versions`, `find`, `secret_base64` and `finding` is given.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct RedactReq {
    /// These versions, `memver_…`.
    #[serde(default)]
    pub versions: Vec<String>,
    /// Every version whose content or path matches this regular expression.
    #[serde(default)]
    pub find: Option<String>,
    /// Every version that holds exactly these bytes.
    #[serde(default)]
    pub secret_base64: Option<String>,
    /// Every version that holds exactly the bytes a finding is about; they are read where it stands and told to nobody.
    #[serde(default)]
    pub finding: Option<FindingPlace>,
    /// Only in this store, id or name; all stores when absent.
    #[serde(default)]
    pub store: Option<String>,
    /// Also replace it in the live files by a marker.
    #[serde(default)]
    pub live: bool,
    /// Also replace it by a marker in transcripts of agents that no running program holds open.
    #[serde(default)]
    pub transcripts: bool,
    /// Why; must not hold the secret.
    #[serde(default)]
    pub reason: Option<String>,
    /// Say what would be done, and do nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// Where a finding stands in a live file.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct FindingPlace {
    /// Store, id or name.
    pub store: String,
    /// The file below it.
    pub path: String,
    /// The rule, `group/name`.
    pub rule: String,
    /// First byte in the file.
    pub start: u64,
}

/// Result of an act, or its preview with `dry_run`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ActResult {
    /// Nothing was done.
    pub dry_run: bool,
    /// The operation that was appended; null when nothing was.
    pub operation_seq: Option<u64>,
    /// Files written.
    pub writes: Vec<FileWrite>,
    /// Files deleted.
    pub deletes: Vec<FileWrite>,
    /// Files left alone because they moved on. The act did nothing at all unless `partial`.
    pub conflicts: Vec<Conflict>,
    /// True when some files were done and others not (a disk that filled up on the way, a directory in the place of a file).
    pub partial: bool,
    /// With `partial`: files that the act was to change and that are as they were before, for it did not come to them or put
    /// them back. Those that could not be changed are `conflicts`.
    #[serde(default)]
    pub left: Vec<FileWrite>,
    /// With a redaction: where the content stands, masked.
    pub matches: Vec<RedactionMatch>,
    /// With a redaction that was done: the receipt.
    pub receipt: Option<Receipt>,
    /// Things worth knowing, each a sentence.
    pub warnings: Vec<Message>,
    /// Changes that were not done but queued for the hosts of mirrored stores; a push sends them. In a preview, those that
    /// would be.
    #[serde(default)]
    pub queued: u64,
    /// Versions that an import brought in and that lists leave out from then on: those of the import that is undone.
    #[serde(default)]
    pub withdrawn: u64,
    /// With the rollback of a session: changes that it is only likely to have made, and those left out, oldest first. None is
    /// taken back unless it is `included`.
    #[serde(default)]
    pub likely: Vec<LikelyChange>,
    /// With the rollback of a session: changes that it is known to have made, oldest first. Each is taken back unless it is left
    /// out.
    #[serde(default)]
    pub sure: Vec<LikelyChange>,
    /// With an undo: the operation that it takes back.
    #[serde(default)]
    pub undoes: Option<UndoneAct>,
    /// With an undo of an act on a rule's guard: the edit of the settings. It is no operation of the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<super::GuardedRule>,
    /// With an undo of an act on the list of rules, or on breaks of rules. It is no operation of the log either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_act: Option<super::UndoneRuleAct>,
    /// With a restore from imported history: what is known of each file at that time, and how surely.
    #[serde(default)]
    pub imported: Vec<ImportedState>,
}

/// A change that a session may have made.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct LikelyChange {
    /// `memver_…`
    pub version_id: String,
    /// `memstore_…`
    pub store_id: String,
    /// Path; null when redacted.
    pub path: Option<String>,
    /// `created`, `modified` or `deleted`.
    pub operation: super::VersionOperation,
    /// When.
    pub created_at: String,
    /// Confidence that the session made it, as in `OriginNote`.
    pub confidence: String,
    /// True for a file that was there when recording began and that the session may have changed only in part: it is taken back
    /// where it is chosen alone, for it would be deleted whole.
    #[serde(default)]
    pub first_sight: bool,
    /// True if it is taken back.
    pub included: bool,
}

/// The operation that an undo takes back.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct UndoneAct {
    /// Its number.
    pub operation_seq: u64,
    /// Its cause, as in `Version`.
    pub source: super::ChangeSource,
    /// When it was done.
    pub created_at: String,
    /// Description, where it says so.
    pub note: Option<Message>,
}

/// State of a file in imported history at a time before recording began.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ImportedState {
    /// Path, in the store.
    pub path: String,
    /// Action of a restore: `write`, `delete`, or `leave`.
    pub act: RestoreAct,
    /// True if its source kept whole states, as git does. Transcripts tell what sessions did, and nothing of anybody else.
    pub certain: bool,
    /// Why, in a sentence.
    pub reason: Message,
}

/// One file an act writes or deletes.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct FileWrite {
    /// `memstore_…`
    pub store_id: String,
    /// Path.
    pub path: String,
    /// Hash before; null when the file did not exist.
    pub from_sha256: Option<String>,
    /// Hash after; null when the file is deleted.
    pub to_sha256: Option<String>,
    /// In a preview, the difference the act would make, where the content to write is in no version yet.
    #[serde(default)]
    pub diff: Option<super::FileDiff>,
}

/// A file that moved on. Its present content is recorded; all three contents can be shown.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Conflict {
    /// `memstore_…`
    pub store_id: String,
    /// Path.
    pub path: String,
    /// Hash the act expected; null when it expected no file.
    pub expected_sha256: Option<String>,
    /// Hash found; null when there is no file.
    pub found_sha256: Option<String>,
    /// The version the act expected to replace.
    pub expected_version_id: Option<String>,
    /// The version that records what was found.
    pub found_version_id: Option<String>,
    /// The version the act wanted to write.
    pub wanted_version_id: Option<String>,
    /// Why.
    pub reason: ConflictReason,
    /// One sentence: what stood in the way.
    pub message: Message,
}

/// One place a redaction is about, masked.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct RedactionMatch {
    /// `version`, `live`, `transcript`, `text` of the log beside its versions, `file` of the data directory, `encoded`, `git`,
    /// `file_history`, `bundle`, `export`, `worktree` or `store`.
    pub place: RedactionPlace,
    /// `memstore_…`
    pub store_id: Option<String>,
    /// The version, with `version`.
    pub version_id: Option<String>,
    /// What it is, for people, where it is no path: a text of the log, a file of the data directory. `path` has its text.
    #[serde(default)]
    pub name: Option<Message>,
    /// Path, masked where it matches itself.
    pub path: Option<String>,
    /// Line of the first match; null when the whole content goes because the version was named.
    pub line: Option<u32>,
    /// The line, each match replaced by `█`; at most 200 characters.
    pub masked: Option<String>,
    /// Matches in this place.
    pub hits: u64,
    /// Action: `redact_version`, `replace_in_place`, `left`.
    pub action: RedactionAction,
    /// More, where there is more to say.
    #[serde(default)]
    pub detail: Option<Message>,
    /// With `left`: what takes it out of there.
    #[serde(default)]
    pub remedy: Option<Message>,
}

/// Result of a redaction, and the proof.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Receipt {
    /// `receipt_…`
    pub id: String,
    /// When.
    pub created_at: String,
    /// By whom.
    pub created_by: Option<super::ActorView>,
    /// Why.
    pub reason: Option<String>,
    /// Method of choice: `versions`, `find` or `secret`.
    pub method: String,
    /// The operation in the log.
    pub operation_seq: u64,
    /// Versions redacted.
    pub versions: u64,
    /// Live files changed.
    pub live_files: u64,
    /// `done`, or `pending` while another process holds a read.
    pub purge: super::PurgeState,
    /// Where was looked, and what was found.
    pub places: Vec<ReceiptPlace>,
    /// The head of the chain after it.
    pub chain_head: String,
    /// Result of verifying the chain after the purge; null while pending.
    pub chain_verified: Option<bool>,
    /// Things worth knowing, each a sentence: a short secret, content that reappeared.
    pub warnings: Vec<Message>,
}

/// One place a receipt speaks of.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ReceiptPlace {
    /// For people: "Database file, raw bytes".
    pub place: Message,
    /// `clean`, `left` or `out_of_reach`.
    pub state: super::PlaceState,
    /// Number of hits there.
    pub hits: u64,
    /// More, where there is more to say.
    pub detail: Option<Message>,
    /// The place is the log's own: while something is left there, the redaction is not done.
    #[serde(default)]
    pub owned: bool,
    /// Step that removes what is left there.
    #[serde(default)]
    pub remedy: Option<Message>,
}

/// The receipts, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Receipts {
    /// All of them.
    pub receipts: Vec<Receipt>,
}

impl ActResult {
    /// The error that goes with a result that has conflicts, or that leaves files: a shell shows both.
    #[must_use]
    pub fn conflict_error(&self) -> Option<ApiError> {
        let done = self.writes.len() + self.deletes.len();
        let all = done + self.conflicts.len() + self.left.len();
        let Some(first) = self.conflicts.first() else {
            let left = self.left.first().filter(|_| self.partial)?;
            let message = if self.dry_run {
                say::only_files_would_be_changed(done, all)
            } else {
                say::only_files_changed(done, all)
            };
            return Some(
                ApiError::new(Code::HeadMoved, message, &left.path)
                    .hint(say::move_what_stands_there_then_repeat()),
            );
        };
        let message = if self.partial {
            say::only_files_changed(done, all)
        } else {
            say::nothing_changed(&first.message)
        };
        Some(ApiError::new(Code::HeadMoved, message, &first.path).hint(match first.reason {
            ConflictReason::Changed | ConflictReason::Queue => say::what_now_recorded_look_differences(),
            ConflictReason::ChangedSince => say::later_changes_stand(),
            ConflictReason::PathTaken => say::another_memory_stands_there(),
            ConflictReason::InTheWay => say::move_what_stands_there_then_repeat(),
            ConflictReason::NotWritten => say::mend_then_repeat(),
            ConflictReason::StoreRemoved => say::add_store_again(),
        }))
    }

    /// The error that goes with a rollback that took nothing back, or a preview of one, because nobody chose among what is only
    /// likely: a shell shows both.
    #[must_use]
    pub fn choice_error(&self) -> Option<ApiError> {
        let nothing = self.writes.is_empty() && self.deletes.is_empty() && self.conflicts.is_empty();
        let first = self
            .likely
            .first()
            .filter(|_| nothing && self.queued == 0 && !self.likely.iter().any(|change| change.included))?;
        Some(
            ApiError::invalid(
                match self.dry_run {
                    true => say::nothing_would_be_taken_back(),
                    false => say::nothing_taken_back_session_only(),
                },
                first.path.as_deref().unwrap_or(&first.version_id),
            )
            .hint(say::add_include_likely_take_back()),
        )
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "acts";
    only_files_changed(done, all) => "Only {done} of {all} files were changed.",
    only_files_would_be_changed(done, all) => "Only {done} of {all} files would be changed.",
    move_what_stands_there_then_repeat() => "Move what still stands there elsewhere, then repeat.",
    nothing_changed(message) => "{message} Nothing was changed.",
    what_now_recorded_look_differences() => "What is there now is recorded. Look at the differences, then repeat.",
    later_changes_stand() => "What came later stands. `retrace rollback STORE:PATH --to VERSION` puts one memory back; of a session, `--except VERSION` leaves a change out.",
    another_memory_stands_there() => "Move the memory that stands there elsewhere or delete it, then repeat.",
    mend_then_repeat() => "Mend what the system says of it, its rights or the room left, then repeat.",
    add_store_again() => "Add the store again with `retrace stores add DIR`; of a session, `--except VERSION` leaves its changes out.",
    nothing_taken_back_session_only() => "Nothing was rolled back: the session is only likely to have written this.",
    nothing_would_be_taken_back() => "Nothing would be rolled back: the session is only likely to have written this.",
    add_include_likely_take_back() => "Add --include-likely to take it back too, and --except VERSION for each that is to stay.",
}
