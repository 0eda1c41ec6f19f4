//! The inbox as triage: counts first, then what needs a decision, then the routine rest, a row a line.

use super::layout::{self, Cell, Column};
use super::names::Names;
use super::paint::Paint;
use super::table::grouped;
use super::time::time;
use super::version::actor;
use super::{Style, broken, count, remedy, visible};
use retrace_api::commands::{Today, TodayHalf, TodayRow};
use retrace_api::wire::{
    ActorView, BrokenRule, BrokenRules, Finding, NeedReason, Triage, TriageKind, TriageRow,
};
use retrace_model::VersionId;
use std::io::{Result, Write};

/// Most rows of each half; the others are counted.
#[derive(Clone, Copy)]
pub struct Most {
    /// Of those that need a person.
    pub needs: usize,
    /// Of those without warnings.
    pub routine: usize,
}

impl Most {
    /// What a person takes in at once.
    pub const SOME: Self = Self { needs: 12, routine: 8 };
    /// Everything.
    pub const ALL: Self = Self { needs: usize::MAX, routine: usize::MAX };
}

/// Everything, as rows under their two headings.
pub fn triage(
    out: &mut (impl Write + ?Sized),
    triage: &Triage,
    names: &Names,
    most: Most,
    style: Style,
) -> Result<()> {
    let broken = (triage.broken.as_slice(), triage.broken_total);
    heading(out, broken, [triage.total, triage.needs_total, triage.routine_total], most, style)?;
    if !triage.needs.is_empty() {
        needs_heading(out, triage.needs_total, style)?;
        rows(out, &triage.needs, most.needs, names, true, style)?;
    }
    if !triage.routine.is_empty() {
        routine_heading(out, triage.routine_total, style)?;
        rows(out, &triage.routine, most.routine, names, false, style)?;
    }
    Ok(())
}

/// The first rows under the two headings.
pub fn listed(
    out: &mut (impl Write + ?Sized),
    found: &Today,
    broken: &BrokenRules,
    names: &Names,
    most: Most,
    style: Style,
) -> Result<()> {
    let broken = (broken.broken.as_slice(), broken.total);
    heading(out, broken, [found.total, found.needs.changes, found.routine.changes], most, style)?;
    if found.needs.rows > 0 {
        needs_heading(out, found.needs.changes, style)?;
        half(out, &found.needs, most.needs, names, style)?;
    }
    if found.routine.rows > 0 {
        routine_heading(out, found.routine.changes, style)?;
        half(out, &found.routine, most.routine, names, style)?;
    }
    Ok(())
}

/// Broken rules, then how many changes there are: all, those that need a decision, and the rest.
fn heading(
    out: &mut (impl Write + ?Sized),
    (broken, broken_total): (&[BrokenRule], u64),
    [total, needs, routine]: [u64; 3],
    most: Most,
    style: Style,
) -> Result<()> {
    let paint = style.paint;
    if !broken.is_empty() {
        let amount = count(broken_total, "broken rule", "broken rules");
        writeln!(out, "{}  {}", paint.red("Needs you"), paint.dim(&amount))?;
        let shown = &broken[..broken.len().min(most.needs)];
        shown.iter().try_for_each(|broken| broken::one(out, broken, style))?;
        let left = broken_total.saturating_sub(shown.len() as u64);
        if left > 0 {
            writeln!(out, "{}", paint.dim(&format!("and {left} more")))?;
        }
        if total > 0 {
            writeln!(out)?;
        }
    }
    if total > 0 {
        writeln!(out, "{}", paint.bold(&counts(total, needs, routine, 0)))?;
    }
    Ok(())
}

fn needs_heading(out: &mut (impl Write + ?Sized), changes: u64, style: Style) -> Result<()> {
    let amount = count(changes, "change", "changes");
    writeln!(out, "\n{}  {}", style.paint.red("Needs you"), style.paint.dim(&amount))
}

fn routine_heading(out: &mut (impl Write + ?Sized), changes: u64, style: Style) -> Result<()> {
    let amount = format!("{}, no warnings", count(changes, "change", "changes"));
    writeln!(out, "\n{}  {}", style.paint.green("Routine"), style.paint.dim(&amount))
}

