//! Instruction files that no store holds: the file as it is now stands for its version.

use super::places::Spoken;
use super::{cause, grade, memories};
use crate::wire::{PresenceCause, PresenceGrade, show};
use retrace_context::FileClass;
use retrace_presence::{Cause, Conversation, Loading, Memory, Place, Version};
use retrace_sessions::RootKind;
use std::path::{Path, PathBuf};

/// Most bytes of an instruction file; a client loads none that is larger.
const LARGEST: u64 = 4 << 20;

/// Directories of what a person tells each session of a client.
pub(super) const OF_PERSON: [&str; 4] = [".claude", ".codex", ".gemini", "opencode"];

/// The content of an instruction file, by its name. `None` for a file of another name, and for one that cannot be read.
#[must_use]
pub fn instruction_file(path: &Path) -> Option<String> {
    if is_instructions(path) { loaded_file(path) } else { None }
}

/// True for a file that a client loads as instructions, by its name.
pub(super) fn is_instructions(path: &Path) -> bool {
    let class = path.to_str().and_then(retrace_context::weigh::class_of_path);
    class == Some(FileClass::Instructions)
}

/// The content of a file that a client loaded as instructions, whatever it is called: another one may import it. `None` for what
/// is no plain file, and for one that cannot be read.
pub(super) fn loaded_file(path: &Path) -> Option<String> {
    let metadata = std::fs::symlink_metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > LARGEST {
        return None;
    }
    std::fs::read_to_string(path).ok()
}

/// An instruction file that is asked about.
pub struct FileAsked {
    path: PathBuf,
    /// Paths that transcripts may call it by.
    spellings: Vec<String>,
    /// The file where the client loads it when a session starts.
    at_start: Memory,
    /// The file where it is loaded when somebody opens a file beside it.
    on_demand: Memory,
}

impl FileAsked {
    /// A file with the content that its lines are numbered in.
    #[must_use]
    pub fn new(path: &Path, content: &str) -> Self {
        let mut spellings = vec![show(path)];
        if let Ok(real) = std::fs::canonicalize(path)
            && real != path
        {
            spellings.push(show(&real));
        }
        let memory = |loading| Memory::new(loading, vec![Version::stand_in(content)]);
        Self {
            path: path.to_path_buf(),
            spellings,
            at_start: memory(Loading::AtStart(memories::WHOLE)),
            on_demand: memory(Loading::OnDemand),
        }
    }

    /// Whether a request of a conversation had a line, and why not. `None` where that is not known.
    pub(super) fn had(
        &self,
        line: u64,
        spoken: &Spoken<'_>,
        request: usize,
    ) -> Option<(Result<(), PresenceCause>, PresenceGrade)> {
        let names: Vec<&str> = self.spellings.iter().map(String::as_str).collect();
        let pieces = spoken.digest.pieces_of(&names);
        let memory = if self.is_loaded_at_start(spoken) { &self.at_start } else { &self.on_demand };
        let place = if self.is_for(spoken.kind) { Place::Here } else { Place::OtherAgent };
        // These send instructions in a system prompt that they do not record, to subagents as well.
        let is_in_prompt = matches!(spoken.kind, Some(RootKind::Opencode | RootKind::Gemini));
        let conversation = Conversation::new(spoken.digest, spoken.shelf)
            .of_subagent(spoken.is_subagent)
            .in_system_prompt(is_in_prompt)
            .at_place(place);
        let at = conversation.at(memory, &pieces, Some(0), request)?;
        match at.lines.get(usize::try_from(line).ok()?.checked_sub(1)?)?.absent {
            None => Some((Ok(()), grade(at.grade))),
            Some(Cause::Unknown) => None,
            // What was loaded lacks the line; no version is kept that could say that the client took it out.
            Some(Cause::Stripped) => Some((Err(PresenceCause::OtherVersion), grade(at.grade))),
            Some(absent) => Some((Err(cause(absent)), grade(at.grade))),
        }
    }

    /// True for the files of the directories above the one where the conversation began, and for a person's own.
    fn is_loaded_at_start(&self, spoken: &Spoken<'_>) -> bool {
        let Some(folder) = self.path.parent() else { return true };
        let ran = spoken.digest.directory.as_deref().or(spoken.project);
        ran.is_none_or(|ran| Path::new(ran).starts_with(folder))
            || OF_PERSON.iter().any(|name| folder.ends_with(name))
    }

    /// False for a name that the client does not load.
    fn is_for(&self, kind: Option<RootKind>) -> bool {
        match (self.path.file_name().and_then(|name| name.to_str()), kind) {
            (Some("GEMINI.md"), Some(kind)) => kind == RootKind::Gemini,
            (Some("CLAUDE.md" | "CLAUDE.local.md"), Some(kind)) => {
                !matches!(kind, RootKind::Codex | RootKind::Gemini)
            }
            _ => true,
        }
    }
}
