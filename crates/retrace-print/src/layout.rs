//! Rows that fit the terminal: columns as wide as they need to be, and where that is too much, texts cut in them.
//!
//! Cut is on a terminal alone. Into a file or a pipe every cell goes whole, a row a line, so that what reads it loses nothing.

use super::Style;
use super::paint::Paint;
use std::io::{Result, Write};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// Stands for what was cut.
const CUT: &str = "…";

/// Fewest columns that a cut cell keeps, where its column has more.
const LEAST: usize = 8;

/// Most blanks that align a column of a file or a pipe: one long cell must not push all others away.
const WIDEST_UNCUT: usize = 64;

/// How a column stands, and how it gives way where a row is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Text, cut at its end.
    Text,
    /// A path or a place, cut in its middle: its end tells more than its middle.
    Place,
    /// Text that is never cut: a time, a state, an id.
    Whole,
    /// A number, to the right, never cut.
    Number,
    /// One sign for what follows, a blank behind it.
    Sign,
}

impl Column {
    /// Blanks behind it.
    const fn gap(self) -> usize {
        if matches!(self, Self::Sign) { 1 } else { 2 }
    }
}

/// One cell: text that was made visible, with its colour, which takes no column.
#[derive(Clone)]
pub struct Cell {
    text: String,
    paint: fn(Paint, &str) -> String,
}

impl Cell {
    /// A cell without a colour.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), paint: |_, text| text.to_owned() }
    }

    /// A cell in a colour.
    pub fn painted(text: impl Into<String>, paint: fn(Paint, &str) -> String) -> Self {
        Self { text: text.into(), paint }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(text)
    }
}

/// Writes rows, blanks between columns, none at the end of a line.
pub fn rows<const N: usize>(
    out: &mut (impl Write + ?Sized),
    columns: [Column; N],
    rows: &[[Cell; N]],
    style: Style,
) -> Result<()> {
    rows_with(out, columns, rows, style, |_| Ok(()))
}

/// The same with what `below` writes after each row.
pub fn rows_with<const N: usize, W: Write + ?Sized>(
    out: &mut W,
    columns: [Column; N],
    rows: &[[Cell; N]],
    style: Style,
    mut below: impl FnMut(&mut W) -> Result<()>,
) -> Result<()> {
    let widths = widths(columns, rows, style.columns);
    rows.iter().try_for_each(|row| {
        writeln!(out, "{}", one(columns, row, &widths, style))?;
        below(out)
    })
}

fn one<const N: usize>(columns: [Column; N], row: &[Cell; N], widths: &[usize; N], style: Style) -> String {
    let mut line = String::new();
    let last = row.iter().rposition(|cell| !cell.text.is_empty()).unwrap_or_default();
    for (at, cell) in row.iter().enumerate().take(last + 1) {
        let text = match style.columns {
            Some(_) => cut(&cell.text, widths[at], columns[at]),
            None => cell.text.clone(),
        };
        let fill = " ".repeat(widths[at].saturating_sub(text.width()));
        let painted = (cell.paint)(style.paint, &text);
        match columns[at] {
            Column::Number => line.extend([fill.as_str(), &painted]),
            _ if at == last => line.push_str(&painted),
            _ => line.extend([painted.as_str(), &fill]),
        }
        if at < last {
            line.push_str(&" ".repeat(columns[at].gap()));
        }
    }
    line
}

/// Widths of columns: what their longest cells need; where all together are too wide, the widest that can be cut give way
/// first.
fn widths<const N: usize>(columns: [Column; N], rows: &[[Cell; N]], room: Option<usize>) -> [usize; N] {
    let mut widths: [usize; N] =
        std::array::from_fn(|at| rows.iter().map(|row| row[at].text.width()).max().unwrap_or_default());
    let Some(room) = room else {
        return widths.map(|width| width.min(WIDEST_UNCUT));
    };
    let can_be_cut = |at: usize, widths: &[usize; N]| {
        matches!(columns[at], Column::Text | Column::Place) && widths[at] > LEAST
    };
    loop {
        let gaps: usize = columns.iter().take(N.saturating_sub(1)).map(|column| column.gap()).sum();
        let used = widths.iter().sum::<usize>() + gaps;
        let widest = (0..N).filter(|at| can_be_cut(*at, &widths)).max_by_key(|at| widths[*at]);
        let Some(widest) = widest.filter(|_| used > room) else { return widths };
        // Down to the next one that can be cut, then both by turns.
        let next = (0..N).filter(|at| *at != widest && can_be_cut(*at, &widths)).map(|at| widths[at]).max();
        let floor = next.unwrap_or(LEAST).max(LEAST);
        let less = (used - room).min((widths[widest] - floor).max(1));
        widths[widest] -= less;
    }
}

/// A text of at most so many columns; what cannot be cut stays whole.
fn cut(text: &str, columns: usize, how: Column) -> String {
    match how {
        Column::Text => cut_end(text, columns),
        Column::Place => cut_middle(text, columns),
        Column::Whole | Column::Number | Column::Sign => text.to_owned(),
    }
}

