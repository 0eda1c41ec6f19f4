//! Prints simulations.

use super::context::kind;
use super::table::{Side, at_least_dollars, grouped, nth, table, why_at_least};
use super::{Style, count, visible};
use retrace_api::wire::{Deployed, Simulation, SimulationTotals, Sweep, SweepPoint};
use serde_json::Value;
use std::io::{Result, Write};

/// Regrets listed for each setting.
const REGRETS: usize = 10;

/// A table of settings, then what to know of each.
pub fn simulations(out: &mut (impl Write + ?Sized), simulations: &[Simulation], style: Style) -> Result<()> {
    let Some(first) = simulations.first() else { return Ok(()) };
    let model = first.model.as_deref().map_or_else(|| "model not recorded".to_owned(), visible::line);
    let requests = count(first.requests.len() as u64, "request", "requests");
    writeln!(out, "{} {model}, {requests}", style.paint.bold(&visible::line(&first.transcript)))?;
    let rows: Vec<[String; 10]> = simulations.iter().map(row).collect();
    let right = |name| (name, Side::Right);
    let columns = [
        ("SETTING", Side::Left),
        right("PEAK"),
        right("INPUT"),
        right("CLEARS"),
        right("COMPACTIONS"),
        right("CACHE BREAKS"),
        right("COST"),
        right("PAYS BACK"),
        right("REGRETS"),
        ("KIND", Side::Left),
    ];
    table(out, columns, &rows, style)?;
    for reason in why_at_least(0, first.totals.requests_fast_without_price) {
        writeln!(out, "{}", style.paint.dim(&reason))?;
    }
    simulations.iter().try_for_each(|simulation| remarks(out, simulation, style))
}

fn row(simulation: &Simulation) -> [String; 10] {
    let totals = &simulation.totals;
    [
        if simulation.in_force { visible::line(&simulation.what) } else { visible::line(&simulation.name) },
        peak(totals),
        grouped(totals.input),
        grouped(totals.clears),
        grouped(totals.compactions),
        grouped(totals.cache_breaks),
        at_least_dollars(totals.cost_usd, totals.requests_fast_without_price > 0),
        totals.pays_back_after.map_or_else(|| "-".to_owned(), |requests| format!("{requests:.1} req.")),
        grouped(totals.regrets),
        kind(totals.kind).to_owned(),
    ]
}

fn peak(totals: &SimulationTotals) -> String {
    let range = totals.range_percent.map(|percent| format!(" ±{percent:.0} %")).unwrap_or_default();
    format!("{}{range}", grouped(totals.peak))
}

fn remarks(out: &mut (impl Write + ?Sized), simulation: &Simulation, style: Style) -> Result<()> {
    let paint = style.paint;
    let name = visible::line(&simulation.name);
    for warning in &simulation.warnings {
        writeln!(out, "{} {name}: {}", paint.yellow("warning:"), visible::line(&warning.message))?;
    }
    if let Some(stopped) = &simulation.stopped {
        let text = format!("the run would end at request {} ({}).", nth(stopped.last), stopped.reason);
        writeln!(out, "{} {name}: {}", paint.yellow("warning:"), visible::line(&text))?;
    }
    if simulation.regrets.is_empty() {
        return Ok(());
    }
    writeln!(out, "{name}: cleared, then needed")?;
    for regret in simulation.regrets.iter().take(REGRETS) {
        writeln!(
            out,
            "  {} {} tokens, cleared at {}, needed at {} ({})",
            paint.red(&visible::line(&regret.label)),
            grouped(regret.tokens),
            nth(regret.cleared_at),
            nth(regret.needed_at),
            visible::line(&regret.rule),
        )?;
        let evidence = regret.evidence.split_whitespace().collect::<Vec<_>>().join(" ");
        writeln!(out, "    {}", paint.dim(&visible::line(&evidence)))?;
    }
    let more = simulation.regrets.len().saturating_sub(REGRETS) as u64;
    if more > 0 {
        writeln!(out, "  and {}", count(more, "more", "more"))?;
    }
    Ok(())
}

