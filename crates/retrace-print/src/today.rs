//! What needs a person today, in ten lines.

use super::names::Names;
use super::table::grouped;
use super::time::time;
use super::{Style, count, triage, visible};
use retrace_api::commands::Today;
use retrace_api::wire::{BrokenRules, Status, Store};
use std::io::{Result, Write};

/// Rows that need a decision.
const NEEDS: usize = 5;

/// Lines in which everything is said.
const LINES: usize = 10;

/// Those of them that say how many changes there are, how many rows are not shown, what is recorded, and what to do.
const ALWAYS: usize = 4;

/// Columns of a rule's sentence, and of a call.
const SENTENCE: usize = 44;
const CALL: usize = 24;

/// Rows of the routine rest where nothing needs a decision.
const ROUTINE: usize = 4;

/// Counts, the most urgent rows, what is recorded, what to do.
pub fn today(
    out: &mut (impl Write + ?Sized),
    found: &Today,
    broken: &BrokenRules,
    status: &Status,
    (stores, names): (&[Store], &Names),
    style: Style,
) -> Result<()> {
    if status.stores == 0 {
        return nothing_recorded(out, style);
    }
    let paint = style.paint;
    broken_rules(out, broken, style)?;
    let unread = unread(out, stores, style)?;
    if found.total == 0 {
        errors_stand(out, found.errors, style)?;
        let reviewed = match broken.total + unread + found.errors {
            0 => "Nothing needs you: every change is reviewed.",
            _ => "Every change is reviewed.",
        };
        writeln!(out, "{}", paint.bold(reviewed))?;
    } else {
        writeln!(
            out,
            "{}",
            paint.bold(&triage::counts(
                found.total,
                found.needs.changes,
                found.routine.changes,
                found.older.as_ref().map_or(0, |older| older.newer)
            ))
        )?;
    }
    let besides = ALWAYS
        + if broken.total > 0 { 2 } else { 0 }
        + usize::from(unread > 0)
        + usize::from(found.errors > 0)
        + usize::from(found.older.is_some());
    let room = LINES.saturating_sub(besides);
    match found.needs.rows {
        0 => triage::half(out, &found.routine, ROUTINE.min(room), names, style)?,
        _ => triage::half(out, &found.needs, NEEDS.min(room), names, style)?,
    }
    if found.total > 0 {
        errors_stand(out, found.errors, style)?;
    }
    if let Some(older) = &found.older {
        let newer = match older.newer {
            0 => String::new(),
            1 => "; 1 change since then is in no row yet".to_owned(),
            newer => format!("; {} changes since then are in no row yet", grouped(newer)),
        };
        writeln!(out, "{}", paint.yellow(&format!("Sorted {}{newer}.", time(&older.at, style))))?;
    }
    writeln!(out, "{}", recording(status, style))?;
    if found.total + broken.total > 0 {
        let (keys, list) = (paint.cyan("`retrace inbox -i`"), paint.cyan("`retrace inbox`"));
        writeln!(out, "{keys} reviews them by key, {list} lists them.")?;
    }
    Ok(())
}

/// Stores of which nothing is recorded though a person wants it; how many there are.
fn unread(out: &mut (impl Write + ?Sized), stores: &[Store], style: Style) -> Result<u64> {
    let is_unread = |store: &&Store| matches!(store.state.as_str(), "missing" | "denied" | "moved");
    let unread: Vec<&Store> = stores.iter().filter(is_unread).collect();
    let Some(first) = unread.first() else { return Ok(0) };
    let what = format!("{} is {} and not recorded", visible::short(&first.name, SENTENCE), first.state);
    let more = match unread.len() {
        1 => String::new(),
        more => format!(", and {} more", more - 1),
    };
    let stores = style.paint.cyan("`retrace stores`");
    writeln!(out, "{}: {stores} says why.", style.paint.bold(&format!("{what}{more}")))?;
    Ok(unread.len() as u64)
}

/// That findings of error level stand in the live memories, and `health`, the command that lists them.
#[must_use]
pub fn standing(errors: u64, health: &str) -> String {
    let (errors, stand, them) = match errors {
        1 => ("1 error".to_owned(), "stands", "it"),
        errors => (format!("{} errors", grouped(errors)), "stand", "them"),
    };
    format!("{errors} {stand} in the live memories: {health} lists {them}.")
}

fn errors_stand(out: &mut (impl Write + ?Sized), errors: u64, style: Style) -> Result<()> {
    match errors {
        0 => Ok(()),
        errors => writeln!(out, "{}", standing(errors, &style.paint.cyan("`retrace health`"))),
    }
}

/// How many times a rule was broken that nobody saw yet, and the last of them.
fn broken_rules(out: &mut (impl Write + ?Sized), broken: &BrokenRules, style: Style) -> Result<()> {
    let Some(last) = broken.broken.first() else { return Ok(()) };
    let times = match broken.total {
        1 => "1 broken rule needs you".to_owned(),
        total => format!("{} broken rules need you", grouped(total)),
    };
    let at = time(last.at.as_deref().unwrap_or(&last.found_at), style);
    writeln!(out, "{}, the last {at}:", style.paint.bold(&times))?;
    let (sentence, what) = (visible::short(&last.sentence, SENTENCE), visible::short(&last.what, CALL));
    writeln!(out, "  {} “{sentence}”  {}", style.paint.red("!"), style.paint.dim(&what))
}

/// Whether what happens now is recorded.
fn recording(status: &Status, style: Style) -> String {
    let stores = count(status.stores, "store", "stores");
    let last = match &status.last_write {
        Some(at) => format!("; last change {}", time(at, style)),
        None => String::new(),
    };
    match status.recording {
        true => {
            let of = format!("Recording {} of {stores}", status.recorded);
            format!("{}{last}.", style.paint.green(&of))
        }
        false => {
            let paused = style.paint.yellow("Not recording");
            format!("{paused} ({stores}){last}. {} starts it.", style.paint.cyan("`retrace record`"))
        }
    }
}

/// What to do first.
pub fn nothing_recorded(out: &mut (impl Write + ?Sized), style: Style) -> Result<()> {
    let paint = style.paint;
    writeln!(out, "{}", paint.bold("Nothing is recorded yet."))?;
    for (command, what) in [
        ("retrace discover", "shows the memory of agents on this machine"),
        ("retrace discover --add", "records what is there"),
        ("retrace record", "goes on recording"),
        ("retrace help", "lists all commands"),
    ] {
        writeln!(out, "  {}{what}", paint.cyan(&format!("{command:<24}")))?;
    }
    Ok(())
}
