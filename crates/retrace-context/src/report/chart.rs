//! The chart: contexts over the requests, without a setting and with each.

use super::{CHARTED, Report, escape};
use crate::export::grouped;
use crate::outcome::{Cleared, Outcome};
use std::fmt::Write as _;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 40.0;

/// Points of one line at most: the largest of each stretch stands for it.
const POINTS: usize = 900;

/// Horizontal lines of the grid.
const STEPS: u64 = 4;

pub(super) fn write(report: &Report<'_>, page: &mut String) {
    let scale = Scale::of(report);
    let charted = report.settings.iter().take(CHARTED);
    page.push_str("<figure>\n");
    let _ = writeln!(
        page,
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"chart-title\">\n\
         <title id=\"chart-title\">Size of the context at each request; the table behind it is at the end</title>"
    );
    grid(&scale, page);
    if let Some(window) = report.window.filter(|&window| window <= scale.top) {
        let y = scale.y(window);
        let _ = writeln!(
            page,
            "<line class=\"limit\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">window {}</text>",
            WIDTH - RIGHT,
            WIDTH - RIGHT - 4.0,
            y + 12.0,
            grouped(window)
        );
    }
    line(&scale, 0, "without a setting", report.contexts, page);
    for (number, tried) in charted.clone().enumerate() {
        let after: Vec<u64> = tried.outcome.requests.iter().map(|request| request.after).collect();
        line(&scale, number + 1, tried.name, &after, page);
        marks(&scale, number + 1, tried.outcome, tried.regrets.iter().map(|regret| regret.needed_at), page);
    }
    page.push_str("</svg>\n<figcaption>");
    page.push_str("Tokens of context at each request. Solid: without a setting");
    for (number, tried) in charted.enumerate() {
        let dashes = ["long dashes", "short dashes", "dashes and dots", "dots"][number % CHARTED];
        let _ = write!(page, "; {dashes}: {}", escape(tried.name));
    }
    page.push_str(". Triangle: results cleared; square: compaction; cross: a cleared result was needed again.</figcaption>\n</figure>\n");
}

/// From requests and tokens to the picture.
struct Scale {
    requests: usize,
    top: u64,
}

impl Scale {
    fn of(report: &Report<'_>) -> Self {
        let outcomes = report.settings.iter().take(CHARTED);
        let after = outcomes.flat_map(|tried| tried.outcome.requests.iter().map(|request| request.after));
        let largest = report.contexts.iter().copied().chain(after).max().unwrap_or(0);
        Self { requests: report.contexts.len(), top: round_up(largest) }
    }

    fn x(&self, request: usize) -> f64 {
        let last = self.requests.saturating_sub(1).max(1) as f64;
        LEFT + (WIDTH - LEFT - RIGHT) * (request as f64 / last).min(1.0)
    }

    fn y(&self, tokens: u64) -> f64 {
        TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - (tokens as f64 / self.top as f64).min(1.0))
    }
}

/// The next number that is 4, 8, 12 or 20 with zeros behind: a quarter of it is a whole number.
fn round_up(tokens: u64) -> u64 {
    let mut unit = 4_u64;
    loop {
        for first in [1, 2, 3, 5] {
            let top = unit.saturating_mul(first);
            if top >= tokens {
                return top;
            }
        }
        unit = unit.saturating_mul(10);
    }
}

fn grid(scale: &Scale, page: &mut String) {
    for step in 0..=STEPS {
        let tokens = scale.top / STEPS * step;
        let y = scale.y(tokens);
        let _ = writeln!(
            page,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            y + 4.0,
            grouped(tokens)
        );
    }
    let last = scale.requests.saturating_sub(1);
    let y = HEIGHT - BOTTOM + 18.0;
    let _ = writeln!(
        page,
        "<text x=\"{LEFT}\" y=\"{y:.1}\">request 0</text><text x=\"{:.1}\" y=\"{y:.1}\" text-anchor=\"end\">request {last}</text>",
        WIDTH - RIGHT
    );
}

fn line(scale: &Scale, number: usize, name: &str, values: &[u64], page: &mut String) {
    let _ = write!(page, "<polyline class=\"line s{number}\" points=\"");
    let stretch = values.len().div_ceil(POINTS).max(1);
    for (index, some) in values.chunks(stretch).enumerate() {
        let largest = some.iter().copied().max().unwrap_or(0);
        let _ = write!(page, "{:.1},{:.1} ", scale.x(index * stretch), scale.y(largest));
    }
    let _ = writeln!(page, "\"><title>{}</title></polyline>", escape(name));
}

fn marks(
    scale: &Scale,
    number: usize,
    outcome: &Outcome,
    needed: impl Iterator<Item = usize>,
    page: &mut String,
) {
    let place = |request: usize| {
        let after = outcome.requests.get(request).map_or(0, |request| request.after);
        (scale.x(request), scale.y(after))
    };
    for request in &outcome.requests {
        if request.newly_cleared.iter().any(|cleared| matches!(cleared, Cleared::Result { .. })) {
            let (x, y) = place(request.index);
            let _ = writeln!(page, "<path class=\"mark s{number}\" d=\"M{:.1} {:.1}l4 7h-8z\"/>", x, y + 2.0);
        }
    }
    for compaction in &outcome.compactions {
        let (x, y) = place(compaction.request);
        let _ =
            writeln!(page, "<path class=\"mark s{number}\" d=\"M{:.1} {:.1}h6v6h-6z\"/>", x - 3.0, y - 3.0);
    }
    for request in needed {
        let (x, y) = place(request);
        let _ = writeln!(
            page,
            "<path class=\"mark s{number}\" d=\"M{:.1} {:.1}l7 7m0 -7l-7 7\"/>",
            x - 3.5,
            y - 12.0
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_whole_numbers() {
        for tokens in [0, 1, 5, 154_880, 199_999, u64::MAX] {
            let top = round_up(tokens);
            assert!(top >= tokens && (top == u64::MAX || top.is_multiple_of(STEPS)), "{tokens} {top}");
        }
        assert_eq!(round_up(154_880), 200_000);
    }
}
