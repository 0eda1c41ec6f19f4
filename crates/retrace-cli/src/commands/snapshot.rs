//! `retrace stores snapshot`

use super::Ended;
use crate::exit::Exit;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::StoreRef;

/// Compare a subagent's memory with the snapshots that projects offer
///
/// A project can bring content for the memory of its agents along, in
/// .claude/agent-memory-snapshots/AGENT. An agent without memory copies it; one
/// with memory asks when it is new. This shows which of the two it would be, and
/// the difference file by file. Nothing is copied.
///
///     retrace stores snapshot reviewer
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// A store that is a subagent's memory, by id, name or directory
    store: String,
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let found = commands::agent_snapshot(&app, StoreRef { store: arguments.store })?;
    for problem in &found.problems {
        shell.warn(problem);
    }
    if found.snapshots.is_empty() {
        shell.note("No project that is known here has a snapshot for this agent.");
    }
    let (as_json, style) = (shell.json, shell.style());
    shell.print_long(|out| {
        if as_json {
            json::line(out, &found)?;
        } else {
            print::kinds::snapshot(out, &found, style)?;
        }
        Ok(())
    })?;
    Ok(Exit::DONE)
}
