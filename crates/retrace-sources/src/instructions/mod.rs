//! Instruction files: what people wrote for agents, beside what agents remember. Which files a session started in a
//! directory would load, in the order in which it would, and why.
//!
//! Claude Code's hierarchy (`CLAUDE.md`, `CLAUDE.local.md`, `.claude/rules`, `AGENTS.md` where there is none of them, with
//! imports), `AGENTS.md` as Codex and opencode read it, and `GEMINI.md` as Gemini CLI does. The rules are those of the
//! programs themselves, seen with the versions of [`InstructionAgent::seen_with`]; docs/KINDS.md writes them down, and
//! `tests/it/layouts` holds them against the programs.
//!
//! Deliberately absent: what is given on a command line (`--add-dir`, `--append-system-prompt`), instructions that are
//! fetched from an address, instruction files of further editors, and writing of any kind.
//!
//! Invariants:
//! - A link is followed where the agent follows it, and never silently: [`Instruction::leads_to`] says where it leads.
//! - An import from outside is read only where the agent would read it: the user's own, or one that the user approved.
//! - Every walk is bounded; a bound that was reached is a [`Problem`].
//! - The same disk and the same surroundings give the same answer in the same order.

mod claude;
mod codex;
mod gemini;
mod imports;
mod opencode;
mod reasons;
mod rule;
#[cfg(test)]
mod tests;

use crate::scan::{Scan, Sort};
use crate::{AgentProgram, Problem, Surroundings, agent_programs};
use reasons::say;
use retrace_message::Message;
use retrace_model::Rules;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Largest instruction file that is loaded, in bytes. Source: Claude Code documentation, memory page: "up to 4 MiB loaded in
/// full, larger skipped".
pub const MAX_INSTRUCTIONS_BYTES: u64 = 4 * 1024 * 1024;

/// Number of files an import may lead through. Source: Claude Code documentation, memory page; older ones said five.
pub const MAX_IMPORT_HOPS: usize = 4;

/// Instruction files that a session would load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instructions {
    /// Where the session would be started; none for what every session of this user loads.
    pub directory: Option<PathBuf>,
    /// Top of the working tree that directory lies in.
    pub repository: Option<PathBuf>,
    /// The files by agent, each agent's in load order; an import follows the file that names it.
    pub files: Vec<Instruction>,
    /// Why Claude Code would load none of them, where a variable says so.
    pub switched_off: Option<Message>,
    /// Files that could not be read, or were cut short.
    pub problems: Vec<Problem>,
    /// The agents that are here, with their versions.
    pub programs: Vec<AgentProgram>,
}

impl Instructions {
    /// The version of an agent that a session would be started with, where it is known.
    #[must_use]
    pub fn version_of(&self, agent: InstructionAgent) -> Option<&str> {
        self.programs.iter().find(|program| program.agent == agent)?.version.as_deref()
    }
}

/// One file, or one that is named and not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Whose instructions.
    pub agent: InstructionAgent,
    /// Who gives them.
    pub scope: InstructionScope,
    /// The file as it is named, absolute.
    pub path: PathBuf,
    /// Where it really is, where a symbolic link is on the way below the directory it was searched for in.
    pub leads_to: Option<PathBuf>,
    /// State of loading.
    pub state: InstructionState,
    /// Why it is loaded or not.
    pub reason: Message,
    /// Bytes after which the agent cuts it, where it does.
    pub cut_at: Option<u64>,
    /// Index of the file that imports it.
    pub imported_by: Option<usize>,
    /// Imports it is away from a file that is loaded by itself.
    pub depth: usize,
    /// Size of the file in bytes; 0 where it was not looked at.
    pub size: u64,
    /// Its text as it stands in the file. None where it is not read.
    pub text: Option<String>,
    /// Files it applies to, as its front matter says.
    pub globs: Vec<String>,
}

impl Instruction {
    /// The text as the agent loads it. Claude Code takes front matter and block comments out; Codex cuts what is too much.
    #[must_use]
    pub fn loaded(&self) -> Option<Cow<'_, str>> {
        let text = self.text.as_deref()?;
        Some(match (self.agent, self.cut_at.and_then(|at| usize::try_from(at).ok())) {
            (InstructionAgent::ClaudeCode, _) => Cow::Owned(imports::loaded(text)),
            (_, Some(at)) if at < text.len() => String::from_utf8_lossy(&text.as_bytes()[..at]),
            _ => Cow::Borrowed(text),
        })
    }

    fn is_taken(&self) -> bool {
        self.state.is_taken()
    }
}

