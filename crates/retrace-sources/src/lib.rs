//! Finds what agent memory exists on a machine, and why it is believed to be that.
//!
//! [`discover`] takes a description of the machine ([`Surroundings`]) and returns the directories it found, each with its
//! evidence, and whether the agent uses it at present with the reason. Known sources: Claude Code (auto memory and
//! subagent memory), Codex, Gemini CLI, Letta Code, OpenClaw, Basic Memory, the Copilot memory tool of VS Code, Windsurf,
//! and directories inside projects (copies of Claude Code memory, Aeon, Cline memory banks, the Anthropic memory tool).
//!
//! [`instructions`] lists the instruction files that a session started in a directory would load.
//!
//! Deliberately absent: writing of any kind; the process environment and the clock (both are arguments); a walk over the
//! home directory; databases and servers.
//!
//! Invariants:
//! - A directory that is reached only through a symbolic link below its known base is reported, never listed: an
//!   untrusted repository could otherwise point a recorder at private files. Settings files may be links.
//! - Every look is bounded: bytes of a file, entries of a directory, depth. A bound that was reached is a [`Problem`].
//! - A damaged or unreadable file costs what it would have said, never the rest.
//! - A project folder's name is never decoded, because it is lossy; it is only compared with the name a real path gives.
//! - No enabled directory is listed inside another that is enabled and there, so that no file is recorded twice.
//! - The same disk and the same surroundings give the same answer in the same order.
//!
//! ```
//! use retrace_sources::{Platform, Surroundings, discover};
//!
//! # let home = tempfile::tempdir()?;
//! # std::fs::create_dir_all(home.path().join(".codex/memories"))?;
//! let discovery = discover(&Surroundings::new(home.path().to_owned(), Platform::Linux));
//! for found in &discovery.found {
//!     println!("{}: {:?}", found.root.display(), found.evidence);
//! }
//! # Ok::<(), std::io::Error>(())
//! ```

mod agents;
mod claude;
mod found;
mod gemini_projects;
mod git;
mod instructions;
mod memory_path;
mod merge;
mod others;
mod problem;
mod scan;
mod slug;
mod snapshot;
mod surroundings;
#[cfg(test)]
mod testing;

pub use agents::{AgentProgram, agent_programs, is_for_user, session_says};
pub use claude::config_root;
pub use found::{AgentScope, Discovery, Found};
pub use git::repository_of;
pub use instructions::{
    Instruction, InstructionAgent, InstructionScope, InstructionState, Instructions, MAX_IMPORT_HOPS,
    MAX_INSTRUCTIONS_BYTES, instructions,
};
pub use memory_path::{RefusedPath, validate_memory_path};
pub use problem::Problem;
pub use scan::MAX_COUNTED_FILES;
pub use slug::{MAX_SLUG_CHARS, slug, slug_matches};
pub use snapshot::{
    AgentMemory, AgentSnapshots, Snapshot, SnapshotFile, SnapshotState, agent_memory, agent_snapshots,
    is_snapshot_memory,
};
pub use surroundings::{Platform, Surroundings};

use scan::Scan;

/// Looks at the places `surroundings` names and returns what is there. Never fails: what could not be read or understood
/// is in [`Discovery::problems`].
#[must_use]
pub fn discover(surroundings: &Surroundings) -> Discovery {
    let mut scan = Scan::default();
    let (mut found, projects) = claude::find(surroundings, &mut scan);
    found.extend(others::find(surroundings, &projects, &mut scan));
    let found = merge::merge(found, &mut scan);
    Discovery { found, problems: scan.into_problems() }
}
