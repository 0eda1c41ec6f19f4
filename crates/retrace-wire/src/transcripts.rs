//! Transcripts on this machine.

use super::tokens::FigureKind;
use super::vocabulary::RunOrder;
use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks for transcripts. The index is brought up to date in the background; the answer is what is known.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct TranscriptsReq {
    /// Words in title, project or id.
    #[serde(default)]
    pub query: Option<String>,
    /// Order; the newest first when absent.
    #[serde(default)]
    pub sort: Option<RunOrder>,
    /// Only this project (as in `TranscriptRow::project`).
    #[serde(default)]
    pub project: Option<String>,
    /// Start bringing the index up to date when it is not being done.
    #[serde(default)]
    pub refresh: bool,
    /// Wait until the index is up to date before answering (the terminal does).
    #[serde(default)]
    pub wait: bool,
}

/// Transcripts and the state of their index.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Transcripts {
    /// Sessions in the order asked for; those inside a session (subagents) are in it.
    pub transcripts: Vec<TranscriptRow>,
    /// Sums over all of them, not only those shown.
    pub totals: TranscriptTotals,
    /// State of the index.
    pub index: TranscriptIndexState,
    /// Files that could not be read, with the reason.
    pub problems: Vec<TranscriptProblem>,
}

/// State of the index of transcripts.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct TranscriptIndexState {
    /// True if it is being brought up to date now.
    pub running: bool,
    /// Files looked at in this run.
    pub done: u64,
    /// Of how many.
    pub total: u64,
    /// When it was last up to date; null when never.
    pub updated_at: Option<String>,
}

/// A file that could not be read.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TranscriptProblem {
    /// Its path.
    pub path: String,
    /// Why, in a sentence.
    pub reason: Message,
}

/// Sums over transcripts, each response counted once however many files repeat it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct TranscriptTotals {
    /// Sessions.
    pub sessions: u64,
    /// Projects.
    pub projects: u64,
    /// Requests.
    pub requests: u64,
    /// Price in US dollars of those that have one.
    pub cost_usd: f64,
    /// Requests without a price: of a model that has none, or without recorded input.
    pub requests_without_price: u64,
    /// Of those that have one, requests for whose output the client recorded a placeholder.
    #[serde(default)]
    pub requests_with_placeholder_output: u64,
    /// Of those that have one, requests in fast mode whose model has no known price for it.
    #[serde(default)]
    pub requests_fast_without_price: u64,
}

/// One session.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TranscriptRow {
    /// Names the transcript in every other command: session id, or path where there is none.
    pub id: String,
    /// The first characters of the id that tell it from all others here, eight at least: ids that begin with the time are
    /// equal for longer. A path stands whole.
    #[serde(default)]
    pub short_id: String,
    /// Path of the file.
    pub path: String,
    /// `claude-code`, `codex`, …
    pub format: String,
    /// Title; the first words typed where there is none.
    pub title: Option<String>,
    /// The first line a person typed, which names it; absent where that is its title or nobody typed.
    #[serde(default)]
    pub first_prompt: Option<String>,
    /// Working directory or the folder's slug.
    pub project: Option<String>,
    /// Models, most used first.
    pub models: Vec<String>,
    /// Calls of the model, those of its subagents and sidechains among them.
    pub requests: u64,
    /// Largest recorded context; the largest that was counted where none is recorded (`peak_kind`).
    pub peak: Option<u64>,
    /// Kind of `peak`; null without one.
    #[serde(default)]
    pub peak_kind: Option<FigureKind>,
    /// Price as recorded, in US dollars; null where a model has none or no input is recorded.
    pub cost_usd: Option<f64>,
    /// Price by the client's own figures, in US dollars; null where it records none.
    #[serde(default)]
    pub client_cost_usd: Option<f64>,
    /// True if the true price is higher, for one of the two reasons that follow.
    pub cost_is_lower_bound: bool,
    /// Requests for whose output the client recorded a placeholder, so that their output is at least what is recorded.
    #[serde(default)]
    pub requests_with_placeholder_output: u64,
    /// Requests in fast mode whose model has no known price for it: they are priced as others are.
    #[serde(default)]
    pub requests_fast_without_price: u64,
    /// Compactions in it.
    pub compactions: u64,
    /// Writes to memory files in it.
    pub memory_writes: u64,
    /// First and last time in it.
    pub started_at: Option<String>,
    /// See `started_at`.
    pub ended_at: Option<String>,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Transcript ids of its subagents and sidechains.
    pub subagents: Vec<String>,
    /// Lines that could not be read.
    pub malformed_lines: u64,
    /// Lines of unknown types.
    pub unknown_lines: u64,
}
