//! The table of prices.

use crate::Lab;
use crate::lab::prices::path;
use crate::wire::show;
use crate::wire::{ApiError, Nothing, Price, Prices};
use retrace_context::prices::{Models, PriceLine};
use std::sync::Arc;

/// The table of prices, the user's own lines first.
///
/// # Errors
/// None: what is wrong with the user's file is in the answer.
pub fn prices(inner: &Arc<Lab>, _: Nothing) -> Result<Prices, ApiError> {
    let table = inner.lab.prices.get(inner);
    Ok(Prices {
        prices: table.prices.lines().iter().map(price).collect(),
        own_file: show(&path(inner)),
        own_file_problem: table.problem.clone(),
    })
}

fn price(line: &PriceLine) -> Price {
    Price {
        model: line.model.clone(),
        up_to: line.up_to,
        // A price changes with a day.
        from: line.from.map(|from| from.to_rfc3339().chars().take("2026-11-20".len()).collect()),
        window: Models::builtin().get(&line.model).map(|facts| facts.window),
        input: line.input,
        output: line.output,
        cache_write_5m: line.write_5m,
        cache_write_1h: line.write_1h,
        cache_read: line.read,
        source: if line.own && line.source.is_empty() { "own".to_owned() } else { line.source.clone() },
        date: line.date.clone(),
    }
}
