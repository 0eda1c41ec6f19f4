//! Snapshots of subagent memory that a project brings along: whether an agent would take one over, and what is in it.
//!
//! Layout and rules are not in the vendor's documentation; several independent third-party descriptions of the client agree
//! on them (medium confidence):
//! - `<project>/.claude/agent-memory-snapshots/<agent>/` holds files and `snapshot.json` with `updatedAt`;
//! - the memory directory holds `.snapshot-synced.json` with `syncedFrom`, the time of the snapshot taken over last;
//! - a memory directory without a Markdown file is initialised: the files are copied. One that has any is left, and the person
//!   is asked when `updatedAt` is after `syncedFrom`, or nothing was taken over before;
//! - an accepted update deletes the Markdown files of the memory directory, and then copies;
//! - only files directly in the directory count, links do not.
//!
//! Deliberately absent: doing any of it. This only looks.

use crate::claude;
use crate::scan::{Scan, Sort};
use crate::{AgentScope, Problem, Surroundings, config_root};
use retrace_message::Message;
use retrace_model::{MAX_FILE_BYTES, Timestamp};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const FOLDER: &str = ".claude";
const MEMORY: &str = "agent-memory";
const MEMORY_LOCAL: &str = "agent-memory-local";
const SNAPSHOTS: &str = "agent-memory-snapshots";
const SNAPSHOT_FILE: &str = "snapshot.json";
const SYNCED_FILE: &str = ".snapshot-synced.json";

/// Largest `snapshot.json` read, in bytes; it holds one time.
const MAX_META_BYTES: u64 = 64 * 1024;

/// The memory of a subagent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentMemory {
    /// The agent's name: that of its directory.
    pub agent: String,
    /// Who shares the memory.
    pub scope: AgentScope,
    /// The project it belongs to; none for the user's.
    pub project: Option<PathBuf>,
}

/// Snapshots that projects offer an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSnapshots {
    /// The memory.
    pub memory: AgentMemory,
    /// Files directly in the memory directory, by name.
    pub local: BTreeMap<String, SnapshotFile>,
    /// One a project that has a directory for this agent, by project.
    pub snapshots: Vec<Snapshot>,
    /// Files that could not be read.
    pub problems: Vec<Problem>,
}

/// A snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The project.
    pub project: PathBuf,
    /// The directory.
    pub directory: PathBuf,
    /// Action of the agent.
    pub state: SnapshotState,
    /// Why: one plain sentence.
    pub reason: Message,
    /// `updatedAt`, as it is written.
    pub updated_at: Option<String>,
    /// `syncedFrom`, as it is written.
    pub synced_from: Option<String>,
    /// The files that would be copied, by name.
    pub files: BTreeMap<String, SnapshotFile>,
}

/// Action of the agent on a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotState {
    /// Nothing: it has no usable `snapshot.json`.
    Unusable,
    /// Copy it, since there is no memory yet.
    Initialise,
    /// Ask the person.
    Ask,
    /// Nothing: this one was taken over already.
    Current,
}

impl SnapshotState {
    /// The printed form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unusable => "unusable",
            Self::Initialise => "initialise",
            Self::Ask => "ask",
            Self::Current => "current",
        }
    }
}

/// A file of either side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotFile {
    /// Size in bytes.
    pub size: u64,
    /// Its bytes; none where it is over the size cap of recording or cannot be read.
    pub bytes: Option<Vec<u8>>,
}

/// Whose memory the directory `root` is, by its place; `None` where it is no subagent's.
#[must_use]
pub fn agent_memory(surroundings: &Surroundings, root: &Path) -> Option<AgentMemory> {
    let agent = root.file_name()?.to_str()?.to_owned();
    let above = root.parent()?;
    let (folder, base) = (above.file_name()?.to_str()?, above.parent()?);
    let project = || (base.file_name()? == FOLDER).then(|| base.parent().map(Path::to_path_buf))?;
    let config = config_root(surroundings);
    let is_user = base == config || config.canonicalize().is_ok_and(|config| base == config);
    let (scope, project) = match folder {
        MEMORY if is_user => (AgentScope::User, None),
        MEMORY => (AgentScope::Project, Some(project()?)),
        MEMORY_LOCAL => (AgentScope::Local, Some(project()?)),
        _ => return None,
    };
    Some(AgentMemory { agent, scope, project })
}