/// A text of at most so many columns: what is longer ends in `…`.
pub fn cut_end(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    format!("{}{CUT}", beginning(text, columns.saturating_sub(1)).trim_end())
}

/// A text of at most so many columns: of what is longer the beginning and more of the end.
pub fn cut_middle(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let left = columns.saturating_sub(CUT.width());
    let head = beginning(text, left / 3);
    let mut tail = text.len();
    for (at, _) in text.grapheme_indices(true).rev() {
        if head.width() + text[at..].width() > left || at < head.len() {
            break;
        }
        tail = at;
    }
    format!("{head}{CUT}{}", &text[tail..])
}

/// As much of a text as fits, whole characters as a reader sees them.
fn beginning(text: &str, columns: usize) -> &str {
    let ends = text.grapheme_indices(true).map(|(at, letter)| at + letter.len());
    ends.take_while(|end| text[..*end].width() <= columns).last().map_or("", |end| &text[..end])
}

/// One line that fits the terminal, for details of which the whole is elsewhere.
pub fn line(out: &mut (impl Write + ?Sized), indent: usize, cell: &Cell, style: Style) -> Result<()> {
    let text = match style.columns {
        Some(columns) => cut_end(&cell.text, columns.saturating_sub(indent)),
        None => cell.text.clone(),
    };
    writeln!(out, "{}{}", " ".repeat(indent), (cell.paint)(style.paint, &text))
}

/// The id of a session as people name it: enough of it to tell it from others, which every command takes for it. Of ids that
/// begin with a time (UUIDs of version 7) that is the whole time.
pub fn session(id: &str) -> &str {
    let letters = id.as_bytes();
    let is_uuid =
        letters.len() == 36 && [8, 13, 18, 23].iter().all(|at| letters[*at] == b'-') && id.is_ascii();
    match is_uuid {
        true if letters[14] == b'7' => &id[..18],
        true => &id[..8],
        false => id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn printed(room: Option<usize>, given: &[[&str; 3]]) -> String {
        let rows: Vec<[Cell; 3]> = given.iter().map(|row| row.map(Cell::new)).collect();
        let style = Style { columns: room, ..Style::PLAIN };
        let mut out = Vec::new();
        super::rows(&mut out, [Column::Number, Column::Place, Column::Text], &rows, style).unwrap();
        String::from_utf8(out).unwrap()
    }

    const GIVEN: [[&str; 3]; 2] = [
        ["7", "notes:日本語/とても長い名前のファイル.md", "“Fix the cart totals”"],
        ["1,024", "notes:a.md", "ada"],
    ];

    #[test]
    fn a_row_fits_and_goes_whole_where_nobody_sees_columns() {
        let cut = printed(Some(40), &GIVEN);
        assert_eq!(
            cut.lines().collect::<Vec<_>>(),
            ["    7  notes…ァイル.md   “Fix the cart…", "1,024  notes:a.md        ada"]
        );
        let whole = printed(None, &GIVEN);
        assert!(GIVEN.iter().flatten().all(|cell| whole.contains(cell)), "{whole}");
        assert_eq!(printed(Some(200), &GIVEN), whole, "where there is room nothing is cut");
    }

    #[test]
    fn a_place_keeps_its_end_and_a_text_its_beginning() {
        assert_eq!(cut_middle("notes:a/very/long/path/auth.md", 16), "notes…th/auth.md");
        assert_eq!(cut_middle("日本語の名前.md", 10), "日…名前.md");
        assert_eq!(cut_end("日本語の名前", 5), "日本…");
        assert_eq!(cut_end("a👩\u{200d}👧b", 3), "a…", "what is one for a reader stays one");
        assert_eq!(cut_end("abc", 0), "…");
    }

    #[test]
    fn a_session_is_named_by_what_tells_it_apart() {
        assert_eq!(session("08940314-9e93-46b1-a598-06bada65ed55"), "08940314");
        assert_eq!(session("019a1c2f-9e93-76b1-a598-06bada65ed55"), "019a1c2f-9e93-76b1");
        assert_eq!(session("rollout-a3_92"), "rollout-a3_92");
        assert_eq!(session("日本語日本語日本語日本語"), "日本語日本語日本語日本語");
    }

    proptest! {
        #[test]
        fn no_row_is_wider_than_the_terminal(
            cells in prop::collection::vec(("[0-9]{1,4}", "\\PC{0,60}", "\\PC{0,60}"), 1..6),
            room in 30_usize..130,
        ) {
            let rows: Vec<[&str; 3]> = cells.iter().map(|(one, two, three)| [one.as_str(), two, three]).collect();
            for line in printed(Some(room), &rows).lines() {
                prop_assert!(line.width() <= room, "{} columns: {line:?}", line.width());
            }
            let whole = printed(None, &rows);
            prop_assert_eq!(whole.matches('\n').count(), rows.len());
        }
    }
}
