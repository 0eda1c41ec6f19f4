//! `retrace context transcripts`

use super::{Ended, stoppable};
use crate::exit::Exit;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::{RunOrder, TranscriptsReq};

/// The sessions on this machine: project, model, requests, peak, cost
///
/// Sessions of Claude Code, Codex, Gemini CLI, opencode and Copilot CLI, the latest
/// first. An index is brought up to date before; it reads only what is new.
///
///     retrace context transcripts
///     retrace context transcripts --sort cost
///     retrace context transcripts auth refactoring --project /home/me/app
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Words in title, project or id
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    /// Only this project
    #[arg(long, value_name = "DIR")]
    project: Option<String>,
    /// Order: date, cost or peak
    #[arg(long, value_name = "ORDER", default_value = "date")]
    sort: RunOrder,
    /// At most so many [default: all]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let request = TranscriptsReq {
        query: Some(arguments.words.join(" ")).filter(|words| !words.is_empty()),
        project: arguments.project,
        sort: Some(arguments.sort),
        wait: true,
        ..TranscriptsReq::default()
    };
    let task = "Looking for transcripts";
    let found = stoppable(shell, &app, task, "transcripts", || commands::transcripts(&app, request))?;
    let (as_json, style) = (shell.json, shell.style());
    let shown = &found.transcripts[..found.transcripts.len().min(arguments.limit.unwrap_or(usize::MAX))];
    shell.print_long(|out| {
        match as_json {
            true => shown.iter().try_for_each(|row| json::line(out, row))?,
            false => print::transcripts::table(out, shown, style)?,
        }
        Ok(())
    })?;
    if found.transcripts.is_empty() {
        shell.note(
            "There is no such session. Claude Code, Codex, Gemini CLI, opencode and Copilot CLI are looked for in this home.",
        );
    } else {
        shell.note(&print::transcripts::totals(&found.totals, shown));
    }
    for problem in &found.problems {
        shell.warn(&format!("{}: {}", problem.path, problem.reason));
    }
    Ok(Exit::DONE)
}
