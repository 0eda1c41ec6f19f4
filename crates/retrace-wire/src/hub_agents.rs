//! Keys of agents that use the Memory Stores of a hub.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks for a key with which an agent uses the hub's Memory Stores.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct HubAgentTokenReq {
    /// The store that it is for, by id or name; all stores without.
    pub store: Option<String>,
    /// True if it reads only.
    pub read_only: bool,
    /// Its name, which becomes a part of its id; one is made up without.
    pub name: Option<String>,
}

/// A key of an agent, as it is listed.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubAgentToken {
    /// Its id. Versions that it wrote have it as their author.
    pub id: String,
    /// The store that it is for; none for all stores.
    pub store: Option<String>,
    /// The store's name.
    pub store_name: Option<String>,
    /// True if it reads only.
    pub read_only: bool,
    /// When it was made.
    pub created_at: String,
    /// When it was revoked.
    pub revoked_at: Option<String>,
}

/// A key that was made. It is told once.
#[derive(Clone, Serialize, Deserialize, TS)]
pub struct HubAgentTokenMade {
    /// The key.
    pub token: String,
    /// What is listed of it.
    pub made: HubAgentToken,
}

/// Every key that was ever made, the newest first.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HubAgentTokens {
    /// The keys.
    pub tokens: Vec<HubAgentToken>,
}

/// Names a key of an agent.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct HubAgentTokenRef {
    /// Its id, or its name.
    pub id: String,
}
