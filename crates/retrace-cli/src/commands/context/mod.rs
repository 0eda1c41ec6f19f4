//! `retrace context`

mod compare;
mod confirm;
mod deployed;
mod export;
mod input;
mod key;
mod memory;
mod recommend;
mod request;
mod show;
mod simulate;
mod sweep;
mod transcripts;

use super::Ended;
use crate::shell::Shell;
use clap::{Args, Subcommand};
use retrace_api::App;
use retrace_api::commands;
use retrace_api::wire::JobRef;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Inspect the context of runs, and try settings on them
///
/// TRANSCRIPT is a session id or the beginning of one, a path, or words of a
/// title; - is standard input. A Messages API request as JSON is a transcript of
/// one request.
///
///     retrace context transcripts
///     retrace context show 5f3c
///     retrace context simulate 5f3c --config c.json
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Transcripts(transcripts::Arguments),
    Show(show::Arguments),
    Request(request::Arguments),
    Recommend(recommend::Arguments),
    Simulate(simulate::Arguments),
    Sweep(sweep::Arguments),
    Compare(compare::Arguments),
    Confirm(confirm::Arguments),
    Deployed(deployed::Arguments),
    Export(export::Arguments),
    Memory(memory::Arguments),
    Key(key::Arguments),
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    match arguments.action {
        Action::Transcripts(arguments) => transcripts::run(arguments, shell),
        Action::Show(arguments) => show::run(&arguments, shell),
        Action::Request(arguments) => request::run(&arguments, shell),
        Action::Recommend(arguments) => recommend::run(&arguments, shell),
        Action::Simulate(arguments) => simulate::run(&arguments, shell),
        Action::Sweep(arguments) => sweep::run(&arguments, shell),
        Action::Compare(arguments) => compare::run(&arguments, shell),
        Action::Confirm(arguments) => confirm::run(&arguments, shell),
        Action::Deployed(arguments) => deployed::run(&arguments, shell),
        Action::Export(arguments) => export::run(&arguments, shell),
        Action::Memory(arguments) => memory::run(arguments, shell),
        Action::Key(arguments) => key::run(&arguments, shell),
    }
}

/// Interval at which a wish to stop is checked while work is done.
const POLL: Duration = Duration::from_millis(100);

/// Runs work that may take long and is stopped as the job `job`, when the user asks for it with Ctrl-C.
pub(crate) fn stoppable<T: Send>(
    shell: &mut Shell<'_, '_>,
    app: &App,
    task: &str,
    job: &str,
    work: impl FnOnce() -> T + Send,
) -> T {
    let stop = shell.io.stop.clone();
    stop.listen();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                // A job that has not begun yet is asked again.
                if stop.wait(POLL) {
                    let asked = commands::cancel(app, JobRef { job: job.to_owned() });
                    if asked.is_ok_and(|asked| asked.cancelled) {
                        return;
                    }
                    std::thread::sleep(POLL);
                }
            }
        });
        let answer = shell.work(app, task, work);
        done.store(true, Ordering::SeqCst);
        answer
    })
}