/// What ran, no setting, and the settings that nothing beats, or all of them; the cheapest first.
pub fn sweep(out: &mut (impl Write + ?Sized), sweep: &Sweep, all: bool, style: Style) -> Result<()> {
    points(out, &sweep.points, all, sweep.requests_fast_without_price, style)?;
    for warning in &sweep.warnings {
        writeln!(out, "{} {}", style.paint.yellow("warning:"), visible::line(&warning.message))?;
    }
    Ok(())
}

/// True for what ran and for no setting, which stand in every table.
fn is_for_comparison(point: &SweepPoint) -> bool {
    point.baseline || point.variant.config.as_object().is_some_and(serde_json::Map::is_empty)
}

/// Settings as a table.
pub(super) fn points(
    out: &mut (impl Write + ?Sized),
    points: &[SweepPoint],
    all: bool,
    fast_without_price: u64,
    style: Style,
) -> Result<()> {
    let is_bound = fast_without_price > 0;
    let shown = |point: &&SweepPoint| all || point.pareto || is_for_comparison(point);
    let mut points: Vec<&SweepPoint> = points.iter().filter(shown).collect();
    points.sort_by(|one, other| {
        let cost = |point: &SweepPoint| point.cost_usd.unwrap_or(f64::INFINITY);
        cost(one).total_cmp(&cost(other)).then(one.peak.cmp(&other.peak))
    });
    let rows: Vec<[String; 7]> = points
        .iter()
        .map(|point| {
            [
                if point.pareto { "*" } else { "" }.to_owned(),
                grouped(point.peak),
                at_least_dollars(point.cost_usd, is_bound),
                grouped(point.regrets),
                grouped(point.clears),
                grouped(point.input),
                visible::line(&point.what),
            ]
        })
        .collect();
    let right = |name| (name, Side::Right);
    let columns = [
        ("", Side::Left),
        right("PEAK"),
        right("COST"),
        right("REGRETS"),
        right("CLEARS"),
        right("INPUT"),
        ("SETTING", Side::Left),
    ];
    table(out, columns, &rows, style)?;
    for reason in why_at_least(0, fast_without_price) {
        writeln!(out, "{}", style.paint.dim(&reason))?;
    }
    Ok(())
}

/// Forecast and report, a row a request for which one of the two has an edit.
pub fn deployed(out: &mut (impl Write + ?Sized), held: &Deployed, style: Style) -> Result<()> {
    if held.requests.is_empty() {
        return Ok(());
    }
    let rows: Vec<[String; 4]> = held
        .requests
        .iter()
        .map(|request| {
            [
                nth(request.index),
                edits(&request.forecast),
                edits(&request.reported),
                request.error_percent.map_or_else(|| "-".to_owned(), |percent| format!("{percent:+.1} %")),
            ]
        })
        .collect();
    let columns = [
        ("REQUEST", Side::Right),
        ("FORECAST", Side::Left),
        ("REPORTED", Side::Left),
        ("ERROR", Side::Right),
    ];
    table(out, columns, &rows, style)
}

/// `5 uses, 2 turns, 12,345 tokens`.
fn edits(edits: &[Value]) -> String {
    let sum = |field: &str| edits.iter().filter_map(|edit| edit[field].as_u64()).fold(0, u64::saturating_add);
    let (uses, turns) = (sum("cleared_tool_uses"), sum("cleared_thinking_turns"));
    let mut parts = Vec::new();
    if uses > 0 {
        parts.push(count(uses, "use", "uses"));
    }
    if turns > 0 {
        parts.push(count(turns, "turn", "turns"));
    }
    if parts.is_empty() {
        return "nothing".to_owned();
    }
    parts.push(format!("{} tokens", grouped(sum("cleared_input_tokens"))));
    parts.join(", ")
}
