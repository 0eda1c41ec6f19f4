//! Composition of a context, and effect of settings on it. Field names of `ContextShow` and `Simulation` are those of
//! the terminal's JSON.

use super::answer::{ContextAnswer, ContextPart, InForce};
use super::tokens::FigureKind;
use crate::simulations::Variant;
use crate::{CarriedClass, ContextEventKind, MessageOrigin, MessageRole, TurnBlockKind};
use retrace_message::Message;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// Asks what fills the context of a transcript.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ContextShowReq {
    /// Session id or a unique beginning of it, a path of a file, or words of a title.
    pub transcript: String,
}

/// Composition of the context, request by request.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ContextShow {
    /// Session id, or path where there is none.
    pub transcript: String,
    /// Path of the file.
    pub path: String,
    /// `claude-code`, …
    pub format: String,
    /// Title, where there is one.
    pub title: Option<String>,
    /// Of a subagent: what the client keeps beside its transcript.
    #[serde(default)]
    pub agent: Option<AgentFacts>,
    /// Ids of the transcripts of its subagents. Their requests and prices are not in any figure here.
    #[serde(default)]
    pub subagents: Vec<String>,
    /// Model of most requests.
    pub model: Option<String>,
    /// Tokenizer family that was used, and whether it was assumed.
    pub family: String,
    /// True if the family was assumed because the model is not known.
    pub family_assumed: bool,
    /// Window of the model in tokens, where known.
    pub context_window: Option<u64>,
    /// Believed bounds of counts of this family, in percent of what is shown, where it is an estimate; null
    /// where the family's own vocabulary counts.
    #[serde(default)]
    pub family_range_percent: Option<(u64, u64)>,
    /// The largest context: of those that are recorded, or of all where none is. Null without a request.
    #[serde(default)]
    pub peak: Option<ContextPeak>,
    /// What the largest context was made of, in round figures that add up. Null without a request.
    #[serde(default)]
    pub answer: Option<ContextAnswer>,
    /// The contexts by class and tool, in the order in which a chart stacks them.
    #[serde(default)]
    pub parts: Vec<ContextPart>,
    /// Requests that the client's digest proves. With fewer than all, the run is proved in part.
    #[serde(default)]
    pub proved_requests: u64,
    /// The setting in force while it was recorded; null where the requests carry none.
    #[serde(default)]
    pub in_force: Option<InForce>,
    /// One entry a request.
    pub requests: Vec<ContextRequest>,
    /// Compactions and other things that took content away while the transcript was written.
    pub events: Vec<ContextEvent>,
    /// Memory and instruction files that were loaded, the dearest first.
    pub memory_files: Vec<ContextFile>,
    /// Price of the run as recorded, in US dollars; null where a model has none.
    pub cost_usd: Option<f64>,
    /// True if the true price is higher, for one of the two reasons that follow.
    pub cost_is_lower_bound: bool,
    /// Requests for whose output the client recorded a placeholder. A simulation prices those by what the answers weigh.
    #[serde(default)]
    pub requests_with_placeholder_output: u64,
    /// Requests in fast mode whose model has no known price for it: they are priced as others are.
    #[serde(default)]
    pub requests_fast_without_price: u64,
    /// What the session cost by the client's own figures, subagents included, in US dollars; null where it does not say.
    #[serde(default)]
    pub client_cost_usd: Option<f64>,
    /// Tools that were called, as the client keeps them; empty where it does not.
    #[serde(default)]
    pub tools_used: Vec<String>,
    /// Requests that the client recorded and that no answer in the transcript belongs to: they failed or were given up, or were
    /// made for a summary.
    #[serde(default)]
    pub unanswered: Vec<UnansweredRequest>,
    /// Parts of the file that were not understood, in words; empty when nothing.
    pub remarks: Vec<Message>,
}

/// A recorded request without an answer in the transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UnansweredRequest {
    /// Its id, by which `context_request` shows it.
    pub id: String,
    /// When it was made.
    pub time: Option<String>,
    /// What asked: `sdk`, `compact`, `agent:…`.
    pub source: String,
    /// Number of its messages.
    pub messages: u64,
}

