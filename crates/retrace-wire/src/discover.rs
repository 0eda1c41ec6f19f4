//! Agent memory on this machine.

use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Searches for agent memory. Only reads.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct DiscoverReq {
    /// Home directory to look in; the user's own when absent.
    #[serde(default)]
    pub home: Option<String>,
    /// Further project directories to look in.
    #[serde(default)]
    pub projects: Vec<String>,
}

/// Result of discovery.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Discovered {
    /// Directories, those in use first.
    pub found: Vec<Found>,
    /// Places that could not be read or were refused, each in a sentence.
    pub problems: Vec<DiscoveryProblem>,
}

/// One directory that holds agent memory.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Found {
    /// The directory.
    pub root: String,
    /// Store kind, as in [`super::Store`].
    pub kind: super::StoreKind,
    /// Proposed name.
    pub name: String,
    /// Why it is believed to be that, one fact each.
    pub evidence: Vec<Message>,
    /// The project it belongs to.
    pub project: Option<String>,
    /// True if the agent uses it at present.
    pub enabled: bool,
    /// Why it is used or not.
    pub reason: Message,
    /// True if the directory exists.
    pub exists: bool,
    /// Memory files in it.
    pub files: u64,
    /// The store that records it already.
    pub store_id: Option<String>,
}

/// Something discovery could not use.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct DiscoveryProblem {
    /// File or setting concerned.
    pub subject: String,
    /// Problem.
    pub message: Message,
}

/// Projects with memory that appeared after recording began: neither recorded nor declined.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct NewProjects {
    /// Directories that hold memory and are in use, by path.
    pub found: Vec<Found>,
    /// True if such directories are recorded without asking.
    pub always: bool,
}

/// Answers the notice about new projects, or changes the setting.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct NewProjectsReq {
    /// Directories, as in [`Found::root`], that are not to be recorded and not offered again.
    #[serde(default)]
    pub decline: Vec<String>,
    /// Directories to be offered again.
    #[serde(default)]
    pub offer: Vec<String>,
    /// Record new projects without asking, or ask; as before when absent.
    #[serde(default)]
    pub always: Option<bool>,
}
