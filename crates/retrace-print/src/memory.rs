//! Prints the costs of memory files.

use super::context::at_least_tokens;
use super::table::{Side, dollars, grouped, table};
use super::time::time;
use super::{Style, visible};
use retrace_api::wire::MemoryPrice;
use std::io::{Result, Write};

/// A row a file, the dearest first.
pub fn prices(out: &mut (impl Write + ?Sized), files: &[MemoryPrice], style: Style) -> Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let rows: Vec<[String; 6]> = files
        .iter()
        .map(|file| {
            [
                at_least_tokens(file.tokens, file.partial),
                file.loaded_tokens_per_session.map_or_else(|| "-".to_owned(), grouped),
                grouped(file.sessions),
                dollars(file.cost_usd_per_session),
                file.last_loaded_at.as_ref().map_or_else(|| "never".to_owned(), |at| time(at, style)),
                visible::line(&file.path),
            ]
        })
        .collect();
    let columns = [
        ("TOKENS NOW", Side::Right),
        ("LOADED A SESSION", Side::Right),
        ("SESSIONS", Side::Right),
        ("COST A SESSION", Side::Right),
        ("LAST LOADED", Side::Left),
        ("FILE", Side::Place),
    ];
    table(out, columns, &rows, style)?;
    if files.iter().any(|file| file.partial) {
        writeln!(out, "{}", style.paint.dim("≥: only parts of the file were loaded; this is the largest."))?;
    }
    Ok(())
}
