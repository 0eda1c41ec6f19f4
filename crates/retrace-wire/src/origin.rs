//! Who wrote a version, and why: what a transcript says of it.

use crate::{MessageRole, OriginBlockKind, OriginConfidence, OriginRole};
use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Where a version came from, shortly: what a row of a list shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OriginNote {
    /// Confidence: `stated` (the writer said so), `exact_content` (a write of a transcript gives exactly these bytes),
    /// `likely` (path and time fit, the content in part), `front_matter` (the file names the session and nothing else fits),
    /// `time_only` (a session was at work on the path's project then), `unknown`.
    pub confidence: OriginConfidence,
    /// The session; null when unknown.
    pub session_id: Option<String>,
    /// Its title; null where its transcript is not there.
    pub title: Option<String>,
    /// The model that wrote.
    pub model: Option<String>,
    /// Who in the session: `main`, `subagent`, `background` (an extraction the agent runs by itself); null when unknown.
    pub role: Option<OriginRole>,
    /// The transcript, as the Context lab names it; null where it is not there.
    pub transcript: Option<String>,
    /// The turn in the transcript, from 1; null when unknown.
    pub turn: Option<u64>,
    /// The prompt before it, its first 200 characters, on one line.
    pub prompt: Option<String>,
}

/// Act of a person that put back what somebody wrote before: a content, or a deletion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PutBack {
    /// The version that brought it, `memver_…`.
    pub version_id: String,
    /// Who wrote that; null when unknown.
    pub written_by: Option<super::ActorView>,
    /// When that was.
    pub written_at: String,
    /// Who put it back; null where a file was gone, came back as it was, and nobody is known to have put it back.
    pub by: Option<super::ActorView>,
    /// When.
    pub at: String,
    /// The operation that did.
    pub operation_seq: u64,
    /// Kind of act, as `source` of a version.
    pub source: super::ChangeSource,
}

impl PutBack {
    /// True of a file that was gone and came back as it was, where nobody is known to have put it back.
    #[must_use]
    pub fn came_back(&self) -> bool {
        self.by.is_none() && self.source == "scan"
    }
}

/// Asks who wrote a version, and why.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct OriginReq {
    /// `memver_…`
    pub version: String,
    /// Number of messages before and after the write that are wanted; 4 when absent, 50 at most.
    #[serde(default)]
    pub around: Option<u64>,
}

/// Who wrote a version, and why.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Origin {
    /// `memver_…`
    pub version_id: String,
    /// In short.
    pub note: OriginNote,
    /// Act of a person that put back with this version what was written before; all else is of the one who wrote it.
    pub put_back: Option<PutBack>,
    /// Evidence for the answer, one sentence each, the strongest first.
    pub evidence: Vec<Message>,
    /// The agent that keeps the transcript, as in `transcripts`; null when there is none.
    pub agent: Option<String>,
    /// The project the session worked on.
    pub project: Option<String>,
    /// The subagent's or agent's name, where one wrote.
    pub agent_name: Option<String>,
    /// When the session began.
    pub started_at: Option<String>,
    /// When it ended, as far as its transcript goes.
    pub ended_at: Option<String>,
    /// The call that wrote; null when none was found.
    pub write: Option<OriginWrite>,
    /// The prompt before it, whole up to 20,000 characters.
    pub prompt: Option<String>,
    /// The messages around the write, in order, the write's own among them.
    pub around: Vec<OriginMessage>,
    /// Other sessions that could have written it as well: sure answers have none.
    pub candidates: Vec<OriginNote>,
}

/// A call that wrote a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OriginWrite {
    /// Name of the tool.
    pub tool: String,
    /// Id of the call.
    pub tool_use_id: Option<String>,
    /// The path it named.
    pub path: String,
    /// When it was called.
    pub at: Option<String>,
    /// Line of the transcript, from 1; 0 where a file is not made of lines.
    pub line: u64,
    /// Its input as JSON, up to 20,000 characters.
    pub input: String,
    /// True if `input` was cut.
    pub truncated: bool,
}

/// A message near a write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OriginMessage {
    /// `user`, `assistant`, or `system`.
    pub role: MessageRole,
    /// `text`, `thinking`, `tool_use`, `tool_result` or `other`.
    pub kind: OriginBlockKind,
    /// Its text, up to 2,000 characters; of a call its name and input.
    pub text: String,
    /// When.
    pub at: Option<String>,
    /// The turn, from 1.
    pub turn: Option<u64>,
    /// True if this is the write itself.
    pub is_write: bool,
}

/// Names a session.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct SessionRef {
    /// Its id as the agent writes it, or the beginning of one that no other session has.
    pub session: String,
}

/// Writes of a session, anywhere.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SessionWrites {
    /// The session's id.
    pub session_id: String,
    /// Its title; null where its transcript is not there.
    pub title: Option<String>,
    /// The agent that keeps the transcript, as in `transcripts`.
    pub agent: Option<String>,
    /// The project it worked on.
    pub project: Option<String>,
    /// Models it called, the main conversation's first.
    pub models: Vec<String>,
    /// When it began.
    pub started_at: Option<String>,
    /// When it ended, as far as its transcript goes.
    pub ended_at: Option<String>,
    /// The transcript, as the Context lab names it.
    pub transcript: Option<String>,
    /// Versions in all stores, newest first.
    pub versions: Vec<SessionVersion>,
    /// Calls that succeeded, or did not say, and of which no version is known: they came before recording, were overwritten
    /// before the recorder looked, or wrote where nothing is recorded.
    pub unrecorded: Vec<SessionWrite>,
}

/// A version that a session wrote.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SessionVersion {
    /// Name of the store.
    pub store: String,
    /// Confidence, as in `OriginNote`.
    pub confidence: String,
    /// The turn in the transcript, from 1.
    pub turn: Option<u64>,
    /// The version.
    pub version: super::Version,
}

/// A call that wrote, of which no version is known.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SessionWrite {
    /// Id of the store it wrote to; null where nothing is recorded.
    pub store_id: Option<String>,
    /// The turn in its transcript, from 1.
    pub turn: Option<u64>,
    /// The call.
    pub write: OriginWrite,
}
