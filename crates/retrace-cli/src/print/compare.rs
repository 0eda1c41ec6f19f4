//! Two settings beside each other.

use super::table::{Side, dollars, grouped, nth, signed, table};
use super::{Style, visible};
use crate::commands::context::Compared;
use retrace_api::wire::SimulationTotals;
use std::io::{Result, Write};

/// A table of figures: base, new, difference.
pub(crate) fn compared(out: &mut (impl Write + ?Sized), compared: &Compared, style: Style) -> Result<()> {
    writeln!(out, "{}", style.paint.bold(&visible::line(&compared.transcript)))?;
    let (base, new, less) = (&compared.base.totals, &compared.new.totals, &compared.difference);
    let counts = |name: &str, of: fn(&SimulationTotals) -> u64, difference: i64| {
        [name.to_owned(), grouped(of(base)), grouped(of(new)), plus(difference)]
    };
    let cost = match less.cost_usd {
        Some(difference) if difference > 0.0 => format!("+{}", dollars(Some(difference))),
        Some(difference) if difference < 0.0 => format!("-{}", dollars(Some(-difference))),
        other => dollars(other),
    };
    let rows = [
        counts("peak", |totals| totals.peak, less.peak),
        counts("input", |totals| totals.input, less.input),
        counts("clears", |totals| totals.clears, less.clears),
        counts("compactions", |totals| totals.compactions, less.compactions),
        counts("cache breaks", |totals| totals.cache_breaks, less.cache_breaks),
        ["cost".to_owned(), dollars(base.cost_usd), dollars(new.cost_usd), cost],
        counts("regrets", |totals| totals.regrets, less.regrets),
    ];
    let (one, two) = (visible::line(&compared.base.name), visible::line(&compared.new.name));
    let columns = [("", Side::Left), (&*one, Side::Right), (&*two, Side::Right), ("DIFFERENCE", Side::Right)];
    table(out, columns, &rows, style)?;
    for (what, regrets) in [("needed now", &compared.regrets_added), ("no longer", &compared.regrets_gone)] {
        for regret in regrets {
            let text = format!("{what}: {} at {} ({})", regret.label, nth(regret.needed_at), regret.rule);
            writeln!(out, "  {}", visible::line(&text))?;
        }
    }
    Ok(())
}

fn plus(difference: i64) -> String {
    if difference > 0 { format!("+{}", signed(difference)) } else { signed(difference) }
}
