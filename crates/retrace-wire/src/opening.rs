//! What is there when recording begins.

use super::{OpeningKind, StoreFinding};
use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What the recorded directories hold at present, and how many sessions there are.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Opening {
    /// Findings of warning or worse by group, the gravest group first; groups without any are left out.
    pub groups: Vec<OpeningGroup>,
    /// Memories that were checked.
    pub memories: u64,
    /// Stores that were checked.
    pub stores: u64,
    /// Sessions on this machine. Until the transcripts are read, the number of their files.
    pub sessions: u64,
    /// Stores that could not be checked, each a sentence.
    pub problems: Vec<Message>,
}

/// Findings of one group.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct OpeningGroup {
    /// Group.
    pub kind: OpeningKind,
    /// Findings; of `cut_index` the indexes.
    pub count: u64,
    /// Of `cut_index`, lines that no session loads, over all of them; otherwise 0.
    pub lines: u64,
    /// Name of the store of `first`.
    pub store: String,
    /// The gravest, with the acts that mend it.
    pub first: StoreFinding,
}
