//! Rules that memories state, and how sessions fared with them.

use super::table::grouped;
use super::table::{Side, table};
use super::time::time;
use super::{Style, visible};
use retrace_api::wire::{Adherence, MemoryRule, PresenceGrade, RuleCase, RuleFields, RuleLedger};
use std::io::{Result, Write};

/// Columns of a sentence in a table.
const SENTENCE: usize = 60;

/// What a rule asks, as one line: `never git stash`.
pub(crate) fn pattern(rule: &RuleFields) -> String {
    let program = rule.program.as_deref().unwrap_or_default();
    let command = std::iter::once(program).chain(rule.arguments.iter().map(String::as_str));
    let command = command.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let text = match rule.kind.as_str() {
        "command_never" => format!("never {command}"),
        "command_form" => match rule.form.as_deref().unwrap_or_default() {
            form if form.starts_with('!') => format!("{command} without {}", form.trim_start_matches('!')),
            form => format!("{command} as {form}"),
        },
        "order" => {
            let (before, after) = (rule.before.as_deref(), rule.after.as_deref());
            format!("{} before {}", before.unwrap_or_default(), after.unwrap_or_default())
        }
        "path_never" => format!("never write {}", rule.paths.join(", ")),
        "at_end" => format!("{command} at the end"),
        "text_form" => {
            let (each, paths) = (rule.text.as_deref().unwrap_or("a write"), rule.paths.join(", "));
            match rule.form.as_deref().unwrap_or_default() {
                form if form.starts_with('!') => format!("no {} in {paths}", form.trim_start_matches('!')),
                form => format!("{form} for each {each} in {paths}"),
            }
        }
        _ => format!("ask before {command}"),
    };
    visible::line(&text)
}

/// Proposals, a row each.
pub fn proposed(out: &mut (impl Write + ?Sized), rules: &[RuleFields], style: Style) -> Result<()> {
    if rules.is_empty() {
        return writeln!(out, "No sentence that looks like a rule was found.");
    }
    let rows: Vec<[String; 3]> = rules
        .iter()
        .map(|rule| {
            [
                pattern(rule),
                visible::short(&rule.sentence, SENTENCE),
                visible::line(rule.source.as_deref().unwrap_or("-")),
            ]
        })
        .collect();
    table(out, [("RULE", Side::Left), ("SENTENCE", Side::Left), ("SOURCE", Side::Place)], &rows, style)
}

/// Rules that were confirmed, a row each.
pub fn list(out: &mut (impl Write + ?Sized), rules: &[MemoryRule], style: Style) -> Result<()> {
    if rules.is_empty() {
        return writeln!(out, "No rules.");
    }
    let rows: Vec<[String; 4]> = rules
        .iter()
        .map(|rule| {
            let off = if rule.removed_at.is_some() { " (off)" } else { "" };
            let guarded = if rule.guards.iter().any(|guard| guard.in_place) { " (guard)" } else { "" };
            [
                format!("{}{off}{guarded}", rule.rule_id),
                pattern(&rule.rule),
                visible::short(&rule.rule.sentence, SENTENCE),
                visible::line(rule.rule.source.as_deref().unwrap_or("-")),
            ]
        })
        .collect();
    let columns =
        [("ID", Side::Left), ("RULE", Side::Left), ("SENTENCE", Side::Left), ("SOURCE", Side::Place)];
    table(out, columns, &rows, style)
}

/// One rule, after it was changed.
pub fn one(out: &mut (impl Write + ?Sized), rule: &MemoryRule, style: Style) -> Result<()> {
    let state = if rule.removed_at.is_some() { "is off the list" } else { "is on the list" };
    writeln!(out, "{} {state}: {}.", style.paint.bold(&rule.rule_id), pattern(&rule.rule))?;
    let mut stay = rule.guards.iter().filter(|guard| guard.in_place && rule.removed_at.is_some());
    stay.try_for_each(|guard| {
        writeln!(
            out,
            "Its hook in {} stays and lets every call be made. `retrace rule guard {} --remove` takes it out.",
            visible::line(&guard.settings),
            rule.rule_id
        )
    })
}