/// What a client keeps of a subagent beside its transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AgentFacts {
    /// Its type, such as `general-purpose`.
    pub agent_type: String,
    /// Why it was started, in the words of the agent that started it.
    pub description: Option<String>,
    /// The call that started it.
    pub tool_use_id: Option<String>,
    /// 1 for one that the main agent started, as the client tells it.
    pub depth: Option<u64>,
    /// True if it ran in the background.
    pub background: bool,
    /// False if it did not come to its end.
    pub finished: Option<bool>,
    /// Id of the session it belongs to, where the place of the file or its first line says so.
    pub session: Option<String>,
}

/// The largest context of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ContextPeak {
    /// Index of the request.
    pub request: u64,
    /// Its tokens.
    pub tokens: u64,
    /// Kind of these figures.
    pub kind: FigureKind,
}

/// One request.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ContextRequest {
    /// From 0.
    pub index: u64,
    /// Id of the response.
    pub id: String,
    /// When.
    pub time: Option<String>,
    /// Model, where it differs from the transcript's; always set in the terminal's JSON.
    pub model: Option<String>,
    /// Usage as recorded.
    pub recorded: Option<RecordedUsage>,
    /// Size of the context in tokens.
    pub context: u64,
    /// Kind of `context`.
    pub kind: FigureKind,
    /// Classes of its content. The sum is `context`.
    pub classes: ContextClasses,
    /// What `classes` rest on.
    #[serde(default)]
    pub rests_on: RestsOn,
    /// Whether the client's digest proves the request that it recorded; null where it recorded none.
    #[serde(default)]
    pub proved: Option<bool>,
}

/// What a composition rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RestsOn {
    /// The request as it was sent: rebuilt and proved. What its parts do not explain is the framing that the API adds.
    Request,
    /// The lines of the transcript. What they do not explain is not recorded: mostly system prompt and tools.
    #[default]
    Transcript,
}

/// Asks for one request as it was sent.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct RequestBodyReq {
    /// See [`ContextShowReq::transcript`].
    pub transcript: String,
    /// Index of the request, from 0, or the id of a recorded one or its beginning.
    pub at: String,
    /// True for the body as canonical JSON, to the byte, in place of `body`.
    #[serde(default)]
    pub raw: bool,
}

/// One request as it was sent.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RequestBody {
    /// Its index among the requests of the transcript; null for one without an answer there, such as that of a compaction.
    pub index: Option<u64>,
    /// Its id as the client recorded it, else that of the response.
    pub id: String,
    /// What asked, as the client recorded it: `sdk`, `compact`, `agent:…`. Null where nothing is recorded.
    pub source: Option<String>,
    /// True where the client's digest proves it; null where the client recorded nothing.
    pub proved: Option<bool>,
    /// Why it is not proved, in one sentence.
    pub reason: Option<Message>,
    /// The body; null where nothing can be put together, and where `raw` is asked for.
    #[ts(type = "unknown")]
    pub body: Value,
    /// The body as canonical JSON, where asked for.
    #[serde(default)]
    pub raw: Option<String>,
}

/// Usage of one call as recorded.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct RecordedUsage {
    /// Uncached input.
    pub input: u64,
    /// Written to the cache.
    pub cache_creation: u64,
    /// Read from the cache.
    pub cache_read: u64,
    /// Output. Clients before 2.1.98 recorded a placeholder.
    pub output: u64,
}

/// Tokens by class. All but `not_recorded` are counted offline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ContextClasses {
    /// System prompt and tool definitions, where the file holds them.
    pub system: i64,
    /// Instruction files (CLAUDE.md and the like).
    pub instructions: i64,
    /// Memory files.
    pub memory: i64,
    /// Results of tools.
    pub tool_results: i64,
    /// Calls of tools: names and inputs.
    pub tool_inputs: i64,
    /// Text of both sides, summaries included.
    pub text: i64,
    /// Thinking.
    pub thinking: i64,
    /// Tokens of client attachments, images and documents.
    pub attachments: i64,
    /// The recorded context less everything above. Never below zero.
    pub not_recorded: i64,
    /// By how much the counts came out higher than the recorded context: they were brought down to it in proportion. In no
    /// sum.
    #[serde(default)]
    pub over_counted: i64,
}

