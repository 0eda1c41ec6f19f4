//! `retrace diff`

use super::Ended;
use crate::exit::Exit;
use crate::print;
use crate::shell::{Failure, Shell};
use clap::Args;
use retrace_api::wire::{
    ApiError, Code, DiffReq, DiffResult, DiffSide, DocumentReq, FileChange, FileDiff, Nothing, Store,
    StoreDiff,
};
use retrace_api::{App, commands};

/// Compare two contents, or two states of a store
///
/// A and B are a version (its number or memver_…), a live memory (STORE:PATH), a
/// memory at an instant (STORE:PATH@TIME), a store as it is (STORE) or as it was
/// (STORE@TIME). TIME is how long ago (2h, 3d), today, 14:00, a date, RFC 3339,
/// or the number of an operation. A name that holds @ itself and is the whole name
/// of a memory, now or before, means that one. A version alone is compared with
/// the one before it, a live memory against its newest version, a store as it was
/// against the store as it is.
/// Invisible characters are written out, such as ‹U+200B›.
///
///     retrace diff 824 --words
///     retrace diff notes@2026-11-01 notes --stat
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The older side
    a: String,
    /// The newer side
    b: Option<String>,
    /// Mark the changed words of changed lines
    #[arg(long)]
    words: bool,
    /// Unchanged lines around each change [default: 3]
    #[arg(long, value_name = "N")]
    context: Option<u32>,
    /// Print only how much changed in which file
    #[arg(long)]
    stat: bool,
}

impl Arguments {
    fn request(&self, a: String, b: Option<String>) -> DiffReq {
        DiffReq { a, b, words: self.words, context: self.context, highlight: false }
    }
}

pub(crate) fn run(arguments: &Arguments, shell: &mut Shell<'_, '_>) -> Ended {
    let app = shell.app()?;
    let b = arguments.b.as_deref().map(|b| shell.target(&app, b)).transpose()?;
    let answer = commands::diff(&app, arguments.request(shell.target(&app, &arguments.a)?, b))?;
    let style = shell.style();
    if shell.json {
        shell.print(|out| print::json::line(out, &answer))?;
        return Ok(Exit::DONE);
    }
    if let DiffResult::Store(StoreDiff { warnings, .. }) = &answer {
        for warning in warnings {
            shell.warn(&shell.told(warning));
        }
    }
    let stores = match answer {
        DiffResult::Store(_) => commands::stores(&app, Nothing {})?.stores,
        DiffResult::File(_) => Vec::new(),
    };
    shell.print_long_whole(|out| {
        match &answer {
            DiffResult::File(file) if arguments.stat => print::diff::file_stat(out, file, style)?,
            DiffResult::File(file) => print::diff::file(out, file, style)?,
            DiffResult::Store(store) => {
                if !arguments.stat {
                    each_file(&app, arguments, store, &stores, &mut |file| {
                        Ok(print::diff::file(out, file, style)?)
                    })?;
                }
                print::diff::store(out, store, style)?;
            }
        }
        Ok(())
    })?;
    Ok(Exit::DONE)
}

/// The difference of each file that differs between two states of a store.
fn each_file(
    app: &App,
    arguments: &Arguments,
    diff: &StoreDiff,
    stores: &[Store],
    print: &mut dyn FnMut(&FileDiff) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for change in &diff.files {
        let old = change.previous_path.as_ref().unwrap_or(&change.path);
        let a = target(&diff.from, old, stores);
        let b = target(&diff.to, &change.path, stores);
        let file = match change.operation.as_str() {
            // Both sides named alike: the newest version against the file.
            _ if a == b => content(commands::diff(app, arguments.request(a, None))),
            "created" => whole(app, &b, change),
            "deleted" => whole(app, &a, change),
            _ => content(commands::diff(app, arguments.request(a, Some(b)))),
        };
        match file {
            Ok(Some(file)) => print(&file)?,
            // Binary, redacted or gone since: the list below has it.
            Ok(None) => {}
            Err(error) if matches!(error.code, Code::NotFound | Code::ContentRedacted) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn content(answer: Result<DiffResult, ApiError>) -> Result<Option<FileDiff>, ApiError> {
    answer.map(|answer| match answer {
        DiffResult::File(file) => Some(file),
        DiffResult::Store(_) => None,
    })
}

/// A file that is on one side only, as a difference from nothing.
fn whole(app: &App, target: &str, change: &FileChange) -> Result<Option<FileDiff>, ApiError> {
    let document = commands::document(app, DocumentReq { target: target.to_owned(), highlight: false })?;
    Ok((document.kind == "text").then(|| print::diff::whole(&document, target, change)))
}

/// A path on one side of a store's difference: `STORE:PATH` or `STORE:PATH@TIME`. A name may hold `@` itself, so the store's
/// own names are what is cut off.
fn target(side: &DiffSide, path: &str, stores: &[Store]) -> String {
    let id = side.store_id.as_deref().unwrap_or_default();
    let known = stores.iter().find(|store| store.id == id);
    let names = known.map_or([id, id, id], |store| [id, &store.name, &store.root]);
    let rest = names.iter().filter_map(|name| side.target.strip_prefix(*name));
    let instant = rest.filter(|rest| rest.is_empty() || rest.starts_with('@')).min_by_key(|rest| rest.len());
    format!("{id}:{path}{}", instant.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(target: &str) -> DiffSide {
        DiffSide {
            target: target.to_owned(),
            store_id: Some("memstore_1".to_owned()),
            version_id: None,
            path: None,
            content_sha256: None,
            content_size_bytes: None,
            redacted: false,
        }
    }

    fn store(name: &str) -> Store {
        Store {
            id: "memstore_1".to_owned(),
            name: name.to_owned(),
            kind: retrace_api::wire::StoreKind::Plain,
            root: "/home/me/notes".to_owned(),
            state: retrace_api::wire::StoreState::Recording,
            state_detail: None,
            memories: 0,
            versions: 0,
            unreviewed: 0,
            last_change: None,
            rules: Vec::new(),
            shared: false,
            mounted: true,
            redacted_before: Vec::new(),
        }
    }

    #[test]
    fn a_file_of_a_store_is_named_at_the_same_instant() {
        for (name, of_store, of_file) in [
            ("notes", "notes", "memstore_1:a.md"),
            ("notes", "notes@97", "memstore_1:a.md@97"),
            ("notes", "memstore_1@2026-11-01", "memstore_1:a.md@2026-11-01"),
            ("notes", "/home/me/notes@97", "memstore_1:a.md@97"),
            ("me@home", "me@home", "memstore_1:a.md"),
            ("me@home", "me@home@97", "memstore_1:a.md@97"),
        ] {
            assert_eq!(target(&side(of_store), "a.md", &[store(name)]), of_file);
        }
    }
}