/// The ledger: a row a rule, and under it what is worth knowing.
pub fn adherence(out: &mut (impl Write + ?Sized), found: &Adherence, style: Style) -> Result<()> {
    if found.rules.is_empty() {
        return writeln!(out, "No rules. `retrace rule propose` finds sentences that look like some.");
    }
    for (index, rule) in found.rules.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        ledger(out, rule, style)?;
    }
    Ok(())
}

fn ledger(out: &mut (impl Write + ?Sized), rule: &RuleLedger, style: Style) -> Result<()> {
    let paint = style.paint;
    writeln!(out, "{}  {}", paint.bold(&pattern(&rule.rule)), paint.dim(&rule.rule_id))?;
    if !rule.rule.sentence.is_empty() {
        writeln!(out, "  “{}”", visible::short(&rule.rule.sentence, 100))?;
    }
    if rule.opportunities == 0 {
        writeln!(out, "  Never applicable.")?;
    } else {
        writeln!(
            out,
            "  {} of {} followed in {}",
            rule.followed,
            super::count(rule.opportunities, "opportunity", "opportunities"),
            super::count(rule.sessions, "session", "sessions")
        )?;
    }
    let mut parts = Vec::new();
    if rule.broken > 0 {
        parts.push(format!("{} broken: {}", rule.broken, broken(rule)));
    }
    for guard in &rule.guards {
        parts.push(super::guards::one(guard));
    }
    for (number, what) in [
        (rule.excepted, "excepted, because the person asked for it"),
        (rule.undecidable, "undecidable"),
        (rule.predates, "while the rule did not stand there, not counted"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    }
    for part in parts {
        writeln!(out, "  {part}")?;
    }
    for wording in rule.by_version.iter().filter(|wording| wording.opportunities > 0) {
        let since = wording
            .since
            .as_deref()
            .map_or_else(|| "before".to_owned(), |since| format!("since {}", time(since, style)));
        let line =
            wording.line.as_deref().map(|line| format!("  “{}”", visible::short(line.trim(), SENTENCE)));
        writeln!(
            out,
            "    {since}: {} of {} followed{}",
            wording.followed,
            wording.opportunities,
            line.unwrap_or_default()
        )?;
    }
    rule.cases.iter().try_for_each(|found| case(out, found, style))?;
    let all = rule.opportunities + rule.predates;
    if !rule.cases.is_empty() && all > rule.cases.len() as u64 {
        writeln!(out, "    {} more that are not listed", grouped(all - rule.cases.len() as u64))?;
    }
    Ok(())
}

/// `3 while it was before the model, 2 while it was not (cut 2)`.
fn broken(rule: &RuleLedger) -> String {
    let mut parts = Vec::new();
    if rule.broken_present > 0 {
        let inferred = rule.broken_inferred.map(|number| format!(" ({number} inferred)")).unwrap_or_default();
        parts.push(format!("{} while it was before the model{inferred}", rule.broken_present));
    }
    let absent: u64 = rule.broken_absent.values().sum();
    if absent > 0 {
        let causes =
            rule.broken_absent.iter().map(|(cause, number)| format!("{} {number}", cause.replace('_', " ")));
        parts.push(format!("{absent} while it was not ({})", causes.collect::<Vec<_>>().join(", ")));
    }
    if rule.broken_unknown > 0 {
        parts.push(format!("{} where that is not known", rule.broken_unknown));
    }
    parts.join(", ")
}

fn case(out: &mut (impl Write + ?Sized), case: &RuleCase, style: Style) -> Result<()> {
    let at = case.at.as_deref().map(|at| time(at, style)).unwrap_or_default();
    let session = case.title.as_deref().unwrap_or(&case.session);
    let turn = case.turn.map(|turn| format!(", turn {turn}")).unwrap_or_default();
    let present = match (case.present, &case.cause) {
        (Some(true), _) => ", present".to_owned(),
        (Some(false), Some(cause)) => format!(", absent ({})", cause.as_str().replace('_', " ")),
        (Some(false), None) => ", absent".to_owned(),
        (None, _) => String::new(),
    };
    // Never shown as fact.
    let inferred = if case.grade == Some(PresenceGrade::Inferred) { " (inferred)" } else { "" };
    writeln!(
        out,
        "    {} {at}  {}  {}{turn}{present}{inferred}",
        case.outcome.as_str(),
        visible::short(&case.what, SENTENCE),
        visible::short(session, 40)
    )
}