/// `339 changes to review: 12 need you, 327 are routine`, and how many of them are in neither half yet.
pub fn counts(total: u64, needs: u64, routine: u64, newer: u64) -> String {
    let all = format!("{} to review", count_grouped(total));
    let need = format!("{} {} you", grouped(needs), if needs == 1 { "needs" } else { "need" });
    let are = if routine == 1 { "1 is".to_owned() } else { format!("{} are", grouped(routine)) };
    match (needs, routine, newer) {
        (0, 1, 0) => format!("{all}; it is routine"),
        (1, 0, 0) => format!("{all}; it needs you"),
        (0, _, 0) => format!("{all}, all of them routine"),
        (_, 0, 0) => format!("{all}, all of them need you"),
        (_, _, 0) => format!("{all}: {need}, {are} routine"),
        _ => format!("{all}: {need}, {are} routine, {} new", grouped(newer)),
    }
}

/// `1 change`, `1,204 changes`.
fn count_grouped(number: u64) -> String {
    format!("{} {}", grouped(number), if number == 1 { "change" } else { "changes" })
}

/// The first rows, and the number of the others. A row has the number of its newest change, how many there are, why it stands
/// here, the first place and when.
pub fn rows(
    out: &mut (impl Write + ?Sized),
    all: &[TriageRow],
    most: usize,
    names: &Names,
    with_remedies: bool,
    style: Style,
) -> Result<()> {
    let shown = &all[..all.len().min(most)];
    let cells: Vec<[Cell; 5]> = shown.iter().map(|row| cells(row, names, style)).collect();
    let mut printed = shown.iter();
    layout::rows_with(out, COLUMNS, &cells, style, |out| match printed.next() {
        Some(row) if with_remedies => {
            let store = row.items.first().map(|item| item.store_id.as_str()).unwrap_or_default();
            details(
                out,
                (row.finding.as_ref(), store),
                (row.reason, &number(row), row.versions.len() > 1),
                names,
                style,
            )
        }
        _ => Ok(()),
    })?;
    let left = &all[shown.len()..];
    more(out, left.len() as u64, left.iter().map(|row| row.versions.len() as u64).sum(), style)
}

/// The rows that are not shown, where there are any.
fn more(out: &mut (impl Write + ?Sized), rows: u64, changes: u64, style: Style) -> Result<()> {
    if rows == 0 {
        return Ok(());
    }
    let rows = count(rows, "row", "rows");
    writeln!(out, "{}", style.paint.dim(&format!("and {rows} more, {}", count_grouped(changes))))
}

/// One half in short; rows with a finding say it, and what mends it.
pub fn half(
    out: &mut (impl Write + ?Sized),
    half: &TodayHalf,
    most: usize,
    names: &Names,
    style: Style,
) -> Result<()> {
    let shown = &half.shown[..half.shown.len().min(most)];
    let rows: Vec<[Cell; 5]> = shown
        .iter()
        .map(|row| {
            let why =
                in_words(row.reason, row.kind, || called(row.title.as_deref(), row.actor.as_ref(), style));
            [
                Cell::painted(row.number.to_string(), Paint::yellow),
                Cell::new(amount(row.changes)),
                if row.reason.is_some() { Cell::painted(why, Paint::red) } else { Cell::new(why) },
                Cell::new(names.place(&row.store_id, row.path.as_deref())),
                Cell::painted(time(&row.at, style), Paint::dim),
            ]
        })
        .collect();
    let mut printed = shown.iter();
    layout::rows_with(out, COLUMNS, &rows, style, |out| match printed.next() {
        Some(TodayRow { finding, store_id, reason, number, changes, .. }) => {
            let row = (*reason, &*number.to_string(), *changes > 1);
            details(out, (finding.as_ref(), store_id), row, names, style)
        }
        None => Ok(()),
    })?;
    let changes: u64 = shown.iter().map(|row| row.changes).sum();
    more(out, half.rows.saturating_sub(shown.len() as u64), half.changes.saturating_sub(changes), style)
}

/// Number, how many, why, where, when.
const COLUMNS: [Column; 5] = [Column::Number, Column::Number, Column::Text, Column::Place, Column::Whole];

fn amount(changes: u64) -> String {
    if changes > 1 { format!("×{}", grouped(changes)) } else { String::new() }
}

