//! Two settings beside each other.

use super::table::{Side, dollars, grouped, nth, signed, table};
use super::{Style, visible};
use retrace_api::wire::{Regret, SimulationTotals};
use serde::Serialize;
use std::io::{Result, Write};

/// One transcript under both.
#[derive(Serialize)]
pub struct Compared {
    /// The transcript.
    pub transcript: String,
    /// The setting compared with.
    pub base: ComparedSide,
    /// The setting that is compared.
    pub new: ComparedSide,
    /// New less base.
    pub difference: Difference,
    /// Regrets of the new setting that the base does not have.
    pub regrets_added: Vec<Regret>,
    /// Regrets of the base that the new setting does not have.
    pub regrets_gone: Vec<Regret>,
}

/// One of two settings.
#[derive(Serialize)]
pub struct ComparedSide {
    /// What the setting is called.
    pub name: String,
    /// Its totals.
    pub totals: SimulationTotals,
}

/// New less base.
#[derive(Serialize)]
pub struct Difference {
    /// Tokens of the largest request.
    pub peak: i64,
    /// Tokens of input.
    pub input: i64,
    /// Times something was cleared.
    pub clears: i64,
    /// Compactions.
    pub compactions: i64,
    /// Requests whose cache was lost.
    pub cache_breaks: i64,
    /// US dollars; null where a price is not known.
    pub cost_usd: Option<f64>,
    /// Results that were needed again.
    pub regrets: i64,
}

/// A table of figures: base, new, difference.
pub fn compared(out: &mut (impl Write + ?Sized), compared: &Compared, style: Style) -> Result<()> {
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