/// Something that took content away, or changed it in place, while the transcript was written.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ContextEvent {
    /// Index of the first request after it.
    pub before_request: u64,
    /// `compaction`, `microcompaction`, `rewind`, `replaced`, `server_edit`.
    pub event: ContextEventKind,
    /// Tokens before, as recorded or from the request before.
    pub tokens_before: Option<u64>,
    /// Tokens after.
    pub tokens_after: Option<u64>,
    /// One sentence.
    pub note: Message,
}

/// A file that was loaded into the context.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ContextFile {
    /// Path as recorded.
    pub path: String,
    /// `memory` or `instructions`.
    pub class: CarriedClass,
    /// Tokens of its content when it was last loaded whole, counted offline.
    pub tokens: u64,
    /// True if only parts of it were loaded: `tokens` are those of the largest.
    #[serde(default)]
    pub partial: bool,
    /// Requests that carried it.
    pub requests: u64,
    /// Price of carrying it in this session, in US dollars, at the recorded share of cached input; null without a price.
    pub cost_usd: Option<f64>,
}

/// Asks what one request was made of.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct CompositionReq {
    /// See [`ContextShowReq::transcript`].
    pub transcript: String,
    /// Index of the request, from 0.
    pub request: u64,
}

/// Composition of one request, in detail.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Composition {
    /// Index of the request.
    pub request: u64,
    /// Size of its context.
    pub context: u64,
    /// Kind of `context`.
    pub kind: FigureKind,
    /// By class.
    pub classes: ContextClasses,
    /// Memory and instruction files in it.
    pub files: Vec<NamedTokens>,
    /// Results by tool.
    pub tool_results: Vec<NamedTokens>,
    /// Inputs by tool.
    pub tool_inputs: Vec<NamedTokens>,
    /// Tokens of the system prompt, where the request holds it; a part of `system`.
    #[serde(default)]
    pub system_prompt: u64,
    /// Definitions of tools; a part of `system`.
    #[serde(default)]
    pub tools: Vec<NamedTokens>,
    /// What the client put in, by kind; instructions and memory among them.
    #[serde(default)]
    pub attachments: Vec<NamedTokens>,
    /// What the classes rest on.
    #[serde(default)]
    pub rests_on: RestsOn,
    /// The largest single blocks: what they are and where.
    pub largest: Vec<LargeBlock>,
}

/// Tokens under a name.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct NamedTokens {
    /// Name of a tool, path of a file.
    pub name: String,
    /// Number of them.
    pub count: u64,
    /// Their tokens.
    pub tokens: u64,
}

/// A block that takes much room.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct LargeBlock {
    /// Label, such as `Read src/main.rs`.
    pub label: String,
    /// Its tokens.
    pub tokens: u64,
    /// Index of the first request that carried it.
    pub since_request: u64,
}

/// Asks for the messages around one request, with what a setting would have cleared.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct TurnReq {
    /// See [`ContextShowReq::transcript`].
    pub transcript: String,
    /// Index of the request.
    pub request: u64,
    /// Setting whose clearings are marked.
    #[serde(default)]
    pub variant: Option<Variant>,
    /// Messages from this position of the request's list; when absent, those that end with the answer.
    #[serde(default)]
    pub from: Option<u64>,
    /// At most so many messages; 40 when absent, 400 at most.
    #[serde(default)]
    pub limit: Option<u64>,
    /// Only messages and parts that hold this text, in any case of letters.
    #[serde(default)]
    pub find: Option<String>,
}

/// Messages of one request.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Turn {
    /// Index of the request.
    pub request: u64,
    /// Position of the first message shown.
    pub from: u64,
    /// Messages the request sent, plus one for its answer; of these, those that hold what was searched for.
    pub total: u64,
    /// What stands before the messages: the system prompt (origin `system_prompt`) and the definitions of tools (`tools`), where
    /// the request is recorded.
    #[serde(default)]
    pub preamble: Vec<TurnMessage>,
    /// The messages.
    pub messages: Vec<TurnMessage>,
    /// What asked, as the client recorded it. Null where it recorded nothing.
    #[serde(default)]
    pub source: Option<String>,
    /// True where the client's digest proves the request; null where the client recorded nothing.
    #[serde(default)]
    pub proved: Option<bool>,
    /// Why it is not proved, in one sentence.
    #[serde(default)]
    pub reason: Option<Message>,
}

