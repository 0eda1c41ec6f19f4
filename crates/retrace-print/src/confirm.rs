//! Prints the plan of checking forecasts, and its result.

use super::table::{Side, bytes, grouped, nth, table};
use super::{Style, count, visible};
use retrace_api::wire::{ConfirmPlan, Confirmed};
use std::io::{Result, Write};

/// The plan, for whoever decides.
pub fn plan(out: &mut (impl Write + ?Sized), plan: &ConfirmPlan) -> Result<()> {
    let calls = count(plan.calls, "call", "calls");
    let key = plan.key_source.as_deref().unwrap_or("none");
    writeln!(
        out,
        "{calls} to {}, {} to send, key from: {key}; {} known already",
        visible::line(&plan.base_url),
        bytes(plan.bytes),
        count(plan.cached, "answer", "answers"),
    )?;
    writeln!(out, "{}", visible::line(&plan.what))?;
    plan.limits.iter().try_for_each(|limit| writeln!(out, "  {}", visible::line(limit)))
}

/// Forecast beside exact.
pub fn points(out: &mut (impl Write + ?Sized), confirmed: &Confirmed, style: Style) -> Result<()> {
    let exact = |tokens: Option<u64>| tokens.map_or_else(|| "-".to_owned(), grouped);
    let rows: Vec<[String; 6]> = confirmed
        .points
        .iter()
        .map(|point| {
            [
                nth(point.request),
                grouped(point.forecast_before),
                exact(point.exact_before),
                grouped(point.forecast_after),
                exact(point.exact_after),
                point.error_percent.map_or_else(|| "-".to_owned(), |percent| format!("{percent:+.2} %")),
            ]
        })
        .collect();
    let right = |name| (name, Side::Right);
    let columns = [
        right("REQUEST"),
        right("BEFORE, FORECAST"),
        right("EXACT"),
        right("AFTER, FORECAST"),
        right("EXACT"),
        right("ERROR"),
    ];
    table(out, columns, &rows, style)?;
    for point in &confirmed.points {
        if let Some(problem) = &point.problem {
            writeln!(
                out,
                "{} request {}: {}",
                style.paint.yellow("failed:"),
                nth(point.request),
                visible::line(problem)
            )?;
        }
    }
    Ok(())
}
