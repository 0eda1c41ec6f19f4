//! A chart of one figure over requests, drawn in characters.

/// Rows of a chart.
const ROWS: usize = 8;

/// Eighths of a cell.
const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Lines of a chart of `values`, at most `width` columns wide, the highest first, with a scale at the left. A column that
/// stands for several values shows the largest of them.
pub fn lines(values: &[u64], width: usize) -> Vec<String> {
    let largest = values.iter().copied().max().unwrap_or_default();
    if values.is_empty() || largest == 0 {
        return Vec::new();
    }
    let labels = [short(largest), short(largest / 2), "0".to_owned()];
    let margin = labels.iter().map(String::len).max().unwrap_or_default();
    let columns = columns(values, width.saturating_sub(margin + 2).max(8));
    (0..ROWS)
        .map(|row| {
            let label = match row {
                0 => &labels[0],
                row if row == ROWS / 2 => &labels[1],
                row if row == ROWS - 1 => &labels[2],
                _ => "",
            };
            let from = (ROWS - 1 - row) * 8;
            let cells: String = columns.iter().map(|value| EIGHTHS[eighths(*value, largest, from)]).collect();
            format!("{label:>margin$} {}", cells.trim_end())
        })
        .collect()
}

/// A line below a chart of so many values that marks some of them, aligned with it.
pub fn marks(values: &[u64], width: usize, marked: &[(usize, char)]) -> String {
    let largest = values.iter().copied().max().unwrap_or_default();
    let margin = [short(largest), short(largest / 2)].iter().map(String::len).max().unwrap_or_default();
    let room = width.saturating_sub(margin + 2).max(8);
    let count = values.len().min(room).max(1);
    let mut line: Vec<char> = vec![' '; count];
    for (index, mark) in marked {
        let column = (index * count / values.len().max(1)).min(count - 1);
        line[column] = *mark;
    }
    let text: String = line.into_iter().collect();
    format!("{:>margin$} {}", "", text.trim_end()).trim_end().to_owned()
}

fn columns(values: &[u64], room: usize) -> Vec<u64> {
    let count = values.len().min(room);
    (0..count)
        .map(|column| {
            let from = column * values.len() / count;
            let to = ((column + 1) * values.len() / count).max(from + 1);
            values[from..to].iter().copied().max().unwrap_or_default()
        })
        .collect()
}

/// Filled eighths of the cell that begins at so many eighths is filled. What is more than nothing is seen.
fn eighths(value: u64, largest: u64, from: usize) -> usize {
    let all = u128::from(value) * (ROWS as u128 * 8) / u128::from(largest);
    let all = usize::try_from(all).unwrap_or(usize::MAX).max(usize::from(value > 0));
    all.saturating_sub(from).min(8)
}

fn short(value: u64) -> String {
    match value {
        0..1_000 => value.to_string(),
        1_000..1_000_000 => format!("{}k", value / 1_000),
        _ => format!("{:.1}M", value as f64 / 1_000_000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_shows_the_largest_of_each_column() {
        insta::assert_snapshot!(lines(&[0, 10_000, 20_000, 40_000, 5_000, 80_000], 40).join("\n"));
        let wide: Vec<u64> = (0..1_000).collect();
        assert!(lines(&wide, 40).iter().all(|line| line.chars().count() <= 40));
        assert!(lines(&[], 40).is_empty() && lines(&[0, 0], 40).is_empty());
    }

    #[test]
    fn marks_stand_below_their_values() {
        let values = [1_000, 2_000, 3_000, 4_000];
        assert_eq!(marks(&values, 40, &[(2, 'C')]), "     C");
        assert_eq!(marks(&values, 40, &[]), "");
        assert_eq!(marks(&[], 40, &[(5, 'C')]), "  C");
    }
}
