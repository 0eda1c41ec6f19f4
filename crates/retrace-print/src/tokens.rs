//! Counts of tokens, as `wc` prints its own.

use super::table::grouped;
use super::{Style, visible};
use retrace_api::wire::TokenCount;
use std::io::{Result, Write};

/// A line a text, and the sum where there are several.
pub fn counts(out: &mut (impl Write + ?Sized), counts: &[TokenCount], style: Style) -> Result<()> {
    let sum = counts.iter().map(|count| count.tokens).fold(0, u64::saturating_add);
    let width = grouped(sum).len();
    for count in counts {
        let range = count.range.map_or_else(String::new, |(low, high)| {
            format!("  {}", style.paint.dim(&format!("estimated: {} to {}", grouped(low), grouped(high))))
        });
        writeln!(out, "{:>width$}  {}{range}", grouped(count.tokens), visible::line(&count.file))?;
    }
    if counts.len() > 1 {
        writeln!(out, "{:>width$}  {}", grouped(sum), style.paint.dim("in all"))?;
    }
    Ok(())
}
