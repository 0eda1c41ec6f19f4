//! Arguments as typed. The documentation here is the help text.

use crate::commands;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Retrace what your agents remember: see every change, put it back, take it out.
///
/// Records every change in the memory directories of agents in a log that is
/// never rewritten. Nothing leaves this machine unless you agree to it.
///
///     retrace discover --add      record what is there
///     retrace record              go on recording
///     retrace log                 what changed
#[derive(Parser)]
#[command(
    name = "retrace",
    version,
    verbatim_doc_comment,
    arg_required_else_help = true,
    subcommand_required = true,
    after_help = "Exit codes: 0 done, 1 internal, 2 usage, 3 not found, 4 conflict, 5 findings,\n\
                  6 purge pending, 7 store unavailable, 8 database newer than the program,\n\
                  9 counter unavailable."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// Keep the log here [env: RETRACE_DATA_DIR] [default: the platform's data directory]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Print JSON: one object, or one object a line for lists; times in UTC
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print errors only, and results that were asked for
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Use colours; auto: on a terminal, unless NO_COLOR is set
    #[arg(
        long,
        global = true,
        value_name = "auto|always|never",
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

/// The commands, in the order of help.
#[derive(Subcommand)]
pub(crate) enum Command {
    Stores(commands::stores::Arguments),
    Remote(commands::remote::Arguments),
    Discover(commands::discover::Arguments),
    Record(commands::record::Arguments),
    Log(commands::log::Arguments),
    Show(commands::show::Arguments),
    Origin(commands::origin::Arguments),
    Session(commands::origin::SessionArguments),
    Diff(commands::diff::Arguments),
    Memories(commands::memories::Arguments),
    Instructions(commands::instructions::Arguments),
    Snapshot(commands::snapshot::Arguments),
    Blame(commands::blame::Arguments),
    Search(commands::search::Arguments),
    Inbox(commands::inbox::Arguments),
    Approve(commands::review::ApproveArguments),
    Reject(commands::review::RejectArguments),
    Reviewed(commands::review::UpToArguments),
    Report(commands::report::Arguments),
    Rollback(commands::rollback::Arguments),
    Restore(commands::restore::Arguments),
    Undo(commands::undo::Arguments),
    Compare(commands::accept::CompareArguments),
    Accept(commands::accept::AcceptArguments),
    Dreams(commands::dreams::Arguments),
    Mounts(commands::mounts::Arguments),
    Import(commands::import::Arguments),
    Export(commands::export::Arguments),
    Redact(commands::redact::Arguments),
    Receipts(commands::receipts::Arguments),
    Verify(commands::verify::Arguments),
    Check(commands::check::Arguments),
    Health(commands::health::Arguments),
    Expiry(commands::expiry::Arguments),
    Expire(commands::expiry::ExpireArguments),
    MoveEntry(commands::entries::MoveArguments),
    Allow(commands::entries::AllowArguments),
    Strip(commands::entries::StripArguments),
    Rules(commands::rules::Arguments),
    Tokens(commands::tokens::Arguments),
    Context(commands::context::Arguments),
    MemoryTool(commands::memory_tool::Arguments),
    Serve(commands::serve::Arguments),
    Completions(commands::completions::Arguments),
}
