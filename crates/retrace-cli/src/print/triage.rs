//! The inbox as triage: what needs a decision, then the routine rest, a line a row.

use super::names::Names;
use super::table::grouped;
use super::time::time;
use super::version::actor;
use super::{Style, check, count, visible};
use retrace_api::wire::{NeedReason, Triage, TriageKind, TriageRow};
use std::io::{Result, Write};

/// Everything, as rows under their two headings.
pub(crate) fn triage(
    out: &mut (impl Write + ?Sized),
    triage: &Triage,
    names: &Names,
    style: Style,
) -> Result<()> {
    let paint = style.paint;
    if !triage.needs.is_empty() {
        let heading = format!("Needs you: {}", grouped(triage.needs.len() as u64));
        writeln!(out, "{}  {}", paint.yellow(&heading), count(triage.needs_total, "change", "changes"))?;
        triage.needs.iter().try_for_each(|row| line(out, row, names, style))?;
    }
    if !triage.routine.is_empty() {
        let amount = count(triage.routine_total, "change", "changes");
        writeln!(out, "{}  {amount}, no warnings", paint.yellow("Routine"))?;
        triage.routine.iter().try_for_each(|row| line(out, row, names, style))?;
    }
    Ok(())
}

fn line(out: &mut (impl Write + ?Sized), row: &TriageRow, names: &Names, style: Style) -> Result<()> {
    let paint = style.paint;
    let number = format!("{:>6}", grouped(row.versions.len() as u64));
    let place =
        row.items.first().map(|item| names.place(&item.store_id, item.path.as_deref())).unwrap_or_default();
    let reason = row.reason.map(|reason| format!("{}: ", paint.red(words_of(reason)))).unwrap_or_default();
    let what = what(row).map(|what| format!("{what}  ")).unwrap_or_default();
    let when = paint.dim(&time(&row.ended_at, style.zone));
    writeln!(out, "{number}  {reason}{what}{place}  {when}")?;
    if let Some(finding) = &row.finding {
        let severity = check::severity(finding, style);
        writeln!(out, "        {severity}: {}", visible::line(&finding.message))?;
    }
    // One change is named, so that `approve` and `reject` can take it.
    if row.kind == TriageKind::Single
        && let Some(version) = row.versions.first()
    {
        writeln!(out, "        {}", paint.dim(&visible::line(version)))?;
    }
    Ok(())
}

/// What the changes of a row have in common.
fn what(row: &TriageRow) -> Option<String> {
    Some(match row.kind {
        TriageKind::Single => return None,
        TriageKind::DeletedTogether => "deleted at once, first".to_owned(),
        TriageKind::SameEdit => "the same edit, first".to_owned(),
        TriageKind::CreatedTogether => "created from one prompt, first".to_owned(),
        TriageKind::SameFinding => "the same finding, first".to_owned(),
        TriageKind::Session | TriageKind::Writer => {
            let title = row.items.iter().find_map(|item| item.origin.as_ref()?.title.as_deref());
            let title = title.map(|title| format!("“{}”", visible::line(title)));
            format!("{}, first", title.unwrap_or_else(|| actor(row.actor.as_ref())))
        }
        TriageKind::Unchanged => "changed and changed back, first".to_owned(),
    })
}

/// The reason in words.
const fn words_of(reason: NeedReason) -> &'static str {
    match reason {
        NeedReason::Secret => "secret",
        NeedReason::Hostile => "hostile text",
        NeedReason::Deleted => "deleted",
        NeedReason::IndexCut => "index cut",
        NeedReason::Conflict => "conflict",
        NeedReason::Limit => "limit",
        NeedReason::Hidden => "hidden characters",
        NeedReason::Reappeared => "came back after a rejection",
        NeedReason::Error => "error",
        NeedReason::Warning => "warning",
    }
}
