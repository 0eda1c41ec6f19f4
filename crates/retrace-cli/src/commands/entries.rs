//! `retrace health move-entry`, `retrace health allow` and `retrace health strip`

use super::Ended;
use super::rollback::end_of_act;
use crate::shell::Shell;
use clap::Args;
use retrace_api::wire::Message;
use retrace_api::wire::{AllowFindingReq, ApiError, Code, MoveEntryReq, Nothing, StripCharactersReq};
use retrace_api::{App, commands};

/// Move entries of an index into a topic file, both files in one operation
///
/// An item of a list moves with the lines below it; a range moves as it is. The
/// topic file is made where there is none, and the index keeps a line that links
/// to it where sessions load it. `retrace undo` takes it back.
///
///     retrace health move-entry notes:MEMORY.md:207 --to build.md --dry-run
///     retrace health move-entry notes:MEMORY.md:201-230 --to archive.md
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct MoveArguments {
    /// Index and lines
    #[arg(value_name = "STORE:PATH:LINE[-LINE]")]
    entry: String,
    /// The topic file, below the store
    #[arg(long, value_name = "PATH")]
    to: String,
    /// Only if the index has this hash now [default: that of its newest version]
    #[arg(long, value_name = "SHA256")]
    expect: Option<String>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn move_entry(arguments: MoveArguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let (whole, lines) = with_lines(&arguments.entry);
    let (line, end_line) = lines.ok_or_else(|| {
        wrong(
            "No line is named.",
            "Name an entry as STORE:PATH:LINE or STORE:PATH:LINE-LINE.",
            &arguments.entry,
        )
    })?;
    let (store, path) = place(&app, whole)?;
    let MoveArguments { to, expect, dry_run, .. } = arguments;
    let request = MoveEntryReq { store, path, line, end_line, to, expect, expect_to: None, dry_run };
    let result = commands::move_entry(&app, request)?;
    end_of_act(&app, "Move", &result, shell)
}

/// Allow a finding in place: write a comment that says so into the memory
///
/// The comment stands above the line, or at the end for the file as a whole.
/// `retrace undo` takes it back. To stop looking for something anywhere, switch
/// the rule off: `retrace health rules set RULE off`.
///
///     retrace health allow notes:deploy.md:12 links/wiki --reason "written next week"
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct AllowArguments {
    /// Where the finding is
    #[arg(value_name = "STORE:PATH[:LINE]")]
    place: String,
    /// The rule, as `retrace check` prints it
    rule: String,
    /// Why, in one line
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn allow(arguments: AllowArguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let (whole, lines) = with_lines(&arguments.place);
    let (store, path) = place(&app, whole)?;
    let AllowArguments { rule, reason, dry_run, .. } = arguments;
    let line = lines.map(|(line, _)| line);
    let request = AllowFindingReq { store, path, line, rule, reason, expect: None, dry_run };
    let result = commands::allow_finding(&app, request)?;
    end_of_act(&app, "Allowance", &result, shell)
}

/// Take hidden characters out of a memory: those without width, those that turn the order, tags, controls
///
/// Nothing that is seen changes. `retrace undo` takes it back.
///
///     retrace health strip notes:deploy.md --dry-run
///     retrace health strip notes:deploy.md:12 --rule hidden/zero-width
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct StripArguments {
    /// The memory, and the line where only that is meant
    #[arg(value_name = "STORE:PATH[:LINE]")]
    place: String,
    /// Only what this rule finds, as `retrace check` prints it
    #[arg(long)]
    rule: Option<String>,
    /// Only if the file has this hash now [default: that of its newest version]
    #[arg(long, value_name = "SHA256")]
    expect: Option<String>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn strip(arguments: StripArguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let (whole, lines) = with_lines(&arguments.place);
    let (store, path) = place(&app, whole)?;
    let StripArguments { rule, expect, dry_run, .. } = arguments;
    let line = lines.map(|(line, _)| line);
    let request = StripCharactersReq { store, path, rule, start: None, line, expect, dry_run };
    let result = commands::strip_characters(&app, request)?;
    end_of_act(&app, "Removal of hidden characters", &result, shell)
}

/// A line, and the last one of a range.
type LineRange = (u32, Option<u32>);

/// Splits off `:LINE` or `:LINE-LINE`; a text without them whole.
fn with_lines(text: &str) -> (&str, Option<LineRange>) {
    let found = text.rsplit_once(':').and_then(|(before, lines)| {
        let (first, last) = match lines.split_once('-') {
            Some((first, last)) => (first, Some(last)),
            None => (lines, None),
        };
        Some((before, (first.parse().ok()?, last.map(str::parse).transpose().ok()?)))
    });
    found.map_or((text, None), |(before, lines)| (before, Some(lines)))
}

/// Store and path of `STORE:PATH`. Names may hold colons, so the longest that fits wins.
pub(super) fn place(app: &App, text: &str) -> Result<(String, String), ApiError> {
    let stores = commands::stores(app, Nothing {})?.stores;
    let known = stores.iter().flat_map(|store| [&store.id, &store.name, &store.root]);
    let fitting = known
        .filter(|name| text.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(':')))
        .max_by_key(|name| name.len());
    let (store, path) = match fitting {
        Some(name) => (name.as_str(), &text[name.len() + 1..]),
        None => text.split_once(':').unwrap_or((text, "")),
    };
    if path.is_empty() {
        return Err(wrong("No memory is named.", "Name it as STORE:PATH.", text));
    }
    Ok((store.to_owned(), path.to_owned()))
}

fn wrong(message: &str, hint: &str, subject: &str) -> ApiError {
    ApiError {
        code: Code::Invalid,
        message: Message::verbatim(message),
        hint: Message::verbatim(hint),
        subject: subject.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::with_lines;

    #[test]
    fn lines_stand_behind_the_last_colon() {
        for (text, found) in [
            ("notes:MEMORY.md:12", ("notes:MEMORY.md", Some((12, None)))),
            ("a:b:MEMORY.md:3-9", ("a:b:MEMORY.md", Some((3, Some(9))))),
            ("notes:MEMORY.md", ("notes:MEMORY.md", None)),
            ("notes:a:x-9", ("notes:a:x-9", None)),
        ] {
            assert_eq!(with_lines(text), found, "{text}");
        }
    }
}
