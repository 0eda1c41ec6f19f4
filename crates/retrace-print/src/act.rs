//! Prints the result of an act, or its preview.

use super::names::Names;
use super::time::{time, told};
use super::version::named;
use super::{Style, count, guards, receipt, short_hash, visible};
use retrace_api::wire::{
    ActResult, Conflict, FileWrite, LikelyChange, Message, RedactionAction, RedactionMatch,
};
use std::io::{Result, Write};

/// The act in a line, then each file.
pub fn act(
    out: &mut (impl Write + ?Sized),
    what: &str,
    result: &ActResult,
    names: &Names,
    style: Style,
) -> Result<()> {
    if let Some(guard) = &result.guard {
        return guards::guarded(out, guard, style);
    }
    if let Some(undone) = &result.rule_act {
        return guards::undone(out, undone, result.dry_run, style);
    }
    writeln!(out, "{}", heading(what, result))?;
    if let Some(undone) = &result.undoes {
        let note =
            undone.note.as_deref().map(|note| format!(": {}", visible::line(note))).unwrap_or_default();
        let (source, at) = (visible::line(&undone.source), time(&undone.created_at, style));
        writeln!(out, "  undoes operation {}, {source} of {at}{note}", undone.operation_seq)?;
    }
    for found in &result.matches {
        redaction(out, found, names, style)?;
    }
    for write in &result.writes {
        file(out, &style.paint.green("write "), write, names)?;
    }
    for delete in &result.deletes {
        file(out, &style.paint.red("delete"), delete, names)?;
    }
    for file in &result.imported {
        let sure = if file.certain { style.paint.dim("certain ") } else { style.paint.yellow("not sure") };
        let (path, reason) = (visible::line(&file.path), told(&file.reason, style.zone));
        writeln!(out, "  {sure}  {}  {path}: {reason}", visible::line(&file.act))?;
    }
    for conflict in &result.conflicts {
        moved_on(out, conflict, names, style)?;
    }
    for left in &result.left {
        file(out, &style.paint.yellow("left  "), left, names)?;
    }
    // By their ids each can be left out of what is not done yet.
    for change in result.sure.iter().filter(|change| result.dry_run && change.included) {
        offered(out, change, names, style)?;
    }
    for change in &result.likely {
        offered(out, change, names, style)?;
    }
    if result.queued > 0 {
        let changes = count(result.queued, "change", "changes");
        let waits = if result.dry_run { "would wait" } else { "queued" };
        writeln!(out, "  {changes} {waits} for the host; `retrace remote push` sends them")?;
    }
    // A receipt repeats what is to be kept.
    let kept = |warning: &&Message| {
        result.receipt.as_ref().is_some_and(|receipt| receipt.warnings.contains(warning))
    };
    for warning in result.warnings.iter().filter(|warning| !kept(warning)) {
        writeln!(out, "  {} {}", style.paint.yellow("note:"), told(warning, style.zone))?;
    }
    match &result.receipt {
        Some(receipt) => receipt::receipt(out, receipt, style),
        None => Ok(()),
    }
}

fn heading(what: &str, result: &ActResult) -> String {
    let files = (result.writes.len() + result.deletes.len()) as u64;
    let versions = result.matches.iter().filter(|found| found.action == "redact_version").count() as u64;
    let mut amounts = Vec::new();
    if versions > 0 {
        amounts.push(count(versions, "version", "versions"));
    }
    if files > 0 {
        amounts.push(count(files, "file", "files"));
    }
    if result.dry_run && !result.conflicts.is_empty() {
        amounts.push(count(result.conflicts.len() as u64, "conflict", "conflicts"));
    }
    if result.withdrawn > 0 {
        let brought = count(result.withdrawn, "version", "versions");
        amounts.push(format!("{brought} of the import no longer listed"));
    }
    let amounts = if amounts.is_empty() { "nothing to change".to_owned() } else { amounts.join(", ") };
    match (result.dry_run, result.operation_seq) {
        (true, _) => format!("{what}, not done (dry run): {amounts}"),
        (false, Some(seq)) if result.partial => format!("{what}, done in part, operation {seq}: {amounts}"),
        (false, Some(seq)) => format!("{what}, operation {seq}: {amounts}"),
        (false, None) if !result.conflicts.is_empty() => format!("{what}, not done"),
        (false, None) => format!("{what}: {amounts}"),
    }
}

