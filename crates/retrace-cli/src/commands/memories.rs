//! `retrace memories`

use super::Ended;
use crate::exit::Exit;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::{Memories, MemoriesReq};

/// List the memories of a store with their kinds
///
/// The kind is told by place, name and the type in the front matter: an index,
/// a topic (user, feedback, project, reference), a daily log with its day,
/// instructions, or other; and whose it is: a team's, or an agent's.
///
///     retrace memories notes
///     retrace memories notes --kind topic:feedback
///     retrace memories notes --at 2026-03-01T00:00:00Z --json
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Id, name or directory
    store: String,
    /// As they were at this time (2h ago, today, 14:00, 2026-11-26, RFC 3339), or right after this operation (its number)
    #[arg(long, value_name = "TIME|SEQ")]
    at: Option<String>,
    /// Only this kind: index, topic, topic:TYPE, daily_log, instructions, other; or whose: team, agent_user, agent_project, agent_local
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let Arguments { store, at, kind } = arguments;
    let at = at.map(|at| shell.instant(&at)).transpose()?;
    let narrowed = kind.is_some();
    let Memories { memories, warnings } = commands::memories(&app, MemoriesReq { store, at, kind })?;
    for warning in &warnings {
        shell.warn(&shell.told(warning));
    }
    if memories.is_empty() && warnings.is_empty() {
        shell.note(match narrowed {
            true => "There is no memory of this kind in this store.",
            false => "There is no memory in this store.",
        });
    }
    let (as_json, style) = (shell.json, shell.style());
    shell.print_long(|out| {
        match as_json {
            true => memories.iter().try_for_each(|memory| json::line(out, memory))?,
            false if memories.is_empty() => {}
            false => print::kinds::memories(out, &memories, style)?,
        }
        Ok(())
    })?;
    Ok(Exit::DONE)
}
