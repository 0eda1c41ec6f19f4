//! `retrace discover`

use super::Ended;
use super::stores::text;
use crate::exit::Exit;
use crate::print::{self, json};
use crate::shell::{Failure, Shell};
use clap::{Args, ValueEnum};
use retrace_api::wire::{AddStore, ApiError, DiscoverReq, Discovered, Found, NewProjectsReq, Nothing};
use retrace_api::{App, commands};
use std::path::PathBuf;

/// Find agent memory on this machine
///
/// Only reads. With --add, every directory that is there and in use is
/// recorded from now on. --new shows the projects that appeared since the first
/// store was added and were not declined.
///
///     retrace discover
///     retrace discover --project ~/src/app --add
///     retrace discover --new --decline
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Look in this home directory instead of yours
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
    /// Look in this project directory too; may be given several times
    #[arg(long = "project", value_name = "DIR")]
    projects: Vec<PathBuf>,
    /// Record what was found
    #[arg(long)]
    add: bool,
    /// Only projects that appeared since the first store was added
    #[arg(long, conflicts_with_all = ["home", "projects"])]
    new: bool,
    /// Do not offer these projects again
    #[arg(long, requires = "new", conflicts_with = "add")]
    decline: bool,
    /// Record new projects without asking, whenever Retrace records
    #[arg(long, value_name = "on|off")]
    always: Option<OnOff>,
}

/// A switch.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OnOff {
    /// From now on.
    On,
    /// No longer.
    Off,
}

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    if let Some(always) = arguments.always {
        let request = NewProjectsReq { always: Some(always == OnOff::On), ..NewProjectsReq::default() };
        let now = commands::set_new_projects(&app, request)?;
        shell.note(match now.always {
            true => "New projects are recorded without asking.",
            false => "New projects are recorded only when you say so.",
        });
        if !arguments.new && !arguments.add {
            return Ok(Exit::DONE);
        }
    }
    let request = DiscoverReq {
        home: arguments.home.as_deref().map(text).transpose()?,
        projects: arguments.projects.iter().map(|path| text(path)).collect::<Result<_, _>>()?,
    };
    let first = commands::status(&app, Nothing {})?.first_run;
    let mut discovered = shell.work(&app, "Looking for agent memory", || match arguments.new {
        true => commands::new_projects(&app, Nothing {})
            .map(|new| Discovered { found: new.found, problems: Vec::new() }),
        false => commands::discover(&app, request),
    })?;
    for problem in &discovered.problems {
        let about = if problem.subject.is_empty() { String::new() } else { format!("{}: ", problem.subject) };
        shell.warn(&format!("{about}{}", problem.message));
    }
    let mut ended = Exit::DONE;
    let taken: Vec<String> =
        commands::stores(&app, Nothing {})?.stores.into_iter().map(|store| store.name).collect();
    let (mut added, mut new) = (0, Vec::new());
    for found in &mut discovered.found {
        if arguments.add && is_addable(found) {
            match add(&app, found, &taken, shell) {
                Ok(()) => {
                    added += 1;
                    new.extend(found.store_id.clone());
                }
                // One directory that cannot be recorded is no reason to leave out the others.
                Err(error) if ended == Exit::DONE => ended = shell.fail(&error),
                Err(error) => drop(shell.fail(&error)),
            }
        }
        let (as_json, style, found) = (shell.json, shell.style(), &*found);
        shell.print(|out| {
            if as_json { json::line(out, found) } else { print::discover::found(out, found, style) }
        })?;
    }
    if arguments.decline {
        let decline = discovered.found.iter().map(|found| found.root.clone()).collect();
        commands::set_new_projects(&app, NewProjectsReq { decline, ..NewProjectsReq::default() })?;
    }
    shell.note(&match arguments {
        Arguments { decline: true, .. } => declined(&discovered.found),
        Arguments { new: true, .. } if discovered.found.is_empty() => "No new project has memory.".to_owned(),
        Arguments { new: true, add: false, .. } => {
            "`retrace discover --new --add` records them, `--new --decline` does not ask again.".to_owned()
        }
        _ => summary(&discovered.found, arguments.add.then_some(added)),
    });
    if added > 0 {
        // What is left out now was seen, and is not new later.
        commands::set_new_projects(&app, NewProjectsReq::default())?;
    }
    if first && added > 0 {
        opening(&app, shell)?;
    } else {
        new.iter().try_for_each(|store| opening_of(&app, store, shell))?;
    }
    Ok(ended)
}

/// What is there already in a store that was added beside others.
pub(super) fn opening_of(app: &App, store: &str, shell: &mut Shell<'_, '_>) -> Result<(), Failure> {
    if shell.json || shell.quiet {
        return Ok(());
    }
    let opening = shell.work(app, "Checking what is there", || app.opening_of(store))?;
    let style = shell.style();
    shell.print(|out| print::opening::opening(out, &opening, style))
}

/// What is there already, after the first stores were added.
pub(super) fn opening(app: &App, shell: &mut Shell<'_, '_>) -> Result<(), Failure> {
    if shell.json || shell.quiet {
        return Ok(());
    }
    let opening = shell.work(app, "Checking what is there", || commands::opening(app, Nothing {}))?;
    let style = shell.style();
    shell.print(|out| print::opening::opening(out, &opening, style))
}

fn declined(found: &[Found]) -> String {
    match found.len() as u64 {
        0 => "No new project has memory.".to_owned(),
        declined => format!("{} not offered again.", print::count(declined, "project is", "projects are")),
    }
}

fn is_addable(found: &Found) -> bool {
    found.exists && found.enabled && found.store_id.is_none()
}

fn add(app: &App, found: &mut Found, taken: &[String], shell: &mut Shell<'_, '_>) -> Result<(), ApiError> {
    // A name that another store has would be refused; without one a free name is found.
    let name = (!taken.contains(&found.name)).then(|| found.name.clone());
    let request = AddStore { root: found.root.clone(), kind: Some(found.kind.to_string()), name };
    let task = format!("Taking the baseline of {}", found.name);
    let store = shell.work(app, &task, || commands::add_store(app, request))?;
    found.store_id = Some(store.id);
    Ok(())
}

fn summary(found: &[Found], added: Option<u64>) -> String {
    let open = found.iter().filter(|found| is_addable(found)).count();
    match added {
        _ if found.is_empty() => "No agent memory was found.".to_owned(),
        Some(added) => {
            format!("{} added. `retrace record` goes on recording.", print::count(added, "store", "stores"))
        }
        None if open > 0 => "`retrace discover --add` records what is in use.".to_owned(),
        None => String::from("Everything in use is recorded."),
    }
}