fn cells(row: &TriageRow, names: &Names, style: Style) -> [Cell; 5] {
    let place =
        row.items.first().map(|item| names.place(&item.store_id, item.path.as_deref())).unwrap_or_default();
    let why = why(row, style);
    [
        Cell::painted(number(row), Paint::yellow),
        Cell::new(amount(row.versions.len() as u64)),
        if row.reason.is_some() { Cell::painted(why, Paint::red) } else { Cell::new(why) },
        Cell::new(place),
        Cell::painted(time(&row.ended_at, style), Paint::dim),
    ]
}

/// The number of the newest change of a row: commands take it for that change, and `--group` for the whole row.
pub fn number(row: &TriageRow) -> String {
    let version = row.versions.first().map(String::as_str).unwrap_or_default();
    VersionId::parse(version).map_or_else(|_| visible::line(version), |id| id.seq.to_string())
}

/// What was found, and what mends it: the remedy of the finding, or what takes the change back.
fn details(
    out: &mut (impl Write + ?Sized),
    (finding, store): (Option<&Finding>, &str),
    (reason, number, several): (Option<NeedReason>, &str, bool),
    names: &Names,
    style: Style,
) -> Result<()> {
    if let Some(finding) = finding {
        let place = finding.start.map(|_| format!("line {}: ", finding.line)).unwrap_or_default();
        let message = format!("{place}{}", visible::line(&finding.message));
        layout::line(out, 8, &Cell::painted(message, Paint::dim), style)?;
    }
    let of_finding = finding.zip(names.typed(store));
    let mut commands = of_finding.map(|(one, store)| remedy::commands(&[one], store)).unwrap_or_default();
    // Where what stood before is redacted as well, it cannot be put back.
    if finding.is_some_and(|one| one.rule == "events/redacted-back") && !several {
        commands.push(format!("retrace redact {number} --live --dry-run"));
    }
    if commands.is_empty() {
        let group = if several { "--group " } else { "" };
        commands.extend(match reason {
            Some(NeedReason::Hostile | NeedReason::Deleted) => {
                Some(format!("retrace reject {group}{number} --dry-run"))
            }
            _ => None,
        });
    }
    // A command is to be copied whole, however long it is.
    commands.iter().try_for_each(|command| writeln!(out, "        {}", style.paint.cyan(command)))
}

/// Why it stands where it stands, and what its changes have in common.
pub fn why(row: &TriageRow, style: Style) -> String {
    in_words(row.reason, row.kind, || writer(row, style))
}

fn in_words(reason: Option<NeedReason>, kind: TriageKind, writer: impl Fn() -> String) -> String {
    let common = match kind {
        TriageKind::Single | TriageKind::SameFinding => None,
        TriageKind::DeletedTogether => return "deleted at once".to_owned(),
        TriageKind::SameEdit => Some("the same edit".to_owned()),
        TriageKind::CreatedTogether => Some("created from one prompt".to_owned()),
        TriageKind::Session | TriageKind::Writer => Some(writer()),
        TriageKind::Unchanged => Some("changed and changed back".to_owned()),
    };
    match (reason.map(words_of), common) {
        (Some(reason), Some(common)) => format!("{reason}, {common}"),
        (Some(reason), None) => reason.to_owned(),
        (None, Some(common)) => common,
        (None, None) => writer(),
    }
}

/// Who wrote a row: the session's title, which is its first prompt, where it has one.
fn writer(row: &TriageRow, style: Style) -> String {
    let title = row.items.iter().find_map(|item| item.origin.as_ref()?.title.as_deref());
    called(title.filter(|_| row.session.is_some()), row.actor.as_ref(), style)
}

fn called(title: Option<&str>, writer: Option<&ActorView>, style: Style) -> String {
    match title {
        Some(title) => format!("“{}”", visible::line(title)),
        None => actor(writer, style),
    }
}

/// The reason in words.
pub const fn words_of(reason: NeedReason) -> &'static str {
    match reason {
        NeedReason::Secret => "secret",
        NeedReason::Hostile => "hostile text",
        NeedReason::Deleted => "deleted",
        NeedReason::IndexCut => "index cut",
        NeedReason::Conflict => "conflict",
        NeedReason::Limit => "limit",
        NeedReason::Hidden => "hidden characters",
        NeedReason::Personal => "personal data",
        NeedReason::Reappeared => "came back after a rejection",
        NeedReason::Error => "error",
        NeedReason::Warning => "warning",
    }
}
