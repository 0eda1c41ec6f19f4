//! One file a command: what can be typed, the request it means, the call.

pub(crate) mod accept;
pub(crate) mod behind_window;
pub(crate) mod blame;
pub(crate) mod check;
pub(crate) mod clients;
pub(crate) mod completions;
pub(crate) mod context;
pub(crate) mod diff;
pub(crate) mod discover;
pub(crate) mod dreams;
pub(crate) mod entries;
pub(crate) mod expiry;
pub(crate) mod export;
pub(crate) mod health;
pub(crate) mod hook;
pub(crate) mod hub;
pub(crate) mod hub_agents;
mod hub_people;
pub(crate) mod hub_policy;
mod hub_sessions;
pub(crate) mod hub_together;
pub(crate) mod hub_window;
pub(crate) mod import;
pub(crate) mod inbox;
pub(crate) mod instructions;
pub(crate) mod interactive;
mod interactive_acts;
pub(crate) mod log;
pub(crate) mod man;
pub(crate) mod memories;
pub(crate) mod memory_tool;
pub(crate) mod mounts;
pub(crate) mod origin;
pub(crate) mod presence;
pub(crate) mod receipts;
pub(crate) mod record;
pub(crate) mod redact;
pub(crate) mod remote;
pub(crate) mod report;
pub(crate) mod restore;
pub(crate) mod review;
pub(crate) mod rollback;
pub(crate) mod rule;
pub(crate) mod rules;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod snapshot;
pub(crate) mod stores;
pub(crate) mod today;
pub(crate) mod tokens;
pub(crate) mod undo;
pub(crate) mod verify;
pub(crate) mod worth;

use crate::args::{Command, Renamed};
use crate::exit::Exit;
use crate::shell::{Failure, Shell};

/// Result of a command: its exit code, or why it could not.
pub(crate) type Ended = Result<Exit, Failure>;

pub(crate) fn run(command: Command, shell: &mut Shell<'_, '_>) -> Ended {
    match command {
        Command::Discover(arguments) => discover::run(&arguments, shell),
        Command::Stores(arguments) => stores::run(arguments, shell),
        Command::Record(arguments) => record::run(&arguments, shell),
        Command::Serve(arguments) => serve::run(arguments, shell),
        Command::Import(arguments) => import::run(arguments, shell),
        Command::Export(arguments) => export::run(arguments, shell),
        Command::Inbox(arguments) => inbox::run(arguments, shell),
        Command::Approve(arguments) => review::approve(arguments, shell),
        Command::Reject(arguments) => review::reject(arguments, shell),
        Command::Review(arguments) => review::run(arguments, shell),
        Command::Report(arguments) => report::run(arguments, shell),
        Command::Log(arguments) => log::run(&arguments, shell),
        Command::Show(arguments) => show::run(arguments, shell),
        Command::Diff(arguments) => diff::run(&arguments, shell),
        Command::Blame(arguments) => blame::run(&arguments, shell),
        Command::Presence(arguments) => presence::run(&arguments, shell),
        Command::Origin(arguments) => origin::run(arguments, shell),
        Command::Session(arguments) => origin::session(arguments, shell),
        Command::Search(arguments) => search::run(&arguments, shell),
        Command::Memories(arguments) => memories::run(arguments, shell),
        Command::Clients(arguments) => clients::run(arguments, shell),
        Command::Instructions(arguments) => instructions::run(arguments, shell),
        Command::Rollback(arguments) => rollback::run(arguments, shell),
        Command::Restore(arguments) => restore::run(arguments, shell),
        Command::Undo(arguments) => undo::run(&arguments, shell),
        Command::Redact(arguments) => redact::run(arguments, shell),
        Command::Receipts(arguments) => receipts::run(arguments, shell),
        Command::Verify(arguments) => verify::run(&arguments, shell),
        Command::Check(arguments) => check::run(&arguments, shell),
        Command::Health(arguments) => health::run(arguments, shell),
        Command::Rule(arguments) => rule::run(arguments, shell),
        Command::Worth(arguments) => worth::run(arguments, shell),
        Command::Adherence(arguments) => rule::adherence(arguments, shell),
        Command::Context(arguments) => context::run(arguments, shell),
        Command::Tokens(arguments) => tokens::run(arguments, shell),
        Command::Remote(arguments) => remote::run(arguments, shell),
        Command::Hub(arguments) => hub::run(arguments, shell),
        Command::Sync(arguments) => hub::sync(arguments, shell),
        Command::Hook(arguments) => hook::run(&arguments, shell),
        Command::MemoryTool(arguments) => memory_tool::run(&arguments, shell),
        Command::Completions(arguments) => completions::run(&arguments, shell),
        Command::Man(arguments) => man::run(&arguments, shell),
        Command::BehindWindow(arguments) => behind_window::run(&arguments, shell),
        Command::Renamed(renamed) => run_renamed(renamed, shell),
    }
}

fn run_renamed(renamed: Renamed, shell: &mut Shell<'_, '_>) -> Ended {
    let (old, new) = match &renamed {
        Renamed::Reviewed(_) => ("reviewed", "review all"),
        Renamed::Compare(_) => ("compare", "stores compare"),
        Renamed::Accept(_) => ("accept", "stores accept"),
        Renamed::Snapshot(_) => ("snapshot", "stores snapshot"),
        Renamed::Dreams(_) => ("dreams", "remote dreams"),
        Renamed::Mounts(_) => ("mounts", "remote mounts"),
        Renamed::Expiry(_) => ("expiry", "health expiry"),
        Renamed::Expire(_) => ("expire", "health expire"),
        Renamed::MoveEntry(_) => ("move-entry", "health move-entry"),
        Renamed::Allow(_) => ("allow", "health allow"),
        Renamed::Strip(_) => ("strip", "health strip"),
        Renamed::Rules(_) => ("rules", "health rules"),
    };
    shell.note(&format!("`retrace {old}` is now `retrace {new}`. The old name works in this release only."));
    match renamed {
        Renamed::Reviewed(arguments) => review::up_to(arguments, shell),
        Renamed::Compare(arguments) => accept::compare(&arguments, shell),
        Renamed::Accept(arguments) => accept::accept(arguments, shell),
        Renamed::Snapshot(arguments) => snapshot::run(arguments, shell),
        Renamed::Dreams(arguments) => dreams::run(arguments, shell),
        Renamed::Mounts(arguments) => mounts::run(arguments, shell),
        Renamed::Expiry(arguments) => expiry::run(arguments, shell),
        Renamed::Expire(arguments) => expiry::expire(&arguments, shell),
        Renamed::MoveEntry(arguments) => entries::move_entry(arguments, shell),
        Renamed::Allow(arguments) => entries::allow(arguments, shell),
        Renamed::Strip(arguments) => entries::strip(arguments, shell),
        Renamed::Rules(arguments) => rules::run(arguments, shell),
    }
}
