//! The inbox, and what a review did.

use super::names::Names;
use super::time::time;
use super::version::actor;
use super::{Style, act, count, visible};
use retrace_api::wire::{InboxGroup, InboxItem, Reviewed};
use std::io::{Result, Write};

/// A group: who and when, then a line an item.
pub(crate) fn group(
    out: &mut (impl Write + ?Sized),
    group: &InboxGroup,
    names: &Names,
    style: Style,
) -> Result<()> {
    let (first, last) = (time(&group.started_at, style.zone), time(&group.ended_at, style.zone));
    let when = if first == last { last } else { format!("{first} to {last}") };
    writeln!(
        out,
        "{}  {when}  {}, {}",
        style.paint.yellow(&visible::line(&group.id)),
        actor(group.actor.as_ref()),
        count(group.total, "memory", "memories")
    )?;
    group.items.iter().try_for_each(|item| line(out, item, names, style))
}

fn line(out: &mut (impl Write + ?Sized), item: &InboxItem, names: &Names, style: Style) -> Result<()> {
    let paint = style.paint;
    let sign = match item.verb.as_str() {
        "created" => paint.green("+"),
        "deleted" => paint.red("-"),
        "moved" => paint.cyan("→"),
        _ => paint.yellow("~"),
    };
    let now = names.place(&item.store_id, item.path.as_deref());
    let place = match &item.previous_path {
        Some(before) => format!("{} → {now}", names.place(&item.store_id, Some(before))),
        None => now,
    };
    let mut facts = Vec::new();
    if let Some(kind) = item.content_kind.as_deref().filter(|kind| *kind != "text") {
        facts.push(visible::line(&kind.replace('_', " ")));
    }
    facts.extend(item.size_change.map(|change| format!("{change:+} bytes")));
    facts.extend(item.token_change.map(|change| format!("{change:+} tokens")));
    if item.versions > 1 {
        facts.push(count(item.versions, "version", "versions"));
    }
    if item.came_back {
        facts.push(paint.red("came back after a rejection"));
    }
    writeln!(out, "  {sign} {place}  {}  {}", facts.join(", "), paint.dim(&visible::line(&item.version_id)))
}

/// The review in a line, what was done to files, then what was left.
pub(crate) fn reviewed(
    out: &mut (impl Write + ?Sized),
    what: &str,
    reviewed: &Reviewed,
    names: &Names,
    style: Style,
) -> Result<()> {
    let amount = count(reviewed.done.len() as u64, "memory", "memories");
    match (reviewed.dry_run, reviewed.review_seq) {
        (true, _) => writeln!(out, "{what}, not done (dry run): {amount}")?,
        (false, Some(seq)) => writeln!(out, "{what}, review {seq}: {amount}")?,
        (false, None) => writeln!(out, "{what}: {amount}")?,
    }
    for item in &reviewed.done {
        writeln!(out, "  {}", names.place(&item.store_id, item.path.as_deref()))?;
    }
    if let Some(result) = &reviewed.act {
        act::act(out, "Files", result, names, style)?;
    }
    for item in &reviewed.skipped {
        let place = names.place(&item.store_id, item.path.as_deref());
        writeln!(out, "  {}  {place}: {}", style.paint.yellow("left"), visible::line(&item.message))?;
        for (name, id) in [
            ("reviewed", item.base_version_id.as_deref()),
            ("seen", Some(item.version_id.as_str())),
            ("now", item.found_version_id.as_deref()),
        ] {
            writeln!(out, "        {name:<8}  {}", id.map_or_else(|| "-".to_owned(), visible::line))?;
        }
    }
    Ok(())
}