/// One message.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TurnMessage {
    /// Position in the request's list.
    pub position: u64,
    /// `user`, `assistant` or `system`.
    pub role: MessageRole,
    /// `typed`, `model`, `tool_results`, `client`, `summary`, `synthetic`, `unsaid`; before the messages `system_prompt`, `tools`.
    pub origin: MessageOrigin,
    /// When.
    pub time: Option<String>,
    /// Line of the file.
    pub line: u64,
    /// True if it is the answer to this request.
    pub answer: bool,
    /// Its blocks.
    pub blocks: Vec<TurnBlock>,
}

/// One block.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TurnBlock {
    /// `text`, `thinking`, `tool_use`, `tool_result`, `image`, `document`, `attachment`, `compaction`, `unknown`,
    /// `tool` for the definition of one.
    pub block: TurnBlockKind,
    /// Name of the tool, type of the attachment, or empty.
    pub name: String,
    /// Id of the tool use, for calls and results.
    pub tool_use_id: Option<String>,
    /// The text, or the input as JSON. Cut at 20,000 characters.
    pub text: String,
    /// True if `text` is cut.
    pub cut: bool,
    /// True if the tool failed.
    pub is_error: bool,
    /// Tokens, counted offline.
    pub tokens: u64,
    /// True if the setting would have cleared it at this request: it would be gone.
    pub cleared: bool,
}

/// Asks what the memory files cost.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct MemoryPricesReq {
    /// Only this store, id or name; files of transcripts outside any store too when absent.
    #[serde(default)]
    pub store: Option<String>,
}

/// Costs of memory files.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct MemoryPrices {
    /// Files, the dearest first.
    pub files: Vec<MemoryPrice>,
    /// Sessions looked at.
    pub sessions: u64,
    /// Of those, sessions whose transcript tells what was loaded.
    pub sessions_telling: u64,
    /// True if it was stopped before all sessions were read.
    pub cancelled: bool,
}

/// Cost of one memory file.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct MemoryPrice {
    /// Path as recorded in transcripts, or below the store.
    pub path: String,
    /// Tokens of the live file, or when it was last loaded whole; counted offline.
    pub tokens: u64,
    /// True if only parts of it were ever loaded and no live file is known: `tokens` are those of the largest part.
    #[serde(default)]
    pub partial: bool,
    /// Sessions in which it was loaded.
    pub sessions: u64,
    /// Mean tokens of what a session loaded of it, as it was then; null where none did. The price is of these, and not of
    /// `tokens`.
    #[serde(default)]
    pub loaded_tokens_per_session: Option<u64>,
    /// Mean price of carrying it through a session, in US dollars; null without a price or a session.
    pub cost_usd_per_session: Option<f64>,
    /// When it was last loaded.
    pub last_loaded_at: Option<String>,
    /// Why sessions loaded it: the session began, a compaction, the model read it, … One session may have several.
    #[serde(default)]
    pub reasons: Vec<ReasonCount>,
}

/// In how many sessions a file was loaded for a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReasonCount {
    /// Why.
    pub reason: super::LoadReason,
    /// Sessions.
    pub sessions: u64,
}

/// The table of prices.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Prices {
    /// Lines, the user's own first.
    pub prices: Vec<Price>,
    /// Where a user's own lines are kept.
    pub own_file: String,
    /// Problem of that file, in words; null when nothing.
    pub own_file_problem: Option<Message>,
}

/// Prices of one model in US dollars per million tokens.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Price {
    /// Prefix of model ids.
    pub model: String,
    /// Prompts up to so many tokens; null without tiers.
    pub up_to: Option<u64>,
    /// From this day on; null when always.
    pub from: Option<String>,
    /// Window in tokens.
    pub window: Option<u64>,
    /// Input.
    pub input: f64,
    /// Output.
    pub output: f64,
    /// Cache write with a life of 5 minutes.
    pub cache_write_5m: f64,
    /// Cache write with a life of 1 hour.
    pub cache_write_1h: f64,
    /// Cache read.
    pub cache_read: f64,
    /// Where the line comes from.
    pub source: String,
    /// As of which day.
    pub date: String,
}
