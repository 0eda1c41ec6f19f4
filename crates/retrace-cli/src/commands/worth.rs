//! `retrace worth`

use super::Ended;
use super::context::stoppable;
use crate::exit::Exit;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::{MemoriesWorth, MemoryWorthReq, Nothing, Stores};

/// Show what each memory costs a session, and what it does
///
/// A line a memory: tokens and, where the price is known, money a session; in how
/// many sessions and subagents it was before the model, of those that could have
/// had it; and for its rules how often they were followed before the line was
/// written and after. Below ten points there is no rate. What costs and does
/// nothing comes first. Present does not mean followed.
///
///     retrace worth
///     retrace worth webshop
///     retrace worth webshop:MEMORY.md
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Only this store, by id, name or directory; or only this memory
    #[arg(value_name = "STORE|STORE:PATH")]
    target: Option<String>,
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    // A store may have a colon in its name, or in its directory's.
    let is_store = |name: &String| commands::stores(&app, Nothing {}).is_ok_and(|found| names(&found, name));
    let request = match arguments.target {
        Some(name) if !name.contains(':') || is_store(&name) => {
            MemoryWorthReq { store: Some(name), memory: None }
        }
        memory => MemoryWorthReq { store: None, memory },
    };
    let worth: MemoriesWorth =
        stoppable(shell, &app, "Reading transcripts", "worth", || commands::memory_worth(&app, request))?;
    let (as_json, style) = (shell.json, shell.style());
    shell.print_long(|out| {
        match as_json {
            true => worth.memories.iter().try_for_each(|memory| json::line(out, memory))?,
            false => print::worth::memories(out, &worth, style)?,
        }
        Ok(())
    })?;
    if worth.cancelled {
        shell.warn("It was stopped before its end; the figures are of a part of the sessions.");
    }
    Ok(Exit::DONE)
}

fn names(stores: &Stores, name: &str) -> bool {
    stores.stores.iter().any(|store| store.id == name || store.name == name || store.root == name)
}