/// What an agent that does not start would load is loaded by no session.
fn refuse(found: &mut Instructions, agent: InstructionAgent, reason: &Message) {
    for row in found.files.iter_mut().filter(|row| row.agent == agent && row.is_taken()) {
        (row.state, row.reason) = (InstructionState::Off, reason.clone());
    }
}

impl InstructionAgent {
    /// Version of the program whose behaviour the rules here were compared with.
    #[must_use]
    pub const fn seen_with(self) -> &'static str {
        match self {
            Self::ClaudeCode => "2.1.330",
            Self::Codex => "0.169.0",
            Self::Gemini => "0.61.0",
            Self::Opencode => "1.18.33",
        }
    }

    /// Its name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Opencode => "opencode",
        }
    }
}

impl InstructionState {
    /// True if a session gets the file, or a part of it, at some time.
    #[must_use]
    pub const fn is_taken(self) -> bool {
        matches!(self, Self::Loaded | Self::OnDemand | Self::Cut)
    }
}

macro_rules! printed {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$variant_doc])* $variant,)+ }

        impl $name {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The printed form.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}

printed! {
    /// Whose instructions a file holds.
    InstructionAgent {
        /// Claude Code.
        ClaudeCode = "claude-code",
        /// Codex.
        Codex = "codex",
        /// Gemini CLI.
        Gemini = "gemini",
        /// opencode.
        Opencode = "opencode",
    }
}

printed! {
    /// Who gives instructions.
    InstructionScope {
        /// The administrator of the machine.
        Managed = "managed",
        /// The user, for all projects.
        User = "user",
        /// The project, or a directory above it.
        Project = "project",
        /// The user, for this project.
        Local = "local",
    }
}

printed! {
    /// State of loading of a file.
    InstructionState {
        /// When a session starts.
        Loaded = "loaded",
        /// Once a file it applies to is read.
        OnDemand = "on_demand",
        /// When a session starts, up to [`Instruction::cut_at`].
        Cut = "cut",
        /// The limit of all files together was reached before it.
        OverLimit = "over_limit",
        /// It holds nothing that would be loaded.
        Empty = "empty",
        /// A setting leaves it out.
        Excluded = "excluded",
        /// Another file stands in for it.
        Shadowed = "shadowed",
        /// It stands earlier in the list.
        AlreadyLoaded = "already_loaded",
        /// It is named and not there.
        Missing = "missing",
        /// It imports itself, directly or through others.
        Cycle = "cycle",
        /// Too many imports lead to it.
        TooDeep = "too_deep",
        /// It lies outside, and the user has not approved that.
        NotApproved = "not_approved",
        /// The user does not trust the project.
        Untrusted = "untrusted",
        /// Its name has not the ending of a text that is imported.
        NotText = "not_text",
        /// It is larger than [`MAX_INSTRUCTIONS_BYTES`].
        TooLarge = "too_large",
        /// It cannot be read.
        Unreadable = "unreadable",
        /// The agent's version does not know such a file.
        NotInVersion = "not_in_version",
        /// Instruction files are switched off, or the agent gives up on all of them because of one.
        Off = "off",
    }
}

/// The instruction files of a session started in `directory`, which must be absolute; without one, those of every session of
/// this user. Never fails: what could not be read is in [`Instructions::problems`].
#[must_use]
pub fn instructions(surroundings: &Surroundings, directory: Option<&Path>) -> Instructions {
    let mut scan = Scan::default();
    let directory = directory.filter(|directory| directory.is_absolute());
    let checkout = directory.and_then(|directory| crate::git::checkout(&mut scan, directory));
    let mut found = Instructions {
        directory: directory.map(Path::to_path_buf),
        repository: checkout.map(|checkout| checkout.worktree),
        programs: agent_programs(surroundings),
        ..Instructions::default()
    };
    claude::find(surroundings, &mut scan, &mut found);
    codex::find(surroundings, &mut scan, &mut found);
    gemini::find(surroundings, &mut scan, &mut found);
    opencode::find(surroundings, &mut scan, &mut found);
    found.problems = scan.into_problems();
    found
}

/// A file that is there, as far as it can be read.
struct Opened {
    leads_to: Option<PathBuf>,
    /// Where it really is.
    real: PathBuf,
    size: u64,
    text: Result<String, (InstructionState, Message)>,
}

