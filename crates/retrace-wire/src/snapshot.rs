//! Snapshots of a subagent's memory that projects bring along.

use crate::{SnapshotFileChange, SnapshotScope};
use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Snapshots that projects offer to a subagent's memory.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct AgentSnapshot {
    /// The agent.
    pub agent: String,
    /// `user`, `project` or `local`.
    pub scope: SnapshotScope,
    /// Its memory directory.
    pub root: String,
    /// Files directly in it.
    pub local_files: u64,
    /// One a project that has a snapshot for this agent, by project.
    pub snapshots: Vec<ProjectSnapshot>,
    /// Files that could not be read.
    pub problems: Vec<Message>,
}

/// A snapshot, and what the agent would do with it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ProjectSnapshot {
    /// The project.
    pub project: String,
    /// The snapshot's directory.
    pub directory: String,
    /// `initialise`: the agent would copy it, since there is no memory yet. `ask`: it would ask the person. `current`: it was
    /// taken over already. `unusable`: it names no time.
    pub state: super::SnapshotState,
    /// Why, as a sentence.
    pub reason: Message,
    /// Time of the snapshot, as it is written there.
    pub updated_at: Option<String>,
    /// Time of the snapshot that was taken over last, as it is written in the memory.
    pub synced_from: Option<String>,
    /// Change of each file by taking it over, by path: files of the snapshot, and files of the memory.
    pub changes: Vec<SnapshotChange>,
}

/// Change of one file by taking a snapshot over.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SnapshotChange {
    /// Name of the file.
    pub path: String,
    /// `added`, `changed`, `same`; `deleted`: a memory that the snapshot does not have; `kept`: a file that is no memory.
    pub change: SnapshotFileChange,
    /// Bytes now; null when it is not there.
    pub local_size_bytes: Option<u64>,
    /// Bytes in the snapshot; null when it is not there.
    pub snapshot_size_bytes: Option<u64>,
    /// From the memory to the snapshot; null for `same` and `kept`, and where a side is too large to be compared.
    pub diff: Option<super::FileDiff>,
}
