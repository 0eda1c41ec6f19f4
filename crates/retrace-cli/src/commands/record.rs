//! `retrace record`

use super::Ended;
use crate::exit::Exit;
use crate::print::names::Names;
use crate::print::{self, json};
use crate::shell::{Failure, Shell};
use clap::Args;
use retrace_api::wire::Message;
use retrace_api::wire::{
    ApiError, BrokenRule, BrokenRulesReq, Code, Event, LogReq, Nothing, ScanReq, Scanned, Version,
};
use retrace_api::{App, commands};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// Record every change until stopped
///
/// Prints each change as it is recorded, like `retrace log`, and each rule that a
/// running session breaks (docs/RULES.md). Ctrl-C ends it
/// cleanly. One process records at a time.
///
///     retrace record
///     retrace record --once notes
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Look once, record what changed, and exit
    #[arg(long)]
    once: bool,
    /// Only these stores, by id, name or directory [default: all]
    #[arg(value_name = "STORE")]
    stores: Vec<String>,
}

/// Interval at which the wish to stop is checked while nothing happens.
const HEARTBEAT: Duration = Duration::from_millis(200);

/// Versions asked for at once.
const PAGE: u64 = 1000;

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    if commands::stores(&app, Nothing {})?.stores.is_empty() {
        shell.note(
            "No directory is recorded yet: `retrace discover` finds what there is, `retrace stores add DIR` adds one.",
        );
    }
    let mut feed = Feed::from_now(&app, &arguments.stores)?;
    if arguments.once {
        return once(&app, arguments, &mut feed, shell);
    }
    shell.io.stop.listen();
    let events = app.subscribe();
    let mut broken = Broken::from_now(&app)?;
    let recording = app.record(&arguments.stores)?;
    shell.note("Recording. Ctrl-C stops.");
    let mut states = states(&app)?;
    for (name, state) in states.iter().filter(|(_, state)| is_unread(state)) {
        shell.note(&format!("{name} is {state}: {}", remedy(state)));
    }
    while !shell.io.stop.is_requested() {
        match events.recv_timeout(HEARTBEAT) {
            Ok(Event::Advanced { .. }) => go_on(feed.print_new(&app, shell), shell)?,
            Ok(Event::Stores) => go_on(say_states(&app, &mut states, shell), shell)?,
            Ok(Event::Broken) => go_on(broken.print_new(&app, shell), shell)?,
            Ok(Event::Projects) => go_on(say_projects(&app, shell), shell)?,
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    recording.stop();
    feed.print_new(&app, shell)?;
    broken.print_new(&app, shell)?;
    Ok(Exit::DONE)
}

/// Recording does not end because what it recorded could not be read back: the next event brings another try.
fn go_on(printed: Result<(), Failure>, shell: &mut Shell<'_, '_>) -> Result<(), Failure> {
    match printed {
        Err(Failure::Api(error)) => {
            shell.fail(&error);
            Ok(())
        }
        printed => printed,
    }
}

fn once(app: &App, arguments: &Arguments, feed: &mut Feed, shell: &mut Shell<'_, '_>) -> Ended {
    let request = ScanReq { stores: arguments.stores.clone() };
    let scanned = shell.work(app, "Looking", || commands::scan(app, request))?;
    // What was recorded is told also where a transcript cannot be read. The transcript of what was recorded before may have come
    // to the disk only now.
    if let Err(error) = shell.work(app, "Looking for writers", || app.join_writers()) {
        shell.fail(&error);
    }
    feed.print_new(app, shell)?;
    if !shell.json && !shell.quiet {
        let style = shell.style();
        shell.print(|out| print::stores::scanned(out, &scanned, style))?;
    }
    match unavailable(&scanned) {
        Some(error) => Err(error.into()),
        None => Ok(Exit::DONE),
    }
}

/// The failure of a scan of a directory that is not there or may not be read.
fn unavailable(scanned: &Scanned) -> Option<ApiError> {
    let store = scanned.stores.iter().find(|store| is_unread(store.state.as_str()))?;
    let detail = store.state_detail.as_deref().unwrap_or("Its directory cannot be read.");
    Some(ApiError {
        code: Code::StoreUnavailable,
        message: Message::verbatim(format!("The store {} is {}. {detail}", store.name, store.state)),
        hint: Message::verbatim(remedy(store.state.as_str())),
        subject: store.id.clone(),
    })
}

/// True for the state of a store of which nothing is recorded though a person wants it.
fn is_unread(state: &str) -> bool {
    matches!(state, "missing" | "denied" | "moved")
}

/// What brings a store back in such a state.
fn remedy(state: &str) -> &'static str {
    match state {
        "moved" => {
            "If the directory is the store's, say so: `retrace stores relocate STORE`. Otherwise put the store's back."
        }
        "denied" => "Give the right to read it back, or take it off the list with `retrace stores remove`.",
        _ => "Bring its directory back, or take it off the list with `retrace stores remove`.",
    }
}

