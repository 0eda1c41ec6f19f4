//! `retrace completions`

use super::Ended;
use crate::exit::Exit;
use crate::shell::Shell;
use clap::{Args, CommandFactory as _};
use clap_complete::Shell as Target;

/// Print a script that completes commands in your shell
///
///     retrace completions zsh > ~/.zfunc/_retrace
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Shell to complete for
    shell: Target,
}

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::args::Arguments::command(), "retrace", &mut script);
    shell.print_whole(|out| out.write_all(&script))?;
    Ok(Exit::DONE)
}
