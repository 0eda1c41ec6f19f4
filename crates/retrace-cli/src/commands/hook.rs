//! `retrace hook`

use super::Ended;
use crate::exit::Exit;
use crate::shell::Shell;
use clap::Args;
use retrace_api::{App, LoadTold};
use std::io::Read as _;

/// Longer events are none of a client.
const LONGEST: u64 = 1 << 20;

/// Keep what Claude Code says it loaded
///
/// For the hook InstructionsLoaded of Claude Code, which runs a command for each
/// CLAUDE.md, AGENTS.md and rule that it loads. Reads one event from standard
/// input and keeps session, file and reason; no text of any file. `retrace session`
/// then says which file imported another, and which file brought a rule in. In
/// settings.json:
///
///     {"hooks": {"InstructionsLoaded": [{"hooks": [
///       {"type": "command", "command": "retrace hook"}]}]}}
///
/// Prints nothing. Other events are passed over.
///
///     retrace hook < event.json
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {}

pub(crate) fn run(_: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let options = shell.options()?;
    let mut event = Vec::new();
    shell.io.stdin.take(LONGEST).read_to_end(&mut event)?;
    if let Some(told) = LoadTold::of_event(&event, (options.clock)()) {
        let told = match App::has_redacted(&options) {
            true => told.without(&*shell.app()?.review().tags()?),
            false => told,
        };
        told.keep(&options.data_dir)?;
    }
    Ok(Exit::DONE)
}
