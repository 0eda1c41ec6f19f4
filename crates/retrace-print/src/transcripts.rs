//! Sessions as a table.

use super::table::{Side, at_least_dollars, bytes, grouped, table as print_table, why_at_least};
use super::time::time;
use super::{Style, count, visible};
use retrace_api::wire::{FigureKind, TranscriptRow, TranscriptTotals};
use std::io::{Result, Write};

/// Characters of a title.
const TITLE: usize = 48;

/// Columns of a terminal below which size and model give way to the title, by which a person tells sessions apart.
const NARROW: usize = 100;

/// A row a session.
pub fn table(out: &mut (impl Write + ?Sized), rows: &[TranscriptRow], style: Style) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let cells: Vec<[String; 8]> = rows
        .iter()
        .map(|row| {
            [
                visible::line(&row.short_id),
                row.ended_at.as_ref().map_or_else(|| "-".to_owned(), |at| time(at, style)),
                grouped(row.requests),
                peak(row),
                at_least_dollars(row.cost_usd.or(row.client_cost_usd), row.cost_is_lower_bound),
                bytes(row.bytes),
                visible::line(row.models.first().map_or("-", String::as_str)),
                visible::line(&shortened(row.title.as_deref().unwrap_or_default())),
            ]
        })
        .collect();
    let columns = [
        ("ID", Side::Left),
        ("LAST LINE", Side::Left),
        ("REQUESTS", Side::Right),
        ("PEAK", Side::Right),
        ("COST", Side::Right),
        ("SIZE", Side::Right),
        ("MODEL", Side::Left),
        ("TITLE", Side::Left),
    ];
    match style.columns.is_some_and(|columns| columns < NARROW) {
        true => {
            let cells: Vec<_> = cells.into_iter().map(without_size_and_model).collect();
            print_table(out, without_size_and_model(columns), &cells, style)?;
        }
        false => print_table(out, columns, &cells, style)?,
    }
    let bounds = || rows.iter().filter(|row| row.cost_is_lower_bound);
    let placeholders = bounds().map(|row| row.requests_with_placeholder_output).sum();
    let fast = bounds().map(|row| row.requests_fast_without_price).sum();
    for reason in why_at_least(placeholders, fast) {
        writeln!(out, "{}", style.paint.dim(&reason))?;
    }
    if rows.iter().any(is_counted) {
        writeln!(out, "{}", style.paint.dim("~: no context is recorded; the peak is counted offline."))?;
    }
    Ok(())
}

fn without_size_and_model<T>(row: [T; 8]) -> [T; 6] {
    let [id, last, requests, peak, cost, _, _, title] = row;
    [id, last, requests, peak, cost, title]
}

/// True if its peak is not recorded.
fn is_counted(row: &TranscriptRow) -> bool {
    row.peak_kind.is_some_and(|kind| kind != FigureKind::Recorded)
}

fn peak(row: &TranscriptRow) -> String {
    let sign = if is_counted(row) { "~ " } else { "" };
    row.peak.map_or_else(|| "-".to_owned(), |peak| format!("{sign}{}", grouped(peak)))
}

/// Sum of those that are shown, where they are not all, and of all of them.
pub fn totals(totals: &TranscriptTotals, shown: &[TranscriptRow]) -> String {
    let sessions = count(totals.sessions, "session", "sessions");
    let number = shown.len() as u64;
    let (shown, these) = match number == totals.sessions {
        true => (String::new(), String::new()),
        false => (format!("{} of ", grouped(number)), format!("; these: {}", sum(shown))),
    };
    let without = match totals.requests_without_price {
        0 => String::new(),
        requests => {
            format!(" (without {} no price)", count(requests, "request that has", "requests that have"))
        }
    };
    format!(
        "{shown}{sessions} in {}{these}; all of them: {}, {}{without}.",
        count(totals.projects, "project", "projects"),
        count(totals.requests, "request", "requests"),
        at_least_dollars(
            Some(totals.cost_usd).filter(|_| totals.requests_without_price < totals.requests),
            totals.requests_with_placeholder_output + totals.requests_fast_without_price > 0,
        ),
    )
}

/// Requests and price of some sessions.
fn sum(rows: &[TranscriptRow]) -> String {
    let price = |row: &TranscriptRow| row.cost_usd.or(row.client_cost_usd);
    let requests = rows.iter().map(|row| row.requests).sum();
    let is_least = rows.iter().any(|row| row.cost_is_lower_bound || price(row).is_none());
    let dollars = at_least_dollars(Some(rows.iter().filter_map(price).sum()), is_least);
    format!("{}, {dollars}", count(requests, "request", "requests"))
}

fn shortened(title: &str) -> String {
    match title.char_indices().nth(TITLE) {
        Some((at, _)) => format!("{}…", &title[..at]),
        None => title.to_owned(),
    }
}
