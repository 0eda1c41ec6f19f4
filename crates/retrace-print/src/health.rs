//! Health of stores, proposals of what could go, rules.

use super::layout::{self, Cell, Column};
use super::names::Names;
use super::paint::Paint;
use super::table::{Side, grouped, table};
use super::time::time;
use super::{Style, check, count, visible};
use retrace_api::wire::{ExpiryProposal, Finding, FindingRule, Health, StoreHealth, StoreLoads};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::{Result, Write};

/// Problems that are named.
const PROBLEMS: usize = 5;

/// Stores of the short form; the others are counted.
const STORES: usize = 12;

/// Counts, the stores in which something was found, then each rule once: how often, and where first.
pub fn summary(out: &mut (impl Write + ?Sized), health: &Health, style: Style) -> Result<()> {
    let counts = [
        count(health.errors, "error", "errors"),
        count(health.warnings, "warning", "warnings"),
        count(health.notes, "note", "notes"),
    ];
    let stores = count(health.stores.len() as u64, "store", "stores");
    writeln!(out, "{}", style.paint.bold(&format!("{} in {stores}", counts.join(", "))))?;
    if health.stores.is_empty() {
        return Ok(());
    }
    let found = |store: &StoreHealth| (store.errors, store.warnings, store.notes);
    let mut stores: Vec<&StoreHealth> = health.stores.iter().collect();
    stores.sort_by_key(|store| Reverse(found(store)));
    let shown = &stores[..stores.len().min(STORES)];
    let loads = shown.iter().any(|store| store.loads.is_some());
    let rows: Vec<[String; 8]> = shown
        .iter()
        .map(|store| {
            [
                visible::line(&store.name),
                grouped(store.files),
                grouped(store.index_tokens),
                store.errors.to_string(),
                store.warnings.to_string(),
                store.notes.to_string(),
                store.last_write_at.as_ref().map_or_else(|| "never".to_owned(), |at| time(at, style)),
                store.loads.as_ref().map(never_loaded).unwrap_or_default(),
            ]
        })
        .collect();
    let columns = [
        ("STORE", Side::Place),
        ("FILES", Side::Right),
        ("INDEX TOKENS", Side::Right),
        ("ERRORS", Side::Right),
        ("WARNINGS", Side::Right),
        ("NOTES", Side::Right),
        ("LAST WRITE", Side::Left),
        (if loads { "LOADS" } else { "" }, Side::Left),
    ];
    writeln!(out)?;
    table(out, columns, &rows, style)?;
    if let Some(left @ 1..) = stores.len().checked_sub(shown.len()) {
        let more = count(left as u64, "store more", "stores more");
        writeln!(out, "{}", style.paint.dim(&format!("and {more}")))?;
    }
    let problems: u64 = health.stores.iter().map(|store| store.problems.len() as u64).sum();
    if problems > 0 {
        let what = count(problems, "thing could not be read", "things could not be read");
        writeln!(out, "{}", style.paint.yellow(&what))?;
        let named = health.stores.iter().flat_map(|store| store.problems.iter().map(|it| (&store.name, it)));
        for (store, problem) in named.take(PROBLEMS) {
            writeln!(out, "  {}", visible::line(&format!("{store}: {problem}")))?;
        }
    }
    let expiry: u64 = health.stores.iter().map(|store| store.expiry).sum();
    if expiry > 0 {
        writeln!(out, "{} could go: `retrace health expiry`", count(expiry, "memory", "memories"))?;
    }
    rules_in_short(out, health, style)
}

fn never_loaded(loads: &StoreLoads) -> String {
    if loads.sessions == 0 {
        return "no session tells what it loaded".to_owned();
    }
    let sessions = count(loads.sessions, "session", "sessions");
    format!("{} of {} never loaded in {sessions}", loads.never_loaded, loads.memories.len())
}

/// Each rule over all stores, the worst first: how often, and where first.
fn rules_in_short(out: &mut (impl Write + ?Sized), health: &Health, style: Style) -> Result<()> {
    let mut rules: Vec<(&str, Vec<&Finding>)> = Vec::new();
    let mut known: HashMap<(&str, &str), usize> = HashMap::new();
    for one in &health.findings {
        let finding = &one.finding;
        let at = *known.entry((&finding.rule, &finding.severity)).or_insert(rules.len());
        match rules.get_mut(at) {
            Some((_, rule)) => rule.push(finding),
            None => rules.push((&one.store_id, vec![finding])),
        }
    }
    if rules.is_empty() {
        return Ok(());
    }
    rules.sort_by_key(|(_, rule)| (worst_first(rule[0]), Reverse(check::total(rule))));
    let name_of = |id: &str| {
        let store = health.stores.iter().find(|store| store.store_id == id);
        store.map_or_else(|| visible::line(id), |store| visible::line(&store.name))
    };
    let rows: Vec<[Cell; 4]> = rules
        .iter()
        .map(|(store, rule)| {
            let (first, total) = (rule[0], check::total(rule));
            let line = first.start.map(|_| format!(":{}", first.line)).unwrap_or_default();
            let path = if first.path.is_empty() { ".".to_owned() } else { visible::line(&first.path) };
            let what =
                if total == 1 { visible::line(&first.message) } else { visible::line(&first.rule_name()) };
            [
                Cell::painted(visible::line(&first.severity), check::severity_paint(&first.severity)),
                Cell::new(grouped(total)),
                Cell::new(what),
                Cell::painted(format!("{}:{path}{line}", name_of(store)), Paint::dim),
            ]
        })
        .collect();
    writeln!(out)?;
    layout::rows(out, [Column::Whole, Column::Number, Column::Text, Column::Place], &rows, style)
}

fn worst_first(finding: &Finding) -> u8 {
    match finding.severity.as_str() {
        "error" => 0,
        "warning" => 1,
        _ => 2,
    }
}

/// A line a store, its indexes, then the findings of each store.
pub fn health(out: &mut (impl Write + ?Sized), health: &Health, all: bool, style: Style) -> Result<()> {
    let when = |at: &Option<String>| at.as_ref().map_or_else(|| "never".to_owned(), |at| time(at, style));
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
                    Some(loads) => never_loaded(loads),
                    None => format!("reviewed {}", when(&store.last_review_at)),
                },
            ]
        })
        .collect();
    let columns = [
        ("STORE", Side::Place),
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
pub fn proposal(out: &mut (impl Write + ?Sized), proposal: &ExpiryProposal, names: &Names) -> Result<()> {
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
pub fn rules(out: &mut (impl Write + ?Sized), rules: &[&FindingRule], style: Style) -> Result<()> {
    let rows: Vec<[String; 5]> = rules
        .iter()
        .map(|rule| {
            [
                visible::line(&rule.id),
                visible::line(&rule.severity),
                if rule.on { "on" } else { "off" }.to_owned(),
                match (&rule.required_by, &rule.own) {
                    (Some(_), own) if own.as_deref().is_none_or(|own| own == "off") => "required".to_owned(),
                    (_, own) => own.as_deref().map_or_else(|| "-".to_owned(), visible::line),
                },
                visible::line(&rule.explanation),
            ]
        })
        .collect();
    let columns = ["RULE", "SEVERITY", "DEFAULT", "YOURS", "WHAT"].map(|name| (name, Side::Left));
    table(out, columns, &rows, style)
}
