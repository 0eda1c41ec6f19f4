//! Kinds of memory files.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Kind of a memory file, by its place, its name and its front matter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MemoryKind {
    /// `index`, `topic`, `daily_log`, `instructions`, `proposal`, or `other`.
    pub class: super::MemoryClass,
    /// Type of the front matter, as it stands there (`user`, `feedback`, `project`, `reference`, or another); null without one.
    pub memory_type: Option<String>,
    /// `project` (auto memory), `team`, or the scope of an agent's memory: `agent_user`, `agent_project`, `agent_local`; null elsewhere.
    pub scope: Option<super::MemoryScope>,
    /// Name of the agent whose memory it is.
    pub agent: Option<String>,
    /// Day of a daily log, `YYYY-MM-DD`.
    pub day: Option<String>,
}
