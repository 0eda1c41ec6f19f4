//! `retrace blame`

use super::Ended;
use super::context::stoppable;
use crate::exit::Exit;
use crate::print;
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::BlameReq;

/// Show who wrote each line, and when
///
/// Through renames, through moves of lines between files, and through history
/// that was brought in. A line of output: the version, who, when, the line's
/// number, the line. Lines on disk that are not recorded yet say so. A name that
/// holds @ itself and is the whole name of a memory, now or before, means that one.
///
///     retrace blame notes:MEMORY.md
///     retrace blame notes:MEMORY.md@2026-11-01
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The memory, now or as it was; or the id of a version
    #[arg(value_name = "STORE:PATH[@TIME]")]
    target: String,
}

/// Name of the job; there is one in the process.
const JOB: &str = "Tracing lines";

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let request = BlameReq { target: shell.target(&app, &arguments.target)?, job: Some(JOB.to_owned()) };
    let blame = stoppable(shell, &app, JOB, JOB, || commands::blame(&app, request))?;
    if blame.kind == "text" && blame.lines.is_empty() {
        shell.note("It has no lines to show: the memory is empty, or was deleted with this version.");
    } else if blame.kind != "text" {
        shell.note(&format!("It has no lines to show: {}.", blame.kind.replace('_', " ")));
    }
    if shell.json {
        shell.print(|out| print::json::line(out, &blame))?;
    } else {
        let style = shell.style();
        shell.print_long_whole(|out| Ok(print::past::blame(out, &blame, style)?))?;
    }
    Ok(Exit::DONE)
}
