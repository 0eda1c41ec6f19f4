//! Arguments as typed. The documentation here is the help text.

use crate::commands;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Retrace what your agents remember: review every change, roll it back, redact it
///
/// Records every change in the memory directories of agents in a log that is
/// never rewritten. Nothing leaves this machine unless you agree to it.
///
/// Without a command it says what needs you today.
///
///     retrace discover --add      record what is there
///     retrace record              go on recording
///     retrace inbox -i            review what changed, by key
#[derive(Parser)]
#[command(
    name = "retrace",
    version,
    verbatim_doc_comment,
    help_template = "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{options}{after-help}",
    after_help = "`retrace COMMAND --help` explains a command, with examples.",
    after_long_help = "Exit codes: 0 done, 1 internal, 2 usage, 3 not found, 4 conflict, 5 findings,\n\
                       6 purge pending, 7 store unavailable, 8 database newer than the program,\n\
                       9 counter unavailable.\n\n\
                       A TIME is now, today, yesterday, how long ago (5m, 2h, 3d, 2w), 14:00,\n\
                       2026-11-26, 2026-11-26 14:00 or RFC 3339. A date is its beginning; without a\n\
                       zone a time is local. JSON has times in UTC.\n\n\
                       `retrace COMMAND --help` explains a command, with examples."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    /// Without one: what needs you today.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Options of every command.
#[derive(Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// Keep the log in this directory
    ///
    /// Without it in the platform's data directory. The environment variable RETRACE_DATA_DIR does the same.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Print JSON, one object a line; times in UTC
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print more: every detail, whole ids, times as instants
    ///
    /// Without it times are told from now, ids are short, and lists begin with
    /// counts. JSON has all of it always.
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
    /// Print errors only, and results that were asked for
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Use colours: auto, always, never
    ///
    /// By itself (auto) on a terminal, unless NO_COLOR is set.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub(crate) color: Color,
    /// Do not show long output in a pager
    #[arg(long, global = true)]
    pub(crate) no_pager: bool,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Also into files and pipes.
    Always,
    /// Never.
    Never,
}

/// The commands, in the order of [`GROUPS`](crate::overview::GROUPS).
#[derive(Subcommand)]
pub(crate) enum Command {
    Discover(commands::discover::Arguments),
    Stores(commands::stores::Arguments),
    Record(commands::record::Arguments),
    Serve(commands::serve::Arguments),
    Import(commands::import::Arguments),
    Export(commands::export::Arguments),
    Inbox(commands::inbox::Arguments),
    Approve(commands::review::ApproveArguments),
    Reject(commands::review::RejectArguments),
    Review(commands::review::Arguments),
    Report(commands::report::Arguments),
    Log(commands::log::Arguments),
    Show(commands::show::Arguments),
    Diff(commands::diff::Arguments),
    Blame(commands::blame::Arguments),
    Origin(commands::origin::Arguments),
    Session(commands::origin::SessionArguments),
    Search(commands::search::Arguments),
    Presence(commands::presence::Arguments),
    Memories(commands::memories::Arguments),
    Instructions(commands::instructions::Arguments),
    Clients(commands::clients::Arguments),
    Rollback(commands::rollback::Arguments),
    Restore(commands::restore::Arguments),
    Undo(commands::undo::Arguments),
    Redact(commands::redact::Arguments),
    Receipts(commands::receipts::Arguments),
    Verify(commands::verify::Arguments),
    Check(commands::check::Arguments),
    Health(commands::health::Arguments),
    Rule(commands::rule::Arguments),
    Adherence(commands::rule::AdherenceArguments),
    Worth(commands::worth::Arguments),
    Context(commands::context::Arguments),
    Tokens(commands::tokens::Arguments),
    Remote(commands::remote::Arguments),
    Hub(commands::hub::Arguments),
    Sync(commands::hub::SyncArguments),
    Hook(commands::hook::Arguments),
    MemoryTool(commands::memory_tool::Arguments),
    Completions(commands::completions::Arguments),
    #[command(hide = true)]
    Man(commands::man::Arguments),
    #[command(hide = true)]
    BehindWindow(commands::behind_window::Arguments),
    #[command(flatten)]
    Renamed(Renamed),
}

/// Names of before, which work in this release and print the new one.
#[derive(Subcommand)]
pub(crate) enum Renamed {
    #[command(hide = true)]
    Reviewed(commands::review::UpToArguments),
    #[command(hide = true)]
    Compare(commands::accept::CompareArguments),
    #[command(hide = true)]
    Accept(commands::accept::AcceptArguments),
    #[command(hide = true)]
    Snapshot(commands::snapshot::Arguments),
    #[command(hide = true)]
    Dreams(commands::dreams::Arguments),
    #[command(hide = true)]
    Mounts(commands::mounts::Arguments),
    #[command(hide = true)]
    Expiry(commands::expiry::Arguments),
    #[command(hide = true)]
    Expire(commands::expiry::ExpireArguments),
    #[command(hide = true)]
    MoveEntry(commands::entries::MoveArguments),
    #[command(hide = true)]
    Allow(commands::entries::AllowArguments),
    #[command(hide = true)]
    Strip(commands::entries::StripArguments),
    #[command(hide = true)]
    Rules(commands::rules::Arguments),
}
