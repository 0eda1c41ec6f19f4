//! `retrace stores compare` and `retrace stores accept`

use super::Ended;
use super::rollback::end_of_act;
use crate::exit::Exit;
use crate::print;
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::{AcceptMemoriesReq, CompareStoresReq};

/// Compare two stores with each other, memory by memory
///
/// A and B are a store as it is (STORE) or as it was (STORE@TIME). A line a
/// memory that differs: + only in B, - only in A, ~ changed, → moved; lines
/// added and removed; tokens more or less, counted offline.
///
///     retrace stores compare notes dreamt
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct CompareArguments {
    /// The store as it is
    a: String,
    /// The store as it might be
    b: String,
}

/// Accept memories of one store into another: all that differ, or some
///
/// The act is checked and recorded like any other, and `retrace
/// undo` takes it back. Into a mirror of a hosted store it is queued. A memory
/// that changed meanwhile is never overwritten: the command then does nothing
/// and exits with 4.
///
///     retrace stores accept dreamt notes --dry-run
///     retrace stores accept dreamt notes --path prefs/format.md
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct AcceptArguments {
    /// Where they are taken from: STORE or STORE@TIME
    from: String,
    /// The store that is written
    into: String,
    /// Only this path; repeat it for more. What FROM lacks there is deleted
    #[arg(long = "path", value_name = "PATH", allow_hyphen_values = true, conflicts_with = "delete")]
    paths: Vec<String>,
    /// Also delete what FROM lacks
    #[arg(long)]
    delete: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn compare(arguments: &CompareArguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let request =
        CompareStoresReq { from: shell.target(&app, &arguments.a)?, to: shell.target(&app, &arguments.b)? };
    let compared = shell.work(&app, "Comparing", || commands::compare_stores(&app, request))?;
    let (as_json, style) = (shell.json, shell.style());
    shell.print_long(|out| {
        if as_json {
            print::json::line(out, &compared)?;
        } else {
            print::dreams::compared(out, &compared, style)?;
        }
        Ok(())
    })?;
    Ok(Exit::DONE)
}

pub(crate) fn accept(arguments: AcceptArguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let AcceptArguments { from, into, paths, delete, dry_run } = arguments;
    let from = shell.target(&app, &from)?;
    let request = AcceptMemoriesReq { from, into, paths, delete, dry_run };
    let result = commands::accept_memories(&app, request)?;
    end_of_act(&app, "Taking over", &result, shell)
}
