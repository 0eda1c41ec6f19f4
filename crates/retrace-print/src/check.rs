//! Findings, as compilers print them.

use super::paint::Paint;
use super::table::grouped;
use super::{Style, count, remedy, visible};
use retrace_api::wire::{Checked, Finding};
use std::collections::HashMap;
use std::io::{Result, Write};

/// Findings of one rule in one file from which on they are one line with their number.
const MANY: usize = 4;

/// Places that such a line names.
const NAMED: usize = 5;

/// Every finding; with `all` on a line of its own, else those of one rule in one file together where they are many. `store` is
/// the name of the store they are of; without it no command mends them.
pub fn findings(
    out: &mut (impl Write + ?Sized),
    findings: &[&Finding],
    store: Option<&str>,
    all: bool,
    style: Style,
) -> Result<()> {
    let mut groups: HashMap<(&str, &str), Vec<&Finding>> = HashMap::new();
    for one in findings {
        groups.entry((&one.path, &one.rule)).or_default().push(one);
    }
    for one in findings {
        let key = (one.path.as_str(), one.rule.as_str());
        match groups.get(&key) {
            Some(group) if !all && group.len() >= MANY => {
                several(out, group, store, style)?;
                // The others of it have been said.
                groups.insert(key, Vec::new());
            }
            Some(group) if !all && group.is_empty() => {}
            _ => finding(out, one, store, style)?,
        }
    }
    Ok(())
}

/// `PATH:LINE:COLUMN: severity: 258 × missing file [rule]`, then where, and what to do.
fn several(
    out: &mut (impl Write + ?Sized),
    group: &[&Finding],
    store: Option<&str>,
    style: Style,
) -> Result<()> {
    let first = group[0];
    let what = format!("{} × {}", grouped(total(group)), first.rule_name());
    line(out, first, &what, style)?;
    writeln!(out, "    {}; all of them: --all", places(group, true))?;
    writeln!(out, "    {}", visible::line(&first.remedy))?;
    commands(out, group, store, style)
}

/// The commands that mend findings, each on a line of its own.
pub fn commands(
    out: &mut (impl Write + ?Sized),
    group: &[&Finding],
    store: Option<&str>,
    style: Style,
) -> Result<()> {
    let commands = store.map(|store| remedy::commands(group, store)).unwrap_or_default();
    commands.iter().try_for_each(|command| writeln!(out, "    {}", style.paint.cyan(command)))
}

/// How many findings a group stands for.
pub fn total(group: &[&Finding]) -> u64 {
    group.iter().map(|one| one.count()).sum()
}

/// Where findings stand: `lines 3, 5 and 7 more` of one file, else paths with lines.
pub fn places(group: &[&Finding], of_one_file: bool) -> String {
    let place = |one: &Finding| match (of_one_file, one.start) {
        (true, _) => one.line.to_string(),
        (false, Some(_)) => format!("{}:{}", visible::line(&one.path), one.line),
        (false, None) if one.path.is_empty() => ".".to_owned(),
        (false, None) => visible::line(&one.path),
    };
    let mut seen: Vec<String> = Vec::new();
    for one in group {
        let place = place(one);
        if seen.len() == NAMED && seen.last() != Some(&place) {
            break;
        }
        if !seen.contains(&place) {
            seen.push(place);
        }
    }
    let more = total(group).saturating_sub(seen.len() as u64);
    let named = seen.join(", ");
    let named = if of_one_file { format!("lines {named}") } else { named };
    if more > 0 { format!("{named} and {} more", grouped(more)) } else { named }
}

/// `PATH:LINE:COLUMN: severity: message [rule]`, then what to do.
pub fn finding(
    out: &mut (impl Write + ?Sized),
    finding: &Finding,
    store: Option<&str>,
    style: Style,
) -> Result<()> {
    line(out, finding, &finding.message, style)?;
    if finding.more > 0 {
        let more = count(finding.more, "more of this rule", "more of this rule");
        writeln!(out, "    and {more} in this file: `retrace check --all` lists each")?;
    }
    writeln!(out, "    {}", visible::line(&finding.remedy))?;
    commands(out, &[finding], store, style)
}

/// A severity as it is painted.
pub fn severity(finding: &Finding, style: Style) -> String {
    severity_word(&finding.severity, style)
}

/// A severity by its word.
pub fn severity_word(word: &str, style: Style) -> String {
    severity_paint(word)(style.paint, &visible::line(word))
}

/// The colour of a severity.
pub fn severity_paint(word: &str) -> fn(Paint, &str) -> String {
    match word {
        "error" => Paint::red,
        "warning" => Paint::yellow,
        _ => Paint::dim,
    }
}

fn line(out: &mut (impl Write + ?Sized), finding: &Finding, what: &str, style: Style) -> Result<()> {
    let paint = style.paint;
    let severity = severity(finding, style);
    let path = if finding.path.is_empty() { "." } else { &finding.path };
    writeln!(
        out,
        "{}:{}:{}: {severity}: {} {}",
        paint.cyan(&visible::line(path)),
        finding.line,
        finding.column,
        visible::line(what),
        paint.dim(&format!("[{}]", visible::line(&finding.rule))),
    )
}

/// Number of findings, and of those that do not count.
pub fn summary(checked: &Checked) -> String {
    let mut text = format!(
        "{}, {}, {} in {}.",
        count(checked.errors, "error", "errors"),
        count(checked.warnings, "warning", "warnings"),
        count(checked.notes, "note", "notes"),
        count(checked.files, "file", "files"),
    );
    for (number, why) in
        [(checked.allowed, "allowed by comments"), (checked.accepted, "accepted by the baseline")]
    {
        if number > 0 {
            text.push_str(&format!(" {number} more {why}."));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(rule: &str, path: &str, line: u32) -> Finding {
        serde_json::from_value(json!({ "rule": rule, "severity": "warning", "path": path, "line": line, "column": 1,
            "end_line": line, "end_column": 2, "start": 0, "end": 1, "message": "There is no \"x\".", "remedy": "Correct the link." }))
        .unwrap()
    }

    fn printed(given: &[Finding], all: bool) -> String {
        let mut out = Vec::new();
        findings(&mut out, &given.iter().collect::<Vec<_>>(), Some("notes"), all, Style::PLAIN).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn many_findings_of_a_rule_are_one_line_that_opens() {
        let mut given: Vec<Finding> =
            (1..=258).map(|line| found("links/missing-file", "MEMORY.md", line)).collect();
        given.insert(3, found("links/wiki", "MEMORY.md", 4));
        given.push(found("links/missing-file", "z.md", 1));
        let text = printed(&given, false);
        assert_eq!(
            text.lines().take(4).collect::<Vec<_>>(),
            [
                "MEMORY.md:1:1: warning: 258 × missing file [links/missing-file]",
                "    lines 1, 2, 3, 4, 5 and 253 more; all of them: --all",
                "    Correct the link.",
                "MEMORY.md:4:1: warning: There is no \"x\". [links/wiki]",
            ]
        );
        assert_eq!(text.lines().count(), 7, "{text}");
        assert_eq!(printed(&given, true).lines().count(), 2 * 260);
        assert_eq!(printed(&given[..3], false).lines().count(), 6, "few are said one by one");
    }
}