impl Opened {
    /// A file of which no more is known than its name.
    fn unread(path: &Path) -> Self {
        let text = Err((InstructionState::Unreadable, say::cannot_be_read()));
        Self { leads_to: None, real: path.to_owned(), size: 0, text }
    }

    fn row(
        self,
        agent: InstructionAgent,
        scope: InstructionScope,
        path: PathBuf,
        reason: Message,
    ) -> Instruction {
        let (state, reason, text) = match self.text {
            Ok(text) if text.trim().is_empty() => (InstructionState::Empty, say::empty(), Some(text)),
            Ok(text) => (InstructionState::Loaded, reason, Some(text)),
            Err((state, reason)) => (state, reason, None),
        };
        Instruction {
            agent,
            scope,
            path,
            leads_to: self.leads_to,
            state,
            reason,
            cut_at: None,
            imported_by: None,
            depth: 0,
            size: self.size,
            text,
            globs: Vec::new(),
        }
    }
}

/// Reads the file `path` that was found below `base`. Bytes that are no UTF-8 are replaced, as the agents do. `None` when there
/// is no such file.
fn open(scan: &mut Scan, base: &Path, path: &Path) -> Option<Opened> {
    let metadata = std::fs::symlink_metadata(path).ok()?;
    if metadata.is_dir() {
        return None;
    }
    let unread = |leads_to, real, size, state, reason| {
        Some(Opened { leads_to, real, size, text: Err((state, reason)) })
    };
    let Ok(real) = path.canonicalize() else {
        let leads_to = std::fs::read_link(path).ok();
        return unread(leads_to, path.to_owned(), 0, InstructionState::Unreadable, say::link_leads_nowhere());
    };
    let straight =
        base.canonicalize().ok().zip(path.strip_prefix(base).ok()).map(|(base, rest)| base.join(rest));
    let leads_to = (straight.as_ref() != Some(&real)).then(|| real.clone());
    let Ok(metadata) = std::fs::metadata(&real) else {
        return unread(leads_to, real, 0, InstructionState::Unreadable, say::cannot_be_read());
    };
    if metadata.is_dir() {
        return None;
    }
    let size = metadata.len();
    if size > MAX_INSTRUCTIONS_BYTES {
        let reason = say::too_large(MAX_INSTRUCTIONS_BYTES >> 20);
        return unread(leads_to, real, size, InstructionState::TooLarge, reason);
    }
    match scan.bytes(&real, MAX_INSTRUCTIONS_BYTES) {
        Some(bytes) => {
            let text = Ok(String::from_utf8_lossy(&bytes).into_owned());
            Some(Opened { leads_to, real, size, text })
        }
        None => unread(leads_to, real, size, InstructionState::Unreadable, say::cannot_be_read()),
    }
}

/// The directories below `directory` in which a session may come upon instruction files, itself left out: hidden ones and those
/// that recording skips are not listed.
fn below(scan: &mut Scan, directory: &Path) -> Vec<PathBuf> {
    let rules = Rules::default();
    let mut found = Vec::new();
    let mut waiting = std::collections::VecDeque::from([(directory.to_path_buf(), 0)]);
    while let Some((folder, depth)) = waiting.pop_front() {
        if found.len() > MAX_DIRECTORIES_BELOW {
            scan.note(Problem::TooMany { path: directory.to_owned(), limit: MAX_DIRECTORIES_BELOW });
            break;
        }
        for entry in scan.entries(&folder) {
            let left_out =
                entry.name.starts_with('.') || rules.leaves_out_directory(entry.name.as_bytes()).is_some();
            if entry.sort == Sort::Directory && depth < MAX_DEPTH_BELOW && !left_out {
                waiting.push_back((entry.path, depth + 1));
            }
        }
        if depth > 0 {
            found.push(folder);
        }
    }
    found.sort();
    found
}

/// Depth below the session's directory and number of directories in which instruction files are searched for.
const MAX_DEPTH_BELOW: usize = 8;
const MAX_DIRECTORIES_BELOW: usize = 5_000;

/// The directories from the outermost to `directory` itself, at most [`MAX_ANCESTORS`], beginning at `top` where it is given.
fn downwards(directory: &Path, top: Option<&Path>) -> Vec<PathBuf> {
    let mut above: Vec<PathBuf> = directory
        .ancestors()
        .take(MAX_ANCESTORS)
        .take_while(|ancestor| top.is_none_or(|top| ancestor.starts_with(top)))
        .map(Path::to_path_buf)
        .collect();
    above.reverse();
    above
}

/// Directories above a working directory that are looked at.
const MAX_ANCESTORS: usize = 64;
