//! Snapshots that projects offer to a subagent's memory, compared with what is there. Nothing is copied.

use crate::Checks;
use crate::diff::diff_of;
use crate::wire::{self, AgentSnapshot, ApiError, ProjectSnapshot, SnapshotChange, StoreRef};
use crate::wire::{SnapshotFileChange, SnapshotScope};
use crate::wire::{sentence, show};
use retrace_engine::root_of;
use retrace_model::{RelPath, StoreId};
use retrace_sources::AgentScope;
use retrace_sources::{
    AgentSnapshots, Snapshot, SnapshotFile, SnapshotState, agent_snapshots, is_snapshot_memory,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The snapshots that projects have for the agent whose memory a store is: what the agent would do with each, and what that
/// would change, file by file.
///
/// # Errors
/// `not_found` for an unknown store, `invalid` for one that is no subagent's memory.
pub fn agent_snapshot(inner: &Arc<Checks>, request: StoreRef) -> Result<AgentSnapshot, ApiError> {
    let store = inner.read(|reader| inner.store_named(reader, &request.store))?;
    inner.store_root(&store)?;
    let root = root_of(&store);
    let found = agent_snapshots(&inner.options.surroundings, &root).ok_or_else(|| {
        ApiError::invalid(say::store_not_memory_subagent_claude(), request.store)
            .hint(say::only_directory_such_claude_agent())
    })?;
    Ok(AgentSnapshot {
        agent: found.memory.agent.clone(),
        scope: match found.memory.scope {
            AgentScope::User => SnapshotScope::User,
            AgentScope::Project => SnapshotScope::Project,
            AgentScope::Local => SnapshotScope::Local,
        },
        root: show(&root),
        local_files: found.local.len() as u64,
        snapshots: found.snapshots.iter().map(|snapshot| view(store.id, &found, snapshot)).collect(),
        problems: found.problems.iter().map(sentence).collect(),
    })
}

fn view(store: StoreId, found: &AgentSnapshots, snapshot: &Snapshot) -> ProjectSnapshot {
    let names: BTreeSet<&String> = found.local.keys().chain(snapshot.files.keys()).collect();
    ProjectSnapshot {
        project: show(&snapshot.project),
        directory: show(&snapshot.directory),
        state: match snapshot.state {
            SnapshotState::Unusable => wire::SnapshotState::Unusable,
            SnapshotState::Initialise => wire::SnapshotState::Initialise,
            SnapshotState::Ask => wire::SnapshotState::Ask,
            SnapshotState::Current => wire::SnapshotState::Current,
        },
        reason: snapshot.reason.clone(),
        updated_at: snapshot.updated_at.clone(),
        synced_from: snapshot.synced_from.clone(),
        changes: names
            .into_iter()
            .map(|name| change(store, name, found.local.get(name), snapshot.files.get(name)))
            .collect(),
    }
}

fn change(
    store: StoreId,
    name: &str,
    local: Option<&SnapshotFile>,
    snapshot: Option<&SnapshotFile>,
) -> SnapshotChange {
    let change = match (local, snapshot) {
        (None, _) => SnapshotFileChange::Added,
        (Some(local), Some(snapshot)) if local == snapshot && local.bytes.is_some() => {
            SnapshotFileChange::Same
        }
        (Some(_), Some(_)) => SnapshotFileChange::Changed,
        (Some(_), None) if is_snapshot_memory(name) => SnapshotFileChange::Deleted,
        (Some(_), None) => SnapshotFileChange::Kept,
    };
    let bytes = |file: Option<&SnapshotFile>| match file {
        None => Some(None),
        Some(file) => file.bytes.clone().map(Some),
    };
    let diff = match (change, bytes(local), bytes(snapshot), RelPath::parse(name)) {
        (SnapshotFileChange::Same | SnapshotFileChange::Kept, ..) => None,
        (_, Some(before), Some(after), Ok(path)) => {
            Some(diff_of(store, &path, before, after.unwrap_or_default()))
        }
        _ => None,
    };
    SnapshotChange {
        path: name.to_owned(),
        change,
        local_size_bytes: local.map(|file| file.size),
        snapshot_size_bytes: snapshot.map(|file| file.size),
        diff,
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "snapshot";
    store_not_memory_subagent_claude() => "This store is not the memory of a subagent of Claude Code.",
    only_directory_such_claude_agent() => "Only a directory such as .claude/agent-memory/AGENT can have a snapshot.",
}
