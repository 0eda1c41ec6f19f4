//! `retrace context recommend`

use super::input::Named;
use super::{Ended, stoppable};
use crate::exit::Exit;
use crate::print;
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::RecommendReq;

/// Recommend one setting for a run: what it would have saved, what would be read again, and why
///
/// Tries settings with triggers below the largest context. A result that is cleared
/// and later needed counts as one more request. What saves less than a hundredth is
/// not recommended.
///
///     retrace context recommend 5f3c
///     retrace context recommend 5f3c --all
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Session id or a beginning of it, path, or words of a title; - for standard input
    transcript: String,
    /// Show every setting that was tried
    #[arg(long)]
    all: bool,
    /// Price and default by this model, in place of the recorded one
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Life of the cache [default: as recorded]
    #[arg(long, value_name = "5m|1h")]
    cache_ttl: Option<String>,
}

/// Name of the job; there is one in the process.
const JOB: &str = "Trying settings";

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let named = Named::new(&arguments.transcript, shell)?;
    let app = shell.app()?;
    let request = RecommendReq {
        transcript: named.name.clone(),
        job: Some(JOB.to_owned()),
        model: arguments.model.clone(),
        cache_ttl: arguments.cache_ttl.clone(),
    };
    let found = stoppable(shell, &app, JOB, JOB, || commands::context_recommend(&app, request));
    let mut found = found.map_err(|error| named.in_error(error))?;
    found.transcript = named.called(&found.transcript);
    let all = arguments.all;
    shell.print_one(&found, |out, style| print::recommend::recommendation(out, &found, all, style))?;
    if found.cancelled {
        shell.warn("It was stopped before its end; only what was done by then is shown.");
    }
    Ok(Exit::DONE)
}
