//! Prints what is there when recording begins.

use super::{Style, count, remedy, visible};
use retrace_api::wire::{Opening, OpeningGroup, OpeningKind};
use std::io::{Result, Write};

/// A line for each group with the command that mends its first finding, and one for the sessions.
pub fn opening(out: &mut (impl Write + ?Sized), opening: &Opening, style: Style) -> Result<()> {
    let paint = style.paint;
    let memories = count(opening.memories, "memory", "memories");
    if opening.groups.is_empty() {
        writeln!(out, "{memories} checked: nothing needs you.")?;
    } else {
        writeln!(out, "{memories} checked. Already there:")?;
    }
    for group in &opening.groups {
        let finding = &group.first.finding;
        let place = match finding.path.as_str() {
            "" => group.store.clone(),
            path => format!("{}:{path}:{}", group.store, finding.line),
        };
        writeln!(out, "  {}  {}", paint.bold(&what(group)), paint.dim(&visible::line(&place)))?;
        let mending = remedy::commands(&[finding], &group.store);
        let next = mending.first().cloned().unwrap_or_else(|| "retrace health".to_owned());
        writeln!(out, "    {next}")?;
    }
    if opening.sessions > 0 {
        let sessions = count(opening.sessions, "session", "sessions");
        writeln!(out, "  {}", paint.bold(&format!("{sessions} you can look into")))?;
        writeln!(out, "    retrace context transcripts")?;
    }
    opening.problems.iter().try_for_each(|problem| writeln!(out, "  {}", visible::line(problem)))
}

fn what(group: &OpeningGroup) -> String {
    let of = |one, many| count(group.count, one, many);
    match group.kind {
        OpeningKind::Secret => of("secret", "secrets"),
        OpeningKind::Hostile => of("hostile instruction", "hostile instructions"),
        OpeningKind::Hidden => of("place with hidden characters", "places with hidden characters"),
        OpeningKind::CutIndex if group.count == 1 => {
            format!("an index whose last {} no session reads", count(group.lines, "line", "lines"))
        }
        OpeningKind::CutIndex => {
            let lines = count(group.lines, "line", "lines");
            format!("{} whose last lines no session reads, {lines} in all", of("index", "indexes"))
        }
        OpeningKind::Other => of("other warning", "other warnings"),
    }
}
