//! Sessions that machines share with a hub.

use super::{HubShare, RuleLedger};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// Chooses what the sessions of a store share.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubShareReq {
    /// The store.
    pub store: String,
    /// What is shared from now on.
    pub share: HubShare,
}

/// What of sessions was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HubShared {
    /// Sessions that were new or had changed.
    #[ts(type = "number")]
    pub sessions: u64,
    /// Entries of transcripts.
    #[ts(type = "number")]
    pub entries: u64,
}

/// Asks for a page of the shared sessions of all machines.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct HubSessionsReq {
    /// Only this machine, by id or name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub machine: Option<String>,
    /// Where the page before ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub after: Option<String>,
    /// Sessions of the page, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// A page of sessions, the one that ended last first.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubSessions {
    /// The sessions.
    pub sessions: Vec<HubSession>,
    /// Where the next page begins; null after the last.
    pub next: Option<String>,
}

/// A session of any machine.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubSession {
    /// The machine; the hub itself for sessions that agents mirror.
    pub machine: String,
    /// Its name.
    pub machine_name: String,
    /// The session's id there.
    pub session: String,
    /// Whose it is: `claude-code`, `codex`, …
    pub agent: String,
    /// Names of the stores that share it.
    pub stores: Vec<String>,
    /// Names of their projects.
    pub projects: Vec<String>,
    /// When it began.
    pub started_at: Option<String>,
    /// When it ended, as far as is known.
    pub ended_at: Option<String>,
    /// Calls of the model.
    #[ts(type = "number")]
    pub requests: u64,
    /// Subagents.
    #[ts(type = "number")]
    pub subagents: u64,
    /// Tokens of input that was not cached.
    #[ts(type = "number")]
    pub input_tokens: u64,
    /// Tokens read from the cache.
    #[ts(type = "number")]
    pub cache_read_tokens: u64,
    /// Tokens written to the cache.
    #[ts(type = "number")]
    pub cache_write_tokens: u64,
    /// Tokens of output.
    #[ts(type = "number")]
    pub output_tokens: u64,
    /// Price in US dollars; null where a model has none.
    pub cost_usd: Option<f64>,
    /// Entries of its transcript at the hub.
    #[ts(type = "number")]
    pub entries: u64,
    /// Of these, those of which the hub keeps no text.
    #[ts(type = "number")]
    pub without_text: u64,
}

/// Asks where a memory was before a model, over the shared sessions of all machines.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct HubPresenceReq {
    /// `STORE:PATH`; the store by id, or by a name that any machine gives it.
    pub memory: String,
}

/// Where a memory was before a model.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubPresence {
    /// The memory, as it was named.
    pub memory: String,
    /// The sums over all machines.
    #[serde(flatten)]
    pub sums: HubPresenceSums,
    /// By machine.
    pub machines: Vec<HubMachinePresence>,
}

/// In how many shared sessions a memory was before a model.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct HubPresenceSums {
    /// Shared sessions that could have had it.
    #[ts(type = "number")]
    pub sessions: u64,
    /// Of these, those of which any request had any line of it.
    #[ts(type = "number")]
    pub present: u64,
    /// Of these, those in which that is inferred alone.
    #[ts(type = "number")]
    pub inferred: u64,
    /// When a request last had any of it.
    pub last_at: Option<String>,
    /// Why the others did not have it: sessions by cause.
    #[ts(type = "Record<string, number>")]
    pub absent: BTreeMap<String, u64>,
}

/// Where a memory was before a model on one machine.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubMachinePresence {
    /// The machine.
    pub machine: String,
    /// Its name.
    pub machine_name: String,
    /// Its store.
    pub store: String,
    /// The store's name.
    pub store_name: String,
    /// Those of this machine.
    #[serde(flatten)]
    pub sums: HubPresenceSums,
}

/// Asks how the shared sessions of all machines fared with rules.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct HubAdherenceReq {
    /// One rule, by its id at the hub.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub rule: Option<String>,
}

/// How the shared sessions of all machines fared with rules.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubAdherence {
    /// One row a rule.
    pub rules: Vec<HubRuleLedger>,
    /// Sessions that were counted.
    #[ts(type = "number")]
    pub sessions: u64,
}

/// How sessions fared with one rule. Its id is the hub's; the same rule has the same one on every machine.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubRuleLedger {
    /// The sums over all machines. The sentence is empty for whoever reads no contents.
    #[serde(flatten)]
    pub ledger: RuleLedger,
    /// By machine.
    pub machines: Vec<HubRuleMachine>,
}

/// How the sessions of one machine fared with a rule.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubRuleMachine {
    /// The machine.
    pub machine: String,
    /// Its name.
    pub machine_name: String,
    /// Points at which it applied.
    #[ts(type = "number")]
    pub opportunities: u64,
    /// It was followed.
    #[ts(type = "number")]
    pub followed: u64,
    /// It was not.
    #[ts(type = "number")]
    pub broken: u64,
    /// Of the broken ones: the rule was before the model.
    #[ts(type = "number")]
    pub broken_present: u64,
    /// Sessions with at least one opportunity.
    #[ts(type = "number")]
    pub sessions: u64,
    /// When it last applied.
    pub last_at: Option<String>,
}
