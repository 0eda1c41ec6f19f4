//! Health of stores, proposals of what could go, rules.

use super::names::Names;
use super::table::{Side, grouped, table};
use super::time::time;
use super::{Style, check, count, visible};
use retrace_api::wire::{ExpiryProposal, Finding, FindingRule, Health, StoreHealth};
use std::collections::HashMap;
use std::io::{Result, Write};

/// A line a store, its indexes, then the findings of each store.
pub(crate) fn health(
    out: &mut (impl Write + ?Sized),
    health: &Health,
    all: bool,
    style: Style,
) -> Result<()> {
    let when =
        |at: &Option<String>| at.as_ref().map_or_else(|| "never".to_owned(), |at| time(at, style.zone));
    let rows: Vec<[String; 9]> = health
        .stores
        .iter()
        .map(|store| {
            let loads = store.loads.as_ref();
            [
                visible::line(&store.name),
                grouped(store.files),
                grouped(store.bytes),
                grouped(store.index_tokens),
                store.errors.to_string(),
                store.warnings.to_string(),
                store.notes.to_string(),
                when(&store.last_write_at),
                match loads {
                    Some(loads) => format!(
                        "{} of {} never loaded in {}",
                        loads.never_loaded,
                        loads.memories.len(),
                        count(loads.sessions, "session", "sessions")
                    ),
                    None => format!("reviewed {}", when(&store.last_review_at)),
                },
            ]
        })
        .collect();
    let columns = [
        ("STORE", Side::Left),
        ("FILES", Side::Right),
        ("BYTES", Side::Right),
        ("INDEX TOKENS", Side::Right),
        ("ERRORS", Side::Right),
        ("WARNINGS", Side::Right),
        ("NOTES", Side::Right),
        ("LAST WRITE", Side::Left),
        ("", Side::Left),
    ];
    table(out, columns, &rows, style)?;
    health.stores.iter().try_for_each(|store| details(out, store, health, all, style))
}

fn details(
    out: &mut (impl Write + ?Sized),
    store: &StoreHealth,
    health: &Health,
    all: bool,
    style: Style,
) -> Result<()> {
    let findings: Vec<&Finding> =
        health.findings.iter().filter(|one| one.store_id == store.store_id).map(|one| &one.finding).collect();
    if findings.is_empty() && store.problems.is_empty() && store.indexes.is_empty() && store.expiry == 0 {
        return Ok(());
    }
    writeln!(out, "\n{}", style.paint.bold(&visible::line(&store.name)))?;
    for problem in &store.problems {
        writeln!(out, "  {} {}", style.paint.yellow("note:"), visible::line(problem))?;
    }
    for index in &store.indexes {
        let cut = match index.cut_line {
            Some(line) => style.paint.yellow(&format!(
                ", cut at line {line}: {} not loaded",
                count(index.lost_lines, "line is", "lines are")
            )),
            None => String::new(),
        };
        writeln!(
            out,
            "  {}: {} of {} lines, {} of {} bytes, {} tokens{cut}",
            visible::line(&index.path),
            index.lines,
            index.max_lines,
            grouped(index.bytes),
            grouped(index.max_bytes),
            grouped(index.tokens),
        )?;
    }
    if store.expiry > 0 {
        writeln!(out, "  {} could go: `retrace health expiry`", count(store.expiry, "memory", "memories"))?;
    }
    if store.allowed > 0 {
        writeln!(out, "  {} allowed by comments", count(store.allowed, "finding", "findings"))?;
    }
    match all {
        true => findings.iter().try_for_each(|one| check::finding(out, one, Some(&store.name), style)),
        false => by_rule(out, &findings, &store.name, style),
    }
}

/// Each rule once: how often, where first, and what to do. A rule with one finding says it.
fn by_rule(out: &mut (impl Write + ?Sized), findings: &[&Finding], store: &str, style: Style) -> Result<()> {
    let mut rules: Vec<Vec<&Finding>> = Vec::new();
    let mut known: HashMap<(&str, &str), usize> = HashMap::new();
    for one in findings {
        let at = *known.entry((&one.rule, &one.severity)).or_insert(rules.len());
        match rules.get_mut(at) {
            Some(rule) => rule.push(one),
            None => rules.push(vec![one]),
        }
    }
    let mut opens = false;
    for rule in &rules {
        if let [one] = rule.as_slice() {
            check::finding(out, one, Some(store), style)?;
            continue;
        }
        opens = true;
        let id = style.paint.dim(&format!("[{}]", visible::line(&rule[0].rule)));
        let severity = check::severity(rule[0], style);
        let name = visible::line(&rule[0].rule_name());
        writeln!(out, "{severity}: {} × {name} {id}", grouped(check::total(rule)))?;
        writeln!(out, "    {}", check::places(rule, false))?;
        writeln!(out, "    {}", visible::line(&rule[0].remedy))?;
        check::commands(out, rule, Some(store), style)?;
    }
    if opens { writeln!(out, "  Each finding on a line of its own: `retrace health --all`") } else { Ok(()) }
}

/// A memory that could go, why, and what would go with it.
pub(crate) fn proposal(
    out: &mut (impl Write + ?Sized),
    proposal: &ExpiryProposal,
    names: &Names,
) -> Result<()> {
    let place = names.place(&proposal.store_id, Some(&proposal.path));
    writeln!(out, "{place}  {} bytes", grouped(proposal.content_size_bytes))?;
    for reason in &proposal.reasons {
        let line = reason.line.map(|line| format!(", line {line}")).unwrap_or_default();
        writeln!(out, "    {}{line}: {}", visible::line(&reason.kind), visible::line(&reason.message))?;
    }
    for line in &proposal.index_lines {
        writeln!(
            out,
            "    with {}, line {}: {}",
            visible::line(&line.path),
            line.line,
            visible::line(&line.text)
        )?;
    }
    Ok(())
}

/// Rules as a table.
pub(crate) fn rules(out: &mut (impl Write + ?Sized), rules: &[&FindingRule], style: Style) -> Result<()> {
    let rows: Vec<[String; 5]> = rules
        .iter()
        .map(|rule| {
            [
                visible::line(&rule.id),
                visible::line(&rule.severity),
                if rule.on { "on" } else { "off" }.to_owned(),
                rule.own.as_deref().map_or_else(|| "-".to_owned(), visible::line),
                visible::line(&rule.explanation),
            ]
        })
        .collect();
    let columns = ["RULE", "SEVERITY", "DEFAULT", "YOURS", "WHAT"].map(|name| (name, Side::Left));
    table(out, columns, &rows, style)
}
