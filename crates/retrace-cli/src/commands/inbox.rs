//! `retrace inbox`

use super::{Ended, interactive};
use crate::exit::Exit;
use crate::print::names::Names;
use crate::print::triage::Most;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::Args;
use retrace_api::App;
use retrace_api::commands::{self, InboxList, InboxPart, Today};
use retrace_api::wire::{ApiError, BrokenRulesReq, InboxReq, Nothing, TranscriptsReq, Triage, TriageReq};

/// List unreviewed changes, what needs you first
///
/// Counts come first. A line then stands for what is decided together: what
/// needs you (secrets, hostile text, deletions, cut indexes, conflicts, limits)
/// with the command that mends it, then the routine rest, the same edit of many
/// memories as one. It begins with the number of its newest change, which
/// `diff`, `approve` and `reject` take; their --group takes it for the whole
/// line. Long lists are cut and say by how much; --triage prints them whole.
///
/// With -v (or --all), changes stand under the session that wrote them; where
/// none is known, under those that followed each other closely. A line an item:
/// what happened (+ created, ~ changed, - deleted, → moved) to which memory
/// since you reviewed it; by how many bytes and tokens (counted offline); in how
/// many versions; and the version. Below it: turn, model and prompt of the
/// write, where they are known, and what is wrong with the change.
///
///     retrace inbox -i
///     retrace inbox --store notes -v
///     retrace inbox --kind topic:feedback
///     retrace inbox --json
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Only this store, by id, name or directory
    #[arg(long, value_name = "STORE")]
    store: Option<String>,
    /// Only this kind: index, topic, topic:TYPE, daily_log, instructions, other; or whose: team, agent_user, agent_project, agent_local
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Each finding on a line of its own
    #[arg(long)]
    all: bool,
    /// Every line, however many there are; with --json an object for each line
    #[arg(long, conflicts_with = "all")]
    triage: bool,
    /// Review by key, line by line; ? explains the keys
    #[arg(long, short, conflicts_with_all = ["all", "triage", "json"])]
    interactive: bool,
}

/// Filters of a list.
#[derive(Clone, Default)]
pub(crate) struct Narrowed {
    pub(crate) store: Option<String>,
    pub(crate) kind: Option<String>,
}

impl Narrowed {
    /// Request for the inbox.
    pub(super) fn request(&self) -> InboxReq {
        InboxReq { store: self.store.clone(), kind: self.kind.clone(), ..InboxReq::default() }
    }

    /// Reads what the name of a group says that it was listed under: `group_7@memstore_…:topic:user`.
    pub(super) fn of_group(name: &str) -> Self {
        let (rest, kind) = name.split_once(':').map_or((name, None), |(rest, kind)| (rest, Some(kind)));
        let store = rest.split_once('@').map(|(_, store)| store);
        Self { store: store.map(str::to_owned), kind: kind.map(str::to_owned) }
    }
}

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let narrowed = Narrowed { store: arguments.store, kind: arguments.kind };
    if arguments.interactive {
        return interactive::run(&app, &narrowed, shell);
    }
    let is_whole = arguments.all || shell.verbose || shell.json;
    if arguments.triage || !is_whole {
        return match (arguments.triage, &narrowed.store, &narrowed.kind) {
            (true, ..) => triage(&narrowed, Most::ALL, &app, shell),
            // What is kept of rows is of all stores.
            (_, None, None) => listed(&app, shell),
            _ => triage(&narrowed, Most::SOME, &app, shell),
        };
    }
    let request = narrowed.request();
    let mut list = InboxList::read(app.review(), &request)?;
    if list.headings().any(|group| group.session.is_some()) {
        // Titles and prompts are told where the index of transcripts is known; here nothing has read it yet.
        commands::transcripts(&app, TranscriptsReq { wait: true, ..TranscriptsReq::default() })?;
        list = InboxList::read(app.review(), &request)?;
    }
    let broken = match (&narrowed.store, &narrowed.kind) {
        (None, None) => commands::broken_rules(&app, BrokenRulesReq::default())?.broken,
        _ => Vec::new(),
    };
    if list.is_empty() && broken.is_empty() {
        shell.note(nothing_left(&narrowed));
    }
    let names = if shell.json { Names::default() } else { Names::of(commands::stores(&app, Nothing {})?) };
    let (as_json, style) = (shell.json, shell.style());
    shell.print_long(|out| {
        if as_json {
            broken.iter().try_for_each(|broken| json::line(out, broken))?;
            let mut lines = json::Lists::new(out);
            list.each(app.review(), |part| match part {
                InboxPart::Group(group) => Ok(lines.begin(&group)?),
                InboxPart::Item(item) => Ok(lines.item(&*item)?),
            })
            .and_then(|()| Ok(lines.end()?))
        } else {
            broken.iter().try_for_each(|broken| print::broken::one(out, broken, style))?;
            let mut groups = print::inbox::Groups::new(out, &names, arguments.all, style);
            list.each(app.review(), |part| match part {
                InboxPart::Group(group) => Ok(groups.begin(group)?),
                InboxPart::Item(item) => Ok(groups.item(*item)?),
            })
            .and_then(|()| Ok(groups.end()?))
        }
    })?;
    Ok(Exit::DONE)
}

