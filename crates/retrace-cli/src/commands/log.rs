//! `retrace log`

use super::Ended;
use crate::exit::Exit;
use crate::print::names::Names;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::Args;
use retrace_api::wire::{ApiError, LogReq, Nothing, Version};
use retrace_api::{App, commands};

/// List changes, newest first
///
/// A line a version: its number, which every command takes for it; when; what
/// happened (+ created, ~ modified, - deleted, → moved) to which memory; who
/// wrote it, and why where a reason was given. With -v also what recorded it, in
/// which operation, and its id.
///
///     retrace log notes --since 2026-11-01
///     retrace log --path api/auth.md --actor unknown
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Only this store, by id, name or directory
    store: Option<String>,
    /// Only this path and what is below it; follows a memory through its renames
    #[arg(long, allow_hyphen_values = true)]
    path: Option<String>,
    /// Only created, modified or deleted; or the versions of the operation with this number
    #[arg(long, value_name = "WORD|SEQ")]
    operation: Option<String>,
    /// Only by this actor: a session (the beginning of its id will do), user or key id, or unknown
    #[arg(long)]
    actor: Option<String>,
    /// Not before this time: 2h (ago), today, 14:00, 2026-11-26, RFC 3339
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Not after this time; of a date its beginning is meant
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// At most so many [default: all]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<u64>,
    /// Only versions with a smaller number
    #[arg(long, value_name = "SEQ")]
    before: Option<u64>,
}

/// Versions asked for at once: the API's largest page.
const PAGE: u64 = 1000;

impl Arguments {
    /// True if not every change is asked for.
    fn is_narrowed(&self) -> bool {
        let words = [&self.store, &self.path, &self.operation, &self.actor, &self.since, &self.until];
        words.iter().any(|word| word.is_some()) || self.before.is_some()
    }

    /// The filters but the times, with the first page not yet chosen.
    fn request(&self) -> LogReq {
        // A kind of change is a word, an operation is a number.
        let operation_seq = self.operation.as_deref().and_then(|text| text.parse().ok());
        LogReq {
            store: self.store.clone(),
            path: self.path.clone(),
            memory: None,
            operation: if operation_seq.is_none() { self.operation.clone() } else { None },
            actor: self.actor.clone(),
            since: None,
            until: None,
            operation_seq,
            limit: None,
            before: self.before,
        }
    }
}

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let names = if shell.json { Names::default() } else { Names::of(commands::stores(&app, Nothing {})?) };
    let request = LogReq {
        since: shell.time_if_any(arguments.since.as_deref())?,
        until: shell.time_if_any(arguments.until.as_deref())?,
        ..arguments.request()
    };
    let mut pages = Versions { request, left: arguments.limit.unwrap_or(u64::MAX) };
    // Before anything is printed: a wrong filter must not start a pager.
    let mut page = pages.next(&app)?;
    if page.is_empty() && arguments.limit != Some(0) {
        shell.note(match arguments.is_narrowed() {
            true => "No change matches.",
            false if commands::stores(&app, Nothing {})?.stores.is_empty() => {
                "Nothing is recorded yet. `retrace discover` shows what there is."
            }
            false => "No change is recorded yet. `retrace stores` lists what is watched.",
        });
    }
    let (as_json, style) = (shell.json, shell.style());
    let mut lines = print::version::Lines::default();
    shell.print_long(|out| {
        while !page.is_empty() {
            match as_json {
                true => page.iter().try_for_each(|version| json::line(out, version))?,
                false => lines.page(out, &page, &names, style)?,
            }
            page = pages.next(&app)?;
        }
        Ok(())
    })?;
    Ok(Exit::DONE)
}

/// The rows asked for, a page at a time.
struct Versions {
    request: LogReq,
    left: u64,
}

impl Versions {
    /// The next page; empty at the end.
    fn next(&mut self, app: &App) -> Result<Vec<Version>, ApiError> {
        if self.left == 0 {
            return Ok(Vec::new());
        }
        let request = LogReq { limit: Some(self.left.min(PAGE)), ..self.request.clone() };
        let page = commands::log(app, request)?;
        self.left = match page.next_before {
            Some(before) => {
                self.request.before = Some(before);
                self.left.saturating_sub(page.versions.len() as u64)
            }
            None => 0,
        };
        Ok(page.versions)
    }
}