/// Snapshots that projects offer the agent whose memory is `root`; `None` where that is no subagent's memory. For a
/// user's agent every project that is known here is looked at.
#[must_use]
pub fn agent_snapshots(surroundings: &Surroundings, root: &Path) -> Option<AgentSnapshots> {
    let memory = agent_memory(surroundings, root)?;
    let mut scan = Scan::default();
    let projects: BTreeSet<PathBuf> = match &memory.project {
        Some(project) => BTreeSet::from([project.clone()]),
        None => {
            // Failures of discovery belong to its own report.
            let (_, projects) = claude::find(surroundings, &mut Scan::default());
            projects.into_iter().map(|project| project.directory).filter(|path| path.is_absolute()).collect()
        }
    };
    let local = files(&mut scan, root);
    let synced_from = meta(&mut scan, &root.join(SYNCED_FILE), "syncedFrom");
    let mut snapshots = Vec::new();
    for project in projects {
        let parts = [FOLDER, SNAPSHOTS, &memory.agent];
        let Some(directory) = scan.directory(&project, &parts) else { continue };
        let updated_at = meta(&mut scan, &directory.join(SNAPSHOT_FILE), "updatedAt");
        let (state, reason) = state(updated_at.as_deref(), synced_from.as_deref(), &local);
        let mut files = files(&mut scan, &directory);
        files.remove(SNAPSHOT_FILE);
        let synced_from = synced_from.clone();
        snapshots.push(Snapshot { project, directory, state, reason, updated_at, synced_from, files });
    }
    Some(AgentSnapshots { memory, local, snapshots, problems: scan.into_problems() })
}

/// True if a file of a memory directory counts as memory, and is deleted by an update.
#[must_use]
pub fn is_snapshot_memory(name: &str) -> bool {
    name.ends_with(".md")
}

fn state(
    updated_at: Option<&str>,
    synced_from: Option<&str>,
    local: &BTreeMap<String, SnapshotFile>,
) -> (SnapshotState, Message) {
    let Some(updated_at) = updated_at else {
        let reason = say::not_or_names_no_time(SNAPSHOT_FILE);
        return (SnapshotState::Unusable, reason);
    };
    if !local.keys().any(|name| is_snapshot_memory(name)) {
        let reason = say::no_memory_yet_agent_would();
        return (SnapshotState::Initialise, reason);
    }
    match synced_from {
        None => (SnapshotState::Ask, say::memory_no_snapshot_taken_over()),
        Some(synced_from) if is_after(updated_at, synced_from) => {
            (SnapshotState::Ask, say::snapshot_newer_than_one_taken())
        }
        Some(_) => (SnapshotState::Current, say::snapshot_taken_over_already()),
    }
}

/// Times by what they say, else as texts: whoever wrote them had one form.
fn is_after(one: &str, other: &str) -> bool {
    match (Timestamp::parse(one), Timestamp::parse(other)) {
        (Ok(one), Ok(other)) => one > other,
        _ => one > other,
    }
}

fn meta(scan: &mut Scan, path: &Path, key: &str) -> Option<String> {
    let bytes = scan.beginning(path, MAX_META_BYTES)?;
    let value = match serde_json::from_slice::<Value>(&bytes) {
        Ok(value) => value,
        Err(error) => {
            scan.note(Problem::Damaged {
                path: path.to_owned(),
                message: Message::verbatim(error.to_string()),
            });
            return None;
        }
    };
    let text = scan.setting(path, &value, key, say::text(), Value::as_str)?;
    (!text.is_empty()).then(|| text.to_owned())
}

