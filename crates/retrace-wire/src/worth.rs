//! What memories cost sessions, and what they do for them.

use super::MemoryEffect;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks what memories cost and do.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct MemoryWorthReq {
    /// Only this store, id or name; every listed store when absent.
    #[serde(default)]
    pub store: Option<String>,
    /// Only this memory, `STORE:PATH`; with it `store` is not looked at.
    #[serde(default)]
    pub memory: Option<String>,
}

/// What memories cost and do: what costs and does nothing comes first.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct MemoriesWorth {
    /// The live memories.
    pub memories: Vec<MemoryWorth>,
    /// True if reading the transcripts was stopped.
    pub cancelled: bool,
}

/// One memory.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct MemoryWorth {
    /// The store.
    pub store_id: String,
    /// Its name.
    pub store: String,
    /// The memory.
    pub memory_id: String,
    /// Its path.
    pub path: String,
    /// Mean tokens of what a session loaded of it, as it was then; of its content, counted offline, where none did.
    pub tokens_per_session: u64,
    /// Mean price of carrying it in a session that loaded it, where the price of its model is known.
    pub cost_usd_per_session: Option<f64>,
    /// Conversations that could have had it, subagents among them.
    pub sessions: u64,
    /// Of these, those in which any line of it was before the model.
    pub present: u64,
    /// The rules on the list that come from it.
    pub rules: Vec<RuleWorth>,
    /// What it does, as far as that can be counted.
    pub effect: MemoryEffect,
}

/// How sessions fared with a rule before its line was written and after.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RuleWorth {
    /// The rule's id.
    pub rule_id: String,
    /// Its sentence.
    pub sentence: String,
    /// While the line did not stand there.
    pub before: RuleTally,
    /// While it stood there, in any wording.
    pub after: RuleTally,
}

/// Points at which a rule was followed or broken. Below ten they are no rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RuleTally {
    /// It was followed.
    pub followed: u64,
    /// It was broken.
    pub broken: u64,
}
