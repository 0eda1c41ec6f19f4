//! Settings tried on the context of a run: forecasts, sweeps, what a deployed setting reported, exports, kept variants.

use super::tokens::FigureKind;
use crate::{RegretRule, StopCause};
use retrace_message::Message;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// Asks what settings would do to a transcript.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct SimulateReq {
    /// See [`ContextShowReq::transcript`].
    pub transcript: String,
    /// Settings to try, at least one.
    pub variants: Vec<Variant>,
    /// Model to price and default by, in place of the recorded one.
    #[serde(default)]
    pub model: Option<String>,
    /// Life of the cache: `5m` or `1h`. As recorded when absent.
    #[serde(default)]
    pub cache_ttl: Option<String>,
    /// List at each request all that is cleared there, as the terminal's JSON does, and not only what is newly cleared.
    #[serde(default)]
    pub all_cleared: bool,
    /// Answer also what ran under the setting in force, where the recorded requests carry one.
    #[serde(default)]
    pub in_force: bool,
}

/// Asks for what a chart draws of settings over a transcript, which is much less to send than [`Simulations`].
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct LinesReq {
    /// See [`ContextShowReq::transcript`].
    pub transcript: String,
    /// Settings to try, at least one.
    pub variants: Vec<Variant>,
    /// See [`SimulateReq::model`].
    #[serde(default)]
    pub model: Option<String>,
    /// See [`SimulateReq::cache_ttl`].
    #[serde(default)]
    pub cache_ttl: Option<String>,
}

/// Chart lines of settings.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SimulatedLines {
    /// One a variant, in order: null for a setting that the API would refuse, so that a slider's neighbours can be asked for
    /// unseen.
    pub lines: Vec<Option<SimulatedLine>>,
}

/// A setting with a name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// The value of `context_management` (`{"edits":[…]}`), `{"compaction_control":{…}}`, `{"compaction":{…},"at":…}`, or
    /// `{}` for no editing.
    #[ts(type = "unknown")]
    pub config: Value,
}

/// Simulations of settings.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Simulations {
    /// One a variant, in order.
    pub simulations: Vec<Simulation>,
    /// What ran under the setting in force: what the others are compared with. Null where it was not asked for, and where the
    /// recorded requests carry none, so that no editing is what ran.
    #[serde(default)]
    pub in_force: Option<Simulation>,
}

/// Chart line of a simulation. Requests are named by their index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SimulatedLine {
    /// Tokens of each request with the setting; as many as the run would have, which is fewer where it stops early.
    pub after: Vec<u64>,
    /// Requests at which tool results or inputs are newly cleared.
    pub cleared: Vec<u64>,
    /// Requests at which nothing but more thinking is cleared.
    pub thinking: Vec<u64>,
    /// Requests before which the run is compacted.
    pub compacted: Vec<u64>,
    /// Requests that need again what was cleared, each once, in order.
    pub needed_again: Vec<u64>,
}

/// Simulation of one setting.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Simulation {
    /// Session id, or path.
    pub transcript: String,
    /// Name of the variant.
    pub name: String,
    /// What the setting does, in a few words: the name of a variant that nobody named.
    #[serde(default = "unsaid")]
    pub what: Message,
    /// True for what ran under the setting in force: sizes and prices are those that were recorded.
    #[serde(default)]
    pub in_force: bool,
    /// The setting, with defaults filled in.
    #[ts(type = "unknown")]
    pub config: Value,
    /// Model priced by.
    pub model: Option<String>,
    /// Warnings before deploying it.
    pub warnings: Vec<SimulationWarning>,
    /// Sums.
    pub totals: SimulationTotals,
    /// One entry a request.
    pub requests: Vec<SimulatedRequest>,
    /// Compactions it would make.
    pub compactions: Vec<SimulatedCompaction>,
    /// Results cleared and later needed.
    pub regrets: Vec<Regret>,
    /// Where the run would end before the recorded one; null where it does not.
    pub stopped: Option<SimulationStopped>,
}

/// Of a simulation that was saved before it said what its setting does.
fn unsaid() -> Message {
    Message::verbatim("")
}

/// End of a run under a setting before the recorded one. Requests after it have zeros.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SimulationStopped {
    /// Index of the last request that is made.
    pub last: u64,
    /// `endless_compaction`, `max_iterations` or `refusal`.
    pub reason: StopCause,
}

