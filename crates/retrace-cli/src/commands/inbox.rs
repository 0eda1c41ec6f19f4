//! `retrace inbox`

use super::Ended;
use crate::exit::Exit;
use crate::print::names::Names;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::Args;
use retrace_api::App;
use retrace_api::commands::{self, InboxList, InboxPart};
use retrace_api::wire::{InboxReq, Nothing, TranscriptsReq, TriageReq};

/// List unreviewed changes, newest first
///
/// Changes of one session stand together; where no session is known, changes
/// that followed each other closely. A line an item: what happened (+ created,
/// ~ changed, - deleted, → moved) to which memory since you reviewed it; by how
/// many bytes and tokens (counted offline); in how many versions; and the
/// version that `approve` and `reject` take. Below it: turn, model and prompt of
/// the write, where they are known, and what is wrong with the change.
///
/// With --triage, a line stands for what is decided together: first what needs
/// you (secrets, hostile text, deletions, cut indexes, conflicts, limits), then
/// the routine rest, the same edit of many memories as one.
///
///     retrace inbox --store notes
///     retrace inbox --triage
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
    /// What needs you first, and many like changes as one line; with --json a line for each row
    #[arg(long, conflicts_with = "all")]
    triage: bool,
}

/// Filters of a list.
#[derive(Clone, Default)]
pub(super) struct Narrowed {
    pub(super) store: Option<String>,
    pub(super) kind: Option<String>,
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
    if arguments.triage {
        return triage(&narrowed, &app, shell);
    }
    let request = narrowed.request();
    let mut list = InboxList::read(app.review(), &request)?;
    if list.headings().any(|group| group.session.is_some()) {
        // Titles and prompts are told where the index of transcripts is known; here nothing has read it yet.
        commands::transcripts(&app, TranscriptsReq { wait: true, ..TranscriptsReq::default() })?;
        list = InboxList::read(app.review(), &request)?;
    }
    if list.is_empty() {
        shell.note(match &narrowed.kind {
            Some(_) => "Nothing of this kind is left to review.",
            None => "Nothing is left to review.",
        });
    }
    let names = if shell.json { Names::default() } else { Names::of(commands::stores(&app, Nothing {})?) };
    let (as_json, style) = (shell.json, shell.style());
    shell.print_long(|out| {
        if as_json {
            let mut lines = json::Lists::new(out);
            list.each(app.review(), |part| match part {
                InboxPart::Group(group) => Ok(lines.begin(&group)?),
                InboxPart::Item(item) => Ok(lines.item(&*item)?),
            })
            .and_then(|()| Ok(lines.end()?))
        } else {
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

/// The list as rows that are decided together.
fn triage(narrowed: &Narrowed, app: &App, shell: &mut Shell<'_, '_>) -> Ended {
    let request = || TriageReq { store: narrowed.store.clone(), kind: narrowed.kind.clone() };
    let mut found = commands::triage(app, request())?;
    if found.needs.iter().chain(&found.routine).any(|row| row.session.is_some()) {
        // As above; prompts decide which memories came to be together.
        commands::transcripts(app, TranscriptsReq { wait: true, ..TranscriptsReq::default() })?;
        found = commands::triage(app, request())?;
    }
    if found.total == 0 {
        shell.note("Nothing is left to review.");
    }
    if shell.json {
        shell.print_long(|out| {
            found.needs.iter().chain(&found.routine).try_for_each(|row| Ok(json::line(out, row)?))
        })?;
        return Ok(Exit::DONE);
    }
    let names = Names::of(commands::stores(app, Nothing {})?);
    let style = shell.style();
    shell.print_long(|out| Ok(print::triage::triage(out, &found, &names, style)?))?;
    Ok(Exit::DONE)
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