/// Printed part of the log: each version once, oldest first.
struct Feed {
    stores: Vec<String>,
    /// The newest version that was printed or was there before.
    seq: u64,
    lines: print::version::Lines,
}

impl Feed {
    fn from_now(app: &App, stores: &[String]) -> Result<Self, ApiError> {
        let newest = commands::log(app, LogReq { limit: Some(1), ..LogReq::default() })?;
        let seq = newest.versions.first().map_or(0, |version| version.seq);
        Ok(Self { stores: stores.to_vec(), seq, lines: print::version::Lines::default() })
    }

    fn print_new(&mut self, app: &App, shell: &mut Shell<'_, '_>) -> Result<(), Failure> {
        let mut new = Vec::new();
        if self.stores.is_empty() {
            new = self.newer(app, None)?;
        }
        for store in &self.stores {
            new.extend(self.newer(app, Some(store))?);
        }
        new.sort_by_key(|version| version.seq);
        let Some(newest) = new.last() else { return Ok(()) };
        self.seq = newest.seq;
        if shell.quiet && !shell.json {
            return Ok(());
        }
        let (as_json, style) = (shell.json, shell.style());
        let names = if as_json { Names::default() } else { Names::of(commands::stores(app, Nothing {})?) };
        shell.print(|out| {
            match as_json {
                true => new.iter().try_for_each(|version| json::line(out, version)),
                // What is printed as it happens is read later.
                false => self.lines.page(out, &new, &names, style.with_instants()),
            }
        })
    }

    /// Versions after the newest known one.
    fn newer(&self, app: &App, store: Option<&String>) -> Result<Vec<Version>, ApiError> {
        let mut newer = Vec::new();
        let mut before = None;
        loop {
            let request = LogReq { store: store.cloned(), limit: Some(PAGE), before, ..LogReq::default() };
            let page = commands::log(app, request)?;
            let known = page.versions.iter().any(|version| version.seq <= self.seq);
            newer.extend(page.versions.into_iter().filter(|version| version.seq > self.seq));
            before = page.next_before;
            if known || before.is_none() {
                return Ok(newer);
            }
        }
    }
}

/// Breaks of rules that were printed, or were there before.
struct Broken {
    newest: u64,
}

impl Broken {
    fn from_now(app: &App) -> Result<Self, ApiError> {
        let request = BrokenRulesReq { seen: true, limit: Some(1) };
        let found = commands::broken_rules(app, request)?;
        Ok(Self { newest: found.broken.first().map_or(0, number) })
    }

    fn print_new(&mut self, app: &App, shell: &mut Shell<'_, '_>) -> Result<(), Failure> {
        let found = commands::broken_rules(app, BrokenRulesReq { seen: true, limit: None })?;
        let mut new: Vec<&BrokenRule> =
            found.broken.iter().filter(|broken| number(broken) > self.newest).collect();
        new.reverse();
        let Some(newest) = new.last() else { return Ok(()) };
        self.newest = number(newest);
        if shell.quiet && !shell.json {
            return Ok(());
        }
        let (as_json, style) = (shell.json, shell.style());
        shell.print(|out| {
            new.iter().try_for_each(|broken| match as_json {
                true => json::line(out, *broken),
                false => print::broken::one(out, broken, style.with_instants()),
            })
        })
    }
}

/// The number of a break.
fn number(broken: &BrokenRule) -> u64 {
    broken.id.rsplit('_').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// States by the name of the store.
type States = Vec<(String, String)>;

fn states(app: &App) -> Result<States, ApiError> {
    let stores = commands::stores(app, Nothing {})?.stores;
    Ok(stores.into_iter().map(|store| (store.name, store.state.to_string())).collect())
}

fn say_states(app: &App, known: &mut States, shell: &mut Shell<'_, '_>) -> Result<(), Failure> {
    let now = states(app)?;
    for state in now.iter().filter(|state| !known.contains(state)) {
        shell.note(&format!("{} is {}", state.0, state.1));
    }
    *known = now;
    Ok(())
}

fn say_projects(app: &App, shell: &mut Shell<'_, '_>) -> Result<(), Failure> {
    let new = commands::new_projects(app, Nothing {})?.found.len() as u64;
    if new > 0 {
        let have = print::count(new, "new project has", "new projects have");
        shell.note(&format!(
            "{have} memory. `retrace discover --new --add` records what is new, --decline does not."
        ));
    }
    Ok(())
}
