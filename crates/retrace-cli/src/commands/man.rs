//! `retrace man`

use super::Ended;
use crate::exit::Exit;
use crate::shell::Shell;
use clap::{Args, CommandFactory as _};
use clap_complete::Shell as Target;
use retrace_api::wire::{ApiError, Code, Message};
use std::io;
use std::path::{Path, PathBuf};

/// Where each shell looks for completions, below a directory such as /usr/share
const COMPLETIONS: [(Target, &str); 3] = [
    (Target::Bash, "bash-completion/completions/retrace"),
    (Target::Zsh, "zsh/site-functions/_retrace"),
    (Target::Fish, "fish/vendor_completions.d/retrace.fish"),
];

/// Write a manual page for every command, and completions, for packages
///
/// DIR is laid out as /usr/share is: man/man1, and the places where bash, zsh
/// and fish look for completions.
///
///     retrace man ./share && man ./share/man/man1/retrace.1
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Where to write; made when missing
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    write(&arguments.dir).map_err(|error| ApiError {
        code: Code::CannotWrite,
        message: Message::verbatim(format!(
            "The manual cannot be written: {}.",
            retrace_api::wire::why(&error)
        )),
        hint: Message::verbatim("Name a directory that you may write to."),
        subject: arguments.dir.display().to_string(),
    })?;
    shell.note(&format!("Manual and completions are in {}.", arguments.dir.display()));
    Ok(Exit::DONE)
}

fn write(share: &Path) -> io::Result<()> {
    let pages = share.join("man/man1");
    std::fs::create_dir_all(&pages)?;
    // As the pages are found: `man retrace` and `man retrace-hub-serve`.
    clap_mangen::generate_to(crate::args::Arguments::command(), &pages)?;
    for (shell, place) in COMPLETIONS {
        let place = share.join(place);
        std::fs::create_dir_all(place.parent().unwrap_or(share))?;
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut crate::args::Arguments::command(), "retrace", &mut script);
        std::fs::write(place, script)?;
    }
    Ok(())
}
