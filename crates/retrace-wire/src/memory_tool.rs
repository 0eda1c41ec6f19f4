//! Calls of the memory tool.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// One call of the memory tool `memory_20250818`, recorded with its author.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct MemoryToolReq {
    /// The store, by id, name or directory. Either this or `root`.
    #[serde(default)]
    pub store: Option<String>,
    /// The directory the model sees as `/memories`. Made when it is missing, and added as a store when it is none.
    #[serde(default)]
    pub root: Option<String>,
    /// `docs`, `py` or `ts`; `docs` when absent.
    #[serde(default)]
    pub dialect: Option<String>,
    /// The session that calls; nobody knows who when absent.
    #[serde(default)]
    pub session: Option<String>,
    /// The prompt the call is made after. Its first 500 characters are kept until something is redacted: a prompt can hold
    /// what no version holds.
    #[serde(default)]
    pub prompt: Option<String>,
    /// The turn of the session, from 1; kept likewise.
    #[serde(default)]
    pub turn: Option<u64>,
    /// The `input` of the `tool_use` block.
    #[ts(type = "unknown")]
    pub input: Value,
    /// Cut views after this many characters; 0 never cuts; as the dialect does when absent.
    #[serde(default)]
    pub view_characters: Option<u64>,
    /// Treatment of a write that adds a secret, personal data, or hidden or hostile text: `off`, `warn` (it is written,
    /// and the answer says what was found) or `refuse`; `off` when absent.
    #[serde(default)]
    pub guard: Option<String>,
    /// Text of a configuration for the guard, as in `check`; the rules as they come when absent. That of the directory is
    /// not used: whoever is guarded may write it.
    #[serde(default)]
    pub guard_config: Option<String>,
}

/// The answer to a call.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct MemoryToolAnswer {
    /// The text of the `tool_result`.
    pub content: String,
    /// True if it is an error the model should know of.
    pub is_error: bool,
    /// The operation that recorded it; nothing was changed when absent.
    pub operation_seq: Option<u64>,
    /// The versions it made, `memver_…`.
    pub versions: Vec<String>,
    /// Paths it changed that are no memories by the store's rules, such as hidden files, and are not recorded.
    pub not_recorded: Vec<String>,
}
