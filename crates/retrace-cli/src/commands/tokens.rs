//! `retrace tokens`

use super::Ended;
use crate::exit::Exit;
use crate::input;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::{ApiError, NamedText, TokensReq};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Count the tokens of files offline
///
/// Counts the text of each file as a model would, without the frame of a message:
/// Claude's, and OpenAI's with o200k or cl100k. Of other vendors' models it is an
/// estimate with its range. Bytes that are not UTF-8 count as replacement characters.
///
///     retrace tokens CLAUDE.md memory/*.md
///     git diff | retrace tokens - --model claude-opus-4-6
///     retrace tokens AGENTS.md --model gpt-5.5
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Files to count; - for standard input [default: -]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Count as this model does [default: one of the newest]
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let files = if arguments.files.is_empty() { vec![PathBuf::from("-")] } else { arguments.files };
    let texts = files
        .iter()
        .map(|path| {
            let text = String::from_utf8_lossy(&bytes(path, shell.io.stdin)?).into_owned();
            Ok(NamedText { name: path.display().to_string(), text })
        })
        .collect::<Result<Vec<_>, ApiError>>()?;
    let app = shell.app()?;
    let request = TokensReq { texts, model: arguments.model };
    let counts = shell.work(&app, "Counting", || commands::tokens(&app, request))?.counts;
    let (as_json, style) = (shell.json, shell.style());
    shell.print(|out| match as_json {
        true => counts.iter().try_for_each(|count| json::line(out, count)),
        false => print::tokens::counts(out, &counts, style),
    })?;
    if let Some(count) = counts.first() {
        let assumed = if count.family_assumed { ", assumed" } else { "" };
        shell.note(&match count.range {
            Some(_) => format!("Estimated: the vocabulary of {} is not known.", count.model),
            None => format!("Counted offline as {} (family {}{assumed}).", count.model, count.family),
        });
    }
    Ok(Exit::DONE)
}

/// Bytes of a file; `-` is standard input.
pub(super) fn bytes(path: &Path, stdin: &mut dyn Read) -> Result<Vec<u8>, ApiError> {
    input::read(path, stdin, input::MAX_INPUT_BYTES)
}