/// The files directly in a directory that are no links and not hidden.
fn files(scan: &mut Scan, directory: &Path) -> BTreeMap<String, SnapshotFile> {
    let mut files = BTreeMap::new();
    for entry in scan.entries(directory) {
        if entry.sort != Sort::File || entry.name.starts_with('.') {
            continue;
        }
        let Ok(metadata) = std::fs::symlink_metadata(&entry.path) else { continue };
        let size = metadata.len();
        let bytes = if size <= MAX_FILE_BYTES { scan.beginning(&entry.path, MAX_FILE_BYTES) } else { None };
        files.insert(entry.name, SnapshotFile { size, bytes });
    }
    files
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "snapshot";
    text() => "text",
    not_or_names_no_time(value) => "{value} is not there or names no time, so the agent leaves it alone.",
    no_memory_yet_agent_would() => "There is no memory yet: the agent would copy the snapshot when it starts.",
    memory_no_snapshot_taken_over() => "There is memory, and no snapshot was taken over before: the agent would ask.",
    snapshot_newer_than_one_taken() => "The snapshot is newer than the one taken over last: the agent would ask.",
    snapshot_taken_over_already() => "This snapshot was taken over already.",
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Home;

    fn states(home: &Home, memory: &str) -> Vec<&'static str> {
        let found = agent_snapshots(&home.surroundings(), &home.path(memory)).unwrap();
        found.snapshots.iter().map(|snapshot| snapshot.state.as_str()).collect()
    }

    #[test]
    fn whose_memory_a_directory_is() {
        let home = Home::new();
        let of = |path: &str| {
            agent_memory(&home.surroundings(), &home.path(path))
                .map(|memory| (memory.agent, memory.scope.as_str(), memory.project))
        };
        let app = Some(home.path("app"));
        assert_eq!(of(".claude/agent-memory/reviewer"), Some(("reviewer".to_owned(), "user", None)));
        assert_eq!(of("app/.claude/agent-memory/a"), Some(("a".to_owned(), "project", app.clone())));
        assert_eq!(of("app/.claude/agent-memory-local/a"), Some(("a".to_owned(), "local", app)));
        assert_eq!(of("app/agent-memory/a"), None);
        assert_eq!(of("app/.claude/memory"), None);
    }

    #[test]
    fn an_empty_memory_would_be_initialised_and_one_with_content_is_asked_about() {
        let home = Home::new();
        let memory = "app/.claude/agent-memory-local/reviewer";
        let snapshot = "app/.claude/agent-memory-snapshots/reviewer";
        home.make_directory(memory);
        assert_eq!(states(&home, memory), [""; 0]);
        home.write(&format!("{snapshot}/MEMORY.md"), "- From the team\n");
        assert_eq!(states(&home, memory), ["unusable"]);
        home.write(&format!("{snapshot}/snapshot.json"), r#"{"updatedAt": "2026-03-02T00:00:00Z"}"#);
        home.write(&format!("{memory}/notes.txt"), "Not a memory.\n");
        assert_eq!(states(&home, memory), ["initialise"]);
        home.write(&format!("{memory}/MEMORY.md"), "- Mine\n");
        assert_eq!(states(&home, memory), ["ask"]);
        let synced = format!("{memory}/.snapshot-synced.json");
        home.write(&synced, r#"{"syncedFrom": "2026-03-02T00:00:00.000Z"}"#);
        assert_eq!(states(&home, memory), ["current"]);
        home.write(&synced, r#"{"syncedFrom": "2026-03-01T23:59:59Z"}"#);
        assert_eq!(states(&home, memory), ["ask"]);
        home.write(&synced, "{");
        let found = agent_snapshots(&home.surroundings(), &home.path(memory)).unwrap();
        assert_eq!(found.snapshots[0].state, SnapshotState::Ask);
        assert_eq!(found.problems.len(), 1);
        assert_eq!(found.snapshots[0].files.keys().collect::<Vec<_>>(), ["MEMORY.md"]);
        assert_eq!(found.local.keys().collect::<Vec<_>>(), ["MEMORY.md", "notes.txt"]);
    }

    #[test]
    fn a_users_agent_is_offered_what_every_known_project_has() {
        let home = Home::new();
        home.make_directory(".claude/agent-memory/reviewer");
        for name in ["one", "two", "three"] {
            home.project(name);
        }
        for name in ["one", "two"] {
            home.write(
                &format!("{name}/.claude/agent-memory-snapshots/reviewer/snapshot.json"),
                r#"{"updatedAt": "2026-03-02T00:00:00Z"}"#,
            );
        }
        let found =
            agent_snapshots(&home.surroundings(), &home.path(".claude/agent-memory/reviewer")).unwrap();
        let projects: Vec<_> = found.snapshots.iter().map(|snapshot| snapshot.project.clone()).collect();
        assert_eq!(projects, [home.path("one"), home.path("two")]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_copied() {
        let home = Home::new();
        home.make_directory("app/.claude/agent-memory/a");
        home.write("app/secret.md", "No.\n");
        let snapshot = home.make_directory("app/.claude/agent-memory-snapshots/a");
        std::os::unix::fs::symlink("../../../secret.md", snapshot.join("x.md")).unwrap();
        home.write("app/.claude/agent-memory-snapshots/a/snapshot.json", r#"{"updatedAt": "x"}"#);
        let found = agent_snapshots(&home.surroundings(), &home.path("app/.claude/agent-memory/a")).unwrap();
        assert!(found.snapshots[0].files.is_empty());
    }
}
