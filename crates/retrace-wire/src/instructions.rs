//! Instruction files: what people wrote for agents, beside what agents remember.

use super::{ClientPart, InstructionAgent, InstructionScope, InstructionState};
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
    /// The agents of `files` and those that are here, with the version whose rules these are.
    pub agents: Vec<InstructionRules>,
    /// Kind of the tokens.
    pub tokens_kind: super::FigureKind,
    /// Files that could not be read, or were cut short.
    pub problems: Vec<Message>,
}

/// The version of an agent, and the one whose rules are applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct InstructionRules {
    /// Which agent.
    pub agent: InstructionAgent,
    /// Version that a session would be started with; null where nothing says it.
    pub version: Option<String>,
    /// Where the version stands.
    pub version_from: Option<Message>,
    /// Version that the rules were compared with.
    pub seen_with: String,
}

/// Files that one agent loads when a session starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct InstructionsTotal {
    /// Which agent.
    pub agent: InstructionAgent,
    /// Files.
    pub files: u64,
    /// Tokens.
    pub tokens: u64,
}

/// One instruction file, or one that is named and not there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Instruction {
    /// Whose instructions.
    pub agent: InstructionAgent,
    /// Who gives them.
    pub scope: InstructionScope,
    /// The file as it is named, absolute.
    pub path: String,
    /// Where it really is, where a symbolic link is on the way.
    pub leads_to: Option<String>,
    /// State of loading.
    pub state: InstructionState,
    /// Why, as a sentence.
    pub reason: Message,
    /// Bytes after which the agent cuts it; null where it does not.
    pub cut_at: Option<u64>,
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

/// The agents of this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Clients {
    /// Those whose program or files are here.
    pub clients: Vec<Client>,
}

/// An agent of this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Client {
    /// Which one.
    pub agent: InstructionAgent,
    /// Its name for people.
    pub title: String,
    /// Version that a session would be started with; null where nothing says it.
    pub version: Option<String>,
    /// Where the version stands.
    pub version_from: Option<Message>,
    /// Version that Retrace was compared with.
    pub seen_with: String,
    /// The program; null where it is not on the search path.
    pub program: Option<String>,
    /// Directories that it keeps files in.
    pub places: Vec<String>,
    /// What of it is read.
    pub parts: Vec<ClientReading>,
}

/// A part of an agent's files, and how exactly it is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ClientReading {
    /// Which part.
    pub part: ClientPart,
    /// True if it is exact for the version that is here; null where the version is not known, or nothing exact is offered.
    pub exact: Option<bool>,
    /// First version for which it is exact; null where it is for none.
    pub since: Option<String>,
    /// What is read, as a sentence.
    pub note: Message,
}
