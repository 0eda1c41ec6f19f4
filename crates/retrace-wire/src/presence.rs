//! Presence: which lines of a memory were before a model, and why the others were not.

use super::{Message, PresenceCause, PresenceGrade};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks what a session's model had before it at one request.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct PresenceReq {
    /// Session, as `context_show` names transcripts; `#N` at its end is the request.
    pub session: String,
    /// Index of the request among the session's own, from 0; the last one when absent.
    #[serde(default)]
    pub at: Option<u64>,
    /// True if each source is to say what it was at every request.
    #[serde(default)]
    pub spans: bool,
}

/// The files whose text could reach a model, at one request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct Presence {
    /// The transcript: the session's id, or a path.
    pub transcript: String,
    /// Index of the request.
    pub request: u64,
    /// Number of requests.
    pub requests: u64,
    /// Requests that are proved by their digest.
    pub proved: u64,
    /// When its answer began.
    pub time: Option<String>,
    /// Index of the first request after each compaction.
    pub compactions: Vec<u64>,
    /// Type of the subagent whose conversation it is; null for the main one.
    pub agent: Option<String>,
    /// Tokens of all lines that were present.
    pub tokens: u64,
    /// One a file: what was present first, then by path.
    pub sources: Vec<PresenceSource>,
}

/// One file at one request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct PresenceSource {
    /// Its path: in its store, or on the machine where no store holds it.
    pub path: String,
    /// Its path on the machine as the transcript has it, or as its store has it.
    pub file: String,
    /// Its store; null where none is recorded.
    pub store_id: Option<String>,
    /// The version that was loaded, or whose lines are told where nothing was; null where no recorded version agrees.
    pub version_id: Option<String>,
    /// How well it is known.
    pub grade: PresenceGrade,
    /// Ranges of lines that were present, both ends included.
    pub lines: Vec<(u32, u32)>,
    /// Tokens of these lines.
    pub tokens: u64,
    /// Ranges of lines that were not, each with its cause.
    pub absent: Vec<AbsentLines>,
    /// Lines of the version.
    pub total_lines: u32,
    /// What it was at every request, where asked.
    #[serde(default)]
    pub spans: Vec<PresenceSpan>,
}

/// Lines that were not before the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AbsentLines {
    /// The first and the last of them.
    pub lines: (u32, u32),
    /// Why.
    pub cause: PresenceCause,
}

/// A row of requests in which nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PresenceSpan {
    /// The first request.
    pub from: u64,
    /// The last one.
    pub to: u64,
    /// True if all lines that are asked about were present.
    pub present: bool,
    /// How many of them were.
    pub lines: u32,
    /// How well it is known.
    pub grade: PresenceGrade,
    /// Why most of the absent ones were absent; null where none was.
    pub cause: Option<PresenceCause>,
    /// The last line that was loaded of a file that was cut.
    pub cut_after: Option<u32>,
    /// The version that was loaded; null where none was, or none agrees.
    pub version_id: Option<String>,
    /// Number of the first line in that version.
    pub as_line: Option<u32>,
}

/// Asks which memories a session's requests held, all requests at once.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct PresenceLaneReq {
    /// Session, as `context_show` names transcripts.
    pub session: String,
}

/// Which memories and instruction files each request of a session held: what a lane under a chart shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct PresenceLane {
    /// The transcript: the session's id, or a path.
    pub transcript: String,
    /// Number of requests.
    pub requests: u64,
    /// Index of the first request after each compaction.
    pub compactions: Vec<u64>,
    /// The files that any request held, the one that most requests held first; at most 100.
    pub files: Vec<LaneFile>,
    /// Files that are left out because there are more.
    pub left_out: u64,
}

/// One file over the requests of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct LaneFile {
    /// Its path: in its store, or on the machine where no store holds it.
    pub path: String,
    /// Its path on the machine as the transcript has it, or as its store has it.
    pub file: String,
    /// Its store; null where none is recorded.
    pub store_id: Option<String>,
    /// Requests that held any line of it.
    pub requests: u64,
    /// Rows of requests that held it, in order. Requests between them held none of it.
    pub spans: Vec<LaneSpan>,
}

/// A row of requests that held the same of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LaneSpan {
    /// The first request.
    pub from: u64,
    /// The last one.
    pub to: u64,
    /// Lines that were present.
    pub lines: u32,
    /// Tokens of these lines, counted offline as the session's model counts.
    pub tokens: u64,
    /// How well it is known.
    pub grade: PresenceGrade,
}

