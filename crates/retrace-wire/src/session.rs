//! A session as a story: what it was asked, what it wrote after each prompt, what it had, what it cost.

use super::{FigureKind, LoadReason, LoadWitness, RecallScope, SessionWrites};
use crate::{CarriedClass, ContextEventKind};
use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Everything known of a session.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Session {
    /// What it wrote.
    #[serde(flatten)]
    pub writes: SessionWrites,
    /// What a person asked first, on one line: the session's title. Null where that is not known.
    pub first_prompt: Option<String>,
    /// Version of the client that wrote the transcript.
    pub client_version: Option<String>,
    /// Branch of the repository.
    pub branch: Option<String>,
    /// Calls of the model, those of subagents among them.
    pub requests: u64,
    /// Requests of the main conversation: those that `peak_request`, prompts, events and files number from 0.
    pub main_requests: u64,
    /// Of these, requests that were rebuilt and proved by their digest.
    pub proved_requests: u64,
    /// The largest context of the main conversation, in tokens.
    pub peak: Option<u64>,
    /// Kind of that figure.
    pub peak_kind: Option<FigureKind>,
    /// The request that had it.
    pub peak_request: Option<u64>,
    /// Price in US dollars, subagents included; null where a model has none.
    pub cost_usd: Option<f64>,
    /// True if the true price is higher.
    pub cost_is_lower_bound: bool,
    /// Requests for whose output the client recorded a placeholder, so that their output is at least what is recorded.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub requests_with_placeholder_output: u64,
    /// Requests in fast mode whose model has no known price for it: they are priced as others are.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub requests_fast_without_price: u64,
    /// Price by the client's own figures.
    pub client_cost_usd: Option<f64>,
    /// What a person asked, in order.
    pub prompts: Vec<SessionPrompt>,
    /// Versions that no prompt is known for, oldest first.
    pub other_versions: Vec<String>,
    /// Versions that the person at this machine has left to review.
    pub unreviewed: Vec<String>,
    /// Compactions and other things that took content away.
    pub events: Vec<SessionEvent>,
    /// Instructions, then memory, in the order in which they were loaded.
    pub files: Vec<SessionFile>,
    /// Its subagents, in order of their beginning.
    pub agents: Vec<SessionAgent>,
    /// Why the transcript tells less than it could; null where it is there and was read.
    pub problem: Option<Message>,
}

/// What a person asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionPrompt {
    /// Its text, up to 4,000 characters.
    pub text: String,
    /// True if `text` was cut.
    pub truncated: bool,
    /// When.
    pub at: Option<String>,
    /// The first request after it; null where none was made.
    pub request: Option<u64>,
    /// Requests of the main conversation until the next prompt.
    pub requests: u64,
    /// Price of these in US dollars; null where one has none.
    pub cost_usd: Option<f64>,
    /// True if the true price is higher, for a reason of the session.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub cost_is_lower_bound: bool,
    /// Versions that were written after it and before the next, by the session or a subagent of it, oldest first.
    pub versions: Vec<String>,
}

/// Something that took content away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionEvent {
    /// As in `context_show`: `compaction`, `microcompaction`, `rewind`, `replaced`, `server_edit`.
    pub event: ContextEventKind,
    /// The request that follows it.
    pub before_request: u64,
    /// When that was made.
    pub at: Option<String>,
    /// Number of the prompt it came after, from 0.
    pub prompt: Option<u64>,
    /// Context before.
    pub tokens_before: Option<u64>,
    /// Context after.
    pub tokens_after: Option<u64>,
    /// What happened, in a sentence.
    pub note: Message,
    /// Instruction and memory files that the requests after it no longer sent.
    pub lost: Vec<String>,
}

/// An instruction or memory file that the session had.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionFile {
    /// Its path as recorded.
    pub path: String,
    /// `instructions` or `memory`.
    pub class: CarriedClass,
    /// The client's name for it (`User`, `Project`, `Local`, `AutoMem`, …); null where none is told.
    pub kind: Option<String>,
    /// The store that records it; null where none does.
    pub store_id: Option<String>,
    /// Its path in the store.
    pub store_path: Option<String>,
    /// Each time it was loaded, in order.
    pub loads: Vec<SessionLoad>,
    /// Ranges of requests that sent it, first and last, from 0.
    pub requests: Vec<(u64, u64)>,
    /// Tokens when it was loaded last.
    pub tokens: u64,
    /// True if only a part of it was ever loaded.
    pub partial: bool,
    /// Price of carrying it, in US dollars; null where it has none.
    pub cost_usd: Option<f64>,
}

/// A file is loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SessionLoad {
    /// Why.
    pub reason: LoadReason,
    /// The reason in the client's words, where it is another.
    pub told: Option<String>,
    /// Whose memory it is, where it was recalled; null where nothing says.
    pub scope: Option<RecallScope>,
    /// When.
    pub at: Option<String>,
    /// The first request that sent it; null where none did, or only the hook says that it was loaded.
    pub request: Option<u64>,
    /// The file that brought it: one that imports it, or one that was read; null where nothing says.
    pub by: Option<String>,
    /// The subagent that it was loaded for; null for the main conversation.
    pub agent: Option<String>,
    /// What says so.
    pub witness: LoadWitness,
}

/// A subagent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionAgent {
    /// Its id.
    pub id: Option<String>,
    /// Its type, such as `general-purpose`.
    pub agent_type: Option<String>,
    /// Why it was started, in the words of the agent that started it.
    pub description: Option<String>,
    /// Its transcript, as the Context lab names it.
    pub transcript: String,
    /// When it began.
    pub at: Option<String>,
    /// Number of the prompt it was started after, from 0.
    pub prompt: Option<u64>,
    /// Requests.
    pub requests: u64,
    /// Its largest context, in tokens; null where none is recorded.
    pub peak: Option<u64>,
    /// Instruction files it had; null where its transcript was not read.
    pub instructions: Option<u64>,
    /// Memory files it had.
    pub memories: Option<u64>,
    /// False if it did not come to its end.
    pub finished: Option<bool>,
}