/// Something to know before deploying a setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SimulationWarning {
    /// For programs, such as `trigger_never_reached`.
    pub code: String,
    /// A sentence that names the number.
    pub message: Message,
}

/// Sums over a run under a setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct SimulationTotals {
    /// Largest context.
    pub peak: u64,
    /// Input over all requests.
    pub input: u64,
    /// Requests at which something was newly cleared.
    pub clears: u64,
    /// Compactions.
    pub compactions: u64,
    /// Input written to the cache.
    pub cache_writes: u64,
    /// Input read from the cache.
    pub cache_reads: u64,
    /// Requests at which the cached prefix was broken.
    pub cache_breaks: u64,
    /// Price in US dollars; null where a model has none.
    pub cost_usd: Option<f64>,
    /// Requests in fast mode whose model has no known price for it: they are priced as others are, and `cost_usd` is a lower
    /// bound.
    #[serde(default)]
    pub requests_fast_without_price: u64,
    /// Results cleared and later needed.
    pub regrets: u64,
    /// Requests until a clearing has paid for itself, over all clearings; null where none does or none is.
    pub pays_back_after: Option<f64>,
    /// Kind of the figures: the weakest kind among the requests.
    pub kind: FigureKind,
    /// Half width of the range of `peak`, in percent, where it is estimated.
    pub range_percent: Option<f64>,
}

/// One request under a setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct SimulatedRequest {
    /// From 0.
    pub index: u64,
    /// Context without the setting.
    pub before: u64,
    /// Context with it.
    pub after: u64,
    /// Ends of the range of `after`, where it is estimated.
    pub range: Option<(u64, u64)>,
    /// Kind of `after`.
    pub kind: FigureKind,
    /// Tool uses whose results are newly cleared at this request; all that are cleared with
    /// [`SimulateReq::all_cleared`].
    pub cleared_tool_use_ids: Vec<String>,
    /// Tool uses whose inputs are newly cleared at this request.
    pub cleared_tool_inputs: Vec<String>,
    /// Turns of thinking cleared in all.
    pub cleared_thinking_turns: u64,
    /// Edits that the response would report.
    #[ts(type = "unknown[]")]
    pub applied_edits: Vec<Value>,
    /// Tokens before the first that differs from the request before; null where the cached prefix holds.
    pub cache_break_at: Option<u64>,
    /// Tokens read from the cache.
    #[serde(default)]
    pub cache_read: u64,
    /// Tokens written to the cache.
    #[serde(default)]
    pub cache_write: u64,
    /// Price in US dollars.
    pub cost_usd: Option<f64>,
}

/// A compaction that a setting would make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct SimulatedCompaction {
    /// Index of the request at which it takes place.
    pub request: u64,
    /// Context that triggered it.
    pub tokens_before: u64,
    /// Size of the summary: the middle of the range.
    pub summary: u64,
    /// Ends of the range.
    pub summary_range: (u64, u64),
    /// Price of making it, in US dollars.
    pub cost_usd: Option<f64>,
    /// The request whose answer is thrown away and asked for again, for the SDK's compaction.
    pub dropped_response: Option<u64>,
}

/// A result that was cleared and later needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Regret {
    /// The tool use.
    pub tool_use_id: String,
    /// Label, such as `Read src/main.rs`.
    pub label: String,
    /// Tokens of its result.
    pub tokens: u64,
    /// Index of the request at which it was cleared.
    pub cleared_at: u64,
    /// Index of the request whose answer needed it.
    pub needed_at: u64,
    /// `read_again`, `run_again`, `quoted`, `edited_against`.
    pub rule: RegretRule,
    /// Evidence: the call made again, or the words quoted.
    pub evidence: Message,
}

/// Tries a grid of settings over transcripts.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct SweepReq {
    /// See [`ContextShowReq::transcript`]; several.
    pub transcripts: Vec<String>,
    /// The grid: a setting whose values may be lists under `"grid"`. See `docs/CONTEXT.md`.
    #[ts(type = "unknown")]
    pub grid: Value,
    /// Name of the job, chosen by the caller; progress events carry it as `task`, and `cancel` takes it.
    #[serde(default)]
    pub job: Option<String>,
    /// Model to price and default by, in place of the recorded one.
    #[serde(default)]
    pub model: Option<String>,
    /// Life of the cache: `5m` or `1h`. As recorded when absent.
    #[serde(default)]
    pub cache_ttl: Option<String>,
}

