//! Instruction files: what people wrote for agents, beside what agents remember. Which files a session started in a
//! directory would load, in the order in which it would, and why.
//!
//! Claude Code's hierarchy (`CLAUDE.md`, `CLAUDE.local.md`, `.claude/rules`, with imports), `AGENTS.md` as Codex reads it, and
//! `GEMINI.md` as Gemini CLI does. Sources: claude-code-memory.md section 8; agent-memory-sources.md sections 1 and 3.
//!
//! Deliberately absent: what is given on a command line (`--add-dir`, `--append-system-prompt`), imports of Gemini CLI,
//! instruction files of further editors, and writing of any kind.
//!
//! Invariants:
//! - A link is never followed silently: [`Instruction::leads_to`] says where it leads, and one that leads out of the project
//!   (for the user's own files: out of the home directory) is named and not read.
//! - An import from outside the project is read only where the user has approved that in the agent itself.
//! - Every walk is bounded; a bound that was reached is a [`Problem`].
//! - The same disk and the same surroundings give the same answer in the same order.

use retrace_message::Message;
mod claude;
mod imports;
mod others;
mod rule;
#[cfg(test)]
mod tests;

use crate::scan::Scan;
use crate::{Problem, Surroundings};
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
    /// Why it is loaded or not: one plain sentence.
    pub reason: Message,
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
    /// The text as the agent loads it: Claude Code takes block comments out (Claude Code documentation, memory page).
    #[must_use]
    pub fn loaded(&self) -> Option<Cow<'_, str>> {
        let text = self.text.as_deref()?;
        Some(match self.agent {
            InstructionAgent::ClaudeCode => Cow::Owned(imports::without_comments(text)),
            InstructionAgent::Codex | InstructionAgent::Gemini => Cow::Borrowed(text),
        })
    }
}

macro_rules! printed {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$variant_doc])* $variant,)+ }

        impl $name {
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
        /// Codex, and others that read `AGENTS.md`.
        Codex = "codex",
        /// Gemini CLI.
        Gemini = "gemini",
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
        /// A setting leaves it out.
        Excluded = "excluded",
        /// Another file stands in for it.
        Shadowed = "shadowed",
        /// It stands earlier in the list.
        AlreadyLoaded = "already_loaded",
        /// It is imported and not there.
        Missing = "missing",
        /// It imports itself, directly or through others.
        Cycle = "cycle",
        /// Too many imports lead to it.
        TooDeep = "too_deep",
        /// It lies outside the project, and the user has not approved that.
        NotApproved = "not_approved",
        /// A link leads outside; it is not read here, though the agent would follow it.
        Outside = "outside",
        /// It is larger than [`MAX_INSTRUCTIONS_BYTES`].
        TooLarge = "too_large",
        /// It cannot be read as text.
        Unreadable = "unreadable",
        /// Instruction files are switched off.
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
        ..Instructions::default()
    };
    claude::find(surroundings, &mut scan, &mut found);
    others::find(surroundings, &mut scan, &mut found);
    found.problems = scan.into_problems();
    found
}

/// A file that is there, as far as it may be read.
struct Opened {
    leads_to: Option<PathBuf>,
    size: u64,
    text: Result<String, (InstructionState, Message)>,
}

/// Looks at the file `path` that was found below `base` and may really be anywhere below `boundary` (anywhere at all without
/// one). `None` when there is no such file.
fn open(scan: &mut Scan, base: &Path, path: &Path, boundary: Option<&Path>) -> Option<Opened> {
    let metadata = std::fs::symlink_metadata(path).ok()?;
    if metadata.is_dir() {
        return None;
    }
    let unread =
        |leads_to, size, state, reason: Message| Some(Opened { leads_to, size, text: Err((state, reason)) });
    let Ok(real) = path.canonicalize() else {
        let reason = say::link_leads_nowhere();
        return unread(std::fs::read_link(path).ok(), 0, InstructionState::Unreadable, reason);
    };
    let straight =
        base.canonicalize().ok().zip(path.strip_prefix(base).ok()).map(|(base, rest)| base.join(rest));
    let leads_to = (straight.as_ref() != Some(&real)).then(|| real.clone());
    let is_inside =
        |boundary: &Path| boundary.canonicalize().is_ok_and(|boundary| real.starts_with(boundary));
    if leads_to.is_some() && !boundary.is_none_or(is_inside) {
        let reason = say::link_leads_out_not_read(real.display());
        return unread(leads_to, 0, InstructionState::Outside, reason);
    }
    let Ok(metadata) = std::fs::metadata(&real) else {
        return unread(leads_to, 0, InstructionState::Unreadable, say::cannot_read());
    };
    if metadata.is_dir() {
        return None;
    }
    let size = metadata.len();
    if size > MAX_INSTRUCTIONS_BYTES {
        let reason = say::larger_than_mib_skipped(MAX_INSTRUCTIONS_BYTES >> 20);
        return unread(leads_to, size, InstructionState::TooLarge, reason);
    }
    match scan.text(&real, MAX_INSTRUCTIONS_BYTES) {
        Some(text) => Some(Opened { leads_to, size, text: Ok(text) }),
        None => unread(leads_to, size, InstructionState::Unreadable, say::cannot_read_text()),
    }
}

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

retrace_message::messages! {
    /// Messages of this module.
    mod say in "instructions";
    link_leads_nowhere() => "It is a link that leads nowhere.",
    link_leads_out_not_read(real) => "It is a link that leads out to {real}; it was not read here.",
    cannot_read() => "It cannot be read.",
    larger_than_mib_skipped(value) => "It is larger than {value} MiB and is skipped.",
    cannot_read_text() => "It cannot be read as text.",
}
