//! The words in which presence is told.

use serde::{Deserialize, Serialize};

/// How well a presence or an absence is known, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// The request was rebuilt and its digest is equal.
    Proved,
    /// An attachment or a result in the transcript says so.
    Recorded,
    /// It follows from documented rules and what the log has of that time.
    Inferred,
    /// Nothing says so.
    Unknown,
}

/// Why a line was not before the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// It was written later.
    DidNotExist,
    /// It read differently then.
    OtherVersion,
    /// It stood behind the limit of what is loaded.
    Cut,
    /// Nobody opened the file, or this part of it.
    NotOpened,
    /// The session ran in a directory whose memory is another.
    OtherDirectory,
    /// The client loaded no memory.
    SwitchedOff,
    /// The subagent got no memory.
    Subagent,
    /// It was there and went in a compaction.
    Compacted,
    /// It was there and a context edit took it out.
    Cleared,
    /// The file is for paths that nobody touched, or for another agent.
    NotInScope,
    /// The client took it out of the text, as it does with comments and front matter.
    Stripped,
    /// Nothing tells.
    Unknown,
}

/// The way in which a text came before the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Way {
    /// Loaded by the client at the start, or again after a compaction.
    Instructions,
    /// Loaded by the client with a file that the agent read.
    Nested,
    /// Attached by the client: mentioned by a person, or read lately before a compaction.
    Attached,
    /// Chosen by the client as fitting.
    Recalled,
    /// Read by the model.
    Read,
    /// Written by the model.
    Written,
    /// In the output of a command that names the file.
    Command,
}

impl Way {
    /// True if the client brings the whole file, as far as its limits go.
    pub(crate) const fn is_whole(self) -> bool {
        matches!(self, Self::Instructions | Self::Nested)
    }
}
