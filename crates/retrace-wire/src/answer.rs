//! What the Context lab opens on: of what the largest context was made, and which setting would have cost least.

use super::simulations::{SimulationWarning, SweepPoint};
use super::vocabulary::PartClass;
use retrace_message::Message;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// A part of the contexts of a run: a class, or the results of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ContextPart {
    /// Its class.
    pub class: PartClass,
    /// The tool, of results; null for tools that have no part of their own.
    pub tool: Option<String>,
    /// Its tokens, by request. Those of all parts add up to the context of the request.
    pub tokens: Vec<u64>,
}

/// What the largest context was made of, to be said in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ContextAnswer {
    /// Index of the request.
    pub request: u64,
    /// Its tokens.
    pub tokens: u64,
    /// The same in round figures. What is `said` of the parts and the rest adds up to it.
    pub said: u64,
    /// The parts that are named, the largest first.
    pub parts: Vec<AnswerPart>,
    /// All other parts; null where every part is named.
    pub rest: Option<AnswerRest>,
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AnswerPart {
    /// Its class.
    pub class: PartClass,
    /// The tool, of results.
    pub tool: Option<String>,
    /// Its tokens.
    pub tokens: u64,
    /// The same in round figures.
    pub said: u64,
}

/// The parts that an answer does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AnswerRest {
    /// Number of parts.
    pub count: u64,
    /// Their tokens.
    pub tokens: u64,
    /// The same in round figures.
    pub said: u64,
}

/// The setting that was in force while a run was recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct InForce {
    /// As the requests carry it.
    #[ts(type = "unknown")]
    pub config: Value,
    /// What it does, in a few words.
    pub what: Message,
    /// Requests that carry exactly it.
    pub requests: u64,
}

/// Asks which setting would have cost least over a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct RecommendReq {
    /// See [`ContextShowReq::transcript`](super::ContextShowReq::transcript).
    pub transcript: String,
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

/// The setting that would have cost least over a run, once results that are read again are paid for.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Recommendation {
    /// Session id, or path.
    pub transcript: String,
    /// The setting; null where none saves enough, and `why` says so.
    pub best: Option<SweepPoint>,
    /// What ran: what all settings are compared with.
    pub baseline: SweepPoint,
    /// Change of the input, as a share of that of `baseline`; negative for less. Null without a recommendation.
    pub input_change: Option<f64>,
    /// Change of the price in US dollars; null without a recommendation or a price.
    pub cost_change_usd: Option<f64>,
    /// Results that would be read again, beyond those of what ran.
    pub read_again: u64,
    /// Why it is this one, or why none is; a sentence each.
    pub why: Vec<Message>,
    /// Settings that were tried.
    pub tried: u64,
    /// What ran, doing without a setting, and every setting tried.
    pub points: Vec<SweepPoint>,
    /// True if it was stopped before its end.
    pub cancelled: bool,
    /// Warnings about the recommended setting on this run.
    pub warnings: Vec<SimulationWarning>,
    /// Requests in fast mode whose model has no known price for it: costs are lower bounds.
    pub requests_fast_without_price: u64,
}