/// Asks in which sessions lines of a memory were before a model.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ReachReq {
    /// The memory: `STORE:PATH`.
    pub target: String,
    /// The first line, from 1; the whole memory when absent.
    #[serde(default)]
    pub from: Option<u32>,
    /// The last line; the first one when absent.
    #[serde(default)]
    pub to: Option<u32>,
    /// Only conversations that began at or after this time (RFC 3339).
    #[serde(default)]
    pub since: Option<String>,
}

/// Where lines of a memory were before a model, and why not elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct Reach {
    /// The store.
    pub store_id: String,
    /// The memory.
    pub memory_id: String,
    /// Its path.
    pub path: String,
    /// The version whose lines are counted: the newest one.
    pub version_id: String,
    /// Its lines.
    pub total_lines: u32,
    /// The first line that is asked about; null for the whole memory.
    pub from: Option<u32>,
    /// The last one.
    pub to: Option<u32>,
    /// Tokens of these lines.
    pub tokens: u64,
    /// Conversations that could have had it, subagents among them; those in other directories or of other agents are left out.
    pub sessions: u64,
    /// Of these, those of subagents.
    pub subagents: u64,
    /// Of these, those in which any request had every line that is asked about; of the whole memory, any line.
    pub present: u64,
    /// Of these, those whose presence is inferred alone.
    pub inferred: u64,
    /// Conversations in other directories or of other agents, which did not have it.
    pub elsewhere: u64,
    /// Why the others did not have it, the most frequent cause first.
    pub absent: Vec<ReachCause>,
    /// How conversations that had it lost it.
    pub lost: Vec<ReachCause>,
    /// Requests of these conversations, by grade.
    pub requests: ReachRequests,
    /// For each line of the version: in how many conversations any request had it.
    pub lines: Vec<u32>,
    /// Changes of the memory that moved the first line.
    pub moves: Vec<LineMove>,
    /// One a conversation, newest first.
    pub rows: Vec<ReachRow>,
    /// Transcripts that cannot be read, in words; empty when none.
    pub remarks: Vec<Message>,
}

/// A cause with the number of conversations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReachCause {
    /// The cause.
    pub cause: PresenceCause,
    /// Conversations.
    pub sessions: u64,
    /// The line after which it was cut, where that is the cause and the same in all.
    pub cut_after: Option<u32>,
}

/// Numbers of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReachRequests {
    /// Of which it is proved what they held.
    pub proved: u64,
    /// Of which it is recorded.
    pub recorded: u64,
    /// Of which it is inferred.
    pub inferred: u64,
    /// Of which nothing tells.
    pub unknown: u64,
}

/// A change that moved a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LineMove {
    /// The version.
    pub version_id: String,
    /// Which version of the memory it is, from 1.
    pub number: u64,
    /// When.
    pub at: String,
    /// Number of the line before.
    pub from: u32,
    /// Number of it after.
    pub to: u32,
}

/// One conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ReachRow {
    /// Names the transcript for other commands.
    pub transcript: String,
    /// Id of the session.
    pub session: String,
    /// Its title.
    pub title: Option<String>,
    /// Directory it ran in.
    pub project: Option<String>,
    /// Type of the subagent; null for a main conversation.
    pub agent: Option<String>,
    /// Why the subagent was started.
    pub description: Option<String>,
    /// When its first request was answered.
    pub started_at: Option<String>,
    /// When its last one was.
    pub ended_at: Option<String>,
    /// Number of requests.
    pub requests: u64,
    /// True if any request had the lines.
    pub present: bool,
    /// Why no request did, or how it was lost.
    pub cause: Option<PresenceCause>,
    /// Index of the first request after each compaction.
    pub compactions: Vec<u64>,
    /// What the lines were, request by request.
    pub spans: Vec<PresenceSpan>,
}

/// Asks in how many sessions a change was before a model.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ChangeReachReq {
    /// The version that the change led to.
    pub version: String,
    /// The version before it; everything is new when absent.
    #[serde(default)]
    pub base: Option<String>,
}

/// In how many sessions since then any line that a change brought was before a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChangeReach {
    /// Lines that the change brought; 0 where it brought none, or they are not known any more.
    pub lines: u64,
    /// Conversations with requests since then that could have had it.
    pub sessions: u64,
    /// Of these, those in which any of the lines was. What the model wrote itself does not count.
    pub read: u64,
    /// Further ones in which that is inferred.
    pub inferred: u64,
}
