//! `retrace presence`

use super::Ended;
use crate::exit::Exit;
use crate::print::{self, json};
use crate::shell::Shell;
use clap::Args;
use retrace_api::commands;
use retrace_api::wire::{PresenceReq, ReachReq};

/// Show which lines of a memory were before the model, and why not
///
/// For a session: the memory and instruction files at one of its requests, each
/// with the lines that were there, the version, and how well that is known:
/// proved by the request's digest, recorded, inferred or unknown. For a memory, or
/// lines of it: in which sessions and subagents it was there, from which request
/// to which, and why not elsewhere. Present does not mean followed.
///
///     retrace presence 5f3c
///     retrace presence 5f3c --at 12
///     retrace presence webshop:MEMORY.md
///     retrace presence webshop:MEMORY.md:214
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Session id or a beginning of it, path, or words of a title, also with the request; or a memory, with lines
    #[arg(value_name = "SESSION[#N]|STORE:PATH[:LINE[-LINE]]")]
    target: String,
    /// Index of the request, from 0; the last one when it is not given
    #[arg(long, value_name = "N")]
    at: Option<u64>,
    /// Only sessions that began at or after this time: 3d (ago), today, 2026-11-26, RFC 3339
    #[arg(long, value_name = "TIME", conflicts_with = "at")]
    since: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let target = &arguments.target;
    let names_memory = arguments.at.is_none() && target.contains(':') && std::fs::metadata(target).is_err();
    if names_memory {
        let (target, lines) = split_lines(target);
        let request = ReachReq {
            target: target.to_owned(),
            from: lines.map(|lines| lines.0),
            to: lines.map(|lines| lines.1),
            since: shell.time_if_any(arguments.since.as_deref())?,
        };
        let reach = shell.work(&app, "Reading transcripts", || commands::reach(&app, request))?;
        if shell.json {
            shell.print(|out| json::line(out, &reach))?;
        } else {
            let style = shell.style();
            shell.print_long(|out| Ok(print::presence::reach(out, &reach, style)?))?;
        }
        return Ok(Exit::DONE);
    }
    let request = PresenceReq { session: target.clone(), at: arguments.at, spans: false };
    let presence = shell.work(&app, "Reading", || commands::presence(&app, request))?;
    if shell.json {
        shell.print(|out| presence.sources.iter().try_for_each(|source| json::line(out, source)))?;
    } else {
        let style = shell.style();
        shell.print_long(|out| Ok(print::presence::session(out, &presence, style)?))?;
    }
    Ok(Exit::DONE)
}

/// `STORE:PATH:12` and `STORE:PATH:12-20` as the memory and its lines.
fn split_lines(text: &str) -> (&str, Option<(u32, u32)>) {
    let lines = text.rsplit_once(':').and_then(|(memory, lines)| {
        let (from, to) = lines.split_once('-').unwrap_or((lines, lines));
        memory.contains(':').then_some((memory, (from.parse().ok()?, to.parse().ok()?)))
    });
    lines.map_or((text, None), |(memory, lines)| (memory, Some(lines)))
}

#[cfg(test)]
mod tests {
    use super::split_lines;

    #[test]
    fn lines_are_told_from_the_path() {
        assert_eq!(split_lines("notes:a.md"), ("notes:a.md", None));
        assert_eq!(split_lines("notes:a.md:7"), ("notes:a.md", Some((7, 7))));
        assert_eq!(split_lines("notes:a.md:7-9"), ("notes:a.md", Some((7, 9))));
        assert_eq!(split_lines("notes:7"), ("notes:7", None));
        assert_eq!(split_lines("a:b:c.md:x"), ("a:b:c.md:x", None));
    }
}
