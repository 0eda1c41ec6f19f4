//! The account of a reading: nothing is left out silently.

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
    pub oddities: BTreeMap<String, u64>,
}

impl Account {
    /// Number of malformed lines that are described.
    pub const KEPT: usize = 100;
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Malformed {
    /// From 1.
    pub line: u64,
    /// Why, without any of its content.
    pub reason: String,
}
