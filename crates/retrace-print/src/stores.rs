//! Stores as a table, and what happened to one.

use super::layout::{self, Cell, Column};
use super::paint::Paint;
use super::time::time;
use super::{Style, count, visible};
use retrace_api::wire::{Relocated, Scanned, Store};
use std::io::{Result, Write};

/// All stores: a heading and a row each; why a state is what it is stands below the row.
pub fn table(out: &mut (impl Write + ?Sized), stores: &[Store], style: Style) -> Result<()> {
    let rows = stores.iter().map(|store| {
        [
            Cell::new(visible::short(&store.name, NAME_COLUMNS)),
            Cell::new(visible::line(&store.kind)),
            Cell::new(visible::line(&store.state)),
            Cell::new(store.memories.to_string()),
            Cell::new(store.last_change.as_ref().map_or_else(|| "never".to_owned(), |at| time(at, style))),
            Cell::new(visible::line(&place(&store.root))),
        ]
    });
    let heading = ["NAME", "KIND", "STATE", "MEMORIES", "LAST CHANGE", "DIRECTORY"];
    let heading = heading.map(|name| Cell::painted(name, Paint::dim));
    let all: Vec<[Cell; 6]> = std::iter::once(heading).chain(rows).collect();
    let columns = [Column::Text, Column::Whole, Column::Whole, Column::Number, Column::Whole, Column::Place];
    // Below a row stands why its state is what it is.
    let mut details = std::iter::once(None).chain(stores.iter().map(|store| store.state_detail.as_ref()));
    layout::rows_with(out, columns, &all, style, |out| match details.next().flatten() {
        Some(detail) => writeln!(out, "  {}", style.paint.yellow(&visible::line(detail))),
        None => Ok(()),
    })
}

/// Columns a store's name has in a table. Names have up to 255 characters.
pub const NAME_COLUMNS: usize = 40;

/// Where a store is: its directory, the host it is mirrored from, or nowhere but in the log.
fn place(root: &str) -> String {
    if root.starts_with("log:") {
        return "none; in the log alone".to_owned();
    }
    root.strip_prefix("remote:").map_or_else(|| root.to_owned(), |host| host.replacen('#', " ", 1))
}

/// One store after something was done to it: `added notes (plain): recording, 12 memories`.
pub fn one(out: &mut (impl Write + ?Sized), done: &str, store: &Store) -> Result<()> {
    write!(
        out,
        "{done} {} ({}): {}, {}",
        visible::line(&store.name),
        visible::line(&store.kind),
        visible::line(&store.state),
        count(store.memories, "memory", "memories")
    )?;
    if let Some(detail) = &store.state_detail {
        write!(out, " ({})", visible::line(detail))?;
    }
    writeln!(out)?;
    for what in &store.redacted_before {
        writeln!(out, "  note: {} holds what was redacted before", visible::line(what))?;
    }
    Ok(())
}

/// One store after it was taken off the list.
pub fn removed(out: &mut (impl Write + ?Sized), store: &Store) -> Result<()> {
    let (name, kind) = (visible::line(&store.name), visible::line(&store.kind));
    writeln!(out, "removed {name} ({kind}): no longer recorded; its history stays, and so do its files")
}

/// Prints the result of a scan, in a line; states that need attention in a line each.
pub fn scanned(out: &mut (impl Write + ?Sized), scanned: &Scanned, style: Style) -> Result<()> {
    for store in scanned.stores.iter().filter(|store| store.state != "recording") {
        let detail = store.state_detail.as_deref().map_or_else(String::new, |detail| format!(": {detail}"));
        let text = format!("{} is {}{detail}", store.name, store.state);
        writeln!(out, "{}", style.paint.yellow(&visible::line(&text)))?;
    }
    for store in &scanned.stores {
        for path in &store.redacted_back {
            let text = format!("{}:{path} holds something that was redacted before", store.name);
            writeln!(out, "{} {}", style.paint.red("redacted text is back:"), visible::line(&text))?;
        }
    }
    let versions = scanned.stores.iter().map(|store| store.versions).sum();
    let stores = scanned.stores.len() as u64;
    writeln!(
        out,
        "{} looked at, {} recorded",
        count(stores, "store", "stores"),
        count(versions, "version", "versions")
    )
}

/// Prints the fate of a directory that was taken for a store's.
pub fn relocated(out: &mut (impl Write + ?Sized), done: &Relocated) -> Result<()> {
    let did = if done.dry_run { "would be" } else { "is" };
    writeln!(
        out,
        "{} {did} the directory of {}",
        visible::line(&done.directory),
        visible::line(&done.store.name)
    )?;
    writeln!(
        out,
        "  {} as recorded, {} changed, {} new, {} gone",
        done.same, done.changed, done.new, done.gone
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_without_a_directory_says_where_it_is() {
        for (root, shown) in [
            ("/home/ada/notes", "/home/ada/notes"),
            ("log:memstore_1", "none; in the log alone"),
            ("remote:https://a.example#memstore_01Hx", "https://a.example memstore_01Hx"),
        ] {
            assert_eq!(place(root), shown);
        }
    }
}
