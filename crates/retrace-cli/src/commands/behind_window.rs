//! `retrace behind-window`

use super::Ended;
use crate::exit::Exit;
use crate::shell::Shell;
use clap::Args;

/// Answer a window on standard input and output until the input ends
///
/// The desktop's window starts it; nobody else needs to.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Do not record until the window asks for it
    #[arg(long)]
    paused: bool,
}

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    retrace_link::serve_standard_streams(shell.options(), arguments.paused)?;
    Ok(Exit::DONE)
}
