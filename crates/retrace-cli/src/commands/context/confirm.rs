//! `retrace context confirm`

use super::input::{Named, invalid, variants};
use super::{Ended, stoppable};
use crate::exit::Exit;
use crate::print;
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::Message;
use retrace_api::wire::{ApiError, Code, ConfirmReq};
use std::io::Read;
use std::path::PathBuf;

/// Check forecasts with count_tokens, after showing what would be sent
///
/// Nothing is sent before you agree: on a terminal you are asked, elsewhere --yes
/// is needed. The key comes from ANTHROPIC_API_KEY or `retrace context key set`.
/// Exits with 9 when exact counts are unavailable.
///
///     retrace context confirm 5f3c --config c.json
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Session id or a beginning of it, path, or words of a title
    transcript: String,
    /// The setting
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Number of requests to check [default: 4]
    #[arg(long, value_name = "N")]
    points: Option<u64>,
    /// Send what the plan says without asking
    #[arg(long)]
    yes: bool,
}

/// Name of the job; there is one in the process.
const JOB: &str = "Counting";

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let mut settings = variants(&arguments.config, shell)?;
    let variant = match settings.pop() {
        Some(one) if settings.is_empty() => one,
        _ => return Err(invalid(&arguments.config, "One setting is confirmed at a time.").into()),
    };
    let named = Named::new(&arguments.transcript, shell)?;
    let app = shell.app()?;
    let request = ConfirmReq {
        transcript: named.name.clone(),
        variant,
        points: arguments.points,
        job: Some(JOB.to_owned()),
        ..ConfirmReq::default()
    };
    let planned = shell.work(&app, "Reading", || commands::context_confirm(&app, request.clone()));
    let plan = planned.map_err(|error| named.in_error(error))?.plan;
    if plan.calls > 0 && plan.key_source.is_none() {
        return Err(ApiError {
            code: Code::CounterUnavailable,
            message: Message::verbatim("There is no key for exact counts."),
            hint: Message::verbatim("Set ANTHROPIC_API_KEY, or keep one with `retrace context key set`."),
            subject: plan.base_url,
        }
        .into());
    }
    if !shell.json {
        print::confirm::plan(shell.io.stderr, &plan)?;
    }
    if plan.calls > 0 && !arguments.yes && !agrees(shell)? {
        shell.note("Nothing was sent.");
        return Ok(Exit::DONE);
    }
    let agreed = ConfirmReq { agreed: true, ..request };
    let confirmed = stoppable(shell, &app, JOB, JOB, || commands::context_confirm(&app, agreed))?;
    shell.print_one(&confirmed, |out, style| print::confirm::points(out, &confirmed, style))?;
    if confirmed.cancelled {
        shell.warn("It was stopped before its end.");
    }
    let failed = confirmed.points.iter().all(|point| point.exact_after.is_none());
    Ok(if failed { Exit::of(Code::CounterUnavailable) } else { Exit::DONE })
}

/// Asks on a terminal.
fn agrees(shell: &mut Shell<'_, '_>) -> Result<bool, ApiError> {
    if !shell.io.terminal.stderr || shell.json {
        return Err(ApiError {
            code: Code::Invalid,
            message: Message::verbatim("Nothing was sent: nobody could be asked."),
            hint: Message::verbatim("Say --yes to send what the plan says."),
            subject: "--yes".to_owned(),
        });
    }
    let _ = write!(shell.io.stderr, "Send this? [y/N] ").and_then(|()| shell.io.stderr.flush());
    let answer = line(shell.io.stdin);
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// One line of input, byte by byte: what follows it is not ours to take.
fn line(input: &mut dyn Read) -> String {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while matches!(input.read(&mut byte), Ok(1)) && byte != *b"\n" && bytes.len() < 1_000 {
        bytes.extend(byte);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
