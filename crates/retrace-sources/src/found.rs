//! Result of a discovery.

use crate::Problem;
use retrace_message::Message;
use retrace_model::StoreKind;
use std::path::PathBuf;

/// Everything one discovery found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    /// Directories that are agent memory: first those that are enabled and there, then by kind, name and root.
    pub found: Vec<Found>,
    /// Places that could not be read, were refused or were cut short, in the order it was met, without repeats.
    pub problems: Vec<Problem>,
}

/// One directory that is believed to be agent memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The directory, absolute.
    pub root: PathBuf,
    /// Whose memory it is.
    pub kind: StoreKind,
    /// A name for people, unique within one discovery: `app · auto memory`, `reviewer agent (user)`, `Codex`.
    pub name: String,
    /// Why it is believed to be that: one plain sentence fragment each, strongest first, never empty.
    pub evidence: Vec<Message>,
    /// The project it belongs to, where the agent's own files say so. The path may be gone, or be one of another machine.
    pub project: Option<PathBuf>,
    /// True if the directory is there now. A place an agent is configured to use is listed before its first write.
    pub exists: bool,
    /// True if the agent reads and writes it under the present settings.
    pub enabled: bool,
    /// Why it is on or off, in plain sentences.
    pub reason: Message,
    /// Files in it that are memories by the default [`retrace_model::Rules`].
    pub files: u64,
    /// `false` when counting stopped early, at [`crate::MAX_COUNTED_FILES`] or at a directory that may not be read.
    pub files_complete: bool,
    /// For subagent memory: who shares it.
    pub scope: Option<AgentScope>,
}

impl Found {
    /// A directory that is there and in use, not yet counted.
    pub(crate) fn new(root: PathBuf, kind: StoreKind, name: String, evidence: Vec<Message>) -> Self {
        Self {
            root,
            kind,
            name,
            evidence,
            project: None,
            exists: true,
            enabled: true,
            reason: Message::default(),
            files: 0,
            files_complete: true,
            scope: None,
        }
    }

    /// The same, with the reason why it is on.
    pub(crate) fn because(mut self, reason: Message) -> Self {
        self.reason = reason;
        self
    }

    /// The same, belonging to `project`.
    pub(crate) fn of_project(mut self, project: Option<PathBuf>) -> Self {
        self.project = project;
        self
    }
}

/// Who shares a subagent's memory. Source: Claude Code documentation, subagents page, the `memory` field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AgentScope {
    /// All projects of this user: `<config root>/agent-memory/<agent>/`.
    User,
    /// Everybody who has the repository: `<repository>/.claude/agent-memory/<agent>/`.
    Project,
    /// This user in this project: `<repository>/.claude/agent-memory-local/<agent>/`.
    Local,
}

impl AgentScope {
    /// The printed form, as the `memory` field of an agent file has it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }
}