fn file(out: &mut (impl Write + ?Sized), verb: &str, file: &FileWrite, names: &Names) -> Result<()> {
    let (from, to) = (short_hash(file.from_sha256.as_deref()), short_hash(file.to_sha256.as_deref()));
    writeln!(out, "  {verb}  {}  {from} → {to}", names.place(&file.store_id, Some(&file.path)))
}

/// A change that the session is only likely to have made, or that was left out.
fn offered(
    out: &mut (impl Write + ?Sized),
    change: &LikelyChange,
    names: &Names,
    style: Style,
) -> Result<()> {
    let state = if change.included { style.paint.green("taken ") } else { style.paint.yellow("stays ") };
    let how = match change.confidence.as_str() {
        _ if change.first_sight && change.included => "older than the recording, deleted whole".to_owned(),
        _ if change.first_sight => "older than the recording; --include would delete all of it".to_owned(),
        "time_only" => format!("likely, by time alone{}", with_likely(change)),
        "front_matter" => format!("likely, named in the file{}", with_likely(change)),
        "likely" if change.included => {
            "likely, by path, time and part of the content; --except leaves it out".to_owned()
        }
        _ if change.included => "known; --except leaves it out".to_owned(),
        _ => "left out".to_owned(),
    };
    writeln!(
        out,
        "  {state}  {}  {} {}, {how}  {}",
        names.place(&change.store_id, change.path.as_deref()),
        visible::line(&change.operation),
        time(&change.created_at, style),
        style.paint.dim(&named(&change.version_id, style))
    )
}

/// What takes back a change that stays because it is only likely.
fn with_likely(change: &LikelyChange) -> &'static str {
    if change.included { "" } else { "; --include-likely takes it back" }
}

fn moved_on(out: &mut (impl Write + ?Sized), conflict: &Conflict, names: &Names, style: Style) -> Result<()> {
    let place = names.place(&conflict.store_id, Some(&conflict.path));
    writeln!(out, "  {}  {place}: {}", style.paint.red("conflict"), told(&conflict.message, style.zone))?;
    let version = |id: &Option<String>| id.as_deref().map_or_else(|| "-".to_owned(), |id| named(id, style));
    for (name, hash, id) in [
        ("expected", &conflict.expected_sha256, &conflict.expected_version_id),
        ("found", &conflict.found_sha256, &conflict.found_version_id),
    ] {
        writeln!(out, "            {name:<8}  {:<12}  {}", short_hash(hash.as_deref()), version(id))?;
    }
    if conflict.wanted_version_id.is_some() {
        writeln!(out, "            {:<8}  {:<12}  {}", "wanted", "", version(&conflict.wanted_version_id))?;
    }
    Ok(())
}

fn redaction(
    out: &mut (impl Write + ?Sized),
    found: &RedactionMatch,
    names: &Names,
    style: Style,
) -> Result<()> {
    let action = match found.action {
        RedactionAction::RedactVersion => style.paint.yellow("redact "),
        RedactionAction::ReplaceInPlace => style.paint.yellow("replace"),
        RedactionAction::Left => style.paint.dim("left   "),
    };
    let path = found.path.as_deref();
    let place = match &found.store_id {
        Some(store) => names.place(store, path),
        None => path.map_or_else(|| found.place.to_string(), visible::line),
    };
    let line = found.line.map_or_else(String::new, |line| format!(":{line}"));
    let hits = if found.hits > 1 { format!("  ({} matches)", found.hits) } else { String::new() };
    let which = match &found.version_id {
        Some(id) => format!("version {}", named(id, style)),
        None => visible::line(&found.place),
    };
    writeln!(out, "  {action}  {place}{line}  {}{hits}", style.paint.dim(&which))?;
    for line in
        [found.masked.as_deref(), found.detail.as_deref(), found.remedy.as_deref()].into_iter().flatten()
    {
        writeln!(out, "           {}", visible::line_in(line, style.paint))?;
    }
    Ok(())
}
