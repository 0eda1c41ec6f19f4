//! Whether a conversation ran where a store's memory is loaded.

use super::memories::StoreAt;
use super::project::{is_of_project, project_of};
use retrace_engine::root_of;
use retrace_model::StoreKind;
use retrace_presence::{Conversation, Digest, Place, Shelf};
use retrace_sessions::{AgentName, Entry, RootKind};
use retrace_sources::{repository_of, slug_matches};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// First version of Claude Code with a memory of its own.
const MEMORY_SINCE: [u64; 3] = [2, 1, 59];

/// Remembers which repository a directory lies in.
#[derive(Default)]
pub(crate) struct Places {
    repositories: HashMap<String, Option<String>>,
    /// By directory of a store.
    projects: HashMap<PathBuf, Option<PathBuf>>,
    /// By project and directory: whether work there is work on the project.
    worked: HashMap<(PathBuf, String), bool>,
}

/// A conversation of a transcript.
pub(crate) struct Spoken<'a> {
    /// Kind of the place where the transcript lies.
    pub kind: Option<RootKind>,
    pub path: &'a Path,
    /// Directory it ran in, as the index knows it, for a conversation that does not tell.
    pub project: Option<&'a str>,
    pub digest: &'a Digest,
    pub shelf: &'a Shelf,
    pub agent: Option<&'a AgentName>,
    pub is_subagent: bool,
}

/// True for the transcript of a subagent, or a conversation inside another.
pub(crate) fn is_subagent(entry: Option<&Entry>, agent: Option<&AgentName>, part: usize) -> bool {
    part > 0 || agent.is_some() || entry.is_some_and(Entry::is_subagent)
}

impl Places {
    /// The conversation as presence of a store's memories wants it: the one answer to whether it could have had them. `holds`
    /// is true if it is known to have held any of them.
    pub(crate) fn conversation<'a>(
        &mut self,
        store: &StoreAt,
        spoken: &Spoken<'a>,
        holds: bool,
    ) -> Conversation<'a> {
        let place = match self.place(store, spoken) {
            // Where it held a memory of the store, that was its memory.
            Place::Elsewhere
                if store.row.kind != StoreKind::ClaudeAuto && (holds || held_any(store, spoken)) =>
            {
                Place::Here
            }
            place => place,
        };
        let client_version = || version(spoken.digest.client_version.as_deref());
        let infers = match (store.row.kind, spoken.kind) {
            (StoreKind::ClaudeAuto, Some(RootKind::ClaudeCode)) => {
                client_version().is_some_and(|version| version >= MEMORY_SINCE)
            }
            // Every version that has a private memory loads its index whole (0.61.0, `memoryDiscovery.ts`).
            (StoreKind::Gemini, Some(RootKind::Gemini)) => true,
            _ => false,
        };
        Conversation::new(spoken.digest, spoken.shelf)
            .at_place(place)
            .of_subagent(spoken.is_subagent)
            .inferring(infers)
            .in_system_prompt(matches!(store.row.kind, StoreKind::ClaudeAgent | StoreKind::Gemini))
    }

    fn place(&mut self, store: &StoreAt, spoken: &Spoken<'_>) -> Place {
        let root = root_of(&store.row);
        let lies_beside = |root: &Path| root.parent().is_some_and(|parent| spoken.path.starts_with(parent));
        let is_here = match store.row.kind {
            StoreKind::ClaudeAuto => {
                let folder = root.parent().and_then(Path::file_name).map(OsStr::to_string_lossy);
                let directory = spoken.digest.directory.as_deref();
                lies_beside(&root)
                    || loaded_index(store, spoken.digest)
                    || folder.zip(directory).is_some_and(|(folder, ran)| self.shares(&folder, ran))
            }
            StoreKind::ClaudeAgent => {
                let name = root.file_name().map(OsStr::to_string_lossy);
                // The agent of a plugin has a colon in its name, which no directory has.
                let is_for =
                    |(agent, name): (&AgentName, Cow<'_, str>)| agent.agent_type.replace(':', "-") == name;
                if !spoken.agent.zip(name).is_some_and(is_for) {
                    return Place::OtherAgent;
                }
                // A memory of the person lies beside the transcripts; one of a project is of the agent of that project.
                let own = root.ancestors().find(|above| above.file_name() == Some(".claude".as_ref()));
                own.is_some_and(|own| spoken.path.starts_with(own))
                    || self.project(store, &root).is_none_or(|project| {
                        let ran = spoken.digest.directory.as_deref().or(spoken.project);
                        ran.is_none_or(|ran| self.is_work_on(&project, ran))
                    })
            }
            StoreKind::Codex => spoken.kind == Some(RootKind::Codex),
            StoreKind::Gemini => spoken.kind == Some(RootKind::Gemini) && lies_beside(&root),
            _ => match self.project(store, &root) {
                Some(project) => {
                    let ran = spoken.digest.directory.as_deref().or(spoken.project);
                    ran.is_some_and(|ran| self.is_work_on(&project, ran))
                }
                // It is of no project: whoever knows of it can read it.
                None => true,
            },
        };
        if is_here { Place::Here } else { Place::Elsewhere }
    }

    /// The project of a store that no client loads by itself.
    fn project(&mut self, store: &StoreAt, root: &Path) -> Option<PathBuf> {
        let found = || if store.row.has_directory() { project_of(root) } else { None };
        self.projects.entry(root.to_path_buf()).or_insert_with(found).clone()
    }

    /// True for a store that no project and no agent has.
    pub(crate) fn is_of_no_project(&mut self, store: &StoreAt) -> bool {
        !super::shared::is_of_an_agent(store.row.kind) && self.project(store, &root_of(&store.row)).is_none()
    }

    fn is_work_on(&mut self, project: &Path, directory: &str) -> bool {
        let asked = (project.to_path_buf(), directory.to_owned());
        *self.worked.entry(asked).or_insert_with(|| is_of_project(project, directory))
    }

    /// True if sessions in a directory share the memory of the project with this folder: the folder is called as the repository.
    fn shares(&mut self, folder: &str, directory: &str) -> bool {
        let repository = self.repositories.entry(directory.to_owned()).or_insert_with(|| {
            repository_of(Path::new(directory)).map(|repository| crate::wire::show(&repository))
        });
        slug_matches(folder, repository.as_deref().unwrap_or(directory))
    }
}

/// True if the conversation held a file of the store.
fn held_any(store: &StoreAt, spoken: &Spoken<'_>) -> bool {
    spoken.digest.pieces.iter().any(|piece| store.inside(&piece.path).is_some())
}

/// True if the client loaded the store's index by itself.
fn loaded_index(store: &StoreAt, digest: &Digest) -> bool {
    digest.pieces.iter().any(|piece| piece.is_whole() && store.inside(&piece.path).is_some())
}

fn version(text: Option<&str>) -> Option<[u64; 3]> {
    let number = text?.split(['-', '+']).next().unwrap_or_default();
    let mut parts = number.split('.').map(|part| part.parse::<u64>().ok());
    Some([parts.next()??, parts.next()??, parts.next()??])
}
