//! Texts of answers.

use crate::error::MAX_LINES;
use crate::size::size;
use crate::{Dialect, ToolError};
use std::cmp::Ordering;
use std::fmt::Write as _;

/// Lines shown before and after a change.
const AROUND: usize = 2;

/// One entry of a directory view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    /// Path below the viewed directory; ends with `/` for a directory.
    pub path: String,
    pub bytes: u64,
}

/// A file with numbered lines. `range` is as the model sent it: counted from 1, both ends included, -1 for the end.
/// `characters` cuts the view and says how to go on.
pub(crate) fn file(
    path: &str,
    text: &str,
    range: Option<(i64, i64)>,
    characters: Option<usize>,
) -> Result<String, ToolError> {
    let lines: Vec<&str> = text.split('\n').collect();
    if lines.len() > MAX_LINES {
        return Err(ToolError::TooManyLines { path: path.to_owned(), lines: lines.len() });
    }
    let (start, end) = match range {
        Some((start, end)) => slice(lines.len(), start, end),
        None => (0, lines.len()),
    };
    let mut view = format!("Here's the content of {path} with line numbers:\n");
    let mut left = characters.unwrap_or(usize::MAX);
    for (at, line) in lines.iter().enumerate().take(end).skip(start) {
        let length = line.chars().count() + NUMBER_CHARACTERS + 1;
        if length > left && at > start {
            let _ = write!(
                view,
                "\n[Cut: lines {} to {at} of {} are shown. Go on with view_range [{}, -1].]",
                start + 1,
                lines.len(),
                at + 1
            );
            return Ok(view);
        }
        if at > start {
            view.push('\n');
        }
        if length > left {
            let shown = left.saturating_sub(NUMBER_CHARACTERS + 1).max(1);
            numbered(&mut view, at, &line.chars().take(shown).collect::<String>());
            let _ = write!(view, "\n[Cut: line {} has {} characters", at + 1, length - NUMBER_CHARACTERS - 1);
            if at + 1 < end {
                let _ = write!(view, ". Go on with view_range [{}, -1]", at + 2);
            }
            view.push_str(".]");
            return Ok(view);
        }
        left -= length;
        numbered(&mut view, at, line);
    }
    Ok(view)
}

/// Width of a line number and the tab after it.
const NUMBER_CHARACTERS: usize = 7;

fn numbered(into: &mut String, at: usize, line: &str) {
    let _ = write!(into, "{:>6}\t{line}", at + 1);
}

/// The half-open range of lines that `range` means, by the slice rules Python and JavaScript share.
fn slice(lines: usize, start: i64, end: i64) -> (usize, usize) {
    let start = usize::try_from(start.max(1) - 1).unwrap_or(0).min(lines);
    let end = match end {
        -1 => lines,
        end if end < 0 => lines.saturating_sub(usize::try_from(end.unsigned_abs()).unwrap_or(usize::MAX)),
        end => usize::try_from(end).unwrap_or(usize::MAX).min(lines),
    };
    (start, end.max(start))
}

/// The lines around a change, numbered as in a view. `line` is where it begins, from 0.
pub(crate) fn snippet(text: &str, line: usize) -> String {
    let mut snippet = String::new();
    let first = line.saturating_sub(AROUND);
    for (at, line) in text.split('\n').enumerate().take(line + AROUND + 1).skip(first) {
        if at > first {
            snippet.push('\n');
        }
        numbered(&mut snippet, at, line);
    }
    snippet
}

/// A directory: itself, then what is in it, in the order given. `characters` cuts the view and says how to go on; only then
/// `range` counts, which is of entries here: without a cut the SDKs pass it over.
pub(crate) fn directory(
    path: &str,
    own_bytes: u64,
    entries: &[Listed],
    dialect: Dialect,
    range: Option<(i64, i64)>,
    characters: Option<usize>,
) -> String {
    let left_out = match dialect {
        Dialect::Py => "hidden items",
        Dialect::Docs | Dialect::Ts => "hidden items and node_modules",
    };
    let mut view = format!(
        "Here're the files and directories up to 2 levels deep in {path}, excluding {left_out}:\n{}\t{path}",
        size(own_bytes, dialect)
    );
    let (start, end) = match range.filter(|_| characters.is_some()) {
        Some((start, end)) => slice(entries.len(), start, end),
        None => (0, entries.len()),
    };
    let mut left = characters.unwrap_or(usize::MAX);
    for (at, entry) in entries.iter().enumerate().take(end).skip(start) {
        let line = format!("\n{}\t{path}/{}", size(entry.bytes, dialect), entry.path);
        let length = line.chars().count();
        // The first is always shown, so that going on gets on.
        if length > left && at > start {
            let _ = write!(
                view,
                "\n[Cut: entries {} to {at} of {} are shown. Go on with view_range [{}, -1].]",
                start + 1,
                entries.len(),
                at + 1
            );
            break;
        }
        left = left.saturating_sub(length);
        view.push_str(&line);
    }
    view
}

