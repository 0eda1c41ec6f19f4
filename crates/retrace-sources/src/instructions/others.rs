//! `AGENTS.md` as Codex reads it, and `GEMINI.md` as Gemini CLI does.
//!
//! Sources: agent-memory-sources.md section 1. Codex: its own folder, then from the top of the repository down to where the
//! session starts; in each directory `AGENTS.override.md` stands in for `AGENTS.md`. Gemini CLI: its own folder, then the
//! workspace and the directories above it, up to the top of the repository or to the home directory.

use super::{
    Instruction, InstructionAgent, InstructionScope, InstructionState, Instructions, downwards, open,
};
use crate::Surroundings;
use crate::scan::Scan;
use retrace_message::Message;
use std::path::Path;

const AGENTS: &str = "AGENTS.md";
const AGENTS_OVERRIDE: &str = "AGENTS.override.md";
const GEMINI: &str = "GEMINI.md";

pub(super) fn find(surroundings: &Surroundings, scan: &mut Scan, found: &mut Instructions) {
    let codex = surroundings.directory("CODEX_HOME", || surroundings.home.join(".codex"));
    let own = |name: &str| say::every_session_loads(name);
    agents_md(scan, found, &codex, &surroundings.home, InstructionScope::User, &own("Codex"));
    if let Some(directory) = found.directory.clone() {
        // Outside a repository only the directory itself is looked at.
        let top = found.repository.clone().unwrap_or_else(|| directory.clone());
        for above in downwards(&directory, Some(&top)) {
            let reason = say::codex_reads_others_claude_code(above.display());
            agents_md(scan, found, &above, &top, InstructionScope::Project, &reason);
        }
    }
    let folder = surroundings.home.join(".gemini");
    let file = folder.join(GEMINI);
    take(
        scan,
        found,
        InstructionAgent::Gemini,
        InstructionScope::User,
        &folder,
        &file,
        &surroundings.home,
        &own("Gemini CLI"),
    );
    if let Some(directory) = found.directory.clone() {
        let home = Some(surroundings.home.clone()).filter(|home| directory.starts_with(home));
        let top = found.repository.clone().or(home).unwrap_or_else(|| directory.clone());
        for above in downwards(&directory, Some(&top)) {
            let reason = say::it_is_in(above.display());
            let (scope, file) = (InstructionScope::Project, above.join(GEMINI));
            take(scan, found, InstructionAgent::Gemini, scope, &above, &file, &top, &reason);
        }
    }
}

fn agents_md(
    scan: &mut Scan,
    found: &mut Instructions,
    directory: &Path,
    boundary: &Path,
    scope: InstructionScope,
    reason: &Message,
) {
    let agent = InstructionAgent::Codex;
    let stands_in =
        take(scan, found, agent, scope, directory, &directory.join(AGENTS_OVERRIDE), boundary, reason);
    let index = found.files.len();
    if take(scan, found, agent, scope, directory, &directory.join(AGENTS), boundary, reason) && stands_in {
        let file = &mut found.files[index];
        file.state = InstructionState::Shadowed;
        file.reason = say::same_directory_stands(AGENTS_OVERRIDE);
    }
}

/// Puts a file on the list, if it is there.
#[allow(clippy::too_many_arguments, reason = "the parts of one row")]
fn take(
    scan: &mut Scan,
    found: &mut Instructions,
    agent: InstructionAgent,
    scope: InstructionScope,
    base: &Path,
    path: &Path,
    boundary: &Path,
    reason: &Message,
) -> bool {
    let Some(opened) = open(scan, base, path, Some(boundary)) else { return false };
    let (state, reason, text) = match opened.text {
        Ok(text) => (InstructionState::Loaded, reason.to_owned(), Some(text)),
        Err((state, reason)) => (state, reason, None),
    };
    found.files.push(Instruction {
        agent,
        scope,
        path: path.to_owned(),
        leads_to: opened.leads_to,
        state,
        reason,
        imported_by: None,
        depth: 0,
        size: opened.size,
        text,
        globs: Vec::new(),
    });
    true
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "others";
    every_session_loads(name) => "Every session of {name} loads it.",
    codex_reads_others_claude_code(above) => "It is in {above}. Codex reads it, and so do others; Claude Code does not unless it is imported.",
    it_is_in(above) => "It is in {above}.",
    same_directory_stands(value) => "{value} in the same directory stands in for it.",
}
