//! Sessions that machines share, and those that agents mirror: requests and answers.
//!
//! A session has its figures, what its requests had of memories (presence), and what became of rules in it (the ledger); none of
//! that is a text of a transcript. Entries of transcripts are sent apart, packed, where their owner shares everything.

use crate::messages::{PackedContent, hash};
use retrace_model::Sha256;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Sessions in one request, at most.
pub const MAX_SESSIONS: usize = 500;

/// Rows of presence and of the ledger in one request, at most; those of one session may be more.
pub const MAX_ROWS: usize = 20_000;

/// Rows of presence and of the ledger of one session, at most.
pub const MAX_ROWS_OF_SESSION: usize = 200_000;

/// Entries in one request, at most.
pub const MAX_ENTRIES: usize = 1_000;

/// Rules of one machine, at most.
pub const MAX_RULES: usize = 2_000;

/// Bytes of an id of a session or of a part of one, at most.
pub const MAX_NAME: usize = 200;

/// True if a text can name a session, a part of one, an agent, a grade or a cause: nothing that a person wrote.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.#+/@".contains(&byte);
    text.len() <= MAX_NAME && text.bytes().all(letter)
}

/// Asks how far sessions of the asking machine are at the hub.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct AskSessions {
    /// Their ids.
    pub sessions: Vec<String>,
}

/// How far sessions are at the hub.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KnownSessions {
    /// Those that the hub has.
    pub sessions: Vec<KnownSession>,
}

/// How far a session is at the hub.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KnownSession {
    /// Its id.
    pub session: String,
    /// What was sent of it last, as [`SentSession::digest`] says; none where that did not come to its end.
    #[serde(default)]
    pub digest: Option<String>,
    /// Entries of each part.
    pub parts: BTreeMap<String, u64>,
}

/// Tokens of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Input that was not cached.
    pub input: u64,
    /// Input from the cache.
    pub cache_read: u64,
    /// Input written to the cache.
    pub cache_write: u64,
    /// Output.
    pub output: u64,
}

/// A session without its transcript.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SentSession {
    /// Its id on the machine.
    pub session: String,
    /// Which agent's: the name of the transcript's format.
    pub agent: String,
    /// Stores that share it.
    pub stores: Vec<String>,
    /// Time of the first line.
    #[serde(default)]
    pub started_at: Option<i64>,
    /// Time of the last one.
    #[serde(default)]
    pub ended_at: Option<i64>,
    /// Calls of the model, those of subagents among them.
    pub requests: u64,
    /// Subagents.
    pub subagents: u64,
    /// Tokens of the calls.
    pub tokens: Tokens,
    /// Price in millionths of a US dollar; none where a model has none.
    #[serde(default)]
    pub cost_micros: Option<u64>,
    /// Hash of everything that is sent of it: the same where nothing changed.
    #[serde(with = "hash")]
    pub digest: Sha256,
    /// What its requests had of memories.
    pub presence: Vec<SentPresence>,
    /// What became of rules in it.
    pub verdicts: Vec<SentVerdict>,
}

/// A row of requests in which nothing changes for one memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentPresence {
    /// The store.
    pub store: String,
    /// The memory; its path is that of its versions.
    pub memory: String,
    /// The version that was loaded; none where none was, or none agrees.
    #[serde(default)]
    pub version: Option<String>,
    /// Part of the session: empty for the main conversation.
    pub part: String,
    /// The first request.
    pub from: u64,
    /// The last one.
    pub to: u64,
    /// Lines that were present.
    pub lines: u32,
    /// How well that is known.
    pub grade: String,
    /// Why most of the absent lines were absent.
    #[serde(default)]
    pub cause: Option<String>,
    /// When the last of these requests was answered.
    #[serde(default)]
    pub at: Option<i64>,
}

/// A point at which a rule applied. The call itself is not told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentVerdict {
    /// The rule.
    #[serde(with = "hash")]
    pub rule: Sha256,
    /// Part of the session.
    pub part: String,
    /// The request, from 0.
    #[serde(default)]
    pub request: Option<u64>,
    /// The version whose wording was in force.
    #[serde(default)]
    pub version: Option<String>,
    /// What became of it.
    pub outcome: String,
    /// Of a broken one: true if the rule was before the model.
    #[serde(default)]
    pub present: Option<bool>,
    /// Why it was not.
    #[serde(default)]
    pub cause: Option<String>,
    /// When.
    #[serde(default)]
    pub at: Option<i64>,
}

/// Sessions that are new or changed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PutSessions {
    /// The sessions, each as it is now.
    pub sessions: Vec<SentSession>,
    /// Since when their stores are recorded, so that a memory is told apart that did not exist yet.
    #[serde(default)]
    pub recorded_since: Vec<RecordedSince>,
}

/// Since when a store is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedSince {
    /// The store.
    pub store: String,
    /// The operation of the machine's log: what it or an earlier one found may be older.
    pub operation: u64,
}

/// A rule, by which verdicts are listed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SentRule {
    /// The same on every machine on which it reads the same.
    #[serde(with = "hash")]
    pub rule: Sha256,
    /// Its kind.
    pub kind: String,
    /// Tokens of its line.
    pub tokens: u64,
    /// Its fields as JSON, where its store sends contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<PackedContent>,
}

/// Every rule of the asking machine of which verdicts are sent. Others are dropped.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PutRules {
    /// The rules.
    pub rules: Vec<SentRule>,
}

/// An entry of a transcript.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SentEntry {
    /// Its text; none where it holds what was redacted on the machine, or is too large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<PackedContent>,
}

