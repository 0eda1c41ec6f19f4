//! `retrace context sweep`

use super::input::{Named, json as read_json};
use super::{Ended, stoppable};
use crate::exit::Exit;
use crate::print;
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::SweepReq;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Try a grid of settings over runs; those that nothing beats in peak, cost and regrets
///
/// What ran and the run without a setting are always rows; what the first beats
/// is not marked.
/// A grid is a setting in which a value may be {"grid":[...]} or
/// {"from":A,"to":B,"step":S}. Without one, clearing tool uses is tried with the
/// triggers, counts of kept uses and least amounts that the window begins with.
/// Ctrl-C ends it with what was tried until then.
///
///     retrace context sweep 5f3c
///     retrace context sweep 5f3c 9d01 --grid grid.json
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Session ids, paths or words of a title; - for standard input
    #[arg(required = true, value_name = "TRANSCRIPT")]
    transcripts: Vec<String>,
    /// The grid; - for standard input [default: 48 ways of clearing tool uses]
    #[arg(long, value_name = "FILE")]
    grid: Option<PathBuf>,
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

/// What most people would try, as the window's form begins (`ui/src/features/context/grid.ts`).
fn first_grid() -> Value {
    json!({"edits": [{
        "type": "clear_tool_uses_20250919",
        "trigger": {"type": "input_tokens", "value": {"grid": [30_000, 50_000, 70_000, 100_000]}},
        "keep": {"type": "tool_uses", "value": {"grid": [2, 3, 5, 10]}},
        "clear_at_least": {"type": "input_tokens", "value": {"grid": [0, 10_000, 20_000]}},
        "exclude_tools": ["memory"],
    }]})
}

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let grid = arguments.grid.as_ref().map_or_else(|| Ok(first_grid()), |file| read_json(file, shell))?;
    let named =
        arguments.transcripts.iter().map(|name| Named::new(name, shell)).collect::<Result<Vec<_>, _>>()?;
    let app = shell.app()?;
    let request = SweepReq {
        transcripts: named.iter().map(|named| named.name.clone()).collect(),
        grid,
        job: Some(JOB.to_owned()),
        model: arguments.model.clone(),
        cache_ttl: arguments.cache_ttl.clone(),
    };
    let sweep = stoppable(shell, &app, JOB, JOB, || commands::context_sweep(&app, request))?;
    let all = arguments.all;
    shell.print_one(&sweep, |out, style| print::simulate::sweep(out, &sweep, all, style))?;
    let settings =
        || sweep.points.iter().filter(|point| !point.baseline && point.variant.config != json!({}));
    let tried = print::count(settings().count() as u64, "setting", "settings");
    let over = print::count(sweep.transcripts, "transcript", "transcripts");
    shell.note(&match settings().filter(|point| point.pareto).count() {
        0 => format!("{tried} tried over {over}; none is better than what ran."),
        best => format!("{tried} tried over {over}; nothing beats {best} of them (*), what ran included."),
    });
    if sweep.cancelled {
        shell.warn("It was stopped before its end; only what was done by then is shown.");
    }
    Ok(Exit::DONE)
}
