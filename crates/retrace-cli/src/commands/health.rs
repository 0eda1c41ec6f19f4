//! `retrace health`

use super::Ended;
use super::context::stoppable;
use super::{entries, expiry, rules};
use crate::exit::Exit;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::{Args, Subcommand};
use retrace_api::commands;
use retrace_api::wire::{Health, HealthReq};

/// Show the health of stores, and mend what is found
///
/// Counts, the stores in which most was found, then each rule once with its
/// number and the first place. With -v the findings of each store, with what
/// mends them, and its indexes, measured as the agent measures them; --all lists
/// every finding. With --loads the transcripts on this machine are read for what
/// was loaded, which takes a while the first time.
///
///     retrace health
///     retrace health notes -v
///     retrace health notes --loads
///     retrace health strip notes:deploy.md --dry-run
#[derive(Args)]
#[command(verbatim_doc_comment, args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// Only this store, by id, name or directory
    #[arg(value_name = "STORE")]
    store: Option<String>,
    /// Also read transcripts for what sessions loaded
    #[arg(long)]
    loads: bool,
    /// Each finding on a line of its own
    #[arg(long)]
    all: bool,
}

#[derive(Subcommand)]
enum Action {
    Expiry(expiry::Arguments),
    Expire(expiry::ExpireArguments),
    MoveEntry(entries::MoveArguments),
    Allow(entries::AllowArguments),
    Strip(entries::StripArguments),
    Rules(rules::Arguments),
}

/// Name of the job: the API's own name for it.
pub(super) const JOB: &str = "health";

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    match arguments.action {
        None => {}
        Some(Action::Expiry(arguments)) => return expiry::run(arguments, shell),
        Some(Action::Expire(arguments)) => return expiry::expire(&arguments, shell),
        Some(Action::MoveEntry(arguments)) => return entries::move_entry(arguments, shell),
        Some(Action::Allow(arguments)) => return entries::allow(arguments, shell),
        Some(Action::Strip(arguments)) => return entries::strip(arguments, shell),
        Some(Action::Rules(arguments)) => return rules::run(arguments, shell),
    }
    let app = shell.app()?;
    let request = HealthReq { store: arguments.store, loads: arguments.loads };
    let health: Health = if request.loads {
        stoppable(shell, &app, "Reading transcripts", JOB, || commands::health(&app, request))?
    } else {
        commands::health(&app, request)?
    };
    let (as_json, style) = (shell.json, shell.style());
    shell.print_long(|out| {
        match as_json {
            true => json::line(out, &health)?,
            false if arguments.all || style.verbose => {
                print::health::health(out, &health, arguments.all, style)?;
            }
            false => print::health::summary(out, &health, style)?,
        }
        Ok(())
    })?;
    if !as_json && !arguments.all && !style.verbose && !health.findings.is_empty() {
        shell.note("`retrace health -v` says where, and what mends it.");
    }
    if health.cancelled {
        shell.warn("It was stopped before its end; what sessions loaded is known in part.");
    }
    Ok(Exit::DONE)
}