/// Order of names within a directory: by code point, in `ts` by UTF-16 code unit.
pub(crate) fn order(one: &str, other: &str, dialect: Dialect) -> Ordering {
    match dialect {
        Dialect::Ts => one.encode_utf16().cmp(other.encode_utf16()),
        Dialect::Docs | Dialect::Py => one.cmp(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(text: &str, range: Option<(i64, i64)>) -> String {
        let view = file("p", text, range, None).unwrap();
        view.strip_prefix("Here's the content of p with line numbers:\n").unwrap().to_owned()
    }

    #[test]
    fn lines_are_split_at_line_feeds_alone() {
        assert_eq!(view("", None), "     1\t");
        assert_eq!(view("a\n", None), "     1\ta\n     2\t");
        assert_eq!(
            view("a\r\nb\u{2028}c\u{b}d\u{85}e", None),
            "     1\ta\r\n     2\tb\u{2028}c\u{b}d\u{85}e"
        );
    }

    #[test]
    fn ranges_follow_the_slice_rules() {
        let text = "a\nb\nc\nd";
        for (range, shown) in [
            ((1, -2), "1\ta 2\tb"),
            ((1, -3), "1\ta"),
            ((2, 3), "2\tb 3\tc"),
            ((0, 1), "1\ta"),
            ((-5, 1), "1\ta"),
            ((3, -1), "3\tc 4\td"),
            ((3, 2), ""),
            ((9, 12), ""),
            ((1, 0), ""),
            ((1, -9), ""),
            ((i64::MIN, i64::MIN), ""),
            ((i64::MAX, i64::MAX), ""),
        ] {
            let lines: Vec<String> =
                view(text, Some(range)).split('\n').map(|line| line.trim_start().to_owned()).collect();
            assert_eq!(lines.join(" "), shown, "{range:?}");
        }
    }

    #[test]
    fn a_view_is_cut_where_the_next_line_does_not_fit() {
        let text = "aaaa\nbbbb\ncccc\n";
        let cut = file("p", text, None, Some(24)).unwrap();
        assert!(
            cut.ends_with("     2\tbbbb\n[Cut: lines 1 to 2 of 4 are shown. Go on with view_range [3, -1].]"),
            "{cut}"
        );
        let rest = file("p", text, Some((3, -1)), Some(24)).unwrap();
        assert!(rest.ends_with("     3\tcccc\n     4\t"), "{rest}");
        let long = file("p", &"x".repeat(50), None, Some(18)).unwrap();
        assert!(long.ends_with("     1\txxxxxxxxxx\n[Cut: line 1 has 50 characters.]"), "{long}");
    }

    #[test]
    fn a_directory_that_is_cut_can_be_read_to_its_end() {
        let entries: Vec<Listed> =
            (1..=50).map(|number| Listed { path: format!("{number}.md"), bytes: number }).collect();
        let view = |range, characters| directory("p", 1, &entries, Dialect::Docs, range, characters);
        let whole = view(None, None);
        assert_eq!(view(Some((3, 4)), None), whole, "without a cut it is passed over");
        for characters in [1, 30, 200] {
            let (mut shown, mut from) = (Vec::new(), 1);
            loop {
                let page = view(Some((from, -1)), Some(characters));
                let lines: Vec<&str> = page.lines().skip(2).collect();
                let on = lines.last().and_then(|line| line.split_once("view_range [")).map(|(_, on)| on);
                let entries = lines.iter().filter(|line| !line.starts_with('['));
                shown.extend(entries.map(|line| (*line).to_owned()));
                match on.and_then(|on| on.split(',').next()).map(|from| from.parse().unwrap()) {
                    Some(next) => from = next,
                    None => break,
                }
            }
            assert_eq!(shown, whole.lines().skip(2).collect::<Vec<_>>(), "{characters}");
        }
        let cut = view(None, Some(30));
        assert!(
            cut.ends_with("[Cut: entries 1 to 3 of 50 are shown. Go on with view_range [4, -1].]"),
            "{cut}"
        );
        assert_eq!(view(Some((49, 50)), Some(200)).lines().count(), 4);
    }

    #[test]
    fn the_line_limit_counts_the_last_piece() {
        let lines = |number: usize| "\n".repeat(number);
        assert!(file("p", &lines(999_998), Some((1, 1)), None).is_ok());
        let error = file("p", &lines(999_999), Some((1, 1)), None).unwrap_err();
        assert_eq!(error.text(Dialect::Py), "File p exceeds maximum line limit of 999,999 lines.");
        assert_eq!(
            error.text(Dialect::Ts),
            "Error: File p has too many lines (1000000). Maximum is 999,999 lines."
        );
    }

    #[test]
    fn a_snippet_has_two_lines_on_each_side() {
        assert_eq!(snippet("a\nb\nc\nd\ne\nf", 2), "     1\ta\n     2\tb\n     3\tc\n     4\td\n     5\te");
        assert_eq!(snippet("a\n", 0), "     1\ta\n     2\t");
    }

    #[test]
    fn names_are_ordered_as_the_client_does() {
        let (astral, private) = ("\u{1f600}", "\u{e000}");
        assert_eq!(order(astral, private, Dialect::Py), Ordering::Greater);
        assert_eq!(order(astral, private, Dialect::Ts), Ordering::Less);
    }
}