/// Result of a sweep.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Sweep {
    /// What ran under the settings in force, where recorded requests carry one; then no setting, which is always tried; then
    /// every setting tried, in the order of the grid.
    pub points: Vec<SweepPoint>,
    /// Settings that were tried over how many transcripts.
    pub transcripts: u64,
    /// True if it was stopped before its end; `points` are those done.
    pub cancelled: bool,
    /// Warnings about the settings on these transcripts.
    #[serde(default)]
    pub warnings: Vec<SimulationWarning>,
    /// Requests in fast mode whose model has no known price for it: they are priced as others are, and all costs are lower
    /// bounds.
    #[serde(default)]
    pub requests_fast_without_price: u64,
}

/// One setting of a sweep.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SweepPoint {
    /// The setting.
    pub variant: Variant,
    /// Largest context over all transcripts.
    pub peak: u64,
    /// Price over all transcripts in US dollars; null where a model has none.
    pub cost_usd: Option<f64>,
    /// Input over all transcripts.
    pub input: u64,
    /// Results cleared and later needed.
    pub regrets: u64,
    /// Clearings.
    pub clears: u64,
    /// True if no other setting, and not doing without one, is as good in peak, cost and regrets and better in one. A setting
    /// that is as none in all three is not.
    pub pareto: bool,
    /// True if it is what the others are compared with: what ran under the settings in force, else no setting.
    #[serde(default)]
    pub baseline: bool,
    /// True if it is what ran under the settings in force, each transcript under its own.
    #[serde(default)]
    pub in_force: bool,
    /// What the setting does, in a few words.
    #[serde(default = "unsaid")]
    pub what: Message,
}

/// Names a job to stop.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct JobRef {
    /// Its name.
    pub job: String,
}

/// Result of stopping a job.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Cancelled {
    /// False when no such job runs.
    pub cancelled: bool,
}

/// Compares the edits a server reported with what the simulator forecasts for the setting that was in force.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct DeployedReq {
    /// See [`ContextShowReq::transcript`].
    pub transcript: String,
    /// The setting; that of the recorded requests when absent.
    #[serde(default)]
    pub variant: Option<Variant>,
}

/// Forecast beside report.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Deployed {
    /// The setting compared with the reports.
    pub variant: Option<Variant>,
    /// Requests that reported something or were forecast to.
    pub requests: Vec<DeployedRequest>,
    /// Requests that say what the server edited, even if nothing.
    pub reporting: u64,
    /// Of those, how many agree in the number of cleared uses and turns.
    pub agreeing: u64,
}

/// One request, forecast beside report.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct DeployedRequest {
    /// Its index.
    pub index: u64,
    /// Edits that the simulator forecasts.
    #[ts(type = "unknown[]")]
    pub forecast: Vec<Value>,
    /// Edits that the response reports.
    #[ts(type = "unknown[]")]
    pub reported: Vec<Value>,
    /// Difference in freed tokens, forecast less reported, in percent of reported; null without both.
    pub error_percent: Option<f64>,
}

/// Asks for a setting in a form to deploy, with the evidence for it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ExportReq {
    /// See [`ContextShowReq::transcript`]: the evidence. None is needed.
    #[serde(default)]
    pub transcript: Option<String>,
    /// The setting.
    pub variant: Variant,
    /// Further settings a report compares with.
    #[serde(default)]
    pub against: Vec<Variant>,
    /// `json`, `curl`, `python`, `typescript` or `html`.
    pub format: String,
    /// Model to name in the code; the transcript's when absent.
    #[serde(default)]
    pub model: Option<String>,
}

/// A file to save or copy.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Exported {
    /// A name for it.
    pub file_name: String,
    /// Its media type.
    pub media_type: String,
    /// Its content.
    pub text: String,
}

/// Settings that were saved.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Variants {
    /// By name.
    pub variants: Vec<Variant>,
}

/// Names a saved setting.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct VariantRef {
    /// Its name.
    pub name: String,
}
