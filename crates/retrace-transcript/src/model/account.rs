//! The account of a reading: nothing is left out silently.

use retrace_message::{AsMessage, Message};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Account of a file's content, understood or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Account {
    /// Bytes read.
    pub bytes: u64,
    /// Lines that are not blank; 1 for a file that is one JSON value.
    pub lines: u64,
    /// Lines or blocks of a type that is not known, with how many of each.
    pub unknown: BTreeMap<String, u64>,
    /// Lines of a known type that carry no context (progress, snapshots, …), with how many of each.
    pub without_context: BTreeMap<String, u64>,
    /// Lines that could not be read: the first [`Account::KEPT`].
    pub malformed: Vec<Malformed>,
    /// Number of lines that could not be read.
    pub malformed_lines: u64,
    /// True if the last line is cut, as in a file that is still written. It is not among the malformed.
    pub last_line_cut: bool,
    /// Further things worth saying, such as a cycle among parents or two messages with one id, with how many of each.
    pub oddities: BTreeMap<Oddity, u64>,
}

impl Account {
    /// Number of malformed lines that are described.
    pub const KEPT: usize = 100;
}

/// A thing worth reporting about a file.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    thiserror::Error,
    AsMessage,
)]
#[message("oddity")]
#[serde(rename_all = "snake_case")]
pub enum Oddity {
    /// A line that was there before.
    #[error("line repeated")]
    LineRepeated,
    /// Two lines with one id.
    #[error("two lines with one uuid")]
    TwoLinesWithOneUuid,
    /// A line that comes before its parent.
    #[error("parent not before its child")]
    ParentNotBeforeItsChild,
    /// Lines that are their own ancestors.
    #[error("cycle among parents")]
    CycleAmongParents,
    /// A fork whose messages are left out.
    #[error("fork not followed")]
    ForkNotFollowed,
    /// A content of another form than a text or a list.
    #[error("content that is an object")]
    ContentThatIsAnObject,
    /// A compaction that keeps nothing of what it made.
    #[error("compaction without its new history")]
    CompactionWithoutItsNewHistory,
    /// Two messages with one id.
    #[error("two messages with one id")]
    TwoMessagesWithOneId,
    /// What was carried out of no call.
    #[error("carried out without a call")]
    CarriedOutWithoutACall,
    /// A list of messages that is left out.
    #[error("list of messages not followed")]
    ListOfMessagesNotFollowed,
    /// A request without a response.
    #[error("call without an answer")]
    CallWithoutAnAnswer,
    /// A response with several choices.
    #[error("further choices left out")]
    FurtherChoicesLeftOut,
    /// A fork whose original is not found: what it goes on from is not there.
    #[error("history of a fork, whose original is not found here")]
    ForkWithoutItsHistory,
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Malformed {
    /// From 1.
    pub line: u64,
    /// Why, without any of its content.
    #[serde(with = "retrace_message::saved_text")]
    pub reason: Message,
}
