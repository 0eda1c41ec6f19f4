//! `retrace inbox`

use super::Ended;
use crate::exit::Exit;
use crate::print::names::Names;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::Args;
use retrace_api::wire::{ApiError, Inbox, InboxReq, Nothing, TranscriptsReq};
use retrace_api::{App, commands};

/// What you have left to review, newest first
///
/// Changes of one session stand together; where no session is known, changes
/// that followed each other closely. A line an item: what happened (+ created,
/// ~ changed, - deleted, → moved) to which memory since you reviewed it; by how
/// many bytes and tokens (counted offline); in how many versions; and the
/// version that `approve` and `reject` take. Below it: turn, model and prompt of
/// the write, where they are known, and what is wrong with the change.
///
///     retrace inbox --store notes
///     retrace inbox --json
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Only this store, by id, name or directory
    #[arg(long, value_name = "STORE")]
    store: Option<String>,
}

/// Items asked for at once: the API's largest page.
const PAGE: u64 = 500;

pub(crate) fn run(arguments: Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let mut inbox = whole(&app, arguments.store.clone())?;
    if inbox.groups.iter().any(|group| group.session.is_some()) {
        // Titles and prompts are told where the index of transcripts is known; here nothing has read it yet.
        commands::transcripts(&app, TranscriptsReq { wait: true, ..TranscriptsReq::default() })?;
        inbox = whole(&app, arguments.store)?;
    }
    if inbox.groups.is_empty() {
        shell.note("Nothing is left to review.");
    }
    let names = if shell.json { Names::default() } else { Names::of(commands::stores(&app, Nothing {})?) };
    let (as_json, style) = (shell.json, shell.style());
    shell.print_long(|out| {
        for group in &inbox.groups {
            if as_json {
                json::line(out, group)?;
            } else {
                print::inbox::group(out, group, &names, style)?;
            }
        }
        Ok(())
    })?;
    Ok(Exit::DONE)
}

/// All pages, groups that go over several put together.
pub(super) fn whole(app: &App, store: Option<String>) -> Result<Inbox, ApiError> {
    let mut request = InboxReq { store, before: None, limit: Some(PAGE) };
    let mut inbox = commands::inbox(app, request.clone())?;
    while let Some(before) = inbox.next_before.take() {
        request.before = Some(before);
        let page = commands::inbox(app, request.clone())?;
        for group in page.groups {
            match inbox.groups.last_mut().filter(|last| last.id == group.id) {
                Some(last) => last.items.extend(group.items),
                None => inbox.groups.push(group),
            }
        }
        inbox.next_before = page.next_before;
    }
    Ok(inbox)
}
