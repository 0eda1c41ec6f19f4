//! Instruction files: what people wrote for agents, beside what agents remember.

use retrace_message::Message;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks which instruction files a session would load.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct InstructionsReq {
    /// The store whose project is meant, id or name.
    #[serde(default)]
    pub store: Option<String>,
    /// The directory a session would be started in, absolute. With neither, what every session of this user loads.
    #[serde(default)]
    pub project: Option<String>,
}

/// Instruction files that a session would load.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Instructions {
    /// Where the session would be started; null for what every session of this user loads.
    pub directory: Option<String>,
    /// Why that directory, for a store; null where the request names it.
    pub because: Option<Message>,
    /// Top of the working tree.
    pub repository: Option<String>,
    /// The files by agent, each agent's in load order; an import follows the file that names it.
    pub files: Vec<Instruction>,
    /// Why Claude Code would load none of them, where a variable says so.
    pub switched_off: Option<Message>,
    /// Tokens that each agent loads when a session starts.
    pub totals: Vec<InstructionsTotal>,
    /// Kind of the tokens.
    pub tokens_kind: super::FigureKind,
    /// Files that could not be read, or were cut short.
    pub problems: Vec<Message>,
}

/// Files that one agent loads when a session starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct InstructionsTotal {
    /// `claude-code`, `codex` or `gemini`.
    pub agent: String,
    /// Files.
    pub files: u64,
    /// Tokens.
    pub tokens: u64,
}

/// One instruction file, or one that is named and not there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Instruction {
    /// `claude-code`, `codex` (and others that read `AGENTS.md`) or `gemini`.
    pub agent: String,
    /// `managed`, `user`, `project` or `local`.
    pub scope: String,
    /// The file as it is named, absolute.
    pub path: String,
    /// Where it really is, where a symbolic link is on the way.
    pub leads_to: Option<String>,
    /// `loaded` when a session starts, `on_demand` once a file it applies to is read, `excluded` by a setting, `shadowed` by
    /// another file, `already_loaded`, `missing`, `cycle`, `too_deep`, `not_approved` (outside the project), `outside` (a link
    /// leads out; not read here), `too_large`, `unreadable`, `off`.
    pub state: String,
    /// Why, as a sentence.
    pub reason: Message,
    /// Place in `files` of the file that imports it.
    pub imported_by: Option<u64>,
    /// Imports it is away from a file that is loaded by itself.
    pub depth: u64,
    /// Size of the file in bytes; null where it was not looked at.
    pub size_bytes: Option<u64>,
    /// Its lines; null where it was not read.
    pub lines: Option<u64>,
    /// Tokens as the agent loads it, counted offline; null where it was not read.
    pub tokens: Option<u64>,
    /// Files it applies to, as its front matter says.
    pub globs: Vec<String>,
    /// The store that records this file; null when none does.
    pub store_id: Option<String>,
    /// Its path in that store.
    pub store_path: Option<String>,
}

/// Asks for the text of an instruction file: one of those that `instructions` lists for the same store or project.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct InstructionReq {
    /// As in `InstructionsReq`.
    #[serde(default)]
    pub store: Option<String>,
    /// As in `InstructionsReq`.
    #[serde(default)]
    pub project: Option<String>,
    /// Path as listed.
    pub path: String,
    /// True if colour spans are wanted.
    #[serde(default)]
    pub highlight: bool,
}