/// Entries for the end of a part of a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PutEntries {
    /// The session.
    pub session: String,
    /// The part.
    pub part: String,
    /// Entries of it that the hub has.
    pub after: u64,
    /// The entries, in order.
    pub entries: Vec<SentEntry>,
}

/// How many entries of a part the hub has.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EntriesTaken {
    /// Entries.
    pub entries: u64,
}

/// Asks for a page of the sessions of all machines.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ListSessions {
    /// Of this machine alone.
    #[serde(default)]
    pub machine: Option<String>,
    /// Where the page before ended.
    #[serde(default)]
    pub after: Option<String>,
    /// Sessions of the page, at most.
    pub limit: u64,
}

/// A page of sessions, the one that ended last first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SessionPage {
    /// The sessions.
    pub sessions: Vec<ListedSession>,
    /// Where the next page begins; none after the last.
    pub next: Option<String>,
}

/// A session of any machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ListedSession {
    /// The machine; the hub itself for those that agents mirror.
    pub machine: String,
    /// Its name.
    pub machine_name: String,
    /// Its id.
    pub session: String,
    /// Which agent's.
    pub agent: String,
    /// Names of the stores that share it.
    pub stores: Vec<String>,
    /// Names of their projects.
    pub projects: Vec<String>,
    /// Time of the first line.
    pub started_at: Option<i64>,
    /// Time of the last one.
    pub ended_at: Option<i64>,
    /// Calls of the model.
    pub requests: u64,
    /// Subagents.
    pub subagents: u64,
    /// Tokens of the calls.
    pub tokens: Tokens,
    /// Price in millionths of a US dollar.
    pub cost_micros: Option<u64>,
    /// Entries of its transcript that the hub keeps, and those without text.
    pub entries: u64,
    /// Of these, those of which no text is kept.
    pub without_text: u64,
}

/// Asks where a memory was before a model, over the shared sessions of all machines.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct AskPresence {
    /// Id or name of the store. Of a name, the stores of every machine that have it, and of their projects.
    pub store: String,
    /// Bytes of the path.
    pub path: crate::messages::Bytes,
}

/// Where a memory was before a model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PresenceSummed {
    /// By machine.
    pub machines: Vec<MachinePresence>,
}

/// Where a memory was before a model on one machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachinePresence {
    /// The machine.
    pub machine: String,
    /// Its name.
    pub machine_name: String,
    /// Its store.
    pub store: String,
    /// The store's name.
    pub store_name: String,
    /// Sessions that the store shares.
    pub sessions: u64,
    /// Of these, those of which any request had any line of the memory.
    pub present: u64,
    /// Of these, those in which that is inferred alone.
    pub inferred: u64,
    /// When a request last had any of it.
    pub last_at: Option<i64>,
    /// Why the others did not have it: sessions by cause.
    pub absent: BTreeMap<String, u64>,
}

/// Asks for the ledger over the shared sessions of all machines.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct AskLedger {
    /// One rule, by the beginning of its hash.
    #[serde(default)]
    pub rule: Option<String>,
}

/// The ledger.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ledger {
    /// The rules.
    pub rules: Vec<LedgerRule>,
    /// Sessions that the asking machine may count.
    pub sessions: u64,
}

/// How the shared sessions fared with one rule.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LedgerRule {
    /// The rule.
    #[serde(with = "hash")]
    pub rule: Sha256,
    /// Its kind.
    pub kind: String,
    /// Its fields as JSON, packed, where the caller may read contents and any machine sent them.
    pub fields: Option<PackedContent>,
    /// Tokens of its line.
    pub tokens: u64,
    /// By machine.
    pub machines: Vec<MachineLedger>,
    /// By the version whose wording was in force.
    pub versions: Vec<VersionLedger>,
}

/// Counts of verdicts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// It was followed.
    pub followed: u64,
    /// It was not.
    pub broken: u64,
    /// Of the broken ones: the rule was before the model.
    pub broken_present: u64,
    /// Of the broken ones: it was not, by cause.
    pub broken_absent: BTreeMap<String, u64>,
    /// Of the broken ones: the session does not tell.
    pub broken_unknown: u64,
    /// It was not followed, and the person had asked for that.
    pub excepted: u64,
    /// The rule did not exist then, or read differently.
    pub predates: u64,
    /// The session does not tell.
    pub undecidable: u64,
}

/// How the sessions of one machine fared with a rule.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineLedger {
    /// The machine.
    pub machine: String,
    /// Its name.
    pub machine_name: String,
    /// The counts.
    pub counts: Counts,
    /// Sessions with at least one opportunity.
    pub sessions: u64,
    /// When it last applied.
    pub last_at: Option<i64>,
}

/// How sessions fared with a rule while one version was in force.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VersionLedger {
    /// The version; none where nobody knows which.
    pub version: Option<String>,
    /// The counts.
    pub counts: Counts,
}

/// Asks for a page of the texts of sessions, to look for what was redacted here: those of the asking machine, and those of all
/// others where it reads contents.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SearchSessions {
    /// Where the page before ended.
    #[serde(default)]
    pub after: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hold_nothing_that_a_person_wrote() {
        for name in
            ["", "5f3c2a10-99", "subagents/agent-a1", "agent-a1#2", "claude-code", "memver_1_ab@machine_2"]
        {
            assert!(is_name(name), "{name}");
        }
        for name in ["a b", "ä", "a\n", "a'b", &"x".repeat(MAX_NAME + 1)] {
            assert!(!is_name(name), "{name:?}");
        }
    }
}
