//! `retrace instructions`

use super::Ended;
use super::stores::text;
use crate::exit::Exit;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code, InstructionsReq};
use std::path::Path;

/// List the instruction files that a session would load
///
/// In load order, for Claude Code, Codex, Gemini CLI and opencode, each with its
/// size, its tokens (counted offline) and whether it is loaded, on demand, cut at a
/// byte, or why not. Only reads. Says the version of each agent that is here, and
/// the one whose rules are applied.
///
///     retrace instructions            a session started here
///     retrace instructions notes      a session in the project of this store
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// A store, or a directory [default: the current directory]
    #[arg(value_name = "STORE|DIR")]
    target: Option<String>,
    /// Only files that every session of yours loads, wherever it is started
    #[arg(long, conflicts_with = "target")]
    user: bool,
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let request = request(arguments)?;
    let found = commands::instructions(&app, request)?;
    for problem in &found.problems {
        shell.warn(problem);
    }
    let (as_json, style) = (shell.json, shell.style());
    shell.print_long(|out| {
        if as_json {
            json::line(out, &found)?;
        } else {
            print::kinds::instructions(out, &found, style)?;
        }
        Ok(())
    })?;
    Ok(Exit::DONE)
}

/// A name that is a directory here is meant as one, as in `retrace check`.
fn request(arguments: Arguments) -> Result<InstructionsReq, ApiError> {
    if arguments.user {
        return Ok(InstructionsReq::default());
    }
    let target = arguments.target.unwrap_or_else(|| ".".to_owned());
    if !Path::new(&target).is_dir() {
        return Ok(InstructionsReq { store: Some(target), project: None });
    }
    let absolute = std::path::absolute(&target).map_err(|error| ApiError {
        code: Code::Invalid,
        message: Message::verbatim(format!("{}.", retrace_api::wire::why(&error))),
        hint: Message::verbatim("Go to a directory that is there, or name one by its full path."),
        subject: target.clone(),
    })?;
    // `..` and a final `.` would hide which directories are above.
    let absolute = absolute.canonicalize().unwrap_or(absolute);
    Ok(InstructionsReq { store: None, project: Some(text(&absolute)?) })
}
