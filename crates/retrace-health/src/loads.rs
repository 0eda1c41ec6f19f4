//! Memories that sessions loaded, by store: from the transcripts on this machine, for health and expiry.
//!
//! Only main conversations are known. A session concerns a store when its transcript lies beside the store (Claude Code keeps
//! both in the project's folder), when it ran in the store's project, or when it loaded any memory of the store.

use crate::Checks;
use crate::check;
use crate::wire::ApiError;
use crate::wire::{LoadReason, show};
use retrace_findings::{MemoryUse, Usage};
use retrace_lab::{SessionUses, is_beside, is_for_every_project, is_of_project, memory_uses, project_of};
use retrace_log::MemoryAt;
use retrace_model::Timestamp;
use retrace_sessions::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// The job's name: `task` of its progress, and what `cancel` stops it by.
const JOB: &str = "health";

/// Loads of every session on this machine.
pub(crate) struct SessionLoads {
    sessions: Vec<(Arc<Entry>, Arc<SessionUses>)>,
    /// True if reading was stopped.
    pub cancelled: bool,
}

/// Loads of one store by sessions.
#[derive(Debug, Default)]
pub(crate) struct Loads {
    /// When each session that concerns the store and tells what it loaded came to its end.
    pub sessions: Vec<Timestamp>,
    /// By path, every memory of the store.
    pub memories: BTreeMap<String, Loaded>,
}

/// In how many sessions a memory was loaded, and when last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Loaded {
    pub sessions: u64,
    pub last: Option<Timestamp>,
    /// By reason: sessions that loaded it for it.
    pub reasons: BTreeMap<LoadReason, u64>,
}

/// A session that loaded one memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loading {
    pub session: String,
    pub title: Option<String>,
    pub project: Option<String>,
    pub at: Option<Timestamp>,
    pub reasons: BTreeSet<LoadReason>,
    /// True if the client's hook told it.
    pub hook: bool,
}

impl SessionLoads {
    /// Reads the transcripts that are not known yet. Where that is being done already, this runs beside it: what either has
    /// read the other finds.
    ///
    /// # Errors
    /// None so far; work without a name can always begin.
    pub(crate) fn read(inner: &Arc<Checks>) -> Result<Self, ApiError> {
        let job = inner.jobs.begin(Some(JOB)).or_else(|_| inner.jobs.begin(None))?;
        let sessions = memory_uses(&inner.lab, &job, JOB);
        Ok(Self { sessions, cancelled: job.is_stopped() })
    }

    /// Sessions that tell what they loaded.
    pub(crate) fn telling(&self) -> u64 {
        self.sessions.iter().filter(|(_, uses)| uses.is_telling()).count() as u64
    }

    /// Adds the sessions that loaded the file `whole` of the store at `root`. Answers how many concern the store.
    pub(crate) fn loading(&self, root: &Path, whole: &str, found: &mut BTreeMap<String, Loading>) -> u64 {
        let project = project_of(root);
        let mut concerned = 0;
        for (entry, uses) in self.sessions.iter().filter(|(_, uses)| uses.is_telling()) {
            let own = uses.loaded().any(|path| Path::new(path).starts_with(root));
            concerned += u64::from(own || concerns(entry, root, project.as_deref()));
            if !uses.loaded().any(|path| path == whole) {
                continue;
            }
            let Some(summary) = &entry.summary else { continue };
            let name = summary.session.id.clone().unwrap_or_else(|| show(&entry.path));
            let row = found.entry(name.clone()).or_insert_with(|| Loading {
                session: name,
                title: summary.session.title.clone(),
                project: summary.session.project.clone(),
                ..Loading::default()
            });
            row.at = row.at.max(summary.last_at);
            row.reasons.extend(uses.reasons(whole));
        }
        concerned
    }

    /// Loads of the store at `root`, whose live memories are these.
    pub(crate) fn of(&self, root: &Path, memories: &[MemoryAt]) -> Loads {
        let paths: BTreeMap<String, String> = memories
            .iter()
            .filter_map(|memory| memory.path.as_ref())
            .map(|path| (show(&root.join(path.to_text())), path.to_text()))
            .collect();
        let project = project_of(root);
        let mut loads = Loads::default();
        loads.memories.extend(paths.values().map(|path| (path.clone(), Loaded::default())));
        for (entry, uses) in self.sessions.iter().filter(|(_, uses)| uses.is_telling()) {
            let Some(at) = entry.summary.as_ref().and_then(|summary| summary.last_at) else { continue };
            let mut own = false;
            for whole in uses.loaded() {
                own |= Path::new(whole).starts_with(root);
                let Some(loaded) = paths.get(whole).and_then(|path| loads.memories.get_mut(path)) else {
                    continue;
                };
                loaded.sessions += 1;
                loaded.last = loaded.last.max(Some(at));
                uses.reasons(whole).for_each(|reason| *loaded.reasons.entry(reason).or_default() += 1);
            }
            if own || concerns(entry, root, project.as_deref()) {
                loads.sessions.push(at);
            }
        }
        loads
    }
}

impl Loads {
    /// The same as findings and proposals of expiry want it.
    pub(crate) fn usage(&self, memories: &[MemoryAt]) -> Usage {
        let mut usage = Usage::default();
        for memory in memories {
            let Some(path) = memory.path.as_ref().map(ToString::to_string) else { continue };
            let Some(loaded) = self.memories.get(&path) else { continue };
            let changed = memory.version.created_at;
            let since = loaded.last.map_or(changed, |last| last.max(changed));
            let Some(last_changed) = check::day(changed) else { continue };
            let used = MemoryUse {
                last_loaded: loaded.last.and_then(check::day),
                last_changed,
                sessions_since: self.sessions.iter().filter(|at| **at > since).count() as u64,
            };
            usage.memories.insert(path, used);
        }
        usage
    }
}

fn concerns(entry: &Entry, root: &Path, project: Option<&Path>) -> bool {
    let ran_in =
        || entry.project().is_some_and(|ran| project.is_some_and(|project| is_of_project(project, ran)));
    is_beside(root, &entry.path) || is_for_every_project(root) || ran_in()
}
