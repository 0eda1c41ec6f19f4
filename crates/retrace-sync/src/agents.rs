//! Keys of agents: with one an agent uses the hub's Memory Stores, all of them or a single one.

use serde::{Deserialize, Serialize};

/// Letters of a key's name, at most.
pub const MAX_NAME: usize = 64;

/// True if a text can be the name of a key. It becomes a part of the key's id, by which versions name their author.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    !text.is_empty() && text.len() <= MAX_NAME && text.bytes().all(letter)
}

/// Asks for a key.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct NewAgentToken {
    /// The store that it is for, by id or name; all without.
    #[serde(default)]
    pub store: Option<String>,
    /// True if it reads only.
    #[serde(default)]
    pub read_only: bool,
    /// Its name; one is made up without.
    #[serde(default)]
    pub name: Option<String>,
}

/// A key, as it is listed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AgentToken {
    /// Its id: `apikey_` and its name. Versions have it as their author.
    pub id: String,
    /// The store that it is for; all without.
    pub store: Option<String>,
    /// The store's name.
    pub store_name: Option<String>,
    /// True if it reads only.
    pub read_only: bool,
    /// When it was made.
    pub created_at: i64,
    /// When it was revoked.
    pub revoked_at: Option<i64>,
}

/// A key that was made. It is told once; the hub keeps its hash.
#[derive(Clone, Serialize, Deserialize)]
pub struct AgentTokenMade {
    /// The key.
    pub token: String,
    /// What is listed of it.
    pub made: AgentToken,
}

/// Every key that was ever made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AgentTokens {
    /// The keys, the newest first.
    pub tokens: Vec<AgentToken>,
}

/// Names a key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AgentTokenId {
    /// Its id, or its name.
    pub id: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_stand_in_an_id() {
        for name in ["ci", "Agent-7.west_2", &"x".repeat(MAX_NAME)] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "a b", "a/b", "ä", "a\n", &"x".repeat(MAX_NAME + 1)] {
            assert!(!is_name(name), "{name:?}");
        }
    }
}