/// The first rows of everything.
fn listed(app: &App, shell: &mut Shell<'_, '_>) -> Ended {
    let found = Today::listed(app.review(), Most::SOME.needs, Most::SOME.routine)?;
    let broken = commands::broken_rules(app, BrokenRulesReq::default())?;
    if found.total == 0 && broken.broken.is_empty() {
        shell.note(nothing_left(&Narrowed::default()));
        if found.errors > 0 {
            shell.note(&print::today::standing(found.errors, "`retrace health`"));
        }
    }
    let names = Names::of(commands::stores(app, Nothing {})?);
    let style = shell.style();
    shell.print_long(|out| Ok(print::triage::listed(out, &found, &broken, &names, Most::SOME, style)?))?;
    note_keys(found.total, shell);
    Ok(Exit::DONE)
}

fn note_keys(total: u64, shell: &mut Shell<'_, '_>) {
    if total > 0 {
        shell.note("`retrace inbox -i` reviews by key, `retrace inbox -v` lists each change.");
    }
}

/// The list as rows that are decided together.
fn triage(narrowed: &Narrowed, most: Most, app: &App, shell: &mut Shell<'_, '_>) -> Ended {
    let found = rows(narrowed, app)?;
    if found.total == 0 && found.broken.is_empty() {
        shell.note(nothing_left(narrowed));
    }
    if shell.json {
        shell.print_long(|out| {
            found.broken.iter().try_for_each(|broken| json::line(out, broken))?;
            found.needs.iter().chain(&found.routine).try_for_each(|row| Ok(json::line(out, row)?))
        })?;
        return Ok(Exit::DONE);
    }
    let names = Names::of(commands::stores(app, Nothing {})?);
    let style = shell.style();
    shell.print_long(|out| Ok(print::triage::triage(out, &found, &names, most, style)?))?;
    note_keys(found.total, shell);
    Ok(Exit::DONE)
}

/// What is left to review, as rows that are decided together.
pub(super) fn rows(narrowed: &Narrowed, app: &App) -> Result<Triage, ApiError> {
    let request = || TriageReq { store: narrowed.store.clone(), kind: narrowed.kind.clone() };
    let found = commands::triage(app, request())?;
    if found.needs.iter().chain(&found.routine).all(|row| row.session.is_none()) {
        return Ok(found);
    }
    // Prompts decide which memories came to be together, and are known where the index of transcripts is.
    commands::transcripts(app, TranscriptsReq { wait: true, ..TranscriptsReq::default() })?;
    commands::triage(app, request())
}

pub(super) fn nothing_left(narrowed: &Narrowed) -> &'static str {
    match narrowed.kind {
        Some(_) => "Nothing of this kind is left to review.",
        None => "Nothing is left to review.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_group_says_what_it_was_listed_under() {
        for (name, store, kind) in [
            ("group_7", None, None),
            ("group_7:index", None, Some("index")),
            ("group_7@memstore_a", Some("memstore_a"), None),
            ("group_7@memstore_a:topic:a@b", Some("memstore_a"), Some("topic:a@b")),
            ("group_7:topic:a@b", None, Some("topic:a@b")),
        ] {
            let read = Narrowed::of_group(name);
            assert_eq!((read.store.as_deref(), read.kind.as_deref()), (store, kind), "{name}");
        }
    }
}
