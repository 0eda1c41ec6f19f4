//! What a machine said at a hub beside its versions: comments and proposals. It remembers that it did, without their texts, and asks
//! whether they are there still: a hub whose database was restored may have lost them.

use serde::{Deserialize, Serialize};

/// A comment was taken.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Commented {
    /// What it is known by; none from an older hub.
    #[serde(default)]
    pub comment: Option<SaidComment>,
}

/// A comment: its number may be another one's after a backup was restored, and its time with it is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaidComment {
    /// Its number.
    pub number: u64,
    /// When the hub took it.
    pub at: i64,
}

/// Asks which of these the hub has no more, though nobody removed them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct AskSaid {
    /// Comments of the asking machine.
    pub comments: Vec<SaidComment>,
    /// Proposals of the asking machine, by their ids.
    pub proposals: Vec<String>,
}

/// What the hub lost.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LostSaid {
    /// Numbers of comments.
    pub comments: Vec<u64>,
    /// Ids of proposals.
    pub proposals: Vec<String>,
}
