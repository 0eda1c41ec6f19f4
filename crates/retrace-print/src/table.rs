//! Tables: a heading and rows, columns as wide as they need to be.

use super::layout::{self, Cell, Column};
use super::paint::Paint;
use super::{Style, count};
pub use retrace_model::grouped;
use std::io::{Result, Write};

/// On which side of its column a text stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// To the left, a path or a place: cut in its middle where a row is too long.
    Place,
}

/// Writes a table. Cells are printed as they are, cut where a row is too long for the terminal: make them visible first.
pub fn table<const N: usize>(
    out: &mut (impl Write + ?Sized),
    columns: [(&str, Side); N],
    rows: &[[String; N]],
    style: Style,
) -> Result<()> {
    let heading = columns.map(|(name, _)| Cell::painted(name, Paint::dim));
    let cells = rows.iter().map(|row| row.each_ref().map(|cell| Cell::new(cell.as_str())));
    let all: Vec<[Cell; N]> = std::iter::once(heading).chain(cells).collect();
    let columns = columns.map(|(_, side)| match side {
        Side::Left => Column::Text,
        Side::Right => Column::Number,
        Side::Place => Column::Place,
    });
    layout::rows(out, columns, &all, style)
}

/// A number with commas between thousands, and a minus sign where it is negative.
pub fn signed(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{}", grouped(number.unsigned_abs()))
}

/// `+1,204`, `-28`.
pub fn change(number: i64) -> String {
    format!("{}{}", if number < 0 { "" } else { "+" }, signed(number))
}

/// US dollars to the cent, finer where there is little; `-` where nothing is known.
pub fn dollars(amount: Option<f64>) -> String {
    match amount {
        None => "-".to_owned(),
        Some(amount) if amount.abs() >= 1.0 || amount == 0.0 => format!("${amount:.2}"),
        Some(amount) => format!("${amount:.4}"),
    }
}

/// The number of a request for people, who count from 1, as the window does. JSON counts from 0.
pub fn nth(index: u64) -> String {
    grouped(index.saturating_add(1))
}

/// Why a price is a lower bound, a line a reason: what stands below a price with `≥`.
pub fn why_at_least(placeholders: u64, fast_without_price: u64) -> Vec<String> {
    let mut reasons = Vec::new();
    if placeholders > 0 {
        let requests = count(placeholders, "request", "requests");
        reasons.push(format!(
            "≥: the price is at least this. For the output of {requests} the client recorded a placeholder."
        ));
    }
    if fast_without_price > 0 {
        let requests = count(fast_without_price, "request", "requests");
        reasons.push(format!(
            "≥: the price is at least this. {requests} in fast mode, whose price for the model is not known, at the \
             standard price."
        ));
    }
    reasons
}

/// Dollars that may be too few: [`why_at_least`].
pub fn at_least_dollars(amount: Option<f64>, is_lower_bound: bool) -> String {
    let sign = if is_lower_bound && amount.is_some() { "≥ " } else { "" };
    format!("{sign}{}", dollars(amount))
}

/// Bytes in a unit that gives a short number.
pub fn bytes(count: u64) -> String {
    match count {
        0..1_024 => format!("{count} B"),
        1_024..1_048_576 => format!("{:.1} KiB", count as f64 / 1_024.0),
        _ => format!("{:.1} MiB", count as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!([0, 12, 123, 1_234, 1_234_567].map(grouped), ["0", "12", "123", "1,234", "1,234,567"]);
        assert_eq!(signed(-1_234), "-1,234");
        assert_eq!(dollars(Some(1.239)), "$1.24");
        assert_eq!(dollars(Some(0.01234)), "$0.0123");
        assert_eq!(dollars(Some(0.0)), "$0.00");
        assert_eq!(dollars(None), "-");
        assert_eq!([5, 2_048, 3 << 20].map(bytes), ["5 B", "2.0 KiB", "3.0 MiB"]);
    }

    #[test]
    fn columns_are_as_wide_as_they_need_to_be() {
        let mut out = Vec::new();
        let rows = [["日本".to_owned(), "1".to_owned()], ["a".to_owned(), "10,000".to_owned()]];
        table(&mut out, [("NAME", Side::Left), ("N", Side::Right)], &rows, Style::PLAIN).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "NAME       N\n日本       1\na     10,000\n");
    }
}
